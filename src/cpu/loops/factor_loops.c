// factor_loops.c - Decompositions of matrices, in double precision.
//
// Reflections make matrices tridiagonal, bidiagonal or Hessenberg; implicit
// shifts, which turn rows of transposed vectors, do the rest.
#include <complex.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "cpu/loops/factor.h"
#include "cpu/loops/factor_rows.h"
#include "cpu/loops/gemm.h"
#include "cpu/loops/move_loops.h"

enum {
  MOST_TRIES = 60,           // For one eigenvalue; three or so are needed.
  WIDTH = 32,                // Reflections of a group,
  MANY = BERTH_FACTOR_MANY,  // which rows of so many are worth.
};

// Turns of rows that are not done yet.
typedef struct turns {
  berth_factor_block_t block;
  berth_factor_turn_t *list;
  int64_t count, most;
  double *stripe;
} turns_t;

// As hypot(), which is slow, where squares are in the range of numbers.
static double length_of(double x, double y) {
  double square = x * x + y * y;
  return square > 1e-280 && square < 1e280 ? sqrt(square) : hypot(x, y);
}

#define NUMBER double
#define PARTS 1
#define NAME(x) x##_real
#define CONJ(x) (x)
#define PART(x) (x)
#define SQUARE(x) ((x) * (x))
#define PRODUCT BERTH_ISA_PICK(berth_cpu_gemm_loops)->f64
#include "cpu/loops/factor_slot.inc"

typedef berth_complex128_t number_t;

static double square_of(number_t x) {
  return creal(x) * creal(x) + cimag(x) * cimag(x);
}

#define NUMBER berth_complex128_t
#define PARTS 2
#define NAME(x) x##_complex
#define CONJ(x) conj(x)
#define PART(x) creal(x)
#define SQUARE(x) square_of(x)
#define PRODUCT BERTH_ISA_PICK(berth_cpu_gemm_plain)->complex128
#include "cpu/loops/factor_slot.inc"

const berth_factor_loops_t berth_factor_real = {qr_real, eigh_real, svd_real,
                                                hessenberg_real};
const berth_factor_loops_t berth_factor_complex = {
    qr_complex, eigh_complex, svd_complex, hessenberg_complex};

// ---- Schur ----

// What is about as large as |x|.
static double size_of(number_t x) { return fabs(creal(x)) + fabs(cimag(x)); }

// The eigenvalue of the last two rows up to |k| that is nearer to the last.
static number_t shift_of(const number_t *a, int64_t n, int64_t k) {
  number_t p = a[(k - 1) * n + k - 1], q = a[(k - 1) * n + k];
  number_t r = a[k * n + k - 1], s = a[k * n + k];
  number_t half = (p - s) / 2, root = csqrt(half * half + q * r);
  if (square_of(half + root) < square_of(half - root)) root = -root;
  number_t sum = half + root;
  return sum == 0 ? s : s - q * r / sum;
}

// Turns rows |a| and |b| by |f|, as berth_factor_rows_t.pairs does.
static void turn_rows(number_t *a, number_t *b, int64_t count,
                      const number_t f[4]) {
  BERTH_ISA_PICK(berth_cpu_factor_rows)
      ->pairs((double *)a, (double *)b, 2 * count, (const double *)f);
}

// Turns rows |i| and the next, up to column |end|, so that element |j| of the
// second vanishes; |turns| gets cosine and sine.
static void zero_below(number_t *a, int64_t n, int64_t i, int64_t j,
                       int64_t end, number_t turns[2]) {
  number_t *upper = a + i * n + j, x = upper[0], y = upper[n];
  double size = sqrt(square_of(x) + square_of(y));
  number_t c = size > 0 ? x / size : 1, s = size > 0 ? y / size : 0;
  const number_t f[4] = {conj(c), conj(s), c, -s};
  turn_rows(upper, upper + n, end - j, f);
  turns[0] = c;
  turns[1] = s;
}

// Turns neighbours of a row by the turns [first, last), one after the other.
static void turn_row(number_t *row, int64_t first, int64_t last,
                     const number_t *turns) {
  for (int64_t i = first; i < last; ++i) {
    number_t p = row[i], q = row[i + 1], c = turns[2 * i], s = turns[2 * i + 1];
    row[i] = c * p + s * q;
    row[i + 1] = conj(c) * q - conj(s) * p;
  }
}

