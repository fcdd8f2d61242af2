// owned_test.c - What plans own of a library is made once and dropped once.
//
// The library's functions that make and destroy the descriptions of products
// are counted. Plans of sessions and eager calls keep theirs for as long as
// they may run, and no longer: whatever they were made for, whatever failed.
#include <pthread.h>
#include <stdatomic.h>

#include "base/fault.h"
#include "cuda/card/cublaslt.h"
#include "cuda/card/precision.h"
#include "gpu_testing.h"

// Objects of one plan: a product, and the layouts of three matrices.
enum { OF_PLAN = 4 };

// ---- Counting ----

static berth_cublaslt_api_t library;  // As it was opened.
static atomic_int made, dropped;

static cublasStatus_t count_made(cublasStatus_t status) {
  if (status == CUBLAS_STATUS_SUCCESS) atomic_fetch_add(&made, 1);
  return status;
}

static cublasStatus_t make_desc(cublasLtMatmulDesc_t *desc,
                                cublasComputeType_t compute,
                                cudaDataType_t scale) {
  return count_made(library.cublasLtMatmulDescCreate(desc, compute, scale));
}
static cublasStatus_t make_layout(cublasLtMatrixLayout_t *layout,
                                  cudaDataType_t type, uint64_t rows,
                                  uint64_t cols, int64_t ld) {
  return count_made(
      library.cublasLtMatrixLayoutCreate(layout, type, rows, cols, ld));
}
static cublasStatus_t make_preference(cublasLtMatmulPreference_t *preference) {
  return count_made(library.cublasLtMatmulPreferenceCreate(preference));
}
static cublasStatus_t drop_desc(cublasLtMatmulDesc_t desc) {
  atomic_fetch_add(&dropped, 1);
  return library.cublasLtMatmulDescDestroy(desc);
}
static cublasStatus_t drop_layout(cublasLtMatrixLayout_t layout) {
  atomic_fetch_add(&dropped, 1);
  return library.cublasLtMatrixLayoutDestroy(layout);
}
static cublasStatus_t drop_preference(cublasLtMatmulPreference_t preference) {
  atomic_fetch_add(&dropped, 1);
  return library.cublasLtMatmulPreferenceDestroy(preference);
}

static int alive(void) { return atomic_load(&made) - atomic_load(&dropped); }

// Simulates a card and puts the counters between Berth and its library.
static void begin(void) {
  berth_error_t err = BERTH_ERROR_INIT;
  simulate("H100");
  ASSERT_OK(berth_cublaslt_open(&err), &err);
  library = berth_cublaslt_api;
  berth_cublaslt_api.cublasLtMatmulDescCreate = make_desc;
  berth_cublaslt_api.cublasLtMatrixLayoutCreate = make_layout;
  berth_cublaslt_api.cublasLtMatmulPreferenceCreate = make_preference;
  berth_cublaslt_api.cublasLtMatmulDescDestroy = drop_desc;
  berth_cublaslt_api.cublasLtMatrixLayoutDestroy = drop_layout;
  berth_cublaslt_api.cublasLtMatmulPreferenceDestroy = drop_preference;
}

// All that was made is gone.
static void expect_none_left(void) {
  EXPECT_TRUE(atomic_load(&made) > 0);
  EXPECT_EQ(atomic_load(&dropped), atomic_load(&made));
}

// ---- A session that multiplies ----

typedef struct scene {
  berth_graph_t *graph;
  berth_session_t *session;
  berth_out_t x, y, product;
} scene_t;

static berth_code_t scene_open(scene_t *scene, berth_error_t *err) {
  berth_config_t config = BERTH_CONFIG_INIT;
  config.gpu.allow_growth = true;
  *scene = (scene_t){.graph = berth_graph_create()};
  scene->x = berth_placeholder(scene->graph, "x", BERTH_FLOAT);
  scene->y = berth_placeholder(scene->graph, "y", BERTH_FLOAT);
  berth_device_push(scene->graph, "/gpu:0");
  scene->product = berth_matmul(scene->graph, "product", scene->x, scene->y);
  berth_device_pop(scene->graph);
  return berth_session_create(scene->graph, &config, &scene->session, err);
}

