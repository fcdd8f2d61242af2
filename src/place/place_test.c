// place_test.c - Tests of where nodes go, on machines that need not exist.
#include "harness.h"
// The harness defines main() and comes first.
#include "base/clock.h"
#include "base/fault.h"
#include "place/place_testing.h"

// ---- Defaults ----

static const row_t MATMUL[] = {
    {"a", "Const"}, {"b", "Const"}, {"m", "MatMul", "a b"}};

TEST(place, prefers_a_gpu) {
  EXPECT_PLACED(MATMUL, "CPU:0 GPU:0",
                "m GPU:0 default\na GPU:0 default\nb GPU:0 default\n");
}

TEST(place, uses_the_only_type_there_is) {
  EXPECT_PLACED(MATMUL, "CPU:0 CPU:1",
                "m CPU:0 only-device-type\na CPU:0 only-device-type\n"
                "b CPU:0 only-device-type\n");
}

TEST(place, sorts_names_as_plain_text) {
  EXPECT_PLACED(MATMUL, "CPU:0 GPU:2 GPU:10",
                "m GPU:10 default\na GPU:10 default\nb GPU:10 default\n");
  EXPECT_PLACED(MATMUL, "GPU:10 GPU:0 CPU:0",
                "m GPU:0 default\na GPU:0 default\nb GPU:0 default\n");
}

TEST(place, prefers_local_devices) {
  EXPECT_PLACED(MATMUL, "/job:a/device:GPU:0 CPU:0 GPU:1",
                "m GPU:1 default\na GPU:1 default\nb GPU:1 default\n");
}

TEST(place, puts_the_default_device_first) {
  machine_t machine;
  berth_str_t text = {0};
  berth_graph_t *graph = BUILD(MATMUL);
  make_machine("CPU:0 GPU:0 GPU:1", &machine);
  berth_place_options_t options = options_for(&machine, graph);
  options.default_device = 2;
  place_and_print(graph, &options, &text);
  EXPECT_STR(berth_str_get(&text),
             "m GPU:1 default\na GPU:1 default\nb GPU:1 default\n");
  berth_str_clear(&text);
  berth_graph_release(graph);
}

TEST(place, places_host_kernels_on_the_gpu) {
  const row_t rows[] = {{"a", "Const", .type = BERTH_INT32},
                        {"s", "AddV2", "a a"}};
  EXPECT_PLACED(rows, "CPU:0 GPU:0", "s GPU:0 default\na GPU:0 default\n");
}

TEST(place, follows_kernel_priorities) {
  const row_t rows[] = {{"o", "OptionalNone"}};
  EXPECT_PLACED(rows, "CPU:0 GPU:0", "o CPU:0 default\n");
}

TEST(place, falls_back_to_kernels_for_any_device) {
  const row_t rows[] = {{"n", "NoOp"}};
  EXPECT_PLACED(rows, "CPU:0 GPU:0", "n GPU:0 default\n");
  EXPECT_PLACED(rows, "FPGA:0", "n FPGA:0 only-device-type\n");
}

TEST(place, knows_what_gpus_cannot_do) {
  const row_t rows[] = {{"i", "Const", .type = BERTH_INT32},
                        {"m", "MatMul", "i i"},
                        {"s", "Const", .type = BERTH_STRING},
                        {"d", "DecodeJpeg", "s"}};
  EXPECT_PLACED(rows, "CPU:0 GPU:0",
                "m CPU:0 no-gpu-kernel-for-type\nd CPU:0 no-gpu-kernel\n"
                "i CPU:0 generator m\ns CPU:0 no-gpu-kernel-for-type\n");
}

// ---- Requests ----

TEST(place, does_as_asked) {
  const row_t rows[] = {{"a", "Const", .device = "/device:CPU:0"},
                        {"b", "Const", .device = "/device:CPU:0"},
                        {"m", "MatMul", "a b"}};
  EXPECT_PLACED(rows, "CPU:0 GPU:0",
                "m GPU:0 default\na CPU:0 asked\nb CPU:0 asked\n");
}

TEST(place, places_towers) {
  const row_t rows[] = {
      {"Const", "Const", .device = "/device:GPU:2"},
      {"MatMul", "MatMul", "Const Const", "/device:GPU:2"},
      {"Const_1", "Const", .device = "/device:GPU:3"},
      {"MatMul_1", "MatMul", "Const_1 Const_1", "/device:GPU:3"},
      {"AddN", "AddN", "MatMul MatMul_1", "/device:CPU:0"}};
  EXPECT_PLACED(rows, "CPU:0 GPU:0 GPU:1 GPU:2 GPU:3",
                "MatMul GPU:2 asked\nMatMul_1 GPU:3 asked\nAddN CPU:0 asked\n"
                "Const GPU:2 asked\nConst_1 GPU:3 asked\n");
}

