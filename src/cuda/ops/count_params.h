// count_params.h - What the kernels are told that count, and that look for
// places in an order.
#ifndef BERTH_CUDA_OPS_COUNT_PARAMS_H_
#define BERTH_CUDA_OPS_COUNT_PARAMS_H_

#include <stdint.h>

// Bins that a block has for itself, at most.
enum { BERTH_BINS_HELD = 4096 };

// |rows| rows of |columns| numbers, each of which counts in the bin that it
// names, of |size| for each row.
typedef struct berth_bins_params {
  void *out;
  const void *values;
  const void *weights;  // NULL: each counts one.
  uint64_t rows, columns, size;
  uint32_t index_size;  // 4 or 8.
  uint32_t is_binary;   // Bins say whether something is in them.
} berth_bins_params_t;

// For each of |values|, of which a row has so many, how many of the |columns|
// sorted elements of its row come before.
typedef struct berth_bound_params {
  void *out;
  const void *sorted;
  const void *values;
  uint64_t rows, columns, count;
  uint32_t is_upper;  // Those that are equal come before, too.
  uint32_t out_size;  // 4 or 8.
} berth_bound_params_t;

#endif  // BERTH_CUDA_OPS_COUNT_PARAMS_H_
