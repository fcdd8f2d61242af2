// add_n.c - The kernel AddN: the sum of any number of inputs of one shape.
#include "cpu/kernels.h"
#include "cpu/loops/binary.h"
#include "cpu/ops/move.h"
#include "op/value.h"

static berth_code_t prepare_add_n(berth_prepare_t *prepare,
                                  berth_error_t *err) {
  BERTH_TRY(berth_check_same_shapes(&prepare->op, err));
  if (prepare->op.input_count == 1) {
    berth_op_output(&prepare->op, 0, berth_op_input_dims(&prepare->op, 0));
    prepare->op.alias = 0;
    return BERTH_OK;
  }
  berth_dtype_t dtype = prepare->op.inputs[0].dtype;
  const berth_loops_t *loops = berth_binary_loops(BERTH_BINARY_ADD, dtype);
  if (loops == NULL) {
    return berth_error_set(err, BERTH_INTERNAL, "AddN has no loop for %s",
                           berth_dtype_name(dtype));
  }
  berth_sweep_t sweep = {
      .loops = *loops,
      .input = dtype,
      .output = dtype,
      .cost = (int32_t)berth_dtype_size(dtype) * 40 * prepare->op.input_count};
  return berth_sweep_sum(prepare, &sweep, err);
}

const berth_kernel_t berth_cpu_add_n_kernels[] = {
    {.op = "AddN",
     .types = {{"T", BERTH_TYPES_ARITHMETIC}},
     .prepare = prepare_add_n},
    {.op = NULL},
};
