// one_hot.c - The op OneHot.
#include "graph/shape_fn.h"
#include "op/index.h"
#include "op/value.h"

static berth_code_t check_scalar(const berth_case_input_t *input,
                                 const char *name, berth_error_t *err) {
  if (input->rank == 0) return BERTH_OK;
  char text[BERTH_DIMS_TEXT];
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "%s must be a scalar, but got: %s", name,
                         berth_input_text(input, text));
}

// Checks the inputs and fills in the output's shape.
static berth_code_t one_hot_shape(berth_case_t *op, int64_t *out_axis,
                                  int64_t *out_count, berth_error_t *err) {
  const berth_case_input_t *indices = &op->inputs[0];
  int64_t axis = berth_node_attr_int(op->node, "axis", -1);
  if (axis < -1 || axis > indices->rank) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Expected axis to be -1 or between [0, %d).  But "
                           "received: %lld",
                           (int)indices->rank + 1, (long long)axis);
  }
  BERTH_TRY(check_scalar(&op->inputs[1], "depth", err));
  BERTH_TRY(check_scalar(&op->inputs[2], "on_value", err));
  BERTH_TRY(check_scalar(&op->inputs[3], "off_value", err));
  int64_t depth = berth_value_int(&op->inputs[1], 0);
  if (depth < 0) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "depth must be non-negative, got: %lld",
                           (long long)depth);
  }
  if (axis < 0) axis = indices->rank;
  berth_shape_t *shape = &op->outputs[0];
  *out_axis = axis;
  *out_count = 1;
  shape->rank = 0;
  for (int32_t i = 0; i <= indices->rank; ++i) {
    int64_t size = i == axis  ? depth
                   : i < axis ? indices->dims[i]
                              : indices->dims[i - 1];
    BERTH_TRY(berth_shape_push(shape, out_count, size, err));
  }
  return berth_value_check_size(berth_shape_dims(shape), *out_count,
                                op->inputs[2].dtype, err);
}

berth_code_t berth_op_one_hot(berth_case_t *op, berth_one_hot_t *out_one_hot,
                              berth_error_t *err) {
  const berth_case_input_t *indices = &op->inputs[0];
  int64_t axis = 0, count = 0;
  BERTH_TRY(one_hot_shape(op, &axis, &count, err));
  *out_one_hot = (berth_one_hot_t){.count = count};
  if (count == 0) return BERTH_OK;
  out_one_hot->prefix = out_one_hot->suffix = 1;
  for (int32_t i = 0; i < indices->rank; ++i) {
    *(i < axis ? &out_one_hot->prefix : &out_one_hot->suffix) *=
        indices->dims[i];
  }
  out_one_hot->depth = berth_value_int(&op->inputs[1], 0);
  return BERTH_OK;
}

// ---- Shapes of a graph ----

BERTH_INFER(one_hot) {
  int64_t axis = berth_node_attr_int(c->node, "axis", -1), depth = -1;
  if (axis < -1) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT, "axis must be >= -1");
  }
  BERTH_TRY(berth_shape_with_rank(c, berth_shape_in(c, 1), 0, NULL, err));
  BERTH_TRY(berth_shape_size(c, 1, &depth, err));
  berth_dims_t in = berth_shape_in(c, 0), before;
  if (in.rank < 0) return BERTH_OK;
  int32_t at = axis < 0 || axis > in.rank ? in.rank : (int32_t)axis;
  BERTH_TRY(berth_shape_join(c, berth_shape_slice(in, 0, at),
                             (berth_dims_t){1, &depth}, &before, err));
  return berth_shape_join(c, before, berth_shape_slice(in, at, in.rank),
                          &c->outputs[0], err);
}
