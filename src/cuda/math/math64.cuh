// math64.cuh - Functions of double, the same on cards and on the host.
//
// As math32.cuh. Errors in units in the last place, checked by math_test.c:
// exp, log, log1p, sin, cos, pow, atan2, hypot 2; expm1, tan, tanh, sinh, cosh,
// erf 4; erfc 16. sqrt, division, floor, ceil, rint, trunc, fmod are exact or
// correctly rounded.
//
// Pure functions.
#ifndef BERTH_CUDA_MATH_MATH64_CUH_
#define BERTH_CUDA_MATH_MATH64_CUH_

#include "cuda/math/number.cuh"

#define BERTH_INF_F64 __builtin_inf()
#define BERTH_NAN_F64 __builtin_nan("")

BERTH_GPU_FN double berth_fma_f64(double a, double b, double c) {
  return __builtin_fma(a, b, c);
}
BERTH_GPU_FN double berth_abs_f64(double x) { return __builtin_fabs(x); }
BERTH_GPU_FN double berth_copysign_f64(double x, double sign) {
  return __builtin_copysign(x, sign);
}
BERTH_GPU_FN double berth_sqrt_f64(double x) { return __builtin_sqrt(x); }
BERTH_GPU_FN double berth_rsqrt_f64(double x) {
  return 1.0 / __builtin_sqrt(x);
}
BERTH_GPU_FN double berth_floor_f64(double x) { return __builtin_floor(x); }
BERTH_GPU_FN double berth_ceil_f64(double x) { return __builtin_ceil(x); }
BERTH_GPU_FN double berth_rint_f64(double x) { return __builtin_rint(x); }
BERTH_GPU_FN double berth_trunc_f64(double x) { return __builtin_trunc(x); }

// The value of coefficients c[0] + c[1] x + … by Horner's rule; the loop
// becomes straight code.
#define BERTH_POLYNOMIAL_F64(name, count, ...)                          \
  BERTH_GPU_FN double name(double x) {                                  \
    const double c[count] = {__VA_ARGS__};                              \
    double y = c[count - 1];                                            \
    for (int i = count - 2; i >= 0; --i) y = berth_fma_f64(x, y, c[i]); \
    return y;                                                           \
  }

// ---- Exponential functions ----

// As BERTH_ROUNDER_F32.
#define BERTH_ROUNDER_F64 6755399441055744.0

// ln 2; n times the first part is exact for whole numbers below 2^20.
#define BERTH_LN2_HIGH 0.693147180369123816
#define BERTH_LN2_LOW 1.90821492927058770e-10

// 2^n for n in [-1022, 1023].
BERTH_GPU_FN double berth_power_of_2_f64(int64_t n) {
  return berth_from_bits_f64((uint64_t)(n + 1023) << 52);
}

// y * 2^n, in two steps, so that the result may be denormal.
BERTH_GPU_FN double berth_scale_f64(double y, int64_t n) {
  return y * berth_power_of_2_f64(n / 2) * berth_power_of_2_f64(n - n / 2);
}

// (e^r - 1 - r) / r^2 on |r| <= ln 2 / 2: 1/2! + r/3! + … + r^11/13!.
BERTH_POLYNOMIAL_F64(berth_exp_rest_f64, 12, 0.5, 1.6666666666666666e-01,
                     4.1666666666666664e-02, 8.333333333333333e-03,
                     1.388888888888889e-03, 1.984126984126984e-04,
                     2.4801587301587302e-05, 2.7557319223985893e-06,
                     2.7557319223985888e-07, 2.505210838544172e-08,
                     2.08767569878681e-09, 1.6059043836821613e-10)

// As berth_exp_parts_f32(), of x + low, for x in [-760, 720] or NaN.
BERTH_GPU_FN double berth_exp_parts_f64(double x, double low, int64_t *out_n) {
  const double shifted =
      berth_fma_f64(x, 1.4426950408889634, BERTH_ROUNDER_F64);
  const double n = shifted - BERTH_ROUNDER_F64;
  *out_n = (int64_t)(berth_bits_f64(shifted) - UINT64_C(0x4338000000000000));
  double r = berth_fma_f64(n, -BERTH_LN2_HIGH, x);
  r = berth_fma_f64(n, -BERTH_LN2_LOW, r) + low;
  return berth_fma_f64(r * r, berth_exp_rest_f64(r), r);
}