// The same of columns, which are rows of |count| here, or as many as have come
// to the diagonal, the first of which has |least|.
static void turn_columns(number_t *rows, int64_t step, int64_t count,
                         int64_t least, int64_t first, int64_t last,
                         const number_t *turns) {
  for (int64_t i = first; i < last; ++i, rows += step, ++least) {
    number_t c = turns[2 * i], s = turns[2 * i + 1];
    const number_t f[4] = {c, s, conj(c), -conj(s)};
    turn_rows(rows, rows + step, least < count ? least : count, f);
  }
}

// One step of QR on rows and columns [l, k]; without |z|, whose rows are
// columns, the others are left as they are: the diagonal does not depend on
// them. |space|: six numbers a row, and a matrix.
static void schur_step(number_t *a, int64_t n, number_t *z, int64_t l,
                       int64_t k, number_t shift, number_t *space) {
  // Rows that are not worth to be turned over; numbers that keep those that are
  // from falling on the same places of a cache.
  enum { FEW = 12, APART = 4 };
  const int64_t size = sizeof(*a);
  int64_t first = z != NULL ? 0 : l, end = z != NULL ? n : k + 1;
  int64_t rows = k + 1 - first, columns = k + 1 - l, step = rows + APART;
  number_t *turns = space, *over = space + 2 * n, *block = a + first * n + l;
  for (int64_t i = first; i < end; ++i) a[i * n + i] -= shift;
  for (int64_t i = l; i < k; ++i) zero_below(a, n, i, i, end, turns + 2 * i);
  for (int64_t i = first; rows < FEW && i <= k; ++i) {
    turn_row(a + i * n, i - 1 > l ? i - 1 : l, k, turns);
  }
  if (rows >= FEW) {
    berth_transpose_fn transpose =
        BERTH_ISA_PICK(berth_cpu_move_loops)->transpose[4];
    transpose((const char *)block, n * size, (char *)over, step * size, rows,
              columns, false);
    turn_columns(over, step, rows, l + 2 - first, l, k, turns);
    transpose((const char *)over, step * size, (char *)block, n * size, columns,
              rows, false);
  }
  if (z != NULL) turn_columns(z + l * n, n, n, n, l, k, turns);
  for (int64_t i = first; i < end; ++i) a[i * n + i] += shift;
}

bool berth_factor_schur(number_t *a, int64_t n, number_t *z, number_t *work) {
  hessenberg_complex(a, n, z, work);
  if (z != NULL) transpose_complex(z, n, n, work);
  double norm = 0;
  for (int64_t i = 0; i < n * n; ++i) norm += square_of(a[i]);
  norm = sqrt(norm);
  if (!isfinite(norm)) return false;
  int tries = 0;
  for (int64_t k = n - 1; k > 0;) {
    int64_t l = k;
    for (; l > 0; --l) {
      double around = size_of(a[l * n + l]) + size_of(a[(l - 1) * n + l - 1]);
      if (around == 0) around = norm;
      if (size_of(a[l * n + l - 1]) <= DBL_EPSILON * around) break;
    }
    if (l > 0) a[l * n + l - 1] = 0;
    if (l == k) {
      --k;
      tries = 0;
      continue;
    }
    if (++tries > MOST_TRIES) return false;
    // Now and then another shift, for matrices that the usual one goes round
    // in circles with.
    number_t shift = tries % 10 == 0 ? a[k * n + k] + cabs(a[k * n + k - 1])
                                     : shift_of(a, n, k);
    schur_step(a, n, z, l, k, shift, work);
  }
  if (z != NULL) transpose_complex(z, n, n, work);
  return true;
}

void berth_factor_vectors(const number_t *t, int64_t n, const number_t *z,
                          number_t *v, number_t *x) {
  double norm = 0;
  for (int64_t i = 0; i < n * n; ++i) norm = fmax(norm, cabs(t[i]));
  if (norm == 0) norm = 1;
  for (int64_t k = 0; k < n; ++k) {
    x[k] = 1;
    for (int64_t i = k - 1; i >= 0; --i) {
      number_t sum = 0, apart = t[i * n + i] - t[k * n + k];
      for (int64_t j = i + 1; j <= k; ++j) sum += t[i * n + j] * x[j];
      if (cabs(apart) < DBL_EPSILON * norm) apart = DBL_EPSILON * norm;
      x[i] = -sum / apart;
    }
    double size = 0;
    for (int64_t i = 0; i < n; ++i) {
      number_t sum = 0;
      for (int64_t j = 0; j <= k; ++j) sum += z[i * n + j] * x[j];
      v[i * n + k] = sum;
      size += square_of(sum);
    }
    size = sqrt(size);
    for (int64_t i = 0; i < n; ++i) v[i * n + k] /= size;
  }
}

