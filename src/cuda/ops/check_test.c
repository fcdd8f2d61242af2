// check_test.c - Tests of CheckNumerics on a GPU.
#include "harness.h"

#include "cuda/kernel_driver.h"

static driver_t check_of(berth_tensor_t *input) {
  driver_t driver = {.op = "CheckNumerics"};
  driver_type(&driver, "T", input->dtype);
  driver_text(&driver, "message", "here");
  driver_input(&driver, input);
  driver_output(&driver, input->dtype);
  return driver;
}

static const berth_dtype_t types[] = {BERTH_HALF, BERTH_FLOAT, BERTH_DOUBLE};

TEST(check, hands_numbers_on) {
  for (int t = 0; t < BERTH_COUNT_OF(types); ++t) {
    berth_tensor_t *input = driver_random(types[t], BERTH_SHAPE(700), -9, 9);
    driver_set(input, 3, 65504);
    driver_t driver = check_of(input);
    driver_check(&driver, 0);
  }
}

TEST(check, finds_one_among_many) {
  static const struct {
    double first, second;
    const char *text;
  } cases[] = {{INFINITY, 1, "here : Tensor had Inf values"},
               {1, NAN, "here : Tensor had NaN values"},
               {NAN, -INFINITY, "here : Tensor had Inf and NaN values"}};
  for (int t = 0; t < BERTH_COUNT_OF(types); ++t) {
    for (int c = 0; c < BERTH_COUNT_OF(cases); ++c) {
      berth_error_t err = BERTH_ERROR_INIT;
      berth_tensor_t *input = driver_random(types[t], BERTH_SHAPE(700), -9, 9);
      driver_set(input, 17, cases[c].first);
      driver_set(input, 699, cases[c].second);
      driver_t driver = check_of(input);
      EXPECT_FAILS(driver_call(&driver, &err), BERTH_INVALID_ARGUMENT, &err,
                   cases[c].text);
      driver_deinit(&driver);
    }
  }
}

TEST(check, finds_nothing_in_nothing) {
  berth_error_t err = BERTH_ERROR_INIT;
  driver_t driver =
      check_of(driver_random(BERTH_FLOAT, BERTH_SHAPE(0, 2), 0, 1));
  ASSERT_OK(driver_call(&driver, &err), &err);
  EXPECT_STR(driver_show(&driver, 0), "[0,2]");
  driver_deinit(&driver);
}
