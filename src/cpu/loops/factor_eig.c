// factor_eig.c - Eigenvalues and eigenvectors of real matrices.
//
// QR with two shifts at once, in the steps of Eigen's RealSchur, which decide
// the order of the values.
#include <complex.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/compiler.h"
#include "cpu/loops/factor.h"
#include "cpu/loops/factor_rows.h"

typedef berth_complex128_t number_t;

typedef struct francis {
  double *t;  // Becomes a triangle, with squares where values are conjugated.
  double *z;  // What was multiplied with, its columns as rows; or NULL.
  double *none;  // A row of zeros.
  int64_t n;
  double shifted;  // What all values have lost.
  const berth_factor_rows_t *loops;
} francis_t;

// As reflect() of factor_slot.inc, of |count| numbers.
static double reflect(double v[3], int count, double *beta) {
  double first = v[0], tail = v[1] * v[1] + (count == 3 ? v[2] * v[2] : 0);
  v[0] = 1;
  *beta = first;
  if (tail <= DBL_MIN) return 0;
  double size = sqrt(first * first + tail);
  *beta = first >= 0 ? -size : size;
  v[1] /= first - *beta;
  v[2] /= first - *beta;
  return (*beta - first) / *beta;
}

// Reflects |count| columns from |k| on of rows [first, end); the last is taken
// twice where there are two.
static void fold_columns(const francis_t *f, int64_t k, int count,
                         int64_t first, int64_t end, const double v[3],
                         double tau) {
  double *row = f->t + first * f->n + k;
  for (int64_t i = first; i < end; ++i, row += f->n) {
    double sum = row[1] * v[1] + row[count - 1] * v[2] + row[0];
    sum *= tau;
    row[0] -= sum;
    row[1] -= sum * v[1];
    row[count - 1] -= sum * v[2];
  }
}

// Reflects rows and columns |k| to |k| + |count|, where rows [il, iu] are at
// work: without vectors the others are left as they are.
static void fold(const francis_t *f, int64_t k, int count, int64_t il,
                 int64_t iu, const double v[3], double tau) {
  int64_t n = f->n, end = k + 4 < iu + 1 ? k + 4 : iu + 1;
  int64_t first = f->z != NULL ? 0 : il;
  double *rows[3] = {f->t + k * (n + 1), f->t + (k + 1) * n + k, f->none};
  if (count == 3) rows[2] = f->t + (k + 2) * n + k;
  f->loops->fold(rows, (f->z != NULL ? n : iu + 1) - k, v, tau);
  fold_columns(f, k, count, first, end, v, tau);
  if (f->z == NULL) return;
  for (int i = 0; i < count; ++i) rows[i] = f->z + (k + i) * n;
  f->loops->fold(rows, n, v, tau);
}

// Makes the square of rows |i| and the next a triangle, where it can be one.
static void split_square(const francis_t *f, int64_t i) {
  int64_t n = f->n;
  double *upper = f->t + i * (n + 1), *lower = upper + n;
  double p = (upper[0] - lower[1]) / 2, q = p * p + lower[0] * upper[1];
  upper[0] += f->shifted;
  lower[1] += f->shifted;
  if (q >= 0) {
    double x = p >= 0 ? p + sqrt(q) : p - sqrt(q), y = lower[0];
    double size = sqrt(x * x + y * y);
    double c = size > 0 ? x / size : 1, s = size > 0 ? y / size : 0;
    berth_factor_turn_t turn = {0, 1, c, s};
    berth_factor_block_t block = {upper, 2, n - i, n};
    f->loops->turn(&block, &turn, 1, NULL);
    if (f->z != NULL) {
      block = (berth_factor_block_t){f->z + i * n, 2, n, n};
      f->loops->turn(&block, &turn, 1, NULL);
    }
    for (int64_t j = 0; j < i + 2; ++j) {
      double *row = f->t + j * n + i, a = row[0], b = row[1];
      row[0] = c * a + s * b;
      row[1] = c * b - s * a;
    }
    lower[0] = 0;
  }
  if (i > 0) upper[-1] = 0;
}

// The first of rows up to |iu| that hang together.
static int64_t window_begin(const francis_t *f, int64_t iu, double zero) {
  int64_t i = iu;
  for (; i > 0; --i) {
    const double *at = f->t + i * (f->n + 1);
    double size = fabs(at[0]) + fabs(at[-f->n - 1]);
    if (fabs(at[-1]) <= fmax(size * DBL_EPSILON, zero)) break;
  }
  return i;
}

