// matmul.c - MatMul and its batched kin: products of matrices.
#include "graph/shape_fn.h"
#include "op/matrix.h"
#include "op/types.h"
#include "op/value.h"

// Describes the last two dimensions of both inputs in |product|, which says
// already what is transposed. The inputs have at least two.
static berth_code_t set_matrices(const berth_case_t *op,
                                 berth_product_t *product, berth_error_t *err) {
  berth_dims_t a = berth_case_input_dims(op, 0);
  berth_dims_t b = berth_case_input_dims(op, 1);
  int64_t a_rows = a.dims[a.rank - 2], a_cols = a.dims[a.rank - 1];
  int64_t b_rows = b.dims[b.rank - 2], b_cols = b.dims[b.rank - 1];
  product->m = product->transpose_a ? a_cols : a_rows;
  product->k = product->transpose_a ? a_rows : a_cols;
  product->n = product->transpose_b ? b_rows : b_cols;
  if (product->k == (product->transpose_b ? b_cols : b_rows)) return BERTH_OK;
  char text_a[BERTH_DIMS_TEXT], text_b[BERTH_DIMS_TEXT];
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "Matrix size-incompatible: In[0]: %s, In[1]: %s",
                         berth_dims_text(a, text_a),
                         berth_dims_text(b, text_b));
}

// Sets how many matrices one step along each dimension of the batch goes.
// |dims| are those of the input, aligned to the end of |batch|.
static void set_steps(berth_dims_t batch, berth_dims_t dims, int64_t *steps) {
  int64_t step = 1;
  for (int32_t i = 1; i <= batch.rank; ++i) {
    int64_t dim = i <= dims.rank ? dims.dims[dims.rank - i] : 1;
    steps[batch.rank - i] = dim == 1 ? 0 : step;
    step *= dim;
  }
}

// Says the shape of the output: |batch| and a matrix. |batch| may lie in the
// output itself.
static berth_code_t set_output(berth_case_t *op, berth_dims_t batch,
                               const berth_product_t *product,
                               berth_error_t *err) {
  berth_shape_t *out = &op->outputs[0];
  int64_t count = 1;
  out->rank = 0;
  for (int32_t i = 0; i < batch.rank; ++i) {
    BERTH_TRY(berth_shape_push(out, &count, batch.dims[i], err));
  }
  BERTH_TRY(berth_shape_push(out, &count, product->m, err));
  BERTH_TRY(berth_shape_push(out, &count, product->n, err));
  return berth_value_check_size(berth_shape_dims(out), count, product->dtype,
                                err);
}

// Describes the batch, whose dimensions are |batch|.
static berth_code_t set_batch(berth_case_t *op, berth_dims_t batch,
                              berth_product_t *product, berth_error_t *err) {
  size_t rank = (size_t)batch.rank;
  product->batch = berth_dims_count(batch);
  product->batch_rank = batch.rank;
  // Dimensions without elements may be too large to multiply.
  if (rank == 0 || product->batch == 0) return BERTH_OK;
  int64_t *dims = berth_arena_calloc(op->arena, 3 * rank, sizeof(*dims));
  if (dims == NULL) return berth_error_no_memory(err, "a product");
  for (size_t i = 0; i < rank; ++i) dims[i] = batch.dims[i];
  berth_dims_t a = berth_case_input_dims(op, 0);
  berth_dims_t b = berth_case_input_dims(op, 1);
  a.rank -= 2;
  b.rank -= 2;
  set_steps(batch, a, dims + rank);
  set_steps(batch, b, dims + 2 * rank);
  product->batch_dims = dims;
  product->a_steps = dims + rank;
  product->b_steps = dims + 2 * rank;
  return BERTH_OK;
}

// Describes the product of inputs that fit but for their matrices.
static berth_code_t describe(berth_case_t *op, berth_dims_t batch,
                             berth_product_t *product, berth_error_t *err) {
  BERTH_TRY(set_matrices(op, product, err));
  BERTH_TRY(set_output(op, batch, product, err));
  return set_batch(op, batch, product, err);
}

static berth_code_t check_same_rank(const berth_case_t *op,
                                    berth_error_t *err) {
  berth_dims_t a = berth_case_input_dims(op, 0);
  berth_dims_t b = berth_case_input_dims(op, 1);
  if (a.rank == b.rank) return BERTH_OK;
  char text_a[BERTH_DIMS_TEXT], text_b[BERTH_DIMS_TEXT];
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "In[0] and In[1] has different ndims: %s vs. %s",
                         berth_dims_text(a, text_a),
                         berth_dims_text(b, text_b));
}

