// special_loops.c - Special functions of blocks of real numbers.
//
// What a function is made of goes over a block part by part: curves are the
// loops of the instruction set, series and continued fractions take a few
// numbers at a time, which go on until the last one of them is there. Numbers
// that need another way are sorted out first; those outside of the domain are
// computed like the others and replaced at the end.
//
// Pure functions. Compiled once, for any CPU.
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/compiler.h"
#include "cpu/loops/binary.h"
#include "cpu/loops/convert.h"
#include "cpu/loops/series.h"
#include "cpu/loops/special.h"
#include "cpu/loops/special_vector.h"
#include "cpu/loops/unary.h"
#include "cpu/loops/unroll.h"
#include "cpu/loops/vmath64.h"

enum {
  BLOCK = BERTH_SPECIAL_BLOCK,
  LANES = BERTH_SERIES_LANES,
};

#define PI 3.14159265358979323846
#define ZETA_SMALL (DBL_EPSILON / 2)  // Of a sum, a term.

typedef double column_t[BLOCK];

// ---- Elements ----

void berth_special_read(berth_special_block_t *block, int k,
                        berth_dtype_t dtype, const void *from, int64_t first,
                        int64_t step) {
  float floats[BLOCK];
  double *to = block->in[k];
  const int count = block->count;
  // Series of what is rounded to float end earlier.
  block->precision = dtype == BERTH_DOUBLE ? DBL_EPSILON / 4 : 1e-12;
  if (dtype == BERTH_HALF) {
    const uint16_t *half = (const uint16_t *)from + first;
    BERTH_ISA_PICK(berth_cpu_convert_loops)
        ->half_to_float(half, floats, step != 0 ? count : 1);
    from = floats;
    first = 0;
  }
  for (int i = 0; i < count; ++i) {
    int64_t at = first + i * step;
    to[i] = dtype == BERTH_DOUBLE ? ((const double *)from)[at]
                                  : (double)((const float *)from)[at];
  }
}

void berth_special_write(const berth_special_block_t *block,
                         berth_dtype_t dtype, void *to, int64_t first) {
  float floats[BLOCK];
  if (dtype == BERTH_DOUBLE) {
    memcpy((double *)to + first, block->out,
           (size_t)block->count * sizeof(double));
    return;
  }
  for (int i = 0; i < block->count; ++i) floats[i] = (float)block->out[i];
  if (dtype == BERTH_HALF) {
    BERTH_ISA_PICK(berth_cpu_convert_loops)
        ->float_to_half(floats, (uint16_t *)to + first, block->count);
  } else {
    memcpy((float *)to + first, floats, (size_t)block->count * sizeof(float));
  }
}

// ---- Parts ----

// y = curve(x).
static void curve(berth_unary_op_t op, const double *x, double *y, int count) {
  berth_unary_loop(op, BERTH_DOUBLE)(x, NULL, y, count);
}

// True for finite numbers above 0.
static bool is_common(double x) { return x > 0 && x <= DBL_MAX; }

// How many are computed where |count| are wanted: the last one is repeated.
static int fill_lanes(double *x, int count) {
  int even = (count + LANES - 1) / LANES * LANES;
  for (int i = count; i < even; ++i) x[i] = x[count - 1];
  return even;
}

typedef double pair_t __attribute__((vector_size(16), aligned(8)));

// A polynomial of 4 n numbers, by two chains: even powers beside odd ones.
static BERTH_INLINE double polynomial(const double *c, int terms, double x) {
  const double square = x * x, fourth = square * square;
  const pair_t *pairs = (const pair_t *)(const void *)c;
  const int last = terms / 2 - 1;
  pair_t low = pairs[last - 1], high = pairs[last];
  BERTH_UNROLL
  for (int i = last - 3; i >= 0; i -= 2) {
    low = low * fourth + pairs[i];
    high = high * fourth + pairs[i + 1];
  }
  low = high * square + low;
  return low[0] + low[1] * x;
}

// ---- The logarithm of gamma, and its derivative ----

// Of common numbers.
static void find_lgamma(const double *x, double *y, int count) {
  BERTH_ISA_PICK(berth_cpu_special_hot)->lgamma_f64(x, NULL, y, count);
}

static void find_digamma(const double *x, double *y, int count) {
  BERTH_ISA_PICK(berth_cpu_special_hot)->digamma_f64(x, NULL, y, count);
}

