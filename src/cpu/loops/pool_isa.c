// pool_isa.c - The loops of pooling for float, for each instruction set.
#include <float.h>

#include "cpu/loops/pool_walk.h"
#include "cpu/loops/simd.h"

typedef berth_f32v_t vec_t;
enum { LANES = BERTH_F32_LANES, VECTORS = 4 };

// |x| where it is larger: NaN is not.
static BERTH_INLINE vec_t larger(vec_t x, vec_t best) {
  return berth_f32v_max(x, best);
}

static BERTH_INLINE vec_t sum(vec_t x, vec_t total) { return total + x; }

#define AS_IT_IS(x, divisor) ((void)(divisor), (x))
#define DIVIDED(x, divisor) ((x) / (divisor))

// Joins the taps of a window, |vectors| vectors of channels at a time, and
// finishes what comes out. Accumulators stay in registers.
#define DEFINE_JOIN(name, join, start, finish)                          \
  static BERTH_INLINE void name##_block(                                \
      const float *in, const berth_pooling_taps_t *taps, float *out,    \
      vec_t divisor, int vectors) {                                     \
    vec_t acc[VECTORS];                                                 \
    for (int v = 0; v < vectors; ++v) acc[v] = berth_f32v_splat(start); \
    FOR_TAPS(*taps, offset) {                                           \
      const float *x = in + offset;                                     \
      for (int v = 0; v < vectors; ++v) {                               \
        acc[v] = join(berth_f32v_load(x + v * LANES), acc[v]);          \
      }                                                                 \
    }                                                                   \
    for (int v = 0; v < vectors; ++v) {                                 \
      berth_f32v_store(out + v * LANES, finish(acc[v], divisor));       \
    }                                                                   \
  }                                                                     \
                                                                        \
  static BERTH_INLINE void name##_rest(                                 \
      const float *in, const berth_pooling_taps_t *taps, float *out,    \
      vec_t divisor, int64_t count) {                                   \
    vec_t acc = berth_f32v_splat(start);                                \
    FOR_TAPS(*taps, offset) {                                           \
      acc = join(berth_f32v_load_part(in + offset, count, start), acc); \
    }                                                                   \
    berth_f32v_store_part(out, finish(acc, divisor), count);            \
  }                                                                     \
                                                                        \
  static BERTH_INLINE void name##_window(                               \
      const float *in, const berth_pooling_taps_t *taps, float *out,    \
      vec_t divisor, int64_t channels) {                                \
    int64_t c = 0;                                                      \
    for (; c + VECTORS * LANES <= channels; c += VECTORS * LANES) {     \
      name##_block(in + c, taps, out + c, divisor, VECTORS);            \
    }                                                                   \
    for (; c + LANES <= channels; c += LANES) {                         \
      name##_block(in + c, taps, out + c, divisor, 1);                  \
    }                                                                   \
    if (c < channels) {                                                 \
      name##_rest(in + c, taps, out + c, divisor, channels - c);        \
    }                                                                   \
  }

DEFINE_JOIN(larger, larger, -FLT_MAX, AS_IT_IS)
DEFINE_JOIN(sum, sum, 0.0f, DIVIDED)

static BERTH_INLINE void max_window(const void *in,
                                    const berth_pooling_taps_t *taps, void *out,
                                    int64_t channels) {
  larger_window(in, taps, out, berth_f32v_splat(1.0f), channels);
}

static BERTH_INLINE void mean_window(const void *in,
                                     const berth_pooling_taps_t *taps,
                                     void *out, int64_t channels) {
  vec_t count = berth_f32v_splat((float)berth_pooling_tap_count(taps));
  sum_window(in, taps, out, count, channels);
}

static void max_f32(const berth_window_t *window, const void *in, void *out,
                    int64_t begin, int64_t end) {
  berth_pooling_rows(window, in, out, begin, end, sizeof(float), max_window);
}

static void mean_f32(const berth_window_t *window, const void *in, void *out,
                     int64_t begin, int64_t end) {
  berth_pooling_rows(window, in, out, begin, end, sizeof(float), mean_window);
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
