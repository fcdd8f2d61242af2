// gather.c - The ops Gather and GatherV2, and ResourceGather once its variable
// is read.
#include "graph/shape_fn.h"
#include "op/index.h"
#include "op/resource.h"
#include "op/value.h"

// Reads axis and batch_dims, checked against the ranks.
static berth_code_t read_axes(const berth_case_t *op, int32_t *out_axis,
                              int32_t *out_batch, berth_error_t *err) {
  const berth_case_input_t *params = &op->inputs[0];
  const berth_case_input_t *indices = &op->inputs[1];
  bool has_axis = op->input_count > 2;
  if (has_axis && op->inputs[2].rank != 0) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT, "axis must be scalar");
  }
  if (params->rank < 1) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "params must be at least 1 dimensional");
  }
  // Without an axis it is the first after the batch.
  int64_t batch = berth_node_attr_int(op->node, "batch_dims", 0);
  int64_t given = has_axis ? berth_value_int(&op->inputs[2], 0) : batch;
  int64_t axis = given < 0 ? given + params->rank : given;
  if (axis < 0 || axis >= params->rank) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Shape must be at least rank %lld but is rank %d",
                           (long long)berth_axis_rank(given),
                           (int)params->rank);
  }
  if (batch < -indices->rank || batch > indices->rank) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Expected batch_dims in the range [%d, %d], but "
                           "got %lld",
                           -(int)indices->rank, (int)indices->rank,
                           (long long)batch);
  }
  if (batch < 0) batch += indices->rank;
  *out_axis = (int32_t)axis;
  *out_batch = (int32_t)batch;
  return BERTH_OK;
}

static berth_code_t check_batch(const berth_case_t *op, int32_t axis,
                                int32_t batch, berth_error_t *err) {
  const berth_case_input_t *params = &op->inputs[0];
  const berth_case_input_t *indices = &op->inputs[1];
  if (batch >= params->rank) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "batch_dims (%d) must be less than rank(params) "
                           "(%d).",
                           (int)batch, (int)params->rank);
  }
  if (axis < batch) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "batch_dims (%d) must be less than or equal to "
                           "axis (%d).",
                           (int)batch, (int)axis);
  }
  for (int32_t i = 0; i < batch; ++i) {
    if (params->dims[i] == indices->dims[i]) continue;
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "params.shape[%d]: %lld should be equal to "
                           "indices.shape[%d]: %lld",
                           (int)i, (long long)params->dims[i], (int)i,
                           (long long)indices->dims[i]);
  }
  return BERTH_OK;
}

// Fills in the output's shape: params without the axis, where the indices'
// dimensions after the batch take its place.
static berth_code_t gather_shape(berth_case_t *op, int32_t axis, int32_t batch,
                                 int64_t *out_count, berth_error_t *err) {
  const berth_case_input_t *params = &op->inputs[0];
  const berth_case_input_t *indices = &op->inputs[1];
  berth_shape_t *shape = &op->outputs[0];
  *out_count = 1;
  shape->rank = 0;
  for (int32_t i = 0; i < axis; ++i) {
    BERTH_TRY(berth_shape_push(shape, out_count, params->dims[i], err));
  }
  for (int32_t i = batch; i < indices->rank; ++i) {
    BERTH_TRY(berth_shape_push(shape, out_count, indices->dims[i], err));
  }
  for (int32_t i = axis + 1; i < params->rank; ++i) {
    BERTH_TRY(berth_shape_push(shape, out_count, params->dims[i], err));
  }
  return berth_value_check_size(berth_shape_dims(shape), *out_count,
                                params->dtype, err);
}

static int64_t product(const int64_t *dims, int32_t begin, int32_t end) {
  int64_t all = 1;
  for (int32_t i = begin; i < end; ++i) all *= dims[i];
  return all;
}

berth_code_t berth_op_gather(berth_case_t *op, berth_gather_t *out_gather,
                             berth_error_t *err) {
  const berth_case_input_t *params = &op->inputs[0];
  const berth_case_input_t *indices = &op->inputs[1];
  int32_t axis = 0, batch = 0;
  int64_t total = 0;
  BERTH_TRY(read_axes(op, &axis, &batch, err));
  BERTH_TRY(check_batch(op, axis, batch, err));
  BERTH_TRY(gather_shape(op, axis, batch, &total, err));
  *out_gather = (berth_gather_t){.total = total};
  if (total == 0) return BERTH_OK;
  out_gather->batch = product(params->dims, 0, batch);
  out_gather->outer = product(params->dims, batch, axis);
  out_gather->limit = params->dims[axis];
  out_gather->count = product(indices->dims, batch, indices->rank);
  out_gather->inner = product(params->dims, axis + 1, params->rank);
  return BERTH_OK;
}

// ---- Shapes of a graph ----

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

// What is known while the axis is not: |rank| dimensions, where the indices'
// |batch_dims| count once.
static berth_code_t gather_rank(berth_shape_context_t *c, int32_t rank,
                                int32_t indices, berth_error_t *err) {
  int64_t batch = berth_node_attr_int(c->node, "batch_dims", 0);
  if (batch < 0) batch += indices;
  if (batch < 0 || batch > indices || batch >= rank) return BERTH_OK;
  return berth_shape_unknown(c, rank - (int32_t)batch, &c->outputs[0], err);
}

BERTH_INFER(gather_v2) {
  berth_dims_t params = berth_shape_in(c, 0), indices = berth_shape_in(c, 1);
  BERTH_TRY(berth_shape_rank_at_least(params, 1, err));
  BERTH_TRY(berth_shape_with_rank(c, berth_shape_in(c, 2), 0, NULL, err));
  int64_t axis = 0;
  if (!berth_shape_scalar(c, 2, &axis)) {
    if (params.rank < 0 || indices.rank < 0) return BERTH_OK;
    return gather_rank(c, params.rank + indices.rank - 1, indices.rank, err);
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

// What GatherNd gives of |params|.
static berth_code_t infer_nd(berth_shape_context_t *c, berth_dims_t params,
                             berth_error_t *err) {
  berth_dims_t indices = berth_shape_in(c, 1);
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

BERTH_INFER(gather_nd) { return infer_nd(c, berth_shape_in(c, 0), err); }

BERTH_INFER(resource_gather_nd) {
  berth_dims_t shape;
  BERTH_TRY(berth_shape_of_variable(c, &shape, err));
  return infer_nd(c, shape, err);
}
