// binary_int16.cu - Kernels of ops with two inputs: int16 and uint16.
#include "cuda/ops/binary_int.cuh"

BERTH_BINARY_SIGNED(i16, 8, int32_t)
BERTH_BINARY_UNSIGNED(u16, 8, uint32_t)
