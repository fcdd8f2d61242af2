// context_session_test.c - Functions whose arguments and results are on GPUs.
#include "gpu_run_testing.h"
#include "session/stage_testing.h"

static void stage_init(stage_t *stage) {
  simulate_many("Tesla K40c*2", 2);
  *stage = (stage_t){.graph = berth_graph_create()};
  ASSERT_OK(berth_context_create(NULL, &stage->context, &stage->err),
            &stage->err);
}

// Returns |tensor|, which is taken over, on |device|.
static berth_tensor_t *bring(stage_t *stage, berth_tensor_t *tensor,
                             const char *device) {
  berth_tensor_t *copy = NULL;
  EXPECT_EQ(
      berth_eager_copy(stage->context, tensor, device, &copy, &stage->err),
      BERTH_OK);
  berth_tensor_release(tensor);
  return copy;
}

static bool is_on(const berth_tensor_t *tensor, const char *device) {
  return strstr(berth_tensor_device(tensor), device) != NULL;
}

// Feeds |x| and gives what |out| is.
static berth_tensor_t *call(stage_t *stage, berth_out_t x,
                            berth_tensor_t *value, berth_out_t out) {
  berth_feed_t feed = {x, value};
  berth_tensor_t *result = NULL;
  EXPECT_EQ(berth_session_run(stage->session, &feed, 1, &out, 1, &result,
                              &stage->err),
            BERTH_OK);
  EXPECT_STR(berth_error_message(&stage->err), "");
  return result;
}

// Small values would lie in pinned memory if they were fetched; large ones are
// copied.
static void expect_results_stay(int64_t count) {
  stage_t stage;
  stage_init(&stage);
  berth_out_t x = hole(stage.graph, "x");
  berth_out_t twice = berth_add_v2(stage.graph, "twice", x, x);
  berth_device_push(stage.graph, "/cpu:0");
  berth_out_t negative = berth_neg(stage.graph, "negative", twice);
  berth_device_pop(stage.graph);
  stage_open(&stage);
  berth_tensor_t *value = bring(&stage, ramp(count), "GPU:0");
  // What is recorded must be right as well, and what is fed anew.
  for (int round = 0; round < 4; ++round) {
    berth_tensor_t *on_gpu = call(&stage, x, value, twice);
    berth_tensor_t *on_cpu = call(&stage, x, value, negative);
    EXPECT_TRUE(is_on(on_gpu, "GPU:0"));
    EXPECT_TRUE(is_on(on_cpu, "CPU:0"));
    float last = (float)element(value, count - 1);
    EXPECT_EQ(element(on_gpu, count - 1), 2 * last);
    EXPECT_EQ(element(on_cpu, count - 1), -2 * last);
    berth_tensor_release(value);
    berth_tensor_release(on_cpu);
    value = on_gpu;
  }
  berth_tensor_release(value);
  stage_clear(&stage);
}

TEST(context_session, leaves_small_results_on_the_gpu) {
  expect_results_stay(3);
}

TEST(context_session, leaves_large_results_on_the_gpu) {
  expect_results_stay(200000);
}

// The same function, called with a value in each of three memories.
TEST(context_session, takes_arguments_from_any_memory) {
  stage_t stage;
  stage_init(&stage);
  berth_out_t x = hole(stage.graph, "x");
  berth_device_push(stage.graph, "/gpu:1");
  berth_out_t twice = berth_add_v2(stage.graph, "twice", x, x);
  berth_device_pop(stage.graph);
  stage_open(&stage);
  static const char *const memories[] = {"GPU:0", "CPU:0", "GPU:1"};
  for (int i = 0; i < 9; ++i) {
    berth_tensor_t *value = bring(&stage, ramp(1000 + i), memories[i % 3]);
    berth_tensor_t *result = call(&stage, x, value, twice);
    EXPECT_TRUE(is_on(result, "GPU:1"));
    EXPECT_EQ(element(result, 999), 2 * 999);
    berth_tensor_release(value);
    berth_tensor_release(result);
  }
  stage_clear(&stage);
}

// An eager call only queues its work; a run that copies what it makes to
// another memory does not get ahead of it.
TEST(context_session, waits_for_what_eager_calls_still_compute) {
  stage_t stage;
  stage_init(&stage);
  berth_out_t x = hole(stage.graph, "x");
  berth_device_push(stage.graph, "/gpu:1");
  berth_out_t twice = berth_add_v2(stage.graph, "twice", x, x);
  berth_device_pop(stage.graph);
  stage_open(&stage);
  enum { COUNT = 1 << 20 };
  berth_tensor_t *base = bring(&stage, ramp(COUNT), "GPU:0");
  for (int round = 0; round < 20; ++round) {
    berth_tensor_t *inputs[] = {base, base}, *sum = NULL;
    int count = 1;
    ASSERT_OK(berth_eager_call(stage.context, "AddV2", "/gpu:0", inputs, 2,
                               &sum, &count, &stage.err),
              &stage.err);
    berth_tensor_t *result = call(&stage, x, sum, twice);
    EXPECT_EQ(element(result, COUNT - 1), 4.0 * (COUNT - 1));
    berth_tensor_release(sum);
    berth_tensor_release(result);
  }
  berth_tensor_release(base);
  stage_clear(&stage);
}

TEST(context_session, prefers_a_device) {
  stage_t stage;
  stage_init(&stage);
  berth_out_t x = hole(stage.graph, "x");
  berth_out_t twice = berth_add_v2(stage.graph, "twice", x, x);
  stage_open(&stage);
  ASSERT_OK(berth_session_prefer_device(stage.session, "GPU:1", &stage.err),
            &stage.err);
  berth_tensor_t *value = scalar(3), *result = call(&stage, x, value, twice);
  EXPECT_TRUE(is_on(result, "GPU:1"));
  EXPECT_EQ(element(result, 0), 6);
  berth_tensor_release(value);
  berth_tensor_release(result);
  stage_clear(&stage);
}
