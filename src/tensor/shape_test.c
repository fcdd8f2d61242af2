// shape_test.c - Arithmetic of shapes.
#include "tensor/shape.h"

#include "harness.h"

// Prints |dims| both ways and expects |text| of each.
static void expect_text(berth_dims_t dims, const char *text) {
  char buffer[BERTH_DIMS_TEXT];
  EXPECT_STR(berth_dims_text(dims, buffer), text);
  berth_str_t str = {0};
  berth_dims_print(dims, &str);
  EXPECT_STR(berth_str_get(&str), text);
  berth_str_clear(&str);
}

TEST(shape, counts) {
  EXPECT_EQ(berth_dims_count(BERTH_SCALAR), 1);
  EXPECT_EQ(berth_dims_count(BERTH_SHAPE(2, 3)), 6);
  EXPECT_EQ(berth_dims_count(BERTH_SHAPE(0, INT64_MAX, INT64_MAX)), 0);
  EXPECT_EQ(berth_dims_count(BERTH_SHAPE(INT64_MAX, 2, 0)), -1);
  EXPECT_EQ(berth_dims_count(BERTH_SHAPE(2, -1)), -1);
  EXPECT_EQ(berth_dims_count(BERTH_UNKNOWN_RANK), -1);
  EXPECT_TRUE(berth_dims_is_full(BERTH_SCALAR));
  EXPECT_FALSE(berth_dims_is_full(BERTH_SHAPE(2, -1)));
  EXPECT_FALSE(berth_dims_is_full(BERTH_UNKNOWN_RANK));
}

TEST(shape, prints) {
  expect_text(BERTH_SCALAR, "[]");
  expect_text(BERTH_SHAPE(2, 3), "[2,3]");
  expect_text(BERTH_SHAPE(-1, 3), "[?,3]");
  expect_text(BERTH_UNKNOWN_RANK, "<unknown>");
}

TEST(shape, long_texts_are_cut) {
  int64_t dims[BERTH_MAX_RANK];
  for (int i = 0; i < BERTH_MAX_RANK; ++i) dims[i] = INT64_MAX;
  char text[BERTH_DIMS_TEXT];
  EXPECT_STR(berth_dims_text((berth_dims_t){BERTH_MAX_RANK, dims}, text),
             "[9223372036854775807,9223372036854775807,9223372036854775807,"
             "9223372036854775807,9223372036854775807,9223372036854775807...]");
  EXPECT_TRUE(strlen(text) < BERTH_DIMS_TEXT);
}

TEST(shape, check_says_what_is_wrong) {
  berth_error_t err = BERTH_ERROR_INIT;
  int64_t count = 77;
  EXPECT_FAILS(berth_dims_check(BERTH_SHAPE(2, -5), &count, &err),
               BERTH_INVALID_ARGUMENT, &err, "Dimension -5 must be >= 0");
  EXPECT_FAILS(berth_dims_check(BERTH_UNKNOWN_RANK, &count, &err),
               BERTH_INVALID_ARGUMENT, &err,
               "Shape <unknown> is not fully defined");
  EXPECT_FAILS(
      berth_dims_check(BERTH_SHAPE(1LL << 40, 1LL << 40, 0), &count, &err),
      BERTH_INVALID_ARGUMENT, &err,
      "Shape [1099511627776,1099511627776,0] would have more than 2**63 - 1 "
      "elements");
  int64_t ones[BERTH_MAX_RANK + 1];
  for (int i = 0; i <= BERTH_MAX_RANK; ++i) ones[i] = 1;
  berth_dims_t deep = {BERTH_MAX_RANK + 1, ones};
  EXPECT_FAILS(berth_dims_check(deep, &count, &err), BERTH_INVALID_ARGUMENT,
               &err, "Too many dimensions");
  EXPECT_EQ(count, 77);
  deep.rank = BERTH_MAX_RANK;
  ASSERT_OK(berth_dims_check(deep, &count, &err), &err);
  EXPECT_EQ(count, 1);
}

TEST(shape, broadcasts_as_numpy) {
  berth_shape_t out;
  ASSERT_TRUE(
      berth_dims_broadcast(BERTH_SHAPE(2, 1, 3), BERTH_SHAPE(4, 1), &out));
  EXPECT_TRUE(berth_dims_equal(berth_shape_dims(&out), BERTH_SHAPE(2, 4, 3)));
  ASSERT_TRUE(berth_dims_broadcast(BERTH_SCALAR, BERTH_SHAPE(0), &out));
  EXPECT_TRUE(berth_dims_equal(berth_shape_dims(&out), BERTH_SHAPE(0)));
  ASSERT_TRUE(berth_dims_broadcast(BERTH_SHAPE(1), BERTH_SHAPE(0), &out));
  EXPECT_TRUE(berth_dims_equal(berth_shape_dims(&out), BERTH_SHAPE(0)));
  EXPECT_FALSE(berth_dims_broadcast(BERTH_SHAPE(2), BERTH_SHAPE(0), &out));
  EXPECT_FALSE(berth_dims_broadcast(BERTH_SHAPE(2, 3), BERTH_SHAPE(4), &out));
}

TEST(shape, merges_what_is_known) {
  berth_shape_t out;
  ASSERT_TRUE(berth_dims_merge(BERTH_SHAPE(-1, 3), BERTH_SHAPE(2, -1), &out));
  EXPECT_TRUE(berth_dims_equal(berth_shape_dims(&out), BERTH_SHAPE(2, 3)));
  ASSERT_TRUE(berth_dims_merge(BERTH_UNKNOWN_RANK, BERTH_SHAPE(-1), &out));
  EXPECT_TRUE(berth_dims_equal(berth_shape_dims(&out), BERTH_SHAPE(-1)));
  ASSERT_TRUE(berth_dims_merge(BERTH_UNKNOWN_RANK, BERTH_UNKNOWN_RANK, &out));
  EXPECT_EQ(out.rank, -1);
  EXPECT_FALSE(berth_dims_merge(BERTH_SHAPE(2), BERTH_SHAPE(3), &out));
  EXPECT_FALSE(berth_dims_merge(BERTH_SHAPE(2), BERTH_SHAPE(2, 2), &out));
}
