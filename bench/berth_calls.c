// berth_calls.c - Small runs of a session: a matmul, chains of additions, an
// update of a variable.
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
