// one_hot_test.c - The kernel OneHot, against the CPU's.
#include "harness.h"

#include "cuda/kernel_driver.h"

static void check_one_hot(berth_dtype_t type, berth_tensor_t *indices,
                          int32_t depth, int64_t axis) {
  driver_t driver = {.op = "OneHot"};
  driver_type(&driver, "T", type);
  driver_type(&driver, "TI", indices->dtype);
  driver_int(&driver, "axis", axis);
  driver_input(&driver, indices);
  driver_input(&driver, driver_ints(BERTH_SCALAR, depth));
  driver_input(&driver, driver_random(type, BERTH_SCALAR, 1, 100));
  driver_input(&driver, driver_random(type, BERTH_SCALAR, -100, 0));
  driver_output(&driver, type);
  driver_check(&driver, 0);
}

TEST(one_hot, every_size_of_element) {
  const berth_dtype_t types[] = {BERTH_INT8, BERTH_HALF, BERTH_FLOAT,
                                 BERTH_DOUBLE, BERTH_COMPLEX128};
  for (int i = 0; i < BERTH_COUNT_OF(types); ++i) {
    for (int64_t axis = -1; axis <= 2; ++axis) {
      check_one_hot(types[i],
                    driver_ints(BERTH_SHAPE(2, 3), 0, 4, -1, 5, 3, 100), 5,
                    axis);
    }
  }
}

TEST(one_hot, lines_of_wide_units) {
  const berth_dtype_t types[] = {BERTH_INT8, BERTH_HALF, BERTH_FLOAT,
                                 BERTH_DOUBLE, BERTH_COMPLEX128};
  for (int i = 0; i < BERTH_COUNT_OF(types); ++i) {
    check_one_hot(types[i],
                  driver_longs(BERTH_SHAPE(2, 3), 0, 15, -1, 47, 48, 16), 48,
                  -1);
  }
}

TEST(one_hot, every_type_of_index) {
  const int8_t narrow[] = {1, -1, 2};
  const uint8_t bytes[] = {1, 255, 2};
  check_one_hot(BERTH_FLOAT, driver_tensor(BERTH_INT8, BERTH_SHAPE(3), narrow),
                200, -1);
  check_one_hot(BERTH_FLOAT, driver_tensor(BERTH_UINT8, BERTH_SHAPE(3), bytes),
                256, -1);
  check_one_hot(BERTH_FLOAT,
                driver_longs(BERTH_SHAPE(3), 1, (INT64_C(1) << 32) + 1, 0), 3,
                0);
}

TEST(one_hot, scalars_and_nothing) {
  check_one_hot(BERTH_FLOAT, driver_ints(BERTH_SCALAR, 2), 4, -1);
  check_one_hot(BERTH_FLOAT, driver_ints(BERTH_SHAPE(2), 0, 1), 0, -1);
}

TEST(one_hot, errors_are_those_of_the_cpu) {
  driver_t driver = {.op = "OneHot"};
  berth_error_t err = BERTH_ERROR_INIT;
  driver_type(&driver, "T", BERTH_FLOAT);
  driver_type(&driver, "TI", BERTH_INT32);
  driver_input(&driver, driver_ints(BERTH_SHAPE(1), 0));
  driver_input(&driver, driver_ints(BERTH_SCALAR, -2));
  driver_input(&driver, driver_floats(BERTH_SCALAR, 1));
  driver_input(&driver, driver_floats(BERTH_SCALAR, 0));
  driver_output(&driver, BERTH_FLOAT);
  EXPECT_FAILS(driver_call(&driver, &err), BERTH_INVALID_ARGUMENT, &err,
               "depth must be non-negative, got: -2");
  driver_deinit(&driver);
}
