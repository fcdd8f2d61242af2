// dnn.c - Convolutions by cuDNN: planned once, then queued.
//
// The objects that describe a convolution are made with its plan and dropped
// with it, as those of a product are (blas.c). The library chooses the
// algorithm by the shapes alone; its engines (dnn_choice.h), where it has them,
// are tried, and are used for whatever is not finished by the same call.
#include "cuda/code/dnn.h"
#include "cuda/card/admit.h"

#include "base/alloc.h"
#include "base/env.h"
#include "base/fork.h"
#include "cuda/card/precision.h"
#include "cuda/stream/device_internal.h"

// Cards whose handles are kept; more than the driver shows.
enum { MAX_CARDS = 64 };

enum { EXACT = 0, TF32 = 1 };

// Algorithms that are looked at; the library has fewer of each direction.
enum { MAX_ALGORITHMS = 16 };

// A workspace takes no more, as in TensorFlow, unless its variable says otherwise:
// gradients of large batches would have to do without the library.
enum { ROOM_MB = 4096 };

// ---- Handles ----

typedef struct handle {
  cudnnHandle_t handle;
  uint64_t generation;  // Of the card when it was made; 0: none.
} handle_t;

// Guards the table, and is held while a handle is used: it has one stream.
static berth_mutex_t lock = BERTH_MUTEX_INIT;
BERTH_FORK_HOLDS(lock, BERTH_FORK_HANDLE)
static handle_t handles[MAX_CARDS];

// Stores the handle of |card|, whose context is bound. Lock held.
static berth_code_t get_handle(berth_cuda_card_t *card,
                               cudnnHandle_t *out_handle, berth_error_t *err) {
  if (card->index >= MAX_CARDS) {
    return berth_error_set(err, BERTH_UNIMPLEMENTED,
                           "cuDNN is used on the first %d GPUs only",
                           MAX_CARDS);
  }
  handle_t *kept = &handles[card->index];
  uint64_t live = atomic_load(&card->live);
  if (kept->generation != live) {
    // One of an older generation went with its context.
    kept->generation = 0;
    berth_cuda_act_t act;
    BERTH_TRY(berth_cuda_admit(card, BERTH_COST_LIBRARY, &act, err));
    cudnnStatus_t status = BERTH_DNN(cudnnCreate, &kept->handle);
    berth_cuda_admitted(&act);
    if (status != CUDNN_STATUS_SUCCESS) {
      return berth_cudnn_error(err, status, "cudnnCreate");
    }
    kept->generation = live;
  }
  *out_handle = kept->handle;
  return BERTH_OK;
}

void berth_dnn_forget(const berth_cuda_card_t *card) {
  if (card->index >= MAX_CARDS) return;
  handle_t *kept = &handles[card->index];
  berth_mutex_lock(&lock);
  if (kept->generation != 0) (void)BERTH_DNN(cudnnDestroy, kept->handle);
  kept->generation = 0;
  berth_mutex_unlock(&lock);
}

// ---- Describing ----

// No fault points: what frees host memory does not fail.
static void objects_deinit(berth_dnn_objects_t *objects) {
  const berth_cudnn_api_t *api = &berth_cudnn_api;
  for (int i = 0; i < BERTH_DNN_WAYS; ++i) {
    if (objects->ways[i] != NULL)
      api->cudnnDestroyConvolutionDescriptor(objects->ways[i]);
  }
  if (objects->relu != NULL)
    api->cudnnDestroyActivationDescriptor(objects->relu);
  if (objects->plain != NULL)
    api->cudnnDestroyActivationDescriptor(objects->plain);
  if (objects->bias != NULL) api->cudnnDestroyTensorDescriptor(objects->bias);
  if (objects->filter != NULL)
    api->cudnnDestroyFilterDescriptor(objects->filter);
  if (objects->output != NULL)
    api->cudnnDestroyTensorDescriptor(objects->output);
  if (objects->image != NULL) api->cudnnDestroyTensorDescriptor(objects->image);
  *objects = (berth_dnn_objects_t){0};
}

// What the arena of a plan calls. What belongs to a context that is gone is left
// alone: it may hold code that went with it.
static void plan_drop(void *arg) {
  berth_dnn_plan_t *plan = arg;
  objects_deinit(&plan->objects);
  if (plan->choice == NULL) return;
  if (plan->generation == atomic_load(&plan->card->live)) {
    berth_dnn_choice_deinit(plan->choice);
  }
  berth_free(plan->choice);
}

enum { MAX_RANK = BERTH_WINDOW_AXES + 2 };

