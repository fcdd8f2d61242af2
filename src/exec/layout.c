// layout.c - Making layouts: shapes, plans and storage.
#include "exec/layout.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "device/device.h"
#include "exec/check.h"
#include "exec/copy.h"
#include "exec/expect.h"
#include "exec/fan.h"
#include "exec/flow.h"
#include "exec/frame.h"
#include "exec/fuse.h"
#include "exec/heir.h"
#include "exec/hold.h"
#include "exec/inputs.h"
#include "exec/lanes.h"
#include "exec/offsets.h"
#include "state/resource.h"
#include "state/variable.h"

// Values up to this size are computed while the layout is made when they depend
// on shapes alone.
enum { MAX_SHAPE_VALUE_BYTES = 4096 };

// What is fetched from a device and no larger than this goes through the pinned
// arena: copying it once more on the host costs less than a pinned tensor.
enum { COPIED_TWICE_BYTES = 64 << 10 };

// ---- Shapes ----

// Sets what is known of feeds and settled values.
static berth_code_t spots_init(berth_layout_t *layout,
                               berth_tensor_t *const *feeds,
                               berth_error_t *err) {
  const berth_program_t *p = layout->program;
  for (int i = 0; i < p->slot_count; ++i) {
    berth_spot_t *spot = &layout->spots[i];
    *spot = (berth_spot_t){.dims = {-1, NULL},
                           .root = i,
                           .next_alias = -1,
                           .first_more = -1,
                           .heir_of = -1,
                           .count = -1,
                           .offset = -1,
                           .is_kept = p->slots[i].is_kept,
                           .arena = p->slots[i].space};
    const berth_tensor_t *settled = p->settled[i];
    if (settled == NULL) continue;
    spot->storage = BERTH_STORE_SETTLED;
    spot->dims = berth_tensor_dims(settled);
    spot->count = settled->count;
  }
  int count = p->signature.feed_count;
  layout->feeds = feeds == NULL
                      ? NULL
                      : berth_arena_calloc(&layout->arena, (size_t)count + 1,
                                           sizeof(*layout->feeds));
  if (feeds != NULL && layout->feeds == NULL) {
    return berth_error_no_memory(err, "a layout");
  }
  for (int i = 0; i < count; ++i) {
    berth_spot_t *spot = &layout->spots[p->feed_slots[i]];
    spot->storage = BERTH_STORE_FEED;
    if (feeds == NULL) continue;
    spot->dims.rank = feeds[i]->rank;
    spot->dims.dims =
        berth_arena_memdup(&layout->arena, feeds[i]->dims,
                           (size_t)feeds[i]->rank * sizeof(int64_t));
    if (spot->dims.dims == NULL) return berth_error_no_memory(err, "a layout");
    spot->count = feeds[i]->count;
    layout->feeds[i] = spot->dims;
    // A sketch may know more than a run, which is not the only one: the variable.
    if (layout->is_sketch && feeds[i]->dtype == BERTH_RESOURCE &&
        feeds[i]->data != NULL) {
      layout->settled[p->feed_slots[i]] = berth_tensor_retain(feeds[i]);
    }
  }
  return BERTH_OK;
}

// Describes the inputs of |step|. False when a shape, or a value that its
// kernel must see, is not known.
static bool inputs_known(const berth_layout_t *layout, const berth_step_t *step,
                         berth_case_input_t *inputs, bool *out_all_settled) {
  const berth_program_t *p = layout->program;
  *out_all_settled = true;
  for (int i = 0; i < step->input_count; ++i) {
    int32_t slot = p->args[step->first_arg + i];
    const berth_spot_t *spot = &layout->spots[slot];
    const berth_tensor_t *settled = berth_layout_settled(layout, slot);
    if (settled == NULL) *out_all_settled = false;
    bool by_value = berth_op_reads_value(step->node->op, i, step->input_count);
    const void *value =
        settled != NULL && settled->device == NULL ? settled->data : NULL;
    if (spot->dims.rank < 0 || (by_value && value == NULL)) return false;
    inputs[i] = (berth_case_input_t){.dtype = p->slots[slot].dtype,
                                     .rank = spot->dims.rank,
                                     .dims = spot->dims.dims,
                                     .count = spot->count,
                                     .value = value,
                                     .is_fixed = value != NULL};
  }
  return true;
}

// Where constants are not kept, shape arithmetic alone is: whole numbers.
static bool may_settle(const berth_layout_t *layout, berth_dtype_t dtype) {
  return layout->program->host->keep_constants
             ? berth_dtype_is_plain(dtype)
             : dtype == BERTH_INT32 || dtype == BERTH_INT64;
}

