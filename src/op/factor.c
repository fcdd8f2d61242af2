// factor.c - Decompositions of matrices, and functions made of them.
#include "op/factor.h"

#include <string.h>

#include "graph/shape_fn.h"
#include "op/name.h"
#include "op/value.h"

typedef struct kind {
  const char *op;
  berth_factor_kind_t kind;
} kind_t;

static const kind_t kinds[] = {
    {"Qr", BERTH_FACTOR_QR},
    {"Svd", BERTH_FACTOR_SVD},
    {"SelfAdjointEigV2", BERTH_FACTOR_EIGH},
    {"SelfAdjointEig", BERTH_FACTOR_EIGH},
    {"Eig", BERTH_FACTOR_EIG},
    {"MatrixSquareRoot", BERTH_FACTOR_ROOT},
    {"MatrixLogarithm", BERTH_FACTOR_LOG},
    {"MatrixExponential", BERTH_FACTOR_EXP},
    {"MatrixSolveLs", BERTH_FACTOR_LEAST},
    {"CholeskyGrad", BERTH_FACTOR_CHOLESKY},
    {"TridiagonalSolve", BERTH_FACTOR_THREE},
    {"TridiagonalMatMul", BERTH_FACTOR_THREE_MUL},
};

static berth_factor_kind_t kind_of(const char *op) {
  const kind_t *kind = kinds;
  while (strcmp(kind->op, op) != 0) ++kind;
  return kind->kind;
}

static berth_code_t fail(const char *text, berth_error_t *err) {
  return berth_error_set(err, BERTH_INVALID_ARGUMENT, "%s", text);
}

// ---- Checks ----

static berth_code_t check_ranks(const berth_case_t *op, int count,
                                berth_error_t *err) {
  const berth_case_input_t *in = op->inputs;
  for (int i = 1; i < count; ++i) {
    if (in[i].rank == in[0].rank) continue;
    return fail("All input tensors must have the same rank.", err);
  }
  if (in[0].rank < 2) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Input tensor 0 must have rank >= 2, got %d",
                           (int)in[0].rank);
  }
  for (int i = 1; i < count; ++i) {
    for (int32_t k = 0; k < in[0].rank - 2; ++k) {
      if (in[i].dims[k] == in[0].dims[k]) continue;
      return fail("All input tensors must have the same outer dimensions.",
                  err);
    }
  }
  return BERTH_OK;
}

static const int64_t *last_two(const berth_case_input_t *input) {
  return input->dims + input->rank - 2;
}

static berth_code_t check_least(const berth_case_t *op, berth_factor_t *factor,
                                berth_error_t *err) {
  const berth_case_input_t *l2 = &op->inputs[2];
  char text[BERTH_DIMS_TEXT];
  if (l2->rank != 0) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "l2_regularizer must be scalar, got shape %s",
                           berth_input_text(l2, text));
  }
  if (last_two(&op->inputs[1])[0] != factor->m) {
    return fail("Input matrix and rhs are incompatible.", err);
  }
  if (*(const double *)l2->value < 0) {
    return fail("l2_regularizer must be >= 0.", err);
  }
  factor->columns = last_two(&op->inputs[1])[1];
  return BERTH_OK;
}

static berth_code_t check_cholesky(const berth_case_t *op,
                                   const berth_factor_t *factor,
                                   berth_error_t *err) {
  const int64_t *grad = last_two(&op->inputs[1]);
  if (factor->m != grad[0] || factor->n != grad[1]) {
    return fail("Inputs (L and grad) must have the same shape.", err);
  }
  return factor->m == factor->n
             ? BERTH_OK
             : fail("Inputs must be a square matrices.", err);
}

static berth_code_t check_three(const berth_case_t *op, berth_factor_t *factor,
                                berth_error_t *err) {
  const int64_t *right = last_two(&op->inputs[1]);
  bool turns = berth_node_attr_bool(op->node, "partial_pivoting", true);
  bool perturbs = berth_node_attr_bool(op->node, "perturb_singular", false);
  if (perturbs && !turns) {
    return fail(
        "Setting perturb_singular requires also setting "
        "partial_pivoting.",
        err);
  }
  if (factor->m != 3) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Expected diagonals to be provided as a matrix with "
                           "3 rows, got %lld rows.",
                           (long long)factor->m);
  }
  if (factor->n != right[0]) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Expected the same number of left-hand sides and "
                           "right-hand sides, got %lld and %lld.",
                           (long long)factor->n, (long long)right[0]);
  }
  factor->columns = right[1];
  return BERTH_OK;
}

