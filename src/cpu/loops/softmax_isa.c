// softmax_isa.c - Softmax, LogSoftmax and cross entropies, for each instruction
// set.
#include "cpu/loops/softmax.h"

#include "cpu/loops/simd.h"
#include "cpu/loops/vexp.h"
#include "cpu/loops/vmath64.h"

typedef berth_f32v_t vec_t;
enum { LANES = BERTH_F32_LANES };

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
  float lanes[LANES];
  berth_f32v_store(lanes, berth_f32v_max(a, b));
  for (int step = LANES / 2; step > 0; step /= 2) {
    for (int j = 0; j < step; ++j) {
      lanes[j] = lanes[j + step] > lanes[j] ? lanes[j + step] : lanes[j];
    }
  }
  return lanes[0];
}

// Returns the sum of e^(x - shift) over a row, and stores these in |out| unless
// it is NULL.
static BERTH_INLINE float exponentials(const float *x, int64_t n, float shift,
                                       float *out) {
  vec_t minus = berth_f32v_splat(shift), sum = berth_f32v_splat(0);
  int64_t i = 0;
  for (; i + LANES <= n; i += LANES) {
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

static void softmax_f32(const void *in, void *out, int64_t rows, int64_t n) {
  for (int64_t row = 0; row < rows; ++row) {
    const float *x = (const float *)in + row * n;
    float *y = (float *)out + row * n;
    float factor = 1.0f / exponentials(x, n, largest(x, n), y);
    for (int64_t i = 0; i < n; ++i) y[i] *= factor;
  }
}

static void log_softmax_f32(const void *in, void *out, int64_t rows,
                            int64_t n) {
  for (int64_t row = 0; row < rows; ++row) {
    const float *x = (const float *)in + row * n;
    float *y = (float *)out + row * n;
    float shift = largest(x, n);
    float rest = logf(exponentials(x, n, shift, NULL));
    BERTH_VECTOR_LOOP
    for (int64_t i = 0; i < n; ++i) y[i] = (x[i] - shift) - rest;
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
  return berth_half_to_float(berth_float_to_half(x));
}

static BERTH_INLINE float round_bfloat16(float x) {
  return berth_bfloat16_to_float(berth_float_to_bfloat16(x));
}

// Rows of 16-bit numbers are made in pieces of float. GROUPS accumulators take
// a piece, in four groups of eight that are joined one after the other; the
// rest of a piece goes to the first group, what is left then is added one by
// one.
enum { PIECE_16 = 1024, GROUP = 8, GROUPS = 4 * GROUP };

#define SOFTMAX_16(name)                                                       \
  static float name##_largest(const uint16_t *x, int64_t n) {                  \
    float best = berth_##name##_to_float(x[0]);                                \
    for (int64_t i = 1; i < n; ++i) {                                          \
      float value = berth_##name##_to_float(x[i]);                             \
      best = value > best ? value : best;                                      \
    }                                                                          \
    return best;                                                               \
  }                                                                            \
                                                                               \
  static float name##_sum(const float *x, int64_t n) {                         \
    float acc[GROUPS] = {0};                                                   \
    int64_t i = 0;                                                             \
    for (; i + GROUPS <= n; i += GROUPS) {                                     \
      for (int j = 0; j < GROUPS; ++j) {                                       \
        acc[j] = round_##name(acc[j] + x[i + j]);                              \
      }                                                                        \
    }                                                                          \
    for (int j = GROUP; j < GROUPS; ++j) {                                     \
      acc[j % GROUP] = round_##name(acc[j % GROUP] + acc[j]);                  \
    }                                                                          \
    for (; i + GROUP <= n; i += GROUP) {                                       \
      for (int j = 0; j < GROUP; ++j) {                                        \
        acc[j] = round_##name(acc[j] + x[i + j]);                              \
      }                                                                        \
    }                                                                          \
    float rest = 0, sum = 0;                                                   \
    for (; i < n; ++i) rest = round_##name(rest + x[i]);                       \
    for (int j = 0; j < GROUP; ++j) sum += acc[j];                             \
    return round_##name(rest + round_##name(sum));                             \
  }                                                                            \
                                                                               \
  /* Returns the sum of the rounded e^(x - shift), and stores them in |out| */ \
  /* unless it is NULL. */                                                     \
  static float name##_exponentials(const uint16_t *x, int64_t n, float shift,  \
                                   uint16_t *out) {                            \
    float piece[PIECE_16];                                                     \
    float sum = 0;                                                             \
    for (int64_t p = 0; p < n; p += PIECE_16) {                                \
      int64_t count = n - p < PIECE_16 ? n - p : PIECE_16;                     \
      for (int64_t i = 0; i < count; ++i) {                                    \
        float value = berth_##name##_to_float(x[p + i]);                       \
        piece[i] = round_##name(berth_vexp(round_##name(value - shift)));      \
      }                                                                        \
      for (int64_t i = 0; out != NULL && i < count; ++i) {                     \
        out[p + i] = berth_float_to_##name(piece[i]);                          \
      }                                                                        \
      float part = name##_sum(piece, count);                                   \
      sum = round_##name(sum + part);                                          \
    }                                                                          \
    return sum;                                                                \
  }                                                                            \
                                                                               \
  static void softmax_##name(const void *in, void *out, int64_t rows,          \
                             int64_t n) {                                      \
    for (int64_t row = 0; row < rows; ++row) {                                 \
      const uint16_t *x = (const uint16_t *)in + row * n;                      \
      uint16_t *y = (uint16_t *)out + row * n;                                 \
      float sum = name##_exponentials(x, n, name##_largest(x, n), y);          \
      float factor = round_##name(1.0f / sum);                                 \
      for (int64_t i = 0; i < n; ++i) {                                        \
        y[i] = berth_float_to_##name(berth_##name##_to_float(y[i]) * factor);  \
      }                                                                        \
    }                                                                          \
  }                                                                            \
                                                                               \
  static void log_softmax_##name(const void *in, void *out, int64_t rows,      \
                                 int64_t n) {                                  \
    for (int64_t row = 0; row < rows; ++row) {                                 \
      const uint16_t *x = (const uint16_t *)in + row * n;                      \
      uint16_t *y = (uint16_t *)out + row * n;                                 \
      float shift = name##_largest(x, n);                                      \
      float sum = name##_exponentials(x, n, shift, NULL);                      \
      float rest = round_##name(logf(sum));                                    \
      for (int64_t i = 0; i < n; ++i) {                                        \
        float value = berth_##name##_to_float(x[i]);                           \
        y[i] = berth_float_to_##name(round_##name(value - shift) - rest);      \
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
  float factor = 1.0f / sum, log_sum = logf(sum), loss = 0;
  for (int64_t i = 0; i < n; ++i) y[i] *= factor;
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
