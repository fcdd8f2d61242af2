// gather_params.h - What the kernels of Gather are told.
//
// Params are [batch, outer, limit, row], indices [batch, count], the result
// [batch, outer, count, row]; rows in units of 1 to 16 bytes.
#ifndef BERTH_CUDA_OPS_GATHER_PARAMS_H_
#define BERTH_CUDA_OPS_GATHER_PARAMS_H_

#include "cuda/math/divide.h"

typedef struct berth_gather_params {
  void *out;
  const void *params;
  const void *indices;
  uint64_t units;  // Of the result.
  uint64_t outer, limit, count, row;
  berth_divider_t outer_by, count_by, row_by;  // Where |units| is small.
  int32_t index_size;                          // 4 or 8.
} berth_gather_params_t;

#endif  // BERTH_CUDA_OPS_GATHER_PARAMS_H_
