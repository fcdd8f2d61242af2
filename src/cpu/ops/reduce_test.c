// reduce_test.c - Tests of the reductions.
#include "base/parallel.h"
#include "cpu/kernel_driver.h"
#include "cpu/kernels.h"
#include "harness.h"
#include "kernel/number.h"

static driver_t reduction_of(const char *op, berth_tensor_t *input,
                             berth_tensor_t *axes, bool keep_dims) {
  driver_t driver = {.op = op};
  driver_type(&driver, "T", input->dtype);
  driver_type(&driver, "Tidx", axes->dtype);
  driver_bool(&driver, "keep_dims", keep_dims);
  driver_input(&driver, input);
  driver_input(&driver, axes);
  driver_output(&driver, input->dtype);
  return driver;
}

static berth_tensor_t *made(berth_dtype_t dtype, berth_dims_t dims,
                            double (*value)(int64_t)) {
  berth_tensor_t *tensor = NULL;
  if (berth_tensor_create(dtype, dims, &tensor, NULL) != BERTH_OK) return NULL;
  for (int64_t i = 0; i < tensor->count; ++i) {
    number_store(dtype, tensor->data, i, value(i));
  }
  return tensor;
}

static double small_numbers(int64_t i) { return (double)(i * 7 % 11 % 4); }
static double ones_and_twos(int64_t i) { return i % 101 == 3 ? 2 : 1; }

static double fold(const char *op, double a, double b) {
  if (strcmp(op, "Prod") == 0) return a * b;
  if (strcmp(op, "Max") == 0 || strcmp(op, "Any") == 0) return a > b ? a : b;
  if (strcmp(op, "Min") == 0 || strcmp(op, "All") == 0) return a < b ? a : b;
  return a + b;
}

// Returns which element of the result element |index| of the input belongs to.
static int64_t result_index(berth_dims_t dims, uint32_t reduced,
                            int64_t index) {
  int64_t at = 0, step = 1;
  for (int32_t d = dims.rank - 1; d >= 0; --d) {
    int64_t coordinate = index % dims.dims[d];
    index /= dims.dims[d];
    if ((reduced >> d & 1) != 0) continue;
    at += coordinate * step;
    step *= dims.dims[d];
  }
  return at;
}

// Compares a reduction over the dimensions in |reduced| with one made value by
// value. The numbers are such that every type holds every result.
static void expect_reduction(const char *op, berth_dtype_t dtype,
                             berth_dims_t dims, uint32_t reduced) {
  berth_error_t err = BERTH_ERROR_INIT;
  int32_t axes[8];
  int64_t axis_count = 0, divisor = 1;
  for (int32_t d = 0; d < dims.rank; ++d) {
    if ((reduced >> d & 1) == 0) continue;
    axes[axis_count++] = d % 2 == 0 ? d : d - dims.rank;
    divisor *= dims.dims[d];
  }
  bool is_prod = strcmp(op, "Prod") == 0;
  driver_t driver = reduction_of(
      op, made(dtype, dims, is_prod ? ones_and_twos : small_numbers),
      driver_tensor(BERTH_INT32, BERTH_SHAPE(axis_count), axes), false);
  ASSERT_OK(driver_call(&driver, &err), &err);
  int64_t count = driver.outputs[0]->count;
  double *expected = berth_calloc((size_t)count, sizeof(double));
  bool *seen = berth_calloc((size_t)count, sizeof(bool));
  for (int64_t i = 0; i < driver.inputs[0]->count; ++i) {
    int64_t at = result_index(dims, reduced, i);
    double x = number_load(dtype, driver.inputs[0]->data, i);
    expected[at] = seen[at] ? fold(op, expected[at], x) : x;
    seen[at] = true;
  }
  for (int64_t i = 0; i < count; ++i) {
    double want = expected[i];
    if (strcmp(op, "Mean") == 0) want /= (double)divisor;
    char slot[8];
    // Rounded as the type rounds, cut off as integers are.
    number_store(dtype, slot, 0, want);
    double got = number_load(dtype, driver_data(&driver, 0), i);
    if (got != number_load(dtype, slot, 0)) {
      HARNESS_FAIL("%s of type %d, rank %d over %x: %g, not %g", op, dtype,
                   dims.rank, reduced, got, want);
      break;
    }
  }
  berth_free(expected);
  berth_free(seen);
  driver_deinit(&driver);
}

