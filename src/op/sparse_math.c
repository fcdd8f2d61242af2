// sparse_math.c - What is computed with sparse tensors: checks and shapes.
#include "op/sparse_math.h"

#include <string.h>

#include "graph/shape_fn.h"
#include "graph/shape_value.h"
#include "op/sparse_check.h"
#include "op/value.h"
#include "tensor/tensor.h"

#define INVALID(...) berth_error_set(err, BERTH_INVALID_ARGUMENT, __VA_ARGS__)

// ---- Products ----

berth_code_t berth_op_sparse_product(berth_case_t *op, berth_error_t *err) {
  const berth_case_input_t *at = &op->inputs[0], *values = &op->inputs[1];
  const berth_case_input_t *shape = &op->inputs[2], *b = &op->inputs[3];
  if (b->rank != 2) return INVALID("Tensor 'b' is not a matrix");
  if (shape->rank != 1) return INVALID("Tensor 'a_shape' is not a vector");
  if (shape->count != 2) {
    return INVALID("Tensor 'a_shape' must have 2 elements");
  }
  if (values->rank != 1) return INVALID("Tensor 'a_values' is not a vector");
  if (at->rank != 2) return INVALID("Tensor 'a_indices' is not a matrix");
  if (at->dims[0] != values->count) {
    return INVALID(
        "Number of rows of a_indices does not match number of entries in "
        "a_values");
  }
  if (at->dims[1] != shape->count) {
    return INVALID(
        "Number of columns of a_indices does not match number of entries in "
        "a_shape");
  }
  return berth_sparse_makes_all(op);
}

berth_code_t berth_sparse_product_sizes(const berth_node_t *node,
                                        const int64_t *shape, berth_dims_t b,
                                        int64_t out_sizes[3],
                                        berth_error_t *err) {
  bool turns_a = berth_node_attr_bool(node, "adjoint_a", false);
  bool turns_b = berth_node_attr_bool(node, "adjoint_b", false);
  out_sizes[0] = shape[turns_a ? 1 : 0];
  out_sizes[1] = shape[turns_a ? 0 : 1];
  out_sizes[2] = b.dims[turns_b ? 0 : 1];
  int64_t inner = b.dims[turns_b ? 1 : 0];
  if (out_sizes[1] == inner) return BERTH_OK;
  char text[BERTH_DIMS_TEXT];
  return INVALID(
      "Cannot multiply A and B because inner dimension does not match: %lld "
      "vs. %lld.  Did you forget a transpose?  Dimensions of A: [%lld, %lld).  "
      "Dimensions of B: %s",
      (long long)out_sizes[1], (long long)inner, (long long)out_sizes[0],
      (long long)out_sizes[1], berth_dims_text(b, text));
}

// ---- Element by element ----

// Checks one sparse tensor, as SparseDenseCwise and SparseSoftmax word it.
static berth_code_t check_parts(const berth_case_t *op, berth_error_t *err) {
  const berth_case_input_t *in = op->inputs;
  char a[BERTH_DIMS_TEXT], b[BERTH_DIMS_TEXT];
  if (in[0].rank != 2) {
    return INVALID("Input sp_indices should be a matrix but received shape: %s",
                   berth_input_text(&in[0], a));
  }
  if (in[1].rank != 1 || in[2].rank != 1) {
    return INVALID(
        "Inputs sp_values and sp_shape should be vectors but received shapes: "
        "%s and %s",
        berth_input_text(&in[1], a), berth_input_text(&in[2], b));
  }
  return BERTH_OK;
}

berth_code_t berth_op_sparse_cwise(berth_case_t *op, berth_error_t *err) {
  const berth_case_input_t *in = op->inputs;
  char text[BERTH_DIMS_TEXT];
  BERTH_TRY(check_parts(op, err));
  if (in[1].count != in[0].dims[0]) {
    return INVALID(
        "The first dimension of values and indices should match. (%lld vs. "
        "%lld)",
        (long long)in[1].count, (long long)in[0].dims[0]);
  }
  if (in[2].count != in[0].dims[1]) {
    return INVALID(
        "Number of dimensions must match second dimension of indices. Got "
        "%lld dimensions, indices shape: %s",
        (long long)in[2].count, berth_input_text(&in[0], text));
  }
  return berth_sparse_makes_all(op);
}

berth_code_t berth_op_sparse_dense_add(berth_case_t *op, berth_error_t *err) {
  const berth_case_input_t *in = op->inputs;
  char a[BERTH_DIMS_TEXT], b[BERTH_DIMS_TEXT];
  if (in[0].rank != 2) {
    return INVALID("Input a_indices should be a matrix but received shape: %s",
                   berth_input_text(&in[0], a));
  }
  if (in[1].rank != 1 || in[2].rank != 1) {
    return INVALID(
        "Inputs a_values and a_shape should be vectors but received shapes: "
        "%s and %s",
        berth_input_text(&in[1], a), berth_input_text(&in[2], b));
  }
  const int64_t own[2] = {in[1].count, in[2].count};
  for (int i = 0; i < 2; ++i) {
    if (in[0].dims[i] == own[i]) continue;
    return INVALID("Dimensions %lld and %lld are not compatible",
                   (long long)in[0].dims[i], (long long)own[i]);
  }
  if (in[2].count != in[3].rank) {
    return INVALID("Two operands have different ranks; received: %lld and %d",
                   (long long)in[2].count, (int)in[3].rank);
  }
  berth_case_output(op, 0, berth_case_input_dims(op, 3));
  return BERTH_OK;
}

