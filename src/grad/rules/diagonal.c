// diagonal.c - Diagonals of matrices.
#include <string.h>

#include "grad/rules/words.inc"
#include "grad/sizes.h"

// Which diagonals: none given is the main one.
typedef struct which {
  value_t k;
  const char *align;
} which_t;

static which_t main_diagonal(void) { return (which_t){NONE, "RIGHT_LEFT"}; }

// Those that input |k| of the node says.
static which_t those_of(berth_grad_t *g, int k) {
  return (which_t){in(g, k),
                   berth_node_attr_string(g->node, "align", "RIGHT_LEFT")};
}

static value_t k_of(berth_grad_t *g, which_t which) {
  if (berth_out_is(which.k)) return which.k;
  return berth_grad_int(g, "k", BERTH_INT32, 0);
}

static void begin_aligned(berth_grad_t *g, const char *op, which_t which) {
  berth_grad_begin(g, op, BERTH_SCOPE_NAME);
  berth_op_attr_string(g->op, "align", which.align, strlen(which.align));
}

static value_t diagonal_part(berth_grad_t *g, value_t a, which_t which) {
  berth_grad_push(g, "diag_part");
  value_t k = k_of(g, which);
  value_t rest = number_like(g, "padding_value", a, 0);
  begin_aligned(g, "MatrixDiagPartV3", which);
  value_t made = MAKE(g, a, k, rest);
  berth_grad_pop(g);
  return made;
}

static value_t diagonal_matrix(berth_grad_t *g, value_t a, which_t which,
                               int64_t rows, int64_t columns) {
  berth_grad_push(g, "diag");
  value_t k = k_of(g, which);
  value_t height = berth_grad_int(g, "num_rows", BERTH_INT32, rows);
  value_t width = berth_grad_int(g, "num_cols", BERTH_INT32, columns);
  value_t rest = number_like(g, "padding_value", a, 0);
  begin_aligned(g, "MatrixDiagV3", which);
  value_t made = MAKE(g, a, k, height, width, rest);
  berth_grad_pop(g);
  return made;
}

static value_t with_diagonal(berth_grad_t *g, value_t a, value_t diagonal,
                             which_t which) {
  berth_grad_push(g, "set_diag");
  value_t k = k_of(g, which);
  begin_aligned(g, "MatrixSetDiagV3", which);
  value_t made = MAKE(g, a, diagonal, k);
  berth_grad_pop(g);
  return made;
}

BERTH_GRAD(diag) { give(g, 0, OP(g, "DiagPart", NULL, dy(g, 0))); }
BERTH_GRAD(diag_part) { give(g, 0, OP(g, "Diag", NULL, dy(g, 0))); }

BERTH_GRAD(matrix_band_part) {
  value_t d = dy(g, 0);
  give(g, 0, OP(g, "MatrixBandPart", NULL, d, in(g, 1), in(g, 2)));
}

BERTH_GRAD(matrix_diag) {
  value_t d = dy(g, 0);
  give(g, 0, diagonal_part(g, d, main_diagonal()));
}

BERTH_GRAD(matrix_diag_k) {
  value_t d = dy(g, 0);
  give(g, 0, diagonal_part(g, d, those_of(g, 1)));
}

// Stores the last two sizes of |a|; false when they are not known.
static bool matrix_sizes(const berth_grad_t *g, value_t a, int64_t *out_rows,
                         int64_t *out_columns) {
  berth_dims_t dims = berth_grad_shape(g, a);
  if (dims.rank < 2) return false;
  *out_rows = dims.dims[dims.rank - 2];
  *out_columns = dims.dims[dims.rank - 1];
  return *out_rows >= 0 && *out_columns >= 0;
}

static void give_into_zeros(berth_grad_t *g, which_t which) {
  value_t d = dy(g, 0);
  value_t zeros = zeros_like(g, in(g, 0));
  give(g, 0, with_diagonal(g, zeros, d, which));
}