// Describes the image, or the output: dimensions are batch, channels, space
// whatever their order in memory is.
static berth_code_t set_tensor(cudnnTensorDescriptor_t desc,
                               const berth_conv_t *conv, bool is_output,
                               berth_error_t *err) {
  const berth_window_t *window = &conv->window;
  int axes = window->layout.axes, dims[MAX_RANK], strides[MAX_RANK];
  bool first = window->layout.channels_first;
  int channels = (int)(is_output ? window->out_channels : window->channels);
  int step = first ? 1 : channels;
  for (int i = axes; i-- > 0;) {
    const berth_window_axis_t *axis = &berth_dnn_axes(conv)[i];
    dims[i + 2] = (int)(is_output ? axis->out : axis->in);
    strides[i + 2] = step;
    step *= dims[i + 2];
  }
  dims[0] = (int)window->batch;
  dims[1] = channels;
  strides[1] = first ? step : 1;
  strides[0] = first ? step * channels : step;
  BERTH_DNN_TRY(err, cudnnSetTensorNdDescriptor, desc,
                berth_dnn_type(conv->dtype), axes + 2, dims, strides);
  return BERTH_OK;
}

static berth_code_t set_filter(cudnnFilterDescriptor_t desc,
                               const berth_conv_t *conv, berth_error_t *err) {
  int axes = conv->window.layout.axes, dims[MAX_RANK];
  dims[0] = (int)conv->window.out_channels;
  dims[1] = (int)berth_conv_depth(conv);
  for (int i = 0; i < axes; ++i)
    dims[i + 2] = (int)berth_dnn_axes(conv)[i].window;
  BERTH_DNN_TRY(err, cudnnSetFilterNdDescriptor, desc,
                berth_dnn_type(conv->dtype),
                conv->window.layout.channels_first ? CUDNN_TENSOR_NCHW
                                                   : CUDNN_TENSOR_NHWC,
                axes + 2, dims);
  return BERTH_OK;
}

static berth_code_t set_way(cudnnConvolutionDescriptor_t desc,
                            const berth_conv_t *conv, cudnnMathType_t math,
                            berth_error_t *err) {
  int axes = conv->window.layout.axes;
  int pads[BERTH_WINDOW_AXES], strides[BERTH_WINDOW_AXES];
  int dilations[BERTH_WINDOW_AXES];
  for (int i = 0; i < axes; ++i) {
    const berth_window_axis_t *axis = &berth_dnn_axes(conv)[i];
    pads[i] = (int)axis->before;
    strides[i] = (int)axis->stride;
    dilations[i] = (int)axis->dilation;
  }
  BERTH_DNN_TRY(err, cudnnSetConvolutionNdDescriptor, desc, axes, pads, strides,
                dilations, CUDNN_CROSS_CORRELATION, CUDNN_DATA_FLOAT);
  BERTH_DNN_TRY(err, cudnnSetConvolutionGroupCount, desc, (int)conv->groups);
  BERTH_DNN_TRY(err, cudnnSetConvolutionMathType, desc, math);
  return BERTH_OK;
}

// What the library is asked for. Floats lose digits on tensor cores, numbers of
// 16 bits do not.
static cudnnMathType_t math_of(const berth_conv_t *conv, int way) {
  if (conv->dtype != BERTH_FLOAT) return CUDNN_TENSOR_OP_MATH;
  return way == TF32 ? CUDNN_DEFAULT_MATH : CUDNN_FMA_MATH;
}

// Describes what may be done to outputs.
static berth_code_t set_finish(berth_dnn_objects_t *objects,
                               const berth_conv_t *conv, berth_error_t *err) {
  int channels = (int)conv->window.out_channels;
  int axes = conv->window.layout.axes, dims[MAX_RANK], strides[MAX_RANK];
  for (int i = 0; i < axes + 2; ++i) {
    dims[i] = i == 1 ? channels : 1;
    strides[i] = i == 0 ? channels : 1;
  }
  BERTH_DNN_TRY(err, cudnnCreateTensorDescriptor, &objects->bias);
  BERTH_DNN_TRY(err, cudnnSetTensorNdDescriptor, objects->bias,
                CUDNN_DATA_FLOAT, axes + 2, dims, strides);
  BERTH_DNN_TRY(err, cudnnCreateActivationDescriptor, &objects->plain);
  BERTH_DNN_TRY(err, cudnnCreateActivationDescriptor, &objects->relu);
  BERTH_DNN_TRY(err, cudnnSetActivationDescriptor, objects->plain,
                CUDNN_ACTIVATION_IDENTITY, CUDNN_PROPAGATE_NAN, 0);
  BERTH_DNN_TRY(err, cudnnSetActivationDescriptor, objects->relu,
                CUDNN_ACTIVATION_RELU, CUDNN_PROPAGATE_NAN, 0);
  return BERTH_OK;
}