void berth_special_lgammas(berth_special_block_t *block) {
  const double *x = block->in[0];
  find_lgamma(x, block->out, block->count);
  for (int i = 0; i < block->count; ++i) {
    if (!is_common(x[i])) block->out[i] = berth_special_lgamma(x[i]);
  }
}

// What is left of the digamma of |x|, which is no common number, when that of
// 1 - x is |mirrored|.
static double reflect(double x, double mirrored) {
  double part = x - floor(x);
  if (x == INFINITY) return x;
  if (!(part > 0)) return NAN;
  // digamma(1 - x) - digamma(x) = pi / tan(pi x), of the part of x alone.
  return mirrored - (part == 0.5 ? 0 : PI / tan(PI * part));
}

void berth_special_digamma(berth_special_block_t *block) {
  const double *x = block->in[0];
  column_t from;
  for (int i = 0; i < block->count; ++i) from[i] = x[i] < 0 ? 1 - x[i] : x[i];
  find_digamma(from, block->out, block->count);
  for (int i = 0; i < block->count; ++i) {
    if (!is_common(x[i])) block->out[i] = reflect(x[i], block->out[i]);
  }
}

// ---- Zeta ----

// The answer for what has no sum; 0 for all others.
static double zeta_without(double x, double q) {
  if (x != x || q != q || x < 1) return NAN;
  if (x == 1) return INFINITY;
  if (q > 0) return 0;
  // Poles that are all of one sign have a limit.
  if (floor(q) == q) {
    return fmod(x, 2) == 0 || isinf(x) ? INFINITY : NAN;
  }
  return floor(x) != x ? NAN : 0;
}

// What follows the terms before |a|, by Euler and Maclaurin: an integral and
// corrections, where |power| is a^-x.
static double zeta_rest(double x, double a, double power) {
  static const double bernoulli[] = {1.0 / 12,           -1.0 / 720,
                                     1.0 / 30240,        -1.0 / 1209600,
                                     1.0 / 47900160,     -691.0 / 1307674368000,
                                     1.0 / 74724249600.0};
  double sum = power * a / (x - 1) + power / 2, over = 1 / a;
  double part = x * power * over;
  over *= over;
  for (int k = 0; k < 7; ++k) {
    sum += bernoulli[k] * part;
    part *= (x + 2 * k + 1) * (x + 2 * k + 2) * over;
  }
  return sum;
}

// From where on the rest is known, to 1e-11 or to all digits: its corrections
// are powers of x / (2 pi a).
static double zeta_bound(double x, double precision) {
  return precision > DBL_EPSILON ? fmax(fmin(x + 4, 14), 0.9 * x)
                                 : fmax(fmin(2 * x + 9, 19), 1.9 * x);
}

// term = a^minus: of what is rounded to float by logarithms, and of what began
// below 0, which terms of both signs nearly take away, with all digits.
static void zeta_terms(const double *q, const double *a, const double *minus,
                       double *term, int count, bool is_rough) {
  if (is_rough) {
    curve(BERTH_UNARY_LOG, a, term, count);
    for (int i = 0; i < count; ++i) term[i] *= minus[i];
    curve(BERTH_UNARY_EXP, term, term, count);
  } else {
    berth_binary_loops(BERTH_BINARY_POW, BERTH_DOUBLE)
        ->both(a, minus, term, count);
  }
  for (int i = 0; i < count; ++i) {
    if (q[i] < 0) term[i] = pow(a[i], minus[i]);
  }
}

// Adds up terms of all of the block until none needs more of them.
static void find_zeta(const double *x, const double *q, double *sum, int count,
                      double precision) {
  column_t minus, a, term, bound;
  bool is_rough = precision > DBL_EPSILON;
  for (int i = 0; i < count; ++i) {
    minus[i] = -x[i];
    a[i] = zeta_without(x[i], q[i]) != 0 ? INFINITY : q[i];
    bound[i] = zeta_bound(x[i], precision);
    is_rough &= !isinf(x[i]);
    sum[i] = 0;
  }
  for (;;) {
    zeta_terms(q, a, minus, term, count, is_rough);
    int steps = 0;
    for (int i = 0; i < count; ++i) {
      // Bits instead of a branch, which nobody could foretell.
      const bool is_falling =
          (a[i] > 0) & (fabs(term[i]) <= ZETA_SMALL * fabs(sum[i]));
      const bool is_open = (a[i] < bound[i]) & !is_falling;
      const uint64_t mask = 0 - (uint64_t)is_open;
      sum[i] += berth_double_from_bits(berth_double_bits(term[i]) & mask);
      a[i] += (double)is_open;
      steps += is_open;
    }
    if (steps == 0) break;
  }
  for (int i = 0; i < count; ++i) {
    // TensorFlow leaves out what follows a small term.
    const bool is_small = fabs(term[i]) <= ZETA_SMALL * fabs(sum[i]);
    sum[i] += is_small ? term[i] : zeta_rest(x[i], a[i], term[i]);
    double without = zeta_without(x[i], q[i]);
    if (without != 0) sum[i] = without;
  }
}

