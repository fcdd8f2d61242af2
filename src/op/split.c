// split.c - Ops that cut a tensor: Split, SplitV, Unpack.
//
// Each output is one move: a window of the input's [outer, all] becomes its own
// [outer, own].
#include "graph/shape_fn.h"
#include "graph/shape_value.h"
#include "op/array.h"
#include "op/value.h"
#include "tensor/tensor.h"

// What is cut, and where.
typedef struct cut {
  int input;
  int32_t axis;
  int64_t outer;  // Blocks.
  int64_t all;    // Elements of a block.
  int64_t inner;  // Elements of one index along the axis.
} cut_t;

// Fills in the rest of |cut| from input and axis; there are elements.
static void cut_measure(const berth_case_t *op, cut_t *cut) {
  const berth_case_input_t *value = &op->inputs[cut->input];
  cut->outer = cut->inner = 1;
  for (int32_t i = 0; i < cut->axis; ++i) cut->outer *= value->dims[i];
  for (int32_t i = cut->axis + 1; i < value->rank; ++i) {
    cut->inner *= value->dims[i];
  }
  cut->all = cut->inner * value->dims[cut->axis];
}

// Adds the move of |size| indices from |begin| on to output |output|.
static berth_code_t cut_add(berth_case_t *op, const cut_t *cut,
                            berth_moves_t *moves, int output, int64_t begin,
                            int64_t size, berth_error_t *err) {
  int64_t own = size * cut->inner;
  berth_move_spec_t spec;
  spec.rank = 2;
  spec.from_offset = begin * cut->inner;
  spec.to_offset = 0;
  spec.dims[0] = cut->outer;
  spec.dims[1] = own;
  spec.from_steps[0] = cut->all;
  spec.to_steps[0] = own;
  spec.from_steps[1] = spec.to_steps[1] = 1;
  return berth_moves_add(op, moves, &spec, cut->input, op->input_count + output,
                         err);
}

// Cuts along the axis into |sizes|, one per output, or all of |equal| indices
// when |sizes| is NULL. |keeps_axis| says whether outputs have that dimension.
static berth_code_t cut_all(berth_case_t *op, cut_t *cut, const int64_t *sizes,
                            int64_t equal, bool keeps_axis,
                            berth_moves_t *moves, berth_error_t *err) {
  const berth_case_input_t *value = &op->inputs[cut->input];
  for (int i = 0; i < op->output_count; ++i) {
    berth_shape_t *shape = &op->outputs[i];
    shape->rank = 0;
    for (int32_t d = 0; d < value->rank; ++d) {
      if (d != cut->axis) {
        shape->dims[shape->rank++] = value->dims[d];
      } else if (keeps_axis) {
        shape->dims[shape->rank++] = sizes != NULL ? sizes[i] : equal;
      }
    }
  }
  if (value->count == 0) return BERTH_OK;
  cut_measure(op, cut);
  op->is_part = cut->outer == 1;
  op->part_of = (int8_t)cut->input;
  op->part_at = 0;
  int64_t begin = 0;
  for (int i = 0; i < op->output_count; ++i) {
    int64_t size = sizes != NULL ? sizes[i] : equal;
    BERTH_TRY(cut_add(op, cut, moves, i, begin, size, err));
    begin += size;
  }
  return BERTH_OK;
}

// Reads the axis of Split and SplitV from |axis|, an input of one element.
static berth_code_t read_axis(const berth_case_input_t *value,
                              const berth_case_input_t *axis, int32_t *out_axis,
                              berth_error_t *err) {
  int64_t given = berth_value_int(axis, 0);
  int64_t dim = given < 0 ? given + value->rank : given;
  if (dim < 0 || dim >= value->rank) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "-input rank(-%d) <= split_dim < input rank (%d), "
                           "but got %lld",
                           (int)value->rank, (int)value->rank,
                           (long long)given);
  }
  *out_axis = (int32_t)dim;
  return BERTH_OK;
}

berth_code_t berth_op_split(berth_case_t *op, berth_moves_t *moves,
                            berth_error_t *err) {
  const berth_case_input_t *axis = &op->inputs[0];
  const berth_case_input_t *value = &op->inputs[1];
  berth_moves_init(moves, value->dtype);
  if (axis->rank != 0) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "split_dim must be a scalar but has rank %d",
                           (int)axis->rank);
  }
  cut_t cut = {.input = 1};
  BERTH_TRY(read_axis(value, axis, &cut.axis, err));
  int64_t size = value->dims[cut.axis];
  int count = op->output_count;
  if (count == 0 || size % count != 0) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Number of ways to split should evenly divide the "
                           "split dimension, but got split_dim %d (size = "
                           "%lld) and num_split %d",
                           (int)cut.axis, (long long)size, count);
  }
  if (count == 1) {
    berth_case_output(op, 0, berth_case_input_dims(op, 1));
    op->alias = 1;
    return BERTH_OK;
  }
  return cut_all(op, &cut, NULL, size / count, true, moves, err);
}

