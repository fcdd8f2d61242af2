// cut_short_test.c - A run that says it is well has done all of its work, and
// one that was ended leaves no update half done.
//
// Every run is ended at its first look at what may end it, then at its second,
// and so on until it comes to its end first. No moment is left to chance: the
// clock goes on so far at each look that each of them is a poll.
#include <unistd.h>

#include "guard_testing.h"

// The linker puts this clock before the library's (--wrap).
int64_t __real_berth_now_ns(void);
int64_t __wrap_berth_now_ns(void);

int64_t __wrap_berth_now_ns(void) {
  static atomic_int_least64_t ahead = 0;
  return __real_berth_now_ns() + atomic_fetch_add(&ahead, 25000000);
}

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
enum { COUNT = 120000, SIDE = 160 };
#else
enum { COUNT = 300000, SIDE = 400 };
#endif

enum { MOST_LOOKS = 80, SECONDS = 250 };

typedef struct ender {
  int looks;
  int end_at;
} ender_t;

static int end_at_look(void *arg) {
  ender_t *ender = arg;
  return ++ender->looks == ender->end_at;
}

// ---- What is fetched ----

// Fetches |out| of a fed |x|, ended at every look in turn.
static void expect_whole(rig_t *rig, const char *what, berth_out_t out,
                         berth_out_t x, berth_tensor_t *fed) {
  berth_feed_t feed = {x, fed};
  berth_tensor_t *wanted = NULL;
  ASSERT_OK(
      berth_session_run(rig->session, &feed, 1, &out, 1, &wanted, &rig->err),
      &rig->err);
  for (int at = 1; at < MOST_LOOKS; ++at) {
    ender_t ender = {.end_at = at};
    berth_tensor_t *result = NULL;
    berth_run_t run = {.feeds = &feed,
                       .feed_count = 1,
                       .fetches = &out,
                       .fetch_count = 1,
                       .results = &result,
                       .poll = end_at_look,
                       .poll_arg = &ender};
    berth_code_t code = berth_session_run_with(rig->session, &run, &rig->err);
    if (code == BERTH_OK && !is_equal(result, wanted)) {
      HARNESS_FAIL("%s, ended at look %d, says it is well and is wrong", what,
                   at);
    }
    if (code != BERTH_OK) {
      EXPECT_EQ(code, BERTH_CANCELLED);
      EXPECT_TRUE(result == NULL);
    }
    berth_error_clear(&rig->err);
    berth_tensor_release(result);
    if (ender.looks < at) break;
  }
  berth_tensor_release(wanted);
}

// Parts that several threads do beside each other.
static berth_out_t towers(berth_graph_t *graph, berth_out_t x) {
  berth_out_t tops[3];
  for (int i = 0; i < 3; ++i) {
    tops[i] = berth_exp(graph, NULL, berth_matmul(graph, NULL, x, x));
    for (int k = 0; k < 3; ++k) tops[i] = berth_softmax(graph, NULL, tops[i]);
  }
  return berth_concat_v2(
      graph, NULL, tops, 3,
      berth_const_i32(graph, NULL, (int32_t[]){0}, BERTH_SCALAR));
}

