// parallel.c - Going wide.
//
// A loop is a shared counter of pieces. Workers sleep on |wake| until a new
// loop is published, take pieces until there are none, and the last one out
// signals |done|. A worker spins for a moment before it sleeps, because loops
// of one program follow each other closely.
//
// Invariants:
//   I1  |busy| is held by the thread whose loop is wide.
//   I2  |loop| changes only under |lock|, while |running| is 0.
#include "base/parallel.h"

#include <pthread.h>
#include <stdatomic.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/compiler.h"
#include "base/float_env.h"
#include "base/thread.h"

enum { MAX_WORKERS = 255, PIECES_PER_THREAD = 4, SPIN_NS = 20000 };

typedef struct loop {
  berth_parallel_fn fn;
  void *arg;
  int64_t count;
  int64_t pieces;
  atomic_int_least64_t next;  // The next piece to take.
  bool is_cut;                // Pieces were left out; the caller's.
} loop_t;

static struct {
  atomic_flag busy;  // I1.
  berth_mutex_t lock;
  berth_cond_t wake, done;
  loop_t loop;                   // I2.
  atomic_uint_least64_t number;  // Of the loop last published.
  int wanted;                    // Workers that may join it; under lock.
  int running;                   // Workers inside it; under lock.
  int workers;                   // Started; -1 before the first loop.
} pool = {.busy = ATOMIC_FLAG_INIT, .lock = BERTH_MUTEX_INIT, .workers = -1};

static BERTH_THREAD_LOCAL const berth_parallel_scope_t *current_scope = NULL;
static BERTH_THREAD_LOCAL bool is_worker = false;

static void take_pieces(loop_t *loop, const berth_parallel_scope_t *scope) {
  for (;;) {
    int64_t piece = atomic_fetch_add(&loop->next, 1);
    if (piece >= loop->pieces) return;
    loop->fn(loop->arg, loop->count * piece / loop->pieces,
             loop->count * (piece + 1) / loop->pieces);
    if (scope != NULL && scope->poll != NULL && scope->poll(scope->poll_arg)) {
      int64_t taken = atomic_exchange(&loop->next, loop->pieces);
      if (taken < loop->pieces) loop->is_cut = true;
    }
  }
}

// Waits for a loop other than number |seen|, first awake, then asleep.
static void wait_for_loop(uint64_t seen) {
  int64_t end = berth_now_ns() + SPIN_NS;
  while (!BERTH_TSAN && berth_now_ns() < end) {
    if (atomic_load(&pool.number) != seen) break;
  }
  berth_mutex_lock(&pool.lock);
  while (atomic_load(&pool.number) == seen) {
    berth_cond_wait(&pool.wake, &pool.lock);
  }
}

static void worker_main(void *arg) {
  uint64_t seen = (uint64_t)(uintptr_t)arg;
  is_worker = true;
  (void)berth_float_env_enter();
  for (;;) {
    wait_for_loop(seen);
    seen = atomic_load(&pool.number);
    bool join = pool.wanted > 0;
    if (join) {
      --pool.wanted;
      ++pool.running;
    }
    berth_mutex_unlock(&pool.lock);
    if (!join) continue;
    take_pieces(&pool.loop, NULL);
    berth_mutex_lock(&pool.lock);
    if (--pool.running == 0) berth_cond_signal(&pool.done);
    berth_mutex_unlock(&pool.lock);
  }
}

// In a forked child the workers are gone: start afresh.
static void after_fork(void) {
  berth_mutex_init(&pool.lock);
  atomic_flag_clear(&pool.busy);
  pool.workers = -1;
  pool.running = 0;
  pool.wanted = 0;
}

