// binary_test.c - Ops with two inputs: values, broadcasting, errors, types.
#include "cpu/isa.h"
#include "cpu/ops/elementwise_test.h"
#include "tensor/half.h"

static void expect_floats(const char *op, berth_tensor_t *a, berth_tensor_t *b,
                          const char *expected) {
  driver_t driver = driver_of(op, BERTH_FLOAT, BERTH_FLOAT);
  driver_input(&driver, a);
  driver_input(&driver, b);
  expect_output(&driver, expected);
}

static void expect_ints(const char *op, berth_tensor_t *a, berth_tensor_t *b,
                        const char *expected) {
  driver_t driver = driver_of(op, BERTH_INT32, BERTH_INT32);
  driver_input(&driver, a);
  driver_input(&driver, b);
  expect_output(&driver, expected);
}

static void expect_int_error(const char *op, berth_tensor_t *a,
                             berth_tensor_t *b, berth_code_t code,
                             const char *message) {
  driver_t driver = driver_of(op, BERTH_INT32, BERTH_INT32);
  driver_input(&driver, a);
  driver_input(&driver, b);
  expect_failure(&driver, code, message);
}

TEST(binary, computes) {
  berth_dims_t three = BERTH_SHAPE(3);
  expect_floats("Add", driver_floats(three, 1, 2, 3),
                driver_floats(three, 10, 20, 30), "[3] 11 22 33");
  expect_floats("Sub", driver_floats(three, 1, 2, 3),
                driver_floats(three, 10, 20, 30), "[3] -9 -18 -27");
  expect_floats("Mul", driver_floats(three, 1, 2, 3),
                driver_floats(BERTH_SCALAR, 0.5f), "[3] 0.5 1 1.5");
  expect_floats("RealDiv", driver_floats(BERTH_SCALAR, 1),
                driver_floats(three, 2, 4, 8), "[3] 0.5 0.25 0.125");
  expect_floats("SquaredDifference", driver_floats(three, 1, 2, 3),
                driver_floats(BERTH_SCALAR, 5), "[3] 16 9 4");
  expect_floats("AddV2", driver_floats(BERTH_SCALAR, 1),
                driver_floats(BERTH_SCALAR, 2), "[] 3");
}

TEST(binary, divides_and_takes_remainders_of_either_sign) {
  berth_dims_t four = BERTH_SHAPE(4);
#define DIVIDENDS driver_ints(four, 7, -7, 7, -7)
#define DIVISORS driver_ints(four, 2, 2, -2, -2)
  expect_ints("FloorDiv", DIVIDENDS, DIVISORS, "[4] 3 -4 -4 3");
  expect_ints("FloorMod", DIVIDENDS, DIVISORS, "[4] 1 1 -1 -1");
  expect_ints("Div", DIVIDENDS, DIVISORS, "[4] 3 -3 -3 3");
  expect_ints("TruncateDiv", DIVIDENDS, DIVISORS, "[4] 3 -3 -3 3");
  expect_ints("Mod", DIVIDENDS, DIVISORS, "[4] 1 -1 1 -1");
  expect_floats("FloorMod", driver_floats(four, 7, -7, 5.5f, -5.5f),
                driver_floats(four, 2, 2, -INFINITY, INFINITY),
                "[4] 1 1 -inf inf");
  expect_floats("FloorDiv", driver_floats(four, 7, -7, 5, -5),
                driver_floats(four, 2, 2, 0, 0), "[4] 3 -4 inf -inf");
}

