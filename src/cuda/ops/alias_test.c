// alias_test.c - Kernels that hand on what they are given.
#include "harness.h"

#include "cuda/kernel_driver.h"

// Calls |op| with |extra| (NULL: none) as second input and expects the input
// itself, in the shape that |expected| shows.
static void expect_alias(const char *op, const char *type_attr,
                         const char *extra_attr, berth_tensor_t *extra,
                         const char *expected) {
  driver_t driver = {.op = op};
  berth_error_t err = BERTH_ERROR_INIT;
  driver_type(&driver, type_attr, BERTH_FLOAT);
  if (extra != NULL) driver_type(&driver, extra_attr, extra->dtype);
  driver_input(&driver, driver_floats(BERTH_SHAPE(1, 2, 2), 1, 2, 3, 4));
  if (extra != NULL) driver_input(&driver, extra);
  driver_output(&driver, BERTH_FLOAT);
  ASSERT_OK(driver_call(&driver, &err), &err);
  EXPECT_EQ(driver.prepare.op.alias, 0);
  EXPECT_TRUE(driver.prepare.run == NULL);
  EXPECT_STR(driver_show(&driver, 0), expected);
  driver_deinit(&driver);
}

TEST(alias, same_shape) {
  expect_alias("Identity", "T", NULL, NULL, "[1,2,2] 1 2 3 4");
  expect_alias("StopGradient", "T", NULL, NULL, "[1,2,2] 1 2 3 4");
  expect_alias("PreventGradient", "T", NULL, NULL, "[1,2,2] 1 2 3 4");
  expect_alias("PlaceholderWithDefault", "dtype", NULL, NULL,
               "[1,2,2] 1 2 3 4");
}

TEST(alias, other_shapes) {
  expect_alias("Reshape", "T", "Tshape", driver_ints(BERTH_SHAPE(2), 4, -1),
               "[4,1] 1 2 3 4");
  expect_alias("ExpandDims", "T", "Tdim", driver_longs(BERTH_SCALAR, -1),
               "[1,2,2,1] 1 2 3 4");
  expect_alias("Squeeze", "T", NULL, NULL, "[2,2] 1 2 3 4");
}

TEST(alias, identity_n_hands_on_tensors) {
  const berth_dtype_t types[] = {BERTH_FLOAT, BERTH_INT64};
  driver_t driver = {.op = "IdentityN"};
  berth_error_t err = BERTH_ERROR_INIT;
  berth_attr_value_t *list = driver_attr(
      &driver, "T", (berth_attr_kind_t)(BERTH_ATTR_LIST + BERTH_ATTR_TYPE));
  list->count = 2;
  list->type_list = types;
  driver_input(&driver, driver_floats(BERTH_SHAPE(2), 1, 2));
  driver_input(&driver, driver_longs(BERTH_SCALAR, 7));
  driver_output(&driver, BERTH_FLOAT);
  driver_output(&driver, BERTH_INT64);
  ASSERT_OK(driver_call(&driver, &err), &err);
  EXPECT_STR(driver_show(&driver, 0), "[2] 1 2");
  EXPECT_STR(driver_show(&driver, 1), "[] 7");
  driver_deinit(&driver);
}

TEST(alias, errors_are_those_of_the_cpu) {
  driver_t driver = {.op = "Reshape"};
  berth_error_t err = BERTH_ERROR_INIT;
  driver_type(&driver, "T", BERTH_FLOAT);
  driver_type(&driver, "Tshape", BERTH_INT32);
  driver_input(&driver, driver_floats(BERTH_SHAPE(2), 1, 2));
  driver_input(&driver, driver_ints(BERTH_SHAPE(1), 3));
  driver_output(&driver, BERTH_FLOAT);
  EXPECT_FAILS(driver_call(&driver, &err), BERTH_INVALID_ARGUMENT, &err,
               "Input to reshape is a tensor with 2 values, but the requested "
               "shape has 3");
  driver_deinit(&driver);
}
