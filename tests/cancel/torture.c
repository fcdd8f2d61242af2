// torture.c - Runs are ended at any moment, over every kind of state.
//
//   cancel_torture [--rounds N] [--seed N] [NAME]
//
// What is promised, whatever ends a run (a handle, a deadline, a poll, close):
//
//   - A run that says it is well has done everything, and its results are
//     whole.
//   - An update was made or was not; so was every single one of several.
//   - Updates in a row, among conditionals and loops too, were all made or
//     none.
//   - A queue keeps its order. What a run was given by a queue is gone from it;
//     only a run that failed may lose what it took.
//   - A random sequence goes on: each run takes its next numbers or none.
//   - The next run is not disturbed: constants, layouts, frames are right.

// The harness's main() gets what is left of the arguments.
int harness_main(int argc, char **argv);
#define main harness_main
#include "cancel_testing.h"
#undef main

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
enum { LARGE = 60000, HUGE_COUNT = 400000, DEFAULT_ROUNDS = 400 };
#else
enum { LARGE = 300000, HUGE_COUNT = 2000000, DEFAULT_ROUNDS = 4000 };
#endif

static int rounds = DEFAULT_ROUNDS;
static uint64_t seed = 1;

// ---- Variables ----

enum { MOST_STATES = 4 };

static const char *const changes[] = {"Assign", "AssignAdd", "AssignSub"};

typedef struct states {
  int count;
  int64_t size;
  state_t states[MOST_STATES];
  int kinds[MOST_STATES];  // Into |changes|.
  float now[MOST_STATES];
  berth_node_id_t init[MOST_STATES], step[MOST_STATES];
  berth_out_t x;
} states_t;

static void states_build(states_t *s, cancel_stage_t *stage,
                         const char *device) {
  static const int64_t sizes[] = {1, 8, 5000, LARGE, LARGE, HUGE_COUNT};
  berth_graph_t *graph = stage->rig.graph;
  s->count = 1 + dice_below(&stage->dice, MOST_STATES);
  s->size = sizes[dice_below(&stage->dice, 6)];
  s->x = hole(graph, "x");
  for (int i = 0; i < s->count; ++i) {
    char name[16];
    snprintf(name, sizeof(name), "v%d", i);
    // A context has no references.
    bool is_ref = stage->context == NULL && dice_below(&stage->dice, 2) == 0;
    state_t *v = &s->states[i];
    *v = state_add(graph, name, device, is_ref, BERTH_SHAPE(s->size));
    s->kinds[i] = dice_below(&stage->dice, 3);
    s->init[i] = change_add(graph, v, "Assign", s->x);
    berth_out_t by = dice_below(&stage->dice, 2) == 0
                         ? s->x
                         : binary_on(graph, "Mul", device, s->x,
                                     const_scalar(graph, NULL, 1));
    s->step[i] = change_add(graph, v, changes[s->kinds[i]], by);
  }
}

static float state_after(const states_t *s, int i, float by) {
  if (s->kinds[i] == 0) return by;
  return s->kinds[i] == 1 ? s->now[i] + by : s->now[i] - by;
}

static void states_set(states_t *s, cancel_stage_t *stage, float value) {
  berth_tensor_t *fed = full(BERTH_SHAPE(s->size), value);
  for (int i = 0; i < s->count; ++i) {
    if (run_fed(&stage->rig, s->init[i], s->x, fed) != BERTH_OK) {
      HARNESS_FAIL("%s", berth_error_message(&stage->rig.err));
    }
    s->now[i] = value;
  }
  berth_tensor_release(fed);
}

// Compares variable |i| with what it was and what it should be.
static bool state_check(states_t *s, cancel_stage_t *stage, int i, float by,
                        berth_code_t code) {
  berth_tensor_t *value = fetch_tensor(&stage->rig, s->states[i].read);
  float after = state_after(s, i, by);
  int64_t other = count_other(value, after);
  bool is_right = other == 0;
  if (other == 0) {
    s->now[i] = after;
  } else if (code != BERTH_OK && count_other(value, s->now[i]) == 0) {
    is_right = true;
  }
  if (!is_right) {
    HARNESS_FAIL("%s of %s %d of %d, %lld elements, code %d: %lld are not %g",
                 changes[s->kinds[i]],
                 s->states[i].is_ref ? "reference" : "resource", i, s->count,
                 (long long)s->size, (int)code, (long long)other,
                 (double)after);
  }
  berth_tensor_release(value);
  return is_right;
}

