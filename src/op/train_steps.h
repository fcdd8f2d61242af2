// train_steps.h - What the functions of train_list.inc compute.
//
// Written once for all backends and types, in words that each of them defines:
//
//   NUMBER               what is computed with
//   ADD SUB MUL DIV      of two, rounded to the type of the elements
//   SQRT RSQRT           of one, the same way
//   CONST(x)             a constant
//   ABS SIGN POW EXP LARGER ABOVE   of real numbers; ABOVE(x, y): x > y
//   WHOLE(i)             scalar i, an int64
//
// |v| is an element of the variable, |a|, |b| and |c| those of its slots in the
// order of the op's arguments, |g| the gradient; |k0| and so on are the scalars
// in that order. Steps are TensorFlow's, one by one, so that half precision
// rounds where it does.
#ifndef BERTH_OP_TRAIN_STEPS_H_
#define BERTH_OP_TRAIN_STEPS_H_

#define TRAIN_SQUARE(x) MUL(x, x)
#define TRAIN_ONE CONST(1)
// |from| and a part of the way to |to|: from + (to - from) * part.
#define TRAIN_TOWARDS(from, to, part) ADD(from, MUL(SUB(to, from), part))

// ---- Gradient descent: alpha ----

#define TRAIN_gradient_descent_BEFORE
#define TRAIN_gradient_descent_EACH v = SUB(v, MUL(g, k0));

// Moves |x| to zero by |l1| * |rate|, and not beyond.
#define TRAIN_SHRINK(x, l1, rate)                                   \
  (ABOVE(l1, CONST(0))                                              \
       ? MUL(SIGN(x), LARGER(SUB(ABS(x), MUL(rate, l1)), CONST(0))) \
       : (x))

// alpha, l1, l2.
#define TRAIN_proximal_descent_BEFORE \
  const NUMBER scale = ADD(TRAIN_ONE, MUL(k2, k0));
#define TRAIN_proximal_descent_EACH    \
  const NUMBER x = SUB(v, MUL(g, k0)); \
  v = DIV(TRAIN_SHRINK(x, k1, k0), scale);

// ---- Momentum: lr, momentum ----

#define TRAIN_momentum_BEFORE
#define TRAIN_momentum_EACH \
  a = ADD(MUL(a, k1), g);   \
  v = SUB(v, MUL(a, k0));

#define TRAIN_momentum_nesterov_BEFORE
#define TRAIN_momentum_nesterov_EACH \
  a = ADD(MUL(a, k1), g);            \
  v = SUB(v, ADD(MUL(g, k0), MUL(MUL(a, k1), k0)));

#define TRAIN_keras_momentum_BEFORE
#define TRAIN_keras_momentum_EACH  \
  a = SUB(MUL(a, k1), MUL(g, k0)); \
  v = ADD(v, a);

#define TRAIN_keras_nesterov_BEFORE
#define TRAIN_keras_nesterov_EACH  \
  a = SUB(MUL(a, k1), MUL(g, k0)); \
  v = ADD(v, SUB(MUL(a, k1), MUL(g, k0)));

// ---- Adagrad: lr; lr, epsilon ----

#define TRAIN_adagrad_BEFORE
#define TRAIN_adagrad_EACH     \
  a = ADD(a, TRAIN_SQUARE(g)); \
  v = SUB(v, MUL(MUL(g, k0), RSQRT(a)));

#define TRAIN_adagrad_frozen_BEFORE
#define TRAIN_adagrad_frozen_EACH v = SUB(v, MUL(MUL(g, k0), RSQRT(a)));

#define TRAIN_adagrad_v2_BEFORE
#define TRAIN_adagrad_v2_EACH  \
  a = ADD(a, TRAIN_SQUARE(g)); \
  v = SUB(v, DIV(MUL(g, k0), ADD(SQRT(a), k1)));

#define TRAIN_adagrad_v2_frozen_BEFORE
#define TRAIN_adagrad_v2_frozen_EACH \
  v = SUB(v, DIV(MUL(g, k0), ADD(SQRT(a), k1)));

// lr, l1, l2, step.
#define TRAIN_adagrad_da_BEFORE            \
  const NUMBER steps = (NUMBER)(WHOLE(3)); \
  const NUMBER decay = MUL(MUL(k2, steps), k0);
#define TRAIN_adagrad_da_EACH                                  \
  a = ADD(a, g);                                               \
  b = ADD(b, TRAIN_SQUARE(g));                                 \
  v = DIV(MUL(MUL(CONST(-1), k0), TRAIN_SHRINK(a, k1, steps)), \
          ADD(decay, SQRT(b)));

// lr, l1, l2.
#define TRAIN_proximal_adagrad_BEFORE
#define TRAIN_proximal_adagrad_EACH      \
  a = ADD(a, TRAIN_SQUARE(g));           \
  const NUMBER rate = MUL(k0, RSQRT(a)); \
  const NUMBER x = SUB(v, MUL(g, rate)); \
  v = DIV(TRAIN_SHRINK(x, k1, rate), ADD(TRAIN_ONE, MUL(k2, rate)));