static berth_code_t fail_sum(int64_t sum, berth_error_t *err) {
  return berth_error_set(
      err, BERTH_INVALID_ARGUMENT,
      "Determined shape must either match input shape along split_dim exactly "
      "if fully specified, or be less than the size of the input along "
      "split_dim if not fully specified.  Got: %lld",
      (long long)sum);
}

// Checks that each of the sizes, whose |sum| may have wrapped, fits.
static berth_code_t check_sizes(const int64_t *sizes, int count, int64_t along,
                                int64_t sum, berth_error_t *err) {
  bool fits = true;
  for (int i = 0; i < count; ++i) {
    if (sizes[i] < 0) {
      return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                             "Split size at index %d must be >= 0. Got: %lld",
                             i, (long long)sizes[i]);
    }
    fits = fits && sizes[i] <= along;
  }
  return fits ? BERTH_OK : fail_sum(sum, err);
}

// Reads the sizes of a SplitV, of which one may be -1: what is left.
static berth_code_t read_sizes(const berth_case_t *op, int64_t along,
                               int64_t *sizes, berth_error_t *err) {
  const berth_case_input_t *input = &op->inputs[1];
  int unknown = -1;
  int64_t sum = 0;
  for (int i = 0; i < op->output_count; ++i) {
    sizes[i] = berth_value_int(input, i);
    if (sizes[i] != -1) {
      sum = (int64_t)((uint64_t)sum + (uint64_t)sizes[i]);
    } else if (unknown < 0) {
      unknown = i;
    } else {
      return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                             "There can only be one -1 in the input.");
    }
  }
  if (unknown < 0 ? sum != along : sum > along) return fail_sum(sum, err);
  if (unknown >= 0) {
    sizes[unknown] = (int64_t)((uint64_t)along - (uint64_t)sum);
  }
  return check_sizes(sizes, op->output_count, along, sum, err);
}

// Checks the inputs of a SplitV but for the contents of the sizes.
static berth_code_t check_split_v(const berth_case_t *op, int32_t *out_axis,
                                  berth_error_t *err) {
  const berth_case_input_t *sizes = &op->inputs[1];
  const berth_case_input_t *axis = &op->inputs[2];
  if (axis->count != 1) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "split_dim_tensor must have exactly one element.");
  }
  if (sizes->rank != 1 || sizes->count != op->output_count) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "size of the split_tensor must be 1-D and have the "
                           "same elements as outputs got %d -D and %lld "
                           "elements",
                           (int)sizes->rank, (long long)sizes->count);
  }
  return read_axis(&op->inputs[0], axis, out_axis, err);
}

berth_code_t berth_op_split_v(berth_case_t *op, berth_moves_t *moves,
                              berth_error_t *err) {
  const berth_case_input_t *value = &op->inputs[0];
  cut_t cut = {.input = 0};
  berth_moves_init(moves, value->dtype);
  BERTH_TRY(check_split_v(op, &cut.axis, err));
  int64_t along = value->dims[cut.axis];
  if (op->output_count == 1) {
    int64_t size = berth_value_int(&op->inputs[1], 0);
    if (size != along) {
      return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                             "If there is only one output, it must have the "
                             "same size as the input. Input size: %lld output "
                             "size: %lld",
                             (long long)along, (long long)size);
    }
    berth_case_output(op, 0, berth_case_input_dims(op, 0));
    op->alias = 0;
    return BERTH_OK;
  }
  int64_t *sizes =
      berth_arena_calloc(op->arena, (size_t)op->output_count, sizeof(int64_t));
  if (sizes == NULL) return berth_error_no_memory(err, "a plan");
  BERTH_TRY(read_sizes(op, along, sizes, err));
  return cut_all(op, &cut, sizes, 0, true, moves, err);
}

berth_code_t berth_op_unpack(berth_case_t *op, berth_moves_t *moves,
                             berth_error_t *err) {
  const berth_case_input_t *value = &op->inputs[0];
  berth_moves_init(moves, value->dtype);
  int64_t given = berth_node_attr_int(op->node, "axis", 0);
  int64_t axis = given < 0 ? given + value->rank : given;
  if (axis < 0 || axis >= value->rank) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "axis = %lld not in [%d, %d)", (long long)given,
                           -(int)value->rank, (int)value->rank);
  }
  if (value->dims[axis] != op->output_count) {
    char text[BERTH_DIMS_TEXT];
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Input shape axis %lld must equal %d, got shape %s",
                           (long long)axis, op->output_count,
                           berth_input_text(value, text));
  }
  cut_t cut = {.input = 0, .axis = (int32_t)axis};
  return cut_all(op, &cut, NULL, 1, false, moves, err);
}

// ---- Shapes of a graph ----

// Sets every output to |shape|.
static void set_all(berth_shape_context_t *c, berth_dims_t shape) {
  for (int i = 0; i < c->node->output_count; ++i) c->outputs[i] = shape;
}

