// host_call_test.c - Ops whose work the host program does.
#include "session_testing.h"

// What the functions below are told, and what they have seen.
typedef struct host {
  atomic_int calls;
  _Atomic(berth_host_call_t *) held;  // Of |hold|.
} host_t;

// Doubles its input at once.
static void twice(berth_host_call_t *call, void *arg) {
  host_t *host = arg;
  atomic_fetch_add(&host->calls, 1);
  EXPECT_EQ(berth_host_call_input_count(call), 1);
  EXPECT_TRUE(berth_host_call_input(call, 1) == NULL);
  EXPECT_TRUE(berth_host_call_input(call, -1) == NULL);
  berth_tensor_t *result =
      scalar(2 * (float)element(berth_host_call_input(call, 0), 0));
  berth_host_call_finish(call, BERTH_OK, NULL, &result, 1);
}

static void refuse(berth_host_call_t *call, void *arg) {
  (void)arg;
  berth_host_call_finish(call, BERTH_ABORTED, "not today", NULL, 0);
}

// Keeps the call for the test to finish.
static void hold(berth_host_call_t *call, void *arg) {
  host_t *host = arg;
  atomic_store(&host->held, call);
}

static berth_host_call_t *wait_for_call(host_t *host) {
  berth_host_call_t *call = NULL;
  while ((call = atomic_exchange(&host->held, NULL)) == NULL) sleep_ms(1);
  return call;
}

// A graph with y = -callback(x).
static void open_callback(rig_t *rig, const char *token, berth_out_t *out_x,
                          berth_out_t *out_y) {
  rig_init(rig);
  *out_x = hole(rig->graph, "x");
  berth_out_t called = callback(rig->graph, "called", token, out_x, 1);
  *out_y = berth_neg(rig->graph, "y", called);
  EXPECT_EQ(rig_open(rig, NULL), BERTH_OK);
}

TEST(host_call, computes) {
  rig_t rig;
  host_t host = {0};
  berth_out_t x, y;
  ASSERT_OK(berth_host_register("twice", twice, &host, NULL), NULL);
  open_callback(&rig, "twice", &x, &y);
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(fetch_fed(&rig, y, x, scalar((float)i)), -2 * i);
  }
  EXPECT_EQ(atomic_load(&host.calls), 5);
  ASSERT_OK(berth_host_register("twice", NULL, NULL, NULL), NULL);
  EXPECT_TRUE(isnan(fetch_fed(&rig, y, x, scalar(1))));
  EXPECT_EQ(rig.err.code, BERTH_NOT_FOUND);
  EXPECT_STR(berth_error_message(&rig.err),
             "no host function is registered under 'twice'\n\t "
             "[[{{node called}}]]");
  rig_clear(&rig);
}

TEST(host_call, is_called_anew_for_constants_too) {
  rig_t rig;
  host_t host = {0};
  ASSERT_OK(berth_host_register("twice", twice, &host, NULL), NULL);
  rig_init(&rig);
  berth_out_t c = const_scalar(rig.graph, "c", 4);
  berth_out_t called = callback(rig.graph, "called", "twice", &c, 1);
  ASSERT_OK(rig_open(&rig, NULL), &rig.err);
  EXPECT_EQ(fetch(&rig, called), 8);
  EXPECT_EQ(fetch(&rig, called), 8);
  EXPECT_EQ(atomic_load(&host.calls), 2);
  ASSERT_OK(berth_host_register("twice", NULL, NULL, NULL), NULL);
  rig_clear(&rig);
}

TEST(host_call, may_fail) {
  rig_t rig;
  berth_out_t x, y;
  ASSERT_OK(berth_host_register("refuse", refuse, NULL, NULL), NULL);
  open_callback(&rig, "refuse", &x, &y);
  EXPECT_TRUE(isnan(fetch_fed(&rig, y, x, scalar(1))));
  EXPECT_EQ(rig.err.code, BERTH_ABORTED);
  EXPECT_STR(berth_error_message(&rig.err),
             "not today\n\t [[{{node called}}]]");
  ASSERT_OK(berth_host_register("refuse", NULL, NULL, NULL), NULL);
  rig_clear(&rig);
}

static void deliver_int(berth_host_call_t *call, void *arg) {
  (void)arg;
  berth_tensor_t *result = int_scalar(1);
  berth_host_call_finish(call, BERTH_OK, NULL, &result, 1);
}

static void deliver_nothing(berth_host_call_t *call, void *arg) {
  (void)arg;
  berth_host_call_finish(call, BERTH_OK, NULL, NULL, 0);
}