TEST(place, completes_requests) {
  const row_t rows[] = {{"a", "NoOp", .device = "/device:GPU:*"},
                        {"b", "NoOp", .device = "/job:localhost"},
                        {"c", "NoOp", .device = "/job:worker"},
                        {"d", "NoOp", .device = "/job:worker/task:1/cpu:0"},
                        {"e", "NoOp", .device = "/task:1"}};
  EXPECT_PLACED(rows,
                "CPU:0 GPU:0 /job:worker/task:1/device:CPU:0 "
                "/job:worker/task:1/device:GPU:0",
                "a GPU:0 asked-partly\nb GPU:0 asked-partly\n"
                "c /job:worker/replica:0/task:1/device:GPU:0 asked-partly\n"
                "d /job:worker/replica:0/task:1/device:CPU:0 asked\n"
                "e /job:worker/replica:0/task:1/device:GPU:0 asked-partly\n");
}

TEST(place, softly_takes_another_gpu) {
  const row_t rows[] = {{"a", "NoOp", .device = "/device:GPU:7"},
                        {"b", "NoOp", .device = "/device:foo:0"},
                        {"c", "NoOp", .device = "/device:CPU:9"}};
  EXPECT_PLACED_SOFTLY(rows, "CPU:0 GPU:0 GPU:1",
                       "a GPU:0 soft-no-device\nb GPU:0 soft-no-device\n"
                       "c GPU:0 soft-no-device\n");
}

TEST(place, softly_takes_a_type_with_a_kernel) {
  const row_t rows[] = {{"s", "Const", .type = BERTH_STRING},
                        {"d", "DecodeJpeg", "s", .device = "/device:GPU:0"}};
  EXPECT_PLACED_SOFTLY(
      rows, "CPU:0 GPU:0",
      "d CPU:0 soft-no-kernel\ns CPU:0 no-gpu-kernel-for-type\n");
}

// ---- Heuristics ----

TEST(place, sends_generators_to_their_consumers) {
  const row_t rows[] = {{"one", "Const"},
                        {"two", "Const"},
                        {"none", "Const"},
                        {"control", "Const"},
                        {"chained", "Const", "^control"},
                        {"x", "AddV2", "one two", "/device:GPU:1"},
                        {"y", "Neg", "two", "/device:GPU:2"},
                        {"n", "NoOp", "^chained", "/device:GPU:2"}};
  // The consumer of "control" is a generator too and has no device yet.
  EXPECT_PLACED(rows, "CPU:0 GPU:0 GPU:1 GPU:2",
                "x GPU:1 asked\ny GPU:2 asked\nn GPU:2 asked\n"
                "one GPU:1 generator x\ntwo GPU:0 default\n"
                "none GPU:0 default\ncontrol GPU:0 default\n"
                "chained GPU:2 generator n\n");
}

TEST(place, keeps_generators_off_types_without_a_kernel) {
  const row_t rows[] = {{"s", "Const", .type = BERTH_STRING},
                        {"i", "Identity", "s", "/device:GPU:0"}};
  EXPECT_PLACED(rows, "CPU:0 GPU:0",
                "i GPU:0 asked\ns CPU:0 no-gpu-kernel-for-type\n");
}

TEST(place, sends_metadata_to_its_input) {
  const row_t rows[] = {{"p", "Placeholder"},
                        {"x", "Square", "p", "/device:GPU:1"},
                        {"shape", "Shape", "x"},
                        {"rank", "Rank", "x"},
                        {"pinned", "Shape", "x", "/device:CPU:0"},
                        {"of_p", "Size", "p"}};
  // A generator has no device when its shape is asked for.
  EXPECT_PLACED(rows, "CPU:0 GPU:0 GPU:1",
                "x GPU:1 asked\nshape GPU:1 metadata x\nrank GPU:1 metadata x\n"
                "pinned CPU:0 asked\nof_p GPU:0 default\np GPU:0 default\n");
}

