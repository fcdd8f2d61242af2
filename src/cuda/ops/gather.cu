// gather.cu - Kernels that pick rows by index.
//
// A kernel cannot report an index that is out of range; as in TensorFlow such a
// row is zeros.
#include "cuda/math/gpu.cuh"
#include "cuda/math/unit.cuh"
#include "cuda/ops/gather_params.h"

enum { AHEAD = 4 };

// Which unit of the params is wanted; none for an index out of range.
typedef struct source {
  uint64_t unit;
  uint8_t is_there;
} source_t;

BERTH_GPU_FN source_t find_source(const berth_gather_params_t *p, uint64_t slab,
                                  uint64_t index_at, uint64_t col) {
  source_t source;
  int64_t index = p->index_size == 4 ? ((const int32_t *)p->indices)[index_at]
                                     : ((const int64_t *)p->indices)[index_at];
  source.is_there = (uint64_t)index < p->limit;
  source.unit = (slab * p->limit + (uint64_t)index) * p->row + col;
  return source;
}

// The source of unit |i| of the result: (slab, index, col), where a slab is one
// of batch and outer.
BERTH_GPU_FN source_t narrow_source(const berth_gather_params_t *p,
                                    uint64_t i) {
  uint32_t row = BERTH_DIVIDE(i, p->row_by);
  uint32_t slab = BERTH_DIVIDE(row, p->count_by);
  uint32_t batch = BERTH_DIVIDE(slab, p->outer_by);
  uint32_t index = row - slab * p->count_by.divisor;
  return find_source(p, slab, batch * p->count_by.divisor + index,
                     (uint32_t)i - row * p->row_by.divisor);
}

BERTH_GPU_FN source_t wide_source(const berth_gather_params_t *p, uint64_t i) {
  uint64_t row = i / p->row;
  uint64_t slab = row / p->count;
  uint64_t batch = slab / p->outer;
  uint64_t index = row - slab * p->count;
  return find_source(p, slab, batch * p->count + index, i - row * p->row);
}

#define DEFINE_GATHER(kernel, unit_t, find)                        \
  BERTH_KERNEL(kernel, berth_gather_params_t) {                    \
    const unit_t *params = (const unit_t *)p.params;               \
    unit_t *out = (unit_t *)p.out;                                 \
    uint64_t threads = berth_gpu_threads();                        \
    for (uint64_t first = berth_gpu_thread(); first < p.units;     \
         first += AHEAD * threads) {                               \
      unit_t units[AHEAD];                                         \
      for (uint64_t k = 0; k < AHEAD; ++k) {                       \
        uint64_t i = first + k * threads;                          \
        if (i < p.units) {                                         \
          const unit_t zero = {0};                                 \
          source_t source = find(&p, i);                           \
          units[k] = source.is_there ? params[source.unit] : zero; \
        }                                                          \
      }                                                            \
      for (uint64_t k = 0; k < AHEAD; ++k) {                       \
        if (first + k * threads < p.units) {                       \
          out[first + k * threads] = units[k];                     \
        }                                                          \
      }                                                            \
    }                                                              \
  }

#define DEFINE_BOTH(size)                                              \
  DEFINE_GATHER(berth_gather_##size, berth_unit_##size, narrow_source) \
  DEFINE_GATHER(berth_gather_wide_##size, berth_unit_##size, wide_source)
BERTH_EACH_UNIT(DEFINE_BOTH)
