// binary_isa.c - Loops of two inputs for float, double, int32 and int64.
#include "cpu/loops/binary.h"
#include "cpu/loops/binary_scalar.h"
#include "cpu/loops/loop.h"

#define MAKE_COMMON(order, name, slot, type, expr) \
  LOOPS_##order(name, slot, type, type, expr)
#define MAKE_COMPARE(order, name, slot, type, expr) \
  LOOPS_##order(name, slot, type, uint8_t, expr)
#define MAKE_BRIEF MAKE_COMMON
#define MAKE_CURVE MAKE_COMMON
#define MAKE_DIVIDE MAKE_COMMON
#define MAKE_SLOPE(order, name, slot, type, expr) \
  LOOP_SLOPE(name, slot, type, expr)

#define LIST_COMMON(order, name, slot) LOOPS_ENTRY(order, name, slot)
#define LIST_COMPARE LIST_COMMON
#define LIST_BRIEF LIST_COMMON
#define LIST_CURVE LIST_COMMON
#define LIST_SLOPE(...)
#define LIST_DIVIDE LIST_COMMON

#define HAS_COMMON(...) __VA_ARGS__
#define HAS_COMPARE(...) __VA_ARGS__
#define HAS_BRIEF(...) __VA_ARGS__
#define HAS_CURVE(...) __VA_ARGS__
#define HAS_SLOPE(...) __VA_ARGS__
#define HAS_DIVIDE(...) __VA_ARGS__
#define HAS_LONG(...)

#define SLOT F32
#define TYPE float
#define REAL_SLOT
#include "cpu/loops/binary_slot.inc"

#define SLOT F64
#define TYPE double
#define REAL_SLOT
#include "cpu/loops/binary_slot.inc"

#define SLOT I32
#define TYPE int32_t
#define SIGNED_SLOT
#include "cpu/loops/binary_slot.inc"

// 64-bit numbers have no vectors that divide.
#undef HAS_DIVIDE
#define HAS_DIVIDE(...)

#define SLOT I64
#define TYPE int64_t
#define SIGNED_SLOT
#include "cpu/loops/binary_slot.inc"

const berth_binary_hot_t BERTH_ISA(berth_cpu_binary_hot) = {
    .at = {[BERTH_FORM_F32] = loops_F32,
           [BERTH_FORM_F64] = loops_F64,
           [BERTH_FORM_I32] = loops_I32,
           [BERTH_FORM_I64] = loops_I64},
    .slope_f32 = loop_leaky_relu_grad_F32_slope,
    .slope_f64 = loop_leaky_relu_grad_F64_slope};
