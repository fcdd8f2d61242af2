// chain.c - Element-wise steps on a card that are done as one.
#include "cuda/ops/chain.h"

#include "cuda/code/launch.h"
#include "cuda/ops/chain_params.h"
#include "cuda/ops/elementwise.h"

// Kernels are told what terms say.
_Static_assert((int)BERTH_CHAIN_NONE == (int)BERTH_REACH_NONE &&
                   (int)BERTH_CHAIN_ONE == (int)BERTH_REACH_ONE &&
                   (int)BERTH_CHAIN_ALL == (int)BERTH_REACH_ALL &&
                   (int)BERTH_CHAIN_ROW == (int)BERTH_REACH_ROW,
               "they mean the same");

// Which kernel has a function.
enum { IN_NONE, IN_BRIEF, IN_CURVES };

// A term of a card.
typedef struct term {
  berth_term_t term;  // First.
  berth_chain_step_t step;
  uint8_t kernel;    // IN_*.
  uint8_t reach[2];  // By input.
  uint8_t left;      // Which input is the left one of a function of two.
} term_t;

typedef struct plan {
  int kernel;
  int32_t input_count;
  berth_chain_params_t params;  // All but addresses and the granule.
} plan_t;

// ---- Running ----

enum { MAX_GRANULE = 16 };

static berth_code_t run_chain(const void *arg, void *const *args,
                              berth_call_t *call) {
  const plan_t *plan = arg;
  berth_chain_params_t params = plan->params;
  const size_t size = sizeof(float);
  params.out = args[plan->input_count];
  for (int32_t i = 0; i < plan->input_count; ++i) params.in[i] = args[i];
  uint32_t granule = berth_granule_at(params.granule, params.out, size);
  granule = berth_granule_at(granule, params.in[params.x], size);
  for (uint32_t s = 0; s < params.step_count; ++s) {
    const berth_chain_step_t *step = &params.steps[s];
    if (step->reach < BERTH_CHAIN_ALL) continue;
    granule = berth_granule_at(granule, params.in[step->input], size);
  }
  params.granule = granule;
  // A thread takes several packs: what choosing functions costs is shared.
  uint64_t each = granule >= 4 ? BERTH_CHAIN_PACKS * 4 : BERTH_CHAIN_SINGLES;
  return berth_cuda_launch(call, plan->kernel, (params.count + each - 1) / each,
                           &params, sizeof(params));
}

// ---- Planning ----

static const term_t *term_of(const berth_fusion_t *fusion, int step) {
  return (const term_t *)fusion->steps[step].term;
}

// Adds step |s| to |plan|; false when it is no function of what the step before
// it has made and one other number.
static bool step_add(plan_t *plan, const berth_fusion_t *fusion, int s) {
  const berth_fused_t *step = &fusion->steps[s];
  const term_t *term = term_of(fusion, s);
  berth_chain_step_t *to = &plan->params.steps[s];
  int x = -1;
  for (int i = 0; i < step->input_count; ++i) {
    int32_t from = step->inputs[i];
    bool is_element = s == 0 ? from >= 0 && term->reach[i] == BERTH_CHAIN_ALL
                             : from == ~(s - 1);
    if (is_element && x < 0) {
      x = i;
    } else if (from < 0) {
      return false;
    }
  }
  if (x < 0) return false;
  if (s == 0) plan->params.x = (uint32_t)step->inputs[x];
  *to = term->step;
  if (step->input_count == 1) return true;
  to->reach = term->reach[1 - x];
  to->input = (uint8_t)step->inputs[1 - x];
  to->is_of = x != term->left;
  return true;
}

