// matmul.c - MatMul and its batched kin: shapes, and the plan of a product.
#include "cpu/kernels.h"
#include "cpu/ops/move.h"
#include "cpu/ops/product.h"
#include "op/value.h"

#define TYPES                                                     \
  (BERTH_TYPES_FLOATING | BERTH_TYPES_INDEX | BERTH_TYPE(INT16) | \
   BERTH_TYPES_COMPLEX)

// What the attributes ask for; adjoint is transposed and conjugated.
typedef struct flags {
  bool transpose_a, transpose_b;
  bool conj_a, conj_b;
} flags_t;

// Describes the last two dimensions of both inputs in |product|. The inputs
// have at least two.
static berth_code_t set_matrices(const berth_prepare_t *prepare,
                                 const flags_t *flags, berth_product_t *product,
                                 berth_error_t *err) {
  berth_dims_t a = berth_op_input_dims(&prepare->op, 0);
  berth_dims_t b = berth_op_input_dims(&prepare->op, 1);
  int64_t a_rows = a.dims[a.rank - 2], a_cols = a.dims[a.rank - 1];
  int64_t b_rows = b.dims[b.rank - 2], b_cols = b.dims[b.rank - 1];
  berth_gemm_t *gemm = &product->gemm;
  gemm->m = flags->transpose_a ? a_cols : a_rows;
  gemm->k = flags->transpose_a ? a_rows : a_cols;
  gemm->n = flags->transpose_b ? b_rows : b_cols;
  if (gemm->k != (flags->transpose_b ? b_cols : b_rows)) {
    char text_a[BERTH_DIMS_TEXT], text_b[BERTH_DIMS_TEXT];
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Matrix size-incompatible: In[0]: %s, In[1]: %s",
                           berth_dims_text(a, text_a),
                           berth_dims_text(b, text_b));
  }
  gemm->a_row = flags->transpose_a ? 1 : a_cols;
  gemm->a_col = flags->transpose_a ? a_cols : 1;
  gemm->b_row = flags->transpose_b ? 1 : b_cols;
  gemm->b_col = flags->transpose_b ? b_cols : 1;
  gemm->c_row = gemm->n;
  gemm->conj_a = flags->conj_a;
  gemm->conj_b = flags->conj_b;
  product->a_size = a_rows * a_cols;
  product->b_size = b_rows * b_cols;
  return BERTH_OK;
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
static berth_code_t set_output(berth_prepare_t *prepare, berth_dims_t batch,
                               const berth_gemm_t *gemm, berth_error_t *err) {
  berth_shape_t *out = &prepare->op.outputs[0];
  int64_t count = 1;
  out->rank = 0;
  for (int32_t i = 0; i < batch.rank; ++i) {
    BERTH_TRY(berth_shape_push(out, &count, batch.dims[i], err));
  }
  BERTH_TRY(berth_shape_push(out, &count, gemm->m, err));
  BERTH_TRY(berth_shape_push(out, &count, gemm->n, err));
  return berth_value_check_size(berth_shape_dims(out), count,
                                prepare->op.inputs[0].dtype, err);
}

static berth_code_t finish(berth_prepare_t *prepare, berth_dims_t batch,
                           const flags_t *flags, berth_error_t *err) {
  berth_product_t *product = berth_prepare_plan(prepare, sizeof(*product));
  size_t rank = (size_t)batch.rank;
  int64_t *dims =
      berth_arena_calloc(prepare->op.arena, 3 * rank + 1, sizeof(*dims));
  if (product == NULL || dims == NULL) {
    return berth_error_no_memory(err, "the plan of a product");
  }
  BERTH_TRY(set_matrices(prepare, flags, product, err));
  BERTH_TRY(set_output(prepare, batch, &product->gemm, err));
  product->dtype = prepare->op.inputs[0].dtype;
  product->batch = berth_dims_count(batch);
  product->batch_rank = batch.rank;
  for (size_t i = 0; i < rank; ++i) dims[i] = batch.dims[i];
  berth_dims_t a = berth_op_input_dims(&prepare->op, 0);
  berth_dims_t b = berth_op_input_dims(&prepare->op, 1);
  a.rank -= 2;
  b.rank -= 2;
  set_steps(batch, a, dims + rank);
  set_steps(batch, b, dims + 2 * rank);
  product->batch_dims = dims;
  product->a_steps = dims + rank;
  product->b_steps = dims + 2 * rank;
  berth_product_prepare(product, prepare);
  return BERTH_OK;
}

