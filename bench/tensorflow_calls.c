// tensorflow_calls.c - Small runs of a session: a matmul, chains of additions,
// an update of a variable, a conditional, a loop.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calls.h"
#include "tensorflow_side.h"

// A session, two sets of feeds for it, and the results they give.
typedef struct session_call {
  const char *name;
  TF_Graph *graph;
  TF_Session *session;
  TF_Output inputs[CALL_INPUTS];
  TF_Tensor *feeds[CALL_SETS][CALL_INPUTS];
  int feed_count;
  TF_Output fetch;
  float answers[CALL_SETS];
} session_call_t;

static session_call_t *make_call(const side_bench_t *bench) {
  session_call_t *call = side_alloc(sizeof(*call));
  if (call == NULL) return NULL;
  call->name = bench->name;
  call->graph = TF_NewGraph();
  call->feed_count = CALL_INPUTS;
  return call;
}

// Returns |call| with a session, or NULL and |call| is closed.
static void *finish_call(session_call_t *call, bool is_plain) {
  if (tensorflow_side_ok()) {
    call->session = tensorflow_side_session(call->graph, is_plain);
  }
  if (call->session != NULL) return call;
  tensorflow_close_session(call);
  return NULL;
}

void *tensorflow_open_small(const side_bench_t *bench) {
  static const int64_t wide[] = {2, 3}, tall[] = {3, 2};
  session_call_t *call = make_call(bench);
  if (call == NULL) return NULL;
  TF_Graph *graph = call->graph;
  call->inputs[0] = tensorflow_side_placeholder(graph, "a", TF_FLOAT, wide, 2);
  call->inputs[1] = tensorflow_side_placeholder(graph, "b", TF_FLOAT, tall, 2);
  call->fetch = tensorflow_side_binary(graph, "MatMul", "c", call->inputs[0],
                                       call->inputs[1]);
  for (int set = 0; set < CALL_SETS; ++set) {
    call->feeds[set][0] = tensorflow_side_tensor(wide, 2, set);
    call->feeds[set][1] = tensorflow_side_tensor(tall, 2, set);
    call->answers[set] = call_matmul_answer(set);
  }
  return finish_call(call, false);
}

void *tensorflow_open_chain(const side_bench_t *bench) {
  int count = *(const int *)bench->arg;
  char name[32];
  session_call_t *call = make_call(bench);
  if (call == NULL) return NULL;
  TF_Graph *graph = call->graph;
  call->inputs[0] = tensorflow_side_placeholder(graph, "x", TF_FLOAT, NULL, 0);
  call->inputs[1] =
      tensorflow_side_placeholder(graph, "one", TF_FLOAT, NULL, 0);
  call->fetch = call->inputs[0];
  for (int i = 0; i < count; ++i) {
    snprintf(name, sizeof(name), "sum_%d", i);
    call->fetch = tensorflow_side_binary(graph, "AddV2", name, call->fetch,
                                         call->inputs[1]);
  }
  for (int set = 0; set < CALL_SETS; ++set) {
    call->feeds[set][0] = tensorflow_side_tensor(NULL, 0, set);
    call->feeds[set][1] = tensorflow_side_tensor(NULL, 0, 0);
    call->answers[set] = call_chain_answer(set, count);
  }
  return finish_call(call, true);
}

static TF_Output add_variable(TF_Graph *graph, const int64_t *dims, int rank) {
  TF_OperationDescription *op = TF_NewOperation(graph, "VariableV2", "v");
  TF_SetAttrType(op, "dtype", TF_FLOAT);
  TF_SetAttrShape(op, "shape", dims, rank);
  return (TF_Output){TF_FinishOperation(op, tensorflow_side_status), 0};
}

// Gives the variable its first value: what set 0 adds.
static bool assign_first(session_call_t *call, TF_Output init) {
  const TF_Operation *target = init.oper;
  TF_SessionRun(call->session, NULL, call->inputs, call->feeds[0], 1, NULL,
                NULL, 0, &target, 1, NULL, tensorflow_side_status);
  return tensorflow_side_ok();
}

