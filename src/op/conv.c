// conv.c - Convolutions and their gradients: checks, sizes.
#include "op/conv.h"

#include <string.h>

#include "op/value.h"

enum { MOST_DIMS = BERTH_WINDOW_AXES + 2 };

// Which op it is, as its checks and words depend on it.
typedef struct kind {
  berth_conv_goal_t goal;
  int axes;
  bool is_depthwise;
  bool is_first;  // The first version of a gradient in three dimensions.
} kind_t;

static kind_t kind_of(const berth_node_t *node) {
  const char *name = node->op->name;
  kind_t kind = {.goal = BERTH_CONV_OUTPUT,
                 .axes = strstr(name, "3D") != NULL ? 3 : 2,
                 .is_depthwise = strstr(name, "Depthwise") != NULL};
  if (strstr(name, "BackpropInput") != NULL) kind.goal = BERTH_CONV_IMAGE;
  if (strstr(name, "BackpropFilter") != NULL) kind.goal = BERTH_CONV_FILTER;
  kind.is_first = kind.axes == 3 && strstr(name, "V2") == NULL;
  return kind;
}

// Returns the name that gradients are called by in messages.
static const char *title(kind_t kind) {
  bool is_image = kind.goal == BERTH_CONV_IMAGE;
  if (kind.is_depthwise) {
    return is_image ? "DepthwiseConv2DBackpropInput"
                    : "DepthwiseConv2DBackpropFilter";
  }
  if (kind.axes == 3) {
    return is_image ? "Conv3DBackpropInputOp" : "Conv3DBackpropFilterOp";
  }
  return is_image ? "Conv2DCustomBackpropInput" : "Conv2DCustomBackpropFilter";
}

#define INVALID(...) berth_error_set(err, BERTH_INVALID_ARGUMENT, __VA_ARGS__)

// ---- Attributes ----

// Reads |name|, a number for each dimension.
static berth_code_t read_numbers(const berth_node_t *node, const char *name,
                                 int count, int64_t *out, berth_error_t *err) {
  const berth_attr_value_t *value = berth_node_attr(node, name);
  if (value == NULL) {  // The op knows no gaps.
    for (int i = 0; i < count; ++i) out[i] = 1;
    return BERTH_OK;
  }
  if (value->count != count) {
    return INVALID("Sliding window %s field must specify %d dimensions", name,
                   count);
  }
  for (int i = 0; i < count; ++i) {
    out[i] = value->i_list[i];
    if (out[i] > INT32_MAX || out[i] < INT32_MIN) {
      return INVALID("Attr %s has value %lld out of range for an int32", name,
                     (long long)out[i]);
    }
  }
  return BERTH_OK;
}

// Fails unless batch and channels are walked one by one.
static berth_code_t check_outer(kind_t kind, berth_image_layout_t layout,
                                const int64_t *numbers, const char *name,
                                berth_error_t *err) {
  if (numbers[0] == 1 && numbers[berth_image_channel(layout)] == 1) {
    return BERTH_OK;
  }
  bool is_plain = kind.axes == 2 && !kind.is_depthwise;
  return berth_error_set(
      err, is_plain ? BERTH_UNIMPLEMENTED : BERTH_INVALID_ARGUMENT,
      "Current implementation does not yet support %s in "
      "the batch and depth dimensions.",
      name);
}

static berth_code_t check_strides(kind_t kind, berth_image_layout_t layout,
                                  const int64_t *strides, berth_error_t *err) {
  BERTH_TRY(check_outer(kind, layout, strides, "strides", err));
  for (int i = 0; i < kind.axes; ++i) {
    if (strides[berth_image_space(layout, i)] > 0) continue;
    return kind.axes == 3
               ? INVALID("Spatial strides should be larger than 0.")
               : INVALID("Row and column strides should be larger than 0.");
  }
  return BERTH_OK;
}

static berth_code_t check_dilations(kind_t kind, berth_image_layout_t layout,
                                    const int64_t *gaps, berth_error_t *err) {
  BERTH_TRY(check_outer(kind, layout, gaps, "dilations", err));
  for (int i = 0; i < kind.axes; ++i) {
    if (gaps[berth_image_space(layout, i)] > 0) continue;
    return INVALID("Dilated rates should be larger than 0.");
  }
  return BERTH_OK;
}

