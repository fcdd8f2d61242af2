// binary_isa.c - Loops of two inputs for float, double, int32 and int64.
#include "cpu/loops/binary.h"
#include "cpu/loops/binary_scalar.h"
#include "cpu/loops/even.h"
#include "cpu/loops/loop.h"
#include "cpu/loops/varc.h"
#include "cpu/loops/vmod64.h"
#include "cpu/loops/vpower64.h"

// ---- Long functions ----

// The remainders that vectors cannot have (vmod64.h) are the C library's.
static BERTH_ONCE bool are_mods_held(const double *x, const double *y,
                                     int64_t n) {
  int64_t held = 0;
  for (int64_t i = 0; i < n; ++i) held += berth_vfmod64_holds(x[i], y[i]);
  return held == n;
}

static BERTH_ONCE void mods_do(berth_loop_fn loop, bool is_floor,
                               const double *x, const double *y, double *out,
                               int64_t count) {
  double to[BERTH_BLOCK];
  for (int64_t at = 0; at < count; at += BERTH_BLOCK) {
    const int64_t n = count - at < BERTH_BLOCK ? count - at : BERTH_BLOCK;
    const double *left = x + at, *right = y + at;
    loop(left, right, to, n);
    const bool are_held = are_mods_held(left, right, n);
    for (int64_t i = 0; i < n && !are_held; ++i) {
      if (berth_vfmod64_holds(left[i], right[i])) continue;
      const double r = fmod(left[i], right[i]);
      to[i] = is_floor ? berth_vfloor_mod64(r, right[i]) : r;
    }
    memcpy(out + at, to, (size_t)n * sizeof(double));
  }
}

#define LOOP_MOD(name, is_floor, expr)                                        \
  LOOP_BOTH_EVEN(held_##name, F64, double, expr)                              \
  static void loop_##name##_F64_both(const void *a, const void *b, void *out, \
                                     int64_t count) {                         \
    mods_do(loop_held_##name##_F64_both, is_floor, a, b, out, count);         \
  }

// By function: most have loops of double, which do for float, too.
#define BOTH_trunc_mod_F64(expr) LOOP_MOD(trunc_mod, false, berth_vfmod64(x, y))
#define BOTH_floor_mod_F64(expr) \
  LOOP_MOD(floor_mod, true, berth_vfloor_mod64(berth_vfmod64(x, y), y))
#define BOTH_pow_F64(expr) LOOP_BOTH_EVEN(pow, F64, double, berth_vpow64(x, y))
#define BOTH_xlogy_F64(expr) LOOP_BOTH_EVEN(xlogy, F64, double, expr)
#define BOTH_atan2_F64(expr) LOOP_BOTH_EVEN(atan2, F64, double, expr)
#define BOTH_trunc_mod_F32(expr) \
  LOOP_BOTH_IN_DOUBLE(trunc_mod, loop_trunc_mod_F64_both)
#define BOTH_floor_mod_F32(expr) \
  LOOP_BOTH_IN_DOUBLE(floor_mod, loop_floor_mod_F64_both)
#define BOTH_pow_F32(expr)                                         \
  LOOP_BOTH_EVEN(pow_rough, F64, double, berth_vpow64_rough(x, y)) \
  LOOP_BOTH_IN_DOUBLE(pow, loop_pow_rough_F64_both)
#define BOTH_xlogy_F32(expr) LOOP_BOTH_EVEN(xlogy, F32, float, expr)
#define BOTH_atan2_F32(expr) LOOP_BOTH_EVEN(atan2, F32, float, expr)

// Powers that programs write most are products, roots and quotients: what pow
// gives, but for the last bit of a cube and of a root's quotient.
#define POWER(value)                                   \
  do {                                                 \
    BERTH_VECTOR_LOOP                                  \
    for (int64_t i = 0; i < count; ++i) to[i] = value; \
    return;                                            \
  } while (0)
#define LOOP_POWERS(slot, type, root, infinity)                                \
  LOOPS_SPREAD(pow_any, slot, type)                                            \
  static void loop_pow_##slot##_right(const void *a, const void *b, void *out, \
                                      int64_t count) {                         \
    const type *x = a, y = *(const type *)b;                                   \
    type *to = out;                                                            \
    if (y == 1) POWER(x[i]);                                                   \
    if (y == 2) POWER(x[i] * x[i]);                                            \
    if (y == 3) POWER(x[i] * (x[i] * x[i]));                                   \
    if (y == -1) POWER(1 / x[i]);                                              \
    /* Roots of -0 and of the smallest number are what pow makes them. */      \
    if (y == (type)0.5) {                                                      \
      POWER(x[i] == -infinity ? infinity : root(x[i] + 0));                    \
    }                                                                          \
    if (y == (type)-0.5) {                                                     \
      POWER(x[i] == -infinity ? 0 : 1 / root(x[i] + 0));                       \
    }                                                                          \
    loop_pow_any_##slot##_right(a, b, out, count);                             \
  }
