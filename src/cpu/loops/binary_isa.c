// binary_isa.c - Loops of two inputs for float, double, int32 and int64.
//
// Integers wrap: they are added as unsigned numbers of the same size.
#include "cpu/loops/binary.h"
#include "cpu/loops/loop.h"

// Both give NaN for a NaN on either side, and of equal numbers the right one.
#define MAX(x, y) ((x) > (y) || (x) != (x) ? (x) : (y))
#define MIN(x, y) ((x) < (y) || (x) != (x) ? (x) : (y))

#define FLOATS(slot, type, floor_fn)                   \
  LOOPS2(add, slot, type, type, x + y)                 \
  LOOPS3(sub, slot, type, type, x - y)                 \
  LOOPS2(mul, slot, type, type, x *y)                  \
  LOOPS3(div, slot, type, type, x / y)                 \
  LOOPS3(floor_div, slot, type, type, floor_fn(x / y)) \
  LOOPS3(max, slot, type, type, MAX(x, y))             \
  LOOPS3(min, slot, type, type, MIN(x, y))             \
  LOOPS2(squared, slot, type, type, (x - y) * (x - y)) \
  LOOPS2(equal, slot, type, uint8_t, x == y)           \
  LOOPS2(not_equal, slot, type, uint8_t, x != y)       \
  LOOPS3(less, slot, type, uint8_t, x < y)             \
  LOOPS3(less_equal, slot, type, uint8_t, x <= y)

#define INTEGERS(slot, type, unsigned_type)                              \
  LOOPS2(add, slot, unsigned_type, unsigned_type, x + y)                 \
  LOOPS3(sub, slot, unsigned_type, unsigned_type, x - y)                 \
  LOOPS2(mul, slot, unsigned_type, unsigned_type, x *y)                  \
  LOOPS2(max, slot, type, type, x > y ? x : y)                           \
  LOOPS2(min, slot, type, type, x < y ? x : y)                           \
  LOOPS2(squared, slot, unsigned_type, unsigned_type, (x - y) * (x - y)) \
  LOOPS2(equal, slot, type, uint8_t, x == y)                             \
  LOOPS2(not_equal, slot, type, uint8_t, x != y)                         \
  LOOPS3(less, slot, type, uint8_t, x < y)                               \
  LOOPS3(less_equal, slot, type, uint8_t, x <= y)

FLOATS(F32, float, floorf)
FLOATS(F64, double, floor)
INTEGERS(I32, int32_t, uint32_t)
INTEGERS(I64, int64_t, uint64_t)

// A double holds both numbers and tells their quotients apart; the one that
// does not fit wraps, and nothing is divided by zero.
static BERTH_INLINE int32_t trunc_div_I32(int32_t x, int32_t y) {
  const double q = (double)x / (double)(y == 0 ? 1 : y);
  const double wrapped = q > 2147483647.0 ? -2147483648.0 : q;
  return y == 0 ? 0 : (int32_t)wrapped;
}
static BERTH_INLINE int32_t trunc_mod_I32(int32_t x, int32_t y) {
  const uint32_t q = (uint32_t)trunc_div_I32(x, y);
  return y == 0 ? 0 : (int32_t)((uint32_t)x - q * (uint32_t)y);
}
static BERTH_INLINE int32_t floor_div_I32(int32_t x, int32_t y) {
  const int32_t r = trunc_mod_I32(x, y);
  return trunc_div_I32(x, y) - ((r != 0) & ((r ^ y) < 0));
}
static BERTH_INLINE int32_t floor_mod_I32(int32_t x, int32_t y) {
  const int32_t r = trunc_mod_I32(x, y);
  return ((r != 0) & ((r ^ y) < 0)) ? r + y : r;
}

LOOPS3(trunc_div, I32, int32_t, int32_t, trunc_div_I32(x, y))
LOOPS3(trunc_mod, I32, int32_t, int32_t, trunc_mod_I32(x, y))
LOOPS3(floor_div, I32, int32_t, int32_t, floor_div_I32(x, y))
LOOPS3(floor_mod, I32, int32_t, int32_t, floor_mod_I32(x, y))

#define ENTRY(op, slot, loops) [BERTH_BINARY_##op][BERTH_SLOT_##slot] = loops

#define EVERYWHERE(slot)                                         \
  ENTRY(ADD, slot, LOOPS2_OF(add, slot)),                        \
      ENTRY(SUB, slot, LOOPS3_OF(sub, slot)),                    \
      ENTRY(MUL, slot, LOOPS2_OF(mul, slot)),                    \
      ENTRY(SQUARED_DIFFERENCE, slot, LOOPS2_OF(squared, slot)), \
      ENTRY(EQUAL, slot, LOOPS2_OF(equal, slot)),                \
      ENTRY(NOT_EQUAL, slot, LOOPS2_OF(not_equal, slot)),        \
      ENTRY(LESS, slot, LOOPS3_OF(less, slot)),                  \
      ENTRY(LESS_EQUAL, slot, LOOPS3_OF(less_equal, slot))

#define FLOATS_ONLY(slot)                                 \
  ENTRY(DIV, slot, LOOPS3_OF(div, slot)),                 \
      ENTRY(FLOOR_DIV, slot, LOOPS3_OF(floor_div, slot)), \
      ENTRY(MAX, slot, LOOPS3_OF(max, slot)),             \
      ENTRY(MIN, slot, LOOPS3_OF(min, slot))

#define INTEGERS_ONLY(slot) \
  ENTRY(MAX, slot, LOOPS2_OF(max, slot)), ENTRY(MIN, slot, LOOPS2_OF(min, slot))

#define DIVIDING_I32                                    \
  ENTRY(DIV, I32, LOOPS3_OF(trunc_div, I32)),           \
      ENTRY(TRUNC_DIV, I32, LOOPS3_OF(trunc_div, I32)), \
      ENTRY(TRUNC_MOD, I32, LOOPS3_OF(trunc_mod, I32)), \
      ENTRY(FLOOR_DIV, I32, LOOPS3_OF(floor_div, I32)), \
      ENTRY(FLOOR_MOD, I32, LOOPS3_OF(floor_mod, I32))

const berth_binary_hot_t BERTH_ISA(berth_cpu_binary_hot) = {
    .at = {EVERYWHERE(F32), EVERYWHERE(F64), EVERYWHERE(I32), EVERYWHERE(I64),
           FLOATS_ONLY(F32), FLOATS_ONLY(F64), INTEGERS_ONLY(I32),
           INTEGERS_ONLY(I64), DIVIDING_I32}};
