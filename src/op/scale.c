// scale.c - ScaleAndTranslate and its gradient: checks and shapes.
#include <string.h>

#include "graph/shape_fn.h"
#include "op/resize.h"
#include "op/value.h"

#define INVALID(...) berth_error_set(err, BERTH_INVALID_ARGUMENT, __VA_ARGS__)

static berth_code_t find_filter(const berth_case_t *op, berth_scaling_t *out,
                                berth_error_t *err) {
  static const struct {
    const char *name;
    int filter;
    float radius;
  } filters[] = {{"lanczos1", BERTH_SCALE_LANCZOS, 1},
                 {"lanczos3", BERTH_SCALE_LANCZOS, 3},
                 {"lanczos5", BERTH_SCALE_LANCZOS, 5},
                 {"gaussian", BERTH_SCALE_GAUSSIAN, 1.5f},
                 {"box", BERTH_SCALE_BOX, 1},
                 {"triangle", BERTH_SCALE_TRIANGLE, 1},
                 {"keyscubic", BERTH_SCALE_KEYS, 2},
                 {"mitchellcubic", BERTH_SCALE_MITCHELL, 2}};
  const char *name = berth_node_attr_string(op->node, "kernel_type", "");
  for (size_t i = 0; i < sizeof(filters) / sizeof(filters[0]); ++i) {
    if (strcmp(name, filters[i].name) != 0) continue;
    out->filter = filters[i].filter;
    out->radius = filters[i].radius;
    return BERTH_OK;
  }
  return INVALID("Unrecognized kernel type: %s", name);
}

static berth_code_t check_pairs(const berth_case_t *op, berth_error_t *err) {
  char text[BERTH_DIMS_TEXT];
  for (int i = 2; i < 4; ++i) {
    const berth_case_input_t *pair = &op->inputs[i];
    if (pair->rank == 1 && pair->count == 2) continue;
    return INVALID(pair->rank == 1 ? "t must have two elements%s"
                                   : "t must be 1-dimensional%s",
                   berth_input_text(pair, text));
  }
  return BERTH_OK;
}

static berth_code_t read_size(const berth_case_t *op, berth_scaling_t *out,
                              berth_error_t *err) {
  const berth_case_input_t *size = &op->inputs[1];
  char text[BERTH_DIMS_TEXT];
  if (size->rank != 1) {
    return INVALID("output_shape_t must be 1-dimensional%s",
                   berth_input_text(size, text));
  }
  if (size->count != 2) {
    return INVALID("output_shape_t must have two elements%s",
                   berth_input_text(size, text));
  }
  for (int i = 0; i < 2; ++i) out->out[i] = berth_value_int(size, i);
  if (out->out[0] > 0 && out->out[1] > 0) return BERTH_OK;
  return INVALID("output dimensions must be positive");
}

// Of a gradient: both images have one batch and the same channels.
static berth_code_t read_grads(const berth_case_t *op, berth_scaling_t *out,
                               berth_error_t *err) {
  const berth_case_input_t *grads = &op->inputs[0];
  char text[BERTH_DIMS_TEXT];
  if (grads->rank != 4) {
    return INVALID("input must be 4-dimensional%s",
                   berth_input_text(grads, text));
  }
  out->out[0] = grads->dims[1];
  out->out[1] = grads->dims[2];
  if (grads->dims[0] == out->batch && grads->dims[3] == out->channels) {
    return BERTH_OK;
  }
  return INVALID("gradients of shape %s are not those of such images",
                 berth_input_text(grads, text));
}

berth_code_t berth_op_scale(berth_case_t *op, berth_scaling_t *out_scaling,
                            berth_error_t *err) {
  bool is_gradient = strcmp(op->node->op->name, "ScaleAndTranslateGrad") == 0;
  const berth_case_input_t *image = &op->inputs[is_gradient ? 1 : 0];
  char text[BERTH_DIMS_TEXT];
  if (image->rank != 4) {
    return INVALID("%s must be 4-dimensional%s",
                   is_gradient ? "original_image" : "input",
                   berth_input_text(image, text));
  }
  berth_scaling_t made = {
      .dtype = image->dtype,
      .batch = image->dims[0],
      .channels = image->dims[3],
      .in = {image->dims[1], image->dims[2]},
      .antialias = berth_node_attr_bool(op->node, "antialias", true),
      .is_gradient = is_gradient};
  BERTH_TRY(find_filter(op, &made, err));
  BERTH_TRY(is_gradient ? read_grads(op, &made, err)
                        : read_size(op, &made, err));
  BERTH_TRY(check_pairs(op, err));
  if (image->count == 0 && !is_gradient && made.batch * made.channels != 0) {
    return INVALID("input image must be of non-zero size");
  }
  int64_t dims[4] = {made.batch, made.out[0], made.out[1], made.channels};
  berth_case_output(
      op, 0,
      is_gradient ? berth_case_input_dims(op, 1) : (berth_dims_t){4, dims});
  *out_scaling = made;
  return BERTH_OK;
}
