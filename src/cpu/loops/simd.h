// simd.h - Vectors of the instruction set that an *_isa.c file is compiled for.
//
// A vector is a vector of the compiler (its operators work lane by lane), 64,
// 32 or 16 bytes long; here is what operators do not say: loads and stores of
// any alignment, one value in all lanes, and fused multiplication and addition
// where the set has it.
//
// Include it in *_isa.c files alone: everything is static, so that no copy for
// one set is used by another.
#ifndef BERTH_CPU_LOOPS_SIMD_H_
#define BERTH_CPU_LOOPS_SIMD_H_

#include <stdint.h>
#include <string.h>

#include "base/compiler.h"
#include "cpu/loops/unroll.h"
#include "tensor/half.h"

#if defined(__AVX2__)
#include <immintrin.h>
#endif

#if defined(__AVX512F__)
#define BERTH_VECTOR_BYTES 64
#elif defined(__AVX2__)
#define BERTH_VECTOR_BYTES 32
#else
#define BERTH_VECTOR_BYTES 16
#endif

enum {
  BERTH_F32_LANES = BERTH_VECTOR_BYTES / 4,
  BERTH_F64_LANES = BERTH_VECTOR_BYTES / 8,
};

typedef float berth_f32v_t __attribute__((vector_size(BERTH_VECTOR_BYTES)));
typedef double berth_f64v_t __attribute__((vector_size(BERTH_VECTOR_BYTES)));
typedef int32_t berth_i32v_t __attribute__((vector_size(BERTH_VECTOR_BYTES)));
typedef uint32_t berth_u32v_t __attribute__((vector_size(BERTH_VECTOR_BYTES)));

static BERTH_INLINE berth_f32v_t berth_f32v_load(const float *from) {
  berth_f32v_t v;
  memcpy(&v, from, sizeof(v));
  return v;
}

static BERTH_INLINE void berth_f32v_store(float *to, berth_f32v_t v) {
  memcpy(to, &v, sizeof(v));
}

static BERTH_INLINE berth_f64v_t berth_f64v_load(const double *from) {
  berth_f64v_t v;
  memcpy(&v, from, sizeof(v));
  return v;
}

static BERTH_INLINE void berth_f64v_store(double *to, berth_f64v_t v) {
  memcpy(to, &v, sizeof(v));
}

static BERTH_INLINE berth_f32v_t berth_f32v_splat(float x) {
#if defined(__AVX512F__)
  return _mm512_set1_ps(x);
#elif defined(__AVX2__)
  return _mm256_set1_ps(x);
#else
  return (berth_f32v_t){x, x, x, x};
#endif
}

static BERTH_INLINE berth_f64v_t berth_f64v_splat(double x) {
#if defined(__AVX512F__)
  return _mm512_set1_pd(x);
#elif defined(__AVX2__)
  return _mm256_set1_pd(x);
#else
  return (berth_f64v_t){x, x};
#endif
}

// Returns a * b + c, rounded once where the set can.
static BERTH_INLINE berth_f32v_t berth_f32v_fma(berth_f32v_t a, berth_f32v_t b,
                                                berth_f32v_t c) {
#if defined(__AVX512F__)
  return _mm512_fmadd_ps(a, b, c);
#elif defined(__AVX2__)
  return _mm256_fmadd_ps(a, b, c);
#else
  return a * b + c;
#endif
}

static BERTH_INLINE berth_f64v_t berth_f64v_fma(berth_f64v_t a, berth_f64v_t b,
                                                berth_f64v_t c) {
#if defined(__AVX512F__)
  return _mm512_fmadd_pd(a, b, c);
#elif defined(__AVX2__)
  return _mm256_fmadd_pd(a, b, c);
#else
  return a * b + c;
#endif
}

