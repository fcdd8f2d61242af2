// late.c - Steps that are prepared as they run, or make their own tensors.
#include "base/alloc.h"
#include "device/device.h"
#include "exec/copy.h"
#include "exec/expect.h"
#include "exec/inputs.h"
#include "exec/run_internal.h"
#include "state/commit.h"

// Makes input |i|, which |step| keeps, a tensor that may outlive the run.
static berth_code_t gather_kept(berth_runner_t *r, const berth_step_t *step,
                                int i, berth_inputs_t *in, berth_error_t *err) {
  int32_t slot = r->program->args[step->first_arg + i];
  berth_tensor_t *tensor = NULL;
  BERTH_TRY(berth_frame_export(r->frame, slot, &tensor, err));
  berth_inputs_own(in, i, tensor);
  return BERTH_OK;
}

// Fills in input |i|. Fed memory is never handed out as a tensor: an alias or a
// kept value would outlive the run.
static berth_code_t gather_input(berth_runner_t *r, const berth_step_t *step,
                                 int i, berth_inputs_t *in,
                                 berth_error_t *err) {
  berth_frame_t *frame = r->frame;
  int32_t slot = r->program->args[step->first_arg + i];
  const berth_slot_t *info = &r->program->slots[slot];
  const berth_spot_t *spot = &r->layout->spots[slot];
  berth_dims_t dims = berth_frame_dims(frame, slot);
  berth_inputs_describe(in, i, info->dtype, dims, berth_dims_count(dims),
                        frame->data[slot], info->space == BERTH_HOST_SPACE);
  if (berth_step_keeps(step, i)) return gather_kept(r, step, i, in, err);
  in->tensors[i] =
      berth_frame_is_fed(frame, slot) ? NULL : frame->tensors[slot];
  if (in->tensors[i] == NULL && spot->storage == BERTH_STORE_SETTLED &&
      spot->root == slot) {
    in->tensors[i] = berth_layout_settled(r->layout, slot);
  }
  return BERTH_OK;
}

static berth_code_t gather(berth_runner_t *r, const berth_step_t *step,
                           berth_inputs_t *in, berth_error_t *err) {
  for (int i = 0; i < step->input_count; ++i) {
    BERTH_TRY(gather_input(r, step, i, in, err));
  }
  return BERTH_OK;
}

