// pool.c - Pooling and its gradients: checks, sizes.
#include "op/pool.h"

#include <string.h>

#include "op/value.h"

// ---- How windows are given: attributes, or inputs ----

// ksize or strides, one number for each dimension.
typedef struct numbers {
  int count;
  int64_t values[BERTH_WINDOW_AXES + 2];
} numbers_t;

static bool op_is(const berth_case_t *op, const char *name) {
  return strcmp(op->node->op->name, name) == 0;
}

static bool op_has(const berth_case_t *op, const char *part) {
  return strstr(op->node->op->name, part) != NULL;
}

static berth_code_t read_attr(const berth_case_t *op, const char *name,
                              numbers_t *out, berth_error_t *err) {
  const berth_attr_value_t *value = berth_node_attr(op->node, name);
  *out = (numbers_t){.count = value != NULL ? value->count : 0};
  for (int i = 0; i < out->count; ++i) {
    int64_t number = value->i_list[i];
    if (number < INT32_MIN || number > INT32_MAX) {
      return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                             "Attr %s has value %lld out of range for an int32",
                             name, (long long)number);
    }
    if (i < BERTH_WINDOW_AXES + 2) out->values[i] = number;
  }
  return BERTH_OK;
}

static void read_input(const berth_case_input_t *input, numbers_t *out) {
  *out = (numbers_t){.count = (int)(input->count < 99 ? input->count : 99)};
  for (int i = 0; i < out->count && i < BERTH_WINDOW_AXES + 2; ++i) {
    out->values[i] = berth_value_int(input, i);
  }
}

static berth_code_t read_numbers(const berth_case_t *op, const char *name,
                                 int input, numbers_t *out,
                                 berth_error_t *err) {
  if (berth_node_attr(op->node, name) != NULL) {
    return read_attr(op, name, out, err);
  }
  read_input(&op->inputs[input], out);
  return BERTH_OK;
}

static berth_code_t check_count(const numbers_t *numbers, int count,
                                const char *what, berth_error_t *err) {
  if (numbers->count == count) return BERTH_OK;
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "Sliding window %s field must specify %d dimensions",
                         what, count);
}

// How it is said differs: MaxPool and the gradient with indices name
// all sizes, MaxPoolV2 none, AvgPool and MaxPoolWithArgmax the one at fault.
static berth_code_t check_positive(const berth_case_t *op,
                                   const numbers_t *sizes, int count,
                                   berth_error_t *err) {
  const int64_t *v = sizes->values;
  for (int i = 0; i < count; ++i) {
    if (v[i] > 0) continue;
    if (count == BERTH_WINDOW_AXES + 2) {
      return berth_error_set(
          err, BERTH_INVALID_ARGUMENT,
          "Sliding window ksize field must have non-negative dimensions");
    }
    if (op_is(op, "AvgPool") || op_is(op, "MaxPoolWithArgmax")) {
      return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                             "ksize must be a positive int32 value, got:%lld",
                             (long long)v[i]);
    }
    if (op_is(op, "MaxPoolV2")) {
      return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                             "Sliding window ksize must be positive.");
    }
    return berth_error_set(
        err, BERTH_INVALID_ARGUMENT,
        "Sliding window ksize must be positive. The specified or inferred "
        "ksize is: %lld,%lld,%lld,%lld",
        (long long)v[0], (long long)v[1], (long long)v[2], (long long)v[3]);
  }
  return BERTH_OK;
}

static berth_code_t refuse_batch(const numbers_t *sizes,
                                 const numbers_t *strides, berth_error_t *err) {
  if (sizes->values[0] == 1 && strides->values[0] == 1) return BERTH_OK;
  return berth_error_set(
      err, BERTH_UNIMPLEMENTED,
      "Pooling is not yet supported on the batch dimension.");
}

