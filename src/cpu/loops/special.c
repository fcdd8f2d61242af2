// special.c - Special functions of real numbers, in double.
#include "cpu/loops/special.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

#define SQRT_2PI 2.50662827463100050242

enum { MAX_TERMS = 10000 };

// ---- Gamma and its derivatives ----

double berth_special_lgamma(double x) {
  int sign = 0;
  return lgamma_r(x, &sign);
}

double berth_special_digamma(double x) {
  if (isnan(x) || (x <= 0 && floor(x) == x)) return NAN;
  if (isinf(x)) return x > 0 ? x : NAN;
  double reflected = 0, sum = 0;
  if (x < 0) {
    // digamma(1 - x) - digamma(x) = pi / tan(pi x), of the part of x alone.
    double part = x - floor(x);
    reflected = part == 0.5 ? 0 : M_PI / tan(M_PI * part);
    x = 1 - x;
  }
  for (; x < 10; ++x) sum += 1 / x;
  double z = 1 / (x * x);
  double series =
      z *
      (1.0 / 12 -
       z * (1.0 / 120 -
            z * (1.0 / 252 -
                 z * (1.0 / 240 - z * (1.0 / 132 - z * (691.0 / 32760 -
                                                        z * (1.0 / 12)))))));
  return log(x) - 0.5 / x - series - sum - reflected;
}

float berth_special_digamma_float(float x) {
  if (!(x > 0) || isinf(x)) return (float)berth_special_digamma(x);
  float sum = 0;
  for (; x < 10; ++x) sum += 1 / x;
  float z = 1 / (x * x);
  float series =
      z * (z * (z * (z * -4.16666667e-3F + 3.96825397e-3F) - 8.33333333e-3F) +
           8.33333333e-2F);
  return logf(x) - 0.5F / x - series - sum;
}

double berth_special_zeta(double x, double q) {
  if (isnan(x) || isnan(q)) return NAN;
  if (x == 1) return INFINITY;
  if (x < 1) return NAN;
  if (q <= 0) {
    bool is_whole = floor(q) == q;
    // Poles that are all of one sign have a limit.
    if (is_whole) return fmod(x, 2) == 0 || isinf(x) ? INFINITY : NAN;
    if (floor(x) != x) return NAN;
  }
  // Euler and Maclaurin: some terms, an integral, and corrections.
  static const double bernoulli[] = {1.0 / 12,           -1.0 / 720,
                                     1.0 / 30240,        -1.0 / 1209600,
                                     1.0 / 47900160,     -691.0 / 1307674368000,
                                     1.0 / 74724249600.0};
  double sum = 0, a = q;
  for (int i = 0; i < 10 || a <= 9; ++i) {
    double term = pow(a, -x);
    sum += term;
    if (i > 0 && fabs(term) < DBL_EPSILON * fabs(sum) / 2) return sum;
    a += 1;
  }
  double power = pow(a, -x), factor = x;
  sum += power * a / (x - 1) + power / 2;
  power /= a;
  for (int k = 0; k < 7; ++k) {
    double part = bernoulli[k] * factor * power;
    sum += part;
    if (fabs(part) < DBL_EPSILON * fabs(sum) / 2) break;
    factor *= (x + 2 * k + 1) * (x + 2 * k + 2);
    power /= a * a;
  }
  return sum;
}

double berth_special_polygamma(double n, double x) {
  if (isnan(n) || n < 0 || floor(n) != n) return NAN;
  if (n == 0) return berth_special_digamma(x);
  double sign = fmod(n, 2) == 0 ? -1 : 1;
  return sign * exp(berth_special_lgamma(n + 1)) * berth_special_zeta(n + 1, x);
}

// ---- Inverses ----

// The normal distribution's share below |x|.
static double share_below(double x) { return 0.5 * erfc(-x / M_SQRT2); }

double berth_special_ndtri(double p) {
  if (isnan(p) || p < 0 || p > 1) return NAN;
  if (p == 0) return -INFINITY;
  if (p == 1) return INFINITY;
  if (p == 0.5) return 0;
  if (p > 0.5) return -berth_special_ndtri(1 - p);
  // A rough start, then steps of Halley.
  double t = sqrt(-2 * log(p));
  double x = -(t - (2.30753 + 0.27061 * t) / (1 + t * (0.99229 + 0.04481 * t)));
  for (int i = 0; i < 4; ++i) {
    double density = exp(-x * x / 2) / SQRT_2PI;
    if (density == 0) break;
    double step = (share_below(x) - p) / density;
    x -= step / (1 + x * step / 2);
  }
  return x;
}

double berth_special_erfinv(double x) {
  if (isnan(x) || x < -1 || x > 1) return NAN;
  if (x == 1 || x == -1) return x * INFINITY;
  if (fabs(x) < 1e-8) return x * sqrt(M_PI) / 2;
  if (fabs(x) > 0.5) {
    double y = -berth_special_ndtri((1 - fabs(x)) / 2) / M_SQRT2;
    return x < 0 ? -y : y;
  }
  double y = x * sqrt(M_PI) / 2;
  for (int i = 0; i < 5; ++i) {
    double step = (erf(y) - x) / (2 / sqrt(M_PI) * exp(-y * y));
    y -= step / (1 + y * step);
  }
  return y;
}

// ---- Incomplete gamma and beta ----

