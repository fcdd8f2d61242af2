// count.c - Ops that count, and those that look for places in an order:
// Bincount, HistogramFixedWidth, NthElement, LowerBound.
#include <string.h>

#include "graph/shape_fn.h"
#include "op/group.h"
#include "op/value.h"

// ---- Bincount, DenseBincount ----

static berth_code_t read_bins(const berth_case_t *op, int64_t *out_size,
                              berth_error_t *err) {
  const berth_case_input_t *size = &op->inputs[1];
  if (size->rank != 0) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Shape must be rank 0 but is rank %d",
                           (int)size->rank);
  }
  *out_size = berth_value_int(size, 0);
  if (*out_size >= 0) return BERTH_OK;
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "size (%lld) must be non-negative",
                         (long long)*out_size);
}

// Checks the weights: as many as numbers, or none.
static berth_code_t check_weights(const berth_case_t *op, bool is_dense,
                                  berth_error_t *err) {
  const berth_case_input_t *values = &op->inputs[0], *weights = &op->inputs[2];
  char text[BERTH_DIMS_TEXT];
  if (weights->count == 0) return BERTH_OK;
  if (!is_dense) {
    if (weights->count == values->count) return BERTH_OK;
    return berth_error_set(
        err, BERTH_INVALID_ARGUMENT,
        "Input indices and weights must have the same size.");
  }
  if (berth_dims_equal(berth_case_input_dims(op, 0),
                       berth_case_input_dims(op, 2))) {
    return BERTH_OK;
  }
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "`weights` must be the same shape as `arr` or a "
                         "length-0 `Tensor`, in which case it acts as all "
                         "weights equal to 1. Received %s",
                         berth_input_text(weights, text));
}

berth_code_t berth_op_bincount(berth_case_t *op, berth_bins_t *out_bins,
                               berth_error_t *err) {
  const berth_case_input_t *values = &op->inputs[0];
  bool is_dense = strcmp(op->node->op->name, "DenseBincount") == 0;
  int64_t size = 0, total = 1;
  if (is_dense && values->rank > 2) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Shape must be at most rank 2 but is rank %d",
                           (int)values->rank);
  }
  BERTH_TRY(read_bins(op, &size, err));
  BERTH_TRY(check_weights(op, is_dense, err));
  bool has_rows = is_dense && values->rank == 2;
  int64_t rows = has_rows ? values->dims[0] : 1;
  *out_bins = (berth_bins_t){
      .rows = rows,
      .columns = has_rows ? values->dims[1] : values->count,
      .size = size,
      .has_weights = op->inputs[2].count > 0,
      .is_binary = berth_node_attr_bool(op->node, "binary_output", false),
      .index_type = values->dtype};
  berth_shape_t *shape = &op->outputs[0];
  shape->rank = 0;
  if (has_rows) BERTH_TRY(berth_shape_push(shape, &total, rows, err));
  BERTH_TRY(berth_shape_push(shape, &total, size, err));
  return berth_value_check_size(berth_shape_dims(shape), total,
                                op->inputs[2].dtype, err);
}

// ---- HistogramFixedWidth ----

berth_code_t berth_op_histogram(berth_case_t *op, berth_error_t *err) {
  const berth_case_input_t *range = &op->inputs[1], *bins = &op->inputs[2];
  if (range->rank != 1 || range->count != 2) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           range->rank != 1
                               ? "value_range should be a vector."
                               : "value_range should be a vector of 2 "
                                 "elements.");
  }
  if (bins->rank != 0) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "nbins should be a scalar.");
  }
  int64_t count = berth_value_int(bins, 0);
  if (count <= 0) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "nbins should be a positive number, but got '%lld'",
                           (long long)count);
  }
  berth_case_output(op, 0, (berth_dims_t){1, &count});
  return BERTH_OK;
}

// ---- NthElement ----

berth_code_t berth_op_nth_element(berth_case_t *op, berth_error_t *err) {
  const berth_case_input_t *input = &op->inputs[0], *n = &op->inputs[1];
  if (n->rank != 0) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "N must be scalar but has rank %d", (int)n->rank);
  }
  int64_t at = berth_value_int(n, 0);
  if (at < 0) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "n must be non-negative but is %lld", (long long)at);
  }
  if (input->rank < 1) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Input must be at least rank 1 but is rank 0");
  }
  if (input->dims[input->rank - 1] <= at) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Input must have last dimension > n = %lld",
                           (long long)at);
  }
  berth_case_output(op, 0, (berth_dims_t){input->rank - 1, input->dims});
  return BERTH_OK;
}

// ---- LowerBound, UpperBound ----

berth_code_t berth_op_bound(berth_case_t *op, berth_error_t *err) {
  const berth_case_input_t *sorted = &op->inputs[0], *values = &op->inputs[1];
  if (sorted->rank != 2 || values->rank != 2) {
    bool is_sorted = sorted->rank != 2;
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Shape must be rank 2 but is rank %d for `%s` "
                           "argument",
                           (int)(is_sorted ? sorted->rank : values->rank),
                           is_sorted ? "sorted_inputs" : "values");
  }
  if (sorted->dims[0] != values->dims[0]) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Leading dim_size of both tensors must match.");
  }
  berth_case_output(op, 0, berth_case_input_dims(op, 1));
  return BERTH_OK;
}

// ---- Shapes of a graph ----

BERTH_INFER(bincount) {
  int64_t size = -1;
  BERTH_TRY(berth_shape_with_rank(c, berth_shape_in(c, 1), 0, NULL, err));
  BERTH_TRY(berth_shape_size(c, 1, &size, err));
  return berth_shape_set_vector(c, 0, size, err);
}

BERTH_INFER(dense_bincount) {
  berth_dims_t in = berth_shape_in(c, 0);
  int64_t size = -1;
  BERTH_TRY(berth_shape_rank_at_most(in, 2, err));
  BERTH_TRY(berth_shape_with_rank(c, berth_shape_in(c, 1), 0, NULL, err));
  if (in.rank < 0) return BERTH_OK;
  BERTH_TRY(berth_shape_size(c, 1, &size, err));
  if (in.rank < 2) return berth_shape_set_vector(c, 0, size, err);
  return berth_shape_join(c, berth_shape_slice(in, 0, 1),
                          (berth_dims_t){1, &size}, &c->outputs[0], err);
}

BERTH_INFER(histogram) {
  int64_t bins = -1;
  BERTH_TRY(berth_shape_with_rank(c, berth_shape_in(c, 2), 0, NULL, err));
  berth_shape_scalar(c, 2, &bins);
  return berth_shape_set_vector(c, 0, bins < 0 ? -1 : bins, err);
}

BERTH_INFER(nth_element) {
  berth_dims_t in = berth_shape_in(c, 0);
  BERTH_TRY(berth_shape_rank_at_least(in, 1, err));
  c->outputs[0] = in.rank < 0 ? in : berth_shape_slice(in, 0, in.rank - 1);
  return BERTH_OK;
}

BERTH_INFER(bound) {
  BERTH_TRY(berth_shape_with_rank(c, berth_shape_in(c, 0), 2, NULL, err));
  return berth_shape_with_rank(c, berth_shape_in(c, 1), 2, &c->outputs[0], err);
}