static berth_code_t refuse_depth(const berth_case_t *op,
                                 berth_image_layout_t layout,
                                 const numbers_t *sizes,
                                 const numbers_t *strides, berth_error_t *err) {
  int channel = berth_image_channel(layout);
  if (sizes->values[channel] == 1 && strides->values[channel] == 1) {
    return BERTH_OK;
  }
  const char *text =
      op_is(op, "AvgPoolGrad")
          ? "Non-spatial pooling is not yet supported. Volunteers? :)"
      : op_is(op, "MaxPool3DGradGrad")
          ? "MaxPooling3dGradGrad is not yet supported on the depth dimension."
      : layout.axes == 3
          ? "Pooling is not yet supported on the depth dimension."
      : op_is(op, "MaxPoolGradGrad")
          ? "MaxPoolingGradGrad is not yet supported on the depth dimension."
          : "MaxPoolingGrad is not yet supported on the depth dimension.";
  return berth_error_set(err, BERTH_UNIMPLEMENTED, "%s", text);
}

// ---- Placing windows ----

// The four paddings of a window that is padded by hand are smaller than it.
static berth_code_t check_pads(const berth_window_t *window,
                               berth_error_t *err) {
  static const char *const names[] = {"Top", "Bottom", "Left", "Right"};
  for (int i = 0; i < 4; ++i) {
    const berth_window_axis_t *axis = &window->axes[1 + i / 2];
    int64_t pad = i % 2 == 0 ? axis->before : axis->after;
    if (pad < axis->window) continue;
    return berth_error_set(
        err, BERTH_INVALID_ARGUMENT,
        "%s padding %lld needs to be smaller than the window size %lld",
        names[i], (long long)pad, (long long)axis->window);
  }
  return BERTH_OK;
}

// Fills in |window|, whose layout is known, for images of |dims|. Only spatial
// dimensions are looked at.
static berth_code_t place(const berth_case_t *op, const int64_t *dims,
                          const numbers_t *sizes, const numbers_t *strides,
                          berth_window_t *window, berth_error_t *err) {
  berth_image_layout_t layout = window->layout;
  berth_padding_t padding = berth_padding_of(op->node);
  window->batch = dims[0];
  window->channels = window->out_channels = dims[berth_image_channel(layout)];
  for (int i = 0; i < layout.axes; ++i) {
    int at = berth_image_space(layout, i);
    berth_window_axis_t *axis = &window->axes[berth_window_axis_at(layout, i)];
    axis->in = dims[at];
    axis->window = sizes->values[at];
    axis->stride = strides->values[at];
  }
  if (padding == BERTH_PADDING_EXPLICIT) {
    BERTH_TRY(berth_window_read_paddings(op->node, window, err));
    BERTH_TRY(check_pads(window, err));
  }
  for (int i = 0; i < BERTH_WINDOW_AXES; ++i) {
    BERTH_TRY(berth_window_place(&window->axes[i], padding, err));
  }
  return BERTH_OK;
}

// ---- Windows over channels ----

static berth_code_t check_depth(const berth_case_t *op, int64_t depth,
                                int64_t size, int64_t stride, bool is_flat,
                                berth_error_t *err) {
  const char *text = NULL;
  if (!is_flat) {
    text =
        "MaxPooling supports exactly one of pooling across depth or pooling "
        "across width/height.";
  } else if (depth % size != 0) {
    text =
        "Depthwise max pooling requires the depth window to evenly divide the "
        "input depth";
  } else if (stride != size) {
    text =
        "Depthwise max pooling requires the depth window to equal the depth "
        "stride";
  } else if (op_is(op, "AvgPool")) {
    text = "Non-spatial pooling is not yet supported. Volunteers? :)";
  }
  if (text == NULL) return BERTH_OK;
  return berth_error_set(err, BERTH_UNIMPLEMENTED, "%s", text);
}

// Turns |window|, placed over images of one tap, into one over |size| channels.
static void take_channels(berth_window_t *window, int64_t size) {
  int64_t depth = window->channels;
  for (int i = 0; i < BERTH_WINDOW_AXES; ++i) {
    window->batch *= window->axes[i].in;
    window->axes[i] = (berth_window_axis_t){
        .in = 1, .out = 1, .window = 1, .stride = 1, .dilation = 1};
  }
  window->axes[BERTH_WINDOW_AXES - 1] =
      (berth_window_axis_t){.in = depth,
                            .out = depth / size,
                            .window = size,
                            .stride = size,
                            .dilation = 1};
  window->channels = window->out_channels = 1;
}

