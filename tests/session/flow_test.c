// flow_test.c - Conditionals and loops: Switch, Merge, Enter and their kin.
#include <sys/resource.h>

#include "flow_testing.h"

// ---- Building ----

static berth_out_t op_of(berth_graph_t *graph, const char *type,
                         const char *name, berth_out_t a, berth_out_t b) {
  berth_op_t *op = berth_op_begin(graph, type, name);
  berth_op_input(op, a);
  if (b.node != BERTH_NO_NODE) berth_op_input(op, b);
  return berth_output(berth_op_finish(op), 0);
}

static const berth_out_t none = {BERTH_NO_NODE, 0};

static berth_out_t enter_of(berth_graph_t *graph, const char *name,
                            const char *frame, berth_out_t value,
                            bool is_constant) {
  berth_op_t *op = berth_op_begin(graph, "Enter", name);
  berth_op_input(op, value);
  berth_op_attr_string(op, "frame_name", frame, strlen(frame));
  berth_op_attr_bool(op, "is_constant", is_constant);
  return berth_output(berth_op_finish(op), 0);
}

static berth_out_t merge_of(berth_graph_t *graph, const char *name,
                            berth_out_t a, berth_out_t b) {
  const berth_out_t both[] = {a, b};
  berth_op_t *op = berth_op_begin(graph, "Merge", name);
  berth_op_input_list(op, both, 2);
  return berth_output(berth_op_finish(op), 0);
}

// The other output of |out|'s node.
static berth_out_t second(berth_out_t out) { return berth_output(out.node, 1); }

// A node without inputs that waits for |before|.
static berth_node_id_t after(berth_graph_t *graph, const char *op,
                             const char *name, berth_node_id_t before) {
  berth_op_t *building = berth_op_begin(graph, op, name);
  berth_op_control(building, before);
  return berth_op_finish(building);
}

static berth_out_t const_after(berth_graph_t *graph, const char *name,
                               float value, berth_node_id_t before) {
  berth_control_push(graph, &before, 1);
  berth_out_t out = const_scalar(graph, name, value);
  berth_control_pop(graph);
  return out;
}

// A rig with a Switch of 3 by what is fed.
typedef struct fork {
  rig_t rig;
  berth_out_t pred, value, on_false, on_true;
} fork_t;

static void fork_init(fork_t *f) {
  rig_init(&f->rig);
  berth_graph_t *graph = f->rig.graph;
  f->pred = berth_placeholder(graph, "pred", BERTH_BOOL);
  f->value = const_scalar(graph, "value", 3);
  f->on_false = op_of(graph, "Switch", "switch", f->value, f->pred);
  f->on_true = second(f->on_false);
}

static double fork_fetch(fork_t *f, berth_out_t out, bool pred) {
  berth_error_clear(&f->rig.err);
  return fetch_fed(&f->rig, out, f->pred,
                   tensor_of(BERTH_BOOL, BERTH_SCALAR, &pred));
}

static void expect_error(rig_t *rig, berth_code_t code, const char *text) {
  EXPECT_EQ(rig->err.code, code);
  EXPECT_STR(berth_error_message(&rig->err), text);
  berth_error_clear(&rig->err);
}

// A loop that adds |step| to a number from 0 on while it is below |limit|.
typedef struct counting {
  berth_out_t enter, merge, cond, leave, body, exit, next;
} counting_t;

static void counting_build(berth_graph_t *graph, berth_out_t limit, float step,
                           counting_t *c) {
  berth_out_t zero = const_scalar(graph, "zero", 0);
  c->enter = enter_of(graph, "enter", "loop", zero, false);
  berth_out_t bound = enter_of(graph, "bound", "loop", limit, true);
  c->merge = merge_of(graph, "merge", c->enter, c->enter);
  berth_out_t less = op_of(graph, "Less", "less", c->merge, bound);
  c->cond = op_of(graph, "LoopCond", "cond", less, none);
  c->leave = op_of(graph, "Switch", "switch", c->merge, c->cond);
  berth_out_t stay = op_of(graph, "Identity", "stay", second(c->leave), none);
  berth_out_t one = const_after(graph, "one", step, stay.node);
  c->body = op_of(graph, "AddV2", "add", stay, one);
  c->next = op_of(graph, "NextIteration", "next", c->body, none);
  c->exit = op_of(graph, "Exit", "exit", c->leave, none);
  berth_error_t err = BERTH_ERROR_INIT;
  ASSERT_OK(berth_graph_close_loop(graph, c->merge.node, c->next, &err), &err);
}

