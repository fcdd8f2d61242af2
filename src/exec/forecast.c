// forecast.c - Playing a run: moments, values and bytes; one layout.
#include "exec/forecast.h"

#include <string.h>

#include "base/alloc.h"
#include "device/device.h"
#include "exec/copy.h"
#include "exec/flow.h"
#include "exec/forecast_internal.h"
#include "exec/fuse.h"
#include "exec/hold.h"
#include "memory/bestfit.h"
#include "state/resource.h"
#include "state/variable.h"

static berth_code_t no_memory(berth_error_t *err) {
  return berth_error_no_memory(err, "a forecast");
}

// ---- Bytes ----

// Returns the allocator of |memory|; the last one is pinned.
static berth_allocator_t *allocator_of(const player_t *player, int memory) {
  const berth_exec_host_t *host = player->host;
  bool is_pinned = memory == player->forecast->memory_count - 1;
  return is_pinned ? NULL : berth_space_allocator(host, memory);
}

// Returns what an allocation of |size| bytes takes of |memory|.
static int64_t rounded(const player_t *player, int memory, size_t size) {
  berth_allocator_t *allocator = allocator_of(player, memory);
  if (allocator != NULL && allocator->takes != NULL) {
    return (int64_t)allocator->takes(allocator, size);
  }
  size_t grains = (size + BERTH_BESTFIT_GRAIN - 1) / BERTH_BESTFIT_GRAIN;
  return (int64_t)((grains > 0 ? grains : 1) * BERTH_BESTFIT_GRAIN);
}

static void bytes_take(player_t *player, int memory, int64_t bytes) {
  berth_forecast_memory_t *m = &player->forecast->memories[memory];
  m->taken += bytes;
  if (m->taken > m->peak) m->peak = m->taken;
}

static void bytes_give(player_t *player, int memory, int64_t bytes) {
  player->forecast->memories[memory].taken -= bytes;
}

static const char *text_keep(player_t *player, const char *text) {
  char *copy =
      berth_arena_strndup(&player->forecast->arena, text, strlen(text));
  if (copy == NULL) player->failed = true;
  return copy != NULL ? copy : "";
}

// ---- Moments, values, unknowns ----

void berth_player_moment(player_t *player, const berth_step_t *step) {
  berth_forecast_t *f = player->forecast;
  berth_forecast_moment_t *moments = berth_grow(
      f->moments, f->moment_count, &f->moment_capacity, sizeof(*moments));
  if (moments == NULL) {
    player->failed = true;
    return;
  }
  f->moments = moments;
  moments[f->moment_count++] = (berth_forecast_moment_t){
      .name = text_keep(player, berth_step_name(step)),
      .op = text_keep(player, step->node->op->name),
      .memory = (int16_t)berth_step_space(step)};
}

// Returns the moment that is played now.
static int32_t now(const player_t *player) {
  size_t count = player->forecast->moment_count;
  return count > 0 ? (int32_t)count - 1 : 0;
}

void berth_player_unknown(player_t *player, const berth_step_t *step,
                          const char *why) {
  berth_forecast_t *f = player->forecast;
  const char *name = berth_step_name(step);
  for (size_t i = 0; i < f->unknown_count; ++i) {
    if (strcmp(f->unknowns[i].name, name) == 0) return;
  }
  berth_forecast_unknown_t *unknowns = berth_grow(
      f->unknowns, f->unknown_count, &f->unknown_capacity, sizeof(*unknowns));
  if (unknowns == NULL) {
    player->failed = true;
    return;
  }
  f->unknowns = unknowns;
  unknowns[f->unknown_count++] = (berth_forecast_unknown_t){
      text_keep(player, name), text_keep(player, step->node->op->name), why};
}

// Adds a value that begins at moment |begin|, and returns its number; -1 when
// memory is short.
static int32_t value_add(player_t *player, const berth_step_t *step,
                         berth_forecast_value_t value) {
  berth_forecast_t *f = player->forecast;
  berth_forecast_value_t *values = berth_grow(
      f->values, f->value_count, &f->value_capacity, sizeof(*values));
  int64_t *dims = berth_arena_memdup(&f->arena, value.dims.dims,
                                     (size_t)value.dims.rank * sizeof(*dims));
  if (values != NULL) f->values = values;
  if (values == NULL || dims == NULL) {
    player->failed = true;
    return HELD_NONE;
  }
  value.name = text_keep(player, berth_step_name(step));
  value.op = text_keep(player, step->node->op->name);
  value.dims.dims = dims;
  values[f->value_count] = value;
  return (int32_t)f->value_count++;
}

