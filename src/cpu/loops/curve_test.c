// curve_test.c - Curves of float and double against those of the C library in
// more digits, and loops whose elements do not depend on each other.
#include <math.h>
#include <string.h>

#include "cpu/loops/binary.h"
#include "cpu/loops/special_vector.h"
#include "cpu/loops/unary.h"
#include "harness.h"

enum { COUNT = 20011 };  // Of a sweep; no multiple of any vector.

static double from[2][COUNT], got[COUNT];
static float from_float[2][COUNT], got_float[COUNT];

static double next_unit(void) {
  static uint64_t state = 88172645463325252U;
  state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
  return (double)(state >> 11) * 0x1p-53;
}

// Half of them evenly spread, half of them towards 0, in all sizes.
static void fill(double *x, double low, double high) {
  for (int i = 0; i < COUNT; ++i) {
    x[i] = low + (high - low) * next_unit();
    if (i % 2 != 0 && low * high <= 0) x[i] *= exp(-40 * next_unit());
  }
}

// How many units in the last place |y| is off; results that are denormal may
// be 0.
static double ulps(double y, long double exact, int digits, int least) {
  if (isnan(y) || isnan((double)exact))
    return isnan(y) == isnan(exact) ? 0 : 1e9;
  if ((double)exact == y) return 0;
  if (isinf(y) || isinf((double)exact)) return 1e9;
  int power;
  frexpl(exact, &power);
  if (power < least && y == 0) return 0;
  if (power < least) power = least;
  return (double)(fabsl((long double)y - exact) / ldexpl(1, power - digits));
}

static double ulps_double(double y, long double exact) {
  return ulps(y, exact, 53, -1021);
}

static double ulps_float(float y, long double exact) {
  if (isinf((float)exact)) return y == (float)exact ? 0 : 1e9;
  return ulps((double)y, exact, 24, -125);
}

// ---- One argument ----

typedef struct curve {
  const char *name;
  berth_special_t special;  // none: |unary|.
  berth_unary_op_t unary;
  long double (*exact)(long double);
  double low, high;
  double most_double, most_float;  // Units in the last place.
} curve_t;

// Inverses, to be right where erf() and erfc() are.
static long double exact_erfinv(long double x) {
  if (isnan((double)x) || fabsl(x) > 1) return NAN;
  if (fabsl(x) == 1) return x * INFINITY;
  if (fabsl(x) < 1e-8L) return x * sqrtl(acosl(-1)) / 2;
  long double low = 0, high = 10, size = fabsl(x);
  for (int i = 0; i < 90; ++i) {
    long double middle = (low + high) / 2;
    bool is_above =
        size < 0.5L ? erfl(middle) > size : erfcl(middle) < 1 - size;
    *(is_above ? &high : &low) = middle;
  }
  return copysignl(low, x);
}

static long double exact_ndtri(long double p) {
  if (!(p >= 0 && p <= 1)) return NAN;
  if (p == 0 || p == 1) return p == 0 ? -INFINITY : INFINITY;
  if (p == 0.5L) return 0;
  long double low = 0, high = 40, tail = p < 0.5L ? p : 1 - p;
  for (int i = 0; i < 90; ++i) {
    long double middle = (low + high) / 2;
    bool is_above = erfcl(middle / sqrtl(2)) / 2 < tail;
    if (fabsl(0.5L - p) < 0.25L) {
      is_above = erfl(middle / sqrtl(2)) / 2 > fabsl(0.5L - p);
    }
    *(is_above ? &high : &low) = middle;
  }
  return p < 0.5L ? -low : low;
}

#define UNARY_CURVE(name, NAME, low, high, most, most_float)                 \
  {                                                                          \
#name, BERTH_SPECIAL_none, BERTH_UNARY_##NAME, name##l, low, high, most, \
        most_float                                                           \
  }
