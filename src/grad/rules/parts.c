// parts.c - Ops that take values apart and put them together.
#include "grad/rules/words.inc"
#include "grad/sizes.h"

static value_t *values_alloc(berth_grad_t *g, int count) {
  value_t *values =
      berth_arena_calloc(g->arena, (size_t)count + 1, sizeof(*values));
  if (values == NULL) {
    berth_grad_fail(g, BERTH_RESOURCE_EXHAUSTED, "no memory for slopes");
  }
  return values;
}

// Returns the slopes by all outputs; NULL when there is no memory.
static value_t *all_slopes(berth_grad_t *g) {
  int count = g->node->output_count;
  value_t *slopes = values_alloc(g, count);
  for (int i = 0; slopes != NULL && i < count; ++i) slopes[i] = dy(g, i);
  return slopes;
}

// ---- Stacks ----

BERTH_GRAD(pack) {
  int count = g->node->input_count;
  value_t d = dy(g, 0);
  berth_grad_begin(g, "Unpack", "unstack");
  berth_op_attr_int(g->op, "num", count);
  berth_grad_copy(g, "axis");
  value_t first = MAKE(g, d);
  for (int i = 0; i < count; ++i) give(g, i, berth_out_at(first, i));
}

BERTH_GRAD(unpack) {
  int count = g->node->output_count;
  value_t *slopes = all_slopes(g);
  if (slopes == NULL) return;
  berth_grad_begin(g, "Pack", "stack");
  berth_grad_copy(g, "axis");
  give(g, 0, berth_grad_make_lists(g, slopes, &count, 1));
}

// ---- Split ----

static value_t joined(berth_grad_t *g, value_t axis) {
  int count = g->node->output_count;
  value_t *slopes = all_slopes(g);
  if (slopes == NULL) return NONE;
  if (count == 1) {
    berth_grad_push(g, "concat");
    value_t same = OP(g, "Identity", BERTH_SCOPE_NAME, slopes[0]);
    berth_grad_pop(g);
    return same;
  }
  slopes[count] = axis;
  berth_grad_begin(g, "ConcatV2", "concat");
  return berth_grad_make_lists(g, slopes, (int[]){count, -1}, 2);
}

BERTH_GRAD(split) { give(g, 1, joined(g, in(g, 0))); }
BERTH_GRAD(split_v) { give(g, 0, joined(g, in(g, 2))); }

// ---- Put together ----

// The inputs of a concatenation: |count| values from |first| on, and an axis.
typedef struct joint {
  int first, count, axis;
} joint_t;

// Splits at known places: a slope where everything is known.
static bool split_known(berth_grad_t *g, const joint_t *j, value_t d) {
  int64_t axis = 0;
  int rank = berth_grad_rank(g, in(g, j->first));
  if (!g->to->is_eager || rank < 1 ||
      berth_grad_numbers(g, in(g, j->axis), &axis, 1) != 1) {
    return false;
  }
  if (axis < 0) axis += rank;
  int64_t *sizes =
      berth_arena_calloc(g->arena, (size_t)j->count, sizeof(*sizes));
  if (sizes == NULL) return false;
  for (int i = 0; i < j->count; ++i) {
    sizes[i] = berth_grad_shape(g, in(g, j->first + i)).dims[axis];
  }
  value_t by = berth_grad_ints(g, NULL, BERTH_INT32, sizes, j->count);
  value_t at = berth_grad_int(g, NULL, BERTH_INT32, axis);
  berth_grad_begin(g, "SplitV", "split");
  berth_op_attr_int(g->op, "num_split", j->count);
  value_t parts = MAKE(g, d, by, at);
  for (int i = 0; i < j->count; ++i) {
    give(g, j->first + i, berth_out_at(parts, i));
  }
  return true;
}

static bool is_known(const berth_grad_t *g, value_t value) {
  berth_dims_t dims = berth_grad_shape(g, value);
  for (int i = 0; i < dims.rank; ++i) {
    if (dims.dims[i] < 0) return false;
  }
  return dims.rank >= 0;
}