// ---- Tensors ----

int32_t berth_player_take(player_t *player, const berth_step_t *step,
                          int32_t output, int memory, berth_dtype_t dtype,
                          berth_dims_t dims) {
  int64_t count = berth_dims_count(dims);
  size_t size = (size_t)count * berth_dtype_size(dtype);
  bool is_device = memory != BERTH_HOST_SPACE &&
                   memory != player->forecast->memory_count - 1;
  if (!is_device && size <= BERTH_SMALL_TENSOR) return HELD_NONE;
  held_t *held = berth_grow(player->held, player->held_count,
                            &player->held_capacity, sizeof(*held));
  if (held == NULL) {
    player->failed = true;
    return HELD_NONE;
  }
  player->held = held;
  int64_t bytes = rounded(player, memory, size);
  int32_t value =
      value_add(player, step,
                (berth_forecast_value_t){.output = output,
                                         .memory = (int16_t)memory,
                                         .kind = BERTH_FORECAST_TENSOR,
                                         .dtype = dtype,
                                         .dims = dims,
                                         .bytes = bytes,
                                         .begin = now(player),
                                         .end = INT32_MAX});
  if (value < 0) return HELD_NONE;
  bytes_take(player, memory, bytes);
  held[player->held_count] = (held_t){value, 1};
  return (int32_t)player->held_count++;
}

void berth_player_retain(player_t *player, int32_t held) {
  if (held != HELD_NONE) ++player->held[held].refs;
}

void berth_player_release(player_t *player, int32_t held) {
  if (held == HELD_NONE || --player->held[held].refs > 0) return;
  berth_forecast_value_t *value =
      &player->forecast->values[player->held[held].value];
  value->end = now(player) + 1;
  bytes_give(player, value->memory, value->bytes);
}

void berth_player_scratch(player_t *player, const berth_step_t *step,
                          int memory, size_t size) {
  if (size == 0) return;
  int64_t bytes = rounded(player, memory, size);
  (void)value_add(player, step,
                  (berth_forecast_value_t){.memory = (int16_t)memory,
                                           .kind = BERTH_FORECAST_SCRATCH,
                                           .dtype = BERTH_UINT8,
                                           .bytes = bytes,
                                           .begin = now(player),
                                           .end = now(player) + 1});
  bytes_take(player, memory, bytes);
  bytes_give(player, memory, bytes);
}

// ---- Arenas ----

void berth_player_own(player_t *player, const berth_layout_t *layout) {
  for (int a = 0; a < layout->arena_count; ++a) {
    size_t size = layout->needs[a].size;
    if (size == 0 || size > BERTH_OWN_ARENA) continue;
    int64_t bytes = rounded(player, a, size);
    bytes_take(player, a, bytes);
    player->forecast->memories[a].arenas += bytes;
  }
}

// Takes a piece of |size| bytes of |memory|, an idle one if it does.
static void piece_take(player_t *player, int memory, int64_t size) {
  lent_t *lent = &player->lenders[memory];
  int best = -1;
  for (int i = 0; i < lent->count; ++i) {
    if (lent->idle[i] < size) continue;
    if (best < 0 || lent->idle[i] < lent->idle[best]) best = i;
  }
  // One that is too small makes room for one that is not.
  int gone = best >= 0 ? best : lent->count - 1;
  if (gone >= 0) {
    int64_t bytes = rounded(player, memory, (size_t)lent->idle[gone]);
    memmove(&lent->idle[gone], &lent->idle[gone + 1],
            (size_t)(--lent->count - gone) * sizeof(lent->idle[0]));
    if (best >= 0) return;
    bytes_give(player, memory, bytes);
    player->forecast->memories[memory].arenas -= bytes;
  }
  int64_t bytes = rounded(player, memory, (size_t)size);
  bytes_take(player, memory, bytes);
  player->forecast->memories[memory].arenas += bytes;
}

void berth_player_borrow(player_t *player, const berth_layout_t *layout) {
  for (int a = 0; a < layout->arena_count; ++a) {
    size_t size = layout->needs[a].size;
    if (size > BERTH_OWN_ARENA) piece_take(player, a, (int64_t)size);
  }
}