// e^(x + low), where |low| is below a unit in the last place of x or so.
BERTH_GPU_FN double berth_exp_sum_f64(double x, double low) {
  // Beyond these the result is 0 or infinite whatever x is.
  double c = x < -760.0 ? -760.0 : x;
  c = c > 720.0 ? 720.0 : c;
  int64_t n;
  const double y = berth_exp_parts_f64(c, low, &n) + 1.0;
  return x != x ? x : berth_scale_f64(y, n);
}

BERTH_GPU_FN double berth_exp_f64(double x) { return berth_exp_sum_f64(x, 0); }

BERTH_GPU_FN double berth_expm1_f64(double x) {
  double c = x < -50.0 ? -50.0 : x;
  c = c > 720.0 ? 720.0 : c;
  int64_t n;
  const double e = berth_exp_parts_f64(c, 0, &n);
  if (x != x || x == 0.0) return x;
  // Half of 2^n, which n = 1024 would take out of range.
  n = n > 1024 ? 1024 : n;
  const double s = berth_power_of_2_f64(n - 1);
  const double y = 2.0 * berth_fma_f64(s, e, s - 0.5);
  return x > 710.0 ? BERTH_INF_F64 : y;
}

BERTH_GPU_FN double berth_tanh_f64(double x) {
  const double a = berth_abs_f64(x);
  const double e = berth_expm1_f64(2.0 * (a > 20.0 ? 20.0 : a));
  return berth_copysign_f64(e / (e + 2.0), x);
}

BERTH_GPU_FN double berth_sinh_f64(double x) {
  const double a = berth_abs_f64(x);
  const double e = berth_expm1_f64(a > 40.0 ? 40.0 : a);
  double y = 0.5 * (e + e / (e + 1.0));
  // e^a itself may be out of range where half of it is not.
  if (a > 40.0) y = berth_exp_f64(a - 1.0) * 1.3591409142295225;
  return berth_copysign_f64(y, x);
}

BERTH_GPU_FN double berth_cosh_f64(double x) {
  const double a = berth_abs_f64(x);
  if (a > 40.0) return berth_exp_f64(a - 1.0) * 1.3591409142295225;
  const double e = berth_exp_f64(a);
  return 0.5 * e + 0.5 / e;
}

// 1 / (1 + e^-x), from the side where e^-|x| cannot overflow.
BERTH_GPU_FN double berth_sigmoid_f64(double x) {
  const double e = berth_exp_f64(-berth_abs_f64(x));
  return (x < 0.0 ? e : 1.0) / (1.0 + e);
}

// ---- Logarithms ----

// x = m * 2^e with m in [sqrt(1/2), sqrt(2)). Stores e, returns m; x > 0.
BERTH_GPU_FN double berth_split_f64(double x, double *out_e) {
  const int tiny = x < 2.2250738585072014e-308;
  const uint64_t root = UINT64_C(0x3fe6a09e667f3bcd);  // Of sqrt(1/2).
  const uint64_t bits =
      berth_bits_f64(tiny ? x * 18014398509481984.0 : x) - root;
  *out_e = (double)((int64_t)bits >> 52) - (tiny ? 54.0 : 0.0);
  return berth_from_bits_f64((bits & UINT64_C(0x000fffffffffffff)) + root);
}

// 2/3 + 2/5 z + … + 2/21 z^9: what the first term leaves of 2 atanh(s) / s^3,
// with z = s^2.
BERTH_POLYNOMIAL_F64(berth_log_rest_f64, 10, 2.0 / 3, 2.0 / 5, 2.0 / 7, 2.0 / 9,
                     2.0 / 11, 2.0 / 13, 2.0 / 15, 2.0 / 17, 2.0 / 19, 2.0 / 21)

