// segment.c - Sums, means, products and extremes of segments.
#include "grad/rules/operators.inc"
#include "grad/sizes.h"

static value_t gather(berth_grad_t *g, value_t rows, value_t ids) {
  return berth_emit_gather(g, rows, ids);
}

BERTH_GRAD(segment_sum) { give(g, 0, gather(g, dy(g, 0), in(g, 1))); }

// Returns |a|, a scalar, as a vector.
static value_t as_vector(berth_grad_t *g, value_t a) {
  berth_grad_push(g, "ExpandDims");
  value_t axis = berth_grad_int(g, "dim", BERTH_INT32, 0);
  value_t made = OP(g, "ExpandDims", BERTH_SCOPE_NAME, a, axis);
  berth_grad_pop(g);
  return made;
}

BERTH_GRAD(segment_mean) {
  value_t d = dy(g, 0), ids = in(g, 1);
  value_t rank = berth_emit_rank(g, in(g, 0));
  value_t sizes = berth_emit_shape(g, ids);
  value_t rest = as_vector(g, sub_number(g, rank, 1));
  rest = berth_emit_filled(g, "ones", rest, BERTH_INT32, 1);
  sizes = berth_emit_concat(g, sizes, rest);
  value_t ones = berth_emit_filled(g, "ones", sizes, berth_grad_dtype(g, d), 1);
  d = truediv(g, d, fn2(g, "SegmentSum", ones, ids));
  give(g, 0, gather(g, d, ids));
}

BERTH_GRAD(segment_extreme) {
  value_t d = dy(g, 0), x = in(g, 0), ids = in(g, 1);
  value_t zeros = berth_emit_zeros_like(g, x);
  value_t extremes = gather(g, out(g, 0), ids);
  value_t is_extreme = fn2(g, "Equal", x, extremes);
  value_t count = berth_emit_cast(g, is_extreme, berth_grad_dtype(g, d));
  count = fn2(g, "SegmentSum", count, ids);
  d = gather(g, truediv(g, d, count), ids);
  give(g, 0, choose(g, is_extreme, d, zeros));
}

// ---- Products, in which one element may be zero ----

// Reduces |a| as the node does, by |op|.
static value_t reduce(berth_grad_t *g, const char *op, value_t a) {
  if (g->node->input_count == 2) return fn2(g, op, a, in(g, 1));
  return OP(g, op, NULL, a, in(g, 1), in(g, 2));
}

// What a product of segments is taken apart into.
typedef struct factors {
  value_t is_zero;  // By element.
  value_t slope;    // By segment: 0 where more than one element is.
  value_t others;   // By segment: the product of what is not zero.
  value_t data;     // With ones instead of zeros.
} factors_t;

static factors_t factors_of(berth_grad_t *g, const char *sum,
                            const char *product) {
  factors_t f;
  value_t d = dy(g, 0), x = in(g, 0);
  f.is_zero = compare(g, "Equal", x, 0);
  value_t zeros = berth_emit_cast(g, f.is_zero, BERTH_INT32);
  zeros = reduce(g, sum, zeros);
  value_t is_lost = compare(g, "Greater", zeros, 1);
  value_t none = berth_emit_zeros_like(g, d);
  f.slope = choose(g, is_lost, none, d);
  value_t ones = berth_emit_ones_like(g, x);
  f.data = choose(g, f.is_zero, ones, x);
  f.others = reduce(g, product, f.data);
  return f;
}

BERTH_GRAD(segment_prod) {
  value_t ids = in(g, 1);
  factors_t f = factors_of(g, "SegmentSum", "SegmentProd");
  value_t all = gather(g, out(g, 0), ids);
  value_t others = gather(g, f.others, ids);
  all = truediv(g, all, f.data);
  value_t part = choose(g, f.is_zero, others, all);
  value_t d = gather(g, f.slope, ids);
  give(g, 0, mul(g, d, part));
}

// ---- Without order: rows with a negative id are dropped ----

static value_t not_negative(berth_grad_t *g, value_t ids) {
  value_t zeros = berth_emit_zeros_like(g, ids);
  return fn2(g, "Maximum", ids, zeros);
}

// Returns |rank| as the only element of a vector, as TensorFlow packs it.
static value_t ones_of_rank(berth_grad_t *g, value_t rank) {
  berth_grad_push(g, "ones");
  int count = 1;
  berth_grad_begin(g, "Pack", "packed");
  value_t sizes = berth_grad_make_lists(g, &rank, &count, 1);
  value_t one = berth_grad_int(g, "Const", BERTH_INT32, 1);
  value_t made = OP(g, "Fill", BERTH_SCOPE_NAME, sizes, one);
  berth_grad_pop(g);
  return made;
}

