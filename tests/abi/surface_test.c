// surface_test.c - Uses every public function that builds: part one.
//
// A stranger's program: the public headers, the shared library, nothing else.
// It shows that what the headers promise can be linked and called; what each
// call does in every case is tested elsewhere. surface_run_test.c has the
// functions that run graphs.
#include "harness.h"
// The harness defines main() and comes first.
#include <berth/berth.h>

#define CPU0 "/job:localhost/replica:0/task:0/device:CPU:0"

TEST(surface, every_function_can_be_linked) {
  static void (*const functions[])(void) = {
#define BERTH_SYMBOL(name) (void (*)(void)) name,
#include "symbols.inc"
#undef BERTH_SYMBOL
  };
  for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); ++i) {
    EXPECT_TRUE(functions[i] != NULL);
  }
}

TEST(surface, errors) {
  berth_error_t err = BERTH_ERROR_INIT;
  EXPECT_STR(berth_error_message(&err), "");
  EXPECT_STR(berth_code_name(BERTH_DATA_LOSS), "DATA_LOSS");
  berth_dims_t negative = BERTH_SHAPE(-1);
  berth_tensor_t *tensor = NULL;
  EXPECT_EQ(berth_tensor_create(BERTH_FLOAT, negative, &tensor, &err),
            BERTH_INVALID_ARGUMENT);
  EXPECT_EQ(err.code, BERTH_INVALID_ARGUMENT);
  EXPECT_TRUE(berth_error_message(&err)[0] != '\0');
  berth_error_clear(&err);
  EXPECT_STR(berth_error_message(&err), "");
}

static int deallocations = 0;

static void count_deallocation(void *data, size_t size, void *arg) {
  (void)data;
  (void)size;
  *(int *)arg += 1;
}

TEST(surface, tensors) {
  static const float values[] = {1, 2, 3, 4, 5, 6};
  float lent[6] = {0};
  berth_error_t err = BERTH_ERROR_INIT;
  berth_tensor_t *copy = NULL, *flat = NULL, *wrapped = NULL;
  ASSERT_OK(berth_tensor_copy_from(BERTH_FLOAT, BERTH_SHAPE(2, 3), values,
                                   &copy, &err),
            &err);
  EXPECT_TRUE(berth_tensor_is_exclusive(copy));
  berth_tensor_set_listed(copy, 6);
  ASSERT_OK(berth_tensor_reshape(copy, BERTH_SHAPE(6), &flat, &err), &err);
  EXPECT_FALSE(berth_tensor_is_exclusive(copy));
  EXPECT_EQ(berth_tensor_dtype(flat), BERTH_FLOAT);
  EXPECT_EQ(berth_tensor_shape(flat).dims[0], 6);
  EXPECT_EQ(berth_tensor_count(flat), 6);
  EXPECT_EQ(berth_tensor_size(flat), 24);
  EXPECT_TRUE(berth_tensor_data(flat) == berth_tensor_data(copy));
  EXPECT_TRUE(strstr(berth_tensor_device(flat), "CPU:0") != NULL);
  EXPECT_TRUE(berth_tensor_stream(flat) == NULL);
  berth_tensor_t *host = NULL;
  ASSERT_OK(berth_tensor_to_host(flat, &host, &err), &err);
  EXPECT_TRUE(host == flat);
  berth_tensor_release(host);
  ASSERT_OK(
      berth_tensor_wrap(BERTH_FLOAT, BERTH_SHAPE(6), lent, sizeof(lent),
                        count_deallocation, &deallocations, &wrapped, &err),
      &err);
  EXPECT_TRUE(berth_tensor_data(wrapped) == lent);
  berth_tensor_release(berth_tensor_retain(wrapped));
  EXPECT_EQ(deallocations, 0);
  berth_tensor_release(wrapped);
  EXPECT_EQ(deallocations, 1);
  berth_tensor_release(flat);
  berth_tensor_release(copy);
}

