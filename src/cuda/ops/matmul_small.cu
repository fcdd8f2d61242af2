// matmul_small.cu - Products of matrices that are smaller than the cost of a
// library call: a thread for each element of the result.
//
// A module of its own, since it is often the first one that a program needs.
#include "cuda/math/gpu.cuh"

#define KERNELS "cuda/ops/matmul_small.cuh"
#include "cuda/ops/matmul_types.cuh"
