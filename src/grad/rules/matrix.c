// matrix.c - Products, transposes and diagonals of matrices.
#include "grad/matrix.h"

#include <limits.h>

#include "grad/rules/operators.inc"
#include "grad/sizes.h"

enum { MOST_RANK = 254 };

// ---- Transposes ----

// Returns the order of axes that exchanges the last two.
static value_t turned_axes(berth_grad_t *g, value_t a) {
  value_t rank = berth_emit_rank(g, a);
  value_t rest = berth_emit_minus_number(g, rank, 2);
  value_t axes = berth_emit_range_to(g, rest);
  value_t last = berth_emit_minus_number(g, rank, 1);
  value_t before = berth_emit_minus_number(g, rank, 2);
  value_t both[] = {last, before};
  berth_grad_begin(g, "Pack", "values_1");
  value_t end = berth_grad_make_lists(g, both, (int[]){2}, 1);
  return berth_emit_concat(g, axes, end);
}

value_t berth_emit_matrix_transpose(berth_grad_t *g, value_t a,
                                    bool is_adjoint) {
  int rank = berth_grad_rank(g, a);
  berth_grad_push(g, "matrix_transpose");
  value_t axes = NONE;
  if (rank < 0) axes = turned_axes(g, a);
  berth_grad_push(g, "transpose");
  if (rank >= 0) {
    int64_t order[MOST_RANK];
    for (int i = 0; i < rank; ++i) order[i] = i;
    if (rank >= 2) {
      order[rank - 2] = rank - 1;
      order[rank - 1] = rank - 2;
    }
    axes = berth_grad_ints(g, "perm", BERTH_INT32, order, rank);
  }
  const char *op =
      is_adjoint && is_complex(g, a) ? "ConjugateTranspose" : "Transpose";
  value_t made = OP(g, op, BERTH_SCOPE_NAME, a, axes);
  berth_grad_pop(g);
  berth_grad_pop(g);
  return made;
}

value_t berth_emit_adjoint(berth_grad_t *g, value_t a) {
  berth_grad_push(g, "adjoint");
  value_t made = berth_emit_matrix_transpose(g, a, true);
  berth_grad_pop(g);
  return made;
}

// ---- Diagonals ----

value_t berth_emit_diag(berth_grad_t *g, value_t diagonal) {
  berth_grad_push(g, "diag");
  value_t k = berth_grad_int(g, "k", BERTH_INT32, 0);
  value_t rows = berth_grad_int(g, "num_rows", BERTH_INT32, -1);
  value_t columns = berth_grad_int(g, "num_cols", BERTH_INT32, -1);
  value_t rest = number_like(g, "padding_value", diagonal, 0);
  value_t made =
      OP(g, "MatrixDiagV3", BERTH_SCOPE_NAME, diagonal, k, rows, columns, rest);
  berth_grad_pop(g);
  return made;
}

value_t berth_emit_diag_part(berth_grad_t *g, value_t a) {
  berth_grad_push(g, "diag_part");
  value_t k = berth_grad_int(g, "k", BERTH_INT32, 0);
  value_t rest = number_like(g, "padding_value", a, 0);
  value_t made = OP(g, "MatrixDiagPartV3", BERTH_SCOPE_NAME, a, k, rest);
  berth_grad_pop(g);
  return made;
}

value_t berth_emit_set_diag(berth_grad_t *g, value_t a, value_t diagonal) {
  berth_grad_push(g, "set_diag");
  value_t k = berth_grad_int(g, "k", BERTH_INT32, 0);
  value_t made = OP(g, "MatrixSetDiagV3", BERTH_SCOPE_NAME, a, diagonal, k);
  berth_grad_pop(g);
  return made;
}

value_t berth_emit_band(berth_grad_t *g, value_t a, int lower, int upper) {
  berth_grad_push(g, "MatrixBandPart");
  value_t below = berth_grad_int(g, "num_lower", BERTH_INT64, lower);
  value_t above = berth_grad_int(g, "num_upper", BERTH_INT64, upper);
  value_t made = OP(g, "MatrixBandPart", BERTH_SCOPE_NAME, a, below, above);
  berth_grad_pop(g);
  return made;
}

