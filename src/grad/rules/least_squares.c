// least_squares.c - Solutions of least squares.
#include "grad/matrix.h"
#include "grad/rules/operators.inc"
#include "grad/sizes.h"

static value_t matmul(berth_grad_t *g, value_t a, value_t b,
                      berth_adjoint_t adjoint) {
  return berth_emit_matmul(g, a, b, adjoint);
}

// Returns the Cholesky factor of the products of columns of the matrix, or of
// rows, with a regularizer.
static value_t gramian(berth_grad_t *g, bool of_columns) {
  value_t a = in(g, 0);
  berth_dtype_t type = berth_grad_dtype(g, a);
  value_t regularizer = berth_emit_cast(g, in(g, 2), type);
  value_t made =
      matmul(g, a, a, of_columns ? BERTH_ADJOINT_A : BERTH_ADJOINT_B);
  value_t sizes = berth_emit_shape(g, a);
  value_t batch = berth_emit_part(g, sizes, 0, -2);
  value_t size = berth_emit_item(g, sizes, of_columns ? -1 : -2);
  value_t eye = berth_emit_eye(g, size, batch, type);
  made = add(g, made, mul(g, regularizer, eye));
  return fn(g, "Cholesky", made);
}

static value_t triangular_solve(berth_grad_t *g, value_t factor, value_t b,
                                bool is_adjoint) {
  berth_grad_begin(g, "MatrixTriangularSolve", NULL);
  berth_op_attr_bool(g->op, "lower", true);
  berth_op_attr_bool(g->op, "adjoint", is_adjoint);
  return MAKE(g, factor, b);
}

static value_t cholesky_solve(berth_grad_t *g, value_t factor, value_t b) {
  berth_grad_push(g, "cholesky_solve");
  value_t t = triangular_solve(g, factor, b, false);
  t = triangular_solve(g, factor, t, true);
  berth_grad_pop(g);
  return t;
}

static void give_tall(berth_grad_t *g) {
  value_t a = in(g, 0), b = in(g, 1), x = out(g, 0);
  value_t z = cholesky_solve(g, gramian(g, true), dy(g, 0));
  value_t t = matmul(g, x, z, BERTH_ADJOINT_B);
  t = add(g, t, berth_emit_matrix_transpose(g, t, false));
  t = neg(g, matmul(g, a, t, BERTH_ADJOINT_NONE));
  give(g, 0, add(g, t, matmul(g, b, z, BERTH_ADJOINT_B)));
  give(g, 1, matmul(g, a, z, BERTH_ADJOINT_NONE));
}

static void give_wide(berth_grad_t *g) {
  value_t a = in(g, 0), b = in(g, 1), d = dy(g, 0);
  value_t factor = gramian(g, false);
  value_t db = matmul(g, a, d, BERTH_ADJOINT_NONE);
  db = cholesky_solve(g, factor, db);
  value_t t = cholesky_solve(g, factor, b);
  value_t p = matmul(g, t, a, BERTH_ADJOINT_A);
  p = neg(g, matmul(g, db, p, BERTH_ADJOINT_NONE));
  value_t q = sub(g, d, matmul(g, a, db, BERTH_ADJOINT_A));
  q = matmul(g, t, q, BERTH_ADJOINT_B);
  give(g, 0, add(g, p, q));
  give(g, 1, db);
}

BERTH_GRAD(matrix_solve_ls) {
  berth_dims_t dims = berth_grad_shape(g, in(g, 0));
  if (!berth_node_attr_bool(g->node, "fast", true)) {
    berth_grad_fail(g, BERTH_INVALID_ARGUMENT,
                    "Gradient not defined for fast=False");
  } else if (dims.rank < 2 || dims.dims[dims.rank - 1] < 0 ||
             dims.dims[dims.rank - 2] < 0) {
    berth_grad_fail(g, BERTH_UNIMPLEMENTED,
                    "MatrixSolveLs: Berth has no slope where it is not known "
                    "whether there are more rows or more columns; set the "
                    "shape of '%s'.",
                    g->node->name);
  } else if (dims.dims[dims.rank - 2] >= dims.dims[dims.rank - 1]) {
    give_tall(g);
  } else {
    give_wide(g);
  }
}
