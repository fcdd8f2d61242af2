// container_test.c - The resources of a session, by name.
#include "state/container.h"

#include "base/alloc.h"
#include "base/fault.h"
#include "base/thread.h"
#include "harness.h"

typedef struct thing {
  berth_resource_t resource;
  int number;
} thing_t;

static atomic_int things_alive = 0;

static void thing_destroy(berth_resource_t *resource) {
  atomic_fetch_sub(&things_alive, 1);
  berth_free(resource);
}

static berth_code_t thing_create(void *arg, berth_resource_t **out_resource,
                                 berth_error_t *err) {
  thing_t *thing = berth_calloc(1, sizeof(*thing));
  if (thing == NULL) return berth_error_no_memory(err, "a thing");
  atomic_init(&thing->resource.refs, 1);
  thing->resource.kind = BERTH_RESOURCE_QUEUE;
  thing->resource.destroy = thing_destroy;
  thing->number = *(const int *)arg;
  atomic_fetch_add(&things_alive, 1);
  *out_resource = &thing->resource;
  return BERTH_OK;
}

// Returns the number of the thing called |key|, made with |number| if new.
static int number_of(berth_container_t *container, const char *name,
                     const char *key, int number) {
  berth_resource_t *resource = NULL;
  berth_code_t code =
      berth_container_find_or_create(container, name, BERTH_RESOURCE_QUEUE, key,
                                     thing_create, &number, &resource, NULL);
  if (code != BERTH_OK) return -1;
  int found = ((thing_t *)resource)->number;
  berth_resource_release(resource);
  return found;
}

TEST(container, finds_by_container_kind_and_key) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_container_t *container = NULL;
  ASSERT_OK(berth_container_create(&container, &err), &err);
  EXPECT_EQ(number_of(container, "", "a", 1), 1);
  EXPECT_EQ(number_of(container, "", "a", 2), 1);
  EXPECT_EQ(number_of(container, "other", "a", 3), 3);
  EXPECT_EQ(number_of(container, "", "b", 4), 4);
  EXPECT_TRUE(berth_container_find(container, "", BERTH_RESOURCE_VARIABLE,
                                   "a") == NULL);
  berth_resource_t *found =
      berth_container_find(container, "other", BERTH_RESOURCE_QUEUE, "a");
  ASSERT_TRUE(found != NULL);
  EXPECT_EQ(((thing_t *)found)->number, 3);
  berth_resource_release(found);
  EXPECT_EQ(things_alive, 3);
  berth_container_destroy(container);
  EXPECT_EQ(things_alive, 0);
}

TEST(container, forgets_one_or_a_whole_container) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_container_t *container = NULL;
  ASSERT_OK(berth_container_create(&container, &err), &err);
  char key[16];
  for (int i = 0; i < 1000; ++i) {
    snprintf(key, sizeof(key), "k%d", i);
    EXPECT_EQ(number_of(container, i % 2 ? "odd" : "even", key, i), i);
  }
  EXPECT_TRUE(
      berth_container_remove(container, "odd", BERTH_RESOURCE_QUEUE, "k7"));
  EXPECT_FALSE(
      berth_container_remove(container, "odd", BERTH_RESOURCE_QUEUE, "k7"));
  EXPECT_FALSE(
      berth_container_remove(container, "odd", BERTH_RESOURCE_QUEUE, "k8"));
  EXPECT_EQ(things_alive, 999);
  berth_resource_t *kept =
      berth_container_find(container, "odd", BERTH_RESOURCE_QUEUE, "k9");
  berth_container_clear(container, "odd");
  EXPECT_EQ(things_alive, 501);
  EXPECT_EQ(((thing_t *)kept)->number, 9);
  berth_resource_release(kept);
  EXPECT_EQ(number_of(container, "even", "k8", -5), 8);
  berth_container_clear(container, NULL);
  EXPECT_EQ(things_alive, 0);
  berth_container_destroy(container);
  berth_container_destroy(NULL);
}

TEST(container, survives_every_failed_allocation) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_container_t *container = NULL;
  ASSERT_OK(berth_container_create(&container, &err), &err);
  for (int64_t nth = 1; nth <= 2; ++nth) {
    berth_fault_arm("alloc", nth);
    EXPECT_EQ(number_of(container, "", "a", 1), -1);
    berth_fault_disarm();
    EXPECT_TRUE(
        berth_container_find(container, "", BERTH_RESOURCE_QUEUE, "a") == NULL);
  }
  EXPECT_EQ(number_of(container, "", "a", 1), 1);
  berth_container_destroy(container);
}

TEST(container, holds_many) {
  enum { MANY = 3000 };
  berth_error_t err = BERTH_ERROR_INIT;
  berth_container_t *container = NULL;
  ASSERT_OK(berth_container_create(&container, &err), &err);
  char key[16];
  for (int i = 0; i < MANY; ++i) {
    snprintf(key, sizeof(key), "k%d", i);
    EXPECT_EQ(number_of(container, i % 2 == 0 ? "" : "odd", key, i), i);
  }
  for (int i = 0; i < MANY; ++i) {
    snprintf(key, sizeof(key), "k%d", i);
    const char *name = i % 2 == 0 ? "" : "odd";
    EXPECT_EQ(number_of(container, name, key, -2), i);
    if (i % 3 == 0) {
      EXPECT_TRUE(
          berth_container_remove(container, name, BERTH_RESOURCE_QUEUE, key));
    }
  }
  EXPECT_EQ(things_alive, MANY - MANY / 3);
  berth_container_clear(container, "odd");
  EXPECT_EQ(things_alive, MANY / 3);
  berth_container_destroy(container);
  EXPECT_EQ(things_alive, 0);
}

enum { THREADS = 4 };

typedef struct worker {
  berth_container_t *container;
  int id;
  int64_t sum;
} worker_t;

static void find_many(void *arg) {
  worker_t *worker = arg;
  char key[16];
  for (int i = 0; i < 2000; ++i) {
    snprintf(key, sizeof(key), "k%d", i % 50);
    worker->sum += number_of(worker->container, "", key, i % 50);
    if (worker->id == 0 && i % 500 == 0) {
      berth_container_clear(worker->container, "");
    }
  }
}

TEST(container, threads_share_one) {
  berth_error_t err = BERTH_ERROR_INIT;
  worker_t workers[THREADS];
  berth_thread_t threads[THREADS];
  berth_container_t *container = NULL;
  ASSERT_OK(berth_container_create(&container, &err), &err);
  for (int i = 0; i < THREADS; ++i) {
    workers[i] = (worker_t){container, i, 0};
    ASSERT_OK(berth_thread_start(&threads[i], find_many, &workers[i], &err),
              &err);
  }
  for (int i = 0; i < THREADS; ++i) {
    berth_thread_join(&threads[i]);
    EXPECT_EQ(workers[i].sum, 40 * (49 * 50 / 2));
  }
  EXPECT_EQ(things_alive, 50);
  berth_container_destroy(container);
  EXPECT_EQ(things_alive, 0);
}
