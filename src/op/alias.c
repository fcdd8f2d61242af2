// alias.c - Ops that hand on what they are given, or what was written into
// them.
#include "op/alias.h"

#include "graph/shape_fn.h"
#include "tensor/tensor.h"

berth_code_t berth_op_identity(berth_case_t *op, berth_error_t *err) {
  (void)err;
  berth_case_output(op, 0, berth_case_input_dims(op, 0));
  op->alias = 0;
  return BERTH_OK;
}

berth_code_t berth_op_ensure_shape(berth_case_t *op, berth_error_t *err) {
  const berth_attr_value_t *shape = berth_node_attr(op->node, "shape");
  berth_dims_t has = berth_case_input_dims(op, 0);
  if (shape != NULL && shape->kind == BERTH_ATTR_SHAPE &&
      shape->shape.rank >= 0) {
    bool fits = shape->shape.rank == has.rank;
    for (int32_t i = 0; fits && i < has.rank; ++i) {
      fits = shape->shape.dims[i] < 0 || shape->shape.dims[i] == has.dims[i];
    }
    char text[BERTH_DIMS_TEXT], wanted[BERTH_DIMS_TEXT];
    if (!fits) {
      return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                             "Shape of tensor input %s is not compatible "
                             "with expected shape %s.",
                             berth_dims_text(has, text),
                             berth_dims_text(shape->shape, wanted));
    }
  }
  return berth_op_identity(op, err);
}

berth_code_t berth_op_identity_n(berth_case_t *op, berth_error_t *err) {
  (void)err;
  for (int i = 0; i < op->output_count; ++i) {
    berth_case_output(op, i, berth_case_input_dims(op, i));
  }
  return BERTH_OK;
}

berth_code_t berth_op_const(berth_case_t *op, const berth_tensor_t **out_value,
                            berth_error_t *err) {
  const berth_attr_value_t *value = berth_node_attr(op->node, "value");
  if (value == NULL || value->kind != BERTH_ATTR_TENSOR) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "the constant '%s' has no value", op->node->name);
  }
  berth_dtype_t promised = op->node->output_types[0];
  if (value->tensor->dtype != promised) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Type mismatch between value (%s) and dtype (%s)",
                           berth_dtype_name(value->tensor->dtype),
                           berth_dtype_name(promised));
  }
  berth_case_output(op, 0, berth_tensor_dims(value->tensor));
  *out_value = value->tensor;
  return BERTH_OK;
}

berth_code_t berth_op_placeholder(berth_case_t *op, berth_error_t *err) {
  (void)err;
  op->outputs[0].rank = -1;
  return BERTH_OK;
}

berth_code_t berth_placeholder_fail(const berth_node_t *node,
                                    berth_error_t *err) {
  const berth_attr_value_t *shape = berth_node_attr(node, "shape");
  berth_error_set(err, BERTH_INVALID_ARGUMENT,
                  "You must feed a value for placeholder tensor '%s' with "
                  "dtype %s",
                  node->name, berth_dtype_name(node->output_types[0]));
  // A scalar is reported like an unknown shape.
  if (shape != NULL && shape->kind == BERTH_ATTR_SHAPE &&
      shape->shape.rank > 0) {
    char text[BERTH_DIMS_TEXT];
    berth_error_append(err, " and shape %s",
                       berth_dims_text(shape->shape, text));
  }
  return BERTH_INVALID_ARGUMENT;
}

// ---- Shapes of a graph ----

BERTH_INFER(constant) {
  (void)err;
  const berth_attr_value_t *value = berth_node_attr(c->node, "value");
  if (value->kind == BERTH_ATTR_TENSOR && value->tensor != NULL) {
    c->outputs[0] = berth_tensor_dims(value->tensor);
  }
  return BERTH_OK;
}

BERTH_INFER(placeholder) {
  return berth_shape_declared(c, &c->outputs[0], err);
}

BERTH_INFER(placeholder_with_default) {
  BERTH_TRY(berth_shape_declared(c, &c->outputs[0], err));
  return berth_shape_check_equal(berth_shape_in(c, 0), c->outputs[0], err);
}

BERTH_INFER(each) {
  (void)err;
  for (int i = 0; i < c->node->output_count; ++i) {
    c->outputs[i] = berth_shape_in(c, i);
  }
  return BERTH_OK;
}

BERTH_INFER(ensure_shape) {
  berth_dims_t wanted;
  BERTH_TRY(berth_shape_declared(c, &wanted, err));
  return berth_shape_merge(c, wanted, berth_shape_in(c, 0), &c->outputs[0],
                           err);
}
