// log_test.c - Tests of the placement log against listings of TensorFlow.
//
// tests/data/oracle/expected has what the documentation's programs print (classic as
// the old guides show it, modern as 2.21 prints), tests/data/oracle/transcripts what
// 2.21 did with small programs on several CPU devices.
#include "harness.h"
// The harness defines main() and comes first.
#include <fcntl.h>

#include "place/place_testing.h"

// ---- Reading files, capturing output ----

static void read_file(const char *path, berth_str_t *str) {
  char full[512], chunk[4096];
  snprintf(full, sizeof(full), "%s/tests/data/oracle/%s", BERTH_SOURCE_DIR, path);
  FILE *file = fopen(full, "rb");
  if (file == NULL) {
    HARNESS_FAIL("cannot read %s", full);
    return;
  }
  for (size_t size; (size = fread(chunk, 1, sizeof(chunk), file)) > 0;) {
    berth_str_put(str, chunk, size);
  }
  fclose(file);
}

// Everything written since capture_begin(): stdout, and records of the log as
// `I file:line] text`.
typedef struct capture {
  int saved;
  FILE *file;
  berth_str_t out;
  berth_str_t err;
} capture_t;

static void take_record(berth_log_level_t level, const char *file, int line,
                        const char *text, void *arg) {
  capture_t *capture = arg;
  berth_str_printf(&capture->err, "%c %s:%d] %s\n", "IWE"[level], file, line,
                   text);
}

static void capture_begin(capture_t *capture) {
  *capture = (capture_t){0};
  fflush(stdout);
  capture->saved = dup(STDOUT_FILENO);
  capture->file = tmpfile();
  if (capture->file == NULL || capture->saved < 0 ||
      dup2(fileno(capture->file), STDOUT_FILENO) < 0) {
    HARNESS_FAIL("cannot capture stdout");
  }
  berth_log_set_callback(take_record, capture);
}

static void capture_end(capture_t *capture) {
  char chunk[4096];
  fflush(stdout);
  dup2(capture->saved, STDOUT_FILENO);
  close(capture->saved);
  berth_log_set_callback(NULL, NULL);
  rewind(capture->file);
  for (size_t size;
       (size = fread(chunk, 1, sizeof(chunk), capture->file)) > 0;) {
    berth_str_put(&capture->out, chunk, size);
  }
  fclose(capture->file);
}

static void capture_clear(capture_t *capture) {
  berth_str_clear(&capture->out);
  berth_str_clear(&capture->err);
}

// ---- Text ----

// Appends |text| with every |from| replaced by |to|.
static void replace(const char *text, const char *from, const char *to,
                    berth_str_t *str) {
  for (const char *hit; (hit = strstr(text, from)) != NULL;) {
    berth_str_put(str, text, (size_t)(hit - text));
    berth_str_puts(str, to);
    text = hit + strlen(from);
  }
  berth_str_puts(str, text);
}

// Appends the lines of |text| that |keep| accepts.
static void filter_lines(const char *text, bool (*keep)(const char *line),
                         berth_str_t *str) {
  while (*text != '\0') {
    size_t size = strcspn(text, "\n");
    if (keep(text)) {
      berth_str_put(str, text, size);
      berth_str_putc(str, '\n');
    }
    text += size + (text[size] == '\n');
  }
}

static bool is_no_result(const char *line) {
  return line[0] != '[' && line[0] != ' ';
}

static bool is_placement(const char *line) {
  size_t size = strcspn(line, "\n");
  const char *mark = strstr(line, "): /job:");
  return mark != NULL && mark < line + size && strncmp(line, "I0000", 5) != 0;
}

// What the listings of the guides leave to chance: broken lines, new names.
static void normalise_classic(const char *text, berth_str_t *str) {
  berth_str_t joined = {0}, named = {0};
  replace(text, "pci bus\nid", "pci bus id", &joined);
  replace(berth_str_get(&joined), "/device:GPU:", "/gpu:", &named);
  filter_lines(berth_str_get(&named), is_no_result, str);
  berth_str_clear(&joined);
  berth_str_clear(&named);
}

// ---- The documentation's programs ----

typedef enum program { LOG_PLACEMENT, MANUAL, SINGLE_GPU, MULTI_GPU } program_t;

