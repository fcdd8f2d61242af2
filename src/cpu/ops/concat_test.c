// concat_test.c - Joining and cutting: Concat, Pack, Split, SplitV, Unpack.
#include "base/parallel.h"
#include "cpu/kernels.h"
#include "harness.h"

#include "cpu/kernel_driver.h"

// Concatenates two tensors of floats 0, 1, ... along |axis|.
static berth_code_t concat(driver_t *driver, berth_dims_t a, berth_dims_t b,
                           berth_tensor_t *axis, berth_error_t *err) {
  driver->op = "ConcatV2";
  driver_type(driver, "T", BERTH_FLOAT);
  driver_type(driver, "Tidx", axis->dtype);
  driver_input(driver, driver_count_up(a));
  driver_input(driver, driver_count_up(b));
  driver_input(driver, axis);
  driver_output(driver, BERTH_FLOAT);
  return driver_call(driver, err);
}

static void expect_concat(berth_dims_t a, berth_dims_t b, int64_t axis,
                          const char *expected) {
  driver_t driver = {0};
  berth_error_t err = BERTH_ERROR_INIT;
  ASSERT_OK(concat(&driver, a, b, driver_longs(BERTH_SCALAR, axis), &err),
            &err);
  EXPECT_STR(driver_show(&driver, 0), expected);
  driver_deinit(&driver);
}

static void expect_concat_error(berth_dims_t a, berth_dims_t b,
                                berth_tensor_t *axis, const char *message) {
  driver_t driver = {0};
  berth_error_t err = BERTH_ERROR_INIT;
  EXPECT_FAILS(concat(&driver, a, b, axis, &err), BERTH_INVALID_ARGUMENT, &err,
               message);
  driver_deinit(&driver);
}

TEST(concat, along_each_axis) {
  expect_concat(BERTH_SHAPE(1, 3), BERTH_SHAPE(2, 3), 0,
                "[3,3] 0 1 2 0 1 2 3 4 5");
  expect_concat(BERTH_SHAPE(2, 1), BERTH_SHAPE(2, 2), 1, "[2,3] 0 0 1 1 2 3");
  expect_concat(BERTH_SHAPE(2, 1), BERTH_SHAPE(2, 2), -1, "[2,3] 0 0 1 1 2 3");
  expect_concat(BERTH_SHAPE(0, 3), BERTH_SHAPE(1, 3), 0, "[1,3] 0 1 2");
  expect_concat(BERTH_SHAPE(2, 0), BERTH_SHAPE(2, 0), 0, "[4,0]");
}

typedef struct ender {
  atomic_int has_ended;
  int polls;
} ender_t;

static bool end_at_once(void *arg) {
  ender_t *ender = arg;
  ++ender->polls;
  atomic_store(&ender->has_ended, 1);
  return true;
}

// The second part is not begun.
TEST(concat, stops_when_the_run_was_ended) {
  ender_t ender = {0};
  driver_t driver = {.cancelled = &ender.has_ended};
  berth_error_t err = BERTH_ERROR_INIT;
  berth_parallel_scope_t scope = {1, end_at_once, &ender};
  const berth_parallel_scope_t *before = berth_parallel_enter(&scope);
  ASSERT_OK(concat(&driver, BERTH_SHAPE(4000, 500), BERTH_SHAPE(4000, 500),
                   driver_ints(BERTH_SCALAR, 1), &err),
            &err);
  berth_parallel_enter(before);
  EXPECT_EQ(ender.polls, 1);
  driver_deinit(&driver);
}

TEST(concat, errors) {
  berth_dims_t a = BERTH_SHAPE(2, 3);
  expect_concat_error(a, BERTH_SHAPE(2, 4), driver_ints(BERTH_SCALAR, 0),
                      "ConcatOp : Dimension 1 in both shapes must be equal: "
                      "shape[0] = [2,3] vs. shape[1] = [2,4]");
  expect_concat_error(a, BERTH_SHAPE(2), driver_ints(BERTH_SCALAR, 0),
                      "ConcatOp : Ranks of all input tensors should match: "
                      "shape[0] = [2,3] vs. shape[1] = [2]");
  expect_concat_error(a, a, driver_ints(BERTH_SCALAR, -3),
                      "ConcatOp : Expected concatenating dimensions in the "
                      "range [-2, 2), but got -3");
  expect_concat_error(BERTH_SCALAR, BERTH_SCALAR, driver_ints(BERTH_SCALAR, 0),
                      "ConcatOp : Can't concatenate scalars (use tf.stack "
                      "instead)");
  expect_concat_error(BERTH_SCALAR, BERTH_SCALAR, driver_ints(BERTH_SCALAR, -1),
                      "ConcatOp : Expected concatenating dimensions in the "
                      "range [0, 0), but got -1");
  expect_concat_error(a, a, driver_ints(BERTH_SHAPE(2), 0, 1),
                      "axis tensor should be a scalar integer, but got shape "
                      "[2]");
}

