// check_test.c - What CheckNumerics looks at, and what it says.
#include "op/check.h"

#include "harness.h"
#include "op/op_testing.h"

TEST(check, hands_its_input_on) {
  op_case_t given = {.op = "CheckNumerics"};
  berth_error_t err = BERTH_ERROR_INIT;
  berth_check_t check;
  char message[] = "the loss";
  op_case_text(&given, "message", message);
  op_case_input(&given, BERTH_HALF, BERTH_SHAPE(2, 3));
  op_case_output(&given, BERTH_HALF);
  berth_case_t *op = op_case_make(&given);
  ASSERT_OK(berth_op_check_numerics(op, &check, &err), &err);
  EXPECT_STR(op_case_shape(&given, 0), "[2,3]");
  EXPECT_EQ(op->alias, 0);
  EXPECT_EQ(check.count, 6);
  EXPECT_EQ(check.dtype, BERTH_HALF);
  // The description has its own: the node may be gone when it is said.
  memset(message, 'x', sizeof(message) - 1);
  EXPECT_STR(check.message, "the loss");
  op_case_deinit(&given);
}

TEST(check, says_what_was_found) {
  berth_error_t err = BERTH_ERROR_INIT;
  ASSERT_OK(berth_check_tell("here", 0, &err), &err);
  EXPECT_FAILS(berth_check_tell("here", BERTH_FOUND_INF, &err),
               BERTH_INVALID_ARGUMENT, &err, "here : Tensor had Inf values");
  EXPECT_FAILS(berth_check_tell("here", BERTH_FOUND_NAN, &err),
               BERTH_INVALID_ARGUMENT, &err, "here : Tensor had NaN values");
  EXPECT_FAILS(berth_check_tell("", BERTH_FOUND_INF | BERTH_FOUND_NAN, &err),
               BERTH_INVALID_ARGUMENT, &err,
               " : Tensor had Inf and NaN values");
}
