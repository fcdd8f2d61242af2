// error_test.c - What a run that cannot be done says, in TensorFlow's words.
#include "session_testing.h"

// x (placeholder), two = 2, y = x * two, v = an uninitialised variable, and a
// node without outputs.
typedef struct parts {
  berth_out_t x, two, y, v;
  berth_node_id_t nothing;
} parts_t;

static void open_parts(rig_t *rig, parts_t *parts) {
  rig_init(rig);
  berth_placeholder_attrs_t attrs = {BERTH_SHAPE(2, 3)};
  parts->x = berth_placeholder_with(rig->graph, "x", BERTH_FLOAT, &attrs);
  parts->two = const_scalar(rig->graph, "two", 2);
  parts->y = berth_mul(rig->graph, "y", parts->x, parts->two);
  parts->v = berth_variable_v2(rig->graph, "v", BERTH_SCALAR, BERTH_FLOAT);
  parts->nothing = berth_no_op(rig->graph, "nothing");
  EXPECT_EQ(rig_open(rig, NULL), BERTH_OK);
}

static berth_code_t run_one(rig_t *rig, const berth_feed_t *feeds, int count,
                            berth_out_t fetch_out) {
  berth_tensor_t *result = NULL;
  berth_code_t code = berth_session_run(rig->session, feeds, count, &fetch_out,
                                        1, &result, &rig->err);
  berth_tensor_release(result);
  return code;
}

TEST(error, nothing_to_do) {
  rig_t rig;
  parts_t p;
  open_parts(&rig, &p);
  EXPECT_FAILS(berth_session_run(rig.session, NULL, 0, NULL, 0, NULL, &rig.err),
               BERTH_INVALID_ARGUMENT, &rig.err,
               "Must specify at least one target to fetch or execute.");
  rig_clear(&rig);
}

TEST(error, fed_twice) {
  rig_t rig;
  parts_t p;
  open_parts(&rig, &p);
  berth_tensor_t *one = scalar(1);
  berth_feed_t feeds[] = {{p.x, one}, {p.x, one}};
  EXPECT_FAILS(run_one(&rig, feeds, 2, p.y), BERTH_INVALID_ARGUMENT, &rig.err,
               "Endpoint \"x:0\" fed more than once.");
  berth_tensor_release(one);
  rig_clear(&rig);
}

TEST(error, fed_and_fetched) {
  rig_t rig;
  parts_t p;
  open_parts(&rig, &p);
  berth_tensor_t *one = scalar(1);
  EXPECT_FAILS(run_one(&rig, &(berth_feed_t){p.x, one}, 1, p.x),
               BERTH_INVALID_ARGUMENT, &rig.err,
               "x:0 is both fed and fetched.");
  berth_tensor_release(one);
  rig_clear(&rig);
}

TEST(error, output_out_of_range) {
  rig_t rig;
  parts_t p;
  open_parts(&rig, &p);
  EXPECT_FAILS(run_one(&rig, NULL, 0, berth_output(p.y.node, 1)),
               BERTH_OUT_OF_RANGE, &rig.err,
               "Node 'y' (type: 'Mul', num of outputs: 1) does not have "
               "output 1");
  EXPECT_FAILS(run_one(&rig, NULL, 0, berth_output(p.y.node, -1)),
               BERTH_OUT_OF_RANGE, &rig.err,
               "Node 'y' (type: 'Mul', num of outputs: 1) does not have "
               "output -1");
  EXPECT_FAILS(run_one(&rig, NULL, 0, berth_output(p.nothing, 0)),
               BERTH_OUT_OF_RANGE, &rig.err,
               "Node 'nothing' (type: 'NoOp', num of outputs: 0) does not "
               "have output 0");
  berth_tensor_t *one = scalar(1);
  berth_feed_t feed = {berth_output(p.x.node, 7), one};
  EXPECT_FAILS(run_one(&rig, &feed, 1, p.y), BERTH_OUT_OF_RANGE, &rig.err,
               "Node 'x' (type: 'Placeholder', num of outputs: 1) does not "
               "have output 7");
  berth_tensor_release(one);
  rig_clear(&rig);
}

