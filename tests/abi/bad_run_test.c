// bad_run_test.c - What every public function that runs does with what it must
// not be given; bad_test.c has the others.
#include "harness.h"
// The harness defines main() and comes first.
#include <berth/berth.h>

#define REFUSED(expr) EXPECT_EQ((expr), BERTH_INVALID_ARGUMENT)
#define FAILS(expr) EXPECT_TRUE((expr) != BERTH_OK)

static const berth_node_id_t BAD_IDS[] = {-1,   -2,      INT32_MIN, 2,
                                          1024, 1 << 20, INT32_MAX};
enum { BAD_ID_COUNT = sizeof BAD_IDS / sizeof BAD_IDS[0] };

// y = x + x, with x a fed scalar: nodes 0 and 1.
typedef struct rig {
  berth_graph_t *graph;
  berth_session_t *session;
  berth_context_t *context;
  berth_tensor_t *three;
} rig_t;

static const berth_out_t X = {0, 0}, Y = {1, 0};

static rig_t rig_make(void) {
  rig_t rig = {.graph = berth_graph_create()};
  static const float three = 3;
  berth_out_t x = berth_placeholder(rig.graph, "x", BERTH_FLOAT);
  (void)berth_add_v2(rig.graph, "y", x, x);
  EXPECT_EQ(berth_session_create(rig.graph, NULL, &rig.session, NULL),
            BERTH_OK);
  EXPECT_EQ(berth_context_create(NULL, &rig.context, NULL), BERTH_OK);
  EXPECT_EQ(berth_tensor_copy_from(BERTH_FLOAT, BERTH_SCALAR, &three,
                                   &rig.three, NULL),
            BERTH_OK);
  return rig;
}

// Whatever was tried, the session still works.
static void rig_clear(rig_t *rig) {
  berth_tensor_t *result = NULL;
  berth_feed_t feed = {X, rig->three};
  EXPECT_EQ(berth_session_run(rig->session, &feed, 1, &Y, 1, &result, NULL),
            BERTH_OK);
  EXPECT_TRUE(result != NULL && *(float *)berth_tensor_data(result) == 6);
  berth_tensor_release(result);
  berth_tensor_release(rig->three);
  berth_session_destroy(rig->session);
  berth_context_destroy(rig->context);
  berth_graph_release(rig->graph);
}

// ---- config.h ----

TEST(bad_run, configs) {
  berth_config_t config = BERTH_CONFIG_INIT, copy = BERTH_CONFIG_INIT;
  void *bytes = NULL;
  size_t size = 0;
  berth_config_init(NULL);
  berth_config_clear(NULL);
  REFUSED(berth_config_parse(NULL, 3, &config, NULL));
  REFUSED(berth_config_parse("", 0, NULL, NULL));
  REFUSED(berth_config_serialize(NULL, &bytes, &size, NULL));
  REFUSED(berth_config_serialize(&config, NULL, &size, NULL));
  REFUSED(berth_config_serialize(&config, &bytes, NULL, NULL));
  REFUSED(berth_config_copy(NULL, &copy, NULL));
  REFUSED(berth_config_copy(&config, NULL, NULL));
  REFUSED(berth_process_query_config(NULL, NULL));
}

// A configuration that nobody can have, one mistake at a time.
static void expect_no_config(const berth_config_t *config) {
  berth_graph_t *graph = berth_graph_create();
  berth_session_t *session = NULL;
  berth_context_t *context = NULL;
  FAILS(berth_session_create(graph, config, &session, NULL));
  FAILS(berth_context_create(config, &context, NULL));
  EXPECT_TRUE(session == NULL && context == NULL);
  berth_graph_release(graph);
}

TEST(bad_run, values_of_configs) {
  berth_config_t config = BERTH_CONFIG_INIT;
  config.cpu_count = INT32_MAX;
  expect_no_config(&config);
  config = BERTH_CONFIG_INIT;
  config.gpu_experimental.virtual_device_count = -3;
  expect_no_config(&config);
  config = BERTH_CONFIG_INIT;
  config.gpu_experimental.virtual_device_count = 3;
  expect_no_config(&config);
  berth_virtual_devices_t devices = {.memory_limit_count = 2};
  config = BERTH_CONFIG_INIT;
  config.gpu_experimental.virtual_devices = &devices;
  config.gpu_experimental.virtual_device_count = 1;
  expect_no_config(&config);
  devices = (berth_virtual_devices_t){.memory_limit_count = -2};
  expect_no_config(&config);
}