void berth_player_return(player_t *player, const berth_layout_t *layout) {
  for (int a = 0; a < layout->arena_count; ++a) {
    size_t size = layout->needs[a].size;
    lent_t *lent = &player->lenders[a];
    if (size <= BERTH_OWN_ARENA || lent->count == LENT_MOST) continue;
    lent->idle[lent->count++] = (int64_t)size;
  }
}

// ---- Variables ----

// Returns the variable that input |index| of |step| leads to, or NULL.
static berth_variable_t *variable_of(const player_t *player,
                                     const berth_program_t *program,
                                     const berth_step_t *step, int index) {
  if (step->input_count <= index) return NULL;
  int32_t slot = program->args[step->first_arg + index];
  const berth_tensor_t *tensor = program->settled[slot];
  bool is_fed = program == player->program && player->handles != NULL;
  for (int i = 0; is_fed && i < program->signature.feed_count; ++i) {
    if (program->feed_slots[i] == slot) tensor = player->handles[i];
  }
  bool is_handle = tensor != NULL && tensor->dtype == BERTH_RESOURCE &&
                   tensor->count == 1 && tensor->data != NULL;
  if (!is_handle) return NULL;
  berth_resource_t *resource = ((berth_handle_t *)tensor->data)->resource;
  bool is_variable =
      resource != NULL && resource->kind == BERTH_RESOURCE_VARIABLE;
  return is_variable ? (berth_variable_t *)resource : NULL;
}

// True when somebody besides |variable| holds |value|, of which the caller has
// a reference.
static bool is_shared(const berth_tensor_t *value) {
  return atomic_load(&value->refs) > 2 ||
         (value->buffer != NULL && !berth_buffer_is_exclusive(value->buffer));
}

// ---- A layout ----

// What is known of the steps of a layout while they are played.
typedef struct play {
  player_t *player;
  const berth_layout_t *layout;
  const berth_program_t *program;
  const worth_t *feeds;
  int32_t *last;   // By root: the last step that reads it; -1: none.
  int32_t *held;   // By root: of a TENSOR, what it holds.
  int32_t *value;  // By root: of an ARENA value, its number; -1: none.
} play_t;

enum { FOREVER = INT32_MAX };

// Notes when every root is last read. What several streams or segments use has
// bytes that are its own until the end.
static void lasts_find(play_t *p) {
  const berth_program_t *program = p->program;
  for (int i = 0; i < program->slot_count; ++i) {
    p->last[i] = p->layout->spots[i].crosses ? FOREVER : -1;
  }
  for (int t = 0; t < program->segment_count; ++t) {
    const berth_segment_t *segment = &program->segments[t];
    for (int s = segment->begin; s < segment->end; ++s) {
      berth_reads_t reads = berth_layout_reads(p->layout, s);
      for (int i = 0; i < reads.count; ++i) {
        int32_t root = p->layout->spots[reads.slots[i]].root;
        bool is_here = program->slots[root].producer >= segment->begin;
        if (p->last[root] != FOREVER) p->last[root] = is_here ? s : FOREVER;
      }
    }
  }
}

// Returns the memory that the tensor of |slot| is in: what comes from a device
// comes into pinned memory.
static int tensor_memory(const play_t *p, int32_t slot) {
  const berth_slot_t *info = &p->program->slots[slot];
  if (info->space != BERTH_HOST_SPACE || info->producer < 0) return info->space;
  bool is_copy = berth_is_copy(&p->program->steps[info->producer]);
  return is_copy ? p->player->forecast->memory_count - 1 : BERTH_HOST_SPACE;
}

static const berth_step_t *maker_of(const play_t *p, int32_t slot) {
  return &p->program->steps[p->program->slots[slot].producer];
}

static int32_t output_of(const play_t *p, int32_t slot) {
  const berth_step_t *maker = maker_of(p, slot);
  const int32_t *outputs =
      p->program->args + maker->first_arg + maker->input_count;
  int32_t output = 0;
  while (outputs[output] != slot) ++output;
  return output;
}

static int32_t slot_take(play_t *p, int32_t slot, int memory) {
  return berth_player_take(p->player, maker_of(p, slot), output_of(p, slot),
                           memory, p->program->slots[slot].dtype,
                           p->layout->spots[slot].dims);
}