TEST(error, unknown_nodes) {
  rig_t rig;
  parts_t p;
  open_parts(&rig, &p);
  berth_tensor_t *one = scalar(1);
  EXPECT_EQ(run_one(&rig, NULL, 0, berth_output(1000, 0)),
            BERTH_INVALID_ARGUMENT);
  EXPECT_EQ(run_one(&rig, NULL, 0, berth_output(BERTH_NO_NODE, 0)),
            BERTH_INVALID_ARGUMENT);
  berth_feed_t feed = {berth_output(1000, 0), one};
  EXPECT_EQ(run_one(&rig, &feed, 1, p.y), BERTH_INVALID_ARGUMENT);
  EXPECT_EQ(run_target(&rig, 1000), BERTH_INVALID_ARGUMENT);
  EXPECT_EQ(run_target(&rig, -5), BERTH_INVALID_ARGUMENT);
  berth_tensor_release(one);
  rig_clear(&rig);
}

TEST(error, names_are_looked_up_in_the_graph) {
  rig_t rig;
  parts_t p;
  open_parts(&rig, &p);
  berth_out_t out = {BERTH_NO_NODE, 0};
  EXPECT_EQ(berth_graph_find_out(rig.graph, "y", &out, &rig.err), BERTH_OK);
  EXPECT_EQ(out.node, p.y.node);
  EXPECT_EQ(berth_graph_find_out(rig.graph, "nope:0", &out, &rig.err),
            BERTH_NOT_FOUND);
  EXPECT_TRUE(strstr(berth_error_message(&rig.err), "nope") != NULL);
  const char *malformed[] = {"y:", "y:x", ":0", "", "y:-1", "y:0:0", "^y"};
  for (size_t i = 0; i < sizeof(malformed) / sizeof(*malformed); ++i) {
    EXPECT_TRUE(berth_graph_find_out(rig.graph, malformed[i], &out, &rig.err) !=
                BERTH_OK);
    EXPECT_TRUE(berth_error_message(&rig.err)[0] != '\0');
    berth_error_clear(&rig.err);
  }
  EXPECT_EQ(out.node, p.y.node);
  rig_clear(&rig);
}

TEST(error, names_of_runs) {
  rig_t rig;
  parts_t p;
  open_parts(&rig, &p);
  berth_out_t out = {5, 5};
  berth_node_id_t nodes[3] = {7, 7, 7};
  EXPECT_FAILS(berth_graph_find_feed(rig.graph, "nope:0", &out, &rig.err),
               BERTH_NOT_FOUND, &rig.err,
               "FeedInputs: unable to find feed output nope:0");
  EXPECT_FAILS(berth_graph_find_feed(rig.graph, "x:3", &out, &rig.err),
               BERTH_INVALID_ARGUMENT, &rig.err,
               "FeedInputs: x:3 should have output index < 1");
  EXPECT_FAILS(berth_graph_find_fetch(rig.graph, "nope:0", &out, &rig.err),
               BERTH_NOT_FOUND, &rig.err,
               "FetchOutputs node nope:0: not found");
  EXPECT_FAILS(berth_graph_find_fetch(rig.graph, "y:1", &out, &rig.err),
               BERTH_INVALID_ARGUMENT, &rig.err,
               "FetchOutputs y:1: output index too large, must be < 1");
  EXPECT_FAILS(
      berth_graph_find_fetch(rig.graph, "nothing:0", &out, &rig.err),
      BERTH_INVALID_ARGUMENT, &rig.err,
      "Tried to fetch data for 'nothing:0', which produces no output.  To run "
      "to a node but not fetch any data, pass 'nothing:0' as an argument to "
      "the 'target_node_names' argument of the Session::Run API.");
  EXPECT_EQ(out.node, 5);
  const char *names[] = {"a", "nothing", "b"};
  EXPECT_FAILS(berth_graph_find_targets(rig.graph, names, 3, nodes, &rig.err),
               BERTH_NOT_FOUND, &rig.err,
               "PruneForTargets: Some target nodes not found: a b ");
  ASSERT_OK(berth_graph_find_targets(rig.graph, &names[1], 1, nodes, &rig.err),
            &rig.err);
  EXPECT_EQ(nodes[0], p.nothing);
  ASSERT_OK(berth_graph_find_fetch(rig.graph, "y", &out, &rig.err), &rig.err);
  EXPECT_EQ(out.node, p.y.node);
  rig_clear(&rig);
}

TEST(error, fed_type_is_wrong) {
  rig_t rig;
  parts_t p;
  open_parts(&rig, &p);
  berth_tensor_t *one = int_scalar(1);
  EXPECT_FAILS(run_one(&rig, &(berth_feed_t){p.x, one}, 1, p.y),
               BERTH_INVALID_ARGUMENT, &rig.err,
               "Expects arg[0] to be float but int32 is provided");
  EXPECT_EQ(run_one(&rig, &(berth_feed_t){p.x, NULL}, 1, p.y),
            BERTH_INVALID_ARGUMENT);
  berth_tensor_release(one);
  rig_clear(&rig);
}

