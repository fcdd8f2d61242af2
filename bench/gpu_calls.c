// gpu_calls.c - Runs of a session whose work is on a GPU.
//
// What is not fed is in variables on the card: constants would be worked out
// once, before anything is measured.
#include <berth/berth.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "calls.h"
#include "gpu_side.h"

#define GPU "/device:GPU:0"

enum { MAX_VARIABLES = 2 };

typedef struct state {
  berth_error_t err;
  const char *name;
  berth_graph_t *graph;
  berth_session_t *session;
  berth_node_id_t starts[MAX_VARIABLES];  // Give variables their values.
  int start_count;
  berth_feed_t feeds[CALL_SETS][CALL_INPUTS];
  int feed_count;
  berth_out_t fetch;
  // What the first element is; with a tolerance where it is not 0.
  float answers[CALL_SETS];
  float tolerance;
} state_t;

static bool is_ok(berth_code_t code, berth_error_t *err) {
  if (code == BERTH_OK) return true;
  fprintf(stderr, "%s: %s\n", berth_code_name(code), berth_error_message(err));
  berth_error_clear(err);
  return false;
}

static state_t *make_state(const side_bench_t *bench) {
  state_t *state = side_alloc(sizeof(*state));
  if (state == NULL) return NULL;
  state->name = bench->name;
  state->graph = berth_graph_create();
  berth_device_push(state->graph, GPU);
  return state;
}

// Makes a variable that begins as |value|.
static berth_out_t make_variable(state_t *state, berth_dims_t shape,
                                 berth_dtype_t dtype, berth_out_t value) {
  berth_out_t variable = berth_variable_v2(state->graph, NULL, shape, dtype);
  berth_out_t assigned = berth_assign(state->graph, NULL, variable, value);
  state->starts[state->start_count++] = assigned.node;
  return variable;
}

// Makes the session and gives the variables their values. Returns |state|, or
// NULL, and |state| is closed.
static void *start(state_t *state) {
  berth_config_t config = BERTH_CONFIG_INIT;
  config.gpu.allow_growth = true;
  berth_run_t run = {.targets = state->starts,
                     .target_count = state->start_count};
  bool is_ready =
      is_ok(berth_session_create(state->graph, &config, &state->session,
                                 &state->err),
            &state->err) &&
      (state->start_count == 0 ||
       is_ok(berth_session_run_with(state->session, &run, &state->err),
             &state->err));
  if (is_ready) return state;
  gpu_close(state);
  return NULL;
}

// ---- Large products ----

static berth_out_t make_ints(berth_graph_t *graph, int first, int second) {
  const int32_t values[] = {first, second};
  return berth_const_i32(graph, NULL, values, BERTH_SHAPE(2));
}

// Makes a square variable of normal numbers, whose product with such a matrix
// is of the same size.
static berth_out_t make_normal(state_t *state, const gpu_matmul_t *wanted,
                               float scale) {
  berth_graph_t *graph = state->graph;
  berth_dtype_t dtype = (berth_dtype_t)wanted->dtype;
  berth_out_t shape = make_ints(graph, wanted->size, wanted->size);
  berth_out_t normal =
      berth_random_standard_normal(graph, NULL, shape, BERTH_FLOAT);
  berth_out_t factor = berth_const_f32(graph, NULL, &scale, BERTH_SCALAR);
  berth_out_t scaled = berth_mul(graph, NULL, normal, factor);
  if (dtype != BERTH_FLOAT) scaled = berth_cast(graph, NULL, scaled, dtype);
  return make_variable(state, BERTH_SHAPE(wanted->size, wanted->size), dtype,
                       scaled);
}

// Returns the first |rows| by |cols| of |from|, as float.
static berth_out_t make_corner(berth_graph_t *graph, berth_out_t from, int rows,
                               int cols, bool is_float) {
  berth_out_t corner = berth_slice(graph, NULL, from, make_ints(graph, 0, 0),
                                   make_ints(graph, rows, cols));
  return is_float ? corner : berth_cast(graph, NULL, corner, BERTH_FLOAT);
}

// Compares the first element of one product with the one worked out in double
// precision from the first row and column.
static bool is_right(state_t *state, const berth_out_t *parts, int size) {
  berth_tensor_t *found[3] = {NULL};
  if (!is_ok(berth_session_run(state->session, NULL, 0, parts, 3, found,
                               &state->err),
             &state->err)) {
    return false;
  }
  double sum = 0;
  for (int i = 0; i < size; ++i) {
    sum += (double)((const float *)berth_tensor_data(found[0]))[i] *
           (double)((const float *)berth_tensor_data(found[1]))[i];
  }
  double has = (double)*(const float *)berth_tensor_data(found[2]);
  bool is_near = fabs(has - sum) < 0.02;
  if (!is_near) fprintf(stderr, "%s: %g, not %g\n", state->name, has, sum);
  for (int i = 0; i < 3; ++i) berth_tensor_release(found[i]);
  return is_near;
}

