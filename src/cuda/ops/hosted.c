// hosted.c - Kernels of cards that are computed by the host.
//
// For ops that no card does well, or that are not used enough to be worth a
// kernel: what they take goes to the host, the CPU's kernel works there, and
// what it gives comes back. A run of it waits for the stream, so it is not part
// of a recording.
#include <string.h>

#include "base/alloc.h"
#include "cuda/code/launch.h"
#include "cuda/kernels.h"
#include "cuda/ops/hosted.h"
#include "cuda/stream/device.h"
#include "device/backend.h"
#include "device/device.h"
#include "graph/registration.h"

typedef struct plan {
  berth_run_fn run;  // The CPU's, and its plan. NULL: output 0 is an input.
  const void *plan;
  size_t scratch_size;
  bool makes;        // It makes its outputs itself.
  int8_t alias;      // The input that is output 0.
  uint64_t on_host;  // Outputs that stay in host memory, a bit for each.
  int output_count;
  berth_shape_t outputs[];
} plan_t;

// ---- Running ----

// Everything a run has made.
typedef struct work {
  int input_count, output_count;
  berth_tensor_t **inputs;   // In host memory.
  berth_tensor_t **outputs;  // The same.
  berth_tensor_t **brought;  // Outputs where they belong.
  void **args;
  void *scratch;
} work_t;

static void work_deinit(work_t *work) {
  for (int i = 0; i < work->input_count; ++i) {
    berth_tensor_release(work->inputs[i]);
  }
  for (int i = 0; i < work->output_count; ++i) {
    berth_tensor_release(work->outputs[i]);
    berth_tensor_release(work->brought[i]);
  }
  berth_free(work->inputs);
  berth_free(work->args);
  berth_free(work->scratch);
}

static berth_code_t work_init(work_t *work, const plan_t *plan,
                              berth_call_t *call) {
  size_t inputs = (size_t)call->node->input_count;
  size_t outputs = (size_t)plan->output_count;
  *work = (work_t){.inputs = berth_calloc(inputs + 2 * outputs + 1,
                                          sizeof(berth_tensor_t *)),
                   .args = berth_calloc(inputs + outputs + 1, sizeof(void *)),
                   .scratch = berth_alloc(plan->scratch_size + 64)};
  if (work->inputs == NULL || work->args == NULL || work->scratch == NULL) {
    berth_free(work->inputs);
    berth_free(work->args);
    berth_free(work->scratch);
    return berth_error_no_memory(call->err, "a run on the host");
  }
  work->input_count = (int)inputs;
  work->output_count = (int)outputs;
  work->outputs = work->inputs + inputs;
  work->brought = work->outputs + outputs;
  return BERTH_OK;
}

// Copies |from| to the memory of |allocator| and waits: memory of the host that
// is not pinned is not in use any more when a copy is queued.
static berth_code_t bring(berth_tensor_t *from, berth_allocator_t *allocator,
                          berth_call_t *call, berth_tensor_t **out) {
  const berth_stream_ops_t *streams = call->stream->device->backend->streams;
  berth_device_t *to_device = allocator != NULL ? allocator->device : NULL;
  if (from->device == to_device) {
    *out = berth_tensor_retain(from);
    return BERTH_OK;
  }
  BERTH_TRY(berth_tensor_make(allocator, from->dtype, from->rank, from->dims,
                              from->count, out, call->err));
  if (from->size == 0) return BERTH_OK;
  BERTH_TRY(streams->copy(call->stream, to_device, (*out)->data, from->device,
                          from->data, from->size, call->err));
  return berth_cuda_wait(call, NULL);
}

static berth_code_t make_outputs(work_t *work, const plan_t *plan,
                                 berth_call_t *call) {
  for (int i = 0; !plan->makes && i < work->output_count; ++i) {
    berth_dims_t dims = berth_shape_dims(&plan->outputs[i]);
    BERTH_TRY(berth_tensor_make(NULL, call->node->output_types[i], dims.rank,
                                dims.dims, berth_dims_count(dims),
                                &work->outputs[i], call->err));
    work->args[work->input_count + i] = work->outputs[i]->data;
  }
  return BERTH_OK;
}

static berth_code_t work_do(work_t *work, const plan_t *plan,
                            berth_call_t *call) {
  for (int i = 0; i < work->input_count; ++i) {
    BERTH_TRY(bring(call->inputs[i], NULL, call, &work->inputs[i]));
    work->args[i] = work->inputs[i]->data;
  }
  BERTH_TRY(make_outputs(work, plan, call));
  uintptr_t scratch = ((uintptr_t)work->scratch + 63) & ~(uintptr_t)63;
  work->args[work->input_count + work->output_count] = (void *)scratch;
  berth_call_t on_host = *call;
  on_host.allocator = NULL;
  on_host.stream = NULL;
  on_host.inputs = work->inputs;
  on_host.outputs = work->outputs;
  BERTH_TRY(plan->run(plan->plan, work->args, &on_host));
  for (int i = 0; i < work->output_count; ++i) {
    bool stays = (plan->on_host >> (i < 63 ? i : 63) & 1) != 0 ||
                 !berth_dtype_is_plain(call->node->output_types[i]);
    BERTH_TRY(bring(work->outputs[i], stays ? NULL : call->allocator, call,
                    &work->brought[i]));
  }
  return BERTH_OK;
}

