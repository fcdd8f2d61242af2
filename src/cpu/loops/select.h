// select.h - Loops that take each element from one of two inputs.
#ifndef BERTH_CPU_LOOPS_SELECT_H_
#define BERTH_CPU_LOOPS_SELECT_H_

#include <stddef.h>
#include <stdint.h>

// A run of elements: |then| where |condition| is not 0, else |other|. Steps are
// 0 (a single element) or 1.
typedef struct berth_pick {
  const uint8_t *condition;
  const void *then;
  const void *other;
  void *out;
  int64_t count;
  int64_t condition_step, then_step, other_step;
} berth_pick_t;

typedef void (*berth_pick_fn)(const berth_pick_t *pick);

// Returns the loop for elements of |size| bytes: 1, 2, 4, 8 or 16.
berth_pick_fn berth_pick_loop(size_t size);

#endif  // BERTH_CPU_LOOPS_SELECT_H_
