// einsum.c - The kernel Einsum.
#include "op/einsum.h"

#include <string.h>

#include "cuda/code/launch.h"
#include "cuda/kernels.h"
#include "cuda/ops/einsum_params.h"
#include "op/types.h"

_Static_assert((int)BERTH_EINSUM_LEVELS == (int)BERTH_EINSUM_LOOPS,
               "kernels take as many loops as there can be");

typedef struct plan {
  int kernel;
  int inputs;
  size_t zeros;  // Bytes of the output to clear first; 0: all are written.
  berth_einsum_params_t params;  // Without addresses.
} plan_t;

static berth_code_t run_einsum(const void *arg, void *const *args,
                               berth_call_t *call) {
  const plan_t *plan = arg;
  int inputs = plan->inputs;
  berth_einsum_params_t params = plan->params;
  params.a = args[0];
  params.b = inputs > 1 ? args[1] : NULL;
  params.out = args[inputs];
  BERTH_TRY(berth_cuda_clear(call, params.out, plan->zeros));
  return berth_cuda_launch(call, plan->kernel, params.count, &params,
                           sizeof(params));
}

static void params_set(const berth_einsum_t *einsum,
                       berth_einsum_params_t *params) {
  params->kept = (uint32_t)einsum->kept;
  params->loops = (uint32_t)einsum->count;
  params->count = params->terms = 1;
  for (int32_t l = 0; l < einsum->count; ++l) {
    uint64_t dim = (uint64_t)einsum->dims[l];
    if (l < einsum->kept) params->count *= dim;
    // The last one is the innermost loop; without indices there are no terms.
    if (l >= einsum->kept && (l < einsum->count - 1 || dim == 0)) {
      params->terms *= dim;
    }
  }
  memcpy(params->dims, einsum->dims, sizeof(params->dims));
  memcpy(params->a_steps, einsum->steps[0], sizeof(params->a_steps));
  memcpy(params->b_steps, einsum->steps[1], sizeof(params->b_steps));
  memcpy(params->out_steps, einsum->steps[BERTH_EINSUM_INPUTS],
         sizeof(params->out_steps));
}

static berth_code_t prepare_einsum(berth_prepare_t *prepare,
                                   berth_error_t *err) {
  berth_einsum_t einsum;
  BERTH_TRY(berth_op_einsum(&prepare->op, &einsum, err));
  plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  params_set(&einsum, &plan->params);
  plan->inputs = einsum.inputs;
  if (einsum.has_diagonal) {
    plan->zeros = (size_t)einsum.outputs * berth_dtype_size(einsum.dtype);
  }
  plan->kernel = berth_cuda_kernel_for("einsum", "berth_einsum", einsum.dtype);
  if (plan->kernel < 0) return berth_error_no_memory(err, "a kernel");
  prepare->run = einsum.outputs > 0 ? run_einsum : berth_run_nothing;
  return BERTH_OK;
}

const berth_kernel_t berth_cuda_einsum_kernels[] = {
    {.op = "Einsum",
     .types = {{"T", BERTH_TYPES_FLOATING | BERTH_TYPES_COMPLEX}},
     .prepare = prepare_einsum},
    {.op = NULL},
};
