// text_split.c - Ops between texts and their pieces: StringSplit, ReduceJoin,
// characters.
#include <string.h>
#include <strings.h>

#include "graph/shape_fn.h"
#include "op/text.h"
#include "op/value.h"

static berth_code_t check_rank(const berth_case_t *op, int index, int32_t rank,
                               const char *words, berth_error_t *err) {
  char text[BERTH_DIMS_TEXT];
  if (op->inputs[index].rank == rank) return BERTH_OK;
  return berth_error_set(err, BERTH_INVALID_ARGUMENT, "%s, got shape: %s",
                         words, berth_input_text(&op->inputs[index], text));
}

// ---- Splitting ----

berth_code_t berth_op_string_split(berth_case_t *op,
                                   berth_text_split_t *out_split,
                                   berth_error_t *err) {
  bool is_old = berth_node_attr(op->node, "maxsplit") == NULL;
  BERTH_TRY(check_rank(op, 0, 1, "input must be a vector", err));
  BERTH_TRY(check_rank(
      op, 1, 0, is_old ? "delimiter must be a scalar" : "sep must be a scalar",
      err));
  out_split->skips_empty = berth_node_attr_bool(op->node, "skip_empty", true);
  out_split->most = berth_node_attr_int(op->node, "maxsplit", -1);
  for (int i = 0; i < 3; ++i) op->outputs[i].rank = -1;
  return BERTH_OK;
}

BERTH_INFER(string_split) {
  berth_dims_t in;
  int64_t *dims = berth_shape_room(c, 4);
  if (dims == NULL) return berth_error_no_memory(err, "a shape");
  BERTH_TRY(berth_shape_with_rank(c, berth_shape_in(c, 0), 1, &in, err));
  BERTH_TRY(berth_shape_with_rank(c, berth_shape_in(c, 1), 0, &in, err));
  memcpy(dims, (int64_t[]){-1, 2, -1, 2}, 4 * sizeof(*dims));
  c->outputs[0] = (berth_dims_t){2, dims};
  c->outputs[1] = (berth_dims_t){1, dims + 2};
  c->outputs[2] = (berth_dims_t){1, dims + 3};
  return BERTH_OK;
}

// ---- ReduceJoin ----

// Reads the axes in the order in which they are given.
static berth_code_t read_axes(const berth_case_t *op, bool *reduced,
                              int32_t *axes, berth_error_t *err) {
  const berth_case_input_t *input = &op->inputs[1];
  int32_t rank = op->inputs[0].rank;
  for (int64_t i = 0; i < input->count; ++i) {
    int64_t axis = berth_value_int(input, i);
    if (axis < -rank || axis >= rank) {
      return berth_error_set(
          err, BERTH_OUT_OF_RANGE,
          "Invalid reduction dimension %lld for input with %d dimension(s)",
          (long long)axis, rank);
    }
    if (axis < 0) axis += rank;
    if (reduced[axis]) {
      return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                             "Duplicate reduction dimension %lld",
                             (long long)axis);
    }
    reduced[axis] = true;
    axes[i] = (int32_t)axis;
  }
  return BERTH_OK;
}

// Lists where elements lie when |axes| are counted, the first of them fastest.
static const int64_t *list_places(berth_case_t *op, const int32_t *axes,
                                  int32_t count, int64_t *out_size) {
  const berth_case_input_t *input = &op->inputs[0];
  int64_t steps[BERTH_MAX_RANK], size = 1, step = 1;
  for (int32_t i = input->rank; i-- > 0;) {
    steps[i] = step;
    step *= input->dims[i];
  }
  for (int32_t i = 0; i < count; ++i) size *= input->dims[axes[i]];
  int64_t *places =
      berth_arena_alloc(op->arena, (size_t)(size + 1) * sizeof(*places));
  for (int64_t k = 0; places != NULL && k < size; ++k) {
    int64_t rest = k;
    places[k] = 0;
    for (int32_t i = 0; i < count; ++i) {
      places[k] += rest % input->dims[axes[i]] * steps[axes[i]];
      rest /= input->dims[axes[i]];
    }
  }
  *out_size = size;
  return places;
}

static berth_code_t set_joined(berth_case_t *op, const bool *reduced,
                               berth_error_t *err) {
  bool keeps = berth_node_attr_bool(op->node, "keep_dims", false);
  berth_shape_t *out = &op->outputs[0];
  int64_t count = 1;
  out->rank = 0;
  for (int32_t i = 0; i < op->inputs[0].rank; ++i) {
    if (reduced[i] && !keeps) continue;
    int64_t size = reduced[i] ? 1 : op->inputs[0].dims[i];
    BERTH_TRY(berth_shape_push(out, &count, size, err));
  }
  return BERTH_OK;
}

