// in_top_k.cu - Kernels of InTopKV2: a thread looks through one row.
#include "cuda/math/gpu.cuh"
#include "cuda/math/number.cuh"
#include "cuda/ops/in_top_k_params.h"

BERTH_GPU_FN uint8_t is_finite(float x) {
  return (berth_bits_f32(x) & 0x7f800000U) != 0x7f800000U;
}

#define DEFINE_IN(type, index_t)                                       \
  BERTH_KERNEL(berth_in_top_k_##type, berth_in_top_k_params_t) {       \
    const int64_t k = (int64_t) * (const index_t *)p.k;                \
    BERTH_EACH(i, p.rows) {                                            \
      const float *row = p.predictions + i * p.classes;                \
      const int64_t target = (int64_t)((const index_t *)p.targets)[i]; \
      uint8_t can_say = target >= 0 && target < (int64_t)p.classes;    \
      int64_t larger = 0;                                              \
      for (uint64_t j = 0; can_say && j < p.classes; ++j) {            \
        can_say = is_finite(row[j]);                                   \
        larger += row[j] > row[target] ? 1 : 0;                        \
      }                                                                \
      p.out[i] = can_say && larger < k;                                \
    }                                                                  \
  }
DEFINE_IN(i32, int32_t)
DEFINE_IN(i64, int64_t)
