// fault_testing.h - A scenario on two GPUs, and one fault in it.
//
// The scenario does what programs do with GPUs: it opens a session, convolves,
// multiplies, adds and updates a variable on one card often enough to be
// recorded, hands the result to the other card, and fetches it small, copied
// and staged. A
// trial runs it in a process of its own with one call of the driver failing.
#ifndef BERTH_TESTS_GPU_FAULT_FAULT_TESTING_H_
#define BERTH_TESTS_GPU_FAULT_FAULT_TESTING_H_

#include "base/error.h"
#include "base/fault.h"
#include "gpu/devices/gpu_testing.h"
#include "session/session_testing.h"

#if defined(__SANITIZE_THREAD__)
// A trial is a process of its own, and nothing of it goes on at its end.
__attribute__((visibility("default"))) const char *__tsan_default_options(void);
const char *__tsan_default_options(void) { return "atexit_sleep_ms=0"; }
#endif

enum {
  RUNS = 4,      // Of each size: the second is recorded, later ones replayed.
  SECONDS = 240  // Until a trial counts as hanging.
};

// ---- The scenario ----

typedef struct scene {
  berth_graph_t *graph;
  berth_session_t *session;
  berth_out_t x, y, init, grow, last;
  int updates;  // Of the variable so far.
} scene_t;

// Convolves |x|, a matrix, with a filter of one tap that is one among zeros:
// what comes out is |x|.
static inline berth_out_t scene_convolve(berth_graph_t *graph, berth_out_t x) {
  static const int64_t steps[] = {1, 1, 1, 1};
  static const float taps[36] = {[2 * 6 + 2] = 1};
  const int32_t first = 0, last = -1;
  berth_out_t image = berth_expand_dims(
      graph, NULL, x, berth_const_i32(graph, NULL, &first, BERTH_SCALAR));
  image = berth_expand_dims(graph, NULL, image,
                            berth_const_i32(graph, NULL, &last, BERTH_SCALAR));
  berth_out_t filter =
      berth_const_f32(graph, NULL, taps, BERTH_SHAPE(6, 6, 1, 1));
  return berth_squeeze(
      graph, NULL,
      berth_conv2d(graph, "convolved", image, filter, steps, 4, "SAME"));
}

// last = 2 * (x * y + v) with v on GPU:0 and the doubling on GPU:1.
static inline void scene_build(scene_t *scene) {
  berth_graph_t *graph = scene->graph = berth_graph_create();
  scene->x = hole(graph, "x");
  scene->y = hole(graph, "y");
  berth_device_push(graph, "/gpu:0");
  berth_out_t v = berth_variable_v2(graph, "v", BERTH_SCALAR, BERTH_FLOAT);
  scene->init = berth_assign(graph, "init", v, const_scalar(graph, NULL, 0));
  berth_out_t product =
      berth_matmul(graph, "product", scene_convolve(graph, scene->x), scene->y);
  berth_out_t sum = berth_add_v2(graph, "sum", product, v);
  berth_op_t *op = berth_op_begin(graph, "AssignAdd", "grow");
  berth_op_input(op, v);
  berth_op_input(op, const_scalar(graph, NULL, 1));
  berth_op_control(op, sum.node);
  scene->grow = berth_output(berth_op_finish(op), 0);
  berth_device_pop(graph);
  berth_device_push(graph, "/gpu:1");
  scene->last = berth_add_v2(graph, "last", sum, sum);
  berth_device_pop(graph);
}

// A square matrix whose elements are all |value|.
static inline berth_tensor_t *matrix_of(int64_t size, float value) {
  berth_tensor_t *tensor = NULL;
  if (berth_tensor_create(BERTH_FLOAT, BERTH_SHAPE(size, size), &tensor,
                          NULL) != BERTH_OK) {
    HARNESS_FAIL("no tensor");
    return NULL;
  }
  float *values = berth_tensor_data(tensor);
  for (int64_t i = 0; i < size * size; ++i) values[i] = value;
  return tensor;
}

