// top_k.c - The kernel TopKV2: picks the first few of every row, or sorts it by
// a bitonic network.
//
// Picking goes through a row once, and for each of the few through the share of
// one thread again. A network has no data to wait for: log2(n) (log2(n) + 1) / 2 steps sort
// whatever comes. A block does them all where its shared memory holds the row;
// for longer rows each step is one launch over all of them.
#include "cuda/ops/top_k_params.h"

#include "cuda/code/launch.h"
#include "cuda/kernels.h"
#include "cuda/math/team.h"
#include "op/rows.h"
#include "op/types.h"

enum { BLOCKS_PER_PROCESSOR = 32 };

// The few that are picked, at most; a row that a warp picks from.
enum { FEW = 64, WARP_ROW = 4096, WARP = 32 };

typedef struct plan {
  int pick_kernel;  // -1: rows are sorted.
  int keys_kernel, step_kernel, sort_kernel, take_kernel;
  unsigned blocks;              // That sort; each a row at a time.
  berth_top_k_params_t params;  // Without addresses.
} plan_t;

static berth_code_t sort(const plan_t *plan, berth_top_k_params_t *params,
                         berth_call_t *call) {
  uint64_t pairs = params->rows * params->width / 2;
  if (params->width <= BERTH_TOP_K_HELD) {
    return berth_cuda_launch_blocks(call, plan->sort_kernel, plan->blocks,
                                    BERTH_CUDA_BLOCK, params, sizeof(*params));
  }
  for (params->run = 2; params->run <= params->width; params->run *= 2) {
    for (params->apart = params->run / 2; params->apart > 0;
         params->apart /= 2) {
      BERTH_TRY(berth_cuda_launch(call, plan->step_kernel, pairs, params,
                                  sizeof(*params)));
    }
  }
  return BERTH_OK;
}

static berth_code_t run_top(const void *arg, void *const *args,
                            berth_call_t *call) {
  const plan_t *plan = arg;
  berth_top_k_params_t params = plan->params;
  uint64_t entries = params.rows * params.width;
  params.in = args[0];
  params.values = args[2];
  params.indices = args[3];
  params.keys = args[4];
  params.entries = (uint32_t *)((char *)args[4] + entries * sizeof(uint64_t));
  BERTH_TRY(berth_cuda_launch(call, plan->keys_kernel, entries, &params,
                              sizeof(params)));
  BERTH_TRY(sort(plan, &params, call));
  return berth_cuda_launch(call, plan->take_kernel, params.rows * params.k,
                           &params, sizeof(params));
}

static berth_code_t run_pick(const void *arg, void *const *args,
                             berth_call_t *call) {
  const plan_t *plan = arg;
  berth_top_k_params_t params = plan->params;
  params.in = args[0];
  params.values = args[2];
  params.indices = args[3];
  if (params.team == BERTH_TEAM_WARP) {
    return berth_cuda_launch(call, plan->pick_kernel, params.rows * WARP,
                             &params, sizeof(params));
  }
  return berth_cuda_launch_blocks(call, plan->pick_kernel, plan->blocks,
                                  BERTH_CUDA_BLOCK, &params, sizeof(params));
}

static berth_code_t find_kernels(berth_dtype_t dtype, bool can_pick,
                                 plan_t *plan, berth_error_t *err) {
  static const char *const takes[] = {
      "berth_top_k_take_x1", "berth_top_k_take_x2", "berth_top_k_take_x4",
      "berth_top_k_take_x8"};
  int class = __builtin_ctzll((unsigned long long)berth_dtype_size(dtype));
  // Both kinds of half floats are in the order of their bits.
  berth_dtype_t kind = dtype == BERTH_BFLOAT16 ? BERTH_HALF : dtype;
  plan->pick_kernel =
      can_pick ? berth_cuda_kernel_for("top_k", "berth_top_k_pick", kind) : -1;
  plan->keys_kernel = berth_cuda_kernel_for("top_k", "berth_top_k_keys", kind);
  plan->step_kernel = berth_cuda_kernel("top_k", "berth_top_k_step");
  plan->sort_kernel = berth_cuda_kernel("top_k", "berth_top_k_sort");
  plan->take_kernel = berth_cuda_kernel("top_k", takes[class]);
  bool has_all = plan->keys_kernel >= 0 && plan->step_kernel >= 0 &&
                 plan->sort_kernel >= 0 && plan->take_kernel >= 0;
  return has_all ? BERTH_OK : berth_error_no_memory(err, "kernels");
}

static berth_code_t prepare_top(berth_prepare_t *prepare, berth_error_t *err) {
  berth_top_k_t top;
  BERTH_TRY(berth_op_top_k(&prepare->op, &top, err));
  prepare->run = berth_run_nothing;
  if (top.rows == 0 || top.k == 0) return BERTH_OK;
  plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  bool can_pick =
      top.k <= FEW && berth_dtype_size(top.dtype) <= 4 && top.n < INT32_MAX;
  BERTH_TRY(find_kernels(top.dtype, can_pick, plan, err));
  uint64_t width = 1;
  while (width < (uint64_t)top.n) width *= 2;
  plan->params = (berth_top_k_params_t){.rows = (uint64_t)top.rows,
                                        .n = (uint64_t)top.n,
                                        .k = (uint64_t)top.k,
                                        .width = width};
  uint64_t most = (uint64_t)berth_cuda_multiprocessors(prepare->device) *
                  BLOCKS_PER_PROCESSOR;
  plan->blocks =
      (unsigned)(plan->params.rows < most ? plan->params.rows : most);
  if (plan->pick_kernel >= 0) {
    plan->params.team = top.n <= WARP_ROW ? BERTH_TEAM_WARP : BERTH_TEAM_BLOCK;
    prepare->run = run_pick;
    return BERTH_OK;
  }
  prepare->scratch_size =
      plan->params.rows * width * (sizeof(uint64_t) + sizeof(uint32_t));
  prepare->run = run_top;
  return BERTH_OK;
}

#define TYPES (BERTH_TYPES_ARITHMETIC & ~BERTH_TYPES_COMPLEX)

const berth_kernel_t berth_cuda_top_k_kernels[] = {
    {.op = "TopKV2",
     .types = {{"T", TYPES}, {"index_type", BERTH_TYPE(INT32)}},
     .prepare = prepare_top},
    {.op = NULL},
};
