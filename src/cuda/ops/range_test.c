// range_test.c - Tests of Range on a GPU.
#include "harness.h"

#include "cuda/kernel_driver.h"

static driver_t range_of(berth_dtype_t dtype, double start, double limit,
                         double delta) {
  const double numbers[] = {start, limit, delta};
  driver_t driver = {.op = "Range"};
  driver_type(&driver, "Tidx", dtype);
  for (int i = 0; i < 3; ++i) {
    berth_tensor_t *tensor = driver_random(dtype, BERTH_SCALAR, 0, 1);
    driver_set(tensor, 0, numbers[i]);
    driver_input(&driver, tensor);
  }
  driver_output(&driver, dtype);
  return driver;
}

TEST(range, counts_as_the_cpu_does) {
  static const berth_dtype_t types[] = {BERTH_FLOAT, BERTH_DOUBLE, BERTH_HALF,
                                        BERTH_BFLOAT16, BERTH_INT64};
  for (int t = 0; t < 5; ++t) {
    driver_t up = range_of(types[t], 3, 500, 7),
             down = range_of(types[t], 9, -300, -2);
    driver_check(&up, 0);
    driver_check(&down, 0);
  }
  driver_t fine = range_of(BERTH_FLOAT, 0.1, 1000, 0.1);
  driver_check(&fine, 0);
  driver_t large = range_of(BERTH_HALF, -1, 100, 0.03);
  driver_check(&large, 0);
}

TEST(range, may_be_empty) {
  berth_error_t err = BERTH_ERROR_INIT;
  driver_t driver = range_of(BERTH_INT64, 4, 4, 1);
  ASSERT_OK(driver_call(&driver, &err), &err);
  EXPECT_STR(driver_show(&driver, 0), "[0]");
  driver_deinit(&driver);
}

TEST(range, must_lead_to_its_limit) {
  berth_error_t err = BERTH_ERROR_INIT;
  driver_t driver = range_of(BERTH_FLOAT, 4, 1, 1);
  EXPECT_EQ(driver_call(&driver, &err), BERTH_INVALID_ARGUMENT);
  EXPECT_STR(berth_error_message(&err),
             "Requires start <= limit when delta > 0: 4/1");
  berth_error_clear(&err);
  driver_deinit(&driver);
}
