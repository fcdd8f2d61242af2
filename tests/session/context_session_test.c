// context_session_test.c - Graphs that run with what an eager context has.
#include "stage_testing.h"

static void stage_init(stage_t *stage) {
  *stage = (stage_t){.graph = berth_graph_create()};
  berth_config_t config = BERTH_CONFIG_INIT;
  config.allow_soft_placement = true;
  config.cpu_count = 2;
  ASSERT_OK(berth_context_create(&config, &stage->context, &stage->err),
            &stage->err);
}

// Makes a variable of the context with value |value| and returns its handle.
static berth_tensor_t *variable_make(stage_t *stage, float value) {
  berth_op_t *op = berth_op_begin(NULL, "VarHandleOp", NULL);
  berth_op_attr_type(op, "dtype", BERTH_FLOAT);
  berth_op_attr_shape(op, "shape", BERTH_SCALAR);
  berth_op_attr_string(op, "shared_name", "v", 1);
  berth_tensor_t *handle = NULL, *first = scalar(value);
  int count = 1;
  if (berth_eager_call_op(stage->context, op, NULL, NULL, 0, &handle, &count,
                          &stage->err) != BERTH_OK) {
    HARNESS_FAIL("no handle: %s", berth_error_message(&stage->err));
  }
  berth_op_abandon(op);
  berth_tensor_t *inputs[] = {handle, first};
  count = 0;
  if (berth_eager_call(stage->context, "AssignVariableOp", NULL, inputs, 2,
                       NULL, &count, &stage->err) != BERTH_OK) {
    HARNESS_FAIL("no variable: %s", berth_error_message(&stage->err));
  }
  berth_tensor_release(first);
  return handle;
}

static float variable_read(stage_t *stage, berth_tensor_t *handle) {
  berth_op_t *op = berth_op_begin(NULL, "ReadVariableOp", NULL);
  berth_op_attr_type(op, "dtype", BERTH_FLOAT);
  berth_tensor_t *value = NULL;
  int count = 1;
  berth_code_t code = berth_eager_call_op(stage->context, op, NULL, &handle, 1,
                                          &value, &count, &stage->err);
  berth_op_abandon(op);
  float found = code == BERTH_OK ? (float)element(value, 0) : -1;
  if (code == BERTH_OK) berth_tensor_release(value);
  return found;
}

TEST(context_session, changes_variables_of_eager_calls) {
  stage_t stage;
  stage_init(&stage);
  berth_out_t resource =
      berth_placeholder(stage.graph, "resource", BERTH_RESOURCE);
  berth_out_t by = hole(stage.graph, "by");
  berth_node_id_t add =
      berth_assign_add_variable_op(stage.graph, "add", resource, by);
  stage_open(&stage);
  berth_tensor_t *handle = variable_make(&stage, 1), *two = scalar(2);
  berth_out_t feeds[] = {resource, by};
  berth_callable_t *callable = NULL;
  ASSERT_OK(berth_callable_create(stage.session, feeds, 2, NULL, 0, &add, 1,
                                  &callable, &stage.err),
            &stage.err);
  berth_tensor_t *inputs[] = {handle, two};
  for (int i = 1; i <= 3; ++i) {
    ASSERT_OK(berth_callable_run(callable, inputs, NULL, &stage.err),
              &stage.err);
    EXPECT_EQ(variable_read(&stage, handle), (float)(1 + 2 * i));
  }
  berth_callable_destroy(callable);
  berth_tensor_release(handle);
  berth_tensor_release(two);
  stage_clear(&stage);
}

// The tensor that was fed comes out again, not a copy of it.
TEST(context_session, hands_feeds_on) {
  stage_t stage;
  stage_init(&stage);
  berth_out_t x = hole(stage.graph, "x");
  berth_out_t same = berth_identity(stage.graph, "same", x);
  stage_open(&stage);
  berth_tensor_t *fed = ramp(5), *result = NULL;
  berth_feed_t feed = {x, fed};
  ASSERT_OK(
      berth_session_run(stage.session, &feed, 1, &same, 1, &result, &stage.err),
      &stage.err);
  EXPECT_TRUE(berth_tensor_data(result) == berth_tensor_data(fed));
  berth_tensor_release(fed);
  EXPECT_EQ(element(result, 4), 4);
  berth_tensor_release(result);
  stage_clear(&stage);
}