// True when the outputs are small numbers: worth computing in advance.
static bool is_shape_value(const berth_layout_t *layout,
                           const berth_step_t *step,
                           const berth_prepared_t *prepared) {
  for (int i = 0; i < step->output_count; ++i) {
    berth_dtype_t dtype = step->node->output_types[i];
    int64_t count = prepared->outputs[i].count;
    if (prepared->outputs[i].dims.rank < 0 || !may_settle(layout, dtype) ||
        count < 0 ||
        (uint64_t)count * berth_dtype_size(dtype) > MAX_SHAPE_VALUE_BYTES) {
      return false;
    }
  }
  return step->output_count > 0;
}

// Runs |step| now and keeps its outputs as settled values of the layout.
static berth_code_t settle(berth_layout_t *layout, berth_step_t *step,
                           const berth_case_input_t *inputs,
                           const atomic_int *cancelled, berth_error_t *err) {
  const berth_program_t *p = layout->program;
  berth_inputs_t in;
  BERTH_TRY(berth_inputs_init(&in, step, err));
  for (int i = 0; i < step->input_count; ++i) {
    // One whose shape alone counts may have no value yet.
    in.inputs[i] = inputs[i];
    // The plan is kept for other values of these shapes.
    in.inputs[i].is_fixed = false;
    in.data[i] = inputs[i].value;
    in.tensors[i] = berth_layout_settled(layout, p->args[step->first_arg + i]);
  }
  berth_late_call_t call = berth_inputs_call(&in, step, p->host->devices,
                                             p->host->container, cancelled);
  berth_code_t code = berth_step_call(step, &call, err);
  for (int i = 0; code == BERTH_OK && i < step->output_count; ++i) {
    int32_t slot = p->args[step->first_arg + step->input_count + i];
    layout->settled[slot] = in.outputs[i];
    layout->spots[slot].storage = BERTH_STORE_SETTLED;
    layout->spots[slot].dims = berth_tensor_dims(in.outputs[i]);
    layout->spots[slot].count = in.outputs[i]->count;
  }
  berth_inputs_deinit(&in);
  return code;
}

// ---- Steps ----

static bool makes_tensors(const berth_step_t *step) {
  return (step->traits & BERTH_OP_MAKES) != 0;
}

// A step that keeps inputs needs them as tensors, one that needs its resource
// or name a full call.
static bool is_plain(const berth_step_t *step) {
  return !makes_tensors(step) && step->node->op->keep_inputs == 0 &&
         step->resource == NULL && step->blocker < 0 &&
         !berth_step_updates(step);
}

// Gives the only output of |step| the shape that it is expected to have, if any.
static void expect(berth_layout_t *layout, const berth_step_t *step,
                   berth_spot_t *spot) {
  const berth_program_t *p = layout->program;
  berth_dims_t dims = berth_expect_get(p, (int)(step - p->steps));
  if (dims.rank < 0) return;
  int64_t *copy = berth_arena_memdup(&layout->arena, dims.dims,
                                     (size_t)dims.rank * sizeof(*copy));
  if (copy == NULL) return;
  spot->dims = (berth_dims_t){dims.rank, copy};
  spot->count = berth_dims_count(spot->dims);
  layout->expects = true;
}

// Gives the output of |step|, which reads a variable that has no value yet, the
// shape that the variable is declared with, where that is whole.
static void declare(berth_layout_t *layout, const berth_step_t *step,
                    berth_spot_t *spot) {
  int32_t slot = layout->program->args[step->first_arg];
  const berth_tensor_t *handle = berth_layout_settled(layout, slot);
  if (!step->reads || handle == NULL || handle->data == NULL) return;
  berth_resource_t *resource = ((berth_handle_t *)handle->data)->resource;
  if (resource == NULL || resource->kind != BERTH_RESOURCE_VARIABLE) return;
  berth_variable_t *variable = (berth_variable_t *)resource;
  berth_dims_t dims = berth_variable_declared(variable);
  if (!berth_variable_is_declared(variable) || !berth_dims_is_full(dims)) {
    return;
  }
  spot->dims = dims;
  spot->count = berth_dims_count(dims);
}

