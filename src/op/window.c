// window.c - Windows over images: layouts, paddings, sizes.
#include "op/window.h"

#include <string.h>

berth_image_layout_t berth_image_of(const berth_node_t *node, int axes) {
  const char *format = berth_node_attr_string(node, "data_format", "");
  bool is_first = strncmp(format, "NC", 2) == 0;
  return (berth_image_layout_t){.axes = axes, .channels_first = is_first};
}

berth_window_t berth_window_init(berth_image_layout_t layout) {
  berth_window_t window = {.layout = layout};
  for (int i = 0; i < BERTH_WINDOW_AXES; ++i) {
    window.axes[i] = (berth_window_axis_t){
        .in = 1, .out = 1, .window = 1, .stride = 1, .dilation = 1};
  }
  return window;
}

berth_padding_t berth_padding_of(const berth_node_t *node) {
  const char *padding = berth_node_attr_string(node, "padding", "VALID");
  if (strcmp(padding, "SAME") == 0) return BERTH_PADDING_SAME;
  return strcmp(padding, "EXPLICIT") == 0 ? BERTH_PADDING_EXPLICIT
                                          : BERTH_PADDING_VALID;
}

// No sum of sizes overflows where each is below this.
#define MOST_PADDING (INT64_MAX / 4)

static berth_code_t check_sizes(const berth_attr_value_t *value,
                                berth_error_t *err) {
  for (int i = 0; i < value->count; ++i) {
    if (value->i_list[i] < 0) {
      return berth_error_set(
          err, BERTH_INVALID_ARGUMENT,
          "All elements of explicit_paddings must be nonnegative");
    }
    if (value->i_list[i] > MOST_PADDING) {
      return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                             "explicit_paddings has %lld, which no image is "
                             "large enough for",
                             (long long)value->i_list[i]);
    }
  }
  return BERTH_OK;
}

static berth_code_t check_paddings(const berth_attr_value_t *value,
                                   berth_image_layout_t layout,
                                   berth_error_t *err) {
  int count = value != NULL ? value->count : 0;
  if (count != 2 * (layout.axes + 2)) {
    return berth_error_set(
        err, BERTH_INVALID_ARGUMENT,
        "explicit_paddings attribute must contain %d values, but got: %d",
        2 * (layout.axes + 2), count);
  }
  BERTH_TRY(check_sizes(value, err));
  const int64_t *pads = value->i_list;
  int channel = berth_image_channel(layout);
  if (pads[0] != 0 || pads[1] != 0 || pads[2 * channel] != 0 ||
      pads[2 * channel + 1] != 0) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Nonzero explicit padding in the batch or depth "
                           "dimensions is not supported");
  }
  return BERTH_OK;
}

berth_code_t berth_window_read_paddings(const berth_node_t *node,
                                        berth_window_t *window,
                                        berth_error_t *err) {
  berth_image_layout_t layout = window->layout;
  const berth_attr_value_t *value = berth_node_attr(node, "explicit_paddings");
  if (berth_padding_of(node) != BERTH_PADDING_EXPLICIT) {
    if (value == NULL || value->count == 0) return BERTH_OK;
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "explicit_paddings attribute must be empty if the "
                           "padding attribute is not EXPLICIT");
  }
  BERTH_TRY(check_paddings(value, layout, err));
  for (int i = 0; i < layout.axes; ++i) {
    berth_window_axis_t *axis = &window->axes[berth_window_axis_at(layout, i)];
    const int64_t *pads = value->i_list + 2 * berth_image_space(layout, i);
    axis->before = pads[0];
    axis->after = pads[1];
  }
  return BERTH_OK;
}

static berth_code_t check_steps(const berth_window_axis_t *axis,
                                berth_error_t *err) {
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
  return BERTH_OK;
}

// Pads so that there are as many outputs as steps, the odd one behind.
static void place_same(berth_window_axis_t *axis) {
  axis->out = (axis->in + axis->stride - 1) / axis->stride;
  int64_t reach = (axis->out - 1) * axis->stride + berth_window_extent(axis);
  int64_t missing = reach > axis->in ? reach - axis->in : 0;
  axis->before = missing / 2;
  axis->after = missing - axis->before;
}

berth_code_t berth_window_place(berth_window_axis_t *axis,
                                berth_padding_t padding, berth_error_t *err) {
  BERTH_TRY(check_steps(axis, err));
  if (padding == BERTH_PADDING_SAME) {
    place_same(axis);
    return BERTH_OK;
  }
  if (padding == BERTH_PADDING_VALID) axis->before = axis->after = 0;
  int64_t extent = berth_window_extent(axis);
  int64_t room = axis->in + axis->before + axis->after;
  axis->out = (room - extent + axis->stride) / axis->stride;
  if (axis->out >= 0) return BERTH_OK;
  return berth_error_set(
      err, BERTH_INVALID_ARGUMENT,
      "Computed output size would be negative: %lld [input_size: %lld, "
      "effective_filter_size: %lld, stride: %lld]",
      (long long)axis->out, (long long)axis->in, (long long)extent,
      (long long)axis->stride);
}

static void set_shape(const berth_window_t *window, bool is_in,
                      berth_shape_t *out) {
  berth_image_layout_t layout = window->layout;
  int64_t dims[BERTH_WINDOW_AXES + 2];
  dims[0] = window->batch;
  dims[berth_image_channel(layout)] =
      is_in ? window->channels : window->out_channels;
  for (int i = 0; i < layout.axes; ++i) {
    const berth_window_axis_t *axis =
        &window->axes[berth_window_axis_at(layout, i)];
    dims[berth_image_space(layout, i)] = is_in ? axis->in : axis->out;
  }
  berth_shape_set(out, (berth_dims_t){layout.axes + 2, dims});
}

void berth_window_in_shape(const berth_window_t *window, berth_shape_t *out) {
  set_shape(window, true, out);
}

void berth_window_out_shape(const berth_window_t *window, berth_shape_t *out) {
  set_shape(window, false, out);
}
