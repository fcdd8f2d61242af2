// conv.c - The kernels Conv2D, Conv3D, DepthwiseConv2dNative and their
// gradients.
//
// Most are the libraries' (conv_library.h). Without them, for what they do not
// take and for small ones there are kernels of our own (conv.cu).
#include "op/conv.h"

#include <stdatomic.h>

#include "base/hash.h"
#include "cuda/card/precision.h"
#include "cuda/code/launch.h"
#include "cuda/kernels.h"
#include "cuda/ops/chain.h"
#include "cuda/ops/conv_library.h"
#include "cuda/ops/conv_params.h"
#include "cuda/stream/device_internal.h"
#include "op/types.h"

typedef struct plan {
  berth_conv_t conv;
  int kernel, fold_kernel, finish_kernel;
  size_t zeros;  // Bytes of a goal that is all zeros; 0: it is computed.
  berth_conv_params_t params;  // Without addresses.
  berth_conv_library_t library;
  _Atomic int finish;  // As found out: one of FINISH_*.
} plan_t;

// How an output is finished: that has to be looked for, by the library's older
// call that does both, or apart, by the best engine and a kernel of our own.
enum { FINISH_UNKNOWN, FINISH_AT_ONCE, FINISH_APART };

static berth_code_t run_conv(const void *arg, void *const *args,
                             berth_call_t *call) {
  const plan_t *plan = arg;
  berth_conv_goal_t goal = plan->conv.goal;
  void *to = args[goal == BERTH_CONV_OUTPUT ? 2 : 3];
  if (plan->zeros > 0) return berth_cuda_clear(call, to, plan->zeros);
  if (berth_conv_library_suits(&plan->library, &plan->conv, args)) {
    return berth_conv_library_run(&plan->library, &plan->conv, args, call);
  }
  berth_conv_params_t params = plan->params;
  params.goal = to;
  if (goal != BERTH_CONV_IMAGE) params.image = args[plan->conv.image];
  if (goal != BERTH_CONV_FILTER) params.filter = args[plan->conv.filter];
  if (goal != BERTH_CONV_OUTPUT) params.output = args[plan->conv.output];
  return berth_cuda_launch(call, plan->kernel, params.count, &params,
                           sizeof(params));
}

// ---- Finishing ----

static size_t finish_room(const void *arg, berth_finish_t *finish, int64_t row,
                          berth_device_t *device) {
  const plan_t *plan = arg;
  // Without rows there is nothing by channel.
  int64_t channels = row > 0 ? row : plan->conv.window.out_channels;
  size_t room =
      berth_conv_library_finish_room(&plan->library, &plan->conv, channels);
  finish->is_tf32 = berth_cuda_tf32();
  if (room == 0 || !finish->is_relu) return room;
  return berth_conv_library_keeps_nan(&plan->library, &plan->conv, device,
                                      finish->added >= 0)
             ? room
             : 0;
}

static const float *row_at(void *const *args, int32_t arg) {
  return arg >= 0 ? args[arg] : NULL;
}

static berth_code_t run_at_once(const plan_t *plan,
                                berth_conv_finish_params_t params,
                                void *const *args, berth_call_t *call) {
  return berth_conv_library_finish(&plan->library, &plan->conv,
                                   plan->fold_kernel, &params, args, call);
}

static berth_code_t run_apart(const plan_t *plan,
                              berth_conv_finish_params_t params,
                              void *const *args, berth_call_t *call) {
  BERTH_TRY(run_conv(plan, args, call));
  return berth_cuda_launch(call, plan->finish_kernel, params.count, &params,
                           sizeof(params));
}

// A way to finish, and what it is given.
typedef struct trial {
  berth_code_t (*run)(const plan_t *plan, berth_conv_finish_params_t params,
                      void *const *args, berth_call_t *call);
  const plan_t *plan;
  const berth_conv_finish_params_t *params;
  void *const *args;
} trial_t;

static berth_code_t run_trial(void *arg, berth_call_t *call) {
  const trial_t *trial = arg;
  return trial->run(trial->plan, *trial->params, trial->args, call);
}

// Known like choices of engines; what is added makes a difference.
static uint64_t finish_key(const plan_t *plan,
                           const berth_conv_finish_params_t *params) {
  const uint64_t facts[] = {plan->library.dnn.choice->key, params->is_relu,
                            params->scale != NULL, params->added != NULL};
  return berth_hash(facts, sizeof(facts), 2) | 1;
}

// Tries both ways, on the addresses of a run; all write the same result.
static berth_code_t try_finishes(const plan_t *plan,
                                 const berth_conv_finish_params_t *params,
                                 void *const *args, berth_call_t *call,
                                 int *out_finish) {
  int64_t at_once = 0, apart = 0;
  trial_t trial = {run_apart, plan, params, args};
  BERTH_TRY(berth_dnn_time(run_trial, &trial, call, &apart));
  trial.run = run_at_once;
  BERTH_TRY(berth_dnn_time(run_trial, &trial, call, &at_once));
  *out_finish = apart < at_once ? FINISH_APART : FINISH_AT_ONCE;
  berth_dnn_choice_keep(finish_key(plan, params), *out_finish, 2,
                        (double)(apart < at_once ? apart : at_once) / 1e3);
  return BERTH_OK;
}

