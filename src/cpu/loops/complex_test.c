// complex_test.c - Functions of complex numbers against the C library's in more
// digits.
#include <complex.h>
#include <float.h>
#include <math.h>

#include "cpu/loops/binary.h"
#include "cpu/loops/complex_vector.h"
#include "cpu/loops/unary.h"
#include "harness.h"
#include "tensor/complex.h"

enum { COUNT = 3001 };  // Of a sweep; no multiple of any vector.

typedef long double complex exact_t;

static berth_complex128_t from[2][COUNT], got[COUNT];
static berth_complex64_t from_float[2][COUNT], got_float[COUNT];

static double next_unit(void) {
  static uint64_t state = 88172645463325252U;
  state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
  return (double)(state >> 11) * 0x1p-53;
}

static double next_part(double most) {
  double part = (2 * next_unit() - 1) * most;
  return next_unit() < 0.5 ? part : part * exp(-30 * next_unit());
}

static void fill(double most) {
  for (int k = 0; k < 2; ++k) {
    for (int i = 0; i < COUNT; ++i) {
      from[k][i] = next_part(most) + I * next_part(most);
      from_float[k][i] = (berth_complex64_t)from[k][i];
    }
  }
}

// How far |y| is from |exact|, in parts of its size.
static double error_of(exact_t y, exact_t exact) {
  long double size = cabsl(exact);
  return (double)(cabsl(y - exact) / (size > 0 ? size : 1));
}

static exact_t exact_reciprocal(exact_t x) { return 1 / x; }
static exact_t exact_rsqrt(exact_t x) { return 1 / csqrtl(x); }
static exact_t exact_sign(exact_t x) { return x / cabsl(x); }
static exact_t exact_square(exact_t x) { return x * x; }
static exact_t exact_sigmoid(exact_t x) { return 1 / (1 + cexpl(-x)); }
static exact_t exact_log1p(exact_t x) {
  long double a = creall(x), b = cimagl(x);
  return log1pl(a * (2 + a) + b * b) / 2 + I * atan2l(b, 1 + a);
}

static const struct {
  const char *name;
  berth_unary_op_t op;
  exact_t (*exact)(exact_t);
  double most;          // Of a part.
  double wide, narrow;  // Units of the type.
} functions[] = {
    {"exp", BERTH_UNARY_EXP, cexpl, 40, 8, 1},
    {"log", BERTH_UNARY_LOG, clogl, 1e3, 8, 1},
    {"log1p", BERTH_UNARY_LOG1P, exact_log1p, 1e3, 8, 1},
    {"sigmoid", BERTH_UNARY_SIGMOID, exact_sigmoid, 1.5, 8, 1},
    {"sqrt", BERTH_UNARY_SQRT, csqrtl, 1e3, 8, 1},
    {"rsqrt", BERTH_UNARY_RSQRT, exact_rsqrt, 1e3, 8, 1},
    {"reciprocal", BERTH_UNARY_RECIPROCAL, exact_reciprocal, 1e3, 8, 1},
    {"sign", BERTH_UNARY_SIGN, exact_sign, 1e3, 8, 1},
    {"square", BERTH_UNARY_SQUARE, exact_square, 1e3, 8, 4},
};

TEST(complex, functions_are_right_to_a_few_units) {
  for (int f = 0; f < BERTH_COUNT_OF(functions); ++f) {
    double wide = 0, narrow = 0;
    fill(functions[f].most);
    berth_unary_loop(functions[f].op, BERTH_COMPLEX128)(from[0], NULL, got,
                                                        COUNT);
    berth_unary_loop(functions[f].op, BERTH_COMPLEX64)(from_float[0], NULL,
                                                       got_float, COUNT);
    for (int i = 0; i < COUNT; ++i) {
      exact_t x = from[0][i], y = from_float[0][i];
      wide = fmax(wide, error_of(got[i], functions[f].exact(x)));
      narrow = fmax(narrow, error_of(got_float[i], functions[f].exact(y)));
    }
    bool is_right = wide <= functions[f].wide * DBL_EPSILON &&
                    narrow <= functions[f].narrow * (double)FLT_EPSILON;
    if (!is_right) {
      fprintf(stderr, "%s: off by %.3g and %.3g\n", functions[f].name,
              wide / DBL_EPSILON, narrow / (double)FLT_EPSILON);
    }
    EXPECT_TRUE(is_right);
  }
}

static exact_t exact_mul(exact_t x, exact_t y) { return x * y; }
static exact_t exact_div(exact_t x, exact_t y) { return x / y; }
static exact_t exact_xlogy(exact_t x, exact_t y) { return x * clogl(y); }

static const struct {
  const char *name;
  berth_binary_op_t op;
  exact_t (*exact)(exact_t, exact_t);
} pairs[] = {
    {"mul", BERTH_BINARY_MUL, exact_mul},
    {"mul_no_nan", BERTH_BINARY_MUL_NO_NAN, exact_mul},
    {"div", BERTH_BINARY_DIV, exact_div},
    {"div_no_nan", BERTH_BINARY_DIV_NO_NAN, exact_div},
    {"xdivy", BERTH_BINARY_XDIVY, exact_div},
    {"xlogy", BERTH_BINARY_XLOGY, exact_xlogy},
};

TEST(complex, functions_of_two_are_right_to_a_few_units) {
  for (int f = 0; f < BERTH_COUNT_OF(pairs); ++f) {
    double wide = 0, narrow = 0;
    fill(1e3);
    berth_binary_loops(pairs[f].op, BERTH_COMPLEX128)
        ->both(from[0], from[1], got, COUNT);
    berth_binary_loops(pairs[f].op, BERTH_COMPLEX64)
        ->both(from_float[0], from_float[1], got_float, COUNT);
    for (int i = 0; i < COUNT; ++i) {
      exact_t x = from_float[0][i], y = from_float[1][i];
      wide =
          fmax(wide, error_of(got[i], pairs[f].exact(from[0][i], from[1][i])));
      narrow = fmax(narrow, error_of(got_float[i], pairs[f].exact(x, y)));
    }
    EXPECT_TRUE(wide <= 8 * DBL_EPSILON);
    EXPECT_TRUE(narrow <= 4 * (double)FLT_EPSILON);
  }
}

// Quotients of the smallest and of the largest numbers stay in range.
TEST(complex, quotients_do_not_leave_the_range) {
  const double sizes[] = {4e-320, 1e-310, 1e-200, 1, 1e200, 1e300};
  for (int i = 0; i < BERTH_COUNT_OF(sizes); ++i) {
    berth_complex128_t x = sizes[i] * (3 + 4 * I), y = sizes[i] * (1 + 2 * I),
                       z;
    berth_binary_op_t ops[] = {BERTH_BINARY_DIV, BERTH_BINARY_XDIVY,
                               BERTH_BINARY_DIV_NO_NAN};
    for (int k = 0; k < BERTH_COUNT_OF(ops); ++k) {
      berth_binary_loops(ops[k], BERTH_COMPLEX128)->both(&x, &y, &z, 1);
      double most = sizes[i] < 1e-310 ? 1e-2 : 1e-12;
      EXPECT_TRUE(error_of(z, (exact_t)(2.2L - 0.4L * I)) < most);
    }
  }
}
