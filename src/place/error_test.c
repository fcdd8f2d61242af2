// error_test.c - Tests of what placement says when it fails.
#include "harness.h"
// The harness defines main() and comes first.
#include "place/message_internal.h"
#include "place/place_testing.h"

#define L "/job:localhost/replica:0/task:0/device:"

// ---- Devices that are not there ----

typedef struct missing {
  const char *device;
  const char *machine;
  const char *list;  // As the message shows it.
  bool hints_at_cuda;
} missing_t;

TEST(error, names_the_missing_device) {
  static const missing_t cases[] = {
      {"/device:GPU:0", "CPU:0", L "CPU:0", true},
      {"/gpu:2", "CPU:0", L "CPU:0", true},
      {"/device:CPU:9", "CPU:0", L "CPU:0", false},
      {"/device:foo:0", "CPU:0", L "CPU:0", false},
      {"/device:gpu:0", "CPU:0", L "CPU:0", true},
      {"/job:worker", "CPU:0", L "CPU:0", false},
      {"/job:worker/device:CPU:0", "CPU:0", L "CPU:0", false},
      {"/task:1", "CPU:0", L "CPU:0", false},
      {"/replica:1/device:CPU:0", "CPU:0", L "CPU:0", false},
      {"/job:localhost/device:GPU:0", "CPU:0", L "CPU:0", true},
      {"/device:GPU:*", "CPU:0", L "CPU:0", true},
      {"/device:CPU:1", "GPU:1 CPU:0", L "CPU:0, " L "GPU:1", false},
      {"/device:GPU:2", "GPU:1 CPU:0 GPU:0 GPU:10",
       L "CPU:0, " L "GPU:0, " L "GPU:1, " L "GPU:10", false},
  };
  for (int i = 0; i < BERTH_COUNT_OF(cases); ++i) {
    const row_t rows[] = {{"x", "Const", .device = cases[i].device}};
    char expected[1024];
    snprintf(expected, sizeof(expected),
             "INVALID_ARGUMENT: Cannot assign a device for operation x: "
             "{{node x}} was explicitly assigned to %s but available devices "
             "are [ %s ]. Make sure the device specification refers to a valid "
             "device.%s\n\t [[x]]",
             cases[i].device, cases[i].list,
             cases[i].hints_at_cuda ? " The requested device appears to be a "
                                      "GPU, but CUDA is not enabled."
                                    : "");
    EXPECT_PLACED(rows, cases[i].machine, expected);
  }
}

TEST(error, never_gives_up_job_and_task) {
  static const char *const devices[] = {"/job:worker", "/job:worker/cpu:0",
                                        "/task:1", "/replica:1/cpu:0"};
  for (int i = 0; i < BERTH_COUNT_OF(devices); ++i) {
    const row_t rows[] = {{"x", "Const", .device = devices[i]}};
    char expected[1024];
    snprintf(expected, sizeof(expected),
             "INVALID_ARGUMENT: Cannot assign a device for operation x: "
             "{{node x}} was explicitly assigned to %s but available devices "
             "are [ " L
             "CPU:0 ]. Make sure the device specification refers to "
             "a valid device.\n\t [[x]]",
             devices[i]);
    EXPECT_PLACED_SOFTLY(rows, "CPU:0", expected);
  }
}

// Returns the node that the error of placing |rows| on a CPU names.
static void expect_first(const row_t *rows, int count, berth_log_style_t style,
                         const char *expected) {
  machine_t machine;
  berth_error_t err = BERTH_ERROR_INIT;
  berth_placement_t placement;
  berth_graph_t *graph = build(rows, count);
  make_machine("CPU:0", &machine);
  berth_place_options_t options = options_for(&machine, graph);
  options.style = style;
  EXPECT_EQ(berth_place(graph, &options, &placement, &err),
            BERTH_INVALID_ARGUMENT);
  EXPECT_EQ(strncmp(berth_error_message(&err), expected, strlen(expected)), 0);
  berth_error_clear(&err);
  berth_graph_release(graph);
}

