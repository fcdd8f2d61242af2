// barrier_test.c - Tuples whose parts come one by one: threads, memory.
#include "state/barrier.h"

#include <stdio.h>

#include "base/fault.h"
#include "base/thread.h"
#include "harness.h"
#include "tensor/string.h"

enum { KEYS = 100 };

static const berth_dtype_t types[] = {BERTH_INT64, BERTH_INT64};
static const berth_dims_t shapes[] = {{0, NULL}, {0, NULL}};

static berth_code_t barrier_make(berth_container_t *container,
                                 berth_barrier_t **out_barrier,
                                 berth_error_t *err) {
  berth_queue_options_t options = {.component_count = 2,
                                   .types = types,
                                   .shapes = shapes,
                                   .is_shared = true};
  return berth_barrier_get(container, "", "b", &options, out_barrier, err);
}

// Puts |value| in as |part| of the tuple that |value| names.
static berth_code_t put(berth_barrier_t *barrier, int part, int64_t value,
                        berth_error_t *err) {
  char text[32];
  berth_tensor_t *key = NULL, *row = NULL;
  int size = snprintf(text, sizeof(text), "the key of %lld", (long long)value);
  berth_code_t code =
      berth_tensor_make(NULL, BERTH_STRING, 0, NULL, 1, &key, err);
  if (code == BERTH_OK) {
    code = berth_tensor_make(NULL, BERTH_INT64, 0, NULL, 1, &row, err);
  }
  if (code == BERTH_OK && !berth_string_set(key->data, text, (size_t)size)) {
    code = BERTH_RESOURCE_EXHAUSTED;
  }
  if (code == BERTH_OK) {
    *(int64_t *)row->data = 10 * value + part;
    code = berth_barrier_insert(barrier, part, key, &row, err);
  }
  berth_tensor_release(key);
  berth_tensor_release(row);
  return code;
}

// Takes one tuple, which must be there, and returns its value.
static int64_t take(berth_barrier_t *barrier) {
  berth_tensor_t *tuple[4] = {NULL};
  berth_queue_waiter_t waiter = {0};
  bool is_parked = false;
  EXPECT_EQ(berth_queue_dequeue(berth_barrier_queue(barrier), &waiter, tuple,
                                &is_parked, NULL),
            BERTH_OK);
  EXPECT_TRUE(!is_parked);
  int64_t value = *(int64_t *)tuple[2]->data / 10;
  EXPECT_EQ(*(int64_t *)tuple[3]->data, 10 * value + 1);
  for (int i = 0; i < 4; ++i) berth_tensor_release(tuple[i]);
  return value;
}

static void put_second(void *arg) {
  for (int i = KEYS - 1; i >= 0; --i) {
    EXPECT_EQ(put(arg, 1, i, NULL), BERTH_OK);
  }
}

TEST(barrier, joins_what_threads_put_in) {
  static bool is_seen[KEYS];
  berth_container_t *container = NULL;
  berth_barrier_t *barrier = NULL;
  berth_thread_t thread;
  EXPECT_EQ(berth_container_create(&container, NULL), BERTH_OK);
  EXPECT_EQ(barrier_make(container, &barrier, NULL), BERTH_OK);
  EXPECT_EQ(berth_thread_start(&thread, put_second, barrier, NULL), BERTH_OK);
  for (int i = 0; i < KEYS; ++i) EXPECT_EQ(put(barrier, 0, i, NULL), BERTH_OK);
  berth_thread_join(&thread);
  EXPECT_EQ(berth_barrier_parts(barrier), 0);
  EXPECT_EQ(berth_queue_size(berth_barrier_queue(barrier)), KEYS);
  for (int i = 0; i < KEYS; ++i) {
    int64_t value = take(barrier);
    EXPECT_TRUE(value >= 0 && value < KEYS && !is_seen[value]);
    is_seen[value] = true;
  }
  berth_resource_release((berth_resource_t *)barrier);
  berth_container_destroy(container);
}

TEST(barrier, forgets_what_is_not_whole) {
  berth_container_t *container = NULL;
  berth_barrier_t *barrier = NULL;
  berth_error_t err = BERTH_ERROR_INIT;
  EXPECT_EQ(berth_container_create(&container, NULL), BERTH_OK);
  EXPECT_EQ(barrier_make(container, &barrier, NULL), BERTH_OK);
  EXPECT_EQ(put(barrier, 0, 3, NULL), BERTH_OK);
  EXPECT_EQ(berth_barrier_close(barrier, false, &err), BERTH_OK);
  EXPECT_EQ(put(barrier, 0, 4, &err), BERTH_CANCELLED);
  EXPECT_EQ(berth_barrier_close(barrier, true, &err), BERTH_OK);
  EXPECT_EQ(berth_barrier_parts(barrier), 0);
  EXPECT_EQ(put(barrier, 1, 3, &err), BERTH_CANCELLED);
  EXPECT_STR(berth_error_message(&err),
             "Barrier b is closed.  Pending enqueues cancelled: 1.  Number of "
             "new insertions: 1.  Number of incomplete keys: 0.");
  berth_error_clear(&err);
  berth_resource_release((berth_resource_t *)barrier);
  berth_container_destroy(container);
}

TEST(barrier, fails_without_memory) {
  for (int64_t nth = 1;; ++nth) {
    berth_container_t *container = NULL;
    berth_barrier_t *barrier = NULL;
    berth_error_t err = BERTH_ERROR_INIT;
    EXPECT_EQ(berth_container_create(&container, NULL), BERTH_OK);
    berth_fault_arm("alloc", nth);
    berth_code_t code = barrier_make(container, &barrier, &err);
    if (code == BERTH_OK) code = put(barrier, 0, 3, &err);
    if (code == BERTH_OK) code = put(barrier, 1, 3, &err);
    bool was_hit = berth_fault_disarm() >= nth;
    // A text that is only compared may do without.
    EXPECT_TRUE(code == (was_hit ? BERTH_RESOURCE_EXHAUSTED : BERTH_OK) ||
                code == BERTH_OK);
    if (code == BERTH_OK) EXPECT_EQ(take(barrier), 3);
    berth_error_clear(&err);
    berth_resource_release((berth_resource_t *)barrier);
    berth_container_destroy(container);
    if (!was_hit) break;
  }
}
