// top_k_test.c - Tests of TopKV2 on a GPU.
#include "harness.h"

#include "cuda/kernel_driver.h"

static driver_t top_of(berth_tensor_t *input, int32_t k) {
  driver_t driver = {.op = "TopKV2"};
  driver_type(&driver, "T", input->dtype);
  driver_type(&driver, "Tk", BERTH_INT32);
  driver_type(&driver, "index_type", BERTH_INT32);
  driver_input(&driver, input);
  driver_input(&driver, driver_ints(BERTH_SCALAR, k));
  driver_output(&driver, input->dtype);
  driver_output(&driver, BERTH_INT32);
  return driver;
}

TEST(top_k, finds_what_the_cpu_finds) {
  static const berth_dtype_t types[] = {
      BERTH_HALF,  BERTH_BFLOAT16, BERTH_FLOAT,  BERTH_DOUBLE,
      BERTH_INT8,  BERTH_INT16,    BERTH_INT32,  BERTH_INT64,
      BERTH_UINT8, BERTH_UINT16,   BERTH_UINT32, BERTH_UINT64};
  for (int t = 0; t < BERTH_COUNT_OF(types); ++t) {
    // Few values, so that many are equal; no power of two.
    bool has_sign =
        !berth_type_in(types[t], BERTH_TYPE(UINT8) | BERTH_TYPE(UINT16) |
                                     BERTH_TYPE(UINT32) | BERTH_TYPE(UINT64));
    double low = has_sign ? -20 : 0;
    driver_t some =
        top_of(driver_random(types[t], BERTH_SHAPE(3, 2, 77), low, 20), 5);
    driver_check(&some, 0);
    driver_t all =
        top_of(driver_random(types[t], BERTH_SHAPE(2, 33), low, 20), 33);
    driver_check(&all, 0);
    // More than are picked one by one.
    driver_t many =
        top_of(driver_random(types[t], BERTH_SHAPE(3, 77), low, 20), 70);
    driver_check(&many, 0);
  }
}

// Rows for a warp and for a block, rows that shared memory holds, just, and longer
// ones.
TEST(top_k, takes_long_rows) {
  static const int64_t lengths[] = {1000, 2048, 2049, 5000};
  for (int i = 0; i < BERTH_COUNT_OF(lengths); ++i) {
    for (int32_t k = 9; k < 100; k += 80) {
      berth_tensor_t *rows =
          driver_random(BERTH_INT32, BERTH_SHAPE(70, lengths[i]), -300, 300);
      driver_t driver = top_of(rows, k);
      driver_check(&driver, 0);
    }
  }
}

TEST(top_k, takes_rows_of_one) {
  driver_t driver =
      top_of(driver_random(BERTH_FLOAT, BERTH_SHAPE(5, 1), -1, 1), 1);
  driver_check(&driver, 0);
}

TEST(top_k, may_find_nothing) {
  berth_error_t err = BERTH_ERROR_INIT;
  driver_t driver =
      top_of(driver_random(BERTH_FLOAT, BERTH_SHAPE(2, 3), -1, 1), 0);
  ASSERT_OK(driver_call(&driver, &err), &err);
  EXPECT_STR(driver_show(&driver, 0), "[2,0]");
  driver_deinit(&driver);
}
