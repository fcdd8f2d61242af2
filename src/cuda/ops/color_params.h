// color_params.h - What the kernels of colours are told.
#ifndef BERTH_CUDA_OPS_COLOR_PARAMS_H_
#define BERTH_CUDA_OPS_COLOR_PARAMS_H_

#include <stdint.h>

// |images| of |pixels| of |channels| numbers: three, but for contrasts.
typedef struct berth_color_params {
  const void *in;
  const float *amount;  // On the card; NULL where there is none.
  void *out;
  uint64_t images, pixels, channels;
} berth_color_params_t;

#endif  // BERTH_CUDA_OPS_COLOR_PARAMS_H_