static const berth_dtype_t real_types[] = {
    BERTH_FLOAT, BERTH_DOUBLE, BERTH_HALF,   BERTH_BFLOAT16,
    BERTH_INT8,  BERTH_INT16,  BERTH_INT32,  BERTH_INT64,
    BERTH_UINT8, BERTH_UINT16, BERTH_UINT32, BERTH_UINT64};
static const char *const real_ops[] = {"Sum", "Mean", "Prod", "Max", "Min"};

TEST(reduce, agrees_with_the_definition_for_all_types) {
  for (int t = 0; t < BERTH_COUNT_OF(real_types); ++t) {
    for (int o = 0; o < BERTH_COUNT_OF(real_ops); ++o) {
      for (uint32_t axes = 0; axes < 8; ++axes) {
        expect_reduction(real_ops[o], real_types[t], BERTH_SHAPE(3, 4, 5),
                         axes);
      }
    }
  }
}

TEST(reduce, agrees_with_the_definition_for_many_shapes) {
  for (int o = 0; o < BERTH_COUNT_OF(real_ops); ++o) {
    for (uint32_t axes = 0; axes < 32; ++axes) {
      expect_reduction(real_ops[o], BERTH_INT32, BERTH_SHAPE(2, 3, 1, 4, 2),
                       axes);
    }
    expect_reduction(real_ops[o], BERTH_INT32, BERTH_SHAPE(5, 300), 2);
    expect_reduction(real_ops[o], BERTH_INT32, BERTH_SHAPE(300, 5), 1);
    expect_reduction(real_ops[o], BERTH_INT32, BERTH_SHAPE(700, 1100), 1);
    expect_reduction(real_ops[o], BERTH_INT32, BERTH_SHAPE(3, 400, 70), 2);
  }
}

TEST(reduce, agrees_with_the_definition_when_large) {
  expect_reduction("Sum", BERTH_FLOAT, BERTH_SHAPE(1000003), 1);
  expect_reduction("Sum", BERTH_FLOAT, BERTH_SHAPE(3, 200001), 2);
  expect_reduction("Sum", BERTH_FLOAT, BERTH_SHAPE(200001, 3), 1);
  expect_reduction("Sum", BERTH_INT64, BERTH_SHAPE(600, 4000), 1);
  expect_reduction("Mean", BERTH_INT8, BERTH_SHAPE(300, 3001), 1);
  expect_reduction("Max", BERTH_BFLOAT16, BERTH_SHAPE(200, 3, 701), 5);
  expect_reduction("Min", BERTH_UINT16, BERTH_SHAPE(7, 200, 3, 100), 10);
}

TEST(reduce, agrees_with_the_definition_on_baseline) {
  setenv("BERTH_CPU_ISA", "baseline", 1);
  expect_reduction("Sum", BERTH_FLOAT, BERTH_SHAPE(30, 701), 2);
  expect_reduction("Sum", BERTH_HALF, BERTH_SHAPE(301, 7), 1);
  expect_reduction("Max", BERTH_DOUBLE, BERTH_SHAPE(30, 701), 2);
}

TEST(reduce, all_and_any) {
  for (uint32_t axes = 0; axes < 4; ++axes) {
    expect_reduction("All", BERTH_BOOL, BERTH_SHAPE(37, 5), axes);
    expect_reduction("Any", BERTH_BOOL, BERTH_SHAPE(37, 5), axes);
  }
}

static void expect_refused(berth_tensor_t *axes, const char *message) {
  berth_error_t err = BERTH_ERROR_INIT;
  driver_t driver = reduction_of(
      "Sum", made(BERTH_FLOAT, BERTH_SHAPE(2, 3), small_numbers), axes, false);
  EXPECT_FAILS(driver_call(&driver, &err), BERTH_INVALID_ARGUMENT, &err,
               message);
  driver_deinit(&driver);
}

