// special.cuh - Inverses of angles and curves, and special functions
// (op/special.inc), in double.
//
// Kernels of smaller types round what these give. Pure functions.
#ifndef BERTH_CUDA_MATH_SPECIAL_CUH_
#define BERTH_CUDA_MATH_SPECIAL_CUH_

#include <stdbool.h>

#include "cuda/math/math.cuh"

// ---- Inverses ----

BERTH_GPU_FN double berth_asin_f64(double x) {
  return berth_atan2_f64(x, berth_sqrt_f64((1 - x) * (1 + x)));
}
BERTH_GPU_FN double berth_acos_f64(double x) {
  return berth_atan2_f64(berth_sqrt_f64((1 - x) * (1 + x)), x);
}
// Beyond it a square is infinite, and 1 does not show beside it.
#define BERTH_LARGE_F64 1e150
#define BERTH_LOG_2_F64 0.69314718055994530942
BERTH_GPU_FN double berth_asinh_f64(double x) {
  const double a = berth_abs_f64(x);
  const double y =
      a > BERTH_LARGE_F64
          ? berth_log_f64(a) + BERTH_LOG_2_F64
          : berth_log1p_f64(a + a * a / (1 + berth_sqrt_f64(a * a + 1)));
  return berth_copysign_f64(y, x);
}
BERTH_GPU_FN double berth_acosh_f64(double x) {
  const double t = x - 1;
  if (x < 1) return BERTH_NAN_F64;
  return x > BERTH_LARGE_F64
             ? berth_log_f64(x) + BERTH_LOG_2_F64
             : berth_log1p_f64(t + berth_sqrt_f64(2 * t + t * t));
}
BERTH_GPU_FN double berth_atanh_f64(double x) {
  const double a = berth_abs_f64(x);
  if (a > 1) return BERTH_NAN_F64;
  return berth_copysign_f64(0.5 * berth_log1p_f64(2 * a / (1 - a)), x);
}

// ---- Neighbours ----

#define BERTH_NEXT(type, real_t, bits_t)                          \
  BERTH_GPU_FN real_t berth_next_##type(real_t x, real_t y) {     \
    if (x != x || y != y) return x + y;                           \
    if (x == y) return y;                                         \
    bits_t bits = berth_bits_##type(x);                           \
    if (x == 0) {                                                 \
      return berth_copysign_##type(berth_from_bits_##type(1), y); \
    }                                                             \
    bits += (x < y) == (x > 0) ? (bits_t)1 : ~(bits_t)0;          \
    return berth_from_bits_##type(bits);                          \
  }
BERTH_NEXT(f32, float, uint32_t)
BERTH_NEXT(f64, double, uint64_t)

// ---- Gamma ----

// log(Gamma(1 + t)) for small t, of zeta's values: exact where it is zero.
BERTH_GPU_FN double berth_lgamma_near_f64(double t) {
  // (zeta(k) - 1) / k for k from 2; the rest is t - log(1 + t).
  static const double factors[] = {
      3.2246703342411320e-01, 6.7352301053198102e-02, 2.0580808427784546e-02,
      7.3855510286739857e-03, 2.8905103307415234e-03, 1.1927539117032610e-03,
      5.0966952474304245e-04, 2.2315475845357939e-04, 9.9457512781808531e-05,
      4.4926236738133142e-05, 2.0507212775670691e-05, 9.4394882752683967e-06,
      4.3748667899074882e-06, 2.0392157538013662e-06, 9.5514121304074194e-07,
      4.4924691987645662e-07, 2.1207184805554665e-07, 1.0043224823968099e-07,
      4.7698101693639804e-08, 2.2711094608943164e-08, 1.0838659214896955e-08,
      5.1834750419700466e-09};
  double sum = 0;
  for (int k = 21; k >= 0; --k) sum = factors[k] - t * sum;
  return 0.42278433509846714 * t - berth_log1p_f64(t) + t * t * sum;
}

// log(|Gamma(x)|) for x of at least 1/2: Stirling's series, from 10 on.
BERTH_GPU_FN double berth_lgamma_right_f64(double x) {
  double below = 1;
  if (x > 0.75 && x < 1.25) return berth_lgamma_near_f64(x - 1);
  if (x > 1.75 && x < 2.25) {
    return berth_lgamma_near_f64(x - 2) + berth_log1p_f64(x - 2);
  }
  for (; x < 10; x += 1) below *= x;
  const double z = 1 / (x * x);
  const double series =
      (1.0 / 12 -
       z * (1.0 / 360 - z * (1.0 / 1260 -
                             z * (1.0 / 1680 -
                                  z * (1.0 / 1188 - z * (691.0 / 360360 -
                                                         z * (1.0 / 156))))))) /
      x;
  // The logarithm once: x itself may be as large as there are numbers.
  return (x - 0.5) * (berth_log_f64(x) - 1) + 0.41893853320467274178 + series -
         berth_log_f64(below);
}

BERTH_GPU_FN double berth_lgamma_f64(double x) {
  if (x != x) return x;
  if (berth_abs_f64(x) == BERTH_INF_F64) return BERTH_INF_F64;
  if (x >= 0.5) return berth_lgamma_right_f64(x);
  const double part = x - berth_floor_f64(x);
  if (part == 0) return BERTH_INF_F64;
  // Gamma(x) Gamma(1 - x) = pi / sin(pi x).
  const double near = part > 0.5 ? 1 - part : part;
  return berth_log_f64(3.14159265358979323846 /
                       berth_sin_f64(3.14159265358979323846 * near)) -
         berth_lgamma_right_f64(1 - x);
}

// The derivative in float, whose rounding shows in TensorFlow's.
BERTH_GPU_FN double berth_digamma_f64(double x);
BERTH_GPU_FN float berth_digamma_f32(float x) {
  if (!(x > 0) || x == BERTH_INF_F64) return (float)berth_digamma_f64(x);
  float sum = 0;
  for (; x < 10; ++x) sum += 1 / x;
  const float z = 1 / (x * x);
  const float series =
      z * (z * (z * (z * -4.16666667e-3F + 3.96825397e-3F) - 8.33333333e-3F) +
           8.33333333e-2F);
  return berth_log_f32(x) - 0.5F / x - series - sum;
}

// ---- Others ----

#define SPECIAL(name) BERTH_GPU_FN double berth_##name##_f64
#define STEP BERTH_GPU_FN
#define S(name) berth_##name##_f64
#define M(name) berth_##name##_f64
#include "op/special.inc"

#endif  // BERTH_CUDA_MATH_SPECIAL_CUH_
