// pad_test.c - Tests of Pad, PadV2 and MirrorPad on a GPU.
#include "harness.h"

#include "cuda/kernel_driver.h"

static driver_t pad_of(const char *op, berth_tensor_t *input, int32_t rank,
                       const int32_t *paddings) {
  driver_t driver = {.op = op};
  driver_type(&driver, "T", input->dtype);
  driver_type(&driver, "Tpaddings", BERTH_INT32);
  driver_input(&driver, input);
  driver_input(&driver,
               driver_tensor(BERTH_INT32, BERTH_SHAPE(rank, 2), paddings));
  driver_output(&driver, input->dtype);
  return driver;
}

static const berth_dtype_t types[] = {BERTH_BOOL, BERTH_HALF, BERTH_FLOAT,
                                      BERTH_DOUBLE, BERTH_COMPLEX128};
static const int32_t paddings[] = {1, 0, 2, 3, 0, 4};

TEST(pad, adds_what_the_cpu_adds) {
  for (int t = 0; t < BERTH_COUNT_OF(types); ++t) {
    berth_dims_t shape = BERTH_SHAPE(3, 5, 7);
    driver_t zeros =
        pad_of("Pad", driver_random(types[t], shape, -9, 9), 3, paddings);
    driver_check(&zeros, 0);
    driver_t values =
        pad_of("PadV2", driver_random(types[t], shape, -9, 9), 3, paddings);
    driver_input(&values, driver_random(types[t], BERTH_SCALAR, 1, 9));
    driver_check(&values, 0);
  }
}

TEST(pad, mirrors_as_the_cpu_does) {
  static const berth_dtype_t floating[] = {BERTH_HALF, BERTH_BFLOAT16,
                                           BERTH_FLOAT, BERTH_DOUBLE};
  static const char *const modes[] = {"REFLECT", "SYMMETRIC"};
  for (int t = 0; t < BERTH_COUNT_OF(floating); ++t) {
    for (int m = 0; m < 2; ++m) {
      driver_t driver = pad_of(
          "MirrorPad", driver_random(floating[t], BERTH_SHAPE(3, 5, 7), -9, 9),
          3, paddings);
      driver_text(&driver, "mode", modes[m]);
      driver_check(&driver, 0);
    }
  }
}

TEST(pad, fills_all_where_there_is_no_input) {
  driver_t driver =
      pad_of("PadV2", driver_random(BERTH_FLOAT, BERTH_SHAPE(0, 2, 2), 0, 1), 3,
             paddings);
  driver_input(&driver, driver_floats(BERTH_SCALAR, 2.5f));
  driver_check(&driver, 0);
}