TEST(place, sends_identities_between_equals_to_their_input) {
  const row_t rows[] = {{"k", "Const"},
                        {"p", "Square", "k", "/device:GPU:1"},
                        {"x", "Square", "k", .groups = "p"},
                        {"last", "Identity", "x"},
                        {"of_p", "Identity", "p"},
                        {"twice", "Identity", "x"},
                        {"y", "AddV2", "twice twice"},
                        {"waits", "Identity", "x ^k"},
                        {"mid", "Identity", "p"},
                        {"z", "Square", "mid", "/device:GPU:1"}};
  EXPECT_PLACED(rows, "CPU:0 GPU:0 GPU:1",
                "p GPU:1 asked\nx GPU:1 group p\nlast GPU:1 identity x\n"
                "of_p GPU:0 default\ntwice GPU:0 default\ny GPU:0 default\n"
                "waits GPU:0 default\nmid GPU:1 identity p\nz GPU:1 asked\n"
                "k GPU:0 default\n");
}

// ---- Nodes that must be together ----

TEST(place, keeps_references_together) {
  const row_t rows[] = {{"v", "VariableV2", .device = "/device:GPU:1"},
                        {"k", "Const"},
                        {"set", "Assign", "v k", "/device:CPU:0"},
                        {"add", "AssignAdd", "v k"},
                        {"read", "Identity", "v"}};
  EXPECT_PLACED(rows, "CPU:0 GPU:0 GPU:1",
                "v GPU:1 asked\nset GPU:1 soft-colocated v\n"
                "add GPU:1 resource v\nread GPU:0 default\n"
                "k GPU:1 generator set\n");
}

TEST(place, keeps_resources_together) {
  const row_t rows[] = {{"v", "VarHandleOp"},
                        {"k", "Const"},
                        {"set", "AssignVariableOp", "v k"},
                        {"read", "ReadVariableOp", "v", "/device:GPU:1"}};
  EXPECT_PLACED(rows, "CPU:0 GPU:0 GPU:1",
                "set GPU:1 resource read\nread GPU:1 asked\n"
                "v GPU:1 group read\nk GPU:1 generator set\n");
}

TEST(place, lets_calls_hand_resources_on) {
  const row_t rows[] = {{"v", "VarHandleOp", .device = "/device:GPU:1"},
                        {"i", "IdentityN", "v"}};
  EXPECT_PLACED(rows, "CPU:0 GPU:0 GPU:1", "i GPU:0 default\nv GPU:1 asked\n");
}

TEST(place, finds_a_type_for_the_whole_set) {
  const row_t rows[] = {{"v", "VariableV2"},
                        {"k", "Const"},
                        {"set", "Assign", "v k"},
                        {"d", "DecodeJpeg", "s", .groups = "v"}};
  const row_t all[] = {
      {"s", "Const", .type = BERTH_STRING}, rows[0], rows[1], rows[2], rows[3]};
  EXPECT_PLACED(all, "CPU:0 GPU:0",
                "v CPU:0 group d\nset CPU:0 resource v\nd CPU:0 no-gpu-kernel\n"
                "s CPU:0 no-gpu-kernel-for-type\nk CPU:0 generator set\n");
}

TEST(place, joins_groups) {
  const row_t rows[] = {{"k", "Const"},
                        {"a", "Identity", "k"},
                        {"b", "Identity", "k", "/device:GPU:1", .groups = "a"},
                        {"c", "Identity", "k", .groups = "loose"},
                        {"d", "Identity", "k", .groups = "other loose"},
                        {"other", "Identity", "k", "/device:CPU:0"}};
  EXPECT_PLACED(rows, "CPU:0 GPU:0 GPU:1",
                "a GPU:1 group b\nb GPU:1 asked\nc CPU:0 group other\n"
                "d CPU:0 group other\nother CPU:0 asked\nk GPU:0 default\n");
}

TEST(place, softly_drops_requests_that_clash) {
  const row_t ids[] = {{"k", "Const"},
                       {"a", "Identity", "k", "/device:GPU:1"},
                       {"b", "Identity", "k", "/device:GPU:2", .groups = "a"}};
  EXPECT_PLACED_SOFTLY(ids, "CPU:0 GPU:0 GPU:1 GPU:2",
                       "a GPU:0 soft-colocated b\nb GPU:0 soft-colocated a\n"
                       "k GPU:0 default\n");
  const row_t types[] = {
      {"k", "Const"},
      {"a", "Identity", "k", "/device:CPU:1"},
      {"b", "Identity", "k", "/device:GPU:1", .groups = "a"}};
  EXPECT_PLACED_SOFTLY(types, "CPU:0 CPU:1 GPU:0 GPU:1",
                       "a GPU:0 soft-colocated b\nb GPU:0 soft-colocated a\n"
                       "k GPU:0 default\n");
}

