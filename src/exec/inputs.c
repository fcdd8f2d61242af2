// inputs.c - What one call of a step works with, gathered.
#include "exec/inputs.h"

#include "base/alloc.h"

// Takes the room of |in| from one block of the heap.
static bool heap_init(berth_inputs_t *in, size_t inputs, size_t outputs) {
  size_t bytes = inputs * (sizeof(*in->inputs) + sizeof(*in->data) +
                           sizeof(*in->tensors) + sizeof(*in->is_owned)) +
                 outputs * sizeof(*in->outputs);
  in->heap = berth_alloc(bytes);
  if (in->heap == NULL) return false;
  in->inputs = in->heap;
  in->data = (const void **)(void *)(in->inputs + inputs);
  in->tensors = (berth_tensor_t **)(void *)(in->data + inputs);
  in->outputs = in->tensors + inputs;
  in->is_owned = (bool *)(in->outputs + outputs);
  return true;
}

berth_code_t berth_inputs_init(berth_inputs_t *in, const berth_step_t *step,
                               berth_error_t *err) {
  int inputs = step->input_count, outputs = step->output_count;
  in->count = inputs;
  in->heap = NULL;
  in->inputs = in->few_inputs;
  in->data = in->few_data;
  in->tensors = in->few_tensors;
  in->is_owned = in->few_owned;
  in->outputs = in->few_outputs;
  bool is_few = inputs <= BERTH_FEW_INPUTS && outputs <= BERTH_FEW_INPUTS;
  if (BERTH_UNLIKELY(!is_few) &&
      !heap_init(in, (size_t)inputs + 1, (size_t)outputs + 1)) {
    return berth_error_no_memory(err, "a step");
  }
  for (int i = 0; i < inputs; ++i) in->is_owned[i] = false;
  for (int i = 0; i < outputs; ++i) in->outputs[i] = NULL;
  return BERTH_OK;
}

void berth_inputs_deinit(berth_inputs_t *in) {
  for (int i = 0; i < in->count; ++i) {
    if (in->is_owned[i]) berth_tensor_release(in->tensors[i]);
  }
  berth_free(in->heap);
}
