// variable_test.c - Variables of one GPU that others read while they change.
#include "gpu_run_testing.h"

enum { COUNT = 5000, RUNS = 30 };

typedef struct scene {
  rig_t rig;
  berth_out_t x, init, seen, grown;
} scene_t;

// A reference to a variable on GPU:0, read where |reader| says.
static void build_old(scene_t *scene, const char *reader) {
  berth_graph_t *graph = scene->rig.graph;
  berth_device_push(graph, "/gpu:0");
  berth_out_t v =
      berth_variable_v2(graph, "v", BERTH_SHAPE(COUNT), BERTH_FLOAT);
  scene->init = berth_assign(graph, "init", v, scene->x);
  berth_device_pop(graph);
  berth_device_push(graph, reader);
  scene->seen = berth_neg(graph, "seen", v);
  berth_device_pop(graph);
  berth_control_push(graph, &scene->seen.node, 1);
  berth_device_push(graph, "/gpu:0");
  scene->grown = berth_assign_add(graph, "grown", v, scene->x);
  berth_device_pop(graph);
  berth_control_pop(graph);
}

// The same with a handle.
static void build_new(scene_t *scene, const char *reader) {
  berth_graph_t *graph = scene->rig.graph;
  berth_device_push(graph, "/gpu:0");
  berth_out_t v =
      berth_var_handle_op(graph, "v", BERTH_FLOAT, BERTH_SHAPE(COUNT));
  berth_node_id_t init = berth_assign_variable_op(graph, "init", v, scene->x);
  berth_out_t read = berth_read_variable_op(graph, "read", v, BERTH_FLOAT);
  berth_control_push(graph, &init, 1);
  scene->init = berth_identity(graph, "made", scene->x);
  berth_control_pop(graph);
  berth_device_pop(graph);
  berth_device_push(graph, reader);
  scene->seen = berth_neg(graph, "seen", read);
  berth_device_pop(graph);
  berth_control_push(graph, &scene->seen.node, 1);
  berth_device_push(graph, "/gpu:0");
  berth_node_id_t grow =
      berth_assign_add_variable_op(graph, "grow", v, scene->x);
  berth_control_push(graph, &grow, 1);
  scene->grown = berth_read_variable_op(graph, "grown", v, BERTH_FLOAT);
  berth_control_pop(graph);
  berth_device_pop(graph);
  berth_control_pop(graph);
}

static void scene_open(scene_t *scene, const char *reader, bool is_new) {
  simulate_many("Tesla K20m*2", 2);
  rig_init(&scene->rig);
  scene->x = hole(scene->rig.graph, "x");
  (is_new ? build_new : build_old)(scene, reader);
  ASSERT_OK(rig_open(&scene->rig, NULL), &scene->rig.err);
}

// Run |run| sees what the one before has made, and makes the next.
static void scene_step(scene_t *scene, int run) {
  berth_tensor_t *fed = ramp(COUNT), *results[2] = {NULL, NULL};
  berth_out_t fetches[] = {scene->seen, scene->grown};
  ASSERT_OK(
      berth_session_run(scene->rig.session, &(berth_feed_t){scene->x, fed}, 1,
                        fetches, 2, results, &scene->rig.err),
      &scene->rig.err);
  for (int64_t i = 1; i < COUNT; i += 357) {
    EXPECT_EQ(element(results[0], i), -i * (run + 1));
    EXPECT_EQ(element(results[1], i), i * (run + 2));
  }
  for (int i = 0; i < 2; ++i) berth_tensor_release(results[i]);
  berth_tensor_release(fed);
}

static void expect_read_before_written(const char *reader, bool is_new) {
  scene_t scene;
  scene_open(&scene, reader, is_new);
  EXPECT_EQ(fetch_fed(&scene.rig, scene.init, scene.x, ramp(COUNT)), 0);
  for (int run = 0; run < RUNS && harness_failures == 0; ++run) {
    scene_step(&scene, run);
  }
  rig_clear(&scene.rig);
}

TEST(variables, are_read_on_another_gpu) {
  expect_read_before_written("/gpu:1", false);
}

TEST(variables, are_read_on_their_gpu) {
  expect_read_before_written("/gpu:0", false);
}

TEST(variables, are_read_on_the_host) {
  expect_read_before_written("/cpu:0", false);
}

TEST(variables, with_handles_are_read_on_another_gpu) {
  expect_read_before_written("/gpu:1", true);
}

TEST(variables, with_handles_are_read_on_their_gpu) {
  expect_read_before_written("/gpu:0", true);
}

TEST(variables, with_handles_are_read_on_the_host) {
  expect_read_before_written("/cpu:0", true);
}
