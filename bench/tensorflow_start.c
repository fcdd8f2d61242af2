// tensorflow_start.c - The classic program of examples/c/log_placement.c, with
// TensorFlow's C API.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tensorflow/c/c_api.h"

static TF_Output add_const(TF_Graph *graph, const char *name,
                           const int64_t *dims, TF_Status *status) {
  static const float values[] = {1, 2, 3, 4, 5, 6};
  TF_Tensor *tensor = TF_AllocateTensor(TF_FLOAT, dims, 2, sizeof(values));
  memcpy(TF_TensorData(tensor), values, sizeof(values));
  TF_OperationDescription *op = TF_NewOperation(graph, "Const", name);
  TF_SetAttrType(op, "dtype", TF_FLOAT);
  TF_SetAttrTensor(op, "value", tensor, status);
  TF_Output out = {TF_FinishOperation(op, status), 0};
  TF_DeleteTensor(tensor);
  return out;
}

static TF_Session *open_session(TF_Graph *graph, TF_Status *status) {
  static const unsigned char log_device_placement[] = {0x40, 1};
  TF_SessionOptions *options = TF_NewSessionOptions();
  TF_SetConfig(options, log_device_placement, sizeof(log_device_placement),
               status);
  TF_Session *session = TF_NewSession(graph, options, status);
  TF_DeleteSessionOptions(options);
  return session;
}

int main(void) {
  static const int64_t wide[] = {2, 3}, tall[] = {3, 2};
  TF_Status *status = TF_NewStatus();
  TF_Graph *graph = TF_NewGraph();
  TF_Output a = add_const(graph, "a", wide, status);
  TF_Output b = add_const(graph, "b", tall, status);
  TF_OperationDescription *op = TF_NewOperation(graph, "MatMul", "MatMul");
  TF_AddInput(op, a);
  TF_AddInput(op, b);
  TF_Output c = {TF_FinishOperation(op, status), 0};

  TF_Tensor *result = NULL;
  TF_Session *session = open_session(graph, status);
  TF_SessionRun(session, NULL, NULL, NULL, 0, &c, &result, 1, NULL, 0, NULL,
                status);
  if (result == NULL) {
    fprintf(stderr, "%s\n", TF_Message(status));
    return EXIT_FAILURE;
  }
  const float *value = TF_TensorData(result);
  printf("[[%g. %g.]\n [%g. %g.]]\n", (double)value[0], (double)value[1],
         (double)value[2], (double)value[3]);
  return EXIT_SUCCESS;
}
