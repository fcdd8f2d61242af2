// special_integrals.c - Special functions that are integrals: Dawson's, the
// exponential one, Fresnel's, Spence's; derivatives of the incomplete gamma
// function.
#include <complex.h>
#include <float.h>
#include <math.h>
#include <stdbool.h>

#include "cpu/loops/special.h"

enum { MAX_TERMS = 10000 };

// ---- Dawson ----

// Rybicki's sum over odd n of e^-(x - nh)^2 / n, whose error is e^-(pi / 2h)^2;
// terms of n and -n together, so that small numbers lose no digits.
double berth_special_dawsn(double x) {
  const double h = 0.2;
  if (isnan(x)) return x;
  if (fabs(x) > 50) {
    double z = 1 / (x * x);
    return (1 + z * (0.5 + z * (0.75 + z * (1.875 + z * 6.5625)))) / (2 * x);
  }
  double sum = 0, size = fabs(x);
  for (int n = 1; n * h < size + 7; n += 2) {
    double near = exp(-(size - n * h) * (size - n * h));
    double part = size < 1 ? exp(-size * size - n * h * n * h) * 2 *
                                 sinh(2 * size * n * h)
                           : near - exp(-(size + n * h) * (size + n * h));
    sum += part / n;
  }
  return copysign(sum / sqrt(M_PI), x);
}

// ---- Ei ----

double berth_special_expint(double x) {
  if (!(x >= 0) || isinf(x)) return NAN;
  if (x == 0) return -INFINITY;
  double sum = 0, term = 1;
  if (x > 40) {
    for (int k = 1; k < x; ++k) {
      sum += term;
      term *= k / x;
      if (term < DBL_EPSILON / 4) break;
    }
    return exp(x) / x * sum;
  }
  for (int k = 1; k < 200; ++k) {
    term *= x / k;
    sum += term / k;
    if (term / k < sum * DBL_EPSILON / 4) break;
  }
  return 0.57721566490153286061 + log(x) + sum;
}

// ---- Fresnel ----

// The integral of e^(i pi t^2 / 2) from 0 to |size|.
static double complex fresnel(double size) {
  double square = M_PI * size * size, angle = square / 2;
  if (size < 1.5) {
    // The series of e^(i angle), integrated term by term.
    double complex term = size, sum = size;
    for (int k = 1; k < 100; ++k) {
      term *= I * angle / k;
      sum += term / (2 * k + 1);
      if (cabs(term) < DBL_EPSILON * cabs(sum)) break;
    }
    return sum;
  }
  if (size > 1e8) return 0.5 + 0.5 * I;
  double complex b = 1 - I * square, c = 1 / DBL_MIN, d = 1 / b, h = d;
  for (int k = 1; k < MAX_TERMS; ++k) {
    double a = -(2.0 * k - 1) * (2.0 * k);
    b += 4;
    d = 1 / (a * d + b);
    c = b + a / c;
    h *= c * d;
    if (cabs(c * d - 1) < DBL_EPSILON) break;
  }
  double complex turn = cos(angle) + I * sin(angle);
  return (0.5 + 0.5 * I) * (1 - turn * h * (size - I * size));
}

double berth_special_fresnel_cos(double x) {
  return isnan(x) ? x : copysign(creal(fresnel(fabs(x))), x);
}

double berth_special_fresnel_sin(double x) {
  return isnan(x) ? x : copysign(cimag(fresnel(fabs(x))), x);
}

// ---- Spence ----

// Li2(1 - x): the series in -log(x) with Bernoulli's numbers for x near 1, and
// to there by reflection.
double berth_special_spence(double x) {
  static const double factors[] = {4.518980029619918e-16,
                                   -1.9939295860721076e-14,
                                   8.921691020456453e-13,
                                   -4.0647616451442255e-11,
                                   1.0 / 526901760,
                                   -1.0 / 10886400,
                                   1.0 / 211680,
                                   -1.0 / 3600,
                                   1.0 / 36};
  if (!(x >= 0) || isinf(x)) return NAN;
  if (x == 0) return M_PI * M_PI / 6;
  double u = -log(x), square = u * u, sum = 0;
  if (x > 2) return -square / 2 - berth_special_spence(1 / x);
  if (x < 0.5) {
    return M_PI * M_PI / 6 + u * log1p(-x) - berth_special_spence(1 - x);
  }
  for (int i = 0; i < 9; ++i) sum = sum * square + factors[i];
  return u - square / 4 + sum * square * u;
}

