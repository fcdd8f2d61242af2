// reduction.c - Sums, products, extremes along axes.
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/str.h"
#include "grad/rules/operators.inc"
#include "grad/sizes.h"

enum { MOST_AXES = BERTH_GRAD_AXES };
typedef berth_sizes_t sizes_t;

static bool is_known(berth_dims_t dims) {
  bool known = dims.rank >= 0 && dims.rank <= MOST_AXES;
  for (int i = 0; i < dims.rank; ++i) known &= dims.dims[i] >= 0;
  return known;
}

// Reads the axes along which the node reduces, as they stand there. A scalar has
// none.
static int known_axes(berth_grad_t *g, int64_t *axes) {
  if (berth_grad_rank(g, in(g, 0)) == 0) return 0;
  return berth_grad_numbers(g, in(g, 1), axes, MOST_AXES);
}

// Sets the sizes at |axes| to 1; false for axes that there are not.
static bool reduce_dims(berth_dims_t dims, const int64_t *axes, int count,
                        sizes_t *out) {
  for (int i = 0; i < dims.rank; ++i) out->dims[i] = dims.dims[i];
  for (int i = 0; i < count; ++i) {
    int64_t axis = axes[i] < 0 ? axes[i] + dims.rank : axes[i];
    if (axis < 0 || axis >= dims.rank) return false;
    out->dims[axis] = 1;
  }
  out->rank = dims.rank;
  return true;
}

// Returns the number of elements of a vector, as |type|.
static value_t length(berth_grad_t *g, value_t vector, berth_dtype_t type) {
  berth_dims_t dims = berth_grad_shape(g, vector);
  if (dims.rank == 1 && dims.dims[0] >= 0) {
    return berth_grad_int(g, "Size", type, dims.dims[0]);
  }
  berth_grad_begin(g, "Size", NULL);
  berth_op_attr_type(g->op, "out_type", type);
  return MAKE(g, vector);
}

// Returns |axes| counted from the first one.
static value_t from_first(berth_grad_t *g, value_t axes, value_t rank) {
  value_t t = add(g, axes, rank);
  return OP(g, "FloorMod", "mod", t, rank);
}

void berth_emit_reduced(berth_grad_t *g, value_t whole, value_t along,
                        sizes_t *out) {
  int64_t axes[MOST_AXES], all[MOST_AXES];
  int count = berth_grad_numbers(g, along, axes, MOST_AXES);
  int rank_known = berth_grad_numbers(g, whole, all, MOST_AXES);
  out->value = NONE;
  if (count >= 0 && rank_known >= 0 &&
      reduce_dims((berth_dims_t){rank_known, all}, axes, count, out)) {
    return;
  }
  out->rank = -1;
  value_t rank = length(g, whole, berth_grad_dtype(g, along));
  along = from_first(g, along, rank);
  value_t shape = berth_emit_shape(g, along);
  value_t range = berth_emit_range_to(g, rank);
  value_t ones =
      berth_emit_filled(g, "ones", shape, berth_grad_dtype(g, whole), 1);
  range = berth_emit_cast(g, range, BERTH_INT32);
  along = berth_emit_cast(g, along, BERTH_INT32);
  value_t parts[] = {range, along, whole, ones};
  berth_grad_begin(g, "DynamicStitch", NULL);
  out->value = berth_grad_make_lists(g, parts, (int[]){2, 2}, 2);
}

// Returns the shape of the node's output as if axes were kept, |whole| being
// that of its input.
static void reduced_shape(berth_grad_t *g, value_t whole, sizes_t *out) {
  berth_emit_reduced(g, whole, in(g, 1), out);
}

// Gives |a| a shape. Where TensorFlow is told a shape of a scalar it makes a
// constant twice, of another type at first.
value_t berth_emit_reshaped(berth_grad_t *g, value_t a, const sizes_t *sizes) {
  if (sizes->rank < 0) return reshape(g, a, sizes->value);
  berth_grad_push(g, "Reshape");
  if (sizes->rank == 0) {
    (void)berth_grad_ints(g, "shape", BERTH_INT32, sizes->dims, 0);
  }
  value_t to =
      berth_grad_ints(g, "shape", BERTH_INT32, sizes->dims, sizes->rank);
  value_t made = OP(g, "Reshape", BERTH_SCOPE_NAME, a, to);
  berth_grad_pop(g);
  return made;
}

