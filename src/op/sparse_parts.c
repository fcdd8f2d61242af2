// sparse_parts.c - Sparse tensors that are joined, cut, put in order or filled:
// checks and shapes.
#include "op/sparse_parts.h"

#include "op/sparse_check.h"
#include "op/value.h"

#define INVALID(...) berth_error_set(err, BERTH_INVALID_ARGUMENT, __VA_ARGS__)

// ---- Joining and cutting ----

berth_code_t berth_op_sparse_concat(berth_case_t *op, berth_error_t *err) {
  int count = op->input_count / 3;
  char text[BERTH_DIMS_TEXT];
  static const struct {
    const char *name, *kind;
    int32_t rank;
  } parts[] = {{"indices", "matrix", 2},
               {"values", "vector", 1},
               {"shapes", "vector", 1}};
  for (int part = 0; part < 3; ++part) {
    for (int i = 0; i < count; ++i) {
      const berth_case_input_t *in = &op->inputs[part * count + i];
      if (in->rank == parts[part].rank) continue;
      return INVALID(
          "Input %s should be a %s but received shape %s at position "
          "%d",
          parts[part].name, parts[part].kind, berth_input_text(in, text), i);
    }
  }
  for (int i = 0; i < count; ++i) {
    const berth_case_input_t *at = &op->inputs[i];
    int64_t rank = op->inputs[2 * count].count;
    int64_t own = op->inputs[2 * count + i].count;
    if (own != rank) {
      return INVALID(
          "Ranks of all input tensors must match: expected %lld but "
          "got %lld at position %d",
          (long long)rank, (long long)own, i);
    }
    if (at->dims[0] != op->inputs[count + i].count) {
      return INVALID(
          "indices and values rows (indexing dimension) must match. "
          "(indices = %lld, values = %lld)",
          (long long)at->dims[0], (long long)op->inputs[count + i].count);
    }
    if (at->dims[1] != rank) {
      return INVALID("Order length must be SparseTensor rank.");
    }
  }
  return berth_sparse_makes_all(op);
}

berth_code_t berth_op_sparse_split(berth_case_t *op, berth_error_t *err) {
  const berth_case_input_t *in = op->inputs;
  char text[BERTH_DIMS_TEXT];
  if (in[0].count != 1) {
    return INVALID("Input axis should be a scalar but received shape %s",
                   berth_input_text(&in[0], text));
  }
  if (in[1].rank != 2) {
    return INVALID("Input indices should be a matrix but received shape %s",
                   berth_input_text(&in[1], text));
  }
  if (in[2].rank != 1) {
    // TensorFlow shows the shape of the places here.
    return INVALID("Input values should be a vector but received shape %s",
                   berth_input_text(&in[1], text));
  }
  if (in[3].rank != 1) {
    return INVALID("Input shape should be a vector but received shape %s",
                   berth_input_text(&in[3], text));
  }
  BERTH_TRY(berth_sparse_check(op, 1, err));
  return berth_sparse_makes_all(op);
}

berth_code_t berth_op_sparse_slice(berth_case_t *op, berth_error_t *err) {
  const berth_case_input_t *in = op->inputs;
  char text[BERTH_DIMS_TEXT];
  BERTH_TRY(berth_sparse_check(op, 0, err));
  for (int i = 3; i < 5; ++i) {
    const char *name = i == 3 ? "start" : "size";
    if (in[i].rank != 1) {
      return INVALID("Input %s should be a vector but received shape %s", name,
                     berth_input_text(&in[i], text));
    }
  }
  for (int i = 3; i < 5; ++i) {
    const char *name = i == 3 ? "start" : "size";
    if (in[i].count == in[2].count) continue;
    return INVALID(
        "Expected %s to be a vector of length %lld but got length "
        "%lld",
        name, (long long)in[2].count, (long long)in[i].count);
  }
  return berth_sparse_makes_all(op);
}

berth_code_t berth_op_sparse_slice_grad(berth_case_t *op, berth_error_t *err) {
  const berth_case_input_t *in = op->inputs;
  char a[BERTH_DIMS_TEXT], b[BERTH_DIMS_TEXT];
  if (in[0].rank != 1) {
    return INVALID(
        "Input backprop_val_grad should be a vector but received shape: %s",
        berth_input_text(&in[0], a));
  }
  if (in[1].rank != 2 || in[3].rank != 2) {
    return INVALID(
        "Input and output indices should be matrices but received "
        "shapes: %s and %s",
        berth_input_text(&in[1], a), berth_input_text(&in[3], b));
  }
  if (in[2].rank != 1) {
    return INVALID("The input_start should be a vector but received shape %s",
                   berth_input_text(&in[2], a));
  }
  if (in[2].count != in[1].dims[1]) {
    return INVALID(
        "Expected input_start to be a vector of length %lld but got "
        "length %lld",
        (long long)in[1].dims[1], (long long)in[2].count);
  }
  if (in[3].dims[1] != in[1].dims[1]) {
    return INVALID(
        "The input and output should have the same ndims: got: %lld "
        "and %lld",
        (long long)in[1].dims[1], (long long)in[3].dims[1]);
  }
  if (in[0].count != in[3].dims[0]) {
    return INVALID(
        "# elements of backprop_val_grad and # rows of "
        "output_indices should match (#nnz of sum): got %lld and "
        "%lld",
        (long long)in[0].count, (long long)in[3].dims[0]);
  }
  berth_case_output(op, 0, (berth_dims_t){1, in[1].dims});
  return BERTH_OK;
}

