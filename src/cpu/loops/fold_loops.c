// fold_loops.c - Reductions of the rarer types.
#include <stddef.h>
#include <string.h>

#include "cpu/loops/fold_template.h"

// Short integers are computed as int: the result is cut to what wraps.
#define ADD_8(a, b) ((uint8_t)((a) + (b)))
#define ADD_16(a, b) ((uint16_t)((a) + (b)))
#define TIMES_8(a, b) ((uint8_t)((a) * (b)))
#define TIMES_16(a, b) ((uint16_t)((uint32_t)(a) * (b)))
#define TO_64(x) ((uint64_t)(int64_t)(x))

FOLD(sum_u8, uint8_t, uint8_t, FOLD_SAME, ADD_8, 0)
FOLD(sum_u16, uint16_t, uint16_t, FOLD_SAME, ADD_16, 0)
FOLD(prod_u8, uint8_t, uint8_t, FOLD_SAME, TIMES_8, 1)
FOLD(prod_u16, uint16_t, uint16_t, FOLD_SAME, TIMES_16, 1)

FOLD(max_i8, int8_t, int8_t, FOLD_SAME, FOLD_LARGER, INT8_MIN)
FOLD(max_u8, uint8_t, uint8_t, FOLD_SAME, FOLD_LARGER, 0)
FOLD(max_i16, int16_t, int16_t, FOLD_SAME, FOLD_LARGER, INT16_MIN)
FOLD(max_u16, uint16_t, uint16_t, FOLD_SAME, FOLD_LARGER, 0)
FOLD(max_u32, uint32_t, uint32_t, FOLD_SAME, FOLD_LARGER, 0)
FOLD(max_u64, uint64_t, uint64_t, FOLD_SAME, FOLD_LARGER, 0)

FOLD(min_i8, int8_t, int8_t, FOLD_SAME, FOLD_SMALLER, INT8_MAX)
FOLD(min_u8, uint8_t, uint8_t, FOLD_SAME, FOLD_SMALLER, UINT8_MAX)
FOLD(min_i16, int16_t, int16_t, FOLD_SAME, FOLD_SMALLER, INT16_MAX)
FOLD(min_u16, uint16_t, uint16_t, FOLD_SAME, FOLD_SMALLER, UINT16_MAX)
FOLD(min_u32, uint32_t, uint32_t, FOLD_SAME, FOLD_SMALLER, UINT32_MAX)
FOLD(min_u64, uint64_t, uint64_t, FOLD_SAME, FOLD_SMALLER, UINT64_MAX)

FOLD(wide_i8, int8_t, uint64_t, TO_64, FOLD_ADD, 0)
FOLD(wide_u8, uint8_t, uint64_t, FOLD_SAME, FOLD_ADD, 0)
FOLD(wide_i16, int16_t, uint64_t, TO_64, FOLD_ADD, 0)
FOLD(wide_u16, uint16_t, uint64_t, FOLD_SAME, FOLD_ADD, 0)
FOLD(wide_i32, int32_t, uint64_t, TO_64, FOLD_ADD, 0)
FOLD(wide_u32, uint32_t, uint64_t, FOLD_SAME, FOLD_ADD, 0)

// Complex numbers as pairs: C's own product would care for infinities, at the
// cost of a call.
typedef struct c64 {
  float re, im;
} c64_t;
typedef struct c128 {
  double re, im;
} c128_t;

