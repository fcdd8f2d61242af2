// state_test.c - Variables, queues and random sequences across runs.
#include "session_testing.h"

// ---- Variables ----

TEST(variable, keeps_its_value_between_runs) {
  rig_t rig;
  rig_init(&rig);
  berth_out_t v = berth_variable_v2(rig.graph, "v", BERTH_SCALAR, BERTH_FLOAT);
  berth_out_t one = const_scalar(rig.graph, "one", 1);
  berth_out_t set = berth_assign(rig.graph, "set", v, one);
  berth_out_t add = berth_assign_add(rig.graph, "add", v, one);
  ASSERT_OK(rig_open(&rig, NULL), &rig.err);
  EXPECT_EQ(fetch(&rig, set), 1);
  for (int i = 2; i < 10; ++i) EXPECT_EQ(fetch(&rig, add), i);
  EXPECT_EQ(fetch(&rig, v), 9);
  EXPECT_EQ(fetch(&rig, set), 1);
  rig_clear(&rig);
}

TEST(variable, belongs_to_its_session) {
  rig_t rig, other = {0};
  rig_init(&rig);
  berth_out_t v = berth_variable_v2(rig.graph, "v", BERTH_SCALAR, BERTH_FLOAT);
  berth_out_t x = hole(rig.graph, "x");
  berth_out_t set = berth_assign(rig.graph, "set", v, x);
  ASSERT_OK(rig_open(&rig, NULL), &rig.err);
  other.graph = berth_graph_retain(rig.graph);
  ASSERT_OK(rig_open(&other, NULL), &other.err);
  EXPECT_EQ(fetch_fed(&rig, set, x, scalar(1)), 1);
  EXPECT_TRUE(isnan(fetch(&other, v)));
  EXPECT_EQ(other.err.code, BERTH_FAILED_PRECONDITION);
  EXPECT_EQ(fetch_fed(&other, set, x, scalar(2)), 2);
  EXPECT_EQ(fetch(&rig, v), 1);
  rig_clear(&other);
  rig_clear(&rig);
}

TEST(variable, a_fetched_value_does_not_change_later) {
  rig_t rig;
  rig_init(&rig);
  berth_out_t v =
      berth_variable_v2(rig.graph, "v", BERTH_SHAPE(4), BERTH_FLOAT);
  berth_out_t x = hole(rig.graph, "x");
  berth_out_t set = berth_assign(rig.graph, "set", v, x);
  berth_out_t add = berth_assign_add(rig.graph, "add", v, x);
  ASSERT_OK(rig_open(&rig, NULL), &rig.err);
  EXPECT_EQ(fetch_fed(&rig, set, x, ramp(4)), 0);
  berth_tensor_t *held = NULL;
  ASSERT_OK(berth_session_run(rig.session, NULL, 0, &v, 1, &held, &rig.err),
            &rig.err);
  EXPECT_EQ(fetch_fed(&rig, add, x, ramp(4)), 0);
  EXPECT_EQ(element(held, 3), 3);
  berth_tensor_t *now = NULL;
  ASSERT_OK(berth_session_run(rig.session, NULL, 0, &v, 1, &now, &rig.err),
            &rig.err);
  EXPECT_EQ(element(now, 3), 6);
  berth_tensor_release(held);
  berth_tensor_release(now);
  rig_clear(&rig);
}

// A value that shares a variable's memory in TensorFlow is what the variable
// holds when the value is used; what was computed from it stays.
TEST(variable, shows_updates_through_what_was_read_before) {
  rig_t rig;
  rig_init(&rig);
  berth_out_t v = berth_variable_v2(rig.graph, "v", BERTH_SCALAR, BERTH_FLOAT);
  berth_out_t one = const_scalar(rig.graph, "one", 1);
  berth_out_t set = berth_assign(rig.graph, "set", v, one);
  berth_out_t read = berth_identity(rig.graph, "read", v);
  berth_out_t same = berth_stop_gradient(rig.graph, "same", read);
  berth_out_t early = berth_neg(rig.graph, "early", read);
  berth_control_push(rig.graph, &early.node, 1);
  berth_out_t add = berth_assign_add(rig.graph, "add", v, one);
  berth_control_push(rig.graph, &add.node, 1);
  berth_out_t late = berth_neg(rig.graph, "late", same);
  berth_control_pop(rig.graph);
  berth_control_pop(rig.graph);
  ASSERT_OK(rig_open(&rig, NULL), &rig.err);
  EXPECT_EQ(fetch(&rig, set), 1);
  const berth_out_t fetches[] = {v, read, same, early, late, add};
  const float expected[] = {2, 2, 2, -1, -2, 2};
  berth_tensor_t *values[6] = {NULL};
  ASSERT_OK(
      berth_session_run(rig.session, NULL, 0, fetches, 6, values, &rig.err),
      &rig.err);
  for (int i = 0; i < 6; ++i) {
    EXPECT_EQ(element(values[i], 0), expected[i]);
    berth_tensor_release(values[i]);
  }
  rig_clear(&rig);
}

