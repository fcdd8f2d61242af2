// random.c - Random numbers.
//
// A node has one sequence (state/generator.h), which the host keeps: a run
// reserves its part there, in the order in which runs are queued, and tells the
// kernel where it begins.
#include "cuda/code/launch.h"
#include "cuda/kernels.h"
#include "cuda/ops/random_params.h"
#include "kernel/handle.h"
#include "op/types.h"
#include "state/generator.h"

typedef struct plan {
  int kernel;
  berth_dtype_t dtype;
  uint64_t count;   // Outputs.
  uint64_t groups;  // Of outputs, one thread's work each.
} plan_t;

// ---- Running ----

// Reserves a part of the sequence and queues the kernel.
static berth_code_t run_plan(const plan_t *plan, berth_random_params_t *params,
                             berth_call_t *call) {
  params->count = plan->count;
  params->start = berth_generator_reserve((berth_generator_t *)call->resource,
                                          plan->count * BERTH_GENERATOR_STEPS);
  return berth_cuda_launch(call, plan->kernel, plan->groups, params,
                           sizeof(*params));
}

static berth_code_t run_reals(const void *plan, void *const *args,
                              berth_call_t *call) {
  berth_random_params_t params = {.out = args[1]};
  return run_plan(plan, &params, call);
}

// The limits are on the host.
static berth_code_t run_integers(const void *plan_arg, void *const *args,
                                 berth_call_t *call) {
  const plan_t *plan = plan_arg;
  bool is_wide = plan->dtype == BERTH_INT64;
  int64_t low = is_wide ? *(const int64_t *)args[1] : *(const int32_t *)args[1];
  int64_t high =
      is_wide ? *(const int64_t *)args[2] : *(const int32_t *)args[2];
  if (low >= high) {
    return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                           "Need minval < maxval, got %lld >= %lld",
                           (long long)low, (long long)high);
  }
  berth_random_params_t params = {.out = args[3],
                                  .low = (uint64_t)low,
                                  .range = (uint64_t)high - (uint64_t)low};
  return run_plan(plan, &params, call);
}

// ---- Preparing ----

// |what| is what its kernels are called.
static berth_code_t prepare_any(berth_prepare_t *prepare, const char *what,
                                berth_error_t *err) {
  BERTH_TRY(berth_cuda_prepare_shapes(prepare, err));
  berth_dtype_t dtype = prepare->op.node->output_types[0];
  plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  plan->dtype = dtype;
  plan->count =
      (uint64_t)berth_dims_count(berth_shape_dims(&prepare->op.outputs[0]));
  uint64_t group = berth_dtype_size(dtype) == 8 ? 2 : 4;
  plan->groups = (plan->count + group - 1) / group;
  plan->kernel = berth_cuda_kernel_for("random", what, dtype);
  if (plan->kernel < 0) return berth_error_no_memory(err, "a kernel");
  prepare->run = plan->count > 0 ? run_reals : berth_run_nothing;
  return BERTH_OK;
}

static berth_code_t prepare_uniform(berth_prepare_t *prepare,
                                    berth_error_t *err) {
  return prepare_any(prepare, "berth_uniform", err);
}
static berth_code_t prepare_normal(berth_prepare_t *prepare,
                                   berth_error_t *err) {
  return prepare_any(prepare, "berth_normal", err);
}
static berth_code_t prepare_truncated(berth_prepare_t *prepare,
                                      berth_error_t *err) {
  return prepare_any(prepare, "berth_truncated", err);
}
static berth_code_t prepare_integers(berth_prepare_t *prepare,
                                     berth_error_t *err) {
  BERTH_TRY(prepare_any(prepare, "berth_integers", err));
  if (prepare->run == run_reals) prepare->run = run_integers;
  return BERTH_OK;
}

// Every run draws from another part of the sequence, so none can be recorded.
#define RANDOM(name, attr, types_, function)                         \
  {                                                                  \
    .op = name, .types = {{attr, types_}, {"T", BERTH_TYPE(INT32)}}, \
    .prepare = function, .traits = BERTH_OP_UNRECORDED               \
  }

const berth_kernel_t berth_cuda_random_kernels[] = {
    RANDOM("RandomUniform", "dtype", BERTH_TYPES_FLOATING, prepare_uniform),
    RANDOM("RandomStandardNormal", "dtype", BERTH_TYPES_FLOATING,
           prepare_normal),
    RANDOM("TruncatedNormal", "dtype", BERTH_TYPES_FLOATING, prepare_truncated),
    RANDOM("RandomUniformInt", "Tout", BERTH_TYPES_INDEX, prepare_integers),
    {.op = NULL},
};