// Notes the shapes of the outputs and what they alias.
static void outputs_set(berth_layout_t *layout, const berth_step_t *step,
                        const berth_prepared_t *prepared) {
  const berth_program_t *p = layout->program;
  const int32_t *slots = p->args + step->first_arg;
  for (int i = 0; i < step->output_count; ++i) {
    berth_spot_t *spot = &layout->spots[slots[step->input_count + i]];
    spot->dims = prepared->outputs[i].dims;
    spot->count = prepared->outputs[i].count;
    if (makes_tensors(step)) {
      spot->storage = BERTH_STORE_TENSOR;
      spot->is_made = true;
      if (spot->dims.rank < 0) expect(layout, step, spot);
      if (spot->dims.rank < 0 && layout->is_sketch) {
        declare(layout, step, spot);
      }
    } else if (i == 0 && prepared->alias >= 0) {
      berth_spot_t *root =
          &layout->spots[layout->spots[slots[prepared->alias]].root];
      spot->root = (int32_t)(root - layout->spots);
      spot->next_alias = root->next_alias;
      root->next_alias = slots[step->input_count + i];
    }
  }
}

// True when a run must not be ended right behind |step|: what it has taken from
// a queue would be lost.
static bool takes_from_queue(const berth_layout_t *layout,
                             const berth_step_t *step) {
  const berth_program_t *p = layout->program;
  return step->blocker >= 0 && step->input_count > 0 &&
         p->slots[p->args[step->first_arg]].dtype == BERTH_RESOURCE;
}

// True when |step|, whose inputs are settled, makes small whole numbers of small
// ones: which dimensions of a gradient to add up, for example.
static bool makes_shape_values(const berth_layout_t *layout,
                               const berth_step_t *step,
                               const berth_case_input_t *inputs) {
  for (int i = 0; i < step->input_count; ++i) {
    uint64_t size = berth_dtype_size(inputs[i].dtype);
    if ((uint64_t)inputs[i].count * size > MAX_SHAPE_VALUE_BYTES) return false;
  }
  for (int i = 0; i < step->output_count; ++i) {
    berth_dtype_t dtype = step->node->output_types[i];
    bool is_whole = dtype == BERTH_INT32 || dtype == BERTH_INT64;
    if (!is_whole || !may_settle(layout, dtype)) return false;
  }
  return step->output_count > 0;
}

// True when |step|, which is |prepared|, is computed now.
static bool settles(const berth_layout_t *layout, const berth_step_t *step,
                    const berth_case_input_t *inputs, bool settled_inputs,
                    const berth_prepared_t *prepared) {
  if (!berth_step_is_pure(step) || !step->on_host) return false;
  if (makes_tensors(step)) {
    return settled_inputs && makes_shape_values(layout, step, inputs);
  }
  bool is_shape =
      step->node->is_metadata || (step->traits & BERTH_OP_SHAPES) != 0;
  return (settled_inputs || is_shape) && is_shape_value(layout, step, prepared);
}

// Plans |step| if it can be; otherwise it is late.
static berth_code_t step_plan(berth_layout_t *layout, int index,
                              berth_case_input_t *inputs,
                              berth_planned_t *planned,
                              const atomic_int *cancelled, berth_error_t *err) {
  berth_step_t *step = &layout->program->steps[index];
  berth_device_t *device =
      berth_step_device(layout->program->host->devices, step);
  berth_hot_step_t *hot = &layout->hot[index];
  bool looks = !takes_from_queue(layout, step);
  *hot = (berth_hot_step_t){.node = step->node,
                            .first_arg = step->first_arg,
                            .how = BERTH_HOT_LATE,
                            .after = looks ? BERTH_AFTER_LOOK : 0};
  bool settled_inputs = false;
  *planned = (berth_planned_t){0};
  if (layout->feeds == NULL || step->blocker >= 0 ||
      !inputs_known(layout, step, inputs, &settled_inputs)) {
    layout->has_late = true;
    return BERTH_OK;
  }
  berth_prepared_t prepared;
  berth_code_t code =
      berth_step_prepare(step, inputs, device, &layout->arena, &prepared, err);
  if (code == BERTH_OK &&
      settles(layout, step, inputs, settled_inputs, &prepared)) {
    code = settle(layout, step, inputs, cancelled, err);
    hot->how = BERTH_HOT_SKIP;
    hot->after = 0;
  } else if (code == BERTH_OK) {
    outputs_set(layout, step, &prepared);
    hot->run = prepared.run;
    hot->plan = prepared.plan;
    berth_hot_step_look(hot, step, prepared.work);
    hot->how = prepared.run == NULL ? BERTH_HOT_SKIP
               : is_plain(step)     ? BERTH_HOT_PLAIN
                                    : BERTH_HOT_MAKES;
    *planned = (berth_planned_t){.may_overwrite = prepared.may_overwrite,
                                 .scratch_size = prepared.scratch_size,
                                 .work = prepared.work,
                                 .term = prepared.term};
  }
  if (code != BERTH_OK) berth_step_blame(step, err);
  return code;
}

