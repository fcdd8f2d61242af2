// complex.c - Complex values and their parts; types.
#include "grad/rules/operators.inc"
#include "grad/walk.h"

static value_t complex_of(berth_grad_t *g, value_t re, value_t im) {
  bool is_double = berth_grad_dtype(g, re) == BERTH_DOUBLE;
  berth_grad_begin(g, "Complex", NULL);
  berth_op_attr_type(g->op, "Tout",
                     is_double ? BERTH_COMPLEX128 : BERTH_COMPLEX64);
  return MAKE(g, re, im);
}

// Makes an op that takes a part of a complex value.
static value_t part_of(berth_grad_t *g, const char *op, value_t a) {
  bool is_double = berth_grad_dtype(g, a) == BERTH_COMPLEX128;
  berth_grad_begin(g, op, NULL);
  berth_op_attr_type(g->op, "Tout", is_double ? BERTH_DOUBLE : BERTH_FLOAT);
  return MAKE(g, a);
}

BERTH_GRAD(complex) {
  value_t d = dy(g, 0);
  value_t by_re = part_of(g, "Real", d);
  value_t by_im = part_of(g, "Imag", d);
  berth_give_pair(g, 0, by_re, 1, by_im);
}

BERTH_GRAD(real) {
  value_t d = dy(g, 0);
  give(g, 0, complex_of(g, d, number_like(g, "Const", d, 0)));
}

BERTH_GRAD(imag) {
  value_t d = dy(g, 0);
  give(g, 0, complex_of(g, number_like(g, "Const", d, 0), d));
}

BERTH_GRAD(conj) { give(g, 0, berth_emit_conj(g, dy(g, 0))); }

BERTH_GRAD(angle) {
  value_t d = dy(g, 0), x = in(g, 0);
  value_t re = part_of(g, "Real", x);
  value_t im = part_of(g, "Imag", x);
  value_t turned = reciprocal(g, complex_of(g, im, re));
  d = neg(g, complex_of(g, d, number_like(g, "Const", d, 0)));
  give(g, 0, mul(g, d, turned));
}

BERTH_GRAD(complex_abs) {
  value_t d = dy(g, 0), y = out(g, 0);
  d = complex_of(g, d, berth_emit_zeros_like(g, d));
  d = mul(g, d, in(g, 0));
  value_t size = complex_of(g, y, berth_emit_zeros_like(g, y));
  give(g, 0, div_no_nan(g, d, size));
}

// Rows stay rows.
BERTH_GRAD(cast) {
  berth_slope_t slope = g->slopes[0];
  berth_dtype_t from = berth_grad_dtype(g, in(g, 0));
  if (!berth_grad_is_smooth(from) ||
      !berth_grad_is_smooth(berth_grad_dtype(g, slope.values))) {
    return;
  }
  slope.values = berth_emit_cast(g, slope.values, from);
  g->given[0] = slope;
}
