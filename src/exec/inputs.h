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
  int count;
  berth_kernel_input_t *inputs;
  const void **data;         // Addresses.
  berth_tensor_t **tensors;  // NULL entries: not a tensor.
  bool *is_owned;            // By input: the tensor is released at the end.
  berth_tensor_t **outputs;  // NULL at first. Not released.
  void *heap;                // NULL: all of it is in here.
  berth_kernel_input_t few_inputs[BERTH_FEW_INPUTS];
  const void *few_data[BERTH_FEW_INPUTS];
  berth_tensor_t *few_tensors[BERTH_FEW_INPUTS];
  bool few_owned[BERTH_FEW_INPUTS];
  berth_tensor_t *few_outputs[BERTH_FEW_INPUTS];
} berth_inputs_t;

// Makes room for the inputs and outputs of |step|.
BERTH_NODISCARD berth_code_t berth_inputs_init(berth_inputs_t *in,
                                               const berth_step_t *step,
                                               berth_error_t *err);

// Releases the tensors that it owns, and frees the room.
void berth_inputs_deinit(berth_inputs_t *in);

// Says that input |index| is at |data|, of |dtype| and shape |dims|, in host
// memory if |on_host|: then its value is known. It is no tensor.
static inline void berth_inputs_describe(berth_inputs_t *in, int index,
                                         berth_dtype_t dtype, berth_dims_t dims,
                                         int64_t count, const void *data,
                                         bool on_host) {
  in->data[index] = data;
  in->tensors[index] = NULL;
  in->inputs[index] = (berth_kernel_input_t){.dtype = dtype,
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
  in->is_owned[index] = true;
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