// On failure |plan->objects| holds what was made so far.
static berth_code_t objects_init(berth_dnn_plan_t *plan,
                                 const berth_conv_t *conv, berth_error_t *err) {
  berth_dnn_objects_t *objects = &plan->objects;
  BERTH_DNN_TRY(err, cudnnCreateTensorDescriptor, &objects->image);
  BERTH_DNN_TRY(err, cudnnCreateTensorDescriptor, &objects->output);
  BERTH_DNN_TRY(err, cudnnCreateFilterDescriptor, &objects->filter);
  BERTH_TRY(set_tensor(objects->image, conv, false, err));
  BERTH_TRY(set_tensor(objects->output, conv, true, err));
  BERTH_TRY(set_filter(objects->filter, conv, err));
  for (int way = EXACT; way <= (plan->has_tf32 ? TF32 : EXACT); ++way) {
    BERTH_DNN_TRY(err, cudnnCreateConvolutionDescriptor, &objects->ways[way]);
    BERTH_TRY(set_way(objects->ways[way], conv, math_of(conv, way), err));
  }
  if (conv->goal == BERTH_CONV_OUTPUT && conv->dtype == BERTH_FLOAT) {
    return set_finish(objects, conv, err);
  }
  return BERTH_OK;
}

// ---- Choosing ----

static berth_code_t ask(const berth_dnn_plan_t *plan, int way,
                        cudnnHandle_t handle, int *out_count,
                        cudnnConvolutionAlgoPerf_t *results,
                        berth_error_t *err) {
  const berth_dnn_objects_t *at = &plan->objects;
  switch (plan->goal) {
    case BERTH_CONV_OUTPUT:
      BERTH_DNN_TRY(err, cudnnGetConvolutionForwardAlgorithm_v7, handle,
                    at->image, at->filter, at->ways[way], at->output,
                    MAX_ALGORITHMS, out_count, results);
      return BERTH_OK;
    case BERTH_CONV_IMAGE:
      BERTH_DNN_TRY(err, cudnnGetConvolutionBackwardDataAlgorithm_v7, handle,
                    at->filter, at->output, at->ways[way], at->image,
                    MAX_ALGORITHMS, out_count, results);
      return BERTH_OK;
    default:
      BERTH_DNN_TRY(err, cudnnGetConvolutionBackwardFilterAlgorithm_v7, handle,
                    at->image, at->output, at->ways[way], at->filter,
                    MAX_ALGORITHMS, out_count, results);
      return BERTH_OK;
  }
}

// Takes the best algorithm for |way| that is deterministic, needs at most
// |room| bytes and keeps as many digits as |math| does. BERTH_UNIMPLEMENTED
// when there is none.
static berth_code_t choose(berth_dnn_plan_t *plan, int way,
                           cudnnMathType_t math, uint64_t room,
                           berth_error_t *err) {
  cudnnConvolutionAlgoPerf_t results[MAX_ALGORITHMS];
  cudnnHandle_t handle = NULL;
  int count = 0;
  berth_mutex_lock(&lock);
  berth_code_t code = get_handle(plan->card, &handle, err);
  if (code == BERTH_OK) code = ask(plan, way, handle, &count, results, err);
  berth_mutex_unlock(&lock);
  if (code != BERTH_OK) return code;
  for (int i = 0; i < count; ++i) {
    const cudnnConvolutionAlgoPerf_t *found = &results[i];
    bool is_exact = math != CUDNN_FMA_MATH || found->mathType == math;
    if (found->status != CUDNN_STATUS_SUCCESS || found->memory > room ||
        found->determinism != CUDNN_DETERMINISTIC || !is_exact) {
      continue;
    }
    BERTH_DNN_TRY(err, cudnnSetConvolutionMathType, plan->objects.ways[way],
                  found->mathType);
    plan->algorithms[way] = found->algo;
    plan->workspaces[way] = found->memory;
    return BERTH_OK;
  }
  return berth_error_set(err, BERTH_UNIMPLEMENTED,
                         "cuDNN has no algorithm for this convolution that is "
                         "deterministic and needs at most %llu bytes",
                         (unsigned long long)room);
}

static uint64_t most_room(void) {
  int64_t mib = berth_env_int("TF_CUDNN_WORKSPACE_LIMIT_IN_MB", ROOM_MB);
  return mib <= 0 ? 0 : (uint64_t)mib << 20;
}

