// resize.c - Resizing, cropping and patches of images: checks, sizes, shapes.
#include "op/resize.h"

#include <string.h>

#include "graph/shape_fn.h"
#include "graph/shape_value.h"
#include "op/value.h"

static berth_code_t fail(berth_error_t *err, const char *text) {
  return berth_error_set(err, BERTH_INVALID_ARGUMENT, "%s", text);
}

static berth_code_t check_rank(const berth_case_input_t *input, int32_t rank,
                               const char *text, berth_error_t *err) {
  char dims[BERTH_DIMS_TEXT];
  if (input->rank == rank) return BERTH_OK;
  return berth_error_set(err, BERTH_INVALID_ARGUMENT, "%s%s", text,
                         berth_input_text(input, dims));
}

// ---- Resizing ----

static berth_code_t read_flags(const berth_case_t *op, bool checks,
                               berth_resize_t *out_resize, berth_error_t *err) {
  bool aligns = berth_node_attr_bool(op->node, "resize_align_corners", false);
  *out_resize = (berth_resize_t){
      .aligns_corners = berth_node_attr_bool(op->node, "align_corners", aligns),
      .has_centers =
          berth_node_attr_bool(op->node, "half_pixel_centers", false)};
  if (!checks || !out_resize->aligns_corners || !out_resize->has_centers) {
    return BERTH_OK;
  }
  return fail(err,
              "If half_pixel_centers is True, align_corners must be False.");
}

static void set_axis(berth_resize_t *resize, int axis, int64_t in,
                     int64_t out) {
  bool is_aligned = resize->aligns_corners && out > 1 && in > 1;
  float scale =
      is_aligned ? (float)(in - 1) / (float)(out - 1) : (float)in / (float)out;
  resize->axes[axis] = (berth_resize_axis_t){in, out, scale};
}

static berth_code_t check_size(const berth_case_input_t *size,
                               berth_error_t *err) {
  BERTH_TRY(check_rank(size, 1, "shape_t must be 1-dimensional", err));
  char dims[BERTH_DIMS_TEXT];
  if (size->count == 2) return BERTH_OK;
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "shape_t must have two elements%s",
                         berth_input_text(size, dims));
}

// Sets output 0 to [batch, height, width, channels], which must be countable.
static berth_code_t set_image(berth_case_t *op, int64_t batch, int64_t height,
                              int64_t width, int64_t channels,
                              berth_error_t *err) {
  berth_shape_t shape = {.rank = 0};
  int64_t dims[] = {batch, height, width, channels}, count = 1;
  for (int i = 0; i < 4; ++i) {
    BERTH_TRY(berth_shape_push(&shape, &count, dims[i], err));
  }
  BERTH_TRY(berth_value_check_size(berth_shape_dims(&shape), count,
                                   op->node->output_types[0], err));
  op->outputs[0] = shape;
  return BERTH_OK;
}

berth_code_t berth_op_resize(berth_case_t *op, berth_resize_t *out_resize,
                             berth_error_t *err) {
  const berth_case_input_t *image = &op->inputs[0], *size = &op->inputs[1];
  bool is_whole = strcmp(op->node->op->name, "QuantizedResizeBilinear") == 0;
  BERTH_TRY(read_flags(op, !is_whole, out_resize, err));
  BERTH_TRY(check_rank(image, 4, "input must be 4-dimensional", err));
  BERTH_TRY(check_size(size, err));
  int64_t height = berth_value_int(size, 0), width = berth_value_int(size, 1);
  if (height <= 0 || width <= 0) {
    return fail(err, "output dimensions must be positive");
  }
  if (image->dims[3] <= 0) {
    return fail(err, "image must have at least one channel");
  }
  if (image->dims[1] <= 0 || image->dims[2] <= 0) {
    return fail(err, "input image must be of non-zero size");
  }
  out_resize->dtype = image->dtype;
  out_resize->batch = image->dims[0];
  out_resize->channels = image->dims[3];
  set_axis(out_resize, 0, image->dims[1], height);
  set_axis(out_resize, 1, image->dims[2], width);
  return set_image(op, image->dims[0], height, width, image->dims[3], err);
}