static void scene_close(scene_t *scene) {
  berth_session_destroy(scene->session);
  berth_graph_release(scene->graph);
}

// A matrix of |rows| by |cols| whose elements are all |value|.
static berth_tensor_t *matrix_of(int64_t rows, int64_t cols, float value) {
  berth_tensor_t *tensor = NULL;
  if (berth_tensor_create(BERTH_FLOAT, BERTH_SHAPE(rows, cols), &tensor,
                          NULL) != BERTH_OK) {
    return NULL;
  }
  float *values = berth_tensor_data(tensor);
  for (int64_t i = 0; i < rows * cols; ++i) values[i] = value;
  return tensor;
}

// What is expected of the product of [rows, 40] and [40, 40].
static void check_product(const berth_tensor_t *product, float wanted) {
  EXPECT_EQ(((const float *)berth_tensor_data(product))[0], wanted);
}

// Multiplies [rows, 40] by [40, 40], all of ones and twos.
static berth_code_t scene_run(const scene_t *scene, int64_t rows,
                              berth_error_t *err) {
  berth_tensor_t *a = matrix_of(rows, 40, 1), *b = matrix_of(40, 40, 2);
  berth_tensor_t *result = NULL;
  berth_code_t code = BERTH_RESOURCE_EXHAUSTED;
  if (a != NULL && b != NULL) {
    berth_feed_t feeds[] = {{scene->x, a}, {scene->y, b}};
    code = berth_session_run(scene->session, feeds, 2, &scene->product, 1,
                             &result, err);
  }
  if (code == BERTH_OK) check_product(result, 80);
  berth_tensor_release(result);
  berth_tensor_release(a);
  berth_tensor_release(b);
  return code;
}

// ---- Sessions ----

TEST(owned, plans_of_a_session_live_as_long_as_it) {
  scene_t scene;
  berth_error_t err = BERTH_ERROR_INIT;
  begin();
  ASSERT_OK(scene_open(&scene, &err), &err);
  for (int run = 0; run < 6; ++run) {
    ASSERT_OK(scene_run(&scene, 50, &err), &err);
  }
  int before = atomic_load(&made);
  EXPECT_TRUE(alive() >= OF_PLAN);
  // Runs make nothing, and drop nothing that they need again.
  for (int run = 0; run < 6; ++run) {
    ASSERT_OK(scene_run(&scene, 50, &err), &err);
  }
  EXPECT_EQ(atomic_load(&made), before);
  scene_close(&scene);
  expect_none_left();
}

TEST(owned, plans_of_forgotten_layouts_go) {
  enum { SHAPES = 60, KEPT = 16 };
  scene_t scene;
  berth_error_t err = BERTH_ERROR_INIT;
  begin();
  ASSERT_OK(scene_open(&scene, &err), &err);
  for (int64_t rows = 50; rows < 50 + SHAPES; ++rows) {
    for (int run = 0; run < 4; ++run) {
      ASSERT_OK(scene_run(&scene, rows, &err), &err);
    }
  }
  // As many layouts as are kept, those that wait to be freed, and late plans.
  EXPECT_TRUE(alive() <= OF_PLAN * 3 * KEPT);
  EXPECT_TRUE(atomic_load(&dropped) > 0);
  scene_close(&scene);
  expect_none_left();
}

TEST(owned, plans_outlive_resets_of_the_card) {
  scene_t scene;
  berth_error_t err = BERTH_ERROR_INIT;
  begin();
  ASSERT_OK(scene_open(&scene, &err), &err);
  for (int run = 0; run < 4; ++run) {
    ASSERT_OK(scene_run(&scene, 50, &err), &err);
  }
  ASSERT_OK(berth_device_reset(LOCAL "GPU:0", &err), &err);
  for (int run = 0; run < 4; ++run) {
    ASSERT_OK(scene_run(&scene, 50, &err), &err);
  }
  ASSERT_OK(berth_device_reset(LOCAL "GPU:0", &err), &err);
  scene_close(&scene);
  expect_none_left();
}

