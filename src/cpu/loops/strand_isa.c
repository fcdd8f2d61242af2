// strand_isa.c - Several functions of floats in registers, for each set.
#include "cpu/loops/strand.h"

#include <stdbool.h>

#include "cpu/loops/simd.h"

typedef berth_f32v_t V;

enum { LANES = BERTH_F32_LANES, SOME = 4 };

// Vectors that go together: as many as hide what choosing a function costs, and
// leave registers for its own.
#if defined(__AVX512F__)
#define GROUP 16
#else
#define GROUP 8
#endif

// ---- Functions ----

#define pick berth_f32v_pick
#define positive berth_f32v_relu

static BERTH_INLINE V up_to_six(V x) { return positive(berth_f32v_six(x)); }

// Returns |found|, the one of two that was looked for, unless one is NaN: then
// the first that is.
static BERTH_INLINE V unless_nan(V x, V y, V found) {
  return pick(y, y, found, pick(x, x, y, x));
}

static BERTH_INLINE V larger(V x, V y) {
  return unless_nan(x, y, pick(x, y, y, x));
}

static BERTH_INLINE V smaller(V x, V y) {
  return unless_nan(x, y, pick(y, x, y, x));
}

static BERTH_INLINE V leaky(V x, V y) {
  return pick(x, berth_f32v_splat(0), x * y, pick(x, x, x, x * y));
}

static BERTH_INLINE V magnitude(V x) {
  enum { ALL_BUT_SIGN = 0x7fffffff };
  return (V)((berth_i32v_t)x & ALL_BUT_SIGN);
}

// ---- Groups ----

// Elements from |at| on of what a strand reads and writes. Fewer than a vector
// has, |left|, where |is_part|.
static BERTH_INLINE V get(const float *from, int64_t at, bool is_part,
                          int64_t left) {
  return is_part ? berth_f32v_load_part(from + at, left, 1)
                 : berth_f32v_load(from + at);
}

#define EACH for (int i = 0; i < wide; ++i)

// Does |wide| (a constant) vectors of all functions.
static BERTH_INLINE void group_do(const int wide, const bool is_part,
                                  const berth_strand_t *strands, int count,
                                  const float *from, float *to, int64_t at,
                                  int64_t left) {
  V v[GROUP];
  BERTH_UNROLL
  EACH v[i] = get(from, at + i * LANES, is_part, left);
  for (int s = 0; s < count; ++s) {
    const float *b = strands[s].y;
    switch (strands[s].code) {
#define F(name, expr)                                        \
  case BERTH_STRAND_##name:                                  \
    BERTH_UNROLL                                             \
    EACH {                                                   \
      V x = v[i], y = get(b, at + i * LANES, is_part, left); \
      v[i] = expr;                                           \
    }                                                        \
    break;                                                   \
  case BERTH_STRAND_##name##_ONE:                            \
    BERTH_UNROLL                                             \
    EACH {                                                   \
      V x = v[i], y = berth_f32v_splat(*b);                  \
      v[i] = expr;                                           \
    }                                                        \
    break;
      BERTH_STRAND_PAIRS(F)
#undef F
#define F(name, expr)       \
  case BERTH_STRAND_##name: \
    BERTH_UNROLL            \
    EACH {                  \
      V x = v[i];           \
      v[i] = expr;          \
    }                       \
    break;
      BERTH_STRAND_SINGLES(F)
#undef F
      default:
        break;
    }
  }
  if (is_part) {
    berth_f32v_store_part(to + at, v[0], left);
    return;
  }
  BERTH_UNROLL
  EACH berth_f32v_store(to + at + i * LANES, v[i]);
}

static BERTH_NOINLINE void many_do(const berth_strand_t *strands, int count,
                                   const float *from, float *to, int64_t at) {
  group_do(GROUP, false, strands, count, from, to, at, 0);
}

static BERTH_NOINLINE void some_do(const berth_strand_t *strands, int count,
                                   const float *from, float *to, int64_t at) {
  group_do(SOME, false, strands, count, from, to, at, 0);
}

static BERTH_NOINLINE void few_do(const berth_strand_t *strands, int count,
                                  const float *from, float *to, int64_t at) {
  group_do(1, false, strands, count, from, to, at, 0);
}

static BERTH_NOINLINE void part_do(const berth_strand_t *strands, int count,
                                   const float *from, float *to, int64_t at,
                                   int64_t left) {
  group_do(1, true, strands, count, from, to, at, left);
}

static void strand_f32(const berth_strand_t *strands, int count, const float *x,
                       float *out, int64_t n) {
  int64_t at = 0;
  for (; at + GROUP * LANES <= n; at += GROUP * LANES) {
    many_do(strands, count, x, out, at);
  }
  for (; at + SOME * LANES <= n; at += SOME * LANES) {
    some_do(strands, count, x, out, at);
  }
  for (; at + LANES <= n; at += LANES) few_do(strands, count, x, out, at);
  if (at < n) part_do(strands, count, x, out, at, n - at);
}

const berth_strand_loops_t BERTH_ISA(berth_cpu_strand_loops) = {
    .f32 = strand_f32,
};