TEST(variable, of_a_resource_kind) {
  rig_t rig;
  rig_init(&rig);
  berth_var_handle_op_attrs_t named = BERTH_VAR_HANDLE_OP_ATTRS;
  named.shared_name = "r";
  berth_out_t r = berth_var_handle_op_with(rig.graph, "r", BERTH_FLOAT,
                                           BERTH_SHAPE(2), &named);
  berth_out_t x = hole(rig.graph, "x");
  berth_node_id_t set = berth_assign_variable_op(rig.graph, "set", r, x);
  berth_node_id_t add = berth_assign_add_variable_op(rig.graph, "add", r, x);
  berth_control_push(rig.graph, &add, 1);
  berth_out_t read = berth_read_variable_op(rig.graph, "read", r, BERTH_FLOAT);
  berth_control_pop(rig.graph);
  berth_out_t is = berth_var_is_initialized_op(rig.graph, "is", r);
  ASSERT_OK(rig_open(&rig, NULL), &rig.err);
  berth_tensor_t *flag = NULL, *fed = ramp(2);
  ASSERT_OK(berth_session_run(rig.session, NULL, 0, &is, 1, &flag, &rig.err),
            &rig.err);
  EXPECT_EQ(*(bool *)berth_tensor_data(flag), false);
  berth_tensor_release(flag);
  berth_feed_t feed = {x, fed};
  berth_run_t run = {
      .feeds = &feed, .feed_count = 1, .targets = &set, .target_count = 1};
  ASSERT_OK(berth_session_run_with(rig.session, &run, &rig.err), &rig.err);
  for (int i = 2; i < 5; ++i) {
    berth_tensor_t *value = NULL;
    ASSERT_OK(
        berth_session_run(rig.session, &feed, 1, &read, 1, &value, &rig.err),
        &rig.err);
    EXPECT_EQ(element(value, 1), i);
    berth_tensor_release(value);
  }
  berth_tensor_release(fed);
  rig_clear(&rig);
}

// ---- Queues ----

TEST(queue, across_runs) {
  rig_t rig;
  rig_init(&rig);
  berth_out_t queue = float_queue(rig.graph, "queue", 10);
  berth_out_t x = hole(rig.graph, "x");
  berth_node_id_t put = berth_queue_enqueue_v2(rig.graph, "put", queue, &x, 1);
  berth_out_t taken = dequeue(rig.graph, "taken", queue);
  berth_out_t size = berth_queue_size_v2(rig.graph, "size", queue);
  ASSERT_OK(rig_open(&rig, NULL), &rig.err);
  for (int i = 0; i < 5; ++i) {
    berth_tensor_t *fed = scalar((float)i);
    berth_feed_t feed = {x, fed};
    berth_run_t run = {
        .feeds = &feed, .feed_count = 1, .targets = &put, .target_count = 1};
    ASSERT_OK(berth_session_run_with(rig.session, &run, &rig.err), &rig.err);
    // What is in the queue is a copy.
    *(float *)berth_tensor_data(fed) = -1;
    berth_tensor_release(fed);
  }
  EXPECT_EQ(fetch(&rig, size), 5);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(fetch(&rig, taken), i);
  EXPECT_EQ(fetch(&rig, size), 0);
  rig_clear(&rig);
}

TEST(queue, a_dequeue_waits_for_an_enqueue_of_the_same_run) {
  rig_t rig;
  rig_init(&rig);
  berth_out_t queue = float_queue(rig.graph, "queue", 1);
  // The dequeue is built, and would run, first.
  berth_out_t taken = dequeue(rig.graph, "taken", queue);
  berth_out_t after = berth_neg(rig.graph, "after", taken);
  berth_out_t x = hole(rig.graph, "x");
  berth_out_t y = berth_square(rig.graph, "y", x);
  berth_node_id_t put = berth_queue_enqueue_v2(rig.graph, "put", queue, &y, 1);
  ASSERT_OK(rig_open(&rig, NULL), &rig.err);
  for (int i = 0; i < 50; ++i) {
    berth_tensor_t *fed = scalar((float)i), *result = NULL;
    berth_feed_t feed = {x, fed};
    berth_run_t run = {.feeds = &feed,
                       .feed_count = 1,
                       .fetches = &after,
                       .fetch_count = 1,
                       .results = &result,
                       .targets = &put,
                       .target_count = 1,
                       .timeout_ms = 20000};
    ASSERT_OK(berth_session_run_with(rig.session, &run, &rig.err), &rig.err);
    EXPECT_EQ(element(result, 0), -i * i);
    berth_tensor_release(result);
    berth_tensor_release(fed);
  }
  rig_clear(&rig);
}

