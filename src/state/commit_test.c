// commit_test.c - Changing variables: all of a group, or none.
#include "state/commit.h"

#include "base/clock.h"
#include "base/fault.h"
#include "base/parallel.h"
#include "base/thread.h"
#include "state/variable_internal.h"
#include "state/variable_testing.h"

static void drop(berth_variable_t *variable) {
  berth_resource_release((berth_resource_t *)variable);
}

static void drop_all(void) {
  berth_container_destroy(container);
  container = NULL;
}

static int64_t first_of(berth_variable_t *variable) {
  berth_tensor_t *value = berth_variable_read(variable);
  int64_t first = ((const int64_t *)value->data)[0];
  berth_tensor_release(value);
  return first;
}

// ---- Changes ----

static berth_code_t needs_value(const berth_change_t *change,
                                const berth_tensor_t *now, berth_error_t *err) {
  (void)change;
  if (now != NULL) return BERTH_OK;
  return berth_error_set(err, BERTH_FAILED_PRECONDITION, "no value");
}

// Adds the number in |arg| to every element, one after the other.
static berth_code_t add(const berth_change_t *change,
                        const berth_tensor_t *from, berth_tensor_t *to,
                        berth_error_t *err) {
  (void)err;
  const int64_t *before = from->data;
  int64_t number, *after = to->data;
  memcpy(&number, change->arg, sizeof(number));
  for (int64_t i = 0; i < to->count; ++i) after[i] = before[i] + number;
  return BERTH_OK;
}

static berth_change_t adding(berth_variable_t *variable, int64_t number) {
  berth_change_t change = {.variable = variable,
                           .check = needs_value,
                           .apply = add,
                           .owner = variable};
  memcpy(change.arg, &number, sizeof(number));
  return change;
}

static berth_code_t put(berth_commit_t *commit, const berth_change_t *change,
                        berth_error_t *err) {
  berth_change_t *added = NULL;
  BERTH_TRY(
      berth_commit_add(commit, change->variable, change->owner, &added, err));
  *added = *change;
  return BERTH_OK;
}

static berth_code_t commit_one(berth_variable_t *variable, int64_t number,
                               berth_error_t *err) {
  berth_commit_t commit = {0};
  berth_change_t change = adding(variable, number);
  berth_code_t code = put(&commit, &change, err);
  if (code == BERTH_OK) code = berth_commit_do(&commit, err);
  berth_commit_deinit(&commit);
  return code;
}

TEST(commit, writes_in_place_only_when_alone) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_variable_t *variable = make("v", 3);
  berth_tensor_t *value = berth_variable_read(variable);
  void *memory = berth_tensor_data(value);
  berth_tensor_release(value);
  ASSERT_OK(commit_one(variable, 10, &err), &err);
  value = berth_variable_read(variable);
  EXPECT_TRUE(berth_tensor_data(value) == memory);
  EXPECT_EQ(first_of(variable), 13);
  // |value| is being looked at: the next update must not disturb it.
  ASSERT_OK(commit_one(variable, 10, &err), &err);
  EXPECT_EQ(((const int64_t *)value->data)[1], 13);
  EXPECT_EQ(first_of(variable), 23);
  berth_tensor_release(value);
  // A view of the memory counts as much as the tensor itself.
  berth_tensor_t *view = NULL, *next = berth_variable_read(variable);
  ASSERT_OK(berth_tensor_reshape(next, BERTH_SHAPE(2, 1), &view, &err), &err);
  berth_tensor_release(next);
  ASSERT_OK(commit_one(variable, 10, &err), &err);
  EXPECT_EQ(((const int64_t *)view->data)[1], 23);
  berth_tensor_release(view);
  drop(variable);
  drop_all();
}

