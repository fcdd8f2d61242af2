// scatter.cuh - Finding places that are given as indices.
#ifndef BERTH_CUDA_OPS_SCATTER_CUH_
#define BERTH_CUDA_OPS_SCATTER_CUH_

#include "cuda/math/gpu.cuh"
#include "cuda/ops/scatter_params.h"

#define BERTH_OUTSIDE (~(uint64_t)0)

// Returns which slice place |i| is; BERTH_OUTSIDE: there is none.
BERTH_GPU_FN uint64_t berth_place(const berth_scatter_params_t *p, uint64_t i) {
  uint64_t at = 0;
  for (uint32_t d = 0; d < p->depth; ++d) {
    const uint64_t k = i * p->depth + d;
    const int64_t index = p->index_size == 4 ? ((const int32_t *)p->indices)[k]
                                             : ((const int64_t *)p->indices)[k];
    if ((uint64_t)index >= p->dims[d]) return BERTH_OUTSIDE;
    at = at * p->dims[d] + (uint64_t)index;
  }
  return at;
}

// Returns where element |i| of all slices belongs, counted in elements of the
// tensor; BERTH_OUTSIDE: nowhere.
BERTH_GPU_FN uint64_t berth_place_of(const berth_scatter_params_t *p,
                                     uint64_t i) {
  const uint64_t row =
      p->slice_by.divisor != 0 ? BERTH_DIVIDE(i, p->slice_by) : i / p->slice;
  const uint64_t place = berth_place(p, row);
  return place == BERTH_OUTSIDE ? place
                                : place * p->slice + (i - row * p->slice);
}

#endif  // BERTH_CUDA_OPS_SCATTER_CUH_
