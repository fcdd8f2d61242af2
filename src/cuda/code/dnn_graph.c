// dnn_graph.c - Convolutions by cuDNN's graphs of ops.
#include "cuda/code/dnn_graph.h"

#include "cuda/code/dnn.h"

// Engines that are looked at, and notes on each.
enum { MAX_ENGINES = 16, MAX_NOTES = 16 };

// Names of tensors in a graph.
enum { IMAGE = 1, FILTER = 2, OUTPUT = 3, TENSORS = 3 };

enum { MAX_RANK = BERTH_WINDOW_AXES + 2 };

#define SET(err, desc, name, type, count, elements)                     \
  BERTH_DNN_TRY(err, cudnnBackendSetAttribute, desc, name, type, count, \
                elements)

// ---- Describing ----

// Everything that a plan is made from. The library keeps what it needs.
typedef struct draft {
  const berth_conv_t *conv;
  cudnnHandle_t handle;
  cudnnBackendDescriptor_t tensors[TENSORS];  // Image, filter, output.
  cudnnBackendDescriptor_t convolution, operation, graph, heuristics;
  cudnnBackendDescriptor_t configs[MAX_ENGINES];
} draft_t;

// No fault points: what frees host memory does not fail.
static void destroy(cudnnBackendDescriptor_t desc) {
  if (desc != NULL) berth_cudnn_api.cudnnBackendDestroyDescriptor(desc);
}

static void draft_deinit(draft_t *draft) {
  for (int i = 0; i < MAX_ENGINES; ++i) destroy(draft->configs[i]);
  destroy(draft->heuristics);
  destroy(draft->graph);
  destroy(draft->operation);
  destroy(draft->convolution);
  for (int i = 0; i < TENSORS; ++i) destroy(draft->tensors[i]);
}

// Dimensions are batch, channels, space, or, of a filter, outputs, inputs, taps,
// whatever their order in memory is.
static void dims_of(const berth_conv_t *conv, int which, int64_t *dims) {
  const berth_window_t *window = &conv->window;
  dims[0] = which == FILTER ? window->out_channels : window->batch;
  dims[1] = which == FILTER  ? berth_conv_depth(conv)
            : which == IMAGE ? window->channels
                             : window->out_channels;
  for (int i = 0; i < window->layout.axes; ++i) {
    const berth_window_axis_t *axis = &berth_dnn_axes(conv)[i];
    dims[i + 2] = which == FILTER  ? axis->window
                  : which == IMAGE ? axis->in
                                   : axis->out;
  }
}

static berth_code_t make_tensor(draft_t *draft, int which, berth_error_t *err) {
  const berth_conv_t *conv = draft->conv;
  int axes = conv->window.layout.axes;
  bool first = conv->window.layout.channels_first;
  int64_t dims[MAX_RANK], strides[MAX_RANK], name = which;
  int64_t alignment = BERTH_DNN_ALIGNMENT;
  dims_of(conv, which, dims);
  int64_t step = first ? 1 : dims[1];
  for (int i = axes + 1; i > 1; --i) {
    strides[i] = step;
    step *= dims[i];
  }
  strides[1] = first ? step : 1;
  strides[0] = first ? step * dims[1] : step;
  cudnnDataType_t type = berth_dnn_type(conv->dtype);
  cudnnBackendDescriptor_t *desc = &draft->tensors[which - 1];
  BERTH_DNN_TRY(err, cudnnBackendCreateDescriptor,
                CUDNN_BACKEND_TENSOR_DESCRIPTOR, desc);
  SET(err, *desc, CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_TYPE_DATA_TYPE, 1, &type);
  SET(err, *desc, CUDNN_ATTR_TENSOR_DIMENSIONS, CUDNN_TYPE_INT64, axes + 2,
      dims);
  SET(err, *desc, CUDNN_ATTR_TENSOR_STRIDES, CUDNN_TYPE_INT64, axes + 2,
      strides);
  SET(err, *desc, CUDNN_ATTR_TENSOR_UNIQUE_ID, CUDNN_TYPE_INT64, 1, &name);
  SET(err, *desc, CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, CUDNN_TYPE_INT64, 1,
      &alignment);
  BERTH_DNN_TRY(err, cudnnBackendFinalize, *desc);
  return BERTH_OK;
}

