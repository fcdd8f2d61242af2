// fold_lines.h - Makes the loop of a fold over lines, in vectors.
//
//   FOLD_LINES(name, type, OP, MEET, IDENTITY, LOOK, FEW)   defines
//       <name>_lines(), which folds two numbers by OP(a, b) and two vectors by
//       MEET(a, b); LOOK(bad, v) notes in |bad| what MEET would lose: a NaN
//
// |type| is one of those defined below. A line is folded in blocks (fold.h), a
// block in as many accumulators as its width has vectors; these are folded into
// one, which takes what is left, and at last its own lanes. A block of less than
// FEW bytes is folded one number after the other, as in TensorFlow, so that the
// sums that people print and compare have TensorFlow's bits.
//
// For *_isa.c files: everything is static.
#ifndef BERTH_CPU_LOOPS_FOLD_LINES_H_
#define BERTH_CPU_LOOPS_FOLD_LINES_H_

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/compiler.h"
#include "cpu/loops/fold.h"
#include "cpu/loops/simd.h"

typedef int64_t berth_fold_i64v_t
    __attribute__((vector_size(BERTH_VECTOR_BYTES)));
typedef uint64_t berth_fold_u64v_t
    __attribute__((vector_size(BERTH_VECTOR_BYTES)));

enum {
  // As many accumulators whatever their set, so that sums are as exact.
  FOLD_VECTORS = 256 / BERTH_VECTOR_BYTES,
  // So far ahead memory is asked for: a page, beyond which CPUs do not see by
  // themselves what comes next.
  FOLD_AHEAD = 4096,
  FOLD_CACHE_LINE = 64,
};

// Accumulators are registers where there are enough.
#if defined(__AVX2__)
#define FOLD_EACH BERTH_UNROLL
#else
#define FOLD_EACH
#endif

// Has |size| bytes come that lie ahead of |at|, unless they begin behind |end|.
static BERTH_INLINE void berth_fold_ask(const void *at, int size,
                                        const void *end) {
  uintptr_t from = (uintptr_t)at + FOLD_AHEAD;
  if (from >= (uintptr_t)end) return;
  for (int i = 0; i < size; i += FOLD_CACHE_LINE) {
    __builtin_prefetch((const char *)at + FOLD_AHEAD + i);
  }
}