TEST(surface, texts_of_tensors) {
  static const double values[] = {1.5, -2};
  berth_error_t err = BERTH_ERROR_INIT;
  berth_tensor_t *numbers = NULL, *texts = NULL;
  char *text = NULL;
  size_t size = 0;
  ASSERT_OK(berth_tensor_copy_from(BERTH_DOUBLE, BERTH_SHAPE(2), values,
                                   &numbers, &err),
            &err);
  ASSERT_OK(berth_tensor_format(numbers, &text, &err), &err);
  EXPECT_STR(text, "[ 1.5 -2. ]");
  berth_text_free(text);
  ASSERT_OK(berth_tensor_format_classic(numbers, &text, &err), &err);
  EXPECT_STR(text, "[ 1.5 -2. ]");
  berth_text_free(text);
  FILE *file = tmpfile();
  char line[64] = "";
  ASSERT_TRUE(file != NULL);
  ASSERT_OK(berth_tensor_print(numbers, file, &err), &err);
  rewind(file);
  EXPECT_TRUE(fgets(line, sizeof(line), file) != NULL);
  EXPECT_STR(line, "[ 1.5 -2. ]\n");
  fclose(file);
  ASSERT_OK(berth_tensor_create(BERTH_STRING, BERTH_SCALAR, &texts, &err),
            &err);
  ASSERT_OK(berth_tensor_set_string(texts, 0, "abc", 3, &err), &err);
  EXPECT_EQ(memcmp(berth_tensor_get_string(texts, 0, &size), "abc", 3), 0);
  EXPECT_EQ(size, 3);
  berth_tensor_release(texts);
  berth_tensor_release(numbers);
}

TEST(surface, tensors_in_files_and_messages) {
  static const int32_t values[] = {7, 8, 9};
  berth_error_t err = BERTH_ERROR_INIT;
  berth_tensor_t *first = NULL, *read = NULL, *decoded = NULL;
  void *bytes = NULL;
  size_t size = 0;
  char path[] = "surface-XXXXXX";
  int descriptor = mkstemp(path);
  ASSERT_TRUE(descriptor >= 0);
  close(descriptor);
  ASSERT_OK(
      berth_tensor_copy_from(BERTH_INT32, BERTH_SHAPE(3), values, &first, &err),
      &err);
  ASSERT_OK(berth_tensor_save_npy(first, path, &err), &err);
  ASSERT_OK(berth_tensor_load_npy(path, &read, &err), &err);
  EXPECT_EQ(((int32_t *)berth_tensor_data(read))[2], 9);
  unlink(path);
  ASSERT_OK(berth_tensor_to_proto(first, &bytes, &size, &err), &err);
  ASSERT_OK(berth_tensor_from_proto(bytes, size, &decoded, &err), &err);
  EXPECT_EQ(((int32_t *)berth_tensor_data(decoded))[1], 8);
  ASSERT_OK(berth_file_write(path, bytes, size, &err), &err);
  EXPECT_EQ(unlink(path), 0);
  berth_text_free(bytes);
  berth_tensor_release(decoded);
  berth_tensor_release(read);
  berth_tensor_release(first);
}

TEST(surface, records) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_record_options_t options = BERTH_RECORD_OPTIONS_INIT;
  berth_record_writer_t *writer = NULL;
  berth_record_reader_t *reader = NULL;
  const void *record = NULL;
  size_t size = 0;
  char path[] = "surface-XXXXXX";
  int descriptor = mkstemp(path);
  ASSERT_TRUE(descriptor >= 0);
  close(descriptor);
  options.packing = "GZIP";
  ASSERT_OK(berth_record_writer_open(path, &options, &writer, &err), &err);
  ASSERT_OK(berth_record_write(writer, "abc", 3, &err), &err);
  ASSERT_OK(berth_record_writer_flush(writer, &err), &err);
  ASSERT_OK(berth_record_writer_close(writer, &err), &err);
  ASSERT_OK(berth_record_reader_open(path, "GZIP", &reader, &err), &err);
  ASSERT_OK(berth_record_read(reader, &record, &size, &err), &err);
  EXPECT_EQ(size, 3);
  EXPECT_EQ(memcmp(record, "abc", 3), 0);
  ASSERT_OK(berth_record_read(reader, &record, &size, &err), &err);
  EXPECT_TRUE(record == NULL);
  berth_record_reader_close(reader);
  EXPECT_EQ(unlink(path), 0);
  EXPECT_EQ(berth_crc32c(0, "123456789", 9), 0xe3069283);
}