// Stores which way is taken. What is being recorded cannot be waited for.
static berth_code_t finish_choose(plan_t *plan,
                                  const berth_conv_finish_params_t *params,
                                  void *const *args, berth_call_t *call,
                                  int *out_finish) {
  *out_finish = plan->finish;
  if (*out_finish != FINISH_UNKNOWN) return BERTH_OK;
  bool is_tried = false;
  if (plan->library.dnn.choice != NULL) {
    *out_finish = berth_dnn_choice_recall(finish_key(plan, params), &is_tried);
  }
  if (!is_tried) *out_finish = FINISH_AT_ONCE;
  if (*out_finish != FINISH_AT_ONCE && *out_finish != FINISH_APART) {
    *out_finish = FINISH_AT_ONCE;
    if (berth_cuda_thread_records()) return BERTH_OK;
    BERTH_TRY(try_finishes(plan, params, args, call, out_finish));
  }
  plan->finish = *out_finish;
  return BERTH_OK;
}

static berth_code_t run_finished(const void *arg, const berth_finish_t *finish,
                                 void *const *args, void *const *group_args,
                                 berth_call_t *call) {
  plan_t *plan = (plan_t *)arg;  // For what is found out.
  berth_conv_finish_params_t params = {
      .y = args[2],
      .count = plan->params.count,
      .channels = (uint64_t)plan->conv.window.out_channels,
      .bias = row_at(group_args, finish->bias),
      .scale = row_at(group_args, finish->scale),
      .offset = row_at(group_args, finish->offset),
      .mean = row_at(group_args, finish->mean),
      .variance = row_at(group_args, finish->variance),
      .epsilon = finish->epsilon,
      .is_relu = finish->is_relu,
      .added = row_at(group_args, finish->added)};
  if (berth_conv_library_suits(&plan->library, &plan->conv, args) &&
      berth_dnn_can_finish(&plan->library.dnn) &&
      finish->is_tf32 == berth_cuda_tf32() &&
      (uintptr_t)params.added % BERTH_DNN_ALIGNMENT == 0) {
    int way = FINISH_AT_ONCE;
    BERTH_TRY(finish_choose(plan, &params, args, call, &way));
    if (way == FINISH_AT_ONCE) return run_at_once(plan, params, args, call);
  }
  return run_apart(plan, params, args, call);
}

// ---- Preparing ----

static berth_conv_image_t image_of(const berth_conv_t *conv, int64_t channels,
                                   int64_t places) {
  bool first = conv->window.layout.channels_first;
  return (berth_conv_image_t){.batch = channels * places,
                              .place = first ? 1 : channels,
                              .channel = first ? places : 1};
}

static void params_set(const berth_conv_t *conv, berth_conv_params_t *params) {
  const berth_window_t *window = &conv->window;
  params->batch = window->batch;
  params->channels = window->channels;
  params->out_channels = window->out_channels;
  params->depth = berth_conv_depth(conv);
  params->out_depth = berth_conv_out_depth(conv);
  params->channels_first = window->layout.channels_first;
  params->x = image_of(conv, window->channels, berth_conv_places(conv));
  params->y = image_of(conv, window->out_channels, berth_conv_out_places(conv));
  for (int i = 0; i < BERTH_WINDOW_AXES; ++i) {
    const berth_window_axis_t *axis = &window->axes[i];
    params->axes[i] =
        (berth_conv_axis_t){axis->in,     axis->out,      axis->window,
                            axis->stride, axis->dilation, axis->before};
  }
}

static berth_code_t prepare_conv(berth_prepare_t *prepare, berth_error_t *err) {
  static const char *const names[] = {
      [BERTH_CONV_OUTPUT] = "berth_conv_output",
      [BERTH_CONV_IMAGE] = "berth_conv_image",
      [BERTH_CONV_FILTER] = "berth_conv_filter",
  };
  berth_conv_t conv;
  BERTH_TRY(berth_op_conv(&prepare->op, &conv, err));
  prepare->run = berth_run_nothing;
  if (conv.is_empty) return BERTH_OK;
  plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  plan->conv = conv;
  int64_t count = berth_dims_count(berth_case_output_dims(&prepare->op, 0));
  if (conv.is_zero) plan->zeros = (size_t)count * berth_dtype_size(conv.dtype);
  params_set(&conv, &plan->params);
  plan->params.count = (uint64_t)count;
  plan->kernel = berth_cuda_kernel_for("conv", names[conv.goal], conv.dtype);
  if (plan->kernel < 0) return berth_error_no_memory(err, "a kernel");
  prepare->run = run_conv;
  if (conv.is_zero) return BERTH_OK;
  if (conv.goal == BERTH_CONV_OUTPUT) {
    static const berth_head_t head = {finish_room, run_finished};
    plan->fold_kernel = berth_cuda_kernel("conv_finish", "berth_conv_fold_f32");
    plan->finish_kernel =
        berth_cuda_kernel("conv_finish", "berth_conv_finish_f32");
    berth_chain_term_head(prepare, conv.dtype, &head);
  }
  return berth_conv_library_prepare(prepare, &plan->conv, &plan->library, err);
}

#define KERNEL(name, set) \
  { .op = name, .types = {{"T", set}}, .prepare = prepare_conv }
#define WITH_INT32 (BERTH_TYPES_FLOATING | BERTH_TYPE(INT32))

const berth_kernel_t berth_cuda_conv_kernels[] = {
    KERNEL("Conv2D", WITH_INT32),
    KERNEL("Conv2DBackpropFilter", BERTH_TYPES_FLOATING),
    KERNEL("Conv2DBackpropInput", WITH_INT32),
    KERNEL("Conv3D", BERTH_TYPES_FLOATING),
    KERNEL("Conv3DBackpropFilterV2", BERTH_TYPES_FLOATING),
    KERNEL("Conv3DBackpropInputV2", BERTH_TYPES_FLOATING),
    KERNEL("DepthwiseConv2dNative", BERTH_TYPES_FLOATING),
    KERNEL("DepthwiseConv2dNativeBackpropFilter", BERTH_TYPES_FLOATING),
    KERNEL("DepthwiseConv2dNativeBackpropInput", BERTH_TYPES_FLOATING),
    {.op = NULL},
};
