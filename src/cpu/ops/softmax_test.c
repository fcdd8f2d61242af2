// softmax_test.c - Tests of Softmax and LogSoftmax.
#include "cpu/kernel_driver.h"
#include "cpu/kernels.h"
#include "harness.h"
#include "kernel/number.h"

static driver_t softmax_of(const char *op, berth_tensor_t *logits) {
  driver_t driver = {.op = op};
  driver_type(&driver, "T", logits->dtype);
  driver_input(&driver, logits);
  driver_output(&driver, logits->dtype);
  return driver;
}

static berth_tensor_t *made(berth_dtype_t dtype, berth_dims_t dims) {
  berth_tensor_t *tensor = NULL;
  if (berth_tensor_create(dtype, dims, &tensor, NULL) != BERTH_OK) return NULL;
  for (int64_t i = 0; i < tensor->count; ++i) {
    number_store(dtype, tensor->data, i, (double)(i * 37 % 101) / 16 - 3);
  }
  return tensor;
}

TEST(softmax, refuses_a_scalar) {
  berth_error_t err = BERTH_ERROR_INIT;
  driver_t driver = softmax_of("Softmax", driver_floats(BERTH_SCALAR, 1));
  EXPECT_FAILS(driver_call(&driver, &err), BERTH_INVALID_ARGUMENT, &err,
               "logits must have >= 1 dimension, got []");
  driver_deinit(&driver);
}

TEST(softmax, takes_empty_tensors) {
  berth_error_t err = BERTH_ERROR_INIT;
  driver_t driver = softmax_of("Softmax", made(BERTH_FLOAT, BERTH_SHAPE(3, 0)));
  ASSERT_OK(driver_call(&driver, &err), &err);
  EXPECT_EQ(driver.outputs[0]->rank, 2);
  EXPECT_EQ(driver.outputs[0]->dims[0], 3);
  driver_deinit(&driver);
}

// Against sums in double, for rows of all lengths around the vectors'.
static void expect_softmax(const char *op, berth_dtype_t dtype, int64_t rows,
                           int64_t n, double tolerance) {
  berth_error_t err = BERTH_ERROR_INIT;
  driver_t driver = softmax_of(op, made(dtype, BERTH_SHAPE(rows, n)));
  ASSERT_OK(driver_call(&driver, &err), &err);
  bool is_log = op[0] == 'L';
  for (int64_t r = 0; r < rows; ++r) {
    double sum = 0;
    for (int64_t i = 0; i < n; ++i) {
      sum += exp(number_load(dtype, driver.inputs[0]->data, r * n + i));
    }
    for (int64_t i = 0; i < n; ++i) {
      double x = number_load(dtype, driver.inputs[0]->data, r * n + i);
      double expected = is_log ? x - log(sum) : exp(x) / sum;
      double got = number_load(dtype, driver_data(&driver, 0), r * n + i);
      if (!(fabs(got - expected) <= tolerance * fabs(expected))) {
        HARNESS_FAIL("%s of %d: %.9g, not %.9g", op, (int)n, got, expected);
        break;
      }
    }
  }
  driver_deinit(&driver);
}

TEST(softmax, agrees_with_the_definition) {
  for (int64_t n = 1; n < 200; n += 7) {
    expect_softmax("Softmax", BERTH_FLOAT, 3, n, 5e-7);
    expect_softmax("Softmax", BERTH_DOUBLE, 3, n, 1e-14);
  }
  // Where the logarithm is not near zero.
  expect_softmax("LogSoftmax", BERTH_FLOAT, 5, 50, 1e-6);
  expect_softmax("LogSoftmax", BERTH_DOUBLE, 5, 50, 1e-14);
  expect_softmax("Softmax", BERTH_FLOAT, 300, 1000, 1e-6);
  expect_softmax("LogSoftmax", BERTH_FLOAT, 3, 5000, 1e-6);
}

