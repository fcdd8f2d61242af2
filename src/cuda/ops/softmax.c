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
  LOAD = 16,  // Bytes of the longest load.
  // Rows of so few bytes, which a warp reads in a load or two, are as well off
  // without: most of its threads would have nothing to do.
  WIDE_BYTES = 256,
};

// One launch.
typedef struct launch {
  int kernel;
  unsigned blocks, threads;
  berth_softmax_params_t params;  // Without addresses.
} launch_t;

typedef struct plan {
  launch_t plain;
  launch_t wide;  // For rows that are aligned; without blocks: there are none.
} plan_t;

static berth_code_t run_softmax(const void *plan_arg, void *const *args,
                                berth_call_t *call) {
  const plan_t *plan = plan_arg;
  // Views may begin anywhere.
  bool is_aligned = ((uintptr_t)args[0] | (uintptr_t)args[1]) % LOAD == 0;
  const launch_t *launch =
      plan->wide.blocks > 0 && is_aligned ? &plan->wide : &plan->plain;
  berth_softmax_params_t params = launch->params;
  params.in = args[0];
  params.out = args[1];
  return berth_cuda_launch_blocks(call, launch->kernel, launch->blocks,
                                  launch->threads, &params, sizeof(params));
}

// Sets as many blocks as |of_block| rows in each make, up to a number that
// keeps |processors| busy.
static void set_blocks(launch_t *launch, uint64_t of_block,
                       uint64_t processors) {
  uint64_t blocks = (launch->params.rows + of_block - 1) / of_block;
  uint64_t most = processors * BLOCKS_PER_PROCESSOR;
  launch->blocks = (unsigned)(blocks < most ? blocks : most);
}

// Decides who does a row.
static void spread_rows(launch_t *launch, uint64_t processors) {
  berth_softmax_params_t *params = &launch->params;
  uint64_t of_block = 1;
  launch->threads = params->n < MANY_FROM ? SOME_THREADS : MANY_THREADS;
  if (params->n <= BERTH_SOFTMAX_KEPT) {
    params->team = BERTH_TEAM_THREAD;
    of_block = launch->threads;
  } else if (params->n <= WARP_ROW) {
    params->team = BERTH_TEAM_WARP;
    of_block = launch->threads / BERTH_TEAM_WARP_LANES;
  }
  set_blocks(launch, of_block, processors);
}

// The same for rows that are read 16 bytes at a time. A warp is fastest, which
// has nobody to wait for; long rows, or few, are for blocks.
static void spread_wide(launch_t *launch, uint64_t row_bytes,
                        uint64_t processors) {
  uint64_t of_lane = BERTH_SOFTMAX_LOADS * LOAD;
  uint64_t lanes = (row_bytes + of_lane - 1) / of_lane;
  launch->threads = SOME_THREADS;
  if (row_bytes % LOAD != 0 || row_bytes < WIDE_BYTES || lanes > SOME_THREADS) {
    return;
  }
  bool is_warp = lanes <= BERTH_TEAM_WARP_LANES;
  launch->params.team = is_warp ? BERTH_TEAM_WARP : BERTH_TEAM_BLOCK;
  set_blocks(launch, is_warp ? SOME_THREADS / BERTH_TEAM_WARP_LANES : 1,
             processors);
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
  plan->plain.params = (berth_softmax_params_t){.n = (uint64_t)softmax.columns,
                                                .rows = (uint64_t)softmax.rows,
                                                .is_log = is_log};
  plan->wide.params = plan->plain.params;
  bool is_short = plan->plain.params.n <= WARP_ROW;
  plan->plain.kernel = berth_cuda_kernel_for(
      "softmax", is_short ? "berth_softmax_short" : "berth_softmax_long",
      softmax.dtype);
  plan->wide.kernel =
      berth_cuda_kernel_for("softmax", "berth_softmax_wide", softmax.dtype);
  if (plan->plain.kernel < 0 || plan->wide.kernel < 0) {
    return berth_error_no_memory(err, "a kernel");
  }
  uint64_t processors = (uint64_t)berth_cuda_multiprocessors(prepare->device);
  spread_rows(&plan->plain, processors);
  spread_wide(&plan->wide,
              plan->wide.params.n * berth_dtype_size(softmax.dtype),
              processors);
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
