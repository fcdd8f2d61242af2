// forecast_flow.c - Playing a program with conditionals and loops.
//
// The walk is that of flow_run.c, with shapes and counts in place of values. A
// loop is gone round twice and then left: what its second iteration finds is
// what every later one does. Of a conditional both ways are alive.
#include <string.h>

#include "base/alloc.h"
#include "exec/copy.h"
#include "exec/flow.h"
#include "exec/forecast_internal.h"

enum { ROUNDS = 2, LATE_SCRATCH = 2048 };

// A block as it was last played.
typedef struct piece {
  berth_layout_t *layout;  // NULL: it was not yet.
  berth_dims_t *feeds;     // Shapes it is for; in the forecast's arena.
  bool is_kept;            // Its arenas stay until the run is over.
} piece_t;

typedef struct walk {
  player_t *player;
  berth_program_t *program;
  const berth_flow_t *flow;
  worth_t *worth;  // By slot.
  bool *is_slot_dead, *is_step_dead;
  bool *is_passing;     // By slot: its value goes with its last reader.
  int32_t *reads_left;  // By slot.
  int *rounds;          // By loop: iterations so far.
  bool *has_next;       // By loop.
  int32_t *inside;      // Loops that the walk is in, outermost first.
  int depth;
  piece_t *pieces;   // By block.
  worth_t *feeds;    // Of a block: room for most of them,
  worth_t *results;  // and for what leaves it.
} walk_t;

static const int32_t *inputs_of(const walk_t *w, int s) {
  return w->program->args + w->program->steps[s].first_arg;
}

static const int32_t *outputs_of(const walk_t *w, int s) {
  return inputs_of(w, s) + w->program->steps[s].input_count;
}

// ---- Values ----

static void slot_drop(walk_t *w, int32_t slot) {
  if (w->program->settled[slot] != NULL) return;
  berth_player_release(w->player, w->worth[slot].held);
  w->worth[slot].held = HELD_NONE;
}

static void slot_kill(walk_t *w, int32_t slot) {
  w->is_slot_dead[slot] = true;
  slot_drop(w, slot);
}

// Gives |slot| the value |worth|, taking over the reference.
static void slot_give(walk_t *w, int32_t slot, worth_t worth) {
  int32_t before = w->worth[slot].held;
  w->worth[slot] = worth;
  w->is_slot_dead[slot] = false;
  w->reads_left[slot] = w->program->slots[slot].consumer_count;
  berth_player_release(w->player, before);
}

// True when the step that reads |slot| now is the last, and nobody else holds
// on to it.
static bool is_last_read(const walk_t *w, int32_t slot) {
  return w->reads_left[slot] == 1 && w->is_passing[slot];
}

static void slot_hand_on(walk_t *w, int32_t from, int32_t to) {
  worth_t worth = w->worth[from];
  if (is_last_read(w, from)) {
    w->worth[from].held = HELD_NONE;
  } else {
    worth.is_own = false;
    berth_player_retain(w->player, worth.held);
  }
  slot_give(w, to, worth);
}

static void inputs_read(walk_t *w, int s) {
  const int32_t *inputs = inputs_of(w, s);
  for (int i = 0; i < w->program->steps[s].input_count; ++i) {
    if (--w->reads_left[inputs[i]] == 0 && w->is_passing[inputs[i]]) {
      slot_drop(w, inputs[i]);
    }
  }
}

static void step_kill(walk_t *w, int s) {
  w->is_step_dead[s] = true;
  for (int i = 0; i < w->program->steps[s].output_count; ++i) {
    slot_kill(w, outputs_of(w, s)[i]);
  }
}

static int live_input(const walk_t *w, int s) {
  for (int i = 0; i < w->program->steps[s].input_count; ++i) {
    if (!w->is_slot_dead[inputs_of(w, s)[i]]) return i;
  }
  return -1;
}

static bool is_cut_off(const walk_t *w, int s) {
  const berth_flow_step_t *info = &w->flow->steps[s];
  for (int i = 0; i < w->program->steps[s].input_count; ++i) {
    if (w->is_slot_dead[inputs_of(w, s)[i]]) return true;
  }
  for (int32_t i = 0; i < info->control_count; ++i) {
    if (w->is_step_dead[w->flow->controls[info->first_control + i]]) {
      return true;
    }
  }
  return false;
}

static bool is_live(const walk_t *w, int s) {
  uint8_t kind = w->flow->steps[s].kind;
  if (kind == BERTH_FLOW_MERGE) return live_input(w, s) >= 0;
  return kind == BERTH_FLOW_TRIGGER || !is_cut_off(w, s);
}

