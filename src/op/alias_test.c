// alias_test.c - What ops mean that hand on what they are given.
#include "op/alias.h"

#include "harness.h"
#include "op/op_testing.h"

// ---- The same shape ----

TEST(alias, identity_is_its_input) {
  op_case_t given = {.op = "Identity"};
  berth_error_t err = BERTH_ERROR_INIT;
  op_case_input(&given, BERTH_FLOAT, BERTH_SHAPE(2, 3));
  op_case_output(&given, BERTH_FLOAT);
  berth_case_t *op = op_case_make(&given);
  ASSERT_OK(berth_op_identity(op, &err), &err);
  EXPECT_STR(op_case_shape(&given, 0), "[2,3]");
  EXPECT_EQ(op->alias, 0);
  EXPECT_EQ(op->may_overwrite, 0);
  op_case_deinit(&given);
}

TEST(alias, identity_n_has_no_alias) {
  op_case_t given = {.op = "IdentityN"};
  berth_error_t err = BERTH_ERROR_INIT;
  op_case_input(&given, BERTH_FLOAT, BERTH_SHAPE(2, 3));
  op_case_input(&given, BERTH_INT32, BERTH_SCALAR);
  op_case_output(&given, BERTH_FLOAT);
  op_case_output(&given, BERTH_INT32);
  berth_case_t *op = op_case_make(&given);
  ASSERT_OK(berth_op_identity_n(op, &err), &err);
  EXPECT_STR(op_case_shape(&given, 0), "[2,3]");
  EXPECT_STR(op_case_shape(&given, 1), "[]");
  EXPECT_EQ(op->alias, -1);
  op_case_deinit(&given);
}

// ---- Reshape ----

static void reshape_given(op_case_t *given, berth_dims_t dims, int32_t count,
                          const int32_t *sizes) {
  *given = (op_case_t){.op = "Reshape"};
  op_case_input(given, BERTH_FLOAT, dims);
  op_case_value(given, BERTH_INT32, BERTH_SHAPE(count), sizes);
  op_case_output(given, BERTH_FLOAT);
}

#define SIZES(...)                                               \
  (int32_t)(sizeof((int32_t[]){__VA_ARGS__}) / sizeof(int32_t)), \
      (const int32_t[]) {                                        \
    __VA_ARGS__                                                  \
  }

TEST(reshape, finds_the_size_that_is_left) {
  op_case_t given;
  berth_error_t err = BERTH_ERROR_INIT;
  reshape_given(&given, BERTH_SHAPE(4, 6), SIZES(3, -1, 2));
  berth_case_t *op = op_case_make(&given);
  ASSERT_OK(berth_op_reshape(op, &err), &err);
  EXPECT_STR(op_case_shape(&given, 0), "[3,4,2]");
  EXPECT_EQ(op->alias, 0);
  op_case_deinit(&given);
}

// Zeros on both sides are left out, as TensorFlow does.
TEST(reshape, solves_around_zeros) {
  op_case_t given;
  berth_error_t err = BERTH_ERROR_INIT;
  reshape_given(&given, BERTH_SHAPE(0, 6), SIZES(0, -1));
  ASSERT_OK(berth_op_reshape(op_case_make(&given), &err), &err);
  EXPECT_STR(op_case_shape(&given, 0), "[0,6]");
  op_case_deinit(&given);
}

