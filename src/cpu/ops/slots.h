// slots.h - Room to work in, one part of the scratch space for each thread.
//
//   [a flag per slot | slot 0 | slot 1 | ...]
//
// A piece of a loop takes a slot and gives it back; there are as many as
// threads were expected when the plan was made, and a piece waits where there
// are more by then.
//
// Threads: any may take and give.
#ifndef BERTH_CPU_OPS_SLOTS_H_
#define BERTH_CPU_OPS_SLOTS_H_

#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>

#include "base/parallel.h"

typedef struct berth_slots {
  int32_t count;  // 0: none are needed.
  int64_t size;   // Bytes of one, a multiple of 64.
} berth_slots_t;

enum { BERTH_SLOT_FLAG = 64 };  // Of a flag: a cache line each.

// Returns slots of |size| bytes for a loop of |pieces|.
static inline berth_slots_t berth_slots_for(int64_t pieces, int64_t size) {
  int64_t threads = berth_parallel_threads();
  return (berth_slots_t){(int32_t)(pieces < threads ? pieces : threads),
                         (size + 63) / 64 * 64};
}

// Returns the bytes that |slots| take at the begin of the scratch space.
static inline int64_t berth_slots_bytes(const berth_slots_t *slots) {
  return slots->count * (BERTH_SLOT_FLAG + slots->size);
}

// Makes all of them free. To be called before the loop.
static inline void berth_slots_clear(const berth_slots_t *slots,
                                     char *scratch) {
  for (int32_t i = 0; i < slots->count; ++i) {
    atomic_flag_clear((atomic_flag *)(scratch + i * BERTH_SLOT_FLAG));
  }
}

// Takes a slot: stores its address and returns what gives it back.
static inline atomic_flag *berth_slots_take(const berth_slots_t *slots,
                                            char *scratch, char **out_space) {
  for (;;) {
    for (int32_t i = 0; i < slots->count; ++i) {
      atomic_flag *flag = (atomic_flag *)(scratch + i * BERTH_SLOT_FLAG);
      if (atomic_flag_test_and_set_explicit(flag, memory_order_acquire)) {
        continue;
      }
      *out_space = scratch + slots->count * BERTH_SLOT_FLAG + i * slots->size;
      return flag;
    }
    sched_yield();
  }
}

static inline void berth_slots_give(atomic_flag *slot) {
  atomic_flag_clear_explicit(slot, memory_order_release);
}

#endif  // BERTH_CPU_OPS_SLOTS_H_
