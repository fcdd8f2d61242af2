// binary_loops.c - Loops of two inputs for the types and ops in lesser use.
//
// Compiled once, for any CPU. Integer division expects that its divisors were
// looked at before and gives 0 for a zero; the one quotient that does not fit
// wraps.
#include <math.h>
#include <stdbool.h>

#include "cpu/loops/binary.h"
#include "cpu/loops/loop.h"
#include "tensor/complex.h"

// --- Small and unsigned integers ---------------------------------------------

#define WRAPPING(slot, type)                               \
  LOOPS2(add, slot, type, type, (uint64_t)x + (uint64_t)y) \
  LOOPS3(sub, slot, type, type, (uint64_t)x - (uint64_t)y) \
  LOOPS2(mul, slot, type, type, (uint64_t)x *(uint64_t)y)

#define ORDERED(slot, type)                      \
  LOOPS2(max, slot, type, type, x > y ? x : y)   \
  LOOPS2(min, slot, type, type, x < y ? x : y)   \
  LOOPS2(equal, slot, type, uint8_t, x == y)     \
  LOOPS2(not_equal, slot, type, uint8_t, x != y) \
  LOOPS3(less, slot, type, uint8_t, x < y)       \
  LOOPS3(less_equal, slot, type, uint8_t, x <= y)

// Quotients are taken in a floating point type |real_t| that holds both
// numbers: it is exact enough that the whole part is right, and there are
// vectors for it. 64-bit numbers have none.
#define QUOTIENT(slot, type, real_t, wide_t)                  \
  static BERTH_INLINE type trunc_div_##slot(type x, type y) { \
    const real_t q = (real_t)x / (real_t)(y == 0 ? 1 : y);    \
    return (type)(y == 0 ? 0 : (wide_t)q);                    \
  }                                                           \
  static BERTH_INLINE type trunc_mod_##slot(type x, type y) { \
    const wide_t q = (wide_t)trunc_div_##slot(x, y);          \
    return (type)(y == 0 ? 0 : (wide_t)x - q * (wide_t)y);    \
  }

QUOTIENT(U8, uint8_t, float, int32_t)
QUOTIENT(I8, int8_t, float, int32_t)
QUOTIENT(U16, uint16_t, float, int32_t)
QUOTIENT(I16, int16_t, float, int32_t)

static BERTH_INLINE uint32_t trunc_div_U32(uint32_t x, uint32_t y) {
  return y == 0 ? 0 : x / y;
}
static BERTH_INLINE uint32_t trunc_mod_U32(uint32_t x, uint32_t y) {
  return y == 0 ? 0 : x % y;
}
static BERTH_INLINE uint64_t trunc_div_U64(uint64_t x, uint64_t y) {
  return y == 0 ? 0 : x / y;
}
static BERTH_INLINE uint64_t trunc_mod_U64(uint64_t x, uint64_t y) {
  return y == 0 ? 0 : x % y;
}
// Dividing by -1 wraps where C leaves it open: at the smallest number.
static BERTH_INLINE int64_t trunc_div_I64(int64_t x, int64_t y) {
  if (y == 0) return 0;
  return y == -1 ? (int64_t)(0 - (uint64_t)x) : x / y;
}
static BERTH_INLINE int64_t trunc_mod_I64(int64_t x, int64_t y) {
  return y == 0 || y == -1 ? 0 : x % y;
}

#define SIGNED_FUNCTIONS(slot, type)                                    \
  static BERTH_INLINE type floor_div_##slot(type x, type y) {           \
    const type r = trunc_mod_##slot(x, y);                              \
    return (type)(trunc_div_##slot(x, y) - ((r != 0) & ((r ^ y) < 0))); \
  }                                                                     \
  static BERTH_INLINE type floor_mod_##slot(type x, type y) {           \
    const type r = trunc_mod_##slot(x, y);                              \
    return (type)(((r != 0) & ((r ^ y) < 0)) ? r + y : r);              \
  }

