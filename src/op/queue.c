// queue.c - Ops on queues.
#include "graph/shape_fn.h"
#include "op/resource.h"

berth_code_t berth_op_queue(berth_case_t *op, berth_error_t *err) {
  if (berth_node_attr_int(op->node, "timeout_ms", -1) != -1) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Timeout not supported yet.");
  }
  for (int i = 0; i < op->output_count; ++i) op->outputs[i].rank = -1;
  return BERTH_OK;
}

berth_code_t berth_op_queue_close(berth_case_t *op, bool *out_gives_up,
                                  berth_error_t *err) {
  *out_gives_up =
      berth_node_attr_bool(op->node, "cancel_pending_enqueues", false);
  return berth_op_queue(op, err);
}

berth_code_t berth_op_queue_many(berth_case_t *op, berth_error_t *err) {
  if (op->inputs[1].count > 0) return berth_op_queue(op, err);
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "%s wants a number of elements and got none",
                         op->node->name);
}

berth_code_t berth_op_stage_peek(berth_case_t *op, berth_error_t *err) {
  if (op->inputs[0].rank == 0) return berth_op_queue(op, err);
  return berth_error_set(err, BERTH_INVALID_ARGUMENT, "index must be scalar");
}

// ---- Shapes of a graph ----

BERTH_INFER(pair) {
  for (int i = 0; i < c->node->output_count; ++i) {
    BERTH_TRY(berth_shape_set_vector(c, i, 2, err));
  }
  return BERTH_OK;
}

// BarrierInsertMany: as many keys as values.
BERTH_INFER(barrier_insert) {
  berth_dims_t handle, keys, values = berth_shape_in(c, 2);
  BERTH_TRY(berth_shape_with_rank(c, berth_shape_in(c, 0), 1, &handle, err));
  BERTH_TRY(berth_shape_check_dim(berth_shape_dim(handle, 0), 2, err));
  BERTH_TRY(berth_shape_with_rank(c, berth_shape_in(c, 1), 1, &keys, err));
  BERTH_TRY(berth_shape_rank_at_least(values, 1, err));
  if (values.rank < 0) return BERTH_OK;
  return berth_shape_check_equal(keys, (berth_dims_t){1, values.dims}, err);
}
