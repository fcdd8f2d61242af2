// network_test.c - A small network of convolutions, interrupted everywhere.
//
// Every allocation fails once, and runs are cancelled or out of time at any
// moment: what comes back is the whole result, bit by bit the one of a quiet
// run, or an error and nothing.
#include "torture_testing.h"

enum { SIDE = 24, CHANNELS = 8, CLASSES = 5, ROUNDS = 200 };

typedef struct network {
  berth_graph_t *graph;
  berth_session_t *session;
  berth_tensor_t *image;
  berth_out_t x, y;
} network_t;

// A constant of numbers that differ, around |middle|.
static berth_out_t numbers(berth_graph_t *graph, berth_dims_t shape,
                           float middle) {
  static float values[CHANNELS * CHANNELS * 16];
  int64_t count = 1;
  for (int i = 0; i < shape.rank; ++i) count *= shape.dims[i];
  for (int64_t i = 0; i < count; ++i) {
    values[i] = middle + (float)(i * 7 % 23 - 11) * 0.01F;
  }
  return berth_const_f32(graph, NULL, values, shape);
}

static berth_out_t norm(berth_graph_t *g, berth_out_t x) {
  berth_fused_batch_norm_v3_attrs_t attrs = BERTH_FUSED_BATCH_NORM_V3_ATTRS;
  attrs.is_training = false;
  berth_dims_t shape = BERTH_SHAPE(CHANNELS);
  return (berth_out_t){
      berth_fused_batch_norm_v3_with(g, NULL, x, numbers(g, shape, 1),
                                     numbers(g, shape, 0), numbers(g, shape, 0),
                                     numbers(g, shape, 1), &attrs),
      0};
}

// Convolution, norm, relu, depthwise, pool, mean, product, softmax.
static void build(network_t *net) {
  static const int64_t one[] = {1, 1, 1, 1}, two[] = {1, 2, 2, 1};
  berth_graph_t *g = net->graph;
  berth_placeholder_attrs_t attrs = {BERTH_SHAPE(-1, SIDE, SIDE, 3)};
  net->x = berth_placeholder_with(g, "x", BERTH_FLOAT, &attrs);
  berth_out_t filter = numbers(g, BERTH_SHAPE(3, 3, 3, CHANNELS), 0);
  berth_out_t y = berth_conv2d(g, NULL, net->x, filter, two, 4, "SAME");
  y = berth_relu6(g, NULL, norm(g, y));
  filter = numbers(g, BERTH_SHAPE(3, 3, CHANNELS, 1), 0.1F);
  y = berth_depthwise_conv2d_native(g, NULL, y, filter, one, 4, "SAME");
  y = berth_max_pool(g, NULL, y, two, 4, two, 4, "VALID");
  filter = numbers(g, BERTH_SHAPE(1, 1, CHANNELS, CHANNELS), 0);
  y = berth_conv2d(g, NULL, y, filter, one, 4, "VALID");
  y = berth_bias_add(g, NULL, y, numbers(g, BERTH_SHAPE(CHANNELS), 0.2F));
  const int32_t axes[] = {1, 2};
  y = berth_mean(g, NULL, y, berth_const_i32(g, NULL, axes, BERTH_SHAPE(2)));
  filter = numbers(g, BERTH_SHAPE(CHANNELS, CLASSES), 0);
  net->y = berth_softmax(g, "y", berth_matmul(g, NULL, y, filter));
}

static berth_code_t open_network(network_t *net, berth_error_t *err) {
  berth_code_t code = BERTH_OK;
  berth_config_t config = BERTH_CONFIG_INIT;
  config.intra_op_threads = 2;
  net->graph = berth_graph_create();
  if (net->graph == NULL) return berth_graph_error(NULL, err);
  build(net);
  BUILT(net->graph);
  STEP(berth_tensor_create(BERTH_FLOAT, BERTH_SHAPE(2, SIDE, SIDE, 3),
                           &net->image, err));
  float *values = berth_tensor_data(net->image);
  for (int i = 0; i < 2 * SIDE * SIDE * 3; ++i) {
    values[i] = (float)(i * 11 % 31) * 0.1F;
  }
  STEP(berth_session_create(net->graph, &config, &net->session, err));
done:
  return code;
}

static void close_network(network_t *net) {
  berth_session_destroy(net->session);
  berth_tensor_release(net->image);
  berth_graph_release(net->graph);
}

// What a quiet run gives.
static float expected[2 * CLASSES];

