// gemm.h - A product of matrices as cuBLASLt describes it, on the host.
//
//   D = alpha · A·B + beta · C, then plus a bias for each row, then at least 0
//
// Any strides; sums are floats, or doubles for doubles, and 16-bit results are
// rounded once.
#ifndef BERTH_SOFTGPU_GEMM_H_
#define BERTH_SOFTGPU_GEMM_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cuda/api/cublaslt.h"

// Element (i, j) lies |i * row_stride + j * col_stride| elements from |data|.
typedef struct berth_soft_matrix {
  void *data;
  cudaDataType_t type;
  int64_t rows, cols;
  int64_t row_stride, col_stride;
  int64_t batch_stride;
} berth_soft_matrix_t;

typedef struct berth_soft_gemm {
  berth_soft_matrix_t a, b, c, d;
  int64_t batches;
  double alpha, beta;
  bool is_tf32;  // Floats lose the bits that tensor cores do not see.
  bool has_relu;
  const void *bias;  // NULL: none. As many elements as D has rows.
  cudaDataType_t bias_type;
} berth_soft_gemm_t;

// Returns the bytes of an element of |type|, or 0 for one that is not known.
size_t berth_soft_type_size(cudaDataType_t type);

// Does it on the calling thread and Berth's workers; false when there is no
// memory for what has to be converted.
bool berth_soft_gemm_run(const berth_soft_gemm_t *gemm);

#endif  // BERTH_SOFTGPU_GEMM_H_
