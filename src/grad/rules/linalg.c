// linalg.c - Inverses, determinants and solutions.
#include "grad/matrix.h"
#include "grad/rules/operators.inc"
#include "grad/sizes.h"

static bool is_adjoint(const berth_grad_t *g) {
  return berth_node_attr_bool(g->node, "adjoint", false);
}

BERTH_GRAD(matrix_inverse) {
  value_t d = dy(g, 0), inverse = out(g, 0);
  bool adjoint = is_adjoint(g);
  d = berth_emit_matmul(g, d, inverse,
                        adjoint ? BERTH_ADJOINT_A : BERTH_ADJOINT_B);
  d = berth_emit_matmul(g, inverse, d,
                        adjoint ? BERTH_ADJOINT_NONE : BERTH_ADJOINT_A);
  give(g, 0, neg(g, d));
}

// ---- Determinants ----

static value_t inverse_adjoint(berth_grad_t *g) {
  berth_grad_begin(g, "MatrixInverse", NULL);
  berth_op_attr_bool(g->op, "adjoint", true);
  return MAKE(g, in(g, 0));
}

// Returns |a|, a number for each matrix of |like|, as matrices of one element.
static value_t as_matrices(berth_grad_t *g, value_t a, value_t like) {
  value_t sizes = berth_emit_shape(g, like);
  sizes = berth_emit_join(
      g, (berth_extent_t[]){BERTH_EXTENT(sizes), BERTH_EXTENT_NUMBERS(1, 1)},
      2);
  return reshape(g, a, sizes);
}

BERTH_GRAD(matrix_determinant) {
  value_t d = dy(g, 0), c = out(g, 0);
  value_t inverse = inverse_adjoint(g);
  value_t scale = as_matrices(g, mul(g, d, c), c);
  give(g, 0, mul(g, scale, inverse));
}

BERTH_GRAD(log_matrix_determinant) {
  value_t d = dy(g, 1);
  value_t inverse = inverse_adjoint(g);
  value_t scale = as_matrices(g, d, out(g, 1));
  give(g, 0, mul(g, scale, inverse));
}

// ---- Solutions ----

// Returns the slope by the matrix, from that by the right side.
static value_t by_matrix(berth_grad_t *g, value_t db) {
  value_t c = out(g, 0);
  value_t da = is_adjoint(g) ? berth_emit_matmul(g, c, db, BERTH_ADJOINT_B)
                             : berth_emit_matmul(g, db, c, BERTH_ADJOINT_B);
  return neg(g, da);
}

BERTH_GRAD(matrix_solve) {
  value_t d = dy(g, 0);
  berth_grad_begin(g, "MatrixSolve", NULL);
  berth_op_attr_bool(g->op, "adjoint", !is_adjoint(g));
  value_t db = MAKE(g, in(g, 0), d);
  give(g, 0, by_matrix(g, db));
  give(g, 1, db);
}

BERTH_GRAD(matrix_triangular_solve) {
  value_t d = dy(g, 0), a = in(g, 0);
  bool is_lower = berth_node_attr_bool(g->node, "lower", true);
  value_t db = berth_emit_triangular_solve(g, a, d, is_lower, !is_adjoint(g));
  value_t da = by_matrix(g, db);
  da = is_lower ? berth_emit_band(g, da, -1, 0) : berth_emit_band(g, da, 0, -1);
  berth_give_batches(g, da, db, berth_same_batch(g, a, in(g, 1), true));
}

// ---- Cholesky ----

BERTH_GRAD(cholesky) {
  value_t d = dy(g, 0), l = out(g, 0);
  value_t rows = berth_emit_item(g, berth_emit_shape(g, l), -1);
  value_t batch = berth_emit_part(g, berth_emit_shape(g, l), 0, -2);
  value_t inverse = berth_emit_eye(g, rows, batch, berth_grad_dtype(g, l));
  inverse = berth_emit_triangular_solve(g, l, inverse, true, false);
  value_t middle = berth_emit_matmul(g, l, d, BERTH_ADJOINT_A);
  value_t half = number_mul(g, 0.5, berth_emit_diag_part(g, middle));
  middle = berth_emit_set_diag(g, middle, half);
  middle = berth_emit_band(g, middle, -1, 0);
  value_t da = berth_emit_matmul(g, inverse, middle, BERTH_ADJOINT_A);
  da = berth_emit_matmul(g, da, inverse, BERTH_ADJOINT_NONE);
  da = add(g, da, berth_emit_adjoint(g, da));
  give(g, 0, mul_number(g, da, 0.5));
}
