// order_test.c - Streams are ordered wherever they use one memory, at every
// door: eager calls, first calls of functions, copies between GPUs, releases.
//
// The recorder works the order out; nothing has to go wrong. Then each wait, of
// a stream or of the host, is left out of its clocks in turn: those that
// nothing else stands for must be missed.
#include "guard/guard_testing.h"
#include "recorder.h"

enum { ROWS = 96, SIDE = 64, ROUNDS = 6 };

typedef struct scene {
  berth_context_t *context;
  berth_graph_t *graph;
  berth_session_t *session;
  berth_out_t x, y, z;
  berth_tensor_t *a, *b;  // On GPU:0.
  berth_error_t err;
} scene_t;

// y = x + x on GPU:0, z = y * x on GPU:1.
static void scene_open(scene_t *scene) {
  berth_config_t config = BERTH_CONFIG_INIT;
  config.gpu.allow_growth = true;
  *scene = (scene_t){.graph = berth_graph_create()};
  ASSERT_OK(berth_context_create(&config, &scene->context, &scene->err),
            &scene->err);
  scene->x = hole(scene->graph, "x");
  scene->y = binary_on(scene->graph, "AddV2", "/gpu:0", scene->x, scene->x);
  scene->z = binary_on(scene->graph, "Mul", "/gpu:1", scene->y, scene->x);
  ASSERT_OK(berth_context_session(scene->context, scene->graph, &scene->session,
                                  &scene->err),
            &scene->err);
  berth_tensor_t *a = full(BERTH_SHAPE(ROWS, SIDE), 1);
  berth_tensor_t *b = full(BERTH_SHAPE(SIDE, SIDE), 1);
  ASSERT_OK(
      berth_eager_copy(scene->context, a, "GPU:0", &scene->a, &scene->err),
      &scene->err);
  ASSERT_OK(
      berth_eager_copy(scene->context, b, "GPU:0", &scene->b, &scene->err),
      &scene->err);
  berth_tensor_release(a);
  berth_tensor_release(b);
}

static void scene_clear(scene_t *scene) {
  berth_tensor_release(scene->a);
  berth_tensor_release(scene->b);
  berth_session_destroy(scene->session);
  berth_graph_release(scene->graph);
  berth_context_destroy(scene->context);
  berth_error_clear(&scene->err);
}

static berth_tensor_t *call(scene_t *scene, const char *op, const char *device,
                            berth_tensor_t *a, berth_tensor_t *b) {
  berth_tensor_t *inputs[] = {a, b}, *output = NULL;
  int count = 1;
  if (berth_eager_call(scene->context, op, device, inputs, 2, &output, &count,
                       &scene->err) != BERTH_OK) {
    HARNESS_FAIL("%s", berth_error_message(&scene->err));
  }
  return output;
}

static berth_tensor_t *copy(scene_t *scene, berth_tensor_t *tensor,
                            const char *device) {
  berth_tensor_t *there = NULL;
  if (berth_eager_copy(scene->context, tensor, device, &there, &scene->err) !=
      BERTH_OK) {
    HARNESS_FAIL("%s", berth_error_message(&scene->err));
  }
  return there;
}

static berth_tensor_t *run(scene_t *scene, berth_out_t out,
                           berth_tensor_t *fed) {
  berth_feed_t feed = {scene->x, fed};
  berth_tensor_t *result = NULL;
  if (berth_session_run(scene->session, &feed, 1, &out, 1, &result,
                        &scene->err) != BERTH_OK) {
    HARNESS_FAIL("%s", berth_error_message(&scene->err));
  }
  return result;
}

// ---- What is done ----

// An eager product is dropped while it is computed; a function that is called
// for the first time gets its memory, and a copy of its argument goes there.
static void drop_then_first_call(scene_t *scene) {
  berth_tensor_release(call(scene, "MatMul", "/gpu:0", scene->a, scene->b));
  for (int i = 0; i < ROUNDS; ++i) {
    berth_tensor_release(call(scene, "MatMul", "/gpu:0", scene->a, scene->b));
    berth_tensor_t *fed = full(BERTH_SHAPE(ROWS - i, SIDE), 5);
    berth_tensor_release(run(scene, scene->y, fed));
    berth_tensor_release(fed);
  }
}

