// unary_test.c - Ops with one input: values against the C library, NaN, types.
#include "cpu/isa.h"
#include "cpu/ops/elementwise_test.h"
#include "tensor/half.h"

static void expect_floats(const char *op, berth_tensor_t *x,
                          const char *expected) {
  driver_t driver = driver_of(op, BERTH_FLOAT, BERTH_FLOAT);
  driver_input(&driver, x);
  expect_output(&driver, expected);
}

TEST(unary, keeps_nan_and_infinities_as_tensorflow_does) {
  berth_dims_t six = BERTH_SHAPE(6);
#define SPECIAL driver_floats(six, NAN, INFINITY, -INFINITY, 0.0f, -0.0f, -2)
  expect_floats("Relu", SPECIAL, "[6] nan inf 0 0 0 0");
  expect_floats("Relu6", SPECIAL, "[6] nan 6 0 0 0 0");
  expect_floats("Sign", SPECIAL, "[6] nan 1 -1 0 0 -1");
  expect_floats("Abs", SPECIAL, "[6] nan inf inf 0 0 2");
  expect_floats("Neg", SPECIAL, "[6] -nan -inf inf -0 0 2");
  expect_floats("Exp", SPECIAL, "[6] nan inf 0 1 1 0.135335281");
  expect_floats("Tanh", SPECIAL, "[6] nan 1 -1 0 -0 -0.964027584");
  expect_floats("Sigmoid", SPECIAL, "[6] nan 1 0 0.5 0.5 0.119202919");
  expect_floats("Erf", driver_floats(BERTH_SHAPE(3), INFINITY, -INFINITY, 0),
                "[3] 1 -1 0");
  expect_floats("Log", driver_floats(BERTH_SHAPE(3), INFINITY, 0, 1),
                "[3] inf -inf 0");
}

TEST(unary, rounds_halves_to_even) {
  expect_floats("Round",
                driver_floats(BERTH_SHAPE(5), 0.5f, 1.5f, 2.5f, -1.5f, -0.4f),
                "[5] 0 2 2 -2 -0");
  expect_floats("Floor", driver_floats(BERTH_SHAPE(2), 1.5f, -1.5f),
                "[2] 1 -2");
  expect_floats("Ceil", driver_floats(BERTH_SHAPE(2), 1.5f, -1.5f), "[2] 2 -1");
}

TEST(unary, integers_wrap) {
  driver_t driver = driver_of("Neg", BERTH_INT32, BERTH_INT32);
  driver_input(&driver, driver_ints(BERTH_SHAPE(2), INT32_MIN, 3));
  expect_output(&driver, "[2] -2147483648 -3");
  driver = driver_of("Abs", BERTH_INT64, BERTH_INT64);
  driver_input(&driver, driver_longs(BERTH_SHAPE(2), INT64_MIN, -3));
  expect_output(&driver, "[2] -9223372036854775808 3");
  driver = driver_of("Square", BERTH_INT32, BERTH_INT32);
  driver_input(&driver, driver_ints(BERTH_SHAPE(2), 65536, -3));
  expect_output(&driver, "[2] 0 9");
}

TEST(unary, tells_what_numbers_are) {
  berth_dims_t three = BERTH_SHAPE(3);
  const char *ops[] = {"IsNan", "IsInf", "IsFinite"};
  const char *expected[] = {"[3] 01 00 00", "[3] 00 01 00", "[3] 00 00 01"};
  for (int i = 0; i < 3; ++i) {
    driver_t driver = driver_of(ops[i], BERTH_FLOAT, BERTH_BOOL);
    driver_input(&driver, driver_floats(three, NAN, -INFINITY, 1));
    expect_output(&driver, expected[i]);
  }
  driver_t driver = {.op = "LogicalNot"};
  const bool truth[] = {true, false, true};
  driver_input(&driver, driver_tensor(BERTH_BOOL, three, truth));
  driver_output(&driver, BERTH_BOOL);
  expect_output(&driver, "[3] 00 01 00");
}

