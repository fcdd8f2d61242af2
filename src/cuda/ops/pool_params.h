// pool_params.h - What the kernels of pooling are told.
#ifndef BERTH_CUDA_OPS_POOL_PARAMS_H_
#define BERTH_CUDA_OPS_POOL_PARAMS_H_

#include <stdint.h>

#include "cuda/math/divide.h"

// One spatial dimension, as in op/window.h, without gaps between taps.
typedef struct berth_pooling_axis {
  int64_t in, out, window, stride, before;
  int64_t in_step, out_step;  // From one to the next, in elements.
} berth_pooling_axis_t;

// The same for kernels that take several channels at a time, all of whose
// numbers have 32 bits.
typedef struct berth_pooling_short_axis {
  berth_divider_t in, out, stride;
  int32_t window, before;
  uint32_t in_step, out_step;
} berth_pooling_short_axis_t;

typedef struct berth_pooling_short {
  const void *in, *grad;
  void *out;
  uint32_t *taps;
  uint32_t count;         // Of threads: elements over the channels of each.
  berth_divider_t packs;  // Of channels.
  uint32_t in_batch_step, out_batch_step;
  // The most that one sees along one of the last two axes: an output of inputs,
  // or, of the gradient, an input of outputs.
  int32_t most;
  berth_pooling_short_axis_t axes[3];
} berth_pooling_short_t;

typedef struct berth_pooling_params {
  const void *in;     // Images.
  const void *grad;   // Of gradients: what goes back,
  const void *found;  // and the largest of each window.
  void *out;
  void *places;    // Of MaxPoolWithArgmax, int64.
  int32_t *taps;   // Of MaxPoolGrad: which tap is the largest, for each output.
  uint64_t count;  // Elements of the output, or of |taps|.
  int64_t batch, channels;
  int64_t in_batch_step, in_channel_step;
  int64_t out_batch_step, out_channel_step;
  uint32_t channels_first;
  uint32_t counts_batch;
  berth_pooling_axis_t axes[3];
} berth_pooling_params_t;

#endif  // BERTH_CUDA_OPS_POOL_PARAMS_H_
