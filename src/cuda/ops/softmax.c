// softmax.c - The kernels Softmax and LogSoftmax over the last dimension.
#include "cuda/code/launch.h"
#include "cuda/kernels.h"
#include "cuda/math/team.h"
#include "cuda/ops/softmax_params.h"
#include "op/rows.h"
#include "op/types.h"

enum {
  WARP_ROW = BERTH_TEAM_WARP_LANES * BERTH_SOFTMAX_KEPT,
  // Threads of a block: more where they have a very long row.
  SOME_THREADS = 256,
  MANY_THREADS = 512,
  MANY_FROM = 16384,
  BLOCKS_PER_PROCESSOR = 32,
};

typedef struct plan {
  int kernel;
  unsigned blocks, threads;
  berth_softmax_params_t params;  // Without addresses.
} plan_t;

static berth_code_t run_softmax(const void *plan_arg, void *const *args,
                                berth_call_t *call) {
  const plan_t *plan = plan_arg;
  berth_softmax_params_t params = plan->params;
  params.in = args[0];
  params.out = args[1];
  return berth_cuda_launch_blocks(call, plan->kernel, plan->blocks,
                                  plan->threads, &params, sizeof(params));
}

// Decides who does a row.
static void spread_rows(plan_t *plan, uint64_t processors) {
  berth_softmax_params_t *params = &plan->params;
  uint64_t of_block = 1;
  plan->threads = params->n < MANY_FROM ? SOME_THREADS : MANY_THREADS;
  if (params->n <= BERTH_SOFTMAX_KEPT) {
    params->team = BERTH_TEAM_THREAD;
    of_block = plan->threads;
  } else if (params->n <= WARP_ROW) {
    params->team = BERTH_TEAM_WARP;
    of_block = plan->threads / BERTH_TEAM_WARP_LANES;
  }
  uint64_t blocks = (params->rows + of_block - 1) / of_block;
  uint64_t most = processors * BLOCKS_PER_PROCESSOR;
  plan->blocks = (unsigned)(blocks < most ? blocks : most);
}

// A team has read all of a row before it writes the first of it.
static berth_code_t prepare_any(berth_prepare_t *prepare, bool is_log,
                                berth_error_t *err) {
  berth_softmax_t softmax;
  BERTH_TRY(berth_op_softmax(&prepare->op, &softmax, err));
  prepare->run = berth_run_nothing;
  if (softmax.rows == 0) return BERTH_OK;
  plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  plan->params.n = (uint64_t)softmax.columns;
  plan->params.rows = (uint64_t)softmax.rows;
  plan->params.is_log = is_log;
  bool is_short = plan->params.n <= WARP_ROW;
  plan->kernel = berth_cuda_kernel_for(
      "softmax", is_short ? "berth_softmax_short" : "berth_softmax_long",
      softmax.dtype);
  if (plan->kernel < 0) return berth_error_no_memory(err, "a kernel");
  spread_rows(plan, (uint64_t)berth_cuda_multiprocessors(prepare->device));
  prepare->run = run_softmax;
  return BERTH_OK;
}

static berth_code_t softmax_prepare(berth_prepare_t *prepare,
                                    berth_error_t *err) {
  return prepare_any(prepare, false, err);
}

static berth_code_t log_softmax_prepare(berth_prepare_t *prepare,
                                        berth_error_t *err) {
  return prepare_any(prepare, true, err);
}

const berth_kernel_t berth_cuda_softmax_kernels[] = {
    {.op = "Softmax",
     .types = {{"T", BERTH_TYPES_FLOATING}},
     .prepare = softmax_prepare},
    {.op = "LogSoftmax",
     .types = {{"T", BERTH_TYPES_FLOATING}},
     .prepare = log_softmax_prepare},
    {.op = NULL},
};
