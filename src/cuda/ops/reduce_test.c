// reduce_test.c - Tests of the reductions on a GPU.
#include "harness.h"

#include "cuda/kernel_driver.h"

static driver_t reduction_of(const char *op, berth_tensor_t *input,
                             berth_tensor_t *axes) {
  driver_t driver = {.op = op};
  if (input->dtype != BERTH_BOOL) driver_type(&driver, "T", input->dtype);
  driver_type(&driver, "Tidx", axes->dtype);
  driver_input(&driver, input);
  driver_input(&driver, axes);
  driver_output(&driver, input->dtype);
  return driver;
}

static double tolerance_of(berth_dtype_t dtype) {
  switch (dtype) {
    case BERTH_DOUBLE:
    case BERTH_COMPLEX128:
      return 1e-14;
    case BERTH_FLOAT:
    case BERTH_COMPLEX64:
      return 2e-6;
    case BERTH_HALF:
      return 0x1p-10;
    case BERTH_BFLOAT16:
      return 0x1p-7;
    default:
      return 0;
  }
}

// Reduces positive numbers, so that sums do not cancel.
static void check(const char *op, berth_dtype_t dtype, berth_dims_t dims,
                  berth_tensor_t *axes) {
  bool is_prod = strcmp(op, "Prod") == 0;
  berth_tensor_t *input =
      driver_random(dtype, dims, is_prod ? 0.97 : 0.1, is_prod ? 1.03 : 9.0);
  driver_t driver = reduction_of(op, input, axes);
  driver_check(&driver, tolerance_of(dtype));
}

// What each op takes on GPUs.
static const struct {
  const char *op;
  berth_dtype_t types[10];  // 0 ends them.
} taken[] = {
    {"Sum",
     {BERTH_FLOAT, BERTH_DOUBLE, BERTH_HALF, BERTH_BFLOAT16, BERTH_INT64,
      BERTH_COMPLEX64, BERTH_COMPLEX128}},
    {"Mean",
     {BERTH_FLOAT, BERTH_DOUBLE, BERTH_HALF, BERTH_BFLOAT16, BERTH_COMPLEX64,
      BERTH_COMPLEX128}},
    {"Prod",
     {BERTH_FLOAT, BERTH_DOUBLE, BERTH_HALF, BERTH_BFLOAT16, BERTH_INT32,
      BERTH_INT64, BERTH_COMPLEX64, BERTH_COMPLEX128}},
    {"Max",
     {BERTH_FLOAT, BERTH_DOUBLE, BERTH_HALF, BERTH_BFLOAT16, BERTH_INT64}},
    {"Min", {BERTH_FLOAT, BERTH_DOUBLE, BERTH_HALF, BERTH_BFLOAT16}},
    {"All", {BERTH_BOOL}},
    {"Any", {BERTH_BOOL}},
};

#define EACH_TAKEN(op_, type_)                                       \
  for (int k_ = 0; k_ < (int)(sizeof(taken) / sizeof(*taken)); ++k_) \
    for (int t_ = 0; taken[k_].types[t_] != 0; ++t_)                 \
      for (const char *op_ = taken[k_].op; op_ != NULL; op_ = NULL)  \
        for (berth_dtype_t type_ = taken[k_].types[t_]; type_ != 0; type_ = 0)

TEST(reduce, takes_all_types_over_any_axes) {
  EACH_TAKEN(op, type) {
    berth_dims_t dims = BERTH_SHAPE(3, 4, 5, 6);
    check(op, type, dims, driver_ints(BERTH_SHAPE(1), 3));
    check(op, type, dims, driver_ints(BERTH_SHAPE(1), 0));
    check(op, type, dims, driver_ints(BERTH_SHAPE(1), -3));
    check(op, type, dims, driver_ints(BERTH_SHAPE(2), 0, 2));
    check(op, type, dims, driver_longs(BERTH_SHAPE(2), 1, 3));
    check(op, type, dims, driver_longs(BERTH_SHAPE(4), 3, 1, 0, 2));
  }
}

// Enough for chunks: of neighbours, of columns, and of columns so few that
// their chunks are reduced in two steps.
TEST(reduce, joins_chunks) {
  EACH_TAKEN(op, type) {
    if (strcmp(op, "Prod") == 0) continue;  // It would leave the range.
    check(op, type, BERTH_SHAPE(70001), driver_ints(BERTH_SHAPE(1), 0));
    check(op, type, BERTH_SHAPE(3, 40003), driver_ints(BERTH_SHAPE(1), 1));
    check(op, type, BERTH_SHAPE(40003, 3), driver_ints(BERTH_SHAPE(1), 0));
    check(op, type, BERTH_SHAPE(20003, 16), driver_ints(BERTH_SHAPE(1), 0));
    check(op, type, BERTH_SHAPE(9, 600, 7), driver_ints(BERTH_SHAPE(2), 0, 2));
  }
  check("Sum", BERTH_FLOAT, BERTH_SHAPE(600007, 2),
        driver_ints(BERTH_SHAPE(1), 0));
  check("Sum", BERTH_FLOAT, BERTH_SHAPE(300, 5000),
        driver_ints(BERTH_SHAPE(1), 0));
  check("Sum", BERTH_DOUBLE, BERTH_SHAPE(100, 7, 300),
        driver_ints(BERTH_SHAPE(2), 0, 2));
}

TEST(reduce, multiplies_in_chunks) {
  check("Prod", BERTH_DOUBLE, BERTH_SHAPE(20000),
        driver_ints(BERTH_SHAPE(1), 0));
  berth_tensor_t *threes = driver_random(BERTH_INT64, BERTH_SHAPE(20000), 3, 4);
  driver_t driver =
      reduction_of("Prod", threes, driver_ints(BERTH_SHAPE(1), 0));
  driver_check(&driver, 0);
}

