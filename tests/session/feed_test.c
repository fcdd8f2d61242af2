// feed_test.c - Feeding any tensor, and fetching in any order.
#include "session_testing.h"

TEST(feed, replaces_any_tensor) {
  rig_t rig;
  rig_init(&rig);
  berth_out_t a = const_scalar(rig.graph, "a", 1);
  berth_out_t b = berth_neg(rig.graph, "b", a);
  berth_out_t c = berth_neg(rig.graph, "c", b);
  ASSERT_OK(rig_open(&rig, NULL), &rig.err);
  EXPECT_EQ(fetch(&rig, c), 1);
  EXPECT_EQ(fetch_fed(&rig, c, b, scalar(5)), -5);
  EXPECT_EQ(fetch_fed(&rig, c, a, scalar(7)), 7);
  EXPECT_EQ(fetch(&rig, c), 1);
  rig_clear(&rig);
}

TEST(feed, prunes_what_is_before_it) {
  rig_t rig;
  rig_init(&rig);
  // Would fail: nobody feeds the placeholder.
  berth_out_t never = hole(rig.graph, "never");
  berth_out_t b = berth_neg(rig.graph, "b", never);
  berth_out_t c = berth_neg(rig.graph, "c", b);
  ASSERT_OK(rig_open(&rig, NULL), &rig.err);
  EXPECT_EQ(fetch_fed(&rig, c, b, scalar(3)), -3);
  rig_clear(&rig);
}

// Runs take denormal numbers for zero on the host, as TensorFlow's do; what is
// only handed on stays, and so does the caller's arithmetic, also where a run
// fails. Cards have an arithmetic of their own.
TEST(feed, of_a_denormal_number_is_zero_to_what_computes) {
  rig_t rig;
  rig_init(&rig);
  volatile float tiny = 1e-40F;
  berth_out_t x = hole(rig.graph, "x"), never = hole(rig.graph, "never");
  berth_device_push(rig.graph, "/cpu:0");
  berth_out_t sum = berth_add_v2(rig.graph, "sum", x, x);
  berth_device_pop(rig.graph);
  berth_out_t same = berth_identity(rig.graph, "same", x);
  ASSERT_OK(rig_open(&rig, NULL), &rig.err);
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(fetch_fed(&rig, sum, x, scalar(tiny)) == 0);
    EXPECT_TRUE(tiny + tiny > tiny);
    EXPECT_TRUE(fetch_fed(&rig, same, x, scalar(tiny)) > 0);
    EXPECT_TRUE(isnan(fetch(&rig, never)));
    EXPECT_TRUE(tiny + tiny > tiny);
  }
  rig_clear(&rig);
}

TEST(feed, one_output_of_several) {
  rig_t rig;
  rig_init(&rig);
  berth_out_t value = berth_const_f32(rig.graph, "value", (float[]){1, 2, 3, 4},
                                      BERTH_SHAPE(4));
  berth_out_t axis =
      berth_const_i32(rig.graph, "axis", (int32_t[]){0}, BERTH_SCALAR);
  berth_node_id_t halves = berth_split(rig.graph, "halves", axis, value, 2);
  berth_out_t sum = berth_add_v2(rig.graph, "sum", berth_output(halves, 0),
                                 berth_output(halves, 1));
  ASSERT_OK(rig_open(&rig, NULL), &rig.err);
  EXPECT_EQ(fetch(&rig, sum), 4);
  berth_tensor_t *fed =
      tensor_of(BERTH_FLOAT, BERTH_SHAPE(2), (float[]){10, 20});
  EXPECT_EQ(fetch_fed(&rig, sum, berth_output(halves, 1), fed), 11);
  rig_clear(&rig);
}

TEST(feed, a_fed_placeholder_need_not_run) {
  rig_t rig;
  rig_init(&rig);
  berth_out_t x = hole(rig.graph, "x");
  berth_control_push(rig.graph, &x.node, 1);
  berth_out_t c = const_scalar(rig.graph, "c", 4);
  berth_control_pop(rig.graph);
  ASSERT_OK(rig_open(&rig, NULL), &rig.err);
  EXPECT_EQ(fetch_fed(&rig, c, x, scalar(0)), 4);
  EXPECT_TRUE(isnan(fetch(&rig, c)));
  EXPECT_STR(berth_error_message(&rig.err),
             "You must feed a value for placeholder tensor 'x' with dtype "
             "float\n\t [[{{node x}}]]");
  rig_clear(&rig);
}

