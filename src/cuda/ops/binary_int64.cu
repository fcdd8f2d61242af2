// binary_int64.cu - Kernels of ops with two inputs: int64 and uint64.
#include "cuda/ops/binary_int.cuh"

BERTH_BINARY_SIGNED(i64, 2, int64_t)
BERTH_BINARY_UNSIGNED(u64, 2, uint64_t)
BERTH_BINARY(squared_difference, i64, i64, 2,
             ((uint64_t)x - (uint64_t)y) * ((uint64_t)x - (uint64_t)y))
