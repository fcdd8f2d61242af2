// verror64.h - The error function, its complement and their inverses, of
// double, for loops that compilers turn into vectors.
//
// As vmath64.h: no branches, no calls; errors below 4 units in the last place.
// Pure functions. For *_isa.c files.
#ifndef BERTH_CPU_LOOPS_VERROR64_H_
#define BERTH_CPU_LOOPS_VERROR64_H_

#include "cpu/loops/varc64.h"

// erf(x) for |x| <= 1.
static BERTH_INLINE double berth_verf64_near(double x) {
  double s = x * x;
  return x * BERTH_VPOLY64(s, 1.1283791670955126, -0.37612638903183754,
                           0.11283791670955121, -0.02686617064512984,
                           0.0052239776254232985, -0.00085483270219348297,
                           0.00012055332902888736, -1.4925647567519332e-05,
                           1.6462045441468418e-06, -1.6364642158167608e-07,
                           1.4792401209404742e-08, -1.2164560057283045e-09,
                           8.7090451290517594e-11, -4.2309458242933425e-12);
}

// e^(-a^2) for a in [0, 28]: the square in two parts, the first one exact, for
// its rounding would show.
static BERTH_INLINE double berth_vbell64(double a) {
  const uint64_t mask = UINT64_C(0xfffffffff8000000);
  double head = berth_double_from_bits(berth_double_bits(a) & mask);
  double tail = (a - head) * (a + head);
  double rest = BERTH_VPOLY64(tail, 1.0, -0.5, 1.0 / 6, -1.0 / 24);
  double y = berth_vexp64(-head * head);
  return berth_vfma64(-tail * rest, y, y);
}

// e^(a^2) erfc(a) for a in [1/2, 28].
static BERTH_INLINE double berth_verfcx64(double a) {
  double scale = 1.0 / (a + 2.0), t = (a - 2.0) * scale;
  return scale * BERTH_VPOLY64(t, 1.021582705242023, -0.68716068441381051,
                               0.27947209255605809, -0.036442231506898015,
                               -0.021510661889768502, 0.0064791850687952127,
                               0.0030906120682293119, -0.00083729609044585487,
                               -0.00066307364861707999, 3.4371853890224662e-05,
                               0.00014447200214788694, 3.414508506098984e-05,
                               -2.1702386210586833e-05, -1.6098957842223747e-05,
                               -1.1103814177022056e-06, 3.5638953813973393e-06,
                               1.997730318370156e-06, 1.7897241117738162e-07,
                               -6.4419942317822043e-07, -5.3914552933156421e-07,
                               1.6887787780850588e-07, 2.1330067336384749e-07,
                               -8.0483938367581377e-08);
}

// erfc(a) for a >= 1/2.
static BERTH_INLINE double berth_verfc64_far(double a) {
  double c = a > 28.0 ? 28.0 : a;  // The result is 0 from there on.
  return berth_vbell64(c) * berth_verfcx64(c);
}

static BERTH_INLINE double berth_verf64(double x) {
  double a = berth_vabs64(x);
  double y = a > 1.0 ? 1.0 - berth_verfc64_far(a) : berth_verf64_near(a);
  return x != x ? x : berth_vcopysign64(y, x);
}

static BERTH_INLINE double berth_verfc64(double x) {
  double a = berth_vabs64(x), far = berth_verfc64_far(a);
  double y = x < 0.0 ? 2.0 - far : far;
  y = a < 0.65 ? 1.0 - berth_verf64_near(x) : y;
  return x != x ? x : y;
}

// ---- Inverses ----

// The erfinv of x, where |tail| is (1 - |x|) / 2, to about six digits: a
// function of w = -log(1 - x^2), or of its root.
static BERTH_INLINE double berth_verfinv64_start(double x, double tail) {
  double w = -berth_vlog64(4.0 * tail * (1.0 - tail));
  double near = BERTH_VPOLY64(w, 0.88622692420116822, 0.23201371276215604,
                              0.011549165116928104, -0.0023352705948701527,
                              -0.00012653947431268868, 4.4048804326268989e-05,
                              4.1506632365926164e-06, -2.0082713391637707e-06,
                              2.243043015262031e-07, -8.931925970244222e-09);
  double root = sqrt(w > 5.0 ? w : 5.0), u = 1.0 / root;
  double far =
      root * BERTH_VPOLY64(u, 1.0000453141908396, -0.010511427779371276,
                           -1.7057167416340995, 12.937480891366999,
                           -102.69431673378267, 699.31512285831366,
                           -3543.0727995867305, 12725.333234239655,
                           -31142.898353206947, 48971.759326035892,
                           -44286.280376857969, 17418.649561132195);
  return x * (w > 5.0 ? far : near);
}

// The erfinv of x in (-1, 1), where |tail| is (1 - |x|) / 2: a step of Halley
// triples the digits. Both erf and erfc are known to the last one.
static BERTH_INLINE double berth_verfinv64_of(double x, double tail) {
  double start = berth_verfinv64_start(x, tail);
  double a = berth_vabs64(start), size = berth_vabs64(x);
  double bell = berth_vbell64(a > 28.0 ? 28.0 : a);
  double near = berth_verf64_near(a) - size;
  double far = 2.0 * tail - bell * berth_verfcx64(a);
  double off = 0.88622692545275801 * (a < 0.75 ? near : far);
  double y = a - off / berth_vfma64(a, off, bell);
  return berth_vcopysign64(y, x);
}

static BERTH_INLINE double berth_verfinv64(double x) {
  double size = berth_vabs64(x);
  double y = berth_verfinv64_of(x, berth_vfma64(size, -0.5, 0.5));
  y = size == 1.0 ? x * (double)INFINITY : y;
  y = size > 1.0 ? (double)NAN : y;
  return size < 1e-8 ? x * 0.88622692545275801 : y;
}

// The number below which a share of |p| of all normal ones is.
static BERTH_INLINE double berth_vndtri64(double p) {
  double tail = p > 0.5 ? 1.0 - p : p;
  double y = berth_verfinv64_of(2.0 * (p - 0.5), tail) * 1.41421356237309505;
  y = p == 0.0 ? -(double)INFINITY : y;
  y = p == 1.0 ? (double)INFINITY : y;
  y = p == 0.5 ? 0.0 : y;
  return ((p < 0.0) | (p > 1.0)) != 0 ? (double)NAN : y;
}

#endif  // BERTH_CPU_LOOPS_VERROR64_H_
