// surface_run_test.c - Uses every public function that runs: part two.
#include "harness.h"
// The harness defines main() and comes first.
#include <berth/berth.h>

// y = x + x, with x a fed scalar.
typedef struct doubler {
  berth_graph_t *graph;
  berth_session_t *session;
  berth_out_t x, y;
  berth_tensor_t *three;
} doubler_t;

static void make_doubler(doubler_t *doubler, const berth_config_t *config) {
  static const float three = 3;
  berth_error_t err = BERTH_ERROR_INIT;
  *doubler = (doubler_t){.graph = berth_graph_create()};
  doubler->x = berth_placeholder(doubler->graph, "x", BERTH_FLOAT);
  doubler->y = berth_add_v2(doubler->graph, "y", doubler->x, doubler->x);
  ASSERT_OK(
      berth_session_create(doubler->graph, config, &doubler->session, &err),
      &err);
  ASSERT_OK(berth_tensor_copy_from(BERTH_FLOAT, BERTH_SCALAR, &three,
                                   &doubler->three, &err),
            &err);
}

static void clear_doubler(doubler_t *doubler) {
  berth_tensor_release(doubler->three);
  berth_session_destroy(doubler->session);
  berth_graph_release(doubler->graph);
}

static float take_float(berth_tensor_t *tensor) {
  float value = *(float *)berth_tensor_data(tensor);
  berth_tensor_release(tensor);
  return value;
}

TEST(surface, sessions) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_tensor_t *result = NULL;
  berth_node_placement_t placement;
  char *why = NULL;
  doubler_t doubler;
  make_doubler(&doubler, NULL);
  berth_feed_t feed = {doubler.x, doubler.three};
  ASSERT_OK(berth_session_run(doubler.session, &feed, 1, &doubler.y, 1, &result,
                              &err),
            &err);
  EXPECT_EQ(take_float(result), 6);
  EXPECT_EQ(berth_session_device_count(doubler.session), 1);
  EXPECT_STR(berth_session_device_name(doubler.session, 0),
             "/job:localhost/replica:0/task:0/device:CPU:0");
  ASSERT_OK(berth_session_placement(doubler.session, doubler.y.node, &placement,
                                    &err),
            &err);
  EXPECT_EQ(placement.reason, BERTH_REASON_ONLY_DEVICE_TYPE);
  ASSERT_OK(berth_session_explain(doubler.session, doubler.y.node, &why, &err),
            &err);
  EXPECT_TRUE(strstr(why, "'y' (AddV2) is on ") == why);
  berth_text_free(why);
  berth_session_cancel(doubler.session);
  berth_session_close(doubler.session);
  EXPECT_FAILS(berth_session_run(doubler.session, &feed, 1, &doubler.y, 1,
                                 &result, &err),
               BERTH_CANCELLED, &err, "Session has been closed.");
  clear_doubler(&doubler);
}

TEST(surface, memory_plans) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_memory_plan_t *plan = NULL;
  berth_planned_memory_t memory;
  berth_planned_value_t value;
  berth_planned_step_t step;
  int64_t batch = 0;
  char *text = NULL;
  doubler_t doubler;
  make_doubler(&doubler, NULL);
  const berth_shape_feed_t feed = {doubler.x, BERTH_SHAPE(-1, 1024)};
  const berth_memory_request_t run = {.feeds = &feed,
                                      .feed_count = 1,
                                      .fetches = &doubler.y,
                                      .fetch_count = 1,
                                      .batch = 3};
  ASSERT_OK(berth_session_plan_memory(doubler.session, &run, &plan, &err),
            &err);
  EXPECT_EQ(berth_memory_plan_count(plan), 1);
  ASSERT_OK(berth_memory_plan_query(plan, 0, &memory, &err), &err);
  EXPECT_EQ(memory.peak_bytes, 3 * 4096);
  EXPECT_TRUE(memory.is_exact);
  ASSERT_OK(berth_memory_plan_query_value(plan, 0, 0, &value, &err), &err);
  EXPECT_STR(value.name, "y");
  EXPECT_EQ(value.bytes, 3 * 4096);
  EXPECT_FAILS(berth_memory_plan_query_value(plan, 0, 1, &value, &err),
               BERTH_OUT_OF_RANGE, &err, "value 1 of 1 was asked for");
  EXPECT_EQ(berth_memory_plan_step_count(plan), 1);
  ASSERT_OK(berth_memory_plan_query_step(plan, 0, 0, &step, &err), &err);
  EXPECT_STR(step.op, "AddV2");
  EXPECT_EQ(berth_memory_plan_unknown_count(plan), 0);
  EXPECT_FAILS(berth_memory_plan_query_unknown(plan, 0, &step, &err),
               BERTH_OUT_OF_RANGE, &err, "step 0 of 0 was asked for");
  ASSERT_OK(berth_memory_plan_print(plan, &text, &err), &err);
  EXPECT_TRUE(strstr(text, "\"peak_bytes\":12288") != NULL);
  berth_text_free(text);
  berth_memory_plan_destroy(plan);
  ASSERT_OK(berth_session_plan_batch(doubler.session, &run, "CPU:0", 1 << 20,
                                     &batch, &err),
            &err);
  EXPECT_EQ(batch, 256);
  clear_doubler(&doubler);
}