static void states_round(states_t *s, cancel_stage_t *stage, int round) {
  float by = (float)(1 + round % 5);
  berth_tensor_t *held = NULL, *fed = full(BERTH_SHAPE(s->size), by);
  if (dice_below(&stage->dice, 3) == 0) {
    held = fetch_tensor(&stage->rig, s->states[0].read);
  }
  berth_feed_t feed = {s->x, fed};
  berth_run_t run = {.feeds = &feed,
                     .feed_count = 1,
                     .targets = s->step,
                     .target_count = s->count};
  berth_code_t code = cancel_run(stage, &run, false);
  bool is_right = true;
  for (int i = 0; i < s->count; ++i) {
    is_right = state_check(s, stage, i, by, code) && is_right;
  }
  berth_tensor_release(held);
  berth_tensor_release(fed);
  if (!is_right || round % 100 == 99) states_set(s, stage, 0);
}

// Many small worlds, some rounds in each.
static void torture_states(const char *device, bool in_context) {
  enum { EACH = 60 };
  int ended = 0, whole = 0;
  for (int round = 0; round < rounds / 8 && harness_failures < 20;) {
    cancel_stage_t stage;
    states_t s = {0};
    cancel_stage_init(&stage, seed + (uint64_t)round, in_context);
    states_build(&s, &stage, device);
    cancel_stage_open(&stage);
    states_set(&s, &stage, 2);
    int each = s.size > LARGE ? 4 : EACH;
    for (int i = 0; i < each; ++i, ++round) states_round(&s, &stage, round);
    ended += stage.ended;
    whole += stage.whole;
    cancel_stage_clear(&stage);
  }
  // Both have to happen, or nothing was tried.
  // In few rounds luck may have it that all of them end alike.
  EXPECT_TRUE(rounds < 20000 || (ended > 0 && whole > 0));
}

TEST(cancel, variables) { torture_states("/cpu:0", false); }

TEST(cancel, variables_of_a_context) { torture_states("/cpu:0", true); }

TEST(cancel, variables_on_a_gpu) {
  take_cards("Tesla K20m", 1);
  torture_states("/gpu:0", false);
}

TEST(cancel, variables_of_a_context_on_a_gpu) {
  take_cards("Tesla K20m", 1);
  torture_states("/gpu:0", true);
}

// ---- Queues ----

enum { CAPACITY = 40, MANY = 8 };

typedef struct line {
  berth_out_t x, one, many, up_to, size;
  berth_node_id_t put, put_many;
  float next;  // The next number to be put.
  float values[CAPACITY];
  int count;  // Numbers in the queue, as far as is known.
} line_t;

static void line_build(line_t *line, berth_graph_t *graph) {
  berth_fifo_queue_v2_attrs_t attrs = BERTH_FIFO_QUEUE_V2_ATTRS;
  berth_dims_t shape = BERTH_SCALAR;
  attrs.capacity = CAPACITY;
  attrs.shapes = &shape;
  attrs.shapes_count = 1;
  attrs.shared_name = "line";
  const berth_dtype_t type = BERTH_FLOAT;
  berth_out_t queue = berth_fifo_queue_v2_with(graph, "line", &type, 1, &attrs);
  int32_t many = MANY;
  berth_out_t n = berth_const_i32(graph, NULL, &many, BERTH_SCALAR);
  line->x = hole(graph, "x");
  line->put = berth_queue_enqueue_v2(graph, NULL, queue, &line->x, 1);
  line->put_many = berth_queue_enqueue_many_v2(graph, NULL, queue, &line->x, 1);
  line->one =
      berth_output(berth_queue_dequeue_v2(graph, NULL, queue, &type, 1), 0);
  line->many = berth_output(
      berth_queue_dequeue_many_v2(graph, NULL, queue, n, &type, 1), 0);
  line->up_to = berth_output(
      berth_queue_dequeue_up_to_v2(graph, NULL, queue, n, &type, 1), 0);
  line->size = berth_queue_size_v2(graph, NULL, queue);
}