// Returns the place of the feed whose memory |slot| may have; -1: none.
static int heir_feed(const play_t *p, int32_t slot) {
  int32_t feed = p->layout->spots[slot].heir_of;
  for (int i = 0; feed >= 0 && i < p->program->signature.feed_count; ++i) {
    if (p->program->feed_slots[i] == feed) return p->feeds[i].is_own ? i : -1;
  }
  return -1;
}

// Makes the tensors that a run is known to need.
static void tensors_take(play_t *p) {
  const berth_layout_t *layout = p->layout;
  for (int i = 0; i < layout->tensor_slot_count; ++i) {
    int32_t slot = layout->tensor_slots[i];
    int feed = heir_feed(p, slot);
    if (feed >= 0) {
      p->held[slot] = p->feeds[feed].held;
      berth_player_retain(p->player, p->held[slot]);
    } else {
      p->held[slot] = slot_take(p, slot, tensor_memory(p, slot));
    }
  }
}

// The value of an input that ends here and lies where |slot| does ends: it was
// taken over.
static void take_over(play_t *p, int s, int32_t slot) {
  berth_reads_t reads = berth_layout_reads(p->layout, s);
  const berth_spot_t *spots = p->layout->spots;
  for (int i = 0; i < reads.count; ++i) {
    int32_t root = spots[reads.slots[i]].root;
    if (p->value[root] >= 0 && p->last[root] == s &&
        spots[root].arena == spots[slot].arena &&
        spots[root].offset == spots[slot].offset) {
      p->player->forecast->values[p->value[root]].end = now(p->player);
    }
  }
}

// Begins the life of |slot|, which lies in an arena.
static void arena_begin(play_t *p, int s, int32_t slot) {
  const berth_spot_t *spot = &p->layout->spots[slot];
  take_over(p, s, slot);
  int64_t bytes = rounded(p->player, BERTH_HOST_SPACE,
                          (size_t)berth_layout_bytes(p->layout, slot));
  p->value[slot] =
      value_add(p->player, maker_of(p, slot),
                (berth_forecast_value_t){
                    .output = output_of(p, slot),
                    .memory = spot->arena,
                    .kind = BERTH_FORECAST_ARENA,
                    .dtype = p->program->slots[slot].dtype,
                    .dims = spot->dims,
                    .bytes = bytes,
                    .begin = now(p->player),
                    .end = p->last[slot] < 0 ? now(p->player) + 1 : INT32_MAX});
}

// True when what |step| makes is memory of its own: not that of a variable, or
// what was put away before.
static bool makes_new(const berth_step_t *step, berth_dtype_t dtype) {
  return !step->reads && step->resource == NULL && berth_dtype_is_plain(dtype);
}

static void outputs_begin(play_t *p, int s) {
  const berth_step_t *step = &p->program->steps[s];
  const berth_layout_t *layout = p->layout;
  const int32_t *outputs =
      p->program->args + step->first_arg + step->input_count;
  for (int i = 0; i < step->output_count; ++i) {
    int32_t slot = outputs[i];
    const berth_spot_t *spot = &layout->spots[slot];
    if (spot->root != slot) continue;
    if (spot->storage == BERTH_STORE_ARENA) {
      arena_begin(p, s, slot);
    } else if (spot->is_made && spot->dims.rank >= 0 &&
               makes_new(step, p->program->slots[slot].dtype)) {
      p->held[slot] = slot_take(p, slot, tensor_memory(p, slot));
    }
  }
}

// What was fed and is kept by |step| is copied first.
static void kept_copy(play_t *p, int s) {
  const berth_step_t *step = &p->program->steps[s];
  for (int i = 0; i < step->input_count; ++i) {
    int32_t slot = p->program->args[step->first_arg + i];
    const berth_spot_t *spot = &p->layout->spots[slot];
    bool is_fed = spot->storage == BERTH_STORE_FEED &&
                  p->program->slots[spot->root].is_borrowed;
    if (!is_fed || !berth_step_keeps(step, i)) continue;
    int32_t copy =
        berth_player_take(p->player, step, 0, p->program->slots[slot].space,
                          p->program->slots[slot].dtype, spot->dims);
    if (!berth_op_keeps(step->node->op, i)) {
      berth_player_release(p->player, copy);
    }
  }
}

