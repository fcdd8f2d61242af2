// shape.c - Ops that give elements another shape or place.
#include "grad/rules/words.inc"
#include "grad/sizes.h"

static value_t shape_of_input(berth_grad_t *g) {
  return berth_emit_shape(g, in(g, 0));
}

BERTH_GRAD(reshape_back) {
  value_t d = dy(g, 0);
  give(g, 0, reshape(g, d, shape_of_input(g)));
}

// One size that is not known need not be computed.
static bool fits_one_unknown(berth_dims_t dims) {
  int unknown = 0;
  for (int i = 0; i < dims.rank; ++i) {
    unknown += dims.dims[i] < 0;
    if (dims.dims[i] == 0) return false;
  }
  return dims.rank >= 0 && unknown == 1;
}

BERTH_GRAD(reshape) {
  berth_dims_t dims = berth_grad_shape(g, in(g, 0));
  value_t d = dy(g, 0);
  if (fits_one_unknown(dims)) {
    give(g, 0, berth_emit_reshape(g, d, dims.dims, dims.rank));
  } else {
    give(g, 0, reshape(g, d, shape_of_input(g)));
  }
}

BERTH_GRAD(transpose) {
  value_t d = dy(g, 0);
  value_t back = OP(g, "InvertPermutation", NULL, in(g, 1));
  give(g, 0, OP(g, "Transpose", "transpose", d, back));
}

BERTH_GRAD(conjugate_transpose) {
  value_t d = dy(g, 0);
  value_t back = OP(g, "InvertPermutation", NULL, in(g, 1));
  const char *op = is_complex(g, d) ? "ConjugateTranspose" : "Transpose";
  give(g, 0, OP(g, op, "transpose", d, back));
}

// ---- Repeated ----

// Returns the shape in which every second axis counts repetitions.
static value_t split_shape(berth_grad_t *g, value_t times, value_t sizes) {
  int count = 2;
  berth_grad_begin(g, "Pack", "stack");
  value_t both = berth_grad_make_lists(g, (value_t[]){times, sizes}, &count, 1);
  both = berth_emit_transpose(g, both, (int64_t[]){1, 0}, 2);
  int64_t flat = -1;
  return berth_emit_reshape(g, both, &flat, 1);
}

// Sums rows of one repetition, which are named by their number among all.
static value_t sum_rows(berth_grad_t *g, value_t sizes, value_t *shape) {
  berth_slope_t slope = g->slopes[0];
  value_t rows = berth_emit_item(g, sizes, 0);
  rows = berth_emit_cast(g, rows, berth_grad_dtype(g, slope.indices));
  value_t where = OP(g, "FloorMod", "mod", slope.indices, rows);
  value_t sum = OP(g, "UnsortedSegmentSum", NULL, slope.values, where, rows);
  value_t rest = berth_emit_part(g, *shape, 1, BERTH_TO_END);
  *shape = berth_emit_join(
      g, (berth_extent_t[]){BERTH_EXTENT_NUMBERS(1), BERTH_EXTENT(rest)}, 2);
  return sum;
}

BERTH_GRAD(tile) {
  berth_dtype_t type = berth_grad_dtype(g, in(g, 1));
  value_t sizes = berth_emit_shape_as(g, in(g, 0), type);
  value_t shape = split_shape(g, in(g, 1), sizes);
  value_t size = berth_emit_size(g, shape);
  value_t axes = berth_emit_range(g, BERTH_INT32, BERTH_EXTENT_NUMBERS(0),
                                  BERTH_EXTENT(size), BERTH_EXTENT_NUMBERS(2));
  bool is_rows = berth_out_is(g->slopes[0].indices);
  value_t d = is_rows ? sum_rows(g, sizes, &shape) : dy(g, 0);
  d = reshape(g, d, shape);
  give(g, 0, berth_emit_sum(g, d, axes, false));
}

BERTH_GRAD(broadcast_to) {
  value_t d = dy(g, 0), wide = in(g, 1);
  berth_dtype_t type = berth_grad_dtype(g, wide);
  value_t sizes = berth_emit_shape_as(g, in(g, 0), type);
  int64_t numbers[256];
  int count = berth_grad_numbers(g, wide, numbers, 256);
  if (count >= 0) wide = berth_grad_ints(g, "Const", type, numbers, count);
  value_t axes = OP(g, "BroadcastGradientArgs", NULL, wide, sizes);
  d = berth_emit_sum(g, d, berth_out_at(axes, 1), true);
  give(g, 0, reshape(g, d, sizes));
}