// ---- Functions of a triangle ----

static void multiply(const number_t *a, const number_t *b, number_t *out,
                     int64_t n, bool b_is_adjoint) {
  for (int64_t i = 0; i < n; ++i) {
    number_t *row = out + i * n;
    for (int64_t j = 0; j < n; ++j) row[j] = 0;
    for (int64_t k = 0; k < n; ++k) {
      number_t x = a[i * n + k];
      for (int64_t j = 0; j < n; ++j) {
        row[j] += x * (b_is_adjoint ? conj(b[j * n + k]) : b[k * n + j]);
      }
    }
  }
}

// The square root of the triangle |t|, in its place.
static void triangle_root(number_t *t, int64_t n) {
  for (int64_t j = 0; j < n; ++j) {
    t[j * n + j] = csqrt(t[j * n + j]);
    for (int64_t i = j - 1; i >= 0; --i) {
      number_t sum = t[i * n + j], below = t[i * n + i] + t[j * n + j];
      for (int64_t k = i + 1; k < j; ++k) sum -= t[i * n + k] * t[k * n + j];
      t[i * n + j] = sum == 0 && below == 0 ? 0 : sum / below;
    }
  }
}

// Turns |t| back by |z|: out = z t z^H.
static void turn_back(const number_t *z, const number_t *t, int64_t n,
                      number_t *out, number_t *work) {
  multiply(z, t, work, n, false);
  multiply(work, z, out, n, true);
}

bool berth_factor_square_root(number_t *a, int64_t n, number_t *out,
                              number_t *work) {
  number_t *z = work;
  if (!berth_factor_schur(a, n, z, z + 5 * n * n)) return false;
  triangle_root(a, n);
  turn_back(z, a, n, out, z + n * n);
  return true;
}

// Solves X (T + I) = T - I for triangles.
static void cayley(const number_t *t, int64_t n, number_t *x) {
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      x[i * n + j] = 0;
      if (j < i) continue;
      number_t sum = t[i * n + j] - (i == j);
      for (int64_t k = i; k < j; ++k) sum -= x[i * n + k] * t[k * n + j];
      x[i * n + j] = sum / (t[j * n + j] + 1);
    }
  }
}

static double distance_from_one(const number_t *t, int64_t n) {
  double most = 0;
  for (int64_t i = 0; i < n; ++i) {
    double sum = 0;
    for (int64_t j = i; j < n; ++j) sum += cabs(t[i * n + j] - (i == j));
    most = fmax(most, sum);
  }
  return most;
}

// The logarithm of the triangle |t|, in its place: roots until it is near 1,
// and then the series of 2 artanh((T - 1) / (T + 1)). |work|: 4 n * n numbers.
static void triangle_log(number_t *t, int64_t n, number_t *work) {
  enum { MOST_ROOTS = 50, TERMS = 12 };
  number_t *x = work, *square = x + n * n, *power = square + n * n;
  number_t *next = power + n * n;
  double scale = 2;
  for (int i = 0; i < MOST_ROOTS && distance_from_one(t, n) > 0.25; ++i) {
    triangle_root(t, n);
    scale *= 2;
  }
  cayley(t, n, x);
  multiply(x, x, square, n, false);
  memcpy(power, x, (size_t)(n * n) * sizeof(*x));
  memset(t, 0, (size_t)(n * n) * sizeof(*t));
  for (int k = 0; k < TERMS; ++k) {
    for (int64_t i = 0; i < n * n; ++i) t[i] += scale / (2 * k + 1) * power[i];
    multiply(power, square, next, n, false);
    memcpy(power, next, (size_t)(n * n) * sizeof(*x));
  }
}

bool berth_factor_logarithm(number_t *a, int64_t n, number_t *out,
                            number_t *work) {
  number_t *z = work, *logs = z + 5 * n * n;
  if (!berth_factor_schur(a, n, z, logs)) return false;
  for (int64_t i = 0; i < n; ++i) logs[i] = clog(a[i * n + i]);
  triangle_log(a, n, z + n * n);
  for (int64_t i = 0; i < n; ++i) a[i * n + i] = logs[i];
  turn_back(z, a, n, out, z + n * n);
  return true;
}
