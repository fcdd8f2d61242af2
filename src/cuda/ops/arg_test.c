// arg_test.c - Tests of ArgMax and ArgMin on a GPU.
#include "harness.h"

#include "cuda/kernel_driver.h"

static driver_t arg_of(const char *op, berth_tensor_t *input, int32_t axis,
                       berth_dtype_t output_type) {
  driver_t driver = {.op = op};
  driver_type(&driver, "T", input->dtype);
  driver_type(&driver, "Tidx", BERTH_INT32);
  driver_type(&driver, "output_type", output_type);
  driver_input(&driver, input);
  driver_input(&driver, driver_ints(BERTH_SCALAR, axis));
  driver_output(&driver, output_type);
  return driver;
}

static void check(const char *op, berth_dtype_t dtype, berth_dims_t dims,
                  int32_t axis) {
  // Few different values, so that the first of equals matters.
  driver_t driver = arg_of(op, driver_random(dtype, dims, -9, 9), axis,
                           axis % 2 != 0 ? BERTH_INT32 : BERTH_INT64);
  for (int64_t i = 0; i < driver.inputs[0]->count; ++i) {
    driver_set(driver.inputs[0], i, floor(driver_get(driver.inputs[0], i, 0)));
  }
  driver_check(&driver, 0);
}

static const berth_dtype_t types[] = {BERTH_FLOAT, BERTH_DOUBLE, BERTH_HALF,
                                      BERTH_BFLOAT16, BERTH_BOOL};

TEST(arg, finds_extremes_of_all_types) {
  for (int t = 0; t < (int)(sizeof(types) / sizeof(*types)); ++t) {
    for (int is_min = 0; is_min < 2; ++is_min) {
      const char *op = is_min != 0 ? "ArgMin" : "ArgMax";
      check(op, types[t], BERTH_SHAPE(5, 6, 7), 0);
      check(op, types[t], BERTH_SHAPE(5, 6, 7), 1);
      check(op, types[t], BERTH_SHAPE(5, 6, 7), -1);
      check(op, types[t], BERTH_SHAPE(70001), 0);     // Chunks of a line,
      check(op, types[t], BERTH_SHAPE(40003, 3), 0);  // and of columns.
      check(op, types[t], BERTH_SHAPE(9000, 5), 1);
    }
  }
}

static const char *found(const char *op, berth_tensor_t *input) {
  driver_t driver = arg_of(op, input, 0, BERTH_INT64);
  return driver_result(&driver);
}

TEST(arg, never_finds_nan) {
  EXPECT_STR(found("ArgMax", driver_floats(BERTH_SHAPE(4), NAN, 1, 2, NAN)),
             "[] 2");
  EXPECT_STR(found("ArgMin", driver_floats(BERTH_SHAPE(3), NAN, 1, -2)),
             "[] 2");
  EXPECT_STR(found("ArgMax", driver_floats(BERTH_SHAPE(2), NAN, -INFINITY)),
             "[] 0");
  EXPECT_STR(found("ArgMax", driver_floats(BERTH_SHAPE(3), 1, INFINITY, 2)),
             "[] 1");
}

TEST(arg, refuses_what_it_cannot_search) {
  float none[1] = {0};
  EXPECT_STR(
      found("ArgMax", driver_tensor(BERTH_FLOAT, BERTH_SHAPE(0, 2), none)),
      "Reduction axis 0 is empty in shape [0,2]");
  EXPECT_STR(
      found("ArgMin", driver_tensor(BERTH_FLOAT, BERTH_SHAPE(2, 0), none)),
      "[0]");
}
