// bands.c - Matrices that are kept as their diagonals.
#include <limits.h>

#include "grad/matrix.h"
#include "grad/rules/operators.inc"
#include "grad/sizes.h"
#include "tensor/tensor.h"

// ---- Parts and shifts of the last two axes ----

// What a[..., rows, columns] takes; a bit of a mask stands for an axis from the
// ellipsis on.
typedef struct cut {
  int64_t begin[3], end[3];
  int begin_mask, end_mask, shrink_mask;
} cut_t;

static const cut_t after_first_row = {{0, 1, 0}, {0, 0, 0}, 4, 6, 0};
static const cut_t before_last_row = {{0, 0, 0}, {0, -1, 0}, 6, 4, 0};
static const cut_t middle_row = {{0, 1, 0}, {0, 2, 0}, 4, 4, 2};
static const cut_t last_but_first = {{0, 2, 1}, {0, 3, 0}, 0, 4, 2};
static const cut_t first_but_last = {{0, 0, 0}, {0, 1, -1}, 4, 0, 2};

static value_t taken(berth_grad_t *g, value_t a, const cut_t *cut) {
  int64_t step[] = {1, 1, 1};
  berth_grad_push(g, "strided_slice");
  value_t p = berth_grad_ints(g, "stack", BERTH_INT32, cut->begin, 3);
  value_t q = berth_grad_ints(g, "stack_1", BERTH_INT32, cut->end, 3);
  value_t r = berth_grad_ints(g, "stack_2", BERTH_INT32, step, 3);
  berth_grad_begin(g, "StridedSlice", BERTH_SCOPE_NAME);
  berth_op_attr_int(g->op, "ellipsis_mask", 1);
  berth_op_attr_int(g->op, "begin_mask", cut->begin_mask);
  berth_op_attr_int(g->op, "end_mask", cut->end_mask);
  berth_op_attr_int(g->op, "shrink_axis_mask", cut->shrink_mask);
  value_t made = MAKE(g, a, p, q, r);
  berth_grad_pop(g);
  return made;
}

// Returns no pads for all axes of |a| but the last two.
static value_t no_pads(berth_grad_t *g, value_t a) {
  value_t rest = berth_emit_minus_number(g, berth_emit_rank(g, a), 2);
  berth_grad_push(g, "zeros");
  value_t sizes = berth_emit_stack(
      g, "packed", BERTH_INT32,
      (berth_extent_t[]){BERTH_EXTENT(rest), BERTH_EXTENT_NUMBERS(2)}, 2);
  value_t zero = berth_grad_int(g, "Const", BERTH_INT32, 0);
  value_t made = OP(g, "Fill", BERTH_SCOPE_NAME, sizes, zero);
  berth_grad_pop(g);
  return made;
}

// Makes a matrix of |rows| pads, two numbers each.
static value_t pads_of(berth_grad_t *g, const int32_t *numbers, int64_t rows) {
  berth_tensor_t *tensor = NULL;
  int64_t dims[] = {rows, 2};
  if (g->code == BERTH_OK) {
    g->code = berth_tensor_create(BERTH_INT32, (berth_dims_t){2, dims}, &tensor,
                                  g->err);
  }
  if (g->code != BERTH_OK) return NONE;
  int32_t *to = berth_tensor_data(tensor);
  for (int64_t i = 0; i < 2 * rows; ++i) to[i] = numbers[i];
  return berth_grad_constant(g, "Const", tensor);
}

// Returns |cut| of |a| with a zero where the last axes have it: |numbers| are
// the pads of the |rows| last axes, |none| those of the others.
static value_t padded(berth_grad_t *g, value_t a, const cut_t *cut,
                      value_t none, const int32_t *numbers, int64_t rows) {
  value_t pads = pads_of(g, numbers, rows);
  pads = berth_emit_concat(g, none, pads);
  return OP(g, "Pad", NULL, taken(g, a, cut), pads);
}

