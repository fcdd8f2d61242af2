// dnn_conv.c - cuDNN's convolutions: checking them, and giving them to a
// stream.
//
// Of what is offered one algorithm is right for everybody. The others are what
// a careful caller passes by, and do nothing: one that is not deterministic,
// one that is not supported and one that computes with fewer digits than were
// asked for.
#include <string.h>

#include "softgpu/conv.h"
#include "softgpu/exports.h"
#include "softgpu/space.h"
#include "softgpu/stream.h"

enum { RANDOM = 0, RIGHT = 1, UNSUPPORTED = 2, COARSE = 3, ALGORITHMS = 4 };

// What a large convolution asks for, so that callers meet the case.
static const size_t WORKSPACE_BYTES = 1 << 18;
static const double LARGE = 1 << 20;

#define DNN_TRY(expr)                                            \
  do {                                                           \
    cudnnStatus_t dnn_status_ = (expr);                          \
    if (dnn_status_ != CUDNN_STATUS_SUCCESS) return dnn_status_; \
  } while (0)

// ---- Describing ----

// Spreads |rank| dimensions over five: those of space are the last.
static void spread(const int *from, int rank, int64_t *to, int64_t missing) {
  to[0] = from[0];
  to[1] = from[1];
  for (int i = 2, gap = BERTH_SOFT_DNN_RANK - rank; i < BERTH_SOFT_DNN_RANK;
       ++i) {
    to[i] = i - gap >= 2 ? from[i - gap] : missing;
  }
}

static void spread_axes(const int *from, int axes, int64_t *to,
                        int64_t missing) {
  for (int i = 0, gap = BERTH_SOFT_DNN_AXES - axes; i < BERTH_SOFT_DNN_AXES;
       ++i) {
    to[i] = i >= gap ? from[i - gap] : missing;
  }
}

static void describe_tensor(cudnnTensorDescriptor_t desc,
                            berth_soft_grid_t *out) {
  spread(desc->dims, desc->rank, out->dims, 1);
  spread(desc->strides, desc->rank, out->steps, 0);
}

static void describe_filter(cudnnFilterDescriptor_t desc,
                            berth_soft_grid_t *out) {
  spread(desc->dims, desc->rank, out->dims, 1);
  bool is_last = desc->format == CUDNN_TENSOR_NHWC;
  int64_t step = is_last ? out->dims[1] : 1;
  for (int i = BERTH_SOFT_DNN_RANK; i-- > 2;) {
    out->steps[i] = step;
    step *= out->dims[i];
  }
  out->steps[1] = is_last ? 1 : step;
  out->steps[0] = is_last ? step : step * out->dims[1];
}

static bool fits(const berth_soft_conv_t *conv) {
  if (conv->x.dims[0] != conv->y.dims[0] ||
      conv->y.dims[1] != conv->w.dims[0] ||
      conv->x.dims[1] != conv->w.dims[1] * conv->groups ||
      conv->w.dims[0] % conv->groups != 0) {
    return false;
  }
  for (int i = 0; i < BERTH_SOFT_DNN_AXES; ++i) {
    int64_t extent = (conv->w.dims[i + 2] - 1) * conv->dilations[i] + 1;
    int64_t room = conv->x.dims[i + 2] + 2 * conv->pads[i] - extent;
    if (room < 0 || room / conv->strides[i] + 1 != conv->y.dims[i + 2]) {
      return false;
    }
  }
  return true;
}