// Reads what attributes say of the window.
static berth_code_t read_window(const berth_case_t *op, kind_t kind,
                                berth_window_t *window, berth_error_t *err) {
  berth_image_layout_t layout = berth_image_of(op->node, kind.axes);
  int64_t strides[MOST_DIMS], gaps[MOST_DIMS];
  *window = berth_window_init(layout);
  BERTH_TRY(read_numbers(op->node, "dilations", kind.axes + 2, gaps, err));
  BERTH_TRY(read_numbers(op->node, "strides", kind.axes + 2, strides, err));
  BERTH_TRY(check_strides(kind, layout, strides, err));
  BERTH_TRY(check_dilations(kind, layout, gaps, err));
  for (int i = 0; i < kind.axes; ++i) {
    berth_window_axis_t *axis = &window->axes[berth_window_axis_at(layout, i)];
    axis->stride = strides[berth_image_space(layout, i)];
    axis->dilation = gaps[berth_image_space(layout, i)];
  }
  return berth_window_read_paddings(op->node, window, err);
}

// ---- Shapes ----

// What the image, the filter and the output are, whether given or asked for.
// An output that is asked for has no dimensions yet.
typedef struct sizes {
  int64_t image[MOST_DIMS], filter[MOST_DIMS], output[MOST_DIMS];
} sizes_t;

static berth_code_t rank_error(kind_t kind, const berth_case_input_t *input,
                               const char *what, berth_error_t *err) {
  char text[BERTH_DIMS_TEXT];
  int rank = kind.axes + 2;
  bool is_filter = what[0] == 'f';
  if (kind.axes == 3 && is_filter &&
      (kind.goal == BERTH_CONV_FILTER ||
       (kind.goal == BERTH_CONV_IMAGE && kind.is_first))) {
    return INVALID("filter_sizes tensor must have %d dimensions", rank);
  }
  if (kind.goal == BERTH_CONV_IMAGE && kind.axes == 2 && !kind.is_depthwise &&
      input->rank == 1) {
    return INVALID(
        "Conv2DBackpropInput requires input_sizes to contain 4 values or 2 "
        "values, but got: %lld",
        (long long)input->count);
  }
  if (kind.goal != BERTH_CONV_OUTPUT) {
    return kind.axes == 3
               ? INVALID("%s tensor must have %d dimensions", what, rank)
               : INVALID("%s: %s must be %d-dimensional", title(kind), what,
                         rank);
  }
  if (kind.axes == 3) return INVALID("%s must be %d-dimensional", what, rank);
  return INVALID("%s%s must be %d-dimensional%s%s",
                 kind.is_depthwise ? "" : "convolution ", what, rank,
                 kind.is_depthwise && !is_filter ? "" : ": ",
                 berth_input_text(input, text));
}

// Takes the shape of input |index|.
static berth_code_t take_shape(const berth_case_t *op, kind_t kind, int index,
                               const char *what, int64_t *out,
                               berth_error_t *err) {
  const berth_case_input_t *input = &op->inputs[index];
  if (input->rank != kind.axes + 2) return rank_error(kind, input, what, err);
  for (int i = 0; i < input->rank; ++i) out[i] = input->dims[i];
  return BERTH_OK;
}

// Reads the shape that input |index| holds. For an image of two dimensions the
// rest is that of the output and the filter.
static berth_code_t read_shape(const berth_case_t *op, kind_t kind, int index,
                               const char *what, const sizes_t *sizes,
                               int64_t *out, berth_error_t *err) {
  const berth_case_input_t *input = &op->inputs[index];
  berth_image_layout_t layout = berth_image_of(op->node, kind.axes);
  bool is_image = kind.goal == BERTH_CONV_IMAGE;
  // First versions take a tensor of that shape.
  if (kind.is_first) return take_shape(op, kind, index, what, out, err);
  bool is_short = is_image && kind.axes == 2 && !kind.is_depthwise &&
                  input->rank == 1 && input->count == 2;
  if (input->rank != 1 || (input->count != kind.axes + 2 && !is_short)) {
    return rank_error(kind, input, what, err);
  }
  if (is_short) {
    out[0] = sizes->output[0];
    out[berth_image_channel(layout)] = sizes->filter[kind.axes];
  }
  for (int i = 0; i < (int)input->count; ++i) {
    int64_t size = berth_value_int(input, i);
    if (size < 0 && kind.is_depthwise) {
      return INVALID("Dimension %d of %s_sizes must be >= 0", i, what);
    }
    if (size < 0) {
      return INVALID("Dimension %lld must be >= 0", (long long)size);
    }
    out[is_short ? berth_image_space(layout, i) : i] = size;
  }
  return BERTH_OK;
}

