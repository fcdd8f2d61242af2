// unary_bf16.cu - Kernels of ops with one input, but for curves: bfloat16.
#include "cuda/ops/unary.cuh"

BERTH_UNARY_REAL(bf16, f32, 8)
