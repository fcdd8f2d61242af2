// suppress.c - NonMaxSuppression: checks, sizes, shapes.
#include "op/suppress.h"

#include <float.h>
#include <string.h>

#include "graph/shape_fn.h"
#include "op/value.h"
#include "tensor/half.h"

static berth_code_t fail(berth_error_t *err, const char *text) {
  return berth_error_set(err, BERTH_INVALID_ARGUMENT, "%s", text);
}

static bool op_is(const berth_case_t *op, const char *name) {
  return strcmp(op->node->op->name, name) == 0;
}

// ---- Inputs ----

// Checks that input |index|, if there is one, is a scalar.
static berth_code_t check_scalar(const berth_case_t *op, int index,
                                 const char *name, bool says_more,
                                 berth_error_t *err) {
  char text[BERTH_DIMS_TEXT];
  if (index >= op->input_count || op->inputs[index].rank == 0) return BERTH_OK;
  const berth_case_input_t *input = &op->inputs[index];
  if (says_more) {
    return berth_error_set(
        err, BERTH_INVALID_ARGUMENT,
        "%s must be 0-D, got shape %s (Shape must be rank 0 but is rank %d)",
        name, berth_input_text(input, text), (int)input->rank);
  }
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "%s must be 0-D, got shape %s", name,
                         berth_input_text(input, text));
}

// Returns the number in scalar |index|; |otherwise| where there is none.
static float read_float(const berth_case_t *op, int index, float otherwise) {
  if (index >= op->input_count) return otherwise;
  const berth_case_input_t *input = &op->inputs[index];
  if (input->dtype == BERTH_HALF) {
    return berth_half_to_float(*(const uint16_t *)input->value);
  }
  return *(const float *)input->value;
}

static berth_code_t check_scores(const berth_case_t *op, int64_t boxes,
                                 berth_error_t *err) {
  const berth_case_input_t *scores = &op->inputs[1];
  char text[BERTH_DIMS_TEXT];
  if (scores->rank != 1) {
    return berth_error_set(
        err, BERTH_INVALID_ARGUMENT,
        "scores must be 1-D%s (Shape must be rank 1 but is rank %d)",
        berth_input_text(scores, text), (int)scores->rank);
  }
  if (scores->dims[0] == boxes) return BERTH_OK;
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "scores has incompatible shape (Dimensions must be "
                         "equal, but are %lld and %lld)",
                         (long long)boxes, (long long)scores->dims[0]);
}

static berth_code_t check_boxes(const berth_case_t *op, bool has_overlaps,
                                berth_error_t *err) {
  const berth_case_input_t *boxes = &op->inputs[0];
  char text[BERTH_DIMS_TEXT];
  if (has_overlaps) {
    if (boxes->rank != 2) {
      return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                             "overlaps must be 2-D%s",
                             berth_input_text(boxes, text));
    }
    if (boxes->dims[0] == boxes->dims[1]) return BERTH_OK;
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "overlaps must be square%s",
                           berth_input_text(boxes, text));
  }
  if (boxes->rank != 2) {
    return berth_error_set(
        err, BERTH_INVALID_ARGUMENT,
        "boxes must be 2-D%s (Shape must be rank 2 but is rank %d)",
        berth_input_text(boxes, text), (int)boxes->rank);
  }
  if (boxes->dims[1] == 4) return BERTH_OK;
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "boxes must have 4 columns (Dimension must be 4 but "
                         "is %lld)",
                         (long long)boxes->dims[1]);
}

