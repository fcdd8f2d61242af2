// factor.c - Kernels of decompositions of matrices, and of functions made of
// them.
//
// Matrix by matrix, in double precision whatever the type: numbers are widened
// on their way in and rounded once on their way out.
#include "op/factor.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "cpu/kernels.h"
#include "cpu/loops/factor.h"
#include "cpu/loops/number.h"
#include "cpu/loops/poll.h"

typedef berth_complex128_t number_t;

typedef struct plan {
  berth_factor_t factor;
  berth_dtype_t dtype, out_type;
  bool is_complex;  // The work is on complex numbers.
  bool is_joined;   // Values and vectors are one output.
  bool is_fast, turns;
  double l2;
} plan_t;

// ---- In and out ----

static size_t size_of(const plan_t *plan) {
  return plan->is_complex ? sizeof(number_t) : sizeof(double);
}

static number_t element_at(berth_dtype_t dtype, const void *data, int64_t i) {
  if (dtype == BERTH_COMPLEX64) return ((const berth_complex64_t *)data)[i];
  if (dtype == BERTH_COMPLEX128) return ((const number_t *)data)[i];
  return berth_number_at(dtype, data, i);
}

static void element_set(berth_dtype_t dtype, void *data, int64_t i,
                        number_t x) {
  if (dtype == BERTH_COMPLEX64) {
    ((berth_complex64_t *)data)[i] = (berth_complex64_t)x;
  } else if (dtype == BERTH_COMPLEX128) {
    ((number_t *)data)[i] = x;
  } else {
    berth_number_set(dtype, data, i, creal(x));
  }
}

// Floats are worked on the most.
static bool is_float(const plan_t *plan) {
  return plan->dtype == BERTH_FLOAT && !plan->is_complex;
}

// Widens |count| elements from |first| on.
static void load(const plan_t *plan, const void *data, int64_t first,
                 int64_t count, void *out) {
  if (is_float(plan)) {
    const float *from = (const float *)data + first;
    for (int64_t i = 0; i < count; ++i) ((double *)out)[i] = (double)from[i];
    return;
  }
  for (int64_t i = 0; i < count; ++i) {
    if (plan->is_complex) {
      ((number_t *)out)[i] = element_at(plan->dtype, data, first + i);
    } else {
      ((double *)out)[i] = berth_number_at(plan->dtype, data, first + i);
    }
  }
}

static void store(const plan_t *plan, const void *from, int64_t count,
                  void *data, int64_t first) {
  if (is_float(plan)) {
    float *to = (float *)data + first;
    for (int64_t i = 0; i < count; ++i) to[i] = (float)((const double *)from)[i];
    return;
  }
  for (int64_t i = 0; i < count; ++i) {
    element_set(plan->out_type, data, first + i,
                plan->is_complex ? ((const number_t *)from)[i]
                                 : ((const double *)from)[i]);
  }
}

static void store_reals(const plan_t *plan, const double *from, int64_t count,
                        void *data, int64_t first) {
  for (int64_t i = 0; i < count; ++i) {
    element_set(plan->out_type, data, first + i, from[i]);
  }
}

// Stores the adjoint of the |m| by |n| matrix |a| in |out|.
static void adjoint(const plan_t *plan, const void *a, int64_t m, int64_t n,
                    void *out) {
  for (int64_t i = 0; i < m * n; ++i) {
    int64_t to = i % n * m + i / n;
    if (plan->is_complex) {
      ((number_t *)out)[to] = conj(((const number_t *)a)[i]);
    } else {
      ((double *)out)[to] = ((const double *)a)[i];
    }
  }
}

static const berth_factor_loops_t *loops_of(const plan_t *plan) {
  return plan->is_complex ? &berth_factor_complex : &berth_factor_real;
}

// Hands out |count| numbers of the scratch space.
static void *take(const plan_t *plan, char **scratch, int64_t count) {
  void *taken = *scratch;
  *scratch += ((size_t)count * size_of(plan) + 63) & ~(size_t)63;
  return taken;
}

// ---- Decompositions ----

