// dropped_test.c - Memory that was dropped while the device still uses it does
// not come out again for work that does not wait.
//
// Whoever calls eagerly drops results that are not computed yet. Their memory
// is free at once, which is right for what is queued behind, on the same
// stream, and wrong for a copy on another.
#include "guard_testing.h"

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
enum { ROWS = 512, SIDE = 256, ROUNDS = 4 };
#else
enum { ROWS = 2048, SIDE = 1024, ROUNDS = 2 };
#endif

typedef struct scene {
  berth_context_t *context;
  berth_graph_t *graph;
  berth_session_t *session;
  berth_out_t x, y;
  berth_tensor_t *a, *b;  // On the GPU.
  berth_error_t err;
} scene_t;

// y = x + x on |device|.
static void scene_open(scene_t *scene, const char *device) {
  take_cards("Tesla K20m*2", 2);
  berth_config_t config;
  cards_config(&config);
  *scene = (scene_t){.graph = berth_graph_create()};
  ASSERT_OK(berth_context_create(&config, &scene->context, &scene->err),
            &scene->err);
  berth_config_clear(&config);
  scene->x = hole(scene->graph, "x");
  scene->y = binary_on(scene->graph, "AddV2", device, scene->x, scene->x);
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

// Queues a product and drops it.
static void drop_product(scene_t *scene) {
  berth_tensor_t *inputs[] = {scene->a, scene->b}, *product = NULL;
  int count = 1;
  ASSERT_OK(berth_eager_call(scene->context, "MatMul", "/gpu:0", inputs, 2,
                             &product, &count, &scene->err),
            &scene->err);
  berth_tensor_release(product);
}

// Calls the function with a host argument of |rows| and compares.
static void expect_doubled(scene_t *scene, int64_t rows, float value) {
  berth_tensor_t *fed = full(BERTH_SHAPE(rows, SIDE), value), *result = NULL;
  berth_feed_t feed = {scene->x, fed};
  ASSERT_OK(berth_session_run(scene->session, &feed, 1, &scene->y, 1, &result,
                              &scene->err),
            &scene->err);
  EXPECT_EQ(count_other(result, 2 * value), 0);
  berth_tensor_release(result);
  berth_tensor_release(fed);
}

// A first call of a function brings a new arena, out of the memory of the
// product, and copies its argument there.
TEST(dropped, result_then_first_call) {
  scene_t scene;
  scene_open(&scene, "/gpu:0");
  drop_product(&scene);
  expect_doubled(&scene, 16, 1);
  for (int i = 0; i < ROUNDS; ++i) {
    drop_product(&scene);
    expect_doubled(&scene, ROWS - i, 5);
  }
  scene_clear(&scene);
}

// The same for a copy from the host to the GPU.
TEST(dropped, result_then_copy_in) {
  scene_t scene;
  scene_open(&scene, "/gpu:0");
  for (int i = 0; i < ROUNDS; ++i) {
    drop_product(&scene);
    berth_tensor_t *host = full(BERTH_SHAPE(ROWS, SIDE), 7), *there = NULL;
    ASSERT_OK(
        berth_eager_copy(scene.context, host, "GPU:0", &there, &scene.err),
        &scene.err);
    EXPECT_EQ(count_other(there, 7), 0);
    berth_tensor_release(there);
    berth_tensor_release(host);
  }
  scene_clear(&scene);
}

// And for a copy from another GPU.
TEST(dropped, result_then_copy_from_a_peer) {
  scene_t scene;
  scene_open(&scene, "/gpu:0");
  berth_tensor_t *host = full(BERTH_SHAPE(ROWS, SIDE), 9), *other = NULL;
  ASSERT_OK(berth_eager_copy(scene.context, host, "GPU:1", &other, &scene.err),
            &scene.err);
  for (int i = 0; i < ROUNDS; ++i) {
    berth_tensor_t *there = NULL;
    drop_product(&scene);
    ASSERT_OK(
        berth_eager_copy(scene.context, other, "GPU:0", &there, &scene.err),
        &scene.err);
    EXPECT_EQ(count_other(there, 9), 0);
    berth_tensor_release(there);
    // A function whose argument is on the other GPU, called for the first time.
    drop_product(&scene);
    berth_tensor_t *result = NULL;
    berth_feed_t feed = {scene.x, other};
    ASSERT_OK(berth_session_run(scene.session, &feed, 1, &scene.y, 1, &result,
                                &scene.err),
              &scene.err);
    EXPECT_EQ(count_other(result, 18), 0);
    berth_tensor_release(result);
  }
  berth_tensor_release(other);
  berth_tensor_release(host);
  scene_clear(&scene);
}

// An argument that is dropped while the call that reads it is queued, and whose
// memory is written by the next copy.
TEST(dropped, argument_then_copy_in) {
  scene_t scene;
  scene_open(&scene, "/gpu:0");
  for (int i = 0; i < ROUNDS; ++i) {
    berth_tensor_t *ones = full(BERTH_SHAPE(ROWS, SIDE), 1), *a = NULL;
    berth_tensor_t *twos = full(BERTH_SHAPE(ROWS, SIDE), 2), *c = NULL;
    ASSERT_OK(berth_eager_copy(scene.context, ones, "GPU:0", &a, &scene.err),
              &scene.err);
    berth_tensor_t *inputs[] = {a, scene.b}, *product = NULL;
    int count = 1;
    ASSERT_OK(berth_eager_call(scene.context, "MatMul", "/gpu:0", inputs, 2,
                               &product, &count, &scene.err),
              &scene.err);
    berth_tensor_release(a);
    ASSERT_OK(berth_eager_copy(scene.context, twos, "GPU:0", &c, &scene.err),
              &scene.err);
    EXPECT_EQ(count_other(product, SIDE), 0);
    EXPECT_EQ(count_other(c, 2), 0);
    berth_tensor_release(product);
    berth_tensor_release(c);
    berth_tensor_release(ones);
    berth_tensor_release(twos);
  }
  scene_clear(&scene);
}