berth_code_t berth_op_reduce_join(berth_case_t *op,
                                  berth_text_reduce_t *out_reduce,
                                  berth_error_t *err) {
  bool reduced[BERTH_MAX_RANK] = {false};
  int32_t axes[BERTH_MAX_RANK], kept[BERTH_MAX_RANK], kept_count = 0;
  BERTH_TRY(read_axes(op, reduced, axes, err));
  BERTH_TRY(set_joined(op, reduced, err));
  for (int32_t i = op->inputs[0].rank; i-- > 0;) {
    if (!reduced[i]) kept[kept_count++] = i;
  }
  out_reduce->separator = berth_node_attr_string(op->node, "separator", "");
  out_reduce->starts = list_places(op, kept, kept_count, &out_reduce->results);
  out_reduce->offsets =
      list_places(op, axes, (int32_t)op->inputs[1].count, &out_reduce->count);
  if (out_reduce->starts != NULL && out_reduce->offsets != NULL) {
    return BERTH_OK;
  }
  return berth_error_no_memory(err, "a plan");
}

// ---- Characters ----

static berth_code_t check_encoding(const berth_node_t *node,
                                   berth_error_t *err) {
  const char *from = berth_node_attr_string(node, "input_encoding", "UTF-8");
  if (strcasecmp(from, "UTF-8") == 0 || strcasecmp(from, "UTF8") == 0) {
    return BERTH_OK;
  }
  return berth_error_set(err, BERTH_UNIMPLEMENTED,
                         "Berth reads texts in UTF-8, not in %s", from);
}

berth_code_t berth_op_unicode(berth_case_t *op, berth_text_code_t *out_code,
                              berth_error_t *err) {
  const berth_node_t *node = op->node;
  const char *to = berth_node_attr_string(node, "output_encoding", "UTF-8");
  const char *errors = berth_node_attr_string(node, "errors", "replace");
  int64_t replacement = berth_node_attr_int(node, "replacement_char", 65533);
  BERTH_TRY(check_encoding(node, err));
  if (replacement < 0 || replacement > 0x10ffff) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "replacement_char out of unicode codepoint range");
  }
  *out_code = (berth_text_code_t){
      .to = strcmp(to, "UTF-16-BE") == 0   ? BERTH_CODE_UTF16
            : strcmp(to, "UTF-32-BE") == 0 ? BERTH_CODE_UTF32
                                           : BERTH_CODE_UTF8,
      .is_strict = strcmp(errors, "strict") == 0,
      .ignores = strcmp(errors, "ignore") == 0,
      .replaces_controls =
          berth_node_attr_bool(node, "replace_control_characters", false),
      .replacement = (int32_t)replacement};
  berth_case_output(op, 0, berth_case_input_dims(op, 0));
  if (strcmp(node->op->name, "UnicodeTranscode") == 0) return BERTH_OK;
  for (int i = 0; i < op->output_count; ++i) op->outputs[i].rank = -1;
  return BERTH_OK;
}

BERTH_INFER(unicode_decode) {
  berth_dims_t in = berth_shape_in(c, 0);
  int64_t *dims = berth_shape_room(c, 2);
  if (dims == NULL) return berth_error_no_memory(err, "a shape");
  int64_t count = in.rank < 0 ? -1 : 1;
  for (int32_t i = 0; i < in.rank; ++i) {
    count = count < 0 || in.dims[i] < 0 ? -1 : count * in.dims[i];
  }
  dims[0] = count < 0 ? -1 : count + 1;
  dims[1] = -1;
  c->outputs[0] = (berth_dims_t){1, dims};
  for (int i = 1; i < c->node->output_count; ++i) {
    c->outputs[i] = (berth_dims_t){1, dims + 1};
  }
  return BERTH_OK;
}

BERTH_INFER(unicode_encode) {
  berth_dims_t values, splits;
  int64_t *dims = berth_shape_room(c, 1);
  if (dims == NULL) return berth_error_no_memory(err, "a shape");
  BERTH_TRY(berth_shape_with_rank(c, berth_shape_in(c, 0), 1, &values, err));
  BERTH_TRY(berth_shape_with_rank(c, berth_shape_in(c, 1), 1, &splits, err));
  dims[0] = splits.dims[0] < 0 ? -1 : splits.dims[0] - 1;
  c->outputs[0] = (berth_dims_t){1, dims};
  return BERTH_OK;
}
