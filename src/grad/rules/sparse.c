// sparse.c - Tensors given by the places and values of what is not zero.
#include <string.h>

#include "grad/matrix.h"
#include "grad/rules/operators.inc"
#include "grad/sizes.h"

static value_t gather_nd(berth_grad_t *g, value_t a, value_t places) {
  return fn2(g, "GatherNd", a, places);
}

BERTH_GRAD(sparse_reorder) {
  value_t places = in(g, 0), d = dy(g, 1);
  value_t count = berth_emit_item(g, berth_emit_shape(g, places), 0);
  value_t order = berth_emit_range_to(g, count);
  value_t sorted = OP(g, "SparseReorder", NULL, places, order, in(g, 2));
  value_t back = fn(g, "InvertPermutation", berth_out_at(sorted, 1));
  give(g, 1, berth_emit_gather(g, d, back));
}

BERTH_GRAD(sparse_add) {
  value_t made =
      OP(g, "SparseAddGrad", NULL, dy(g, 1), in(g, 0), in(g, 3), out(g, 0));
  give(g, 1, made);
  give(g, 4, berth_out_at(made, 1));
}

BERTH_GRAD(sparse_slice) {
  give(g, 1,
       OP(g, "SparseSliceGrad", NULL, dy(g, 1), in(g, 0), in(g, 3), out(g, 0)));
}

BERTH_GRAD(sparse_fill_empty_rows) {
  bool is_ragged = strcmp(g->node->op->name, "RaggedFillEmptyRows") == 0;
  value_t made =
      fn2(g, is_ragged ? "RaggedFillEmptyRowsGrad" : "SparseFillEmptyRowsGrad",
          out(g, 3), dy(g, 1));
  give(g, 1, made);
  give(g, 3, berth_out_at(made, 1));
}

BERTH_GRAD(sparse_tensor_dense_add) {
  value_t d = dy(g, 0);
  give(g, 1, gather_nd(g, d, in(g, 0)));
  give(g, 3, d);
}

// Returns the sum of all of |a|.
static value_t total(berth_grad_t *g, value_t a) {
  int rank = berth_grad_rank(g, a);
  int64_t all[BERTH_GRAD_AXES];
  value_t axes;
  if (rank > 0) {
    for (int i = 0; i < rank; ++i) all[i] = i;
    axes = berth_grad_ints(g, "Const", BERTH_INT32, all, rank);
  } else {
    axes = berth_emit_range_to(g, berth_emit_rank(g, a));
  }
  return berth_emit_sum(g, a, axes, false);
}

BERTH_GRAD(sparse_to_dense) {
  value_t d = dy(g, 0);
  value_t by_values = gather_nd(g, d, in(g, 0));
  value_t all = total(g, d);
  value_t by_default = sub(g, all, total(g, by_values));
  if (!g->to->is_eager) {
    (void)berth_emit_zeros_like(g, in(g, 0));
    (void)berth_emit_zeros_like(g, in(g, 1));
  }
  give(g, 2, by_values);
  give(g, 3, by_default);
}

// ---- Sums ----

static value_t floor_div(berth_grad_t *g, value_t a, value_t b) {
  return OP(g, "FloorDiv", "floordiv", a, b);
}

BERTH_GRAD(sparse_reduce_sum) {
  value_t places = in(g, 0), shape = in(g, 2);
  berth_sizes_t kept;
  berth_emit_reduced(g, shape, in(g, 3), &kept);
  value_t d = berth_emit_reshaped(g, dy(g, 0), &kept);
  value_t scale;
  if (kept.rank < 0) {
    scale = floor_div(g, shape, berth_emit_cast(g, kept.value, BERTH_INT64));
  } else {
    berth_grad_push(g, "Cast");
    value_t sizes = berth_grad_ints(g, "x", BERTH_INT32, kept.dims, kept.rank);
    berth_grad_begin(g, "Cast", BERTH_SCOPE_NAME);
    berth_op_attr_type(g->op, "DstT", BERTH_INT64);
    sizes = MAKE(g, sizes);
    berth_grad_pop(g);
    scale = floor_div(g, shape, sizes);
  }
  give(g, 1, gather_nd(g, d, floor_div(g, places, scale)));
}

BERTH_GRAD(sparse_softmax) {
  value_t d = dy(g, 0), y = out(g, 0), places = in(g, 0), shape = in(g, 2);
  value_t product = mul(g, y, d);
  int64_t last = -1;
  berth_grad_push(g, "SparseReduceSum");
  value_t axes = berth_grad_ints(g, "reduction_axes", BERTH_INT32, &last, 1);
  berth_grad_begin(g, "SparseReduceSum", BERTH_SCOPE_NAME);
  berth_op_attr_bool(g->op, "keep_dims", true);
  value_t sum = MAKE(g, places, product, shape, axes);
  berth_grad_pop(g);
  sum = neg(g, sum);
  value_t t = OP(g, "SparseDenseCwiseAdd", NULL, places, d, shape, sum);
  give(g, 1, mul(g, t, y));
}

// ---- Products ----