TEST(place, softly_moves_resources_last) {
  const row_t rows[] = {{"s", "Const", .type = BERTH_STRING},
                        {"v", "VariableV2", .device = "/device:GPU:0"},
                        {"i", "Identity", "s", .groups = "v"},
                        {"d", "DecodeJpeg", "s", .groups = "v"}};
  EXPECT_PLACED_SOFTLY(
      rows, "CPU:0 GPU:0",
      "v CPU:0 soft-colocated d\ni CPU:0 group v\nd CPU:0 no-gpu-kernel\n"
      "s CPU:0 no-gpu-kernel-for-type\n");
}

TEST(place, keeps_lists_of_strings_on_the_host) {
  const row_t rows[] = {
      {"n", "Const"},
      {"shape", "Shape", "n"},
      {"rank", "Rank", "n"},
      {"floats", "TensorListReserve", "shape rank"},
      {"texts", "TensorListReserve", "shape rank", .type = BERTH_STRING},
      {"f", "TensorListLength", "floats"},
      {"t", "TensorListLength", "texts"}};
  EXPECT_PLACED(
      rows, "CPU:0 GPU:0",
      "shape GPU:0 default\nrank GPU:0 default\nfloats GPU:0 default\n"
      "texts GPU:0 default\nf GPU:0 default\n"
      "t CPU:0 no-gpu-kernel-for-type\nn GPU:0 default\n");
}

TEST(place, leaves_xla_to_those_who_ask) {
  const row_t rows[] = {{"a", "NoOp"},
                        {"b", "NoOp", .device = "/device:XLA_CPU:0"}};
  EXPECT_PLACED(rows, "XLA_CPU:0 CPU:0",
                "a CPU:0 default\nb XLA_CPU:0 asked\n");
  const row_t alone[] = {{"a", "NoOp"}};
  EXPECT_PLACED(alone, "XLA_CPU:0", "a XLA_CPU:0 only-device-type\n");
}

// ---- Parts of a graph, and graphs that grow ----

TEST(place, leaves_out_what_is_not_wanted) {
  machine_t machine;
  berth_str_t text = {0};
  const row_t rows[] = {{"bad", "Const", .device = "/device:GPU:9"},
                        {"a", "Const"},
                        {"x", "Neg", "bad", "/device:GPU:0"},
                        {"y", "Neg", "a", "/device:CPU:0"}};
  const uint8_t only[] = {0, 1, 0, 1};
  berth_graph_t *graph = BUILD(rows);
  make_machine("CPU:0 GPU:0", &machine);
  berth_place_options_t options = options_for(&machine, graph);
  options.only = only;
  place_and_print(graph, &options, &text);
  EXPECT_STR(berth_str_get(&text), "y CPU:0 asked\na CPU:0 generator y\n");
  berth_str_clear(&text);
  berth_graph_release(graph);
}

TEST(place, keeps_what_was_placed_before) {
  machine_t machine;
  berth_str_t text = {0};
  const row_t rows[] = {{"v", "VarHandleOp"},
                        {"k", "Const"},
                        {"set", "AssignVariableOp", "v k"},
                        {"read", "ReadVariableOp", "v", "/device:GPU:0"}};
  const int16_t assigned[] = {2, -1};
  berth_graph_t *graph = BUILD(rows);
  make_machine("CPU:0 GPU:0 GPU:1", &machine);
  berth_place_options_t options = options_for(&machine, graph);
  options.assigned = assigned;
  options.assigned_count = 2;
  place_and_print(graph, &options, &text);
  EXPECT_STR(berth_str_get(&text),
             "v GPU:1 kept\nset GPU:1 resource v\nread GPU:1 soft-colocated v\n"
             "k GPU:1 generator set\n");
  berth_str_clear(&text);
  berth_graph_release(graph);
}

TEST(place, calls_functions_anywhere) {
  machine_t machine;
  berth_str_t text = {0};
  berth_error_t err = BERTH_ERROR_INIT;
  berth_graph_t *graph = berth_graph_create(), *body = berth_graph_create();
  const row_t inside[] = {{"x", "Placeholder"}, {"y", "Neg", "x"}};
  add_rows(body, inside, 2);
  berth_out_t x = {0, 0}, y = {1, 0};
  ASSERT_OK(berth_graph_add_function_of(graph, "negate", body, &x, 1, &y, NULL,
                                        1, &err),
            &err);
  const row_t rows[] = {{"k", "Const"}, {"call", "negate", "k"}};
  add_rows(graph, rows, 2);
  make_machine("CPU:0 GPU:0", &machine);
  berth_place_options_t options = options_for(&machine, graph);
  place_and_print(graph, &options, &text);
  EXPECT_STR(berth_str_get(&text),
             "call GPU:0 function-call\nk GPU:0 default\n");
  berth_str_clear(&text);
  berth_graph_release(graph);
  berth_graph_release(body);
}