// ---- Kernels ----

// Describes the inputs of step |s|; false when a shape, or a value that its
// kernel must see, is not known.
static bool inputs_known(const walk_t *w, int s, berth_case_input_t *inputs) {
  const berth_step_t *step = &w->program->steps[s];
  for (int i = 0; i < step->input_count; ++i) {
    int32_t slot = inputs_of(w, s)[i];
    const berth_tensor_t *settled = w->program->settled[slot];
    berth_dims_t dims = w->worth[slot].dims;
    const void *value =
        settled != NULL && settled->device == NULL ? settled->data : NULL;
    bool by_value = berth_op_reads_value(step->node->op, i, step->input_count);
    if (dims.rank < 0 || (by_value && value == NULL)) return false;
    inputs[i] = (berth_case_input_t){.dtype = w->program->slots[slot].dtype,
                                     .rank = dims.rank,
                                     .dims = dims.dims,
                                     .count = berth_dims_count(dims),
                                     .value = value};
  }
  return true;
}

// Gives output |i| of step |s| what |prepared| says of it.
static void output_give(walk_t *w, int s, int i,
                        const berth_prepared_t *prepared) {
  const berth_step_t *step = &w->program->steps[s];
  int32_t slot = outputs_of(w, s)[i];
  const berth_slot_t *info = &w->program->slots[slot];
  berth_dims_t dims = prepared->outputs[i].dims;
  worth_t worth = {.dims = {-1, NULL}, .held = HELD_NONE};
  if (dims.rank >= 0) {
    worth.dims.rank = dims.rank;
    worth.dims.dims = berth_arena_memdup(&w->player->forecast->arena, dims.dims,
                                         (size_t)dims.rank * sizeof(int64_t));
    if (worth.dims.dims == NULL) w->player->failed = true;
  }
  bool makes = (step->traits & BERTH_OP_MAKES) != 0;
  if (!makes && i == 0 && prepared->alias >= 0) {
    worth.held = w->worth[inputs_of(w, s)[prepared->alias]].held;
    berth_player_retain(w->player, worth.held);
  } else if (!makes && worth.dims.rank >= 0 &&
             berth_dtype_is_plain(info->dtype)) {
    worth.held = berth_player_take(w->player, step, i, info->space, info->dtype,
                                   worth.dims);
  }
  if (worth.dims.rank < 0 && berth_dtype_is_plain(info->dtype)) {
    berth_player_unknown(w->player, step, "its shape is known when it has run");
  }
  slot_give(w, slot, worth);
}

static void outputs_unknown(walk_t *w, int s) {
  const berth_step_t *step = &w->program->steps[s];
  bool is_plain = false;
  for (int i = 0; i < step->output_count; ++i) {
    int32_t slot = outputs_of(w, s)[i];
    is_plain = is_plain || berth_dtype_is_plain(w->program->slots[slot].dtype);
    slot_give(w, slot, (worth_t){.dims = {-1, NULL}, .held = HELD_NONE});
  }
  if (is_plain) {
    berth_player_unknown(w->player, step, "its shape is known when it has run");
  }
}

// What |step| keeps stays; in a loop, once for every iteration.
static void inputs_keep(walk_t *w, int s) {
  const berth_step_t *step = &w->program->steps[s];
  for (int i = 0; i < step->input_count; ++i) {
    if (!berth_op_keeps(step->node->op, i)) continue;
    berth_player_retain(w->player, w->worth[inputs_of(w, s)[i]].held);
    if (w->depth > 0 && !berth_step_updates(step)) {
      berth_player_unknown(w->player, step,
                           "it keeps a value in every iteration");
    }
  }
}

static berth_code_t kernel_play(walk_t *w, int s, berth_error_t *err) {
  const berth_step_t *step = &w->program->steps[s];
  berth_player_moment(w->player, step);
  berth_arena_t arena = {0};
  berth_case_input_t *inputs = berth_arena_calloc(
      &arena, (size_t)step->input_count + 1, sizeof(*inputs));
  berth_code_t code = BERTH_OK;
  berth_prepared_t prepared;
  if (inputs == NULL) {
    code = berth_error_no_memory(err, "a forecast");
  } else if (step->blocker >= 0 || (step->traits & BERTH_OP_BLOCKS) != 0 ||
             !inputs_known(w, s, inputs)) {
    outputs_unknown(w, s);
  } else {
    code = berth_step_prepare(
        step, inputs, berth_step_device(w->program->host->devices, step),
        &arena, &prepared, err);
    if (code != BERTH_OK) berth_step_blame(step, err);
    for (int i = 0; code == BERTH_OK && i < step->output_count; ++i) {
      output_give(w, s, i, &prepared);
    }
    bool on_stack = step->on_host && prepared.scratch_size <= LATE_SCRATCH;
    if (code == BERTH_OK && !on_stack) {
      berth_player_scratch(w->player, step, berth_step_space(step),
                           prepared.scratch_size);
    }
  }
  if (code == BERTH_OK) inputs_keep(w, s);
  berth_arena_clear(&arena);
  return code;
}

