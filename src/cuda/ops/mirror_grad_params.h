// mirror_grad_params.h - What the kernels of MirrorPadGrad are told.
#ifndef BERTH_CUDA_OPS_MIRROR_GRAD_PARAMS_H_
#define BERTH_CUDA_OPS_MIRROR_GRAD_PARAMS_H_

#include <stdint.h>

enum { BERTH_MIRROR_DIMS = 5 };

// As berth_mirror_t has them; the last dimensions, before which there may be
// some of one element.
typedef struct berth_mirror_params {
  void *out;
  const void *in;
  uint64_t count;
  int64_t edge;  // 1: the outermost element is not mirrored.
  int64_t before[BERTH_MIRROR_DIMS], after[BERTH_MIRROR_DIMS];
  int64_t sizes[BERTH_MIRROR_DIMS], steps[BERTH_MIRROR_DIMS];
} berth_mirror_params_t;

#endif  // BERTH_CUDA_OPS_MIRROR_GRAD_PARAMS_H_
