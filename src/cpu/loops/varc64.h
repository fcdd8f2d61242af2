// varc64.h - Inverses of angles, hyperbolic functions and their inverses, of
// double, for loops that compilers turn into vectors.
//
// As vmath64.h: no branches, no calls; errors below 4 units in the last place.
// Pure functions. For *_isa.c files.
#ifndef BERTH_CPU_LOOPS_VARC64_H_
#define BERTH_CPU_LOOPS_VARC64_H_

#include "cpu/loops/vmath64.h"
#include "cpu/loops/vpoly.h"

// pi/2 and pi in two parts.
#define BERTH_VPI_2_64 1.5707963267948966
#define BERTH_VPI_2_LOW64 6.123233995736766e-17
#define BERTH_VPI_64 3.141592653589793
#define BERTH_VPI_LOW64 1.2246467991473532e-16

static BERTH_INLINE double berth_vcopysign64(double x, double sign) {
  const uint64_t bit = UINT64_C(0x8000000000000000);
  return berth_double_from_bits((berth_double_bits(x) & ~bit) |
                                (berth_double_bits(sign) & bit));
}

// (asin(r) - r) / r^3, of s = r^2 in [0, 1/4].
static BERTH_INLINE double berth_vasin64_rest(double s) {
  return BERTH_VPOLY64(
      s, 0.16666666666666666, 0.075000000000001177, 0.044642857142551895,
      0.03038194447553234, 0.022372157443507221, 0.0173528165403255,
      0.013963780012203492, 0.011566459612122493, 0.0096218429700941476,
      0.0093195607947991164, 0.0030448799093443393, 0.019554513336377578,
      -0.019241671747082863, 0.029612011265156984);
}

// As berth_vasin() and berth_vacos().
static BERTH_INLINE double berth_vasin64(double x) {
  double a = berth_vabs64(x);
  double s = a > 0.5 ? berth_vfma64(a, -0.5, 0.5) : a * a;
  double r = a > 0.5 ? sqrt(s) : a;
  double rest = r * s * berth_vasin64_rest(s);
  double far = (BERTH_VPI_2_64 - 2.0 * r) - (2.0 * rest - BERTH_VPI_2_LOW64);
  return berth_vcopysign64(a > 0.5 ? far : r + rest, x);
}

static BERTH_INLINE double berth_vacos64(double x) {
  double a = berth_vabs64(x);
  double s = a > 0.5 ? berth_vfma64(a, -0.5, 0.5) : a * a;
  double r = a > 0.5 ? sqrt(s) : a;
  double y = berth_vfma64(r * s, berth_vasin64_rest(s), r);
  double near = BERTH_VPI_2_64 - (berth_vcopysign64(y, x) - BERTH_VPI_2_LOW64);
  double far = 2.0 * y;
  far = x < 0.0 ? BERTH_VPI_64 - (far - BERTH_VPI_LOW64) : far;
  return a > 0.5 ? far : near;
}

// atan(low / high) for 0 <= low <= high < 1e308. Above an angle of pi/8 it is
// what is missing from pi/4 that is computed.
static BERTH_INLINE double berth_vatan64_of(double low, double high) {
  double is_wide = low > 0.41421356237309503 * high ? 1.0 : 0.0;
  double up = is_wide != 0.0 ? low - high : low;
  double down = is_wide != 0.0 ? low + high : high;
  double t = up / down, s = t * t;
  double q = BERTH_VPOLY64(
      s, -0.33333333333333331, 0.19999999999999804, -0.14285714285659779,
      0.11111111105150588, -0.090909087532591124, 0.076922963680422965,
      -0.066664247602005067, 0.058789275544736681, -0.052304436406860458,
      0.045515447340184798, -0.034569315063240409, 0.016284375049956695);
  double y = berth_vfma64(t * s, q, t);
  double wide = (y + BERTH_VPI_2_LOW64 / 2) + BERTH_VPI_2_64 / 2;
  return is_wide != 0.0 ? wide : y;
}

