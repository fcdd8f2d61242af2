// ending_test.c - Timeouts, cancellation, polling and closing.
#include "session_testing.h"

// A session with an empty queue: taking from it waits for ever.
static void open_waiting(rig_t *rig, berth_out_t *out_taken,
                         const berth_config_t *config) {
  rig_init(rig);
  berth_out_t queue = float_queue(rig->graph, "queue", 1);
  *out_taken = dequeue(rig->graph, "taken", queue);
  EXPECT_EQ(rig_open(rig, config), BERTH_OK);
}

// ---- Timeouts ----

TEST(timeout, ends_a_run_that_waits) {
  rig_t rig;
  berth_out_t taken;
  open_waiting(&rig, &taken, NULL);
  berth_tensor_t *result = NULL;
  berth_run_t run = {.fetches = &taken,
                     .fetch_count = 1,
                     .results = &result,
                     .timeout_ms = 60};
  int64_t before = now_ms(CLOCK_MONOTONIC);
  EXPECT_FAILS(berth_session_run_with(rig.session, &run, &rig.err),
               BERTH_DEADLINE_EXCEEDED, &rig.err,
               "Timed out waiting for notification");
  EXPECT_TRUE(now_ms(CLOCK_MONOTONIC) - before >= 60);
  EXPECT_TRUE(result == NULL);
  rig_clear(&rig);
}

TEST(timeout, of_the_session) {
  rig_t rig;
  berth_out_t taken;
  berth_config_t config = BERTH_CONFIG_INIT;
  config.timeout_ms = 40;
  open_waiting(&rig, &taken, &config);
  EXPECT_TRUE(isnan(fetch(&rig, taken)));
  EXPECT_EQ(rig.err.code, BERTH_DEADLINE_EXCEEDED);
  EXPECT_STR(berth_error_message(&rig.err),
             "Timed out waiting for notification");
  rig_clear(&rig);
}

TEST(timeout, leaves_the_session_usable) {
  rig_t rig;
  rig_init(&rig);
  berth_out_t queue = float_queue(rig.graph, "queue", 1);
  berth_out_t taken = dequeue(rig.graph, "taken", queue);
  berth_out_t one = const_scalar(rig.graph, "one", 1);
  berth_node_id_t put =
      berth_queue_enqueue_v2(rig.graph, "put", queue, &one, 1);
  berth_config_t config = BERTH_CONFIG_INIT;
  config.timeout_ms = 30;
  ASSERT_OK(rig_open(&rig, &config), &rig.err);
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(isnan(fetch(&rig, taken)));
    EXPECT_EQ(rig.err.code, BERTH_DEADLINE_EXCEEDED);
    berth_error_clear(&rig.err);
    // The dequeue that was given up does not take this.
    ASSERT_OK(run_target(&rig, put), &rig.err);
    EXPECT_EQ(fetch(&rig, taken), 1);
  }
  rig_clear(&rig);
}

// A chain of products that takes seconds, after a fed matrix.
static berth_out_t long_chain(berth_graph_t *graph, berth_out_t x, int count) {
  berth_out_t last = x;
  for (int i = 0; i < count; ++i) last = berth_matmul(graph, NULL, last, x);
  return last;
}

static berth_tensor_t *matrix(int64_t size) {
  berth_tensor_t *tensor = NULL;
  EXPECT_EQ(
      berth_tensor_create(BERTH_FLOAT, BERTH_SHAPE(size, size), &tensor, NULL),
      BERTH_OK);
  memset(berth_tensor_data(tensor), 0, berth_tensor_size(tensor));
  return tensor;
}

TEST(timeout, ends_a_run_that_computes) {
  rig_t rig;
  rig_init(&rig);
  berth_out_t x = hole(rig.graph, "x");
  berth_out_t last = long_chain(rig.graph, x, 20000);
  berth_config_t config = BERTH_CONFIG_INIT;
  config.timeout_ms = 100;
  ASSERT_OK(rig_open(&rig, &config), &rig.err);
  EXPECT_TRUE(isnan(fetch_fed(&rig, last, x, matrix(256))));
  EXPECT_EQ(rig.err.code, BERTH_DEADLINE_EXCEEDED);
  EXPECT_STR(berth_error_message(&rig.err),
             "Timed out waiting for notification");
  rig_clear(&rig);
}