// Returns column |index| of the places.
static value_t column(berth_grad_t *g, value_t places, int64_t index) {
  int64_t begin[] = {0, index}, end[] = {0, index + 1}, step[] = {1, 1};
  berth_grad_push(g, "strided_slice");
  value_t p = berth_grad_ints(g, "stack", BERTH_INT32, begin, 2);
  value_t q = berth_grad_ints(g, "stack_1", BERTH_INT32, end, 2);
  value_t r = berth_grad_ints(g, "stack_2", BERTH_INT32, step, 2);
  berth_grad_begin(g, "StridedSlice", BERTH_SCOPE_NAME);
  berth_op_attr_int(g->op, "begin_mask", 1);
  berth_op_attr_int(g->op, "end_mask", 1);
  berth_op_attr_int(g->op, "shrink_axis_mask", 2);
  value_t made = MAKE(g, places, p, q, r);
  berth_grad_pop(g);
  return made;
}

static value_t plain_transpose(berth_grad_t *g, value_t a) {
  int64_t order[] = {1, 0};
  berth_grad_push(g, "transpose");
  value_t axes = berth_grad_ints(g, "perm", BERTH_INT32, order, 2);
  value_t made = OP(g, "Transpose", BERTH_SCOPE_NAME, a, axes);
  berth_grad_pop(g);
  return made;
}

// Returns the slope by the values: products of rows of the slope and of |b|.
static value_t by_values(berth_grad_t *g, value_t d, bool turn_a, bool turn_b) {
  value_t places = in(g, 0), b = in(g, 3);
  value_t rows = column(g, places, 0);
  value_t columns = column(g, places, 1);
  value_t left = berth_emit_gather(g, d, turn_a ? columns : rows);
  if (turn_b) b = plain_transpose(g, b);
  value_t right = berth_emit_gather(g, b, turn_a ? rows : columns);
  left = berth_emit_expand(g, left, turn_a ? -1 : -2);
  right = berth_emit_expand(g, right, turn_a == turn_b ? -2 : -1);
  int adjoint = BERTH_ADJOINT_NONE;
  if (turn_a) adjoint |= BERTH_ADJOINT_A;
  if (turn_a == turn_b) adjoint |= BERTH_ADJOINT_B;
  value_t made = berth_emit_matmul(g, left, right, (berth_adjoint_t)adjoint);
  int64_t last[] = {-2, -1};
  berth_grad_begin(g, "Squeeze", NULL);
  berth_op_attr_ints(g->op, "squeeze_dims", last, 2);
  return MAKE(g, made);
}

BERTH_GRAD(sparse_tensor_dense_matmul) {
  value_t d = dy(g, 0);
  bool turn_a = berth_node_attr_bool(g->node, "adjoint_a", false);
  bool turn_b = berth_node_attr_bool(g->node, "adjoint_b", false);
  berth_grad_begin(g, "SparseTensorDenseMatMul", NULL);
  berth_op_attr_bool(g->op, "adjoint_a", !turn_a);
  value_t db = MAKE(g, in(g, 0), in(g, 1), in(g, 2), d);
  if (turn_b) db = berth_emit_matrix_transpose(g, db, true);
  give(g, 1, by_values(g, d, turn_a, turn_b));
  give(g, 3, db);
}

// ---- Element by element ----

// Fails as TensorFlow does.
BERTH_GRAD(not_implemented) {
  berth_grad_fail(g, BERTH_UNIMPLEMENTED, "Gradient for %s is not implemented.",
                  g->node->op->name);
}

// Where each value of the first operand is in the second, which broadcasts.
static value_t places_in(berth_grad_t *g, value_t sizes) {
  value_t shape = in(g, 2), rank = berth_emit_size(g, shape);
  value_t added = sub(g, rank, berth_emit_size(g, sizes));
  added = berth_emit_expand(g, added, 0);
  value_t ones = berth_emit_filled(g, "ones", added, BERTH_INT64, 1);
  value_t scale = floor_div(g, shape, berth_emit_concat(g, ones, sizes));
  value_t places = floor_div(g, in(g, 0), scale);
  value_t begin = berth_emit_join(
      g, (berth_extent_t[]){BERTH_EXTENT_NUMBERS(0), BERTH_EXTENT(added)}, 2);
  int64_t all[] = {-1, -1};
  berth_grad_push(g, "Slice");
  value_t size = berth_grad_ints(g, "size", BERTH_INT32, all, 2);
  value_t made = OP(g, "Slice", BERTH_SCOPE_NAME, places, begin, size);
  berth_grad_pop(g);
  return made;
}

static void by_elements(berth_grad_t *g, bool is_product) {
  value_t d = dy(g, 0), x = in(g, 1), y = in(g, 3);
  value_t sizes = berth_emit_cast(g, berth_emit_shape(g, y), BERTH_INT64);
  value_t places = places_in(g, sizes);
  value_t here = gather_nd(g, y, places), by_y;
  if (is_product) {
    give(g, 1, mul(g, d, here));
    by_y = mul(g, d, x);
  } else {
    give(g, 1, truediv(g, d, here));
    value_t t = neg(g, x);
    t = truediv(g, t, square(g, here));
    by_y = mul(g, d, t);
  }
  value_t zeros = berth_emit_zeros_like(g, y);
  give(g, 3, OP(g, "SparseTensorDenseAdd", NULL, places, by_y, sizes, zeros));
}

BERTH_GRAD(sparse_dense_mul) { by_elements(g, true); }
BERTH_GRAD(sparse_dense_div) { by_elements(g, false); }