// ---- What TensorFlow has written and run ----

TEST(flow, does_what_tensorflow_did) { EXPECT_EQ(flow_replay(), 70); }

// ---- Conditionals ----

TEST(cond, takes_one_side) {
  fork_t f;
  fork_init(&f);
  berth_graph_t *graph = f.rig.graph;
  berth_out_t twice = op_of(graph, "AddV2", "twice", f.on_false, f.on_false);
  berth_out_t square = op_of(graph, "Mul", "square", f.on_true, f.on_true);
  berth_out_t both = merge_of(graph, "both", twice, square);
  ASSERT_OK(rig_open(&f.rig, NULL), &f.rig.err);
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(fork_fetch(&f, both, false), 6);
    EXPECT_EQ(fork_fetch(&f, both, true), 9);
    EXPECT_EQ(fork_fetch(&f, second(both), false), 0);
    EXPECT_EQ(fork_fetch(&f, second(both), true), 1);
  }
  rig_clear(&f.rig);
}

TEST(cond, says_what_is_not_there) {
  fork_t f;
  fork_init(&f);
  berth_out_t more = op_of(f.rig.graph, "AddV2", "more", f.on_true, f.on_true);
  ASSERT_OK(rig_open(&f.rig, NULL), &f.rig.err);
  EXPECT_TRUE(isnan(fork_fetch(&f, f.on_false, true)));
  expect_error(&f.rig, BERTH_INVALID_ARGUMENT, "Retval[0] does not have value");
  EXPECT_TRUE(isnan(fork_fetch(&f, more, false)));
  expect_error(&f.rig, BERTH_INVALID_ARGUMENT, "Retval[0] does not have value");
  EXPECT_EQ(fork_fetch(&f, f.on_true, true), 3);
  rig_clear(&f.rig);
}

// Fetches are numbered by their names, as TensorFlow sorts them.
TEST(cond, counts_fetches_by_name) {
  fork_t f;
  fork_init(&f);
  ASSERT_OK(rig_open(&f.rig, NULL), &f.rig.err);
  const berth_out_t fetches[] = {f.on_true, f.on_false};
  berth_tensor_t *results[2] = {NULL, NULL};
  bool pred = false;
  berth_feed_t feed = {f.pred, tensor_of(BERTH_BOOL, BERTH_SCALAR, &pred)};
  EXPECT_FAILS(berth_session_run(f.rig.session, &feed, 1, fetches, 2, results,
                                 &f.rig.err),
               BERTH_INVALID_ARGUMENT, &f.rig.err,
               "Retval[1] does not have value");
  EXPECT_TRUE(results[0] == NULL && results[1] == NULL);
  berth_tensor_release(feed.tensor);
  rig_clear(&f.rig);
}

// A constant that waits for a dead node is dead; what a Switch gives may be
// dead, the Switch itself is not; a ControlTrigger never is.
TEST(cond, passes_death_on_along_control_edges) {
  fork_t f;
  fork_init(&f);
  berth_graph_t *graph = f.rig.graph;
  berth_out_t dead = op_of(graph, "Identity", "dead", f.on_false, none);
  berth_out_t gated = const_after(graph, "gated", 7, dead.node);
  berth_out_t open = const_after(graph, "open", 8, f.on_false.node);
  berth_node_id_t wakes = after(graph, "ControlTrigger", "wakes", dead.node);
  berth_out_t woken = const_after(graph, "woken", 9, wakes);
  berth_node_id_t nothing = after(graph, "NoOp", "nothing", dead.node);
  berth_control_push(graph, &dead.node, 1);
  berth_out_t merged = merge_of(graph, "merged", f.on_false, f.on_true);
  berth_control_pop(graph);
  ASSERT_OK(rig_open(&f.rig, NULL), &f.rig.err);
  EXPECT_TRUE(isnan(fork_fetch(&f, gated, true)));
  expect_error(&f.rig, BERTH_INVALID_ARGUMENT, "Retval[0] does not have value");
  EXPECT_EQ(fork_fetch(&f, gated, false), 7);
  EXPECT_EQ(fork_fetch(&f, open, true), 8);
  EXPECT_EQ(fork_fetch(&f, woken, true), 9);
  EXPECT_EQ(fork_fetch(&f, merged, true), 3);
  bool pred = true;
  berth_feed_t feed = {f.pred, tensor_of(BERTH_BOOL, BERTH_SCALAR, &pred)};
  berth_run_t run = {
      .feeds = &feed, .feed_count = 1, .targets = &nothing, .target_count = 1};
  EXPECT_EQ(berth_session_run_with(f.rig.session, &run, &f.rig.err), BERTH_OK);
  berth_tensor_release(feed.tensor);
  rig_clear(&f.rig);
}

