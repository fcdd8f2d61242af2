// fork_test.c - Locks that are held while the process forks.
#include "base/fork.h"

#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "harness.h"

static berth_mutex_t outer = BERTH_MUTEX_INIT;  // Guards |first|.
static berth_mutex_t inner = BERTH_MUTEX_INIT;  // Guards |second|.
BERTH_FORK_HOLDS(inner, BERTH_FORK_LEAF)
BERTH_FORK_HOLDS(outer, BERTH_FORK_PROCESS)

static int first = 0, second = 0;
static int before = 0, in_parent = 0, in_child = 0;

static void note_before(void) { ++before; }
static void note_parent(void) { ++in_parent; }
static void note_child(void) { ++in_child; }
BERTH_FORK_HOOK(notes, .rank = BERTH_FORK_INNERMOST, .before = note_before,
                .in_parent = note_parent, .in_child = note_child)

static atomic_bool is_over;

// Changes both, one under the other's lock, with a pause in between.
static void change(void *arg) {
  (void)arg;
  while (!atomic_load(&is_over)) {
    berth_mutex_lock(&outer);
    ++first;
    berth_mutex_lock(&inner);
    berth_sleep_ns(10000);
    ++second;
    berth_mutex_unlock(&inner);
    berth_mutex_unlock(&outer);
  }
}

static int child_main(int notes) {
  alarm(60);
  berth_mutex_lock(&outer);
  berth_mutex_lock(&inner);
  bool is_whole = first == second;
  berth_mutex_unlock(&inner);
  berth_mutex_unlock(&outer);
  return is_whole && in_child == 1 && before == notes + 1 ? 0 : 1;
}

// A child finds the locks free, and what they guard whole.
TEST(fork, holds_locks) {
  enum { THREADS = 3, FORKS = 40 };
  berth_thread_t threads[THREADS];
  berth_error_t err = BERTH_ERROR_INIT;
  if (BERTH_TSAN) SKIP("its runtime does not go through such forks");
  int notes = before, parents = in_parent;
  for (int i = 0; i < THREADS; ++i) {
    ASSERT_OK(berth_thread_start(&threads[i], change, NULL, &err), &err);
  }
  in_child = 0;
  for (int i = 0; i < FORKS; ++i) {
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) _exit(child_main(notes + i));
    int status = -1;
    EXPECT_TRUE(child > 0 && waitpid(child, &status, 0) == child);
    EXPECT_EQ(status, 0);
  }
  atomic_store(&is_over, true);
  for (int i = 0; i < THREADS; ++i) berth_thread_join(&threads[i]);
  EXPECT_EQ(in_parent, parents + FORKS);
  EXPECT_EQ(in_child, 0);
}
