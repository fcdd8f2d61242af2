// scalar.h - What the expressions of op/unary_list.inc and op/binary_list.inc
// are made of on the host: FN(exp) is berth_scalar_exp_F32 in the slot F32.
//
// SLOT and TYPE are defined by whoever expands an expression, and so are the
// functions that one or two arguments need: unary_scalar.h, binary_scalar.h.
// Here is what both of them have.
#ifndef BERTH_CPU_LOOPS_SCALAR_H_
#define BERTH_CPU_LOOPS_SCALAR_H_

#include <math.h>
#include <stdint.h>

#include "base/compiler.h"
#include "cpu/loops/vmath.h"

#define FN_PASTE2(name, slot) berth_scalar_##name##_##slot
#define FN_PASTE(name, slot) FN_PASTE2(name, slot)
#define FN(name) FN_PASTE(name, SLOT)
#define T(x) ((TYPE)(x))
#define PICK(a, b) FN(pick)(a, b)
#define ROUND(x) FN(round)(x)
#define INFINITE INFINITY

// Sums of small integers are those of large ones, cut off.
#define UNSIGNED_I8 uint64_t
#define UNSIGNED_I16 uint64_t
#define UNSIGNED_I32 uint32_t
#define UNSIGNED_I64 uint64_t
#define UNSIGNED_U8 uint64_t
#define UNSIGNED_U16 uint64_t
#define UNSIGNED_U32 uint64_t
#define UNSIGNED_U64 uint64_t
#define UNSIGNED_PASTE2(slot) UNSIGNED_##slot
#define UNSIGNED_PASTE(slot) UNSIGNED_PASTE2(slot)
#define U(x) ((UNSIGNED_PASTE(SLOT))(x))

// ---- float and double ----

#define berth_scalar_pick_F32(a, b) a
#define berth_scalar_pick_F64(a, b) b
#define berth_scalar_round_F32(x) (x)
#define berth_scalar_round_F64(x) (x)
#define berth_scalar_floor_F32 floorf
#define berth_scalar_floor_F64 floor
#define berth_scalar_trunc_F32 truncf
#define berth_scalar_trunc_F64 trunc

#define berth_scalar_abs_F32 fabsf
#define berth_scalar_abs_F64 fabs

// ---- half and bfloat16, computed in float ----

// x as the type has it, without leaving float: as berth_float_to_half() and
// back.
static BERTH_INLINE float berth_scalar_round_HALF(float x) {
  const uint32_t bits = berth_float_bits(x) & 0x7fffffffU;
  const float a = berth_float_from_bits(bits);
  const uint32_t up = bits + 0x0fffU + ((bits >> 13) & 1);
  float y = berth_float_from_bits(up & 0xffffe000U);
  y = a < 6.103515625e-05f ? (a + 0.5f) - 0.5f : y;
  y = a >= 65520.0f ? INFINITY : y;
  return x != x ? x : berth_vcopysign(y, x);
}
static BERTH_INLINE float berth_scalar_round_BFLOAT16(float x) {
  const uint32_t bits = berth_float_bits(x);
  const uint32_t up = bits + 0x7fffU + ((bits >> 16) & 1);
  const float y = berth_float_from_bits(up & 0xffff0000U);
  return x != x ? x : y;
}

#define berth_scalar_abs_HALF fabsf
#define berth_scalar_abs_BFLOAT16 fabsf
#define berth_scalar_exp_HALF berth_vexp
#define berth_scalar_exp_BFLOAT16 berth_vexp

#endif  // BERTH_CPU_LOOPS_SCALAR_H_