static berth_out_t wide_op(berth_graph_t *graph, int which, berth_out_t x,
                           const char **out_name) {
  int32_t zero[] = {0}, twice[] = {2, 1}, pads[] = {1, 1, 1, 1}, all[] = {0, 1};
  berth_out_t first = const_ints(graph, NULL, zero, 1);
  *out_name = (const char *[]){"Mul",     "MatMul",  "Sum",    "Sum of all",
                               "Max",     "Cast",    "Tile",   "Concat",
                               "Softmax", "BiasAdd", "Gather", "Transpose",
                               "Pad",     "Select",  "Exp",    "towers"}[which];
  switch (which) {
    case 0:
      return berth_mul(graph, NULL, x, x);
    case 1:
      return berth_matmul(graph, NULL, x, x);
    case 2:
      return berth_sum(graph, NULL, x, first);
    case 3:
      return berth_sum(graph, NULL, x, const_ints(graph, NULL, all, 2));
    case 4:
      return berth_max(graph, NULL, x, first);
    case 5:
      return berth_cast(graph, NULL, x, BERTH_DOUBLE);
    case 6:
      return berth_tile(graph, NULL, x, const_ints(graph, NULL, twice, 2));
    case 7:
      return berth_concat_v2(graph, NULL, (berth_out_t[]){x, x}, 2,
                             berth_const_i32(graph, NULL, zero, BERTH_SCALAR));
    case 8:
      return berth_softmax(graph, NULL, x);
    case 9:
      return berth_bias_add(graph, NULL, x, berth_sum(graph, NULL, x, first));
    case 10:
      return berth_gather_v2(graph, NULL, x, const_ints(graph, NULL, all, 2),
                             berth_const_i32(graph, NULL, zero, BERTH_SCALAR));
    case 11:
      return berth_transpose(graph, NULL, x,
                             const_ints(graph, NULL, (int32_t[]){1, 0}, 2));
    case 12:
      return berth_pad(graph, NULL, x,
                       berth_const_i32(graph, NULL, pads, BERTH_SHAPE(2, 2)));
    case 13:
      return berth_select_v2(
          graph, NULL,
          berth_greater(graph, NULL, x, const_scalar(graph, NULL, 3)), x,
          berth_neg(graph, NULL, x));
    case 14:
      return berth_exp(graph, NULL, x);
    default:
      return towers(graph, x);
  }
}

enum { WIDE_OPS = 16 };

// What is around an op: nothing; a branch; a program that uses a GPU too, so
// that its steps are queued.
typedef enum around { ALONE, IN_A_BRANCH, BESIDE_A_GPU } around_t;

static berth_out_t in_a_branch(berth_graph_t *graph, int which, berth_out_t x,
                               const char **out_name) {
  bool truth = true;
  berth_tensor_t *one = tensor_of(BERTH_BOOL, BERTH_SCALAR, &truth);
  berth_out_t p = berth_const(graph, NULL, one);
  berth_tensor_release(one);
  berth_node_id_t both = berth_switch(graph, NULL, x, p);
  return wide_op(graph, which, berth_output(both, 1), out_name);
}

// Lets all that follows wait for a little work of a GPU, until popped.
static void gpu_push(berth_graph_t *graph) {
  int32_t one = 1;
  berth_device_push(graph, "/gpu:0");
  berth_node_id_t first =
      berth_random_uniform(graph, NULL, const_ints(graph, NULL, &one, 1),
                           BERTH_FLOAT)
          .node;
  berth_device_pop(graph);
  berth_control_push(graph, &first, 1);
}

static berth_out_t beside_a_gpu(berth_graph_t *graph, int which, berth_out_t x,
                                const char **out_name) {
  gpu_push(graph);
  berth_device_push(graph, "/cpu:0");
  berth_out_t out = wide_op(graph, which, x, out_name);
  berth_device_pop(graph);
  berth_control_pop(graph);
  return out;
}

static void expect_whole_of(around_t around, int which, int64_t side) {
  rig_t rig;
  rig_init(&rig);
  const char *name = NULL;
  berth_out_t x = hole(rig.graph, "x");
  berth_out_t out =
      around == IN_A_BRANCH    ? in_a_branch(rig.graph, which, x, &name)
      : around == BESIDE_A_GPU ? beside_a_gpu(rig.graph, which, x, &name)
                               : wide_op(rig.graph, which, x, &name);
  berth_config_t config = BERTH_CONFIG_INIT;
  config.gpu.allow_growth = true;
  ASSERT_OK(rig_open(&rig, &config), &rig.err);
  berth_tensor_t *fed = full(BERTH_SHAPE(side, side), 1);
  float *values = berth_tensor_data(fed);
  for (int64_t i = 0; i < berth_tensor_count(fed); ++i) {
    values[i] = (float)(i % 7);
  }
  expect_whole(&rig, name, out, x, fed);
  berth_tensor_release(fed);
  rig_clear(&rig);
}

