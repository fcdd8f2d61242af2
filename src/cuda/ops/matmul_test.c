// matmul_test.c - Products on a card: every type, shape, way and library.
#include "harness.h"

#include "base/fault.h"
#include "base/thread.h"
#include "cuda/kernel_driver.h"
#include "device/epoch.h"

static const berth_dtype_t all_types[] = {BERTH_HALF,      BERTH_BFLOAT16,
                                          BERTH_FLOAT,     BERTH_DOUBLE,
                                          BERTH_COMPLEX64, BERTH_COMPLEX128};

// Roundings of the result; sums differ by what their order makes of them.
static double tolerance_of(berth_dtype_t dtype) {
  switch (dtype) {
    case BERTH_HALF:
      return 2e-3;
    case BERTH_BFLOAT16:
      return 1.6e-2;
    case BERTH_FLOAT:
    case BERTH_COMPLEX64:
      return 1e-4;
    default:
      return 1e-12;
  }
}

// Numbers of one sign: a sum near zero would say nothing about its terms.
static berth_tensor_t *numbers(berth_dtype_t dtype, berth_dims_t shape) {
  return driver_random(dtype, shape, 0.5, 1.5);
}

static void start(driver_t *driver, const char *op, berth_dtype_t dtype) {
  *driver = (driver_t){.op = op};
  driver_type(driver, "T", dtype);
  driver_output(driver, dtype);
}

// Multiplies m by k and k by n in each of the four ways to transpose.
static void check_sizes(berth_dtype_t dtype, int64_t m, int64_t k, int64_t n) {
  for (int way = 0; way < 4; ++way) {
    bool turn_a = (way & 1) != 0, turn_b = (way & 2) != 0;
    driver_t driver;
    start(&driver, "MatMul", dtype);
    driver_bool(&driver, "transpose_a", turn_a);
    driver_bool(&driver, "transpose_b", turn_b);
    driver_input(&driver, numbers(dtype, turn_a ? BERTH_SHAPE(k, m)
                                                : BERTH_SHAPE(m, k)));
    driver_input(&driver, numbers(dtype, turn_b ? BERTH_SHAPE(n, k)
                                                : BERTH_SHAPE(k, n)));
    driver_check(&driver, tolerance_of(dtype));
  }
}

static void check_batches(const char *op, berth_dtype_t dtype, berth_dims_t a,
                          berth_dims_t b, bool adjoint) {
  driver_t driver;
  start(&driver, op, dtype);
  driver_bool(&driver, "adj_x", adjoint);
  driver_bool(&driver, "adj_y", adjoint);
  driver_input(&driver, numbers(dtype, a));
  driver_input(&driver, numbers(dtype, b));
  driver_check(&driver, tolerance_of(dtype));
}

static void check_all_types(void) {
  for (int i = 0; i < BERTH_COUNT_OF(all_types); ++i) {
    check_sizes(all_types[i], 2, 3, 2);
    check_sizes(all_types[i], 1, 200, 1);
    check_sizes(all_types[i], 70, 150, 65);
  }
}

static void check_all_batches(void) {
  static const berth_dtype_t types[] = {BERTH_FLOAT, BERTH_COMPLEX64,
                                        BERTH_BFLOAT16};
  for (int i = 0; i < BERTH_COUNT_OF(types); ++i) {
    berth_dtype_t type = types[i];
    const char *v2 = "BatchMatMulV2";
    check_batches("BatchMatMul", type, BERTH_SHAPE(3, 2, 40, 130),
                  BERTH_SHAPE(3, 2, 130, 5), false);
    check_batches("BatchMatMul", type, BERTH_SHAPE(5, 130, 7),
                  BERTH_SHAPE(5, 9, 130), true);
    // One B for all, which makes one product of more rows.
    check_batches(v2, type, BERTH_SHAPE(3, 4, 8, 150), BERTH_SHAPE(150, 6),
                  false);
    check_batches(v2, type, BERTH_SHAPE(3, 4, 150, 8), BERTH_SHAPE(6, 150),
                  true);
    // One A for all.
    check_batches(v2, type, BERTH_SHAPE(8, 150), BERTH_SHAPE(4, 150, 6), false);
    // Broadcasting that breaks the steps, inside and outside.
    check_batches(v2, type, BERTH_SHAPE(3, 1, 2, 5, 140),
                  BERTH_SHAPE(1, 4, 2, 140, 3), false);
    check_batches(v2, type, BERTH_SHAPE(3, 1, 5, 140),
                  BERTH_SHAPE(2, 1, 4, 140, 3), false);
    check_batches(v2, type, BERTH_SHAPE(3, 4, 5, 140),
                  BERTH_SHAPE(3, 1, 140, 3), false);
  }
}