TEST(reduce, refuses_bad_axes) {
  expect_refused(
      driver_ints(BERTH_SHAPE(1), 2),
      "Invalid reduction dimension (2 for input with 2 dimension(s)");
  expect_refused(
      driver_ints(BERTH_SHAPE(2), 1, -3),
      "Invalid reduction dimension (-3 for input with 2 dimension(s)");
  expect_refused(driver_longs(BERTH_SCALAR, (int64_t)1 << 40),
                 "Invalid reduction dimension (1099511627776 for input with 2 "
                 "dimension(s)");
  expect_refused(driver_ints(BERTH_SHAPE(2), 0, -2),
                 "Invalid reduction arguments: Axes contains duplicate "
                 "dimension: 0");
}

TEST(reduce, refuses_a_result_too_large_to_count) {
  berth_error_t err = BERTH_ERROR_INIT;
  int64_t huge = (int64_t)1 << 40;
  driver_t driver = reduction_of(
      "Sum", made(BERTH_FLOAT, BERTH_SHAPE(huge, 0, huge), small_numbers),
      driver_ints(BERTH_SCALAR, 1), false);
  EXPECT_FAILS(driver_call(&driver, &err), BERTH_INVALID_ARGUMENT, &err,
               "Encountered overflow when multiplying 1099511627776 with "
               "1099511627776, result: -1");
  driver_deinit(&driver);
}

TEST(reduce, takes_huge_dimensions_without_elements) {
  berth_error_t err = BERTH_ERROR_INIT;
  int64_t huge = (int64_t)1 << 40;
  driver_t driver = reduction_of(
      "Sum", made(BERTH_FLOAT, BERTH_SHAPE(0, huge, huge, 3), small_numbers),
      driver_ints(BERTH_SHAPE(3), 0, 1, 2), false);
  ASSERT_OK(driver_call(&driver, &err), &err);
  EXPECT_EQ(driver.outputs[0]->count, 3);
  EXPECT_EQ(((float *)driver_data(&driver, 0))[2], 0);
  driver_deinit(&driver);
}

TEST(reduce, keeps_dimensions) {
  berth_error_t err = BERTH_ERROR_INIT;
  driver_t driver =
      reduction_of("Sum", driver_floats(BERTH_SHAPE(2, 3), 0, 1, 2, 3, 4, 5),
                   driver_longs(BERTH_SHAPE(1), -1), true);
  ASSERT_OK(driver_call(&driver, &err), &err);
  EXPECT_EQ(driver.outputs[0]->rank, 2);
  EXPECT_EQ(driver.outputs[0]->dims[0], 2);
  EXPECT_EQ(driver.outputs[0]->dims[1], 1);
  EXPECT_EQ(((float *)driver_data(&driver, 0))[0], 3);
  EXPECT_EQ(((float *)driver_data(&driver, 0))[1], 12);
  driver_deinit(&driver);
}

// Axes may be a matrix; a reduction over nothing is the input itself.
TEST(reduce, takes_axes_of_any_rank_and_none) {
  berth_error_t err = BERTH_ERROR_INIT;
  driver_t driver =
      reduction_of("Sum", made(BERTH_FLOAT, BERTH_SHAPE(2, 3), small_numbers),
                   driver_ints(BERTH_SHAPE(2, 1), 0, 1), false);
  ASSERT_OK(driver_call(&driver, &err), &err);
  EXPECT_EQ(driver.outputs[0]->rank, 0);
  driver_deinit(&driver);
  driver = reduction_of("Mean", made(BERTH_HALF, BERTH_SCALAR, small_numbers),
                        driver_tensor(BERTH_INT32, BERTH_SHAPE(0), NULL), true);
  ASSERT_OK(driver_call(&driver, &err), &err);
  EXPECT_EQ(driver.prepare.op.alias, 0);
  driver_deinit(&driver);
}