TEST(surface, device_names) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_device_spec_t spec, over;
  char *text = NULL;
  EXPECT_TRUE(berth_device_name_check("/gpu:0"));
  EXPECT_FALSE(berth_device_name_check("gpu:0"));
  ASSERT_OK(berth_device_name_complete("GPU:1", CPU0, &text, &err), &err);
  EXPECT_STR(text, "/job:localhost/replica:0/task:0/device:GPU:1");
  berth_text_free(text);
  ASSERT_OK(berth_device_spec_parse("/job:w/gpu:1", &spec, &err), &err);
  ASSERT_OK(berth_device_spec_parse("/cpu", &over, &err), &err);
  berth_device_spec_merge(&spec, &over);
  ASSERT_OK(berth_device_spec_print(&spec, &text, &err), &err);
  EXPECT_STR(text, "/job:w/device:CPU:1");
  berth_text_free(text);
}

TEST(surface, devices) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_device_info_t info;
  berth_memory_stats_t stats;
  uint64_t bytes = 1;
  int count = 0;
  ASSERT_OK(berth_device_count(&count, &err), &err);
  EXPECT_TRUE(count >= 1);
  ASSERT_OK(berth_device_query(0, &info, &err), &err);
  EXPECT_STR(info.name, CPU0);
  ASSERT_OK(berth_device_memory_stats("CPU:0", &stats, &err), &err);
  ASSERT_OK(berth_device_reset_memory_stats("CPU:0", &err), &err);
  ASSERT_OK(berth_device_trim_memory("CPU:0", 0, &bytes, &err), &err);
  EXPECT_EQ(berth_device_query(1000, &info, &err), BERTH_OUT_OF_RANGE);
  berth_error_clear(&err);
}

TEST(surface, cards) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_card_t card;
  berth_card_user_t user;
  int count = -1, users = 0;
  ASSERT_OK(berth_card_count(&count, &err), &err);
  EXPECT_TRUE((count == 0) == (berth_card_problem()[0] != '\0'));
  EXPECT_EQ(berth_card_query(1000, &card, &err), BERTH_OUT_OF_RANGE);
  EXPECT_EQ(berth_card_query_users(1000, &user, 1, &users, &err),
            BERTH_OUT_OF_RANGE);
  berth_card_share_t share;
  EXPECT_EQ(berth_card_shares(&share, 1, &users, &err), BERTH_OK);
  EXPECT_EQ(berth_card_ask(1000, 1, NULL, &err), BERTH_OUT_OF_RANGE);
  berth_memory_spill_t spill;
  berth_memory_set_spill(true);
  berth_memory_query_spill(&spill);
  EXPECT_TRUE(spill.is_on && spill.moved_count == 0);
  berth_memory_set_spill(false);
  char *report = NULL;
  EXPECT_EQ(
      berth_device_report_memory("CPU:0", 1, BERTH_REPORT_JSON, &report, &err),
      BERTH_INVALID_ARGUMENT);
  berth_memory_budget_t budget = {.budget_bytes = 1};
  EXPECT_EQ(berth_device_set_memory_budget("CPU:0", &budget, &err),
            BERTH_INVALID_ARGUMENT);
  EXPECT_EQ(berth_device_query_memory_budget("CPU:0", &budget, &err),
            BERTH_INVALID_ARGUMENT);
  EXPECT_EQ(berth_device_card("CPU:0", &users, &err), BERTH_INVALID_ARGUMENT);
  EXPECT_EQ(berth_device_release_memory("CPU:0", &err), BERTH_INVALID_ARGUMENT);
  EXPECT_EQ(berth_device_reset("CPU:0", &err), BERTH_INVALID_ARGUMENT);
  EXPECT_EQ(berth_device_set_memory_limit("CPU:0", 1, &err),
            BERTH_INVALID_ARGUMENT);
  EXPECT_EQ(berth_device_set_memory_growth("CPU:0", true, &err),
            BERTH_INVALID_ARGUMENT);
  berth_error_clear(&err);
}