// Tells which elements of |rows| belong to a segment.
static value_t is_kept(berth_grad_t *g, value_t rows, value_t ids) {
  value_t kept = compare(g, "GreaterEqual", ids, 0);
  value_t sizes = berth_emit_shape(g, kept);
  value_t rank = berth_emit_rank(g, rows);
  value_t extra = sub(g, rank, berth_emit_rank(g, kept));
  sizes = berth_emit_concat(g, sizes, ones_of_rank(g, extra));
  kept = reshape(g, kept, sizes);
  value_t ones = berth_emit_ones_like_as(g, rows, BERTH_BOOL);
  return OP(g, "LogicalAnd", "and", kept, ones);
}

// Returns the row of |rows| of each id, zeros for those that are negative.
static value_t gather_kept(berth_grad_t *g, value_t rows, value_t clipped,
                           value_t ids, value_t *kept) {
  value_t found = gather(g, rows, clipped);
  if (!berth_out_is(*kept)) *kept = is_kept(g, found, ids);
  value_t zeros = berth_emit_zeros_like(g, found);
  return choose(g, *kept, found, zeros);
}

BERTH_GRAD(unsorted_segment_sum) {
  value_t d = dy(g, 0), ids = in(g, 1), kept = NONE;
  value_t clipped = not_negative(g, ids);
  give(g, 0, gather_kept(g, d, clipped, ids, &kept));
}

BERTH_GRAD(unsorted_segment_extreme) {
  value_t d = dy(g, 0), x = in(g, 0), ids = in(g, 1), kept = NONE;
  value_t clipped = not_negative(g, ids);
  value_t extremes = gather_kept(g, out(g, 0), clipped, ids, &kept);
  value_t is_extreme = fn2(g, "Equal", x, extremes);
  is_extreme = fn2(g, "LogicalAnd", is_extreme, kept);
  value_t count = berth_emit_cast(g, is_extreme, berth_grad_dtype(g, d));
  count = OP(g, "UnsortedSegmentSum", NULL, count, ids, in(g, 2));
  d = gather_kept(g, truediv(g, d, count), clipped, ids, &kept);
  value_t zeros = berth_emit_zeros_like(g, d);
  give(g, 0, choose(g, is_extreme, d, zeros));
}

BERTH_GRAD(unsorted_segment_prod) {
  value_t x = in(g, 0), ids = in(g, 1), kept = NONE;
  factors_t f = factors_of(g, "UnsortedSegmentSum", "UnsortedSegmentProd");
  value_t clipped = not_negative(g, ids);
  value_t all = gather(g, out(g, 0), clipped);
  value_t others = gather(g, f.others, clipped);
  all = truediv(g, all, x);
  value_t part = choose(g, f.is_zero, others, all);
  value_t d = gather_kept(g, f.slope, clipped, ids, &kept);
  give(g, 0, mul(g, d, part));
}

// ---- Of rows that are picked first ----

static void picked(berth_grad_t *g, const char *op, const char *op_of_rows) {
  value_t d = dy(g, 0), indices = in(g, 1), ids = in(g, 2);
  value_t sizes = berth_emit_shape(g, in(g, 0));
  value_t rows = berth_emit_item(g, sizes, 0);
  if (!berth_node_attr_bool(g->node, "sparse_gradient", false)) {
    give(g, 0, OP(g, op, NULL, d, indices, ids, rows));
    return;
  }
  value_t made = OP(g, op_of_rows, NULL, d, indices, ids, rows);
  berth_grad_give_rows(g, 0, made, berth_out_at(made, 1), sizes);
}

BERTH_GRAD(sparse_segment_sum) {
  picked(g, "SparseSegmentSumGrad", "SparseSegmentSumGradV2");
}
BERTH_GRAD(sparse_segment_mean) {
  picked(g, "SparseSegmentMeanGrad", "SparseSegmentMeanGradV2");
}
BERTH_GRAD(sparse_segment_sqrt_n) {
  picked(g, "SparseSegmentSqrtNGrad", "SparseSegmentSqrtNGradV2");
}

// ---- Isotonic regression ----

// Every value became the mean of its segment, of which each row has its own.
BERTH_GRAD(isotonic_regression) {
  value_t d = dy(g, 0), ids = out(g, 1);
  value_t sizes = berth_emit_shape(g, ids);
  value_t rows = berth_emit_item(g, sizes, 0);
  value_t columns = berth_emit_item(g, sizes, 1);
  value_t begins = berth_emit_range_to(g, rows);
  begins = berth_emit_expand(g, mul(g, begins, columns), -1);
  ids = add(g, ids, begins);
  value_t count = mul(g, rows, columns);
  value_t sums = OP(g, "UnsortedSegmentSum", NULL, d, ids, count);
  value_t ones = berth_emit_ones_like(g, d);
  value_t sizes_of = OP(g, "UnsortedSegmentSum", NULL, ones, ids, count);
  value_t means = truediv(g, sums, sizes_of);
  give(g, 0, gather(g, means, ids));
}