// What is fetched is whole, for kernels of every kind: those that take so long
// that the run looks at their end, and shorter ones.
static void expect_fetches(around_t around) {
  alarm(SECONDS);
  for (int which = 0; which < WIDE_OPS; ++which) {
    for (int part = 1; part <= 4; part *= 2)
      expect_whole_of(around, which, SIDE / part);
    if (around == ALONE) expect_whole_of(around, which, 2 * SIDE);
  }
}

TEST(cut_short, fetches) { expect_fetches(ALONE); }

TEST(cut_short, fetches_of_a_branch) { expect_fetches(IN_A_BRANCH); }

// Without blocks the walk itself runs what takes long, as in partial runs.
TEST(cut_short, fetches_of_a_walk) {
  setenv("BERTH_BLOCKS", "0", 1);
  expect_fetches(IN_A_BRANCH);
}

TEST(cut_short, fetches_beside_a_gpu) {
  take_cards("Tesla K20m", 1);
  expect_fetches(BESIDE_A_GPU);
}

// ---- What comes from queues ----

// A run that has got what it waited for is not ended: what it took out of the
// queue would be lost. On the host: a card may still have something to do.
TEST(cut_short, dequeues) {
  alarm(40);
  rig_t rig;
  rig_init(&rig);
  berth_graph_t *graph = rig.graph;
  berth_device_push(graph, "/cpu:0");
  const berth_dtype_t type = BERTH_FLOAT;
  berth_out_t x = hole(graph, "x");
  berth_out_t queue = berth_fifo_queue_v2(graph, "queue", &type, 1);
  berth_node_id_t put = berth_queue_enqueue_v2(graph, NULL, queue, &x, 1);
  berth_out_t size = berth_queue_size_v2(graph, NULL, queue);
  berth_out_t taken =
      berth_output(berth_queue_dequeue_v2(graph, NULL, queue, &type, 1), 0);
  ASSERT_OK(rig_open(&rig, NULL), &rig.err);
  berth_tensor_t *fed = full(BERTH_SHAPE(8), 5);
  ASSERT_OK(run_fed(&rig, put, x, fed), &rig.err);
  for (int at = 1; at < MOST_LOOKS; ++at) {
    ender_t ender = {.end_at = at};
    berth_tensor_t *result = NULL;
    berth_run_t run = {.fetches = &taken,
                       .fetch_count = 1,
                       .results = &result,
                       .poll = end_at_look,
                       .poll_arg = &ender};
    berth_code_t code = berth_session_run_with(rig.session, &run, &rig.err);
    berth_error_clear(&rig.err);
    double left = fetch(&rig, size);
    EXPECT_EQ(left, code == BERTH_OK ? 0 : 1);
    if (code == BERTH_OK) {
      EXPECT_EQ(count_other(result, 5), 0);
      ASSERT_OK(run_fed(&rig, put, x, fed), &rig.err);
    }
    berth_tensor_release(result);
    if (ender.looks < at || (code != BERTH_OK && left == 0)) break;
  }
  berth_tensor_release(fed);
  rig_clear(&rig);
}

// ---- What is stored ----

typedef struct change {
  const char *what;  // "Assign", "AssignAdd", "AssignSub".
  bool is_ref, is_computed;
  const char *device;
  bool is_beside_a_gpu;
} change_t;

// Returns what a variable of |value| is after |change| with |by|.
static float changed(const change_t *change, float value, float by) {
  if (change->is_computed) by = by * by;
  if (strcmp(change->what, "AssignAdd") == 0) return value + by;
  if (strcmp(change->what, "AssignSub") == 0) return value - by;
  return by;
}

