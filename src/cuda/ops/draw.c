// draw.c - The kernels Multinomial and StatelessMultinomial.
#include "cuda/code/launch.h"
#include "cuda/kernels.h"
#include "cuda/ops/draw_params.h"
#include "op/distribution.h"
#include "op/types.h"
#include "state/generator.h"

enum { MOST_BLOCKS = 65536 };

typedef struct plan {
  int sums, draw;  // Kernels.
  bool is_seeded, is_seed_wide;
  berth_draw_params_t params;  // Without addresses.
} plan_t;

// Seeds are on the host; without them the node has a sequence, of which as much
// is taken as TensorFlow takes.
static berth_philox_t begin(const plan_t *plan, void *const *args,
                            berth_call_t *call) {
  uint64_t each = (plan->params.count + 3) / 4 * 4 * 2;
  if (!plan->is_seeded) {
    return berth_generator_reserve(
        (berth_generator_t *)call->resource,
        plan->params.rows * each * BERTH_GENERATOR_STEPS);
  }
  const int64_t *wide = args[2];
  const int32_t *narrow = args[2];
  uint64_t key, counter[2];
  berth_philox_scramble((uint64_t)(plan->is_seed_wide ? wide[0] : narrow[0]),
                        (uint64_t)(plan->is_seed_wide ? wide[1] : narrow[1]),
                        &key, counter);
  return berth_philox_keyed(key, counter[0], counter[1]);
}

static berth_code_t run_draw(const void *arg, void *const *args,
                             berth_call_t *call) {
  const plan_t *plan = arg;
  int out = plan->is_seeded ? 3 : 2;
  berth_draw_params_t params = plan->params;
  params.logits = args[0];
  params.out = args[out];
  params.sums = args[out + 1];
  params.start = begin(plan, args, call);
  unsigned blocks =
      params.rows < MOST_BLOCKS ? (unsigned)params.rows : MOST_BLOCKS;
  BERTH_TRY(berth_cuda_launch_blocks(call, plan->sums, blocks, BERTH_CUDA_BLOCK,
                                     &params, sizeof(params)));
  return berth_cuda_launch(call, plan->draw, params.rows * params.count,
                           &params, sizeof(params));
}

static berth_code_t prepare_draw(berth_prepare_t *prepare, berth_error_t *err) {
  const berth_case_input_t *logits = &prepare->op.inputs[0];
  int64_t count = 0;
  BERTH_TRY(berth_op_multinomial(&prepare->op, &count, err));
  plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  *plan = (plan_t){
      .sums = berth_cuda_kernel_for("draw", "berth_draw_sums", logits->dtype),
      .draw = berth_cuda_kernel("draw", "berth_draw"),
      .is_seeded = prepare->op.input_count > 2,
      .params = {.rows = (uint64_t)logits->dims[0],
                 .classes = (uint64_t)logits->dims[1],
                 .count = (uint64_t)count,
                 .is_wide = prepare->op.node->output_types[0] == BERTH_INT64}};
  if (plan->sums < 0 || plan->draw < 0) {
    return berth_error_no_memory(err, "a kernel");
  }
  plan->is_seed_wide =
      plan->is_seeded && prepare->op.inputs[2].dtype == BERTH_INT64;
  prepare->scratch_size = (size_t)logits->count * sizeof(double);
  prepare->run = logits->dims[0] * count > 0 ? run_draw : berth_run_nothing;
  return BERTH_OK;
}

#define KERNEL(name)                                               \
  {                                                                \
    .op = name,                                                    \
    .types = {{"T", BERTH_TYPES_FLOATING & ~BERTH_TYPE(BFLOAT16)}, \
              {"output_dtype", BERTH_TYPES_INDEX}},                \
    .prepare = prepare_draw                                        \
  }

const berth_kernel_t berth_cuda_draw_kernels[] = {
    KERNEL("Multinomial"),
    KERNEL("StatelessMultinomial"),
    {.op = NULL},
};