// ---- Cancellation ----

static void *fire_later(void *arg) {
  sleep_ms(30);
  berth_cancel_fire(arg);
  return NULL;
}

TEST(cancel, ends_a_run_that_waits) {
  rig_t rig;
  berth_out_t taken;
  open_waiting(&rig, &taken, NULL);
  berth_cancel_t *cancel = berth_cancel_create();
  pthread_t thread;
  ASSERT_TRUE(pthread_create(&thread, NULL, fire_later, cancel) == 0);
  berth_tensor_t *result = NULL;
  berth_run_t run = {.fetches = &taken,
                     .fetch_count = 1,
                     .results = &result,
                     .cancel = cancel};
  EXPECT_FAILS(berth_session_run_with(rig.session, &run, &rig.err),
               BERTH_CANCELLED, &rig.err, "Run call was cancelled");
  pthread_join(thread, NULL);
  // It ends later runs too, before they begin.
  EXPECT_FAILS(berth_session_run_with(rig.session, &run, &rig.err),
               BERTH_CANCELLED, &rig.err, "Run call was cancelled");
  berth_cancel_release(cancel);
  rig_clear(&rig);
}

TEST(cancel, ends_a_run_that_computes) {
  rig_t rig;
  rig_init(&rig);
  berth_out_t x = hole(rig.graph, "x");
  berth_out_t last = long_chain(rig.graph, x, 20000);
  ASSERT_OK(rig_open(&rig, NULL), &rig.err);
  berth_cancel_t *cancel = berth_cancel_create();
  pthread_t thread;
  ASSERT_TRUE(pthread_create(&thread, NULL, fire_later, cancel) == 0);
  berth_tensor_t *fed = matrix(256), *result = NULL;
  berth_feed_t feed = {x, fed};
  berth_run_t run = {.feeds = &feed,
                     .feed_count = 1,
                     .fetches = &last,
                     .fetch_count = 1,
                     .results = &result,
                     .cancel = cancel};
  EXPECT_FAILS(berth_session_run_with(rig.session, &run, &rig.err),
               BERTH_CANCELLED, &rig.err, "Run call was cancelled");
  pthread_join(thread, NULL);
  EXPECT_TRUE(berth_tensor_is_exclusive(fed));
  berth_tensor_release(fed);
  berth_cancel_release(cancel);
  rig_clear(&rig);
}

// ---- Polling ----

typedef struct poller {
  int calls;
  int stop_at;  // 0: never.
} poller_t;

static int count_poll(void *arg) {
  poller_t *poller = arg;
  ++poller->calls;
  return poller->stop_at > 0 && poller->calls >= poller->stop_at;
}

TEST(poll, is_called_while_a_run_waits) {
  rig_t rig;
  berth_out_t taken;
  open_waiting(&rig, &taken, NULL);
  poller_t poller = {0};
  berth_tensor_t *result = NULL;
  berth_run_t run = {.fetches = &taken,
                     .fetch_count = 1,
                     .results = &result,
                     .timeout_ms = 500,
                     .poll = count_poll,
                     .poll_arg = &poller};
  EXPECT_EQ(berth_session_run_with(rig.session, &run, &rig.err),
            BERTH_DEADLINE_EXCEEDED);
  EXPECT_TRUE(poller.calls >= 9);
  rig_clear(&rig);
}

TEST(poll, ends_a_run) {
  rig_t rig;
  berth_out_t taken;
  berth_config_t config = BERTH_CONFIG_INIT;
  poller_t poller = {.stop_at = 3};
  config.poll = count_poll;
  config.poll_arg = &poller;
  open_waiting(&rig, &taken, &config);
  EXPECT_TRUE(isnan(fetch(&rig, taken)));
  EXPECT_EQ(rig.err.code, BERTH_CANCELLED);
  EXPECT_STR(berth_error_message(&rig.err), "Run call was cancelled");
  EXPECT_EQ(poller.calls, 3);
  rig_clear(&rig);
}

