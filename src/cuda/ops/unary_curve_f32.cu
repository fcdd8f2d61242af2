// unary_curve_f32.cu - Kernels of functions of one input: float.
#include "cuda/ops/unary.cuh"

BERTH_UNARY_SHORT_CURVES(f32, 4)
BERTH_UNARY(elu, f32, 4, x < 0 ? berth_expm1_f32(x) : x)
BERTH_UNARY(selu, f32, 4,
            x < 0 ? (float)BERTH_SELU_SCALE_ALPHA * berth_expm1_f32(x)
                  : (float)BERTH_SELU_SCALE * x)
BERTH_UNARY(softplus, f32, 4, BERTH_SOFTPLUS(f32, x, 13.94f))
BERTH_UNARY(softsign, f32, 4, x / (1 + berth_abs_f32(x)))