static berth_out_t build_product(berth_graph_t *graph, const char *a_name,
                                 const char *b_name, bool is_popped) {
  static const float values[] = {1, 2, 3, 4, 5, 6};
  berth_out_t a = berth_const_f32(graph, a_name, values, BERTH_SHAPE(2, 3));
  berth_out_t b = berth_const_f32(graph, b_name, values, BERTH_SHAPE(3, 2));
  if (is_popped) berth_device_pop(graph);
  berth_op_t *op = berth_op_begin(graph, "MatMul", NULL);
  berth_op_input(op, a);
  berth_op_input(op, b);
  return (berth_out_t){berth_op_finish(op), 0};
}

static void build_towers(berth_graph_t *graph) {
  berth_out_t towers[2];
  for (int i = 0; i < 2; ++i) {
    berth_device_push(graph, i == 0 ? "/gpu:2" : "/gpu:3");
    towers[i] = build_product(graph, NULL, NULL, false);
    berth_device_pop(graph);
  }
  berth_device_push(graph, "/cpu:0");
  berth_op_t *op = berth_op_begin(graph, "AddN", NULL);
  berth_op_input_list(op, towers, 2);
  berth_op_finish(op);
  berth_device_pop(graph);
}

static berth_graph_t *build_program(program_t program) {
  berth_graph_t *graph = berth_graph_create();
  switch (program) {
    case LOG_PLACEMENT:
      build_product(graph, "a", "b", false);
      break;
    case MANUAL:
      berth_device_push(graph, "/cpu:0");
      build_product(graph, "a", "b", true);
      break;
    case SINGLE_GPU:
      berth_device_push(graph, "/gpu:2");
      build_product(graph, "a", "b", false);
      berth_device_pop(graph);
      break;
    case MULTI_GPU:
      build_towers(graph);
      break;
  }
  return graph;
}

// Fills |machine| with the hardware of the listings: "k40c", "4xk20m", "cpu".
static void make_hardware(const char *name, machine_t *machine) {
  static const char *const cards[] = {
      "device: 0, name: Tesla K20m, pci bus id: 0000:02:00.0, compute "
      "capability: 3.5",
      "device: 1, name: Tesla K20m, pci bus id: 0000:03:00.0, compute "
      "capability: 3.5",
      "device: 2, name: Tesla K20m, pci bus id: 0000:83:00.0, compute "
      "capability: 3.5",
      "device: 3, name: Tesla K20m, pci bus id: 0000:84:00.0, compute "
      "capability: 3.5"};
  if (strcmp(name, "cpu") == 0) {
    make_machine("CPU:0", machine);
  } else if (strcmp(name, "k40c") == 0) {
    make_machine("CPU:0 GPU:0", machine);
    machine->devices[1].description =
        "device: 0, name: Tesla K40c, pci bus id: 0000:05:00.0, compute "
        "capability: 3.5";
  } else {
    make_machine("CPU:0 GPU:0 GPU:1 GPU:2 GPU:3", machine);
    for (int i = 0; i < 4; ++i) machine->devices[i + 1].description = cards[i];
  }
}

// Runs |program| as a session would: the mapping, then the placement.
static berth_code_t run_program(program_t program, const char *hardware,
                                berth_log_style_t style, bool soft,
                                capture_t *capture, berth_error_t *err) {
  machine_t machine;
  berth_placement_t placement = {0};
  berth_graph_t *graph = build_program(program);
  make_hardware(hardware, &machine);
  berth_place_options_t options = options_for(&machine, graph);
  options.log = true;
  options.style = style;
  options.allow_soft_placement = soft;
  capture_begin(capture);
  berth_place_log_devices(&options);
  berth_code_t code = berth_place(graph, &options, &placement, err);
  capture_end(capture);
  berth_placement_deinit(&placement);
  berth_graph_release(graph);
  return code;
}

typedef struct listing {
  const char *file;  // Below expected/classic or expected/modern, no suffix.
  const char *hardware;
  program_t program;
  bool soft;
} listing_t;

