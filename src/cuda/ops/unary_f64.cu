// unary_f64.cu - Kernels of ops with one input, but for curves: double.
#include "cuda/ops/unary.cuh"

BERTH_UNARY_REAL(f64, f64, 2)
