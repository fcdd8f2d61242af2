// matmul_test.c - Tests of the products of matrices.
#include "base/parallel.h"
#include "cpu/kernel_driver.h"
#include "cpu/kernels.h"
#include "cpu/onednn.h"
#include "harness.h"
#include "kernel/number.h"

static driver_t product_of(const char *op, berth_dtype_t dtype,
                           berth_tensor_t *a, berth_tensor_t *b) {
  driver_t driver = {.op = op};
  driver_type(&driver, "T", dtype);
  driver_input(&driver, a);
  driver_input(&driver, b);
  driver_output(&driver, dtype);
  return driver;
}

static berth_tensor_t *zeros(berth_dims_t dims) {
  berth_tensor_t *tensor = NULL;
  if (berth_tensor_create(BERTH_FLOAT, dims, &tensor, NULL) != BERTH_OK) {
    return NULL;
  }
  if (tensor->size > 0) memset(tensor->data, 0, tensor->size);
  return tensor;
}

// Both inputs are zeros; the call must fail with |message|.
static void expect_refused(const char *op, berth_dims_t a, berth_dims_t b,
                           const char *message) {
  berth_error_t err = BERTH_ERROR_INIT;
  driver_t driver = product_of(op, BERTH_FLOAT, zeros(a), zeros(b));
  EXPECT_FAILS(driver_call(&driver, &err), BERTH_INVALID_ARGUMENT, &err,
               message);
  driver_deinit(&driver);
}

TEST(matmul, multiplies_two_by_three) {
  berth_error_t err = BERTH_ERROR_INIT;
  driver_t driver = product_of(
      "MatMul", BERTH_FLOAT, driver_floats(BERTH_SHAPE(2, 3), 1, 2, 3, 4, 5, 6),
      driver_floats(BERTH_SHAPE(3, 2), 1, 2, 3, 4, 5, 6));
  ASSERT_OK(driver_call(&driver, &err), &err);
  const float *c = driver_data(&driver, 0);
  EXPECT_EQ(c[0], 22);
  EXPECT_EQ(c[1], 28);
  EXPECT_EQ(c[2], 49);
  EXPECT_EQ(c[3], 64);
  EXPECT_EQ(driver.outputs[0]->rank, 2);
  EXPECT_EQ(driver.outputs[0]->dims[0], 2);
  EXPECT_EQ(driver.outputs[0]->dims[1], 2);
  driver_deinit(&driver);
}

TEST(matmul, refuses_what_does_not_fit) {
  expect_refused("MatMul", BERTH_SHAPE(2, 3), BERTH_SHAPE(4, 2),
                 "Matrix size-incompatible: In[0]: [2,3], In[1]: [4,2]");
  expect_refused("MatMul", BERTH_SHAPE(2, 0), BERTH_SHAPE(3, 0),
                 "Matrix size-incompatible: In[0]: [2,0], In[1]: [3,0]");
  expect_refused("MatMul", BERTH_SHAPE(1, 2, 3), BERTH_SHAPE(3, 2),
                 "In[0] and In[1] has different ndims: [1,2,3] vs. [3,2]");
  expect_refused("MatMul", BERTH_SHAPE(1, 2, 3), BERTH_SHAPE(1, 3, 2),
                 "In[0] and In[1] ndims must be == 2: 3");
  expect_refused("MatMul", BERTH_SCALAR, BERTH_SCALAR,
                 "In[0] and In[1] ndims must be == 2: 0");
}

