// fourier_test.c - Tests of Fourier transforms on a GPU.
#include "harness.h"

#include "base/fault.h"
#include "cuda/api/cufft.h"
#include "cuda/kernel_driver.h"

static berth_dtype_t complex_of(bool is_wide) {
  return is_wide ? BERTH_COMPLEX128 : BERTH_COMPLEX64;
}
static berth_dtype_t real_of(bool is_wide) {
  return is_wide ? BERTH_DOUBLE : BERTH_FLOAT;
}

static int rank_of(const char *op) {
  return strstr(op, "3D") != NULL ? 3 : strstr(op, "2D") != NULL ? 2 : 1;
}

// Describes |op| of numbers that look random, of |dims|; of real numbers
// |lengths| are transformed.
static driver_t make(const char *op, bool is_wide, berth_dims_t dims,
                     const int64_t *lengths) {
  driver_t driver = {.op = op};
  berth_dtype_t number = complex_of(is_wide), real = real_of(is_wide);
  bool is_inverse = op[0] == 'I';
  if (lengths == NULL) {
    driver_type(&driver, "Tcomplex", number);
    driver_input(&driver, driver_random(number, dims, -1, 1));
    driver_output(&driver, number);
    return driver;
  }
  berth_tensor_t *sizes =
      driver_random(BERTH_INT32, BERTH_SHAPE(rank_of(op)), 0, 1);
  for (int i = 0; i < rank_of(op); ++i) {
    ((int32_t *)sizes->data)[i] = (int32_t)lengths[i];
  }
  driver_type(&driver, "Tcomplex", number);
  driver_type(&driver, "Treal", real);
  driver_input(&driver, driver_random(is_inverse ? number : real, dims, -1, 1));
  driver_input(&driver, sizes);
  driver_output(&driver, is_inverse ? real : number);
  return driver;
}

// Sums are compared with the largest of them.
static void check(const char *op, bool is_wide, berth_dims_t dims,
                  const int64_t *lengths) {
  driver_t driver = make(op, is_wide, dims, lengths);
  berth_error_t err = BERTH_ERROR_INIT;
  berth_tensor_t *expected[DRIVER_MAX] = {NULL};
  ASSERT_OK(driver_call(&driver, &err), &err);
  ASSERT_OK(driver_call_cpu(&driver, expected, &err), &err);
  const berth_tensor_t *a = driver.outputs[0], *b = expected[0];
  ASSERT_TRUE(berth_dims_equal(berth_tensor_dims(a), berth_tensor_dims(b)));
  double most = 0, worst = 0;
  int parts = driver_is_complex(a) ? 2 : 1;
  for (int64_t i = 0; i < a->count * parts; ++i) {
    double x = driver_get(a, i / parts, (int)(i % parts));
    double y = driver_get(b, i / parts, (int)(i % parts));
    most = fmax(most, fabs(y));
    if (!(fabs(x - y) <= worst)) worst = fabs(x - y);
  }
  EXPECT_TRUE(worst <= (is_wide ? 1e-14 : 2e-6) * most);
  berth_tensor_release(expected[0]);
  driver_deinit(&driver);
}

TEST(fourier, of_complex_numbers) {
  for (int is_wide = 0; is_wide < 2; ++is_wide) {
    check("FFT", is_wide, BERTH_SHAPE(1), NULL);
    check("FFT", is_wide, BERTH_SHAPE(3, 12), NULL);
    check("IFFT", is_wide, BERTH_SHAPE(2, 2, 7), NULL);
    check("FFT", is_wide, BERTH_SHAPE(4, 1024), NULL);
    check("FFT2D", is_wide, BERTH_SHAPE(3, 4, 6), NULL);
    check("IFFT2D", is_wide, BERTH_SHAPE(1, 9), NULL);
    check("FFT3D", is_wide, BERTH_SHAPE(2, 3, 4, 5), NULL);
    check("IFFT3D", is_wide, BERTH_SHAPE(1, 1, 8), NULL);
  }
}

