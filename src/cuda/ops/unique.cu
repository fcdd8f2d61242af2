// unique.cu - Kernels of Unique, for whole numbers.
#include "cuda/ops/unique_params.h"

#include "cuda/math/atomic.cuh"
#include "cuda/math/block.cuh"

enum { MAX_BLOCK = 1024 };

// Element |i| without its sign, in the order in which they are put.
BERTH_GPU_FN uint64_t element_at(const berth_unique_params_t *p, uint64_t i) {
  return p->is_wide != 0 ? ((const uint64_t *)p->in)[i]
                         : (uint64_t)((const uint32_t *)p->in)[i];
}

#define EITHER(a, b) ((a) | (b))
BERTH_BLOCK_REDUCE(either, uint64_t, EITHER)

// Which bits are set at all says how far elements have to be sorted.
BERTH_KERNEL(berth_unique_bits, berth_unique_params_t) {
  uint64_t bits = 0;
  BERTH_EACH(i, p.count) bits |= element_at(&p, i);
  bits = either_block(bits);
  if (berth_gpu_lane() == 0) berth_join_bits(p.bits, bits);
}

// Returns the first number in order whose element is that of number |k|.
BERTH_GPU_FN uint64_t run_begin(const berth_unique_params_t *p, uint64_t k) {
  const uint64_t x = element_at(p, p->places[k]);
  uint64_t low = 0, high = k;
  if (k == 0 || element_at(p, p->places[k - 1]) != x) return k;
  while (low < high) {
    const uint64_t middle = (low + high) / 2;
    if (element_at(p, p->places[middle]) < x) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

BERTH_KERNEL(berth_unique_firsts, berth_unique_params_t) {
  BERTH_EACH(k, p.count) p.firsts[p.places[k]] = p.places[run_begin(&p, k)];
}

BERTH_GPU_FN uint64_t part_end(const berth_unique_params_t *p, uint64_t part) {
  const uint64_t end = (part + 1) * p->part;
  return end < p->count ? end : p->count;
}

BERTH_KERNEL(berth_unique_count, berth_unique_params_t) {
  BERTH_EACH(part, p.parts) {
    const uint64_t end = part_end(&p, part);
    uint32_t count = 0;
    for (uint64_t i = part * p.part; i < end; ++i) count += p.firsts[i] == i;
    p.counts[part] = count;
  }
}

// Each count becomes the sum of those before. One block does it.
BERTH_KERNEL(berth_unique_add, berth_unique_params_t) {
  BERTH_SHARED(uint32_t, sums, MAX_BLOCK);
  const uint32_t lane = berth_gpu_lane(), lanes = berth_gpu_lanes();
  const uint64_t share = (p.parts + lanes - 1) / lanes;
  const uint64_t begin = lane * share < p.parts ? lane * share : p.parts;
  const uint64_t end = begin + share < p.parts ? begin + share : p.parts;
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
  if (lane == lanes - 1) *p.total = before;
}

BERTH_KERNEL(berth_unique_write, berth_unique_params_t) {
  BERTH_EACH(part, p.parts) {
    const uint64_t end = part_end(&p, part);
    uint32_t at = p.counts[part];
    for (uint64_t i = part * p.part; i < end; ++i) {
      if (p.firsts[i] != i) continue;
      if (p.is_wide != 0) {
        ((uint64_t *)p.out)[at] = element_at(&p, i);
      } else {
        ((uint32_t *)p.out)[at] = (uint32_t)element_at(&p, i);
      }
      p.ranks[i] = at++;
    }
  }
}

BERTH_KERNEL(berth_unique_indices, berth_unique_params_t) {
  BERTH_EACH(i, p.count) {
    const uint32_t rank = p.ranks[p.firsts[i]];
    if (p.wide_indices != 0) {
      ((int64_t *)p.indices)[i] = rank;
    } else {
      ((int32_t *)p.indices)[i] = (int32_t)rank;
    }
  }
}
