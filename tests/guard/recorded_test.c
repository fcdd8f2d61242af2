// recorded_test.c - Runs that are replayed from recordings do what the first
// one did: work that a kernel does on the host is done again in every run.
#include "guard_testing.h"

enum { RUNS = 8, SHORT = 16, LONG = 3000 };

typedef berth_out_t (*build_fn)(berth_graph_t *graph, berth_out_t x);

static berth_out_t ones_like(berth_graph_t *graph, berth_out_t x) {
  return berth_ones_like(graph, NULL, x);
}

static berth_out_t zeros_like(berth_graph_t *graph, berth_out_t x) {
  return berth_zeros_like(graph, NULL, x);
}

// Between steps of the device, so that it lies inside a row of them.
static berth_out_t in_between(berth_graph_t *graph, berth_out_t x) {
  berth_out_t real = berth_cast(graph, NULL, x, BERTH_FLOAT);
  berth_out_t ones = berth_ones_like(graph, NULL, x);
  berth_out_t other = berth_cast(graph, NULL, ones, BERTH_FLOAT);
  return berth_add_v2(graph, NULL, berth_mul(graph, NULL, real, real), other);
}

static berth_out_t shape_of(berth_graph_t *graph, berth_out_t x) {
  return unary_on(graph, "Shape", NULL, x);
}

static berth_out_t filled(berth_graph_t *graph, berth_out_t x) {
  int32_t begin[] = {0}, size[] = {1}, four[] = {4};
  berth_out_t first =
      berth_slice(graph, NULL, x, const_ints(graph, NULL, begin, 1),
                  const_ints(graph, NULL, size, 1));
  berth_out_t value = berth_reshape(
      graph, NULL, first, berth_const_i32(graph, NULL, NULL, BERTH_SHAPE(0)));
  return berth_fill(graph, NULL, const_ints(graph, NULL, four, 1), value);
}

static berth_out_t summed(berth_graph_t *graph, berth_out_t x) {
  int32_t axis[] = {0};
  return berth_sum(graph, NULL, x, const_ints(graph, NULL, axis, 1));
}

static berth_out_t doubled(berth_graph_t *graph, berth_out_t x) {
  return berth_add_v2(graph, NULL, x, x);
}

static berth_out_t converted(berth_graph_t *graph, berth_out_t x) {
  return berth_cast(graph, NULL, x, BERTH_FLOAT);
}

static const struct {
  const char *name;
  build_fn build;
} cases[] = {{"OnesLike", ones_like},
             {"ZerosLike", zeros_like},
             {"OnesLike between", in_between},
             {"Shape", shape_of},
             {"Fill", filled},
             {"Sum", summed},
             {"AddV2", doubled},
             {"Cast", converted}};

static berth_tensor_t *ints(int64_t count, int32_t first) {
  berth_tensor_t *tensor = NULL;
  if (berth_tensor_create(BERTH_INT32, BERTH_SHAPE(count), &tensor, NULL) !=
      BERTH_OK) {
    HARNESS_FAIL("no tensor");
    exit(1);
  }
  int32_t *values = berth_tensor_data(tensor);
  for (int64_t i = 0; i < count; ++i) values[i] = first + (int32_t)(i % 11);
  return tensor;
}

// Opens a session on a graph of one case, on |device|.
static void open_case(rig_t *rig, int which, const char *device,
                      berth_out_t *out_x, berth_out_t *out_y) {
  berth_config_t config = BERTH_CONFIG_INIT;
  config.gpu.allow_growth = true;
  config.allow_soft_placement = true;
  rig_init(rig);
  berth_device_push(rig->graph, device);
  *out_x = berth_placeholder(rig->graph, "x", BERTH_INT32);
  *out_y = cases[which].build(rig->graph, *out_x);
  berth_device_pop(rig->graph);
  ASSERT_OK(rig_open(rig, &config), &rig->err);
}

static berth_tensor_t *run_case(rig_t *rig, berth_out_t x, berth_out_t y,
                                berth_tensor_t *fed) {
  berth_feed_t feed = {x, fed};
  berth_tensor_t *result = NULL;
  if (berth_session_run(rig->session, &feed, 1, &y, 1, &result, &rig->err) !=
      BERTH_OK) {
    HARNESS_FAIL("%s", berth_error_message(&rig->err));
    berth_error_clear(&rig->err);
  }
  return result;
}

// What is on the CPU right is on the GPU right, in run after run, whatever the
// memory of the results held before.
static void expect_same(int which, int64_t count) {
  rig_t gpu, cpu;
  berth_out_t x, y, cpu_x, cpu_y;
  open_case(&gpu, which, "/gpu:0", &x, &y);
  open_case(&cpu, which, "/cpu:0", &cpu_x, &cpu_y);
  for (int run = 0; run < RUNS; ++run) {
    berth_tensor_t *fed = ints(count, run * 100);
    berth_tensor_t *result = run_case(&gpu, x, y, fed);
    berth_tensor_t *wanted = run_case(&cpu, cpu_x, cpu_y, fed);
    if (!is_equal(result, wanted)) {
      HARNESS_FAIL("%s of %lld: run %d is wrong", cases[which].name,
                   (long long)count, run);
    }
    if (result != NULL && berth_tensor_is_exclusive(result)) {
      memset(berth_tensor_data(result), 0x55, berth_tensor_size(result));
    }
    berth_tensor_release(result);
    berth_tensor_release(wanted);
    berth_tensor_release(fed);
  }
  rig_clear(&gpu);
  rig_clear(&cpu);
}

TEST(recorded, work_of_the_host) {
  take_cards("Tesla K20m", 1);
  for (int i = 0; i < (int)(sizeof(cases) / sizeof(*cases)); ++i) {
    expect_same(i, SHORT);
    expect_same(i, LONG);
  }
}