// The same with copies from the host and from another GPU.
static void drop_then_copy(scene_t *scene) {
  berth_tensor_t *host = full(BERTH_SHAPE(ROWS, SIDE), 7);
  berth_tensor_t *other = copy(scene, host, "GPU:1");
  for (int i = 0; i < ROUNDS; ++i) {
    berth_tensor_release(call(scene, "MatMul", "/gpu:0", scene->a, scene->b));
    berth_tensor_release(copy(scene, host, "GPU:0"));
    berth_tensor_release(call(scene, "MatMul", "/gpu:0", scene->a, scene->b));
    berth_tensor_release(copy(scene, other, "GPU:0"));
    // What is copied is dropped while it is.
    berth_tensor_t *sum = call(scene, "AddV2", "/gpu:0", scene->a, scene->a);
    berth_tensor_t *there = copy(scene, sum, "GPU:1");
    berth_tensor_release(sum);
    berth_tensor_release(call(scene, "MatMul", "/gpu:0", scene->a, scene->b));
    berth_tensor_release(call(scene, "AddV2", "/gpu:1", there, there));
    berth_tensor_release(there);
  }
  berth_tensor_release(other);
  berth_tensor_release(host);
}

// A function over two GPUs, with arguments of the host, of one and the other.
static void call_across(scene_t *scene) {
  berth_tensor_t *host = full(BERTH_SHAPE(ROWS, SIDE), 3);
  berth_tensor_t *other = copy(scene, host, "GPU:1");
  for (int i = 0; i < ROUNDS; ++i) {
    berth_tensor_t *sum = call(scene, "AddV2", "/gpu:0", scene->a, scene->a);
    berth_tensor_release(run(scene, scene->z, host));
    berth_tensor_release(run(scene, scene->z, sum));
    berth_tensor_release(sum);
    berth_tensor_t *z = run(scene, scene->z, other);
    berth_tensor_release(call(scene, "Mul", "/gpu:1", z, other));
    berth_tensor_release(z);
  }
  berth_tensor_release(other);
  berth_tensor_release(host);
}

static void (*const acts[])(scene_t *) = {drop_then_first_call, drop_then_copy,
                                          call_across};
enum { ACTS = sizeof(acts) / sizeof(*acts) };

// Plays act |which| without wait |left_out|, counted from its beginning.
static void play(int which, int64_t left_out) {
  scene_t scene;
  scene_open(&scene);
  recorder.races = 0;
  recorder.is_quiet = left_out != NOT_LEFT_OUT;
  recorder.left_out =
      left_out == NOT_LEFT_OUT ? NOT_LEFT_OUT : recorder.orders + left_out;
  acts[which](&scene);
  recorder.left_out = NOT_LEFT_OUT;
  scene_clear(&scene);
}

static void start(void) {
#if defined(__SANITIZE_THREAD__)
  SKIP("the thread sanitizer sees this itself");
#endif
  simulate("Tesla K20m*2");
  recorder_start();
}

static void expect_ordered(int which) {
  start();
  play(which, NOT_LEFT_OUT);
  EXPECT_EQ(recorder.races, 0);
  EXPECT_TRUE(recorder.works > ROUNDS && recorder.writes > ROUNDS &&
              recorder.reuses > 0);
}

TEST(order, of_dropped_memory_and_first_calls) { expect_ordered(0); }
TEST(order, of_dropped_memory_and_copies) { expect_ordered(1); }
TEST(order, of_calls_over_two_gpus) { expect_ordered(2); }

// ---- What each wait is for ----

// Leaves out the waits of act |which| one by one and returns how many of
// |*out_waits| were missed.
static int count_missed(int which, int *out_waits) {
  int64_t before = recorder.orders;
  play(which, NOT_LEFT_OUT);
  int waits = (int)(recorder.orders - before), missed = 0;
  for (int i = 0; i < waits; ++i) {
    play(which, i);
    missed += recorder.races > 0;
  }
  *out_waits = waits;
  return missed;
}

TEST(order, misses_a_wait_that_is_left_out) {
  start();
  for (int which = 0; which < ACTS; ++which) {
    int waits = 0, missed = count_missed(which, &waits);
    printf("act %d: %d of %d waits are missed\n", which, missed, waits);
    EXPECT_TRUE(waits > 0);
    EXPECT_TRUE(missed > 0);
  }
}
