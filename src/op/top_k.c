// top_k.c - TopKV2, ApproxTopK, InTopK and InTopKV2: the best of each row.
#include "graph/shape_fn.h"
#include "op/rows.h"
#include "op/value.h"

// ---- TopKV2, ApproxTopK ----

static berth_code_t read_k(const berth_case_t *op, int64_t *out_k,
                           berth_error_t *err) {
  const berth_case_input_t *input = &op->inputs[0];
  const berth_case_input_t *k = &op->inputs[1];
  bool is_input = op->input_count > 1;
  char text[BERTH_DIMS_TEXT];
  if (is_input && k->rank != 0) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "k must be scalar, got shape %s",
                           berth_input_text(k, text));
  }
  *out_k = is_input ? berth_value_int(k, 0)
                    : berth_node_attr_int(op->node, "k", 0);
  if (*out_k < 0) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT, "Need k >= 0, got %lld",
                           (long long)*out_k);
  }
  if (input->rank == 0) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "input must be >= 1-D, got shape %s",
                           berth_input_text(input, text));
  }
  int64_t n = input->dims[input->rank - 1];
  if (n < *out_k) {
    return berth_error_set(
        err, BERTH_INVALID_ARGUMENT,
        "input must have at least k columns. Had %lld, needed %lld",
        (long long)n, (long long)*out_k);
  }
  return BERTH_OK;
}

berth_code_t berth_op_top_k(berth_case_t *op, berth_top_k_t *out_top,
                            berth_error_t *err) {
  const berth_case_input_t *input = &op->inputs[0];
  int64_t k = 0, dims[BERTH_MAX_RANK];
  BERTH_TRY(read_k(op, &k, err));
  for (int32_t i = 0; i < input->rank; ++i) dims[i] = input->dims[i];
  dims[input->rank - 1] = k;
  berth_case_output(op, 0, (berth_dims_t){input->rank, dims});
  berth_case_output(op, 1, (berth_dims_t){input->rank, dims});
  int64_t n = input->dims[input->rank - 1];
  *out_top = (berth_top_k_t){.dtype = input->dtype,
                             .index_type = op->node->output_types[1],
                             .rows = n > 0 ? input->count / n : 0,
                             .n = n,
                             .k = k};
  return BERTH_OK;
}

// ---- InTopK, InTopKV2 ----

static berth_code_t check_shapes(const berth_case_t *op, berth_error_t *err) {
  const berth_case_input_t *predictions = &op->inputs[0];
  const berth_case_input_t *targets = &op->inputs[1];
  char text[BERTH_DIMS_TEXT];
  if (predictions->rank != 2) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "predictions must be 2-dimensional");
  }
  if (targets->rank != 1) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "targets must be 1-dimensional");
  }
  if (predictions->dims[0] != targets->dims[0]) {
    return berth_error_set(
        err, BERTH_INVALID_ARGUMENT,
        "First dimension of predictions %lld must match length of targets %lld",
        (long long)predictions->dims[0], (long long)targets->dims[0]);
  }
  if (op->input_count > 2 && op->inputs[2].rank != 0) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "k must be 0-D, got shape %s",
                           berth_input_text(&op->inputs[2], text));
  }
  return BERTH_OK;
}

berth_code_t berth_op_in_top_k(berth_case_t *op, berth_in_top_k_t *out_in,
                               berth_error_t *err) {
  BERTH_TRY(check_shapes(op, err));
  *out_in = (berth_in_top_k_t){.index_type = op->inputs[1].dtype,
                               .rows = op->inputs[0].dims[0],
                               .classes = op->inputs[0].dims[1],
                               .has_input = op->input_count > 2,
                               .k = berth_node_attr_int(op->node, "k", 0)};
  berth_case_output(op, 0, berth_case_input_dims(op, 1));
  return BERTH_OK;
}

// ---- Shapes of a graph ----

BERTH_INFER(top_k) {
  berth_dims_t in = berth_shape_in(c, 0), k_shape = berth_shape_in(c, 1);
  int64_t k = -1;
  BERTH_TRY(berth_shape_rank_at_least(in, 1, err));
  if (k_shape.rank > 0) {
    // TensorFlow has looked at it first, and the message says so.
    (void)berth_shape_value(c, 1);
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Input must be scalar but has rank %d",
                           k_shape.rank);
  }
  BERTH_TRY(berth_shape_size(c, 1, &k, err));
  if (in.rank < 0) return BERTH_OK;
  int64_t last = in.dims[in.rank - 1];
  if (last >= 0 && k > last) {
    return berth_error_set(
        err, BERTH_INVALID_ARGUMENT,
        "input must have last dimension >= k = %lld but is %lld", (long long)k,
        (long long)last);
  }
  BERTH_TRY(berth_shape_replace(c, in, in.rank - 1, k, &c->outputs[0], err));
  c->outputs[1] = c->outputs[0];
  return BERTH_OK;
}

BERTH_INFER(approx_top_k) {
  const berth_node_t *node = c->node;
  berth_dims_t in = berth_shape_in(c, 0);
  int64_t given = berth_node_attr_int(node, "reduction_dimension", -1);
  int64_t k = berth_node_attr_int(node, "k", 0);
  int64_t at = given < 0 ? given + in.rank : given;
  BERTH_TRY(berth_shape_rank_at_least(in, 1, err));
  // TensorFlow takes what is not known for -1, and refuses it.
  if (in.rank < 0) return BERTH_OK;
  if (at < 0 || at >= in.rank) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Invalid reduction dimension: %lld. Must be within "
                           "the range of [%d, %d]",
                           (long long)given, (int)-in.rank, (int)in.rank - 1);
  }
  if (in.dims[at] >= 0 && in.dims[at] < k) {
    return berth_error_set(
        err, BERTH_INVALID_ARGUMENT,
        "input must have last dimension >= k = %lld but was %lld", (long long)k,
        (long long)in.dims[at]);
  }
  // How many others are left depends on how cards of others work.
  if (!berth_node_attr_bool(node, "aggregate_to_topk", true)) k = -1;
  BERTH_TRY(
      berth_shape_replace(c, in, (int32_t)at, k, &c->outputs[0], err));
  c->outputs[1] = c->outputs[0];
  return BERTH_OK;
}

BERTH_INFER(in_top_k) {
  berth_dims_t predictions, targets;
  int64_t rows = -1;
  BERTH_TRY(
      berth_shape_with_rank(c, berth_shape_in(c, 0), 2, &predictions, err));
  BERTH_TRY(berth_shape_with_rank(c, berth_shape_in(c, 1), 1, &targets, err));
  BERTH_TRY(
      berth_shape_merge_dims(predictions.dims[0], targets.dims[0], &rows, err));
  return berth_shape_set_vector(c, 0, rows, err);
}
