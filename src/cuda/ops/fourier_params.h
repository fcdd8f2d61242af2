// fourier_params.h - What the kernel behind a Fourier transform is told.
#ifndef BERTH_CUDA_OPS_FOURIER_PARAMS_H_
#define BERTH_CUDA_OPS_FOURIER_PARAMS_H_

#include <stdint.h>

// |count| real numbers, or parts of complex ones, are multiplied.
typedef struct berth_fourier_params {
  void *data;
  uint64_t count;
  double factor;
} berth_fourier_params_t;

#endif  // BERTH_CUDA_OPS_FOURIER_PARAMS_H_