// Changes a variable, ended at every look in turn: it is as before or as
// after, and as after where the run says it is well.
static void expect_all_or_nothing(const change_t *change) {
  rig_t rig;
  rig_init(&rig);
  berth_out_t x = hole(rig.graph, "x");
  state_t v = state_add(rig.graph, "v", change->device, change->is_ref,
                        BERTH_SHAPE(COUNT));
  if (change->is_beside_a_gpu) gpu_push(rig.graph);
  berth_out_t by = change->is_computed
                       ? binary_on(rig.graph, "Mul", change->device, x, x)
                       : x;
  if (change->is_beside_a_gpu) berth_control_pop(rig.graph);
  berth_node_id_t init = change_add(rig.graph, &v, "Assign", x);
  berth_node_id_t step = change_add(rig.graph, &v, change->what, by);
  berth_config_t config = BERTH_CONFIG_INIT;
  config.gpu.allow_growth = true;
  ASSERT_OK(rig_open(&rig, &config), &rig.err);
  float now = 2;
  berth_tensor_t *fed = full(BERTH_SHAPE(COUNT), now);
  ASSERT_OK(run_fed(&rig, init, x, fed), &rig.err);
  berth_tensor_release(fed);
  berth_tensor_t *held = NULL;
  for (int round = 2; round < 2 * MOST_LOOKS; ++round) {
    int at = round / 2;
    float with = (float)(3 + at % 2), before = now;
    fed = full(BERTH_SHAPE(COUNT), with);
    // Every other update cannot be made in place: somebody has the value.
    if (round % 2 == 1) held = fetch_tensor(&rig, v.read);
    ender_t ender = {.end_at = at};
    berth_feed_t feed = {x, fed};
    berth_run_t run = {.feeds = &feed,
                       .feed_count = 1,
                       .targets = &step,
                       .target_count = 1,
                       .poll = end_at_look,
                       .poll_arg = &ender};
    berth_code_t code = berth_session_run_with(rig.session, &run, &rig.err);
    berth_error_clear(&rig.err);
    berth_tensor_t *value = fetch_tensor(&rig, v.read);
    float after = changed(change, now, with);
    int64_t torn = count_other(value, after);
    if (torn == 0) {
      now = after;
    } else if (code == BERTH_OK || count_other(value, now) != 0) {
      HARNESS_FAIL("%s %s%s, ended at look %d, code %d: %lld of %d wrong",
                   change->is_ref ? "reference" : "resource", change->what,
                   change->is_computed ? " of a product" : "", at, (int)code,
                   (long long)torn, COUNT);
      berth_tensor_t *again = full(BERTH_SHAPE(COUNT), now);
      ASSERT_OK(run_fed(&rig, init, x, again), &rig.err);
      berth_tensor_release(again);
    }
    berth_tensor_release(value);
    // Who has the value keeps it as it was.
    if (held != NULL) EXPECT_EQ(count_other(held, before), 0);
    berth_tensor_release(held);
    held = NULL;
    berth_tensor_release(fed);
    if (ender.looks < at && round % 2 == 1) break;
  }
  rig_clear(&rig);
}

static void expect_changes(const char *device, bool is_beside_a_gpu) {
  static const char *const names[] = {"Assign", "AssignAdd", "AssignSub"};
  alarm(SECONDS);
  for (int i = 0; i < 12; ++i) {
    expect_all_or_nothing(&(change_t){.what = names[i % 3],
                                      .is_ref = i / 3 % 2 != 0,
                                      .is_computed = i / 6 != 0,
                                      .device = device,
                                      .is_beside_a_gpu = is_beside_a_gpu});
  }
}

TEST(cut_short, updates) { expect_changes("/cpu:0", false); }

TEST(cut_short, updates_beside_a_gpu) {
  take_cards("Tesla K20m", 1);
  expect_changes("/cpu:0", true);
}

TEST(cut_short, updates_on_a_gpu) {
  take_cards("Tesla K20m", 1);
  expect_changes("/gpu:0", false);
}

// ---- Several updates in a row ----

// A conditional that is always taken, with |pads| steps before the updates of
// two variables: a look comes every few steps, and so at every place. Between
// the updates stands what only hands values on.
typedef struct row {
  rig_t rig;
  berth_out_t x;
  state_t v[2];
  berth_node_id_t init[2], adds[2];
} row_t;