TEST(reshape, refuses_what_does_not_fit) {
  op_case_t given;
  berth_error_t err = BERTH_ERROR_INIT;
  reshape_given(&given, BERTH_SHAPE(4, 6), SIZES(5, 5));
  EXPECT_FAILS(berth_op_reshape(op_case_make(&given), &err),
               BERTH_INVALID_ARGUMENT, &err,
               "Input to reshape is a tensor with 24 values, but the requested "
               "shape has 25");
  op_case_deinit(&given);
  reshape_given(&given, BERTH_SHAPE(4, 6), SIZES(5, -1));
  EXPECT_FAILS(berth_op_reshape(op_case_make(&given), &err),
               BERTH_INVALID_ARGUMENT, &err,
               "Input to reshape is a tensor with 24 values, but the requested "
               "shape requires a multiple of 5");
  op_case_deinit(&given);
  reshape_given(&given, BERTH_SHAPE(4, 6), SIZES(-1, 2, -1));
  EXPECT_FAILS(berth_op_reshape(op_case_make(&given), &err),
               BERTH_INVALID_ARGUMENT, &err,
               "Only one input size may be -1, not both 0 and 2");
  op_case_deinit(&given);
  reshape_given(&given, BERTH_SHAPE(4, 6), SIZES(-2, 12));
  EXPECT_FAILS(berth_op_reshape(op_case_make(&given), &err),
               BERTH_INVALID_ARGUMENT, &err,
               "Size 0 must be non-negative, not -2");
  EXPECT_EQ(given.made.alias, -1);
  op_case_deinit(&given);
}

TEST(reshape, refuses_products_that_overflow) {
  op_case_t given;
  berth_error_t err = BERTH_ERROR_INIT;
  reshape_given(&given, BERTH_SHAPE(4), SIZES(INT32_MAX, INT32_MAX, INT32_MAX));
  EXPECT_FAILS(
      berth_op_reshape(op_case_make(&given), &err), BERTH_INVALID_ARGUMENT,
      &err, "Shape [2147483647, 2147483647, 2147483647] has too many elements");
  op_case_deinit(&given);
}

// ---- Dimensions of one ----

TEST(expand_dims, adds_one_at_any_place) {
  static const struct {
    int32_t dim;
    const char *shape;
  } cases[] = {{0, "[1,2,3]"},
               {1, "[2,1,3]"},
               {2, "[2,3,1]"},
               {-1, "[2,3,1]"},
               {-3, "[1,2,3]"}};
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i) {
    op_case_t given = {.op = "ExpandDims"};
    berth_error_t err = BERTH_ERROR_INIT;
    op_case_input(&given, BERTH_FLOAT, BERTH_SHAPE(2, 3));
    op_case_ints(&given, BERTH_SCALAR, cases[i].dim);
    op_case_output(&given, BERTH_FLOAT);
    berth_case_t *op = op_case_make(&given);
    ASSERT_OK(berth_op_expand_dims(op, &err), &err);
    EXPECT_STR(op_case_shape(&given, 0), cases[i].shape);
    EXPECT_EQ(op->alias, 0);
    op_case_deinit(&given);
  }
}

TEST(expand_dims, refuses_places_that_are_none) {
  op_case_t given = {.op = "ExpandDims"};
  berth_error_t err = BERTH_ERROR_INIT;
  op_case_input(&given, BERTH_FLOAT, BERTH_SHAPE(2, 3));
  op_case_ints(&given, BERTH_SCALAR, 3);
  op_case_output(&given, BERTH_FLOAT);
  EXPECT_FAILS(berth_op_expand_dims(op_case_make(&given), &err),
               BERTH_INVALID_ARGUMENT, &err,
               "Tried to expand dim index 3 for tensor with 2 dimensions.");
  op_case_deinit(&given);
}

static void squeeze_given(op_case_t *given, int32_t count,
                          const int64_t *dims) {
  *given = (op_case_t){.op = "Squeeze"};
  op_case_input(given, BERTH_FLOAT, BERTH_SHAPE(1, 3, 1, 2));
  op_case_output(given, BERTH_FLOAT);
  berth_attr_value_t *value = op_case_attr(
      given, "squeeze_dims",
      (berth_attr_kind_t)((int)BERTH_ATTR_LIST + (int)BERTH_ATTR_INT));
  value->count = count;
  value->i_list = dims;
}