TEST(error, names_the_first_node) {
  static const char outer[] = "Cannot assign a device for operation ";
  const row_t both[] = {{"a", "Const", .device = "/device:GPU:2"},
                        {"b", "Const", .device = "/device:GPU:2"},
                        {"m", "MatMul", "a b", "/device:GPU:2"}};
  const row_t constants[] = {both[0], both[1], {"m", "MatMul", "a b"}};
  const row_t two[] = {{"a", "Const"},
                       {"m1", "MatMul", "a a", "/device:GPU:3"},
                       {"m2", "MatMul", "m1 a", "/device:GPU:2"}};
  const row_t unused[] = {{"used", "Const"},
                          {"unused", "Const", .device = "/device:GPU:2"}};
  char text[64];
  snprintf(text, sizeof(text), "%sm: ", outer);
  expect_first(both, 3, BERTH_STYLE_TF2, text);
  snprintf(text, sizeof(text), "%sa: ", outer);
  expect_first(constants, 3, BERTH_STYLE_TF2, text);
  snprintf(text, sizeof(text), "%sm1: ", outer);
  expect_first(two, 3, BERTH_STYLE_TF2, text);
  snprintf(text, sizeof(text), "%sunused: ", outer);
  expect_first(unused, 2, BERTH_STYLE_TF2, text);
  expect_first(both, 3, BERTH_STYLE_CLASSIC,
               "Cannot assign a device to node 'b': Could not satisfy explicit "
               "device specification '/gpu:2'\n\t [[Node: b = Const[");
  expect_first(
      two, 3, BERTH_STYLE_CLASSIC,
      "Cannot assign a device to node 'm1': Could not satisfy explicit "
      "device specification '/gpu:3'\n\t [[Node: m1 = MatMul[");
}

// ---- Kernels that are not there ----

TEST(error, lists_kernels_when_none_fits) {
  const row_t rows[] = {{"h", "Const", .type = BERTH_HALF},
                        {"ch", "Cholesky", "h"}};
  EXPECT_PLACED(
      rows, "GPU:0 CPU:0",
      "INVALID_ARGUMENT: No OpKernel was registered to support Op 'Cholesky' "
      "used by {{node ch}} with these attrs: [T=DT_HALF]\n"
      "Registered devices: [CPU, GPU]\n"
      "Registered kernels:\n"
      "  device='CPU'; T in [DT_COMPLEX128]\n"
      "  device='CPU'; T in [DT_COMPLEX64]\n"
      "  device='CPU'; T in [DT_DOUBLE]\n"
      "  device='CPU'; T in [DT_FLOAT]\n"
      "  device='GPU'; T in [DT_COMPLEX128]\n"
      "  device='GPU'; T in [DT_COMPLEX64]\n"
      "  device='GPU'; T in [DT_DOUBLE]\n"
      "  device='GPU'; T in [DT_FLOAT]\n"
      "\n\t [[ch]]");
}

TEST(error, lists_attributes_by_name) {
  const row_t rows[] = {{"k", "Const"}, {"n", "NcclAllReduce", "k"}};
  EXPECT_PLACED(
      rows, "CPU:0",
      "INVALID_ARGUMENT: No OpKernel was registered to support Op "
      "'NcclAllReduce' used by {{node n}} with these attrs: [T=DT_FLOAT, "
      "num_devices=1, reduction=\"sum\", shared_name=\"c\"]\n"
      "Registered devices: [CPU]\n"
      "Registered kernels:\n"
      "  <no registered kernels>\n"
      "\n\t [[n]]");
}

TEST(error, tells_a_type_without_a_kernel) {
  const row_t rows[] = {{"s", "Const", .type = BERTH_STRING},
                        {"d", "DecodeJpeg", "s", .device = "/device:GPU:0"}};
  EXPECT_PLACED(
      rows, "CPU:0 GPU:0",
      "INVALID_ARGUMENT: Cannot assign a device for operation d: Could not "
      "satisfy explicit device specification '/device:GPU:0' because no "
      "supported kernel for GPU devices is available.\n"
      "Colocation Debug Info:\n"
      "Colocation group had the following types and supported devices: \n"
      "Root Member(assigned_device_name_index_=-1 "
      "requested_device_name_='/device:GPU:0' assigned_device_name_='' "
      "resource_device_name_='' supported_device_types_=[CPU] "
      "possible_devices_=[]\n"
      "DecodeJpeg: CPU \n"
      "\n"
      "Colocation members, user-requested devices, and framework assigned "
      "devices, if any:\n"
      "  d (DecodeJpeg) /device:GPU:0\n"
      "\n"
      "Op: DecodeJpeg\n"
      "Node attrs: acceptable_fraction=1, channels=0, dct_method=\"\", "
      "fancy_upscaling=true, ratio=1, try_recover_truncated=false\n"
      "Registered kernels:\n"
      "  device='CPU'\n"
      "\n\t [[{{node d}}]]");
}