berth_code_t berth_op_resize_grad(berth_case_t *op, berth_resize_t *out_resize,
                                  berth_error_t *err) {
  const berth_case_input_t *grad = &op->inputs[0], *image = &op->inputs[1];
  BERTH_TRY(read_flags(op, true, out_resize, err));
  BERTH_TRY(check_rank(grad, 4, "input_grad must be 4-dimensional", err));
  BERTH_TRY(check_rank(image, 4, "original_image must be 4-dimensional", err));
  if (image->dims[1] <= 0 || image->dims[2] <= 0) {
    return fail(err, "original dimensions must be positive");
  }
  if (grad->dims[1] <= 0 || grad->dims[2] <= 0) {
    return fail(err, "resized dimensions must be positive");
  }
  out_resize->dtype = image->dtype;
  out_resize->batch = grad->dims[0];
  out_resize->channels = grad->dims[3];
  set_axis(out_resize, 0, image->dims[1], grad->dims[1]);
  set_axis(out_resize, 1, image->dims[2], grad->dims[2]);
  return set_image(op, grad->dims[0], image->dims[1], image->dims[2],
                   grad->dims[3], err);
}

berth_code_t berth_op_resize_nearest_grad(berth_case_t *op,
                                          berth_resize_t *out_resize,
                                          berth_error_t *err) {
  const berth_case_input_t *grad = &op->inputs[0], *size = &op->inputs[1];
  BERTH_TRY(read_flags(op, false, out_resize, err));
  BERTH_TRY(check_rank(grad, 4, "input must be 4-dimensional", err));
  BERTH_TRY(check_size(size, err));
  int64_t height = berth_value_int(size, 0), width = berth_value_int(size, 1);
  if (height <= 0 || width <= 0) {
    return fail(err, "shape_t's elements must be positive");
  }
  out_resize->dtype = grad->dtype;
  out_resize->batch = grad->dims[0];
  out_resize->channels = grad->dims[3];
  set_axis(out_resize, 0, height, grad->dims[1]);
  set_axis(out_resize, 1, width, grad->dims[2]);
  return set_image(op, grad->dims[0], height, width, grad->dims[3], err);
}

// ---- Cropping ----

// Checks boxes and which images they are of, and stores how many there are.
static berth_code_t check_boxes(const berth_case_input_t *boxes,
                                const berth_case_input_t *index, bool is_grad,
                                int64_t *out_count, berth_error_t *err) {
  char dims[BERTH_DIMS_TEXT];
  *out_count = 0;
  if (boxes->rank != 2) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT, "boxes must be 2-D%s%s",
                           is_grad ? "" : ", got: ",
                           berth_input_text(boxes, dims));
  }
  *out_count = boxes->dims[0];
  if (boxes->dims[1] != 4) return fail(err, "boxes must have 4 columns");
  if (index->rank != 1) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT, "%s%s",
                           is_grad ? "box_index must be 1-D"
                                   : "box_indices must be rank 1 but is shape ",
                           berth_input_text(index, dims));
  }
  if (index->count != boxes->dims[0]) {
    return fail(err, "box_index has incompatible shape");
  }
  return BERTH_OK;
}

static void describe_crop(const berth_case_t *op, berth_crop_t *out_crop) {
  const berth_node_t *node = op->node;
  const char *method = berth_node_attr_string(node, "method", "bilinear");
  *out_crop = (berth_crop_t){
      .is_nearest = strcmp(method, "nearest") == 0,
      .outside = berth_node_attr_float(node, "extrapolation_value", 0.0f)};
}

static void set_crop_image(berth_crop_t *crop, const int64_t *dims,
                           berth_dtype_t dtype) {
  crop->dtype = dtype;
  crop->batch = dims[0];
  crop->in_height = dims[1];
  crop->in_width = dims[2];
  crop->channels = dims[3];
}

