// fake_quant.c - Kernels that round numbers as if they were quantised, with one
// pair of limits; those with one for each channel are the host's (hosted.c).
#include "op/fake_quant.h"

#include "base/env.h"
#include "cuda/code/launch.h"
#include "cuda/kernels.h"
#include "cuda/ops/fake_quant_params.h"

typedef struct plan {
  int kernel;
  bool is_ordered;  // One block adds up, so that every run gives the same.
  uint64_t count;
  berth_fake_quant_t quant;
} plan_t;

// Limits that are inputs are on the host.
static berth_fake_quant_params_t params_of(const plan_t *plan, const float *min,
                                           const float *max) {
  const berth_fake_quant_t *quant = &plan->quant;
  berth_nudged_t nudged =
      berth_fake_quant_nudge(quant, quant->has_attrs ? quant->min : *min,
                             quant->has_attrs ? quant->max : *max);
  return (berth_fake_quant_params_t){.count = plan->count,
                                     .min = nudged.min,
                                     .max = nudged.max,
                                     .scale = nudged.scale,
                                     .inverse = nudged.inverse,
                                     .zero = nudged.zero,
                                     .is_none = nudged.is_none};
}

static berth_code_t run_quant(const void *arg, void *const *args,
                              berth_call_t *call) {
  const plan_t *plan = arg;
  berth_fake_quant_params_t params = params_of(plan, args[1], args[2]);
  params.in = args[0];
  params.out = args[plan->quant.has_attrs ? 1 : 3];
  return berth_cuda_launch(call, plan->kernel, params.count, &params,
                           sizeof(params));
}

static berth_code_t run_grad(const void *arg, void *const *args,
                             berth_call_t *call) {
  const plan_t *plan = arg;
  berth_fake_quant_params_t params = params_of(plan, args[2], args[3]);
  params.grad = args[0];
  params.in = args[1];
  params.out = args[plan->quant.has_attrs ? 2 : 4];
  if (!plan->quant.has_attrs) {
    params.below = args[5];
    params.above = args[6];
    BERTH_TRY(berth_cuda_clear(call, args[5], sizeof(float)));
    BERTH_TRY(berth_cuda_clear(call, args[6], sizeof(float)));
  }
  if (params.count == 0) return BERTH_OK;
  if (plan->is_ordered) {
    return berth_cuda_launch_blocks(call, plan->kernel, 1, BERTH_CUDA_BLOCK,
                                    &params, sizeof(params));
  }
  return berth_cuda_launch(call, plan->kernel, params.count, &params,
                           sizeof(params));
}

static berth_code_t plan_quant(berth_prepare_t *prepare, const char *kernel,
                               const berth_fake_quant_t *quant,
                               berth_run_fn run, berth_error_t *err) {
  plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  *plan = (plan_t){.kernel = berth_cuda_kernel("fake_quant", kernel),
                   .is_ordered = berth_env_bool("TF_DETERMINISTIC_OPS", false),
                   .count = (uint64_t)prepare->op.inputs[0].count,
                   .quant = *quant};
  prepare->run = run;
  return plan->kernel >= 0 ? BERTH_OK : berth_error_no_memory(err, "a kernel");
}

static berth_code_t prepare_quant(berth_prepare_t *prepare,
                                  berth_error_t *err) {
  berth_fake_quant_t quant;
  BERTH_TRY(berth_op_fake_quant(&prepare->op, &quant, err));
  return plan_quant(prepare, "berth_fake_quant", &quant, run_quant, err);
}

static berth_code_t prepare_grad(berth_prepare_t *prepare, berth_error_t *err) {
  berth_fake_quant_t quant;
  BERTH_TRY(berth_op_fake_quant_grad(&prepare->op, &quant, err));
  return plan_quant(prepare, "berth_fake_quant_grad", &quant, run_grad, err);
}

const berth_kernel_t berth_cuda_fake_quant_kernels[] = {
    {.op = "FakeQuantWithMinMaxArgs", .prepare = prepare_quant},
    {.op = "FakeQuantWithMinMaxVars", .prepare = prepare_quant},
    {.op = "FakeQuantWithMinMaxArgsGradient", .prepare = prepare_grad},
    {.op = "FakeQuantWithMinMaxVarsGradient", .prepare = prepare_grad},
    {.op = NULL},
};
