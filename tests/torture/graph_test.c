// graph_test.c - Graphs, files and messages without memory.
#include "io/npy.h"
#include "torture_testing.h"

static berth_code_t no_graph(berth_error_t *err) {
  snprintf(err->text, sizeof err->text, "no graph");
  return BERTH_RESOURCE_EXHAUSTED;
}

// A graph with a function, a group, a control edge and a constant of strings.
static const char GRAPH[] =
    "node { name: 'c' op: 'Const' device: '/cpu:0' attr { key: 'dtype' value { "
    "type: DT_FLOAT } } attr { key: 'value' value { tensor { dtype: DT_FLOAT "
    "tensor_shape { dim { size: 3 } } float_val: 2 } } } } "
    "node { name: 's' op: 'Const' attr { key: 'dtype' value { type: DT_STRING "
    "} } attr { key: 'value' value { tensor { dtype: DT_STRING tensor_shape { "
    "dim { size: 2 } } string_val: 'a string that is long enough to be apart' "
    "} } } } "
    "node { name: 'n' op: 'Neg' input: 'c' input: '^s' attr { key: 'T' value { "
    "type: DT_FLOAT } } attr { key: '_class' value { list { s: 'loc:@c' } } } "
    "} "
    "node { name: 'call' op: 'f' input: 'n' } "
    "library { function { signature { name: 'f' input_arg { name: 'x' type: "
    "DT_FLOAT } output_arg { name: 'y' type: DT_FLOAT } } node_def { name: "
    "'square' op: 'Square' input: 'x' attr { key: 'T' value { type: DT_FLOAT } "
    "} } ret { key: 'y' value: 'square:y:0' } } } "
    "versions { producer: 2474 }";

static berth_code_t import_and_export(berth_error_t *err) {
  berth_graph_t *graph = berth_graph_create(), *again = NULL;
  void *bytes = NULL;
  char *text = NULL;
  size_t size = 0;
  berth_code_t code = BERTH_OK;
  if (graph == NULL) return no_graph(err);
  STEP(berth_graph_import_text(graph, GRAPH, sizeof GRAPH - 1, NULL, err));
  STEP(berth_graph_export(graph, &bytes, &size, err));
  STEP(berth_graph_export_text(graph, &text, err));
  again = berth_graph_create();
  if (again == NULL) {
    code = no_graph(err);
    goto done;
  }
  STEP(berth_graph_import(again, bytes, size, NULL, err));
  EXPECT_EQ(berth_graph_node_count(again), 4);
  EXPECT_EQ(berth_graph_function_count(again), 1);
done:
  berth_text_free(bytes);
  berth_text_free(text);
  berth_graph_release(graph);
  berth_graph_release(again);
  return code;
}

TEST(torture, import_and_export) { torture("alloc", import_and_export); }

// A refused import leaves a graph as it was, and the next one goes through.
TEST(torture, a_graph_survives) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_import_t import = {.prefix = "again"};
  bool is_met = true;
  for (int64_t nth = 1; is_met && harness_failures == 0; ++nth) {
    berth_graph_t *graph = berth_graph_create();
    const_scalar(graph, "first", 1);
    berth_fault_arm("alloc", nth);
    berth_code_t code =
        berth_graph_import_text(graph, GRAPH, sizeof GRAPH - 1, NULL, &err);
    is_met = berth_fault_disarm() >= nth;
    EXPECT_TRUE(code == BERTH_OK || code == BERTH_RESOURCE_EXHAUSTED);
    int left = code == BERTH_OK ? 5 : 1;
    EXPECT_EQ(berth_graph_node_count(graph), left);
    EXPECT_EQ(berth_graph_function_count(graph), code == BERTH_OK);
    EXPECT_EQ(berth_graph_find(graph, "n") == BERTH_NO_NODE, code != BERTH_OK);
    berth_error_clear(&err);
    ASSERT_OK(
        berth_graph_import_text(graph, GRAPH, sizeof GRAPH - 1, &import, &err),
        &err);
    EXPECT_EQ(berth_graph_node_count(graph), left + 4);
    EXPECT_TRUE(berth_graph_find(graph, "again/n") != BERTH_NO_NODE);
    berth_graph_release(graph);
  }
}

// One node that fails to be built does not spoil the graph.
TEST(torture, a_node_can_be_tried_again) {
  berth_error_t err = BERTH_ERROR_INIT;
  bool is_met = true;
  for (int64_t nth = 1; is_met && harness_failures == 0; ++nth) {
    berth_graph_t *graph = berth_graph_create();
    berth_out_t a = const_scalar(graph, "a", 1);
    berth_node_id_t node = BERTH_NO_NODE;
    berth_fault_arm("alloc", nth);
    berth_op_t *op = berth_op_begin(graph, "AddN", "sum");
    berth_op_input_list(op, (berth_out_t[]){a, a, a}, 3);
    berth_op_control(op, a.node);
    berth_code_t code = berth_op_try_finish(op, &node, &err);
    is_met = berth_fault_disarm() >= nth;
    EXPECT_TRUE(code == BERTH_OK || code == BERTH_RESOURCE_EXHAUSTED);
    EXPECT_EQ(berth_graph_node_count(graph), code == BERTH_OK ? 2 : 1);
    berth_error_clear(&err);
    ASSERT_OK(berth_graph_error(graph, &err), &err);
    op = berth_op_begin(graph, "Neg", "more");
    berth_op_input(op, a);
    ASSERT_OK(berth_op_try_finish(op, &node, &err), &err);
    EXPECT_STR(berth_node_name(graph, node), "more");
    berth_graph_release(graph);
  }
}

