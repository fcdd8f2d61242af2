// parallel_test.c - Tests of the parallel loop.
#include "base/parallel.h"

#include <float.h>
#include <stdatomic.h>

#include "base/clock.h"
#include "base/compiler.h"
#include "base/fault.h"
#include "base/float_env.h"
#include "base/thread.h"
#include "harness.h"

// What a test waits for at most; it fails when that is not enough.
#define PATIENCE_NS ((int64_t)30000000000)

typedef struct counted {
  atomic_int touched[10000];
  atomic_int pieces;
} counted_t;

static void touch(void *arg, int64_t begin, int64_t end) {
  counted_t *counted = arg;
  atomic_fetch_add(&counted->pieces, 1);
  for (int64_t i = begin; i < end; ++i) {
    atomic_fetch_add(&counted->touched[i], 1);
  }
}

static void expect_each_once(counted_t *counted) {
  for (int i = 0; i < 10000; ++i) {
    if (counted->touched[i] != 1) {
      HARNESS_FAIL("element %d was done %d times", i, counted->touched[i]);
      return;
    }
  }
}

TEST(parallel, does_every_element_once) {
  static counted_t counted;
  berth_parallel_for(10000, 7, touch, &counted);
  expect_each_once(&counted);
}

TEST(parallel, calls_once_when_the_grain_is_large) {
  static counted_t counted;
  berth_parallel_for(10000, 10000, touch, &counted);
  expect_each_once(&counted);
  EXPECT_EQ(counted.pieces, 1);
}

// A loop that notes which threads are at work on it.
typedef struct crowd {
  int64_t caller;
  atomic_int others;  // Pieces done by others than the caller.
  atomic_int now, most;
} crowd_t;

static void meet(void *arg, int64_t begin, int64_t end) {
  crowd_t *crowd = arg;
  int now = atomic_fetch_add(&crowd->now, 1) + 1;
  int most = atomic_load(&crowd->most);
  while (now > most &&
         !atomic_compare_exchange_weak(&crowd->most, &most, now)) {
  }
  if (berth_thread_id() != crowd->caller) atomic_fetch_add(&crowd->others, 1);
  for (int64_t i = begin; i < end; ++i) sched_yield();
  atomic_fetch_sub(&crowd->now, 1);
}

TEST(parallel, keeps_to_as_many_threads_as_told) {
  berth_parallel_pretend_cpus(6);
  for (int threads = 1; threads <= 4; ++threads) {
    crowd_t crowd = {.caller = berth_thread_id()};
    berth_parallel_scope_t scope = {.threads = threads};
    const berth_parallel_scope_t *before = berth_parallel_enter(&scope);
    EXPECT_EQ(berth_parallel_threads(), threads);
    for (int i = 0; i < 50; ++i) {
      EXPECT_TRUE(berth_parallel_for(1000, 10, meet, &crowd));
    }
    EXPECT_TRUE(berth_parallel_enter(before) == &scope);
    EXPECT_TRUE(crowd.most <= threads);
    if (threads == 1) EXPECT_EQ(crowd.others, 0);
  }
}

// Where the pieces of a loop begin and end.
typedef struct cuts {
  int64_t end[3001];  // By the element where it begins; 0: none does.
} cuts_t;

static void note_cut(void *arg, int64_t begin, int64_t end) {
  ((cuts_t *)arg)->end[begin] = end;
}

static void nest_cuts(void *arg, int64_t begin, int64_t end) {
  (void)end;
  if (begin == 0) berth_parallel_for(3001, 13, note_cut, arg);
}

TEST(parallel, cuts_by_count_and_grain_alone) {
  static const int counts[] = {1, 2, 3, 4, 8};
  static cuts_t first, cuts;
  berth_parallel_pretend_cpus(8);
  for (int i = 0; i < BERTH_COUNT_OF(counts); ++i) {
    berth_parallel_scope_t scope = {.threads = counts[i]};
    const berth_parallel_scope_t *before = berth_parallel_enter(&scope);
    memset(&cuts, 0, sizeof(cuts));
    berth_parallel_for(3001, 13, note_cut, &cuts);
    if (i == 0) first = cuts;
    EXPECT_EQ(memcmp(&first, &cuts, sizeof(cuts)), 0);
    // Inside a piece as well.
    memset(&cuts, 0, sizeof(cuts));
    berth_parallel_for(2, 1, nest_cuts, &cuts);
    EXPECT_EQ(memcmp(&first, &cuts, sizeof(cuts)), 0);
    berth_parallel_enter(before);
  }
  int64_t at = 0, pieces = 0;
  for (; at < 3001 && first.end[at] > at; ++pieces) {
    EXPECT_TRUE(first.end[at] == at + 13 || first.end[at] == 3001);
    at = first.end[at];
  }
  EXPECT_EQ(at, 3001);
  EXPECT_EQ(pieces, 231);
}

