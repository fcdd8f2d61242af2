// sparse.c - SparseToDense.
#include "graph/shape_fn.h"
#include "graph/shape_value.h"
#include "op/index.h"
#include "op/value.h"

static berth_code_t check_places(const berth_case_t *op, berth_sparse_t *sparse,
                                 berth_error_t *err) {
  const berth_case_input_t *places = &op->inputs[0], *shape = &op->inputs[1];
  char text[BERTH_DIMS_TEXT];
  if (places->rank > 2) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "sparse_indices should be a scalar, vector, or "
                           "matrix, got shape %s",
                           berth_input_text(places, text));
  }
  sparse->places = places->rank > 0 ? places->dims[0] : 1;
  int64_t rank = places->rank > 1 ? places->dims[1] : 1;
  if (shape->rank != 1) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "output_shape must be rank 1, got shape %s",
                           berth_input_text(shape, text));
  }
  if (shape->count != rank) {
    return berth_error_set(
        err, BERTH_INVALID_ARGUMENT,
        "output_shape has incorrect number of elements: %lld should be: %lld",
        (long long)shape->count, (long long)rank);
  }
  sparse->rank = (int32_t)rank;
  return BERTH_OK;
}

static berth_code_t check_values(const berth_case_t *op, berth_sparse_t *sparse,
                                 berth_error_t *err) {
  const berth_case_input_t *values = &op->inputs[2];
  char text[BERTH_DIMS_TEXT];
  sparse->is_one = values->rank == 0;
  if (!sparse->is_one &&
      !(values->rank == 1 && values->count == sparse->places)) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "sparse_values has incorrect shape %s, should be [] "
                           "or [%lld]",
                           berth_input_text(values, text),
                           (long long)sparse->places);
  }
  if (op->inputs[3].rank == 0) return BERTH_OK;
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "default_value should be a scalar.");
}

berth_code_t berth_op_sparse_to_dense(berth_case_t *op,
                                      berth_sparse_t *out_sparse,
                                      berth_error_t *err) {
  BERTH_TRY(check_places(op, out_sparse, err));
  BERTH_TRY(check_values(op, out_sparse, err));
  BERTH_TRY(berth_value_shape(&op->inputs[1], &op->outputs[0],
                              &out_sparse->count, err));
  out_sparse->checks_order =
      berth_node_attr_bool(op->node, "validate_indices", true);
  return berth_value_check_size(berth_case_output_dims(op, 0),
                                out_sparse->count, op->inputs[2].dtype, err);
}

BERTH_INFER(sparse_to_dense) {
  return berth_shape_from_value(c, 1, &c->outputs[0], err);
}
