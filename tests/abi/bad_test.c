// bad_test.c - What every public function does with what it must not be given.
//
// A stranger's program that makes mistakes: ids and indices out of range,
// negative counts, numbers that are no type or no level, NULL for what must be
// there. Each call answers with an error or with what its header promises, and
// touches nothing it does not own: the address sanitizer watches.
// bad_run_test.c has the functions that run graphs.
#include "harness.h"
// The harness defines main() and comes first.
#include <berth/berth.h>

#define REFUSED(expr) EXPECT_EQ((expr), BERTH_INVALID_ARGUMENT)

static const berth_node_id_t BAD_IDS[] = {-1,   -2,      INT32_MIN, 3,
                                          1024, 1 << 20, INT32_MAX};
enum { BAD_ID_COUNT = sizeof BAD_IDS / sizeof BAD_IDS[0] };

// Three nodes: a constant, a placeholder of a known shape, their sum, which
// waits for the constant.
static berth_graph_t *graph_make(void) {
  berth_graph_t *graph = berth_graph_create();
  berth_out_t c =
      berth_const_f32(graph, "c", (const float[]){1, 2}, BERTH_SHAPE(2));
  berth_placeholder_attrs_t attrs = BERTH_PLACEHOLDER_ATTRS;
  attrs.shape = BERTH_SHAPE(2);
  berth_out_t p = berth_placeholder_with(graph, "p", BERTH_FLOAT, &attrs);
  berth_control_push(graph, &c.node, 1);
  (void)berth_add_v2(graph, "sum", p, p);
  berth_control_pop(graph);
  EXPECT_EQ(berth_graph_error(graph, NULL), BERTH_OK);
  return graph;
}

static berth_tensor_t *tensor_make(void) {
  berth_tensor_t *tensor = NULL;
  EXPECT_EQ(berth_tensor_copy_from(BERTH_FLOAT, BERTH_SHAPE(2),
                                   (const float[]){1, 2}, &tensor, NULL),
            BERTH_OK);
  return tensor;
}

// ---- error.h, log.h, types.h ----

TEST(bad, errors_and_logs) {
  EXPECT_STR(berth_error_message(NULL), "");
  berth_error_clear(NULL);
  EXPECT_TRUE(berth_code_name((berth_code_t)-1) != NULL);
  EXPECT_TRUE(berth_code_name((berth_code_t)17) != NULL);
  EXPECT_TRUE(berth_code_name((berth_code_t)INT32_MAX) != NULL);
  berth_log_set_callback(NULL, NULL);
}

TEST(bad, types) {
  static const int numbers[] = {-1,  0,    34,        99,       100,
                                134, 1000, INT32_MAX, INT32_MIN};
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; ++i) {
    berth_dtype_t dtype = (berth_dtype_t)numbers[i];
    EXPECT_TRUE(berth_dtype_name(dtype) != NULL);
    EXPECT_EQ(berth_dtype_size(dtype), 0);
  }
  EXPECT_EQ(berth_dtype_find(NULL), BERTH_INVALID);
  EXPECT_EQ(berth_dtype_find(""), BERTH_INVALID);
  EXPECT_TRUE(berth_reason_name((berth_reason_t)-1) != NULL);
  EXPECT_TRUE(berth_reason_name(BERTH_REASON_COUNT) != NULL);
  EXPECT_TRUE(berth_reason_name((berth_reason_t)INT32_MAX) != NULL);
}

// ---- tensor.h ----

static const int64_t TEN_DIMS[] = {2, -1, 0, INT64_MAX, INT64_MIN, 2, 2, 2, 2};

static const berth_dims_t BAD_SHAPES[] = {
    {-1, NULL},    {-2, NULL},        {INT32_MIN, NULL},
    {1, NULL},     {INT32_MAX, NULL}, {255, NULL},
    {2, TEN_DIMS}, {1, TEN_DIMS + 3}, {1, TEN_DIMS + 4},
};
enum { BAD_SHAPE_COUNT = sizeof BAD_SHAPES / sizeof BAD_SHAPES[0] };

TEST(bad, making_tensors) {
  static const int types[] = {-1, 0, 34, 101, 1000, INT32_MIN, INT32_MAX};
  berth_tensor_t *tensor = NULL;
  float data[2] = {0};
  for (size_t i = 0; i < sizeof types / sizeof types[0]; ++i) {
    berth_dtype_t type = (berth_dtype_t)types[i];
    REFUSED(berth_tensor_create(type, BERTH_SCALAR, &tensor, NULL));
    REFUSED(berth_tensor_copy_from(type, BERTH_SCALAR, data, &tensor, NULL));
    REFUSED(berth_tensor_wrap(type, BERTH_SCALAR, data, 8, NULL, NULL, &tensor,
                              NULL));
  }
  for (int i = 0; i < BAD_SHAPE_COUNT; ++i) {
    berth_dims_t shape = BAD_SHAPES[i];
    REFUSED(berth_tensor_create(BERTH_FLOAT, shape, &tensor, NULL));
    REFUSED(berth_tensor_copy_from(BERTH_FLOAT, shape, data, &tensor, NULL));
    REFUSED(berth_tensor_wrap(BERTH_FLOAT, shape, data, 8, NULL, NULL, &tensor,
                              NULL));
  }
  REFUSED(berth_tensor_create(BERTH_FLOAT, BERTH_SCALAR, NULL, NULL));
  REFUSED(
      berth_tensor_copy_from(BERTH_FLOAT, BERTH_SCALAR, NULL, &tensor, NULL));
  REFUSED(berth_tensor_copy_from(BERTH_FLOAT, BERTH_SCALAR, data, NULL, NULL));
  REFUSED(berth_tensor_wrap(BERTH_FLOAT, BERTH_SCALAR, NULL, 4, NULL, NULL,
                            &tensor, NULL));
  REFUSED(berth_tensor_wrap(BERTH_FLOAT, BERTH_SCALAR, data, 3, NULL, NULL,
                            &tensor, NULL));
  REFUSED(berth_tensor_wrap(BERTH_FLOAT, BERTH_SCALAR, data, 4, NULL, NULL,
                            NULL, NULL));
  EXPECT_TRUE(tensor == NULL);
}

