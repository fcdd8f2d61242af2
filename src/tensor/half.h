// half.h - Conversions of the 16-bit floating point types.
//
// half is IEEE binary16, bfloat16 the upper half of a float. Both round to
// nearest even; NaN stays NaN, with its sign. Without branches, so that loops
// over them become vectors.
//
// Pure functions.
#ifndef BERTH_TENSOR_HALF_H_
#define BERTH_TENSOR_HALF_H_

#include <stdint.h>
#include <string.h>

// Returns the value of |x|, exactly.
static inline float berth_bfloat16_to_float(uint16_t x) {
  uint32_t bits = (uint32_t)x << 16;
  float y;
  memcpy(&y, &bits, sizeof(y));
  return y;
}

// Returns the bfloat16 nearest to |x|; infinity where that is too large.
static inline uint16_t berth_float_to_bfloat16(float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof(bits));
  uint32_t rounded = (bits + 0x7fffU + ((bits >> 16) & 1)) >> 16;
  return (uint16_t)(x != x ? ((bits >> 16) & 0x8000U) | 0x7fc0U : rounded);
}

// Returns the value of |x|, exactly, denormal numbers included.
static inline float berth_half_to_float(uint16_t x) {
  uint32_t bits = (uint32_t)(x & 0x7fffU) << 13;
  uint32_t exponent = bits & 0x0f800000U;
  // Another bias; infinite and NaN keep the largest exponent.
  bits += exponent == 0x0f800000U ? 0x70000000U : 0x38000000U;
  // A denormal number has no leading one: 2^-14 is added and taken away.
  uint32_t denormal = exponent == 0 ? 0x00800000U : 0;
  uint32_t magic_bits = exponent == 0 ? 0x38800000U : 0;
  bits += denormal;
  float y, magic;
  memcpy(&y, &bits, sizeof(y));
  memcpy(&magic, &magic_bits, sizeof(magic));
  y -= magic;
  memcpy(&bits, &y, sizeof(bits));
  bits |= (uint32_t)(x & 0x8000U) << 16;
  memcpy(&y, &bits, sizeof(y));
  return y;
}

// Returns the half nearest to |x|; infinity from 65520 on, denormal numbers and
// zero for what is small.
static inline uint16_t berth_float_to_half(float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof(bits));
  uint32_t sign = (bits >> 16) & 0x8000U;
  bits &= 0x7fffffffU;
  uint32_t normal = (bits + 0x0fffU + ((bits >> 13) & 1) - 0x38000000U) >> 13;
  // Below 2^-14 adding 1/2 shifts the digits to where they belong, rounded.
  float magnitude, shifted;
  memcpy(&magnitude, &bits, sizeof(magnitude));
  shifted = magnitude + 0.5f;
  uint32_t denormal;
  memcpy(&denormal, &shifted, sizeof(denormal));
  denormal -= 0x3f000000U;
  uint32_t y = bits < 0x38800000U ? denormal : normal;
  y = bits >= 0x477ff000U ? 0x7c00U : y;
  y = bits > 0x7f800000U ? 0x7e00U : y;
  return (uint16_t)(sign | y);
}

#endif  // BERTH_TENSOR_HALF_H_
