// binary_rest_bf16.cu - Kernels of ops with two inputs, but for those in most
// use: bfloat16.
//
// Computed in float; where TensorFlow takes two steps, each is rounded.
#include "cuda/ops/binary.cuh"

#define ROUND(x) berth_load_bf16(berth_store_bf16(x))

BERTH_BINARY_REST(bf16, f32, 8, ROUND)
