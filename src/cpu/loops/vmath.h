// vmath.h - Functions of float for loops that compilers turn into vectors.
//
// As vexp.h: no branches, no calls. Errors are a few units in the last place.
// The coefficients are minimax fits (weighted least squares, reweighted until
// the error is level), computed in double and rounded.
//
// Pure functions. For *_isa.c files.
#ifndef BERTH_CPU_LOOPS_VMATH_H_
#define BERTH_CPU_LOOPS_VMATH_H_

#include "cpu/loops/vexp.h"

static BERTH_INLINE float berth_vabs(float x) {
  return berth_float_from_bits(berth_float_bits(x) & 0x7fffffffU);
}

// Returns |x| with the sign of |sign|.
static BERTH_INLINE float berth_vcopysign(float x, float sign) {
  return berth_float_from_bits((berth_float_bits(x) & 0x7fffffffU) |
                               (berth_float_bits(sign) & 0x80000000U));
}

// log(m * 2^e) for normal x = m * 2^e, m in [sqrt(1/2), sqrt(2)).
static BERTH_INLINE float berth_vlog_normal(float x, float e_bias) {
  uint32_t bits = berth_float_bits(x) - 0x3f3504f3U;  // Of sqrt(1/2).
  float e = (float)((int32_t)bits >> 23) + e_bias;
  float f = berth_float_from_bits((bits & 0x007fffffU) + 0x3f3504f3U) - 1.0f;
  float q = berth_vfma(f, -0.0763449296f, 0.12761575f);
  q = berth_vfma(f, q, -0.131601825f);
  q = berth_vfma(f, q, 0.142017588f);
  q = berth_vfma(f, q, -0.166233569f);
  q = berth_vfma(f, q, 0.200012267f);
  q = berth_vfma(f, q, -0.250008196f);
  q = berth_vfma(f, q, 0.333333313f);
  float s = f * f;
  // f - s/2 + f*s*q, the small terms first; ln 2 in two parts as in exp.
  float y = berth_vfma(f * s, q, e * -2.12194440e-4f);
  y = berth_vfma(s, -0.5f, y) + f;
  return berth_vfma(e, 0.693359375f, y);
}

static BERTH_INLINE float berth_vlog(float x) {
  // Denormal numbers are made normal first.
  float tiny = x < 1.17549435e-38f ? 1.0f : 0.0f;
  float y = berth_vlog_normal(tiny != 0.0f ? x * 8388608.0f : x, tiny * -23.0f);
  y = x == 0.0f ? -INFINITY : y;
  y = x < 0.0f ? NAN : y;
  return !(x < INFINITY) ? x + x : y;
}

static BERTH_INLINE float berth_vlog1p(float x) {
  // log(u) is off by what was lost in u = 1 + x.
  float u = 1.0f + x;
  float lost = (x - (u - 1.0f)) / u;
  float y = berth_vlog(u) + lost;
  y = u == 0.0f ? -INFINITY : y;
  y = x == 0.0f ? x : y;
  return x < INFINITY ? y : x;
}

static BERTH_INLINE float berth_vexpm1(float x) {
  // Beyond these the result is -1 or infinite whatever x is.
  float c = x < -30.0f ? -30.0f : x;
  c = c > 89.0f ? 89.0f : c;
  uint32_t n;
  float r = berth_vexp_reduce(c, &n);
  float e = berth_vfma(r * r, berth_vexp_rest(r), r);
  // Half of 2^n, which n = 128 would take out of range.
  float s = berth_float_from_bits((n << 23) + 0x3f000000U);
  float y = 2.0f * berth_vfma(s, e, s - 0.5f);
  y = x == 0.0f ? x : y;
  return x != x ? x : y;
}

static BERTH_INLINE float berth_vsigmoid(float x) {
  // From the side where e^-|x| cannot overflow.
  float a = berth_vabs(x);
  float e = berth_vexp(-a);
  float y = (x < 0.0f ? e : 1.0f) / (1.0f + e);
  return x != x ? x : y;
}

static BERTH_INLINE float berth_vtanh(float x) {
  float a = berth_vabs(x);
  float s = a * a;
  float p = berth_vfma(s, 1.33191085e-08f, 2.05835113e-05f);
  p = berth_vfma(s, p, 0.00349403638f);
  p = berth_vfma(s, p, 0.133797199f);
  p = berth_vfma(s, p, 1.0f);
  float q = berth_vfma(s, 7.76203535e-07f, 0.000328309572f);
  q = berth_vfma(s, q, 0.0258710813f);
  q = berth_vfma(s, q, 0.467130333f);
  q = berth_vfma(s, q, 1.0f);
  float y = a * p / q;
  // Where the fit ends, or is beyond 1 by a rounding.
  y = ((a < 9.02f) & (y < 1.0f)) ? y : 1.0f;
  return x != x ? x : berth_vcopysign(y, x);
}