// ---- Adadelta: lr, rho, epsilon ----

#define TRAIN_adadelta_BEFORE const NUMBER rest = SUB(TRAIN_ONE, k1);
#define TRAIN_adadelta_EACH                                             \
  a = ADD(MUL(a, k1), MUL(TRAIN_SQUARE(g), rest));                      \
  const NUMBER step = MUL(MUL(SQRT(ADD(b, k2)), RSQRT(ADD(a, k2))), g); \
  v = SUB(v, MUL(step, k0));                                            \
  b = ADD(MUL(b, k1), MUL(TRAIN_SQUARE(step), rest));

// ---- RMSProp: lr, rho, momentum, epsilon ----

#define TRAIN_rms_prop_BEFORE const NUMBER rest = SUB(TRAIN_ONE, k1);
#define TRAIN_rms_prop_EACH                               \
  a = TRAIN_TOWARDS(a, TRAIN_SQUARE(g), rest);            \
  b = ADD(MUL(b, k2), DIV(MUL(g, k0), SQRT(ADD(a, k3)))); \
  v = SUB(v, b);

// Slots: mg, ms, mom.
#define TRAIN_centered_rms_prop_BEFORE const NUMBER rest = SUB(TRAIN_ONE, k1);
#define TRAIN_centered_rms_prop_EACH                      \
  b = TRAIN_TOWARDS(b, TRAIN_SQUARE(g), rest);            \
  a = TRAIN_TOWARDS(a, g, rest);                          \
  const NUMBER spread = ADD(SUB(b, TRAIN_SQUARE(a)), k3); \
  c = ADD(MUL(c, k2), DIV(MUL(g, k0), SQRT(spread)));     \
  v = SUB(v, c);

// By rows the steps are others.
#define TRAIN_rms_prop_rows_BEFORE const NUMBER rest = SUB(TRAIN_ONE, k1);
#define TRAIN_rms_prop_rows_EACH                           \
  a = ADD(MUL(a, k1), MUL(TRAIN_SQUARE(g), rest));         \
  b = ADD(MUL(b, k2), MUL(MUL(RSQRT(ADD(a, k3)), k0), g)); \
  v = SUB(v, b);

#define TRAIN_centered_rms_prop_rows_BEFORE \
  const NUMBER rest = SUB(TRAIN_ONE, k1);
#define TRAIN_centered_rms_prop_rows_EACH                 \
  b = ADD(MUL(b, k1), MUL(TRAIN_SQUARE(g), rest));        \
  a = ADD(MUL(a, k1), MUL(g, rest));                      \
  const NUMBER spread = ADD(SUB(b, TRAIN_SQUARE(a)), k3); \
  c = ADD(MUL(c, k2), MUL(MUL(RSQRT(spread), k0), g));    \
  v = SUB(v, c);

// ---- Adam: beta1_power, beta2_power, lr, beta1, beta2, epsilon ----

#define TRAIN_adam_BEFORE                                         \
  const NUMBER rate =                                             \
      DIV(MUL(k2, SQRT(SUB(TRAIN_ONE, k1))), SUB(TRAIN_ONE, k0)); \
  const NUMBER rest1 = SUB(TRAIN_ONE, k3), rest2 = SUB(TRAIN_ONE, k4);
#define TRAIN_ADAM_MOMENTS        \
  a = TRAIN_TOWARDS(a, g, rest1); \
  b = TRAIN_TOWARDS(b, TRAIN_SQUARE(g), rest2);
#define TRAIN_adam_EACH \
  TRAIN_ADAM_MOMENTS    \
  v = SUB(v, DIV(MUL(a, rate), ADD(SQRT(b), k5)));

#define TRAIN_adam_nesterov_BEFORE TRAIN_adam_BEFORE
#define TRAIN_adam_nesterov_EACH \
  TRAIN_ADAM_MOMENTS             \
  v = SUB(v, DIV(MUL(ADD(MUL(g, rest1), MUL(k3, a)), rate), ADD(SQRT(b), k5)));

// Slots: m, v, the largest v.
#define TRAIN_amsgrad_BEFORE TRAIN_adam_BEFORE
#define TRAIN_amsgrad_EACH \
  TRAIN_ADAM_MOMENTS       \
  c = LARGER(c, b);        \
  v = SUB(v, DIV(MUL(a, rate), ADD(SQRT(c), k5)));

// beta1_power, lr, beta1, beta2, epsilon.
#define TRAIN_ada_max_BEFORE                       \
  const NUMBER rate = DIV(k1, SUB(TRAIN_ONE, k0)); \
  const NUMBER rest1 = SUB(TRAIN_ONE, k2);
#define TRAIN_ada_max_EACH        \
  a = TRAIN_TOWARDS(a, g, rest1); \
  b = LARGER(MUL(k3, b), ABS(g)); \
  v = SUB(v, MUL(rate, DIV(a, ADD(b, k4))));

