// thread.c - Mutexes, condition variables and threads.
#include "base/thread.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/fault.h"

void berth_mutex_init(berth_mutex_t *mutex) {
  pthread_mutex_init(&mutex->impl, NULL);
}
void berth_mutex_deinit(berth_mutex_t *mutex) {
  pthread_mutex_destroy(&mutex->impl);
}
void berth_mutex_lock(berth_mutex_t *mutex) {
  pthread_mutex_lock(&mutex->impl);
}
void berth_mutex_unlock(berth_mutex_t *mutex) {
  pthread_mutex_unlock(&mutex->impl);
}

bool berth_mutex_try_lock(berth_mutex_t *mutex) {
  return pthread_mutex_trylock(&mutex->impl) == 0;
}

void berth_cond_init(berth_cond_t *cond) {
  pthread_condattr_t attr;
  pthread_condattr_init(&attr);
  pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
  pthread_cond_init(&cond->impl, &attr);
  pthread_condattr_destroy(&attr);
}
void berth_cond_deinit(berth_cond_t *cond) {
  pthread_cond_destroy(&cond->impl);
}
void berth_cond_wait(berth_cond_t *cond, berth_mutex_t *mutex) {
  pthread_cond_wait(&cond->impl, &mutex->impl);
}
bool berth_cond_wait_until(berth_cond_t *cond, berth_mutex_t *mutex,
                           int64_t deadline_ns) {
  struct timespec t = {.tv_sec = (time_t)(deadline_ns / 1000000000),
                       .tv_nsec = (long)(deadline_ns % 1000000000)};
  return pthread_cond_timedwait(&cond->impl, &mutex->impl, &t) != ETIMEDOUT;
}
void berth_cond_signal(berth_cond_t *cond) { pthread_cond_signal(&cond->impl); }
void berth_cond_broadcast(berth_cond_t *cond) {
  pthread_cond_broadcast(&cond->impl);
}

typedef struct start {
  void (*fn)(void *);
  void *arg;
} start_t;

static void *thread_main(void *arg) {
  start_t start = *(start_t *)arg;
  berth_free(arg);
  start.fn(start.arg);
  return NULL;
}

// Starts a thread that blocks all signals: they are for the program's threads,
// whose stacks it knows.
static int start_blocked(pthread_t *thread, start_t *start) {
  sigset_t all, before;
  sigfillset(&all);
  int failed = pthread_sigmask(SIG_SETMASK, &all, &before);
  if (failed != 0) return failed;
  failed = pthread_create(thread, NULL, thread_main, start);
  (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
  return failed;
}

berth_code_t berth_thread_start(berth_thread_t *thread, void (*fn)(void *),
                                void *arg, berth_error_t *err) {
  start_t *start = berth_alloc(sizeof(*start));
  if (start == NULL) return berth_error_no_memory(err, "a thread");
  *start = (start_t){fn, arg};
  int failed =
      berth_fault("thread") ? EAGAIN : start_blocked(&thread->impl, start);
  if (failed == 0) return BERTH_OK;
  berth_free(start);
  return berth_error_set(err, BERTH_RESOURCE_EXHAUSTED,
                         "cannot start a thread: %s", strerror(failed));
}

void berth_thread_join(berth_thread_t *thread) {
  pthread_join(thread->impl, NULL);
}

// Reads the CPU quota of the control group, in CPUs rounded up; 0: no limit.
static int cgroup_cpus(void) {
  FILE *file = fopen("/sys/fs/cgroup/cpu.max", "r");
  if (file == NULL) return 0;
  long long quota = 0, period = 0;
  int fields = fscanf(file, "%lld %lld", &quota, &period);
  fclose(file);
  if (fields != 2 || quota <= 0 || period <= 0) return 0;
  return (int)((quota + period - 1) / period);
}

// Returns where the stack of the calling thread ends, its lowest address.
static const char *stack_end(void) {
  static _Thread_local const char *end = NULL;
  pthread_attr_t attr;
  if (end != NULL || pthread_getattr_np(pthread_self(), &attr) != 0) return end;
  void *base = NULL;
  size_t size = 0;
  if (pthread_attr_getstack(&attr, &base, &size) == 0) end = base;
  pthread_attr_destroy(&attr);
  return end;
}

size_t berth_stack_left(void) {
  const char *here = __builtin_frame_address(0), *end = stack_end();
  return here > end ? (size_t)(here - end) : 0;
}

int berth_cpu_count(void) {
  cpu_set_t set;
  int count = 1;
  if (sched_getaffinity(0, sizeof(set), &set) == 0) count = CPU_COUNT(&set);
  int quota = cgroup_cpus();
  return quota > 0 && quota < count ? quota : count;
}

int64_t berth_thread_id(void) { return (int64_t)syscall(SYS_gettid); }
