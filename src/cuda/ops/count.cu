// count.cu - Kernels that count, and that look for places in an order.
//
// A kernel cannot report a negative number; it counts in no bin.
#include "cuda/ops/count_params.h"

#include "cuda/math/atomic.cuh"
#include "cuda/math/block.cuh"

BERTH_GPU_FN uint64_t bin_of(const berth_bins_params_t *p, uint64_t i) {
  return p->index_size == 4 ? (uint64_t)((const int32_t *)p->values)[i]
                            : (uint64_t)((const int64_t *)p->values)[i];
}

#define DEFINE_BINS(type)                                                      \
  BERTH_GPU_FN berth_stored_##type weight_##type(const berth_bins_params_t *p, \
                                                 uint64_t i) {                 \
    return p->weights == 0 ? 1 : ((const berth_stored_##type *)p->weights)[i]; \
  }                                                                            \
                                                                               \
  BERTH_KERNEL(berth_bins_##type, berth_bins_params_t) {                       \
    berth_stored_##type *out = (berth_stored_##type *)p.out;                   \
    BERTH_EACH(i, p.rows *p.columns) {                                         \
      const uint64_t bin = bin_of(&p, i);                                      \
      if (bin >= p.size) continue;                                             \
      const uint64_t at = berth_gpu_divide(i, p.columns) * p.size + bin;       \
      if (p.is_binary != 0) {                                                  \
        out[at] = 1;                                                           \
      } else {                                                                 \
        berth_join_##type(&out[at], weight_##type(&p, i), BERTH_JOIN_ADD);     \
      }                                                                        \
    }                                                                          \
  }                                                                            \
                                                                               \
  /* One row: a block counts for itself, and then for all. */                  \
  BERTH_KERNEL(berth_bins_held_##type, berth_bins_params_t) {                  \
    BERTH_SHARED(berth_stored_##type, bins, BERTH_BINS_HELD);                  \
    berth_stored_##type *out = (berth_stored_##type *)p.out;                   \
    for (uint64_t i = berth_gpu_lane(); i < p.size; i += berth_gpu_lanes()) {  \
      bins[i] = 0;                                                             \
    }                                                                          \
    berth_block_sync();                                                        \
    BERTH_EACH(i, p.columns) {                                                 \
      const uint64_t bin = bin_of(&p, i);                                      \
      if (bin < p.size) {                                                      \
        berth_join_##type(&bins[bin], weight_##type(&p, i), BERTH_JOIN_ADD);   \
      }                                                                        \
    }                                                                          \
    berth_block_sync();                                                        \
    for (uint64_t i = berth_gpu_lane(); i < p.size; i += berth_gpu_lanes()) {  \
      if (bins[i] != 0) berth_join_##type(&out[i], bins[i], BERTH_JOIN_ADD);   \
    }                                                                          \
  }                                                                            \
                                                                               \
  /* A thread has a bin, so that every run gives the same. */                  \
  BERTH_KERNEL(berth_bins_ordered_##type, berth_bins_params_t) {               \
    berth_stored_##type *out = (berth_stored_##type *)p.out;                   \
    BERTH_EACH(at, p.rows *p.size) {                                           \
      const uint64_t row = berth_gpu_divide(at, p.size);                       \
      const uint64_t bin = at - row * p.size;                                  \
      berth_stored_##type sum = 0;                                             \
      for (uint64_t i = row * p.columns; i < (row + 1) * p.columns; ++i) {     \
        if (bin_of(&p, i) == bin) sum += weight_##type(&p, i);                 \
      }                                                                        \
      out[at] = sum;                                                           \
    }                                                                          \
  }

DEFINE_BINS(i32)
DEFINE_BINS(f32)

#define DEFINE_BOUND(type)                                                     \
  BERTH_KERNEL(berth_bound_##type, berth_bound_params_t) {                     \
    const berth_stored_##type *values = (const berth_stored_##type *)p.values; \
    BERTH_EACH(i, p.rows *p.count) {                                           \
      const berth_stored_##type *sorted =                                      \
          (const berth_stored_##type *)p.sorted +                              \
          berth_gpu_divide(i, p.count) * p.columns;                            \
      const berth_working_##type x = berth_load_##type(values[i]);             \
      uint64_t low = 0, high = p.columns;                                      \
      while (low < high) {                                                     \
        const uint64_t middle = low + (high - low) / 2;                        \
        const berth_working_##type y = berth_load_##type(sorted[middle]);      \
        const int is_before = p.is_upper != 0 ? !(x < y) : y < x;              \
        low = is_before ? middle + 1 : low;                                    \
        high = is_before ? high : middle;                                      \
      }                                                                        \
      if (p.out_size == 4) {                                                   \
        ((int32_t *)p.out)[i] = (int32_t)low;                                  \
      } else {                                                                 \
        ((int64_t *)p.out)[i] = (int64_t)low;                                  \
      }                                                                        \
    }                                                                          \
  }

DEFINE_BOUND(f16)
DEFINE_BOUND(bf16)
DEFINE_BOUND(f32)
DEFINE_BOUND(f64)
DEFINE_BOUND(i8)
DEFINE_BOUND(i16)
DEFINE_BOUND(i32)
DEFINE_BOUND(i64)
DEFINE_BOUND(u8)
DEFINE_BOUND(u16)
DEFINE_BOUND(u32)
DEFINE_BOUND(u64)