static void do_qr(const plan_t *plan, void *const *args, int64_t at,
                  char *scratch) {
  const berth_factor_t *f = &plan->factor;
  int64_t m = f->m, n = f->n, p = f->is_full || m < n ? m : n;
  void *a = take(plan, &scratch, m * n), *q = take(plan, &scratch, m * p);
  load(plan, args[0], at * m * n, m * n, a);
  loops_of(plan)->qr(a, m, n, q, p, scratch);
  store(plan, q, m * p, args[1], at * m * p);
  store(plan, a, p * n, args[2], at * p * n);
}

// Of a matrix without elements nothing is turned.
static void set_identity(const plan_t *plan, void *data, int64_t first,
                         int64_t n) {
  for (int64_t i = 0; i < n * n; ++i) {
    element_set(plan->out_type, data, first + i, i / n == i % n);
  }
}

// Decomposes a matrix, or its adjoint where it is wider than tall.
static void do_svd(const plan_t *plan, void *const *args, int64_t at,
                   char *scratch) {
  const berth_factor_t *f = &plan->factor;
  int64_t m = f->m, n = f->n, most = m > n ? m : n, least = m > n ? n : m;
  int64_t p = f->is_full ? most : least;
  if (least == 0) {
    if (f->has_vectors && f->is_full) {
      set_identity(plan, args[m < n ? 3 : 2], at * most * most, most);
    }
    return;
  }
  void *a = take(plan, &scratch, m * n), *u = NULL, *v = NULL;
  void *other = take(plan, &scratch, m * n);
  double *s = take(plan, &scratch, least);
  if (f->has_vectors) {
    u = take(plan, &scratch, most * p);
    v = take(plan, &scratch, least * least);
  }
  load(plan, args[0], at * m * n, m * n, a);
  if (m < n) {
    adjoint(plan, a, m, n, other);
    a = other;
  }
  loops_of(plan)->svd(a, most, least, s, u, p, v, scratch);
  store_reals(plan, s, least, args[1], at * least);
  if (!f->has_vectors) return;
  store(plan, u, most * p, args[m < n ? 3 : 2], at * most * p);
  store(plan, v, least * least, args[m < n ? 2 : 3], at * least * least);
}

static void do_eigh(const plan_t *plan, void *const *args, int64_t at,
                    char *scratch) {
  int64_t n = plan->factor.n;
  if (n == 0) return;
  void *a = take(plan, &scratch, n * n), *v = NULL;
  double *e = take(plan, &scratch, n);
  if (plan->factor.has_vectors) v = take(plan, &scratch, n * n);
  load(plan, args[0], at * n * n, n * n, a);
  loops_of(plan)->eigh(a, n, e, v, scratch);
  if (plan->is_joined) {
    store_reals(plan, e, n, args[1], at * (n + 1) * n);
    store(plan, v, n * n, args[1], at * (n + 1) * n + n);
    return;
  }
  store_reals(plan, e, n, args[1], at * n);
  if (v != NULL) store(plan, v, n * n, args[2], at * n * n);
}

// Values of complex matrices come by their sizes, as TensorFlow's do.
static void sort_by_size(number_t *e, int64_t n, number_t *v) {
  for (int64_t i = 0; i < n; ++i) {
    int64_t best = i;
    for (int64_t k = i + 1; k < n; ++k) {
      if (cabs(e[k]) < cabs(e[best])) best = k;
    }
    number_t kept = e[i];
    e[i] = e[best];
    e[best] = kept;
    for (int64_t k = 0; v != NULL && best != i && k < n; ++k) {
      kept = v[k * n + i];
      v[k * n + i] = v[k * n + best];
      v[k * n + best] = kept;
    }
  }
}

// As berth_factor_eig(), of complex numbers.
static bool eig_complex(number_t *a, int64_t n, number_t *e, number_t *v,
                        number_t *z, number_t *work) {
  if (!berth_factor_schur(a, n, v != NULL ? z : NULL, work)) return false;
  for (int64_t i = 0; i < n; ++i) e[i] = a[i * n + i];
  if (v != NULL) berth_factor_vectors(a, n, z, v, work);
  sort_by_size(e, n, v);
  return true;
}

