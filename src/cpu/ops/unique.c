// unique.c - The kernel Unique.
#include "kernel/unique.h"

#include "cpu/kernels.h"
#include "op/index.h"

static berth_code_t run_unique(const void *plan, void *const *args,
                               berth_call_t *call) {
  (void)plan;
  (void)args;
  return berth_unique_find(call->inputs[0], call->node->output_types[1], call);
}

static berth_code_t prepare_unique(berth_prepare_t *prepare,
                                   berth_error_t *err) {
  BERTH_TRY(berth_op_unique(&prepare->op, err));
  prepare->run = run_unique;
  prepare->work = prepare->op.inputs[0].count * 50;
  return BERTH_OK;
}

#define TYPES ((BERTH_TYPES_BASIC & ~BERTH_TYPES_COMPLEX) | BERTH_TYPE(STRING))

const berth_kernel_t berth_cpu_unique_kernels[] = {
    {.op = "Unique",
     .types = {{"T", TYPES}, {"out_idx", BERTH_TYPES_INDEX}},
     .prepare = prepare_unique},
    {.op = NULL},
};