static c64_t c64_times(c64_t a, c64_t b) {
  return (c64_t){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

static c128_t c128_times(c128_t a, c128_t b) {
  return (c128_t){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

FOLD_TALL(prod_c64, c64_t, c64_t, FOLD_SAME, c64_times)
FOLD_TALL(prod_c128, c128_t, c128_t, FOLD_SAME, c128_times)

// Rows are added up as those of their parts.
#define SUM_ROWS(slot, parts)                                               \
  static void sum_##slot##_rows(const void *in, int64_t rows, int64_t step, \
                                int64_t cols, void *acc) {                  \
    BERTH_ISA_PICK(berth_cpu_folds)                                         \
        ->of[BERTH_FOLD_SUM][parts]                                         \
        .rows(in, rows, 2 * step, 2 * cols, acc);                           \
  }
SUM_ROWS(c64, BERTH_FOLD_F32)
SUM_ROWS(c128, BERTH_FOLD_F64)

// Two complex numbers, or one.
typedef float c64_v __attribute__((vector_size(16)));
typedef double c128_v __attribute__((vector_size(16)));

static BERTH_INLINE c64_v c64_meet(c64_v a, c64_v b) {
  const c64_v real = __builtin_shufflevector(b, b, 0, 0, 2, 2);
  const c64_v imag = __builtin_shufflevector(b, b, 1, 1, 3, 3);
  const c64_v turned = __builtin_shufflevector(a, a, 1, 0, 3, 2);
  return a * real + turned * (imag * (c64_v){-1, 1, -1, 1});
}

static BERTH_INLINE c128_v c128_meet(c128_v a, c128_v b) {
  const c128_v real = {b[0], b[0]}, imag = {-b[1], b[1]}, turned = {a[1], a[0]};
  return a * real + turned * imag;
}

#define C64_HIGH(v) __builtin_shufflevector(v, v, 2, 3, 2, 3)
#define C128_HIGH(v) (v)

// Folds lines in eight vectors, blocks of them into one, and that into |one|.
// HIGH is the second number of a vector.
#define FOLD_COMPLEX(name, slot, MEET, HIGH, one)                              \
  static void name##_lines(const void *in, int64_t lines, int64_t step,        \
                           int64_t n, void *out) {                             \
    enum {                                                                     \
      each = (int)(sizeof(slot##_v) / sizeof(slot##_t)),                       \
      many = 8 * each                                                          \
    };                                                                         \
    for (int64_t line = 0; line < lines; ++line) {                             \
      const slot##_t *x = (const slot##_t *)in + line * step;                  \
      slot##_v total = one, next = one, acc[8];                                \
      int64_t p = 0;                                                           \
      while (n - p >= many) {                                                  \
        const int64_t left =                                                   \
            n - p < FOLD_BLOCK * many ? n - p : FOLD_BLOCK * many;             \
        const int64_t end = p + left / many * many;                            \
        memcpy(acc, x + p, sizeof(acc));                                       \
        for (p += many; p < end; p += many) {                                  \
          for (int i = 0; i < 8; ++i) {                                        \
            memcpy(&next, x + p + i * each, sizeof(next));                     \
            acc[i] = MEET(acc[i], next);                                       \
          }                                                                    \
        }                                                                      \
        for (int half = 4; half > 0; half /= 2) {                              \
          for (int i = 0; i < half; ++i) acc[i] = MEET(acc[i], acc[i + half]); \
        }                                                                      \
        total = MEET(total, acc[0]);                                           \
      }                                                                        \
      for (; p + each <= n; p += each) {                                       \
        memcpy(&next, x + p, sizeof(next));                                    \
        total = MEET(total, next);                                             \
      }                                                                        \
      if (p < n) {                                                             \
        next = one;                                                            \
        memcpy(&next, x + p, sizeof(x[0]));                                    \
        total = MEET(total, next);                                             \
      }                                                                        \
      if (each > 1) total = MEET(total, HIGH(total));                          \
      memcpy((slot##_t *)out + line, &total, sizeof(x[0]));                    \
    }                                                                          \
  }
#define C64_ONE ((c64_v){1, 0, 1, 0})
#define C128_ONE ((c128_v){1, 0})
FOLD_COMPLEX(sum_c64, c64, FOLD_ADD, C64_HIGH, (c64_v){0})
FOLD_COMPLEX(sum_c128, c128, FOLD_ADD, C128_HIGH, (c128_v){0})
FOLD_COMPLEX(prod_c64, c64, c64_meet, C64_HIGH, C64_ONE)
FOLD_COMPLEX(prod_c128, c128, c128_meet, C128_HIGH, C128_ONE)

const berth_folds_t berth_cpu_rare_folds = {
    .of =
        {
            [BERTH_FOLD_SUM] = {[BERTH_FOLD_U8] = FOLD_ENTRY(sum_u8),
                                [BERTH_FOLD_U16] = FOLD_ENTRY(sum_u16),
                                [BERTH_FOLD_C64] = FOLD_ENTRY(sum_c64),
                                [BERTH_FOLD_C128] = FOLD_ENTRY(sum_c128)},
            [BERTH_FOLD_PROD] = {[BERTH_FOLD_U8] = FOLD_ENTRY(prod_u8),
                                 [BERTH_FOLD_U16] = FOLD_ENTRY(prod_u16),
                                 [BERTH_FOLD_C64] = FOLD_ENTRY(prod_c64),
                                 [BERTH_FOLD_C128] = FOLD_ENTRY(prod_c128)},
            [BERTH_FOLD_MAX] = {[BERTH_FOLD_I8] = FOLD_ENTRY(max_i8),
                                [BERTH_FOLD_U8] = FOLD_ENTRY(max_u8),
                                [BERTH_FOLD_I16] = FOLD_ENTRY(max_i16),
                                [BERTH_FOLD_U16] = FOLD_ENTRY(max_u16),
                                [BERTH_FOLD_U32] = FOLD_ENTRY(max_u32),
                                [BERTH_FOLD_U64] = FOLD_ENTRY(max_u64)},
            [BERTH_FOLD_MIN] = {[BERTH_FOLD_I8] = FOLD_ENTRY(min_i8),
                                [BERTH_FOLD_U8] = FOLD_ENTRY(min_u8),
                                [BERTH_FOLD_I16] = FOLD_ENTRY(min_i16),
                                [BERTH_FOLD_U16] = FOLD_ENTRY(min_u16),
                                [BERTH_FOLD_U32] = FOLD_ENTRY(min_u32),
                                [BERTH_FOLD_U64] = FOLD_ENTRY(min_u64)},
            [BERTH_FOLD_WIDE_SUM] = {[BERTH_FOLD_I8] = FOLD_ENTRY(wide_i8),
                                     [BERTH_FOLD_U8] = FOLD_ENTRY(wide_u8),
                                     [BERTH_FOLD_I16] = FOLD_ENTRY(wide_i16),
                                     [BERTH_FOLD_U16] = FOLD_ENTRY(wide_u16),
                                     [BERTH_FOLD_I32] = FOLD_ENTRY(wide_i32),
                                     [BERTH_FOLD_U32] = FOLD_ENTRY(wide_u32)},
        },
    .squares = NULL};