static value_t reshape_to(berth_grad_t *g, value_t a, const sizes_t *sizes) {
  return berth_emit_reshaped(g, a, sizes);
}

static bool keeps_dims(const berth_grad_t *g) {
  return berth_node_attr_bool(g->node, "keep_dims", false);
}

// ---- Sums ----

static bool is_all(const int64_t *axes, int count, int rank) {
  for (int i = 0; i < count; ++i) {
    if (axes[i] != i) return false;
  }
  return count == rank;
}

// Returns |d|, the slope by a sum of everything, everywhere.
static value_t spread_all(berth_grad_t *g, value_t d, berth_dims_t dims) {
  if (g->to->is_eager && dims.rank == 0) return d;
  sizes_t ones = {.rank = dims.rank};
  for (int i = 0; i < dims.rank; ++i) ones.dims[i] = 1;
  d = reshape_to(g, d, &ones);
  value_t whole = is_known(dims) ? berth_grad_ints(g, "Const", BERTH_INT32,
                                                   dims.dims, dims.rank)
                                 : berth_emit_shape(g, in(g, 0));
  return OP(g, "Tile", NULL, d, whole);
}

// True the first time that a graph has a sum of |dims| along |axes|; TensorFlow
// computes its sizes by nodes then.
static bool is_first_time(berth_grad_t *g, berth_dims_t dims,
                          const int64_t *axes, int count) {
  berth_str_t key = {0};
  berth_str_printf(&key, "\1reduced");
  for (int i = 0; i < dims.rank; ++i) {
    berth_str_printf(&key, " %lld", (long long)dims.dims[i]);
  }
  for (int i = 0; i < count; ++i) {
    berth_str_printf(&key, ",%lld", (long long)axes[i]);
  }
  berth_graph_t *graph = (berth_graph_t *)(uintptr_t)g->graph;
  const char *text = berth_str_get(&key);
  size_t size = strlen(text);
  berth_graph_lock(graph);
  bool is_first = berth_map_find(&graph->interned, text, size) == NULL;
  const char *kept = berth_graph_intern(graph, text, size);
  berth_graph_unlock(graph);
  berth_str_clear(&key);
  return is_first && kept != NULL;
}

// Makes the nodes that TensorFlow leaves behind when it computes |times|.
static void leave_division(berth_grad_t *g, berth_dims_t dims,
                           const sizes_t *kept) {
  berth_grad_push(g, "Maximum");
  value_t x = berth_grad_ints(g, "x", BERTH_INT32, kept->dims, kept->rank);
  value_t y = berth_grad_int(g, "y", BERTH_INT32, 1);
  value_t least = OP(g, "Maximum", BERTH_SCOPE_NAME, x, y);
  berth_grad_pop(g);
  berth_grad_push(g, "floordiv");
  x = berth_grad_ints(g, "x", BERTH_INT32, dims.dims, dims.rank);
  (void)OP(g, "FloorDiv", BERTH_SCOPE_NAME, x, least);
  berth_grad_pop(g);
}

// The same for axes that are known, of a shape that is.
static value_t spread_known(berth_grad_t *g, value_t d, berth_dims_t dims,
                            const int64_t *axes, int count,
                            const sizes_t *kept) {
  if (is_first_time(g, dims, axes, count)) leave_division(g, dims, kept);
  int64_t times[MOST_AXES];
  for (int i = 0; i < dims.rank; ++i) {
    times[i] = dims.dims[i] / (kept->dims[i] == 0 ? 1 : kept->dims[i]);
  }
  d = reshape_to(g, d, kept);
  berth_grad_push(g, "Tile");
  value_t by = berth_grad_ints(g, "multiples", BERTH_INT32, times, dims.rank);
  value_t made = OP(g, "Tile", BERTH_SCOPE_NAME, d, by);
  berth_grad_pop(g);
  return made;
}

