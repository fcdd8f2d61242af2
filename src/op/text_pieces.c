// text_pieces.c - Ops on sequences of texts, and on what is compared like them.
#include <string.h>

#include "graph/shape_fn.h"
#include "op/text.h"
#include "op/value.h"
#include "tensor/string.h"

#define INVALID(...) berth_error_set(err, BERTH_INVALID_ARGUMENT, __VA_ARGS__)

// ---- StringNGrams ----

berth_code_t berth_op_ngrams(berth_case_t *op, berth_ngrams_t *out,
                             berth_error_t *err) {
  const berth_attr_value_t *widths = berth_node_attr(op->node, "ngram_widths");
  *out = (berth_ngrams_t){.widths = widths->i_list,
                          .width_count = (int32_t)widths->count,
                          .pad = berth_node_attr_int(op->node, "pad_width", 0),
                          .keeps_short = berth_node_attr_bool(
                              op->node, "preserve_short_sequences", false),
                          .rows = op->inputs[1].count - 1};
  for (int32_t i = 0; i < out->width_count; ++i) {
    if (out->widths[i] < 1) {
      return INVALID("ngram_widths must contain positive values");
    }
  }
  if (out->keeps_short && out->width_count == 0 && out->pad < 0) {
    return INVALID(
        "Pad width should be >= 0 when preserve_short_sequences is True and "
        "ngram_widths are not provided, got %lld",
        (long long)out->pad);
  }
  op->outputs[0].rank = op->outputs[1].rank = -1;
  return BERTH_OK;
}

// ---- UnsortedSegmentJoin ----

berth_code_t berth_op_segment_join(berth_case_t *op, berth_segment_join_t *out,
                                   berth_error_t *err) {
  const berth_case_input_t *texts = &op->inputs[0], *ids = &op->inputs[1];
  if (op->inputs[2].rank != 0) {
    return INVALID("Number of segments must be a scalar");
  }
  int64_t segments = berth_value_int(&op->inputs[2], 0);
  if (segments < 0) {
    return INVALID("Number of segments must be non-negative but got %lld",
                   (long long)segments);
  }
  if (ids->rank == 0) return INVALID("Segment_id cannot have rank 0");
  if (ids->rank > texts->rank) {
    return berth_error_set(err, BERTH_OUT_OF_RANGE,
                           "Invalid segment_id rank %d for input with %d "
                           "dimension(s)",
                           (int)ids->rank, (int)texts->rank);
  }
  for (int32_t i = 0; i < ids->rank; ++i) {
    if (ids->dims[i] == texts->dims[i]) continue;
    return INVALID(
        "Segment dimension is %lld while input dimension is %d in rank %d",
        (long long)ids->dims[i], (int)texts->rank, (int)i);
  }
  *out = (berth_segment_join_t){ids->count, 1, segments};
  berth_shape_t *shape = &op->outputs[0];
  shape->rank = 1 + texts->rank - ids->rank;
  shape->dims[0] = segments;
  for (int32_t i = ids->rank; i < texts->rank; ++i) {
    shape->dims[1 + i - ids->rank] = texts->dims[i];
    out->inner *= texts->dims[i];
  }
  return BERTH_OK;
}

// ---- Fingerprint ----

berth_code_t berth_op_fingerprint(berth_case_t *op, berth_error_t *err) {
  const berth_case_input_t *data = &op->inputs[0], *method = &op->inputs[1];
  char text[BERTH_DIMS_TEXT];
  if (data->rank < 1) {
    return INVALID("`data` should have at least one dimension: %s",
                   berth_input_text(data, text));
  }
  if (method->rank != 0) {
    return INVALID("`method` should be a scalar string: %s",
                   berth_input_text(method, text));
  }
  size_t size = 0;
  const char *name = berth_string_get(method->value, &size);
  if (size != 10 || memcmp(name, "farmhash64", 10) != 0) {
    return INVALID("Unsupported fingerprint method: %.*s", (int)size, name);
  }
  int64_t dims[2] = {data->dims[0], 8};
  berth_case_output(op, 0, (berth_dims_t){2, dims});
  return BERTH_OK;
}