// Finds out how much scratch space there must be.
static void scratch_find(berth_layout_t *layout, const berth_planned_t *plans) {
  const berth_program_t *p = layout->program;
  for (int s = 0; s < p->step_count; ++s) {
    berth_arena_need_t *need = &layout->needs[berth_step_space(&p->steps[s])];
    if (plans[s].scratch_size > need->scratch_size) {
      need->scratch_size = plans[s].scratch_size;
    }
  }
}

static int most_inputs(const berth_program_t *p) {
  int most = 1;
  for (int s = 0; s < p->step_count; ++s) {
    if (p->steps[s].input_count > most) most = p->steps[s].input_count;
  }
  return most;
}

// ---- Storage ----

// Returns how often the value of root |slot| is read, aliases included but not
// their making.
static int reads_of(const berth_layout_t *layout, int32_t slot) {
  const berth_program_t *p = layout->program;
  int reads = p->slots[slot].consumer_count;
  for (int32_t alias = layout->spots[slot].next_alias; alias >= 0;
       alias = layout->spots[alias].next_alias) {
    reads += p->slots[alias].consumer_count - 1;
  }
  return reads;
}

// True when the kernel that makes |root| can write it into pinned memory, where
// nobody but the copy to the host reads it. A copy between devices cannot.
static bool can_be_pinned(const berth_layout_t *layout, int32_t root) {
  const berth_spot_t *spot = &layout->spots[root];
  int32_t producer = layout->program->slots[root].producer;
  return spot->storage == BERTH_STORE_NONE && !spot->is_kept && producer >= 0 &&
         layout->hot[producer].how == BERTH_HOT_PLAIN &&
         !berth_is_copy(&layout->program->steps[producer]) &&
         berth_layout_bytes(layout, root) <= BERTH_PINNED_BYTES &&
         reads_of(layout, root) == 1;
}

// Makes |alias|, and all that are other names of it, other names of |root|.
static void alias_add(berth_layout_t *layout, int32_t root, int32_t alias) {
  int32_t last = alias;
  layout->spots[alias].root = root;
  while (layout->spots[last].next_alias >= 0) {
    last = layout->spots[last].next_alias;
    layout->spots[last].root = root;
  }
  layout->spots[last].next_alias = layout->spots[root].next_alias;
  layout->spots[root].next_alias = alias;
}

// Puts |slot| where host and devices see it.
static void pin(berth_layout_t *layout, int32_t slot) {
  layout->spots[slot].storage = BERTH_STORE_ARENA;
  layout->spots[slot].arena = (int16_t)berth_layout_pinned(layout);
}

// Chooses how a planned copy to the host is made. A small value is made in
// pinned memory in the first place; a larger one is copied there, or into the
// tensor that is fetched.
static void copy_out_choose(berth_layout_t *layout, int s, int32_t from,
                            int32_t to) {
  berth_spot_t *spot = &layout->spots[to];
  int32_t root = layout->spots[from].root;
  if (can_be_pinned(layout, root)) {
    layout->hot[s].how = BERTH_HOT_SKIP;
    pin(layout, root);
    alias_add(layout, root, to);
  } else if (!spot->is_kept ||
             berth_layout_bytes(layout, to) <= COPIED_TWICE_BYTES) {
    pin(layout, to);
  }
}

// True when the device of copy |step| reaches the layout's pinned memory: that
// of one backend is nothing to another.
static bool reaches_pinned(const berth_layout_t *layout,
                           const berth_step_t *step) {
  const berth_program_t *p = layout->program;
  return p->host->devices[step->device].backend == p->used->device->backend;
}

// Chooses how planned copies are made.
static void copies_choose(berth_layout_t *layout) {
  const berth_program_t *p = layout->program;
  for (int s = 0; s < p->step_count; ++s) {
    const berth_step_t *step = &p->steps[s];
    if (!berth_is_copy(step) || layout->hot[s].how != BERTH_HOT_PLAIN ||
        !reaches_pinned(layout, step)) {
      continue;
    }
    int32_t from = p->args[step->first_arg], to = p->args[step->first_arg + 1];
    berth_spot_t *spot = &layout->spots[to];
    if (p->slots[to].space == BERTH_HOST_SPACE) {
      copy_out_choose(layout, s, from, to);
    } else if (p->slots[from].space == BERTH_HOST_SPACE && !spot->is_kept &&
               berth_layout_bytes(layout, to) <= BERTH_PINNED_BYTES) {
      pin(layout, to);
      layout->hot[s].run = berth_copy_on_host;
    }
  }
}