// ---- session.h ----

TEST(bad_run, sessions_that_are_none) {
  berth_session_t *session = NULL;
  berth_run_t run = {0};
  berth_node_placement_t placement;
  berth_callable_t *callable = NULL;
  berth_partial_t *partial = NULL;
  char *text = NULL;
  berth_graph_t *graph = berth_graph_create();
  FAILS(berth_session_create(NULL, NULL, &session, NULL));
  REFUSED(berth_session_create(graph, NULL, NULL, NULL));
  berth_session_close(NULL);
  berth_session_cancel(NULL);
  berth_session_destroy(NULL);
  REFUSED(berth_session_run(NULL, NULL, 0, NULL, 0, NULL, NULL));
  REFUSED(berth_session_run_with(NULL, &run, NULL));
  REFUSED(
      berth_callable_create(NULL, NULL, 0, NULL, 0, NULL, 0, &callable, NULL));
  berth_callable_destroy(NULL);
  REFUSED(berth_callable_run(NULL, NULL, NULL, NULL));
  REFUSED(
      berth_partial_create(NULL, NULL, 0, NULL, 0, NULL, 0, &partial, NULL));
  REFUSED(berth_partial_run(NULL, NULL, 0, NULL, 0, NULL, NULL));
  berth_partial_destroy(NULL);
  REFUSED(berth_session_prefer_device(NULL, "CPU:0", NULL));
  REFUSED(berth_session_pin(NULL, 0, "CPU:0", NULL));
  EXPECT_EQ(berth_session_device_count(NULL), 0);
  EXPECT_TRUE(berth_session_device_name(NULL, 0) == NULL);
  REFUSED(berth_session_placement(NULL, 0, &placement, NULL));
  REFUSED(berth_session_explain(NULL, 0, &text, NULL));
  EXPECT_TRUE(berth_cancel_retain(NULL) == NULL);
  berth_cancel_release(NULL);
  berth_cancel_fire(NULL);
  berth_graph_release(graph);
}

TEST(bad_run, memory_plans) {
  rig_t rig = rig_make();
  berth_memory_plan_t *plan = NULL;
  berth_planned_memory_t memory;
  berth_planned_value_t value;
  berth_planned_step_t step;
  int64_t batch = 0;
  char *text = NULL;
  berth_shape_feed_t feed = {X, BERTH_SCALAR};
  berth_memory_request_t run = {
      .feeds = &feed, .feed_count = 1, .fetches = &Y, .fetch_count = 1};
  REFUSED(berth_session_plan_memory(NULL, &run, &plan, NULL));
  REFUSED(berth_session_plan_memory(rig.session, NULL, &plan, NULL));
  REFUSED(berth_session_plan_memory(rig.session, &run, NULL, NULL));
  REFUSED(berth_session_plan_batch(NULL, &run, NULL, 1, &batch, NULL));
  REFUSED(berth_session_plan_batch(rig.session, NULL, NULL, 1, &batch, NULL));
  REFUSED(berth_session_plan_batch(rig.session, &run, NULL, 1, NULL, NULL));
  FAILS(berth_session_plan_batch(rig.session, &run, NULL, 1, &batch, NULL));
  run.feed_count = -1;
  FAILS(berth_session_plan_memory(rig.session, &run, &plan, NULL));
  run.feed_count = 1;
  feed.shape = BERTH_UNKNOWN_RANK;
  FAILS(berth_session_plan_memory(rig.session, &run, &plan, NULL));
  feed.shape = (berth_dims_t){1, NULL};
  FAILS(berth_session_plan_memory(rig.session, &run, &plan, NULL));
  feed.shape = BERTH_SHAPE(-2);
  FAILS(berth_session_plan_memory(rig.session, &run, &plan, NULL));
  feed.shape = BERTH_SHAPE(2);
  ASSERT_OK(berth_session_plan_memory(rig.session, &run, &plan, NULL), NULL);
  FAILS(berth_memory_plan_query(plan, -1, &memory, NULL));
  FAILS(berth_memory_plan_query(plan, 9, &memory, NULL));
  FAILS(berth_memory_plan_query_value(plan, 0, -1, &value, NULL));
  FAILS(berth_memory_plan_query_step(plan, 0, -1, &step, NULL));
  FAILS(berth_memory_plan_query_unknown(plan, -1, &step, NULL));
  REFUSED(berth_memory_plan_query(NULL, 0, &memory, NULL));
  REFUSED(berth_memory_plan_query(plan, 0, NULL, NULL));
  REFUSED(berth_memory_plan_print(NULL, &text, NULL));
  REFUSED(berth_memory_plan_print(plan, NULL, NULL));
  REFUSED(berth_memory_plan_query_value(NULL, 0, 0, &value, NULL));
  REFUSED(berth_memory_plan_query_step(NULL, 0, 0, &step, NULL));
  REFUSED(berth_memory_plan_query_unknown(NULL, 0, &step, NULL));
  EXPECT_EQ(berth_memory_plan_count(NULL), 0);
  EXPECT_EQ(berth_memory_plan_step_count(NULL), 0);
  EXPECT_EQ(berth_memory_plan_unknown_count(NULL), 0);
  berth_memory_plan_destroy(plan);
  berth_memory_plan_destroy(NULL);
  rig_clear(&rig);
}

