// decompose.c - Eigenvalues, singular values, QR, roots.
#include <limits.h>

#include "grad/matrix.h"
#include "grad/rules/operators.inc"
#include "grad/sizes.h"

static value_t matmul(berth_grad_t *g, value_t a, value_t b,
                      berth_adjoint_t adjoint) {
  return berth_emit_matmul(g, a, b, adjoint);
}

// Returns 1 / x, and 0 where x is.
static value_t safe_reciprocal(berth_grad_t *g, value_t x) {
  value_t t = mul(g, x, x);
  t = reciprocal(g, add_number(g, t, 1e-20));
  return mul(g, x, t);
}

// Returns the matrices of 1 / (e_j - e_i), with zeros in the diagonal.
static value_t gaps_of(berth_grad_t *g, value_t e, value_t like) {
  value_t row = berth_emit_expand(g, e, -2);
  value_t gaps = sub(g, row, berth_emit_expand(g, e, -1));
  gaps = safe_reciprocal(g, gaps);
  return berth_emit_set_diag(g, gaps, berth_emit_zeros_like(g, like));
}

// ---- Eigenvalues ----

// Returns the slope by a matrix, of which only the lower half is used.
static value_t lower_half(berth_grad_t *g, value_t da) {
  da = add(g, da, berth_emit_adjoint(g, da));
  da = berth_emit_band(g, da, -1, 0);
  value_t half = number_mul(g, 0.5, berth_emit_diag_part(g, da));
  return berth_emit_set_diag(g, da, half);
}

BERTH_GRAD(self_adjoint_eig) {
  value_t de = dy(g, 0), v, middle;
  if (berth_node_attr_bool(g->node, "compute_v", true)) {
    v = out(g, 1);
    value_t f = gaps_of(g, out(g, 0), out(g, 0));
    middle = berth_emit_diag(g, de);
    value_t t = matmul(g, v, dy(g, 1), BERTH_ADJOINT_A);
    middle = add(g, middle, mul(g, f, t));
  } else {
    berth_grad_begin(g, "SelfAdjointEigV2", NULL);
    berth_op_attr_bool(g->op, "compute_v", true);
    v = berth_out_at(MAKE(g, in(g, 0)), 1);
    middle = berth_emit_diag(g, de);
  }
  value_t da = matmul(g, middle, v, BERTH_ADJOINT_B);
  da = matmul(g, v, da, BERTH_ADJOINT_NONE);
  give(g, 0, lower_half(g, da));
}

// Returns what solves a x = |b|.
static value_t solved(berth_grad_t *g, value_t a, value_t b) {
  return OP(g, "MatrixSolve", NULL, a, b);
}

static value_t real_of(berth_grad_t *g, value_t a) {
  berth_dtype_t type = berth_grad_dtype(g, a);
  berth_grad_begin(g, "Real", NULL);
  berth_op_attr_type(g->op, "Tout",
                     type == BERTH_COMPLEX128 ? BERTH_DOUBLE : BERTH_FLOAT);
  return MAKE(g, a);
}

// Returns the slope by values and vectors, |turned| being the adjoint of these.
static value_t by_vectors(berth_grad_t *g, value_t v, value_t turned) {
  value_t f = conjugate(g, gaps_of(g, out(g, 0), out(g, 0)));
  value_t along = matmul(g, turned, dy(g, 1), BERTH_ADJOINT_NONE);
  value_t middle = berth_emit_diag(g, dy(g, 0));
  value_t t = berth_emit_cast(g, real_of(g, along), berth_grad_dtype(g, along));
  t = berth_emit_diag(g, berth_emit_diag_part(g, t));
  value_t square_of = matmul(g, turned, v, BERTH_ADJOINT_NONE);
  t = matmul(g, square_of, t, BERTH_ADJOINT_NONE);
  t = mul(g, f, sub(g, along, t));
  return add(g, middle, t);
}

BERTH_GRAD(eig) {
  value_t middle, turned;
  if (berth_node_attr_bool(g->node, "compute_v", true)) {
    value_t v = out(g, 1);
    turned = berth_emit_adjoint(g, v);
    middle = by_vectors(g, v, turned);
  } else {
    berth_grad_begin(g, "Eig", NULL);
    berth_op_attr_bool(g->op, "compute_v", true);
    berth_op_attr_type(g->op, "Tout", berth_grad_dtype(g, out(g, 0)));
    value_t v = berth_out_at(MAKE(g, in(g, 0)), 1);
    turned = berth_emit_adjoint(g, v);
    middle = berth_emit_diag(g, dy(g, 0));
  }
  middle = matmul(g, middle, turned, BERTH_ADJOINT_NONE);
  value_t da = solved(g, turned, middle);
  give(g, 0, berth_emit_cast(g, da, berth_grad_dtype(g, in(g, 0))));
}

