// training_test.c - A step that trains many variables on a GPU replays one
// recording and launches few kernels; what it reads may change without another
// recording.
#include "base/fault.h"
#include "guard_testing.h"

enum { VARIABLES = 30, LARGEST = 5000, WARM = 8, STEPS = 10 };

typedef struct model {
  rig_t rig;
  berth_out_t x;
  state_t unit, rate, variables[VARIABLES], slots[VARIABLES];
  berth_out_t unit_now, rate_now, gradients[VARIABLES];
  berth_node_id_t set_unit, set_rate, raise_rate, set, train;
  int64_t sizes[VARIABLES];
} model_t;

static berth_node_id_t group(berth_graph_t *graph, const char *name,
                             const berth_node_id_t *nodes, int count) {
  berth_op_t *op = berth_op_begin(graph, "NoOp", name);
  for (int i = 0; i < count; ++i) berth_op_control(op, nodes[i]);
  return berth_op_finish(op);
}

static berth_out_t gradient_add(berth_graph_t *graph, const model_t *m, int i,
                                const char *device) {
  static float ones[LARGEST];
  for (int k = 0; k < LARGEST; ++k) ones[k] = 1;
  return binary_on(
      graph, "Mul", device, m->unit_now,
      berth_const_f32(graph, NULL, ones, BERTH_SHAPE(m->sizes[i])));
}

// slot = slot / 2 + unit; variable -= rate * slot.
static berth_node_id_t train_add(berth_graph_t *graph, const model_t *m, int i,
                                 const char *device, bool is_ref) {
  static const float half = 0.5f;
  berth_op_t *op = berth_op_begin(
      graph, is_ref ? "ApplyMomentum" : "ResourceApplyMomentum", NULL);
  berth_op_input(op, m->variables[i].handle);
  berth_op_input(op, m->slots[i].handle);
  berth_op_input(op, m->rate_now);
  berth_op_input(op, m->gradients[i]);
  berth_op_input(op, berth_const_f32(graph, NULL, &half, BERTH_SCALAR));
  berth_op_device(op, device);
  return berth_op_finish(op);
}

static void set_all(model_t *m, berth_node_id_t target, float value) {
  berth_tensor_t *fed = full(BERTH_SCALAR, value);
  ASSERT_OK(run_fed(&m->rig, target, m->x, fed), &m->rig.err);
  berth_tensor_release(fed);
}

// Adds a scalar; returns it, computed anew in each step.
static berth_out_t scalar_add(model_t *m, const char *name, const char *device,
                              bool is_ref, state_t *out, berth_node_id_t *set) {
  static const float one = 1;
  *out = state_add(m->rig.graph, name, device, is_ref, BERTH_SCALAR);
  *set = change_add(m->rig.graph, out, "Assign", m->x);
  return binary_on(m->rig.graph, "Mul", device, out->read,
                   berth_const_f32(m->rig.graph, NULL, &one, BERTH_SCALAR));
}

