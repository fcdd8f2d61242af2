// await.c - Waiting for a device while looking at what may end the wait.
#include "device/await.h"

#include "base/clock.h"
#include "device/device.h"

// Asks between two looks, while it spins.
enum { LOOK_EVERY = 64 };

// Waking a thread up takes some 50 us, which is much of a run of a millisecond
// and little of one of ten. Naps grow with the wait: what they add to it stays
// a few percent, and a look is never further away than the longest.
enum { SPIN_NS = 2000000, NAP_SHARE = 32, LONGEST_NAP_NS = 1000000 };

static void nap(int64_t waited) {
  int64_t length = waited / NAP_SHARE;
  berth_sleep_ns(length < LONGEST_NAP_NS ? length : LONGEST_NAP_NS);
}

berth_code_t berth_await(berth_ask_fn ask, void *ask_arg, berth_look_fn look,
                         void *arg, berth_error_t *err) {
  int64_t started = 0, waited = 0;
  for (int asked = 1;; ++asked) {
    bool done = false;
    BERTH_TRY(ask(ask_arg, &done, err));
    if (done) return BERTH_OK;
    if (waited < SPIN_NS && asked % LOOK_EVERY != 0) continue;
    if (look != NULL && look(arg)) return BERTH_CANCELLED;
    int64_t now = berth_now_ns();
    if (started == 0) started = now;
    waited = now - started;
    if (waited >= SPIN_NS) nap(waited);
  }
}

typedef struct event_goal {
  const berth_stream_ops_t *ops;
  berth_event_t *event;
} event_goal_t;

static berth_code_t ask_event(void *arg, bool *out_done, berth_error_t *err) {
  const event_goal_t *goal = arg;
  return goal->ops->event_query(goal->event, out_done, err);
}

berth_code_t berth_await_event(const berth_stream_ops_t *ops,
                               berth_event_t *event, berth_look_fn look,
                               void *arg, berth_error_t *err) {
  event_goal_t goal = {ops, event};
  return berth_await(ask_event, &goal, look, arg, err);
}

static berth_code_t ask_stream(void *arg, bool *out_done, berth_error_t *err) {
  berth_stream_t *stream = arg;
  return stream->device->backend->streams->query(stream, out_done, err);
}

berth_code_t berth_await_stream(berth_stream_t *stream, berth_look_fn look,
                                void *arg, berth_error_t *err) {
  return berth_await(ask_stream, stream, look, arg, err);
}
