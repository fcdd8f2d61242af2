// rows_test.c - Rows of a variable that are read beside updates of others.
#include "state/rows.h"

#include <unistd.h>

#include "base/fault.h"
#include "base/thread.h"
#include "state/commit.h"
#include "state/variable_internal.h"
#include "state/variable_testing.h"

enum { LARGE = 100 * 1000 };

static void drop(berth_variable_t *variable) {
  berth_resource_release((berth_resource_t *)variable);
  berth_container_destroy(container);
  container = NULL;
}

// Makes a variable of |count| zeros, which nobody else holds.
static berth_variable_t *make_zeros(int64_t count) {
  berth_variable_t *variable = make("v", 0);
  berth_tensor_t *zeros = NULL;
  EXPECT_EQ(berth_tensor_create(BERTH_INT64, BERTH_SHAPE(count), &zeros, NULL),
            BERTH_OK);
  memset(zeros->data, 0, zeros->size);
  berth_variable_assign(variable, zeros);
  berth_tensor_release(zeros);
  return variable;
}

static berth_code_t check(const berth_change_t *change,
                          const berth_tensor_t *now, berth_error_t *err) {
  (void)change;
  (void)now;
  (void)err;
  return BERTH_OK;
}

// Adds one to the first element.
static berth_code_t count_up(const berth_change_t *change,
                             const berth_tensor_t *from, berth_tensor_t *to,
                             berth_error_t *err) {
  (void)change;
  (void)err;
  if (to != from) memcpy(to->data, from->data, to->size);
  ++((int64_t *)to->data)[0];
  return BERTH_OK;
}

static void commit(berth_variable_t *variable) {
  berth_commit_t commit = {0};
  berth_change_t *change = NULL;
  EXPECT_EQ(berth_commit_add(&commit, variable, NULL, &change, NULL), BERTH_OK);
  change->check = check;
  change->apply = count_up;
  EXPECT_EQ(berth_commit_do(&commit, NULL), BERTH_OK);
  berth_commit_deinit(&commit);
}

static const void *data_of(berth_variable_t *variable) {
  berth_tensor_t *value = berth_variable_read(variable);
  const void *data = value->data;
  berth_tensor_release(value);
  return data;
}

static int64_t first_of(const berth_tensor_t *tensor) {
  return ((const int64_t *)tensor->data)[0];
}

// Gives |arg|, lent rows, back after a while, in which nothing may change.
static void give_back_later(void *arg) {
  berth_tensor_t *rows = arg;
  usleep(20 * 1000);
  EXPECT_EQ(first_of(rows), 0);
  berth_tensor_release(rows);
}

TEST(rows, are_waited_for_by_updates) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_variable_t *variable = make_zeros(LARGE);
  const void *before = data_of(variable);
  berth_tensor_t *rows = berth_variable_read_rows(variable);
  EXPECT_TRUE(rows->data == before);
  EXPECT_EQ(rows->count, LARGE);
  berth_thread_t thread;
  ASSERT_OK(berth_thread_start(&thread, give_back_later, rows, &err), &err);
  commit(variable);
  berth_thread_join(&thread);
  EXPECT_TRUE(data_of(variable) == before);
  EXPECT_EQ(*(const int64_t *)before, 1);
  drop(variable);
}

// Who holds rows and updates the variable itself does not wait for ever.
TEST(rows, are_waited_for_a_while) {
  berth_variable_t *variable = make_zeros(LARGE);
  berth_tensor_t *rows = berth_variable_read_rows(variable);
  commit(variable);
  EXPECT_EQ(first_of(rows), 0);
  EXPECT_EQ(*(const int64_t *)data_of(variable), 1);
  EXPECT_TRUE(data_of(variable) != rows->data);
  berth_tensor_release(rows);
  drop(variable);
}

// Rows outlive the variable, and what else was assigned to it.
TEST(rows, keep_what_they_are_of) {
  berth_variable_t *variable = make_zeros(LARGE);
  berth_tensor_t *rows = berth_variable_read_rows(variable);
  berth_variable_reset(variable);
  EXPECT_TRUE(berth_variable_read_rows(variable) == NULL);
  drop(variable);
  EXPECT_EQ(((const int64_t *)rows->data)[LARGE - 1], 0);
  berth_tensor_release(rows);
}

TEST(rows, of_what_is_small_are_just_read) {
  berth_variable_t *variable = make_zeros(3);
  berth_tensor_t *rows = berth_variable_read_rows(variable);
  EXPECT_EQ(atomic_load(&variable->lent), 0);
  commit(variable);
  EXPECT_EQ(first_of(rows), 0);
  berth_tensor_release(rows);
  drop(variable);
}

TEST(rows, are_the_value_when_memory_is_short) {
  for (int at = 1; at < 4; ++at) {
    berth_variable_t *variable = make_zeros(LARGE);
    berth_fault_arm("alloc", at);
    berth_tensor_t *rows = berth_variable_read_rows(variable);
    berth_fault_disarm();
    EXPECT_EQ(first_of(rows), 0);
    berth_tensor_release(rows);
    EXPECT_EQ(atomic_load(&variable->lent), 0);
    drop(variable);
  }
}

enum { TIMES = 2000, THREADS = 3 };

static void read_many(void *arg) {
  for (int i = 0; i < TIMES; ++i) {
    berth_tensor_t *rows = berth_variable_read_rows(arg);
    int64_t first = first_of(rows);
    for (int k = 0; k < 100; ++k) EXPECT_EQ(first_of(rows), first);
    berth_tensor_release(rows);
  }
}

static void commit_many(void *arg) {
  for (int i = 0; i < TIMES; ++i) commit(arg);
}

TEST(rows, stay_the_same_while_they_are_read) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_variable_t *variable = make_zeros(LARGE);
  berth_thread_t threads[2 * THREADS];
  for (int i = 0; i < 2 * THREADS; ++i) {
    ASSERT_OK(berth_thread_start(&threads[i], i % 2 ? read_many : commit_many,
                                 variable, &err),
              &err);
  }
  for (int i = 0; i < 2 * THREADS; ++i) berth_thread_join(&threads[i]);
  EXPECT_EQ(*(const int64_t *)data_of(variable), TIMES * THREADS);
  drop(variable);
}
