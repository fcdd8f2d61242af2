// conv_finish_params.h - What is done to the output of a convolution.
//
//   y + bias, normalised, + added, and what is below zero becomes zero
//
// Each but y may be missing. What is done by channel, y * factor + shift, can
// become part of the filter and of one bias.
#ifndef BERTH_CUDA_OPS_CONV_FINISH_PARAMS_H_
#define BERTH_CUDA_OPS_CONV_FINISH_PARAMS_H_

#include <stdint.h>

typedef struct berth_conv_finish_params {
  float *y;  // [count / channels, channels]
  uint64_t count, channels;
  const float *bias;                              // Or NULL.
  const float *scale, *offset, *mean, *variance;  // Or NULL.
  float epsilon;
  uint32_t is_relu;
  const float *added;  // As y; or NULL.
  // For what becomes part of others: the filter [channels, per], in place, and
  // the bias that is made.
  float *filter;
  uint64_t filter_count, per;
  float *made_bias;
} berth_conv_finish_params_t;

#endif  // BERTH_CUDA_OPS_CONV_FINISH_PARAMS_H_
