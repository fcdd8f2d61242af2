// vmod64.h - What a division leaves, of double, for loops that compilers turn
// into vectors.
//
// Exact, as the C library's. Pure functions. For *_isa.c files.
#ifndef BERTH_CPU_LOOPS_VMOD64_H_
#define BERTH_CPU_LOOPS_VMOD64_H_

#include "cpu/loops/varc64.h"

// Below it a quotient's whole part is off by 1 at most.
#define BERTH_VMOD_LIMIT64 4503599627370496.0

// True where berth_vfmod64() is right: not without an instruction that
// multiplies and adds at once.
static BERTH_INLINE int berth_vfmod64_holds(double x, double y) {
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
  double q = berth_vabs64(x / y);
  return (q < BERTH_VMOD_LIMIT64) & (berth_vabs64(y) < (double)INFINITY);
#else
  (void)x;
  (void)y;
  return 0;
#endif
}

// The remainder of a quotient that is rounded towards 0: exact, for it has no
// more digits than y has.
static BERTH_INLINE double berth_vfmod64(double x, double y) {
  double a = berth_vabs64(x), b = berth_vabs64(y);
  double r = berth_vfma64(-trunc(a / b), b, a);
  return berth_vcopysign64(r < 0.0 ? r + b : r, x);
}

// The same of one that is rounded down, where |r| is berth_vfmod64().
static BERTH_INLINE double berth_vfloor_mod64(double r, double y) {
  double is_other = (r < 0.0 ? 1.0 : 0.0) - (y < 0.0 ? 1.0 : 0.0);
  double y_or_0 = is_other != 0.0 ? y : 0.0;
  return r == 0.0 ? r : r + y_or_0;
}

#endif  // BERTH_CPU_LOOPS_VMOD64_H_
