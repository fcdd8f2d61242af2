// math32.cuh - Functions of float, the same on cards and on the host.
//
// A card has no mathematical library without the vendor's toolkit. These are
// polynomials over a reduced argument, fitted in higher precision so that the
// error is level, and evaluated with fused products. Without branches where
// that is possible. NaN gives NaN; infinities, zeros and denormal numbers are
// treated as C does.
//
// Errors in units in the last place, checked by math_test.c against the C
// library: exp, log, log1p, sin, cos, pow, atan2 2; expm1, tan, tanh 4; erf
// 5; erfc 16 (its tail, which is a square in an exponent). sqrt, division,
// floor, ceil, rint, trunc, fmod are exact or correctly rounded.
//
// Pure functions.
#ifndef BERTH_CUDA_MATH_MATH32_CUH_
#define BERTH_CUDA_MATH_MATH32_CUH_

#include "cuda/math/math64.cuh"

#define BERTH_INF_F32 __builtin_inff()
#define BERTH_NAN_F32 __builtin_nanf("")

BERTH_GPU_FN float berth_fma_f32(float a, float b, float c) {
  return __builtin_fmaf(a, b, c);
}
// The larger of two numbers; of a number and NaN either.
BERTH_GPU_FN float berth_larger_f32(float a, float b) {
#ifdef __CUDA_ARCH__
  return __builtin_fmaxf(a, b);  // One instruction.
#else
  return a > b ? a : b;
#endif
}
BERTH_GPU_FN double berth_larger_f64(double a, double b) {
  return a > b ? a : b;
}

