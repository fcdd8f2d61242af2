// parallel.c - Going wide.
//
// A loop lies on its caller's stack. It is a shared counter of pieces, and,
// once it is open, a member of the pool's list of open loops. The caller takes
// the first pieces and helpers the last ones: so loops over the same data that
// follow each other find it in the cache of their core, which is several times
// nearer than that of another.
//
//   caller   count itself, open the loop, call workers, take pieces, close,
//            wait until no helper is left
//   worker   choose a loop, join it, take pieces, leave, choose again;
//            rest awake for a moment, because loops of one program follow each
//            other closely, then asleep
//
// Everybody who is at work on a loop calls for more help between pieces when
// CPUs have become free: so nobody has to do anything when a loop ends.
//
// Invariants:
//   I1  A worker touches a loop only while it is one of its helpers; it becomes
//       one under |lock|, of an open loop. The caller closes the loop, and then
//       waits for the last helper.
//   I2  A worker that is asleep is called by |calls|, which is never more than
//       |asleep|.
//   I3  What was made before a fork has another |generation|: its workers are
//       gone, and its neighbours in lists are not to be touched.
#include "base/parallel.h"

#include <pthread.h>
#include <stdatomic.h>

#include "base/clock.h"
#include "base/compiler.h"
#include "base/float_env.h"

enum {
  MAX_WORKERS = 255,
  // Each of those who come calls as many again.
  CALLS_AT_ONCE = 4,
  SPIN_NS = 20000,
  POLL_NS = 10000000,
  LINE = 64,  // Elements of a byte in a cache line.
  LONG = 1024,
  MOST_PIECES = 1 << 30,
};

// What a piece from the back counts in loop_t.taken.
#define FROM_BACK (INT64_C(1) << 31)

typedef struct loop {
  berth_parallel_fn fn;
  void *arg;
  int64_t count, size, pieces;  // |size| elements each, the last one fewer.
  // Pieces: the caller's, from the front, and FROM_BACK for each of the others;
  // more than there are at the end.
  atomic_int_least64_t taken;
  int limit;                    // Helpers at most.
  bool is_outer;                // Its pieces may open loops of their own.
  atomic_int helpers;           // Changes under |lock|.
  berth_cond_t *done;           // Where the caller sleeps; under |lock|.
  bool is_open;                 // The caller's; in the list.
  uint64_t generation;
  struct loop *next, *before;  // Under |lock|.
} loop_t;

static struct {
  berth_mutex_t lock;
  berth_cond_t wake;
  loop_t *first, *last;  // Open loops; under lock.
  atomic_int cpus;       // 0: not known yet.
  atomic_int callers;    // Threads at work on a loop, without workers.
  atomic_int busy;       // Workers at work; changes under lock.
  atomic_int spinning;   // Workers that rest awake; changes under lock.
  atomic_int asleep;     // Workers asleep; changes under lock.
  atomic_int calls;      // I2; changes under lock.
  bool is_started;       // Under lock.
  atomic_uint news;      // Counts loops that came.
  uint64_t generation;   // I3.
} pool = {.lock = BERTH_MUTEX_INIT};

static BERTH_THREAD_LOCAL const berth_parallel_scope_t *current_scope = NULL;
static BERTH_THREAD_LOCAL bool is_worker = false;
static BERTH_THREAD_LOCAL bool is_caller = false;  // One of the callers.
static BERTH_THREAD_LOCAL bool is_inside = false;  // A piece that opens none.

static int get(const atomic_int *number) {
  return atomic_load_explicit(number, memory_order_relaxed);
}

static int least(int a, int b) { return a < b ? a : b; }

// Returns how many threads may be at work; 0: not known yet.
static int room(void) { return get(&pool.cpus); }

// Returns how many more threads could be at work; less than 0: too many are.
static int cpus_free(void) {
  return room() - get(&pool.callers) - get(&pool.busy);
}

static bool should_poll(void) {
  return current_scope != NULL && current_scope->poll != NULL;
}

// Sleeps until signalled on |cond|, but looks at what may end the run now and
// then. The lock is held, though not while polling.
static void sleep_polling(berth_cond_t *cond) {
  if (!should_poll()) {
    berth_cond_wait(cond, &pool.lock);
  } else if (!berth_cond_wait_until(cond, &pool.lock,
                                    berth_now_ns() + POLL_NS)) {
    berth_mutex_unlock(&pool.lock);
    (void)current_scope->poll(current_scope->poll_arg);
    berth_mutex_lock(&pool.lock);
  }
}

