// factor.h - Decompositions of matrices, in double precision.
//
// Matrices are row-major. Each of the first four comes for real and for complex
// numbers; the last ones work on complex numbers alone. Where reflections are
// used, the element that is kept gets the sign opposite to what it had, as in
// LAPACK and Eigen.
//
// Pure functions on the caller's memory. A matrix that is not finite gives
// what is not a number, after a bounded number of steps.
#ifndef BERTH_CPU_LOOPS_FACTOR_H_
#define BERTH_CPU_LOOPS_FACTOR_H_

#include <stdbool.h>
#include <stdint.h>

#include "tensor/complex.h"

typedef struct berth_factor_loops {
  // A = QR: |a| of |m| by |n| becomes R, with zeros below its diagonal, and |q|
  // gets |p| columns, at least min(m, n). |work|: max(m, n) + p numbers and
  // more, see berth_factor_room().
  void (*qr)(void *a, int64_t m, int64_t n, void *q, int64_t p, void *work);
  // A = V diag(e) V^H of a matrix that is its own adjoint, of which the lower
  // half is read: |e| in rising order; |v| may be NULL.
  void (*eigh)(void *a, int64_t n, double *e, void *v, void *work);
  // A = U diag(s) V^H for m >= n: |s| in falling order, |u| with |p| columns, n
  // or m, |v| with n; both may be NULL.
  void (*svd)(void *a, int64_t m, int64_t n, double *s, void *u, int64_t p,
              void *v, void *work);
  // A = Z H Z^H: |a| becomes H, with zeros below its first subdiagonal. |z| may
  // be NULL.
  void (*hessenberg)(void *a, int64_t n, void *z, void *work);
} berth_factor_loops_t;

extern const berth_factor_loops_t berth_factor_real;
extern const berth_factor_loops_t berth_factor_complex;

enum {
  // Turns of rows that are done at once, for each column.
  BERTH_FACTOR_TURNS = 8,
  // Doubles for each column: turns, and what they are done in.
  BERTH_FACTOR_LIST = 3 * BERTH_FACTOR_TURNS + 32,
  // Reflections of so many rows are done as products of matrices.
  BERTH_FACTOR_MANY = 96,
};

// Returns how many numbers of |work| the above need for sizes up to |m| and |n|.
static inline int64_t berth_factor_room(int64_t m, int64_t n) {
  int64_t most = m > n ? m : n;
  int64_t products = most < BERTH_FACTOR_MANY ? 0 : 512 * most + 65536;
  return most * most + (24 + 2 * BERTH_FACTOR_LIST) * most + 8 + products;
}

// Stores the eigenvalues of the real matrix |a|, which is used up, of two
// conjugated ones the positive imaginary part first; and their vectors, each of
// length 1, as columns of |v|, or NULL. |work|: n * n + 4 n more than above.
// False: it did not converge.
bool berth_factor_eig(double *a, int64_t n, berth_complex128_t *e,
                      berth_complex128_t *v, double *work);

// A = Z T Z^H, T a triangle: |a| becomes T, or its diagonal alone is that of T
// where |z| is NULL. |work|: as above. False: it did not converge.
bool berth_factor_schur(berth_complex128_t *a, int64_t n, berth_complex128_t *z,
                        berth_complex128_t *work);

// Stores the eigenvectors of the triangle |t|, turned by |z|, as columns of |v|,
// each of length 1. |work|: n numbers.
void berth_factor_vectors(const berth_complex128_t *t, int64_t n,
                          const berth_complex128_t *z, berth_complex128_t *v,
                          berth_complex128_t *work);

// Stores the principal square root, or logarithm, of |a|, which it overwrites,
// in |out|. |work|: 5 n * n numbers more. False: it did not converge.
bool berth_factor_square_root(berth_complex128_t *a, int64_t n,
                              berth_complex128_t *out,
                              berth_complex128_t *work);
bool berth_factor_logarithm(berth_complex128_t *a, int64_t n,
                            berth_complex128_t *out, berth_complex128_t *work);

#endif  // BERTH_CPU_LOOPS_FACTOR_H_