static int count_poll(void *arg) {
  ++*(int *)arg;
  return 0;
}

TEST(surface, runs_with_options) {
  // RunOptions {timeout_in_ms: 60000}
  static const unsigned char options[] = {2 << 3, 0xe0, 0xd4, 0x03};
  berth_error_t err = BERTH_ERROR_INIT;
  berth_tensor_t *result = NULL;
  void *metadata = NULL;
  size_t metadata_size = 0;
  int polls = 0;
  doubler_t doubler;
  make_doubler(&doubler, NULL);
  berth_feed_t feed = {doubler.x, doubler.three};
  berth_run_t run = {
      .feeds = &feed,
      .feed_count = 1,
      .fetches = &doubler.y,
      .fetch_count = 1,
      .results = &result,
      .targets = &doubler.y.node,
      .target_count = 1,
      .poll = count_poll,
      .poll_arg = &polls,
      .trace = true,
      .out_metadata = &metadata,
      .out_metadata_size = &metadata_size,
  };
  ASSERT_OK(berth_run_parse_options(&run, options, sizeof(options), &err),
            &err);
  EXPECT_EQ(run.timeout_ms, 60000);
  run.trace = true;
  ASSERT_OK(berth_session_run_with(doubler.session, &run, &err), &err);
  EXPECT_EQ(take_float(result), 6);
  EXPECT_TRUE(metadata_size > 0);
  berth_text_free(metadata);
  clear_doubler(&doubler);
}

TEST(surface, cancelling) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_tensor_t *result = NULL;
  berth_cancel_t *cancel = berth_cancel_create();
  doubler_t doubler;
  make_doubler(&doubler, NULL);
  berth_feed_t feed = {doubler.x, doubler.three};
  berth_run_t run = {.feeds = &feed,
                     .feed_count = 1,
                     .fetches = &doubler.y,
                     .fetch_count = 1,
                     .results = &result,
                     .cancel = cancel};
  berth_cancel_release(berth_cancel_retain(cancel));
  berth_cancel_fire(cancel);
  EXPECT_EQ(berth_session_run_with(doubler.session, &run, &err),
            BERTH_CANCELLED);
  EXPECT_TRUE(result == NULL);
  berth_error_clear(&err);
  berth_cancel_release(cancel);
  clear_doubler(&doubler);
}

TEST(surface, names_of_ends) {
  static const char *const names[] = {"y"};
  berth_error_t err = BERTH_ERROR_INIT;
  berth_out_t feed, fetch;
  berth_node_id_t target;
  doubler_t doubler;
  make_doubler(&doubler, NULL);
  ASSERT_OK(berth_graph_find_feed(doubler.graph, "x:0", &feed, &err), &err);
  ASSERT_OK(berth_graph_find_fetch(doubler.graph, "y:0", &fetch, &err), &err);
  ASSERT_OK(berth_graph_find_targets(doubler.graph, names, 1, &target, &err),
            &err);
  EXPECT_EQ(feed.node, doubler.x.node);
  EXPECT_EQ(fetch.node, doubler.y.node);
  EXPECT_EQ(target, doubler.y.node);
  EXPECT_EQ(berth_graph_find_feed(doubler.graph, "nix:0", &feed, &err),
            BERTH_NOT_FOUND);
  berth_error_clear(&err);
  clear_doubler(&doubler);
}

TEST(surface, callables) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_callable_t *callable = NULL;
  berth_tensor_t *result = NULL;
  doubler_t doubler;
  make_doubler(&doubler, NULL);
  ASSERT_OK(berth_callable_create(doubler.session, &doubler.x, 1, &doubler.y, 1,
                                  NULL, 0, &callable, &err),
            &err);
  for (int i = 0; i < 3; ++i) {
    ASSERT_OK(berth_callable_run(callable, &doubler.three, &result, &err),
              &err);
    EXPECT_EQ(take_float(result), 6);
  }
  berth_callable_destroy(callable);
  clear_doubler(&doubler);
}

