// sparse_segment.c - SparseSegmentSum and its like: rows of a tensor that
// indices pick, joined by segments; and their gradients.
#include <string.h>

#include "graph/shape_fn.h"
#include "op/group.h"
#include "op/value.h"

static berth_sparse_join_t join_of(const char *op) {
  if (strstr(op, "Mean") != NULL) return BERTH_SPARSE_MEAN;
  if (strstr(op, "SqrtN") != NULL) return BERTH_SPARSE_SQRT_N;
  return BERTH_SPARSE_SUM;
}

static bool is_gradient(const char *op) { return strstr(op, "Grad") != NULL; }

static berth_code_t check_vectors(const berth_case_t *op, berth_error_t *err) {
  if (op->inputs[1].rank != 1) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "indices should be a vector.");
  }
  if (op->inputs[2].rank != 1) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "segment_ids should be a vector.");
  }
  if (op->inputs[1].count != op->inputs[2].count) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "segment_ids and indices should have same size.");
  }
  if (op->inputs[0].rank < 1) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Shape must be at least rank 1");
  }
  return BERTH_OK;
}

// Reads how many rows come out, input 3.
static berth_code_t read_rows(const berth_case_t *op, int64_t *out_rows,
                              berth_error_t *err) {
  const berth_case_input_t *rows = &op->inputs[3];
  const char *name = op->node->op->inputs[3].name;
  bool is_grad = is_gradient(op->node->op->name);
  char text[BERTH_DIMS_TEXT];
  if (rows->rank != 0 && is_grad) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "%s should be a scalar.", name);
  }
  if (rows->rank != 0) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "%s should be a scalar, not shape %s", name,
                           berth_input_text(rows, text));
  }
  *out_rows = berth_value_int(rows, 0);
  if (*out_rows >= 0) return BERTH_OK;
  if (!is_grad) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "segment ids must be >= 0");
  }
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "Expected a non-negative size, got %lld",
                         (long long)*out_rows);
}

static berth_code_t keep_rest(berth_case_t *op, berth_sparse_segments_t *out,
                              berth_error_t *err) {
  const berth_case_input_t *data = &op->inputs[0];
  int32_t rank = data->rank - 1;
  const int64_t *rest = berth_arena_memdup(op->arena, data->dims + 1,
                                           (size_t)rank * sizeof(*rest));
  if (rank > 0 && rest == NULL) return berth_error_no_memory(err, "a plan");
  out->rest = (berth_dims_t){rank, rest};
  out->inner = 1;
  for (int32_t i = 0; i < rank; ++i) out->inner *= rest[i];
  return BERTH_OK;
}

berth_code_t berth_op_sparse_segments(berth_case_t *op,
                                      berth_sparse_segments_t *out_segments,
                                      berth_error_t *err) {
  const char *name = op->node->op->name;
  *out_segments = (berth_sparse_segments_t){.join = join_of(name),
                                            .is_grad = is_gradient(name),
                                            .dtype = op->inputs[0].dtype,
                                            .index_type = op->inputs[1].dtype,
                                            .id_type = op->inputs[2].dtype,
                                            .count = op->inputs[1].count,
                                            .rows = -1};
  BERTH_TRY(check_vectors(op, err));
  if (op->input_count > 3) BERTH_TRY(read_rows(op, &out_segments->rows, err));
  out_segments->data_rows = op->inputs[0].dims[0];
  BERTH_TRY(keep_rest(op, out_segments, err));
  bool is_late = op->input_count == 3 || op->output_count == 2;
  for (int i = 0; is_late && i < op->output_count; ++i) {
    op->outputs[i].rank = -1;
  }
  if (is_late) return BERTH_OK;
  berth_shape_t *shape = &op->outputs[0];
  int64_t total = 1;
  shape->rank = 0;
  BERTH_TRY(berth_shape_push(shape, &total, out_segments->rows, err));
  for (int32_t i = 0; i < out_segments->rest.rank; ++i) {
    BERTH_TRY(berth_shape_push(shape, &total, out_segments->rest.dims[i], err));
  }
  return berth_value_check_size(berth_shape_dims(shape), total,
                                out_segments->dtype, err);
}

// ---- Shapes of a graph ----

// Sets output 0 to |rows| rows of input 0, once the inputs are checked.
static berth_code_t infer_rows(berth_shape_context_t *c, int64_t rows,
                               berth_error_t *err) {
  berth_dims_t data = berth_shape_in(c, 0);
  if (data.rank < 0) return BERTH_OK;
  return berth_shape_join(c, (berth_dims_t){1, &rows},
                          berth_shape_slice(data, 1, data.rank), &c->outputs[0],
                          err);
}

static berth_code_t check_inputs(berth_shape_context_t *c, berth_error_t *err) {
  berth_dims_t indices = {-1, NULL};
  BERTH_TRY(berth_shape_rank_at_least(berth_shape_in(c, 0), 1, err));
  BERTH_TRY(berth_shape_with_rank(c, berth_shape_in(c, 1), 1, &indices, err));
  return berth_shape_merge(c, indices, berth_shape_in(c, 2), &indices, err);
}

BERTH_INFER(sparse_segment) {
  BERTH_TRY(check_inputs(c, err));
  return infer_rows(c, -1, err);
}

BERTH_INFER(sparse_segment_sized) {
  int64_t rows = -1;
  BERTH_TRY(check_inputs(c, err));
  BERTH_TRY(berth_shape_with_rank(c, berth_shape_in(c, 3), 0, NULL, err));
  BERTH_TRY(berth_shape_size(c, 3, &rows, err));
  return infer_rows(c, rows, err);
}

BERTH_INFER(sparse_segment_grad_v2) {
  BERTH_TRY(check_inputs(c, err));
  BERTH_TRY(berth_shape_with_rank(c, berth_shape_in(c, 3), 0, NULL, err));
  BERTH_TRY(infer_rows(c, -1, err));
  return berth_shape_set_vector(c, 1, -1, err);
}
