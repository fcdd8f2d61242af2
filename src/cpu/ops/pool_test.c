// pool_test.c - Tests of pooling: what TensorFlow's recordings cannot hold.
#include "cpu/kernel_driver.h"
#include "cpu/kernels.h"
#include "harness.h"

static const int64_t two[] = {1, 2, 2, 1};

static void give_list(driver_t *driver, const char *name) {
  berth_attr_value_t *value = driver_attr(
      driver, name, (berth_attr_kind_t)(BERTH_ATTR_INT + BERTH_ATTR_LIST));
  value->i_list = two;
  value->count = 4;
}

static berth_tensor_t *zeros(berth_dtype_t dtype, berth_dims_t shape) {
  berth_tensor_t *tensor = NULL;
  if (berth_tensor_create(dtype, shape, &tensor, NULL) != BERTH_OK) return NULL;
  memset(tensor->data, 0, tensor->size);
  return tensor;
}

// Two images of four pixels, a gradient for each; |places| say where they go.
static driver_t grad_of(int64_t first, int64_t second, bool counts_batch) {
  driver_t driver = {.op = "MaxPoolGradWithArgmax"};
  driver_type(&driver, "T", BERTH_FLOAT);
  driver_type(&driver, "Targmax", BERTH_INT64);
  give_list(&driver, "ksize");
  give_list(&driver, "strides");
  driver_text(&driver, "padding", "VALID");
  driver_bool(&driver, "include_batch_in_index", counts_batch);
  driver_input(&driver, zeros(BERTH_FLOAT, BERTH_SHAPE(2, 2, 2, 1)));
  driver_input(&driver, zeros(BERTH_FLOAT, BERTH_SHAPE(2, 1, 1, 1)));
  driver_input(&driver, driver_longs(BERTH_SHAPE(2, 1, 1, 1), first, second));
  driver_output(&driver, BERTH_FLOAT);
  return driver;
}

static void expect_refused(int64_t first, int64_t second, bool counts_batch,
                           const char *message) {
  berth_error_t err = BERTH_ERROR_INIT;
  driver_t driver = grad_of(first, second, counts_batch);
  EXPECT_FAILS(driver_call(&driver, &err), BERTH_INVALID_ARGUMENT, &err,
               message);
  driver_deinit(&driver);
}

// TensorFlow ends the process for these.
TEST(pool, refuses_gradients_to_places_outside) {
  expect_refused(-1, 0, false, "Invalid output gradient index: -1, 0, 4");
  expect_refused(0, 4, false, "Invalid output gradient index: 8, 4, 8");
  expect_refused(0, 8, true, "Invalid output gradient index: 8, 0, 8");
}

TEST(pool, takes_places_of_the_whole_batch) {
  berth_error_t err = BERTH_ERROR_INIT;
  driver_t driver = grad_of(3, 7, true);
  ASSERT_OK(driver_call(&driver, &err), &err);
  driver_deinit(&driver);
}