TEST(bad, tensors_that_are_none) {
  berth_tensor_t *tensor = NULL;
  char *text = NULL;
  void *bytes = NULL;
  size_t size = 0;
  berth_tensor_set_listed(NULL, 1);
  EXPECT_TRUE(berth_tensor_retain(NULL) == NULL);
  berth_tensor_release(NULL);
  EXPECT_FALSE(berth_tensor_is_exclusive(NULL));
  EXPECT_EQ(berth_tensor_dtype(NULL), BERTH_INVALID);
  EXPECT_EQ(berth_tensor_shape(NULL).rank, -1);
  EXPECT_EQ(berth_tensor_count(NULL), 0);
  EXPECT_EQ(berth_tensor_size(NULL), 0);
  EXPECT_TRUE(berth_tensor_data(NULL) == NULL);
  EXPECT_STR(berth_tensor_device(NULL), "");
  EXPECT_TRUE(berth_tensor_stream(NULL) == NULL);
  EXPECT_TRUE(berth_tensor_get_string(NULL, 0, &size) == NULL);
  REFUSED(berth_tensor_reshape(NULL, BERTH_SCALAR, &tensor, NULL));
  REFUSED(berth_tensor_to_host(NULL, &tensor, NULL));
  REFUSED(berth_tensor_to_host_polled(NULL, NULL, NULL, &tensor, NULL));
  REFUSED(berth_tensor_set_string(NULL, 0, "", 0, NULL));
  REFUSED(berth_tensor_print(NULL, stdout, NULL));
  REFUSED(berth_tensor_format(NULL, &text, NULL));
  REFUSED(berth_tensor_format_classic(NULL, &text, NULL));
  REFUSED(berth_tensor_load_npy(NULL, &tensor, NULL));
  REFUSED(berth_tensor_save_npy(NULL, "bad.npy", NULL));
  REFUSED(berth_tensor_from_proto(NULL, 4, &tensor, NULL));
  REFUSED(berth_tensor_to_proto(NULL, &bytes, &size, NULL));
  berth_text_free(NULL);
}

TEST(bad, tensors) {
  berth_tensor_t *tensor = tensor_make(), *other = NULL, *texts = NULL;
  void *bytes = NULL;
  size_t size = 0;
  berth_tensor_set_listed(tensor, -1);
  berth_tensor_set_listed(tensor, INT64_MIN);
  berth_tensor_set_listed(tensor, INT64_MAX);
  for (int i = 0; i < BAD_SHAPE_COUNT; ++i) {
    REFUSED(berth_tensor_reshape(tensor, BAD_SHAPES[i], &other, NULL));
  }
  REFUSED(berth_tensor_reshape(tensor, BERTH_SHAPE(3), &other, NULL));
  REFUSED(berth_tensor_reshape(tensor, BERTH_SHAPE(2), NULL, NULL));
  REFUSED(berth_tensor_to_host(tensor, NULL, NULL));
  REFUSED(berth_tensor_to_host_polled(tensor, NULL, NULL, NULL, NULL));
  REFUSED(berth_tensor_print(tensor, NULL, NULL));
  REFUSED(berth_tensor_format(tensor, NULL, NULL));
  REFUSED(berth_tensor_format_classic(tensor, NULL, NULL));
  REFUSED(berth_tensor_save_npy(tensor, NULL, NULL));
  REFUSED(berth_tensor_to_proto(tensor, NULL, &size, NULL));
  REFUSED(berth_tensor_to_proto(tensor, &bytes, NULL, NULL));
  REFUSED(berth_tensor_from_proto("", 0, NULL, NULL));
  REFUSED(berth_tensor_set_string(tensor, 0, "a", 1, NULL));
  EXPECT_TRUE(berth_tensor_get_string(tensor, 0, &size) == NULL);
  EXPECT_EQ(berth_tensor_create(BERTH_STRING, BERTH_SHAPE(2), &texts, NULL),
            BERTH_OK);
  static const int64_t indices[] = {-1, 2, INT64_MIN, INT64_MAX};
  for (int i = 0; i < 4; ++i) {
    REFUSED(berth_tensor_set_string(texts, indices[i], "a", 1, NULL));
    EXPECT_TRUE(berth_tensor_get_string(texts, indices[i], &size) == NULL);
  }
  REFUSED(berth_tensor_set_string(texts, 0, NULL, 1, NULL));
  EXPECT_EQ(berth_tensor_set_string(texts, 0, NULL, 0, NULL), BERTH_OK);
  EXPECT_TRUE(berth_tensor_get_string(texts, 0, NULL) != NULL);
  berth_tensor_release(texts);
  berth_tensor_release(tensor);
}

// ---- device.h ----

