// norm_isa.c - The loops of normalisation, for each instruction set.
#include "cpu/loops/norm.h"

#include <stdbool.h>
#include <string.h>

#include "cpu/loops/simd.h"
#include "cpu/loops/vexp.h"
#include "cpu/loops/vmath.h"

typedef berth_f32v_t vec_t;
enum { LANES = BERTH_F32_LANES, VECTORS = 4 };

// ---- Sums of rows ----

// Sums over rows, |vectors| vectors of channels at a time: accumulators stay in
// registers.
static BERTH_INLINE void sum_block(const float *x, int64_t rows, int64_t n,
                                   float *out, int vectors) {
  vec_t acc[VECTORS];
  for (int v = 0; v < vectors; ++v) acc[v] = berth_f32v_splat(0);
  for (int64_t r = 0; r < rows; ++r, x += n) {
    for (int v = 0; v < vectors; ++v) acc[v] += berth_f32v_load(x + v * LANES);
  }
  for (int v = 0; v < vectors; ++v) berth_f32v_store(out + v * LANES, acc[v]);
}

static BERTH_INLINE void squares_block(const float *x, int64_t rows, int64_t n,
                                       const float *mean, float *out,
                                       int vectors) {
  vec_t acc[VECTORS], m[VECTORS];
  for (int v = 0; v < vectors; ++v) {
    acc[v] = berth_f32v_splat(0);
    m[v] = berth_f32v_load(mean + v * LANES);
  }
  for (int64_t r = 0; r < rows; ++r, x += n) {
    for (int v = 0; v < vectors; ++v) {
      vec_t d = berth_f32v_load(x + v * LANES) - m[v];
      acc[v] = berth_f32v_fma(d, d, acc[v]);
    }
  }
  for (int v = 0; v < vectors; ++v) berth_f32v_store(out + v * LANES, acc[v]);
}

static BERTH_INLINE void products_block(const float *g, const float *x,
                                        int64_t rows, int64_t n,
                                        const float *mean, float *sum,
                                        float *product, int vectors) {
  vec_t s[VECTORS], p[VECTORS], m[VECTORS];
  for (int v = 0; v < vectors; ++v) {
    s[v] = p[v] = berth_f32v_splat(0);
    m[v] = berth_f32v_load(mean + v * LANES);
  }
  for (int64_t r = 0; r < rows; ++r, x += n, g += n) {
    for (int v = 0; v < vectors; ++v) {
      vec_t y = berth_f32v_load(g + v * LANES);
      s[v] += y;
      p[v] = berth_f32v_fma(y, berth_f32v_load(x + v * LANES) - m[v], p[v]);
    }
  }
  for (int v = 0; v < vectors; ++v) {
    berth_f32v_store(sum + v * LANES, s[v]);
    berth_f32v_store(product + v * LANES, p[v]);
  }
}

static void moments(const float *x, int64_t rows, int64_t n, float *mean,
                    float *squares) {
  float share = 1.0f / (float)rows;
  int64_t c = 0;
  for (; c + VECTORS * LANES <= n; c += VECTORS * LANES) {
    sum_block(x + c, rows, n, mean + c, VECTORS);
    for (int i = 0; i < VECTORS * LANES; ++i) mean[c + i] *= share;
    squares_block(x + c, rows, n, mean + c, squares + c, VECTORS);
  }
  for (; c + LANES <= n; c += LANES) {
    sum_block(x + c, rows, n, mean + c, 1);
    for (int i = 0; i < LANES; ++i) mean[c + i] *= share;
    squares_block(x + c, rows, n, mean + c, squares + c, 1);
  }
  for (int64_t i = c; i < n; ++i) mean[i] = squares[i] = 0;
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t i = c; i < n; ++i) mean[i] += x[r * n + i];
  }
  for (int64_t i = c; i < n; ++i) mean[i] *= share;
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t i = c; i < n; ++i) {
      float d = x[r * n + i] - mean[i];
      squares[i] += d * d;
    }
  }
}