TEST(matmul, types) { check_all_types(); }
TEST(matmul, batches) { check_all_batches(); }

TEST(matmul, types_without_libraries) {
  setenv("BERTH_GPU_LIBRARIES", "none", 1);
  check_all_types();
}
TEST(matmul, batches_without_libraries) {
  setenv("BERTH_GPU_LIBRARIES", "none", 1);
  check_all_batches();
}

TEST(matmul, small_ones_are_exact) {
  berth_error_t err = BERTH_ERROR_INIT;
  driver_t driver;
  start(&driver, "MatMul", BERTH_FLOAT);
  driver_input(&driver, driver_floats(BERTH_SHAPE(2, 3), 1, 2, 3, 4, 5, 6));
  driver_input(&driver, driver_floats(BERTH_SHAPE(3, 2), 1, 2, 3, 4, 5, 6));
  ASSERT_OK(driver_call(&driver, &err), &err);
  EXPECT_STR(driver_show(&driver, 0), "[2,2] 22 28 49 64");
  EXPECT_EQ(driver.prepare.scratch_size, 0);
  driver_deinit(&driver);
}

// Complex adjoints are conjugated: conj(1 + 0.5j) (2 + j) is 2.5.
TEST(matmul, adjoints_are_conjugated) {
  berth_error_t err = BERTH_ERROR_INIT;
  const float one[] = {1, 0.5F}, two[] = {2, 1};
  driver_t driver;
  start(&driver, "BatchMatMul", BERTH_COMPLEX64);
  driver_bool(&driver, "adj_x", true);
  driver_input(&driver, driver_tensor(BERTH_COMPLEX64, BERTH_SHAPE(1, 1), one));
  driver_input(&driver, driver_tensor(BERTH_COMPLEX64, BERTH_SHAPE(1, 1), two));
  ASSERT_OK(driver_call(&driver, &err), &err);
  EXPECT_STR(driver_show(&driver, 0), "[1,1] 2.5+0j");
  driver_deinit(&driver);
}

TEST(matmul, nothing_to_add_or_to_make) {
  berth_error_t err = BERTH_ERROR_INIT;
  driver_t driver;
  start(&driver, "MatMul", BERTH_FLOAT);
  driver_input(&driver, numbers(BERTH_FLOAT, BERTH_SHAPE(2, 0)));
  driver_input(&driver, numbers(BERTH_FLOAT, BERTH_SHAPE(0, 2)));
  ASSERT_OK(driver_call(&driver, &err), &err);
  EXPECT_STR(driver_show(&driver, 0), "[2,2] 0 0 0 0");
  driver_deinit(&driver);

  start(&driver, "MatMul", BERTH_FLOAT);
  driver_input(&driver, numbers(BERTH_FLOAT, BERTH_SHAPE(2, 3)));
  driver_input(&driver, numbers(BERTH_FLOAT, BERTH_SHAPE(3, 0)));
  ASSERT_OK(driver_call(&driver, &err), &err);
  EXPECT_STR(driver_show(&driver, 0), "[2,0]");
  driver_deinit(&driver);

  // A sum of nothing that is too large for a small product.
  start(&driver, "MatMul", BERTH_HALF);
  driver_input(&driver, numbers(BERTH_HALF, BERTH_SHAPE(700, 0)));
  driver_input(&driver, numbers(BERTH_HALF, BERTH_SHAPE(0, 700)));
  driver_check(&driver, 0);
}

TEST(matmul, says_what_the_cpu_says) {
  berth_error_t err = BERTH_ERROR_INIT;
  driver_t driver;
  start(&driver, "MatMul", BERTH_FLOAT);
  driver_input(&driver, numbers(BERTH_FLOAT, BERTH_SHAPE(2, 3)));
  driver_input(&driver, numbers(BERTH_FLOAT, BERTH_SHAPE(2, 3)));
  EXPECT_FAILS(driver_call(&driver, &err), BERTH_INVALID_ARGUMENT, &err,
               "Matrix size-incompatible: In[0]: [2,3], In[1]: [2,3]");
  driver_deinit(&driver);
}

