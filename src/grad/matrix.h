// matrix.h - What rules of linear algebra emit: products, transposes, diagonals
// of matrices and of batches of them.
//
// Threads: as rule.h.
#ifndef BERTH_GRAD_MATRIX_H_
#define BERTH_GRAD_MATRIX_H_

#include "grad/rule.h"

// Which factors of a product are adjoint.
typedef enum berth_adjoint {
  BERTH_ADJOINT_NONE = 0,
  BERTH_ADJOINT_A = 1,
  BERTH_ADJOINT_B = 2
} berth_adjoint_t;

// Returns the product of |a| and |b|.
berth_out_t berth_emit_matmul(berth_grad_t *g, berth_out_t a, berth_out_t b,
                              berth_adjoint_t adjoint);

// Return the transpose, conjugated if it |is_adjoint|; and the adjoint in a scope
// of its own.
berth_out_t berth_emit_matrix_transpose(berth_grad_t *g, berth_out_t a,
                                        bool is_adjoint);
berth_out_t berth_emit_adjoint(berth_grad_t *g, berth_out_t a);

// Return a matrix of a diagonal, the diagonal of a matrix, |a| with another one,
// and |a| without what is further below or above than that (-1: all is kept).
berth_out_t berth_emit_diag(berth_grad_t *g, berth_out_t diagonal);
berth_out_t berth_emit_diag_part(berth_grad_t *g, berth_out_t a);
berth_out_t berth_emit_set_diag(berth_grad_t *g, berth_out_t a,
                                berth_out_t diagonal);
berth_out_t berth_emit_band(berth_grad_t *g, berth_out_t a, int lower,
                            int upper);

// Returns identity matrices of |rows|, a scalar, for each of |batch|, a shape.
berth_out_t berth_emit_eye(berth_grad_t *g, berth_out_t rows, berth_out_t batch,
                           berth_dtype_t type);

// Returns what solves a x = |b| for a triangular |a|.
berth_out_t berth_emit_triangular_solve(berth_grad_t *g, berth_out_t a,
                                        berth_out_t b, bool is_lower,
                                        bool is_adjoint);

// Returns columns |from| up to |to| of a matrix, as a[..., :, from:to] does; 0 is
// the first, INT_MAX the last.
berth_out_t berth_emit_columns(berth_grad_t *g, berth_out_t a, int from,
                               int to);

// Sums slopes by |a| and |b| along the batches that broadcast, and gives them to
// inputs 0 and 1; not where their sizes are |same|.
void berth_give_batches(berth_grad_t *g, berth_out_t da, berth_out_t db,
                        bool is_same);

// True when both have the same sizes but for the last two; where |is_whole| the
// last two must be known as well.
bool berth_same_batch(const berth_grad_t *g, berth_out_t a, berth_out_t b,
                      bool is_whole);

#endif  // BERTH_GRAD_MATRIX_H_