BERTH_GPU_FN double berth_log_f64(double x) {
  double e;
  const double f = berth_split_f64(x, &e) - 1.0;
  // log(1 + f) = 2 atanh(s) with s = f / (2 + f), and 2 s = f - s f.
  const double s = f / (2.0 + f), z = s * s;
  const double half = 0.5 * f * f;
  const double rest = s * (half + z * berth_log_rest_f64(z));
  double y = e * BERTH_LN2_HIGH - ((half - (rest + e * BERTH_LN2_LOW)) - f);
  y = x == 0.0 ? -BERTH_INF_F64 : y;
  y = x < 0.0 ? BERTH_NAN_F64 : y;
  return x < BERTH_INF_F64 ? y : x;
}

BERTH_GPU_FN double berth_log1p_f64(double x) {
  // log(u) is off by what was lost in u = 1 + x.
  const double u = 1.0 + x;
  const double lost = (x - (u - 1.0)) / u;
  double y = berth_log_f64(u) + lost;
  y = u == 0.0 ? -BERTH_INF_F64 : y;
  y = x == 0.0 ? x : y;
  return x < BERTH_INF_F64 ? y : x;
}

// ---- Powers ----

// 2/5 + 2/7 z + … + 2/23 z^9.
BERTH_POLYNOMIAL_F64(berth_pow_rest_f64, 10, 2.0 / 5, 2.0 / 7, 2.0 / 9,
                     2.0 / 11, 2.0 / 13, 2.0 / 15, 2.0 / 17, 2.0 / 19, 2.0 / 21,
                     2.0 / 23)

// log(x) for finite x > 0 as the sum of the result and |*out_low|, good to some
// 65 bits: powers multiply its error by up to 745.
BERTH_GPU_FN double berth_log_sum_f64(double x, double *out_low) {
  double e;
  const double m = berth_split_f64(x, &e);
  // s + s_low = (m - 1) / (m + 1), with all of the divisor.
  const double f = m - 1.0, g = m + 1.0, g_low = m - (g - 1.0);
  const double s = f / g;
  const double s_low = (berth_fma_f64(-s, g, f) - s * g_low) / g;
  // 2 s^3 / 3 as a sum; what is behind it is small enough for one double.
  const double z = s * s, z_low = berth_fma_f64(s, s, -z) + 2.0 * s * s_low;
  const double c = z * s,
               c_low = berth_fma_f64(z, s, -c) + z_low * s + z * s_low;
  const double third = 2.0 / 3, third_low = 3.700743415417188e-17;
  const double t = c * third;
  const double t_low =
      berth_fma_f64(c, third, -t) + c * third_low + c_low * third;
  const double rest = c * z * berth_pow_rest_f64(z);
  // e ln 2 + 2 s + t, from the largest down.
  const double a = e * BERTH_LN2_HIGH, b = a + 2.0 * s;
  const double b_low = e != 0.0 ? 2.0 * s - (b - a) : 0.0;
  const double y = b + t;
  const double y_low = t - (y - b);
  *out_low =
      y_low + (b_low + (t_low + (rest + (2.0 * s_low + e * BERTH_LN2_LOW))));
  return y;
}

// 0: y is no whole number; 1: an odd one; 2: an even one.
BERTH_GPU_FN int berth_parity_f64(double y) {
  if (berth_abs_f64(y) >= 9007199254740992.0) return 2;
  if (berth_trunc_f64(y) != y) return 0;
  return ((int64_t)y & 1) != 0 ? 1 : 2;
}

// x^y for x >= 0 where neither is NaN, and x is not 1, nor y 0.
BERTH_GPU_FN double berth_pow_positive_f64(double x, double y) {
  if (x == 0.0) return y > 0.0 ? 0.0 : BERTH_INF_F64;
  if (x == BERTH_INF_F64) return y > 0.0 ? BERTH_INF_F64 : 0.0;
  if (berth_abs_f64(y) == BERTH_INF_F64) {
    return (x > 1.0) == (y > 0.0) ? BERTH_INF_F64 : 0.0;
  }
  double low;
  const double high = berth_log_sum_f64(x, &low);
  const double product = y * high;
  if (!(berth_abs_f64(product) < 800.0)) {
    return product > 0.0 ? BERTH_INF_F64 : 0.0;
  }
  return berth_exp_sum_f64(product, berth_fma_f64(y, high, -product) + y * low);
}