static BERTH_INLINE float berth_verf(float x) {
  float a = berth_vabs(x);
  float s = a * a;
  float p = berth_vfma(s, 2.04197431e-06f, 0.00028480831f);
  p = berth_vfma(s, p, 0.00377959386f);
  p = berth_vfma(s, p, 0.0527902395f);
  p = berth_vfma(s, p, 0.190783471f);
  p = berth_vfma(s, p, 1.12837911f);
  float q = berth_vfma(s, 3.80040947e-05f, 0.00116520911f);
  q = berth_vfma(s, q, 0.0149974069f);
  q = berth_vfma(s, q, 0.114257373f);
  q = berth_vfma(s, q, 0.502410173f);
  q = berth_vfma(s, q, 1.0f);
  float y = a * p / q;
  y = ((a < 3.93f) & (y < 1.0f)) ? y : 1.0f;
  return x != x ? x : berth_vcopysign(y, x);
}

// e^(-x^2) times a polynomial in t = 2 / (2 + x), for x >= 0.
static BERTH_INLINE float berth_verfc(float x) {
  float a = berth_vabs(x);
  a = a > 11.0f ? 11.0f : a;  // The result is 0 from there on.
  float t = 2.0f / (2.0f + a);
  float p = berth_vfma(t, -0.0553802587f, 0.265617162f);
  p = berth_vfma(t, p, -0.445324004f);
  p = berth_vfma(t, p, 0.22605592f);
  p = berth_vfma(t, p, 0.0132670412f);
  p = berth_vfma(t, p, 0.183160886f);
  p = berth_vfma(t, p, 0.249181747f);
  p = berth_vfma(t, p, 0.281218648f);
  p = berth_vfma(t, p, 0.282208234f);
  p = berth_vfma(t, p, -5.40449764e-06f);
  // The square in two parts, the first one exact: its rounding would show.
  float head = berth_float_from_bits(berth_float_bits(a) & 0xfffff000U);
  float tail = (a - head) * (a + head);
  float y = berth_vexp(-head * head) * berth_vexp(-tail) * p;
  y = x < 0.0f ? 2.0f - y : y;
  return x != x ? x : y;
}

// Beyond this the reduction below has too few digits.
#define BERTH_VTRIG_LIMIT 8192.0f

// x = n * pi/2 + r with |r| <= pi/4, for |x| <= BERTH_VTRIG_LIMIT. Stores n, in
// the low bits of a float's pattern, and returns r.
static BERTH_INLINE float berth_vtrig_reduce(float x, uint32_t *out_n) {
  float shifted = berth_vfma(x, 0.636619772f, BERTH_VROUND);
  float n = shifted - BERTH_VROUND;
  *out_n = berth_float_bits(shifted);
  // pi/2 in three parts; n times the first two is exact.
  float r = berth_vfma(n, -1.5703125f, x);
  r = berth_vfma(n, -4.83751297e-04f, r);
  return berth_vfma(n, -7.54978995e-08f, r);
}

static BERTH_INLINE float berth_vsin_inside(float r) {
  float s = r * r;
  float q = berth_vfma(s, -0.00019514632f, 0.00833215564f);
  q = berth_vfma(s, q, -0.166666552f);
  return berth_vfma(r * s, q, r);
}

static BERTH_INLINE float berth_vcos_inside(float r) {
  float s = r * r;
  float q = berth_vfma(s, 2.44324128e-05f, -0.00138873095f);
  q = berth_vfma(s, q, 0.0416666456f);
  return berth_vfma(s * s, q, berth_vfma(s, -0.5f, 1.0f));
}

// The sine |quarters| of a turn further on; |x| <= BERTH_VTRIG_LIMIT.
static BERTH_INLINE float berth_vsin_turned(float x, uint32_t quarters) {
  uint32_t n;
  float r = berth_vtrig_reduce(x, &n);
  n += quarters;
  float y = (n & 1) != 0 ? berth_vcos_inside(r) : berth_vsin_inside(r);
  y = berth_float_from_bits(berth_float_bits(y) ^ ((n & 2) << 30));
  return (x == 0.0f) & (quarters == 0) ? x : y;
}

// The tangent; |x| <= BERTH_VTRIG_LIMIT.
static BERTH_INLINE float berth_vtan(float x) {
  uint32_t n;
  float r = berth_vtrig_reduce(x, &n);
  float sine = berth_vsin_inside(r), cosine = berth_vcos_inside(r);
  float y = (n & 1) != 0 ? -cosine / sine : sine / cosine;
  return x == 0.0f ? x : y;
}

// log(1 + e), where |e| is e^x; beyond |limit| it is x or e^x.
static BERTH_INLINE float berth_vsoftplus(float x, float e, float limit) {
  float y = berth_vlog1p(e);
  y = x > limit ? x : y;
  return x < -limit ? e : y;
}

#endif  // BERTH_CPU_LOOPS_VMATH_H_