// What TensorFlow makes of nothing, for each op and type.
TEST(reduce, of_nothing_is_the_identity) {
  static const struct {
    const char *op;
    berth_dtype_t dtype;
    double value;
  } cases[] = {
      {"Sum", BERTH_FLOAT, 0},         {"Sum", BERTH_INT8, 0},
      {"Prod", BERTH_HALF, 1},         {"Prod", BERTH_INT64, 1},
      {"Max", BERTH_FLOAT, -INFINITY}, {"Max", BERTH_BFLOAT16, -INFINITY},
      {"Max", BERTH_INT16, INT16_MIN}, {"Max", BERTH_UINT32, 0},
      {"Min", BERTH_DOUBLE, INFINITY}, {"Min", BERTH_HALF, INFINITY},
      {"Min", BERTH_UINT8, UINT8_MAX}, {"Min", BERTH_INT32, INT32_MAX},
      {"Mean", BERTH_INT32, 0},        {"Mean", BERTH_UINT8, 0},
      {"All", BERTH_BOOL, 1},          {"Any", BERTH_BOOL, 0},
  };
  for (int i = 0; i < BERTH_COUNT_OF(cases); ++i) {
    berth_error_t err = BERTH_ERROR_INIT;
    driver_t driver = reduction_of(
        cases[i].op, made(cases[i].dtype, BERTH_SHAPE(0, 2), small_numbers),
        driver_ints(BERTH_SHAPE(1), 0), false);
    ASSERT_OK(driver_call(&driver, &err), &err);
    EXPECT_EQ(driver.outputs[0]->count, 2);
    EXPECT_TRUE(number_load(cases[i].dtype, driver_data(&driver, 0), 1) ==
                cases[i].value);
    driver_deinit(&driver);
  }
}

TEST(reduce, mean_of_nothing_is_nan) {
  berth_error_t err = BERTH_ERROR_INIT;
  driver_t driver =
      reduction_of("Mean", made(BERTH_HALF, BERTH_SHAPE(3, 0), small_numbers),
                   driver_ints(BERTH_SHAPE(1), 1), false);
  ASSERT_OK(driver_call(&driver, &err), &err);
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(isnan(number_load(BERTH_HALF, driver_data(&driver, 0), i)));
  }
  driver_deinit(&driver);
}

// NaN anywhere is the result, in lines and in rows.
TEST(reduce, nan_wins) {
  static const char *const ops[] = {"Sum", "Mean", "Prod", "Max", "Min"};
  for (int o = 0; o < BERTH_COUNT_OF(ops); ++o) {
    for (int place = 0; place < 200; place += 13) {
      for (int axis = 0; axis < 2; ++axis) {
        berth_error_t err = BERTH_ERROR_INIT;
        berth_tensor_t *input = made(
            BERTH_FLOAT, axis == 0 ? BERTH_SHAPE(200, 2) : BERTH_SHAPE(2, 200),
            ones_and_twos);
        ((float *)input->data)[axis == 0 ? 2 * place + 1 : 200 + place] = NAN;
        driver_t driver =
            reduction_of(ops[o], input, driver_ints(BERTH_SCALAR, axis), false);
        ASSERT_OK(driver_call(&driver, &err), &err);
        const float *out = driver_data(&driver, 0);
        EXPECT_FALSE(isnan(out[0]));
        EXPECT_TRUE(isnan(out[1]));
        driver_deinit(&driver);
      }
    }
  }
}

TEST(reduce, integers_wrap_but_not_in_a_mean) {
  static const struct {
    const char *op;
    int expected;
  } cases[] = {{"Sum", -1}, {"Prod", 1}, {"Mean", 85}};
  for (int i = 0; i < 3; ++i) {
    berth_error_t err = BERTH_ERROR_INIT;
    driver_t driver = reduction_of(cases[i].op,
                                   driver_tensor(BERTH_INT8, BERTH_SHAPE(3),
                                                 (const int8_t[]){127, 127, 1}),
                                   driver_ints(BERTH_SCALAR, 0), false);
    ASSERT_OK(driver_call(&driver, &err), &err);
    EXPECT_EQ(*(int8_t *)driver_data(&driver, 0), cases[i].expected);
    driver_deinit(&driver);
  }
}

TEST(reduce, mean_of_negative_integers_is_cut_off) {
  berth_error_t err = BERTH_ERROR_INIT;
  driver_t driver =
      reduction_of("Mean", driver_ints(BERTH_SHAPE(3), -1, -2, -2),
                   driver_ints(BERTH_SCALAR, 0), false);
  ASSERT_OK(driver_call(&driver, &err), &err);
  EXPECT_EQ(*(int32_t *)driver_data(&driver, 0), -1);
  driver_deinit(&driver);
}

