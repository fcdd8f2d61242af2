// vcomplex.h - Functions of complex numbers, of double, for loops that compilers
// turn into vectors.
//
// As vmath64.h: no branches, no calls. They hold for parts whose larger one is
// between the limits that complex_isa.c has beside each; all others are the C
// library's. Pure functions. For *_isa.c files.
#ifndef BERTH_CPU_LOOPS_VCOMPLEX_H_
#define BERTH_CPU_LOOPS_VCOMPLEX_H_

#include "cpu/loops/vangle64.h"
#include "cpu/loops/varc64.h"

typedef struct berth_vpair {
  double re, im;
} berth_vpair_t;

static BERTH_INLINE double berth_vc_size(berth_vpair_t z) {
  return sqrt(berth_vfma64(z.re, z.re, z.im * z.im));
}

static BERTH_INLINE berth_vpair_t berth_vc_mul(berth_vpair_t x,
                                               berth_vpair_t y) {
  return (berth_vpair_t){x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re};
}

static BERTH_INLINE berth_vpair_t berth_vc_reciprocal(berth_vpair_t z) {
  double scale = 1.0 / berth_vfma64(z.re, z.re, z.im * z.im);
  return (berth_vpair_t){z.re * scale, -z.im * scale};
}

static BERTH_INLINE berth_vpair_t berth_vc_div(berth_vpair_t x,
                                               berth_vpair_t y) {
  double scale = 1.0 / berth_vfma64(y.re, y.re, y.im * y.im);
  return (berth_vpair_t){(x.re * y.re + x.im * y.im) * scale,
                         (x.im * y.re - x.re * y.im) * scale};
}

static BERTH_INLINE berth_vpair_t berth_vc_abs(berth_vpair_t z) {
  return (berth_vpair_t){berth_vc_size(z), 0.0};
}

static BERTH_INLINE berth_vpair_t berth_vc_sign(berth_vpair_t z) {
  double scale = 1.0 / berth_vc_size(z);
  return (berth_vpair_t){z.re * scale, z.im * scale};
}

static BERTH_INLINE berth_vpair_t berth_vc_sqrt(berth_vpair_t z) {
  double t = sqrt(0.5 * (berth_vabs64(z.re) + berth_vc_size(z)));
  double other = 0.5 * berth_vabs64(z.im) / t;
  double re = z.re < 0.0 ? other : t, im = z.re < 0.0 ? t : other;
  return (berth_vpair_t){re, berth_vcopysign64(im, z.im)};
}

static BERTH_INLINE berth_vpair_t berth_vc_rsqrt(berth_vpair_t z) {
  return berth_vc_reciprocal(berth_vc_sqrt(z));
}

static BERTH_INLINE berth_vpair_t berth_vc_exp(berth_vpair_t z) {
  uint64_t n;
  double e = berth_vexp64(z.re), r = berth_vtrig64_reduce(z.im, &n);
  double sine = berth_vsin64_inside(r), cosine = berth_vcos64_inside(r);
  double s = (n & 1) != 0 ? cosine : sine, c = (n & 1) != 0 ? sine : cosine;
  s = berth_double_from_bits(berth_double_bits(s) ^ ((n & 2) << 62));
  c = berth_double_from_bits(berth_double_bits(c) ^ (((n + 1) & 2) << 62));
  return (berth_vpair_t){e * c, z.im == 0.0 ? z.im : e * s};
}

static BERTH_INLINE berth_vpair_t berth_vc_sigmoid(berth_vpair_t z) {
  berth_vpair_t e = berth_vc_exp((berth_vpair_t){-z.re, -z.im});
  e.re += 1.0;
  return berth_vc_reciprocal(e);
}

// The logarithm of a number whose size has |square|, which is |beyond| + 1: near
// 1 what is beyond has more digits.
static BERTH_INLINE double berth_vc_log_size(double square, double beyond) {
  double near = 1.0 + beyond, lost = (beyond - (near - 1.0)) / near;
  double is_far = square < 0.5 ? 1.0 : 0.0;
  is_far = square > 2.0 ? 1.0 : is_far;
  double y = berth_vlog64(is_far != 0.0 ? square : near);
  return 0.5 * (y + (is_far != 0.0 ? 0.0 : lost));
}

static BERTH_INLINE berth_vpair_t berth_vc_log(berth_vpair_t z) {
  double a = berth_vabs64(z.re), b = berth_vabs64(z.im);
  double low = a < b ? a : b, high = a < b ? b : a, rest = low * low;
  double size = berth_vc_log_size(berth_vfma64(high, high, rest),
                                  berth_vfma64(high - 1.0, high + 1.0, rest));
  return (berth_vpair_t){size, berth_vatan2_64(z.im, z.re)};
}

static BERTH_INLINE berth_vpair_t berth_vc_log1p(berth_vpair_t z) {
  double re = 1.0 + z.re, rest = z.im * z.im;
  double size = berth_vc_log_size(berth_vfma64(re, re, rest),
                                  berth_vfma64(z.re, 2.0 + z.re, rest));
  return (berth_vpair_t){size, berth_vatan2_64(z.im, re)};
}

static BERTH_INLINE berth_vpair_t berth_vc_xlogy(berth_vpair_t x,
                                                 berth_vpair_t y) {
  return berth_vc_mul(x, berth_vc_log(y));
}

static BERTH_INLINE berth_vpair_t berth_vc_xlog1py(berth_vpair_t x,
                                                   berth_vpair_t y) {
  return berth_vc_mul(x, berth_vc_log1p(y));
}

#endif  // BERTH_CPU_LOOPS_VCOMPLEX_H_