// Fills |*out| but for addresses.
static cudnnStatus_t describe(cudnnTensorDescriptor_t x,
                              cudnnFilterDescriptor_t w,
                              cudnnConvolutionDescriptor_t desc,
                              cudnnTensorDescriptor_t y,
                              berth_soft_conv_goal_t goal,
                              berth_soft_conv_t *out) {
  if (x == NULL || w == NULL || desc == NULL || y == NULL ||
      x->rank != y->rank || w->rank != x->rank || desc->axes + 2 != x->rank ||
      x->type != y->type || w->type != x->type) {
    return CUDNN_STATUS_BAD_PARAM;
  }
  if ((x->type != CUDNN_DATA_FLOAT && x->type != CUDNN_DATA_HALF &&
       x->type != CUDNN_DATA_BFLOAT16) ||
      desc->compute != CUDNN_DATA_FLOAT) {
    return CUDNN_STATUS_NOT_SUPPORTED;
  }
  *out = (berth_soft_conv_t){
      .goal = goal,
      .type = x->type,
      .groups = desc->groups,
      .is_tf32 = x->type == CUDNN_DATA_FLOAT && desc->math != CUDNN_FMA_MATH};
  describe_tensor(x, &out->x);
  describe_filter(w, &out->w);
  describe_tensor(y, &out->y);
  spread_axes(desc->pads, desc->axes, out->pads, 0);
  spread_axes(desc->strides, desc->axes, out->strides, 1);
  spread_axes(desc->dilations, desc->axes, out->dilations, 1);
  return fits(out) ? CUDNN_STATUS_SUCCESS : CUDNN_STATUS_BAD_PARAM;
}

// ---- Choosing ----

static size_t room_of(const berth_soft_conv_t *conv) {
  double work = (double)berth_soft_grid_count(&conv->y) *
                (double)berth_soft_grid_count(&conv->w) /
                (double)conv->w.dims[0];
  return work >= LARGE ? WORKSPACE_BYTES : 0;
}

