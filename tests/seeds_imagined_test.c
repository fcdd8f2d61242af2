// seeds_imagined_test.c - The guides' programs on the guides' machines.
//
// tests/oracle/expected has what the programs print on one Tesla K40c and on
// four K20m: as the guides show it (classic) and as TensorFlow 2.21 prints it
// (modern). No such machine is needed: a plan for imagined devices writes the
// mapping and the placements, and the values are computed on the CPU, softly.
#include "harness.h"
// The harness defines main() and comes first.
#include <berth/berth.h>

enum { MAX_TEXT = 1 << 14, MAX_DEVICES = 5 };

// ---- Texts ----

typedef struct text {
  char data[MAX_TEXT];
  size_t size;
} text_t;

static void put(text_t *text, const char *data, size_t size) {
  if (text->size + size >= MAX_TEXT) {
    HARNESS_FAIL("a text is longer than %d bytes", MAX_TEXT);
    return;
  }
  memcpy(text->data + text->size, data, size);
  text->size += size;
  text->data[text->size] = '\0';
}

static void read_stream(FILE *file, text_t *text) {
  text->size = fread(text->data, 1, MAX_TEXT - 1, file);
  text->data[text->size] = '\0';
}

static void read_expected(const char *folder, const char *name,
                          const char *ending, text_t *text) {
  char path[512];
  snprintf(path, sizeof(path), "%s/tests/oracle/expected/%s/%s.%s",
           BERTH_SOURCE_DIR, folder, name, ending);
  *text = (text_t){0};
  FILE *file = fopen(path, "rb");
  if (file == NULL) {
    HARNESS_FAIL("cannot read %s", path);
    return;
  }
  read_stream(file, text);
  fclose(file);
}

// Copies |from| with every |old| replaced by |new|.
static void replace(const char *from, const char *old, const char *new,
                    text_t *to) {
  *to = (text_t){0};
  for (const char *hit; (hit = strstr(from, old)) != NULL;) {
    put(to, from, (size_t)(hit - from));
    put(to, new, strlen(new));
    from = hit + strlen(old);
  }
  put(to, from, strlen(from));
}

// Copies |from| without spaces and brackets: the guides lost some of both.
static void squeeze(const char *from, text_t *to) {
  *to = (text_t){0};
  for (; *from != '\0'; ++from) {
    if (strchr(" []", *from) == NULL) put(to, from, 1);
  }
}

// ---- The programs ----

typedef enum program { LOG_PLACEMENT, MANUAL, SINGLE_GPU, MULTI_GPU } program_t;

static berth_out_t build_product(berth_graph_t *graph, const char *a_name,
                                 const char *b_name, const char *input_device,
                                 const char *device) {
  static const float values[] = {1, 2, 3, 4, 5, 6};
  berth_device_push(graph, input_device);
  berth_out_t a = berth_const_f32(graph, a_name, values, BERTH_SHAPE(2, 3));
  berth_out_t b = berth_const_f32(graph, b_name, values, BERTH_SHAPE(3, 2));
  berth_device_pop(graph);
  berth_device_push(graph, device);
  berth_out_t product = berth_matmul(graph, NULL, a, b);
  berth_device_pop(graph);
  return product;
}

static berth_out_t build_program(berth_graph_t *graph, program_t program) {
  berth_out_t towers[2];
  switch (program) {
    case LOG_PLACEMENT:
      return build_product(graph, "a", "b", "", "");
    case MANUAL:
      return build_product(graph, "a", "b", "/cpu:0", "");
    case SINGLE_GPU:
      return build_product(graph, "a", "b", "/gpu:2", "/gpu:2");
    case MULTI_GPU:
      towers[0] = build_product(graph, NULL, NULL, "/gpu:2", "/gpu:2");
      towers[1] = build_product(graph, NULL, NULL, "/gpu:3", "/gpu:3");
      berth_device_push(graph, "/cpu:0");
      berth_out_t sum = berth_add_n(graph, NULL, towers, 2);
      berth_device_pop(graph);
      return sum;
  }
  return (berth_out_t){BERTH_NO_NODE, 0};
}

// ---- The machines ----

typedef struct machine {
  const char *devices[MAX_DEVICES];
  char texts[MAX_DEVICES][128];
  const char *descriptions[MAX_DEVICES];
  int count;
} machine_t;

static void add_gpu(machine_t *machine, const char *card, const char *bus) {
  static const char *const names[] = {"GPU:0", "GPU:1", "GPU:2", "GPU:3"};
  int index = machine->count++;
  snprintf(machine->texts[index], sizeof(machine->texts[index]),
           "device: %d, name: %s, pci bus id: 0000:%s:00.0, compute "
           "capability: 3.5",
           index - 1, card, bus);
  machine->devices[index] = names[index - 1];
  machine->descriptions[index] = machine->texts[index];
}