BERTH_GPU_FN double berth_pow_f64(double x, double y) {
  if (y == 0.0 || x == 1.0) return 1.0;
  if (x != x || y != y) return x + y;
  const int parity = berth_parity_f64(y);
  const int is_negative = (berth_bits_f64(x) >> 63) != 0;
  const double a = berth_abs_f64(x);
  if (x < 0.0 && parity == 0 && a != BERTH_INF_F64 &&
      berth_abs_f64(y) != BERTH_INF_F64) {
    return BERTH_NAN_F64;
  }
  const double p = a == 1.0 ? 1.0 : berth_pow_positive_f64(a, y);
  return is_negative && parity == 1 ? -p : p;
}

// ---- Angles ----

// Bits of 2/pi behind the point.
#define BERTH_TWO_OVER_PI                                         \
  UINT64_C(0xa2f9836e4e441529), UINT64_C(0xfc2757d1f534ddc0),     \
      UINT64_C(0xdb6295993c439041), UINT64_C(0xfe5163abdebbc561), \
      UINT64_C(0xb7246e3a424dd2e0), UINT64_C(0x06492eea09d1921c), \
      UINT64_C(0xfe1deb1cb129a73e), UINT64_C(0xe88235f52ebb4484), \
      UINT64_C(0xe99c7026b45f7e41), UINT64_C(0x3991d639835339f4), \
      UINT64_C(0x9c845f8bbdf9283b), UINT64_C(0x1ff897ffde05980f), \
      UINT64_C(0xef2f118b5a0a6d1f), UINT64_C(0x6d367ecf27cb09b7), \
      UINT64_C(0x4f463f669e5fea2d), UINT64_C(0x7527bac7ebe5f17b), \
      UINT64_C(0x3d0739f78a5292ea), UINT64_C(0x6bfb5fb11f8d5d08), \
      UINT64_C(0x56033046fc7b6bab), UINT64_C(0xf0cfbc209af4361d)

// The upper half of a * b.
BERTH_GPU_FN uint64_t berth_mul_high_u64(uint64_t a, uint64_t b) {
  const uint64_t a1 = a >> 32, a0 = a & 0xffffffffU;
  const uint64_t b1 = b >> 32, b0 = b & 0xffffffffU;
  const uint64_t middle = a1 * b0 + (a0 * b0 >> 32);
  const uint64_t other = a0 * b1 + (middle & 0xffffffffU);
  return a1 * b1 + (middle >> 32) + (other >> 32);
}

// The 64 bits of 2/pi from bit |at| on (0: the first behind the point; bits
// before it are zeros).
BERTH_GPU_FN uint64_t berth_two_over_pi(int at) {
  const uint64_t words[] = {BERTH_TWO_OVER_PI};
  if (at <= -64) return 0;
  if (at < 0) return words[0] >> -at;
  const int word = at / 64, shift = at % 64;
  const uint64_t first = words[word] << shift;
  return shift == 0 ? first : first | words[word + 1] >> (64 - shift);
}

// x = n * pi/2 + r + low with |r| <= pi/4, for |x| >= 1: multiplies the digits
// of x with those of 2/pi that decide the result modulo 4.
BERTH_GPU_FN double berth_quarters_far_f64(double x, uint32_t *out_n,
                                           double *out_low) {
  const uint64_t bits = berth_bits_f64(x);
  const uint64_t digits =
      (bits & UINT64_C(0x000fffffffffffff)) | UINT64_C(0x0010000000000000);
  // x = digits * 2^exponent. The first of 192 bits of 2/pi is worth 2^-at-1,
  // so that the product's weight of 4 is the first bit that falls out.
  const int exponent = (int)(bits >> 52 & 0x7ff) - 1075;
  const int at = exponent - 2;
  const uint64_t w2 = berth_two_over_pi(at);
  const uint64_t w1 = berth_two_over_pi(at + 64);
  const uint64_t w0 = berth_two_over_pi(at + 128);
  // digits * (w2, w1, w0), without what overflows or is worth nothing: as a
  // number with two bits before the point.
  const uint64_t low = berth_mul_high_u64(digits, w0);
  const uint64_t p0 = digits * w1 + low;
  const uint64_t carry = p0 < low;
  uint64_t p1 = digits * w2 + berth_mul_high_u64(digits, w1) + carry;
  uint64_t quarter = p1 >> 62;
  // The fraction, signed: from the nearest quarter.
  uint64_t high = p1 << 2 | p0 >> 62, rest = p0 << 2;
  const int is_above = (high >> 63) != 0;
  quarter += (uint64_t)is_above;
  if (is_above) {
    rest = 0 - rest;
    high = ~high + (rest == 0);
  }
  const double scale = 5.421010862427522e-20;  // 2^-64.
  const double upper = (double)(high >> 11 << 11) * scale;
  const double lower = ((double)(high & 0x7ff) + (double)rest * scale) * scale;
  // Times pi/2.
  double r = upper * 1.5707963267948966;
  double r_low = berth_fma_f64(upper, 1.5707963267948966, -r) +
                 upper * 6.123233995736766e-17 + lower * 1.5707963267948966;
  const int is_negative = (bits >> 63 != 0) != is_above;
  *out_n = (uint32_t)(bits >> 63 != 0 ? 0 - quarter : quarter) & 3;
  *out_low = is_negative ? -r_low : r_low;
  return is_negative ? -r : r;
}

