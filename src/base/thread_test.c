// thread_test.c - Tests of threads.
#include "base/thread.h"

#include <signal.h>

#include "harness.h"

static void look_at_mask(void *arg) {
  sigset_t *mask = arg;
  (void)pthread_sigmask(SIG_BLOCK, NULL, mask);
}

// Signals are for the program's threads: Python's handlers, for one, and any
// whose stack the program knows.
TEST(thread, blocks_signals) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_thread_t thread;
  sigset_t mask, before, after;
  sigemptyset(&mask);
  (void)pthread_sigmask(SIG_BLOCK, NULL, &before);
  ASSERT_OK(berth_thread_start(&thread, look_at_mask, &mask, &err), &err);
  berth_thread_join(&thread);
  (void)pthread_sigmask(SIG_BLOCK, NULL, &after);
  for (int number = 1; number < SIGRTMIN; ++number) {
    // Two cannot be blocked, and the C library has some of its own.
    if (number == SIGKILL || number == SIGSTOP || number >= 32) continue;
    EXPECT_EQ(sigismember(&mask, number), 1);
    EXPECT_EQ(sigismember(&after, number), sigismember(&before, number));
  }
}