TEST(matmul, refuses_batches_that_do_not_fit) {
  expect_refused("BatchMatMul", BERTH_SHAPE(3), BERTH_SHAPE(3),
                 "In[0] and In[1] ndims must be >= 2: 1");
  expect_refused("BatchMatMul", BERTH_SHAPE(1, 2, 3), BERTH_SHAPE(3, 2),
                 "In[0] and In[1] has different ndims: [1,2,3] vs. [3,2]");
  expect_refused("BatchMatMul", BERTH_SHAPE(2, 2, 3), BERTH_SHAPE(3, 3, 2),
                 "In[0].dim(0) and In[1].dim(0) must be the same: "
                 "[2,2,3] vs [3,3,2]");
  expect_refused("BatchMatMulV2", BERTH_SHAPE(3), BERTH_SHAPE(3, 2),
                 "In[0] ndims must be >= 2: 1");
  expect_refused("BatchMatMulV2", BERTH_SHAPE(2, 3), BERTH_SHAPE(3),
                 "In[1] ndims must be >= 2: 1");
  expect_refused("BatchMatMulV2", BERTH_SHAPE(2, 2, 3), BERTH_SHAPE(3, 3, 2),
                 "In[0] and In[1] must have compatible batch dimensions: "
                 "[2,2,3] vs. [3,3,2]");
  expect_refused("BatchMatMulV2", BERTH_SHAPE(2, 2, 3), BERTH_SHAPE(2, 4, 2),
                 "Matrix size-incompatible: In[0]: [2,2,3], In[1]: [2,4,2]");
}

TEST(matmul, refuses_a_product_too_large_to_count) {
  int64_t huge = (int64_t)1 << 40;
  expect_refused("MatMul", BERTH_SHAPE(huge, 0), BERTH_SHAPE(0, huge),
                 "Encountered overflow when multiplying 1099511627776 with "
                 "1099511627776, result: -1");
  expect_refused("BatchMatMulV2", BERTH_SHAPE(huge, 1, 0),
                 BERTH_SHAPE(1, 0, huge),
                 "Encountered overflow when multiplying 1099511627776 with "
                 "1099511627776, result: -1");
  berth_error_t err = BERTH_ERROR_INIT;
  int64_t large = (int64_t)1 << 31;
  driver_t driver =
      product_of("MatMul", BERTH_FLOAT, zeros(BERTH_SHAPE(large, 0)),
                 zeros(BERTH_SHAPE(0, large)));
  EXPECT_FAILS(driver_call(&driver, &err), BERTH_RESOURCE_EXHAUSTED, &err,
               "OOM when allocating tensor with shape[2147483648,2147483648] "
               "and type float on /job:localhost/replica:0/task:0/device:CPU:0 "
               "by allocator cpu");
  driver_deinit(&driver);
}

// The sum over nothing is zero; a product without elements is empty.
TEST(matmul, takes_empty_matrices) {
  berth_error_t err = BERTH_ERROR_INIT;
  driver_t driver = product_of("MatMul", BERTH_FLOAT, zeros(BERTH_SHAPE(20, 0)),
                               zeros(BERTH_SHAPE(0, 30)));
  ASSERT_OK(driver_call(&driver, &err), &err);
  const float *c = driver_data(&driver, 0);
  for (int i = 0; i < 600; ++i) ASSERT_TRUE(c[i] == 0);
  driver_deinit(&driver);
  driver = product_of("BatchMatMulV2", BERTH_FLOAT, zeros(BERTH_SHAPE(0, 2, 2)),
                      zeros(BERTH_SHAPE(1, 2, 3)));
  ASSERT_OK(driver_call(&driver, &err), &err);
  EXPECT_EQ(driver.outputs[0]->rank, 3);
  EXPECT_EQ(driver.outputs[0]->dims[0], 0);
  EXPECT_EQ(driver.outputs[0]->dims[2], 3);
  driver_deinit(&driver);
}

// Small whole numbers, so that every type and order gives the same sums.
static double sample(int64_t i) { return (double)(i * 7 % 5 - 2); }

static berth_tensor_t *samples(berth_dtype_t dtype, berth_dims_t dims) {
  berth_tensor_t *tensor = NULL;
  if (berth_tensor_create(dtype, dims, &tensor, NULL) != BERTH_OK) return NULL;
  for (int64_t i = 0; i < tensor->count; ++i) {
    number_store(dtype, tensor->data, i, sample(i + dims.dims[0]));
  }
  return tensor;
}