TEST(surface, partial_runs) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_partial_t *partial = NULL;
  berth_tensor_t *result = NULL;
  doubler_t doubler;
  make_doubler(&doubler, NULL);
  berth_feed_t feed = {doubler.x, doubler.three};
  ASSERT_OK(berth_partial_create(doubler.session, &doubler.x, 1, &doubler.y, 1,
                                 NULL, 0, &partial, &err),
            &err);
  ASSERT_OK(berth_partial_run(partial, &feed, 1, &doubler.y, 1, &result, &err),
            &err);
  EXPECT_EQ(take_float(result), 6);
  berth_partial_destroy(partial);
  clear_doubler(&doubler);
}

// Returns its only input.
static void hand_back(berth_host_call_t *call, void *arg) {
  int *count = arg;
  *count += berth_host_call_input_count(call);
  berth_tensor_t *input = berth_tensor_retain(berth_host_call_input(call, 0));
  berth_host_call_finish(call, BERTH_OK, NULL, &input, 1);
}

TEST(surface, host_callbacks) {
  static const berth_dtype_t types[] = {BERTH_FLOAT};
  berth_error_t err = BERTH_ERROR_INIT;
  berth_graph_t *graph = berth_graph_create();
  berth_session_t *session = NULL;
  berth_tensor_t *result = NULL;
  int inputs = 0;
  static const float five = 5;
  ASSERT_OK(berth_host_register("surface", hand_back, &inputs, &err), &err);
  berth_out_t x = berth_const_f32(graph, "x", &five, BERTH_SCALAR);
  berth_op_t *op = berth_op_begin(graph, "BerthCallback", NULL);
  berth_op_input_list(op, &x, 1);
  berth_op_attr_string(op, "token", "surface", 7);
  berth_op_attr_types(op, "Tin", types, 1);
  berth_op_attr_types(op, "Tout", types, 1);
  berth_out_t y = {berth_op_finish(op), 0};
  ASSERT_OK(berth_session_create(graph, NULL, &session, &err), &err);
  ASSERT_OK(berth_session_run(session, NULL, 0, &y, 1, &result, &err), &err);
  EXPECT_EQ(take_float(result), 5);
  EXPECT_EQ(inputs, 1);
  ASSERT_OK(berth_host_register("surface", NULL, NULL, &err), &err);
  berth_session_destroy(session);
  berth_graph_release(graph);
}

TEST(surface, eager_calls) {
  static const float value = 4;
  berth_error_t err = BERTH_ERROR_INIT;
  berth_context_t *context = NULL;
  berth_tensor_t *four = NULL, *result = NULL;
  int count = 1;
  ASSERT_OK(berth_context_create(NULL, &context, &err), &err);
  EXPECT_TRUE(berth_context_device_count(context) >= 1);
  EXPECT_STR(berth_context_device_name(context, 0),
             "/job:localhost/replica:0/task:0/device:CPU:0");
  berth_context_set_soft_placement(context, true);
  berth_context_set_log_placement(context, false);
  berth_context_set_cache_limit(context, 10);
  EXPECT_EQ(berth_context_cache_size(context), 0);
  ASSERT_OK(
      berth_tensor_copy_from(BERTH_FLOAT, BERTH_SCALAR, &value, &four, &err),
      &err);
  ASSERT_OK(berth_eager_call(context, "Square", NULL, &four, 1, &result, &count,
                             &err),
            &err);
  EXPECT_EQ(count, 1);
  EXPECT_TRUE(berth_context_handle_device(context, result) == NULL);
  EXPECT_EQ(berth_context_last_device(context), 0);
  EXPECT_EQ(take_float(result), 16);
  EXPECT_EQ(berth_context_cache_size(context), 1);
  berth_config_t same = BERTH_CONFIG_INIT;
  ASSERT_OK(berth_context_refresh(context, &same, &err), &err);
  EXPECT_EQ(berth_context_device_count(context), 1);
  EXPECT_EQ(berth_context_cache_size(context), 0);
  berth_op_t *op = berth_op_begin(NULL, "Cast", NULL);
  berth_op_attr_type(op, "DstT", BERTH_INT32);
  ASSERT_OK(berth_eager_call_op(context, op, "/cpu:0", &four, 1, &result,
                                &count, &err),
            &err);
  EXPECT_EQ(*(int32_t *)berth_tensor_data(result), 4);
  berth_tensor_release(result);
  berth_op_abandon(op);
  ASSERT_OK(berth_eager_copy(context, four, "CPU:0", &result, &err), &err);
  EXPECT_EQ(take_float(result), 4);
  float lent = 6;
  ASSERT_OK(berth_eager_wrap(context, "CPU:0", BERTH_FLOAT, BERTH_SCALAR, &lent,
                             sizeof(lent), NULL, NULL, &result, &err),
            &err);
  EXPECT_TRUE(berth_tensor_data(result) == &lent);
  EXPECT_EQ(take_float(result), 6);
  EXPECT_EQ(berth_eager_copy(context, four, "TPU:7", &result, &err),
            BERTH_INVALID_ARGUMENT);
  EXPECT_STR(berth_error_message(&err), "TPU:7 unknown device.");
  berth_error_clear(&err);
  berth_tensor_release(four);
  berth_context_destroy(context);
}

