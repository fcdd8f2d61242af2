// unary_f16.cu - Kernels of ops with one input: half and bfloat16.
//
// Computed in float and rounded once, but for the linear units and softplus:
// TensorFlow rounds every step of those to the type, and it shows.
#include "cuda/unary.cuh"

#define ROUND(type, x) berth_load_##type(berth_store_##type(x))

#define LINEAR_UNITS(type)                                                 \
  BERTH_UNARY(elu, type, 8, x < 0 ? ROUND(type, berth_exp_f32(x)) - 1 : x) \
  BERTH_UNARY(selu, type, 8,                                               \
              x < 0 ? ROUND(type, (float)BERTH_SELU_SCALE_ALPHA) *         \
                          ROUND(type, ROUND(type, berth_exp_f32(x)) - 1)   \
                    : ROUND(type, (float)BERTH_SELU_SCALE) * x)

BERTH_UNARY_REAL(f16, f32, 8)
BERTH_UNARY_SHORT_CURVES(f16, 8)
LINEAR_UNITS(f16)

// Beyond these the result is x or e^x as it stands.
BERTH_GPU_FN float softplus_half(float x) {
  const float e = ROUND(f16, berth_exp_f32(x));
  return x > 7.01f ? x : (x < -7.01f ? e : berth_log1p_f32(e));
}
BERTH_UNARY(softplus, f16, 8, softplus_half(x))
BERTH_UNARY(softsign, f16, 8, x / (1 + berth_abs_f32(x)))

BERTH_UNARY_REAL(bf16, f32, 8)
BERTH_UNARY_SHORT_CURVES(bf16, 8)
LINEAR_UNITS(bf16)