static const int32_t row_below[] = {0, 1, 0, 0}, row_above[] = {1, 0, 0, 0};

// Moves rows up, or down, with zeros in the place of one.
static value_t moved_up(berth_grad_t *g, value_t a) {
  return padded(g, a, &after_first_row, no_pads(g, a), row_below, 2);
}
static value_t moved_down(berth_grad_t *g, value_t a) {
  return padded(g, a, &before_last_row, no_pads(g, a), row_above, 2);
}

static value_t sum_last(berth_grad_t *g, value_t a) {
  berth_grad_push(g, "Sum");
  value_t axis = berth_grad_int(g, "reduction_indices", BERTH_INT32, -1);
  berth_grad_begin(g, "Sum", BERTH_SCOPE_NAME);
  value_t made = MAKE(g, a, axis);
  berth_grad_pop(g);
  return made;
}

// ---- A product with three diagonals ----

BERTH_GRAD(tridiagonal_matmul) {
  value_t d = dy(g, 0), sides[3], slopes[3];
  for (int i = 0; i < 3; ++i) {
    sides[i] = berth_emit_matrix_transpose(g, in(g, i), true);
  }
  value_t b = conjugate(g, in(g, 3));
  slopes[0] = sum_last(g, mul(g, moved_up(g, b), d));
  slopes[1] = sum_last(g, mul(g, b, d));
  slopes[2] = sum_last(g, mul(g, moved_down(g, b), d));
  value_t db = moved_down(g, mul(g, sides[0], d));
  db = add(g, db, mul(g, sides[1], d));
  db = add(g, db, moved_up(g, mul(g, sides[2], d)));
  for (int i = 0; i < 3; ++i) {
    give(g, i, berth_emit_expand(g, slopes[i], -2));
  }
  give(g, 3, db);
}

// ---- A solution by three diagonals ----

static bool is_known(const berth_grad_t *g, value_t a) {
  berth_dims_t dims = berth_grad_shape(g, a);
  for (int i = 0; i < dims.rank; ++i) {
    if (dims.dims[i] < 0) return false;
  }
  return dims.rank >= 0;
}

// Returns zeros: for each matrix of |a| as many as |last|, of |rank| axes.
static value_t zeros_of(berth_grad_t *g, value_t a, const int64_t *last,
                        int rank) {
  int64_t sizes[BERTH_GRAD_AXES];
  berth_dims_t dims = berth_grad_shape(g, a);
  int batch = dims.rank - 2;
  for (int i = 0; i < batch; ++i) sizes[i] = dims.dims[i];
  for (int i = 0; i < rank; ++i) sizes[batch + i] = last[i];
  return berth_emit_zeros(g, "zeros", berth_grad_dtype(g, a),
                          (berth_dims_t){batch + rank, sizes});
}

// Puts |b| after |a| along |axis|, which counts from the end.
static value_t joined(berth_grad_t *g, value_t a, value_t b, int64_t axis) {
  berth_grad_push(g, "concat");
  value_t at = berth_grad_int(g, "axis", BERTH_INT32, axis);
  berth_grad_begin(g, "ConcatV2", BERTH_SCOPE_NAME);
  value_t made =
      berth_grad_make_lists(g, (value_t[]){a, b, at}, (int[]){2, -1}, 2);
  berth_grad_pop(g);
  return made;
}

static value_t stacked(berth_grad_t *g, value_t a, value_t b, value_t c) {
  int count = 3;
  berth_grad_begin(g, "Pack", "stack");
  berth_op_attr_int(g->op, "axis", -2);
  return berth_grad_make_lists(g, (value_t[]){a, b, c}, &count, 1);
}

