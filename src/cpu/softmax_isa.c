// softmax_isa.c - Softmax and LogSoftmax, for each instruction set.
#include "cpu/softmax.h"

#include "cpu/simd.h"
#include "cpu/vexp.h"

enum { WIDTH = 64 };  // Accumulators of a row.

// The largest value. A NaN may be overlooked: it makes the sum NaN all the
// same.
static float largest(const float *x, int64_t n) {
  float best = x[0];
  int64_t i = 0;
  if (n >= WIDTH) {
    float acc[WIDTH];
    memcpy(acc, x, sizeof(acc));
    for (i = WIDTH; i + WIDTH <= n; i += WIDTH) {
      for (int j = 0; j < WIDTH; ++j) {
        acc[j] = x[i + j] > acc[j] ? x[i + j] : acc[j];
      }
    }
    for (int j = 0; j < WIDTH; ++j) best = acc[j] > best ? acc[j] : best;
  }
  for (; i < n; ++i) best = x[i] > best ? x[i] : best;
  return best;
}

static float sum_of(const float *x, int64_t n) {
  berth_f32v_t acc[4] = {berth_f32v_splat(0), berth_f32v_splat(0),
                         berth_f32v_splat(0), berth_f32v_splat(0)};
  int64_t i = 0;
  for (; i + 4 * BERTH_F32_LANES <= n; i += 4 * BERTH_F32_LANES) {
    BERTH_UNROLL
    for (int j = 0; j < 4; ++j) {
      acc[j] += berth_f32v_load(x + i + j * BERTH_F32_LANES);
    }
  }
  for (; i + BERTH_F32_LANES <= n; i += BERTH_F32_LANES) {
    acc[0] += berth_f32v_load(x + i);
  }
  float sum = berth_f32v_sum((acc[0] + acc[1]) + (acc[2] + acc[3]));
  for (; i < n; ++i) sum += x[i];
  return sum;
}

static void exponentials(const float *x, float *out, int64_t n, float shift) {
  BERTH_VECTOR_LOOP
  for (int64_t i = 0; i < n; ++i) out[i] = berth_vexp(x[i] - shift);
}

static void softmax_f32(const void *in, void *out, int64_t rows, int64_t n) {
  for (int64_t row = 0; row < rows; ++row) {
    const float *x = (const float *)in + row * n;
    float *y = (float *)out + row * n;
    exponentials(x, y, n, largest(x, n));
    float factor = 1.0f / sum_of(y, n);
    for (int64_t i = 0; i < n; ++i) y[i] *= factor;
  }
}

// The sum of e^(x - shift), a piece at a time: the row itself is still needed.
static float sum_of_exponentials(const float *x, int64_t n, float shift) {
  enum { PIECE = 1024 };
  float piece[PIECE];
  float sum = 0;
  for (int64_t i = 0; i < n; i += PIECE) {
    int64_t count = n - i < PIECE ? n - i : PIECE;
    exponentials(x + i, piece, count, shift);
    sum += sum_of(piece, count);
  }
  return sum;
}

static void log_softmax_f32(const void *in, void *out, int64_t rows,
                            int64_t n) {
  for (int64_t row = 0; row < rows; ++row) {
    const float *x = (const float *)in + row * n;
    float *y = (float *)out + row * n;
    float shift = largest(x, n);
    float rest = logf(sum_of_exponentials(x, n, shift));
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
    for (int64_t i = 0; i < n; ++i) {
      y[i] = exp(x[i] - shift);
      sum += y[i];
    }
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
    for (int64_t i = 0; i < n; ++i) sum += exp(x[i] - shift);
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

// Rows of 16-bit numbers are made in pieces of float. LANES accumulators take a
// piece, in four groups of eight that are joined one after the other; the rest
// of a piece goes to the first group, what is left then is added one by one.
enum { PIECE_16 = 1024, GROUP = 8, LANES = 4 * GROUP };

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
    float acc[LANES] = {0};                                                    \
    int64_t i = 0;                                                             \
    for (; i + LANES <= n; i += LANES) {                                       \
      for (int j = 0; j < LANES; ++j) {                                        \
        acc[j] = round_##name(acc[j] + x[i + j]);                              \
      }                                                                        \
    }                                                                          \
    for (int j = GROUP; j < LANES; ++j) {                                      \
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

const berth_softmax_loops_t BERTH_ISA(berth_cpu_softmax_loops) = {
    .f32 = softmax_f32,
    .f64 = softmax_f64,
    .half = softmax_half,
    .bfloat16 = softmax_bfloat16,
    .log_f32 = log_softmax_f32,
    .log_f64 = log_softmax_f64,
    .log_half = log_softmax_half,
    .log_bfloat16 = log_softmax_bfloat16,
};
