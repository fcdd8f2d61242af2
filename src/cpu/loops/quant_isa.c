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

const berth_quant_loops_t BERTH_ISA(berth_cpu_quant_loops) = {columns, steps};
