// slice.c - The ops Slice, StridedSlice and ReverseV2.
//
// All are one move with an offset and steps in the source. A strided slice is
// described twice: as given (|sparse|: an ellipsis, new axes, masks of bits)
// and as one entry per dimension of the input (|dense|), from which the move
// and the shape of the result follow.
#include "op/array.h"
#include "op/value.h"

// Describes a slice: |spec| has the steps of the source in units of
// whole indices and its dims are the sizes; fills in the rest.
static berth_code_t finish(berth_op_t *op, berth_moves_t *moves,
                           berth_move_spec_t *spec, berth_error_t *err) {
  berth_dims_t sizes = {spec->rank, spec->dims};
  if (berth_dims_count(berth_shape_dims(&op->outputs[0])) == 0) {
    return BERTH_OK;
  }
  spec->to_offset = 0;
  berth_move_steps(sizes, spec->to_steps);
  return berth_moves_add(op, moves, spec, 0, op->input_count, err);
}

// ---- Slice ----

static berth_code_t check_slice(const berth_op_t *op, berth_error_t *err) {
  const berth_op_input_t *begin = &op->inputs[1];
  const berth_op_input_t *size = &op->inputs[2];
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

berth_code_t berth_op_slice(berth_op_t *op, berth_moves_t *moves,
                            berth_error_t *err) {
  berth_moves_init(moves, op->inputs[0].dtype);
  BERTH_TRY(check_slice(op, err));
  const berth_op_input_t *input = &op->inputs[0];
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
  berth_op_output(op, 0, (berth_dims_t){spec.rank, spec.dims});
  if (is_whole) {
    op->alias = 0;
    return BERTH_OK;
  }
  spec.from_offset = 0;
  if (input->count > 0) {
    berth_move_steps(berth_op_input_dims(op, 0), spec.from_steps);
    for (int32_t i = 0; i < input->rank; ++i) {
      spec.from_offset += begins[i] * spec.from_steps[i];
    }
  }
  return finish(op, moves, &spec, err);
}

// ---- StridedSlice ----

// The masks of a strided slice, as given; bit i is for entry i of begin.
typedef struct masks {
  int64_t begin, end, ellipsis, new_axis, shrink_axis;
} masks_t;

// One dimension of the input.
typedef struct dense_dim {
  int64_t begin, end, stride;
  bool begin_masked, end_masked;
  bool shrinks;
} dense_dim_t;

// What becomes of the result's dimensions, in order: a dimension of the input,
// or NEW_AXIS.
enum { NEW_AXIS = -1 };

typedef struct dense {
  dense_dim_t dims[BERTH_MAX_RANK];
  int32_t rank;    // Of the input.
  int32_t filled;  // Entries of |dims| so far.
  int32_t result[BERTH_MAX_RANK + 32];
  int32_t result_rank;
} dense_t;

static berth_code_t check_strided(const berth_op_t *op, const masks_t *masks,
                                  berth_error_t *err) {
  const berth_op_input_t *begin = &op->inputs[1];
  const berth_op_input_t *end = &op->inputs[2];
  const berth_op_input_t *strides = &op->inputs[3];
  // Masks have 32 bits, one of which is kept for the ellipsis at the end.
  if (begin->rank != 1 || end->rank != 1 || strides->rank != 1 ||
      begin->count != end->count || begin->count != strides->count ||
      begin->count >= 32) {
    char texts[3][BERTH_DIMS_TEXT];
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Expected begin, end, and strides to be 1D equal "
                           "size tensors, but got shapes %s, %s, and %s "
                           "instead.",
                           berth_input_text(begin, texts[0]),
                           berth_input_text(end, texts[1]),
                           berth_input_text(strides, texts[2]));
  }
  uint64_t ellipsis = (uint64_t)masks->ellipsis;
  if ((ellipsis & (ellipsis - 1)) != 0) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Multiple ellipses in slice spec not allowed");
  }
  return BERTH_OK;
}