// Compares a product of m x k and k x n with the sums made one by one, at some
// places of a large one.
static void expect_product(berth_dtype_t dtype, int64_t m, int64_t n, int64_t k,
                           bool ta, bool tb) {
  berth_error_t err = BERTH_ERROR_INIT;
  int64_t a_dims[2] = {ta ? k : m, ta ? m : k};
  int64_t b_dims[2] = {tb ? n : k, tb ? k : n};
  driver_t driver =
      product_of("MatMul", dtype, samples(dtype, (berth_dims_t){2, a_dims}),
                 samples(dtype, (berth_dims_t){2, b_dims}));
  driver_bool(&driver, "transpose_a", ta);
  driver_bool(&driver, "transpose_b", tb);
  ASSERT_OK(driver_call(&driver, &err), &err);
  const void *a = driver.inputs[0]->data, *b = driver.inputs[1]->data;
  int64_t step = m * n * k > 1000000 ? 101 : 1;
  for (int64_t at = 0; at < m * n; at += step) {
    int64_t i = at / n, j = at % n;
    double sum = 0;
    for (int64_t p = 0; p < k; ++p) {
      sum += number_load(dtype, a, ta ? p * m + i : i * k + p) *
             number_load(dtype, b, tb ? j * k + p : p * n + j);
    }
    double rounded[2];  // As an element is.
    number_store(dtype, rounded, 0, sum);
    sum = number_load(dtype, rounded, 0);
    if (number_load(dtype, driver_data(&driver, 0), at) != sum) {
      HARNESS_FAIL("type %d, %d x %d x %d, %d%d: element %d is %g, not %g",
                   dtype, (int)m, (int)n, (int)k, ta, tb, (int)at,
                   number_load(dtype, driver_data(&driver, 0), at), sum);
      break;
    }
  }
  driver_deinit(&driver);
}

static void expect_products(berth_dtype_t dtype, int64_t m, int64_t n,
                            int64_t k) {
  for (int i = 0; i < 4; ++i) {
    expect_product(dtype, m, n, k, (i & 1) != 0, (i & 2) != 0);
  }
}

static const berth_dtype_t real_types[] = {
    BERTH_FLOAT, BERTH_DOUBLE, BERTH_HALF, BERTH_BFLOAT16,
    BERTH_INT16, BERTH_INT32,  BERTH_INT64};

TEST(matmul, agrees_with_the_definition_for_all_types) {
  static const int64_t shapes[][3] = {{1, 1, 1},   {1, 7, 5},  {7, 1, 5},
                                      {3, 5, 2},   {2, 40, 9}, {13, 17, 19},
                                      {40, 33, 8}, {5, 70, 31}};
  for (int t = 0; t < BERTH_COUNT_OF(real_types); ++t) {
    for (int i = 0; i < BERTH_COUNT_OF(shapes); ++i) {
      expect_products(real_types[t], shapes[i][0], shapes[i][1], shapes[i][2]);
    }
  }
}

// Several tiles, several depths, and edges in all directions.
TEST(matmul, agrees_with_the_definition_when_large) {
  expect_products(BERTH_FLOAT, 530, 545, 300);
  expect_products(BERTH_DOUBLE, 530, 520, 270);
  expect_products(BERTH_FLOAT, 1, 1500, 700);
  expect_products(BERTH_FLOAT, 1500, 1, 700);
  expect_product(BERTH_HALF, 130, 600, 260, false, false);
}

// Pairs are multiplied where the CPU can: odd ones, last ones, none.
TEST(matmul, agrees_with_the_definition_in_pairs) {
  expect_products(BERTH_BFLOAT16, 14, 45, 515);
  expect_products(BERTH_BFLOAT16, 30, 64, 255);
  expect_products(BERTH_BFLOAT16, 3, 31, 259);
  expect_products(BERTH_BFLOAT16, 130, 600, 1);
  expect_products(BERTH_BFLOAT16, 24, 40, 256);
  expect_products(BERTH_BFLOAT16, 29, 33, 514);
}

// So few rows that the other factor is read as it lies.
TEST(matmul, agrees_with_the_definition_for_few_rows) {
  for (int64_t m = 7; m < 52; ++m) {
    expect_products(BERTH_FLOAT, m, 96, 300);
    expect_products(BERTH_DOUBLE, m, 64, 260);
  }
  expect_products(BERTH_FLOAT, 48, 1056, 520);
}

