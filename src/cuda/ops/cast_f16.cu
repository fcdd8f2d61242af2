// cast_f16.cu - Kernels that convert floats of 16 and of 8 bits.
#include "cuda/ops/cast.cuh"

#define CASTS(from, other)             \
  BERTH_CAST_TO_WHOLE(from, f32, x)    \
  BERTH_CAST_TO_REAL(from, x)          \
  BERTH_CAST(from, f32, x)             \
  BERTH_CAST(from, other, x)           \
  BERTH_CAST(from, e5m2, BERTH_CUT(x)) \
  BERTH_CAST(from, e4m3, BERTH_CUT(x))

CASTS(f16, bf16)
CASTS(bf16, f16)

#define CASTS_OF_8(from, other) \
  BERTH_CAST(from, f16, x)      \
  BERTH_CAST(from, bf16, x)     \
  BERTH_CAST(from, f32, x)      \
  BERTH_CAST(from, other, BERTH_CUT(x))

CASTS_OF_8(e5m2, e4m3)
CASTS_OF_8(e4m3, e5m2)
