// special_test.c - Inverses, special functions, parts of complex numbers and
// limits on cards, against the CPU's.
#include "harness.h"

#include "cuda/kernel_driver.h"

static void check_one(const char *op, berth_dtype_t type, double low,
                      double high, double tolerance) {
  driver_t driver = {.op = op};
  driver_type(&driver, "T", type);
  driver_input(&driver, driver_random(type, BERTH_SHAPE(501), low, high));
  driver_output(&driver, type);
  driver_check(&driver, tolerance);
}

static void check_two(const char *op, berth_dtype_t type, double low,
                      double high, double tolerance) {
  driver_t driver = {.op = op};
  driver_type(&driver, "T", type);
  driver_input(&driver, driver_random(type, BERTH_SHAPE(30, 1), low, high));
  driver_input(&driver, driver_random(type, BERTH_SHAPE(7), low, high));
  driver_output(&driver, type);
  driver_check(&driver, tolerance);
}

TEST(special, of_one) {
  static const struct {
    const char *op;
    double low, high;
  } cases[] = {
      {"Asin", -1.1, 1.1},     {"Acos", -1.1, 1.1},    {"Atan", -20, 20},
      {"Asinh", -20, 20},      {"Acosh", 0.9, 20},     {"Atanh", -1.1, 1.1},
      {"Erfinv", -1, 1},       {"Ndtri", 0, 1},        {"Lgamma", -20.3, 40},
      {"Lgamma", 0.7, 2.4},    {"Digamma", 0.1, 30},   {"BesselI0e", -40, 40},
      {"BesselI1e", -40, 40},  {"BesselI0", -20, 20},  {"BesselI1", -20, 20},
      {"BesselK0", 0.01, 20},  {"BesselK1", 0.01, 20}, {"BesselK0e", 0.01, 20},
      {"BesselK1e", 0.01, 20}, {"Dawsn", -9, 9},       {"Expint", 0.01, 60},
      {"Spence", 0, 20}};
  for (int i = 0; i < BERTH_COUNT_OF(cases); ++i) {
    check_one(cases[i].op, BERTH_FLOAT, cases[i].low, cases[i].high, 2e-6);
    check_one(cases[i].op, BERTH_DOUBLE, cases[i].low, cases[i].high, 1e-13);
  }
}

TEST(special, of_two) {
  static const char *const ops[] = {"Igamma",          "Igammac", "IgammaGradA",
                                    "RandomGammaGrad", "Zeta",    "Xlog1py"};
  for (int i = 0; i < BERTH_COUNT_OF(ops); ++i) {
    check_two(ops[i], BERTH_FLOAT, 1.1, 30, 1e-5);
    check_two(ops[i], BERTH_DOUBLE, 1.1, 30, 1e-11);
  }
  check_two("NextAfter", BERTH_FLOAT, -2, 2, 0);
  check_two("NextAfter", BERTH_DOUBLE, -2, 2, 0);
}

// Where angles and curves of 16 bits are rounded once.
TEST(special, of_few_digits) {
  static const char *const ops[] = {"Asin", "Acos", "Atan", "Asinh", "Atanh"};
  for (int i = 0; i < BERTH_COUNT_OF(ops); ++i) {
    check_one(ops[i], BERTH_HALF, -1, 1, 2e-3);
    check_one(ops[i], BERTH_BFLOAT16, -1, 1, 2e-2);
  }
}

static void check_clip(berth_dtype_t type, int64_t count, bool low_is_one,
                       bool high_is_one) {
  driver_t driver = {.op = "ClipByValue"};
  berth_dims_t shape = BERTH_SHAPE(count);
  driver_type(&driver, "T", type);
  driver_input(&driver, driver_random(type, shape, 0, 9));
  driver_input(&driver,
               driver_random(type, low_is_one ? BERTH_SCALAR : shape, 2, 4));
  driver_input(&driver,
               driver_random(type, high_is_one ? BERTH_SCALAR : shape, 5, 8));
  driver_output(&driver, type);
  driver_check(&driver, 0);
}

TEST(special, limits) {
  const berth_dtype_t types[] = {BERTH_HALF,   BERTH_BFLOAT16, BERTH_FLOAT,
                                 BERTH_DOUBLE, BERTH_INT8,     BERTH_INT16,
                                 BERTH_INT64,  BERTH_UINT8,    BERTH_UINT16};
  for (int i = 0; i < BERTH_COUNT_OF(types); ++i) {
    for (int ones = 0; ones < 4; ++ones) {
      check_clip(types[i], 1000, (ones & 1) != 0, (ones & 2) != 0);
      check_clip(types[i], 7, (ones & 1) != 0, (ones & 2) != 0);
    }
  }
}

static void check_part(const char *op, berth_dtype_t type, berth_dtype_t out) {
  driver_t driver = {.op = op};
  driver_type(&driver, "T", type);
  if (out != type) driver_type(&driver, "Tout", out);
  driver_input(&driver, driver_random(type, BERTH_SHAPE(203), -3, 3));
  driver_output(&driver, out);
  driver_check(&driver, 1e-6);
}

TEST(special, parts) {
  static const char *const ops[] = {"Real", "Imag", "Angle", "ComplexAbs"};
  for (int i = 0; i < BERTH_COUNT_OF(ops); ++i) {
    check_part(ops[i], BERTH_COMPLEX64, BERTH_FLOAT);
    check_part(ops[i], BERTH_COMPLEX128, BERTH_DOUBLE);
  }
  check_part("Conj", BERTH_COMPLEX64, BERTH_COMPLEX64);
  check_part("Conj", BERTH_COMPLEX128, BERTH_COMPLEX128);
}
