// diagonals.c - Ops that know the diagonals of matrices, and bands around them.
//
// Diagonal d of a matrix begins in its first row (d >= 0: d columns to the
// right) or its first column (d rows down). Several of them, from |upper| down
// to |lower|, are the rows of a matrix as long as the longest; the shorter ones
// lie at its left or right end:
//
//   1 2 3      diagonals -1 to 1,    6 2 -      superdiagonals left
//   4 5 6  ->  "LEFT_RIGHT"          1 5 9      and subdiagonals right
//   7 8 9                            - 4 8
#include <string.h>

#include "graph/shape_fn.h"
#include "graph/shape_value.h"
#include "op/layers.h"
#include "op/value.h"
#include "tensor/tensor.h"

// Which diagonals, of matrices of which size.
typedef struct band {
  int64_t lower, upper;
  int64_t rows, columns;
  int64_t longest;  // Of the diagonals.
  bool super_left, sub_left;
} band_t;

static int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }

static int64_t band_length(const band_t *band, int64_t d) {
  return smaller(band->rows + smaller(0, d), band->columns - larger(0, d));
}

// Where diagonal |d| begins in its row.
static int64_t band_offset(const band_t *band, int64_t d) {
  bool is_left = (d >= 0 && band->super_left) || (d <= 0 && band->sub_left);
  return is_left ? 0 : band->longest - band_length(band, d);
}

static void layers_init(berth_layers_t *layers, berth_dtype_t dtype) {
  layers->zeros = false;
  berth_moves_init(&layers->under, dtype);
  berth_moves_init(&layers->over, dtype);
}

// ---- Arguments ----

static void read_align(const berth_case_t *op, band_t *band) {
  const char *align = berth_node_attr_string(op->node, "align", "LEFT_LEFT");
  band->super_left = strncmp(align, "LEFT_", 5) == 0;
  band->sub_left =
      strlen(align) > 5 && strcmp(strchr(align, '_'), "_LEFT") == 0;
}

// Checks that input |at|, where there is one, is a scalar.
static berth_code_t check_scalar(const berth_case_t *op, int at,
                                 const char *text, berth_error_t *err) {
  if (op->input_count <= at || op->inputs[at].rank == 0) return BERTH_OK;
  return berth_error_set(err, BERTH_INVALID_ARGUMENT, "%s", text);
}

// Reads which diagonals input |at| says, where there is one.
static berth_code_t read_band(const berth_case_t *op, int at, band_t *band,
                              berth_error_t *err) {
  *band = (band_t){.super_left = true, .sub_left = true};
  if (op->input_count <= at) return BERTH_OK;
  const berth_case_input_t *k = &op->inputs[at];
  char text[BERTH_DIMS_TEXT];
  read_align(op, band);
  if (k->rank > 1) {
    return berth_error_set(
        err, BERTH_INVALID_ARGUMENT,
        "diag_index must be a scalar or vector, received shape: %s",
        berth_input_text(k, text));
  }
  if (k->count < 1) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Expected diag_index to have at least 1 element");
  }
  if (k->count > 2) {
    return berth_error_set(
        err, BERTH_INVALID_ARGUMENT,
        "diag_index must have only one or two elements, received %lld "
        "elements.",
        (long long)k->count);
  }
  band->lower = berth_value_int(k, 0);
  band->upper = berth_value_int(k, k->count - 1);
  if (band->lower > band->upper) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "lower_diag_index must not be larger than "
                           "upper_diag_index: %lld > %lld",
                           (long long)band->lower, (long long)band->upper);
  }
  return BERTH_OK;
}

static berth_code_t check_inside(const band_t *band, const char *stop,
                                 berth_error_t *err) {
  int64_t ends[2] = {band->lower, band->upper};
  for (int i = 0; i < 2; ++i) {
    if (ends[i] == 0 || (-band->rows < ends[i] && ends[i] < band->columns)) {
      continue;
    }
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "%s_diag_index is out of bound: %lld%s It must be "
                           "between %lld and %lld",
                           i == 0 ? "lower" : "upper", (long long)ends[i], stop,
                           (long long)-band->rows, (long long)band->columns);
  }
  return BERTH_OK;
}