berth_code_t berth_op_crop_and_resize(berth_case_t *op, berth_crop_t *out_crop,
                                      berth_error_t *err) {
  const berth_case_input_t *image = &op->inputs[0], *size = &op->inputs[3];
  char dims[BERTH_DIMS_TEXT];
  describe_crop(op, out_crop);
  BERTH_TRY(check_rank(image, 4, "input image must be 4-D", err));
  if (image->dims[1] <= 0 || image->dims[2] <= 0) {
    return fail(err, "image dimensions must be positive");
  }
  BERTH_TRY(check_boxes(&op->inputs[1], &op->inputs[2], false, &out_crop->boxes,
                        err));
  BERTH_TRY(check_rank(size, 1, "crop_size must be 1-D", err));
  if (size->count != 2) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "crop_size must have two elements%s",
                           berth_input_text(size, dims));
  }
  out_crop->height = berth_value_int(size, 0);
  out_crop->width = berth_value_int(size, 1);
  if (out_crop->height <= 0 || out_crop->width <= 0) {
    return fail(err, "crop dimensions must be positive");
  }
  set_crop_image(out_crop, image->dims, image->dtype);
  return set_image(op, out_crop->boxes, out_crop->height, out_crop->width,
                   out_crop->channels, err);
}

static berth_code_t check_grads(const berth_case_input_t *grads,
                                berth_crop_t *crop, berth_error_t *err) {
  BERTH_TRY(check_rank(grads, 4, "grads image must be 4-D", err));
  crop->height = grads->dims[1];
  crop->width = grads->dims[2];
  if (crop->height <= 0 || crop->width <= 0) {
    return fail(err, "grads dimensions must be positive");
  }
  return BERTH_OK;
}

berth_code_t berth_op_crop_grad_image(berth_case_t *op, berth_crop_t *out_crop,
                                      berth_error_t *err) {
  const berth_case_input_t *grads = &op->inputs[0], *size = &op->inputs[3];
  char text[BERTH_DIMS_TEXT];
  int64_t dims[4] = {0};
  describe_crop(op, out_crop);
  BERTH_TRY(check_grads(grads, out_crop, err));
  BERTH_TRY(check_boxes(&op->inputs[1], &op->inputs[2], true, &out_crop->boxes,
                        err));
  if (grads->dims[0] != out_crop->boxes) {
    return fail(err, "boxes and grads have incompatible shape");
  }
  BERTH_TRY(check_rank(size, 1, "image_size must be 1-D", err));
  if (size->count != 4) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "image_size must have 4 elements%s",
                           berth_input_text(size, text));
  }
  for (int i = 0; i < 4; ++i) dims[i] = berth_value_int(size, i);
  if (dims[1] <= 0 || dims[2] <= 0) {
    return fail(err, "image dimensions must be positive");
  }
  if (dims[3] != grads->dims[3]) {
    return fail(err, "image_size and grads are incompatible");
  }
  if (dims[0] < 0) return fail(err, "batch size must be non-negative");
  set_crop_image(out_crop, dims, op->node->output_types[0]);
  return set_image(op, dims[0], dims[1], dims[2], dims[3], err);
}

berth_code_t berth_op_crop_grad_boxes(berth_case_t *op, berth_crop_t *out_crop,
                                      berth_error_t *err) {
  const berth_case_input_t *grads = &op->inputs[0], *image = &op->inputs[1];
  describe_crop(op, out_crop);
  BERTH_TRY(check_grads(grads, out_crop, err));
  BERTH_TRY(check_rank(image, 4, "input image must be 4-D", err));
  if (image->dims[1] <= 0 || image->dims[2] <= 0) {
    return fail(err, "image dimensions must be positive");
  }
  if (image->dims[3] != grads->dims[3]) {
    return fail(err, "image, grads depth differ");
  }
  BERTH_TRY(check_boxes(&op->inputs[2], &op->inputs[3], true, &out_crop->boxes,
                        err));
  if (grads->dims[0] != out_crop->boxes) {
    return fail(err, "boxes and grads have incompatible shape");
  }
  set_crop_image(out_crop, image->dims, image->dtype);
  berth_case_output(op, 0, (berth_dims_t){2, (int64_t[]){out_crop->boxes, 4}});
  return BERTH_OK;
}

// ---- Patches ----