// ---- Names ----

TEST(error, shows_the_node_of_a_malformed_name) {
  const row_t rows[] = {{"x", "Const"}, {"y", "MatMul", "x x", "/Gpu:0"}};
  EXPECT_PLACED(
      rows, "CPU:0",
      "INVALID_ARGUMENT: Malformed device specification '/Gpu:0' in node: "
      "{name:'y' id:3 op device:{requested: '/Gpu:0', assigned: ''} "
      "def:{{{node "
      "y}} = MatMul[T=DT_FLOAT, grad_a=false, grad_b=false, "
      "transpose_a=false, transpose_b=false, _device=\"/Gpu:0\"](x, x)}}"
      "\n\t [[y]]");
  machine_t machine;
  berth_str_t text = {0};
  berth_graph_t *graph = BUILD(rows);
  make_machine("CPU:0", &machine);
  berth_place_options_t options = options_for(&machine, graph);
  options.style = BERTH_STYLE_CLASSIC;
  place_and_print(graph, &options, &text);
  EXPECT_STR(berth_str_get(&text),
             "INVALID_ARGUMENT: Malformed device specification '/Gpu:0'\n\t "
             "[[Node: y = MatMul[T=DT_FLOAT, grad_a=false, grad_b=false, "
             "transpose_a=false, transpose_b=false, _device=\"/Gpu:0\"](x, "
             "x)]]");
  berth_str_clear(&text);
  berth_graph_release(graph);
}

// ---- Nodes that cannot be together ----

TEST(error, tells_which_groups_clash) {
  static const char *const cases[][3] = {
      {"/device:CPU:1", "/device:CPU:2",
       "ids: '/device:CPU:2' and '/device:CPU:1'"},
      {"/job:localhost/device:CPU:1", "/job:other/device:CPU:1",
       "jobs: '/job:other/device:CPU:1' and '/job:localhost/device:CPU:1'"},
      {"/device:CPU:1", "/device:GPU:1",
       "types: '/device:GPU:1' and '/device:CPU:1'"},
      {"/task:0/device:CPU:1", "/task:1/device:CPU:1",
       "tasks: '/task:1/device:CPU:1' and '/task:0/device:CPU:1'"},
  };
  for (int i = 0; i < BERTH_COUNT_OF(cases); ++i) {
    const row_t rows[] = {{"k", "Const"},
                          {"a", "Identity", "k", cases[i][0]},
                          {"b", "Identity", "a", cases[i][1], .groups = "a"}};
    char expected[512];
    snprintf(
        expected, sizeof(expected),
        "INVALID_ARGUMENT: Cannot colocate nodes {{colocation_node b}} and "
        "{{colocation_node a}}: Cannot merge devices with incompatible "
        "%s\n\t [[{{node b}}]]",
        cases[i][2]);
    EXPECT_PLACED(rows, "CPU:0 CPU:1 CPU:2", expected);
  }
}

TEST(error, shows_the_set_of_a_clash) {
  const row_t rows[] = {{"k", "Const"},
                        {"a", "Identity", "k", "/job:localhost"},
                        {"b", "Identity", "a", "/device:GPU:5", .groups = "a"}};
  EXPECT_PLACED(
      rows, "CPU:0 CPU:1 CPU:2",
      "INVALID_ARGUMENT: Cannot assign a device for operation a: Could not "
      "satisfy explicit device specification '/job:localhost' because the node "
      "{{colocation_node a}} was colocated with a group of nodes that required "
      "incompatible device '/job:localhost/device:GPU:5'. All available "
      "devices "
      "[" L "CPU:0, " L "CPU:1, " L
      "CPU:2]. \n"
      "Colocation Debug Info:\n"
      "Colocation group had the following types and supported devices: \n"
      "Root Member(assigned_device_name_index_=-1 "
      "requested_device_name_='/job:localhost/device:GPU:5' "
      "assigned_device_name_='' resource_device_name_='' "
      "supported_device_types_=[CPU] possible_devices_=[]\n"
      "Identity: CPU \n"
      "\n"
      "Colocation members, user-requested devices, and framework assigned "
      "devices, if any:\n"
      "  a (Identity) /job:localhost\n"
      "  b (Identity) /device:GPU:5\n"
      "\n\t [[{{node a}}]]");
}

