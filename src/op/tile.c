// tile.c - Ops that repeat elements: Tile, Fill, BroadcastTo.
//
// A level of a move with a step of 0 in the source is a repetition.
#include "graph/shape_fn.h"
#include "graph/shape_value.h"
#include "op/array.h"
#include "op/types.h"
#include "op/value.h"
#include "tensor/compact.h"

// Describes |spec|, whose target is the output as it lies in memory.
static berth_code_t finish(berth_case_t *op, berth_moves_t *moves,
                           berth_move_spec_t *spec, int from, int64_t count,
                           berth_error_t *err) {
  BERTH_TRY(berth_value_check_size(berth_shape_dims(&op->outputs[0]), count,
                                   op->inputs[from].dtype, err));
  if (count == 0) return BERTH_OK;
  spec->from_offset = spec->to_offset = 0;
  berth_move_steps((berth_dims_t){spec->rank, spec->dims}, spec->to_steps);
  return berth_moves_add(op, moves, spec, from, op->input_count, err);
}

// ---- Tile ----

// What TensorFlow's kernel does, though its registration has no constraint.
#define TILE_TYPES                                                  \
  ((BERTH_TYPES_BASIC & ~BERTH_TYPE(UINT16)) | BERTH_TYPE(STRING) | \
   BERTH_TYPE(VARIANT))

static berth_code_t check_tile(const berth_case_t *op, berth_error_t *err) {
  const berth_case_input_t *multiples = &op->inputs[1];
  if (multiples->rank != 1) {
    char text[BERTH_DIMS_TEXT];
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Expected multiples to be 1-D, but got shape %s",
                           berth_input_text(multiples, text));
  }
  if (multiples->count != op->inputs[0].rank) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Expected multiples argument to be a vector of "
                           "length %d but got length %lld",
                           (int)op->inputs[0].rank,
                           (long long)multiples->count);
  }
  return BERTH_OK;
}

// Appends dimension |i| of the output to |shape|.
static berth_code_t push_tiled(const berth_case_t *op, int32_t i,
                               berth_shape_t *shape, int64_t *count,
                               berth_error_t *err) {
  int64_t dim = op->inputs[0].dims[i];
  int64_t multiple = berth_value_int(&op->inputs[1], i);
  if (multiple < 0) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Expected multiples[%d] >= 0, but got %lld", (int)i,
                           (long long)multiple);
  }
  int64_t size = 0;
  if (__builtin_mul_overflow(dim, multiple, &size)) {
    // TensorFlow reports what is left after wrapping, if that is negative.
    if (size < 0) {
      return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                             "Expected a non-negative size, got %lld",
                             (long long)size);
    }
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Encountered overflow when multiplying %lld with "
                           "%lld, result: -1",
                           (long long)dim, (long long)multiple);
  }
  return berth_shape_push(shape, count, size, err);
}

berth_code_t berth_op_tile(berth_case_t *op, berth_moves_t *moves,
                           berth_error_t *err) {
  berth_moves_init(moves, op->inputs[0].dtype);
  BERTH_TRY(check_tile(op, err));
  const berth_case_input_t *input = &op->inputs[0];
  berth_shape_t *shape = &op->outputs[0];
  int64_t count = 1;
  shape->rank = 0;
  for (int32_t i = 0; i < input->rank; ++i) {
    BERTH_TRY(push_tiled(op, i, shape, &count, err));
  }
  berth_dims_t dims = berth_case_input_dims(op, 0);
  if (berth_dims_equal(berth_shape_dims(shape), dims)) {
    op->alias = 0;
    return BERTH_OK;
  }
  if (count == 0) return BERTH_OK;
  if ((TILE_TYPES & BERTH_DTYPE_BIT(input->dtype)) == 0) {
    return berth_error_set(err, BERTH_UNIMPLEMENTED,
                           "TileOp : The input data type is not supported, "
                           "DataType : %s, Dimension : %d",
                           berth_dtype_name(input->dtype), (int)input->rank);
  }
  // Each dimension is two levels: the copies, and the indices of one copy.
  berth_move_spec_t spec;
  int64_t steps[BERTH_MAX_RANK];
  berth_move_steps(dims, steps);
  spec.rank = 2 * input->rank;
  for (int32_t i = 0; i < input->rank; ++i) {
    spec.dims[2 * i] = berth_value_int(&op->inputs[1], i);
    spec.from_steps[2 * i] = 0;
    spec.dims[2 * i + 1] = input->dims[i];
    spec.from_steps[2 * i + 1] = steps[i];
  }
  return finish(op, moves, &spec, 0, count, err);
}

// ---- Fill ----

berth_code_t berth_op_fill(berth_case_t *op, berth_moves_t *moves,
                           berth_error_t *err) {
  const berth_case_input_t *dims = &op->inputs[0];
  const berth_case_input_t *value = &op->inputs[1];
  char text[BERTH_DIMS_TEXT];
  berth_moves_init(moves, value->dtype);
  if (dims->rank > 1) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "dims must represent a vector, got shape %s",
                           berth_input_text(dims, text));
  }
  if (value->rank > 1 || value->count != 1) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "value must represent a scalar, got shape %s",
                           berth_input_text(value, text));
  }
  int64_t count = 1;
  BERTH_TRY(berth_value_shape(dims, &op->outputs[0], &count, err));
  berth_move_spec_t spec;
  spec.rank = 1;
  spec.dims[0] = count;
  spec.from_steps[0] = 0;
  return finish(op, moves, &spec, 1, count, err);
}