// All pairs of 8-bit numbers, and of 32-bit numbers near the ends and zero.
TEST(binary, integer_division_is_exact) {
  const char *ops[] = {"FloorDiv", "FloorMod"};
  for (int k = 0; k < 2; ++k) {
    static int32_t x[255 * 256], y[255 * 256], expected[255 * 256];
    int count = 0;
    for (int64_t a = -128; a < 128; ++a) {
      for (int64_t b = -128; b < 128; ++b) {
        if (b == 0) continue;
        int64_t u = a < -64 ? INT32_MIN + a + 128 : a > 64 ? INT32_MAX - a : a;
        int64_t v = b < -64 ? INT32_MIN + b + 128 : b > 64 ? INT32_MAX - b : b;
        int64_t q = u / v - (u % v != 0 && (u < 0) != (v < 0));
        x[count] = (int32_t)u;
        y[count] = (int32_t)v;
        expected[count++] = (int32_t)(uint32_t)(k == 0 ? q : u - q * v);
      }
    }
    driver_t driver = driver_of(ops[k], BERTH_INT32, BERTH_INT32);
    berth_error_t err = BERTH_ERROR_INIT;
    driver_input(&driver, driver_tensor(BERTH_INT32, BERTH_SHAPE(count), x));
    driver_input(&driver, driver_tensor(BERTH_INT32, BERTH_SHAPE(count), y));
    ASSERT_OK(driver_call(&driver, &err), &err);
    EXPECT_TRUE(memcmp(driver_data(&driver, 0), expected, sizeof(x)) == 0);
    driver_deinit(&driver);
  }
}

static void check_small_division(const char *op, berth_dtype_t dtype) {
  static int8_t x[255 * 256], y[255 * 256];
  bool is_signed = dtype == BERTH_INT8;
  int wrong = 0;
  for (int i = 0; i < 255 * 256; ++i) {
    x[i] = (int8_t)(i / 255);
    y[i] = (int8_t)(i % 255 + 1);
  }
  driver_t driver = driver_of(op, dtype, dtype);
  berth_error_t err = BERTH_ERROR_INIT;
  driver_input(&driver, driver_tensor(dtype, BERTH_SHAPE(255 * 256), x));
  driver_input(&driver, driver_tensor(dtype, BERTH_SHAPE(255 * 256), y));
  ASSERT_OK(driver_call(&driver, &err), &err);
  for (int i = 0; i < 255 * 256; ++i) {
    int a = is_signed ? x[i] : (uint8_t)x[i],
        b = is_signed ? y[i] : (uint8_t)y[i];
    int q = a / b - (a % b != 0 && (a < 0) != (b < 0));
    int expected = strcmp(op, "FloorDiv") == 0 ? q : a - q * b;
    wrong += ((uint8_t *)driver_data(&driver, 0))[i] != (uint8_t)expected;
  }
  EXPECT_EQ(wrong, 0);
  driver_deinit(&driver);
}

TEST(binary, division_of_small_integers_is_exact) {
  check_small_division("FloorDiv", BERTH_INT8);
  check_small_division("FloorMod", BERTH_INT8);
  check_small_division("FloorDiv", BERTH_UINT8);
  check_small_division("FloorMod", BERTH_UINT8);
}

TEST(binary, complex_numbers_divide_without_overflow) {
  const float x[] = {1e30f, 1e30f, 3, -4}, y[] = {1e30f, 1e30f, 1e-20f, 0};
  driver_t driver = driver_of("RealDiv", BERTH_COMPLEX64, BERTH_COMPLEX64);
  berth_error_t err = BERTH_ERROR_INIT;
  driver_input(&driver, driver_tensor(BERTH_COMPLEX64, BERTH_SHAPE(2), x));
  driver_input(&driver, driver_tensor(BERTH_COMPLEX64, BERTH_SHAPE(2), y));
  ASSERT_OK(driver_call(&driver, &err), &err);
  const float *out = driver_data(&driver, 0);
  EXPECT_NEAR(out[0], 1, 1e-7);
  EXPECT_NEAR(out[1], 0, 1e-7);
  EXPECT_NEAR(out[2], 3e20, 1e14);
  EXPECT_NEAR(out[3], -4e20, 1e14);
  driver_deinit(&driver);
}

TEST(binary, integers_wrap) {
  berth_dims_t two = BERTH_SHAPE(2);
#define EXTREMES driver_ints(two, INT32_MIN, INT32_MAX)
  expect_ints("AddV2", EXTREMES, driver_ints(two, -1, 1),
              "[2] 2147483647 -2147483648");
  expect_ints("Mul", EXTREMES, driver_ints(two, -1, 2), "[2] -2147483648 -2");
  expect_ints("FloorDiv", EXTREMES, driver_ints(BERTH_SCALAR, -1),
              "[2] -2147483648 -2147483647");
  expect_ints("FloorMod", EXTREMES, driver_ints(BERTH_SCALAR, -1), "[2] 0 0");
  expect_ints("Pow", driver_ints(two, 3, -2), driver_ints(two, 40, 3),
              "[2] 689956897 -8");
}

