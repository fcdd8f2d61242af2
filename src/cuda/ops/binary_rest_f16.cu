// binary_rest_f16.cu - Kernels of ops with two inputs, but for those in most
// use: half.
//
// Computed in float; where TensorFlow takes two steps, each is rounded.
#include "cuda/ops/binary.cuh"

#define ROUND(x) berth_load_f16(berth_store_f16(x))

BERTH_BINARY_REST(f16, f32, 8, ROUND)
BERTH_BINARY_REST_MORE(f16, f32, 8, ROUND)