TEST(log, prints_the_classic_listings) {
  static const listing_t cases[] = {
      {"s1_6_check_gpu.k40c", "k40c", LOG_PLACEMENT, false},
      {"s3_1_log_placement.k40c", "k40c", LOG_PLACEMENT, false},
      {"s3_2_manual_placement.k40c", "k40c", MANUAL, false},
      {"s3_5_single_gpu.4xk20m", "4xk20m", SINGLE_GPU, false},
      {"s3_6_soft_placement.k40c", "k40c", SINGLE_GPU, true},
      {"s3_7_multi_gpu.4xk20m", "4xk20m", MULTI_GPU, false},
      {"s4_1_log_placement.k40c", "k40c", LOG_PLACEMENT, false},
      {"s4_2_manual_placement.k40c", "k40c", MANUAL, false},
      {"s4_5_single_gpu.4xk20m", "4xk20m", SINGLE_GPU, false},
      {"s4_6_soft_placement.k40c", "k40c", SINGLE_GPU, true},
      {"s4_7_multi_gpu.4xk20m", "4xk20m", MULTI_GPU, false},
  };
  for (int i = 0; i < BERTH_COUNT_OF(cases); ++i) {
    char path[128];
    berth_error_t err = BERTH_ERROR_INIT;
    berth_str_t file = {0}, expected = {0};
    capture_t capture;
    snprintf(path, sizeof(path), "expected/classic/%s.out", cases[i].file);
    read_file(path, &file);
    normalise_classic(berth_str_get(&file), &expected);
    ASSERT_OK(run_program(cases[i].program, cases[i].hardware,
                          BERTH_STYLE_CLASSIC, cases[i].soft, &capture, &err),
              &err);
    EXPECT_STR(berth_str_get(&capture.out), berth_str_get(&expected));
    EXPECT_STR(berth_str_get(&capture.err), "");
    berth_str_clear(&file);
    berth_str_clear(&expected);
    capture_clear(&capture);
  }
}

// Compares with the guide's error, whose line breaks are typography.
TEST(log, words_the_classic_error) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_str_t file = {0}, shown = {0}, told = {0};
  capture_t capture;
  read_file("expected/classic/s4_5_single_gpu.cpu.exc", &file);
  EXPECT_EQ(run_program(SINGLE_GPU, "cpu", BERTH_STYLE_CLASSIC, false, &capture,
                        &err),
            BERTH_INVALID_ARGUMENT);
  EXPECT_STR(berth_error_message(&err),
             "Cannot assign a device to node 'b': Could not satisfy explicit "
             "device specification '/gpu:2'\n\t [[Node: b = "
             "Const[dtype=DT_FLOAT, value=Tensor<type: float shape: [3,2] "
             "values: 1 2 3...>, _device=\"/gpu:2\"]()]]");
  for (const char *p = berth_str_get(&file); *p != '\0'; ++p) {
    if (strchr(" \n\t", *p) == NULL) berth_str_putc(&shown, *p);
  }
  berth_str_puts(&told, "InvalidArgumentError:Invalidargument:");
  for (const char *p = berth_error_message(&err); *p != '\0'; ++p) {
    if (strchr(" \n\t", *p) == NULL) berth_str_putc(&told, *p);
  }
  EXPECT_STR(berth_str_get(&told), berth_str_get(&shown));
  EXPECT_STR(berth_str_get(&capture.out),
             "Device mapping: no known devices.\n");
  berth_str_clear(&file);
  berth_str_clear(&shown);
  berth_str_clear(&told);
  capture_clear(&capture);
  berth_error_clear(&err);
}

// ---- 2.21 ----

// True for records that placement writes.
static bool is_ours(const char *line) {
  size_t size = strcspn(line, "\n");
  const char *created = strstr(line, "gpu_device.cc");
  return strncmp(line, "WARNING:", 8) != 0 &&
         strncmp(line, "Instructions", 12) != 0 &&
         strncmp(line, "Colocations handled", 19) != 0 &&
         (created == NULL || created > line + size);
}

// Cuts |text| before the traceback and turns heads of records into `I `.
static void normalise_records(const char *text, berth_str_t *str) {
  berth_str_t head = {0}, info = {0}, warning = {0};
  const char *end = strstr(text, "Traceback (most");
  berth_str_put(&head, text, end != NULL ? (size_t)(end - text) : strlen(text));
  replace(berth_str_get(&head), "I0000 00:00:<time> <tid> ", "I ", &info);
  replace(berth_str_get(&info), "W0000 00:00:<time> <tid> ", "W ", &warning);
  filter_lines(berth_str_get(&warning), is_ours, str);
  berth_str_clear(&head);
  berth_str_clear(&info);
  berth_str_clear(&warning);
}

