// convert_isa.c - Fast conversions between float and the types around it.
#include "cpu/convert.h"

#include "cpu/vexp.h"
#include "tensor/half.h"

#if defined(__F16C__)
#include <immintrin.h>
#endif

#define CONVERT(name, from_t, to_t, expr)                       \
  static void name(const void *from, void *to, int64_t count) { \
    const from_t *in = from;                                    \
    to_t *out = to;                                             \
    BERTH_VECTOR_LOOP                                           \
    for (int64_t i = 0; i < count; ++i) {                       \
      const from_t x = in[i];                                   \
      out[i] = (to_t)(expr);                                    \
    }                                                           \
  }

// As x86 converts, whatever the machine.
static BERTH_INLINE int32_t to_int32(float x) {
  return x >= -2147483648.0f && x < 2147483648.0f ? (int32_t)x : INT32_MIN;
}

CONVERT(bfloat16_to_float, uint16_t, float, berth_bfloat16_to_float(x))
CONVERT(float_to_bfloat16, float, uint16_t, berth_float_to_bfloat16(x))
CONVERT(float_to_double, float, double, x)
CONVERT(double_to_float, double, float, x)
CONVERT(float_to_int32, float, int32_t, to_int32(x))
CONVERT(int32_to_float, int32_t, float, x)
CONVERT(int32_to_int64, int32_t, int64_t, x)
CONVERT(int64_to_int32, int64_t, int32_t, (uint32_t)(uint64_t)x)
CONVERT(uint8_to_float, uint8_t, float, x)

#if defined(__F16C__)
static void half_to_float(const void *from, void *to, int64_t count) {
  const uint16_t *in = from;
  float *out = to;
  int64_t i = 0;
  for (; i + 8 <= count; i += 8) {
    __m128i x = _mm_loadu_si128((const __m128i *)(const void *)(in + i));
    _mm256_storeu_ps(out + i, _mm256_cvtph_ps(x));
  }
  for (; i < count; ++i) out[i] = berth_half_to_float(in[i]);
}

static void float_to_half(const void *from, void *to, int64_t count) {
  const float *in = from;
  uint16_t *out = to;
  int64_t i = 0;
  for (; i + 8 <= count; i += 8) {
    __m128i y = _mm256_cvtps_ph(_mm256_loadu_ps(in + i), 0);
    _mm_storeu_si128((__m128i *)(void *)(out + i), y);
  }
  for (; i < count; ++i) out[i] = berth_float_to_half(in[i]);
}
#else
CONVERT(half_to_float, uint16_t, float, berth_half_to_float(x))
CONVERT(float_to_half, float, uint16_t, berth_float_to_half(x))
#endif

const berth_convert_loops_t BERTH_ISA(berth_cpu_convert_loops) = {
    .half_to_float = half_to_float,
    .float_to_half = float_to_half,
    .bfloat16_to_float = bfloat16_to_float,
    .float_to_bfloat16 = float_to_bfloat16,
    .float_to_double = float_to_double,
    .double_to_float = double_to_float,
    .float_to_int32 = float_to_int32,
    .int32_to_float = int32_to_float,
    .int32_to_int64 = int32_to_int64,
    .int64_to_int32 = int64_to_int32,
    .uint8_to_float = uint8_to_float,
};
