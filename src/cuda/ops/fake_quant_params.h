// fake_quant_params.h - What the kernels are told that round numbers as if they
// were quantised.
#ifndef BERTH_CUDA_OPS_FAKE_QUANT_PARAMS_H_
#define BERTH_CUDA_OPS_FAKE_QUANT_PARAMS_H_

#include <stdint.h>

// Limits and steps are those of a berth_nudged_t (op/fake_quant.h).
typedef struct berth_fake_quant_params {
  float *out;
  const float *in;
  const float *grad;     // Of gradients.
  float *below, *above;  // What was cut off at the limits; NULL: nobody asks.
  uint64_t count;
  float min, max, scale, inverse, zero;
  uint32_t is_none;
} berth_fake_quant_params_t;

#endif  // BERTH_CUDA_OPS_FAKE_QUANT_PARAMS_H_
