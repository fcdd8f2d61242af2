// draw_test.c - Tests of Multinomial on a GPU.
#include "harness.h"

#include "cuda/kernel_driver.h"

static driver_t make(berth_tensor_t *logits, int64_t samples,
                     berth_dtype_t seed_type, berth_dtype_t out) {
  driver_t driver = {.op = "StatelessMultinomial"};
  berth_tensor_t *count = driver_random(BERTH_INT32, BERTH_SCALAR, 0, 0);
  berth_tensor_t *seed = driver_random(seed_type, BERTH_SHAPE(2), 1, 1000);
  driver_set(count, 0, (double)samples);
  driver_type(&driver, "T", logits->dtype);
  driver_type(&driver, "Tseed", seed_type);
  driver_type(&driver, "output_dtype", out);
  driver_input(&driver, logits);
  driver_input(&driver, count);
  driver_input(&driver, seed);
  driver_output(&driver, out);
  return driver;
}

static void check(berth_dtype_t type, int64_t rows, int64_t classes,
                  int64_t samples, bool is_wide) {
  driver_t driver = make(driver_random(type, BERTH_SHAPE(rows, classes), -6, 3),
                         samples, is_wide ? BERTH_INT32 : BERTH_INT64,
                         is_wide ? BERTH_INT64 : BERTH_INT32);
  driver_check(&driver, 0);
}

TEST(draw, gives_the_numbers_of_the_cpu) {
  const berth_dtype_t types[] = {BERTH_HALF, BERTH_FLOAT, BERTH_DOUBLE};
  for (int i = 0; i < 3; ++i) {
    check(types[i], 1, 1, 3, true);
    check(types[i], 3, 7, 501, false);
    check(types[i], 40, 300, 1, true);
    check(types[i], 2, 5000, 2000, false);
    check(types[i], 0, 5, 3, true);
    check(types[i], 5, 4, 0, true);
  }
}

// What is not finite is never drawn, and nothing is where all are.
TEST(draw, of_classes_that_are_not_finite) {
  berth_tensor_t *logits = driver_random(BERTH_FLOAT, BERTH_SHAPE(2, 9), -1, 1);
  float *at = logits->data;
  at[0] = at[4] = -INFINITY;
  at[5] = INFINITY;
  at[8] = NAN;
  for (int i = 9; i < 18; ++i) at[i] = -INFINITY;
  driver_t driver = make(logits, 200, BERTH_INT64, BERTH_INT64);
  driver_check(&driver, 0);
}