static void grad_sums(const float *g, const float *x, int64_t rows, int64_t n,
                      const float *mean, float *sum, float *product) {
  int64_t c = 0;
  for (; c + VECTORS * LANES <= n; c += VECTORS * LANES) {
    products_block(g + c, x + c, rows, n, mean + c, sum + c, product + c,
                   VECTORS);
  }
  for (; c + LANES <= n; c += LANES) {
    products_block(g + c, x + c, rows, n, mean + c, sum + c, product + c, 1);
  }
  for (int64_t i = c; i < n; ++i) sum[i] = product[i] = 0;
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t i = c; i < n; ++i) {
      sum[i] += g[r * n + i];
      product[i] += g[r * n + i] * (x[r * n + i] - mean[i]);
    }
  }
}

// ---- Elements of rows ----

static void apply(const float *x, float *y, int64_t rows, int64_t n,
                  const float *mean, const float *factor, const float *offset) {
  for (int64_t r = 0; r < rows; ++r, x += n, y += n) {
    BERTH_VECTOR_LOOP
    for (int64_t i = 0; i < n; ++i) {
      y[i] = (x[i] - mean[i]) * factor[i] + offset[i];
    }
  }
}

static void slope(const float *g, const float *x, float *y, int64_t rows,
                  int64_t n, const berth_norm_slopes_t *slopes) {
  const float *mean = slopes->mean, *a = slopes->a, *b = slopes->b;
  const float *c = slopes->c;
  for (int64_t r = 0; r < rows; ++r, g += n, x += n, y += n) {
    BERTH_VECTOR_LOOP
    for (int64_t i = 0; i < n; ++i) {
      y[i] = a[i] * (g[i] - b[i] - (x[i] - mean[i]) * c[i]);
    }
  }
}

// ---- Planes ----

static void plane_moments(const float *x, int64_t n, float *mean,
                          float *squares) {
  vec_t acc = berth_f32v_splat(0);
  int64_t i = 0;
  for (; i + LANES <= n; i += LANES) acc += berth_f32v_load(x + i);
  float sum = berth_f32v_sum(acc);
  for (int64_t j = i; j < n; ++j) sum += x[j];
  *mean = sum / (float)n;
  vec_t m = berth_f32v_splat(*mean);
  acc = berth_f32v_splat(0);
  for (i = 0; i + LANES <= n; i += LANES) {
    vec_t d = berth_f32v_load(x + i) - m;
    acc = berth_f32v_fma(d, d, acc);
  }
  *squares = berth_f32v_sum(acc);
  for (; i < n; ++i) *squares += (x[i] - *mean) * (x[i] - *mean);
}

static void plane_grad_sums(const float *g, const float *x, int64_t n,
                            float mean, float *sum, float *product) {
  vec_t s = berth_f32v_splat(0), p = s, m = berth_f32v_splat(mean);
  int64_t i = 0;
  for (; i + LANES <= n; i += LANES) {
    vec_t y = berth_f32v_load(g + i);
    s += y;
    p = berth_f32v_fma(y, berth_f32v_load(x + i) - m, p);
  }
  *sum = berth_f32v_sum(s);
  *product = berth_f32v_sum(p);
  for (; i < n; ++i) {
    *sum += g[i];
    *product += g[i] * (x[i] - mean);
  }
}

static void plane_apply(const float *x, float *y, int64_t n, float mean,
                        float factor, float offset) {
  BERTH_VECTOR_LOOP
  for (int64_t i = 0; i < n; ++i) y[i] = (x[i] - mean) * factor + offset;
}

static void plane_slope(const float *g, const float *x, float *y, int64_t n,
                        const berth_norm_slopes_t *slopes, int64_t index) {
  float mean = slopes->mean[index], a = slopes->a[index];
  float b = slopes->b[index], c = slopes->c[index];
  BERTH_VECTOR_LOOP
  for (int64_t i = 0; i < n; ++i) y[i] = a * (g[i] - b - (x[i] - mean) * c);
}

// ---- LRN ----
//
// Rows that lie |gap| apart, zeros between them, are summed without a look at
// where one ends; shorter ones side by side, with masks.

