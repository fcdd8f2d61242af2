// lanes_isa.c - Convolutions of small groups, for each instruction set.
#include "cpu/loops/lanes.h"

#include "cpu/loops/simd.h"

enum {
  LANES = BERTH_F32_LANES,
  SUMS = 8,   // Of factors, and
  MOST = 8,   // of places: so many are under way.
  AHEAD = 8,  // Places that are asked for in advance: they are far apart.
};

// ---- Bringing into lanes ----

#define READ(name, S, LOAD, GET)                                     \
  static void name(const berth_lanes_read_t *read) {                 \
    const S *from = read->from;                                      \
    float *to = read->to;                                            \
    for (int64_t p = 0; p < read->count; ++p, from += read->place) { \
      __builtin_prefetch(from + AHEAD * read->place);                \
      if (read->at == NULL && read->lanes == LANES) {                \
        berth_f32v_store(to, LOAD(from));                            \
      } else if (read->at == NULL) {                                 \
        for (int l = 0; l < LANES; ++l) {                            \
          to[l] = l < (int)read->lanes ? GET(from[l]) : 0;           \
        }                                                            \
      } else {                                                       \
        for (int64_t l = 0; l < read->vectors * LANES; ++l) {        \
          to[l] = GET(from[read->at[l]]);                            \
        }                                                            \
      }                                                              \
      to += read->vectors * LANES;                                   \
    }                                                                \
  }
READ(read_f32, float, berth_f32v_load, )
READ(read_half, uint16_t, berth_f32v_load_half, berth_half_to_float)
READ(read_bfloat16, uint16_t, berth_f32v_load_bfloat16, berth_bfloat16_to_float)

// Lanes to be picked out of a vector, one for each lane.
#if defined(__AVX512F__)
typedef __m512i lanes_at_t;
static BERTH_INLINE lanes_at_t at_load(const int32_t *at) {
  return _mm512_loadu_si512(at);
}
static BERTH_INLINE berth_f32v_t at_pick(const float *x, lanes_at_t at) {
  return _mm512_permutexvar_ps(at, berth_f32v_load(x));
}
#elif defined(__AVX2__)
typedef __m256i lanes_at_t;
static BERTH_INLINE lanes_at_t at_load(const int32_t *at) {
  return _mm256_loadu_si256((const void *)at);
}
static BERTH_INLINE berth_f32v_t at_pick(const float *x, lanes_at_t at) {
  return _mm256_permutevar8x32_ps(berth_f32v_load(x), at);
}
#else
typedef const int32_t *lanes_at_t;
static BERTH_INLINE lanes_at_t at_load(const int32_t *at) { return at; }
static BERTH_INLINE berth_f32v_t at_pick(const float *x, lanes_at_t at) {
  return (berth_f32v_t){x[at[0]], x[at[1]], x[at[2]], x[at[3]]};
}
#endif

// ---- Sums over taps ----

// |places| places (a constant), MOST at most, from |p| on.
static BERTH_INLINE void dot_places(const berth_lane_sums_t *run,
                                    const int places, int64_t p) {
  berth_f32v_t sums[MOST];
  BERTH_UNROLL
  for (int i = 0; i < places; ++i) sums[i] = berth_f32v_splat(0);
  int64_t step = run->step, depth = run->depth;
  for (int64_t l = 0; l < run->lines; ++l) {
    const float *line = run->x[l] + p * step, *factors = run->w[l];
    for (int64_t t = 0; t < run->taps; ++t) {
      // Four places for each address that is kept.
      const float *quad[(MOST + 3) / 4], *w = factors;
      const int32_t *at = run->at;
      BERTH_UNROLL
      for (int i = 0; i < places; i += 4) quad[i / 4] = line + i * step;
      for (int64_t d = 0; d < depth; ++d, w += LANES, at += run->at_next) {
        berth_f32v_t factor = berth_f32v_load(w);
        lanes_at_t lanes = at_load(at);
        BERTH_UNROLL
        for (int i = 0; i < places; ++i) {
          sums[i] = berth_f32v_fma(at_pick(quad[i / 4] + i % 4 * step, lanes),
                                   factor, sums[i]);
        }
        BERTH_UNROLL
        for (int i = 0; i < places; i += 4) quad[i / 4] += run->x_next;
      }
      line += run->x_tap;
      factors += run->w_tap;
    }
  }
  float *y = run->y + p * run->apart;
  BERTH_UNROLL
  for (int i = 0; i < places; ++i) {
    berth_f32v_store(y + i * run->apart, sums[i]);
  }
}

// The last places go with some that are computed again, which costs less than
// one by one.
static void dot(const berth_lane_sums_t *run) {
  int64_t count = run->places, p = 0;
  if (count >= MOST) {
    for (; count - p > 4; p += MOST) {
      dot_places(run, MOST, p + MOST < count ? p : count - MOST);
    }
  }
  if (count >= 4) {
    for (; p < count; p += 4) dot_places(run, 4, p + 4 < count ? p : count - 4);
  }
  for (; p < count; ++p) dot_places(run, 1, p);
}

// ---- Sums over places ----

// Adds to |count| vectors of factors (a constant), at most SUMS.
static BERTH_INLINE void add_factors(const berth_lane_sums_t *run,
                                     const int count, int64_t d, const float *x,
                                     float *w) {
  berth_f32v_t sums[SUMS];
  lanes_at_t lanes[SUMS];
  BERTH_UNROLL
  for (int i = 0; i < count; ++i) {
    sums[i] = berth_f32v_splat(0);
    lanes[i] = at_load(run->at + (d + i) * run->at_next);
  }
  const float *y = run->y;
  x += d * run->x_next;
  for (int64_t p = 0; p < run->places; ++p, x += run->step, y += run->apart) {
    berth_f32v_t slope = berth_f32v_load(y);
    BERTH_UNROLL
    for (int i = 0; i < count; ++i) {
      sums[i] = berth_f32v_fma(at_pick(x + i * run->x_next, lanes[i]), slope,
                               sums[i]);
    }
  }
  w += d * LANES;
  BERTH_UNROLL
  for (int i = 0; i < count; ++i) {
    berth_f32v_store(w + i * LANES, berth_f32v_load(w + i * LANES) + sums[i]);
  }
}

static void add(const berth_lane_sums_t *run) {
  int64_t taps = run->taps, depth = run->depth;
  if (run->at_next == 0 && run->x_tap == depth * LANES &&
      run->w_tap == depth * LANES) {
    depth *= taps;  // They lie side by side.
    taps = 1;
  }
  for (int64_t l = 0; l < run->lines; ++l) {
    for (int64_t t = 0; t < taps; ++t) {
      const float *x = run->x[l] + t * run->x_tap;
      float *w = run->w[l] + t * run->w_tap;
      int64_t d = 0;
      for (; d + SUMS <= depth; d += SUMS) add_factors(run, SUMS, d, x, w);
      for (; d + 3 <= depth; d += 3) add_factors(run, 3, d, x, w);
      for (; d < depth; ++d) add_factors(run, 1, d, x, w);
    }
  }
}

const berth_lane_loops_t BERTH_ISA(berth_cpu_lane_loops) = {
    .lanes = LANES,
    .read_f32 = read_f32,
    .read_half = read_half,
    .read_bfloat16 = read_bfloat16,
    .dot = dot,
    .add = add,
};
