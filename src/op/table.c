// table.c - Ops on tables from keys to values.
#include "op/table.h"

#include <string.h>

#include "graph/shape_fn.h"
#include "op/value.h"

berth_code_t berth_op_on_table(berth_case_t *op, berth_error_t *err) {
  for (int i = 0; i < op->output_count; ++i) op->outputs[i].rank = -1;
  const char *mark = berth_node_attr_string(op->node, "delimiter", "\t");
  if (strlen(mark) == 1) return BERTH_OK;
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "delimiter should be only 1 char");
}

berth_code_t berth_op_table_file(berth_case_t *op, berth_error_t *err) {
  char text[BERTH_DIMS_TEXT];
  BERTH_TRY(berth_op_on_table(op, err));
  if (op->inputs[1].rank == 0) return BERTH_OK;
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "filename should be a single string, but got %s",
                         berth_input_text(&op->inputs[1], text));
}

// Keys and values are vectors of one length.
BERTH_INFER(initialize_table) {
  berth_dims_t handle, keys;
  BERTH_TRY(berth_shape_with_rank(c, berth_shape_in(c, 0), 0, &handle, err));
  BERTH_TRY(berth_shape_with_rank(c, berth_shape_in(c, 1), 1, &keys, err));
  return berth_shape_merge(c, keys, berth_shape_in(c, 2), &keys, err);
}

// ---- GenerateVocabRemapping ----

berth_code_t berth_op_vocabulary(berth_case_t *op, berth_error_t *err) {
  static const char *const names[] = {"new", "old"};
  int64_t count = berth_node_attr_int(op->node, "num_new_vocab", 0);
  char text[BERTH_DIMS_TEXT];
  for (int i = 0; i < 2; ++i) {
    if (op->inputs[i].rank == 0) continue;
    return berth_error_set(
        err, BERTH_INVALID_ARGUMENT,
        "%s_vocab_file should be a single string, but got %s", names[i],
        berth_input_text(&op->inputs[i], text));
  }
  berth_case_output(op, 0, (berth_dims_t){1, &count});
  berth_case_output(op, 1, BERTH_SCALAR);
  return BERTH_OK;
}