// Reads the size of the matrices that input 0 of |op| is.
static berth_code_t read_matrix(const berth_case_t *op, band_t *band,
                                const char *stop, berth_error_t *err) {
  const berth_case_input_t *input = &op->inputs[0];
  char text[BERTH_DIMS_TEXT];
  if (input->rank < 2) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "input must be at least 2-dim, received shape: %s",
                           berth_input_text(input, text));
  }
  band->rows = input->dims[input->rank - 2];
  band->columns = input->dims[input->rank - 1];
  BERTH_TRY(check_inside(band, stop, err));
  band->longest = smaller(band->rows + smaller(band->upper, 0),
                          band->columns - larger(band->lower, 0));
  return BERTH_OK;
}

static berth_code_t check_diagonal(const berth_case_input_t *diagonal,
                                   berth_error_t *err) {
  char text[BERTH_DIMS_TEXT];
  if (diagonal->rank >= 1) return BERTH_OK;
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "diagonal must be at least 1-dim, received shape: %s",
                         berth_input_text(diagonal, text));
}

// ---- Moves ----

// Which arguments hold the matrices and the diagonals.
typedef struct sides {
  int matrix, diagonal;
  bool from_matrix;
} sides_t;

// Adds a move of diagonal |d| of |batch| matrices.
static berth_code_t diagonal_add(berth_case_t *op, berth_moves_t *moves,
                                 const band_t *band, int64_t batch, int64_t d,
                                 sides_t sides, berth_error_t *err) {
  int64_t length = band_length(band, d);
  if (length <= 0 || batch == 0) return BERTH_OK;
  int64_t count = band->upper - band->lower + 1;
  int64_t matrix_offset = d >= 0 ? d : -d * band->columns;
  int64_t diagonal_offset =
      (band->upper - d) * band->longest + band_offset(band, d);
  int64_t matrix_steps[2] = {band->rows * band->columns, band->columns + 1};
  int64_t diagonal_steps[2] = {count * band->longest, 1};
  berth_move_spec_t spec;
  bool out = sides.from_matrix;
  spec.rank = 2;
  spec.dims[0] = batch;
  spec.dims[1] = length;
  spec.from_offset = out ? matrix_offset : diagonal_offset;
  spec.to_offset = out ? diagonal_offset : matrix_offset;
  for (int i = 0; i < 2; ++i) {
    spec.from_steps[i] = out ? matrix_steps[i] : diagonal_steps[i];
    spec.to_steps[i] = out ? diagonal_steps[i] : matrix_steps[i];
  }
  return berth_moves_add(op, moves, &spec, out ? sides.matrix : sides.diagonal,
                         out ? sides.diagonal : sides.matrix, err);
}

static berth_code_t diagonals_add(berth_case_t *op, berth_moves_t *moves,
                                  const band_t *band, int64_t batch,
                                  sides_t sides, berth_error_t *err) {
  for (int64_t d = band->upper; d >= band->lower; --d) {
    BERTH_TRY(diagonal_add(op, moves, band, batch, d, sides, err));
  }
  return BERTH_OK;
}

// Adds a move that fills output 0, of |count| elements, with input |from|, one
// element, or all of it.
static berth_code_t cover(berth_case_t *op, berth_moves_t *moves, int from,
                          int64_t count, berth_error_t *err) {
  int64_t step = op->inputs[from].count == 1 ? 0 : 1;
  berth_move_spec_t spec = {1, 0, 0, {count}, {step}, {1}};
  return berth_moves_add(op, moves, &spec, from, op->input_count, err);
}

static int64_t batch_of(const int64_t *dims, int32_t rank) {
  int64_t batch = 1;
  for (int32_t i = 0; i < rank; ++i) batch *= dims[i];
  return batch;
}

// ---- Diag ----

