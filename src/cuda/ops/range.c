// range.c - Range: numbers at equal distances.
#include "cuda/code/launch.h"
#include "cuda/kernels.h"
#include "cuda/ops/range_params.h"
#include "op/source.h"

typedef struct plan {
  int kernel;
  berth_range_params_t params;  // Without addresses.
} plan_t;

static berth_code_t run_range(const void *plan_arg, void *const *args,
                              berth_call_t *call) {
  const plan_t *plan = plan_arg;
  berth_range_params_t params = plan->params;
  params.out = args[3];
  return berth_cuda_launch(call, plan->kernel, params.count, &params,
                           sizeof(params));
}

static berth_code_t prepare_range(berth_prepare_t *prepare,
                                  berth_error_t *err) {
  berth_sequence_t range;
  BERTH_TRY(berth_op_range(&prepare->op, &range, err));
  plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  plan->kernel = berth_cuda_kernel_for("range", "berth_range", range.dtype);
  if (plan->kernel < 0) return berth_error_no_memory(err, "a kernel");
  plan->params.count = (uint64_t)range.count;
  plan->params.whole_start = (uint64_t)range.start.integer;
  plan->params.whole_delta = (uint64_t)range.delta.integer;
  plan->params.start = range.start.real;
  plan->params.delta = range.delta.real;
  prepare->run = run_range;
  return BERTH_OK;
}

const berth_kernel_t berth_cuda_range_kernels[] = {
    {.op = "Range",
     .types = {{"Tidx", BERTH_TYPES_FLOATING | BERTH_TYPE(INT64)}},
     .prepare = prepare_range},
    {.op = NULL},
};
