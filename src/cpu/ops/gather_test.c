// gather_test.c - GatherV2, OneHot and Range.
#include "cpu/kernels.h"
#include "harness.h"

#include "cpu/kernel_driver.h"
#include "tensor/half.h"

// Gathers from floats 0, 1, ... of |dims|.
static berth_code_t gather(driver_t *driver, berth_dims_t dims,
                           berth_tensor_t *indices, int32_t axis,
                           int64_t batch_dims, berth_error_t *err) {
  driver->op = "GatherV2";
  driver_type(driver, "Tparams", BERTH_FLOAT);
  driver_type(driver, "Tindices", indices->dtype);
  driver_type(driver, "Taxis", BERTH_INT32);
  driver_int(driver, "batch_dims", batch_dims);
  driver_input(driver, driver_count_up(dims));
  driver_input(driver, indices);
  driver_input(driver, driver_ints(BERTH_SCALAR, axis));
  driver_output(driver, BERTH_FLOAT);
  return driver_call(driver, err);
}

static void expect_gather(berth_dims_t dims, berth_tensor_t *indices,
                          int32_t axis, int64_t batch_dims,
                          const char *expected) {
  driver_t driver = {0};
  berth_error_t err = BERTH_ERROR_INIT;
  ASSERT_OK(gather(&driver, dims, indices, axis, batch_dims, &err), &err);
  EXPECT_STR(driver_show(&driver, 0), expected);
  driver_deinit(&driver);
}

static void expect_gather_error(berth_dims_t dims, berth_tensor_t *indices,
                                int32_t axis, int64_t batch_dims,
                                const char *message) {
  driver_t driver = {0};
  berth_error_t err = BERTH_ERROR_INIT;
  EXPECT_FAILS(gather(&driver, dims, indices, axis, batch_dims, &err),
               BERTH_INVALID_ARGUMENT, &err, message);
  driver_deinit(&driver);
}

TEST(gather, rows_and_columns) {
  berth_dims_t dims = BERTH_SHAPE(3, 2);
  expect_gather(dims, driver_ints(BERTH_SHAPE(2), 2, 0), 0, 0, "[2,2] 4 5 0 1");
  expect_gather(dims, driver_longs(BERTH_SHAPE(1, 2), 1, 1), 1, 0,
                "[3,1,2] 1 1 3 3 5 5");
  expect_gather(dims, driver_ints(BERTH_SCALAR, 1), -1, 0, "[3] 1 3 5");
  int16_t narrow[] = {2};
  expect_gather(dims, driver_tensor(BERTH_INT16, BERTH_SHAPE(1), narrow), 0, 0,
                "[1,2] 4 5");
}

TEST(gather, batches) {
  berth_dims_t dims = BERTH_SHAPE(2, 3, 2);
  expect_gather(dims, driver_ints(BERTH_SHAPE(2, 2), 0, 1, 2, 1), 1, 1,
                "[2,2,2] 0 1 2 3 10 11 8 9");
  expect_gather(dims, driver_ints(BERTH_SHAPE(2), 0, 1), 2, 1,
                "[2,3] 0 2 4 7 9 11");
  expect_gather(dims, driver_ints(BERTH_SHAPE(2), 0, 1), 1, -1,
                "[2,2,2] 0 1 2 3 6 7 8 9");
}

TEST(gather, without_elements_no_index_matters) {
  expect_gather(BERTH_SHAPE(3, 0), driver_ints(BERTH_SHAPE(2), 0, 5), 0, 0,
                "[2,0]");
  expect_gather(BERTH_SHAPE(0, 2), driver_ints(BERTH_SHAPE(0), 0), 0, 0,
                "[0,2]");
}

