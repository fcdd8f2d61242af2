// softmax_isa.c - Softmax, LogSoftmax and cross entropies, for each instruction
// set.
#include "cpu/loops/softmax.h"

#include <stdbool.h>

#include "cpu/loops/simd.h"
#include "cpu/loops/vexp.h"
#include "cpu/loops/vmath64.h"

typedef berth_f32v_t vec_t;
enum { LANES = BERTH_F32_LANES, AHEAD = 1024 };

// e^x for x that is not positive. The set of 512 bits scales by powers of two,
// which saves the checks: what is too small comes out as 0, NaN stays.
static BERTH_INLINE vec_t exponential(vec_t x) {
#if defined(__AVX512F__)
  x = berth_f32v_max(berth_f32v_splat(-104.0f), x);
  vec_t n = _mm512_roundscale_ps(x * berth_f32v_splat(1.44269504f),
                                 _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
  vec_t r = berth_f32v_fma(n, berth_f32v_splat(-0.693359375f), x);
  r = berth_f32v_fma(n, berth_f32v_splat(2.12194440e-4f), r);
  vec_t q = berth_f32v_fma(r, berth_f32v_splat(0.00138146128f),
                           berth_f32v_splat(0.00836871006f));
  q = berth_f32v_fma(r, q, berth_f32v_splat(0.041668389f));
  q = berth_f32v_fma(r, q, berth_f32v_splat(0.166665211f));
  q = berth_f32v_fma(r, q, berth_f32v_splat(0.49999994f));
  vec_t y = berth_f32v_fma(r * r, q, r) + berth_f32v_splat(1.0f);
  return _mm512_scalef_ps(y, n);
#else
  float lanes[LANES];
  berth_f32v_store(lanes, x);
  for (int i = 0; i < LANES; ++i) lanes[i] = berth_vexp(lanes[i]);
  return berth_f32v_load(lanes);
#endif
}

BERTH_FOLD_LANES(largest_lane, vec_t, float, berth_f32v_max)

// The largest value. A NaN may be overlooked: it makes the sum NaN all the
// same.
static float largest(const float *x, int64_t n) {
  vec_t a = berth_f32v_splat(-INFINITY), b = a;
  int64_t i = 0;
  for (; i + 2 * LANES <= n; i += 2 * LANES) {
    a = berth_f32v_max(berth_f32v_load(x + i), a);
    b = berth_f32v_max(berth_f32v_load(x + i + LANES), b);
  }
  for (; i < n; i += LANES) {
    vec_t v = n - i >= LANES ? berth_f32v_load(x + i)
                             : berth_f32v_load_part(x + i, n - i, -INFINITY);
    a = berth_f32v_max(v, a);
  }
  return largest_lane(berth_f32v_max(a, b));
}

// Returns the sum of e^(x - shift) over a row, and stores these in |out| unless
// it is NULL.
static BERTH_INLINE float exponentials(const float *x, int64_t n, float shift,
                                       float *out) {
  vec_t minus = berth_f32v_splat(shift), sum = berth_f32v_splat(0);
  int64_t i = 0;
  for (; i + LANES <= n; i += LANES) {
    // What other passes read and write comes while this one computes.
    __builtin_prefetch(x + i + AHEAD);
    if (out != NULL) __builtin_prefetch(out + i + AHEAD, 1);
    vec_t y = exponential(berth_f32v_load(x + i) - minus);
    if (out != NULL) berth_f32v_store(out + i, y);
    sum += y;
  }
  if (i < n) {
    vec_t last = berth_f32v_load_part(x + i, n - i, -INFINITY);
    vec_t y = exponential(last - minus);
    if (out != NULL) berth_f32v_store_part(out + i, y, n - i);
    sum += y;
  }
  return berth_f32v_sum(sum);
}

static BERTH_INLINE void scale(float *y, int64_t n, float factor) {
  vec_t by = berth_f32v_splat(factor);
  int64_t i = 0;
  for (; i + LANES <= n; i += LANES) {
    berth_f32v_store(y + i, berth_f32v_load(y + i) * by);
  }
  if (i == n) return;
  vec_t last = berth_f32v_load_part(y + i, n - i, 0);
  berth_f32v_store_part(y + i, last * by, n - i);
}

static void softmax_f32(const void *in, void *out, int64_t rows, int64_t n) {
  for (int64_t row = 0; row < rows; ++row) {
    const float *x = (const float *)in + row * n;
    float *y = (float *)out + row * n;
    scale(y, n, 1.0f / exponentials(x, n, largest(x, n), y));
  }
}

static void log_softmax_f32(const void *in, void *out, int64_t rows,
                            int64_t n) {
  for (int64_t row = 0; row < rows; ++row) {
    const float *x = (const float *)in + row * n;
    float *y = (float *)out + row * n;
    float shift = largest(x, n);
    float rest = logf(exponentials(x, n, shift, NULL));
    vec_t first = berth_f32v_splat(shift), second = berth_f32v_splat(rest);
    int64_t i = 0;
    for (; i + LANES <= n; i += LANES) {
      berth_f32v_store(y + i, (berth_f32v_load(x + i) - first) - second);
    }
    if (i == n) continue;
    vec_t last = berth_f32v_load_part(x + i, n - i, 0);
    berth_f32v_store_part(y + i, (last - first) - second, n - i);
  }
}

static double largest_f64(const double *x, int64_t n) {
  double best = x[0];
  for (int64_t i = 1; i < n; ++i) best = x[i] > best ? x[i] : best;
  return best;
}

static void softmax_f64(const void *in, void *out, int64_t rows, int64_t n) {
  for (int64_t row = 0; row < rows; ++row) {
    const double *x = (const double *)in + row * n;
    double *y = (double *)out + row * n;
    double shift = largest_f64(x, n), sum = 0;
    BERTH_VECTOR_LOOP
    for (int64_t i = 0; i < n; ++i) y[i] = berth_vexp64(x[i] - shift);
    for (int64_t i = 0; i < n; ++i) sum += y[i];
    double factor = 1 / sum;
    for (int64_t i = 0; i < n; ++i) y[i] *= factor;
  }
}

static void log_softmax_f64(const void *in, void *out, int64_t rows,
                            int64_t n) {
  for (int64_t row = 0; row < rows; ++row) {
    const double *x = (const double *)in + row * n;
    double *y = (double *)out + row * n;
    double shift = largest_f64(x, n), sum = 0;
    for (int64_t i = 0; i < n; ++i) sum += berth_vexp64(x[i] - shift);
    double rest = log(sum);
    for (int64_t i = 0; i < n; ++i) y[i] = (x[i] - shift) - rest;
  }
}

static BERTH_INLINE float round_half(float x) {
#if defined(__F16C__)
  return _cvtsh_ss(_cvtss_sh(x, _MM_FROUND_TO_NEAREST_INT));
#else
  return berth_half_to_float(berth_float_to_half(x));
#endif
}

static BERTH_INLINE float round_bfloat16(float x) {
  return berth_bfloat16_to_float(berth_float_to_bfloat16(x));
}

// Rows of 16-bit numbers are made in pieces of float, whose last vector may be
// filled up with anything. GROUPS accumulators take a piece, in four groups of
// eight that are joined one after the other; the rest of a piece goes to the
// first group, what is left then is added one by one.
enum { PIECE_16 = 1024, GROUP = 8, GROUPS = 4 * GROUP };
enum { VECTORS = GROUPS / LANES };

#define SOFTMAX_16(name)                                                       \
  static void name##_read(const uint16_t *x, float *piece, int64_t n) {        \
    int64_t i = 0;                                                             \
    for (; i + LANES <= n; i += LANES) {                                       \
      berth_f32v_store(piece + i, berth_f32v_load_##name(x + i));              \
    }                                                                          \
    if (i == n) return;                                                        \
    vec_t last = berth_f32v_load_##name##_part(x + i, n - i);                  \
    berth_f32v_store(piece + i, last);                                         \
  }                                                                            \
                                                                               \
  static void name##_write(const float *piece, uint16_t *y, int64_t n) {       \
    int64_t i = 0;                                                             \
    for (; i + LANES <= n; i += LANES) {                                       \
      berth_f32v_store_##name(y + i, berth_f32v_load(piece + i));              \
    }                                                                          \
    if (i == n) return;                                                        \
    vec_t last = berth_f32v_load(piece + i);                                   \
    berth_f32v_store_##name##_part(y + i, last, n - i);                        \
  }                                                                            \
                                                                               \
  static float name##_largest(const uint16_t *x, int64_t n) {                  \
    float piece[PIECE_16], best = -INFINITY;                                   \
    for (int64_t p = 0; p < n; p += PIECE_16) {                                \
      int64_t count = n - p < PIECE_16 ? n - p : PIECE_16;                     \
      name##_read(x + p, piece, count);                                        \
      float part = largest(piece, count);                                      \
      best = part > best ? part : best;                                        \
    }                                                                          \
    return best;                                                               \
  }                                                                            \
                                                                               \
  /* Adds what fills all groups to |acc|, and returns how many that are. */    \
  static int64_t name##_groups(const float *x, int64_t n, float *acc) {        \
    vec_t sums[VECTORS];                                                       \
    int64_t i = 0;                                                             \
    for (int v = 0; v < VECTORS; ++v) sums[v] = berth_f32v_splat(0);           \
    for (; i + GROUPS <= n; i += GROUPS) {                                     \
      BERTH_UNROLL                                                             \
      for (int v = 0; v < VECTORS; ++v) {                                      \
        vec_t more = berth_f32v_load(x + i + v * LANES);                       \
        sums[v] = berth_f32v_round_##name(sums[v] + more);                     \
      }                                                                        \
    }                                                                          \
    for (int v = 0; v < VECTORS; ++v) {                                        \
      berth_f32v_store(acc + v * LANES, sums[v]);                              \
    }                                                                          \
    for (int j = GROUP; j < GROUPS; ++j) {                                     \
      acc[j % GROUP] = round_##name(acc[j % GROUP] + acc[j]);                  \
    }                                                                          \
    return i;                                                                  \
  }                                                                            \
                                                                               \
  static float name##_sum(const float *x, int64_t n) {                         \
    float acc[GROUPS] = {0};                                                   \
    int64_t i = n < GROUPS ? 0 : name##_groups(x, n, acc);                     \
    if (i == 0 && n >= GROUP) {                                                \
      memcpy(acc, x, GROUP * sizeof(*acc));                                    \
      i = GROUP;                                                               \
    }                                                                          \
    for (; i + GROUP <= n; i += GROUP) {                                       \
      for (int j = 0; j < GROUP; ++j) {                                        \
        acc[j] = round_##name(acc[j] + x[i + j]);                              \
      }                                                                        \
    }                                                                          \
    float rest = 0;                                                            \
    for (; i < n; ++i) rest = round_##name(rest + x[i]);                       \
    for (int step = GROUP / 2; step > 0; step /= 2) {                          \
      for (int j = 0; j < step; ++j) acc[j] += acc[j + step];                  \
    }                                                                          \
    return round_##name(rest + round_##name(acc[0]));                          \
  }                                                                            \
                                                                               \
  /* Returns the sum of the rounded e^(x - shift), and stores them in |out| */ \
  /* unless it is NULL. The last piece of them stays in |piece|. */            \
  static float name##_exponentials(const uint16_t *x, int64_t n, float shift,  \
                                   float *piece, uint16_t *out) {              \
    float sum = 0;                                                             \
    vec_t minus = berth_f32v_splat(shift);                                     \
    for (int64_t p = 0; p < n; p += PIECE_16) {                                \
      int64_t count = n - p < PIECE_16 ? n - p : PIECE_16;                     \
      name##_read(x + p, piece, count);                                        \
      for (int64_t i = 0; i < count; i += LANES) {                             \
        vec_t below =                                                          \
            berth_f32v_round_##name(berth_f32v_load(piece + i) - minus);       \
        vec_t value = berth_f32v_round_##name(exponential(below));             \
        berth_f32v_store(piece + i, value);                                    \
      }                                                                        \
      if (out != NULL) name##_write(piece, out + p, count);                    \
      float part = name##_sum(piece, count);                                   \
      sum = round_##name(sum + part);                                          \
    }                                                                          \
    return sum;                                                                \
  }                                                                            \
                                                                               \
  static void softmax_##name(const void *in, void *out, int64_t rows,          \
                             int64_t n) {                                      \
    float piece[PIECE_16];                                                     \
    for (int64_t row = 0; row < rows; ++row) {                                 \
      const uint16_t *x = (const uint16_t *)in + row * n;                      \
      uint16_t *y = (uint16_t *)out + row * n;                                 \
      bool is_long = n > PIECE_16;                                             \
      float shift = name##_largest(x, n);                                      \
      float sum = name##_exponentials(x, n, shift, piece, is_long ? y : NULL); \
      float factor = round_##name(1.0f / sum);                                 \
      for (int64_t p = 0; p < n; p += PIECE_16) {                              \
        int64_t count = n - p < PIECE_16 ? n - p : PIECE_16;                   \
        if (is_long) name##_read(y + p, piece, count);                         \
        for (int64_t i = 0; i < count; ++i) piece[i] *= factor;                \
        name##_write(piece, y + p, count);                                     \
      }                                                                        \
    }                                                                          \
  }                                                                            \
                                                                               \
  static void log_softmax_##name(const void *in, void *out, int64_t rows,      \
                                 int64_t n) {                                  \
    float piece[PIECE_16];                                                     \
    for (int64_t row = 0; row < rows; ++row) {                                 \
      const uint16_t *x = (const uint16_t *)in + row * n;                      \
      uint16_t *y = (uint16_t *)out + row * n;                                 \
      float shift = name##_largest(x, n);                                      \
      float sum = name##_exponentials(x, n, shift, piece, NULL);               \
      float rest = round_##name(logf(sum));                                    \
      vec_t minus = berth_f32v_splat(shift), log = berth_f32v_splat(rest);     \
      for (int64_t p = 0; p < n; p += PIECE_16) {                              \
        int64_t count = n - p < PIECE_16 ? n - p : PIECE_16;                   \
        name##_read(x + p, piece, count);                                      \
        for (int64_t i = 0; i < count; i += LANES) {                           \
          vec_t below =                                                        \
              berth_f32v_round_##name(berth_f32v_load(piece + i) - minus);     \
          berth_f32v_store(piece + i, below - log);                            \
        }                                                                      \
        name##_write(piece, y + p, count);                                     \
      }                                                                        \
    }                                                                          \
  }

