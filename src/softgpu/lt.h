// lt.h - cuBLASLt's objects: descriptions that products are made of.
#ifndef BERTH_SOFTGPU_LT_H_
#define BERTH_SOFTGPU_LT_H_

#include <stdint.h>

#include "cuda/api/cublaslt.h"

struct cublasLtContext {
  int unused;  // A handle holds nothing here.
};

struct cublasLtMatmulDescOpaque {
  int32_t compute_type;
  int32_t scale_type;
  int32_t pointer_mode;
  int32_t trans_a, trans_b;
  uint32_t epilogue;
  const void *bias;
  int32_t bias_type;  // -1: as the result.
};

struct cublasLtMatrixLayoutOpaque {
  uint32_t type;
  int32_t order;
  uint64_t rows, cols;
  int64_t ld;
  int32_t batch_count;
  int64_t batch_stride;
};

struct cublasLtMatmulPreferenceOpaque {
  uint32_t search_mode;
  uint64_t max_workspace_bytes;
  uint32_t reduction_mask;
  uint32_t alignment[4];
};

#endif  // BERTH_SOFTGPU_LT_H_
