// late.c - Steps that are prepared as they run, or make their own tensors.
#include "base/alloc.h"
#include "device/device.h"
#include "exec/copy.h"
#include "exec/run_internal.h"
#include "state/commit.h"

enum { MAX_STACK_INPUTS = 16 };

// The inputs of a step, gathered for a call. |owned| marks tensors that were
// made for this call alone.
typedef struct gathered {
  berth_kernel_input_t *inputs;
  const void **data;
  berth_tensor_t **tensors;
  bool *owned;
  berth_tensor_t **outputs;
} gathered_t;

static bool needs_tensor(const berth_step_t *step, int input) {
  return (step->kernel->flags & BERTH_KERNEL_MAKES_TENSORS) != 0 ||
         (input < 32 && (step->kernel->keep_inputs >> input & 1) != 0);
}

// Fills in input |i|. Fed memory is never handed out as a tensor: an alias or a
// kept value would outlive the run.
static berth_code_t gather_input(berth_runner_t *r, const berth_step_t *step,
                                 int i, gathered_t *g, berth_error_t *err) {
  berth_frame_t *frame = r->frame;
  int32_t slot = r->program->args[step->first_arg + i];
  const berth_place_of_t *place = &r->layout->places[slot];
  berth_dims_t dims = berth_frame_dims(frame, slot);
  g->data[i] = frame->data[slot];
  g->inputs[i] = (berth_kernel_input_t){.dtype = r->program->slots[slot].dtype,
                                        .rank = dims.rank,
                                        .dims = dims.dims,
                                        .count = berth_dims_count(dims)};
  if (r->program->slots[slot].space == BERTH_HOST_SPACE) {
    g->inputs[i].value = frame->data[slot];
  }
  g->owned[i] = needs_tensor(step, i);
  if (g->owned[i]) {
    return berth_frame_export(frame, slot, &g->tensors[i], err);
  }
  g->tensors[i] = berth_frame_is_fed(frame, slot) ? NULL : frame->tensors[slot];
  if (g->tensors[i] == NULL && place->storage == BERTH_STORE_SETTLED &&
      place->root == slot) {
    g->tensors[i] = berth_layout_settled(r->layout, slot);
  }
  return BERTH_OK;
}

static void ungather(const berth_step_t *step, gathered_t *g) {
  for (int i = 0; i < step->input_count; ++i) {
    if (g->owned[i]) berth_tensor_release(g->tensors[i]);
  }
}

static berth_code_t gather(berth_runner_t *r, const berth_step_t *step,
                           gathered_t *g, berth_error_t *err) {
  for (int i = 0; i < step->input_count; ++i) g->owned[i] = false;
  for (int i = 0; i < step->output_count; ++i) g->outputs[i] = NULL;
  for (int i = 0; i < step->input_count; ++i) {
    berth_code_t code = gather_input(r, step, i, g, err);
    if (code != BERTH_OK) {
      g->owned[i] = false;
      ungather(step, g);
      return code;
    }
  }
  return BERTH_OK;
}

void berth_runner_inputs_read(berth_runner_t *r, const berth_step_t *step) {
  berth_frame_t *frame = r->frame;
  if (frame->reads_left == NULL) return;
  for (int i = 0; i < step->input_count; ++i) {
    int32_t slot = r->program->args[step->first_arg + i];
    const berth_place_of_t *place = &r->layout->places[slot];
    // A copy may be under way, on any stream.
    if (--frame->reads_left[slot] > 0 || place->is_kept ||
        place->storage != BERTH_STORE_NONE ||
        r->program->slots[slot].is_copied) {
      continue;
    }
    berth_tensor_release(frame->tensors[slot]);
    frame->tensors[slot] = NULL;
  }
}

// True when the layout could not know what |step| has read, and another would:
// it reads a known variable, which had no value then.
static bool has_got_shape(const berth_runner_t *r, const berth_step_t *step) {
  int32_t handle = r->program->args[step->first_arg];
  return step->reads && r->layout->feeds != NULL &&
         r->layout->places[handle].storage == BERTH_STORE_SETTLED;
}

void berth_runner_set_outputs(berth_runner_t *r, int index,
                              berth_tensor_t **outputs) {
  const berth_step_t *step = &r->program->steps[index];
  const int32_t *slots = r->program->args + step->first_arg + step->input_count;
  for (int i = 0; i < step->output_count; ++i) {
    const berth_place_of_t *place = &r->layout->places[slots[i]];
    // What was made in advance for a step that turned late is not needed.
    berth_tensor_release(r->frame->tensors[slots[i]]);
    berth_frame_set(r->frame, slots[i], outputs[i]);
    // The guard: a variable that is not as the layout expects.
    if (place->dims.rank >= 0 &&
        !berth_dims_equal(place->dims, berth_tensor_dims(outputs[i]))) {
      atomic_store(&r->layout->is_stale, true);
      r->frame->all_late = true;
    } else if (place->dims.rank < 0 && has_got_shape(r, step)) {
      atomic_store(&r->layout->is_stale, true);
    }
  }
}

