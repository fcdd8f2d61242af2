// select_loops.c - Loops that take each element from one of two inputs.
#include "cpu/select.h"
#include "cpu/vexp.h"

typedef struct pair {
  uint64_t low, high;
} pair_t;

// Vectors where everything advances, which is nearly always.
#define PICK(name, type)                                       \
  static void name(const berth_pick_t *pick) {                 \
    const uint8_t *c = pick->condition;                        \
    const type *x = pick->then, *y = pick->other;              \
    type *to = pick->out;                                      \
    const int64_t count = pick->count;                         \
    const int64_t cs = pick->condition_step;                   \
    const int64_t xs = pick->then_step, ys = pick->other_step; \
    if (cs == 1 && xs == 1 && ys == 1) {                       \
      BERTH_VECTOR_LOOP                                        \
      for (int64_t i = 0; i < count; ++i) {                    \
        const type mask = (type)(0 - (uint64_t)(c[i] != 0));   \
        to[i] = (type)((x[i] & mask) | (y[i] & ~mask));        \
      }                                                        \
      return;                                                  \
    }                                                          \
    for (int64_t i = 0; i < count; ++i) {                      \
      to[i] = c[i * cs] != 0 ? x[i * xs] : y[i * ys];          \
    }                                                          \
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
