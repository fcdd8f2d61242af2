// draw.c - Boxes drawn on images, projections: checks, sizes, shapes.
#include "op/draw.h"

#include <string.h>

#include "graph/shape_fn.h"
#include "graph/shape_value.h"
#include "op/value.h"

static berth_code_t fail(berth_error_t *err, const char *text) {
  return berth_error_set(err, BERTH_INVALID_ARGUMENT, "%s", text);
}

#define DEPTH_TEXT \
  "Channel depth should be either 1 (GRY), 3 (RGB), or 4 (RGBA)"

// ---- Boxes ----

static berth_code_t check_colors(const berth_case_t *op, int64_t channels,
                                 berth_error_t *err) {
  if (op->input_count < 3) return BERTH_OK;
  const berth_case_input_t *colors = &op->inputs[2];
  char text[BERTH_DIMS_TEXT];
  if (colors->rank != 2) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "colors must be a 2-D matrix%s",
                           berth_input_text(colors, text));
  }
  if (colors->dims[1] >= channels) return BERTH_OK;
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "colors must have equal or more channels than the "
                         "image provided: %s",
                         berth_input_text(colors, text));
}

berth_code_t berth_op_draw(berth_case_t *op, berth_draw_t *out_draw,
                           berth_error_t *err) {
  const berth_case_input_t *image = &op->inputs[0], *boxes = &op->inputs[1];
  if (image->rank != 4) return fail(err, "The rank of the images should be 4");
  if (boxes->rank != 3) {
    return fail(err, "The rank of the boxes tensor should be 3");
  }
  if (image->dims[0] != boxes->dims[0]) {
    return fail(err, "The batch sizes should be the same");
  }
  int64_t channels = image->dims[3];
  if (channels != 1 && channels != 3 && channels != 4) {
    return fail(err, DEPTH_TEXT);
  }
  if (boxes->dims[2] != 4) {
    return berth_error_set(
        err, BERTH_INVALID_ARGUMENT,
        "The size of the third dimension of the box must be 4. Received: %lld",
        (long long)boxes->dims[2]);
  }
  BERTH_TRY(check_colors(op, channels, err));
  bool has_colors = op->input_count > 2 && op->inputs[2].dims[0] > 0;
  *out_draw =
      (berth_draw_t){.dtype = image->dtype,
                     .batch = image->dims[0],
                     .height = image->dims[1],
                     .width = image->dims[2],
                     .channels = channels,
                     .boxes = boxes->dims[1],
                     .colors = has_colors ? op->inputs[2].dims[0] : 0,
                     .color_channels = has_colors ? op->inputs[2].dims[1] : 0};
  berth_case_output(op, 0, berth_case_input_dims(op, 0));
  return BERTH_OK;
}

BERTH_INFER(draw_boxes) {
  berth_dims_t image = berth_shape_in(c, 0), boxes = berth_shape_in(c, 1);
  if (berth_shape_inputs(c) == 3) {
    BERTH_TRY(berth_shape_rank_at_least(image, 3, err));
    c->outputs[0] = image;
    return BERTH_OK;
  }
  BERTH_TRY(berth_shape_with_rank(c, image, 4, NULL, err));
  BERTH_TRY(berth_shape_with_rank(c, boxes, 3, NULL, err));
  int64_t channels = berth_shape_dim(image, 3);
  if (channels >= 0 && channels != 1 && channels != 3 && channels != 4) {
    return fail(err, DEPTH_TEXT);
  }
  BERTH_TRY(berth_shape_check_dim(berth_shape_dim(boxes, 2), 4, err));
  c->outputs[0] = image;
  return BERTH_OK;
}

// ---- Projections ----

static berth_outside_t outside_of(const berth_node_t *node) {
  const char *mode = berth_node_attr_string(node, "fill_mode", "CONSTANT");
  if (strcmp(mode, "REFLECT") == 0) return BERTH_OUTSIDE_REFLECT;
  if (strcmp(mode, "WRAP") == 0) return BERTH_OUTSIDE_WRAP;
  return strcmp(mode, "NEAREST") == 0 ? BERTH_OUTSIDE_NEAREST
                                      : BERTH_OUTSIDE_FILL;
}

static berth_code_t check_inputs(const berth_case_t *op, berth_error_t *err) {
  const berth_case_input_t *image = &op->inputs[0], *way = &op->inputs[1];
  const berth_case_input_t *size = &op->inputs[2];
  char text[BERTH_DIMS_TEXT];
  if (image->rank != 4) return fail(err, "Input images must have rank 4");
  if (way->rank != 2 || way->dims[1] != 8 ||
      (way->dims[0] != image->dims[0] && way->dims[0] != 1)) {
    return fail(err, "Input transform should be num_images x 8 or 1 x 8");
  }
  if (size->rank != 1) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "output shape must be 1-dimensional%s",
                           berth_input_text(size, text));
  }
  if (size->count != 2) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "output shape must have two elements%s",
                           berth_input_text(size, text));
  }
  if (berth_value_int(size, 0) <= 0 || berth_value_int(size, 1) <= 0) {
    return fail(err, "output dimensions must be positive");
  }
  if (op->input_count > 3 && op->inputs[3].rank != 0) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "fill_value must be a scalar%s",
                           berth_input_text(&op->inputs[3], text));
  }
  return BERTH_OK;
}

berth_code_t berth_op_project(berth_case_t *op, berth_project_t *out_project,
                              berth_error_t *err) {
  const int64_t *dims = op->inputs[0].dims;
  BERTH_TRY(check_inputs(op, err));
  const char *way = berth_node_attr_string(op->node, "interpolation", "");
  *out_project = (berth_project_t){.dtype = op->inputs[0].dtype,
                                   .batch = dims[0],
                                   .in_height = dims[1],
                                   .in_width = dims[2],
                                   .channels = dims[3],
                                   .height = berth_value_int(&op->inputs[2], 0),
                                   .width = berth_value_int(&op->inputs[2], 1),
                                   .has_many = op->inputs[1].dims[0] > 1,
                                   .is_bilinear = strcmp(way, "BILINEAR") == 0,
                                   .outside = outside_of(op->node)};
  berth_shape_t shape = {.rank = 0};
  int64_t out[] = {dims[0], out_project->height, out_project->width, dims[3]};
  int64_t count = 1;
  for (int i = 0; i < 4; ++i) {
    BERTH_TRY(berth_shape_push(&shape, &count, out[i], err));
  }
  BERTH_TRY(berth_value_check_size(berth_shape_dims(&shape), count,
                                   op->inputs[0].dtype, err));
  op->outputs[0] = shape;
  return BERTH_OK;
}

BERTH_INFER(project) {
  berth_dims_t image, size;
  int64_t *dims = berth_shape_room(c, 4);
  if (dims == NULL) return berth_error_no_memory(err, "a shape");
  BERTH_TRY(berth_shape_with_rank(c, berth_shape_in(c, 0), 4, &image, err));
  BERTH_TRY(berth_shape_with_rank(c, berth_shape_in(c, 2), 1, &size, err));
  BERTH_TRY(berth_shape_check_dim(size.dims[0], 2, err));
  dims[0] = image.dims[0];
  dims[1] = dims[2] = -1;
  dims[3] = image.dims[3];
  const berth_tensor_t *value = berth_shape_value(c, 2);
  for (int i = 0; value != NULL && berth_value_is_int(value) && i < 2; ++i) {
    int64_t known = berth_value_int_at(value, i);
    dims[i + 1] = known < 0 ? -1 : known;
  }
  c->outputs[0] = (berth_dims_t){4, dims};
  return BERTH_OK;
}
