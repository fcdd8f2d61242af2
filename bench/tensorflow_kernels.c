// tensorflow_kernels.c - The kernels of kernels.h through a session of
// TensorFlow.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels.h"
#include "tensorflow_side.h"

// A session with one op, and what kernels.h tells about it.
typedef struct kernel_call {
  const kernel_t *kernel;
  TF_Graph *graph;
  TF_Session *session;
  int input_count;
  TF_Output inputs[KERNEL_INPUTS];
  TF_Tensor *feeds[KERNEL_SETS][KERNEL_INPUTS];
  TF_Output fetch;
  kernel_answers_t answers;
} kernel_call_t;

// Adds placeholder |index| and makes its feed of both sets.
static void make_input(kernel_call_t *call, int index, kernel_set_t *sets) {
  const kernel_t *kernel = call->kernel;
  const kernel_shape_t *shape = &kernel->inputs[index];
  TF_DataType dtype = (TF_DataType)kernel_input_type(kernel, index);
  char name[16];
  snprintf(name, sizeof(name), "input_%d", index);
  call->inputs[index] = tensorflow_side_placeholder(call->graph, name, dtype,
                                                    shape->dims, shape->rank);
  for (int set = 0; set < KERNEL_SETS; ++set) {
    TF_Tensor *tensor =
        TF_AllocateTensor(dtype, shape->dims, shape->rank,
                          (size_t)kernel_shape_count(shape) * sizeof(float));
    call->feeds[set][index] = tensor;
    sets[set].data[index] = TF_TensorData(tensor);
    kernel_fill(kernel, set, index, sets[set].data[index]);
  }
}

static TF_Output add_setting(kernel_call_t *call) {
  const kernel_t *kernel = call->kernel;
  size_t size = (size_t)kernel->setting_count * sizeof(int32_t);
  TF_Tensor *tensor = TF_AllocateTensor(TF_INT32, &kernel->setting_count,
                                        kernel->setting_rank, size);
  memcpy(TF_TensorData(tensor), kernel->setting, size);
  TF_OperationDescription *op = TF_NewOperation(call->graph, "Const", "axis");
  TF_SetAttrType(op, "dtype", TF_INT32);
  TF_SetAttrTensor(op, "value", tensor, tensorflow_side_status);
  TF_Output out = {TF_FinishOperation(op, tensorflow_side_status), 0};
  TF_DeleteTensor(tensor);
  return out;
}

static void build_op(kernel_call_t *call) {
  const kernel_t *kernel = call->kernel;
  TF_Output setting = {NULL, 0};
  if (kernel->setting_rank >= 0) setting = add_setting(call);
  TF_OperationDescription *op = TF_NewOperation(call->graph, kernel->op, "op");
  if (kernel->is_list) TF_AddInputList(op, call->inputs, call->input_count);
  for (int i = 0; i < call->input_count && !kernel->is_list; ++i) {
    TF_AddInput(op, call->inputs[i]);
  }
  if (setting.oper != NULL) TF_AddInput(op, setting);
  if (kernel->result_type != KERNEL_FLOAT) {
    TF_SetAttrType(op, "DstT", (TF_DataType)kernel->result_type);
  }
  if (kernel->has_windows) {
    TF_SetAttrIntList(op, "ksize", kernel_window, 4);
    TF_SetAttrIntList(op, "strides", kernel_steps, 4);
    TF_SetAttrString(op, "padding", "SAME", 4);
  }
  call->fetch = (TF_Output){TF_FinishOperation(op, tensorflow_side_status), 0};
}

void *tensorflow_open_kernel(const side_bench_t *bench) {
  kernel_set_t sets[KERNEL_SETS];
  kernel_call_t *call = side_alloc(sizeof(*call));
  if (call == NULL) return NULL;
  call->kernel = bench->arg;
  call->graph = TF_NewGraph();
  for (int i = 0; i < KERNEL_INPUTS && call->kernel->inputs[i].rank > 0; ++i) {
    make_input(call, i, sets);
    call->input_count = i + 1;
  }
  kernel_answer(call->kernel, sets, &call->answers);
  build_op(call);
  if (tensorflow_side_ok()) {
    call->session = tensorflow_side_session(call->graph, false);
  }
  if (call->session != NULL) return call;
  tensorflow_close_kernel(call);
  return NULL;
}

bool tensorflow_call_kernel(void *state, long turn) {
  kernel_call_t *call = state;
  TF_Tensor *result = NULL;
  TF_SessionRun(call->session, NULL, call->inputs,
                call->feeds[turn % KERNEL_SETS], call->input_count,
                &call->fetch, &result, 1, NULL, 0, NULL,
                tensorflow_side_status);
  if (result == NULL) return tensorflow_side_ok();
  bool is_right =
      kernel_check(call->kernel, &call->answers, turn, TF_TensorData(result));
  TF_DeleteTensor(result);
  return is_right;
}

void tensorflow_close_kernel(void *state) {
  kernel_call_t *call = state;
  tensorflow_side_close(call->session);
  for (int i = 0; i < KERNEL_SETS * KERNEL_INPUTS; ++i) {
    TF_DeleteTensor(call->feeds[i / KERNEL_INPUTS][i % KERNEL_INPUTS]);
  }
  TF_DeleteGraph(call->graph);
  free(call);
}
