// tensorflow_crowd.c - Several threads on one session of TensorFlow.
#include <stdlib.h>
#include <string.h>

#include "calls.h"
#include "crowd.h"
#include "tensorflow_side.h"

typedef struct crowd_call {
  const char *name;
  TF_Graph *graph;
  TF_Session *session;
  TF_Output inputs[2], sum;
  // By side and set: matrices of 1, of 2, and of the inverse of the side.
  TF_Tensor *values[3][CALL_SETS + 1];
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
  TF_Tensor **values = call->values[side_index(side)];
  TF_Tensor *feeds[] = {values[set], values[CALL_SETS]};
  TF_Tensor *result = NULL;
  TF_Status *status = TF_NewStatus();  // One for each thread.
  TF_SessionRun(call->session, NULL, call->inputs, feeds, 2, &call->sum,
                &result, 1, NULL, 0, NULL, status);
  if (result == NULL) fprintf(stderr, "%s\n", TF_Message(status));
  TF_DeleteStatus(status);
  if (result == NULL) return false;
  float found = *(const float *)TF_TensorData(result);
  TF_DeleteTensor(result);
  return call_check(call->name, found, crowd_answer(side, set));
}

static TF_Tensor *make_matrix(int side, float value) {
  const int64_t dims[] = {side, side};
  TF_Tensor *tensor = TF_AllocateTensor(
      TF_FLOAT, dims, 2, (size_t)side * (size_t)side * sizeof(float));
  float *values = TF_TensorData(tensor);
  for (int i = 0; i < side * side; ++i) values[i] = value;
  return tensor;
}

static void make_matrices(crowd_call_t *call) {
  for (int i = 0; i < 3; ++i) {
    for (int set = 0; set < CALL_SETS; ++set) {
      call->values[i][set] = make_matrix(sides[i], (float)(1 + set));
    }
    call->values[i][CALL_SETS] = make_matrix(sides[i], 1.0F / (float)sides[i]);
  }
}

static TF_Output make_axes(TF_Graph *graph) {
  const int64_t dims[] = {2};
  TF_Tensor *axes = TF_AllocateTensor(TF_INT32, dims, 1, 2 * sizeof(int32_t));
  memcpy(TF_TensorData(axes), (const int32_t[]){0, 1}, 2 * sizeof(int32_t));
  TF_OperationDescription *op = TF_NewOperation(graph, "Const", "axes");
  TF_SetAttrType(op, "dtype", TF_INT32);
  TF_SetAttrTensor(op, "value", axes, tensorflow_side_status);
  TF_DeleteTensor(axes);
  return (TF_Output){TF_FinishOperation(op, tensorflow_side_status), 0};
}

static void build(crowd_call_t *call) {
  static const int64_t any[] = {-1, -1};
  TF_Graph *graph = call->graph = TF_NewGraph();
  call->inputs[0] = tensorflow_side_placeholder(graph, "a", TF_FLOAT, any, 2);
  call->inputs[1] = tensorflow_side_placeholder(graph, "b", TF_FLOAT, any, 2);
  TF_OperationDescription *op = TF_NewOperation(graph, "Relu", "relu");
  TF_AddInput(op, tensorflow_side_binary(graph, "MatMul", "product",
                                         call->inputs[0], call->inputs[1]));
  TF_Output relu = {TF_FinishOperation(op, tensorflow_side_status), 0};
  call->sum =
      tensorflow_side_binary(graph, "Sum", "sum", relu, make_axes(graph));
}

void *tensorflow_open_crowd(const side_bench_t *bench) {
  crowd_call_t *call = side_alloc(sizeof(*call));
  if (call == NULL) return NULL;
  call->name = bench->name;
  build(call);
  int threads = *(const int *)bench->arg;
  if (tensorflow_side_ok()) {
    call->session = tensorflow_side_session(call->graph, false);
  }
  if (call->session != NULL) {
    make_matrices(call);
    call->crowd = crowd_create(threads, bench->seconds != NULL, run_once, call);
  }
  if (call->crowd != NULL) return call;
  tensorflow_close_crowd(call);
  return NULL;
}

bool tensorflow_call_crowd(void *state, long turn) {
  (void)turn;
  return crowd_call(((crowd_call_t *)state)->crowd);
}

double tensorflow_crowd_tail(void *state) {
  return crowd_tail(((crowd_call_t *)state)->crowd);
}

void tensorflow_close_crowd(void *state) {
  crowd_call_t *call = state;
  crowd_destroy(call->crowd);
  tensorflow_side_close(call->session);
  for (int i = 0; i < 3 * (CALL_SETS + 1); ++i) {
    TF_DeleteTensor(call->values[i / (CALL_SETS + 1)][i % (CALL_SETS + 1)]);
  }
  TF_DeleteGraph(call->graph);
  free(call);
}