void *gpu_open_matmul(const side_bench_t *bench) {
  const gpu_matmul_t *wanted = bench->arg;
  state_t *state = make_state(bench);
  if (state == NULL) return NULL;
  berth_graph_t *graph = state->graph;
  int size = wanted->size;
  bool is_float = wanted->dtype == BERTH_FLOAT;
  float scale = (float)(1 / sqrt(size));
  berth_out_t a = make_normal(state, wanted, scale);
  berth_out_t b = make_normal(state, wanted, 1);
  berth_out_t c = berth_matmul(graph, NULL, a, b);
  berth_out_t parts[] = {make_corner(graph, a, 1, size, is_float),
                         make_corner(graph, b, size, 1, is_float),
                         make_corner(graph, c, 1, 1, is_float)};
  for (int i = 1; i < wanted->count; ++i) {
    c = berth_matmul(graph, NULL, a, c);
  }
  state->fetch = make_corner(graph, c, 1, 1, is_float);
  state->tolerance = 10;  // Normal numbers: none is larger.
  if (start(state) == NULL) return NULL;
  if (is_right(state, parts, size)) return state;
  gpu_close(state);
  return NULL;
}

// ---- Small calls ----

// Makes input |index| of |shape|, which has 6 elements: a placeholder with two
// sets of values, or a variable with the first.
static berth_out_t make_input(state_t *state, bool is_fed, int index,
                              berth_dims_t shape) {
  float values[6];
  call_fill(values, 6, 0);
  if (!is_fed) {
    return make_variable(state, shape, BERTH_FLOAT,
                         berth_const_f32(state->graph, NULL, values, shape));
  }
  berth_placeholder_attrs_t attrs = {shape};
  berth_out_t out =
      berth_placeholder_with(state->graph, NULL, BERTH_FLOAT, &attrs);
  for (int set = 0; set < CALL_SETS; ++set) {
    call_fill(values, 6, set);
    state->feeds[set][index].out = out;
    // Without its tensor the run fails and says so.
    (void)is_ok(
        berth_tensor_copy_from(BERTH_FLOAT, shape, values,
                               &state->feeds[set][index].tensor, &state->err),
        &state->err);
  }
  state->feed_count = index + 1;
  return out;
}

void *gpu_open_small(const side_bench_t *bench) {
  bool is_fed = *(const bool *)bench->arg;
  state_t *state = make_state(bench);
  if (state == NULL) return NULL;
  berth_out_t a = make_input(state, is_fed, 0, BERTH_SHAPE(2, 3));
  berth_out_t b = make_input(state, is_fed, 1, BERTH_SHAPE(3, 2));
  state->fetch = berth_matmul(state->graph, NULL, a, b);
  for (int set = 0; set < CALL_SETS; ++set) {
    state->answers[set] = call_matmul_answer(is_fed ? set : 0);
  }
  return start(state);
}

void *gpu_open_chain(const side_bench_t *bench) {
  int count = *(const int *)bench->arg;
  state_t *state = make_state(bench);
  if (state == NULL) return NULL;
  berth_dims_t shape = BERTH_SHAPE(2, 3);
  const float ones[6] = {1, 1, 1, 1, 1, 1};
  berth_out_t x = make_input(state, false, 0, shape);
  berth_out_t one =
      make_variable(state, shape, BERTH_FLOAT,
                    berth_const_f32(state->graph, NULL, ones, shape));
  for (int i = 0; i < count; ++i) x = berth_add_v2(state->graph, NULL, x, one);
  state->fetch = x;
  for (int set = 0; set < CALL_SETS; ++set) {
    state->answers[set] = call_chain_answer(0, count);
  }
  return start(state);
}

bool gpu_call(void *arg, long turn) {
  state_t *state = arg;
  int set = (int)(turn % CALL_SETS);
  berth_tensor_t *result = NULL;
  berth_code_t code =
      berth_session_run(state->session, state->feeds[set], state->feed_count,
                        &state->fetch, 1, &result, &state->err);
  if (code != BERTH_OK) return is_ok(code, &state->err);
  float found = *(const float *)berth_tensor_data(result);
  berth_tensor_release(result);
  if (fabsf(found - state->answers[set]) < state->tolerance) return true;
  return call_check(state->name, found, state->answers[set]);
}

void gpu_close(void *arg) {
  state_t *state = arg;
  berth_session_destroy(state->session);
  for (int i = 0; i < CALL_SETS * CALL_INPUTS; ++i) {
    berth_tensor_release(state->feeds[i / CALL_INPUTS][i % CALL_INPUTS].tensor);
  }
  berth_graph_release(state->graph);
  free(state);
}
