// threads_testing.h - Running one function on several threads at once.
#ifndef BERTH_TESTS_THREADS_THREADS_TESTING_H_
#define BERTH_TESTS_THREADS_THREADS_TESTING_H_

#include "session_testing.h"

enum { CREW = 8 };

// What each thread of a crew gets.
typedef struct worker {
  int index;
  void *shared;
  void (*work)(struct worker *worker);
  pthread_barrier_t *start;
  pthread_t thread;
} worker_t;

static inline void *worker_main(void *arg) {
  worker_t *worker = arg;
  pthread_barrier_wait(worker->start);
  worker->work(worker);
  return NULL;
}

typedef struct crew {
  worker_t workers[CREW];
  pthread_barrier_t start;
} crew_t;

// Lets CREW threads do |work|, all beginning at the same time.
static inline void crew_start(crew_t *crew, void (*work)(worker_t *),
                              void *shared) {
  pthread_barrier_init(&crew->start, NULL, CREW);
  for (int i = 0; i < CREW; ++i) {
    crew->workers[i] = (worker_t){
        .index = i, .shared = shared, .work = work, .start = &crew->start};
    if (pthread_create(&crew->workers[i].thread, NULL, worker_main,
                       &crew->workers[i]) != 0) {
      HARNESS_FAIL("no thread");
      exit(1);
    }
  }
}

static inline void crew_join(crew_t *crew) {
  for (int i = 0; i < CREW; ++i) pthread_join(crew->workers[i].thread, NULL);
  pthread_barrier_destroy(&crew->start);
}

static inline void crew_run(void (*work)(worker_t *), void *shared) {
  crew_t crew;
  crew_start(&crew, work, shared);
  crew_join(&crew);
}

// Fetches one value with one feed; a copy of the rig without its error, which
// belongs to one thread.
static inline double fetch_alone(const rig_t *rig, berth_out_t out,
                                 berth_out_t fed, berth_tensor_t *value) {
  rig_t own = {.graph = rig->graph, .session = rig->session};
  double result = fetch_fed(&own, out, fed, value);
  berth_error_clear(&own.err);
  return result;
}

#endif  // BERTH_TESTS_THREADS_THREADS_TESTING_H_
