// timeline.h - How far the work of a device has come.
//
// Work that a device does in order (one stream of it) has a timeline: a number
// for everything handed to it, its ticket, and a way to ask which tickets have
// passed. A pool notes the tickets when memory falls idle, and moves or returns
// that memory only when all of them have passed, because work that was handed
// over before may still touch it. The memory room knows no streams; this is all
// it needs of them.
//
// Threads: thread-safe.
#ifndef BERTH_MEMORY_TIMELINE_H_
#define BERTH_MEMORY_TIMELINE_H_

#include <stdatomic.h>
#include <stdint.h>

#include "base/error.h"

typedef struct berth_timeline berth_timeline_t;

// Embedded at the start of whatever a stream needs to remember.
struct berth_timeline {
  // Ticket of the latest work handed over. The device raises it before whoever
  // handed the work over can release memory that the work uses.
  _Atomic uint64_t submitted;

  // Required. Returns the largest ticket up to which all work is done. Does not
  // block; called without a pool's lock.
  uint64_t (*passed)(berth_timeline_t *timeline);

  // Required. Blocks until |ticket| has passed. Fails when it never will,
  // because the device is lost, and with BERTH_CANCELLED when the scope of the
  // thread (base/parallel.h) says to stop. Called without a pool's lock.
  berth_code_t (*wait)(berth_timeline_t *timeline, uint64_t ticket,
                       berth_error_t *err);
};

#endif  // BERTH_MEMORY_TIMELINE_H_
