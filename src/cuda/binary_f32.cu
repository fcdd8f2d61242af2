// binary_f32.cu - Kernels of ops with two inputs: float.
#include "cuda/binary.cuh"

#define AS_IT_IS(x) (x)

BERTH_BINARY_REAL(f32, f32, 4, AS_IT_IS)
BERTH_BINARY_REAL_REST(f32, f32, 4, AS_IT_IS)
