// convert_isa.c - Fast conversions between float and the types around it.
#include "cpu/loops/convert.h"

#include "cpu/loops/vexp.h"
#include "tensor/half.h"

#if defined(__F16C__)
#include <immintrin.h>
#endif

// As x86 converts, whatever the machine.
static BERTH_INLINE int32_t float_to_int32(float x) {
  return x >= -2147483648.0f && x < 2147483648.0f ? (int32_t)x : INT32_MIN;
}
static BERTH_INLINE int64_t float_to_int64(float x) {
  return x >= -9223372036854775808.0f && x < 9223372036854775808.0f ? (int64_t)x
                                                                    : INT64_MIN;
}
// Unsigned numbers have the positive half besides; negative ones wrap.
static BERTH_INLINE uint32_t float_to_uint32(float x) {
  return x >= -2147483648.0f && x < 4294967296.0f ? (uint32_t)(int64_t)x
                                                  : UINT32_C(1) << 31;
}
static BERTH_INLINE int32_t double_to_int32(double x) {
  return x > -2147483649.0 && x < 2147483648.0 ? (int32_t)x : INT32_MIN;
}
static BERTH_INLINE int64_t double_to_int64(double x) {
  return x >= -9223372036854775808.0 && x < 9223372036854775808.0 ? (int64_t)x
                                                                  : INT64_MIN;
}

#define CONVERT(from, from_t, to, to_t, expr)                  \
  static void from##_to_##to(const void *source, void *target, \
                             int64_t count) {                  \
    const from_t *in = source;                                 \
    to_t *out = target;                                        \
    BERTH_VECTOR_LOOP                                          \
    for (int64_t i = 0; i < count; ++i) {                      \
      const from_t x = in[i];                                  \
      out[i] = (to_t)(expr);                                   \
    }                                                          \
  }

BERTH_CONVERT_PAIRS(CONVERT)

#if defined(__AVX512F__)
enum { LANES = 16 };
static BERTH_INLINE void widen_lanes(const uint16_t *in, float *out) {
  __m256i x = _mm256_loadu_si256((const __m256i *)(const void *)in);
  _mm512_storeu_ps(out, _mm512_cvtph_ps(x));
}
static BERTH_INLINE void narrow_lanes(const float *in, uint16_t *out) {
  __m256i y = _mm512_cvtps_ph(_mm512_loadu_ps(in), 0);
  _mm256_storeu_si256((__m256i *)(void *)out, y);
}
#elif defined(__F16C__)
enum { LANES = 8 };
static BERTH_INLINE void widen_lanes(const uint16_t *in, float *out) {
  __m128i x = _mm_loadu_si128((const __m128i *)(const void *)in);
  _mm256_storeu_ps(out, _mm256_cvtph_ps(x));
}
static BERTH_INLINE void narrow_lanes(const float *in, uint16_t *out) {
  __m128i y = _mm256_cvtps_ph(_mm256_loadu_ps(in), 0);
  _mm_storeu_si128((__m128i *)(void *)out, y);
}
#endif

// Compilers do not find the instructions for half precision by themselves.
static void half_to_float(const void *from, void *to, int64_t count) {
  const uint16_t *in = from;
  float *out = to;
  int64_t i = 0;
#if defined(__F16C__)
  for (; i + LANES <= count; i += LANES) widen_lanes(in + i, out + i);
#endif
  for (; i < count; ++i) out[i] = berth_half_to_float(in[i]);
}

static void float_to_half(const void *from, void *to, int64_t count) {
  const float *in = from;
  uint16_t *out = to;
  int64_t i = 0;
#if defined(__F16C__)
  for (; i + LANES <= count; i += LANES) narrow_lanes(in + i, out + i);
#endif
  for (; i < count; ++i) out[i] = berth_float_to_half(in[i]);
}

#define MEMBER(from, from_t, to, to_t, expr) .from##_to_##to = from##_to_##to,

const berth_convert_loops_t BERTH_ISA(berth_cpu_convert_loops) = {
    .half_to_float = half_to_float,
    .float_to_half = float_to_half,
    BERTH_CONVERT_PAIRS(MEMBER)};
