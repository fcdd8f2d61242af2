// concat.c - Ops that join tensors: Concat, ConcatV2, Pack.
//
// Each input is one move: its elements, as [outer, own], go to a window of the
// output's [outer, all].
#include "graph/shape_fn.h"
#include "op/array.h"
#include "op/value.h"

// Where in the output the next input goes.
typedef struct window {
  int64_t outer;   // Blocks.
  int64_t all;     // Elements of a block of the output.
  int64_t offset;  // In such a block.
} window_t;

// Adds the move of input |input|, in blocks of |own| elements, to |window| and
// advances that.
static berth_code_t add_window(berth_case_t *op, berth_moves_t *moves,
                               window_t *window, int input, int64_t own,
                               berth_error_t *err) {
  berth_move_spec_t spec;
  spec.rank = 2;
  spec.from_offset = 0;
  spec.to_offset = window->offset;
  spec.dims[0] = window->outer;
  spec.dims[1] = own;
  spec.from_steps[0] = own;
  spec.to_steps[0] = window->all;
  spec.from_steps[1] = spec.to_steps[1] = 1;
  window->offset += own;
  return berth_moves_add(op, moves, &spec, input, op->input_count, err);
}

// Where the values and the axis of a concatenation are.
typedef struct concat {
  int first;  // Input.
  int count;
  int axis_input;
  const char *axis_name;
  int64_t axis;
} concat_t;

static berth_code_t read_axis(const berth_case_t *op, concat_t *concat,
                              berth_error_t *err) {
  const berth_case_input_t *axis = &op->inputs[concat->axis_input];
  const berth_case_input_t *value = &op->inputs[concat->first];
  if (axis->rank > 1 || axis->count != 1) {
    char text[BERTH_DIMS_TEXT];
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "%s tensor should be a scalar integer, but got "
                           "shape %s",
                           concat->axis_name, berth_input_text(axis, text));
  }
  int64_t given = berth_value_int(axis, 0);
  concat->axis = given < 0 ? given + value->rank : given;
  if (value->rank == 0 && given == 0) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "ConcatOp : Can't concatenate scalars (use "
                           "tf.stack instead)");
  }
  if (concat->axis < 0 || concat->axis >= value->rank) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "ConcatOp : Expected concatenating dimensions in "
                           "the range [%d, %d), but got %lld",
                           -(int)value->rank, (int)value->rank,
                           (long long)given);
  }
  return BERTH_OK;
}

// Checks that input |other| fits the first value but along the axis.
static berth_code_t check_value(const berth_case_t *op, const concat_t *concat,
                                int other, berth_error_t *err) {
  const berth_case_input_t *first = &op->inputs[concat->first];
  const berth_case_input_t *value = &op->inputs[concat->first + other];
  char text[BERTH_DIMS_TEXT], first_text[BERTH_DIMS_TEXT];
  if (value->rank != first->rank) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "ConcatOp : Ranks of all input tensors should "
                           "match: shape[0] = %s vs. shape[%d] = %s",
                           berth_input_text(first, first_text), other,
                           berth_input_text(value, text));
  }
  for (int32_t i = 0; i < first->rank; ++i) {
    if (i == concat->axis || value->dims[i] == first->dims[i]) continue;
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "ConcatOp : Dimension %d in both shapes must be "
                           "equal: shape[0] = %s vs. shape[%d] = %s",
                           (int)i, berth_input_text(first, first_text), other,
                           berth_input_text(value, text));
  }
  return BERTH_OK;
}

// Checks all values and fills in the output's shape.
static berth_code_t concat_shape(berth_case_t *op, const concat_t *concat,
                                 berth_error_t *err) {
  const berth_case_input_t *first = &op->inputs[concat->first];
  int64_t along = 0, count = 1;
  for (int i = 0; i < concat->count; ++i) {
    BERTH_TRY(check_value(op, concat, i, err));
    int64_t size = op->inputs[concat->first + i].dims[concat->axis];
    if (__builtin_add_overflow(along, size, &along)) {
      return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                             "ConcatOp : the result has too many elements "
                             "along dimension %lld",
                             (long long)concat->axis);
    }
  }
  berth_shape_t *shape = &op->outputs[0];
  shape->rank = 0;
  for (int32_t i = 0; i < first->rank; ++i) {
    int64_t size = i == concat->axis ? along : first->dims[i];
    BERTH_TRY(berth_shape_push(shape, &count, size, err));
  }
  return berth_value_check_size(berth_shape_dims(shape), count, first->dtype,
                                err);
}

