// layers_test.c - What ops mean that put elements over what is everywhere else.
#include "harness.h"

#include "op/array.h"
#include "op/layers.h"
#include "op/op_testing.h"

TEST(matrix_diag, is_a_step_through_zeros) {
  op_case_t given = {.op = "MatrixDiag"};
  berth_error_t err = BERTH_ERROR_INIT;
  berth_layers_t layers;
  op_case_input(&given, BERTH_FLOAT, BERTH_SHAPE(2, 3));
  op_case_output(&given, BERTH_FLOAT);
  ASSERT_OK(berth_op_matrix_diag(op_case_make(&given), &layers, &err), &err);
  EXPECT_STR(op_case_shape(&given, 0), "[2,3,3]");
  EXPECT_TRUE(layers.zeros);
  ASSERT_TRUE(layers.over.count == 1);
  EXPECT_EQ(layers.over.first->levels[1].to_step, 4);
  op_case_deinit(&given);
}

TEST(matrix_set_diag, writes_over_the_input) {
  op_case_t given = {.op = "MatrixSetDiagV3"};
  berth_error_t err = BERTH_ERROR_INIT;
  berth_layers_t layers;
  op_case_input(&given, BERTH_FLOAT, BERTH_SHAPE(3, 4));
  op_case_input(&given, BERTH_FLOAT, BERTH_SHAPE(3, 3));
  op_case_ints(&given, BERTH_SHAPE(2), -1, 1);
  op_case_text(&given, "align", "LEFT_RIGHT");
  op_case_output(&given, BERTH_FLOAT);
  ASSERT_OK(berth_op_matrix_set_diag(op_case_make(&given), &layers, &err),
            &err);
  EXPECT_FALSE(layers.zeros);
  EXPECT_EQ(layers.under.count, 1);
  EXPECT_EQ(layers.over.count, 3);
  op_case_deinit(&given);
}

TEST(space_to_batch, has_a_move_for_each_block) {
  op_case_t given = {.op = "SpaceToBatchND"};
  berth_error_t err = BERTH_ERROR_INIT;
  berth_layers_t layers;
  op_case_input(&given, BERTH_FLOAT, BERTH_SHAPE(2, 5, 3));
  op_case_ints(&given, BERTH_SHAPE(1), 3);
  op_case_ints(&given, BERTH_SHAPE(1, 2), 1, 0);
  op_case_output(&given, BERTH_FLOAT);
  ASSERT_OK(berth_op_space_to_batch(op_case_make(&given), &layers, &err), &err);
  EXPECT_STR(op_case_shape(&given, 0), "[6,2,3]");
  EXPECT_EQ(layers.over.count, 3);
  op_case_deinit(&given);
}

TEST(roll, has_a_move_for_each_part_that_wraps) {
  op_case_t given = {.op = "Roll"};
  berth_error_t err = BERTH_ERROR_INIT;
  berth_moves_t moves;
  op_case_input(&given, BERTH_FLOAT, BERTH_SHAPE(4, 5));
  op_case_ints(&given, BERTH_SHAPE(2), 1, -2);
  op_case_ints(&given, BERTH_SHAPE(2), 0, 1);
  op_case_output(&given, BERTH_FLOAT);
  ASSERT_OK(berth_op_roll(op_case_make(&given), &moves, &err), &err);
  EXPECT_EQ(moves.count, 4);
  EXPECT_TRUE(berth_moves_check(&given.made, &moves) == NULL);
  op_case_deinit(&given);
}

TEST(roll, of_whole_turns_is_the_input) {
  op_case_t given = {.op = "Roll"};
  berth_error_t err = BERTH_ERROR_INIT;
  berth_moves_t moves;
  op_case_input(&given, BERTH_FLOAT, BERTH_SHAPE(4));
  op_case_ints(&given, BERTH_SCALAR, -8);
  op_case_ints(&given, BERTH_SCALAR, 0);
  op_case_output(&given, BERTH_FLOAT);
  ASSERT_OK(berth_op_roll(op_case_make(&given), &moves, &err), &err);
  EXPECT_EQ(given.made.alias, 0);
  op_case_deinit(&given);
}
