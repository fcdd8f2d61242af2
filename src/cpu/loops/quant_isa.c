// quant_isa.c - Loops that round numbers to steps, for each instruction set.
#include "cpu/loops/quant.h"

#include <math.h>

#include "base/compiler.h"

static BERTH_INLINE float cut(float x, float min, float max) {
  x = x > max ? max : x;
  return x < min ? min : x;
}

static void columns(const float *x, float *y, int64_t n,
                    const berth_quant_columns_t *c) {
  for (int64_t i = 0; i < n; ++i) {
    float in = cut(x[i], c->min[i], c->max[i]) - c->min[i];
    y[i] = floorf(in * c->inverse[i] - c->zero[i] + 0.5f) * c->scale[i];
  }
}

static void steps(const float *x, float *y, int64_t n,
                  const berth_quant_steps_t *s) {
  float min = s->min, max = s->max, scale = s->scale, inverse = s->inverse;
  if (s->rounds_to_even) {
    for (int64_t i = 0; i < n; ++i) {
      y[i] = rintf(cut(x[i], min, max) * scale) * inverse;
    }
    return;
  }
  for (int64_t i = 0; i < n; ++i) {
    y[i] = floorf(cut(x[i], min, max) * scale + 0.5f) * inverse;
  }
}

// Rounds halves away from 0, as roundf() does: what is added is the largest
// number below a half. Large ones are whole.
static BERTH_INLINE float round_away(float x) {
  const float large = 8388608.0f, size = __builtin_fabsf(x);
  const float small = size < large ? size : 0;
  const float whole = (float)(int32_t)(small + 0.49999997f);
  return size < large ? __builtin_copysignf(whole, x) : x;
}

// What is no number is 0, and 2^31 the smallest number, as its low bits are.
static BERTH_INLINE int32_t whole_of(float x) {
  const bool fits = x >= -2147483648.0f && x < 2147483648.0f;
  return fits ? (int32_t)x : x == x ? INT32_MIN : 0;
}

static BERTH_INLINE int32_t moved(float x, const berth_quant_whole_t *h) {
  double value = (double)round_away(x * h->scale) + h->behind;
  value = value < h->low ? h->low : value;
  value = value > h->high ? h->high : value;
  return value == value ? (int32_t)value : 0;
}

static void whole(const float *x, int32_t *y, int64_t n,
                  const berth_quant_whole_t *how) {
  const berth_quant_whole_t h = *how;
  const float behind = (float)h.behind;
#define CUT ((cut(x[i], h.min, h.max) - h.shift) * h.scale)
  switch (h.how) {
    case BERTH_QUANT_TO_EVEN:
      for (int64_t i = 0; i < n; ++i) y[i] = whole_of(rintf(CUT));
      return;
    case BERTH_QUANT_AWAY:
      for (int64_t i = 0; i < n; ++i) y[i] = whole_of(round_away(CUT + behind));
      return;
    case BERTH_QUANT_UP:
      for (int64_t i = 0; i < n; ++i) y[i] = whole_of(CUT + 0.5f);
      return;
    case BERTH_QUANT_MOVED:
      for (int64_t i = 0; i < n; ++i) y[i] = moved(x[i], &h);
      return;
  }
#undef CUT
}

static void line(const float *x, float *y, int64_t n,
                 const berth_quant_line_t *line) {
  const berth_quant_line_t l = *line;
  for (int64_t i = 0; i < n; ++i) y[i] = (x[i] + l.half) * l.step + l.first;
}

static void limits(const float *x, int64_t n, float *min, float *max) {
  enum { WIDE = 32 };
  float low[WIDE], high[WIDE];
  for (int k = 0; k < WIDE; ++k) {
    low[k] = *min;
    high[k] = *max;
  }
  int64_t i = 0;
  for (; i + WIDE <= n; i += WIDE) {
    for (int k = 0; k < WIDE; ++k) {
      low[k] = x[i + k] < low[k] ? x[i + k] : low[k];
      high[k] = x[i + k] > high[k] ? x[i + k] : high[k];
    }
  }
  for (; i < n; ++i) {
    low[0] = x[i] < low[0] ? x[i] : low[0];
    high[0] = x[i] > high[0] ? x[i] : high[0];
  }
  for (int k = 0; k < WIDE; ++k) {
    *min = low[k] < *min ? low[k] : *min;
    *max = high[k] > *max ? high[k] : *max;
  }
}

const berth_quant_loops_t BERTH_ISA(berth_cpu_quant_loops) = {
    .columns = columns,
    .steps = steps,
    .whole = whole,
    .line = line,
    .limits = limits};
