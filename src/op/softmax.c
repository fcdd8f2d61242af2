// softmax.c - Softmax and LogSoftmax, and the losses that are made of them.
#include "graph/shape_fn.h"
#include "op/rows.h"

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