static berth_code_t check_same_rank(const berth_prepare_t *prepare,
                                    berth_error_t *err) {
  berth_dims_t a = berth_op_input_dims(&prepare->op, 0);
  berth_dims_t b = berth_op_input_dims(&prepare->op, 1);
  if (a.rank == b.rank) return BERTH_OK;
  char text_a[BERTH_DIMS_TEXT], text_b[BERTH_DIMS_TEXT];
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "In[0] and In[1] has different ndims: %s vs. %s",
                         berth_dims_text(a, text_a),
                         berth_dims_text(b, text_b));
}

static berth_code_t matmul_prepare(berth_prepare_t *prepare,
                                   berth_error_t *err) {
  BERTH_TRY(check_same_rank(prepare, err));
  if (prepare->op.inputs[0].rank != 2) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "In[0] and In[1] ndims must be == 2: %d",
                           prepare->op.inputs[0].rank);
  }
  flags_t flags = {0};
  flags.transpose_a =
      berth_node_attr_bool(prepare->op.node, "transpose_a", false);
  flags.transpose_b =
      berth_node_attr_bool(prepare->op.node, "transpose_b", false);
  return finish(prepare, BERTH_SCALAR, &flags, err);
}

static flags_t adjoint_flags(const berth_prepare_t *prepare) {
  bool is_complex =
      berth_type_in(prepare->op.inputs[0].dtype, BERTH_TYPES_COMPLEX);
  flags_t flags = {0};
  flags.transpose_a = berth_node_attr_bool(prepare->op.node, "adj_x", false);
  flags.transpose_b = berth_node_attr_bool(prepare->op.node, "adj_y", false);
  flags.conj_a = is_complex && flags.transpose_a;
  flags.conj_b = is_complex && flags.transpose_b;
  return flags;
}

// BatchMatMul: both batches are the same.
static berth_code_t batch_prepare(berth_prepare_t *prepare,
                                  berth_error_t *err) {
  BERTH_TRY(check_same_rank(prepare, err));
  berth_dims_t a = berth_op_input_dims(&prepare->op, 0);
  berth_dims_t b = berth_op_input_dims(&prepare->op, 1);
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
  flags_t flags = adjoint_flags(prepare);
  return finish(prepare, (berth_dims_t){a.rank - 2, a.dims}, &flags, err);
}

// BatchMatMulV2: the batches are broadcast.
static berth_code_t broadcast_prepare(berth_prepare_t *prepare,
                                      berth_error_t *err) {
  berth_dims_t in[2];
  for (int i = 0; i < 2; ++i) {
    in[i] = berth_op_input_dims(&prepare->op, i);
    if (in[i].rank < 2) {
      return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                             "In[%d] ndims must be >= 2: %d", i, in[i].rank);
    }
  }
  berth_dims_t a = {in[0].rank - 2, in[0].dims};
  berth_dims_t b = {in[1].rank - 2, in[1].dims};
  // The output's own storage: a shape is large.
  berth_shape_t *batch = &prepare->op.outputs[0];
  if (!berth_dims_broadcast(a, b, batch)) {
    char text_a[BERTH_DIMS_TEXT], text_b[BERTH_DIMS_TEXT];
    return berth_error_set(
        err, BERTH_INVALID_ARGUMENT,
        "In[0] and In[1] must have compatible batch dimensions: %s vs. %s",
        berth_dims_text(in[0], text_a), berth_dims_text(in[1], text_b));
  }
  flags_t flags = adjoint_flags(prepare);
  return finish(prepare, berth_shape_dims(batch), &flags, err);
}

const berth_kernel_t berth_cpu_matmul_kernels[] = {
    {.op = "MatMul", .types = {{"T", TYPES}}, .prepare = matmul_prepare},
    {.op = "BatchMatMul", .types = {{"T", TYPES}}, .prepare = batch_prepare},
    {.op = "BatchMatMulV2",
     .types = {{"T", TYPES}},
     .prepare = broadcast_prepare},
    {.op = NULL},
};