TEST(surface, history_of_memory) {
  berth_error_t err = BERTH_ERROR_INIT;
  char *text = NULL;
  berth_memory_stats_t stats;
  ASSERT_OK(berth_device_memory_stats("CPU:0", &stats, &err), &err);
  ASSERT_OK(berth_memory_keep_history(100, &err), &err);
  EXPECT_EQ(berth_memory_history_size(), 100);
  berth_memory_set_line("main.c:1");
  berth_tensor_t *tensor = NULL;
  ASSERT_OK(
      berth_tensor_create(BERTH_FLOAT, BERTH_SHAPE(100, 100), &tensor, &err),
      &err);
  berth_memory_set_line(NULL);
  ASSERT_OK(berth_memory_snapshot(&text, &err), &err);
  EXPECT_TRUE(strncmp(text, "{\"pid\":", 7) == 0);
  EXPECT_TRUE(strstr(text, "\"main.c:1\"") != NULL);
  EXPECT_TRUE(strstr(text, "\"noted\":1,") != NULL);
  EXPECT_STR(berth_memory_label(0), "");
  EXPECT_TRUE(berth_memory_label(-1) == NULL);
  EXPECT_TRUE(berth_memory_label(1 << 20) == NULL);
  berth_text_free(text);
  berth_tensor_release(tensor);
  ASSERT_OK(berth_memory_keep_history(0, &err), &err);
}

static const char *choose_device(berth_graph_t *graph, const char *op,
                                 const char *name, void *arg) {
  (void)graph;
  (void)op;
  (void)name;
  return arg;
}

// Builds: a (cpu:0), s/b (by a function), c after a, with b.
static void build_with_scopes(berth_graph_t *graph) {
  static const float values[] = {1, 2};
  static char wish[] = "/cpu:1";
  berth_device_push(graph, "/cpu:0");
  berth_out_t a = berth_const_f32(graph, "a", values, BERTH_SHAPE(2));
  berth_device_pop(graph);
  berth_scope_push(graph, "s");
  berth_device_push_function(graph, choose_device, wish);
  berth_out_t b = berth_identity(graph, "b", a);
  berth_device_pop(graph);
  berth_scope_pop(graph);
  berth_colocate_push(graph, b.node);
  berth_control_push(graph, &a.node, 1);
  berth_identity(graph, "c", b);
  berth_control_pop(graph);
  berth_colocate_pop(graph);
}

TEST(surface, scopes) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_graph_t *graph = berth_graph_create();
  char *name = NULL;
  build_with_scopes(graph);
  ASSERT_OK(berth_graph_error(graph, &err), &err);
  EXPECT_EQ(berth_graph_node_count(graph), 3);
  berth_node_id_t b = berth_graph_find(graph, "s/b");
  berth_node_id_t c = berth_graph_find(graph, "c");
  EXPECT_STR(berth_node_name(graph, b), "s/b");
  EXPECT_STR(berth_node_op(graph, b), "Identity");
  EXPECT_STR(berth_node_device(graph, b), "/cpu:1");
  EXPECT_STR(berth_node_device(graph, 0), "/device:CPU:0");
  ASSERT_OK(berth_node_set_device(graph, b, "/cpu:2", &err), &err);
  EXPECT_STR(berth_node_device(graph, b), "/cpu:2");
  EXPECT_EQ(berth_node_control_count(graph, c), 1);
  EXPECT_EQ(berth_node_control(graph, c, 0), 0);
  ASSERT_OK(berth_graph_unique_name(graph, "c", false, &name, &err), &err);
  EXPECT_STR(name, "c_1");
  berth_text_free(name);
  berth_graph_release(berth_graph_retain(graph));
  berth_graph_release(graph);
}