// Stores the shapes of all values: constants, if all of them are.
static void shapes_store(berth_grad_t *g, const joint_t *j, value_t *shapes) {
  bool are_known = true;
  for (int i = 0; i < j->count && are_known; ++i) {
    are_known = is_known(g, in(g, j->first + i));
    shapes[i] = berth_emit_shape(g, in(g, j->first + i));
  }
  if (are_known) return;
  value_t *inputs = values_alloc(g, j->count);
  if (inputs == NULL) return;
  for (int i = 0; i < j->count; ++i) inputs[i] = in(g, j->first + i);
  berth_grad_begin(g, "ShapeN", NULL);
  value_t made = berth_grad_make_lists(g, inputs, &j->count, 1);
  for (int i = 0; i < j->count; ++i) shapes[i] = berth_out_at(made, i);
}

// Splits by sizes that a run finds: for many values.
static void split_many(berth_grad_t *g, const joint_t *j, value_t d,
                       value_t axis, const value_t *shapes) {
  berth_grad_begin(g, "Pack", "stack");
  berth_op_attr_int(g->op, "axis", 1);
  value_t all = berth_grad_make_lists(g, shapes, &j->count, 1);
  berth_grad_push(g, "Slice");
  value_t begin = berth_emit_stack(
      g, "begin", BERTH_INT32,
      (berth_extent_t[]){BERTH_EXTENT(axis), BERTH_EXTENT_NUMBERS(0)}, 2);
  value_t size = berth_grad_ints(g, "size", BERTH_INT32, (int64_t[]){1, -1}, 2);
  all = OP(g, "Slice", BERTH_SCOPE_NAME, all, begin, size);
  berth_grad_pop(g);
  all = OP(g, "Squeeze", NULL, all);
  berth_grad_begin(g, "SplitV", "split");
  berth_op_attr_int(g->op, "num_split", j->count);
  value_t parts = MAKE(g, d, all, axis);
  for (int i = 0; i < j->count; ++i) {
    give(g, j->first + i, berth_out_at(parts, i));
  }
}

static value_t positive_axis(berth_grad_t *g, const joint_t *j) {
  value_t rank = berth_emit_rank(g, in(g, j->first));
  return berth_emit_modulo(g, in(g, j->axis), rank);
}

static void split_values(berth_grad_t *g, const joint_t *j) {
  enum { FEW = 16 };  // TensorFlow's: more are split by one op.
  value_t d = dy(g, 0);
  if (split_known(g, j, d)) return;
  value_t axis = positive_axis(g, j);
  value_t *shapes = values_alloc(g, j->count + 1);
  if (shapes == NULL) return;
  shapes_store(g, j, shapes + 1);
  if (j->count > FEW) {
    split_many(g, j, d, axis, shapes + 1);
    return;
  }
  shapes[0] = axis;
  berth_grad_begin(g, "ConcatOffset", NULL);
  value_t offsets = berth_grad_make_lists(g, shapes, (int[]){-1, j->count}, 2);
  for (int i = 0; i < j->count; ++i) {
    give(g, j->first + i,
         OP(g, "Slice", NULL, d, berth_out_at(offsets, i), shapes[i + 1]));
  }
}

// Gives each value the rows that are its own; they were put together along the
// first axis.
static void split_rows(berth_grad_t *g, const joint_t *j, value_t axis,
                       const value_t *shapes) {
  berth_slope_t slope = g->slopes[0];
  berth_dtype_t type = berth_grad_dtype(g, slope.indices);
  value_t start = berth_grad_int(g, "Const", type, 0);
  for (int i = 0; i < j->count; ++i) {
    value_t rows = berth_emit_gather(g, shapes[i], axis);
    rows = berth_emit_cast(g, rows, type);
    value_t end = OP(g, "AddV2", "add", start, rows);
    value_t above = OP(g, "GreaterEqual", NULL, slope.indices, start);
    value_t below = OP(g, "Less", NULL, slope.indices, end);
    value_t own = OP(g, "LogicalAnd", NULL, above, below);
    own = OP(g, "Where", NULL, own);
    berth_grad_begin(g, "Squeeze", NULL);
    berth_op_attr_ints(g->op, "squeeze_dims", (int64_t[]){1}, 1);
    own = MAKE(g, own);
    value_t where = berth_emit_gather(g, slope.indices, own);
    where = sub(g, where, start);
    value_t values = berth_emit_gather(g, slope.values, own);
    berth_grad_give_rows(g, j->first + i, values, where, shapes[i]);
    start = end;
  }
}