static berth_code_t make_convolution(draft_t *draft, berth_error_t *err) {
  const berth_conv_t *conv = draft->conv;
  int64_t axes = conv->window.layout.axes;
  int64_t pads[BERTH_WINDOW_AXES], strides[BERTH_WINDOW_AXES];
  int64_t dilations[BERTH_WINDOW_AXES];
  for (int64_t i = 0; i < axes; ++i) {
    const berth_window_axis_t *axis = &berth_dnn_axes(conv)[i];
    pads[i] = axis->before;
    strides[i] = axis->stride;
    dilations[i] = axis->dilation;
  }
  cudnnDataType_t type = CUDNN_DATA_FLOAT;
  cudnnConvolutionMode_t mode = CUDNN_CROSS_CORRELATION;
  cudnnBackendDescriptor_t *desc = &draft->convolution;
  BERTH_DNN_TRY(err, cudnnBackendCreateDescriptor,
                CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR, desc);
  SET(err, *desc, CUDNN_ATTR_CONVOLUTION_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, 1,
      &type);
  SET(err, *desc, CUDNN_ATTR_CONVOLUTION_CONV_MODE, CUDNN_TYPE_CONVOLUTION_MODE,
      1, &mode);
  SET(err, *desc, CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, CUDNN_TYPE_INT64, 1,
      &axes);
  SET(err, *desc, CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, CUDNN_TYPE_INT64, axes,
      pads);
  SET(err, *desc, CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, CUDNN_TYPE_INT64, axes,
      pads);
  SET(err, *desc, CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, CUDNN_TYPE_INT64, axes,
      strides);
  SET(err, *desc, CUDNN_ATTR_CONVOLUTION_DILATIONS, CUDNN_TYPE_INT64, axes,
      dilations);
  BERTH_DNN_TRY(err, cudnnBackendFinalize, *desc);
  return BERTH_OK;
}

// What an operation calls its parts, for each goal.
typedef struct names {
  cudnnBackendDescriptorType_t type;
  cudnnBackendAttributeName_t convolution, tensors[TENSORS], alpha, beta;
} names_t;

static const names_t names[] = {
    [BERTH_CONV_OUTPUT] =
        {CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR,
         CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC,
         {CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X,
          CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W,
          CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y},
         CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA,
         CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA},
    [BERTH_CONV_IMAGE] =
        {CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR,
         CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC,
         {CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX,
          CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W,
          CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY},
         CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA,
         CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_BETA},
    [BERTH_CONV_FILTER] =
        {CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR,
         CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC,
         {CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X,
          CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW,
          CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY},
         CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_ALPHA,
         CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_BETA},
};

static berth_code_t make_operation(draft_t *draft, berth_error_t *err) {
  const names_t *name = &names[draft->conv->goal];
  cudnnBackendDescriptor_t *desc = &draft->operation;
  const float one = 1, zero = 0;
  BERTH_DNN_TRY(err, cudnnBackendCreateDescriptor, name->type, desc);
  SET(err, *desc, name->convolution, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1,
      &draft->convolution);
  for (int i = 0; i < TENSORS; ++i) {
    SET(err, *desc, name->tensors[i], CUDNN_TYPE_BACKEND_DESCRIPTOR, 1,
        &draft->tensors[i]);
  }
  SET(err, *desc, name->alpha, CUDNN_TYPE_FLOAT, 1, &one);
  SET(err, *desc, name->beta, CUDNN_TYPE_FLOAT, 1, &zero);
  BERTH_DNN_TRY(err, cudnnBackendFinalize, *desc);
  return BERTH_OK;
}

static berth_code_t make_graph(draft_t *draft, berth_error_t *err) {
  for (int i = 1; i <= TENSORS; ++i) BERTH_TRY(make_tensor(draft, i, err));
  BERTH_TRY(make_convolution(draft, err));
  BERTH_TRY(make_operation(draft, err));
  cudnnBackendDescriptor_t *desc = &draft->graph;
  BERTH_DNN_TRY(err, cudnnBackendCreateDescriptor,
                CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR, desc);
  SET(err, *desc, CUDNN_ATTR_OPERATIONGRAPH_OPS, CUDNN_TYPE_BACKEND_DESCRIPTOR,
      1, &draft->operation);
  SET(err, *desc, CUDNN_ATTR_OPERATIONGRAPH_HANDLE, CUDNN_TYPE_HANDLE, 1,
      &draft->handle);
  BERTH_DNN_TRY(err, cudnnBackendFinalize, *desc);
  return BERTH_OK;
}

