// float8.h - Floats of eight bits and fewer.
//
// Five formats of eight bits and one of four, told apart by the widths of
// exponent and mantissa, the bias, and what they have beyond finite numbers:
//
//   IEEE   infinities and NaNs, as in half precision          e5m2
//   FN     no infinities; NaN is all ones                     e4m3fn
//   FNUZ   no infinities, no -0; NaN is the code of -0        the *fnuz
//   NONE   finite numbers only; too large becomes the largest e2m1fn
//
// Conversions round to nearest, ties to even. A number too large becomes
// infinity, or NaN where there is none, as in TensorFlow.
//
// Pure functions.
#ifndef BERTH_TENSOR_FLOAT8_H_
#define BERTH_TENSOR_FLOAT8_H_

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "berth/types.h"

// What a format has beyond finite numbers, as told above.
typedef enum berth_float8_kind {
  BERTH_FLOAT8_IEEE,
  BERTH_FLOAT8_FN,
  BERTH_FLOAT8_FNUZ,
  BERTH_FLOAT8_NONE,
} berth_float8_kind_t;

// How codes of one type are read. What is neither sign nor mantissa is
// exponent.
typedef struct berth_float8_format {
  uint8_t mantissa_bits;
  uint8_t sign_bit;  // The sign's code: 0x80, or 0x08 for four bits.
  int8_t bias;       // Of the exponent.
  uint8_t largest;   // Code of the largest finite number.
  berth_float8_kind_t kind;
} berth_float8_format_t;

// Returns the format of |dtype|, which must be one of the types above.
static inline berth_float8_format_t berth_float8_format(berth_dtype_t dtype) {
  switch ((int)dtype) {
    case BERTH_FLOAT8_E5M2:
      return (berth_float8_format_t){2, 0x80, 15, 0x7b, BERTH_FLOAT8_IEEE};
    case BERTH_FLOAT8_E4M3FN:
      return (berth_float8_format_t){3, 0x80, 7, 0x7e, BERTH_FLOAT8_FN};
    case BERTH_FLOAT8_E4M3FNUZ:
      return (berth_float8_format_t){3, 0x80, 8, 0x7f, BERTH_FLOAT8_FNUZ};
    case BERTH_FLOAT8_E4M3B11FNUZ:
      return (berth_float8_format_t){3, 0x80, 11, 0x7f, BERTH_FLOAT8_FNUZ};
    case BERTH_FLOAT8_E5M2FNUZ:
      return (berth_float8_format_t){2, 0x80, 16, 0x7f, BERTH_FLOAT8_FNUZ};
    default:  // BERTH_FLOAT4_E2M1FN
      return (berth_float8_format_t){1, 0x08, 1, 0x07, BERTH_FLOAT8_NONE};
  }
}

// Returns 2 to the power |exponent|, which must be a normal float's.
static inline float berth_float8_power(int exponent) {
  uint32_t bits = (uint32_t)(exponent + 127) << 23;
  float power;
  memcpy(&power, &bits, sizeof(power));
  return power;
}

// Returns the value of |code| in |format|.
static inline float berth_float8_to_float(berth_float8_format_t format,
                                          uint8_t code) {
  unsigned absolute = code & (format.sign_bit - 1u);
  bool negative = (code & format.sign_bit) != 0;
  if (format.kind == BERTH_FLOAT8_FNUZ && code == format.sign_bit) return NAN;
  if (absolute > format.largest) {
    bool infinite =
        format.kind == BERTH_FLOAT8_IEEE && absolute == format.largest + 1u;
    float special = infinite ? INFINITY : NAN;
    return negative ? -special : special;
  }
  int exponent = (int)(absolute >> format.mantissa_bits);
  unsigned mantissa = absolute & ((1u << format.mantissa_bits) - 1u);
  if (exponent > 0) mantissa |= 1u << format.mantissa_bits;
  int power = (exponent > 0 ? exponent : 1) - format.bias;
  float value =
      (float)mantissa * berth_float8_power(power - format.mantissa_bits);
  return negative ? -value : value;
}

// Returns the code for a number too large for |format|, or for NaN.
static inline uint8_t berth_float8_special(berth_float8_format_t format,
                                           bool negative, bool is_nan) {
  unsigned sign = negative ? format.sign_bit : 0u;
  switch (format.kind) {
    case BERTH_FLOAT8_IEEE:
      return (uint8_t)(sign | (is_nan ? 0x7eu : 0x7cu));
    case BERTH_FLOAT8_FN:
      return (uint8_t)(sign | 0x7fu);
    case BERTH_FLOAT8_FNUZ:
      return format.sign_bit;
    default:
      return (uint8_t)(is_nan ? sign : sign | format.largest);
  }
}

// Returns the code in |format| that is nearest to |value|.
static inline uint8_t berth_float8_from_float(berth_float8_format_t format,
                                              float value) {
  bool negative = signbit(value) != 0;
  if (!isfinite(value)) {
    return berth_float8_special(format, negative, isnan(value));
  }
  float absolute = fabsf(value);
  uint32_t bits;
  memcpy(&bits, &absolute, sizeof(bits));
  int exponent = (int)(bits >> 23) - 127 + format.bias;
  uint32_t code = 0;
  if (exponent <= 0) {
    // Subnormal: the mantissa is the number of smallest steps.
    int step = 1 - format.bias - format.mantissa_bits;
    code = (uint32_t)rintf(absolute / berth_float8_power(step));
  } else {
    int shift = 23 - format.mantissa_bits;
    uint32_t odd = (bits >> shift) & 1u;
    uint32_t rounded = bits + (1u << (shift - 1)) - 1u + odd;
    int64_t bias = (int64_t)(127 - format.bias) << format.mantissa_bits;
    code = (uint32_t)((int64_t)(rounded >> shift) - bias);
  }
  if (code > format.largest) {
    return berth_float8_special(format, negative, false);
  }
  if (format.kind == BERTH_FLOAT8_FNUZ && code == 0) return 0;
  return (uint8_t)(code | (negative ? format.sign_bit : 0u));
}

#endif  // BERTH_TENSOR_FLOAT8_H_