// x = n * pi/2 + r + low with |r| <= pi/4, for |x| <= 2^20. Stores n modulo 4,
// returns r.
BERTH_GPU_FN double berth_quarters_near_f64(double x, uint32_t *out_n,
                                            double *out_low) {
  const double shifted =
      berth_fma_f64(x, 0.6366197723675814, BERTH_ROUNDER_F64);
  const double n = shifted - BERTH_ROUNDER_F64;
  *out_n = (uint32_t)berth_bits_f64(shifted) & 3;
  // The first difference is exact: both sides are multiples of 2^-52.
  const double a = berth_fma_f64(n, -1.5707963267948966, x);
  const double w = n * 6.123233995736766e-17;
  const double w_low = berth_fma_f64(n, 6.123233995736766e-17, -w);
  const double r = a - w;
  const double back = r - a;
  *out_low =
      (a - (r - back)) - (w + back) - w_low - n * -1.4973849048591698e-33;
  return r;
}

// The same for any x.
BERTH_GPU_FN double berth_quarters_f64(double x, uint32_t *out_n,
                                       double *out_low) {
  *out_low = 0.0;
  *out_n = 0;
  if (!(berth_abs_f64(x) < BERTH_INF_F64)) return BERTH_NAN_F64;
  return berth_abs_f64(x) > 1048576.0
             ? berth_quarters_far_f64(x, out_n, out_low)
             : berth_quarters_near_f64(x, out_n, out_low);
}

// (sin(r) / r - 1) / r^2 in r^2: -1/3! + r^2/5! - …; and (cos(r) - 1 + r^2/2)
// / r^4: 1/4! - r^2/6! + …, for |r| <= pi/4.
BERTH_POLYNOMIAL_F64(berth_sin_rest_f64, 8, -1.6666666666666666e-01,
                     8.3333333333333332e-03, -1.9841269841269841e-04,
                     2.7557319223985893e-06, -2.5052108385441718e-08,
                     1.6059043836821613e-10, -7.6471637318198164e-13,
                     2.8114572543455206e-15)
BERTH_POLYNOMIAL_F64(berth_cos_rest_f64, 8, 4.1666666666666664e-02,
                     -1.3888888888888889e-03, 2.4801587301587302e-05,
                     -2.7557319223985888e-07, 2.08767569878681e-09,
                     -1.1470745597729725e-11, 4.7794773323873853e-14,
                     -1.5619206968586225e-16)

// Of r + low, |r| <= pi/4.
BERTH_GPU_FN double berth_sin_near_f64(double r, double low) {
  const double s = r * r;
  const double tail = berth_fma_f64(r * s, berth_sin_rest_f64(s),
                                    berth_fma_f64(s, -0.5 * low, low));
  return r == 0.0 ? r : r + tail;  // A zero keeps its sign.
}
BERTH_GPU_FN double berth_cos_near_f64(double r, double low) {
  const double s = r * r, half = 0.5 * s, w = 1.0 - half;
  const double tail = berth_fma_f64(s * s, berth_cos_rest_f64(s), -r * low);
  return w + (((1.0 - w) - half) + tail);
}

