// random_params.h - What the kernels of random numbers are told.
#ifndef BERTH_CUDA_RANDOM_PARAMS_H_
#define BERTH_CUDA_RANDOM_PARAMS_H_

#include <stdint.h>

typedef struct berth_random_params {
  void *out;
  uint64_t count;       // Outputs.
  uint32_t counter[4];  // Where the sequence begins (state/philox.h).
  uint32_t key[2];
  uint64_t low, range;  // Of integers: low <= x < low + range.
} berth_random_params_t;

#endif  // BERTH_CUDA_RANDOM_PARAMS_H_
