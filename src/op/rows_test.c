// rows_test.c - What ops on rows mean: shapes, sizes, errors.
#include "op/rows.h"

#include "harness.h"
#include "op/op_testing.h"

// ---- Softmax ----

static void given_logits(op_case_t *given, berth_dims_t dims) {
  *given = (op_case_t){.op = "Softmax"};
  op_case_input(given, BERTH_DOUBLE, dims);
  op_case_output(given, BERTH_DOUBLE);
}

TEST(softmax, takes_the_last_dimension_for_rows) {
  op_case_t given;
  berth_error_t err = BERTH_ERROR_INIT;
  berth_softmax_t softmax;
  given_logits(&given, BERTH_SHAPE(2, 3, 4));
  berth_case_t *op = op_case_make(&given);
  ASSERT_OK(berth_op_softmax(op, &softmax, &err), &err);
  EXPECT_STR(op_case_shape(&given, 0), "[2,3,4]");
  EXPECT_EQ(softmax.rows, 6);
  EXPECT_EQ(softmax.columns, 4);
  EXPECT_EQ(softmax.dtype, BERTH_DOUBLE);
  EXPECT_EQ(op->may_overwrite, 1);
  EXPECT_EQ(op->alias, -1);
  op_case_deinit(&given);
}

TEST(softmax, of_nothing_is_no_work) {
  op_case_t given;
  berth_error_t err = BERTH_ERROR_INIT;
  berth_softmax_t softmax;
  given_logits(&given, BERTH_SHAPE(2, 0));
  ASSERT_OK(berth_op_softmax(op_case_make(&given), &softmax, &err), &err);
  EXPECT_STR(op_case_shape(&given, 0), "[2,0]");
  EXPECT_EQ(softmax.rows, 0);
  EXPECT_EQ(given.made.may_overwrite, 0);
  op_case_deinit(&given);
}

TEST(softmax, refuses_scalars) {
  op_case_t given;
  berth_error_t err = BERTH_ERROR_INIT;
  berth_softmax_t softmax;
  given_logits(&given, BERTH_SCALAR);
  EXPECT_FAILS(berth_op_softmax(op_case_make(&given), &softmax, &err),
               BERTH_INVALID_ARGUMENT, &err,
               "logits must have >= 1 dimension, got []");
  op_case_deinit(&given);
}

// ---- TopKV2 ----

static void given_top(op_case_t *given, berth_dims_t dims, int32_t k) {
  *given = (op_case_t){.op = "TopKV2"};
  op_case_input(given, BERTH_FLOAT, dims);
  op_case_ints(given, BERTH_SCALAR, k);
  op_case_output(given, BERTH_FLOAT);
  op_case_output(given, BERTH_INT16);
}

TEST(top_k, takes_some_of_each_row) {
  op_case_t given;
  berth_error_t err = BERTH_ERROR_INIT;
  berth_top_k_t top;
  given_top(&given, BERTH_SHAPE(2, 3, 5), 4);
  ASSERT_OK(berth_op_top_k(op_case_make(&given), &top, &err), &err);
  EXPECT_STR(op_case_shape(&given, 0), "[2,3,4]");
  EXPECT_STR(op_case_shape(&given, 1), "[2,3,4]");
  EXPECT_EQ(top.rows, 6);
  EXPECT_EQ(top.n, 5);
  EXPECT_EQ(top.k, 4);
  EXPECT_EQ(top.dtype, BERTH_FLOAT);
  EXPECT_EQ(top.index_type, BERTH_INT16);
  op_case_deinit(&given);
}

TEST(top_k, of_nothing_has_no_rows) {
  op_case_t given;
  berth_error_t err = BERTH_ERROR_INIT;
  berth_top_k_t top;
  given_top(&given, BERTH_SHAPE(2, 0), 0);
  ASSERT_OK(berth_op_top_k(op_case_make(&given), &top, &err), &err);
  EXPECT_STR(op_case_shape(&given, 1), "[2,0]");
  EXPECT_EQ(top.rows, 0);
  op_case_deinit(&given);
}

TEST(top_k, refuses_more_than_there_are) {
  op_case_t given;
  berth_error_t err = BERTH_ERROR_INIT;
  berth_top_k_t top;
  given_top(&given, BERTH_SHAPE(2, 3), 4);
  EXPECT_FAILS(berth_op_top_k(op_case_make(&given), &top, &err),
               BERTH_INVALID_ARGUMENT, &err,
               "input must have at least k columns. Had 3, needed 4");
  op_case_deinit(&given);
  given_top(&given, BERTH_SHAPE(2, 3), -1);
  EXPECT_FAILS(berth_op_top_k(op_case_make(&given), &top, &err),
               BERTH_INVALID_ARGUMENT, &err, "Need k >= 0, got -1");
  op_case_deinit(&given);
  given_top(&given, BERTH_SCALAR, 0);
  EXPECT_FAILS(berth_op_top_k(op_case_make(&given), &top, &err),
               BERTH_INVALID_ARGUMENT, &err,
               "input must be >= 1-D, got shape []");
  op_case_deinit(&given);
}