value_t berth_emit_eye(berth_grad_t *g, value_t rows, value_t batch,
                       berth_dtype_t type) {
  berth_grad_push(g, "eye");
  value_t least = fn2(g, "Minimum", rows, rows);
  value_t sizes = berth_emit_join(
      g, (berth_extent_t[]){BERTH_EXTENT(batch), BERTH_EXTENT_SINGLE(least)},
      2);
  value_t ones = berth_emit_filled(g, "ones", sizes, type, 1);
  value_t made = berth_emit_diag(g, ones);
  berth_grad_pop(g);
  return made;
}

// ---- Solving ----

value_t berth_emit_triangular_solve(berth_grad_t *g, value_t a, value_t b,
                                    bool is_lower, bool is_adjoint) {
  berth_grad_push(g, "triangular_solve");
  berth_grad_begin(g, "MatrixTriangularSolve", NULL);
  berth_op_attr_bool(g->op, "lower", is_lower);
  berth_op_attr_bool(g->op, "adjoint", is_adjoint);
  value_t made = MAKE(g, a, b);
  berth_grad_pop(g);
  return made;
}

// ---- Axes ----

value_t berth_emit_columns(berth_grad_t *g, value_t a, int from, int to) {
  bool is_open = to == INT_MAX;
  int64_t begin[] = {0, 0, from}, end[] = {0, 0, is_open ? 0 : to};
  int64_t step[] = {1, 1, 1};
  berth_grad_push(g, "strided_slice");
  value_t p = berth_grad_ints(g, "stack", BERTH_INT32, begin, 3);
  value_t q = berth_grad_ints(g, "stack_1", BERTH_INT32, end, 3);
  value_t r = berth_grad_ints(g, "stack_2", BERTH_INT32, step, 3);
  berth_grad_begin(g, "StridedSlice", BERTH_SCOPE_NAME);
  berth_op_attr_int(g->op, "ellipsis_mask", 1);
  berth_op_attr_int(g->op, "begin_mask", from == 0 ? 6 : 2);
  berth_op_attr_int(g->op, "end_mask", is_open ? 6 : 2);
  value_t made = MAKE(g, a, p, q, r);
  berth_grad_pop(g);
  return made;
}

// ---- Batches ----

bool berth_same_batch(const berth_grad_t *g, value_t a, value_t b,
                      bool is_whole) {
  berth_dims_t p = berth_grad_shape(g, a), q = berth_grad_shape(g, b);
  if (p.rank < 0 || p.rank != q.rank) return false;
  for (int i = 0; i < p.rank; ++i) {
    bool is_batch = i < p.rank - 2;
    if (is_batch && (p.dims[i] < 0 || p.dims[i] != q.dims[i])) return false;
    if (is_whole && (p.dims[i] < 0 || q.dims[i] < 0)) return false;
  }
  return true;
}

static void give_summed(berth_grad_t *g, int i, value_t d, value_t axes,
                        value_t sizes) {
  if (!berth_out_is(d)) return;
  d = berth_emit_sum(g, d, axes, false);
  give(g, i, reshape(g, d, sizes));
}

void berth_give_batches(berth_grad_t *g, value_t da, value_t db, bool is_same) {
  if (is_same) {
    give(g, 0, da);
    give(g, 1, db);
    return;
  }
  value_t sa = berth_emit_shape(g, in(g, 0)),
          sb = berth_emit_shape(g, in(g, 1));
  value_t p = berth_emit_part(g, sa, 0, -2);
  value_t q = berth_emit_part(g, sb, 0, -2);
  value_t axes = OP(g, "BroadcastGradientArgs", NULL, p, q);
  give_summed(g, 0, da, axes, sa);
  give_summed(g, 1, db, berth_out_at(axes, 1), sb);
}