static void do_eig(const plan_t *plan, void *const *args, int64_t at,
                   char *scratch) {
  int64_t n = plan->factor.n;
  if (n == 0) return;
  number_t *a = take(plan, &scratch, n * n), *z = take(plan, &scratch, n * n);
  number_t *vectors = take(plan, &scratch, n * n), *e = take(plan, &scratch, n);
  number_t *v = plan->factor.has_vectors ? vectors : NULL;
  void *work = scratch;
  bool is_done;
  if (plan->dtype != plan->out_type) {
    double *real = (double *)(void *)a;
    for (int64_t i = 0; i < n * n; ++i) {
      real[i] = berth_number_at(plan->dtype, args[0], at * n * n + i);
    }
    is_done = berth_factor_eig(real, n, e, v, work);
  } else {
    load(plan, args[0], at * n * n, n * n, a);
    is_done = eig_complex(a, n, e, v, z, work);
  }
  for (int64_t i = 0; !is_done && i < n; ++i) e[i] = NAN;
  for (int64_t i = 0; !is_done && v != NULL && i < n * n; ++i) v[i] = NAN;
  store(plan, e, n, args[1], at * n);
  if (v != NULL) store(plan, v, n * n, args[2], at * n * n);
}

// ---- Functions of a matrix ----

static void do_function(const plan_t *plan, void *const *args, int64_t at,
                        char *scratch) {
  int64_t n = plan->factor.n;
  number_t *a = take(plan, &scratch, n * n), *out = take(plan, &scratch, n * n);
  number_t *work = (number_t *)(void *)scratch;
  load(plan, args[0], at * n * n, n * n, a);
  bool is_done = plan->factor.kind == BERTH_FACTOR_ROOT
                     ? berth_factor_square_root(a, n, out, work)
                     : berth_factor_logarithm(a, n, out, work);
  // A real matrix whose root is not real has none here.
  double real = 0, imaginary = 0;
  bool is_real =
      plan->dtype != BERTH_COMPLEX64 && plan->dtype != BERTH_COMPLEX128;
  for (int64_t i = 0; is_real && i < n * n; ++i) {
    real = fmax(real, fabs(creal(out[i])));
    imaginary = fmax(imaginary, fabs(cimag(out[i])));
  }
  if (imaginary > 1e-6 * real) is_done = false;
  for (int64_t i = 0; !is_done && i < n * n; ++i) out[i] = NAN;
  store(plan, out, n * n, args[1], at * n * n);
}

// Stores |scale| times a product of matrices of |n| rows in |out|, and returns
// what was there in |*a|, for the next.
static void multiply_by(number_t **a, const number_t *b, int64_t n,
                        double scale, number_t **out) {
  number_t *made = *out;
  for (int64_t i = 0; i < n * n; ++i) {
    number_t sum = 0;
    for (int64_t k = 0; k < n; ++k) {
      sum += (*a)[i / n * n + k] * b[k * n + i % n];
    }
    made[i] = sum * scale;
  }
  *out = *a;
  *a = made;
}

// The series of a part of the matrix that is so small that its terms vanish,
// squared as often as the matrix was halved.
static void do_exponential(const plan_t *plan, void *const *args, int64_t at,
                           char *scratch) {
  enum { TERMS = 18 };
  int64_t n = plan->factor.n;
  number_t *a = take(plan, &scratch, n * n), *sum = take(plan, &scratch, n * n);
  number_t *term = take(plan, &scratch, n * n);
  number_t *room = take(plan, &scratch, n * n);
  double norm = 0, part = 1;
  int halved = 0;
  load(plan, args[0], at * n * n, n * n, a);
  for (int64_t i = 0; i < n * n; ++i) norm += cabs(a[i]);
  for (; isfinite(norm) && norm * part > 0.5; part /= 2) ++halved;
  for (int64_t i = 0; i < n * n; ++i) {
    a[i] *= part;
    sum[i] = term[i] = i % (n + 1) == 0;
  }
  for (int k = 1; k <= TERMS; ++k) {
    multiply_by(&term, a, n, 1.0 / k, &room);
    for (int64_t i = 0; i < n * n; ++i) sum[i] += term[i];
  }
  for (; halved > 0; --halved) multiply_by(&sum, sum, n, 1, &room);
  store(plan, sum, n * n, args[1], at * n * n);
}

// ---- Least squares ----