// ---- Roots ----

// Joins the sizes of a batch with those of its last axes.
static value_t sizes_of(berth_grad_t *g, value_t batch, berth_extent_t a,
                        berth_extent_t b) {
  return berth_emit_join(g, (berth_extent_t[]){BERTH_EXTENT(batch), a, b}, 3);
}

// Returns |a| in the sizes of |batch| and those of four axes, of which every
// other one is 1.
static value_t spread_out(berth_grad_t *g, value_t a, value_t batch,
                          value_t order, bool is_first) {
  berth_extent_t one = BERTH_EXTENT_NUMBERS(1);
  berth_extent_t many = BERTH_EXTENT_SINGLE(order);
  berth_extent_t p = is_first ? many : one, q = is_first ? one : many;
  value_t sizes = berth_emit_join(
      g, (berth_extent_t[]){BERTH_EXTENT(batch), p, q, p, q}, 5);
  return reshape(g, a, sizes);
}

// Returns the Kronecker product of |a| and |b|, which have |order| rows.
static value_t kronecker(berth_grad_t *g, value_t a, value_t b, value_t batch,
                         value_t order) {
  value_t p = spread_out(g, a, batch, order, true);
  value_t q = spread_out(g, b, batch, order, false);
  value_t all = berth_emit_times(g, order, order);
  value_t sizes =
      sizes_of(g, batch, BERTH_EXTENT_SINGLE(all), BERTH_EXTENT_SINGLE(all));
  return reshape(g, mul(g, p, q), sizes);
}

// From r r = a follows dr r + r dr = da, which is solved as one system of all
// elements of dr.
BERTH_GRAD(matrix_square_root) {
  value_t d = dy(g, 0), r = out(g, 0);
  value_t sizes = berth_emit_shape(g, r);
  value_t order = berth_emit_item(g, sizes, -1);
  value_t batch = berth_emit_part(g, sizes, 0, -2);
  value_t eye = berth_emit_eye(g, order, batch, berth_grad_dtype(g, r));
  value_t turned = berth_emit_matrix_transpose(g, r, false);
  value_t sum = add(g, kronecker(g, eye, turned, batch, order),
                    kronecker(g, r, eye, batch, order));
  value_t all = berth_emit_times(g, order, order);
  value_t flat = reshape(
      g, berth_emit_matrix_transpose(g, d, false),
      sizes_of(g, batch, BERTH_EXTENT_SINGLE(all), BERTH_EXTENT_NUMBERS(1)));
  value_t da = reshape(g, solved(g, sum, flat), sizes);
  give(g, 0, berth_emit_matrix_transpose(g, da, false));
}

// ---- QR ----

// Returns x times the adjoint of the inverse of r.
static value_t over_adjoint(berth_grad_t *g, value_t x, value_t r) {
  x = berth_emit_adjoint(g, x);
  x = berth_emit_triangular_solve(g, r, x, false, false);
  return berth_emit_adjoint(g, x);
}

static value_t less_adjoint(berth_grad_t *g, value_t a) {
  return sub(g, a, berth_emit_adjoint(g, a));
}

// Returns what is to be added where values are complex.
static value_t correction(berth_grad_t *g, value_t q, value_t r, value_t qdq,
                          value_t rdr) {
  value_t m = sub(g, rdr, berth_emit_adjoint(g, qdq));
  value_t zeros = berth_emit_zeros_like(g, m);
  value_t eye = berth_emit_set_diag(g, zeros, berth_emit_diag_part(g, m));
  value_t re = real_of(g, eye);
  value_t rest = sub(g, eye, berth_emit_cast(g, re, berth_grad_dtype(g, q)));
  rest = matmul(g, q, berth_emit_adjoint(g, rest), BERTH_ADJOINT_NONE);
  return over_adjoint(g, rest, r);
}

// Returns the slope where there are at least as many rows as columns.
static value_t by_tall(berth_grad_t *g, value_t q, value_t r, value_t dq,
                       value_t dr) {
  value_t qdq = matmul(g, q, dq, BERTH_ADJOINT_A);
  value_t p = less_adjoint(g, qdq);
  value_t rdr = matmul(g, r, dr, BERTH_ADJOINT_B);
  value_t s = less_adjoint(g, rdr);
  value_t lower = berth_emit_band(g, add(g, p, s), -1, 0);
  value_t t = add(g, dr, over_adjoint(g, lower, r));
  value_t da = matmul(g, q, t, BERTH_ADJOINT_NONE);
  value_t rest = matmul(g, q, qdq, BERTH_ADJOINT_NONE);
  rest = over_adjoint(g, sub(g, dq, rest), r);
  da = add(g, da, rest);
  if (!is_complex(g, q)) return da;
  return add(g, da, correction(g, q, r, qdq, rdr));
}