#define loop_pow_any_F64_both loop_pow_F64_both
#define loop_pow_any_F32_both loop_pow_F32_both
#define loop_pow_F64_left loop_pow_any_F64_left
#define loop_pow_F32_left loop_pow_any_F32_left

#define SPREAD_pow_F64(type) \
  LOOP_POWERS(F64, type, __builtin_sqrt, __builtin_inf())
#define SPREAD_pow_F32(type) \
  LOOP_POWERS(F32, type, __builtin_sqrtf, __builtin_inff())
#define SPREAD_trunc_mod_F64(type) LOOPS_SPREAD(trunc_mod, F64, type)
#define SPREAD_trunc_mod_F32(type) LOOPS_SPREAD(trunc_mod, F32, type)
#define SPREAD_floor_mod_F64(type) LOOPS_SPREAD(floor_mod, F64, type)
#define SPREAD_floor_mod_F32(type) LOOPS_SPREAD(floor_mod, F32, type)
#define SPREAD_xlogy_F64(type) LOOPS_SPREAD(xlogy, F64, type)
#define SPREAD_xlogy_F32(type) LOOPS_SPREAD(xlogy, F32, type)
#define SPREAD_atan2_F64(type) LOOPS_SPREAD(atan2, F64, type)
#define SPREAD_atan2_F32(type) LOOPS_SPREAD(atan2, F32, type)

#define MAKE_LONG2(name, slot, type, expr) \
  BOTH_##name##_##slot(expr) SPREAD_##name##_##slot(type)
#define MAKE_LONG(order, name, slot, type, expr) \
  MAKE_LONG2(name, slot, type, expr)
#define LIST_LONG(order, name, slot) LOOPS_ENTRY(order, name, slot)

// ---- All others ----

#define MAKE_COMMON(order, name, slot, type, expr) \
  LOOPS_##order(name, slot, type, type, expr)
#define MAKE_COMPARE(order, name, slot, type, expr) \
  LOOPS_##order(name, slot, type, uint8_t, expr)
#define MAKE_BRIEF MAKE_COMMON
#define MAKE_CURVE(order, name, slot, type, expr) \
  LOOP_BOTH_EVEN(name, slot, type, expr)
#define MAKE_DIVIDE(order, name, slot, type, expr) \
  LOOP_BOTH_EVEN(name, slot, type, expr) LOOPS_SPREAD(name, slot, type)
#define MAKE_SHIFT MAKE_DIVIDE
#define MAKE_SLOPE(order, name, slot, type, expr) \
  LOOP_SLOPE(name, slot, type, expr)

#define LIST_COMMON(order, name, slot) LOOPS_ENTRY(order, name, slot)
#define LIST_COMPARE LIST_COMMON
#define LIST_BRIEF LIST_COMMON
#define LIST_CURVE LIST_COMMON
#define LIST_SLOPE(...)
#define LIST_DIVIDE LIST_COMMON
#define LIST_SHIFT LIST_COMMON

#define HAS_COMMON(...) __VA_ARGS__
#define HAS_COMPARE(...) __VA_ARGS__
#define HAS_BRIEF(...) __VA_ARGS__
#define HAS_CURVE(...) __VA_ARGS__
#define HAS_SLOPE(...) __VA_ARGS__
#define HAS_DIVIDE(...) __VA_ARGS__
#define HAS_SHIFT(...) __VA_ARGS__
#define HAS_LONG(...) __VA_ARGS__

#define SLOT F64
#define TYPE double
#define REAL_SLOT
#include "cpu/loops/binary_slot.inc"

#define SLOT F32
#define TYPE float
#define REAL_SLOT
#include "cpu/loops/binary_slot.inc"

#undef HAS_LONG
#define HAS_LONG(...)

// ---- Half and bfloat16: what rounds in between ----

#undef MAKE_BRIEF
#define MAKE_BRIEF MAKE_CURVE
#undef HAS_SLOPE
#define HAS_SLOPE(...)

#define SLOT HALF
#define TYPE float
#define NARROW_SLOT
#include "cpu/loops/binary_slot.inc"

#define SLOT BFLOAT16
#define TYPE float
#define NARROW_SLOT
#include "cpu/loops/binary_slot.inc"

#undef MAKE_BRIEF
#define MAKE_BRIEF MAKE_COMMON

// ---- Integers ----

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
    .half = loops_HALF,
    .bfloat16 = loops_BFLOAT16,
    .slope_f32 = loop_leaky_relu_grad_F32_slope,
    .slope_f64 = loop_leaky_relu_grad_F64_slope};
