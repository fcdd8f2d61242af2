// berth_calls.c - Small runs of a session: a matmul, chains of additions, an
// update of a variable, a conditional, a loop.
#include <stdlib.h>

#include "berth_side.h"
#include "calls.h"

// A session, two sets of feeds for it, and the results they give.
typedef struct session_call {
  berth_error_t err;
  const char *name;
  berth_graph_t *graph;
  berth_session_t *session;
  berth_feed_t feeds[CALL_SETS][CALL_INPUTS];
  int feed_count;
  berth_out_t fetch;
  float answers[CALL_SETS];
} session_call_t;

// Makes input |index| of both sets, of |shape|, which holds at most 6 floats.
static bool make_feeds(session_call_t *call, int index, berth_out_t out,
                       berth_dims_t shape) {
  berth_error_t err = BERTH_ERROR_INIT;
  float values[6];
  for (int set = 0; set < CALL_SETS; ++set) {
    berth_feed_t *feed = &call->feeds[set][index];
    feed->out = out;
    call_fill(values, 6, set);
    berth_code_t code =
        berth_tensor_copy_from(BERTH_FLOAT, shape, values, &feed->tensor, &err);
    if (!berth_side_ok(code, &err)) return false;
  }
  return true;
}

static session_call_t *make_call(const side_bench_t *bench) {
  session_call_t *call = side_alloc(sizeof(*call));
  if (call == NULL) return NULL;
  call->name = bench->name;
  call->graph = berth_graph_create();
  call->feed_count = CALL_INPUTS;
  return call;
}

// Returns |call| with a session, or NULL and |call| is closed.
static void *finish_call(session_call_t *call, bool is_fed) {
  if (is_fed) call->session = berth_side_session(call->graph);
  if (call->session != NULL) return call;
  berth_close_session(call);
  return NULL;
}

void *berth_open_small(const side_bench_t *bench) {
  session_call_t *call = make_call(bench);
  if (call == NULL) return NULL;
  berth_dims_t wide = BERTH_SHAPE(2, 3), tall = BERTH_SHAPE(3, 2);
  berth_graph_t *graph = call->graph;
  berth_out_t a = berth_side_placeholder(graph, "a", BERTH_FLOAT, wide);
  berth_out_t b = berth_side_placeholder(graph, "b", BERTH_FLOAT, tall);
  call->fetch = berth_matmul(graph, "c", a, b);
  for (int set = 0; set < CALL_SETS; ++set) {
    call->answers[set] = call_matmul_answer(set);
  }
  bool is_fed = make_feeds(call, 0, a, wide) && make_feeds(call, 1, b, tall);
  return finish_call(call, is_fed);
}

// Makes the second input of both sets the number 1.
static bool make_one(session_call_t *call, berth_out_t out) {
  if (!make_feeds(call, 1, out, BERTH_SCALAR)) return false;
  for (int set = 0; set < CALL_SETS; ++set) {
    *(float *)berth_tensor_data(call->feeds[set][1].tensor) = 1;
  }
  return true;
}

void *berth_open_chain(const side_bench_t *bench) {
  int count = *(const int *)bench->arg;
  session_call_t *call = make_call(bench);
  if (call == NULL) return NULL;
  berth_graph_t *graph = call->graph;
  berth_out_t x = berth_side_placeholder(graph, "x", BERTH_FLOAT, BERTH_SCALAR);
  berth_out_t one =
      berth_side_placeholder(graph, "one", BERTH_FLOAT, BERTH_SCALAR);
  call->fetch = x;
  for (int i = 0; i < count; ++i) {
    call->fetch = berth_add_v2(graph, NULL, call->fetch, one);
  }
  for (int set = 0; set < CALL_SETS; ++set) {
    call->answers[set] = call_chain_answer(set, count);
  }
  bool is_fed = make_feeds(call, 0, x, BERTH_SCALAR) && make_one(call, one);
  return finish_call(call, is_fed);
}

// Makes what the updates of both sets add.
static bool make_updates(session_call_t *call, berth_out_t out,
                         berth_dims_t shape) {
  if (!make_feeds(call, 0, out, shape)) return false;
  for (int set = 0; set < CALL_SETS; ++set) {
    call_fill_update(berth_tensor_data(call->feeds[set][0].tensor), 6, set);
  }
  return true;
}

