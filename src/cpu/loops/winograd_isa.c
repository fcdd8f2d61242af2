// winograd_isa.c - Convolutions by tiles, for each instruction set.
//
// A vector has neighbouring channels, so that each lane is a tile of its own.
// A transform goes along the columns of a tile, then along its rows.
#include "cpu/loops/winograd.h"

#include <stddef.h>

#include "cpu/loops/simd.h"

typedef berth_f32v_t vector_t;

enum { TILE = BERTH_WINOGRAD_TILE, LANES = BERTH_F32_LANES };

_Static_assert(BERTH_WINOGRAD_LANES % LANES == 0, "vectors are whole");

#define EACH(i, count) \
  BERTH_UNROLL         \
  for (int i = 0; i < (count); ++i)

static BERTH_INLINE vector_t load(const float *from) {
  return berth_f32v_load(from);
}

static BERTH_INLINE vector_t zero(void) { return berth_f32v_splat(0); }

// ---- Along one axis ----

static BERTH_INLINE void input_axis(const vector_t *d, vector_t *t) {
  vector_t a = d[4] - 4 * d[2], b = d[3] - 4 * d[1];
  vector_t c = d[4] - d[2], e = 2 * (d[3] - d[1]);
  t[0] = 4 * d[0] - 5 * d[2] + d[4];
  t[1] = a + b;
  t[2] = a - b;
  t[3] = c + e;
  t[4] = c - e;
  t[5] = 4 * d[1] - 5 * d[3] + d[5];
}

static BERTH_INLINE void output_axis(const int wide, const vector_t *m,
                                     vector_t *y) {
  vector_t s = m[1] + m[2], d = m[1] - m[2];
  vector_t s2 = m[3] + m[4], d2 = m[3] - m[4];
  y[0] = m[0] + s + s2;
  if (wide == 2) {
    y[1] = d + 2 * d2 + m[5];
    return;
  }
  y[1] = d + 2 * d2;
  y[2] = s + 4 * s2;
  y[3] = d + 8 * d2 + m[5];
}

static BERTH_INLINE void slope_axis(const int wide, const vector_t *y,
                                    vector_t *m) {
  vector_t even = y[0], odd = y[1], even2 = y[0], odd2 = 2 * y[1];
  if (wide == 4) {
    even += y[2];
    odd += y[3];
    even2 += 4 * y[2];
    odd2 += 8 * y[3];
  }
  m[0] = y[0];
  m[1] = even + odd;
  m[2] = even - odd;
  m[3] = even2 + odd2;
  m[4] = even2 - odd2;
  m[5] = y[wide - 1];
}

static BERTH_INLINE void filter_axis(const int window, const vector_t *w,
                                     vector_t *g) {
  vector_t even = w[0] + w[2], odd = w[1];
  vector_t even2 = w[0] + 4 * w[2], odd2 = 2 * w[1];
  if (window == 5) {
    even += w[4];
    odd += w[3];
    even2 += 16 * w[4];
    odd2 += 8 * w[3];
  }
  const float sixth = -1.0f / 6, small = 1.0f / 24;
  g[0] = w[0] * 0.25f;
  g[1] = (even + odd) * sixth;
  g[2] = (even - odd) * sixth;
  g[3] = (even2 + odd2) * small;
  g[4] = (even2 - odd2) * small;
  g[5] = w[window - 1];
}

static BERTH_INLINE void taps_axis(const int window, const vector_t *g,
                                   vector_t *w) {
  const float sixth = -1.0f / 6, small = 1.0f / 24;
  vector_t s = (g[1] + g[2]) * sixth, d = (g[1] - g[2]) * sixth;
  vector_t s2 = (g[3] + g[4]) * small, d2 = (g[3] - g[4]) * small;
  w[0] = g[0] * 0.25f + s + s2;
  w[1] = d + 2 * d2;
  w[2] = s + 4 * s2;
  if (window == 5) {
    w[3] = d + 8 * d2;
    w[4] = s + 16 * s2;
  }
  w[window - 1] += g[5];
}

// ---- Tiles ----

static void input(const float *const *lines, int64_t channels, float *to,
                  int64_t apart) {
  for (int64_t c = 0; c < channels; c += LANES) {
    vector_t t[TILE][TILE];
    EACH(j, TILE) {
      vector_t d[TILE], r[TILE];
      EACH(i, TILE) d[i] = load(lines[i * TILE + j] + c);
      input_axis(d, r);
      EACH(i, TILE) t[i][j] = r[i];
    }
    EACH(i, TILE) {
      vector_t r[TILE];
      input_axis(t[i], r);
      EACH(j, TILE) berth_f32v_store(to + (i * TILE + j) * apart + c, r[j]);
    }
  }
}

