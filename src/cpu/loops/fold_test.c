// fold_test.c - Folds of lines against one number after the other.
#include <float.h>
#include <math.h>

#include "cpu/loops/fold.h"
#include "harness.h"
#include "tensor/half.h"

enum { MOST = 9000, LINES = 5 };

static const int64_t counts[] = {0,    1,    2,    7,    8,    15,   16,   17,
                                 31,   33,   50,   63,   64,   65,   100,  127,
                                 129,  255,  300,  1000, 2047, 4095, 4096, 4097,
                                 4099, 4160, 5000, 8191, 8192, 8193, 8999};

static const berth_folds_t *folds;

static uint64_t next_bits(void) {
  static uint64_t state = 88172645463325252U;
  state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
  return state >> 16;
}

// Around 1, so that products stay in range; bfloat16 and half hold them.
static double next_value(void) {
  return 1 + ((double)(next_bits() % 65) - 32) / 4096;
}

static uint16_t to_bfloat16(double x) {
  return berth_float_to_bfloat16((float)x);
}
static uint16_t to_half(double x) { return berth_float_to_half((float)x); }
static double from_bfloat16(uint16_t x) {
  return (double)berth_bfloat16_to_float(x);
}
static double from_half(uint16_t x) { return (double)berth_half_to_float(x); }
static double same(double x) { return x; }

static double fold_one(berth_fold_op_t op, double a, double b) {
  if (op == BERTH_FOLD_SUM) return a + b;
  if (op == BERTH_FOLD_PROD) return a * b;
  if (isnan(a) || isnan(b)) return NAN;
  return (op == BERTH_FOLD_MAX) == (a > b) ? a : b;
}

static double identity_of(berth_fold_op_t op) {
  static const double of[] = {0, 1, -INFINITY, INFINITY};
  return of[op];
}

// True when |x| is |exact|, but for what |n| roundings of |eps| each take.
static bool is_near(double x, double exact, int64_t n, double eps) {
  if (isnan(exact)) return isnan(x);
  if (isinf(exact)) return x == exact;
  return fabs(x - exact) <= (double)(n + 1) * eps * fabs(exact);
}

// Defines the test of a floating type: values S, accumulators A.
#define CHECK(name, type, S, A, TO, FROM, eps)                             \
  static void check_##name(berth_fold_op_t op, int64_t n, int nan_at) {    \
    static S values[LINES * (MOST + 3) + 1];                               \
    A got[LINES];                                                          \
    int64_t step = n + (int64_t)(next_bits() % 4);                         \
    S *in = values + next_bits() % 2;                                      \
    for (int64_t i = 0; i < LINES * step; ++i) in[i] = TO(next_value());   \
    for (int i = 0; i < LINES && nan_at >= 0; ++i) {                       \
      in[i * step + nan_at] = TO((double)NAN);                             \
    }                                                                      \
    folds->of[op][type].lines(in, LINES, step, n, got);                    \
    for (int i = 0; i < LINES; ++i) {                                      \
      double exact = identity_of(op);                                      \
      for (int64_t p = 0; p < n; ++p) {                                    \
        exact = fold_one(op, exact, (double)FROM(in[i * step + p]));       \
      }                                                                    \
      bool is_exact = op == BERTH_FOLD_MAX || op == BERTH_FOLD_MIN;        \
      EXPECT_TRUE(is_near((double)got[i], exact, is_exact ? -1 : n, eps)); \
    }                                                                      \
  }                                                                        \
  TEST(fold, lines_of_##name) {                                            \
    folds = BERTH_ISA_PICK(berth_cpu_folds);                               \
    for (int op = BERTH_FOLD_SUM; op <= BERTH_FOLD_MIN; ++op) {            \
      for (int i = 0; i < (int)(sizeof(counts) / sizeof(*counts)); ++i) {  \
        int64_t n = counts[i];                                             \
        check_##name((berth_fold_op_t)op, n, -1);                          \
        if (n == 0) continue;                                              \
        int some = (int)(next_bits() % (uint64_t)n);                       \
        check_##name((berth_fold_op_t)op, n, (int)n - 1);                  \
        check_##name((berth_fold_op_t)op, n, some);                        \
      }                                                                    \
    }                                                                      \
  }

CHECK(float, BERTH_FOLD_F32, float, float, (float), (double),
      (double)FLT_EPSILON)
CHECK(double, BERTH_FOLD_F64, double, double, same, same, DBL_EPSILON)
CHECK(half, BERTH_FOLD_HALF, uint16_t, float, to_half, from_half,
      (double)FLT_EPSILON)
CHECK(bfloat16, BERTH_FOLD_BFLOAT16, uint16_t, float, to_bfloat16,
      from_bfloat16, (double)FLT_EPSILON)