static BERTH_INLINE void zeros(float *to, int64_t n) {
  for (int64_t i = 0; i < n; i += LANES) {
    berth_f32v_store(to + i, berth_f32v_splat(0));
  }
}

// Stores |rows| rows of |n| of |from|, or their squares, in |to|, with |gap|
// zeros before, between and behind them. Whole vectors are read and written,
// from the beginning on, but for the end of |from|: a row is no shorter than
// what is read of it with the one before.
static BERTH_INLINE void spread(const float *from, float *to, int64_t rows,
                                int64_t n, int64_t gap, bool squares) {
  for (int64_t r = 0; r < rows; ++r, from += n, to += gap + n) {
    zeros(to, gap);
    for (int64_t i = 0; i < n; i += LANES) {
      bool is_part = r + 1 == rows && n - i < LANES;
      vec_t x = is_part ? berth_f32v_load_part(from + i, n - i, 0)
                        : berth_f32v_load(from + i);
      berth_f32v_store(to + gap + i, squares ? x * x : x);
    }
  }
  zeros(to, gap);
}

// Stores the sums of |vectors| (a constant) vectors of |x| over the radius to
// either side in |out|.
static BERTH_INLINE void slide_some(const float *x, float *out, int vectors,
                                    const berth_lrn_numbers_t *numbers,
                                    const uint32_t *mask) {
  vec_t acc[VECTORS];
  BERTH_UNROLL
  for (int v = 0; v < vectors; ++v) acc[v] = berth_f32v_splat(0);
  const float *from = x - numbers->radius;
  for (int64_t k = 0; k <= 2 * numbers->radius; ++k, ++from) {
    BERTH_UNROLL
    for (int v = 0; v < vectors; ++v) {
      vec_t more = berth_f32v_load(from + v * LANES);
      if (mask != NULL) {
        berth_u32v_t of_row;
        memcpy(&of_row, mask + v * LANES, sizeof(of_row));
        more = (vec_t)((berth_u32v_t)more & of_row);
      }
      acc[v] += more;
    }
    if (mask != NULL) mask += numbers->at_once;
  }
  BERTH_UNROLL
  for (int v = 0; v < vectors; ++v) {
    berth_f32v_store(out + v * LANES, acc[v]);
  }
}

// Stores the sums of |n| numbers of |x|, and of some behind them.
static BERTH_INLINE void slide_row(const float *x, float *out, int64_t n,
                                   const berth_lrn_numbers_t *numbers,
                                   const uint32_t *masks) {
  int64_t i = 0;
  for (; i + VECTORS * LANES <= n; i += VECTORS * LANES) {
    slide_some(x + i, out + i, VECTORS, numbers,
               masks != NULL ? masks + i : NULL);
  }
  for (; i < n; i += LANES) {
    slide_some(x + i, out + i, 1, numbers, masks != NULL ? masks + i : NULL);
  }
}

// Stores the sums of |from|, or of its squares, over the radius to either side
// in |out|, whose last vector may be filled up; |room| is for |from| with zeros.
static BERTH_INLINE void slide(const float *from, float *out, int64_t n,
                               const berth_lrn_numbers_t *numbers, float *room,
                               bool squares) {
  int64_t radius = numbers->radius, channels = numbers->channels;
  if (numbers->masks != NULL) {
    spread(from, room, 1, n, radius, squares);
    slide_row(room + radius, out, n, numbers, numbers->masks);
    return;
  }
  int64_t rows = n / channels;
  spread(from, room, rows, channels, radius, squares);
  for (int64_t r = 0; r < rows; ++r) {
    slide_row(room + radius + r * (radius + channels), out + r * channels,
              channels, numbers, NULL);
  }
}

// Returns x ^ -beta for positive x.
static BERTH_INLINE float power(float x, float beta) {
  if (beta == 1.0f) return 1.0f / x;
  if (beta == 0.5f) return 1.0f / __builtin_sqrtf(x);
  if (beta == 0.75f) {
    float root = __builtin_sqrtf(x);
    return 1.0f / (root * __builtin_sqrtf(root));
  }
  return berth_vexp(-beta * berth_vlog(x));
}

