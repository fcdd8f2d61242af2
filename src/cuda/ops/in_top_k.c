// in_top_k.c - The kernel InTopKV2.
#include "cuda/ops/in_top_k_params.h"

#include "cuda/code/launch.h"
#include "cuda/kernels.h"
#include "op/rows.h"
#include "op/types.h"

typedef struct plan {
  int kernel;
  uint64_t rows, classes;
} plan_t;

static berth_code_t run_in(const void *arg, void *const *args,
                           berth_call_t *call) {
  const plan_t *plan = arg;
  berth_in_top_k_params_t params = {.predictions = args[0],
                                    .targets = args[1],
                                    .k = args[2],
                                    .out = args[3],
                                    .rows = plan->rows,
                                    .classes = plan->classes};
  return berth_cuda_launch(call, plan->kernel, plan->rows, &params,
                           sizeof(params));
}

static berth_code_t prepare_in(berth_prepare_t *prepare, berth_error_t *err) {
  berth_in_top_k_t in;
  BERTH_TRY(berth_op_in_top_k(&prepare->op, &in, err));
  plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  plan->rows = (uint64_t)in.rows;
  plan->classes = (uint64_t)in.classes;
  plan->kernel =
      berth_cuda_kernel_for("in_top_k", "berth_in_top_k", in.index_type);
  if (plan->kernel < 0) return berth_error_no_memory(err, "a kernel");
  prepare->run = in.rows > 0 ? run_in : berth_run_nothing;
  return BERTH_OK;
}

const berth_kernel_t berth_cuda_in_top_k_kernels[] = {
    {.op = "InTopKV2",
     .types = {{"T", BERTH_TYPES_INDEX}},
     .prepare = prepare_in},
    {.op = NULL},
};