TEST(feed, is_never_written_nor_handed_out) {
  rig_t rig;
  rig_init(&rig);
  berth_out_t x = hole(rig.graph, "x");
  berth_out_t same = berth_identity(rig.graph, "same", x);
  berth_out_t shape = const_ints(rig.graph, "shape", (int32_t[]){2, 2}, 2);
  berth_out_t square = berth_reshape(rig.graph, "square", x, shape);
  berth_out_t v =
      berth_variable_v2(rig.graph, "v", BERTH_SHAPE(4), BERTH_FLOAT);
  berth_out_t set = berth_assign(rig.graph, "set", v, x);
  berth_out_t grow = berth_assign_add(rig.graph, "grow", v, same);
  ASSERT_OK(rig_open(&rig, NULL), &rig.err);
  berth_tensor_t *fed = ramp(4), *results[3] = {NULL};
  berth_out_t fetches[] = {same, square, set};
  ASSERT_OK(berth_session_run(rig.session, &(berth_feed_t){x, fed}, 1, fetches,
                              3, results, &rig.err),
            &rig.err);
  EXPECT_TRUE(berth_tensor_is_exclusive(fed));
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(berth_tensor_data(results[i]) != berth_tensor_data(fed));
    EXPECT_EQ(element(results[i], 3), 3);
    berth_tensor_release(results[i]);
  }
  // What the caller does to its memory afterwards is not seen by the variable.
  ((float *)berth_tensor_data(fed))[3] = 100;
  EXPECT_EQ(fetch_fed(&rig, grow, x, fed), 0);
  berth_tensor_t *now = NULL;
  ASSERT_OK(berth_session_run(rig.session, NULL, 0, &v, 1, &now, &rig.err),
            &rig.err);
  EXPECT_EQ(element(now, 3), 103);
  berth_tensor_release(now);
  rig_clear(&rig);
}

// Nor where steps are prepared as they run, as they are beside a branch.
TEST(feed, is_not_handed_out_beside_a_branch) {
  rig_t rig;
  rig_init(&rig);
  bool truth = true;
  berth_tensor_t *one = tensor_of(BERTH_BOOL, BERTH_SCALAR, &truth);
  berth_out_t x = hole(rig.graph, "x");
  berth_node_id_t both =
      berth_switch(rig.graph, NULL, x, berth_const(rig.graph, NULL, one));
  berth_out_t outs[] = {
      berth_neg(rig.graph, NULL, berth_output(both, 1)),
      berth_reshape(rig.graph, NULL, x,
                    const_ints(rig.graph, NULL, (int32_t[]){2, 2}, 2)),
      berth_identity(rig.graph, NULL, x)};
  berth_tensor_release(one);
  ASSERT_OK(rig_open(&rig, NULL), &rig.err);
  berth_tensor_t *fed = ramp(4), *results[3] = {NULL};
  berth_feed_t feed = {x, fed};
  ASSERT_OK(
      berth_session_run(rig.session, &feed, 1, outs, 3, results, &rig.err),
      &rig.err);
  EXPECT_TRUE(berth_tensor_is_exclusive(fed));
  memset(berth_tensor_data(fed), 0, berth_tensor_size(fed));
  EXPECT_EQ(element(results[0], 3), -3);
  EXPECT_EQ(element(results[1], 3), 3);
  EXPECT_EQ(element(results[2], 3), 3);
  for (int i = 0; i < 3; ++i) berth_tensor_release(results[i]);
  berth_tensor_release(fed);
  rig_clear(&rig);
}

// Nor where what comes before decides about shapes.
TEST(feed, is_not_handed_out_behind_an_unknown_shape) {
  rig_t rig;
  rig_init(&rig);
  berth_out_t x = hole(rig.graph, "x");
  berth_out_t all = berth_where(rig.graph, NULL, berth_exp(rig.graph, NULL, x));
  berth_out_t column =
      berth_reshape(rig.graph, NULL, x, berth_shape_of(rig.graph, NULL, all));
  ASSERT_OK(rig_open(&rig, NULL), &rig.err);
  for (int run = 0; run < 3; ++run) {
    berth_tensor_t *fed = ramp(4), *result = NULL;
    berth_feed_t feed = {x, fed};
    ASSERT_OK(
        berth_session_run(rig.session, &feed, 1, &column, 1, &result, &rig.err),
        &rig.err);
    EXPECT_TRUE(berth_tensor_is_exclusive(fed));
    memset(berth_tensor_data(fed), 0, berth_tensor_size(fed));
    EXPECT_EQ(element(result, 3), 3);
    berth_tensor_release(result);
    berth_tensor_release(fed);
  }
  rig_clear(&rig);
}

