// binary_loops.c - Loops of two inputs for the types and ops in lesser use.
//
// Compiled once, for any CPU.
#include "cpu/loops/binary.h"
#include "cpu/loops/binary_scalar.h"
#include "cpu/loops/loop.h"

#define MAKE_COMMON(order, name, slot, type, expr) \
  LOOPS_##order(name, slot, type, type, expr)
#define MAKE_COMPARE(order, name, slot, type, expr) \
  LOOPS_##order(name, slot, type, uint8_t, expr)
#define MAKE_BRIEF MAKE_COMMON
#define MAKE_DIVIDE MAKE_COMMON
#define MAKE_LONG(order, name, slot, type, expr) \
  LOOPS3_CALL(name, slot, type, type, expr)

#define LIST_COMMON(order, name, slot) LOOPS_ENTRY(order, name, slot)
#define LIST_COMPARE LIST_COMMON
#define LIST_BRIEF LIST_COMMON
#define LIST_DIVIDE LIST_COMMON
#define LIST_LONG(order, name, slot) LOOPS_ENTRY(ORDERED, name, slot)

#define HAS_COMMON(...) __VA_ARGS__
#define HAS_COMPARE(...) __VA_ARGS__
#define HAS_BRIEF(...) __VA_ARGS__
#define HAS_DIVIDE(...) __VA_ARGS__
#define HAS_LONG(...) __VA_ARGS__
#define HAS_PLANE(...)

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
#define HAS_COMMON(...)
#define HAS_COMPARE(...)
#define HAS_BRIEF(...)

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