static void row_build(row_t *row, const char *device, int pads) {
  rig_init(&row->rig);
  berth_graph_t *graph = row->rig.graph;
  bool yes = true;
  berth_tensor_t *truth = tensor_of(BERTH_BOOL, BERTH_SCALAR, &yes);
  berth_out_t p = berth_const(graph, NULL, truth);
  berth_tensor_release(truth);
  row->x = hole(graph, "x");
  for (int i = 0; i < 2; ++i) {
    row->v[i] =
        state_add(graph, i == 0 ? "v" : "w", device, false, BERTH_UNKNOWN_RANK);
    row->init[i] = change_add(graph, &row->v[i], "Assign", row->x);
  }
  berth_out_t by = berth_output(berth_switch(graph, NULL, row->x, p), 1);
  for (int i = 0; i < pads; ++i) by = unary_on(graph, "Identity", device, by);
  for (int i = 0; i < 2; ++i) {
    state_t inner = row->v[i];
    inner.handle =
        berth_output(berth_switch(graph, NULL, row->v[i].handle, p), 1);
    row->adds[i] = change_add(graph, &inner, "AssignAdd", by);
  }
}

static float row_value(row_t *row, int i) {
  berth_tensor_t *value = fetch_tensor(&row->rig, row->v[i].read);
  float first = (float)element(value, 0);
  EXPECT_EQ(count_other(value, first), 0);
  berth_tensor_release(value);
  return first;
}

// Ends runs at every look in turn: both updates are made or none.
static void expect_together(const char *device, int pads) {
  row_t row;
  row_build(&row, device, pads);
  berth_config_t config = BERTH_CONFIG_INIT;
  config.gpu.allow_growth = true;
  ASSERT_OK(rig_open(&row.rig, &config), &row.rig.err);
  berth_tensor_t *ones = full(BERTH_SHAPE(4), 1);
  for (int i = 0; i < 2; ++i) {
    ASSERT_OK(run_fed(&row.rig, row.init[i], row.x, ones), &row.rig.err);
  }
  float now = 1;
  for (int at = 1; at < MOST_LOOKS; ++at) {
    ender_t ender = {.end_at = at};
    berth_feed_t feed = {row.x, ones};
    berth_run_t run = {.feeds = &feed,
                       .feed_count = 1,
                       .targets = row.adds,
                       .target_count = 2,
                       .poll = end_at_look,
                       .poll_arg = &ender};
    berth_code_t code =
        berth_session_run_with(row.rig.session, &run, &row.rig.err);
    berth_error_clear(&row.rig.err);
    float v = row_value(&row, 0), w = row_value(&row, 1);
    if (v != w || (v != now && v != now + 1) ||
        (code == BERTH_OK && v != now + 1)) {
      HARNESS_FAIL("%s, %d pads, ended at look %d, code %d: %g and %g of %g",
                   device, pads, at, (int)code, (double)v, (double)w,
                   (double)now);
      break;
    }
    now = v;
    if (ender.looks < at) break;
  }
  berth_tensor_release(ones);
  rig_clear(&row.rig);
}

TEST(cut_short, updates_in_a_row_of_a_branch) {
  alarm(SECONDS);
  for (int pads = 0; pads < 20; ++pads) expect_together("/cpu:0", pads);
}

// Where the second of two updates cannot be made the first is not made either,
// and the error names the second.
static void expect_neither(const char *device, bool has_branch) {
  rig_t rig;
  rig_init(&rig);
  berth_out_t x = hole(rig.graph, "x");
  bool yes = true;
  berth_tensor_t *truth = tensor_of(BERTH_BOOL, BERTH_SCALAR, &yes);
  berth_out_t p = berth_const(rig.graph, NULL, truth);
  berth_tensor_release(truth);
  // Of a shape that is known only when it is there.
  berth_out_t by = has_branch
                       ? berth_output(berth_switch(rig.graph, NULL, x, p), 1)
                       : berth_output(berth_unique(rig.graph, NULL, x), 0);
  state_t v[2];
  berth_node_id_t init[2], adds[2];
  for (int i = 0; i < 2; ++i) {
    v[i] = state_add(rig.graph, i == 0 ? "v" : "w", device, false,
                     BERTH_UNKNOWN_RANK);
    init[i] = change_add(rig.graph, &v[i], "Assign", x);
  }
  for (int i = 0; i < 2; ++i) {
    adds[i] = change_add(rig.graph, &v[i], "AssignAdd", by);
  }
  berth_config_t config = BERTH_CONFIG_INIT;
  config.gpu.allow_growth = true;
  ASSERT_OK(rig_open(&rig, &config), &rig.err);
  berth_tensor_t *four = ramp(4), *five = ramp(5);
  ASSERT_OK(run_fed(&rig, init[0], x, four), &rig.err);
  ASSERT_OK(run_fed(&rig, init[1], x, five), &rig.err);
  berth_feed_t feed = {x, four};
  berth_run_t run = {
      .feeds = &feed, .feed_count = 1, .targets = adds, .target_count = 2};
  for (int round = 0; round < 2; ++round) {
    berth_code_t code = berth_session_run_with(rig.session, &run, &rig.err);
    EXPECT_EQ(code, round == 0 ? BERTH_INVALID_ARGUMENT : BERTH_OK);
    if (round == 0) {
      EXPECT_TRUE(strstr(berth_error_message(&rig.err),
                         berth_node_name(rig.graph, adds[1])) != NULL);
    }
    berth_error_clear(&rig.err);
    berth_tensor_t *value = fetch_tensor(&rig, v[0].read);
    EXPECT_EQ(element(value, 3), round == 0 ? 3 : 6);
    berth_tensor_release(value);
    ASSERT_OK(run_fed(&rig, init[1], x, four), &rig.err);
  }
  berth_tensor_release(four);
  berth_tensor_release(five);
  rig_clear(&rig);
}

