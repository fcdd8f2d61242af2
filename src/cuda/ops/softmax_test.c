// softmax_test.c - Tests of Softmax and LogSoftmax on a GPU.
#include "harness.h"

#include "cuda/kernel_driver.h"

static driver_t softmax_of(const char *op, berth_tensor_t *input) {
  driver_t driver = {.op = op};
  driver_type(&driver, "T", input->dtype);
  driver_input(&driver, input);
  driver_output(&driver, input->dtype);
  return driver;
}

// The CPU's kernels round 16-bit numbers after every step, sums included, which
// these do not: rows are short where the results are to be close.
static void check(const char *op, berth_dtype_t dtype, berth_dims_t dims,
                  double tolerance) {
  driver_t driver = softmax_of(op, driver_random(dtype, dims, -2, 2));
  driver_check(&driver, tolerance);
}

TEST(softmax, agrees_with_the_cpu) {
  static const char *const ops[] = {"Softmax", "LogSoftmax"};
  for (int k = 0; k < 2; ++k) {
    // By threads, warps and blocks, in registers and not.
    check(ops[k], BERTH_FLOAT, BERTH_SHAPE(300, 7), 1e-6);
    check(ops[k], BERTH_FLOAT, BERTH_SHAPE(2, 30, 100), 2e-6);
    check(ops[k], BERTH_FLOAT, BERTH_SHAPE(5, 3001), 2e-6);
    check(ops[k], BERTH_FLOAT, BERTH_SHAPE(2, 20001), 4e-6);
    // Sixteen bytes at a time, by warps and blocks, beyond registers.
    check(ops[k], BERTH_FLOAT, BERTH_SHAPE(40, 64), 2e-6);
    check(ops[k], BERTH_FLOAT, BERTH_SHAPE(40, 1000), 2e-6);
    check(ops[k], BERTH_FLOAT, BERTH_SHAPE(3, 1028), 2e-6);
    check(ops[k], BERTH_FLOAT, BERTH_SHAPE(3, 8192), 4e-6);
    check(ops[k], BERTH_FLOAT, BERTH_SHAPE(3, 8196), 4e-6);
    check(ops[k], BERTH_DOUBLE, BERTH_SHAPE(30, 700), 4e-15);
    check(ops[k], BERTH_HALF, BERTH_SHAPE(3, 128), 4 * 0x1p-10);
    check(ops[k], BERTH_DOUBLE, BERTH_SHAPE(300, 7), 4e-15);
    check(ops[k], BERTH_DOUBLE, BERTH_SHAPE(5, 1100), 4e-15);
    check(ops[k], BERTH_HALF, BERTH_SHAPE(30, 9), 4 * 0x1p-10);
    check(ops[k], BERTH_BFLOAT16, BERTH_SHAPE(30, 9), 4 * 0x1p-7);
  }
}

static const char *result(const char *op, berth_tensor_t *input) {
  driver_t driver = softmax_of(op, input);
  return driver_result(&driver);
}

TEST(softmax, survives_large_numbers) {
  EXPECT_STR(result("Softmax", driver_floats(BERTH_SHAPE(1, 2), 1e30f, 1e30f)),
             "[1,2] 0.5 0.5");
  EXPECT_STR(result("Softmax", driver_floats(BERTH_SHAPE(1, 2), -INFINITY, 3)),
             "[1,2] 0 1");
  EXPECT_STR(result("LogSoftmax", driver_floats(BERTH_SHAPE(1, 2), 500, -500)),
             "[1,2] 0 -1000");
}

TEST(softmax, passes_nan_on) {
  EXPECT_STR(result("Softmax", driver_floats(BERTH_SHAPE(2), 1, NAN)),
             "[2] nan nan");
  berth_tensor_t *lowest = driver_floats(BERTH_SHAPE(2), -INFINITY, -INFINITY);
  EXPECT_TRUE(strstr(result("Softmax", lowest), "nan") != NULL);
}

TEST(softmax, takes_rows_alone) {
  float none[1] = {0};
  EXPECT_STR(result("Softmax", driver_floats(BERTH_SCALAR, 1)),
             "logits must have >= 1 dimension, got []");
  EXPECT_STR(
      result("Softmax", driver_tensor(BERTH_FLOAT, BERTH_SHAPE(0, 2), none)),
      "[0,2]");
}