// Variables of 1 to LARGEST elements, some of more than a piece.
static void model_open(model_t *m, const char *device, bool is_ref) {
  berth_config_t config = BERTH_CONFIG_INIT;
  config.gpu.allow_growth = true;
  rig_init(&m->rig);
  berth_graph_t *graph = m->rig.graph;
  m->x = hole(graph, "x");
  m->rate_now = scalar_add(m, "rate", device, is_ref, &m->rate, &m->set_rate);
  m->raise_rate = change_add(graph, &m->rate, "AssignAdd", m->x);
  m->unit_now = scalar_add(m, "unit", device, is_ref, &m->unit, &m->set_unit);
  berth_node_id_t sets[2 * VARIABLES], trains[VARIABLES];
  for (int i = 0; i < VARIABLES; ++i) {
    char name[2][16];
    m->sizes[i] = i % 7 == 3 ? LARGEST - i : i + 1;
    snprintf(name[0], sizeof(name[0]), "v%d", i);
    snprintf(name[1], sizeof(name[1]), "s%d", i);
    berth_dims_t shape = BERTH_SHAPE(m->sizes[i]);
    m->variables[i] = state_add(graph, name[0], device, is_ref, shape);
    m->slots[i] = state_add(graph, name[1], device, is_ref, shape);
    const int32_t size = (int32_t)m->sizes[i];
    berth_out_t dims = berth_const_i32(graph, NULL, &size, BERTH_SHAPE(1));
    berth_out_t value = binary_on(graph, "Fill", "/cpu:0", dims, m->x);
    sets[2 * i] = change_add(graph, &m->variables[i], "Assign", value);
    sets[2 * i + 1] = change_add(graph, &m->slots[i], "Assign", value);
  }
  for (int i = 0; i < VARIABLES; ++i) {
    m->gradients[i] = gradient_add(graph, m, i, device);
  }
  for (int i = 0; i < VARIABLES; ++i) {
    trains[i] = train_add(graph, m, i, device, is_ref);
  }
  m->set = group(graph, "set", sets, 2 * VARIABLES);
  m->train = group(graph, "train", trains, VARIABLES);
  ASSERT_OK(rig_open(&m->rig, &config), &m->rig.err);
  set_all(m, m->set, 0);
  set_all(m, m->set_rate, 1);
  set_all(m, m->set_unit, 1);
}

// Returns how often |call| is made by |count| steps.
static int64_t count_calls(model_t *m, const char *call, int count) {
  berth_fault_arm(call, 0);
  for (int i = 0; i < count; ++i) {
    EXPECT_EQ(run_target(&m->rig, m->train), BERTH_OK);
  }
  return berth_fault_disarm();
}

static void expect_values(model_t *m, float variable, float slot) {
  for (int i = 0; i < VARIABLES; ++i) {
    berth_out_t reads[] = {m->variables[i].read, m->slots[i].read};
    berth_tensor_t *values[2] = {NULL, NULL};
    ASSERT_OK(berth_session_run(m->rig.session, NULL, 0, reads, 2, values,
                                &m->rig.err),
              &m->rig.err);
    EXPECT_EQ(count_other(values[0], variable), 0);
    EXPECT_EQ(count_other(values[1], slot), 0);
    berth_tensor_release(values[0]);
    berth_tensor_release(values[1]);
  }
}

// All 30 updates take two launches, 24 and 6 at a time; each gradient is one as
// long as nothing is recorded, and so are the two scalars.
static void expect_few_launches(bool is_ref) {
  model_t m;
  model_open(&m, "/gpu:0", is_ref);
  EXPECT_EQ(count_calls(&m, "cuLaunchKernel", 1), VARIABLES + 2 + 2);
  expect_values(&m, -1, 1);
  EXPECT_EQ(run_target(&m.rig, m.train), BERTH_OK);
  expect_values(&m, -2.5f, 1.5f);
  rig_clear(&m.rig);
}

TEST(training, updates_go_in_few_launches) {
  simulate("Tesla K20m");
  expect_few_launches(false);
  expect_few_launches(true);
}

// The slot comes to 2, so that a step takes twice the rate.
static void expect_one_recording(bool is_ref) {
  model_t m;
  model_open(&m, "/gpu:0", is_ref);
  for (int i = 0; i < WARM; ++i) {
    EXPECT_EQ(run_target(&m.rig, m.train), BERTH_OK);
  }
  EXPECT_EQ(count_calls(&m, "cuGraphLaunch", STEPS), STEPS);
  EXPECT_EQ(count_calls(&m, "cuLaunchKernel", STEPS), 2 * STEPS);
  set_all(&m, m.raise_rate, 2);
  EXPECT_EQ(count_calls(&m, "cuStreamEndCapture", STEPS), 0);
  set_all(&m, m.set, 2);
  EXPECT_EQ(count_calls(&m, "cuLaunchKernel", 1), 2);
  expect_values(&m, 2 - 3 * 2, 2);
  rig_clear(&m.rig);
}

TEST(training, a_step_is_one_recording) {
  simulate("Tesla K20m");
  expect_one_recording(false);
  expect_one_recording(true);
}
