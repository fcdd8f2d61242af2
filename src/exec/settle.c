// settle.c - Values that are known before anything runs.
#include "exec/settle.h"

#include "base/alloc.h"
#include "device/device.h"
#include "exec/copy.h"
#include "exec/inputs.h"
#include "tensor/transfer.h"

// A settled value larger than this is computed at every run instead: keeping
// it would cost more memory than the time is worth. TensorFlow's own limit for
// folded constants.
enum { MAX_SETTLED_BYTES = 10 << 20 };

// A scalar tensor that holds |resource|.
static berth_code_t handle_tensor(berth_resource_t *resource,
                                  berth_tensor_t **out_tensor,
                                  berth_error_t *err) {
  berth_tensor_t *tensor = NULL;
  BERTH_TRY(berth_tensor_make(NULL, BERTH_RESOURCE, 0, NULL, 1, &tensor, err));
  ((berth_handle_t *)tensor->data)->resource = berth_resource_retain(resource);
  *out_tensor = tensor;
  return BERTH_OK;
}

// Gathers the inputs of |step|, which are settled.
static berth_code_t gather(const berth_program_t *p, const berth_step_t *step,
                           const int32_t *slots, berth_inputs_t *in,
                           berth_error_t *err) {
  BERTH_TRY(berth_inputs_init(in, step, err));
  for (int i = 0; i < step->input_count; ++i) {
    berth_inputs_set(in, i, p->settled[slots[i]]);
  }
  return BERTH_OK;
}

// True when the outputs of |step| are small enough to be kept.
static berth_code_t is_worth_keeping(const berth_program_t *p,
                                     const berth_step_t *step,
                                     const berth_case_input_t *inputs,
                                     bool *out_keep, berth_error_t *err) {
  berth_arena_t arena = {0};
  berth_prepared_t prepared;
  berth_code_t code = berth_step_prepare(
      step, inputs, berth_step_device(p->host->devices, step), &arena,
      &prepared, err);
  *out_keep = code == BERTH_OK;
  for (int i = 0; *out_keep && i < step->output_count; ++i) {
    int64_t count = prepared.outputs[i].count;
    size_t size =
        berth_dtype_size(berth_dtype_base(step->node->output_types[i]));
    *out_keep = prepared.outputs[i].dims.rank >= 0 && count >= 0 &&
                (uint64_t)count <= MAX_SETTLED_BYTES / (size > 0 ? size : 1);
  }
  berth_arena_clear(&arena);
  return code;
}

// A copy that is no longer waited for may still read what it was given.
static void inputs_keep(const berth_step_t *step, const berth_inputs_t *in,
                        berth_device_t *device) {
  berth_stream_t *stream = berth_device_compute(device);
  const berth_stream_ops_t *ops = device->backend->streams;
  for (int i = 0; berth_is_copy(step) && i < step->input_count; ++i) {
    const berth_tensor_t *input = in->tensors[i];
    if (input->device == NULL &&
        ops->keep(stream, input->buffer, NULL) != BERTH_OK) {
      (void)ops->sync(stream, NULL);
    }
  }
}

// Calls |step| on what was gathered, and waits for it where it is queued.
static berth_code_t settled_call(const berth_program_t *p, berth_step_t *step,
                                 const berth_inputs_t *in,
                                 const atomic_int *cancelled,
                                 berth_error_t *err) {
  berth_late_call_t call = berth_inputs_call(in, step, p->host->devices,
                                             p->host->container, cancelled);
  BERTH_TRY(berth_step_call(step, &call, err));
  if (call.device == NULL) return BERTH_OK;
  berth_code_t code = berth_device_wait(call.device, err);
  if (code == BERTH_OK) return BERTH_OK;
  if (code == BERTH_CANCELLED) inputs_keep(step, in, call.device);
  for (int i = 0; i < step->output_count; ++i) {
    berth_tensor_release(in->outputs[i]);
  }
  return code;
}

// Runs |step| on settled inputs and keeps its outputs. |*out_done| is false
// when they are too large.
static berth_code_t settle_run(berth_program_t *p, berth_step_t *step,
                               const int32_t *slots, berth_watch_t *watch,
                               bool *out_done, berth_error_t *err) {
  berth_inputs_t in;
  BERTH_TRY(gather(p, step, slots, &in, err));
  berth_code_t code = is_worth_keeping(p, step, in.inputs, out_done, err);
  if (code == BERTH_OK && *out_done) {
    code = settled_call(p, step, &in, &watch->ended, err);
    for (int i = 0; code == BERTH_OK && i < step->output_count; ++i) {
      p->settled[slots[step->input_count + i]] = in.outputs[i];
    }
  }
  if (code != BERTH_OK) berth_step_blame(step, err);
  berth_inputs_deinit(&in);
  return code;
}

berth_code_t berth_settle_again(berth_program_t *p, berth_step_t *step,
                                const atomic_int *cancelled,
                                berth_error_t *err) {
  if (step->input_count == 0) return BERTH_OK;
  berth_inputs_t in;
  BERTH_TRY(gather(p, step, p->args + step->first_arg, &in, err));
  berth_code_t code = settled_call(p, step, &in, cancelled, err);
  for (int i = 0; code == BERTH_OK && i < step->output_count; ++i) {
    berth_tensor_release(in.outputs[i]);
  }
  berth_inputs_deinit(&in);
  return code;
}

// True when all inputs of |step| are settled.
static bool has_settled_inputs(const berth_program_t *p,
                               const berth_step_t *step, const int32_t *slots) {
  for (int i = 0; i < step->input_count; ++i) {
    if (p->settled[slots[i]] == NULL) return false;
  }
  return true;
}

// True for a node whose only output is the handle of what it owns: a variable,
// a queue.
static bool is_owner(const berth_step_t *step) {
  if (step->resource == NULL || step->input_count != 0 ||
      step->output_count != 1) {
    return false;
  }
  berth_dtype_t dtype = step->node->output_types[0];
  return berth_dtype_is_ref(dtype) || dtype == BERTH_RESOURCE;
}

// The value of a constant, where it was placed.
static berth_code_t const_tensor(const berth_program_t *p,
                                 const berth_step_t *step, int space,
                                 berth_tensor_t **out_tensor,
                                 berth_error_t *err) {
  berth_tensor_t *value = NULL;
  berth_code_t code = berth_node_constant(step->node, &value, err);
  if (code == BERTH_OK) {
    code = berth_tensor_transfer(value, berth_space_device(p->host, space),
                                 out_tensor, err);
  }
  berth_tensor_release(value);
  if (code != BERTH_OK) berth_step_blame(step, err);
  return code;
}

berth_code_t berth_settle(berth_program_t *p, berth_step_t *step,
                          const int32_t *slots, berth_watch_t *watch,
                          bool *out_done, berth_error_t *err) {
  *out_done = false;
  int32_t first_output = step->output_count > 0 ? slots[step->input_count] : -1;
  if ((step->traits & BERTH_OP_CONSTANT) != 0) {
    BERTH_TRY(const_tensor(p, step, p->slots[first_output].space,
                           &p->settled[first_output], err));
    *out_done = true;
  } else if (is_owner(step)) {
    BERTH_TRY(handle_tensor(step->resource, &p->settled[first_output], err));
    *out_done = true;
  } else if (p->host->keep_constants && step->output_count > 0 &&
             berth_step_is_pure(step) && has_settled_inputs(p, step, slots)) {
    BERTH_TRY(settle_run(p, step, slots, watch, out_done, err));
    if (berth_watch_look(watch)) return berth_watch_error(watch, err);
  }
  return BERTH_OK;
}
