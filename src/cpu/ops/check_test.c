// check_test.c - Values that must be numbers, and finite.
#include <math.h>

#include "cpu/kernels.h"
#include "harness.h"

#include "cpu/kernel_driver.h"

// Checks |input|, which is taken over, and returns what went wrong.
static berth_code_t check(berth_tensor_t *input, berth_dtype_t type,
                          driver_t *driver, berth_error_t *err) {
  *driver = (driver_t){.op = "CheckNumerics"};
  driver_type(driver, "T", type);
  driver_text(driver, "message", "after the update");
  driver_input(driver, input);
  driver_output(driver, type);
  return driver_call(driver, err);
}

static void expect_refused(berth_tensor_t *input, berth_dtype_t type,
                           const char *text) {
  driver_t driver;
  berth_error_t err = BERTH_ERROR_INIT;
  EXPECT_FAILS(check(input, type, &driver, &err), BERTH_INVALID_ARGUMENT, &err,
               text);
  driver_deinit(&driver);
}

TEST(check, hands_numbers_on) {
  driver_t driver;
  berth_error_t err = BERTH_ERROR_INIT;
  ASSERT_OK(check(driver_floats(BERTH_SHAPE(3), 0, -2.5f, 65504), BERTH_FLOAT,
                  &driver, &err),
            &err);
  EXPECT_STR(driver_show(&driver, 0), "[3] 0 -2.5 65504");
  driver_deinit(&driver);
}

TEST(check, names_what_it_finds) {
  expect_refused(driver_floats(BERTH_SHAPE(2), 1, INFINITY), BERTH_FLOAT,
                 "after the update : Tensor had Inf values");
  expect_refused(driver_floats(BERTH_SHAPE(2), NAN, 1), BERTH_FLOAT,
                 "after the update : Tensor had NaN values");
  expect_refused(driver_floats(BERTH_SHAPE(2), NAN, -INFINITY), BERTH_FLOAT,
                 "after the update : Tensor had Inf and NaN values");
}

// Makes a tensor of one element with these bits.
static berth_tensor_t *of_bits(berth_dtype_t type, uint64_t bits) {
  return driver_tensor(type, BERTH_SHAPE(1), &bits);
}

TEST(check, knows_every_width) {
  driver_t driver;
  berth_error_t err = BERTH_ERROR_INIT;
  expect_refused(of_bits(BERTH_HALF, 0x7c00), BERTH_HALF,
                 "after the update : Tensor had Inf values");
  expect_refused(of_bits(BERTH_BFLOAT16, 0xffc0), BERTH_BFLOAT16,
                 "after the update : Tensor had NaN values");
  expect_refused(of_bits(BERTH_DOUBLE, UINT64_C(0xfff0000000000000)),
                 BERTH_DOUBLE, "after the update : Tensor had Inf values");
  // The largest number of each 16-bit type, which the other would refuse.
  ASSERT_OK(check(of_bits(BERTH_HALF, 0x7bff), BERTH_HALF, &driver, &err),
            &err);
  driver_deinit(&driver);
  ASSERT_OK(
      check(of_bits(BERTH_BFLOAT16, 0x7f7f), BERTH_BFLOAT16, &driver, &err),
      &err);
  driver_deinit(&driver);
}

TEST(check, finds_nothing_in_an_empty_tensor) {
  driver_t driver;
  berth_error_t err = BERTH_ERROR_INIT;
  ASSERT_OK(check(driver_count_up(BERTH_SHAPE(0)), BERTH_FLOAT, &driver, &err),
            &err);
  driver_deinit(&driver);
}