TEST(bad, device_names) {
  berth_device_spec_t spec = {0};
  char *text = NULL;
  EXPECT_FALSE(berth_device_name_check(NULL));
  REFUSED(berth_device_name_complete(NULL, "/cpu:0", &text, NULL));
  REFUSED(berth_device_name_complete("GPU:0", NULL, &text, NULL));
  REFUSED(berth_device_name_complete("GPU:0", "/cpu:0", NULL, NULL));
  REFUSED(berth_device_spec_parse(NULL, &spec, NULL));
  REFUSED(berth_device_spec_parse("/gpu:0", NULL, NULL));
  REFUSED(berth_device_spec_print(NULL, &text, NULL));
  REFUSED(berth_device_spec_print(&spec, NULL, NULL));
  berth_device_spec_merge(NULL, &spec);
  berth_device_spec_merge(&spec, NULL);
}

TEST(bad, devices) {
  static const int indices[] = {-1, 1000, INT32_MIN, INT32_MAX};
  static const char *const names[] = {NULL,     "",       "GPU:99",
                                      "CPU:-1", "/job:x", "nothing"};
  berth_device_info_t info;
  berth_memory_stats_t stats;
  berth_card_t card;
  berth_card_user_t user;
  uint64_t bytes = 0;
  int count = 0;
  REFUSED(berth_device_count(NULL, NULL));
  REFUSED(berth_device_query(0, NULL, NULL));
  REFUSED(berth_card_count(NULL, NULL));
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(berth_device_query(indices[i], &info, NULL), BERTH_OUT_OF_RANGE);
    EXPECT_EQ(berth_card_query(indices[i], &card, NULL), BERTH_OUT_OF_RANGE);
    EXPECT_EQ(berth_card_query_users(indices[i], &user, 1, &count, NULL),
              BERTH_OUT_OF_RANGE);
  }
  for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
    const char *name = names[i];
    EXPECT_TRUE(berth_device_memory_stats(name, &stats, NULL) != BERTH_OK);
    EXPECT_TRUE(berth_device_reset_memory_stats(name, NULL) != BERTH_OK);
    EXPECT_TRUE(berth_device_trim_memory(name, 0, &bytes, NULL) != BERTH_OK);
    EXPECT_TRUE(berth_device_set_memory_limit(name, 0, NULL) != BERTH_OK);
    EXPECT_TRUE(berth_device_set_memory_growth(name, true, NULL) != BERTH_OK);
    EXPECT_TRUE(berth_device_release_memory(name, NULL) != BERTH_OK);
    EXPECT_TRUE(berth_device_reset(name, NULL) != BERTH_OK);
    EXPECT_TRUE(berth_device_card(name, &count, NULL) != BERTH_OK);
  }
  REFUSED(berth_device_memory_stats("CPU:0", NULL, NULL));
  REFUSED(berth_device_card("CPU:0", NULL, NULL));
  REFUSED(berth_card_query(0, NULL, NULL));
  REFUSED(berth_card_query_users(0, NULL, 1, &count, NULL));
  REFUSED(berth_card_query_users(0, &user, -1, &count, NULL));
  REFUSED(berth_card_query_users(0, &user, 1, NULL, NULL));
  REFUSED(berth_card_shares(NULL, 1, &count, NULL));
  REFUSED(berth_card_shares(NULL, 0, NULL, NULL));
  char *report = NULL;
  REFUSED(
      berth_device_report_memory(NULL, 0, BERTH_REPORT_TEXT, &report, NULL));
  REFUSED(
      berth_device_report_memory("GPU:0", 0, BERTH_REPORT_TEXT, NULL, NULL));
  REFUSED(berth_memory_snapshot(NULL, NULL));
  REFUSED(berth_memory_keep_history(-1, NULL));
  berth_memory_budget_t budget = {0};
  REFUSED(berth_device_set_memory_budget(NULL, &budget, NULL));
  REFUSED(berth_device_set_memory_budget("GPU:0", NULL, NULL));
  REFUSED(berth_device_query_memory_budget(NULL, &budget, NULL));
  REFUSED(berth_device_query_memory_budget("GPU:0", NULL, NULL));
  EXPECT_TRUE(berth_card_problem() != NULL);
}

// ---- graph.h: scopes and building ----

