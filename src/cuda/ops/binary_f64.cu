// binary_f64.cu - Arithmetic of two inputs: double.
#include "cuda/ops/binary.cuh"

BERTH_BINARY_REAL(f64, 2)
