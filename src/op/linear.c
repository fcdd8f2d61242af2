// linear.c - MatrixInverse, MatrixSolve, determinants, Cholesky.
#include "op/linear.h"

#include <inttypes.h>
#include <string.h>

#include "graph/shape_fn.h"
#include "op/name.h"
#include "op/value.h"

// ---- One matrix ----

static berth_code_t check_square(const berth_case_t *op, berth_error_t *err) {
  const berth_case_input_t *a = &op->inputs[0];
  if (a->rank < 2) {
    bool is_lu = strcmp(op->node->op->name, "Lu") == 0;
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Input tensor%s must have rank >= 2, got %d",
                           is_lu ? "" : " 0", (int)a->rank);
  }
  if (a->dims[a->rank - 1] != a->dims[a->rank - 2]) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           op->input_count > 1
                               ? "First input (lhs) must be a square matrix."
                               : "Input matrix must be square.");
  }
  return BERTH_OK;
}

// ---- Two ----

static berth_code_t check_solve(const berth_case_t *op, berth_error_t *err) {
  const berth_case_input_t *a = &op->inputs[0], *b = &op->inputs[1];
  if (a->rank != b->rank) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "All input tensors must have the same rank.");
  }
  BERTH_TRY(check_square(op, err));
  for (int32_t i = 0; i < a->rank - 2; ++i) {
    if (a->dims[i] == b->dims[i]) continue;
    return berth_error_set(
        err, BERTH_INVALID_ARGUMENT,
        "All input tensors must have the same outer dimensions.");
  }
  if (a->dims[a->rank - 1] != b->dims[b->rank - 2]) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Input matrix and rhs are incompatible.");
  }
  return BERTH_OK;
}

static berth_code_t check_some(const berth_case_t *op, berth_error_t *err) {
  for (int i = 0; i < 2; ++i) {
    char text[BERTH_DIMS_TEXT];
    const berth_case_input_t *in = &op->inputs[i];
    if (in->count > 0) continue;
    return berth_error_set(
        err, BERTH_INVALID_ARGUMENT,
        "In[%d] must not be an empty tensor: Tensor<type: %s "
        "shape: %s values: >",
        i, berth_dtype_name(in->dtype), berth_input_text(in, text));
  }
  return BERTH_OK;
}

// Checks a triangle and right sides; of a triangle in bands there are any number
// of rows.
static berth_code_t check_triangle(const berth_case_t *op, bool is_banded,
                                   berth_error_t *err) {
  const berth_case_input_t *a = &op->inputs[0], *b = &op->inputs[1];
  char a_text[BERTH_DIMS_TEXT], b_text[BERTH_DIMS_TEXT];
  for (int i = 0; i < 2; ++i) {
    if (op->inputs[i].rank >= 2) continue;
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "In[%d] ndims must be >= 2: %d", i,
                           (int)op->inputs[i].rank);
  }
  int64_t rows = a->dims[a->rank - 2], columns = a->dims[a->rank - 1];
  if (is_banded) BERTH_TRY(check_some(op, err));
  if (rows != columns && !is_banded) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "In[0] matrices in the last dimensions must be "
                           "square (%lld =/= %lld)",
                           (long long)columns, (long long)rows);
  }
  if (columns != b->dims[b->rank - 2]) {
    return berth_error_set(
        err, BERTH_INVALID_ARGUMENT,
        "In[0] mismatch In[1] shape: %lld vs. %lld: %s %s %d %d",
        (long long)columns, (long long)b->dims[b->rank - 2],
        berth_input_text(a, a_text), berth_input_text(b, b_text),
        (int)berth_node_attr_bool(op->node, "lower", true),
        (int)berth_node_attr_bool(op->node, "adjoint", false));
  }
  return BERTH_OK;
}

// Sets the output of a solution, whose batch is that of both inputs.
static berth_code_t set_solution(berth_case_t *op, berth_linear_t *linear,
                                 berth_error_t *err) {
  const berth_case_input_t *a = &op->inputs[0], *b = &op->inputs[1];
  berth_dims_t batches[2] = {{a->rank - 2, a->dims}, {b->rank - 2, b->dims}};
  berth_shape_t *shape = &op->outputs[0];
  if (!berth_dims_broadcast(batches[0], batches[1], shape)) {
    char a_text[BERTH_DIMS_TEXT], b_text[BERTH_DIMS_TEXT];
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "In[0] and In[1] must have compatible batch "
                           "dimensions: %s vs. %s",
                           berth_input_text(a, a_text),
                           berth_input_text(b, b_text));
  }
  linear->batch = berth_dims_count(berth_shape_dims(shape));
  linear->columns = b->dims[b->rank - 1];
  linear->broadcasts = !berth_dims_equal(batches[0], batches[1]);
  if (linear->broadcasts && linear->batch > 0) {
    BERTH_TRY(berth_broadcast_make(batches, 2, berth_shape_dims(shape),
                                   op->arena, &linear->broadcast, err));
  }
  int64_t total = linear->batch;
  BERTH_TRY(berth_shape_push(shape, &total, linear->n, err));
  BERTH_TRY(berth_shape_push(shape, &total, linear->columns, err));
  return berth_value_check_size(berth_shape_dims(shape), total, b->dtype, err);
}

