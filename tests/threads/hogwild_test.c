// hogwild_test.c - Threads that train one variable together: no update is lost,
// counted twice or waited for in a circle.
#include <unistd.h>

#include "guard/guard_testing.h"
#include "threads_testing.h"

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
enum { STEPS = 60, LARGE = 20000 };
#else
enum { STEPS = 300, LARGE = 100000 };
#endif

enum { SECONDS = 200 };

static void expect_all(rig_t *rig, const state_t *v, float wanted) {
  berth_tensor_t *value = fetch_tensor(rig, v->read);
  EXPECT_EQ(count_other(value, wanted), 0);
  berth_tensor_release(value);
}

static berth_code_t run_alone(const rig_t *rig, const berth_run_t *run) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_code_t code = berth_session_run_with(rig->session, run, &err);
  if (code != BERTH_OK) HARNESS_FAIL("%s", berth_error_message(&err));
  berth_error_clear(&err);
  return code;
}

// ---- One dense variable ----

typedef struct farm {
  rig_t rig;
  state_t v, w;
  berth_out_t x, size;
  berth_node_id_t init[2], step[2];
  berth_tensor_t *ones;
} farm_t;

// A step reads the variable, and adds what comes of that: always one.
static void farm_open(farm_t *farm, const char *device, bool is_ref) {
  berth_config_t config = BERTH_CONFIG_INIT;
  config.gpu.allow_growth = true;
  alarm(SECONDS);
  rig_init(&farm->rig);
  berth_graph_t *graph = farm->rig.graph;
  farm->x = hole(graph, "x");
  farm->v = state_add(graph, "v", device, is_ref, BERTH_SHAPE(LARGE));
  farm->w = state_add(graph, "w", device, !is_ref, BERTH_SHAPE(LARGE));
  const state_t *states[] = {&farm->v, &farm->w};
  for (int i = 0; i < 2; ++i) {
    farm->init[i] = change_add(graph, states[i], "Assign", farm->x);
    berth_out_t none =
        binary_on(graph, "Sub", device, states[i]->read, states[i]->read);
    berth_out_t by = binary_on(graph, "AddV2", device, none, farm->x);
    farm->step[i] = change_add(graph, states[i], "AssignAdd", by);
  }
  ASSERT_OK(rig_open(&farm->rig, &config), &farm->rig.err);
  berth_tensor_t *zeros = full(BERTH_SHAPE(LARGE), 0);
  farm->ones = full(BERTH_SHAPE(LARGE), 1);
  for (int i = 0; i < 2; ++i) {
    ASSERT_OK(run_fed(&farm->rig, farm->init[i], farm->x, zeros),
              &farm->rig.err);
  }
  berth_tensor_release(zeros);
}

// Half of the threads update the variables the other way round.
static void train(worker_t *worker) {
  farm_t *farm = worker->shared;
  berth_node_id_t turned[] = {farm->step[1], farm->step[0]};
  berth_feed_t feed = {farm->x, farm->ones};
  berth_run_t run = {.feeds = &feed,
                     .feed_count = 1,
                     .targets = worker->index % 2 == 0 ? farm->step : turned,
                     .target_count = 2};
  for (int i = 0; i < STEPS; ++i) {
    if (run_alone(&farm->rig, &run) != BERTH_OK) return;
  }
}

static void expect_trained(const char *device, bool is_ref) {
  farm_t farm;
  farm_open(&farm, device, is_ref);
  crew_run(train, &farm);
  expect_all(&farm.rig, &farm.v, CREW * STEPS);
  expect_all(&farm.rig, &farm.w, CREW * STEPS);
  berth_tensor_release(farm.ones);
  rig_clear(&farm.rig);
}

TEST(hogwild, trains_on_the_cpu) {
  expect_trained("/cpu:0", false);
  expect_trained("/cpu:0", true);
}

TEST(hogwild, trains_on_a_gpu) {
  simulate("Tesla K20m");
  expect_trained("/gpu:0", false);
  expect_trained("/gpu:0", true);
}

