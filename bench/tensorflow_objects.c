// tensorflow_objects.c - Eager calls, making tensors, building graphs.
#include <stdio.h>
#include <stdlib.h>

#include "calls.h"
#include "tensorflow/c/eager/c_api.h"
#include "tensorflow_side.h"

// Its header, c_api_experimental.h, is C++ only.
void *TFE_TensorHandleDevicePointer(TFE_TensorHandle *, TF_Status *);

// ---- Eager calls ----

// An op and two sets of inputs.
typedef struct eager_call {
  const char *name;
  const char *op;
  TFE_Context *context;
  TFE_TensorHandle *inputs[CALL_SETS][CALL_INPUTS];
  float answers[CALL_SETS];
} eager_call_t;

static TFE_Context *make_context(void) {
  TFE_ContextOptions *options = TFE_NewContextOptions();
  TFE_ContextOptionsSetConfig(options, tensorflow_side_config.bytes,
                              tensorflow_side_config.size,
                              tensorflow_side_status);
  TFE_Context *context = TFE_NewContext(options, tensorflow_side_status);
  TFE_DeleteContextOptions(options);
  return tensorflow_side_ok() ? context : NULL;
}

static TFE_TensorHandle *make_input(const int64_t *dims, int set) {
  TF_Tensor *tensor = tensorflow_side_tensor(dims, 2, set);
  TFE_TensorHandle *handle =
      TFE_NewTensorHandle(tensor, tensorflow_side_status);
  TF_DeleteTensor(tensor);
  return handle;
}

static void *open_eager(const side_bench_t *bench, const char *op,
                        const int64_t *first, const int64_t *second,
                        float (*answer)(int set)) {
  eager_call_t *call = side_alloc(sizeof(*call));
  if (call == NULL) return NULL;
  call->name = bench->name;
  call->op = op;
  call->context = make_context();
  if (call->context == NULL) {
    free(call);
    return NULL;
  }
  for (int set = 0; set < CALL_SETS; ++set) {
    call->inputs[set][0] = make_input(first, set);
    call->inputs[set][1] = make_input(second, set);
    call->answers[set] = answer(set);
  }
  return call;
}

static const int64_t wide[] = {2, 3}, tall[] = {3, 2};

void *tensorflow_open_eager_matmul(const side_bench_t *bench) {
  return open_eager(bench, "MatMul", wide, tall, call_matmul_answer);
}

void *tensorflow_open_eager_add(const side_bench_t *bench) {
  return open_eager(bench, "AddV2", wide, wide, call_add_answer);
}

bool tensorflow_call_eager(void *state, long turn) {
  eager_call_t *call = state;
  int set = (int)(turn % CALL_SETS), count = 1;
  TF_Status *status = tensorflow_side_status;
  TFE_TensorHandle *result = NULL;
  TFE_Op *op = TFE_NewOp(call->context, call->op, status);
  TFE_OpAddInput(op, call->inputs[set][0], status);
  TFE_OpAddInput(op, call->inputs[set][1], status);
  TFE_Execute(op, &result, &count, status);
  if (!tensorflow_side_ok()) return false;
  // The cheapest way to read it: no TF_Tensor is made.
  float found = *(const float *)TFE_TensorHandleDevicePointer(result, status);
  TFE_DeleteTensorHandle(result);
  TFE_DeleteOp(op);
  return call_check(call->name, found, call->answers[set]);
}

void tensorflow_close_eager(void *state) {
  eager_call_t *call = state;
  for (int i = 0; i < CALL_SETS * CALL_INPUTS; ++i) {
    TFE_DeleteTensorHandle(call->inputs[i / CALL_INPUTS][i % CALL_INPUTS]);
  }
  TFE_DeleteContext(call->context);
  free(call);
}

// ---- Tensors ----

void *tensorflow_open_alloc(const side_bench_t *bench) {
  static int64_t floats;
  floats = *(const int64_t *)bench->arg;
  return &floats;
}

bool tensorflow_call_alloc(void *state, long turn) {
  const int64_t *floats = state;
  TF_Tensor *tensor =
      TF_AllocateTensor(TF_FLOAT, floats, 1, (size_t)*floats * sizeof(float));
  volatile float *first = TF_TensorData(tensor);
  *first = (float)(turn % 8);
  bool is_right = *first == (float)(turn % 8);
  TF_DeleteTensor(tensor);
  return is_right;
}

// ---- Building graphs ----

void *tensorflow_open_build(const side_bench_t *bench) {
  static int nothing;
  (void)bench;
  return &nothing;
}

bool tensorflow_call_build(void *state, long turn) {
  char name[32];
  (void)state;
  (void)turn;
  TF_Graph *graph = TF_NewGraph();
  TF_Output x = tensorflow_side_placeholder(graph, "x", TF_FLOAT, NULL, 0);
  TF_Output sum = x;
  for (int i = 1; i < CALL_BUILD_NODES && tensorflow_side_ok(); ++i) {
    snprintf(name, sizeof(name), "sum_%d", i);
    sum = tensorflow_side_binary(graph, "AddV2", name, sum, x);
  }
  bool is_right = tensorflow_side_ok() && sum.oper != NULL;
  TF_DeleteGraph(graph);
  return is_right;
}

void tensorflow_close_nothing(void *state) { (void)state; }
