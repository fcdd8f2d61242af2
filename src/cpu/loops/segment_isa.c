// segment_isa.c - Rows of segments, for each instruction set.
//
// A vector of columns at a time stays in a register through all rows; eight
// columns are a part of a longer vector, and fewer are done one by one.
#include "cpu/loops/segment.h"

#include "cpu/loops/simd.h"

typedef berth_f32v_t vec_t;
enum { LANES = BERTH_F32_LANES, EIGHT = 8 };

// Loads and stores LANES columns, or eight of a longer vector; |n| is constant.
static BERTH_INLINE vec_t load(const float *from, int n) {
  return n == LANES ? berth_f32v_load(from) : berth_f32v_load_part(from, n, 0);
}

static BERTH_INLINE void store(float *to, vec_t v, int n) {
  if (n == LANES) {
    berth_f32v_store(to, v);
  } else {
    berth_f32v_store_part(to, v, n);
  }
}

// Runs |block| for all columns but the last few, which are less than eight; |c|
// is then how many are done.
#define FOR_COLUMNS(c, cols, block)                             \
  for (; c + LANES <= (cols) / EIGHT * EIGHT; c += LANES) {     \
    block(LANES);                                               \
  }                                                             \
  if (LANES > EIGHT && c + EIGHT <= (cols)) {                   \
    block(EIGHT);                                               \
    c += EIGHT;                                                 \
  }

// ---- Rows that follow each other ----

#define ADD(x, y) ((x) + (y))
#define MUL(x, y) ((x) * (y))
#define LARGER(x, y) ((x) > (y) ? (x) : (y))
#define SMALLER(x, y) ((x) < (y) ? (x) : (y))

#define DEFINE_SUM(name, JOIN)                                             \
  static BERTH_INLINE void name##_block(const float *from, int64_t rows,   \
                                        int64_t cols, float *to, int n) {  \
    vec_t acc = load(to, n);                                               \
    for (int64_t r = 0; r < rows; ++r, from += cols) {                     \
      acc = JOIN(acc, load(from, n));                                      \
    }                                                                      \
    store(to, acc, n);                                                     \
  }

static BERTH_INLINE vec_t larger(vec_t x, vec_t y) {
  return berth_f32v_max(x, y);
}

static BERTH_INLINE vec_t smaller(vec_t x, vec_t y) {
  return -berth_f32v_max(-x, -y);
}

// NaN are left out: |worst| where there is nothing else. Every other row goes
// into a second vector, so that none waits for the one before.
#define DEFINE_LARGEST(name, JOIN, worst)                                  \
  static BERTH_INLINE void name##_block(const float *from, int64_t rows,   \
                                        int64_t cols, float *to, int n) {  \
    vec_t best = JOIN(load(to, n), berth_f32v_splat(worst)), other = best; \
    for (; rows > 1; rows -= 2, from += 2 * cols) {                        \
      best = JOIN(load(from, n), best);                                    \
      other = JOIN(load(from + cols, n), other);                           \
    }                                                                      \
    if (rows > 0) best = JOIN(load(from, n), best);                        \
    store(to, JOIN(other, best), n);                                       \
  }

#define DEFINE_ROWS(name, JOIN)                                            \
  static void name(const void *in, int64_t rows, int64_t cols, void *acc) { \
    const float *from = in;                                                \
    float *to = acc;                                                       \
    int64_t c = 0;                                                         \
    if (rows == 0) return;                                                 \
    FOR_COLUMNS(c, cols, name##_COLUMNS)                                   \
    for (; c < cols; ++c) {                                                \
      float sum = to[c];                                                   \
      for (int64_t r = 0; r < rows; ++r) sum = JOIN(sum, from[r * cols + c]); \
      to[c] = sum;                                                         \
    }                                                                      \
  }
#define add_COLUMNS(n) add_block(from + c, rows, cols, to + c, n)
#define mul_COLUMNS(n) mul_block(from + c, rows, cols, to + c, n)
#define max_COLUMNS(n) max_block(from + c, rows, cols, to + c, n)
#define min_COLUMNS(n) min_block(from + c, rows, cols, to + c, n)

DEFINE_SUM(add, ADD)
DEFINE_SUM(mul, MUL)
DEFINE_LARGEST(max, larger, -__builtin_inff())
DEFINE_LARGEST(min, smaller, __builtin_inff())
DEFINE_ROWS(add, ADD)
DEFINE_ROWS(mul, MUL)
DEFINE_ROWS(max, LARGER)
DEFINE_ROWS(min, SMALLER)

// ---- Rows that are named ----

#define DEFINE_GATHER(name, index)                                            \
  static BERTH_INLINE void name##_block(const float *from, const index *at,   \
                                        int64_t rows, int64_t cols, float *to, \
                                        int n) {                              \
    vec_t sum = load(from + at[0] * cols, n);                                 \
    for (int64_t r = 1; r < rows; ++r) sum += load(from + at[r] * cols, n);   \
    store(to, sum, n);                                                        \
  }                                                                           \
  static void name(const float *from, const void *places, int64_t rows,       \
                   int64_t cols, float *to) {                                 \
    const index *at = places;                                                 \
    int64_t c = 0;                                                            \
    FOR_COLUMNS(c, cols, name##_COLUMNS)                                      \
    for (; c < cols; ++c) {                                                   \
      float sum = from[at[0] * cols + c];                                     \
      for (int64_t r = 1; r < rows; ++r) sum += from[at[r] * cols + c];       \
      to[c] = sum;                                                            \
    }                                                                         \
  }
#define narrow_COLUMNS(n) narrow_block(from + c, at, rows, cols, to + c, n)
#define wide_COLUMNS(n) wide_block(from + c, at, rows, cols, to + c, n)

DEFINE_GATHER(narrow, int32_t)
DEFINE_GATHER(wide, int64_t)

const berth_segment_loops_t BERTH_ISA(berth_cpu_segment_loops) = {
    .rows = {add, mul, max, min},
    .gather = {narrow, wide},
};
