// top.c - The greatest elements, and the one that is n-th.
#include "grad/rules/words.inc"
#include "grad/sizes.h"

// Returns the last of |sizes|, as int64.
static value_t last_size(berth_grad_t *g, value_t sizes) {
  value_t wide = berth_emit_cast(g, sizes, BERTH_INT64);
  value_t at = berth_emit_minus_number(g, berth_emit_size(g, sizes), 1);
  return berth_emit_gather(g, wide, at);
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
  starts = berth_emit_expand(g, starts, -1);
  return berth_emit_cast(g, starts, BERTH_INT32);
}

BERTH_GRAD(top_k) {
  const int64_t flat = -1;
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
  value_t where = berth_emit_reshape(g, add(g, rows, starts), &flat, 1);
  where = berth_emit_expand(g, where, -1);
  d = berth_emit_reshape(g, d, &flat, 1);
  value_t count = berth_emit_product(g, sizes);
  berth_grad_push(g, "ScatterNd");
  int one = 1;
  berth_grad_begin(g, "Pack", "shape");
  value_t all = berth_grad_make_lists(g, &count, &one, 1);
  value_t made = OP(g, "ScatterNd", BERTH_SCOPE_NAME, where, d, all);
  berth_grad_pop(g);
  give(g, 0, reshape(g, made, sizes));
  bool has_k = g->node->input_count > 1;
  if (has_k && !g->to->is_eager) berth_grad_int(g, "zeros", BERTH_INT32, 0);
}

// Elements that are the same share the slope.
BERTH_GRAD(nth_element) {
  value_t d = dy(g, 0);
  value_t y = berth_emit_expand(g, out(g, 0), -1);
  value_t is_it = OP(g, "Equal", NULL, y, in(g, 0));
  is_it = berth_emit_cast(g, is_it, berth_grad_dtype(g, d));
  d = berth_emit_expand(g, d, -1);
  berth_grad_push(g, "Sum");
  value_t last = berth_grad_int(g, "reduction_indices", BERTH_INT32, -1);
  value_t count = OP(g, "Sum", BERTH_SCOPE_NAME, is_it, last);
  berth_grad_pop(g);
  count = berth_emit_expand(g, count, -1);
  give(g, 0, mul(g, truediv(g, is_it, count), d));
}
