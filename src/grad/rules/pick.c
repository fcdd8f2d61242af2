// pick.c - Elements of vectors, and vectors of elements.
#include "grad/rules/words.inc"
#include "grad/sizes.h"

value_t berth_emit_gather(berth_grad_t *g, value_t rows, value_t ids) {
  berth_grad_push(g, "GatherV2");
  value_t axis = berth_grad_int(g, "axis", BERTH_INT32, 0);
  value_t made = OP(g, "GatherV2", BERTH_SCOPE_NAME, rows, ids, axis);
  berth_grad_pop(g);
  return made;
}

value_t berth_emit_concat(berth_grad_t *g, value_t a, value_t b) {
  berth_grad_push(g, "concat");
  value_t axis = berth_grad_int(g, "axis", BERTH_INT32, 0);
  value_t parts[] = {a, b, axis};
  berth_grad_begin(g, "ConcatV2", BERTH_SCOPE_NAME);
  value_t made = berth_grad_make_lists(g, parts, (int[]){2, -1}, 2);
  berth_grad_pop(g);
  return made;
}

value_t berth_emit_prod(berth_grad_t *g, value_t a) {
  int rank = berth_grad_rank(g, a);
  value_t axes;
  if (rank > 0) {
    int64_t all = 0;
    axes = berth_grad_ints(g, "Const", BERTH_INT32, &all, 1);
  } else {
    value_t count = berth_emit_rank(g, a);
    axes = berth_emit_range_to(g, count);
  }
  return OP(g, "Prod", NULL, a, axes);
}

value_t berth_emit_range_to(berth_grad_t *g, value_t limit) {
  berth_dtype_t type = berth_grad_dtype(g, limit);
  berth_grad_push(g, "range");
  value_t start = berth_grad_int(g, "start", BERTH_INT32, 0);
  value_t step = berth_grad_int(g, "delta", BERTH_INT32, 1);
  start = berth_emit_cast(g, start, type);
  step = berth_emit_cast(g, step, type);
  value_t made = OP(g, "Range", BERTH_SCOPE_NAME, start, limit, step);
  berth_grad_pop(g);
  return made;
}
