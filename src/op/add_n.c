// add_n.c - AddN: the sum of any number of inputs of one shape.
#include "graph/shape_fn.h"
#include "op/elementwise.h"
#include "op/value.h"

berth_code_t berth_op_add_n(berth_case_t *op, berth_sum_t *out_sum,
                            berth_error_t *err) {
  const int count = op->input_count;
  BERTH_TRY(berth_check_same_shapes(op, err));
  berth_case_output(op, 0, berth_case_input_dims(op, 0));
  *out_sum = (berth_sum_t){.dtype = op->inputs[0].dtype,
                           .count = op->inputs[0].count,
                           .input_count = count};
  if (count == 1) {
    op->alias = 0;
    return BERTH_OK;
  }
  out_sum->first = (count - 2) % BERTH_SUM_GROUP + 2;
  op->may_overwrite = count < 32 ? (UINT32_C(1) << count) - 1 : ~UINT32_C(0);
  return BERTH_OK;
}

// ---- Shapes ----

BERTH_INFER(all_same) {
  return berth_shape_merge_inputs(c, 0, berth_shape_inputs(c), &c->outputs[0],
                                  err);
}
