// cancel_testing.h - Ending a run at a random moment.
//
// A second thread waits for a run to begin and ends it some time later, at most
// a little later than such a run takes when it is left alone.
#ifndef BERTH_TESTS_CANCEL_CANCEL_TESTING_H_
#define BERTH_TESTS_CANCEL_CANCEL_TESTING_H_

#include <semaphore.h>

#include "guard/guard_testing.h"

// ---- Random numbers ----

typedef struct dice {
  uint64_t state;
} dice_t;

static inline uint64_t dice_next(dice_t *dice) {
  dice->state += UINT64_C(0x9e3779b97f4a7c15);
  uint64_t z = dice->state;
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ (z >> 31);
}

static inline int dice_below(dice_t *dice, int limit) {
  return (int)(dice_next(dice) % (uint64_t)limit);
}

static inline int64_t now_ns(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

// ---- The stage ----

// A graph, its session, and what ends runs of it. The session is a context's
// where |context| is not NULL: its variables and queues then outlive it, so
// that it can be closed and opened again.
typedef struct cancel_stage {
  rig_t rig;
  berth_context_t *context;
  dice_t dice;
  int64_t usual_ns;  // What a run takes, about.
  int ended, whole;  // Runs that failed, and that came to their end.
  // For the other thread:
  pthread_t thread;
  sem_t begin, done;
  berth_cancel_t *cancel;  // To be fired; NULL: the session is closed.
  int64_t delay_ns;        // After the beginning; -1: the thread ends.
} cancel_stage_t;

static inline void *cancel_main(void *arg) {
  cancel_stage_t *stage = arg;
  for (;;) {
    while (sem_wait(&stage->begin) != 0) continue;
    if (stage->delay_ns < 0) return NULL;
    int64_t end = now_ns() + stage->delay_ns;
    while (now_ns() < end) {
      if (end - now_ns() > 200000) sleep_ms(0);
    }
    if (stage->cancel != NULL) {
      berth_cancel_fire(stage->cancel);
    } else {
      berth_session_cancel(stage->rig.session);
    }
    sem_post(&stage->done);
  }
}

static inline void cancel_open_session(cancel_stage_t *stage) {
  berth_config_t config = BERTH_CONFIG_INIT;
  config.gpu.allow_growth = true;
  berth_code_t code =
      stage->context != NULL
          ? berth_context_session(stage->context, stage->rig.graph,
                                  &stage->rig.session, &stage->rig.err)
          : rig_open(&stage->rig, &config);
  if (code != BERTH_OK) {
    HARNESS_FAIL("%s", berth_error_message(&stage->rig.err));
    exit(1);
  }
}

// Begins with an empty graph; cancel_stage_open() follows when it is built.
static inline void cancel_stage_init(cancel_stage_t *stage, uint64_t seed,
                                     bool in_context) {
  *stage = (cancel_stage_t){.dice = {seed}};
  rig_init(&stage->rig);
  berth_config_t config = BERTH_CONFIG_INIT;
  config.gpu.allow_growth = true;
  if (in_context && berth_context_create(&config, &stage->context,
                                         &stage->rig.err) != BERTH_OK) {
    HARNESS_FAIL("%s", berth_error_message(&stage->rig.err));
    exit(1);
  }
}

static inline void cancel_stage_open(cancel_stage_t *stage) {
  cancel_open_session(stage);
  sem_init(&stage->begin, 0, 0);
  sem_init(&stage->done, 0, 0);
  if (pthread_create(&stage->thread, NULL, cancel_main, stage) != 0) {
    HARNESS_FAIL("no thread");
    exit(1);
  }
}

static inline void cancel_stage_clear(cancel_stage_t *stage) {
  stage->delay_ns = -1;
  sem_post(&stage->begin);
  pthread_join(stage->thread, NULL);
  sem_destroy(&stage->begin);
  sem_destroy(&stage->done);
  berth_session_destroy(stage->rig.session);
  berth_graph_release(stage->rig.graph);
  berth_context_destroy(stage->context);
  berth_error_clear(&stage->rig.err);
}

// ---- Runs ----

static inline int cancel_poll(void *arg) {
  dice_t *dice = arg;
  return dice_below(dice, 3) == 0;
}

// How a run may be ended.
enum { BY_HANDLE, BY_DEADLINE, BY_POLL, BY_CLOSE, BY_NOTHING };

static inline int cancel_choose(cancel_stage_t *stage) {
  int face = dice_below(&stage->dice, 20);
  if (face < 13) return BY_HANDLE;
  if (face < 15) return BY_DEADLINE;
  if (face < 17) return BY_POLL;
  if (face < 18 && stage->context != NULL) return BY_CLOSE;
  return BY_NOTHING;
}

// Runs |run| and ends it at some moment, or not. |waits|: it would wait for
// ever, so something always ends it.
static inline berth_code_t cancel_run(cancel_stage_t *stage, berth_run_t *run,
                                      bool waits) {
  int how = cancel_choose(stage);
  if (waits && (how == BY_NOTHING || how == BY_POLL)) how = BY_HANDLE;
  bool by_other = how == BY_HANDLE || how == BY_CLOSE;
  int64_t most = stage->usual_ns + stage->usual_ns / 4 + 2000;
  if (most > 50000000) most = 50000000;
  stage->cancel = how == BY_HANDLE ? berth_cancel_create() : NULL;
  stage->delay_ns = (int64_t)(dice_next(&stage->dice) % (uint64_t)most);
  run->cancel = stage->cancel;
  if (how == BY_DEADLINE) run->timeout_ms = 1;
  if (how == BY_POLL) {
    run->poll = cancel_poll;
    run->poll_arg = &stage->dice;
  }
  if (by_other) sem_post(&stage->begin);
  int64_t began = now_ns();
  berth_code_t code =
      berth_session_run_with(stage->rig.session, run, &stage->rig.err);
  int64_t took = now_ns() - began;
  if (by_other) {
    while (sem_wait(&stage->done) != 0) continue;
  }
  if (code == BERTH_OK) {
    ++stage->whole;
    stage->usual_ns += (took - stage->usual_ns) / 4;
  } else {
    ++stage->ended;
    if (code != BERTH_CANCELLED && code != BERTH_DEADLINE_EXCEEDED) {
      HARNESS_FAIL("%s", berth_error_message(&stage->rig.err));
    }
  }
  if (how == BY_NOTHING) EXPECT_EQ(code, BERTH_OK);
  if (how == BY_CLOSE) {
    berth_session_destroy(stage->rig.session);
    berth_error_clear(&stage->rig.err);
    cancel_open_session(stage);
  }
  berth_cancel_release(stage->cancel);
  berth_error_clear(&stage->rig.err);
  return code;
}

#endif  // BERTH_TESTS_CANCEL_CANCEL_TESTING_H_
