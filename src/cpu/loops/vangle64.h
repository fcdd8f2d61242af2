// vangle64.h - Sine, cosine and tangent of double, for loops that compilers
// turn into vectors.
//
// As vmath64.h: no branches, no calls; errors below 4 units in the last place.
// Pure functions. For *_isa.c files.
#ifndef BERTH_CPU_LOOPS_VANGLE64_H_
#define BERTH_CPU_LOOPS_VANGLE64_H_

#include "cpu/loops/vpoly.h"

// Beyond this the reduction below has too few digits.
#define BERTH_VTRIG_LIMIT64 1e6

// x = n * pi/2 + r with |r| <= pi/4, for |x| <= BERTH_VTRIG_LIMIT64. Stores n,
// in the low bits of a double's pattern, and returns r.
static BERTH_INLINE double berth_vtrig64_reduce(double x, uint64_t *out_n) {
  double shifted = berth_vfma64(x, 0.63661977236758134, BERTH_VROUND64);
  double n = shifted - BERTH_VROUND64;
  *out_n = berth_double_bits(shifted);
  // pi/2 in parts of 33 bits, by which products with n are exact. What is lost
  // when the second is taken away goes with the third.
  double first = x - n * 1.57079632673412561417;
  double second = n * 6.07710050630396597660e-11;
  double r = first - second;
  double lost = (first - r) - second;
  return r - (n * 2.02226624879595063154e-21 - lost);
}

static BERTH_INLINE double berth_vsin64_inside(double r) {
  double s = r * r;
  double q = BERTH_VPOLY64(s, -0.16666666666666666, 0.0083333333333333315,
                           -0.00019841269841265041, 2.7557319219320579e-06,
                           -2.5052106225994401e-08, 1.6058530596645953e-10,
                           -7.5866368828250622e-13);
  return berth_vfma64(r * s, q, r);
}

static BERTH_INLINE double berth_vcos64_inside(double r) {
  double s = r * r;
  double q = BERTH_VPOLY64(s, 0.041666666666666664, -0.0013888888888888887,
                           2.4801587301584632e-05, -2.755731922139249e-07,
                           2.0876755787492604e-09, -1.1470460319209511e-11,
                           4.7458384125309685e-14);
  // 1 - s/2, with what its rounding has lost.
  double half = 0.5 * s, w = 1.0 - half;
  return w + ((1.0 - w) - half + s * s * q);
}

// The sine |quarters| of a turn further on; |x| <= BERTH_VTRIG_LIMIT64.
static BERTH_INLINE double berth_vsin64_turned(double x, uint64_t quarters) {
  uint64_t n;
  double r = berth_vtrig64_reduce(x, &n);
  n += quarters;
  double sine = berth_vsin64_inside(r), cosine = berth_vcos64_inside(r);
  double y = (n & 1) != 0 ? cosine : sine;
  y = berth_double_from_bits(berth_double_bits(y) ^ ((n & 2) << 62));
  return (x == 0.0) & (quarters == 0) ? x : y;
}

// The tangent; |x| <= BERTH_VTRIG_LIMIT64.
static BERTH_INLINE double berth_vtan64(double x) {
  uint64_t n;
  double r = berth_vtrig64_reduce(x, &n);
  double sine = berth_vsin64_inside(r), cosine = berth_vcos64_inside(r);
  double up = (n & 1) != 0 ? -cosine : sine;
  double y = up / ((n & 1) != 0 ? sine : cosine);
  return x == 0.0 ? x : y;
}

#endif  // BERTH_CPU_LOOPS_VANGLE64_H_