// The sine |quarters| of a turn further on.
BERTH_GPU_FN double berth_sin_turned_f64(double x, uint32_t quarters) {
  uint32_t n;
  double low;
  const double r = berth_quarters_f64(x, &n, &low);
  n += quarters;
  const double y =
      (n & 1) != 0 ? berth_cos_near_f64(r, low) : berth_sin_near_f64(r, low);
  return (n & 2) != 0 ? -y : y;
}

BERTH_GPU_FN double berth_sin_f64(double x) {
  return berth_sin_turned_f64(x, 0);
}
BERTH_GPU_FN double berth_cos_f64(double x) {
  return berth_sin_turned_f64(x, 1);
}

BERTH_GPU_FN double berth_tan_f64(double x) {
  uint32_t n;
  double low;
  const double r = berth_quarters_f64(x, &n, &low);
  const double sine = berth_sin_near_f64(r, low);
  const double cosine = berth_cos_near_f64(r, low);
  return (n & 1) != 0 ? -cosine / sine : sine / cosine;
}

// (atan(x) / x - 1) / x^2 in x^2, for |x| <= tan(pi/8).
BERTH_POLYNOMIAL_F64(berth_atan_rest_f64, 12, -0.333333333333333332,
                     0.199999999999998025, -0.142857142856593273,
                     0.111111111051067051, -0.0909090875107663588,
                     0.0769229630497447006, -0.0666642362806925758,
                     0.058789145444006217, -0.0523034787301607418,
                     0.0455110812632517188, -0.0345580925514137961,
                     0.0162719447516240604)

// The angle of (x, y) for 0 <= y <= x, x > 0, both finite: in [0, pi/4].
BERTH_GPU_FN double berth_angle_f64(double y, double x) {
  // Above pi/8 it is counted from pi/4.
  const int is_far = y > 0.41421356237309503 * x;
  const double t = is_far ? (y - x) / (y + x) : y / x;
  const double s = t * t;
  const double a = berth_fma_f64(t * s, berth_atan_rest_f64(s), t);
  return is_far ? 0.7853981633974483 + (a + 3.061616997868383e-17) : a;
}

BERTH_GPU_FN double berth_atan2_f64(double y, double x) {
  if (x != x || y != y) return x + y;
  double a = berth_abs_f64(y), b = berth_abs_f64(x);
  if (a == BERTH_INF_F64 || b == BERTH_INF_F64) {
    a = a == BERTH_INF_F64 ? 1.0 : 0.0;
    b = b == BERTH_INF_F64 ? 1.0 : 0.0;
  }
  // Away from both ends of the range, where sums overflow and quotients of
  // denormal numbers lose digits.
  const double scale = a > 1e300 || b > 1e300 ? 0.0625 : 1.0;
  a *= scale;
  b *= scale;
  double angle = 0.0;
  if (a > b) {
    angle =
        1.5707963267948966 - (berth_angle_f64(b, a) - 6.123233995736766e-17);
  } else if (b > 0.0) {
    angle = berth_angle_f64(a, b);
  }
  if ((berth_bits_f64(x) >> 63) != 0) {
    angle = 3.141592653589793 - (angle - 1.2246467991473532e-16);
  }
  return berth_copysign_f64(angle, y);
}

// sqrt(x^2 + y^2) without overflow.
BERTH_GPU_FN double berth_hypot_f64(double x, double y) {
  const double a = berth_abs_f64(x), b = berth_abs_f64(y);
  const double large = a > b ? a : b, small = a > b ? b : a;
  if (a == BERTH_INF_F64 || b == BERTH_INF_F64) return BERTH_INF_F64;
  if (a != a || b != b) return a + b;
  if (large == 0.0) return 0.0;
  const double ratio = small / large;
  return large * berth_sqrt_f64(berth_fma_f64(ratio, ratio, 1.0));
}

// ---- The error function ----

// erf(x) / x in x^2, for |x| <= 1.
BERTH_POLYNOMIAL_F64(berth_erf_near_f64, 13, 1.12837916709551257,
                     -0.376126389031837481, 0.112837916709548787,
                     -0.0268661706450767932, 0.00522397762481801447,
                     -0.000854832698083378991, 0.000120553311116427109,
                     -0.0000149255952668311816, 1.6461000484121368e-6,
                     -1.6350312701054695e-7, 1.46597752740474358e-8,
                     -1.13728488567916737e-9, 5.9571761477489114e-11)

