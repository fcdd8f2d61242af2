// history_test.c - Labels, histories and pictures of pools.
#include "memory/history.h"

#include <stdio.h>

#include "base/alloc.h"
#include "base/fault.h"
#include "base/thread.h"
#include "harness.h"
#include "memory/picture.h"
#include "memory/pool.h"

static berth_pool_t *made(void) {
  berth_policy_t policy = berth_policy_host(0);
  berth_error_t err = BERTH_ERROR_INIT;
  berth_pool_t *pool = NULL;
  if (berth_pool_create(berth_source_host(), &policy, &pool, &err) !=
      BERTH_OK) {
    return NULL;
  }
  return pool;
}

static berth_buffer_t *taken(berth_pool_t *pool, size_t size,
                             const char *label) {
  berth_request_t request = {.size = size, .label = label};
  berth_buffer_t *buffer = NULL;
  berth_error_t err = BERTH_ERROR_INIT;
  return berth_pool_request(pool, &request, &buffer, &err) == BERTH_OK ? buffer
                                                                       : NULL;
}

// ---- Labels ----

TEST(label, texts_have_one_number) {
  EXPECT_EQ(berth_label_of(NULL), 0);
  EXPECT_EQ(berth_label_of(""), 0);
  EXPECT_STR(berth_label_text(0), "");
  EXPECT_STR(berth_label_text(BERTH_LABEL_NODE), "");
  EXPECT_STR(berth_label_text(UINT32_MAX), "");
  berth_label_t a = berth_label_of("conv1"), b = berth_label_of("conv");
  EXPECT_TRUE(a > BERTH_LABEL_NODE && b > BERTH_LABEL_NODE && a != b);
  EXPECT_EQ(berth_label_of("conv1"), a);
  EXPECT_STR(berth_label_text(a), "conv1");
}

TEST(label, of_long_texts_the_end_is_kept) {
  char text[3000];
  memset(text, 'x', sizeof(text));
  snprintf(text + 2000, sizeof(text) - 2000, "%0900d_end", 7);
  const char *kept = berth_label_text(berth_label_of(text));
  EXPECT_EQ(strlen(kept), 1023);
  EXPECT_STR(kept, text + strlen(text) - 1023);
}

TEST(label, there_is_an_end) {
  char text[32];
  for (int i = 0; i < BERTH_LABELS + 100; ++i) {
    snprintf(text, sizeof(text), "node_%d", i);
    berth_label_t label = berth_label_of(text);
    if (label != 0) EXPECT_STR(berth_label_text(label), text);
  }
  EXPECT_EQ(berth_label_count(), BERTH_LABELS);
  EXPECT_EQ(berth_label_of("one more"), 0);
  EXPECT_STR(berth_label_text(berth_label_of("node_0")), "node_0");
  EXPECT_STR(berth_label_text(berth_label_of("node_60000")), "node_60000");
}

static void name_many(void *arg) {
  char text[32];
  for (int i = 0; i < 2000; ++i) {
    snprintf(text, sizeof(text), "shared_%d", i);
    ((berth_label_t *)arg)[i] = berth_label_of(text);
  }
}

TEST(label, threads_find_the_same) {
  enum { THREADS = 4 };
  static berth_label_t found[THREADS][2000];
  berth_thread_t threads[THREADS];
  berth_error_t err = BERTH_ERROR_INIT;
  for (int i = 0; i < THREADS; ++i) {
    ASSERT_OK(berth_thread_start(&threads[i], name_many, found[i], &err), &err);
  }
  for (int i = 0; i < THREADS; ++i) berth_thread_join(&threads[i]);
  for (int i = 1; i < THREADS; ++i) {
    EXPECT_EQ(memcmp(found[0], found[i], sizeof(found[0])), 0);
  }
}

// ---- Histories ----

TEST(history, is_off_and_can_be_switched) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_pool_t *pool = made();
  EXPECT_EQ(berth_history_size(), 0);
  EXPECT_TRUE(!berth_history_is_on());
  berth_buffer_release(taken(pool, 5000, "before"));
  ASSERT_OK(berth_history_set(10, &err), &err);
  EXPECT_EQ(berth_history_size(), 10);
  berth_label_line = berth_label_of("train.py:12");
  berth_buffer_t *kept = taken(pool, 5000, "conv");
  berth_label_line = 0;
  berth_buffer_release(taken(pool, 300, NULL));
  berth_memory_picture_t picture = {0};
  ASSERT_OK(berth_memory_picture_take(NULL, &picture, &err), &err);
  ASSERT_TRUE(picture.event_count == 3);
  EXPECT_EQ(picture.noted, 3);
  static const uint32_t kinds[] = {BERTH_EVENT_ALLOC, BERTH_EVENT_ALLOC,
                                   BERTH_EVENT_FREE};
  static const uint64_t sizes[] = {5120, 512, 512};
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(picture.events[i].kind, kinds[i]);
    EXPECT_EQ(picture.events[i].size, sizes[i]);
    EXPECT_STR(berth_label_text(picture.events[i].where), "host");
    EXPECT_TRUE(i == 0 ||
                picture.events[i].time_ns >= picture.events[i - 1].time_ns);
  }
  EXPECT_STR(berth_label_text(picture.events[0].label), "conv");
  EXPECT_STR(berth_label_text(picture.events[0].line), "train.py:12");
  EXPECT_EQ(picture.events[0].address, (uint64_t)(uintptr_t)kept->data);
  EXPECT_EQ(picture.events[1].address, picture.events[2].address);
  ASSERT_TRUE(picture.tenant_count == 1);
  EXPECT_EQ(picture.tenants[0].bytes, 5120);
  berth_memory_picture_clear(&picture);
  ASSERT_OK(berth_history_set(0, &err), &err);
  EXPECT_TRUE(!berth_history_is_on());
  berth_buffer_release(kept);
  ASSERT_OK(berth_memory_picture_take(NULL, &picture, &err), &err);
  EXPECT_EQ(picture.event_count, 0);
  EXPECT_EQ(picture.tenant_count, 0);
  berth_memory_picture_clear(&picture);
  berth_pool_destroy(pool);
}