// So few columns that they become lines, of several pieces.
TEST(matmul, agrees_with_the_definition_for_few_columns) {
  for (int64_t n = 2; n < 6; ++n) {
    expect_products(BERTH_FLOAT, 4 * n + 1, n, 1300);
    expect_products(BERTH_DOUBLE, 3 * n, n, 777);
    expect_products(BERTH_FLOAT, 1, n, 256);
  }
}

// Half goes by way of floats there: slices of lines, the last ones short.
TEST(matmul, agrees_with_the_definition_for_long_lines_of_half) {
  for (int64_t m = 1; m <= 12; m += 3) {
    expect_products(BERTH_HALF, m, 4, 256);
    expect_products(BERTH_HALF, m, 2, 4096 / m + 3);
    expect_products(BERTH_HALF, m, 3, 4100);
  }
}

// Small matrices of half, more than are floats at a time; all by one, too.
TEST(matmul, agrees_with_the_definition_for_batches_of_half) {
  enum { COUNT = 700, M = 3, N = 2, K = 5 };
  for (int64_t others = 1; others <= COUNT; others += COUNT - 1) {
    berth_error_t err = BERTH_ERROR_INIT;
    int64_t a_dims[3] = {COUNT, M, K}, b_dims[3] = {others, K, N};
    driver_t driver =
        product_of("BatchMatMulV2", BERTH_HALF,
                   samples(BERTH_HALF, (berth_dims_t){3, a_dims}),
                   samples(BERTH_HALF, (berth_dims_t){3, b_dims}));
    ASSERT_OK(driver_call(&driver, &err), &err);
    const void *a = driver.inputs[0]->data, *b = driver.inputs[1]->data;
    for (int64_t at = 0; at < COUNT * M * N; ++at) {
      const int64_t row = at / N,
                    first = others == 1 ? 0 : at / (M * N) * K * N;
      double sum = 0;
      for (int64_t p = 0; p < K; ++p) {
        sum += number_load(BERTH_HALF, a, row * K + p) *
               number_load(BERTH_HALF, b, first + p * N + at % N);
      }
      double rounded[2];
      number_store(BERTH_HALF, rounded, 0, sum);
      EXPECT_EQ(number_load(BERTH_HALF, driver_data(&driver, 0), at),
                number_load(BERTH_HALF, rounded, 0));
    }
    driver_deinit(&driver);
  }
}

// So few rows that a transposed factor is what is cut into lines.
TEST(matmul, agrees_with_the_definition_when_turned) {
  for (int64_t m = 10; m < 40; ++m) {
    expect_product(BERTH_FLOAT, m, 4 * m + 5, 300, false, true);
    expect_product(BERTH_DOUBLE, m, 6 * m, 261, false, true);
  }
  expect_product(BERTH_FLOAT, 128, 513, 520, false, true);
  expect_product(BERTH_FLOAT, 32, 1030, 32, false, true);
}

// A product and its transposition, one of which is made the other way round.
TEST(matmul, gives_the_same_bits_when_turned) {
  berth_error_t err = BERTH_ERROR_INIT;
  enum { M = 31, N = 150, K = 333 };
  berth_tensor_t *a = zeros(BERTH_SHAPE(M, K)), *b = zeros(BERTH_SHAPE(N, K));
  for (int i = 0; i < M * K; ++i) ((float *)a->data)[i] = sinf((float)i);
  for (int i = 0; i < N * K; ++i) ((float *)b->data)[i] = cosf((float)i);
  driver_t c = product_of("MatMul", BERTH_FLOAT, a, b);
  driver_t d = product_of("MatMul", BERTH_FLOAT, berth_tensor_retain(b),
                          berth_tensor_retain(a));
  driver_bool(&c, "transpose_b", true);
  driver_bool(&d, "transpose_b", true);
  ASSERT_OK(driver_call(&c, &err), &err);
  ASSERT_OK(driver_call(&d, &err), &err);
  const float *x = driver_data(&c, 0), *y = driver_data(&d, 0);
  for (int i = 0; i < M * N; ++i) ASSERT_TRUE(x[i] == y[i % N * M + i / N]);
  driver_deinit(&c);
  driver_deinit(&d);
}