#define POWER(slot, type)                                 \
  static BERTH_INLINE type power_##slot(type x, type y) { \
    uint64_t base = (uint64_t)x, result = 1;              \
    for (; y > 0; y = (type)(y / 2), base *= base) {      \
      if (y % 2 != 0) result *= base;                     \
    }                                                     \
    return (type)result;                                  \
  }                                                       \
  LOOPS3_CALL(pow, slot, type, type, power_##slot(x, y))

#define UNSIGNED_DIVIDING(loops, slot, type)                 \
  loops(trunc_div, slot, type, type, trunc_div_##slot(x, y)) \
      loops(trunc_mod, slot, type, type, trunc_mod_##slot(x, y))

#define SIGNED_DIVIDING(loops, slot, type)                          \
  SIGNED_FUNCTIONS(slot, type)                                      \
  UNSIGNED_DIVIDING(loops, slot, type)                              \
  loops(floor_div, slot, type, type, floor_div_##slot(x, y)) loops( \
      floor_mod, slot, type, type, floor_mod_##slot(x, y)) POWER(slot, type)

#define UNSIGNED(loops, slot, type) \
  WRAPPING(slot, type)              \
  ORDERED(slot, type)               \
  UNSIGNED_DIVIDING(loops, slot, type)

#define SIGNED(loops, slot, type) \
  WRAPPING(slot, type)            \
  ORDERED(slot, type)             \
  SIGNED_DIVIDING(loops, slot, type)

UNSIGNED(LOOPS3, U8, uint8_t)
UNSIGNED(LOOPS3, U16, uint16_t)
UNSIGNED(LOOPS3_CALL, U32, uint32_t)
UNSIGNED(LOOPS3_CALL, U64, uint64_t)
SIGNED(LOOPS3, I8, int8_t)
SIGNED(LOOPS3, I16, int16_t)
SIGNED_DIVIDING(LOOPS3_CALL, I64, int64_t)
POWER(I32, int32_t)
LOOPS2(and, U8, uint8_t, uint8_t, x &y)
LOOPS2(or, U8, uint8_t, uint8_t, x | y)

// --- Real numbers
// --------------------------------------------------------------

#define REAL(slot, type, f)                                        \
  static BERTH_INLINE type floor_mod_##slot(type x, type y) {      \
    type r = fmod##f(x, y);                                        \
    return r != 0 && (r < 0) != (y < 0) ? r + y : r;               \
  }                                                                \
  LOOPS3_CALL(trunc_div, slot, type, type, trunc##f(x / y))        \
  LOOPS3_CALL(trunc_mod, slot, type, type, fmod##f(x, y))          \
  LOOPS3_CALL(floor_mod, slot, type, type, floor_mod_##slot(x, y)) \
  LOOPS3_CALL(pow, slot, type, type, pow##f(x, y))                 \
  LOOPS3(div_no_nan, slot, type, type, y == 0 ? 0 : x / y)         \
  LOOPS3(mul_no_nan, slot, type, type, y == 0 ? 0 : x * y)         \
  LOOPS3(xdivy, slot, type, type, x == 0 ? x : x / y)              \
  LOOPS3_CALL(xlogy, slot, type, type, x == 0 ? x : x * log##f(y)) \
  LOOPS3_CALL(atan2, slot, type, type, atan2##f(x, y))

REAL(F32, float, f)
REAL(F64, double, )

// --- Complex numbers
// -------------------------------------------------------------

// C's product and quotient look for infinities behind NaNs; TensorFlow's do
// not.
static BERTH_INLINE berth_complex64_t quotient_C64(berth_complex64_t x,
                                                   berth_complex64_t y) {
  // A double has room for the squares of all floats.
  const double a = (double)crealf(x), b = (double)cimagf(x);
  const double c = (double)crealf(y), d = (double)cimagf(y);
  const double size = c * c + d * d;
  berth_complex64_t z;
  ((float *)&z)[0] = (float)(size == 0 ? a / size : (a * c + b * d) / size);
  ((float *)&z)[1] = (float)(size == 0 ? b / size : (b * c - a * d) / size);
  return z;
}

static BERTH_INLINE berth_complex128_t quotient_C128(berth_complex128_t x,
                                                     berth_complex128_t y) {
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

#define COMPLEX(slot, type, real_t, f)                                         \
  static BERTH_INLINE type product_##slot(type x, type y) {                    \
    real_t a = creal##f(x), b = cimag##f(x);                                   \
    real_t c = creal##f(y), d = cimag##f(y);                                   \
    type z;                                                                    \
    ((real_t *)&z)[0] = a * c - b * d;                                         \
    ((real_t *)&z)[1] = a * d + b * c;                                         \
    return z;                                                                  \
  }                                                                            \
  LOOPS2(add, slot, type, type, x + y)                                         \
  LOOPS3(sub, slot, type, type, x - y)                                         \
  LOOPS2(mul, slot, type, type, product_##slot(x, y))                          \
  LOOPS3_CALL(div, slot, type, type, quotient_##slot(x, y))                    \
  LOOPS3_CALL(pow, slot, type, type, cpow##f(x, y))                            \
  LOOPS3_CALL(squared, slot, type, type,                                       \
              product_##slot(x - y, conj##f(x - y)))                           \
  LOOPS3_CALL(div_no_nan, slot, type, type,                                    \
              y == 0 ? 0 : quotient_##slot(x, y))                              \
  LOOPS3_CALL(mul_no_nan, slot, type, type, y == 0 ? 0 : product_##slot(x, y)) \
  LOOPS3_CALL(xdivy, slot, type, type, x == 0 ? x : quotient_##slot(x, y))     \
  LOOPS3_CALL(xlogy, slot, type, type,                                         \
              x == 0 ? x : product_##slot(x, clog##f(y)))                      \
  LOOPS3_CALL(equal, slot, type, uint8_t, x == y)                              \
  LOOPS3_CALL(not_equal, slot, type, uint8_t, x != y)

COMPLEX(C64, berth_complex64_t, float, f)
COMPLEX(C128, berth_complex128_t, double, )

// --- The table
// ---------------------------------------------------------------------

#define ENTRY(op, slot, loops) [BERTH_BINARY_##op][BERTH_SLOT_##slot] = loops

#define UNSIGNED_DIVIDING_OF(slot)                        \
  ENTRY(DIV, slot, LOOPS3_OF(trunc_div, slot)),           \
      ENTRY(TRUNC_DIV, slot, LOOPS3_OF(trunc_div, slot)), \
      ENTRY(FLOOR_DIV, slot, LOOPS3_OF(trunc_div, slot)), \
      ENTRY(FLOOR_MOD, slot, LOOPS3_OF(trunc_mod, slot))

#define SIGNED_DIVIDING_OF(slot)                          \
  ENTRY(DIV, slot, LOOPS3_OF(trunc_div, slot)),           \
      ENTRY(TRUNC_DIV, slot, LOOPS3_OF(trunc_div, slot)), \
      ENTRY(TRUNC_MOD, slot, LOOPS3_OF(trunc_mod, slot)), \
      ENTRY(FLOOR_DIV, slot, LOOPS3_OF(floor_div, slot)), \
      ENTRY(FLOOR_MOD, slot, LOOPS3_OF(floor_mod, slot)), \
      ENTRY(POW, slot, LOOPS3_OF(pow, slot))

#define SMALL_OF(slot)                                    \
  ENTRY(ADD, slot, LOOPS2_OF(add, slot)),                 \
      ENTRY(SUB, slot, LOOPS3_OF(sub, slot)),             \
      ENTRY(MUL, slot, LOOPS2_OF(mul, slot)),             \
      ENTRY(MAX, slot, LOOPS2_OF(max, slot)),             \
      ENTRY(MIN, slot, LOOPS2_OF(min, slot)),             \
      ENTRY(EQUAL, slot, LOOPS2_OF(equal, slot)),         \
      ENTRY(NOT_EQUAL, slot, LOOPS2_OF(not_equal, slot)), \
      ENTRY(LESS, slot, LOOPS3_OF(less, slot)),           \
      ENTRY(LESS_EQUAL, slot, LOOPS3_OF(less_equal, slot))

#define NO_NAN_OF(slot)                                     \
  ENTRY(POW, slot, LOOPS3_OF(pow, slot)),                   \
      ENTRY(DIV_NO_NAN, slot, LOOPS3_OF(div_no_nan, slot)), \
      ENTRY(MUL_NO_NAN, slot, LOOPS3_OF(mul_no_nan, slot)), \
      ENTRY(XDIVY, slot, LOOPS3_OF(xdivy, slot)),           \
      ENTRY(XLOGY, slot, LOOPS3_OF(xlogy, slot))

#define REAL_OF(slot)                                     \
  ENTRY(TRUNC_DIV, slot, LOOPS3_OF(trunc_div, slot)),     \
      ENTRY(TRUNC_MOD, slot, LOOPS3_OF(trunc_mod, slot)), \
      ENTRY(FLOOR_MOD, slot, LOOPS3_OF(floor_mod, slot)), \
      ENTRY(ATAN2, slot, LOOPS3_OF(atan2, slot)), NO_NAN_OF(slot)

#define COMPLEX_OF(slot)                                         \
  ENTRY(ADD, slot, LOOPS2_OF(add, slot)),                        \
      ENTRY(SUB, slot, LOOPS3_OF(sub, slot)),                    \
      ENTRY(MUL, slot, LOOPS2_OF(mul, slot)),                    \
      ENTRY(DIV, slot, LOOPS3_OF(div, slot)),                    \
      ENTRY(SQUARED_DIFFERENCE, slot, LOOPS3_OF(squared, slot)), \
      ENTRY(EQUAL, slot, LOOPS3_OF(equal, slot)),                \
      ENTRY(NOT_EQUAL, slot, LOOPS3_OF(not_equal, slot)), NO_NAN_OF(slot)

const berth_loops_t
    berth_cpu_binary_rest[BERTH_BINARY_COUNT][BERTH_SLOT_COUNT] = {
        SMALL_OF(U8),
        UNSIGNED_DIVIDING_OF(U8),
        SMALL_OF(U16),
        UNSIGNED_DIVIDING_OF(U16),
        SMALL_OF(U32),
        UNSIGNED_DIVIDING_OF(U32),
        SMALL_OF(U64),
        UNSIGNED_DIVIDING_OF(U64),
        SMALL_OF(I8),
        SIGNED_DIVIDING_OF(I8),
        SMALL_OF(I16),
        SIGNED_DIVIDING_OF(I16),
        ENTRY(POW, I32, LOOPS3_OF(pow, I32)),
        SIGNED_DIVIDING_OF(I64),
        REAL_OF(F32),
        REAL_OF(F64),
        COMPLEX_OF(C64),
        COMPLEX_OF(C128),
        ENTRY(AND, U8, LOOPS2_OF(and, U8)),
        ENTRY(OR, U8, LOOPS2_OF(or, U8)),
};