// Many short lines, sixteen bytes at a time; a few of them, and of more than a
// warp holds, and such that have a rest.
TEST(reduce, folds_short_lines_by_parts_of_a_warp) {
  static const int64_t lengths[] = {4, 8, 16, 20, 64, 128, 250, 1000, 2048};
  EACH_TAKEN(op, type) {
    for (int i = 0; i < BERTH_COUNT_OF(lengths); ++i) {
      // A long product of complex numbers loses digits in any order.
      if (strcmp(op, "Prod") == 0 && lengths[i] > 20) continue;
      if (lengths[i] > 250 && type != BERTH_FLOAT) continue;
      check(op, type, BERTH_SHAPE(1061, lengths[i]),
            driver_ints(BERTH_SHAPE(1), 1));
    }
  }
}

TEST(reduce, makes_one_result_per_thread) {
  check("Sum", BERTH_FLOAT, BERTH_SHAPE(9000, 3),
        driver_ints(BERTH_SHAPE(1), 1));
  check("Max", BERTH_HALF, BERTH_SHAPE(20000, 7),
        driver_ints(BERTH_SHAPE(1), 1));
}

// Lines that do not begin where 16 bytes do.
TEST(reduce, reads_lines_that_are_not_aligned) {
  for (int n = 1; n < 40; ++n) {
    check("Sum", BERTH_HALF, BERTH_SHAPE(5, n), driver_ints(BERTH_SHAPE(1), 1));
    check("Any", BERTH_BOOL, BERTH_SHAPE(5, n), driver_ints(BERTH_SHAPE(1), 1));
    check("Prod", BERTH_COMPLEX128, BERTH_SHAPE(5, n),
          driver_ints(BERTH_SHAPE(1), 1));
  }
}

static const char *reduced(const char *op, berth_tensor_t *input) {
  driver_t driver = reduction_of(op, input, driver_ints(BERTH_SHAPE(1), 0));
  return driver_result(&driver);
}

TEST(reduce, gives_identities_of_nothing) {
  float none[1] = {0};
  berth_dims_t dims = BERTH_SHAPE(0, 2);
#define NOTHING(dtype) driver_tensor(dtype, dims, none)
  EXPECT_STR(reduced("Sum", NOTHING(BERTH_FLOAT)), "[2] 0 0");
  EXPECT_TRUE(strstr(reduced("Mean", NOTHING(BERTH_FLOAT)), "nan") != NULL);
  EXPECT_STR(reduced("Mean", NOTHING(BERTH_COMPLEX64)), "[2] 0+0j 0+0j");
  EXPECT_STR(reduced("Prod", NOTHING(BERTH_COMPLEX64)), "[2] 1+0j 1+0j");
  EXPECT_STR(reduced("Prod", NOTHING(BERTH_HALF)), "[2] 1 1");
  EXPECT_STR(reduced("Max", NOTHING(BERTH_FLOAT)), "[2] -inf -inf");
  EXPECT_STR(reduced("Min", NOTHING(BERTH_BFLOAT16)), "[2] inf inf");
  EXPECT_STR(reduced("All", NOTHING(BERTH_BOOL)), "[2] 1 1");
  EXPECT_STR(reduced("Any", NOTHING(BERTH_BOOL)), "[2] 0 0");
  EXPECT_STR(
      reduced("Sum", driver_tensor(BERTH_FLOAT, BERTH_SHAPE(2, 0), none)),
      "[0]");
}

TEST(reduce, lets_nan_win) {
  EXPECT_STR(reduced("Max", driver_floats(BERTH_SHAPE(3), 1, NAN, 2)),
             "[] nan");
  EXPECT_STR(reduced("Min", driver_floats(BERTH_SHAPE(3), NAN, 1, 2)),
             "[] nan");
  EXPECT_STR(reduced("Max", driver_floats(BERTH_SHAPE(3), 1, 3, 2)), "[] 3");
}

// A sum of so many ones stops growing in a single accumulator of 32 bits.
TEST(reduce, adds_many_numbers_exactly) {
  int64_t count = (1 << 24) + 1000;
  berth_tensor_t *ones = NULL;
  ASSERT_OK(berth_tensor_create(BERTH_HALF, BERTH_SHAPE(count), &ones, NULL),
            NULL);
  for (int64_t i = 0; i < count; ++i) driver_set(ones, i, 1);
  EXPECT_STR(reduced("Mean", ones), "[] 1");
}

TEST(reduce, changes_nothing_where_nothing_is_reduced) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_tensor_t *input = driver_floats(BERTH_SHAPE(2, 1), 1, 2);
  driver_t driver = reduction_of("Sum", input, driver_ints(BERTH_SHAPE(1), 1));
  ASSERT_OK(driver_call(&driver, &err), &err);
  EXPECT_EQ(driver.prepare.op.alias, 0);
  EXPECT_STR(driver_show(&driver, 0), "[2] 1 2");
  driver_deinit(&driver);
}

TEST(reduce, refuses_axes_that_are_not_there) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_tensor_t *input = driver_floats(BERTH_SHAPE(2), 1, 2);
  driver_t driver = reduction_of("Sum", input, driver_ints(BERTH_SHAPE(1), 1));
  EXPECT_EQ(driver_call(&driver, &err), BERTH_INVALID_ARGUMENT);
  EXPECT_STR(berth_error_message(&err),
             "Invalid reduction dimension (1 for input with 1 dimension(s)");
  berth_error_clear(&err);
  driver_deinit(&driver);
}
