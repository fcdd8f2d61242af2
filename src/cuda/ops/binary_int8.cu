// binary_int8.cu - Kernels of ops with two inputs: int8, uint8 and bool.
#include "cuda/ops/binary_int.cuh"

BERTH_BINARY_SIGNED(i8, 16, int32_t)
BERTH_BINARY_UNSIGNED(u8, 16, uint32_t)

BERTH_BINARY(equal, b8, b8, 16, x == y)
BERTH_BINARY(not_equal, b8, b8, 16, x != y)
BERTH_BINARY(and, b8, b8, 16, x &y)
BERTH_BINARY(or, b8, b8, 16, x | y)