berth_code_t berth_op_diag(berth_case_t *op, berth_layers_t *layers,
                           berth_error_t *err) {
  const berth_case_input_t *x = &op->inputs[0];
  berth_shape_t *shape = &op->outputs[0];
  int64_t count = 1;
  layers_init(layers, x->dtype);
  if (x->rank < 1) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Input must be at least rank 1, got 0");
  }
  shape->rank = 0;
  for (int32_t i = 0; i < 2 * x->rank; ++i) {
    BERTH_TRY(berth_shape_push(shape, &count, x->dims[i % x->rank], err));
  }
  BERTH_TRY(
      berth_value_check_size(berth_shape_dims(shape), count, x->dtype, err));
  layers->zeros = true;
  berth_move_spec_t spec = {1, 0, 0, {x->count}, {1}, {x->count + 1}};
  return berth_moves_add(op, &layers->over, &spec, 0, op->input_count, err);
}

// ---- MatrixDiag ----

static int64_t scalar_at(const berth_case_t *op, int at) {
  return op->input_count > at ? berth_value_int(&op->inputs[at], 0) : -1;
}

// Finds the size of the matrices: as asked for, or as small as can be.
static berth_code_t read_size(const berth_case_t *op, band_t *band,
                              berth_error_t *err) {
  int64_t least_rows = band->longest - smaller(band->upper, 0);
  int64_t least_columns = band->longest + larger(band->lower, 0);
  int64_t rows = scalar_at(op, 2), columns = scalar_at(op, 3);
  if (rows == -1 && columns == -1) {
    rows = columns = larger(least_rows, least_columns);
  } else if (rows == -1) {
    rows = least_rows;
  } else if (columns == -1) {
    columns = least_columns;
  }
  if (rows < least_rows || columns < least_columns) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "The number of %s is too small.",
                           rows < least_rows ? "rows" : "columns");
  }
  if (rows != least_rows && columns != least_columns) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "The number of rows or columns is not consistent "
                           "with the specified d_lower, d_upper, and "
                           "diagonal.");
  }
  band->rows = rows;
  band->columns = columns;
  return BERTH_OK;
}

berth_code_t berth_op_matrix_diag(berth_case_t *op, berth_layers_t *layers,
                                  berth_error_t *err) {
  const berth_case_input_t *diagonal = &op->inputs[0];
  band_t band;
  layers_init(layers, diagonal->dtype);
  BERTH_TRY(check_diagonal(diagonal, err));
  BERTH_TRY(read_band(op, 1, &band, err));
  BERTH_TRY(check_scalar(op, 2, "num_rows must be a scalar", err));
  BERTH_TRY(check_scalar(op, 3, "num_cols must be a scalar", err));
  BERTH_TRY(check_scalar(op, 4, "padding_value must be a scalar", err));
  int64_t several = band.upper - band.lower + 1;
  int32_t outer = diagonal->rank - (several > 1 ? 2 : 1);
  if (several > 1 && (outer < 0 || diagonal->dims[outer] != several)) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "The number of diagonals provided in the input does "
                           "not match the lower_diag_index and "
                           "upper_diag_index range.");
  }
  band.longest = diagonal->dims[diagonal->rank - 1];
  BERTH_TRY(read_size(op, &band, err));
  berth_shape_t *shape = &op->outputs[0];
  int64_t count = 1;
  shape->rank = 0;
  for (int32_t i = 0; i < outer; ++i) {
    BERTH_TRY(berth_shape_push(shape, &count, diagonal->dims[i], err));
  }
  int64_t batch = count;
  BERTH_TRY(berth_shape_push(shape, &count, band.rows, err));
  BERTH_TRY(berth_shape_push(shape, &count, band.columns, err));
  BERTH_TRY(berth_value_check_size(berth_shape_dims(shape), count,
                                   diagonal->dtype, err));
  layers->zeros = op->input_count < 5;
  if (!layers->zeros) BERTH_TRY(cover(op, &layers->under, 4, count, err));
  sides_t sides = {op->input_count, 0, false};
  return diagonals_add(op, &layers->over, &band, batch, sides, err);
}

// ---- MatrixDiagPart ----

