// scan.c - Cumsum, Cumprod and CumulativeLogsumexp.
#include "op/group.h"
#include "op/value.h"

berth_code_t berth_op_scan(berth_case_t *op, berth_scan_t *out_scan,
                           berth_error_t *err) {
  const berth_case_input_t *input = &op->inputs[0], *axis = &op->inputs[1];
  char text[BERTH_DIMS_TEXT];
  if (axis->rank != 0) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "ScanOp: axis must be a scalar, not %s",
                           berth_input_text(axis, text));
  }
  int64_t given = berth_value_int(axis, 0);
  int64_t along = given < 0 ? given + input->rank : given;
  if (along < 0 || along >= input->rank) {
    return berth_error_set(
        err, BERTH_INVALID_ARGUMENT,
        "ScanOp: Expected scan axis in the range [%d, %d), but got %lld",
        -(int)input->rank, (int)input->rank, (long long)given);
  }
  berth_case_output(op, 0, berth_case_input_dims(op, 0));
  *out_scan = (berth_scan_t){
      .dtype = input->dtype,
      .outer = 1,
      .length = input->dims[along],
      .inner = 1,
      .exclusive = berth_node_attr_bool(op->node, "exclusive", false),
      .reverse = berth_node_attr_bool(op->node, "reverse", false)};
  for (int64_t i = 0; i < along; ++i) out_scan->outer *= input->dims[i];
  for (int32_t i = (int32_t)along + 1; i < input->rank; ++i) {
    out_scan->inner *= input->dims[i];
  }
  return BERTH_OK;
}
