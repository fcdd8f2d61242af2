// bucketize.c - Bucketize: between which boundaries numbers are.
#include "op/index.h"

berth_code_t berth_op_bucketize(berth_case_t *op, berth_error_t *err) {
  const berth_attr_value_t *limits = berth_node_attr(op->node, "boundaries");
  for (int32_t i = 1; limits != NULL && i < limits->count; ++i) {
    if (!(limits->f_list[i] < limits->f_list[i - 1])) continue;
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Expected sorted boundaries");
  }
  berth_case_output(op, 0, berth_case_input_dims(op, 0));
  return BERTH_OK;
}
