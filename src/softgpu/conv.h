// conv.h - A convolution as cuDNN describes it, on the host.
//
// Sums are floats; results of 16 bits are rounded once. Any strides.
#ifndef BERTH_SOFTGPU_CONV_H_
#define BERTH_SOFTGPU_CONV_H_

#include <stdbool.h>
#include <stdint.h>

#include "softgpu/dnn.h"

// What is computed from the two others.
typedef enum berth_soft_conv_goal {
  BERTH_SOFT_CONV_OUTPUT,
  BERTH_SOFT_CONV_IMAGE,
  BERTH_SOFT_CONV_FILTER,
} berth_soft_conv_goal_t;

// Five dimensions in order of size and step: batch, channels, space of a
// tensor; out, in, taps of a filter.
typedef struct berth_soft_grid {
  void *data;
  int64_t dims[BERTH_SOFT_DNN_RANK], steps[BERTH_SOFT_DNN_RANK];
} berth_soft_grid_t;

typedef struct berth_soft_conv {
  berth_soft_conv_goal_t goal;
  cudnnDataType_t type;
  bool is_tf32;  // Floats lose the bits that tensor cores do not see.
  int64_t groups;
  berth_soft_grid_t x, w, y;
  int64_t pads[BERTH_SOFT_DNN_AXES], strides[BERTH_SOFT_DNN_AXES];
  int64_t dilations[BERTH_SOFT_DNN_AXES];
  // Of outputs, floats alone: what is done to each.
  const float *bias;     // By channel; NULL: nothing is done.
  const float *added;    // As y lies; NULL: nothing is added.
  bool is_relu, is_nan;  // A NaN stays one.
  // Is overwritten, so that it shows where something else lies in it.
  void *workspace;
  size_t workspace_size;
} berth_soft_conv_t;

// Returns the bytes of an element, and how many elements there are.
size_t berth_soft_conv_size(cudnnDataType_t type);
int64_t berth_soft_grid_count(const berth_soft_grid_t *grid);

// Does it on the calling thread and Berth's workers; false when there is no
// memory to work in.
bool berth_soft_conv_run(const berth_soft_conv_t *conv);

#endif  // BERTH_SOFTGPU_CONV_H_
