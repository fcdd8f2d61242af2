// segment.c - SegmentSum, UnsortedSegmentSum and their like.
#include <string.h>

#include "graph/shape_fn.h"
#include "op/group.h"
#include "op/value.h"

static berth_combine_t combine_of(const char *op) {
  if (strstr(op, "Prod") != NULL) return BERTH_COMBINE_MUL;
  if (strstr(op, "Max") != NULL) return BERTH_COMBINE_MAX;
  if (strstr(op, "Min") != NULL) return BERTH_COMBINE_MIN;
  return BERTH_COMBINE_ADD;
}

static berth_code_t dims_keep(berth_case_t *op, const int64_t *dims,
                              int32_t rank, berth_dims_t *out_dims,
                              berth_error_t *err) {
  int64_t *kept =
      berth_arena_calloc(op->arena, (size_t)rank + 1, sizeof(*kept));
  if (kept == NULL) return berth_error_no_memory(err, "a plan");
  for (int32_t i = 0; i < rank; ++i) kept[i] = dims[i];
  *out_dims = (berth_dims_t){rank, kept};
  return BERTH_OK;
}

static berth_code_t check_sorted(const berth_case_t *op, berth_error_t *err) {
  const berth_case_input_t *data = &op->inputs[0], *ids = &op->inputs[1];
  if (data->rank < 1) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "input must be at least rank 1");
  }
  if (ids->rank != 1) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "segment_ids should be a vector.");
  }
  if (ids->count != data->dims[0]) {
    return berth_error_set(
        err, BERTH_INVALID_ARGUMENT,
        "segment_ids should be the same size as dimension 0 of input.");
  }
  return BERTH_OK;
}

// Checks an unsorted one and reads how many segments there are.
static berth_code_t read_unsorted(const berth_case_t *op, int64_t *out_count,
                                  berth_error_t *err) {
  const berth_case_input_t *data = &op->inputs[0], *ids = &op->inputs[1];
  const berth_case_input_t *count = &op->inputs[2];
  char a[BERTH_DIMS_TEXT], b[BERTH_DIMS_TEXT];
  if (count->rank != 0) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "num_segments should be a scalar, not shape %s",
                           berth_input_text(count, a));
  }
  bool fits = ids->rank <= data->rank;
  for (int32_t i = 0; fits && i < ids->rank; ++i) {
    fits = ids->dims[i] == data->dims[i];
  }
  if (!fits) {
    return berth_error_set(
        err, BERTH_INVALID_ARGUMENT,
        "data.shape = %s does not start with segment_ids.shape = %s",
        berth_input_text(data, a), berth_input_text(ids, b));
  }
  *out_count = berth_value_int(count, 0);
  if (*out_count < 0) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Input num_segments == %lld must not be negative.",
                           (long long)*out_count);
  }
  return BERTH_OK;
}

berth_code_t berth_op_segments(berth_case_t *op, berth_segments_t *out_segments,
                               berth_error_t *err) {
  const char *name = op->node->op->name;
  const berth_case_input_t *data = &op->inputs[0], *ids = &op->inputs[1];
  bool is_sorted = op->input_count == 2;
  int64_t count = -1;
  BERTH_TRY(is_sorted ? check_sorted(op, err) : read_unsorted(op, &count, err));
  *out_segments = (berth_segments_t){.dtype = data->dtype,
                                     .index_type = ids->dtype,
                                     .combine = combine_of(name),
                                     .is_mean = strstr(name, "Mean") != NULL,
                                     .rows = ids->count,
                                     .inner = 1,
                                     .count = count};
  BERTH_TRY(dims_keep(op, ids->dims, ids->rank, &out_segments->ids, err));
  BERTH_TRY(dims_keep(op, data->dims + ids->rank, data->rank - ids->rank,
                      &out_segments->rest, err));
  for (int32_t i = ids->rank; i < data->rank; ++i) {
    out_segments->inner *= data->dims[i];
  }
  if (is_sorted) {
    op->outputs[0].rank = -1;
    return BERTH_OK;
  }
  berth_shape_t *shape = &op->outputs[0];
  int64_t total = 1;
  shape->rank = 0;
  BERTH_TRY(berth_shape_push(shape, &total, count, err));
  for (int32_t i = ids->rank; i < data->rank; ++i) {
    BERTH_TRY(berth_shape_push(shape, &total, data->dims[i], err));
  }
  return berth_value_check_size(berth_shape_dims(shape), total, data->dtype,
                                err);
}

// ---- Shapes of a graph ----

berth_code_t berth_shape_merge_prefix(berth_dims_t shape, berth_dims_t prefix,
                                      berth_error_t *err) {
  BERTH_TRY(berth_shape_rank_at_least(shape, prefix.rank, err));
  for (int32_t i = 0; i < prefix.rank; ++i) {
    int64_t both = -1;
    BERTH_TRY(
        berth_shape_merge_dims(shape.dims[i], prefix.dims[i], &both, err));
  }
  return BERTH_OK;
}

BERTH_INFER(segment) {
  berth_dims_t data = berth_shape_in(c, 0);
  int64_t unknown = -1;
  BERTH_TRY(berth_shape_rank_at_least(data, 1, err));
  BERTH_TRY(berth_shape_with_rank(c, berth_shape_in(c, 1), 1, NULL, err));
  if (data.rank < 0) return BERTH_OK;
  return berth_shape_join(c, (berth_dims_t){1, &unknown},
                          berth_shape_slice(data, 1, data.rank), &c->outputs[0],
                          err);
}

BERTH_INFER(unsorted_segment) {
  berth_dims_t data = berth_shape_in(c, 0), ids = berth_shape_in(c, 1);
  int64_t count = -1;
  BERTH_TRY(berth_shape_with_rank(c, berth_shape_in(c, 2), 0, NULL, err));
  if (ids.rank < 0) return BERTH_OK;
  if (data.rank >= 0) BERTH_TRY(berth_shape_merge_prefix(data, ids, err));
  BERTH_TRY(berth_shape_size(c, 2, &count, err));
  if (data.rank < 0) return BERTH_OK;
  return berth_shape_join(c, (berth_dims_t){1, &count},
                          berth_shape_slice(data, ids.rank, data.rank),
                          &c->outputs[0], err);
}