// Returns where the calling thread, and nobody else, sleeps.
static berth_cond_t *own_cond(void) {
  static BERTH_THREAD_LOCAL berth_cond_t cond;
  static BERTH_THREAD_LOCAL uint64_t made_for = UINT64_MAX;
  if (made_for != pool.generation) berth_cond_init(&cond);
  made_for = pool.generation;
  return &cond;
}

// ---- Pieces ----

static int64_t divide_up(int64_t a, int64_t b) { return a / b + (a % b != 0); }

// Returns the size of a piece. Long ones end where a cache line does, if the
// whole begins with one: two threads, or a loop that writes past the caches,
// should not have halves of it.
static int64_t piece_size(int64_t count, int64_t grain) {
  int64_t pieces = divide_up(count, grain);
  int64_t size = divide_up(count, pieces < MOST_PIECES ? pieces : MOST_PIECES);
  return size < LONG ? size : divide_up(size, LINE) * LINE;
}

static void do_piece(const loop_t *loop, int64_t piece) {
  int64_t begin = piece * loop->size;
  int64_t left = loop->count - begin;
  loop->fn(loop->arg, begin, begin + (left < loop->size ? left : loop->size));
}

// Returns how many pieces were taken where |taken| is as it is in loop_t.
static int64_t count_taken(int64_t taken) {
  return taken % FROM_BACK + taken / FROM_BACK;
}

// Takes a piece, the first or the last one; false when there is none left.
static bool take(loop_t *loop, bool is_first, int64_t *out_piece) {
  int64_t taken = atomic_fetch_add_explicit(
      &loop->taken, is_first ? 1 : FROM_BACK, memory_order_relaxed);
  *out_piece =
      is_first ? taken % FROM_BACK : loop->pieces - 1 - taken / FROM_BACK;
  return count_taken(taken) < loop->pieces;
}

static int64_t pieces_left(loop_t *loop) {
  return loop->pieces - count_taken(atomic_load_explicit(&loop->taken,
                                                         memory_order_relaxed));
}

// ---- Calling workers ----

// True when |loop| has work for more threads and there are CPUs for them.
static bool wants_help(loop_t *loop) {
  return cpus_free() > 0 && get(&loop->helpers) < loop->limit &&
         pieces_left(loop) > 1;
}

// Counts the workers to be called for |wanted|, under the lock. Those who rest
// awake come by themselves.
static int count_calls(int64_t wanted) {
  int calls = wanted < CALLS_AT_ONCE ? (int)wanted : CALLS_AT_ONCE;
  calls = least(calls, cpus_free() - get(&pool.calls));
  calls -= get(&pool.spinning);
  calls = least(calls, get(&pool.asleep) - get(&pool.calls));
  if (calls <= 0) return 0;
  atomic_fetch_add(&pool.calls, calls);
  return calls;
}

static int count_calls_for(loop_t *loop) {
  int64_t wanted = pieces_left(loop) - 1;
  int most = loop->limit - get(&loop->helpers);
  return count_calls(wanted < most ? wanted : most);
}

// Without the lock: who wakes up needs it.
static void call_workers(int calls) {
  for (; calls > 0; --calls) berth_cond_signal(&pool.wake);
}

// Calls more helpers to |loop|, which is open.
static void call_more(loop_t *loop) {
  if (get(&pool.asleep) == 0 || !wants_help(loop)) return;
  berth_mutex_lock(&pool.lock);
  int calls = count_calls_for(loop);
  berth_mutex_unlock(&pool.lock);
  call_workers(calls);
}

// ---- Workers ----

// Returns the open loop with the fewest helpers, |last| if it is one of them;
// NULL when there is none that a worker should join. The lock is held.
static loop_t *choose(const loop_t *last) {
  loop_t *best = NULL;
  int fewest = 0;
  if (cpus_free() <= 0) return NULL;
  for (loop_t *loop = pool.first; loop != NULL; loop = loop->next) {
    int helpers = get(&loop->helpers);
    if (helpers >= loop->limit || pieces_left(loop) <= 0) continue;
    if (best == NULL || helpers < fewest ||
        (helpers == fewest && loop == last)) {
      best = loop;
      fewest = helpers;
    }
  }
  return best;
}

