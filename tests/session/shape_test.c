// shape_test.c - Shapes that only a run decides.
#include "exec/program.h"
#include "session_testing.h"

// Runs |out| with one feed and gives back the result; NULL when it fails.
static berth_tensor_t *run_fed(rig_t *rig, berth_out_t out, berth_out_t fed,
                               berth_tensor_t *value) {
  berth_tensor_t *result = NULL;
  berth_feed_t feed = {fed, value};
  if (berth_session_run(rig->session, &feed, 1, &out, 1, &result, &rig->err) !=
      BERTH_OK) {
    result = NULL;
  }
  berth_tensor_release(value);
  return result;
}

static berth_tensor_t *ints(const int32_t *values, int64_t count) {
  return tensor_of(BERTH_INT32, BERTH_SHAPE(count), values);
}

// The shape of |tensor| as text: "[2,3]".
static const char *shape_text(const berth_tensor_t *tensor) {
  static char text[128];
  size_t used = (size_t)snprintf(text, sizeof text, "[");
  berth_dims_t shape = berth_tensor_shape(tensor);
  for (int32_t i = 0; i < shape.rank; ++i) {
    used += (size_t)snprintf(text + used, sizeof text - used, "%s%d",
                             i > 0 ? "," : "", (int)shape.dims[i]);
  }
  snprintf(text + used, sizeof text - used, "]");
  return text;
}

TEST(shape, a_feed_decides_a_reshape) {
  rig_t rig;
  rig_init(&rig);
  berth_tensor_t *numbers = ramp(24);
  berth_out_t c = berth_const(rig.graph, "c", numbers);
  berth_tensor_release(numbers);
  berth_out_t target = berth_placeholder(rig.graph, "target", BERTH_INT32);
  berth_out_t shaped = berth_reshape(rig.graph, "shaped", c, target);
  berth_out_t twice = berth_add_v2(rig.graph, "twice", shaped, shaped);
  ASSERT_OK(rig_open(&rig, NULL), &rig.err);
  static const struct {
    int32_t dims[3];
    int64_t rank;
    const char *text;
  } cases[] = {{{24}, 1, "[24]"},
               {{2, 12}, 2, "[2,12]"},
               {{2, -1, 3}, 3, "[2,4,3]"},
               {{4, 6}, 2, "[4,6]"},
               {{2, 12}, 2, "[2,12]"}};
  for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); ++i) {
    berth_tensor_t *result =
        run_fed(&rig, twice, target, ints(cases[i].dims, cases[i].rank));
    ASSERT_TRUE(result != NULL);
    EXPECT_STR(shape_text(result), cases[i].text);
    EXPECT_EQ(element(result, 23), 46);
    berth_tensor_release(result);
  }
  EXPECT_TRUE(run_fed(&rig, twice, target, ints((int32_t[]){5, 5}, 2)) == NULL);
  EXPECT_STR(berth_error_message(&rig.err),
             "Input to reshape is a tensor with 24 values, but the requested "
             "shape has 25\n\t [[{{node shaped}}]]");
  rig_clear(&rig);
}

TEST(shape, a_feed_decides_the_length_of_a_range) {
  rig_t rig;
  rig_init(&rig);
  berth_out_t zero =
      berth_const_i32(rig.graph, "zero", (int32_t[]){0}, BERTH_SCALAR);
  berth_out_t one =
      berth_const_i32(rig.graph, "one", (int32_t[]){1}, BERTH_SCALAR);
  berth_out_t limit = berth_placeholder(rig.graph, "limit", BERTH_INT32);
  berth_out_t range = berth_range(rig.graph, "range", zero, limit, one);
  berth_out_t twice = berth_add_v2(rig.graph, "twice", range, range);
  ASSERT_OK(rig_open(&rig, NULL), &rig.err);
  static const int32_t limits[] = {5, 100, 0, 5, 1, 1000};
  for (size_t i = 0; i < sizeof(limits) / sizeof(*limits); ++i) {
    berth_tensor_t *result = run_fed(&rig, twice, limit, int_scalar(limits[i]));
    ASSERT_TRUE(result != NULL);
    EXPECT_EQ(berth_tensor_count(result), limits[i]);
    if (limits[i] > 0) {
      EXPECT_EQ(element(result, limits[i] - 1), 2 * (limits[i] - 1));
    }
    berth_tensor_release(result);
  }
  rig_clear(&rig);
}