// Returns |v| with the halves of each group of 2 * |bytes| (a constant)
// exchanged.
static BERTH_INLINE berth_u32v_t berth_u32v_turn(berth_u32v_t v, int bytes) {
#if defined(__AVX512F__)
  __m512i x = (__m512i)v;
  if (bytes == 32) x = _mm512_shuffle_i64x2(x, x, 0x4e);
  if (bytes == 16) x = _mm512_shuffle_i64x2(x, x, 0xb1);
  if (bytes == 8) x = _mm512_shuffle_epi32(x, (_MM_PERM_ENUM)0x4e);
  if (bytes == 4) x = _mm512_shuffle_epi32(x, (_MM_PERM_ENUM)0xb1);
  return (berth_u32v_t)x;
#elif defined(__AVX2__)
  __m256i x = (__m256i)v;
  if (bytes == 16) x = _mm256_permute2x128_si256(x, x, 1);
  if (bytes == 8) x = _mm256_shuffle_epi32(x, 0x4e);
  if (bytes == 4) x = _mm256_shuffle_epi32(x, 0xb1);
  return (berth_u32v_t)x;
#else
  berth_u32v_t turned;
  for (int i = 0; i < BERTH_F32_LANES; ++i) turned[i] = v[i ^ bytes / 4];
  return turned;
#endif
}

// Defines a function that folds the lanes, always in the same order: the two
// halves, then those of what comes out. |MEET| is of vectors.
#define BERTH_FOLD_LANES(name, V, T, MEET)                     \
  static BERTH_INLINE T name(V v) {                            \
    BERTH_UNROLL                                               \
    for (int i = 0; i < 4; ++i) {                              \
      int bytes = 32 >> i;                                     \
      if (bytes >= BERTH_VECTOR_BYTES) continue;               \
      if (bytes < (int)sizeof(T)) continue;                    \
      v = MEET(v, (V)berth_u32v_turn((berth_u32v_t)v, bytes)); \
    }                                                          \
    return v[0];                                               \
  }
#define BERTH_PLUS(a, b) ((a) + (b))

// Return the sum of the lanes.
BERTH_FOLD_LANES(berth_f32v_sum, berth_f32v_t, float, BERTH_PLUS)
BERTH_FOLD_LANES(berth_f64v_sum, berth_f64v_t, double, BERTH_PLUS)

// Loads |count| values, fewer than a vector has; the other lanes are |fill|.
static BERTH_INLINE berth_f32v_t berth_f32v_load_part(const float *from,
                                                      int64_t count,
                                                      float fill) {
#if defined(__AVX512F__)
  return _mm512_mask_loadu_ps(_mm512_set1_ps(fill),
                              (__mmask16)((1U << count) - 1U), from);
#elif defined(__AVX2__)
  const __m256i lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
  __m256i some = _mm256_cmpgt_epi32(_mm256_set1_epi32((int)count), lanes);
  return _mm256_blendv_ps(_mm256_set1_ps(fill), _mm256_maskload_ps(from, some),
                          _mm256_castsi256_ps(some));
#else
  float lanes[BERTH_F32_LANES];
  for (int i = 0; i < BERTH_F32_LANES; ++i) {
    lanes[i] = i < count ? from[i] : fill;
  }
  return berth_f32v_load(lanes);
#endif
}

// Stores the first |count| lanes.
static BERTH_INLINE void berth_f32v_store_part(float *to, berth_f32v_t v,
                                               int64_t count) {
#if defined(__AVX512F__)
  _mm512_mask_storeu_ps(to, (__mmask16)((1U << count) - 1U), v);
#else
  float lanes[BERTH_F32_LANES];
  berth_f32v_store(lanes, v);
  for (int i = 0; i < (int)count; ++i) to[i] = lanes[i];
#endif
}

// Returns the larger of each pair of lanes, |b| where either is NaN.
static BERTH_INLINE berth_f32v_t berth_f32v_max(berth_f32v_t a,
                                                berth_f32v_t b) {
#if defined(__AVX512F__)
  return _mm512_max_ps(a, b);
#elif defined(__AVX2__)
  return _mm256_max_ps(a, b);
#else
  float x[BERTH_F32_LANES], y[BERTH_F32_LANES];
  berth_f32v_store(x, a);
  berth_f32v_store(y, b);
  for (int i = 0; i < BERTH_F32_LANES; ++i) y[i] = x[i] > y[i] ? x[i] : y[i];
  return berth_f32v_load(y);
#endif
}

