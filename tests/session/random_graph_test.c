// random_graph_test.c - Random graphs, run whole and op by op.
//
// The same DAG of elementwise ops, reshapes, joins, slices and sums is run by a
// session (in layouts with arenas, with constants kept and not, with several
// feed shapes) and computed one eager call at a time, where nothing shares
// memory. Both must give the same bits.
#include "session_testing.h"

enum { NODES = 60, FEEDS = 3, FETCHES = 8, GRAPHS = 60 };

// A small generator of its own, so that a seed names a graph for ever.
typedef struct dice {
  uint64_t state;
} dice_t;

static uint32_t roll(dice_t *dice, uint32_t sides) {
  dice->state = dice->state * 6364136223846793005ULL + 1442695040888963407ULL;
  return (uint32_t)(dice->state >> 33) % sides;
}

// What a node is made of; all values are float matrices [rows, cols].
typedef struct step {
  const char *op;
  int inputs[3];
  int input_count;
  int32_t ints[4];  // Of the op's int inputs.
  int64_t rows, cols;
  bool is_const;
  bool is_feed;
} step_t;

typedef struct plan {
  step_t steps[NODES];
  int fetches[FETCHES];
} plan_t;

static const char *const UNARY[] = {"Neg", "Square", "Relu", "Abs", "Identity"};
static const char *const BINARY[] = {"AddV2", "Sub", "Mul", "Maximum",
                                     "Minimum"};

// Finds an earlier step of the shape of |like|, from a random place on.
static int same_shape(const plan_t *plan, int count, const step_t *like,
                      dice_t *dice) {
  int start = (int)roll(dice, (uint32_t)count);
  for (int i = 0; i < count; ++i) {
    int at = (start + i) % count;
    if (plan->steps[at].rows == like->rows &&
        plan->steps[at].cols == like->cols) {
      return at;
    }
  }
  return start;
}

static void plan_reshape(step_t *step, const step_t *a, dice_t *dice) {
  int64_t count = a->rows * a->cols, rows = 1;
  for (int64_t d = 1; d <= count; ++d) {
    if (count % d == 0 && roll(dice, 3) == 0) rows = d;
  }
  step->op = "Reshape";
  step->rows = rows;
  step->cols = count / rows;
  step->ints[0] = (int32_t)step->rows;
  step->ints[1] = (int32_t)step->cols;
}

static void plan_slice(step_t *step, const step_t *a, dice_t *dice) {
  step->op = "Slice";
  step->ints[0] = (int32_t)roll(dice, (uint32_t)a->rows);
  step->ints[1] = (int32_t)roll(dice, (uint32_t)a->cols);
  step->rows = 1 + roll(dice, (uint32_t)(a->rows - step->ints[0]));
  step->cols = 1 + roll(dice, (uint32_t)(a->cols - step->ints[1]));
  step->ints[2] = (int32_t)step->rows;
  step->ints[3] = (int32_t)step->cols;
}

static void plan_step(plan_t *plan, int index, dice_t *dice) {
  step_t *step = &plan->steps[index];
  int from = (int)roll(dice, (uint32_t)index);
  const step_t *a = &plan->steps[from];
  *step = (step_t){
      .inputs = {from}, .input_count = 1, .rows = a->rows, .cols = a->cols};
  switch (roll(dice, 8)) {
    case 0:
    case 1:
      step->op = UNARY[roll(dice, 5)];
      break;
    case 2:
    case 3:
    case 4:
      step->op = BINARY[roll(dice, 5)];
      step->input_count = 2;
      step->inputs[1] = same_shape(plan, index, a, dice);
      if (plan->steps[step->inputs[1]].rows != a->rows ||
          plan->steps[step->inputs[1]].cols != a->cols) {
        step->inputs[1] = from;
      }
      break;
    case 5:
      plan_reshape(step, a, dice);
      break;
    case 6:
      plan_slice(step, a, dice);
      break;
    default:
      if (a->rows > 40) {
        step->op = "Neg";
        break;
      }
      step->op = "ConcatV2";
      step->input_count = 2;
      step->inputs[1] = from;
      step->rows = 2 * a->rows;
  }
}

// Feeds first, then constants, then the rest.
static void plan_make(plan_t *plan, uint64_t seed) {
  dice_t dice = {seed};
  for (int i = 0; i < NODES; ++i) {
    if (i < FEEDS + 2) {
      plan->steps[i] = (step_t){.rows = 1 + roll(&dice, 6),
                                .cols = 1 + roll(&dice, 6),
                                .is_feed = i < FEEDS,
                                .is_const = i >= FEEDS};
    } else {
      plan_step(plan, i, &dice);
    }
  }
  for (int i = 0; i < FETCHES; ++i) {
    plan->fetches[i] = FEEDS + (int)roll(&dice, NODES - FEEDS);
  }
}

static berth_tensor_t *source_value(const step_t *step, int index, int round) {
  float values[64];
  for (int i = 0; i < step->rows * step->cols; ++i) {
    values[i] = (float)((i * 7 + index * 3 + round * 5) % 11 - 5) * 0.25f;
  }
  return tensor_of(BERTH_FLOAT, BERTH_SHAPE(step->rows, step->cols), values);
}

// ---- As a graph ----

static berth_out_t int_pair(berth_graph_t *graph, const int32_t *values) {
  return const_ints(graph, NULL, values, 2);
}