TEST(history, the_last_events_are_kept) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_pool_t *pool = made();
  ASSERT_OK(berth_history_set(1500, &err), &err);
  for (int i = 0; i < 2500; ++i) {
    berth_buffer_release(taken(pool, (size_t)(i + 1) * 256, "x"));
  }
  berth_memory_picture_t picture = {0};
  ASSERT_OK(berth_memory_picture_take(NULL, &picture, &err), &err);
  EXPECT_EQ(picture.noted, 5000);
  ASSERT_TRUE(picture.event_count == 1500);
  for (int i = 0; i < 1500; ++i) {
    EXPECT_EQ(picture.events[i].size, (uint64_t)(1750 + i / 2 + 1) * 256);
    EXPECT_EQ(picture.events[i].kind, (uint32_t)(i % 2));
  }
  berth_memory_picture_clear(&picture);
  ASSERT_OK(berth_history_set(0, &err), &err);
  berth_pool_destroy(pool);
}

TEST(history, refuses_what_is_no_number_of_events) {
  berth_error_t err = BERTH_ERROR_INIT;
  EXPECT_FAILS(berth_history_set(-1, &err), BERTH_INVALID_ARGUMENT, &err,
               "a history has 0 to 67108864 events, not -1");
  EXPECT_EQ(berth_history_size(), 0);
}

TEST(history, renamed_memory_changes_hands) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_pool_t *pool = made();
  ASSERT_OK(berth_history_set(100, &err), &err);
  berth_buffer_t *buffer = taken(pool, 4096, "a");
  berth_pool_rename(buffer, "b");
  berth_pool_rename(buffer, "b");
  berth_pool_note_run(buffer, 7, true);
  berth_pool_note_run(buffer, 7, false);
  berth_memory_picture_t picture = {0};
  ASSERT_OK(berth_memory_picture_take(NULL, &picture, &err), &err);
  ASSERT_TRUE(picture.event_count == 5);
  static const uint32_t kinds[] = {BERTH_EVENT_ALLOC, BERTH_EVENT_FREE,
                                   BERTH_EVENT_ALLOC, BERTH_EVENT_RUN,
                                   BERTH_EVENT_END};
  for (int i = 0; i < 5; ++i) EXPECT_EQ(picture.events[i].kind, kinds[i]);
  EXPECT_STR(berth_label_text(picture.events[2].label), "b");
  EXPECT_EQ(picture.events[3].label, 7);
  EXPECT_STR(berth_label_text(picture.tenants[0].label), "b");
  berth_memory_picture_clear(&picture);
  berth_buffer_release(buffer);
  ASSERT_OK(berth_history_set(0, &err), &err);
  berth_pool_destroy(pool);
}

TEST(history, plans_are_kept) {
  char *text = berth_alloc(3);
  memcpy(text, "{}", 3);
  uint32_t number = berth_history_add_plan(text);
  EXPECT_EQ(number, 1);
  EXPECT_STR(berth_history_plan(number), "{}");
  EXPECT_TRUE(berth_history_plan(0) == NULL);
  EXPECT_TRUE(berth_history_plan(number + 1) == NULL);
}

static void churn(void *pool) {
  for (int i = 0; i < 3000; ++i) {
    berth_buffer_release(taken(pool, 4096 + (size_t)(i % 7) * 512, "churn"));
  }
}

TEST(history, may_be_switched_and_seen_while_others_allocate) {
  enum { THREADS = 3 };
  berth_error_t err = BERTH_ERROR_INIT;
  berth_pool_t *pools[2] = {made(), made()};
  berth_thread_t threads[THREADS];
  for (int i = 0; i < THREADS; ++i) {
    ASSERT_OK(berth_thread_start(&threads[i], churn, pools[i % 2], &err), &err);
  }
  for (int i = 0; i < 50; ++i) {
    berth_memory_picture_t picture = {0};
    ASSERT_OK(berth_history_set(i % 3 == 0 ? 0 : 2000, &err), &err);
    ASSERT_OK(berth_memory_picture_take(NULL, &picture, &err), &err);
    EXPECT_TRUE(picture.event_count <= 2000);
    berth_memory_picture_clear(&picture);
  }
  for (int i = 0; i < THREADS; ++i) berth_thread_join(&threads[i]);
  ASSERT_OK(berth_history_set(0, &err), &err);
  berth_pool_destroy(pools[0]);
  berth_pool_destroy(pools[1]);
}