// ---- Choosing ----

// Stores in |draft->configs| what the library thinks of, the best first.
static berth_code_t ask(draft_t *draft, int64_t *out_count,
                        berth_error_t *err) {
  cudnnBackendDescriptor_t *desc = &draft->heuristics;
  cudnnBackendHeurMode_t mode = CUDNN_HEUR_MODE_A;
  BERTH_DNN_TRY(err, cudnnBackendCreateDescriptor,
                CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR, desc);
  SET(err, *desc, CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH,
      CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &draft->graph);
  SET(err, *desc, CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_TYPE_HEUR_MODE, 1, &mode);
  BERTH_DNN_TRY(err, cudnnBackendFinalize, *desc);
  for (int i = 0; i < MAX_ENGINES; ++i) {
    BERTH_DNN_TRY(err, cudnnBackendCreateDescriptor,
                  CUDNN_BACKEND_ENGINECFG_DESCRIPTOR, &draft->configs[i]);
  }
  BERTH_DNN_TRY(err, cudnnBackendGetAttribute, *desc,
                CUDNN_ATTR_ENGINEHEUR_RESULTS, CUDNN_TYPE_BACKEND_DESCRIPTOR,
                MAX_ENGINES, out_count, draft->configs);
  return BERTH_OK;
}

// Stores whether |engine| is one of those that may be used.
static berth_code_t read_notes(cudnnBackendDescriptor_t engine, bool is_exact,
                               bool *out_is_right, berth_error_t *err) {
  cudnnBackendNumericalNote_t notes[MAX_NOTES];
  cudnnBackendBehaviorNote_t ways[MAX_NOTES];
  int64_t count = 0;
  bool is_right = true;
  BERTH_DNN_TRY(err, cudnnBackendGetAttribute, engine,
                CUDNN_ATTR_ENGINE_NUMERICAL_NOTE, CUDNN_TYPE_NUMERICAL_NOTE,
                MAX_NOTES, &count, notes);
  for (int64_t i = 0; i < count; ++i) {
    is_right = is_right && notes[i] != CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC &&
               notes[i] != CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS &&
               notes[i] != CUDNN_NUMERICAL_NOTE_REDUCED_PRECISION_REDUCTION &&
               (!is_exact || notes[i] != CUDNN_NUMERICAL_NOTE_TENSOR_CORE);
  }
  count = 0;
  BERTH_DNN_TRY(err, cudnnBackendGetAttribute, engine,
                CUDNN_ATTR_ENGINE_BEHAVIOR_NOTE, CUDNN_TYPE_BEHAVIOR_NOTE,
                MAX_NOTES, &count, ways);
  for (int64_t i = 0; i < count; ++i) {
    is_right = is_right && ways[i] != CUDNN_BEHAVIOR_NOTE_RUNTIME_COMPILATION;
  }
  *out_is_right = is_right;
  return BERTH_OK;
}

static berth_code_t judge(cudnnBackendDescriptor_t config, bool is_exact,
                          bool *out_is_right, berth_error_t *err) {
  cudnnBackendDescriptor_t engine = NULL;
  int64_t count = 0;
  BERTH_DNN_TRY(err, cudnnBackendCreateDescriptor,
                CUDNN_BACKEND_ENGINE_DESCRIPTOR, &engine);
  cudnnStatus_t status =
      BERTH_DNN(cudnnBackendGetAttribute, config, CUDNN_ATTR_ENGINECFG_ENGINE,
                CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &count, &engine);
  berth_code_t code =
      status == CUDNN_STATUS_SUCCESS
          ? read_notes(engine, is_exact, out_is_right, err)
          : berth_cudnn_error(err, status, "cudnnBackendGetAttribute");
  destroy(engine);
  return code;
}

// Makes |graph|, which the caller frees also when this fails.
static berth_code_t make_plan(berth_dnn_graph_t *graph, cudnnHandle_t handle,
                              cudnnBackendDescriptor_t config,
                              berth_error_t *err) {
  cudnnBackendDescriptor_t *desc = &graph->plan;
  int64_t workspace = 0, count = 0;
  BERTH_DNN_TRY(err, cudnnBackendCreateDescriptor,
                CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR, desc);
  SET(err, *desc, CUDNN_ATTR_EXECUTION_PLAN_HANDLE, CUDNN_TYPE_HANDLE, 1,
      &handle);
  SET(err, *desc, CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG,
      CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &config);
  BERTH_DNN_TRY(err, cudnnBackendFinalize, *desc);
  BERTH_DNN_TRY(err, cudnnBackendGetAttribute, *desc,
                CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE, CUDNN_TYPE_INT64, 1,
                &count, &workspace);
  graph->workspace = (uint64_t)workspace;
  return BERTH_OK;
}