#define SPECIAL_CURVE(name, low, high, most, most_float) \
  { #name, BERTH_SPECIAL_##name, 0, name##l, low, high, most, most_float }

#define erfinvl exact_erfinv
#define ndtril exact_ndtri

static const curve_t curves[] = {
    UNARY_CURVE(sin, SIN, -1e3, 1e3, 2, 2),
    UNARY_CURVE(cos, COS, -1e3, 1e3, 2, 2),
    UNARY_CURVE(tan, TAN, -1e3, 1e3, 4, 4),
    UNARY_CURVE(sin, SIN, -1e9, 1e9, 2, 2),
    UNARY_CURVE(sinh, SINH, -720, 720, 4, 1),
    UNARY_CURVE(cosh, COSH, -720, 720, 4, 1),
    UNARY_CURVE(sinh, SINH, -2, 2, 4, 1),
    UNARY_CURVE(erf, ERF, -7, 7, 3, 5),
    UNARY_CURVE(erfc, ERFC, -7, 27, 6, 16),
    UNARY_CURVE(exp, EXP, -90, 90, 2, 2),
    UNARY_CURVE(expm1, EXPM1, -90, 90, 4, 4),
    UNARY_CURVE(tanh, TANH, -20, 20, 4, 5),
    UNARY_CURVE(log, LOG, 0, 1e9, 3, 2),
    UNARY_CURVE(log1p, LOG1P, -0.9, 1e3, 4, 4),
    SPECIAL_CURVE(asin, -1, 1, 3, 2),
    SPECIAL_CURVE(acos, -1, 1, 3, 2),
    SPECIAL_CURVE(atan, -50, 50, 3, 2),
    SPECIAL_CURVE(atanh, -1, 1, 4, 2),
    SPECIAL_CURVE(asinh, -1e3, 1e3, 4, 1),
    SPECIAL_CURVE(acosh, 1, 1e3, 4, 1),
    SPECIAL_CURVE(erfinv, -1, 1, 4, 1),
    SPECIAL_CURVE(ndtri, 0, 1, 4, 1),
};

static berth_loop_fn loop_of(const curve_t *curve, berth_dtype_t dtype) {
  const berth_special_hot_t *hot = BERTH_ISA_PICK(berth_cpu_special_hot);
  if (curve->special == BERTH_SPECIAL_none) {
    return berth_unary_loop(curve->unary, dtype);
  }
  return dtype == BERTH_DOUBLE ? hot->f64[curve->special]
                               : hot->f32[curve->special];
}

static void run_floats(const curve_t *curve, const float *x, float *y,
                       int64_t count) {
  const float function = (float)curve->special;
  loop_of(curve, BERTH_FLOAT)(x, &function, y, count);
}

// The worst of double in |out|[0], of float in |out|[1].
static void curve_measure(const curve_t *curve, double out[2]) {
  out[0] = out[1] = 0;
  fill(from[0], curve->low, curve->high);
  for (int i = 0; i < COUNT; ++i) from_float[0][i] = (float)from[0][i];
  loop_of(curve, BERTH_DOUBLE)(from[0], NULL, got, COUNT);
  run_floats(curve, from_float[0], got_float, COUNT);
  for (int i = 0; i < COUNT; ++i) {
    long double x = from[0][i], y = (long double)from_float[0][i];
    out[0] = fmax(out[0], ulps_double(got[i], curve->exact(x)));
    out[1] = fmax(out[1], ulps_float(got_float[i], curve->exact(y)));
  }
}

TEST(curve, is_right_to_a_few_units_in_the_last_place) {
  for (int i = 0; i < BERTH_COUNT_OF(curves); ++i) {
    double worst[2];
    curve_measure(&curves[i], worst);
    if (worst[0] > curves[i].most_double || worst[1] > curves[i].most_float) {
      fprintf(stderr, "%s: off by %.2f and %.2f\n", curves[i].name, worst[0],
              worst[1]);
    }
    EXPECT_TRUE(worst[0] <= curves[i].most_double);
    EXPECT_TRUE(worst[1] <= curves[i].most_float);
  }
}

static bool is_same(double y, double exact) {
  if (isnan(exact)) return isnan(y);
  return ulps_double(y, (long double)exact) <= 4 &&
         !signbit(y) == !signbit(exact);
}

TEST(curve, is_right_where_numbers_are_special) {
  const double values[] = {0.0, -0.0, 1, -1, INFINITY, -INFINITY, NAN, 2, -2};
  enum { VALUES = BERTH_COUNT_OF(values) };
  for (int i = 0; i < BERTH_COUNT_OF(curves); ++i) {
    float x[VALUES], y[VALUES];
    double z[VALUES];
    for (int k = 0; k < VALUES; ++k) x[k] = (float)values[k];
    loop_of(&curves[i], BERTH_DOUBLE)(values, NULL, z, VALUES);
    run_floats(&curves[i], x, y, VALUES);
    for (int k = 0; k < VALUES; ++k) {
      double exact = (double)curves[i].exact((long double)values[k]);
      bool is_right =
          is_same(z[k], exact) &&
          (isnan(exact) ? isnan(y[k]) : !signbit(y[k]) == !signbit(exact)) &&
          ulps_float(y[k], (long double)exact) <= 16;
      if (!is_right) {
        fprintf(stderr, "%s of %g is %g and %g, not %g\n", curves[i].name,
                values[k], z[k], (double)y[k], exact);
      }
      EXPECT_TRUE(is_right);
    }
  }
}

// An element gives the same bits wherever it is, and whatever is beside it.
TEST(curve, does_not_depend_on_neighbours) {
  for (int i = 0; i < BERTH_COUNT_OF(curves); ++i) {
    fill(from[0], curves[i].low, curves[i].high);
    from[0][700] = 1e300;  // An angle that vectors cannot reduce.
    for (int k = 0; k < COUNT; ++k) from_float[0][k] = (float)from[0][k];
    loop_of(&curves[i], BERTH_DOUBLE)(from[0], NULL, got, COUNT);
    run_floats(&curves[i], from_float[0], got_float, COUNT);
    for (int k = 0; k < COUNT; k += 7) {
      double one;
      float one_float;
      loop_of(&curves[i], BERTH_DOUBLE)(&from[0][k], NULL, &one, 1);
      run_floats(&curves[i], &from_float[0][k], &one_float, 1);
      EXPECT_TRUE(memcmp(&one, &got[k], sizeof(one)) == 0);
      EXPECT_TRUE(memcmp(&one_float, &got_float[k], sizeof(float)) == 0);
    }
  }
}

// ---- Bessel functions ----

// Of x: e^-x I0, e^-x I1, e^x K0, e^x K1, by mpmath with 30 digits.
static const struct {
  double x;
  long double exact[4];
} bessels[] = {
    {1e-10,
     {0.99999999990000000001L, 4.9999999995000001822e-11L,
      23.141782447913047497L, 10000000000.999999635L}},
    {0.001,
     {0.99900074958351555937L, 0.00049950031235422134737L,
      7.0307160023782514978L, 1000.9967345590684316L}},
    {0.125,
     {0.88594752403033098011L, 0.055263853241603239146L, 2.5018434402191293881L,
      8.8738195864263294914L}},
    {0.5,
     {0.64503527044915006811L, 0.15642080318487169714L, 1.52410938577390953L,
      2.7310097082117857054L}},
    {0.9,
     {0.49316296610070539958L, 0.20211653087685583056L, 1.1971633802518509633L,
      1.7623882196059197619L}},
    {1.0,
     {0.4657596075936404365L, 0.20791041534970844887L, 1.1444630798068950147L,
      1.6361534862632582465L}},
    {1.5,
     {0.36743360905415833924L, 0.21903938742092567212L, 0.95821005329489649642L,
      1.2431658735525529948L}},
    {1.9375,
     {0.31449377840882246257L, 0.21613232492427271824L, 0.85382858725621142628L,
      1.054358137974122329L}},
    {2.0,
     {0.30850832255367103953L, 0.21526928924893765916L, 0.84156821507077141792L,
      1.0334768470686885732L}},
    {2.0625,
     {0.30283102847833677117L, 0.21433650319038758781L, 0.8298273904353701551L,
      1.0137210353691467832L}},
    {3.25,
     {0.23223175875812103556L, 0.1920310543331360353L, 0.67206415584938717909L,
      0.76921055165024466087L}},
    {5.0,
     {0.18354081260932835307L, 0.16397226694454235693L, 0.54780756431351898687L,
      0.60027385878831258294L}},
    {7.9375,
     {0.1440159232544119947L, 0.13461229691952454607L, 0.43829041468245755399L,
      0.46512198801763612892L}},
    {8.0,
     {0.14343178185685031071L, 0.13414249329269817831L, 0.43662301860158611262L,
      0.46314909287049610585L}},
    {8.0625,
     {0.14285471410685900366L, 0.13367745553376245504L, 0.43497453538408952418L,
      0.46120087147091910397L}},
    {12.5,
     {0.11402192946228890093L, 0.10936143099065089054L, 0.35109349766701513464L,
      0.36487641350940623661L}},
    {30.0,
     {0.073145946482237293929L, 0.071916330598647554706L,
      0.22788666561625373042L, 0.23165412937771180227L}},
    {77.0,
     {0.045538043544346156017L, 0.045241369164291869691L,
      0.14259820862893903539L, 0.14352120292343767618L}},
    {300.0,
     {0.023042558415085461794L, 0.023004122040268950902L,
      0.072330031739607301632L, 0.072450481667258409314L}},
};

TEST(curve, of_bessel_is_right_to_a_few_units_in_the_last_place) {
  const berth_special_hot_t *hot = BERTH_ISA_PICK(berth_cpu_special_hot);
  const berth_special_t plain[] = {
      BERTH_SPECIAL_bessel_i0e, BERTH_SPECIAL_bessel_i1e,
      BERTH_SPECIAL_bessel_k0e, BERTH_SPECIAL_bessel_k1e};
  const berth_special_t grown[] = {
      BERTH_SPECIAL_bessel_i0, BERTH_SPECIAL_bessel_i1, BERTH_SPECIAL_bessel_k0,
      BERTH_SPECIAL_bessel_k1};
  for (int i = 0; i < BERTH_COUNT_OF(bessels); ++i) {
    for (int k = 0; k < 4; ++k) {
      long double growth = expl(k < 2 ? bessels[i].x : -bessels[i].x);
      float x = (float)bessels[i].x, z;
      double y;
      hot->f64[plain[k]](&bessels[i].x, NULL, &y, 1);
      EXPECT_TRUE(ulps_double(y, bessels[i].exact[k]) <= 8);
      hot->f64[grown[k]](&bessels[i].x, NULL, &y, 1);
      EXPECT_TRUE(ulps_double(y, bessels[i].exact[k] * growth) <= 10);
      if ((double)x != bessels[i].x) continue;
      const float function = (float)plain[k];
      hot->f32[plain[k]](&x, &function, &z, 1);
      EXPECT_TRUE(ulps_float(z, bessels[i].exact[k]) <= 1);
    }
  }
}

// ---- Two arguments ----

typedef struct pair {
  const char *name;
  berth_binary_op_t op;
  long double (*exact)(long double, long double);
  double low, high, right_low, right_high;
  double most_double, most_float;
} pair_t;

static long double exact_xlogy(long double x, long double y) {
  return x == 0 ? x : x * logl(y);
}

static long double exact_floor_mod(long double x, long double y) {
  long double r = fmodl(x, y);
  return r != 0 && (r < 0) != (y < 0) ? r + y : r;
}

static const pair_t pairs[] = {
    {"pow", BERTH_BINARY_POW, powl, 0, 50, -30, 30, 2, 1},
    {"pow", BERTH_BINARY_POW, powl, 0.99, 1.01, -7e4, 7e4, 2, 1},
    {"atan2", BERTH_BINARY_ATAN2, atan2l, -9, 9, -9, 9, 3, 2},
    {"xlogy", BERTH_BINARY_XLOGY, exact_xlogy, -9, 9, 0, 1e3, 4, 4},
    {"trunc_mod", BERTH_BINARY_TRUNC_MOD, fmodl, -1e3, 1e3, -9, 9, 0, 0},
    {"floor_mod", BERTH_BINARY_FLOOR_MOD, exact_floor_mod, -1e3, 1e3, -9, 9,
     0.5, 0.5},
};

static void pair_measure(const pair_t *pair, double out[2]) {
  out[0] = out[1] = 0;
  fill(from[0], pair->low, pair->high);
  fill(from[1], pair->right_low, pair->right_high);
  for (int i = 0; i < COUNT; ++i) {
    from_float[0][i] = (float)from[0][i];
    from_float[1][i] = (float)from[1][i];
  }
  berth_binary_loops(pair->op, BERTH_DOUBLE)
      ->both(from[0], from[1], got, COUNT);
  berth_binary_loops(pair->op, BERTH_FLOAT)
      ->both(from_float[0], from_float[1], got_float, COUNT);
  for (int i = 0; i < COUNT; ++i) {
    long double x = from[0][i], y = from[1][i];
    long double fx = (long double)from_float[0][i];
    long double fy = (long double)from_float[1][i];
    out[0] = fmax(out[0], ulps_double(got[i], pair->exact(x, y)));
    out[1] = fmax(out[1], ulps_float(got_float[i], pair->exact(fx, fy)));
  }
}

TEST(curve, of_two_is_right_to_a_few_units_in_the_last_place) {
  for (int i = 0; i < BERTH_COUNT_OF(pairs); ++i) {
    double worst[2];
    pair_measure(&pairs[i], worst);
    if (worst[0] > pairs[i].most_double || worst[1] > pairs[i].most_float) {
      fprintf(stderr, "%s: off by %.2f and %.2f\n", pairs[i].name, worst[0],
              worst[1]);
    }
    EXPECT_TRUE(worst[0] <= pairs[i].most_double);
    EXPECT_TRUE(worst[1] <= pairs[i].most_float);
  }
}

// Powers that are products and roots, for one exponent: accurate, and as powl
// has it where numbers are special.
TEST(curve, powers_of_one_exponent_are_right) {
  static const double exponents[] = {1, 2, 3, -1, 0.5, -0.5, 0, 4, 1.5, -2};
  static const double special[] = {0.0,    -0.0,   INFINITY, -INFINITY,
                                   NAN,    1,      -1,       1e300,
                                   -1e300, 1e-300, -3,       -1e-300};
  for (int k = 0; k < BERTH_COUNT_OF(exponents); ++k) {
    double y = exponents[k], worst[2] = {0, 0};
    float y_float = (float)y;
    fill(from[0], -50, 50);
    for (int i = 0; i < COUNT; ++i) {
      if (i < BERTH_COUNT_OF(special)) from[0][i] = special[i];
      from_float[0][i] = (float)from[0][i];
    }
    berth_binary_loops(BERTH_BINARY_POW, BERTH_DOUBLE)
        ->right(from[0], &y, got, COUNT);
    berth_binary_loops(BERTH_BINARY_POW, BERTH_FLOAT)
        ->right(from_float[0], &y_float, got_float, COUNT);
    for (int i = 0; i < COUNT; ++i) {
      long double exact = powl((long double)from[0][i], (long double)y);
      long double of_float =
          powl((long double)from_float[0][i], (long double)y_float);
      worst[0] = fmax(worst[0], ulps_double(got[i], exact));
      worst[1] = fmax(worst[1], ulps_float(got_float[i], of_float));
      if (i < BERTH_COUNT_OF(special) && !isnan(exact) && exact == 0) {
        EXPECT_EQ(signbit(got[i]) != 0, signbit(exact) != 0);
      }
    }
    if (worst[0] > 2 || worst[1] > 1.5) {
      HARNESS_FAIL("to the power of %g: off by %.2f and %.2f", y, worst[0],
                   worst[1]);
    }
  }
}

TEST(curve, of_two_is_right_where_numbers_are_special) {
  const double values[] = {0.0,   -0.0,   1,  -1,   INFINITY, -INFINITY,
                           NAN,   2,      -2, 3,    0.5,      -0.5,
                           1e308, -1e308, -3, 1e17, -1e17};
  for (int i = 0; i < BERTH_COUNT_OF(pairs); ++i) {
    for (int k = 0; k < BERTH_COUNT_OF(values) * BERTH_COUNT_OF(values); ++k) {
      double x = values[k / BERTH_COUNT_OF(values)], z;
      double y = values[k % BERTH_COUNT_OF(values)];
      berth_binary_loops(pairs[i].op, BERTH_DOUBLE)->both(&x, &y, &z, 1);
      double exact = (double)pairs[i].exact((long double)x, (long double)y);
      if (!is_same(z, exact)) {
        fprintf(stderr, "%s of %g, %g is %g, not %g\n", pairs[i].name, x, y, z,
                exact);
      }
      EXPECT_TRUE(is_same(z, exact));
    }
  }
}

// One element that stands for many gives what as many of it give.
TEST(curve, of_two_spreads_single_elements) {
  static double many[COUNT], other[COUNT];
  for (int i = 0; i < BERTH_COUNT_OF(pairs); ++i) {
    const berth_loops_t *loops = berth_binary_loops(pairs[i].op, BERTH_DOUBLE);
    fill(from[0], 0.5, 9);
    for (int k = 0; k < COUNT; ++k) many[k] = 2.5;
    loops->both(from[0], many, got, COUNT);
    loops->right(from[0], many, other, COUNT);
    EXPECT_TRUE(memcmp(got, other, sizeof(got)) == 0);
    loops->both(many, from[0], got, COUNT);
    loops->left(many, from[0], other, COUNT);
    EXPECT_TRUE(memcmp(got, other, sizeof(got)) == 0);
  }
}
