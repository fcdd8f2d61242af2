// berth_model.c - The networks of model.h through a session of Berth.
#include <stdlib.h>
#include <string.h>

#include "berth_side.h"
#include "model.h"

typedef struct model_call {
  berth_error_t err;
  int batch;
  berth_graph_t *graph;
  berth_session_t *session;
  berth_feed_t feeds[MODEL_SETS];
  berth_out_t fetch;
} model_call_t;

static bool make_feeds(model_call_t *call, const model_t *model) {
  berth_dims_t shape =
      BERTH_SHAPE(model->batch, MODEL_SIDE, MODEL_SIDE, MODEL_CHANNELS);
  berth_out_t x = {berth_graph_find(call->graph, "x"), 0};
  for (int set = 0; set < MODEL_SETS; ++set) {
    call->feeds[set].out = x;
    berth_code_t code =
        berth_tensor_copy_from(BERTH_FLOAT, shape, model_images(model, set),
                               &call->feeds[set].tensor, &call->err);
    if (!berth_side_ok(code, &call->err)) return false;
  }
  return true;
}

static void close_model(void *state) {
  model_call_t *call = state;
  berth_session_destroy(call->session);
  for (int set = 0; set < MODEL_SETS; ++set) {
    berth_tensor_release(call->feeds[set].tensor);
  }
  berth_graph_release(call->graph);
  free(call);
}

static void *open_model(model_t *model) {
  model_call_t *call = side_alloc(sizeof(*call));
  if (call == NULL) return NULL;
  call->batch = model->batch;
  call->graph = berth_graph_create();
  berth_code_t code = berth_graph_import(call->graph, model->graph,
                                         model->graph_size, NULL, &call->err);
  free(model->graph);
  model->graph = NULL;
  if (berth_side_ok(code, &call->err) && make_feeds(call, model)) {
    call->fetch = (berth_out_t){berth_graph_find(call->graph, "y"), 0};
    call->session = berth_side_session(call->graph);
  }
  if (call->session != NULL) return call;
  close_model(call);
  return NULL;
}

static bool call_model(void *state, int set, float *out) {
  model_call_t *call = state;
  berth_tensor_t *result = NULL;
  berth_code_t code = berth_session_run(call->session, &call->feeds[set], 1,
                                        &call->fetch, 1, &result, &call->err);
  if (code != BERTH_OK) return berth_side_ok(code, &call->err);
  memcpy(out, berth_tensor_data(result),
         (size_t)call->batch * MODEL_CLASSES * sizeof(float));
  berth_tensor_release(result);
  return true;
}

const model_side_t berth_model_side = {open_model, call_model, close_model};
