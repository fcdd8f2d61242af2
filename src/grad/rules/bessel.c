// bessel.c - Bessel functions.
#include "grad/rules/operators.inc"

// A Bessel function, in the scope that TensorFlow's has.
static value_t bessel(berth_grad_t *g, const char *scope, const char *op,
                      value_t x) {
  berth_grad_push(g, scope);
  value_t made = fn(g, op, x);
  berth_grad_pop(g);
  return made;
}

static value_t quotient(berth_grad_t *g, value_t a, value_t b) {
  return OP(g, "RealDiv", "div", a, b);
}

// Gives d times |slope|.
static void give_times(berth_grad_t *g, value_t slope) {
  give(g, 0, mul(g, dy(g, 0), slope));
}

// What the slope is at zero, where the formula has no value.
typedef struct at_zero {
  value_t is_zero, slope;
} at_zero_t;

static at_zero_t at_zero(berth_grad_t *g, double slope) {
  value_t is_zero = compare(g, "Equal", in(g, 0), 0);
  return (at_zero_t){is_zero, cast_number(g, in(g, 0), slope)};
}

static void give_but(berth_grad_t *g, at_zero_t at, value_t slope) {
  give_times(g, choose(g, at.is_zero, at.slope, slope));
}

BERTH_GRAD(bessel_i0) {
  give_times(g, bessel(g, "bessel_i1", "BesselI1", in(g, 0)));
}

BERTH_GRAD(bessel_i0e) {
  value_t x = in(g, 0);
  value_t t = bessel(g, "bessel_i1e", "BesselI1e", x);
  value_t part = mul(g, fn(g, "Sign", x), out(g, 0));
  give_times(g, sub(g, t, part));
}

BERTH_GRAD(bessel_i1) {
  value_t x = in(g, 0);
  at_zero_t at = at_zero(g, 1);
  value_t t = bessel(g, "bessel_i0", "BesselI0", x);
  value_t part = quotient(g, out(g, 0), x);
  give_but(g, at, sub(g, t, part));
}

BERTH_GRAD(bessel_i1e) {
  value_t x = in(g, 0);
  at_zero_t at = at_zero(g, 0.5);
  value_t t = bessel(g, "bessel_i0e", "BesselI0e", x);
  value_t part = fn(g, "Sign", x);
  part = add(g, part, reciprocal(g, x));
  part = mul(g, out(g, 0), part);
  give_but(g, at, sub(g, t, part));
}

BERTH_GRAD(bessel_k0) {
  give_times(g, neg(g, bessel(g, "bessel_k1", "BesselK1", in(g, 0))));
}

BERTH_GRAD(bessel_k0e) {
  value_t t = bessel(g, "bessel_k1e", "BesselK1e", in(g, 0));
  give_times(g, sub(g, out(g, 0), t));
}

BERTH_GRAD(bessel_k1) {
  value_t x = in(g, 0);
  value_t t = neg(g, bessel(g, "bessel_k0", "BesselK0", x));
  value_t part = quotient(g, out(g, 0), x);
  give_times(g, sub(g, t, part));
}

BERTH_GRAD(bessel_k1e) {
  value_t x = in(g, 0);
  value_t t = number_sub(g, 1, reciprocal(g, x));
  t = mul(g, out(g, 0), t);
  value_t part = bessel(g, "bessel_k0e", "BesselK0e", x);
  give_times(g, sub(g, t, part));
}

BERTH_GRAD(bessel_j0) {
  give_times(g, neg(g, bessel(g, "bessel_j1", "BesselJ1", in(g, 0))));
}

BERTH_GRAD(bessel_j1) {
  value_t x = in(g, 0);
  at_zero_t at = at_zero(g, 0.5);
  value_t t = bessel(g, "bessel_j0", "BesselJ0", x);
  value_t part = quotient(g, out(g, 0), x);
  give_but(g, at, sub(g, t, part));
}

BERTH_GRAD(bessel_y0) {
  give_times(g, neg(g, bessel(g, "bessel_y1", "BesselY1", in(g, 0))));
}

BERTH_GRAD(bessel_y1) {
  value_t x = in(g, 0);
  value_t t = bessel(g, "bessel_y0", "BesselY0", x);
  value_t part = quotient(g, out(g, 0), x);
  give_times(g, sub(g, t, part));
}
