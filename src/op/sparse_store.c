// sparse_store.c - Sparse tensors as texts, and under numbers.
#include "op/sparse_store.h"

#include "graph/shape_fn.h"
#include "op/sparse_check.h"

#define INVALID(...) berth_error_set(err, BERTH_INVALID_ARGUMENT, __VA_ARGS__)

berth_code_t berth_op_sparse_store(berth_case_t *op, berth_error_t *err) {
  static const char *const names[] = {"indices should be a matrix",
                                      "values should be a vector",
                                      "shape should be a vector"};
  char text[BERTH_DIMS_TEXT];
  for (int i = 0; i < 3; ++i) {
    if (op->inputs[i].rank == (i == 0 ? 2 : 1)) continue;
    return INVALID("Input %s but received shape %s", names[i],
                   berth_dims_text(berth_case_input_dims(op, i), text));
  }
  return berth_sparse_makes_all(op);
}

berth_code_t berth_op_sparse_store_rows(berth_case_t *op, berth_error_t *err) {
  BERTH_TRY(berth_op_sparse_store(op, err));
  if (op->inputs[2].count > 1) return BERTH_OK;
  return INVALID("Rank of input SparseTensor should be > 1, but saw rank: %lld",
                 (long long)op->inputs[2].count);
}

berth_code_t berth_op_sparse_restore(berth_case_t *op, berth_error_t *err) {
  const berth_case_input_t *in = &op->inputs[0];
  char text[BERTH_DIMS_TEXT];
  berth_dims_text(berth_case_input_dims(op, 0), text);
  if (in->rank == 0) {
    return INVALID("Serialized sparse should have non-zero rank %s", text);
  }
  if (in->dims[in->rank - 1] != 3) {
    return INVALID("Serialized sparse should have 3 as the last dimension %s",
                   text);
  }
  if (in->count == 0) {
    return INVALID(
        "Serialized sparse should have at least 1 serialized tensor, but has a "
        "zero dimension %s",
        text);
  }
  return berth_sparse_makes_all(op);
}

berth_code_t berth_op_sparse_take(berth_case_t *op, berth_error_t *err) {
  char text[BERTH_DIMS_TEXT];
  if (op->inputs[0].rank != 1) {
    return INVALID("sparse_handles should be a vector but received shape %s",
                   berth_dims_text(berth_case_input_dims(op, 0), text));
  }
  if (op->inputs[0].count == 0) {
    return INVALID(
        "Must have at least 1 serialized SparseTensor, but input matrix has 0 "
        "rows");
  }
  return berth_sparse_makes_all(op);
}

// ---- Shapes of a graph ----

// Says what is known of the parts of a sparse tensor: their ranks.
static berth_code_t infer_parts(berth_shape_context_t *c, berth_error_t *err) {
  BERTH_TRY(berth_sparse_matrix(c, 0, -1, -1, err));
  BERTH_TRY(berth_shape_set_vector(c, 1, -1, err));
  return berth_shape_set_vector(c, 2, -1, err);
}

// Checks that the last dimension of the texts is 3.
static berth_code_t check_three(berth_shape_context_t *c, berth_error_t *err) {
  berth_dims_t shape = berth_shape_in(c, 0);
  if (shape.rank < 0) return BERTH_OK;
  return berth_shape_check_dim(shape.dims[shape.rank - 1], 3, err);
}

BERTH_INFER(deserialize_sparse) {
  BERTH_TRY(berth_shape_rank_at_least(berth_shape_in(c, 0), 1, err));
  BERTH_TRY(check_three(c, err));
  return infer_parts(c, err);
}

BERTH_INFER(deserialize_many_sparse) {
  BERTH_TRY(berth_sparse_ranks(c, "2", err));
  BERTH_TRY(check_three(c, err));
  return infer_parts(c, err);
}
