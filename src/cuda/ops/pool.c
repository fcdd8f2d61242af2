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
  berth_pooling_short_t wide;
  berth_pooling_params_t params;  // Without addresses.
  uint64_t outputs;               // Elements that windows make.
} plan_t;

// ---- Running ----

static berth_code_t launch(const plan_t *plan, berth_call_t *call,
                           const berth_pooling_params_t *params) {
  return berth_cuda_launch(call, plan->kernel, params->count, params,
                           sizeof(*params));
}

// Whether all can be read and written 16 bytes at a time.
static bool are_aligned(const void *in, const void *grad, const void *out) {
  return ((uintptr_t)in | (uintptr_t)grad | (uintptr_t)out) % 16 == 0;
}

static berth_code_t launch_wide(berth_call_t *call, int kernel,
                                const berth_pooling_short_t *wide) {
  return berth_cuda_launch(call, kernel, wide->count, wide, sizeof(*wide));
}

static berth_code_t run_pool(const void *arg, void *const *args,
                             berth_call_t *call) {
  const plan_t *plan = arg;
  int inputs = call->node->input_count;
  berth_pooling_params_t params = plan->params;
  params.in = args[0];
  params.out = args[inputs];
  if (call->node->output_count > 1) params.places = args[inputs + 1];
  if (plan->wide_kernel >= 0 && are_aligned(params.in, NULL, params.out)) {
    berth_pooling_short_t wide = plan->wide;
    wide.in = params.in;
    wide.out = params.out;
    return launch_wide(call, plan->wide_kernel, &wide);
  }
  return launch(plan, call, &params);
}

// Returns how many windows an input is in along an axis, at most.
static int32_t most_windows(const berth_pooling_short_t *wide) {
  int32_t most = 0;
  for (int i = 1; i < BERTH_WINDOW_AXES; ++i) {
    const berth_pooling_short_axis_t *axis = &wide->axes[i];
    int32_t stride = (int32_t)axis->stride.divisor;
    int32_t windows = (axis->window + stride - 1) / stride;
    most = windows > most ? windows : most;
  }
  return most;
}

static berth_code_t run_max_grad_wide(const plan_t *plan, berth_call_t *call,
                                      const berth_pooling_params_t *params) {
  berth_pooling_short_t wide = plan->wide;
  wide.in = params->in;
  wide.grad = params->grad;
  wide.out = params->out;
  wide.taps = (uint32_t *)params->taps;
  wide.count = (uint32_t)(plan->outputs / plan->pack);
  BERTH_TRY(launch_wide(call, plan->wide_taps_kernel, &wide));
  wide.count = plan->wide.count;
  wide.most = most_windows(&plan->wide);
  return launch_wide(call, plan->wide_kernel, &wide);
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
  if (plan->wide_kernel >= 0 &&
      are_aligned(params.in, params.grad, params.out)) {
    return run_max_grad_wide(plan, call, &params);
  }
  berth_pooling_params_t search = params;
  search.count = plan->outputs;
  BERTH_TRY(berth_cuda_launch(call, plan->taps_kernel, search.count, &search,
                              sizeof(search)));
  return launch(plan, call, &params);
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

static berth_code_t find_kernel(const berth_pooling_t *pool, const char *name,
                                int *out_kernel, berth_error_t *err) {
  *out_kernel =
      berth_cuda_kernel_for(module_of(pool->dtype), name, pool->dtype);
  return *out_kernel >= 0 ? BERTH_OK : berth_error_no_memory(err, "a kernel");
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
  BERTH_TRY(find_kernel(pool, name, &plan->kernel, err));
  prepare->run = run;
  *out_plan = plan;
  return BERTH_OK;
}

// Describes the same for several channels at a time.
static void set_wide(plan_t *plan) {
  const berth_pooling_params_t *from = &plan->params;
  berth_pooling_short_t *to = &plan->wide;
  to->count = (uint32_t)(from->count / plan->pack);
  to->packs = berth_divider((uint64_t)from->channels / plan->pack);
  to->in_batch_step = (uint32_t)from->in_batch_step;
  to->out_batch_step = (uint32_t)from->out_batch_step;
  for (int i = 0; i < BERTH_WINDOW_AXES; ++i) {
    const berth_pooling_axis_t *axis = &from->axes[i];
    to->axes[i] = (berth_pooling_short_axis_t){
        .in = berth_divider((uint64_t)axis->in),
        .out = berth_divider((uint64_t)axis->out),
        .stride = berth_divider((uint64_t)axis->stride),
        .window = (int32_t)axis->window,
        .before = (int32_t)axis->before,
        .in_step = (uint32_t)axis->in_step,
        .out_step = (uint32_t)axis->out_step};
    if (i > 0 && to->axes[i].window > to->most) to->most = to->axes[i].window;
  }
}

// Whether channels are last, 16 bytes of them, |plan->pack|, can be done at a
// time, and all numbers are small.
static bool is_wide(plan_t *plan, const berth_pooling_t *pool) {
  size_t size = berth_dtype_size(pool->dtype);
  plan->pack = 16 / size;
  const berth_pooling_params_t *params = &plan->params;
  uint64_t inputs = (uint64_t)(params->batch * params->in_batch_step);
  bool is_small = inputs < BERTH_DIVIDE_LIMIT &&
                  plan->outputs < BERTH_DIVIDE_LIMIT && plan->outputs > 0;
  for (int i = 0; i < BERTH_WINDOW_AXES; ++i) {
    const berth_pooling_axis_t *axis = &params->axes[i];
    // An output's window may begin and end beyond the image.
    is_small = is_small && axis->in > 0 && axis->window < INT32_MAX / 4 &&
               axis->out * axis->stride < INT32_MAX / 4;
  }
  return size <= sizeof(float) && !pool->window.layout.channels_first &&
         (uint64_t)pool->window.channels % plan->pack == 0 && is_small;
}

static berth_code_t prepare_max(berth_prepare_t *prepare, berth_error_t *err) {
  berth_pooling_t pool;
  plan_t *plan;
  BERTH_TRY(berth_op_pool(&prepare->op, &pool, err));
  BERTH_TRY(
      plan_for(prepare, &pool, "berth_pooling_max", run_pool, &plan, err));
  if (plan == NULL || !is_wide(plan, &pool)) return BERTH_OK;
  set_wide(plan);
  return find_kernel(&pool, "berth_pooling_max_wide", &plan->wide_kernel, err);
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
  prepare->scratch_size = plan->outputs * sizeof(int32_t);
  BERTH_TRY(find_kernel(&pool, "berth_pooling_taps", &plan->taps_kernel, err));
  if (!is_wide(plan, &pool)) return BERTH_OK;
  set_wide(plan);
  BERTH_TRY(find_kernel(&pool, "berth_pooling_taps_wide",
                        &plan->wide_taps_kernel, err));
  return find_kernel(&pool, "berth_pooling_max_grad_wide", &plan->wide_kernel,
                     err);
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
