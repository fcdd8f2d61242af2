// mark.h - A point in a stream that others can wait for.
//
// An event is recorded many times; each time is a mark of its own, so that a
// wait means the recording before it and no later one. Marks are counted, and
// an event takes its old ones again when nobody else holds them: freeing them
// here and now would order the freeing thread after the streams that used
// them, and hide races of the next round (see counter.h).
//
// Thread-safe; every field that two threads see is atomic.
#ifndef BERTH_SOFTGPU_MARK_H_
#define BERTH_SOFTGPU_MARK_H_

#include <stdbool.h>
#include <stdint.h>

#include "softgpu/counter.h"

typedef struct berth_soft_mark {
  berth_soft_counter_t done;  // 1: reached.
  atomic_int references;
  atomic_llong time_ns;          // When it was reached.
  struct berth_soft_mark *next;  // In the list of its event.
} berth_soft_mark_t;

// Returns a mark with one reference, or NULL when there is no memory.
berth_soft_mark_t *berth_soft_mark_create(void);
void berth_soft_mark_retain(berth_soft_mark_t *mark);
void berth_soft_mark_release(berth_soft_mark_t *mark);

// True when the caller has the only reference.
bool berth_soft_mark_is_idle(berth_soft_mark_t *mark);

// Makes an idle mark unreached again.
void berth_soft_mark_reset(berth_soft_mark_t *mark);

// Says that the point has come. Once.
void berth_soft_mark_reach(berth_soft_mark_t *mark);

// True when the point has come; the caller then comes after the work before it.
bool berth_soft_mark_is_reached(berth_soft_mark_t *mark);

// Sleeps until the point has come; the caller then comes after the work before
// it.
void berth_soft_mark_wait(berth_soft_mark_t *mark);

#endif  // BERTH_SOFTGPU_MARK_H_
