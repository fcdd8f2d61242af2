// unique_params.h - What the kernels of Unique are told.
//
// Elements are looked at in order (order.h), and then as they lie, in parts.
#ifndef BERTH_CUDA_OPS_UNIQUE_PARAMS_H_
#define BERTH_CUDA_OPS_UNIQUE_PARAMS_H_

#include <stdint.h>

typedef struct berth_unique_params {
  const void *in;
  void *out, *indices;
  uint32_t is_wide;       // Elements are int64; otherwise int32.
  uint32_t wide_indices;  // The same of indices.
  uint64_t count;
  const uint32_t *places;  // Of the elements in order.
  uint32_t *firsts;        // For each element the first that is equal to it.
  uint32_t *ranks;         // Which one of the different ones a first is.
  uint64_t part, parts;    // Elements of a part, and how many there are.
  uint32_t *counts;        // Firsts of each part, then of those before it.
  uint64_t *bits;          // All bits that are set in an element, on the card.
  uint64_t *total;         // How many firsts there are. In pinned memory.
} berth_unique_params_t;

#endif  // BERTH_CUDA_OPS_UNIQUE_PARAMS_H_