// Decides the storage of every slot whose shape is known.
static void storage_choose(berth_layout_t *layout) {
  const berth_program_t *p = layout->program;
  // What is kept through an alias is kept.
  for (int i = 0; i < p->slot_count; ++i) {
    berth_spot_t *spot = &layout->spots[i];
    if (spot->is_kept) layout->spots[spot->root].is_kept = true;
  }
  if (p->uses_devices) copies_choose(layout);
  for (int i = 0; i < p->slot_count; ++i) {
    berth_spot_t *spot = &layout->spots[i];
    if (spot->storage != BERTH_STORE_NONE || spot->dims.rank < 0 ||
        spot->root != i) {
      continue;
    }
    bool in_arena = !spot->is_kept && berth_dtype_is_plain(p->slots[i].dtype);
    spot->storage = in_arena ? BERTH_STORE_ARENA : BERTH_STORE_TENSOR;
  }
  for (int i = 0; i < p->slot_count; ++i) {
    berth_spot_t *spot = &layout->spots[i];
    if (spot->root == i) continue;
    spot->storage = layout->spots[spot->root].storage;
    spot->arena = layout->spots[spot->root].arena;
  }
}

// Lists the slots that a run must give tensors to, and those it may find made.
static berth_code_t tensor_lists(berth_layout_t *layout, berth_error_t *err) {
  const berth_program_t *p = layout->program;
  size_t count = (size_t)p->slot_count + 1;
  layout->tensor_slots =
      berth_arena_alloc(&layout->arena, count * sizeof(int32_t));
  layout->made_slots =
      berth_arena_alloc(&layout->arena, count * sizeof(int32_t));
  if (layout->tensor_slots == NULL || layout->made_slots == NULL) {
    return berth_error_no_memory(err, "a layout");
  }
  for (int i = 0; i < p->slot_count; ++i) {
    const berth_spot_t *spot = &layout->spots[i];
    if (spot->storage == BERTH_STORE_TENSOR && spot->root == i &&
        !spot->is_made) {
      layout->tensor_slots[layout->tensor_slot_count++] = i;
    } else if (spot->storage == BERTH_STORE_NONE || spot->is_made) {
      layout->made_slots[layout->made_slot_count++] = i;
    }
  }
  return BERTH_OK;
}

// ---- Letting go ----

enum { NEVER = INT32_MAX };

// Returns the last step of the commit that step |s| adds to.
static int32_t commit_end(const berth_program_t *p, int32_t s) {
  while (berth_step_updates(&p->steps[s]) && !p->steps[s].ends_commit) ++s;
  return s;
}

// Stores in |last| which step is the last to read each root: NEVER where that
// is not known, because segments run in any order, or does not matter, because
// it is fetched; -1: none.
static void last_reads(const berth_layout_t *layout, int32_t *last) {
  const berth_program_t *p = layout->program;
  for (int i = 0; i < p->slot_count; ++i) last[i] = -1;
  for (int t = 0; t < p->segment_count; ++t) {
    const berth_segment_t *segment = &p->segments[t];
    for (int32_t s = segment->begin; s < segment->end; ++s) {
      berth_reads_t reads = berth_layout_reads(layout, s);
      for (int i = 0; i < reads.count; ++i) {
        int32_t root = layout->spots[reads.slots[i]].root;
        bool is_here = p->slots[root].producer >= segment->begin;
        if (last[root] != NEVER) last[root] = is_here ? s : NEVER;
      }
    }
  }
  for (int i = 0; i < p->signature.fetch_count; ++i) {
    last[layout->spots[p->fetch_slots[i]].root] = NEVER;
  }
}

// True when the tensor of |slot| can be let go before the run ends. One that
// several streams read stays: what is queued there may still be reading it.
static bool can_be_let_go(const berth_layout_t *layout, int32_t slot) {
  const berth_spot_t *spot = &layout->spots[slot];
  return spot->root == slot && spot->storage == BERTH_STORE_TENSOR &&
         !spot->crosses;
}

static int compare_releases(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return x < y ? -1 : x > y;
}

// Stores |releases|, pairs of step and slot, as the layout's lists.
static berth_code_t releases_store(berth_layout_t *layout, int64_t *releases,
                                   int count, berth_error_t *err) {
  size_t size = ((size_t)count + 1) * sizeof(int32_t);
  layout->released_slots = berth_arena_alloc(&layout->arena, size);
  layout->released_by = berth_arena_alloc(&layout->arena, size);
  if (layout->released_slots == NULL || layout->released_by == NULL) {
    return berth_error_no_memory(err, "a layout");
  }
  qsort(releases, (size_t)count, sizeof(*releases), compare_releases);
  for (int i = 0; i < count; ++i) {
    int32_t step = (int32_t)(releases[i] >> 32);
    layout->released_by[i] = step;
    layout->released_slots[i] = (int32_t)(releases[i] & 0xffffffff);
    layout->hot[step].after |= BERTH_AFTER_RELEASE;
  }
  layout->released_count = count;
  return BERTH_OK;
}