static berth_code_t plan_towers(berth_error_t *err) {
  berth_graph_t *graph = berth_graph_create();
  berth_plan_t *plan = NULL;
  char *text = NULL;
  berth_code_t code = BERTH_OK;
  if (graph == NULL) return no_graph(err);
  berth_out_t towers[2];
  for (int i = 0; i < 2; ++i) {
    berth_device_push(graph, i == 0 ? "/gpu:2" : "/gpu:9");
    towers[i] = const_scalar(graph, NULL, 1);
    berth_device_pop(graph);
  }
  berth_out_t sum = berth_add_n(graph, "sum", towers, 2);
  BUILT(graph);
  const char *devices[] = {"CPU:0", "GPU:0", "GPU:1", "GPU:2"};
  berth_plan_options_t options = {
      .devices = devices, .device_count = 4, .allow_soft_placement = true};
  STEP(berth_plan_create(graph, &options, &plan, err));
  berth_node_placement_t placement;
  berth_plan_query(plan, sum.node, &placement);
  EXPECT_TRUE(placement.device != NULL);
  STEP(berth_plan_explain(plan, sum.node, &text, err));
done:
  berth_text_free(text);
  berth_plan_destroy(plan);
  berth_graph_release(graph);
  return code;
}

TEST(torture, plans) { torture("alloc", plan_towers); }

// ---- Messages ----

static berth_code_t configurations(berth_error_t *err) {
  // Two CPUs, soft placement, a GPU fraction and a pool of threads.
  static const unsigned char bytes[] = {
      0x0a, 7, 0x0a, 3, 'C', 'P', 'U', 0x10, 2,    0x38, 1, 0x32, 9,
      0x09, 0, 0,    0, 0,   0,   0,   0xe0, 0x3f, 0x62, 2, 0x08, 4};
  berth_config_t config;
  void *written = NULL;
  size_t size = 0;
  berth_run_t run = {0};
  berth_code_t code = berth_config_parse(bytes, sizeof bytes, &config, err);
  if (code != BERTH_OK) return code;
  EXPECT_EQ(config.cpu_count, 2);
  EXPECT_TRUE(config.allow_soft_placement);
  config.gpu_count = 3;
  config.gpu.visible_devices = "0,1";
  STEP(berth_config_serialize(&config, &written, &size, err));
  STEP(berth_run_parse_options(&run, "\x10\x05", 2, err));
  EXPECT_EQ(run.timeout_ms, 5);
done:
  berth_text_free(written);
  berth_config_clear(&config);
  return code;
}

TEST(torture, configurations) { torture("alloc", configurations); }

// ---- Tensors ----

static berth_code_t tensors(berth_error_t *err) {
  berth_tensor_t *numbers = NULL, *strings = NULL, *again = NULL, *flat = NULL;
  char *text = NULL;
  void *proto = NULL;
  size_t size = 0;
  berth_code_t code = BERTH_OK;
  STEP(berth_tensor_create(BERTH_FLOAT, BERTH_SHAPE(30, 40), &numbers, err));
  memset(berth_tensor_data(numbers), 0, berth_tensor_size(numbers));
  STEP(berth_tensor_reshape(numbers, BERTH_SHAPE(1200), &flat, err));
  STEP(berth_tensor_format(flat, &text, err));
  STEP(berth_tensor_create(BERTH_STRING, BERTH_SHAPE(2), &strings, err));
  STEP(berth_tensor_set_string(strings, 0, "a text of more than a few bytes",
                               31, err));
  STEP(berth_tensor_to_proto(strings, &proto, &size, err));
  STEP(berth_tensor_from_proto(proto, size, &again, err));
done:
  berth_text_free(text);
  berth_text_free(proto);
  berth_tensor_release(numbers);
  berth_tensor_release(flat);
  berth_tensor_release(strings);
  berth_tensor_release(again);
  return code;
}

TEST(torture, tensors) { torture("alloc", tensors); }

static berth_code_t npy_files(berth_error_t *err) {
  char path[] = "torture_XXXXXX.npy";
  int file = mkstemps(path, 4);
  berth_tensor_t *numbers = NULL, *again = NULL;
  berth_code_t code = BERTH_OK;
  EXPECT_TRUE(file >= 0);
  STEP(berth_tensor_create(BERTH_FLOAT, BERTH_SHAPE(3, 5), &numbers, err));
  memset(berth_tensor_data(numbers), 0, berth_tensor_size(numbers));
  STEP(berth_tensor_save_npy(numbers, path, err));
  STEP(berth_tensor_load_npy(path, &again, err));
  EXPECT_EQ(berth_tensor_count(again), 15);
done:
  if (file >= 0) close(file);
  unlink(path);
  berth_tensor_release(numbers);
  berth_tensor_release(again);
  return code;
}

TEST(torture, npy_files) { torture("alloc", npy_files); }

// ---- Names ----

static berth_code_t names(berth_error_t *err) {
  char *text = NULL;
  berth_device_spec_t spec;
  berth_memory_stats_t stats;
  int count = 0;
  berth_code_t code = BERTH_OK;
  STEP(berth_device_count(&count, err));
  STEP(berth_device_memory_stats("CPU:0", &stats, err));
  STEP(berth_device_name_complete(
      "GPU:1", "/job:localhost/replica:0/task:0/device:CPU:0", &text, err));
  EXPECT_STR(text, "/job:localhost/replica:0/task:0/device:GPU:1");
  berth_text_free(text);
  text = NULL;
  STEP(berth_device_spec_parse("/job:worker/gpu:3", &spec, err));
  STEP(berth_device_spec_print(&spec, &text, err));
done:
  berth_text_free(text);
  return code;
}

TEST(torture, names) { torture("alloc", names); }