// Adds to |graphs| the engines that may be used, can be and need little enough.
static berth_code_t choose(draft_t *draft, bool is_exact, uint64_t room,
                           int most, berth_dnn_graph_t *graphs, int *count,
                           berth_error_t *err) {
  int64_t found = 0;
  BERTH_TRY(ask(draft, &found, err));
  for (int64_t i = 0; i < found && i < MAX_ENGINES && *count < most; ++i) {
    berth_dnn_graph_t *graph = &graphs[*count];
    bool is_right = false;
    BERTH_TRY(judge(draft->configs[i], is_exact, &is_right, err));
    if (!is_right) continue;
    berth_error_t reason = BERTH_ERROR_INIT;
    berth_code_t code =
        make_plan(graph, draft->handle, draft->configs[i], &reason);
    if (code == BERTH_OK && graph->workspace <= room) {
      ++*count;
      continue;
    }
    berth_dnn_graph_deinit(graph);
    if (code != BERTH_OK && code != BERTH_UNIMPLEMENTED) {
      return berth_error_move(err, &reason);
    }
    berth_error_clear(&reason);
  }
  return BERTH_OK;
}

// ---- Doors ----

berth_code_t berth_dnn_graphs_make(const berth_conv_t *conv,
                                   cudnnHandle_t handle, bool is_exact,
                                   uint64_t room, int most,
                                   berth_dnn_graph_t *graphs, int *out_count,
                                   berth_error_t *err) {
  draft_t draft = {.conv = conv, .handle = handle};
  berth_error_t reason = BERTH_ERROR_INIT;
  *out_count = 0;
  if (berth_cudnn_api.cudnnBackendExecute == NULL) return BERTH_OK;
  for (int i = 0; i < most; ++i) graphs[i] = (berth_dnn_graph_t){0};
  berth_code_t code = make_graph(&draft, &reason);
  if (code == BERTH_OK) {
    code = choose(&draft, is_exact, room, most, graphs, out_count, &reason);
  }
  draft_deinit(&draft);
  if (code == BERTH_OK) return BERTH_OK;
  for (int i = 0; i < *out_count; ++i) berth_dnn_graph_deinit(&graphs[i]);
  *out_count = 0;
  if (code != BERTH_UNIMPLEMENTED) return berth_error_move(err, &reason);
  berth_error_clear(&reason);
  return BERTH_OK;
}

void berth_dnn_graph_deinit(berth_dnn_graph_t *graph) {
  destroy(graph->plan);
  *graph = (berth_dnn_graph_t){0};
}

static berth_code_t run_with(const berth_dnn_graph_t *graph,
                             cudnnHandle_t handle,
                             cudnnBackendDescriptor_t pack, void **addresses,
                             void *workspace, berth_error_t *err) {
  static const int64_t which[TENSORS] = {IMAGE, FILTER, OUTPUT};
  SET(err, pack, CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, CUDNN_TYPE_INT64, TENSORS,
      which);
  SET(err, pack, CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, CUDNN_TYPE_VOID_PTR,
      TENSORS, addresses);
  SET(err, pack, CUDNN_ATTR_VARIANT_PACK_WORKSPACE, CUDNN_TYPE_VOID_PTR, 1,
      &workspace);
  BERTH_DNN_TRY(err, cudnnBackendFinalize, pack);
  BERTH_DNN_TRY(err, cudnnBackendExecute, handle, graph->plan, pack);
  return BERTH_OK;
}

berth_code_t berth_dnn_graph_run(const berth_dnn_graph_t *graph,
                                 cudnnHandle_t handle, void *image,
                                 void *filter, void *output, void *workspace,
                                 berth_error_t *err) {
  void *addresses[TENSORS] = {image, filter, output};
  cudnnBackendDescriptor_t pack = NULL;
  BERTH_DNN_TRY(err, cudnnBackendCreateDescriptor,
                CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR, &pack);
  berth_code_t code = run_with(graph, handle, pack, addresses, workspace, err);
  destroy(pack);
  return code;
}