TEST(error, fed_shape_is_not_refused) {
  rig_t rig;
  parts_t p;
  open_parts(&rig, &p);
  EXPECT_EQ(fetch_fed(&rig, p.y, p.x, scalar(4)), 8);
  rig_clear(&rig);
}

TEST(error, placeholders_must_be_fed) {
  rig_t rig;
  parts_t p;
  open_parts(&rig, &p);
  EXPECT_FAILS(run_one(&rig, NULL, 0, p.y), BERTH_INVALID_ARGUMENT, &rig.err,
               "You must feed a value for placeholder tensor 'x' with dtype "
               "float and shape [2,3]\n\t [[{{node x}}]]");
  berth_placeholder_attrs_t attrs = {BERTH_SCALAR};
  berth_out_t q = berth_placeholder_with(rig.graph, "q", BERTH_INT32, &attrs);
  EXPECT_FAILS(run_one(&rig, NULL, 0, q), BERTH_INVALID_ARGUMENT, &rig.err,
               "You must feed a value for placeholder tensor 'q' with dtype "
               "int32\n\t [[{{node q}}]]");
  berth_out_t u = hole(rig.graph, "u");
  EXPECT_FAILS(run_one(&rig, NULL, 0, u), BERTH_INVALID_ARGUMENT, &rig.err,
               "You must feed a value for placeholder tensor 'u' with dtype "
               "float\n\t [[{{node u}}]]");
  rig_clear(&rig);
}

TEST(error, uninitialised_variables) {
  rig_t rig;
  parts_t p;
  open_parts(&rig, &p);
  EXPECT_FAILS(run_one(&rig, NULL, 0, p.v), BERTH_FAILED_PRECONDITION, &rig.err,
               "Attempting to use uninitialized value v\n\t "
               "[[{{node _retval_v_0_0}}]]");
  berth_out_t read = berth_identity(rig.graph, "v/read", p.v);
  EXPECT_FAILS(run_one(&rig, NULL, 0, read), BERTH_FAILED_PRECONDITION,
               &rig.err,
               "Attempting to use uninitialized value v\n\t "
               "[[{{node v/read}}]]");
  berth_out_t add = berth_assign_add(rig.graph, "AssignAdd", p.v, p.two);
  EXPECT_FAILS(run_one(&rig, NULL, 0, add), BERTH_FAILED_PRECONDITION, &rig.err,
               "Attempting to use uninitialized value v\n\t "
               "[[{{node AssignAdd}}]]");
  berth_var_handle_op_attrs_t named = BERTH_VAR_HANDLE_OP_ATTRS;
  named.shared_name = "res";
  berth_out_t res = berth_var_handle_op_with(rig.graph, "res", BERTH_FLOAT,
                                             BERTH_SCALAR, &named);
  berth_out_t value =
      berth_read_variable_op(rig.graph, "res/Read", res, BERTH_FLOAT);
  EXPECT_FAILS(
      run_one(&rig, NULL, 0, value), BERTH_FAILED_PRECONDITION, &rig.err,
      "Could not find variable res. This could mean that the variable has been "
      "deleted. In TF1, it can also mean the variable is uninitialized. Debug "
      "info: container=localhost, status error message=Resource "
      "localhost/res/N10tensorflow3VarE does not exist.\n\t "
      "[[{{node res/Read}}]]");
  rig_clear(&rig);
}

TEST(error, a_failed_run_leaves_results_alone) {
  rig_t rig;
  parts_t p;
  open_parts(&rig, &p);
  berth_tensor_t *mark = scalar(9), *results[2] = {mark, mark};
  berth_out_t fetches[] = {p.two, p.y};
  EXPECT_EQ(
      berth_session_run(rig.session, NULL, 0, fetches, 2, results, &rig.err),
      BERTH_INVALID_ARGUMENT);
  EXPECT_TRUE(results[0] == mark && results[1] == mark);
  EXPECT_EQ(fetch(&rig, p.two), 2);
  berth_tensor_release(mark);
  rig_clear(&rig);
}

