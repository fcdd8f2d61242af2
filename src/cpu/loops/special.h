// special.h - Special functions of real numbers, in double.
//
// Ours where the C library has none. What TensorFlow answers outside of their
// domains, they answer too. Pure functions.
#ifndef BERTH_CPU_LOOPS_SPECIAL_H_
#define BERTH_CPU_LOOPS_SPECIAL_H_

// The logarithm of |Γ(x)|.
double berth_special_lgamma(double x);
// Its derivative, and the derivative of order n of that.
double berth_special_digamma(double x);
// The same in float, whose rounding shows in TensorFlow's.
float berth_special_digamma_float(float x);
double berth_special_polygamma(double n, double x);
// The inverses of erf, and of the distribution of normal numbers.
double berth_special_erfinv(double x);
double berth_special_ndtri(double p);
// Incomplete gamma functions, lower and upper, of what is Γ(a).
double berth_special_igamma(double a, double x);
double berth_special_igammac(double a, double x);
// The incomplete beta function of what is B(a, b).
double berth_special_betainc(double a, double b, double x);
// The sum of (q + k)^-x.
double berth_special_zeta(double x, double q);
// Bessel functions, modified ones; with an e, without their growth or decay.
double berth_special_bessel_i0e(double x);
double berth_special_bessel_i1e(double x);
double berth_special_bessel_k0e(double x);
double berth_special_bessel_k1e(double x);

// Dawson's integral; Ei; the dilogarithm of 1 - x.
double berth_special_dawsn(double x);
double berth_special_expint(double x);
double berth_special_spence(double x);
// The derivative of the lower incomplete gamma function by a, and of a sample
// of a gamma distribution by its alpha.
double berth_special_igamma_grad_a(double a, double x);
double berth_special_gamma_grad(double alpha, double sample);

#endif  // BERTH_CPU_LOOPS_SPECIAL_H_
