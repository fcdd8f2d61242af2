// alias.c - Kernels that hand on what they are given, in another shape or none.
//
// Nothing runs on the card: output 0 is input 0 (prepare->op.alias), as the CPU
// kernel says.
#include "cuda/code/launch.h"
#include "cuda/kernels.h"

#define ALIAS(name, values) \
  { .op = name, .prepare = berth_cuda_prepare_shapes }

const berth_kernel_t berth_cuda_alias_kernels[] = {
    ALIAS("ExpandDims", 2),
    ALIAS("Identity", 0),
    ALIAS("PlaceholderWithDefault", 0),
    ALIAS("PreventGradient", 0),
    ALIAS("Reshape", 2),
    ALIAS("Squeeze", 0),
    ALIAS("StopGradient", 0),
    ALIAS("_EagerConst", 0),
    {.op = "IdentityN", .prepare = berth_cuda_prepare_as_cpu},
    {.op = NULL},
};