void berth_special_zeta(berth_special_block_t *block) {
  find_zeta(block->in[0], block->in[1], block->out, block->count,
            block->precision);
}

void berth_special_polygamma(berth_special_block_t *block) {
  const double *n = block->in[0], *x = block->in[1];
  const int count = block->count;
  const bool is_single = block->precision > DBL_EPSILON;
  column_t order = {0}, factor;
  bool has_zero = false;
  for (int i = 0; i < count; ++i) {
    order[i] = n[i] + 1;
    has_zero |= n[i] == 0;
  }
  find_lgamma(order, factor, count);
  curve(BERTH_UNARY_EXP, factor, factor, count);
  find_zeta(order, x, block->out, count, block->precision);
  for (int i = 0; i < count; ++i) {
    // No float holds the factorials of more than 34.
    if (is_single && factor[i] > FLT_MAX) factor[i] = INFINITY;
    double sign = fmod(n[i], 2) == 0 ? -1 : 1;
    block->out[i] *= sign * factor[i];
    if (n[i] != n[i] || n[i] < 0 || floor(n[i]) != n[i]) block->out[i] = NAN;
  }
  if (!has_zero) return;
  memcpy(order, block->out, sizeof(order));
  memcpy(factor, n, sizeof(factor));
  memcpy(block->in[0], x, sizeof(column_t));
  berth_special_digamma(block);
  for (int i = 0; i < count; ++i) {
    if (factor[i] != 0) block->out[i] = order[i];
  }
}

// ---- Incomplete gamma functions ----

// Pairs that go one way: by the series of the lower function, or by the
// continued fraction of the upper one.
typedef struct gammas {
  int count;  // Filled up to full lanes.
  bool is_upper;
  double precision;
  int at[BLOCK];  // Where they are in the block.
  column_t a, x;
  column_t value, slope;  // Of the series or fraction, by a the latter.
} gammas_t;

// Takes the pairs of |block| that go the way of |way|. Returns how many.
static int take_gammas(const berth_special_block_t *block, bool is_upper,
                       gammas_t *way) {
  int count = 0;
  for (int i = 0; i < block->count; ++i) {
    double a = block->in[0][i], x = block->in[1][i];
    if (!is_common(a) || !is_common(x)) continue;
    if ((x > 1 && x > a) != is_upper) continue;
    way->at[count] = i;
    way->a[count] = a;
    way->x[count++] = x;
  }
  way->is_upper = is_upper;
  way->precision = block->precision;
  if (count == 0) return 0;
  way->count = fill_lanes(way->a, count);
  fill_lanes(way->x, count);
  return count;
}

// Adds up what goes this way.
static void sum_gammas(gammas_t *way, bool has_slope) {
  const berth_series_loops_t *loops = BERTH_ISA_PICK(berth_cpu_series_loops);
  berth_series_t series = {.count = way->count,
                           .precision = way->precision,
                           .a = way->a,
                           .x = way->x,
                           .value = way->value,
                           .slope = way->slope};
  if (has_slope) {
    (way->is_upper ? loops->upper_slope : loops->lower_slope)(&series);
  } else {
    (way->is_upper ? loops->upper : loops->lower)(&series);
  }
}

