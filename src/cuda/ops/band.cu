// band.cu - Kernels of MatrixBandPart: what is far from the diagonal is zero.
#include "cuda/ops/band_params.h"

#include "cuda/math/gpu.cuh"
#include "cuda/math/unit.cuh"

#define DEFINE_BAND(size)                                            \
  BERTH_KERNEL(berth_band_##size, berth_band_params_t) {             \
    const berth_unit_##size *in = (const berth_unit_##size *)p.in;   \
    berth_unit_##size *out = (berth_unit_##size *)p.out;             \
    BERTH_EACH(i, p.count) {                                         \
      const berth_unit_##size zero = {0};                            \
      const uint64_t row = berth_gpu_divide(i, p.columns);           \
      const uint64_t column = i - row * p.columns;                   \
      const int64_t below =                                          \
          (int64_t)(row - berth_gpu_divide(row, p.rows) * p.rows) -  \
          (int64_t)column;                                           \
      out[i] = below <= p.lower && -below <= p.upper ? in[i] : zero; \
    }                                                                \
  }

BERTH_EACH_UNIT(DEFINE_BAND)
