// scope_test.c - Names, devices, colocation and control inputs of new nodes.
//
// The cases are those of TensorFlow's own runs: names of ops and scopes, nested
// device scopes, device functions, control dependencies.
#include "graph/scope.h"

#include "harness.h"

static berth_node_id_t no_op(berth_graph_t *graph, const char *name) {
  return berth_op_finish(berth_op_begin(graph, "NoOp", name));
}

static void expect_name(berth_graph_t *graph, const char *name,
                        const char *expected) {
  berth_node_id_t node = no_op(graph, name);
  ASSERT_TRUE(node >= 0);
  EXPECT_STR(berth_node_name(graph, node), expected);
}

// ---- Names ----

TEST(scope, names_are_unique_without_regard_to_case) {
  berth_graph_t *g = berth_graph_create();
  expect_name(g, NULL, "NoOp");
  expect_name(g, NULL, "NoOp_1");
  expect_name(g, "a", "a");
  expect_name(g, "a", "a_1");
  expect_name(g, "a", "a_2");
  expect_name(g, "A", "A_3");
  expect_name(g, "a_1", "a_1_1");
  expect_name(g, "a", "a_4");
  berth_error_t err = BERTH_ERROR_INIT;
  char *name = NULL;
  ASSERT_OK(berth_graph_unique_name(g, "a", true, &name, &err), &err);
  EXPECT_STR(name, "a_5");
  berth_text_free(name);
  ASSERT_OK(berth_graph_unique_name(g, "a", false, &name, &err), &err);
  EXPECT_STR(name, "a_6");
  berth_text_free(name);
  expect_name(g, "a", "a_6");
  berth_graph_release(g);
}

TEST(scope, scopes_nest_and_are_unique) {
  berth_graph_t *g = berth_graph_create();
  berth_scope_push(g, "s");
  expect_name(g, "Const", "s/Const");
  expect_name(g, "add", "s/add");
  berth_scope_push(g, "t");
  expect_name(g, "add", "s/t/add");
  berth_scope_pop(g);
  expect_name(g, "add", "s/add_1");
  berth_scope_pop(g);
  berth_scope_push(g, "s");
  expect_name(g, "Const", "s_1/Const");
  berth_scope_pop(g);
  // A scope again, by its full name.
  berth_scope_push(g, "s/");
  expect_name(g, "Const", "s/Const_1");
  berth_scope_pop(g);
  berth_scope_push(g, "u");
  berth_scope_push(g, NULL);
  expect_name(g, "Const", "Const");
  berth_scope_pop(g);
  // A name that ends in a slash is used as it is.
  expect_name(g, "u/x/", "u/x");
  berth_scope_pop(g);
  berth_graph_release(g);
}

static void expect_bad_scope(const char *outer, const char *name,
                             const char *expected) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_graph_t *g = berth_graph_create();
  if (outer != NULL) berth_scope_push(g, outer);
  berth_scope_push(g, name);
  if (expected == NULL) {
    EXPECT_EQ(berth_graph_error(g, &err), BERTH_OK);
  } else {
    EXPECT_FAILS(berth_graph_error(g, &err), BERTH_INVALID_ARGUMENT, &err,
                 expected);
  }
  berth_scope_pop(g);
  berth_graph_release(g);
}

TEST(scope, bad_scope_names_are_refused) {
  expect_bad_scope(NULL, "a b",
                   "'a b' is not a valid root scope name. A root scope name "
                   "has to match the following pattern: "
                   "^[A-Za-z0-9.][A-Za-z0-9_.\\\\/>-]*$");
  expect_bad_scope(NULL, "_s",
                   "'_s' is not a valid root scope name. A root scope name has "
                   "to match the following pattern: "
                   "^[A-Za-z0-9.][A-Za-z0-9_.\\\\/>-]*$");
  expect_bad_scope("o", "_s", NULL);
  expect_bad_scope("o", "s:1",
                   "'s:1' is not a valid scope name. A scope name has to match "
                   "the following pattern: ^[A-Za-z0-9_.\\\\/>-]*$");
}

TEST(scope, names_of_nodes_that_were_not_asked_for_count) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_graph_t *g = berth_graph_create();
  berth_node_spec_t spec = {.op = "NoOp", .name = "Imported"};
  int32_t id = -1;
  berth_graph_lock(g);
  berth_code_t code = berth_graph_add(g, &spec, &id, &err);
  berth_graph_unlock(g);
  ASSERT_OK(code, &err);
  expect_name(g, "imported", "imported_1");
  EXPECT_EQ(berth_op_finish(berth_op_begin_exact(g, "NoOp", "Imported")),
            BERTH_NO_NODE);
  EXPECT_FAILS(berth_graph_error(g, &err), BERTH_INVALID_ARGUMENT, &err,
               "Duplicate node name in graph: 'Imported'");
  berth_graph_release(g);
}

// ---- Devices ----