TEST(feed, more_than_a_stack_holds) {
  enum { COUNT = 300 };
  rig_t rig;
  rig_init(&rig);
  berth_out_t holes[COUNT];
  for (int i = 0; i < COUNT; ++i) holes[i] = hole(rig.graph, NULL);
  berth_out_t sum = berth_add_n(rig.graph, "sum", holes, COUNT);
  ASSERT_OK(rig_open(&rig, NULL), &rig.err);
  berth_feed_t feeds[COUNT];
  for (int i = 0; i < COUNT; ++i) {
    feeds[i] = (berth_feed_t){holes[i], scalar((float)i)};
  }
  berth_tensor_t *result = NULL;
  ASSERT_OK(
      berth_session_run(rig.session, feeds, COUNT, &sum, 1, &result, &rig.err),
      &rig.err);
  EXPECT_EQ(element(result, 0), COUNT * (COUNT - 1) / 2);
  berth_tensor_release(result);
  for (int i = 0; i < COUNT; ++i) berth_tensor_release(feeds[i].tensor);
  rig_clear(&rig);
}

// ---- Fetches ----

TEST(fetch, results_come_in_the_order_asked) {
  rig_t rig;
  rig_init(&rig);
  berth_out_t x = hole(rig.graph, "x");
  berth_out_t a = berth_neg(rig.graph, "a", x);
  berth_out_t b = berth_square(rig.graph, "b", x);
  ASSERT_OK(rig_open(&rig, NULL), &rig.err);
  berth_tensor_t *fed = scalar(3), *results[3] = {NULL};
  berth_feed_t feed = {x, fed};
  berth_out_t orders[][3] = {{a, b, a}, {b, a, b}, {b, b, a}};
  for (int i = 0; i < 3; ++i) {
    ASSERT_OK(berth_session_run(rig.session, &feed, 1, orders[i], 3, results,
                                &rig.err),
              &rig.err);
    for (int k = 0; k < 3; ++k) {
      EXPECT_EQ(element(results[k], 0), orders[i][k].node == a.node ? -3 : 9);
      berth_tensor_release(results[k]);
    }
  }
  berth_tensor_release(fed);
  rig_clear(&rig);
}

TEST(fetch, duplicates_share_a_buffer) {
  rig_t rig;
  rig_init(&rig);
  berth_out_t x = hole(rig.graph, "x");
  berth_out_t a = berth_neg(rig.graph, "a", x);
  berth_out_t c = const_scalar(rig.graph, "c", 2);
  ASSERT_OK(rig_open(&rig, NULL), &rig.err);
  berth_tensor_t *fed = scalar(3), *results[4] = {NULL};
  berth_out_t fetches[] = {a, c, a, c};
  ASSERT_OK(berth_session_run(rig.session, &(berth_feed_t){x, fed}, 1, fetches,
                              4, results, &rig.err),
            &rig.err);
  EXPECT_TRUE(berth_tensor_data(results[0]) == berth_tensor_data(results[2]));
  EXPECT_TRUE(berth_tensor_data(results[1]) == berth_tensor_data(results[3]));
  for (int i = 0; i < 4; ++i) berth_tensor_release(results[i]);
  berth_tensor_release(fed);
  rig_clear(&rig);
}

