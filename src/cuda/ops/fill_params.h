// fill_params.h - What the kernels of fill.cu are told.
#ifndef BERTH_CUDA_OPS_FILL_PARAMS_H_
#define BERTH_CUDA_OPS_FILL_PARAMS_H_

#include <stdint.h>

// Stores |value|, or what |from| points to, |count| times.
typedef struct berth_fill_params {
  void *out;
  const void *from;  // An element on the card; NULL: take |value|.
  uint64_t count;
  uint64_t value[2];  // The element in the first bytes.
  uint32_t granule;   // As that of a walk (walk.h).
} berth_fill_params_t;

#endif  // BERTH_CUDA_OPS_FILL_PARAMS_H_