TEST(bad_run, runs) {
  rig_t rig = rig_make();
  berth_feed_t feed = {X, rig.three}, empty = {X, NULL};
  berth_tensor_t *result = NULL;
#define RUN(feeds, feed_count, fetches, fetch_count, results)        \
  do {                                                               \
    berth_error_t err = BERTH_ERROR_INIT;                            \
    FAILS(berth_session_run(rig.session, feeds, feed_count, fetches, \
                            fetch_count, results, &err));            \
    EXPECT_TRUE(berth_error_message(&err)[0] != '\0');               \
    berth_error_clear(&err);                                         \
  } while (0)
  RUN(NULL, 1, &Y, 1, &result);
  RUN(&feed, -1, &Y, 1, &result);
  RUN(&feed, 1, NULL, 1, &result);
  RUN(&feed, 1, &Y, -1, &result);
  RUN(&feed, 1, &Y, 1, NULL);
  RUN(&empty, 1, &Y, 1, &result);
  for (int i = 0; i < BAD_ID_COUNT; ++i) {
    const berth_out_t outs[] = {{BAD_IDS[i], 0}, {1, BAD_IDS[i]}};
    for (int k = 0; k < 2; ++k) {
      berth_feed_t bad = {outs[k], rig.three};
      RUN(&feed, 1, &outs[k], 1, &result);
      RUN(&bad, 1, &Y, 1, &result);
    }
    berth_run_t run = {.targets = &BAD_IDS[i], .target_count = 1};
    FAILS(berth_session_run_with(rig.session, &run, NULL));
  }
#undef RUN
  berth_run_t run = {.target_count = 1};
  FAILS(berth_session_run_with(rig.session, &run, NULL));
  run = (berth_run_t){.targets = BAD_IDS, .target_count = -1};
  FAILS(berth_session_run_with(rig.session, &run, NULL));
  REFUSED(berth_session_run_with(rig.session, NULL, NULL));
  run = (berth_run_t){.inter_op_pool = -7};
  FAILS(berth_session_run_with(rig.session, &run, NULL));
  void *bytes = NULL;
  run = (berth_run_t){.trace = true, .out_metadata = &bytes};
  REFUSED(berth_session_run_with(rig.session, &run, NULL));
  REFUSED(berth_run_parse_options(NULL, "", 0, NULL));
  REFUSED(berth_run_parse_options(&run, NULL, 3, NULL));
  EXPECT_TRUE(result == NULL);
  rig_clear(&rig);
}