TEST(bad, graphs_that_are_none) {
  berth_graph_t *none = NULL;
  berth_error_t err = BERTH_ERROR_INIT;
  berth_node_id_t id = 0;
  berth_out_t out = {0, 0};
  berth_shape_t shape;
  char *text = NULL;
  void *bytes = NULL;
  size_t size = 0;
  int first = 0, count = 0;
  EXPECT_TRUE(berth_graph_retain(none) == NULL);
  berth_graph_release(none);
  EXPECT_TRUE(berth_graph_error(none, &err) != BERTH_OK);
  berth_error_clear(&err);
  berth_scope_push(none, "a");
  berth_scope_pop(none);
  berth_device_push(none, "/cpu:0");
  berth_device_push_function(none, NULL, NULL);
  berth_device_pop(none);
  berth_colocate_push(none, 0);
  berth_colocate_pop(none);
  berth_control_push(none, &id, 1);
  berth_control_pop(none);
  REFUSED(berth_graph_unique_name(none, "a", true, &text, NULL));
  EXPECT_EQ(berth_op_finish(berth_op_begin(none, "NoOp", "n")), BERTH_NO_NODE);
  EXPECT_EQ(berth_const(none, "c", NULL).node, BERTH_NO_NODE);
  EXPECT_EQ(berth_const_f32(none, "c", NULL, BERTH_SHAPE(2)).node,
            BERTH_NO_NODE);
  EXPECT_EQ(berth_const_i32(none, "c", NULL, BERTH_SHAPE(2)).node,
            BERTH_NO_NODE);
  EXPECT_EQ(berth_graph_node_count(none), 0);
  EXPECT_EQ(berth_graph_find(none, "a"), BERTH_NO_NODE);
  REFUSED(berth_graph_find_out(none, "a:0", &out, NULL));
  EXPECT_TRUE(berth_node_name(none, 0) == NULL);
  EXPECT_TRUE(berth_node_op(none, 0) == NULL);
  EXPECT_TRUE(berth_node_device(none, 0) == NULL);
  EXPECT_EQ(berth_node_input_count(none, 0), 0);
  EXPECT_EQ(berth_node_input(none, 0, 0).node, BERTH_NO_NODE);
  EXPECT_EQ(berth_node_control_count(none, 0), 0);
  EXPECT_EQ(berth_node_control(none, 0, 0), BERTH_NO_NODE);
  EXPECT_EQ(berth_node_output_count(none, 0), 0);
  EXPECT_EQ(berth_out_dtype(none, out), BERTH_INVALID);
  REFUSED(berth_node_arg_range(none, 0, "x", false, &first, &count, NULL));
  EXPECT_EQ(berth_out_consumers(none, out, &out, 1), 0);
  EXPECT_EQ(berth_node_control_consumers(none, 0, &id, 1), 0);
  berth_out_shape(none, out, &shape);
  EXPECT_EQ(shape.rank, -1);
  REFUSED(berth_out_set_shape(none, out, BERTH_SCALAR, NULL));
  REFUSED(berth_node_set_device(none, 0, "/cpu:0", NULL));
  REFUSED(berth_graph_close_loop(none, 0, out, NULL));
  REFUSED(berth_gradients(none, &out, 1, &out, 1, NULL, NULL, NULL));
  EXPECT_EQ(berth_op_gradient(NULL), 0);
  REFUSED(berth_node_attr_proto(none, 0, "T", &bytes, &size, NULL));
  REFUSED(berth_graph_import(none, "", 0, NULL, NULL));
  REFUSED(berth_graph_import_text(none, "", 0, NULL, NULL));
  REFUSED(berth_graph_export(none, &bytes, &size, NULL));
  REFUSED(berth_graph_export_text(none, &text, NULL));
  REFUSED(berth_node_export(none, 0, &bytes, &size, NULL));
  REFUSED(berth_graph_add_functions(none, "", 0, NULL));
  EXPECT_EQ(berth_graph_function_count(none), 0);
  EXPECT_TRUE(berth_graph_function_name(none, 0) == NULL);
  REFUSED(berth_graph_function_export(none, "f", &bytes, &size, NULL));
}

TEST(bad, scopes) {
  for (int i = 0; i < BAD_ID_COUNT; ++i) {
    berth_graph_t *graph = graph_make();
    berth_colocate_push(graph, BAD_IDS[i]);
    EXPECT_EQ(
        berth_const_f32(graph, "x", (const float[]){1}, BERTH_SCALAR).node,
        BERTH_NO_NODE);
    EXPECT_EQ(berth_graph_error(graph, NULL), BERTH_INVALID_ARGUMENT);
    berth_colocate_pop(graph);
    berth_colocate_pop(graph);
    berth_graph_release(graph);
    graph = graph_make();
    berth_control_push(graph, &BAD_IDS[i], 1);
    EXPECT_EQ(
        berth_const_f32(graph, "x", (const float[]){1}, BERTH_SCALAR).node,
        BERTH_NO_NODE);
    EXPECT_EQ(berth_graph_error(graph, NULL), BERTH_INVALID_ARGUMENT);
    berth_control_pop(graph);
    berth_control_pop(graph);
    berth_graph_release(graph);
  }
  berth_graph_t *graph = graph_make();
  berth_scope_push(graph, NULL);
  berth_scope_pop(graph);
  berth_scope_pop(graph);
  berth_device_pop(graph);
  berth_control_push(graph, NULL, -1);
  berth_control_pop(graph);
  EXPECT_EQ(berth_graph_error(graph, NULL), BERTH_OK);
  char *text = NULL;
  REFUSED(berth_graph_unique_name(graph, NULL, false, &text, NULL));
  REFUSED(berth_graph_unique_name(graph, "a", false, NULL, NULL));
  berth_control_push(graph, &BAD_IDS[0], -5);
  EXPECT_EQ(berth_graph_error(graph, NULL), BERTH_INVALID_ARGUMENT);
  berth_graph_release(graph);
  graph = graph_make();
  berth_device_push_function(graph, NULL, NULL);
  EXPECT_EQ(berth_graph_error(graph, NULL), BERTH_INVALID_ARGUMENT);
  berth_device_pop(graph);
  berth_graph_release(graph);
}

// Finishes |op| and expects that it cannot be.
static void expect_no_op(berth_op_t *op) {
  berth_node_id_t node = BERTH_NO_NODE;
  EXPECT_EQ(berth_op_try_finish(op, &node, NULL), BERTH_INVALID_ARGUMENT);
  EXPECT_EQ(node, BERTH_NO_NODE);
}

