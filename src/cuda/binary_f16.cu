// binary_f16.cu - Kernels of ops with two inputs: half and bfloat16.
//
// Computed in float; where TensorFlow takes two steps, each is rounded.
#include "cuda/binary.cuh"

#define ROUND_HALF(x) berth_load_f16(berth_store_f16(x))
#define ROUND_BFLOAT16(x) berth_load_bf16(berth_store_bf16(x))

BERTH_BINARY_REAL(f16, f32, 8, ROUND_HALF)
BERTH_BINARY_REAL_REST(f16, f32, 8, ROUND_HALF)
BERTH_BINARY_REAL(bf16, f32, 8, ROUND_BFLOAT16)
