// matmul_params.h - What the kernels of matmul.cu take.
#ifndef BERTH_CUDA_OPS_MATMUL_PARAMS_H_
#define BERTH_CUDA_OPS_MATMUL_PARAMS_H_

#include <stdint.h>

// Rows and columns of the result that a block computes at a time, at least.
#define BERTH_MATMUL_TILE 64

// C = A B for |batch| pairs of matrices. Element (i, d) of A is
// a[i * a_row + d * a_col], so a transposed matrix is one with its strides
// exchanged; C lies by rows, one product behind the other. Strides count
// elements.
typedef struct berth_matmul_params {
  const void *a;
  const void *b;
  void *c;
  uint64_t m, n, k;
  uint64_t batch;
  int64_t a_row, a_col;
  int64_t b_row, b_col;
  int64_t a_batch, b_batch;  // From one product to the next.
  // Not 0: of complex numbers the conjugates are taken.
  uint32_t conj_a, conj_b;
} berth_matmul_params_t;

#endif  // BERTH_CUDA_OPS_MATMUL_PARAMS_H_
