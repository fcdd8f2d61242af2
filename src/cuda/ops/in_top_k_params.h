// in_top_k_params.h - What the kernels of InTopKV2 are told.
#ifndef BERTH_CUDA_OPS_IN_TOP_K_PARAMS_H_
#define BERTH_CUDA_OPS_IN_TOP_K_PARAMS_H_

#include <stdint.h>

typedef struct berth_in_top_k_params {
  const float *predictions;  // [rows, classes]
  const void *targets;       // [rows]
  const void *k;             // One number, of the targets' type.
  uint8_t *out;
  uint64_t rows, classes;
} berth_in_top_k_params_t;

#endif  // BERTH_CUDA_OPS_IN_TOP_K_PARAMS_H_
