// vmath.h - Functions of float for loops that compilers turn into vectors.
//
// As vexp.h: no branches, no calls. Errors are a few units in the last place.
// The coefficients are minimax fits (weighted least squares, reweighted until
// the error is level), computed in double and rounded.
//
// Pure functions. For *_isa.c files.
#ifndef BERTH_CPU_VMATH_H_
#define BERTH_CPU_VMATH_H_

#include "cpu/vexp.h"

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

// log(1 + e^x).
static BERTH_INLINE float berth_vsoftplus(float x) {
  float e = berth_vexp(x);
  float y = berth_vlog1p(e);
  y = x > 13.94f ? x : y;
  return x < -13.94f ? e : y;
}

#endif  // BERTH_CPU_VMATH_H_