// ---- Families ----

static const char *no_layout_name(const berth_case_t *op) {
  if (op_is(op, "MaxPool3D") || op_is(op, "AvgPool3D")) return "Pooling3DOp";
  if (op_is(op, "MaxPool3DGrad")) return "MaxPooling3dGradOp";
  if (op_is(op, "AvgPool3DGrad")) return "AvgPooling3dGradOp";
  if (op_is(op, "AvgPoolGrad")) return "AvgPoolingGradOp";
  if (op_is(op, "AvgPool")) return "AvgPoolingOp";
  if (op_has(op, "GradGrad")) return "MaxPoolingGradGradOp";
  return op_has(op, "Grad") ? "MaxPoolingGradOp" : "MaxPoolingOp";
}

berth_code_t berth_op_pool_needs_channels_last(const berth_case_t *op,
                                               berth_error_t *err) {
  bool is_first = berth_image_of(op->node, 2).channels_first;
  if (!is_first || op_is(op, "MaxPool3DGradGrad")) return BERTH_OK;
  if (op_is(op, "MaxPoolV2")) {
    return berth_error_set(
        err, BERTH_INVALID_ARGUMENT,
        "MaxPoolingV2Op only supports NHWC or NCHW_VECT_C. Got: %s",
        berth_node_attr_string(op->node, "data_format", "NHWC"));
  }
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "Default %s only supports %s on device type CPU",
                         no_layout_name(op),
                         op_has(op, "3D") ? "NDHWC" : "NHWC");
}

// Reads how windows move, and starts their description.
static berth_code_t begin(const berth_case_t *op, int input,
                          const char *strides_name, berth_pooling_t *out_pool,
                          numbers_t *sizes, numbers_t *strides,
                          berth_error_t *err) {
  int axes = op_has(op, "3D") ? 3 : 2;
  BERTH_TRY(read_numbers(op, "ksize", input, sizes, err));
  BERTH_TRY(read_numbers(op, "strides", input + 1, strides, err));
  BERTH_TRY(check_count(sizes, axes + 2, "ksize", err));
  BERTH_TRY(check_count(strides, axes + 2, strides_name, err));
  *out_pool = (berth_pooling_t){
      .dtype = op->node->output_types[0],
      .window = berth_window_init(berth_image_of(op->node, axes))};
  return BERTH_OK;
}

// Checks the sizes of the windows of |op|, whose images are |dims|, and places
// them. Where |sees_depth| they may be over channels.
static berth_code_t describe(const berth_case_t *op, const int64_t *dims,
                             const numbers_t *sizes, const numbers_t *strides,
                             bool sees_depth, berth_pooling_t *out_pool,
                             berth_error_t *err) {
  berth_window_t *window = &out_pool->window;
  int channel = berth_image_channel(window->layout);
  int64_t size = sizes->values[channel];
  if (sees_depth && size != 1) {
    bool is_flat = true;
    for (int i = 0; i < window->layout.axes; ++i) {
      int at = berth_image_space(window->layout, i);
      is_flat = is_flat && sizes->values[at] == 1;
    }
    BERTH_TRY(check_depth(op, dims[channel], size, strides->values[channel],
                          is_flat, err));
  }
  return place(op, dims, sizes, strides, window, err);
}

static berth_code_t check_image(const berth_case_t *op, berth_error_t *err) {
  const berth_case_input_t *image = &op->inputs[0];
  const char *format = berth_node_attr_string(op->node, "data_format", "NHWC");
  if (op_has(op, "3D")) {
    if (image->rank == 5) return BERTH_OK;
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "tensor_in must be 5-dimensional");
  }
  if (strcmp(format, "NCHW_VECT_C") == 0) {
    return berth_error_set(err, BERTH_UNIMPLEMENTED,
                           "%s: the data format NCHW_VECT_C is not supported; "
                           "use NHWC or NCHW",
                           op->node->op->name);
  }
  if (image->rank == 4) return BERTH_OK;
  return berth_error_set(
      err, BERTH_INVALID_ARGUMENT,
      "tensor_in_shape must have 2 spatial dimensions. %d %d", image->rank,
      strcmp(format, "NCHW") == 0 ? 1 : 0);
}

