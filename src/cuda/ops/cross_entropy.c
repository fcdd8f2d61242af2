// cross_entropy.c - The kernels SoftmaxCrossEntropyWithLogits and the sparse one.
#include "cuda/code/launch.h"
#include "cuda/kernels.h"
#include "cuda/math/team.h"
#include "cuda/ops/cross_entropy_params.h"
#include "op/rows.h"
#include "op/types.h"

enum {
  THREAD_ROW = 32,  // Elements of a row that a thread does alone,
  WARP_ROW = 4096,  // and those that a warp does.
  BLOCKS_PER_PROCESSOR = 32,
};

typedef struct plan {
  int kernel;
  unsigned blocks;
  berth_cross_entropy_params_t params;  // Without addresses.
} plan_t;

static berth_code_t run_loss(const void *arg, void *const *args,
                             berth_call_t *call) {
  const plan_t *plan = arg;
  berth_cross_entropy_params_t params = plan->params;
  params.logits = args[0];
  params.labels = args[1];
  params.losses = args[2];
  params.gradients = args[3];
  return berth_cuda_launch_blocks(call, plan->kernel, plan->blocks,
                                  BERTH_CUDA_BLOCK, &params, sizeof(params));
}

// Decides who does a row. Threads side by side read rows, each its own, which
// pays for short ones alone.
static void spread_rows(plan_t *plan, uint64_t processors) {
  berth_cross_entropy_params_t *params = &plan->params;
  uint64_t of_block = 1;
  params->team = BERTH_TEAM_BLOCK;
  if (params->n <= THREAD_ROW) {
    params->team = BERTH_TEAM_THREAD;
    of_block = BERTH_CUDA_BLOCK;
  } else if (params->n <= WARP_ROW) {
    params->team = BERTH_TEAM_WARP;
    of_block = BERTH_CUDA_BLOCK / BERTH_TEAM_WARP_LANES;
  }
  uint64_t blocks = (params->rows + of_block - 1) / of_block;
  uint64_t most = processors * BLOCKS_PER_PROCESSOR;
  plan->blocks = (unsigned)(blocks < most ? blocks : most);
}

static berth_code_t prepare_loss(berth_prepare_t *prepare,
                                 const berth_cross_entropy_t *loss,
                                 berth_error_t *err) {
  prepare->run = berth_run_nothing;
  if (loss->rows == 0) return BERTH_OK;
  plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  plan->kernel = berth_cuda_kernel_for("cross_entropy", "berth_cross_entropy",
                                       loss->dtype);
  if (plan->kernel < 0) return berth_error_no_memory(err, "a kernel");
  plan->params = (berth_cross_entropy_params_t){
      .rows = (uint64_t)loss->rows,
      .n = (uint64_t)loss->columns,
      .logits_steps = {loss->logits_steps[0], loss->logits_steps[1]},
      .labels_steps = {loss->labels_steps[0], loss->labels_steps[1]},
      .label_bytes = (uint32_t)(loss->label_type == BERTH_INVALID
                                    ? 0
                                    : berth_dtype_size(loss->label_type))};
  spread_rows(plan, (uint64_t)berth_cuda_multiprocessors(prepare->device));
  prepare->run = run_loss;
  return BERTH_OK;
}

static berth_code_t prepare_dense(berth_prepare_t *prepare,
                                  berth_error_t *err) {
  berth_cross_entropy_t loss;
  BERTH_TRY(berth_op_cross_entropy(&prepare->op, &loss, err));
  return prepare_loss(prepare, &loss, err);
}

static berth_code_t prepare_sparse(berth_prepare_t *prepare,
                                   berth_error_t *err) {
  berth_cross_entropy_t loss;
  BERTH_TRY(berth_op_sparse_cross_entropy(&prepare->op, &loss, err));
  return prepare_loss(prepare, &loss, err);
}

const berth_kernel_t berth_cuda_cross_entropy_kernels[] = {
    {.op = "SoftmaxCrossEntropyWithLogits",
     .types = {{"T", BERTH_TYPES_FLOATING}},
     .prepare = prepare_dense},
    {.op = "SparseSoftmaxCrossEntropyWithLogits",
     .types = {{"T", BERTH_TYPES_FLOATING}, {"Tlabels", BERTH_TYPES_INDEX}},
     .prepare = prepare_sparse},
    {.op = NULL},
};