// Bytes, say: no cache line belongs to two pieces.
TEST(parallel, cuts_long_pieces_between_cache_lines) {
  static cuts_t cuts;
  berth_parallel_for(3001, 2000, note_cut, &cuts);
  EXPECT_EQ(cuts.end[0], 1536);
  EXPECT_EQ(cuts.end[1536], 3001);
}

TEST(parallel, cuts_counts_of_any_size) {
  static counted_t counted;
  EXPECT_TRUE(berth_parallel_for(0, 1, touch, &counted));
  EXPECT_TRUE(berth_parallel_for(-1, 1, touch, &counted));
  EXPECT_EQ(counted.pieces, 0);
  EXPECT_TRUE(berth_parallel_for(10000, 0, touch, &counted));
  expect_each_once(&counted);
  EXPECT_EQ(counted.pieces, 10000);
  crowd_t crowd = {0};
  berth_parallel_scope_t scope = {1, NULL, NULL};
  const berth_parallel_scope_t *before = berth_parallel_enter(&scope);
  EXPECT_TRUE(berth_parallel_for(1, INT64_MAX, meet, &crowd));
  berth_parallel_enter(before);
}

// Notes which pieces the caller does. Each ends when both threads have had some.
typedef struct ends {
  int64_t caller;
  atomic_bool is_own[64];
  atomic_int own, others;
} ends_t;

static void note_side(void *arg, int64_t begin, int64_t end) {
  ends_t *ends = arg;
  bool is_own = berth_thread_id() == ends->caller;
  for (int64_t i = begin; i < end; ++i) atomic_store(&ends->is_own[i], is_own);
  atomic_fetch_add(is_own ? &ends->own : &ends->others, 1);
  int64_t until = berth_now_ns() + PATIENCE_NS;
  while (atomic_load(&ends->own) == 0 || atomic_load(&ends->others) == 0) {
    if (berth_now_ns() > until) return;
    sched_yield();
  }
}

TEST(parallel, leaves_the_first_pieces_to_the_caller) {
  berth_parallel_pretend_cpus(2);
  static ends_t ends;
  ends.caller = berth_thread_id();
  EXPECT_TRUE(berth_parallel_for(64, 1, note_side, &ends));
  EXPECT_TRUE(ends.own > 0 && ends.others > 0);
  EXPECT_EQ(ends.own + ends.others, 64);
  for (int i = 0; i < 64; ++i) EXPECT_EQ(ends.is_own[i], i < ends.own);
}

static bool stop(void *arg) {
  ++*(int *)arg;
  return true;
}

TEST(parallel, leaves_out_pieces_when_polling_says_so) {
  static counted_t counted;
  int polls = 0;
  berth_parallel_scope_t scope = {1, stop, &polls};
  const berth_parallel_scope_t *before = berth_parallel_enter(&scope);
  EXPECT_FALSE(berth_parallel_for(10000, 1, touch, &counted));
  berth_parallel_enter(before);
  EXPECT_EQ(polls, 1);
  EXPECT_EQ(counted.pieces, 1);
}

TEST(parallel, does_all_where_nothing_may_be_left_out) {
  static counted_t counted;
  int polls = 0;
  berth_parallel_scope_t scope = {2, stop, &polls};
  const berth_parallel_scope_t *before = berth_parallel_enter(&scope);
  berth_parallel_for_all(10000, 1, touch, &counted);
  EXPECT_TRUE(berth_parallel_enter(before) == &scope);
  expect_each_once(&counted);
  EXPECT_EQ(polls, 0);
}

static void nested(void *arg, int64_t begin, int64_t end) {
  counted_t *counted = arg;
  (void)begin;
  (void)end;
  berth_parallel_for(10000, 100, touch, counted);
}

TEST(parallel, runs_a_loop_inside_a_loop) {
  static counted_t counted;
  berth_parallel_for(1, 1, nested, &counted);
  expect_each_once(&counted);
}

// ---- Several loops at once ----

