// small.c - ClipByValue, Cross, Betainc, ApproximateEqual.
#include "op/small.h"

#include "graph/shape_fn.h"
#include "op/value.h"

static bool is_same(const berth_case_t *op, int a, int b) {
  return berth_dims_equal(berth_case_input_dims(op, a),
                          berth_case_input_dims(op, b));
}

berth_code_t berth_op_clip(berth_case_t *op, berth_error_t *err) {
  const berth_case_input_t *in = op->inputs;
  bool fits = (in[1].rank == 0 || is_same(op, 0, 1)) &&
              (in[2].rank == 0 || is_same(op, 0, 2));
  char a[BERTH_DIMS_TEXT], b[BERTH_DIMS_TEXT], c[BERTH_DIMS_TEXT];
  if (!fits) {
    return berth_error_set(
        err, BERTH_INVALID_ARGUMENT,
        "clip_value_min and clip_value_max must be either of the same shape as "
        "input, or a scalar. input shape: %sclip_value_min shape: "
        "%sclip_value_max shape: %s",
        berth_input_text(&in[0], a), berth_input_text(&in[1], b),
        berth_input_text(&in[2], c));
  }
  berth_case_output(op, 0, berth_case_input_dims(op, 0));
  op->may_overwrite = 1;
  return BERTH_OK;
}

berth_code_t berth_op_cross(berth_case_t *op, berth_error_t *err) {
  const berth_case_input_t *a = &op->inputs[0], *b = &op->inputs[1];
  char a_text[BERTH_DIMS_TEXT], b_text[BERTH_DIMS_TEXT];
  if (!is_same(op, 0, 1)) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Both inputs must be of same shape: %s vs. %s",
                           berth_input_text(a, a_text),
                           berth_input_text(b, b_text));
  }
  if (a->rank < 1) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Input must be at least 1D[]");
  }
  if (a->dims[a->rank - 1] != 3) {
    return berth_error_set(
        err, BERTH_FAILED_PRECONDITION,
        "Cross-products are only defined for 3-element vectors.");
  }
  berth_case_output(op, 0, berth_case_input_dims(op, 0));
  return BERTH_OK;
}

static berth_code_t check_pair(const berth_case_t *op, int a, int b,
                               berth_error_t *err) {
  static const char *const names[] = {"a", "b", "x"};
  char a_text[BERTH_DIMS_TEXT], b_text[BERTH_DIMS_TEXT];
  if (op->inputs[a].rank == 0 || op->inputs[b].rank == 0 || is_same(op, a, b)) {
    return BERTH_OK;
  }
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "Shapes of %s and %s are inconsistent: %s vs. %s",
                         names[a], names[b],
                         berth_input_text(&op->inputs[a], a_text),
                         berth_input_text(&op->inputs[b], b_text));
}

berth_code_t berth_op_betainc(berth_case_t *op, berth_error_t *err) {
  BERTH_TRY(check_pair(op, 0, 1, err));
  BERTH_TRY(check_pair(op, 0, 2, err));
  BERTH_TRY(check_pair(op, 1, 2, err));
  int which = 0;
  for (int i = 0; i < 3; ++i) {
    if (op->inputs[i].rank > 0) which = i;
  }
  berth_case_output(op, 0, berth_case_input_dims(op, which));
  return BERTH_OK;
}

berth_code_t berth_op_approximate_equal(berth_case_t *op, berth_error_t *err) {
  char a[BERTH_DIMS_TEXT], b[BERTH_DIMS_TEXT];
  if (!is_same(op, 0, 1)) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "x and y must be of the same shape. x shape: %s. y "
                           "shape: %s",
                           berth_input_text(&op->inputs[0], a),
                           berth_input_text(&op->inputs[1], b));
  }
  berth_case_output(op, 0, berth_case_input_dims(op, 0));
  return BERTH_OK;
}

// ---- Shapes of a graph ----

BERTH_INFER(clip) {
  (void)err;
  c->outputs[0] = berth_shape_in(c, 0);
  return BERTH_OK;
}

BERTH_INFER(cross) {
  berth_dims_t a = berth_shape_in(c, 0), both;
  BERTH_TRY(berth_shape_rank_at_least(a, 1, err));
  BERTH_TRY(berth_shape_rank_at_least(berth_shape_in(c, 1), 1, err));
  BERTH_TRY(berth_shape_merge(c, a, berth_shape_in(c, 1), &both, err));
  if (both.rank > 0) {
    BERTH_TRY(berth_shape_check_dim(both.dims[both.rank - 1], 3, err));
  }
  c->outputs[0] = both;
  return BERTH_OK;
}

BERTH_INFER(betainc) {
  berth_dims_t shape = BERTH_SCALAR;
  for (int i = 0; i < 3; ++i) {
    berth_dims_t in = berth_shape_in(c, i);
    if (in.rank < 0) return BERTH_OK;
    if (in.rank == 0) continue;
    if (shape.rank == 0) {
      shape = in;
    } else {
      BERTH_TRY(berth_shape_merge(c, shape, in, &shape, err));
    }
  }
  c->outputs[0] = shape;
  return BERTH_OK;
}