static float draw(stage_t *stage, berth_session_t *session, berth_out_t out) {
  berth_tensor_t *result = NULL;
  if (berth_session_run(session, NULL, 0, &out, 1, &result, &stage->err) !=
      BERTH_OK) {
    HARNESS_FAIL("no number: %s", berth_error_message(&stage->err));
    return -1;
  }
  float value = (float)element(result, 0);
  berth_tensor_release(result);
  return value;
}

// Nodes of equal names draw from the same sequence within one session, and from
// its beginning in another.
TEST(context_session, has_random_sequences_of_its_own) {
  stage_t stage;
  stage_init(&stage);
  int32_t one = 1;
  berth_out_t shape = const_ints(stage.graph, "shape", &one, 1);
  berth_random_uniform_attrs_t attrs = BERTH_RANDOM_UNIFORM_ATTRS;
  attrs.seed = 7;
  berth_out_t number = berth_random_uniform_with(stage.graph, "number", shape,
                                                 BERTH_FLOAT, &attrs);
  stage_open(&stage);
  berth_session_t *second = NULL;
  ASSERT_OK(
      berth_context_session(stage.context, stage.graph, &second, &stage.err),
      &stage.err);
  float first = draw(&stage, stage.session, number);
  EXPECT_TRUE(draw(&stage, stage.session, number) != first);
  EXPECT_EQ(draw(&stage, second, number), first);
  berth_session_destroy(second);
  stage_clear(&stage);
}

static const char *device_of(stage_t *stage, berth_out_t out) {
  berth_node_placement_t place = {0};
  EXPECT_EQ(
      berth_session_placement(stage->session, out.node, &place, &stage->err),
      BERTH_OK);
  return place.device;
}

TEST(context_session, puts_nodes_where_they_are_pinned) {
  stage_t stage;
  stage_init(&stage);
  berth_out_t x = hole(stage.graph, "x");
  berth_device_push(stage.graph, "/cpu:0");
  berth_out_t bound = berth_neg(stage.graph, "bound", x);
  berth_device_pop(stage.graph);
  stage_open(&stage);
  EXPECT_FAILS(berth_session_pin(stage.session, 7, "CPU:1", &stage.err),
               BERTH_NOT_FOUND, &stage.err, "there is no node 7");
  ASSERT_OK(berth_session_pin(stage.session, bound.node, "CPU:1", &stage.err),
            &stage.err);
  EXPECT_STR(device_of(&stage, bound),
             "/job:localhost/replica:0/task:0/device:CPU:1");
  stage_clear(&stage);
}

TEST(context_session, puts_nodes_on_the_device_it_prefers) {
  stage_t stage;
  stage_init(&stage);
  berth_out_t x = hole(stage.graph, "x");
  berth_out_t free_node = berth_neg(stage.graph, "free", x);
  berth_device_push(stage.graph, "/cpu:0");
  berth_out_t bound = berth_neg(stage.graph, "bound", x);
  berth_device_pop(stage.graph);
  stage_open(&stage);
  EXPECT_FAILS(berth_session_prefer_device(stage.session, "CPU:7", &stage.err),
               BERTH_INVALID_ARGUMENT, &stage.err, "CPU:7 unknown device.");
  ASSERT_OK(berth_session_prefer_device(stage.session, "CPU:1", &stage.err),
            &stage.err);
  EXPECT_STR(device_of(&stage, free_node),
             "/job:localhost/replica:0/task:0/device:CPU:1");
  EXPECT_STR(device_of(&stage, bound),
             "/job:localhost/replica:0/task:0/device:CPU:0");
  stage_clear(&stage);
}