// Returns |a| where x <= y, else |b|: also where either is NaN.
static BERTH_INLINE berth_f32v_t berth_f32v_pick(berth_f32v_t x, berth_f32v_t y,
                                                 berth_f32v_t a,
                                                 berth_f32v_t b) {
#if defined(__AVX512F__)
  return _mm512_mask_blend_ps(_mm512_cmp_ps_mask(x, y, _CMP_LE_OQ), b, a);
#elif defined(__AVX2__)
  return _mm256_blendv_ps(b, a, _mm256_cmp_ps(x, y, _CMP_LE_OQ));
#else
  berth_i32v_t mask = x <= y;
  return (berth_f32v_t)((mask & (berth_i32v_t)a) | (~mask & (berth_i32v_t)b));
#endif
}

static BERTH_INLINE berth_f32v_t berth_f32v_relu(berth_f32v_t x) {
  berth_f32v_t zero = berth_f32v_splat(0);
  return berth_f32v_pick(x, zero, zero, x);
}

// Returns |x|, 6 at most.
static BERTH_INLINE berth_f32v_t berth_f32v_six(berth_f32v_t x) {
  berth_f32v_t six = berth_f32v_splat(6);
  // Where one is NaN they return the second.
#if defined(__AVX512F__)
  return _mm512_min_ps(six, x);
#elif defined(__AVX2__)
  return _mm256_min_ps(six, x);
#else
  return berth_f32v_pick(six, x, six, x);
#endif
}

// ---- 16-bit numbers, as many as a float vector has lanes ----

// Returns the lanes rounded to bfloat16, to nearest even. A NaN keeps its sign
// and its first digit.
static BERTH_INLINE berth_f32v_t berth_f32v_round_bfloat16(berth_f32v_t v) {
  berth_u32v_t bits = (berth_u32v_t)v;
  berth_u32v_t rounded = (bits + 0x7fffU + ((bits >> 16) & 1U)) & 0xffff0000U;
  berth_u32v_t quiet = (bits & 0x80000000U) | 0x7fc00000U;
  berth_u32v_t is_nan = (berth_u32v_t)(v != v);
  return (berth_f32v_t)((is_nan & quiet) | (~is_nan & rounded));
}

#if defined(__AVX512BW__)
static BERTH_INLINE berth_f32v_t berth_f32v_from_half(__m256i x) {
  return _mm512_cvtph_ps(x);
}

static BERTH_INLINE __m256i berth_f32v_to_half(berth_f32v_t v) {
  return _mm512_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT);
}

static BERTH_INLINE berth_f32v_t berth_f32v_from_bfloat16(__m256i x) {
  return (berth_f32v_t)_mm512_slli_epi32(_mm512_cvtepu16_epi32(x), 16);
}

static BERTH_INLINE __m256i berth_f32v_to_bfloat16(berth_f32v_t v) {
  berth_u32v_t bits = (berth_u32v_t)berth_f32v_round_bfloat16(v) >> 16;
  return _mm512_cvtepi32_epi16((__m512i)bits);
}
#endif

static BERTH_INLINE berth_f32v_t berth_f32v_load_half(const uint16_t *from) {
#if defined(__AVX512BW__)
  return berth_f32v_from_half(_mm256_loadu_si256((const void *)from));
#elif defined(__AVX2__)
  return _mm256_cvtph_ps(_mm_loadu_si128((const void *)from));
#else
  float lanes[BERTH_F32_LANES];
  for (int i = 0; i < BERTH_F32_LANES; ++i) {
    lanes[i] = berth_half_to_float(from[i]);
  }
  return berth_f32v_load(lanes);
#endif
}