// The library is used, and given the room it asks for.
TEST(matmul, large_ones_get_a_workspace) {
  berth_error_t err = BERTH_ERROR_INIT;
  driver_t driver;
  start(&driver, "MatMul", BERTH_FLOAT);
  driver_input(&driver, numbers(BERTH_FLOAT, BERTH_SHAPE(300, 300)));
  driver_input(&driver, numbers(BERTH_FLOAT, BERTH_SHAPE(300, 300)));
  ASSERT_OK(driver_call(&driver, &err), &err);
  if (getenv("BERTH_TEST_GPU") == NULL) {
    // What the software GPU takes, and room to align it.
    EXPECT_EQ(driver.prepare.scratch_size, (1 << 20) + 256);
  }
  driver_expect_cpu(&driver, tolerance_of(BERTH_FLOAT));
  driver_deinit(&driver);
}

// A failure of the library is told with its own words, and not the last.
TEST(matmul, library_failures_are_told) {
  berth_error_t err = BERTH_ERROR_INIT;
  driver_t driver;
  start(&driver, "MatMul", BERTH_FLOAT);
  driver_input(&driver, numbers(BERTH_FLOAT, BERTH_SHAPE(200, 200)));
  driver_input(&driver, numbers(BERTH_FLOAT, BERTH_SHAPE(200, 200)));
  static const char *const calls[] = {"cublasLtCreate",
                                      "cublasLtMatmulDescCreate",
                                      "cublasLtMatrixLayoutCreate",
                                      "cublasLtMatmulDescSetAttribute",
                                      "cublasLtMatmulPreferenceCreate",
                                      "cublasLtMatmulPreferenceSetAttribute",
                                      "cublasLtMatmulAlgoGetHeuristic",
                                      "cublasLtMatmul"};
  for (int i = 0; i < BERTH_COUNT_OF(calls); ++i) {
    char text[160];
    snprintf(text, sizeof(text),
             "%s: CUBLAS_STATUS_INTERNAL_ERROR (14): an internal operation "
             "failed",
             calls[i]);
    berth_fault_arm(calls[i], 1);
    EXPECT_FAILS(driver_call(&driver, &err), BERTH_INTERNAL, &err, text);
    (void)berth_fault_disarm();
  }
  ASSERT_OK(driver_call(&driver, &err), &err);
  driver_expect_cpu(&driver, tolerance_of(BERTH_FLOAT));
  driver_deinit(&driver);
}

// ---- Steps that the driver of tests does in one ----

// A product that is prepared, with its tensors on the card.
typedef struct prepared {
  driver_t driver;
  berth_shape_t shape;
  berth_device_t *device;
  berth_tensor_t *inputs[2];
  berth_tensor_t *output;
  berth_tensor_t *scratch;
} prepared_t;

// Copies |from| to the card, |shift| bytes behind an aligned address.
static berth_code_t place_input(prepared_t *p, int i, size_t shift,
                                berth_error_t *err) {
  const berth_tensor_t *from = p->driver.inputs[i];
  const berth_stream_ops_t *streams = p->device->backend->streams;
  berth_buffer_t *buffer = NULL;
  BERTH_TRY(p->device->allocator->alloc(p->device->allocator,
                                        from->size + shift, &buffer, err));
  void *data = (char *)buffer->data + shift;
  berth_code_t code = streams->copy(driver_stream(p->device), p->device, data,
                                    NULL, from->data, from->size, err);
  if (code == BERTH_OK) {
    code = streams->sync(driver_stream(p->device), err);
  }
  if (code == BERTH_OK) {
    code = berth_tensor_view(buffer, data, from->dtype, from->rank, from->dims,
                             from->count, p->device, &p->inputs[i], err);
  }
  berth_buffer_release(buffer);
  return code;
}

static berth_code_t prepare_product(prepared_t *p, int64_t size, size_t shift,
                                    berth_error_t *err) {
  start(&p->driver, "MatMul", BERTH_FLOAT);
  for (int i = 0; i < 2; ++i) {
    driver_input(&p->driver, numbers(BERTH_FLOAT, BERTH_SHAPE(size, size)));
  }
  BERTH_TRY(driver_device(&p->device, err));
  BERTH_TRY(driver_select(&p->driver, &berth_cuda_backend, err));
  for (int i = 0; i < 2; ++i) BERTH_TRY(place_input(p, i, shift, err));
  BERTH_TRY(driver_prepare(&p->driver, p->device, p->inputs, &p->shape, err));
  BERTH_TRY(
      driver_make_outputs(&p->driver, p->device, p->inputs, &p->output, err));
  int64_t room = (int64_t)p->driver.prepare.scratch_size;
  return berth_tensor_make(p->device->allocator, BERTH_UINT8, 1, &room, room,
                           &p->scratch, err);
}