// ---- By signs: lr, alpha or the base's logarithm, sign_decay, beta ----

#define TRAIN_add_sign_BEFORE const NUMBER rest = SUB(TRAIN_ONE, k3);
#define TRAIN_add_sign_EACH                   \
  a = ADD(MUL(a, k3), MUL(g, rest));          \
  const NUMBER signs = MUL(SIGN(g), SIGN(a)); \
  v = SUB(v, MUL(MUL(k0, ADD(k1, MUL(k2, signs))), g));

#define TRAIN_power_sign_BEFORE           \
  const NUMBER rest = SUB(TRAIN_ONE, k3); \
  const NUMBER power = MUL(k1, k2);
#define TRAIN_power_sign_EACH                 \
  a = ADD(MUL(a, k3), MUL(g, rest));          \
  const NUMBER signs = MUL(SIGN(g), SIGN(a)); \
  v = SUB(v, MUL(MUL(k0, EXP(MUL(power, signs))), g));

// ---- Ftrl: lr, l1, l2, lr_power; the second has l2_shrinkage before that ----

// Most use a power of -1/2, a root.
#define TRAIN_FTRL_BEFORE(power)              \
  const int is_root = (power) == CONST(-0.5); \
  const NUMBER to = -(power);
#define TRAIN_FTRL_POWER(x) (is_root ? SQRT(x) : POW(x, to))
// The weight that is best for |b|, in steps of a rate: |limit| is l1 and
// |quadratic| twice l2, by the rate where the linear term is.
#define TRAIN_FTRL_BEST(limit, rises, quadratic)                    \
  v = ABOVE(ABS(b), limit)                                          \
          ? DIV(SUB(MUL(limit, SIGN(b)), b), ADD(rises, quadratic)) \
          : CONST(0);
#define TRAIN_FTRL(gradient)                                            \
  const NUMBER sum = ADD(a, TRAIN_SQUARE(g));                           \
  const NUMBER high = TRAIN_FTRL_POWER(sum), low = TRAIN_FTRL_POWER(a); \
  b = ADD(b, SUB(gradient, MUL(DIV(SUB(high, low), k0), v)));           \
  TRAIN_FTRL_BEST(k1, DIV(high, k0), MUL(CONST(2), k2))                 \
  a = sum;
#define TRAIN_FTRL_BY_RATE(gradient)                                    \
  const NUMBER sum = ADD(a, TRAIN_SQUARE(g));                           \
  const NUMBER high = TRAIN_FTRL_POWER(sum), low = TRAIN_FTRL_POWER(a); \
  b = ADD(b, SUB(MUL(gradient, k0), MUL(SUB(high, low), v)));           \
  TRAIN_FTRL_BEST(MUL(k1, k0), high, MUL(MUL(CONST(2), k2), k0))        \
  a = sum;
#define TRAIN_SHRUNK ADD(g, MUL(MUL(CONST(2), k3), v))

#define TRAIN_ftrl_BEFORE TRAIN_FTRL_BEFORE(k3)
#define TRAIN_ftrl_EACH TRAIN_FTRL(g)
#define TRAIN_ftrl_linear_BEFORE TRAIN_FTRL_BEFORE(k3)
#define TRAIN_ftrl_linear_EACH TRAIN_FTRL_BY_RATE(g)
#define TRAIN_ftrl_v2_BEFORE TRAIN_FTRL_BEFORE(k4)
#define TRAIN_ftrl_v2_EACH TRAIN_FTRL(TRAIN_SHRUNK)
#define TRAIN_ftrl_v2_linear_BEFORE TRAIN_FTRL_BEFORE(k4)
#define TRAIN_ftrl_v2_linear_EACH TRAIN_FTRL_BY_RATE(TRAIN_SHRUNK)

// The same, where it is known to be a root.
#define TRAIN_FTRL_ROOT_BEFORE \
  enum { is_root = 1 };        \
  const NUMBER to = CONST(0);  \
  (void)to;
#define TRAIN_ftrl_root_BEFORE TRAIN_FTRL_ROOT_BEFORE
#define TRAIN_ftrl_root_EACH TRAIN_ftrl_EACH
#define TRAIN_ftrl_linear_root_BEFORE TRAIN_FTRL_ROOT_BEFORE
#define TRAIN_ftrl_linear_root_EACH TRAIN_ftrl_linear_EACH
#define TRAIN_ftrl_v2_root_BEFORE TRAIN_FTRL_ROOT_BEFORE
#define TRAIN_ftrl_v2_root_EACH TRAIN_ftrl_v2_EACH
#define TRAIN_ftrl_v2_linear_root_BEFORE TRAIN_FTRL_ROOT_BEFORE
#define TRAIN_ftrl_v2_linear_root_EACH TRAIN_ftrl_v2_linear_EACH

#endif  // BERTH_OP_TRAIN_STEPS_H_
