// order_test.c - Streams are ordered wherever they use one memory, at every
// door: eager calls, first calls of functions, copies between GPUs, releases.
//
// The recorder works the order out; nothing has to go wrong. Then each wait, of
// a stream or of the host, is left out of its clocks in turn: those that
// nothing else stands for must be missed.
#include "doors.h"
#include "recorder.h"

// Matrices of LARGE rows make arenas that are borrowed.
enum { ROWS = 96, SIDE = 64, LARGE = 1200, ROUNDS = 6 };

typedef struct scene {
  berth_context_t *context;
  berth_graph_t *graph;
  berth_session_t *session, *plain;  // The context's, and one of its own.
  doors_t doors;
  berth_tensor_t *a, *b, *large;  // On GPU:0.
  berth_error_t err;
} scene_t;

static berth_tensor_t *place(scene_t *scene, int64_t rows) {
  berth_tensor_t *host = full(BERTH_SHAPE(rows, SIDE), 1), *there = NULL;
  if (berth_eager_copy(scene->context, host, "GPU:0", &there, &scene->err) !=
      BERTH_OK) {
    HARNESS_FAIL("%s", berth_error_message(&scene->err));
  }
  berth_tensor_release(host);
  return there;
}

static void scene_open(scene_t *scene) {
  berth_config_t config = BERTH_CONFIG_INIT;
  config.gpu.allow_growth = true;
  *scene = (scene_t){.graph = berth_graph_create()};
  ASSERT_OK(berth_context_create(&config, &scene->context, &scene->err),
            &scene->err);
  doors_build(scene->graph, &scene->doors);
  ASSERT_OK(berth_context_session(scene->context, scene->graph, &scene->session,
                                  &scene->err),
            &scene->err);
  ASSERT_OK(
      berth_session_create(scene->graph, &config, &scene->plain, &scene->err),
      &scene->err);
  scene->a = place(scene, ROWS);
  scene->b = place(scene, SIDE);
  scene->large = place(scene, LARGE);
}

