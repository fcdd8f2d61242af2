// binary_rest_f64.cu - Kernels of ops with two inputs, but for those in most
// use: double.
#include "cuda/ops/binary.cuh"

#define AS_IT_IS(x) (x)

BERTH_BINARY_REST(f64, f64, 2, AS_IT_IS)
BERTH_BINARY_REST_MORE(f64, f64, 2, AS_IT_IS)