static int line_size(cancel_stage_t *stage, const line_t *line) {
  berth_tensor_t *size = fetch_tensor(&stage->rig, line->size);
  int value = (int)element(size, 0);
  berth_tensor_release(size);
  return value;
}

// Puts one number or several; a run that fails may have put the first of them.
static void line_put(line_t *line, cancel_stage_t *stage, int count) {
  float values[MANY];
  for (int i = 0; i < count; ++i) values[i] = line->next + (float)i;
  berth_tensor_t *fed = tensor_of(
      BERTH_FLOAT, count == 1 ? BERTH_SCALAR : BERTH_SHAPE(count), values);
  berth_feed_t feed = {line->x, fed};
  berth_run_t run = {.feeds = &feed,
                     .feed_count = 1,
                     .targets = count == 1 ? &line->put : &line->put_many,
                     .target_count = 1};
  bool waits = line->count + count > CAPACITY;
  berth_code_t code = cancel_run(stage, &run, waits);
  berth_tensor_release(fed);
  int size = line_size(stage, line);
  int put = size - line->count;
  if (code == BERTH_OK) EXPECT_EQ(put, count);
  if (put < 0 || put > count) {
    HARNESS_FAIL("%d of %d were put, code %d", put, count, (int)code);
    put = 0;
  }
  for (int i = 0; i < put; ++i) line->values[line->count++] = values[i];
  line->next += (float)count;
}

// Takes what the fetch of |out| gives; a run that fails may have lost some.
static void line_take(line_t *line, cancel_stage_t *stage, berth_out_t out,
                      int count) {
  berth_tensor_t *result = NULL;
  berth_run_t run = {.fetches = &out, .fetch_count = 1, .results = &result};
  bool waits = line->count < count;
  berth_code_t code = cancel_run(stage, &run, waits);
  int taken = line->count - line_size(stage, line);
  if (code == BERTH_OK) {
    EXPECT_EQ(taken, count);
    EXPECT_EQ(berth_tensor_count(result), count);
    for (int i = 0; i < count && i < line->count; ++i) {
      EXPECT_EQ(element(result, i), line->values[i]);
    }
  } else {
    EXPECT_TRUE(result == NULL);
    EXPECT_TRUE(taken >= 0 && taken <= count);
  }
  berth_tensor_release(result);
  if (taken < 0 || taken > line->count) taken = 0;
  line->count -= taken;
  memmove(line->values, line->values + taken,
          (size_t)line->count * sizeof(float));
}

// Takes everything out, undisturbed: the order is as it was.
static void line_empty(line_t *line, cancel_stage_t *stage) {
  EXPECT_EQ(line_size(stage, line), line->count);
  for (int i = 0; i < line->count; ++i) {
    berth_tensor_t *value = fetch_tensor(&stage->rig, line->one);
    EXPECT_EQ(element(value, 0), line->values[i]);
    berth_tensor_release(value);
  }
  line->count = 0;
}

static void torture_queue(bool in_context) {
  cancel_stage_t stage;
  line_t line = {0};
  cancel_stage_init(&stage, seed, in_context);
  line_build(&line, stage.rig.graph);
  cancel_stage_open(&stage);
  for (int round = 0; round < rounds / 4 && harness_failures < 20; ++round) {
    switch (dice_below(&stage.dice, 6)) {
      case 0:
      case 1:
        line_put(&line, &stage, 1);
        break;
      case 2:
        line_put(&line, &stage, MANY);
        break;
      case 3:
        line_take(&line, &stage, line.one, 1);
        break;
      case 4:
        line_take(&line, &stage, line.many, MANY);
        break;
      default:
        line_take(&line, &stage, line.up_to, MANY);
        break;
    }
    if (line.count > 0 && round % 50 == 49) line_empty(&line, &stage);
  }
  EXPECT_TRUE(rounds < 20000 || (stage.ended > 0 && stage.whole > 0));
  cancel_stage_clear(&stage);
}

TEST(cancel, queues) { torture_queue(false); }

TEST(cancel, queues_of_a_context) { torture_queue(true); }