// Paddings can make an output that is larger than any number says.
static berth_code_t set_output(berth_case_t *op, const berth_window_t *window,
                               berth_error_t *err) {
  berth_shape_t out, checked = {.rank = 0};
  int64_t count = 1;
  berth_window_out_shape(window, &out);
  for (int i = 0; i < out.rank; ++i) {
    BERTH_TRY(berth_shape_push(&checked, &count, out.dims[i], err));
  }
  BERTH_TRY(berth_value_check_size(berth_shape_dims(&out), count,
                                   op->node->output_types[0], err));
  op->outputs[0] = out;
  return BERTH_OK;
}

berth_code_t berth_op_pool(berth_case_t *op, berth_pooling_t *out_pool,
                           berth_error_t *err) {
  numbers_t sizes, strides;
  BERTH_TRY(begin(op, 1, "stride", out_pool, &sizes, &strides, err));
  berth_window_t *window = &out_pool->window;
  BERTH_TRY(check_positive(op, &sizes, sizes.count, err));
  BERTH_TRY(refuse_batch(&sizes, &strides, err));
  bool is_deep = window->layout.axes == 3;
  BERTH_TRY(check_image(op, err));
  if (is_deep) {
    BERTH_TRY(refuse_depth(op, window->layout, &sizes, &strides, err));
  }
  BERTH_TRY(describe(op, op->inputs[0].dims, &sizes, &strides, !is_deep,
                     out_pool, err));
  int64_t size = sizes.values[berth_image_channel(window->layout)];
  window->out_channels = window->channels / size;
  BERTH_TRY(set_output(op, window, err));
  if (size == 1) return BERTH_OK;
  if (window->layout.channels_first) {
    return berth_error_set(err, BERTH_UNIMPLEMENTED,
                           "Depthwise max pooling is currently only "
                           "implemented for CPU devices.");
  }
  take_channels(window, size);
  return BERTH_OK;
}

berth_code_t berth_op_pool_argmax(berth_case_t *op, berth_pooling_t *out_pool,
                                  berth_error_t *err) {
  const berth_case_input_t *image = &op->inputs[0];
  numbers_t sizes, strides;
  BERTH_TRY(begin(op, 1, "stride", out_pool, &sizes, &strides, err));
  BERTH_TRY(check_positive(op, &sizes, 4, err));
  BERTH_TRY(refuse_batch(&sizes, &strides, err));
  if (image->rank != 4) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "tensor_in must be 4-dimensional (2)");
  }
  if (image->count == 0) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "tensor_in must not be empty (2)");
  }
  BERTH_TRY(describe(op, image->dims, &sizes, &strides, true, out_pool, err));
  out_pool->index_type = op->node->output_types[1];
  out_pool->counts_batch =
      berth_node_attr_bool(op->node, "include_batch_in_index", false);
  berth_window_out_shape(&out_pool->window, &op->outputs[0]);
  berth_window_out_shape(&out_pool->window, &op->outputs[1]);
  return BERTH_OK;
}

// ---- Gradients ----

static berth_code_t check_rank(const berth_case_input_t *input, int32_t rank,
                               const char *name, berth_error_t *err) {
  if (input->rank == rank) return BERTH_OK;
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "%s must be %d-dimensional", name, rank);
}

static berth_code_t check_shape(const berth_case_input_t *input,
                                const berth_shape_t *expected, const char *name,
                                berth_error_t *err) {
  char text[BERTH_DIMS_TEXT], expected_text[BERTH_DIMS_TEXT];
  berth_dims_t dims = berth_shape_dims(expected);
  if (berth_dims_equal(dims, (berth_dims_t){input->rank, input->dims})) {
    return BERTH_OK;
  }
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "Expected %s shape to be %s, but got %s", name,
                         berth_dims_text(dims, expected_text),
                         berth_input_text(input, text));
}