// Two shifts, by their sum's parts and what their product lacks; others now and
// then, for matrices that the usual ones go round in circles with.
static void shifts_of(francis_t *f, int64_t iu, int tries, double shift[3]) {
  int64_t n = f->n;
  const double *at = f->t + iu * (n + 1), *before = at - n - 1;
  double moved = at[0];
  shift[0] = at[0];
  shift[1] = before[0];
  shift[2] = at[-1] * before[1];
  if (tries == 0 || tries % 16 != 0) return;
  if (tries % 32 != 0) {
    double s = fabs(at[-1]) + fabs(before[-1]);
    shift[0] = shift[1] = 0.75 * s;
    shift[2] = -0.4375 * s * s;
  } else {
    double half = (shift[1] - shift[0]) / 2, s = half * half + shift[2];
    if (s <= 0) return;
    s = shift[1] < shift[0] ? half - sqrt(s) : half + sqrt(s);
    moved -= shift[2] / s;
    shift[0] = shift[1] = shift[2] = 0.964;
  }
  f->shifted += moved;
  for (int64_t i = 0; i <= iu; ++i) f->t[i * (n + 1)] -= moved;
}

// Returns the row where a step can begin, and |v|, its first reflection.
static int64_t step_begin(const francis_t *f, int64_t il, int64_t iu,
                          const double shift[3], double v[3]) {
  int64_t n = f->n;
  for (int64_t i = iu - 2;; --i) {
    const double *at = f->t + i * (n + 1), *next = at + n;
    double r = shift[0] - at[0], s = shift[1] - at[0];
    v[0] = (r * s - shift[2]) / next[0] + at[1];
    v[1] = next[1] - at[0] - r - s;
    v[2] = next[n + 1];
    if (i == il) return i;
    double left = at[-1] * (fabs(v[1]) + fabs(v[2]));
    double right = v[0] * (fabs(at[-n - 1]) + fabs(at[0]) + fabs(next[1]));
    if (fabs(left) < DBL_EPSILON * right) return i;
  }
}

static void francis_step(const francis_t *f, int64_t il, int64_t iu,
                         const double shift[3]) {
  double v[3], beta;
  int64_t n = f->n, im = step_begin(f, il, iu, shift, v);
  for (int64_t k = im; k < iu; ++k) {
    int count = k + 2 <= iu ? 3 : 2;
    double *before = f->t + k * n + k - 1;
    for (int i = 0; k > im && i < count; ++i) v[i] = before[i * n];
    if (count == 2) v[2] = 0;
    double tau = reflect(v, count, &beta);
    if (beta == 0) continue;
    if (k > im) {
      before[0] = beta;
    } else if (k > il) {
      before[0] = -before[0];
    }
    fold(f, k, count, il, iu, v, tau);
  }
  for (int64_t i = im + 2; i <= iu; ++i) {
    f->t[i * n + i - 2] = 0;
    if (i > im + 2) f->t[i * n + i - 3] = 0;
  }
}

static bool francis(francis_t *f) {
  double norm = 0;
  int64_t n = f->n;
  for (int64_t i = 0; i < n * n; ++i) norm += fabs(f->t[i]);
  double zero = fmax(norm * DBL_EPSILON * DBL_EPSILON, DBL_MIN);
  int64_t total = 0;
  int tries = 0;
  for (int64_t iu = n - 1; iu >= 0 && norm > 0;) {
    int64_t il = window_begin(f, iu, zero);
    if (il + 1 >= iu) {
      double *at = f->t + il * (n + 1);
      if (il == iu) at[0] += f->shifted;
      if (il == iu && iu > 0) at[-1] = 0;
      if (il < iu) split_square(f, il);
      iu = il - 1;
      tries = 0;
      continue;
    }
    double shift[3];
    shifts_of(f, iu, tries++, shift);
    if (++total > 40 * n) return false;
    francis_step(f, il, iu, shift);
  }
  return true;
}

// ---- Vectors ----

// Numbers [from, from + count) of a row of the triangle, times the vector.
static number_t row_product(const double *row, const double *re,
                            const double *im, int64_t from, int64_t count) {
  double sums[2] = {0, 0};
  berth_factor_block_t block = {(double *)(uintptr_t)row + from, 1, count, 0};
  berth_factor_work_t work = {.dots = im != NULL ? 2 : 1,
                              .others = {re + from, im + (im != NULL) * from},
                              .sums = {sums, sums + 1}};
  BERTH_ISA_PICK(berth_cpu_factor_rows)->work(&block, &work);
  return sums[0] + sums[1] * I;
}