// The logarithm of x^a e^-x / Γ(a).
static void find_front(const gammas_t *way, double *front) {
  column_t log;
  find_lgamma(way->a, front, way->count);
  curve(BERTH_UNARY_LOG, way->x, log, way->count);
  for (int i = 0; i < way->count; ++i) {
    double a = way->a[i], x = way->x[i];
    if (a > 20 && fabs(a - x) < 0.4 * a) {
      // With Stirling's series, which loses no digits where both are large.
      double mu = (x - a) / a, z = 1 / (a * a);
      double stirling =
          (1.0 / 12 - z * (1.0 / 360 - z * (1.0 / 1260 - z / 1680))) / a;
      front[i] = a * (log1p(mu) - mu) - stirling + 0.5 * log[i] -
                 0.5 * log1p(mu) - 0.91893853320467274178;
    } else {
      front[i] = a * log[i] - x - front[i];
    }
  }
}

// Both functions, of which one is 1 less the other.
static void find_gammas(berth_special_block_t *block, bool is_upper) {
  gammas_t way;
  column_t front;
  for (int by = 0; by < 2; ++by) {
    int count = take_gammas(block, by == 1, &way);
    if (count == 0) continue;
    sum_gammas(&way, false);
    find_front(&way, front);
    curve(BERTH_UNARY_EXP, front, front, way.count);
    for (int i = 0; i < count; ++i) {
      double y = front[i] == 0 ? 0 : way.value[i] * front[i];
      if (by == 0) y /= way.a[i];
      block->out[way.at[i]] = is_upper == (by == 1) ? y : 1 - y;
    }
  }
}

// The lower one of what is not common, and of 0.
static double igamma_without(double a, double x) {
  if (x == 0) return 0;
  if (a != a || x != x || x < 0 || a <= 0) return NAN;
  return isinf(a) ? 0 : 1;
}

void berth_special_igamma(berth_special_block_t *block) {
  find_gammas(block, false);
  for (int i = 0; i < block->count; ++i) {
    double a = block->in[0][i], x = block->in[1][i];
    if (is_common(a) && is_common(x)) continue;
    block->out[i] = igamma_without(a, x);
  }
}

// The upper one, as above.
static double igammac_without(double a, double x) {
  if (a != a || x != x || x < 0 || a <= 0) return NAN;
  return isinf(x) ? 0 : 1;
}

void berth_special_igammac(berth_special_block_t *block) {
  find_gammas(block, true);
  for (int i = 0; i < block->count; ++i) {
    double a = block->in[0][i], x = block->in[1][i];
    if (is_common(a) && is_common(x)) continue;
    block->out[i] = igammac_without(a, x);
  }
}

// ---- Their derivatives by a ----

// Finds what the derivative is of what stands in front, of all but numbers
// that are not common.
static void find_slopes(berth_special_block_t *block, bool is_sample) {
  gammas_t way;
  column_t front, log, digamma;
  for (int by = 0; by < 2; ++by) {
    int count = take_gammas(block, by == 1, &way);
    if (count == 0) continue;
    sum_gammas(&way, true);
    curve(BERTH_UNARY_LOG, way.x, log, way.count);
    for (int i = 0; i < way.count; ++i) front[i] = way.a[i] + (by == 0);
    find_digamma(front, digamma, way.count);
    find_lgamma(front, front, way.count);
    for (int i = 0; i < way.count; ++i) {
      front[i] = way.a[i] * log[i] - way.x[i] - front[i];
    }
    curve(BERTH_UNARY_EXP, front, front, way.count);
    for (int i = 0; i < count; ++i) {
      double y = way.slope[i] + way.value[i] * (log[i] - digamma[i]);
      double by_sample = by == 1 ? way.x[i] : -way.x[i] / way.a[i];
      double by_a = by == 1 ? -front[i] : front[i];
      block->out[way.at[i]] = y * (is_sample ? by_sample : by_a);
    }
  }
}

void berth_special_igamma_grad_a(berth_special_block_t *block) {
  find_slopes(block, false);
  for (int i = 0; i < block->count; ++i) {
    double a = block->in[0][i], x = block->in[1][i];
    if (is_common(a) && is_common(x)) continue;
    block->out[i] = x == 0 ? 0 : NAN;
  }
}

void berth_special_gamma_grad(berth_special_block_t *block) {
  find_slopes(block, true);
  for (int i = 0; i < block->count; ++i) {
    double a = block->in[0][i], x = block->in[1][i];
    if (is_common(a) && is_common(x)) continue;
    block->out[i] = x == 0 || isinf(a) ? 0 : NAN;
  }
}

// ---- The incomplete beta function ----

