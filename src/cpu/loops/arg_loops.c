// arg_loops.c - Where the extreme value is.
//
// A line is searched a block at a time: first for the extreme, in many
// accumulators, then, in the block that had it, for its place.
#include <float.h>
#include <stddef.h>

#include "cpu/loops/arg.h"
#include "tensor/half.h"

enum {
  WIDTH = 32,         // Accumulators of a line.
  BLOCK = 2048,       // Values of a line that are searched at a time.
  SEGMENT = 1 << 30,  // Rows that an index of 32 bits can tell apart.
};

#define SAME(x) (x)

// |S| values, compared as |A|, with places in |I|, as wide as |A| if that has
// 32 bits or more, so that both fit the same vectors; BETTER is > or <.
#define ARG(name, S, A, I, GET, BETTER, WORST)                              \
  static A name##_best(const S *x, int64_t n) {                             \
    A acc[WIDTH];                                                           \
    for (int i = 0; i < WIDTH; ++i) acc[i] = WORST;                         \
    int64_t p = 0;                                                          \
    for (; p + WIDTH <= n; p += WIDTH) {                                    \
      for (int i = 0; i < WIDTH; ++i) {                                     \
        A value = GET(x[p + i]);                                            \
        acc[i] = value BETTER acc[i] ? value : acc[i];                      \
      }                                                                     \
    }                                                                       \
    A best = WORST;                                                         \
    for (; p < n; ++p) {                                                    \
      A value = GET(x[p]);                                                  \
      best = value BETTER best ? value : best;                              \
    }                                                                       \
    for (int i = 0; i < WIDTH; ++i) {                                       \
      best = acc[i] BETTER best ? acc[i] : best;                            \
    }                                                                       \
    return best;                                                            \
  }                                                                         \
                                                                            \
  static int64_t name##_find(const S *x, int64_t n) {                       \
    A best = WORST;                                                         \
    int64_t at = -1;                                                        \
    for (int64_t p = 0; p < n; p += BLOCK) {                                \
      A value = name##_best(x + p, n - p < BLOCK ? n - p : BLOCK);          \
      if (value BETTER best) {                                              \
        best = value;                                                       \
        at = p;                                                             \
      }                                                                     \
    }                                                                       \
    if (at < 0) return 0;                                                   \
    while (GET(x[at]) != best) ++at;                                        \
    return at;                                                              \
  }                                                                         \
                                                                            \
  static int64_t name##_find_short(const S *x, int64_t n) {                 \
    A best = WORST;                                                         \
    int64_t at = 0;                                                         \
    for (int64_t p = 0; p < n; ++p) {                                       \
      A value = GET(x[p]);                                                  \
      at = value BETTER best ? p : at;                                      \
      best = value BETTER best ? value : best;                              \
    }                                                                       \
    return at;                                                              \
  }                                                                         \
                                                                            \
  static void name##_lines(const void *in, int64_t lines, int64_t n,        \
                           int64_t *out) {                                  \
    for (int64_t i = 0; i < lines; ++i) {                                   \
      const S *x = (const S *)in + i * n;                                   \
      out[i] = n < 2 * WIDTH ? name##_find_short(x, n) : name##_find(x, n); \
    }                                                                       \
  }                                                                         \
                                                                            \
  static void name##_columns(const void *in, int64_t n, int64_t step,       \
                             int64_t cols, int64_t *out) {                  \
    A best[BERTH_ARG_COLS];                                                 \
    I place[BERTH_ARG_COLS];                                                \
    for (int64_t j = 0; j < cols; ++j) {                                    \
      best[j] = WORST;                                                      \
      out[j] = 0;                                                           \
    }                                                                       \
    for (int64_t base = 0; base < n; base += SEGMENT) {                     \
      I rows = (I)(n - base < SEGMENT ? n - base : SEGMENT);                \
      for (int64_t j = 0; j < cols; ++j) place[j] = -1;                     \
      for (I p = 0; p < rows; ++p) {                                        \
        const S *x = (const S *)in + (base + p) * step;                     \
        for (int64_t j = 0; j < cols; ++j) {                                \
          A value = GET(x[j]);                                              \
          I mask = (I) - (value BETTER best[j]);                            \
          place[j] = (p & mask) | (place[j] & ~mask);                       \
          best[j] = value BETTER best[j] ? value : best[j];                 \
        }                                                                   \
      }                                                                     \
      for (int64_t j = 0; j < cols; ++j) {                                  \
        if (place[j] >= 0) out[j] = base + place[j];                        \
      }                                                                     \
    }                                                                       \
  }

#define ARG_BOTH(name, S, A, I, GET, LOWEST, HIGHEST) \
  ARG(max_##name, S, A, I, GET, >, LOWEST)            \
  ARG(min_##name, S, A, I, GET, <, HIGHEST)

// The largest finite numbers of 16 bits.
#define HALF_MAX 65504.0f
#define BFLOAT16_MAX 0x1.fep127f

ARG_BOTH(f32, float, float, int32_t, SAME, -FLT_MAX, FLT_MAX)
ARG_BOTH(f64, double, double, int64_t, SAME, -DBL_MAX, DBL_MAX)
ARG_BOTH(half, uint16_t, float, int32_t, berth_half_to_float, -HALF_MAX,
         HALF_MAX)
ARG_BOTH(bfloat16, uint16_t, float, int32_t, berth_bfloat16_to_float,
         -BFLOAT16_MAX, BFLOAT16_MAX)
ARG_BOTH(i8, int8_t, int8_t, int32_t, SAME, INT8_MIN, INT8_MAX)
ARG_BOTH(u8, uint8_t, uint8_t, int32_t, SAME, 0, UINT8_MAX)
ARG_BOTH(i16, int16_t, int16_t, int32_t, SAME, INT16_MIN, INT16_MAX)
ARG_BOTH(u16, uint16_t, uint16_t, int32_t, SAME, 0, UINT16_MAX)
ARG_BOTH(i32, int32_t, int32_t, int32_t, SAME, INT32_MIN, INT32_MAX)
ARG_BOTH(u32, uint32_t, uint32_t, int32_t, SAME, 0, UINT32_MAX)
ARG_BOTH(i64, int64_t, int64_t, int64_t, SAME, INT64_MIN, INT64_MAX)
ARG_BOTH(u64, uint64_t, uint64_t, int64_t, SAME, 0, UINT64_MAX)

#define BOTH(name)                                \
  {                                               \
    {max_##name##_lines, max_##name##_columns}, { \
      min_##name##_lines, min_##name##_columns    \
    }                                             \
  }

const berth_arg_loops_t *berth_arg_loops(berth_dtype_t dtype, bool is_min) {
  static const berth_arg_loops_t loops[BERTH_DTYPE_COUNT][2] = {
      [BERTH_FLOAT] = BOTH(f32), [BERTH_DOUBLE] = BOTH(f64),
      [BERTH_HALF] = BOTH(half), [BERTH_BFLOAT16] = BOTH(bfloat16),
      [BERTH_INT8] = BOTH(i8),   [BERTH_UINT8] = BOTH(u8),
      [BERTH_INT16] = BOTH(i16), [BERTH_UINT16] = BOTH(u16),
      [BERTH_INT32] = BOTH(i32), [BERTH_UINT32] = BOTH(u32),
      [BERTH_INT64] = BOTH(i64), [BERTH_UINT64] = BOTH(u64),
      [BERTH_BOOL] = BOTH(u8),
  };
  const berth_arg_loops_t *found = &loops[dtype][is_min];
  return found->lines != NULL ? found : NULL;
}
