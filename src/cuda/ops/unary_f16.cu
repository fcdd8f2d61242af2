// unary_f16.cu - Kernels of ops with one input, but for curves: half.
#include "cuda/ops/unary.cuh"

BERTH_UNARY_REAL(f16, f32, 8)
