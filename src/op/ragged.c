// ragged.c - Ragged tensors: checks and shapes.
#include "op/ragged.h"

#include <string.h>

#include "graph/shape_fn.h"
#include "op/sparse_check.h"

#define INVALID(...) berth_error_set(err, BERTH_INVALID_ARGUMENT, __VA_ARGS__)

berth_code_t berth_ragged_check_default(berth_dims_t def, berth_dims_t values,
                                        berth_error_t *err) {
  char a[BERTH_DIMS_TEXT], b[BERTH_DIMS_TEXT];
  if (def.rank < 0 || values.rank < 0) return BERTH_OK;
  berth_dims_text(def, a);
  berth_dims_text(values, b);
  if (def.rank >= values.rank) {
    return INVALID(
        "default_value.shape=%s and rt_input.flat_values.shape=%s are "
        "incompatible: default_value.rank = %d  must be less than "
        "rt_input.flat_values.rank = %d",
        a, b, (int)def.rank, (int)values.rank);
  }
  for (int32_t d = 1; d <= def.rank; ++d) {
    int64_t has = def.dims[def.rank - d], wants = values.dims[values.rank - d];
    if (has == 1 || has < 0 || wants < 0 || has == wants) continue;
    return INVALID(
        "default_value.shape=%s and rt_input.flat_values.shape=%s are "
        "incompatible: default_value.shape[%d] = %lld but "
        "rt_input.flat_values.shape[%d] = %lld",
        a, b, (int)-d, (long long)has, (int)-d, (long long)wants);
  }
  return BERTH_OK;
}

berth_code_t berth_ragged_join(int ragged, berth_dims_t values, int64_t rank,
                               int64_t *sizes, berth_error_t *err) {
  int64_t all = ragged + values.rank;
  char text[BERTH_DIMS_TEXT];
  for (int64_t d = 0; rank < 0 && d < all; ++d) sizes[d] = -1;
  if (rank < 0) rank = all;
  berth_dims_text((berth_dims_t){(int32_t)rank, sizes}, text);
  if (rank != all) {
    return INVALID(
        "rt_input.shape and shape=%s are incompatible: rt_input.rank = %lld "
        "but shape.rank = %lld",
        text, (long long)all, (long long)rank);
  }
  for (int64_t d = ragged + 1; d < rank; ++d) {
    int64_t has = values.dims[d - ragged];
    if (sizes[d] < 0) sizes[d] = has;
    if (has < 0 || sizes[d] == has) continue;
    return INVALID(
        "rt_input.shape and shape=%s are incompatible: rt_input.shape[%lld] = "
        "%lld but shape[%lld] = %lld",
        text, (long long)d, (long long)has, (long long)d, (long long)sizes[d]);
  }
  return BERTH_OK;
}

// ---- Shapes of a graph ----

BERTH_INFER(ragged_range) {
  int64_t rows = -1;
  bool is_known = true, is_scalar = true;
  for (int i = 0; i < 3; ++i) {
    berth_dims_t in = berth_shape_in(c, i);
    BERTH_TRY(berth_shape_rank_at_most(in, 1, err));
    is_known &= in.rank >= 0;
    is_scalar &= in.rank == 0;
    if (in.rank != 1) continue;
    BERTH_TRY(berth_shape_merge_dims(in.dims[0], rows, &rows, err));
  }
  if (is_known && is_scalar) rows = 1;
  BERTH_TRY(berth_shape_set_vector(c, 0, rows < 0 ? -1 : rows + 1, err));
  return berth_shape_set_vector(c, 1, -1, err);
}

static berth_code_t check_splits(berth_shape_context_t *c, int count,
                                 berth_error_t *err) {
  for (int i = 0; i < count; ++i) {
    BERTH_TRY(berth_shape_with_rank(c, berth_shape_in(c, i), 1, NULL, err));
  }
  return BERTH_OK;
}

BERTH_INFER(ragged_to_sparse) {
  int count = berth_shape_inputs(c) - 1;
  berth_dims_t values = berth_shape_in(c, count);
  int64_t all = values.rank < 0 ? -1 : 1, rank = -1;
  BERTH_TRY(berth_shape_rank_at_least(values, 1, err));
  BERTH_TRY(check_splits(c, count, err));
  for (int32_t d = 0; all >= 0 && d < values.rank; ++d) {
    bool is_too_many =
        values.dims[d] < 0 || __builtin_mul_overflow(all, values.dims[d], &all);
    if (is_too_many) all = -1;
  }
  if (values.rank >= 0) rank = count + values.rank;
  BERTH_TRY(berth_sparse_matrix(c, 0, all, rank, err));
  BERTH_TRY(berth_shape_set_vector(c, 1, all, err));
  return berth_shape_set_vector(c, 2, rank, err);
}

BERTH_INFER(ragged_gather) {
  int count = berth_shape_inputs(c) - 2, outs = c->node->output_count - 1;
  berth_dims_t values = berth_shape_in(c, count), inner = {-1, NULL};
  BERTH_TRY(berth_shape_with_rank(c, berth_shape_in(c, count + 1),
                                  outs - count + 1, NULL, err));
  BERTH_TRY(berth_shape_rank_at_least(values, 1, err));
  BERTH_TRY(check_splits(c, count, err));
  for (int i = 0; i < outs; ++i) {
    BERTH_TRY(berth_shape_set_vector(c, i, -1, err));
  }
  if (values.rank >= 0) {
    BERTH_TRY(berth_shape_replace(c, values, 0, -1, &inner, err));
  }
  berth_shape_set_out(c, outs, inner);
  return BERTH_OK;
}

BERTH_INFER(ragged_to_tensor) {
  const berth_attr_value_t *kinds =
      berth_node_attr(c->node, "row_partition_types");
  bool has_size =
      kinds->count > 0 && strcmp(kinds->s_list[0].text, "FIRST_DIM_SIZE") == 0;
  int ragged = kinds->count - (has_size ? 1 : 0);
  berth_dims_t values = berth_shape_in(c, 1), asked = {-1, NULL};
  BERTH_TRY(berth_ragged_check_default(berth_shape_in(c, 2), values, err));
  if (berth_shape_in(c, 0).rank != 0) {
    BERTH_TRY(berth_shape_from_value(c, 0, &asked, err));
  }
  if (values.rank < 0) {
    berth_shape_set_out(c, 0, asked);
    return BERTH_OK;
  }
  int64_t room = ragged + values.rank;
  int64_t *sizes =
      berth_shape_room(c, (int32_t)(asked.rank > room ? asked.rank : room));
  if (sizes == NULL) return berth_error_no_memory(err, "a shape");
  for (int32_t d = 0; d < asked.rank; ++d) sizes[d] = asked.dims[d];
  BERTH_TRY(berth_ragged_join(ragged, values, asked.rank, sizes, err));
  berth_shape_set_out(c, 0, (berth_dims_t){(int32_t)room, sizes});
  return BERTH_OK;
}

BERTH_INFER(ragged_fill_rows) {
  berth_dims_t ids, values;
  int64_t count = -1;
  BERTH_TRY(berth_shape_with_rank(c, berth_shape_in(c, 0), 1, &ids, err));
  BERTH_TRY(berth_shape_with_rank(c, berth_shape_in(c, 1), 1, &values, err));
  BERTH_TRY(berth_shape_merge_dims(ids.dims[0], values.dims[0], &count, err));
  BERTH_TRY(berth_sparse_ranks(c, "--00", err));
  for (int i = 0; i < 3; ++i) {
    BERTH_TRY(berth_shape_set_vector(c, i, -1, err));
  }
  return berth_shape_set_vector(c, 3, count, err);
}
