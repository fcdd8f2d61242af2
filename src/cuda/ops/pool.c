// pool.c - The kernels of pooling and of its gradients.
#include "op/pool.h"

#include "cuda/code/launch.h"
#include "cuda/kernels.h"
#include "cuda/ops/pool_params.h"
#include "op/types.h"

typedef struct plan {
  int kernel, taps_kernel;
  // For several channels at a time, |pack|; -1: there are none.
  int wide_kernel, wide_taps_kernel;
  uint64_t pack;
  berth_pooling_params_t params;  // Without addresses.
  uint64_t outputs;               // Elements that windows make.
} plan_t;

// ---- Running ----

static berth_code_t launch(const plan_t *plan, berth_call_t *call,
                           const berth_pooling_params_t *params) {
  return berth_cuda_launch(call, plan->kernel, params->count, params,
                           sizeof(*params));
}

static berth_code_t launch_wide(const plan_t *plan, berth_call_t *call,
                                int kernel,
                                const berth_pooling_params_t *params) {
  return berth_cuda_launch(call, kernel, params->count / plan->pack, params,
                           sizeof(*params));
}

static berth_code_t run_pool(const void *arg, void *const *args,
                             berth_call_t *call) {
  const plan_t *plan = arg;
  int inputs = call->node->input_count;
  berth_pooling_params_t params = plan->params;
  params.in = args[0];
  params.out = args[inputs];
  if (call->node->output_count > 1) params.places = args[inputs + 1];
  bool is_aligned = ((uintptr_t)params.in | (uintptr_t)params.out) % 16 == 0;
  if (plan->wide_kernel >= 0 && is_aligned) {
    return launch_wide(plan, call, plan->wide_kernel, &params);
  }
  return launch(plan, call, &params);
}

// Finds the largest of each window, then sums up for each element of the image.
static berth_code_t run_first_grad(const plan_t *plan, berth_call_t *call,
                                   const berth_pooling_params_t *params) {
  berth_pooling_params_t search = *params;
  search.count = plan->outputs;
  bool is_aligned = ((uintptr_t)params->in | (uintptr_t)params->grad |
                     (uintptr_t)params->taps | (uintptr_t)params->out) %
                        16 ==
                    0;
  if (plan->wide_kernel >= 0 && is_aligned) {
    BERTH_TRY(launch_wide(plan, call, plan->wide_taps_kernel, &search));
    return launch_wide(plan, call, plan->wide_kernel, params);
  }
  BERTH_TRY(berth_cuda_launch(call, plan->taps_kernel, search.count, &search,
                              sizeof(search)));
  return launch(plan, call, params);
}

static berth_code_t run_max_grad(const void *arg, void *const *args,
                                 berth_call_t *call) {
  const plan_t *plan = arg;
  int inputs = call->node->input_count;
  berth_pooling_params_t params = plan->params;
  params.in = args[0];
  params.found = args[1];
  params.grad = args[2];
  params.out = args[inputs];
  if (plan->taps_kernel < 0) return launch(plan, call, &params);
  params.taps = args[inputs + 1];
  return run_first_grad(plan, call, &params);
}

static berth_code_t run_mean_grad(const void *arg, void *const *args,
                                  berth_call_t *call) {
  const plan_t *plan = arg;
  berth_pooling_params_t params = plan->params;
  params.grad = args[1];
  params.out = args[2];
  return launch(plan, call, &params);
}

// ---- Preparing ----

static berth_pooling_params_t params_of(const berth_pooling_t *pool) {
  const berth_window_t *window = &pool->window;
  bool is_first = window->layout.channels_first;
  int64_t in = is_first ? 1 : window->channels, out = in;
  berth_pooling_params_t params = {.batch = window->batch,
                                   .channels = window->channels,
                                   .channels_first = is_first,
                                   .counts_batch = pool->counts_batch};
  for (int i = BERTH_WINDOW_AXES - 1; i >= 0; --i) {
    const berth_window_axis_t *axis = &window->axes[i];
    params.axes[i] = (berth_pooling_axis_t){.in = axis->in,
                                            .out = axis->out,
                                            .window = axis->window,
                                            .stride = axis->stride,
                                            .before = axis->before,
                                            .in_step = in,
                                            .out_step = out};
    in *= axis->in;
    out *= axis->out;
  }
  params.in_channel_step = is_first ? in : 1;
  params.out_channel_step = is_first ? out : 1;
  params.in_batch_step = is_first ? in * window->channels : in;
  params.out_batch_step = is_first ? out * window->channels : out;
  return params;
}

static const char *module_of(berth_dtype_t dtype) {
  return berth_dtype_size(dtype) == 2 ? "pool_half" : "pool";
}

// Makes the plan of kernel |name|; none where the output has no elements.
static berth_code_t plan_for(berth_prepare_t *prepare,
                             const berth_pooling_t *pool, const char *name,
                             berth_run_fn run, plan_t **out_plan,
                             berth_error_t *err) {
  int64_t count = berth_dims_count(berth_case_output_dims(&prepare->op, 0));
  prepare->run = berth_run_nothing;
  *out_plan = NULL;
  if (count == 0) return BERTH_OK;
  plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  plan->params = params_of(pool);
  plan->params.count = (uint64_t)count;
  plan->outputs = (uint64_t)(pool->window.batch * plan->params.out_batch_step);
  plan->taps_kernel = plan->wide_kernel = plan->wide_taps_kernel = -1;
  plan->kernel =
      berth_cuda_kernel_for(module_of(pool->dtype), name, pool->dtype);
  if (plan->kernel < 0) return berth_error_no_memory(err, "a kernel");
  prepare->run = run;
  *out_plan = plan;
  return BERTH_OK;
}

