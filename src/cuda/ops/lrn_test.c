// lrn_test.c - Tests of LRN and its gradient on a GPU.
#include "harness.h"

#include "cuda/kernel_driver.h"

static driver_t lrn_of(const char *op, int64_t radius, float beta) {
  driver_t driver = {.op = op};
  driver_type(&driver, "T", BERTH_FLOAT);
  driver_int(&driver, "depth_radius", radius);
  driver_float(&driver, "bias", 1.5f);
  driver_float(&driver, "alpha", 0.25f);
  driver_float(&driver, "beta", beta);
  driver_output(&driver, BERTH_FLOAT);
  return driver;
}

static void check(int64_t radius, float beta, berth_dims_t dims) {
  driver_t forward = lrn_of("LRN", radius, beta);
  driver_input(&forward, driver_random(BERTH_FLOAT, dims, -3, 3));
  driver_check(&forward, 4e-6);
  // All of one sign: what is left of a difference has few bits.
  driver_t back = lrn_of("LRNGrad", radius, beta);
  driver_input(&back, driver_random(BERTH_FLOAT, dims, 1, 2));
  driver_input(&back, driver_random(BERTH_FLOAT, dims, -3, -1));
  driver_input(&back, driver_random(BERTH_FLOAT, dims, 1, 2));
  driver_check(&back, 4e-6);
}

TEST(lrn, agrees_with_the_cpu) {
  static const float betas[] = {0.75f, 0.5f, 1, 0.3f};
  // Windows of usual sizes and others, wider than rows, and than tiles allow.
  static const int64_t radii[] = {0, 1, 2, 4, 5, 7, 32, 800};
  for (int i = 0; i < BERTH_COUNT_OF(radii); ++i) {
    check(radii[i], betas[i % BERTH_COUNT_OF(betas)], BERTH_SHAPE(2, 9, 3, 64));
    check(radii[i], betas[(i + 1) % BERTH_COUNT_OF(betas)],
          BERTH_SHAPE(1, 5, 3, 7));
  }
  check(4, 0.75f, BERTH_SHAPE(1, 2, 1, 1500));
  check(4, 0.75f, BERTH_SHAPE(1, 40, 3, 1529));
  check(4, 0.75f, BERTH_SHAPE(3, 1, 1, 1));
}