// Gives the variable its first value: what set 0 adds.
static bool assign_first(session_call_t *call, berth_out_t init) {
  berth_tensor_t *result = NULL;
  berth_code_t code = berth_session_run(call->session, call->feeds[0], 1, &init,
                                        1, &result, &call->err);
  berth_tensor_release(result);
  return berth_side_ok(code, &call->err);
}

void *berth_open_update(const side_bench_t *bench) {
  session_call_t *call = make_call(bench);
  if (call == NULL) return NULL;
  berth_dims_t shape = BERTH_SHAPE(2, 3);
  berth_graph_t *graph = call->graph;
  berth_out_t delta = berth_side_placeholder(graph, "d", BERTH_FLOAT, shape);
  berth_out_t variable = berth_variable_v2(graph, "v", shape, BERTH_FLOAT);
  berth_out_t init = berth_assign(graph, "init", variable, delta);
  call->fetch = berth_assign_add(graph, "add", variable, delta);
  call->feed_count = 1;
  for (int set = 0; set < CALL_SETS; ++set) {
    call->answers[set] = call_update_answer(set);
  }
  call = finish_call(call, make_updates(call, delta, shape));
  if (call == NULL || assign_first(call, init)) return call;
  berth_close_session(call);
  return NULL;
}

// Makes input |index| of the towers, of both sets.
static bool make_tower_feeds(session_call_t *call, int index, berth_out_t out) {
  berth_dims_t shape = BERTH_SHAPE(CALL_SIDE, CALL_SIDE);
  for (int set = 0; set < CALL_SETS; ++set) {
    berth_feed_t *feed = &call->feeds[set][index];
    feed->out = out;
    berth_code_t code =
        berth_tensor_create(BERTH_FLOAT, shape, &feed->tensor, &call->err);
    if (!berth_side_ok(code, &call->err)) return false;
    call_fill_towers(berth_tensor_data(feed->tensor), index, set);
  }
  return true;
}

void *berth_open_towers(const side_bench_t *bench) {
  session_call_t *call = make_call(bench);
  if (call == NULL) return NULL;
  berth_dims_t shape = BERTH_SHAPE(CALL_SIDE, CALL_SIDE);
  berth_graph_t *graph = call->graph;
  berth_out_t x = berth_side_placeholder(graph, "x", BERTH_FLOAT, shape);
  berth_out_t w = berth_side_placeholder(graph, "w", BERTH_FLOAT, shape);
  berth_out_t tops[CALL_TOWERS];
  for (int i = 0; i < CALL_TOWERS; ++i) {
    tops[i] = x;
    for (int k = 0; k < CALL_FLOORS; ++k) {
      tops[i] = berth_relu(graph, NULL, berth_matmul(graph, NULL, tops[i], w));
    }
  }
  call->fetch = berth_add_n(graph, "sum", tops, CALL_TOWERS);
  for (int set = 0; set < CALL_SETS; ++set) {
    call->answers[set] = call_towers_answer(set);
  }
  bool is_fed = make_tower_feeds(call, 0, x) && make_tower_feeds(call, 1, w);
  return finish_call(call, is_fed);
}

// ---- Conditionals and loops ----

// Feeds scalar |index| of |dtype|, |values| in turn.
static bool make_scalars(session_call_t *call, int index, berth_out_t out,
                         berth_dtype_t dtype, const void *const *values) {
  for (int set = 0; set < CALL_SETS; ++set) {
    berth_feed_t *feed = &call->feeds[set][index];
    feed->out = out;
    berth_code_t code = berth_tensor_copy_from(
        dtype, BERTH_SCALAR, values[set], &feed->tensor, &call->err);
    if (!berth_side_ok(code, &call->err)) return false;
  }
  return true;
}