// Returns the slope by the input of a sum.
static value_t by_summand(berth_grad_t *g) {
  value_t d = dy(g, 0), x = in(g, 0);
  int64_t axes[MOST_AXES];
  int count = known_axes(g, axes);
  berth_dims_t dims = berth_grad_shape(g, x);
  if (count >= 0 && dims.rank >= 0 && is_all(axes, count, dims.rank)) {
    return spread_all(g, d, dims);
  }
  sizes_t kept;
  if (count >= 0 && is_known(dims) && !g->to->is_eager &&
      reduce_dims(dims, axes, count, &kept)) {
    return spread_known(g, d, dims, axes, count, &kept);
  }
  value_t whole = berth_emit_shape(g, x);
  if (!keeps_dims(g)) {
    reduced_shape(g, whole, &kept);
    d = reshape_to(g, d, &kept);
  }
  return OP(g, "BroadcastTo", NULL, d, whole);
}

BERTH_GRAD(reduce_sum) { give(g, 0, by_summand(g)); }

BERTH_GRAD(euclidean_norm) {
  value_t y = out(g, 0), d = dy(g, 0);
  if (!keeps_dims(g)) {
    sizes_t kept;
    reduced_shape(g, berth_emit_shape(g, in(g, 0)), &kept);
    y = berth_emit_reshaped(g, y, &kept);
    d = berth_emit_reshaped(g, d, &kept);
  }
  give(g, 0, truediv(g, in(g, 0), truediv(g, y, d)));
}

// Returns the product of the sizes along the axes of the node.
static value_t reduced_count(berth_grad_t *g) {
  value_t whole = berth_emit_shape(g, in(g, 0));
  value_t rank = length(g, whole, BERTH_INT32);
  value_t along = berth_emit_cast(g, in(g, 1), BERTH_INT32);
  along = from_first(g, along, rank);
  value_t sizes = berth_emit_gather(g, whole, along);
  return berth_emit_prod(g, sizes);
}

static int64_t count_of(berth_dims_t dims) {
  int64_t count = 1;
  for (int i = 0; i < dims.rank; ++i) count *= dims.dims[i];
  return count;
}

BERTH_GRAD(mean) {
  value_t d = by_summand(g), factor;
  berth_dims_t dims = berth_grad_shape(g, in(g, 0));
  berth_dims_t made = berth_grad_shape(g, out(g, 0));
  if (is_known(dims) && is_known(made)) {
    int64_t rest = count_of(made);
    int64_t count = count_of(dims) / (rest == 0 ? 1 : rest);
    factor = number_like(g, "Const", d, (double)count);
  } else {
    factor = reduced_count(g);
    factor = berth_emit_cast(g, factor, berth_grad_dtype(g, d));
  }
  give(g, 0, truediv(g, d, factor));
}

// ---- Extremes ----

BERTH_GRAD(extreme) {
  value_t d = dy(g, 0), y = out(g, 0), x = in(g, 0);
  value_t whole = berth_emit_shape(g, x);
  sizes_t kept = {.rank = -1};
  if (keeps_dims(g)) {
    kept.value = berth_emit_shape(g, y);
  } else {
    reduced_shape(g, whole, &kept);
    y = reshape_to(g, y, &kept);
    d = reshape_to(g, d, &kept);
  }
  value_t is_extreme = fn2(g, "Equal", y, x);
  is_extreme = berth_emit_cast(g, is_extreme, berth_grad_dtype(g, d));
  value_t count = berth_emit_sum(g, is_extreme, in(g, 1), false);
  count = reshape_to(g, count, &kept);
  value_t share = truediv(g, is_extreme, count);
  give(g, 0, mul(g, share, d));
}

// ---- Products ----