static void pool_start(void) {
  static atomic_bool watched = false;
  if (!atomic_exchange(&watched, true)) pthread_atfork(NULL, NULL, after_fork);
  berth_cond_init(&pool.wake);
  berth_cond_init(&pool.done);
  pool.workers = 0;
  int count = berth_cpu_count() - 1;
  if (count > MAX_WORKERS) count = MAX_WORKERS;
  for (int i = 0; i < count; ++i) {
    berth_thread_t thread;
    uintptr_t number = (uintptr_t)atomic_load(&pool.number);
    // Fewer workers are no error: the loop is only slower.
    if (berth_thread_start(&thread, worker_main, (void *)number, NULL) !=
        BERTH_OK) {
      break;
    }
    pthread_detach(thread.impl);
    ++pool.workers;
  }
}

// Runs the loop on this thread and up to |helpers| workers. Holds |busy|.
static bool run_wide(int64_t count, int64_t pieces, int helpers,
                     berth_parallel_fn fn, void *arg) {
  berth_mutex_lock(&pool.lock);
  pool.loop.fn = fn;
  pool.loop.arg = arg;
  pool.loop.count = count;
  pool.loop.pieces = pieces;
  pool.loop.is_cut = false;
  atomic_store(&pool.loop.next, 0);
  pool.wanted = helpers;
  atomic_fetch_add(&pool.number, 1);
  berth_cond_broadcast(&pool.wake);
  berth_mutex_unlock(&pool.lock);

  take_pieces(&pool.loop, current_scope);

  berth_mutex_lock(&pool.lock);
  pool.wanted = 0;  // Who has not joined yet stays out.
  while (pool.running > 0) berth_cond_wait(&pool.done, &pool.lock);
  berth_mutex_unlock(&pool.lock);
  return !pool.loop.is_cut;
}

// Runs the loop here, in pieces when somebody wants to be polled.
static bool run_alone(int64_t count, int64_t pieces, berth_parallel_fn fn,
                      void *arg) {
  if (current_scope == NULL || current_scope->poll == NULL || pieces <= 1) {
    fn(arg, 0, count);
    return true;
  }
  loop_t loop = {fn, arg, count, pieces, 0, false};
  take_pieces(&loop, current_scope);
  return !loop.is_cut;
}

int berth_parallel_threads(void) {
  if (is_worker) return 1;
  static atomic_int cpus = 0;
  int all = atomic_load_explicit(&cpus, memory_order_relaxed);
  if (all == 0) {
    all = berth_cpu_count();
    atomic_store(&cpus, all);
  }
  int wanted = current_scope != NULL ? current_scope->threads : 0;
  return wanted > 0 && wanted < all ? wanted : all;
}

bool berth_parallel_for(int64_t count, int64_t grain, berth_parallel_fn fn,
                        void *arg) {
  if (count <= 0) return true;
  if (grain < 1) grain = 1;
  int threads = berth_parallel_threads();
  int64_t pieces = (count + grain - 1) / grain;
  if (pieces == 1) {
    fn(arg, 0, count);
    return true;
  }
  int64_t most = (int64_t)threads * PIECES_PER_THREAD;
  if (pieces > most) pieces = most;
  if (threads == 1 || atomic_flag_test_and_set(&pool.busy)) {
    return run_alone(count, pieces, fn, arg);
  }
  if (pool.workers < 0) pool_start();
  int helpers = threads - 1 < pool.workers ? threads - 1 : pool.workers;
  bool is_done = helpers > 0 ? run_wide(count, pieces, helpers, fn, arg)
                             : run_alone(count, pieces, fn, arg);
  atomic_flag_clear(&pool.busy);
  return is_done;
}

void berth_parallel_for_all(int64_t count, int64_t grain, berth_parallel_fn fn,
                            void *arg) {
  berth_parallel_scope_t scope = {.threads = berth_parallel_threads()};
  const berth_parallel_scope_t *before = berth_parallel_enter(&scope);
  (void)berth_parallel_for(count, grain, fn, arg);
  berth_parallel_enter(before);
}

const berth_parallel_scope_t *berth_parallel_enter(
    const berth_parallel_scope_t *scope) {
  const berth_parallel_scope_t *before = current_scope;
  current_scope = scope;
  return before;
}