// 1 + 2^-12 has no place in TF32, which keeps ten bits.
static float product_of_fine_numbers(const scene_t *scene) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_tensor_t *a = matrix_of(64, 64, 1 + 0x1p-12f);
  berth_tensor_t *b = matrix_of(64, 64, 1);
  berth_tensor_t *result = NULL;
  berth_feed_t feeds[] = {{scene->x, a}, {scene->y, b}};
  berth_code_t code = berth_session_run(scene->session, feeds, 2,
                                        &scene->product, 1, &result, &err);
  EXPECT_EQ(code, BERTH_OK);
  float element =
      code == BERTH_OK ? *(const float *)berth_tensor_data(result) : 0;
  berth_tensor_release(result);
  berth_tensor_release(a);
  berth_tensor_release(b);
  return element;
}

// The plan was made for one precision; it computes with that of now.
TEST(owned, plans_follow_the_precision) {
  scene_t scene;
  berth_error_t err = BERTH_ERROR_INIT;
  begin();
  ASSERT_OK(scene_open(&scene, &err), &err);
  for (int round = 0; round < 2; ++round) {
    for (int run = 0; run < 3; ++run) {
      EXPECT_EQ(product_of_fine_numbers(&scene), 64);
    }
    berth_cuda_set_tf32(false);
    for (int run = 0; run < 3; ++run) {
      EXPECT_EQ(product_of_fine_numbers(&scene), 64 + 0x1p-6f);
    }
    berth_cuda_set_tf32(true);
  }
  scene_close(&scene);
  expect_none_left();
}

// ---- Eager calls ----

static berth_code_t multiply(berth_context_t *context, int64_t rows,
                             berth_error_t *err) {
  berth_tensor_t *inputs[] = {matrix_of(rows, 40, 1), matrix_of(40, 40, 2)};
  berth_tensor_t *on_card = NULL, *result = NULL;
  int count = 1;
  berth_code_t code = BERTH_RESOURCE_EXHAUSTED;
  if (inputs[0] != NULL && inputs[1] != NULL) {
    code = berth_eager_call(context, "MatMul", "/gpu:0", inputs, 2, &on_card,
                            &count, err);
  }
  if (code == BERTH_OK) {
    code = berth_eager_copy(context, on_card, LOCAL "CPU:0", &result, err);
  }
  if (code == BERTH_OK) check_product(result, 80);
  berth_tensor_release(result);
  berth_tensor_release(on_card);
  for (int i = 0; i < 2; ++i) berth_tensor_release(inputs[i]);
  return code;
}

static berth_code_t context_open(berth_context_t **out_context,
                                 berth_error_t *err) {
  berth_config_t config = BERTH_CONFIG_INIT;
  config.gpu.allow_growth = true;
  return berth_context_create(&config, out_context, err);
}

TEST(owned, plans_of_eager_calls_go_with_their_cache) {
  berth_context_t *context = NULL;
  berth_error_t err = BERTH_ERROR_INIT;
  begin();
  ASSERT_OK(context_open(&context, &err), &err);
  // More shapes than a call keeps plans for.
  for (int64_t rows = 50; rows < 90; ++rows) {
    ASSERT_OK(multiply(context, rows, &err), &err);
  }
  EXPECT_TRUE(alive() >= OF_PLAN);
  int before = atomic_load(&made);
  ASSERT_OK(multiply(context, 50, &err), &err);
  EXPECT_EQ(atomic_load(&made), before);
  berth_context_set_cache_limit(context, 0);
  EXPECT_EQ(berth_context_cache_size(context), 0);
  ASSERT_OK(multiply(context, 50, &err), &err);
  berth_context_destroy(context);
  expect_none_left();
}

// ---- Threads ----

