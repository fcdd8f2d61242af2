// elementwise_test.c - What elementwise ops mean: shapes, how inputs are seen
// as the output, what may be overwritten, errors.
#include "op/elementwise.h"

#include "base/fault.h"
#include "base/str.h"
#include "harness.h"
#include "op/op_testing.h"

// Returns |broadcast| as text: "4:1,1 8:4,0" has a level of 4 inside one of 8,
// each with the steps of |count| inputs.
static const char *show(const berth_broadcast_t *broadcast, int count) {
  static char shown[512];
  berth_str_t str = {0};
  for (int32_t l = 0; l < broadcast->level_count; ++l) {
    const berth_level_t *level = &broadcast->levels[l];
    berth_str_printf(&str, "%s%lld", l > 0 ? " " : "", (long long)level->count);
    for (int i = 0; i < count; ++i) {
      berth_str_printf(&str, "%c%lld", i > 0 ? ',' : ':',
                       (long long)level->steps[i]);
    }
  }
  snprintf(shown, sizeof(shown), "%s", berth_str_get(&str));
  berth_str_clear(&str);
  return shown;
}

static void given_one(op_case_t *given, const char *op, berth_dtype_t dtype,
                      berth_dims_t dims) {
  *given = (op_case_t){.op = op};
  op_case_input(given, dtype, dims);
  op_case_output(given, dtype);
}

static void given_two(op_case_t *given, const char *op, berth_dtype_t dtype,
                      berth_dims_t a, berth_dims_t b) {
  given_one(given, op, dtype, a);
  op_case_input(given, dtype, b);
}

// ---- One input ----

TEST(unary, keeps_the_shape) {
  op_case_t given;
  berth_error_t err = BERTH_ERROR_INIT;
  berth_unary_t unary = {.function = BERTH_UNARY_TANH};
  given_one(&given, "Tanh", BERTH_HALF, BERTH_SHAPE(2, 3));
  berth_case_t *op = op_case_make(&given);
  ASSERT_OK(berth_op_unary(op, &unary, &err), &err);
  EXPECT_STR(op_case_shape(&given, 0), "[2,3]");
  EXPECT_EQ(unary.input, BERTH_HALF);
  EXPECT_EQ(unary.output, BERTH_HALF);
  EXPECT_EQ(unary.count, 6);
  EXPECT_EQ(op->alias, -1);
  EXPECT_EQ(op->may_overwrite, 1);
  op_case_deinit(&given);
}

TEST(unary, answers_with_a_bool) {
  op_case_t given;
  berth_error_t err = BERTH_ERROR_INIT;
  berth_unary_t unary = {.function = BERTH_UNARY_IS_NAN};
  given_one(&given, "IsNan", BERTH_FLOAT, BERTH_SHAPE(4));
  berth_case_t *op = op_case_make(&given);
  ASSERT_OK(berth_op_unary(op, &unary, &err), &err);
  EXPECT_EQ(unary.output, BERTH_BOOL);
  EXPECT_EQ(op->may_overwrite, 0);
  op_case_deinit(&given);
}

TEST(unary, rounds_no_integers) {
  op_case_t given;
  berth_error_t err = BERTH_ERROR_INIT;
  berth_unary_t unary = {.function = BERTH_UNARY_ROUND};
  given_one(&given, "Round", BERTH_INT64, BERTH_SHAPE(4));
  berth_case_t *op = op_case_make(&given);
  ASSERT_OK(berth_op_unary(op, &unary, &err), &err);
  EXPECT_EQ(op->alias, 0);
  op_case_deinit(&given);
  given_one(&given, "Round", BERTH_DOUBLE, BERTH_SHAPE(4));
  op = op_case_make(&given);
  ASSERT_OK(berth_op_unary(op, &unary, &err), &err);
  EXPECT_EQ(op->alias, -1);
  op_case_deinit(&given);
}

TEST(unary, reads_a_slope_of_one_function_alone) {
  op_case_t given;
  berth_error_t err = BERTH_ERROR_INIT;
  berth_unary_t unary = {.function = BERTH_UNARY_LEAKY_RELU};
  given_one(&given, "LeakyRelu", BERTH_FLOAT, BERTH_SHAPE(4));
  op_case_attr(&given, "alpha", BERTH_ATTR_FLOAT)->f = 0.5f;
  ASSERT_OK(berth_op_unary(op_case_make(&given), &unary, &err), &err);
  EXPECT_TRUE(unary.parameter == 0.5);
  unary.function = BERTH_UNARY_RELU;
  ASSERT_OK(berth_op_unary(op_case_make(&given), &unary, &err), &err);
  EXPECT_TRUE(unary.parameter == 0);
  op_case_deinit(&given);
}