// Finds out when tensors can be let go: a variable whose value nobody holds any
// more is updated in place.
static berth_code_t releases_find(berth_layout_t *layout, berth_error_t *err) {
  const berth_program_t *p = layout->program;
  size_t count = (size_t)p->slot_count + 1;
  int32_t *last = berth_alloc(count * sizeof(*last));
  int64_t *releases = berth_alloc(count * sizeof(*releases));
  berth_code_t code = BERTH_OK;
  int found = 0;
  if (last == NULL || releases == NULL) {
    code = berth_error_no_memory(err, "a layout");
    goto done;
  }
  last_reads(layout, last);
  for (int32_t i = 0; i < p->slot_count; ++i) {
    if (last[i] < 0 || last[i] == NEVER || !can_be_let_go(layout, i)) continue;
    releases[found++] = (int64_t)commit_end(p, last[i]) << 32 | i;
  }
  if (found > 0) code = releases_store(layout, releases, found, err);
done:
  berth_free(last);
  berth_free(releases);
  return code;
}

// ---- The whole ----

// Destroys the idle frames of |layout|; false when there was none.
static bool idle_destroy(berth_layout_t *layout) {
  (void)berth_frames_recover(layout, false);
  berth_mutex_lock(&layout->lock);
  berth_frame_t *frame = layout->idle;
  layout->idle = NULL;
  berth_mutex_unlock(&layout->lock);
  berth_frame_t *spare = atomic_exchange(&layout->spare, NULL);
  bool any = frame != NULL || spare != NULL;
  berth_frame_destroy(spare);
  while (frame != NULL) {
    berth_frame_t *next = berth_frame_next(frame);
    berth_frame_destroy(frame);
    frame = next;
  }
  return any;
}

bool berth_layouts_drop_idle(berth_program_t *program) {
  bool any = false;
  for (int i = 0; program->flow != NULL && i < program->flow->block_count;
       ++i) {
    any |= berth_layouts_drop_idle(program->flow->blocks[i].program);
  }
  berth_layout_t *layout = atomic_load(&program->layouts);
  for (; layout != NULL; layout = atomic_load(&layout->next)) {
    any |= idle_destroy(layout);
  }
  berth_layout_t *late = atomic_load(&program->late_layout);
  if (late != NULL) any |= idle_destroy(late);
  return any;
}

static void layout_destroy(berth_layout_t *layout) {
  if (layout == NULL) return;
  (void)berth_frames_recover(layout, true);
  idle_destroy(layout);
  if (layout->lanes != NULL) berth_free(layout->lanes->waits);
  berth_mutex_deinit(&layout->lock);
  // Plans go before the values that they may know by their addresses.
  berth_arena_clear(&layout->arena);
  for (int i = 0; layout->settled != NULL && i < layout->program->slot_count;
       ++i) {
    berth_tensor_release(layout->settled[i]);
  }
  berth_free(layout->settled);
  berth_free(layout);
}

static berth_code_t arrays_alloc(berth_layout_t *layout, berth_error_t *err) {
  const berth_program_t *p = layout->program;
  size_t slots = (size_t)p->slot_count + 1, steps = (size_t)p->step_count + 1;
  layout->spots =
      berth_arena_alloc(&layout->arena, slots * sizeof(*layout->spots));
  layout->settled = berth_calloc(slots, sizeof(*layout->settled));
  layout->hot = berth_arena_alloc(&layout->arena, steps * sizeof(*layout->hot));
  layout->arena_count = p->host->device_count + 2;
  layout->needs = berth_arena_calloc(
      &layout->arena, (size_t)layout->arena_count, sizeof(*layout->needs));
  if (layout->spots == NULL || layout->settled == NULL || layout->hot == NULL ||
      layout->needs == NULL) {
    return berth_error_no_memory(err, "a layout");
  }
  return BERTH_OK;
}

