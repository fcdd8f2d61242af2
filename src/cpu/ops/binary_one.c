// binary_one.c - Functions of two arguments for a single element of each input.
#include "cpu/ops/binary_one.h"

#include "cpu/loops/binary_scalar.h"

#define ONE(order, name, slot, in_t, out_t, left, right, expr)   \
  static berth_code_t order##_##name##_##slot(                   \
      const void *plan, void *const *args, berth_call_t *call) { \
    (void)plan;                                                  \
    (void)call;                                                  \
    const in_t x = *(const in_t *)args[left];                    \
    const in_t y = *(const in_t *)args[right];                   \
    *(out_t *)args[2] = (out_t)(expr);                           \
    return BERTH_OK;                                             \
  }
#define ONE_ENTRY(name, slot) [at_##name] = {one_##name##_##slot, NULL},
#define BOTH_ENTRY(name, slot) \
  [at_##name] = {one_##name##_##slot, swapped_##name##_##slot},

#define MAKE_COMMON(name, slot, type, expr) \
  ONE(one, name, slot, type, type, 0, 1, expr)
#define MAKE_COMPARE(name, slot, type, expr)      \
  ONE(one, name, slot, type, uint8_t, 0, 1, expr) \
  ONE(swapped, name, slot, type, uint8_t, 1, 0, expr)
#define LIST_COMMON(name, slot) ONE_ENTRY(name, slot)
#define LIST_COMPARE(name, slot) BOTH_ENTRY(name, slot)

// Others are long enough for a loop.
#define MAKE_BRIEF(...)
#define MAKE_CURVE(...)
#define MAKE_SLOPE(...)
#define MAKE_DIVIDE(...)
#define MAKE_SHIFT(...)
#define MAKE_LONG(...)
#define LIST_BRIEF(...)
#define LIST_CURVE(...)
#define LIST_SLOPE(...)
#define LIST_DIVIDE(...)
#define LIST_SHIFT(...)
#define LIST_LONG(...)

#define ONES2(slot) ones_##slot
#define ONES(slot) ONES2(slot)

#define SLOT F32
#define TYPE float
#define REAL_SLOT
#include "cpu/ops/binary_one.inc"

#define SLOT F64
#define TYPE double
#define REAL_SLOT
#include "cpu/ops/binary_one.inc"

#define SLOT I32
#define TYPE int32_t
#include "cpu/ops/binary_one.inc"

#define SLOT I64
#define TYPE int64_t
#include "cpu/ops/binary_one.inc"

berth_run_fn berth_binary_one(berth_binary_op_t op, berth_form_t slot,
                              bool swap) {
  switch (slot) {
    case BERTH_FORM_F32:
      return ones_F32[op][swap];
    case BERTH_FORM_F64:
      return ones_F64[op][swap];
    case BERTH_FORM_I32:
      return ones_I32[op][swap];
    case BERTH_FORM_I64:
      return ones_I64[op][swap];
    default:
      return NULL;
  }
}
