// slice_test.c - Slice, StridedSlice and ReverseV2.
#include "cpu/kernels.h"
#include "harness.h"

#include "cpu/kernel_driver.h"

enum { MOST = 12 };

// A strided slice of floats 0, 1, ... of |dims|, as a line of a table.
typedef struct strided {
  int rank;
  int64_t dims[4];
  int count;  // Of begin, end, strides.
  int32_t begin[MOST], end[MOST], strides[MOST];
  int begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask;
  const char *expected;  // The result, or the error.
} strided_t;

static berth_tensor_t *ints(const int32_t *values, int64_t count) {
  return driver_tensor(BERTH_INT32, BERTH_SHAPE(count), values);
}

static berth_code_t call_strided(driver_t *driver, const strided_t *line,
                                 berth_error_t *err) {
  driver->op = "StridedSlice";
  driver_type(driver, "T", BERTH_FLOAT);
  driver_type(driver, "Index", BERTH_INT32);
  driver_int(driver, "begin_mask", line->begin_mask);
  driver_int(driver, "end_mask", line->end_mask);
  driver_int(driver, "ellipsis_mask", line->ellipsis_mask);
  driver_int(driver, "new_axis_mask", line->new_axis_mask);
  driver_int(driver, "shrink_axis_mask", line->shrink_axis_mask);
  driver_input(driver, driver_count_up((berth_dims_t){line->rank, line->dims}));
  driver_input(driver, ints(line->begin, line->count));
  driver_input(driver, ints(line->end, line->count));
  driver_input(driver, ints(line->strides, line->count));
  driver_output(driver, BERTH_FLOAT);
  return driver_call(driver, err);
}

static const strided_t strided_lines[] = {
    {2, {4, 3}, 2, {1, 0}, {3, 3}, {1, 2}, .expected = "[2,2] 3 5 6 8"},
    {2,
     {4, 3},
     2,
     {0, 0},
     {0, 0},
     {-1, -1},
     .begin_mask = 3,
     .end_mask = 3,
     .expected = "[4,3] 11 10 9 8 7 6 5 4 3 2 1 0"},
    {2,
     {4, 3},
     3,
     {0, 0, 1},
     {0, 0, 2},
     {1, 1, 1},
     .ellipsis_mask = 2,
     .new_axis_mask = 1,
     .expected = "[1,4,1] 1 4 7 10"},
    {3,
     {2, 2, 3},
     2,
     {0, 1},
     {0, 2},
     {1, 1},
     .ellipsis_mask = 1,
     .shrink_axis_mask = 2,
     .expected = "[2,2] 1 4 7 10"},
    {2, {4, 3}, 1, {1}, {100}, {3}, .expected = "[1,3] 3 4 5"},
    {2, {4, 3}, 1, {3}, {-100}, {-2}, .expected = "[2,3] 9 10 11 3 4 5"},
    {2, {4, 3}, 1, {2}, {1}, {1}, .expected = "[0,3]"},
    {2,
     {4, 3},
     2,
     {2, 0},
     {1, 1},
     {1, 1},
     .shrink_axis_mask = 2,
     .expected = "[0]"},
    {2,
     {4, 3},
     2,
     {0, 0},
     {6, 3},
     {2, 1},
     .shrink_axis_mask = 1,
     .expected = "[3] 0 1 2"},
    {0, {0}, 1, {0}, {1}, {1}, .new_axis_mask = 1, .expected = "[1] 0"},
    {2,
     {4, 3},
     2,
     {0, 1},
     {0, 1},
     {1, 1},
     .new_axis_mask = 1,
     .shrink_axis_mask = 3,
     .expected = "[1,3] 3 4 5"},
    {2,
     {4, 3},
     2,
     {0, 0},
     {0, 0},
     {1, 1},
     .ellipsis_mask = 1,
     .new_axis_mask = 1,
     .expected = "[4,0]"},
    {2, {2, 2}, 1, {0}, {INT32_MIN}, {INT32_MIN}, .expected = "[1,2] 0 1"},
    {2, {2, 2}, 1, {0}, {INT32_MAX}, {INT32_MAX}, .expected = "[1,2] 0 1"},
};

TEST(slice, strided_results) {
  for (int i = 0; i < BERTH_COUNT_OF(strided_lines); ++i) {
    driver_t driver = {0};
    berth_error_t err = BERTH_ERROR_INIT;
    ASSERT_OK(call_strided(&driver, &strided_lines[i], &err), &err);
    EXPECT_STR(driver_show(&driver, 0), strided_lines[i].expected);
    driver_deinit(&driver);
  }
}