TEST(bad, ops_with_bad_edges) {
  berth_graph_t *graph = graph_make();
  for (int i = 0; i < BAD_ID_COUNT; ++i) {
    berth_op_t *op = berth_op_begin(graph, "Identity", NULL);
    berth_op_input(op, (berth_out_t){BAD_IDS[i], 0});
    expect_no_op(op);
    op = berth_op_begin(graph, "NoOp", NULL);
    berth_op_control(op, BAD_IDS[i]);
    expect_no_op(op);
    op = berth_op_begin(graph, "NoOp", NULL);
    berth_op_colocate(op, BAD_IDS[i]);
    expect_no_op(op);
    op = berth_op_begin(graph, "Identity", NULL);
    int32_t index = BAD_IDS[i] == 0 ? 1 : BAD_IDS[i];
    berth_op_input(op, (berth_out_t){0, index});
    expect_no_op(op);
  }
  berth_op_t *op = berth_op_begin(graph, "AddN", NULL);
  berth_op_input_list(op, NULL, 2);
  expect_no_op(op);
  op = berth_op_begin(graph, "AddN", NULL);
  berth_op_input_list(op, &(berth_out_t){0, 0}, -1);
  expect_no_op(op);
  berth_graph_release(graph);
}

TEST(bad, ops_without_what_they_need) {
  berth_graph_t *graph = graph_make();
  expect_no_op(berth_op_begin(graph, NULL, NULL));
  expect_no_op(berth_op_begin(graph, NULL, "name"));
  expect_no_op(berth_op_begin_exact(graph, NULL, "name"));
  berth_op_t *op = berth_op_begin_exact(graph, "NoOp", NULL);
  berth_node_id_t node = BERTH_NO_NODE;
  EXPECT_EQ(berth_op_try_finish(op, &node, NULL), BERTH_OK);
  EXPECT_EQ(berth_op_try_finish(berth_op_begin(graph, "NoOp", "n"), NULL, NULL),
            BERTH_INVALID_ARGUMENT);
  op = berth_op_begin(graph, "NoOp", "m");
  berth_op_device(op, NULL);
  EXPECT_EQ(berth_op_try_finish(op, &node, NULL), BERTH_OK);
  berth_op_abandon(NULL);
  // Errors of graph building are kept; the rest of the graph stands.
  EXPECT_EQ(berth_op_finish(berth_op_begin(graph, NULL, NULL)), BERTH_NO_NODE);
  EXPECT_EQ(berth_graph_error(graph, NULL), BERTH_INVALID_ARGUMENT);
  berth_graph_release(graph);
}

TEST(bad, attributes) {
  berth_graph_t *graph = graph_make();
  static const int counts[] = {-1, INT32_MIN, 2};
  for (int i = 0; i < 3; ++i) {
    int count = counts[i];  // The last one with NULL for its values.
#define LIST_OF(function, type)                           \
  do {                                                    \
    static const type values[1] = {0};                    \
    berth_op_t *op = berth_op_begin(graph, "NoOp", NULL); \
    function(op, "_a", count < 0 ? values : NULL, count); \
    expect_no_op(op);                                     \
  } while (0)
    LIST_OF(berth_op_attr_ints, int64_t);
    LIST_OF(berth_op_attr_floats, float);
    LIST_OF(berth_op_attr_bools, bool);
    LIST_OF(berth_op_attr_types, berth_dtype_t);
#undef LIST_OF
    static const berth_dims_t shapes[1] = {{0, NULL}};
    berth_op_t *op = berth_op_begin(graph, "NoOp", NULL);
    berth_op_attr_shapes(op, "_a", count < 0 ? shapes : NULL, count);
    expect_no_op(op);
    static const char *const texts[1] = {"a"};
    op = berth_op_begin(graph, "NoOp", NULL);
    berth_op_attr_strings(op, "_a", count < 0 ? texts : NULL, NULL, count);
    expect_no_op(op);
  }
  berth_op_t *op = berth_op_begin(graph, "NoOp", NULL);
  berth_op_attr_strings(op, "_a", (const char *const[]){NULL}, NULL, 1);
  expect_no_op(op);
  op = berth_op_begin(graph, "NoOp", NULL);
  berth_op_attr_strings(op, "_a", (const char *const[]){NULL},
                        (const size_t[]){3}, 1);
  expect_no_op(op);
  op = berth_op_begin(graph, "NoOp", NULL);
  berth_op_attr_string(op, "_a", NULL, 3);
  expect_no_op(op);
  op = berth_op_begin(graph, "NoOp", NULL);
  berth_op_attr_tensor(op, "_a", NULL);
  expect_no_op(op);
  op = berth_op_begin(graph, "NoOp", NULL);
  berth_op_attr_func(op, "_a", NULL);
  expect_no_op(op);
  op = berth_op_begin(graph, "NoOp", NULL);
  berth_op_attr_proto(op, "_a", NULL, 7);
  expect_no_op(op);
  op = berth_op_begin(graph, "NoOp", NULL);
  berth_op_attr_int(op, NULL, 7);
  expect_no_op(op);
  op = berth_op_begin(graph, "NoOp", NULL);
  berth_op_attr_proto(op, NULL, "", 0);
  expect_no_op(op);
  static const int types[] = {-1,  0,    34,        99,       100,
                              134, 5000, INT32_MAX, INT32_MIN};
  for (size_t i = 0; i < sizeof types / sizeof types[0]; ++i) {
    op = berth_op_begin(graph, "Placeholder", NULL);
    berth_op_attr_type(op, "dtype", (berth_dtype_t)types[i]);
    expect_no_op(op);
  }
  static const berth_dims_t shapes[] = {
      {1, NULL}, {255, NULL}, {INT32_MAX, NULL}, {1, TEN_DIMS + 4}};
  for (int i = 0; i < 4; ++i) {
    op = berth_op_begin(graph, "Placeholder", NULL);
    berth_op_attr_type(op, "dtype", BERTH_FLOAT);
    berth_op_attr_shape(op, "shape", shapes[i]);
    expect_no_op(op);
    if (i == 3) continue;  // Nobody reads what nobody knows.
    op = berth_op_begin(graph, "NoOp", NULL);
    berth_op_attr_shapes(op, "_s", &shapes[i], 1);
    expect_no_op(op);
  }
  berth_graph_release(graph);
}

