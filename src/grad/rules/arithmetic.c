// arithmetic.c - Ops of two inputs that broadcast.
#include "grad/rules/operators.inc"

// What a slope is by an input that is asked for; none otherwise.
#define IF_ASKED(g, i, value) (berth_grad_asks(g, i) ? (value) : NONE)

// True when inputs and slope are known to have one shape.
static bool is_plain(berth_grad_t *g, value_t d) {
  value_t x = in(g, 0);
  return berth_same_shape(g, x, in(g, 1)) && berth_same_shape(g, x, d);
}

// Gives slopes as they are where nothing was broadcast.
static void give_both(berth_grad_t *g, bool is_plain_pair, value_t dx,
                      value_t by_y) {
  if (is_plain_pair) {
    give(g, 0, dx);
    give(g, 1, by_y);
  } else {
    berth_give_pair(g, 0, dx, 1, by_y);
  }
}

// ---- Sums ----

BERTH_GRAD(add) {
  value_t d = dy(g, 0);
  give_both(g, is_plain(g, d), IF_ASKED(g, 0, d), IF_ASKED(g, 1, d));
}

BERTH_GRAD(sub) {
  value_t d = dy(g, 0);
  give_both(g, is_plain(g, d), IF_ASKED(g, 0, d), IF_ASKED(g, 1, neg(g, d)));
}

BERTH_GRAD(add_n) {
  for (int i = 0; i < g->node->input_count; ++i) g->given[i] = g->slopes[0];
}

BERTH_GRAD(squared_difference) {
  value_t d = dy(g, 0);
  bool plain = is_plain(g, d);
  value_t two = number_like(g, "scalar", d, 2);
  d = fn2(g, "Mul", two, d);
  d = mul(g, d, sub(g, in(g, 0), in(g, 1)));
  give_both(g, plain, IF_ASKED(g, 0, d), IF_ASKED(g, 1, neg(g, d)));
}

// ---- Products ----

BERTH_GRAD(mul) {
  value_t d = dy(g, 0), x = in(g, 0), y = in(g, 1);
  berth_dtype_t type = berth_grad_dtype(g, d);
  value_t dx = NONE, by_y = NONE;
  if (is_plain(g, d) && (type == BERTH_FLOAT || type == BERTH_INT32)) {
    dx = IF_ASKED(g, 0, fn2(g, "Mul", d, y));
    by_y = IF_ASKED(g, 1, fn2(g, "Mul", d, x));
    give_both(g, true, dx, by_y);
    return;
  }
  if (berth_grad_asks(g, 0)) dx = fn2(g, "Mul", d, conjugate(g, y));
  if (berth_grad_asks(g, 1)) by_y = fn2(g, "Mul", conjugate(g, x), d);
  berth_give_pair(g, 0, dx, 1, by_y);
}

BERTH_GRAD(mul_no_nan) {
  value_t d = dy(g, 0), x = in(g, 0), y = in(g, 1);
  value_t dx = fn2(g, "MulNoNan", d, y);
  value_t by_y = fn2(g, "MulNoNan", x, d);
  give_both(g, is_plain(g, d), dx, by_y);
}

// Divides by an op called |name|: dx / y, and d * (-x / y / y).
static void quotient(berth_grad_t *g, const char *op, const char *name) {
  value_t d = dy(g, 0), dx = NONE, by_y = NONE;
  value_t x = conjugate(g, in(g, 0)), y = conjugate(g, in(g, 1));
  if (berth_grad_asks(g, 0)) dx = OP(g, op, name, d, y);
  if (berth_grad_asks(g, 1)) {
    value_t t = neg(g, x);
    t = OP(g, op, name, t, y);
    t = OP(g, op, name, t, y);
    by_y = mul(g, d, t);
  }
  berth_give_pair(g, 0, dx, 1, by_y);
}

BERTH_GRAD(real_div) { quotient(g, "RealDiv", NULL); }
BERTH_GRAD(div) { quotient(g, "RealDiv", "truediv"); }
BERTH_GRAD(div_no_nan) { quotient(g, "DivNoNan", "div_no_nan"); }

BERTH_GRAD(floor_mod) {
  value_t d = dy(g, 0);
  value_t x = conjugate(g, in(g, 0)), y = conjugate(g, in(g, 1));
  value_t t = neg(g, fn2(g, "FloorDiv", x, y));
  berth_give_pair(g, 0, d, 1, mul(g, d, t));
}

// ---- Powers and angles ----

// Returns d * y * x^(y - 1).
static value_t by_base(berth_grad_t *g, value_t d, value_t x, value_t y) {
  value_t t = mul(g, d, y);
  value_t less = sub_number(g, y, 1);
  return mul(g, t, OP(g, "Pow", NULL, x, less));
}

