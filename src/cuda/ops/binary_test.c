// binary_test.c - GPU kernels of ops with two inputs, against the CPU's.
#include "harness.h"

#include "cuda/kernel_driver.h"

extern const berth_kernel_t berth_cuda_binary_kernels[];

static bool is_whole(berth_dtype_t dtype) {
  return driver_tolerance(dtype) == 0;
}

static bool gives_bool(const char *op) {
  return strstr(op, "Equal") != NULL || strncmp(op, "Less", 4) == 0 ||
         strncmp(op, "Greater", 7) == 0 || strncmp(op, "Logical", 7) == 0;
}

static driver_t begin(const char *op, berth_dtype_t dtype) {
  driver_t driver = {.op = op};
  if (strncmp(op, "Logical", 7) != 0) driver_type(&driver, "T", dtype);
  driver_output(&driver, gives_bool(op) ? BERTH_BOOL : dtype);
  return driver;
}

// Compares |op| for inputs of those shapes. Divisors and exponents are whole
// and positive where others are errors on the host.
static void check(const char *op, berth_dtype_t dtype, berth_dims_t left,
                  berth_dims_t right) {
  driver_t driver = begin(op, dtype);
  bool is_power = strcmp(op, "Pow") == 0;
  driver_input(&driver, driver_random(dtype, left, is_power ? 0.5 : -9, 9));
  driver_input(&driver,
               driver_random(dtype, right, is_whole(dtype) ? 1 : -6, 6));
  driver_check(&driver, driver_tolerance(dtype));
}

// Gradients do not broadcast.
static bool is_alike(const char *op) {
  size_t length = strlen(op);
  return length > 4 && strcmp(op + length - 4, "Grad") == 0;
}

// Every kernel of the table with every type it names; packs and a rest, a
// scalar on either side.
TEST(binary, every_kernel_and_type) {
  int checked = 0;
  for (int i = 0; berth_cuda_binary_kernels[i].op != NULL; ++i) {
    const berth_kernel_t *kernel = &berth_cuda_binary_kernels[i];
    for (int t = 1; t < BERTH_DTYPE_COUNT; ++t) {
      berth_dtype_t dtype = (berth_dtype_t)t;
      bool is_for = kernel->types[0].attr == NULL
                        ? dtype == BERTH_BOOL
                        : (kernel->types[0].types >> t & 1) != 0;
      if (!is_for) continue;
      check(kernel->op, dtype, BERTH_SHAPE(67), BERTH_SHAPE(67));
      ++checked;
      if (is_alike(kernel->op)) continue;
      check(kernel->op, dtype, BERTH_SHAPE(2, 16), BERTH_SCALAR);
      check(kernel->op, dtype, BERTH_SCALAR, BERTH_SHAPE(3, 5));
    }
  }
  EXPECT_TRUE(checked > 200);
}

TEST(binary, broadcasts) {
  const berth_dtype_t types[] = {BERTH_FLOAT, BERTH_HALF, BERTH_INT8,
                                 BERTH_COMPLEX128};
  for (int i = 0; i < 4; ++i) {
    check("Sub", types[i], BERTH_SHAPE(8, 32), BERTH_SHAPE(32));
    check("Sub", types[i], BERTH_SHAPE(32), BERTH_SHAPE(8, 32));
    check("Sub", types[i], BERTH_SHAPE(8, 32), BERTH_SHAPE(8, 1));
    check("Sub", types[i], BERTH_SHAPE(8, 1), BERTH_SHAPE(1, 32));
    check("Sub", types[i], BERTH_SHAPE(7, 3), BERTH_SHAPE(3));
    check("Sub", types[i], BERTH_SHAPE(2, 1, 4, 1, 16),
          BERTH_SHAPE(3, 4, 5, 1));
    check("Sub", types[i], BERTH_SHAPE(2, 1, 2, 1, 2, 1, 2, 1),
          BERTH_SHAPE(1, 3, 1, 3, 1, 3, 1, 3));
    check("Sub", types[i], BERTH_SHAPE(0, 3), BERTH_SHAPE(3));
  }
}

TEST(binary, too_many_dimensions) {
  driver_t driver = begin("Add", BERTH_FLOAT);
  berth_error_t err = BERTH_ERROR_INIT;
  driver_input(
      &driver,
      driver_random(BERTH_FLOAT, BERTH_SHAPE(2, 1, 2, 1, 2, 1, 2, 1, 2), 0, 1));
  driver_input(
      &driver,
      driver_random(BERTH_FLOAT, BERTH_SHAPE(1, 2, 1, 2, 1, 2, 1, 2, 1), 0, 1));
  EXPECT_FAILS(driver_call(&driver, &err), BERTH_UNIMPLEMENTED, &err,
               "Broadcast between [2,1,2,1,2,1,2,1,2] and [1,2,1,2,1,2,1,2,1] "
               "is not supported yet.");
  driver_deinit(&driver);
}

