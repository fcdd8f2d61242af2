// series_isa.c - Series and continued fractions, a vector of numbers at a time.
#include "cpu/loops/series.h"

#include <math.h>
#include <stdbool.h>

#include "cpu/loops/simd.h"

enum { LANES = BERTH_F64_LANES, MAX_TERMS = 10000 };

typedef berth_f64v_t lanes_t;

#define splat berth_f64v_splat
#define load berth_f64v_load
#define store berth_f64v_store
#define fma_of berth_f64v_fma

// All bits of a lane, or none.
typedef int64_t mask_t __attribute__((vector_size(sizeof(lanes_t))));

static BERTH_INLINE bool is_any(mask_t mask) {
#if defined(__AVX512F__)
  return _mm512_movepi64_mask((__m512i)mask) != 0;
#elif defined(__AVX2__)
  return _mm256_movemask_pd((__m256d)mask) != 0;
#else
  return (mask[0] | mask[1]) != 0;
#endif
}

static BERTH_INLINE lanes_t abs_of(lanes_t x) {
  return (lanes_t)((mask_t)x & ~(mask_t)splat(-0.0));
}

// Lanes of |from| where |mask| is set, and of |other| where it is not.
static BERTH_INLINE lanes_t pick(mask_t mask, lanes_t from, lanes_t other) {
  return (lanes_t)((mask & (mask_t)from) | (~mask & (mask_t)other));
}

// Lanes that go on: what they have when they are there is kept, so that it does
// not depend on the others.
static BERTH_INLINE mask_t all_lanes(void) { return splat(0) == splat(0); }

// ---- Gamma ----

static void sum_lower(const berth_series_t *s) {
  for (int at = 0; at < s->count; at += LANES) {
    lanes_t r = load(s->a + at), x = load(s->x + at);
    lanes_t term = splat(1), sum = splat(1);
    mask_t open = all_lanes();
    for (int i = 1; i < MAX_TERMS; ++i) {
      r += 1;
      term *= x / r;
      sum += pick(open, term, splat(0));
      open &= term > sum * s->precision;
      if (!is_any(open)) break;
    }
    store(s->value + at, sum);
  }
}

static void sum_lower_slope(const berth_series_t *s) {
  for (int at = 0; at < s->count; at += LANES) {
    lanes_t r = load(s->a + at), x = load(s->x + at);
    lanes_t term = splat(1), sum = splat(1);
    lanes_t slope = splat(0), slopes = splat(0);
    mask_t open = all_lanes();
    for (int i = 1; i < MAX_TERMS; ++i) {
      r += 1;
      lanes_t over = 1 / r, factor = x * over;
      slope = fma_of(-term, over, slope) * factor;
      term *= factor;
      sum += pick(open, term, splat(0));
      slopes += pick(open, slope, splat(0));
      open &= slope < slopes * s->precision;  // Both are below 0.
      if (!is_any(open)) break;
    }
    store(s->value + at, sum);
    store(s->slope + at, slopes);
  }
}

// A numerator or divisor of a fraction, and the one before, which grow.
typedef struct pair {
  lanes_t now, before;
} pair_t;

static BERTH_INLINE void step_pair(pair_t *pair, lanes_t next) {
  pair->before = pair->now;
  pair->now = next;
}

static BERTH_INLINE void scale_pair(pair_t *pair, lanes_t factor) {
  pair->now *= factor;
  pair->before *= factor;
}

// Returns what keeps |p| in range.
static lanes_t range_factor(const lanes_t *p) {
  lanes_t factor = splat(1);
  for (int i = 0; i < LANES; ++i) {
    if (fabs((*p)[i]) > 1e100) factor[i] = 1e-100;
  }
  return factor;
}

// True where |next| is not yet there, |off| from the one before.
static BERTH_INLINE mask_t is_apart(lanes_t off, lanes_t next,
                                    const berth_series_t *s) {
  return abs_of(off) > abs_of(next) * (8 * s->precision);
}

