// window_test.c - Windows over images: layouts, paddings, sizes, taps.
#include "op/window.h"

#include "harness.h"
#include "op/op_testing.h"

static berth_window_axis_t axis_of(int64_t in, int64_t window, int64_t stride,
                                   int64_t dilation) {
  return (berth_window_axis_t){
      .in = in, .window = window, .stride = stride, .dilation = dilation};
}

TEST(window, knows_where_dimensions_stand) {
  berth_image_layout_t last = {.axes = 2};
  berth_image_layout_t first = {.axes = 3, .channels_first = true};
  EXPECT_EQ(berth_image_channel(last), 3);
  EXPECT_EQ(berth_image_space(last, 1), 2);
  EXPECT_EQ(berth_window_axis_at(last, 0), 1);
  EXPECT_EQ(berth_image_channel(first), 1);
  EXPECT_EQ(berth_image_space(first, 2), 4);
  EXPECT_EQ(berth_window_axis_at(first, 0), 0);
}

TEST(window, fits_where_nothing_is_padded) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_window_axis_t axis = axis_of(10, 3, 2, 2);
  axis.before = 7;  // VALID forgets what was there.
  ASSERT_OK(berth_window_place(&axis, BERTH_PADDING_VALID, &err), &err);
  EXPECT_EQ(axis.out, 3);
  EXPECT_EQ(axis.before, 0);
  EXPECT_EQ(axis.after, 0);
  axis = axis_of(2, 3, 1, 1);
  ASSERT_OK(berth_window_place(&axis, BERTH_PADDING_VALID, &err), &err);
  EXPECT_EQ(axis.out, 0);
}

TEST(window, pads_the_odd_one_behind) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_window_axis_t axis = axis_of(10, 3, 2, 1);
  ASSERT_OK(berth_window_place(&axis, BERTH_PADDING_SAME, &err), &err);
  EXPECT_EQ(axis.out, 5);
  EXPECT_EQ(axis.before, 0);
  EXPECT_EQ(axis.after, 1);
  axis = axis_of(5, 1, 3, 1);  // Larger steps than windows pad nothing.
  ASSERT_OK(berth_window_place(&axis, BERTH_PADDING_SAME, &err), &err);
  EXPECT_EQ(axis.out, 2);
  EXPECT_EQ(axis.before, 0);
  EXPECT_EQ(axis.after, 0);
}

TEST(window, takes_paddings_as_they_are) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_window_axis_t axis = axis_of(4, 3, 2, 1);
  axis.before = 1;
  axis.after = 2;
  ASSERT_OK(berth_window_place(&axis, BERTH_PADDING_EXPLICIT, &err), &err);
  EXPECT_EQ(axis.out, 3);
}

TEST(window, refuses_what_does_not_fit) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_window_axis_t axis = axis_of(4, 9, 2, 1);
  EXPECT_FAILS(berth_window_place(&axis, BERTH_PADDING_VALID, &err),
               BERTH_INVALID_ARGUMENT, &err,
               "Computed output size would be negative: -1 [input_size: 4, "
               "effective_filter_size: 9, stride: 2]");
  axis = axis_of(4, 2, 0, 1);
  EXPECT_FAILS(berth_window_place(&axis, BERTH_PADDING_SAME, &err),
               BERTH_INVALID_ARGUMENT, &err, "Stride must be > 0, but got 0");
  axis = axis_of(4, 2, 1, -1);
  EXPECT_FAILS(berth_window_place(&axis, BERTH_PADDING_SAME, &err),
               BERTH_INVALID_ARGUMENT, &err,
               "Dilation rate must be >= 1, but got -1");
}

// Counts taps one by one.
TEST(window, knows_the_taps_inside) {
  berth_error_t err = BERTH_ERROR_INIT;
  for (int64_t n = 0; n < 7 * 4 * 3 * 3; ++n) {
    berth_window_axis_t axis =
        axis_of(1 + n % 7, 1 + n / 7 % 4, 1 + n / 28 % 3, 1 + n / 84);
    ASSERT_OK(berth_window_place(&axis, BERTH_PADDING_SAME, &err), &err);
    for (int64_t o = 0; o < axis.out; ++o) {
      int64_t begin = -1, end = -1;
      berth_window_taps(&axis, o, &begin, &end);
      for (int64_t t = 0; t < axis.window; ++t) {
        int64_t at = o * axis.stride - axis.before + t * axis.dilation;
        EXPECT_EQ(at >= 0 && at < axis.in, t >= begin && t < end);
      }
    }
  }
}

