// text_map.c - Ops that make something of each text: cases, lengths, numbers,
// hashes, codes, what regular expressions find, parts.
#include <string.h>

#include "graph/shape_fn.h"
#include "op/text.h"
#include "op/value.h"

// ---- One text, one result ----

static berth_code_t set_key(const berth_node_t *node, berth_text_map_t *map,
                            berth_error_t *err) {
  const berth_attr_value_t *key = berth_node_attr(node, "key");
  if (key == NULL) return BERTH_OK;
  if (key->count != 2) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Key must have 2 elements");
  }
  map->key[0] = (uint64_t)key->i_list[0];
  map->key[1] = (uint64_t)key->i_list[1];
  return BERTH_OK;
}

static berth_code_t set_encoding(const berth_node_t *node,
                                 berth_text_map_t *map, berth_error_t *err) {
  const char *encoding = berth_node_attr_string(node, "encoding", "");
  const char *unit = berth_node_attr_string(node, "unit", "BYTE");
  map->is_utf8 =
      strcmp(encoding, "utf-8") == 0 || strcmp(unit, "UTF8_CHAR") == 0;
  if (encoding[0] == '\0' || map->is_utf8) return BERTH_OK;
  return berth_error_set(
      err, BERTH_INVALID_ARGUMENT,
      "only utf-8 or '' (no encoding) is supported, received %s", encoding);
}

static void set_text(const berth_node_t *node, const char *name,
                     const char **out_text, size_t *out_size) {
  const berth_attr_value_t *value = berth_node_attr(node, name);
  if (value == NULL) return;
  *out_text = value->s.text;
  *out_size = value->s.size;
}

static berth_code_t check_patterns(const berth_case_t *op, berth_error_t *err) {
  static const char *const names[] = {"", "Pattern", "Rewrite"};
  for (int i = 1; i < op->input_count; ++i) {
    char text[BERTH_DIMS_TEXT];
    if (op->inputs[i].rank == 0) continue;
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "%s must be scalar, but received %s", names[i],
                           berth_input_text(&op->inputs[i], text));
  }
  return BERTH_OK;
}

berth_code_t berth_op_text_map(berth_case_t *op, berth_text_map_t *out_map,
                               berth_error_t *err) {
  const berth_node_t *node = op->node;
  *out_map = (berth_text_map_t){
      .count = op->inputs[0].count,
      .is_padded = berth_node_attr_bool(node, "pad", false),
      .is_global = berth_node_attr_bool(node, "replace_global", true),
      .buckets = berth_node_attr_int(node, "num_buckets", 1)};
  BERTH_TRY(set_key(node, out_map, err));
  BERTH_TRY(set_encoding(node, out_map, err));
  BERTH_TRY(check_patterns(op, err));
  set_text(node, "pattern", &out_map->pattern, &out_map->pattern_size);
  set_text(node, "rewrite", &out_map->rewrite, &out_map->rewrite_size);
  berth_case_output(op, 0, berth_case_input_dims(op, 0));
  return BERTH_OK;
}

BERTH_INFER(text_pattern) {
  berth_dims_t scalar;
  for (int i = 1; i < berth_shape_inputs(c); ++i) {
    BERTH_TRY(berth_shape_with_rank(c, berth_shape_in(c, i), 0, &scalar, err));
  }
  c->outputs[0] = berth_shape_in(c, 0);
  return BERTH_OK;
}

// ---- Substr ----

berth_code_t berth_op_substr(berth_case_t *op, berth_text_part_t *out_part,
                             berth_error_t *err) {
  berth_dims_t inputs[2] = {berth_case_input_dims(op, 0),
                            berth_case_input_dims(op, 1)};
  char texts[2][BERTH_DIMS_TEXT];
  if (!berth_dims_equal(inputs[1], berth_case_input_dims(op, 2))) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "pos and len should have the same shape, got: %s "
                           "vs. %s",
                           berth_input_text(&op->inputs[1], texts[0]),
                           berth_input_text(&op->inputs[2], texts[1]));
  }
  if (!berth_dims_broadcast(inputs[0], inputs[1], &op->outputs[0])) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Incompatible shapes: %s vs. %s",
                           berth_input_text(&op->inputs[0], texts[0]),
                           berth_input_text(&op->inputs[1], texts[1]));
  }
  berth_dims_t shape = berth_case_output_dims(op, 0);
  out_part->count = berth_dims_count(shape);
  out_part->is_utf8 = strcmp(berth_node_attr_string(op->node, "unit", "BYTE"),
                             "UTF8_CHAR") == 0;
  if (out_part->count == 0) return BERTH_OK;
  return berth_broadcast_make(inputs, 2, shape, op->arena, &out_part->broadcast,
                              err);
}

BERTH_INFER(substr) {
  berth_dims_t at = berth_shape_in(c, 1);
  BERTH_TRY(berth_shape_merge(c, at, berth_shape_in(c, 2), &at, err));
  return berth_shape_broadcast(c, berth_shape_in(c, 0), at, &c->outputs[0],
                               err);
}
