// shapes_matrix.c - Shapes of products of matrices, biases and losses.
#include <string.h>

#include "graph/shape_fn.h"

// Stores rows and columns of the last two dimensions of |a| times |b|.
static berth_code_t multiply(berth_dims_t a, berth_dims_t b, bool flip_a,
                             bool flip_b, int64_t *out_rows,
                             int64_t *out_columns, berth_error_t *err) {
  int64_t a_rows = -1, a_columns = -1, b_rows = -1, b_columns = -1, inner = -1;
  if (a.rank >= 2) {
    a_rows = a.dims[a.rank - (flip_a ? 1 : 2)];
    a_columns = a.dims[a.rank - (flip_a ? 2 : 1)];
  }
  if (b.rank >= 2) {
    b_rows = b.dims[b.rank - (flip_b ? 1 : 2)];
    b_columns = b.dims[b.rank - (flip_b ? 2 : 1)];
  }
  BERTH_TRY(berth_shape_merge_dims(a_columns, b_rows, &inner, err));
  *out_rows = a_rows;
  *out_columns = b_columns;
  return BERTH_OK;
}

// Sets output 0 to |batch| and a matrix.
static berth_code_t set_matrices(berth_shape_context_t *c, berth_dims_t batch,
                                 int64_t rows, int64_t columns,
                                 berth_error_t *err) {
  int64_t matrix[2] = {rows, columns};
  return berth_shape_join(c, batch, (berth_dims_t){2, matrix}, &c->outputs[0],
                          err);
}

BERTH_INFER(matmul) {
  berth_dims_t a = berth_shape_in(c, 0), b = berth_shape_in(c, 1);
  BERTH_TRY(berth_shape_with_rank(c, a, 2, NULL, err));
  BERTH_TRY(berth_shape_with_rank(c, b, 2, NULL, err));
  bool flip_a = berth_node_attr_bool(c->node, "transpose_a", false);
  bool flip_b = berth_node_attr_bool(c->node, "transpose_b", false);
  int64_t rows = -1, columns = -1;
  BERTH_TRY(multiply(a, b, flip_a, flip_b, &rows, &columns, err));
  return set_matrices(c, (berth_dims_t){0, NULL}, rows, columns, err);
}

// Returns all dimensions but the last two.
static berth_dims_t batch_of(berth_dims_t shape) {
  return berth_shape_slice(shape, 0, shape.rank - 2);
}

static berth_code_t batch_multiply(berth_shape_context_t *c, int64_t *out_rows,
                                   int64_t *out_columns, berth_error_t *err) {
  berth_dims_t a = berth_shape_in(c, 0), b = berth_shape_in(c, 1);
  BERTH_TRY(berth_shape_rank_at_least(a, 2, err));
  BERTH_TRY(berth_shape_rank_at_least(b, 2, err));
  bool flip_a = berth_node_attr_bool(c->node, "adj_x", false);
  bool flip_b = berth_node_attr_bool(c->node, "adj_y", false);
  return multiply(a, b, flip_a, flip_b, out_rows, out_columns, err);
}

BERTH_INFER(batch_matmul) {
  int64_t rows = -1, columns = -1;
  berth_dims_t batch;
  BERTH_TRY(batch_multiply(c, &rows, &columns, err));
  BERTH_TRY(berth_shape_merge(c, batch_of(berth_shape_in(c, 0)),
                              batch_of(berth_shape_in(c, 1)), &batch, err));
  return set_matrices(c, batch, rows, columns, err);
}

BERTH_INFER(batch_matmul_v2) {
  int64_t rows = -1, columns = -1;
  berth_dims_t batch;
  BERTH_TRY(batch_multiply(c, &rows, &columns, err));
  BERTH_TRY(berth_shape_broadcast(c, batch_of(berth_shape_in(c, 0)),
                                  batch_of(berth_shape_in(c, 1)), &batch, err));
  return set_matrices(c, batch, rows, columns, err);
}

// ---- Biases ----

// Returns which dimension holds the channels.
static int32_t channel_dim(const berth_shape_context_t *c, int32_t rank) {
  const char *format = berth_node_attr_string(c->node, "data_format", "NHWC");
  return strcmp(format, "NCHW") == 0 ? 1 : rank - 1;
}

BERTH_INFER(bias_add) {
  berth_dims_t value = berth_shape_in(c, 0), bias = berth_shape_in(c, 1);
  BERTH_TRY(berth_shape_rank_at_least(value, 2, err));
  BERTH_TRY(berth_shape_with_rank(c, bias, 1, NULL, err));
  if (value.rank < 0) return BERTH_OK;
  int32_t channel = channel_dim(c, value.rank);
  int64_t size = -1;
  BERTH_TRY(berth_shape_merge_dims(value.dims[channel],
                                   berth_shape_dim(bias, 0), &size, err));
  return berth_shape_replace(c, value, channel, size, &c->outputs[0], err);
}

BERTH_INFER(bias_add_grad) {
  berth_dims_t value = berth_shape_in(c, 0);
  BERTH_TRY(berth_shape_rank_at_least(value, 2, err));
  int64_t size = value.rank < 0 ? -1 : value.dims[channel_dim(c, value.rank)];
  return berth_shape_set_vector(c, 0, size, err);
}

// ---- Losses ----

// Sets the outputs: a loss per row of |logits|, and their gradient.
static berth_code_t set_losses(berth_shape_context_t *c, berth_dims_t logits,
                               int64_t batch, berth_error_t *err) {
  BERTH_TRY(berth_shape_set_vector(c, 0, batch, err));
  return berth_shape_replace(c, logits, 0, batch, &c->outputs[1], err);
}

BERTH_INFER(cross_entropy) {
  berth_dims_t both;
  BERTH_TRY(berth_shape_broadcast(c, berth_shape_in(c, 0), berth_shape_in(c, 1),
                                  &both, err));
  BERTH_TRY(berth_shape_with_rank(c, both, 2, &both, err));
  return set_losses(c, both, both.dims[0], err);
}

BERTH_INFER(sparse_cross_entropy) {
  berth_dims_t logits, labels;
  int64_t batch = -1;
  BERTH_TRY(berth_shape_with_rank(c, berth_shape_in(c, 0), 2, &logits, err));
  BERTH_TRY(berth_shape_with_rank(c, berth_shape_in(c, 1), 1, &labels, err));
  BERTH_TRY(
      berth_shape_merge_dims(logits.dims[0], labels.dims[0], &batch, err));
  return set_losses(c, logits, batch, err);
}
