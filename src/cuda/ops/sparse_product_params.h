// sparse_product_params.h - What the kernels of SparseTensorDenseMatMul are told.
//
// Each of |count| elements of a sparse matrix of m by k adds a multiple of a row
// of the dense one, k by n, to a row of the result.
#ifndef BERTH_CUDA_OPS_SPARSE_PRODUCT_PARAMS_H_
#define BERTH_CUDA_OPS_SPARSE_PRODUCT_PARAMS_H_

#include <stdint.h>

typedef struct berth_product_params {
  void *out;
  const void *places;  // Two indices for each element.
  const void *values, *b;
  const void *sums;  // Of half: floats that are rounded at the end.
  uint64_t count, m, k, n;
  uint32_t is_wide;           // Indices are int64; otherwise int32.
  uint32_t turns_a, turns_b;  // They are transposed and conjugated.
} berth_product_params_t;

#endif  // BERTH_CUDA_OPS_SPARSE_PRODUCT_PARAMS_H_