TEST(shape, a_feed_decides_the_bounds_of_a_slice) {
  rig_t rig;
  rig_init(&rig);
  berth_tensor_t *numbers = ramp(10);
  berth_out_t c = berth_const(rig.graph, "c", numbers);
  berth_tensor_release(numbers);
  berth_out_t begin = const_ints(rig.graph, "begin", (int32_t[]){2}, 1);
  berth_out_t end = berth_placeholder(rig.graph, "end", BERTH_INT32);
  berth_out_t step = const_ints(rig.graph, "step", (int32_t[]){1}, 1);
  berth_out_t slice =
      berth_strided_slice(rig.graph, "slice", c, begin, end, step);
  berth_out_t negative = berth_neg(rig.graph, "negative", slice);
  ASSERT_OK(rig_open(&rig, NULL), &rig.err);
  static const int32_t ends[] = {5, 10, -1, 2, 0, 100};
  static const int64_t counts[] = {3, 8, 7, 0, 0, 8};
  for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); ++i) {
    berth_tensor_t *result = run_fed(&rig, negative, end, ints(&ends[i], 1));
    ASSERT_TRUE(result != NULL);
    EXPECT_EQ(berth_tensor_count(result), counts[i]);
    if (counts[i] > 0) EXPECT_EQ(element(result, 0), -2);
    berth_tensor_release(result);
  }
  rig_clear(&rig);
}

TEST(shape, arithmetic_on_the_shape_of_a_feed) {
  rig_t rig;
  rig_init(&rig);
  berth_out_t x = hole(rig.graph, "x");
  berth_out_t shape = berth_shape_of(rig.graph, "shape", x);
  berth_out_t axis =
      berth_const_i32(rig.graph, "axis", (int32_t[]){0}, BERTH_SCALAR);
  berth_out_t one = const_ints(rig.graph, "one", (int32_t[]){1}, 1);
  berth_out_t parts[] = {one, shape};
  berth_out_t target = berth_concat_v2(rig.graph, "target", parts, 2, axis);
  berth_out_t shaped = berth_reshape(rig.graph, "shaped", x, target);
  berth_out_t result_out = berth_neg(rig.graph, "result", shaped);
  ASSERT_OK(rig_open(&rig, NULL), &rig.err);
  for (int64_t n = 1; n < 6; ++n) {
    berth_tensor_t *result = run_fed(&rig, result_out, x, ramp(n));
    ASSERT_TRUE(result != NULL);
    EXPECT_EQ(berth_tensor_shape(result).rank, 2);
    EXPECT_EQ(berth_tensor_shape(result).dims[0], 1);
    EXPECT_EQ(element(result, n - 1), -(double)(n - 1));
    berth_tensor_release(result);
  }
  rig_clear(&rig);
}

TEST(shape, more_feed_shapes_than_layouts) {
  rig_t rig;
  rig_init(&rig);
  berth_out_t x = hole(rig.graph, "x");
  berth_out_t y = berth_square(rig.graph, "y", x);
  berth_out_t z = berth_add_v2(rig.graph, "z", y, x);
  berth_out_t s = berth_sum(rig.graph, "s", z,
                            const_ints(rig.graph, "all", (int32_t[]){0}, 1));
  ASSERT_OK(rig_open(&rig, NULL), &rig.err);
  for (int round = 0; round < 2; ++round) {
    for (int64_t n = 1; n <= 4 * BERTH_MAX_LAYOUTS; ++n) {
      double expected = 0;
      for (int64_t i = 0; i < n; ++i) expected += (double)(i * i + i);
      EXPECT_NEAR(fetch_fed(&rig, s, x, ramp(n)), expected, 0);
    }
  }
  rig_clear(&rig);
}