TEST(commit, leaves_memory_of_others_alone) {
  berth_error_t err = BERTH_ERROR_INIT;
  int64_t mine[2] = {5, 5};
  berth_variable_t *variable = make("v", 0);
  berth_tensor_t *wrapped = NULL;
  ASSERT_OK(berth_tensor_wrap(BERTH_INT64, BERTH_SHAPE(2), mine, sizeof(mine),
                              NULL, NULL, &wrapped, &err),
            &err);
  berth_variable_assign(variable, wrapped);
  berth_tensor_release(wrapped);
  ASSERT_OK(commit_one(variable, 1, &err), &err);
  EXPECT_EQ(mine[0], 5);
  EXPECT_EQ(first_of(variable), 6);
  drop(variable);
  drop_all();
}

enum { MANY = 9 };

static berth_code_t refuse(const berth_change_t *change,
                           const berth_tensor_t *now, berth_error_t *err) {
  (void)change, (void)now;
  return berth_error_set(err, BERTH_FAILED_PRECONDITION, "another shape");
}

// One change in a group that cannot be made keeps all others from happening:
// its variable has no value, or one that does not suit.
static void expect_all_or_none(bool has_value) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_variable_t *variables[MANY];
  berth_commit_t commit = {0};
  char name[] = "a";
  for (int wrong = 0; wrong <= MANY; ++wrong) {
    for (int i = 0; i < MANY; ++i) {
      name[0] = (char)('a' + (i * 7) % MANY);
      variables[i] = make(name, i == wrong && !has_value ? 0 : 100);
      berth_change_t change = adding(variables[i], i + 1);
      if (i == wrong && has_value) change.check = refuse;
      ASSERT_OK(put(&commit, &change, &err), &err);
    }
    berth_code_t code = berth_commit_do(&commit, &err);
    EXPECT_EQ(code, wrong < MANY ? BERTH_FAILED_PRECONDITION : BERTH_OK);
    if (wrong < MANY) EXPECT_TRUE(commit.blamed == variables[wrong]);
    for (int i = 0; i < MANY; ++i) {
      int64_t wanted = wrong < MANY ? 100 : 101 + i;
      if (i != wrong || has_value) EXPECT_EQ(first_of(variables[i]), wanted);
      drop(variables[i]);
    }
    berth_error_clear(&err);
    drop_all();
  }
  berth_commit_deinit(&commit);
}

TEST(commit, makes_all_changes_or_none) {
  expect_all_or_none(false);
  expect_all_or_none(true);
}

// ---- Groups ----

enum { GROUP = 3 };

static berth_code_t leave(const berth_change_t *change,
                          const berth_tensor_t *from, berth_tensor_t *to,
                          berth_error_t *err) {
  (void)change, (void)from, (void)to, (void)err;
  return BERTH_OK;
}

// Makes every variable of a group the sum of all of them; the last does it.
static berth_code_t sum_up(const berth_change_t *last,
                           const berth_tensor_t *from, berth_tensor_t *to,
                           berth_error_t *err) {
  (void)err;
  EXPECT_TRUE(berth_change_now(last) == from && berth_change_to(last) == to);
  for (int64_t i = 0; i < to->count; ++i) {
    int64_t sum = 0;
    for (int k = 1 - GROUP; k <= 0; ++k) {
      const berth_change_t *change = berth_change_at(last, k);
      sum += ((const int64_t *)berth_change_now(change)->data)[i];
    }
    for (int k = 1 - GROUP; k <= 0; ++k) {
      const berth_change_t *change = berth_change_at(last, k);
      ((int64_t *)berth_change_to(change)->data)[i] = sum;
    }
  }
  return BERTH_OK;
}

static berth_code_t put_group(berth_commit_t *commit,
                              berth_variable_t *const *variables,
                              berth_error_t *err) {
  berth_change_t *first = NULL;
  BERTH_TRY(berth_commit_add_group(commit, variables, GROUP, variables[0],
                                   &first, err));
  for (int i = 0; i < GROUP; ++i) {
    berth_change_t *change = berth_change_at(first, i);
    change->check = needs_value;
    change->apply = i + 1 < GROUP ? leave : sum_up;
  }
  return BERTH_OK;
}