typedef struct meeting {
  atomic_int arrived;    // Threads that are in a piece.
  atomic_int wanted;     // How many are waited for.
  atomic_bool is_over;   // Nobody waits any more.
  atomic_bool was_late;  // Somebody waited in vain.
} meeting_t;

static bool wait_until(const atomic_bool *flag) {
  int64_t end = berth_now_ns() + PATIENCE_NS;
  while (!atomic_load(flag)) {
    if (berth_now_ns() > end) return false;
    sched_yield();
  }
  return true;
}

// Waits in a piece until |wanted| threads are there.
static void gather(void *arg, int64_t begin, int64_t end) {
  (void)begin;
  (void)end;
  meeting_t *meeting = arg;
  if (atomic_fetch_add(&meeting->arrived, 1) + 1 >= meeting->wanted) {
    atomic_store(&meeting->is_over, true);
  }
  if (!wait_until(&meeting->is_over)) atomic_store(&meeting->was_late, true);
}

typedef struct holder {
  meeting_t meeting;  // Of two threads in the holder's loop.
  atomic_bool release, is_held;
} holder_t;

static void hold_piece(void *arg, int64_t begin, int64_t end) {
  holder_t *holder = arg;
  gather(&holder->meeting, begin, end);
  atomic_store(&holder->is_held, true);
  (void)wait_until(&holder->release);
}

// Has a loop of two pieces, both of which are being done until the release.
static void hold(void *arg) {
  holder_t *holder = arg;
  berth_parallel_scope_t scope = {.threads = 2};
  berth_parallel_enter(&scope);
  holder->meeting.wanted = 2;
  berth_parallel_for(2, 1, hold_piece, arg);
}

TEST(parallel, gives_workers_to_a_second_loop) {
  berth_parallel_pretend_cpus(4);
  static holder_t holder;
  berth_thread_t thread;
  ASSERT_OK(berth_thread_start(&thread, hold, &holder, NULL), NULL);
  EXPECT_TRUE(wait_until(&holder.is_held));
  meeting_t meeting = {.wanted = 2};
  EXPECT_TRUE(berth_parallel_for(2, 1, gather, &meeting));
  EXPECT_FALSE(meeting.was_late);
  atomic_store(&holder.release, true);
  berth_thread_join(&thread);
  EXPECT_FALSE(holder.meeting.was_late);
}

typedef struct joined {
  holder_t *holder;
  int64_t caller;
  int64_t deadline;
  atomic_bool has_helper;
} joined_t;

// Releases the other loop, and goes on until a worker comes.
static void wait_for_helper(void *arg, int64_t begin, int64_t end) {
  (void)begin;
  (void)end;
  joined_t *joined = arg;
  atomic_store(&joined->holder->release, true);
  if (berth_thread_id() != joined->caller) {
    atomic_store(&joined->has_helper, true);
  }
  if (!joined->has_helper && berth_now_ns() < joined->deadline) {
    struct timespec moment = {0, 100000};
    nanosleep(&moment, NULL);
  }
}

TEST(parallel, is_joined_when_workers_come_free) {
  berth_parallel_pretend_cpus(2);
  static holder_t holder;
  berth_thread_t thread;
  ASSERT_OK(berth_thread_start(&thread, hold, &holder, NULL), NULL);
  EXPECT_TRUE(wait_until(&holder.is_held));
  // Both CPUs are taken when this one begins.
  joined_t joined = {.holder = &holder,
                     .caller = berth_thread_id(),
                     .deadline = berth_now_ns() + PATIENCE_NS};
  EXPECT_TRUE(berth_parallel_for(1000000, 1, wait_for_helper, &joined));
  EXPECT_TRUE(joined.has_helper);
  berth_thread_join(&thread);
}

typedef struct shared {
  atomic_bool is_open;   // The first loop has begun.
  atomic_int now[2];     // Workers on each loop.
  atomic_bool was_fair;  // Each had one at the same time.
  int64_t deadline;
} shared_t;

typedef struct side {
  shared_t *shared;
  int index;
  int64_t caller;
} side_t;

static void share_piece(void *arg, int64_t begin, int64_t end) {
  (void)begin;
  (void)end;
  side_t *side = arg;
  shared_t *shared = side->shared;
  bool is_worker = berth_thread_id() != side->caller;
  atomic_store(&shared->is_open, true);
  if (atomic_load(&shared->was_fair)) return;
  if (is_worker) atomic_fetch_add(&shared->now[side->index], 1);
  if (atomic_load(&shared->now[0]) > 0 && atomic_load(&shared->now[1]) > 0) {
    atomic_store(&shared->was_fair, true);
  }
  if (berth_now_ns() < shared->deadline) {
    struct timespec moment = {0, 200000};
    nanosleep(&moment, NULL);
  }
  if (is_worker) atomic_fetch_sub(&shared->now[side->index], 1);
}

