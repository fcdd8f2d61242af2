// suppress_params.h - What the kernels of NonMaxSuppression are told.
#ifndef BERTH_CUDA_OPS_SUPPRESS_PARAMS_H_
#define BERTH_CUDA_OPS_SUPPRESS_PARAMS_H_

#include <stdint.h>

// Of |count| boxes, |places| says which is the best, the next best and so on.
typedef struct berth_suppress_params {
  const float *boxes, *scores;
  uint32_t *keys;  // A number for each, the smaller the better.
  const uint32_t *places;
  float *corners;   // Four numbers of each box, in order.
  uint8_t *is_out;  // Whether it overlaps one that was taken too much.
  int32_t *taken;   // Which boxes are taken, at most |most|,
  uint32_t *total;  // and how many.
  uint64_t count, most;
  float overlap, score;  // As berth_suppress_t.
} berth_suppress_params_t;

#endif  // BERTH_CUDA_OPS_SUPPRESS_PARAMS_H_
