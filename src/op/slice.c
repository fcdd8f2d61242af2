// slice.c - The ops Slice and ReverseV2.
//
// Both are one move with an offset and steps in the source, as a strided slice
// is (strided_slice.c).
#include "graph/shape_fn.h"
#include "graph/shape_value.h"
#include "op/array.h"
#include "op/slice_internal.h"
#include "op/value.h"

berth_code_t berth_slice_add(berth_case_t *op, berth_moves_t *moves,
                             berth_move_spec_t *spec, berth_error_t *err) {
  berth_dims_t sizes = {spec->rank, spec->dims};
  if (berth_dims_count(berth_shape_dims(&op->outputs[0])) == 0) {
    return BERTH_OK;
  }
  spec->to_offset = 0;
  berth_move_steps(sizes, spec->to_steps);
  bool is_part = op->inputs[0].dtype != BERTH_STRING;
  for (int32_t i = 0; i < spec->rank; ++i) {
    is_part = is_part &&
              (sizes.dims[i] == 1 || spec->from_steps[i] == spec->to_steps[i]);
  }
  op->is_part = is_part;
  op->part_at =
      spec->from_offset * (int64_t)berth_dtype_size(op->inputs[0].dtype);
  return berth_moves_add(op, moves, spec, 0, op->input_count, err);
}

// ---- Slice ----

static berth_code_t check_slice(const berth_case_t *op, berth_error_t *err) {
  const berth_case_input_t *begin = &op->inputs[1];
  const berth_case_input_t *size = &op->inputs[2];
  int32_t rank = op->inputs[0].rank;
  if (begin->rank == 1 && size->rank == 1 && begin->count == rank &&
      size->count == rank) {
    return BERTH_OK;
  }
  char begin_text[BERTH_DIMS_TEXT], size_text[BERTH_DIMS_TEXT];
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "Expected begin and size arguments to be 1-D tensors "
                         "of size %d, but got shapes %s and %s instead.",
                         (int)rank, berth_input_text(begin, begin_text),
                         berth_input_text(size, size_text));
}

// Checks where dimension |i| of |dim| indices is cut.
static berth_code_t check_slice_dim(int32_t i, int64_t dim, int64_t begin,
                                    int64_t size, berth_error_t *err) {
  if (dim == 0) {
    if (begin == 0 && size == 0) return BERTH_OK;
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Expected begin[%d] == 0 (got %lld) and size[%d] "
                           "== 0 (got %lld) when input.dim_size(%d) == 0",
                           (int)i, (long long)begin, (int)i, (long long)size,
                           (int)i);
  }
  if (begin < 0 || begin > dim) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Expected begin[%d] in [0, %lld], but got %lld",
                           (int)i, (long long)dim, (long long)begin);
  }
  if (size < 0 || size > dim - begin) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Expected size[%d] in [0, %lld], but got %lld",
                           (int)i, (long long)(dim - begin), (long long)size);
  }
  return BERTH_OK;
}

berth_code_t berth_op_slice(berth_case_t *op, berth_moves_t *moves,
                            berth_error_t *err) {
  berth_moves_init(moves, op->inputs[0].dtype);
  BERTH_TRY(check_slice(op, err));
  const berth_case_input_t *input = &op->inputs[0];
  berth_move_spec_t spec;
  int64_t begins[BERTH_MAX_RANK];
  spec.rank = input->rank;
  bool is_whole = true;
  for (int32_t i = 0; i < input->rank; ++i) {
    begins[i] = berth_value_int(&op->inputs[1], i);
    int64_t dim = input->dims[i];
    int64_t size = berth_value_int(&op->inputs[2], i);
    // All that is left. A bad begin may wrap; it is refused next.
    if (size == -1) size = (int64_t)((uint64_t)dim - (uint64_t)begins[i]);
    BERTH_TRY(check_slice_dim(i, dim, begins[i], size, err));
    spec.dims[i] = size;
    is_whole = is_whole && size == dim;
  }
  berth_case_output(op, 0, (berth_dims_t){spec.rank, spec.dims});
  if (is_whole) {
    op->alias = 0;
    return BERTH_OK;
  }
  spec.from_offset = 0;
  if (input->count > 0) {
    berth_move_steps(berth_case_input_dims(op, 0), spec.from_steps);
    for (int32_t i = 0; i < input->rank; ++i) {
      spec.from_offset += begins[i] * spec.from_steps[i];
    }
  }
  return berth_slice_add(op, moves, &spec, err);
}

// ---- Reverse, ReverseV2 ----