static void share(void *arg) {
  side_t *side = arg;
  side->caller = berth_thread_id();
  berth_parallel_for(1000000, 1, share_piece, side);
}

// The first loop has both workers when the second opens, and gives one up.
TEST(parallel, shares_workers_between_loops) {
  berth_parallel_pretend_cpus(4);
  static shared_t shared;
  shared.deadline = berth_now_ns() + PATIENCE_NS;
  static side_t sides[2] = {{&shared, 0, 0}, {&shared, 1, 0}};
  berth_thread_t thread;
  ASSERT_OK(berth_thread_start(&thread, share, &sides[0], NULL), NULL);
  EXPECT_TRUE(wait_until(&shared.is_open));
  share(&sides[1]);
  berth_thread_join(&thread);
  EXPECT_TRUE(shared.was_fair);
}

static void many_loops(void *arg) {
  (void)arg;
  for (int i = 0; i < 200; ++i) {
    counted_t *counted = calloc(1, sizeof(*counted));
    berth_parallel_for(10000, 10, touch, counted);
    expect_each_once(counted);
    free(counted);
  }
}

TEST(parallel, serves_several_threads_at_once) {
  berth_thread_t threads[4];
  berth_error_t err = BERTH_ERROR_INIT;
  for (int i = 0; i < 4; ++i) {
    ASSERT_OK(berth_thread_start(&threads[i], many_loops, NULL, &err), &err);
  }
  for (int i = 0; i < 4; ++i) berth_thread_join(&threads[i]);
}

// ---- By luck ----

// Waits for |child| and says whether it succeeded.
static bool has_succeeded(pid_t child) {
  int status = 0;
  return waitpid(child, &status, 0) == child && status == 0;
}

typedef struct lot {
  uint32_t seed;
  int64_t count;
  atomic_uchar *done;
  bool is_nested;
  int polls_left;  // Before the loop is ended.
  atomic_bool was_nested_right;
} lot_t;

static uint32_t draw(uint32_t *seed) {
  *seed = *seed * 1664525u + 1013904223u;
  return *seed >> 8;
}

static void nested_sum(void *arg, int64_t begin, int64_t end) {
  for (int64_t i = begin; i < end; ++i) {
    atomic_fetch_add((atomic_llong *)arg, i);
  }
}

static void lot_piece(void *arg, int64_t begin, int64_t end) {
  lot_t *lot = arg;
  for (int64_t i = begin; i < end; ++i) atomic_fetch_add(&lot->done[i], 1);
  if (!lot->is_nested) return;
  atomic_llong sum = 0;
  if (!berth_parallel_for(100, 7, nested_sum, &sum) || sum != 4950) {
    lot->was_nested_right = false;
  }
}

static bool lot_poll(void *arg) { return --((lot_t *)arg)->polls_left == 0; }

// One loop of any size, grain and limit, which may be ended.
static void play(lot_t *lot) {
  lot->count = draw(&lot->seed) % 3000 + 1;
  lot->done = calloc((size_t)lot->count, sizeof(*lot->done));
  lot->was_nested_right = true;
  bool may_end = draw(&lot->seed) % 3 == 0;
  lot->polls_left = may_end ? (int)(draw(&lot->seed) % 20) + 1 : 0;
  berth_parallel_scope_t scope = {(int)(draw(&lot->seed) % 5), lot_poll, lot};
  const berth_parallel_scope_t *before = berth_parallel_enter(&scope);
  int64_t grain = draw(&lot->seed) % 64 + 1;
  // A single piece is a plain call: what is in it may be ended.
  lot->is_nested = draw(&lot->seed) % 4 == 0 && lot->count > grain;
  bool is_done = berth_parallel_for(lot->count, grain, lot_piece, lot);
  berth_parallel_enter(before);
  int64_t missing = 0;
  for (int64_t i = 0; i < lot->count; ++i) {
    EXPECT_TRUE(lot->done[i] <= 1);
    missing += lot->done[i] == 0;
  }
  EXPECT_EQ(is_done, missing == 0);
  EXPECT_TRUE(may_end || is_done);
  EXPECT_TRUE(lot->was_nested_right);
  free(lot->done);
}