TEST(gather, errors) {
  berth_dims_t dims = BERTH_SHAPE(3, 2);
  expect_gather_error(dims, driver_ints(BERTH_SHAPE(2), 0, 7), 0, 0,
                      "indices[1] = 7 is not in [0, 3)");
  expect_gather_error(dims, driver_ints(BERTH_SCALAR, 7), 0, 0,
                      "indices = 7 is not in [0, 3)");
  expect_gather_error(dims, driver_ints(BERTH_SHAPE(2, 2), 0, 1, 2, -1), 0, 0,
                      "indices[1,1] = -1 is not in [0, 3)");
  expect_gather_error(BERTH_SHAPE(2, 3, 2),
                      driver_ints(BERTH_SHAPE(2, 2), 0, 1, 2, 3), 1, 1,
                      "indices[1,1] = 3 is not in [0, 3)");
  expect_gather_error(dims, driver_ints(BERTH_SHAPE(1), 0), 2, 0,
                      "Shape must be at least rank 3 but is rank 2");
  expect_gather_error(BERTH_SCALAR, driver_ints(BERTH_SHAPE(1), 0), 0, 0,
                      "params must be at least 1 dimensional");
  expect_gather_error(BERTH_SHAPE(2, 3, 2),
                      driver_ints(BERTH_SHAPE(1, 2), 0, 1), 1, 1,
                      "params.shape[0]: 2 should be equal to "
                      "indices.shape[0]: 1");
  expect_gather_error(BERTH_SHAPE(2, 3, 2),
                      driver_ints(BERTH_SHAPE(2, 2), 0, 1, 0, 0), 0, 1,
                      "batch_dims (1) must be less than or equal to axis "
                      "(0).");
  expect_gather_error(BERTH_SHAPE(2, 3, 2),
                      driver_ints(BERTH_SHAPE(2, 2), 0, 1, 0, 0), 1, 3,
                      "Expected batch_dims in the range [-2, 2], but got 3");
}

// The first bad index is reported, however the rows are shared out.
TEST(gather, first_of_many_bad_indices) {
  enum { N = 1 << 18 };
  berth_tensor_t *indices = NULL;
  berth_error_t err = BERTH_ERROR_INIT;
  ASSERT_OK(berth_tensor_create(BERTH_INT32, BERTH_SHAPE(N), &indices, &err),
            &err);
  int32_t *values = indices->data;
  for (int i = 0; i < N; ++i) values[i] = i % 3;
  for (int i = 1000; i < N; i += 777) values[i] = 9;
  expect_gather_error(BERTH_SHAPE(3, 4), indices, 0, 0,
                      "indices[1000] = 9 is not in [0, 3)");
}

static berth_code_t one_hot(driver_t *driver, berth_tensor_t *indices,
                            berth_tensor_t *depth, int64_t axis,
                            berth_error_t *err) {
  driver->op = "OneHot";
  driver_type(driver, "T", BERTH_FLOAT);
  driver_type(driver, "TI", indices->dtype);
  driver_int(driver, "axis", axis);
  driver_input(driver, indices);
  driver_input(driver, depth);
  driver_input(driver, driver_floats(BERTH_SCALAR, 5));
  driver_input(driver, driver_floats(BERTH_SCALAR, -1));
  driver_output(driver, BERTH_FLOAT);
  return driver_call(driver, err);
}

TEST(one_hot, results) {
  driver_t driver = {0};
  berth_error_t err = BERTH_ERROR_INIT;
  ASSERT_OK(one_hot(&driver, driver_ints(BERTH_SHAPE(3), 0, -1, 2),
                    driver_ints(BERTH_SCALAR, 3), -1, &err),
            &err);
  EXPECT_STR(driver_show(&driver, 0), "[3,3] 5 -1 -1 -1 -1 -1 -1 -1 5");
  driver_deinit(&driver);
  ASSERT_OK(one_hot(&driver, driver_longs(BERTH_SHAPE(2), 0, 2),
                    driver_ints(BERTH_SCALAR, 3), 0, &err),
            &err);
  EXPECT_STR(driver_show(&driver, 0), "[3,2] 5 -1 -1 -1 -1 5");
  driver_deinit(&driver);
  ASSERT_OK(one_hot(&driver, driver_ints(BERTH_SHAPE(2), 0, 2),
                    driver_ints(BERTH_SCALAR, 0), -1, &err),
            &err);
  EXPECT_STR(driver_show(&driver, 0), "[2,0]");
  driver_deinit(&driver);
}

static void expect_one_hot_error(berth_tensor_t *depth, int64_t axis,
                                 const char *message) {
  driver_t driver = {0};
  berth_error_t err = BERTH_ERROR_INIT;
  EXPECT_FAILS(
      one_hot(&driver, driver_ints(BERTH_SHAPE(2), 0, 2), depth, axis, &err),
      BERTH_INVALID_ARGUMENT, &err, message);
  driver_deinit(&driver);
}