// ---- InTopK, InTopKV2 ----

static void given_targets(op_case_t *given, const char *op,
                          berth_dims_t targets) {
  *given = (op_case_t){.op = op};
  op_case_input(given, BERTH_FLOAT, BERTH_SHAPE(3, 10));
  op_case_input(given, BERTH_INT64, targets);
  op_case_output(given, BERTH_BOOL);
}

TEST(in_top_k, has_k_as_an_attribute_or_an_input) {
  op_case_t given;
  berth_error_t err = BERTH_ERROR_INIT;
  berth_in_top_k_t in;
  given_targets(&given, "InTopK", BERTH_SHAPE(3));
  op_case_int(&given, "k", 4);
  ASSERT_OK(berth_op_in_top_k(op_case_make(&given), &in, &err), &err);
  EXPECT_STR(op_case_shape(&given, 0), "[3]");
  EXPECT_EQ(in.rows, 3);
  EXPECT_EQ(in.classes, 10);
  EXPECT_FALSE(in.has_input);
  EXPECT_EQ(in.k, 4);
  op_case_deinit(&given);
  given_targets(&given, "InTopKV2", BERTH_SHAPE(3));
  op_case_input(&given, BERTH_INT64, BERTH_SCALAR);
  ASSERT_OK(berth_op_in_top_k(op_case_make(&given), &in, &err), &err);
  EXPECT_TRUE(in.has_input);
  EXPECT_EQ(in.index_type, BERTH_INT64);
  op_case_deinit(&given);
}

TEST(in_top_k, refuses_what_does_not_fit) {
  op_case_t given;
  berth_error_t err = BERTH_ERROR_INIT;
  berth_in_top_k_t in;
  given_targets(&given, "InTopK", BERTH_SHAPE(2));
  EXPECT_FAILS(
      berth_op_in_top_k(op_case_make(&given), &in, &err),
      BERTH_INVALID_ARGUMENT, &err,
      "First dimension of predictions 3 must match length of targets 2");
  op_case_deinit(&given);
  given_targets(&given, "InTopKV2", BERTH_SHAPE(3));
  op_case_input(&given, BERTH_INT64, BERTH_SHAPE(1));
  EXPECT_FAILS(berth_op_in_top_k(op_case_make(&given), &in, &err),
               BERTH_INVALID_ARGUMENT, &err, "k must be 0-D, got shape [1]");
  op_case_deinit(&given);
}

static void given_loss(op_case_t *given, const char *op, berth_dims_t logits,
                       berth_dtype_t type, berth_dims_t labels) {
  *given = (op_case_t){.op = op};
  op_case_input(given, BERTH_FLOAT, logits);
  op_case_input(given, type, labels);
  op_case_output(given, BERTH_FLOAT);
  op_case_output(given, BERTH_FLOAT);
}

TEST(cross_entropy, broadcasts_to_rows) {
  op_case_t given;
  berth_error_t err = BERTH_ERROR_INIT;
  berth_cross_entropy_t loss;
  given_loss(&given, "SoftmaxCrossEntropyWithLogits", BERTH_SHAPE(5, 3),
             BERTH_FLOAT, BERTH_SHAPE(1, 3));
  ASSERT_OK(berth_op_cross_entropy(op_case_make(&given), &loss, &err), &err);
  EXPECT_STR(op_case_shape(&given, 0), "[5]");
  EXPECT_STR(op_case_shape(&given, 1), "[5,3]");
  EXPECT_EQ(loss.logits_steps[0], 3);
  EXPECT_EQ(loss.labels_steps[0], 0);
  op_case_deinit(&given);
  given_loss(&given, "SoftmaxCrossEntropyWithLogits", BERTH_SHAPE(5, 3),
             BERTH_FLOAT, BERTH_SHAPE(5, 2));
  EXPECT_FAILS(berth_op_cross_entropy(op_case_make(&given), &loss, &err),
               BERTH_INVALID_ARGUMENT, &err,
               "logits and labels must be broadcastable: logits_size=[5,3] "
               "labels_size=[5,2]");
  op_case_deinit(&given);
}

TEST(cross_entropy, of_classes_has_one_for_each_row) {
  op_case_t given;
  berth_error_t err = BERTH_ERROR_INIT;
  berth_cross_entropy_t loss;
  given_loss(&given, "SparseSoftmaxCrossEntropyWithLogits", BERTH_SHAPE(5, 3),
             BERTH_INT64, BERTH_SHAPE(4));
  EXPECT_FAILS(berth_op_sparse_cross_entropy(op_case_make(&given), &loss, &err),
               BERTH_INVALID_ARGUMENT, &err,
               "logits and labels must have the same first dimension, got "
               "logits shape [5,3] and labels shape [4]");
  op_case_deinit(&given);
}
