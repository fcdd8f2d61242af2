// one_hot_params.h - What the kernels of OneHot are told.
//
// Indices are [prefix, suffix], the result [prefix, depth, suffix].
#ifndef BERTH_CUDA_OPS_ONE_HOT_PARAMS_H_
#define BERTH_CUDA_OPS_ONE_HOT_PARAMS_H_

#include "cuda/math/divide.h"

// How an index lies in memory.
enum {
  BERTH_ONE_HOT_I8 = 0,
  BERTH_ONE_HOT_U8,
  BERTH_ONE_HOT_I32,
  BERTH_ONE_HOT_I64,
};

typedef struct berth_one_hot_params {
  void *out;
  const void *indices;
  const void *on, *off;  // One element each.
  uint64_t count;        // Elements of the result.
  uint64_t depth, suffix;
  berth_divider_t depth_by, suffix_by;  // Where |count| is small.
  int32_t index_kind;
} berth_one_hot_params_t;

#endif  // BERTH_CUDA_OPS_ONE_HOT_PARAMS_H_
