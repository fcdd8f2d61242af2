// scan_test.c - Running sums on cards, against the CPU's.
#include "harness.h"

#include "cuda/kernel_driver.h"

static void check(const char *op, berth_dtype_t type, berth_dims_t shape,
                  int32_t axis, bool exclusive, bool reverse,
                  double tolerance) {
  driver_t driver = {.op = op};
  driver_type(&driver, "T", type);
  driver_type(&driver, "Tidx", BERTH_INT32);
  driver_bool(&driver, "exclusive", exclusive);
  driver_bool(&driver, "reverse", reverse);
  driver_input(&driver, driver_random(type, shape, 0, 3));
  driver_input(&driver, driver_ints(BERTH_SCALAR, axis));
  driver_output(&driver, type);
  driver_check(&driver, tolerance);
}

// Each way along each axis.
static void check_all(const char *op, berth_dtype_t type, berth_dims_t shape,
                      double tolerance) {
  for (int32_t axis = 0; axis < shape.rank; ++axis) {
    for (int way = 0; way < 4; ++way) {
      check(op, type, shape, axis, (way & 1) != 0, (way & 2) != 0, tolerance);
    }
  }
}

TEST(scan, every_type_and_way) {
  const berth_dtype_t types[] = {BERTH_HALF,   BERTH_BFLOAT16, BERTH_FLOAT,
                                 BERTH_DOUBLE, BERTH_INT32,    BERTH_INT64};
  for (int i = 0; i < BERTH_COUNT_OF(types); ++i) {
    check_all("Cumsum", types[i], BERTH_SHAPE(3, 5, 4), 0);
    check_all("Cumprod", types[i], BERTH_SHAPE(2, 7), 0);
  }
}

TEST(scan, sums_of_logarithms) {
  check_all("CumulativeLogsumexp", BERTH_FLOAT, BERTH_SHAPE(3, 40), 1e-5);
  check_all("CumulativeLogsumexp", BERTH_DOUBLE, BERTH_SHAPE(40), 1e-12);
}

// Long lines are cut into parts, which must fit together.
TEST(scan, long_lines) {
  check_all("Cumsum", BERTH_INT64, BERTH_SHAPE(100003), 0);
  check_all("Cumsum", BERTH_INT64, BERTH_SHAPE(3, 9001), 0);
  check_all("Cumsum", BERTH_INT64, BERTH_SHAPE(2000, 33), 0);
  check_all("Cumsum", BERTH_DOUBLE, BERTH_SHAPE(50001), 1e-9);
}

TEST(scan, nothing) { check_all("Cumsum", BERTH_FLOAT, BERTH_SHAPE(0, 3), 0); }