// Replaces |a|, which is positive, by its lower factor; false: it is not.
static bool cholesky(number_t *a, int64_t n) {
  for (int64_t k = 0; k < n; ++k) {
    double x = creal(a[k * n + k]);
    for (int64_t j = 0; j < k; ++j) {
      x -= creal(a[k * n + j] * conj(a[k * n + j]));
    }
    if (!(x > 0)) return false;
    x = sqrt(x);
    a[k * n + k] = x;
    for (int64_t i = k + 1; i < n; ++i) {
      number_t sum = a[i * n + k];
      for (int64_t j = 0; j < k; ++j) sum -= a[i * n + j] * conj(a[k * n + j]);
      a[i * n + k] = sum / x;
    }
  }
  return true;
}

// Solves L L^H X = B in the place of |b|.
static void solve_factor(const number_t *l, int64_t n, number_t *b,
                         int64_t columns) {
  for (int64_t c = 0; c < columns; ++c) {
    for (int64_t i = 0; i < n; ++i) {
      number_t sum = b[i * columns + c];
      for (int64_t k = 0; k < i; ++k) {
        sum -= l[i * n + k] * b[k * columns + c];
      }
      b[i * columns + c] = sum / l[i * n + i];
    }
    for (int64_t i = n - 1; i >= 0; --i) {
      number_t sum = b[i * columns + c];
      for (int64_t k = i + 1; k < n; ++k) {
        sum -= conj(l[k * n + i]) * b[k * columns + c];
      }
      b[i * columns + c] = sum / conj(l[i * n + i]);
    }
  }
}

// out = A B, or A^H B; |a| has |m| rows and |n| columns.
static void multiply(const number_t *a, int64_t m, int64_t n, bool is_adjoint,
                     const number_t *b, int64_t columns, number_t *out) {
  int64_t rows = is_adjoint ? n : m;
  for (int64_t i = 0; i < rows * columns; ++i) out[i] = 0;
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      number_t x = is_adjoint ? conj(a[i * n + j]) : a[i * n + j];
      int64_t to = is_adjoint ? j : i, from = is_adjoint ? i : j;
      for (int64_t c = 0; c < columns; ++c) {
        out[to * columns + c] += x * b[from * columns + c];
      }
    }
  }
}

// By the equations of squares; false: they have no factor.
static bool least_fast(const plan_t *plan, const number_t *a, number_t *b,
                       number_t *x, number_t *squares) {
  int64_t m = plan->factor.m, n = plan->factor.n, k = m < n ? m : n;
  int64_t columns = plan->factor.columns;
  for (int64_t i = 0; i < k; ++i) {
    for (int64_t j = 0; j < k; ++j) {
      number_t sum = i == j ? plan->l2 : 0;
      for (int64_t t = 0; t < (m < n ? n : m); ++t) {
        sum += m < n ? a[i * n + t] * conj(a[j * n + t])
                     : conj(a[t * n + i]) * a[t * n + j];
      }
      squares[i * k + j] = sum;
    }
  }
  if (!cholesky(squares, k)) return false;
  if (m < n) {
    solve_factor(squares, k, b, columns);
    multiply(a, m, n, true, b, columns, x);
  } else {
    multiply(a, m, n, true, b, columns, x);
    solve_factor(squares, k, x, columns);
  }
  return true;
}

// By singular values: the shortest of the best.
static void least_slow(const plan_t *plan, number_t *a, const number_t *b,
                       number_t *x, char *scratch) {
  int64_t m = plan->factor.m, n = plan->factor.n;
  int64_t most = m > n ? m : n, least = m > n ? n : m;
  int64_t columns = plan->factor.columns;
  number_t *u = take(plan, &scratch, most * least);
  number_t *v = take(plan, &scratch, least * least);
  number_t *turned = take(plan, &scratch, m * n + least * columns);
  double *s = take(plan, &scratch, least);
  if (m < n) {
    adjoint(plan, a, m, n, turned);
    memcpy(a, turned, (size_t)(m * n) * sizeof(*a));
  }
  berth_factor_complex.svd(a, most, least, s, u, least, v, scratch);
  bool is_wide = plan->dtype == BERTH_DOUBLE || plan->dtype == BERTH_COMPLEX128;
  double epsilon = is_wide ? DBL_EPSILON : (double)FLT_EPSILON;
  multiply(m < n ? v : u, m, least, true, b, columns, turned);
  for (int64_t i = 0; i < least * columns; ++i) {
    double value = s[i / columns];
    bool counts = value > s[0] * epsilon * (double)least;
    turned[i] = counts ? turned[i] / value : 0;
  }
  multiply(m < n ? u : v, n, least, false, turned, columns, x);
}

