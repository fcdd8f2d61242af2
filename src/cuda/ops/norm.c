// norm.c - The kernels FusedBatchNorm, LRN and their gradients.
#include "op/norm.h"

#include "cuda/code/launch.h"
#include "cuda/kernels.h"
#include "cuda/ops/chain.h"
#include "cuda/ops/norm_params.h"
#include "op/types.h"

// ---- Batches ----

enum { MOST_THREADS = 131072 };

typedef struct plan {
  int sums, join, apply, nothing;
  berth_batch_norm_params_t params;  // Without addresses.
} plan_t;

static berth_code_t launch(berth_call_t *call, int kernel, uint64_t count,
                           const berth_batch_norm_params_t *params) {
  return berth_cuda_launch(call, kernel, count, params, sizeof(*params));
}

static berth_code_t run_steps(const plan_t *plan, berth_call_t *call,
                              berth_batch_norm_params_t *params,
                              void *scratch) {
  uint64_t n = params->channels, count = params->outer * n * params->inner;
  params->sums = scratch;
  params->values = (float *)(params->sums + 2 * params->slices * n);
  if (count == 0) return launch(call, plan->nothing, n, params);
  if (params->slices > 0) {
    BERTH_TRY(launch(call, plan->sums, params->slices * n, params));
  }
  BERTH_TRY(launch(call, plan->join, n, params));
  return launch(call, plan->apply, count, params);
}

static berth_code_t run_norm(const void *arg, void *const *args,
                             berth_call_t *call) {
  const plan_t *plan = arg;
  bool has_more = call->node->output_count > 5;
  berth_batch_norm_params_t params = plan->params;
  params.x = args[0];
  params.scale = args[1];
  params.offset = args[2];
  params.mean = args[3];
  params.variance = args[4];
  params.y = args[5];
  params.out_mean = args[6];
  params.out_variance = args[7];
  params.batch_mean = args[8];
  params.batch_variance = args[9];
  if (has_more) {
    BERTH_TRY(berth_cuda_clear(call, args[10], sizeof(float)));
  }
  return run_steps(plan, call, &params, args[has_more ? 11 : 10]);
}

static berth_code_t run_grad(const void *arg, void *const *args,
                             berth_call_t *call) {
  const plan_t *plan = arg;
  int inputs = call->node->input_count;
  berth_batch_norm_params_t params = plan->params;
  params.grad = args[0];
  params.x = args[1];
  params.scale = args[2];
  params.mean = args[3];
  params.variance = args[4];
  params.y = args[inputs];
  params.out_mean = args[inputs + 1];
  params.out_variance = args[inputs + 2];
  return run_steps(plan, call, &params, args[inputs + 5]);
}

static berth_code_t find_kernels(plan_t *plan, berth_dtype_t dtype,
                                 berth_error_t *err) {
  plan->sums =
      berth_cuda_kernel_for("batch_norm", "berth_batch_norm_sums", dtype);
  plan->join =
      berth_cuda_kernel_for("batch_norm", "berth_batch_norm_join", dtype);
  plan->apply =
      berth_cuda_kernel_for("batch_norm", "berth_batch_norm_apply", dtype);
  plan->nothing = berth_cuda_kernel("batch_norm", "berth_batch_norm_nothing");
  bool has_all = plan->sums >= 0 && plan->join >= 0 && plan->apply >= 0 &&
                 plan->nothing >= 0;
  return has_all ? BERTH_OK : berth_error_no_memory(err, "kernels");
}

// Cuts channels into slices: as many as fill a card, and no more than there are
// elements.
static uint64_t slices_of(const berth_batch_norm_t *norm) {
  uint64_t n = (uint64_t)norm->channels;
  uint64_t count = (uint64_t)(norm->outer * norm->inner);
  uint64_t most = n < MOST_THREADS ? MOST_THREADS / (n > 0 ? n : 1) : 1;
  uint64_t useful = count / 16 + 1;
  return useful < most ? useful : most;
}

static berth_code_t make_plan(berth_prepare_t *prepare,
                              const berth_batch_norm_t *norm, bool needs_sums,
                              berth_run_fn run, berth_error_t *err) {
  plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  BERTH_TRY(find_kernels(plan, norm->dtype, err));
  plan->params =
      (berth_batch_norm_params_t){.outer = (uint64_t)norm->outer,
                                  .channels = (uint64_t)norm->channels,
                                  .inner = (uint64_t)norm->inner,
                                  .slices = needs_sums ? slices_of(norm) : 0,
                                  .epsilon = norm->epsilon,
                                  .factor = norm->factor,
                                  .is_training = norm->is_training};
  prepare->scratch_size =
      plan->params.channels *
      (2 * plan->params.slices * sizeof(double) + 4 * sizeof(float));
  prepare->run = run;
  return BERTH_OK;
}

