// dnn_graph.h - Convolutions by cuDNN's graphs of ops.
//
// A graph gives access to the library's newer engines, which its older calls
// (dnn.c) do not choose from. Only those are used that give the same bits in
// every run and need no compiler.
//
// Threads: immutable once made; the handle it is run with serves one thread at
// a time.
#ifndef BERTH_CUDA_CODE_DNN_GRAPH_H_
#define BERTH_CUDA_CODE_DNN_GRAPH_H_

#include "cuda/card/cudnn.h"
#include "op/conv.h"

// The axes that an image has: the last ones of the window's.
static inline const berth_window_axis_t *berth_dnn_axes(
    const berth_conv_t *conv) {
  return &conv->window.axes[BERTH_WINDOW_AXES - conv->window.layout.axes];
}

// Returns what the library calls |dtype|, one of those that it is asked for.
static inline cudnnDataType_t berth_dnn_type(berth_dtype_t dtype) {
  if (dtype == BERTH_HALF) return CUDNN_DATA_HALF;
  return dtype == BERTH_BFLOAT16 ? CUDNN_DATA_BFLOAT16 : CUDNN_DATA_FLOAT;
}

// A convolution that can be run.
typedef struct berth_dnn_graph {
  cudnnBackendDescriptor_t plan;
  uint64_t workspace;  // Bytes.
} berth_dnn_graph_t;

// Makes in |graphs|, which has room for |most|, the ways for |conv| that the
// library thinks best, the best first, and stores their number: those that need
// at most |room| bytes of workspace and, where |is_exact|, keep all digits of
// floats. |handle|'s context is bound. None is no failure.
BERTH_NODISCARD berth_code_t berth_dnn_graphs_make(
    const berth_conv_t *conv, cudnnHandle_t handle, bool is_exact,
    uint64_t room, int most, berth_dnn_graph_t *graphs, int *out_count,
    berth_error_t *err);

// Frees what |graph| has, if anything.
void berth_dnn_graph_deinit(berth_dnn_graph_t *graph);

// Queues it on the stream of |handle|.
BERTH_NODISCARD berth_code_t berth_dnn_graph_run(const berth_dnn_graph_t *graph,
                                                 cudnnHandle_t handle,
                                                 void *image, void *filter,
                                                 void *output, void *workspace,
                                                 berth_error_t *err);

#endif  // BERTH_CUDA_CODE_DNN_GRAPH_H_
