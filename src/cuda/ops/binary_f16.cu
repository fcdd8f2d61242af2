// binary_f16.cu - Arithmetic of two inputs: half, computed in float.
#include "cuda/ops/binary.cuh"

BERTH_BINARY_REAL(f16, 8)