static berth_code_t read_sizes(const berth_case_t *op, kind_t kind,
                               sizes_t *sizes, berth_error_t *err) {
  switch (kind.goal) {
    case BERTH_CONV_OUTPUT:
      BERTH_TRY(take_shape(op, kind, 0, "input", sizes->image, err));
      return take_shape(op, kind, 1, "filter", sizes->filter, err);
    case BERTH_CONV_IMAGE:
      BERTH_TRY(take_shape(op, kind, 1, "filter", sizes->filter, err));
      BERTH_TRY(take_shape(op, kind, 2, "out_backprop", sizes->output, err));
      return read_shape(op, kind, 0, "input", sizes, sizes->image, err);
    default:
      BERTH_TRY(take_shape(op, kind, 0, "input", sizes->image, err));
      BERTH_TRY(take_shape(op, kind, 2, "out_backprop", sizes->output, err));
      return read_shape(op, kind, 1, "filter", sizes, sizes->filter, err);
  }
}

// ---- Channels ----

static berth_code_t depth_error(kind_t kind, int64_t depth, int64_t part,
                                berth_error_t *err) {
  bool is_goal = kind.goal == BERTH_CONV_OUTPUT;
  if (kind.is_depthwise) {
    if (!is_goal) {
      return INVALID("%s: input and filter must have the same in_depth",
                     title(kind));
    }
    return INVALID("input and filter must have the same depth: %lld vs %lld",
                   (long long)depth, (long long)part);
  }
  if (part == 0 && is_goal) {
    return INVALID("%s", kind.axes == 3
                             ? "filter_depth must be non-zero"
                             : "filter depth must be stricly positive, got 0");
  }
  if (depth == 0 && is_goal) {
    return INVALID(
        "Number of channels in filter (%lld) must match last dimension of "
        "input (%lld)",
        (long long)part, (long long)depth);
  }
  if (!is_goal && kind.axes == 3) {
    return INVALID(
        "input and filter_sizes must have the same number of channels. Got "
        "%lld for input and %lld for filter_sizes",
        (long long)depth, (long long)part);
  }
  if (!is_goal) {
    return INVALID("%s: input depth must be evenly divisible by filter depth",
                   title(kind));
  }
  return INVALID(
      "%s depth must be evenly divisible by filter depth: %lld vs %lld",
      kind.axes == 3 ? "Input" : "input", (long long)depth, (long long)part);
}

// Finds how many groups there are: |depth| channels of the image, |part| of the
// filter.
static berth_code_t count_groups(kind_t kind, int64_t depth, int64_t part,
                                 int64_t *out, berth_error_t *err) {
  bool fits = kind.is_depthwise ? part == depth
                                : part > 0 && depth % part == 0 && depth > 0;
  // Without channels there is nothing to sum; gradients may be so.
  if (!kind.is_depthwise && depth == 0 && part == 0 &&
      kind.goal != BERTH_CONV_OUTPUT) {
    *out = 1;
    return BERTH_OK;
  }
  bool may_be_none = !kind.is_depthwise && kind.axes == 2;
  if (kind.goal != BERTH_CONV_OUTPUT) may_be_none = true;
  if (!fits && !(may_be_none && part > 0 && depth == 0)) {
    return depth_error(kind, depth, part, err);
  }
  *out = kind.is_depthwise ? depth : depth / part;
  if (*out < 1) *out = 1;
  return BERTH_OK;
}