TEST(binary, integer_errors_have_tensorflows_texts) {
  berth_dims_t two = BERTH_SHAPE(2);
  const char *zero = "Integer division by zero";
  const char *forgotten =
      "Unexpected error in binary operator (only integer div and mod should "
      "have errors)";
  expect_int_error("FloorDiv", driver_ints(two, 1, 2), driver_ints(two, 1, 0),
                   BERTH_INVALID_ARGUMENT, zero);
  expect_int_error("Mod", driver_ints(two, 1, 2), driver_ints(BERTH_SCALAR, 0),
                   BERTH_INVALID_ARGUMENT, zero);
  expect_int_error("TruncateDiv", driver_ints(two, 1, 2),
                   driver_ints(two, 1, 0), BERTH_INTERNAL, forgotten);
  expect_int_error("Pow", driver_ints(two, 1, 2), driver_ints(two, 1, -1),
                   BERTH_INVALID_ARGUMENT,
                   "Integers to negative integer powers are not allowed");
  // Nothing is divided, so there is nothing wrong.
  expect_ints("FloorDiv", driver_ints(BERTH_SHAPE(0), 0),
              driver_ints(BERTH_SCALAR, 0), "[0]");
}

TEST(binary, nan_stays_in_maximum_and_minimum) {
  berth_dims_t three = BERTH_SHAPE(3);
  for (int i = 0; i < 2; ++i) {
    driver_t driver =
        driver_of(i == 0 ? "Maximum" : "Minimum", BERTH_FLOAT, BERTH_FLOAT);
    berth_error_t err = BERTH_ERROR_INIT;
    driver_input(&driver, driver_floats(three, NAN, 1, 4));
    driver_input(&driver, driver_floats(three, 1, NAN, 5));
    ASSERT_OK(driver_call(&driver, &err), &err);
    const float *out = driver_data(&driver, 0);
    EXPECT_TRUE(isnan(out[0]) && isnan(out[1]));
    EXPECT_NEAR(out[2], i == 0 ? 5 : 4, 0);
    driver_deinit(&driver);
  }
}

TEST(binary, shapes_must_fit) {
  driver_t driver = driver_of("AddV2", BERTH_FLOAT, BERTH_FLOAT);
  driver_input(&driver, driver_count_up(BERTH_SHAPE(2, 3)));
  driver_input(&driver, driver_count_up(BERTH_SHAPE(2)));
  expect_failure(&driver, BERTH_INVALID_ARGUMENT,
                 "Incompatible shapes: [2,3] vs. [2]");
  expect_floats("AddV2", driver_count_up(BERTH_SHAPE(0, 3)),
                driver_count_up(BERTH_SHAPE(1)), "[0,3]");
}

TEST(binary, equal_may_accept_shapes_that_do_not_fit) {
  for (int i = 0; i < 2; ++i) {
    driver_t driver =
        driver_of(i == 0 ? "Equal" : "NotEqual", BERTH_FLOAT, BERTH_BOOL);
    driver_bool(&driver, "incompatible_shape_error", false);
    driver_input(&driver, driver_count_up(BERTH_SHAPE(2)));
    driver_input(&driver, driver_count_up(BERTH_SHAPE(3)));
    expect_output(&driver, i == 0 ? "[] 00" : "[] 01");
  }
  driver_t driver = driver_of("Equal", BERTH_FLOAT, BERTH_BOOL);
  driver_bool(&driver, "incompatible_shape_error", true);
  driver_input(&driver, driver_count_up(BERTH_SHAPE(2)));
  driver_input(&driver, driver_count_up(BERTH_SHAPE(3)));
  expect_failure(&driver, BERTH_INVALID_ARGUMENT,
                 "Incompatible shapes: [2] vs. [3]");
}

