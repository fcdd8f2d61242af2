// order_params.h - What the kernels are told that put numbers in order.
//
// Keys are sorted by four bits at a time, those of the same bits as they came:
// each part of them is counted, the counts say where its keys go, and there
// they are moved.
#ifndef BERTH_CUDA_OPS_ORDER_PARAMS_H_
#define BERTH_CUDA_OPS_ORDER_PARAMS_H_

#include <stdint.h>

enum { BERTH_ORDER_BITS = 4, BERTH_ORDER_DIGITS = 1 << BERTH_ORDER_BITS };

// What keys are made of.
enum {
  BERTH_ORDER_BELOW = 0,  // Indices below the limit, those outside being it;
  BERTH_ORDER_LOW,        // the lower 32 bits of numbers;
  BERTH_ORDER_HIGH        // the upper ones, of those that are in order by the
                          // lower.
};

typedef struct berth_order_params {
  const void *indices;
  uint32_t is_wide;  // They are int64; otherwise int32.
  uint32_t shift;    // Of the bits that are looked at.
  uint32_t keys_of;  // BERTH_ORDER_BELOW and its like.
  uint64_t count, limit;
  uint64_t part, parts;  // Keys of a part, and how many parts there are.
  const uint32_t *keys, *places;
  uint32_t *to_keys, *to_places;
  uint32_t *counts;  // For each digit those of all parts.
} berth_order_params_t;

#endif  // BERTH_CUDA_OPS_ORDER_PARAMS_H_
