// solve.h - Triangles, and how matrices become them, in four types of numbers.
//
// Matrices are in rows, |step| numbers apart. All work by halves: what is left
// beside the halves is a product, and products are fast (gemm.h). Pure
// functions on the caller's memory.
#ifndef BERTH_CPU_LOOPS_SOLVE_H_
#define BERTH_CPU_LOOPS_SOLVE_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tensor/dtype.h"

// Where products are made: berth_solve_space() bytes, aligned to 64.
typedef struct berth_solve_space {
  void *numbers, *tiles;
} berth_solve_space_t;

// Which part of a matrix is meant: the lower one or the upper one, with ones on
// the diagonal or what is there; its adjoint.
typedef struct berth_triangle {
  bool is_lower, has_ones, is_adjoint;
} berth_triangle_t;

typedef struct berth_solve_loops {
  berth_dtype_t dtype;
  // Decomposes |a|, |n| by |n|, into a lower factor, of ones on the diagonal,
  // and an upper one, in place; row i of it is row |rows|[i] of what it was.
  // Returns the sign of that order.
  int (*lu)(void *a, int64_t n, int64_t *rows,
            const berth_solve_space_t *space);
  // Solves for |columns| right sides in |b|, in place, with a triangle of |a|.
  // A zero on its diagonal is divided by.
  void (*triangle)(const void *a, int64_t n, void *b, int64_t columns,
                   berth_triangle_t form, const berth_solve_space_t *space);
  // Makes the lower factor of |a|, of which the lower half is read, in place,
  // with zeros above it. False: it is not positive.
  bool (*cholesky)(void *a, int64_t n, const berth_solve_space_t *space);
  // Copies |from| to |to|, its rows and columns exchanged and conjugated.
  void (*adjoint)(const void *from, int64_t n, void *to);
  // True when some number on the diagonal is zero, or none.
  bool (*has_zero)(const void *a, int64_t n);
  // Stores the sign of the determinant that the factors |lu| of a matrix have,
  // |sign| being that of their order, and the logarithm of its size.
  void (*log_determinant)(const void *lu, int64_t n, int order, void *sign,
                          void *size);
  // Stores the number itself, of both.
  void (*determinant)(const void *sign, const void *size, void *out);
} berth_solve_loops_t;

// Returns the loops of |dtype|: float, double, complex64 or complex128.
const berth_solve_loops_t *berth_solve_loops(berth_dtype_t dtype);

// Returns the bytes for matrices of |n| rows and |columns| right sides of
// |dtype|.
size_t berth_solve_space_size(berth_dtype_t dtype, int64_t n, int64_t columns);

// Returns the parts of |memory| of so many bytes.
berth_solve_space_t berth_solve_space_at(berth_dtype_t dtype, int64_t n,
                                         int64_t columns, void *memory);

#endif  // BERTH_CPU_LOOPS_SOLVE_H_
