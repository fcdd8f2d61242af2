// norm.c - FusedBatchNorm, LRN and their gradients.
#include "op/norm.h"

#include <math.h>
#include <string.h>

#include "graph/shape_fn.h"
#include "op/value.h"

// ---- Batches ----

static bool is_channels_first(const berth_node_t *node) {
  const char *format = berth_node_attr_string(node, "data_format", "NHWC");
  return strncmp(format, "NC", 2) == 0;
}

static berth_code_t check_image(const berth_case_input_t *image,
                                berth_error_t *err) {
  char text[BERTH_DIMS_TEXT];
  if (image->rank == 4 || image->rank == 5) return BERTH_OK;
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "input must be 4 or 5-dimensional%s",
                         berth_input_text(image, text));
}

static berth_code_t check_vector(const berth_case_input_t *vector,
                                 const char *name, berth_error_t *err) {
  char text[BERTH_DIMS_TEXT];
  if (vector->rank == 1) return BERTH_OK;
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "%s must be 1-dimensional%s", name,
                         berth_input_text(vector, text));
}

// |when| says under which condition.
static berth_code_t check_channels(const berth_case_input_t *vector,
                                   int64_t channels, const char *when,
                                   const char *name, berth_error_t *err) {
  if (vector->count == channels) return BERTH_OK;
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "%s%s must have the same number of elements as the "
                         "channels of x, got %lld and %lld",
                         when, name, (long long)vector->count,
                         (long long)channels);
}

static void describe(const berth_case_t *op, const berth_case_input_t *image,
                     berth_batch_norm_t *out_norm) {
  const berth_node_t *node = op->node;
  bool is_first = is_channels_first(node);
  int32_t at = is_first ? 1 : image->rank - 1;
  *out_norm = (berth_batch_norm_t){
      .dtype = image->dtype,
      .outer = 1,
      .channels = image->dims[at],
      .inner = 1,
      .epsilon = berth_node_attr_float(node, "epsilon", 0.0001f),
      .factor = berth_node_attr_float(node, "exponential_avg_factor", 1.0f),
      .is_training = berth_node_attr_bool(node, "is_training", true),
      .channels_first = is_first};
  for (int32_t i = 0; i < image->rank; ++i) {
    if (i == at) continue;
    int64_t *size = i < at ? &out_norm->outer : &out_norm->inner;
    *size *= image->dims[i];
  }
}

static berth_code_t check_inputs(const berth_case_t *op,
                                 const berth_batch_norm_t *norm,
                                 berth_error_t *err) {
  int64_t channels = norm->channels;
  const berth_case_input_t *in = op->inputs;
  BERTH_TRY(check_channels(&in[1], channels, "", "scale", err));
  BERTH_TRY(check_channels(&in[2], channels, "", "offset", err));
  if (norm->is_training && norm->factor == 1.0f) return BERTH_OK;
  const char *when = norm->is_training ? "When exponential_avg_factor != 1, "
                                       : "When is_training=false, ";
  BERTH_TRY(check_channels(&in[3], channels, when, "mean", err));
  return check_channels(&in[4], channels, when, "variance", err);
}

berth_code_t berth_op_batch_norm(berth_case_t *op, berth_batch_norm_t *out_norm,
                                 berth_error_t *err) {
  static const char *const names[] = {"scale", "offset", "estimated_mean",
                                      "estimated_variance"};
  BERTH_TRY(check_image(&op->inputs[0], err));
  for (int i = 0; i < 4; ++i) {
    BERTH_TRY(check_vector(&op->inputs[i + 1], names[i], err));
  }
  describe(op, &op->inputs[0], out_norm);
  BERTH_TRY(check_inputs(op, out_norm, err));
  berth_case_output(op, 0, berth_case_input_dims(op, 0));
  for (int i = 1; i < 5; ++i) {
    berth_case_output(op, i, (berth_dims_t){1, &out_norm->channels});
  }
  if (op->output_count > 5) berth_case_output(op, 5, BERTH_SCALAR);
  return BERTH_OK;
}

