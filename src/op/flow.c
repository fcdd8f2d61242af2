// flow.c - Conditionals and loops.
#include "op/flow.h"

#include "graph/shape_fn.h"

berth_code_t berth_op_flow(berth_case_t *op, berth_error_t *err) {
  return berth_error_set(err, BERTH_UNIMPLEMENTED,
                         "%s works in a graph only: it decides what else runs",
                         op->node->op->name);
}

// ---- Shapes of a graph ----

BERTH_INFER(route) {
  BERTH_TRY(berth_shape_with_rank(c, berth_shape_in(c, 1), 0, NULL, err));
  for (int i = 0; i < c->node->output_count; ++i) {
    c->outputs[i] = berth_shape_in(c, 0);
  }
  return BERTH_OK;
}

// Keeps of |dims| what |other| has too.
static void keep_common(int64_t *dims, berth_dims_t other) {
  for (int32_t i = 0; i < other.rank; ++i) {
    if (dims[i] != other.dims[i]) dims[i] = -1;
  }
}

BERTH_INFER(merge) {
  c->outputs[1] = (berth_dims_t){0, NULL};
  berth_dims_t first = berth_shape_in(c, 0), common;
  if (first.rank < 0) return BERTH_OK;
  BERTH_TRY(berth_shape_join(c, first, (berth_dims_t){0, NULL}, &common, err));
  for (int i = 1; i < berth_shape_inputs(c); ++i) {
    berth_dims_t other = berth_shape_in(c, i);
    // Of another rank or none: nothing in common.
    if (other.rank != first.rank) return BERTH_OK;
    keep_common((int64_t *)(uintptr_t)common.dims, other);
  }
  c->outputs[0] = common;
  return BERTH_OK;
}

// What is known is known of each.
BERTH_INFER(ref_select) {
  BERTH_TRY(berth_shape_with_rank(c, berth_shape_in(c, 0), 0, NULL, err));
  berth_dims_t first = berth_shape_in(c, 1);
  for (int i = 2; i < berth_shape_inputs(c); ++i) {
    berth_dims_t other = berth_shape_in(c, i);
    if (first.rank < 0 || !berth_dims_equal(first, other)) return BERTH_OK;
  }
  c->outputs[0] = first;
  return BERTH_OK;
}

BERTH_INFER(enter) {
  (void)err;
  if (berth_node_attr_bool(c->node, "is_constant", false)) {
    c->outputs[0] = berth_shape_in(c, 0);
  }
  return BERTH_OK;
}

BERTH_INFER(loop_cond) {
  return berth_shape_with_rank(c, berth_shape_in(c, 0), 0, &c->outputs[0], err);
}

// Stores the attribute output_shapes, if it says anything, in the outputs.
static berth_code_t shapes_declared(berth_shape_context_t *c, bool *out_is_said,
                                    berth_error_t *err) {
  const berth_attr_value_t *value = berth_node_attr(c->node, "output_shapes");
  bool is_list =
      value != NULL && (int)value->kind == BERTH_ATTR_LIST + BERTH_ATTR_SHAPE;
  *out_is_said = is_list && value->count > 0;
  if (!*out_is_said) return BERTH_OK;
  if (value->count != c->node->output_count) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "`output_shapes` must be the same length as num "
                           "outputs (%d vs. %d",
                           (int)value->count, (int)c->node->output_count);
  }
  for (int i = 0; i < value->count; ++i) c->outputs[i] = value->shape_list[i];
  return BERTH_OK;
}

BERTH_INFER(branches) {
  bool is_said = false;
  return shapes_declared(c, &is_said, err);
}

BERTH_INFER(loop) {
  bool is_said = false;
  BERTH_TRY(shapes_declared(c, &is_said, err));
  for (int i = 0; !is_said && i < c->node->output_count; ++i) {
    c->outputs[i] = berth_shape_in(c, i);
  }
  return BERTH_OK;
}