TEST(binary, strings_compare_and_join) {
  const char *left[] = {"a", "", "something longer than one small string"};
  const char *right[] = {"b", "", "something longer than one small string"};
  const char *one[] = {"-"};
  driver_t driver = driver_of("Equal", BERTH_STRING, BERTH_BOOL);
  driver_input(&driver, driver_strings(left, 3));
  driver_input(&driver, driver_strings(right, 3));
  expect_output(&driver, "[3] 00 01 01");
  driver = driver_of("Add", BERTH_STRING, BERTH_STRING);
  driver_input(&driver, driver_strings(left, 3));
  driver_input(&driver, driver_strings(one, 1));
  expect_output(&driver, "[3] a- - something longer than one small string-");
}

// ---- Broadcasting against the plain definition ----

typedef struct shapes {
  berth_dims_t a, b, out;
} shapes_t;

// Returns the offset of element |index| of |out| in an input of shape |in|.
static int64_t offset_of(berth_dims_t in, berth_dims_t out, int64_t index) {
  int64_t offset = 0, size = 1;
  for (int axis = 0; axis < out.rank; ++axis) {
    int64_t at = index % out.dims[out.rank - 1 - axis];
    index /= out.dims[out.rank - 1 - axis];
    if (axis >= in.rank) continue;
    int64_t dim = in.dims[in.rank - 1 - axis];
    offset += (dim == 1 ? 0 : at) * size;
    size *= dim;
  }
  return offset;
}

// Makes small whole numbers of |dtype|, exact in every type.
static berth_tensor_t *numbers(berth_dtype_t dtype, berth_dims_t shape,
                               int factor) {
  berth_tensor_t *tensor = NULL;
  if (berth_tensor_create(dtype, shape, &tensor, NULL) != BERTH_OK) return NULL;
  for (int64_t i = 0; i < tensor->count; ++i) {
    int value = (int)(i * factor % 31);
    switch ((int)dtype) {
      case BERTH_FLOAT:
        ((float *)tensor->data)[i] = (float)value;
        break;
      case BERTH_HALF:
        ((uint16_t *)tensor->data)[i] = berth_float_to_half((float)value);
        break;
      case BERTH_INT8:
        ((int8_t *)tensor->data)[i] = (int8_t)value;
        break;
      default:
        ((int64_t *)tensor->data)[i] = value;
        break;
    }
  }
  return tensor;
}

static double number_at(const berth_tensor_t *tensor, int64_t i) {
  switch ((int)tensor->dtype) {
    case BERTH_FLOAT:
      return (double)((const float *)tensor->data)[i];
    case BERTH_HALF:
      return (double)berth_half_to_float(((const uint16_t *)tensor->data)[i]);
    case BERTH_INT8:
      return ((const int8_t *)tensor->data)[i];
    case BERTH_BOOL:
      return ((const bool *)tensor->data)[i];
    default:
      return (double)((const int64_t *)tensor->data)[i];
  }
}

static double expected_of(const char *op, double x, double y) {
  if (strcmp(op, "Sub") == 0) return x - y;
  if (strcmp(op, "Mul") == 0) return (double)(int8_t)(int)(x * y);
  if (strcmp(op, "Less") == 0) return x < y;
  return x > y;
}

static void check_broadcast(const char *op, berth_dtype_t dtype,
                            const shapes_t *shapes) {
  bool is_bool = strcmp(op, "Sub") != 0 && strcmp(op, "Mul") != 0;
  driver_t driver = driver_of(op, dtype, is_bool ? BERTH_BOOL : dtype);
  berth_error_t err = BERTH_ERROR_INIT;
  driver_input(&driver, numbers(dtype, shapes->a, 7));
  driver_input(&driver, numbers(dtype, shapes->b, 11));
  ASSERT_OK(driver_call(&driver, &err), &err);
  const berth_tensor_t *out = driver.outputs[0];
  EXPECT_TRUE(berth_dims_equal(berth_tensor_dims(out), shapes->out));
  int wrong = 0;
  for (int64_t i = 0; i < out->count; ++i) {
    double x =
        number_at(driver.inputs[0], offset_of(shapes->a, shapes->out, i));
    double y =
        number_at(driver.inputs[1], offset_of(shapes->b, shapes->out, i));
    if (number_at(out, i) != expected_of(op, x, y)) ++wrong;
  }
  EXPECT_EQ(wrong, 0);
  driver_deinit(&driver);
}