berth_code_t berth_op_batch_norm_grad(berth_case_t *op,
                                      berth_batch_norm_t *out_norm,
                                      berth_error_t *err) {
  static const char *const names[] = {"scale", "saved mean", "saved variance"};
  static const char *const spaces[] = {"scale", "reserve_space_1",
                                       "reserve_space_2"};
  char text[BERTH_DIMS_TEXT], other[BERTH_DIMS_TEXT];
  int64_t none = 0;
  BERTH_TRY(check_image(&op->inputs[0], err));
  BERTH_TRY(check_image(&op->inputs[1], err));
  for (int i = 0; i < 3; ++i) {
    BERTH_TRY(check_vector(&op->inputs[i + 2], names[i], err));
  }
  if (!berth_dims_equal(berth_case_input_dims(op, 0),
                        berth_case_input_dims(op, 1))) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "x and y_backprop must have same shape, but x has "
                           "shape %s and y_backprop has shape %s",
                           berth_input_text(&op->inputs[1], text),
                           berth_input_text(&op->inputs[0], other));
  }
  describe(op, &op->inputs[1], out_norm);
  for (int i = 0; i < 3; ++i) {
    BERTH_TRY(check_channels(&op->inputs[i + 2], out_norm->channels, "",
                             spaces[i], err));
  }
  berth_case_output(op, 0, berth_case_input_dims(op, 1));
  for (int i = 1; i < 5; ++i) {
    berth_case_output(op, i,
                      (berth_dims_t){1, i < 3 ? &out_norm->channels : &none});
  }
  return BERTH_OK;
}

// ---- Neighbouring channels ----

static berth_code_t describe_lrn(const berth_case_t *op, berth_lrn_t *out_lrn,
                                 berth_error_t *err) {
  const berth_node_t *node = op->node;
  const berth_case_input_t *in = &op->inputs[0];
  int64_t radius = berth_node_attr_int(node, "depth_radius", 5);
  if (radius < 0 || radius > INT32_MAX) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "depth_radius = %lld larger than int max",
                           (long long)radius);
  }
  int64_t channels = in->rank == 4 ? in->dims[3] : 0;
  *out_lrn = (berth_lrn_t){.dtype = in->dtype,
                           .rows = channels > 0 ? in->count / channels : 0,
                           .channels = channels,
                           .radius = radius,
                           .bias = berth_node_attr_float(node, "bias", 1.0f),
                           .alpha = berth_node_attr_float(node, "alpha", 1.0f),
                           .beta = berth_node_attr_float(node, "beta", 0.5f)};
  return BERTH_OK;
}

berth_code_t berth_op_lrn(berth_case_t *op, berth_lrn_t *out_lrn,
                          berth_error_t *err) {
  BERTH_TRY(describe_lrn(op, out_lrn, err));
  if (op->inputs[0].rank != 4) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "in must be 4-dimensional");
  }
  berth_case_output(op, 0, berth_case_input_dims(op, 0));
  return BERTH_OK;
}

berth_code_t berth_op_lrn_grad(berth_case_t *op, berth_lrn_t *out_lrn,
                               berth_error_t *err) {
  BERTH_TRY(describe_lrn(op, out_lrn, err));
  const berth_case_input_t *in = op->inputs;
  if (in[0].rank != 4 || in[1].rank != 4 || in[2].rank != 4) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "inputs must be 4-dimensional");
  }
  for (int i = 1; i < 3; ++i) {
    if (berth_dims_equal(berth_case_input_dims(op, 0),
                         berth_case_input_dims(op, i))) {
      continue;
    }
    return berth_error_set(
        err, BERTH_INVALID_ARGUMENT,
        "input_grads, input_image, and out_image should have the same shape");
  }
  berth_case_output(op, 0, berth_case_input_dims(op, 0));
  return BERTH_OK;
}

// ---- Shapes of a graph ----

static int32_t rank_of(const berth_node_t *node) {
  const char *format = berth_node_attr_string(node, "data_format", "NHWC");
  return strchr(format, 'D') != NULL ? 5 : 4;
}

// Joins |*channels| with the size of each of the vectors [first, last).
static berth_code_t join_vectors(berth_shape_context_t *c, int first, int last,
                                 int64_t *channels, berth_error_t *err) {
  for (int i = first; i < last; ++i) {
    berth_dims_t vector;
    BERTH_TRY(berth_shape_with_rank(c, berth_shape_in(c, i), 1, &vector, err));
    BERTH_TRY(berth_shape_merge_dims(*channels, vector.dims[0], channels, err));
  }
  return BERTH_OK;
}

