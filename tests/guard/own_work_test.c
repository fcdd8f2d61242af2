// own_work_test.c - A run waits for its own work, not for that of others.
//
//   compute   [ first gate ][ the run's add ][ second gate ]
//
// Both gates are closed. The run queues its work behind the first one and
// waits. When it does, its poll function, which is called on its own thread,
// puts the second gate behind its work and opens the first: the run must come
// to its end with the second closed.
#include <semaphore.h>
#include <unistd.h>

#include "cuda/card/driver.h"
#include "device/device.h"
#include "guard_testing.h"
#include "runtime/session_internal.h"

enum { POLLS = 6, PATIENCE = 20, SECONDS = 100 };

static void gate_wait(void *arg) { sem_wait(arg); }

typedef struct scene {
  rig_t rig;
  berth_out_t x, y;
  berth_device_t *device;
  sem_t gates[2];
  atomic_bool is_over;  // The run has come to its end.
  bool was_forced;      // The second gate was opened for it.
  int polls;
} scene_t;

// Puts gate |which| behind what is queued.
static void gate_queue(scene_t *scene, int which) {
  berth_stream_t *stream = berth_device_compute(scene->device);
  CUstream native = scene->device->backend->streams->native(stream);
  EXPECT_EQ(
      berth_cuda_api.cuLaunchHostFunc(native, gate_wait, &scene->gates[which]),
      CUDA_SUCCESS);
}

// Its first calls may come while steps are still queued.
static int poll_in_run(void *arg) {
  scene_t *scene = arg;
  if (++scene->polls == POLLS) {
    gate_queue(scene, 1);
    sem_post(&scene->gates[0]);
  }
  return 0;
}

// Opens the second gate for a run that cannot do without it.
static void *force(void *arg) {
  scene_t *scene = arg;
  for (int i = 0; i < PATIENCE * 100 && !atomic_load(&scene->is_over); ++i) {
    sleep_ms(10);
  }
  scene->was_forced = !atomic_load(&scene->is_over);
  sem_post(&scene->gates[1]);
  return NULL;
}

// Adds a constant of 4 to itself on the card, in one branch of a conditional
// that is always taken. What is fed is not used: nothing is waited for but the
// sum.
static void branch_build(scene_t *scene, int64_t count) {
  berth_graph_t *graph = scene->rig.graph;
  berth_tensor_t *fours = full(BERTH_SHAPE(count), 4);
  bool yes = true;
  berth_tensor_t *truth = tensor_of(BERTH_BOOL, BERTH_SCALAR, &yes);
  berth_device_push(graph, "/gpu:0");
  berth_out_t value = berth_const(graph, NULL, fours);
  berth_out_t both[2];
  berth_node_id_t ways =
      berth_switch(graph, NULL, value, berth_const(graph, NULL, truth));
  both[0] = berth_output(ways, 0);
  both[1] = berth_output(ways, 1);
  both[1] = berth_add_v2(graph, NULL, both[1], both[1]);
  scene->y = berth_output(berth_merge(graph, NULL, both, 2), 0);
  berth_device_pop(graph);
  berth_tensor_release(fours);
  berth_tensor_release(truth);
}

static void scene_open(scene_t *scene, bool has_branch, int64_t count) {
  simulate("Tesla K20m");
  alarm(SECONDS);
  rig_init(&scene->rig);
  scene->x = hole(scene->rig.graph, "x");
  if (has_branch) {
    branch_build(scene, count);
  } else {
    scene->y =
        binary_on(scene->rig.graph, "AddV2", "/gpu:0", scene->x, scene->x);
  }
  ASSERT_OK(rig_open(&scene->rig, NULL), &scene->rig.err);
  for (int i = 0; i < 2; ++i) sem_init(&scene->gates[i], 0, 0);
  berth_session_t *session = scene->rig.session;
  for (int i = 0; i < session->host.device_count; ++i) {
    if (session->host.devices[i].device != NULL) {
      scene->device = session->host.devices[i].device;
    }
  }
  ASSERT_TRUE(scene->device != NULL);
}

static void expect_own_work(int64_t count, bool has_branch, bool is_fetched) {
  scene_t scene = {.polls = 0};
  scene_open(&scene, has_branch, count);
  // Everything is made and warm.
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(fetch_fed(&scene.rig, scene.y, scene.x, ramp(count)),
              has_branch ? 8 : 0);
  }
  berth_tensor_t *fed = full(BERTH_SHAPE(count), 4), *result = NULL;
  if (!is_fetched) {
    ASSERT_OK(run_fed(&scene.rig, scene.y.node, scene.x, fed), &scene.rig.err);
  }
  berth_feed_t feed = {scene.x, fed};
  berth_run_t run = {.feeds = &feed,
                     .feed_count = 1,
                     .fetches = &scene.y,
                     .fetch_count = is_fetched,
                     .results = &result,
                     .targets = &scene.y.node,
                     .target_count = !is_fetched,
                     .poll = poll_in_run,
                     .poll_arg = &scene};
  pthread_t thread;
  gate_queue(&scene, 0);
  ASSERT_TRUE(pthread_create(&thread, NULL, force, &scene) == 0);
  ASSERT_OK(berth_session_run_with(scene.rig.session, &run, &scene.rig.err),
            &scene.rig.err);
  atomic_store(&scene.is_over, true);
  pthread_join(thread, NULL);
  EXPECT_FALSE(scene.was_forced);
  // The stream has passed the second gate before that is gone.
  ASSERT_OK(berth_device_wait(scene.device, &scene.rig.err), &scene.rig.err);
  if (is_fetched) EXPECT_EQ(count_other(result, 8), 0);
  berth_tensor_release(result);
  berth_tensor_release(fed);
  rig_clear(&scene.rig);
  for (int i = 0; i < 2; ++i) sem_destroy(&scene.gates[i]);
}

// What is fetched lies in pinned memory, or is copied.
TEST(own_work, of_a_small_run) { expect_own_work(8, false, true); }

TEST(own_work, of_a_run_that_copies) { expect_own_work(5000, false, true); }

TEST(own_work, of_a_conditional) {
  expect_own_work(8, true, true);
  expect_own_work(100000, true, true);
}

TEST(own_work, of_a_conditional_that_gives_nothing) {
  expect_own_work(8, true, false);
}