// Whole numbers wrap, and are exact.
#define CHECK_WHOLE(name, unsigned_type, signed_type, U, I)                  \
  TEST(fold, lines_of_##name) {                                              \
    folds = BERTH_ISA_PICK(berth_cpu_folds);                                 \
    static U values[MOST + 1];                                               \
    for (int i = 0; i < (int)(sizeof(counts) / sizeof(*counts)); ++i) {      \
      int64_t n = counts[i];                                                 \
      U *in = values + i % 2, sum = 0, product = 1, got[4];                  \
      I most = 0, least = 0;                                                 \
      for (int64_t p = 0; p < n; ++p) {                                      \
        U x = in[p] = (U)(next_bits() * 2654435761U + 1);                    \
        sum += x;                                                            \
        product *= x;                                                        \
        most = p == 0 || (I)x > most ? (I)x : most;                          \
        least = p == 0 || (I)x < least ? (I)x : least;                       \
      }                                                                      \
      folds->of[BERTH_FOLD_SUM][unsigned_type].lines(in, 1, 0, n, &got[0]);  \
      folds->of[BERTH_FOLD_PROD][unsigned_type].lines(in, 1, 0, n, &got[1]); \
      folds->of[BERTH_FOLD_MAX][signed_type].lines(in, 1, 0, n, &got[2]);    \
      folds->of[BERTH_FOLD_MIN][signed_type].lines(in, 1, 0, n, &got[3]);    \
      EXPECT_TRUE(got[0] == sum && got[1] == product);                       \
      if (n > 0) EXPECT_TRUE((I)got[2] == most && (I)got[3] == least);       \
    }                                                                        \
  }

CHECK_WHOLE(int32, BERTH_FOLD_U32, BERTH_FOLD_I32, uint32_t, int32_t)
CHECK_WHOLE(int64, BERTH_FOLD_U64, BERTH_FOLD_I64, uint64_t, int64_t)

// A line is its blocks, whoever folds them.
TEST(fold, blocks_make_the_same_bits) {
  folds = BERTH_ISA_PICK(berth_cpu_folds);
  enum { BLOCK = BERTH_FOLD_BLOCK_BYTES / (int)sizeof(float) };
  static float in[MOST];
  for (int i = 0; i < MOST; ++i) in[i] = (float)next_value();
  const berth_fold_t *sum = &folds->of[BERTH_FOLD_SUM][BERTH_FOLD_F32];
  for (int i = 0; i < (int)(sizeof(counts) / sizeof(*counts)); ++i) {
    float whole, total = 0;
    sum->lines(in, 1, 0, counts[i], &whole);
    for (int64_t p = 0; p < counts[i]; p += BLOCK) {
      int64_t left = counts[i] - p;
      float part;
      sum->lines(in + p, 1, 0, left < BLOCK ? left : BLOCK, &part);
      sum->rows(&part, 1, 1, 1, &total);
    }
    EXPECT_TRUE(memcmp(&whole, &total, sizeof(whole)) == 0);
  }
}

// The order in which TensorFlow adds a few numbers.
TEST(fold, few_numbers_are_added_in_order) {
  folds = BERTH_ISA_PICK(berth_cpu_folds);
  float floats[7], float_got;
  double doubles[3], double_got;
  for (int round = 0; round < 1000; ++round) {
    float float_sum = 0;
    double double_sum = 0;
    for (int64_t n = 0; n < 7; ++n) {
      floats[n] = (float)(next_bits() % 100000) / 3;
      float_sum += floats[n];
      folds->of[BERTH_FOLD_SUM][BERTH_FOLD_F32].lines(floats, 1, 0, n + 1,
                                                      &float_got);
      EXPECT_TRUE(float_got == float_sum);
    }
    for (int64_t n = 0; n < 3; ++n) {
      doubles[n] = (double)(next_bits() % 100000) / 3;
      double_sum += doubles[n];
      folds->of[BERTH_FOLD_SUM][BERTH_FOLD_F64].lines(doubles, 1, 0, n + 1,
                                                      &double_got);
      EXPECT_TRUE(double_got == double_sum);
    }
  }
}

// Minus zero is what nothing adds to, and not what a sum begins with.
TEST(fold, sums_of_zeros_have_no_sign) {
  folds = BERTH_ISA_PICK(berth_cpu_folds);
  float in[100], got;
  for (int i = 0; i < 100; ++i) in[i] = -0.0f;
  for (int64_t n = 0; n <= 100; ++n) {
    folds->of[BERTH_FOLD_SUM][BERTH_FOLD_F32].lines(in, 1, 0, n, &got);
    EXPECT_TRUE(got == 0 && !signbit(got));
  }
}
