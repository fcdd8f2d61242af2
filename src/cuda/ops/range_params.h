// range_params.h - What the kernels of Range are told.
#ifndef BERTH_CUDA_OPS_RANGE_PARAMS_H_
#define BERTH_CUDA_OPS_RANGE_PARAMS_H_

#include <stdint.h>

typedef struct berth_range_params {
  void *out;
  uint64_t count;
  double start, delta;  // Of the floating types, all of which a double holds.
  uint64_t whole_start, whole_delta;  // Of integers, which wrap.
} berth_range_params_t;

#endif  // BERTH_CUDA_OPS_RANGE_PARAMS_H_