// ---- Random sequences ----

static berth_out_t random_node(berth_graph_t *graph, const char *device,
                               int32_t count) {
  berth_random_uniform_attrs_t attrs = BERTH_RANDOM_UNIFORM_ATTRS;
  attrs.seed = 7;
  attrs.seed2 = 11;
  berth_device_push(graph, device);
  berth_out_t out = berth_random_uniform_with(
      graph, "random", const_ints(graph, NULL, &count, 1), BERTH_FLOAT, &attrs);
  berth_device_pop(graph);
  return out;
}

static void torture_random(const char *device, int32_t count) {
  cancel_stage_t stage;
  rig_t model;
  rig_init(&model);
  berth_out_t wanted = random_node(model.graph, device, count);
  berth_config_t config = BERTH_CONFIG_INIT;
  config.gpu.allow_growth = true;
  ASSERT_OK(rig_open(&model, &config), &model.err);
  cancel_stage_init(&stage, seed, false);
  berth_out_t out = random_node(stage.rig.graph, device, count);
  cancel_stage_open(&stage);
  int missing = 0;  // Runs that failed since one was well.
  for (int round = 0; round < rounds / 16 && harness_failures < 20; ++round) {
    berth_tensor_t *result = NULL;
    berth_run_t run = {.fetches = &out, .fetch_count = 1, .results = &result};
    if (cancel_run(&stage, &run, false) != BERTH_OK) {
      EXPECT_TRUE(result == NULL);
      ++missing;
      continue;
    }
    // Those that failed have taken their numbers, or not.
    bool found = false;
    for (int i = 0; i <= missing && !found; ++i) {
      berth_tensor_t *next = fetch_tensor(&model, wanted);
      found = is_equal(result, next);
      berth_tensor_release(next);
    }
    if (!found) {
      HARNESS_FAIL("round %d: not the next numbers, after %d failed", round,
                   missing);
      berth_tensor_release(result);
      break;
    }
    missing = 0;
    berth_tensor_release(result);
  }
  cancel_stage_clear(&stage);
  rig_clear(&model);
}

TEST(cancel, random_numbers) {
  torture_random("/cpu:0", 10);
  torture_random("/cpu:0", LARGE);
}

TEST(cancel, random_numbers_on_a_gpu) {
  take_cards("Tesla K20m", 1);
  torture_random("/gpu:0", 10);
  torture_random("/gpu:0", LARGE);
}

// ---- Results ----

// Of a long vector and of a matrix in one run.
static void torture_fetches(const char *device, bool in_context) {
  enum { SIDE = 100, FETCHES = 3 };
  cancel_stage_t stage;
  cancel_stage_init(&stage, seed, in_context);
  berth_graph_t *graph = stage.rig.graph;
  berth_out_t x = hole(graph, "x"), m = hole(graph, "m");
  berth_device_push(graph, device);
  berth_out_t square = berth_mul(graph, NULL, x, x);
  berth_out_t outs[FETCHES] = {square, berth_matmul(graph, NULL, m, m),
                               berth_neg(graph, NULL, square)};
  berth_device_pop(graph);
  cancel_stage_open(&stage);
  for (int round = 0; round < rounds / 10 && harness_failures < 20; ++round) {
    float value = (float)(1 + round % 3);
    berth_tensor_t *fed = full(BERTH_SHAPE(LARGE + round % 2), value);
    berth_tensor_t *matrix = full(BERTH_SHAPE(SIDE, SIDE), value);
    berth_tensor_t *results[FETCHES] = {NULL};
    berth_feed_t feeds[] = {{x, fed}, {m, matrix}};
    berth_run_t run = {.feeds = feeds,
                       .feed_count = 2,
                       .fetches = outs,
                       .fetch_count = FETCHES,
                       .results = results};
    berth_code_t code = cancel_run(&stage, &run, false);
    if (code == BERTH_OK) {
      EXPECT_EQ(count_other(results[0], value * value), 0);
      EXPECT_EQ(count_other(results[1], value * value * SIDE), 0);
      EXPECT_EQ(count_other(results[2], -value * value), 0);
    }
    for (int i = 0; i < FETCHES; ++i) {
      if (code != BERTH_OK) EXPECT_TRUE(results[i] == NULL);
      berth_tensor_release(results[i]);
    }
    berth_tensor_release(fed);
    berth_tensor_release(matrix);
  }
  cancel_stage_clear(&stage);
}