// flow_cond_c: one more of what is fed, or three times that.
void *berth_open_cond(const side_bench_t *bench) {
  static const bool ways[CALL_SETS] = {true, false};
  session_call_t *call = make_call(bench);
  if (call == NULL) return NULL;
  berth_graph_t *graph = call->graph;
  berth_out_t x = berth_side_placeholder(graph, "x", BERTH_FLOAT, BERTH_SCALAR);
  berth_out_t taken =
      berth_side_placeholder(graph, "taken", BERTH_BOOL, BERTH_SCALAR);
  berth_node_id_t both = berth_switch(graph, "both", x, taken);
  berth_out_t ways_out[] = {
      berth_mul(graph, "times", berth_output(both, 0),
                berth_const_f32(graph, "three", (const float[]){3}, BERTH_SCALAR)),
      berth_add_v2(graph, "plus", berth_output(both, 1),
                   berth_const_f32(graph, "one", (const float[]){1}, BERTH_SCALAR))};
  call->fetch = berth_output(berth_merge(graph, "merge", ways_out, 2), 0);
  for (int set = 0; set < CALL_SETS; ++set) {
    call->answers[set] = call_cond_answer(set);
  }
  bool is_fed = make_feeds(call, 0, x, BERTH_SCALAR) &&
                make_scalars(call, 1, taken, BERTH_BOOL,
                             (const void *const[]){&ways[0], &ways[1]});
  return finish_call(call, is_fed);
}

// Makes what goes round the loop, |first| to begin with.
static berth_out_t add_turning(berth_graph_t *graph, berth_out_t first) {
  berth_out_t in = berth_enter(graph, NULL, first, "turns");
  berth_out_t ways[] = {in, in};
  return berth_output(berth_merge(graph, NULL, ways, 2), 0);
}

// Makes the loop of what is fed as |n| and a number, which it counts up to |n|.
// Both go round, as in a loop of TF_NewWhile().
static berth_code_t add_count(session_call_t *call, berth_out_t n) {
  berth_graph_t *graph = call->graph;
  berth_out_t zero =
      berth_const_f32(graph, "zero", (const float[]){0}, BERTH_SCALAR);
  berth_out_t values[] = {add_turning(graph, zero), add_turning(graph, n)};
  berth_out_t on = berth_loop_cond(
      graph, "on", berth_less(graph, "less", values[0], values[1]));
  berth_node_id_t ways[] = {berth_switch(graph, "count", values[0], on),
                            berth_switch(graph, "most", values[1], on)};
  berth_control_push(graph, &ways[0], 1);
  berth_out_t one =
      berth_const_f32(graph, "one", (const float[]){1}, BERTH_SCALAR);
  berth_control_pop(graph);
  berth_out_t more =
      berth_add_v2(graph, "add", berth_output(ways[0], 1), one);
  berth_out_t next[] = {
      berth_next_iteration(graph, NULL, more),
      berth_next_iteration(graph, NULL, berth_output(ways[1], 1))};
  call->fetch = berth_exit(graph, "exit", berth_output(ways[0], 0));
  berth_code_t code = BERTH_OK;
  for (int i = 0; code == BERTH_OK && i < 2; ++i) {
    code =
        berth_graph_close_loop(graph, values[i].node, next[i], &call->err);
  }
  return code;
}

// flow_count_c: counts to what is fed.
void *berth_open_count(const side_bench_t *bench) {
  session_call_t *call = make_call(bench);
  if (call == NULL) return NULL;
  berth_out_t n =
      berth_side_placeholder(call->graph, "n", BERTH_FLOAT, BERTH_SCALAR);
  bool is_made = berth_side_ok(add_count(call, n), &call->err);
  call->feed_count = 1;
  for (int set = 0; set < CALL_SETS; ++set) {
    call->answers[set] = call_count_answer(set);
  }
  const void *const turns[] = {&call->answers[0], &call->answers[1]};
  return finish_call(call,
                     is_made && make_scalars(call, 0, n, BERTH_FLOAT, turns));
}

bool berth_call_session(void *state, long turn) {
  session_call_t *call = state;
  int set = (int)(turn % CALL_SETS);
  berth_tensor_t *result = NULL;
  berth_code_t code =
      berth_session_run(call->session, call->feeds[set], call->feed_count,
                        &call->fetch, 1, &result, &call->err);
  if (code != BERTH_OK) return berth_side_ok(code, &call->err);
  float found = *(const float *)berth_tensor_data(result);
  berth_tensor_release(result);
  return call_check(call->name, found, call->answers[set]);
}

void berth_close_session(void *state) {
  session_call_t *call = state;
  berth_session_destroy(call->session);
  for (int i = 0; i < CALL_SETS * CALL_INPUTS; ++i) {
    berth_tensor_release(call->feeds[i / CALL_INPUTS][i % CALL_INPUTS].tensor);
  }
  berth_graph_release(call->graph);
  free(call);
}