static BERTH_INLINE void end_store(const berth_winograd_out_t *out, float *to,
                                   int64_t c, vector_t x) {
  const berth_ending_t *end = out->ending;
  if (end != NULL) {
    if (end->row != NULL) x += load(end->row + c);
    if (end->other != NULL) x += load(end->other + (to - out->goal));
    if (end->clamp == BERTH_CLAMP_RELU6) x = berth_f32v_six(x);
    if (end->clamp != BERTH_CLAMP_NONE) x = berth_f32v_relu(x);
  }
  berth_f32v_store(to, x);
}

static BERTH_INLINE void output_of(const int wide, const float *from,
                                   int64_t apart, int64_t channels,
                                   const berth_winograd_out_t *out) {
  for (int64_t c = 0; c < channels; c += LANES) {
    vector_t t[4][TILE];
    EACH(j, TILE) {
      vector_t m[TILE], r[4];
      EACH(i, TILE) m[i] = load(from + (i * TILE + j) * apart + c);
      output_axis(wide, m, r);
      EACH(i, wide) t[i][j] = r[i];
    }
    EACH(i, wide) {
      vector_t r[4];
      output_axis(wide, t[i], r);
      EACH(j, wide) {
        float *line = out->lines[i * wide + j];
        if (line != NULL) end_store(out, line + c, c, r[j]);
      }
    }
  }
}

static void output(int wide, const float *from, int64_t apart, int64_t channels,
                   const berth_winograd_out_t *out) {
  if (wide == 4) {
    output_of(4, from, apart, channels, out);
  } else {
    output_of(2, from, apart, channels, out);
  }
}

static BERTH_INLINE void slope_of(const int wide, const float *const *lines,
                                  int64_t channels, float *to, int64_t apart) {
  for (int64_t c = 0; c < channels; c += LANES) {
    vector_t t[TILE][4];
    EACH(j, wide) {
      vector_t y[4], m[TILE];
      EACH(i, wide) {
        const float *line = lines[i * wide + j];
        y[i] = line != NULL ? load(line + c) : zero();
      }
      slope_axis(wide, y, m);
      EACH(i, TILE) t[i][j] = m[i];
    }
    EACH(i, TILE) {
      vector_t m[TILE];
      slope_axis(wide, t[i], m);
      EACH(j, TILE) berth_f32v_store(to + (i * TILE + j) * apart + c, m[j]);
    }
  }
}

static void slope(int wide, const float *const *lines, int64_t channels,
                  float *to, int64_t apart) {
  if (wide == 4) {
    slope_of(4, lines, channels, to, apart);
  } else {
    slope_of(2, lines, channels, to, apart);
  }
}

// ---- Filters ----

static BERTH_INLINE void filter_of(const int window, const float *from,
                                   int64_t step, int64_t count, float *to,
                                   int64_t apart, int is_turned) {
  int64_t first = is_turned ? (window * window - 1) * step : 0;
  int64_t next = is_turned ? -step : step;
  for (int64_t c = 0; c < count; c += LANES) {
    vector_t t[TILE][5];
    EACH(j, window) {
      vector_t w[5], g[TILE];
      EACH(i, window) w[i] = load(from + first + (i * window + j) * next + c);
      filter_axis(window, w, g);
      EACH(i, TILE) t[i][j] = g[i];
    }
    EACH(i, TILE) {
      vector_t g[TILE];
      filter_axis(window, t[i], g);
      EACH(j, TILE) berth_f32v_store(to + (i * TILE + j) * apart + c, g[j]);
    }
  }
}

static void filter(int window, const float *from, int64_t step, int64_t count,
                   float *to, int64_t apart, int is_turned) {
  if (window == 3) {
    filter_of(3, from, step, count, to, apart, is_turned);
  } else {
    filter_of(5, from, step, count, to, apart, is_turned);
  }
}

static BERTH_INLINE void taps_of(const int window, const float *from,
                                 int64_t apart, int64_t count, float *to,
                                 int64_t step) {
  for (int64_t c = 0; c < count; c += LANES) {
    vector_t t[5][TILE];
    EACH(j, TILE) {
      vector_t g[TILE], w[5];
      EACH(i, TILE) g[i] = load(from + (i * TILE + j) * apart + c);
      taps_axis(window, g, w);
      EACH(i, window) t[i][j] = w[i];
    }
    EACH(i, window) {
      vector_t w[5];
      taps_axis(window, t[i], w);
      EACH(j, window) {
        berth_f32v_store(to + (i * window + j) * step + c, w[j]);
      }
    }
  }
}

static void taps(int window, const float *from, int64_t apart, int64_t count,
                 float *to, int64_t step) {
  if (window == 3) {
    taps_of(3, from, apart, count, to, step);
  } else {
    taps_of(5, from, apart, count, to, step);
  }
}

const berth_winograd_loops_t BERTH_ISA(berth_cpu_winograd_loops) = {
    .input = input,
    .output = output,
    .slope = slope,
    .filter = filter,
    .taps = taps,
};
