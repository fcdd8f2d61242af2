// chain_steps.c - Groups with several outputs that are done step by step.
//
// Where no kernel can be written for such a group (chain_text.h), the kernels of
// its steps run one after the other, as one: what only they see lies in scratch
// space. So do parts that the group reads where they lie: they are copied. That is
// for small groups; large ones had better stay apart, so that memory is used again
// between them.
#include "cuda/ops/chain_internal.h"
#include "cuda/ops/move_plan.h"

enum { ALIGNMENT = 256, MOST_ROOM = 1 << 20 };

typedef struct steps_plan {
  const berth_fused_t *steps;
  int step_count;
  int argument_count;                 // Scratch space is behind them.
  size_t offset[BERTH_CHAIN_STEPS];   // By step: of its result.
  size_t scratch[BERTH_CHAIN_STEPS];  // By step: of its own scratch space.
} steps_plan_t;

// Returns where the result of step |s| is.
static void *result_at(const steps_plan_t *plan, void *const *args, int s) {
  int32_t result = plan->steps[s].result;
  if (result >= 0) return args[result];
  return (char *)args[plan->argument_count] + plan->offset[s];
}

static berth_code_t run_steps(const void *arg, void *const *args,
                              berth_call_t *call) {
  const steps_plan_t *plan = arg;
  for (int s = 0; s < plan->step_count; ++s) {
    const berth_fused_t *step = &plan->steps[s];
    void *own[BERTH_CHAIN_TEXT_OPERANDS + 2];
    for (int i = 0; i < step->input_count; ++i) {
      int32_t from = step->inputs[i];
      own[i] = from >= 0 ? args[from] : result_at(plan, args, ~from);
    }
    own[step->input_count] = result_at(plan, args, s);
    own[step->input_count + 1] =
        (char *)args[plan->argument_count] + plan->scratch[s];
    BERTH_TRY(step->view != NULL ? berth_cuda_moves_run(step->plan, own, call)
                                 : step->run(step->plan, own, call));
  }
  return BERTH_OK;
}

// Plans |step|, a view, as a copy of the part that it is.
static berth_code_t view_plan(berth_fused_t *step, berth_dtype_t dtype,
                              berth_prepare_t *prepare, berth_error_t *err) {
  const berth_view_t *view = step->view;
  berth_move_spec_t spec = {.rank = 2,
                            .from_offset = view->offset,
                            .dims = {view->count / view->run, view->run},
                            .from_steps = {view->stride, 1},
                            .to_steps = {view->run, 1}};
  berth_prepare_t copy = {.op = {.arena = prepare->op.arena, .alias = -1},
                          .device = prepare->device};
  berth_moves_t moves;
  berth_moves_init(&moves, dtype);
  BERTH_TRY(berth_moves_add(&copy.op, &moves, &spec, 0, 1, err));
  BERTH_TRY(berth_cuda_moves_plan(&copy, &moves, err));
  step->plan = copy.plan;
  return BERTH_OK;
}

// Takes |size| bytes of scratch space; returns where they begin.
static size_t room_take(size_t *room, size_t size) {
  size_t begin = *room;
  *room += (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  return begin;
}

// Copies the steps of |fusion|, which are gone when it is planned.
static berth_fused_t *steps_keep(const berth_fusion_t *fusion,
                                 berth_arena_t *arena) {
  size_t count = (size_t)fusion->step_count;
  berth_fused_t *steps =
      berth_arena_memdup(arena, fusion->steps, count * sizeof(*steps));
  for (size_t s = 0; steps != NULL && s < count; ++s) {
    size_t size = (size_t)steps[s].input_count * sizeof(*steps[s].inputs);
    steps[s].inputs = berth_arena_memdup(arena, steps[s].inputs, size);
    if (steps[s].inputs == NULL) return NULL;
  }
  return steps;
}

berth_code_t berth_chain_fuse_steps(const berth_fusion_t *fusion,
                                    berth_prepare_t *prepare,
                                    berth_error_t *err) {
  steps_plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  size_t room = 0;
  for (int s = 0; s < fusion->step_count; ++s) {
    const berth_gpu_term_t *term = berth_gpu_term(fusion, s);
    const berth_view_t *view = fusion->steps[s].view;
    int64_t count = view != NULL ? view->count : term->term.count;
    size_t size = (size_t)count * berth_dtype_size(term->to);
    bool is_stored = fusion->steps[s].result >= 0;
    // A normalisation has more outputs, which its own kernel writes.
    bool is_norm = fusion->steps[s].input_count > 2;
    if (is_norm || size > MOST_ROOM) return BERTH_UNIMPLEMENTED;
    plan->offset[s] = room_take(&room, is_stored ? 0 : size);
    size_t own = view == NULL ? fusion->steps[s].scratch_size : 0;
    plan->scratch[s] = room_take(&room, own);
    if (room > MOST_ROOM) return BERTH_UNIMPLEMENTED;
  }
  berth_fused_t *steps = steps_keep(fusion, prepare->op.arena);
  if (steps == NULL) return berth_error_no_memory(err, "a plan");
  for (int s = 0; s < fusion->step_count; ++s) {
    if (steps[s].view == NULL) continue;
    BERTH_TRY(
        view_plan(&steps[s], berth_gpu_term(fusion, s)->to, prepare, err));
  }
  plan->steps = steps;
  plan->step_count = fusion->step_count;
  plan->argument_count = fusion->input_count + fusion->output_count;
  prepare->run = run_steps;
  prepare->scratch_size = room;
  return BERTH_OK;
}
