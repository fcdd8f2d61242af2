// linear_test.c - What ops of linear algebra mean.
#include "harness.h"

#include "op/linear.h"
#include "op/op_testing.h"

TEST(linear, determinants_have_one_number_for_each_matrix) {
  op_case_t given = {.op = "LogMatrixDeterminant"};
  berth_error_t err = BERTH_ERROR_INIT;
  berth_linear_t linear;
  op_case_input(&given, BERTH_FLOAT, BERTH_SHAPE(5, 3, 3));
  op_case_output(&given, BERTH_FLOAT);
  op_case_output(&given, BERTH_FLOAT);
  ASSERT_OK(berth_op_linear(op_case_make(&given), &linear, &err), &err);
  EXPECT_STR(op_case_shape(&given, 0), "[5]");
  EXPECT_STR(op_case_shape(&given, 1), "[5]");
  EXPECT_EQ(linear.n, 3);
  op_case_deinit(&given);
}

TEST(linear, triangles_broadcast_their_batches) {
  op_case_t given = {.op = "MatrixTriangularSolve"};
  berth_error_t err = BERTH_ERROR_INIT;
  berth_linear_t linear;
  int64_t places[2];
  op_case_input(&given, BERTH_FLOAT, BERTH_SHAPE(3, 3));
  op_case_input(&given, BERTH_FLOAT, BERTH_SHAPE(4, 3, 2));
  op_case_output(&given, BERTH_FLOAT);
  ASSERT_OK(berth_op_linear(op_case_make(&given), &linear, &err), &err);
  EXPECT_STR(op_case_shape(&given, 0), "[4,3,2]");
  berth_linear_places(&linear, 3, places);
  EXPECT_EQ(places[0], 0);
  EXPECT_EQ(places[1], 3);
  op_case_deinit(&given);
}
