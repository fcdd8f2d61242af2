// vpower64.h - Powers of double, for loops that compilers turn into vectors.
//
// As vmath64.h: no branches, no calls. berth_vpow64() needs an instruction set
// that multiplies and adds at once; without it the C library's is called.
//
// Pure functions. For *_isa.c files.
#ifndef BERTH_CPU_LOOPS_VPOWER64_H_
#define BERTH_CPU_LOOPS_VPOWER64_H_

#include "cpu/loops/vpoly.h"

// x^y, where |power| is |x|^y: what is negative, and what is no number.
static BERTH_INLINE double berth_vpow64_signed(double x, double y,
                                               double power) {
  const uint64_t bit = UINT64_C(0x8000000000000000);
  double half = 0.5 * y;
  double is_even = trunc(half) == half ? 1.0 : 0.0;
  double is_part = trunc(y) == y ? 0.0 : 1.0;
  double is_odd = 1.0 - is_even - is_part;
  uint64_t flip = is_odd > 0.0 ? berth_double_bits(x) & bit : 0;
  double p = berth_double_from_bits(berth_double_bits(power) ^ flip);
  double is_wrong = x < 0.0 ? is_part : 0.0;
  is_wrong = x < -1.7976931348623157e308 ? 0.0 : is_wrong;
  p = is_wrong != 0.0 ? (double)NAN : p;
  p = y == 0.0 ? 1.0 : p;
  return x == 1.0 ? 1.0 : p;
}

// Beyond it all powers but those of 1 are 0 or infinite. An infinite one of 1
// is 1.
static BERTH_INLINE double berth_vpow64_exponent(double y) {
  double c = y > 1e30 ? 1e30 : y;
  return c < -1e30 ? -1e30 : c;
}

// x^y with a relative error of 1e-13: enough for what is rounded to float.
static BERTH_INLINE double berth_vpow64_rough(double x, double y) {
  double high = berth_vlog64(berth_vabs64(x));
  double power = berth_vexp64(berth_vpow64_exponent(y) * high);
  return berth_vpow64_signed(x, y, power);
}

#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
// log(x) for finite x > 0 as the sum of the result and |*out_low|, good to some
// 65 bits: powers multiply its error by up to 745.
static BERTH_INLINE double berth_vlog64_sum(double x, double *out_low) {
  const uint64_t root = UINT64_C(0x3fe6a09e667f3bcd);   // Of sqrt(1/2).
  const uint64_t whole = UINT64_C(0x4330000000000000);  // Of 2^52.
  double tiny = x < 2.2250738585072014e-308 ? 1.0 : 0.0;
  double normal = tiny != 0.0 ? x * 18014398509481984.0 : x;
  uint64_t bits =
      berth_double_bits(normal) + (UINT64_C(0x3ff0000000000000) - root);
  double e = berth_double_from_bits((bits >> 52) | whole) -
             (4503599627370496.0 + 1023.0) - tiny * 54.0;
  double m =
      berth_double_from_bits((bits & UINT64_C(0x000fffffffffffff)) + root);
  // s + s_low = (m - 1) / (m + 1), with all of the divisor.
  double f = m - 1.0, g = m + 1.0, g_low = m - (g - 1.0), of = 1.0 / g;
  double s = f * of;
  double s_low = (berth_vfma64(-s, g, f) - s * g_low) * of;
  // 2 s^3 / 3 as a sum; what is behind it is small enough for one double.
  double z = s * s, z_low = berth_vfma64(s, s, -z) + 2.0 * s * s_low;
  double c = z * s, c_low = berth_vfma64(z, s, -c) + z_low * s + z * s_low;
  double t = c * (2.0 / 3);
  double t_low = berth_vfma64(c, 2.0 / 3, -t) + c * 3.700743415417188e-17 +
                 c_low * (2.0 / 3);
  double rest = c * z *
                BERTH_VPOLY64(z, 2.0 / 5, 2.0 / 7, 2.0 / 9, 2.0 / 11, 2.0 / 13,
                              2.0 / 15, 2.0 / 17, 2.0 / 19, 2.0 / 21, 2.0 / 23);
  // e ln 2 + 2 s + t, from the largest down.
  double a = e * 0.693147180369123816, b = a + 2.0 * s;
  double b_low = e != 0.0 ? 2.0 * s - (b - a) : 0.0;
  double y = b + t, y_low = t - (y - b);
  double low =
      y_low +
      (b_low + (t_low + (rest + (2.0 * s_low + e * 1.90821492927058770e-10))));
  double high = y + low;
  *out_low = low - (high - y);
  return high;
}

static BERTH_INLINE double berth_vpow64(double x, double y) {
  double a = berth_vabs64(x), c = berth_vpow64_exponent(y), low;
  double high = berth_vlog64_sum(a, &low);
  high = a == 0.0 ? -(double)INFINITY : high;
  high = a < (double)INFINITY ? high : a;  // A NaN stays.
  double product = c * high;
  double rest = berth_vfma64(c, high, -product) + c * low;
  double power = berth_vexp64(product);
  // Beyond it the rest may be no number.
  double exact = berth_vfma64(power, rest, power);
  power = berth_vabs64(product) < 709.78 ? exact : power;
  return berth_vpow64_signed(x, y, power);
}
#else
static BERTH_INLINE double berth_vpow64(double x, double y) {
  return pow(x, y);
}
#endif

#endif  // BERTH_CPU_LOOPS_VPOWER64_H_
