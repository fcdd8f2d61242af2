// partition.c - DynamicPartition, and DynamicStitch, which puts parts together.
#include "graph/shape_fn.h"
#include "graph/shape_value.h"
#include "op/group.h"
#include "op/value.h"
#include "tensor/tensor.h"

// True when |data| begins with the dimensions of |prefix|.
static bool starts_with(const berth_case_input_t *data,
                        const berth_case_input_t *prefix) {
  bool fits = prefix->rank <= data->rank;
  for (int32_t i = 0; fits && i < prefix->rank; ++i) {
    fits = prefix->dims[i] == data->dims[i];
  }
  return fits;
}

berth_code_t berth_op_partition(berth_case_t *op, berth_error_t *err) {
  const berth_case_input_t *data = &op->inputs[0], *parts = &op->inputs[1];
  char a[BERTH_DIMS_TEXT], b[BERTH_DIMS_TEXT];
  if (!starts_with(data, parts)) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "data.shape must start with partitions.shape, got "
                           "data.shape = %s, partitions.shape = %s",
                           berth_input_text(data, a),
                           berth_input_text(parts, b));
  }
  for (int i = 0; i < op->output_count; ++i) op->outputs[i].rank = -1;
  return BERTH_OK;
}

// Checks that slices of part |i| are as those of the first.
static berth_code_t check_slices(const berth_case_t *op, int count, int i,
                                 berth_error_t *err) {
  const berth_case_input_t *first = &op->inputs[count];
  const berth_case_input_t *data = &op->inputs[count + i];
  int32_t first_outer = op->inputs[0].rank, outer = op->inputs[i].rank;
  bool fits = first->rank - first_outer == data->rank - outer;
  for (int32_t d = 0; fits && outer + d < data->rank; ++d) {
    fits = first->dims[first_outer + d] == data->dims[outer + d];
  }
  if (fits) return BERTH_OK;
  char a[BERTH_DIMS_TEXT], b[BERTH_DIMS_TEXT];
  char c[BERTH_DIMS_TEXT], e[BERTH_DIMS_TEXT];
  return berth_error_set(
      err, BERTH_INVALID_ARGUMENT,
      "Need data[0].shape[%d:] = data[%d].shape[%d:], got data[0].shape = %s, "
      "data[%d].shape = %s, indices[0].shape = %s, indices[%d].shape = %s",
      (int)first_outer, i, (int)outer, berth_input_text(first, a), i,
      berth_input_text(data, b), berth_input_text(&op->inputs[0], c), i,
      berth_input_text(&op->inputs[i], e));
}

berth_code_t berth_op_stitch(berth_case_t *op, berth_error_t *err) {
  int count = op->input_count / 2;
  char a[BERTH_DIMS_TEXT], b[BERTH_DIMS_TEXT];
  for (int i = 0; i < count; ++i) {
    const berth_case_input_t *places = &op->inputs[i];
    const berth_case_input_t *data = &op->inputs[count + i];
    if (!starts_with(data, places)) {
      return berth_error_set(
          err, BERTH_INVALID_ARGUMENT,
          "data[%d].shape = %s does not start with indices[%d].shape = %s", i,
          berth_input_text(data, a), i, berth_input_text(places, b));
    }
    BERTH_TRY(check_slices(op, count, i, err));
  }
  op->outputs[0].rank = -1;
  return BERTH_OK;
}

// ---- Shapes of a graph ----

BERTH_INFER(partition) {
  berth_dims_t data = berth_shape_in(c, 0), parts = berth_shape_in(c, 1);
  berth_dims_t out;
  int64_t unknown = -1;
  if (parts.rank < 0 || data.rank < 0) return BERTH_OK;
  BERTH_TRY(berth_shape_merge_prefix(data, parts, err));
  BERTH_TRY(berth_shape_join(c, (berth_dims_t){1, &unknown},
                             berth_shape_slice(data, parts.rank, data.rank),
                             &out, err));
  for (int i = 0; i < c->node->output_count; ++i) c->outputs[i] = out;
  return BERTH_OK;
}

// Stores the largest number of the first |count| inputs; false when they are
// not all known.
static bool find_largest(berth_shape_context_t *c, int count,
                         int64_t *out_largest) {
  bool is_known = true;
  for (int i = 0; i < count; ++i) {
    const berth_tensor_t *value = berth_shape_value(c, i);
    is_known = is_known && value != NULL;
    for (int64_t k = 0; is_known && k < value->count; ++k) {
      int64_t place = berth_value_int_at(value, k);
      if (place > *out_largest) *out_largest = place;
    }
  }
  return is_known;
}

BERTH_INFER(stitch) {
  int count = berth_shape_inputs(c) / 2;
  int64_t largest = -1;
  berth_dims_t rest = {-1, NULL};
  for (int i = 0; i < count; ++i) {
    berth_dims_t places = berth_shape_in(c, i);
    berth_dims_t data = berth_shape_in(c, count + i);
    if (places.rank < 0 || data.rank < 0) continue;
    BERTH_TRY(berth_shape_rank_at_least(data, places.rank, err));
    BERTH_TRY(berth_shape_merge(
        c, rest, berth_shape_slice(data, places.rank, data.rank), &rest, err));
  }
  int64_t first = find_largest(c, count, &largest) ? largest + 1 : -1;
  return berth_shape_join(c, (berth_dims_t){1, &first}, rest, &c->outputs[0],
                          err);
}