// What cannot be computed is not, in the branch that is not taken.
TEST(cond, does_not_run_the_other_side) {
  fork_t f;
  fork_init(&f);
  berth_graph_t *graph = f.rig.graph;
  berth_out_t there = op_of(graph, "Identity", "there", f.on_true, none);
  berth_control_push(graph, &there.node, 1);
  const int32_t numbers[] = {1, 0};
  berth_out_t one = berth_const_i32(graph, "one", numbers, BERTH_SCALAR);
  berth_out_t zero = berth_const_i32(graph, "zero", numbers + 1, BERTH_SCALAR);
  berth_control_pop(graph);
  berth_out_t bad = op_of(graph, "FloorDiv", "bad", one, zero);
  berth_control_push(graph, &bad.node, 1);
  berth_out_t good = op_of(graph, "Identity", "good", f.on_true, none);
  berth_control_pop(graph);
  berth_out_t merged = merge_of(graph, "merged", f.on_false, good);
  // Or nobody would look at what is only waited for.
  berth_config_t config = BERTH_CONFIG_INIT;
  config.keep_constants = false;
  ASSERT_OK(rig_open(&f.rig, &config), &f.rig.err);
  EXPECT_EQ(fork_fetch(&f, merged, false), 3);
  EXPECT_TRUE(isnan(fork_fetch(&f, merged, true)));
  expect_error(&f.rig, BERTH_INVALID_ARGUMENT,
               "Integer division by zero\n\t [[{{node bad}}]]");
  rig_clear(&f.rig);
}

TEST(cond, wants_a_scalar) {
  fork_t f;
  fork_init(&f);
  ASSERT_OK(rig_open(&f.rig, NULL), &f.rig.err);
  const bool preds[] = {true, false};
  EXPECT_TRUE(isnan(fetch_fed(&f.rig, f.on_true, f.pred,
                              tensor_of(BERTH_BOOL, BERTH_SHAPE(2), preds))));
  expect_error(&f.rig, BERTH_INVALID_ARGUMENT,
               "The second input must be a scalar, but it has shape [2]\n\t "
               "[[{{node switch}}]]");
  rig_clear(&f.rig);
}

static void count_call(berth_host_call_t *call, void *arg) {
  ++*(int *)arg;
  berth_tensor_t *input = berth_tensor_retain(berth_host_call_input(call, 0));
  berth_host_call_finish(call, BERTH_OK, NULL, &input, 1);
}

TEST(cond, calls_the_host_on_one_side) {
  fork_t f;
  fork_init(&f);
  int calls = 0;
  berth_out_t called = callback(f.rig.graph, "called", "count", &f.on_true, 1);
  berth_out_t merged = merge_of(f.rig.graph, "merged", f.on_false, called);
  ASSERT_OK(rig_open(&f.rig, NULL), &f.rig.err);
  ASSERT_OK(berth_host_register("count", count_call, &calls, &f.rig.err),
            &f.rig.err);
  EXPECT_EQ(fork_fetch(&f, merged, false), 3);
  EXPECT_EQ(calls, 0);
  EXPECT_EQ(fork_fetch(&f, merged, true), 3);
  EXPECT_EQ(calls, 1);
  rig_clear(&f.rig);
}

