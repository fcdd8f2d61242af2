// round.h - Rounding floats to what half and bfloat16 hold, to nearest even.
//
// As their conversions there and back, which take longer without instructions
// of their own. Pure functions.
#ifndef BERTH_CPU_LOOPS_ROUND_H_
#define BERTH_CPU_LOOPS_ROUND_H_

#include "cpu/loops/vexp.h"

static BERTH_INLINE float berth_round_bfloat16(float x) {
  const uint32_t bits = berth_float_bits(x);
  if ((bits & INT32_MAX) > 0x7f800000U) return x;  // No number.
  return berth_float_from_bits((bits + 0x7fff + (bits >> 16 & 1)) &
                               0xffff0000U);
}

static BERTH_INLINE float berth_round_half(float x) {
  const uint32_t bits = berth_float_bits(x), size = bits & INT32_MAX;
  const uint32_t sign = bits ^ size;
  // Those without a leading bit have the last bit of what is near 1.
  if (size < 0x38800000U) {
    const float near = (berth_float_from_bits(size) + 0.75F) - 0.75F;
    return berth_float_from_bits(berth_float_bits(near) | sign);
  }
  if (size >= 0x477ff000U) {  // At least 65520.
    return size > 0x7f800000U ? x : berth_float_from_bits(sign | 0x7f800000U);
  }
  return berth_float_from_bits((bits + 0xfff + (bits >> 13 & 1)) & ~0x1fffU);
}

#endif  // BERTH_CPU_LOOPS_ROUND_H_
