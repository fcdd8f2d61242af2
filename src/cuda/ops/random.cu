// random.cu - Kernels of random numbers.
//
// One step of the counter (state/philox.h) gives a group of outputs, four of up
// to four bytes or two of eight; a thread makes one group at a time and finds
// its step by itself. Truncated normals take a varying number of words: there
// each group has a part of the sequence of its own. The numbers are those of
// the CPU kernels: to the last bit where they are uniform, and within four
// units of it where they are normal, since the logarithm and the sine are other
// functions.
#include "cuda/math/math.cuh"
#include "cuda/math/number.cuh"
#include "cuda/ops/random_params.h"

// Steps of the counter that belong to one output of a truncated normal.
#define TRUNCATED_STEPS 256

// Returns the generator of |p|, |steps| on.
BERTH_GPU_FN berth_philox_t philox_at(const berth_random_params_t *p,
                                      uint64_t steps) {
  berth_philox_t philox = p->start;
  if (p->key != 0) {
    philox = berth_philox_keyed(p->key[0], p->counter[0],
                                p->counters > 1 ? p->counter[1] : 0);
  }
  berth_philox_skip(&philox, steps);
  return philox;
}

// ---- From words to numbers ----

// Of an angle below a turn: the functions of any angle are far longer.
BERTH_GPU_FN void sincos_f32(float v, float *sine, float *cosine) {
  uint32_t n;
  const float r = berth_quarters_near_f32(v, &n);
  const float a = berth_sin_near_f32(r), b = berth_cos_near_f32(r);
  const float x = (n & 1) != 0 ? b : a, y = (n & 1) != 0 ? a : b;
  *sine = (n & 2) != 0 ? -x : x;
  *cosine = ((n + 1) & 2) != 0 ? -y : y;
}
BERTH_GPU_FN void sincos_f64(double v, double *sine, double *cosine) {
  uint32_t n;
  double low;
  const double r = berth_quarters_near_f64(v, &n, &low);
  const double a = berth_sin_near_f64(r, low), b = berth_cos_near_f64(r, low);
  const double x = (n & 1) != 0 ? b : a, y = (n & 1) != 0 ? a : b;
  *sine = (n & 2) != 0 ? -x : x;
  *cosine = ((n + 1) & 2) != 0 ? -y : y;
}

// Box and Muller's method: two normal numbers of two words, or of four.
BERTH_GPU_FN void normal_f32(const uint32_t *words, float pair[2]) {
  float u = berth_philox_float(words[0]);
  if (u < 1.0e-7f) u = 1.0e-7f;
  const float v =
      (float)(6.283185307179586 * (double)berth_philox_float(words[1]));
  const float radius = berth_sqrt_f32(-2.0f * berth_log_f32(u));
  float sine, cosine;
  sincos_f32(v, &sine, &cosine);
  pair[0] = sine * radius;
  pair[1] = cosine * radius;
}
BERTH_GPU_FN void normal_f64(const uint32_t *words, double pair[2]) {
  double u = berth_philox_double(words[0], words[1]);
  if (u < 1.0e-7) u = 1.0e-7;
  const double v = 6.283185307179586 * berth_philox_double(words[2], words[3]);
  const double radius = berth_sqrt_f64(-2.0 * berth_log_f64(u));
  double sine, cosine;
  sincos_f64(v, &sine, &cosine);
  pair[0] = sine * radius;
  pair[1] = cosine * radius;
}

// A step's worth of each kind, in the type that is computed with.
#define FILL_4(name, T, EXPR)                                \
  BERTH_GPU_FN void name(const berth_random_params_t *p,     \
                         const uint32_t *words, T *values) { \
    (void)p;                                                 \
    BERTH_UNROLL                                             \
    for (int j = 0; j < 4; ++j) values[j] = EXPR;            \
  }
FILL_4(uniform_f32, float, berth_philox_float(words[j]))
FILL_4(uniform_f16, float, berth_philox_half(words[j]))
FILL_4(uniform_bf16, float, berth_philox_bfloat16(words[j]))
// Without sign, so that a range may be as wide as the type.
FILL_4(integers_i32, int32_t,
       (int32_t)((uint32_t)p->low + words[j] % (uint32_t)p->range))

// Whole numbers are words as they come, the low one of two first.
FILL_4(bits_u32, uint32_t, words[j])
BERTH_GPU_FN void bits_u64(const berth_random_params_t *p,
                           const uint32_t *words, uint64_t *values) {
  (void)p;
  for (int j = 0; j < 2; ++j) {
    values[j] = (uint64_t)words[2 * j + 1] << 32 | words[2 * j];
  }
}

