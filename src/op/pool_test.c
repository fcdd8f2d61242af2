// pool_test.c - What pooling means: windows, shapes, what is refused.
#include "op/pool.h"

#include "harness.h"
#include "op/op_testing.h"

static const int64_t two[] = {1, 2, 2, 1}, deep[] = {1, 1, 1, 3};
static const int64_t first[] = {1, 1, 2, 2}, five[] = {1, 2, 2, 2, 1};

static void given_list(op_case_t *given, const char *name,
                       const int64_t *values, int count) {
  berth_attr_value_t *value = op_case_attr(
      given, name, (berth_attr_kind_t)(BERTH_ATTR_INT + BERTH_ATTR_LIST));
  value->i_list = values;
  value->count = count;
}

static void given_pool(op_case_t *given, const char *op, const int64_t *sizes,
                       int count, berth_dims_t image) {
  *given = (op_case_t){.op = op};
  given_list(given, "ksize", sizes, count);
  given_list(given, "strides", sizes, count);
  op_case_input(given, BERTH_FLOAT, image);
  op_case_output(given, BERTH_FLOAT);
}

TEST(pool, moves_windows_over_space) {
  op_case_t given;
  berth_error_t err = BERTH_ERROR_INIT;
  berth_pooling_t pool;
  given_pool(&given, "MaxPool", two, 4, BERTH_SHAPE(2, 5, 7, 3));
  ASSERT_OK(berth_op_pool(op_case_make(&given), &pool, &err), &err);
  EXPECT_STR(op_case_shape(&given, 0), "[2,2,3,3]");
  EXPECT_EQ(pool.window.batch, 2);
  EXPECT_EQ(pool.window.channels, 3);
  EXPECT_EQ(pool.window.axes[0].in, 1);
  EXPECT_EQ(pool.window.axes[1].in, 5);
  EXPECT_EQ(pool.window.axes[2].out, 3);
  op_case_deinit(&given);
}

TEST(pool, knows_channels_that_come_first) {
  op_case_t given;
  berth_error_t err = BERTH_ERROR_INIT;
  berth_pooling_t pool;
  given_pool(&given, "AvgPool", first, 4, BERTH_SHAPE(2, 3, 4, 6));
  op_case_text(&given, "data_format", "NCHW");
  berth_case_t *op = op_case_make(&given);
  ASSERT_OK(berth_op_pool(op, &pool, &err), &err);
  EXPECT_STR(op_case_shape(&given, 0), "[2,3,2,3]");
  EXPECT_EQ(pool.window.channels, 3);
  EXPECT_EQ(pool.window.layout.channels_first, true);
  EXPECT_FAILS(berth_op_pool_needs_channels_last(op, &err),
               BERTH_INVALID_ARGUMENT, &err,
               "Default AvgPoolingOp only supports NHWC on device type CPU");
  op_case_deinit(&given);
}

TEST(pool, takes_windows_over_channels_for_width) {
  op_case_t given;
  berth_error_t err = BERTH_ERROR_INIT;
  berth_pooling_t pool;
  given_pool(&given, "MaxPool", deep, 4, BERTH_SHAPE(2, 5, 7, 6));
  ASSERT_OK(berth_op_pool(op_case_make(&given), &pool, &err), &err);
  EXPECT_STR(op_case_shape(&given, 0), "[2,5,7,2]");
  EXPECT_EQ(pool.window.batch, 70);
  EXPECT_EQ(pool.window.channels, 1);
  EXPECT_EQ(pool.window.axes[2].in, 6);
  EXPECT_EQ(pool.window.axes[2].out, 2);
  op_case_deinit(&given);
}

TEST(pool, sees_depth) {
  op_case_t given;
  berth_error_t err = BERTH_ERROR_INIT;
  berth_pooling_t pool;
  given_pool(&given, "MaxPool3D", five, 5, BERTH_SHAPE(1, 4, 6, 8, 3));
  ASSERT_OK(berth_op_pool(op_case_make(&given), &pool, &err), &err);
  EXPECT_STR(op_case_shape(&given, 0), "[1,2,3,4,3]");
  EXPECT_EQ(pool.window.axes[0].out, 2);
  op_case_deinit(&given);
}

TEST(pool, refuses_outputs_that_no_number_counts) {
  static const int64_t huge[] = {1, INT32_MAX, INT32_MAX, 1};
  static const int64_t one[] = {1, 1, 1, 1};
  static const int64_t pads[] = {
      0, 0, INT32_MAX - 1, INT32_MAX - 1, INT32_MAX - 1, INT32_MAX - 1, 0, 0};
  op_case_t given = {.op = "MaxPool"};
  berth_error_t err = BERTH_ERROR_INIT;
  berth_pooling_t pool;
  given_list(&given, "ksize", huge, 4);
  given_list(&given, "strides", one, 4);
  given_list(&given, "explicit_paddings", pads, 8);
  op_case_text(&given, "padding", "EXPLICIT");
  op_case_input(&given, BERTH_FLOAT, BERTH_SHAPE(1, 4, 4, 1000));
  op_case_output(&given, BERTH_FLOAT);
  EXPECT_EQ(berth_op_pool(op_case_make(&given), &pool, &err),
            BERTH_INVALID_ARGUMENT);
  op_case_deinit(&given);
}

TEST(pool, gradients_of_the_mean_have_the_size_of_windows) {
  op_case_t given = {.op = "AvgPoolGrad"};
  berth_error_t err = BERTH_ERROR_INIT;
  berth_pooling_t pool;
  given_list(&given, "ksize", two, 4);
  given_list(&given, "strides", two, 4);
  op_case_ints(&given, BERTH_SHAPE(4), 2, 4, 4, 3);
  op_case_input(&given, BERTH_FLOAT, BERTH_SHAPE(2, 2, 2, 4));
  op_case_output(&given, BERTH_FLOAT);
  EXPECT_FAILS(berth_op_avg_pool_grad(op_case_make(&given), &pool, &err),
               BERTH_INVALID_ARGUMENT, &err,
               "Expected grad shape to be [2,2,2,3], but got [2,2,2,4]");
  op_case_deinit(&given);
}