// The answer outside of the domain and at its ends; -1 for all others.
static double beta_without(double a, double b, double x) {
  if (!(a > 0 && b > 0 && x >= 0 && x <= 1)) return NAN;
  if (x == 0 || x == 1) return x;
  return isinf(a) || isinf(b) ? NAN : -1;
}

void berth_special_betainc(berth_special_block_t *block) {
  double *a = block->in[0], *b = block->in[1], *x = block->in[2];
  column_t front, part = {0}, fraction;
  bool is_far[BLOCK];
  for (int i = 0; i < block->count; ++i) {
    block->out[i] = beta_without(a[i], b[i], x[i]);
    if (block->out[i] != -1) a[i] = b[i] = x[i] = 0.5;
  }
  const int count = fill_lanes(a, block->count);
  fill_lanes(b, block->count);
  fill_lanes(x, block->count);
  for (int i = 0; i < count; ++i) part[i] = a[i] + b[i];
  find_lgamma(part, front, count);
  find_lgamma(a, part, count);
  for (int i = 0; i < count; ++i) front[i] -= part[i];
  find_lgamma(b, part, count);
  for (int i = 0; i < count; ++i) front[i] -= part[i];
  curve(BERTH_UNARY_LOG, x, part, count);
  for (int i = 0; i < count; ++i) {
    front[i] += a[i] * part[i];
    part[i] = -x[i];
  }
  curve(BERTH_UNARY_LOG1P, part, part, count);
  for (int i = 0; i < count; ++i) {
    front[i] += b[i] * part[i];
    is_far[i] = x[i] >= (a[i] + 1) / (a[i] + b[i] + 2);
    if (!is_far[i]) continue;
    double first = a[i];
    a[i] = b[i];
    b[i] = first;
    x[i] = 1 - x[i];
  }
  curve(BERTH_UNARY_EXP, front, front, count);
  const berth_series_t series = {.count = count,
                                 .precision = block->precision,
                                 .a = a,
                                 .b = b,
                                 .x = x,
                                 .value = fraction};
  BERTH_ISA_PICK(berth_cpu_series_loops)->beta(&series);
  for (int i = 0; i < block->count; ++i) {
    double y = front[i] * fraction[i] / a[i];
    if (block->out[i] == -1) block->out[i] = is_far[i] ? 1 - y : y;
  }
}

// ---- Ei ----

// (Ei(x) - log(x) - gamma) / x of x in [0, 3] and [3, 6], and x e^-x Ei(x) of
// 1 / x up to 1/6: the middle of each interval, what makes its half 1, and a
// polynomial.
typedef struct ei_piece {
  double end, middle, scale, c[16];
} ei_piece_t;
static const ei_piece_t ei_pieces[] = {
    {3,
     1.5,
     1 / 1.5,
     {1.5457364507467337, 0.7753895961453094, 0.304891915577703,
      0.09534267752480782, 0.02463972799246918, 0.005421852696901706,
      0.0010387063380157492, 0.00017621654883988585, 2.682809614626236e-05,
      3.7048014698289956e-06, 4.681461560123895e-07, 5.452706682803292e-08,
      5.887728712626131e-09, 5.93130895062148e-10, 5.767636894687892e-11,
      5.102556275886786e-12}},
    {6,
     4.5,
     1 / 1.5,
     {5.744978585835949, 4.678868715871114, 2.3423519039914606,
      0.8525863882880613, 0.24514039921258612, 0.0584338390495031,
      0.011918130412378138, 0.002126814468116715, 0.0003376273647153448,
      4.829630350131742e-05, 6.289476157348311e-06, 7.519220537918793e-07,
      8.306245273989823e-08, 8.538106986155656e-09, 8.460637580828397e-10,
      7.604846065988304e-11}},
    {9,
     5.0 / 36,
     36,
     {1.2131662633434668, 0.06432616654589893, 0.0027536646824109405,
      -0.0013114936211377434, -9.572487674094846e-05, 4.885998700413243e-05,
      -2.998102004854819e-06, -1.1783711982511367e-06, 3.3471415694655e-07,
      -3.099585047407143e-08, -4.730857320154832e-09, 2.3146647673604814e-09,
      -4.40590170607572e-10, 3.446153321478434e-11, 9.401748505357267e-12,
      -3.5244863757995177e-12}},
    {14,
     23.0 / 252,
     50.4,
     {1.1160442161473092, 0.03378190451544226, 0.0028443641095915193,
      0.00016338638266968366, -6.568360309156013e-05, -1.1764630976841559e-05,
      2.6053163149153753e-06, 3.112193001225575e-07, -1.4193044283011152e-07,
      7.645202577397725e-09, 4.701069129778057e-09, -1.2619529970620915e-09,
      7.031596683548643e-11, 3.894673476671606e-11, -1.1952783304572285e-11,
      1.1797919965487433e-12}},
    {30,
     11.0 / 210,
     52.5,
     {1.0589840774663324, 0.02439112118348434, 0.0013436717292707148,
      0.00014479502528004143, 2.589815878631507e-05, 3.6890949427919174e-06,
      -1.0447876244333026e-06, -7.487183087293882e-07, -1.8443218808789173e-08,
      8.645991965658814e-08, 2.7009545759029657e-09, -1.0562568928829504e-08,
      6.635736607620253e-10, 1.152017833474289e-09, -1.5799677538007706e-10,
      -7.554361395760866e-11}},
    {INFINITY,
     1.0 / 60,
     60,
     {1.0172520236887972, 0.017869397639034622, 0.0006518208680790984,
      3.711748891129725e-05, 2.9410772257957933e-06, 3.049948315538076e-07,
      3.9891628984650355e-08, 6.428729188841017e-09, 1.2638995634605641e-09,
      2.9910049429371795e-10, 7.222950084355935e-11, 2.3502800123176406e-11,
      2.644540198626736e-11, 1.4597528206305848e-11, -2.877863002871722e-12,
      -3.279785378046069e-12}}};

