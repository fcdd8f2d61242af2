// binary_rest_f32.cu - Kernels of ops with two inputs, but for those in most
// use: float.
#include "cuda/ops/binary.cuh"

#define AS_IT_IS(x) (x)

BERTH_BINARY_REST(f32, f32, 4, AS_IT_IS)
BERTH_BINARY_REST_MORE(f32, f32, 4, AS_IT_IS)