TEST(binary, broadcasts_in_every_way) {
  const shapes_t all[] = {
      {BERTH_SHAPE(5), BERTH_SHAPE(5), BERTH_SHAPE(5)},
      {BERTH_SHAPE(700), BERTH_SCALAR, BERTH_SHAPE(700)},
      {BERTH_SCALAR, BERTH_SHAPE(700), BERTH_SHAPE(700)},
      {BERTH_SHAPE(1000, 3), BERTH_SHAPE(3), BERTH_SHAPE(1000, 3)},
      {BERTH_SHAPE(3), BERTH_SHAPE(1000, 3), BERTH_SHAPE(1000, 3)},
      {BERTH_SHAPE(9, 600), BERTH_SHAPE(600), BERTH_SHAPE(9, 600)},
      {BERTH_SHAPE(9, 600), BERTH_SHAPE(9, 1), BERTH_SHAPE(9, 600)},
      {BERTH_SHAPE(9, 1), BERTH_SHAPE(9, 600), BERTH_SHAPE(9, 600)},
      {BERTH_SHAPE(9, 1), BERTH_SHAPE(1, 7), BERTH_SHAPE(9, 7)},
      {BERTH_SHAPE(3000, 3), BERTH_SHAPE(3000, 1), BERTH_SHAPE(3000, 3)},
      {BERTH_SHAPE(1, 50, 1), BERTH_SHAPE(80, 50, 2), BERTH_SHAPE(80, 50, 2)},
      {BERTH_SHAPE(1, 70, 6), BERTH_SHAPE(60, 1, 6), BERTH_SHAPE(60, 70, 6)},
      {BERTH_SHAPE(2, 1, 3, 1, 4), BERTH_SHAPE(5, 3, 6, 1),
       BERTH_SHAPE(2, 5, 3, 6, 4)},
      {BERTH_SHAPE(1, 2, 1, 2, 1, 2, 1, 2), BERTH_SHAPE(2, 1, 2, 1, 2, 1, 2, 1),
       BERTH_SHAPE(2, 2, 2, 2, 2, 2, 2, 2)},
      {BERTH_SHAPE(1, 1, 1), BERTH_SHAPE(1), BERTH_SHAPE(1, 1, 1)},
  };
  const char *ops[] = {"Sub", "Mul", "Less", "Greater"};
  const berth_dtype_t types[] = {BERTH_FLOAT, BERTH_INT8, BERTH_HALF};
  for (int i = 0; i < BERTH_COUNT_OF(all); ++i) {
    for (int k = 0; k < BERTH_COUNT_OF(ops); ++k) {
      for (int t = 0; t < BERTH_COUNT_OF(types); ++t) {
        // Products wrap in int8 alone.
        if (k == 1 && types[t] != BERTH_INT8) continue;
        check_broadcast(ops[k], types[t], &all[i]);
      }
    }
  }
}

TEST(binary, results_larger_than_the_caches_are_right) {
  int64_t count = berth_cpu_cache_size() / 2 / 4 + 12345;
  shapes_t shapes = {BERTH_SHAPE(count), BERTH_SHAPE(count),
                     BERTH_SHAPE(count)};
  check_broadcast("Sub", BERTH_FLOAT, &shapes);
  int64_t rows = count / 600;
  shapes = (shapes_t){BERTH_SHAPE(rows, 600), BERTH_SHAPE(600),
                      BERTH_SHAPE(rows, 600)};
  check_broadcast("Sub", BERTH_FLOAT, &shapes);
}

TEST(binary, every_instruction_set_agrees) {
  shapes_t shapes = {BERTH_SHAPE(37), BERTH_SHAPE(37), BERTH_SHAPE(37)};
  setenv("BERTH_CPU_ISA", "baseline", 1);
  EXPECT_EQ(berth_isa(), BERTH_ISA_BASELINE);
  check_broadcast("Sub", BERTH_FLOAT, &shapes);
  check_broadcast("Sub", BERTH_HALF, &shapes);
}