static berth_code_t run_hosted(const void *arg, void *const *args,
                               berth_call_t *call) {
  (void)args;
  const plan_t *plan = arg;
  work_t work;
  BERTH_TRY(work_init(&work, plan, call));
  berth_code_t code = work_do(&work, plan, call);
  for (int i = 0; code == BERTH_OK && i < work.output_count; ++i) {
    call->outputs[i] = work.brought[i];
    work.brought[i] = NULL;
  }
  work_deinit(&work);
  return code;
}

// Does what is done with an input that is handed on: it is looked at.
static berth_code_t look(const plan_t *plan, berth_call_t *call) {
  work_t work;
  BERTH_TRY(work_init(&work, plan, call));
  berth_code_t code = work_do(&work, plan, call);
  work_deinit(&work);
  return code;
}

// Hands the input on in another shape.
static berth_code_t run_alias(const void *arg, void *const *args,
                              berth_call_t *call) {
  (void)args;
  const plan_t *plan = arg;
  if (plan->run != NULL) BERTH_TRY(look(plan, call));
  berth_tensor_t *in = call->inputs[plan->alias];
  berth_dims_t dims = berth_shape_dims(&plan->outputs[0]);
  return berth_tensor_view(in->buffer, in->data, call->node->output_types[0],
                           dims.rank, dims.dims, berth_dims_count(dims),
                           in->device, &call->outputs[0], call->err);
}

// ---- Preparing ----

// Finds which outputs are in host memory: of a list, all or none.
static uint64_t outputs_on_host(const berth_node_t *node) {
  const berth_registration_t *registration =
      berth_registration_find(node, BERTH_FOR_GPU);
  if (registration == NULL) return 0;
  if (node->output_count == node->op->output_count) {
    return registration->host_outputs;
  }
  return (registration->host_outputs & 1) != 0 ? UINT64_MAX : 0;
}

berth_code_t berth_cuda_prepare_hosted(berth_prepare_t *prepare,
                                       berth_error_t *err) {
  const berth_node_t *node = prepare->op.node;
  const berth_kernel_t *kernel =
      berth_kernel_find(berth_kernel_host(), node, NULL);
  if (kernel == NULL) {
    return berth_error_set(err, BERTH_INTERNAL, "%s has no kernel on the host",
                           node->op->name);
  }
  size_t outputs = (size_t)prepare->op.output_count;
  BERTH_TRY(kernel->prepare(prepare, err));
  plan_t made = {
      .run = prepare->run,
      .plan = prepare->plan,
      .scratch_size = prepare->scratch_size,
      .makes = ((node->op->traits | kernel->traits) & BERTH_OP_MAKES) != 0,
      .alias = prepare->op.alias,
      .on_host = outputs_on_host(node),
      .output_count = (int)outputs};
  plan_t *plan = berth_prepare_plan(
      prepare, sizeof(*plan) + outputs * sizeof(plan->outputs[0]));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  *plan = made;
  for (size_t i = 0; i < outputs; ++i)
    plan->outputs[i] = prepare->op.outputs[i];
  prepare->run = plan->alias >= 0 ? run_alias : run_hosted;
  prepare->op.alias = -1;
  prepare->op.may_overwrite = 0;
  prepare->scratch_size = 0;
  return BERTH_OK;
}

// The CPU's kernel decides what can be done.
static bool select_hosted(const berth_node_t *node, berth_str_t *why) {
  return berth_kernel_find(berth_kernel_host(), node, why) != NULL;
}

const berth_kernel_t berth_cuda_hosted_kernels[] = {
    // TensorFlow keeps int32 on the host.
    {.op = "ClipByValue",
     .types = {{"T", BERTH_TYPE(INT32)}},
     .prepare = berth_cuda_prepare_hosted,
     .traits = BERTH_HOSTED_TRAITS},
    {.op = "Unique",
     .types = {{"T", BERTH_TYPES_BASIC & ~BERTH_TYPES_INDEX}},
     .prepare = berth_cuda_prepare_hosted,
     .traits = BERTH_HOSTED_TRAITS,
     .select = select_hosted},
    {.op = NULL},
};

// Of these the CPU's kernel alone decides what is taken.
#define HOSTED(name) name