static berth_code_t fuse(const berth_fusion_t *fusion, berth_prepare_t *prepare,
                         berth_error_t *err) {
  if (fusion->input_count > BERTH_CHAIN_INPUTS ||
      fusion->step_count > BERTH_CHAIN_STEPS) {
    return BERTH_UNIMPLEMENTED;
  }
  plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  int64_t row = 0;
  int kernel = IN_BRIEF;
  for (int s = 0; s < fusion->step_count; ++s) {
    const term_t *term = term_of(fusion, s);
    if (!step_add(plan, fusion, s)) return BERTH_UNIMPLEMENTED;
    if (term->kernel > kernel) kernel = term->kernel;
    if (term->term.row > 0) row = term->term.row;
    prepare->work += fusion->steps[s].work;
  }
  plan->input_count = fusion->input_count;
  plan->params.count = (uint64_t)fusion->steps[0].term->count;
  plan->params.step_count = (uint32_t)fusion->step_count;
  plan->params.granule = MAX_GRANULE;
  if (row > 0) {
    plan->params.row = berth_divider((uint64_t)row);
    plan->params.granule = row % 4 == 0 ? 4 : 1;
  }
  plan->kernel =
      kernel == IN_CURVES
          ? berth_cuda_kernel("chain_curve_f32", "berth_chain_curve_f32")
          : berth_cuda_kernel("chain_f32", "berth_chain_f32");
  if (plan->kernel < 0) return berth_error_no_memory(err, "a kernel");
  prepare->run = run_chain;
  // All are read before anything is written, but for those that repeat.
  for (int s = 0; s < fusion->step_count; ++s) {
    const berth_chain_step_t *step = &plan->params.steps[s];
    if (step->reach == BERTH_CHAIN_ALL) {
      prepare->op.may_overwrite |= UINT32_C(1) << step->input;
    }
  }
  prepare->op.may_overwrite |= UINT32_C(1) << plan->params.x;
  for (int s = 0; s < fusion->step_count; ++s) {
    const berth_chain_step_t *step = &plan->params.steps[s];
    if (step->reach == BERTH_CHAIN_ONE || step->reach == BERTH_CHAIN_ROW) {
      prepare->op.may_overwrite &= ~(UINT32_C(1) << step->input);
    }
  }
  return BERTH_OK;
}

// ---- Terms ----

static void term_add(berth_prepare_t *prepare, const term_t *made) {
  if (made->kernel == IN_NONE || made->term.count == 0) return;
  term_t *term = berth_arena_memdup(prepare->op.arena, made, sizeof(*made));
  if (term != NULL) prepare->term = &term->term;
}

void berth_chain_term_unary(berth_prepare_t *prepare,
                            const berth_unary_t *unary) {
  enum { HOST, EVERY, BOTH, WIDE, INDEX, NOT_BF16 };
  enum { BRIEF, QUESTION, CURVE, ERROR, ANGLE, LONG };
  enum {
#define UNARY(NAME, name, ...) at_##name = BERTH_UNARY_##NAME,
#include "op/unary_list.inc"
  };
  static const uint8_t kernels[BERTH_UNARY_COUNT] = {
#define UNARY_REAL(where, kind, name, expr)                  \
  [at_##name] = where == HOST                    ? IN_NONE   \
                : kind == BRIEF                  ? IN_BRIEF  \
                : kind == CURVE || kind == ERROR ? IN_CURVES \
                                                 : IN_NONE,
#include "op/unary_list.inc"
  };
  if (unary->input != BERTH_FLOAT || unary->output != BERTH_FLOAT) return;
  term_t made = {.term = {.fuse = fuse, .count = unary->count, .carried = 1},
                 .step = {.code = (uint8_t)unary->function,
                          .parameter = (float)unary->parameter},
                 .kernel = kernels[unary->function],
                 .reach = {BERTH_CHAIN_ALL}};
  term_add(prepare, &made);
}

void berth_chain_term_binary(berth_prepare_t *prepare,
                             berth_binary_op_t function, bool swap,
                             const berth_broadcast_t *broadcast) {
  enum { HOST, EVERY, BOTH, WIDE, INDEX, NOT_BF16, DEVICE };
  enum { COMMON, COMPARE, BRIEF, CURVE, SLOPE, LONG };
  enum {
#define BINARY(NAME, name, ...) at_##name = BERTH_BINARY_##NAME,
#include "op/binary_list.inc"
  };
  static const uint8_t kernels[BERTH_BINARY_COUNT] = {
#define BINARY_REAL(where, kind, order, name, expr)           \
  [at_##name] = where == HOST                     ? IN_NONE   \
                : kind == COMMON || kind == BRIEF ? IN_BRIEF  \
                : kind == CURVE                   ? IN_CURVES \
                                                  : IN_NONE,
#include "op/binary_list.inc"
  };
  const berth_case_input_t *inputs = prepare->op.inputs;
  if (inputs[0].dtype != BERTH_FLOAT || inputs[1].dtype != BERTH_FLOAT) return;
  term_t made = {.term = {.fuse = fuse,
                          .count = berth_dims_count(
                              berth_case_output_dims(&prepare->op, 0))},
                 .step = {.code = (uint8_t)function},
                 .kernel = kernels[function],
                 .left = swap};
  for (int i = 0; i < 2; ++i) {
    made.reach[i] =
        (uint8_t)berth_term_reach(&made.term, &inputs[i], broadcast, i);
    if (made.reach[i] == BERTH_REACH_NONE) return;
  }
  // Rows are found by dividing numbers of 32 bits.
  if (made.term.row > 0 && made.term.count >= (int64_t)BERTH_DIVIDE_LIMIT) {
    return;
  }
  term_add(prepare, &made);
}
