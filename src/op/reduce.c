// reduce.c - Sum, Mean, Prod, Max, Min, All, Any and L2Loss.
#include "op/reduce.h"

#include "graph/shape_fn.h"
#include "graph/shape_value.h"
#include "op/value.h"
#include "tensor/compact.h"

// Marks the dimensions that input 1 names.
static berth_code_t read_axes(const berth_case_t *op, bool *reduced,
                              berth_error_t *err) {
  const berth_case_input_t *axes = &op->inputs[1];
  int32_t rank = op->inputs[0].rank;
  for (int64_t i = 0; i < axes->count; ++i) {
    int64_t axis = berth_value_int(axes, i);
    if (axis < -rank || axis >= rank) {
      return berth_error_set(
          err, BERTH_INVALID_ARGUMENT,
          "Invalid reduction dimension (%lld for input with %d dimension(s)",
          (long long)axis, rank);
    }
    if (axis < 0) axis += rank;
    if (reduced[axis]) {
      return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                             "Invalid reduction arguments: Axes contains "
                             "duplicate dimension: %lld",
                             (long long)axis);
    }
    reduced[axis] = true;
  }
  return BERTH_OK;
}

// Says the shape of the output and its size. Where nothing is reduced it has
// the elements of the input, and that is said in |*out_is_same|.
static berth_code_t set_output(berth_case_t *op, const bool *reduced,
                               bool *out_is_same, int64_t *out_count,
                               berth_error_t *err) {
  bool keeps = berth_node_attr_bool(op->node, "keep_dims", false);
  const berth_case_input_t *input = &op->inputs[0];
  berth_shape_t *out = &op->outputs[0];
  *out_count = 1;
  out->rank = 0;
  *out_is_same = true;
  for (int32_t i = 0; i < input->rank; ++i) {
    if (reduced[i]) *out_is_same = *out_is_same && input->dims[i] == 1;
    if (reduced[i] && !keeps) continue;
    int64_t dim = reduced[i] ? 1 : input->dims[i];
    BERTH_TRY(berth_shape_push(out, out_count, dim, err));
  }
  return berth_value_check_size(berth_shape_dims(out), *out_count, input->dtype,
                                err);
}

// Joins the dimensions of input 0, which has elements, to levels.
static berth_code_t set_levels(berth_case_t *op, const bool *reduced,
                               berth_reduction_t *reduction,
                               berth_error_t *err) {
  const berth_case_input_t *input = &op->inputs[0];
  berth_reduction_level_t levels[BERTH_MAX_RANK];
  int32_t count = 0;
  for (int32_t i = 0; i < input->rank; ++i) {
    if (input->dims[i] == 1) continue;
    if (count > 0 && levels[count - 1].is_reduced == reduced[i]) {
      levels[count - 1].count *= input->dims[i];
    } else {
      levels[count++] = (berth_reduction_level_t){input->dims[i], reduced[i]};
    }
  }
  reduction->level_count = count;
  reduction->levels =
      berth_arena_memdup(op->arena, levels, (size_t)count * sizeof(*levels));
  if (reduction->levels != NULL) return BERTH_OK;
  return berth_error_no_memory(err, "a reduction");
}

berth_code_t berth_op_reduce(berth_case_t *op, berth_reduce_t kind,
                             berth_reduction_t *out_reduction,
                             berth_error_t *err) {
  bool reduced[BERTH_MAX_RANK] = {false};
  BERTH_TRY(read_axes(op, reduced, err));
  return berth_op_reduce_marked(op, kind, reduced, out_reduction, err);
}

berth_code_t berth_op_reduce_marked(berth_case_t *op, berth_reduce_t kind,
                                    const bool *reduced,
                                    berth_reduction_t *out_reduction,
                                    berth_error_t *err) {
  const berth_case_input_t *input = &op->inputs[0];
  bool is_same = false;
  *out_reduction = (berth_reduction_t){
      .kind = kind, .dtype = input->dtype, .values = input->count};
  BERTH_TRY(set_output(op, reduced, &is_same, &out_reduction->outputs, err));
  if (is_same) {
    op->alias = 0;
    return BERTH_OK;
  }
  // Dimensions without elements may be too large to multiply.
  if (input->count == 0) return BERTH_OK;
  return set_levels(op, reduced, out_reduction, err);
}

berth_code_t berth_op_l2_loss(berth_case_t *op,
                              berth_reduction_t *out_reduction,
                              berth_error_t *err) {
  const berth_case_input_t *input = &op->inputs[0];
  *out_reduction = (berth_reduction_t){.kind = BERTH_REDUCE_HALF_SQUARES,
                                       .dtype = input->dtype,
                                       .values = input->count,
                                       .outputs = 1};
  berth_case_output(op, 0, BERTH_SCALAR);
  if (input->count <= 1) return BERTH_OK;
  berth_reduction_level_t all = {input->count, true};
  out_reduction->level_count = 1;
  out_reduction->levels = berth_arena_memdup(op->arena, &all, sizeof(all));
  if (out_reduction->levels != NULL) return BERTH_OK;
  return berth_error_no_memory(err, "a reduction");
}

// ---- Shapes of a graph ----

// Marks the dimensions that the constant |axes| names, any of them as often as
// it likes.
static berth_code_t mark_axes(const berth_tensor_t *axes, int32_t rank,
                              bool marked[BERTH_MAX_RANK], berth_error_t *err) {
  for (int32_t i = 0; i < rank; ++i) marked[i] = false;
  for (int64_t i = 0; i < berth_tensor_distinct(axes); ++i) {
    int64_t axis = berth_value_int_at(axes, i);
    if (axis < -rank || axis >= rank) {
      return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                             "Invalid reduction dimension %lld for input with "
                             "%d dimensions.",
                             (long long)axis, rank);
    }
    marked[axis < 0 ? axis + rank : axis] = true;
  }
  return BERTH_OK;
}

BERTH_INFER(reduction) {
  berth_dims_t input = berth_shape_in(c, 0);
  BERTH_TRY(berth_shape_rank_at_most(berth_shape_in(c, 1), 1, err));
  bool keeps = berth_node_attr_bool(c->node, "keep_dims", false);
  const berth_tensor_t *axes = berth_shape_value(c, 1);
  if (input.rank < 0) return BERTH_OK;
  if (axes == NULL || !berth_value_is_int(axes)) {
    if (!keeps) return BERTH_OK;
    return berth_shape_unknown(c, input.rank, &c->outputs[0], err);
  }
  bool marked[BERTH_MAX_RANK];
  BERTH_TRY(mark_axes(axes, input.rank, marked, err));
  int64_t *dims = berth_shape_room(c, input.rank);
  if (dims == NULL) return berth_error_no_memory(err, "a shape");
  int32_t rank = 0;
  for (int32_t i = 0; i < input.rank; ++i) {
    if (!marked[i]) {
      dims[rank++] = input.dims[i];
    } else if (keeps) {
      dims[rank++] = 1;
    }
  }
  c->outputs[0] = (berth_dims_t){rank, dims};
  return BERTH_OK;
}
