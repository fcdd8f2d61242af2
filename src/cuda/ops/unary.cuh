// unary.cuh - Kernels of ops with one input, by groups of types.
//
// |type| is the short name of the elements, |fn| the one of the functions that
// compute with them, |pack| how many elements are 16 bytes.
#ifndef BERTH_CUDA_OPS_UNARY_CUH_
#define BERTH_CUDA_OPS_UNARY_CUH_

#include "cuda/math/math.cuh"
#include "cuda/ops/elementwise.cuh"

// Comparisons are written so that a NaN stays one.
#define BERTH_UNARY_REAL(type, fn, pack)                                     \
  BERTH_UNARY(neg, type, pack, -x)                                           \
  BERTH_UNARY(abs, type, pack, berth_abs_##fn(x))                            \
  BERTH_UNARY(square, type, pack, x *x)                                      \
  BERTH_UNARY(sign, type, pack, x > 0 ? 1 : (x < 0 ? -1 : (x == 0 ? 0 : x))) \
  BERTH_UNARY(sqrt, type, pack, berth_sqrt_##fn(x))                          \
  BERTH_UNARY(rsqrt, type, pack, berth_rsqrt_##fn(x))                        \
  BERTH_UNARY(reciprocal, type, pack, 1 / x)                                 \
  BERTH_UNARY(floor, type, pack, berth_floor_##fn(x))                        \
  BERTH_UNARY(ceil, type, pack, berth_ceil_##fn(x))                          \
  BERTH_UNARY(round, type, pack, berth_rint_##fn(x))                         \
  BERTH_UNARY(relu, type, pack, x <= 0 ? 0 : x)                              \
  BERTH_UNARY(relu6, type, pack, x <= 0 ? 0 : (x > 6 ? 6 : x))               \
  BERTH_UNARY(leaky_relu, type, pack,                                        \
              x > 0 ? x : x * (berth_working_##type)parameter)               \
  BERTH_UNARY_TO(is_nan, type, b8, pack, x != x)                             \
  BERTH_UNARY_TO(is_inf, type, b8, pack,                                     \
                 berth_abs_##fn(x) == (berth_working_##type)BERTH_INF_F64)   \
  BERTH_UNARY_TO(is_finite, type, b8, pack,                                  \
                 berth_abs_##fn(x) < (berth_working_##type)BERTH_INF_F64)

// Functions that are computed in about the time it takes to read an element.
#define BERTH_UNARY_SHORT_CURVES(type, pack)             \
  BERTH_UNARY(exp, type, pack, berth_exp_f32(x))         \
  BERTH_UNARY(expm1, type, pack, berth_expm1_f32(x))     \
  BERTH_UNARY(log, type, pack, berth_log_f32(x))         \
  BERTH_UNARY(log1p, type, pack, berth_log1p_f32(x))     \
  BERTH_UNARY(sigmoid, type, pack, berth_sigmoid_f32(x)) \
  BERTH_UNARY(tanh, type, pack, berth_tanh_f32(x))       \
  BERTH_UNARY(erf, type, pack, berth_erf_f32(x))         \
  BERTH_UNARY(erfc, type, pack, berth_erfc_f32(x))       \
  BERTH_UNARY_LONG(sin, type, berth_sin_f32(x))          \
  BERTH_UNARY_LONG(cos, type, berth_cos_f32(x))          \
  BERTH_UNARY_LONG(tan, type, berth_tan_f32(x))

// Constants of the scaled exponential linear unit.
#define BERTH_SELU_SCALE 1.0507009873554805
#define BERTH_SELU_SCALE_ALPHA 1.7580993408473768

// log(1 + e^x); beyond |limit| it is x or e^x as far as the type can tell.
#define BERTH_SOFTPLUS(fn, x, limit)                   \
  ((x) > (limit) ? (x)                                 \
                 : ((x) < -(limit) ? berth_exp_##fn(x) \
                                   : berth_log1p_##fn(berth_exp_##fn(x))))

// |x| as the type has it.
#define BERTH_ROUND(type, x) berth_load_##type(berth_store_##type(x))

// The linear units of half and bfloat16: TensorFlow rounds every step of these
// to the type, and it shows.
#define BERTH_UNARY_LINEAR(type)                                             \
  BERTH_UNARY(elu, type, 8,                                                  \
              x < 0 ? BERTH_ROUND(type, berth_exp_f32(x)) - 1 : x)           \
  BERTH_UNARY(                                                               \
      selu, type, 8,                                                         \
      x < 0 ? BERTH_ROUND(type, (float)BERTH_SELU_SCALE_ALPHA) *             \
                  BERTH_ROUND(type, BERTH_ROUND(type, berth_exp_f32(x)) - 1) \
            : BERTH_ROUND(type, (float)BERTH_SELU_SCALE) * x)

#endif  // BERTH_CUDA_OPS_UNARY_CUH_