typedef struct worker {
  const scene_t *scene;
  berth_context_t *context;
  int64_t first;
} worker_t;

static void *work(void *arg) {
  const worker_t *worker = arg;
  berth_error_t err = BERTH_ERROR_INIT;
  for (int64_t i = 0; i < 60; ++i) {
    // Some shapes are everybody's, some come once.
    int64_t rows = i % 3 == 0 ? 50 : worker->first + i;
    EXPECT_EQ(scene_run(worker->scene, rows, &err), BERTH_OK);
    EXPECT_EQ(multiply(worker->context, rows, &err), BERTH_OK);
    if (i % 10 == 9)
      berth_context_set_cache_limit(worker->context, (int)i % 20);
  }
  berth_error_clear(&err);
  return NULL;
}

TEST(owned, threads_share_plans) {
  enum { THREADS = 4 };
  scene_t scene;
  berth_context_t *context = NULL;
  berth_error_t err = BERTH_ERROR_INIT;
  pthread_t threads[THREADS];
  worker_t workers[THREADS];
  begin();
  ASSERT_OK(scene_open(&scene, &err), &err);
  ASSERT_OK(context_open(&context, &err), &err);
  for (int i = 0; i < THREADS; ++i) {
    workers[i] = (worker_t){&scene, context, 51 + 20 * i};
    EXPECT_EQ(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
  }
  for (int i = 0; i < THREADS; ++i) pthread_join(threads[i], NULL);
  berth_context_destroy(context);
  scene_close(&scene);
  expect_none_left();
}

// ---- Faults ----

// Runs a session and eager calls with pass |nth| of |point| failing; returns
// how many passes there were.
static int64_t try_fault(const char *point, int64_t nth) {
  scene_t scene;
  berth_context_t *context = NULL;
  berth_error_t err = BERTH_ERROR_INIT;
  if (scene_open(&scene, &err) != BERTH_OK ||
      context_open(&context, &err) != BERTH_OK) {
    HARNESS_FAIL("%s", berth_error_message(&err));
    return 0;
  }
  berth_fault_arm(point, nth);
  for (int run = 0; run < 4; ++run) {
    (void)!scene_run(&scene, 50, &err);
    berth_error_clear(&err);
    (void)!multiply(context, 50, &err);
    berth_error_clear(&err);
  }
  int64_t passes = berth_fault_disarm();
  // What has failed once works now.
  EXPECT_EQ(scene_run(&scene, 50, &err), BERTH_OK);
  EXPECT_EQ(multiply(context, 50, &err), BERTH_OK);
  berth_context_destroy(context);
  scene_close(&scene);
  if (alive() != 0) {
    HARNESS_FAIL("%s:%lld leaves %d objects", point, (long long)nth, alive());
  }
  berth_error_clear(&err);
  return passes;
}

TEST(owned, faults_of_the_library_leave_nothing) {
  static const char *const points[] = {
      "cublasLtMatmulDescCreate",
      "cublasLtMatmulDescSetAttribute",
      "cublasLtMatrixLayoutCreate",
      "cublasLtMatmulPreferenceCreate",
      "cublasLtMatmulAlgoGetHeuristic",
      "cublasLtMatmulPreferenceSetAttribute",
      "cublasLtMatmul",
  };
  begin();
  for (int i = 0; i < (int)(sizeof(points) / sizeof(points[0])); ++i) {
    int64_t passes = try_fault(points[i], 0);
    EXPECT_TRUE(passes > 0);
    for (int64_t nth = 1; nth <= passes; ++nth) try_fault(points[i], nth);
  }
  expect_none_left();
}

TEST(owned, lack_of_memory_leaves_nothing) {
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
  enum { TRIALS = 60 };
#else
  enum { TRIALS = 200 };
#endif
  begin();
  int64_t passes = try_fault("alloc", 0);
  int64_t step = passes / TRIALS + 1;
  for (int64_t nth = 1; nth <= passes; nth += step) try_fault("alloc", nth);
  expect_none_left();
}