static berth_code_t plan_steps(berth_layout_t *layout,
                               const atomic_int *cancelled,
                               berth_error_t *err) {
  const berth_program_t *p = layout->program;
  berth_case_input_t *inputs =
      berth_alloc((size_t)most_inputs(p) * sizeof(*inputs));
  berth_planned_t *plans =
      berth_alloc(((size_t)p->step_count + 1) * sizeof(*plans));
  berth_code_t code = BERTH_OK;
  if (inputs == NULL || plans == NULL) {
    code = berth_error_no_memory(err, "a layout");
  }
  for (int s = 0; code == BERTH_OK && s < p->step_count; ++s) {
    code = step_plan(layout, s, inputs, &plans[s], cancelled, err);
  }
  if (code == BERTH_OK) code = berth_groups_find(layout, plans, err);
  if (code == BERTH_OK) {
    scratch_find(layout, plans);
    storage_choose(layout);
    if (p->uses_devices) code = berth_lanes_create(layout, err);
  }
  if (code == BERTH_OK) code = berth_fans_find(layout, plans, err);
  if (code == BERTH_OK) code = berth_offsets_assign(layout, plans, err);
  if (code == BERTH_OK && p->uses_devices) {
    code = berth_lanes_connect(layout, err);
  }
  if (code == BERTH_OK) berth_heirs_find(layout, plans);
  berth_free(plans);
  berth_free(inputs);
  return code;
}

// Makes a layout; |feeds| NULL: the one where every step is late. |*out_expects|
// says, also where it fails, whether it expects shapes.
static berth_code_t layout_create(berth_program_t *program,
                                  berth_tensor_t *const *feeds, bool is_sketch,
                                  const atomic_int *cancelled,
                                  bool *out_expects,
                                  berth_layout_t **out_layout,
                                  berth_error_t *err) {
  berth_layout_t *layout = berth_calloc(1, sizeof(*layout));
  if (layout == NULL) return berth_error_no_memory(err, "a layout");
  layout->program = program;
  layout->is_sketch = is_sketch;
  berth_mutex_init(&layout->lock);
  berth_code_t code = arrays_alloc(layout, err);
  if (code == BERTH_OK) code = spots_init(layout, feeds, err);
  if (code == BERTH_OK) code = plan_steps(layout, cancelled, err);
  if (code == BERTH_OK) code = tensor_lists(layout, err);
  if (code == BERTH_OK) code = releases_find(layout, err);
  *out_expects = layout->expects;
  if (code == BERTH_OK) {
    BERTH_ASSERT_SOUND(berth_layout_check(layout));
    *out_layout = layout;
  } else {
    layout_destroy(layout);
  }
  return code;
}

// ---- Finding ----

// When so many layouts in a row did not pay, runs go without for a while.
enum { MOST_CHURN = 2 * BERTH_MAX_LAYOUTS, LATE_RUNS = 256 };

static bool is_stale(const berth_layout_t *layout) {
  return atomic_load_explicit(&layout->is_stale, memory_order_relaxed);
}

static berth_layout_t *layout_find(const berth_program_t *program,
                                   berth_tensor_t *const *feeds) {
  berth_layout_t *layout =
      atomic_load_explicit(&program->layouts, memory_order_acquire);
  while (layout != NULL && !berth_layout_fits(layout, feeds)) {
    layout = atomic_load_explicit(&layout->next, memory_order_acquire);
  }
  return layout;
}

static void layout_retire(berth_retired_t *retired) {
  layout_destroy((berth_layout_t *)retired);
}

// Takes what |link| leads to out of the list. The program's lock is held.
static void layout_remove(berth_program_t *program,
                          _Atomic(berth_layout_t *) *link) {
  berth_layout_t *layout = atomic_load(link);
  bool has_paid = atomic_load(&layout->served) >= BERTH_LAYOUT_PAYS;
  atomic_store(link, atomic_load(&layout->next));
  --program->layout_count;
  program->churn = has_paid ? 0 : program->churn + 1;
  layout->retired.destroy = layout_retire;
  berth_terms_retire(program->host->terms, &layout->retired);
}

// Removes stale layouts, and the one that was not used for longest if there is
// no room for another. The lock is held.
static void layouts_tidy(berth_program_t *program) {
  _Atomic(berth_layout_t *) *link = &program->layouts, *oldest = NULL;
  unsigned tick = atomic_load(&program->tick), most = 0;
  for (berth_layout_t *layout = atomic_load(link); layout != NULL;
       layout = atomic_load(link)) {
    if (is_stale(layout)) {
      layout_remove(program, link);
      continue;
    }
    unsigned age = tick - atomic_load(&layout->used);
    if (oldest == NULL || age >= most) {
      oldest = link;
      most = age;
    }
    link = &layout->next;
  }
  if (program->layout_count >= BERTH_MAX_LAYOUTS) {
    layout_remove(program, oldest);
  }
}

// True when this run is not worth a layout. The lock is held.
static bool goes_without(berth_program_t *program) {
  if (program->late_runs == 0 && program->churn >= MOST_CHURN) {
    program->churn = 0;
    program->late_runs = LATE_RUNS;
  }
  if (program->late_runs == 0) return false;
  --program->late_runs;
  return true;
}

