// tally.c - Values that are counted, and crossed: shapes.
#include "graph/shape_fn.h"
#include "op/sparse_check.h"
#include "tensor/tensor.h"

// Says that the outputs are a sparse tensor of |rank| dimensions.
static berth_code_t set_sparse(berth_shape_context_t *c, int64_t rank,
                               berth_error_t *err) {
  BERTH_TRY(berth_sparse_matrix(c, 0, -1, rank, err));
  BERTH_TRY(berth_shape_set_vector(c, 1, -1, err));
  return berth_shape_set_vector(c, 2, rank, err);
}

BERTH_INFER(dense_count) {
  berth_dims_t values = berth_shape_in(c, 0), weights = berth_shape_in(c, 1);
  bool has_none = false;
  for (int32_t i = 0; i < weights.rank; ++i) has_none |= weights.dims[i] == 0;
  if (!has_none) {
    BERTH_TRY(berth_shape_merge(c, weights, values, &values, err));
  }
  return set_sparse(c, values.rank, err);
}

BERTH_INFER(sparse_count) {
  berth_dims_t at = berth_shape_in(c, 0);
  return set_sparse(c, at.rank > 1 ? at.dims[1] : -1, err);
}

BERTH_INFER(ragged_count) {
  int32_t rank = berth_shape_in(c, 1).rank;
  return set_sparse(c, rank < 0 ? -1 : rank + 1, err);
}

BERTH_INFER(sparse_bincount) {
  const berth_tensor_t *shape = berth_shape_value(c, 2);
  int64_t size = 0;
  if (!berth_shape_scalar(c, 3, &size)) return BERTH_OK;
  if (size < 0) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "size (%lld) must be non-negative", (long long)size);
  }
  berth_dims_t dense;
  if (shape == NULL || shape->count == 0) return BERTH_OK;
  BERTH_TRY(berth_shape_from_value(c, 2, &dense, err));
  if (dense.rank == 1) return berth_shape_set_vector(c, 0, size, err);
  return berth_sparse_matrix(c, 0, dense.dims[0], size, err);
}

BERTH_INFER(sparse_cross) { return set_sparse(c, 2, err); }

// The number of rows is that of any ragged column or matrix.
BERTH_INFER(ragged_cross) {
  const berth_node_t *node = c->node;
  int ragged = berth_node_attr(node, "ragged_values_types")->count;
  int dense = berth_node_attr(node, "dense_types")->count;
  int64_t rows = -1;
  for (int i = 0; i < berth_shape_inputs(c); ++i) {
    berth_dims_t in = berth_shape_in(c, i);
    bool is_splits = i >= ragged && i < 2 * ragged;
    bool is_dense = i >= berth_shape_inputs(c) - dense;
    if ((!is_splits && !is_dense) || in.rank < 1 || in.dims[0] < 0) continue;
    rows = is_splits ? in.dims[0] - 1 : in.dims[0];
  }
  BERTH_TRY(berth_shape_set_vector(c, 0, -1, err));
  return berth_shape_set_vector(c, 1, rows < 0 ? -1 : rows + 1, err);
}
