// conv_shape.c - Shapes of convolutions and their gradients.
#include <string.h>

#include "graph/shape_fn.h"
#include "graph/shape_value.h"
#include "op/window.h"

// Returns the numbers of attribute |name|, one for each dimension; NULL, with
// an error, when it has another count.
static const int64_t *numbers_of(const berth_shape_context_t *c,
                                 const char *name, int count,
                                 berth_error_t *err) {
  static const int64_t ones[] = {1, 1, 1, 1, 1};
  const berth_attr_value_t *value = berth_node_attr(c->node, name);
  if (value == NULL) return ones;  // The op knows no gaps.
  int found = value->count;
  if (found == count) return value->i_list;
  bool is_stride = name[0] == 's';
  const char *op = c->node->op->name;
  const char *format = berth_node_attr_string(c->node, "data_format", "NHWC");
  bool is_plain = strcmp(op, "Conv2D") == 0, is_depthwise = op[0] == 'D';
  bool is_fused = op[0] == 'F';
  (void)berth_error_set(
      err, BERTH_INVALID_ARGUMENT,
      "%s%s%s requires the %s attribute to contain %d values, but got: %d",
      is_depthwise ? "DepthwiseConv2D" : is_fused ? "Operation" : op,
      is_plain && is_stride ? " on data format " : "",
      is_plain && is_stride ? format : "",
      is_stride      ? "stride"
      : is_depthwise ? "dilations"
                     : "dilation",
      count, found);
  return NULL;
}

// Infers how many places |axis| gives, as far as its sizes are known; -1 where
// they are not.
static berth_code_t count_places(berth_window_axis_t *axis,
                                 berth_padding_t padding, int64_t *out,
                                 berth_error_t *err) {
  *out = -1;
  if (axis->stride < 1) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Stride must be > 0, but got %lld",
                           (long long)axis->stride);
  }
  if (axis->dilation < 1) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Dilation rate must be >= 1, but got %lld",
                           (long long)axis->dilation);
  }
  if (axis->in < 0) return BERTH_OK;
  int64_t room = 0, extent = 0;
  if (padding == BERTH_PADDING_SAME) {
    *out = axis->in / axis->stride + (axis->in % axis->stride != 0);
    return BERTH_OK;
  }
  if (axis->window < 0) return BERTH_OK;
  if (__builtin_add_overflow(axis->in, axis->before, &room) ||
      __builtin_add_overflow(room, axis->after, &room) ||
      __builtin_mul_overflow(axis->window - 1, axis->dilation, &extent) ||
      extent == INT64_MAX) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "A convolution over %lld with a filter of %lld is "
                           "too large",
                           (long long)axis->in, (long long)axis->window);
  }
  extent = axis->window == 0 ? 0 : extent + 1;
  if (extent > room) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Negative dimension size caused by subtracting %lld "
                           "from %lld",
                           (long long)extent, (long long)room);
  }
  *out = (room - extent) / axis->stride + 1;
  return BERTH_OK;
}

// Infers the places along each axis from the image and the filter.
static berth_code_t infer_space(berth_shape_context_t *c,
                                berth_window_t *window, berth_dims_t in,
                                berth_dims_t filter, int64_t *dims,
                                berth_error_t *err) {
  berth_image_layout_t layout = window->layout;
  const int64_t *gaps = numbers_of(c, "dilations", layout.axes + 2, err);
  if (gaps == NULL) return BERTH_INVALID_ARGUMENT;
  const int64_t *strides = numbers_of(c, "strides", layout.axes + 2, err);
  if (strides == NULL) return BERTH_INVALID_ARGUMENT;
  BERTH_TRY(berth_window_read_paddings(c->node, window, err));
  for (int i = 0; i < layout.axes; ++i) {
    int at = berth_image_space(layout, i);
    berth_window_axis_t *axis = &window->axes[berth_window_axis_at(layout, i)];
    axis->in = in.dims[at];
    axis->window = filter.dims[i];
    axis->stride = strides[at];
    axis->dilation = gaps[at];
    BERTH_TRY(count_places(axis, berth_padding_of(c->node), &dims[at], err));
  }
  return BERTH_OK;
}