// ---- The attribute explicit_paddings ----

static berth_code_t read_paddings(const char *format, const int64_t *pads,
                                  int count, berth_window_t *window,
                                  berth_error_t *err) {
  op_case_t given = {.op = "MaxPool"};
  op_case_text(&given, "padding", "EXPLICIT");
  op_case_text(&given, "data_format", format);
  berth_attr_value_t *value =
      op_case_attr(&given, "explicit_paddings",
                   (berth_attr_kind_t)(BERTH_ATTR_INT + BERTH_ATTR_LIST));
  value->i_list = pads;
  value->count = count;
  const berth_node_t *node = op_case_make(&given)->node;
  *window = berth_window_init(berth_image_of(node, 2));
  berth_code_t code = berth_window_read_paddings(node, window, err);
  op_case_deinit(&given);
  return code;
}

TEST(window, reads_paddings_of_either_layout) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_window_t window;
  static const int64_t last[] = {0, 0, 1, 2, 3, 4, 0, 0};
  static const int64_t first[] = {0, 0, 0, 0, 1, 2, 3, 4};
  ASSERT_OK(read_paddings("NHWC", last, 8, &window, &err), &err);
  EXPECT_EQ(window.axes[1].before, 1);
  EXPECT_EQ(window.axes[2].after, 4);
  ASSERT_OK(read_paddings("NCHW", first, 8, &window, &err), &err);
  EXPECT_EQ(window.axes[1].after, 2);
  EXPECT_EQ(window.axes[2].before, 3);
  EXPECT_EQ(window.axes[0].before, 0);
}

TEST(window, refuses_wrong_paddings) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_window_t window;
  static const int64_t deep[] = {0, 0, 1, 1, 1, 1, 0, 1};
  static const int64_t negative[] = {0, 0, 1, 1, 1, -1, 0, 0};
  EXPECT_FAILS(read_paddings("NHWC", deep, 4, &window, &err),
               BERTH_INVALID_ARGUMENT, &err,
               "explicit_paddings attribute must contain 8 values, but got: 4");
  EXPECT_FAILS(read_paddings("NHWC", negative, 8, &window, &err),
               BERTH_INVALID_ARGUMENT, &err,
               "All elements of explicit_paddings must be nonnegative");
  static const int64_t huge[] = {0, 0, INT64_MAX, INT64_MAX, 0, 0, 0, 0};
  EXPECT_FAILS(read_paddings("NHWC", huge, 8, &window, &err),
               BERTH_INVALID_ARGUMENT, &err,
               "explicit_paddings has 9223372036854775807, which no image is "
               "large enough for");
  EXPECT_FAILS(read_paddings("NHWC", deep, 8, &window, &err),
               BERTH_INVALID_ARGUMENT, &err,
               "Nonzero explicit padding in the batch or depth dimensions is "
               "not supported");
}

TEST(window, has_the_shapes_of_its_images) {
  berth_window_t window = berth_window_init(
      (berth_image_layout_t){.axes = 2, .channels_first = true});
  berth_shape_t shape;
  char text[BERTH_DIMS_TEXT];
  window.batch = 2;
  window.channels = 3;
  window.out_channels = 4;
  window.axes[1].in = 5;
  window.axes[2].in = 6;
  window.axes[1].out = 7;
  window.axes[2].out = 8;
  berth_window_in_shape(&window, &shape);
  EXPECT_STR(berth_dims_text(berth_shape_dims(&shape), text), "[2,3,5,6]");
  berth_window_out_shape(&window, &shape);
  EXPECT_STR(berth_dims_text(berth_shape_dims(&shape), text), "[2,4,7,8]");
}