TEST(one_hot, errors) {
  expect_one_hot_error(driver_ints(BERTH_SCALAR, -1), -1,
                       "depth must be non-negative, got: -1");
  expect_one_hot_error(driver_ints(BERTH_SHAPE(1), 3), -1,
                       "depth must be a scalar, but got: [1]");
  expect_one_hot_error(driver_ints(BERTH_SCALAR, 3), 2,
                       "Expected axis to be -1 or between [0, 2).  But "
                       "received: 2");
}

// Takes over the three tensors.
static berth_code_t range(driver_t *driver, berth_tensor_t *start,
                          berth_tensor_t *limit, berth_tensor_t *delta,
                          berth_error_t *err) {
  driver->op = "Range";
  driver_type(driver, "Tidx", start->dtype);
  driver_input(driver, start);
  driver_input(driver, limit);
  driver_input(driver, delta);
  driver_output(driver, start->dtype);
  return driver_call(driver, err);
}

static void expect_range(berth_tensor_t *start, berth_tensor_t *limit,
                         berth_tensor_t *delta, const char *expected) {
  driver_t driver = {0};
  berth_error_t err = BERTH_ERROR_INIT;
  ASSERT_OK(range(&driver, start, limit, delta, &err), &err);
  EXPECT_STR(driver_show(&driver, 0), expected);
  driver_deinit(&driver);
}

static void expect_range_error(berth_tensor_t *start, berth_tensor_t *limit,
                               berth_tensor_t *delta, const char *message) {
  driver_t driver = {0};
  berth_error_t err = BERTH_ERROR_INIT;
  EXPECT_FAILS(range(&driver, start, limit, delta, &err),
               BERTH_INVALID_ARGUMENT, &err, message);
  driver_deinit(&driver);
}

#define INT(x) driver_ints(BERTH_SCALAR, x)
#define LONG(x) driver_longs(BERTH_SCALAR, x)
#define FLOAT(x) driver_floats(BERTH_SCALAR, x)

TEST(range, results) {
  expect_range(INT(0), INT(5), INT(2), "[3] 0 2 4");
  expect_range(INT(0), INT(0), INT(2), "[0]");
  expect_range(FLOAT(1), FLOAT(0), FLOAT(-0.5f), "[2] 1 0.5");
  expect_range(FLOAT(0), FLOAT(1), FLOAT(0.3f),
               "[4] 0 0.300000012 0.600000024 0.900000036");
  expect_range(INT(INT32_MAX), INT(INT32_MIN), INT(-(1 << 30)),
               "[4] 2147483647 1073741823 -1 -1073741825");
  expect_range(LONG(INT64_MIN), LONG(INT64_MAX), LONG(INT64_C(1) << 62),
               "[4] -9223372036854775808 -4611686018427387904 0 "
               "4611686018427387904");
}

// Two-byte types round after each operation.
TEST(range, half) {
  uint16_t start = berth_float_to_half(0.1f), limit = berth_float_to_half(3);
  uint16_t delta = berth_float_to_half(0.7f);
  expect_range(driver_tensor(BERTH_HALF, BERTH_SCALAR, &start),
               driver_tensor(BERTH_HALF, BERTH_SCALAR, &limit),
               driver_tensor(BERTH_HALF, BERTH_SCALAR, &delta),
               "[5] 2e66 3a67 3e00 4067 41cd");
}

TEST(range, errors) {
  expect_range_error(INT(0), INT(5), INT(0), "Requires delta != 0: 0");
  expect_range_error(INT(5), INT(0), INT(2),
                     "Requires start <= limit when delta > 0: 5/0");
  expect_range_error(FLOAT(0.1f), FLOAT(1234567), FLOAT(-1),
                     "Requires start >= limit when delta < 0: "
                     "0.1/1.23457e+06");
  expect_range_error(FLOAT(0), FLOAT(NAN), FLOAT(1),
                     "Requires start <= limit when delta > 0: 0/nan");
  expect_range_error(LONG(INT64_MIN), LONG(INT64_MAX), LONG(1),
                     "Requires ((limit - start) / delta) <= "
                     "9223372036854775807");
  expect_range_error(FLOAT(0), FLOAT(INFINITY), FLOAT(1),
                     "Requires ((limit - start) / delta) <= "
                     "9223372036854775807");
  expect_range_error(driver_ints(BERTH_SHAPE(2), 0, 1), INT(5), INT(2),
                     "start must be a scalar, not shape [2]");
}
