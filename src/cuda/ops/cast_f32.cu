// cast_f32.cu - Kernels that convert float.
#include "cuda/ops/cast.cuh"

BERTH_CAST_TO_WHOLE(f32, f32, x)
BERTH_CAST_TO_REAL(f32, x)
BERTH_CAST(f32, f16, BERTH_CUT(x))
BERTH_CAST(f32, bf16, BERTH_CUT(x))
BERTH_CAST(f32, e5m2, BERTH_CUT(x))
BERTH_CAST(f32, e4m3, BERTH_CUT(x))