static void play_many(void *arg) {
  lot_t lot = {.seed = (uint32_t)(uintptr_t)arg};
  for (int i = 0; i < 300; ++i) play(&lot);
}

static void play_in_threads(uintptr_t seed) {
  berth_thread_t threads[6];
  berth_error_t err = BERTH_ERROR_INIT;
  for (uintptr_t i = 0; i < 6; ++i) {
    ASSERT_OK(berth_thread_start(&threads[i], play_many,
                                 (void *)(seed + i * 7919), &err),
              &err);
  }
  for (int i = 0; i < 6; ++i) berth_thread_join(&threads[i]);
}

TEST(parallel, does_random_loops_of_random_threads) {
  static const int cpus[] = {2, 4, 8, 1};
  for (int i = 0; i < 4; ++i) {
    pid_t child = fork();
    if (child == 0) {
      berth_parallel_pretend_cpus(cpus[i]);
      play_in_threads((uintptr_t)i + 1);
      _Exit(harness_failures > 0 ? 1 : 0);
    }
    EXPECT_TRUE(has_succeeded(child));
  }
}

// ---- Long pieces ----

enum { CHORES = 5 };

typedef struct chores {
  counted_t *counted[CHORES];
  bool is_nested;  // Each has chores of its own.
} chores_t;

static void do_chores(bool is_nested);

static void do_chore(void *arg, int64_t begin, int64_t end) {
  chores_t *chores = arg;
  for (int64_t i = begin; i < end; ++i) {
    if (chores->is_nested) do_chores(false);
    EXPECT_TRUE(berth_parallel_for(10000, 100, touch, chores->counted[i]));
  }
}

static void do_chores(bool is_nested) {
  chores_t chores = {.is_nested = is_nested};
  for (int i = 0; i < CHORES; ++i) {
    chores.counted[i] = calloc(1, sizeof(counted_t));
  }
  EXPECT_TRUE(berth_parallel_each(CHORES, do_chore, &chores));
  for (int i = 0; i < CHORES; ++i) {
    expect_each_once(chores.counted[i]);
    free(chores.counted[i]);
  }
}

static void do_many_chores(void *arg) {
  (void)arg;
  for (int i = 0; i < 10; ++i) do_chores(i % 2 == 0);
}

TEST(parallel, does_long_pieces_that_have_loops_and_long_pieces) {
  berth_parallel_pretend_cpus(4);
  berth_thread_t threads[3];
  for (int i = 0; i < 3; ++i) {
    ASSERT_OK(berth_thread_start(&threads[i], do_many_chores, NULL, NULL),
              NULL);
  }
  do_many_chores(NULL);
  for (int i = 0; i < 3; ++i) berth_thread_join(&threads[i]);
}

TEST(parallel, does_long_pieces_without_workers) {
  berth_parallel_pretend_cpus(1);
  do_many_chores(NULL);
}

TEST(parallel, does_long_pieces_at_the_same_time) {
  berth_parallel_pretend_cpus(2);
  static meeting_t meeting = {.wanted = 2};
  EXPECT_TRUE(berth_parallel_each(2, gather, &meeting));
  EXPECT_FALSE(meeting.was_late);
}

// Workers take denormal numbers for zero, as callers who run kernels do.
typedef struct sums {
  int64_t caller;
  meeting_t meeting;
  atomic_bool worker_flushes;
} sums_t;

static bool flushes(void) {
  volatile float least = FLT_MIN;
  return least * 0.5F == 0;
}

static void add_small(void *arg, int64_t begin, int64_t end) {
  sums_t *sums = arg;
  gather(&sums->meeting, begin, end);
  if (berth_thread_id() != sums->caller) sums->worker_flushes = flushes();
}

TEST(parallel, has_workers_that_compute_as_runs_do) {
  berth_parallel_pretend_cpus(2);
  static sums_t sums = {.meeting = {.wanted = 2}};
  sums.caller = berth_thread_id();
  EXPECT_TRUE(berth_parallel_each(2, add_small, &sums));
  EXPECT_FALSE(sums.meeting.was_late);
  berth_float_env_t before = berth_float_env_enter();
  bool wanted = flushes();
  berth_float_env_leave(before);
  EXPECT_EQ(sums.worker_flushes, wanted);
}

// The caller's piece is over at once; the other's is a loop for two threads.
typedef struct pair {
  int64_t caller;
  meeting_t both, inner;
} pair_t;

