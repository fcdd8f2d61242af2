// parallel_test.c - Tests of the parallel loop.
#include "base/parallel.h"

#include <stdatomic.h>

#include "base/thread.h"
#include "harness.h"

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

TEST(parallel, keeps_to_one_thread_when_told) {
  static counted_t counted;
  berth_parallel_scope_t scope = {.threads = 1};
  const berth_parallel_scope_t *before = berth_parallel_enter(&scope);
  EXPECT_EQ(berth_parallel_threads(), 1);
  berth_parallel_for(10000, 1, touch, &counted);
  EXPECT_TRUE(berth_parallel_enter(before) == &scope);
  expect_each_once(&counted);
  EXPECT_EQ(counted.pieces, 1);
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

TEST(parallel, works_after_fork) {
  static counted_t counted;
  berth_parallel_for(10000, 7, touch, &counted);
  pid_t child = fork();
  if (child == 0) {
    static counted_t again;
    berth_parallel_for(10000, 7, touch, &again);
    expect_each_once(&again);
    _Exit(harness_failures > 0 ? 1 : 0);
  }
  int status = 0;
  ASSERT_TRUE(waitpid(child, &status, 0) == child);
  EXPECT_EQ(status, 0);
}
