// sparse_segment.c - SparseSegmentSum and its like, with a number of segments,
// and their gradients. Those whose shapes values decide are the host's
// (hosted.c).
#include "cuda/code/launch.h"
#include "cuda/kernels.h"
#include "cuda/ops/sparse_segment_params.h"
#include "op/group.h"
#include "op/types.h"

typedef struct plan {
  int kernel;
  bool is_grad;
  size_t bytes;                  // Of the output.
  berth_sparse_params_t params;  // Without addresses.
} plan_t;

static berth_code_t run_segments(const void *arg, void *const *args,
                                 berth_call_t *call) {
  const plan_t *plan = arg;
  berth_sparse_params_t params = plan->params;
  params.data = args[0];
  params.indices = args[1];
  params.ids = args[2];
  params.out = args[4];
  // What no index names is zero.
  if (plan->is_grad) BERTH_TRY(berth_cuda_clear(call, args[4], plan->bytes));
  uint64_t rows = plan->is_grad ? params.count : params.rows;
  return berth_cuda_launch(call, plan->kernel, rows * params.inner, &params,
                           sizeof(params));
}

static berth_code_t prepare_segments(berth_prepare_t *prepare,
                                     berth_error_t *err) {
  berth_sparse_segments_t segments;
  BERTH_TRY(berth_op_sparse_segments(&prepare->op, &segments, err));
  plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  plan->is_grad = segments.is_grad;
  plan->kernel = berth_cuda_kernel_for(
      "sparse_segment",
      segments.is_grad ? "berth_sparse_grad" : "berth_sparse_segments",
      segments.dtype);
  if (plan->kernel < 0) return berth_error_no_memory(err, "a kernel");
  plan->bytes = (size_t)(segments.rows * segments.inner) *
                berth_dtype_size(segments.dtype);
  plan->params = (berth_sparse_params_t){
      .wide_indices = segments.index_type == BERTH_INT64,
      .wide_ids = segments.id_type == BERTH_INT64,
      .join = (uint32_t)segments.join,
      .count = (uint64_t)segments.count,
      .inner = (uint64_t)segments.inner,
      .data_rows = (uint64_t)segments.data_rows,
      .rows = (uint64_t)segments.rows};
  prepare->run = plan->bytes == 0 ? berth_run_nothing : run_segments;
  return BERTH_OK;
}

#define SEGMENTS(name)                             \
  {                                                \
    .op = name,                                    \
    .types = {{"T", BERTH_TYPES_FLOATING},         \
              {"Tidx", BERTH_TYPES_INDEX},         \
              {"Tsegmentids", BERTH_TYPES_INDEX}}, \
    .prepare = prepare_segments                    \
  }

const berth_kernel_t berth_cuda_sparse_segment_kernels[] = {
    SEGMENTS("SparseSegmentSumWithNumSegments"),
    SEGMENTS("SparseSegmentMeanWithNumSegments"),
    SEGMENTS("SparseSegmentSqrtNWithNumSegments"),
    SEGMENTS("SparseSegmentSumGrad"),
    SEGMENTS("SparseSegmentMeanGrad"),
    SEGMENTS("SparseSegmentSqrtNGrad"),
    {.op = NULL},
};