static value_t zeros_vector(berth_grad_t *g, value_t sizes) {
  berth_grad_push(g, "zeros");
  value_t zero = berth_grad_int(g, "Const", BERTH_INT32, 0);
  value_t made = OP(g, "Fill", BERTH_SCOPE_NAME, sizes, zero);
  berth_grad_pop(g);
  return made;
}

// Gives each value its columns of all rows.
static void split_columns(berth_grad_t *g, const joint_t *j, value_t axis,
                          const value_t *shapes) {
  berth_slope_t slope = g->slopes[0];
  value_t rank = berth_emit_shape(g, shapes[0]);
  value_t before = berth_emit_expand(g, axis, 0);
  before = zeros_vector(g, before);
  value_t after = berth_emit_minus(g, rank, axis);
  after = zeros_vector(g, berth_emit_minus_number(g, after, 1));
  value_t mask = berth_emit_join(
      g,
      (berth_extent_t[]){BERTH_EXTENT(before), BERTH_EXTENT_NUMBERS(1),
                         BERTH_EXTENT(after)},
      3);
  value_t begin = zeros_vector(g, rank);
  for (int i = 0; i < j->count; ++i) {
    berth_grad_push(g, "Slice");
    value_t one = berth_grad_ints(g, "begin", BERTH_INT32, (int64_t[]){1}, 1);
    value_t all = berth_grad_ints(g, "size", BERTH_INT32, (int64_t[]){-1}, 1);
    value_t rest = OP(g, "Slice", BERTH_SCOPE_NAME, shapes[i], one, all);
    berth_grad_pop(g);
    value_t sizes = berth_emit_join(
        g, (berth_extent_t[]){BERTH_EXTENT_NUMBERS(-1), BERTH_EXTENT(rest)}, 2);
    value_t values = OP(g, "Slice", NULL, slope.values, begin, sizes);
    berth_grad_give_rows(g, j->first + i, values, slope.indices, shapes[i]);
    begin = OP(g, "AddV2", "Add", begin, berth_emit_times(g, shapes[i], mask));
  }
}

// Splits rows of a slope; where they are put together must be known.
static void split_slope_rows(berth_grad_t *g, const joint_t *j) {
  int64_t at = 0;
  value_t axis = positive_axis(g, j);
  if (berth_grad_numbers(g, in(g, j->axis), &at, 1) != 1) {
    berth_grad_fail(g, BERTH_INVALID_ARGUMENT,
                    "Can only compute IndexedSlices gradient with "
                    "statically-known concat_dim");
    return;
  }
  int rank = berth_grad_rank(g, in(g, j->first));
  if (at < 0 && rank < 0) {
    berth_grad_fail(g, BERTH_INVALID_ARGUMENT,
                    "Can only compute IndexedSlices gradient with negative "
                    "concat_dim when first value rank is statically-known.");
    return;
  }
  value_t *shapes = values_alloc(g, j->count);
  if (shapes == NULL) return;
  for (int i = 0; i < j->count; ++i) {
    shapes[i] = berth_emit_shape(g, in(g, j->first + i));
  }
  if (at < 0) at += rank;
  if (at > 0) {
    split_columns(g, j, axis, shapes);
  } else {
    split_rows(g, j, axis, shapes);
  }
}

static void concat(berth_grad_t *g, joint_t j) {
  if (j.count == 1) {
    g->given[j.first] = g->slopes[0];
  } else if (berth_out_is(g->slopes[0].indices)) {
    split_slope_rows(g, &j);
  } else {
    split_values(g, &j);
  }
}

BERTH_GRAD(concat) { concat(g, (joint_t){1, g->node->input_count - 1, 0}); }