// ---- Order and shape ----

berth_code_t berth_op_sparse_reorder(berth_case_t *op, berth_error_t *err) {
  BERTH_TRY(berth_sparse_check(op, 0, err));
  berth_case_output(op, 0, berth_case_input_dims(op, 0));
  berth_case_output(op, 1, berth_case_input_dims(op, 1));
  return BERTH_OK;
}

berth_code_t berth_op_sparse_reshape(berth_case_t *op, berth_error_t *err) {
  const berth_case_input_t *in = op->inputs;
  char text[BERTH_DIMS_TEXT];
  if (in[0].rank != 2) return INVALID("Input must be a matrix.");
  if (in[1].rank != 1) return INVALID("Input shape must be a vector.");
  if (in[0].dims[1] != in[1].count) {
    return INVALID("Input tensor rank must match input shape length.");
  }
  if (in[2].rank != 1) {
    return INVALID("Target shape should be a vector but received shape %s",
                   berth_input_text(&in[2], text));
  }
  return berth_sparse_makes_all(op);
}

// ---- Rows that are filled ----

berth_code_t berth_op_sparse_fill_rows(berth_case_t *op, berth_error_t *err) {
  const berth_case_input_t *in = op->inputs;
  char text[BERTH_DIMS_TEXT];
  if (in[2].rank != 1) {
    return INVALID("dense_shape must be a vector, saw: %s",
                   berth_input_text(&in[2], text));
  }
  if (in[0].rank != 2) {
    return INVALID("indices must be a matrix, saw: %s",
                   berth_input_text(&in[0], text));
  }
  if (in[1].rank != 1) {
    return INVALID("values must be a vector, saw: %s",
                   berth_input_text(&in[1], text));
  }
  if (in[1].count != in[0].dims[0]) {
    return INVALID(
        "The length of `values` (%lld) must match the first "
        "dimension of `indices` (%lld).",
        (long long)in[1].count, (long long)in[0].dims[0]);
  }
  if (in[3].rank != 0) {
    return INVALID("default_value must be a scalar, saw: %s",
                   berth_input_text(&in[3], text));
  }
  if (in[2].count == 0) return INVALID("Dense shape cannot be empty.");
  if (in[0].dims[1] != in[2].count) {
    return INVALID(
        "The length of `dense_shape` (%lld) must match the second "
        "dimension of `indices` (%lld).",
        (long long)in[2].count, (long long)in[0].dims[1]);
  }
  return berth_sparse_makes_all(op);
}

berth_code_t berth_op_ragged_fill_rows(berth_case_t *op, berth_error_t *err) {
  static const char *const kinds[] = {
      "value_rowids must be a vector", "values must be a vector",
      "nrows must be a scalar", "default_value must be a scalar"};
  static const int order[] = {2, 0, 1, 3};
  const berth_case_input_t *in = op->inputs;
  char text[BERTH_DIMS_TEXT];
  for (int k = 0; k < 4; ++k) {
    int i = order[k];
    if (i == 3 && in[1].count != in[0].count) {
      return INVALID(
          "The length of `values` (%lld) must match the first dimension of "
          "`value_rowids` (%lld).",
          (long long)in[1].count, (long long)in[0].count);
    }
    if (in[i].rank == (i < 2 ? 1 : 0)) continue;
    return INVALID("%s, saw: %s", kinds[i], berth_input_text(&in[i], text));
  }
  return berth_sparse_makes_all(op);
}

berth_code_t berth_op_sparse_fill_grad(berth_case_t *op, berth_error_t *err) {
  char text[BERTH_DIMS_TEXT];
  for (int i = 0; i < 2; ++i) {
    if (op->inputs[i].rank == 1) continue;
    return INVALID("%s must be a vector, saw: %s",
                   i == 0 ? "reverse_index_map" : "grad_values",
                   berth_input_text(&op->inputs[i], text));
  }
  berth_case_output(op, 0, berth_case_input_dims(op, 0));
  berth_case_output(op, 1, (berth_dims_t){0, NULL});
  return BERTH_OK;
}

// ---- Shapes of a graph ----