berth_code_t berth_op_suppress(berth_case_t *op, berth_suppress_t *out_suppress,
                               berth_error_t *err) {
  bool has_overlaps = op_is(op, "NonMaxSuppressionWithOverlaps");
  bool is_third = op_is(op, "NonMaxSuppressionV3");
  BERTH_TRY(check_scalar(op, 2, "max_output_size", is_third, err));
  BERTH_TRY(check_scalar(op, 3,
                         has_overlaps ? "overlap_threshold" : "iou_threshold",
                         is_third, err));
  BERTH_TRY(check_scalar(op, 4, "score_threshold", false, err));
  BERTH_TRY(check_scalar(op, 5, "soft_nms_sigma", false, err));
  float attr = berth_node_attr_float(op->node, "iou_threshold", 0.5f);
  *out_suppress =
      (berth_suppress_t){.dtype = op->inputs[1].dtype,
                         .most = berth_value_int(&op->inputs[2], 0),
                         .overlap = read_float(op, 3, attr),
                         .score = read_float(op, 4, -FLT_MAX),
                         .sigma = read_float(op, 5, 0),
                         .has_overlaps = has_overlaps,
                         .is_padded = berth_node_attr_bool(
                             op->node, "pad_to_max_output_size", false)};
  if (!has_overlaps &&
      !(out_suppress->overlap >= 0 && out_suppress->overlap <= 1)) {
    return fail(err, "iou_threshold must be in [0, 1]");
  }
  if (!(out_suppress->sigma >= 0)) {
    return fail(err, "soft_nms_sigma_val must be >= 0");
  }
  BERTH_TRY(check_boxes(op, has_overlaps, err));
  out_suppress->boxes = op->inputs[0].dims[0];
  BERTH_TRY(check_scores(op, out_suppress->boxes, err));
  if (out_suppress->most < 0) {
    return fail(err, "output size must be non-negative");
  }
  return BERTH_OK;
}

// ---- All classes ----

static berth_code_t check_all(const berth_case_t *op, berth_error_t *err) {
  const berth_case_input_t *boxes = &op->inputs[0], *scores = &op->inputs[1];
  char text[BERTH_DIMS_TEXT];
  BERTH_TRY(check_scalar(op, 2, "max_size_per_class", false, err));
  if (berth_value_int(&op->inputs[2], 0) <= 0) {
    return fail(err, "max_size_per_class must be positive");
  }
  BERTH_TRY(check_scalar(op, 3, "max_total_size", false, err));
  if (berth_value_int(&op->inputs[3], 0) <= 0) {
    return fail(err, "max_total_size must be > 0");
  }
  BERTH_TRY(check_scalar(op, 4, "iou_threshold", false, err));
  BERTH_TRY(check_scalar(op, 5, "score_threshold", false, err));
  float overlap = read_float(op, 4, 0);
  if (!(overlap >= 0 && overlap <= 1)) {
    return fail(err, "iou_threshold must be in [0, 1]");
  }
  if (boxes->rank != 4) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT, "boxes must be 4-D%s",
                           berth_input_text(boxes, text));
  }
  if (scores->rank != 3) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT, "scores must be 3-D%s",
                           berth_input_text(scores, text));
  }
  if (boxes->dims[0] != scores->dims[0]) {
    return fail(err, "boxes and scores must have same batch size");
  }
  bool has_shared = boxes->dims[2] == 1;
  if (!has_shared && boxes->dims[2] != scores->dims[2]) {
    return fail(err,
                "third dimension of boxes must be either 1 or num classes");
  }
  if (boxes->dims[3] != 4) return fail(err, "boxes must have 4 columns");
  if (boxes->dims[1] != scores->dims[1]) {
    return fail(err, "scores has incompatible shape");
  }
  return BERTH_OK;
}

berth_code_t berth_op_suppress_all(berth_case_t *op,
                                   berth_suppress_all_t *out_all,
                                   berth_error_t *err) {
  BERTH_TRY(check_all(op, err));
  const int64_t *scores = op->inputs[1].dims;
  *out_all = (berth_suppress_all_t){
      .batch = scores[0],
      .boxes = scores[1],
      .classes = scores[2],
      .has_shared = op->inputs[0].dims[2] == 1,
      .most = berth_value_int(&op->inputs[2], 0),
      .total = berth_value_int(&op->inputs[3], 0),
      .overlap = read_float(op, 4, 0),
      .score = read_float(op, 5, 0),
      .clips = berth_node_attr_bool(op->node, "clip_boxes", true)};
  int64_t outputs = out_all->total, per_class = 0;
  if (berth_node_attr_bool(op->node, "pad_per_class", false) &&
      !__builtin_mul_overflow(out_all->most, out_all->classes, &per_class) &&
      per_class < outputs) {
    outputs = per_class;
  }
  out_all->outputs = outputs;
  int64_t dims[] = {out_all->batch, outputs, 4}, count = 0;
  if (__builtin_mul_overflow(out_all->batch, outputs * 4, &count)) {
    return fail(err, "max_total_size is larger than any output");
  }
  BERTH_TRY(
      berth_value_check_size((berth_dims_t){3, dims}, count, BERTH_FLOAT, err));
  berth_case_output(op, 0, (berth_dims_t){3, dims});
  berth_case_output(op, 1, (berth_dims_t){2, dims});
  berth_case_output(op, 2, (berth_dims_t){2, dims});
  berth_case_output(op, 3, (berth_dims_t){1, dims});
  return BERTH_OK;
}

