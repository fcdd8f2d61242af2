// guard_testing.h - What the tests of promises share.
#ifndef BERTH_TESTS_GUARD_GUARD_TESTING_H_
#define BERTH_TESTS_GUARD_GUARD_TESTING_H_

#include "gpu/devices/gpu_testing.h"
#include "session/session_testing.h"

// Makes |spec|, which is |count| cards, the GPUs of this process; where the
// machine's own is to be tested it is divided into as many.
static inline void take_cards(const char *spec, int count) {
  if (getenv("BERTH_TEST_GPU") == NULL) {
    simulate(spec);
    return;
  }
  const float limits[] = {4096, 4096, 4096, 4096};
  berth_error_t err = BERTH_ERROR_INIT;
  keep_log();
  if (divide_card(limits, count, &err) != BERTH_OK) {
    HARNESS_FAIL("no GPUs: %s", berth_error_message(&err));
    exit(1);
  }
}

// Fills |config| with the settings of the GPUs that were taken, growing as they
// are used; to be cleared.
static inline void cards_config(berth_config_t *config) {
  berth_error_t err = BERTH_ERROR_INIT;
  if (berth_process_query_config(config, &err) != BERTH_OK) {
    HARNESS_FAIL("no settings: %s", berth_error_message(&err));
    exit(1);
  }
  // GPUs with limits of their own do not grow.
  config->gpu.allow_growth = getenv("BERTH_TEST_GPU") == NULL;
}

// A tensor of floats that are all |value|.
static inline berth_tensor_t *full(berth_dims_t shape, float value) {
  berth_tensor_t *tensor = NULL;
  if (berth_tensor_create(BERTH_FLOAT, shape, &tensor, NULL) != BERTH_OK) {
    HARNESS_FAIL("no tensor");
    exit(1);
  }
  float *values = berth_tensor_data(tensor);
  for (int64_t i = 0; i < berth_tensor_count(tensor); ++i) values[i] = value;
  return tensor;
}

// Returns how many elements of |tensor| are not |value|; -1: not readable.
static inline int64_t count_other(const berth_tensor_t *tensor, float value) {
  berth_tensor_t *host = NULL;
  if (tensor == NULL || berth_tensor_to_host(tensor, &host, NULL) != BERTH_OK) {
    return -1;
  }
  const float *values = berth_tensor_data(host);
  int64_t other = 0;
  for (int64_t i = 0; i < berth_tensor_count(host); ++i) {
    other += values[i] != value;
  }
  berth_tensor_release(host);
  return other;
}

// A node of |op| on |device| (NULL: any) with at most two inputs.
static inline berth_op_t *op_on(berth_graph_t *graph, const char *op,
                                const char *device, berth_out_t a,
                                berth_out_t b) {
  berth_op_t *made = berth_op_begin(graph, op, NULL);
  if (a.node != BERTH_NO_NODE) berth_op_input(made, a);
  if (b.node != BERTH_NO_NODE) berth_op_input(made, b);
  if (device != NULL) berth_op_device(made, device);
  return made;
}

#define NO_INPUT ((berth_out_t){BERTH_NO_NODE, 0})

static inline berth_out_t binary_on(berth_graph_t *graph, const char *op,
                                    const char *device, berth_out_t a,
                                    berth_out_t b) {
  return berth_output(berth_op_finish(op_on(graph, op, device, a, b)), 0);
}

static inline berth_out_t unary_on(berth_graph_t *graph, const char *op,
                                   const char *device, berth_out_t a) {
  return binary_on(graph, op, device, a, NO_INPUT);
}

// ---- Variables of both kinds ----

// A variable of floats behind a reference, or behind a handle.
typedef struct state {
  bool is_ref;
  const char *device;
  berth_out_t handle, read;
} state_t;

static inline state_t state_add(berth_graph_t *graph, const char *name,
                                const char *device, bool is_ref,
                                berth_dims_t shape) {
  state_t state = {.is_ref = is_ref, .device = device};
  berth_op_t *op =
      berth_op_begin(graph, is_ref ? "VariableV2" : "VarHandleOp", name);
  berth_op_attr_type(op, "dtype", BERTH_FLOAT);
  berth_op_attr_shape(op, "shape", shape);
  berth_op_attr_string(op, "shared_name", name, strlen(name));
  if (device != NULL) berth_op_device(op, device);
  state.handle = berth_output(berth_op_finish(op), 0);
  op = op_on(graph, is_ref ? "Identity" : "ReadVariableOp", device,
             state.handle, NO_INPUT);
  if (!is_ref) berth_op_attr_type(op, "dtype", BERTH_FLOAT);
  state.read = berth_output(berth_op_finish(op), 0);
  return state;
}

// An op begun that changes |state| with |value|: "Assign", "AssignAdd" or
// "AssignSub" of its kind.
static inline berth_op_t *change_begin(berth_graph_t *graph,
                                       const state_t *state, const char *what,
                                       berth_out_t value) {
  char name[64];
  snprintf(name, sizeof(name), "%s%s", what, state->is_ref ? "" : "VariableOp");
  berth_op_t *op = op_on(graph, name, state->device, state->handle, value);
  if (!state->is_ref) berth_op_attr_type(op, "dtype", BERTH_FLOAT);
  return op;
}

static inline berth_node_id_t change_add(berth_graph_t *graph,
                                         const state_t *state, const char *what,
                                         berth_out_t value) {
  return berth_op_finish(change_begin(graph, state, what, value));
}

// Runs |target| with one feed.
static inline berth_code_t run_fed(rig_t *rig, berth_node_id_t target,
                                   berth_out_t fed, berth_tensor_t *value) {
  berth_feed_t feed = {fed, value};
  berth_run_t run = {.feeds = &feed,
                     .feed_count = value != NULL,
                     .targets = &target,
                     .target_count = 1};
  return berth_session_run_with(rig->session, &run, &rig->err);
}

// Fetches |out| without feeds; NULL when it fails.
static inline berth_tensor_t *fetch_tensor(rig_t *rig, berth_out_t out) {
  berth_tensor_t *result = NULL;
  if (berth_session_run(rig->session, NULL, 0, &out, 1, &result, &rig->err) !=
      BERTH_OK) {
    HARNESS_FAIL("%s", berth_error_message(&rig->err));
  }
  return result;
}

#endif  // BERTH_TESTS_GUARD_GUARD_TESTING_H_
