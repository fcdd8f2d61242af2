// varc.h - Inverses of angles, of float, for loops that compilers turn into
// vectors.
//
// As vmath.h: no branches, no calls; errors below 2 units in the last place.
// Pure functions. For *_isa.c files.
#ifndef BERTH_CPU_LOOPS_VARC_H_
#define BERTH_CPU_LOOPS_VARC_H_

#include "cpu/loops/vmath.h"
#include "cpu/loops/vpoly.h"

// pi/2 and pi in two parts.
#define BERTH_VPI_2 1.57079637f
#define BERTH_VPI_2_LOW -4.37113883e-8f
#define BERTH_VPI 3.14159274f
#define BERTH_VPI_LOW -8.74227766e-8f

// (asin(r) - r) / r^3, of s = r^2 in [0, 1/4].
static BERTH_INLINE float berth_vasin_rest(float s) {
  return BERTH_VPOLY(s, 0.166666657f, 0.0750009418f, 0.0445994027f,
                     0.0311006624f, 0.0171492379f, 0.0336908475f);
}

// From 1/2 on both are computed from the other side: acos(a) =
// 2 asin(sqrt((1 - a) / 2)).
static BERTH_INLINE float berth_vasin(float x) {
  float a = berth_vabs(x);
  float s = a > 0.5f ? berth_vfma(a, -0.5f, 0.5f) : a * a;
  float r = a > 0.5f ? sqrtf(s) : a;
  float rest = r * s * berth_vasin_rest(s);
  float far = (BERTH_VPI_2 - 2.0f * r) - (2.0f * rest - BERTH_VPI_2_LOW);
  return berth_vcopysign(a > 0.5f ? far : r + rest, x);
}

static BERTH_INLINE float berth_vacos(float x) {
  float a = berth_vabs(x);
  float s = a > 0.5f ? berth_vfma(a, -0.5f, 0.5f) : a * a;
  float r = a > 0.5f ? sqrtf(s) : a;
  float y = berth_vfma(r * s, berth_vasin_rest(s), r);
  float near = BERTH_VPI_2 - (berth_vcopysign(y, x) - BERTH_VPI_2_LOW);
  float far = 2.0f * y;
  far = x < 0.0f ? BERTH_VPI - (far - BERTH_VPI_LOW) : far;
  return a > 0.5f ? far : near;
}

// atan(low / high) for 0 <= low <= high.
static BERTH_INLINE float berth_vatan_of(float low, float high) {
  float t = low / high, s = t * t;
  float q =
      BERTH_VPOLY(s, -0.333333343f, 0.199999496f, -0.142840043f, 0.110882618f,
                  -0.089318268f, 0.0703191459f, -0.0489605144f, 0.0263050012f,
                  -0.00914462935f, 0.00148871f);  // So that atan(1) is pi/4.
  return berth_vfma(t * s, q, t);
}

static BERTH_INLINE float berth_vatan(float x) {
  float a = berth_vabs(x);
  float y = berth_vatan_of(a > 1.0f ? 1.0f : a, a > 1.0f ? a : 1.0f);
  y = a > 1.0f ? BERTH_VPI_2 - (y - BERTH_VPI_2_LOW) : y;
  return berth_vcopysign(y, x);
}

// The angle of the point (x, y).
static BERTH_INLINE float berth_vatan2(float y, float x) {
  float a = berth_vabs(y), b = berth_vabs(x);
  float low = a > b ? b : a, high = a > b ? a : b;
  // Of two zeros the angle is 0, of two infinities pi/4.
  high = high == 0.0f ? 1.0f : high;
  float is_far = low == INFINITY ? 1.0f : 0.0f;
  low = is_far != 0.0f ? 1.0f : low;
  high = is_far != 0.0f ? 1.0f : high;
  float angle = berth_vatan_of(low, high);
  angle = a > b ? BERTH_VPI_2 - (angle - BERTH_VPI_2_LOW) : angle;
  float back = BERTH_VPI - (angle - BERTH_VPI_LOW);
  angle = (int32_t)berth_float_bits(x) < 0 ? back : angle;
  angle = berth_vcopysign(angle, y);
  return ((x != x) | (y != y)) != 0 ? x + y : angle;
}

static BERTH_INLINE float berth_vatanh(float x) {
  float a = berth_vabs(x), s = a * a;
  float q =
      BERTH_VPOLY(s, 0.333333343f, 0.200000033f, 0.142854318f, 0.111200124f,
                  0.0895509943f, 0.0879660398f, 0.0186788868f, 0.157995135f);
  float near = berth_vfma(a * s, q, a);
  float far = 0.5f * berth_vlog((1.0f + a) / (1.0f - a));
  return berth_vcopysign(a > 0.5f ? far : near, x);
}

#endif  // BERTH_CPU_LOOPS_VARC_H_