// ---- A variable and its slot ----

typedef struct pair {
  rig_t rig;
  state_t v, slot;
  berth_out_t x;
  berth_node_id_t init[2], step;
  berth_tensor_t *ones;
} pair_t;

// A step adds one to the slot, and the slot to the variable.
static void pair_open(pair_t *pair, const char *device, bool is_ref) {
  berth_config_t config = BERTH_CONFIG_INIT;
  config.gpu.allow_growth = true;
  alarm(SECONDS);
  rig_init(&pair->rig);
  berth_graph_t *graph = pair->rig.graph;
  pair->x = hole(graph, "x");
  pair->v = state_add(graph, "v", device, is_ref, BERTH_SHAPE(LARGE));
  pair->slot = state_add(graph, "slot", device, is_ref, BERTH_SHAPE(LARGE));
  pair->init[0] = change_add(graph, &pair->v, "Assign", pair->x);
  pair->init[1] = change_add(graph, &pair->slot, "Assign", pair->x);
  berth_op_t *op = berth_op_begin(
      graph, is_ref ? "ApplyMomentum" : "ResourceApplyMomentum", NULL);
  berth_op_input(op, pair->v.handle);
  berth_op_input(op, pair->slot.handle);
  const float numbers[] = {-1, 1};
  berth_op_input(op, berth_const_f32(graph, "rate", &numbers[0], BERTH_SCALAR));
  berth_op_input(op, pair->x);
  berth_op_input(op,
                 berth_const_f32(graph, "momentum", &numbers[1], BERTH_SCALAR));
  berth_op_device(op, device);
  pair->step = berth_op_finish(op);
  ASSERT_OK(rig_open(&pair->rig, &config), &pair->rig.err);
  berth_tensor_t *zeros = full(BERTH_SHAPE(LARGE), 0);
  pair->ones = full(BERTH_SHAPE(LARGE), 1);
  for (int i = 0; i < 2; ++i) {
    ASSERT_OK(run_fed(&pair->rig, pair->init[i], pair->x, zeros),
              &pair->rig.err);
  }
  berth_tensor_release(zeros);
}

static void train_pair(worker_t *worker) {
  pair_t *pair = worker->shared;
  berth_feed_t feed = {pair->x, pair->ones};
  // Some look at the values as well, which are not changed in place then.
  berth_tensor_t *seen = NULL;
  berth_run_t run = {.feeds = &feed,
                     .feed_count = 1,
                     .fetches = &pair->v.read,
                     .fetch_count = worker->index % 2,
                     .targets = &pair->step,
                     .target_count = 1,
                     .results = &seen};
  for (int i = 0; i < STEPS; ++i) {
    if (run_alone(&pair->rig, &run) != BERTH_OK) return;
    if (run.fetch_count > 0) berth_tensor_release(seen);
  }
}

// Every step sees what the one before has made of both.
static void expect_pair(const char *device, bool is_ref) {
  pair_t pair;
  pair_open(&pair, device, is_ref);
  crew_run(train_pair, &pair);
  float steps = CREW * STEPS;
  expect_all(&pair.rig, &pair.slot, steps);
  expect_all(&pair.rig, &pair.v, steps * (steps + 1) / 2);
  berth_tensor_release(pair.ones);
  rig_clear(&pair.rig);
}

TEST(hogwild, trains_with_a_slot) {
  expect_pair("/cpu:0", false);
  expect_pair("/cpu:0", true);
}

TEST(hogwild, trains_with_a_slot_on_a_gpu) {
  simulate("Tesla K20m");
  expect_pair("/gpu:0", false);
  expect_pair("/gpu:0", true);
}

// ---- Updates beside waiting ----

typedef struct exchange {
  rig_t rig;
  state_t v;
  berth_out_t x, taken;
  berth_node_id_t init, add, put;
  berth_tensor_t *ones;
} exchange_t;

