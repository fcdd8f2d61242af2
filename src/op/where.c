// where.c - Ops whose outputs say where something stands in a tensor: Where,
// Unique, ListDiff, InvertPermutation.
#include "graph/shape_fn.h"
#include "op/group.h"
#include "op/index.h"
#include "op/value.h"

enum { MAX_RANK = 8 };  // Of Where, as in TensorFlow.

berth_code_t berth_op_where(berth_case_t *op, berth_error_t *err) {
  const berth_case_input_t *input = &op->inputs[0];
  if (input->dtype == BERTH_HALF) {
    return berth_error_set(
        err, BERTH_UNIMPLEMENTED,
        "No WhereOp available for float16/half type on CPU; dying in CPU "
        "WhereOp to avoid silently creating costly copies from device.");
  }
  if (input->rank == 0 || input->rank > MAX_RANK) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "WhereOp : Unhandled input dimensions: %d",
                           input->rank);
  }
  op->outputs[0].rank = -1;
  return BERTH_OK;
}

berth_code_t berth_op_unique(berth_case_t *op, berth_error_t *err) {
  if (op->inputs[0].rank != 1) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "unique expects a 1D vector.");
  }
  op->outputs[0].rank = -1;
  berth_case_output(op, 1, berth_case_input_dims(op, 0));
  return BERTH_OK;
}

berth_code_t berth_op_unique_along(berth_case_t *op, int32_t *out_axis,
                                   berth_error_t *err) {
  const berth_case_input_t *input = &op->inputs[0];
  const berth_case_input_t *axis = op->input_count > 1 ? &op->inputs[1] : NULL;
  int64_t along = 0;
  if (axis != NULL && axis->rank != 1) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "axis expects a 1D vector.");
  }
  if (axis != NULL && axis->count > 1) {
    return berth_error_set(
        err, BERTH_INVALID_ARGUMENT,
        "axis does not support input tensors larger than 1 elements");
  }
  if (axis == NULL || axis->count == 0) {
    if (input->rank != 1) {
      return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                             "unique expects a 1D vector.");
    }
  } else {
    along = berth_value_int(axis, 0);
    if (along < 0) along += input->rank;
    if (along < 0 || along >= input->rank) {
      return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                             "axis has to be between [0, %d)",
                             (int)input->rank);
    }
  }
  *out_axis = (int32_t)along;
  for (int i = 0; i < op->output_count; ++i) op->outputs[i].rank = -1;
  return BERTH_OK;
}

berth_code_t berth_op_list_diff(berth_case_t *op, berth_error_t *err) {
  for (int i = 0; i < 2; ++i) {
    if (op->inputs[i].rank == 1) continue;
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "%s should be a 1D vector.", i == 0 ? "x" : "y");
  }
  op->outputs[0].rank = op->outputs[1].rank = -1;
  return BERTH_OK;
}

berth_code_t berth_op_invert_permutation(berth_case_t *op, berth_error_t *err) {
  if (op->inputs[0].rank != 1) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "invert_permutation expects a 1D vector.");
  }
  berth_case_output(op, 0, berth_case_input_dims(op, 0));
  return BERTH_OK;
}

// ---- Shapes of a graph ----

BERTH_INFER(where) {
  int64_t dims[2] = {-1, berth_shape_in(c, 0).rank};
  return berth_shape_join(c, (berth_dims_t){2, dims}, (berth_dims_t){0, NULL},
                          &c->outputs[0], err);
}

BERTH_INFER(unique) {
  BERTH_TRY(berth_shape_set_vector(c, 0, -1, err));
  c->outputs[1] = berth_shape_in(c, 0);
  if (c->node->output_count < 3) return BERTH_OK;
  return berth_shape_set_vector(c, 2, -1, err);
}

BERTH_INFER(list_diff) {
  BERTH_TRY(berth_shape_with_rank(c, berth_shape_in(c, 0), 1, NULL, err));
  BERTH_TRY(berth_shape_with_rank(c, berth_shape_in(c, 1), 1, NULL, err));
  BERTH_TRY(berth_shape_set_vector(c, 0, -1, err));
  return berth_shape_set_vector(c, 1, -1, err);
}