static bool do_least(const plan_t *plan, void *const *args, int64_t at,
                     char *scratch) {
  const berth_factor_t *f = &plan->factor;
  int64_t m = f->m, n = f->n, k = m < n ? m : n, columns = f->columns;
  number_t *a = take(plan, &scratch, m * n);
  number_t *b = take(plan, &scratch, m * columns);
  number_t *x = take(plan, &scratch, n * columns);
  load(plan, args[0], at * m * n, m * n, a);
  load(plan, args[1], at * m * columns, m * columns, b);
  if (plan->is_fast) {
    if (!least_fast(plan, a, b, x, take(plan, &scratch, k * k))) return false;
  } else {
    least_slow(plan, a, b, x, scratch);
  }
  store(plan, x, n * columns, args[3], at * n * columns);
  return true;
}

// ---- The gradient of Cholesky's factor ----

// L^-H Phi(L^H grad) L^-1, made its own adjoint; Phi keeps the lower half, and
// half of the diagonal.
static void do_cholesky(const plan_t *plan, void *const *args, int64_t at,
                        char *scratch) {
  int64_t n = plan->factor.n;
  double *l = take(plan, &scratch, n * n), *grad = take(plan, &scratch, n * n);
  double *x = take(plan, &scratch, n * n);
  load(plan, args[0], at * n * n, n * n, l);
  load(plan, args[1], at * n * n, n * n, grad);
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      double sum = 0;
      for (int64_t k = i; k < n; ++k) {
        if (k >= j) sum += l[k * n + i] * grad[k * n + j];
      }
      x[i * n + j] = j < i ? sum : j == i ? sum / 2 : 0;
    }
  }
  // From the left, column by column; then from the right, row by row.
  for (int64_t j = 0; j < n; ++j) {
    for (int64_t i = n - 1; i >= 0; --i) {
      double sum = x[i * n + j];
      for (int64_t k = i + 1; k < n; ++k) sum -= l[k * n + i] * x[k * n + j];
      x[i * n + j] = sum / l[i * n + i];
    }
  }
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = n - 1; j >= 0; --j) {
      double sum = x[i * n + j];
      for (int64_t k = j + 1; k < n; ++k) sum -= x[i * n + k] * l[k * n + j];
      x[i * n + j] = sum / l[j * n + j];
    }
  }
  for (int64_t i = 0; i < n * n; ++i) {
    grad[i] = (x[i] + x[i % n * n + i / n]) / 2;
  }
  store(plan, grad, n * n, args[2], at * n * n);
}

// ---- Three diagonals ----

// Defines what solves in the place of |b|; |d| has the upper diagonal, the main
// one and the lower one, |n| each. |second| is what turning rows puts beside the
// upper. False where there is no solution.
#define SOLVE_THREE(name, T, size_of_number)                                  \
  static bool name(T *d, int64_t n, T *second, T *b, int64_t columns,         \
                   bool turns) {                                              \
    T *upper = d, *main = d + n, *lower = d + 2 * n;                          \
    for (int64_t i = 0; i < n; ++i) second[i] = 0;                            \
    for (int64_t i = 0; i + 1 < n; ++i) {                                     \
      if (turns && size_of_number(lower[i + 1]) > size_of_number(main[i])) {  \
        T kept[2] = {main[i], upper[i]};                                      \
        main[i] = lower[i + 1];                                               \
        upper[i] = main[i + 1];                                               \
        second[i] = i + 2 < n ? upper[i + 1] : 0;                             \
        lower[i + 1] = kept[0];                                               \
        main[i + 1] = kept[1];                                                \
        if (i + 2 < n) upper[i + 1] = 0;                                      \
        for (int64_t c = 0; c < columns; ++c) {                               \
          T x = b[i * columns + c];                                           \
          b[i * columns + c] = b[(i + 1) * columns + c];                      \
          b[(i + 1) * columns + c] = x;                                       \
        }                                                                     \
      }                                                                       \
      if (main[i] == 0) return false;                                         \
      T factor = lower[i + 1] / main[i];                                      \
      main[i + 1] -= factor * upper[i];                                       \
      if (i + 2 < n) upper[i + 1] -= factor * second[i];                      \
      for (int64_t c = 0; c < columns; ++c) {                                 \
        b[(i + 1) * columns + c] -= factor * b[i * columns + c];              \
      }                                                                       \
    }                                                                         \
    if (main[n - 1] == 0) return false;                                       \
    for (int64_t i = n - 1; i >= 0; --i) {                                    \
      for (int64_t c = 0; c < columns; ++c) {                                 \
        T sum = b[i * columns + c];                                           \
        if (i + 1 < n) sum -= upper[i] * b[(i + 1) * columns + c];            \
        if (i + 2 < n) sum -= second[i] * b[(i + 2) * columns + c];           \
        b[i * columns + c] = sum / main[i];                                   \
      }                                                                       \
    }                                                                         \
    return true;                                                              \
  }
