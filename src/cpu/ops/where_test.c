// where_test.c - The places of the elements that are not zero.
#include <math.h>

#include "cpu/kernels.h"
#include "harness.h"

#include "cpu/kernel_driver.h"

static void expect_places(berth_tensor_t *input, berth_dtype_t type,
                          const char *places) {
  driver_t driver = {.op = "Where"};
  berth_error_t err = BERTH_ERROR_INIT;
  driver_type(&driver, "T", type);
  driver_input(&driver, input);
  driver_output(&driver, BERTH_INT64);
  ASSERT_OK(driver_call(&driver, &err), &err);
  EXPECT_STR(driver_show(&driver, 0), places);
  driver_deinit(&driver);
}

TEST(where, lists_coordinates_row_by_row) {
  expect_places(driver_floats(BERTH_SHAPE(2, 3), 0, 1, 0, 2, 0, -3),
                BERTH_FLOAT, "[3,2] 0 1 1 0 1 2");
}

TEST(where, finds_nothing_in_zeros) {
  expect_places(driver_floats(BERTH_SHAPE(2), 0, -0.0f), BERTH_FLOAT, "[0,1]");
}

TEST(where, refuses_scalars) {
  driver_t driver = {.op = "Where"};
  berth_error_t err = BERTH_ERROR_INIT;
  driver_type(&driver, "T", BERTH_INT32);
  driver_input(&driver, driver_ints(BERTH_SCALAR, 7));
  driver_output(&driver, BERTH_INT64);
  EXPECT_FAILS(driver_call(&driver, &err), BERTH_INVALID_ARGUMENT, &err,
               "WhereOp : Unhandled input dimensions: 0");
  driver_deinit(&driver);
}

TEST(where, finds_nothing_in_an_empty_tensor) {
  expect_places(driver_count_up(BERTH_SHAPE(0, 4)), BERTH_FLOAT, "[0,2]");
}

TEST(where, takes_what_is_no_number_for_set) {
  expect_places(driver_floats(BERTH_SHAPE(2), 0, NAN), BERTH_FLOAT, "[1,1] 1");
}