// ---- Blocks ----

static bool fits(const piece_t *piece, const worth_t *feeds, int count) {
  if (piece->layout == NULL) return false;
  for (int i = 0; i < count; ++i) {
    if (!berth_dims_equal(piece->feeds[i], feeds[i].dims)) return false;
  }
  return true;
}

// Makes the layout of |piece| for what is fed, and takes its arenas. Leaves it
// NULL where a shape is not known.
static berth_code_t piece_make(walk_t *w, piece_t *piece,
                               berth_program_t *program, berth_error_t *err) {
  int count = program->signature.feed_count;
  if (fits(piece, w->feeds, count)) {
    if (!piece->is_kept) berth_player_borrow(w->player, piece->layout);
    return BERTH_OK;
  }
  if (piece->layout != NULL && piece->is_kept) {
    berth_player_return(w->player, piece->layout);
  }
  berth_layout_drop(piece->layout);
  piece->layout = NULL;
  BERTH_TRY(
      berth_player_layout(w->player, program, w->feeds, &piece->layout, err));
  if (piece->layout == NULL) return BERTH_OK;
  piece->feeds = berth_arena_calloc(&w->player->forecast->arena,
                                    (size_t)count + 1, sizeof(*piece->feeds));
  if (piece->feeds == NULL) return berth_error_no_memory(err, "a forecast");
  for (int i = 0; i < count; ++i) piece->feeds[i] = w->feeds[i].dims;
  piece->is_kept = piece->layout->lanes != NULL || !piece->layout->borrows;
  berth_player_own(w->player, piece->layout);
  berth_player_borrow(w->player, piece->layout);
  return BERTH_OK;
}

static void block_unknown(walk_t *w, int s, const berth_program_t *program) {
  for (int i = 0; i < program->step_count; ++i) {
    berth_player_unknown(w->player, &program->steps[i],
                         "its shape is known when it has run");
  }
  for (int i = 0; i < w->program->steps[s].output_count; ++i) {
    slot_give(w, outputs_of(w, s)[i],
              (worth_t){.dims = {-1, NULL}, .held = HELD_NONE});
  }
}

static berth_code_t block_play(walk_t *w, int s, berth_error_t *err) {
  int32_t index = w->flow->steps[s].block;
  berth_program_t *program = w->flow->blocks[index].program;
  piece_t *piece = &w->pieces[index];
  for (int i = 0; i < program->signature.feed_count; ++i) {
    int32_t slot = inputs_of(w, s)[i];
    worth_t *feed = &w->feeds[i];
    *feed = w->worth[slot];
    feed->is_own =
        feed->is_own && is_last_read(w, slot) && !w->flow->has_shares &&
        (feed->held == HELD_NONE || w->player->held[feed->held].refs == 1);
  }
  BERTH_TRY(piece_make(w, piece, program, err));
  if (piece->layout == NULL) {
    block_unknown(w, s, program);
    return BERTH_OK;
  }
  BERTH_TRY(
      berth_player_steps(w->player, piece->layout, w->feeds, w->results, err));
  if (!piece->is_kept) berth_player_return(w->player, piece->layout);
  for (int i = 0; i < w->program->steps[s].output_count; ++i) {
    slot_give(w, outputs_of(w, s)[i], w->results[i]);
  }
  return BERTH_OK;
}

// ---- Steps ----

// True when |slot| tells whether a loop goes on.
static bool is_loop_condition(const walk_t *w, int32_t slot) {
  int32_t maker = w->program->slots[slot].producer;
  while (maker >= 0 && berth_is_copy(&w->program->steps[maker])) {
    maker = w->program->slots[inputs_of(w, maker)[0]].producer;
  }
  return maker >= 0 && w->flow->steps[maker].kind == BERTH_FLOW_LOOP_COND;
}

