// unary_f32.cu - Kernels of ops with one input, but for curves: float.
#include "cuda/ops/unary.cuh"

BERTH_UNARY_REAL(f32, f32, 4)
