// bias_test.c - Tests of BiasAdd.
#include "cpu/kernel_driver.h"
#include "cpu/kernels.h"
#include "harness.h"
#include "kernel/number.h"

// A tensor of 0, 1, 2 and so on.
static berth_tensor_t *counted(berth_dtype_t dtype, berth_dims_t dims) {
  berth_tensor_t *tensor = NULL;
  if (berth_tensor_create(dtype, dims, &tensor, NULL) != BERTH_OK) return NULL;
  for (int64_t i = 0; i < tensor->count; ++i) {
    number_store(dtype, tensor->data, i, (double)(i % 100));
  }
  return tensor;
}

static driver_t bias_of(berth_dtype_t dtype, berth_dims_t value,
                        berth_dims_t bias, const char *format) {
  driver_t driver = {.op = "BiasAdd"};
  driver_type(&driver, "T", dtype);
  driver_text(&driver, "data_format", format);
  driver_input(&driver, counted(dtype, value));
  driver_input(&driver, counted(dtype, bias));
  driver_output(&driver, dtype);
  return driver;
}

static void expect_refused(berth_dims_t value, berth_dims_t bias,
                           const char *format, const char *message) {
  berth_error_t err = BERTH_ERROR_INIT;
  driver_t driver = bias_of(BERTH_FLOAT, value, bias, format);
  EXPECT_FAILS(driver_call(&driver, &err), BERTH_INVALID_ARGUMENT, &err,
               message);
  driver_deinit(&driver);
}

TEST(bias, refuses_what_does_not_fit) {
  expect_refused(BERTH_SHAPE(3), BERTH_SHAPE(3), "NHWC",
                 "Input tensor must be at least 2D: [3]");
  expect_refused(BERTH_SHAPE(2, 3), BERTH_SHAPE(3, 1), "NHWC",
                 "Biases must be 1D: [3,1]");
  expect_refused(BERTH_SHAPE(2, 4), BERTH_SHAPE(3), "NHWC",
                 "Must provide as many biases as the last dimension of the "
                 "input tensor: [3] vs. [2,4]");
  expect_refused(BERTH_SHAPE(1, 2, 2, 3), BERTH_SHAPE(3), "NCHW",
                 "Must provide as many biases as the last dimension of the "
                 "input tensor: [3] vs. [1,2,2,3]");
}

static const berth_dtype_t types[] = {
    BERTH_FLOAT, BERTH_DOUBLE, BERTH_HALF,   BERTH_BFLOAT16,
    BERTH_INT8,  BERTH_INT16,  BERTH_INT32,  BERTH_INT64,
    BERTH_UINT8, BERTH_UINT16, BERTH_UINT32, BERTH_UINT64};

// [4,5,2,3]: 5 channels in dimension 1, or 3 in the last.
TEST(bias, adds_to_channels_of_all_types) {
  for (int t = 0; t < BERTH_COUNT_OF(types); ++t) {
    for (int first = 0; first < 2; ++first) {
      berth_error_t err = BERTH_ERROR_INIT;
      int64_t channels = first ? 5 : 3, inner = first ? 6 : 1;
      driver_t driver = bias_of(types[t], BERTH_SHAPE(4, 5, 2, 3),
                                BERTH_SHAPE(channels), first ? "NCHW" : "NHWC");
      ASSERT_OK(driver_call(&driver, &err), &err);
      EXPECT_EQ(driver.outputs[0]->rank, 4);
      for (int64_t i = 0; i < 120; ++i) {
        double expected = (double)(i % 100 + i / inner % channels);
        EXPECT_NEAR(number_load(types[t], driver_data(&driver, 0), i), expected,
                    0);
      }
      driver_deinit(&driver);
    }
  }
}

TEST(bias, adds_when_large) {
  for (int first = 0; first < 2; ++first) {
    berth_error_t err = BERTH_ERROR_INIT;
    int64_t channels = first ? 37 : 65, inner = first ? 65 : 1;
    driver_t driver = bias_of(BERTH_FLOAT, BERTH_SHAPE(300, 37, 65),
                              BERTH_SHAPE(channels), first ? "NCHW" : "NHWC");
    ASSERT_OK(driver_call(&driver, &err), &err);
    const float *out = driver_data(&driver, 0);
    for (int64_t i = 0; i < 300 * 37 * 65; ++i) {
      ASSERT_TRUE(out[i] == (float)(i % 100 + i / inner % channels));
    }
    driver_deinit(&driver);
  }
}

TEST(bias, takes_empty_tensors) {
  berth_error_t err = BERTH_ERROR_INIT;
  driver_t driver =
      bias_of(BERTH_FLOAT, BERTH_SHAPE(2, 0), BERTH_SHAPE(0), "NHWC");
  ASSERT_OK(driver_call(&driver, &err), &err);
  EXPECT_EQ(driver.outputs[0]->rank, 2);
  EXPECT_EQ(driver.outputs[0]->dims[0], 2);
  EXPECT_EQ(driver.outputs[0]->dims[1], 0);
  driver_deinit(&driver);
}