TEST(concat, strings_and_the_first_version) {
  driver_t driver = {.op = "Concat"};
  berth_error_t err = BERTH_ERROR_INIT;
  const char *a[] = {"a"}, *b[] = {"longer than twenty-three bytes", ""};
  driver_type(&driver, "T", BERTH_STRING);
  driver_input(&driver, driver_ints(BERTH_SCALAR, 0));
  driver_input(&driver, driver_strings(a, 1));
  driver_input(&driver, driver_strings(b, 2));
  driver_output(&driver, BERTH_STRING);
  ASSERT_OK(driver_call(&driver, &err), &err);
  EXPECT_STR(driver_show(&driver, 0), "[3] a longer than twenty-three bytes ");
  driver_deinit(&driver);
}

static berth_code_t pack(driver_t *driver, berth_dims_t a, berth_dims_t b,
                         int64_t axis, berth_error_t *err) {
  driver->op = "Pack";
  driver_type(driver, "T", BERTH_FLOAT);
  driver_int(driver, "axis", axis);
  driver_input(driver, driver_count_up(a));
  driver_input(driver, driver_count_up(b));
  driver_output(driver, BERTH_FLOAT);
  return driver_call(driver, err);
}

TEST(concat, pack) {
  driver_t driver = {0};
  berth_error_t err = BERTH_ERROR_INIT;
  berth_dims_t two = BERTH_SHAPE(2);
  ASSERT_OK(pack(&driver, two, two, 0, &err), &err);
  EXPECT_STR(driver_show(&driver, 0), "[2,2] 0 1 0 1");
  driver_deinit(&driver);
  ASSERT_OK(pack(&driver, two, two, -1, &err), &err);
  EXPECT_STR(driver_show(&driver, 0), "[2,2] 0 0 1 1");
  driver_deinit(&driver);
  ASSERT_OK(pack(&driver, BERTH_SHAPE(0), BERTH_SHAPE(0), 1, &err), &err);
  EXPECT_STR(driver_show(&driver, 0), "[0,2]");
  driver_deinit(&driver);
  EXPECT_FAILS(pack(&driver, two, two, 2, &err), BERTH_INVALID_ARGUMENT, &err,
               "axis = 2 not in [-2, 2)");
  driver_deinit(&driver);
  EXPECT_FAILS(pack(&driver, two, BERTH_SHAPE(3), 0, &err),
               BERTH_INVALID_ARGUMENT, &err,
               "Shapes of all inputs must match: values[0].shape = [2] != "
               "values[1].shape = [3]");
  driver_deinit(&driver);
}

static berth_code_t split(driver_t *driver, berth_dims_t dims, int64_t axis,
                          int count, berth_error_t *err) {
  driver->op = "Split";
  driver_type(driver, "T", BERTH_FLOAT);
  driver_input(driver, driver_ints(BERTH_SCALAR, (int32_t)axis));
  driver_input(driver, driver_count_up(dims));
  for (int i = 0; i < count; ++i) driver_output(driver, BERTH_FLOAT);
  return driver_call(driver, err);
}

TEST(split, equal_parts) {
  driver_t driver = {0};
  berth_error_t err = BERTH_ERROR_INIT;
  berth_dims_t dims = BERTH_SHAPE(2, 4);
  ASSERT_OK(split(&driver, dims, -1, 2, &err), &err);
  EXPECT_STR(driver_show(&driver, 0), "[2,2] 0 1 4 5");
  EXPECT_STR(driver_show(&driver, 1), "[2,2] 2 3 6 7");
  driver_deinit(&driver);
  ASSERT_OK(split(&driver, dims, 0, 1, &err), &err);
  EXPECT_TRUE(driver.outputs[0]->data == driver.inputs[1]->data);
  driver_deinit(&driver);
  ASSERT_OK(split(&driver, BERTH_SHAPE(0, 4), 0, 3, &err), &err);
  EXPECT_STR(driver_show(&driver, 2), "[0,4]");
  driver_deinit(&driver);
  EXPECT_FAILS(split(&driver, dims, 1, 3, &err), BERTH_INVALID_ARGUMENT, &err,
               "Number of ways to split should evenly divide the split "
               "dimension, but got split_dim 1 (size = 4) and num_split 3");
  driver_deinit(&driver);
  EXPECT_FAILS(split(&driver, dims, 2, 2, &err), BERTH_INVALID_ARGUMENT, &err,
               "-input rank(-2) <= split_dim < input rank (2), but got 2");
  driver_deinit(&driver);
}

