// unary_curve_bf16.cu - Kernels of functions of one input: bfloat16.
//
// Computed in float and rounded once, but where TensorFlow rounds every step.
#include "cuda/ops/unary.cuh"

BERTH_UNARY_SHORT_CURVES(bf16, 8)
BERTH_UNARY_LINEAR(bf16)