static berth_code_t queue_product(prepared_t *p, berth_stream_t *stream,
                                  berth_error_t *err) {
  void *args[] = {p->inputs[0]->data, p->inputs[1]->data, p->output->data,
                  p->scratch->data};
  berth_call_t call = {.err = err, .node = &p->driver.node, .stream = stream};
  return p->driver.prepare.run(p->driver.prepare.plan, args, &call);
}

// Waits, compares with the CPU and ends |p|.
static void finish_product(prepared_t *p) {
  berth_error_t err = BERTH_ERROR_INIT;
  ASSERT_OK(p->device->backend->streams->sync(driver_stream(p->device), &err),
            &err);
  ASSERT_OK(driver_move(NULL, p->output, &p->driver.outputs[0], &err), &err);
  driver_expect_cpu(&p->driver, tolerance_of(BERTH_FLOAT));
  for (int i = 0; i < 2; ++i) berth_tensor_release(p->inputs[i]);
  berth_tensor_release(p->output);
  berth_tensor_release(p->scratch);
  driver_deinit(&p->driver);
}

// Views may begin anywhere; the library's algorithm was chosen for better.
TEST(matmul, inputs_at_odd_addresses) {
  berth_error_t err = BERTH_ERROR_INIT;
  for (size_t shift = 0; shift <= 4; shift += 4) {
    prepared_t p = {0};
    ASSERT_OK(prepare_product(&p, 130, shift, &err), &err);
    ASSERT_OK(queue_product(&p, driver_stream(p.device), &err), &err);
    finish_product(&p);
  }
}

// Small products and large ones can be recorded.
TEST(matmul, recordings) {
  berth_error_t err = BERTH_ERROR_INIT;
  for (int64_t size = 2; size <= 202; size += 200) {
    prepared_t p = {0};
    berth_stream_t *stream = NULL;
    berth_recording_t *recording = NULL;
    ASSERT_OK(prepare_product(&p, size, 0, &err), &err);
    const berth_stream_ops_t *streams = p.device->backend->streams;
    // What is recorded uses code that is there.
    ASSERT_OK(queue_product(&p, driver_stream(p.device), &err), &err);
    ASSERT_OK(
        berth_cuda_clear(
            &(berth_call_t){.err = &err, .stream = driver_stream(p.device)},
            p.output->data, p.output->size),
        &err);
    ASSERT_OK(streams->record_begin(p.device, &stream, &err), &err);
    ASSERT_OK(queue_product(&p, stream, &err), &err);
    ASSERT_OK(streams->record_end(stream, &recording, &err), &err);
    ASSERT_OK(streams->replay(driver_stream(p.device), recording, NULL, 0, &err), &err);
    finish_product(&p);
    streams->recording_destroy(recording);
  }
}

// Everything made from a context is made anew after a reset.
TEST(matmul, goes_on_after_a_reset) {
  berth_error_t err = BERTH_ERROR_INIT;
  check_sizes(BERTH_FLOAT, 70, 150, 65);
  ASSERT_OK(berth_cuda_card_reset(0, true, &err), &err);
  check_sizes(BERTH_FLOAT, 70, 150, 65);
}

// ---- Threads ----

static void multiply_often(void *arg) {
  berth_error_t err = BERTH_ERROR_INIT;
  driver_t *driver = arg;
  for (int i = 0; i < 5; ++i) EXPECT_EQ(driver_call(driver, &err), BERTH_OK);
}

