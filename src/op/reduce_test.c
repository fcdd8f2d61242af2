// reduce_test.c - What reductions mean: levels, shapes, aliases, errors.
#include "op/reduce.h"

#include "base/str.h"
#include "harness.h"
#include "op/op_testing.h"

// Returns the levels of |reduction| as text: "2k 12r".
static const char *show(const berth_reduction_t *reduction) {
  static char shown[256];
  berth_str_t str = {0};
  for (int32_t i = 0; i < reduction->level_count; ++i) {
    berth_str_printf(&str, "%s%lld%c", i > 0 ? " " : "",
                     (long long)reduction->levels[i].count,
                     reduction->levels[i].is_reduced ? 'r' : 'k');
  }
  snprintf(shown, sizeof(shown), "%s", berth_str_get(&str));
  berth_str_clear(&str);
  return shown;
}

static void given_sum(op_case_t *given, berth_dims_t dims) {
  *given = (op_case_t){.op = "Sum"};
  op_case_input(given, BERTH_FLOAT, dims);
  op_case_output(given, BERTH_FLOAT);
}

static berth_code_t ask(op_case_t *given, berth_reduction_t *reduction,
                        berth_error_t *err) {
  return berth_op_reduce(op_case_make(given), BERTH_REDUCE_SUM, reduction, err);
}

TEST(reduce, joins_dimensions_to_levels) {
  op_case_t given;
  berth_error_t err = BERTH_ERROR_INIT;
  berth_reduction_t reduction;
  given_sum(&given, BERTH_SHAPE(2, 3, 1, 4));
  op_case_ints(&given, BERTH_SHAPE(1), 1);
  ASSERT_OK(ask(&given, &reduction, &err), &err);
  EXPECT_STR(op_case_shape(&given, 0), "[2,1,4]");
  EXPECT_STR(show(&reduction), "2k 3r 4k");
  EXPECT_EQ(reduction.values, 24);
  EXPECT_EQ(reduction.outputs, 8);
  EXPECT_EQ(reduction.kind, BERTH_REDUCE_SUM);
  EXPECT_EQ(given.made.alias, -1);
  op_case_deinit(&given);
  given_sum(&given, BERTH_SHAPE(2, 3, 1, 4));
  op_case_longs(&given, BERTH_SHAPE(2), -1, 1);
  ASSERT_OK(ask(&given, &reduction, &err), &err);
  EXPECT_STR(op_case_shape(&given, 0), "[2,1]");
  EXPECT_STR(show(&reduction), "2k 12r");
  op_case_deinit(&given);
}

TEST(reduce, keeps_dimensions_where_asked_to) {
  op_case_t given;
  berth_error_t err = BERTH_ERROR_INIT;
  berth_reduction_t reduction;
  given_sum(&given, BERTH_SHAPE(2, 3));
  op_case_ints(&given, BERTH_SCALAR, 0);
  op_case_bool(&given, "keep_dims", true);
  ASSERT_OK(ask(&given, &reduction, &err), &err);
  EXPECT_STR(op_case_shape(&given, 0), "[1,3]");
  EXPECT_STR(show(&reduction), "2r 3k");
  op_case_deinit(&given);
}

TEST(reduce, of_single_indices_is_the_input) {
  op_case_t given;
  berth_error_t err = BERTH_ERROR_INIT;
  berth_reduction_t reduction;
  given_sum(&given, BERTH_SHAPE(1, 3));
  op_case_ints(&given, BERTH_SHAPE(1), 0);
  ASSERT_OK(ask(&given, &reduction, &err), &err);
  EXPECT_STR(op_case_shape(&given, 0), "[3]");
  EXPECT_EQ(given.made.alias, 0);
  op_case_deinit(&given);
  given_sum(&given, BERTH_SHAPE(2, 3));
  op_case_value(&given, BERTH_INT32, BERTH_SHAPE(0), "");
  ASSERT_OK(ask(&given, &reduction, &err), &err);
  EXPECT_STR(op_case_shape(&given, 0), "[2,3]");
  EXPECT_EQ(given.made.alias, 0);
  op_case_deinit(&given);
}

TEST(reduce, of_nothing_has_outputs_and_no_levels) {
  const int64_t huge = INT64_C(1) << 40;
  op_case_t given;
  berth_error_t err = BERTH_ERROR_INIT;
  berth_reduction_t reduction;
  given_sum(&given, BERTH_SHAPE(5, 0, huge, huge));
  op_case_ints(&given, BERTH_SHAPE(3), 1, 2, 3);
  ASSERT_OK(ask(&given, &reduction, &err), &err);
  EXPECT_STR(op_case_shape(&given, 0), "[5]");
  EXPECT_EQ(reduction.values, 0);
  EXPECT_EQ(reduction.outputs, 5);
  EXPECT_EQ(reduction.level_count, 0);
  op_case_deinit(&given);
}

