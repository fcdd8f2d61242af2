// arg_test.c - Tests of ArgMax and ArgMin.
#include "cpu/kernel_driver.h"
#include "cpu/kernels.h"
#include "harness.h"
#include "kernel/number.h"

static driver_t arg_of(const char *op, berth_tensor_t *input,
                       berth_tensor_t *dimension, berth_dtype_t output) {
  driver_t driver = {.op = op};
  driver_type(&driver, "T", input->dtype);
  driver_type(&driver, "Tidx", dimension->dtype);
  driver_type(&driver, "output_type", output);
  driver_input(&driver, input);
  driver_input(&driver, dimension);
  driver_output(&driver, output);
  return driver;
}

static berth_tensor_t *made(berth_dtype_t dtype, berth_dims_t dims) {
  berth_tensor_t *tensor = NULL;
  if (berth_tensor_create(dtype, dims, &tensor, NULL) != BERTH_OK) return NULL;
  for (int64_t i = 0; i < tensor->count; ++i) {
    number_store(dtype, tensor->data, i, (double)(i * 7919 % 101));
  }
  return tensor;
}

static void expect_refused(berth_dims_t dims, berth_tensor_t *dimension,
                           const char *message) {
  berth_error_t err = BERTH_ERROR_INIT;
  driver_t driver =
      arg_of("ArgMax", made(BERTH_FLOAT, dims), dimension, BERTH_INT64);
  EXPECT_FAILS(driver_call(&driver, &err), BERTH_INVALID_ARGUMENT, &err,
               message);
  driver_deinit(&driver);
}

TEST(arg, refuses_bad_dimensions) {
  expect_refused(BERTH_SHAPE(2, 3), driver_ints(BERTH_SCALAR, 2),
                 "Expected dimension in the range [-2, 2), but got 2");
  expect_refused(BERTH_SHAPE(2, 3), driver_longs(BERTH_SCALAR, -3),
                 "Expected dimension in the range [-2, 2), but got -3");
  expect_refused(BERTH_SCALAR, driver_ints(BERTH_SCALAR, 0),
                 "Expected dimension in the range [0, 0), but got 0");
  expect_refused(BERTH_SHAPE(2, 3), driver_ints(BERTH_SHAPE(1), 0),
                 "dim must be a scalar, but received tensor of shape: [1]");
  expect_refused(BERTH_SHAPE(0, 3), driver_ints(BERTH_SCALAR, 0),
                 "Reduction axis 0 is empty in shape [0,3]");
  expect_refused(BERTH_SHAPE(1, 1, 1, 1, 1, 1, 1, 2),
                 driver_ints(BERTH_SCALAR, 0),
                 "Argmax and Argmin only support up to 7 input dimensions, but "
                 "got 8. Inputs shape: [1,1,1,1,1,1,1,2]");
}

TEST(arg, takes_empty_tensors) {
  berth_error_t err = BERTH_ERROR_INIT;
  driver_t driver = arg_of("ArgMin", made(BERTH_FLOAT, BERTH_SHAPE(0, 3)),
                           driver_ints(BERTH_SCALAR, 1), BERTH_INT64);
  ASSERT_OK(driver_call(&driver, &err), &err);
  EXPECT_EQ(driver.outputs[0]->rank, 1);
  EXPECT_EQ(driver.outputs[0]->dims[0], 0);
  driver_deinit(&driver);
}

static void expect_arg(const char *op, berth_dtype_t dtype, int64_t outer,
                       int64_t n, int64_t inner) {
  berth_error_t err = BERTH_ERROR_INIT;
  driver_t driver = arg_of(op, made(dtype, BERTH_SHAPE(outer, n, inner)),
                           driver_ints(BERTH_SCALAR, -2), BERTH_INT64);
  ASSERT_OK(driver_call(&driver, &err), &err);
  const int64_t *out = driver_data(&driver, 0);
  bool is_min = strcmp(op, "ArgMin") == 0;
  for (int64_t i = 0; i < outer * inner; ++i) {
    int64_t base = i / inner * n * inner + i % inner, best = 0;
    for (int64_t p = 1; p < n; ++p) {
      double x = number_load(dtype, driver.inputs[0]->data, base + p * inner);
      double y =
          number_load(dtype, driver.inputs[0]->data, base + best * inner);
      if (is_min ? x < y : x > y) best = p;
    }
    if (out[i] != best) {
      HARNESS_FAIL("%s of type %d, %d x %d x %d: %d, not %d", op, dtype,
                   (int)outer, (int)n, (int)inner, (int)out[i], (int)best);
      break;
    }
  }
  driver_deinit(&driver);
}

