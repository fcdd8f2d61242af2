// dnn.h - cuDNN's objects: descriptions that convolutions are made of.
#ifndef BERTH_SOFTGPU_DNN_H_
#define BERTH_SOFTGPU_DNN_H_

#include "cuda/api/cudnn.h"

// Batch, channels and up to three dimensions of space.
enum { BERTH_SOFT_DNN_AXES = 3, BERTH_SOFT_DNN_RANK = 5 };

struct cudnnContext {
  CUstream stream;
};

struct cudnnTensorStruct {
  cudnnDataType_t type;
  int rank;
  int dims[BERTH_SOFT_DNN_RANK], strides[BERTH_SOFT_DNN_RANK];
};

struct cudnnFilterStruct {
  cudnnDataType_t type;
  cudnnTensorFormat_t format;
  int rank;
  int dims[BERTH_SOFT_DNN_RANK];
};

struct cudnnConvolutionStruct {
  int axes;
  int pads[BERTH_SOFT_DNN_AXES], strides[BERTH_SOFT_DNN_AXES];
  int dilations[BERTH_SOFT_DNN_AXES];
  cudnnDataType_t compute;
  cudnnMathType_t math;
  int groups;
};

struct cudnnActivationStruct {
  cudnnActivationMode_t mode;
  cudnnNanPropagation_t nan;
};

#endif  // BERTH_SOFTGPU_DNN_H_