TEST(reduce, refuses_bad_axes) {
  op_case_t given;
  berth_error_t err = BERTH_ERROR_INIT;
  berth_reduction_t reduction;
  given_sum(&given, BERTH_SHAPE(2, 3));
  op_case_ints(&given, BERTH_SHAPE(1), 2);
  EXPECT_FAILS(ask(&given, &reduction, &err), BERTH_INVALID_ARGUMENT, &err,
               "Invalid reduction dimension (2 for input with 2 dimension(s)");
  op_case_deinit(&given);
  given_sum(&given, BERTH_SHAPE(2, 3));
  op_case_ints(&given, BERTH_SHAPE(2), 1, -1);
  EXPECT_FAILS(ask(&given, &reduction, &err), BERTH_INVALID_ARGUMENT, &err,
               "Invalid reduction arguments: Axes contains duplicate "
               "dimension: 1");
  op_case_deinit(&given);
}

TEST(l2_loss, reduces_everything) {
  op_case_t given = {.op = "L2Loss"};
  berth_error_t err = BERTH_ERROR_INIT;
  berth_reduction_t reduction;
  op_case_input(&given, BERTH_HALF, BERTH_SHAPE(2, 1, 3));
  op_case_output(&given, BERTH_HALF);
  ASSERT_OK(berth_op_l2_loss(op_case_make(&given), &reduction, &err), &err);
  EXPECT_STR(op_case_shape(&given, 0), "[]");
  EXPECT_STR(show(&reduction), "6r");
  EXPECT_EQ(reduction.kind, BERTH_REDUCE_HALF_SQUARES);
  EXPECT_EQ(reduction.outputs, 1);
  op_case_deinit(&given);
}

TEST(l2_loss, of_one_value_is_no_alias) {
  op_case_t given = {.op = "L2Loss"};
  berth_error_t err = BERTH_ERROR_INIT;
  berth_reduction_t reduction;
  op_case_input(&given, BERTH_FLOAT, BERTH_SCALAR);
  op_case_output(&given, BERTH_FLOAT);
  ASSERT_OK(berth_op_l2_loss(op_case_make(&given), &reduction, &err), &err);
  EXPECT_EQ(given.made.alias, -1);
  EXPECT_EQ(reduction.values, 1);
  EXPECT_EQ(reduction.level_count, 0);
  op_case_deinit(&given);
}

// ---- ArgMax, ArgMin ----

static void given_arg(op_case_t *given, berth_dims_t dims, int32_t axis) {
  *given = (op_case_t){.op = "ArgMax"};
  op_case_input(given, BERTH_FLOAT, dims);
  op_case_ints(given, BERTH_SCALAR, axis);
  op_case_output(given, BERTH_INT64);
}

TEST(arg, takes_one_dimension_out) {
  op_case_t given;
  berth_error_t err = BERTH_ERROR_INIT;
  berth_arg_t arg;
  given_arg(&given, BERTH_SHAPE(2, 3, 4, 5), -2);
  ASSERT_OK(berth_op_arg(op_case_make(&given), &arg, &err), &err);
  EXPECT_STR(op_case_shape(&given, 0), "[2,3,5]");
  EXPECT_EQ(arg.outer, 6);
  EXPECT_EQ(arg.n, 4);
  EXPECT_EQ(arg.inner, 5);
  EXPECT_EQ(arg.dtype, BERTH_FLOAT);
  EXPECT_EQ(arg.index_type, BERTH_INT64);
  op_case_deinit(&given);
}

TEST(arg, of_nothing_is_no_work) {
  op_case_t given;
  berth_error_t err = BERTH_ERROR_INIT;
  berth_arg_t arg;
  given_arg(&given, BERTH_SHAPE(0, 3), 1);
  ASSERT_OK(berth_op_arg(op_case_make(&given), &arg, &err), &err);
  EXPECT_STR(op_case_shape(&given, 0), "[0]");
  EXPECT_EQ(arg.n, 0);
  op_case_deinit(&given);
}

TEST(arg, refuses_bad_dimensions) {
  op_case_t given;
  berth_error_t err = BERTH_ERROR_INIT;
  berth_arg_t arg;
  given_arg(&given, BERTH_SHAPE(2, 3), 2);
  EXPECT_FAILS(berth_op_arg(op_case_make(&given), &arg, &err),
               BERTH_INVALID_ARGUMENT, &err,
               "Expected dimension in the range [-2, 2), but got 2");
  op_case_deinit(&given);
  given_arg(&given, BERTH_SHAPE(2, 0), 1);
  EXPECT_FAILS(berth_op_arg(op_case_make(&given), &arg, &err),
               BERTH_INVALID_ARGUMENT, &err,
               "Reduction axis 1 is empty in shape [2,0]");
  op_case_deinit(&given);
  given_arg(&given, BERTH_SHAPE(1, 1, 1, 1, 1, 1, 1, 2), 7);
  EXPECT_FAILS(berth_op_arg(op_case_make(&given), &arg, &err),
               BERTH_INVALID_ARGUMENT, &err,
               "Argmax and Argmin only support up to 7 input dimensions, but "
               "got 8. Inputs shape: [1,1,1,1,1,1,1,2]");
  op_case_deinit(&given);
}