static int way_now(const berth_dnn_plan_t *plan) {
  return plan->has_tf32 && berth_cuda_tf32() ? TF32 : EXACT;
}

// Chooses for the precision that is wanted now, and for the other one what fits
// into the same workspace.
static berth_code_t choose_all(berth_dnn_plan_t *plan, const berth_conv_t *conv,
                               berth_error_t *err) {
  int now = way_now(plan), other = now == TF32 ? EXACT : TF32;
  BERTH_TRY(choose(plan, now, math_of(conv, now), most_room(), err));
  if (!plan->has_tf32) return BERTH_OK;
  berth_error_t reason = BERTH_ERROR_INIT;
  berth_code_t code =
      choose(plan, other, math_of(conv, other), plan->workspaces[now], &reason);
  if (code != BERTH_OK && code != BERTH_UNIMPLEMENTED) {
    return berth_error_move(err, &reason);
  }
  berth_error_clear(&reason);
  return BERTH_OK;
}

// Makes |plan->choice| for the precision that is wanted now, if the library has
// engines for it.
static berth_code_t make_choice(berth_dnn_plan_t *plan,
                                const berth_conv_t *conv, berth_error_t *err) {
  berth_dnn_choice_t *choice = berth_calloc(1, sizeof(*choice));
  if (choice == NULL) return berth_error_no_memory(err, "a convolution");
  plan->choice_way = way_now(plan);
  plan->generation = atomic_load(&plan->card->live);
  bool is_exact = math_of(conv, plan->choice_way) == CUDNN_FMA_MATH;
  cudnnHandle_t handle = NULL;
  berth_mutex_lock(&lock);
  berth_code_t code = get_handle(plan->card, &handle, err);
  if (code == BERTH_OK) {
    code = berth_dnn_choice_init(choice, conv, plan->card->name, handle,
                                 is_exact, most_room(), err);
  }
  berth_mutex_unlock(&lock);
  if (code == BERTH_OK && choice->count > 0) {
    plan->choice = choice;
  } else {
    berth_free(choice);
  }
  return code;
}

// ---- Preparing ----

// The library counts with 32 bits.
static bool is_countable(const berth_conv_t *conv) {
  const berth_window_t *window = &conv->window;
  double image = (double)window->batch * (double)window->channels;
  double output = (double)window->batch * (double)window->out_channels;
  double filter = (double)berth_conv_depth(conv) * (double)window->out_channels;
  bool is_small = true;
  for (int i = 0; i < BERTH_WINDOW_AXES; ++i) {
    const berth_window_axis_t *axis = &window->axes[i];
    image *= (double)axis->in;
    output *= (double)axis->out;
    filter *= (double)axis->window;
    is_small = is_small && axis->stride < INT32_MAX &&
               axis->dilation < INT32_MAX && axis->before < INT32_MAX;
  }
  return is_small && image < INT32_MAX && output < INT32_MAX &&
         filter < INT32_MAX;
}

static berth_code_t check_conv(const berth_conv_t *conv, berth_error_t *err) {
  if (conv->dtype != BERTH_FLOAT && conv->dtype != BERTH_HALF &&
      conv->dtype != BERTH_BFLOAT16) {
    return berth_error_set(err, BERTH_UNIMPLEMENTED,
                           "cuDNN is not asked for numbers of this type");
  }
  if (!is_countable(conv)) {
    return berth_error_set(err, BERTH_UNIMPLEMENTED,
                           "cuDNN takes no images as large as these");
  }
  return BERTH_OK;
}

berth_code_t berth_dnn_prepare(berth_prepare_t *prepare,
                               const berth_conv_t *conv,
                               berth_dnn_plan_t *out_plan, berth_error_t *err) {
  berth_dnn_plan_t plan = {.goal = conv->goal, .algorithms = {-1, -1}};
  BERTH_TRY(check_conv(conv, err));
  BERTH_TRY(berth_cudnn_open(err));
  BERTH_TRY(berth_device_start(prepare->device, err));
  plan.card = ((berth_cuda_device_t *)prepare->device)->card;
  plan.has_tf32 = berth_cuda_card_has_tf32(plan.card, conv->dtype);
  BERTH_TRY(berth_cuda_bind(plan.card, err));

  berth_code_t code = objects_init(&plan, conv, err);
  if (code == BERTH_OK) code = choose_all(&plan, conv, err);
  // What the library's kernels take they take when they first run.
  if (code == BERTH_OK) {
    code = berth_cuda_expect(plan.card, BERTH_COST_PLAN, err);
  }
  if (code == BERTH_OK) code = make_choice(&plan, conv, err);
  if (code != BERTH_OK) {
    objects_deinit(&plan.objects);
    return code;
  }
  *out_plan = plan;
  if (berth_prepare_own(prepare, out_plan, plan_drop)) return BERTH_OK;
  return berth_error_no_memory(err, "the plan of a convolution");
}

