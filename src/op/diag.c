// diag.c - DiagPart: the diagonal of a matrix, or of a tensor whose dimensions
// are some and then the same again.
#include "graph/shape_fn.h"
#include "op/array.h"

static berth_code_t check_halves(const berth_case_input_t *x,
                                 berth_error_t *err) {
  char text[BERTH_DIMS_TEXT];
  if (x->rank % 2 != 0) {
    // TensorFlow's source breaks this text in the middle, and keeps the spaces.
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "The rank of the tensor should be %41s"
                           "even and positive, got shape %s",
                           "", berth_input_text(x, text));
  }
  int32_t half = x->rank / 2;
  for (int32_t i = 0; i < half; ++i) {
    if (x->dims[i] == x->dims[i + half]) continue;
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Invalid shape %s: dimensions %d and %d do not "
                           "match.",
                           berth_input_text(x, text), (int)i, (int)(i + half));
  }
  return BERTH_OK;
}

berth_code_t berth_op_diag_part(berth_case_t *op, berth_moves_t *moves,
                                berth_error_t *err) {
  const berth_case_input_t *x = &op->inputs[0];
  berth_moves_init(moves, x->dtype);
  BERTH_TRY(check_halves(x, err));
  int32_t half = x->rank / 2;
  berth_case_output(op, 0, (berth_dims_t){half, x->dims});
  if (x->count == 1) op->alias = 0;
  if (x->count <= 1) return BERTH_OK;
  // The halves are as the row and the column of a matrix.
  int64_t size = berth_dims_count(berth_shape_dims(&op->outputs[0]));
  berth_move_spec_t spec = {1, 0, 0, {size}, {size + 1}, {1}};
  return berth_moves_add(op, moves, &spec, 0, op->input_count, err);
}

// ---- Shapes of a graph ----

BERTH_INFER(diag_part) {
  berth_dims_t in = berth_shape_in(c, 0);
  if (in.rank < 0) return BERTH_OK;
  if (in.rank % 2 != 0 || in.rank == 0) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Input must have even and non-zero rank, input rank "
                           "is %d",
                           (int)in.rank);
  }
  int32_t half = in.rank / 2;
  int64_t *dims = berth_shape_room(c, half);
  if (dims == NULL) return berth_error_no_memory(err, "a shape");
  for (int32_t i = 0; i < half; ++i) {
    BERTH_TRY(
        berth_shape_merge_dims(in.dims[i], in.dims[i + half], &dims[i], err));
  }
  berth_shape_set_out(c, 0, (berth_dims_t){half, dims});
  return BERTH_OK;
}
