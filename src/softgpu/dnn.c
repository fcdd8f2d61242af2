// dnn.c - cuDNN's objects: descriptions that convolutions are made of.
#include "softgpu/dnn.h"

#include <string.h>

#include "base/alloc.h"
#include "base/env.h"
#include "softgpu/context.h"
#include "softgpu/exports.h"

enum { DNN_VERSION = 91900 };

const char *cudnnGetErrorString(cudnnStatus_t status) {
  switch (status) {
#define X(name, number) \
  case name:            \
    return #name;
    BERTH_CUDNN_RESULTS(X)
#undef X
  }
  return "CUDNN_UNKNOWN_STATUS";
}

// Another version for tests of who opens the library.
size_t cudnnGetVersion(void) {
  return (size_t)berth_env_int("BERTH_SIMULATE_CUDNN", DNN_VERSION);
}

// ---- Life ----

// Stores |size| zeroed bytes in |*out|, a pointer to some object.
static cudnnStatus_t make(void **out, size_t size) {
  if (out == NULL) return CUDNN_STATUS_BAD_PARAM;
  void *made = berth_calloc(1, size);
  if (made == NULL) return CUDNN_STATUS_HOST_ALLOCATION_FAILED;
  *out = made;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnCreate(cudnnHandle_t *handle) {
  CUcontext context = NULL;
  if (berth_soft_context_current(&context) != CUDA_SUCCESS) {
    return CUDNN_STATUS_NOT_INITIALIZED;
  }
  return make((void **)handle, sizeof(**handle));
}

cudnnStatus_t cudnnDestroy(cudnnHandle_t handle) {
  berth_free(handle);
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnSetStream(cudnnHandle_t handle, CUstream stream) {
  if (handle == NULL) return CUDNN_STATUS_BAD_PARAM;
  handle->stream = stream;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnCreateTensorDescriptor(cudnnTensorDescriptor_t *desc) {
  return make((void **)desc, sizeof(**desc));
}

cudnnStatus_t cudnnDestroyTensorDescriptor(cudnnTensorDescriptor_t desc) {
  berth_free(desc);
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnCreateFilterDescriptor(cudnnFilterDescriptor_t *desc) {
  return make((void **)desc, sizeof(**desc));
}

cudnnStatus_t cudnnDestroyFilterDescriptor(cudnnFilterDescriptor_t desc) {
  berth_free(desc);
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnCreateConvolutionDescriptor(
    cudnnConvolutionDescriptor_t *desc) {
  cudnnStatus_t status = make((void **)desc, sizeof(**desc));
  if (status == CUDNN_STATUS_SUCCESS) (*desc)->groups = 1;
  return status;
}

cudnnStatus_t cudnnDestroyConvolutionDescriptor(
    cudnnConvolutionDescriptor_t desc) {
  berth_free(desc);
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnCreateActivationDescriptor(
    cudnnActivationDescriptor_t *desc) {
  return make((void **)desc, sizeof(**desc));
}

cudnnStatus_t cudnnDestroyActivationDescriptor(
    cudnnActivationDescriptor_t desc) {
  berth_free(desc);
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnSetActivationDescriptor(cudnnActivationDescriptor_t desc,
                                           cudnnActivationMode_t mode,
                                           cudnnNanPropagation_t nan,
                                           double limit) {
  (void)limit;
  if (desc == NULL) return CUDNN_STATUS_BAD_PARAM;
  if (mode != CUDNN_ACTIVATION_RELU && mode != CUDNN_ACTIVATION_IDENTITY) {
    return CUDNN_STATUS_NOT_SUPPORTED;
  }
  desc->mode = mode;
  desc->nan = nan;
  return CUDNN_STATUS_SUCCESS;
}

// ---- Describing ----

static bool are_positive(const int *numbers, int count) {
  for (int i = 0; i < count; ++i) {
    if (numbers[i] < 1) return false;
  }
  return true;
}

static bool is_shape(int rank, const int *dims) {
  return dims != NULL && rank >= 4 && rank <= BERTH_SOFT_DNN_RANK &&
         are_positive(dims, rank);
}

static void keep(int *to, const int *from, int count) {
  memcpy(to, from, (size_t)count * sizeof(*to));
}

cudnnStatus_t cudnnSetTensorNdDescriptor(cudnnTensorDescriptor_t desc,
                                         cudnnDataType_t type, int rank,
                                         const int *dims, const int *strides) {
  if (desc == NULL || strides == NULL || !is_shape(rank, dims) ||
      !are_positive(strides, rank)) {
    return CUDNN_STATUS_BAD_PARAM;
  }
  desc->type = type;
  desc->rank = rank;
  keep(desc->dims, dims, rank);
  keep(desc->strides, strides, rank);
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnSetFilterNdDescriptor(cudnnFilterDescriptor_t desc,
                                         cudnnDataType_t type,
                                         cudnnTensorFormat_t format, int rank,
                                         const int *dims) {
  if (desc == NULL || !is_shape(rank, dims)) return CUDNN_STATUS_BAD_PARAM;
  desc->type = type;
  desc->format = format;
  desc->rank = rank;
  keep(desc->dims, dims, rank);
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnSetConvolutionNdDescriptor(cudnnConvolutionDescriptor_t desc,
                                              int axes, const int *pads,
                                              const int *strides,
                                              const int *dilations,
                                              cudnnConvolutionMode_t mode,
                                              cudnnDataType_t compute) {
  if (desc == NULL || axes < 2 || axes > BERTH_SOFT_DNN_AXES || pads == NULL ||
      strides == NULL || dilations == NULL || !are_positive(strides, axes) ||
      !are_positive(dilations, axes)) {
    return CUDNN_STATUS_BAD_PARAM;
  }
  if (mode != CUDNN_CROSS_CORRELATION) return CUDNN_STATUS_NOT_SUPPORTED;
  desc->axes = axes;
  keep(desc->pads, pads, axes);
  keep(desc->strides, strides, axes);
  keep(desc->dilations, dilations, axes);
  desc->compute = compute;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnSetConvolutionMathType(cudnnConvolutionDescriptor_t desc,
                                          cudnnMathType_t math) {
  if (desc == NULL) return CUDNN_STATUS_BAD_PARAM;
  desc->math = math;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnSetConvolutionGroupCount(cudnnConvolutionDescriptor_t desc,
                                            int groups) {
  if (desc == NULL || groups < 1) return CUDNN_STATUS_BAD_PARAM;
  desc->groups = groups;
  return CUDNN_STATUS_SUCCESS;
}