TEST(unary, leaky_relu_has_a_slope) {
  driver_t driver = driver_of("LeakyRelu", BERTH_FLOAT, BERTH_FLOAT);
  driver_float(&driver, "alpha", 0.5f);
  driver_input(&driver, driver_floats(BERTH_SHAPE(3), -2, 0, 2));
  expect_output(&driver, "[3] -1 0 2");
  driver = driver_of("LeakyRelu", BERTH_DOUBLE, BERTH_DOUBLE);
  driver_float(&driver, "alpha", 0.5f);
  driver_input(&driver, driver_doubles(BERTH_SHAPE(1), -2));
  expect_output(&driver, "[1] -1");
}

TEST(unary, whole_numbers_are_round_already) {
  driver_t driver = driver_of("Round", BERTH_INT32, BERTH_INT32);
  driver_input(&driver, driver_ints(BERTH_SHAPE(2), 5, -7));
  expect_output(&driver, "[2] 5 -7");
}

TEST(unary, takes_over_the_memory_of_its_input) {
  driver_t driver = driver_of("Exp", BERTH_FLOAT, BERTH_FLOAT);
  driver_input(&driver, driver_floats(BERTH_SHAPE(3), -2, 0, 2));
  expect_in_place(&driver, 0);
  driver_deinit(&driver);
  const uint16_t halves[] = {0x3c00, 0x4000, 0xc000};
  driver = driver_of("Exp", BERTH_HALF, BERTH_HALF);
  driver_input(&driver, driver_tensor(BERTH_HALF, BERTH_SHAPE(3), halves));
  expect_in_place(&driver, 0);
  driver_deinit(&driver);
}

// ---- Accuracy ----

static double sigmoid(double x) { return 1 / (1 + exp(-x)); }
static double softplus(double x) { return log1p(exp(x)); }
static double elu(double x) { return x < 0 ? expm1(x) : x; }
static double rsqrt(double x) { return 1 / sqrt(x); }

typedef struct curve {
  const char *op;
  double (*reference)(double x);
  double low, high;
} curve_t;

static const curve_t curves[] = {
    {"Exp", exp, -87, 88},         {"Exp", exp, -1, 1},
    {"Expm1", expm1, -30, 88},     {"Expm1", expm1, -0.01, 0.01},
    {"Log", log, 1e-30, 1e30},     {"Log", log, 0.5, 2},
    {"Log1p", log1p, -0.9, 100},   {"Log1p", log1p, -1e-5, 1e-5},
    {"Sigmoid", sigmoid, -80, 80}, {"Tanh", tanh, -10, 10},
    {"Tanh", tanh, -0.1, 0.1},     {"Erf", erf, -5, 5},
    {"Erfc", erfc, -3, 9},         {"Softplus", softplus, -50, 50},
    {"Elu", elu, -20, 3},          {"Sqrt", sqrt, 0, 1e10},
    {"Rsqrt", rsqrt, 1e-10, 1e10}, {"Sin", sin, -100, 100},
    {"Cos", cos, -1, 1},           {"Tan", tan, -1, 1},
};

enum { POINTS = 5000 };

static void check_curve(const curve_t *curve) {
  driver_t driver = driver_of(curve->op, BERTH_FLOAT, BERTH_FLOAT);
  berth_tensor_t *x = driver_count_up(BERTH_SHAPE(POINTS));
  for (int i = 0; i < POINTS; ++i) {
    ((float *)x->data)[i] =
        (float)(curve->low + (curve->high - curve->low) * i / (POINTS - 1));
  }
  driver_input(&driver, x);
  berth_error_t err = BERTH_ERROR_INIT;
  ASSERT_OK(driver_call(&driver, &err), &err);
  const float *y = driver_data(&driver, 0);
  double worst = 0;
  for (int i = 0; i < POINTS; ++i) {
    double expected = curve->reference((double)((float *)x->data)[i]);
    double error = fabs((double)y[i] - expected) / (fabs(expected) + 1e-37);
    if (!(error <= worst)) worst = error;
  }
  if (!(worst < 6e-7)) {
    HARNESS_FAIL("%s on [%g, %g] is off by %g", curve->op, curve->low,
                 curve->high, worst);
  }
  driver_deinit(&driver);
}