// True when the run reads |variable| and still holds that value behind |s|.
static bool is_read_beyond(const play_t *p, const berth_variable_t *variable,
                           int s) {
  const berth_program_t *program = p->program;
  for (int i = 0; i < program->step_count; ++i) {
    const berth_step_t *step = &program->steps[i];
    if (!step->reads || variable_of(p->player, program, step, 0) != variable)
      continue;
    int32_t slot = program->args[step->first_arg + step->input_count];
    int32_t root = p->layout->spots[slot].root;
    if (p->layout->spots[root].is_kept || p->last[root] > s) return true;
  }
  return false;
}

// A variable whose value others hold is copied before it is changed.
static void updated_copy(play_t *p, int s) {
  const berth_step_t *step = &p->program->steps[s];
  if (!berth_step_updates(step) || step->node->op->keep_inputs != 0) return;
  for (int i = 0; i < step->input_count; ++i) {
    berth_variable_t *variable = variable_of(p->player, p->program, step, i);
    berth_tensor_t *value =
        variable != NULL ? berth_variable_read(variable) : NULL;
    if (value == NULL) continue;
    if (is_shared(value) || is_read_beyond(p, variable, s)) {
      (void)berth_player_take(
          p->player, step, 0,
          value->device != NULL ? berth_step_space(step) : BERTH_HOST_SPACE,
          value->dtype, berth_tensor_dims(value));
    }
    berth_tensor_release(value);
  }
}

// Ends the lives of values that step |s| was the last to read.
static void values_end(play_t *p, int s) {
  berth_reads_t reads = berth_layout_reads(p->layout, s);
  for (int i = 0; i < reads.count; ++i) {
    int32_t root = p->layout->spots[reads.slots[i]].root;
    if (p->value[root] < 0 || p->last[root] != s) continue;
    berth_forecast_value_t *value =
        &p->player->forecast->values[p->value[root]];
    if (value->end == INT32_MAX) value->end = now(p->player) + 1;
  }
}

static bool is_unknown(const play_t *p, int s) {
  const berth_step_t *step = &p->program->steps[s];
  const int32_t *outputs =
      p->program->args + step->first_arg + step->input_count;
  bool has_outputs = false;
  for (int i = 0; i < step->output_count; ++i) {
    const berth_spot_t *spot = &p->layout->spots[outputs[i]];
    bool is_plain = berth_dtype_is_plain(p->program->slots[outputs[i]].dtype);
    if (is_plain && spot->dims.rank < 0) return true;
    has_outputs = has_outputs || is_plain;
  }
  // A step that has no outputs to make may still be late, and copy.
  return p->layout->hot[s].how == BERTH_HOT_LATE && has_outputs;
}

static void step_play(play_t *p, int s, int *released) {
  const berth_layout_t *layout = p->layout;
  const berth_step_t *step = &p->program->steps[s];
  berth_player_moment(p->player, step);
  if (is_unknown(p, s)) {
    berth_player_unknown(p->player, step, "its shape is known when it has run");
  }
  kept_copy(p, s);
  updated_copy(p, s);
  outputs_begin(p, s);
  values_end(p, s);
  for (; *released < layout->released_count &&
         layout->released_by[*released] <= s;
       ++*released) {
    int32_t slot = layout->released_slots[*released];
    berth_player_release(p->player, p->held[slot]);
    p->held[slot] = HELD_NONE;
  }
}

// Ends what arenas still hold.
static void arenas_end(play_t *p) {
  for (int i = 0; i < p->program->slot_count; ++i) {
    if (p->value[i] < 0) continue;
    berth_forecast_value_t *value = &p->player->forecast->values[p->value[i]];
    if (value->end == INT32_MAX) value->end = now(p->player) + 1;
  }
}

// Fills in result |i| as berth_frame_export() makes it.
static void result_take(play_t *p, int i, worth_t *results) {
  int32_t slot = p->program->fetch_slots[i];
  const berth_spot_t *spot = &p->layout->spots[slot];
  int32_t root = spot->root;
  results[i] = (worth_t){.dims = spot->dims, .held = HELD_NONE};
  if (spot->dims.rank < 0) return;
  results[i].is_own = spot->storage == BERTH_STORE_TENSOR && root == slot &&
                      spot->next_alias < 0 && !spot->is_made;
  bool is_fed = spot->storage == BERTH_STORE_FEED;
  bool is_copied = spot->storage == BERTH_STORE_ARENA ||
                   (is_fed && p->program->slots[root].is_borrowed);
  for (int k = 0; is_copied && k < i; ++k) {
    if (p->program->fetch_slots[k] != slot) continue;
    results[i].held = results[k].held;
    berth_player_retain(p->player, results[k].held);
    return;
  }
  if (is_copied && p->program->slots[slot].producer >= 0) {
    results[i].held = slot_take(p, slot, p->program->slots[slot].space);
    return;
  }
  int32_t held = is_fed ? HELD_NONE : p->held[root];
  for (int k = 0; is_fed && k < p->program->signature.feed_count; ++k) {
    if (p->program->feed_slots[k] == root) held = p->feeds[k].held;
  }
  berth_player_retain(p->player, held);
  results[i].held = held;
}

