// alias_test.c - Identity, constants, placeholders and other shapes.
#include "cpu/kernels.h"
#include "harness.h"

#include "cpu/kernel_driver.h"

// Calls |op| on floats 0, 1, ... of |dims| and |argument|.
static berth_code_t call(driver_t *driver, const char *op, berth_dims_t dims,
                         berth_tensor_t *argument, berth_error_t *err) {
  driver->op = op;
  driver_type(driver, "T", BERTH_FLOAT);
  driver_input(driver, driver_count_up(dims));
  if (argument != NULL) driver_input(driver, argument);
  driver_output(driver, BERTH_FLOAT);
  return driver_call(driver, err);
}

static void expect_shape(const char *op, berth_dims_t dims,
                         berth_tensor_t *argument, const char *shape) {
  driver_t driver = {0};
  berth_error_t err = BERTH_ERROR_INIT;
  ASSERT_OK(call(&driver, op, dims, argument, &err), &err);
  char text[BERTH_DIMS_TEXT];
  EXPECT_STR(berth_dims_text(berth_tensor_dims(driver.outputs[0]), text),
             shape);
  EXPECT_TRUE(driver.outputs[0]->data == driver.inputs[0]->data);
  driver_deinit(&driver);
}

static void expect_error(const char *op, berth_dims_t dims,
                         berth_tensor_t *argument, const char *message) {
  driver_t driver = {0};
  berth_error_t err = BERTH_ERROR_INIT;
  EXPECT_FAILS(call(&driver, op, dims, argument, &err), BERTH_INVALID_ARGUMENT,
               &err, message);
  driver_deinit(&driver);
}

TEST(alias, identity_shares_memory) {
  expect_shape("Identity", BERTH_SHAPE(2, 3), NULL, "[2,3]");
  expect_shape("StopGradient", BERTH_SCALAR, NULL, "[]");
}

TEST(alias, identity_n_hands_tensors_on) {
  driver_t driver = {.op = "IdentityN"};
  berth_error_t err = BERTH_ERROR_INIT;
  driver_input(&driver, driver_floats(BERTH_SHAPE(2), 1, 2));
  driver_input(&driver, driver_ints(BERTH_SCALAR, 7));
  driver_output(&driver, BERTH_FLOAT);
  driver_output(&driver, BERTH_INT32);
  ASSERT_OK(driver_call(&driver, &err), &err);
  EXPECT_STR(driver_show(&driver, 0), "[2] 1 2");
  EXPECT_STR(driver_show(&driver, 1), "[] 7");
  EXPECT_TRUE(driver.outputs[1] == driver.inputs[1]);
  driver_deinit(&driver);
}

TEST(alias, const_copies_its_value) {
  driver_t driver = {.op = "Const"};
  berth_error_t err = BERTH_ERROR_INIT;
  const char *texts[] = {"a", "a text of more than twenty-three bytes"};
  berth_tensor_t *value = driver_strings(texts, 2);
  driver_type(&driver, "dtype", BERTH_STRING);
  driver_attr(&driver, "value", BERTH_ATTR_TENSOR)->tensor = value;
  driver_output(&driver, BERTH_STRING);
  ASSERT_OK(driver_call(&driver, &err), &err);
  EXPECT_STR(driver_show(&driver, 0),
             "[2] a a text of more than twenty-three bytes");
  driver_deinit(&driver);
  berth_tensor_release(value);
}

static void expect_placeholder(berth_dims_t shape, const char *message) {
  driver_t driver = {.op = "Placeholder", .name = "x"};
  berth_error_t err = BERTH_ERROR_INIT;
  driver_type(&driver, "dtype", BERTH_FLOAT);
  driver_shape(&driver, "shape", shape);
  driver_output(&driver, BERTH_FLOAT);
  EXPECT_FAILS(driver_call(&driver, &err), BERTH_INVALID_ARGUMENT, &err,
               message);
  driver_deinit(&driver);
}

TEST(alias, placeholder_must_be_fed) {
  expect_placeholder(BERTH_SHAPE(2, 3),
                     "You must feed a value for placeholder tensor 'x' with "
                     "dtype float and shape [2,3]");
  expect_placeholder(BERTH_SHAPE(-1, 3),
                     "You must feed a value for placeholder tensor 'x' with "
                     "dtype float and shape [?,3]");
  expect_placeholder(BERTH_SCALAR,
                     "You must feed a value for placeholder tensor 'x' with "
                     "dtype float");
  expect_placeholder(BERTH_UNKNOWN_RANK,
                     "You must feed a value for placeholder tensor 'x' with "
                     "dtype float");
}

