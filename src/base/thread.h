// thread.h - Mutexes, condition variables and threads.
//
// Thin names over pthreads, so that failure of a creation is a fault point
// ("thread") and every wait has a deadline.
#ifndef BERTH_BASE_THREAD_H_
#define BERTH_BASE_THREAD_H_

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

typedef struct berth_mutex {
  pthread_mutex_t impl;
} berth_mutex_t;
#define BERTH_MUTEX_INIT \
  { PTHREAD_MUTEX_INITIALIZER }

// As their namesakes of pthreads; none of them fails.
void berth_mutex_init(berth_mutex_t *mutex);
void berth_mutex_deinit(berth_mutex_t *mutex);
void berth_mutex_lock(berth_mutex_t *mutex);
void berth_mutex_unlock(berth_mutex_t *mutex);

// Locks if nobody else has; true when it is locked.
bool berth_mutex_try_lock(berth_mutex_t *mutex);

// Waits by the clock of berth_now_ns().
typedef struct berth_cond {
  pthread_cond_t impl;
} berth_cond_t;

// As their namesakes of pthreads; none of them fails.
void berth_cond_init(berth_cond_t *cond);
void berth_cond_deinit(berth_cond_t *cond);
void berth_cond_wait(berth_cond_t *cond, berth_mutex_t *mutex);

// Waits until signalled or |deadline_ns|; false when the time has come.
bool berth_cond_wait_until(berth_cond_t *cond, berth_mutex_t *mutex,
                           int64_t deadline_ns);
void berth_cond_signal(berth_cond_t *cond);
void berth_cond_broadcast(berth_cond_t *cond);

typedef struct berth_thread {
  pthread_t impl;
} berth_thread_t;

// Starts a thread that calls |fn|, to be joined. BERTH_RESOURCE_EXHAUSTED when
// there is none to be had.
BERTH_NODISCARD berth_code_t berth_thread_start(berth_thread_t *thread,
                                                void (*fn)(void *), void *arg,
                                                berth_error_t *err);
void berth_thread_join(berth_thread_t *thread);

// Returns about how many bytes the calling thread's stack has left.
size_t berth_stack_left(void);

// Returns the number of CPUs this process may use: affinity and cgroup quota.
int berth_cpu_count(void);

// Returns a small number that names the calling thread in logs and traces.
int64_t berth_thread_id(void);

#endif  // BERTH_BASE_THREAD_H_
