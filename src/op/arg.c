// arg.c - ArgMax and ArgMin.
#include "graph/shape_fn.h"
#include "op/reduce.h"
#include "op/value.h"

enum { MAX_RANK = 7 };  // TensorFlow's limit.

// Stores the dimension that input 1 names.
static berth_code_t read_axis(const berth_case_t *op, int32_t *out_axis,
                              berth_error_t *err) {
  const berth_case_input_t *input = &op->inputs[0];
  const berth_case_input_t *dimension = &op->inputs[1];
  char text[BERTH_DIMS_TEXT];
  if (dimension->rank != 0) {
    return berth_error_set(
        err, BERTH_INVALID_ARGUMENT,
        "dim must be a scalar, but received tensor of shape: %s",
        berth_input_text(dimension, text));
  }
  int64_t axis = berth_value_int(dimension, 0);
  if (axis < -input->rank || axis >= input->rank) {
    return berth_error_set(
        err, BERTH_INVALID_ARGUMENT,
        "Expected dimension in the range [%d, %d), but got %lld", -input->rank,
        input->rank, (long long)axis);
  }
  if (axis < 0) axis += input->rank;
  if (input->dims[axis] == 0) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Reduction axis %d is empty in shape %s", (int)axis,
                           berth_input_text(input, text));
  }
  *out_axis = (int32_t)axis;
  return BERTH_OK;
}

// Says the shape of the output: that of the input without |axis|.
static void set_output(berth_case_t *op, int32_t axis) {
  const berth_case_input_t *input = &op->inputs[0];
  berth_shape_t *out = &op->outputs[0];
  out->rank = 0;
  for (int32_t i = 0; i < input->rank; ++i) {
    if (i != axis) out->dims[out->rank++] = input->dims[i];
  }
}

berth_code_t berth_op_arg(berth_case_t *op, berth_arg_t *out_arg,
                          berth_error_t *err) {
  const berth_case_input_t *input = &op->inputs[0];
  int32_t axis = 0;
  BERTH_TRY(read_axis(op, &axis, err));
  set_output(op, axis);
  *out_arg = (berth_arg_t){.dtype = input->dtype,
                           .index_type = op->node->output_types[0]};
  if (input->count == 0) return BERTH_OK;
  if (input->rank > MAX_RANK) {
    char text[BERTH_DIMS_TEXT];
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Argmax and Argmin only support up to 7 input "
                           "dimensions, but got %d. Inputs shape: %s",
                           input->rank, berth_input_text(input, text));
  }
  out_arg->outer = out_arg->inner = 1;
  out_arg->n = input->dims[axis];
  for (int32_t i = 0; i < axis; ++i) out_arg->outer *= input->dims[i];
  for (int32_t i = axis + 1; i < input->rank; ++i) {
    out_arg->inner *= input->dims[i];
  }
  return BERTH_OK;
}

// ---- Shapes of a graph ----

BERTH_INFER(arg_extreme) {
  berth_dims_t input = berth_shape_in(c, 0);
  BERTH_TRY(berth_shape_with_rank(c, berth_shape_in(c, 1), 0, NULL, err));
  if (input.rank < 0) return BERTH_OK;
  if (input.rank <= 1) {
    c->outputs[0] = (berth_dims_t){0, NULL};
    return BERTH_OK;
  }
  int64_t axis = 0;
  if (!berth_shape_scalar(c, 1, &axis)) {
    return berth_shape_unknown(c, input.rank - 1, &c->outputs[0], err);
  }
  if (axis < -input.rank || axis >= input.rank) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Dimension (%lld) must be in the range [%d, %d), "
                           "where %d is the number of dimensions in the input.",
                           (long long)axis, -input.rank, input.rank,
                           input.rank);
  }
  int32_t at = (int32_t)(axis < 0 ? axis + input.rank : axis);
  return berth_shape_join(c, berth_shape_slice(input, 0, at),
                          berth_shape_slice(input, at + 1, input.rank),
                          &c->outputs[0], err);
}
