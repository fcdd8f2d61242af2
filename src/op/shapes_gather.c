// shapes_gather.c - Shapes of ops that pick elements by index.
#include "graph/shape_fn.h"
#include "tensor/shape.h"

BERTH_INFER(gather) {
  berth_dims_t params = berth_shape_in(c, 0);
  BERTH_TRY(berth_shape_rank_at_least(params, 1, err));
  return berth_shape_join(c, berth_shape_in(c, 1),
                          berth_shape_slice(params, 1, params.rank),
                          &c->outputs[0], err);
}

// Joins what is before the axis, the indices, and what is after it.
static berth_code_t gather_along(berth_shape_context_t *c, int32_t axis,
                                 int32_t batch, berth_error_t *err) {
  berth_dims_t params = berth_shape_in(c, 0), indices = berth_shape_in(c, 1);
  berth_dims_t joined;
  BERTH_TRY(berth_shape_join(c, berth_shape_slice(params, 0, axis),
                             berth_shape_slice(indices, batch, indices.rank),
                             &joined, err));
  return berth_shape_join(c, joined,
                          berth_shape_slice(params, axis + 1, params.rank),
                          &c->outputs[0], err);
}

BERTH_INFER(gather_v2) {
  berth_dims_t params = berth_shape_in(c, 0), indices = berth_shape_in(c, 1);
  BERTH_TRY(berth_shape_rank_at_least(params, 1, err));
  BERTH_TRY(berth_shape_with_rank(c, berth_shape_in(c, 2), 0, NULL, err));
  int64_t axis = 0;
  if (!berth_shape_scalar(c, 2, &axis)) {
    if (params.rank < 0 || indices.rank < 0) return BERTH_OK;
    return berth_shape_unknown(c, params.rank + indices.rank - 1,
                               &c->outputs[0], err);
  }
  int64_t least = berth_axis_rank(axis);
  if (least > INT32_MAX) least = INT32_MAX;
  BERTH_TRY(berth_shape_rank_at_least(params, (int32_t)least, err));
  int64_t batch = berth_node_attr_int(c->node, "batch_dims", 0);
  int64_t size = batch < -BERTH_MAX_RANK || batch > BERTH_MAX_RANK
                     ? BERTH_MAX_RANK
                 : batch < 0 ? -batch
                             : batch;
  BERTH_TRY(berth_shape_rank_at_least(indices, (int32_t)size, err));
  if (params.rank < 0 || indices.rank < 0) return BERTH_OK;
  if (batch < 0) batch += indices.rank;
  BERTH_TRY(berth_shape_rank_at_least(params, (int32_t)batch + 1, err));
  if (axis < 0) axis += params.rank;
  return gather_along(c, (int32_t)axis, (int32_t)batch, err);
}

BERTH_INFER(gather_nd) {
  berth_dims_t params = berth_shape_in(c, 0), indices = berth_shape_in(c, 1);
  BERTH_TRY(berth_shape_rank_at_least(indices, 1, err));
  if (params.rank < 0 || indices.rank < 0) return BERTH_OK;
  int64_t depth = indices.dims[indices.rank - 1];
  if (depth < 0) return BERTH_OK;
  if (depth > params.rank) {
    char a[BERTH_DIMS_TEXT], b[BERTH_DIMS_TEXT];
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "indices.shape[-1] must be <= params.rank, but saw "
                           "indices shape: %s and params shape: %s",
                           berth_dims_text(indices, a),
                           berth_dims_text(params, b));
  }
  return berth_shape_join(
      c, berth_shape_slice(indices, 0, indices.rank - 1),
      berth_shape_slice(params, (int32_t)depth, params.rank), &c->outputs[0],
      err);
}
