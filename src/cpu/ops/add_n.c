// add_n.c - The kernel AddN: the sum of any number of inputs of one shape.
#include "cpu/kernels.h"
#include "cpu/loops/binary.h"
#include "cpu/ops/move.h"
#include "op/elementwise.h"

static berth_code_t prepare_add_n(berth_prepare_t *prepare,
                                  berth_error_t *err) {
  berth_sum_t sum;
  BERTH_TRY(berth_op_add_n(&prepare->op, &sum, err));
  if (prepare->op.alias >= 0) return BERTH_OK;
  const berth_loops_t *loops = berth_binary_loops(BERTH_BINARY_ADD, sum.dtype);
  if (loops == NULL) {
    return berth_error_set(err, BERTH_INTERNAL, "AddN has no loop for %s",
                           berth_dtype_name(sum.dtype));
  }
  return berth_sweep_sum(prepare, loops, &sum, err);
}

const berth_kernel_t berth_cpu_add_n_kernels[] = {
    {.op = "AddN",
     .types = {{"T", BERTH_TYPES_ARITHMETIC}},
     .prepare = prepare_add_n},
    {.op = NULL},
};