static BERTH_INLINE double berth_vatan64(double x) {
  double a = berth_vabs64(x);
  // Beyond it the angle is a right one, as far as a double can tell.
  double c = a > 1e300 ? 1e300 : a;
  double y = berth_vatan64_of(c > 1.0 ? 1.0 : c, c > 1.0 ? c : 1.0);
  y = c > 1.0 ? BERTH_VPI_2_64 - (y - BERTH_VPI_2_LOW64) : y;
  return x != x ? x : berth_vcopysign64(y, x);
}

// As berth_vatan2().
static BERTH_INLINE double berth_vatan2_64(double y, double x) {
  double a = berth_vabs64(y), b = berth_vabs64(x);
  double low = a > b ? b : a, high = a > b ? a : b;
  // Sums of the largest numbers are kept in range. Of two zeros the angle is 0,
  // of two infinities pi/4.
  double scale = high > 1e300 ? 0.5 : 1.0;
  double near = low == (double)INFINITY ? 1.0 : 0.0;
  low = high == (double)INFINITY ? near : low * scale;
  high = (high == 0.0) | (high == (double)INFINITY) ? 1.0 : high * scale;
  double angle = berth_vatan64_of(low, high);
  angle = a > b ? BERTH_VPI_2_64 - (angle - BERTH_VPI_2_LOW64) : angle;
  double back = BERTH_VPI_64 - (angle - BERTH_VPI_LOW64);
  angle = (int64_t)berth_double_bits(x) < 0 ? back : angle;
  angle = berth_vcopysign64(angle, y);
  return ((x != x) | (y != y)) != 0 ? x + y : angle;
}

// ---- Hyperbolic functions ----

// Above it e^-x does not show beside e^x, which itself may be out of range
// where half of it is not.
#define BERTH_VFAR64 22.0
#define BERTH_VHALF_E64 1.3591409142295225

static BERTH_INLINE double berth_vsinh64(double x) {
  double a = berth_vabs64(x);
  double e = berth_vexpm164(a > BERTH_VFAR64 ? BERTH_VFAR64 : a);
  double near = 0.5 * (e + e / (e + 1.0));
  double far = berth_vexp64(a - 1.0) * BERTH_VHALF_E64;
  return berth_vcopysign64(a > BERTH_VFAR64 ? far : near, x);
}

static BERTH_INLINE double berth_vcosh64(double x) {
  double a = berth_vabs64(x);
  double is_far = a > BERTH_VFAR64 ? 1.0 : 0.0;
  double e = berth_vexp64(a - is_far);
  return is_far != 0.0 ? e * BERTH_VHALF_E64 : 0.5 * e + 0.5 / e;
}

// Beyond it a square is infinite, and 1 does not show beside it.
#define BERTH_VLARGE64 1e150
#define BERTH_VLOG_2_64 0.69314718055994530942

static BERTH_INLINE double berth_vasinh64(double x) {
  double a = berth_vabs64(x);
  double of = a + a * a / (1.0 + sqrt(berth_vfma64(a, a, 1.0)));
  double y = berth_vlog1p64(a > BERTH_VLARGE64 ? a : of);
  y += a > BERTH_VLARGE64 ? BERTH_VLOG_2_64 : 0.0;
  return berth_vcopysign64(y, x);
}

static BERTH_INLINE double berth_vacosh64(double x) {
  double t = x - 1.0;
  double of = t + sqrt(berth_vfma64(t, t, 2.0 * t));
  double y = berth_vlog1p64(x > BERTH_VLARGE64 ? x : of);
  y += x > BERTH_VLARGE64 ? BERTH_VLOG_2_64 : 0.0;
  return x < 1.0 ? (double)NAN : y;
}

static BERTH_INLINE double berth_vatanh64(double x) {
  double a = berth_vabs64(x);
  double y = 0.5 * berth_vlog1p64(2.0 * a / (1.0 - a));
  return berth_vcopysign64(a > 1.0 ? (double)NAN : y, x);
}

#endif  // BERTH_CPU_LOOPS_VARC64_H_