static const char *answer(berth_graph_t *graph, const char *op,
                          const char *name, void *arg) {
  (void)op;
  // A function may look at the graph it is asked by.
  EXPECT_EQ(berth_graph_find(graph, name), BERTH_NO_NODE);
  return arg;
}

// Pushes |count| scopes, outermost first, and returns the device of a node. A
// scope that begins with "fn:" is a function that gives what follows.
static void expect_device(const char *const *scopes, int count,
                          const char *expected) {
  berth_graph_t *g = berth_graph_create();
  for (int i = 0; i < count; ++i) {
    if (scopes[i] != NULL && strncmp(scopes[i], "fn:", 3) == 0) {
      berth_device_push_function(g, answer, (void *)(uintptr_t)(scopes[i] + 3));
    } else {
      berth_device_push(g, scopes[i]);
    }
  }
  for (int twice = 0; twice < 2; ++twice) {
    berth_node_id_t node = no_op(g, NULL);
    ASSERT_TRUE(node >= 0);
    EXPECT_STR(berth_node_device(g, node), expected);
  }
  for (int i = 0; i < count; ++i) berth_device_pop(g);
  EXPECT_STR(berth_node_device(g, no_op(g, NULL)), "");
  berth_graph_release(g);
}

#define EXPECT_DEVICE(expected, ...)                                  \
  expect_device((const char *const[]){__VA_ARGS__},                   \
                BERTH_COUNT_OF(((const char *const[]){__VA_ARGS__})), \
                expected)

TEST(scope, devices_merge_part_by_part) {
  EXPECT_DEVICE("/job:foo/device:GPU:1", "/job:foo", "/gpu:1");
  EXPECT_DEVICE("/device:CPU:1", "/gpu:1", "/cpu");
  EXPECT_DEVICE("/device:CPU:0", "/gpu:1", "/cpu:0");
  EXPECT_DEVICE("", "/cpu:0", "/gpu:1", NULL);
  EXPECT_DEVICE("/device:GPU:1", "/cpu:0", NULL, "/gpu:1");
  EXPECT_DEVICE("/task:1", "/job:a", NULL, "/task:1");
  EXPECT_DEVICE("/job:ps/device:CPU:0", "/device:GPU:0", "/job:worker",
                "/device:CPU:0", "/job:ps");
  EXPECT_DEVICE("/device:GPU:0", "/gpu:0", "");
  EXPECT_DEVICE("/device:GPU:0", "", "/gpu:0");
  EXPECT_DEVICE("/device:GPU:1", "/gpu:1", "/gpu:*");
  EXPECT_DEVICE("/device:CPU:1", "/gpu:1", "/device:CPU:*");
  EXPECT_DEVICE("/job:a/task:3/device:GPU:2", "/job:a/task:1/gpu:2", "/task:3");
}

TEST(scope, device_functions_replace_and_are_merged_into) {
  EXPECT_DEVICE("/job:a/device:GPU:5", "/job:a", "fn:/gpu:5");
  EXPECT_DEVICE("/gpu:5", "fn:/gpu:5", "/cpu:0");
  EXPECT_DEVICE("/gpu:5", "fn:/gpu:5", "/job:a");
  EXPECT_DEVICE("/device:CPU:0", "/cpu:0", "fn:");
  EXPECT_DEVICE("/device:CPU:1", "/gpu:1", "fn:/cpu");
  EXPECT_DEVICE("nonsense", "fn:nonsense");
}

TEST(scope, a_device_that_cannot_be_read_is_an_error) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_graph_t *g = berth_graph_create();
  berth_device_push(g, "/zzz:0:1");
  EXPECT_EQ(berth_graph_error(g, &err), BERTH_INVALID_ARGUMENT);
  EXPECT_TRUE(berth_error_message(&err)[0] != '\0');
  berth_device_pop(g);
  berth_error_clear(&err);
  berth_graph_release(g);
}

TEST(scope, an_op_may_name_its_device_itself) {
  berth_graph_t *g = berth_graph_create();
  berth_device_push(g, "/job:a/gpu:1");
  berth_op_t *op = berth_op_begin(g, "NoOp", NULL);
  berth_op_device(op, "/cpu:3");
  EXPECT_STR(berth_node_device(g, berth_op_finish(op)), "/cpu:3");
  berth_device_pop(g);
  berth_graph_release(g);
}

TEST(scope, a_node_may_ask_for_another_device_later) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_graph_t *g = berth_graph_create();
  berth_device_push(g, "/gpu:1");
  berth_node_id_t node = no_op(g, "n"), other = no_op(g, "other");
  berth_device_pop(g);
  ASSERT_OK(berth_node_set_device(g, node, "/cpu:2", &err), &err);
  EXPECT_STR(berth_node_device(g, node), "/cpu:2");
  EXPECT_STR(berth_node_device(g, other), "/device:GPU:1");
  ASSERT_OK(berth_node_set_device(g, node, "", &err), &err);
  EXPECT_STR(berth_node_device(g, node), "");
  berth_graph_release(g);
}

