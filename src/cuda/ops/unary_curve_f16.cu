// unary_curve_f16.cu - Kernels of functions of one input: half.
//
// Computed in float and rounded once, but where TensorFlow rounds every step.
#include "cuda/ops/unary.cuh"

BERTH_UNARY_SHORT_CURVES(f16, 8)
BERTH_UNARY_LINEAR(f16)

// Beyond these the result is x or e^x as it stands.
BERTH_GPU_FN float softplus_half(float x) {
  const float e = BERTH_ROUND(f16, berth_exp_f32(x));
  return x > 7.01f ? x : (x < -7.01f ? e : berth_log1p_f32(e));
}
BERTH_UNARY(softplus, f16, 8, softplus_half(x))
BERTH_UNARY(softsign, f16, 8, x / (1 + berth_abs_f32(x)))