BERTH_GRAD(fill) {
  value_t d = dy(g, 0);
  int rank = berth_grad_rank(g, d);
  value_t axes;
  if (rank >= 0) {
    int64_t all[256];
    for (int i = 0; i < rank && i < 256; ++i) all[i] = i;
    axes = berth_grad_ints(g, "Const", BERTH_INT32, all, rank);
  } else {
    value_t to = berth_emit_rank(g, d);
    axes = berth_emit_range(g, BERTH_INT32, BERTH_EXTENT_NUMBERS(0),
                            BERTH_EXTENT(to), BERTH_EXTENT_NUMBERS(1));
  }
  give(g, 1, berth_emit_sum(g, d, axes, false));
}

// ---- Padded ----

BERTH_GRAD(pad) {
  value_t x = in(g, 0), pads = in(g, 1), d = dy(g, 0);
  value_t rank = berth_emit_rank(g, x);
  value_t sizes = berth_emit_stack(
      g, "stack", BERTH_INT32,
      (berth_extent_t[]){BERTH_EXTENT(rank), BERTH_EXTENT_NUMBERS(1)}, 2);
  berth_grad_push(g, "Slice");
  value_t zero = berth_grad_ints(g, "begin", BERTH_INT32, (int64_t[]){0, 0}, 2);
  value_t before = OP(g, "Slice", BERTH_SCOPE_NAME, pads, zero, sizes);
  berth_grad_pop(g);
  int64_t flat = -1;
  before = berth_emit_reshape(g, before, &flat, 1);
  value_t inner = berth_emit_shape_as(g, x, berth_grad_dtype(g, before));
  give(g, 0, OP(g, "Slice", NULL, d, before, inner));
}

static void mirror(berth_grad_t *g, const char *op) {
  value_t d = dy(g, 0);
  berth_grad_begin(g, op, NULL);
  berth_grad_copy(g, "mode");
  give(g, 0, MAKE(g, d, in(g, 1)));
}

BERTH_GRAD(mirror_pad) { mirror(g, "MirrorPadGrad"); }
BERTH_GRAD(mirror_pad_grad) { mirror(g, "MirrorPad"); }

// ---- Turned ----

BERTH_GRAD(reverse) {
  value_t d = dy(g, 0);
  give(g, 0, OP(g, "Reverse", NULL, d, in(g, 1)));
}

BERTH_GRAD(reverse_v2) {
  value_t d = dy(g, 0);
  give(g, 0, OP(g, "ReverseV2", NULL, d, in(g, 1)));
}

BERTH_GRAD(reverse_sequence) {
  value_t d = dy(g, 0);
  berth_grad_begin(g, "ReverseSequence", NULL);
  berth_grad_copy(g, "seq_dim");
  berth_grad_copy(g, "batch_dim");
  give(g, 0, MAKE(g, d, in(g, 1)));
}

BERTH_GRAD(roll) {
  value_t d = dy(g, 0);
  value_t back = neg(g, in(g, 1));
  give(g, 0, OP(g, "Roll", NULL, d, back, in(g, 2)));
}

// ---- Blocks ----

static void by_blocks(berth_grad_t *g, const char *op, const char *attr) {
  value_t d = dy(g, 0);
  berth_grad_begin(g, op, NULL);
  berth_grad_copy(g, "block_size");
  if (attr != NULL) berth_grad_copy(g, attr);
  give(g, 0, g->node->input_count == 1 ? MAKE(g, d) : MAKE(g, d, in(g, 1)));
}

BERTH_GRAD(space_to_batch) { by_blocks(g, "BatchToSpace", NULL); }
BERTH_GRAD(batch_to_space) { by_blocks(g, "SpaceToBatch", NULL); }
BERTH_GRAD(space_to_depth) { by_blocks(g, "DepthToSpace", "data_format"); }
BERTH_GRAD(depth_to_space) { by_blocks(g, "SpaceToDepth", "data_format"); }

BERTH_GRAD(space_to_batch_nd) {
  value_t d = dy(g, 0);
  give(g, 0, OP(g, "BatchToSpaceND", NULL, d, in(g, 1), in(g, 2)));
}

BERTH_GRAD(batch_to_space_nd) {
  value_t d = dy(g, 0);
  give(g, 0, OP(g, "SpaceToBatchND", NULL, d, in(g, 1), in(g, 2)));
}