TEST(fetch, results_outlive_session_and_graph) {
  rig_t rig;
  rig_init(&rig);
  berth_out_t x = hole(rig.graph, "x");
  berth_out_t shape = const_ints(rig.graph, "shape", (int32_t[]){2, 2}, 2);
  berth_out_t twice = berth_add_v2(rig.graph, "twice", x, x);
  berth_out_t square = berth_reshape(rig.graph, "square", twice, shape);
  ASSERT_OK(rig_open(&rig, NULL), &rig.err);
  berth_tensor_t *fed = ramp(4), *result = NULL;
  ASSERT_OK(berth_session_run(rig.session, &(berth_feed_t){x, fed}, 1, &square,
                              1, &result, &rig.err),
            &rig.err);
  berth_tensor_release(fed);
  rig_clear(&rig);
  EXPECT_EQ(berth_tensor_shape(result).rank, 2);
  EXPECT_EQ(element(result, 3), 6);
  berth_tensor_release(result);
}

TEST(fetch, targets_run_without_a_value) {
  rig_t rig;
  rig_init(&rig);
  berth_out_t v = berth_variable_v2(rig.graph, "v", BERTH_SCALAR, BERTH_FLOAT);
  berth_out_t one = const_scalar(rig.graph, "one", 1);
  berth_out_t set = berth_assign(rig.graph, "set", v, one);
  berth_out_t add = berth_assign_add(rig.graph, "add", v, one);
  ASSERT_OK(rig_open(&rig, NULL), &rig.err);
  ASSERT_OK(run_target(&rig, set.node), &rig.err);
  ASSERT_OK(run_target(&rig, add.node), &rig.err);
  // A target that is asked for twice, or fetched as well, runs once.
  berth_node_id_t targets[] = {add.node, add.node};
  berth_tensor_t *result = NULL;
  berth_run_t run = {.targets = targets,
                     .target_count = 2,
                     .fetches = &add,
                     .fetch_count = 1,
                     .results = &result};
  ASSERT_OK(berth_session_run_with(rig.session, &run, &rig.err), &rig.err);
  EXPECT_EQ(element(result, 0), 3);
  berth_tensor_release(result);
  EXPECT_EQ(fetch(&rig, v), 3);
  rig_clear(&rig);
}

// ---- Callables ----

TEST(callable, is_planned_once) {
  rig_t rig;
  rig_init(&rig);
  berth_out_t x = hole(rig.graph, "x"), y = hole(rig.graph, "y");
  berth_out_t sum = berth_add_v2(rig.graph, "sum", x, y);
  berth_out_t difference = berth_sub(rig.graph, "difference", x, y);
  ASSERT_OK(rig_open(&rig, NULL), &rig.err);
  berth_out_t feeds[] = {y, x}, fetches[] = {difference, sum};
  berth_callable_t *callable = NULL;
  ASSERT_OK(berth_callable_create(rig.session, feeds, 2, fetches, 2, NULL, 0,
                                  &callable, &rig.err),
            &rig.err);
  berth_tensor_t *values[] = {scalar(1), scalar(10)}, *results[2];
  for (int i = 0; i < 3; ++i) {
    ASSERT_OK(berth_callable_run(callable, values, results, &rig.err),
              &rig.err);
    EXPECT_EQ(element(results[0], 0), 9);
    EXPECT_EQ(element(results[1], 0), 11);
    berth_tensor_release(results[0]);
    berth_tensor_release(results[1]);
  }
  berth_tensor_t *wrong[] = {int_scalar(1), values[1]};
  EXPECT_FAILS(berth_callable_run(callable, wrong, results, &rig.err),
               BERTH_INVALID_ARGUMENT, &rig.err,
               "Expects arg[0] to be float but int32 is provided");
  berth_session_close(rig.session);
  EXPECT_FAILS(berth_callable_run(callable, values, results, &rig.err),
               BERTH_CANCELLED, &rig.err, "Session has been closed.");
  berth_tensor_release(wrong[0]);
  berth_tensor_release(values[0]);
  berth_tensor_release(values[1]);
  berth_callable_destroy(callable);
  rig_clear(&rig);
}

TEST(callable, is_checked_when_it_is_made) {
  rig_t rig;
  rig_init(&rig);
  berth_out_t x = hole(rig.graph, "x");
  ASSERT_OK(rig_open(&rig, NULL), &rig.err);
  berth_callable_t *callable = NULL;
  EXPECT_FAILS(berth_callable_create(rig.session, &x, 1, &x, 1, NULL, 0,
                                     &callable, &rig.err),
               BERTH_INVALID_ARGUMENT, &rig.err,
               "x:0 is both fed and fetched.");
  EXPECT_TRUE(callable == NULL);
  rig_clear(&rig);
}