// One run updates and puts, another updates and takes: a run that waits for
// the queue must not keep the other from the variable.
static void exchange_open(exchange_t *e, const char *device) {
  berth_config_t config = BERTH_CONFIG_INIT;
  config.gpu.allow_growth = true;
  alarm(SECONDS);
  rig_init(&e->rig);
  berth_graph_t *graph = e->rig.graph;
  e->x = hole(graph, "x");
  e->v = state_add(graph, "v", device, false, BERTH_SHAPE(LARGE));
  e->init = change_add(graph, &e->v, "Assign", e->x);
  e->add = change_add(graph, &e->v, "AssignAdd", e->x);
  berth_out_t queue = float_queue(graph, "queue", 2);
  berth_out_t one = const_scalar(graph, NULL, 1);
  e->put = berth_queue_enqueue_v2(graph, "put", queue, &one, 1);
  e->taken = dequeue(graph, "taken", queue);
  ASSERT_OK(rig_open(&e->rig, &config), &e->rig.err);
  berth_tensor_t *zeros = full(BERTH_SHAPE(LARGE), 0);
  e->ones = full(BERTH_SHAPE(LARGE), 1);
  ASSERT_OK(run_fed(&e->rig, e->init, e->x, zeros), &e->rig.err);
  berth_tensor_release(zeros);
}

static void put_or_take(worker_t *worker) {
  exchange_t *e = worker->shared;
  bool puts = worker->index % 2 == 0;
  berth_node_id_t targets[] = {e->add, puts ? e->put : e->taken.node};
  berth_feed_t feed = {e->x, e->ones};
  berth_run_t run = {
      .feeds = &feed, .feed_count = 1, .targets = targets, .target_count = 2};
  for (int i = 0; i < STEPS; ++i) {
    if (run_alone(&e->rig, &run) != BERTH_OK) return;
  }
}

static void expect_exchanged(const char *device) {
  exchange_t e;
  exchange_open(&e, device);
  crew_run(put_or_take, &e);
  expect_all(&e.rig, &e.v, CREW * STEPS);
  berth_tensor_release(e.ones);
  rig_clear(&e.rig);
}

TEST(hogwild, updates_beside_a_queue) { expect_exchanged("/cpu:0"); }

TEST(hogwild, updates_beside_a_queue_on_a_gpu) {
  simulate("Tesla K20m");
  expect_exchanged("/gpu:0");
}

// ---- Updates beside a callback that runs the session ----

static void call_back(berth_host_call_t *call, void *arg) {
  exchange_t *e = arg;
  berth_feed_t feed = {e->x, e->ones};
  berth_run_t run = {
      .feeds = &feed, .feed_count = 1, .targets = &e->add, .target_count = 1};
  run_alone(&e->rig, &run);
  berth_tensor_t *output = scalar(1);
  berth_host_call_finish(call, BERTH_OK, NULL, &output, 1);
}

static void add_and_call(worker_t *worker) {
  exchange_t *e = worker->shared;
  berth_node_id_t targets[] = {e->add, e->taken.node};
  berth_feed_t feed = {e->x, e->ones};
  berth_run_t run = {
      .feeds = &feed, .feed_count = 1, .targets = targets, .target_count = 2};
  for (int i = 0; i < STEPS / 4; ++i) {
    if (run_alone(&e->rig, &run) != BERTH_OK) return;
  }
}

TEST(hogwild, updates_beside_a_callback_that_updates) {
  exchange_t e;
  exchange_open(&e, "/cpu:0");
  ASSERT_OK(berth_host_register("call_back", call_back, &e, &e.rig.err),
            &e.rig.err);
  berth_out_t in = const_scalar(e.rig.graph, NULL, 1);
  e.taken = callback(e.rig.graph, "called", "call_back", &in, 1);
  crew_run(add_and_call, &e);
  expect_all(&e.rig, &e.v, 2 * CREW * (STEPS / 4));
  berth_tensor_release(e.ones);
  rig_clear(&e.rig);
}