TEST(alias, reshape) {
  expect_shape("Reshape", BERTH_SHAPE(2, 3), driver_ints(BERTH_SHAPE(2), 3, 2),
               "[3,2]");
  expect_shape("Reshape", BERTH_SHAPE(2, 3),
               driver_longs(BERTH_SHAPE(3), 1, -1, 2), "[1,3,2]");
  expect_shape("Reshape", BERTH_SHAPE(2, 3), driver_ints(BERTH_SCALAR, 6),
               "[6]");
  expect_shape("Reshape", BERTH_SHAPE(1), driver_ints(BERTH_SHAPE(0), 0), "[]");
  // A -1 beside zeros.
  expect_shape("Reshape", BERTH_SHAPE(0, 3), driver_ints(BERTH_SHAPE(2), -1, 0),
               "[3,0]");
  expect_shape("Reshape", BERTH_SHAPE(0, 3), driver_ints(BERTH_SHAPE(2), -1, 3),
               "[0,3]");
  expect_shape("Reshape", BERTH_SHAPE(0), driver_ints(BERTH_SHAPE(2), 0, -1),
               "[0,1]");
}

TEST(alias, reshape_errors) {
  berth_dims_t six = BERTH_SHAPE(2, 3);
  expect_error("Reshape", six, driver_ints(BERTH_SHAPE(1), 4),
               "Input to reshape is a tensor with 6 values, but the requested "
               "shape has 4");
  expect_error("Reshape", six, driver_ints(BERTH_SHAPE(2), -1, 4),
               "Input to reshape is a tensor with 6 values, but the requested "
               "shape requires a multiple of 4");
  expect_error("Reshape", six, driver_ints(BERTH_SHAPE(2), -1, -1),
               "Only one input size may be -1, not both 0 and 1");
  expect_error("Reshape", six, driver_ints(BERTH_SHAPE(2), -2, 3),
               "Size 0 must be non-negative, not -2");
  expect_error("Reshape", six, driver_ints(BERTH_SHAPE(1, 1), 6),
               "sizes input must be 1-D, not [1,1]");
  int64_t huge = INT64_C(1) << 40;
  expect_error("Reshape", six, driver_longs(BERTH_SHAPE(3), -1, huge, huge),
               "Shape [-1, 1099511627776, 1099511627776] has too many "
               "elements");
  expect_error("Reshape", six, driver_ints(BERTH_SHAPE(2), 0, -1),
               "Input to reshape is a tensor with 6 values, but the requested "
               "shape has 0");
  int32_t ones[254];
  for (int i = 0; i < 254; ++i) ones[i] = 1;
  expect_error("Reshape", BERTH_SHAPE(1),
               driver_tensor(BERTH_INT32, BERTH_SHAPE(254), ones),
               "too many dimensions: must be < 254, but received 254");
}

TEST(alias, expand_dims) {
  berth_dims_t six = BERTH_SHAPE(2, 3);
  expect_shape("ExpandDims", six, driver_ints(BERTH_SCALAR, 0), "[1,2,3]");
  expect_shape("ExpandDims", six, driver_ints(BERTH_SCALAR, -1), "[2,3,1]");
  expect_shape("ExpandDims", six, driver_longs(BERTH_SHAPE(1), 1), "[2,1,3]");
  expect_error("ExpandDims", six, driver_ints(BERTH_SCALAR, 3),
               "Tried to expand dim index 3 for tensor with 2 dimensions.");
  expect_error("ExpandDims", six, driver_ints(BERTH_SCALAR, -4),
               "Tried to expand dim index -4 for tensor with 2 dimensions.");
  expect_error("ExpandDims", six, driver_ints(BERTH_SHAPE(2), 1, 2),
               "'dim' must be a tensor with a single value");
}

// Calls Squeeze of [1,3,1] along |dims|.
static berth_code_t squeeze(driver_t *driver, const int64_t *dims, int count,
                            berth_error_t *err) {
  berth_attr_value_t *attr =
      driver_attr(driver, "squeeze_dims",
                  (berth_attr_kind_t)(BERTH_ATTR_LIST + BERTH_ATTR_INT));
  attr->count = count;
  attr->i_list = dims;
  return call(driver, "Squeeze", BERTH_SHAPE(1, 3, 1), NULL, err);
}

TEST(alias, squeeze) {
  driver_t driver = {0};
  berth_error_t err = BERTH_ERROR_INIT;
  ASSERT_OK(squeeze(&driver, NULL, 0, &err), &err);
  EXPECT_STR(driver_show(&driver, 0), "[3] 0 1 2");
  driver_deinit(&driver);
  ASSERT_OK(squeeze(&driver, (int64_t[]){0, 0, -3}, 3, &err), &err);
  EXPECT_STR(driver_show(&driver, 0), "[3,1] 0 1 2");
  driver_deinit(&driver);
  EXPECT_FAILS(squeeze(&driver, (int64_t[]){1}, 1, &err),
               BERTH_INVALID_ARGUMENT, &err,
               "Can not squeeze dim[1], expected a dimension of 1, got 3");
  driver_deinit(&driver);
  EXPECT_FAILS(squeeze(&driver, (int64_t[]){-4}, 1, &err),
               BERTH_INVALID_ARGUMENT, &err,
               "Tried to squeeze dim index -4 for tensor with 3 dimensions.");
  driver_deinit(&driver);
}
