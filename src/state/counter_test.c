// counter_test.c - How often a node has done something.
#include "state/counter.h"

#include "base/fault.h"
#include "base/thread.h"
#include "harness.h"
#include "state/resource.h"

TEST(counter, tells_how_many_there_were_before) {
  berth_resource_t *resource = NULL;
  berth_error_t err = BERTH_ERROR_INIT;
  ASSERT_OK(berth_counter_create(&resource, &err), &err);
  berth_counter_t *counter = (berth_counter_t *)resource;
  for (int64_t i = 0; i < 3; ++i) EXPECT_EQ(berth_counter_next(counter), i);
  berth_resource_release(resource);
}

TEST(counter, two_do_not_share) {
  berth_resource_t *resources[2] = {NULL, NULL};
  berth_error_t err = BERTH_ERROR_INIT;
  for (int i = 0; i < 2; ++i) {
    ASSERT_OK(berth_counter_create(&resources[i], &err), &err);
  }
  EXPECT_EQ(berth_counter_next((berth_counter_t *)resources[0]), 0);
  EXPECT_EQ(berth_counter_next((berth_counter_t *)resources[1]), 0);
  for (int i = 0; i < 2; ++i) berth_resource_release(resources[i]);
}

// ---- Threads ----

enum { THREADS = 4, COUNTS = 10000 };

typedef struct worker {
  berth_counter_t *counter;
  int64_t sum;  // Of what it was told.
} worker_t;

static void count_many(void *arg) {
  worker_t *worker = arg;
  for (int i = 0; i < COUNTS; ++i) {
    worker->sum += berth_counter_next(worker->counter);
  }
}

TEST(counter, gives_each_number_once) {
  berth_resource_t *resource = NULL;
  berth_error_t err = BERTH_ERROR_INIT;
  worker_t workers[THREADS] = {{0}};
  berth_thread_t threads[THREADS];
  int64_t sum = 0, all = (int64_t)THREADS * COUNTS;
  ASSERT_OK(berth_counter_create(&resource, &err), &err);
  for (int i = 0; i < THREADS; ++i) {
    workers[i].counter = (berth_counter_t *)resource;
    ASSERT_OK(berth_thread_start(&threads[i], count_many, &workers[i], &err),
              &err);
  }
  for (int i = 0; i < THREADS; ++i) {
    berth_thread_join(&threads[i]);
    sum += workers[i].sum;
  }
  EXPECT_EQ(berth_counter_next((berth_counter_t *)resource), all);
  EXPECT_EQ(sum, all * (all - 1) / 2);
  berth_resource_release(resource);
}

TEST(counter, needs_memory) {
  berth_resource_t *resource = NULL;
  berth_error_t err = BERTH_ERROR_INIT;
  berth_fault_arm("alloc", 1);
  EXPECT_EQ(berth_counter_create(&resource, &err), BERTH_RESOURCE_EXHAUSTED);
  berth_fault_disarm();
  EXPECT_TRUE(resource == NULL);
  berth_error_clear(&err);
}