TEST(error, shows_the_set_of_a_resource) {
  const row_t rows[] = {{"v", "VarHandleOp", .device = "/device:GPU:1"},
                        {"i", "VarIsInitializedOp", "v"}};
  EXPECT_PLACED(
      rows, "CPU:0",
      "INVALID_ARGUMENT: Cannot assign a device for operation i: Could not "
      "satisfy explicit device specification '' because the node "
      "{{colocation_node i}} was colocated with a group of nodes that required "
      "incompatible device '/device:GPU:1'. All available devices [" L
      "CPU:0]. \n"
      "Colocation Debug Info:\n"
      "Colocation group had the following types and supported devices: \n"
      "Root Member(assigned_device_name_index_=-1 "
      "requested_device_name_='/device:GPU:1' assigned_device_name_='' "
      "resource_device_name_='/device:GPU:1' supported_device_types_=[CPU] "
      "possible_devices_=[]\n"
      "VarIsInitializedOp: CPU \n"
      "VarHandleOp: CPU \n"
      "\n"
      "Colocation members, user-requested devices, and framework assigned "
      "devices, if any:\n"
      "  v (VarHandleOp) /device:GPU:1\n"
      "  i (VarIsInitializedOp) \n"
      "\n\t [[{{node i}}]]");
}

TEST(error, tells_which_resources_clash) {
  const row_t rows[] = {{"v", "VarHandleOp", .device = "/device:CPU:1"},
                        {"w", "VarHandleOp", .device = "/device:CPU:2"},
                        {"k", "Const"},
                        {"rk", "Const"},
                        {"up", "ResourceApplyMomentum", "v w rk k rk"}};
  static const char expected[] =
      "INVALID_ARGUMENT: Cannot place the graph because a reference or "
      "resource edge connects colocation groups with incompatible resource "
      "devices: /device:CPU:2 vs /device:CPU:1. The edge src node is name='w' "
      "(op='VarHandleOp'), and the dst node is name='up' "
      "(op='ResourceApplyMomentum').";
  EXPECT_PLACED(rows, "CPU:0 CPU:1 CPU:2", expected);
  EXPECT_PLACED_SOFTLY(rows, "CPU:0 CPU:1 CPU:2", expected);
}

TEST(error, tells_which_kept_devices_clash) {
  machine_t machine;
  berth_error_t err = BERTH_ERROR_INIT;
  berth_placement_t placement;
  const row_t rows[] = {{"v", "VarHandleOp"},
                        {"w", "VarHandleOp"},
                        {"k", "Const"},
                        {"rk", "Const"},
                        {"up", "ResourceApplyMomentum", "v w rk k rk"}};
  const int16_t assigned[] = {0, 1};
  berth_graph_t *graph = BUILD(rows);
  make_machine("CPU:0 GPU:0", &machine);
  berth_place_options_t options = options_for(&machine, graph);
  options.assigned = assigned;
  options.assigned_count = 2;
  EXPECT_FAILS(
      berth_place(graph, &options, &placement, &err), BERTH_INVALID_ARGUMENT,
      &err,
      "Cannot place the graph because a reference or resource edge "
      "connects colocation groups with incompatible assigned devices: " L
      "GPU:0 vs " L
      "CPU:0. The edge src node is name='w' "
      "(op='VarHandleOp'), and the dst node is name='up' "
      "(op='ResourceApplyMomentum').");
  berth_graph_release(graph);
}