TEST(reduce, complex_numbers) {
  static const struct {
    const char *op;
    float re, im;
  } cases[] = {{"Sum", 4, 1}, {"Mean", 2, 0.5f}, {"Prod", 5, 5}};
  static const float z[] = {1, 2, 3, -1};
  for (int i = 0; i < 3; ++i) {
    berth_error_t err = BERTH_ERROR_INIT;
    driver_t driver = reduction_of(
        cases[i].op, driver_tensor(BERTH_COMPLEX64, BERTH_SHAPE(2), z),
        driver_ints(BERTH_SCALAR, 0), false);
    ASSERT_OK(driver_call(&driver, &err), &err);
    const float *out = driver_data(&driver, 0);
    EXPECT_NEAR(out[0], cases[i].re, 0);
    EXPECT_NEAR(out[1], cases[i].im, 0);
    driver_deinit(&driver);
  }
}

// Complex sums over each dimension of [3, 4], part by part.
TEST(reduce, complex_rows_and_columns) {
  double z[24];
  for (int i = 0; i < 24; ++i) z[i] = i;
  for (int axis = 0; axis < 2; ++axis) {
    berth_error_t err = BERTH_ERROR_INIT;
    driver_t driver = reduction_of(
        "Sum", driver_tensor(BERTH_COMPLEX128, BERTH_SHAPE(3, 4), z),
        driver_ints(BERTH_SCALAR, axis), false);
    ASSERT_OK(driver_call(&driver, &err), &err);
    const double *out = driver_data(&driver, 0);
    EXPECT_EQ(driver.outputs[0]->count, axis == 0 ? 4 : 3);
    EXPECT_EQ(out[2], axis == 0 ? 2 + 10 + 18 : 8 + 10 + 12 + 14);
    EXPECT_EQ(out[3], axis == 0 ? 3 + 11 + 19 : 9 + 11 + 13 + 15);
    driver_deinit(&driver);
  }
}

static double tenths(int64_t i) { return 0.1 + 1e-7 * (double)(i % 3); }

// The error of a long sum stays that of a short one.
TEST(reduce, long_float_sums_are_exact) {
  for (int axis = 0; axis < 2; ++axis) {
    berth_error_t err = BERTH_ERROR_INIT;
    enum { N = 3 << 20 };
    berth_tensor_t *input = made(
        BERTH_FLOAT, axis == 0 ? BERTH_SHAPE(N, 2) : BERTH_SHAPE(2, N), tenths);
    const float *x = input->data;
    double sum = 0;
    for (int i = 0; i < N; ++i) sum += (double)x[axis == 0 ? 2 * i : i];
    driver_t driver =
        reduction_of("Sum", input, driver_ints(BERTH_SCALAR, axis), false);
    ASSERT_OK(driver_call(&driver, &err), &err);
    EXPECT_NEAR(*(float *)driver_data(&driver, 0), sum, sum * 5e-7);
    driver_deinit(&driver);
  }
}

static double waves(int64_t i) { return (double)sinf((float)i); }

TEST(reduce, gives_the_same_bits_on_any_number_of_threads) {
  berth_error_t err = BERTH_ERROR_INIT;
  driver_t driver =
      reduction_of("Sum", made(BERTH_FLOAT, BERTH_SHAPE(1 << 20), waves),
                   driver_ints(BERTH_SCALAR, 0), false);
  float first = 0;
  for (int threads = 1; threads <= 3; ++threads) {
    berth_parallel_scope_t scope = {.threads = threads};
    const berth_parallel_scope_t *before = berth_parallel_enter(&scope);
    ASSERT_OK(driver_call(&driver, &err), &err);
    berth_parallel_enter(before);
    float sum = *(float *)driver_data(&driver, 0);
    if (threads == 1) first = sum;
    EXPECT_EQ(memcmp(&first, &sum, sizeof(sum)), 0);
  }
  driver_deinit(&driver);
}