static void expect_firsts(berth_variable_t *const *variables, int64_t wanted) {
  for (int i = 0; i < GROUP; ++i) EXPECT_EQ(first_of(variables[i]), wanted);
}

// In place and into room, whoever holds the values.
TEST(commit, changes_a_group_as_one) {
  berth_error_t err = BERTH_ERROR_INIT;
  for (int held = 0; held < 1 << GROUP; ++held) {
    berth_variable_t *variables[GROUP] = {make("b", 1), make("c", 2),
                                          make("a", 4)};
    berth_tensor_t *values[GROUP] = {NULL};
    berth_commit_t commit = {0};
    for (int i = 0; i < GROUP; ++i) {
      if ((held >> i & 1) != 0) values[i] = berth_variable_read(variables[i]);
    }
    ASSERT_OK(put_group(&commit, variables, &err), &err);
    ASSERT_OK(berth_commit_do(&commit, &err), &err);
    expect_firsts(variables, 7);
    for (int i = 0; i < GROUP; ++i) {
      if (values[i] == NULL) continue;
      EXPECT_EQ(((const int64_t *)values[i]->data)[0], 1 << i);
      berth_tensor_release(values[i]);
    }
    for (int i = 0; i < GROUP; ++i) drop(variables[i]);
    berth_commit_deinit(&commit);
    drop_all();
  }
}

// What has one of its variables already is done before any of it is added.
TEST(commit, does_not_tear_groups_apart) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_variable_t *variables[GROUP] = {make("a", 1), make("b", 2),
                                        make("c", 4)};
  berth_commit_t commit = {0};
  berth_change_t change = adding(variables[2], 10);
  ASSERT_OK(put(&commit, &change, &err), &err);
  ASSERT_OK(put_group(&commit, variables, &err), &err);
  EXPECT_EQ(commit.count, GROUP);
  ASSERT_OK(put_group(&commit, variables, &err), &err);
  expect_firsts(variables, 17);
  ASSERT_OK(berth_commit_do(&commit, &err), &err);
  expect_firsts(variables, 51);
  for (int i = 0; i < GROUP; ++i) drop(variables[i]);
  berth_commit_deinit(&commit);
  drop_all();
}

TEST(commit, refuses_a_variable_twice_in_a_group) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_variable_t *a = make("a", 1), *b = make("b", 2);
  berth_variable_t *variables[GROUP] = {a, b, a};
  berth_commit_t commit = {0};
  EXPECT_FAILS(put_group(&commit, variables, &err), BERTH_INVALID_ARGUMENT,
               &err,
               "variable a is given twice to one update: each of its variables "
               "must be another one");
  EXPECT_EQ(commit.count, 0);
  EXPECT_TRUE(commit.blamed == a);
  drop(a);
  drop(b);
  berth_commit_deinit(&commit);
  drop_all();
}

static berth_code_t fail_to_add(const berth_change_t *change,
                                const berth_tensor_t *from, berth_tensor_t *to,
                                berth_error_t *err) {
  (void)change, (void)from, (void)to;
  return berth_error_set(err, BERTH_INTERNAL, "the device has failed");
}

// One change that fails while it is made keeps the others' values from showing.
TEST(commit, shows_no_value_before_all_are_made) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_variable_t *variables[MANY];
  berth_tensor_t *held[MANY];  // So that none is written in place.
  berth_commit_t commit = {0};
  char name[] = "a";
  for (int failing = 0; failing < MANY; ++failing) {
    for (int i = 0; i < MANY; ++i) {
      name[0] = (char)('a' + (i * 7) % MANY);
      variables[i] = make(name, 100);
      held[i] = berth_variable_read(variables[i]);
      berth_change_t change = adding(variables[i], 1);
      if (i == failing) change.apply = fail_to_add;
      ASSERT_OK(put(&commit, &change, &err), &err);
    }
    EXPECT_EQ(berth_commit_do(&commit, &err), BERTH_INTERNAL);
    EXPECT_TRUE(commit.blamed == variables[failing]);
    for (int i = 0; i < MANY; ++i) {
      EXPECT_EQ(first_of(variables[i]), 100);
      berth_tensor_release(held[i]);
      drop(variables[i]);
    }
    berth_error_clear(&err);
    drop_all();
  }
  berth_commit_deinit(&commit);
}