void *tensorflow_open_update(const side_bench_t *bench) {
  static const int64_t shape[] = {2, 3};
  session_call_t *call = make_call(bench);
  if (call == NULL) return NULL;
  TF_Graph *graph = call->graph;
  TF_Output delta = tensorflow_side_placeholder(graph, "d", TF_FLOAT, shape, 2);
  TF_Output variable = add_variable(graph, shape, 2);
  TF_Output init =
      tensorflow_side_binary(graph, "Assign", "init", variable, delta);
  call->fetch =
      tensorflow_side_binary(graph, "AssignAdd", "add", variable, delta);
  call->inputs[0] = delta;
  call->feed_count = 1;
  for (int set = 0; set < CALL_SETS; ++set) {
    call->feeds[set][0] = tensorflow_side_tensor(shape, 2, set);
    call_fill_update(TF_TensorData(call->feeds[set][0]), 6, set);
    call->answers[set] = call_update_answer(set);
  }
  call = finish_call(call, false);
  if (call == NULL || assign_first(call, init)) return call;
  tensorflow_close_session(call);
  return NULL;
}

// Adds tower |index|: products with the second input, and what is positive.
static TF_Output add_tower(session_call_t *call, int index) {
  TF_Output top = call->inputs[0];
  for (int k = 0; k < CALL_FLOORS; ++k) {
    char name[32];
    snprintf(name, sizeof(name), "product_%d_%d", index, k);
    top = tensorflow_side_binary(call->graph, "MatMul", name, top,
                                 call->inputs[1]);
    snprintf(name, sizeof(name), "relu_%d_%d", index, k);
    TF_OperationDescription *relu = TF_NewOperation(call->graph, "Relu", name);
    TF_AddInput(relu, top);
    top = (TF_Output){TF_FinishOperation(relu, tensorflow_side_status), 0};
  }
  return top;
}

void *tensorflow_open_towers(const side_bench_t *bench) {
  static const int64_t dims[] = {CALL_SIDE, CALL_SIDE};
  session_call_t *call = make_call(bench);
  if (call == NULL) return NULL;
  TF_Graph *graph = call->graph;
  call->inputs[0] = tensorflow_side_placeholder(graph, "x", TF_FLOAT, dims, 2);
  call->inputs[1] = tensorflow_side_placeholder(graph, "w", TF_FLOAT, dims, 2);
  TF_Output tops[CALL_TOWERS];
  for (int i = 0; i < CALL_TOWERS; ++i) tops[i] = add_tower(call, i);
  TF_OperationDescription *sum = TF_NewOperation(graph, "AddN", "sum");
  TF_AddInputList(sum, tops, CALL_TOWERS);
  call->fetch = (TF_Output){TF_FinishOperation(sum, tensorflow_side_status), 0};
  for (int set = 0; set < CALL_SETS; ++set) {
    for (int i = 0; i < CALL_INPUTS; ++i) {
      call->feeds[set][i] = tensorflow_side_tensor(dims, 2, set);
      call_fill_towers(TF_TensorData(call->feeds[set][i]), i, set);
    }
    call->answers[set] = call_towers_answer(set);
  }
  // Without optimisers, which would leave one tower of equal ones.
  return finish_call(call, true);
}

// ---- Conditionals and loops ----

static TF_Tensor *make_scalar(TF_DataType dtype, const void *value) {
  size_t size = TF_DataTypeSize(dtype);
  TF_Tensor *tensor = TF_AllocateTensor(dtype, NULL, 0, size);
  memcpy(TF_TensorData(tensor), value, size);
  return tensor;
}

static TF_Output add_const(TF_Graph *graph, const char *name, float value) {
  TF_Tensor *tensor = make_scalar(TF_FLOAT, &value);
  TF_OperationDescription *op = TF_NewOperation(graph, "Const", name);
  TF_SetAttrType(op, "dtype", TF_FLOAT);
  TF_SetAttrTensor(op, "value", tensor, tensorflow_side_status);
  TF_DeleteTensor(tensor);
  return (TF_Output){TF_FinishOperation(op, tensorflow_side_status), 0};
}

