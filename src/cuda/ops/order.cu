// order.cu - Kernels that put numbers in order.
#include "cuda/ops/order_params.h"

#include "cuda/math/block.cuh"

enum { MAX_BLOCK = 1024 };

// Makes the keys.
BERTH_KERNEL(berth_order_begin, berth_order_params_t) {
  BERTH_EACH(i, p.count) {
    const uint32_t place =
        p.keys_of == BERTH_ORDER_HIGH ? p.places[i] : (uint32_t)i;
    const int64_t index = p.is_wide != 0 ? ((const int64_t *)p.indices)[place]
                                         : ((const int32_t *)p.indices)[place];
    uint64_t key = (uint64_t)index;
    if (p.keys_of == BERTH_ORDER_BELOW) key = key < p.limit ? key : p.limit;
    if (p.keys_of == BERTH_ORDER_HIGH) key >>= 32;
    p.to_keys[i] = (uint32_t)key;
    p.to_places[i] = place;
  }
}

BERTH_GPU_FN uint32_t digit_of(const berth_order_params_t *p, uint64_t i) {
  return p->keys[i] >> p->shift & (BERTH_ORDER_DIGITS - 1);
}

BERTH_GPU_FN uint64_t part_end(const berth_order_params_t *p, uint64_t part) {
  const uint64_t end = (part + 1) * p->part;
  return end < p->count ? end : p->count;
}

BERTH_KERNEL(berth_order_count, berth_order_params_t) {
  BERTH_EACH(part, p.parts) {
    uint32_t counts[BERTH_ORDER_DIGITS] = {0};
    const uint64_t end = part_end(&p, part);
    for (uint64_t i = part * p.part; i < end; ++i) ++counts[digit_of(&p, i)];
    for (uint32_t digit = 0; digit < BERTH_ORDER_DIGITS; ++digit) {
      p.counts[digit * p.parts + part] = counts[digit];
    }
  }
}

// Each count becomes the sum of those before. One block does it, each thread a
// row of counts: its sum first, then, when all sums are known, the rest.
BERTH_KERNEL(berth_order_add, berth_order_params_t) {
  BERTH_SHARED(uint32_t, sums, MAX_BLOCK);
  const uint32_t lane = berth_gpu_lane(), lanes = berth_gpu_lanes();
  const uint64_t all = p.parts * BERTH_ORDER_DIGITS;
  const uint64_t share = (all + lanes - 1) / lanes;
  const uint64_t begin = lane * share < all ? lane * share : all;
  const uint64_t end = begin + share < all ? begin + share : all;
  uint32_t sum = 0, before = 0;
  if (berth_gpu_block() != 0) return;
  for (uint64_t i = begin; i < end; ++i) sum += p.counts[i];
  sums[lane] = sum;
  berth_block_sync();
  for (uint32_t i = 0; i < lane; ++i) before += sums[i];
  for (uint64_t i = begin; i < end; ++i) {
    const uint32_t count = p.counts[i];
    p.counts[i] = before;
    before += count;
  }
}

BERTH_KERNEL(berth_order_move, berth_order_params_t) {
  BERTH_EACH(part, p.parts) {
    uint32_t next[BERTH_ORDER_DIGITS];
    const uint64_t end = part_end(&p, part);
    for (uint32_t digit = 0; digit < BERTH_ORDER_DIGITS; ++digit) {
      next[digit] = p.counts[digit * p.parts + part];
    }
    for (uint64_t i = part * p.part; i < end; ++i) {
      const uint32_t to = next[digit_of(&p, i)]++;
      p.to_keys[to] = p.keys[i];
      p.to_places[to] = p.places[i];
    }
  }
}
