// lanes_isa.c - Convolutions of small groups, for each instruction set.
#include "cpu/loops/lanes.h"

#include "cpu/loops/simd.h"

enum {
  LANES = BERTH_F32_LANES,
  SUMS = 8,  // Of factors, and
  MOST = 8,  // of places: so many are under way.
  // The same where no lanes are picked out. Rows have 14 places, or twice that.
#if defined(__AVX512F__)
  SAME_SUMS = 16,
  SAME_MOST = 14,
#else
  SAME_SUMS = 8,
  SAME_MOST = 8,
#endif
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

// True where factors are met by the same lane everywhere, the first by lane 0:
// of one group. Those that few CPUs need are picked out as others are.
static bool are_same(const berth_lane_sums_t *run) {
  return LANES > 4 && run->x_next == 0 && run->at[0] == 0 &&
         run->at[LANES - 1] == 0;
}

// |places| places (a constant) from |p| on, SAME_MOST at most; |is_same| is a
// constant.
static BERTH_INLINE void dot_places(const berth_lane_sums_t *run,
                                    const int places, const bool is_same,
                                    int64_t p) {
  berth_f32v_t sums[SAME_MOST];
  BERTH_UNROLL
  for (int i = 0; i < places; ++i) sums[i] = berth_f32v_splat(0);
  int64_t step = run->step, depth = run->depth;
  for (int64_t l = 0; l < run->lines; ++l) {
    const float *line = run->x[l] + p * step, *factors = run->w[l];
    for (int64_t t = 0; t < run->taps; ++t) {
      // Four places for each address that is kept.
      const float *quad[(SAME_MOST + 3) / 4], *w = factors;
      const int32_t *at = run->at;
      BERTH_UNROLL
      for (int i = 0; i < places; i += 4) quad[i / 4] = line + i * step;
      for (int64_t d = 0; d < depth; ++d, w += LANES, at += run->at_next) {
        berth_f32v_t factor = berth_f32v_load(w);
        lanes_at_t lanes = at_load(at);
        BERTH_UNROLL
        for (int i = 0; i < places; ++i) {
          const float *x = quad[i / 4] + i % 4 * step;
          berth_f32v_t value =
              is_same ? berth_f32v_splat(x[d]) : at_pick(x, lanes);
          sums[i] = berth_f32v_fma(value, factor, sums[i]);
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
  if (count >= SAME_MOST && are_same(run)) {
    for (; count - p > 4; p += SAME_MOST) {
      dot_places(run, SAME_MOST, true,
                 p + SAME_MOST < count ? p : count - SAME_MOST);
    }
  }
  if (count >= MOST) {
    for (; count - p > 4; p += MOST) {
      dot_places(run, MOST, false, p + MOST < count ? p : count - MOST);
    }
  }
  if (count >= 4) {
    for (; p < count; p += 4) {
      dot_places(run, 4, false, p + 4 < count ? p : count - 4);
    }
  }
  for (; p < count; ++p) dot_places(run, 1, false, p);
}

// ---- Sums over places ----

// Adds to |count| vectors of factors (a constant), SAME_SUMS at most; |is_same|
// is one, too.
static BERTH_INLINE void add_factors(const berth_lane_sums_t *run,
                                     const int count, const bool is_same,
                                     int64_t d, const float *x, float *w) {
  berth_f32v_t sums[SAME_SUMS];
  lanes_at_t lanes[SAME_SUMS];
  BERTH_UNROLL
  for (int i = 0; i < count; ++i) {
    sums[i] = berth_f32v_splat(0);
    lanes[i] = at_load(run->at + (d + i) * run->at_next);
  }
  const float *y = run->y;
  x += is_same ? d : d * run->x_next;
  for (int64_t p = 0; p < run->places; ++p, x += run->step, y += run->apart) {
    berth_f32v_t slope = berth_f32v_load(y);
    BERTH_UNROLL
    for (int i = 0; i < count; ++i) {
      berth_f32v_t value = is_same ? berth_f32v_splat(x[i])
                                   : at_pick(x + i * run->x_next, lanes[i]);
      sums[i] = berth_f32v_fma(value, slope, sums[i]);
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
  bool is_same = are_same(run) && depth % SAME_SUMS == 0;
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
      for (; is_same && d < depth; d += SAME_SUMS) {
        add_factors(run, SAME_SUMS, true, d, x, w);
      }
      for (; d + SUMS <= depth; d += SUMS) {
        add_factors(run, SUMS, false, d, x, w);
      }
      for (; d + 3 <= depth; d += 3) add_factors(run, 3, false, d, x, w);
      for (; d < depth; ++d) add_factors(run, 1, false, d, x, w);
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
