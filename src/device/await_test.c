// await_test.c - Waiting for a device that only counts.
#include "device/await.h"

#include <limits.h>

#include "device/device.h"
#include "harness.h"

// A stream whose work is over when it has been asked about often enough.
typedef struct counter {
  berth_stream_t base;  // First.
  int asked, done_at, fails_at;
} counter_t;

static berth_code_t ask(counter_t *counter, bool *out_done,
                        berth_error_t *err) {
  if (++counter->asked == counter->fails_at) {
    return berth_error_set(err, BERTH_INTERNAL, "the card is gone");
  }
  *out_done = counter->asked >= counter->done_at;
  return BERTH_OK;
}

static berth_code_t stream_query(berth_stream_t *stream, bool *out_done,
                                 berth_error_t *err) {
  return ask((counter_t *)stream, out_done, err);
}

static berth_code_t event_query(berth_event_t *event, bool *out_done,
                                berth_error_t *err) {
  return ask((counter_t *)(void *)event, out_done, err);
}

static const berth_stream_ops_t ops = {.query = stream_query,
                                       .event_query = event_query};
static const berth_backend_t backend = {.struct_size = sizeof(backend),
                                        .streams = &ops};
static berth_device_t device = {.backend = &backend};

typedef struct looker {
  int looked, ends_at;
} looker_t;

static bool look(void *arg) {
  looker_t *looker = arg;
  return ++looker->looked == looker->ends_at;
}

static berth_code_t await_event(counter_t *counter, looker_t *looker,
                                berth_error_t *err) {
  return berth_await_event(&ops, (berth_event_t *)(void *)counter,
                           looker != NULL ? look : NULL, looker, err);
}

TEST(await, ends_with_the_work) {
  counter_t counter = {.base = {&device}, .done_at = 1000};
  looker_t looker = {0};
  berth_error_t err = BERTH_ERROR_INIT;
  ASSERT_OK(await_event(&counter, &looker, &err), &err);
  EXPECT_EQ(counter.asked, 1000);
  EXPECT_TRUE(looker.looked >= 1000 / 64 && looker.looked <= 1000);
  ASSERT_OK(await_event(&counter, NULL, &err), &err);
  counter.done_at = 5000;
  ASSERT_OK(berth_await_stream(&counter.base, look, &looker, &err), &err);
  EXPECT_EQ(counter.asked, 5000);
}

TEST(await, ends_when_somebody_says_so) {
  counter_t counter = {.base = {&device}, .done_at = INT_MAX};
  looker_t looker = {.ends_at = 3};
  berth_error_t err = BERTH_ERROR_INIT;
  EXPECT_EQ(await_event(&counter, &looker, &err), BERTH_CANCELLED);
  EXPECT_EQ(looker.looked, 3);
  EXPECT_EQ(err.code, BERTH_OK);
  looker = (looker_t){.ends_at = 100};  // After some naps.
  EXPECT_EQ(berth_await_stream(&counter.base, look, &looker, &err),
            BERTH_CANCELLED);
  EXPECT_EQ(looker.looked, 100);
}

TEST(await, passes_a_failure_on) {
  counter_t counter = {.base = {&device}, .done_at = INT_MAX, .fails_at = 70};
  berth_error_t err = BERTH_ERROR_INIT;
  EXPECT_EQ(await_event(&counter, NULL, &err), BERTH_INTERNAL);
  EXPECT_STR(berth_error_message(&err), "the card is gone");
  berth_error_clear(&err);
}