TEST(unary, curves_are_within_a_few_units_in_the_last_place) {
  for (int i = 0; i < BERTH_COUNT_OF(curves); ++i) check_curve(&curves[i]);
}

TEST(unary, curves_are_as_good_on_any_cpu) {
  setenv("BERTH_CPU_ISA", "baseline", 1);
  EXPECT_EQ(berth_isa(), BERTH_ISA_BASELINE);
  for (int i = 0; i < BERTH_COUNT_OF(curves); ++i) check_curve(&curves[i]);
}

// The same curves in double precision, where they are no narrower than float.
static void check_curve64(const curve_t *curve) {
  driver_t driver = driver_of(curve->op, BERTH_DOUBLE, BERTH_DOUBLE);
  berth_tensor_t *x = NULL;
  berth_error_t err = BERTH_ERROR_INIT;
  ASSERT_OK(berth_tensor_create(BERTH_DOUBLE, BERTH_SHAPE(POINTS), &x, &err),
            &err);
  for (int i = 0; i < POINTS; ++i) {
    ((double *)x->data)[i] =
        curve->low + (curve->high - curve->low) * i / (POINTS - 1);
  }
  driver_input(&driver, x);
  ASSERT_OK(driver_call(&driver, &err), &err);
  const double *y = driver_data(&driver, 0);
  double worst = 0;
  for (int i = 0; i < POINTS; ++i) {
    double expected = curve->reference(((double *)x->data)[i]);
    double error = fabs(y[i] - expected) / (fabs(expected) + 1e-300);
    if (!(error <= worst)) worst = error;
  }
  if (!(worst < 4e-15)) {
    HARNESS_FAIL("%s of doubles on [%g, %g] is off by %g", curve->op,
                 curve->low, curve->high, worst);
  }
  driver_deinit(&driver);
}

TEST(unary, curves_of_doubles_are_accurate) {
  for (int i = 0; i < BERTH_COUNT_OF(curves); ++i) check_curve64(&curves[i]);
  const curve_t wide[] = {{"Exp", exp, -708, 709}, {"Log", log, 1e-300, 1e300}};
  for (int i = 0; i < BERTH_COUNT_OF(wide); ++i) check_curve64(&wide[i]);
}

TEST(unary, doubles_keep_nan_and_infinities) {
  berth_dims_t five = BERTH_SHAPE(5);
  const char *ops[] = {"Exp", "Tanh", "Sigmoid", "Expm1"};
  const char *expected[] = {"[5] nan inf 0 1 1", "[5] nan 1 -1 0 -0",
                            "[5] nan 1 0 0.5 0.5", "[5] nan inf -1 0 -0"};
  for (int i = 0; i < BERTH_COUNT_OF(ops); ++i) {
    driver_t driver = driver_of(ops[i], BERTH_DOUBLE, BERTH_DOUBLE);
    driver_input(&driver, driver_doubles(five, (double)NAN, (double)INFINITY,
                                         -(double)INFINITY, 0.0, -0.0));
    expect_output(&driver, expected[i]);
  }
  driver_t driver = driver_of("Log", BERTH_DOUBLE, BERTH_DOUBLE);
  driver_input(&driver,
               driver_doubles(BERTH_SHAPE(3), (double)INFINITY, 0.0, 1.0));
  expect_output(&driver, "[3] inf -inf 0");
}