static const strided_t strided_errors[] = {
    {2, {4, 3}, 1, {1}, {3}, {0}, .expected = "strides[0] must be non-zero"},
    {2,
     {4, 3},
     3,
     {1, 0, 0},
     {3, 3, 1},
     {1, 2, 1},
     .expected = "Index out of range using input dim 2; input has only 2 dims"},
    {2,
     {4, 3},
     1,
     {5},
     {6},
     {1},
     .shrink_axis_mask = 1,
     .expected = "slice index 5 of dimension 0 out of bounds."},
    {2,
     {4, 3},
     1,
     {-5},
     {6},
     {1},
     .shrink_axis_mask = 1,
     .expected = "slice index -1 of dimension 0 out of bounds."},
    {2,
     {4, 3},
     1,
     {1},
     {6},
     {-1},
     .shrink_axis_mask = 1,
     .expected = "only stride 1 allowed on non-range indexing."},
    {2,
     {4, 3},
     2,
     {0, 0},
     {0, 0},
     {1, 1},
     .ellipsis_mask = 3,
     .expected = "Multiple ellipses in slice spec not allowed"},
    {0, {0}, 1, {0}, {1}, {1}, .expected = "Attempting to slice scalar input."},
};

TEST(slice, strided_errors) {
  for (int i = 0; i < BERTH_COUNT_OF(strided_errors); ++i) {
    driver_t driver = {0};
    berth_error_t err = BERTH_ERROR_INIT;
    EXPECT_FAILS(call_strided(&driver, &strided_errors[i], &err),
                 BERTH_INVALID_ARGUMENT, &err, strided_errors[i].expected);
    driver_deinit(&driver);
  }
}

// Whole ranges are the input itself.
TEST(slice, strided_whole_is_an_alias) {
  strided_t line = {2, {4, 3}, 1, {0}, {4}, {1}, .begin_mask = 0};
  driver_t driver = {0};
  berth_error_t err = BERTH_ERROR_INIT;
  ASSERT_OK(call_strided(&driver, &line, &err), &err);
  EXPECT_TRUE(driver.outputs[0]->data == driver.inputs[0]->data);
  driver_deinit(&driver);
}

// Counts through begin, end and stride of one dimension beside another and
// compares with a loop that knows nothing of levels.
TEST(slice, strided_agrees_with_a_plain_loop) {
  for (int32_t stride = -3; stride <= 3; ++stride) {
    for (int32_t begin = -6; begin <= 6 && stride != 0; ++begin) {
      for (int32_t end = -6; end <= 6; ++end) {
        strided_t line = {2,
                          {5, 2},
                          2,
                          {begin, 1},
                          {end, 2},
                          {stride, 1},
                          .shrink_axis_mask = 2};
        int32_t low = stride > 0 ? 0 : -1, high = stride > 0 ? 5 : 4;
        int32_t from = begin < 0 ? begin + 5 : begin;
        int32_t to = end < 0 ? end + 5 : end;
        from = from < low ? low : from > high ? high : from;
        to = to < low ? low : to > high ? high : to;
        berth_str_t values = {0};
        int count = 0;
        for (int32_t i = from; stride > 0 ? i < to : i > to; i += stride) {
          berth_str_printf(&values, " %d", (int)i * 2 + 1);
          ++count;
        }
        char expected[128];
        snprintf(expected, sizeof(expected), "[%d]%s", count,
                 berth_str_get(&values));
        berth_str_clear(&values);
        driver_t driver = {0};
        berth_error_t err = BERTH_ERROR_INIT;
        ASSERT_OK(call_strided(&driver, &line, &err), &err);
        EXPECT_STR(driver_show(&driver, 0), expected);
        driver_deinit(&driver);
      }
    }
  }
}

static berth_code_t call_slice(driver_t *driver, berth_dims_t dims,
                               berth_tensor_t *begin, berth_tensor_t *size,
                               berth_error_t *err) {
  driver->op = "Slice";
  driver_type(driver, "T", BERTH_FLOAT);
  driver_type(driver, "Index", begin->dtype);
  driver_input(driver, driver_count_up(dims));
  driver_input(driver, begin);
  driver_input(driver, size);
  driver_output(driver, BERTH_FLOAT);
  return driver_call(driver, err);
}