TEST(cancel, fetches) {
  torture_fetches("/cpu:0", false);
  torture_fetches("/cpu:0", true);
}

TEST(cancel, fetches_on_a_gpu) {
  take_cards("Tesla K20m", 1);
  torture_fetches("/gpu:0", false);
  torture_fetches("/gpu:0", true);
}

// ---- First runs ----

// A first run computes constants, makes a layout and a frame; the next one has
// to do with what it left.
static void torture_first(const char *device) {
  enum { SIDE = 150 };
  berth_tensor_t *ones = full(BERTH_SHAPE(SIDE, SIDE), 1);
  int64_t usual = 0;
  for (int round = 0; round < rounds / 40 && harness_failures < 20; ++round) {
    cancel_stage_t stage;
    cancel_stage_init(&stage, seed + (uint64_t)round, false);
    stage.usual_ns = usual > 0 ? usual : 4000000;
    berth_graph_t *graph = stage.rig.graph;
    berth_device_push(graph, device);
    berth_out_t c = berth_const(graph, "c", ones), x = hole(graph, "x");
    berth_out_t product = berth_matmul(graph, NULL, c, c);
    berth_out_t sum = berth_add_v2(graph, NULL, product, x);
    berth_device_pop(graph);
    cancel_stage_open(&stage);
    berth_tensor_t *result = NULL;
    berth_feed_t feed = {x, ones};
    berth_run_t run = {.feeds = &feed,
                       .feed_count = 1,
                       .fetches = &sum,
                       .fetch_count = 1,
                       .results = &result};
    if (cancel_run(&stage, &run, false) == BERTH_OK) {
      EXPECT_EQ(count_other(result, SIDE + 1), 0);
      usual = stage.usual_ns;
    }
    berth_tensor_release(result);
    result = NULL;
    EXPECT_EQ(berth_session_run(stage.rig.session, &feed, 1, &sum, 1, &result,
                                &stage.rig.err),
              BERTH_OK);
    EXPECT_EQ(count_other(result, SIDE + 1), 0);
    berth_tensor_release(result);
    cancel_stage_clear(&stage);
  }
  berth_tensor_release(ones);
}

TEST(cancel, first_runs) { torture_first("/cpu:0"); }

TEST(cancel, first_runs_on_a_gpu) {
  take_cards("Tesla K20m", 1);
  torture_first("/gpu:0");
}

// ---- Loops and conditionals ----

static berth_out_t merge_of(berth_graph_t *graph, berth_out_t a,
                            berth_out_t b) {
  return berth_output(berth_merge(graph, NULL, (berth_out_t[]){a, b}, 2), 0);
}

static berth_out_t enter_of(berth_graph_t *graph, berth_out_t x, bool stays) {
  berth_enter_attrs_t attrs = BERTH_ENTER_ATTRS;
  attrs.is_constant = stays;
  return berth_enter_with(graph, NULL, x, "loop", &attrs);
}

// Adds updates that add |values| to |v|, after |before|, in a row.
static void pair_add(berth_graph_t *graph, const state_t v[2],
                     const berth_out_t values[2], berth_node_id_t before,
                     berth_node_id_t adds[2]) {
  for (int i = 0; i < 2; ++i) {
    berth_op_t *op = change_begin(graph, &v[i], "AssignAdd", values[i]);
    berth_op_control(op, before);
    adds[i] = berth_op_finish(op);
  }
}