// Reads four numbers of attribute |name|, of which those of height and width
// are stored; the others must be 1, and all fit in an int32.
static berth_code_t read_four(const berth_case_t *op, const char *name,
                              int64_t out[2], berth_error_t *err) {
  const berth_attr_value_t *value = berth_node_attr(op->node, name);
  if (value == NULL || value->count < 4) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "%s must have four elements", name);
  }
  for (int i = 0; i < 4; ++i) {
    int64_t number = value->i_list[i];
    if (number < INT32_MIN || number > INT32_MAX) {
      return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                             "Attr %s has value %lld out of range for an int32",
                             name, (long long)number);
    }
  }
  if (value->i_list[0] != 1 || value->i_list[3] != 1) {
    return berth_error_set(err, BERTH_UNIMPLEMENTED,
                           "Only support %s across space.", name);
  }
  if (value->i_list[1] < 1 || value->i_list[2] < 1) {
    return berth_error_set(err, BERTH_OUT_OF_RANGE, "%s is out of range.",
                           name);
  }
  memcpy(out, value->i_list + 1, 2 * sizeof(*out));
  return BERTH_OK;
}

berth_code_t berth_op_image_patches(berth_case_t *op,
                                    berth_window_t *out_window,
                                    berth_error_t *err) {
  const berth_case_input_t *image = &op->inputs[0];
  int64_t sizes[2], strides[2], rates[2];
  BERTH_TRY(read_four(op, "ksizes", sizes, err));
  BERTH_TRY(read_four(op, "strides", strides, err));
  BERTH_TRY(read_four(op, "rates", rates, err));
  BERTH_TRY(check_rank(image, 4, "input must be 4-dimensional", err));
  *out_window = berth_window_init((berth_image_layout_t){.axes = 2});
  out_window->batch = image->dims[0];
  out_window->channels = image->dims[3];
  for (int i = 0; i < 2; ++i) {
    berth_window_axis_t *axis = &out_window->axes[i + 1];
    *axis = (berth_window_axis_t){.in = image->dims[i + 1],
                                  .window = sizes[i],
                                  .stride = strides[i],
                                  .dilation = rates[i]};
    BERTH_TRY(berth_window_place(axis, berth_padding_of(op->node), err));
  }
  if (__builtin_mul_overflow(sizes[0] * sizes[1], image->dims[3],
                             &out_window->out_channels)) {
    return fail(err, "ksizes are larger than any output");
  }
  return set_image(op, image->dims[0], out_window->axes[1].out,
                   out_window->axes[2].out, out_window->out_channels, err);
}

// ---- Shapes of a graph ----

// Stores the two numbers at input |index|, -1 where they are not known.
static berth_code_t read_size(berth_shape_context_t *c, int index,
                              int64_t out[2], berth_error_t *err) {
  berth_dims_t shape;
  out[0] = out[1] = -1;
  BERTH_TRY(berth_shape_with_rank(c, berth_shape_in(c, index), 1, &shape, err));
  BERTH_TRY(berth_shape_check_dim(shape.dims[0], 2, err));
  const berth_tensor_t *value = berth_shape_value(c, index);
  if (value == NULL || !berth_value_is_int(value)) return BERTH_OK;
  for (int i = 0; i < 2; ++i) {
    int64_t size = berth_value_int_at(value, i);
    out[i] = size < 0 ? -1 : size;
  }
  return BERTH_OK;
}

static berth_code_t set_dims(berth_shape_context_t *c, int64_t batch,
                             const int64_t size[2], int64_t channels,
                             berth_error_t *err) {
  int64_t *dims = berth_shape_room(c, 4);
  if (dims == NULL) return berth_error_no_memory(err, "a shape");
  dims[0] = batch;
  dims[1] = size[0];
  dims[2] = size[1];
  dims[3] = channels;
  c->outputs[0] = (berth_dims_t){4, dims};
  return BERTH_OK;
}

BERTH_INFER(resize) {
  berth_dims_t image;
  int64_t size[2];
  BERTH_TRY(berth_shape_with_rank(c, berth_shape_in(c, 0), 4, &image, err));
  BERTH_TRY(read_size(c, 1, size, err));
  return set_dims(c, image.dims[0], size, image.dims[3], err);
}

