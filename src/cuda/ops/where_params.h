// where_params.h - What the kernels of Where are told.
//
// Elements are cut into parts of |part_size|. A first kernel counts what is set
// in each, a second one turns the counts into where each part begins in the
// result, a third one writes.
#ifndef BERTH_CUDA_OPS_WHERE_PARAMS_H_
#define BERTH_CUDA_OPS_WHERE_PARAMS_H_

#include <stdint.h>

#define BERTH_WHERE_RANK 8

typedef struct berth_where_params {
  const void *in;
  uint64_t count, part_size, part_count;
  int64_t *parts;   // One number each: how many are set, then how many before.
  int64_t *total;   // How many are set in all.
  int64_t *places;  // The result.
  uint32_t rank;
  int64_t dims[BERTH_WHERE_RANK];
} berth_where_params_t;

#endif  // BERTH_CUDA_OPS_WHERE_PARAMS_H_
