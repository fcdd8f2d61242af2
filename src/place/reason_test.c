// reason_test.c - Tests of the sentences that explain placements.
#include "harness.h"
// The harness defines main() and comes first.
#include "place/place_testing.h"

#define L "/job:localhost/replica:0/task:0/device:"

// Explains |node| of |rows| placed softly on |list|.
static void expect_sentence(const row_t *rows, int count, const char *list,
                            const char *node, const char *expected) {
  machine_t machine;
  berth_str_t text = {0};
  berth_error_t err = BERTH_ERROR_INIT;
  berth_placement_t placement;
  berth_graph_t *graph = build(rows, count);
  make_machine(list, &machine);
  berth_place_options_t options = options_for(&machine, graph);
  options.allow_soft_placement = true;
  ASSERT_OK(berth_place(graph, &options, &placement, &err), &err);
  berth_place_explain(graph, &placement, &options,
                      berth_graph_find(graph, node), &text);
  EXPECT_STR(berth_str_get(&text), expected);
  berth_str_clear(&text);
  berth_placement_deinit(&placement);
  berth_graph_release(graph);
}
#define EXPECT_SENTENCE(rows, list, node, expected) \
  expect_sentence(rows, BERTH_COUNT_OF(rows), list, node, expected)

TEST(reason, has_a_name_each) {
  for (int i = 0; i < BERTH_REASON_COUNT; ++i) {
    const char *name = berth_reason_name((berth_reason_t)i);
    ASSERT_TRUE(name != NULL && strcmp(name, "unknown") != 0);
    for (int j = 0; j < i; ++j) {
      EXPECT_TRUE(strcmp(name, berth_reason_name((berth_reason_t)j)) != 0);
    }
  }
  EXPECT_STR(berth_reason_name(BERTH_REASON_NO_GPU_KERNEL), "no-gpu-kernel");
  EXPECT_STR(berth_reason_name(BERTH_REASON_COUNT), "unknown");
}

TEST(reason, explains_requests) {
  const row_t rows[] = {{"s", "Const", .type = BERTH_STRING},
                        {"exact", "NoOp", .device = "/device:GPU:0"},
                        {"part", "NoOp", .device = "/job:localhost"},
                        {"gone", "NoOp", .device = "/device:GPU:7"},
                        {"d", "DecodeJpeg", "s", .device = "/device:GPU:0"}};
  EXPECT_SENTENCE(rows, "CPU:0 GPU:0", "exact",
                  "'exact' (NoOp) is on " L
                  "GPU:0: the script asked for '/device:GPU:0'.");
  EXPECT_SENTENCE(rows, "CPU:0 GPU:0", "part",
                  "'part' (NoOp) is on " L
                  "GPU:0: the script asked for '/job:localhost', and this is "
                  "the best match.");
  EXPECT_SENTENCE(rows, "CPU:0 GPU:0", "gone",
                  "'gone' (NoOp) is on " L
                  "GPU:0: the script asked for '/device:GPU:7', which does not "
                  "exist, and soft placement took another.");
  EXPECT_SENTENCE(
      rows, "CPU:0 GPU:0", "d",
      "'d' (DecodeJpeg) is on " L
      "CPU:0: the script asked for '/device:GPU:0', where DecodeJpeg "
      "has no kernel, and soft placement took another.");
}

TEST(reason, explains_kernels) {
  const row_t rows[] = {{"i", "Const", .type = BERTH_INT32},
                        {"m", "MatMul", "i i"},
                        {"s", "Const", .type = BERTH_STRING},
                        {"d", "DecodeJpeg", "s"},
                        {"n", "NoOp"}};
  EXPECT_SENTENCE(rows, "CPU:0 GPU:0", "m",
                  "'m' (MatMul) is on " L
                  "CPU:0: TensorFlow has no GPU kernel for MatMul with "
                  "T=DT_INT32.");
  EXPECT_SENTENCE(rows, "CPU:0 GPU:0", "d",
                  "'d' (DecodeJpeg) is on " L
                  "CPU:0: TensorFlow has no GPU kernel for DecodeJpeg.");
  EXPECT_SENTENCE(rows, "CPU:0 GPU:0", "n",
                  "'n' (NoOp) is on " L
                  "GPU:0: nothing was asked for, and this is the best device "
                  "with a kernel.");
  EXPECT_SENTENCE(rows, "CPU:0 CPU:1", "n",
                  "'n' (NoOp) is on " L
                  "CPU:0: nothing was asked for, and there is no other type of "
                  "device.");
}