// a / b where the quotient, b and 1 / b are normal numbers. A card's division
// proper is several times longer than this one, which may be off by a unit.
BERTH_GPU_FN float berth_quotient_f32(float a, float b) {
#ifdef __CUDA_ARCH__
  float r;
  __asm__("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(b));
  const float q = a * r;
  return berth_fma_f32(berth_fma_f32(-q, b, a), r, q);
#else
  return a / b;
#endif
}
BERTH_GPU_FN float berth_abs_f32(float x) { return __builtin_fabsf(x); }
BERTH_GPU_FN float berth_copysign_f32(float x, float sign) {
  return __builtin_copysignf(x, sign);
}
BERTH_GPU_FN float berth_sqrt_f32(float x) { return __builtin_sqrtf(x); }
BERTH_GPU_FN float berth_rsqrt_f32(float x) {
  return 1.0f / __builtin_sqrtf(x);
}
BERTH_GPU_FN float berth_floor_f32(float x) { return __builtin_floorf(x); }
BERTH_GPU_FN float berth_ceil_f32(float x) { return __builtin_ceilf(x); }
BERTH_GPU_FN float berth_rint_f32(float x) { return __builtin_rintf(x); }
BERTH_GPU_FN float berth_trunc_f32(float x) { return __builtin_truncf(x); }

// ---- Exponential functions ----

// Adding this and taking it away again rounds to a whole number, which stands
// in the low bits in between.
#define BERTH_ROUNDER_F32 12582912.0f

// 2^n for n in [-126, 127].
BERTH_GPU_FN float berth_power_of_2_f32(int32_t n) {
  return berth_from_bits_f32((uint32_t)(n + 127) << 23);
}

// e^x - 1 = 2^n (1 + e) - 1 with n = round(x / ln 2). Stores n, returns e. x is
// in [-110, 100], or NaN.
BERTH_GPU_FN float berth_exp_parts_f32(float x, int32_t *out_n) {
  const float shifted = berth_fma_f32(x, 1.44269504f, BERTH_ROUNDER_F32);
  const float n = shifted - BERTH_ROUNDER_F32;
  *out_n = (int32_t)(berth_bits_f32(shifted) - 0x4b400000U);
  // ln 2 in two parts, the first with so few bits that n times it is exact.
  float r = berth_fma_f32(n, -0.693359375f, x);
  r = berth_fma_f32(n, 2.12194440e-4f, r);
  float q = berth_fma_f32(r, 0.00138146128f, 0.00836871006f);
  q = berth_fma_f32(r, q, 0.041668389f);
  q = berth_fma_f32(r, q, 0.166665211f);
  q = berth_fma_f32(r, q, 0.49999994f);
  return berth_fma_f32(r * r, q, r);
}

BERTH_GPU_FN float berth_exp_f32(float x) {
  // Beyond these the result is 0 or infinite whatever x is.
  float c = x < -110.0f ? -110.0f : x;
  c = c > 100.0f ? 100.0f : c;
  int32_t n;
  const float y = berth_exp_parts_f32(c, &n) + 1.0f;
  if (x != x) return x;
  // In two steps, so that the result may be denormal.
  return y * berth_power_of_2_f32(n / 2) * berth_power_of_2_f32(n - n / 2);
}

BERTH_GPU_FN float berth_expm1_f32(float x) {
  float c = x < -30.0f ? -30.0f : x;
  c = c > 100.0f ? 100.0f : c;
  int32_t n;
  const float e = berth_exp_parts_f32(c, &n);
  if (x != x || x == 0.0f) return x;
  // Half of 2^n, which n = 128 would take out of range.
  n = n > 128 ? 128 : n;
  const float s = berth_power_of_2_f32(n - 1);
  const float y = 2.0f * berth_fma_f32(s, e, s - 0.5f);
  return x > 89.0f ? BERTH_INF_F32 : y;
}

BERTH_GPU_FN float berth_tanh_f32(float x) {
  const float a = berth_abs_f32(x), s = a * a;
  float p = berth_fma_f32(s, 1.33191085e-08f, 2.05835113e-05f);
  p = berth_fma_f32(s, p, 0.00349403638f);
  p = berth_fma_f32(s, p, 0.133797199f);
  p = berth_fma_f32(s, p, 1.0f);
  float q = berth_fma_f32(s, 7.76203535e-07f, 0.000328309572f);
  q = berth_fma_f32(s, q, 0.0258710813f);
  q = berth_fma_f32(s, q, 0.467130333f);
  q = berth_fma_f32(s, q, 1.0f);
  float y = berth_quotient_f32(a * p, q);
  // Where the fit ends, or is beyond 1 by a rounding.
  y = ((a < 9.02f) & (y < 1.0f)) ? y : 1.0f;
  return x != x ? x : berth_copysign_f32(y, x);
}

// 1 / (1 + e^-x), from the side where e^-|x| cannot overflow.
BERTH_GPU_FN float berth_sigmoid_f32(float x) {
  const float e = berth_exp_f32(-berth_abs_f32(x));
  return berth_quotient_f32(x < 0.0f ? e : 1.0f, 1.0f + e);
}

// ---- Logarithms ----

BERTH_GPU_FN float berth_log_f32(float x) {
  // Denormal numbers are made normal first.
  const int tiny = x < 1.17549435e-38f;
  const uint32_t root = 0x3f3504f3U;  // Of sqrt(1/2).
  const uint32_t bits = berth_bits_f32(tiny ? x * 8388608.0f : x) - root;
  const float e = (float)((int32_t)bits >> 23) - (tiny ? 23.0f : 0.0f);
  // x = m * 2^e with m in [sqrt(1/2), sqrt(2)), and f = m - 1.
  const float f = berth_from_bits_f32((bits & 0x007fffffU) + root) - 1.0f;
  float q = berth_fma_f32(f, -0.0763449296f, 0.12761575f);
  q = berth_fma_f32(f, q, -0.131601825f);
  q = berth_fma_f32(f, q, 0.142017588f);
  q = berth_fma_f32(f, q, -0.166233569f);
  q = berth_fma_f32(f, q, 0.200012267f);
  q = berth_fma_f32(f, q, -0.250008196f);
  q = berth_fma_f32(f, q, 0.333333313f);
  const float s = f * f;
  // f - s/2 + f*s*q, the small terms first; ln 2 in two parts as in exp.
  float y = berth_fma_f32(f * s, q, e * -2.12194440e-4f);
  y = berth_fma_f32(s, -0.5f, y) + f;
  y = berth_fma_f32(e, 0.693359375f, y);
  y = x == 0.0f ? -BERTH_INF_F32 : y;
  y = x < 0.0f ? BERTH_NAN_F32 : y;
  return x < BERTH_INF_F32 ? y : x;
}

BERTH_GPU_FN float berth_log1p_f32(float x) {
  // log(u) is off by what was lost in u = 1 + x.
  const float u = 1.0f + x;
  const float lost = berth_quotient_f32(x - (u - 1.0f), u);
  float y = berth_log_f32(u) + lost;
  y = u == 0.0f ? -BERTH_INF_F32 : y;
  y = x == 0.0f ? x : y;
  return x < BERTH_INF_F32 ? y : x;
}

// ---- Angles ----

// x = n * pi/2 + r with |r| <= pi/4, for |x| <= 8192: beyond, the digits of
// pi/2 run out. Stores n modulo 4, returns r.
BERTH_GPU_FN float berth_quarters_near_f32(float x, uint32_t *out_n) {
  const float shifted = berth_fma_f32(x, 0.636619772f, BERTH_ROUNDER_F32);
  const float n = shifted - BERTH_ROUNDER_F32;
  *out_n = berth_bits_f32(shifted) & 3;
  // pi/2 in three parts; n times the first two is exact.
  float r = berth_fma_f32(n, -1.5703125f, x);
  r = berth_fma_f32(n, -4.83751297e-04f, r);
  return berth_fma_f32(n, -7.54978995e-08f, r);
}

// The same for any x.
BERTH_GPU_FN float berth_quarters_f32(float x, uint32_t *out_n) {
  double low;
  return berth_abs_f32(x) > 8192.0f
             ? (float)berth_quarters_f64((double)x, out_n, &low)
             : berth_quarters_near_f32(x, out_n);
}

// For |r| <= pi/4.
BERTH_GPU_FN float berth_sin_near_f32(float r) {
  const float s = r * r;
  float q = berth_fma_f32(s, -0.00019514632f, 0.00833215564f);
  q = berth_fma_f32(s, q, -0.166666552f);
  return berth_fma_f32(r * s, q, r);
}
BERTH_GPU_FN float berth_cos_near_f32(float r) {
  const float s = r * r;
  float q = berth_fma_f32(s, 2.44324128e-05f, -0.00138873095f);
  q = berth_fma_f32(s, q, 0.0416666456f);
  return berth_fma_f32(s * s, q, berth_fma_f32(s, -0.5f, 1.0f));
}

// The sine |quarters| of a turn further on.
BERTH_GPU_FN float berth_sin_turned_f32(float x, uint32_t quarters) {
  uint32_t n;
  const float r = berth_quarters_f32(x, &n);
  n += quarters;
  const float y = (n & 1) != 0 ? berth_cos_near_f32(r) : berth_sin_near_f32(r);
  return (n & 2) != 0 ? -y : y;
}

BERTH_GPU_FN float berth_sin_f32(float x) { return berth_sin_turned_f32(x, 0); }
BERTH_GPU_FN float berth_cos_f32(float x) { return berth_sin_turned_f32(x, 1); }

BERTH_GPU_FN float berth_tan_f32(float x) {
  uint32_t n;
  const float r = berth_quarters_f32(x, &n);
  const float sine = berth_sin_near_f32(r), cosine = berth_cos_near_f32(r);
  return (n & 1) != 0 ? berth_quotient_f32(-cosine, sine)
                      : berth_quotient_f32(sine, cosine);
}

// ---- The error function ----

BERTH_GPU_FN float berth_erf_f32(float x) {
  const float a = berth_abs_f32(x), s = a * a;
  float p = berth_fma_f32(s, 2.04197431e-06f, 0.00028480831f);
  p = berth_fma_f32(s, p, 0.00377959386f);
  p = berth_fma_f32(s, p, 0.0527902395f);
  p = berth_fma_f32(s, p, 0.190783471f);
  p = berth_fma_f32(s, p, 1.12837911f);
  float q = berth_fma_f32(s, 3.80040947e-05f, 0.00116520911f);
  q = berth_fma_f32(s, q, 0.0149974069f);
  q = berth_fma_f32(s, q, 0.114257373f);
  q = berth_fma_f32(s, q, 0.502410173f);
  q = berth_fma_f32(s, q, 1.0f);
  float y = berth_quotient_f32(a * p, q);
  y = ((a < 3.93f) & (y < 1.0f)) ? y : 1.0f;
  return x != x ? x : berth_copysign_f32(y, x);
}

// e^(-x^2) times a polynomial in t = 2 / (2 + x), for x >= 0.
BERTH_GPU_FN float berth_erfc_f32(float x) {
  float a = berth_abs_f32(x);
  a = a > 11.0f ? 11.0f : a;  // The result is 0 from there on.
  const float t = berth_quotient_f32(2.0f, 2.0f + a);
  float p = berth_fma_f32(t, -0.0553802587f, 0.265617162f);
  p = berth_fma_f32(t, p, -0.445324004f);
  p = berth_fma_f32(t, p, 0.22605592f);
  p = berth_fma_f32(t, p, 0.0132670412f);
  p = berth_fma_f32(t, p, 0.183160886f);
  p = berth_fma_f32(t, p, 0.249181747f);
  p = berth_fma_f32(t, p, 0.281218648f);
  p = berth_fma_f32(t, p, 0.282208234f);
  p = berth_fma_f32(t, p, -5.40449764e-06f);
  // The square in two parts, the first one exact: its rounding would show.
  const float head = berth_from_bits_f32(berth_bits_f32(a) & 0xfffff000U);
  const float tail = (a - head) * (a + head);
  const float y = berth_exp_f32(-head * head) * berth_exp_f32(-tail) * p;
  if (x != x) return x;
  return x < 0.0f ? 2.0f - y : y;
}

// ---- In double precision ----

BERTH_GPU_FN float berth_sinh_f32(float x) {
  return (float)berth_sinh_f64((double)x);
}
BERTH_GPU_FN float berth_cosh_f32(float x) {
  return (float)berth_cosh_f64((double)x);
}
BERTH_GPU_FN float berth_pow_f32(float x, float y) {
  return (float)berth_pow_f64((double)x, (double)y);
}
BERTH_GPU_FN float berth_atan2_f32(float y, float x) {
  return (float)berth_atan2_f64((double)y, (double)x);
}
BERTH_GPU_FN float berth_fmod_f32(float x, float y) {
  return (float)berth_fmod_f64((double)x, (double)y);
}

#endif  // BERTH_CUDA_MATH_MATH32_CUH_
