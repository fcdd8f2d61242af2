// counter.h - A number that only grows, which threads can wait for.
//
// Advancing releases and reading acquires: whoever sees a value also sees what
// its maker did before. Nothing flows the other way, and that is the point:
// the thread that advances learns nothing of the waiting ones, so two streams
// are ordered by the events between them and by nothing else, and the thread
// sanitizer sees a missing one as a race.
//
//   word   value (31 bits) | somebody sleeps (bit 0)
//
// Having both in one word makes a wake-up impossible to miss without any
// further order between the two sides.
//
// Thread-safe.
#ifndef BERTH_SOFTGPU_COUNTER_H_
#define BERTH_SOFTGPU_COUNTER_H_

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

// Zeroed is valid and counts from 0.
typedef struct berth_soft_counter {
  atomic_uint word;
} berth_soft_counter_t;

// Adds one and wakes those who sleep.
void berth_soft_counter_advance(berth_soft_counter_t *counter);

// True when |counter| has reached |target|. Values wrap around: a target lies
// less than a thousand million ahead.
bool berth_soft_counter_reached(berth_soft_counter_t *counter, uint32_t target);

// Waits until |counter| has reached |target|.
void berth_soft_counter_wait(berth_soft_counter_t *counter, uint32_t target);

// Waits until |counter| has reached |target|, at most for |limit_ns|, and says
// whether it has. The caller does not come after anything that was done before:
// it learns the number and nothing else.
bool berth_soft_counter_glance(berth_soft_counter_t *counter, uint32_t target,
                               int64_t limit_ns);

#endif  // BERTH_SOFTGPU_COUNTER_H_
