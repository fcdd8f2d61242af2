// vexp.h - The exponential function of float, for loops that compilers turn
// into vectors.
//
// No branches, no calls, no tables: a select becomes a blend. The error is
// below 1.5 units in the last place; results below the smallest normal number
// are 0, as with TensorFlow, which computes with denormal numbers flushed.
//
// Pure functions. For *_isa.c files: each copy gets its own instructions.
#ifndef BERTH_CPU_LOOPS_VEXP_H_
#define BERTH_CPU_LOOPS_VEXP_H_

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/compiler.h"

// Tells the compiler that the iterations of the next loop do not depend on each
// other, although the output may be one of the inputs.
#if defined(__clang__)
#define BERTH_VECTOR_LOOP _Pragma("clang loop vectorize(assume_safety)")
#else
#define BERTH_VECTOR_LOOP _Pragma("GCC ivdep")
#endif

// a * b + c, fused where the instruction set can: a call of fmaf() would cost
// more than everything else.
static BERTH_INLINE float berth_vfma(float a, float b, float c) {
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
  return __builtin_fmaf(a, b, c);
#else
  return a * b + c;
#endif
}

static BERTH_INLINE uint32_t berth_float_bits(float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof(bits));
  return bits;
}

static BERTH_INLINE float berth_float_from_bits(uint32_t bits) {
  float x;
  memcpy(&x, &bits, sizeof(x));
  return x;
}

// Adding this and taking it away again rounds to a whole number, which stands
// in the low bits in between.
#define BERTH_VROUND 12582912.0f

// e^x = 2^n * e^r with n = round(x / ln 2), |r| <= ln 2 / 2. Stores n, in the
// low bits of a float's pattern, and returns r.
static BERTH_INLINE float berth_vexp_reduce(float x, uint32_t *out_n) {
  float shifted = berth_vfma(x, 1.44269504f, BERTH_VROUND);
  float n = shifted - BERTH_VROUND;
  *out_n = berth_float_bits(shifted);
  // ln 2 in two parts, the first with so few bits that n times it is exact.
  float r = berth_vfma(n, -0.693359375f, x);
  return berth_vfma(n, 2.12194440e-4f, r);
}

// (e^r - 1 - r) / r^2 on |r| <= ln 2 / 2, a minimax fit (error of e^r: 3e-9).
static BERTH_INLINE float berth_vexp_rest(float r) {
  float q = berth_vfma(r, 0.00138146128f, 0.00836871006f);
  q = berth_vfma(r, q, 0.041668389f);
  q = berth_vfma(r, q, 0.166665211f);
  return berth_vfma(r, q, 0.49999994f);
}

// e^x where x is known to be in [-87, 88] (no check, no NaN).
static BERTH_INLINE float berth_vexp_inside(float x) {
  uint32_t n;
  float r = berth_vexp_reduce(x, &n);
  float y = berth_vfma(r * r, berth_vexp_rest(r), r) + 1.0f;
  return berth_float_from_bits(berth_float_bits(y) + (n << 23));
}

// e^x for any x.
static BERTH_INLINE float berth_vexp(float x) {
  float y = berth_vexp_inside(x);
  y = x < -87.33654f ? 0.0f : y;
  // True for NaN too, which the product keeps.
  return !(x <= 88.722835f) ? x * INFINITY : y;
}

#endif  // BERTH_CPU_LOOPS_VEXP_H_
