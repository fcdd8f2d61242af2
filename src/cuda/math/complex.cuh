// complex.cuh - Functions of complex numbers, in double precision.
//
// Those of complex64 are computed in double and rounded. Errors are a few units
// in the last place of the larger part. Infinities and NaN are treated as C
// does where one part alone decides, and give NaN elsewhere.
//
// Pure functions.
#ifndef BERTH_CUDA_MATH_COMPLEX_CUH_
#define BERTH_CUDA_MATH_COMPLEX_CUH_

#include "cuda/math/math.cuh"

BERTH_GPU_FN berth_stored_c128 berth_widen_c64(berth_stored_c64 z) {
  return berth_make_c128((double)z.re, (double)z.im);
}
BERTH_GPU_FN berth_stored_c64 berth_narrow_c128(berth_stored_c128 z) {
  return berth_make_c64((float)z.re, (float)z.im);
}

// Defines the function of complex64 by that of complex128.
#define BERTH_COMPLEX_NARROW(name)                                       \
  BERTH_GPU_FN berth_stored_c64 berth_##name##_c64(berth_stored_c64 z) { \
    return berth_narrow_c128(berth_##name##_c128(berth_widen_c64(z)));   \
  }

BERTH_GPU_FN berth_stored_c128 berth_exp_c128(berth_stored_c128 z) {
  // In two factors: the first alone may be out of range.
  const double half = berth_exp_f64(0.5 * z.re);
  if (z.im == 0.0) return berth_make_c128(half * half, z.im);
  if (half == 0.0) return berth_make_c128(0.0, 0.0);
  return berth_make_c128(half * berth_cos_f64(z.im) * half,
                         half * berth_sin_f64(z.im) * half);
}

// log |z|, accurate where |z| is near 1 too.
BERTH_GPU_FN double berth_log_size_f64(double re, double im) {
  const double a = berth_abs_f64(re), b = berth_abs_f64(im);
  const double large = a > b ? a : b, small = a > b ? b : a;
  if (large > 0.5 && large < 2.0) {
    return 0.5 * berth_log1p_f64((large - 1.0) * (large + 1.0) + small * small);
  }
  return berth_log_f64(berth_hypot_f64(re, im));
}

BERTH_GPU_FN berth_stored_c128 berth_log_c128(berth_stored_c128 z) {
  return berth_make_c128(berth_log_size_f64(z.re, z.im),
                         berth_atan2_f64(z.im, z.re));
}

BERTH_GPU_FN berth_stored_c128 berth_sin_c128(berth_stored_c128 z) {
  return berth_make_c128(berth_sin_f64(z.re) * berth_cosh_f64(z.im),
                         berth_cos_f64(z.re) * berth_sinh_f64(z.im));
}

BERTH_GPU_FN berth_stored_c128 berth_cos_c128(berth_stored_c128 z) {
  return berth_make_c128(berth_cos_f64(z.re) * berth_cosh_f64(z.im),
                         -berth_sin_f64(z.re) * berth_sinh_f64(z.im));
}

BERTH_GPU_FN berth_stored_c128 berth_sinh_c128(berth_stored_c128 z) {
  return berth_make_c128(berth_sinh_f64(z.re) * berth_cos_f64(z.im),
                         berth_cosh_f64(z.re) * berth_sin_f64(z.im));
}

BERTH_GPU_FN berth_stored_c128 berth_cosh_c128(berth_stored_c128 z) {
  return berth_make_c128(berth_cosh_f64(z.re) * berth_cos_f64(z.im),
                         berth_sinh_f64(z.re) * berth_sin_f64(z.im));
}

BERTH_GPU_FN berth_stored_c128 berth_tan_c128(berth_stored_c128 z) {
  const double b = berth_abs_f64(z.im);
  if (b > 20.0) {  // The imaginary part is 1 then.
    const double e = berth_exp_f64(-2.0 * b);
    const double sine = berth_sin_f64(z.re) * berth_cos_f64(z.re);
    return berth_make_c128(
        e == 0.0 ? berth_copysign_f64(0.0, sine) : 4.0 * sine * e,
        berth_copysign_f64(1.0, z.im));
  }
  const double t = berth_tan_f64(z.re), h = berth_tanh_f64(z.im);
  const double c = berth_cosh_f64(z.im);
  const double size = 1.0 + t * t * h * h;
  return berth_make_c128(t / (c * c) / size, h * (1.0 + t * t) / size);
}

// The root whose real part is not negative. Halves of sizes do not overflow.
BERTH_GPU_FN berth_stored_c128 berth_sqrt_c128(berth_stored_c128 z) {
  const double size = berth_hypot_f64(0.5 * z.re, 0.5 * z.im);
  const double t = berth_sqrt_f64(0.5 * berth_abs_f64(z.re) + size);
  if (t == 0.0) return berth_make_c128(0.0, z.im);
  const double other = 0.5 * z.im / t;
  if (z.re >= 0.0) return berth_make_c128(t, other);
  return berth_make_c128(berth_abs_f64(other), berth_copysign_f64(t, z.im));
}

// z / |z|; 0 for 0.
BERTH_GPU_FN berth_stored_c128 berth_sign_c128(berth_stored_c128 z) {
  const double size = berth_hypot_f64(z.re, z.im);
  if (size == 0.0) return berth_make_c128(0.0, 0.0);
  return berth_make_c128(z.re / size, z.im / size);
}

// Negation, and 1 / z; of something infinite the latter is 0.
#define BERTH_COMPLEX_INVERSES(type, inf)                                    \
  BERTH_GPU_FN berth_stored_##type berth_neg_##type(berth_stored_##type z) { \
    return berth_make_##type(-z.re, -z.im);                                  \
  }                                                                          \
  BERTH_GPU_FN berth_stored_##type berth_reciprocal_##type(                  \
      berth_stored_##type z) {                                               \
    const berth_stored_##type one = berth_make_##type(1, 0);                 \
    const int is_infinite =                                                  \
        z.re == inf || z.re == -inf || z.im == inf || z.im == -inf;          \
    return is_infinite ? berth_make_##type(0, 0) : berth_div_##type(one, z); \
  }

BERTH_COMPLEX_INVERSES(c64, BERTH_INF_F32)
BERTH_COMPLEX_INVERSES(c128, BERTH_INF_F64)

BERTH_COMPLEX_NARROW(exp)
BERTH_COMPLEX_NARROW(log)
BERTH_COMPLEX_NARROW(sin)
BERTH_COMPLEX_NARROW(cos)
BERTH_COMPLEX_NARROW(tan)
BERTH_COMPLEX_NARROW(sinh)
BERTH_COMPLEX_NARROW(cosh)
BERTH_COMPLEX_NARROW(sign)
BERTH_COMPLEX_NARROW(sqrt)

#endif  // BERTH_CUDA_MATH_COMPLEX_CUH_
