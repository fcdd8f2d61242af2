// cast_complex.cu - Kernels that convert complex numbers.
//
// To anything real goes the real part.
#include "cuda/ops/cast.cuh"

#define CASTS(from, fn)                   \
  BERTH_CAST_TO_WHOLE(from, fn, x.re)     \
  BERTH_CAST(from, f16, BERTH_CUT(x.re))  \
  BERTH_CAST(from, bf16, BERTH_CUT(x.re)) \
  BERTH_CAST(from, f32, BERTH_CUT(x.re))  \
  BERTH_CAST(from, f64, (double)x.re)

CASTS(c64, f32)
CASTS(c128, f64)
BERTH_CAST(c64, c128, berth_make_c128((double)x.re, (double)x.im))
BERTH_CAST(c128, c64, berth_make_c64(BERTH_CUT(x.re), BERTH_CUT(x.im)))