BERTH_GRAD(matrix_diag_part) {
  int64_t rows = 0, columns = 0;
  bool is_known = matrix_sizes(g, in(g, 0), &rows, &columns);
  if (is_known && rows == columns) {
    value_t d = dy(g, 0);
    give(g, 0, diagonal_matrix(g, d, main_diagonal(), -1, -1));
  } else {
    give_into_zeros(g, main_diagonal());
  }
}

BERTH_GRAD(matrix_diag_part_k) {
  int64_t rows = 0, columns = 0;
  which_t which = those_of(g, 1);
  if (matrix_sizes(g, in(g, 0), &rows, &columns)) {
    value_t d = dy(g, 0);
    give(g, 0, diagonal_matrix(g, d, which, rows, columns));
  } else {
    give_into_zeros(g, which);
  }
}

// ---- Setting one ----

static bool is_known(berth_dims_t dims) {
  for (int i = 0; i < dims.rank; ++i) {
    if (dims.dims[i] < 0) return false;
  }
  return dims.rank >= 0;
}

static value_t zeros_of(berth_grad_t *g, berth_dtype_t type, value_t sizes) {
  berth_grad_push(g, "zeros");
  value_t zero = berth_grad_number(g, "Const", type, 0);
  value_t made = OP(g, "Fill", BERTH_SCOPE_NAME, sizes, zero);
  berth_grad_pop(g);
  return made;
}

static value_t vector_of(berth_grad_t *g, const char *name, value_t a) {
  int one = 1;
  berth_grad_begin(g, "Pack", name);
  return berth_grad_make_lists(g, &a, &one, 1);
}

// Computes the shape of the main diagonals of |d|.
static value_t diagonal_sizes(berth_grad_t *g, value_t d) {
  value_t sizes = berth_emit_shape(g, d);
  value_t rank = berth_emit_rank(g, d);
  value_t batch = berth_emit_minus_number(g, rank, 2);
  berth_grad_push(g, "Slice");
  value_t begin = berth_grad_ints(g, "begin", BERTH_INT32, (int64_t[]){0}, 1);
  value_t size = vector_of(g, "size", batch);
  value_t outer = OP(g, "Slice", BERTH_SCOPE_NAME, sizes, begin, size);
  berth_grad_pop(g);
  batch = berth_emit_minus_number(g, rank, 2);
  berth_grad_push(g, "Slice");
  begin = vector_of(g, "begin", batch);
  size = berth_grad_ints(g, "size", BERTH_INT32, (int64_t[]){2}, 1);
  value_t matrix = OP(g, "Slice", BERTH_SCOPE_NAME, sizes, begin, size);
  berth_grad_pop(g);
  value_t axis = berth_grad_ints(g, "Const", BERTH_INT32, (int64_t[]){0}, 1);
  value_t least = OP(g, "Min", NULL, matrix, axis);
  return berth_emit_join(
      g, (berth_extent_t[]){BERTH_EXTENT(outer), BERTH_EXTENT_SINGLE(least)},
      2);
}

// Makes the zeros that the diagonals are replaced by. Where the shape of the
// input is not known it is that of the slope's own diagonals.
static value_t no_diagonal(berth_grad_t *g, value_t d, which_t which) {
  berth_dims_t dims = berth_grad_shape(g, in(g, 1));
  berth_dtype_t type = berth_grad_dtype(g, d);
  if (is_known(dims)) {
    return berth_emit_zeros(g, "zeros", type, dims);
  }
  if (!berth_out_is(which.k)) return zeros_of(g, type, diagonal_sizes(g, d));
  return zeros_like(g, diagonal_part(g, d, which));
}

static void set_diagonal(berth_grad_t *g, which_t which) {
  value_t d = dy(g, 0);
  value_t zeros = no_diagonal(g, d, which);
  give(g, 0, with_diagonal(g, d, zeros, which));
  give(g, 1, diagonal_part(g, d, which));
}

BERTH_GRAD(matrix_set_diag) { set_diagonal(g, main_diagonal()); }
BERTH_GRAD(matrix_set_diag_k) { set_diagonal(g, those_of(g, 2)); }