// ---- Two sparse tensors ----

berth_code_t berth_op_sparse_add(berth_case_t *op, berth_error_t *err) {
  const berth_case_input_t *in = op->inputs;
  char a[BERTH_DIMS_TEXT], b[BERTH_DIMS_TEXT];
  if (in[0].rank != 2 || in[3].rank != 2) {
    return INVALID(
        "Input indices should be matrices but received shapes: %s and %s",
        berth_input_text(&in[0], a), berth_input_text(&in[3], b));
  }
  if (in[1].rank != 1 || in[4].rank != 1) {
    return INVALID(
        "Input values should be vectors but received shapes: %s and %s",
        berth_input_text(&in[1], a), berth_input_text(&in[4], b));
  }
  if (in[1].count != in[0].dims[0] || in[4].count != in[3].dims[0]) {
    return INVALID(
        "Expected %lld and %lld non-empty input values, got %lld and %lld",
        (long long)in[0].dims[0], (long long)in[3].dims[0],
        (long long)in[1].count, (long long)in[4].count);
  }
  if (in[0].dims[1] != in[3].dims[1]) {
    return INVALID(
        "Input indices must have the same dimension, got %lld and "
        "%lld",
        (long long)in[0].dims[1], (long long)in[3].dims[1]);
  }
  if (in[2].rank != 1 || in[5].rank != 1) {
    return INVALID(
        "Input shapes should be a vector but received shapes %s and "
        "%s",
        berth_input_text(&in[2], a), berth_input_text(&in[5], b));
  }
  if (in[2].count != in[0].dims[1] || in[5].count != in[2].count) {
    return INVALID(
        "Operands' should have the same rank; got ranks: %lld and "
        "%lld",
        (long long)in[2].count, (long long)in[5].count);
  }
  if (in[6].rank != 0) {
    return INVALID("The magnitude threshold must be a scalar: got shape %s",
                   berth_input_text(&in[6], a));
  }
  return berth_sparse_makes_all(op);
}

berth_code_t berth_op_sparse_add_grad(berth_case_t *op, berth_error_t *err) {
  const berth_case_input_t *in = op->inputs;
  char a[BERTH_DIMS_TEXT], b[BERTH_DIMS_TEXT], c[BERTH_DIMS_TEXT];
  if (in[1].rank != 2 || in[2].rank != 2 || in[3].rank != 2) {
    return INVALID(
        "Input indices should be matrices but received shapes: %s and %s and "
        "%s",
        berth_input_text(&in[1], a), berth_input_text(&in[2], b),
        berth_input_text(&in[3], c));
  }
  if (in[0].rank != 1) {
    return INVALID(
        "Input backprop_val_grad should be a vector but received shape: %s",
        berth_input_text(&in[0], a));
  }
  if (in[1].dims[1] != in[2].dims[1] || in[2].dims[1] != in[3].dims[1]) {
    return INVALID(
        "The densified operands should have the same ndims; for A, "
        "B, sum got: %lld%lld%lld",
        (long long)in[1].dims[1], (long long)in[2].dims[1],
        (long long)in[3].dims[1]);
  }
  if (in[0].count != in[3].dims[0]) {
    return INVALID(
        "# elements of backprop_val_grad and # rows of sum_indices "
        "should match (#nnz of sum): got %lld and %lld",
        (long long)in[0].count, (long long)in[3].dims[0]);
  }
  berth_case_output(op, 0, (berth_dims_t){1, in[1].dims});
  berth_case_output(op, 1, (berth_dims_t){1, in[2].dims});
  return BERTH_OK;
}

berth_code_t berth_op_sparse_extreme(berth_case_t *op, berth_error_t *err) {
  BERTH_TRY(berth_sparse_check(op, 0, err));
  BERTH_TRY(berth_sparse_check(op, 3, err));
  return berth_sparse_makes_all(op);
}

// ---- Along axes ----

// Checks the parts as TensorFlow's class of sparse tensors does.
static berth_code_t check_made(const berth_case_t *op, berth_error_t *err) {
  const berth_case_input_t *in = op->inputs;
  char text[BERTH_DIMS_TEXT];
  if (in[0].rank != 2) {
    return INVALID("indices must be a matrix, but got: %s",
                   berth_input_text(&in[0], text));
  }
  if (in[1].rank != 1) {
    return INVALID("vals must be a vec, but got: %s",
                   berth_input_text(&in[1], text));
  }
  if (in[0].dims[0] != in[1].count) {
    return INVALID(
        "indices and values rows (indexing dimension) must match. "
        "(indices = %lld, values = %lld)",
        (long long)in[0].dims[0], (long long)in[1].count);
  }
  if (in[0].dims[1] != in[2].count) {
    return INVALID("Order length must be SparseTensor rank.");
  }
  return BERTH_OK;
}