// Checks the channels of the output, |depth|, if it is given.
static berth_code_t check_out_depth(kind_t kind, int64_t wanted, int64_t depth,
                                    int64_t groups, berth_error_t *err) {
  if (kind.goal == BERTH_CONV_OUTPUT) {
    if (kind.is_depthwise || wanted % groups == 0) return BERTH_OK;
    return INVALID(
        "output depth must be evenly divisible by number of groups: %lld vs "
        "%lld",
        (long long)wanted, (long long)groups);
  }
  if (depth != wanted && kind.is_depthwise) {
    return INVALID("%s: depth_multiplier * in_depth not equal to out_depth",
                   title(kind));
  }
  if (depth != wanted && kind.axes == 3) {
    return INVALID(
        "out_backprop and filter_sizes must have the same number of channels. "
        "Got %lld for out_backprop and %lld for filter_sizes",
        (long long)depth, (long long)wanted);
  }
  if (depth != wanted) {
    return INVALID("%s: filter and out_backprop must have the same out_depth",
                   title(kind));
  }
  return wanted % groups == 0
             ? BERTH_OK
             : INVALID(
                   "%s: out_depth must be evenly divisible by the number "
                   "of groups, %lld",
                   title(kind), (long long)groups);
}

static berth_code_t set_channels(kind_t kind, const sizes_t *sizes,
                                 berth_conv_t *conv, berth_error_t *err) {
  berth_window_t *window = &conv->window;
  int channel = berth_image_channel(window->layout);
  const int64_t *filter = sizes->filter;
  int64_t part = filter[kind.axes], last = filter[kind.axes + 1];
  window->channels = sizes->image[channel];
  BERTH_TRY(count_groups(kind, window->channels, part, &conv->groups, err));
  if (kind.axes == 3 && conv->groups > 1) {
    if (kind.goal != BERTH_CONV_OUTPUT) {
      return depth_error(kind, window->channels, part, err);
    }
    return INVALID(
        "Number of channels in filter (%lld) must match last dimension of "
        "input (%lld)",
        (long long)part, (long long)window->channels);
  }
  window->out_channels = kind.is_depthwise ? part * last : last;
  return check_out_depth(kind, window->out_channels, sizes->output[channel],
                         conv->groups, err);
}

// ---- Space ----

static berth_code_t check_batch(kind_t kind, const sizes_t *sizes,
                                berth_error_t *err) {
  if (kind.goal == BERTH_CONV_OUTPUT || sizes->image[0] == sizes->output[0]) {
    return BERTH_OK;
  }
  if (kind.is_depthwise) {
    return INVALID("%s: input and out_backprop must have the same batch size",
                   title(kind));
  }
  return INVALID(
      "%s: input and out_backprop must have the same batch size. Input batch: "
      "%lld, outbackprop batch: %lld, batch_dim: 0",
      title(kind), (long long)sizes->image[0], (long long)sizes->output[0]);
}

// Fails because the output has |found| places along an axis, which is to have
// others.
static berth_code_t place_error(kind_t kind, berth_image_layout_t layout, int i,
                                const berth_window_axis_t *axis, int64_t found,
                                berth_error_t *err) {
  if (kind.is_depthwise) {
    return INVALID(
        "%s: Number of %s of out_backprop doesn't match computed: actual = "
        "%lld, computed = %lld",
        title(kind), i == 0 ? "rows" : "cols", (long long)found,
        (long long)axis->out);
  }
  return INVALID(
      "%s: Size of out_backprop doesn't match computed: actual = %lld, "
      "computed = %lld spatial_dim: %d input: %lld filter: %lld output: %lld "
      "stride: %lld dilation: %lld",
      title(kind), (long long)found, (long long)axis->out,
      berth_image_space(layout, i), (long long)axis->in,
      (long long)axis->window, (long long)found, (long long)axis->stride,
      (long long)axis->dilation);
}

static berth_code_t set_space(const berth_case_t *op, kind_t kind,
                              const sizes_t *sizes, berth_window_t *window,
                              berth_error_t *err) {
  berth_image_layout_t layout = window->layout;
  berth_padding_t padding = berth_padding_of(op->node);
  for (int i = 0; i < kind.axes; ++i) {
    berth_window_axis_t *axis = &window->axes[berth_window_axis_at(layout, i)];
    int at = berth_image_space(layout, i);
    axis->in = sizes->image[at];
    axis->window = sizes->filter[i];
    BERTH_TRY(berth_window_place(axis, padding, err));
    if (kind.goal != BERTH_CONV_OUTPUT && axis->out != sizes->output[at]) {
      return place_error(kind, layout, i, axis, sizes->output[at], err);
    }
  }
  return BERTH_OK;
}

