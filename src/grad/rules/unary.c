// unary.c - Functions of one value: d f'(x), as a formula each.
#include "grad/rules/operators.inc"

static const double pi = 3.14159265358979323846;

// A rule whose result is |formula| of d, the slope by the output, and of the
// input x, or the output y, or their conjugates.
#define OF_INPUT(name, formula)                       \
  BERTH_GRAD(name) {                                  \
    value_t d = dy(g, 0), x = conjugate(g, in(g, 0)); \
    give(g, 0, formula);                              \
  }
#define OF_OUTPUT(name, formula)                       \
  BERTH_GRAD(name) {                                   \
    value_t d = dy(g, 0), y = conjugate(g, out(g, 0)); \
    give(g, 0, formula);                               \
  }

// A slope that the same op gives for all: nothing goes through.
BERTH_GRAD(nothing) { (void)g; }

BERTH_GRAD(zero) { give(g, 0, berth_emit_zeros_like(g, in(g, 0))); }

// Rows stay rows.
BERTH_GRAD(neg) {
  berth_slope_t slope = g->slopes[0];
  slope.values = neg(g, slope.values);
  g->given[0] = slope;
}

// ---- Powers ----

BERTH_GRAD(abs) {
  value_t d = dy(g, 0);
  give(g, 0, mul(g, d, fn(g, "Sign", in(g, 0))));
}

// Ops whose slope is an op of the output and d.
static void by_output(berth_grad_t *g, const char *op, value_t y) {
  give(g, 0, fn2(g, op, y, dy(g, 0)));
}

BERTH_GRAD(reciprocal) { by_output(g, "ReciprocalGrad", out(g, 0)); }
BERTH_GRAD(sqrt) { by_output(g, "SqrtGrad", out(g, 0)); }
BERTH_GRAD(rsqrt) { by_output(g, "RsqrtGrad", out(g, 0)); }
OF_OUTPUT(tanh, fn2(g, "TanhGrad", y, d))
OF_OUTPUT(sigmoid, fn2(g, "SigmoidGrad", y, d))

BERTH_GRAD(square) {
  value_t d = dy(g, 0), x = conjugate(g, in(g, 0));
  value_t two = number_like(g, "Const", x, 2);
  value_t doubled = fn2(g, "Mul", x, two);
  give(g, 0, fn2(g, "Mul", d, doubled));
}

// ---- Their slopes, once more: of a, the output, and of b ----

BERTH_GRAD(reciprocal_grad) {
  value_t d = dy(g, 0), b = in(g, 1);
  value_t a = conjugate(g, in(g, 0)), c = conjugate(g, d);
  value_t t = mul_number(g, c, -2);
  t = mul(g, t, b);
  give(g, 0, mul(g, t, a));
  give(g, 1, fn2(g, "ReciprocalGrad", a, d));
}

BERTH_GRAD(sqrt_grad) {
  value_t part = truediv(g, dy(g, 0), in(g, 0));
  value_t c = conjugate(g, part);
  give(g, 0, mul(g, neg(g, c), out(g, 0)));
  give(g, 1, number_mul(g, 0.5, part));
}

BERTH_GRAD(rsqrt_grad) {
  value_t d = dy(g, 0), b = in(g, 1);
  value_t a = conjugate(g, in(g, 0)), c = conjugate(g, d);
  value_t t = number_mul(g, -1.5, c);
  t = mul(g, t, b);
  give(g, 0, mul(g, t, square(g, a)));
  give(g, 1, fn2(g, "RsqrtGrad", a, d));
}

BERTH_GRAD(tanh_grad) {
  value_t d = dy(g, 0);
  value_t a = conjugate(g, in(g, 0)), b = conjugate(g, in(g, 1));
  value_t t = mul_number(g, d, -2);
  t = mul(g, t, b);
  give(g, 0, mul(g, t, a));
  give(g, 1, fn2(g, "TanhGrad", a, d));
}

BERTH_GRAD(sigmoid_grad) {
  value_t d = dy(g, 0);
  value_t a = conjugate(g, in(g, 0)), b = conjugate(g, in(g, 1));
  value_t part = mul(g, d, b);
  value_t t = number_mul(g, 2, part);
  t = mul(g, t, a);
  give(g, 0, sub(g, part, t));
  give(g, 1, fn2(g, "SigmoidGrad", a, d));
}

// ---- Exponentials and logarithms ----

OF_OUTPUT(exp, mul(g, d, y))
OF_INPUT(expm1, mul(g, d, fn(g, "Exp", x)))
OF_INPUT(log, mul(g, d, reciprocal(g, x)))
OF_INPUT(log1p, mul(g, d, reciprocal(g, number_add(g, 1, x))))