TEST(matmul, agrees_with_the_definition_on_every_instruction_set) {
  setenv("BERTH_CPU_ISA", "baseline", 1);
  setenv("BERTH_ONEDNN", "0", 1);
  expect_products(BERTH_FLOAT, 16, 96, 300);
  expect_products(BERTH_DOUBLE, 12, 64, 300);
  expect_products(BERTH_FLOAT, 31, 96, 300);
  expect_products(BERTH_DOUBLE, 29, 32, 300);
  expect_products(BERTH_FLOAT, 61, 77, 300);
  expect_products(BERTH_DOUBLE, 61, 77, 300);
  expect_products(BERTH_HALF, 61, 77, 30);
}

TEST(matmul, agrees_with_the_definition_on_avx2) {
  setenv("BERTH_CPU_ISA", "avx2", 1);
  setenv("BERTH_ONEDNN", "0", 1);
  expect_products(BERTH_FLOAT, 16, 96, 300);
  expect_products(BERTH_DOUBLE, 12, 64, 300);
  expect_products(BERTH_FLOAT, 31, 96, 300);
  expect_products(BERTH_DOUBLE, 29, 32, 300);
  expect_products(BERTH_FLOAT, 61, 77, 300);
  expect_products(BERTH_DOUBLE, 61, 77, 300);
  expect_products(BERTH_BFLOAT16, 61, 77, 30);
}

// oneDNN, where it is installed, does the heavy ones, and is not opened before.
TEST(matmul, agrees_with_the_definition_with_a_library) {
  expect_product(BERTH_FLOAT, 200, 200, 200, false, false);
  EXPECT_TRUE(berth_onednn_name() == NULL);
  expect_product(BERTH_FLOAT, 530, 520, 300, false, true);
  if (!berth_onednn_ready()) SKIP("oneDNN is not installed");
  EXPECT_TRUE(strncmp(berth_onednn_name(), "libdnnl.so", 10) == 0);
}

TEST(matmul, agrees_with_the_definition_without_a_library) {
  setenv("BERTH_ONEDNN", "0", 1);
  expect_product(BERTH_FLOAT, 530, 520, 300, false, true);
  EXPECT_FALSE(berth_onednn_ready());
}

// A float product of one value by many: the order of the sum is that of the
// tiles, whatever the number of threads.
TEST(matmul, gives_the_same_bits_on_any_number_of_threads) {
  berth_error_t err = BERTH_ERROR_INIT;
  enum { N = 600 };
  berth_tensor_t *a = zeros(BERTH_SHAPE(N, N));
  float *x = a->data;
  for (int i = 0; i < N * N; ++i) x[i] = sinf((float)i);
  driver_t driver =
      product_of("MatMul", BERTH_FLOAT, a, berth_tensor_retain(a));
  static float first[N * N];
  for (int threads = 1; threads <= 3; ++threads) {
    berth_parallel_scope_t scope = {.threads = threads};
    const berth_parallel_scope_t *before = berth_parallel_enter(&scope);
    ASSERT_OK(driver_call(&driver, &err), &err);
    berth_parallel_enter(before);
    if (threads == 1) memcpy(first, driver_data(&driver, 0), sizeof(first));
    EXPECT_EQ(memcmp(first, driver_data(&driver, 0), sizeof(first)), 0);
  }
  driver_deinit(&driver);
}

