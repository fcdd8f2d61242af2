// fold_isa.c - Reductions of the types that matter, for each instruction set.
#include <math.h>

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

FOLD(sum_f32, float, float, FOLD_SAME, FOLD_ADD, 0.0f)
FOLD(sum_f64, double, double, FOLD_SAME, FOLD_ADD, 0.0)
FOLD(sum_u32, uint32_t, uint32_t, FOLD_SAME, FOLD_ADD, 0)
FOLD(sum_u64, uint64_t, uint64_t, FOLD_SAME, FOLD_ADD, 0)

FOLD(prod_f32, float, float, FOLD_SAME, FOLD_TIMES, 1.0f)
FOLD(prod_f64, double, double, FOLD_SAME, FOLD_TIMES, 1.0)
FOLD(prod_u32, uint32_t, uint32_t, FOLD_SAME, FOLD_TIMES, 1)
FOLD(prod_u64, uint64_t, uint64_t, FOLD_SAME, FOLD_TIMES, 1)

FOLD(max_f32, float, float, FOLD_SAME, larger_f32, -INFINITY)
FOLD(max_f64, double, double, FOLD_SAME, larger_f64, -(double)INFINITY)
FOLD(max_i32, int32_t, int32_t, FOLD_SAME, FOLD_LARGER, INT32_MIN)
FOLD(max_i64, int64_t, int64_t, FOLD_SAME, FOLD_LARGER, INT64_MIN)

FOLD(min_f32, float, float, FOLD_SAME, smaller_f32, INFINITY)
FOLD(min_f64, double, double, FOLD_SAME, smaller_f64, (double)INFINITY)
FOLD(min_i32, int32_t, int32_t, FOLD_SAME, FOLD_SMALLER, INT32_MAX)
FOLD(min_i64, int64_t, int64_t, FOLD_SAME, FOLD_SMALLER, INT64_MAX)

// Values of 16 bits are widened a piece at a time, and folded as floats.
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

#define FOLD_16(op, name, OP)                                                  \
  static void op##_##name##_lines(const void *in, int64_t lines, int64_t step, \
                                  int64_t n, void *out) {                      \
    float piece[PIECE];                                                        \
    for (int64_t line = 0; line < lines; ++line) {                             \
      const uint16_t *x = (const uint16_t *)in + line * step;                  \
      float total;                                                             \
      op##_f32_lines(piece, 1, 0, 0, &total);                                  \
      for (int64_t p = 0; p < n; p += PIECE) {                                 \
        int64_t count = n - p < PIECE ? n - p : PIECE;                         \
        float part;                                                            \
        widen_##name(x + p, count, piece);                                     \
        op##_f32_lines(piece, 1, 0, count, &part);                             \
        total = OP(total, part);                                               \
      }                                                                        \
      ((float *)out)[line] = total;                                            \
    }                                                                          \
  }                                                                            \
                                                                               \
  static void op##_##name##_rows(const void *in, int64_t rows, int64_t step,   \
                                 int64_t cols, void *acc) {                    \
    enum { COLS = PIECE / FOLD_ROWS };                                         \
    float piece[PIECE];                                                        \
    for (int64_t j = 0; j < cols; j += COLS) {                                 \
      int64_t width = cols - j < COLS ? cols - j : COLS;                       \
      for (int64_t r = 0; r < rows; r += FOLD_ROWS) {                          \
        int64_t count = rows - r < FOLD_ROWS ? rows - r : FOLD_ROWS;           \
        for (int64_t i = 0; i < count; ++i) {                                  \
          widen_##name((const uint16_t *)in + (r + i) * step + j, width,       \
                       piece + i * width);                                     \
        }                                                                      \
        op##_f32_rows(piece, count, width, width, (float *)acc + j);           \
      }                                                                        \
    }                                                                          \
  }

FOLD_16(sum, half, FOLD_ADD)
FOLD_16(prod, half, FOLD_TIMES)
FOLD_16(max, half, larger_f32)
FOLD_16(min, half, smaller_f32)
FOLD_16(sum, bfloat16, FOLD_ADD)
FOLD_16(prod, bfloat16, FOLD_TIMES)
FOLD_16(max, bfloat16, larger_f32)
FOLD_16(min, bfloat16, smaller_f32)

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
