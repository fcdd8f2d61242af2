// one_hot.cu - Kernels of OneHot, by the size of an element.
//
// An index out of range leaves its place off everywhere.
#include "cuda/math/gpu.cuh"
#include "cuda/math/unit.cuh"
#include "cuda/ops/one_hot_params.h"

BERTH_GPU_FN int64_t index_at(const berth_one_hot_params_t *p, uint64_t i) {
  switch (p->index_kind) {
    case BERTH_ONE_HOT_I8:
      return ((const int8_t *)p->indices)[i];
    case BERTH_ONE_HOT_U8:
      return ((const uint8_t *)p->indices)[i];
    case BERTH_ONE_HOT_I32:
      return ((const int32_t *)p->indices)[i];
    default:
      return ((const int64_t *)p->indices)[i];
  }
}

// Says whether element |i| of the result is on.
BERTH_GPU_FN uint8_t narrow_is_on(const berth_one_hot_params_t *p, uint64_t i) {
  uint32_t line = BERTH_DIVIDE(i, p->suffix_by);
  uint32_t col = (uint32_t)i - line * p->suffix_by.divisor;
  uint32_t prefix = BERTH_DIVIDE(line, p->depth_by);
  uint32_t depth = line - prefix * p->depth_by.divisor;
  return index_at(p, prefix * p->suffix_by.divisor + col) == (int64_t)depth;
}

BERTH_GPU_FN uint8_t wide_is_on(const berth_one_hot_params_t *p, uint64_t i) {
  uint64_t line = i / p->suffix;
  uint64_t prefix = line / p->depth;
  uint64_t depth = line - prefix * p->depth;
  return index_at(p, prefix * p->suffix + i - line * p->suffix) ==
         (int64_t)depth;
}

#define DEFINE_ONE_HOT(kernel, unit_t, is_on)                    \
  BERTH_KERNEL(kernel, berth_one_hot_params_t) {                 \
    unit_t *out = (unit_t *)p.out;                               \
    const unit_t on = *(const unit_t *)p.on;                     \
    const unit_t off = *(const unit_t *)p.off;                   \
    BERTH_EACH(i, p.count) { out[i] = is_on(&p, i) ? on : off; } \
  }

#define DEFINE_BOTH(size)                                               \
  DEFINE_ONE_HOT(berth_one_hot_##size, berth_unit_##size, narrow_is_on) \
  DEFINE_ONE_HOT(berth_one_hot_wide_##size, berth_unit_##size, wide_is_on)
BERTH_EACH_UNIT(DEFINE_BOTH)

// Results whose last dimension is the new one, in units of 16 bytes: |depth| of
// them in a line. p.count is that of units.
#define DEFINE_LINES(size)                                                \
  BERTH_KERNEL(berth_one_hot_lines_##size, berth_one_hot_params_t) {      \
    enum { PACK = sizeof(berth_unit_x16) / sizeof(berth_unit_##size) };   \
    berth_unit_x16 *out = (berth_unit_x16 *)p.out;                        \
    const berth_unit_##size on = *(const berth_unit_##size *)p.on;        \
    const berth_unit_##size off = *(const berth_unit_##size *)p.off;      \
    BERTH_EACH(i, p.count) {                                              \
      uint32_t line = BERTH_DIVIDE(i, p.depth_by);                        \
      uint32_t first = ((uint32_t)i - line * p.depth_by.divisor) * PACK;  \
      int64_t place = index_at(&p, line) - (int64_t)first;                \
      berth_unit_##size elements[PACK];                                   \
      for (int k = 0; k < PACK; ++k) elements[k] = place == k ? on : off; \
      __builtin_memcpy(&out[i], elements, sizeof(berth_unit_x16));        \
    }                                                                     \
  }
DEFINE_LINES(x1)
DEFINE_LINES(x2)
DEFINE_LINES(x4)
DEFINE_LINES(x8)