static berth_code_t check_product(const berth_case_t *op,
                                  berth_factor_t *factor, berth_error_t *err) {
  static const char *const names[] = {"superdiagonal", "main diagonal",
                                      "subdiagonal"};
  const int64_t *right = last_two(&op->inputs[3]);
  for (int i = 0; i < 3; ++i) {
    const int64_t *dims = last_two(&op->inputs[i]);
    if (dims[0] == 1 && dims[1] == right[0]) continue;
    return berth_error_set(err, BERTH_INVALID_ARGUMENT, "Invalid %s shape.",
                           names[i]);
  }
  factor->n = right[0];
  factor->columns = right[1];
  return BERTH_OK;
}

static berth_code_t check_more(const berth_case_t *op, berth_factor_t *factor,
                               berth_error_t *err) {
  switch (factor->kind) {
    case BERTH_FACTOR_QR:
    case BERTH_FACTOR_SVD:
      return BERTH_OK;
    case BERTH_FACTOR_LEAST:
      return check_least(op, factor, err);
    case BERTH_FACTOR_CHOLESKY:
      return check_cholesky(op, factor, err);
    case BERTH_FACTOR_THREE:
      return check_three(op, factor, err);
    case BERTH_FACTOR_THREE_MUL:
      return check_product(op, factor, err);
    default:
      return factor->m == factor->n ? BERTH_OK
                                    : fail("Input matrix must be square.", err);
  }
}

// ---- Outputs ----

// Sets output |index| to the batch and one or two dimensions, -1: not there.
static void set_output(berth_case_t *op, int index, int64_t rows,
                       int64_t columns) {
  int64_t dims[BERTH_MAX_RANK];
  int32_t rank = op->inputs[0].rank - 2;
  memcpy(dims, op->inputs[0].dims, (size_t)rank * sizeof(*dims));
  dims[rank++] = rows;
  if (columns >= 0) dims[rank++] = columns;
  berth_case_output(op, index, (berth_dims_t){rank, dims});
}

static void set_outputs(berth_case_t *op, const berth_factor_t *factor) {
  int64_t m = factor->m, n = factor->n, least = m < n ? m : n;
  int64_t q = factor->is_full ? m : least;
  switch (factor->kind) {
    case BERTH_FACTOR_QR:
      set_output(op, 0, m, q);
      set_output(op, 1, q, n);
      return;
    case BERTH_FACTOR_SVD:
    case BERTH_FACTOR_EIGH:
    case BERTH_FACTOR_EIG:
      if (op->output_count == 1) {  // Values, and vectors below.
        set_output(op, 0, n + 1, n);
        return;
      }
      set_output(op, 0, least, -1);
      for (int i = 1; i < op->output_count; ++i) {
        if (factor->has_vectors) {
          int64_t rows = i == 1 ? m : n;
          set_output(op, i, rows, factor->is_full ? rows : least);
        } else {
          berth_case_output(op, i, BERTH_SCALAR);
        }
      }
      return;
    case BERTH_FACTOR_LEAST:
    case BERTH_FACTOR_THREE:
    case BERTH_FACTOR_THREE_MUL:
      set_output(op, 0, n, factor->columns);
      return;
    default:
      set_output(op, 0, n, n);
      return;
  }
}

berth_code_t berth_op_factor(berth_case_t *op, berth_factor_t *out_factor,
                             berth_error_t *err) {
  berth_factor_t made = {.kind = kind_of(berth_op_plain_name(op->node->op->name)), .batch = 1};
  const berth_case_input_t *a = &op->inputs[0];
  int matrices = made.kind == BERTH_FACTOR_LEAST ? 2 : op->input_count;
  BERTH_TRY(check_ranks(op, matrices, err));
  made.m = last_two(a)[0];
  made.n = last_two(a)[1];
  BERTH_TRY(check_more(op, &made, err));
  made.is_full = berth_node_attr_bool(op->node, "full_matrices", false);
  made.has_vectors = berth_node_attr_bool(op->node, "compute_uv", true) &&
                     berth_node_attr_bool(op->node, "compute_v", true);
  for (int32_t i = 0; i < a->rank - 2; ++i) made.batch *= a->dims[i];
  set_outputs(op, &made);
  *out_factor = made;
  return BERTH_OK;
}

// ---- Shapes of a graph ----

// Splits |in| into the batch and its last two dimensions, -1 where unknown.
static berth_code_t split_matrix(berth_dims_t in, berth_dims_t *batch,
                                 int64_t last[2], berth_error_t *err) {
  BERTH_TRY(berth_shape_rank_at_least(in, 2, err));
  *batch = (berth_dims_t){.rank = -1};
  last[0] = last[1] = -1;
  if (in.rank < 0) return BERTH_OK;
  *batch = berth_shape_slice(in, 0, in.rank - 2);
  memcpy(last, in.dims + in.rank - 2, 2 * sizeof(*last));
  return BERTH_OK;
}

// Sets output |index| to |batch| and then |rows| by |columns|, -2: not there.
static berth_code_t join(berth_shape_context_t *c, int index,
                         berth_dims_t batch, int64_t rows, int64_t columns,
                         berth_error_t *err) {
  int64_t last[2] = {rows, columns};
  return berth_shape_join(c, batch, (berth_dims_t){columns == -2 ? 1 : 2, last},
                          &c->outputs[index], err);
}