// Returns d * x^y * log(x), where x has a logarithm; 0 elsewhere.
static value_t by_exponent(berth_grad_t *g, value_t d, value_t x) {
  value_t has_log = compare(g, is_complex(g, x) ? "NotEqual" : "Greater", x, 0);
  value_t ones = berth_emit_ones_like(g, in(g, 0));
  value_t safe = OP(g, "Select", NULL, has_log, x, ones);
  value_t log = fn(g, "Log", safe);
  value_t zeros = berth_emit_zeros_like(g, in(g, 0));
  log = OP(g, "Select", NULL, has_log, log, zeros);
  value_t z = conjugate(g, out(g, 0));
  return mul(g, mul(g, d, z), log);
}

BERTH_GRAD(pow) {
  value_t d = dy(g, 0);
  value_t x = conjugate(g, in(g, 0)), y = conjugate(g, in(g, 1));
  value_t dx = IF_ASKED(g, 0, by_base(g, d, x, y));
  value_t by_y = IF_ASKED(g, 1, by_exponent(g, d, x));
  berth_give_pair(g, 0, dx, 1, by_y);
}

BERTH_GRAD(atan2) {
  value_t d = dy(g, 0), y = in(g, 0), x = in(g, 1);
  value_t t = square(g, y);
  t = add(g, t, square(g, x));
  t = truediv(g, d, t);
  value_t by_y = mul(g, x, t);
  value_t dx = mul(g, neg(g, y), t);
  berth_give_pair(g, 0, by_y, 1, dx);
}

// ---- Choices ----

static void one_of_two(berth_grad_t *g, const char *is_first) {
  value_t d = dy(g, 0);
  value_t zeros = berth_emit_zeros_like(g, d);
  value_t first = fn2(g, is_first, in(g, 0), in(g, 1));
  value_t dx = IF_ASKED(g, 0, choose(g, first, d, zeros));
  value_t by_y = IF_ASKED(g, 1, choose(g, first, zeros, d));
  berth_give_pair(g, 0, dx, 1, by_y);
}

BERTH_GRAD(maximum) { one_of_two(g, "GreaterEqual"); }
BERTH_GRAD(minimum) { one_of_two(g, "LessEqual"); }

BERTH_GRAD(select) {
  value_t d = dy(g, 0), which = in(g, 0);
  value_t zeros = berth_emit_zeros_like(g, in(g, 1));
  give(g, 1, IF_ASKED(g, 1, OP(g, "Select", NULL, which, d, zeros)));
  give(g, 2, IF_ASKED(g, 2, OP(g, "Select", NULL, which, zeros, d)));
}

BERTH_GRAD(select_v2) {
  value_t d = dy(g, 0), which = in(g, 0), none = NONE;
  value_t zero = number_like(g, "zeros", d, 0);
  value_t dx = IF_ASKED(g, 1, choose(g, which, d, zero));
  value_t by_y = IF_ASKED(g, 2, choose(g, which, zero, d));
  berth_reduce_pair(g, in(g, 1), out(g, 0), &dx, &none);
  berth_reduce_pair(g, in(g, 2), out(g, 0), &by_y, &none);
  give(g, 1, dx);
  give(g, 2, by_y);
}

// Returns |d| summed along |axes|, with |sizes|.
static value_t summed(berth_grad_t *g, value_t d, value_t axes, value_t sizes) {
  d = berth_emit_sum(g, d, axes, false);
  return reshape(g, d, sizes);
}

BERTH_GRAD(clip_by_value) {
  value_t d = dy(g, 0), x = in(g, 0), low = in(g, 1), high = in(g, 2);
  value_t sx = berth_emit_shape(g, x), s_low = berth_emit_shape(g, low);
  value_t s_high = berth_emit_shape(g, high);
  value_t all = berth_emit_shape(g, d);
  value_t zeros = berth_emit_filled(g, "zeros", all, berth_grad_dtype(g, d), 0);
  value_t is_low = fn2(g, "Less", x, low);
  value_t is_high = fn2(g, "Greater", x, high);
  value_t low_axes = fn2(g, "BroadcastGradientArgs", sx, s_low);
  value_t high_axes = fn2(g, "BroadcastGradientArgs", sx, s_high);
  value_t is_out = fn2(g, "LogicalOr", is_low, is_high);
  give(g, 0, OP(g, "Select", NULL, is_out, zeros, d));
  value_t by_low = OP(g, "Select", NULL, is_low, d, zeros);
  value_t by_high = OP(g, "Select", NULL, is_high, d, zeros);
  give(g, 1, summed(g, by_low, berth_out_at(low_axes, 1), s_low));
  give(g, 2, summed(g, by_high, berth_out_at(high_axes, 1), s_high));
}