static BERTH_INLINE berth_f32v_t
berth_f32v_load_bfloat16(const uint16_t *from) {
#if defined(__AVX512BW__)
  return berth_f32v_from_bfloat16(_mm256_loadu_si256((const void *)from));
#else
  uint32_t bits[BERTH_F32_LANES];
  for (int i = 0; i < BERTH_F32_LANES; ++i) bits[i] = (uint32_t)from[i] << 16;
  berth_f32v_t v;
  memcpy(&v, bits, sizeof(v));
  return v;
#endif
}

// Stores round to nearest even.
static BERTH_INLINE void berth_f32v_store_half(uint16_t *to, berth_f32v_t v) {
#if defined(__AVX512BW__)
  _mm256_storeu_si256((void *)to, berth_f32v_to_half(v));
#elif defined(__AVX2__)
  _mm_storeu_si128((void *)to, _mm256_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT));
#else
  float lanes[BERTH_F32_LANES];
  berth_f32v_store(lanes, v);
  for (int i = 0; i < BERTH_F32_LANES; ++i) {
    to[i] = berth_float_to_half(lanes[i]);
  }
#endif
}

static BERTH_INLINE void berth_f32v_store_bfloat16(uint16_t *to,
                                                   berth_f32v_t v) {
#if defined(__AVX512BW__)
  _mm256_storeu_si256((void *)to, berth_f32v_to_bfloat16(v));
#else
  berth_u32v_t bits = (berth_u32v_t)berth_f32v_round_bfloat16(v) >> 16;
  for (int i = 0; i < BERTH_F32_LANES; ++i) to[i] = (uint16_t)bits[i];
#endif
}

// Load and store |count| lanes, fewer than a vector has; others are 0.
#if defined(__AVX512BW__)
#define BERTH_F32V_PART_16(name)                                         \
  static BERTH_INLINE berth_f32v_t berth_f32v_load_##name##_part(        \
      const uint16_t *from, int64_t count) {                             \
    __mmask16 mask = (__mmask16)((1U << count) - 1U);                    \
    return berth_f32v_from_##name(_mm256_maskz_loadu_epi16(mask, from)); \
  }                                                                      \
  static BERTH_INLINE void berth_f32v_store_##name##_part(               \
      uint16_t *to, berth_f32v_t v, int64_t count) {                     \
    __mmask16 mask = (__mmask16)((1U << count) - 1U);                    \
    _mm256_mask_storeu_epi16(to, mask, berth_f32v_to_##name(v));         \
  }
#else
#define BERTH_F32V_PART_16(name)                                  \
  static BERTH_INLINE berth_f32v_t berth_f32v_load_##name##_part( \
      const uint16_t *from, int64_t count) {                      \
    uint16_t lanes[BERTH_F32_LANES] = {0};                        \
    for (int64_t i = 0; i < count; ++i) lanes[i] = from[i];       \
    return berth_f32v_load_##name(lanes);                         \
  }                                                               \
  static BERTH_INLINE void berth_f32v_store_##name##_part(        \
      uint16_t *to, berth_f32v_t v, int64_t count) {              \
    uint16_t lanes[BERTH_F32_LANES];                              \
    berth_f32v_store_##name(lanes, v);                            \
    for (int64_t i = 0; i < count; ++i) to[i] = lanes[i];         \
  }
#endif
BERTH_F32V_PART_16(half)
BERTH_F32V_PART_16(bfloat16)

// Returns the lanes rounded to half.
static BERTH_INLINE berth_f32v_t berth_f32v_round_half(berth_f32v_t v) {
#if defined(__AVX512BW__)
  return berth_f32v_from_half(berth_f32v_to_half(v));
#elif defined(__AVX2__)
  return _mm256_cvtph_ps(_mm256_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT));
#else
  uint16_t lanes[BERTH_F32_LANES];
  berth_f32v_store_half(lanes, v);
  return berth_f32v_load_half(lanes);
#endif
}

#endif  // BERTH_CPU_LOOPS_SIMD_H_
