// binary_f32.cu - Arithmetic of two inputs: float.
#include "cuda/ops/binary.cuh"

BERTH_BINARY_REAL(f32, 4)
