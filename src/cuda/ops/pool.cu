// pool.cu - Kernels of pooling for float and double.
#include "cuda/ops/pool.cuh"

POOL_KERNELS(f32, -3.40282347e+38f)
POOL_KERNELS(f64, -1.7976931348623157e+308)
POOL_WIDE(f32, 4, -3.40282347e+38f)
