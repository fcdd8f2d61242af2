// crowd.c - Several threads on one session, the same on every side.
#include "crowd.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "side.h"

typedef struct member {
  crowd_t *crowd;
  int index;
  pthread_t thread;
  double times[CROWD_LIGHT];
} member_t;

struct crowd {
  int threads;
  bool is_mixed;
  crowd_run_fn run;
  void *state;
  pthread_barrier_t begin, end;
  atomic_bool is_over, is_wrong;
  atomic_int light;  // Light threads that are at it.
  member_t members[CROWD_MOST];
};

static void run(crowd_t *crowd, int side, int turn) {
  if (!crowd->run(crowd->state, side, turn % 2)) {
    atomic_store(&crowd->is_wrong, true);
  }
}

static void run_light(member_t *member) {
  crowd_t *crowd = member->crowd;
  for (int i = 0; i < CROWD_LIGHT; ++i) {
    double start = side_now();
    run(crowd, CROWD_SMALL, i);
    member->times[i] = side_now() - start;
  }
  atomic_fetch_sub(&crowd->light, 1);
}

static void do_share(member_t *member) {
  crowd_t *crowd = member->crowd;
  if (!crowd->is_mixed) {
    for (int i = 0; i < CROWD_RUNS / crowd->threads; ++i) {
      run(crowd, CROWD_SIDE, i);
    }
  } else if (member->index > 0) {
    run_light(member);
  } else {
    for (int i = 0; atomic_load(&crowd->light) > 0; ++i) {
      run(crowd, CROWD_HEAVY, i);
    }
  }
}

static void *member_main(void *arg) {
  member_t *member = arg;
  for (;;) {
    pthread_barrier_wait(&member->crowd->begin);
    if (atomic_load(&member->crowd->is_over)) return NULL;
    do_share(member);
    pthread_barrier_wait(&member->crowd->end);
  }
}

crowd_t *crowd_create(int threads, bool is_mixed, crowd_run_fn run_fn,
                      void *state) {
  crowd_t *crowd = side_alloc(sizeof(*crowd));
  if (crowd == NULL) return NULL;
  crowd->threads = threads;
  crowd->is_mixed = is_mixed;
  crowd->run = run_fn;
  crowd->state = state;
  pthread_barrier_init(&crowd->begin, NULL, (unsigned)threads + 1);
  pthread_barrier_init(&crowd->end, NULL, (unsigned)threads + 1);
  for (int i = 0; i < threads; ++i) {
    crowd->members[i].crowd = crowd;
    crowd->members[i].index = i;
    if (pthread_create(&crowd->members[i].thread, NULL, member_main,
                       &crowd->members[i]) != 0) {
      exit(EXIT_FAILURE);  // Those who are there wait for all.
    }
  }
  return crowd;
}

void crowd_destroy(crowd_t *crowd) {
  if (crowd == NULL) return;
  atomic_store(&crowd->is_over, true);
  pthread_barrier_wait(&crowd->begin);
  for (int i = 0; i < crowd->threads; ++i) {
    pthread_join(crowd->members[i].thread, NULL);
  }
  pthread_barrier_destroy(&crowd->begin);
  pthread_barrier_destroy(&crowd->end);
  free(crowd);
}

bool crowd_call(crowd_t *crowd) {
  atomic_store(&crowd->light, crowd->threads - 1);
  pthread_barrier_wait(&crowd->begin);
  pthread_barrier_wait(&crowd->end);
  return !atomic_load(&crowd->is_wrong);
}

static int compare(const void *left, const void *right) {
  double a = *(const double *)left, b = *(const double *)right;
  return (a > b) - (a < b);
}

double crowd_tail(const crowd_t *crowd) {
  double times[CROWD_MOST * CROWD_LIGHT];
  int count = 0;
  for (int i = 1; i < crowd->threads; ++i) {
    for (int k = 0; k < CROWD_LIGHT; ++k) {
      times[count++] = crowd->members[i].times[k];
    }
  }
  qsort(times, (size_t)count, sizeof(times[0]), compare);
  return times[count * 99 / 100];
}