TEST(surface, looking_at_nodes) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_graph_t *graph = berth_graph_create();
  berth_out_t found, consumers[4];
  berth_node_id_t waiting[4];
  berth_shape_t shape;
  int first = -1, count = -1;
  build_with_scopes(graph);
  ASSERT_OK(berth_graph_find_out(graph, "s/b:0", &found, &err), &err);
  EXPECT_EQ(berth_node_input_count(graph, found.node), 1);
  EXPECT_EQ(berth_node_input(graph, found.node, 0).node, 0);
  EXPECT_EQ(berth_node_output_count(graph, found.node), 1);
  EXPECT_EQ(berth_out_dtype(graph, found), BERTH_FLOAT);
  ASSERT_OK(berth_node_arg_range(graph, found.node, "output", true, &first,
                                 &count, &err),
            &err);
  EXPECT_EQ(first, 0);
  EXPECT_EQ(count, 1);
  EXPECT_EQ(berth_out_consumers(graph, found, consumers, 4), 1);
  EXPECT_EQ(consumers[0].node, 2);
  EXPECT_EQ(berth_node_control_consumers(graph, 0, waiting, 4), 1);
  EXPECT_EQ(waiting[0], 2);
  berth_out_shape(graph, found, &shape);
  EXPECT_EQ(shape.rank, 1);
  EXPECT_EQ(shape.dims[0], 2);
  ASSERT_OK(berth_out_set_shape(graph, found, BERTH_SHAPE(2), &err), &err);
  EXPECT_EQ(berth_out_set_shape(graph, found, BERTH_SHAPE(3), &err),
            BERTH_INVALID_ARGUMENT);
  berth_error_clear(&err);
  berth_graph_release(graph);
}

static berth_out_t one_op(berth_graph_t *graph, const char *op, berth_out_t x,
                          int times) {
  berth_op_t *building = berth_op_begin(graph, op, NULL);
  const berth_out_t inputs[] = {x, x};
  if (times > 1) berth_op_input_list(building, inputs, times);
  if (times == 1) berth_op_input(building, x);
  if (strcmp(op, "Enter") == 0) {
    berth_op_attr_string(building, "frame_name", "f", 1);
  }
  return (berth_out_t){berth_op_finish(building), 0};
}

TEST(surface, loops) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_graph_t *graph = berth_graph_create();
  berth_out_t consumers[4];
  build_with_scopes(graph);
  berth_out_t enter = one_op(graph, "Enter", (berth_out_t){0, 0}, 1);
  berth_out_t merge = one_op(graph, "Merge", enter, 2);
  berth_out_t next = one_op(graph, "NextIteration", merge, 1);
  ASSERT_OK(berth_graph_error(graph, &err), &err);
  EXPECT_EQ(berth_graph_close_loop(graph, next.node, merge, &err),
            BERTH_INVALID_ARGUMENT);
  EXPECT_STR(berth_error_message(&err),
             "A loop is closed from a NextIteration to a Merge, not from Merge "
             "(Merge) to NextIteration (NextIteration)");
  berth_error_clear(&err);
  ASSERT_OK(berth_graph_close_loop(graph, merge.node, next, &err), &err);
  EXPECT_EQ(berth_node_input(graph, merge.node, 1).node, next.node);
  EXPECT_EQ(berth_out_consumers(graph, enter, consumers, 4), 1);
  EXPECT_EQ(berth_graph_close_loop(graph, merge.node, next, &err),
            BERTH_INVALID_ARGUMENT);
  berth_error_clear(&err);
  EXPECT_EQ(berth_graph_close_loop(graph, 99, next, &err),
            BERTH_INVALID_ARGUMENT);
  berth_error_clear(&err);
  berth_graph_release(graph);
}