// ---- Two inputs ----

// Checks |function| of floats in the shapes |a| and |b|: the output's shape,
// the broadcast, what may be overwritten.
static void expect_binary(berth_binary_op_t function, berth_dims_t a,
                          berth_dims_t b, const char *shape,
                          const char *broadcast, uint32_t may_overwrite) {
  op_case_t given;
  berth_error_t err = BERTH_ERROR_INIT;
  berth_binary_t binary = {.function = function};
  given_two(&given, "AddV2", BERTH_FLOAT, a, b);
  berth_case_t *op = op_case_make(&given);
  ASSERT_OK(berth_op_binary(op, &binary, &err), &err);
  EXPECT_STR(op_case_shape(&given, 0), shape);
  if (binary.count > 0) EXPECT_STR(show(&binary.broadcast, 2), broadcast);
  EXPECT_EQ(binary.answer, -1);
  EXPECT_EQ(op->may_overwrite, may_overwrite);
  op_case_deinit(&given);
}

TEST(binary, collapses_what_goes_on_alike) {
  expect_binary(BERTH_BINARY_ADD, BERTH_SHAPE(8, 4), BERTH_SHAPE(8, 4), "[8,4]",
                "32:1,1", 3);
  expect_binary(BERTH_BINARY_ADD, BERTH_SHAPE(8, 4), BERTH_SHAPE(4), "[8,4]",
                "4:1,1 8:4,0", 1);
  expect_binary(BERTH_BINARY_ADD, BERTH_SHAPE(8, 1), BERTH_SHAPE(8, 4), "[8,4]",
                "4:0,1 8:1,4", 2);
  expect_binary(BERTH_BINARY_SUB, BERTH_SHAPE(2, 3, 1), BERTH_SHAPE(1, 5),
                "[2,3,5]", "5:0,1 6:1,0", 0);
  expect_binary(BERTH_BINARY_MUL, BERTH_SCALAR, BERTH_SHAPE(2, 3), "[2,3]",
                "6:0,1", 2);
  expect_binary(BERTH_BINARY_MUL, BERTH_SCALAR, BERTH_SHAPE(1, 1), "[1,1]",
                "1:0,0", 3);
}

TEST(binary, has_no_work_without_elements) {
  expect_binary(BERTH_BINARY_ADD, BERTH_SHAPE(0, 4), BERTH_SHAPE(1, 4), "[0,4]",
                "", 0);
}

TEST(binary, overwrites_nothing_with_bools) {
  expect_binary(BERTH_BINARY_LESS, BERTH_SHAPE(4), BERTH_SHAPE(4), "[4]",
                "4:1,1", 0);
}

// Checks that |function| of |dtype| is |expected|, with the errors of |wrong|.
static void expect_function(berth_binary_op_t function, berth_dtype_t dtype,
                            berth_wrong_t wrong, berth_binary_op_t expected,
                            berth_wrong_t expected_wrong, const char *text) {
  op_case_t given;
  berth_error_t err = BERTH_ERROR_INIT;
  berth_binary_t binary = {.function = function, .wrong = wrong};
  given_two(&given, "Div", dtype, BERTH_SHAPE(2), BERTH_SHAPE(2));
  ASSERT_OK(berth_op_binary(op_case_make(&given), &binary, &err), &err);
  EXPECT_EQ(binary.function, expected);
  EXPECT_EQ(binary.wrong, expected_wrong);
  if (text != NULL) EXPECT_STR(binary.text, text);
  op_case_deinit(&given);
}