// x^a e^-x / Γ(a).
static double gamma_front(double a, double x) {
  if (a > 20 && fabs(a - x) < 0.4 * a) {
    // With Stirling's series, which loses no digits where both are large.
    double mu = (x - a) / a, z = 1 / (a * a);
    double stirling =
        (1.0 / 12 - z * (1.0 / 360 - z * (1.0 / 1260 - z / 1680))) / a;
    return sqrt(a / (2 * M_PI)) * exp(a * (log1p(mu) - mu) - stirling);
  }
  double power = a * log(x) - x - berth_special_lgamma(a);
  return power < -745 ? 0 : exp(power);
}

static double gamma_series(double a, double x) {
  double term = 1, sum = 1;
  for (int i = 1; i < MAX_TERMS; ++i) {
    term *= x / (a + i);
    sum += term;
    if (term < sum * DBL_EPSILON / 4) break;
  }
  return sum * gamma_front(a, x) / a;
}

// Lentz's way through the continued fraction of the upper one.
static double gamma_fraction(double a, double x) {
  double b = x + 1 - a, c = 1 / DBL_MIN, d = 1 / b, h = d;
  for (int i = 1; i < MAX_TERMS; ++i) {
    double an = -i * (i - a);
    b += 2;
    d = an * d + b;
    if (fabs(d) < DBL_MIN) d = DBL_MIN;
    c = b + an / c;
    if (fabs(c) < DBL_MIN) c = DBL_MIN;
    d = 1 / d;
    h *= d * c;
    if (fabs(d * c - 1) < DBL_EPSILON) break;
  }
  return h * gamma_front(a, x);
}

double berth_special_igamma(double a, double x) {
  if (x == 0) return 0;
  if (isnan(a) || isnan(x) || x < 0 || a <= 0) return NAN;
  if (isinf(a)) return 0;
  if (isinf(x)) return 1;
  return x > 1 && x > a ? 1 - gamma_fraction(a, x) : gamma_series(a, x);
}

double berth_special_igammac(double a, double x) {
  if (isnan(a) || isnan(x) || x < 0 || a <= 0) return NAN;
  if (isinf(x)) return 0;
  if (isinf(a) || x == 0) return 1;
  return x > 1 && x > a ? gamma_fraction(a, x) : 1 - gamma_series(a, x);
}

// The continued fraction of the incomplete beta function.
static double beta_fraction(double a, double b, double x) {
  double c = 1, d = 1 - (a + b) * x / (a + 1);
  if (fabs(d) < DBL_MIN) d = DBL_MIN;
  d = 1 / d;
  double h = d;
  for (int m = 1; m < MAX_TERMS; ++m) {
    double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    double parts[2] = {even, odd}, change = 1;
    for (int i = 0; i < 2; ++i) {
      d = 1 + parts[i] * d;
      if (fabs(d) < DBL_MIN) d = DBL_MIN;
      c = 1 + parts[i] / c;
      if (fabs(c) < DBL_MIN) c = DBL_MIN;
      d = 1 / d;
      change = d * c;
      h *= change;
    }
    if (fabs(change - 1) < DBL_EPSILON) break;
  }
  return h;
}

double berth_special_betainc(double a, double b, double x) {
  if (isnan(a) || isnan(b) || isnan(x) || a <= 0 || b <= 0) return NAN;
  if (x < 0 || x > 1) return NAN;
  if (x == 0 || x == 1) return x;
  double front = exp(berth_special_lgamma(a + b) - berth_special_lgamma(a) -
                     berth_special_lgamma(b) + a * log(x) + b * log1p(-x));
  if (x < (a + 1) / (a + b + 2)) return front * beta_fraction(a, b, x) / a;
  return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

// ---- Bessel functions ----

// e^-|x| I_n(x) for n of 0 or 1: the power series, or for large ones the
// asymptotic one.
static double bessel_i(int n, double x) {
  double size = fabs(x), sum = 1, term = 1;
  if (isinf(x)) return 0;
  if (isnan(x)) return x;
  double sign = n == 1 && x < 0 ? -1 : 1;
  if (size > 30) {
    for (int k = 1; k < 60; ++k) {
      double odd = 2 * k - 1;
      double next = term * (odd * odd - 4.0 * n) / (8 * size * k);
      if (fabs(next) >= fabs(term) && k > 2) break;
      term = next;
      sum += term;
      if (fabs(term) < DBL_EPSILON / 4) break;
    }
    return sign * sum / sqrt(2 * M_PI * size);
  }
  double quarter = size * size / 4;
  for (int k = 1; k < 200; ++k) {
    term *= quarter / ((double)k * (k + n));
    sum += term;
    if (term < sum * DBL_EPSILON / 4) break;
  }
  return sign * exp(-size) * sum * (n == 1 ? size / 2 : 1);
}

// e^x K_n(x): the integral of e^(x - x cosh t) cosh(nt), by equal steps, which
// for such functions is exact beyond all digits.
static double bessel_k(int n, double x) {
  if (isnan(x)) return x;
  if (x <= 0) return INFINITY;
  if (isinf(x)) return 0;
  const double step = 1.0 / 64;
  double sum = 0.5;
  for (int i = 1; i < 64 * 64; ++i) {
    double t = i * step, half = sinh(t / 2);
    double part = exp(-2 * x * half * half) * (n == 1 ? cosh(t) : 1);
    sum += part;
    if (part < sum * DBL_EPSILON / 8) break;
  }
  return sum * step;
}

double berth_special_bessel_i0e(double x) { return bessel_i(0, x); }
double berth_special_bessel_i1e(double x) { return bessel_i(1, x); }
double berth_special_bessel_k0e(double x) { return bessel_k(0, x); }
double berth_special_bessel_k1e(double x) { return bessel_k(1, x); }
