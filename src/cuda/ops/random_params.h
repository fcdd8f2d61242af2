// random_params.h - What the kernels of random numbers are told.
#ifndef BERTH_CUDA_OPS_RANDOM_PARAMS_H_
#define BERTH_CUDA_OPS_RANDOM_PARAMS_H_

#include <stdint.h>

// The header is the host's own; kernels use its functions all the same.
#ifdef __CUDA_ARCH__
#pragma clang force_cuda_host_device begin
#endif
#include "state/philox.h"
#ifdef __CUDA_ARCH__
#pragma clang force_cuda_host_device end
#endif

typedef struct berth_random_params {
  void *out;
  uint64_t count;        // Outputs.
  berth_philox_t start;  // Where the sequence begins.
  uint64_t low, range;   // Of integers: low <= x < low + range.
  // Where the sequence begins, on the card; |key| is NULL where |start| says.
  const uint64_t *key, *counter;
  uint64_t counters;  // Numbers at |counter|.
} berth_random_params_t;

#endif  // BERTH_CUDA_OPS_RANDOM_PARAMS_H_