// ---- Shapes of a graph ----

static berth_code_t infer_scalars(berth_shape_context_t *c, int first,
                                  berth_error_t *err) {
  for (int i = first; i < berth_shape_inputs(c); ++i) {
    BERTH_TRY(berth_shape_with_rank(c, berth_shape_in(c, i), 0, NULL, err));
  }
  return BERTH_OK;
}

BERTH_INFER(suppress) {
  berth_dims_t boxes, scores;
  int64_t count = -1;
  bool has_overlaps =
      strcmp(c->node->op->name, "NonMaxSuppressionWithOverlaps") == 0;
  BERTH_TRY(berth_shape_with_rank(c, berth_shape_in(c, 0), 2, &boxes, err));
  BERTH_TRY(berth_shape_with_rank(c, berth_shape_in(c, 1), 1, &scores, err));
  BERTH_TRY(infer_scalars(c, 2, err));
  BERTH_TRY(berth_shape_merge_dims(boxes.dims[0], scores.dims[0], &count, err));
  if (has_overlaps) {
    BERTH_TRY(
        berth_shape_merge_dims(boxes.dims[0], boxes.dims[1], &count, err));
  } else {
    BERTH_TRY(berth_shape_check_dim(boxes.dims[1], 4, err));
  }
  int64_t size = -1;
  if (berth_node_attr_bool(c->node, "pad_to_max_output_size", false)) {
    BERTH_TRY(berth_shape_size(c, 2, &size, err));
  }
  int outputs = c->node->output_count;
  for (int i = 0; i < outputs; ++i) {
    if (i > 0 && i == outputs - 1) {
      c->outputs[i] = (berth_dims_t){0, NULL};
    } else {
      BERTH_TRY(berth_shape_set_vector(c, i, size, err));
    }
  }
  return BERTH_OK;
}

static berth_code_t set_all(berth_shape_context_t *c, int64_t batch,
                            int64_t size, berth_error_t *err) {
  int64_t *dims = berth_shape_room(c, 3);
  if (dims == NULL) return berth_error_no_memory(err, "a shape");
  dims[0] = batch;
  dims[1] = size;
  dims[2] = 4;
  c->outputs[0] = (berth_dims_t){3, dims};
  c->outputs[1] = c->outputs[2] = (berth_dims_t){2, dims};
  c->outputs[3] = (berth_dims_t){1, dims};
  return BERTH_OK;
}

BERTH_INFER(suppress_all) {
  berth_dims_t boxes, scores;
  int64_t batch = -1, count = -1, size = -1, most = -1;
  BERTH_TRY(berth_shape_with_rank(c, berth_shape_in(c, 0), 4, &boxes, err));
  BERTH_TRY(berth_shape_with_rank(c, berth_shape_in(c, 1), 3, &scores, err));
  BERTH_TRY(infer_scalars(c, 2, err));
  BERTH_TRY(berth_shape_check_dim(boxes.dims[3], 4, err));
  BERTH_TRY(berth_shape_merge_dims(boxes.dims[0], scores.dims[0], &batch, err));
  BERTH_TRY(berth_shape_merge_dims(boxes.dims[1], scores.dims[1], &count, err));
  if (boxes.dims[2] >= 0 && boxes.dims[2] != 1 && scores.dims[2] >= 0 &&
      boxes.dims[2] != scores.dims[2]) {
    return fail(err,
                "third dimension of boxes must be either 1 or equal to the "
                "third dimension of scores");
  }
  BERTH_TRY(berth_shape_size(c, 2, &most, err));
  BERTH_TRY(berth_shape_size(c, 3, &size, err));
  if (size < 0 || !berth_node_attr_bool(c->node, "pad_per_class", false)) {
    return set_all(c, batch, size, err);
  }
  int64_t per_class = 0;
  if (most < 0 || scores.dims[2] < 0 ||
      __builtin_mul_overflow(most, scores.dims[2], &per_class)) {
    return set_all(c, batch, -1, err);
  }
  return set_all(c, batch, per_class < size ? per_class : size, err);
}
