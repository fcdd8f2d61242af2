// index_test.c - What ops mean that pick elements by index.
#include "op/index.h"

#include "harness.h"
#include "op/op_testing.h"

// ---- Gather ----

static void gather_given(op_case_t *given, berth_dims_t params,
                         berth_dims_t indices, int32_t axis, int64_t batch) {
  *given = (op_case_t){.op = "GatherV2"};
  op_case_input(given, BERTH_DOUBLE, params);
  op_case_input(given, BERTH_INT32, indices);
  op_case_ints(given, BERTH_SCALAR, axis);
  op_case_int(given, "batch_dims", batch);
  op_case_output(given, BERTH_DOUBLE);
}

static void expect_gather(const berth_gather_t *gather, int64_t batch,
                          int64_t outer, int64_t limit, int64_t count,
                          int64_t inner) {
  EXPECT_EQ(gather->batch, batch);
  EXPECT_EQ(gather->outer, outer);
  EXPECT_EQ(gather->limit, limit);
  EXPECT_EQ(gather->count, count);
  EXPECT_EQ(gather->inner, inner);
  EXPECT_EQ(gather->total, batch * outer * count * inner);
}

TEST(gather, sees_five_dimensions) {
  op_case_t given;
  berth_error_t err = BERTH_ERROR_INIT;
  berth_gather_t gather;
  gather_given(&given, BERTH_SHAPE(2, 3, 4, 5), BERTH_SHAPE(6, 7), -2, 0);
  ASSERT_OK(berth_op_gather(op_case_make(&given), &gather, &err), &err);
  EXPECT_STR(op_case_shape(&given, 0), "[2,3,6,7,5]");
  expect_gather(&gather, 1, 6, 4, 42, 5);
  op_case_deinit(&given);
  gather_given(&given, BERTH_SHAPE(2, 3, 4, 5), BERTH_SHAPE(2, 7), 2, 1);
  ASSERT_OK(berth_op_gather(op_case_make(&given), &gather, &err), &err);
  EXPECT_STR(op_case_shape(&given, 0), "[2,3,7,5]");
  expect_gather(&gather, 2, 3, 4, 7, 5);
  op_case_deinit(&given);
}

TEST(gather, without_an_axis_picks_rows) {
  op_case_t given = {.op = "Gather"};
  berth_error_t err = BERTH_ERROR_INIT;
  berth_gather_t gather;
  op_case_input(&given, BERTH_FLOAT, BERTH_SHAPE(9, 3));
  op_case_input(&given, BERTH_INT64, BERTH_SCALAR);
  op_case_output(&given, BERTH_FLOAT);
  ASSERT_OK(berth_op_gather(op_case_make(&given), &gather, &err), &err);
  EXPECT_STR(op_case_shape(&given, 0), "[3]");
  expect_gather(&gather, 1, 1, 9, 1, 3);
  op_case_deinit(&given);
}

TEST(gather, of_nothing_is_no_work) {
  op_case_t given;
  berth_error_t err = BERTH_ERROR_INIT;
  berth_gather_t gather;
  gather_given(&given, BERTH_SHAPE(4, 5), BERTH_SHAPE(0), 0, 0);
  ASSERT_OK(berth_op_gather(op_case_make(&given), &gather, &err), &err);
  EXPECT_STR(op_case_shape(&given, 0), "[0,5]");
  EXPECT_EQ(gather.total, 0);
  op_case_deinit(&given);
}

TEST(gather, refuses_axes_and_batches_that_are_none) {
  op_case_t given;
  berth_error_t err = BERTH_ERROR_INIT;
  berth_gather_t gather;
  gather_given(&given, BERTH_SHAPE(4, 5), BERTH_SHAPE(2), 2, 0);
  EXPECT_FAILS(berth_op_gather(op_case_make(&given), &gather, &err),
               BERTH_INVALID_ARGUMENT, &err,
               "Shape must be at least rank 3 but is rank 2");
  op_case_deinit(&given);
  gather_given(&given, BERTH_SHAPE(4, 5), BERTH_SHAPE(2), 0, 2);
  EXPECT_FAILS(berth_op_gather(op_case_make(&given), &gather, &err),
               BERTH_INVALID_ARGUMENT, &err,
               "Expected batch_dims in the range [-1, 1], but got 2");
  op_case_deinit(&given);
  gather_given(&given, BERTH_SHAPE(4, 5), BERTH_SHAPE(4, 2), 0, 1);
  EXPECT_FAILS(berth_op_gather(op_case_make(&given), &gather, &err),
               BERTH_INVALID_ARGUMENT, &err,
               "batch_dims (1) must be less than or equal to axis (0).");
  op_case_deinit(&given);
  gather_given(&given, BERTH_SHAPE(4, 5), BERTH_SHAPE(3, 2), 1, 1);
  EXPECT_FAILS(berth_op_gather(op_case_make(&given), &gather, &err),
               BERTH_INVALID_ARGUMENT, &err,
               "params.shape[0]: 4 should be equal to indices.shape[0]: 3");
  op_case_deinit(&given);
}

// ---- OneHot ----