// ---- Colocation ----

static void expect_class(berth_graph_t *graph, berth_node_id_t node,
                         const char *expected) {
  const berth_attr_value_t *value =
      berth_node_attr(berth_graph_get(graph, node), "_class");
  if (expected == NULL) {
    EXPECT_TRUE(value == NULL);
    return;
  }
  ASSERT_TRUE(value != NULL);
  berth_str_t str = {0};
  berth_attr_print(value, &str);
  EXPECT_STR(berth_str_get(&str), expected);
  berth_str_clear(&str);
}

TEST(scope, colocation_lists_every_group_once_and_sorted) {
  berth_graph_t *g = berth_graph_create();
  berth_device_push(g, "/gpu:1");
  berth_node_id_t b = no_op(g, "b");
  berth_device_pop(g);
  berth_node_id_t a = no_op(g, "a");
  berth_device_push(g, "/cpu:0");
  berth_colocate_push(g, b);
  // The outer device is hidden; that of b counts.
  berth_node_id_t c = no_op(g, "c");
  expect_class(g, c, "[\"loc:@b\"]");
  EXPECT_STR(berth_node_device(g, c), "/device:GPU:1");
  berth_colocate_push(g, a);
  berth_colocate_push(g, c);
  berth_node_id_t d = no_op(g, "d");
  // c is in b's group.
  expect_class(g, d, "[\"loc:@a\", \"loc:@b\"]");
  EXPECT_STR(berth_node_device(g, d), "/device:GPU:1");
  berth_device_push(g, "/cpu:7");
  EXPECT_STR(berth_node_device(g, no_op(g, "e")), "/device:GPU:1");
  berth_device_pop(g);
  berth_colocate_pop(g);
  berth_colocate_pop(g);
  berth_colocate_pop(g);
  berth_node_id_t f = no_op(g, "f");
  expect_class(g, f, NULL);
  EXPECT_STR(berth_node_device(g, f), "/device:CPU:0");
  berth_graph_release(g);
}

TEST(scope, a_device_inside_colocation_counts_when_the_node_has_none) {
  berth_graph_t *g = berth_graph_create();
  berth_node_id_t a = no_op(g, "a");
  berth_colocate_push(g, a);
  berth_device_push(g, "/gpu:3");
  berth_node_id_t b = no_op(g, "b");
  EXPECT_STR(berth_node_device(g, b), "/device:GPU:3");
  expect_class(g, b, "[\"loc:@a\"]");
  berth_device_pop(g);
  berth_colocate_pop(g);
  berth_op_t *op = berth_op_begin(g, "NoOp", "c");
  berth_op_colocate(op, b);
  expect_class(g, berth_op_finish(op), "[\"loc:@a\"]");
  berth_graph_release(g);
}

// ---- Control inputs ----

static void expect_controls(berth_graph_t *graph, berth_node_id_t node,
                            const char *expected) {
  berth_str_t str = {0};
  for (int i = 0; i < berth_node_control_count(graph, node); ++i) {
    berth_str_printf(
        &str, "^%s ",
        berth_node_name(graph, berth_node_control(graph, node, i)));
  }
  EXPECT_STR(berth_str_get(&str), expected);
  berth_str_clear(&str);
}

static berth_node_id_t identity(berth_graph_t *graph, const char *name,
                                berth_node_id_t input) {
  berth_op_t *op = berth_op_begin(graph, "Identity", name);
  berth_op_input(op, (berth_out_t){input, 0});
  return berth_op_finish(op);
}

static berth_node_id_t constant(berth_graph_t *graph, const char *name) {
  float one = 1;
  return berth_const_f32(graph, name, &one, BERTH_SCALAR).node;
}

TEST(scope, control_inputs_are_added_where_nothing_implies_them) {
  berth_graph_t *g = berth_graph_create();
  berth_node_id_t v = constant(g, "v"), up = no_op(g, "up");
  berth_control_push(g, &up, 1);
  berth_node_id_t a = identity(g, "a", v);
  expect_controls(g, a, "^up ");
  berth_node_id_t b = constant(g, "b");
  expect_controls(g, b, "^up ");
  // a was built under the same group: what uses it waits already.
  expect_controls(g, identity(g, "a2", a), "");
  berth_control_push(g, &a, 1);
  expect_controls(g, no_op(g, "c"), "^up ^a ");
  // a is an input: no need to wait for it as well.
  expect_controls(g, identity(g, "a3", a), "");
  berth_control_pop(g);
  berth_control_push(g, NULL, 0);
  berth_node_id_t d = constant(g, "d");
  expect_controls(g, d, "");
  berth_control_pop(g);
  // d was built behind the wall, so it implies nothing.
  expect_controls(g, identity(g, "d2", d), "^up ");
  berth_control_pop(g);
  expect_controls(g, identity(g, "after", v), "");
  berth_graph_release(g);
}
