// await.c - Waiting for a device while looking at what may end the wait.
#include "device/await.h"

#include "base/clock.h"
#include "device/device.h"

// Asks between two looks, while it spins.
enum { LOOK_EVERY = 64 };

// Waking a thread up takes some 50 us, so a nap pays only for work that takes
// a few times that. Naps grow with the wait: what they add to it stays an
// eighth, and a look is never further away than the longest.
enum { SPIN_NS = 200000, NAP_SHARE = 8, LONGEST_NAP_NS = 1000000 };

// What is waited for.
typedef struct goal {
  const berth_stream_ops_t *ops;
  berth_event_t *event;  // NULL: |stream|.
  berth_stream_t *stream;
} goal_t;

static berth_code_t ask(const goal_t *goal, bool *out_done,
                        berth_error_t *err) {
  return goal->event != NULL
             ? goal->ops->event_query(goal->event, out_done, err)
             : goal->ops->query(goal->stream, out_done, err);
}

static void nap(int64_t waited) {
  int64_t length = waited / NAP_SHARE;
  berth_sleep_ns(length < LONGEST_NAP_NS ? length : LONGEST_NAP_NS);
}

static berth_code_t await(const goal_t *goal, berth_look_fn look, void *arg,
                          berth_error_t *err) {
  int64_t started = 0, waited = 0;
  for (int asked = 1;; ++asked) {
    bool done = false;
    BERTH_TRY(ask(goal, &done, err));
    if (done) return BERTH_OK;
    if (waited < SPIN_NS && asked % LOOK_EVERY != 0) continue;
    if (look != NULL && look(arg)) return BERTH_CANCELLED;
    int64_t now = berth_now_ns();
    if (started == 0) started = now;
    waited = now - started;
    if (waited >= SPIN_NS) nap(waited);
  }
}

berth_code_t berth_await_event(const berth_stream_ops_t *ops,
                               berth_event_t *event, berth_look_fn look,
                               void *arg, berth_error_t *err) {
  goal_t goal = {.ops = ops, .event = event};
  return await(&goal, look, arg, err);
}

berth_code_t berth_await_stream(berth_stream_t *stream, berth_look_fn look,
                                void *arg, berth_error_t *err) {
  goal_t goal = {.ops = stream->device->backend->streams, .stream = stream};
  return await(&goal, look, arg, err);
}
