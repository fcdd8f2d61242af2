// scan.c - Cumsum, Cumprod and CumulativeLogsumexp.
//
// A line is one part where there are lines enough to keep a card busy; else
// parts are added up first, so that each knows where it begins.
#include "cuda/code/launch.h"
#include "cuda/kernels.h"
#include "cuda/math/team.h"
#include "cuda/ops/scan_params.h"
#include "op/group.h"

// Teams that keep a card busy, and how short parts may be for that.
enum { BUSY = 16384, SHORTEST = 256, SHORTEST_OF_WARP = 2048 };

typedef struct plan {
  int totals_kernel, add_kernel, write_kernel;
  berth_scan_params_t params;  // Without addresses.
} plan_t;

static berth_code_t run_scan(const void *arg, void *const *args,
                             berth_call_t *call) {
  const plan_t *plan = arg;
  berth_scan_params_t params = plan->params;
  uint64_t threads =
      params.lines * params.parts * (params.team == BERTH_TEAM_WARP ? 32 : 1);
  params.in = args[0];
  params.out = args[2];
  if (params.parts > 1) {
    params.totals = args[3];
    BERTH_TRY(berth_cuda_launch(call, plan->totals_kernel, threads, &params,
                                sizeof(params)));
    BERTH_TRY(berth_cuda_launch(call, plan->add_kernel, params.lines, &params,
                                sizeof(params)));
  }
  return berth_cuda_launch(call, plan->write_kernel, threads, &params,
                           sizeof(params));
}

// Chooses teams and parts.
static void divide(berth_scan_params_t *params) {
  bool is_warp = params->inner < 32 && params->length >= 32;
  uint64_t shortest = is_warp ? SHORTEST_OF_WARP : SHORTEST;
  uint64_t busy = is_warp ? BUSY / 4 : BUSY;
  params->team = is_warp ? BERTH_TEAM_WARP : BERTH_TEAM_THREAD;
  params->parts = 1;
  if (params->lines < busy) {
    uint64_t wanted = busy / params->lines;
    uint64_t most = (params->length + shortest - 1) / shortest;
    params->parts = wanted < most ? wanted : most;
  }
  params->part = (params->length + params->parts - 1) / params->parts;
  // A warp begins where it left off.
  if (is_warp) params->part = (params->part + 31) / 32 * 32;
  params->parts = (params->length + params->part - 1) / params->part;
}

static berth_code_t prepare_with(berth_prepare_t *prepare, uint32_t how,
                                 berth_error_t *err) {
  berth_scan_t scan;
  BERTH_TRY(berth_op_scan(&prepare->op, &scan, err));
  plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  prepare->run = berth_run_nothing;
  if (prepare->op.inputs[0].count == 0) return BERTH_OK;
  plan->totals_kernel =
      berth_cuda_kernel_of("scan", "berth_scan_totals", scan.dtype);
  plan->add_kernel = berth_cuda_kernel_of("scan", "berth_scan_add", scan.dtype);
  plan->write_kernel =
      berth_cuda_kernel_of("scan", "berth_scan_write", scan.dtype);
  if (plan->totals_kernel < 0 || plan->add_kernel < 0 ||
      plan->write_kernel < 0) {
    return berth_error_no_memory(err, "kernels");
  }
  plan->params =
      (berth_scan_params_t){.lines = (uint64_t)(scan.outer * scan.inner),
                            .length = (uint64_t)scan.length,
                            .inner = (uint64_t)scan.inner,
                            .how = how,
                            .exclusive = scan.exclusive,
                            .reverse = scan.reverse};
  divide(&plan->params);
  if (plan->params.parts > 1) {
    prepare->scratch_size =
        plan->params.lines * plan->params.parts * berth_dtype_size(scan.dtype);
  }
  prepare->run = run_scan;
  return BERTH_OK;
}

static berth_code_t prepare_sum(berth_prepare_t *prepare, berth_error_t *err) {
  return prepare_with(prepare, BERTH_SCAN_SUM, err);
}

static berth_code_t prepare_prod(berth_prepare_t *prepare, berth_error_t *err) {
  return prepare_with(prepare, BERTH_SCAN_PRODUCT, err);
}

static berth_code_t prepare_log(berth_prepare_t *prepare, berth_error_t *err) {
  return prepare_with(prepare, BERTH_SCAN_LOG, err);
}

#define KERNEL(name, t, function)                                 \
  {                                                               \
    .op = name, .types = {{"T", t}, {"Tidx", BERTH_TYPES_INDEX}}, \
    .prepare = prepare_##function                                 \
  }

const berth_kernel_t berth_cuda_scan_kernels[] = {
    KERNEL("Cumsum", BERTH_TYPES_FLOATING | BERTH_TYPES_INDEX, sum),
    KERNEL("Cumprod", BERTH_TYPES_FLOATING | BERTH_TYPES_INDEX, prod),
    KERNEL("CumulativeLogsumexp", BERTH_TYPES_FLOATING, log),
    {.op = NULL},
};