BERTH_GRAD(concat_v2) {
  int count = g->node->input_count - 1;
  concat(g, (joint_t){0, count, count});
}

// ---- Slices ----

BERTH_GRAD(slice) {
  value_t x = in(g, 0), begin = in(g, 1), d = dy(g, 0);
  value_t rank = berth_emit_rank(g, x);
  berth_dtype_t type = berth_grad_dtype(g, begin);
  value_t taken = berth_emit_shape_as(g, out(g, 0), type);
  value_t column = berth_emit_stack(
      g, "stack", BERTH_INT32,
      (berth_extent_t[]){BERTH_EXTENT(rank), BERTH_EXTENT_NUMBERS(1)}, 2);
  value_t before = reshape(g, begin, column);
  value_t after = berth_emit_shape_as(g, x, type);
  after = berth_emit_minus(g, after, taken);
  after = berth_emit_minus(g, after, begin);
  after = reshape(g, after, column);
  berth_grad_push(g, "concat");
  value_t axis = berth_grad_int(g, "axis", BERTH_INT32, 1);
  berth_grad_begin(g, "ConcatV2", BERTH_SCOPE_NAME);
  value_t pads = berth_grad_make_lists(g, (value_t[]){before, after, axis},
                                       (int[]){2, -1}, 2);
  berth_grad_pop(g);
  give(g, 0, OP(g, "Pad", NULL, d, pads));
}

static void copy_masks(berth_grad_t *g) {
  static const char *const masks[] = {"begin_mask", "end_mask", "ellipsis_mask",
                                      "new_axis_mask", "shrink_axis_mask"};
  for (int i = 0; i < 5; ++i) berth_grad_copy(g, masks[i]);
}

// Returns what is known of |value| as a constant of the rule's own.
static value_t own(berth_grad_t *g, const char *name, value_t value) {
  int64_t numbers[256];
  int count = g->to->is_eager ? -1 : berth_grad_numbers(g, value, numbers, 256);
  if (count < 0) return value;
  return berth_grad_ints(g, name, berth_grad_dtype(g, value), numbers, count);
}

BERTH_GRAD(strided_slice) {
  value_t begin = in(g, 1), d = dy(g, 0);
  value_t sizes = berth_emit_shape_as(g, in(g, 0), berth_grad_dtype(g, begin));
  berth_grad_push(g, "StridedSliceGrad");
  sizes = own(g, "shape", sizes);
  begin = own(g, "begin", begin);
  value_t end = own(g, "end", in(g, 2));
  value_t strides = own(g, "strides", in(g, 3));
  berth_grad_begin(g, "StridedSliceGrad", BERTH_SCOPE_NAME);
  copy_masks(g);
  give(g, 0, MAKE(g, sizes, begin, end, strides, d));
  berth_grad_pop(g);
}

BERTH_GRAD(strided_slice_grad) {
  value_t d = dy(g, 0);
  berth_grad_begin(g, "StridedSlice", NULL);
  copy_masks(g);
  give(g, 4, MAKE(g, d, in(g, 1), in(g, 2), in(g, 3)));
}

BERTH_GRAD(strided_slice_update) {
  value_t d = dy(g, 0);
  berth_grad_begin(g, "StridedSlice", NULL);
  copy_masks(g);
  value_t part = MAKE(g, d, in(g, 1), in(g, 2), in(g, 3));
  value_t none = zeros_like(g, part);
  berth_grad_begin(g, "TensorStridedSliceUpdate", NULL);
  copy_masks(g);
  give(g, 0, MAKE(g, d, in(g, 1), in(g, 2), in(g, 3), none));
  berth_dtype_t type = berth_grad_dtype(g, in(g, 1));
  value_t wide = berth_emit_shape_as(g, part, type);
  value_t sizes = berth_emit_shape_as(g, in(g, 4), type);
  value_t axes = OP(g, "BroadcastGradientArgs", NULL, wide, sizes);
  part = berth_emit_sum(g, part, berth_out_at(axes, 1), true);
  give(g, 4, reshape(g, part, sizes));
}