// The parent has used its threads and the library; the child has neither.
TEST(matmul, works_in_a_forked_child) {
  if (BERTH_TSAN) SKIP("the thread sanitizer allows no threads after fork");
  expect_product(BERTH_FLOAT, 1030, 520, 300, false, false);
  pid_t child = fork();
  ASSERT_TRUE(child >= 0);
  if (child == 0) {
    alarm(60);
    expect_product(BERTH_FLOAT, 1030, 520, 300, false, false);
    _exit(harness_failures > 0 ? 1 : 0);
  }
  int status = -1;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST(matmul, integers_wrap) {
  berth_error_t err = BERTH_ERROR_INIT;
  driver_t driver =
      product_of("MatMul", BERTH_INT32,
                 driver_ints(BERTH_SHAPE(2, 2), 1 << 30, 1 << 30, 7, 7),
                 driver_ints(BERTH_SHAPE(2, 2), 1 << 30, 1 << 30, 7, 7));
  ASSERT_OK(driver_call(&driver, &err), &err);
  const int32_t *c = driver_data(&driver, 0);
  EXPECT_EQ(c[0], -1073741824);
  EXPECT_EQ(c[3], -1073741775);
  driver_deinit(&driver);
}

TEST(matmul, broadcasts_batches) {
  berth_error_t err = BERTH_ERROR_INIT;
  // [2,1,1,2] by [3,2,1] is [2,3,1,1].
  driver_t driver =
      product_of("BatchMatMulV2", BERTH_FLOAT,
                 driver_floats(BERTH_SHAPE(2, 1, 1, 2), 1, 2, 3, 4),
                 driver_floats(BERTH_SHAPE(3, 2, 1), 1, 1, 10, 0, 0, 100));
  ASSERT_OK(driver_call(&driver, &err), &err);
  static const float expected[] = {3, 10, 200, 7, 30, 400};
  EXPECT_EQ(driver.outputs[0]->count, 6);
  EXPECT_EQ(driver.outputs[0]->dims[1], 3);
  EXPECT_EQ(memcmp(driver_data(&driver, 0), expected, sizeof(expected)), 0);
  driver_deinit(&driver);
}

// The matrix [[1+2i, 3-i], [i, 2]] by itself, adjoint on neither side, the
// left, the right and both; values of TensorFlow.
TEST(matmul, adjoint_is_conjugated) {
  static const float z[] = {1, 2, 3, -1, 0, 1, 2, 0};
  static const float expected[4][8] = {
      {-2, 7, 11, 3, -2, 3, 5, 3},
      {6, 0, 1, -9, 1, 9, 14, 0},
      {15, 0, 8, -3, 8, 3, 5, 0},
      {-2, -7, -2, -3, 11, -3, 5, -3},
  };
  for (int i = 0; i < 4; ++i) {
    berth_error_t err = BERTH_ERROR_INIT;
    driver_t driver =
        product_of("BatchMatMulV2", BERTH_COMPLEX64,
                   driver_tensor(BERTH_COMPLEX64, BERTH_SHAPE(2, 2), z),
                   driver_tensor(BERTH_COMPLEX64, BERTH_SHAPE(2, 2), z));
    driver_bool(&driver, "adj_x", (i & 1) != 0);
    driver_bool(&driver, "adj_y", (i & 2) != 0);
    ASSERT_OK(driver_call(&driver, &err), &err);
    const float *c = driver_data(&driver, 0);
    for (int j = 0; j < 8; ++j) EXPECT_NEAR(c[j], expected[i][j], 0);
    driver_deinit(&driver);
  }
}

// A few long rows by a few long columns: no tile can be made smaller.
TEST(matmul, multiplies_what_is_long_inside_and_small_outside) {
  alarm(200);
  for (int64_t m = 5; m <= 13; m += 8) {
    berth_error_t err = BERTH_ERROR_INIT;
    enum { LONG = 300000, COLS = 40 };
    driver_t driver =
        product_of("MatMul", BERTH_FLOAT, zeros(BERTH_SHAPE(m, LONG)),
                   zeros(BERTH_SHAPE(LONG, COLS)));
    ASSERT_OK(driver_call(&driver, &err), &err);
    EXPECT_EQ(driver.outputs[0]->count, m * COLS);
    driver_deinit(&driver);
  }
}

TEST(matmul, keeps_nan_and_infinity) {
  berth_error_t err = BERTH_ERROR_INIT;
  driver_t driver =
      product_of("MatMul", BERTH_FLOAT,
                 driver_floats(BERTH_SHAPE(2, 2), NAN, 0, INFINITY, 0),
                 driver_floats(BERTH_SHAPE(2, 2), 0, 1, 0, 1));
  ASSERT_OK(driver_call(&driver, &err), &err);
  const float *c = driver_data(&driver, 0);
  EXPECT_TRUE(isnan(c[0]) && isnan(c[1]) && isnan(c[2]));
  EXPECT_TRUE(isinf(c[3]) && c[3] > 0);
  driver_deinit(&driver);
}
