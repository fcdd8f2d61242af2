// unary_isa.c - Loops of one input for float, double, int32 and int64, and
// those of half and bfloat16.
#include "cpu/loops/even.h"
#include "cpu/loops/loop.h"
#include "cpu/loops/unary.h"
#include "cpu/loops/unary_scalar.h"

enum { ANGLES = 256 };  // Looked at together.

// Defines loop_<name>_<slot>() over |near|, which is a loop of small angles,
// and |far|, a function of all: what comes out of an angle does not depend on
// those beside it.
#define SWEEP_ANGLES(slot, type, limit)                                       \
  static BERTH_ONCE void angles_##slot(berth_loop_fn near, type (*far)(type), \
                                       const type *from, type *to,            \
                                       int64_t count) {                       \
    for (int64_t at = 0; at < count; at += ANGLES) {                          \
      type kept[ANGLES];                                                      \
      const int64_t n = count - at < ANGLES ? count - at : ANGLES;            \
      int large = 0;                                                          \
      for (int64_t i = 0; i < n; ++i) {                                       \
        kept[i] = from[at + i];                                               \
        large |= !(FN(abs)(kept[i]) <= limit);                                \
      }                                                                       \
      near(kept, NULL, to + at, n);                                           \
      for (int64_t i = 0; i < n && large != 0; ++i) {                         \
        if (!(FN(abs)(kept[i]) <= limit)) to[at + i] = far(kept[i]);          \
      }                                                                       \
    }                                                                         \
  }
#define SLOT F32
SWEEP_ANGLES(F32, float, BERTH_VTRIG_LIMIT)
#undef SLOT
#define SLOT F64
SWEEP_ANGLES(F64, double, BERTH_VTRIG_LIMIT64)
#undef SLOT

#define LOOP1_ANGLE(name, slot, type, near, far)                            \
  LOOP1_EVEN(near_##name, slot, type, near(x))                              \
  static void loop_##name##_##slot(const void *a, const void *b, void *out, \
                                   int64_t count) {                         \
    (void)b;                                                                \
    angles_##slot(loop_near_##name##_##slot, far, a, out, count);           \
  }

// The error functions; doubles that are all near 0 go without what others need.
#define ERROR_erf_F64(expr)                                            \
  LOOP1_EVEN(far_erf, F64, double, expr)                               \
  LOOP1_EVEN(near_erf, F64, double, berth_verf64_near(x))              \
  static void loop_erf_F64(const void *a, const void *b, void *out,    \
                           int64_t count) {                            \
    enum { TOGETHER = 64 };                                            \
    const double *from = a;                                            \
    for (int64_t at = 0; at < count; at += TOGETHER) {                 \
      const int64_t n = count - at < TOGETHER ? count - at : TOGETHER; \
      int64_t far = 0;                                                 \
      for (int64_t i = 0; i < n; ++i) {                                \
        far += berth_vabs64(from[at + i]) <= 1.0 ? 0 : 1;              \
      }                                                                \
      (far != 0 ? loop_far_erf_F64 : loop_near_erf_F64)(               \
          from + at, b, (double *)out + at, n);                        \
    }                                                                  \
  }
#define ERROR_erfc_F64(expr) LOOP1_EVEN(erfc, F64, double, expr)
#define ERROR_erf_F32(expr) LOOP1_EVEN(erf, F32, float, expr)
#define ERROR_erfc_F32(expr) LOOP1_EVEN(erfc, F32, float, expr)

#define MAKE_BRIEF(name, slot, type, expr) \
  LOOP1_OF(BERTH_VECTOR_LOOP, name, slot, type, type, expr)
#define MAKE_CURVE(name, slot, type, expr) LOOP1_EVEN(name, slot, type, expr)
#define MAKE_ERROR2(name, slot, type, expr) ERROR_##name##_##slot(expr)
#define MAKE_ERROR(name, slot, type, expr) MAKE_ERROR2(name, slot, type, expr)
#define MAKE_LONG MAKE_CURVE
#define MAKE_QUESTION(name, slot, type, expr) \
  LOOP1_OF(BERTH_VECTOR_LOOP, name, slot, type, uint8_t, expr)
#define MAKE_ANGLE2(name, slot, type, near, far) \
  LOOP1_ANGLE(name, slot, type, near, far)
#define MAKE_ANGLE(name, slot, type, expr) \
  MAKE_ANGLE2(name, slot, type, FN(near_##name), FN(name))

#define HAS_BRIEF(...) __VA_ARGS__
#define HAS_CURVE(...) __VA_ARGS__
#define HAS_QUESTION(...) __VA_ARGS__
#define HAS_ERROR(...) __VA_ARGS__
#define HAS_ANGLE(...) __VA_ARGS__
#define HAS_LONG(...) __VA_ARGS__

#define SLOT F64
#define TYPE double
#define REAL_SLOT
#include "cpu/loops/unary_slot.inc"

// Of float these are computed in double.
#undef MAKE_LONG
#define MAKE_LONG(name, slot, type, expr) LOOP1_IN_DOUBLE(name)

#define SLOT F32
#define TYPE float
#define REAL_SLOT
#include "cpu/loops/unary_slot.inc"

// Of half and bfloat16 those that round in between.
#undef MAKE_LONG
#define MAKE_LONG MAKE_CURVE

#define SLOT HALF
#define TYPE float
#define NARROW_SLOT
#include "cpu/loops/unary_slot.inc"

#define SLOT BFLOAT16
#define TYPE float
#define NARROW_SLOT
#include "cpu/loops/unary_slot.inc"

#undef HAS_LONG
#define HAS_LONG(...)

// Without a parameter.
#undef MAKE_BRIEF
#define MAKE_BRIEF(name, slot, type, expr) LOOP1(name, slot, type, type, expr)

#define SLOT I32
#define TYPE int32_t
#define SIGNED_SLOT
#include "cpu/loops/unary_slot.inc"

#define SLOT I64
#define TYPE int64_t
#define SIGNED_SLOT
#include "cpu/loops/unary_slot.inc"

const berth_unary_hot_t BERTH_ISA(berth_cpu_unary_hot) = {
    .at = {[BERTH_FORM_F32] = loops_F32,
           [BERTH_FORM_F64] = loops_F64,
           [BERTH_FORM_I32] = loops_I32,
           [BERTH_FORM_I64] = loops_I64},
    .half = loops_HALF,
    .bfloat16 = loops_BFLOAT16};