// A variable whose shape changes: read, reshaped feeds and both together.
TEST(shape, a_variable_that_changes_its_shape) {
  rig_t rig;
  rig_init(&rig);
  berth_out_t v =
      berth_variable_v2(rig.graph, "v", BERTH_UNKNOWN_RANK, BERTH_FLOAT);
  berth_out_t x = hole(rig.graph, "x"), z = hole(rig.graph, "z");
  berth_assign_attrs_t free_shape = BERTH_ASSIGN_ATTRS;
  free_shape.validate_shape = false;
  berth_out_t set = berth_assign_with(rig.graph, "set", v, x, &free_shape);
  berth_out_t twice = berth_add_v2(rig.graph, "twice", v, v);
  berth_out_t shape = berth_shape_of(rig.graph, "shape", twice);
  // Aliases of a feed and of a constant, after the variable is read.
  berth_control_push(rig.graph, &twice.node, 1);
  berth_out_t all = const_ints(rig.graph, "all", (int32_t[]){-1}, 1);
  berth_out_t flat = berth_reshape(rig.graph, "flat", z, all);
  berth_control_pop(rig.graph);
  ASSERT_OK(rig_open(&rig, NULL), &rig.err);
  static const int64_t sizes[] = {4, 4, 7,  4, 1, 9,  9, 3,
                                  8, 2, 11, 5, 6, 12, 4};
  for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); ++i) {
    int64_t n = sizes[i];
    EXPECT_EQ(fetch_fed(&rig, set, x, ramp(n)), 0);
    berth_tensor_t *fed =
        tensor_of(BERTH_FLOAT, BERTH_SHAPE(2, 2), (float[]){1, 2, 3, 4});
    berth_out_t fetches[] = {twice, shape, flat};
    berth_tensor_t *results[3] = {NULL};
    ASSERT_OK(berth_session_run(rig.session, &(berth_feed_t){z, fed}, 1,
                                fetches, 3, results, &rig.err),
              &rig.err);
    EXPECT_EQ(berth_tensor_count(results[0]), n);
    EXPECT_EQ(element(results[0], n - 1), 2 * (n - 1));
    EXPECT_EQ(element(results[1], 0), n);
    EXPECT_STR(shape_text(results[2]), "[4]");
    EXPECT_EQ(element(results[2], 3), 4);
    EXPECT_TRUE(berth_tensor_data(results[2]) != berth_tensor_data(fed));
    for (int k = 0; k < 3; ++k) berth_tensor_release(results[k]);
    berth_tensor_release(fed);
  }
  rig_clear(&rig);
}

TEST(shape, wrong_shapes_name_the_node_late_and_early) {
  rig_t rig;
  rig_init(&rig);
  berth_out_t x = hole(rig.graph, "x"), n = hole(rig.graph, "n");
  berth_out_t sum = berth_add_v2(rig.graph, "sum", x, n);
  ASSERT_OK(rig_open(&rig, NULL), &rig.err);
  berth_tensor_t *two = ramp(2), *result = NULL;
  for (int64_t size = 3; size < 3 + 2 * BERTH_MAX_LAYOUTS; ++size) {
    berth_tensor_t *other = ramp(size);
    berth_feed_t feeds[] = {{x, two}, {n, other}};
    char text[128];
    snprintf(text, sizeof text,
             "Incompatible shapes: [2] vs. [%d]\n\t [[{{node sum}}]]",
             (int)size);
    EXPECT_FAILS(
        berth_session_run(rig.session, feeds, 2, &sum, 1, &result, &rig.err),
        BERTH_INVALID_ARGUMENT, &rig.err, text);
    berth_tensor_release(other);
  }
  berth_tensor_release(two);
  rig_clear(&rig);
}