// Whether the kernels for |pack| channels at a time can be used.
static bool is_wide(const berth_pooling_t *pool, const plan_t *plan,
                    int64_t pack) {
  return !pool->window.layout.channels_first &&
         pool->window.channels % pack == 0 &&
         plan->params.count <= UINT32_MAX && plan->outputs <= UINT32_MAX;
}

static berth_code_t prepare_max(berth_prepare_t *prepare, berth_error_t *err) {
  berth_pooling_t pool;
  plan_t *plan;
  BERTH_TRY(berth_op_pool(&prepare->op, &pool, err));
  BERTH_TRY(
      plan_for(prepare, &pool, "berth_pooling_max", run_pool, &plan, err));
  size_t size = berth_dtype_size(pool.dtype);
  int64_t pack = (int64_t)(16 / size);
  if (plan == NULL || size > sizeof(float) || !is_wide(&pool, plan, pack)) {
    return BERTH_OK;
  }
  plan->pack = (uint64_t)pack;
  plan->wide_kernel = berth_cuda_kernel_for(
      module_of(pool.dtype), "berth_pooling_max_wide", pool.dtype);
  return plan->wide_kernel >= 0 ? BERTH_OK
                                : berth_error_no_memory(err, "a kernel");
}

static berth_code_t prepare_mean(berth_prepare_t *prepare, berth_error_t *err) {
  berth_pooling_t pool;
  plan_t *plan;
  BERTH_TRY(berth_op_pool(&prepare->op, &pool, err));
  return plan_for(prepare, &pool, "berth_pooling_mean", run_pool, &plan, err);
}

static berth_code_t prepare_argmax(berth_prepare_t *prepare,
                                   berth_error_t *err) {
  berth_pooling_t pool;
  plan_t *plan;
  BERTH_TRY(berth_op_pool_argmax(&prepare->op, &pool, err));
  return plan_for(prepare, &pool, "berth_pooling_argmax", run_pool, &plan, err);
}

static berth_code_t prepare_max_grad(berth_prepare_t *prepare,
                                     berth_error_t *err) {
  static const char *const names[] = {
      [BERTH_POOL_FIRST] = "berth_pooling_max_grad",
      [BERTH_POOL_EQUAL] = "berth_pooling_equal_grad",
      [BERTH_POOL_GRAD_GRAD] = "berth_pooling_grad_grad"};
  berth_pooling_t pool;
  plan_t *plan;
  BERTH_TRY(berth_op_max_pool_grad(&prepare->op, &pool, err));
  BERTH_TRY(
      plan_for(prepare, &pool, names[pool.joins], run_max_grad, &plan, err));
  if (plan == NULL || pool.joins != BERTH_POOL_FIRST) return BERTH_OK;
  plan->taps_kernel = berth_cuda_kernel_for(module_of(pool.dtype),
                                            "berth_pooling_taps", pool.dtype);
  if (plan->taps_kernel < 0) return berth_error_no_memory(err, "a kernel");
  prepare->scratch_size = plan->outputs * sizeof(int32_t);
  plan->pack = 16 / sizeof(float);
  if (pool.dtype != BERTH_FLOAT || !is_wide(&pool, plan, (int64_t)plan->pack)) {
    return BERTH_OK;
  }
  plan->wide_taps_kernel =
      berth_cuda_kernel("pool", "berth_pooling_taps_wide_f32");
  plan->wide_kernel =
      berth_cuda_kernel("pool", "berth_pooling_max_grad_wide_f32");
  return plan->wide_kernel >= 0 && plan->wide_taps_kernel >= 0
             ? BERTH_OK
             : berth_error_no_memory(err, "kernels");
}

static berth_code_t prepare_mean_grad(berth_prepare_t *prepare,
                                      berth_error_t *err) {
  berth_pooling_t pool;
  plan_t *plan;
  BERTH_TRY(berth_op_avg_pool_grad(&prepare->op, &pool, err));
  return plan_for(prepare, &pool, "berth_pooling_mean_grad", run_mean_grad,
                  &plan, err);
}

#define TYPES_3D (BERTH_TYPES_FLOATING & ~BERTH_TYPE(DOUBLE))
#define KERNEL(name, set, function) \
  { .op = name, .types = {{"T", set}}, .prepare = function }

const berth_kernel_t berth_cuda_pool_kernels[] = {
    KERNEL("MaxPool", BERTH_TYPES_FLOATING, prepare_max),
    KERNEL("MaxPoolV2", BERTH_TYPES_FLOATING, prepare_max),
    KERNEL("MaxPool3D", TYPES_3D, prepare_max),
    KERNEL("AvgPool", BERTH_TYPES_FLOATING, prepare_mean),
    KERNEL("AvgPool3D", TYPES_3D, prepare_mean),
    {.op = "MaxPoolWithArgmax",
     .types = {{"T", BERTH_TYPES_FLOATING}, {"Targmax", BERTH_TYPE(INT64)}},
     .prepare = prepare_argmax},
    KERNEL("MaxPoolGrad", BERTH_TYPES_FLOATING, prepare_max_grad),
    KERNEL("MaxPoolGradV2", BERTH_TYPES_FLOATING, prepare_max_grad),
    KERNEL("MaxPool3DGrad", TYPES_3D, prepare_max_grad),
    KERNEL("MaxPoolGradGrad", BERTH_TYPES_FLOATING, prepare_max_grad),
    KERNEL("MaxPoolGradGradV2", BERTH_TYPES_FLOATING, prepare_max_grad),
    KERNEL("MaxPool3DGradGrad", TYPES_3D, prepare_max_grad),
    KERNEL("AvgPoolGrad", BERTH_TYPES_FLOATING, prepare_mean_grad),
    KERNEL("AvgPool3DGrad", TYPES_3D, prepare_mean_grad),
    {.op = NULL},
};
