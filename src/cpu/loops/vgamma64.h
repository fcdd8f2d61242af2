// vgamma64.h - The logarithm of gamma and its derivative, of double, for loops
// that compilers turn into vectors.
//
// As vmath64.h: no branches, no calls; of finite numbers above 0. Pure
// functions. For *_isa.c files.
#ifndef BERTH_CPU_LOOPS_VGAMMA64_H_
#define BERTH_CPU_LOOPS_VGAMMA64_H_

#include "cpu/loops/unroll.h"
#include "cpu/loops/vpoly.h"

// The step from |x| down by |k|; those behind the last one, which ends in [1, 2],
// are 1: of numbers below 8.
static BERTH_INLINE double berth_vgamma64_down(double x, double k) {
  double step = x - k;
  return step > 1.0 ? step : 1.0;
}

// What is below 8 is moved to [1, 2], where it is a polynomial with zeros at
// both ends, and what the steps have made of it is added: of less than 1 it is
// taken away, which is the same. Above it is Stirling's series.
static BERTH_INLINE double berth_vlgamma64(double x) {
  double product = x < 1.0 ? x : 1.0;
  product *= berth_vgamma64_down(x, 1.0) * berth_vgamma64_down(x, 2.0);
  product *= berth_vgamma64_down(x, 3.0) * berth_vgamma64_down(x, 4.0);
  product *= berth_vgamma64_down(x, 5.0) * berth_vgamma64_down(x, 6.0);
  double log = berth_vlog64(x < 8.0 ? product : x);
  double over = 1.0 / x, z = over * over;
  double far =
      BERTH_VPOLY64(z, 1.0 / 12, -1.0 / 360, 1.0 / 1260, -1.0 / 1680,
                    1.0 / 1188, -691.0 / 360360, 1.0 / 156, -3617.0 / 122400);
  far = far * over + 0.41893853320467274178;
  far = berth_vfma64(x - 0.5, log - 1.0, far);
  double v = x - floor(x), d = v - 0.5;
  double near = BERTH_VPOLY64(
      d, 0.4831289505409809, -0.14595989591430594, 0.06291140107456485,
      -0.03130848750105327, 0.01679709863121395, -0.009425622444829649,
      0.005446457842219553, -0.0032120742206072908, 0.0019229162321227923,
      -0.001164411377219605, 0.0007115202752051298, -0.00043803516132580534,
      0.00027130273545114005, -0.0001685717945035172, 0.00010541715222185904,
      -6.793733027397047e-05, 4.281642862794779e-05, -2.148770252062576e-05,
      1.3584275459130943e-05, -1.8527803997032962e-05, 1.1820969445467145e-05);
  near = berth_vfma64(v * (v - 1.0), near, berth_vabs64(log));
  return x < 8.0 ? near : far;
}

// What is below 8 is moved up by 8: 1 / x + 1 / (x + 1) + … as a single
// fraction. Then it is a series.
static BERTH_INLINE double berth_vdigamma64(double x) {
  double up = 0.0, down = 1.0;
  BERTH_UNROLL
  for (int k = 0; k < 8; ++k) {
    double step = x + (double)k;
    up = berth_vfma64(up, step, down);
    down *= step;
  }
  double steps = x < 8.0 ? up / down : 0.0;
  double v = x < 8.0 ? x + 8.0 : x, over = 1.0 / v, z = over * over;
  double far =
      BERTH_VPOLY64(z, 1.0 / 12, -1.0 / 120, 1.0 / 252, -1.0 / 240, 1.0 / 132,
                    -691.0 / 32760, 1.0 / 12, -3617.0 / 8160);
  return berth_vlog64(v) - (0.5 * over + z * far + steps);
}

#endif  // BERTH_CPU_LOOPS_VGAMMA64_H_
