// binary_int32.cu - Kernels of ops with two inputs: uint32, and the sum of
// int32 for BiasAdd: TensorFlow computes with int32 on the host.
#include "cuda/ops/binary_int.cuh"

BERTH_BINARY_UNSIGNED(u32, 4, uint32_t)
BERTH_BINARY(add, i32, i32, 4, (uint32_t)x + (uint32_t)y)
