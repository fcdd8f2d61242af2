// where.c - Ops whose outputs say where something stands in a tensor: Where,
// Unique, InvertPermutation.
#include "graph/shape_fn.h"
#include "op/index.h"

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