// Fed memory is the caller's: what comes out of a Switch is not it.
TEST(cond, does_not_hand_out_what_is_fed) {
  rig_t rig;
  rig_init(&rig);
  berth_out_t fed = hole(rig.graph, "fed");
  const bool yes = true;
  berth_tensor_t *truth = tensor_of(BERTH_BOOL, BERTH_SCALAR, &yes);
  berth_out_t pred = berth_const(rig.graph, "pred", truth);
  berth_out_t out = op_of(rig.graph, "Switch", "switch", fed, pred);
  ASSERT_OK(rig_open(&rig, NULL), &rig.err);
  berth_feed_t feed = {fed, scalar(5)};
  berth_out_t taken = second(out);
  berth_tensor_t *result = NULL;
  ASSERT_OK(
      berth_session_run(rig.session, &feed, 1, &taken, 1, &result, &rig.err),
      &rig.err);
  *(float *)berth_tensor_data(feed.tensor) = 6;
  EXPECT_EQ(element(result, 0), 5);
  berth_tensor_release(result);
  berth_tensor_release(feed.tensor);
  berth_tensor_release(truth);
  rig_clear(&rig);
}

// One call of |partial|: feeds |fed| and fetches |out|; the value is in |*last|.
static berth_code_t piece(rig_t *rig, berth_partial_t *partial, berth_out_t fed,
                          berth_tensor_t *value, berth_out_t out,
                          double *last) {
  berth_feed_t feed = {fed, value};
  berth_tensor_t *result = NULL;
  berth_code_t code =
      berth_partial_run(partial, &feed, 1, &out, 1, &result, &rig->err);
  if (code == BERTH_OK) *last = element(result, 0);
  berth_tensor_release(value);
  berth_tensor_release(result);
  return code;
}

TEST(cond, is_fed_in_pieces) {
  const bool yes = true;
  fork_t f;
  fork_init(&f);
  berth_out_t more = hole(f.rig.graph, "more");
  berth_out_t sum = op_of(f.rig.graph, "AddV2", "sum", f.on_true, more);
  ASSERT_OK(rig_open(&f.rig, NULL), &f.rig.err);
  const berth_out_t fetches[] = {f.on_true, sum, f.on_false};
  // A run of which something dead is fetched is over.
  for (int at = 0; at < 2; ++at) {
    berth_partial_t *partial = NULL;
    double last = 0;
    ASSERT_OK(
        berth_partial_create(f.rig.session, (berth_out_t[]){f.pred, more}, 2,
                             fetches, 3, NULL, 0, &partial, &f.rig.err),
        &f.rig.err);
    berth_tensor_t *truth = tensor_of(BERTH_BOOL, BERTH_SCALAR, &yes);
    if (at == 0) {
      ASSERT_OK(piece(&f.rig, partial, f.pred, truth, f.on_true, &last),
                &f.rig.err);
      EXPECT_EQ(last, 3);
      ASSERT_OK(piece(&f.rig, partial, more, scalar(4), sum, &last),
                &f.rig.err);
      EXPECT_EQ(last, 7);
    } else {
      EXPECT_FAILS(piece(&f.rig, partial, f.pred, truth, f.on_false, &last),
                   BERTH_INVALID_ARGUMENT, &f.rig.err,
                   "The tensor returned for switch:0 was not valid.");
      EXPECT_FAILS(piece(&f.rig, partial, more, scalar(4), sum, &last),
                   BERTH_INVALID_ARGUMENT, &f.rig.err,
                   "Must run 'setup' before performing partial runs!");
    }
    berth_partial_destroy(partial);
  }
  rig_clear(&f.rig);
}

// ---- Loops ----

static void counting_open(rig_t *rig, float limit, float step, counting_t *c) {
  rig_init(rig);
  berth_out_t bound = const_scalar(rig->graph, "limit", limit);
  counting_build(rig->graph, bound, step, c);
  EXPECT_EQ(rig_open(rig, NULL), BERTH_OK);
}