// Slopes of a product: under TensorFlow's names, each of them right.
TEST(surface, gradients) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_graph_t *graph = berth_graph_create();
  const float numbers[] = {1, 2, 3, 4};
  berth_out_t a = berth_const_f32(graph, "a", numbers, BERTH_SHAPE(2, 2));
  berth_out_t b = berth_const_f32(graph, "b", numbers, BERTH_SHAPE(2, 2));
  berth_out_t c = berth_matmul(graph, NULL, a, b);
  berth_out_t xs[] = {a, b};
  berth_slope_t slopes[2];
  ASSERT_OK(berth_gradients(graph, &c, 1, xs, 2, NULL, slopes, &err), &err);
  EXPECT_STR(berth_node_name(graph, slopes[1].values.node),
             "gradients/MatMul_grad/MatMul_1");
  EXPECT_EQ(slopes[0].indices.node, BERTH_NO_NODE);
  EXPECT_EQ(berth_op_gradient("MatMul"), 1);
  EXPECT_EQ(berth_op_gradient("NoSuchOp"), 0);
  xs[0].node = 99;
  EXPECT_EQ(berth_gradients(graph, &c, 1, xs, 2, NULL, slopes, &err),
            BERTH_INVALID_ARGUMENT);
  berth_error_clear(&err);
  berth_graph_release(graph);
}

// Every kind of attribute on an op that has it, or keeps it as its own.
static void put_attributes(berth_op_t *op, berth_tensor_t *tensor) {
  static const int64_t ints[] = {1, 2};
  static const float floats[] = {0.5f};
  static const bool bools[] = {true};
  static const berth_dtype_t types[] = {BERTH_FLOAT, BERTH_BOOL};
  static const char *const texts[] = {"x", "yz"};
  static const size_t sizes[] = {1, 2};
  const berth_dims_t shapes[] = {BERTH_SHAPE(1), BERTH_SCALAR};
  static const unsigned char one[] = {3 << 3, 1};  // AttrValue {i: 1}
  berth_op_attr_int(op, "_int", 3);
  berth_op_attr_float(op, "_float", 0.25f);
  berth_op_attr_bool(op, "_bool", true);
  berth_op_attr_shape(op, "_shape", BERTH_SHAPE(2, 3));
  berth_op_attr_string(op, "_string", "text", 4);
  berth_op_attr_tensor(op, "_tensor", tensor);
  berth_op_attr_func(op, "_func", "f");
  berth_op_attr_ints(op, "_ints", ints, 2);
  berth_op_attr_floats(op, "_floats", floats, 1);
  berth_op_attr_bools(op, "_bools", bools, 1);
  berth_op_attr_types(op, "_types", types, 2);
  berth_op_attr_shapes(op, "_shapes", shapes, 2);
  berth_op_attr_strings(op, "_strings", texts, sizes, 2);
  berth_op_attr_proto(op, "_proto", one, sizeof(one));
}

TEST(surface, building_by_name) {
  static const float value = 1;
  berth_error_t err = BERTH_ERROR_INIT;
  berth_graph_t *graph = berth_graph_create();
  berth_tensor_t *tensor = NULL;
  void *bytes = NULL;
  size_t size = 0;
  ASSERT_OK(
      berth_tensor_copy_from(BERTH_FLOAT, BERTH_SCALAR, &value, &tensor, &err),
      &err);
  berth_out_t x = berth_const(graph, "x", tensor);
  berth_op_t *op = berth_op_begin(graph, "Placeholder", "p");
  berth_op_attr_type(op, "dtype", BERTH_FLOAT);
  put_attributes(op, tensor);
  int count = -1;
  EXPECT_TRUE(berth_op_controls(op, &count) == NULL && count == 0);
  berth_op_control(op, x.node);
  EXPECT_TRUE(berth_op_controls(op, &count)[0] == x.node && count == 1);
  berth_op_device(op, "/cpu:0");
  berth_node_id_t p = berth_op_finish(op);
  ASSERT_OK(berth_graph_error(graph, &err), &err);
  ASSERT_OK(berth_node_attr_proto(graph, p, "_int", &bytes, &size, &err), &err);
  EXPECT_EQ(size, 2);
  EXPECT_EQ(((unsigned char *)bytes)[1], 3);
  berth_text_free(bytes);

  const berth_out_t both[] = {x, {p, 0}};
  op = berth_op_begin_exact(graph, "AddN", "sum");
  berth_op_input_list(op, both, 2);
  berth_op_colocate(op, p);
  EXPECT_EQ(berth_op_finish(op), 2);
  op = berth_op_begin(graph, "Neg", NULL);
  berth_op_input(op, x);
  berth_op_abandon(op);
  EXPECT_EQ(berth_graph_node_count(graph), 3);
  berth_node_id_t node = 77;
  op = berth_op_begin(graph, "NoSuchOp", NULL);
  EXPECT_EQ(berth_op_try_finish(op, &node, &err), BERTH_NOT_FOUND);
  EXPECT_EQ(node, 77);
  berth_error_clear(&err);
  ASSERT_OK(berth_graph_error(graph, &err), &err);
  berth_tensor_release(tensor);
  berth_graph_release(graph);
}