// Returns what leaves a loop of |turns| that adds |x| to both of |v| in each
// turn.
static berth_out_t loop_build(berth_graph_t *graph, const state_t v[2],
                              berth_out_t x, int32_t turns) {
  int32_t zero = 0, one = 1;
  berth_error_t err = BERTH_ERROR_INIT;
  berth_out_t i =
      enter_of(graph, berth_const_i32(graph, NULL, &zero, BERTH_SCALAR), false);
  berth_out_t n =
      enter_of(graph, berth_const_i32(graph, NULL, &turns, BERTH_SCALAR), true);
  berth_out_t in_x[2];
  state_t inner[2] = {v[0], v[1]};
  for (int k = 0; k < 2; ++k) {
    // Where the variable is: what is copied in between would part the updates.
    berth_device_push(graph, v[k].device);
    in_x[k] = enter_of(graph, x, true);
    inner[k].handle = enter_of(graph, v[k].handle, true);
    berth_device_pop(graph);
  }
  berth_out_t merged = merge_of(graph, i, i);
  berth_out_t go =
      berth_loop_cond(graph, NULL, berth_less(graph, NULL, merged, n));
  berth_node_id_t both = berth_switch(graph, NULL, merged, go);
  berth_out_t on = berth_identity(graph, NULL, berth_output(both, 1));
  berth_node_id_t adds[2];
  pair_add(graph, inner, in_x, on.node, adds);
  berth_control_push(graph, adds, 2);
  berth_out_t step = berth_const_i32(graph, NULL, &one, BERTH_SCALAR);
  berth_control_pop(graph);
  berth_out_t next =
      berth_next_iteration(graph, NULL, berth_add_v2(graph, NULL, on, step));
  EXPECT_EQ(berth_graph_close_loop(graph, merged.node, next, &err), BERTH_OK);
  berth_error_clear(&err);
  return berth_exit(graph, NULL, berth_output(both, 0));
}

// Returns what both of |v|, which is whole, hold; NAN when they differ.
static float pair_value(cancel_stage_t *stage, const state_t v[2]) {
  float values[2];
  for (int i = 0; i < 2; ++i) {
    berth_tensor_t *value = fetch_tensor(&stage->rig, v[i].read);
    values[i] = (float)element(value, 0);
    EXPECT_EQ(count_other(value, values[i]), 0);
    berth_tensor_release(value);
  }
  EXPECT_EQ(values[0], values[1]);
  return values[0] == values[1] ? values[0] : NAN;
}

// Sets both of |v| to nothing.
static void pair_clear(cancel_stage_t *stage, const berth_node_id_t init[2],
                       berth_out_t x, int64_t count) {
  berth_tensor_t *zeros = full(BERTH_SHAPE(count), 0);
  for (int i = 0; i < 2; ++i) {
    ASSERT_OK(run_fed(&stage->rig, init[i], x, zeros), &stage->rig.err);
  }
  berth_tensor_release(zeros);
}

static void torture_loop(const char *device, const char *other) {
  enum { TURNS = 10, COUNT = 20000 };
  cancel_stage_t stage;
  cancel_stage_init(&stage, seed, false);
  berth_graph_t *graph = stage.rig.graph;
  berth_out_t x = hole(graph, "x");
  state_t v[2];
  berth_node_id_t init[2];
  for (int i = 0; i < 2; ++i) {
    v[i] = state_add(graph, i == 0 ? "v" : "w", i == 0 ? device : other, false,
                     BERTH_SHAPE(COUNT));
    init[i] = change_add(graph, &v[i], "Assign", x);
  }
  berth_out_t left = loop_build(graph, v, x, TURNS);
  ASSERT_OK(berth_graph_error(graph, &stage.rig.err), &stage.rig.err);
  cancel_stage_open(&stage);
  berth_tensor_t *ones = full(BERTH_SHAPE(COUNT), 1);
  pair_clear(&stage, init, x, COUNT);
  float now = 0;
  for (int round = 0; round < rounds / 20 && harness_failures < 20; ++round) {
    berth_feed_t feed = {x, ones};
    berth_tensor_t *result = NULL;
    berth_run_t run = {.feeds = &feed,
                       .feed_count = 1,
                       .fetches = &left,
                       .fetch_count = 1,
                       .results = &result};
    berth_code_t code = cancel_run(&stage, &run, false);
    float made = pair_value(&stage, v) - now;
    EXPECT_TRUE(made >= 0 && made <= TURNS);
    if (code == BERTH_OK) {
      EXPECT_EQ(made, TURNS);
      EXPECT_EQ(element(result, 0), TURNS);
    }
    now += made;
    berth_tensor_release(result);
  }
  berth_tensor_release(ones);
  cancel_stage_clear(&stage);
}