SOLVE_THREE(solve_three, number_t, cabs)
SOLVE_THREE(solve_three_real, double, fabs)

static void do_three(const plan_t *plan, void *const *args, int64_t at,
                     char *scratch) {
  int64_t n = plan->factor.n, columns = plan->factor.columns;
  void *d = take(plan, &scratch, 3 * n), *more = take(plan, &scratch, n);
  void *b = take(plan, &scratch, n * columns);
  load(plan, args[0], at * 3 * n, 3 * n, d);
  load(plan, args[1], at * n * columns, n * columns, b);
  bool is_solved = plan->is_complex
                       ? solve_three(d, n, more, b, columns, plan->turns)
                       : solve_three_real(d, n, more, b, columns, plan->turns);
  for (int64_t i = 0; !is_solved && i < n * columns; ++i) {
    if (plan->is_complex) {
      ((number_t *)b)[i] = NAN;
    } else {
      ((double *)b)[i] = NAN;
    }
  }
  store(plan, b, n * columns, args[2], at * n * columns);
}

static void do_three_mul(const plan_t *plan, void *const *args, int64_t at,
                         char *scratch) {
  (void)scratch;
  int64_t n = plan->factor.n, columns = plan->factor.columns;
  for (int64_t i = 0; i < n * columns; ++i) {
    int64_t row = i / columns, b = at * n * columns + i, k = at * n + row;
    number_t sum = element_at(plan->dtype, args[1], k) *
                   element_at(plan->dtype, args[3], b);
    if (row > 0) {
      sum += element_at(plan->dtype, args[2], k) *
             element_at(plan->dtype, args[3], b - columns);
    }
    if (row + 1 < n) {
      sum += element_at(plan->dtype, args[0], k) *
             element_at(plan->dtype, args[3], b + columns);
    }
    element_set(plan->out_type, args[4], b, sum);
  }
}

// ---- Running ----

static bool do_one(const plan_t *plan, void *const *args, int64_t at,
                   char *scratch) {
  static void (*const functions[])(const plan_t *, void *const *, int64_t,
                                   char *) = {
      [BERTH_FACTOR_QR] = do_qr,
      [BERTH_FACTOR_SVD] = do_svd,
      [BERTH_FACTOR_EIGH] = do_eigh,
      [BERTH_FACTOR_EIG] = do_eig,
      [BERTH_FACTOR_ROOT] = do_function,
      [BERTH_FACTOR_LOG] = do_function,
      [BERTH_FACTOR_EXP] = do_exponential,
      [BERTH_FACTOR_CHOLESKY] = do_cholesky,
      [BERTH_FACTOR_THREE] = do_three,
      [BERTH_FACTOR_THREE_MUL] = do_three_mul,
  };
  if (plan->factor.kind == BERTH_FACTOR_LEAST) {
    return do_least(plan, args, at, scratch);
  }
  functions[plan->factor.kind](plan, args, at, scratch);
  return true;
}