static int64_t least_of(int64_t a, int64_t b) {
  if (a == 0 || b == 0) return 0;
  if (a < 0 || b < 0) return -1;
  return a < b ? a : b;
}

BERTH_INFER(qr) {
  berth_dims_t batch;
  int64_t last[2];
  BERTH_TRY(split_matrix(berth_shape_in(c, 0), &batch, last, err));
  int64_t q = berth_node_attr_bool(c->node, "full_matrices", false)
                  ? last[0]
                  : least_of(last[0], last[1]);
  BERTH_TRY(join(c, 0, batch, last[0], q, err));
  return join(c, 1, batch, q, last[1], err);
}

BERTH_INFER(svd) {
  berth_dims_t batch;
  int64_t last[2];
  BERTH_TRY(split_matrix(berth_shape_in(c, 0), &batch, last, err));
  int64_t least = least_of(last[0], last[1]);
  BERTH_TRY(join(c, 0, batch, least, -2, err));
  bool is_full = berth_node_attr_bool(c->node, "full_matrices", false);
  bool has_vectors = berth_node_attr_bool(c->node, "compute_uv", true);
  for (int i = 1; i < 3; ++i) {
    if (!has_vectors) {
      BERTH_TRY(berth_shape_set_vector(c, i, 0, err));
    } else {
      BERTH_TRY(
          join(c, i, batch, last[i - 1], is_full ? last[i - 1] : least, err));
    }
  }
  return BERTH_OK;
}

// Of a square matrix: values, and vectors where they are wanted.
BERTH_INFER(eigen) {
  berth_dims_t batch;
  int64_t last[2], n = -1;
  BERTH_TRY(split_matrix(berth_shape_in(c, 0), &batch, last, err));
  BERTH_TRY(berth_shape_merge_dims(last[0], last[1], &n, err));
  BERTH_TRY(join(c, 0, batch, n, -2, err));
  if (!berth_node_attr_bool(c->node, "compute_v", true)) {
    return berth_shape_set_vector(c, 1, 0, err);
  }
  return join(c, 1, batch, n, n, err);
}

// Of a square matrix: a row of values, and vectors below.
BERTH_INFER(eigen_rows) {
  berth_dims_t batch;
  int64_t last[2], n = -1;
  BERTH_TRY(split_matrix(berth_shape_in(c, 0), &batch, last, err));
  BERTH_TRY(berth_shape_merge_dims(last[0], last[1], &n, err));
  return join(c, 0, batch, n < 0 ? n : n + 1, n, err);
}

BERTH_INFER(lu) {
  berth_dims_t batch;
  int64_t last[2], n = -1;
  BERTH_TRY(split_matrix(berth_shape_in(c, 0), &batch, last, err));
  BERTH_TRY(berth_shape_merge_dims(last[0], last[1], &n, err));
  BERTH_TRY(join(c, 0, batch, n, n, err));
  return join(c, 1, batch, n, -2, err);
}

BERTH_INFER(least_squares) {
  berth_dims_t batches[2], batch;
  int64_t a[2], b[2], rows = -1;
  BERTH_TRY(berth_shape_with_rank(c, berth_shape_in(c, 2), 0, NULL, err));
  BERTH_TRY(split_matrix(berth_shape_in(c, 0), &batches[0], a, err));
  BERTH_TRY(split_matrix(berth_shape_in(c, 1), &batches[1], b, err));
  BERTH_TRY(berth_shape_merge(c, batches[0], batches[1], &batch, err));
  BERTH_TRY(berth_shape_merge_dims(a[0], b[0], &rows, err));
  return join(c, 0, batch, a[1], b[1], err);
}

// TridiagonalSolve and TridiagonalMatMul: diagonals as rows of one input, or one
// each of several.
BERTH_INFER(tridiagonal) {
  int right = berth_shape_inputs(c) - 1;
  berth_dims_t batches[2], batch, diagonals = berth_shape_in(c, 0);
  int64_t a[2], b[2], n = -1;
  for (int i = 1; i < right; ++i) {
    BERTH_TRY(
        berth_shape_merge(c, diagonals, berth_shape_in(c, i), &diagonals, err));
  }
  BERTH_TRY(split_matrix(diagonals, &batches[0], a, err));
  BERTH_TRY(split_matrix(berth_shape_in(c, right), &batches[1], b, err));
  BERTH_TRY(berth_shape_merge(c, batches[0], batches[1], &batch, err));
  BERTH_TRY(berth_shape_check_dim(a[0], right > 1 ? 1 : 3, err));
  BERTH_TRY(berth_shape_merge_dims(a[1], b[0], &n, err));
  return join(c, 0, batch, n, b[1], err);
}
