// bucketize_params.h - What the kernels of Bucketize are told.
#ifndef BERTH_CUDA_OPS_BUCKETIZE_PARAMS_H_
#define BERTH_CUDA_OPS_BUCKETIZE_PARAMS_H_

#include <stdint.h>

// Limits that a launch takes along.
enum { BERTH_BUCKETIZE_LIMITS = 256 };

// How many of |limit_count| limits are not above each of |count| numbers.
typedef struct berth_bucketize_params {
  const void *in;
  int32_t *out;
  uint64_t count;
  uint32_t limit_count;
  uint32_t adds;  // To what others of the limits have given.
  float limits[BERTH_BUCKETIZE_LIMITS];
} berth_bucketize_params_t;

#endif  // BERTH_CUDA_OPS_BUCKETIZE_PARAMS_H_