// ---- Size and torture ----

enum { MANY = 100000 };

// A chain of additions with a constant each, under three device requests.
static berth_graph_t *build_chain(int count) {
  static const char *const devices[] = {"", "/device:GPU:1", "/device:CPU:0"};
  berth_graph_t *graph = berth_graph_create();
  float one = 1;
  berth_out_t last = berth_const_f32(graph, "first", &one, BERTH_SCALAR);
  for (int i = 1; i + 1 < count; i += 2) {
    berth_out_t k = berth_const_f32(graph, "k", &one, BERTH_SCALAR);
    berth_op_t *op = berth_op_begin(graph, "AddV2", "add");
    berth_op_input(op, last);
    berth_op_input(op, k);
    berth_op_device(op, devices[i / 2 % 3]);
    last = (berth_out_t){berth_op_finish(op), 0};
  }
  return graph;
}

static int64_t place_many(const berth_graph_t *graph, berth_log_style_t style) {
  machine_t machine;
  berth_error_t err = BERTH_ERROR_INIT;
  berth_placement_t placement = {0};
  make_machine("CPU:0 GPU:0 GPU:1", &machine);
  berth_place_options_t options = options_for(&machine, graph);
  options.style = style;
  int64_t start = berth_wall_us();
  if (berth_place(graph, &options, &placement, &err) != BERTH_OK) {
    HARNESS_FAIL("%s", berth_error_message(&err));
    return 0;
  }
  int64_t elapsed = berth_wall_us() - start;
  EXPECT_EQ(placement.device[2], 1);
  EXPECT_EQ(placement.device[4], 2);
  EXPECT_EQ(placement.reason[6], BERTH_REASON_ASKED);
  berth_placement_deinit(&placement);
  return elapsed;
}

TEST(place, is_quick_on_large_graphs) {
  berth_graph_t *graph = build_chain(MANY);
  EXPECT_EQ(berth_graph_node_count(graph), MANY - 1);
  int64_t best = INT64_MAX;
  for (int i = 0; i < 5; ++i) {
    int64_t elapsed = place_many(graph, BERTH_STYLE_DEFAULT);
    if (elapsed < best) best = elapsed;
  }
  printf("%d nodes placed in %.1f ms\n", MANY - 1, (double)best / 1000);
  EXPECT_TRUE(best < 500000);
  // The classic order goes down the whole chain.
  EXPECT_TRUE(place_many(graph, BERTH_STYLE_CLASSIC) < 1000000);
  berth_graph_release(graph);
}

TEST(place, survives_lack_of_memory) {
  const row_t rows[] = {{"v", "VariableV2", .device = "/device:GPU:1"},
                        {"k", "Const"},
                        {"set", "Assign", "v k", "/device:CPU:0"},
                        {"i", "Identity", "v", "/job:localhost", .groups = "v"},
                        {"s", "Shape", "k"},
                        {"n", "Rank", "k"},
                        {"l", "TensorListReserve", "s n", .type = BERTH_STRING},
                        {"t", "TensorListLength", "l"}};
  static const berth_log_style_t styles[] = {BERTH_STYLE_DEFAULT,
                                             BERTH_STYLE_CLASSIC};
  machine_t machine;
  berth_graph_t *graph = BUILD(rows);
  make_machine("CPU:0 GPU:0 GPU:1", &machine);
  for (int style = 0; style < 2; ++style) {
    berth_place_options_t options = options_for(&machine, graph);
    options.style = styles[style];
    int64_t failures = 0;
    for (int64_t nth = 1; nth < 1000; ++nth) {
      berth_error_t err = BERTH_ERROR_INIT;
      berth_placement_t placement;
      berth_fault_arm("alloc", nth);
      berth_code_t code = berth_place(graph, &options, &placement, &err);
      bool is_past = berth_fault_disarm() < nth;
      if (code == BERTH_OK) berth_placement_deinit(&placement);
      if (!is_past && code != BERTH_OK) {
        EXPECT_EQ(code, BERTH_RESOURCE_EXHAUSTED);
        ++failures;
      }
      berth_error_clear(&err);
      if (is_past) break;
    }
    EXPECT_TRUE(failures >= 15);
  }
  berth_graph_release(graph);
}
