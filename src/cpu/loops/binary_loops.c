// binary_loops.c - Loops of two inputs for the types and ops in lesser use.
//
// Compiled once, for any CPU.
#include "cpu/loops/binary.h"
#include "cpu/loops/binary_scalar.h"
#include "cpu/loops/even.h"
#include "cpu/loops/loop.h"

#define MAKE_COMMON(order, name, slot, type, expr) \
  LOOPS_##order(name, slot, type, type, expr)
#define MAKE_COMPARE(order, name, slot, type, expr) \
  LOOPS_##order(name, slot, type, uint8_t, expr)
#define MAKE_BRIEF MAKE_COMMON
#define MAKE_DIVIDE MAKE_COMMON
#define MAKE_LONG(order, name, slot, type, expr) \
  LOOPS3_CALL(name, slot, type, type, expr)

#define MAKE_SHIFT2(name, slot, type)                                   \
  static void loop_##name##_##slot##_both(const void *a, const void *b, \
                                          void *out, int64_t count) {   \
    shift_##slot((berth_binary_op_t)at_##name, a, b, out, count);       \
  }                                                                     \
  LOOPS_SPREAD(name, slot, type)
#define MAKE_SHIFT(order, name, slot, type, expr) MAKE_SHIFT2(name, slot, type)

#define LIST_COMMON(order, name, slot) LOOPS_ENTRY(order, name, slot)
#define LIST_COMPARE LIST_COMMON
#define LIST_BRIEF LIST_COMMON
#define LIST_DIVIDE LIST_COMMON
#define LIST_SHIFT LIST_COMMON
#define LIST_LONG(order, name, slot) LOOPS_ENTRY(ORDERED, name, slot)

#define HAS_COMMON(...) __VA_ARGS__
#define HAS_COMPARE(...) __VA_ARGS__
#define HAS_BRIEF(...) __VA_ARGS__
#define HAS_DIVIDE(...) __VA_ARGS__
#define HAS_SHIFT(...) __VA_ARGS__
#define HAS_LONG(...) __VA_ARGS__
#define HAS_PLANE(...)

// ---- Shifts ----

// Only int32 and int64 have loops of the instruction sets, which others go
// through in blocks.
#define SHIFT(slot, type, dtype)                                             \
  static void shift_##slot(berth_binary_op_t op, const type *left,           \
                           const type *right, type *to, int64_t count) {     \
    const berth_loop_fn loop = berth_binary_loops(op, dtype)->both;          \
    const type last = sizeof(type) * 8 - 1;                                  \
    int32_t x[BERTH_BLOCK], y[BERTH_BLOCK];                                  \
    for (int64_t at = 0; at < count; at += BERTH_BLOCK) {                    \
      const int64_t n = count - at < BERTH_BLOCK ? count - at : BERTH_BLOCK; \
      for (int64_t i = 0; i < n; ++i) {                                      \
        x[i] = left[at + i];                                                 \
        y[i] = right[at + i] > last ? last : right[at + i];                  \
      }                                                                      \
      loop(x, y, x, n);                                                      \
      for (int64_t i = 0; i < n; ++i) to[at + i] = (type)x[i];               \
    }                                                                        \
  }
SHIFT(U8, uint8_t, BERTH_INT32)
SHIFT(I8, int8_t, BERTH_INT32)
SHIFT(U16, uint16_t, BERTH_INT32)
SHIFT(I16, int16_t, BERTH_INT32)

