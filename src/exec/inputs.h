// inputs.h - What one call of a step works with, gathered.
//
//   berth_inputs_t in;
//   BERTH_TRY(berth_inputs_init(&in, step, err));
//   berth_inputs_set(&in, 0, tensor);            // or _describe() and _own()
//   …
//   berth_late_call_t call = berth_inputs_call(&in, …);
//   berth_inputs_deinit(&in);
//
// Steps with many inputs or outputs take room from the heap.
#ifndef BERTH_EXEC_INPUTS_H_
#define BERTH_EXEC_INPUTS_H_

#include "exec/step.h"

enum { BERTH_FEW_INPUTS = 16 };

typedef struct berth_inputs {
  berth_case_input_t *inputs;
  const void **data;         // Addresses.
  berth_tensor_t **tensors;  // NULL entries: not a tensor.
  berth_tensor_t **owned;    // Tensors that are released at the end.
  int owned_count;
  berth_tensor_t **outputs;  // What the call makes. Not released.
  void *heap;                // NULL: all of it is in here.
  berth_case_input_t few_inputs[BERTH_FEW_INPUTS];
  const void *few_data[BERTH_FEW_INPUTS];
  berth_tensor_t *few_tensors[BERTH_FEW_INPUTS];
  berth_tensor_t *few_owned[BERTH_FEW_INPUTS];
  berth_tensor_t *few_outputs[BERTH_FEW_INPUTS];
} berth_inputs_t;

// Takes the room of |in| from the heap; false when memory is short.
bool berth_inputs_init_many(berth_inputs_t *in, const berth_step_t *step);

// Makes room for the inputs and outputs of |step|.
BERTH_NODISCARD static inline berth_code_t berth_inputs_init(
    berth_inputs_t *in, const berth_step_t *step, berth_error_t *err) {
  in->heap = NULL;
  in->inputs = in->few_inputs;
  in->data = in->few_data;
  in->tensors = in->few_tensors;
  in->owned = in->few_owned;
  in->owned_count = 0;
  in->outputs = in->few_outputs;
  bool is_few = step->input_count <= BERTH_FEW_INPUTS &&
                step->output_count <= BERTH_FEW_INPUTS;
  if (BERTH_UNLIKELY(!is_few) && !berth_inputs_init_many(in, step)) {
    return berth_error_no_memory(err, "a step");
  }
  return BERTH_OK;
}

// Releases the tensors that it owns, and frees the room.
void berth_inputs_clear(berth_inputs_t *in);
static inline void berth_inputs_deinit(berth_inputs_t *in) {
  if (in->owned_count > 0 || in->heap != NULL) berth_inputs_clear(in);
}

// Says that input |index| is at |data|, of |dtype| and shape |dims|, in host
// memory if |on_host|: then its value is known. It is no tensor.
static inline void berth_inputs_describe(berth_inputs_t *in, int index,
                                         berth_dtype_t dtype, berth_dims_t dims,
                                         int64_t count, const void *data,
                                         bool on_host) {
  in->data[index] = data;
  in->tensors[index] = NULL;
  in->inputs[index] = (berth_case_input_t){.dtype = dtype,
                                           .rank = dims.rank,
                                           .dims = dims.dims,
                                           .count = count,
                                           .value = on_host ? data : NULL};
}

// Says that input |index| is |tensor|, borrowed.
static inline void berth_inputs_set(berth_inputs_t *in, int index,
                                    berth_tensor_t *tensor) {
  berth_inputs_describe(in, index, tensor->dtype, berth_tensor_dims(tensor),
                        tensor->count, tensor->data, tensor->device == NULL);
  in->tensors[index] = tensor;
}

// Makes |tensor|, taking over the reference, the tensor of input |index|.
static inline void berth_inputs_own(berth_inputs_t *in, int index,
                                    berth_tensor_t *tensor) {
  in->tensors[index] = tensor;
  in->owned[in->owned_count++] = tensor;
}

// Returns a call of |step| with what was gathered, on its device among
// |devices|.
static inline berth_late_call_t berth_inputs_call(
    const berth_inputs_t *in, const berth_step_t *step,
    const berth_exec_device_t *devices, berth_container_t *container,
    const atomic_int *cancelled) {
  return (berth_late_call_t){.data = in->data,
                             .inputs = in->inputs,
                             .tensors = in->tensors,
                             .outputs = in->outputs,
                             .cancelled = cancelled,
                             .container = container,
                             .allocator = berth_step_allocator(devices, step),
                             .device = berth_step_device(devices, step)};
}

#endif  // BERTH_EXEC_INPUTS_H_
