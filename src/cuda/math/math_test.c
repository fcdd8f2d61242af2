// math_test.c - The functions of math.cuh against the C library's.
//
// Functions of float are compared with those of double, functions of double
// with those of long double, over samples that are dense in every binade, and
// at the places where something changes.
#include <float.h>
#include <math.h>

#include "harness.h"

#include "cuda/math/math.cuh"

enum { SAMPLES = 60000 };

typedef float (*fn32_t)(float);
typedef double (*fn64_t)(double);
typedef double (*exact32_t)(double);
typedef long double (*exact64_t)(long double);

// How far |y| is from |exact|, in units in the last place of a float; 0 when
// both are NaN, or the same infinity.
static double ulps_f32(float y, double exact) {
  if (isnan(exact)) return isnan(y) ? 0 : INFINITY;
  if (isinf((float)exact)) {
    bool is_near = !isnan(y) && (double)y * exact > 0 && fabsf(y) >= FLT_MAX;
    return is_near ? 0 : INFINITY;
  }
  if (isinf(y) || isnan(y)) return INFINITY;
  int exponent;
  frexp(exact, &exponent);
  double unit = ldexp(1, (exponent < -125 ? -125 : exponent) - 24);
  return fabs((double)y - exact) / unit;
}

static double ulps_f64(double y, long double exact) {
  if (isnan(exact)) return isnan(y) ? 0 : INFINITY;
  if (isinf((double)exact)) {
    bool is_near = !isnan(y) && y * (double)exact > 0 && fabs(y) >= DBL_MAX;
    return is_near ? 0 : INFINITY;
  }
  if (isinf(y) || isnan(y)) return INFINITY;
  int exponent;
  frexpl(exact, &exponent);
  long double unit = ldexpl(1, (exponent < -1021 ? -1021 : exponent) - 53);
  return (double)(fabsl((long double)y - exact) / unit);
}

// Sample |i| of doubles between |low| and |high|: the first half evenly spread,
// the second with every size, of both signs.
static double sample(int i, double low, double high) {
  static const double specials[] = {0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.0};
  if (i < 7) return specials[i];
  double share = (double)(i % (SAMPLES / 2)) / (SAMPLES / 2);
  if (i < SAMPLES / 2) return low + (high - low) * share;
  double largest = fmax(fabs(low), fabs(high));
  double x = largest * exp2(-60 * share);
  return i % 2 == 0 && low < 0 ? -x : x;
}

typedef struct case32 {
  const char *name;
  fn32_t fn;
  exact32_t exact;
  double low, high;
  double most;  // Units.
} case32_t;

static const case32_t cases32[] = {
    {"exp", berth_exp_f32, exp, -110, 100, 2},
    {"expm1", berth_expm1_f32, expm1, -110, 100, 4},
    {"log", berth_log_f32, log, 0, 3e38, 2},
    {"log", berth_log_f32, log, 0.4, 2.5, 2},
    {"log1p", berth_log1p_f32, log1p, -1, 10, 2},
    {"sin", berth_sin_f32, sin, -30, 30, 2},
    {"sin", berth_sin_f32, sin, -1e6, 1e6, 2},
    {"sin", berth_sin_f32, sin, -3e38, 3e38, 2},
    {"cos", berth_cos_f32, cos, -30, 30, 2},
    {"cos", berth_cos_f32, cos, -3e38, 3e38, 2},
    {"tan", berth_tan_f32, tan, -30, 30, 4},
    {"tanh", berth_tanh_f32, tanh, -20, 20, 4},
    {"erf", berth_erf_f32, erf, -6, 6, 5},
    {"erfc", berth_erfc_f32, erfc, -6, 12, 16},
    {"sqrt", berth_sqrt_f32, sqrt, 0, 1e30, 0.5},
    {"floor", berth_floor_f32, floor, -9, 9, 0},
    {"ceil", berth_ceil_f32, ceil, -9, 9, 0},
    {"rint", berth_rint_f32, rint, -9, 9, 0},
    {"trunc", berth_trunc_f32, trunc, -9, 9, 0},
};