// A window without taps has no largest: TensorFlow reads what is not there.
static berth_code_t check_taps(const berth_window_t *window,
                               berth_error_t *err) {
  for (int i = 0; i < BERTH_WINDOW_AXES; ++i) {
    if (window->axes[i].window > 0) continue;
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "ksize must be positive, got: %lld",
                           (long long)window->axes[i].window);
  }
  return BERTH_OK;
}

static berth_code_t refuse_empty(const berth_case_t *op, berth_error_t *err) {
  const berth_case_input_t *image = &op->inputs[0];
  char text[BERTH_DIMS_TEXT];
  if (image->count > 0 || !op_is(op, "MaxPool3DGradGrad")) return BERTH_OK;
  return berth_error_set(
      err, BERTH_INVALID_ARGUMENT,
      "received empty tensor tensor_in: Tensor<type: %s shape: %s values: >",
      berth_dtype_name(image->dtype), berth_input_text(image, text));
}

berth_code_t berth_op_max_pool_grad(berth_case_t *op, berth_pooling_t *out_pool,
                                    berth_error_t *err) {
  bool is_second = op_has(op, "GradGrad");
  int axes = op_has(op, "3D") ? 3 : 2;
  numbers_t sizes, strides;
  berth_shape_t in, out;
  const char *field = op_is(op, "MaxPool3DGrad") ? "stride" : "strides";
  BERTH_TRY(begin(op, 3, field, out_pool, &sizes, &strides, err));
  berth_window_t *window = &out_pool->window;
  BERTH_TRY(refuse_batch(&sizes, &strides, err));
  // Of three dimensions the first gradient sees to the channels before it looks
  // at shapes; others do afterwards.
  BERTH_TRY(check_rank(&op->inputs[0], axes + 2, "tensor_in", err));
  BERTH_TRY(check_rank(&op->inputs[1], axes + 2, "tensor_out", err));
  BERTH_TRY(check_rank(&op->inputs[2], axes + 2,
                       is_second ? "out_grad_backprop" : "out_backprop", err));
  BERTH_TRY(refuse_depth(op, window->layout, &sizes, &strides, err));
  BERTH_TRY(
      describe(op, op->inputs[0].dims, &sizes, &strides, false, out_pool, err));
  berth_window_in_shape(window, &in);
  berth_window_out_shape(window, &out);
  BERTH_TRY(check_shape(&op->inputs[1], &out, "orig_output", err));
  BERTH_TRY(check_shape(&op->inputs[2], is_second ? &in : &out, "grad", err));
  BERTH_TRY(check_taps(window, err));
  BERTH_TRY(refuse_empty(op, err));
  out_pool->joins = is_second   ? BERTH_POOL_GRAD_GRAD
                    : axes == 3 ? BERTH_POOL_EQUAL
                                : BERTH_POOL_FIRST;
  op->outputs[0] = is_second ? out : in;
  return BERTH_OK;
}

static berth_code_t read_image_shape(const berth_case_t *op, int rank,
                                     berth_shape_t *out_shape,
                                     berth_error_t *err) {
  const berth_case_input_t *shape = &op->inputs[0];
  int64_t count = 0;
  if (shape->rank != 1 || shape->count != rank) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "%s must be 1-dimensional and %d elements",
                           rank == 4 ? "out_backprop" : "tensor_in", rank);
  }
  BERTH_TRY(check_rank(&op->inputs[1], rank, "out_backprop", err));
  for (int i = 0; i < rank; ++i) {
    if (berth_value_int(shape, i) >= 0) continue;
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Expected a non-negative size, got %lld",
                           (long long)berth_value_int(shape, i));
  }
  return berth_value_shape(shape, out_shape, &count, err);
}

