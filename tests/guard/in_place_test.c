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
  berth_process_set_tf32(false);
  EXPECT_TRUE(count_recordings(&scene.rig, scene.read, STEPS) > 0);
  EXPECT_EQ(count_recordings(&scene.rig, scene.read, STEPS), 0);
  berth_process_set_tf32(true);
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

// ---- Commits ----

enum { OTHERS = 60, WORDS = 4096 };

typedef struct pair {
  rig_t rig;
  berth_out_t x;
  berth_node_id_t set;  // What is read.
  atomic_bool is_over;
} pair_t;

static void *replace_on_and_on(void *arg) {
  pair_t *pair = arg;
  rig_t own = {.graph = pair->rig.graph, .session = pair->rig.session};
  while (!atomic_load(&pair->is_over)) {
    berth_tensor_t *fed = full(BERTH_SHAPE(WORDS), 1);
    EXPECT_EQ(run_fed(&own, pair->set, pair->x, fed), BERTH_OK);
    berth_tensor_release(fed);
  }
  berth_error_clear(&own.err);
  return NULL;
}

// What a commit adds stays until it is done, while another thread replaces the
// variable that it was read from.
TEST(in_place, what_a_commit_reads_stays) {
  enum { RUNS = 600 };
  static pair_t pair;
  rig_init(&pair.rig);
  berth_graph_t *graph = pair.rig.graph;
  pair.x = hole(graph, "x");
  state_t w = state_add(graph, "w", NULL, false, BERTH_SHAPE(WORDS));
  state_t v = state_add(graph, "v", NULL, false, BERTH_SHAPE(WORDS));
  pair.set = change_add(graph, &w, "Assign", pair.x);
  berth_node_id_t init[OTHERS + 1], steps[OTHERS + 1];
  init[0] = change_add(graph, &v, "Assign", pair.x);
  steps[0] = change_add(graph, &v, "AssignAdd", w.read);
  for (int i = 1; i <= OTHERS; ++i) {
    char name[16];
    snprintf(name, sizeof(name), "u%d", i);
    state_t u = state_add(graph, name, NULL, false, BERTH_SCALAR);
    init[i] = change_add(graph, &u, "Assign", const_scalar(graph, NULL, 0));
    steps[i] = change_add(graph, &u, "AssignAdd", const_scalar(graph, NULL, 1));
  }
  ASSERT_OK(rig_open(&pair.rig, NULL), &pair.rig.err);
  berth_tensor_t *fed = full(BERTH_SHAPE(WORDS), 1);
  ASSERT_OK(run_fed(&pair.rig, pair.set, pair.x, fed), &pair.rig.err);
  for (int i = 0; i <= OTHERS; ++i) {
    ASSERT_OK(run_fed(&pair.rig, init[i], pair.x, fed), &pair.rig.err);
  }
  pthread_t thread;
  ASSERT_TRUE(pthread_create(&thread, NULL, replace_on_and_on, &pair) == 0);
  berth_run_t run = {.targets = steps, .target_count = OTHERS + 1};
  for (int i = 0; i < RUNS; ++i) {
    EXPECT_EQ(berth_session_run_with(pair.rig.session, &run, &pair.rig.err),
              BERTH_OK);
  }
  atomic_store(&pair.is_over, true);
  pthread_join(thread, NULL);
  berth_tensor_t *value = fetch_tensor(&pair.rig, v.read);
  EXPECT_EQ(count_other(value, RUNS + 1), 0);
  berth_tensor_release(value);
  berth_tensor_release(fed);
  rig_clear(&pair.rig);
}

// What an update of another branch would have read is still there for those
// behind it.
TEST(in_place, what_a_skipped_update_would_read_stays) {
  rig_t rig;
  rig_init(&rig);
  berth_graph_t *graph = rig.graph;
  bool yes = true;
  berth_tensor_t *truth = tensor_of(BERTH_BOOL, BERTH_SCALAR, &yes);
  berth_out_t p = berth_const(graph, NULL, truth), x = hole(graph, "x");
  berth_tensor_release(truth);
  berth_out_t taken = berth_output(berth_switch(graph, NULL, x, p), 1);
  berth_out_t by = unary_on(graph, "Neg", NULL, taken);
  berth_node_id_t init[2], adds[2];
  for (int i = 0; i < 2; ++i) {
    state_t state =
        state_add(graph, i == 0 ? "v" : "w", NULL, false, BERTH_UNKNOWN_RANK);
    init[i] = change_add(graph, &state, "Assign", x);
    berth_node_id_t both = berth_switch(graph, NULL, state.handle, p);
    state.handle = berth_output(both, 1 - i);
    adds[i] = change_add(graph, &state, "AssignAdd", by);
  }
  berth_control_push(graph, &adds[0], 1);
  berth_out_t behind = unary_on(graph, "Neg", NULL, by);
  berth_control_pop(graph);
  ASSERT_OK(rig_open(&rig, NULL), &rig.err);
  berth_tensor_t *fed = full(BERTH_SHAPE(WORDS), 3), *result = NULL;
  for (int i = 0; i < 2; ++i) {
    ASSERT_OK(run_fed(&rig, init[i], x, fed), &rig.err);
  }
  berth_feed_t feed = {x, fed};
  berth_run_t run = {.feeds = &feed,
                     .feed_count = 1,
                     .fetches = &behind,
                     .fetch_count = 1,
                     .results = &result,
                     .targets = adds,
                     .target_count = 2};
  for (int i = 0; i < 3; ++i) {
    ASSERT_OK(berth_session_run_with(rig.session, &run, &rig.err), &rig.err);
    EXPECT_EQ(count_other(result, 3), 0);
    berth_tensor_release(result);
  }
  berth_tensor_release(fed);
  rig_clear(&rig);
}
