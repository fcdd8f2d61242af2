// unary_test.c - GPU kernels of ops with one input, against the CPU's.
#include "harness.h"

#include "cuda/kernel_driver.h"

extern const berth_kernel_t berth_cuda_unary_kernels[];

static bool gives_bool(const char *op) {
  return strncmp(op, "Is", 2) == 0 || strcmp(op, "LogicalNot") == 0;
}

static void check(const char *op, berth_dtype_t dtype, berth_tensor_t *input) {
  driver_t driver = {.op = op};
  if (strcmp(op, "LogicalNot") != 0) driver_type(&driver, "T", dtype);
  driver_input(&driver, input);
  driver_output(&driver, gives_bool(op) ? BERTH_BOOL : dtype);
  driver_check(&driver, driver_tolerance(dtype));
}

// Every kernel of the table with every type it names: sizes that fill packs,
// leave a rest, and are less than one.
TEST(unary, every_kernel_and_type) {
  static const int64_t sizes[] = {1, 16, 515, 0};
  int checked = 0;
  for (int i = 0; berth_cuda_unary_kernels[i].op != NULL; ++i) {
    const berth_kernel_t *kernel = &berth_cuda_unary_kernels[i];
    for (int dtype = 1; dtype < BERTH_DTYPE_COUNT; ++dtype) {
      bool is_for = kernel->types[0].attr == NULL
                        ? dtype == BERTH_BOOL
                        : (kernel->types[0].types >> dtype & 1) != 0;
      if (!is_for) continue;
      for (int s = 0; s < 4; ++s) {
        check(
            kernel->op, (berth_dtype_t)dtype,
            driver_random((berth_dtype_t)dtype, BERTH_SHAPE(sizes[s]), -8, 8));
      }
      ++checked;
    }
  }
  EXPECT_TRUE(checked > 120);
}

TEST(unary, special_numbers) {
  const float specials[] = {0.0f,   -0.0f,   INFINITY, -INFINITY, NAN,
                            1e-40f, 3.4e38f, -3.4e38f, 1.0f,      -1.0f};
  for (int i = 0; berth_cuda_unary_kernels[i].op != NULL; ++i) {
    const berth_kernel_t *kernel = &berth_cuda_unary_kernels[i];
    if ((kernel->types[0].types & BERTH_DTYPE_BIT(BERTH_FLOAT)) == 0) continue;
    // Sizes of denormal numbers are the CPU's business.
    check(kernel->op, BERTH_FLOAT,
          driver_tensor(BERTH_FLOAT, BERTH_SHAPE(5), specials));
    check(kernel->op, BERTH_FLOAT,
          driver_tensor(BERTH_FLOAT, BERTH_SHAPE(4), specials + 6));
  }
}

TEST(unary, slope_of_leaky_relu) {
  driver_t driver = {.op = "LeakyRelu"};
  berth_error_t err = BERTH_ERROR_INIT;
  driver_type(&driver, "T", BERTH_FLOAT);
  driver_float(&driver, "alpha", 0.25f);
  driver_input(&driver, driver_floats(BERTH_SHAPE(3), -2, 0, 3));
  driver_output(&driver, BERTH_FLOAT);
  ASSERT_OK(driver_call(&driver, &err), &err);
  EXPECT_STR(driver_show(&driver, 0), "[3] -0.5 0 3");
  EXPECT_EQ(driver.prepare.op.may_overwrite, 1);
  driver_deinit(&driver);
}

TEST(unary, whole_numbers_are_round) {
  driver_t driver = {.op = "Round"};
  driver_type(&driver, "T", BERTH_INT64);
  driver_input(&driver, driver_longs(BERTH_SHAPE(2), 5, -7));
  driver_output(&driver, BERTH_INT64);
  driver_check(&driver, 0);
}