// What the slope of a call of the program's own is: three times the other.
static berth_code_t triple(void *arg, int64_t token,
                           const berth_tape_slope_t *dy, int dy_count,
                           berth_tape_slope_t *dx, int dx_count,
                           berth_error_t *err) {
  EXPECT_EQ(token, 7);
  EXPECT_EQ(dy_count, 1);
  EXPECT_EQ(dx_count, 1);
  const float value = 3 * *(const float *)berth_tensor_data(dy->values);
  (void)arg;
  return berth_tensor_copy_from(BERTH_FLOAT, BERTH_SCALAR, &value, &dx->values,
                                err);
}

// y = x * x, z = a function of the program's own of y: dz/dx = 3 * 2 * x.
TEST(surface, tapes) {
  static const float value = 4;
  berth_error_t err = BERTH_ERROR_INIT;
  berth_context_t *context = NULL;
  berth_tape_t *tape = NULL;
  berth_tensor_t *x = NULL, *y = NULL, *z = NULL;
  int count = 1;
  bool is_noted = false;
  ASSERT_OK(berth_context_create(NULL, &context, &err), &err);
  ASSERT_OK(berth_tape_create(context, &tape, &err), &err);
  ASSERT_OK(berth_tensor_copy_from(BERTH_FLOAT, BERTH_SCALAR, &value, &x, &err),
            &err);
  ASSERT_OK(berth_tensor_copy_from(BERTH_FLOAT, BERTH_SCALAR, &value, &z, &err),
            &err);
  ASSERT_OK(berth_tape_watch(tape, x, &err), &err);
  berth_tensor_t *twice[] = {x, x};
  ASSERT_OK(berth_tape_call(context, &tape, 1, "Mul", NULL, NULL, twice, 2, &y,
                            &count, &err),
            &err);
  ASSERT_OK(berth_tape_note(tape, 7, &y, 1, &z, 1, &is_noted, &err), &err);
  EXPECT_TRUE(is_noted);
  berth_tape_slope_t slope = {NULL, NULL, NULL};
  berth_tape_wish_t wish = {.ys = &z,
                            .y_count = 1,
                            .xs = &x,
                            .x_count = 1,
                            .slopes = &slope,
                            .slopes_fn = triple};
  ASSERT_OK(berth_tape_gradient(tape, &wish, &err), &err);
  EXPECT_EQ(take_float(slope.values), 24);
  berth_tape_destroy(tape);
  berth_tensor_release(x);
  berth_tensor_release(y);
  berth_tensor_release(z);
  berth_context_destroy(context);
}

TEST(surface, sessions_of_contexts) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_context_t *context = NULL;
  berth_session_t *session = NULL;
  berth_tensor_t *result = NULL;
  berth_graph_t *graph = berth_graph_create();
  berth_out_t four = berth_const_f32(graph, "four", (float[]){4}, BERTH_SCALAR);
  ASSERT_OK(berth_context_create(NULL, &context, &err), &err);
  ASSERT_OK(berth_context_session(context, graph, &session, &err), &err);
  ASSERT_OK(berth_session_prefer_device(session, "CPU:0", &err), &err);
  ASSERT_OK(berth_session_pin(session, four.node, "CPU:0", &err), &err);
  ASSERT_OK(berth_session_run(session, NULL, 0, &four, 1, &result, &err), &err);
  EXPECT_EQ(take_float(result), 4);
  ASSERT_OK(berth_context_add_function(context, "f", graph, &err), &err);
  berth_context_remove_function(context, "f");
  berth_session_destroy(session);
  berth_context_destroy(context);
  berth_graph_release(graph);
}

static void count_line(berth_log_level_t level, const char *file, int line,
                       const char *text, void *arg) {
  (void)level;
  (void)file;
  (void)line;
  (void)text;
  ++*(int *)arg;
}

TEST(surface, log_lines) {
  int lines = 0;
  berth_config_t config = BERTH_CONFIG_INIT;
  config.log_device_placement = true;
  config.log_style = BERTH_STYLE_TF2;
  unsetenv("BERTH_PLACEMENT_LOG");
  unsetenv("TF_CPP_MIN_LOG_LEVEL");
  berth_log_set_callback(count_line, &lines);
  doubler_t doubler;
  make_doubler(&doubler, &config);
  EXPECT_EQ(lines, 1);
  clear_doubler(&doubler);
  berth_log_set_callback(NULL, NULL);
}
