// unary_bf16.cu - Kernels of ops with one input: bfloat16.
//
// Computed in float and rounded once, but where TensorFlow rounds every step.
#include "cuda/unary.cuh"

BERTH_UNARY_REAL(bf16, f32, 8)
BERTH_UNARY_SHORT_CURVES(bf16, 8)
BERTH_UNARY_LINEAR(bf16)
