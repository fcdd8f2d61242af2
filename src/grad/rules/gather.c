// gather.c - Taking rows, and putting rows into others.
#include "grad/rules/words.inc"
#include "grad/sizes.h"
#include "op/resource.h"

// Returns the number of indices, as a vector.
static value_t size_vector(berth_grad_t *g, value_t indices) {
  int64_t count = 0;
  value_t size = berth_emit_size(g, indices);
  if (g->to->is_eager && berth_grad_numbers(g, size, &count, 1) == 1) {
    return berth_grad_ints(g, NULL, BERTH_INT32, &count, 1);
  }
  return berth_emit_expand(g, size, 0);
}

// Makes the shape of the first input, where that is.
static value_t shape_beside(berth_grad_t *g) {
  const berth_emitter_t *emit = &g->to->emit;
  value_t params = in(g, 0);
  bool is_pushed = g->code == BERTH_OK && emit->push != NULL;
  if (is_pushed) {
    g->code = emit->push(emit->arg, NULL, params.node, false, g->err);
    is_pushed = g->code == BERTH_OK;
  }
  value_t sizes = berth_emit_shape(g, params);
  if (is_pushed) emit->pop(emit->arg);
  return sizes;
}

// Gives the first input rows, one for each index.
static void give_taken(berth_grad_t *g, value_t sizes, value_t size) {
  value_t tail = berth_emit_part(g, sizes, 1, BERTH_TO_END);
  value_t shape = berth_emit_join(
      g, (berth_extent_t[]){BERTH_EXTENT(size), BERTH_EXTENT(tail)}, 2);
  value_t values = reshape(g, dy(g, 0), shape);
  value_t indices = reshape(g, in(g, 1), size);
  berth_grad_give_rows(g, 0, values, indices, sizes);
}

BERTH_GRAD(gather) {
  value_t sizes = shape_beside(g);
  value_t size = size_vector(g, in(g, 1));
  give_taken(g, sizes, size);
}

// ---- Of variables ----

// Returns the shape of the variable that the first input is a handle of.
static value_t variable_shape(berth_grad_t *g, berth_dtype_t type,
                              bool may_be_constant) {
  value_t handle = in(g, 0);
  if (may_be_constant && !g->to->is_eager) {
    berth_shape_context_t c = {.graph = g->graph, .node = g->node};
    berth_dims_t dims = berth_shape_of_handle(&c, 0);
    bool is_known = dims.rank >= 0;
    for (int i = 0; i < dims.rank; ++i) is_known &= dims.dims[i] >= 0;
    if (is_known) {
      return berth_grad_ints(g, "Const", type, dims.dims, dims.rank);
    }
  }
  berth_grad_begin(g, "VariableShape", NULL);
  berth_op_attr_type(g->op, "out_type", type);
  return MAKE(g, handle);
}

BERTH_GRAD(resource_gather) {
  value_t sizes = variable_shape(g, BERTH_INT32, true);
  value_t size = size_vector(g, in(g, 1));
  give_taken(g, sizes, size);
}

BERTH_GRAD(resource_gather_nd) {
  value_t d = dy(g, 0), indices = in(g, 1);
  value_t sizes = variable_shape(g, berth_grad_dtype(g, indices), false);
  berth_dims_t dims = berth_grad_shape(g, indices);
  if (dims.rank != 2 || dims.dims[1] != 1) {
    give(g, 0, OP(g, "ScatterNd", NULL, indices, d, sizes));
    return;
  }
  int64_t last = -1;
  berth_grad_begin(g, "Squeeze", NULL);
  berth_op_attr_ints(g->op, "squeeze_dims", &last, 1);
  value_t rows = MAKE(g, indices);
  berth_grad_give_rows(g, 0, d, rows, sizes);
}

// ---- Along any axis ----

static value_t tiled_ones(berth_grad_t *g, berth_dtype_t type,
                          berth_extent_t times) {
  berth_grad_push(g, "Tile");
  value_t one = berth_grad_ints(g, "input", type, (int64_t[]){1}, 1);
  value_t many;
  if (berth_out_is(times.value)) {
    int count = 1;
    berth_grad_begin(g, "Pack", "multiples");
    many = berth_grad_make_lists(g, &times.value, &count, 1);
  } else {
    many = berth_grad_ints(g, "multiples", BERTH_INT32, times.numbers, 1);
  }
  value_t made = OP(g, "Tile", BERTH_SCOPE_NAME, one, many);
  berth_grad_pop(g);
  return made;
}

// Adds to indices where their batch begins in all rows, one after the other.
static value_t batch_indices(berth_grad_t *g, value_t sizes, value_t indices,
                             int batch_dims) {
  berth_dtype_t type = berth_grad_dtype(g, indices);
  sizes = berth_emit_cast(g, sizes, type);
  value_t all = indices, stride = berth_grad_int(g, "ones", type, 1);
  for (int dim = batch_dims; dim > 0; --dim) {
    value_t size = berth_emit_item(g, sizes, dim - 1);
    stride = berth_emit_times(g, stride, berth_emit_item(g, sizes, dim));
    value_t start = berth_grad_int(g, "zeros", type, 0);
    value_t step = berth_grad_int(g, "ones", type, 1);
    value_t at = berth_emit_range(g, type, BERTH_EXTENT(start),
                                  BERTH_EXTENT(size), BERTH_EXTENT(step));
    at = mul(g, at, stride);
    value_t before = tiled_ones(g, type, BERTH_EXTENT_NUMBERS(dim - 1));
    value_t rank = berth_emit_rank(g, indices);
    value_t rest = berth_emit_minus_number(g, rank, dim);
    value_t after = tiled_ones(g, type, BERTH_EXTENT(rest));
    value_t shape = berth_emit_join(
        g,
        (berth_extent_t[]){BERTH_EXTENT(before), BERTH_EXTENT_SINGLE(size),
                           BERTH_EXTENT(after)},
        3);
    all = add(g, all, reshape(g, at, shape));
  }
  return all;
}