// Makes a layout and puts it into the list. The lock is held.
static berth_code_t layout_add(berth_program_t *program,
                               berth_tensor_t *const *feeds,
                               const atomic_int *cancelled,
                               berth_layout_t **out_layout,
                               berth_error_t *err) {
  berth_layout_t *layout = NULL;
  bool expects = false;
  berth_code_t code =
      layout_create(program, feeds, false, cancelled, &expects, &layout, err);
  if (code != BERTH_OK && expects) {
    // What follows may well fit what will come.
    program->expects_nothing = true;
    if (err != NULL) berth_error_clear(err);
    code =
        layout_create(program, feeds, false, cancelled, &expects, &layout, err);
  }
  if (code != BERTH_OK) return code;
  layouts_tidy(program);
  atomic_store(&layout->used, atomic_fetch_add(&program->tick, 1) + 1);
  atomic_store(&layout->served, 1);
  atomic_store(&layout->next, atomic_load(&program->layouts));
  atomic_store_explicit(&program->layouts, layout, memory_order_release);
  ++program->layout_count;
  *out_layout = layout;
  return BERTH_OK;
}

berth_code_t berth_layout_get_late(berth_program_t *program,
                                   berth_layout_t **out_layout,
                                   berth_error_t *err) {
  berth_layout_t *layout = atomic_load(&program->late_layout);
  berth_code_t code = BERTH_OK;
  if (layout == NULL) {
    berth_mutex_lock(&program->lock);
    layout = atomic_load(&program->late_layout);
    if (layout == NULL) {
      bool expects = false;
      code = layout_create(program, NULL, false, NULL, &expects, &layout, err);
      if (code == BERTH_OK) atomic_store(&program->late_layout, layout);
    }
    berth_mutex_unlock(&program->lock);
  }
  if (code == BERTH_OK) *out_layout = layout;
  return code;
}

berth_code_t berth_layout_get(berth_program_t *program,
                              berth_tensor_t *const *feeds,
                              const atomic_int *cancelled,
                              berth_layout_t **out_layout, berth_error_t *err) {
  berth_layout_t *layout = layout_find(program, feeds);
  if (BERTH_LIKELY(layout != NULL)) {
    berth_layout_note_use(layout);
    *out_layout = layout;
    return BERTH_OK;
  }
  berth_mutex_lock(&program->lock);
  berth_code_t code = BERTH_OK;
  layout = layout_find(program, feeds);  // Another thread may have made it.
  bool is_late = layout == NULL && goes_without(program);
  if (layout == NULL && !is_late) {
    code = layout_add(program, feeds, cancelled, &layout, err);
  }
  berth_mutex_unlock(&program->lock);
  if (is_late) return berth_layout_get_late(program, out_layout, err);
  if (code == BERTH_OK) *out_layout = layout;
  return code;
}

berth_code_t berth_layout_sketch(berth_program_t *program,
                                 berth_tensor_t *const *feeds,
                                 const atomic_int *cancelled,
                                 berth_layout_t **out_layout,
                                 berth_error_t *err) {
  bool expects = false;
  berth_mutex_lock(&program->lock);
  berth_code_t code =
      layout_create(program, feeds, true, cancelled, &expects, out_layout, err);
  berth_mutex_unlock(&program->lock);
  return code;
}

void berth_layout_drop(berth_layout_t *layout) { layout_destroy(layout); }

int64_t berth_layout_step_bytes(const berth_layout_t *layout, int step) {
  const berth_program_t *program = layout->program;
  const berth_step_t *s = &program->steps[step];
  int64_t bytes = 0;
  for (int i = 0; i < s->output_count; ++i) {
    int32_t slot = program->args[s->first_arg + s->input_count + i];
    if (slot < 0) continue;
    const berth_spot_t *spot = &layout->spots[slot];
    bool has_own = spot->root == slot && (spot->storage == BERTH_STORE_ARENA ||
                                          spot->storage == BERTH_STORE_TENSOR);
    if (!has_own || spot->dims.rank < 0) continue;
    bytes +=
        spot->count * (int64_t)berth_dtype_size(program->slots[slot].dtype);
  }
  return bytes;
}

void berth_layouts_destroy(berth_program_t *program) {
  berth_layout_t *layout = atomic_load(&program->layouts);
  while (layout != NULL) {
    berth_layout_t *next = atomic_load(&layout->next);
    layout_destroy(layout);
    layout = next;
  }
  layout_destroy(atomic_load(&program->late_layout));
}