static void have_loop(void *arg, int64_t begin, int64_t end) {
  pair_t *pair = arg;
  gather(&pair->both, begin, end);
  if (berth_thread_id() == pair->caller) return;
  EXPECT_TRUE(berth_parallel_for(2, 1, gather, &pair->inner));
}

TEST(parallel, has_a_worker_in_place_of_a_caller_who_waits) {
  berth_parallel_pretend_cpus(2);
  static pair_t pair = {.both = {.wanted = 2}, .inner = {.wanted = 2}};
  pair.caller = berth_thread_id();
  EXPECT_TRUE(berth_parallel_each(2, have_loop, &pair));
  EXPECT_FALSE(pair.both.was_late);
  EXPECT_FALSE(pair.inner.was_late);
}

// ---- Without workers ----

TEST(parallel, does_without_threads_that_cannot_be_had) {
  static counted_t counted;
  berth_parallel_pretend_cpus(4);
  berth_fault_arm("thread", 1);
  EXPECT_TRUE(berth_parallel_for(10000, 7, touch, &counted));
  EXPECT_EQ(berth_fault_disarm(), 1);
  expect_each_once(&counted);
  do_many_chores(NULL);
}

// ---- fork ----

TEST(parallel, works_after_fork) {
  if (BERTH_TSAN) SKIP("the thread sanitizer allows no threads after fork");
  static counted_t counted;
  berth_parallel_for(10000, 7, touch, &counted);
  pid_t child = fork();
  if (child == 0) {
    static counted_t again;
    berth_parallel_for(10000, 7, touch, &again);
    expect_each_once(&again);
    _Exit(harness_failures > 0 ? 1 : 0);
  }
  EXPECT_TRUE(has_succeeded(child));
}

TEST(parallel, works_after_fork_beside_open_loops) {
  if (BERTH_TSAN) SKIP("the thread sanitizer allows no threads after fork");
#if defined(__SANITIZE_ADDRESS__)
  SKIP("the address sanitizer's own heap may be locked in a forked child");
#endif
  berth_parallel_pretend_cpus(4);
  static holder_t holder;
  berth_thread_t thread;
  ASSERT_OK(berth_thread_start(&thread, hold, &holder, NULL), NULL);
  EXPECT_TRUE(wait_until(&holder.is_held));
  pid_t child = fork();
  if (child == 0) {
    alarm(60);
    crowd_t crowd = {.caller = berth_thread_id()};
    while (crowd.others == 0) berth_parallel_for(1000, 10, meet, &crowd);
    do_many_chores(NULL);
    play_in_threads(99);
    _Exit(harness_failures > 0 ? 1 : 0);
  }
  EXPECT_TRUE(has_succeeded(child));
  atomic_store(&holder.release, true);
  berth_thread_join(&thread);
}

typedef struct forked {
  meeting_t meeting;
  pid_t child;
  atomic_bool has_forked;
} forked_t;

// Forks in the middle of a loop, when a worker has a piece of it.
static bool fork_once(void *arg) {
  forked_t *forked = arg;
  if (atomic_load(&forked->has_forked)) return false;
  forked->child = fork();
  if (forked->child == 0) alarm(60);
  atomic_store(&forked->has_forked, true);
  return false;
}

// The caller's piece ends when the worker has one too, which ends later.
static void hold_helper(void *arg, int64_t begin, int64_t end) {
  forked_t *forked = arg;
  gather(&forked->meeting, begin, end);
  if (berth_thread_id() != getpid()) (void)wait_until(&forked->has_forked);
}

TEST(parallel, ends_a_loop_in_a_child_whose_worker_is_gone) {
  if (BERTH_TSAN) SKIP("the thread sanitizer allows no threads after fork");
  berth_parallel_pretend_cpus(2);
  static forked_t forked;
  forked.meeting.wanted = 2;
  berth_parallel_scope_t scope = {2, fork_once, &forked};
  const berth_parallel_scope_t *before = berth_parallel_enter(&scope);
  bool is_done = berth_parallel_for(20, 1, hold_helper, &forked);
  berth_parallel_enter(before);
  if (forked.child == 0) {
    // The worker's piece is missing, and a new loop has workers again.
    static counted_t counted;
    berth_parallel_for(10000, 7, touch, &counted);
    expect_each_once(&counted);
    _Exit(harness_failures > 0 || is_done ? 1 : 0);
  }
  EXPECT_TRUE(is_done);
  EXPECT_TRUE(has_succeeded(forked.child));
}