TEST(math, functions_of_float) {
  for (size_t c = 0; c < sizeof(cases32) / sizeof(cases32[0]); ++c) {
    const case32_t *k = &cases32[c];
    double worst = 0;
    float at = 0;
    for (int i = 0; i < SAMPLES; ++i) {
      float x = (float)sample(i, k->low, k->high);
      double off = ulps_f32(k->fn(x), k->exact((double)x));
      if (off > worst) at = x;
      worst = fmax(worst, off);
    }
    if (worst > k->most) printf("%s(%a): %g\n", k->name, (double)at, worst);
    EXPECT_TRUE(worst <= k->most);
  }
}

typedef struct case64 {
  const char *name;
  fn64_t fn;
  exact64_t exact;
  double low, high;
  double most;  // Units.
} case64_t;

static const case64_t cases64[] = {
    {"exp", berth_exp_f64, expl, -760, 720, 2},
    {"exp", berth_exp_f64, expl, -2, 2, 2},
    {"expm1", berth_expm1_f64, expm1l, -60, 720, 4},
    {"log", berth_log_f64, logl, 0, 1e308, 2},
    {"log", berth_log_f64, logl, 0.4, 2.5, 2},
    {"log1p", berth_log1p_f64, log1pl, -1, 10, 2},
    {"sin", berth_sin_f64, sinl, -30, 30, 2},
    {"sin", berth_sin_f64, sinl, -2e6, 2e6, 2},
    {"sin", berth_sin_f64, sinl, -1e18, 1e18, 2},
    {"cos", berth_cos_f64, cosl, -30, 30, 2},
    {"cos", berth_cos_f64, cosl, -1e18, 1e18, 2},
    {"tan", berth_tan_f64, tanl, -30, 30, 4},
    {"tanh", berth_tanh_f64, tanhl, -25, 25, 4},
    {"sinh", berth_sinh_f64, sinhl, -711, 711, 4},
    {"cosh", berth_cosh_f64, coshl, -711, 711, 4},
    {"erf", berth_erf_f64, erfl, -7, 7, 4},
    {"erfc", berth_erfc_f64, erfcl, -7, 27, 16},
    {"sqrt", berth_sqrt_f64, sqrtl, 0, 1e300, 0.51},
    {"floor", berth_floor_f64, floorl, -9, 9, 0},
    {"rint", berth_rint_f64, rintl, -9, 9, 0},
};

TEST(math, functions_of_double) {
  for (size_t c = 0; c < sizeof(cases64) / sizeof(cases64[0]); ++c) {
    const case64_t *k = &cases64[c];
    double worst = 0, at = 0;
    for (int i = 0; i < SAMPLES; ++i) {
      double x = sample(i, k->low, k->high);
      double off = ulps_f64(k->fn(x), k->exact((long double)x));
      if (off > worst) at = x;
      worst = fmax(worst, off);
    }
    if (worst > k->most) printf("%s(%a): %g\n", k->name, at, worst);
    EXPECT_TRUE(worst <= k->most);
  }
}

// Numbers where functions of two arguments have rules of their own.
static const double corners[] = {
    0.0,  -0.0,  1.0,   -1.0,   0.5,      -0.5,      2.0,    -2.0,
    3.0,  -3.0,  1e300, 1e-300, INFINITY, -INFINITY, NAN,    7.25,
    1e17, -1e17, 0.1,   5e-324, 1e308,    -1e308,    1.0625, -2.5};
enum { CORNERS = sizeof(corners) / sizeof(corners[0]) };

typedef double (*pair64_t)(double, double);

// Compares |fn| with the C library's at all pairs of corners, signs of zeros
// included.
static void expect_pairs(const char *name, pair64_t fn, pair64_t libm,
                         double most) {
  for (int i = 0; i < CORNERS * CORNERS; ++i) {
    double x = corners[i / CORNERS], y = corners[i % CORNERS];
    double exact = libm(x, y), got = fn(x, y);
    bool is_right = ulps_f64(got, (long double)exact) <= most &&
                    (exact != exact || signbit(got) == signbit(exact));
    if (!is_right) printf("%s(%a, %a): %a, not %a\n", name, x, y, got, exact);
    EXPECT_TRUE(is_right);
  }
}