#define POWERS(value)                                            \
  do {                                                           \
    BERTH_VECTOR_LOOP                                            \
    for (int64_t i = 0; i < n; ++i) y[i] = power(x[i], (value)); \
  } while (0)

static void powers(const float *x, float *y, int64_t n, float beta) {
  if (beta == 1.0f) {
    POWERS(1.0f);
  } else if (beta == 0.5f) {
    POWERS(0.5f);
  } else if (beta == 0.75f) {
    POWERS(0.75f);
  } else {
    POWERS(beta);
  }
}

// Returns |n| filled up to whole vectors.
static BERTH_INLINE int64_t filled(int64_t n) {
  return (n + LANES - 1) / LANES * LANES;
}

// Stores bias + alpha * the sum of squares around each of |x| in |norm|, whose
// last vector is filled up.
static BERTH_INLINE void norms(const float *x, float *norm, int64_t n,
                               const berth_lrn_numbers_t *numbers,
                               float *room) {
  slide(x, norm, n, numbers, room, true);
  for (int64_t i = 0; i < filled(n); ++i) {
    norm[i] = numbers->bias + numbers->alpha * norm[i];
  }
}

static void lrn(const float *x, float *y, int64_t n,
                const berth_lrn_numbers_t *numbers, float *room) {
  float *norm = room;
  norms(x, norm, n, numbers, room + filled(n) + LANES);
  powers(norm, norm, filled(n), numbers->beta);
  BERTH_VECTOR_LOOP
  for (int64_t i = 0; i < n; ++i) y[i] = x[i] * norm[i];
}

static void lrn_grad(const float *const inputs[3], float *out, int64_t n,
                     const berth_lrn_numbers_t *numbers, float *room) {
  const float *g = inputs[0], *x = inputs[1], *y = inputs[2];
  // Sums are stored a vector beyond.
  int64_t space = filled(n) + LANES;
  float *norm = room, *factor = norm + space, *share = factor + space;
  float scale = -2.0f * numbers->alpha * numbers->beta;
  room = share + space;
  norms(x, norm, n, numbers, room);
  powers(norm, factor, filled(n), numbers->beta);
  for (int64_t i = 0; i < n; ++i) share[i] = g[i] * y[i] / norm[i];
  slide(share, norm, n, numbers, room, false);
  for (int64_t i = 0; i < n; ++i) {
    out[i] = g[i] * factor[i] + scale * x[i] * norm[i];
  }
}

// ---- Numbers of 16 bits ----

#define CONVERT_16(name)                                            \
  static void from_##name(const uint16_t *x, float *y, int64_t n) { \
    int64_t i = 0;                                                  \
    for (; i + LANES <= n; i += LANES) {                            \
      berth_f32v_store(y + i, berth_f32v_load_##name(x + i));       \
    }                                                               \
    for (; i < n; ++i) y[i] = berth_##name##_to_float(x[i]);        \
  }                                                                 \
  static void to_##name(const float *x, uint16_t *y, int64_t n) {   \
    int64_t i = 0;                                                  \
    for (; i + LANES <= n; i += LANES) {                            \
      berth_f32v_store_##name(y + i, berth_f32v_load(x + i));       \
    }                                                               \
    for (; i < n; ++i) y[i] = berth_float_to_##name(x[i]);          \
  }
CONVERT_16(half)
CONVERT_16(bfloat16)

const berth_norm_loops_t BERTH_ISA(berth_cpu_norm_loops) = {
    .moments = moments,
    .grad_sums = grad_sums,
    .apply = apply,
    .slope = slope,
    .plane_moments = plane_moments,
    .plane_grad_sums = plane_grad_sums,
    .plane_apply = plane_apply,
    .plane_slope = plane_slope,
    .lrn = lrn,
    .lrn_grad = lrn_grad,
    .from_half = from_half,
    .to_half = to_half,
    .from_bfloat16 = from_bfloat16,
    .to_bfloat16 = to_bfloat16,
};
