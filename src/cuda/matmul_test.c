// matmul_test.c - Products on a card: every type, shape, way and library.
#include "harness.h"

#include "base/fault.h"
#include "cuda/kernel_driver.h"
#include "cuda/precision.h"

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
  if (getenv("BERTH_REQUIRE_GPU") == NULL) {
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

TEST(matmul, tf32_only_when_asked_for) {
  double exact = 256 * (1 + 0x1p-11 + 0x1p-24);
  EXPECT_FALSE(berth_cuda_tf32());
  EXPECT_NEAR(product_of_fine_numbers(), exact, 1e-4);
  berth_cuda_set_tf32(true);
  EXPECT_NEAR(product_of_fine_numbers(), 256, 1e-6);
  setenv("NVIDIA_TF32_OVERRIDE", "0", 1);
  EXPECT_FALSE(berth_cuda_tf32());
  setenv("NVIDIA_TF32_OVERRIDE", "1", 1);
  berth_cuda_set_tf32(false);
  EXPECT_TRUE(berth_cuda_tf32());
}