// Joins |loop| until it has nothing left or there is something else to look at.
// The lock is held before and afterwards.
static void help(loop_t *loop) {
  unsigned seen = atomic_load(&pool.news);
  atomic_fetch_add(&pool.busy, 1);
  atomic_fetch_add(&loop->helpers, 1);
  berth_mutex_unlock(&pool.lock);
  call_more(loop);
  is_inside = !loop->is_outer;
  int64_t piece = 0;
  while (take(loop, false, &piece)) {
    do_piece(loop, piece);
    if (atomic_load(&pool.news) != seen || cpus_free() < 0) break;
    call_more(loop);
  }
  is_inside = false;
  berth_mutex_lock(&pool.lock);
  berth_cond_t *done = loop->done;
  atomic_fetch_sub(&pool.busy, 1);
  // The caller may be gone at once, unless he sleeps.
  bool is_last = atomic_fetch_sub(&loop->helpers, 1) == 1;
  if (is_last && done != NULL) berth_cond_signal(done);
}

// Waits awake for something new. The lock is held before and afterwards.
static void rest_awake(void) {
  unsigned seen = atomic_load(&pool.news);
  int64_t end = berth_now_ns() + SPIN_NS;
  if (BERTH_TSAN || cpus_free() <= 0) return;
  atomic_fetch_add(&pool.spinning, 1);
  berth_mutex_unlock(&pool.lock);
  while (atomic_load(&pool.news) == seen && cpus_free() > 0 &&
         berth_now_ns() < end) {
  }
  berth_mutex_lock(&pool.lock);
  atomic_fetch_sub(&pool.spinning, 1);
}

static void rest_asleep(void) {
  atomic_fetch_add(&pool.asleep, 1);
  while (get(&pool.calls) == 0) berth_cond_wait(&pool.wake, &pool.lock);
  atomic_fetch_sub(&pool.calls, 1);
  atomic_fetch_sub(&pool.asleep, 1);
}

static void worker_main(void *arg) {
  (void)arg;
  is_worker = true;
  (void)berth_float_env_enter();
  const loop_t *last = NULL;  // Only compared.
  bool is_rested = false;     // It has waited awake, in vain.
  berth_mutex_lock(&pool.lock);
  for (;;) {
    loop_t *loop = choose(last);
    if (loop != NULL) {
      help(loop);
      last = loop;
      is_rested = false;
    } else {
      if (is_rested) {
        rest_asleep();
      } else {
        rest_awake();
      }
      is_rested = !is_rested;
    }
  }
}

// ---- The pool ----

// In a forked child the workers are gone: start afresh.
static void after_fork(void) {
  ++pool.generation;
  berth_mutex_init(&pool.lock);
  pool.first = pool.last = NULL;
  atomic_store(&pool.callers, 0);
  atomic_store(&pool.busy, 0);
  atomic_store(&pool.spinning, 0);
  atomic_store(&pool.asleep, 0);
  atomic_store(&pool.calls, 0);
  pool.is_started = false;
}

static void watch_forks(void) { (void)pthread_atfork(NULL, NULL, after_fork); }

// Returns how many CPUs there are; nobody takes the lock before.
static int cpu_count(void) {
  int cpus = get(&pool.cpus);
  if (BERTH_LIKELY(cpus > 0)) return cpus;
  berth_parallel_pretend_cpus(berth_cpu_count());
  return get(&pool.cpus);
}

void berth_parallel_pretend_cpus(int count) {
  static pthread_once_t is_watched = PTHREAD_ONCE_INIT;
  // Before the lock is taken for the first time.
  (void)pthread_once(&is_watched, watch_forks);
  atomic_store(&pool.cpus, count);
}

// Starts the workers, unless that was done: one for each CPU, since a caller
// may be asleep. The lock is held.
static void pool_start(void) {
  if (pool.is_started) return;
  berth_cond_init(&pool.wake);
  pool.is_started = true;
  int count = least(cpu_count(), MAX_WORKERS);
  for (int i = 0; i < count; ++i) {
    berth_thread_t thread;
    // Fewer workers are no error: the loop is only slower.
    if (berth_thread_start(&thread, worker_main, NULL, NULL) != BERTH_OK) break;
    pthread_detach(thread.impl);
  }
}

// ---- Callers ----

// Lets workers join |loop|, and calls some, where not every CPU has a caller.
// Otherwise there are no workers, and the lock need not be taken.
static void loop_open(loop_t *loop) {
  if (get(&pool.callers) >= room() || loop->limit == 0 ||
      pieces_left(loop) <= 1 || loop->generation != pool.generation) {
    return;
  }
  berth_mutex_lock(&pool.lock);
  pool_start();
  loop->before = pool.last;
  *(pool.last != NULL ? &pool.last->next : &pool.first) = loop;
  pool.last = loop;
  loop->is_open = true;
  int calls = count_calls_for(loop);
  berth_mutex_unlock(&pool.lock);
  // Who waits for this goes for the lock next.
  atomic_fetch_add(&pool.news, 1);
  call_workers(calls);
}

