// bucketize_test.c - Tests of Bucketize on a GPU.
#include "harness.h"

#include "cuda/kernel_driver.h"

enum { MOST = 1000 };

// Limits of which some are equal, and numbers that meet them.
static void check(berth_dtype_t type, int count) {
  static float limits[MOST];
  driver_t driver = {.op = "Bucketize"};
  berth_tensor_t *input = driver_random(type, BERTH_SHAPE(700), -600, 600);
  for (int i = 0; i < count; ++i) limits[i] = floorf((float)(i - count / 2));
  for (int i = 1; i < count; i += 7) limits[i] = limits[i - 1];
  for (int64_t i = 0; i < 300; ++i) {
    driver_set(input, i, floor(driver_get(input, i, 0)));
  }
  if (type == BERTH_FLOAT) ((float *)input->data)[0] = NAN;
  if (type == BERTH_DOUBLE) ((double *)input->data)[1] = -INFINITY;
  driver_type(&driver, "T", type);
  berth_attr_value_t *list =
      driver_attr(&driver, "boundaries", BERTH_ATTR_LIST + BERTH_ATTR_FLOAT);
  list->f_list = limits;
  list->count = count;
  driver_input(&driver, input);
  driver_output(&driver, BERTH_INT32);
  driver_check(&driver, 0);
}

// None, few, as many as a launch takes along, and more.
TEST(bucketize, finds_what_the_cpu_finds) {
  const berth_dtype_t types[] = {BERTH_FLOAT, BERTH_DOUBLE, BERTH_INT32,
                                 BERTH_INT64};
  for (int i = 0; i < 4; ++i) {
    check(types[i], 0);
    check(types[i], 5);
    check(types[i], 256);
    check(types[i], 257);
    check(types[i], MOST);
  }
}
