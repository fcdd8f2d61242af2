// select.c - Select and SelectV2: each element from one of two inputs.
#include "graph/shape_fn.h"
#include "op/elementwise.h"
#include "op/types.h"
#include "op/value.h"

// Describes the work on inputs of the shapes |inputs|; the output's shape is
// set.
static berth_code_t describe(berth_case_t *op, const berth_dims_t inputs[3],
                             berth_select_t *out_select, berth_error_t *err) {
  berth_dims_t shape = berth_case_output_dims(op, 0);
  int64_t count = berth_dims_count(shape);
  berth_dtype_t dtype = op->inputs[1].dtype;
  BERTH_TRY(
      berth_value_check_size(shape, count < 0 ? INT64_MAX : count, dtype, err));
  *out_select = (berth_select_t){.dtype = dtype, .count = count};
  if (count == 0) return BERTH_OK;
  BERTH_TRY(berth_broadcast_make(inputs, 3, shape, op->arena,
                                 &out_select->broadcast, err));
  for (int i = 1; berth_dtype_is_plain(dtype) && i <= 2; ++i) {
    bool fits = op->inputs[i].count == count;
    if (fits) op->may_overwrite |= UINT32_C(1) << i;
  }
  return BERTH_OK;
}

berth_code_t berth_op_select_v2(berth_case_t *op, berth_select_t *out_select,
                                berth_error_t *err) {
  berth_dims_t inputs[3];
  for (int i = 0; i < 3; ++i) inputs[i] = berth_case_input_dims(op, i);
  berth_shape_t values;
  if (!berth_dims_broadcast(inputs[1], inputs[2], &values) ||
      !berth_dims_broadcast(inputs[0], berth_shape_dims(&values),
                            &op->outputs[0])) {
    char text[3][BERTH_DIMS_TEXT];
    return berth_error_set(
        err, BERTH_INVALID_ARGUMENT,
        "condition %s, then %s, and else %s must be broadcastable",
        berth_dims_text(inputs[0], text[0]),
        berth_dims_text(inputs[1], text[1]),
        berth_dims_text(inputs[2], text[2]));
  }
  return describe(op, inputs, out_select, err);
}

// ---- Select ----

static berth_code_t check_same_values(const berth_case_t *op,
                                      berth_error_t *err) {
  berth_dims_t then = berth_case_input_dims(op, 1);
  berth_dims_t other = berth_case_input_dims(op, 2);
  if (berth_dims_equal(then, other)) return BERTH_OK;
  char a[BERTH_DIMS_TEXT], b[BERTH_DIMS_TEXT];
  return berth_error_set(
      err, BERTH_INVALID_ARGUMENT,
      "'then' and 'else' must have the same size.  but received: %s vs. %s",
      berth_dims_text(then, a), berth_dims_text(other, b));
}

// A condition that is a vector says for each row.
static berth_code_t check_rows(const berth_case_t *op, berth_error_t *err) {
  const berth_case_input_t *condition = &op->inputs[0];
  const berth_case_input_t *then = &op->inputs[1];
  if (then->rank < 1) {
    return berth_error_set(
        err, BERTH_INVALID_ARGUMENT,
        "'then' must be at least a vector, but saw shape: []");
  }
  if (then->dims[0] != condition->dims[0]) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Number of batches of 'then' must match size of "
                           "'cond', but saw: %lld vs. %lld",
                           (long long)then->dims[0],
                           (long long)condition->dims[0]);
  }
  return check_same_values(op, err);
}

berth_code_t berth_op_select(berth_case_t *op, berth_select_t *out_select,
                             berth_error_t *err) {
  const berth_case_input_t *condition = &op->inputs[0];
  const berth_case_input_t *then = &op->inputs[1];
  berth_shape_t rows = {condition->rank, {0}};
  if (condition->rank == 0) {
    BERTH_TRY(check_same_values(op, err));
  } else if (condition->rank == 1 && then->rank != 1) {
    BERTH_TRY(check_rows(op, err));
    rows.rank = then->rank;
    for (int i = 0; i < rows.rank; ++i) rows.dims[i] = 1;
    rows.dims[0] = condition->dims[0];
  } else {
    BERTH_TRY(berth_check_same_shapes(op, err));
    berth_shape_set(&rows, berth_case_input_dims(op, 0));
  }
  berth_dims_t inputs[3] = {berth_shape_dims(&rows),
                            berth_case_input_dims(op, 1),
                            berth_case_input_dims(op, 2)};
  berth_case_output(op, 0, inputs[1]);
  return describe(op, inputs, out_select, err);
}

// ---- Shapes ----

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