static void make_machine(const char *hardware, machine_t *machine) {
  *machine =
      (machine_t){.devices = {"CPU:0"}, .descriptions = {""}, .count = 1};
  if (strcmp(hardware, "k40c") == 0) add_gpu(machine, "Tesla K40c", "05");
  if (strcmp(hardware, "4xk20m") != 0) return;
  add_gpu(machine, "Tesla K20m", "02");
  add_gpu(machine, "Tesla K20m", "03");
  add_gpu(machine, "Tesla K20m", "83");
  add_gpu(machine, "Tesla K20m", "84");
}

// ---- Running one there ----

typedef struct output {
  text_t out, err;
  berth_code_t code;
  berth_error_t error;
} output_t;

static void take_record(berth_log_level_t level, const char *file, int line,
                        const char *text, void *arg) {
  char start[256];
  output_t *output = arg;
  snprintf(start, sizeof(start), "%c0000 00:00:<time> <tid> %s:%d] ",
           "IWE"[level], file, line);
  put(&output->err, start, strlen(start));
  put(&output->err, text, strlen(text));
  put(&output->err, "\n", 1);
}

// Plans with the log going to |output|.
static void plan(const berth_graph_t *graph,
                 const berth_plan_options_t *options, output_t *output) {
  berth_plan_t *made = NULL;
  fflush(stdout);
  int saved = dup(STDOUT_FILENO);
  FILE *file = tmpfile();
  if (saved < 0 || file == NULL || dup2(fileno(file), STDOUT_FILENO) < 0) {
    HARNESS_FAIL("cannot capture stdout");
    return;
  }
  berth_log_set_callback(take_record, output);
  output->code = berth_plan_create(graph, options, &made, &output->error);
  berth_log_set_callback(NULL, NULL);
  fflush(stdout);
  dup2(saved, STDOUT_FILENO);
  close(saved);
  rewind(file);
  read_stream(file, &output->out);
  fclose(file);
  berth_plan_destroy(made);
}

// Appends the value of |fetch|, computed on the CPU.
static void put_value(berth_graph_t *graph, berth_out_t fetch,
                      berth_log_style_t style, text_t *text) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_config_t config = BERTH_CONFIG_INIT;
  berth_session_t *session = NULL;
  berth_tensor_t *value = NULL;
  char *printed = NULL;
  config.allow_soft_placement = true;
  ASSERT_OK(berth_session_create(graph, &config, &session, &err), &err);
  ASSERT_OK(berth_session_run(session, NULL, 0, &fetch, 1, &value, &err), &err);
  ASSERT_OK(style == BERTH_STYLE_CLASSIC
                ? berth_tensor_format_classic(value, &printed, &err)
                : berth_tensor_format(value, &printed, &err),
            &err);
  put(text, printed, strlen(printed));
  put(text, "\n", 1);
  berth_text_free(printed);
  berth_tensor_release(value);
  berth_session_destroy(session);
}

typedef struct listing {
  const char *name;  // Below expected/, without ending.
  const char *hardware;
  program_t program;
  bool is_soft;
} listing_t;

static void run_listing(const listing_t *listing, berth_log_style_t style,
                        output_t *output) {
  machine_t machine;
  make_machine(listing->hardware, &machine);
  berth_graph_t *graph = berth_graph_create();
  berth_out_t fetch = build_program(graph, listing->program);
  berth_plan_options_t options = {
      .devices = machine.devices,
      .descriptions = machine.descriptions,
      .device_count = machine.count,
      .allow_soft_placement = listing->is_soft,
      .log = true,
      .style = style,
  };
  *output = (output_t){0};
  plan(graph, &options, output);
  if (output->code == BERTH_OK) put_value(graph, fetch, style, &output->out);
  berth_graph_release(graph);
}

// ---- Comparing ----

// As a program prints it: mapping lines in one piece, devices by their old
// names.
static void expect_classic(const char *printed, const char *listed) {
  static text_t joined, renamed, expected, found;
  replace(listed, "pci bus\nid", "pci bus id", &joined);
  replace(joined.data, "/device:GPU:", "/gpu:", &renamed);
  squeeze(renamed.data, &expected);
  squeeze(printed, &found);
  EXPECT_STR(found.data, expected.data);
}

