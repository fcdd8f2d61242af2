// mirror_grad.c - MirrorPadGrad: what was added around a tensor is added to the
// elements it was copied from.
#include <string.h>

#include "graph/shape_fn.h"
#include "graph/shape_value.h"
#include "op/array.h"
#include "op/pad_internal.h"
#include "op/value.h"

// Reads what was added to dimension |i| and checks that as much is left as it
// was copied from.
static berth_code_t read_dim(const berth_case_t *op, int32_t i,
                             berth_mirror_t *mirror, berth_error_t *err) {
  int64_t before = berth_value_int(&op->inputs[1], 2 * i);
  int64_t after = berth_value_int(&op->inputs[1], 2 * i + 1);
  int64_t dim = op->inputs[0].dims[i];
  if (before < 0 || after < 0) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Paddings must be non-negative: %lld, %lld",
                           (long long)before, (long long)after);
  }
  int64_t total = 0;
  if (__builtin_add_overflow(before, after, &total) || total >= dim) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Total paddings must be less than the input "
                           "dimension size: %lld was not less than %lld",
                           (long long)total, (long long)dim);
  }
  int64_t size = dim - total, most = mirror->reflects ? size - 1 : size;
  mirror->before[i] = before;
  mirror->after[i] = after;
  mirror->sizes[i] = size;
  if (before <= most && after <= most) return BERTH_OK;
  return berth_error_set(
      err, BERTH_INVALID_ARGUMENT,
      mirror->reflects
          ? "paddings must be less than the output dimension size: %lld, %lld "
            "not less than %lld"
          : "paddings must be no greater than the output dimension size: "
            "%lld, %lld greater than %lld",
      (long long)before, (long long)after, (long long)size);
}

berth_code_t berth_op_mirror_pad_grad(berth_case_t *op,
                                      berth_mirror_t *out_mirror,
                                      berth_error_t *err) {
  const berth_case_input_t *input = &op->inputs[0];
  const char *mode = berth_node_attr_string(op->node, "mode", "REFLECT");
  *out_mirror = (berth_mirror_t){.dtype = input->dtype,
                                 .rank = input->rank,
                                 .reflects = strcmp(mode, "REFLECT") == 0};
  BERTH_TRY(berth_pad_check(op, BERTH_MIRROR_MAX_RANK, " ", err));
  berth_shape_t *shape = &op->outputs[0];
  shape->rank = 0;
  out_mirror->count = 1;
  for (int32_t i = 0; i < input->rank; ++i) {
    BERTH_TRY(read_dim(op, i, out_mirror, err));
    BERTH_TRY(
        berth_shape_push(shape, &out_mirror->count, out_mirror->sizes[i], err));
  }
  if (out_mirror->count == input->count) op->alias = 0;
  berth_move_steps(berth_case_input_dims(op, 0), out_mirror->in_steps);
  return BERTH_OK;
}

// ---- Shapes of a graph ----

// Takes what was added away from |in|, into |dims|.
static berth_code_t take_away(berth_dims_t in, const berth_tensor_t *value,
                              int64_t *dims, berth_error_t *err) {
  for (int32_t i = 0; i < in.rank; ++i) {
    int64_t before = berth_value_int_at(value, 2 * i);
    int64_t after = berth_value_int_at(value, 2 * i + 1), total = 0;
    if (before < 0 || after < 0) {
      return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                             "Paddings must be non-negative");
    }
    dims[i] = -1;
    if (in.dims[i] < 0) continue;
    if (__builtin_add_overflow(before, after, &total)) total = INT64_MAX;
    if (total > in.dims[i]) {
      return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                             "Negative dimension size caused by subtracting "
                             "%lld from %lld",
                             (long long)total, (long long)in.dims[i]);
    }
    dims[i] = in.dims[i] - total;
  }
  return BERTH_OK;
}

BERTH_INFER(mirror_pad_grad) {
  berth_dims_t in = berth_shape_in(c, 0), edges = berth_shape_in(c, 1);
  BERTH_TRY(berth_shape_with_rank(c, edges, 2, NULL, err));
  int64_t count = berth_shape_dim(edges, 0);
  if (count < 0 || count > BERTH_MAX_RANK) return BERTH_OK;
  BERTH_TRY(berth_shape_with_rank(c, in, (int32_t)count, &in, err));
  BERTH_TRY(berth_shape_merge(
      c, edges, (berth_dims_t){2, (const int64_t[]){count, 2}}, &edges, err));
  const berth_tensor_t *value = berth_shape_value(c, 1);
  if (value == NULL || !berth_value_is_int(value)) {
    return berth_shape_unknown(c, in.rank, &c->outputs[0], err);
  }
  int64_t *dims = berth_shape_room(c, in.rank);
  if (dims == NULL) return berth_error_no_memory(err, "a shape");
  BERTH_TRY(take_away(in, value, dims, err));
  c->outputs[0] = (berth_dims_t){in.rank, dims};
  return BERTH_OK;
}