static void results_take(play_t *p, worth_t *results) {
  for (int i = 0; i < p->program->signature.fetch_count; ++i) {
    result_take(p, i, results);
    if (results[i].dims.rank < 0) continue;
    // The layout may go before its results.
    results[i].dims.dims =
        berth_arena_memdup(&p->player->forecast->arena, results[i].dims.dims,
                           (size_t)results[i].dims.rank * sizeof(int64_t));
    if (results[i].dims.dims == NULL) p->player->failed = true;
  }
}

berth_code_t berth_player_steps(player_t *player, const berth_layout_t *layout,
                                const worth_t *feeds, worth_t *results,
                                berth_error_t *err) {
  const berth_program_t *program = layout->program;
  size_t slots = (size_t)program->slot_count + 1;
  int32_t *room = berth_alloc(3 * slots * sizeof(*room));
  if (room == NULL) return no_memory(err);
  for (size_t i = 0; i < 3 * slots; ++i) room[i] = HELD_NONE;
  play_t p = {.player = player,
              .layout = layout,
              .program = program,
              .feeds = feeds,
              .last = room,
              .held = room + slots,
              .value = room + 2 * slots};
  lasts_find(&p);
  tensors_take(&p);
  int released = 0;
  for (int s = 0; s < program->step_count; ++s) step_play(&p, s, &released);
  results_take(&p, results);
  arenas_end(&p);
  for (int i = 0; i < program->slot_count; ++i) {
    berth_player_release(player, p.held[i]);
  }
  berth_free(room);
  return player->failed ? no_memory(err) : BERTH_OK;
}

// Makes a tensor without memory, of which a layout needs the shape.
static berth_tensor_t *tensor_sketch(berth_arena_t *arena, berth_dtype_t dtype,
                                     berth_dims_t dims) {
  size_t bytes = (size_t)dims.rank * sizeof(int64_t);
  berth_tensor_t *tensor =
      berth_arena_calloc(arena, 1, sizeof(*tensor) + bytes);
  if (tensor == NULL) return NULL;
  tensor->rank = dims.rank;
  tensor->dtype = dtype;
  tensor->count = berth_dims_count(dims);
  if (bytes > 0) memcpy(tensor->dims, dims.dims, bytes);
  return tensor;
}

berth_code_t berth_player_layout(player_t *player, berth_program_t *program,
                                 const worth_t *feeds,
                                 berth_layout_t **out_layout,
                                 berth_error_t *err) {
  int count = program->signature.feed_count;
  berth_arena_t arena = {0};
  berth_tensor_t **tensors =
      berth_arena_calloc(&arena, (size_t)count + 1, sizeof(*tensors));
  berth_code_t code = tensors != NULL ? BERTH_OK : no_memory(err);
  bool is_known = true;
  for (int i = 0; code == BERTH_OK && i < count; ++i) {
    is_known = is_known && feeds[i].dims.rank >= 0;
    if (!is_known) break;
    bool is_handle = program == player->program && player->handles != NULL &&
                     player->handles[i] != NULL;
    tensors[i] =
        is_handle ? player->handles[i]
                  : tensor_sketch(&arena,
                                  program->slots[program->feed_slots[i]].dtype,
                                  feeds[i].dims);
    if (tensors[i] == NULL) code = no_memory(err);
  }
  *out_layout = NULL;
  if (code == BERTH_OK && is_known) {
    code = berth_layout_sketch(program, tensors, &player->watch->ended,
                               out_layout, err);
  }
  berth_arena_clear(&arena);
  return code;
}

// ---- What is held ----

// True when |thing|, a buffer or a variable, has not been counted.
static bool is_first(player_t *player, const void *thing) {
  for (size_t i = 0; i < player->seen_count; ++i) {
    if (player->seen[i] == thing) return false;
  }
  const void **seen = berth_grow(player->seen, player->seen_count,
                                 &player->seen_capacity, sizeof(*seen));
  if (seen == NULL) {
    player->failed = true;
    return false;
  }
  player->seen = seen;
  seen[player->seen_count++] = thing;
  return true;
}