// Finds the vector of value |e| of the triangle, whose last row is |k|; |im| is
// NULL for a real one.
static void triangle_vector(const double *t, int64_t n, int64_t k, number_t e,
                            double norm, double *re, double *im) {
  number_t x[2];
  int64_t i = k;
  for (int64_t j = 0; j < n; ++j) re[j] = 0;
  for (int64_t j = 0; im != NULL && j < n; ++j) im[j] = 0;
  if (im == NULL) {
    re[k] = 1;
  } else {
    const double *upper = t + (k - 1) * (n + 1), *lower = upper + n;
    im[k] = 1;
    x[0] = fabs(lower[0]) > fabs(upper[1]) ? -(lower[1] - e) * I / lower[0]
                                           : -upper[1] * I / (upper[0] - e);
    re[--i] = creal(x[0]);
    im[i] = cimag(x[0]);
  }
  while (--i >= 0) {
    const double *row = t + i * n;
    int64_t from = i + 1;
    number_t r = row_product(row, re, im, from, k - i), w = row[i] - e;
    if (i > 0 && row[i - 1] != 0) {
      const double *upper = row - n + i - 1;
      number_t first = row_product(row - n, re, im, from, k - i);
      number_t v = upper[0] - e, det = v * w - upper[1] * row[i - 1];
      if (det == 0) det = DBL_EPSILON * norm * norm;
      x[0] = (upper[1] * r - w * first) / det;
      x[1] = fabs(upper[1]) > cabs(w) ? (-first - v * x[0]) / upper[1]
                                      : (-r - row[i - 1] * x[0]) / w;
      --i;
    } else {
      x[0] = -r / (w == 0 ? DBL_EPSILON * norm : w);
    }
    double size = cabs(x[0]);
    for (int64_t j = i; j < from; ++j) {
      re[j] = creal(x[j - i]);
      if (im != NULL) im[j] = cimag(x[j - i]);
    }
    // What grows past all bounds is made small again.
    for (int64_t j = i; DBL_EPSILON * size * size > 1 && j <= k; ++j) {
      re[j] /= size;
      if (im != NULL) im[j] /= size;
    }
  }
}

// Stores vectors |k| and, of a pair, the next, each of length 1, as columns of
// |v|; |parts| has their parts as rows.
static void vector_store(const double *parts, int64_t n, int64_t k,
                         bool is_pair, number_t *v) {
  double size = 0;
  for (int64_t i = 0; i < n << is_pair; ++i) size += parts[i] * parts[i];
  size = 1 / sqrt(size);
  for (int64_t i = 0; i < n; ++i) {
    number_t x = parts[i] * size + (is_pair ? parts[n + i] * size * I : 0);
    v[i * n + k] = x;
    if (is_pair) v[i * n + k + 1] = conj(x);
  }
}

static void francis_vectors(const francis_t *f, const number_t *e, double *work,
                            number_t *v) {
  int64_t n = f->n;
  double norm = 0, *x = work, *turned = x + 2 * n;
  for (int64_t i = 0; i < n * n; ++i) norm += fabs(f->t[i]);
  if (norm == 0) norm = 1;
  for (int64_t k = 0; k < n; ++k) {
    bool is_pair = cimag(e[k]) != 0;
    int64_t last = k + is_pair;
    triangle_vector(f->t, n, last, e[k], norm, x, is_pair ? x + n : NULL);
    berth_factor_block_t rows = {f->z, last + 1, n, n};
    for (int i = 0; i <= is_pair; ++i) {
      f->loops->sum(&rows, x + i * n, 1, turned + i * n);
    }
    vector_store(turned, n, k, is_pair, v);
    k = last;
  }
}

// ---- The whole ----

static void swap(double *a, double *b) {
  double x = *a;
  *a = *b;
  *b = x;
}

bool berth_factor_eig(double *a, int64_t n, number_t *e, number_t *v,
                      double *work) {
  francis_t f = {.t = a,
                 .z = v != NULL ? work + 2 * n : NULL,
                 .none = work,
                 .n = n,
                 .loops = BERTH_ISA_PICK(berth_cpu_factor_rows)};
  double most = 0, *more = work + 2 * n + n * n;
  for (int64_t i = 0; i < n * n; ++i) {
    if (!isfinite(a[i])) return false;
    most = fmax(most, fabs(a[i]));
  }
  for (int64_t i = 0; i < n * n; ++i) a[i] = most >= DBL_MIN ? a[i] / most : 0;
  berth_factor_real.hessenberg(a, n, f.z, more);
  for (int64_t i = 0; f.z != NULL && i < n; ++i) {
    for (int64_t j = 0; j < i; ++j) swap(&f.z[i * n + j], &f.z[j * n + i]);
  }
  memset(work, 0, (size_t)(2 * n) * sizeof(*work));
  if (!francis(&f)) return false;
  for (int64_t i = 0; i < n; ++i) {
    const double *at = a + i * (n + 1);
    e[i] = at[0];
    if (i + 1 == n || at[n] == 0) continue;
    double p = (at[0] - at[n + 1]) / 2;
    e[i] = at[n + 1] + p + sqrt(fabs(p * p + at[n] * at[1])) * I;
    e[i + 1] = conj(e[i]);
    ++i;
  }
  if (v != NULL) francis_vectors(&f, e, more, v);
  for (int64_t i = 0; i < n; ++i) e[i] *= most;
  return true;
}