TEST(bad_run, names) {
  rig_t rig = rig_make();
  berth_out_t out;
  berth_node_id_t target;
  static const char *const names[] = {NULL};
  REFUSED(berth_graph_find_feed(NULL, "x", &out, NULL));
  REFUSED(berth_graph_find_feed(rig.graph, NULL, &out, NULL));
  REFUSED(berth_graph_find_feed(rig.graph, "x", NULL, NULL));
  REFUSED(berth_graph_find_fetch(NULL, "x", &out, NULL));
  REFUSED(berth_graph_find_fetch(rig.graph, NULL, &out, NULL));
  REFUSED(berth_graph_find_fetch(rig.graph, "x", NULL, NULL));
  REFUSED(berth_graph_find_targets(NULL, names, 1, &target, NULL));
  REFUSED(berth_graph_find_targets(rig.graph, NULL, 1, &target, NULL));
  REFUSED(berth_graph_find_targets(rig.graph, names, 1, &target, NULL));
  REFUSED(berth_graph_find_targets(rig.graph, names, -1, &target, NULL));
  REFUSED(berth_graph_find_targets(rig.graph, (const char *const[]){"x"}, 1,
                                   NULL, NULL));
  rig_clear(&rig);
}

// Feeds, fetches and targets as callables and partial runs take them.
static void expect_no_plan(const rig_t *rig, const berth_out_t *feeds,
                           int feed_count, const berth_out_t *fetches,
                           int fetch_count, const berth_node_id_t *targets,
                           int target_count) {
  berth_callable_t *callable = NULL;
  berth_partial_t *partial = NULL;
  FAILS(berth_callable_create(rig->session, feeds, feed_count, fetches,
                              fetch_count, targets, target_count, &callable,
                              NULL));
  FAILS(berth_partial_create(rig->session, feeds, feed_count, fetches,
                             fetch_count, targets, target_count, &partial,
                             NULL));
  EXPECT_TRUE(callable == NULL && partial == NULL);
}

TEST(bad_run, callables_and_partial_runs) {
  rig_t rig = rig_make();
  berth_callable_t *callable = NULL;
  berth_partial_t *partial = NULL;
  berth_tensor_t *result = NULL, *none = NULL;
  expect_no_plan(&rig, NULL, 1, &Y, 1, NULL, 0);
  expect_no_plan(&rig, &X, -1, &Y, 1, NULL, 0);
  expect_no_plan(&rig, &X, 1, NULL, 1, NULL, 0);
  expect_no_plan(&rig, &X, 1, &Y, -1, NULL, 0);
  expect_no_plan(&rig, &X, 1, &Y, 1, NULL, 1);
  expect_no_plan(&rig, &X, 1, &Y, 1, BAD_IDS, -1);
  for (int i = 0; i < BAD_ID_COUNT; ++i) {
    const berth_out_t outs[] = {{BAD_IDS[i], 0}, {1, BAD_IDS[i]}};
    for (int k = 0; k < 2; ++k) {
      expect_no_plan(&rig, &outs[k], 1, &Y, 1, NULL, 0);
      expect_no_plan(&rig, &X, 1, &outs[k], 1, NULL, 0);
    }
    expect_no_plan(&rig, &X, 1, &Y, 1, &BAD_IDS[i], 1);
  }
  REFUSED(
      berth_callable_create(rig.session, &X, 1, &Y, 1, NULL, 0, NULL, NULL));
  REFUSED(berth_partial_create(rig.session, &X, 1, &Y, 1, NULL, 0, NULL, NULL));
  EXPECT_EQ(berth_callable_create(rig.session, &X, 1, &Y, 1, NULL, 0, &callable,
                                  NULL),
            BERTH_OK);
  FAILS(berth_callable_run(callable, NULL, &result, NULL));
  FAILS(berth_callable_run(callable, &none, &result, NULL));
  FAILS(berth_callable_run(callable, &rig.three, NULL, NULL));
  berth_callable_destroy(callable);
  EXPECT_EQ(
      berth_partial_create(rig.session, &X, 1, &Y, 1, NULL, 0, &partial, NULL),
      BERTH_OK);
  berth_feed_t feed = {X, rig.three}, empty = {X, NULL};
  FAILS(berth_partial_run(partial, NULL, 1, &Y, 1, &result, NULL));
  FAILS(berth_partial_run(partial, &feed, -1, &Y, 1, &result, NULL));
  FAILS(berth_partial_run(partial, &empty, 1, &Y, 1, &result, NULL));
  FAILS(berth_partial_run(partial, &feed, 1, NULL, 1, &result, NULL));
  FAILS(berth_partial_run(partial, &feed, 1, &Y, -1, &result, NULL));
  FAILS(berth_partial_run(partial, &feed, 1, &Y, 1, NULL, NULL));
  for (int i = 0; i < BAD_ID_COUNT; ++i) {
    berth_out_t bad = {BAD_IDS[i], 0};
    berth_feed_t bad_feed = {bad, rig.three};
    FAILS(berth_partial_run(partial, &bad_feed, 1, &Y, 1, &result, NULL));
    FAILS(berth_partial_run(partial, &feed, 1, &bad, 1, &result, NULL));
  }
  berth_partial_destroy(partial);
  EXPECT_TRUE(result == NULL);
  rig_clear(&rig);
}