TEST(binary, divides_by_type) {
  const char *text = "Integer division by zero";
  expect_function(BERTH_BINARY_DIV, BERTH_FLOAT, BERTH_WRONG_ZERO,
                  BERTH_BINARY_DIV, BERTH_WRONG_NOTHING, NULL);
  expect_function(BERTH_BINARY_DIV, BERTH_INT16, BERTH_WRONG_ZERO,
                  BERTH_BINARY_TRUNC_DIV, BERTH_WRONG_ZERO, text);
  expect_function(BERTH_BINARY_FLOOR_DIV, BERTH_INT16, BERTH_WRONG_ZERO,
                  BERTH_BINARY_FLOOR_DIV, BERTH_WRONG_ZERO, text);
  expect_function(BERTH_BINARY_FLOOR_DIV, BERTH_UINT16, BERTH_WRONG_ZERO,
                  BERTH_BINARY_TRUNC_DIV, BERTH_WRONG_ZERO, text);
}

TEST(binary, says_what_is_wrong) {
  expect_function(BERTH_BINARY_POW, BERTH_INT32, BERTH_WRONG_NEGATIVE,
                  BERTH_BINARY_POW, BERTH_WRONG_NEGATIVE,
                  "Integers to negative integer powers are not allowed");
  expect_function(BERTH_BINARY_POW, BERTH_DOUBLE, BERTH_WRONG_NEGATIVE,
                  BERTH_BINARY_POW, BERTH_WRONG_NOTHING, NULL);
  expect_function(BERTH_BINARY_TRUNC_MOD, BERTH_INT32, BERTH_WRONG_FORGOTTEN,
                  BERTH_BINARY_TRUNC_MOD, BERTH_WRONG_ZERO,
                  "Unexpected error in binary operator (only integer div and "
                  "mod should have errors)");
}

TEST(binary, knows_functions_of_two_steps) {
  berth_binary_op_t first;
  berth_unary_op_t second;
  ASSERT_TRUE(
      berth_binary_steps(BERTH_BINARY_SQUARED_DIFFERENCE, &first, &second));
  EXPECT_EQ(first, BERTH_BINARY_SUB);
  EXPECT_EQ(second, BERTH_UNARY_SQUARE);
  EXPECT_TRUE(!berth_binary_steps(BERTH_BINARY_ADD, &first, &second));
}

TEST(binary, compares_what_does_not_fit) {
  op_case_t given;
  berth_error_t err = BERTH_ERROR_INIT;
  berth_binary_t binary = {.function = BERTH_BINARY_NOT_EQUAL};
  given_two(&given, "NotEqual", BERTH_INT8, BERTH_SHAPE(2), BERTH_SHAPE(3));
  op_case_bool(&given, "incompatible_shape_error", false);
  berth_case_t *op = op_case_make(&given);
  ASSERT_OK(berth_op_binary(op, &binary, &err), &err);
  EXPECT_STR(op_case_shape(&given, 0), "[]");
  EXPECT_EQ(binary.answer, 1);
  EXPECT_EQ(op->may_overwrite, 0);
  // A sum has no such answer.
  binary = (berth_binary_t){.function = BERTH_BINARY_ADD};
  EXPECT_EQ(berth_op_binary(op_case_make(&given), &binary, &err),
            BERTH_INVALID_ARGUMENT);
  op_case_deinit(&given);
  berth_error_clear(&err);
}

TEST(binary, refuses_shapes) {
  op_case_t given;
  berth_error_t err = BERTH_ERROR_INIT;
  berth_binary_t binary = {.function = BERTH_BINARY_ADD};
  given_two(&given, "AddV2", BERTH_FLOAT, BERTH_SHAPE(2, 3), BERTH_SHAPE(2));
  EXPECT_FAILS(berth_op_binary(op_case_make(&given), &binary, &err),
               BERTH_INVALID_ARGUMENT, &err,
               "Incompatible shapes: [2,3] vs. [2]");
  op_case_deinit(&given);
  int64_t huge = INT64_C(1) << 32;
  given_two(&given, "AddV2", BERTH_FLOAT, BERTH_SHAPE(huge, 1),
            BERTH_SHAPE(1, huge));
  EXPECT_EQ(berth_op_binary(op_case_make(&given), &binary, &err),
            BERTH_RESOURCE_EXHAUSTED);
  op_case_deinit(&given);
  berth_error_clear(&err);
}

