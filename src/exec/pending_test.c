// pending_test.c - Waiting for steps that block.
#include "exec/pending.h"

#include "harness.h"

static berth_tensor_t *number(float value) {
  berth_tensor_t *tensor = NULL;
  if (berth_tensor_copy_from(BERTH_FLOAT, BERTH_SCALAR, &value, &tensor,
                             NULL) != BERTH_OK) {
    HARNESS_FAIL("no tensor");
  }
  return tensor;
}

static void finish(berth_pending_t *pending, float value) {
  berth_tensor_t *outputs[1] = {number(value)};
  pending->completion.done(&pending->completion, BERTH_OK, NULL, outputs);
}

static atomic_int cancelled, cleaned;

static void on_cancel(berth_completion_t *completion) {
  atomic_fetch_add(&cancelled, 1);
  completion->done(completion, BERTH_CANCELLED, "told to end", NULL);
}

static void on_cleanup(berth_completion_t *completion) {
  (void)completion;
  atomic_fetch_add(&cleaned, 1);
}

// ---- One thread ----

TEST(pending, done_before_the_kernel_returns) {
  berth_waiter_t waiter;
  berth_pending_t pending;
  berth_tensor_t *output = NULL;
  berth_waiter_init(&waiter);
  berth_pending_init(&pending, &waiter, &output, 1);
  EXPECT_FALSE(berth_waiter_is_busy(&waiter));
  berth_pending_begin(&pending);
  EXPECT_TRUE(berth_waiter_is_busy(&waiter));
  EXPECT_TRUE(berth_waiter_take(&waiter) == NULL);
  finish(&pending, 3);
  EXPECT_EQ(waiter.waiting, 0);
  EXPECT_TRUE(berth_waiter_is_busy(&waiter));
  EXPECT_TRUE(berth_waiter_take(&waiter) == &pending);
  EXPECT_FALSE(berth_waiter_is_busy(&waiter));
  ASSERT_OK(berth_pending_result(&pending, NULL), NULL);
  EXPECT_NEAR(*(const float *)berth_tensor_data(output), 3, 0);
  berth_tensor_release(output);
  berth_pending_deinit(&pending);
  berth_waiter_deinit(&waiter);
}

// A kernel that did not have to wait leaves nothing behind.
TEST(pending, ended_by_the_kernel) {
  berth_waiter_t waiter;
  berth_pending_t pending;
  berth_waiter_init(&waiter);
  berth_pending_init(&pending, &waiter, NULL, 0);
  berth_pending_begin(&pending);
  berth_pending_end(&pending);
  EXPECT_FALSE(berth_waiter_is_busy(&waiter));
  berth_waiter_sleep(&waiter);
  berth_waiter_drain(&waiter);
  berth_pending_cancel(&pending);
  berth_pending_deinit(&pending);
  berth_waiter_deinit(&waiter);
}

TEST(pending, failures_have_a_text) {
  berth_waiter_t waiter;
  berth_pending_t pending;
  berth_tensor_t *output = NULL;
  berth_error_t err = BERTH_ERROR_INIT;
  berth_waiter_init(&waiter);
  for (int i = 0; i < 2; ++i) {
    berth_pending_init(&pending, &waiter, &output, 1);
    berth_pending_begin(&pending);
    pending.completion.cleanup = on_cleanup;
    pending.completion.done(&pending.completion, BERTH_OUT_OF_RANGE,
                            i == 0 ? "the queue is closed" : NULL, NULL);
    EXPECT_TRUE(berth_waiter_take(&waiter) == &pending);
    EXPECT_FAILS(berth_pending_result(&pending, &err), BERTH_OUT_OF_RANGE, &err,
                 i == 0 ? "the queue is closed" : "the op failed");
    EXPECT_TRUE(output == NULL);
    berth_pending_deinit(&pending);
    berth_pending_deinit(&pending);
    EXPECT_EQ(atomic_load(&cleaned), i + 1);
  }
  berth_waiter_deinit(&waiter);
}