static void give_wide(berth_grad_t *g, value_t q, value_t r, int rows) {
  value_t y = berth_emit_columns(g, in(g, 0), rows, INT_MAX);
  value_t u = berth_emit_columns(g, r, 0, rows);
  value_t dv = berth_emit_columns(g, dy(g, 1), rows, INT_MAX);
  value_t du = berth_emit_columns(g, dy(g, 1), 0, rows);
  value_t by_y = matmul(g, q, dv, BERTH_ADJOINT_NONE);
  value_t t = matmul(g, y, dv, BERTH_ADJOINT_B);
  value_t dx = by_tall(g, q, u, add(g, dy(g, 0), t), du);
  berth_grad_push(g, "concat");
  value_t axis = berth_grad_int(g, "axis", BERTH_INT32, -1);
  value_t parts[] = {dx, by_y, axis};
  berth_grad_begin(g, "ConcatV2", BERTH_SCOPE_NAME);
  value_t made = berth_grad_make_lists(g, parts, (int[]){2, -1}, 2);
  berth_grad_pop(g);
  give(g, 0, made);
}

BERTH_GRAD(qr) {
  value_t q = out(g, 0), r = out(g, 1);
  berth_dims_t p = berth_grad_shape(g, q), s = berth_grad_shape(g, r);
  if (s.rank < 2 || s.dims[s.rank - 2] < 0 || s.dims[s.rank - 1] < 0 ||
      p.rank < 2 || p.dims[p.rank - 2] < 0) {
    berth_grad_fail(g, BERTH_UNIMPLEMENTED,
                    "QrGrad not implemented with dynamic shapes.");
    return;
  }
  int64_t rows = p.dims[p.rank - 2], columns = s.dims[s.rank - 1];
  if (s.dims[s.rank - 2] > columns && rows == p.dims[p.rank - 1]) {
    berth_grad_fail(g, BERTH_UNIMPLEMENTED,
                    "QrGrad not implemented when nrows > ncols and "
                    "full_matrices is true.");
    return;
  }
  if (rows >= columns) {
    give(g, 0, by_tall(g, q, r, dy(g, 0), dy(g, 1)));
  } else {
    give_wide(g, q, r, (int)rows);
  }
}

// ---- Singular values ----

// A decomposition of a matrix that has no more rows than columns.
typedef struct svd {
  value_t s, u, v;  // s of the type of the matrix.
  value_t ds, du, dv;
  int rows, columns;
} svd_t;

static value_t with_adjoint(berth_grad_t *g, value_t a) {
  return add(g, a, berth_emit_adjoint(g, a));
}

// Returns the part of the slope that singular values and vectors share.
static value_t main_term(berth_grad_t *g, const svd_t *d, value_t s_matrix,
                         value_t by_u, value_t by_v, value_t v) {
  value_t t = matmul(g, with_adjoint(g, by_u), s_matrix, BERTH_ADJOINT_NONE);
  t = add(g, d->ds, t);
  value_t r = matmul(g, s_matrix, with_adjoint(g, by_v), BERTH_ADJOINT_NONE);
  t = add(g, t, r);
  t = matmul(g, t, v, BERTH_ADJOINT_B);
  return matmul(g, d->u, t, BERTH_ADJOINT_NONE);
}

// Returns the part that columns without a singular value have.
static value_t rest_term(berth_grad_t *g, const svd_t *d, value_t v, value_t dv,
                         value_t s_inverse, bool is_full) {
  value_t turned = berth_emit_matrix_transpose(g, dv, true);
  value_t t = matmul(g, turned, v, BERTH_ADJOINT_NONE);
  t = sub(g, turned, matmul(g, t, v, BERTH_ADJOINT_B));
  if (is_full) {
    value_t v2 = berth_emit_columns(g, d->v, d->rows, d->columns);
    value_t dv2 = berth_emit_columns(g, d->dv, d->rows, d->columns);
    value_t r = matmul(g, v, dv2, BERTH_ADJOINT_A);
    t = sub(g, t, matmul(g, r, v2, BERTH_ADJOINT_B));
  }
  value_t scaled = matmul(g, d->u, s_inverse, BERTH_ADJOINT_NONE);
  return matmul(g, scaled, t, BERTH_ADJOINT_NONE);
}