static void expect_modern(const listing_t *listing) {
  char path[128];
  berth_error_t err = BERTH_ERROR_INIT;
  berth_str_t file = {0}, out = {0}, records = {0};
  capture_t capture;
  snprintf(path, sizeof(path), "expected/modern/%s.out", listing->file);
  read_file(path, &file);
  filter_lines(berth_str_get(&file), is_placement, &out);
  berth_str_clear(&file);
  snprintf(path, sizeof(path), "expected/modern/%s.err", listing->file);
  read_file(path, &file);
  normalise_records(berth_str_get(&file), &records);
  berth_code_t code =
      run_program(listing->program, listing->hardware, BERTH_STYLE_TF2,
                  listing->soft, &capture, &err);
  EXPECT_STR(berth_str_get(&capture.out), berth_str_get(&out));
  EXPECT_STR(berth_str_get(&capture.err), berth_str_get(&records));
  if (code != BERTH_OK) {
    EXPECT_TRUE(strstr(berth_str_get(&file), berth_error_message(&err)) !=
                NULL);
  }
  berth_error_clear(&err);
  berth_str_clear(&file);
  berth_str_clear(&out);
  berth_str_clear(&records);
  capture_clear(&capture);
}

TEST(log, prints_as_tensorflow_2) {
  static const listing_t cases[] = {
      {"s3_1_log_placement.cpu", "cpu", LOG_PLACEMENT, false},
      {"s3_1_log_placement.k40c", "k40c", LOG_PLACEMENT, false},
      {"s3_2_manual_placement.cpu", "cpu", MANUAL, false},
      {"s3_2_manual_placement.k40c", "k40c", MANUAL, false},
      {"s3_5_single_gpu.cpu", "cpu", SINGLE_GPU, false},
      {"s3_5_single_gpu.k40c", "k40c", SINGLE_GPU, false},
      {"s3_5_single_gpu.4xk20m", "4xk20m", SINGLE_GPU, false},
      {"s3_6_soft_placement.cpu", "cpu", SINGLE_GPU, true},
      {"s3_6_soft_placement.k40c", "k40c", SINGLE_GPU, true},
      {"s3_6_soft_placement.4xk20m", "4xk20m", SINGLE_GPU, true},
      {"s3_7_multi_gpu.cpu", "cpu", MULTI_GPU, false},
      {"s3_7_multi_gpu.k40c", "k40c", MULTI_GPU, false},
      {"s3_7_multi_gpu.4xk20m", "4xk20m", MULTI_GPU, false},
  };
  for (int i = 0; i < BERTH_COUNT_OF(cases); ++i) expect_modern(&cases[i]);
}

TEST(log, prints_each_line_once_by_default) {
  berth_error_t err = BERTH_ERROR_INIT;
  capture_t capture;
  ASSERT_OK(
      run_program(MANUAL, "k40c", BERTH_STYLE_DEFAULT, false, &capture, &err),
      &err);
  EXPECT_STR(berth_str_get(&capture.out),
             "Device mapping:\n"
             "/job:localhost/replica:0/task:0/device:GPU:0 -> device: 0, name: "
             "Tesla K40c, pci bus id: 0000:05:00.0, compute capability: 3.5\n"
             "MatMul: (MatMul): /job:localhost/replica:0/task:0/device:GPU:0\n"
             "a: (Const): /job:localhost/replica:0/task:0/device:CPU:0\n"
             "b: (Const): /job:localhost/replica:0/task:0/device:CPU:0\n");
  EXPECT_STR(berth_str_get(&capture.err), "");
  capture_clear(&capture);
}

// ---- Programs that were run on TensorFlow with several CPU devices ----

typedef struct probe_run {
  const row_t *rows;
  int count;
  const char *machine;
  bool soft;
  bool fails;
  bool is_grown;  // Goes on with the graph and session of the run before.
} probe_run_t;

static void run_probe(const probe_run_t *run, berth_graph_t **graph) {
  machine_t machine;
  berth_error_t err = BERTH_ERROR_INIT;
  berth_placement_t placement = {0};
  if (run->is_grown) {
    add_rows(*graph, run->rows, run->count);
  } else {
    berth_graph_release(*graph);
    *graph = build(run->rows, run->count);
  }
  make_machine(run->machine, &machine);
  berth_place_options_t options = options_for(&machine, *graph);
  options.log = true;
  options.style = BERTH_STYLE_TF2;
  options.allow_soft_placement = run->soft;
  if (!run->is_grown) berth_place_log_devices(&options);
  berth_code_t code = berth_place(*graph, &options, &placement, &err);
  EXPECT_EQ(code, run->fails ? BERTH_INVALID_ARGUMENT : BERTH_OK);
  berth_placement_deinit(&placement);
  berth_error_clear(&err);
}

