// unary_isa.c - Loops of one input for float, double, int32 and int64.
#include "cpu/loops/loop.h"
#include "cpu/loops/unary.h"
#include "cpu/loops/unary_scalar.h"

// True when the vector code can reduce all of |count| angles.
static bool are_small(const float *x, int64_t count) {
  int large = 0;
  for (int64_t i = 0; i < count; ++i) {
    large |= !(berth_vabs(x[i]) <= BERTH_VTRIG_LIMIT);
  }
  return large == 0;
}

enum { ANGLES = 256 };  // Looked at together.

// |near| is the function of small angles, |expr| that of all.
#define LOOP1_ANGLE(name, slot, type, expr, near)                           \
  static void loop_##name##_##slot(const void *a, const void *b, void *out, \
                                   int64_t count) {                         \
    (void)b;                                                                \
    for (int64_t at = 0; at < count; at += ANGLES) {                        \
      const type *from = (const type *)a + at;                              \
      type *to = (type *)out + at;                                          \
      const int64_t n = count - at < ANGLES ? count - at : ANGLES;          \
      if (are_small(from, n)) {                                             \
        BERTH_VECTOR_LOOP                                                   \
        for (int64_t i = 0; i < n; ++i) to[i] = near(from[i]);              \
      } else {                                                              \
        for (int64_t i = 0; i < n; ++i) {                                   \
          const type x = from[i];                                           \
          to[i] = expr;                                                     \
        }                                                                   \
      }                                                                     \
    }                                                                       \
  }

#define MAKE_BRIEF(name, slot, type, expr) \
  LOOP1_OF(BERTH_VECTOR_LOOP, name, slot, type, type, expr)
#define MAKE_CURVE MAKE_BRIEF
#define MAKE_ERROR MAKE_BRIEF
#define MAKE_QUESTION(name, slot, type, expr) \
  LOOP1_OF(BERTH_VECTOR_LOOP, name, slot, type, uint8_t, expr)
#define MAKE_ANGLE(name, slot, type, expr) \
  LOOP1_ANGLE(name, slot, type, expr, FN(near_##name))

#define HAS_BRIEF(...) __VA_ARGS__
#define HAS_CURVE(...) __VA_ARGS__
#define HAS_QUESTION(...) __VA_ARGS__
#define HAS_ERROR(...) __VA_ARGS__
#define HAS_ANGLE(...) __VA_ARGS__
#define HAS_LONG(...)

#define SLOT F32
#define TYPE float
#define REAL_SLOT
#include "cpu/loops/unary_slot.inc"

// These have no vectors in double.
#undef HAS_ERROR
#undef HAS_ANGLE
#define HAS_ERROR(...)
#define HAS_ANGLE(...)

#define SLOT F64
#define TYPE double
#define REAL_SLOT
#include "cpu/loops/unary_slot.inc"

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
           [BERTH_FORM_I64] = loops_I64}};