// Sums the values that were taken, whose first axes count batches.
static value_t summed(berth_grad_t *g, value_t sizes, value_t values,
                      int batch_dims, value_t row_count) {
  value_t indices = in(g, 1), outer = NONE, flat = NONE;
  value_t size = size_vector(g, indices);
  if (batch_dims > 0) {
    value_t shape = berth_emit_shape(g, values);
    outer = berth_emit_part(g, shape, 0, batch_dims);
    value_t inner = berth_emit_part(g, shape, batch_dims, BERTH_TO_END);
    inner = berth_emit_part(g, inner, 1, BERTH_TO_END);
    berth_grad_push(g, "Prod");
    value_t axis =
        berth_grad_ints(g, "reduction_indices", BERTH_INT32, (int64_t[]){0}, 1);
    value_t batches = OP(g, "Prod", BERTH_SCOPE_NAME, outer, axis);
    berth_grad_pop(g);
    flat = berth_emit_join(
        g, (berth_extent_t[]){BERTH_EXTENT_NUMBERS(-1), BERTH_EXTENT(inner)},
        2);
    row_count = berth_emit_times(g, row_count, batches);
    indices = batch_indices(g, sizes, indices, batch_dims);
    values = reshape(g, values, flat);
  }
  indices = reshape(g, indices, size);
  value_t sum = OP(g, "UnsortedSegmentSum", NULL, values, indices, row_count);
  if (batch_dims == 0) return sum;
  value_t shape = berth_emit_join(
      g, (berth_extent_t[]){BERTH_EXTENT(outer), BERTH_EXTENT(flat)}, 2);
  return reshape(g, sum, shape);
}

// Brings the axis to the front, behind the batches, sums, and brings it back.
static void give_along_axis(berth_grad_t *g, value_t sizes, int batch_dims) {
  value_t axis = in(g, 2);
  value_t outer = berth_emit_part_to(g, sizes, axis);
  value_t inner = berth_emit_part_from(g, sizes, axis);
  inner = berth_emit_part(g, inner, 1, BERTH_TO_END);
  value_t shape = berth_emit_join(
      g,
      (berth_extent_t[]){BERTH_EXTENT(outer), BERTH_EXTENT_NUMBERS(-1),
                         BERTH_EXTENT(inner)},
      3);
  value_t rank = berth_emit_size(g, shape);
  value_t at = berth_emit_size(g, outer);
  value_t batches = berth_emit_range(g, BERTH_INT32, BERTH_EXTENT_NUMBERS(0),
                                     BERTH_EXTENT_NUMBERS(batch_dims),
                                     BERTH_EXTENT_NUMBERS(1));
  value_t before =
      berth_emit_range(g, BERTH_INT32, BERTH_EXTENT_NUMBERS(batch_dims),
                       BERTH_EXTENT(at), BERTH_EXTENT_NUMBERS(1));
  value_t next = berth_emit_plus_number(g, at, 1);
  value_t after = berth_emit_range(g, BERTH_INT32, BERTH_EXTENT(next),
                                   BERTH_EXTENT(rank), BERTH_EXTENT_NUMBERS(1));
  value_t values = reshape(g, dy(g, 0), shape);
  value_t turn = berth_emit_join(
      g,
      (berth_extent_t[]){BERTH_EXTENT(batches), BERTH_EXTENT_SINGLE(at),
                         BERTH_EXTENT(before), BERTH_EXTENT(after)},
      4);
  values = OP(g, "Transpose", "transpose", values, turn);
  value_t turned = berth_emit_gather(g, sizes, turn);
  value_t row_count = berth_emit_item_at(g, sizes, axis);
  value_t sum = summed(g, turned, values, batch_dims, row_count);
  before = berth_emit_plus_number(g, before, 1);
  value_t back = berth_emit_join(
      g,
      (berth_extent_t[]){BERTH_EXTENT(batches), BERTH_EXTENT(before),
                         BERTH_EXTENT_NUMBERS(batch_dims), BERTH_EXTENT(after)},
      4);
  sum = OP(g, "Transpose", "transpose", sum, back);
  give(g, 0, reshape(g, sum, berth_emit_shape(g, in(g, 0))));
}

BERTH_GRAD(gather_v2) {
  value_t sizes = shape_beside(g);
  value_t size = size_vector(g, in(g, 1));
  int batch_dims = (int)berth_node_attr_int(g->node, "batch_dims", 0);
  int rank = berth_grad_rank(g, in(g, 1));
  if (batch_dims < 0 && rank < 0) {
    berth_grad_fail(
        g, BERTH_INVALID_ARGUMENT,
        "Currently, it is unsupported to take the gradient of tf.gather when "
        "batch_dims < 0 and the rank of the indices is unknown. Please pass a "
        "positive batch_dims or use tf.ensure_shape to update the shape of "
        "indices when calling tf.gather. Got batch_dims=%d",
        batch_dims);
    return;
  }
  if (batch_dims < 0) batch_dims += rank;
  int64_t axis = -1;
  if (berth_grad_numbers(g, in(g, 2), &axis, 1) == 1 && axis == 0) {
    give_taken(g, sizes, size);
  } else {
    give_along_axis(g, sizes, batch_dims);
  }
}
