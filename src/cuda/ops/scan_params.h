// scan_params.h - What the kernels of Cumsum and its like are told.
//
// The tensor is [outer, length, inner]; a line is the elements of one outer and
// inner index. Each line is cut into |parts| of |part| elements.
#ifndef BERTH_CUDA_OPS_SCAN_PARAMS_H_
#define BERTH_CUDA_OPS_SCAN_PARAMS_H_

#include <stdint.h>

// How elements are joined.
enum { BERTH_SCAN_SUM = 0, BERTH_SCAN_PRODUCT, BERTH_SCAN_LOG };

typedef struct berth_scan_params {
  void *out;
  const void *in;
  void *totals;  // Of each part, then of all before it; NULL: one part.
  uint64_t lines, length, inner;
  uint64_t parts, part;
  uint32_t how;
  uint32_t exclusive, reverse;
  uint32_t team;  // What does a part: a thread or a warp.
} berth_scan_params_t;

#endif  // BERTH_CUDA_OPS_SCAN_PARAMS_H_
