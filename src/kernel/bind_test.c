// bind_test.c - What nodes own in a session.
#include "kernel/bind.h"

#include "base/fault.h"
#include "harness.h"
#include "op/op_testing.h"
#include "state/counter.h"
#include "state/generator.h"
#include "state/queue.h"

static berth_container_t *container = NULL;

// Binds a node of |given| called |name|; NULL when it owns nothing, or fails.
static berth_resource_t *bind(op_case_t *given, const char *name,
                              berth_error_t *err) {
  berth_resource_t *resource = NULL;
  if (container == NULL) {
    EXPECT_EQ(berth_container_create(&container, err), BERTH_OK);
  }
  op_case_make(given);
  given->node.name = name;
  berth_code_t code = berth_bind(&given->node, container, &resource, err);
  EXPECT_EQ(code, err->code);
  return resource;
}

static void release(berth_resource_t *resource) {
  if (resource != NULL) berth_resource_release(resource);
}

// Expects that two nodes of |given| with these names own the same, or not.
static void expect_shared(op_case_t *given, const char *a, const char *b,
                          bool are_same) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_resource_t *first = bind(given, a, &err);
  berth_resource_t *second = bind(given, b, &err);
  EXPECT_TRUE(first != NULL && second != NULL);
  EXPECT_EQ(first == second, are_same);
  release(first);
  release(second);
}

static void done(op_case_t *given) {
  op_case_deinit(given);
  berth_container_destroy(container);
  container = NULL;
}

// ---- Variables ----

TEST(bind, finds_references_by_their_nodes_names) {
  op_case_t given = {.op = "VariableV2"};
  op_case_type(&given, "dtype", BERTH_FLOAT);
  expect_shared(&given, "v", "v", true);
  expect_shared(&given, "v", "w", false);
  done(&given);
}

TEST(bind, finds_by_shared_name_and_container) {
  op_case_t given = {.op = "VariableV2"};
  berth_error_t err = BERTH_ERROR_INIT;
  op_case_type(&given, "dtype", BERTH_FLOAT);
  op_case_text(&given, "shared_name", "both");
  expect_shared(&given, "v", "w", true);
  berth_resource_t *first = bind(&given, "v", &err);
  op_case_text(&given, "container", "elsewhere");
  berth_resource_t *second = bind(&given, "v", &err);
  EXPECT_TRUE(second != NULL && first != second);
  release(first);
  release(second);
  done(&given);
}

TEST(bind, keeps_the_shape_that_a_reference_declares) {
  op_case_t given = {.op = "VariableV2"};
  berth_error_t err = BERTH_ERROR_INIT;
  const int64_t dims[] = {2, 3};
  op_case_type(&given, "dtype", BERTH_FLOAT);
  op_case_attr(&given, "shape", BERTH_ATTR_SHAPE)->shape =
      (berth_dims_t){2, dims};
  berth_resource_t *resource = bind(&given, "v", &err);
  ASSERT_TRUE(resource != NULL);
  berth_variable_t *variable = (berth_variable_t *)resource;
  EXPECT_EQ(berth_variable_dtype(variable), BERTH_FLOAT);
  EXPECT_TRUE(
      berth_dims_equal(berth_variable_declared(variable), BERTH_SHAPE(2, 3)));
  EXPECT_TRUE(berth_container_is_marked(container));
  release(resource);
  done(&given);
}

// A handle's node has no say, even where the shared name is empty; nor does it
// make a container of TensorFlow's.
TEST(bind, finds_handles_by_their_shared_name_alone) {
  op_case_t given = {.op = "VarHandleOp"};
  op_case_type(&given, "dtype", BERTH_FLOAT);
  expect_shared(&given, "v", "w", true);
  op_case_text(&given, "shared_name", "x");
  expect_shared(&given, "v", "w", true);
  EXPECT_FALSE(berth_container_is_marked(container));
  done(&given);
}

// Reading and assigning tell that the types differ, as in TensorFlow.
TEST(bind, a_variable_keeps_the_type_it_was_made_with) {
  op_case_t given = {.op = "VarHandleOp"};
  berth_error_t err = BERTH_ERROR_INIT;
  op_case_type(&given, "dtype", BERTH_FLOAT);
  op_case_text(&given, "shared_name", "x");
  berth_resource_t *first = bind(&given, "v", &err);
  given.attrs[0].value.type = BERTH_INT32;
  berth_resource_t *second = bind(&given, "v", &err);
  ASSERT_TRUE(first != NULL && first == second);
  EXPECT_EQ(berth_variable_dtype((berth_variable_t *)second), BERTH_FLOAT);
  release(first);
  release(second);
  done(&given);
}

TEST(bind, leaves_anonymous_variables_to_their_runs) {
  op_case_t given = {.op = "VarHandleOp"};
  berth_error_t err = BERTH_ERROR_INIT;
  op_case_type(&given, "dtype", BERTH_FLOAT);
  op_case_text(&given, "shared_name", BERTH_ANONYMOUS);
  EXPECT_TRUE(bind(&given, "v", &err) == NULL);
  EXPECT_EQ(err.code, BERTH_OK);
  done(&given);
}

// ---- Queues ----

static const berth_dtype_t queue_types[] = {BERTH_FLOAT, BERTH_STRING};

static void queue_given(op_case_t *given, int64_t capacity) {
  *given = (op_case_t){.op = "FIFOQueueV2"};
  berth_attr_value_t *types = op_case_attr(
      given, "component_types",
      (berth_attr_kind_t)((int)BERTH_ATTR_LIST + (int)BERTH_ATTR_TYPE));
  types->count = 2;
  types->type_list = queue_types;
  op_case_int(given, "capacity", capacity);
}

