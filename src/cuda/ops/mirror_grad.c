// mirror_grad.c - The kernel MirrorPadGrad.
#include "cuda/code/launch.h"
#include "cuda/kernels.h"
#include "cuda/ops/mirror_grad_params.h"
#include "op/array.h"
#include "op/types.h"

typedef struct plan {
  int kernel;
  berth_mirror_params_t params;  // Without addresses.
} plan_t;

static berth_code_t run_mirror(const void *arg, void *const *args,
                               berth_call_t *call) {
  const plan_t *plan = arg;
  berth_mirror_params_t params = plan->params;
  params.in = args[0];
  params.out = args[2];
  return berth_cuda_launch(call, plan->kernel, params.count, &params,
                           sizeof(params));
}

static berth_code_t prepare_mirror(berth_prepare_t *prepare,
                                   berth_error_t *err) {
  berth_mirror_t mirror;
  BERTH_TRY(berth_op_mirror_pad_grad(&prepare->op, &mirror, err));
  if (prepare->op.alias >= 0) return BERTH_OK;
  plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  plan->kernel =
      berth_cuda_kernel_for("mirror_grad", "berth_mirror_grad", mirror.dtype);
  if (plan->kernel < 0) return berth_error_no_memory(err, "a kernel");
  plan->params.count = (uint64_t)mirror.count;
  plan->params.edge = mirror.reflects ? 1 : 0;
  int32_t first = BERTH_MIRROR_DIMS - mirror.rank;
  for (int32_t d = 0; d < BERTH_MIRROR_DIMS; ++d) {
    bool is_there = d >= first;
    plan->params.before[d] = is_there ? mirror.before[d - first] : 0;
    plan->params.after[d] = is_there ? mirror.after[d - first] : 0;
    plan->params.sizes[d] = is_there ? mirror.sizes[d - first] : 1;
    plan->params.steps[d] = is_there ? mirror.in_steps[d - first] : 0;
  }
  prepare->run = run_mirror;
  return BERTH_OK;
}

const berth_kernel_t berth_cuda_mirror_grad_kernels[] = {
    {.op = "MirrorPadGrad",
     .types = {{"T", BERTH_TYPES_FLOATING}, {"Tpaddings", BERTH_TYPES_INDEX}},
     .prepare = prepare_mirror},
    {.op = NULL},
};
