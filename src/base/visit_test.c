// visit_test.c - Tests of visits, and of processes that end meanwhile.
#include "base/visit.h"

#include <pthread.h>
#include <stdatomic.h>

#include "base/thread.h"
#include "harness.h"

static atomic_int stage = 0;

// Lives |life| in a process of its own and returns how that ended.
static int end_of(void (*life)(void)) {
  pid_t child = fork();
  if (child == 0) {
    alarm(15);  // Against waiting for ever.
    life();
    _Exit(9);
  }
  int status = -1;
  return waitpid(child, &status, 0) == child ? status : -1;
}

TEST(visit, begins_and_ends) {
  EXPECT_FALSE(berth_visit_is_over());
  for (int i = 0; i < 1000; ++i) {
    ASSERT_TRUE(berth_visit_begin());
    ASSERT_TRUE(berth_visit_begin());
    berth_visit_end();
    berth_visit_end();
  }
}

// Registered last, called second: the doors are shut before.
static void check_shut(void) {
  if (!berth_visit_is_over() || berth_visit_begin()) _Exit(1);
}

static void end_without_visits(void) {
  atexit(check_shut);
  exit(0);
}

TEST(visit, is_over_when_the_process_ends) {
  EXPECT_EQ(end_of(end_without_visits), 0);
}

// ---- Others inside ----

static void stay_inside(void *arg) {
  (void)arg;
  if (!berth_visit_begin()) _Exit(2);
  atomic_store(&stage, 1);
  while (!berth_visit_is_over()) usleep(100);
  usleep(20000);
  atomic_store(&stage, 2);
  berth_visit_end();
  if (berth_visit_begin()) _Exit(3);
  atomic_store(&stage, 3);
}

static void check_left(void) {
  if (atomic_load(&stage) < 2) _Exit(4);
}

static void start_visitor(void) {
  berth_thread_t thread;
  if (berth_thread_start(&thread, stay_inside, NULL, NULL) != BERTH_OK) {
    _Exit(5);
  }
  pthread_detach(thread.impl);
  while (atomic_load(&stage) == 0) usleep(100);
}

static void end_beside_a_visitor(void) {
  start_visitor();
  atexit(check_left);
  exit(0);
}

TEST(visit, is_waited_for) { EXPECT_EQ(end_of(end_beside_a_visitor), 0); }

static void end_in_a_thread(void *arg) {
  (void)arg;
  exit(0);
}

static void end_elsewhere(void) {
  berth_thread_t thread;
  atexit(check_left);
  start_visitor();
  berth_visit_settle();  // Comes before what was registered so far.
  if (berth_thread_start(&thread, end_in_a_thread, NULL, NULL) != BERTH_OK) {
    _Exit(5);
  }
  pthread_detach(thread.impl);
  for (;;) pause();
}

TEST(visit, is_waited_for_by_any_thread) {
  EXPECT_EQ(end_of(end_elsewhere), 0);
}

// ---- One's own ----

static void end_inside(void) {
  if (!berth_visit_begin()) _Exit(2);
  exit(0);
}

TEST(visit, of_the_ending_thread_is_not_waited_for) {
  EXPECT_EQ(end_of(end_inside), 0);
}

// ---- Forks ----

static void end_a_child(void) {
  start_visitor();
  pid_t child = fork();
  if (child == 0) {
    alarm(5);  // It has nobody to wait for.
    if (!berth_visit_begin()) _Exit(6);
    berth_visit_end();
    exit(0);
  }
  int status = -1;
  if (waitpid(child, &status, 0) != child || status != 0) _Exit(7);
  atexit(check_left);
  exit(0);
}

TEST(visit, of_a_parent_is_not_the_childs) {
  EXPECT_EQ(end_of(end_a_child), 0);
}

static void end_quickly(void) {
  start_visitor();
  quick_exit(0);
}

TEST(visit, does_not_hold_a_quick_end) { EXPECT_EQ(end_of(end_quickly), 0); }