// No type has both: NcclAllReduce runs on GPUs, DecodeJpeg on CPUs.
TEST(error, tells_when_no_type_supports_both) {
  const row_t rows[] = {{"k", "Const"},
                        {"s", "Const", .type = BERTH_STRING},
                        {"n", "NcclAllReduce", "k"},
                        {"d", "DecodeJpeg", "s", .groups = "n"}};
  static const char blocks[] =
      "Cannot colocate nodes {{colocation_node d}} and {{colocation_node n}} "
      "because no device type supports both of those nodes and the other nodes "
      "colocated with them.\n"
      "Colocation Debug Info:\n"
      "Colocation group had the following types and supported devices: \n"
      "Root Member(assigned_device_name_index_=-1 requested_device_name_='' "
      "assigned_device_name_='' resource_device_name_='' "
      "supported_device_types_=[CPU] possible_devices_=[]\n"
      "DecodeJpeg: CPU \n"
      "\n"
      "Colocation members, user-requested devices, and framework assigned "
      "devices, if any:\n"
      "  d (DecodeJpeg) \n"
      "\n"
      "Colocation Debug Info:\n"
      "Colocation group had the following types and supported devices: \n"
      "Root Member(assigned_device_name_index_=-1 requested_device_name_='' "
      "assigned_device_name_='' resource_device_name_='' "
      "supported_device_types_=[GPU] possible_devices_=[]\n"
      "NcclAllReduce: GPU \n"
      "\n"
      "Colocation members, user-requested devices, and framework assigned "
      "devices, if any:\n"
      "  n (NcclAllReduce) \n"
      "\n\t [[{{node d}}]]";
  char expected[2048];
  snprintf(expected, sizeof(expected), "INVALID_ARGUMENT: %s", blocks);
  EXPECT_PLACED(rows, "CPU:0 GPU:0", expected);
  EXPECT_PLACED_SOFTLY(rows, "CPU:0 GPU:0",
                       "n GPU:0 default\nd CPU:0 no-gpu-kernel\n"
                       "k GPU:0 default\ns CPU:0 no-gpu-kernel-for-type\n");
}

TEST(error, wraps_clashes_over_an_edge) {
  const row_t rows[] = {{"s", "Const", .type = BERTH_STRING},
                        {"v", "VariableV2", .type = BERTH_FLOAT},
                        {"k", "Const"},
                        {"up", "Assign", "v k", "/device:CPU:0"}};
  machine_t machine;
  berth_placer_t placer;
  berth_error_t err = BERTH_ERROR_INIT;
  berth_graph_t *graph = BUILD(rows);
  make_machine("CPU:0 GPU:0", &machine);
  berth_place_options_t options = options_for(&machine, graph);
  ASSERT_OK(berth_placer_init(&placer, graph, &options, &err), &err);
  ASSERT_OK(berth_place_constrain(&placer, &err), &err);
  // A variable that runs on GPUs alone: no op has that, so it is made here.
  berth_type_list_t gpu = {.count = 1, .types = {0}};
  berth_type_list_t cpu = {.count = 1, .types = {1}};
  ASSERT_OK(
      berth_place_types_add(&placer.types, &gpu, &placer.sets[1].types, &err),
      &err);
  ASSERT_OK(
      berth_place_types_add(&placer.types, &cpu, &placer.sets[3].types, &err),
      &err);
  EXPECT_EQ(berth_place_colocate(&placer, &err), BERTH_INVALID_ARGUMENT);
  static const char prefix[] =
      "Nodes were connected by a reference or resource connection (requiring "
      "them to be on the same device), but the two nodes were assigned two "
      "different devices: Cannot colocate nodes {{colocation_node v}} and "
      "{{colocation_node up}} because no device type supports both";
  EXPECT_EQ(strncmp(berth_error_message(&err), prefix, strlen(prefix)), 0);
  const char *end = strrchr(berth_error_message(&err), '\t');
  EXPECT_STR(end, "\t [[{{node up}}]]");
  berth_error_clear(&err);
  berth_placer_deinit(&placer);
  berth_graph_release(graph);
}

// ---- Earlier placements ----

TEST(error, refuses_to_move_state) {
  machine_t machine;
  berth_placer_t placer;
  berth_error_t err = BERTH_ERROR_INIT;
  const row_t rows[] = {{"v", "VarHandleOp"}};
  const int16_t assigned[] = {1};
  berth_graph_t *graph = BUILD(rows);
  make_machine("CPU:0 GPU:0", &machine);
  berth_place_options_t options = options_for(&machine, graph);
  options.assigned = assigned;
  options.assigned_count = 1;
  ASSERT_OK(berth_placer_init(&placer, graph, &options, &err), &err);
  ASSERT_OK(berth_place_constrain(&placer, &err), &err);
  ASSERT_OK(berth_place_fix(&placer, 0, 1, &err), &err);
  EXPECT_FAILS(berth_place_fix(&placer, 0, 0, &err), BERTH_INTERNAL, &err,
               "Stateful placement mismatch. Current assignment of v to " L
               "CPU:0 does not match " L "GPU:0");
  berth_placer_deinit(&placer);
  berth_graph_release(graph);
}