TEST(matmul, threads_share_a_handle) {
  enum { THREADS = 3 };
  berth_error_t err = BERTH_ERROR_INIT;
  driver_t drivers[THREADS];
  berth_thread_t threads[THREADS];
  berth_device_t *device = NULL;
  ASSERT_OK(driver_device(&device, &err), &err);
  for (int i = 0; i < THREADS; ++i) {
    start(&drivers[i], "MatMul", BERTH_FLOAT);
    driver_input(&drivers[i], numbers(BERTH_FLOAT, BERTH_SHAPE(40, 90)));
    driver_input(&drivers[i], numbers(BERTH_FLOAT, BERTH_SHAPE(90, 40)));
  }
  for (int i = 0; i < THREADS; ++i) {
    ASSERT_OK(
        berth_thread_start(&threads[i], multiply_often, &drivers[i], &err),
        &err);
  }
  for (int i = 0; i < THREADS; ++i) berth_thread_join(&threads[i]);
  for (int i = 0; i < THREADS; ++i) {
    driver_expect_cpu(&drivers[i], tolerance_of(BERTH_FLOAT));
    driver_deinit(&drivers[i]);
  }
}

// ---- Libraries of the host ----

// Says which library the CPU's products have opened; its room is none that this
// one knows.
const char *berth_onednn_name(void);

TEST(matmul, of_a_card_opens_nothing_for_the_cpu) {
  berth_error_t err = BERTH_ERROR_INIT;
  driver_t driver;
  start(&driver, "MatMul", BERTH_FLOAT);
  driver_input(&driver, numbers(BERTH_FLOAT, BERTH_SHAPE(512, 512)));
  driver_input(&driver, numbers(BERTH_FLOAT, BERTH_SHAPE(512, 512)));
  ASSERT_OK(driver_call(&driver, &err), &err);
  EXPECT_TRUE(berth_onednn_name() == NULL);
  // On the CPU it is heavy enough.
  driver_expect_cpu(&driver, tolerance_of(BERTH_FLOAT));
  bool is_there = berth_onednn_name() != NULL;
  driver_deinit(&driver);
  if (!is_there) SKIP("oneDNN is not installed");
}

// ---- Precision ----

// 1 + 2^-12 has no place in TF32, which keeps ten bits.
static double product_of_fine_numbers(void) {
  berth_error_t err = BERTH_ERROR_INIT;
  driver_t driver;
  start(&driver, "MatMul", BERTH_FLOAT);
  for (int i = 0; i < 2; ++i) {
    driver_input(&driver, driver_random(BERTH_FLOAT, BERTH_SHAPE(256, 256),
                                        1 + 0x1p-12, 1 + 0x1p-12));
  }
  berth_code_t code = driver_call(&driver, &err);
  double element = code == BERTH_OK ? driver_get(driver.outputs[0], 0, 0) : 0;
  EXPECT_EQ(code, BERTH_OK);
  driver_deinit(&driver);
  return element;
}

// Older cards have no TF32, whatever is allowed.
TEST(matmul, tf32_is_not_asked_of_older_cards) {
  driver_card = "Tesla V100 memory=4GiB cc=7.0";
  if (getenv("BERTH_TEST_GPU") != NULL) SKIP("the card is what it is");
  berth_cuda_set_tf32(true);
  EXPECT_NEAR(product_of_fine_numbers(), 256 * (1 + 0x1p-11), 1e-4);
}

// Both factors of a term are rounded to 11 digits: what is lost is 2^-10 of the
// sum of the terms, here all positive, at most.
TEST(matmul, tf32_keeps_its_bound) {
  driver_t driver;
  start(&driver, "MatMul", BERTH_FLOAT);
  driver_input(&driver, numbers(BERTH_FLOAT, BERTH_SHAPE(200, 300)));
  driver_input(&driver, numbers(BERTH_FLOAT, BERTH_SHAPE(300, 100)));
  berth_cuda_set_tf32(true);
  driver_check(&driver, 0x1p-10);
}

TEST(matmul, tf32_as_it_is_set) {
  double exact = 256 * (1 + 0x1p-11 + 0x1p-24);
  EXPECT_FALSE(berth_cuda_tf32());
  EXPECT_NEAR(product_of_fine_numbers(), exact, 1e-4);
  uint64_t epoch = berth_device_epoch();
  berth_cuda_set_tf32(true);
  EXPECT_EQ(berth_device_epoch(), epoch + 1);
  EXPECT_NEAR(product_of_fine_numbers(), 256, 1e-6);
  berth_cuda_set_tf32(true);
  EXPECT_EQ(berth_device_epoch(), epoch + 1);  // Nothing has changed.
  setenv("NVIDIA_TF32_OVERRIDE", "0", 1);
  EXPECT_FALSE(berth_cuda_tf32());
  setenv("NVIDIA_TF32_OVERRIDE", "1", 1);
  berth_cuda_set_tf32(false);
  EXPECT_TRUE(berth_cuda_tf32());
}