TEST(bad, constants) {
  for (int i = 0; i < BAD_SHAPE_COUNT; ++i) {
    berth_graph_t *graph = graph_make();
    EXPECT_EQ(
        berth_const_f32(graph, "x", (const float[]){1}, BAD_SHAPES[i]).node,
        BERTH_NO_NODE);
    EXPECT_TRUE(berth_graph_error(graph, NULL) != BERTH_OK);
    berth_graph_release(graph);
  }
  berth_graph_t *graph = graph_make();
  EXPECT_EQ(berth_const(graph, "x", NULL).node, BERTH_NO_NODE);
  EXPECT_EQ(berth_graph_error(graph, NULL), BERTH_INVALID_ARGUMENT);
  berth_graph_release(graph);
  graph = graph_make();
  EXPECT_EQ(berth_const_i32(graph, "x", NULL, BERTH_SHAPE(2)).node,
            BERTH_NO_NODE);
  EXPECT_EQ(berth_graph_error(graph, NULL), BERTH_INVALID_ARGUMENT);
  berth_graph_release(graph);
}

// ---- graph.h: looking at it ----

TEST(bad, nodes) {
  berth_graph_t *graph = graph_make();
  berth_out_t consumers[4];
  berth_node_id_t waiting[4];
  berth_shape_t shape;
  void *bytes = NULL;
  size_t size = 0;
  int first = 0, count = 0;
  for (int i = 0; i < BAD_ID_COUNT; ++i) {
    berth_node_id_t id = BAD_IDS[i];
    EXPECT_TRUE(berth_node_name(graph, id) == NULL);
    EXPECT_TRUE(berth_node_op(graph, id) == NULL);
    EXPECT_TRUE(berth_node_device(graph, id) == NULL);
    EXPECT_EQ(berth_node_input_count(graph, id), 0);
    EXPECT_EQ(berth_node_input(graph, id, 0).node, BERTH_NO_NODE);
    EXPECT_EQ(berth_node_input(graph, 2, id).node, BERTH_NO_NODE);
    EXPECT_EQ(berth_node_control_count(graph, id), 0);
    EXPECT_EQ(berth_node_control(graph, id, 0), BERTH_NO_NODE);
    EXPECT_EQ(berth_node_control(graph, 2, id), BERTH_NO_NODE);
    EXPECT_EQ(berth_node_output_count(graph, id), 0);
    REFUSED(berth_node_arg_range(graph, id, "x", false, &first, &count, NULL));
    EXPECT_EQ(berth_node_control_consumers(graph, id, waiting, 4), 0);
    REFUSED(berth_node_set_device(graph, id, "/cpu:0", NULL));
    REFUSED(berth_graph_close_loop(graph, id, (berth_out_t){0, 0}, NULL));
    REFUSED(berth_graph_close_loop(graph, 0, (berth_out_t){id, 0}, NULL));
    REFUSED(berth_node_attr_proto(graph, id, "T", &bytes, &size, NULL));
    REFUSED(berth_node_export(graph, id, &bytes, &size, NULL));
    const berth_out_t outs[] = {{id, 0}, {0, id}, {id, id}};
    for (int k = 0; k < 3; ++k) {
      EXPECT_EQ(berth_out_dtype(graph, outs[k]), BERTH_INVALID);
      EXPECT_EQ(berth_out_consumers(graph, outs[k], consumers, 4), 0);
      shape.rank = 7;
      berth_out_shape(graph, outs[k], &shape);
      EXPECT_EQ(shape.rank, -1);
      REFUSED(berth_out_set_shape(graph, outs[k], BERTH_SHAPE(2), NULL));
      EXPECT_EQ(berth_graph_function_name(graph, id), NULL);
    }
  }
  berth_graph_release(graph);
}

