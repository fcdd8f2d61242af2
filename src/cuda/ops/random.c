// random.c - Random numbers.
//
// A node has one sequence (state/generator.h), which the host keeps: a run
// reserves its part there, in the order in which runs are queued, and tells the
// kernel where it begins.
#include "cuda/code/launch.h"
#include "cuda/kernels.h"
#include "cuda/ops/random_params.h"
#include "kernel/handle.h"
#include "kernel/rng.h"
#include "op/source.h"
#include "state/generator.h"

typedef struct plan {
  int kernel;
  berth_dtype_t dtype;
  uint64_t count;   // Outputs.
  uint64_t groups;  // Of outputs, one thread's work each.
  berth_random_start_t start;
  bool is_seed_wide;      // Seeds are of 64 bits.
  bool has_long_counter;  // The counter is two numbers.
  int limits, out;        // Among the arguments.
} plan_t;

// ---- Running ----

static uint64_t seed_of(bool is_wide, const void *seeds, int index) {
  return is_wide ? (uint64_t)((const int64_t *)seeds)[index]
                 : (uint64_t)(int64_t)((const int32_t *)seeds)[index];
}

// Says where the sequence begins. Seeds are on the host, a key is on the card.
static void begin(const plan_t *plan, void *const *args, berth_call_t *call,
                  berth_random_params_t *params) {
  uint64_t key = 0, counter[2] = {0, 0};
  switch (plan->start) {
    case BERTH_RANDOM_SEED:
      berth_philox_scramble(seed_of(plan->is_seed_wide, args[1], 0),
                            seed_of(plan->is_seed_wide, args[1], 1), &key,
                            counter);
      params->start = berth_philox_keyed(key, counter[0], counter[1]);
      return;
    case BERTH_RANDOM_KEY:
      params->key = args[1];
      params->counter = args[2];
      params->counters = plan->has_long_counter ? 2 : 1;
      return;
    default:
      params->start =
          berth_generator_reserve((berth_generator_t *)call->resource,
                                  plan->count * BERTH_GENERATOR_STEPS);
      return;
  }
}

// Queues the kernel for its part of the sequence.
static berth_code_t run_plan(const plan_t *plan, void *const *args,
                             berth_random_params_t *params,
                             berth_call_t *call) {
  params->out = args[plan->out];
  params->count = plan->count;
  if (plan->start == BERTH_RANDOM_STATE) {
    int64_t state[BERTH_RNG_STATE];
    BERTH_TRY(berth_rng_reserve(args[0], plan->count, call, state));
    params->start = berth_rng_start(state);
  } else {
    begin(plan, args, call, params);
  }
  return berth_cuda_launch(call, plan->kernel, plan->groups, params,
                           sizeof(*params));
}

static berth_code_t run_reals(const void *plan, void *const *args,
                              berth_call_t *call) {
  berth_random_params_t params = {0};
  return run_plan(plan, args, &params, call);
}

// The limits are on the host.
static berth_code_t run_integers(const void *plan_arg, void *const *args,
                                 berth_call_t *call) {
  const plan_t *plan = plan_arg;
  berth_random_params_t params = {0};
  BERTH_TRY(berth_random_limits(plan->dtype, args[plan->limits],
                                args[plan->limits + 1], &params.low,
                                &params.range, call->err));
  return run_plan(plan, args, &params, call);
}

// ---- Preparing ----

// Returns the type a kernel is made for: bits have no sign.
static berth_dtype_t bits_type(const berth_random_t *random) {
  if (random->distribution != BERTH_RANDOM_BITS) return random->dtype;
  return random->group == 2 ? BERTH_UINT64 : BERTH_UINT32;
}

static berth_code_t prepare_random(berth_prepare_t *prepare,
                                   berth_error_t *err) {
  static const char *const names[] = {
      [BERTH_RANDOM_UNIFORM] = "berth_uniform",
      [BERTH_RANDOM_NORMAL] = "berth_normal",
      [BERTH_RANDOM_TRUNCATED] = "berth_truncated",
      [BERTH_RANDOM_INTEGERS] = "berth_integers",
      [BERTH_RANDOM_BITS] = "berth_bits"};
  berth_random_t random;
  BERTH_TRY(berth_op_random(&prepare->op, &random, err));
  plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  uint64_t group = (uint64_t)random.group;
  plan->dtype = random.dtype;
  plan->start = random.start;
  plan->has_long_counter = random.has_long_counter;
  plan->limits = random.limits;
  plan->out = prepare->op.input_count;
  plan->is_seed_wide = random.start == BERTH_RANDOM_SEED &&
                       prepare->op.inputs[1].dtype == BERTH_INT64;
  plan->count = (uint64_t)random.count;
  plan->groups = (plan->count + group - 1) / group;
  plan->kernel = berth_cuda_kernel_for("random", names[random.distribution],
                                       bits_type(&random));
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

#define STATEFUL(name, types_)                                        \
  {                                                                   \
    .op = name,                                                       \
    .types = {{"dtype", types_}, {"shape_dtype", BERTH_TYPES_INDEX}}, \
    .prepare = prepare_random, .traits = BERTH_OP_UNRECORDED          \
  }
#define SEEDED(name, types_)                                            \
  {                                                                     \
    .op = name, .types = {{"dtype", types_}, {"T", BERTH_TYPES_INDEX}}, \
    .prepare = prepare_random                                           \
  }
#define KEYED(name, types_)                                                  \
  {                                                                          \
    .op = name, .types = {{"dtype", types_}, {"Tshape", BERTH_TYPES_INDEX}}, \
    .prepare = prepare_random                                                \
  }
#define BITS_TYPES (BERTH_TYPES_INDEX | BERTH_TYPE(UINT32) | BERTH_TYPE(UINT64))

const berth_kernel_t berth_cuda_random_kernels[] = {
    RANDOM("RandomUniform", "dtype", BERTH_TYPES_FLOATING),
    RANDOM("RandomStandardNormal", "dtype", BERTH_TYPES_FLOATING),
    RANDOM("TruncatedNormal", "dtype", BERTH_TYPES_FLOATING),
    RANDOM("RandomUniformInt", "Tout", BERTH_TYPES_INDEX),
    SEEDED("StatelessRandomUniform", BERTH_TYPES_FLOATING),
    SEEDED("StatelessRandomNormal", BERTH_TYPES_FLOATING),
    SEEDED("StatelessTruncatedNormal", BERTH_TYPES_FLOATING),
    SEEDED("StatelessRandomUniformInt", BERTH_TYPES_INDEX),
    SEEDED("StatelessRandomUniformFullInt", BITS_TYPES),
    KEYED("StatelessRandomUniformV2", BERTH_TYPES_FLOATING),
    KEYED("StatelessRandomNormalV2", BERTH_TYPES_FLOATING),
    KEYED("StatelessTruncatedNormalV2", BERTH_TYPES_FLOATING),
    KEYED("StatelessRandomUniformIntV2", BERTH_TYPES_INDEX),
    KEYED("StatelessRandomUniformFullIntV2", BITS_TYPES),
    STATEFUL("StatefulUniform", BERTH_TYPES_FLOATING),
    STATEFUL("StatefulStandardNormalV2", BERTH_TYPES_FLOATING),
    STATEFUL("StatefulTruncatedNormal", BERTH_TYPES_FLOATING),
    STATEFUL("StatefulUniformInt", BERTH_TYPES_INDEX),
    STATEFUL("StatefulUniformFullInt", BITS_TYPES),
    {.op = NULL},
};
