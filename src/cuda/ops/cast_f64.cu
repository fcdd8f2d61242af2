// cast_f64.cu - Kernels that convert double.
#include "cuda/ops/cast.cuh"

BERTH_CAST_TO_WHOLE(f64, f64, x)
BERTH_CAST(f64, f32, BERTH_CUT(x))
BERTH_CAST(f64, f16, BERTH_CUT(x))
BERTH_CAST(f64, bf16, BERTH_CUT(x))
BERTH_CAST(f64, c64, berth_make_c64((float)x, 0.0f))
BERTH_CAST(f64, c128, berth_make_c128(x, 0.0))
