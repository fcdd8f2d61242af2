// range.cu - The kernels of Range: numbers at equal distances.
//
// Element i is start + i * delta, each operation rounded to the type.
#include "cuda/math/number.cuh"
#include "cuda/ops/range_params.h"

#define RANGE(type, T)                                        \
  BERTH_KERNEL(berth_range_##type, berth_range_params_t) {    \
    const T start = (T)p.start, delta = (T)p.delta;           \
    T *out = (T *)p.out;                                      \
    BERTH_EACH(i, p.count) { out[i] = start + (T)i * delta; } \
  }
RANGE(f32, float)
RANGE(f64, double)

#define ROUND(type, x) berth_load_##type(berth_store_##type(x))

#define RANGE_16(type)                                          \
  BERTH_KERNEL(berth_range_##type, berth_range_params_t) {      \
    const float start = (float)p.start, delta = (float)p.delta; \
    uint16_t *out = (uint16_t *)p.out;                          \
    BERTH_EACH(i, p.count) {                                    \
      const float index = ROUND(type, (float)i);                \
      const float offset = ROUND(type, index * delta);          \
      out[i] = berth_store_##type(start + offset);              \
    }                                                           \
  }
RANGE_16(f16)
RANGE_16(bf16)

BERTH_KERNEL(berth_range_i64, berth_range_params_t) {
  uint64_t *out = (uint64_t *)p.out;
  BERTH_EACH(i, p.count) { out[i] = p.whole_start + i * p.whole_delta; }
}