// Sets output 0 to |image| with so many channels, and |count| more to vectors.
static berth_code_t set_outputs(berth_shape_context_t *c, berth_dims_t image,
                                int64_t channels, int count,
                                berth_error_t *err) {
  int32_t at = is_channels_first(c->node) ? 1 : image.rank - 1;
  BERTH_TRY(berth_shape_replace(c, image, at, channels, &c->outputs[0], err));
  for (int i = 1; i <= count; ++i) {
    BERTH_TRY(berth_shape_set_vector(c, i, channels, err));
  }
  return BERTH_OK;
}

BERTH_INFER(batch_norm) {
  berth_dims_t image;
  BERTH_TRY(berth_shape_with_rank(c, berth_shape_in(c, 0), rank_of(c->node),
                                  &image, err));
  int32_t at = is_channels_first(c->node) ? 1 : image.rank - 1;
  int64_t channels = image.dims[at];
  bool is_training = berth_node_attr_bool(c->node, "is_training", true);
  BERTH_TRY(join_vectors(c, 1, is_training ? 3 : 5, &channels, err));
  return set_outputs(c, image, channels, 4, err);
}

BERTH_INFER(batch_norm_grad) {
  berth_dims_t grad, image;
  int32_t rank = rank_of(c->node);
  BERTH_TRY(berth_shape_with_rank(c, berth_shape_in(c, 0), rank, &grad, err));
  BERTH_TRY(berth_shape_with_rank(c, berth_shape_in(c, 1), rank, &image, err));
  int32_t at = is_channels_first(c->node) ? 1 : rank - 1;
  int64_t channels = -1;
  BERTH_TRY(
      berth_shape_merge_dims(grad.dims[at], image.dims[at], &channels, err));
  BERTH_TRY(join_vectors(c, 2, 5, &channels, err));
  BERTH_TRY(set_outputs(c, grad, channels, 2, err));
  BERTH_TRY(berth_shape_set_vector(c, 3, 0, err));
  return berth_shape_set_vector(c, 4, 0, err);
}

BERTH_INFER(image) {
  return berth_shape_with_rank(c, berth_shape_in(c, 0), 4, &c->outputs[0], err);
}

BERTH_INFER(lrn_grad) {
  berth_dims_t shape;
  BERTH_TRY(berth_shape_with_rank(c, berth_shape_in(c, 0), 4, &shape, err));
  BERTH_TRY(berth_shape_merge(c, shape, berth_shape_in(c, 1), &shape, err));
  return berth_shape_merge(c, shape, berth_shape_in(c, 2), &c->outputs[0], err);
}

// ---- BatchNormWithGlobalNormalization ----

berth_code_t berth_op_global_norm(berth_case_t *op, berth_global_norm_t *out,
                                  berth_error_t *err) {
  static const char *const names[] = {"input", "mean", "var", "beta", "gamma"};
  static const char *const of_grad[] = {"input", "mean", "var", "gamma",
                                        "out_backprop"};
  const berth_case_input_t *x = &op->inputs[0];
  bool is_grad = op->output_count > 1;
  char text[BERTH_DIMS_TEXT];
  for (int i = 0; i < 5; ++i) {
    bool is_image = i == 0 || (is_grad && i == 4);
    if (op->inputs[i].rank == (is_image ? 4 : 1)) continue;
    return berth_error_set(
        err, BERTH_INVALID_ARGUMENT, "%s must be %s-dimensional%s",
        is_grad ? of_grad[i] : names[i], is_image ? "4" : "1",
        berth_input_text(&op->inputs[i], text));
  }
  for (int i = 1; i < (is_grad ? 4 : 5); ++i) {
    if (op->inputs[i].count == x->dims[3]) continue;
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "%s must have one element for each of %lld "
                           "channels, not %s",
                           names[i], (long long)x->dims[3],
                           berth_input_text(&op->inputs[i], text));
  }
  *out = (berth_global_norm_t){
      .dtype = x->dtype,
      .count = x->count,
      .channels = x->dims[3],
      .epsilon = berth_node_attr_float(op->node, "variance_epsilon", 0),
      .has_scale =
          berth_node_attr_bool(op->node, "scale_after_normalization", false)};
  berth_case_output(op, 0, berth_case_input_dims(op, 0));
  for (int i = 1; i < op->output_count; ++i) {
    berth_case_output(op, i, (berth_dims_t){1, &out->channels});
  }
  if (!is_grad || berth_dims_equal(berth_case_input_dims(op, 0),
                                   berth_case_input_dims(op, 4))) {
    return BERTH_OK;
  }
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "input and out_backprop must have the same shape");
}
