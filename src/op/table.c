// table.c - Ops on tables from keys to values.
#include "op/table.h"

#include <string.h>

#include "graph/shape_fn.h"

berth_code_t berth_op_on_table(berth_case_t *op, berth_error_t *err) {
  for (int i = 0; i < op->output_count; ++i) op->outputs[i].rank = -1;
  const char *mark = berth_node_attr_string(op->node, "delimiter", "\t");
  if (strlen(mark) == 1) return BERTH_OK;
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "delimiter should be only 1 char");
}

// Keys and values are vectors of one length.
BERTH_INFER(initialize_table) {
  berth_dims_t handle, keys;
  BERTH_TRY(berth_shape_with_rank(c, berth_shape_in(c, 0), 0, &handle, err));
  BERTH_TRY(berth_shape_with_rank(c, berth_shape_in(c, 1), 1, &keys, err));
  return berth_shape_merge(c, keys, berth_shape_in(c, 2), &keys, err);
}
