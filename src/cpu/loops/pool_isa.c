// pool_isa.c - The loops of pooling for float, for each instruction set.
#include <float.h>

#include "cpu/loops/pool_walk.h"
#include "cpu/loops/simd.h"

typedef berth_f32v_t vec_t;
enum { LANES = BERTH_F32_LANES, VECTORS = 4, AHEAD = 1024 };

// |x| where it is larger: NaN is not.
static BERTH_INLINE vec_t larger(vec_t x, vec_t best) {
  return berth_f32v_max(x, best);
}

static BERTH_INLINE vec_t sum(vec_t x, vec_t total) { return total + x; }

#define AS_IT_IS(x, divisor) ((void)(divisor), (x))
#define DIVIDED(x, divisor) ((x) / (divisor))

// Vectors of a window or of several: how many, how far apart they are where they
// are read and where they are written, and how many elements each has.
typedef struct line {
  int64_t vectors, apart, to_apart, count;
} line_t;

// Joins the taps of |vectors| vectors at a time and finishes what comes out.
// Accumulators stay in registers.
#define DEFINE_JOIN(name, join, start, finish)                               \
  static BERTH_INLINE void name##_block(                                     \
      const float *in, const berth_pooling_taps_t *taps, float *out,         \
      vec_t divisor, line_t line, int vectors, bool is_whole) {              \
    vec_t acc[VECTORS];                                                      \
    for (int v = 0; v < vectors; ++v) acc[v] = berth_f32v_splat(start);      \
    FOR_TAPS(*taps, offset) {                                                \
      const float *x = in + offset;                                          \
      for (int v = 0; v < vectors; ++v, x += line.apart) {                   \
        __builtin_prefetch(x + AHEAD);                                       \
        acc[v] = join(is_whole ? berth_f32v_load(x)                          \
                               : berth_f32v_load_part(x, line.count, start), \
                      acc[v]);                                               \
      }                                                                      \
    }                                                                        \
    for (int v = 0; v < vectors; ++v, out += line.to_apart) {                \
      vec_t value = finish(acc[v], divisor);                                 \
      if (is_whole) berth_f32v_store(out, value);                            \
      if (!is_whole) berth_f32v_store_part(out, value, line.count);          \
    }                                                                        \
  }                                                                          \
                                                                             \
  static BERTH_INLINE void name##_line(                                      \
      const float *in, const berth_pooling_taps_t *taps, float *out,         \
      vec_t divisor, line_t line, bool is_whole) {                           \
    int64_t left = line.vectors;                                             \
    for (; left >= VECTORS; left -= VECTORS) {                               \
      name##_block(in, taps, out, divisor, line, VECTORS, is_whole);         \
      in += VECTORS * line.apart;                                            \
      out += VECTORS * line.to_apart;                                        \
    }                                                                        \
    for (; left > 0; --left) {                                               \
      name##_block(in, taps, out, divisor, line, 1, is_whole);               \
      in += line.apart;                                                      \
      out += line.to_apart;                                                  \
    }                                                                        \
  }                                                                          \
                                                                             \
  static BERTH_INLINE void name##_window(const void *from,                   \
                                         const berth_pooling_taps_t *taps,   \
                                         void *to, int64_t channels) {       \
    const float *in = from;                                                  \
    float *out = to;                                                         \
    vec_t divisor = berth_f32v_splat((float)berth_pooling_tap_count(taps));  \
    int64_t rest = channels % LANES, whole = channels - rest;                \
    const line_t near = {whole / LANES, LANES, LANES, LANES};                \
    const line_t far = {taps->windows, taps->apart, channels, LANES};        \
    int64_t nears = near.vectors < VECTORS ? taps->windows == 1              \
                                           : taps->windows;                  \
    for (int64_t w = 0; w < nears; ++w) {                                    \
      name##_line(in + w * taps->apart, taps, out + w * channels, divisor,   \
                  near, true);                                               \
    }                                                                        \
    for (int64_t c = 0; nears == 0 && c < whole; c += LANES) {               \
      name##_line(in + c, taps, out + c, divisor, far, true);                \
    }                                                                        \
    if (rest == 0) return;                                                   \
    const line_t part = {taps->windows, taps->apart, channels, rest};        \
    name##_line(in + whole, taps, out + whole, divisor, part, false);        \
  }

DEFINE_JOIN(larger, larger, -FLT_MAX, AS_IT_IS)
DEFINE_JOIN(sum, sum, 0.0f, DIVIDED)

static void max_f32(const berth_window_t *window, const void *in, void *out,
                    int64_t begin, int64_t end) {
  berth_pooling_rows(window, in, out, begin, end, sizeof(float), true,
                     larger_window);
}

static void mean_f32(const berth_window_t *window, const void *in, void *out,
                     int64_t begin, int64_t end) {
  berth_pooling_rows(window, in, out, begin, end, sizeof(float), true,
                     sum_window);
}

#define POOL f32
#define POOL_T float
#define POOL_W float
#define POOL_LOAD(x) (x)
#define POOL_STORE(x) (x)
#define POOL_ROUND(x) (x)
#define POOL_LOWEST (-FLT_MAX)
#define POOL_MEANS
#define POOL_OWN_MAX
#define POOL_OWN_TABLE BERTH_ISA(berth_cpu_pool_f32_loops)
#include "cpu/loops/pool_template.inc"