// Stores which dimension of |shape| the scalar input |index| names, -1 when
// that is not known.
static berth_code_t split_axis(berth_shape_context_t *c, int index,
                               berth_dims_t shape, int32_t *out_axis,
                               berth_error_t *err) {
  int64_t axis = 0;
  *out_axis = -1;
  BERTH_TRY(berth_shape_with_rank(c, berth_shape_in(c, index), 0, NULL, err));
  if (!berth_shape_scalar(c, index, &axis) || shape.rank < 0) return BERTH_OK;
  if (axis < -shape.rank || axis >= shape.rank) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Dimension size, given by scalar input %lld must be "
                           "in range [%d, %d)",
                           (long long)axis, -shape.rank, shape.rank);
  }
  *out_axis = (int32_t)(axis < 0 ? axis + shape.rank : axis);
  return BERTH_OK;
}

// Sets every output to one of the rank of |shape|, of which nothing else is
// known.
static berth_code_t set_unknown(berth_shape_context_t *c, berth_dims_t shape,
                                berth_error_t *err) {
  if (shape.rank < 0) return BERTH_OK;
  berth_dims_t out;
  BERTH_TRY(berth_shape_unknown(c, shape.rank, &out, err));
  set_all(c, out);
  return BERTH_OK;
}

BERTH_INFER(split) {
  berth_dims_t in = berth_shape_in(c, 1), out;
  int32_t axis = -1;
  int64_t size = -1;
  BERTH_TRY(split_axis(c, 0, in, &axis, err));
  if (axis < 0) return set_unknown(c, in, err);
  berth_code_t code =
      berth_shape_divide(in.dims[axis], c->node->output_count, &size, err);
  if (code != BERTH_OK) {
    berth_error_append(err,
                       "\n\tNumber of ways to split should evenly divide the "
                       "split dimension");
    return code;
  }
  BERTH_TRY(berth_shape_replace(c, in, axis, size, &out, err));
  set_all(c, out);
  return BERTH_OK;
}

static berth_code_t split_error(const berth_tensor_t *sizes, int64_t whole,
                                berth_error_t *err) {
  berth_str_t list = {0};
  for (int64_t i = 0; i < sizes->count; ++i) {
    berth_str_printf(&list, "%s%lld", i > 0 ? "," : "",
                     (long long)berth_value_int_at(sizes, i));
  }
  berth_error_set(err, BERTH_INVALID_ARGUMENT,
                  "can't split axis of size %lld into pieces of size [%s]",
                  (long long)whole, berth_str_get(&list));
  berth_str_clear(&list);
  return BERTH_INVALID_ARGUMENT;
}

// Stores what the piece of size -1 gets, after checking that the pieces add up
// to |whole|.
static berth_code_t split_rest(const berth_tensor_t *sizes, int64_t whole,
                               int64_t *out_rest, berth_error_t *err) {
  int64_t sum = 0;
  int open = 0;
  for (int64_t i = 0; i < sizes->count; ++i) {
    int64_t size = berth_value_int_at(sizes, i);
    if (size == -1) {
      ++open;
    } else if (size < 0) {
      return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                             "Split size at index %lld must be >= 0. Got: %lld",
                             (long long)i, (long long)size);
    } else if (__builtin_add_overflow(sum, size, &sum)) {
      return split_error(sizes, whole, err);
    }
  }
  if (open > 1) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "size_splits can only have one -1");
  }
  *out_rest = whole < 0 ? -1 : whole - sum;
  bool fits = whole < 0 || (open > 0 ? sum <= whole : sum == whole);
  return fits ? BERTH_OK : split_error(sizes, whole, err);
}

BERTH_INFER(split_v) {
  berth_dims_t in = berth_shape_in(c, 0);
  int32_t axis = -1;
  BERTH_TRY(split_axis(c, 2, in, &axis, err));
  if (axis < 0) return set_unknown(c, in, err);
  const berth_tensor_t *sizes = berth_shape_value(c, 1);
  if (sizes == NULL || !berth_value_is_int(sizes)) {
    berth_dims_t out;
    BERTH_TRY(berth_shape_replace(c, in, axis, -1, &out, err));
    set_all(c, out);
    return BERTH_OK;
  }
  if (sizes->count != c->node->output_count) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Length of size_splits should be equal to "
                           "num_outputs");
  }
  int64_t rest = -1;
  BERTH_TRY(split_rest(sizes, in.dims[axis], &rest, err));
  for (int i = 0; i < c->node->output_count; ++i) {
    int64_t size = berth_value_int_at(sizes, i);
    BERTH_TRY(berth_shape_replace(c, in, axis, size == -1 ? rest : size,
                                  &c->outputs[i], err));
  }
  return BERTH_OK;
}

BERTH_INFER(unpack) {
  berth_dims_t in = berth_shape_in(c, 0), out;
  int32_t axis = 0;
  if (in.rank < 0) return BERTH_OK;
  BERTH_TRY(berth_shape_axis(c, in.rank, &axis, err));
  BERTH_TRY(berth_shape_check_dim(in.dims[axis], c->node->output_count, err));
  BERTH_TRY(berth_shape_join(c, berth_shape_slice(in, 0, axis),
                             berth_shape_slice(in, axis + 1, in.rank), &out,
                             err));
  set_all(c, out);
  return BERTH_OK;
}
