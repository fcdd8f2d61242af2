// where_test.c - Tests of Where on a GPU.
#include "harness.h"

#include "cuda/kernel_driver.h"

static driver_t where_in(berth_tensor_t *input) {
  driver_t driver = {.op = "Where"};
  driver_type(&driver, "T", input->dtype);
  driver_input(&driver, input);
  driver_output(&driver, BERTH_INT64);
  return driver;
}

TEST(where, finds_what_the_cpu_finds) {
  static const berth_dtype_t types[] = {
      BERTH_BOOL,  BERTH_INT8,   BERTH_UINT8,     BERTH_INT64,
      BERTH_FLOAT, BERTH_DOUBLE, BERTH_COMPLEX64, BERTH_COMPLEX128};
  for (int t = 0; t < BERTH_COUNT_OF(types); ++t) {
    // Some of them zero.
    berth_tensor_t *input =
        driver_random(types[t], BERTH_SHAPE(7, 5, 11), -1, 2);
    for (int64_t i = 0; i < input->count; i += 1 + i % 3) {
      driver_set(input, i, 0);
    }
    driver_t driver = where_in(input);
    driver_check(&driver, 0);
  }
}

// More elements than there are parts, and a last part that is not full.
TEST(where, goes_through_long_parts) {
  berth_tensor_t *input =
      driver_random(BERTH_BOOL, BERTH_SHAPE(3, 33337), -1, 1);
  driver_t driver = where_in(input);
  driver_check(&driver, 0);
}

TEST(where, may_find_nothing) {
  berth_error_t err = BERTH_ERROR_INIT;
  driver_t zeros = where_in(driver_floats(BERTH_SHAPE(2, 1), 0, -0.0f));
  ASSERT_OK(driver_call(&zeros, &err), &err);
  EXPECT_STR(driver_show(&zeros, 0), "[0,2]");
  driver_deinit(&zeros);
  driver_t none =
      where_in(driver_random(BERTH_FLOAT, BERTH_SHAPE(0, 3, 2), 0, 1));
  ASSERT_OK(driver_call(&none, &err), &err);
  EXPECT_STR(driver_show(&none, 0), "[0,3]");
  driver_deinit(&none);
}
