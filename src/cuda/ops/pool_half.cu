// pool_half.cu - Kernels of pooling for the types of 16 bits.
#include "cuda/ops/pool.cuh"

POOL_KERNELS(f16, -65504.0f)
POOL_KERNELS(bf16, -3.38953139e+38f)
POOL_WIDE(f16, 8, -65504.0f)
POOL_WIDE(bf16, 8, -3.38953139e+38f)
