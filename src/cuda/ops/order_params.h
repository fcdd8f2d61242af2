// order_params.h - What the kernels are told that put numbers in order.
//
// Keys are sorted by four bits at a time, those of the same bits as they came:
// each part of them is counted, the counts say where its keys go, and there
// they are moved.
#ifndef BERTH_CUDA_OPS_ORDER_PARAMS_H_
#define BERTH_CUDA_OPS_ORDER_PARAMS_H_

#include <stdint.h>

enum { BERTH_ORDER_BITS = 4, BERTH_ORDER_DIGITS = 1 << BERTH_ORDER_BITS };

typedef struct berth_order_params {
  const void *indices;
  uint32_t is_wide;  // They are int64; otherwise int32.
  uint32_t shift;    // Of the bits that are looked at.
  uint64_t count, limit;
  uint64_t part, parts;  // Keys of a part, and how many parts there are.
  const uint32_t *keys, *places;
  uint32_t *to_keys, *to_places;
  uint32_t *counts;  // For each digit those of all parts.
} berth_order_params_t;

#endif  // BERTH_CUDA_OPS_ORDER_PARAMS_H_