// Checks that the channels of the image are whole groups for the filter.
static berth_code_t check_depth(int64_t depth, int64_t part, int64_t out,
                                berth_error_t *err) {
  if (depth < 0 || part <= 0) return BERTH_OK;
  if (depth % part != 0) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Depth of input (%lld) is not a multiple of input "
                           "depth of filter (%lld)",
                           (long long)depth, (long long)part);
  }
  int64_t groups = depth / part;
  if (groups <= 1 || out < 0 || out % groups == 0) return BERTH_OK;
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "Depth of output (%lld) is not a multiple of the "
                         "number of groups (%lld)",
                         (long long)out, (long long)groups);
}

static berth_code_t infer(berth_shape_context_t *c, int axes, bool is_depthwise,
                          berth_error_t *err) {
  berth_dims_t in, filter;
  BERTH_TRY(berth_shape_with_rank(c, berth_shape_in(c, 0), axes + 2, &in, err));
  BERTH_TRY(
      berth_shape_with_rank(c, berth_shape_in(c, 1), axes + 2, &filter, err));
  int64_t *dims = berth_shape_room(c, axes + 2);
  if (dims == NULL) return berth_error_no_memory(err, "a shape");
  berth_window_t window = berth_window_init(berth_image_of(c->node, axes));
  int channel = berth_image_channel(window.layout);
  int64_t depth = in.dims[channel];
  int64_t part = filter.dims[axes], last = filter.dims[axes + 1];
  if (is_depthwise) {
    BERTH_TRY(berth_shape_merge_dims(depth, part, &depth, err));
    dims[channel] = depth < 0 || last < 0 ? -1 : depth * last;
  } else {
    BERTH_TRY(check_depth(depth, part, last, err));
    dims[channel] = last;
  }
  dims[0] = in.dims[0];
  BERTH_TRY(infer_space(c, &window, in, filter, dims, err));
  c->outputs[0] = (berth_dims_t){axes + 2, dims};
  return BERTH_OK;
}

BERTH_INFER(conv2d) { return infer(c, 2, false, err); }

BERTH_INFER(conv3d) { return infer(c, 3, false, err); }

BERTH_INFER(depthwise_conv2d) { return infer(c, 2, true, err); }

// The shape is what input |index| holds.
static berth_code_t infer_held(berth_shape_context_t *c, int index, int rank,
                               berth_error_t *err) {
  berth_dims_t held;
  BERTH_TRY(berth_shape_from_value(c, index, &held, err));
  c->asked_shapes = 0;  // Messages do not list it.
  return berth_shape_with_rank(c, held, rank, &c->outputs[0], err);
}

BERTH_INFER(conv2d_filter) { return infer_held(c, 1, 4, err); }

BERTH_INFER(conv3d_filter) { return infer_held(c, 1, 5, err); }

BERTH_INFER(conv3d_image) { return infer_held(c, 0, 5, err); }

BERTH_INFER(depthwise_image) { return infer_held(c, 0, 4, err); }