TEST(binary, says_when_memory_is_short) {
  op_case_t given;
  berth_error_t err = BERTH_ERROR_INIT;
  berth_binary_t binary = {.function = BERTH_BINARY_ADD};
  given_two(&given, "AddV2", BERTH_FLOAT, BERTH_SHAPE(2), BERTH_SHAPE(2));
  berth_case_t *op = op_case_make(&given);
  berth_arena_t empty = {0};
  op->arena = &empty;
  berth_fault_arm("alloc", 1);
  EXPECT_EQ(berth_op_binary(op, &binary, &err), BERTH_RESOURCE_EXHAUSTED);
  EXPECT_EQ(berth_fault_disarm(), 1);
  berth_arena_clear(&empty);
  op_case_deinit(&given);
  berth_error_clear(&err);
}

// ---- Select ----

static void given_select(op_case_t *given, const char *op,
                         berth_dims_t condition, berth_dims_t then,
                         berth_dims_t other) {
  *given = (op_case_t){.op = op};
  op_case_input(given, BERTH_BOOL, condition);
  op_case_input(given, BERTH_FLOAT, then);
  op_case_input(given, BERTH_FLOAT, other);
  op_case_output(given, BERTH_FLOAT);
}

TEST(select, takes_rows_by_a_vector) {
  op_case_t given;
  berth_error_t err = BERTH_ERROR_INIT;
  berth_select_t select;
  given_select(&given, "Select", BERTH_SHAPE(2), BERTH_SHAPE(2, 3),
               BERTH_SHAPE(2, 3));
  berth_case_t *op = op_case_make(&given);
  ASSERT_OK(berth_op_select(op, &select, &err), &err);
  EXPECT_STR(op_case_shape(&given, 0), "[2,3]");
  EXPECT_STR(show(&select.broadcast, 3), "3:0,1,1 2:1,3,3");
  EXPECT_EQ(op->may_overwrite, 6);
  op_case_deinit(&given);
}

TEST(select, broadcasts_all_in_the_second_version) {
  op_case_t given;
  berth_error_t err = BERTH_ERROR_INIT;
  berth_select_t select;
  given_select(&given, "SelectV2", BERTH_SHAPE(2, 1), BERTH_SHAPE(3),
               BERTH_SHAPE(2, 3));
  berth_case_t *op = op_case_make(&given);
  ASSERT_OK(berth_op_select_v2(op, &select, &err), &err);
  EXPECT_STR(op_case_shape(&given, 0), "[2,3]");
  EXPECT_STR(show(&select.broadcast, 3), "3:0,1,1 2:1,0,3");
  EXPECT_EQ(op->may_overwrite, 4);
  op_case_deinit(&given);
}

TEST(select, refuses_shapes) {
  op_case_t given;
  berth_error_t err = BERTH_ERROR_INIT;
  berth_select_t select;
  given_select(&given, "Select", BERTH_SHAPE(3), BERTH_SHAPE(2, 3),
               BERTH_SHAPE(2, 3));
  EXPECT_FAILS(
      berth_op_select(op_case_make(&given), &select, &err),
      BERTH_INVALID_ARGUMENT, &err,
      "Number of batches of 'then' must match size of 'cond', but saw: "
      "2 vs. 3");
  EXPECT_EQ(berth_op_select_v2(op_case_make(&given), &select, &err), BERTH_OK);
  op_case_deinit(&given);
  given_select(&given, "Select", BERTH_SCALAR, BERTH_SHAPE(2, 3),
               BERTH_SHAPE(3));
  EXPECT_FAILS(
      berth_op_select(op_case_make(&given), &select, &err),
      BERTH_INVALID_ARGUMENT, &err,
      "'then' and 'else' must have the same size.  but received: [2,3] vs. "
      "[3]");
  op_case_deinit(&given);
  berth_error_clear(&err);
}

// ---- Cast ----

static berth_code_t cast(op_case_t *given, berth_dtype_t from, berth_dtype_t to,
                         bool cuts_off, berth_cast_t *out, berth_error_t *err) {
  given_one(given, "Cast", from, BERTH_SHAPE(3));
  op_case_type(given, "DstT", to);
  op_case_bool(given, "Truncate", cuts_off);
  return berth_op_cast(op_case_make(given), out, err);
}