TEST(bad, looking_without_what_it_takes) {
  berth_graph_t *graph = graph_make();
  berth_out_t out = {0, 0};
  char *text = NULL;
  void *bytes = NULL;
  size_t size = 0;
  int first = 0, count = 0;
  EXPECT_EQ(berth_graph_find(graph, NULL), BERTH_NO_NODE);
  REFUSED(berth_graph_find_out(graph, NULL, &out, NULL));
  REFUSED(berth_graph_find_out(graph, "c:0", NULL, NULL));
  EXPECT_TRUE(berth_graph_find_out(graph, "c:99999999999999999999", &out,
                                   NULL) != BERTH_OK);
  EXPECT_TRUE(berth_graph_find_out(graph, "c:-1", &out, NULL) != BERTH_OK);
  REFUSED(berth_node_arg_range(graph, 0, NULL, true, &first, &count, NULL));
  REFUSED(berth_node_arg_range(graph, 2, "x", false, NULL, &count, NULL));
  REFUSED(berth_node_arg_range(graph, 2, "x", false, &first, NULL, NULL));
  // How many there are, with no room for them.
  EXPECT_EQ(berth_out_consumers(graph, (berth_out_t){1, 0}, NULL, 0), 2);
  EXPECT_EQ(berth_out_consumers(graph, (berth_out_t){1, 0}, NULL, 4), 2);
  EXPECT_EQ(berth_out_consumers(graph, (berth_out_t){1, 0}, &out, -4), 2);
  EXPECT_EQ(berth_node_control_consumers(graph, 0, NULL, 4), 1);
  EXPECT_EQ(berth_node_control_consumers(graph, 0, NULL, 400), 1);
  EXPECT_EQ(berth_node_control_consumers(graph, 0, NULL, -4), 1);
  berth_out_shape(graph, out, NULL);
  for (int i = 0; i < BAD_SHAPE_COUNT; ++i) {
    // What is not known at all contradicts nothing.
    if (BAD_SHAPES[i].rank < 0) continue;
    REFUSED(
        berth_out_set_shape(graph, (berth_out_t){1, 0}, BAD_SHAPES[i], NULL));
  }
  REFUSED(berth_node_set_device(graph, 0, NULL, NULL));
  REFUSED(berth_node_attr_proto(graph, 0, NULL, &bytes, &size, NULL));
  REFUSED(berth_node_attr_proto(graph, 0, "dtype", NULL, &size, NULL));
  REFUSED(berth_node_attr_proto(graph, 0, "dtype", &bytes, NULL, NULL));
  REFUSED(berth_graph_export(graph, NULL, &size, NULL));
  REFUSED(berth_graph_export(graph, &bytes, NULL, NULL));
  REFUSED(berth_graph_export_text(graph, NULL, NULL));
  REFUSED(berth_node_export(graph, 0, NULL, &size, NULL));
  REFUSED(berth_node_export(graph, 0, &bytes, NULL, NULL));
  REFUSED(berth_graph_function_export(graph, NULL, &bytes, &size, NULL));
  EXPECT_TRUE(berth_graph_function_export(graph, "f", &bytes, &size, NULL) !=
              BERTH_OK);
  EXPECT_EQ(berth_op_name(-1), NULL);
  EXPECT_EQ(berth_op_name(INT32_MIN), NULL);
  EXPECT_EQ(berth_op_name(INT32_MAX), NULL);
  EXPECT_EQ(berth_op_name(berth_op_count()), NULL);
  REFUSED(berth_op_schema_proto(NULL, &bytes, &size, NULL));
  REFUSED(berth_op_schema_proto("NoOp", NULL, &size, NULL));
  REFUSED(berth_op_schema_proto("NoOp", &bytes, NULL, NULL));
  REFUSED(berth_op_kernels_proto(NULL, &bytes, &size, NULL));
  REFUSED(berth_op_kernels_proto("NoOp", NULL, &size, NULL));
  REFUSED(berth_op_kernels_proto("NoOp", &bytes, NULL, NULL));
  EXPECT_FALSE(berth_op_has_kernel(NULL, "CPU"));
  EXPECT_FALSE(berth_op_has_kernel("NoOp", NULL));
  EXPECT_FALSE(berth_node_has_kernel(NULL, 0, "CPU", NULL));
  EXPECT_FALSE(berth_node_has_kernel(graph, -1, "CPU", NULL));
  EXPECT_FALSE(berth_node_has_kernel(graph, INT32_MAX, "CPU", NULL));
  EXPECT_FALSE(berth_node_has_kernel(graph, 0, NULL, NULL));
  (void)text;
  berth_graph_release(graph);
}

TEST(bad, imports) {
  berth_graph_t *graph = graph_make();
  static const char text[] = "node { name: 'n' op: 'NoOp' }";
  REFUSED(berth_graph_import(graph, NULL, 3, NULL, NULL));
  REFUSED(berth_graph_import_text(graph, NULL, 3, NULL, NULL));
  REFUSED(berth_graph_add_functions(graph, NULL, 3, NULL));
  static const char *const names[] = {"n:0"};
  static const berth_out_t outs[] = {{1 << 20, 0}};
  static const berth_node_id_t ids[] = {1 << 20};
  berth_out_t result;
  berth_node_id_t node;
  const berth_import_t bad[] = {
      {.input_count = -1},
      {.input_count = 1},
      {.input_count = 1, .input_names = names},
      {.input_count = 1, .input_outs = outs},
      {.input_count = 1, .input_names = names, .input_outs = outs},
      {.input_count = 1,
       .input_names = (const char *const[]){NULL},
       .input_outs = outs},
      {.control_count = -1},
      {.control_count = 1},
      {.control_count = 1, .controls = ids},
      {.return_count = -1},
      {.return_count = 1},
      {.return_count = 1, .return_names = names},
      {.return_count = 1, .return_outs = &result},
      {.return_count = 1,
       .return_outs = &result,
       .return_names = (const char *const[]){NULL}},
      {.return_node_count = -1},
      {.return_node_count = 1},
      {.return_node_count = 1, .return_node_names = names},
      {.return_node_count = 1, .return_nodes = &node},
      {.return_node_count = 1,
       .return_nodes = &node,
       .return_node_names = (const char *const[]){NULL}},
  };
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
    REFUSED(
        berth_graph_import_text(graph, text, sizeof text - 1, &bad[i], NULL));
    EXPECT_EQ(berth_graph_node_count(graph), 3);
  }
  berth_graph_release(graph);
}

