// where.cu - Kernels of Where: the places of the elements that are not zero.
#include "cuda/ops/where_params.h"

#include "cuda/math/block.cuh"
#include "cuda/math/number.cuh"

enum { MAX_BLOCK = 1024 };

BERTH_GPU_FN uint64_t part_end(const berth_where_params_t *p, uint64_t part) {
  const uint64_t end = (part + 1) * p->part_size;
  return end < p->count ? end : p->count;
}

BERTH_GPU_FN void write_place(const berth_where_params_t *p, uint64_t index,
                              int64_t at) {
  int64_t *place = p->places + at * (int64_t)p->rank;
  for (uint32_t d = p->rank; d-- > 0;) {
    const uint64_t size = (uint64_t)p->dims[d];
    place[d] = (int64_t)(index % size);
    index /= size;
  }
}

#define DEFINE_WHERE(type, IS_SET)                                     \
  BERTH_KERNEL(berth_where_count_##type, berth_where_params_t) {       \
    const berth_stored_##type *in = (const berth_stored_##type *)p.in; \
    BERTH_EACH(part, p.part_count) {                                   \
      const uint64_t end = part_end(&p, part);                         \
      int64_t set = 0;                                                 \
      for (uint64_t i = part * p.part_size; i < end; ++i) {            \
        set += IS_SET(in[i]) ? 1 : 0;                                  \
      }                                                                \
      p.parts[part] = set;                                             \
    }                                                                  \
  }                                                                    \
  BERTH_KERNEL(berth_where_write_##type, berth_where_params_t) {       \
    const berth_stored_##type *in = (const berth_stored_##type *)p.in; \
    BERTH_EACH(part, p.part_count) {                                   \
      const uint64_t end = part_end(&p, part);                         \
      int64_t at = p.parts[part];                                      \
      for (uint64_t i = part * p.part_size; i < end; ++i) {            \
        if (IS_SET(in[i])) write_place(&p, i, at++);                   \
      }                                                                \
    }                                                                  \
  }

#define IS_NOT_ZERO(x) ((x) != 0)
#define IS_NOT_ZERO_C64(x) (!berth_is_zero_c64(x))
#define IS_NOT_ZERO_C128(x) (!berth_is_zero_c128(x))
DEFINE_WHERE(u8, IS_NOT_ZERO)
DEFINE_WHERE(i64, IS_NOT_ZERO)
DEFINE_WHERE(f32, IS_NOT_ZERO)
DEFINE_WHERE(f64, IS_NOT_ZERO)
DEFINE_WHERE(c64, IS_NOT_ZERO_C64)
DEFINE_WHERE(c128, IS_NOT_ZERO_C128)

// Adds the counts up. One block does it, each thread a row of parts: its sum
// first, then, when all sums are known, where each of its parts begins.
BERTH_KERNEL(berth_where_add, berth_where_params_t) {
  BERTH_SHARED(int64_t, sums, MAX_BLOCK);
  const uint32_t lane = berth_gpu_lane(), lanes = berth_gpu_lanes();
  const uint64_t share = (p.part_count + lanes - 1) / lanes;
  uint64_t begin = lane * share, end = begin + share;
  int64_t sum = 0, before = 0;
  if (berth_gpu_block() != 0) return;
  if (begin > p.part_count) begin = p.part_count;
  if (end > p.part_count) end = p.part_count;
  for (uint64_t i = begin; i < end; ++i) sum += p.parts[i];
  sums[lane] = sum;
  berth_block_sync();
  for (uint32_t i = 0; i < lane; ++i) before += sums[i];
  for (uint64_t i = begin; i < end; ++i) {
    const int64_t set = p.parts[i];
    p.parts[i] = before;
    before += set;
  }
  if (lane == lanes - 1) *p.total = before;
}