// Loads |n| lanes, fewer than a vector has; others are those of |fill|.
static BERTH_INLINE berth_u32v_t berth_fold_part_32(const void *from, int64_t n,
                                                    berth_u32v_t fill) {
#if defined(__AVX512F__)
  __mmask16 mask = (__mmask16)((1U << n) - 1U);
  return (berth_u32v_t)_mm512_mask_loadu_epi32((__m512i)fill, mask, from);
#elif defined(__AVX2__)
  __m256i mask = _mm256_cmpgt_epi32(_mm256_set1_epi32((int)n),
                                    _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
  __m256i part = _mm256_maskload_epi32(from, mask);
  return (berth_u32v_t)_mm256_blendv_epi8((__m256i)fill, part, mask);
#else
  memcpy(&fill, from, (size_t)n * 4);
  return fill;
#endif
}

static BERTH_INLINE berth_fold_u64v_t
berth_fold_part_64(const void *from, int64_t n, berth_fold_u64v_t fill) {
#if defined(__AVX512F__)
  __mmask8 mask = (__mmask8)((1U << n) - 1U);
  return (berth_fold_u64v_t)_mm512_mask_loadu_epi64((__m512i)fill, mask, from);
#elif defined(__AVX2__)
  __m256i mask =
      _mm256_cmpgt_epi64(_mm256_set1_epi64x(n), _mm256_setr_epi64x(0, 1, 2, 3));
  __m256i part = _mm256_maskload_epi64(from, mask);
  return (berth_fold_u64v_t)_mm256_blendv_epi8((__m256i)fill, part, mask);
#else
  memcpy(&fill, from, (size_t)n * 8);
  return fill;
#endif
}

// Defines a type whose values accumulate as they are: of 32 or 64 bits.
#define FOLD_WHOLE(type, A, V, bits)                                       \
  typedef A berth_fold_##type##_t, berth_fold_##type##_sum_t;              \
  typedef V berth_fold_##type##_v_t;                                       \
                                                                           \
  static BERTH_INLINE A berth_fold_##type##_number(A x) { return x; }      \
                                                                           \
  static BERTH_INLINE V berth_fold_##type##_load(const A *from) {          \
    V v;                                                                   \
    memcpy(&v, from, sizeof(v));                                           \
    return v;                                                              \
  }                                                                        \
                                                                           \
  static BERTH_INLINE V berth_fold_##type##_part(const A *from, int64_t n, \
                                                 V fill) {                 \
    return (V)berth_fold_part_##bits(from, n,                              \
                                     (berth_fold_word_##bits##_t)fill);    \
  }

typedef berth_u32v_t berth_fold_word_32_t;
typedef berth_fold_u64v_t berth_fold_word_64_t;

FOLD_WHOLE(f32, float, berth_f32v_t, 32)
FOLD_WHOLE(i32, int32_t, berth_i32v_t, 32)
FOLD_WHOLE(u32, uint32_t, berth_u32v_t, 32)
FOLD_WHOLE(f64, double, berth_f64v_t, 64)
FOLD_WHOLE(i64, int64_t, berth_fold_i64v_t, 64)
FOLD_WHOLE(u64, uint64_t, berth_fold_u64v_t, 64)

// Defines a type of 16 bits, which accumulates as float.
#define FOLD_SHORT(type)                                                   \
  typedef uint16_t berth_fold_##type##_t;                                  \
  typedef float berth_fold_##type##_sum_t;                                 \
  typedef berth_f32v_t berth_fold_##type##_v_t;                            \
                                                                           \
  static BERTH_INLINE float berth_fold_##type##_number(uint16_t x) {       \
    return berth_##type##_to_float(x);                                     \
  }                                                                        \
                                                                           \
  static BERTH_INLINE berth_f32v_t berth_fold_##type##_load(               \
      const uint16_t *from) {                                              \
    return berth_f32v_load_##type(from);                                   \
  }                                                                        \
                                                                           \
  static BERTH_INLINE berth_f32v_t berth_fold_##type##_part(               \
      const uint16_t *from, int64_t n, berth_f32v_t fill) {                \
    float lanes[BERTH_F32_LANES];                                          \
    berth_f32v_store(lanes, berth_f32v_load_##type##_part(from, n));       \
    return (berth_f32v_t)berth_fold_part_32(lanes, n, (berth_u32v_t)fill); \
  }

FOLD_SHORT(half)
FOLD_SHORT(bfloat16)

// ---- Largest and smallest ----

// Returns |a| where |more|, else |b|.
#define FOLD_SELECT(V, more, a, b) \
  ((V)(((more) & (__typeof__(more))(a)) | (~(more) & (__typeof__(more))(b))))

#if defined(__AVX512F__)
#define FOLD_BEST(type, word)                                              \
  static BERTH_INLINE berth_fold_##type##_v_t berth_fold_##type##_larger(  \
      berth_fold_##type##_v_t a, berth_fold_##type##_v_t b) {              \
    return (berth_fold_##type##_v_t)_mm512_max_##word(a, b);               \
  }                                                                        \
  static BERTH_INLINE berth_fold_##type##_v_t berth_fold_##type##_smaller( \
      berth_fold_##type##_v_t a, berth_fold_##type##_v_t b) {              \
    return (berth_fold_##type##_v_t)_mm512_min_##word(a, b);               \
  }
FOLD_BEST(f32, ps)
FOLD_BEST(f64, pd)
#undef FOLD_BEST
#define FOLD_BEST(type, word)                                                  \
  static BERTH_INLINE berth_fold_##type##_v_t berth_fold_##type##_larger(      \
      berth_fold_##type##_v_t a, berth_fold_##type##_v_t b) {                  \
    return (berth_fold_##type##_v_t)_mm512_max_##word((__m512i)a, (__m512i)b); \
  }                                                                            \
  static BERTH_INLINE berth_fold_##type##_v_t berth_fold_##type##_smaller(     \
      berth_fold_##type##_v_t a, berth_fold_##type##_v_t b) {                  \
    return (berth_fold_##type##_v_t)_mm512_min_##word((__m512i)a, (__m512i)b); \
  }
FOLD_BEST(i32, epi32)
FOLD_BEST(i64, epi64)

// Which numbers were NaN: a bit of each lane.
typedef unsigned berth_fold_bad_t;
static BERTH_INLINE berth_fold_bad_t berth_fold_good(void) { return 0; }
static BERTH_INLINE bool berth_fold_is_bad(berth_fold_bad_t bad) {
  return bad != 0;
}
#define FOLD_LOOK_F32(bad, v) \
  ((bad) |= _mm512_cmp_ps_mask((v), (v), _CMP_UNORD_Q))
#define FOLD_LOOK_F64(bad, v) \
  ((bad) |= _mm512_cmp_pd_mask((v), (v), _CMP_UNORD_Q))
#else
#define FOLD_BEST(type, word)                                              \
  static BERTH_INLINE berth_fold_##type##_v_t berth_fold_##type##_larger(  \
      berth_fold_##type##_v_t a, berth_fold_##type##_v_t b) {              \
    return FOLD_SELECT(berth_fold_##type##_v_t, a > b, a, b);              \
  }                                                                        \
  static BERTH_INLINE berth_fold_##type##_v_t berth_fold_##type##_smaller( \
      berth_fold_##type##_v_t a, berth_fold_##type##_v_t b) {              \
    return FOLD_SELECT(berth_fold_##type##_v_t, a < b, a, b);              \
  }
FOLD_BEST(f32, )
FOLD_BEST(f64, )
FOLD_BEST(i32, )
FOLD_BEST(i64, )

// Which numbers were NaN: lanes that are not 0.
typedef berth_u32v_t berth_fold_bad_t;
static BERTH_INLINE berth_fold_bad_t berth_fold_good(void) {
  return (berth_fold_bad_t){0};
}
static BERTH_INLINE bool berth_fold_is_bad(berth_fold_bad_t bad) {
  uint32_t any = 0;
  for (int i = 0; i < BERTH_F32_LANES; ++i) any |= bad[i];
  return any != 0;
}
#define FOLD_LOOK_F32(bad, v) ((bad) |= (berth_u32v_t)((v) != (v)))
#define FOLD_LOOK_F64 FOLD_LOOK_F32
#endif

// Where nothing is lost.
#define FOLD_LOOK_AWAY(bad, v) ((void)0)

#define FOLD_LINES(name, type, OP, MEET, IDENTITY, LOOK, FEW)                 \
  BERTH_FOLD_LANES(name##_lanes, berth_fold_##type##_v_t,                     \
                   berth_fold_##type##_sum_t, MEET)                           \
                                                                              \
  /* Folds |n| values, a block or less, of lines that end at |end|. */        \
  static BERTH_INLINE berth_fold_##type##_sum_t name##_block(                 \
      const berth_fold_##type##_t *x, int64_t n,                              \
      const berth_fold_##type##_t *end) {                                     \
    typedef berth_fold_##type##_v_t vec_t;                                    \
    enum {                                                                    \
      ITEM = (int)sizeof(berth_fold_##type##_sum_t),                          \
      LANES = BERTH_VECTOR_BYTES / ITEM,                                      \
      WIDTH = FOLD_VECTORS * LANES,                                           \
      SHORT = (FEW) / ITEM,                                                   \
    };                                                                        \
    if (n < SHORT) {                                                          \
      berth_fold_##type##_sum_t total = IDENTITY;                             \
      for (int64_t i = 0; i < n; ++i) {                                       \
        total = OP(total, berth_fold_##type##_number(x[i]));                  \
      }                                                                       \
      return total;                                                           \
    }                                                                         \
    vec_t acc[FOLD_VECTORS], one, fill;                                       \
    berth_fold_bad_t bad = berth_fold_good();                                 \
    int64_t p = 0;                                                            \
    for (int i = 0; i < LANES; ++i) fill[i] = IDENTITY;                       \
    one = fill;                                                               \
    if (n >= WIDTH) {                                                         \
      FOLD_EACH                                                               \
      for (int v = 0; v < FOLD_VECTORS; ++v) acc[v] = fill;                   \
      for (; p + WIDTH <= n; p += WIDTH) {                                    \
        berth_fold_ask(x + p, WIDTH * (int)sizeof(*x), end);                  \
        FOLD_EACH                                                             \
        for (int v = 0; v < FOLD_VECTORS; ++v) {                              \
          vec_t more = berth_fold_##type##_load(x + p + v * LANES);           \
          LOOK(bad, more);                                                    \
          acc[v] = MEET(acc[v], more);                                        \
        }                                                                     \
      }                                                                       \
      one = acc[0];                                                           \
      FOLD_EACH                                                               \
      for (int v = 1; v < FOLD_VECTORS; ++v) one = MEET(one, acc[v]);         \
    }                                                                         \
    if (p < n) berth_fold_ask(x + p, (int)(n - p) * (int)sizeof(*x), end);    \
    for (; p + LANES <= n; p += LANES) {                                      \
      vec_t more = berth_fold_##type##_load(x + p);                           \
      LOOK(bad, more);                                                        \
      one = MEET(one, more);                                                  \
    }                                                                         \
    if (p < n) {                                                              \
      vec_t more = berth_fold_##type##_part(x + p, n - p, fill);              \
      LOOK(bad, more);                                                        \
      one = MEET(one, more);                                                  \
    }                                                                         \
    if (berth_fold_is_bad(bad)) return (berth_fold_##type##_sum_t)NAN;        \
    return name##_lanes(one);                                                 \
  }                                                                           \
                                                                              \
  static void name##_lines(const void *in, int64_t lines, int64_t step,       \
                           int64_t n, void *out) {                            \
    enum {                                                                    \
      BLOCK = BERTH_FOLD_BLOCK_BYTES / (int)sizeof(berth_fold_##type##_sum_t) \
    };                                                                        \
    const berth_fold_##type##_t *x = in, *end = x + (lines - 1) * step + n;   \
    berth_fold_##type##_sum_t *to = out;                                      \
    for (int64_t line = 0; line < lines; ++line, x += step) {                 \
      berth_fold_##type##_sum_t total = IDENTITY;                             \
      for (int64_t p = 0; p < n; p += BLOCK) {                                \
        int64_t some = n - p < BLOCK ? n - p : BLOCK;                         \
        berth_fold_##type##_sum_t block = name##_block(x + p, some, end);     \
        total = p == 0 ? block : OP(total, block);                            \
      }                                                                       \
      to[line] = total;                                                       \
    }                                                                         \
  }

#endif  // BERTH_CPU_LOOPS_FOLD_LINES_H_
