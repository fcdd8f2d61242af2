// random.c - Random numbers.
//
// A node has one sequence (state/generator.h), which the host keeps: a run
// reserves its part there, in the order in which runs are queued, and tells the
// kernel where it begins.
#include "cuda/code/launch.h"
#include "cuda/kernels.h"
#include "cuda/ops/random_params.h"
#include "kernel/handle.h"
#include "op/source.h"
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
  berth_random_params_t params = {.out = args[3]};
  BERTH_TRY(berth_random_limits(plan->dtype, args[1], args[2], &params.low,
                                &params.range, call->err));
  return run_plan(plan, &params, call);
}

// ---- Preparing ----

static berth_code_t prepare_random(berth_prepare_t *prepare,
                                   berth_error_t *err) {
  static const char *const names[] = {
      [BERTH_RANDOM_UNIFORM] = "berth_uniform",
      [BERTH_RANDOM_NORMAL] = "berth_normal",
      [BERTH_RANDOM_TRUNCATED] = "berth_truncated",
      [BERTH_RANDOM_INTEGERS] = "berth_integers"};
  berth_random_t random;
  BERTH_TRY(berth_op_random(&prepare->op, &random, err));
  plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  uint64_t group = (uint64_t)random.group;
  plan->dtype = random.dtype;
  plan->count = (uint64_t)random.count;
  plan->groups = (plan->count + group - 1) / group;
  plan->kernel =
      berth_cuda_kernel_for("random", names[random.distribution], random.dtype);
  if (plan->kernel < 0) return berth_error_no_memory(err, "a kernel");
  bool is_whole = random.distribution == BERTH_RANDOM_INTEGERS;
  prepare->run = random.count == 0 ? berth_run_nothing
                 : is_whole        ? run_integers
                                   : run_reals;
  return BERTH_OK;
}

// Every run draws from another part of the sequence, so none can be recorded.
#define RANDOM(name, attr, types_)                                   \
  {                                                                  \
    .op = name, .types = {{attr, types_}, {"T", BERTH_TYPE(INT32)}}, \
    .prepare = prepare_random, .traits = BERTH_OP_UNRECORDED         \
  }

const berth_kernel_t berth_cuda_random_kernels[] = {
    RANDOM("RandomUniform", "dtype", BERTH_TYPES_FLOATING),
    RANDOM("RandomStandardNormal", "dtype", BERTH_TYPES_FLOATING),
    RANDOM("TruncatedNormal", "dtype", BERTH_TYPES_FLOATING),
    RANDOM("RandomUniformInt", "Tout", BERTH_TYPES_INDEX),
    {.op = NULL},
};