static const char *const names[] = {
    HOSTED("AdjustContrast"),
    HOSTED("AnonymousIteratorV3"),
    HOSTED("ApproxTopK"),
    HOSTED("BatchNormWithGlobalNormalization"),
    HOSTED("BatchNormWithGlobalNormalizationGrad"),
    HOSTED("BesselJ0"),
    HOSTED("BesselJ1"),
    HOSTED("BesselY0"),
    HOSTED("BesselY1"),
    HOSTED("Betainc"),
    HOSTED("BlockLSTM"),
    HOSTED("BlockLSTMGrad"),
    HOSTED("BlockLSTMGradV2"),
    HOSTED("BlockLSTMV2"),
    HOSTED("CTCLossV2"),
    HOSTED("CheckNumericsV2"),
    HOSTED("CropAndResizeGradBoxes"),
    HOSTED("CropAndResizeGradImage"),
    HOSTED("Cross"),
    HOSTED("DataFormatDimMap"),
    HOSTED("DataFormatVecPermute"),
    HOSTED("DeepCopy"),
    HOSTED("DeleteIterator"),
    HOSTED("Dilation2D"),
    HOSTED("Dilation2DBackpropFilter"),
    HOSTED("Dilation2DBackpropInput"),
    HOSTED("Empty"),
    HOSTED("EuclideanNorm"),
    HOSTED("ExtractVolumePatches"),
    HOSTED("FakeQuantWithMinMaxVarsPerChannel"),
    HOSTED("FakeQuantWithMinMaxVarsPerChannelGradient"),
    HOSTED("FakeParam"),
    HOSTED("FresnelCos"),
    HOSTED("FresnelSin"),
    HOSTED("GRUBlockCell"),
    HOSTED("GRUBlockCellGrad"),
    HOSTED("HistogramFixedWidth"),
    HOSTED("ImageProjectiveTransformV2"),
    HOSTED("ImageProjectiveTransformV3"),
    HOSTED("InplaceAdd"),
    HOSTED("InplaceSub"),
    HOSTED("InplaceUpdate"),
    HOSTED("IteratorFromStringHandleV2"),
    HOSTED("IteratorGetNext"),
    HOSTED("IteratorGetNextAsOptional"),
    HOSTED("IteratorGetNextSync"),
    HOSTED("IteratorToStringHandle"),
    HOSTED("IteratorV2"),
    HOSTED("LSTMBlockCell"),
    HOSTED("LSTMBlockCellGrad"),
    HOSTED("MakeIterator"),
    HOSTED("MaxPoolGradGradWithArgmax"),
    HOSTED("MaxPoolGradWithArgmax"),
    HOSTED("OptionalFromValue"),
    HOSTED("OptionalGetValue"),
    HOSTED("OptionalHasValue"),
    HOSTED("OptionalNone"),
    HOSTED("ParallelConcat"),
    HOSTED("ParameterizedTruncatedNormal"),
    HOSTED("Qr"),
    HOSTED("QuantizeAndDequantizeV2"),
    HOSTED("QuantizeAndDequantizeV3"),
    HOSTED("QuantizeAndDequantizeV4"),
    HOSTED("QuantizeAndDequantizeV4Grad"),
    HOSTED("RaggedFillEmptyRows"),
    HOSTED("RaggedFillEmptyRowsGrad"),
    HOSTED("SparseConcat"),
    HOSTED("SparseFillEmptyRows"),
    HOSTED("SparseFillEmptyRowsGrad"),
    HOSTED("SparseReorder"),
    HOSTED("SparseReshape"),
    HOSTED("SparseSegmentMeanGradV2"),
    HOSTED("SparseSegmentSqrtNGradV2"),
    HOSTED("SparseSegmentSumGradV2"),
    HOSTED("SparseSlice"),
    HOSTED("SparseSliceGrad"),
    HOSTED("SparseSplit"),
    HOSTED("StatelessRandomGammaV2"),
    HOSTED("StatelessRandomGammaV3"),
    HOSTED("TridiagonalMatMul"),
    HOSTED("TridiagonalSolve"),
    HOSTED("UniqueWithCounts"),
    HOSTED("_FusedBatchNormEx"),
    HOSTED("_FusedBatchNormGradEx"),
    HOSTED("_FusedConv2D"),
    HOSTED("_FusedMatMul"),
    HOSTED("_HostCast"),
    HOSTED("_TensorToHashBucketFast"),
};

// Tables of these would be addresses for the most part, which take three times
// the room.
static berth_kernel_t kernels[BERTH_COUNT_OF(names) + 1];

berth_code_t berth_cuda_add_hosted(berth_error_t *err) {
  for (int i = 0; i < BERTH_COUNT_OF(names); ++i) {
    kernels[i] = (berth_kernel_t){.op = names[i],
                                  .prepare = berth_cuda_prepare_hosted,
                                  .traits = BERTH_HOSTED_TRAITS,
                                  .select = select_hosted};
  }
  return berth_kernel_add(&berth_cuda_backend, kernels, err);
}