// Compares what |runs| log with what the transcript |name| shows.
static void expect_transcript(const char *name, const probe_run_t *runs,
                              int count) {
  char path[128];
  berth_str_t file = {0}, out = {0}, records = {0};
  capture_t capture;
  berth_graph_t *graph = berth_graph_create();
  snprintf(path, sizeof(path), "transcripts/%s.txt", name);
  read_file(path, &file);
  const char *stderr_part = strstr(berth_str_get(&file), "--- stderr\n");
  ASSERT_TRUE(stderr_part != NULL);
  filter_lines(berth_str_get(&file), is_placement, &out);
  normalise_records(stderr_part + strlen("--- stderr\n"), &records);
  capture_begin(&capture);
  for (int i = 0; i < count; ++i) run_probe(&runs[i], &graph);
  capture_end(&capture);
  EXPECT_STR(berth_str_get(&capture.out), berth_str_get(&out));
  EXPECT_STR(berth_str_get(&capture.err), berth_str_get(&records));
  berth_graph_release(graph);
  berth_str_clear(&file);
  berth_str_clear(&out);
  berth_str_clear(&records);
  capture_clear(&capture);
}

TEST(transcript, towers) {
  const row_t rows[] = {
      {"Const", "Const", .device = "/device:CPU:2"},
      {"Const_1", "Const", .device = "/device:CPU:2"},
      {"MatMul", "MatMul", "Const Const_1", "/device:CPU:2"},
      {"Const_2", "Const", .device = "/device:CPU:3"},
      {"Const_3", "Const", .device = "/device:CPU:3"},
      {"MatMul_1", "MatMul", "Const_2 Const_3", "/device:CPU:3"},
      {"AddN", "AddN", "MatMul MatMul_1", "/device:CPU:0"}};
  const probe_run_t runs[] = {{rows, 7, "CPU:0 CPU:1 CPU:2 CPU:3"}};
  expect_transcript("place_towers", runs, 1);
}

TEST(transcript, manual_two) {
  const row_t rows[] = {{"a", "Const", .device = "/device:CPU:1"},
                        {"b", "Const", .device = "/device:CPU:1"},
                        {"MatMul", "MatMul", "a b"}};
  const probe_run_t runs[] = {{rows, 3, "CPU:0 CPU:1"}};
  expect_transcript("place_manual_two", runs, 1);
}

TEST(transcript, generators_follow) {
  const row_t rows[] = {
      {"a_one_consumer", "Const"},
      {"b_two_devices", "Const"},
      {"c_no_consumer", "Const"},
      {"d_pinned", "Const", .device = "/device:CPU:0"},
      {"e_random/shape", "Const", .type = BERTH_INT32},
      {"e_random/RandomUniform", "RandomUniform", "e_random/shape"},
      {"p_placeholder", "Placeholder"},
      {"i_in", "Const"},
      {"i_not_generator", "Identity", "i_in"},
      {"k_control", "Const"},
      {"x2", "AddV2", "a_one_consumer b_two_devices", "/device:CPU:2"},
      {"z2", "AddV2", "d_pinned i_not_generator", "/device:CPU:2"},
      {"q2", "AddV2", "p_placeholder e_random/RandomUniform", "/device:CPU:2"},
      {"n2", "NoOp", "^k_control", "/device:CPU:2"},
      {"y1", "Neg", "b_two_devices", "/device:CPU:1"}};
  const probe_run_t runs[] = {{rows, 15, "CPU:0 CPU:1 CPU:2"}};
  expect_transcript("place_generators_follow", runs, 1);
}

TEST(transcript, metadata_follow) {
  const row_t rows[] = {{"p", "Placeholder"},
                        {"x1", "Square", "p", "/device:CPU:1"},
                        {"shape", "Shape", "x1"},
                        {"size", "Size", "x1"},
                        {"rank", "Rank", "x1"},
                        {"shape_pinned", "Shape", "x1", "/device:CPU:0"},
                        {"not_metadata", "Identity", "x1"}};
  const probe_run_t runs[] = {{rows, 7, "CPU:0 CPU:1"}};
  expect_transcript("place_metadata_follow", runs, 1);
}

TEST(transcript, ref_edge) {
  const row_t rows[] = {
      {"v/initial_value", "Const", .device = "/device:CPU:1"},
      {"v", "VariableV2", .device = "/device:CPU:1"},
      {"v/Assign", "Assign", "v v/initial_value", "/device:CPU:1",
       .groups = "v"},
      {"v/read", "Identity", "v", "/device:CPU:1", .groups = "v"},
      {"up/value", "Const", .device = "/device:CPU:2"},
      // Python itself gives an op on a reference the variable's device.
      {"up", "Assign", "v up/value", "/device:CPU:1", .groups = "v"}};
  const probe_run_t runs[] = {{rows, 6, "CPU:0 CPU:1 CPU:2"},
                              {rows, 6, "CPU:0 CPU:1 CPU:2", .soft = true}};
  expect_transcript("place_ref_edge", runs, 2);
}

