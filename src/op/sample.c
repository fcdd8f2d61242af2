// sample.c - Ops that draw classes: checks and shapes.
#include "op/sample.h"

#include "graph/graph.h"
#include "graph/shape_fn.h"

berth_code_t berth_op_sample(berth_case_t *op, int64_t range,
                             berth_sample_t *out_sample, berth_error_t *err) {
  const berth_case_input_t *trues = &op->inputs[0];
  int64_t columns = berth_node_attr_int(op->node, "num_true", 1);
  int64_t count = berth_node_attr_int(op->node, "num_sampled", 1);
  bool is_unique = berth_node_attr_bool(op->node, "unique", false);
  if (trues->rank != 2) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "true_classes must be a matrix");
  }
  if (trues->dims[1] != columns) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "true_classes must have num_true columns, "
                           "expected: %lld was: %lld",
                           (long long)trues->dims[1], (long long)columns);
  }
  if (is_unique && count > range) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Sampler's range is too small.");
  }
  berth_case_output(op, 0, (berth_dims_t){1, &count});
  berth_case_output(op, 1, berth_case_input_dims(op, 0));
  berth_case_output(op, 2, (berth_dims_t){1, &count});
  *out_sample = (berth_sample_t){count, range, trues->count, is_unique};
  return BERTH_OK;
}

berth_code_t berth_op_hits(berth_case_t *op, berth_error_t *err) {
  const berth_case_input_t *trues = &op->inputs[0], *drawn = &op->inputs[1];
  int64_t columns = berth_node_attr_int(op->node, "num_true", 1);
  if (trues->rank != 2 || trues->dims[1] != columns) {
    return berth_error_set(
        err, BERTH_INVALID_ARGUMENT,
        "true_candidates must be a batch_size * num_true matrix");
  }
  if (drawn->rank != 1) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "sampled_candidates must be a vector, which is "
                           "typically an output from CandidateSampler");
  }
  return BERTH_OK;
}

// ---- Shapes of a graph ----

BERTH_INFER(hits) {
  int64_t columns = berth_node_attr_int(c->node, "num_true", 1);
  berth_dims_t trues;
  BERTH_TRY(berth_shape_with_rank(c, berth_shape_in(c, 0), 2, &trues, err));
  BERTH_TRY(berth_shape_check_dim(berth_shape_dim(trues, 1), columns, err));
  BERTH_TRY(berth_shape_with_rank(c, berth_shape_in(c, 1), 1, NULL, err));
  for (int i = 0; i < 3; ++i) BERTH_TRY(berth_shape_set_vector(c, i, -1, err));
  return BERTH_OK;
}
