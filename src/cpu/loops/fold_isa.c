// fold_isa.c - Reductions of the types that matter, for each instruction set.
#include <math.h>

#include "cpu/loops/fold_lines.h"
#include "cpu/loops/fold_template.h"
#include "cpu/loops/simd.h"

// NaN wins over everything, as in TensorFlow. In two steps, each of which is
// one instruction of a vector.
static BERTH_INLINE float larger_f32(float a, float b) {
  float number = a > b ? a : b;  // |b| when either is NaN.
  return a != a ? a : number;
}
static BERTH_INLINE float smaller_f32(float a, float b) {
  float number = a < b ? a : b;  // |b| when either is NaN.
  return a != a ? a : number;
}
static BERTH_INLINE double larger_f64(double a, double b) {
  double number = a > b ? a : b;  // |b| when either is NaN.
  return a != a ? a : number;
}
static BERTH_INLINE double smaller_f64(double a, double b) {
  double number = a < b ? a : b;  // |b| when either is NaN.
  return a != a ? a : number;
}

// The order of a few numbers is seen in their sum, unless they are whole.
enum { FEW = 32, NEVER = 0 };

#define FOLD_SUMS(op, type, A, OP, IDENTITY, FEW)                      \
  FOLD_LINES(op##_##type, type, OP, OP, IDENTITY, FOLD_LOOK_AWAY, FEW) \
  FOLD_TALL(op##_##type, A, A, FOLD_SAME, OP)

FOLD_SUMS(sum, f32, float, FOLD_ADD, 0.0f, FEW)
FOLD_SUMS(sum, f64, double, FOLD_ADD, 0.0, FEW)
FOLD_SUMS(sum, u32, uint32_t, FOLD_ADD, 0, NEVER)
FOLD_SUMS(sum, u64, uint64_t, FOLD_ADD, 0, NEVER)

FOLD_SUMS(prod, f32, float, FOLD_TIMES, 1.0f, FEW)
FOLD_SUMS(prod, f64, double, FOLD_TIMES, 1.0, FEW)
FOLD_SUMS(prod, u32, uint32_t, FOLD_TIMES, 1, NEVER)
FOLD_SUMS(prod, u64, uint64_t, FOLD_TIMES, 1, NEVER)

#define FOLD_BESTS(type, A, LARGER, SMALLER, LOWEST, HIGHEST, LOOK)           \
  FOLD_LINES(max_##type, type, LARGER, berth_fold_##type##_larger, LOWEST,    \
             LOOK, NEVER)                                                     \
  FOLD_LINES(min_##type, type, SMALLER, berth_fold_##type##_smaller, HIGHEST, \
             LOOK, NEVER)                                                     \
  FOLD_TALL(max_##type, A, A, FOLD_SAME, LARGER)                              \
  FOLD_TALL(min_##type, A, A, FOLD_SAME, SMALLER)

FOLD_BESTS(f32, float, larger_f32, smaller_f32, -INFINITY, INFINITY,
           FOLD_LOOK_F32)
FOLD_BESTS(f64, double, larger_f64, smaller_f64, -(double)INFINITY,
           (double)INFINITY, FOLD_LOOK_F64)
FOLD_BESTS(i32, int32_t, FOLD_LARGER, FOLD_SMALLER, INT32_MIN, INT32_MAX,
           FOLD_LOOK_AWAY)
FOLD_BESTS(i64, int64_t, FOLD_LARGER, FOLD_SMALLER, INT64_MIN, INT64_MAX,
           FOLD_LOOK_AWAY)

// Rows of 16 bits are widened a piece at a time, and folded as floats.
enum { PIECE = 4096 };

static void widen_half(const uint16_t *from, int64_t n, float *to) {
  int64_t i = 0;
  for (; i + BERTH_F32_LANES <= n; i += BERTH_F32_LANES) {
    berth_f32v_store(to + i, berth_f32v_load_half(from + i));
  }
  for (; i < n; ++i) to[i] = berth_half_to_float(from[i]);
}

static void widen_bfloat16(const uint16_t *from, int64_t n, float *to) {
  for (int64_t i = 0; i < n; ++i) to[i] = berth_bfloat16_to_float(from[i]);
}

#define FOLD_16(op, name, OP, MEET, IDENTITY, LOOK)                          \
  FOLD_LINES(op##_##name, name, OP, MEET, IDENTITY, LOOK, NEVER)             \
                                                                             \
  static void op##_##name##_rows(const void *in, int64_t rows, int64_t step, \
                                 int64_t cols, void *acc) {                  \
    enum { COLS = PIECE / FOLD_ROWS };                                       \
    float piece[PIECE];                                                      \
    for (int64_t j = 0; j < cols; j += COLS) {                               \
      int64_t width = cols - j < COLS ? cols - j : COLS;                     \
      for (int64_t r = 0; r < rows; r += FOLD_ROWS) {                        \
        int64_t count = rows - r < FOLD_ROWS ? rows - r : FOLD_ROWS;         \
        for (int64_t i = 0; i < count; ++i) {                                \
          widen_##name((const uint16_t *)in + (r + i) * step + j, width,     \
                       piece + i * width);                                   \
        }                                                                    \
        op##_f32_rows(piece, count, width, width, (float *)acc + j);         \
      }                                                                      \
    }                                                                        \
  }

#define FOLD_ALL_16(name)                                           \
  FOLD_16(sum, name, FOLD_ADD, FOLD_ADD, 0.0f, FOLD_LOOK_AWAY)      \
  FOLD_16(prod, name, FOLD_TIMES, FOLD_TIMES, 1.0f, FOLD_LOOK_AWAY) \
  FOLD_16(max, name, larger_f32, berth_fold_f32_larger, -INFINITY,  \
          FOLD_LOOK_F32)                                            \
  FOLD_16(min, name, smaller_f32, berth_fold_f32_smaller, INFINITY, \
          FOLD_LOOK_F32)

FOLD_ALL_16(half)
FOLD_ALL_16(bfloat16)

static double squares(const float *x, int64_t n) {
  enum { WIDTH = 16 };
  double sums[WIDTH] = {0}, sum = 0;
  int64_t p = 0;
  for (; p + WIDTH <= n; p += WIDTH) {
    for (int i = 0; i < WIDTH; ++i) {
      sums[i] += (double)x[p + i] * (double)x[p + i];
    }
  }
  for (; p < n; ++p) sum += (double)x[p] * (double)x[p];
  for (int i = 0; i < WIDTH; ++i) sum += sums[i];
  return sum;
}

const berth_folds_t BERTH_ISA(berth_cpu_folds) =
    {
        .of =
            {
                [BERTH_FOLD_SUM] = {[BERTH_FOLD_F32] = FOLD_ENTRY(sum_f32),
                                    [BERTH_FOLD_F64] = FOLD_ENTRY(sum_f64),
                                    [BERTH_FOLD_HALF] = FOLD_ENTRY(sum_half),
                                    [BERTH_FOLD_BFLOAT16] =
                                        FOLD_ENTRY(sum_bfloat16),
                                    [BERTH_FOLD_U32] = FOLD_ENTRY(sum_u32),
                                    [BERTH_FOLD_U64] = FOLD_ENTRY(sum_u64)},
                [BERTH_FOLD_PROD] = {[BERTH_FOLD_F32] = FOLD_ENTRY(prod_f32),
                                     [BERTH_FOLD_F64] = FOLD_ENTRY(prod_f64),
                                     [BERTH_FOLD_HALF] = FOLD_ENTRY(prod_half),
                                     [BERTH_FOLD_BFLOAT16] =
                                         FOLD_ENTRY(prod_bfloat16),
                                     [BERTH_FOLD_U32] = FOLD_ENTRY(prod_u32),
                                     [BERTH_FOLD_U64] = FOLD_ENTRY(prod_u64)},
                [BERTH_FOLD_MAX] = {[BERTH_FOLD_F32] = FOLD_ENTRY(max_f32),
                                    [BERTH_FOLD_F64] = FOLD_ENTRY(max_f64),
                                    [BERTH_FOLD_HALF] = FOLD_ENTRY(max_half),
                                    [BERTH_FOLD_BFLOAT16] =
                                        FOLD_ENTRY(max_bfloat16),
                                    [BERTH_FOLD_I32] = FOLD_ENTRY(max_i32),
                                    [BERTH_FOLD_I64] = FOLD_ENTRY(max_i64)},
                [BERTH_FOLD_MIN] = {[BERTH_FOLD_F32] = FOLD_ENTRY(min_f32),
                                    [BERTH_FOLD_F64] = FOLD_ENTRY(min_f64),
                                    [BERTH_FOLD_HALF] = FOLD_ENTRY(min_half),
                                    [BERTH_FOLD_BFLOAT16] = FOLD_ENTRY(
                                        min_bfloat16),
                                    [BERTH_FOLD_I32] = FOLD_ENTRY(min_i32),
                                    [BERTH_FOLD_I64] = FOLD_ENTRY(min_i64)},
            },
        .squares = squares};
