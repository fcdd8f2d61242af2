// band_params.h - What the kernels of MatrixBandPart are told.
#ifndef BERTH_CUDA_OPS_BAND_PARAMS_H_
#define BERTH_CUDA_OPS_BAND_PARAMS_H_

#include <stdint.h>

typedef struct berth_band_params {
  void *out;
  const void *in;
  uint64_t count;  // Elements of all matrices.
  uint64_t rows, columns;
  int64_t lower, upper;  // Diagonals that stay, beside the main one.
} berth_band_params_t;

#endif  // BERTH_CUDA_OPS_BAND_PARAMS_H_
