// binary_f64.cu - Kernels of ops with two inputs: double.
#include "cuda/binary.cuh"

#define AS_IT_IS(x) (x)

BERTH_BINARY_REAL(f64, f64, 2, AS_IT_IS)
BERTH_BINARY_REAL_REST(f64, f64, 2, AS_IT_IS)