// Returns the part that complex vectors have.
static value_t phase_term(berth_grad_t *g, const svd_t *d, value_t sizes,
                          value_t vdv, value_t v, value_t s_inverse) {
  value_t rows = berth_emit_item(g, sizes, -1);
  value_t batch = berth_emit_part(g, sizes, 0, -1);
  value_t l = berth_emit_eye(g, rows, batch, berth_grad_dtype(g, d->s));
  l = mul(g, l, vdv);
  value_t t = sub(g, berth_emit_adjoint(g, l), l);
  t = matmul(g, s_inverse, t, BERTH_ADJOINT_NONE);
  t = matmul(g, t, v, BERTH_ADJOINT_B);
  return number_mul(g, 0.5, matmul(g, d->u, t, BERTH_ADJOINT_NONE));
}

static value_t by_wide(berth_grad_t *g, const svd_t *d, bool is_full) {
  value_t s_matrix = berth_emit_diag(g, d->s);
  value_t squares = square(g, d->s);
  value_t sizes = berth_emit_shape(g, d->s);
  value_t f = gaps_of(g, squares, d->s);
  value_t s_inverse = berth_emit_diag(g, safe_reciprocal(g, d->s));
  value_t v = berth_emit_columns(g, d->v, 0, d->rows);
  value_t dv = berth_emit_columns(g, d->dv, 0, d->rows);
  value_t udu = matmul(g, d->u, d->du, BERTH_ADJOINT_A);
  value_t vdv = matmul(g, v, dv, BERTH_ADJOINT_A);
  value_t by_u = mul(g, f, udu), by_v = mul(g, f, vdv);
  value_t da = main_term(g, d, s_matrix, by_u, by_v, v);
  if (d->rows != d->columns) {
    da = add(g, da, rest_term(g, d, v, dv, s_inverse, is_full));
  }
  if (is_complex(g, d->s)) {
    da = add(g, da, phase_term(g, d, sizes, vdv, v, s_inverse));
  }
  return da;
}

// Gives the slope where only singular values were computed.
static void give_by_values(berth_grad_t *g, value_t ds) {
  berth_grad_begin(g, "Svd", NULL);
  berth_op_attr_bool(g->op, "compute_uv", true);
  berth_op_attr_bool(g->op, "full_matrices", false);
  value_t made = MAKE(g, in(g, 0));
  ds = matmul(g, ds, berth_out_at(made, 2), BERTH_ADJOINT_B);
  give(g, 0, matmul(g, berth_out_at(made, 1), ds, BERTH_ADJOINT_NONE));
}

// Exchanges rows and columns.
static svd_t turned(const svd_t *d) {
  return (svd_t){.s = d->s,
                 .u = d->v,
                 .v = d->u,
                 .ds = d->ds,
                 .du = d->dv,
                 .dv = d->du,
                 .rows = d->columns,
                 .columns = d->rows};
}

BERTH_GRAD(svd) {
  value_t a = in(g, 0);
  berth_dtype_t type = berth_grad_dtype(g, a);
  berth_dims_t dims = berth_grad_shape(g, a);
  value_t ds = berth_emit_diag(g, berth_emit_cast(g, dy(g, 0), type));
  if (!berth_node_attr_bool(g->node, "compute_uv", true)) {
    give_by_values(g, ds);
    return;
  }
  bool is_full = berth_node_attr_bool(g->node, "full_matrices", false);
  if (dims.rank < 2 || dims.dims[dims.rank - 1] < 0 ||
      dims.dims[dims.rank - 2] < 0) {
    berth_grad_fail(g, BERTH_UNIMPLEMENTED,
                    "SVD gradient has not been implemented for input with "
                    "unknown inner matrix shape.");
    return;
  }
  svd_t d = {.u = out(g, 1),
             .v = out(g, 2),
             .ds = ds,
             .du = dy(g, 1),
             .dv = dy(g, 2),
             .rows = (int)dims.dims[dims.rank - 2],
             .columns = (int)dims.dims[dims.rank - 1]};
  int extra = d.columns - d.rows;
  if (is_full && (extra > 1 || extra < -1)) {
    berth_grad_fail(g, BERTH_UNIMPLEMENTED,
                    "svd gradient is not implemented for abs(m - n) > 1 when "
                    "full_matrices is True.");
    return;
  }
  d.s = berth_emit_cast(g, out(g, 0), type);
  if (extra < 0) d = turned(&d);
  value_t da = by_wide(g, &d, is_full);
  give(g, 0, extra < 0 ? berth_emit_matrix_transpose(g, da, true) : da);
}