// A variable may change its shape while a commit gets room: what was made for
// the old one is not used.
TEST(commit, makes_room_for_what_the_variable_holds) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_variable_t *variable = make("v", 0);
  berth_tensor_t *larger = NULL;
  ASSERT_OK(berth_tensor_create(BERTH_INT64, BERTH_SHAPE(MANY), &larger, &err),
            &err);
  for (int i = 0; i < MANY; ++i) ((int64_t *)larger->data)[i] = 4;
  berth_variable_assign(variable, larger);
  berth_commit_t commit = {0};
  berth_change_t change = adding(variable, 3);
  ASSERT_OK(put(&commit, &change, &err), &err);
  ASSERT_OK(berth_tensor_create(BERTH_INT64, BERTH_SHAPE(2),
                                &commit.entries[0].room, &err),
            &err);
  ASSERT_OK(berth_commit_do(&commit, &err), &err);
  berth_tensor_t *value = berth_variable_read(variable);
  EXPECT_EQ(value->count, MANY);
  EXPECT_EQ(((const int64_t *)value->data)[value->count - 1], 7);
  berth_tensor_release(value);
  berth_tensor_release(larger);
  berth_commit_deinit(&commit);
  drop(variable);
  drop_all();
}

// The second change of a variable sees the first.
TEST(commit, takes_changes_of_one_variable_in_turn) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_variable_t *a = make("a", 1), *b = make("b", 1);
  berth_commit_t commit = {0};
  berth_change_t changes[] = {adding(a, 1), adding(b, 2), adding(a, 3)};
  for (int i = 0; i < 3; ++i) {
    ASSERT_OK(put(&commit, &changes[i], &err), &err);
  }
  EXPECT_EQ(first_of(a), 2);
  EXPECT_EQ(first_of(b), 3);
  ASSERT_OK(berth_commit_do(&commit, &err), &err);
  EXPECT_EQ(first_of(a), 5);
  EXPECT_EQ(first_of(b), 3);
  berth_commit_deinit(&commit);
  drop(a);
  drop(b);
  drop_all();
}

TEST(commit, gives_up_what_it_was_given) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_variable_t *variable = make("v", 1);
  berth_tensor_t *value = NULL;
  ASSERT_OK(berth_tensor_create(BERTH_INT64, BERTH_SHAPE(2), &value, &err),
            &err);
  berth_commit_t commit = {0};
  berth_change_t change = {.variable = variable,
                           .check = needs_value,
                           .value = berth_tensor_retain(value)};
  ASSERT_OK(put(&commit, &change, &err), &err);
  berth_commit_drop(&commit);
  EXPECT_TRUE(berth_tensor_is_exclusive(value));
  EXPECT_EQ(first_of(variable), 1);
  berth_tensor_release(value);
  berth_commit_deinit(&commit);
  drop(variable);
  drop_all();
}