TEST(binary, takes_over_the_memory_of_either_input) {
  for (int input = 0; input < 2; ++input) {
    driver_t driver = driver_of("Sub", BERTH_FLOAT, BERTH_FLOAT);
    driver_input(&driver, numbers(BERTH_FLOAT, BERTH_SHAPE(1000), 7));
    driver_input(&driver, numbers(BERTH_FLOAT, BERTH_SHAPE(1000), 5));
    expect_in_place(&driver, input);
    driver_deinit(&driver);
    driver = driver_of("Sub", BERTH_HALF, BERTH_HALF);
    driver_input(&driver, numbers(BERTH_HALF, BERTH_SHAPE(1000), 7));
    driver_input(&driver, numbers(BERTH_HALF, BERTH_SHAPE(1000), 5));
    expect_in_place(&driver, input);
    driver_deinit(&driver);
  }
  driver_t driver = driver_of("Sub", BERTH_FLOAT, BERTH_FLOAT);
  driver_input(&driver, numbers(BERTH_FLOAT, BERTH_SHAPE(3), 7));
  driver_input(&driver, numbers(BERTH_FLOAT, BERTH_SHAPE(1000, 3), 5));
  expect_in_place(&driver, 1);
  EXPECT_EQ(driver.prepare.op.may_overwrite, 2);
  driver_deinit(&driver);
}

TEST(binary, a_comparison_takes_nothing_over) {
  driver_t driver = driver_of("Less", BERTH_FLOAT, BERTH_BOOL);
  berth_error_t err = BERTH_ERROR_INIT;
  driver_input(&driver, driver_count_up(BERTH_SHAPE(3)));
  driver_input(&driver, driver_count_up(BERTH_SHAPE(3)));
  ASSERT_OK(driver_call(&driver, &err), &err);
  EXPECT_EQ(driver.prepare.op.may_overwrite, 0);
  driver_deinit(&driver);
}

TEST(binary, half_rounds_after_every_step) {
  // 52.53 / 0.17 is 308.99…, which half precision rounds to 309 before floor.
  driver_t driver = driver_of("FloorDiv", BERTH_HALF, BERTH_HALF);
  uint16_t x = berth_float_to_half(52.53f), y = berth_float_to_half(0.17f);
  driver_input(&driver, driver_tensor(BERTH_HALF, BERTH_SCALAR, &x));
  driver_input(&driver, driver_tensor(BERTH_HALF, BERTH_SCALAR, &y));
  berth_error_t err = BERTH_ERROR_INIT;
  ASSERT_OK(driver_call(&driver, &err), &err);
  EXPECT_NEAR(number_at(driver.outputs[0], 0), 309, 0);
  driver_deinit(&driver);
}

TEST(add_n, adds_any_number_of_inputs) {
  for (int count = 1; count <= 12; ++count) {
    driver_t driver = driver_of("AddN", BERTH_FLOAT, BERTH_FLOAT);
    for (int i = 0; i < count; ++i) {
      driver_input(&driver, driver_floats(BERTH_SHAPE(2), (float)i, 1));
    }
    char expected[64];
    snprintf(expected, sizeof(expected), "[2] %d %d", count * (count - 1) / 2,
             count);
    expect_output(&driver, expected);
  }
}

TEST(add_n, shapes_must_be_equal) {
  driver_t driver = driver_of("AddN", BERTH_FLOAT, BERTH_FLOAT);
  driver.name = "sum";
  driver_input(&driver, driver_count_up(BERTH_SHAPE(2)));
  driver_input(&driver, driver_count_up(BERTH_SHAPE(2)));
  driver_input(&driver, driver_count_up(BERTH_SHAPE(1, 2)));
  expect_failure(
      &driver, BERTH_INVALID_ARGUMENT,
      "Inputs to operation sum of type AddN must have the same size and "
      "shape.  Input 0: [2] != input 2: [1,2]");
}

// ---- Types ----