static void scene_clear(scene_t *scene) {
  berth_tensor_release(scene->a);
  berth_tensor_release(scene->b);
  berth_tensor_release(scene->large);
  berth_session_destroy(scene->session);
  berth_session_destroy(scene->plain);
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

// Whoever runs has waited for all that the run has queued. Works that were
// queued |before|, by stream, may go on.
static void expect_over(const uint32_t *before) {
  for (int i = 0; i < recorder.stream_count; ++i) {
    uint32_t queued = recorder.streams[i].clock.works[i];
    if (queued == before[i] || recorder.host.works[i] >= queued) continue;
    ++recorder.races;
    if (!recorder.is_quiet) {
      HARNESS_FAIL("a run leaves work on stream %d behind", i);
    }
  }
}

static void run_in(scene_t *scene, berth_session_t *session,
                   const berth_run_t *run) {
  uint32_t before[MOST_ACTORS] = {0};
  for (int i = 0; i < recorder.stream_count; ++i) {
    before[i] = recorder.streams[i].clock.works[i];
  }
  if (berth_session_run_with(session, run, &scene->err) != BERTH_OK) {
    HARNESS_FAIL("%s", berth_error_message(&scene->err));
    berth_error_clear(&scene->err);
  }
  expect_over(before);
}

static berth_tensor_t *run_one(scene_t *scene, berth_session_t *session,
                               berth_out_t out, berth_tensor_t *fed) {
  berth_feed_t feed = {scene->doors.x, fed};
  berth_tensor_t *result = NULL;
  berth_run_t run = {.feeds = &feed,
                     .feed_count = 1,
                     .fetches = &out,
                     .fetch_count = 1,
                     .results = &result};
  run_in(scene, session, &run);
  return result;
}

static berth_tensor_t *run(scene_t *scene, berth_out_t out,
                           berth_tensor_t *fed) {
  return run_one(scene, scene->session, out, fed);
}

// ---- What is done ----

// An eager product is dropped while it is computed; a function that is called
// for the first time gets its memory, and a copy of its argument goes there.
static void drop_then_first_call(scene_t *scene) {
  berth_tensor_release(call(scene, "MatMul", "/gpu:0", scene->a, scene->b));
  for (int i = 0; i < ROUNDS; ++i) {
    berth_tensor_release(call(scene, "MatMul", "/gpu:0", scene->a, scene->b));
    berth_tensor_t *fed = full(BERTH_SHAPE(ROWS - i, SIDE), 5);
    berth_tensor_release(run(scene, scene->doors.twice, fed));
    berth_tensor_release(fed);
  }
}

// The same with memory that is borrowed.
static void drop_then_large_call(scene_t *scene) {
  for (int i = 0; i < ROUNDS; ++i) {
    berth_tensor_release(
        call(scene, "AddV2", "/gpu:0", scene->large, scene->large));
    berth_tensor_t *fed = full(BERTH_SHAPE(LARGE - i, SIDE), 5);
    berth_tensor_release(run(scene, scene->doors.twice, fed));
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
    berth_tensor_release(run(scene, scene->doors.across, sum));
    berth_tensor_release(run(scene, scene->doors.across, host));
    berth_tensor_release(sum);
    berth_tensor_t *z = run(scene, scene->doors.across, other);
    berth_tensor_release(call(scene, "Mul", "/gpu:1", z, other));
    berth_tensor_release(z);
  }
  berth_tensor_release(other);
  berth_tensor_release(host);
}

// Every part of the graph, with memory in use on both GPUs.
static void call_all(scene_t *scene) {
  const doors_t *doors = &scene->doors;
  const berth_out_t outs[] = {doors->third,  doors->joined, doors->home,
                              doors->moved,  doors->sliced, doors->branched,
                              doors->turned, doors->looped, doors->settled};
  berth_tensor_t *other = copy(scene, scene->a, "GPU:1");
  for (int i = 0; i < 2; ++i) {
    berth_tensor_t *host = full(BERTH_SHAPE(ROWS - i, SIDE), 3);
    for (int k = 0; k < (int)(sizeof(outs) / sizeof(*outs)); ++k) {
      berth_tensor_release(call(scene, "MatMul", "/gpu:0", scene->a, scene->b));
      berth_tensor_release(call(scene, "AddV2", "/gpu:1", other, other));
      berth_tensor_release(run(scene, outs[k], host));
      berth_tensor_t *sum = call(scene, "AddV2", "/gpu:0", scene->a, scene->a);
      berth_tensor_release(run(scene, outs[k], sum));
      berth_tensor_release(sum);
    }
    berth_tensor_release(host);
  }
  berth_tensor_release(other);
}

// A variable gets another value while GPU:1 still reads the one it had.
static void replace_what_is_read(scene_t *scene) {
  doors_t *doors = &scene->doors;
  berth_tensor_t *host = full(BERTH_SHAPE(ROWS, SIDE), 3), *results[2] = {0};
  berth_out_t outs[] = {doors->seen, doors->behind};
  berth_feed_t feed = {doors->x, host};
  berth_run_t init = {.feeds = &feed,
                      .feed_count = 1,
                      .targets = &doors->w_init,
                      .target_count = 1};
  berth_run_t set = {.feeds = &feed,
                     .feed_count = 1,
                     .fetches = outs,
                     .fetch_count = 2,
                     .results = results};
  run_in(scene, scene->session, &init);
  for (int i = 0; i < ROUNDS; ++i) {
    run_in(scene, scene->session, &set);
    for (int k = 0; k < 2; ++k) berth_tensor_release(results[k]);
    berth_tensor_release(call(scene, "MatMul", "/gpu:0", scene->a, scene->b));
  }
  berth_tensor_release(host);
}

// Every part again, of a session of its own, and a reference. What a shape
// has when it is first met is known to later runs.
static void run_all(scene_t *scene) {
  const doors_t *doors = &scene->doors;
  const berth_out_t outs[] = {doors->told,   doors->third,    doors->joined,
                              doors->home,   doors->moved,    doors->sliced,
                              doors->across, doors->branched, doors->looped,
                              doors->settled};
  for (int i = 0; i < 2; ++i) {
    berth_tensor_t *host = full(BERTH_SHAPE(ROWS - i, SIDE), 3);
    for (int k = 0; k < 3 * (int)(sizeof(outs) / sizeof(*outs)); ++k) {
      berth_tensor_release(call(scene, "MatMul", "/gpu:0", scene->a, scene->b));
      berth_tensor_release(run_one(scene, scene->plain, outs[k / 3], host));
    }
    berth_tensor_release(host);
  }
}

static void (*const acts[])(scene_t *) = {drop_then_first_call,
                                          drop_then_large_call,
                                          drop_then_copy,
                                          call_across,
                                          call_all,
                                          replace_what_is_read,
                                          run_all};
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
TEST(order, of_dropped_memory_and_large_calls) { expect_ordered(1); }
TEST(order, of_dropped_memory_and_copies) { expect_ordered(2); }
TEST(order, of_calls_over_two_gpus) { expect_ordered(3); }
TEST(order, of_every_part_of_a_graph) { expect_ordered(4); }
TEST(order, of_a_variable_that_is_replaced) { expect_ordered(5); }
TEST(order, of_every_part_in_a_session) { expect_ordered(6); }

// Without blocks the walk itself copies between devices.
TEST(order, of_every_part_of_a_walk) {
  setenv("BERTH_BLOCKS", "0", 1);
  expect_ordered(4);
}

TEST(order, of_every_part_of_a_walk_in_a_session) {
  setenv("BERTH_BLOCKS", "0", 1);
  expect_ordered(6);
}

// ---- What each wait is for ----

// Leaves out waits of act |which| one by one, MOST_TRIED at most, and returns
// how many of |*out_waits| were missed.
static int count_missed(int which, int *out_waits) {
  enum { MOST_TRIED = 100 };
  int64_t before = recorder.orders;
  play(which, NOT_LEFT_OUT);
  int waits = (int)(recorder.orders - before), missed = 0;
  *out_waits = 0;
  for (int i = 0; i < waits; i += 1 + waits / MOST_TRIED) {
    play(which, i);
    missed += recorder.races > 0;
    ++*out_waits;
  }
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