static value_t cumprod(berth_grad_t *g, value_t a, bool is_reverse) {
  berth_grad_push(g, "Cumprod");
  value_t axis = berth_grad_int(g, "axis", BERTH_INT32, 0);
  berth_grad_begin(g, "Cumprod", BERTH_SCOPE_NAME);
  berth_op_attr_bool(g->op, "exclusive", true);
  berth_op_attr_bool(g->op, "reverse", is_reverse);
  value_t made = MAKE(g, a, axis);
  berth_grad_pop(g);
  return made;
}

static value_t pair_of(berth_grad_t *g, value_t a, value_t b) {
  value_t both[] = {a, b};
  berth_grad_begin(g, "Pack", "shape");
  return berth_grad_make_lists(g, both, (int[]){2}, 1);
}

// Which axes come first, and how many elements both parts have.
typedef struct order {
  value_t axes, reduced_count, other_count;
} order_t;

// Returns the shape of |turned|, the input with the axes of the node first:
// known where those are.
static value_t turned_shape(berth_grad_t *g, value_t turned) {
  int64_t axes[MOST_AXES], dims[MOST_AXES];
  int count = known_axes(g, axes), rank = 0;
  berth_dims_t whole = berth_grad_shape(g, in(g, 0));
  sizes_t kept;
  if (count < 0 || !is_known(whole) ||
      !reduce_dims(whole, axes, count, &kept)) {
    return berth_emit_shape(g, turned);
  }
  bool is_reduced[MOST_AXES] = {false};
  for (int i = 0; i < count; ++i) {
    int64_t axis = axes[i] < 0 ? axes[i] + whole.rank : axes[i];
    if (!is_reduced[axis]) dims[rank++] = whole.dims[axis];
    is_reduced[axis] = true;
  }
  for (int i = 0; i < whole.rank; ++i) {
    if (!is_reduced[i]) dims[rank++] = whole.dims[i];
  }
  return berth_grad_ints(g, "Shape", BERTH_INT32, dims, rank);
}

static order_t order_of(berth_grad_t *g, value_t along, value_t whole) {
  order_t order;
  value_t rank = berth_emit_rank(g, in(g, 0));
  along = from_first(g, berth_emit_cast(g, along, BERTH_INT32), rank);
  value_t all = berth_emit_range_to(g, rank);
  berth_grad_begin(g, "ListDiff", NULL);
  value_t other = MAKE(g, all, along);
  order.axes = berth_emit_concat(g, along, other);
  value_t sizes = berth_emit_gather(g, whole, along);
  order.reduced_count = berth_emit_prod(g, sizes);
  sizes = berth_emit_gather(g, whole, other);
  order.other_count = berth_emit_prod(g, sizes);
  return order;
}

// Returns the product of all elements but each.
static value_t product_of_others(berth_grad_t *g, const order_t *order) {
  value_t t = OP(g, "Transpose", "transpose", in(g, 0), order->axes);
  value_t shape = turned_shape(g, t);
  berth_grad_push(g, "Reshape");
  value_t flat = pair_of(g, order->reduced_count, order->other_count);
  t = OP(g, "Reshape", BERTH_SCOPE_NAME, t, flat);
  berth_grad_pop(g);
  value_t left = cumprod(g, t, false);
  value_t right = cumprod(g, t, true);
  left = conjugate(g, left);
  right = conjugate(g, right);
  t = reshape(g, mul(g, left, right), shape);
  value_t back = fn(g, "InvertPermutation", order->axes);
  return OP(g, "Transpose", "transpose", t, back);
}

BERTH_GRAD(prod) {
  value_t d = dy(g, 0);
  value_t whole = berth_emit_shape(g, in(g, 0));
  sizes_t sizes = {.dims = {-1}, .rank = 1};
  value_t along = reshape_to(g, in(g, 1), &sizes);
  if (!keeps_dims(g)) {
    reduced_shape(g, whole, &sizes);
    d = reshape_to(g, d, &sizes);
  }
  d = OP(g, "BroadcastTo", NULL, d, whole);
  order_t order = order_of(g, along, whole);
  value_t others = product_of_others(g, &order);
  give(g, 0, reshape(g, mul(g, d, others), whole));
}
