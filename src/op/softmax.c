// softmax.c - Softmax and LogSoftmax, and the losses that are made of them.
#include "graph/shape_fn.h"
#include "op/rows.h"
#include "op/value.h"

berth_code_t berth_op_softmax(berth_case_t *op, berth_softmax_t *out_softmax,
                              berth_error_t *err) {
  const berth_case_input_t *input = &op->inputs[0];
  if (input->rank < 1) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "logits must have >= 1 dimension, got []");
  }
  berth_case_output(op, 0, berth_case_input_dims(op, 0));
  *out_softmax = (berth_softmax_t){.dtype = input->dtype};
  if (input->count == 0) return BERTH_OK;
  out_softmax->columns = input->dims[input->rank - 1];
  out_softmax->rows = input->count / out_softmax->columns;
  op->may_overwrite = 1;
  return BERTH_OK;
}

// ---- Cross entropies ----

static void set_loss_shapes(berth_case_t *op, int64_t rows, int64_t columns) {
  int64_t dims[2] = {rows, columns};
  berth_case_output(op, 0, (berth_dims_t){1, dims});
  berth_case_output(op, 1, (berth_dims_t){2, dims});
}

// Finds how |input| is seen as |dims|, two of them.
static void set_steps(const berth_case_input_t *input, int64_t steps[2]) {
  int64_t columns = input->rank > 0 ? input->dims[input->rank - 1] : 1;
  int64_t rows = input->rank > 1 ? input->dims[0] : 1;
  steps[0] = rows > 1 ? columns : 0;
  steps[1] = columns > 1 ? 1 : 0;
}

berth_code_t berth_op_cross_entropy(berth_case_t *op,
                                    berth_cross_entropy_t *out_loss,
                                    berth_error_t *err) {
  const berth_case_input_t *logits = &op->inputs[0];
  const berth_case_input_t *labels = &op->inputs[1];
  berth_shape_t both;
  char a[BERTH_DIMS_TEXT], b[BERTH_DIMS_TEXT];
  if (!berth_dims_broadcast(berth_case_input_dims(op, 0),
                            berth_case_input_dims(op, 1), &both)) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "logits and labels must be broadcastable: "
                           "logits_size=%s labels_size=%s",
                           berth_input_text(logits, a),
                           berth_input_text(labels, b));
  }
  if (both.rank != 2) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "logits and labels must be either 2-dimensional, or "
                           "broadcasted to be 2-dimensional");
  }
  set_loss_shapes(op, both.dims[0], both.dims[1]);
  *out_loss = (berth_cross_entropy_t){
      .dtype = logits->dtype, .rows = both.dims[0], .columns = both.dims[1]};
  set_steps(logits, out_loss->logits_steps);
  set_steps(labels, out_loss->labels_steps);
  return BERTH_OK;
}

static berth_code_t check_sparse(const berth_case_t *op, berth_error_t *err) {
  const berth_case_input_t *logits = &op->inputs[0];
  const berth_case_input_t *labels = &op->inputs[1];
  char a[BERTH_DIMS_TEXT], b[BERTH_DIMS_TEXT];
  berth_input_text(logits, a);
  berth_input_text(labels, b);
  if (logits->rank != 2) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "logits must be 2-D, but got shape %s", a);
  }
  if (labels->rank != 1) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "labels must be 1-D, but got shape %s", b);
  }
  if (logits->dims[0] != labels->dims[0]) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "logits and labels must have the same first "
                           "dimension, got logits shape %s and labels shape %s",
                           a, b);
  }
  if (logits->dims[1] == 0) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Must have at least one class, but got logits shape "
                           "%s",
                           a);
  }
  return BERTH_OK;
}

berth_code_t berth_op_sparse_cross_entropy(berth_case_t *op,
                                           berth_cross_entropy_t *out_loss,
                                           berth_error_t *err) {
  const berth_case_input_t *logits = &op->inputs[0];
  BERTH_TRY(check_sparse(op, err));
  set_loss_shapes(op, logits->dims[0], logits->dims[1]);
  *out_loss = (berth_cross_entropy_t){.dtype = logits->dtype,
                                      .rows = logits->dims[0],
                                      .columns = logits->dims[1],
                                      .logits_steps = {logits->dims[1], 1},
                                      .label_type = op->inputs[1].dtype};
  return BERTH_OK;
}

// ---- Shapes of a graph ----

BERTH_INFER(softmax) {
  c->outputs[0] = berth_shape_in(c, 0);
  return berth_shape_rank_at_least(c->outputs[0], 1, err);
}

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