// Cuts [4,2] along dimension 0 into |sizes|.
static berth_code_t split_v(driver_t *driver, berth_tensor_t *sizes, int count,
                            berth_error_t *err) {
  driver->op = "SplitV";
  driver_type(driver, "T", BERTH_FLOAT);
  driver_type(driver, "Tlen", sizes->dtype);
  driver_input(driver, driver_count_up(BERTH_SHAPE(4, 2)));
  driver_input(driver, sizes);
  driver_input(driver, driver_ints(BERTH_SCALAR, 0));
  for (int i = 0; i < count; ++i) driver_output(driver, BERTH_FLOAT);
  return driver_call(driver, err);
}

static void expect_split_v_error(berth_tensor_t *sizes, int count,
                                 const char *message) {
  driver_t driver = {0};
  berth_error_t err = BERTH_ERROR_INIT;
  EXPECT_FAILS(split_v(&driver, sizes, count, &err), BERTH_INVALID_ARGUMENT,
               &err, message);
  driver_deinit(&driver);
}

TEST(split, sizes) {
  driver_t driver = {0};
  berth_error_t err = BERTH_ERROR_INIT;
  ASSERT_OK(split_v(&driver, driver_ints(BERTH_SHAPE(3), 1, -1, 0), 3, &err),
            &err);
  EXPECT_STR(driver_show(&driver, 0), "[1,2] 0 1");
  EXPECT_STR(driver_show(&driver, 1), "[3,2] 2 3 4 5 6 7");
  EXPECT_STR(driver_show(&driver, 2), "[0,2]");
  driver_deinit(&driver);
}

#define MUST_MATCH                                                          \
  "Determined shape must either match input shape along split_dim exactly " \
  "if fully specified, or be less than the size of the input along "        \
  "split_dim if not fully specified.  Got: "

TEST(split, sizes_errors) {
  berth_dims_t two = BERTH_SHAPE(2);
  expect_split_v_error(driver_ints(two, -1, -1), 2,
                       "There can only be one -1 in the input.");
  expect_split_v_error(driver_ints(two, 1, 2), 2, MUST_MATCH "3");
  expect_split_v_error(driver_ints(two, 5, -1), 2, MUST_MATCH "5");
  int64_t huge = INT64_C(1) << 62;
  expect_split_v_error(driver_longs(two, huge, huge), 2,
                       MUST_MATCH "-9223372036854775808");
  expect_split_v_error(driver_ints(two, 6, -2), 2,
                       "Split size at index 1 must be >= 0. Got: -2");
  expect_split_v_error(driver_ints(BERTH_SHAPE(1, 2), 1, 3), 2,
                       "size of the split_tensor must be 1-D and have the "
                       "same elements as outputs got 2 -D and 2 elements");
  expect_split_v_error(driver_ints(BERTH_SHAPE(1), 3), 1,
                       "If there is only one output, it must have the same "
                       "size as the input. Input size: 4 output size: 3");
}

static berth_code_t unpack(driver_t *driver, berth_dims_t dims, int64_t axis,
                           int count, berth_error_t *err) {
  driver->op = "Unpack";
  driver_type(driver, "T", BERTH_FLOAT);
  driver_int(driver, "axis", axis);
  driver_input(driver, driver_count_up(dims));
  for (int i = 0; i < count; ++i) driver_output(driver, BERTH_FLOAT);
  return driver_call(driver, err);
}

TEST(split, unpack) {
  driver_t driver = {0};
  berth_error_t err = BERTH_ERROR_INIT;
  berth_dims_t dims = BERTH_SHAPE(2, 3);
  ASSERT_OK(unpack(&driver, dims, -1, 3, &err), &err);
  EXPECT_STR(driver_show(&driver, 0), "[2] 0 3");
  EXPECT_STR(driver_show(&driver, 2), "[2] 2 5");
  driver_deinit(&driver);
  ASSERT_OK(unpack(&driver, BERTH_SHAPE(0, 3), 0, 0, &err), &err);
  driver_deinit(&driver);
  EXPECT_FAILS(unpack(&driver, dims, 0, 3, &err), BERTH_INVALID_ARGUMENT, &err,
               "Input shape axis 0 must equal 3, got shape [2,3]");
  driver_deinit(&driver);
  EXPECT_FAILS(unpack(&driver, BERTH_SCALAR, 0, 2, &err),
               BERTH_INVALID_ARGUMENT, &err, "axis = 0 not in [0, 0)");
  driver_deinit(&driver);
}
