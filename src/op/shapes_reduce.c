// shapes_reduce.c - Shapes of reductions.
#include "graph/shape_fn.h"
#include "graph/shape_value.h"
#include "tensor/compact.h"

// Marks the dimensions that the constant |axes| names.
static berth_code_t mark_axes(const berth_tensor_t *axes, int32_t rank,
                              bool marked[BERTH_MAX_RANK], berth_error_t *err) {
  for (int32_t i = 0; i < rank; ++i) marked[i] = false;
  for (int64_t i = 0; i < berth_tensor_distinct(axes); ++i) {
    int64_t axis = berth_value_int(axes, i);
    if (axis < -rank || axis >= rank) {
      return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                             "Invalid reduction dimension %lld for input with "
                             "%d dimensions.",
                             (long long)axis, rank);
    }
    marked[axis < 0 ? axis + rank : axis] = true;
  }
  return BERTH_OK;
}

BERTH_INFER(reduction) {
  berth_dims_t input = berth_shape_in(c, 0);
  BERTH_TRY(berth_shape_rank_at_most(berth_shape_in(c, 1), 1, err));
  bool keeps = berth_node_attr_bool(c->node, "keep_dims", false);
  const berth_tensor_t *axes = berth_shape_value(c, 1);
  if (input.rank < 0) return BERTH_OK;
  if (axes == NULL || !berth_value_is_int(axes)) {
    if (!keeps) return BERTH_OK;
    return berth_shape_unknown(c, input.rank, &c->outputs[0], err);
  }
  bool marked[BERTH_MAX_RANK];
  BERTH_TRY(mark_axes(axes, input.rank, marked, err));
  int64_t *dims = berth_shape_room(c, input.rank);
  if (dims == NULL) return berth_error_no_memory(err, "a shape");
  int32_t rank = 0;
  for (int32_t i = 0; i < input.rank; ++i) {
    if (!marked[i]) {
      dims[rank++] = input.dims[i];
    } else if (keeps) {
      dims[rank++] = 1;
    }
  }
  c->outputs[0] = (berth_dims_t){rank, dims};
  return BERTH_OK;
}

BERTH_INFER(arg_extreme) {
  berth_dims_t input = berth_shape_in(c, 0);
  BERTH_TRY(berth_shape_with_rank(c, berth_shape_in(c, 1), 0, NULL, err));
  if (input.rank < 0) return BERTH_OK;
  if (input.rank <= 1) {
    c->outputs[0] = (berth_dims_t){0, NULL};
    return BERTH_OK;
  }
  int64_t axis = 0;
  if (!berth_shape_scalar(c, 1, &axis)) {
    return berth_shape_unknown(c, input.rank - 1, &c->outputs[0], err);
  }
  if (axis < -input.rank || axis >= input.rank) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Dimension (%lld) must be in the range [%d, %d), "
                           "where %d is the number of dimensions in the input.",
                           (long long)axis, -input.rank, input.rank,
                           input.rank);
  }
  int32_t at = (int32_t)(axis < 0 ? axis + input.rank : axis);
  return berth_shape_join(c, berth_shape_slice(input, 0, at),
                          berth_shape_slice(input, at + 1, input.rank),
                          &c->outputs[0], err);
}
