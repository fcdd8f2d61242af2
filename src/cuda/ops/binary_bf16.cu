// binary_bf16.cu - Arithmetic of two inputs: bfloat16, computed in float.
#include "cuda/ops/binary.cuh"

BERTH_BINARY_REAL(bf16, 8)
