// unary_loops.c - Loops of one input for the types and ops in lesser use.
//
// Compiled once, for any CPU.
#include "cpu/loops/loop.h"
#include "cpu/loops/unary.h"
#include "cpu/loops/unary_scalar.h"

#define MAKE_BRIEF(name, slot, type, expr) LOOP1(name, slot, type, type, expr)
#define MAKE_LONG(name, slot, type, expr) \
  LOOP1_CALL(name, slot, type, type, expr)
#define MAKE_QUOTIENT MAKE_LONG

#define HAS_BRIEF(...) __VA_ARGS__
#define HAS_LONG(...) __VA_ARGS__
#define HAS_QUOTIENT(...) __VA_ARGS__

// ---- Small and unsigned integers ----

#define SLOT U8
#define TYPE uint8_t
#define UNSIGNED_SLOT
#define BOOL_SLOT
#include "cpu/loops/unary_slot.inc"

#define SLOT U16
#define TYPE uint16_t
#define UNSIGNED_SLOT
#include "cpu/loops/unary_slot.inc"

#define SLOT U32
#define TYPE uint32_t
#define UNSIGNED_SLOT
#include "cpu/loops/unary_slot.inc"

#define SLOT U64
#define TYPE uint64_t
#define UNSIGNED_SLOT
#include "cpu/loops/unary_slot.inc"

#define SLOT I8
#define TYPE int8_t
#define SIGNED_SLOT
#include "cpu/loops/unary_slot.inc"

#define SLOT I16
#define TYPE int16_t
#define SIGNED_SLOT
#include "cpu/loops/unary_slot.inc"

// ---- Complex numbers ----

#define SLOT C64
#define TYPE berth_complex64_t
#define COMPLEX_SLOT
#include "cpu/loops/unary_slot.inc"

#define SLOT C128
#define TYPE berth_complex128_t
#define COMPLEX_SLOT
#include "cpu/loops/unary_slot.inc"

const berth_loop_fn *const berth_cpu_unary_rest[BERTH_FORM_COUNT] = {
    [BERTH_FORM_U8] = loops_U8,   [BERTH_FORM_U16] = loops_U16,
    [BERTH_FORM_U32] = loops_U32, [BERTH_FORM_U64] = loops_U64,
    [BERTH_FORM_I8] = loops_I8,   [BERTH_FORM_I16] = loops_I16,
    [BERTH_FORM_C64] = loops_C64, [BERTH_FORM_C128] = loops_C128,
};
