// gamma.c - The gamma function and what is made of it: two or three values that
// broadcast.
#include "grad/rules/operators.inc"

// The sizes of two inputs that broadcast, and along which axes each does.
typedef struct pair {
  value_t sizes[2], axes[2];
} pair_t;

static pair_t pair_of(berth_grad_t *g, value_t a, value_t b) {
  pair_t pair = {.sizes = {berth_emit_shape(g, a)}};
  pair.sizes[1] = berth_emit_shape(g, b);
  pair.axes[0] =
      OP(g, "BroadcastGradientArgs", NULL, pair.sizes[0], pair.sizes[1]);
  pair.axes[1] = berth_out_at(pair.axes[0], 1);
  return pair;
}

// Returns d times |slope|, summed to the sizes of one of the pair.
static value_t summed(berth_grad_t *g, value_t slope, const pair_t *pair,
                      int which) {
  value_t t = mul(g, slope, dy(g, 0));
  t = berth_emit_sum(g, t, pair->axes[which], false);
  return reshape(g, t, pair->sizes[which]);
}

BERTH_GRAD(lgamma) {
  value_t d = dy(g, 0), x = conjugate(g, in(g, 0));
  give(g, 0, mul(g, d, fn(g, "Digamma", x)));
}

BERTH_GRAD(digamma) {
  value_t d = dy(g, 0), x = conjugate(g, in(g, 0));
  value_t one = number_like(g, "Const", x, 1);
  give(g, 0, mul(g, d, fn2(g, "Polygamma", one, x)));
}

BERTH_GRAD(polygamma) {
  value_t n = in(g, 0), x = in(g, 1);
  pair_t pair = pair_of(g, n, x);
  value_t slope = fn2(g, "Polygamma", add_number(g, n, 1), x);
  give(g, 1, summed(g, slope, &pair, 1));
}

BERTH_GRAD(zeta) {
  value_t x = in(g, 0), q = in(g, 1);
  pair_t pair = pair_of(g, x, q);
  value_t t = neg(g, x);
  value_t next = fn2(g, "Zeta", add_number(g, x, 1), q);
  give(g, 1, summed(g, mul(g, t, next), &pair, 1));
}

// Returns the slopes of the lower incomplete gamma function.
static void igamma(berth_grad_t *g, value_t *out_by_a, value_t *out_by_x) {
  value_t a = in(g, 0), x = in(g, 1);
  pair_t pair = pair_of(g, a, x);
  value_t by_a = fn2(g, "IgammaGradA", a, x);
  value_t t = neg(g, x);
  value_t power = sub_number(g, a, 1);
  power = mul(g, power, fn(g, "Log", x));
  t = add(g, t, power);
  t = sub(g, t, fn(g, "Lgamma", a));
  value_t by_x = fn(g, "Exp", t);
  *out_by_a = summed(g, by_a, &pair, 0);
  *out_by_x = summed(g, by_x, &pair, 1);
}

BERTH_GRAD(igamma) {
  value_t by_a, by_x;
  igamma(g, &by_a, &by_x);
  give(g, 0, by_a);
  give(g, 1, by_x);
}

BERTH_GRAD(igammac) {
  value_t by_a, by_x;
  igamma(g, &by_a, &by_x);
  give(g, 0, neg(g, by_a));
  give(g, 1, neg(g, by_x));
}

BERTH_GRAD(betainc) {
  value_t a = in(g, 0), b = in(g, 1), x = in(g, 2);
  pair_t pair = pair_of(g, a, x);
  value_t log_beta = fn(g, "Lgamma", a);
  log_beta = add(g, log_beta, fn(g, "Lgamma", b));
  value_t both = fn(g, "Lgamma", add(g, a, b));
  log_beta = sub(g, log_beta, both);
  value_t t = sub_number(g, b, 1);
  value_t less = neg(g, x);
  berth_grad_push(g, "xlog1py");
  t = fn2(g, "Xlog1py", t, less);
  berth_grad_pop(g);
  value_t power = sub_number(g, a, 1);
  t = add(g, t, fn2(g, "Xlogy", power, x));
  t = fn(g, "Exp", sub(g, t, log_beta));
  give(g, 2, summed(g, t, &pair, 1));
}

// ---- x log y and the like, which are 0 where x is ----

typedef value_t slope_fn(berth_grad_t *g, value_t x, value_t y);

static void where_not_zero(berth_grad_t *g, const char *op,
                           slope_fn *slope_by_y) {
  value_t x = in(g, 0), y = in(g, 1);
  pair_t pair = pair_of(g, x, y);
  value_t zero = cast_number(g, x, 0);
  value_t is_not = fn2(g, "NotEqual", x, zero);
  is_not = berth_emit_cast(g, is_not, berth_grad_dtype(g, x));
  value_t by_x = fn2(g, op, is_not, y);
  value_t by_y = slope_by_y(g, x, y);
  give(g, 0, summed(g, by_x, &pair, 0));
  give(g, 1, summed(g, by_y, &pair, 1));
}

static value_t over_y(berth_grad_t *g, value_t x, value_t y) {
  return fn2(g, "Xdivy", x, y);
}

static value_t over_y_and_one(berth_grad_t *g, value_t x, value_t y) {
  return fn2(g, "Xdivy", x, add_number(g, y, 1));
}

static value_t over_y_squared(berth_grad_t *g, value_t x, value_t y) {
  x = neg(g, x);
  return fn2(g, "Xdivy", x, pow_number(g, y, 2));
}

BERTH_GRAD(xlogy) { where_not_zero(g, "Xlogy", over_y); }
BERTH_GRAD(xlog1py) { where_not_zero(g, "Xlog1py", over_y_and_one); }
BERTH_GRAD(xdivy) { where_not_zero(g, "Xdivy", over_y_squared); }

BERTH_GRAD(next_after) {
  value_t a = in(g, 0), b = in(g, 1);
  pair_t pair = pair_of(g, a, b);
  berth_dtype_t type = berth_grad_dtype(g, a);
  value_t by_a = berth_emit_filled(g, "ones", pair.sizes[0], type, 1);
  value_t by_b = berth_emit_filled(g, "zeros", pair.sizes[1], type, 0);
  give(g, 0, summed(g, by_a, &pair, 0));
  give(g, 1, summed(g, by_b, &pair, 1));
}
