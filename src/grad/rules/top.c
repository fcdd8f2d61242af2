// top.c - The greatest elements, and the one that is n-th.
#include "grad/rules/words.inc"
#include "grad/sizes.h"

static value_t expand_last(berth_grad_t *g, value_t a) {
  berth_grad_push(g, "ExpandDims");
  value_t at = berth_grad_int(g, "dim", BERTH_INT32, -1);
  value_t made = OP(g, "ExpandDims", BERTH_SCOPE_NAME, a, at);
  berth_grad_pop(g);
  return made;
}

static value_t flattened(berth_grad_t *g, value_t a) {
  berth_grad_push(g, "Reshape");
  int64_t flat = -1;
  value_t sizes = berth_grad_ints(g, "shape", BERTH_INT32, &flat, 1);
  value_t made = OP(g, "Reshape", BERTH_SCOPE_NAME, a, sizes);
  berth_grad_pop(g);
  return made;
}

// Returns the last of |sizes|, as int64.
static value_t last_size(berth_grad_t *g, value_t sizes) {
  value_t wide = berth_emit_cast(g, sizes, BERTH_INT64);
  value_t at = berth_emit_minus_number(g, berth_emit_size(g, sizes), 1);
  berth_grad_push(g, "GatherV2");
  value_t zero = berth_grad_int(g, "axis", BERTH_INT32, 0);
  value_t made = OP(g, "GatherV2", BERTH_SCOPE_NAME, wide, at, zero);
  berth_grad_pop(g);
  return made;
}

// Returns where each row of the input begins, as a column of int32.
static value_t row_starts(berth_grad_t *g, value_t row_count, value_t width) {
  value_t end = berth_emit_cast(g, row_count, BERTH_INT64);
  end = berth_emit_times(g, end, width);
  berth_grad_push(g, "range");
  value_t start = berth_grad_int(g, "start", BERTH_INT32, 0);
  start = berth_emit_cast(g, start, BERTH_INT64);
  value_t starts = OP(g, "Range", BERTH_SCOPE_NAME, start, end, width);
  berth_grad_pop(g);
  starts = expand_last(g, starts);
  return berth_emit_cast(g, starts, BERTH_INT32);
}

BERTH_GRAD(top_k) {
  value_t d = dy(g, 0);
  value_t sizes = berth_emit_shape(g, in(g, 0));
  value_t picked_sizes = berth_emit_shape(g, out(g, 1));
  value_t picked = last_size(g, picked_sizes);
  value_t shape = berth_emit_stack(
      g, "stack", BERTH_INT64,
      (berth_extent_t[]){BERTH_EXTENT_NUMBERS(-1), BERTH_EXTENT(picked)}, 2);
  value_t rows = reshape(g, out(g, 1), shape);
  value_t width = last_size(g, sizes);
  value_t row_count = berth_emit_item(g, berth_emit_shape(g, rows), 0);
  value_t starts = row_starts(g, row_count, width);
  value_t where = flattened(g, add(g, rows, starts));
  where = expand_last(g, where);
  d = flattened(g, d);
  value_t count = berth_emit_product(g, sizes);
  berth_grad_push(g, "ScatterNd");
  int one = 1;
  berth_grad_begin(g, "Pack", "shape");
  value_t all = berth_grad_make_lists(g, &count, &one, 1);
  value_t made = OP(g, "ScatterNd", BERTH_SCOPE_NAME, where, d, all);
  berth_grad_pop(g);
  give(g, 0, reshape(g, made, sizes));
  if (!g->to->is_eager) berth_grad_int(g, "zeros", BERTH_INT32, 0);
}

// Elements that are the same share the slope.
BERTH_GRAD(nth_element) {
  value_t d = dy(g, 0);
  value_t y = expand_last(g, out(g, 0));
  value_t is_it = OP(g, "Equal", NULL, y, in(g, 0));
  is_it = berth_emit_cast(g, is_it, berth_grad_dtype(g, d));
  d = expand_last(g, d);
  berth_grad_push(g, "Sum");
  value_t last = berth_grad_int(g, "reduction_indices", BERTH_INT32, -1);
  value_t count = OP(g, "Sum", BERTH_SCOPE_NAME, is_it, last);
  berth_grad_pop(g);
  count = expand_last(g, count);
  give(g, 0, mul(g, truediv(g, is_it, count), d));
}