BERTH_INFER(resize_grad) {
  (void)err;
  c->outputs[0] = berth_shape_in(c, 1);
  return BERTH_OK;
}

BERTH_INFER(crop_and_resize) {
  berth_dims_t image, boxes, index;
  int64_t size[2], count = -1;
  BERTH_TRY(berth_shape_with_rank(c, berth_shape_in(c, 0), 4, &image, err));
  BERTH_TRY(berth_shape_with_rank(c, berth_shape_in(c, 1), 2, &boxes, err));
  BERTH_TRY(berth_shape_with_rank(c, berth_shape_in(c, 2), 1, &index, err));
  BERTH_TRY(berth_shape_merge_dims(boxes.dims[0], index.dims[0], &count, err));
  BERTH_TRY(berth_shape_check_dim(boxes.dims[1], 4, err));
  BERTH_TRY(read_size(c, 3, size, err));
  return set_dims(c, count, size, image.dims[3], err);
}

BERTH_INFER(crop_grad_image) {
  berth_dims_t shape;
  BERTH_TRY(berth_shape_from_value(c, 3, &shape, err));
  c->asked_shapes = 0;  // The message does not say it.
  return berth_shape_with_rank(c, shape, 4, &c->outputs[0], err);
}

BERTH_INFER(crop_grad_boxes) {
  (void)err;
  c->outputs[0] = berth_shape_in(c, 2);
  return BERTH_OK;
}

static berth_code_t four_of(const berth_shape_context_t *c, const char *name,
                            const char *shown, const int64_t **out,
                            berth_error_t *err) {
  const berth_attr_value_t *value = berth_node_attr(c->node, name);
  int count = value != NULL ? value->count : 0;
  *out = value != NULL ? value->i_list : NULL;
  if (count == 4) return BERTH_OK;
  return berth_error_set(
      err, BERTH_INVALID_ARGUMENT,
      "ExtractImagePatches requires the %s attribute to contain 4 values, but "
      "got: %d",
      shown, count);
}

BERTH_INFER(image_patches) {
  berth_dims_t image;
  const int64_t *sizes, *strides, *rates;
  int64_t size[2] = {-1, -1}, channels = -1;
  if (berth_shape_in(c, 0).rank < 0) {  // The kernel's words, as in pooling.
    return berth_shape_unknown(c, 4, &c->outputs[0], err);
  }
  BERTH_TRY(berth_shape_with_rank(c, berth_shape_in(c, 0), 4, &image, err));
  BERTH_TRY(four_of(c, "ksizes", "ksizes", &sizes, err));
  BERTH_TRY(four_of(c, "strides", "stride", &strides, err));
  BERTH_TRY(four_of(c, "rates", "rates", &rates, err));
  bool is_known = image.dims[1] >= 0 && image.dims[2] >= 0;
  for (int i = 0; is_known && i < 2; ++i) {
    if (sizes[i + 1] > INT32_MAX || strides[i + 1] > INT32_MAX ||
        rates[i + 1] > INT32_MAX) {
      continue;
    }
    berth_window_axis_t axis = {.in = image.dims[i + 1],
                                .window = sizes[i + 1],
                                .stride = strides[i + 1],
                                .dilation = rates[i + 1]};
    BERTH_TRY(berth_window_place(&axis, berth_padding_of(c->node), err));
    size[i] = axis.out;
  }
  bool is_small = sizes[1] > 0 && sizes[2] > 0 && sizes[1] <= INT32_MAX &&
                  sizes[2] <= INT32_MAX;
  if (image.dims[3] >= 0 && is_small &&
      __builtin_mul_overflow(image.dims[3], sizes[1] * sizes[2], &channels)) {
    channels = -1;
  }
  return set_dims(c, image.dims[0], size, channels, err);
}