TEST(bad_run, looking_at_sessions) {
  rig_t rig = rig_make();
  berth_node_placement_t placement;
  char *text = NULL;
  for (int i = 0; i < BAD_ID_COUNT; ++i) {
    FAILS(berth_session_placement(rig.session, BAD_IDS[i], &placement, NULL));
    FAILS(berth_session_explain(rig.session, BAD_IDS[i], &text, NULL));
    FAILS(berth_session_pin(rig.session, BAD_IDS[i], "CPU:0", NULL));
    EXPECT_TRUE(berth_session_device_name(rig.session, BAD_IDS[i]) == NULL);
    EXPECT_TRUE(berth_context_device_name(rig.context, BAD_IDS[i]) == NULL);
  }
  REFUSED(berth_session_placement(rig.session, 0, NULL, NULL));
  REFUSED(berth_session_explain(rig.session, 0, NULL, NULL));
  REFUSED(berth_session_pin(rig.session, 0, NULL, NULL));
  REFUSED(berth_session_pin(rig.session, 0, "odd", NULL));
  REFUSED(berth_session_prefer_device(rig.session, NULL, NULL));
  REFUSED(berth_session_prefer_device(rig.session, "odd", NULL));
  rig_clear(&rig);
}

// ---- Host callbacks ----

static void ignore_call(berth_host_call_t *call, void *arg) {
  EXPECT_TRUE(berth_host_call_input(call, -1) == NULL);
  EXPECT_TRUE(berth_host_call_input(call, 1) == NULL);
  EXPECT_TRUE(berth_host_call_input(call, INT32_MAX) == NULL);
  // More outputs than there are, none, and a number that is no code.
  int mode = *(int *)arg;
  berth_tensor_t *outputs[2] = {
      berth_tensor_retain(berth_host_call_input(call, 0)), NULL};
  if (mode == 0) {
    berth_host_call_finish(call, BERTH_OK, NULL, outputs, 1);
    return;
  }
  berth_tensor_release(outputs[0]);
  outputs[0] = NULL;
  if (mode == 1) berth_host_call_finish(call, BERTH_OK, NULL, NULL, 1);
  if (mode == 2) berth_host_call_finish(call, BERTH_OK, NULL, outputs, -1);
  if (mode == 3) berth_host_call_finish(call, BERTH_OK, NULL, outputs, 1);
  if (mode == 4) {
    berth_host_call_finish(call, (berth_code_t)9999, NULL, NULL, 0);
  }
  if (mode == 5) berth_host_call_finish(call, BERTH_UNKNOWN, NULL, NULL, 0);
}

