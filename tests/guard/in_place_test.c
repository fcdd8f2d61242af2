// in_place_test.c - A step that reads a variable and then updates it does so in
// place: no copy of the variable is made, and on a GPU the step is replayed.
#include "base/fault.h"
#include "guard_testing.h"

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
enum { ELEMENTS = 1 << 17 };
#else
enum { ELEMENTS = 1 << 20 };
#endif

enum { SMALL = 4096, STEPS = 40, WARM = 8 };

typedef struct scene {
  rig_t rig;
  berth_out_t x;
  berth_node_id_t init, read, update;
} scene_t;

// update: v -= |reads| * v, read where the update's value is made of it.
static void scene_open(scene_t *scene, const char *device, bool is_ref,
                       int64_t count) {
  berth_config_t config = BERTH_CONFIG_INIT;
  config.gpu.allow_growth = true;
  rig_init(&scene->rig);
  berth_graph_t *graph = scene->rig.graph;
  scene->x = hole(graph, "x");
  state_t v = state_add(graph, "v", device, is_ref, BERTH_SHAPE(count));
  scene->init = change_add(graph, &v, "Assign", scene->x);
  berth_out_t y = v.read;
  for (int i = 0; i < 4; ++i) y = binary_on(graph, "Mul", device, y, v.read);
  scene->read = y.node;
  scene->update = change_add(graph, &v, "AssignSub", y);
  ASSERT_OK(rig_open(&scene->rig, &config), &scene->rig.err);
  berth_tensor_t *fed = full(BERTH_SHAPE(count), 0);
  ASSERT_OK(run_fed(&scene->rig, scene->init, scene->x, fed), &scene->rig.err);
  berth_tensor_release(fed);
}

// Returns what a step of |target| takes at most beyond what is in use.
static int64_t extra_bytes(rig_t *rig, berth_node_id_t target,
                           const char *device) {
  berth_memory_stats_t before, after;
  for (int i = 0; i < WARM; ++i) EXPECT_EQ(run_target(rig, target), BERTH_OK);
  EXPECT_EQ(berth_device_memory_stats(device, &before, NULL), BERTH_OK);
  EXPECT_EQ(berth_device_reset_memory_stats(device, NULL), BERTH_OK);
  for (int i = 0; i < WARM; ++i) EXPECT_EQ(run_target(rig, target), BERTH_OK);
  EXPECT_EQ(berth_device_memory_stats(device, &after, NULL), BERTH_OK);
  return after.peak_bytes_in_use - before.bytes_in_use;
}

static void expect_no_copy(const char *device, const char *name, bool is_ref) {
  scene_t scene;
  scene_open(&scene, device, is_ref, ELEMENTS);
  // The arena is there already; a copy of the variable would be on top of it.
  EXPECT_TRUE(extra_bytes(&scene.rig, scene.read, name) <
              ELEMENTS * (int64_t)sizeof(float));
  EXPECT_TRUE(extra_bytes(&scene.rig, scene.update, name) <
              ELEMENTS * (int64_t)sizeof(float));
  rig_clear(&scene.rig);
}

TEST(in_place, no_copy_on_the_cpu) {
  expect_no_copy("/cpu:0", "CPU:0", false);
  expect_no_copy("/cpu:0", "CPU:0", true);
}

TEST(in_place, no_copy_on_a_gpu) {
  simulate("Tesla K20m");
  expect_no_copy("/gpu:0", "GPU:0", false);
  expect_no_copy("/gpu:0", "GPU:0", true);
}

// Returns how many recordings |count| runs of |target| replay.
static int64_t count_replays(rig_t *rig, berth_node_id_t target, int count) {
  berth_fault_arm("cuGraphLaunch", 0);
  for (int i = 0; i < count; ++i) EXPECT_EQ(run_target(rig, target), BERTH_OK);
  return berth_fault_disarm();
}

// Returns how many recordings |count| runs of |target| make.
static int64_t count_recordings(rig_t *rig, berth_node_id_t target, int count) {
  berth_fault_arm("cuStreamEndCapture", 0);
  for (int i = 0; i < count; ++i) EXPECT_EQ(run_target(rig, target), BERTH_OK);
  return berth_fault_disarm();
}

// What was recorded under one precision is not replayed under another.
TEST(in_place, recordings_follow_the_precision) {
  scene_t scene;
  simulate("Tesla K20m");
  scene_open(&scene, "/gpu:0", false, SMALL);
  EXPECT_TRUE(count_recordings(&scene.rig, scene.read, WARM) > 0);
  EXPECT_EQ(count_recordings(&scene.rig, scene.read, STEPS), 0);
  berth_process_set_tf32(true);
  EXPECT_TRUE(count_recordings(&scene.rig, scene.read, STEPS) > 0);
  EXPECT_EQ(count_recordings(&scene.rig, scene.read, STEPS), 0);
  berth_process_set_tf32(false);
  rig_clear(&scene.rig);
}

// A step that updates what it reads is replayed as one that does not.
static void expect_replayed(bool is_ref) {
  scene_t scene;
  scene_open(&scene, "/gpu:0", is_ref, SMALL);
  count_replays(&scene.rig, scene.read, WARM);
  count_replays(&scene.rig, scene.update, WARM);
  int64_t plain = count_replays(&scene.rig, scene.read, STEPS);
  int64_t updating = count_replays(&scene.rig, scene.update, STEPS);
  EXPECT_TRUE(plain >= STEPS);
  EXPECT_TRUE(updating >= STEPS);
  rig_clear(&scene.rig);
}

TEST(in_place, steps_are_replayed) {
  simulate("Tesla K20m");
  expect_replayed(false);
  expect_replayed(true);
}