// Sizes below this can be multiplied by strides and dilations.
static berth_code_t check_small(kind_t kind, const sizes_t *sizes,
                                berth_error_t *err) {
  for (int i = 0; i < kind.axes + 2; ++i) {
    if (sizes->filter[i] > INT32_MAX) return INVALID("filter too large");
    if (sizes->image[i] > INT32_MAX) return INVALID("Input too large");
  }
  return BERTH_OK;
}

// ---- The goal ----

static berth_code_t set_goal(berth_case_t *op, kind_t kind,
                             const sizes_t *sizes, berth_conv_t *conv,
                             berth_error_t *err) {
  berth_shape_t shape;
  const berth_window_t *window = &conv->window;
  if (kind.goal == BERTH_CONV_OUTPUT) {
    berth_window_out_shape(window, &shape);
  } else {
    bool is_image = kind.goal == BERTH_CONV_IMAGE;
    berth_shape_set(
        &shape,
        (berth_dims_t){kind.axes + 2, is_image ? sizes->image : sizes->filter});
  }
  int64_t count = 1;
  op->outputs[0].rank = 0;
  for (int i = 0; i < shape.rank; ++i) {
    BERTH_TRY(berth_shape_push(&op->outputs[0], &count, shape.dims[i], err));
  }
  conv->is_empty = count == 0;
  return berth_value_check_size(berth_shape_dims(&op->outputs[0]), count,
                                conv->dtype, err);
}

static bool has_none(const int64_t *sizes, int count) {
  bool found = false;
  for (int i = 0; i < count; ++i) found = found || sizes[i] == 0;
  return found;
}

// Says which arguments are what, and whether there is anything to sum.
static berth_code_t set_arguments(const berth_case_t *op, kind_t kind,
                                  const sizes_t *sizes, berth_conv_t *conv,
                                  berth_error_t *err) {
  int rank = kind.axes + 2;
  bool no_image = has_none(sizes->image, rank);
  bool no_filter = has_none(sizes->filter, rank);
  int goal = op->input_count;
  conv->image = kind.goal == BERTH_CONV_IMAGE ? goal : 0;
  conv->filter = kind.goal == BERTH_CONV_FILTER ? goal : 1;
  conv->output = kind.goal == BERTH_CONV_OUTPUT ? goal : 2;
  if (kind.goal == BERTH_CONV_OUTPUT) {
    conv->is_zero = no_image || no_filter;
    if (!no_filter || (conv->is_empty && kind.axes == 2)) return BERTH_OK;
    return INVALID(
        "filter must not have zero elements (i.e. all dimensions must be "
        "non-zero)");
  }
  bool no_output = has_none(sizes->output, rank);
  conv->is_zero =
      no_output || (kind.goal == BERTH_CONV_IMAGE ? no_filter : no_image);
  return BERTH_OK;
}

berth_code_t berth_op_conv(berth_case_t *op, berth_conv_t *out_conv,
                           berth_error_t *err) {
  kind_t kind = kind_of(op->node);
  sizes_t sizes = {{0}, {0}, {0}};
  *out_conv = (berth_conv_t){
      .goal = kind.goal,
      .dtype = op->inputs[kind.goal == BERTH_CONV_OUTPUT ? 0 : 2].dtype};
  BERTH_TRY(read_window(op, kind, &out_conv->window, err));
  BERTH_TRY(read_sizes(op, kind, &sizes, err));
  BERTH_TRY(check_small(kind, &sizes, err));
  BERTH_TRY(check_batch(kind, &sizes, err));
  out_conv->window.batch = sizes.image[0];
  BERTH_TRY(set_channels(kind, &sizes, out_conv, err));
  BERTH_TRY(set_space(op, kind, &sizes, &out_conv->window, err));
  BERTH_TRY(set_goal(op, kind, &sizes, out_conv, err));
  return set_arguments(op, kind, &sizes, out_conv, err);
}

// ---- Counting ----

int64_t berth_conv_taps(const berth_conv_t *conv) {
  const berth_window_axis_t *axes = conv->window.axes;
  return axes[0].window * axes[1].window * axes[2].window;
}

int64_t berth_conv_places(const berth_conv_t *conv) {
  const berth_window_axis_t *axes = conv->window.axes;
  return axes[0].in * axes[1].in * axes[2].in;
}

int64_t berth_conv_out_places(const berth_conv_t *conv) {
  const berth_window_axis_t *axes = conv->window.axes;
  return axes[0].out * axes[1].out * axes[2].out;
}