berth_code_t berth_op_matrix_diag_part(berth_case_t *op, berth_layers_t *layers,
                                       berth_error_t *err) {
  const berth_case_input_t *input = &op->inputs[0];
  band_t band;
  layers_init(layers, input->dtype);
  BERTH_TRY(read_band(op, 1, &band, err));
  if (op->input_count > 2 && op->inputs[2].count != 1) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Padding must be scalar.");
  }
  BERTH_TRY(read_matrix(op, &band, ".", err));
  int64_t several = band.upper - band.lower + 1;
  berth_shape_t *shape = &op->outputs[0];
  int64_t count = 1;
  shape->rank = 0;
  for (int32_t i = 0; i < input->rank - 2; ++i) {
    BERTH_TRY(berth_shape_push(shape, &count, input->dims[i], err));
  }
  int64_t batch = count;
  if (several > 1) BERTH_TRY(berth_shape_push(shape, &count, several, err));
  BERTH_TRY(berth_shape_push(shape, &count, band.longest, err));
  BERTH_TRY(berth_value_check_size(berth_shape_dims(shape), count, input->dtype,
                                   err));
  if (several > 1) BERTH_TRY(cover(op, &layers->under, 2, count, err));
  sides_t sides = {0, op->input_count, true};
  return diagonals_add(op, &layers->over, &band, batch, sides, err);
}

// ---- MatrixSetDiag ----

// Checks that the diagonals are those of the matrices.
static berth_code_t check_set(const berth_case_t *op, const band_t *band,
                              berth_error_t *err) {
  const berth_case_input_t *input = &op->inputs[0];
  const berth_case_input_t *diagonal = &op->inputs[1];
  int64_t several = band->upper - band->lower + 1;
  if (several > 1 && (input->rank != diagonal->rank ||
                      diagonal->dims[diagonal->rank - 2] != several)) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "The number of diagonals provided in `diag` is not "
                           "consistent with `lower_diag_index` and "
                           "`upper_diag_index`");
  }
  int64_t dims[BERTH_MAX_RANK];
  int32_t rank = input->rank - 2;
  for (int32_t i = 0; i < rank; ++i) dims[i] = input->dims[i];
  if (several > 1) dims[rank++] = several;
  dims[rank++] = band->longest;
  berth_dims_t expected = {rank, dims};
  if (berth_dims_equal(expected, berth_case_input_dims(op, 1))) return BERTH_OK;
  char a[BERTH_DIMS_TEXT], b[BERTH_DIMS_TEXT], c[BERTH_DIMS_TEXT];
  return berth_error_set(
      err, BERTH_INVALID_ARGUMENT,
      "Either first dimensions of diagonal don't match input.shape[:-2], or "
      "diagonal.shape[:-1] is not equal to the longests diagonal in range "
      "[lower_diag_index:upper_diag_index].\nInput shape: %s\nDiagonal shape: "
      "%s\nExpected diagonal shape: %s",
      berth_input_text(input, a), berth_input_text(diagonal, b),
      berth_dims_text(expected, c));
}

berth_code_t berth_op_matrix_set_diag(berth_case_t *op, berth_layers_t *layers,
                                      berth_error_t *err) {
  const berth_case_input_t *input = &op->inputs[0];
  band_t band;
  layers_init(layers, input->dtype);
  BERTH_TRY(read_band(op, 2, &band, err));
  BERTH_TRY(read_matrix(op, &band, "", err));
  BERTH_TRY(check_diagonal(&op->inputs[1], err));
  BERTH_TRY(check_set(op, &band, err));
  berth_case_output(op, 0, berth_case_input_dims(op, 0));
  BERTH_TRY(cover(op, &layers->under, 0, input->count, err));
  int64_t batch = batch_of(input->dims, input->rank - 2);
  sides_t sides = {op->input_count, 1, false};
  return diagonals_add(op, &layers->over, &band, batch, sides, err);
}

// ---- MatrixBandPart ----