static void switch_play(walk_t *w, int s) {
  const int32_t *inputs = inputs_of(w, s), *outputs = outputs_of(w, s);
  if (w->depth > 0 && is_loop_condition(w, inputs[1])) {
    int taken = w->rounds[w->inside[w->depth - 1]] < ROUNDS ? 1 : 0;
    slot_kill(w, outputs[1 - taken]);
    slot_hand_on(w, inputs[0], outputs[taken]);
    return;
  }
  w->player->forecast->is_bound = true;
  // Both ways have it.
  berth_player_retain(w->player, w->worth[inputs[0]].held);
  slot_give(w, outputs[0], w->worth[inputs[0]]);
  w->worth[outputs[0]].is_own = false;
  slot_hand_on(w, inputs[0], outputs[1]);
  w->worth[outputs[1]].is_own = false;
}

static void merge_play(walk_t *w, int s) {
  slot_hand_on(w, inputs_of(w, s)[live_input(w, s)], outputs_of(w, s)[0]);
  slot_give(w, outputs_of(w, s)[1], (worth_t){.held = HELD_NONE});
}

static berth_code_t live_play(walk_t *w, int s, berth_error_t *err) {
  int32_t loop = w->flow->steps[s].loop;
  w->is_step_dead[s] = false;
  switch ((berth_flow_kind_t)w->flow->steps[s].kind) {
    case BERTH_FLOW_GATE:
      w->is_slot_dead[outputs_of(w, s)[0]] = false;
      return BERTH_OK;
    case BERTH_FLOW_SWITCH:
      switch_play(w, s);
      return BERTH_OK;
    case BERTH_FLOW_MERGE:
      merge_play(w, s);
      return BERTH_OK;
    case BERTH_FLOW_EXIT:
    case BERTH_FLOW_RETVAL:
      if (w->is_slot_dead[outputs_of(w, s)[0]]) {
        slot_hand_on(w, inputs_of(w, s)[0], outputs_of(w, s)[0]);
      }
      return BERTH_OK;
    case BERTH_FLOW_NEXT:
      if (loop != BERTH_NO_LOOP) w->has_next[loop] = true;
      slot_hand_on(w, inputs_of(w, s)[0], outputs_of(w, s)[0]);
      return BERTH_OK;
    case BERTH_FLOW_ENTER:
    case BERTH_FLOW_LOOP_COND:
      slot_hand_on(w, inputs_of(w, s)[0], outputs_of(w, s)[0]);
      return BERTH_OK;
    case BERTH_FLOW_BLOCK:
      return block_play(w, s, err);
    case BERTH_FLOW_RUN:
    case BERTH_FLOW_TRIGGER:
      break;
  }
  return kernel_play(w, s, err);
}

static berth_code_t step_play(walk_t *w, int s, berth_error_t *err) {
  uint8_t kind = w->flow->steps[s].kind;
  if (is_live(w, s)) {
    BERTH_TRY(live_play(w, s, err));
  } else if (kind != BERTH_FLOW_EXIT && kind != BERTH_FLOW_RETVAL) {
    step_kill(w, s);
  }
  inputs_read(w, s);
  return BERTH_OK;
}

// ---- Loops ----

// Begins a loop; false when nothing comes in.
static bool loop_begin(walk_t *w, int32_t loop) {
  bool is_entered = false;
  w->rounds[loop] = 0;
  w->has_next[loop] = false;
  for (int32_t s = w->flow->loops[loop].first; s >= 0;
       s = w->flow->steps[s].next) {
    if (w->flow->steps[s].kind == BERTH_FLOW_ENTER) {
      is_entered = is_entered || !w->is_step_dead[s];
    } else {
      step_kill(w, s);
    }
  }
  if (is_entered) w->inside[w->depth++] = loop;
  return is_entered;
}

// Ends the first iteration: what came in for it alone is gone.
static void first_end(walk_t *w, int32_t loop) {
  for (int32_t s = w->flow->loops[loop].first; s >= 0;
       s = w->flow->steps[s].next) {
    const berth_flow_step_t *info = &w->flow->steps[s];
    if (info->kind == BERTH_FLOW_ENTER && !info->is_constant) step_kill(w, s);
  }
}

// Returns the mark behind which the walk goes on after |mark|. A loop whose
// condition is not one of Switches ends all the same.
static int32_t mark_pass(walk_t *w, int32_t mark) {
  const berth_flow_mark_t *m = &w->flow->marks[mark];
  const berth_flow_loop_t *loop = &w->flow->loops[m->loop];
  if (!m->is_end) return loop_begin(w, m->loop) ? mark : loop->end;
  bool goes_on = w->has_next[m->loop] && w->rounds[m->loop] <= ROUNDS;
  // The end of a loop that was passed over.
  bool is_inside = w->depth > 0 && w->inside[w->depth - 1] == m->loop;
  if (!goes_on) {
    if (is_inside) --w->depth;
    return mark;
  }
  if (w->rounds[m->loop]++ == 0) first_end(w, m->loop);
  w->has_next[m->loop] = false;
  return loop->begin;
}