// ---- BroadcastTo ----

// Checks that the input broadcasts to exactly the output's shape.
static berth_code_t check_broadcast(const berth_case_t *op,
                                    berth_error_t *err) {
  const berth_case_input_t *input = &op->inputs[0];
  const berth_shape_t *shape = &op->outputs[0];
  if (input->rank > shape->rank) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Rank of input (%d) must be no greater than rank "
                           "of output shape (%d).",
                           (int)input->rank, (int)shape->rank);
  }
  int32_t added = shape->rank - input->rank;
  for (int32_t i = 0; i < input->rank; ++i) {
    if (input->dims[i] == 1 || input->dims[i] == shape->dims[added + i]) {
      continue;
    }
    char from[BERTH_DIMS_TEXT], to[BERTH_DIMS_TEXT];
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Incompatible shapes: %s vs. %s",
                           berth_input_text(input, from),
                           berth_dims_text(berth_shape_dims(shape), to));
  }
  return BERTH_OK;
}

berth_code_t berth_op_broadcast_to(berth_case_t *op, berth_moves_t *moves,
                                   berth_error_t *err) {
  const berth_case_input_t *input = &op->inputs[0];
  berth_shape_t *shape = &op->outputs[0];
  int64_t count = 1;
  berth_moves_init(moves, input->dtype);
  if (op->inputs[1].rank != 1) {
    char text[BERTH_DIMS_TEXT];
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "shape must be a vector of {int32,int64}, got "
                           "shape %s",
                           berth_input_text(&op->inputs[1], text));
  }
  BERTH_TRY(berth_value_shape(&op->inputs[1], shape, &count, err));
  BERTH_TRY(check_broadcast(op, err));
  if (input->count == count) {
    op->alias = 0;
    return BERTH_OK;
  }
  if (count == 0) return BERTH_OK;
  berth_move_spec_t spec;
  int64_t steps[BERTH_MAX_RANK];
  berth_move_steps(berth_case_input_dims(op, 0), steps);
  int32_t added = shape->rank - input->rank;
  spec.rank = shape->rank;
  for (int32_t i = 0; i < shape->rank; ++i) {
    bool repeats = i < added || input->dims[i - added] == 1;
    spec.dims[i] = shape->dims[i];
    spec.from_steps[i] = repeats ? 0 : steps[i - added];
  }
  return finish(op, moves, &spec, 0, count, err);
}

// ---- Shapes of a graph ----

BERTH_INFER(tile) {
  berth_dims_t in = berth_shape_in(c, 0), times = berth_shape_in(c, 1);
  BERTH_TRY(berth_shape_with_rank(c, times, 1, NULL, err));
  int64_t count = berth_shape_dim(times, 0);
  if (in.rank >= 0 && count >= 0 && count != in.rank) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Shape must be rank %d but is rank %lld", in.rank,
                           (long long)count);
  }
  BERTH_TRY(berth_shape_from_value(c, 1, &times, err));
  int32_t rank = in.rank >= 0 ? in.rank : times.rank;
  if (rank < 0) return BERTH_OK;
  berth_dims_t out;
  BERTH_TRY(berth_shape_unknown(c, rank, &out, err));
  for (int32_t i = 0; i < rank && in.rank >= 0 && times.rank >= 0; ++i) {
    int64_t size = -1;
    if (in.dims[i] < 0 || times.dims[i] < 0 ||
        __builtin_mul_overflow(in.dims[i], times.dims[i], &size)) {
      continue;
    }
    ((int64_t *)(uintptr_t)out.dims)[i] = size;
  }
  c->outputs[0] = out;
  return BERTH_OK;
}

BERTH_INFER(fill) {
  BERTH_TRY(berth_shape_with_rank(c, berth_shape_in(c, 0), 1, NULL, err));
  BERTH_TRY(berth_shape_with_rank(c, berth_shape_in(c, 1), 0, NULL, err));
  BERTH_TRY(berth_shape_from_value(c, 0, &c->outputs[0], err));
  const berth_tensor_t *dims = berth_value_of(c->graph, c->node->inputs[0]);
  int64_t count = dims != NULL ? berth_tensor_distinct(dims) : 0;
  for (int64_t i = 0; i < count; ++i) {
    if (berth_value_int_at(dims, i) < 0) {
      return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                             "Fill dimensions must be >= 0");
    }
  }
  return BERTH_OK;
}

BERTH_INFER(broadcast_to) {
  berth_dims_t in = berth_shape_in(c, 0), form = berth_shape_in(c, 1), out;
  BERTH_TRY(berth_shape_with_rank(c, form, 1, NULL, err));
  int64_t count = berth_shape_dim(form, 0);
  if (count >= 0 && count <= BERTH_MAX_RANK) {
    BERTH_TRY(berth_shape_rank_at_most(in, (int32_t)count, err));
  }
  BERTH_TRY(berth_shape_from_value(c, 1, &out, err));
  c->outputs[0] = out;
  for (int32_t i = 0; i < in.rank && out.rank >= in.rank; ++i) {
    int64_t dim = in.dims[i], merged = -1;
    if (dim == 1) continue;
    BERTH_TRY(berth_shape_merge_dims(dim, out.dims[out.rank - in.rank + i],
                                     &merged, err));
  }
  return BERTH_OK;
}