TEST(reason, explains_company) {
  const row_t rows[] = {{"v", "VariableV2", .device = "/device:CPU:0"},
                        {"k", "Const"},
                        {"set", "Assign", "v k", "/device:GPU:0"},
                        {"add", "AssignAdd", "v k"},
                        {"read", "Identity", "v", .groups = "v"},
                        {"shape", "Shape", "read"},
                        {"x", "Square", "read", .groups = "v"},
                        {"on", "Identity", "x"}};
  EXPECT_SENTENCE(rows, "CPU:0 GPU:0", "set",
                  "'set' (Assign) is on " L
                  "CPU:0: the script asked for '/device:GPU:0', but the node "
                  "must be with 'v'.");
  EXPECT_SENTENCE(
      rows, "CPU:0 GPU:0", "add",
      "'add' (AssignAdd) is on " L
      "CPU:0: it uses a variable or resource and must be with 'v'.");
  EXPECT_SENTENCE(rows, "CPU:0 GPU:0", "read",
                  "'read' (Identity) is on " L
                  "CPU:0: it is in the same group as 'v'.");
  EXPECT_SENTENCE(rows, "CPU:0 GPU:0", "k",
                  "'k' (Const) is on " L
                  "CPU:0: all its consumers are there, 'set' for one.");
  EXPECT_SENTENCE(rows, "CPU:0 GPU:0", "shape",
                  "'shape' (Shape) is on " L
                  "CPU:0: it only looks at the shape of 'read', which is "
                  "there.");
  EXPECT_SENTENCE(rows, "CPU:0 GPU:0", "on",
                  "'on' (Identity) is on " L
                  "CPU:0: it only hands on 'x', which is there.");
}

TEST(reason, explains_what_was_kept_or_left_out) {
  machine_t machine;
  berth_str_t text = {0};
  berth_error_t err = BERTH_ERROR_INIT;
  berth_placement_t placement;
  const row_t rows[] = {{"v", "VarHandleOp"}, {"n", "NoOp"}};
  const int16_t assigned[] = {0};
  const uint8_t only[] = {1, 0};
  berth_graph_t *graph = BUILD(rows);
  make_machine("CPU:0 GPU:0", &machine);
  berth_place_options_t options = options_for(&machine, graph);
  options.assigned = assigned;
  options.assigned_count = 1;
  options.only = only;
  ASSERT_OK(berth_place(graph, &options, &placement, &err), &err);
  berth_place_explain(graph, &placement, &options, 0, &text);
  berth_str_putc(&text, '\n');
  berth_place_explain(graph, &placement, &options, 1, &text);
  EXPECT_STR(berth_str_get(&text),
             "'v' (VarHandleOp) is on " L
             "CPU:0: it holds state and was there before.\n"
             "'n' (NoOp) is nowhere: it was not placed.");
  berth_str_clear(&text);
  berth_placement_deinit(&placement);
  berth_graph_release(graph);
}

// ---- Plans on imagined devices ----

TEST(plan, completes_names_and_answers) {
  static const char *const devices[] = {
      "CPU:0", "GPU:0", "/job:localhost/replica:0/task:0/device:GPU:1"};
  const row_t rows[] = {{"k", "Const"}, {"x", "Neg", "k", "/device:GPU:1"}};
  berth_error_t err = BERTH_ERROR_INIT;
  berth_plan_t *plan = NULL;
  berth_node_placement_t found;
  char *text = NULL;
  berth_graph_t *graph = BUILD(rows);
  berth_plan_options_t options = {.devices = devices, .device_count = 3};
  ASSERT_OK(berth_plan_create(graph, &options, &plan, &err), &err);
  const row_t later[] = {{"late", "NoOp"}};
  add_rows(graph, later, 1);
  berth_plan_query(plan, 1, &found);
  EXPECT_STR(found.device, L "GPU:1");
  EXPECT_EQ(found.reason, BERTH_REASON_ASKED);
  EXPECT_EQ(found.because, BERTH_NO_NODE);
  berth_plan_query(plan, 0, &found);
  EXPECT_STR(found.device, L "GPU:1");
  EXPECT_EQ(found.reason, BERTH_REASON_GENERATOR);
  EXPECT_EQ(found.because, 1);
  berth_plan_query(plan, 2, &found);
  EXPECT_TRUE(found.device == NULL);
  EXPECT_EQ(found.reason, BERTH_REASON_NONE);
  ASSERT_OK(berth_plan_explain(plan, 0, &text, &err), &err);
  EXPECT_STR(text, "'k' (Const) is on " L
                   "GPU:1: all its consumers are there, 'x' for one.");
  berth_text_free(text);
  EXPECT_FAILS(berth_plan_explain(plan, 3, &text, &err), BERTH_INVALID_ARGUMENT,
               &err, "The graph has no node 3");
  berth_graph_release(graph);
  berth_plan_destroy(plan);
  berth_plan_destroy(NULL);
}

TEST(plan, refuses_bad_machines) {
  static const char *const malformed[] = {"CPU:0", "/gpu"};
  static const char *const twice[] = {"GPU:0", "/gpu:0"};
  berth_error_t err = BERTH_ERROR_INIT;
  berth_plan_t *plan = NULL;
  berth_graph_t *graph = berth_graph_create();
  berth_plan_options_t options = {.devices = malformed, .device_count = 2};
  EXPECT_FAILS(berth_plan_create(graph, &options, &plan, &err),
               BERTH_INVALID_ARGUMENT, &err,
               "Could not parse /gpu into a device specification.");
  options.devices = twice;
  EXPECT_FAILS(berth_plan_create(graph, &options, &plan, &err),
               BERTH_INVALID_ARGUMENT, &err,
               "Device " L "GPU:0 is listed twice");
  options.device_count = 0;
  EXPECT_FAILS(berth_plan_create(graph, &options, &plan, &err),
               BERTH_FAILED_PRECONDITION, &err, "No devices are registered");
  EXPECT_TRUE(plan == NULL);
  berth_graph_release(graph);
}