// Adds |size| bytes that lie in |memory|, unless they come from no pool.
static void held_add(player_t *player, int memory, size_t size) {
  if (memory == BERTH_HOST_SPACE && size <= BERTH_SMALL_TENSOR) return;
  player->forecast->memories[memory].held += rounded(player, memory, size);
}

// Adds up the constants of |program|.
static void constants_count(player_t *player, const berth_program_t *program) {
  for (int i = 0; i < program->slot_count; ++i) {
    const berth_tensor_t *tensor = program->settled[i];
    if (tensor == NULL || !berth_dtype_is_plain(tensor->dtype) ||
        !is_first(player, tensor->buffer)) {
      continue;
    }
    held_add(
        player,
        tensor->device == NULL ? BERTH_HOST_SPACE : program->slots[i].space,
        tensor->size);
  }
}

// Adds what |variable| holds, or will hold by its declaration, in |memory|.
static void variable_count(player_t *player, berth_variable_t *variable,
                           int memory) {
  berth_tensor_t *value = berth_variable_read(variable);
  berth_dims_t dims = value != NULL ? berth_tensor_dims(value)
                                    : berth_variable_declared(variable);
  size_t size = berth_dtype_size(berth_variable_dtype(variable));
  if (value != NULL && value->device == NULL) memory = BERTH_HOST_SPACE;
  bool is_known = value != NULL || berth_variable_is_declared(variable);
  if (is_known && berth_dims_is_full(dims)) {
    held_add(player, memory, size * (size_t)berth_dims_count(dims));
  }
  berth_tensor_release(value);
}

// Adds up the variables of |program|. One without value will be where its
// readers want it.
static void variables_count(player_t *player, const berth_program_t *program) {
  for (int s = 0; s < program->step_count; ++s) {
    const berth_step_t *step = &program->steps[s];
    berth_variable_t *variable = variable_of(player, program, step, 0);
    if (variable == NULL || !is_first(player, variable)) continue;
    int32_t output = program->args[step->first_arg + step->input_count];
    int memory =
        step->reads ? program->slots[output].space : berth_step_space(step);
    variable_count(player, variable, memory);
  }
}

static void held_count(player_t *player, const berth_program_t *program) {
  constants_count(player, program);
  variables_count(player, program);
  const berth_flow_t *flow = program->flow;
  for (int i = 0; flow != NULL && i < flow->block_count; ++i) {
    constants_count(player, flow->blocks[i].program);
    variables_count(player, flow->blocks[i].program);
  }
}

// ---- The whole ----

// Plays the run of a program without conditionals and loops.
static berth_code_t straight_play(player_t *player, berth_program_t *program,
                                  const worth_t *feeds, worth_t *results,
                                  berth_error_t *err) {
  berth_layout_t *layout = NULL;
  BERTH_TRY(berth_player_layout(player, program, feeds, &layout, err));
  berth_player_own(player, layout);
  berth_player_borrow(player, layout);
  berth_code_t code = berth_player_steps(player, layout, feeds, results, err);
  berth_layout_drop(layout);
  return code;
}

// Works out what is live at each moment, and when that is most.
static bool lives_sum(berth_forecast_t *f) {
  int32_t count = (int32_t)f->moment_count;
  for (int m = 0; m < f->memory_count; ++m) {
    berth_forecast_memory_t *memory = &f->memories[m];
    memory->moment = -1;
    memory->live =
        berth_arena_calloc(&f->arena, (size_t)count + 1, sizeof(*memory->live));
    if (memory->live == NULL) return false;
  }
  for (size_t i = 0; i < f->value_count; ++i) {
    berth_forecast_value_t *value = &f->values[i];
    int64_t *live = f->memories[value->memory].live;
    if (value->end > count) value->end = count;
    live[value->begin] += value->bytes;
    live[value->end] -= value->bytes;
  }
  for (int m = 0; m < f->memory_count; ++m) {
    berth_forecast_memory_t *memory = &f->memories[m];
    for (int32_t i = 0; i < count; ++i) {
      if (i > 0) memory->live[i] += memory->live[i - 1];
      bool is_most = memory->live[i] > 0 &&
                     (memory->moment < 0 ||
                      memory->live[i] > memory->live[memory->moment]);
      if (is_most) memory->moment = i;
    }
  }
  return true;
}