// Runs |fetch| for about |ms| of this thread's time, or to its end, and expects
// a poll for every 50 ms of it. Time that others have taken does not count.
static void expect_polls(rig_t *rig, berth_out_t out, berth_out_t fed,
                         berth_tensor_t *value) {
  poller_t poller = {0};
  berth_tensor_t *result = NULL;
  berth_feed_t feed = {fed, value};
  berth_run_t run = {.feeds = &feed,
                     .feed_count = value != NULL,
                     .fetches = &out,
                     .fetch_count = 1,
                     .results = &result,
                     .timeout_ms = 1500,
                     .poll = count_poll,
                     .poll_arg = &poller};
  int64_t before = now_ms(CLOCK_THREAD_CPUTIME_ID);
  berth_code_t code = berth_session_run_with(rig->session, &run, &rig->err);
  int64_t spent = now_ms(CLOCK_THREAD_CPUTIME_ID) - before;
  EXPECT_TRUE(code == BERTH_OK || code == BERTH_DEADLINE_EXCEEDED);
  EXPECT_TRUE(spent > 100);
  if (poller.calls < spent / 50) {
    HARNESS_FAIL("%d polls in %d ms", poller.calls, (int)spent);
  }
  berth_tensor_release(result);
  berth_tensor_release(value);
}

TEST(poll, is_called_between_steps) {
  rig_t rig;
  rig_init(&rig);
  berth_out_t x = hole(rig.graph, "x");
  berth_out_t last = long_chain(rig.graph, x, 3000);
  berth_config_t config = BERTH_CONFIG_INIT;
  config.intra_op_threads = 1;
  ASSERT_OK(rig_open(&rig, &config), &rig.err);
  expect_polls(&rig, last, x, matrix(256));
  rig_clear(&rig);
}

TEST(poll, is_called_within_a_long_step) {
  rig_t rig;
  rig_init(&rig);
  berth_out_t x = hole(rig.graph, "x");
  berth_out_t product = berth_matmul(rig.graph, "product", x, x);
  berth_config_t config = BERTH_CONFIG_INIT;
  config.intra_op_threads = 1;
  ASSERT_OK(rig_open(&rig, &config), &rig.err);
  expect_polls(&rig, product, x, matrix(3072));
  rig_clear(&rig);
}

TEST(poll, is_called_while_constants_are_computed) {
  rig_t rig;
  rig_init(&rig);
  berth_tensor_t *value = matrix(256);
  berth_out_t x = berth_const(rig.graph, "x", value);
  berth_tensor_release(value);
  berth_out_t last = long_chain(rig.graph, x, 3000);
  berth_config_t config = BERTH_CONFIG_INIT;
  config.intra_op_threads = 1;
  ASSERT_OK(rig_open(&rig, &config), &rig.err);
  expect_polls(&rig, last, x, NULL);
  rig_clear(&rig);
}

// One run holds the session while it computes constants; the other waits, and
// still polls and still times out.
TEST(poll, is_called_while_another_run_is_planned) {
  rig_t rig;
  rig_init(&rig);
  berth_tensor_t *value = matrix(256);
  berth_out_t x = berth_const(rig.graph, "x", value);
  berth_tensor_release(value);
  berth_out_t last = long_chain(rig.graph, x, 20000);
  berth_out_t other = berth_neg(rig.graph, "other", x);
  ASSERT_OK(rig_open(&rig, NULL), &rig.err);
  berth_cancel_t *cancel = berth_cancel_create();
  job_t job = {.run = {.cancel = cancel}};
  job_start(&job, rig.session, last, BERTH_NO_NODE);
  sleep_ms(50);
  poller_t poller = {0};
  berth_tensor_t *result = NULL;
  berth_run_t run = {.fetches = &other,
                     .fetch_count = 1,
                     .results = &result,
                     .timeout_ms = 300,
                     .poll = count_poll,
                     .poll_arg = &poller};
  EXPECT_FAILS(berth_session_run_with(rig.session, &run, &rig.err),
               BERTH_DEADLINE_EXCEEDED, &rig.err,
               "Timed out waiting for notification");
  EXPECT_TRUE(poller.calls >= 5);
  berth_cancel_fire(cancel);
  job_join(&job);
  EXPECT_EQ(job.code, BERTH_CANCELLED);
  job_clear(&job);
  berth_cancel_release(cancel);
  EXPECT_EQ(fetch(&rig, other), 0);
  rig_clear(&rig);
}

