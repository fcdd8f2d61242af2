// conv_params.h - What the kernels of convolutions are told.
#ifndef BERTH_CUDA_OPS_CONV_PARAMS_H_
#define BERTH_CUDA_OPS_CONV_PARAMS_H_

#include <stdint.h>

// One spatial dimension, as in op/window.h.
typedef struct berth_conv_axis {
  int64_t in, out, window, stride, dilation, before;
} berth_conv_axis_t;

// How an image lies in memory: steps in elements.
typedef struct berth_conv_image {
  int64_t batch, place, channel;
} berth_conv_image_t;

typedef struct berth_conv_params {
  const void *image, *filter, *output;  // One of them is NULL,
  void *goal;                           // and asked for.
  uint64_t count;                       // Elements of the goal.
  int64_t batch, channels, out_channels;
  int64_t depth, out_depth;  // Channels of a group.
  uint32_t channels_first;
  berth_conv_image_t x, y;
  berth_conv_axis_t axes[3];
} berth_conv_params_t;

#endif  // BERTH_CUDA_OPS_CONV_PARAMS_H_
