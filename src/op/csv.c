// csv.c - DecodeCSV: fields between commas.
#include <string.h>

#include "graph/shape_fn.h"
#include "op/example.h"
#include "op/value.h"

berth_code_t berth_op_decode_csv(berth_case_t *op, berth_csv_t *out_csv,
                                 berth_error_t *err) {
  const berth_node_t *node = op->node;
  const char *mark = berth_node_attr_string(node, "field_delim", ",");
  const berth_attr_value_t *columns = berth_node_attr(node, "select_cols");
  *out_csv = (berth_csv_t){
      .records = op->inputs[0].count,
      .fields = op->output_count,
      .has_quotes = berth_node_attr_bool(node, "use_quote_delim", true),
      .missing = berth_node_attr_string(node, "na_value", "")};
  if (strlen(mark) != 1) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "field_delim should be only 1 char");
  }
  out_csv->mark = mark[0];
  if (out_csv->mark == '\n' || out_csv->mark == '\r' ||
      (out_csv->has_quotes && out_csv->mark == '"')) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "field_delim cannot be \\n, \\r or a quote");
  }
  if (columns != NULL && columns->count > 0) {
    out_csv->columns = columns->i_list;
    if (columns->count != op->output_count) {
      return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                             "select_cols should match output size");
    }
    for (int32_t i = 0; i < columns->count; ++i) {
      if (columns->i_list[i] < 0 ||
          (i > 0 && columns->i_list[i] <= columns->i_list[i - 1])) {
        return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                               "select_cols should be strictly increasing "
                               "indices");
      }
    }
  }
  for (int i = 0; i < op->output_count; ++i) {
    if (op->inputs[1 + i].rank > 1) {
      return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                             "Each record default should be at most rank 1");
    }
    if (op->inputs[1 + i].count > 1) {
      return berth_error_set(
          err, BERTH_INVALID_ARGUMENT,
          "There should only be 1 default per field but field %d has %lld", i,
          (long long)op->inputs[1 + i].count);
    }
    berth_case_output(op, i, berth_case_input_dims(op, 0));
  }
  return BERTH_OK;
}

// Every output has the shape of the records.
BERTH_INFER(decode_csv) {
  (void)err;
  for (int i = 0; i < c->node->output_count; ++i) {
    c->outputs[i] = berth_shape_in(c, 0);
  }
  return BERTH_OK;
}
