// berth_crowd.c - Several threads on one session of Berth.
#include <stdlib.h>
#include <string.h>

#include "berth_side.h"
#include "calls.h"
#include "crowd.h"

typedef struct crowd_call {
  const char *name;
  berth_graph_t *graph;
  berth_session_t *session;
  berth_out_t a, b, sum;
  // By side and set: matrices of 1, of 2, and of the inverse of the side.
  berth_tensor_t *values[3][CALL_SETS + 1];
  crowd_t *crowd;
} crowd_call_t;

static const int sides[] = {CROWD_SMALL, CROWD_SIDE, CROWD_HEAVY};

static int side_index(int side) {
  int i = 0;
  while (sides[i] != side) ++i;
  return i;
}

static bool run_once(void *state, int side, int set) {
  crowd_call_t *call = state;
  berth_error_t err = BERTH_ERROR_INIT;
  berth_tensor_t **values = call->values[side_index(side)];
  berth_feed_t feeds[] = {{call->a, values[set]}, {call->b, values[CALL_SETS]}};
  berth_tensor_t *result = NULL;
  berth_code_t code =
      berth_session_run(call->session, feeds, 2, &call->sum, 1, &result, &err);
  if (code != BERTH_OK) return berth_side_ok(code, &err);
  float found = *(const float *)berth_tensor_data(result);
  berth_tensor_release(result);
  return call_check(call->name, found, crowd_answer(side, set));
}

static bool make_matrix(int side, float value, berth_tensor_t **out) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_code_t code =
      berth_tensor_create(BERTH_FLOAT, BERTH_SHAPE(side, side), out, &err);
  if (!berth_side_ok(code, &err)) return false;
  float *values = berth_tensor_data(*out);
  for (int i = 0; i < side * side; ++i) values[i] = value;
  return true;
}

static bool make_matrices(crowd_call_t *call) {
  bool is_made = true;
  for (int i = 0; i < 3; ++i) {
    for (int set = 0; set < CALL_SETS; ++set) {
      is_made = is_made &&
                make_matrix(sides[i], (float)(1 + set), &call->values[i][set]);
    }
    is_made = is_made && make_matrix(sides[i], 1.0F / (float)sides[i],
                                     &call->values[i][CALL_SETS]);
  }
  return is_made;
}

static void build(crowd_call_t *call) {
  static const int64_t any[] = {-1, -1};
  berth_graph_t *graph = call->graph = berth_graph_create();
  berth_dims_t shape = {2, any};
  call->a = berth_side_placeholder(graph, "a", BERTH_FLOAT, shape);
  call->b = berth_side_placeholder(graph, "b", BERTH_FLOAT, shape);
  berth_out_t relu =
      berth_relu(graph, NULL, berth_matmul(graph, NULL, call->a, call->b));
  const int32_t both[] = {0, 1};
  berth_tensor_t *axes = NULL;
  if (berth_tensor_copy_from(BERTH_INT32, BERTH_SHAPE(2), both, &axes, NULL) !=
      BERTH_OK) {
    return;
  }
  call->sum = berth_sum(graph, NULL, relu, berth_const(graph, NULL, axes));
  berth_tensor_release(axes);
}

void *berth_open_crowd(const side_bench_t *bench) {
  crowd_call_t *call = side_alloc(sizeof(*call));
  if (call == NULL) return NULL;
  call->name = bench->name;
  build(call);
  int threads = *(const int *)bench->arg;
  call->session = berth_side_session(call->graph);
  if (call->session != NULL && make_matrices(call)) {
    call->crowd = crowd_create(threads, bench->seconds != NULL, run_once, call);
  }
  if (call->crowd != NULL) return call;
  berth_close_crowd(call);
  return NULL;
}

bool berth_call_crowd(void *state, long turn) {
  (void)turn;
  return crowd_call(((crowd_call_t *)state)->crowd);
}

double berth_crowd_tail(void *state) {
  return crowd_tail(((crowd_call_t *)state)->crowd);
}

void berth_close_crowd(void *state) {
  crowd_call_t *call = state;
  crowd_destroy(call->crowd);
  berth_session_destroy(call->session);
  for (int i = 0; i < 3 * (CALL_SETS + 1); ++i) {
    berth_tensor_release(
        call->values[i / (CALL_SETS + 1)][i % (CALL_SETS + 1)]);
  }
  berth_graph_release(call->graph);
  free(call);
}
