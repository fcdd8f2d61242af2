// mark.c - A point in a stream that others can wait for.
#include "softgpu/mark.h"

#include <stddef.h>

#include "base/alloc.h"
#include "base/clock.h"

berth_soft_mark_t *berth_soft_mark_create(void) {
  berth_soft_mark_t *mark = berth_calloc(1, sizeof(*mark));
  if (mark != NULL) atomic_init(&mark->references, 1);
  return mark;
}

void berth_soft_mark_retain(berth_soft_mark_t *mark) {
  atomic_fetch_add_explicit(&mark->references, 1, memory_order_relaxed);
}

void berth_soft_mark_release(berth_soft_mark_t *mark) {
  if (mark == NULL) return;
  int before =
      atomic_fetch_sub_explicit(&mark->references, 1, memory_order_release);
  if (before > 1) return;
  // Only who frees it must come after everyone else.
  (void)atomic_load_explicit(&mark->references, memory_order_acquire);
  berth_free(mark);
}

bool berth_soft_mark_is_idle(berth_soft_mark_t *mark) {
  return atomic_load_explicit(&mark->references, memory_order_relaxed) == 1;
}

void berth_soft_mark_reset(berth_soft_mark_t *mark) {
  atomic_store_explicit(&mark->done.word, 0, memory_order_relaxed);
}

void berth_soft_mark_reach(berth_soft_mark_t *mark) {
  atomic_store_explicit(&mark->time_ns, berth_now_ns(), memory_order_relaxed);
  berth_soft_counter_advance(&mark->done);
}

bool berth_soft_mark_is_reached(berth_soft_mark_t *mark) {
  return berth_soft_counter_reached(&mark->done, 1);
}

void berth_soft_mark_wait(berth_soft_mark_t *mark) {
  berth_soft_counter_wait(&mark->done, 1);
}
