// elementwise_params.h - What kernels of elementwise ops are told.
#ifndef BERTH_CUDA_OPS_ELEMENTWISE_PARAMS_H_
#define BERTH_CUDA_OPS_ELEMENTWISE_PARAMS_H_

#include "cuda/math/walk.h"

// One input, the same shape as the output.
typedef struct berth_unary_params {
  void *out;
  const void *in;
  uint64_t count;
  uint32_t granule;  // As that of a walk; includes where |out| and |in| are.
  double parameter;  // A slope; 0 for most.
} berth_unary_params_t;

// Two or three inputs that broadcast.
typedef struct berth_walk_params {
  void *out;
  const void *in[BERTH_WALK_INPUTS];
  berth_walk_t walk;
  double parameter;  // As that of one input.
} berth_walk_params_t;

#endif  // BERTH_CUDA_OPS_ELEMENTWISE_PARAMS_H_