// flow_cond_c: one more of what is fed, or three times that.
void *tensorflow_open_cond(const side_bench_t *bench) {
  session_call_t *call = make_call(bench);
  if (call == NULL) return NULL;
  TF_Graph *graph = call->graph;
  TF_Output x = tensorflow_side_placeholder(graph, "x", TF_FLOAT, NULL, 0);
  TF_Output taken = tensorflow_side_placeholder(graph, "taken", TF_BOOL, NULL, 0);
  TF_Operation *both =
      tensorflow_side_binary(graph, "Switch", "both", x, taken).oper;
  TF_Output ways[] = {
      tensorflow_side_binary(graph, "Mul", "times", (TF_Output){both, 0},
                             add_const(graph, "three", 3)),
      tensorflow_side_binary(graph, "AddV2", "plus", (TF_Output){both, 1},
                             add_const(graph, "one", 1))};
  TF_OperationDescription *merge = TF_NewOperation(graph, "Merge", "merge");
  TF_AddInputList(merge, ways, 2);
  call->fetch = (TF_Output){TF_FinishOperation(merge, tensorflow_side_status), 0};
  call->inputs[0] = x;
  call->inputs[1] = taken;
  for (int set = 0; set < CALL_SETS; ++set) {
    unsigned char way = set == 0;
    call->feeds[set][0] = tensorflow_side_tensor(NULL, 0, set);
    call->feeds[set][1] = make_scalar(TF_BOOL, &way);
    call->answers[set] = call_cond_answer(set);
  }
  return finish_call(call, false);
}

// flow_count_c: counts to what is fed.
void *tensorflow_open_count(const side_bench_t *bench) {
  session_call_t *call = make_call(bench);
  if (call == NULL) return NULL;
  TF_Graph *graph = call->graph;
  TF_Output ends[2], n = tensorflow_side_placeholder(graph, "n", TF_FLOAT, NULL, 0);
  TF_Output starts[] = {add_const(graph, "zero", 0), n};
  TF_WhileParams loop = TF_NewWhile(graph, starts, 2, tensorflow_side_status);
  if (!tensorflow_side_ok()) return finish_call(call, false);
  loop.name = "turns";
  loop.cond_output =
      tensorflow_side_binary(loop.cond_graph, "Less", "less",
                             loop.cond_inputs[0], loop.cond_inputs[1]);
  loop.body_outputs[0] = tensorflow_side_binary(
      loop.body_graph, "AddV2", "add", loop.body_inputs[0],
      add_const(loop.body_graph, "one", 1));
  loop.body_outputs[1] = loop.body_inputs[1];
  TF_FinishWhile(&loop, tensorflow_side_status, ends);
  call->fetch = ends[0];
  call->inputs[0] = n;
  call->feed_count = 1;
  for (int set = 0; set < CALL_SETS; ++set) {
    call->answers[set] = call_count_answer(set);
    call->feeds[set][0] = make_scalar(TF_FLOAT, &call->answers[set]);
  }
  return finish_call(call, false);
}

bool tensorflow_call_session(void *state, long turn) {
  session_call_t *call = state;
  int set = (int)(turn % CALL_SETS);
  TF_Tensor *result = NULL;
  TF_SessionRun(call->session, NULL, call->inputs, call->feeds[set],
                call->feed_count, &call->fetch, &result, 1, NULL, 0, NULL,
                tensorflow_side_status);
  if (result == NULL) return tensorflow_side_ok();
  float found = *(const float *)TF_TensorData(result);
  TF_DeleteTensor(result);
  return call_check(call->name, found, call->answers[set]);
}

void tensorflow_close_session(void *state) {
  session_call_t *call = state;
  tensorflow_side_close(call->session);
  for (int i = 0; i < CALL_SETS * CALL_INPUTS; ++i) {
    TF_DeleteTensor(call->feeds[i / CALL_INPUTS][i % CALL_INPUTS]);
  }
  TF_DeleteGraph(call->graph);
  free(call);
}