// Runs a prepared step that makes tensors or keeps inputs.
static berth_code_t run_makes(berth_runner_t *r, int index, gathered_t *g,
                              berth_error_t *err) {
  const berth_step_t *step = &r->program->steps[index];
  const berth_hot_step_t *hot = &r->layout->hot[index];
  berth_device_t *device = berth_step_device(r->program->host->devices, step);
  berth_call_t call = {
      .err = err,
      .node = step->node,
      .container = r->program->host->container,
      .resource = step->resource,
      .cancelled = &r->watch.ended,
      .allocator = berth_step_allocator(r->program->host->devices, step),
      .stream = device != NULL ? berth_device_compute(device) : NULL,
      .inputs = g->tensors,
      .outputs = g->outputs,
      .commit = r->frame->commit,
  };
  berth_code_t code =
      hot->run(hot->plan, r->frame->args + hot->first_arg, &call);
  if (code == BERTH_OK &&
      (step->kernel->flags & BERTH_KERNEL_MAKES_TENSORS) != 0) {
    berth_runner_set_outputs(r, index, g->outputs);
  }
  return code;
}

static berth_code_t run_late(berth_runner_t *r, int index, gathered_t *g,
                             berth_completion_t *completion,
                             berth_error_t *err) {
  berth_step_t *step = &r->program->steps[index];
  berth_late_call_t call = {
      .data = g->data,
      .inputs = g->inputs,
      .tensors = g->tensors,
      .outputs = g->outputs,
      .completion = completion,
      .cancelled = &r->watch.ended,
      .container = r->program->host->container,
      .allocator = berth_step_allocator(r->program->host->devices, step),
      .device = berth_step_device(r->program->host->devices, step),
      .commit = r->frame->commit,
  };
  berth_code_t code = berth_step_call(step, &call, err);
  if (code == BERTH_OK) berth_runner_set_outputs(r, index, g->outputs);
  return code;
}

// Does what the steps up to |index| want to change, if it is the last of them.
// Until then their inputs stay.
static berth_code_t update_finish(berth_runner_t *r, int index,
                                  berth_error_t *err) {
  berth_frame_t *frame = r->frame;
  if (frame->first_update < 0) frame->first_update = index;
  // A late one has done it all already.
  bool is_last =
      r->program->steps[index].ends_commit || frame->commit->count == 0;
  if (!is_last) return BERTH_OK;
  BERTH_TRY(berth_commit_do(frame->commit, err));
  for (int s = frame->first_update; s <= index; ++s) {
    berth_runner_inputs_read(r, &r->program->steps[s]);
  }
  frame->first_update = -1;
  return BERTH_OK;
}

void berth_runner_blame(const berth_runner_t *r, int index,
                        berth_error_t *err) {
  const berth_commit_t *commit = r->frame->commit;
  const void *blamed = commit != NULL ? commit->blamed : NULL;
  int s = index;
  while (blamed != NULL && s > 0 && r->program->steps[s].node != blamed) --s;
  if (blamed == NULL || r->program->steps[s].node != blamed) s = index;
  berth_step_blame(&r->program->steps[s], err);
}

static berth_code_t run_gathered(berth_runner_t *r, int index, gathered_t *g,
                                 berth_completion_t *completion,
                                 berth_error_t *err) {
  const berth_step_t *step = &r->program->steps[index];
  bool updates = berth_step_updates(step);
  if (updates) {
    berth_commit_t *commit = berth_frame_commit(r->frame);
    if (commit == NULL) return berth_error_no_memory(err, "a commit");
    commit->blamed = NULL;
  }
  BERTH_TRY(gather(r, step, g, err));
  bool makes =
      r->layout->hot[index].how == BERTH_HOT_MAKES && !r->frame->all_late;
  berth_code_t code = makes ? run_makes(r, index, g, err)
                            : run_late(r, index, g, completion, err);
  ungather(step, g);
  if (updates) return code == BERTH_OK ? update_finish(r, index, err) : code;
  if (code == BERTH_OK || code == BERTH_PENDING) {
    berth_runner_inputs_read(r, step);
  }
  return code;
}

// As above, with room for many inputs or outputs from the heap.
static berth_code_t run_on_heap(berth_runner_t *r, int index,
                                berth_completion_t *completion,
                                berth_error_t *err) {
  const berth_step_t *step = &r->program->steps[index];
  size_t inputs = (size_t)step->input_count + 1;
  gathered_t g = {
      .inputs = berth_alloc(inputs * sizeof(*g.inputs)),
      .data = berth_alloc(inputs * sizeof(*g.data)),
      .tensors = berth_alloc(inputs * sizeof(*g.tensors)),
      .owned = berth_alloc(inputs * sizeof(*g.owned)),
      .outputs =
          berth_alloc(((size_t)step->output_count + 1) * sizeof(*g.outputs)),
  };
  berth_code_t code = BERTH_OK;
  if (g.inputs == NULL || g.data == NULL || g.tensors == NULL ||
      g.owned == NULL || g.outputs == NULL) {
    code = berth_error_no_memory(err, "a step");
  } else {
    code = run_gathered(r, index, &g, completion, err);
  }
  berth_free(g.inputs);
  berth_free(g.data);
  berth_free(g.tensors);
  berth_free(g.owned);
  berth_free(g.outputs);
  return code;
}

berth_code_t berth_runner_special(berth_runner_t *r, int index,
                                  berth_completion_t *completion,
                                  berth_error_t *err) {
  const berth_step_t *step = &r->program->steps[index];
  if (step->input_count > MAX_STACK_INPUTS ||
      step->output_count > MAX_STACK_INPUTS) {
    return run_on_heap(r, index, completion, err);
  }
  berth_kernel_input_t inputs[MAX_STACK_INPUTS];
  const void *data[MAX_STACK_INPUTS];
  berth_tensor_t *tensors[MAX_STACK_INPUTS];
  bool owned[MAX_STACK_INPUTS];
  berth_tensor_t *outputs[MAX_STACK_INPUTS];
  gathered_t g = {inputs, data, tensors, owned, outputs};
  return run_gathered(r, index, &g, completion, err);
}