TEST(bind, makes_queues_as_their_nodes_say) {
  op_case_t given;
  berth_error_t err = BERTH_ERROR_INIT;
  queue_given(&given, 4);
  berth_resource_t *resource = bind(&given, "q", &err);
  ASSERT_TRUE(resource != NULL);
  berth_queue_t *queue = (berth_queue_t *)resource;
  EXPECT_EQ(berth_queue_component_count(queue), 2);
  EXPECT_EQ(berth_queue_types(queue)[1], BERTH_STRING);
  // The name is the node's, and messages tell it apart from one that was given.
  EXPECT_TRUE(strcmp(berth_queue_name(queue), "q") != 0);
  EXPECT_TRUE(strstr(berth_queue_name(queue), "q") != NULL);
  release(resource);
  op_case_text(&given, "shared_name", "q2");
  resource = bind(&given, "q", &err);
  ASSERT_TRUE(resource != NULL);
  EXPECT_STR(berth_queue_name((berth_queue_t *)resource), "q2");
  release(resource);
  EXPECT_TRUE(berth_container_is_marked(container));
  done(&given);
}

TEST(bind, refuses_a_queue_with_other_options) {
  op_case_t given;
  berth_error_t err = BERTH_ERROR_INIT;
  queue_given(&given, 4);
  op_case_text(&given, "shared_name", "q");
  berth_resource_t *resource = bind(&given, "a", &err);
  op_case_deinit(&given);
  queue_given(&given, 5);
  op_case_text(&given, "shared_name", "q");
  EXPECT_TRUE(bind(&given, "b", &err) == NULL);
  EXPECT_EQ(err.code, BERTH_INVALID_ARGUMENT);
  berth_error_clear(&err);
  release(resource);
  done(&given);
}

TEST(bind, refuses_a_queue_with_shapes_for_some_components) {
  op_case_t given;
  berth_error_t err = BERTH_ERROR_INIT;
  const berth_dims_t shapes[] = {BERTH_SHAPE(2)};
  queue_given(&given, 4);
  berth_attr_value_t *value = op_case_attr(
      &given, "shapes",
      (berth_attr_kind_t)((int)BERTH_ATTR_LIST + (int)BERTH_ATTR_SHAPE));
  value->count = 1;
  value->shape_list = shapes;
  EXPECT_TRUE(bind(&given, "q", &err) == NULL);
  EXPECT_EQ(err.code, BERTH_INVALID_ARGUMENT);
  berth_error_clear(&err);
  done(&given);
}

// ---- The rest ----

TEST(bind, gives_each_node_a_sequence_of_its_seeds) {
  op_case_t given = {.op = "RandomUniform"};
  berth_error_t err = BERTH_ERROR_INIT;
  op_case_int(&given, "seed", 7);
  expect_shared(&given, "r", "r", true);
  expect_shared(&given, "r", "s", false);
  berth_resource_t *a = bind(&given, "a", &err), *b = bind(&given, "b", &err);
  ASSERT_TRUE(a != NULL && b != NULL);
  berth_philox_t from_a = berth_generator_reserve((berth_generator_t *)a, 1);
  berth_philox_t from_b = berth_generator_reserve((berth_generator_t *)b, 1);
  EXPECT_TRUE(memcmp(&from_a, &from_b, sizeof(from_a)) == 0);
  release(a);
  release(b);
  done(&given);
}

// Two nodes that count, and one that is bound twice, count by themselves.
TEST(bind, gives_each_a_counter) {
  op_case_t given = {.op = "Print"};
  berth_error_t err = BERTH_ERROR_INIT;
  expect_shared(&given, "p", "p", false);
  berth_resource_t *resource = bind(&given, "p", &err);
  ASSERT_TRUE(resource != NULL);
  EXPECT_EQ(berth_counter_next((berth_counter_t *)resource), 0);
  release(resource);
  done(&given);
}

TEST(bind, most_ops_own_nothing) {
  op_case_t given = {.op = "MatMul"};
  berth_error_t err = BERTH_ERROR_INIT;
  EXPECT_TRUE(bind(&given, "m", &err) == NULL);
  EXPECT_EQ(err.code, BERTH_OK);
  done(&given);
}

TEST(bind, survives_every_failed_allocation) {
  static const char *const ops[] = {"VariableV2", "VarHandleOp", "FIFOQueueV2",
                                    "RandomUniform", "Print"};
  for (size_t i = 0; i < sizeof(ops) / sizeof(ops[0]); ++i) {
    const int64_t dims[] = {2, 3};
    berth_resource_t *resource = NULL;
    for (int64_t nth = 1; resource == NULL && nth < 50; ++nth) {
      op_case_t given;
      berth_error_t err = BERTH_ERROR_INIT;
      queue_given(&given, 4);
      given.op = ops[i];
      op_case_type(&given, "dtype", BERTH_FLOAT);
      op_case_attr(&given, "shape", BERTH_ATTR_SHAPE)->shape =
          (berth_dims_t){2, dims};
      ASSERT_OK(berth_container_create(&container, &err), &err);
      berth_fault_arm("alloc", nth);
      resource = bind(&given, "n", &err);
      berth_fault_disarm();
      EXPECT_TRUE(resource != NULL || err.code == BERTH_RESOURCE_EXHAUSTED);
      berth_error_clear(&err);
      if (resource != NULL) release(resource);
      done(&given);
    }
    EXPECT_TRUE(resource != NULL);
  }
}