static void expect_slice(berth_dims_t dims, berth_tensor_t *begin,
                         berth_tensor_t *size, const char *expected) {
  driver_t driver = {0};
  berth_error_t err = BERTH_ERROR_INIT;
  ASSERT_OK(call_slice(&driver, dims, begin, size, &err), &err);
  EXPECT_STR(driver_show(&driver, 0), expected);
  driver_deinit(&driver);
}

static void expect_slice_error(berth_dims_t dims, berth_tensor_t *begin,
                               berth_tensor_t *size, const char *message) {
  driver_t driver = {0};
  berth_error_t err = BERTH_ERROR_INIT;
  EXPECT_FAILS(call_slice(&driver, dims, begin, size, &err),
               BERTH_INVALID_ARGUMENT, &err, message);
  driver_deinit(&driver);
}

#define INTS2(a, b) driver_ints(BERTH_SHAPE(2), a, b)

TEST(slice, slice_results) {
  berth_dims_t dims = BERTH_SHAPE(4, 3);
  expect_slice(dims, INTS2(1, 0), INTS2(2, -1), "[2,3] 3 4 5 6 7 8");
  expect_slice(dims, INTS2(1, 1), INTS2(2, 1), "[2,1] 4 7");
  expect_slice(dims, INTS2(4, 0), INTS2(-1, -1), "[0,3]");
  expect_slice(BERTH_SCALAR, driver_ints(BERTH_SHAPE(0), 0),
               driver_ints(BERTH_SHAPE(0), 0), "[] 0");
  expect_slice(BERTH_SHAPE(0, 3), INTS2(0, 0), INTS2(0, 2), "[0,2]");
}

TEST(slice, slice_errors) {
  berth_dims_t dims = BERTH_SHAPE(4, 3);
  expect_slice_error(dims, INTS2(5, 0), INTS2(1, 1),
                     "Expected begin[0] in [0, 4], but got 5");
  expect_slice_error(dims, INTS2(-1, 0), INTS2(-1, 1),
                     "Expected begin[0] in [0, 4], but got -1");
  expect_slice_error(dims, INTS2(1, 0), INTS2(4, 1),
                     "Expected size[0] in [0, 3], but got 4");
  expect_slice_error(dims, INTS2(1, 0), INTS2(-2, 1),
                     "Expected size[0] in [0, 3], but got -2");
  expect_slice_error(dims, driver_ints(BERTH_SHAPE(1), 1), INTS2(1, 1),
                     "Expected begin and size arguments to be 1-D tensors of "
                     "size 2, but got shapes [1] and [2] instead.");
  expect_slice_error(BERTH_SHAPE(0, 3), INTS2(1, 0), INTS2(0, 2),
                     "Expected begin[0] == 0 (got 1) and size[0] == 0 (got "
                     "0) when input.dim_size(0) == 0");
  expect_slice_error(
      dims, driver_longs(BERTH_SHAPE(2), INT64_MIN, 0),
      driver_longs(BERTH_SHAPE(2), -1, 2),
      "Expected begin[0] in [0, 4], but got -9223372036854775808");
}

static berth_code_t reverse(driver_t *driver, berth_tensor_t *axes,
                            berth_error_t *err) {
  driver->op = "ReverseV2";
  driver_type(driver, "T", BERTH_FLOAT);
  driver_input(driver, driver_count_up(BERTH_SHAPE(2, 3)));
  driver_input(driver, axes);
  driver_output(driver, BERTH_FLOAT);
  return driver_call(driver, err);
}

TEST(slice, reverse) {
  driver_t driver = {0};
  berth_error_t err = BERTH_ERROR_INIT;
  ASSERT_OK(reverse(&driver, driver_ints(BERTH_SHAPE(1), -2), &err), &err);
  EXPECT_STR(driver_show(&driver, 0), "[2,3] 3 4 5 0 1 2");
  driver_deinit(&driver);
  ASSERT_OK(reverse(&driver, INTS2(1, 0), &err), &err);
  EXPECT_STR(driver_show(&driver, 0), "[2,3] 5 4 3 2 1 0");
  driver_deinit(&driver);
  EXPECT_FAILS(reverse(&driver, INTS2(0, 0), &err), BERTH_INVALID_ARGUMENT,
               &err, "axis 0 specified more than once.");
  driver_deinit(&driver);
  EXPECT_FAILS(reverse(&driver, driver_ints(BERTH_SHAPE(1), 2), &err),
               BERTH_INVALID_ARGUMENT, &err,
               "'axis'[0] = 2 is out of valid range [0, 1");
  driver_deinit(&driver);
}