// ---- Of angles ----

OF_INPUT(sin, mul(g, d, fn(g, "Cos", x)))
OF_INPUT(sinh, mul(g, d, fn(g, "Cosh", x)))
OF_INPUT(cosh, mul(g, d, fn(g, "Sinh", x)))
OF_INPUT(tan, mul(g, square(g, reciprocal(g, fn(g, "Cos", x))), d))
OF_OUTPUT(asinh, truediv(g, d, fn(g, "Cosh", y)))
OF_OUTPUT(acosh, truediv(g, d, fn(g, "Sinh", y)))

BERTH_GRAD(cos) {
  value_t d = dy(g, 0), x = conjugate(g, in(g, 0));
  d = neg(g, d);
  give(g, 0, mul(g, d, fn(g, "Sin", x)));
}

// Returns 1 op x^2.
static value_t one_and_square(berth_grad_t *g, const char *op,
                              const char *name) {
  value_t x = square(g, conjugate(g, in(g, 0)));
  value_t one = number_like(g, "Const", x, 1);
  return OP(g, op, name, one, x);
}

BERTH_GRAD(atan) {
  value_t d = dy(g, 0), t = one_and_square(g, "AddV2", "Add");
  give(g, 0, mul(g, d, reciprocal(g, t)));
}

BERTH_GRAD(atanh) {
  value_t d = dy(g, 0), t = one_and_square(g, "Sub", NULL);
  give(g, 0, mul(g, d, reciprocal(g, t)));
}

BERTH_GRAD(asin) {
  value_t d = dy(g, 0), t = one_and_square(g, "Sub", NULL);
  t = reciprocal(g, fn(g, "Sqrt", t));
  give(g, 0, mul(g, d, t));
}

BERTH_GRAD(acos) {
  value_t d = dy(g, 0), t = one_and_square(g, "Sub", NULL);
  t = reciprocal(g, fn(g, "Sqrt", t));
  d = neg(g, d);
  give(g, 0, mul(g, d, t));
}

// ---- Of the normal distribution ----

// Gives d * factor * exp(power).
static void give_exp(berth_grad_t *g, value_t scaled, value_t power) {
  give(g, 0, mul(g, scaled, fn(g, "Exp", power)));
}

static void error_function(berth_grad_t *g, double factor) {
  value_t d = dy(g, 0);
  value_t scale = number_like(g, "Const", d, factor);
  value_t x = conjugate(g, in(g, 0));
  d = mul(g, d, scale);
  x = square(g, x);
  give_exp(g, d, neg(g, x));
}

BERTH_GRAD(erf) { error_function(g, 2 / 1.7724538509055160273); }
BERTH_GRAD(erfc) { error_function(g, -2 / 1.7724538509055160273); }

BERTH_GRAD(erfinv) {
  value_t d = dy(g, 0);
  d = mul(g, d, number_like(g, "Const", d, 1.7724538509055160273 / 2));
  give_exp(g, d, square(g, out(g, 0)));
}

BERTH_GRAD(ndtri) {
  value_t d = dy(g, 0);
  d = mul(g, d, number_like(g, "Const", d, 2.5066282746310005024));
  value_t power = square(g, out(g, 0));
  give_exp(g, d, div_number(g, power, 2));
}

// ---- Integrals ----

BERTH_GRAD(dawsn) {
  value_t d = dy(g, 0);
  value_t t = number_mul(g, 2, in(g, 0));
  t = mul(g, t, out(g, 0));
  give(g, 0, mul(g, d, number_sub(g, 1, t)));
}

BERTH_GRAD(expint) {
  value_t d = dy(g, 0), x = in(g, 0);
  d = mul(g, d, fn(g, "Exp", x));
  give(g, 0, truediv(g, d, x));
}

static void fresnel(berth_grad_t *g, const char *op) {
  value_t d = dy(g, 0);
  value_t t = square(g, in(g, 0));
  t = number_mul(g, pi / 2, t);
  give(g, 0, mul(g, d, fn(g, op, t)));
}

BERTH_GRAD(fresnel_cos) { fresnel(g, "Cos"); }
BERTH_GRAD(fresnel_sin) { fresnel(g, "Sin"); }

BERTH_GRAD(spence) {
  value_t d = dy(g, 0), x = in(g, 0);
  value_t t = fn(g, "Log", x);
  t = truediv(g, t, number_sub(g, 1, x));
  value_t is_one = compare(g, "Equal", x, 1);
  value_t ones = neg(g, berth_emit_ones_like(g, x));
  give(g, 0, mul(g, d, OP(g, "Select", NULL, is_one, ones, t)));
}
