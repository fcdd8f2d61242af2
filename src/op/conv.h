// conv.h - Convolutions of images and their gradients.
//
// A filter is a window (op/window.h) with a matrix of channels in each tap. Of
// an image, a filter and an output two are given, and the third is asked for:
//
//   y[o, c] = sum over taps t, channels i of   x[o * stride - before + t * dilation, i] w[t, i, c]
//
//   Conv2D                  x, w  ->  y
//   Conv2DBackpropInput     w, dy ->  dx
//   Conv2DBackpropFilter    x, dy ->  dw
//
// Channels may be cut into groups, of which each sees its own part of the
// image. A depthwise convolution is one with as many groups as channels: its
// filter, [taps, channels, multiplier], lies in memory as [taps, 1, channels *
// multiplier] does.
//
// All fail with BERTH_INVALID_ARGUMENT and BERTH_UNIMPLEMENTED in TensorFlow's
// words. Beyond TensorFlow, whose kernels for CPUs refuse them, there are
// channels first, dilations and groups in gradients, and unequal strides in
// depthwise convolutions, everywhere.
//
// Threads: a description is immutable once made.
#ifndef BERTH_OP_CONV_H_
#define BERTH_OP_CONV_H_

#include "op/window.h"

// What is asked for.
typedef enum berth_conv_goal {
  BERTH_CONV_OUTPUT,
  BERTH_CONV_IMAGE,
  BERTH_CONV_FILTER,
} berth_conv_goal_t;

typedef struct berth_conv {
  berth_conv_goal_t goal;
  berth_dtype_t dtype;
  berth_window_t window;  // From the image to the output.
  int64_t groups;         // At least 1.
  // Which inputs they are; what is asked for is the output, whose argument
  // follows the inputs'.
  int image, filter, output;
  bool is_empty;  // The goal has no elements.
  bool is_zero;   // Nothing is summed: the goal is all zeros.
} berth_conv_t;

// Conv2D, Conv3D, DepthwiseConv2dNative and the gradients of each.
BERTH_NODISCARD berth_code_t berth_op_conv(berth_case_t *op,
                                           berth_conv_t *out_conv,
                                           berth_error_t *err);

// Returns the channels of one group, of the image and of the output.
static inline int64_t berth_conv_depth(const berth_conv_t *conv) {
  return conv->window.channels / conv->groups;
}
static inline int64_t berth_conv_out_depth(const berth_conv_t *conv) {
  return conv->window.out_channels / conv->groups;
}

// Returns how many taps the filter has, and how many places the image and the
// output have in space.
int64_t berth_conv_taps(const berth_conv_t *conv);
int64_t berth_conv_places(const berth_conv_t *conv);
int64_t berth_conv_out_places(const berth_conv_t *conv);

#endif  // BERTH_OP_CONV_H_