static void unlink_loop(loop_t *loop) {
  *(loop->before != NULL ? &loop->before->next : &pool.first) = loop->next;
  *(loop->next != NULL ? &loop->next->before : &pool.last) = loop->before;
}

// Waits awake for the helpers of |loop|, as long as there are CPUs enough.
static bool wait_awake(loop_t *loop) {
  int64_t end = berth_now_ns() + SPIN_NS;
  while (atomic_load(&loop->helpers) > 0) {
    if (BERTH_TSAN || cpus_free() < 0 || berth_now_ns() >= end) return false;
  }
  return true;
}

// Says that the calling thread, who waits for long pieces, is not at work: the
// loops that they have opened can do with a worker in its place. And that it is
// again. The lock is held.
static void rest_begin(void) {
  atomic_fetch_sub(is_worker ? &pool.busy : &pool.callers, 1);
  if (choose(NULL) != NULL) call_workers(count_calls(1));
}

static void rest_end(void) {
  atomic_fetch_add(is_worker ? &pool.busy : &pool.callers, 1);
}

// Keeps workers from joining |loop| and waits for those who did. False when
// they were lost in a fork (I3), and their pieces with them.
static bool loop_close(loop_t *loop) {
  if (loop->generation != pool.generation) {
    return atomic_load(&loop->helpers) == 0;
  }
  berth_mutex_lock(&pool.lock);
  unlink_loop(loop);
  berth_mutex_unlock(&pool.lock);
  if (wait_awake(loop)) return true;
  berth_mutex_lock(&pool.lock);
  loop->done = own_cond();
  if (loop->is_outer) rest_begin();
  while (atomic_load(&loop->helpers) > 0) {
    sleep_polling(loop->done);
    if (loop->generation != pool.generation) break;
  }
  if (loop->is_outer && loop->generation == pool.generation) rest_end();
  berth_mutex_unlock(&pool.lock);
  return atomic_load(&loop->helpers) == 0;
}

// Does pieces of the caller's own |loop|; false when it was ended.
static bool loop_work(loop_t *loop) {
  int64_t piece = 0;
  for (;;) {
    if (loop->is_open) {
      call_more(loop);
    } else {
      loop_open(loop);
    }
    if (!take(loop, true, &piece)) return true;
    do_piece(loop, piece);
    if (should_poll() && current_scope->poll(current_scope->poll_arg)) {
      return count_taken(atomic_exchange(&loop->taken, loop->pieces)) >=
             loop->pieces;
    }
  }
}

static bool loop_run(loop_t *loop) {
  bool counts = !is_worker && !is_caller;
  if (counts) atomic_fetch_add(&pool.callers, 1);
  is_caller = is_caller || counts;
  is_inside = !loop->is_outer;
  bool is_done = loop_work(loop);
  if (loop->is_open) is_done = loop_close(loop) && is_done;
  is_inside = false;
  if (counts) is_caller = false;
  if (counts && loop->generation == pool.generation) {
    atomic_fetch_sub(&pool.callers, 1);
  }
  return is_done;
}

int berth_parallel_threads(void) {
  if (is_inside) return 1;
  int cpus = cpu_count();
  int wanted = current_scope != NULL ? current_scope->threads : 0;
  return wanted > 0 && wanted < cpus ? wanted : cpus;
}

// Runs |loop|, whose function and pieces are known; on the calling thread alone
// where that is inside a piece.
static bool loop_begin(loop_t *loop) {
  loop->limit = berth_parallel_threads() - 1;
  loop->generation = pool.generation;
  if (!is_inside) return loop_run(loop);
  for (int64_t i = 0; i < loop->pieces; ++i) do_piece(loop, i);
  return true;
}

bool berth_parallel_for(int64_t count, int64_t grain, berth_parallel_fn fn,
                        void *arg) {
  if (count <= grain || count == 1) {
    if (count > 0) fn(arg, 0, count);
    return true;
  }
  int64_t size = piece_size(count, grain < 1 ? 1 : grain);
  loop_t loop = {.fn = fn,
                 .arg = arg,
                 .count = count,
                 .size = size,
                 .pieces = divide_up(count, size)};
  return loop_begin(&loop);
}

bool berth_parallel_each(int64_t count, berth_parallel_fn fn, void *arg) {
  loop_t loop = {.fn = fn,
                 .arg = arg,
                 .count = count,
                 .size = 1,
                 .pieces = count,
                 .is_outer = true};
  return loop_begin(&loop);
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

bool berth_parallel_poll(void) {
  const berth_parallel_scope_t *scope = current_scope;
  return scope != NULL && scope->poll != NULL && scope->poll(scope->poll_arg);
}