berth_code_t berth_op_matmul(berth_case_t *op, berth_product_t *out_product,
                             berth_error_t *err) {
  BERTH_TRY(check_same_rank(op, err));
  if (op->inputs[0].rank != 2) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "In[0] and In[1] ndims must be == 2: %d",
                           op->inputs[0].rank);
  }
  *out_product = (berth_product_t){
      .dtype = op->inputs[0].dtype,
      .transpose_a = berth_node_attr_bool(op->node, "transpose_a", false),
      .transpose_b = berth_node_attr_bool(op->node, "transpose_b", false)};
  return describe(op, BERTH_SCALAR, out_product, err);
}

berth_code_t berth_op_sparse_matmul(const berth_case_t *op,
                                    berth_error_t *err) {
  const berth_case_input_t *in = op->inputs;
  char text_a[BERTH_DIMS_TEXT], text_b[BERTH_DIMS_TEXT];
  for (int i = 0; i < 2; ++i) {
    if (in[i].rank == 2) continue;
    return berth_error_set(err, BERTH_INVALID_ARGUMENT, "%s is not a matrix",
                           i == 0 ? "a" : "b");
  }
  bool turns_a = berth_node_attr_bool(op->node, "transpose_a", false);
  bool turns_b = berth_node_attr_bool(op->node, "transpose_b", false);
  if (in[0].dims[!turns_a] == in[1].dims[turns_b]) return BERTH_OK;
  return berth_error_set(
      err, BERTH_INVALID_ARGUMENT, "Matrix size incompatible: a: %s, b: %s",
      berth_input_text(&in[0], text_a), berth_input_text(&in[1], text_b));
}

// Begins the product of an op whose inputs may be adjoint: transposed and
// conjugated.
static berth_product_t adjoint(const berth_case_t *op) {
  bool is_complex = berth_type_in(op->inputs[0].dtype, BERTH_TYPES_COMPLEX);
  bool adjoint_a = berth_node_attr_bool(op->node, "adj_x", false);
  bool adjoint_b = berth_node_attr_bool(op->node, "adj_y", false);
  return (berth_product_t){.dtype = op->inputs[0].dtype,
                           .transpose_a = adjoint_a,
                           .transpose_b = adjoint_b,
                           .conj_a = is_complex && adjoint_a,
                           .conj_b = is_complex && adjoint_b};
}

berth_code_t berth_op_batch_matmul(berth_case_t *op,
                                   berth_product_t *out_product,
                                   berth_error_t *err) {
  BERTH_TRY(check_same_rank(op, err));
  berth_dims_t a = berth_case_input_dims(op, 0);
  berth_dims_t b = berth_case_input_dims(op, 1);
  if (a.rank < 2) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "In[0] and In[1] ndims must be >= 2: %d", a.rank);
  }
  for (int32_t i = 0; i < a.rank - 2; ++i) {
    if (a.dims[i] == b.dims[i]) continue;
    char text_a[BERTH_DIMS_TEXT], text_b[BERTH_DIMS_TEXT];
    return berth_error_set(
        err, BERTH_INVALID_ARGUMENT,
        "In[0].dim(%d) and In[1].dim(%d) must be the same: %s vs %s", i, i,
        berth_dims_text(a, text_a), berth_dims_text(b, text_b));
  }
  *out_product = adjoint(op);
  return describe(op, (berth_dims_t){a.rank - 2, a.dims}, out_product, err);
}

berth_code_t berth_op_batch_matmul_v2(berth_case_t *op,
                                      berth_product_t *out_product,
                                      berth_error_t *err) {
  berth_dims_t in[2];
  for (int i = 0; i < 2; ++i) {
    in[i] = berth_case_input_dims(op, i);
    if (in[i].rank < 2) {
      return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                             "In[%d] ndims must be >= 2: %d", i, in[i].rank);
    }
  }
  berth_dims_t a = {in[0].rank - 2, in[0].dims};
  berth_dims_t b = {in[1].rank - 2, in[1].dims};
  // The output's own storage: a shape is large.
  berth_shape_t *batch = &op->outputs[0];
  if (!berth_dims_broadcast(a, b, batch)) {
    char text_a[BERTH_DIMS_TEXT], text_b[BERTH_DIMS_TEXT];
    return berth_error_set(
        err, BERTH_INVALID_ARGUMENT,
        "In[0] and In[1] must have compatible batch dimensions: %s vs. %s",
        berth_dims_text(in[0], text_a), berth_dims_text(in[1], text_b));
  }
  *out_product = adjoint(op);
  return describe(op, berth_shape_dims(batch), out_product, err);
}