// As many elements are enough, whatever the shapes.
TEST(binary, gradients_of_other_shapes) {
  check("TanhGrad", BERTH_FLOAT, BERTH_SHAPE(4, 6), BERTH_SHAPE(24));
  check("SqrtGrad", BERTH_HALF, BERTH_SCALAR, BERTH_SHAPE(1));
  driver_t driver = begin("EluGrad", BERTH_FLOAT);
  berth_error_t err = BERTH_ERROR_INIT;
  driver_input(&driver, driver_random(BERTH_FLOAT, BERTH_SHAPE(2), 0, 1));
  driver_input(&driver, driver_random(BERTH_FLOAT, BERTH_SHAPE(2, 1), 0, 1));
  EXPECT_FAILS(driver_call(&driver, &err), BERTH_INVALID_ARGUMENT, &err,
               "Inputs to operation EluGrad of type EluGrad must have the same "
               "size and shape.  Input 0: [2] != input 1: [2,1]");
  driver_deinit(&driver);
}

TEST(binary, shapes_that_do_not_fit) {
  driver_t driver = begin("Mul", BERTH_FLOAT);
  berth_error_t err = BERTH_ERROR_INIT;
  driver_input(&driver, driver_random(BERTH_FLOAT, BERTH_SHAPE(2), 0, 1));
  driver_input(&driver, driver_random(BERTH_FLOAT, BERTH_SHAPE(3), 0, 1));
  EXPECT_FAILS(driver_call(&driver, &err), BERTH_INVALID_ARGUMENT, &err,
               "Incompatible shapes: [2] vs. [3]");
  driver_deinit(&driver);
  driver = begin("NotEqual", BERTH_FLOAT);
  driver_bool(&driver, "incompatible_shape_error", false);
  driver_input(&driver, driver_random(BERTH_FLOAT, BERTH_SHAPE(2), 0, 1));
  driver_input(&driver, driver_random(BERTH_FLOAT, BERTH_SHAPE(3), 0, 1));
  ASSERT_OK(driver_call(&driver, &err), &err);
  EXPECT_STR(driver_show(&driver, 0), "[] 1");
  driver_deinit(&driver);
}

static void expect(const char *op, berth_dtype_t dtype, berth_tensor_t *x,
                   berth_tensor_t *y, const char *expected) {
  driver_t driver = begin(op, dtype);
  berth_error_t err = BERTH_ERROR_INIT;
  driver_input(&driver, x);
  driver_input(&driver, y);
  ASSERT_OK(driver_call(&driver, &err), &err);
  EXPECT_STR(driver_show(&driver, 0), expected);
  driver_deinit(&driver);
}

// What is an error on the host.
TEST(binary, dividing_by_zero) {
  expect("Div", BERTH_INT64, driver_longs(BERTH_SHAPE(3), 7, 0, -7),
         driver_longs(BERTH_SCALAR, 0), "[3] -1 -1 -1");
  expect("FloorDiv", BERTH_INT64, driver_longs(BERTH_SHAPE(3), 7, 0, -7),
         driver_longs(BERTH_SCALAR, 0), "[3] -1 -1 -1");
  expect("FloorMod", BERTH_INT64, driver_longs(BERTH_SHAPE(3), 7, 0, -7),
         driver_longs(BERTH_SCALAR, 0), "[3] 7 0 -7");
  const uint8_t x[] = {9, 0}, zero = 0;
  expect("FloorDiv", BERTH_UINT8, driver_tensor(BERTH_UINT8, BERTH_SHAPE(2), x),
         driver_tensor(BERTH_UINT8, BERTH_SCALAR, &zero), "[2] 255 255");
  expect("FloorMod", BERTH_UINT8, driver_tensor(BERTH_UINT8, BERTH_SHAPE(2), x),
         driver_tensor(BERTH_UINT8, BERTH_SCALAR, &zero), "[2] 9 0");
  expect("FloorDiv", BERTH_INT64, driver_longs(BERTH_SHAPE(2), INT64_MIN, -7),
         driver_longs(BERTH_SHAPE(2), -1, 2), "[2] -9.22337204e+18 -4");
  expect("Pow", BERTH_INT64, driver_longs(BERTH_SHAPE(4), 1, -1, -1, 5),
         driver_longs(BERTH_SHAPE(4), -3, -3, -4, -1), "[4] 1 -1 1 0");
}

TEST(binary, which_inputs_may_be_overwritten) {
  driver_t driver = begin("Add", BERTH_FLOAT);
  berth_error_t err = BERTH_ERROR_INIT;
  driver_input(&driver, driver_random(BERTH_FLOAT, BERTH_SHAPE(2, 3), 0, 1));
  driver_input(&driver, driver_random(BERTH_FLOAT, BERTH_SHAPE(3), 0, 1));
  ASSERT_OK(driver_call(&driver, &err), &err);
  EXPECT_EQ(driver.prepare.op.may_overwrite, 1);
  driver_deinit(&driver);
  driver = begin("Less", BERTH_FLOAT);
  driver_input(&driver, driver_random(BERTH_FLOAT, BERTH_SHAPE(3), 0, 1));
  driver_input(&driver, driver_random(BERTH_FLOAT, BERTH_SHAPE(3), 0, 1));
  ASSERT_OK(driver_call(&driver, &err), &err);
  EXPECT_EQ(driver.prepare.op.may_overwrite, 0);
  driver_deinit(&driver);
}
