// slice_assign_params.h - What kernels that write slices of variables are told.
#ifndef BERTH_CUDA_OPS_SLICE_ASSIGN_PARAMS_H_
#define BERTH_CUDA_OPS_SLICE_ASSIGN_PARAMS_H_

#include <stdint.h>

enum { BERTH_SLICE_DIMS = 8 };

// The last dimensions, before which there may be some of one element. Steps
// are in elements.
typedef struct berth_slice_params {
  void *to;
  const void *from;
  uint64_t count;
  uint64_t dims[BERTH_SLICE_DIMS];
  int64_t from_steps[BERTH_SLICE_DIMS], to_steps[BERTH_SLICE_DIMS];
} berth_slice_params_t;

#endif  // BERTH_CUDA_OPS_SLICE_ASSIGN_PARAMS_H_
