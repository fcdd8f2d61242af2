// random.c - Samples whose distribution has parameters.
#include "grad/rules/operators.inc"
#include "grad/sizes.h"

// Returns ones, as many as |count|, a scalar, says.
static value_t ones_of(berth_grad_t *g, value_t count) {
  berth_grad_push(g, "ones");
  int one_count = 1;
  berth_grad_begin(g, "Pack", "packed");
  value_t sizes = berth_grad_make_lists(g, &count, &one_count, 1);
  value_t one = berth_grad_int(g, "Const", BERTH_INT32, 1);
  value_t made = OP(g, "Fill", BERTH_SCOPE_NAME, sizes, one);
  berth_grad_pop(g);
  return made;
}

// Gives input |index|, of samples whose first |extra| axes it does not have.
static void by_alpha(berth_grad_t *g, int index, value_t extra) {
  value_t alpha = in(g, index);
  value_t ones = ones_of(g, extra);
  value_t sizes = berth_emit_concat(g, ones, berth_emit_shape(g, alpha));
  alpha = reshape(g, alpha, sizes);
  value_t slope = fn2(g, "RandomGammaGrad", alpha, out(g, 0));
  value_t d = mul(g, dy(g, 0), slope);
  value_t axes = berth_emit_range_to(g, extra);
  give(g, index, berth_emit_sum(g, d, axes, false));
}

BERTH_GRAD(random_gamma) {
  value_t sizes = berth_emit_shape(g, in(g, 0));
  by_alpha(g, 1, berth_emit_item(g, sizes, 0));
}

static void stateless_gamma(berth_grad_t *g, int index) {
  value_t sizes = berth_emit_shape(g, in(g, 0));
  value_t rank = berth_emit_item(g, sizes, 0);
  by_alpha(g, index, sub(g, rank, berth_emit_rank(g, in(g, index))));
}

BERTH_GRAD(stateless_random_gamma_v2) { stateless_gamma(g, 2); }
BERTH_GRAD(stateless_random_gamma_v3) { stateless_gamma(g, 4); }