// The first version has a truth for each dimension.
static berth_code_t read_flags(const berth_case_t *op, bool *reversed,
                               berth_error_t *err) {
  const berth_case_input_t *flags = &op->inputs[1];
  int32_t rank = op->inputs[0].rank;
  if (flags->rank != 1) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "'dims' must be 1-dimension, not %d",
                           (int)flags->rank);
  }
  if (flags->count != rank) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "'dims' must have the same number of values as "
                           "'input' has dimensions. 'input' has %d'dims' has "
                           "%lld values",
                           (int)rank, (long long)flags->count);
  }
  const bool *values = flags->value;
  for (int32_t i = 0; i < rank; ++i) reversed[i] = values[i];
  return BERTH_OK;
}

static berth_code_t read_reversed(const berth_case_t *op, bool *reversed,
                                  berth_error_t *err) {
  const berth_case_input_t *axes = &op->inputs[1];
  int32_t rank = op->inputs[0].rank;
  if (axes->dtype == BERTH_BOOL) return read_flags(op, reversed, err);
  if (axes->rank != 1) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "'dims' must be 1-dimension, not %d",
                           (int)axes->rank);
  }
  for (int64_t i = 0; i < axes->count; ++i) {
    int64_t given = berth_value_int(axes, i);
    int64_t axis = given < 0 ? given + rank : given;
    if (axis < 0 || axis >= rank) {
      return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                             "'axis'[%lld] = %lld is out of valid range [0, "
                             "%d",
                             (long long)i, (long long)given, (int)rank - 1);
    }
    if (reversed[axis]) {
      return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                             "axis %lld specified more than once.",
                             (long long)axis);
    }
    reversed[axis] = true;
  }
  return BERTH_OK;
}

berth_code_t berth_op_reverse(berth_case_t *op, berth_moves_t *moves,
                              berth_error_t *err) {
  const berth_case_input_t *input = &op->inputs[0];
  berth_moves_init(moves, input->dtype);
  berth_case_output(op, 0, berth_case_input_dims(op, 0));
  if (input->rank == 0 || input->count == 0) {  // Whatever the axes are.
    op->alias = 0;
    return BERTH_OK;
  }
  bool reversed[BERTH_MAX_RANK] = {false};
  BERTH_TRY(read_reversed(op, reversed, err));
  berth_move_spec_t spec;
  spec.rank = input->rank;
  spec.from_offset = 0;
  berth_move_steps(berth_case_input_dims(op, 0), spec.from_steps);
  for (int32_t i = 0; i < input->rank; ++i) {
    spec.dims[i] = input->dims[i];
    if (!reversed[i]) continue;
    spec.from_offset += (input->dims[i] - 1) * spec.from_steps[i];
    spec.from_steps[i] = -spec.from_steps[i];
  }
  return berth_slice_add(op, moves, &spec, err);
}

// ---- Shapes of a graph ----

// Stores the size of one dimension: as asked, or for -1 all that is left.
static berth_code_t slice_size(int64_t whole, int64_t begin, int64_t size,
                               int64_t *out_size, berth_error_t *err) {
  *out_size = size;
  if (size >= 0) return BERTH_OK;
  *out_size = -1;
  if (whole < 0 || begin < 0) return BERTH_OK;
  if (begin > whole) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Negative dimension size caused by subtracting "
                           "%lld from %lld",
                           (long long)begin, (long long)whole);
  }
  *out_size = whole - begin;
  return BERTH_OK;
}

BERTH_INFER(slice) {
  berth_dims_t in = berth_shape_in(c, 0), form, begin, sizes, out;
  for (int i = 1; i < 3; ++i) {
    BERTH_TRY(berth_shape_with_rank(c, berth_shape_in(c, i), 1, NULL, err));
  }
  BERTH_TRY(berth_shape_merge(c, berth_shape_in(c, 1), berth_shape_in(c, 2),
                              &form, err));
  int64_t count = berth_shape_dim(form, 0);
  if (count >= 0 && count <= BERTH_MAX_RANK) {
    BERTH_TRY(berth_shape_with_rank(c, in, (int32_t)count, &in, err));
  }
  BERTH_TRY(berth_shape_from_value(c, 1, &begin, err));
  BERTH_TRY(berth_shape_from_value(c, 2, &sizes, err));
  if (in.rank < 0) return BERTH_OK;
  BERTH_TRY(berth_shape_unknown(c, in.rank, &out, err));
  c->outputs[0] = out;
  // A size of -1 is only known to be meant when the sizes are constant.
  bool is_constant = berth_value_of(c->graph, c->node->inputs[2]) != NULL;
  for (int32_t i = 0; i < in.rank && sizes.rank == in.rank; ++i) {
    int64_t from = is_constant && begin.rank >= 0 ? begin.dims[i] : -1;
    BERTH_TRY(slice_size(in.dims[i], from, sizes.dims[i],
                         &((int64_t *)(uintptr_t)out.dims)[i], err));
  }
  return BERTH_OK;
}
