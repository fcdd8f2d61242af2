// special.c - Special functions of real numbers, in double: the host's part of
// op/special.inc.
#include "cpu/loops/special.h"

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
