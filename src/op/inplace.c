// inplace.c - Rows of a tensor that are changed: checks and shapes.
#include "op/inplace.h"

#include <string.h>

#include "graph/shape_fn.h"
#include "op/types.h"
#include "op/value.h"

#define INVALID(...) berth_error_set(err, BERTH_INVALID_ARGUMENT, __VA_ARGS__)

static berth_code_t check_rows(const berth_case_t *op, berth_error_t *err) {
  const berth_case_input_t *x = &op->inputs[0], *i = &op->inputs[1],
                           *v = &op->inputs[2];
  char a[BERTH_DIMS_TEXT], b[BERTH_DIMS_TEXT];
  berth_input_text(x, a);
  berth_input_text(v, b);
  if (i->rank != 1)
    return INVALID("i must be a vector. %s", berth_input_text(i, a));
  if (x->rank != v->rank) {
    return INVALID("x and v shape doesn't match (ranks differ): %s vs. %s", a,
                   b);
  }
  for (int32_t d = 1; d < x->rank; ++d) {
    if (x->dims[d] == v->dims[d]) continue;
    return INVALID("x and v shape doesn't match at index %d : %s vs. %s",
                   (int)d, a, b);
  }
  if (x->rank > 0 && i->dims[0] == v->dims[0]) return BERTH_OK;
  return INVALID("i and x shape doesn't match at index 0: %s vs. %s",
                 berth_input_text(i, a), b);
}

static berth_code_t check_type(berth_dtype_t dtype, berth_dtype_set_t types,
                               berth_error_t *err) {
  if (berth_type_in(dtype, types)) return BERTH_OK;
  return INVALID("Unsupported data type: %s", berth_dtype_name(dtype));
}

berth_code_t berth_op_inplace(berth_case_t *op, berth_inplace_t *out,
                              berth_error_t *err) {
  const berth_case_input_t *x = &op->inputs[0], *v = &op->inputs[2];
  const char *name = op->node->op->name;
  *out = (berth_inplace_t){
      .how = strcmp(name, "InplaceAdd") == 0   ? BERTH_COMBINE_ADD
             : strcmp(name, "InplaceSub") == 0 ? BERTH_COMBINE_SUB
                                               : BERTH_COMBINE_SET,
      .dtype = x->dtype};
  BERTH_TRY(check_rows(op, err));
  bool is_set = out->how == BERTH_COMBINE_SET;
  if (x->count > 0 && v->count > 0) {
    BERTH_TRY(check_type(x->dtype,
                         is_set ? BERTH_TYPES_BASIC | BERTH_TYPES_OBJECT
                                : BERTH_TYPES_ARITHMETIC,
                         err));
    out->changes = v->dims[0];
    out->rows = x->dims[0];
    out->cols = x->count / out->rows;
  }
  berth_case_output(op, 0, berth_case_input_dims(op, 0));
  op->may_overwrite = berth_dtype_is_plain(x->dtype) ? 1 : 0;
  return BERTH_OK;
}

berth_code_t berth_op_deep_copy(berth_case_t *op, berth_error_t *err) {
  BERTH_TRY(check_type(op->inputs[0].dtype,
                       BERTH_TYPES_BASIC | BERTH_TYPES_OBJECT, err));
  berth_case_output(op, 0, berth_case_input_dims(op, 0));
  return BERTH_OK;
}

void berth_op_fake(berth_case_t *op) {
  const berth_attr_value_t *declared = berth_node_attr(op->node, "shape");
  berth_shape_t shape = {0};
  if (declared != NULL && declared->shape.rank > 0) {
    berth_shape_set(&shape, declared->shape);
  }
  for (int32_t i = 0; i < shape.rank; ++i) {
    if (shape.dims[i] < 0) shape.dims[i] = 0;
  }
  berth_case_output(op, 0, berth_shape_dims(&shape));
}

berth_code_t berth_op_empty(berth_case_t *op, berth_error_t *err) {
  const berth_case_input_t *shape = &op->inputs[0];
  char text[BERTH_DIMS_TEXT];
  int64_t count = 0;
  if (shape->rank != 1) {
    return INVALID("shape must be a vector of int32, got shape %s",
                   berth_input_text(shape, text));
  }
  return berth_value_shape(shape, &op->outputs[0], &count, err);
}

// ---- Shapes of a graph ----

BERTH_INFER(empty) { return berth_shape_from_value(c, 0, &c->outputs[0], err); }