static berth_code_t concat_any(berth_case_t *op, concat_t *concat,
                               berth_moves_t *moves, berth_error_t *err) {
  berth_moves_init(moves, op->inputs[concat->first].dtype);
  BERTH_TRY(read_axis(op, concat, err));
  BERTH_TRY(concat_shape(op, concat, err));
  const berth_shape_t *shape = &op->outputs[0];
  if (berth_dims_count(berth_shape_dims(shape)) == 0) {
    return BERTH_OK;
  }
  int32_t axis = (int32_t)concat->axis;
  int64_t outer = 1, inner = 1;
  for (int32_t i = 0; i < axis; ++i) outer *= shape->dims[i];
  for (int32_t i = axis + 1; i < shape->rank; ++i) inner *= shape->dims[i];
  window_t window = {outer, shape->dims[axis] * inner, 0};
  for (int i = concat->first; i < concat->first + concat->count; ++i) {
    int64_t own = op->inputs[i].dims[axis] * inner;
    BERTH_TRY(add_window(op, moves, &window, i, own, err));
  }
  return BERTH_OK;
}

berth_code_t berth_op_concat_v2(berth_case_t *op, berth_moves_t *moves,
                                berth_error_t *err) {
  concat_t concat = {.first = 0,
                     .count = op->input_count - 1,
                     .axis_input = op->input_count - 1,
                     .axis_name = "axis"};
  return concat_any(op, &concat, moves, err);
}

berth_code_t berth_op_concat(berth_case_t *op, berth_moves_t *moves,
                             berth_error_t *err) {
  concat_t concat = {.first = 1,
                     .count = op->input_count - 1,
                     .axis_input = 0,
                     .axis_name = "concat_dim"};
  return concat_any(op, &concat, moves, err);
}

// Each value is one row, of the shape that is promised.
berth_code_t berth_op_parallel_concat(berth_case_t *op, berth_moves_t *moves,
                                      berth_error_t *err) {
  const berth_attr_value_t *shape = berth_node_attr(op->node, "shape");
  berth_case_output(op, 0, shape->shape);
  berth_moves_init(moves, op->inputs[0].dtype);
  int64_t all = berth_dims_count(shape->shape);
  window_t window = {1, all, 0};
  for (int i = 0; i < op->input_count; ++i) {
    if (op->inputs[i].count != all / op->input_count) {
      return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                             "value %d is not a row of the output", i);
    }
    if (all == 0) continue;
    BERTH_TRY(add_window(op, moves, &window, i, all / op->input_count, err));
  }
  return BERTH_OK;
}

// Checks the values of a Pack and fills in the output's shape.
static berth_code_t pack_shape(berth_case_t *op, int64_t *out_axis,
                               berth_error_t *err) {
  const berth_case_input_t *first = &op->inputs[0];
  int64_t given = berth_node_attr_int(op->node, "axis", 0);
  int64_t rank = first->rank + 1;
  int64_t axis = given < 0 ? given + rank : given;
  if (axis < 0 || axis >= rank) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "axis = %lld not in [%lld, %lld)", (long long)given,
                           (long long)-rank, (long long)rank);
  }
  for (int i = 1; i < op->input_count; ++i) {
    if (berth_dims_equal(berth_case_input_dims(op, i),
                         berth_case_input_dims(op, 0))) {
      continue;
    }
    char text[BERTH_DIMS_TEXT], first_text[BERTH_DIMS_TEXT];
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Shapes of all inputs must match: values[0].shape "
                           "= %s != values[%d].shape = %s",
                           berth_input_text(first, first_text), i,
                           berth_input_text(&op->inputs[i], text));
  }
  berth_shape_t *shape = &op->outputs[0];
  int64_t count = 1;
  shape->rank = 0;
  for (int32_t i = 0; i < rank; ++i) {
    int64_t size = i == axis  ? op->input_count
                   : i < axis ? first->dims[i]
                              : first->dims[i - 1];
    BERTH_TRY(berth_shape_push(shape, &count, size, err));
  }
  *out_axis = axis;
  return berth_value_check_size(berth_shape_dims(shape), count, first->dtype,
                                err);
}

berth_code_t berth_op_pack(berth_case_t *op, berth_moves_t *moves,
                           berth_error_t *err) {
  int64_t axis = 0;
  berth_moves_init(moves, op->inputs[0].dtype);
  BERTH_TRY(pack_shape(op, &axis, err));
  int count = op->input_count;
  if (count == 1) {
    op->alias = 0;
    return BERTH_OK;
  }
  const berth_case_input_t *first = &op->inputs[0];
  if (first->count == 0) return BERTH_OK;
  int64_t outer = 1, inner = 1;
  for (int32_t i = 0; i < axis; ++i) outer *= first->dims[i];
  for (int32_t i = (int32_t)axis; i < first->rank; ++i) inner *= first->dims[i];
  window_t window = {outer, inner * count, 0};
  for (int i = 0; i < count; ++i) {
    BERTH_TRY(add_window(op, moves, &window, i, inner, err));
  }
  return BERTH_OK;
}

// ---- Shapes of a graph ----