// ---- EditDistance ----

static berth_code_t check_side(const berth_case_t *op, int first,
                               const char *name, berth_error_t *err) {
  const berth_case_input_t *in = &op->inputs[first];
  char text[2][BERTH_DIMS_TEXT];
  static const char *const parts[] = {"indices", "values", "shape"};
  for (int i = 0; i < 3; ++i) {
    if (in[i].rank == (i == 0 ? 2 : 1)) continue;
    return INVALID("%s_%s should be a %s, but got shape: %s", name, parts[i],
                   i == 0 ? "matrix" : "vector",
                   berth_input_text(&in[i], text[0]));
  }
  if (in[2].count == in[0].dims[1]) return BERTH_OK;
  return INVALID(
      "Expected %s_shape.NumElements == #cols(%s_indices), their shapes are: "
      "%s and %s",
      name, name, berth_input_text(&in[2], text[0]),
      berth_input_text(&in[0], text[1]));
}

static berth_code_t set_groups(berth_case_t *op, berth_edit_distance_t *out,
                               berth_error_t *err) {
  const berth_case_input_t *first = &op->inputs[2], *second = &op->inputs[5];
  int64_t *steps =
      berth_arena_calloc(op->arena, (size_t)out->rank + 1, sizeof(*steps));
  if (steps == NULL) return berth_error_no_memory(err, "a plan");
  berth_shape_t *shape = &op->outputs[0];
  shape->rank = 0;
  out->groups = 1;
  for (int32_t i = 0; i + 1 < out->rank; ++i) {
    int64_t a = berth_value_int(first, i), b = berth_value_int(second, i);
    BERTH_TRY(berth_shape_push(shape, &out->groups, a > b ? a : b, err));
  }
  int64_t step = 1;
  for (int32_t i = out->rank - 1; i-- > 0; step *= shape->dims[i]) {
    steps[i] = step;
  }
  out->steps = steps;
  if (out->groups > 0) return BERTH_OK;
  char text[BERTH_DIMS_TEXT];
  return INVALID("Got output shape %s which has 0 elements",
                 berth_dims_text(berth_shape_dims(shape), text));
}

berth_code_t berth_op_edit_distance(berth_case_t *op,
                                    berth_edit_distance_t *out,
                                    berth_error_t *err) {
  char text[2][BERTH_DIMS_TEXT];
  BERTH_TRY(check_side(op, 0, "hypothesis", err));
  BERTH_TRY(check_side(op, 3, "truth", err));
  const berth_case_input_t *first = &op->inputs[2], *second = &op->inputs[5];
  if (first->count != second->count) {
    return INVALID(
        "Expected truth_shape and hypothesis_shape to have matching sizes, but "
        "they have sizes: %s vs. %s",
        berth_input_text(second, text[0]), berth_input_text(first, text[1]));
  }
  *out = (berth_edit_distance_t){
      .dtype = op->inputs[1].dtype,
      .normalizes = berth_node_attr_bool(op->node, "normalize", true),
      .rank = (int32_t)first->count,
      .counts = {op->inputs[1].count, op->inputs[4].count}};
  return set_groups(op, out, err);
}

// ---- Shapes of a graph ----

BERTH_INFER(fingerprint) {
  BERTH_TRY(berth_shape_rank_at_least(berth_shape_in(c, 0), 1, err));
  BERTH_TRY(berth_shape_with_rank(c, berth_shape_in(c, 1), 0, NULL, err));
  int64_t *dims = berth_shape_room(c, 2);
  if (dims == NULL) return berth_error_no_memory(err, "a shape");
  dims[0] = berth_shape_dim(berth_shape_in(c, 0), 0);
  dims[1] = berth_shape_value(c, 1) != NULL ? 8 : -1;
  berth_shape_set_out(c, 0, (berth_dims_t){2, dims});
  return BERTH_OK;
}
