// resize_params.h - What the kernels of resizing, cropping and patches are told.
#ifndef BERTH_CUDA_OPS_RESIZE_PARAMS_H_
#define BERTH_CUDA_OPS_RESIZE_PARAMS_H_

#include <stdint.h>

// Resizing: height and width as in op/resize.h. Of gradients |out| is an image,
// |in| gradients of the resized one.
typedef struct berth_resize_params {
  const void *in;
  void *out;
  uint64_t count, channels;
  int64_t in_size[2], out_size[2];  // Before and after resizing.
  float scale[2];
  uint32_t aligns_corners, has_centers;
} berth_resize_params_t;

typedef struct berth_crop_params {
  const void *image;
  const float *boxes;
  const int32_t *index;
  float *out;
  uint64_t count;
  int64_t batch, in_height, in_width, channels, height, width;
  float outside;
  uint32_t is_nearest;
} berth_crop_params_t;

typedef struct berth_patch_params {
  const void *in;
  void *out;
  uint64_t count, channels;
  int64_t in_size[2], out_size[2], window[2], stride[2], dilation[2], before[2];
} berth_patch_params_t;

#endif  // BERTH_CUDA_OPS_RESIZE_PARAMS_H_