SOFTMAX_16(half)
SOFTMAX_16(bfloat16)

// ---- Cross entropies ----

// Subtracts labels from the gradient, and returns the loss: a label of 0 adds
// nothing, whatever the logit is.
#define TAKE_LABELS(name, T, lanes)                                  \
  static T name(const T *x, const T *labels, T *gradient, int64_t n, \
                T largest, T log_sum) {                              \
    T acc[lanes] = {0}, loss = 0;                                    \
    int64_t i = 0;                                                   \
    for (; i + (lanes) <= n; i += (lanes)) {                         \
      for (int j = 0; j < (lanes); ++j) {                            \
        T label = labels[i + j];                                     \
        T part = label * (log_sum - (x[i + j] - largest));           \
        acc[j] += label != 0 ? part : 0;                             \
        gradient[i + j] -= label;                                    \
      }                                                              \
    }                                                                \
    for (; i < n; ++i) {                                             \
      if (labels[i] != 0) {                                          \
        loss += labels[i] * (log_sum - (x[i] - largest));            \
      }                                                              \
      gradient[i] -= labels[i];                                      \
    }                                                                \
    for (int j = 0; j < (lanes); ++j) loss += acc[j];                \
    return loss;                                                     \
  }

TAKE_LABELS(take_labels_f32, float, LANES)
TAKE_LABELS(take_labels_f64, double, 8)