// What leaves a loop waits for what the whole loop waits for.
TEST(loop, is_fed_in_pieces) {
  rig_t rig;
  counting_t c;
  double last = 0;
  rig_init(&rig);
  berth_out_t limit = hole(rig.graph, "limit"), more = hole(rig.graph, "more");
  counting_build(rig.graph, limit, 1, &c);
  berth_out_t sum = op_of(rig.graph, "AddV2", "sum", c.exit, more);
  ASSERT_OK(rig_open(&rig, NULL), &rig.err);
  berth_partial_t *partial = NULL;
  ASSERT_OK(berth_partial_create(rig.session, (berth_out_t[]){limit, more}, 2,
                                 (berth_out_t[]){c.exit, sum}, 2, NULL, 0,
                                 &partial, &rig.err),
            &rig.err);
  EXPECT_FAILS(
      piece(&rig, partial, more, scalar(100), sum, &last),
      BERTH_INVALID_ARGUMENT, &rig.err,
      "Fetch limit:0 can't be computed from the feeds that have been fed so "
      "far.");
  ASSERT_OK(piece(&rig, partial, limit, scalar(6), c.exit, &last), &rig.err);
  EXPECT_EQ(last, 6);
  ASSERT_OK(piece(&rig, partial, more, scalar(100), sum, &last), &rig.err);
  EXPECT_EQ(last, 106);
  berth_partial_destroy(partial);
  rig_clear(&rig);
}

TEST(loop, counts) {
  rig_t rig;
  counting_t c;
  rig_init(&rig);
  berth_out_t limit = hole(rig.graph, "limit");
  counting_build(rig.graph, limit, 1, &c);
  ASSERT_OK(rig_open(&rig, NULL), &rig.err);
  for (int n = 0; n < 40; n += 13) {
    EXPECT_EQ(fetch_fed(&rig, c.exit, limit, scalar((float)n)), n);
  }
  rig_clear(&rig);
}

TEST(loop, is_the_same_when_written_and_read) {
  rig_t rig, copy;
  counting_t c;
  counting_open(&rig, 10, 3, &c);
  void *bytes = NULL;
  size_t size = 0;
  ASSERT_OK(berth_graph_export(rig.graph, &bytes, &size, &rig.err), &rig.err);
  rig_init(&copy);
  ASSERT_OK(berth_graph_import(copy.graph, bytes, size, NULL, &copy.err),
            &copy.err);
  ASSERT_OK(rig_open(&copy, NULL), &copy.err);
  berth_out_t out = {berth_graph_find(copy.graph, "exit"), 0};
  EXPECT_EQ(fetch(&copy, out), 12);
  berth_text_free(bytes);
  rig_clear(&copy);
  rig_clear(&rig);
}

// What is fetched from inside must be there in one iteration alone.
TEST(loop, can_be_looked_into) {
  rig_t rig;
  counting_t c;
  counting_open(&rig, 2, 1, &c);
  EXPECT_EQ(fetch(&rig, c.enter), 0);
  EXPECT_EQ(fetch(&rig, c.leave), 2);
  EXPECT_TRUE(isnan(fetch(&rig, c.merge)));
  expect_error(&rig, BERTH_INTERNAL,
               "Retval[0] has already been set.\n\t [[{{node "
               "_retval_merge_0_0}}]]");
  EXPECT_TRUE(isnan(fetch(&rig, c.next)));
  EXPECT_EQ(rig.err.code, BERTH_INTERNAL);
  rig_clear(&rig);
}

// An Exit of an inner loop lies in the outer one.
TEST(loop, can_be_looked_into_between_loops) {
  flow_case_t c = {.runs = 0};
  flow_open(&c, "nested_while");
  rig_t *rig = &c.rig;
  berth_out_t n = flow_find(&c, "Placeholder:0");
  berth_out_t inner = flow_find(&c, "while/while/Exit:0");
  EXPECT_EQ(fetch_fed(rig, inner, n, int_scalar(1)), 0);
  EXPECT_TRUE(isnan(fetch_fed(rig, inner, n, int_scalar(0))));
  expect_error(rig, BERTH_INVALID_ARGUMENT, "Retval[0] does not have value");
  EXPECT_TRUE(isnan(fetch_fed(rig, inner, n, int_scalar(2))));
  expect_error(rig, BERTH_INTERNAL,
               "Retval[0] has already been set.\n\t [[{{node "
               "_retval_while/while/Exit_0_0}}]]");
  rig_clear(rig);
}