// TensorFlow looks at the sizes of a gradient only where it would leave the
// image, and reads and writes what is not there for some that remain: those are
// refused, in other words.
static berth_code_t check_mean_grad(const berth_case_t *op,
                                    const berth_window_t *window,
                                    berth_error_t *err) {
  const berth_case_input_t *grad = &op->inputs[1];
  berth_shape_t out;
  char text[BERTH_DIMS_TEXT], grad_text[BERTH_DIMS_TEXT];
  berth_image_layout_t layout = window->layout;
  if (layout.axes == 3 && grad->dims[0] != window->batch) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Expected first dimension of tensor_in_shape and "
                           "out_backprop to match, got %lld and %lld",
                           (long long)window->batch, (long long)grad->dims[0]);
  }
  for (int i = 0; i < layout.axes; ++i) {
    const berth_window_axis_t *axis =
        &window->axes[berth_window_axis_at(layout, i)];
    int64_t last = grad->dims[berth_image_space(layout, i)] - 1;
    if (last < 0 || last <= axis->in / axis->stride) continue;
    return berth_error_set(
        err, BERTH_INVALID_ARGUMENT,
        "index * stride must be less than or equal to input size");
  }
  berth_window_out_shape(window, &out);
  berth_dims_t dims = berth_shape_dims(&out);
  if (berth_dims_equal(dims, berth_case_input_dims(op, 1))) return BERTH_OK;
  return berth_error_set(
      err, BERTH_INVALID_ARGUMENT, "Expected grad shape to be %s, but got %s",
      berth_dims_text(dims, text), berth_input_text(grad, grad_text));
}

berth_code_t berth_op_avg_pool_grad(berth_case_t *op, berth_pooling_t *out_pool,
                                    berth_error_t *err) {
  int axes = op_has(op, "3D") ? 3 : 2;
  numbers_t sizes, strides;
  berth_shape_t image;
  BERTH_TRY(begin(op, 2, axes == 3 ? "stride" : "strides", out_pool, &sizes,
                  &strides, err));
  berth_window_t *window = &out_pool->window;
  BERTH_TRY(refuse_batch(&sizes, &strides, err));
  BERTH_TRY(read_image_shape(op, axes + 2, &image, err));
  BERTH_TRY(refuse_depth(op, window->layout, &sizes, &strides, err));
  BERTH_TRY(describe(op, image.dims, &sizes, &strides, false, out_pool, err));
  BERTH_TRY(check_taps(window, err));
  op->outputs[0] = image;
  if (berth_dims_count(berth_shape_dims(&image)) == 0) return BERTH_OK;
  return check_mean_grad(op, window, err);
}

berth_code_t berth_op_max_pool_grad_argmax(berth_case_t *op,
                                           berth_pooling_t *out_pool,
                                           berth_error_t *err) {
  numbers_t sizes, strides;
  berth_shape_t out;
  BERTH_TRY(begin(op, 3, "stride", out_pool, &sizes, &strides, err));
  berth_window_t *window = &out_pool->window;
  BERTH_TRY(check_positive(op, &sizes, 4, err));
  BERTH_TRY(refuse_batch(&sizes, &strides, err));
  BERTH_TRY(check_image(op, err));
  BERTH_TRY(
      describe(op, op->inputs[0].dims, &sizes, &strides, true, out_pool, err));
  window->out_channels = window->channels / sizes.values[3];
  berth_window_out_shape(window, &out);
  bool is_grad_grad = op_has(op, "GradGrad");
  berth_shape_t in;
  berth_window_in_shape(window, &in);
  BERTH_TRY(
      check_shape(&op->inputs[1], is_grad_grad ? &in : &out, "grad", err));
  BERTH_TRY(check_shape(&op->inputs[2], &out, "argmax", err));
  if (is_grad_grad) out_pool->joins = BERTH_POOL_GRAD_GRAD;
  out_pool->index_type = op->inputs[2].dtype;
  out_pool->counts_batch =
      berth_node_attr_bool(op->node, "include_batch_in_index", false);
  op->outputs[0] = is_grad_grad ? out : in;
  return BERTH_OK;
}
