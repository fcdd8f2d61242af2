// window.h - A window that moves over images: what pooling and convolutions
// have in common.
//
// An image has a batch, channels and two or three spatial dimensions. Along
// each of these a window of |window| taps, |dilation| apart, takes |stride|
// steps; |before| and |after| say how far it reaches beyond the image. Output
// |o| sees the inputs
//
//   o * stride - before + t * dilation,   t = 0 ... window - 1
//
// of which those outside [0, in) are padding:
//
//   before        in             after
//   . . | 0 1 2 3 4 5 6 7 8 9 | . .
//   [     o=0     ]
//         [     o=1     ]               stride 2, window 3, dilation 2
//
// Functions are pure and fail with BERTH_INVALID_ARGUMENT in TensorFlow's
// words. A description is immutable once made.
#ifndef BERTH_OP_WINDOW_H_
#define BERTH_OP_WINDOW_H_

#include "op/case.h"

// The most spatial dimensions that an image has.
enum { BERTH_WINDOW_AXES = 3 };

// One spatial dimension.
typedef struct berth_window_axis {
  int64_t in, out;
  int64_t window, stride, dilation;  // All at least 1.
  int64_t before, after;             // Padding: at least 0.
} berth_window_axis_t;

// How the dimensions of an image follow each other: batch, space, channels
// (NHWC, NDHWC), or batch, channels, space (NCHW, NCDHW).
typedef struct berth_image_layout {
  int axes;             // Spatial dimensions: 2 or 3.
  bool channels_first;  // NCHW, NCDHW.
} berth_image_layout_t;

// The whole window. Axes that are not there (the first of three, for images of
// two) are of size 1, so that a loop over three does both.
typedef struct berth_window {
  berth_image_layout_t layout;
  int64_t batch;
  int64_t channels;      // Of the input,
  int64_t out_channels;  // and of the output: the same, but for convolutions.
  berth_window_axis_t axes[BERTH_WINDOW_AXES];  // Depth, height, width.
} berth_window_t;

// How the attribute |padding| pads.
typedef enum berth_padding {
  BERTH_PADDING_VALID,
  BERTH_PADDING_SAME,
  BERTH_PADDING_EXPLICIT,
} berth_padding_t;

// Returns the layout that attribute data_format of |node| names; the one with
// channels last where it has none. |axes| is how many spatial dimensions the op
// works on.
berth_image_layout_t berth_image_of(const berth_node_t *node, int axes);

// Return which dimension of an image, or element of an attribute that has one
// for each dimension (ksize, strides, dilations), is that of the channels and of
// spatial dimension |axis|.
static inline int berth_image_channel(berth_image_layout_t layout) {
  return layout.channels_first ? 1 : layout.axes + 1;
}
static inline int berth_image_space(berth_image_layout_t layout, int axis) {
  return layout.channels_first ? axis + 2 : axis + 1;
}

// Returns where spatial dimension |axis| of |layout| stands in
// berth_window_t.axes: the last ones.
static inline int berth_window_axis_at(berth_image_layout_t layout, int axis) {
  return BERTH_WINDOW_AXES - layout.axes + axis;
}

// Returns a window over images of |layout| with nothing known but that every
// axis is of size 1.
berth_window_t berth_window_init(berth_image_layout_t layout);

// Returns what attribute |padding| of |node| says; VALID where it has none.
berth_padding_t berth_padding_of(const berth_node_t *node);

// Stores the |before| and |after| that attribute explicit_paddings of |node|
// gives for each spatial dimension in |window|, whose layout is known. Fails
// unless it has two numbers for each dimension, none negative, and zeros for
// batch and channels; or none, where the padding is not EXPLICIT.
BERTH_NODISCARD berth_code_t berth_window_read_paddings(
    const berth_node_t *node, berth_window_t *window, berth_error_t *err);

// Fills in |axis->out|, |before| and |after|, by |padding|, from what else is
// known of it; EXPLICIT takes |before| and |after| as they are. Fails when a
// stride or dilation is not positive and when the window does not fit.
BERTH_NODISCARD berth_code_t berth_window_place(berth_window_axis_t *axis,
                                                berth_padding_t padding,
                                                berth_error_t *err);

// Returns how far the taps of |axis| reach, the gaps between them included.
static inline int64_t berth_window_extent(const berth_window_axis_t *axis) {
  return (axis->window - 1) * axis->dilation + 1;
}

// Stores the taps [*out_begin, *out_end) of |axis| that lie inside the image
// for output |o|.
static inline void berth_window_taps(const berth_window_axis_t *axis, int64_t o,
                                     int64_t *out_begin, int64_t *out_end) {
  int64_t first = o * axis->stride - axis->before;
  int64_t begin = first < 0 ? -first : 0;
  int64_t end = axis->in > first ? axis->in - first : 0;
  // Pools have no dilation, and would spend more on divisions than on taps.
  if (axis->dilation != 1) {
    begin = (begin + axis->dilation - 1) / axis->dilation;
    end = (end + axis->dilation - 1) / axis->dilation;
  }
  *out_end = end < axis->window ? end : axis->window;
  *out_begin = begin < *out_end ? begin : *out_end;
}

// Stores the shape of the images that |window| reads or writes: with |in| or
// |out| along each axis.
void berth_window_in_shape(const berth_window_t *window, berth_shape_t *out);
void berth_window_out_shape(const berth_window_t *window, berth_shape_t *out);

#endif  // BERTH_OP_WINDOW_H_