void berth_runner_inputs_read(berth_runner_t *r, const berth_step_t *step) {
  berth_frame_t *frame = r->frame;
  if (frame->reads_left == NULL) return;
  for (int i = 0; i < step->input_count; ++i) {
    int32_t slot = r->program->args[step->first_arg + i];
    const berth_spot_t *spot = &r->layout->spots[slot];
    // A copy may be under way, on any stream.
    if (--frame->reads_left[slot] > 0 || spot->is_kept ||
        spot->storage != BERTH_STORE_NONE ||
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
         r->layout->spots[handle].storage == BERTH_STORE_SETTLED;
}

void berth_runner_set_outputs(berth_runner_t *r, int index,
                              berth_tensor_t **outputs) {
  const berth_step_t *step = &r->program->steps[index];
  const int32_t *slots = r->program->args + step->first_arg + step->input_count;
  for (int i = 0; i < step->output_count; ++i) {
    const berth_spot_t *spot = &r->layout->spots[slots[i]];
    // What was made in advance for a step that turned late is not needed.
    berth_tensor_release(r->frame->tensors[slots[i]]);
    berth_frame_set(r->frame, slots[i], outputs[i]);
    berth_dims_t dims = berth_tensor_dims(outputs[i]);
    // The guard: a variable, or what else a step has made, that is not as the
    // layout expects.
    if (spot->dims.rank >= 0 && !berth_dims_equal(spot->dims, dims)) {
      atomic_store(&r->layout->is_stale, true);
      r->frame->all_late = true;
      (void)berth_expect_note(r->program, index, dims);
    } else if (spot->dims.rank < 0 && r->layout->feeds != NULL &&
               (has_got_shape(r, step) ||
                berth_expect_note(r->program, index, dims))) {
      atomic_store(&r->layout->is_stale, true);
    }
  }
}

// Runs a prepared step, given |inputs| and |outputs| beyond addresses; |given|:
// see berth_call_t.
static berth_code_t call_prepared(berth_runner_t *r, int index,
                                  berth_tensor_t **inputs, uint32_t given,
                                  berth_tensor_t **outputs,
                                  berth_error_t *err) {
  const berth_step_t *step = &r->program->steps[index];
  const berth_hot_step_t *hot = &r->layout->hot[index];
  const berth_exec_host_t *host = r->program->host;
  berth_device_t *device = berth_step_device(host->devices, step);
  berth_call_t call = {
      .err = err,
      .node = step->node,
      .container = host->container,
      .resource = step->resource,
      .cancelled = &r->watch->ended,
      .control = r->watch->control,
      .of_run = &r->watch->of_run,
      .place = step->device,
      .allocator = berth_step_allocator(host->devices, step),
      .stream = device != NULL ? berth_device_compute(device) : NULL,
      .inputs = inputs,
      .given = given,
      .outputs = outputs,
      .commit = r->frame->commit,
  };
  return hot->run(hot->plan, r->frame->args + hot->first_arg, &call);
}

// Lends input |i|, which |step| keeps, for a call: what the run holds anyway is not
// counted once more.
static inline berth_code_t gather_lent(berth_runner_t *r,
                                       const berth_step_t *step, int i,
                                       berth_inputs_t *in, berth_error_t *err) {
  int32_t slot = r->program->args[step->first_arg + i];
  const berth_spot_t *spot = &r->layout->spots[slot];
  berth_tensor_t *tensor = r->frame->tensors[slot];
  bool is_borrowed = spot->storage == BERTH_STORE_FEED &&
                     r->program->slots[spot->root].is_borrowed;
  if (tensor == NULL) {
    // Another name for a value of the same shape is that value.
    tensor = spot->storage == BERTH_STORE_SETTLED
                 ? berth_layout_settled(r->layout, spot->root)
                 : r->frame->tensors[spot->root];
    if (tensor != NULL &&
        !berth_dims_equal(berth_tensor_dims(tensor), spot->dims)) {
      tensor = NULL;
    }
  }
  if (tensor == NULL || is_borrowed) return gather_kept(r, step, i, in, err);
  in->tensors[i] = tensor;
  return BERTH_OK;
}

// Takes over the first input of |step| where its first output is the heir of
// that, and the run is given it; false: it is not.
static inline bool heir_gather(berth_runner_t *r, const berth_step_t *step,
                               berth_inputs_t *in) {
  if (r->block == NULL || step->input_count == 0 || step->output_count == 0) {
    return false;
  }
  const int32_t *args = r->program->args + step->first_arg;
  int32_t feed = r->layout->spots[args[step->input_count]].heir_of;
  if (feed < 0 || r->layout->spots[args[0]].root != feed) return false;
  berth_tensor_t *tensor = berth_runner_inherited(r, feed);
  if (tensor == NULL) return false;
  r->frame->tensors[feed] = NULL;
  berth_inputs_own(in, 0, tensor);
  return true;
}

// Runs a prepared step that makes tensors or keeps inputs.
static berth_code_t run_makes(berth_runner_t *r, int index, berth_inputs_t *in,
                              berth_error_t *err) {
  const berth_step_t *step = &r->program->steps[index];
  int first = heir_gather(r, step, in) ? 1 : 0;
  for (int i = first; i < step->input_count; ++i) {
    in->tensors[i] = NULL;
    if (berth_step_keeps(step, i)) BERTH_TRY(gather_lent(r, step, i, in, err));
  }
  for (int i = 0; i < step->output_count; ++i) in->outputs[i] = NULL;
  berth_code_t code =
      call_prepared(r, index, in->tensors, (uint32_t)first, in->outputs, err);
  bool makes = (step->traits & BERTH_OP_MAKES) != 0;
  // One that fails may have made some.
  for (int i = 0; code != BERTH_OK && i < step->output_count; ++i) {
    berth_tensor_release(in->outputs[i]);
  }
  if (code == BERTH_OK && makes)
    berth_runner_set_outputs(r, index, in->outputs);
  return code;
}

static berth_code_t run_late(berth_runner_t *r, int index, berth_inputs_t *in,
                             berth_completion_t *completion,
                             berth_error_t *err) {
  const berth_exec_host_t *host = r->program->host;
  berth_step_t *step = &r->program->steps[index];
  BERTH_TRY(gather(r, step, in, err));
  berth_late_call_t call = berth_inputs_call(in, step, host->devices,
                                             host->container, &r->watch->ended);
  call.completion = completion;
  call.control = r->watch->control;
  call.of_run = &r->watch->of_run;
  if (berth_step_updates(step)) {
    call.commit = r->frame->commit;
    call.plans = &r->frame->plans;
  }
  berth_code_t code = berth_step_call(step, &call, err);
  if (code == BERTH_OK) berth_runner_set_outputs(r, index, in->outputs);
  return code;
}

berth_code_t berth_runner_commit(berth_runner_t *r, int last,
                                 const bool *is_skipped, berth_error_t *err) {
  berth_frame_t *frame = r->frame;
  if (frame->first_update < 0) return BERTH_OK;
  BERTH_TRY(berth_commit_do(frame->commit, err));
  // Only where some step is late are readers counted.
  for (int s = frame->first_update; frame->reads_left != NULL && s <= last;
       ++s) {
    const berth_step_t *step = &r->program->steps[s];
    bool is_done = is_skipped == NULL || !is_skipped[s];
    if (berth_step_updates(step) && is_done) berth_runner_inputs_read(r, step);
  }
  frame->first_update = -1;
  berth_arena_clear(&frame->plans);
  return BERTH_OK;
}

// Does what the steps up to |index| want to change, if it is the last of them.
// Until then their inputs stay.
static berth_code_t update_finish(berth_runner_t *r, int index,
                                  berth_error_t *err) {
  berth_frame_t *frame = r->frame;
  if (frame->first_update < 0) frame->first_update = index;
  bool is_last =
      r->program->flow == NULL && r->program->steps[index].ends_commit;
  return is_last ? berth_runner_commit(r, index, NULL, err) : BERTH_OK;
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

// Runs a step that works with tensors, or is late.
static BERTH_NOINLINE berth_code_t
run_with_tensors(berth_runner_t *r, int index, bool is_prepared,
                 berth_completion_t *completion, berth_error_t *err) {
  berth_inputs_t in;
  BERTH_TRY(berth_inputs_init(&in, &r->program->steps[index], err));
  berth_code_t code = is_prepared ? run_makes(r, index, &in, err)
                                  : run_late(r, index, &in, completion, err);
  berth_inputs_deinit(&in);
  return code;
}

BERTH_UNGUARDED
berth_code_t berth_runner_special(berth_runner_t *r, int index,
                                  berth_completion_t *completion,
                                  berth_error_t *err) {
  const berth_step_t *step = &r->program->steps[index];
  bool updates = berth_step_updates(step);
  if (updates) {
    berth_commit_t *commit = berth_frame_commit(r->frame);
    if (commit == NULL) return berth_error_no_memory(err, "a commit");
    commit->blamed = NULL;
  }
  bool is_prepared =
      r->layout->hot[index].how == BERTH_HOT_MAKES && !r->frame->all_late;
  bool has_tensors =
      (step->traits & BERTH_OP_MAKES) != 0 || step->node->op->keep_inputs != 0;
  berth_code_t code =
      is_prepared && !has_tensors
          ? call_prepared(r, index, NULL, 0, NULL, err)
          : run_with_tensors(r, index, is_prepared, completion, err);
  if (updates) return code == BERTH_OK ? update_finish(r, index, err) : code;
  if (code == BERTH_OK || code == BERTH_PENDING) {
    berth_runner_inputs_read(r, step);
  }
  return code;
}