BERTH_GPU_FN void uniform_f64(const berth_random_params_t *p,
                              const uint32_t *words, double *values) {
  (void)p;
  values[0] = berth_philox_double(words[0], words[1]);
  values[1] = berth_philox_double(words[2], words[3]);
}
BERTH_GPU_FN void integers_i64(const berth_random_params_t *p,
                               const uint32_t *words, int64_t *values) {
  for (int j = 0; j < 2; ++j) {
    const uint64_t bits = (uint64_t)words[2 * j + 1] << 32 | words[2 * j];
    values[j] = (int64_t)(p->low + bits % p->range);
  }
}
BERTH_GPU_FN void normals_f32(const berth_random_params_t *p,
                              const uint32_t *words, float *values) {
  (void)p;
  normal_f32(words, values);
  normal_f32(words + 2, values + 2);
}
BERTH_GPU_FN void normals_f64(const berth_random_params_t *p,
                              const uint32_t *words, double *values) {
  (void)p;
  normal_f64(words, values);
}

// ---- Kernels ----

// |type| is what is stored, |FILL| makes the |GROUP| numbers of a step. A group
// is a vector, so that it is stored at once: outputs are aligned.
#define RANDOM(kernel, type, GROUP, FILL)                                \
  typedef berth_stored_##type kernel##_group                             \
      __attribute__((vector_size(GROUP * sizeof(berth_stored_##type)))); \
                                                                         \
  BERTH_KERNEL(kernel, berth_random_params_t) {                          \
    berth_stored_##type *out = (berth_stored_##type *)p.out;             \
    BERTH_EACH(group, (p.count + GROUP - 1) / GROUP) {                   \
      uint32_t words[4];                                                 \
      berth_working_##type values[GROUP];                                \
      kernel##_group stored;                                             \
      berth_philox_t philox = philox_at(&p, group);                      \
      berth_philox_next(&philox, words);                                 \
      FILL(&p, words, values);                                           \
      BERTH_UNROLL                                                       \
      for (int j = 0; j < GROUP; ++j) {                                  \
        stored[j] = berth_store_##type(values[j]);                       \
      }                                                                  \
      const uint64_t rest = p.count - group * GROUP;                     \
      if (rest >= GROUP) {                                               \
        ((kernel##_group *)p.out)[group] = stored;                       \
        continue;                                                        \
      }                                                                  \
      BERTH_UNROLL                                                       \
      for (uint64_t j = 0; j < GROUP; ++j) {                             \
        if (j < rest) out[group * GROUP + j] = stored[j];                \
      }                                                                  \
    }                                                                    \
  }

RANDOM(berth_uniform_f32, f32, 4, uniform_f32)
RANDOM(berth_uniform_f64, f64, 2, uniform_f64)
RANDOM(berth_uniform_f16, f16, 4, uniform_f16)
RANDOM(berth_uniform_bf16, bf16, 4, uniform_bf16)
RANDOM(berth_normal_f32, f32, 4, normals_f32)
RANDOM(berth_normal_f64, f64, 2, normals_f64)
RANDOM(berth_normal_f16, f16, 4, normals_f32)
RANDOM(berth_normal_bf16, bf16, 4, normals_f32)
RANDOM(berth_integers_i32, i32, 4, integers_i32)
RANDOM(berth_integers_i64, i64, 2, integers_i64)
RANDOM(berth_bits_u32, u32, 4, bits_u32)
RANDOM(berth_bits_u64, u64, 2, bits_u64)

// Normals within two standard deviations: others are drawn again. |WORDS| make
// a pair.
#define TRUNCATED(kernel, type, work, T, GROUP, WORDS)                   \
  BERTH_KERNEL(kernel, berth_random_params_t) {                          \
    berth_stored_##type *out = (berth_stored_##type *)p.out;             \
    BERTH_EACH(group, (p.count + GROUP - 1) / GROUP) {                   \
      berth_philox_t philox =                                            \
          philox_at(&p, group * (GROUP * TRUNCATED_STEPS / 4));          \
      uint64_t at = group * GROUP;                                       \
      const uint64_t end = at + GROUP < p.count ? at + GROUP : p.count;  \
      while (at < end) {                                                 \
        uint32_t words[4];                                               \
        berth_philox_next(&philox, words);                               \
        BERTH_UNROLL                                                     \
        for (int w = 0; w < 4; w += WORDS) {                             \
          T pair[2];                                                     \
          normal_##work(words + w, pair);                                \
          for (int j = 0; j < 2; ++j) {                                  \
            if (at >= end || !(berth_abs_##work(pair[j]) < 2)) continue; \
            out[at++] = berth_store_##type(pair[j]);                     \
          }                                                              \
        }                                                                \
      }                                                                  \
    }                                                                    \
  }

TRUNCATED(berth_truncated_f32, f32, f32, float, 4, 2)
TRUNCATED(berth_truncated_f64, f64, f64, double, 2, 4)
TRUNCATED(berth_truncated_f16, f16, f32, float, 4, 2)
TRUNCATED(berth_truncated_bf16, bf16, f32, float, 4, 2)