// Reads how far a band goes to one side; negative: to the end.
static berth_code_t read_width(const berth_case_t *op, int at, int64_t most,
                               int64_t *out_width, berth_error_t *err) {
  const berth_case_input_t *width = &op->inputs[at];
  const char *name = at == 1 ? "num_lower" : "num_upper";
  char text[BERTH_DIMS_TEXT];
  if (width->rank != 0) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "%s must be scalar, got shape %s", name,
                           berth_input_text(width, text));
  }
  *out_width = berth_value_int(width, 0);
  if (*out_width <= most) return BERTH_OK;
  return berth_error_set(
      err, BERTH_INVALID_ARGUMENT,
      "%s must be negative or less or equal to number of %s (%lld) got: %lld",
      name, at == 1 ? "rows" : "columns", (long long)most,
      (long long)*out_width);
}

berth_code_t berth_op_band(berth_case_t *op, int64_t *out_lower,
                           int64_t *out_upper, berth_error_t *err) {
  band_t band = {0};
  BERTH_TRY(read_matrix(op, &band, "", err));
  BERTH_TRY(read_width(op, 1, band.rows, out_lower, err));
  BERTH_TRY(read_width(op, 2, band.columns, out_upper, err));
  if (*out_lower < 0) *out_lower = band.rows;
  if (*out_upper < 0) *out_upper = band.columns;
  berth_case_output(op, 0, berth_case_input_dims(op, 0));
  return BERTH_OK;
}

berth_code_t berth_op_band_part(berth_case_t *op, berth_layers_t *layers,
                                berth_error_t *err) {
  const berth_case_input_t *input = &op->inputs[0];
  int64_t lower = 0, upper = 0;
  layers_init(layers, input->dtype);
  BERTH_TRY(berth_op_band(op, &lower, &upper, err));
  if (input->count == 0) return BERTH_OK;
  int64_t rows = input->dims[input->rank - 2];
  int64_t columns = input->dims[input->rank - 1];
  int64_t batch = batch_of(input->dims, input->rank - 2);
  layers->zeros = true;
  for (int64_t row = 0; row < rows; ++row) {
    int64_t first = larger(0, row - lower);
    int64_t end = smaller(columns, row + upper + 1);
    if (first >= end) continue;
    int64_t offset = row * columns + first;
    int64_t step = rows * columns;
    berth_move_spec_t spec = {2,         offset,   offset, {batch, end - first},
                              {step, 1}, {step, 1}};
    BERTH_TRY(
        berth_moves_add(op, &layers->over, &spec, 0, op->input_count, err));
  }
  return BERTH_OK;
}

// ---- Shapes of a graph ----

BERTH_INFER(diag) {
  berth_dims_t in = berth_shape_in(c, 0);
  BERTH_TRY(berth_shape_rank_at_least(in, 1, err));
  return berth_shape_join(c, in, in, &c->outputs[0], err);
}

BERTH_INFER(matrix_diag) {
  berth_dims_t in = berth_shape_in(c, 0);
  BERTH_TRY(berth_shape_rank_at_least(in, 1, err));
  if (in.rank < 0) return BERTH_OK;
  return berth_shape_join(c, in, berth_shape_slice(in, in.rank - 1, in.rank),
                          &c->outputs[0], err);
}

BERTH_INFER(matrix_diag_part) {
  berth_dims_t in = berth_shape_in(c, 0);
  BERTH_TRY(berth_shape_rank_at_least(in, 2, err));
  if (in.rank < 0) return BERTH_OK;
  int64_t rows = in.dims[in.rank - 2], columns = in.dims[in.rank - 1];
  int64_t least = rows < 0 || columns < 0 ? -1 : smaller(rows, columns);
  // A dimension of 0 is the smallest, whatever the other is.
  if (rows == 0 || columns == 0) least = 0;
  return berth_shape_replace(c, berth_shape_slice(in, 0, in.rank - 1),
                             in.rank - 2, least, &c->outputs[0], err);
}

BERTH_INFER(matrix_set_diag) {
  berth_dims_t in = berth_shape_in(c, 0), diagonal = berth_shape_in(c, 1);
  BERTH_TRY(berth_shape_rank_at_least(in, 2, err));
  BERTH_TRY(berth_shape_rank_at_least(diagonal, 1, err));
  c->outputs[0] = in;
  return BERTH_OK;
}

