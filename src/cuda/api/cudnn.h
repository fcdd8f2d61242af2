// cudnn.h - What Berth uses of cuDNN's interface, declared anew.
//
// Convolutions as cuDNN's older calls describe them: two tensors, a filter and
// a convolution between them, an algorithm by number. Workspace is the
// caller's. As in driver.h, names, numbers and layouts are the library's binary
// interface; numbers of results are those of version 9.
#ifndef BERTH_CUDA_API_CUDNN_H_
#define BERTH_CUDA_API_CUDNN_H_

#include <stddef.h>

#include "cuda/api/driver.h"

// BERTH_CUDNN_RESULTS(X): X(name, number), whose text is the name.
#define BERTH_CUDNN_RESULTS(X)                 \
  X(CUDNN_STATUS_SUCCESS, 0)                   \
  X(CUDNN_STATUS_NOT_INITIALIZED, 1001)        \
  X(CUDNN_STATUS_BAD_PARAM, 2000)              \
  X(CUDNN_STATUS_NOT_SUPPORTED, 3000)          \
  X(CUDNN_STATUS_INTERNAL_ERROR, 4000)         \
  X(CUDNN_STATUS_HOST_ALLOCATION_FAILED, 4003) \
  X(CUDNN_STATUS_EXECUTION_FAILED, 5000)

typedef enum cudnnStatus_enum {
#define X(name, number) name = number,
  BERTH_CUDNN_RESULTS(X)
#undef X
} cudnnStatus_t;

typedef enum cudnnDataType_enum {
  CUDNN_DATA_FLOAT = 0,
  CUDNN_DATA_DOUBLE = 1,
  CUDNN_DATA_HALF = 2,
  CUDNN_DATA_BFLOAT16 = 9,
} cudnnDataType_t;

// Of a filter: [out, in, taps...] and [out, taps..., in].
typedef enum cudnnTensorFormat_enum {
  CUDNN_TENSOR_NCHW = 0,
  CUDNN_TENSOR_NHWC = 1,
} cudnnTensorFormat_t;

typedef enum cudnnConvolutionMode_enum {
  CUDNN_CROSS_CORRELATION = 1,
} cudnnConvolutionMode_t;

// Tensor cores round floats to TF32 by default; FMA keeps all their digits.
typedef enum cudnnMathType_enum {
  CUDNN_DEFAULT_MATH = 0,
  CUDNN_TENSOR_OP_MATH = 1,
  CUDNN_TENSOR_OP_MATH_ALLOW_CONVERSION = 2,
  CUDNN_FMA_MATH = 3,
} cudnnMathType_t;

typedef enum cudnnDeterminism_enum {
  CUDNN_NON_DETERMINISTIC = 0,
  CUDNN_DETERMINISTIC = 1,
} cudnnDeterminism_t;

// What is done to a convolution's result.
typedef enum cudnnActivationMode_enum {
  CUDNN_ACTIVATION_RELU = 1,
  CUDNN_ACTIVATION_IDENTITY = 5,
} cudnnActivationMode_t;

typedef enum cudnnNanPropagation_enum {
  CUDNN_NOT_PROPAGATE_NAN = 0,
  CUDNN_PROPAGATE_NAN = 1,
} cudnnNanPropagation_t;

// The forward algorithm that takes any activation.
enum { CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM = 1 };

typedef struct cudnnContext *cudnnHandle_t;
typedef struct cudnnTensorStruct *cudnnTensorDescriptor_t;
typedef struct cudnnFilterStruct *cudnnFilterDescriptor_t;
typedef struct cudnnConvolutionStruct *cudnnConvolutionDescriptor_t;
typedef struct cudnnActivationStruct *cudnnActivationDescriptor_t;

// What the library says of an algorithm, in the same layout for the three
// directions, each of which numbers its own.
typedef struct cudnnConvolutionAlgoPerf {
  int algo;
  cudnnStatus_t status;
  float time;
  size_t memory;
  cudnnDeterminism_t determinism;
  cudnnMathType_t mathType;
  int reserved[3];
} cudnnConvolutionAlgoPerf_t;

#endif  // BERTH_CUDA_API_CUDNN_H_
