// sparse_segment.c - SparseSegmentSum and its like, and their gradients; those
// whose rows values decide, too, are the host's (hosted.c).
#include "base/env.h"
#include "cuda/code/launch.h"
#include "cuda/kernels.h"
#include "cuda/ops/segment.h"
#include "cuda/ops/sparse_segment_params.h"
#include "op/group.h"
#include "op/types.h"

typedef struct plan {
  int kernel, size_kernel;
  bool is_grad;
  size_t bytes;                  // Of the output.
  berth_dtype_t dtype, id_type;  // Of those whose last segment tells.
  berth_dims_t rest;
  berth_sparse_params_t params;  // Without addresses.
} plan_t;

static berth_sparse_params_t params_of(const plan_t *plan, void *const *args,
                                       void *out) {
  berth_sparse_params_t params = plan->params;
  params.data = args[0];
  params.indices = args[1];
  params.ids = args[2];
  params.out = out;
  return params;
}

static berth_code_t run_segments(const void *arg, void *const *args,
                                 berth_call_t *call) {
  const plan_t *plan = arg;
  berth_sparse_params_t params = params_of(plan, args, args[4]);
  return berth_cuda_launch(call, plan->kernel, params.rows * params.inner,
                           &params, sizeof(params));
}

// What no index names is zero.
static berth_code_t run_grad(const void *arg, void *const *args,
                             berth_call_t *call) {
  const plan_t *plan = arg;
  berth_sparse_params_t params = params_of(plan, args, args[4]);
  BERTH_TRY(berth_cuda_clear(call, args[4], plan->bytes));
  if (params.join != 0 && params.data_rows > 0) {
    params.sizes = args[5];
    BERTH_TRY(berth_cuda_clear(call, params.sizes,
                               params.data_rows * sizeof(uint32_t)));
    BERTH_TRY(berth_cuda_launch(call, plan->size_kernel, params.count, &params,
                                sizeof(params)));
  }
  return berth_cuda_launch(call, plan->kernel, params.count * params.inner,
                           &params, sizeof(params));
}

// The last segment tells how many there are.
static berth_code_t run_counted(const void *arg, void *const *args,
                                berth_call_t *call) {
  const plan_t *plan = arg;
  berth_tensor_t *out = NULL;
  BERTH_TRY(berth_segments_make(args[2], plan->id_type,
                                (int64_t)plan->params.count, plan->dtype,
                                plan->rest, call, &out));
  berth_sparse_params_t params = params_of(plan, args, out->data);
  params.rows = (uint64_t)out->dims[0];
  berth_code_t code = berth_cuda_launch(
      call, plan->kernel, (uint64_t)out->count, &params, sizeof(params));
  if (code == BERTH_OK) {
    call->outputs[0] = out;
  } else {
    berth_tensor_release(out);
  }
  return code;
}

// Gradients of float and double are joined as they come, unless every run shall
// give the same.
static const char *kernel_name(const berth_sparse_segments_t *segments) {
  if (!segments->is_grad) return "berth_sparse_segments";
  bool is_ordered = berth_dtype_size(segments->dtype) < sizeof(float) ||
                    berth_env_bool("TF_DETERMINISTIC_OPS", false);
  return is_ordered ? "berth_sparse_grad" : "berth_sparse_join";
}

static berth_code_t prepare_segments(berth_prepare_t *prepare,
                                     berth_error_t *err) {
  berth_sparse_segments_t segments;
  BERTH_TRY(berth_op_sparse_segments(&prepare->op, &segments, err));
  plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  plan->kernel = berth_cuda_kernel_for("sparse_segment", kernel_name(&segments),
                                       segments.dtype);
  plan->size_kernel = berth_cuda_kernel("sparse_segment", "berth_sparse_sizes");
  if (plan->kernel < 0 || plan->size_kernel < 0) {
    return berth_error_no_memory(err, "a kernel");
  }
  plan->dtype = segments.dtype;
  plan->id_type = segments.id_type;
  plan->rest = segments.rest;
  plan->params = (berth_sparse_params_t){
      .wide_indices = segments.index_type == BERTH_INT64,
      .wide_ids = segments.id_type == BERTH_INT64,
      .join = (uint32_t)segments.join,
      .count = (uint64_t)segments.count,
      .inner = (uint64_t)segments.inner,
      .data_rows = (uint64_t)segments.data_rows,
      .rows = (uint64_t)segments.rows};
  prepare->run = segments.is_grad ? run_grad : run_segments;
  if (segments.rows < 0) {
    prepare->run = run_counted;
    return BERTH_OK;
  }
  plan->bytes = (size_t)(segments.rows * segments.inner) *
                berth_dtype_size(segments.dtype);
  if (segments.is_grad && segments.join != BERTH_SPARSE_SUM) {
    prepare->scratch_size = (size_t)segments.data_rows * sizeof(uint32_t);
  }
  if (plan->bytes == 0) prepare->run = berth_run_nothing;
  return BERTH_OK;
}

#define COUNTED(name, more)                                              \
  {                                                                      \
    .op = name,                                                          \
    .types = {{"T", BERTH_TYPES_FLOATING}, {"Tidx", BERTH_TYPES_INDEX}}, \
    .prepare = prepare_segments, .traits = more                          \
  }
#define SEGMENTS(name) COUNTED(name, 0)

const berth_kernel_t berth_cuda_sparse_segment_kernels[] = {
    COUNTED("SparseSegmentSum", BERTH_OP_UNRECORDED),
    COUNTED("SparseSegmentMean", BERTH_OP_UNRECORDED),
    COUNTED("SparseSegmentSqrtN", BERTH_OP_UNRECORDED),
    SEGMENTS("SparseSegmentSumWithNumSegments"),
    SEGMENTS("SparseSegmentMeanWithNumSegments"),
    SEGMENTS("SparseSegmentSqrtNWithNumSegments"),
    SEGMENTS("SparseSegmentSumGrad"),
    SEGMENTS("SparseSegmentMeanGrad"),
    SEGMENTS("SparseSegmentSqrtNGrad"),
    {.op = NULL},
};