TEST(error, checks_earlier_devices) {
  machine_t machine;
  berth_error_t err = BERTH_ERROR_INIT;
  berth_placement_t placement;
  const row_t rows[] = {{"s", "Const", .type = BERTH_STRING},
                        {"d", "DecodeJpeg", "s"}};
  int16_t assigned[] = {-1, 1};
  berth_graph_t *graph = BUILD(rows);
  make_machine("CPU:0 GPU:0", &machine);
  berth_place_options_t options = options_for(&machine, graph);
  options.assigned = assigned;
  options.assigned_count = 2;
  EXPECT_FAILS(berth_place(graph, &options, &placement, &err), BERTH_INTERNAL,
               &err,
               "Assigned device '" L
               "GPU:0' does not have registered OpKernel "
               "support for DecodeJpeg\n\t [[{{node d}}]]");
  assigned[1] = 2;
  EXPECT_FAILS(berth_place(graph, &options, &placement, &err), BERTH_INTERNAL,
               &err,
               "Assigned device '2' does not match any device. Here are the "
               "devices available on this machine: [" L "CPU:0, " L
               "GPU:0].\n\t [[{{node d}}]]");
  berth_graph_release(graph);
}

// ---- Machines ----

TEST(error, needs_devices) {
  machine_t machine;
  berth_error_t err = BERTH_ERROR_INIT;
  berth_placement_t placement;
  berth_graph_t *graph = berth_graph_create();
  make_machine("", &machine);
  berth_place_options_t options = options_for(&machine, graph);
  EXPECT_FAILS(berth_place(graph, &options, &placement, &err),
               BERTH_FAILED_PRECONDITION, &err, "No devices are registered");
  EXPECT_EQ(berth_place(graph, &options, &placement, NULL),
            BERTH_FAILED_PRECONDITION);
  berth_graph_release(graph);
}

// ---- The strict mode ----

static void expect_strict(const row_t *rows, int count, bool soft,
                          const char *expected) {
  machine_t machine;
  berth_str_t text = {0};
  berth_graph_t *graph = build(rows, count);
  make_machine("CPU:0 GPU:0", &machine);
  berth_place_options_t options = options_for(&machine, graph);
  options.strict = true;
  options.allow_soft_placement = soft;
  place_and_print(graph, &options, &text);
  EXPECT_STR(berth_str_get(&text), expected);
  berth_str_clear(&text);
  berth_graph_release(graph);
}

TEST(strict, names_what_lands_on_the_cpu) {
  const row_t rows[] = {{"i", "Const", .type = BERTH_INT32},
                        {"m", "MatMul", "i i"},
                        {"s", "Const", .type = BERTH_STRING}};
  expect_strict(rows, 2, false,
                "INVALID_ARGUMENT: Strict placement: 'm' (MatMul) is on " L
                "CPU:0: TensorFlow has no GPU kernel for MatMul with "
                "T=DT_INT32. Nothing asked for a CPU. Ask for '/cpu:0' where "
                "that is meant, or turn strict placement off.");
  expect_strict(rows, 3, false,
                "INVALID_ARGUMENT: Strict placement: 'm' (MatMul) is on " L
                "CPU:0: TensorFlow has no GPU kernel for MatMul with "
                "T=DT_INT32. Nothing asked for a CPU (and 1 more nodes). Ask "
                "for '/cpu:0' where that is meant, or turn strict placement "
                "off.");
}

TEST(strict, accepts_what_was_asked_for) {
  const row_t rows[] = {{"i", "Const", .type = BERTH_INT32},
                        {"m", "MatMul", "i i", "/device:CPU:0"},
                        {"n", "MatMul", "i i", "/device:CPU:3"}};
  expect_strict(rows, 2, false, "m CPU:0 asked\ni CPU:0 generator m\n");
  expect_strict(rows, 3, true,
                "m CPU:0 asked\nn CPU:0 soft-no-device\n"
                "i CPU:0 generator m\n");
}