static berth_out_t build_step(berth_graph_t *graph, const step_t *step,
                              int index, const berth_out_t *outs) {
  if (step->is_feed) return hole(graph, NULL);
  if (step->is_const) {
    berth_tensor_t *value = source_value(step, index, 0);
    berth_out_t out = berth_const(graph, NULL, value);
    berth_tensor_release(value);
    return out;
  }
  berth_out_t a = outs[step->inputs[0]];
  if (strcmp(step->op, "Reshape") == 0) {
    return berth_reshape(graph, NULL, a, int_pair(graph, step->ints));
  }
  if (strcmp(step->op, "Slice") == 0) {
    return berth_slice(graph, NULL, a, int_pair(graph, step->ints),
                       int_pair(graph, step->ints + 2));
  }
  if (strcmp(step->op, "ConcatV2") == 0) {
    berth_out_t parts[] = {a, outs[step->inputs[1]]};
    return berth_concat_v2(
        graph, NULL, parts, 2,
        berth_const_i32(graph, NULL, (int32_t[]){0}, BERTH_SCALAR));
  }
  berth_op_t *op = berth_op_begin(graph, step->op, NULL);
  for (int i = 0; i < step->input_count; ++i) {
    berth_op_input(op, outs[step->inputs[i]]);
  }
  return berth_output(berth_op_finish(op), 0);
}

// ---- Op by op ----

static berth_tensor_t *call(berth_context_t *context, const char *op,
                            berth_tensor_t **inputs, int count) {
  berth_tensor_t *result = NULL;
  berth_error_t err = BERTH_ERROR_INIT;
  int outputs = 1;
  if (berth_eager_call(context, op, NULL, inputs, count, &result, &outputs,
                       &err) != BERTH_OK) {
    HARNESS_FAIL("%s: %s", op, berth_error_message(&err));
  }
  berth_error_clear(&err);
  return result;
}

static berth_tensor_t *compute_step(berth_context_t *context,
                                    const step_t *step,
                                    berth_tensor_t **values) {
  berth_tensor_t *inputs[3] = {values[step->inputs[0]]};
  berth_tensor_t *extra[2] = {NULL, NULL};
  int count = step->input_count;
  if (count == 2) inputs[1] = values[step->inputs[1]];
  if (strcmp(step->op, "Reshape") == 0) {
    inputs[count++] = extra[0] =
        tensor_of(BERTH_INT32, BERTH_SHAPE(2), step->ints);
  } else if (strcmp(step->op, "Slice") == 0) {
    inputs[count++] = extra[0] =
        tensor_of(BERTH_INT32, BERTH_SHAPE(2), step->ints);
    inputs[count++] = extra[1] =
        tensor_of(BERTH_INT32, BERTH_SHAPE(2), step->ints + 2);
  } else if (strcmp(step->op, "ConcatV2") == 0) {
    inputs[count++] = extra[0] = int_scalar(0);
  }
  berth_tensor_t *result = call(context, step->op, inputs, count);
  berth_tensor_release(extra[0]);
  berth_tensor_release(extra[1]);
  return result;
}

// ---- Comparing ----

static void expect_same(const berth_tensor_t *is, const berth_tensor_t *should,
                        uint64_t seed, int fetch_index) {
  if (!is_equal(is, should)) {
    HARNESS_FAIL("graph %d, fetch %d differs", (int)seed, fetch_index);
  }
}

// One round of a graph: other numbers than in the round before.
static void compare_round(rig_t *rig, berth_context_t *context,
                          const plan_t *plan, const berth_out_t *outs,
                          uint64_t seed, int round) {
  berth_tensor_t *values[NODES] = {NULL}, *results[FETCHES] = {NULL};
  berth_feed_t feeds[FEEDS];
  berth_out_t fetches[FETCHES];
  for (int i = 0; i < NODES; ++i) {
    const step_t *step = &plan->steps[i];
    values[i] = step->is_feed || step->is_const
                    ? source_value(step, i, step->is_feed ? round : 0)
                    : compute_step(context, step, values);
  }
  for (int i = 0; i < FEEDS; ++i) feeds[i] = (berth_feed_t){outs[i], values[i]};
  for (int i = 0; i < FETCHES; ++i) fetches[i] = outs[plan->fetches[i]];
  ASSERT_OK(berth_session_run(rig->session, feeds, FEEDS, fetches, FETCHES,
                              results, &rig->err),
            &rig->err);
  for (int i = 0; i < FETCHES; ++i) {
    expect_same(results[i], values[plan->fetches[i]], seed, i);
    berth_tensor_release(results[i]);
  }
  for (int i = 0; i < NODES; ++i) berth_tensor_release(values[i]);
}

static void compare_graph(berth_context_t *context, uint64_t seed, bool keep) {
  static plan_t plan;
  rig_t rig;
  berth_out_t outs[NODES];
  plan_make(&plan, seed);
  rig_init(&rig);
  for (int i = 0; i < NODES; ++i) {
    outs[i] = build_step(rig.graph, &plan.steps[i], i, outs);
  }
  berth_config_t config = BERTH_CONFIG_INIT;
  config.keep_constants = keep;
  ASSERT_OK(rig_open(&rig, &config), &rig.err);
  // The second round finds frames and arenas that the first has left behind.
  for (int round = 0; round < 3; ++round) {
    compare_round(&rig, context, &plan, outs, seed, round);
  }
  rig_clear(&rig);
}

static void compare_all(bool keep) {
  berth_context_t *context = NULL;
  berth_error_t err = BERTH_ERROR_INIT;
  ASSERT_OK(berth_context_create(NULL, &context, &err), &err);
  for (uint64_t seed = 0; seed < GRAPHS; ++seed) {
    compare_graph(context, seed * 977 + 1, keep);
  }
  berth_context_destroy(context);
}

TEST(random_graph, with_constants_kept) { compare_all(true); }

TEST(random_graph, with_constants_computed_anew) { compare_all(false); }