static cudnnStatus_t offer(cudnnHandle_t handle, cudnnTensorDescriptor_t x,
                           cudnnFilterDescriptor_t w,
                           cudnnConvolutionDescriptor_t desc,
                           cudnnTensorDescriptor_t y,
                           berth_soft_conv_goal_t goal, int wanted, int *count,
                           cudnnConvolutionAlgoPerf_t *results) {
  berth_soft_conv_t conv;
  if (handle == NULL || wanted < 1 || count == NULL || results == NULL) {
    return CUDNN_STATUS_BAD_PARAM;
  }
  *count = 0;
  DNN_TRY(describe(x, w, desc, y, goal, &conv));
  cudnnMathType_t coarse =
      conv.type == CUDNN_DATA_FLOAT ? CUDNN_DEFAULT_MATH : CUDNN_TENSOR_OP_MATH;
  bool is_exact = desc->math == CUDNN_FMA_MATH;
  const cudnnConvolutionAlgoPerf_t all[ALGORITHMS] = {
      {.algo = RANDOM, .mathType = desc->math},
      {.algo = UNSUPPORTED,
       .status = CUDNN_STATUS_NOT_SUPPORTED,
       .determinism = CUDNN_DETERMINISTIC,
       .mathType = desc->math},
      {.algo = is_exact ? COARSE : RIGHT,
       .memory = is_exact ? 0 : room_of(&conv),
       .determinism = CUDNN_DETERMINISTIC,
       .mathType = coarse},
      {.algo = RIGHT,
       .memory = room_of(&conv),
       .determinism = CUDNN_DETERMINISTIC,
       .mathType = desc->math},
  };
  *count = wanted < ALGORITHMS ? wanted : ALGORITHMS;
  memcpy(results, all, (size_t)*count * sizeof(all[0]));
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnGetConvolutionForwardAlgorithm_v7(
    cudnnHandle_t handle, cudnnTensorDescriptor_t x, cudnnFilterDescriptor_t w,
    cudnnConvolutionDescriptor_t desc, cudnnTensorDescriptor_t y, int wanted,
    int *count, cudnnConvolutionAlgoPerf_t *results) {
  return offer(handle, x, w, desc, y, BERTH_SOFT_CONV_OUTPUT, wanted, count,
               results);
}

cudnnStatus_t cudnnGetConvolutionBackwardDataAlgorithm_v7(
    cudnnHandle_t handle, cudnnFilterDescriptor_t w, cudnnTensorDescriptor_t y,
    cudnnConvolutionDescriptor_t desc, cudnnTensorDescriptor_t x, int wanted,
    int *count, cudnnConvolutionAlgoPerf_t *results) {
  return offer(handle, x, w, desc, y, BERTH_SOFT_CONV_IMAGE, wanted, count,
               results);
}

cudnnStatus_t cudnnGetConvolutionBackwardFilterAlgorithm_v7(
    cudnnHandle_t handle, cudnnTensorDescriptor_t x, cudnnTensorDescriptor_t y,
    cudnnConvolutionDescriptor_t desc, cudnnFilterDescriptor_t w, int wanted,
    int *count, cudnnConvolutionAlgoPerf_t *results) {
  return offer(handle, x, w, desc, y, BERTH_SOFT_CONV_FILTER, wanted, count,
               results);
}

// ---- Doing ----

static void run_conv(CUstream stream, const void *payload) {
  (void)stream;
  if (!berth_soft_conv_run(payload)) berth_soft_trap(CUDA_ERROR_LAUNCH_FAILED);
}

static const berth_soft_work_kind_t conv_kind = {"convolution", run_conv, NULL,
                                                 false};
static const berth_soft_work_kind_t stray_kind = {
    "convolution", berth_soft_run_stray, NULL, false};

static bool is_reachable(const berth_soft_conv_t *conv,
                         const berth_soft_grid_t *grid) {
  return berth_soft_space_covers(
      (uintptr_t)grid->data,
      (uint64_t)berth_soft_grid_count(grid) * berth_soft_conv_size(conv->type),
      BERTH_SOFT_ANY);
}

static bool is_in_reach(const berth_soft_conv_t *conv) {
  return is_reachable(conv, &conv->x) && is_reachable(conv, &conv->w) &&
         is_reachable(conv, &conv->y) &&
         (conv->workspace_size == 0 ||
          berth_soft_space_covers((uintptr_t)conv->workspace,
                                  conv->workspace_size, BERTH_SOFT_ANY));
}

// The library's kernels read so many bytes at once.
static bool are_aligned(const berth_soft_conv_t *conv) {
  return ((uintptr_t)conv->x.data | (uintptr_t)conv->w.data |
          (uintptr_t)conv->y.data) %
             16 ==
         0;
}

// Gives |conv|, described but for the workspace, to the stream of |handle|.
// |alpha| is one and |beta| zero: nobody asks for more.
static cudnnStatus_t submit(cudnnHandle_t handle, const float *alpha,
                            const float *beta, berth_soft_conv_t *conv,
                            int algo, void *workspace, size_t workspace_size) {
  CUstream stream = NULL;
  size_t room = room_of(conv);
  if (handle == NULL || alpha == NULL || beta == NULL || !are_aligned(conv) ||
      workspace_size < room || (room > 0 && workspace == NULL)) {
    return CUDNN_STATUS_BAD_PARAM;
  }
  if (algo != RIGHT || *alpha != 1 || *beta != 0) {
    return CUDNN_STATUS_NOT_SUPPORTED;
  }
  if (berth_soft_stream_find(handle->stream, &stream) != CUDA_SUCCESS) {
    return CUDNN_STATUS_NOT_INITIALIZED;
  }
  conv->workspace = workspace;
  conv->workspace_size = room;
  const berth_soft_work_kind_t *kind =
      is_in_reach(conv) ? &conv_kind : &stray_kind;
  return berth_soft_submit(stream, kind, conv, sizeof(*conv)) == CUDA_SUCCESS
             ? CUDNN_STATUS_SUCCESS
             : CUDNN_STATUS_EXECUTION_FAILED;
}

// Memory that is only read, in a description that does not say so.
static void *readable(const void *data) {
  void *same = NULL;
  memcpy(&same, &data, sizeof(data));
  return same;
}

cudnnStatus_t cudnnConvolutionForward(
    cudnnHandle_t handle, const void *alpha, cudnnTensorDescriptor_t x_desc,
    const void *x, cudnnFilterDescriptor_t w_desc, const void *w,
    cudnnConvolutionDescriptor_t desc, int algo, void *workspace,
    size_t workspace_size, const void *beta, cudnnTensorDescriptor_t y_desc,
    void *y) {
  berth_soft_conv_t conv;
  DNN_TRY(
      describe(x_desc, w_desc, desc, y_desc, BERTH_SOFT_CONV_OUTPUT, &conv));
  conv.x.data = readable(x);
  conv.w.data = readable(w);
  conv.y.data = y;
  return submit(handle, alpha, beta, &conv, algo, workspace, workspace_size);
}

static bool are_same(cudnnTensorDescriptor_t a, cudnnTensorDescriptor_t b) {
  return a != NULL && b != NULL && a->type == b->type && a->rank == b->rank &&
         memcmp(a->dims, b->dims, sizeof(a->dims)) == 0 &&
         memcmp(a->strides, b->strides, sizeof(a->strides)) == 0;
}

cudnnStatus_t cudnnConvolutionBiasActivationForward(
    cudnnHandle_t handle, const void *alpha, cudnnTensorDescriptor_t x_desc,
    const void *x, cudnnFilterDescriptor_t w_desc, const void *w,
    cudnnConvolutionDescriptor_t desc, int algo, void *workspace,
    size_t workspace_size, const void *alpha2, cudnnTensorDescriptor_t z_desc,
    const void *z, cudnnTensorDescriptor_t bias_desc, const void *bias,
    cudnnActivationDescriptor_t activation, cudnnTensorDescriptor_t y_desc,
    void *y) {
  static const float nothing = 0;
  berth_soft_conv_t conv;
  DNN_TRY(
      describe(x_desc, w_desc, desc, y_desc, BERTH_SOFT_CONV_OUTPUT, &conv));
  if (alpha2 == NULL || bias == NULL || bias_desc == NULL ||
      activation == NULL || !are_same(z_desc, y_desc) ||
      bias_desc->dims[1] != y_desc->dims[1]) {
    return CUDNN_STATUS_BAD_PARAM;
  }
  float factor = *(const float *)alpha2;
  if (conv.type != CUDNN_DATA_FLOAT || (factor != 0 && factor != 1)) {
    return CUDNN_STATUS_NOT_SUPPORTED;
  }
  conv.x.data = readable(x);
  conv.w.data = readable(w);
  conv.y.data = y;
  conv.bias = bias;
  conv.added = factor != 0 ? z : NULL;
  conv.is_relu = activation->mode == CUDNN_ACTIVATION_RELU;
  // As version 9.19 does on an H200 for 256 channels to 64: without another
  // tensor some kernels lose NaNs, whatever they are told.
  bool loses_nans = factor == 0 && conv.w.dims[1] >= 4 * conv.w.dims[0];
  conv.is_nan = activation->nan == CUDNN_PROPAGATE_NAN && !loses_nans;
  return submit(handle, alpha, &nothing, &conv, algo, workspace,
                workspace_size);
}

cudnnStatus_t cudnnConvolutionBackwardData(
    cudnnHandle_t handle, const void *alpha, cudnnFilterDescriptor_t w_desc,
    const void *w, cudnnTensorDescriptor_t y_desc, const void *y,
    cudnnConvolutionDescriptor_t desc, int algo, void *workspace,
    size_t workspace_size, const void *beta, cudnnTensorDescriptor_t x_desc,
    void *x) {
  berth_soft_conv_t conv;
  DNN_TRY(describe(x_desc, w_desc, desc, y_desc, BERTH_SOFT_CONV_IMAGE, &conv));
  conv.x.data = x;
  conv.w.data = readable(w);
  conv.y.data = readable(y);
  return submit(handle, alpha, beta, &conv, algo, workspace, workspace_size);
}

cudnnStatus_t cudnnConvolutionBackwardFilter(
    cudnnHandle_t handle, const void *alpha, cudnnTensorDescriptor_t x_desc,
    const void *x, cudnnTensorDescriptor_t y_desc, const void *y,
    cudnnConvolutionDescriptor_t desc, int algo, void *workspace,
    size_t workspace_size, const void *beta, cudnnFilterDescriptor_t w_desc,
    void *w) {
  berth_soft_conv_t conv;
  DNN_TRY(
      describe(x_desc, w_desc, desc, y_desc, BERTH_SOFT_CONV_FILTER, &conv));
  conv.x.data = readable(x);
  conv.w.data = w;
  conv.y.data = readable(y);
  return submit(handle, alpha, beta, &conv, algo, workspace, workspace_size);
}