TEST(queue, a_full_one_holds_back_an_enqueue) {
  rig_t rig;
  rig_init(&rig);
  berth_out_t queue = float_queue(rig.graph, "queue", 1);
  berth_out_t one = const_scalar(rig.graph, "one", 1);
  berth_node_id_t put =
      berth_queue_enqueue_v2(rig.graph, "put", queue, &one, 1);
  berth_out_t taken = dequeue(rig.graph, "taken", queue);
  ASSERT_OK(rig_open(&rig, NULL), &rig.err);
  ASSERT_OK(run_target(&rig, put), &rig.err);
  job_t job = {0};
  job_start(&job, rig.session, taken, put);
  sleep_ms(30);
  EXPECT_FALSE(atomic_load(&job.is_done));
  EXPECT_EQ(fetch(&rig, taken), 1);
  job_join(&job);
  EXPECT_EQ(job.code, BERTH_OK);
  EXPECT_EQ(fetch(&rig, taken), 1);
  job_clear(&job);
  rig_clear(&rig);
}

TEST(queue, closing_ends_those_that_wait) {
  rig_t rig;
  rig_init(&rig);
  berth_out_t queue = float_queue(rig.graph, "q", 1);
  berth_out_t taken = dequeue(rig.graph, "q_Dequeue", queue);
  berth_node_id_t shut = berth_queue_close_v2(rig.graph, "shut", queue);
  ASSERT_OK(rig_open(&rig, NULL), &rig.err);
  job_t job = {0};
  job_start(&job, rig.session, taken, BERTH_NO_NODE);
  sleep_ms(20);
  ASSERT_OK(run_target(&rig, shut), &rig.err);
  job_join(&job);
  EXPECT_EQ(job.code, BERTH_OUT_OF_RANGE);
  EXPECT_STR(berth_error_message(&job.err),
             "FIFOQueue '_0_q' is closed and has insufficient elements "
             "(requested 1, current size 0)\n\t [[{{node q_Dequeue}}]]");
  job_clear(&job);
  rig_clear(&rig);
}

TEST(queue, many_dequeues_in_one_run) {
  enum { COUNT = 40 };
  rig_t rig;
  rig_init(&rig);
  berth_out_t queue = float_queue(rig.graph, "queue", 4);
  berth_out_t taken[COUNT];
  for (int i = 0; i < COUNT; ++i) taken[i] = dequeue(rig.graph, NULL, queue);
  berth_out_t sum = berth_add_n(rig.graph, "sum", taken, COUNT);
  berth_node_id_t puts[COUNT];
  for (int i = 0; i < COUNT; ++i) {
    berth_out_t value = const_scalar(rig.graph, NULL, (float)i);
    puts[i] = berth_queue_enqueue_v2(rig.graph, NULL, queue, &value, 1);
  }
  ASSERT_OK(rig_open(&rig, NULL), &rig.err);
  for (int round = 0; round < 3; ++round) {
    berth_tensor_t *result = NULL;
    berth_run_t run = {.fetches = &sum,
                       .fetch_count = 1,
                       .results = &result,
                       .targets = puts,
                       .target_count = COUNT,
                       .timeout_ms = 20000};
    ASSERT_OK(berth_session_run_with(rig.session, &run, &rig.err), &rig.err);
    EXPECT_EQ(element(result, 0), COUNT * (COUNT - 1) / 2);
    berth_tensor_release(result);
  }
  rig_clear(&rig);
}

// ---- Random sequences ----

TEST(random, goes_on_across_programs_and_shapes) {
  rig_t rig, other = {0};
  rig_init(&rig);
  berth_out_t shape = berth_placeholder(rig.graph, "shape", BERTH_INT32);
  berth_random_uniform_attrs_t attrs = BERTH_RANDOM_UNIFORM_ATTRS;
  attrs.seed = 1;
  attrs.seed2 = 2;
  berth_out_t random = berth_random_uniform_with(rig.graph, "random", shape,
                                                 BERTH_FLOAT, &attrs);
  berth_out_t same = berth_identity(rig.graph, "same", random);
  ASSERT_OK(rig_open(&rig, NULL), &rig.err);
  other.graph = berth_graph_retain(rig.graph);
  ASSERT_OK(rig_open(&other, NULL), &other.err);
  // One sequence through two programs, the other through one.
  for (int i = 0; i < 12; ++i) {
    int32_t size = 4 * (i % 3 + 1);
    double a = fetch_fed(&rig, i % 2 == 0 ? random : same, shape,
                         tensor_of(BERTH_INT32, BERTH_SHAPE(1), &size));
    double b = fetch_fed(&other, random, shape,
                         tensor_of(BERTH_INT32, BERTH_SHAPE(1), &size));
    EXPECT_TRUE(a >= 0 && a < 1);
    EXPECT_NEAR(a, b, 0);
  }
  rig_clear(&other);
  rig_clear(&rig);
}