TEST(commit, changes_nothing_when_memory_is_short) {
  for (int at = 1; at < 8; ++at) {
    berth_variable_t *a = make("a", 1), *b = make("b", 1);
    berth_tensor_t *held[] = {berth_variable_read(a), berth_variable_read(b)};
    berth_commit_t commit = {0};
    berth_change_t changes[] = {adding(a, 1), adding(b, 1)};
    berth_fault_arm("alloc", at);
    berth_code_t code = BERTH_OK;
    for (int i = 0; code == BERTH_OK && i < 2; ++i) {
      code = put(&commit, &changes[i], NULL);
    }
    if (code == BERTH_OK) code = berth_commit_do(&commit, NULL);
    berth_fault_disarm();
    berth_commit_deinit(&commit);
    EXPECT_TRUE(code == BERTH_OK || code == BERTH_RESOURCE_EXHAUSTED);
    EXPECT_EQ(first_of(a), code == BERTH_OK ? 2 : 1);
    EXPECT_EQ(first_of(b), code == BERTH_OK ? 2 : 1);
    for (int i = 0; i < 2; ++i) berth_tensor_release(held[i]);
    drop(a);
    drop(b);
    drop_all();
  }
}

// ---- Ending ----

static bool say_stop(void *arg) {
  ++*(int *)arg;
  return true;
}

static void count_piece(void *arg, int64_t begin, int64_t end) {
  atomic_fetch_add((atomic_llong *)arg, end - begin);
}

static atomic_llong elements_done;

static berth_code_t add_wide(const berth_change_t *change,
                             const berth_tensor_t *from, berth_tensor_t *to,
                             berth_error_t *err) {
  berth_parallel_for(1000, 1, count_piece, &elements_done);
  return add(change, from, to, err);
}

// A loop inside a commit is never cut short, nor is anybody called from it.
TEST(commit, is_not_ended_once_it_has_begun) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_variable_t *variable = make("v", 1);
  int polls = 0;
  berth_parallel_scope_t scope = {2, say_stop, &polls};
  const berth_parallel_scope_t *before = berth_parallel_enter(&scope);
  berth_commit_t commit = {0};
  berth_change_t change = adding(variable, 1);
  change.apply = add_wide;
  ASSERT_OK(put(&commit, &change, &err), &err);
  ASSERT_OK(berth_commit_do(&commit, &err), &err);
  EXPECT_EQ(atomic_load(&elements_done), 1000);
  EXPECT_EQ(polls, 0);
  EXPECT_TRUE(berth_parallel_enter(before) == &scope);
  berth_commit_deinit(&commit);
  drop(variable);
  drop_all();
}

// ---- Threads ----

enum { ADDERS = 2, UPDATES = 3000 };

static void add_many(void *arg) {
  for (int i = 0; i < UPDATES; ++i) {
    EXPECT_EQ(commit_one(arg, 1, NULL), BERTH_OK);
  }
}

// Looks at values until they have all been added; each must be whole.
static void read_many(void *arg) {
  int64_t last = 0;
  while (last < 1 + ADDERS * UPDATES) {
    berth_tensor_t *value = berth_variable_read(arg);
    const int64_t *elements = berth_tensor_data(value);
    EXPECT_EQ(elements[0], elements[1]);
    EXPECT_TRUE(elements[0] >= last);
    last = elements[0];
    berth_tensor_release(value);
  }
}

TEST(commit, readers_never_see_half_an_update) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_variable_t *variable = make("v", 1);
  berth_thread_t threads[ADDERS + 1];
  for (int i = 0; i < ADDERS; ++i) {
    ASSERT_OK(berth_thread_start(&threads[i], add_many, variable, &err), &err);
  }
  ASSERT_OK(berth_thread_start(&threads[ADDERS], read_many, variable, &err),
            &err);
  for (int i = 0; i <= ADDERS; ++i) berth_thread_join(&threads[i]);
  EXPECT_EQ(first_of(variable), 1 + ADDERS * UPDATES);
  drop(variable);
  drop_all();
}

static berth_variable_t *crossed[2];

// Adds to both variables, named in the order that |arg| tells.
static void add_crossed(void *arg) {
  int first = arg != NULL;
  berth_commit_t commit = {0};
  for (int i = 0; i < UPDATES; ++i) {
    for (int k = 0; k < 2; ++k) {
      berth_change_t change = adding(crossed[(first + k) % 2], 1);
      EXPECT_EQ(put(&commit, &change, NULL), BERTH_OK);
    }
    EXPECT_EQ(berth_commit_do(&commit, NULL), BERTH_OK);
  }
  berth_commit_deinit(&commit);
}