// Returns the diagonals of the transpose.
static value_t turned(berth_grad_t *g, value_t a) {
  static const int32_t after[] = {0, 1}, before[] = {1, 0};
  value_t middle = taken(g, a, &middle_row), above, below;
  if (is_known(g, a)) {
    value_t zero = zeros_of(g, a, (int64_t[]){1}, 1);
    above = joined(g, taken(g, a, &last_but_first), zero, -1);
    below = joined(g, zero, taken(g, a, &first_but_last), -1);
  } else {
    value_t none = no_pads(g, a);
    above = padded(g, a, &last_but_first, none, after, 1);
    below = padded(g, a, &first_but_last, none, before, 1);
  }
  return stacked(g, above, middle, below);
}

// Returns the three diagonals of x times the transpose of |y|.
static value_t diagonals_of(berth_grad_t *g, value_t x, value_t y) {
  value_t middle = sum_last(g, mul(g, x, y)), above, below;
  if (is_known(g, y)) {
    berth_dims_t dims = berth_grad_shape(g, y);
    int64_t row[] = {1, dims.rank > 0 ? dims.dims[dims.rank - 1] : 0};
    value_t zeros = zeros_of(g, y, row, 2);
    above = joined(g, taken(g, y, &after_first_row), zeros, -2);
    above = sum_last(g, mul(g, x, above));
    below = joined(g, zeros, taken(g, y, &before_last_row), -2);
  } else {
    value_t none = no_pads(g, y);
    above = padded(g, y, &after_first_row, none, row_below, 2);
    above = sum_last(g, mul(g, x, above));
    below = padded(g, y, &before_last_row, none, row_above, 2);
  }
  below = sum_last(g, mul(g, x, below));
  return stacked(g, above, middle, below);
}

BERTH_GRAD(tridiagonal_solve) {
  value_t d = dy(g, 0), a = turned(g, in(g, 0));
  berth_grad_begin(g, "TridiagonalSolve", NULL);
  berth_grad_copy(g, "partial_pivoting");
  berth_grad_copy(g, "perturb_singular");
  value_t db = MAKE(g, a, d);
  give(g, 0, neg(g, diagonals_of(g, db, out(g, 0))));
  give(g, 1, db);
}

// ---- A solution by a triangle of a few diagonals ----

// Returns the |bands| diagonals of |a| that end at the middle one, or begin
// there.
static value_t band_of(berth_grad_t *g, value_t a, value_t bands,
                       bool is_lower) {
  value_t far = berth_emit_minus_number(g, bands, 1);
  if (is_lower) far = neg(g, far);
  berth_extent_t zero = BERTH_EXTENT_NUMBERS(0), other = BERTH_EXTENT(far);
  berth_grad_push(g, "diag_part");
  value_t k = berth_emit_stack(g, "k", BERTH_INT32,
                               is_lower ? (berth_extent_t[]){other, zero}
                                        : (berth_extent_t[]){zero, other},
                               2);
  value_t rest = number_like(g, "padding_value", a, 0);
  berth_grad_begin(g, "MatrixDiagPartV3", BERTH_SCOPE_NAME);
  berth_op_attr_string(g->op, "align", "LEFT_RIGHT", 10);
  value_t made = MAKE(g, a, k, rest);
  berth_grad_pop(g);
  return made;
}

BERTH_GRAD(banded_triangular_solve) {
  value_t d = dy(g, 0), a = in(g, 0), c = out(g, 0);
  bool is_lower = berth_node_attr_bool(g->node, "lower", true);
  bool is_adjoint = berth_node_attr_bool(g->node, "adjoint", false);
  value_t bands = berth_emit_item(g, berth_emit_shape(g, a), -2);
  berth_grad_begin(g, "BandedTriangularSolve", NULL);
  berth_op_attr_bool(g->op, "lower", is_lower);
  berth_op_attr_bool(g->op, "adjoint", !is_adjoint);
  value_t db = MAKE(g, a, d);
  value_t da = is_adjoint ? berth_emit_matmul(g, c, db, BERTH_ADJOINT_B)
                          : berth_emit_matmul(g, db, c, BERTH_ADJOINT_B);
  da = band_of(g, neg(g, da), bands, is_lower);
  berth_give_batches(g, da, db, berth_same_batch(g, a, in(g, 1), true));
}