// Two numbers are height and width alone; the rest is known otherwise.
BERTH_INFER(conv2d_image) {
  berth_dims_t held, filter, out;
  BERTH_TRY(berth_shape_from_value(c, 0, &held, err));
  c->asked_shapes = 0;  // Messages do not list it.
  BERTH_TRY(berth_shape_with_rank(c, berth_shape_in(c, 1), 4, &filter, err));
  BERTH_TRY(berth_shape_with_rank(c, berth_shape_in(c, 2), 4, &out, err));
  if (held.rank >= 0 && held.rank != 2 && held.rank != 4) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Conv2DBackpropInput requires input_sizes to "
                           "contain 4 values or 2 values, but got: %d",
                           (int)held.rank);
  }
  int64_t *dims = berth_shape_room(c, 4);
  if (dims == NULL) return berth_error_no_memory(err, "a shape");
  berth_image_layout_t layout = berth_image_of(c->node, 2);
  for (int i = 0; i < 4; ++i) dims[i] = held.rank == 4 ? held.dims[i] : -1;
  if (held.rank == 2) {
    dims[berth_image_channel(layout)] = filter.dims[2];
    dims[berth_image_space(layout, 0)] = held.dims[0];
    dims[berth_image_space(layout, 1)] = held.dims[1];
  }
  dims[0] = out.dims[0];
  c->outputs[0] = (berth_dims_t){4, dims};
  return BERTH_OK;
}

// ---- With what comes before ----

// Stores the sizes that input |index| says an image is resized to.
static berth_code_t take_size(berth_shape_context_t *c, int index,
                              int64_t *dims, berth_error_t *err) {
  int64_t count = 2;
  berth_dims_t two = {1, &count}, merged;
  BERTH_TRY(
      berth_shape_merge(c, berth_shape_in(c, index), two, &merged, err));
  const berth_tensor_t *size = berth_shape_value(c, index);
  for (int i = 0; i < 2; ++i) {
    dims[1 + i] = size != NULL ? berth_value_int_at(size, i) : -1;
  }
  return BERTH_OK;
}

// Stores |dims|, with what input |index| adds to them, where that is known.
static berth_code_t add_pads(berth_shape_context_t *c, int index,
                             berth_dims_t in, int64_t *out,
                             berth_error_t *err) {
  berth_dims_t pads = berth_shape_in(c, index), merged;
  BERTH_TRY(berth_shape_with_rank(c, pads, 2, NULL, err));
  int64_t rows = berth_shape_dim(pads, 0), wanted[] = {4, 2};
  if (rows >= 0) {
    BERTH_TRY(berth_shape_with_rank(c, in, (int32_t)rows, NULL, err));
  }
  berth_dims_t whole = {2, wanted};
  BERTH_TRY(berth_shape_merge(c, pads, whole, &merged, err));
  const berth_tensor_t *value = berth_shape_value(c, index);
  for (int i = 0; i < 4; ++i) {
    out[i] = value != NULL ? in.dims[i] : -1;
    if (out[i] < 0) continue;
    out[i] += berth_value_int_at(value, 2 * i);
    out[i] += berth_value_int_at(value, 2 * i + 1);
  }
  return BERTH_OK;
}

BERTH_INFER(fused_conv) {
  berth_dims_t in, filter;
  int last = berth_shape_inputs(c) - 1;
  int64_t resized[4], padded[4];
  if (berth_shape_in(c, 0).rank < 0) return BERTH_OK;
  BERTH_TRY(berth_shape_with_rank(c, berth_shape_in(c, 0), 4, &in, err));
  for (int i = 0; i < 4; ++i) resized[i] = in.dims[i];
  if (last == 3) BERTH_TRY(take_size(c, 1, resized, err));
  BERTH_TRY(
      add_pads(c, last - 1, (berth_dims_t){4, resized}, padded, err));
  BERTH_TRY(
      berth_shape_with_rank(c, berth_shape_in(c, last), 4, &filter, err));
  int64_t *dims = berth_shape_room(c, 4);
  if (dims == NULL) return berth_error_no_memory(err, "a shape");
  berth_window_t window = berth_window_init(berth_image_of(c->node, 2));
  BERTH_TRY(
      infer_space(c, &window, (berth_dims_t){4, padded}, filter, dims, err));
  BERTH_TRY(berth_shape_merge_dims(padded[3], filter.dims[2], &padded[3], err));
  dims[0] = padded[0];
  dims[3] = filter.dims[3];
  c->outputs[0] = (berth_dims_t){4, dims};
  return BERTH_OK;
}
