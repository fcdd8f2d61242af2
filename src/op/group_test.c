// group_test.c - What ops mean that make groups of elements.
#include "harness.h"

#include "op/group.h"
#include "op/op_testing.h"

TEST(scan, sees_three_dimensions) {
  op_case_t given = {.op = "Cumsum"};
  berth_error_t err = BERTH_ERROR_INIT;
  berth_scan_t scan;
  op_case_input(&given, BERTH_FLOAT, BERTH_SHAPE(2, 3, 4));
  op_case_ints(&given, BERTH_SCALAR, -2);
  op_case_bool(&given, "reverse", true);
  op_case_output(&given, BERTH_FLOAT);
  ASSERT_OK(berth_op_scan(op_case_make(&given), &scan, &err), &err);
  EXPECT_EQ(scan.outer, 2);
  EXPECT_EQ(scan.length, 3);
  EXPECT_EQ(scan.inner, 4);
  EXPECT_TRUE(scan.reverse);
  op_case_deinit(&given);
}

TEST(segments, are_as_many_as_is_said) {
  op_case_t given = {.op = "UnsortedSegmentMax"};
  berth_error_t err = BERTH_ERROR_INIT;
  berth_segments_t segments;
  op_case_input(&given, BERTH_FLOAT, BERTH_SHAPE(4, 2));
  op_case_input(&given, BERTH_INT32, BERTH_SHAPE(4));
  op_case_ints(&given, BERTH_SCALAR, 7);
  op_case_output(&given, BERTH_FLOAT);
  ASSERT_OK(berth_op_segments(op_case_make(&given), &segments, &err), &err);
  EXPECT_STR(op_case_shape(&given, 0), "[7,2]");
  EXPECT_EQ(segments.combine, BERTH_COMBINE_MAX);
  EXPECT_EQ(segments.inner, 2);
  op_case_deinit(&given);
}

TEST(bincount, refuses_a_size_below_zero) {
  op_case_t given = {.op = "Bincount"};
  berth_error_t err = BERTH_ERROR_INIT;
  berth_bins_t bins;
  op_case_input(&given, BERTH_INT32, BERTH_SHAPE(4));
  op_case_ints(&given, BERTH_SCALAR, -1);
  op_case_input(&given, BERTH_FLOAT, BERTH_SHAPE(0));
  op_case_output(&given, BERTH_FLOAT);
  EXPECT_FAILS(berth_op_bincount(op_case_make(&given), &bins, &err),
               BERTH_INVALID_ARGUMENT, &err, "size (-1) must be non-negative");
  op_case_deinit(&given);
}

TEST(stitch, wants_slices_of_one_shape) {
  op_case_t given = {.op = "DynamicStitch"};
  berth_error_t err = BERTH_ERROR_INIT;
  op_case_input(&given, BERTH_INT32, BERTH_SHAPE(1));
  op_case_input(&given, BERTH_INT32, BERTH_SHAPE(1));
  op_case_input(&given, BERTH_FLOAT, BERTH_SHAPE(1, 2));
  op_case_input(&given, BERTH_FLOAT, BERTH_SHAPE(1, 3));
  op_case_output(&given, BERTH_FLOAT);
  EXPECT_FAILS(berth_op_stitch(op_case_make(&given), &err),
               BERTH_INVALID_ARGUMENT, &err,
               "Need data[0].shape[1:] = data[1].shape[1:], got data[0].shape "
               "= [1,2], data[1].shape = [1,3], indices[0].shape = [1], "
               "indices[1].shape = [1]");
  op_case_deinit(&given);
}
