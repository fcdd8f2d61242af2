// vmath64.h - Functions of double for loops that compilers turn into vectors.
//
// As vmath.h: no branches, no calls, errors of a few units in the last place.
// Series are cut off where their terms vanish beside the first. Whole numbers
// are taken from and put into the bits of doubles, because not every
// instruction set converts 64-bit integers.
//
// Pure functions. For *_isa.c files.
#ifndef BERTH_CPU_LOOPS_VMATH64_H_
#define BERTH_CPU_LOOPS_VMATH64_H_

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/compiler.h"

static BERTH_INLINE double berth_vfma64(double a, double b, double c) {
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
  return __builtin_fma(a, b, c);
#else
  return a * b + c;
#endif
}

static BERTH_INLINE uint64_t berth_double_bits(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof(bits));
  return bits;
}

static BERTH_INLINE double berth_double_from_bits(uint64_t bits) {
  double x;
  memcpy(&x, &bits, sizeof(x));
  return x;
}

// Adding this and taking it away again rounds to a whole number, which stands
// in the low bits in between.
#define BERTH_VROUND64 6755399441055744.0

// As berth_vexp_reduce().
static BERTH_INLINE double berth_vexp64_reduce(double x, uint64_t *out_n) {
  double shifted = berth_vfma64(x, 1.4426950408889634, BERTH_VROUND64);
  double n = shifted - BERTH_VROUND64;
  *out_n = berth_double_bits(shifted);
  double r = berth_vfma64(n, -0.693147180369123816, x);
  return berth_vfma64(n, -1.90821492927058770e-10, r);
}

// (e^r - 1 - r) / r^2 on |r| <= ln 2 / 2: 1/2! + r/3! + … + r^11/13!.
static BERTH_INLINE double berth_vexp64_rest(double r) {
  double q = berth_vfma64(r, 1.6059043836821613e-10, 2.08767569878681e-09);
  q = berth_vfma64(r, q, 2.505210838544172e-08);
  q = berth_vfma64(r, q, 2.7557319223985888e-07);
  q = berth_vfma64(r, q, 2.7557319223985893e-06);
  q = berth_vfma64(r, q, 2.4801587301587302e-05);
  q = berth_vfma64(r, q, 1.984126984126984e-04);
  q = berth_vfma64(r, q, 1.388888888888889e-03);
  q = berth_vfma64(r, q, 8.333333333333333e-03);
  q = berth_vfma64(r, q, 4.1666666666666664e-02);
  q = berth_vfma64(r, q, 1.6666666666666666e-01);
  return berth_vfma64(r, q, 0.5);
}

static BERTH_INLINE double berth_vexp64(double x) {
  uint64_t n;
  double r = berth_vexp64_reduce(x, &n);
  double y = berth_vfma64(r * r, berth_vexp64_rest(r), r) + 1.0;
  y = berth_double_from_bits(berth_double_bits(y) + (n << 52));
  y = x < -708.3964185322641 ? 0.0 : y;
  // True for NaN too, which the product keeps.
  return !(x <= 709.782712893384) ? x * (double)INFINITY : y;
}

static BERTH_INLINE double berth_vexpm164(double x) {
  // Beyond these the result is -1 or infinite whatever x is.
  double c = x < -50.0 ? -50.0 : x;
  c = c > 710.0 ? 710.0 : c;
  uint64_t n;
  double r = berth_vexp64_reduce(c, &n);
  double e = berth_vfma64(r * r, berth_vexp64_rest(r), r);
  // Half of 2^n, which n = 1024 would take out of range.
  double s = berth_double_from_bits((n << 52) + UINT64_C(0x3fe0000000000000));
  double y = 2.0 * berth_vfma64(s, e, s - 0.5);
  y = x == 0.0 ? x : y;
  return x != x ? x : y;
}

// log(m * 2^e) for normal x = m * 2^e, m in [sqrt(1/2), sqrt(2)): with
// s = (m - 1) / (m + 1), log(m) = 2 (s + s^3/3 + … + s^21/21).
static BERTH_INLINE double berth_vlog64_normal(double x, double e_bias) {
  const uint64_t root = UINT64_C(0x3fe6a09e667f3bcd);   // Of sqrt(1/2).
  const uint64_t whole = UINT64_C(0x4330000000000000);  // Of 2^52.
  uint64_t bits = berth_double_bits(x) + (UINT64_C(0x3ff0000000000000) - root);
  double e = berth_double_from_bits((bits >> 52) | whole) -
             (4503599627370496.0 + 1023.0) + e_bias;
  double m =
      berth_double_from_bits((bits & UINT64_C(0x000fffffffffffff)) + root);
  double s = (m - 1.0) / (m + 1.0);
  double z = s * s;
  double q = berth_vfma64(z, 1.0 / 21, 1.0 / 19);
  q = berth_vfma64(z, q, 1.0 / 17);
  q = berth_vfma64(z, q, 1.0 / 15);
  q = berth_vfma64(z, q, 1.0 / 13);
  q = berth_vfma64(z, q, 1.0 / 11);
  q = berth_vfma64(z, q, 1.0 / 9);
  q = berth_vfma64(z, q, 1.0 / 7);
  q = berth_vfma64(z, q, 1.0 / 5);
  q = berth_vfma64(z, q, 1.0 / 3);
  double y = berth_vfma64(2.0 * s * z, q, e * 1.90821492927058770e-10);
  return berth_vfma64(e, 0.693147180369123816, y + 2.0 * s);
}

static BERTH_INLINE double berth_vlog64(double x) {
  // Denormal numbers are made normal first.
  double tiny = x < 2.2250738585072014e-308 ? 1.0 : 0.0;
  double y = berth_vlog64_normal(tiny != 0.0 ? x * 4503599627370496.0 : x,
                                 tiny * -52.0);
  y = x == 0.0 ? -(double)INFINITY : y;
  y = x < 0.0 ? (double)NAN : y;
  return !(x < (double)INFINITY) ? x + x : y;
}

static BERTH_INLINE double berth_vlog1p64(double x) {
  double u = 1.0 + x;
  double lost = (x - (u - 1.0)) / u;
  double y = berth_vlog64(u) + lost;
  y = u == 0.0 ? -(double)INFINITY : y;
  y = x == 0.0 ? x : y;
  return x < (double)INFINITY ? y : x;
}

static BERTH_INLINE double berth_vabs64(double x) {
  return berth_double_from_bits(berth_double_bits(x) &
                                UINT64_C(0x7fffffffffffffff));
}

static BERTH_INLINE double berth_vsigmoid64(double x) {
  double e = berth_vexp64(-berth_vabs64(x));
  double y = (x < 0.0 ? e : 1.0) / (1.0 + e);
  return x != x ? x : y;
}

static BERTH_INLINE double berth_vtanh64(double x) {
  double a = berth_vabs64(x);
  double e = berth_vexpm164(2.0 * (a > 20.0 ? 20.0 : a));
  double y = e / (e + 2.0);
  uint64_t sign = berth_double_bits(x) & UINT64_C(0x8000000000000000);
  y = berth_double_from_bits(berth_double_bits(y) | sign);
  return x != x ? x : y;
}

// log(1 + e), where |e| is e^x; beyond |limit| it is x or e^x.
static BERTH_INLINE double berth_vsoftplus64(double x, double e, double limit) {
  double y = berth_vlog1p64(e);
  y = x > limit ? x : y;
  return x < -limit ? e : y;
}

#endif  // BERTH_CPU_LOOPS_VMATH64_H_