TEST(host_call, what_it_delivers_is_checked) {
  rig_t rig;
  berth_out_t x, y;
  ASSERT_OK(berth_host_register("odd", deliver_int, NULL, NULL), NULL);
  open_callback(&rig, "odd", &x, &y);
  EXPECT_TRUE(isnan(fetch_fed(&rig, y, x, scalar(1))));
  EXPECT_STR(berth_error_message(&rig.err),
             "output 0 of a host function is int32 instead of float\n\t "
             "[[{{node called}}]]");
  ASSERT_OK(berth_host_register("odd", deliver_nothing, NULL, NULL), NULL);
  EXPECT_TRUE(isnan(fetch_fed(&rig, y, x, scalar(1))));
  EXPECT_STR(berth_error_message(&rig.err),
             "a host function gave 0 outputs instead of 1\n\t "
             "[[{{node called}}]]");
  ASSERT_OK(berth_host_register("odd", NULL, NULL, NULL), NULL);
  rig_clear(&rig);
}

// Runs |y| in another thread; this one finishes what is held, with |value|.
static void finish_later(rig_t *rig, host_t *host, berth_feed_t *feed,
                         berth_out_t y, float value) {
  job_t job = {.run = {.feeds = feed, .feed_count = 1}};
  job_start(&job, rig->session, y, BERTH_NO_NODE);
  berth_host_call_t *call = wait_for_call(host);
  sleep_ms(15);
  EXPECT_FALSE(atomic_load(&job.is_done));
  EXPECT_EQ(element(berth_host_call_input(call, 0), 0), 3);
  berth_tensor_t *result = scalar(value);
  berth_host_call_finish(call, BERTH_OK, NULL, &result, 1);
  job_join(&job);
  EXPECT_EQ(job.code, BERTH_OK);
  EXPECT_EQ(element(job.result, 0), -value);
  job_clear(&job);
}

TEST(host_call, may_be_finished_later_from_another_thread) {
  rig_t rig;
  host_t host = {0};
  berth_out_t x, y;
  ASSERT_OK(berth_host_register("hold", hold, &host, NULL), NULL);
  open_callback(&rig, "hold", &x, &y);
  berth_tensor_t *fed = scalar(3);
  berth_feed_t feed = {x, fed};
  for (int i = 0; i < 3; ++i) finish_later(&rig, &host, &feed, y, (float)i);
  berth_tensor_release(fed);
  ASSERT_OK(berth_host_register("hold", NULL, NULL, NULL), NULL);
  rig_clear(&rig);
}

TEST(host_call, a_run_that_is_ended_does_not_wait_for_it) {
  rig_t rig;
  host_t host = {0};
  berth_out_t x, y;
  ASSERT_OK(berth_host_register("hold", hold, &host, NULL), NULL);
  open_callback(&rig, "hold", &x, &y);
  berth_tensor_t *fed = scalar(3);
  berth_feed_t feed = {x, fed};
  // A card that starts would take longer than the deadline.
  finish_later(&rig, &host, &feed, y, 1);
  job_t job = {.run = {.feeds = &feed, .feed_count = 1, .timeout_ms = 200}};
  job_start(&job, rig.session, y, BERTH_NO_NODE);
  berth_host_call_t *call = wait_for_call(&host);
  job_join(&job);
  EXPECT_EQ(job.code, BERTH_DEADLINE_EXCEEDED);
  job_clear(&job);
  berth_tensor_release(fed);
  rig_clear(&rig);
  // The host comes too late, after session and graph are gone.
  EXPECT_EQ(element(berth_host_call_input(call, 0), 0), 3);
  berth_tensor_t *result = scalar(1);
  berth_host_call_finish(call, BERTH_OK, NULL, &result, 1);
  ASSERT_OK(berth_host_register("hold", NULL, NULL, NULL), NULL);
}

TEST(host_call, one_failure_ends_the_others) {
  rig_t rig;
  host_t host = {0};
  rig_init(&rig);
  ASSERT_OK(berth_host_register("hold", hold, &host, NULL), NULL);
  ASSERT_OK(berth_host_register("refuse", refuse, NULL, NULL), NULL);
  berth_out_t c = const_scalar(rig.graph, "c", 1);
  berth_out_t held = callback(rig.graph, "held", "hold", &c, 1);
  berth_out_t refused = callback(rig.graph, "refused", "refuse", &c, 1);
  berth_out_t sum = berth_add_v2(rig.graph, "sum", held, refused);
  ASSERT_OK(rig_open(&rig, NULL), &rig.err);
  EXPECT_TRUE(isnan(fetch(&rig, sum)));
  EXPECT_EQ(rig.err.code, BERTH_ABORTED);
  berth_host_call_t *call = wait_for_call(&host);
  berth_host_call_finish(call, BERTH_CANCELLED, "late", NULL, 0);
  ASSERT_OK(berth_host_register("hold", NULL, NULL, NULL), NULL);
  ASSERT_OK(berth_host_register("refuse", NULL, NULL, NULL), NULL);
  rig_clear(&rig);
}