// ---- Shapes of a graph ----

// Stores rows and columns of the last two dimensions of |a| times |b|.
static berth_code_t multiply(berth_dims_t a, berth_dims_t b, bool flip_a,
                             bool flip_b, int64_t *out_rows,
                             int64_t *out_columns, berth_error_t *err) {
  int64_t a_rows = -1, a_columns = -1, b_rows = -1, b_columns = -1, inner = -1;
  if (a.rank >= 2) {
    a_rows = a.dims[a.rank - (flip_a ? 1 : 2)];
    a_columns = a.dims[a.rank - (flip_a ? 2 : 1)];
  }
  if (b.rank >= 2) {
    b_rows = b.dims[b.rank - (flip_b ? 1 : 2)];
    b_columns = b.dims[b.rank - (flip_b ? 2 : 1)];
  }
  BERTH_TRY(berth_shape_merge_dims(a_columns, b_rows, &inner, err));
  *out_rows = a_rows;
  *out_columns = b_columns;
  return BERTH_OK;
}

// Sets output 0 to |batch| and a matrix.
static berth_code_t infer_matrices(berth_shape_context_t *c, berth_dims_t batch,
                                   int64_t rows, int64_t columns,
                                   berth_error_t *err) {
  int64_t matrix[2] = {rows, columns};
  return berth_shape_join(c, batch, (berth_dims_t){2, matrix}, &c->outputs[0],
                          err);
}

BERTH_INFER(matmul) {
  berth_dims_t a = berth_shape_in(c, 0), b = berth_shape_in(c, 1);
  BERTH_TRY(berth_shape_with_rank(c, a, 2, NULL, err));
  BERTH_TRY(berth_shape_with_rank(c, b, 2, NULL, err));
  bool flip_a = berth_node_attr_bool(c->node, "transpose_a", false);
  bool flip_b = berth_node_attr_bool(c->node, "transpose_b", false);
  int64_t rows = -1, columns = -1;
  BERTH_TRY(multiply(a, b, flip_a, flip_b, &rows, &columns, err));
  return infer_matrices(c, (berth_dims_t){0, NULL}, rows, columns, err);
}

// Returns all dimensions but the last two.
static berth_dims_t batch_of(berth_dims_t shape) {
  return berth_shape_slice(shape, 0, shape.rank - 2);
}

static berth_code_t batch_multiply(berth_shape_context_t *c, int64_t *out_rows,
                                   int64_t *out_columns, berth_error_t *err) {
  berth_dims_t a = berth_shape_in(c, 0), b = berth_shape_in(c, 1);
  BERTH_TRY(berth_shape_rank_at_least(a, 2, err));
  BERTH_TRY(berth_shape_rank_at_least(b, 2, err));
  bool flip_a = berth_node_attr_bool(c->node, "adj_x", false);
  bool flip_b = berth_node_attr_bool(c->node, "adj_y", false);
  return multiply(a, b, flip_a, flip_b, out_rows, out_columns, err);
}

BERTH_INFER(batch_matmul) {
  int64_t rows = -1, columns = -1;
  berth_dims_t batch;
  BERTH_TRY(batch_multiply(c, &rows, &columns, err));
  BERTH_TRY(berth_shape_merge(c, batch_of(berth_shape_in(c, 0)),
                              batch_of(berth_shape_in(c, 1)), &batch, err));
  return infer_matrices(c, batch, rows, columns, err);
}

BERTH_INFER(batch_matmul_v2) {
  int64_t rows = -1, columns = -1;
  berth_dims_t batch;
  BERTH_TRY(batch_multiply(c, &rows, &columns, err));
  BERTH_TRY(berth_shape_broadcast(c, batch_of(berth_shape_in(c, 0)),
                                  batch_of(berth_shape_in(c, 1)), &batch, err));
  return infer_matrices(c, batch, rows, columns, err);
}