TEST(unary, large_angles_are_reduced_with_care) {
  driver_t driver = driver_of("Sin", BERTH_FLOAT, BERTH_FLOAT);
  berth_error_t err = BERTH_ERROR_INIT;
  const float angles[] = {1e5f, 3.0f, 1e30f, -7e3f};
  driver_input(&driver, driver_tensor(BERTH_FLOAT, BERTH_SHAPE(4), angles));
  ASSERT_OK(driver_call(&driver, &err), &err);
  for (int i = 0; i < 4; ++i) {
    EXPECT_NEAR(((float *)driver_data(&driver, 0))[i], sin((double)angles[i]),
                1e-6);
  }
  driver_deinit(&driver);
}

TEST(unary, half_computes_in_float) {
  driver_t driver = driver_of("Sqrt", BERTH_HALF, BERTH_HALF);
  berth_tensor_t *x = NULL;
  berth_error_t err = BERTH_ERROR_INIT;
  ASSERT_OK(berth_tensor_create(BERTH_HALF, BERTH_SHAPE(3000), &x, &err), &err);
  for (int i = 0; i < 3000; ++i) {
    ((uint16_t *)x->data)[i] = berth_float_to_half((float)i);
  }
  driver_input(&driver, x);
  ASSERT_OK(driver_call(&driver, &err), &err);
  int wrong = 0;
  for (int i = 0; i < 3000; ++i) {
    float in = berth_half_to_float(((uint16_t *)x->data)[i]);
    uint16_t out = ((uint16_t *)driver_data(&driver, 0))[i];
    if (out != berth_float_to_half(sqrtf(in))) ++wrong;
  }
  EXPECT_EQ(wrong, 0);
  driver_deinit(&driver);
}

TEST(like, makes_zeros_and_ones) {
  driver_t driver = driver_of("ZerosLike", BERTH_FLOAT, BERTH_FLOAT);
  driver_input(&driver, driver_floats(BERTH_SHAPE(2), 5, 6));
  expect_output(&driver, "[2] 0 0");
  driver = driver_of("OnesLike", BERTH_DOUBLE, BERTH_DOUBLE);
  driver_input(&driver, driver_doubles(BERTH_SHAPE(3), 5, 6, 7));
  expect_output(&driver, "[3] 1 1 1");
  driver = driver_of("OnesLike", BERTH_INT64, BERTH_INT64);
  driver_input(&driver, driver_longs(BERTH_SCALAR, 5));
  expect_output(&driver, "[] 1");
  const bool no[] = {false, false};
  driver = driver_of("OnesLike", BERTH_BOOL, BERTH_BOOL);
  driver_input(&driver, driver_tensor(BERTH_BOOL, BERTH_SHAPE(2), no));
  expect_output(&driver, "[2] 01 01");
  const uint16_t half = 0;
  driver = driver_of("OnesLike", BERTH_HALF, BERTH_HALF);
  driver_input(&driver, driver_tensor(BERTH_HALF, BERTH_SCALAR, &half));
  expect_output(&driver, "[] 3c00");
  driver = driver_of("OnesLike", BERTH_FLOAT, BERTH_FLOAT);
  driver_input(&driver, driver_count_up(BERTH_SHAPE(0)));
  expect_output(&driver, "[0]");
}

TEST(like, zero_strings_are_empty) {
  const char *texts[] = {"a", "b"};
  driver_t driver = driver_of("ZerosLike", BERTH_STRING, BERTH_STRING);
  driver_input(&driver, driver_strings(texts, 2));
  expect_output(&driver, "[2]  ");
}

TEST(like, fills_large_tensors) {
  driver_t driver = driver_of("OnesLike", BERTH_FLOAT, BERTH_FLOAT);
  driver_input(&driver, driver_count_up(BERTH_SHAPE(1234567)));
  berth_error_t err = BERTH_ERROR_INIT;
  ASSERT_OK(driver_call(&driver, &err), &err);
  int wrong = 0;
  for (int i = 0; i < 1234567; ++i) {
    if (((float *)driver_data(&driver, 0))[i] != 1) ++wrong;
  }
  EXPECT_EQ(wrong, 0);
  driver_deinit(&driver);
}