TEST(cancel, loops) { torture_loop("/cpu:0", "/cpu:0"); }

TEST(cancel, loops_on_a_gpu) {
  take_cards("Tesla K20m", 1);
  torture_loop("/gpu:0", "/gpu:0");
}

TEST(cancel, loops_on_gpu_and_host) {
  take_cards("Tesla K20m", 1);
  torture_loop("/gpu:0", "/cpu:0");
}

// One of two pairs of variables gets the product, as |p| says.
static void torture_branches(const char *device) {
  static const char *const names[2][2] = {{"v", "w"}, {"x2", "y2"}};
  cancel_stage_t stage;
  cancel_stage_init(&stage, seed, false);
  berth_graph_t *graph = stage.rig.graph;
  berth_out_t x = hole(graph, "x");
  berth_out_t p = berth_placeholder(graph, "p", BERTH_BOOL);
  state_t v[2][2];
  berth_node_id_t init[2][2];
  berth_out_t taken[2];
  for (int i = 0; i < 2; ++i) {
    for (int k = 0; k < 2; ++k) {
      v[i][k] =
          state_add(graph, names[i][k], device, false, BERTH_SHAPE(LARGE));
      init[i][k] = change_add(graph, &v[i][k], "Assign", x);
    }
    berth_out_t side = berth_output(berth_switch(graph, NULL, x, p), i);
    berth_out_t product = binary_on(graph, "Mul", device, side, side);
    berth_node_id_t adds[2];
    pair_add(graph, v[i], (berth_out_t[]){product, product}, product.node,
             adds);
    berth_control_push(graph, adds, 2);
    taken[i] = berth_identity(graph, NULL,
                              berth_output(berth_switch(graph, NULL, p, p), i));
    berth_control_pop(graph);
  }
  berth_out_t both = merge_of(graph, taken[0], taken[1]);
  ASSERT_OK(berth_graph_error(graph, &stage.rig.err), &stage.rig.err);
  cancel_stage_open(&stage);
  berth_tensor_t *twos = full(BERTH_SHAPE(LARGE), 2);
  float now[2] = {0, 0};
  for (int i = 0; i < 2; ++i) pair_clear(&stage, init[i], x, LARGE);
  for (int round = 0; round < rounds / 20 && harness_failures < 20; ++round) {
    bool truth = dice_below(&stage.dice, 2) != 0;
    berth_tensor_t *which = tensor_of(BERTH_BOOL, BERTH_SCALAR, &truth);
    berth_feed_t feeds[] = {{x, twos}, {p, which}};
    berth_tensor_t *result = NULL;
    berth_run_t run = {.feeds = feeds,
                       .feed_count = 2,
                       .fetches = &both,
                       .fetch_count = 1,
                       .results = &result};
    berth_code_t code = cancel_run(&stage, &run, false);
    for (int i = 0; i < 2; ++i) {
      float first = pair_value(&stage, v[i]);
      bool was_meant = i == (int)truth;
      EXPECT_TRUE(first == now[i] || (was_meant && first == now[i] + 4));
      if (code == BERTH_OK && was_meant) EXPECT_EQ(first, now[i] + 4);
      now[i] = first;
    }
    berth_tensor_release(result);
    berth_tensor_release(which);
  }
  berth_tensor_release(twos);
  cancel_stage_clear(&stage);
}

TEST(cancel, branches) { torture_branches("/cpu:0"); }

TEST(cancel, branches_on_a_gpu) {
  take_cards("Tesla K20m", 1);
  torture_branches("/gpu:0");
}

// ---- Arguments ----

int main(int argc, char **argv) {
  int kept = 1;
  for (int i = 1; i < argc; ++i) {
    bool has_value = i + 1 < argc;
    if (strcmp(argv[i], "--rounds") == 0 && has_value) {
      rounds = (int)strtol(argv[++i], NULL, 10);
    } else if (strcmp(argv[i], "--seed") == 0 && has_value) {
      seed = strtoull(argv[++i], NULL, 10);
    } else {
      argv[kept++] = argv[i];
    }
  }
  argv[kept] = NULL;
  printf("%d rounds, seed %llu\n", rounds, (unsigned long long)seed);
  return harness_main(kept, argv);
}
