// conv_test.c - Convolutions as they are described to kernels.
#include "op/conv.h"

#include "harness.h"
#include "op/op_testing.h"

static void given_list(op_case_t *given, const char *name,
                       const int64_t *values) {
  berth_attr_value_t *value = op_case_attr(
      given, name, (berth_attr_kind_t)(BERTH_ATTR_INT + BERTH_ATTR_LIST));
  value->i_list = values;
  value->count = 4;
}

// A convolution with steps of |stride| and nothing outside.
static void given_conv(op_case_t *given, const char *op, const int64_t *strides,
                       const int64_t *gaps) {
  *given = (op_case_t){.op = op};
  given_list(given, "strides", strides);
  given_list(given, "dilations", gaps);
  op_case_output(given, BERTH_FLOAT);
}

static const int64_t ones[] = {1, 1, 1, 1};
static const int64_t twos[] = {1, 2, 2, 1};

TEST(conv, describes_groups) {
  op_case_t given;
  berth_error_t err = BERTH_ERROR_INIT;
  berth_conv_t conv;
  given_conv(&given, "Conv2D", twos, ones);
  op_case_input(&given, BERTH_FLOAT, BERTH_SHAPE(2, 7, 8, 6));
  op_case_input(&given, BERTH_FLOAT, BERTH_SHAPE(3, 2, 3, 10));
  ASSERT_OK(berth_op_conv(op_case_make(&given), &conv, &err), &err);
  EXPECT_STR(op_case_shape(&given, 0), "[2,3,4,10]");
  EXPECT_EQ(conv.goal, BERTH_CONV_OUTPUT);
  EXPECT_EQ(conv.groups, 2);
  EXPECT_EQ(berth_conv_depth(&conv), 3);
  EXPECT_EQ(berth_conv_out_depth(&conv), 5);
  EXPECT_EQ(berth_conv_taps(&conv), 6);
  EXPECT_EQ(berth_conv_places(&conv), 56);
  EXPECT_EQ(berth_conv_out_places(&conv), 12);
  EXPECT_TRUE(!conv.is_empty && !conv.is_zero);
  op_case_deinit(&given);
}

TEST(conv, takes_a_depthwise_one_for_as_many_groups_as_channels) {
  op_case_t given;
  berth_error_t err = BERTH_ERROR_INIT;
  berth_conv_t conv;
  given_conv(&given, "DepthwiseConv2dNative", ones, ones);
  op_case_input(&given, BERTH_FLOAT, BERTH_SHAPE(1, 4, 4, 3));
  op_case_input(&given, BERTH_FLOAT, BERTH_SHAPE(2, 2, 3, 2));
  ASSERT_OK(berth_op_conv(op_case_make(&given), &conv, &err), &err);
  EXPECT_STR(op_case_shape(&given, 0), "[1,3,3,6]");
  EXPECT_EQ(conv.groups, 3);
  EXPECT_EQ(berth_conv_depth(&conv), 1);
  EXPECT_EQ(berth_conv_out_depth(&conv), 2);
  op_case_deinit(&given);
}

TEST(conv, knows_what_is_all_zeros) {
  op_case_t given;
  berth_error_t err = BERTH_ERROR_INIT;
  berth_conv_t conv;
  given_conv(&given, "Conv2DBackpropFilter", ones, ones);
  op_case_input(&given, BERTH_FLOAT, BERTH_SHAPE(0, 4, 4, 3));
  op_case_ints(&given, BERTH_SHAPE(4), 2, 2, 3, 5);
  op_case_input(&given, BERTH_FLOAT, BERTH_SHAPE(0, 3, 3, 5));
  ASSERT_OK(berth_op_conv(op_case_make(&given), &conv, &err), &err);
  EXPECT_STR(op_case_shape(&given, 0), "[2,2,3,5]");
  EXPECT_TRUE(conv.is_zero && !conv.is_empty);
  EXPECT_EQ(conv.filter, 3);
  op_case_deinit(&given);
}

TEST(conv, refuses_sizes_that_overflow) {
  op_case_t given;
  berth_error_t err = BERTH_ERROR_INIT;
  berth_conv_t conv;
  given_conv(&given, "Conv2D", ones, ones);
  op_case_input(&given, BERTH_FLOAT,
                BERTH_SHAPE(0, INT64_MAX, INT64_MAX, INT64_MAX));
  op_case_input(&given, BERTH_FLOAT, BERTH_SHAPE(1, 1, 1, 1));
  EXPECT_EQ(berth_op_conv(op_case_make(&given), &conv, &err),
            BERTH_INVALID_ARGUMENT);
  EXPECT_STR(berth_error_message(&err), "Input too large");
  berth_error_clear(&err);
  op_case_deinit(&given);
}
