// loop.h - Templates of loops over elements.
//
// An expression over x and y becomes the functions of a berth_loops_t. They are
// static; tables refer to them by name.
//
//   LOOPS3(sub, F32, float, float, x - y)   loop_sub_F32_both, …_right, …_left
//   [at_sub] = LOOPS3_OF(sub, F32)
#ifndef BERTH_CPU_LOOPS_LOOP_H_
#define BERTH_CPU_LOOPS_LOOP_H_

#include <stdint.h>

#include "cpu/loops/vexp.h"

// |hint| is BERTH_VECTOR_LOOP, or nothing for what calls functions.
#define LOOP_BOTH(hint, op, slot, in_t, out_t, expr)                  \
  static void loop_##op##_##slot##_both(const void *a, const void *b, \
                                        void *out, int64_t count) {   \
    const in_t *left = a;                                             \
    const in_t *right = b;                                            \
    out_t *to = out;                                                  \
    hint for (int64_t i = 0; i < count; ++i) {                        \
      const in_t x = left[i], y = right[i];                           \
      to[i] = (out_t)(expr);                                          \
    }                                                                 \
  }

#define LOOP_RIGHT(hint, op, slot, in_t, out_t, expr)                  \
  static void loop_##op##_##slot##_right(const void *a, const void *b, \
                                         void *out, int64_t count) {   \
    const in_t *left = a;                                              \
    const in_t y = *(const in_t *)b;                                   \
    out_t *to = out;                                                   \
    hint for (int64_t i = 0; i < count; ++i) {                         \
      const in_t x = left[i];                                          \
      to[i] = (out_t)(expr);                                           \
    }                                                                  \
  }

#define LOOP_LEFT(hint, op, slot, in_t, out_t, expr)                  \
  static void loop_##op##_##slot##_left(const void *a, const void *b, \
                                        void *out, int64_t count) {   \
    const in_t x = *(const in_t *)a;                                  \
    const in_t *right = b;                                            \
    out_t *to = out;                                                  \
    hint for (int64_t i = 0; i < count; ++i) {                        \
      const in_t y = right[i];                                        \
      to[i] = (out_t)(expr);                                          \
    }                                                                 \
  }

// Ops whose inputs may change places.
#define LOOPS2(op, slot, in_t, out_t, expr)                 \
  LOOP_BOTH(BERTH_VECTOR_LOOP, op, slot, in_t, out_t, expr) \
  LOOP_RIGHT(BERTH_VECTOR_LOOP, op, slot, in_t, out_t, expr)
#define LOOPS2_OF(op, slot) \
  { loop_##op##_##slot##_both, loop_##op##_##slot##_right, NULL }

// Ops whose inputs may not.
#define LOOPS3(op, slot, in_t, out_t, expr) \
  LOOPS2(op, slot, in_t, out_t, expr)       \
  LOOP_LEFT(BERTH_VECTOR_LOOP, op, slot, in_t, out_t, expr)
// The same for expressions that call functions.
#define LOOPS3_CALL(op, slot, in_t, out_t, expr) \
  LOOP_BOTH(, op, slot, in_t, out_t, expr)       \
  LOOP_RIGHT(, op, slot, in_t, out_t, expr)      \
  LOOP_LEFT(, op, slot, in_t, out_t, expr)
// Ops of inputs that are alike.
#define LOOPS1(op, slot, in_t, out_t, expr) \
  LOOP_BOTH(BERTH_VECTOR_LOOP, op, slot, in_t, out_t, expr)
#define LOOPS1_OF(op, slot) \
  { loop_##op##_##slot##_both, NULL, NULL }
// By the order of their arguments, as op/binary_list.inc has it.
#define LOOPS_ALIKE LOOPS1
#define LOOPS_EITHER LOOPS2
#define LOOPS_ORDERED LOOPS3
#define LOOPS3_OF(op, slot)                                \
  {                                                        \
    loop_##op##_##slot##_both, loop_##op##_##slot##_right, \
        loop_##op##_##slot##_left                          \
  }

// Ops of inputs that are alike, with |parameter|, of the type of the elements.
#define LOOP_SLOPE(op, slot, type, expr)                               \
  static void loop_##op##_##slot##_slope(const void *a, const void *b, \
                                         const void *with, void *out,  \
                                         int64_t count) {              \
    const type *left = a;                                              \
    const type *right = b;                                             \
    const type parameter = *(const type *)with;                        \
    type *to = out;                                                    \
    BERTH_VECTOR_LOOP                                                  \
    for (int64_t i = 0; i < count; ++i) {                              \
      const type x = left[i], y = right[i];                            \
      to[i] = (type)(expr);                                            \
    }                                                                  \
  }

// Ops of one input.
#define LOOP1_HINT(hint, op, slot, in_t, out_t, expr)                     \
  static void loop_##op##_##slot(const void *a, const void *b, void *out, \
                                 int64_t count) {                         \
    const in_t *from = a;                                                 \
    out_t *to = out;                                                      \
    (void)b;                                                              \
    hint for (int64_t i = 0; i < count; ++i) {                            \
      const in_t x = from[i];                                             \
      to[i] = (out_t)(expr);                                              \
    }                                                                     \
  }
#define LOOP1(op, slot, in_t, out_t, expr) \
  LOOP1_HINT(BERTH_VECTOR_LOOP, op, slot, in_t, out_t, expr)
#define LOOP1_CALL(op, slot, in_t, out_t, expr) \
  LOOP1_HINT(, op, slot, in_t, out_t, expr)

// The same with |parameter|, of the type of the elements.
#define LOOP1_OF(hint, op, slot, in_t, out_t, expr)                       \
  static void loop_##op##_##slot(const void *a, const void *b, void *out, \
                                 int64_t count) {                         \
    const in_t *from = a;                                                 \
    const in_t parameter = b != NULL ? *(const in_t *)b : 0;              \
    out_t *to = out;                                                      \
    (void)parameter;                                                      \
    hint for (int64_t i = 0; i < count; ++i) {                            \
      const in_t x = from[i];                                             \
      to[i] = (out_t)(expr);                                              \
    }                                                                     \
  }

// ---- Tables of what the lists of op/ have ----

// loops_F32[BERTH_UNARY_COUNT], with [at_neg] = loop_neg_F32.
#define SLOT_TABLE2(slot) loops_##slot
#define SLOT_TABLE(slot) SLOT_TABLE2(slot)
#define SLOT_ENTRY2(name, slot) [at_##name] = loop_##name##_##slot,
#define SLOT_ENTRY(name, slot) SLOT_ENTRY2(name, slot)
#define LOOPS_ENTRY_ALIKE(name, slot) [at_##name] = LOOPS1_OF(name, slot),
#define LOOPS_ENTRY_EITHER(name, slot) [at_##name] = LOOPS2_OF(name, slot),
#define LOOPS_ENTRY_ORDERED(name, slot) [at_##name] = LOOPS3_OF(name, slot),
#define LOOPS_ENTRY(order, name, slot) LOOPS_ENTRY_##order(name, slot)

#endif  // BERTH_CPU_LOOPS_LOOP_H_