// Stores the ends of the band that the constant input |at| says; false when
// they are not known.
static berth_code_t infer_band(berth_shape_context_t *c, int at,
                               bool *out_is_known, int64_t *out_lower,
                               int64_t *out_upper, berth_error_t *err) {
  BERTH_TRY(berth_shape_rank_at_most(berth_shape_in(c, at), 1, err));
  const berth_tensor_t *value = berth_shape_value(c, at);
  *out_is_known = value != NULL;
  if (value == NULL) return BERTH_OK;
  if (value->count < 1 || value->count > 2) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           value->count < 1
                               ? "diag_index must have at least one element"
                               : "diag_index must have at most two elements");
  }
  *out_lower = berth_value_int_at(value, 0);
  *out_upper = berth_value_int_at(value, value->count - 1);
  if (*out_lower <= *out_upper) return BERTH_OK;
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "lower_diag_index is greater than upper_diag_index");
}

BERTH_INFER(matrix_diag_v2) {
  berth_dims_t in = berth_shape_in(c, 0), rest;
  bool is_known = false;
  int64_t lower = 0, upper = 0, rows = -1, columns = -1;
  BERTH_TRY(berth_shape_rank_at_least(in, 1, err));
  for (int i = 2; i < 5; ++i) {
    BERTH_TRY(berth_shape_with_rank(c, berth_shape_in(c, i), 0, NULL, err));
  }
  BERTH_TRY(infer_band(c, 1, &is_known, &lower, &upper, err));
  if (!is_known || in.rank < 0) return BERTH_OK;
  int64_t several = upper - lower + 1;
  int32_t outer = in.rank - (several > 1 ? 2 : 1);
  if (outer < 0) return BERTH_OK;
  int64_t longest = in.dims[in.rank - 1];
  bool has_rows = berth_shape_scalar(c, 2, &rows);
  bool has_columns = berth_shape_scalar(c, 3, &columns);
  int64_t least_rows = longest < 0 ? -1 : longest - smaller(upper, 0);
  int64_t least_columns = longest < 0 ? -1 : longest + larger(lower, 0);
  if (has_rows && has_columns && rows == -1 && columns == -1) {
    rows = columns = larger(least_rows, least_columns);
  }
  if (has_rows && has_columns && rows == -1) rows = least_rows;
  if (has_rows && has_columns && columns == -1) columns = least_columns;
  BERTH_TRY(berth_shape_unknown(c, outer + 2, &rest, err));
  int64_t *dims = (int64_t *)(uintptr_t)rest.dims;
  for (int32_t i = 0; i < outer; ++i) dims[i] = in.dims[i];
  dims[outer] = has_rows ? rows : -1;
  dims[outer + 1] = has_columns ? columns : -1;
  c->outputs[0] = rest;
  return BERTH_OK;
}

BERTH_INFER(matrix_diag_part_v2) {
  berth_dims_t in = berth_shape_in(c, 0), out;
  bool is_known = false;
  int64_t lower = 0, upper = 0;
  BERTH_TRY(berth_shape_rank_at_least(in, 2, err));
  BERTH_TRY(berth_shape_with_rank(c, berth_shape_in(c, 2), 0, NULL, err));
  BERTH_TRY(infer_band(c, 1, &is_known, &lower, &upper, err));
  if (!is_known || in.rank < 0) return BERTH_OK;
  int64_t several = upper - lower + 1;
  int32_t outer = in.rank - 2, rank = outer + (several > 1 ? 2 : 1);
  int64_t rows = in.dims[outer], columns = in.dims[outer + 1];
  BERTH_TRY(berth_shape_unknown(c, rank, &out, err));
  int64_t *dims = (int64_t *)(uintptr_t)out.dims;
  for (int32_t i = 0; i < outer; ++i) dims[i] = in.dims[i];
  if (several > 1) dims[outer] = several;
  if (rows >= 0 && columns >= 0) {
    dims[rank - 1] =
        smaller(rows + smaller(upper, 0), columns - larger(lower, 0));
  }
  c->outputs[0] = out;
  return BERTH_OK;
}
