// fault.h - Fault points: places that can be told to fail.
//
// A fault point is named after what it guards ("alloc", "mmap", "thread").
// Tests arm it to fail once at the Nth pass, and count the passes of a whole
// scenario, so that every failure of it can be tried in turn. In release builds
// the check is one load of a flag that is never set.
//
// BERTH_FAULT=alloc:17 in the environment arms one for a whole process.
//
// Threads: passes are counted across threads.
#ifndef BERTH_BASE_FAULT_H_
#define BERTH_BASE_FAULT_H_

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"

extern atomic_bool berth_fault_armed;

// Counts a pass of the point called |name|; true when this one must fail.
bool berth_fault_pass(const char *name);

// True when the fault point called |name| must fail now.
static inline bool berth_fault(const char *name) {
  return BERTH_UNLIKELY(
             atomic_load_explicit(&berth_fault_armed, memory_order_relaxed)) &&
         berth_fault_pass(name);
}

// Arms |name| (NULL: every point) to fail at its |nth| pass from here on, the
// first being 1; 0 only counts. Resets the counters.
void berth_fault_arm(const char *name, int64_t nth);

// Disarms everything and returns how many passes the armed point has seen.
int64_t berth_fault_disarm(void);

#endif  // BERTH_BASE_FAULT_H_