TEST(softmax, agrees_with_the_definition_on_baseline) {
  setenv("BERTH_CPU_ISA", "baseline", 1);
  expect_softmax("Softmax", BERTH_FLOAT, 3, 77, 5e-7);
  expect_softmax("LogSoftmax", BERTH_FLOAT, 3, 77, 1e-6);
}

// Rows of 16 bits, bit for bit as TensorFlow has them: the first seven values
// and the sum of all patterns.
typedef struct golden {
  const char *op;
  berth_dtype_t dtype;
  int64_t n;
  uint16_t first[7];
  int64_t sum;
} golden_t;

static const golden_t goldens[] = {
    {"Softmax",
     BERTH_HALF,
     7,
     {0x1a3f, 0x27e3, 0x34fa, 0x1dd5, 0x2b5d, 0x38a6, 0x2173},
     736007},
    {"LogSoftmax",
     BERTH_HALF,
     7,
     {0xc5cb, 0xc2f6, 0xbcac, 0xc52b, 0xc1b6, 0xb858, 0xc48b},
     3461142},
    {"Softmax",
     BERTH_HALF,
     35,
     {0x0d9d, 0x1b17, 0x2879, 0x113f, 0x1e9f, 0x2c2e, 0x14e6},
     565825},
    {"LogSoftmax",
     BERTH_HALF,
     70,
     {0xc85b, 0xc666, 0xc416, 0xc80b, 0xc5c6, 0xc2eb, 0xc776},
     3536622},
    {"Softmax",
     BERTH_BFLOAT16,
     35,
     {0x39b4, 0x3b64, 0x3d10, 0x3a28, 0x3bd4, 0x3d86, 0x3a9d},
     1074272},
    {"Softmax",
     BERTH_BFLOAT16,
     70,
     {0x392d, 0x3adb, 0x3c8a, 0x39a1, 0x3b4c, 0x3d01, 0x3a17},
     1065272},
    {"LogSoftmax",
     BERTH_BFLOAT16,
     7,
     {0xc0b9, 0xc05f, 0xbf96, 0xc0a5, 0xc037, 0xbf0b, 0xc091},
     3443195},
};

TEST(softmax, rounds_16_bits_as_tensorflow) {
  for (int g = 0; g < BERTH_COUNT_OF(goldens); ++g) {
    berth_error_t err = BERTH_ERROR_INIT;
    const golden_t *golden = &goldens[g];
    driver_t driver =
        softmax_of(golden->op,
                   made(golden->dtype, BERTH_SHAPE(70 / golden->n, golden->n)));
    ASSERT_OK(driver_call(&driver, &err), &err);
    const uint16_t *out = driver_data(&driver, 0);
    int64_t sum = 0;
    for (int i = 0; i < 70; ++i) sum += out[i];
    for (int i = 0; i < 7; ++i) EXPECT_EQ(out[i], golden->first[i]);
    EXPECT_EQ(sum, golden->sum);
    driver_deinit(&driver);
  }
}

TEST(softmax, of_nan_and_infinities) {
  static const float rows[][2] = {
      {INFINITY, 1},  {-INFINITY, -INFINITY}, {NAN, 1},  {1, NAN},
      {-INFINITY, 0}, {1e30f, -1e30f},        {-200, 0},
  };
  berth_error_t err = BERTH_ERROR_INIT;
  for (int log = 0; log < 2; ++log) {
    driver_t driver =
        softmax_of(log ? "LogSoftmax" : "Softmax",
                   driver_tensor(BERTH_FLOAT, BERTH_SHAPE(7, 2), rows));
    ASSERT_OK(driver_call(&driver, &err), &err);
    const float *out = driver_data(&driver, 0);
    for (int i = 0; i < 8; ++i) EXPECT_TRUE(isnan(out[i]));
    EXPECT_TRUE(out[8] == (log ? -INFINITY : 0));
    EXPECT_TRUE(out[9] == (log ? 0 : 1));
    EXPECT_TRUE(out[10] == (log ? 0 : 1));
    EXPECT_TRUE(out[11] == (log ? -2e30f : 0));
    EXPECT_TRUE(out[12] == (log ? -200 : 0));
    driver_deinit(&driver);
  }
}
