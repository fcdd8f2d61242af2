// staging_map_test.c - Tuples under keys: parked operations, threads, memory.
#include "state/staging_map.h"

#include "base/fault.h"
#include "base/thread.h"
#include "harness.h"

enum { KEYS = 200 };

// An operation on one or both tensors of a tuple, and how it ended.
typedef struct use {
  berth_staging_op_t op;
  berth_tensor_t *tensors[2];
  int ends;
  berth_code_t code;
} use_t;

static const int32_t both[] = {0, 1};

static void use_done(berth_staging_op_t *op, berth_code_t code) {
  use_t *use = (use_t *)op;
  ++use->ends;
  use->code = code;
}

static void use_init(use_t *use, berth_staging_kind_t kind, int64_t key) {
  *use = (use_t){.op = {.kind = kind, .key = key, .count = 2, .indices = both}};
  use->op.tensors = use->tensors;
  use->op.done = use_done;
  for (int i = 0; i < 2 && kind == BERTH_STAGING_PUT; ++i) {
    EXPECT_EQ(berth_tensor_make(NULL, BERTH_INT64, 0, NULL, 1, &use->tensors[i],
                                NULL),
              BERTH_OK);
    *(int64_t *)use->tensors[i]->data = 10 * key + i;
  }
}

// Runs |use|; true when it was done at once.
static bool use_run(berth_staging_map_t *map, use_t *use) {
  bool is_parked = false;
  use->code = berth_staging_run(map, &use->op, &is_parked);
  return !is_parked;
}

static bool put(berth_staging_map_t *map, use_t *use, int64_t key) {
  use_init(use, BERTH_STAGING_PUT, key);
  return use_run(map, use);
}

static void expect_tuple(use_t *use, int64_t key) {
  EXPECT_EQ(use->code, BERTH_OK);
  EXPECT_EQ(use->op.key, key);
  for (int i = 0; i < 2; ++i) {
    EXPECT_TRUE(use->tensors[i] != NULL &&
                *(int64_t *)use->tensors[i]->data == 10 * key + i);
    berth_tensor_release(use->tensors[i]);
  }
}

static berth_staging_map_t *map_make(berth_container_t **container,
                                     int64_t capacity) {
  berth_staging_options_t options = {.width = 2, .capacity = capacity};
  berth_staging_map_t *map = NULL;
  EXPECT_EQ(berth_container_create(container, NULL), BERTH_OK);
  EXPECT_EQ(berth_staging_map_get(*container, "", "m", &options, &map, NULL),
            BERTH_OK);
  return map;
}

static void map_drop(berth_staging_map_t *map, berth_container_t *container) {
  berth_resource_release((berth_resource_t *)map);
  berth_container_destroy(container);
}

static void expect_sizes(berth_staging_map_t *map, int32_t whole) {
  int32_t is = 0, parts = 0;
  berth_staging_map_query(map, &is, &parts);
  EXPECT_EQ(is, whole);
  EXPECT_EQ(parts, 0);
}

TEST(staging_map, parks_what_cannot_be_done) {
  berth_container_t *container = NULL;
  berth_staging_map_t *map = map_make(&container, 1);
  use_t first, second, take, peek;
  use_init(&take, BERTH_STAGING_TAKE, 2);
  EXPECT_TRUE(!use_run(map, &take));
  EXPECT_TRUE(put(map, &first, 1));
  EXPECT_TRUE(!put(map, &second, 2));
  use_init(&peek, BERTH_STAGING_PEEK, 1);
  EXPECT_TRUE(use_run(map, &peek));
  expect_tuple(&peek, 1);
  // What is taken makes way for what waits, and that for who waits for it.
  use_init(&peek, BERTH_STAGING_TAKE_ANY, 0);
  EXPECT_TRUE(use_run(map, &peek));
  expect_tuple(&peek, 1);
  EXPECT_EQ(second.ends, 1);
  EXPECT_EQ(take.ends, 1);
  expect_tuple(&take, 2);
  expect_sizes(map, 0);
  map_drop(map, container);
}

TEST(staging_map, gives_up_what_is_parked) {
  berth_container_t *container = NULL;
  berth_staging_map_t *map = map_make(&container, 1);
  use_t first, second, take;
  EXPECT_TRUE(put(map, &first, 1));
  EXPECT_TRUE(!put(map, &second, 2));
  use_init(&take, BERTH_STAGING_TAKE, 2);
  EXPECT_TRUE(!use_run(map, &take));
  use_t *uses[] = {&second, &take};
  for (int i = 0; i < 2; ++i) {
    berth_staging_cancel(&uses[i]->op);
    berth_staging_cancel(&uses[i]->op);
    EXPECT_EQ(uses[i]->ends, 1);
    EXPECT_EQ(uses[i]->code, BERTH_CANCELLED);
    EXPECT_STR(berth_error_message(&uses[i]->op.error),
               i == 0 ? "Enqueue operation was cancelled"
                      : "Dequeue operation was cancelled");
  }
  berth_staging_map_clear(map);
  expect_sizes(map, 0);
  map_drop(map, container);
}

TEST(staging_map, puts_nothing_without_memory) {
  for (int64_t nth = 1;; ++nth) {
    berth_container_t *container = NULL;
    berth_staging_map_t *map = map_make(&container, 0);
    use_t use;
    use_init(&use, BERTH_STAGING_PUT, 3);
    berth_fault_arm("alloc", nth);
    EXPECT_TRUE(use_run(map, &use));
    bool was_hit = berth_fault_disarm() >= nth;
    EXPECT_EQ(use.code, was_hit ? BERTH_RESOURCE_EXHAUSTED : BERTH_OK);
    expect_sizes(map, was_hit ? 0 : 1);
    berth_error_clear(&use.op.error);
    map_drop(map, container);
    if (!was_hit) break;
  }
}

// ---- Threads ----

typedef struct crowd {
  berth_staging_map_t *map;
  use_t takes[KEYS];
} crowd_t;

static void put_all(void *arg) {
  static use_t puts[KEYS];
  crowd_t *crowd = arg;
  for (int i = 0; i < KEYS; ++i) (void)put(crowd->map, &puts[i], i);
}

// Every tuple goes to who asked for it, though few have room at a time.
TEST(staging_map, is_shared_by_threads) {
  static crowd_t crowd;
  berth_container_t *container = NULL;
  berth_thread_t thread;
  crowd.map = map_make(&container, 3);
  EXPECT_EQ(berth_thread_start(&thread, put_all, &crowd, NULL), BERTH_OK);
  for (int i = 0; i < KEYS; ++i) {
    use_init(&crowd.takes[i], BERTH_STAGING_TAKE, i);
    (void)use_run(crowd.map, &crowd.takes[i]);
  }
  berth_thread_join(&thread);
  for (int i = 0; i < KEYS; ++i) expect_tuple(&crowd.takes[i], i);
  expect_sizes(crowd.map, 0);
  map_drop(crowd.map, container);
}