// Says how often a window of a volume fits along |dim|; -1 is not known.
static berth_code_t volume_out(berth_shape_context_t *c, int64_t dim, int at,
                               int64_t *out, berth_error_t *err) {
  berth_window_axis_t axis = {
      .in = dim,
      .window = berth_node_attr(c->node, "ksizes")->i_list[at],
      .stride = berth_node_attr(c->node, "strides")->i_list[at],
      .dilation = 1};
  *out = -1;
  if (dim < 0) return BERTH_OK;
  BERTH_TRY(berth_window_place(&axis, berth_padding_of(c->node), err));
  *out = axis.out;
  return BERTH_OK;
}

BERTH_INFER(volume_patches) {
  static const char *const names[] = {"ksizes", "strides"};
  static const char *const texts[] = {"ksizes", "stride"};
  berth_dims_t volume;
  BERTH_TRY(berth_shape_with_rank(c, berth_shape_in(c, 0), 5, &volume, err));
  for (int i = 0; i < 2; ++i) {
    int count = (int)berth_node_attr(c->node, names[i])->count;
    if (count == 5) continue;
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "ExtractVolumePatches requires the %s attribute to "
                           "contain 5 values, but got: %d",
                           texts[i], count);
  }
  int64_t *dims = berth_shape_room(c, 5);
  if (dims == NULL) return berth_error_no_memory(err, "a shape");
  dims[0] = volume.dims[0];
  dims[4] = volume.dims[4];
  for (int i = 1; i < 4; ++i) {
    BERTH_TRY(volume_out(c, volume.dims[i], i, &dims[i], err));
    int64_t size = berth_node_attr(c->node, "ksizes")->i_list[i];
    if (dims[4] >= 0 && __builtin_mul_overflow(dims[4], size, &dims[4])) {
      dims[4] = -1;
    }
  }
  berth_shape_set_out(c, 0, (berth_dims_t){5, dims});
  return BERTH_OK;
}

// ---- RandomCrop ----

berth_code_t berth_op_random_crop(berth_case_t *op, berth_error_t *err) {
  static const char *const names[] = {"height", "width"};
  const berth_case_input_t *image = &op->inputs[0], *size = &op->inputs[1];
  char text[BERTH_DIMS_TEXT];
  if (image->rank != 3) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "input must be 3-dimensional%s",
                           berth_input_text(image, text));
  }
  if (size->rank != 1 || size->count != 2) {
    return berth_error_set(
        err, BERTH_INVALID_ARGUMENT, "shape_t must %s%s",
        size->rank != 1 ? "be 1-dimensional" : "have two elements",
        berth_input_text(size, text));
  }
  // As in TensorFlow, only the lower half of a size counts.
  int64_t dims[] = {(int32_t)berth_value_int(size, 0),
                    (int32_t)berth_value_int(size, 1), image->dims[2]};
  for (int i = 0; i < 2; ++i) {
    if (image->dims[i] >= dims[i]) continue;
    return berth_error_set(
        err, BERTH_FAILED_PRECONDITION,
        "%s must be >= target_%s: %s = %lld, target_%s = %lld", names[i],
        names[i], names[i], (long long)image->dims[i], names[i],
        (long long)dims[i]);
  }
  for (int i = 0; i < 2; ++i) {
    if (dims[i] >= 0) continue;
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Dimension %d must be >= 0", i);
  }
  berth_case_output(op, 0, (berth_dims_t){3, dims});
  return BERTH_OK;
}

BERTH_INFER(random_crop) {
  int64_t sizes[] = {-1, -1}, two = 2;
  berth_dims_t image, merged;
  BERTH_TRY(berth_shape_with_rank(c, berth_shape_in(c, 0), 3, &image, err));
  BERTH_TRY(berth_shape_merge(c, berth_shape_in(c, 1), (berth_dims_t){1, &two},
                              &merged, err));
  const berth_tensor_t *size = berth_shape_value(c, 1);
  for (int i = 0; i < 2; ++i) {
    if (size != NULL) sizes[i] = berth_value_int_at(size, i);
    if (size == NULL || sizes[i] >= 0) continue;
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Dimension %lld must be >= 0", (long long)sizes[i]);
  }
  BERTH_TRY(berth_shape_replace(c, image, 0, sizes[0], &c->outputs[0], err));
  return berth_shape_replace(c, c->outputs[0], 1, sizes[1], &c->outputs[0],
                             err);
}