// Numbers that fill them have no sign: a large |right| one loses its uppermost
// bit to the one below, and to the right the bits that the least number fills
// in are taken out again where there are any.
#define SHIFT_FREE(slot, type, dtype)                                        \
  static void shift_##slot(berth_binary_op_t op, const type *left,           \
                           const type *right, type *to, int64_t count) {     \
    const berth_loop_fn loop = berth_binary_loops(op, dtype)->both;          \
    const int last = (int)sizeof(type) * 8 - 1;                              \
    type y[BERTH_BLOCK], least[BERTH_BLOCK], fill[BERTH_BLOCK];              \
    for (int i = 0; i < BERTH_BLOCK; ++i) least[i] = (type)1 << last;        \
    for (int64_t at = 0; at < count; at += BERTH_BLOCK) {                    \
      const int64_t n = count - at < BERTH_BLOCK ? count - at : BERTH_BLOCK; \
      type all = 0;                                                          \
      for (int64_t i = 0; i < n; ++i) {                                      \
        const type by = right[at + i];                                       \
        all |= left[at + i];                                                 \
        y[i] = (by & ~least[0]) | (by >> last << (last - 1));                \
      }                                                                      \
      loop(left + at, y, to + at, n);                                        \
      if (op != BERTH_BINARY_RIGHT_SHIFT || all >> last == 0) continue;      \
      loop(least, y, fill, n);                                               \
      for (int64_t i = 0; i < n; ++i) to[at + i] &= ~(fill[i] << 1);         \
    }                                                                        \
  }
SHIFT_FREE(U32, uint32_t, BERTH_INT32)
SHIFT_FREE(U64, uint64_t, BERTH_INT64)

// ---- Small integers ----

#define SLOT U8
#define TYPE uint8_t
#define UNSIGNED_SLOT
#define BOOL_SLOT
#include "cpu/loops/binary_slot.inc"

#define SLOT U16
#define TYPE uint16_t
#define UNSIGNED_SLOT
#include "cpu/loops/binary_slot.inc"

#define SLOT I8
#define TYPE int8_t
#define SIGNED_SLOT
#include "cpu/loops/binary_slot.inc"

#define SLOT I16
#define TYPE int16_t
#define SIGNED_SLOT
#include "cpu/loops/binary_slot.inc"

// ---- Unsigned integers that have no vectors that divide ----

#undef MAKE_DIVIDE
#undef LIST_DIVIDE
#define MAKE_DIVIDE MAKE_LONG
#define LIST_DIVIDE LIST_LONG

#define SLOT U32
#define TYPE uint32_t
#define UNSIGNED_SLOT
#include "cpu/loops/binary_slot.inc"

#define SLOT U64
#define TYPE uint64_t
#define UNSIGNED_SLOT
#include "cpu/loops/binary_slot.inc"

// ---- Complex numbers ----

#undef MAKE_COMPARE
#undef LIST_COMPARE
#define MAKE_COMPARE(order, name, slot, type, expr) \
  LOOPS3_CALL(name, slot, type, uint8_t, expr)
#define LIST_COMPARE LIST_LONG

#define SLOT C64
#define TYPE berth_complex64_t
#define COMPLEX_SLOT
#include "cpu/loops/binary_slot.inc"

#define SLOT C128
#define TYPE berth_complex128_t
#define COMPLEX_SLOT
#include "cpu/loops/binary_slot.inc"

// ---- What the instruction sets have no vectors for ----

#undef HAS_COMMON
#undef HAS_COMPARE
#undef HAS_BRIEF
#undef HAS_SHIFT
#define HAS_COMMON(...)
#define HAS_COMPARE(...)
#define HAS_BRIEF(...)
#define HAS_SHIFT(...)

#define SLOT I64
#define TYPE int64_t
#define SIGNED_SLOT
#include "cpu/loops/binary_slot.inc"

#undef HAS_DIVIDE
#define HAS_DIVIDE(...)

#define SLOT I32
#define TYPE int32_t
#define SIGNED_SLOT
#include "cpu/loops/binary_slot.inc"

const berth_loops_t *const berth_cpu_binary_rest[BERTH_FORM_COUNT] = {
    [BERTH_FORM_I32] = loops_I32, [BERTH_FORM_I64] = loops_I64,
    [BERTH_FORM_U8] = loops_U8,   [BERTH_FORM_I8] = loops_I8,
    [BERTH_FORM_U16] = loops_U16, [BERTH_FORM_I16] = loops_I16,
    [BERTH_FORM_U32] = loops_U32, [BERTH_FORM_U64] = loops_U64,
    [BERTH_FORM_C64] = loops_C64, [BERTH_FORM_C128] = loops_C128,
};