// Runs |net|; what comes of it must be |expected|, or nothing.
static berth_code_t run_network(network_t *net, berth_cancel_t *cancel,
                                int64_t timeout_ms, berth_error_t *err) {
  berth_tensor_t *result = NULL;
  berth_feed_t feed = {net->x, net->image};
  berth_run_t run = {.feeds = &feed,
                     .feed_count = 1,
                     .fetches = &net->y,
                     .fetch_count = 1,
                     .results = &result,
                     .cancel = cancel,
                     .timeout_ms = timeout_ms};
  berth_code_t code = berth_session_run_with(net->session, &run, err);
  if (code == BERTH_OK) {
    EXPECT_TRUE(memcmp(berth_tensor_data(result), expected, sizeof expected) ==
                0);
  } else {
    EXPECT_TRUE(result == NULL);
  }
  berth_tensor_release(result);
  return code;
}

// Fills |expected|.
static void expect_network(void) {
  berth_error_t err = BERTH_ERROR_INIT;
  network_t net = {0};
  berth_tensor_t *result = NULL;
  ASSERT_OK(open_network(&net, &err), &err);
  berth_feed_t feed = {net.x, net.image};
  ASSERT_OK(berth_session_run(net.session, &feed, 1, &net.y, 1, &result, &err),
            &err);
  memcpy(expected, berth_tensor_data(result), sizeof expected);
  float sum = 0;
  for (int i = 0; i < CLASSES; ++i) sum += expected[i];
  EXPECT_TRUE(sum > 0.999F && sum < 1.001F);
  // Neither all the same nor one alone: a mistake would show.
  EXPECT_TRUE(expected[0] != expected[1] && expected[0] < 0.9F);
  EXPECT_TRUE(memcmp(expected, expected + CLASSES, sizeof expected / 2) != 0);
  berth_tensor_release(result);
  close_network(&net);
}

static berth_code_t whole(berth_error_t *err) {
  network_t net = {0};
  berth_code_t code = BERTH_OK;
  STEP(open_network(&net, err));
  STEP(run_network(&net, NULL, 0, err));
  STEP(run_network(&net, NULL, 0, err));
done:
  close_network(&net);
  return code;
}

TEST(torture, a_network_without_memory) {
  expect_network();
  torture("alloc", whole);
}

// ---- Cancelled ----

typedef struct canceller {
  berth_cancel_t *cancel;
  int turns;  // How long to wait.
  atomic_bool *is_on;
} canceller_t;

static void *fire(void *arg) {
  canceller_t *canceller = arg;
  while (!atomic_load(canceller->is_on)) sched_yield();
  for (volatile int i = 0; i < canceller->turns; ++i) {
  }
  berth_cancel_fire(canceller->cancel);
  return NULL;
}

TEST(torture, a_network_is_cancelled_at_any_moment) {
  berth_error_t err = BERTH_ERROR_INIT;
  network_t net = {0};
  expect_network();
  ASSERT_OK(open_network(&net, &err), &err);
  for (int i = 0; i < ROUNDS; ++i) {
    atomic_bool is_on = false;
    pthread_t thread;
    canceller_t canceller = {berth_cancel_create(), i * 500, &is_on};
    ASSERT_TRUE(canceller.cancel != NULL);
    ASSERT_TRUE(pthread_create(&thread, NULL, fire, &canceller) == 0);
    atomic_store(&is_on, true);
    berth_code_t code = run_network(&net, canceller.cancel, 0, &err);
    EXPECT_TRUE(code == BERTH_OK || code == BERTH_CANCELLED);
    berth_error_clear(&err);
    pthread_join(thread, NULL);
    // What is cancelled stays so; another run is not.
    EXPECT_EQ(run_network(&net, canceller.cancel, 0, &err), BERTH_CANCELLED);
    berth_error_clear(&err);
    EXPECT_EQ(run_network(&net, NULL, 0, &err), BERTH_OK);
    berth_cancel_release(canceller.cancel);
  }
  close_network(&net);
}

TEST(torture, a_network_runs_out_of_time) {
  berth_error_t err = BERTH_ERROR_INIT;
  network_t net = {0};
  expect_network();
  ASSERT_OK(open_network(&net, &err), &err);
  for (int i = 0; i < ROUNDS; ++i) {
    berth_code_t code = run_network(&net, NULL, 1, &err);
    EXPECT_TRUE(code == BERTH_OK || code == BERTH_DEADLINE_EXCEEDED);
    berth_error_clear(&err);
    EXPECT_EQ(run_network(&net, NULL, 0, &err), BERTH_OK);
  }
  close_network(&net);
}
