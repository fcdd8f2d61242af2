// bind_test.c - What nodes own in a session, and how they share it.
#include "kernel/bind.h"

#include "harness.h"
#include "op/op_testing.h"

// A node of |op| called |name| that owns something of |type|.
static const berth_node_t *node_of(op_case_t *given, const char *op,
                                   const char *name, const char *shared,
                                   berth_dtype_t type) {
  *given = (op_case_t){.op = op};
  op_case_type(given, "dtype", type);
  op_case_text(given, "shared_name", shared);
  op_case_output(given, BERTH_RESOURCE);
  (void)op_case_make(given);
  given->node.name = name;
  return &given->node;
}

TEST(bind, finds_again_what_it_has_made) {
  op_case_t given;
  berth_error_t err = BERTH_ERROR_INIT;
  berth_container_t *container = NULL;
  berth_resource_t *one = NULL, *two = NULL, *other = NULL;
  ASSERT_OK(berth_container_create(&container, &err), &err);
  const berth_node_t *node =
      node_of(&given, "VariableV2", "v", "", BERTH_FLOAT);
  ASSERT_OK(berth_bind(node, container, &one, &err), &err);
  ASSERT_OK(berth_bind(node, container, &two, &err), &err);
  EXPECT_TRUE(one != NULL && one == two);
  EXPECT_TRUE(berth_container_is_marked(container));
  node = node_of(&given, "VariableV2", "w", "", BERTH_FLOAT);
  ASSERT_OK(berth_bind(node, container, &other, &err), &err);
  EXPECT_TRUE(other != one);
  berth_resource_release(other);
  // A shared name is what counts where there is one.
  node = node_of(&given, "VariableV2", "w", "v", BERTH_FLOAT);
  ASSERT_OK(berth_bind(node, container, &other, &err), &err);
  EXPECT_TRUE(other == one);
  berth_resource_release(other);
  berth_resource_release(two);
  berth_resource_release(one);
  berth_container_destroy(container);
}

// A queue called |shared| that holds |capacity| floats.
static const berth_node_t *queue_of(op_case_t *given, const char *shared,
                                    int64_t capacity) {
  static const berth_dtype_t types[] = {BERTH_FLOAT};
  *given = (op_case_t){.op = "FIFOQueueV2"};
  berth_attr_value_t *list =
      op_case_attr(given, "component_types", BERTH_ATTR_TYPE | BERTH_ATTR_LIST);
  list->count = 1;
  list->type_list = types;
  op_case_int(given, "capacity", capacity);
  op_case_text(given, "shared_name", shared);
  op_case_output(given, BERTH_RESOURCE);
  return op_case_make(given)->node;
}

TEST(bind, refuses_what_is_something_else_by_name) {
  op_case_t given;
  berth_error_t err = BERTH_ERROR_INIT;
  berth_container_t *container = NULL;
  berth_resource_t *one = NULL, *two = NULL;
  ASSERT_OK(berth_container_create(&container, &err), &err);
  ASSERT_OK(berth_bind(queue_of(&given, "q", 2), container, &one, &err), &err);
  EXPECT_EQ(berth_bind(queue_of(&given, "q", 3), container, &two, &err),
            BERTH_INVALID_ARGUMENT);
  EXPECT_TRUE(two == NULL);
  berth_error_clear(&err);
  ASSERT_OK(berth_bind(queue_of(&given, "q", 2), container, &two, &err), &err);
  EXPECT_TRUE(one == two);
  berth_resource_release(two);
  berth_resource_release(one);
  berth_container_destroy(container);
}

TEST(bind, makes_no_handle_in_advance_for_nobody) {
  op_case_t given;
  berth_error_t err = BERTH_ERROR_INIT;
  berth_container_t *container = NULL;
  berth_resource_t *resource = NULL;
  ASSERT_OK(berth_container_create(&container, &err), &err);
  ASSERT_OK(berth_bind(node_of(&given, "VarHandleOp", "h", BERTH_ANONYMOUS,
                               BERTH_FLOAT),
                       container, &resource, &err),
            &err);
  EXPECT_TRUE(resource == NULL);
  ASSERT_OK(berth_bind(node_of(&given, "VarHandleOp", "h", "", BERTH_FLOAT),
                       container, &resource, &err),
            &err);
  EXPECT_TRUE(resource != NULL);
  // A handle alone makes no container.
  EXPECT_FALSE(berth_container_is_marked(container));
  berth_resource_release(resource);
  berth_container_destroy(container);
}

TEST(bind, gives_nothing_to_ops_that_own_nothing) {
  op_case_t given;
  berth_error_t err = BERTH_ERROR_INIT;
  berth_container_t *container = NULL;
  berth_resource_t *resource = NULL;
  ASSERT_OK(berth_container_create(&container, &err), &err);
  ASSERT_OK(berth_bind(node_of(&given, "Neg", "n", "", BERTH_FLOAT), container,
                       &resource, &err),
            &err);
  EXPECT_TRUE(resource == NULL);
  berth_container_destroy(container);
}