// Odd and even lengths, and less than there is.
TEST(fourier, of_real_numbers) {
  for (int is_wide = 0; is_wide < 2; ++is_wide) {
    check("RFFT", is_wide, BERTH_SHAPE(3, 8), (int64_t[]){8});
    check("RFFT", is_wide, BERTH_SHAPE(3, 9), (int64_t[]){9});
    check("RFFT", is_wide, BERTH_SHAPE(5, 11), (int64_t[]){6});
    check("RFFT", is_wide, BERTH_SHAPE(5, 3), (int64_t[]){1});
    check("IRFFT", is_wide, BERTH_SHAPE(3, 5), (int64_t[]){8});
    check("IRFFT", is_wide, BERTH_SHAPE(3, 5), (int64_t[]){9});
    check("IRFFT", is_wide, BERTH_SHAPE(2, 7), (int64_t[]){4});
    check("RFFT2D", is_wide, BERTH_SHAPE(2, 6, 7), (int64_t[]){6, 7});
    check("RFFT2D", is_wide, BERTH_SHAPE(2, 6, 7), (int64_t[]){5, 4});
    check("IRFFT2D", is_wide, BERTH_SHAPE(2, 4, 3), (int64_t[]){4, 4});
    check("IRFFT2D", is_wide, BERTH_SHAPE(2, 4, 6), (int64_t[]){3, 5});
    check("RFFT3D", is_wide, BERTH_SHAPE(2, 3, 4, 6), (int64_t[]){3, 4, 6});
    check("IRFFT3D", is_wide, BERTH_SHAPE(2, 3, 4, 4), (int64_t[]){3, 2, 6});
  }
}

// Nothing of the input changes, which the library would overwrite.
TEST(fourier, leaves_its_input_alone) {
  driver_t driver =
      make("IRFFT2D", false, BERTH_SHAPE(4, 5), (int64_t[]){4, 8});
  berth_error_t err = BERTH_ERROR_INIT;
  ASSERT_OK(driver_call(&driver, &err), &err);
  double first = driver_get(driver.outputs[0], 0, 0);
  EXPECT_TRUE(first == first);
  ASSERT_OK(driver_call_times(&driver, 2, &err), &err);
  EXPECT_TRUE(driver_get(driver.outputs[0], 0, 0) == first);
  driver_deinit(&driver);
}

// The library's plan went with the context, and is made anew.
TEST(fourier, outlives_a_reset_of_the_card) {
  driver_t driver = make("FFT", true, BERTH_SHAPE(3, 10), NULL);
  berth_error_t err = BERTH_ERROR_INIT;
  if (getenv("BERTH_TEST_GPU") != NULL) SKIP("others may use the card");
  ASSERT_OK(driver_call(&driver, &err), &err);
  ASSERT_OK(driver_call_after_reset(&driver, &err), &err);
  driver_expect_cpu(&driver, 1e-12);
  driver_deinit(&driver);
}

TEST(fourier, of_nothing) {
  check("FFT", false, BERTH_SHAPE(0, 4), NULL);
  check("RFFT", false, BERTH_SHAPE(2, 4), (int64_t[]){0});
}

TEST(fourier, goes_to_the_host_without_a_library) {
  setenv("BERTH_GPU_LIBRARIES", "none", 1);
  check("FFT2D", true, BERTH_SHAPE(3, 5, 6), NULL);
  check("IRFFT", false, BERTH_SHAPE(3, 5), (int64_t[]){8});
  unsetenv("BERTH_GPU_LIBRARIES");
}

static const char *const symbols[] = {
#define X(name, result, arguments) #name,
#include "cuda/api/cufft_symbols.inc"
};

TEST(fourier, a_failure_of_the_library_is_told) {
  berth_error_t err = BERTH_ERROR_INIT;
  if (getenv("BERTH_TEST_GPU") != NULL) SKIP("faults are for simulated cards");
  check("IFFT", false, BERTH_SHAPE(3, 5), NULL);
  for (int i = 0; i < BERTH_COUNT_OF(symbols); ++i) {
    // What is not destroyed is not given back.
    if (strcmp(symbols[i], "cufftDestroy") == 0) continue;
    driver_t driver = make("IFFT", false, BERTH_SHAPE(3, 5), NULL);
    berth_fault_arm(symbols[i], 1);
    EXPECT_EQ(driver_call(&driver, &err), BERTH_INTERNAL);
    berth_fault_disarm();
    EXPECT_TRUE(strstr(berth_error_message(&err), symbols[i]) != NULL);
    berth_error_clear(&err);
    driver_deinit(&driver);
    check("IFFT", false, BERTH_SHAPE(3, 5), NULL);
  }
}