// Runs the step once and compares; a wrong result fails the test.
static inline berth_code_t scene_step(scene_t *scene, int64_t size,
                                      berth_error_t *err) {
  berth_tensor_t *a = matrix_of(size, 1), *b = matrix_of(size, 2);
  berth_tensor_t *results[2] = {NULL, NULL};
  berth_feed_t feeds[] = {{scene->x, a}, {scene->y, b}};
  berth_out_t fetches[] = {scene->last, scene->grow};
  berth_code_t code =
      berth_session_run(scene->session, feeds, 2, fetches, 2, results, err);
  if (code == BERTH_OK) {
    double wanted = 2.0 * (2.0 * (double)size + scene->updates);
    EXPECT_EQ(element(results[0], 0), wanted);
    EXPECT_EQ(element(results[0], size * size - 1), wanted);
    EXPECT_EQ(element(results[1], 0), ++scene->updates);
  }
  for (int i = 0; i < 2; ++i) berth_tensor_release(results[i]);
  berth_tensor_release(a);
  berth_tensor_release(b);
  return code;
}

static inline berth_code_t scene_play(scene_t *scene, berth_error_t *err) {
  // Read where they are, copied, and copied through pinned memory.
  static const int64_t sizes[] = {2, 40, 160};
  berth_config_t config = BERTH_CONFIG_INIT;
  config.gpu.allow_growth = true;
  berth_tensor_t *zero = NULL;
  BERTH_TRY(berth_graph_error(scene->graph, err));
  BERTH_TRY(berth_session_create(scene->graph, &config, &scene->session, err));
  BERTH_TRY(
      berth_session_run(scene->session, NULL, 0, &scene->init, 1, &zero, err));
  berth_tensor_release(zero);
  for (int i = 0; i < 3; ++i) {
    for (int run = 0; run < RUNS; ++run) {
      BERTH_TRY(scene_step(scene, sizes[i], err));
    }
  }
  return BERTH_OK;
}

// The whole of it, up to the first failure.
static inline berth_code_t scenario(berth_error_t *err) {
  scene_t scene = {0};
  scene_build(&scene);
  berth_code_t code = scene_play(&scene, err);
  berth_session_destroy(scene.session);
  berth_graph_release(scene.graph);
  return code;
}

// Multiplies on the CPU, in a session that wants no GPU.
static inline void cpu_works(void) {
  berth_config_t config = BERTH_CONFIG_INIT;
  config.gpu_count = 0;
  rig_t rig;
  rig_init(&rig);
  berth_out_t x = hole(rig.graph, "x");
  berth_out_t twice = berth_add_v2(rig.graph, NULL, x, x);
  ASSERT_OK(rig_open(&rig, &config), &rig.err);
  EXPECT_EQ(fetch_fed(&rig, twice, x, scalar(21)), 42);
  rig_clear(&rig);
}

// ---- One fault ----

// What became of a trial; its process tells the parent.
typedef struct verdict {
  int64_t calls;  // Of the symbol, in the scenario.
  enum {
    SURVIVED,   // Nobody noticed.
    RECOVERED,  // An error; the next session worked.
    RESET,      // The next one worked after the GPUs were reset.
    LOST,       // No GPU in this process any more.
    FATES
  } fate;
} verdict_t;

// An error must say something. Clears it.
static inline void expect_text(berth_error_t *err) {
  EXPECT_TRUE(berth_error_message(err)[0] != '\0');
  berth_error_clear(err);
}

static inline berth_code_t reset_all(berth_error_t *err) {
  BERTH_TRY(berth_device_reset("GPU:0", err));
  return berth_device_reset("GPU:1", err);
}

// Tries again after the fault.
static inline int fate_of(berth_code_t first) {
  berth_error_t err = BERTH_ERROR_INIT;
  if (scenario(&err) == BERTH_OK)
    return first == BERTH_OK ? SURVIVED : RECOVERED;
  expect_text(&err);
  if (reset_all(&err) == BERTH_OK && scenario(&err) == BERTH_OK) return RESET;
  expect_text(&err);
  return LOST;
}

// Runs in a process of its own, which has not used a GPU yet.
static inline verdict_t trial(const char *symbol, int64_t nth) {
  berth_error_t err = BERTH_ERROR_INIT;
  verdict_t verdict = {0};
  simulate("Tesla K20m*2");
  alarm(SECONDS);
  berth_fault_arm(symbol, nth);
  berth_code_t code = scenario(&err);
  verdict.calls = berth_fault_disarm();
  if (code != BERTH_OK) expect_text(&err);
  if (nth == 0) {
    EXPECT_EQ(code, BERTH_OK);
    return verdict;
  }
  verdict.fate = fate_of(code);
  cpu_works();
  return verdict;
}

#endif  // BERTH_TESTS_GPU_FAULT_FAULT_TESTING_H_
