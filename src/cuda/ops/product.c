// product.c - Products of many matrices, as cards compute them.
#include "cuda/ops/product.h"

// ---- One product ----

static void describe_matrices(const berth_prepare_t *prepare,
                              berth_cuda_product_t *product) {
  const berth_node_t *node = prepare->op.node;
  berth_dims_t a = berth_op_input_dims(&prepare->op, 0);
  bool adjoint_a = berth_node_attr_bool(node, "adj_x", false);
  bool adjoint_b = berth_node_attr_bool(node, "adj_y", false);
  berth_dtype_t dtype = prepare->op.inputs[0].dtype;
  bool is_complex = dtype == BERTH_COMPLEX64 || dtype == BERTH_COMPLEX128;
  product->dtype = dtype;
  product->transpose_a =
      adjoint_a || berth_node_attr_bool(node, "transpose_a", false);
  product->transpose_b =
      adjoint_b || berth_node_attr_bool(node, "transpose_b", false);
  product->conj_a = is_complex && adjoint_a;
  product->conj_b = is_complex && adjoint_b;
  berth_dims_t c = berth_shape_dims(&prepare->op.outputs[0]);
  product->m = c.dims[c.rank - 2];
  product->n = c.dims[c.rank - 1];
  product->k = a.dims[a.rank - (product->transpose_a ? 2 : 1)];
}

// ---- The batch ----

// A loop over products while it is put together.
typedef struct level {
  int64_t dim, a_step, b_step;
} level_t;

// Returns the elements from one index to the next of the dimension that is
// |from_end| from the end of |dims|, where the dimensions behind it have |size|
// elements; 0 where the input has one index only.
static int64_t step_of(berth_dims_t dims, int32_t from_end, int64_t size) {
  if (from_end > dims.rank || dims.dims[dims.rank - from_end] == 1) return 0;
  return size;
}

// Makes levels from the dimensions of the batch, innermost first; neighbours
// whose steps fit together are one. Returns how many there are.
static int32_t find_levels(berth_dims_t a, berth_dims_t b, berth_dims_t c,
                           level_t *levels) {
  int64_t a_size = a.dims[a.rank - 1] * a.dims[a.rank - 2];
  int64_t b_size = b.dims[b.rank - 1] * b.dims[b.rank - 2];
  int32_t count = 0;
  for (int32_t i = 3; i <= c.rank; ++i) {
    level_t next = {c.dims[c.rank - i], step_of(a, i, a_size),
                    step_of(b, i, b_size)};
    level_t *last = count > 0 ? &levels[count - 1] : NULL;
    if (i <= a.rank) a_size *= a.dims[a.rank - i];
    if (i <= b.rank) b_size *= b.dims[b.rank - i];
    if (next.dim == 1) continue;
    if (last != NULL && next.a_step == last->a_step * last->dim &&
        next.b_step == last->b_step * last->dim) {
      last->dim *= next.dim;
    } else {
      levels[count++] = next;
    }
  }
  return count;
}

// With one B for all of the innermost level the rows of its As are the rows of
// one. True when it was so, and the level is no longer needed.
static bool join_rows(berth_cuda_product_t *product, const level_t *level) {
  if (product->transpose_a || level->b_step != 0 ||
      level->a_step != product->m * product->k) {
    return false;
  }
  product->m *= level->dim;
  return true;
}

// Makes the innermost of |count| levels the batch and keeps the others, the
// other way round, in |to|, which has room for 3 * |count| numbers.
static void keep_levels(berth_cuda_product_t *product, const level_t *levels,
                        int32_t count, int64_t *to) {
  product->batch = count > 0 ? levels[0].dim : 1;
  product->a_step = count > 0 ? levels[0].a_step : 0;
  product->b_step = count > 0 ? levels[0].b_step : 0;
  product->repeats = 1;
  product->levels = count > 0 ? count - 1 : 0;
  product->dims = to;
  product->a_steps = to + product->levels;
  product->b_steps = to + 2 * product->levels;
  for (int32_t i = 0; i < product->levels; ++i) {
    const level_t *from = &levels[count - 1 - i];
    product->repeats *= from->dim;
    to[i] = from->dim;
    to[product->levels + i] = from->a_step;
    to[2 * product->levels + i] = from->b_step;
  }
}

berth_code_t berth_cuda_product_describe(const berth_prepare_t *prepare,
                                         berth_cuda_product_t *product,
                                         berth_error_t *err) {
  berth_dims_t c = berth_shape_dims(&prepare->op.outputs[0]);
  size_t rank = (size_t)c.rank;
  level_t *levels =
      berth_arena_calloc(prepare->op.arena, rank, sizeof(*levels));
  int64_t *kept =
      berth_arena_calloc(prepare->op.arena, 3 * rank, sizeof(*kept));
  if (levels == NULL || kept == NULL) {
    return berth_error_no_memory(err, "the plan of a product");
  }
  describe_matrices(prepare, product);
  int32_t count = find_levels(berth_op_input_dims(&prepare->op, 0),
                              berth_op_input_dims(&prepare->op, 1), c, levels);
  int32_t joined = count > 0 && join_rows(product, &levels[0]) ? 1 : 0;
  keep_levels(product, levels + joined, count - joined, kept);
  return BERTH_OK;
}

berth_cuda_operands_t berth_cuda_product_operands(
    const berth_cuda_product_t *product, void *const *args, int64_t index) {
  int64_t size = (int64_t)berth_dtype_size(product->dtype);
  int64_t a = 0, b = 0;
  int64_t c = index * product->batch * product->m * product->n;
  for (int32_t i = product->levels; i-- > 0;) {
    a += index % product->dims[i] * product->a_steps[i];
    b += index % product->dims[i] * product->b_steps[i];
    index /= product->dims[i];
  }
  return (berth_cuda_operands_t){(const char *)args[0] + a * size,
                                 (const char *)args[1] + b * size,
                                 (char *)args[2] + c * size};
}