// ---- Closing ----

TEST(close, ends_runs_that_wait) {
  enum { COUNT = 4 };
  rig_t rig;
  berth_out_t taken;
  open_waiting(&rig, &taken, NULL);
  job_t jobs[COUNT] = {0};
  for (int i = 0; i < COUNT; ++i) {
    job_start(&jobs[i], rig.session, taken, BERTH_NO_NODE);
  }
  sleep_ms(30);
  berth_session_close(rig.session);
  for (int i = 0; i < COUNT; ++i) {
    job_join(&jobs[i]);
    EXPECT_EQ(jobs[i].code, BERTH_CANCELLED);
    EXPECT_STR(berth_error_message(&jobs[i].err), "Session has been closed.");
    job_clear(&jobs[i]);
  }
  rig_clear(&rig);
}

// A poll function that closes the session that polls.
static int cancel_own(void *arg) {
  berth_session_cancel(*(berth_session_t **)arg);
  return 0;
}

TEST(close, may_be_said_within_a_run) {
  rig_t rig;
  berth_out_t taken;
  open_waiting(&rig, &taken, NULL);
  berth_tensor_t *result = NULL;
  berth_run_t run = {.fetches = &taken,
                     .fetch_count = 1,
                     .results = &result,
                     .poll = cancel_own,
                     .poll_arg = &rig.session};
  EXPECT_FAILS(berth_session_run_with(rig.session, &run, &rig.err),
               BERTH_CANCELLED, &rig.err, "Session has been closed.");
  rig_clear(&rig);
}

TEST(close, refuses_what_comes_after) {
  rig_t rig;
  rig_init(&rig);
  berth_out_t c = const_scalar(rig.graph, "c", 1);
  ASSERT_OK(rig_open(&rig, NULL), &rig.err);
  EXPECT_EQ(fetch(&rig, c), 1);
  berth_session_close(rig.session);
  berth_session_close(rig.session);
  EXPECT_TRUE(isnan(fetch(&rig, c)));
  EXPECT_EQ(rig.err.code, BERTH_CANCELLED);
  EXPECT_STR(berth_error_message(&rig.err), "Session has been closed.");
  berth_error_clear(&rig.err);
  berth_partial_t *partial = NULL;
  berth_callable_t *callable = NULL;
  EXPECT_FAILS(berth_partial_create(rig.session, NULL, 0, &c, 1, NULL, 0,
                                    &partial, &rig.err),
               BERTH_CANCELLED, &rig.err, "Session has been closed.");
  EXPECT_FAILS(berth_callable_create(rig.session, NULL, 0, &c, 1, NULL, 0,
                                     &callable, &rig.err),
               BERTH_CANCELLED, &rig.err, "Session has been closed.");
  EXPECT_EQ(berth_session_device_count(rig.session), 1);
  rig_clear(&rig);
}

TEST(close, one_session_leaves_others_alone) {
  rig_t rig, other = {0};
  rig_init(&rig);
  berth_out_t c = const_scalar(rig.graph, "c", 1);
  ASSERT_OK(rig_open(&rig, NULL), &rig.err);
  other.graph = berth_graph_retain(rig.graph);
  ASSERT_OK(rig_open(&other, NULL), &other.err);
  berth_session_close(rig.session);
  EXPECT_EQ(fetch(&other, c), 1);
  rig_clear(&other);
  rig_clear(&rig);
}
