// retire_test.c - Freeing what runs may still be using.
#include "exec/retire.h"

#include "base/alloc.h"
#include "harness.h"

typedef struct item {
  berth_retired_t retired;  // First.
  atomic_int *freed;
} item_t;

static void item_destroy(berth_retired_t *retired) {
  item_t *item = (item_t *)retired;
  atomic_fetch_add(item->freed, 1);
  berth_free(item);
}

static void retire_one(berth_terms_t *terms, atomic_int *freed) {
  item_t *item = berth_calloc(1, sizeof(*item));
  item->retired.destroy = item_destroy;
  item->freed = freed;
  berth_terms_retire(terms, &item->retired);
}

TEST(retire, frees_at_once_when_nobody_runs) {
  berth_terms_t terms;
  atomic_int freed = 0;
  berth_terms_init(&terms);
  retire_one(&terms, &freed);
  EXPECT_EQ(atomic_load(&freed), 1);
  berth_terms_deinit(&terms);
}

TEST(retire, waits_for_runs_that_had_begun) {
  berth_terms_t terms;
  atomic_int freed = 0;
  berth_terms_init(&terms);
  unsigned early = berth_terms_enter(&terms);
  retire_one(&terms, &freed);
  // Runs that begin later neither hold it up nor free it too soon.
  for (int i = 0; i < 10; ++i) {
    unsigned late = berth_terms_enter(&terms);
    berth_terms_leave(&terms, late);
    EXPECT_EQ(atomic_load(&freed), 0);
  }
  EXPECT_EQ(berth_terms_running(&terms), 1);
  berth_terms_leave(&terms, early);
  EXPECT_EQ(atomic_load(&freed), 1);
  EXPECT_EQ(berth_terms_running(&terms), 0);
  berth_terms_deinit(&terms);
}

// Somebody always runs, and still what is retired is freed in the end.
TEST(retire, frees_although_runs_overlap) {
  berth_terms_t terms;
  atomic_int freed = 0;
  berth_terms_init(&terms);
  unsigned running = berth_terms_enter(&terms);
  for (int i = 0; i < 100; ++i) {
    retire_one(&terms, &freed);
    unsigned next = berth_terms_enter(&terms);
    berth_terms_leave(&terms, running);
    running = next;
  }
  EXPECT_TRUE(atomic_load(&freed) > 90);
  berth_terms_leave(&terms, running);
  berth_terms_deinit(&terms);
  EXPECT_EQ(atomic_load(&freed), 100);
}

// ---- Threads ----

enum { READERS = 3, ROUNDS = 4000 };

// What readers find: a number that is spoilt when it is freed.
typedef struct shared {
  berth_retired_t retired;  // First.
  atomic_int alive;
} shared_t;

static berth_terms_t shared_terms;
static _Atomic(shared_t *) current;
static atomic_bool is_over;
static atomic_int live_count;

static void shared_destroy(berth_retired_t *retired) {
  shared_t *shared = (shared_t *)retired;
  atomic_store(&shared->alive, 0);
  atomic_fetch_sub(&live_count, 1);
  berth_free(shared);
}

static shared_t *shared_create(void) {
  shared_t *shared = berth_calloc(1, sizeof(*shared));
  atomic_store(&shared->alive, 1);
  shared->retired.destroy = shared_destroy;
  atomic_fetch_add(&live_count, 1);
  return shared;
}

static void read_many(void *arg) {
  (void)arg;
  while (!atomic_load(&is_over)) {
    unsigned term = berth_terms_enter(&shared_terms);
    shared_t *found = atomic_load(&current);
    for (int i = 0; i < 20; ++i) EXPECT_EQ(atomic_load(&found->alive), 1);
    berth_terms_leave(&shared_terms, term);
  }
}

TEST(retire, readers_never_find_what_was_freed) {
  berth_thread_t threads[READERS];
  berth_terms_init(&shared_terms);
  atomic_store(&current, shared_create());
  for (int i = 0; i < READERS; ++i) {
    ASSERT_OK(berth_thread_start(&threads[i], read_many, NULL, NULL), NULL);
  }
  int most = 0;
  for (int i = 0; i < ROUNDS; ++i) {
    unsigned term = berth_terms_enter(&shared_terms);
    shared_t *old = atomic_exchange(&current, shared_create());
    berth_terms_retire(&shared_terms, &old->retired);
    berth_terms_leave(&shared_terms, term);
    int live = atomic_load(&live_count);
    if (live > most) most = live;
  }
  atomic_store(&is_over, true);
  for (int i = 0; i < READERS; ++i) berth_thread_join(&threads[i]);
  printf("at most %d alive\n", most);
  shared_destroy(&atomic_load(&current)->retired);
  berth_terms_deinit(&shared_terms);
  EXPECT_EQ(atomic_load(&live_count), 0);
}