static berth_code_t prepare_norm(berth_prepare_t *prepare, berth_error_t *err) {
  berth_batch_norm_t norm;
  BERTH_TRY(berth_op_batch_norm(&prepare->op, &norm, err));
  BERTH_TRY(make_plan(prepare, &norm, norm.is_training, run_norm, err));
  berth_chain_term_norm(prepare, &norm);
  return BERTH_OK;
}

static berth_code_t prepare_grad(berth_prepare_t *prepare, berth_error_t *err) {
  berth_batch_norm_t norm;
  BERTH_TRY(berth_op_batch_norm_grad(&prepare->op, &norm, err));
  return make_plan(prepare, &norm, true, run_grad, err);
}

// ---- Neighbouring channels ----

typedef struct lrn_plan {
  int kernel;
  berth_lrn_params_t params;
} lrn_plan_t;

static berth_code_t run_lrn(const void *arg, void *const *args,
                            berth_call_t *call) {
  const lrn_plan_t *plan = arg;
  berth_lrn_params_t params = plan->params;
  bool is_grad = call->node->input_count == 3;
  params.in = args[is_grad ? 1 : 0];
  params.grad = is_grad ? args[0] : NULL;
  params.made = is_grad ? args[2] : NULL;
  params.out = args[is_grad ? 3 : 1];
  return berth_cuda_launch(call, plan->kernel, params.count, &params,
                           sizeof(params));
}

// Returns how many rows a tile has room for, with zeros around them.
static uint64_t rows_of_tile(const berth_lrn_t *lrn) {
  if (lrn->channels + 2 * lrn->radius > BERTH_LRN_TILE) return 0;
  return (uint64_t)((BERTH_LRN_TILE - lrn->radius) /
                    (lrn->channels + lrn->radius));
}

// Makes the plan: |near| is the kernel of small windows, |far| that of others.
static berth_code_t make_lrn_plan(berth_prepare_t *prepare,
                                  const berth_lrn_t *lrn, const char *near,
                                  const char *far, berth_error_t *err) {
  prepare->run = berth_run_nothing;
  if (lrn->rows == 0 || lrn->channels == 0) return BERTH_OK;
  lrn_plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  uint64_t count = (uint64_t)(lrn->rows * lrn->channels);
  uint64_t of_tile = rows_of_tile(lrn) * (uint64_t)lrn->channels;
  bool is_near = of_tile > 0 && count < BERTH_DIVIDE_LIMIT;
  plan->kernel = berth_cuda_kernel("lrn", is_near ? near : far);
  if (plan->kernel < 0) return berth_error_no_memory(err, "a kernel");
  plan->params =
      (berth_lrn_params_t){.count = count,
                           .channels = (uint64_t)lrn->channels,
                           .radius = (uint64_t)lrn->radius,
                           .rows = berth_divider((uint64_t)lrn->channels),
                           .of_tile = (uint32_t)of_tile,
                           .bias = lrn->bias,
                           .alpha = lrn->alpha,
                           .beta = lrn->beta};
  prepare->run = run_lrn;
  return BERTH_OK;
}

static berth_code_t prepare_lrn(berth_prepare_t *prepare, berth_error_t *err) {
  berth_lrn_t lrn;
  BERTH_TRY(berth_op_lrn(&prepare->op, &lrn, err));
  return make_lrn_plan(prepare, &lrn, "berth_lrn_f32", "berth_lrn_far_f32",
                       err);
}

static berth_code_t prepare_lrn_grad(berth_prepare_t *prepare,
                                     berth_error_t *err) {
  berth_lrn_t lrn;
  BERTH_TRY(berth_op_lrn_grad(&prepare->op, &lrn, err));
  return make_lrn_plan(prepare, &lrn, "berth_lrn_grad_f32",
                       "berth_lrn_grad_far_f32", err);
}

#define TYPES (BERTH_TYPES_FLOATING & ~BERTH_TYPE(DOUBLE))
#define KERNEL(name, set, function) \
  { .op = name, .types = {{"T", set}}, .prepare = function }
#define KERNEL_U(name, function)                                   \
  {                                                                \
    .op = name, .types = {{"T", TYPES}, {"U", BERTH_TYPE(FLOAT)}}, \
    .prepare = function                                            \
  }

const berth_kernel_t berth_cuda_norm_kernels[] = {
    KERNEL("FusedBatchNorm", BERTH_TYPE(FLOAT), prepare_norm),
    KERNEL_U("FusedBatchNormV2", prepare_norm),
    KERNEL_U("FusedBatchNormV3", prepare_norm),
    KERNEL("FusedBatchNormGrad", BERTH_TYPE(FLOAT), prepare_grad),
    KERNEL_U("FusedBatchNormGradV2", prepare_grad),
    KERNEL_U("FusedBatchNormGradV3", prepare_grad),
    KERNEL("LRN", BERTH_TYPE(FLOAT), prepare_lrn),
    KERNEL("LRNGrad", BERTH_TYPE(FLOAT), prepare_lrn_grad),
    {.op = NULL},
};
