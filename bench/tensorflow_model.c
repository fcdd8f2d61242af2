// tensorflow_model.c - The networks of model.h through a session of TensorFlow.
#include <stdlib.h>
#include <string.h>

#include "model.h"
#include "tensorflow_side.h"

typedef struct model_call {
  int batch;
  TF_Graph *graph;
  TF_Session *session;
  TF_Output x, y;
  TF_Tensor *feeds[MODEL_SETS];
} model_call_t;

static void make_feeds(model_call_t *call, const model_t *model) {
  const int64_t dims[] = {model->batch, MODEL_SIDE, MODEL_SIDE, MODEL_CHANNELS};
  size_t size = (size_t)model->batch * MODEL_PIXELS * sizeof(float);
  for (int set = 0; set < MODEL_SETS; ++set) {
    call->feeds[set] = TF_AllocateTensor(TF_FLOAT, dims, 4, size);
    memcpy(TF_TensorData(call->feeds[set]), model_images(model, set), size);
  }
}

static void close_model(void *state) {
  model_call_t *call = state;
  tensorflow_side_close(call->session);
  for (int set = 0; set < MODEL_SETS; ++set) TF_DeleteTensor(call->feeds[set]);
  TF_DeleteGraph(call->graph);
  free(call);
}

static void import_graph(TF_Graph *graph, model_t *model) {
  TF_Buffer *buffer = TF_NewBufferFromString(model->graph, model->graph_size);
  free(model->graph);
  model->graph = NULL;
  TF_ImportGraphDefOptions *options = TF_NewImportGraphDefOptions();
  TF_GraphImportGraphDef(graph, buffer, options, tensorflow_side_status);
  TF_DeleteImportGraphDefOptions(options);
  TF_DeleteBuffer(buffer);
}

static void *open_model(model_t *model) {
  model_call_t *call = side_alloc(sizeof(*call));
  if (call == NULL) return NULL;
  call->batch = model->batch;
  call->graph = TF_NewGraph();
  import_graph(call->graph, model);
  make_feeds(call, model);
  if (tensorflow_side_ok()) {
    call->x = (TF_Output){TF_GraphOperationByName(call->graph, "x"), 0};
    call->y = (TF_Output){TF_GraphOperationByName(call->graph, "y"), 0};
    call->session = tensorflow_side_session(call->graph, false);
  }
  if (call->session != NULL) return call;
  close_model(call);
  return NULL;
}

static bool call_model(void *state, int set, float *out) {
  model_call_t *call = state;
  TF_Tensor *result = NULL;
  TF_SessionRun(call->session, NULL, &call->x, &call->feeds[set], 1, &call->y,
                &result, 1, NULL, 0, NULL, tensorflow_side_status);
  if (!tensorflow_side_ok()) return false;
  memcpy(out, TF_TensorData(result),
         (size_t)call->batch * MODEL_CLASSES * sizeof(float));
  TF_DeleteTensor(result);
  return true;
}

const model_side_t tensorflow_model_side = {open_model, call_model,
                                            close_model};
