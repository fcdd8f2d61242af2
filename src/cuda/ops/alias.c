// alias.c - Kernels that hand on what they are given, in another shape or none.
//
// Nothing runs on the card: output 0 is input 0 (op/alias.h).
#include "op/alias.h"
#include "cuda/kernels.h"

// Defines prepare_<name>(), which has no work.
#define ALIAS(name)                                            \
  static berth_code_t prepare_##name(berth_prepare_t *prepare, \
                                     berth_error_t *err) {     \
    return berth_op_##name(&prepare->op, err);                 \
  }

ALIAS(ensure_shape)
ALIAS(identity)
ALIAS(reshape)
ALIAS(expand_dims)
ALIAS(squeeze)

#define KERNEL(name, function) \
  { .op = name, .prepare = prepare_##function }

const berth_kernel_t berth_cuda_alias_kernels[] = {
    KERNEL("EnsureShape", ensure_shape),
    KERNEL("ExpandDims", expand_dims),
    KERNEL("Identity", identity),
    KERNEL("PlaceholderWithDefault", identity),
    KERNEL("PreventGradient", identity),
    KERNEL("Reshape", reshape),
    KERNEL("Squeeze", squeeze),
    KERNEL("StopGradient", identity),
    KERNEL("_EagerConst", identity),
    {.op = NULL},
};
