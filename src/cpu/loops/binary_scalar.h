// binary_scalar.h - What the expressions of op/binary_list.inc are made of on
// the host.
//
// Integer division expects that its divisors were looked at before and gives 0
// for a zero; the one quotient that does not fit wraps.
#ifndef BERTH_CPU_LOOPS_BINARY_SCALAR_H_
#define BERTH_CPU_LOOPS_BINARY_SCALAR_H_

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "cpu/loops/scalar.h"
#include "cpu/loops/varc.h"
#include "cpu/loops/varc64.h"
#include "cpu/loops/vmath.h"
#include "cpu/loops/vmath64.h"
#include "op/scalar.h"
#include "tensor/complex.h"

// Places in tables: at_add.
enum {
#define BINARY(NAME, name, ...) at_##name = BERTH_BINARY_##NAME,
#include "op/binary_list.inc"
};

// ---- Integers ----

// Quotients are taken in a floating point type |real_t| that holds both
// numbers: it is exact enough that the whole part is right, and there are
// vectors for it. 64-bit numbers have none.
#define SCALAR_QUOTIENT(slot, type, real_t, wide_t)                        \
  static BERTH_INLINE type berth_scalar_quotient_##slot(type x, type y) {  \
    const real_t q = (real_t)x / (real_t)(y == 0 ? 1 : y);                 \
    return (type)(y == 0 ? 0 : (wide_t)q);                                 \
  }                                                                        \
  static BERTH_INLINE type berth_scalar_remainder_##slot(type x, type y) { \
    const wide_t q = (wide_t)berth_scalar_quotient_##slot(x, y);           \
    return (type)(y == 0 ? 0 : (wide_t)x - q * (wide_t)y);                 \
  }

SCALAR_QUOTIENT(U8, uint8_t, float, int32_t)
SCALAR_QUOTIENT(I8, int8_t, float, int32_t)
SCALAR_QUOTIENT(U16, uint16_t, float, int32_t)
SCALAR_QUOTIENT(I16, int16_t, float, int32_t)

// A double tells the quotients of int32 apart; the one that does not fit wraps.
static BERTH_INLINE int32_t berth_scalar_quotient_I32(int32_t x, int32_t y) {
  const double q = (double)x / (double)(y == 0 ? 1 : y);
  const double wrapped = q > 2147483647.0 ? -2147483648.0 : q;
  return y == 0 ? 0 : (int32_t)wrapped;
}
static BERTH_INLINE int32_t berth_scalar_remainder_I32(int32_t x, int32_t y) {
  const uint32_t q = (uint32_t)berth_scalar_quotient_I32(x, y);
  return y == 0 ? 0 : (int32_t)((uint32_t)x - q * (uint32_t)y);
}

static BERTH_INLINE uint32_t berth_scalar_quotient_U32(uint32_t x, uint32_t y) {
  return y == 0 ? 0 : x / y;
}
static BERTH_INLINE uint32_t berth_scalar_remainder_U32(uint32_t x,
                                                        uint32_t y) {
  return y == 0 ? 0 : x % y;
}
// Most numbers of 64 bits are small, and divided faster as such.
static BERTH_INLINE bool berth_scalar_is_short(uint64_t x, uint64_t y) {
  return (x | y) >> 32 == 0;
}
static BERTH_INLINE uint64_t berth_scalar_quotient_U64(uint64_t x, uint64_t y) {
  if (y == 0) return 0;
  return berth_scalar_is_short(x, y) ? (uint32_t)x / (uint32_t)y : x / y;
}
static BERTH_INLINE uint64_t berth_scalar_remainder_U64(uint64_t x,
                                                        uint64_t y) {
  if (y == 0) return 0;
  return berth_scalar_is_short(x, y) ? (uint32_t)x % (uint32_t)y : x % y;
}
// Dividing by -1 wraps where C leaves it open: at the smallest number.
static BERTH_INLINE int64_t berth_scalar_quotient_I64(int64_t x, int64_t y) {
  if (y == 0) return 0;
  if (berth_scalar_is_short((uint64_t)x, (uint64_t)y)) {
    return (uint32_t)x / (uint32_t)y;
  }
  return y == -1 ? (int64_t)(0 - (uint64_t)x) : x / y;
}
static BERTH_INLINE int64_t berth_scalar_remainder_I64(int64_t x, int64_t y) {
  if (y == 0 || y == -1) return 0;
  if (berth_scalar_is_short((uint64_t)x, (uint64_t)y)) {
    return (uint32_t)x % (uint32_t)y;
  }
  return x % y;
}