// What updates leave for their commit stays, also when there have been so many
// shapes that nothing of it is kept any more.
static void expect_any_shape(const char *device) {
  enum { SHAPES = 20 };
  row_t row;
  row_build(&row, device, 0);
  berth_config_t config = BERTH_CONFIG_INIT;
  config.gpu.allow_growth = true;
  ASSERT_OK(rig_open(&row.rig, &config), &row.rig.err);
  for (int count = 1; count <= SHAPES; ++count) {
    berth_tensor_t *ones = full(BERTH_SHAPE(count), 1);
    for (int i = 0; i < 2; ++i) {
      ASSERT_OK(run_fed(&row.rig, row.init[i], row.x, ones), &row.rig.err);
    }
    berth_feed_t feed = {row.x, ones};
    berth_run_t run = {.feeds = &feed,
                       .feed_count = 1,
                       .targets = row.adds,
                       .target_count = 2};
    ASSERT_OK(berth_session_run_with(row.rig.session, &run, &row.rig.err),
              &row.rig.err);
    for (int i = 0; i < 2; ++i) EXPECT_EQ(row_value(&row, i), 2);
    berth_tensor_release(ones);
  }
  rig_clear(&row.rig);
}

TEST(cut_short, updates_in_a_row_have_any_shape) {
  take_cards("Tesla K20m", 1);
  expect_any_shape("/cpu:0");
  expect_any_shape("/gpu:0");
}

TEST(cut_short, updates_in_a_row_are_made_together) {
  expect_neither("/cpu:0", true);
  expect_neither("/cpu:0", false);
}

// Without blocks the walk finds out what is in a row.
TEST(cut_short, updates_in_a_row_of_a_walk) {
  setenv("BERTH_BLOCKS", "0", 1);
  alarm(SECONDS);
  expect_neither("/cpu:0", true);
  for (int pads = 0; pads < 20; ++pads) expect_together("/cpu:0", pads);
}

// Who reads a variable right behind its update, in a walk, sees what it made.
TEST(cut_short, updates_of_a_walk_are_seen) {
  setenv("BERTH_BLOCKS", "0", 1);
  row_t row;
  row_build(&row, "/cpu:0", 0);
  berth_control_push(row.rig.graph, &row.adds[0], 1);
  berth_op_t *op = op_on(row.rig.graph, "ReadVariableOp", "/cpu:0",
                         row.v[0].handle, NO_INPUT);
  berth_op_attr_type(op, "dtype", BERTH_FLOAT);
  berth_out_t seen = berth_output(berth_op_finish(op), 0);
  berth_control_pop(row.rig.graph);
  ASSERT_OK(rig_open(&row.rig, NULL), &row.rig.err);
  berth_tensor_t *ones = full(BERTH_SHAPE(4), 1), *result = NULL;
  ASSERT_OK(run_fed(&row.rig, row.init[0], row.x, ones), &row.rig.err);
  berth_feed_t feed = {row.x, ones};
  ASSERT_OK(berth_session_run(row.rig.session, &feed, 1, &seen, 1, &result,
                              &row.rig.err),
            &row.rig.err);
  EXPECT_EQ(element(result, 3), 2);
  berth_tensor_release(result);
  berth_tensor_release(ones);
  rig_clear(&row.rig);
}

