// number.h - The 16-bit floats, as bits, and a float as tensor cores see it.
#ifndef BERTH_SOFTGPU_NUMBER_H_
#define BERTH_SOFTGPU_NUMBER_H_

#include <stdint.h>
#include <string.h>

static inline uint32_t berth_soft_bits_of(float value) {
  uint32_t bits = 0;
  memcpy(&bits, &value, sizeof(bits));
  return bits;
}

static inline float berth_soft_float_of(uint32_t bits) {
  float value = 0;
  memcpy(&value, &bits, sizeof(value));
  return value;
}

static inline float berth_soft_from_bf16(uint16_t half) {
  return berth_soft_float_of((uint32_t)half << 16);
}

// Rounds to nearest, ties to even; a NaN stays one.
static inline uint16_t berth_soft_to_bf16(float value) {
  uint32_t bits = berth_soft_bits_of(value);
  if (value != value) return (uint16_t)(bits >> 16 | 0x40);
  return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

static inline float berth_soft_from_half(uint16_t half) {
  uint32_t sign = (uint32_t)(half & 0x8000) << 16;
  uint32_t rest = half & 0x7fffu;
  if (rest >= 0x7c00)
    return berth_soft_float_of(sign | 0x7f800000 | rest << 13);
  // Denormals come right by the multiplication: 2^112 moves the exponent.
  float scaled = berth_soft_float_of(rest << 13) * 0x1p112f;
  return berth_soft_float_of(sign | berth_soft_bits_of(scaled));
}

// Rounds to nearest, ties to even; what is too large becomes infinite.
static inline uint16_t berth_soft_to_half(float value) {
  uint32_t bits = berth_soft_bits_of(value);
  uint16_t sign = (uint16_t)(bits >> 16 & 0x8000);
  bits &= 0x7fffffff;
  if (bits > 0x7f800000) return (uint16_t)(sign | 0x7e00);
  if (bits >= 0x477ff000) return (uint16_t)(sign | 0x7c00);
  if (bits < 0x38800000) {
    // Adding a half lets the addition round to multiples of 2^-24.
    uint32_t sum = berth_soft_bits_of(berth_soft_float_of(bits) + 0.5f);
    return (uint16_t)(sign | (sum - 0x3f000000));
  }
  bits += 0xfff + (bits >> 13 & 1);
  return (uint16_t)(sign | (bits - 0x38000000) >> 13);
}

// Rounds to the 10 bits of mantissa that TF32 keeps, ties away from zero.
static inline float berth_soft_to_tf32(float value) {
  uint32_t bits = berth_soft_bits_of(value);
  if ((bits & 0x7f800000) == 0x7f800000) return value;
  return berth_soft_float_of((bits + 0x1000) & ~(uint32_t)0x1fff);
}

#endif  // BERTH_SOFTGPU_NUMBER_H_