BERTH_INFER(sparse_concat) {
  int count = berth_shape_inputs(c) / 3;
  berth_dims_t shape, all;
  int64_t rows = 0, columns = -1;
  BERTH_TRY(berth_shape_unknown(c, 1, &all, err));
  for (int i = 0; i < count; ++i) {
    BERTH_TRY(berth_shape_with_rank(c, berth_shape_in(c, i), 2, &shape, err));
    int64_t own = berth_shape_dim(shape, 0);
    BERTH_TRY(berth_shape_merge_dims(columns, berth_shape_dim(shape, 1),
                                     &columns, err));
    berth_dims_t values;
    BERTH_TRY(berth_shape_with_rank(c, berth_shape_in(c, count + i), 1, &values,
                                    err));
    BERTH_TRY(
        berth_shape_merge_dims(own, berth_shape_dim(values, 0), &own, err));
    rows = rows < 0 || own < 0 ? -1 : rows + own;
    BERTH_TRY(berth_shape_with_rank(c, berth_shape_in(c, 2 * count + i), 1,
                                    &shape, err));
    BERTH_TRY(berth_shape_merge(c, all, shape, &all, err));
  }
  BERTH_TRY(berth_sparse_matrix(c, 0, rows, columns, err));
  BERTH_TRY(berth_shape_set_vector(c, 1, rows, err));
  c->outputs[2] = all;
  return BERTH_OK;
}

BERTH_INFER(sparse_split) {
  int count = c->node->output_count / 3;
  berth_dims_t shape = berth_shape_in(c, 3);
  int64_t rank = shape.rank == 1 ? shape.dims[0] : -1;
  for (int i = 0; i < count; ++i) {
    BERTH_TRY(berth_sparse_matrix(c, i, -1, rank, err));
    BERTH_TRY(berth_shape_set_vector(c, count + i, -1, err));
    c->outputs[2 * count + i] = shape;
  }
  return BERTH_OK;
}

BERTH_INFER(sparse_slice) {
  berth_dims_t shape = berth_shape_in(c, 2);
  int64_t rank = shape.rank == 1 ? shape.dims[0] : -1;
  BERTH_TRY(berth_sparse_matrix(c, 0, -1, rank, err));
  BERTH_TRY(berth_shape_set_vector(c, 1, -1, err));
  c->outputs[2] = shape;
  return BERTH_OK;
}

BERTH_INFER(sparse_slice_grad) {
  BERTH_TRY(berth_sparse_ranks(c, "-2", err));
  return berth_shape_set_vector(c, 0, berth_shape_dim(berth_shape_in(c, 1), 0),
                                err);
}

BERTH_INFER(sparse_reorder) {
  BERTH_TRY(
      berth_shape_with_rank(c, berth_shape_in(c, 0), 2, &c->outputs[0], err));
  BERTH_TRY(
      berth_shape_with_rank(c, berth_shape_in(c, 1), 1, &c->outputs[1], err));
  return berth_sparse_ranks(c, "--1", err);
}

BERTH_INFER(sparse_reshape) {
  berth_dims_t in, shape;
  BERTH_TRY(berth_shape_with_rank(c, berth_shape_in(c, 0), 2, &in, err));
  BERTH_TRY(berth_sparse_ranks(c, "-1", err));
  BERTH_TRY(berth_shape_with_rank(c, berth_shape_in(c, 2), 1, &shape, err));
  BERTH_TRY(berth_sparse_matrix(c, 0, in.dims[0], shape.dims[0], err));
  c->outputs[1] = shape;
  return BERTH_OK;
}

BERTH_INFER(sparse_fill_rows) {
  berth_dims_t at, values, shape, dense;
  int64_t count = -1, rank = -1, rows = -1;
  BERTH_TRY(berth_shape_with_rank(c, berth_shape_in(c, 0), 2, &at, err));
  BERTH_TRY(berth_shape_with_rank(c, berth_shape_in(c, 1), 1, &values, err));
  BERTH_TRY(berth_shape_merge_dims(at.dims[0], values.dims[0], &count, err));
  BERTH_TRY(berth_shape_with_rank(c, berth_shape_in(c, 2), 1, &shape, err));
  BERTH_TRY(berth_shape_merge_dims(at.dims[1], shape.dims[0], &rank, err));
  BERTH_TRY(berth_sparse_ranks(c, "---0", err));
  BERTH_TRY(berth_shape_from_value(c, 2, &dense, err));
  if (dense.rank > 0) rows = dense.dims[0];
  BERTH_TRY(berth_sparse_matrix(c, 0, -1, rank, err));
  BERTH_TRY(berth_shape_set_vector(c, 1, -1, err));
  BERTH_TRY(berth_shape_set_vector(c, 2, rows, err));
  return berth_shape_set_vector(c, 3, count, err);
}

BERTH_INFER(sparse_fill_grad) {
  BERTH_TRY(
      berth_shape_with_rank(c, berth_shape_in(c, 0), 1, &c->outputs[0], err));
  BERTH_TRY(berth_sparse_ranks(c, "-1", err));
  c->outputs[1] = (berth_dims_t){0, NULL};
  return BERTH_OK;
}
