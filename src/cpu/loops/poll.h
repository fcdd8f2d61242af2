// poll.h - Letting go in the middle of a long loop.
//
// A run is asked whether it has ended between steps and between the pieces of a
// parallel loop. A kernel that does without such a loop, or whose single piece
// may take long, asks here every BERTH_CPU_POLL elements, and leaves the rest
// undone when it is told so: the run looks before it uses what was made.
#ifndef BERTH_CPU_LOOPS_POLL_H_
#define BERTH_CPU_LOOPS_POLL_H_

#include "base/parallel.h"
#include "kernel/kernel.h"

// Elements that take a few milliseconds at most, whatever is done with each. A
// power of two.
enum { BERTH_CPU_POLL = 1 << 16 };

// True when the run of |call| has ended.
static inline bool berth_cpu_has_ended(const berth_call_t *call) {
  return (call->cancelled != NULL &&
          atomic_load_explicit(call->cancelled, memory_order_relaxed) != 0) ||
         berth_parallel_poll();
}

// The same for element |i| of a loop, looking now and then.
static inline bool berth_cpu_ends_at(const berth_call_t *call, int64_t i) {
  return (i & (BERTH_CPU_POLL - 1)) == BERTH_CPU_POLL - 1 &&
         berth_cpu_has_ended(call);
}

// What a kernel returns that has no outputs to hand out.
static inline berth_code_t berth_cpu_ended(const berth_call_t *call) {
  return berth_error_set(call->err, BERTH_CANCELLED, "Run call was cancelled");
}

#endif  // BERTH_CPU_LOOPS_POLL_H_