berth_code_t berth_op_linear(berth_case_t *op, berth_linear_t *out_linear,
                             berth_error_t *err) {
  const char *name = berth_op_plain_name(op->node->op->name);
  const berth_case_input_t *a = &op->inputs[0];
  bool is_banded = strcmp(name, "BandedTriangularSolve") == 0;
  bool is_triangle = is_banded || strcmp(name, "MatrixTriangularSolve") == 0;
  BERTH_TRY(is_triangle           ? check_triangle(op, is_banded, err)
            : op->input_count > 1 ? check_solve(op, err)
                                  : check_square(op, err));
  *out_linear = (berth_linear_t){
      .batch = 1, .n = a->dims[a->rank - 1], .is_triangle = is_triangle};
  if (is_banded) out_linear->bands = a->dims[a->rank - 2];
  if (op->input_count > 1) return set_solution(op, out_linear, err);
  for (int32_t i = 0; i < a->rank - 2; ++i) out_linear->batch *= a->dims[i];
  bool is_number = strstr(name, "Determinant") != NULL;
  for (int i = 0; i < op->output_count; ++i) {
    berth_case_output(
        op, i, (berth_dims_t){is_number ? a->rank - 2 : a->rank, a->dims});
  }
  if (strcmp(name, "Lu") == 0) {
    berth_case_output(op, 1, (berth_dims_t){a->rank - 1, a->dims});
  }
  return BERTH_OK;
}

// ---- Shapes of a graph ----

// Checks that the last two dimensions of |in| are equal.
static berth_code_t infer_square(berth_dims_t in, int64_t *out_n,
                                 berth_error_t *err) {
  BERTH_TRY(berth_shape_rank_at_least(in, 2, err));
  *out_n = -1;
  if (in.rank < 0) return BERTH_OK;
  return berth_shape_merge_dims(in.dims[in.rank - 2], in.dims[in.rank - 1],
                                out_n, err);
}

BERTH_INFER(square_matrix) {
  berth_dims_t in = berth_shape_in(c, 0);
  int64_t n = -1;
  BERTH_TRY(infer_square(in, &n, err));
  if (in.rank < 0) return BERTH_OK;
  int64_t last[2] = {n, n};
  return berth_shape_join(c, berth_shape_slice(in, 0, in.rank - 2),
                          (berth_dims_t){2, last}, &c->outputs[0], err);
}

BERTH_INFER(determinant) {
  berth_dims_t in = berth_shape_in(c, 0);
  int64_t n = -1;
  BERTH_TRY(infer_square(in, &n, err));
  for (int i = 0; in.rank >= 0 && i < c->node->output_count; ++i) {
    c->outputs[i] = berth_shape_slice(in, 0, in.rank - 2);
  }
  return BERTH_OK;
}

BERTH_INFER(matrix_solve) {
  berth_dims_t a = berth_shape_in(c, 0), b = berth_shape_in(c, 1), batch;
  int64_t n = -1;
  BERTH_TRY(infer_square(a, &n, err));
  BERTH_TRY(berth_shape_rank_at_least(b, 2, err));
  if (a.rank < 0 || b.rank < 0) return BERTH_OK;
  berth_dims_t a_batch = berth_shape_slice(a, 0, a.rank - 2);
  berth_dims_t b_batch = berth_shape_slice(b, 0, b.rank - 2);
  BERTH_TRY(strcmp(c->node->op->name, "MatrixSolve") == 0
                ? berth_shape_merge(c, a_batch, b_batch, &batch, err)
                : berth_shape_broadcast(c, a_batch, b_batch, &batch, err));
  int64_t last[2] = {-1, b.dims[b.rank - 1]};
  BERTH_TRY(berth_shape_merge_dims(n, b.dims[b.rank - 2], &last[0], err));
  return berth_shape_join(c, batch, (berth_dims_t){2, last}, &c->outputs[0],
                          err);
}

// Checks how many diagonals there are and rows they are of.
static berth_code_t check_bands(int64_t bands, int64_t rows,
                                berth_error_t *err) {
  if (bands == 0) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Number of bands must be positive, but is %" PRId64,
                           bands);
  }
  if (rows >= 0 && bands > rows) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Number of bands %" PRId64
                           " cannot exceed the size of the matrix %" PRId64,
                           bands, rows);
  }
  return BERTH_OK;
}

BERTH_INFER(banded_triangular_solve) {
  berth_dims_t a = berth_shape_in(c, 0), b = berth_shape_in(c, 1), batch;
  BERTH_TRY(berth_shape_rank_at_least(a, 2, err));
  BERTH_TRY(berth_shape_rank_at_least(b, 2, err));
  if (a.rank < 0 || b.rank < 0) return BERTH_OK;
  int64_t rows = a.dims[a.rank - 1];
  BERTH_TRY(check_bands(a.dims[a.rank - 2], rows, err));
  BERTH_TRY(berth_shape_broadcast(c, berth_shape_slice(a, 0, a.rank - 2),
                                  berth_shape_slice(b, 0, b.rank - 2), &batch,
                                  err));
  int64_t last[2] = {-1, b.dims[b.rank - 1]};
  BERTH_TRY(berth_shape_merge_dims(rows, b.dims[b.rank - 2], &last[0], err));
  return berth_shape_join(c, batch, (berth_dims_t){2, last}, &c->outputs[0],
                          err);
}