// Takes whole dimensions up to |next|: what an ellipsis stands for.
static void dense_add_whole(dense_t *dense, int32_t next) {
  for (; dense->filled < next; ++dense->filled) {
    dense->dims[dense->filled] = (dense_dim_t){0, 0, 1, true, true, false};
    dense->result[dense->result_rank++] = dense->filled;
  }
}

// Takes entry |i| as given for the next dimension.
static berth_code_t dense_add_given(dense_t *dense, const berth_op_t *op,
                                    const masks_t *masks, int i,
                                    berth_error_t *err) {
  if (dense->filled == dense->rank) {
    if (dense->rank == 0) {
      return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                             "Attempting to slice scalar input.");
    }
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Index out of range using input dim %d; input has "
                           "only %d dims",
                           (int)dense->filled, (int)dense->rank);
  }
  bool shrinks = (masks->shrink_axis >> i & 1) != 0;
  if (!shrinks) dense->result[dense->result_rank++] = dense->filled;
  dense->dims[dense->filled++] = (dense_dim_t){
      berth_value_int(&op->inputs[1], i), berth_value_int(&op->inputs[2], i),
      berth_value_int(&op->inputs[3], i), (masks->begin >> i & 1) != 0,
      (masks->end >> i & 1) != 0,         shrinks};
  return BERTH_OK;
}

// Turns the entries as given into one per dimension of the input.
static berth_code_t dense_build(dense_t *dense, const berth_op_t *op,
                                const masks_t *masks, berth_error_t *err) {
  int given = (int)op->inputs[1].count;
  int64_t below = ((int64_t)1 << given) - 1;
  int64_t ellipsis = masks->ellipsis & below;
  // New axes after the ellipsis take no dimension of the input.
  int after = 0;
  for (int i = 0; i < given; ++i) {
    if (ellipsis != 0 && ellipsis < ((int64_t)1 << i)) {
      after += (int)(masks->new_axis >> i & 1);
    }
  }
  for (int i = 0; i < given; ++i) {
    if ((ellipsis >> i & 1) != 0) {
      int32_t next = dense->rank - (given - i) + 1 + after;
      dense_add_whole(dense, next < dense->rank ? next : dense->rank);
    } else if ((masks->new_axis >> i & 1) != 0) {
      dense->result[dense->result_rank++] = NEW_AXIS;
    } else {
      BERTH_TRY(dense_add_given(dense, op, masks, i, err));
    }
  }
  dense_add_whole(dense, dense->rank);
  return BERTH_OK;
}

// Brings |x| into the range of positions that a stride may begin or end at.
static int64_t clamp_position(int64_t x, int64_t low, int64_t high,
                              int64_t dim) {
  if (x < 0) x += dim;  // Cannot overflow: the signs differ.
  return x < low ? low : x > high ? high : x;
}

// Settles dimension |i|: where it begins and how many indices it takes.
static berth_code_t resolve_dim(dense_dim_t *at, int32_t i, int64_t dim,
                                int64_t *out_size, berth_error_t *err) {
  if (at->stride == 0) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "strides[%d] must be non-zero", (int)i);
  }
  bool forward = at->stride > 0;
  if (at->shrinks) {
    if (!forward) {
      return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                             "only stride 1 allowed on non-range indexing.");
    }
    if (at->begin < 0) at->begin += dim;
    if (at->begin < 0 || at->begin >= dim) {
      return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                             "slice index %lld of dimension %d out of bounds.",
                             (long long)at->begin, (int)i);
    }
    *out_size = 1;
    return BERTH_OK;
  }
  int64_t low = forward ? 0 : -1, high = forward ? dim : dim - 1;
  int64_t begin = forward ? low : high, end = forward ? high : low;
  if (!at->begin_masked) begin = clamp_position(at->begin, low, high, dim);
  if (!at->end_masked) end = clamp_position(at->end, low, high, dim);
  int64_t length = end - begin;
  at->begin = begin;
  if (length == 0 || (length < 0) == forward) {
    *out_size = 0;
  } else {
    *out_size = length / at->stride + (length % at->stride != 0);
  }
  return BERTH_OK;
}