TEST(bad, functions_of_graphs) {
  berth_graph_t *graph = berth_graph_create(), *body = graph_make();
  berth_out_t in = {1, 0}, out = {2, 0};
  static const char *const no_names[] = {NULL};
#define OF(name, b, inputs, input_count, outputs, names, output_count)     \
  REFUSED(berth_graph_add_function_of(graph, name, b, inputs, input_count, \
                                      outputs, names, output_count, NULL))
  OF(NULL, body, &in, 1, &out, NULL, 1);
  OF("f", NULL, &in, 1, &out, NULL, 1);
  OF("f", body, NULL, 1, &out, NULL, 1);
  OF("f", body, &in, -1, &out, NULL, 1);
  OF("f", body, &in, 1, NULL, NULL, 1);
  OF("f", body, &in, 1, &out, NULL, -1);
  OF("f", body, &in, 1, &out, no_names, 1);
  for (int i = 0; i < BAD_ID_COUNT; ++i) {
    berth_out_t bad[] = {{BAD_IDS[i], 0}, {0, BAD_IDS[i]}};
    for (int k = 0; k < 2; ++k) {
      OF("f", body, &bad[k], 1, &out, NULL, 1);
      OF("f", body, &in, 1, &bad[k], NULL, 1);
    }
  }
#undef OF
  REFUSED(berth_graph_add_function_of(NULL, "f", body, &in, 1, &out, NULL, 1,
                                      NULL));
  EXPECT_EQ(berth_graph_function_count(graph), 0);
  berth_graph_release(body);
  berth_graph_release(graph);
}

// ---- placement.h ----

TEST(bad, plans) {
  berth_graph_t *graph = graph_make();
  static const char *const devices[] = {"CPU:0"};
  static const char *const none[] = {NULL};
  static const char *const odd[] = {"not a device"};
  berth_plan_options_t good = {.devices = devices, .device_count = 1};
  berth_plan_t *plan = NULL;
  REFUSED(berth_plan_create(NULL, &good, &plan, NULL));
  REFUSED(berth_plan_create(graph, NULL, &plan, NULL));
  REFUSED(berth_plan_create(graph, &good, NULL, NULL));
  const berth_plan_options_t bad[] = {
      {.devices = devices, .device_count = -1},
      {.devices = NULL, .device_count = 1},
      {.devices = none, .device_count = 1},
      {.devices = odd, .device_count = 1},
      {.devices = devices,
       .device_count = 1,
       .style = (berth_log_style_t)77,
       .log = true},
  };
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
    REFUSED(berth_plan_create(graph, &bad[i], &plan, NULL));
  }
  EXPECT_TRUE(plan == NULL);
  EXPECT_EQ(berth_plan_create(graph, &good, &plan, NULL), BERTH_OK);
  berth_node_placement_t placement;
  char *text = NULL;
  for (int i = 0; i < BAD_ID_COUNT; ++i) {
    berth_plan_query(plan, BAD_IDS[i], &placement);
    EXPECT_TRUE(placement.device == NULL);
    EXPECT_EQ(placement.reason, BERTH_REASON_NONE);
    EXPECT_EQ(placement.because, BERTH_NO_NODE);
    EXPECT_TRUE(berth_plan_explain(plan, BAD_IDS[i], &text, NULL) != BERTH_OK);
  }
  berth_plan_query(NULL, 0, &placement);
  EXPECT_TRUE(placement.device == NULL);
  berth_plan_query(plan, 0, NULL);
  REFUSED(berth_plan_explain(NULL, 0, &text, NULL));
  REFUSED(berth_plan_explain(plan, 0, NULL, NULL));
  berth_plan_destroy(plan);
  berth_plan_destroy(NULL);
  berth_graph_release(graph);
}

// ---- checkpoint.h ----

TEST(bad, checkpoints) {
  const char *path = "berth-bad-test-checkpoint";
  berth_checkpoint_t *checkpoint = NULL;
  berth_tensor_t *tensor = tensor_make(), *read = NULL;
  const berth_tensor_t *tensors[] = {tensor, NULL};
  const char *names[] = {"x", NULL};
  REFUSED(berth_checkpoint_open(NULL, &checkpoint, NULL));
  REFUSED(berth_checkpoint_open(path, NULL, NULL));
  EXPECT_EQ(berth_checkpoint_open(path, &checkpoint, NULL), BERTH_NOT_FOUND);
  REFUSED(berth_checkpoint_write(NULL, names, tensors, 1, NULL));
  REFUSED(berth_checkpoint_write(path, NULL, tensors, 1, NULL));
  REFUSED(berth_checkpoint_write(path, names, NULL, 1, NULL));
  REFUSED(berth_checkpoint_write(path, names, tensors, 2, NULL));
  REFUSED(berth_checkpoint_write(path, names, tensors, -1, NULL));
  EXPECT_EQ(berth_checkpoint_count(NULL), 0);
  EXPECT_EQ(berth_checkpoint_find(NULL, "x"), -1);
  EXPECT_TRUE(berth_checkpoint_name(NULL, 0) == NULL);
  EXPECT_EQ(berth_checkpoint_dtype(NULL, 0), BERTH_INVALID);
  EXPECT_EQ(berth_checkpoint_shape(NULL, 0).rank, -1);
  REFUSED(berth_checkpoint_read(NULL, 0, &read, NULL));
  EXPECT_EQ(berth_checkpoint_write(path, names, tensors, 1, NULL), BERTH_OK);
  EXPECT_EQ(berth_checkpoint_open(path, &checkpoint, NULL), BERTH_OK);
  EXPECT_EQ(berth_checkpoint_find(checkpoint, NULL), -1);
  REFUSED(berth_checkpoint_read(checkpoint, 1, &read, NULL));
  REFUSED(berth_checkpoint_read(checkpoint, 0, NULL, NULL));
  EXPECT_EQ(berth_checkpoint_read(checkpoint, 0, &read, NULL), BERTH_OK);
  EXPECT_EQ(((const float *)berth_tensor_data(read))[1], 2.0f);
  berth_tensor_release(read);
  berth_tensor_release(tensor);
  berth_checkpoint_close(checkpoint);
  berth_checkpoint_close(NULL);
  (void)remove("berth-bad-test-checkpoint.index");
  (void)remove("berth-bad-test-checkpoint.data-00000-of-00001");
}
