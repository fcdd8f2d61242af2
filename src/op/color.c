// color.c - Colours of images: checks, sizes, shapes.
#include "op/color.h"

#include <string.h>

#include "graph/shape_fn.h"
#include "op/value.h"

static bool is_contrast(const berth_node_t *node) {
  return strncmp(node->op->name, "AdjustContrast", 14) == 0;
}

berth_code_t berth_op_adjust(berth_case_t *op, berth_color_t *out_color,
                             berth_error_t *err) {
  const berth_case_input_t *image = &op->inputs[0], *factor = &op->inputs[1];
  const char *name = op->node->op->name;
  char text[BERTH_DIMS_TEXT];
  if (image->rank < 3) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "input must be at least 3-D, got shape%s",
                           berth_input_text(image, text));
  }
  if (factor->rank != 0) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT, "%s must be scalar: %s",
                           is_contrast(op->node)            ? "contrast_factor"
                           : strcmp(name, "AdjustHue") == 0 ? "delta"
                                                            : "scale",
                           berth_input_text(factor, text));
  }
  for (int i = 2; i < op->input_count; ++i) {
    if (op->inputs[i].rank == 0) continue;
    return berth_error_set(err, BERTH_INVALID_ARGUMENT, "%s must be scalar: %s",
                           i == 2 ? "min_value" : "max_value",
                           berth_input_text(&op->inputs[i], text));
  }
  int64_t channels = image->dims[image->rank - 1];
  if (!is_contrast(op->node) && channels != 3) {
    return berth_error_set(
        err, BERTH_INVALID_ARGUMENT,
        "input must have 3 channels but instead has %lld channels.",
        (long long)channels);
  }
  int64_t pixels = image->dims[image->rank - 2] * image->dims[image->rank - 3];
  int64_t size = pixels * channels;
  *out_color = (berth_color_t){.dtype = image->dtype,
                               .images = size > 0 ? image->count / size : 0,
                               .pixels = pixels,
                               .channels = channels};
  berth_case_output(op, 0, berth_case_input_dims(op, 0));
  return BERTH_OK;
}

berth_code_t berth_op_hsv(berth_case_t *op, berth_color_t *out_color,
                          berth_error_t *err) {
  const berth_case_input_t *image = &op->inputs[0];
  char text[BERTH_DIMS_TEXT];
  if (image->rank < 1) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "input must be at least 1D%s",
                           berth_input_text(image, text));
  }
  int64_t channels = image->dims[image->rank - 1];
  if (channels != 3) {
    return berth_error_set(
        err, BERTH_FAILED_PRECONDITION,
        "input must have 3 channels but input only has %lld channels.",
        (long long)channels);
  }
  *out_color = (berth_color_t){.dtype = image->dtype,
                               .images = 1,
                               .pixels = image->count / 3,
                               .channels = 3};
  berth_case_output(op, 0, berth_case_input_dims(op, 0));
  if (image->count > 0) op->may_overwrite = 1;
  return BERTH_OK;
}

// ---- Shapes of a graph ----

BERTH_INFER(image_at_least_3) {
  berth_dims_t image = berth_shape_in(c, 0);
  BERTH_TRY(berth_shape_rank_at_least(image, 3, err));
  if (is_contrast(c->node)) {
    for (int i = 1; i < berth_shape_inputs(c); ++i) {
      BERTH_TRY(berth_shape_with_rank(c, berth_shape_in(c, i), 0, NULL, err));
    }
  }
  c->outputs[0] = image;
  return BERTH_OK;
}

BERTH_INFER(colors) {
  berth_dims_t image = berth_shape_in(c, 0);
  BERTH_TRY(berth_shape_rank_at_least(image, 1, err));
  if (image.rank < 0) return BERTH_OK;
  BERTH_TRY(berth_shape_check_dim(image.dims[image.rank - 1], 3, err));
  return berth_shape_replace(c, image, image.rank - 1, 3, &c->outputs[0], err);
}