TEST(seeds, classic_listings) {
  static const listing_t listings[] = {
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
  static output_t output;
  static text_t listed;
  for (size_t i = 0; i < sizeof(listings) / sizeof(listings[0]); ++i) {
    run_listing(&listings[i], BERTH_STYLE_CLASSIC, &output);
    EXPECT_EQ(output.code, BERTH_OK);
    read_expected("classic", listings[i].name, "out", &listed);
    expect_classic(output.out.data, listed.data);
    EXPECT_STR(output.err.data, "");
    berth_error_clear(&output.error);
  }
}

// Copies the lines of |from| that placement writes: not those about making
// devices, nothing from Python's traceback on.
static void keep_placement(const char *from, text_t *to) {
  *to = (text_t){0};
  while (*from != '\0' && strncmp(from, "Traceback", 9) != 0) {
    size_t size = strcspn(from, "\n");
    size += from[size] == '\n';
    const char *maker = strstr(from, "gpu_device.cc");
    if (maker == NULL || maker > from + size) put(to, from, size);
    from += size;
  }
}

static void expect_modern(const listing_t *listing) {
  static output_t output;
  static text_t out, err, kept;
  run_listing(listing, BERTH_STYLE_TF2, &output);
  EXPECT_EQ(output.code, BERTH_OK);
  read_expected("modern", listing->name, "out", &out);
  read_expected("modern", listing->name, "err", &err);
  keep_placement(err.data, &kept);
  EXPECT_STR(output.out.data, out.data);
  EXPECT_STR(output.err.data, kept.data);
  berth_error_clear(&output.error);
}

TEST(seeds, modern_listings) {
  static const listing_t listings[] = {
      {"s1_6_check_gpu.k40c", "k40c", LOG_PLACEMENT, false},
      {"s3_1_log_placement.k40c", "k40c", LOG_PLACEMENT, false},
      {"s3_2_manual_placement.k40c", "k40c", MANUAL, false},
      {"s3_5_single_gpu.4xk20m", "4xk20m", SINGLE_GPU, false},
      {"s3_6_soft_placement.k40c", "k40c", SINGLE_GPU, true},
      {"s3_6_soft_placement.4xk20m", "4xk20m", SINGLE_GPU, true},
      {"s3_7_multi_gpu.4xk20m", "4xk20m", MULTI_GPU, false},
      {"s4_1_log_placement.k40c", "k40c", LOG_PLACEMENT, false},
      {"s4_2_manual_placement.k40c", "k40c", MANUAL, false},
      {"s4_5_single_gpu.4xk20m", "4xk20m", SINGLE_GPU, false},
      {"s4_6_soft_placement.k40c", "k40c", SINGLE_GPU, true},
      {"s4_6_soft_placement.4xk20m", "4xk20m", SINGLE_GPU, true},
      {"s4_7_multi_gpu.4xk20m", "4xk20m", MULTI_GPU, false},
  };
  for (size_t i = 0; i < sizeof(listings) / sizeof(listings[0]); ++i) {
    expect_modern(&listings[i]);
  }
}

// The text of the runtime at the end of an exception's.
static const char *runtime_text(const char *exception) {
  static const char mark[] = "Node: 'MatMul'\n";
  const char *found = strstr(exception, mark);
  return found != NULL ? found + sizeof(mark) - 1 : exception;
}

TEST(seeds, modern_errors) {
  static const listing_t listings[] = {
      {"s3_5_single_gpu.k40c", "k40c", SINGLE_GPU, false},
      {"s3_7_multi_gpu.k40c", "k40c", MULTI_GPU, false},
      {"s4_5_single_gpu.k40c", "k40c", SINGLE_GPU, false},
      {"s4_7_multi_gpu.k40c", "k40c", MULTI_GPU, false},
  };
  static output_t output;
  static text_t out, err, exception, kept, expected;
  for (size_t i = 0; i < sizeof(listings) / sizeof(listings[0]); ++i) {
    run_listing(&listings[i], BERTH_STYLE_TF2, &output);
    EXPECT_EQ(output.code, BERTH_INVALID_ARGUMENT);
    read_expected("modern", listings[i].name, "out", &out);
    read_expected("modern", listings[i].name, "err", &err);
    read_expected("modern", listings[i].name, "exc", &exception);
    keep_placement(err.data, &kept);
    expected = (text_t){0};
    put(&expected, berth_error_message(&output.error),
        strlen(berth_error_message(&output.error)));
    put(&expected, "\n", 1);
    EXPECT_STR(expected.data, runtime_text(exception.data));
    EXPECT_STR(output.out.data, out.data);
    EXPECT_STR(output.err.data, kept.data);
    berth_error_clear(&output.error);
  }
}