static const berth_dtype_t types[] = {
    BERTH_FLOAT,  BERTH_DOUBLE, BERTH_HALF,  BERTH_BFLOAT16, BERTH_INT8,
    BERTH_INT16,  BERTH_INT32,  BERTH_INT64, BERTH_UINT8,    BERTH_UINT16,
    BERTH_UINT32, BERTH_UINT64, BERTH_BOOL};

TEST(arg, agrees_with_the_definition) {
  for (int t = 0; t < BERTH_COUNT_OF(types); ++t) {
    for (int min = 0; min < 2; ++min) {
      const char *op = min ? "ArgMin" : "ArgMax";
      expect_arg(op, types[t], 5, 3, 1);
      expect_arg(op, types[t], 5, 100, 1);
      expect_arg(op, types[t], 2, 5000, 1);
      expect_arg(op, types[t], 3, 20, 7);
      expect_arg(op, types[t], 1, 40, 1100);
    }
  }
  expect_arg("ArgMax", BERTH_FLOAT, 700, 300, 1);
}

// NaN is never found, and infinities of the wrong sign are not either; values
// of TensorFlow.
TEST(arg, of_nan_and_infinities) {
  static const struct {
    float x[3];
    int64_t max, min;
  } cases[] = {
      {{NAN, 1, 2}, 2, 1},
      {{1, NAN, 2}, 2, 0},
      {{2, 1, NAN}, 0, 1},
      {{NAN, NAN, NAN}, 0, 0},
      {{NAN, -INFINITY, INFINITY}, 2, 1},
      {{-INFINITY, NAN, NAN}, 0, 0},
      {{1, 3, 3}, 1, 0},
      {{-0.0f, 0.0f, 0.0f}, 0, 0},
  };
  for (int i = 0; i < BERTH_COUNT_OF(cases); ++i) {
    for (int min = 0; min < 2; ++min) {
      berth_error_t err = BERTH_ERROR_INIT;
      driver_t driver =
          arg_of(min ? "ArgMin" : "ArgMax",
                 driver_tensor(BERTH_FLOAT, BERTH_SHAPE(3), cases[i].x),
                 driver_ints(BERTH_SCALAR, 0), BERTH_INT64);
      ASSERT_OK(driver_call(&driver, &err), &err);
      EXPECT_EQ(*(int64_t *)driver_data(&driver, 0),
                min ? cases[i].min : cases[i].max);
      driver_deinit(&driver);
    }
  }
}

// Short output types keep the low bits.
TEST(arg, output_types) {
  static const struct {
    berth_dtype_t dtype;
    double expected;
  } cases[] = {{BERTH_INT16, 4463},
               {BERTH_UINT16, 4463},
               {BERTH_INT32, 69999},
               {BERTH_INT64, 69999}};
  for (int i = 0; i < BERTH_COUNT_OF(cases); ++i) {
    berth_error_t err = BERTH_ERROR_INIT;
    berth_tensor_t *input = made(BERTH_FLOAT, BERTH_SHAPE(70000));
    ((float *)input->data)[69999] = 1000;
    driver_t driver =
        arg_of("ArgMax", input, driver_ints(BERTH_SCALAR, 0), cases[i].dtype);
    ASSERT_OK(driver_call(&driver, &err), &err);
    EXPECT_NEAR(number_load(cases[i].dtype, driver_data(&driver, 0), 0),
                cases[i].expected, 0);
    driver_deinit(&driver);
  }
}
