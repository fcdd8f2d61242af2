// pool_test.c - Tests of pooling on a GPU.
//
// Images whose channels come first are images of one channel, and as many
// more: [n, c, h, w] and [n c, h, w, 1] are the same numbers, and the CPU does
// the latter.
#include "harness.h"

#include "cuda/kernel_driver.h"

static const berth_dtype_t types[] = {BERTH_FLOAT, BERTH_DOUBLE, BERTH_HALF,
                                      BERTH_BFLOAT16};
static const int64_t last_sizes[] = {1, 3, 2, 1}, last_steps[] = {1, 2, 1, 1};
static const int64_t first_sizes[] = {1, 1, 3, 2}, first_steps[] = {1, 1, 2, 1};

static void give_list(driver_t *driver, const char *name,
                      const int64_t *values) {
  berth_attr_value_t *value = driver_attr(
      driver, name, (berth_attr_kind_t)(BERTH_ATTR_INT + BERTH_ATTR_LIST));
  value->i_list = values;
  value->count = 4;
}

static driver_t pool_of(const char *op, berth_dtype_t type, bool is_first) {
  driver_t driver = {.op = op};
  driver_type(&driver, "T", type);
  give_list(&driver, "ksize", is_first ? first_sizes : last_sizes);
  give_list(&driver, "strides", is_first ? first_steps : last_steps);
  driver_text(&driver, "padding", "SAME");
  driver_text(&driver, "data_format", is_first ? "NCHW" : "NHWC");
  driver_output(&driver, type);
  return driver;
}

// [2, 3, 5, 4] where |is_first|, else [6, 5, 4, 1]; the outputs of windows are
// 3 by 4.
static berth_tensor_t *image_of(berth_dtype_t type, bool is_first, bool is_in) {
  int64_t height = is_in ? 5 : 3;
  berth_dims_t shape =
      is_first ? BERTH_SHAPE(2, 3, height, 4) : BERTH_SHAPE(6, height, 4, 1);
  berth_tensor_t *tensor = NULL;
  if (berth_tensor_create(type, shape, &tensor, NULL) != BERTH_OK) return NULL;
  for (int64_t i = 0; i < tensor->count; ++i) {
    driver_set(tensor, i, (double)(i * 37 % 23 - 11) / 4);
  }
  return tensor;
}

static void give_inputs(driver_t *driver, berth_dtype_t type, bool is_first) {
  if (strcmp(driver->op, "AvgPoolGrad") == 0) {
    driver_input(driver, is_first ? driver_ints(BERTH_SHAPE(4), 2, 3, 5, 4)
                                  : driver_ints(BERTH_SHAPE(4), 6, 5, 4, 1));
    driver_input(driver, image_of(type, is_first, false));
    return;
  }
  driver_input(driver, image_of(type, is_first, true));
  if (strstr(driver->op, "Grad") == NULL) return;
  driver_input(driver, image_of(type, is_first, false));
  bool is_second = strstr(driver->op, "GradGrad") != NULL;
  driver_input(driver, image_of(type, is_first, is_second));
}

TEST(pool, does_the_same_where_channels_come_first) {
  static const char *const ops[] = {"MaxPool", "AvgPool", "MaxPoolGrad",
                                    "AvgPoolGrad", "MaxPoolGradGrad"};
  for (int i = 0; i < BERTH_COUNT_OF(ops) * BERTH_COUNT_OF(types); ++i) {
    berth_dtype_t type = types[i % BERTH_COUNT_OF(types)];
    berth_error_t err = BERTH_ERROR_INIT;
    driver_t first = pool_of(ops[i / BERTH_COUNT_OF(types)], type, true);
    driver_t last = pool_of(first.op, type, false);
    give_inputs(&first, type, true);
    give_inputs(&last, type, false);
    ASSERT_OK(driver_call(&first, &err), &err);
    ASSERT_OK(driver_call(&last, &err), &err);
    const char *shown = strchr(driver_show(&first, 0), ' ');
    char kept[4096];
    snprintf(kept, sizeof(kept), "%s", shown);
    EXPECT_STR(kept, strchr(driver_show(&last, 0), ' '));
    driver_expect_cpu(&last, 0);
    driver_deinit(&first);
    driver_deinit(&last);
  }
}

TEST(pool, refuses_bytes_in_vectors_of_channels) {
  berth_error_t err = BERTH_ERROR_INIT;
  driver_t driver = pool_of("MaxPool", BERTH_FLOAT, true);
  driver.attr_count -= 1;
  driver_text(&driver, "data_format", "NCHW_VECT_C");
  driver_input(&driver, image_of(BERTH_FLOAT, true, true));
  EXPECT_FAILS(driver_call(&driver, &err), BERTH_UNIMPLEMENTED, &err,
               "MaxPool: the data format NCHW_VECT_C is not supported; use "
               "NHWC or NCHW");
  driver_deinit(&driver);
}

// Channels that are taken several at a time, and just too many for it.
TEST(pool, takes_several_channels_at_a_time) {
  for (int t = 0; t < BERTH_COUNT_OF(types); ++t) {
    for (int64_t channels = 15; channels <= 24; ++channels) {
      driver_t driver = pool_of("MaxPool", types[t], false);
      driver_input(
          &driver,
          driver_random(types[t], BERTH_SHAPE(2, 7, 5, channels), -9, 9));
      driver_check(&driver, 0);
    }
  }
}

TEST(pool, sends_several_channels_back_at_a_time) {
  for (int t = 0; t < BERTH_COUNT_OF(types); ++t) {
    for (int64_t channels = 15; channels <= 24; ++channels) {
      berth_dims_t in = BERTH_SHAPE(2, 7, 5, channels);
      berth_dims_t out = BERTH_SHAPE(2, 4, 5, channels);
      driver_t driver = pool_of("MaxPoolGrad", types[t], false);
      driver_input(&driver, driver_random(types[t], in, -9, 9));
      driver_input(&driver, driver_random(types[t], out, -9, 9));
      driver_input(&driver, driver_random(types[t], out, -9, 9));
      driver_check(&driver, 0);
    }
  }
}
