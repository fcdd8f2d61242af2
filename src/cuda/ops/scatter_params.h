// scatter_params.h - What the kernels are told that read and write slices at
// places given as indices.
//
// There are |count| places, each |depth| indices into the first dimensions of a
// tensor, which lead to a slice of |slice| elements, or units where they are
// only moved.
#ifndef BERTH_CUDA_OPS_SCATTER_PARAMS_H_
#define BERTH_CUDA_OPS_SCATTER_PARAMS_H_

#include "cuda/math/divide.h"

enum { BERTH_SCATTER_DEPTH = 8 };

typedef struct berth_scatter_params {
  void *to;
  const void *from;
  const void *indices;
  uint64_t count, slice;
  berth_divider_t slice_by;  // Where there are few elements; else all is 0.
  uint32_t depth;
  uint32_t index_size;  // 4 or 8.
  uint32_t how;         // How a value joins what is there.
  uint32_t is_one;      // One element for all.
  uint64_t dims[BERTH_SCATTER_DEPTH];
} berth_scatter_params_t;

#endif  // BERTH_CUDA_OPS_SCATTER_PARAMS_H_