static int64_t most_memory(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { MANY = 20000, MOST_GROWTH_KB = 1 << 20 };
#else
enum { MANY = 1000000, MOST_GROWTH_KB = 4096 };
#endif

TEST(loop, of_many_iterations_does_not_grow) {
  rig_t rig;
  counting_t c;
  counting_open(&rig, MANY, 1, &c);
  berth_tensor_t *none_yet = scalar(0);
  berth_tensor_release(none_yet);
  int64_t before = most_memory();
  EXPECT_EQ(fetch(&rig, c.exit), MANY);
  EXPECT_TRUE(most_memory() - before < MOST_GROWTH_KB);
  rig_clear(&rig);
}

// A trace has a record of every step of every iteration that ran, and the
// graph of the device with its loop closed.
TEST(loop, can_be_traced) {
  rig_t rig;
  counting_t c;
  counting_open(&rig, 3, 1, &c);
  berth_tensor_t *result = NULL;
  void *metadata = NULL;
  size_t size = 0;
  berth_run_t run = {.fetches = &c.exit,
                     .fetch_count = 1,
                     .results = &result,
                     .trace = true,
                     .out_metadata = &metadata,
                     .out_metadata_size = &size};
  ASSERT_OK(berth_session_run_with(rig.session, &run, &rig.err), &rig.err);
  int of_body = occurrences(metadata, size, "stay = Identity(");
  int of_head = occurrences(metadata, size, "merge = Merge(");
  EXPECT_EQ(of_body, 3);
  EXPECT_EQ(of_head, 4);
  berth_text_free(metadata);
  metadata = NULL;
  run.trace = false;
  run.output_partition_graphs = true;
  berth_tensor_release(result);
  ASSERT_OK(berth_session_run_with(rig.session, &run, &rig.err), &rig.err);
  EXPECT_TRUE(occurrences(metadata, size, "NextIteration") > 0);
  berth_text_free(metadata);
  berth_tensor_release(result);
  rig_clear(&rig);
}

TEST(loop, runs_in_several_threads) {
  rig_t rig;
  counting_t c;
  counting_open(&rig, 500, 1, &c);
  job_t jobs[4] = {0};
  for (int i = 0; i < 4; ++i) {
    job_start(&jobs[i], rig.session, c.exit, BERTH_NO_NODE);
  }
  for (int i = 0; i < 4; ++i) {
    job_join(&jobs[i]);
    EXPECT_EQ(jobs[i].code, BERTH_OK);
    EXPECT_EQ(element(jobs[i].result, 0), 500);
    job_clear(&jobs[i]);
  }
  rig_clear(&rig);
}

// Takes from a queue in every iteration, and waits there.
TEST(loop, waits_in_its_middle) {
  rig_t rig;
  counting_t c;
  rig_init(&rig);
  berth_graph_t *graph = rig.graph;
  berth_out_t queue = float_queue(graph, "queue", 100);
  berth_out_t inside = enter_of(graph, "inside", "loop", queue, true);
  berth_out_t five = const_scalar(graph, "five", 5);
  berth_node_id_t put = berth_queue_enqueue_v2(graph, "put", queue, &five, 1);
  berth_out_t limit = const_scalar(graph, "limit", 15);
  berth_out_t zero = const_scalar(graph, "zero", 0);
  c.enter = enter_of(graph, "enter", "loop", zero, false);
  berth_out_t bound = enter_of(graph, "bound", "loop", limit, true);
  c.merge = merge_of(graph, "merge", c.enter, c.enter);
  berth_out_t less = op_of(graph, "Less", "less", c.merge, bound);
  c.leave = op_of(graph, "Switch", "switch", c.merge, less);
  berth_out_t stay = op_of(graph, "Identity", "stay", second(c.leave), none);
  berth_control_push(graph, &stay.node, 1);
  berth_out_t taken = dequeue(graph, "taken", inside);
  berth_control_pop(graph);
  c.body = op_of(graph, "AddV2", "add", stay, taken);
  c.next = op_of(graph, "NextIteration", "next", c.body, none);
  c.exit = op_of(graph, "Exit", "exit", c.leave, none);
  ASSERT_OK(berth_graph_close_loop(graph, c.merge.node, c.next, &rig.err),
            &rig.err);
  ASSERT_OK(rig_open(&rig, NULL), &rig.err);
  job_t job = {0};
  job_start(&job, rig.session, c.exit, BERTH_NO_NODE);
  for (int i = 0; i < 3; ++i) {
    sleep_ms(2);
    ASSERT_OK(run_target(&rig, put), &rig.err);
  }
  job_join(&job);
  EXPECT_EQ(element(job.result, 0), 15);
  job_clear(&job);
  berth_run_t run = {.fetches = &c.exit, .fetch_count = 1, .timeout_ms = 30};
  berth_tensor_t *result = NULL;
  run.results = &result;
  EXPECT_EQ(berth_session_run_with(rig.session, &run, &rig.err),
            BERTH_DEADLINE_EXCEEDED);
  rig_clear(&rig);
}

// ---- Endless loops ----

TEST(endless, ends_in_time) {
  rig_t rig;
  counting_t c;
  counting_open(&rig, 1, 0, &c);
  berth_tensor_t *result = NULL;
  berth_run_t run = {.fetches = &c.exit,
                     .fetch_count = 1,
                     .results = &result,
                     .timeout_ms = 50};
  EXPECT_FAILS(berth_session_run_with(rig.session, &run, &rig.err),
               BERTH_DEADLINE_EXCEEDED, &rig.err,
               "Timed out waiting for notification");
  EXPECT_TRUE(result == NULL);
  rig_clear(&rig);
}

static int poll_says_no(void *arg) { return ++*(int *)arg >= 3; }

TEST(endless, ends_when_polled) {
  rig_t rig;
  counting_t c;
  counting_open(&rig, 1, 0, &c);
  int polls = 0;
  berth_tensor_t *result = NULL;
  berth_run_t run = {.fetches = &c.exit,
                     .fetch_count = 1,
                     .results = &result,
                     .poll = poll_says_no,
                     .poll_arg = &polls};
  EXPECT_EQ(berth_session_run_with(rig.session, &run, &rig.err),
            BERTH_CANCELLED);
  EXPECT_EQ(polls, 3);
  rig_clear(&rig);
}

TEST(endless, ends_with_the_session) {
  rig_t rig;
  counting_t c;
  counting_open(&rig, 1, 0, &c);
  job_t job = {0};
  job_start(&job, rig.session, c.exit, BERTH_NO_NODE);
  sleep_ms(20);
  berth_session_close(rig.session);
  job_join(&job);
  EXPECT_EQ(job.code, BERTH_CANCELLED);
  job_clear(&job);
  rig_clear(&rig);
}

// ---- Graphs that are wrong ----

static void expect_refused(rig_t *rig, berth_out_t out, const char *text) {
  if (rig->session == NULL) {
    ASSERT_OK(rig_open(rig, NULL), &rig->err);
  }
  EXPECT_TRUE(isnan(fetch(rig, out)));
  expect_error(rig, BERTH_INVALID_ARGUMENT, text);
}

TEST(malformed, loops_are_refused) {
  rig_t rig;
  rig_init(&rig);
  berth_graph_t *graph = rig.graph;
  berth_out_t x = const_scalar(graph, "x", 1);
  berth_out_t a = enter_of(graph, "a", "f", x, false);
  berth_out_t b = enter_of(graph, "b", "g", x, false);
  berth_out_t nameless = enter_of(graph, "nameless", "", x, false);
  berth_out_t mixed = op_of(graph, "AddV2", "mixed", a, x);
  berth_out_t crossed = op_of(graph, "AddV2", "crossed", a, b);
  berth_out_t bare = op_of(graph, "Exit", "bare", x, none);
  ASSERT_OK(berth_graph_error(graph, &rig.err), &rig.err);
  expect_refused(&rig, bare,
                 "Invalid Exit op: Cannot find a corresponding Enter op.");
  expect_refused(&rig, nameless,
                 "The Enter {{node nameless}} must have a frame name.");
  expect_refused(&rig, mixed,
                 "{{node mixed}} has inputs from different frames. The input "
                 "{{node a}} is in frame 'f'. The input {{node x}} is in frame "
                 "''.");
  expect_refused(&rig, crossed,
                 "{{node crossed}} has inputs from different frames. The input "
                 "{{node b}} is in frame 'g'. The input {{node a}} is in frame "
                 "'f'.");
  rig_clear(&rig);
}

// An Exit that leads back into its own frame would have to run before it.
TEST(malformed, frames_that_wait_for_themselves_are_refused) {
  rig_t rig;
  rig_init(&rig);
  berth_graph_t *graph = rig.graph;
  berth_out_t x = const_scalar(graph, "x", 1);
  berth_out_t a = enter_of(graph, "a", "f", x, false);
  berth_out_t out = op_of(graph, "Exit", "out", a, none);
  berth_out_t again = enter_of(graph, "again", "f", out, false);
  berth_out_t end = op_of(graph, "Exit", "end", again, none);
  ASSERT_OK(rig_open(&rig, NULL), &rig.err);
  EXPECT_TRUE(isnan(fetch(&rig, end)));
  expect_error(&rig, BERTH_INVALID_ARGUMENT, "4 nodes in a cycle");
  rig_clear(&rig);
}

// A frame that is entered by halves runs as far as it can.
TEST(malformed, frames_may_be_entered_in_part) {
  fork_t f;
  fork_init(&f);
  berth_graph_t *graph = f.rig.graph;
  berth_out_t a = enter_of(graph, "a", "f", f.on_false, false);
  berth_out_t b = enter_of(graph, "b", "f", f.value, false);
  berth_out_t both = op_of(graph, "AddV2", "both", a, b);
  berth_out_t out_b = op_of(graph, "Exit", "out_b", b, none);
  berth_out_t out_both = op_of(graph, "Exit", "out_both", both, none);
  ASSERT_OK(rig_open(&f.rig, NULL), &f.rig.err);
  EXPECT_EQ(fork_fetch(&f, out_both, false), 6);
  EXPECT_EQ(fork_fetch(&f, out_b, true), 3);
  EXPECT_TRUE(isnan(fork_fetch(&f, out_both, true)));
  expect_error(&f.rig, BERTH_INVALID_ARGUMENT, "Retval[0] does not have value");
  rig_clear(&f.rig);
}

// What comes round need not come from the Merge it goes to, which still finds
// it one iteration later.
TEST(malformed, merges_go_before_what_comes_round) {
  rig_t rig;
  rig_init(&rig);
  berth_graph_t *graph = rig.graph;
  berth_out_t four = const_scalar(graph, "four", 4);
  berth_out_t five = const_scalar(graph, "five", 5);
  berth_out_t a = enter_of(graph, "a", "f", four, false);
  berth_out_t next = op_of(graph, "NextIteration", "next", a, none);
  berth_out_t b = enter_of(graph, "b", "f", five, false);
  berth_out_t merge = merge_of(graph, "merge", b, next);
  berth_out_t out = op_of(graph, "Exit", "out", merge, none);
  ASSERT_OK(rig_open(&rig, NULL), &rig.err);
  EXPECT_TRUE(isnan(fetch(&rig, merge)));
  EXPECT_EQ(rig.err.code, BERTH_INTERNAL);
  berth_error_clear(&rig.err);
  EXPECT_EQ(fetch(&rig, next), 4);
  EXPECT_EQ(fetch(&rig, out), 5);
  rig_clear(&rig);
}

// Without frames: TensorFlow hands such values on.
TEST(malformed, parts_of_loops_stand_alone) {
  rig_t rig;
  rig_init(&rig);
  berth_graph_t *graph = rig.graph;
  berth_out_t x = const_scalar(graph, "x", 4);
  berth_out_t next = op_of(graph, "NextIteration", "next", x, none);
  berth_out_t a = enter_of(graph, "a", "f", x, false);
  berth_out_t out = op_of(graph, "Exit", "out", a, none);
  ASSERT_OK(rig_open(&rig, NULL), &rig.err);
  EXPECT_EQ(fetch(&rig, next), 4);
  EXPECT_EQ(fetch(&rig, a), 4);
  EXPECT_EQ(fetch(&rig, out), 4);
  rig_clear(&rig);
}