TEST(error, kernels_name_their_node) {
  rig_t rig;
  parts_t p;
  open_parts(&rig, &p);
  berth_out_t a = hole(rig.graph, "a");
  berth_out_t product = berth_matmul(rig.graph, "product", a, a);
  berth_tensor_t *column =
      tensor_of(BERTH_FLOAT, BERTH_SHAPE(2, 1), (float[]){1, 2});
  EXPECT_FAILS(run_one(&rig, &(berth_feed_t){a, column}, 1, product),
               BERTH_INVALID_ARGUMENT, &rig.err,
               "Matrix size-incompatible: In[0]: [2,1], In[1]: [2,1]\n\t "
               "[[{{node product}}]]");
  berth_tensor_release(column);
  rig_clear(&rig);
}

TEST(error, ops_without_a_kernel_are_all_named) {
  rig_t rig;
  rig_init(&rig);
  berth_out_t a = hole(rig.graph, "a");
  // Present in the schemas, but nothing runs them here.
  berth_op_t *op = berth_op_begin(rig.graph, "FFT", "one");
  berth_out_t c = berth_cast(rig.graph, "c", a, BERTH_COMPLEX64);
  berth_op_input(op, c);
  berth_out_t one = berth_output(berth_op_finish(op), 0);
  op = berth_op_begin(rig.graph, "IFFT", "other");
  berth_op_input(op, one);
  berth_out_t other = berth_output(berth_op_finish(op), 0);
  if (berth_graph_error(rig.graph, NULL) != BERTH_OK ||
      berth_op_has_kernel("FFT", "CPU")) {
    rig_clear(&rig);
    SKIP("every op of the test has a kernel");
  }
  ASSERT_OK(rig_open(&rig, NULL), &rig.err);
  EXPECT_EQ(run_one(&rig, NULL, 0, other), BERTH_UNIMPLEMENTED);
  const char *text = berth_error_message(&rig.err);
  EXPECT_TRUE(strstr(text, "2 nodes") != NULL);
  EXPECT_TRUE(strstr(text, "one (FFT)") != NULL);
  EXPECT_TRUE(strstr(text, "other (IFFT)") != NULL);
  rig_clear(&rig);
}

// ---- RunOptions ----

TEST(error, thread_pools_that_do_not_exist) {
  rig_t rig;
  parts_t p;
  open_parts(&rig, &p);
  berth_tensor_t *result = NULL;
  // Field 3, inter_op_thread_pool: 3, -2, -1, 0.
  static const unsigned char third[] = {0x18, 3}, zero[] = {0x18, 0};
  static const unsigned char minus_one[] = {0x18, 0xff, 0xff, 0xff, 0xff, 0xff,
                                            0xff, 0xff, 0xff, 0xff, 0x01};
  static const unsigned char minus_two[] = {0x18, 0xfe, 0xff, 0xff, 0xff, 0xff,
                                            0xff, 0xff, 0xff, 0xff, 0x01};
  berth_run_t run = {.fetches = &p.two, .fetch_count = 1, .results = &result};
  berth_code_t code =
      berth_run_parse_options(&run, third, sizeof third, &rig.err);
  if (code == BERTH_OK) {
    code = berth_session_run_with(rig.session, &run, &rig.err);
  }
  EXPECT_FAILS(code, BERTH_INVALID_ARGUMENT, &rig.err,
               "Invalid inter_op_thread_pool: 3");
  code = berth_run_parse_options(&run, minus_two, sizeof minus_two, &rig.err);
  if (code == BERTH_OK) {
    code = berth_session_run_with(rig.session, &run, &rig.err);
  }
  EXPECT_FAILS(code, BERTH_INVALID_ARGUMENT, &rig.err,
               "Invalid inter_op_thread_pool: -2");
  ASSERT_OK(
      berth_run_parse_options(&run, minus_one, sizeof minus_one, &rig.err),
      &rig.err);
  ASSERT_OK(berth_session_run_with(rig.session, &run, &rig.err), &rig.err);
  berth_tensor_release(result);
  ASSERT_OK(berth_run_parse_options(&run, zero, sizeof zero, &rig.err),
            &rig.err);
  ASSERT_OK(berth_session_run_with(rig.session, &run, &rig.err), &rig.err);
  berth_tensor_release(result);
  rig_clear(&rig);
}

TEST(error, options_that_are_no_message) {
  berth_run_t run = {.timeout_ms = 7};
  berth_error_t err = BERTH_ERROR_INIT;
  EXPECT_EQ(berth_run_parse_options(&run, "\x08", 1, &err), BERTH_DATA_LOSS);
  EXPECT_EQ(run.timeout_ms, 7);
  berth_error_clear(&err);
}