static BERTH_INLINE void follow_upper(const berth_series_t *s, int at,
                                      bool has_slope) {
  const lanes_t a = load(s->a + at), x = load(s->x + at);
  pair_t p = {x + 1, splat(1)}, q = {(x + 2 - a) * x, x};
  pair_t dp = {splat(0), splat(0)}, dq = {-x, splat(0)};
  lanes_t y = 1 - a, z = x + 2 - a, k = splat(0);
  lanes_t value = p.now / q.now, slope = -value * dq.now / q.now;
  mask_t open = all_lanes();
  for (int i = 1; i < MAX_TERMS; ++i) {
    k += 1;
    y += 1;
    z += 2;
    lanes_t yk = y * k;
    if (has_slope) {
      lanes_t inner_p = fma_of(dp.before, yk, p.now) - p.before * k;
      lanes_t inner_q = fma_of(dq.before, yk, q.now) - q.before * k;
      step_pair(&dp, fma_of(dp.now, z, -inner_p));
      step_pair(&dq, fma_of(dq.now, z, -inner_q));
    }
    step_pair(&p, fma_of(p.now, z, -(p.before * yk)));
    step_pair(&q, fma_of(q.now, z, -(q.before * yk)));
    lanes_t over = 1 / q.now, next = p.now * over, off = next - value;
    value = pick(open, next, value);
    if (has_slope) {
      lanes_t steep = fma_of(-next, dq.now, dp.now) * over;
      off = steep - slope;
      next = steep;
      slope = pick(open, steep, slope);
    }
    open &= is_apart(off, next, s);
    if (!is_any(open)) break;
    if (is_any(abs_of(p.now) > splat(1e100))) {
      lanes_t factor = range_factor(&p.now);
      scale_pair(&p, factor);
      scale_pair(&q, factor);
      scale_pair(&dp, factor);
      scale_pair(&dq, factor);
    }
  }
  store(s->value + at, value);
  if (has_slope) store(s->slope + at, slope);
}

static void sum_upper(const berth_series_t *s) {
  for (int at = 0; at < s->count; at += LANES) follow_upper(s, at, false);
}

static void sum_upper_slope(const berth_series_t *s) {
  for (int at = 0; at < s->count; at += LANES) follow_upper(s, at, true);
}

// ---- Beta ----

// Two steps at a time, divided by the last divisor.
static void sum_beta(const berth_series_t *s) {
  for (int at = 0; at < s->count; at += LANES) {
    const lanes_t a = load(s->a + at), b = load(s->b + at);
    const lanes_t x = load(s->x + at), sum = a + b;
    lanes_t value = 1 / (1 - sum * x / (a + 1)), m = splat(0), two = a;
    lanes_t p = value, q = value;  // Of the step before, as |now| over 1.
    lanes_t now = value;
    mask_t open = all_lanes();
    for (int i = 1; i < MAX_TERMS; ++i) {
      m += 1;
      two += 2;
      lanes_t low = two - 1, high = two + 1, scale = x / (low * two * high);
      lanes_t even = m * (b - m) * high * scale;
      lanes_t odd = -(a + m) * (sum + m) * low * scale;
      p = fma_of(even, p, now);
      q = fma_of(even, q, splat(1));
      lanes_t over = 1 / (q + odd), next = fma_of(odd, now, p) * over;
      p *= over;
      q *= over;
      value = pick(open, next, value);
      open &= is_apart(next - now, next, s);
      now = next;
      if (!is_any(open)) break;
    }
    store(s->value + at, value);
  }
}

const berth_series_loops_t BERTH_ISA(berth_cpu_series_loops) = {
    .lower = sum_lower,
    .upper = sum_upper,
    .lower_slope = sum_lower_slope,
    .upper_slope = sum_upper_slope,
    .beta = sum_beta};