TEST(cast, says_what_is_kept) {
  op_case_t given;
  berth_error_t err = BERTH_ERROR_INIT;
  berth_cast_t out;
  ASSERT_OK(cast(&given, BERTH_FLOAT, BERTH_INT32, false, &out, &err), &err);
  EXPECT_EQ(given.made.may_overwrite, 1);
  EXPECT_EQ(out.count, 3);
  EXPECT_EQ(out.digits, 0);
  op_case_deinit(&given);
  ASSERT_OK(cast(&given, BERTH_FLOAT, BERTH_HALF, true, &out, &err), &err);
  EXPECT_EQ(given.made.may_overwrite, 0);
  EXPECT_EQ(out.digits, 10);
  op_case_deinit(&given);
  ASSERT_OK(cast(&given, BERTH_HALF, BERTH_FLOAT, true, &out, &err), &err);
  EXPECT_EQ(out.digits, 0);
  op_case_deinit(&given);
}

TEST(cast, hands_on_what_is_the_same) {
  op_case_t given;
  berth_error_t err = BERTH_ERROR_INIT;
  berth_cast_t out;
  ASSERT_OK(cast(&given, BERTH_STRING, BERTH_STRING, false, &out, &err), &err);
  EXPECT_EQ(given.made.alias, 0);
  op_case_deinit(&given);
}

TEST(cast, refuses_pairs) {
  op_case_t given;
  berth_error_t err = BERTH_ERROR_INIT;
  berth_cast_t out;
  EXPECT_FAILS(cast(&given, BERTH_STRING, BERTH_FLOAT, false, &out, &err),
               BERTH_UNIMPLEMENTED, &err,
               "Cast string to float is not supported");
  op_case_deinit(&given);
  EXPECT_EQ(cast(&given, BERTH_INT4, BERTH_FLOAT, false, &out, &err),
            BERTH_UNIMPLEMENTED);
  op_case_deinit(&given);
  EXPECT_EQ(cast(&given, BERTH_INT32, BERTH_FLOAT8_E5M2, false, &out, &err),
            BERTH_UNIMPLEMENTED);
  op_case_deinit(&given);
  berth_error_clear(&err);
}

// ---- Sums, zeros and ones ----

TEST(add_n, adds_in_groups) {
  op_case_t given = {.op = "AddN"};
  berth_error_t err = BERTH_ERROR_INIT;
  berth_sum_t sum;
  op_case_output(&given, BERTH_FLOAT);
  op_case_input(&given, BERTH_FLOAT, BERTH_SHAPE(2, 2));
  berth_case_t *op = op_case_make(&given);
  ASSERT_OK(berth_op_add_n(op, &sum, &err), &err);
  EXPECT_EQ(op->alias, 0);
  for (int i = 1; i < 11; ++i) {
    op_case_input(&given, BERTH_FLOAT, BERTH_SHAPE(2, 2));
  }
  op = op_case_make(&given);
  ASSERT_OK(berth_op_add_n(op, &sum, &err), &err);
  EXPECT_EQ(op->alias, -1);
  EXPECT_EQ(sum.count, 4);
  EXPECT_EQ(sum.first, 3);  // And eight.
  EXPECT_EQ(op->may_overwrite, 0x7ff);
  op_case_input(&given, BERTH_FLOAT, BERTH_SHAPE(4));
  EXPECT_EQ(berth_op_add_n(op_case_make(&given), &sum, &err),
            BERTH_INVALID_ARGUMENT);
  op_case_deinit(&given);
  berth_error_clear(&err);
}

TEST(like, has_one_element) {
  op_case_t given;
  berth_error_t err = BERTH_ERROR_INIT;
  berth_like_t like;
  given_one(&given, "OnesLike", BERTH_BFLOAT16, BERTH_SHAPE(5));
  berth_case_t *op = op_case_make(&given);
  ASSERT_OK(berth_op_ones_like(op, &like, &err), &err);
  const uint16_t one = 0x3f80;
  EXPECT_EQ(like.size, sizeof(one));
  EXPECT_EQ(memcmp(like.element, &one, sizeof(one)), 0);
  EXPECT_EQ(like.count, 5);
  EXPECT_EQ(op->may_overwrite, 1);
  op_case_deinit(&given);
  given_one(&given, "ZerosLike", BERTH_STRING, BERTH_SHAPE(5));
  op = op_case_make(&given);
  ASSERT_OK(berth_op_zeros_like(op, &like, &err), &err);
  EXPECT_STR(op_case_shape(&given, 0), "[5]");
  EXPECT_EQ(like.count, 0);
  EXPECT_EQ(op->may_overwrite, 0);
  op_case_deinit(&given);
}
