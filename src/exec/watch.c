// watch.c - What may end a run, and looking at it now and then.
#include "exec/watch.h"

#include "base/clock.h"

// Less than half of the 50 ms that are promised: a step may come between.
enum { POLL_NS = 20000000 };

static void end(berth_watch_t *watch, berth_code_t why) {
  if (watch->why == BERTH_OK) watch->why = why;
  atomic_store_explicit(&watch->ended, 1, memory_order_relaxed);
}

bool berth_watch_look(berth_watch_t *watch) {
  const berth_run_control_t *control = watch->control;
  if (atomic_load_explicit(control->closed, memory_order_relaxed) != 0 ||
      (control->cancelled != NULL &&
       atomic_load_explicit(control->cancelled, memory_order_relaxed) != 0)) {
    end(watch, BERTH_CANCELLED);
  }
  if (control->poll == NULL && control->deadline_ns == 0) {
    return watch->why != BERTH_OK;
  }
  int64_t now = berth_now_ns();
  if (control->deadline_ns != 0 && now >= control->deadline_ns) {
    end(watch, BERTH_DEADLINE_EXCEEDED);
  }
  if (control->poll != NULL && now >= watch->next_poll_ns) {
    watch->next_poll_ns = now + POLL_NS;
    if (control->poll(control->poll_arg) != 0) end(watch, BERTH_CANCELLED);
  }
  return watch->why != BERTH_OK;
}

bool berth_watch_poll(void *watch) { return berth_watch_look(watch); }

berth_code_t berth_watch_error(const berth_watch_t *watch, berth_error_t *err) {
  if (watch->why == BERTH_DEADLINE_EXCEEDED) {
    return berth_error_set(err, BERTH_DEADLINE_EXCEEDED,
                           "Timed out waiting for notification");
  }
  if (atomic_load(watch->control->closed) != 0) {
    return berth_error_set(err, BERTH_CANCELLED, "Session has been closed.");
  }
  return berth_error_set(err, BERTH_CANCELLED, "Run call was cancelled");
}

berth_code_t berth_watch_why(const berth_watch_t *watch, berth_code_t code,
                             berth_error_t *err) {
  if (watch->why == BERTH_OK) return code;
  berth_error_clear(err);
  return berth_watch_error(watch, err);
}
