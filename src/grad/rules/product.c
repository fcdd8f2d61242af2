// product.c - Products of matrices.
#include "grad/matrix.h"
#include "grad/rules/words.inc"

// A product that is about to be made.
typedef struct product {
  value_t a, b;
  bool turn_a, turn_b;
  const char *mark;  // The attribute that says which slope it is.
} product_t;

// Returns what the slope by the first factor is the product of: of |d| and |b|,
// the second one.
static product_t by_first(value_t d, value_t b, bool turn_a, bool turn_b) {
  return turn_a ? (product_t){b, d, turn_b, true, NULL}
                : (product_t){d, b, false, !turn_b, NULL};
}

static product_t by_second(value_t d, value_t a, bool turn_a, bool turn_b) {
  return turn_b ? (product_t){d, a, true, turn_a, NULL}
                : (product_t){a, d, !turn_a, false, NULL};
}

static value_t make(berth_grad_t *g, const char *op, const char *name,
                    const char *turn_a, const char *turn_b, product_t p) {
  berth_grad_begin(g, op, name);
  berth_op_attr_bool(g->op, turn_a, p.turn_a);
  berth_op_attr_bool(g->op, turn_b, p.turn_b);
  if (p.mark != NULL) berth_op_attr_bool(g->op, p.mark, true);
  return MAKE(g, p.a, p.b);
}

BERTH_GRAD(matmul) {
  bool turn_a = berth_node_attr_bool(g->node, "transpose_a", false);
  bool turn_b = berth_node_attr_bool(g->node, "transpose_b", false);
  value_t d = dy(g, 0);
  value_t a = berth_emit_conj(g, in(g, 0)), b = berth_emit_conj(g, in(g, 1));
  if (berth_grad_asks(g, 0)) {
    product_t p = by_first(d, b, turn_a, turn_b);
    p.mark = "grad_a";
    give(g, 0, make(g, "MatMul", NULL, "transpose_a", "transpose_b", p));
  }
  if (berth_grad_asks(g, 1)) {
    product_t p = by_second(d, a, turn_a, turn_b);
    p.mark = "grad_b";
    give(g, 1, make(g, "MatMul", NULL, "transpose_a", "transpose_b", p));
  }
}

// ---- Of matrices with many zeros ----

// Makes a product of |type|; SparseMatMul where a factor is |marked|, or is of
// another type than the other.
static void give_sparse(berth_grad_t *g, int index, product_t p,
                        const bool marked[2]) {
  berth_dtype_t type = berth_grad_dtype(g, in(g, index));
  bool is_mixed = berth_grad_dtype(g, p.a) != berth_grad_dtype(g, p.b);
  if (p.turn_b) p.b = berth_emit_transpose(g, p.b, (int64_t[]){1, 0}, 2);
  bool is_sparse = marked[0] || marked[1] || is_mixed;
  berth_grad_begin(g, is_sparse ? "SparseMatMul" : "MatMul", "MatMul");
  berth_op_attr_bool(g->op, "transpose_a", p.turn_a);
  berth_op_attr_bool(g->op, "transpose_b", false);
  if (is_sparse) {
    berth_op_attr_bool(g->op, "a_is_sparse", marked[0]);
    berth_op_attr_bool(g->op, "b_is_sparse", marked[1]);
  }
  value_t made = MAKE(g, p.a, p.b);
  give(g, index, berth_emit_cast(g, made, type));
}

BERTH_GRAD(sparse_matmul) {
  bool turn_a = berth_node_attr_bool(g->node, "transpose_a", false);
  bool turn_b = berth_node_attr_bool(g->node, "transpose_b", false);
  bool marks[2] = {berth_node_attr_bool(g->node, "a_is_sparse", false),
                   berth_node_attr_bool(g->node, "b_is_sparse", false)};
  value_t d = dy(g, 0);
  if (berth_grad_asks(g, 0)) {
    product_t p = by_first(d, in(g, 1), turn_a, turn_b);
    give_sparse(g, 0, p, (bool[]){turn_a && marks[1], !turn_a && marks[1]});
  }
  if (berth_grad_asks(g, 1)) {
    product_t p = by_second(d, in(g, 0), turn_a, turn_b);
    give_sparse(g, 1, p, (bool[]){!turn_b && marks[0], turn_b && marks[0]});
  }
}

// ---- Of batches ----

static bool may_be_batch(const berth_grad_t *g, value_t a) {
  int rank = berth_grad_rank(g, a);
  return rank < 0 || rank > 2;
}

// Makes a product of adjoints, of batches or of two matrices.
static value_t adjoint_product(berth_grad_t *g, product_t p, bool is_second) {
  berth_grad_push(g, "MatMul");
  bool is_marked = p.mark != NULL;
  value_t made;
  if (may_be_batch(g, p.a) || may_be_batch(g, p.b)) {
    if (is_marked) p.mark = is_second ? "grad_y" : "grad_x";
    made = make(g, "BatchMatMulV2", BERTH_SCOPE_NAME, "adj_x", "adj_y", p);
  } else {
    if (p.turn_a) p.a = berth_emit_conj(g, p.a);
    if (p.turn_b) p.b = berth_emit_conj(g, p.b);
    if (is_marked) p.mark = is_second ? "grad_b" : "grad_a";
    made = make(g, "MatMul", BERTH_SCOPE_NAME, "transpose_a", "transpose_b", p);
  }
  berth_grad_pop(g);
  return made;
}

value_t berth_emit_matmul(berth_grad_t *g, value_t a, value_t b,
                          berth_adjoint_t adjoint) {
  product_t p = {a, b, (adjoint & BERTH_ADJOINT_A) != 0,
                 (adjoint & BERTH_ADJOINT_B) != 0, NULL};
  return adjoint_product(g, p, false);
}

static void batch_products(berth_grad_t *g, bool is_marked, value_t *out_dx,
                           value_t *out_dy) {
  bool turn_x = berth_node_attr_bool(g->node, "adj_x", false);
  bool turn_y = berth_node_attr_bool(g->node, "adj_y", false);
  const char *mark = is_marked ? "" : NULL;
  value_t d = dy(g, 0);
  *out_dx = *out_dy = NONE;
  if (berth_grad_asks(g, 0)) {
    product_t p = by_first(d, in(g, 1), turn_x, turn_y);
    p.mark = mark;
    *out_dx = adjoint_product(g, p, false);
  }
  if (berth_grad_asks(g, 1)) {
    product_t p = by_second(d, in(g, 0), turn_x, turn_y);
    p.mark = mark;
    *out_dy = adjoint_product(g, p, true);
  }
}

BERTH_GRAD(batch_matmul) {
  value_t dx, d_y;
  batch_products(g, false, &dx, &d_y);
  give(g, 0, dx);
  give(g, 1, d_y);
}

BERTH_GRAD(batch_matmul_v2) {
  value_t dx, d_y;
  batch_products(g, true, &dx, &d_y);
  value_t x = in(g, 0), y = in(g, 1);
  bool is_same = (!may_be_batch(g, x) && !may_be_batch(g, y)) ||
                 berth_same_batch(g, x, y, false);
  berth_give_batches(g, dx, d_y, is_same);
}