TEST(surface, graphs_as_messages) {
  static const int32_t values[] = {1, 2};
  berth_error_t err = BERTH_ERROR_INIT;
  berth_graph_t *graph = berth_graph_create(), *other = berth_graph_create();
  void *bytes = NULL;
  char *text = NULL;
  size_t size = 0;
  berth_const_i32(graph, "k", values, BERTH_SHAPE(2));
  ASSERT_OK(berth_graph_export(graph, &bytes, &size, &err), &err);
  ASSERT_OK(berth_graph_import(other, bytes, size, NULL, &err), &err);
  berth_text_free(bytes);
  ASSERT_OK(berth_graph_export_text(graph, &text, &err), &err);
  berth_import_t import = {.prefix = "again"};
  ASSERT_OK(berth_graph_import_text(other, text, strlen(text), &import, &err),
            &err);
  berth_text_free(text);
  EXPECT_EQ(berth_graph_node_count(other), 2);
  EXPECT_EQ(berth_graph_find(other, "again/k"), 1);
  ASSERT_OK(berth_node_export(other, 0, &bytes, &size, &err), &err);
  EXPECT_TRUE(size > 4);
  berth_text_free(bytes);
  berth_graph_release(other);
  berth_graph_release(graph);
}

TEST(surface, functions) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_graph_t *graph = berth_graph_create(), *body = berth_graph_create();
  berth_graph_t *other = berth_graph_create();
  void *bytes = NULL, *library = NULL;
  size_t size = 0;
  berth_out_t x = berth_placeholder(body, "x", BERTH_FLOAT);
  berth_out_t y = berth_neg(body, "y", x);
  ASSERT_OK(berth_graph_add_function_of(graph, "negate", body, &x, 1, &y, NULL,
                                        1, &err),
            &err);
  EXPECT_EQ(berth_graph_function_count(graph), 1);
  EXPECT_STR(berth_graph_function_name(graph, 0), "negate");
  ASSERT_OK(berth_graph_function_export(graph, "negate", &bytes, &size, &err),
            &err);
  // FunctionDefLibrary {function: ...}; the definition is short.
  ASSERT_TRUE(size < 16384);
  unsigned char *packed = malloc(size + 3);
  library = packed;
  ASSERT_TRUE(packed != NULL);
  packed[0] = 1 << 3 | 2;
  packed[1] = (unsigned char)(size % 128 | 128);
  packed[2] = (unsigned char)(size / 128);
  memcpy(packed + 3, bytes, size);
  ASSERT_OK(berth_graph_add_functions(other, library, size + 3, &err), &err);
  EXPECT_EQ(berth_graph_function_count(other), 1);
  free(library);
  berth_text_free(bytes);
  berth_graph_release(other);
  berth_graph_release(body);
  berth_graph_release(graph);
}