TEST(bad_run, host_callbacks) {
  int mode = 0;
  REFUSED(berth_host_register(NULL, ignore_call, NULL, NULL));
  EXPECT_EQ(berth_host_call_input_count(NULL), 0);
  EXPECT_TRUE(berth_host_call_input(NULL, 0) == NULL);
  berth_host_call_finish(NULL, BERTH_OK, NULL, NULL, 0);
  EXPECT_EQ(berth_host_register("bad", ignore_call, &mode, NULL), BERTH_OK);
  rig_t rig = rig_make();
  static const berth_dtype_t types[] = {BERTH_FLOAT};
  berth_op_t *op = berth_op_begin(rig.graph, "BerthCallback", "call");
  berth_op_input_list(op, &X, 1);
  berth_op_attr_string(op, "token", "bad", 3);
  berth_op_attr_types(op, "Tin", types, 1);
  berth_op_attr_types(op, "Tout", types, 1);
  berth_out_t call = {berth_op_finish(op), 0};
  berth_feed_t feed = {X, rig.three};
  for (; mode < 6; ++mode) {
    berth_tensor_t *result = NULL;
    berth_code_t code =
        berth_session_run(rig.session, &feed, 1, &call, 1, &result, NULL);
    EXPECT_EQ(code == BERTH_OK, mode == 0);
    berth_tensor_release(result);
  }
  EXPECT_EQ(berth_host_register("bad", NULL, NULL, NULL), BERTH_OK);
  rig_clear(&rig);
}

// ---- eager.h ----

TEST(bad_run, eager_calls) {
  rig_t rig = rig_make();
  berth_tensor_t *outputs[2] = {NULL, NULL}, *in[] = {rig.three, rig.three};
  berth_tensor_t *none[] = {NULL, NULL};
  berth_context_t *context = NULL;
  berth_session_t *session = NULL;
  int count = 1;
  REFUSED(berth_context_create(NULL, NULL, NULL));
  berth_context_destroy(NULL);
  EXPECT_EQ(berth_context_device_count(NULL), 0);
  EXPECT_TRUE(berth_context_device_name(NULL, 0) == NULL);
  berth_context_set_log_placement(NULL, true);
  berth_context_set_soft_placement(NULL, true);
  EXPECT_TRUE(berth_context_refresh(NULL, NULL, NULL) != BERTH_OK);
#define CALL(context, op, device, inputs, input_count, outputs, room)         \
  do {                                                                        \
    FAILS(berth_eager_call(context, op, device, inputs, input_count, outputs, \
                           room, NULL));                                      \
    count = 1;                                                                \
  } while (0)
  CALL(NULL, "AddV2", NULL, in, 2, outputs, &count);
  CALL(rig.context, NULL, NULL, in, 2, outputs, &count);
  CALL(rig.context, "AddV2", "odd", in, 2, outputs, &count);
  CALL(rig.context, "AddV2", NULL, NULL, 2, outputs, &count);
  CALL(rig.context, "AddV2", NULL, none, 2, outputs, &count);
  CALL(rig.context, "AddV2", NULL, in, -2, outputs, &count);
  CALL(rig.context, "AddV2", NULL, in, 2, NULL, &count);
  CALL(rig.context, "AddV2", NULL, in, 2, outputs, NULL);
  count = -1;
  CALL(rig.context, "AddV2", NULL, in, 2, outputs, &count);
#undef CALL
  REFUSED(berth_eager_call_op(rig.context, NULL, NULL, in, 2, outputs, &count,
                              NULL));
  berth_op_t *op = berth_op_begin(NULL, "AddV2", NULL);
  REFUSED(berth_eager_call_op(NULL, op, NULL, in, 2, outputs, &count, NULL));
  FAILS(berth_eager_call_op(rig.context, op, NULL, NULL, 2, outputs, &count,
                            NULL));
  FAILS(berth_eager_call_op(rig.context, op, NULL, in, -1, outputs, &count,
                            NULL));
  berth_op_abandon(op);
  REFUSED(berth_eager_copy(NULL, rig.three, "CPU:0", outputs, NULL));
  REFUSED(berth_eager_copy(rig.context, NULL, "CPU:0", outputs, NULL));
  REFUSED(berth_eager_copy(rig.context, rig.three, NULL, outputs, NULL));
  REFUSED(berth_eager_copy(rig.context, rig.three, "odd", outputs, NULL));
  REFUSED(berth_eager_copy(rig.context, rig.three, "CPU:0", NULL, NULL));
  REFUSED(berth_context_add_function(NULL, "f", rig.graph, NULL));
  REFUSED(berth_context_add_function(rig.context, NULL, rig.graph, NULL));
  REFUSED(berth_context_add_function(rig.context, "f", NULL, NULL));
  berth_context_remove_function(NULL, "f");
  berth_context_remove_function(rig.context, NULL);
  REFUSED(berth_context_session(NULL, rig.graph, &session, NULL));
  FAILS(berth_context_session(rig.context, NULL, &session, NULL));
  REFUSED(berth_context_session(rig.context, rig.graph, NULL, NULL));
  EXPECT_TRUE(outputs[0] == NULL && session == NULL && context == NULL);
  rig_clear(&rig);
}