TEST(pending, only_what_waits_is_cancelled) {
  enum { ALL = 3 };
  berth_waiter_t waiter;
  berth_pending_t pending[ALL];
  berth_waiter_init(&waiter);
  for (int i = 0; i < ALL; ++i) {
    berth_pending_init(&pending[i], &waiter, NULL, 0);
    if (i == 2) continue;  // Not begun.
    berth_pending_begin(&pending[i]);
    pending[i].completion.cancel = on_cancel;
  }
  pending[0].completion.done(&pending[0].completion, BERTH_OK, NULL, NULL);
  for (int i = 0; i < ALL; ++i) berth_pending_cancel(&pending[i]);
  for (int i = 0; i < ALL; ++i) berth_pending_cancel(&pending[i]);
  EXPECT_EQ(atomic_load(&cancelled), 1);
  EXPECT_EQ(pending[0].code, BERTH_OK);
  EXPECT_EQ(pending[1].code, BERTH_CANCELLED);
  berth_waiter_drain(&waiter);
  for (int i = 0; i < ALL; ++i) berth_pending_deinit(&pending[i]);
  berth_waiter_deinit(&waiter);
}

static bool look_at(void *arg) { return ++*(int *)arg >= 3; }

// Nobody finishes it: the third look ends it, and it is told once.
TEST(pending, await_ends_when_told) {
  berth_waiter_t waiter;
  berth_pending_t pending;
  int looks = 0;
  berth_waiter_init(&waiter);
  berth_pending_init(&pending, &waiter, NULL, 0);
  berth_pending_begin(&pending);
  pending.completion.cancel = on_cancel;
  berth_pending_await(&pending, look_at, &looks);
  EXPECT_EQ(looks, 3);
  EXPECT_EQ(atomic_load(&cancelled), 1);
  EXPECT_EQ(pending.code, BERTH_CANCELLED);
  berth_pending_deinit(&pending);
  berth_waiter_deinit(&waiter);
}

// ---- Threads ----

enum { THREADS = 4, EACH = 500 };

typedef struct many {
  berth_pending_t pending[EACH];
  berth_tensor_t *outputs[EACH];
  int first;
} many_t;

static void finish_many(void *arg) {
  many_t *many = arg;
  for (int i = 0; i < EACH; ++i) {
    finish(&many->pending[i], (float)(many->first + i));
  }
}

TEST(pending, completions_come_from_threads) {
  static many_t all[THREADS];
  berth_thread_t threads[THREADS];
  berth_waiter_t waiter;
  berth_waiter_init(&waiter);
  for (int t = 0; t < THREADS; ++t) {
    all[t].first = t * EACH;
    for (int i = 0; i < EACH; ++i) {
      berth_pending_init(&all[t].pending[i], &waiter, &all[t].outputs[i], 1);
      berth_pending_begin(&all[t].pending[i]);
    }
  }
  for (int t = 0; t < THREADS; ++t) {
    ASSERT_OK(berth_thread_start(&threads[t], finish_many, &all[t], NULL),
              NULL);
  }
  int taken = 0;
  while (berth_waiter_is_busy(&waiter)) {
    berth_pending_t *pending = berth_waiter_take(&waiter);
    if (pending == NULL) {
      berth_waiter_sleep(&waiter);
      continue;
    }
    ++taken;
    ASSERT_OK(berth_pending_result(pending, NULL), NULL);
  }
  EXPECT_EQ(taken, THREADS * EACH);
  for (int t = 0; t < THREADS; ++t) {
    berth_thread_join(&threads[t]);
    for (int i = 0; i < EACH; ++i) {
      EXPECT_NEAR(*(const float *)berth_tensor_data(all[t].outputs[i]),
                  t * EACH + i, 0);
      berth_tensor_release(all[t].outputs[i]);
      berth_pending_deinit(&all[t].pending[i]);
    }
  }
  berth_waiter_deinit(&waiter);
}

static void finish_one(void *arg) { finish(arg, 5); }

// A thread finishes it while it is awaited, or before.
TEST(pending, await_returns_what_a_thread_brings) {
  for (int round = 0; round < 200; ++round) {
    berth_waiter_t waiter;
    berth_pending_t pending;
    berth_tensor_t *output = NULL;
    berth_thread_t thread;
    berth_waiter_init(&waiter);
    berth_pending_init(&pending, &waiter, &output, 1);
    berth_pending_begin(&pending);
    ASSERT_OK(berth_thread_start(&thread, finish_one, &pending, NULL), NULL);
    berth_pending_await(&pending, NULL, NULL);
    ASSERT_TRUE(output != NULL);
    EXPECT_NEAR(*(const float *)berth_tensor_data(output), 5, 0);
    berth_thread_join(&thread);
    berth_tensor_release(output);
    berth_pending_deinit(&pending);
    berth_waiter_deinit(&waiter);
  }
}