TEST(surface, ops) {
  berth_error_t err = BERTH_ERROR_INIT;
  void *bytes = NULL;
  size_t size = 0;
  EXPECT_EQ(berth_op_count(), 1620);
  EXPECT_STR(berth_op_name(0), "A");
  EXPECT_TRUE(berth_op_name(berth_op_count()) == NULL);
  EXPECT_TRUE(berth_op_has_kernel("MatMul", "CPU"));
  EXPECT_FALSE(berth_op_has_kernel("MatMul", "TPU"));
  EXPECT_FALSE(berth_op_has_kernel("Nix", "CPU"));
  berth_graph_t *graph = berth_graph_create();
  berth_op_t *op = berth_op_begin(graph, "A", "a");
  berth_node_id_t a = berth_op_finish(op);
  op = berth_op_begin(graph, "Abs", "abs");
  berth_op_input(op, berth_placeholder(graph, "x", BERTH_FLOAT));
  berth_node_id_t abs = berth_op_finish(op);
  char *why = NULL;
  EXPECT_TRUE(berth_node_has_kernel(graph, abs, "CPU", &why));
  EXPECT_TRUE(why == NULL);
  EXPECT_TRUE(berth_node_has_kernel(graph, abs, "GPU", NULL));
  EXPECT_FALSE(berth_node_has_kernel(graph, abs, "TPU", &why));
  EXPECT_STR(why, "there are no devices of type TPU");
  berth_text_free(why);
  EXPECT_FALSE(berth_node_has_kernel(graph, a, "CPU", &why));
  EXPECT_STR(why, "no CPU kernel");
  berth_text_free(why);
  berth_graph_release(graph);
  ASSERT_OK(berth_op_schema_proto("MatMul", &bytes, &size, &err), &err);
  EXPECT_TRUE(size > 20);
  berth_text_free(bytes);
  ASSERT_OK(berth_op_kernels_proto("MatMul", &bytes, &size, &err), &err);
  EXPECT_TRUE(size > 20);
  berth_text_free(bytes);
}

TEST(surface, config_messages) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_config_t config, again;
  void *bytes = NULL;
  size_t size = 0;
  berth_config_init(&config);
  EXPECT_EQ(config.struct_size, sizeof(config));
  EXPECT_EQ(config.cpu_count, -1);
  config.allow_soft_placement = true;
  config.gpu.allow_growth = true;
  ASSERT_OK(berth_config_serialize(&config, &bytes, &size, &err), &err);
  ASSERT_OK(berth_config_parse(bytes, size, &again, &err), &err);
  EXPECT_TRUE(again.allow_soft_placement);
  EXPECT_TRUE(again.gpu.allow_growth);
  EXPECT_FALSE(again.log_device_placement);
  berth_text_free(bytes);
  berth_config_clear(&again);
  ASSERT_OK(berth_config_copy(&config, &again, &err), &err);
  ASSERT_OK(berth_process_configure(&again, &err), &err);
  ASSERT_OK(berth_process_reconfigure(&again, &err), &err);
  berth_config_clear(&again);
  ASSERT_OK(berth_process_query_config(&again, &err), &err);
  EXPECT_TRUE(again.gpu.allow_growth);
  berth_config_clear(&again);
  EXPECT_TRUE(berth_process_has_tf32());
  berth_process_set_tf32(false);
  EXPECT_FALSE(berth_process_has_tf32());
  berth_process_set_tf32(true);
}

TEST(surface, plans) {
  static const char *const devices[] = {"CPU:0", "GPU:0"};
  berth_error_t err = BERTH_ERROR_INIT;
  berth_graph_t *graph = berth_graph_create();
  berth_plan_t *plan = NULL;
  berth_node_placement_t placement;
  char *why = NULL;
  berth_placeholder(graph, "x", BERTH_FLOAT);
  berth_plan_options_t options = {.devices = devices, .device_count = 2};
  ASSERT_OK(berth_plan_create(graph, &options, &plan, &err), &err);
  berth_plan_query(plan, 0, &placement);
  EXPECT_STR(placement.device, "/job:localhost/replica:0/task:0/device:GPU:0");
  EXPECT_STR(berth_reason_name(placement.reason), "default");
  ASSERT_OK(berth_plan_explain(plan, 0, &why, &err), &err);
  EXPECT_TRUE(strstr(why, "'x' (Placeholder) is on ") == why);
  berth_text_free(why);
  berth_plan_destroy(plan);
  berth_graph_release(graph);
}
