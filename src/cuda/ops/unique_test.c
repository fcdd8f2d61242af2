// unique_test.c - Tests of Unique and L2Loss on a GPU.
#include "harness.h"

#include "cuda/kernel_driver.h"

TEST(unique, finds_what_the_cpu_finds) {
  static const berth_dtype_t types[] = {BERTH_BOOL, BERTH_UINT8, BERTH_INT64,
                                        BERTH_FLOAT, BERTH_DOUBLE};
  for (int t = 0; t < BERTH_COUNT_OF(types); ++t) {
    driver_t driver = {.op = "Unique"};
    berth_tensor_t *input = driver_random(types[t], BERTH_SHAPE(500), 0, 9);
    for (int64_t i = 0; i < input->count; ++i) {
      driver_set(input, i, floor(driver_get(input, i, 0)));
    }
    driver_type(&driver, "T", types[t]);
    driver_type(&driver, "out_idx", BERTH_INT32);
    driver_input(&driver, input);
    driver_output(&driver, types[t]);
    driver_output(&driver, BERTH_INT32);
    driver_check(&driver, 0);
  }
}

static void check_longs(berth_dtype_t type, int64_t count, double low,
                        double high) {
  driver_t driver = {.op = "Unique"};
  driver_type(&driver, "T", type);
  driver_type(&driver, "out_idx", BERTH_INT64);
  driver_input(&driver, driver_random(type, BERTH_SHAPE(count), low, high));
  driver_output(&driver, type);
  driver_output(&driver, BERTH_INT64);
  driver_check(&driver, 0);
}

// Of both signs, of more than 32 bits, all the same, all different, none.
TEST(unique, whole_numbers) {
  const berth_dtype_t types[] = {BERTH_INT32, BERTH_INT64};
  for (int i = 0; i < 2; ++i) {
    check_longs(types[i], 20000, -300, 300);
    check_longs(types[i], 3000, -2e9, 2e9);
    check_longs(types[i], 3000, 5, 5.5);
    check_longs(types[i], 1, 0, 1);
    check_longs(types[i], 0, 0, 1);
  }
  check_longs(BERTH_INT64, 3000, -9e18, 9e18);
}

TEST(l2_loss, adds_squares_as_the_cpu_does) {
  static const berth_dtype_t types[] = {BERTH_HALF, BERTH_BFLOAT16, BERTH_FLOAT,
                                        BERTH_DOUBLE};
  static const int64_t sizes[] = {0, 1, 77, 40000};
  for (int t = 0; t < BERTH_COUNT_OF(types); ++t) {
    for (int s = 0; s < BERTH_COUNT_OF(sizes); ++s) {
      driver_t driver = {.op = "L2Loss"};
      driver_type(&driver, "T", types[t]);
      driver_input(&driver,
                   driver_random(types[t], BERTH_SHAPE(sizes[s]), -1, 1));
      driver_output(&driver, types[t]);
      driver_check(&driver, driver_tolerance(types[t]));
    }
  }
}