// Whether the quotient was rounded up, what is left where it is rounded down,
// and powers.
#define SCALAR_SIGNED(slot, type)                                          \
  static BERTH_INLINE int berth_scalar_is_above_##slot(type x, type y) {   \
    const type r = berth_scalar_remainder_##slot(x, y);                    \
    return (r != 0) & ((r ^ y) < 0);                                       \
  }                                                                        \
  static BERTH_INLINE type berth_scalar_floor_mod_##slot(type x, type y) { \
    const type r = berth_scalar_remainder_##slot(x, y);                    \
    return (type)(((r != 0) & ((r ^ y) < 0)) ? r + y : r);                 \
  }                                                                        \
  static BERTH_INLINE type berth_scalar_power_##slot(type x, type y) {     \
    uint64_t base = (uint64_t)x, result = 1;                               \
    for (; y > 0; y = (type)(y / 2), base *= base) {                       \
      if (y % 2 != 0) result *= base;                                      \
    }                                                                      \
    return (type)result;                                                   \
  }

SCALAR_SIGNED(I8, int8_t)
SCALAR_SIGNED(I16, int16_t)
SCALAR_SIGNED(I32, int32_t)
SCALAR_SIGNED(I64, int64_t)

// ---- Real numbers ----

#define berth_scalar_exp_F32 berth_vexp
#define berth_scalar_exp_F64 berth_vexp64
#define berth_scalar_log_F32 berth_vlog
#define berth_scalar_log_F64 berth_vlog64
#define berth_scalar_atan2_F32 berth_vatan2
#define berth_scalar_atan2_F64 berth_vatan2_64

// ---- Complex numbers ----

// C's product and quotient look for infinities behind NaNs; TensorFlow's do
// not.
static BERTH_INLINE berth_complex64_t
berth_scalar_div_C64(berth_complex64_t x, berth_complex64_t y) {
  // A double has room for the squares of all floats.
  const double a = (double)crealf(x), b = (double)cimagf(x);
  const double c = (double)crealf(y), d = (double)cimagf(y);
  const double size = c * c + d * d;
  berth_complex64_t z;
  ((float *)&z)[0] = (float)(size == 0 ? a / size : (a * c + b * d) / size);
  ((float *)&z)[1] = (float)(size == 0 ? b / size : (b * c - a * d) / size);
  return z;
}

static BERTH_INLINE berth_complex128_t
berth_scalar_div_C128(berth_complex128_t x, berth_complex128_t y) {
  const double a = creal(x), b = cimag(x);
  // Scaled by its larger part, so that squares stay in range.
  const double scale = fmax(fabs(creal(y)), fabs(cimag(y)));
  const double c = creal(y) / scale, d = cimag(y) / scale;
  const double size = (c * c + d * d) * scale;
  berth_complex128_t z;
  ((double *)&z)[0] = scale == 0 ? a / scale : (a * c + b * d) / size;
  ((double *)&z)[1] = scale == 0 ? b / scale : (b * c - a * d) / size;
  return z;
}

#define SCALAR_COMPLEX(slot, type, real_t, f)                        \
  static BERTH_INLINE type berth_scalar_mul_##slot(type x, type y) { \
    const real_t a = creal##f(x), b = cimag##f(x);                   \
    const real_t c = creal##f(y), d = cimag##f(y);                   \
    type z;                                                          \
    ((real_t *)&z)[0] = a * c - b * d;                               \
    ((real_t *)&z)[1] = a * d + b * c;                               \
    return z;                                                        \
  }

SCALAR_COMPLEX(C64, berth_complex64_t, float, f)
SCALAR_COMPLEX(C128, berth_complex128_t, double, )

#define berth_scalar_make_C64(re, im) ((berth_complex64_t)(re))
#define berth_scalar_make_C128(re, im) ((berth_complex128_t)(re))
#define berth_scalar_is_zero_C64(x) ((x) == 0)
#define berth_scalar_is_zero_C128(x) ((x) == 0)
#define berth_scalar_equal_C64(x, y) ((x) == (y))
#define berth_scalar_equal_C128(x, y) ((x) == (y))
#define berth_scalar_add_C64(x, y) ((x) + (y))
#define berth_scalar_add_C128(x, y) ((x) + (y))
#define berth_scalar_sub_C64(x, y) ((x) - (y))
#define berth_scalar_sub_C128(x, y) ((x) - (y))
#define berth_scalar_conj_C64 conjf
#define berth_scalar_conj_C128 conj
#define berth_scalar_pow_C64 cpowf
#define berth_scalar_pow_C128 cpow
#define berth_scalar_log_C64 clogf
#define berth_scalar_log_C128 clog

#endif  // BERTH_CPU_LOOPS_BINARY_SCALAR_H_
