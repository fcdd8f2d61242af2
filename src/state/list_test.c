// list_test.c - Lists beside plain arrays, at random; what they share.
#include "state/list.h"

#include "base/fault.h"
#include "base/thread.h"
#include "harness.h"

enum { LISTS = 8, MOST = 700, STEPS = 20000 };

static uint32_t state = 7;

static uint32_t next_random(void) {
  state = state * 1664525u + 1013904223u;
  return state >> 8;
}

static berth_tensor_t *number(int64_t value) {
  berth_tensor_t *tensor = NULL;
  if (berth_tensor_make(NULL, BERTH_INT64, 0, NULL, 1, &tensor, NULL) ==
      BERTH_OK) {
    *(int64_t *)tensor->data = value;
  }
  return tensor;
}

static berth_list_t *list_of(int64_t count) {
  berth_list_t *list = NULL;
  EXPECT_EQ(
      berth_list_create(BERTH_INT64, BERTH_SCALAR, -1, count, &list, NULL),
      BERTH_OK);
  return list;
}

static berth_list_t *copy_of(const berth_list_t *list) {
  berth_list_t *copy = NULL;
  EXPECT_EQ(berth_list_copy(list, &copy, NULL), BERTH_OK);
  return copy;
}

static void set(berth_list_t *list, int64_t index, int64_t value) {
  berth_tensor_t *tensor = number(value);
  EXPECT_EQ(berth_list_set(list, index, tensor, NULL), BERTH_OK);
  berth_tensor_release(tensor);
}

// Returns element |index|; -1: it was never set.
static int64_t get(const berth_list_t *list, int64_t index) {
  const berth_tensor_t *tensor = berth_list_get(list, index);
  return tensor != NULL ? *(const int64_t *)tensor->data : -1;
}

// What a list should hold: -1 where nothing was set.
typedef struct shadow {
  int64_t values[MOST];
  int64_t count;
} shadow_t;

static void check(const berth_list_t *list, const shadow_t *shadow) {
  ASSERT_TRUE(berth_list_count(list) == shadow->count);
  for (int64_t i = 0; i < shadow->count; ++i) {
    if (get(list, i) == shadow->values[i]) continue;
    EXPECT_EQ(get(list, i), shadow->values[i]);
    return;
  }
}

static void resize(berth_list_t *list, shadow_t *shadow, int64_t count) {
  EXPECT_EQ(berth_list_resize(list, count, NULL), BERTH_OK);
  for (int64_t i = shadow->count; i < count; ++i) shadow->values[i] = -1;
  shadow->count = count;
}

// Changes |list|, which nobody else sees, as a kernel does.
static void change(berth_list_t *list, shadow_t *shadow) {
  uint32_t what = next_random() % 8;
  if (what < 3 && shadow->count < MOST - 1) {
    resize(list, shadow, shadow->count + 1);
    set(list, shadow->count - 1, what);
    shadow->values[shadow->count - 1] = what;
  } else if (what == 3) {
    resize(list, shadow, next_random() % MOST);
  } else if (what == 4 && shadow->count > 0) {
    resize(list, shadow, shadow->count - 1);
  } else if (shadow->count > 0) {
    int64_t index = next_random() % (uint32_t)shadow->count;
    set(list, index, (int64_t)what + 10);
    shadow->values[index] = (int64_t)what + 10;
  }
}

TEST(list, is_as_a_plain_array_at_random) {
  berth_list_t *lists[LISTS];
  static shadow_t shadows[LISTS];
  for (int i = 0; i < LISTS; ++i) lists[i] = list_of(0);
  for (int step = 0; step < STEPS; ++step) {
    // One becomes a changed copy of another; all stay what they are.
    int from = (int)(next_random() % LISTS), to = (int)(next_random() % LISTS);
    berth_list_t *copy = copy_of(lists[from]);
    shadow_t shadow = shadows[from];
    change(copy, &shadow);
    berth_list_release(lists[to]);
    lists[to] = copy;
    shadows[to] = shadow;
    if (step % 50 == 0) {
      for (int i = 0; i < LISTS; ++i) check(lists[i], &shadows[i]);
    }
  }
  for (int i = 0; i < LISTS; ++i) berth_list_release(lists[i]);
}

