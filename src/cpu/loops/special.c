// special.c - Special functions of real numbers, in double: the host's part of
// op/special.inc, and what cards do not have.
#include "cpu/loops/special.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <stdbool.h>

// ---- Those of both ----

double berth_special_lgamma(double x) {
  int sign = 0;
  return lgamma_r(x, &sign);
}

static double abs_of(double x) { return fabs(x); }

#define SPECIAL(name) double berth_special_##name
#define STEP static
#define S(name) berth_special_##name
#define M(name) M_##name
#define M_abs abs_of
#define M_floor floor
#define M_fmod fmod
#define M_exp exp
#define M_log log
#define M_log1p log1p
#define M_pow pow
#define M_sqrt sqrt
#define M_tan tan
#define M_sinh sinh
#define M_cosh cosh
#define M_erf erf
#define M_erfc erfc
#define M_copysign copysign
#include "op/special.inc"

float berth_special_digamma_float(float x) {
  if (!(x > 0) || isinf(x)) return (float)berth_special_digamma(x);
  float sum = 0;
  for (; x < 10; ++x) sum += 1 / x;
  float z = 1 / (x * x);
  float series =
      z * (z * (z * (z * -4.16666667e-3F + 3.96825397e-3F) - 8.33333333e-3F) +
           8.33333333e-2F);
  return logf(x) - 0.5F / x - series - sum;
}

enum { MAX_TERMS = 10000 };

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
