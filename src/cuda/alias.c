// alias.c - Kernels that hand on what they are given, in another shape or none.
//
// Nothing runs on the card: output 0 is input 0 (prepare->alias), as the CPU
// kernel says.
#include "cuda/kernels.h"
#include "cuda/launch.h"

static berth_code_t run_identity_n(const void *plan, void *const *args,
                                   berth_call_t *call) {
  (void)plan;
  (void)args;
  for (int i = 0; i < call->node->output_count; ++i) {
    call->outputs[i] = berth_tensor_retain(call->inputs[i]);
  }
  return BERTH_OK;
}

static berth_code_t prepare_identity_n(berth_prepare_t *prepare,
                                       berth_error_t *err) {
  BERTH_TRY(berth_cuda_prepare_shapes(prepare, err));
  prepare->run = run_identity_n;
  return BERTH_OK;
}

#define ALIAS(name, values) \
  { .op = name, .prepare = berth_cuda_prepare_shapes, .value_inputs = values }

const berth_kernel_t berth_cuda_alias_kernels[] = {
    ALIAS("ExpandDims", 2),
    ALIAS("Identity", 0),
    ALIAS("PlaceholderWithDefault", 0),
    ALIAS("PreventGradient", 0),
    ALIAS("Reshape", 2),
    ALIAS("Squeeze", 0),
    ALIAS("StopGradient", 0),
    ALIAS("_EagerConst", 0),
    {.op = "IdentityN",
     .prepare = prepare_identity_n,
     .flags = BERTH_KERNEL_MAKES_TENSORS},
};
const int berth_cuda_alias_kernel_count =
    BERTH_COUNT_OF(berth_cuda_alias_kernels);