// Fills in the output's shape from the sizes of the input's dimensions.
static berth_code_t strided_shape(berth_op_t *op, const dense_t *dense,
                                  const int64_t *sizes, berth_error_t *err) {
  berth_shape_t *shape = &op->outputs[0];
  int64_t count = 1;
  shape->rank = 0;
  for (int32_t i = 0; i < dense->result_rank; ++i) {
    int32_t from = dense->result[i];
    BERTH_TRY(berth_shape_push(shape, &count, from < 0 ? 1 : sizes[from], err));
  }
  return BERTH_OK;
}

static masks_t read_masks(const berth_node_t *node) {
  return (masks_t){berth_node_attr_int(node, "begin_mask", 0),
                   berth_node_attr_int(node, "end_mask", 0),
                   berth_node_attr_int(node, "ellipsis_mask", 0),
                   berth_node_attr_int(node, "new_axis_mask", 0),
                   berth_node_attr_int(node, "shrink_axis_mask", 0)};
}

// Fills in where |spec|, whose sizes are known and not zero, reads.
static void strided_source(const berth_op_t *op, const dense_t *dense,
                           berth_move_spec_t *spec) {
  berth_move_steps(berth_op_input_dims(op, 0), spec->from_steps);
  for (int32_t i = 0; i < dense->rank; ++i) {
    spec->from_offset += dense->dims[i].begin * spec->from_steps[i];
    // A single index makes no step, and its stride may be huge.
    if (spec->dims[i] > 1) spec->from_steps[i] *= dense->dims[i].stride;
  }
}

berth_code_t berth_op_strided_slice(berth_op_t *op, berth_moves_t *moves,
                                    berth_error_t *err) {
  const berth_op_input_t *input = &op->inputs[0];
  berth_moves_init(moves, input->dtype);
  masks_t masks = read_masks(op->node);
  BERTH_TRY(check_strided(op, &masks, err));
  dense_t dense;
  dense.rank = input->rank;
  dense.filled = dense.result_rank = 0;
  BERTH_TRY(dense_build(&dense, op, &masks, err));
  berth_move_spec_t spec;
  spec.rank = input->rank;
  spec.from_offset = 0;
  bool is_whole = true;
  for (int32_t i = 0; i < input->rank; ++i) {
    BERTH_TRY(
        resolve_dim(&dense.dims[i], i, input->dims[i], &spec.dims[i], err));
    is_whole = is_whole && spec.dims[i] == input->dims[i] &&
               (dense.dims[i].stride > 0 || spec.dims[i] <= 1);
  }
  BERTH_TRY(strided_shape(op, &dense, spec.dims, err));
  if (is_whole) {
    op->alias = 0;
    return BERTH_OK;
  }
  if (berth_dims_count(berth_shape_dims(&op->outputs[0])) > 0) {
    strided_source(op, &dense, &spec);
  }
  return finish(op, moves, &spec, err);
}

// ---- ReverseV2 ----

static berth_code_t read_reversed(const berth_op_t *op, bool *reversed,
                                  berth_error_t *err) {
  const berth_op_input_t *axes = &op->inputs[1];
  int32_t rank = op->inputs[0].rank;
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

berth_code_t berth_op_reverse(berth_op_t *op, berth_moves_t *moves,
                              berth_error_t *err) {
  const berth_op_input_t *input = &op->inputs[0];
  berth_moves_init(moves, input->dtype);
  bool reversed[BERTH_MAX_RANK] = {false};
  BERTH_TRY(read_reversed(op, reversed, err));
  berth_op_output(op, 0, berth_op_input_dims(op, 0));
  if (input->count == 0) return BERTH_OK;
  berth_move_spec_t spec;
  spec.rank = input->rank;
  spec.from_offset = 0;
  berth_move_steps(berth_op_input_dims(op, 0), spec.from_steps);
  for (int32_t i = 0; i < input->rank; ++i) {
    spec.dims[i] = input->dims[i];
    if (!reversed[i]) continue;
    spec.from_offset += (input->dims[i] - 1) * spec.from_steps[i];
    spec.from_steps[i] = -spec.from_steps[i];
  }
  return finish(op, moves, &spec, err);
}