uint64_t berth_dnn_room(const berth_dnn_plan_t *plan) {
  uint64_t room = plan->choice != NULL ? plan->choice->workspace : 0;
  for (int way = 0; way < BERTH_DNN_WAYS; ++way) {
    if (plan->workspaces[way] > room) room = plan->workspaces[way];
  }
  return room;
}

bool berth_dnn_is_ready(const berth_dnn_plan_t *plan) {
  return plan->algorithms[way_now(plan)] >= 0;
}

bool berth_dnn_can_finish(const berth_dnn_plan_t *plan) {
  return plan->objects.relu != NULL &&
         plan->algorithms[way_now(plan)] ==
             CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM;
}

// ---- Running ----

static const float one = 1, zero = 0;

// Lock held; the stream is set.
static berth_code_t queue_finished(const berth_dnn_plan_t *plan, int way,
                                   const berth_dnn_operands_t *to,
                                   cudnnHandle_t handle, berth_error_t *err) {
  const berth_dnn_objects_t *at = &plan->objects;
  BERTH_DNN_TRY(err, cudnnConvolutionBiasActivationForward, handle, &one,
                at->image, to->image, at->filter, to->filter, at->ways[way],
                plan->algorithms[way], to->workspace, plan->workspaces[way],
                to->added != NULL ? &one : &zero, at->output,
                to->added != NULL ? to->added : to->output, at->bias, to->bias,
                to->is_relu ? at->relu : at->plain, at->output, to->output);
  return BERTH_OK;
}

// Lock held.
static berth_code_t queue(const berth_dnn_plan_t *plan, int way,
                          const berth_dnn_operands_t *to, berth_call_t *call) {
  CUstream stream = ((berth_cuda_stream_t *)call->stream)->native;
  berth_error_t *err = call->err;
  const berth_dnn_objects_t *at = &plan->objects;
  int algorithm = plan->algorithms[way];
  size_t room = plan->workspaces[way];
  cudnnHandle_t handle = NULL;
  BERTH_TRY(get_handle(plan->card, &handle, err));
  BERTH_DNN_TRY(err, cudnnSetStream, handle, stream);
  if (to->bias != NULL) return queue_finished(plan, way, to, handle, err);
  if (plan->choice != NULL && plan->choice_way == way &&
      plan->generation == atomic_load(&plan->card->live)) {
    const berth_dnn_addresses_t addresses = {to->image, to->filter, to->output,
                                             to->workspace};
    return berth_dnn_choice_run(plan->choice, plan->card, handle, &addresses,
                                !berth_cuda_thread_records(), call);
  }
  switch (plan->goal) {
    case BERTH_CONV_OUTPUT:
      BERTH_DNN_TRY(err, cudnnConvolutionForward, handle, &one, at->image,
                    to->image, at->filter, to->filter, at->ways[way], algorithm,
                    to->workspace, room, &zero, at->output, to->output);
      return BERTH_OK;
    case BERTH_CONV_IMAGE:
      BERTH_DNN_TRY(err, cudnnConvolutionBackwardData, handle, &one, at->filter,
                    to->filter, at->output, to->output, at->ways[way],
                    algorithm, to->workspace, room, &zero, at->image,
                    to->image);
      return BERTH_OK;
    default:
      BERTH_DNN_TRY(err, cudnnConvolutionBackwardFilter, handle, &one,
                    at->image, to->image, at->output, to->output, at->ways[way],
                    algorithm, to->workspace, room, &zero, at->filter,
                    to->filter);
      return BERTH_OK;
  }
}

berth_code_t berth_dnn_run(const berth_dnn_plan_t *plan,
                           const berth_dnn_operands_t *at, berth_call_t *call) {
  berth_cuda_stream_t *stream = (berth_cuda_stream_t *)call->stream;
  BERTH_TRY(berth_cuda_stream_enter(stream, call->err));
  berth_mutex_lock(&lock);
  berth_code_t code = queue(plan, way_now(plan), at, call);
  berth_mutex_unlock(&lock);
  if (code == BERTH_OK) berth_cuda_stream_queued(stream);
  return code;
}