static berth_code_t walk(walk_t *w, berth_error_t *err) {
  const berth_flow_t *flow = w->flow;
  int32_t mark = -1, count = (int32_t)flow->mark_count;
  int begin = 0;
  for (;;) {
    bool is_last = mark + 1 == count;
    int end = is_last ? w->program->step_count : flow->marks[mark + 1].step;
    for (int s = begin; s < end; ++s) BERTH_TRY(step_play(w, s, err));
    if (is_last) return BERTH_OK;
    mark = mark_pass(w, mark + 1);
    begin = flow->marks[mark].step;
    if (berth_watch_look(w->player->watch)) {
      return berth_watch_error(w->player->watch, err);
    }
  }
}

// ---- The whole ----

// Fills in what is there before the walk begins.
static void walk_begin(walk_t *w, const worth_t *feeds) {
  const berth_program_t *p = w->program;
  for (int i = 0; i < p->slot_count; ++i) {
    const berth_slot_t *slot = &p->slots[i];
    const berth_tensor_t *settled = p->settled[i];
    w->worth[i] = (worth_t){.dims = {-1, NULL}, .held = HELD_NONE};
    if (settled != NULL) w->worth[i].dims = berth_tensor_dims(settled);
    w->is_slot_dead[i] = slot->producer >= 0;
    w->reads_left[i] = slot->consumer_count;
    w->is_passing[i] = slot->producer >= 0 && !slot->is_kept &&
                       !slot->is_copied && settled == NULL;
  }
  for (int i = 0; i < p->signature.feed_count; ++i) {
    w->worth[p->feed_slots[i]] = feeds[i];
  }
}

static void results_take(walk_t *w, worth_t *results) {
  const berth_program_t *p = w->program;
  for (int i = 0; i < p->signature.fetch_count; ++i) {
    results[i] = w->worth[p->fetch_slots[i]];
    berth_player_retain(w->player, results[i].held);
  }
}

static size_t most_args(const berth_program_t *p) {
  size_t most = 1;
  for (int s = 0; s < p->step_count; ++s) {
    size_t count = (size_t)(p->steps[s].input_count + p->steps[s].output_count);
    if (count > most) most = count;
  }
  return most;
}

static bool walk_init(walk_t *w, berth_arena_t *arena) {
  const berth_program_t *p = w->program;
  size_t slots = (size_t)p->slot_count + 1, steps = (size_t)p->step_count + 1;
  size_t loops = (size_t)w->flow->loop_count + 1, most = most_args(p);
  w->worth = berth_arena_calloc(arena, slots, sizeof(*w->worth));
  w->is_slot_dead = berth_arena_calloc(arena, slots, sizeof(bool));
  w->is_passing = berth_arena_calloc(arena, slots, sizeof(bool));
  w->reads_left = berth_arena_calloc(arena, slots, sizeof(int32_t));
  w->is_step_dead = berth_arena_calloc(arena, steps, sizeof(bool));
  w->rounds = berth_arena_calloc(arena, loops, sizeof(int));
  w->has_next = berth_arena_calloc(arena, loops, sizeof(bool));
  w->inside = berth_arena_calloc(arena, loops, sizeof(int32_t));
  w->pieces = berth_arena_calloc(arena, (size_t)w->flow->block_count + 1,
                                 sizeof(*w->pieces));
  w->feeds = berth_arena_calloc(arena, most, sizeof(*w->feeds));
  w->results = berth_arena_calloc(arena, most, sizeof(*w->results));
  return w->worth != NULL && w->is_slot_dead != NULL && w->is_passing != NULL &&
         w->reads_left != NULL && w->is_step_dead != NULL &&
         w->rounds != NULL && w->has_next != NULL && w->inside != NULL &&
         w->pieces != NULL && w->feeds != NULL && w->results != NULL;
}

berth_code_t berth_player_flow(player_t *player, berth_program_t *program,
                               const worth_t *feeds, worth_t *results,
                               berth_error_t *err) {
  berth_arena_t arena = {0};
  walk_t w = {.player = player, .program = program, .flow = program->flow};
  berth_code_t code = BERTH_OK;
  if (!walk_init(&w, &arena)) {
    code = berth_error_no_memory(err, "a forecast");
    goto done;
  }
  walk_begin(&w, feeds);
  code = walk(&w, err);
  if (code == BERTH_OK) results_take(&w, results);
  for (int i = 0; i < w.flow->block_count; ++i) {
    berth_layout_drop(w.pieces[i].layout);
  }
done:
  berth_arena_clear(&arena);
  return code;
}