void berth_special_expint(berth_special_block_t *block) {
  const double *x = block->in[0];
  double *y = block->out;
  column_t log, exp = {0};
  curve(BERTH_UNARY_LOG, x, log, block->count);
  bool has_far = false;
  for (int i = 0; i < block->count; ++i) has_far |= x[i] > 6;
  if (has_far) curve(BERTH_UNARY_EXP, x, exp, block->count);
  for (int i = 0; i < block->count; ++i) {
    const ei_piece_t *piece = ei_pieces;
    while (x[i] > piece->end) ++piece;
    bool is_near = x[i] <= 6;
    double at = is_near ? x[i] : 1 / x[i];
    double part = polynomial(piece->c, 16, (at - piece->middle) * piece->scale);
    y[i] = is_near ? 0.57721566490153286061 + (log[i] + x[i] * part)
                   : exp[i] * at * part;
    if (!is_common(x[i])) y[i] = x[i] == 0 ? -INFINITY : NAN;
  }
}

// ---- Spence ----

// Li2(1 - x): the series in -log(x) with Bernoulli's numbers for x near 1, and
// to there by reflection.
void berth_special_spence(berth_special_block_t *block) {
  const double *x = block->in[0];
  static const double factors[] = {1.0 / 36,
                                   -1.0 / 3600,
                                   1.0 / 211680,
                                   -1.0 / 10886400,
                                   1.0 / 526901760,
                                   -4.0647616451442255e-11,
                                   8.921691020456453e-13,
                                   -1.9939295860721076e-14,
                                   4.518980029619918e-16,
                                   0,
                                   0,
                                   0};
  column_t log, near, near_log;
  curve(BERTH_UNARY_LOG, x, log, block->count);
  for (int i = 0; i < block->count; ++i) {
    double inverse = x[i] > 2 ? 1 / x[i] : x[i];
    near[i] = inverse > 1 - inverse ? inverse : 1 - inverse;
  }
  curve(BERTH_UNARY_LOG, near, near_log, block->count);
  for (int i = 0; i < block->count; ++i) {
    // Numbers instead of branches, which nobody could foretell.
    const double v = x[i], is_large = (double)(v > 2), sign = 1 - 2 * is_large;
    const double is_turned = (double)((v < 0.5) | (v > 2));
    const double u = -near_log[i], square = u * u;
    const double shift = -0.5 * is_large * log[i] * log[i] +
                         is_turned * (sign * (PI * PI / 6) + log[i] * u);
    const double sum = polynomial(factors, 12, square);
    const double series = u - square / 4 + sum * square * u;
    block->out[i] = shift + sign * (1 - 2 * is_turned) * series;
  }
  for (int i = 0; i < block->count; ++i) {
    if (!is_common(x[i])) block->out[i] = x[i] == 0 ? PI * PI / 6 : NAN;
  }
}