static void one_hot_given(op_case_t *given, int32_t depth, int64_t axis) {
  *given = (op_case_t){.op = "OneHot"};
  op_case_input(given, BERTH_INT64, BERTH_SHAPE(2, 3));
  op_case_ints(given, BERTH_SCALAR, depth);
  op_case_input(given, BERTH_FLOAT, BERTH_SCALAR);
  op_case_input(given, BERTH_FLOAT, BERTH_SCALAR);
  op_case_int(given, "axis", axis);
  op_case_output(given, BERTH_FLOAT);
}

TEST(one_hot, puts_a_dimension_anywhere) {
  static const struct {
    int64_t axis;
    const char *shape;
    int64_t prefix, suffix;
  } cases[] = {{-1, "[2,3,4]", 6, 1},
               {0, "[4,2,3]", 1, 6},
               {1, "[2,4,3]", 2, 3},
               {2, "[2,3,4]", 6, 1}};
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i) {
    op_case_t given;
    berth_error_t err = BERTH_ERROR_INIT;
    berth_one_hot_t one_hot;
    one_hot_given(&given, 4, cases[i].axis);
    ASSERT_OK(berth_op_one_hot(op_case_make(&given), &one_hot, &err), &err);
    EXPECT_STR(op_case_shape(&given, 0), cases[i].shape);
    EXPECT_EQ(one_hot.count, 24);
    EXPECT_EQ(one_hot.prefix, cases[i].prefix);
    EXPECT_EQ(one_hot.depth, 4);
    EXPECT_EQ(one_hot.suffix, cases[i].suffix);
    op_case_deinit(&given);
  }
}

TEST(one_hot, refuses_depths_and_axes_that_are_none) {
  op_case_t given;
  berth_error_t err = BERTH_ERROR_INIT;
  berth_one_hot_t one_hot;
  one_hot_given(&given, -1, 0);
  EXPECT_FAILS(berth_op_one_hot(op_case_make(&given), &one_hot, &err),
               BERTH_INVALID_ARGUMENT, &err,
               "depth must be non-negative, got: -1");
  op_case_deinit(&given);
  one_hot_given(&given, 4, 3);
  EXPECT_FAILS(berth_op_one_hot(op_case_make(&given), &one_hot, &err),
               BERTH_INVALID_ARGUMENT, &err,
               "Expected axis to be -1 or between [0, 3).  But received: 3");
  op_case_deinit(&given);
  one_hot_given(&given, 0, 0);
  ASSERT_OK(berth_op_one_hot(op_case_make(&given), &one_hot, &err), &err);
  EXPECT_STR(op_case_shape(&given, 0), "[0,2,3]");
  EXPECT_EQ(one_hot.count, 0);
  op_case_deinit(&given);
}

// ---- Where things stand ----

TEST(where, knows_its_shape_when_it_has_looked) {
  op_case_t given = {.op = "Where"};
  berth_error_t err = BERTH_ERROR_INIT;
  op_case_input(&given, BERTH_BOOL, BERTH_SHAPE(2, 3));
  op_case_output(&given, BERTH_INT64);
  ASSERT_OK(berth_op_where(op_case_make(&given), &err), &err);
  EXPECT_STR(op_case_shape(&given, 0), "?");
  op_case_deinit(&given);
  given = (op_case_t){.op = "Where"};
  op_case_input(&given, BERTH_BOOL, BERTH_SCALAR);
  op_case_output(&given, BERTH_INT64);
  EXPECT_FAILS(berth_op_where(op_case_make(&given), &err),
               BERTH_INVALID_ARGUMENT, &err,
               "WhereOp : Unhandled input dimensions: 0");
  given.inputs[0].dtype = BERTH_HALF;
  EXPECT_EQ(berth_op_where(op_case_make(&given), &err), BERTH_UNIMPLEMENTED);
  berth_error_clear(&err);
  op_case_deinit(&given);
}

TEST(unique, knows_how_many_indices_there_are) {
  op_case_t given = {.op = "Unique"};
  berth_error_t err = BERTH_ERROR_INIT;
  op_case_input(&given, BERTH_FLOAT, BERTH_SHAPE(5));
  op_case_output(&given, BERTH_FLOAT);
  op_case_output(&given, BERTH_INT32);
  ASSERT_OK(berth_op_unique(op_case_make(&given), &err), &err);
  EXPECT_STR(op_case_shape(&given, 0), "?");
  EXPECT_STR(op_case_shape(&given, 1), "[5]");
  given.inputs[0].rank = 0;
  EXPECT_FAILS(berth_op_unique(op_case_make(&given), &err),
               BERTH_INVALID_ARGUMENT, &err, "unique expects a 1D vector.");
  op_case_deinit(&given);
}

TEST(invert_permutation, takes_vectors) {
  op_case_t given = {.op = "InvertPermutation"};
  berth_error_t err = BERTH_ERROR_INIT;
  op_case_input(&given, BERTH_INT32, BERTH_SHAPE(5));
  op_case_output(&given, BERTH_INT32);
  ASSERT_OK(berth_op_invert_permutation(op_case_make(&given), &err), &err);
  EXPECT_STR(op_case_shape(&given, 0), "[5]");
  given.inputs[0].rank = 0;
  EXPECT_FAILS(berth_op_invert_permutation(op_case_make(&given), &err),
               BERTH_INVALID_ARGUMENT, &err,
               "invert_permutation expects a 1D vector.");
  op_case_deinit(&given);
}
