// small_test.c - What ops mean that broadcast in ways of their own.
#include "harness.h"

#include "op/op_testing.h"
#include "op/small.h"

TEST(clip, takes_single_limits_or_as_many) {
  op_case_t given = {.op = "ClipByValue"};
  berth_error_t err = BERTH_ERROR_INIT;
  op_case_input(&given, BERTH_FLOAT, BERTH_SHAPE(3));
  op_case_input(&given, BERTH_FLOAT, BERTH_SCALAR);
  op_case_input(&given, BERTH_FLOAT, BERTH_SHAPE(2));
  op_case_output(&given, BERTH_FLOAT);
  EXPECT_FAILS(berth_op_clip(op_case_make(&given), &err),
               BERTH_INVALID_ARGUMENT, &err,
               "clip_value_min and clip_value_max must be either of the same "
               "shape as input, or a scalar. input shape: [3]clip_value_min "
               "shape: []clip_value_max shape: [2]");
  op_case_deinit(&given);
}

TEST(betainc, has_the_shape_of_what_is_no_scalar) {
  op_case_t given = {.op = "Betainc"};
  berth_error_t err = BERTH_ERROR_INIT;
  op_case_input(&given, BERTH_FLOAT, BERTH_SCALAR);
  op_case_input(&given, BERTH_FLOAT, BERTH_SHAPE(4, 2));
  op_case_input(&given, BERTH_FLOAT, BERTH_SCALAR);
  op_case_output(&given, BERTH_FLOAT);
  ASSERT_OK(berth_op_betainc(op_case_make(&given), &err), &err);
  EXPECT_STR(op_case_shape(&given, 0), "[4,2]");
  op_case_deinit(&given);
}
