// variable.c - Ops on variables, those of references and of resources.
#include <string.h>

#include "graph/shape_fn.h"
#include "op/resource.h"
#include "op/value.h"

berth_code_t berth_op_handle(berth_case_t *op, berth_error_t *err) {
  (void)err;
  berth_case_output(op, 0, BERTH_SCALAR);
  return BERTH_OK;
}

berth_code_t berth_op_ref_select(berth_case_t *op, berth_error_t *err) {
  char text[BERTH_DIMS_TEXT];
  if (op->inputs[0].rank == 0) return berth_op_handle(op, err);
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "Index must be a scalar, but it has shape %s",
                         berth_input_text(&op->inputs[0], text));
}

berth_code_t berth_op_read_variable(berth_case_t *op, berth_error_t *err) {
  (void)err;
  op->outputs[0].rank = -1;
  return BERTH_OK;
}

// What is assigned to a reference has its shape unless the node says otherwise;
// what is assigned to a resource only where the node says so.
berth_code_t berth_op_assign(berth_case_t *op, bool *out_validates,
                             berth_error_t *err) {
  (void)err;
  bool is_ref = op->output_count > 0;
  if (is_ref) berth_case_output(op, 0, BERTH_SCALAR);
  *out_validates = berth_node_attr_bool(op->node, "validate_shape", is_ref);
  return BERTH_OK;
}

berth_code_t berth_op_update(berth_case_t *op,
                             berth_variable_change_t *out_change,
                             berth_error_t *err) {
  const berth_case_input_t *value = &op->inputs[1];
  size_t size = (size_t)value->rank * sizeof(int64_t);
  const int64_t *dims = berth_arena_memdup(op->arena, value->dims, size);
  if (value->rank > 0 && dims == NULL) {
    return berth_error_no_memory(err, "a plan");
  }
  *out_change = (berth_variable_change_t){
      .is_ref = op->output_count > 0,
      .subtracts = strncmp(op->node->op->name, "AssignSub", 9) == 0,
      .dtype = value->dtype,
      .dims = {value->rank, dims}};
  if (out_change->is_ref) berth_case_output(op, 0, BERTH_SCALAR);
  return BERTH_OK;
}

berth_code_t berth_op_destroy(berth_case_t *op, bool *out_ignores,
                              berth_error_t *err) {
  (void)err;
  *out_ignores = berth_node_attr_bool(op->node, "ignore_lookup_error", true);
  return BERTH_OK;
}

// ---- Shapes of a graph ----

// A handle's own shape is that of a scalar; what it refers to is known when it
// comes straight from the op that makes the variable.

enum { MAX_STEPS = 16 };  // Ops looked through between handle and variable.

BERTH_INFER(variable) {
  BERTH_TRY(berth_shape_declared(c, &c->outputs[0], err));
  // The first variables had no way to say "unknown" but this.
  if (c->outputs[0].rank == 0) c->outputs[0].rank = -1;
  return BERTH_OK;
}

BERTH_INFER(assign) {
  if (!berth_node_attr_bool(c->node, "validate_shape", true)) {
    c->outputs[0] = berth_shape_in(c, 1);
    return BERTH_OK;
  }
  return berth_shape_merge(c, berth_shape_in(c, 0), berth_shape_in(c, 1),
                           &c->outputs[0], err);
}

// Returns the node that makes the variable input |index| is a handle to, or
// NULL.
static const berth_node_t *find_variable(const berth_shape_context_t *c,
                                         int index) {
  berth_out_t out = c->node->inputs[index];
  for (int i = 0; i < MAX_STEPS; ++i) {
    const berth_node_t *node = berth_graph_get(c->graph, out.node);
    if (strcmp(node->op->name, "VarHandleOp") == 0) return node;
    // A Switch hands on its first input, a handle on its way into a branch.
    bool hands_on = strcmp(node->op->name, "Identity") == 0 ||
                    node->op->flow == BERTH_FLOW_SWITCH ||
                    node->op->flow == BERTH_FLOW_ENTER;
    if (!hands_on) return NULL;
    out = node->inputs[0];
  }
  return NULL;
}

berth_code_t berth_shape_of_variable(berth_shape_context_t *c,
                                     berth_dims_t *out_shape,
                                     berth_error_t *err) {
  *out_shape = (berth_dims_t){-1, NULL};
  const berth_node_t *variable = find_variable(c, 0);
  if (variable == NULL) return BERTH_OK;
  berth_dtype_t own = berth_node_attr_type(variable, "dtype", BERTH_INVALID);
  berth_dtype_t asked = berth_node_attr_type(c->node, "dtype", own);
  if (own != asked) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Trying to read variable with wrong dtype. Expected "
                           "%s got %s",
                           berth_dtype_name(own), berth_dtype_name(asked));
  }
  *out_shape = berth_shape_of_handle(c, 0);
  return BERTH_OK;
}

berth_dims_t berth_shape_of_handle(berth_shape_context_t *c, int index) {
  const berth_node_t *variable = find_variable(c, index);
  const berth_attr_value_t *shape =
      variable != NULL ? berth_node_attr(variable, "shape") : NULL;
  if (shape != NULL && shape->kind == BERTH_ATTR_SHAPE) return shape->shape;
  return (berth_dims_t){-1, NULL};
}

BERTH_INFER(read_variable) {
  return berth_shape_of_variable(c, &c->outputs[0], err);
}

BERTH_INFER(assign_variable) {
  berth_dims_t shape;
  BERTH_TRY(berth_shape_of_variable(c, &shape, err));
  return berth_shape_check_equal(shape, berth_shape_in(c, 1), err);
}

BERTH_INFER(variable_shape) {
  berth_dims_t shape;
  BERTH_TRY(berth_shape_of_variable(c, &shape, err));
  return berth_shape_set_vector(c, 0, shape.rank, err);
}