TEST(math, corners_of_functions_of_two) {
  expect_pairs("pow", berth_pow_f64, pow, 2);
  expect_pairs("atan2", berth_atan2_f64, atan2, 2);
  expect_pairs("fmod", berth_fmod_f64, fmod, 0);
  expect_pairs("hypot", berth_hypot_f64, hypot, 2);
}

TEST(math, functions_of_two) {
  double pow_worst = 0, atan2_worst = 0, hypot_worst = 0, pow32_worst = 0;
  for (int i = 0; i < SAMPLES; ++i) {
    double x = sample(i, 0, 3), y = sample((i * 7) % SAMPLES, -600, 600);
    long double lx = (long double)x, ly = (long double)y;
    pow_worst = fmax(pow_worst, ulps_f64(berth_pow_f64(x, y), powl(lx, ly)));
    atan2_worst =
        fmax(atan2_worst, ulps_f64(berth_atan2_f64(y, x), atan2l(ly, lx)));
    hypot_worst =
        fmax(hypot_worst, ulps_f64(berth_hypot_f64(x, y), hypotl(lx, ly)));
    float sx = (float)x, sy = (float)y / 8;
    pow32_worst = fmax(pow32_worst, ulps_f32(berth_pow_f32(sx, sy),
                                             pow((double)sx, (double)sy)));
    double m = berth_fmod_f64(y * 1e40, x + 1e-3);
    EXPECT_TRUE(m == fmod(y * 1e40, x + 1e-3));
  }
  EXPECT_TRUE(pow_worst <= 2);
  EXPECT_TRUE(atan2_worst <= 2);
  EXPECT_TRUE(hypot_worst <= 2);
  EXPECT_TRUE(pow32_worst <= 0.51);
}

TEST(math, special_values) {
  static const double specials[] = {INFINITY, -INFINITY, NAN};
  for (int i = 0; i < 3; ++i) {
    double x = specials[i];
    for (size_t c = 0; c < sizeof(cases64) / sizeof(cases64[0]); ++c) {
      const case64_t *k = &cases64[c];
      EXPECT_TRUE(ulps_f64(k->fn(x), k->exact((long double)x)) == 0);
    }
    for (size_t c = 0; c < sizeof(cases32) / sizeof(cases32[0]); ++c) {
      const case32_t *k = &cases32[c];
      EXPECT_TRUE(ulps_f32(k->fn((float)x), k->exact(x)) == 0);
    }
  }
  EXPECT_TRUE(signbit(berth_tanh_f32(-0.0f)) && signbit(berth_sin_f64(-0.0)));
  EXPECT_TRUE(signbit(berth_log1p_f64(-0.0)) && signbit(berth_erf_f32(-0.0f)));
  EXPECT_TRUE(berth_sigmoid_f32(-200.0f) == 0 && berth_sigmoid_f32(0) == 0.5f);
  EXPECT_TRUE(berth_sigmoid_f64(40.0) == 1.0 / (1.0 + exp(-40.0)));
}

TEST(math, half_precision) {
  // Every half comes back as it was; ties go to even.
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    float x = berth_load_f16((uint16_t)bits);
    if (x != x) continue;
    EXPECT_EQ(berth_store_f16(x), bits);
  }
  EXPECT_EQ(berth_store_f16(1.0f + 0x1p-11f), 0x3c00);
  EXPECT_EQ(berth_store_f16(1.0f + 0x3p-11f), 0x3c02);
  EXPECT_EQ(berth_store_f16(65520.0f), 0x7c00);
  EXPECT_EQ(berth_store_f16(65519.0f), 0x7bff);
  EXPECT_EQ(berth_store_f16(-0x1p-25f), 0x8000);
  EXPECT_EQ(berth_store_f16(0x1.8p-25f), 0x0001);
  EXPECT_EQ(berth_store_bf16(1.0f + 0x1p-8f), 0x3f80);
  EXPECT_EQ(berth_store_bf16(1.0f + 0x3p-8f), 0x3f82);
  EXPECT_EQ(berth_store_bf16(-NAN) & 0x7fff, 0x7fc0);
}
