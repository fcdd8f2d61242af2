// sparse_segment_params.h - What kernels of SparseSegmentSum and its like are
// told.
#ifndef BERTH_CUDA_OPS_SPARSE_SEGMENT_PARAMS_H_
#define BERTH_CUDA_OPS_SPARSE_SEGMENT_PARAMS_H_

#include <stdint.h>

typedef struct berth_sparse_params {
  void *out;
  const void *data, *indices, *ids;
  uint32_t wide_indices, wide_ids;  // They are int64; otherwise int32.
  uint32_t join;                    // 0: a sum, 1: a mean, 2: by the root.
  uint64_t count;                   // Indices.
  uint64_t inner;                   // Elements of a row.
  uint64_t data_rows, rows;         // Of what goes in and of what comes out.
  uint32_t *sizes;  // Rows of each segment, once they are counted; or NULL.
} berth_sparse_params_t;

#endif  // BERTH_CUDA_OPS_SPARSE_SEGMENT_PARAMS_H_