TEST(commit, groups_in_opposite_orders_do_not_wait_for_each_other) {
  berth_error_t err = BERTH_ERROR_INIT;
  crossed[0] = make("a", 1);
  crossed[1] = make("b", 1);
  berth_thread_t threads[2];
  for (int i = 0; i < 2; ++i) {
    ASSERT_OK(berth_thread_start(&threads[i], add_crossed,
                                 i == 0 ? NULL : crossed, &err),
              &err);
  }
  for (int i = 0; i < 2; ++i) berth_thread_join(&threads[i]);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(first_of(crossed[i]), 1 + 2 * UPDATES);
    drop(crossed[i]);
  }
  drop_all();
}

// ---- Locks ----

static atomic_bool may_go_on;

// Holds the lock of its variable until it is told to go on.
static berth_code_t add_slowly(const berth_change_t *change,
                               const berth_tensor_t *from, berth_tensor_t *to,
                               berth_error_t *err) {
  while (!atomic_load(&may_go_on)) berth_sleep_ns(100000);
  return add(change, from, to, err);
}

static void commit_slowly(void *arg) {
  berth_commit_t commit = {0};
  berth_change_t change = adding(arg, 1);
  change.apply = add_slowly;
  EXPECT_EQ(put(&commit, &change, NULL), BERTH_OK);
  EXPECT_EQ(berth_commit_do(&commit, NULL), BERTH_OK);
  berth_commit_deinit(&commit);
}

static void commit_both(void *arg) {
  berth_commit_t commit = {0};
  berth_variable_t **both = arg;
  for (int i = 0; i < 2; ++i) {
    berth_change_t change = adding(both[i], 1);
    EXPECT_EQ(put(&commit, &change, NULL), BERTH_OK);
  }
  EXPECT_EQ(berth_commit_do(&commit, NULL), BERTH_OK);
  berth_commit_deinit(&commit);
}

// Waits until somebody has locked |variable|, ten seconds at most.
static bool becomes_locked(berth_variable_t *variable) {
  int64_t deadline = berth_now_ns() + INT64_C(10000000000);
  while (berth_now_ns() < deadline) {
    if (!berth_mutex_try_lock(&variable->lock)) return true;
    berth_mutex_unlock(&variable->lock);
    berth_sleep_ns(100000);
  }
  return false;
}

// While the second by address is held by another commit, a commit of both has
// locked the first, in whatever order its changes were added.
TEST(commit, locks_in_the_order_of_addresses) {
  berth_error_t err = BERTH_ERROR_INIT;
  for (int round = 0; round < 2; ++round) {
    berth_variable_t *a = make("a", 1), *b = make("b", 1);
    bool is_a_first = (uintptr_t)a < (uintptr_t)b;
    berth_variable_t *first = is_a_first ? a : b, *second = is_a_first ? b : a;
    berth_variable_t *both[] = {round == 0 ? first : second,
                                round == 0 ? second : first};
    berth_thread_t threads[2];
    atomic_store(&may_go_on, false);
    ASSERT_OK(berth_thread_start(&threads[0], commit_slowly, second, &err),
              &err);
    EXPECT_TRUE(becomes_locked(second));
    ASSERT_OK(berth_thread_start(&threads[1], commit_both, both, &err), &err);
    EXPECT_TRUE(becomes_locked(first));
    atomic_store(&may_go_on, true);
    for (int i = 0; i < 2; ++i) berth_thread_join(&threads[i]);
    EXPECT_EQ(first_of(first), 2);
    EXPECT_EQ(first_of(second), 3);
    drop(a);
    drop(b);
    drop_all();
  }
}
