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
