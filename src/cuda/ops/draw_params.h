// draw_params.h - What the kernels of Multinomial are told.
#ifndef BERTH_CUDA_OPS_DRAW_PARAMS_H_
#define BERTH_CUDA_OPS_DRAW_PARAMS_H_

#include "cuda/ops/random_params.h"

// |count| draws from each of |rows| rows of |classes|.
typedef struct berth_draw_params {
  void *out;
  const void *logits;
  double *sums;  // Of what the classes up to each weigh.
  uint64_t rows, classes, count;
  berth_philox_t start;  // Where the sequence begins.
  uint32_t is_wide;      // Numbers of classes have 64 bits.
} berth_draw_params_t;

#endif  // BERTH_CUDA_OPS_DRAW_PARAMS_H_