berth_code_t berth_op_sparse_reduce(berth_case_t *op, berth_error_t *err) {
  char text[BERTH_DIMS_TEXT];
  if (op->inputs[2].rank != 1) {
    return INVALID("Expected input_shape to be a vector; got shape: %s",
                   berth_input_text(&op->inputs[2], text));
  }
  BERTH_TRY(check_made(op, err));
  return berth_sparse_makes_all(op);
}

berth_code_t berth_op_sparse_softmax(berth_case_t *op, berth_error_t *err) {
  BERTH_TRY(check_parts(op, err));
  BERTH_TRY(check_made(op, err));
  berth_case_output(op, 0, berth_case_input_dims(op, 1));
  return BERTH_OK;
}

// ---- Shapes of a graph ----

BERTH_INFER(sparse_product) {
  berth_dims_t shape, b;
  bool turns_a = berth_node_attr_bool(c->node, "adjoint_a", false);
  bool turns_b = berth_node_attr_bool(c->node, "adjoint_b", false);
  int64_t inner = -1;
  BERTH_TRY(berth_sparse_ranks(c, "21", err));
  BERTH_TRY(berth_shape_with_rank(c, berth_shape_in(c, 3), 2, &b, err));
  BERTH_TRY(berth_shape_from_value(c, 2, &shape, err));
  BERTH_TRY(berth_shape_with_rank(c, shape, 2, &shape, err));
  BERTH_TRY(berth_shape_merge_dims(shape.dims[turns_a ? 0 : 1],
                                   b.dims[turns_b ? 1 : 0], &inner, err));
  return berth_sparse_matrix(c, 0, shape.dims[turns_a ? 1 : 0],
                             b.dims[turns_b ? 0 : 1], err);
}

BERTH_INFER(sparse_cwise) {
  BERTH_TRY(berth_sparse_ranks(c, "2", err));
  return berth_shape_set_vector(c, 0, berth_shape_dim(berth_shape_in(c, 0), 0),
                                err);
}

BERTH_INFER(sparse_dense_add) {
  (void)err;
  c->outputs[0] = berth_shape_in(c, 3);
  return BERTH_OK;
}

BERTH_INFER(sparse_add) {
  BERTH_TRY(berth_sparse_ranks(c, "--1", err));
  BERTH_TRY(berth_sparse_matrix(c, 0, -1,
                                berth_shape_dim(berth_shape_in(c, 2), 0), err));
  BERTH_TRY(berth_shape_set_vector(c, 1, -1, err));
  return berth_shape_set_vector(c, 2, berth_shape_dim(berth_shape_in(c, 2), 0),
                                err);
}

BERTH_INFER(sparse_add_grad) {
  BERTH_TRY(berth_sparse_ranks(c, "-22", err));
  for (int i = 0; i < 2; ++i) {
    int64_t rows = berth_shape_dim(berth_shape_in(c, i + 1), 0);
    BERTH_TRY(berth_shape_set_vector(c, i, rows, err));
  }
  return BERTH_OK;
}

BERTH_INFER(sparse_extreme) {
  BERTH_TRY(berth_sparse_ranks(c, "211211", err));
  BERTH_TRY(berth_sparse_matrix(c, 0, -1, -1, err));
  return berth_shape_set_vector(c, 1, -1, err);
}

BERTH_INFER(sparse_softmax) {
  berth_dims_t values;
  BERTH_TRY(berth_sparse_ranks(c, "2-1", err));
  BERTH_TRY(berth_shape_with_rank(c, berth_shape_in(c, 1), 1, &values, err));
  c->outputs[0] = values;
  return BERTH_OK;
}

// What is left of the shape when both it and the axes are constants.
BERTH_INFER(sparse_reduce) {
  const berth_tensor_t *shape = berth_shape_value(c, 2);
  const berth_tensor_t *axes = berth_shape_value(c, 3);
  bool keeps = berth_node_attr_bool(c->node, "keep_dims", false);
  bool is_reduced[BERTH_MAX_RANK] = {false};
  if (shape == NULL || axes == NULL) return BERTH_OK;
  int64_t count = shape->count;
  if (count < 1 || count > BERTH_MAX_RANK) {
    return INVALID("Number of dims in shape tensor must not be 0.");
  }
  int64_t *dims = berth_shape_room(c, (int32_t)count);
  if (dims == NULL) return berth_error_no_memory(err, "a shape");
  for (int64_t i = 0; i < axes->count; ++i) {
    int64_t axis = (berth_value_int_at(axes, i) + count) % count;
    if (axis >= 0) is_reduced[axis] = true;
  }
  int32_t rank = 0;
  for (int32_t i = 0; i < count; ++i) {
    if (!is_reduced[i]) {
      dims[rank++] = berth_value_int_at(shape, i);
    } else if (keeps) {
      dims[rank++] = 1;
    }
  }
  c->outputs[0] = (berth_dims_t){rank, dims};
  return BERTH_OK;
}