// ---- The incomplete gamma function's derivative by a ----

// A value, its derivative by a, and the same of what it is a factor of.
typedef struct factor {
  double value, slope, front_slope;
} factor_t;

// The series; in front of it is x^a e^-x / Γ(a + 1).
static factor_t lower_factor(double a, double x) {
  double term = 1, term_slope = 0;
  factor_t factor = {1, 0, log(x) - berth_special_digamma(a + 1)};
  for (int i = 1; i < MAX_TERMS; ++i) {
    double r = a + i;
    term_slope = (term_slope - term / r) * (x / r);
    term *= x / r;
    factor.value += term;
    factor.slope += term_slope;
    if (fabs(term_slope) <= DBL_EPSILON * fabs(factor.slope)) break;
  }
  return factor;
}

// The continued fraction of the upper one, as quotients that are kept in
// range; in front of it is x^a e^-x / Γ(a).
static factor_t upper_factor(double a, double x) {
  double p[3] = {1, x + 1, 0}, dp[3] = {0, 0, 0};
  double q[3] = {x, (x + 2 - a) * x, 0}, dq[3] = {0, -x, 0};
  factor_t factor = {p[1] / q[1], 0, log(x) - berth_special_digamma(a)};
  factor.slope = (dp[1] - factor.value * dq[1]) / q[1];
  for (int i = 1; i < MAX_TERMS; ++i) {
    double y = 1 - a + i, z = x + 2 - a + 2 * i, yi = y * i;
    p[2] = p[1] * z - p[0] * yi;
    q[2] = q[1] * z - q[0] * yi;
    dp[2] = dp[1] * z - p[1] - dp[0] * yi + p[0] * i;
    dq[2] = dq[1] * z - q[1] - dq[0] * yi + q[0] * i;
    double before = factor.slope;
    if (q[2] != 0) {
      factor.value = p[2] / q[2];
      factor.slope = (dp[2] - factor.value * dq[2]) / q[2];
      if (fabs(factor.slope - before) <= DBL_EPSILON * fabs(before)) break;
    }
    double scale = fabs(p[2]) > 1e100 ? 1e-100 : 1;
    for (int k = 0; k < 2; ++k) {
      p[k] = p[k + 1] * scale;
      q[k] = q[k + 1] * scale;
      dp[k] = dp[k + 1] * scale;
      dq[k] = dq[k + 1] * scale;
    }
  }
  return factor;
}

double berth_special_igamma_grad_a(double a, double x) {
  if (x == 0) return 0;
  if (isnan(a) || isnan(x) || x < 0 || a <= 0) return NAN;
  bool is_upper = x > 1 && x > a;
  factor_t factor = is_upper ? upper_factor(a, x) : lower_factor(a, x);
  double power = a * log(x) - x - berth_special_lgamma(is_upper ? a : a + 1);
  double value = factor.slope + factor.value * factor.front_slope;
  return exp(power) * (is_upper ? -value : value);
}

double berth_special_gamma_grad(double alpha, double sample) {
  if (sample == 0 || isinf(alpha)) return 0;
  if (isnan(alpha) || isnan(sample) || sample < 0 || alpha <= 0) return NAN;
  bool is_upper = sample > 1 && sample > alpha;
  factor_t factor =
      is_upper ? upper_factor(alpha, sample) : lower_factor(alpha, sample);
  double value = factor.slope + factor.value * factor.front_slope;
  return is_upper ? value * sample : -value * sample / alpha;
}
