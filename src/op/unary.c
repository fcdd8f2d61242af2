// unary.c - Ops with one input that compute element by element.
#include "graph/shape_fn.h"
#include "op/elementwise.h"
#include "op/types.h"
#include "tensor/half.h"

bool berth_unary_asks(berth_unary_op_t op) {
  enum { SAME = false, BOOL = true };
  static const bool asks[BERTH_UNARY_COUNT] = {
#define UNARY(NAME, name, result, ...) [BERTH_UNARY_##NAME] = result,
#include "op/unary_list.inc"
  };
  return asks[op];
}

double berth_op_slope(const berth_case_t *op, berth_dtype_t dtype) {
  float slope = berth_node_attr_float(op->node, "alpha", 0.2f);
  if (dtype == BERTH_HALF) {
    slope = berth_half_to_float(berth_float_to_half(slope));
  } else if (dtype == BERTH_BFLOAT16) {
    slope = berth_bfloat16_to_float(berth_float_to_bfloat16(slope));
  }
  return (double)slope;
}

berth_code_t berth_op_unary(berth_case_t *op, berth_unary_t *unary,
                            berth_error_t *err) {
  (void)err;
  const berth_case_input_t *input = &op->inputs[0];
  unary->input = input->dtype;
  unary->output = berth_unary_asks(unary->function) ? BERTH_BOOL : input->dtype;
  unary->count = input->count;
  unary->parameter = unary->function == BERTH_UNARY_LEAKY_RELU
                         ? berth_op_slope(op, unary->input)
                         : 0;
  berth_case_output(op, 0, berth_case_input_dims(op, 0));
  // Whole numbers are round already.
  if (unary->function == BERTH_UNARY_ROUND &&
      berth_type_in(input->dtype, BERTH_TYPES_INDEX)) {
    op->alias = 0;
    return BERTH_OK;
  }
  bool fits = berth_dtype_size(unary->input) == berth_dtype_size(unary->output);
  op->may_overwrite = fits ? 1 : 0;
  return BERTH_OK;
}

// ---- Shapes ----

BERTH_INFER(unchanged) {
  (void)err;
  berth_dims_t shape = berth_shape_in(c, 0);
  for (int i = 0; i < c->node->output_count; ++i) c->outputs[i] = shape;
  return BERTH_OK;
}