TEST(transcript, resource_edge) {
  row_t rows[2][9];
  static const char *const devices[] = {"/device:CPU:2", "/device:GPU:0"};
  for (int i = 0; i < 2; ++i) {
    const row_t built[] = {
        {"v/Initializer/initial_value", "Const", .device = "/device:CPU:1"},
        {"v", "VarHandleOp", .device = "/device:CPU:1"},
        {"v/IsInitialized/VarIsInitializedOp", "VarIsInitializedOp", "v",
         "/device:CPU:1"},
        {"v/Assign", "AssignVariableOp", "v v/Initializer/initial_value",
         "/device:CPU:1"},
        {"v/Read/ReadVariableOp", "ReadVariableOp", "v", "/device:CPU:1"},
        {"r", "ReadVariableOp", "v", devices[i]},
        {"Const", "Const", .device = devices[i]},
        {"up", "AssignAddVariableOp", "v Const", devices[i]}};
    memcpy(rows[i], built, sizeof(built));
  }
  const probe_run_t runs[] = {{rows[0], 8, "CPU:0 CPU:1 CPU:2"},
                              {rows[1], 8, "CPU:0 CPU:1 CPU:2", .fails = true},
                              {rows[0], 8, "CPU:0 CPU:1 CPU:2", .soft = true},
                              {rows[1], 8, "CPU:0 CPU:1 CPU:2", .soft = true}};
  expect_transcript("place_resource_edge", runs, 4);
}

TEST(transcript, colocation_conflict) {
  // The requests of a and b, and whether they fail without and with softness.
  static const struct {
    const char *a, *b;
    bool hard_fails, soft_fails;
  } cases[] = {
      {"/cpu:1", "/cpu:2", true, false},
      {"/gpu:1", "/gpu:1", true, false},
      {"/job:localhost/cpu:1", "/job:other/cpu:1", true, true},
      {"/cpu:1", "/gpu:1", true, false},
      {"/cpu:1", "", false, false},
      {"", "/cpu:2", false, false},
      {"/task:0/cpu:1", "/task:1/cpu:1", true, true},
      {"/job:localhost", "/cpu:2", false, false},
  };
  enum { COUNT = sizeof(cases) / sizeof(cases[0]) };
  row_t rows[COUNT][3];
  probe_run_t runs[2 * COUNT];
  for (int i = 0; i < COUNT; ++i) {
    const row_t built[] = {{"k", "Const"},
                           {"a", "Identity", "k", cases[i].a},
                           {"b", "Identity", "a", cases[i].b, .groups = "a"}};
    memcpy(rows[i], built, sizeof(built));
    runs[2 * i] = (probe_run_t){rows[i], 3, "CPU:0 CPU:1 CPU:2", false,
                                cases[i].hard_fails};
    runs[2 * i + 1] = (probe_run_t){rows[i], 3, "CPU:0 CPU:1 CPU:2", true,
                                    cases[i].soft_fails};
  }
  expect_transcript("place_colocation_conflict", runs, 2 * COUNT);
}

TEST(transcript, extend_log) {
  const row_t first[] = {{"a", "Const"}, {"b", "AddV2", "a a"}};
  const row_t more[] = {{"c/y", "Const"}, {"c", "Mul", "b c/y"}};
  const probe_run_t runs[] = {{first, 2, "CPU:0"},
                              {more, 2, "CPU:0", .is_grown = true}};
  expect_transcript("place_extend_log", runs, 2);
}

TEST(transcript, soft_variable) {
  const row_t rows[] = {
      {"v/initial_value", "Const", .device = "/device:GPU:0"},
      {"v", "VariableV2", .device = "/device:GPU:0"},
      {"v/Assign", "Assign", "v v/initial_value", "/device:GPU:0",
       .groups = "v"},
      {"v/read", "Identity", "v", "/device:GPU:0", .groups = "v"},
      {"mul/y", "Const", .device = "/device:GPU:0"},
      {"mul", "Mul", "v/read mul/y", "/device:GPU:0"},
      {"init", "NoOp", "^v/Assign", "/device:GPU:0"}};
  const probe_run_t runs[] = {{rows, 7, "CPU:0", .soft = true}};
  expect_transcript("place_soft_variable", runs, 1);
}