// Stores the first known rank of inputs |first| up to |last| and checks that
// all have it.
static berth_code_t common_rank(berth_shape_context_t *c, int first, int last,
                                int32_t *out_rank, berth_error_t *err) {
  int32_t rank = -1;
  for (int i = first; i < last && rank < 0; ++i) {
    rank = berth_shape_in(c, i).rank;
  }
  if (rank == 0) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Can't concatenate scalars (use tf.stack instead)");
  }
  for (int i = first; i < last && rank > 0; ++i) {
    BERTH_TRY(berth_shape_with_rank(c, berth_shape_in(c, i), rank, NULL, err));
  }
  *out_rank = rank;
  return BERTH_OK;
}

// Joins inputs |first| up to |last| along |axis|, all being of one rank.
static berth_code_t join_along(berth_shape_context_t *c, int first, int last,
                               int32_t axis, int32_t rank, berth_error_t *err) {
  berth_dims_t before = {-1, NULL}, after = {-1, NULL}, joined;
  int64_t sum = 0;
  for (int i = last - 1; i >= first; --i) {
    berth_dims_t in = berth_shape_in(c, i);
    if (in.rank < 0) {
      sum = -1;
      continue;
    }
    BERTH_TRY(berth_shape_merge(c, berth_shape_slice(in, 0, axis), before,
                                &before, err));
    BERTH_TRY(berth_shape_merge(c, berth_shape_slice(in, axis + 1, rank), after,
                                &after, err));
    if (sum < 0 || in.dims[axis] < 0) {
      sum = -1;
    } else if (in.dims[axis] > INT64_MAX - sum) {
      return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                             "Dimension size overflow from adding %lld and "
                             "%lld",
                             (long long)sum, (long long)in.dims[axis]);
    } else {
      sum += in.dims[axis];
    }
  }
  BERTH_TRY(berth_shape_join(c, before, (berth_dims_t){1, &sum}, &joined, err));
  return berth_shape_join(c, joined, after, &c->outputs[0], err);
}

static berth_code_t concat(berth_shape_context_t *c, int axis_input, int first,
                           int last, berth_error_t *err) {
  int32_t rank = -1;
  int64_t axis = 0;
  BERTH_TRY(
      berth_shape_with_rank(c, berth_shape_in(c, axis_input), 0, NULL, err));
  BERTH_TRY(common_rank(c, first, last, &rank, err));
  if (rank < 0) return BERTH_OK;
  if (!berth_shape_scalar(c, axis_input, &axis)) {
    return berth_shape_unknown(c, rank, &c->outputs[0], err);
  }
  int64_t least = berth_axis_rank(axis);
  if (least > rank) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Shape must be at least rank %lld but is rank %d",
                           (long long)least, rank);
  }
  return join_along(c, first, last, (int32_t)(axis < 0 ? axis + rank : axis),
                    rank, err);
}

BERTH_INFER(concat) { return concat(c, 0, 1, berth_shape_inputs(c), err); }

BERTH_INFER(concat_v2) {
  int last = berth_shape_inputs(c) - 1;
  return concat(c, last, 0, last, err);
}

BERTH_INFER(pack) {
  berth_dims_t in, joined;
  int32_t axis = 0;
  int64_t count = berth_shape_inputs(c);
  BERTH_TRY(berth_shape_merge_inputs(c, 0, (int)count, &in, err));
  if (in.rank < 0) return BERTH_OK;
  BERTH_TRY(berth_shape_axis(c, in.rank + 1, &axis, err));
  BERTH_TRY(berth_shape_join(c, berth_shape_slice(in, 0, axis),
                             (berth_dims_t){1, &count}, &joined, err));
  return berth_shape_join(c, joined, berth_shape_slice(in, axis, in.rank),
                          &c->outputs[0], err);
}

BERTH_INFER(parallel_concat) {
  berth_dims_t shape, row;
  BERTH_TRY(berth_shape_declared(c, &shape, err));
  for (int32_t i = 0; i < shape.rank; ++i) {
    if (shape.dims[i] >= 0) continue;
    shape.rank = -1;
  }
  if (shape.rank < 0) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "shape attr must be fully defined.");
  }
  BERTH_TRY(berth_shape_replace(c, shape, 0, 1, &row, err));
  for (int i = 0; i < berth_shape_inputs(c); ++i) {
    berth_dims_t in = berth_shape_in(c, i);
    bool is_known = in.rank >= 0;
    for (int32_t d = 0; d < in.rank; ++d) is_known &= in.dims[d] >= 0;
    if (!is_known) {
      return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                             "All input shapes must be fully defined.");
    }
    if (in.rank > 0 && in.dims[0] != 1) {
      return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                             "Size of first dimension must be 1.");
    }
    berth_code_t code = berth_shape_merge(c, in, row, &row, err);
    if (code != BERTH_OK) {
      berth_error_append(err, "\n\tFrom merging shape %d with other shapes.",
                         i);
      return code;
    }
  }
  berth_shape_set_out(c, 0, shape);
  return BERTH_OK;
}
