// check_params.h - What the kernels of CheckNumerics are told.
#ifndef BERTH_CUDA_OPS_CHECK_PARAMS_H_
#define BERTH_CUDA_OPS_CHECK_PARAMS_H_

#include <stdint.h>

typedef struct berth_check_params {
  const void *in;
  uint64_t count;
  uint32_t *found;  // Two: becomes 1 for an infinity, for what is no number.
} berth_check_params_t;

#endif  // BERTH_CUDA_OPS_CHECK_PARAMS_H_