// e^(x^2) erfc(x) (1 + 2x) in t = (x - 4) / (x + 4), for x in [0, 28].
BERTH_POLYNOMIAL_F64(
    berth_erfc_rest_f64, 24, 1.23299511862555251, -0.139621116840562518,
    0.015379652102619558, 0.0680970542546932356, -0.101039066036294588,
    0.0937328349983302227, -0.0663303658124095089, 0.0371675155377702541,
    -0.016197734055994488, 0.00503196997575317631, -0.000757773297366914639,
    -0.000199256684323891523, 0.000150621697046783542,
    -0.0000243992442831298774, -0.0000112220463166690044,
    5.70978476096650561e-6, 2.93778549434437866e-7, -8.25469974487116139e-7,
    7.47195278050097102e-8, 1.10059961986400576e-7, -1.79994754590314213e-8,
    -1.40919828225557551e-8, 1.86848738547351915e-9, 1.26378285804213688e-9)

// For x in [0, 28].
BERTH_GPU_FN double berth_erfc_positive_f64(double x) {
  const double p = berth_erfc_rest_f64((x - 4.0) / (x + 4.0));
  // The square as a sum: its rounding would show.
  const double square = x * x, low = berth_fma_f64(x, x, -square);
  return berth_exp_sum_f64(-square, -low) * p / (1.0 + 2.0 * x);
}

BERTH_GPU_FN double berth_erf_f64(double x) {
  const double a = berth_abs_f64(x);
  if (x != x) return x;
  if (a <= 1.0) return x * berth_erf_near_f64(x * x);
  const double y = a > 6.0 ? 1.0 : 1.0 - berth_erfc_positive_f64(a);
  return berth_copysign_f64(y, x);
}

BERTH_GPU_FN double berth_erfc_f64(double x) {
  const double a = berth_abs_f64(x);
  if (x != x) return x;
  if (a <= 0.5) return 1.0 - berth_erf_f64(x);
  const double y = berth_erfc_positive_f64(a > 28.0 ? 28.0 : a);
  return x < 0.0 ? 2.0 - y : y;
}

// ---- Remainders ----

// Stores the digits of |x|, a finite number above 0, as a whole number with its
// 53rd bit set, and returns its exponent.
BERTH_GPU_FN int berth_digits_f64(double x, uint64_t *out_digits) {
  const int tiny = x < 2.2250738585072014e-308;
  const uint64_t bits = berth_bits_f64(tiny ? x * 18014398509481984.0 : x);
  *out_digits =
      (bits & UINT64_C(0x000fffffffffffff)) | UINT64_C(0x0010000000000000);
  return (int)(bits >> 52 & 0x7ff) - (tiny ? 54 : 0);
}

// digits * 2^(exponent - 1075), where the result is no more than a double.
BERTH_GPU_FN double berth_from_digits_f64(uint64_t digits, int exponent) {
  // In steps that are exact: the digits fit wherever the result ends.
  double y = (double)digits;
  int n = exponent - 1075;
  for (; n < -1000; n += 1000) y *= berth_power_of_2_f64(-1000);
  return y * berth_power_of_2_f64(n);
}

// The remainder of truncated division, exact: the digits of x, shifted on a few
// at a time, modulo those of y.
BERTH_GPU_FN double berth_fmod_f64(double x, double y) {
  const double a = berth_abs_f64(x), b = berth_abs_f64(y);
  if (!(a < BERTH_INF_F64) || y != y || b == 0.0) return BERTH_NAN_F64;
  if (a < b) return x;
  if (a == b) return berth_copysign_f64(0.0, x);
  uint64_t m, n;
  int left = berth_digits_f64(a, &m);
  const int exponent = berth_digits_f64(b, &n);
  m %= n;
  for (left -= exponent; left > 0 && m != 0;) {
    const int step = left < 11 ? left : 11;
    m = (m << step) % n;
    left -= step;
  }
  return berth_copysign_f64(berth_from_digits_f64(m, exponent), x);
}

#endif  // BERTH_CUDA_MATH_MATH64_CUH_
