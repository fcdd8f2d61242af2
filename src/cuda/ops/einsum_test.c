// einsum_test.c - Tests of Einsum on a GPU.
#include "harness.h"

#include "cuda/kernel_driver.h"

static driver_t einsum_of(const char *equation, berth_dtype_t dtype,
                          berth_dims_t a, berth_dims_t b) {
  driver_t driver = {.op = "Einsum"};
  driver_type(&driver, "T", dtype);
  driver_text(&driver, "equation", equation);
  driver_input(&driver, driver_random(dtype, a, 0.5, 2));
  if (b.rank >= 0) driver_input(&driver, driver_random(dtype, b, 0.5, 2));
  driver_output(&driver, dtype);
  return driver;
}

static const berth_dims_t none = {-1, NULL};

TEST(einsum, is_the_cpus_in_every_type) {
  static const berth_dtype_t types[] = {BERTH_HALF,      BERTH_BFLOAT16,
                                        BERTH_FLOAT,     BERTH_DOUBLE,
                                        BERTH_COMPLEX64, BERTH_COMPLEX128};
  for (int t = 0; t < BERTH_COUNT_OF(types); ++t) {
    driver_t product = einsum_of("bij,jk->bik", types[t], BERTH_SHAPE(2, 3, 50),
                                 BERTH_SHAPE(50, 7));
    driver_check(&product, 4 * driver_tolerance(types[t]));
    driver_t turned =
        einsum_of("ijk->kij", types[t], BERTH_SHAPE(2, 3, 4), none);
    driver_check(&turned, 0);
  }
}

TEST(einsum, sums_broadcasts_and_takes_diagonals) {
  driver_t sum =
      einsum_of("ijk,k->", BERTH_FLOAT, BERTH_SHAPE(3, 4, 5), BERTH_SHAPE(5));
  driver_check(&sum, 1e-5);
  driver_t broadcast = einsum_of("...ij,...jk->...ik", BERTH_FLOAT,
                                 BERTH_SHAPE(2, 1, 3, 4), BERTH_SHAPE(5, 4, 2));
  driver_check(&broadcast, 1e-5);
  driver_t diagonal =
      einsum_of("iij->ji", BERTH_FLOAT, BERTH_SHAPE(3, 3, 2), none);
  driver_check(&diagonal, 0);
  driver_t made = einsum_of("i->ii", BERTH_FLOAT, BERTH_SHAPE(4), none);
  driver_check(&made, 0);
}

TEST(einsum, is_zero_where_nothing_is_summed) {
  driver_t driver =
      einsum_of("ij,jk->ik", BERTH_FLOAT, BERTH_SHAPE(2, 0), BERTH_SHAPE(0, 3));
  driver_check(&driver, 0);
}
