// count.c - Bincount and DenseBincount; LowerBound and UpperBound.
#include <string.h>

#include "base/env.h"
#include "cuda/code/launch.h"
#include "cuda/kernels.h"
#include "cuda/ops/count_params.h"
#include "op/group.h"

// ---- Bincount ----

typedef struct bins_plan {
  int kernel;
  bool is_ordered, has_weights;
  size_t bytes;                // Of the output.
  berth_bins_params_t params;  // Without addresses.
} bins_plan_t;

static berth_code_t run_bins(const void *arg, void *const *args,
                             berth_call_t *call) {
  const bins_plan_t *plan = arg;
  berth_bins_params_t params = plan->params;
  params.values = args[0];
  params.weights = plan->has_weights ? args[2] : NULL;
  params.out = args[3];
  BERTH_TRY(berth_cuda_clear(call, args[3], plan->bytes));
  return berth_cuda_launch(
      call, plan->kernel,
      params.rows * (plan->is_ordered ? params.size : params.columns), &params,
      sizeof(params));
}

static berth_code_t prepare_bins(berth_prepare_t *prepare, berth_error_t *err) {
  berth_bins_t bins;
  berth_dtype_t dtype = prepare->op.inputs[2].dtype;
  BERTH_TRY(berth_op_bincount(&prepare->op, &bins, err));
  bins_plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  plan->has_weights = bins.has_weights;
  // Sums of weights show in which order they were added.
  plan->is_ordered = bins.has_weights && dtype == BERTH_FLOAT &&
                     !bins.is_binary &&
                     berth_env_bool("TF_DETERMINISTIC_OPS", false);
  bool is_held =
      bins.rows == 1 && bins.size <= BERTH_BINS_HELD && !bins.is_binary;
  plan->kernel = berth_cuda_kernel_for("count",
                                       plan->is_ordered ? "berth_bins_ordered"
                                       : is_held        ? "berth_bins_held"
                                                        : "berth_bins",
                                       dtype);
  if (plan->kernel < 0) return berth_error_no_memory(err, "a kernel");
  plan->bytes = (size_t)(bins.rows * bins.size) * berth_dtype_size(dtype);
  plan->params = (berth_bins_params_t){
      .rows = (uint64_t)bins.rows,
      .columns = (uint64_t)bins.columns,
      .size = (uint64_t)bins.size,
      .index_size = (uint32_t)berth_dtype_size(bins.index_type),
      .is_binary = bins.is_binary};
  prepare->run = plan->bytes > 0 ? run_bins : berth_run_nothing;
  return BERTH_OK;
}

// ---- LowerBound, UpperBound ----

typedef struct bound_plan {
  int kernel;
  berth_bound_params_t params;  // Without addresses.
} bound_plan_t;

static berth_code_t run_bound(const void *arg, void *const *args,
                              berth_call_t *call) {
  const bound_plan_t *plan = arg;
  berth_bound_params_t params = plan->params;
  params.sorted = args[0];
  params.values = args[1];
  params.out = args[2];
  return berth_cuda_launch(call, plan->kernel, params.rows * params.count,
                           &params, sizeof(params));
}

static berth_code_t prepare_bound(berth_prepare_t *prepare,
                                  berth_error_t *err) {
  const berth_case_input_t *in = prepare->op.inputs;
  const berth_node_t *node = prepare->op.node;
  BERTH_TRY(berth_op_bound(&prepare->op, err));
  bound_plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  plan->kernel = berth_cuda_kernel_for("count", "berth_bound", in[0].dtype);
  if (plan->kernel < 0) return berth_error_no_memory(err, "a kernel");
  plan->params = (berth_bound_params_t){
      .rows = (uint64_t)in[0].dims[0],
      .columns = (uint64_t)in[0].dims[1],
      .count = (uint64_t)in[1].dims[1],
      .is_upper = strcmp(node->op->name, "UpperBound") == 0,
      .out_size = (uint32_t)berth_dtype_size(node->output_types[0])};
  prepare->run = in[1].count > 0 ? run_bound : berth_run_nothing;
  return BERTH_OK;
}

#define BINS (BERTH_TYPE(INT32) | BERTH_TYPE(FLOAT))
#define BOUND(name)                                                      \
  {                                                                      \
    .op = name,                                                          \
    .types = {{"T", BERTH_TYPES_REAL}, {"out_type", BERTH_TYPES_INDEX}}, \
    .prepare = prepare_bound                                             \
  }

const berth_kernel_t berth_cuda_count_kernels[] = {
    {.op = "Bincount", .types = {{"T", BINS}}, .prepare = prepare_bins},
    {.op = "DenseBincount",
     .types = {{"T", BINS}, {"Tidx", BERTH_TYPES_INDEX}},
     .prepare = prepare_bins},
    BOUND("LowerBound"),
    BOUND("UpperBound"),
    {.op = NULL},
};
