// inputs.c - What one call of a step works with, gathered.
#include "exec/inputs.h"

#include "base/alloc.h"

bool berth_inputs_init_many(berth_inputs_t *in, const berth_step_t *step) {
  size_t inputs = (size_t)step->input_count + 1;
  size_t outputs = (size_t)step->output_count + 1;
  size_t bytes = inputs * (sizeof(*in->inputs) + sizeof(*in->data) +
                           sizeof(*in->tensors) + sizeof(*in->owned)) +
                 outputs * sizeof(*in->outputs);
  in->heap = berth_alloc(bytes);
  if (in->heap == NULL) return false;
  in->inputs = in->heap;
  in->data = (const void **)(void *)(in->inputs + inputs);
  in->tensors = (berth_tensor_t **)(void *)(in->data + inputs);
  in->owned = in->tensors + inputs;
  in->outputs = in->owned + inputs;
  return true;
}

void berth_inputs_clear(berth_inputs_t *in) {
  for (int i = 0; i < in->owned_count; ++i) berth_tensor_release(in->owned[i]);
  berth_free(in->heap);
}