static berth_entropy_row_t entropy_f32(const void *logits, const void *labels,
                                       void *gradient, int64_t n) {
  const float *x = logits;
  float *y = gradient;
  float shift = largest(x, n), sum = exponentials(x, n, shift, y);
  float log_sum = logf(sum), loss = 0;
  scale(y, n, 1.0f / sum);
  if (labels != NULL) loss = take_labels_f32(x, labels, y, n, shift, log_sum);
  return (berth_entropy_row_t){(double)shift, (double)log_sum, (double)loss};
}

static berth_entropy_row_t entropy_f64(const void *logits, const void *labels,
                                       void *gradient, int64_t n) {
  const double *x = logits;
  double *y = gradient, sum = 0, loss = 0, shift = largest_f64(x, n);
  BERTH_VECTOR_LOOP
  for (int64_t i = 0; i < n; ++i) y[i] = berth_vexp64(x[i] - shift);
  for (int64_t i = 0; i < n; ++i) sum += y[i];
  double factor = 1 / sum, log_sum = log(sum);
  for (int64_t i = 0; i < n; ++i) y[i] *= factor;
  if (labels != NULL) loss = take_labels_f64(x, labels, y, n, shift, log_sum);
  return (berth_entropy_row_t){shift, log_sum, loss};
}

const berth_softmax_loops_t BERTH_ISA(berth_cpu_softmax_loops) = {
    .f32 = softmax_f32,
    .f64 = softmax_f64,
    .half = softmax_half,
    .bfloat16 = softmax_bfloat16,
    .log_f32 = log_softmax_f32,
    .log_f64 = log_softmax_f64,
    .log_half = log_softmax_half,
    .log_bfloat16 = log_softmax_bfloat16,
    .entropy_f32 = entropy_f32,
    .entropy_f64 = entropy_f64,
};