TEST(list, leaves_what_it_was_made_from_alone) {
  berth_list_t *list = list_of(40);
  for (int64_t i = 0; i < 40; ++i) set(list, i, i);
  berth_list_t *copy = copy_of(list);
  for (int64_t i = 0; i < 40; i += 3) set(copy, i, 100 + i);
  EXPECT_EQ(berth_list_resize(copy, 20, NULL), BERTH_OK);
  EXPECT_EQ(berth_list_resize(copy, 60, NULL), BERTH_OK);
  for (int64_t i = 0; i < 40; ++i) EXPECT_EQ(get(list, i), i);
  for (int64_t i = 0; i < 20; ++i) {
    EXPECT_EQ(get(copy, i), i % 3 == 0 ? 100 + i : i);
  }
  for (int64_t i = 20; i < 60; ++i) EXPECT_EQ(get(copy, i), -1);
  berth_list_release(list);
  EXPECT_EQ(get(copy, 3), 103);
  berth_list_release(copy);
}

TEST(list, costs_nothing_where_nothing_was_set) {
  berth_list_t *list = list_of(INT32_MAX);
  EXPECT_EQ(get(list, INT32_MAX - 1), -1);
  set(list, INT32_MAX - 1, 5);
  set(list, 0, 6);
  EXPECT_EQ(get(list, INT32_MAX - 1), 5);
  EXPECT_EQ(berth_list_resize(list, 2, NULL), BERTH_OK);
  EXPECT_EQ(get(list, 0), 6);
  EXPECT_EQ(berth_list_resize(list, INT32_MAX, NULL), BERTH_OK);
  EXPECT_EQ(get(list, INT32_MAX - 1), -1);
  berth_list_release(list);
}

// Returns a list with one element, which leads to |inner|, taken over.
static berth_list_t *list_around(berth_list_t *inner) {
  berth_tensor_t *tensor = NULL;
  berth_list_t *list = NULL;
  EXPECT_EQ(berth_list_create(BERTH_VARIANT, BERTH_SCALAR, -1, 1, &list, NULL),
            BERTH_OK);
  EXPECT_EQ(berth_tensor_make(NULL, BERTH_VARIANT, 0, NULL, 1, &tensor, NULL),
            BERTH_OK);
  ((berth_handle_t *)tensor->data)->resource = (berth_resource_t *)inner;
  EXPECT_EQ(berth_list_set(list, 0, tensor, NULL), BERTH_OK);
  berth_tensor_release(tensor);
  return list;
}

TEST(list, frees_lists_in_lists_of_any_depth) {
  berth_list_t *list = list_of(3);
  for (int i = 0; i < 200000; ++i) list = list_around(list);
  berth_list_release(list);
}

TEST(list, bears_a_lack_of_memory_everywhere) {
  berth_list_t *list = list_of(0);
  EXPECT_EQ(berth_list_resize(list, 300, NULL), BERTH_OK);
  for (int64_t i = 0; i < 300; i += 7) set(list, i, i);
  berth_tensor_t *tensor = number(9);
  bool is_done = false;
  for (int64_t at = 1; !is_done && at < 100; ++at) {
    berth_list_t *copy = NULL;
    berth_fault_arm("alloc", at);
    berth_code_t code = berth_list_copy(list, &copy, NULL);
    if (code == BERTH_OK) code = berth_list_resize(copy, 5000, NULL);
    if (code == BERTH_OK) code = berth_list_set(copy, 4000, tensor, NULL);
    if (code == BERTH_OK) code = berth_list_resize(copy, 100, NULL);
    berth_fault_disarm();
    is_done = code == BERTH_OK;
    if (!is_done) EXPECT_EQ(code, BERTH_RESOURCE_EXHAUSTED);
    berth_list_release(copy);
    for (int64_t i = 0; i < 300; ++i) EXPECT_EQ(get(list, i), i % 7 ? -1 : i);
  }
  EXPECT_TRUE(is_done);
  berth_tensor_release(tensor);
  berth_list_release(list);
}

// Makes lists of |arg| that others make lists of at the same time.
static void derive(void *arg) {
  const berth_list_t *list = arg;
  for (int i = 0; i < 500; ++i) {
    berth_list_t *copy = copy_of(list);
    set(copy, i % 64, -i - 2);
    EXPECT_EQ(get(copy, i % 64), -i - 2);
    EXPECT_EQ(get(list, i % 64), i % 64);
    berth_list_release(copy);
  }
}

TEST(list, is_shared_by_threads) {
  berth_thread_t threads[4];
  berth_list_t *list = list_of(64);
  for (int64_t i = 0; i < 64; ++i) set(list, i, i);
  for (int i = 0; i < 4; ++i) {
    ASSERT_OK(berth_thread_start(&threads[i], derive, list, NULL), NULL);
  }
  for (int i = 0; i < 4; ++i) berth_thread_join(&threads[i]);
  for (int64_t i = 0; i < 64; ++i) EXPECT_EQ(get(list, i), i);
  berth_list_release(list);
}
