// select_loops.c - Loops that take each element from one of two inputs.
#include "cpu/loops/select.h"
#include "cpu/loops/vexp.h"

typedef struct pair {
  uint64_t low, high;
} pair_t;

// The condition becomes a mask: a branch would be mispredicted half the time.
#define PICK_LOOP(type, then_value, other_value)         \
  BERTH_VECTOR_LOOP                                      \
  for (int64_t i = 0; i < count; ++i) {                  \
    const type mask = (type)(0 - (uint64_t)(c[i] != 0)); \
    const type a = then_value, b = other_value;          \
    to[i] = (type)((a & mask) | (b & ~mask));            \
  }

#define PICK(name, type)                                        \
  static void name(const berth_pick_t *pick) {                  \
    const uint8_t *c = pick->condition;                         \
    const type *x = pick->then, *y = pick->other;               \
    const type one_x = *x, one_y = *y;                          \
    type *to = pick->out;                                       \
    const int64_t count = pick->count;                          \
    if (pick->condition_step == 0) {                            \
      /* The other case is a copy, which the caller does. */    \
      const type one = *c != 0 ? one_x : one_y;                 \
      for (int64_t i = 0; i < count; ++i) to[i] = one;          \
    } else if (pick->then_step == 0 && pick->other_step == 0) { \
      PICK_LOOP(type, one_x, one_y)                             \
    } else if (pick->then_step == 0) {                          \
      PICK_LOOP(type, one_x, y[i])                              \
    } else if (pick->other_step == 0) {                         \
      PICK_LOOP(type, x[i], one_y)                              \
    } else {                                                    \
      PICK_LOOP(type, x[i], y[i])                               \
    }                                                           \
  }

PICK(pick_1, uint8_t)
PICK(pick_2, uint16_t)
PICK(pick_4, uint32_t)
PICK(pick_8, uint64_t)

static void pick_16(const berth_pick_t *pick) {
  const pair_t *x = pick->then, *y = pick->other;
  pair_t *to = pick->out;
  for (int64_t i = 0; i < pick->count; ++i) {
    to[i] = pick->condition[i * pick->condition_step] != 0
                ? x[i * pick->then_step]
                : y[i * pick->other_step];
  }
}

berth_pick_fn berth_pick_loop(size_t size) {
  switch (size) {
    case 1:
      return pick_1;
    case 2:
      return pick_2;
    case 4:
      return pick_4;
    case 8:
      return pick_8;
    default:
      return pick_16;
  }
}