TEST(bad_run, tapes) {
  rig_t rig = rig_make();
  berth_tape_t *tape = NULL;
  berth_tensor_t *output = NULL;
  int count = 1;
  bool is_noted = false;
  REFUSED(berth_tape_create(NULL, &tape, NULL));
  REFUSED(berth_tape_create(rig.context, NULL, NULL));
  berth_tape_destroy(NULL);
  EXPECT_EQ(berth_tape_create(rig.context, &tape, NULL), BERTH_OK);
  REFUSED(berth_tape_watch(NULL, rig.three, NULL));
  REFUSED(berth_tape_watch(tape, NULL, NULL));
  REFUSED(berth_tape_call(rig.context, NULL, 1, "Neg", NULL, NULL, &rig.three,
                          1, &output, &count, NULL));
  FAILS(berth_tape_call(rig.context, &tape, 1, "NoSuchOp", NULL, NULL,
                        &rig.three, 1, &output, &count, NULL));
  REFUSED(
      berth_tape_note(NULL, 1, &rig.three, 1, &rig.three, 1, &is_noted, NULL));
  REFUSED(berth_tape_note(tape, 1, NULL, 1, &rig.three, 1, &is_noted, NULL));
  REFUSED(berth_tape_note(tape, 1, &rig.three, 1, &rig.three, 1, NULL, NULL));
  REFUSED(berth_tape_gradient(NULL, NULL, NULL));
  REFUSED(berth_tape_gradient(tape, NULL, NULL));
  berth_tape_wish_t wish = {.y_count = 1};
  REFUSED(berth_tape_gradient(tape, &wish, NULL));
  EXPECT_TRUE(output == NULL && !is_noted);
  berth_tape_destroy(tape);
  rig_clear(&rig);
}

TEST(bad_run, wrapping) {
  rig_t rig = rig_make();
  float data[2] = {1, 2};
  berth_tensor_t *tensor = NULL;
  static const berth_dims_t shapes[] = {
      {-1, NULL}, {-5, NULL}, {1, NULL}, {255, NULL}, {INT32_MAX, NULL}};
#define WRAP(context, device, dtype, shape, data, size, out)              \
  FAILS(berth_eager_wrap(context, device, dtype, shape, data, size, NULL, \
                         NULL, out, NULL))
  WRAP(NULL, "CPU:0", BERTH_FLOAT, BERTH_SCALAR, data, 4, &tensor);
  WRAP(rig.context, NULL, BERTH_FLOAT, BERTH_SCALAR, data, 4, &tensor);
  WRAP(rig.context, "odd", BERTH_FLOAT, BERTH_SCALAR, data, 4, &tensor);
  WRAP(rig.context, "CPU:0", BERTH_INVALID, BERTH_SCALAR, data, 4, &tensor);
  WRAP(rig.context, "CPU:0", (berth_dtype_t)777, BERTH_SCALAR, data, 4,
       &tensor);
  WRAP(rig.context, "CPU:0", BERTH_FLOAT, BERTH_SCALAR, NULL, 4, &tensor);
  WRAP(rig.context, "CPU:0", BERTH_FLOAT, BERTH_SCALAR, data, 3, &tensor);
  WRAP(rig.context, "CPU:0", BERTH_FLOAT, BERTH_SCALAR, data, 4, NULL);
  for (int i = 0; i < 5; ++i) {
    WRAP(rig.context, "CPU:0", BERTH_FLOAT, shapes[i], data, 8, &tensor);
  }
#undef WRAP
  EXPECT_TRUE(tensor == NULL);
  rig_clear(&rig);
}
