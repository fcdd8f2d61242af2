// shapes_elementwise.c - Shapes of ops that work element by element.
#include "graph/shape_fn.h"

BERTH_INFER(unchanged) {
  (void)err;
  berth_dims_t shape = berth_shape_in(c, 0);
  for (int i = 0; i < c->node->output_count; ++i) c->outputs[i] = shape;
  return BERTH_OK;
}

BERTH_INFER(each) {
  (void)err;
  for (int i = 0; i < c->node->output_count; ++i) {
    c->outputs[i] = berth_shape_in(c, i);
  }
  return BERTH_OK;
}

BERTH_INFER(broadcast) {
  return berth_shape_broadcast(c, berth_shape_in(c, 0), berth_shape_in(c, 1),
                               &c->outputs[0], err);
}

BERTH_INFER(equality) {
  if (berth_node_attr_bool(c->node, "incompatible_shape_error", true)) {
    return berth_infer_broadcast(c, err);
  }
  // Shapes that do not fit compare as unequal: one false.
  berth_dims_t a = berth_shape_in(c, 0), b = berth_shape_in(c, 1);
  if (berth_shape_broadcast(c, a, b, &c->outputs[0], NULL) != BERTH_OK) {
    c->outputs[0] = (berth_dims_t){0, NULL};
  } else if (!berth_dims_is_full(a) || !berth_dims_is_full(b)) {
    c->outputs[0] = (berth_dims_t){-1, NULL};
  }
  return BERTH_OK;
}

BERTH_INFER(same) {
  return berth_shape_merge(c, berth_shape_in(c, 0), berth_shape_in(c, 1),
                           &c->outputs[0], err);
}

BERTH_INFER(all_same) {
  return berth_shape_merge_inputs(c, 0, berth_shape_inputs(c), &c->outputs[0],
                                  err);
}

BERTH_INFER(select) {
  berth_dims_t condition = berth_shape_in(c, 0), data;
  BERTH_TRY(berth_shape_merge(c, berth_shape_in(c, 1), berth_shape_in(c, 2),
                              &data, err));
  c->outputs[0] = data;
  if (condition.rank <= 0 || data.rank < 0) return BERTH_OK;
  if (condition.rank != 1 || data.rank == 0) {
    return berth_shape_merge(c, data, condition, &c->outputs[0], err);
  }
  // A vector selects rows.
  return berth_shape_check_equal(condition, berth_shape_slice(data, 0, 1), err);
}

BERTH_INFER(select_v2) {
  berth_dims_t data;
  BERTH_TRY(berth_shape_broadcast(c, berth_shape_in(c, 1), berth_shape_in(c, 2),
                                  &data, err));
  return berth_shape_broadcast(c, berth_shape_in(c, 0), data, &c->outputs[0],
                               err);
}