TEST(squeeze, drops_those_named_or_all_of_one) {
  op_case_t given;
  berth_error_t err = BERTH_ERROR_INIT;
  squeeze_given(&given, 0, NULL);
  ASSERT_OK(berth_op_squeeze(op_case_make(&given), &err), &err);
  EXPECT_STR(op_case_shape(&given, 0), "[3,2]");
  op_case_deinit(&given);
  squeeze_given(&given, 1, (const int64_t[]){-2});
  berth_case_t *op = op_case_make(&given);
  ASSERT_OK(berth_op_squeeze(op, &err), &err);
  EXPECT_STR(op_case_shape(&given, 0), "[1,3,2]");
  EXPECT_EQ(op->alias, 0);
  op_case_deinit(&given);
}

TEST(squeeze, refuses_others) {
  op_case_t given;
  berth_error_t err = BERTH_ERROR_INIT;
  squeeze_given(&given, 1, (const int64_t[]){1});
  EXPECT_FAILS(berth_op_squeeze(op_case_make(&given), &err),
               BERTH_INVALID_ARGUMENT, &err,
               "Can not squeeze dim[1], expected a dimension of 1, got 3");
  op_case_deinit(&given);
  squeeze_given(&given, 1, (const int64_t[]){4});
  EXPECT_FAILS(berth_op_squeeze(op_case_make(&given), &err),
               BERTH_INVALID_ARGUMENT, &err,
               "Tried to squeeze dim index 4 for tensor with 4 dimensions.");
  op_case_deinit(&given);
}

// ---- Constants and placeholders ----

TEST(constant, is_what_was_written_into_it) {
  op_case_t given = {.op = "Const"};
  berth_error_t err = BERTH_ERROR_INIT;
  berth_tensor_t *tensor = NULL;
  const berth_tensor_t *value = NULL;
  ASSERT_OK(berth_tensor_create(BERTH_INT32, BERTH_SHAPE(4), &tensor, &err),
            &err);
  op_case_attr(&given, "value", BERTH_ATTR_TENSOR)->tensor = tensor;
  op_case_output(&given, BERTH_INT32);
  ASSERT_OK(berth_op_const(op_case_make(&given), &value, &err), &err);
  EXPECT_TRUE(value == tensor);
  EXPECT_STR(op_case_shape(&given, 0), "[4]");
  given.output_types[0] = BERTH_FLOAT;
  value = NULL;
  EXPECT_FAILS(berth_op_const(op_case_make(&given), &value, &err),
               BERTH_INVALID_ARGUMENT, &err,
               "Type mismatch between value (int32) and dtype (float)");
  EXPECT_TRUE(value == NULL);
  op_case_deinit(&given);
  berth_tensor_release(tensor);
}

TEST(placeholder, says_that_it_was_not_fed) {
  op_case_t given = {.op = "Placeholder"};
  berth_error_t err = BERTH_ERROR_INIT;
  const int64_t dims[] = {-1, 3};
  op_case_output(&given, BERTH_FLOAT);
  ASSERT_OK(berth_op_placeholder(op_case_make(&given), &err), &err);
  EXPECT_STR(op_case_shape(&given, 0), "?");
  berth_attr_value_t *shape = op_case_attr(&given, "shape", BERTH_ATTR_SHAPE);
  shape->shape = (berth_dims_t){2, dims};
  EXPECT_FAILS(berth_placeholder_fail(op_case_make(&given)->node, &err),
               BERTH_INVALID_ARGUMENT, &err,
               "You must feed a value for placeholder tensor 'Placeholder' "
               "with dtype float and shape [?,3]");
  // A scalar is reported like an unknown shape.
  shape->shape.rank = 0;
  EXPECT_FAILS(berth_placeholder_fail(op_case_make(&given)->node, &err),
               BERTH_INVALID_ARGUMENT, &err,
               "You must feed a value for placeholder tensor 'Placeholder' "
               "with dtype float");
  op_case_deinit(&given);
}