TEST(cut_short, updates_in_a_row_are_made_together_on_a_gpu) {
  take_cards("Tesla K20m", 1);
  expect_neither("/gpu:0", true);
}

// ---- What is computed once ----

// The constants of a program are computed by its first run. One that is ended
// meanwhile leaves none that are half computed to the next.
TEST(cut_short, constants) {
  alarm(SECONDS);
  for (int at = 1; at < MOST_LOOKS; ++at) {
    rig_t rig;
    rig_init(&rig);
    berth_tensor_t *ones = full(BERTH_SHAPE(SIDE, SIDE), 1);
    berth_out_t c = berth_const(rig.graph, "c", ones);
    berth_tensor_release(ones);
    berth_out_t product = berth_matmul(rig.graph, NULL, c, c);
    berth_out_t sum = berth_add_v2(rig.graph, NULL, product, product);
    ASSERT_OK(rig_open(&rig, NULL), &rig.err);
    ender_t ender = {.end_at = at};
    berth_tensor_t *result = NULL;
    berth_run_t run = {.fetches = &sum,
                       .fetch_count = 1,
                       .results = &result,
                       .poll = end_at_look,
                       .poll_arg = &ender};
    berth_code_t code = berth_session_run_with(rig.session, &run, &rig.err);
    berth_error_clear(&rig.err);
    if (code == BERTH_OK && count_other(result, 2 * SIDE) != 0) {
      HARNESS_FAIL("constants, ended at look %d, say they are well", at);
    }
    berth_tensor_release(result);
    result = fetch_tensor(&rig, sum);
    if (count_other(result, 2 * SIDE) != 0) {
      HARNESS_FAIL("constants, ended at look %d, stay wrong", at);
    }
    berth_tensor_release(result);
    rig_clear(&rig);
    if (ender.looks < at) break;
  }
}

// ---- Polls ----

typedef struct reader {
  rig_t *rig;
  state_t v;
  int calls;
} reader_t;

static int read_in_poll(void *arg) {
  reader_t *reader = arg;
  ++reader->calls;
  rig_t own = {.graph = reader->rig->graph, .session = reader->rig->session};
  berth_tensor_release(fetch_tensor(&own, reader->v.read));
  berth_error_clear(&own.err);
  return 0;
}

// No lock is held while the program is asked.
TEST(cut_short, a_poll_may_read_what_the_run_changes) {
  alarm(40);
  rig_t rig;
  rig_init(&rig);
  berth_out_t x = hole(rig.graph, "x");
  state_t v = state_add(rig.graph, "v", NULL, false, BERTH_SHAPE(COUNT));
  berth_node_id_t init = change_add(rig.graph, &v, "Assign", x);
  berth_node_id_t add = change_add(rig.graph, &v, "AssignAdd", x);
  ASSERT_OK(rig_open(&rig, NULL), &rig.err);
  berth_tensor_t *fed = full(BERTH_SHAPE(COUNT), 1);
  ASSERT_OK(run_fed(&rig, init, x, fed), &rig.err);
  reader_t reader = {.rig = &rig, .v = v};
  berth_feed_t feed = {x, fed};
  berth_run_t run = {.feeds = &feed,
                     .feed_count = 1,
                     .targets = &add,
                     .target_count = 1,
                     .poll = read_in_poll,
                     .poll_arg = &reader};
  ASSERT_OK(berth_session_run_with(rig.session, &run, &rig.err), &rig.err);
  EXPECT_TRUE(reader.calls > 0);
  berth_tensor_t *value = fetch_tensor(&rig, v.read);
  EXPECT_EQ(count_other(value, 2), 0);
  berth_tensor_release(value);
  berth_tensor_release(fed);
  rig_clear(&rig);
}