// Types that TensorFlow registers and Berth does without: LeakyRelu's schema
// admits no integers, and there are no variants to add or make zero.
static berth_dtype_set_t left_out(const char *op) {
  if (strcmp(op, "AddN") == 0 || strcmp(op, "ZerosLike") == 0) {
    return BERTH_DTYPE_BIT(BERTH_VARIANT);
  }
  if (strncmp(op, "LeakyRelu", 9) == 0) {
    return BERTH_DTYPE_BIT(BERTH_INT8) | BERTH_DTYPE_BIT(BERTH_INT16) |
           BERTH_DTYPE_BIT(BERTH_INT32) | BERTH_DTYPE_BIT(BERTH_INT64) |
           BERTH_DTYPE_BIT(BERTH_UINT8) | BERTH_DTYPE_BIT(BERTH_UINT16) |
           BERTH_DTYPE_BIT(BERTH_UINT32) | BERTH_DTYPE_BIT(BERTH_UINT64);
  }
  return 0;
}

extern const berth_kernel_t berth_cpu_binary_kernels[];
extern const berth_kernel_t berth_cpu_unary_kernels[];
extern const berth_kernel_t berth_cpu_select_kernels[];
extern const berth_kernel_t berth_cpu_add_n_kernels[];
extern const berth_kernel_t berth_cpu_like_kernels[];
extern const berth_kernel_t berth_cpu_cast_kernels[];

// Returns the types that TensorFlow registers for |op| on the CPU; 0: any.
static berth_dtype_set_t registered(const char *op) {
  const berth_op_schema_t *schema = berth_schema_find(op);
  berth_dtype_set_t types = 0;
  if (schema == NULL) return 0;
  for (int i = 0; i < schema->registration_count; ++i) {
    const berth_registration_t *entry = &schema->registrations[i];
    if (entry->device != BERTH_FOR_CPU) continue;
    for (int k = 0; k < entry->constraint_count; ++k) {
      types |= entry->constraints[k].types;
    }
  }
  return types;
}

static void check_types(const berth_kernel_t *kernels) {
  for (int i = 0; kernels[i].op != NULL; ++i) {
    const char *op = kernels[i].op;
    ASSERT_TRUE(berth_schema_find(op) != NULL);
    berth_dtype_set_t types = kernels[i].types[0].types;
    // Joining strings is a kernel of its own.
    if (strcmp(op, "Add") == 0) types |= BERTH_DTYPE_BIT(BERTH_STRING);
    if ((types | left_out(op)) != registered(op)) {
      HARNESS_FAIL("%s has types %#llx, TensorFlow %#llx", op,
                   (unsigned long long)types,
                   (unsigned long long)registered(op));
    }
  }
}

TEST(elementwise, has_the_types_of_tensorflow) {
  check_types(berth_cpu_binary_kernels);
  check_types(berth_cpu_unary_kernels);
  check_types(berth_cpu_select_kernels);
  check_types(berth_cpu_add_n_kernels);
  check_types(berth_cpu_like_kernels);
  check_types(berth_cpu_cast_kernels);
}

// Every type of every kernel must have a loop.
static void check_loops(const berth_kernel_t *kernels, int inputs) {
  for (int i = 0; kernels[i].op != NULL; ++i) {
    for (int type = 1; type < BERTH_DTYPE_COUNT; ++type) {
      if ((kernels[i].types[0].types >> type & 1) == 0) continue;
      driver_t driver =
          driver_of(kernels[i].op, (berth_dtype_t)type, (berth_dtype_t)type);
      berth_error_t err = BERTH_ERROR_INIT;
      for (int k = 0; k < inputs; ++k) {
        berth_tensor_t *tensor = NULL;
        ASSERT_OK(berth_tensor_create((berth_dtype_t)type, BERTH_SHAPE(0),
                                      &tensor, &err),
                  &err);
        driver_input(&driver, tensor);
      }
      ASSERT_OK(driver_call(&driver, &err), &err);
      driver_deinit(&driver);
    }
  }
}

TEST(elementwise, has_a_loop_for_every_type) {
  check_loops(berth_cpu_binary_kernels, 2);
  check_loops(berth_cpu_unary_kernels, 1);
  check_loops(berth_cpu_add_n_kernels, 3);
}
