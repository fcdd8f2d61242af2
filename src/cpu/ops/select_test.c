// select_test.c - Select and SelectV2.
#include "cpu/ops/elementwise_test.h"

#define BOOLS(shape, ...) \
  driver_tensor(BERTH_BOOL, shape, (const bool[]){__VA_ARGS__})

static driver_t select_of(const char *op, berth_dtype_t type,
                          berth_tensor_t *condition, berth_tensor_t *then,
                          berth_tensor_t *other) {
  driver_t driver = driver_of(op, type, type);
  driver_input(&driver, condition);
  driver_input(&driver, then);
  driver_input(&driver, other);
  return driver;
}

static void expect_select(const char *op, berth_tensor_t *condition,
                          berth_tensor_t *then, berth_tensor_t *other,
                          const char *expected) {
  driver_t driver = select_of(op, BERTH_FLOAT, condition, then, other);
  expect_output(&driver, expected);
}

static void expect_error(const char *op, berth_tensor_t *condition,
                         berth_dims_t then, berth_dims_t other,
                         const char *message) {
  driver_t driver = select_of(op, BERTH_FLOAT, condition, driver_count_up(then),
                              driver_count_up(other));
  expect_failure(&driver, BERTH_INVALID_ARGUMENT, message);
}

TEST(select, takes_elements_rows_or_all) {
  berth_dims_t two = BERTH_SHAPE(2), matrix = BERTH_SHAPE(2, 2);
#define ONES driver_floats(matrix, 1, 2, 3, 4)
#define TENS driver_floats(matrix, 10, 20, 30, 40)
  expect_select("Select", BOOLS(matrix, true, false, false, true), ONES, TENS,
                "[2,2] 1 20 30 4");
  expect_select("Select", BOOLS(two, false, true), ONES, TENS,
                "[2,2] 10 20 3 4");
  expect_select("Select", BOOLS(BERTH_SCALAR, true), ONES, TENS,
                "[2,2] 1 2 3 4");
  expect_select("Select", BOOLS(BERTH_SCALAR, false), ONES, TENS,
                "[2,2] 10 20 30 40");
}

TEST(select, v2_broadcasts_everything) {
  berth_dims_t two = BERTH_SHAPE(2);
  expect_select("SelectV2", BOOLS(two, true, false),
                driver_floats(BERTH_SCALAR, 7),
                driver_floats(BERTH_SHAPE(2, 1), 1, 2), "[2,2] 7 1 7 2");
  expect_select("SelectV2", BOOLS(BERTH_SHAPE(2, 1), true, false),
                driver_floats(two, 1, 2), driver_floats(BERTH_SCALAR, 9),
                "[2,2] 1 2 9 9");
  expect_select("SelectV2", BOOLS(BERTH_SHAPE(0), true),
                driver_floats(BERTH_SHAPE(1), 1),
                driver_floats(BERTH_SHAPE(1), 2), "[0]");
}

TEST(select, has_tensorflows_errors) {
  berth_dims_t matrix = BERTH_SHAPE(2, 3);
  expect_error("Select", BOOLS(BERTH_SHAPE(3), 1, 0, 1), matrix, matrix,
               "Number of batches of 'then' must match size of 'cond', but "
               "saw: 2 vs. 3");
  expect_error("Select", BOOLS(BERTH_SCALAR, 1), matrix, BERTH_SHAPE(3),
               "'then' and 'else' must have the same size.  but received: "
               "[2,3] vs. [3]");
  expect_error("Select", BOOLS(BERTH_SHAPE(1, 1), 1), matrix, matrix,
               "Inputs to operation Select of type Select must have the same "
               "size and shape.  Input 0: [1,1] != input 1: [2,3]");
  expect_error("Select", BOOLS(BERTH_SHAPE(1), 1), BERTH_SCALAR, BERTH_SCALAR,
               "'then' must be at least a vector, but saw shape: []");
  expect_error("SelectV2", BOOLS(BERTH_SHAPE(2), 1, 0), matrix, matrix,
               "condition [2], then [2,3], and else [2,3] must be "
               "broadcastable");
}

TEST(select, copies_strings) {
  const char *yes[] = {"yes", "a yes that is longer than a small string"};
  const char *no[] = {"no", "nein"};
  driver_t driver =
      select_of("SelectV2", BERTH_STRING, BOOLS(BERTH_SHAPE(2), false, true),
                driver_strings(yes, 2), driver_strings(no, 2));
  expect_output(&driver, "[2] no a yes that is longer than a small string");
}

TEST(select, single_values_on_either_side) {
  berth_dims_t three = BERTH_SHAPE(3);
#define CONDITION BOOLS(three, true, false, true)
  expect_select("SelectV2", CONDITION, driver_floats(BERTH_SCALAR, 7),
                driver_floats(three, 1, 2, 3), "[3] 7 2 7");
  expect_select("SelectV2", CONDITION, driver_floats(three, 1, 2, 3),
                driver_floats(BERTH_SCALAR, 7), "[3] 1 7 3");
  expect_select("SelectV2", CONDITION, driver_floats(BERTH_SCALAR, 7),
                driver_floats(BERTH_SCALAR, 8), "[3] 7 8 7");
  expect_select("SelectV2", BOOLS(BERTH_SCALAR, true),
                driver_floats(BERTH_SCALAR, 7), driver_floats(three, 1, 2, 3),
                "[3] 7 7 7");
}

// Elements of every size, with a count that leaves a rest behind the vectors.
TEST(select, moves_elements_of_any_size) {
  const berth_dtype_t types[] = {BERTH_INT8, BERTH_HALF, BERTH_FLOAT,
                                 BERTH_DOUBLE, BERTH_COMPLEX128};
  enum { COUNT = 1003 };
  static unsigned char a[COUNT * 16], b[COUNT * 16];
  bool condition[COUNT];
  for (int i = 0; i < COUNT * 16; ++i) {
    a[i] = (unsigned char)(i * 7 + i / 256);
    b[i] = (unsigned char)(i * 3 + 1);
  }
  for (int i = 0; i < COUNT; ++i) condition[i] = i * i % 7 < 3;
  for (int t = 0; t < BERTH_COUNT_OF(types); ++t) {
    berth_dims_t shape = BERTH_SHAPE(COUNT);
    driver_t driver = select_of(
        "SelectV2", types[t], driver_tensor(BERTH_BOOL, shape, condition),
        driver_tensor(types[t], shape, a), driver_tensor(types[t], shape, b));
    berth_error_t err = BERTH_ERROR_INIT;
    ASSERT_OK(driver_call(&driver, &err), &err);
    size_t size = berth_dtype_size(types[t]);
    const unsigned char *out = driver_data(&driver, 0);
    int wrong = 0;
    for (size_t i = 0; i < COUNT; ++i) {
      const unsigned char *from = (condition[i] ? a : b) + i * size;
      if (memcmp(out + i * size, from, size) != 0) ++wrong;
    }
    EXPECT_EQ(wrong, 0);
    expect_in_place(&driver, 1);
    driver_deinit(&driver);
  }
}