static berth_code_t run_factor(const void *arg, void *const *args,
                               berth_call_t *call) {
  const plan_t *plan = arg;
  const berth_node_t *node = call->node;
  char *scratch = args[node->input_count + node->output_count];
  for (int i = 1; !plan->factor.has_vectors && i < node->output_count; ++i) {
    memset(args[node->input_count + i], 0, berth_dtype_size(plan->out_type));
  }
  for (int64_t i = 0; i < plan->factor.batch; ++i) {
    if (berth_cpu_has_ended(call)) return BERTH_OK;
    if (do_one(plan, args, i, scratch)) continue;
    return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                           "Input matrix was rank deficient or "
                           "ill-conditioned. Try setting fast=False or provide "
                           "a larger l2_regularizer > 0.");
  }
  return BERTH_OK;
}

// Numbers of scratch space; every |take| may add 64 bytes.
static int64_t scratch_of(const berth_factor_t *f) {
  // Diagonals take little, and may be long.
  if (f->kind == BERTH_FACTOR_THREE) return (4 + f->columns) * f->n + 64;
  int64_t most = f->m > f->n ? f->m : f->n, right = most * f->columns;
  return 6 * most * most + 2 * f->m * f->n + 4 * right + 16 * most + 64 +
         berth_factor_room(most, most);
}

static berth_code_t prepare_factor(berth_prepare_t *prepare,
                                   berth_error_t *err) {
  plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  BERTH_TRY(berth_op_factor(&prepare->op, &plan->factor, err));
  const berth_factor_t *f = &plan->factor;
  const berth_node_t *node = prepare->op.node;
  plan->dtype = prepare->op.inputs[0].dtype;
  plan->out_type = node->output_types[0];
  plan->is_complex = berth_type_in(plan->out_type, BERTH_TYPES_COMPLEX) ||
                     f->kind >= BERTH_FACTOR_EIG;
  if (f->kind == BERTH_FACTOR_CHOLESKY) plan->is_complex = false;
  if (f->kind == BERTH_FACTOR_THREE) {
    plan->is_complex = berth_type_in(plan->out_type, BERTH_TYPES_COMPLEX);
  }
  plan->is_joined = prepare->op.output_count == 1;
  plan->is_fast = berth_node_attr_bool(node, "fast", true);
  plan->turns = berth_node_attr_bool(node, "partial_pivoting", true);
  if (f->kind == BERTH_FACTOR_LEAST) {
    plan->l2 = *(const double *)prepare->op.inputs[2].value;
  }
  if (berth_node_attr_bool(node, "perturb_singular", false)) {
    return berth_error_set(err, BERTH_UNIMPLEMENTED,
                           "Berth has TridiagonalSolve without "
                           "perturb_singular.");
  }
  int64_t made = 0;
  for (int i = 0; i < prepare->op.output_count; ++i) {
    made += berth_dims_count(berth_case_output_dims(&prepare->op, i));
  }
  prepare->scratch_size = (size_t)scratch_of(f) * size_of(plan) + 1024;
  prepare->run = made > 0 ? run_factor : berth_run_nothing;
  prepare->work = f->batch * f->m * f->n * (f->m < f->n ? f->m : f->n) * 4;
  return BERTH_OK;
}

#define COMMON (BERTH_TYPE(FLOAT) | BERTH_TYPE(DOUBLE))
#define LINEAR (COMMON | BERTH_TYPES_COMPLEX)
#define FACTOR(name, types_) \
  { .op = name, .types = {{"T", types_}}, .prepare = prepare_factor }

const berth_kernel_t berth_cpu_factor_kernels[] = {
    FACTOR("Qr", LINEAR | BERTH_TYPE(HALF)),
    FACTOR("Svd", LINEAR),
    FACTOR("SelfAdjointEigV2", LINEAR),
    FACTOR("SelfAdjointEig", COMMON),
    FACTOR("Eig", LINEAR),
    FACTOR("MatrixSquareRoot", LINEAR),
    FACTOR("MatrixLogarithm", BERTH_TYPES_COMPLEX),
    FACTOR("MatrixExponential", LINEAR),
    FACTOR("MatrixSolveLs", LINEAR),
    FACTOR("CholeskyGrad", COMMON),
    FACTOR("TridiagonalSolve", LINEAR),
    FACTOR("TridiagonalMatMul", LINEAR),
    {.op = NULL},
};