static berth_code_t play(player_t *player, berth_program_t *program,
                         const berth_dims_t *shapes, berth_error_t *err) {
  const berth_signature_t *signature = &program->signature;
  size_t feeds = (size_t)signature->feed_count;
  size_t fetches = (size_t)signature->fetch_count;
  worth_t *worth = berth_alloc((feeds + fetches + 1) * sizeof(*worth));
  player->lenders = berth_calloc((size_t)player->forecast->memory_count,
                                 sizeof(*player->lenders));
  berth_code_t code = BERTH_OK;
  if (worth == NULL || player->lenders == NULL) {
    code = no_memory(err);
    goto done;
  }
  for (size_t i = 0; i < feeds; ++i) {
    worth[i] = (worth_t){.dims = shapes[i], .held = HELD_NONE};
  }
  code = program->flow == NULL
             ? straight_play(player, program, worth, worth + feeds, err)
             : berth_player_flow(player, program, worth, worth + feeds, err);
  if (code == BERTH_OK) held_count(player, program);
  if (code == BERTH_OK && (player->failed || !lives_sum(player->forecast))) {
    code = no_memory(err);
  }
done:
  berth_free(worth);
  berth_free(player->lenders);
  berth_free(player->held);
  berth_free(player->seen);
  return code;
}

// Makes room for the memories of |host|.
static berth_code_t memories_make(berth_forecast_t *forecast,
                                  const berth_exec_host_t *host,
                                  berth_error_t *err) {
  forecast->memory_count = host->device_count + 2;
  forecast->memories =
      berth_arena_calloc(&forecast->arena, (size_t)forecast->memory_count,
                         sizeof(*forecast->memories));
  return forecast->memories != NULL ? BERTH_OK : no_memory(err);
}

berth_code_t berth_forecast_layout(berth_forecast_t *forecast,
                                   const berth_layout_t *layout,
                                   berth_error_t *err) {
  const berth_program_t *program = layout->program;
  const berth_signature_t *signature = &program->signature;
  player_t player = {.forecast = forecast, .host = program->host};
  BERTH_TRY(memories_make(forecast, program->host, err));
  size_t feeds = (size_t)signature->feed_count;
  size_t all = feeds + (size_t)signature->fetch_count + 1;
  worth_t *worth = berth_alloc(all * sizeof(*worth));
  player.lenders =
      berth_calloc((size_t)forecast->memory_count, sizeof(*player.lenders));
  berth_code_t code = BERTH_OK;
  if (worth == NULL || player.lenders == NULL) code = no_memory(err);
  for (size_t i = 0; code == BERTH_OK && i < feeds; ++i) {
    worth[i] = (worth_t){.dims = layout->feeds[i], .held = HELD_NONE};
  }
  if (code == BERTH_OK) {
    berth_player_own(&player, layout);
    berth_player_borrow(&player, layout);
    code = berth_player_steps(&player, layout, worth, worth + feeds, err);
  }
  if (code == BERTH_OK) held_count(&player, program);
  if (code == BERTH_OK && (player.failed || !lives_sum(forecast))) {
    code = no_memory(err);
  }
  berth_free(worth);
  berth_free(player.lenders);
  berth_free(player.held);
  berth_free(player.seen);
  return code;
}

berth_code_t berth_forecast_make(berth_forecast_t *forecast,
                                 berth_program_t *program,
                                 const berth_dims_t *shapes,
                                 berth_tensor_t *const *handles,
                                 berth_watch_t *watch, berth_error_t *err) {
  player_t player = {.forecast = forecast,
                     .host = program->host,
                     .program = program,
                     .handles = handles,
                     .watch = watch};
  BERTH_TRY(memories_make(forecast, program->host, err));
  berth_holds_t holds = {0};
  if (program->used != NULL) {
    BERTH_TRY(berth_holds_enter(&holds, program, watch, err));
  }
  berth_code_t code = play(&player, program, shapes, err);
  if (program->used != NULL) berth_holds_leave(&holds);
  return code;
}

void berth_forecast_clear(berth_forecast_t *forecast) {
  berth_free(forecast->moments);
  berth_free(forecast->values);
  berth_free(forecast->unknowns);
  berth_arena_clear(&forecast->arena);
  *forecast = (berth_forecast_t){0};
}
