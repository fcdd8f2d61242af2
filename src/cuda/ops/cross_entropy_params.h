// cross_entropy_params.h - What the kernels of cross entropy are told.
#ifndef BERTH_CUDA_OPS_CROSS_ENTROPY_PARAMS_H_
#define BERTH_CUDA_OPS_CROSS_ENTROPY_PARAMS_H_

#include <stdint.h>

typedef struct berth_cross_entropy_params {
  const void *logits, *labels;
  void *losses;     // One for each row.
  void *gradients;  // By the logits.
  uint64_t rows, n;
  int64_t logits_steps[2], labels_steps[2];  // By rows and columns.
  uint32_t label_bytes;  // Of classes, 4 or 8; 0: labels are distributions.
  uint32_t team;         // Who does a row (team.h).
} berth_cross_entropy_params_t;

#endif  // BERTH_CUDA_OPS_CROSS_ENTROPY_PARAMS_H_
