// segment_params.h - What the kernels of SegmentSum and its like are told.
#ifndef BERTH_CUDA_OPS_SEGMENT_PARAMS_H_
#define BERTH_CUDA_OPS_SEGMENT_PARAMS_H_

#include <stdint.h>

// |rows| rows of |inner| elements are joined by the numbers of their segments,
// which are in order; |count| segments come out.
typedef struct berth_segment_params {
  void *out;
  const void *data;
  const void *ids;
  uint64_t rows, inner, count;
  uint32_t index_size;  // 4 or 8.
  uint32_t how;         // As BERTH_COMBINE_ADD and its like.
  uint32_t is_mean;
  uint32_t team;  // What does an element: a thread, a warp or a block.
} berth_segment_params_t;

#endif  // BERTH_CUDA_OPS_SEGMENT_PARAMS_H_
