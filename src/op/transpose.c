// transpose.c - Transpose.
#include "graph/shape_fn.h"
#include "graph/shape_value.h"
#include "op/array.h"
#include "op/value.h"

// Says which dimension is missing from a permutation that repeats another.
static berth_code_t fail_missing(const int32_t *perm, int32_t rank,
                                 int32_t missing, berth_error_t *err) {
  berth_str_t text = {0};
  for (int32_t i = 0; i < rank; ++i) {
    berth_str_printf(&text, "%s%d", i > 0 ? "," : "", (int)perm[i]);
  }
  berth_code_t code =
      berth_error_set(err, BERTH_INVALID_ARGUMENT, "%d is missing from {%s}.",
                      (int)missing, berth_str_get(&text));
  berth_str_clear(&text);
  return code;
}

static berth_code_t read_perm(const berth_case_t *op, int32_t *perm,
                              berth_error_t *err) {
  const berth_case_input_t *input = &op->inputs[1];
  int32_t rank = op->inputs[0].rank;
  if (input->rank != 1) {
    char text[BERTH_DIMS_TEXT];
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "perm must be rank 1, got shape %s",
                           berth_input_text(input, text));
  }
  if (input->count != rank) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "transpose expects a vector of size %d. But "
                           "input(1) is a vector of size %lld",
                           (int)rank, (long long)input->count);
  }
  bool seen[BERTH_MAX_RANK] = {false};
  for (int32_t i = 0; i < rank; ++i) {
    int64_t dim = berth_value_int(input, i);
    if (dim < 0) dim += rank;
    if (dim < 0 || dim >= rank) {
      return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                             "%lld is out of range [0 .. %d)", (long long)dim,
                             (int)rank);
    }
    perm[i] = (int32_t)dim;
    seen[dim] = true;
  }
  for (int32_t i = 0; i < rank; ++i) {
    if (!seen[i]) return fail_missing(perm, rank, i, err);
  }
  return BERTH_OK;
}

// True when only dimensions of one change places.
static bool keeps_order(const berth_case_input_t *x, const int32_t *perm) {
  int32_t last = -1;
  for (int32_t i = 0; i < x->rank; ++i) {
    if (x->dims[perm[i]] == 1) continue;
    if (perm[i] < last) return false;
    last = perm[i];
  }
  return true;
}

berth_code_t berth_op_transpose(berth_case_t *op, berth_moves_t *moves,
                                berth_error_t *err) {
  const berth_case_input_t *x = &op->inputs[0];
  int32_t perm[BERTH_MAX_RANK];
  berth_moves_init(moves, x->dtype);
  BERTH_TRY(read_perm(op, perm, err));
  berth_shape_t *shape = &op->outputs[0];
  shape->rank = x->rank;
  for (int32_t i = 0; i < x->rank; ++i) shape->dims[i] = x->dims[perm[i]];
  if (keeps_order(x, perm)) {
    op->alias = 0;
    return BERTH_OK;
  }
  if (x->count == 0) return BERTH_OK;
  berth_move_spec_t spec;
  int64_t steps[BERTH_MAX_RANK];
  berth_move_steps(berth_case_input_dims(op, 0), steps);
  spec.rank = x->rank;
  spec.from_offset = spec.to_offset = 0;
  for (int32_t i = 0; i < x->rank; ++i) {
    spec.dims[i] = shape->dims[i];
    spec.from_steps[i] = steps[perm[i]];
  }
  berth_move_steps(berth_shape_dims(shape), spec.to_steps);
  return berth_moves_add(op, moves, &spec, 0, op->input_count, err);
}

// ---- Shapes of a graph ----

BERTH_INFER(transpose) {
  berth_dims_t in = berth_shape_in(c, 0), order = berth_shape_in(c, 1);
  BERTH_TRY(berth_shape_with_rank(c, order, 1, NULL, err));
  int64_t count = berth_shape_dim(order, 0);
  if (in.rank < 0 && (count < 0 || count > BERTH_MAX_RANK)) return BERTH_OK;
  int32_t rank = in.rank >= 0 ? in.rank : (int32_t)count;
  BERTH_TRY(berth_shape_check_dim(count, rank, err));
  berth_dims_t out;
  BERTH_TRY(berth_shape_unknown(c, rank, &out, err));
  c->outputs[0] = out;
  c->asked_values |= 1 << 1;
  int32_t known = 0;
  int64_t froms[BERTH_MAX_RANK];
  berth_value_vector(c->graph, c->node->inputs[1], &known, froms);
  if (known != rank) return BERTH_OK;
  for (int32_t i = 0; i < rank; ++i) {
    int64_t from = froms[i];
    if (from == INT64_MIN) return BERTH_OK;
    if (from < -rank || from >= rank) {
      return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                             "perm dim %lld is out of range of input rank %d",
                             (long long)from, rank);
    }
    if (from < 0) from += rank;
    ((int64_t *)(uintptr_t)out.dims)[i] = berth_shape_dim(in, (int32_t)from);
  }
  return BERTH_OK;
}
