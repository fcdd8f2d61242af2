// chain_feed.c - Chains that feed others: which steps are of which.
//
// Steps are on levels: the last one and what it carries are on the first, what
// feeds a step of a level, and what that carries, is on the next.
//
//   conv ─> bias ─> relu ─┐           level 2
//                        Pad ─┐       level 1
//                             conv ─> bias   level 0
//
// A level that is a Pad alone becomes part of the one before; any other is a
// chain of its own. A product that feeds a step that takes a part of it takes the
// place of that step. A reduction alone on the first level is the end of the chain
// on the second.
#include <string.h>

#include "cpu/ops/chain_internal.h"

enum { MOST_STEPS = 64, MOST_LEVELS = 4 };

typedef struct levels {
  const berth_fusion_t *fusion;
  uint8_t of[MOST_STEPS];     // By step: its level,
  int32_t index[MOST_STEPS];  // and which it is there.
  int count;
} levels_t;

static bool is_carried(const berth_fused_t *step, int input) {
  return input < 32 && (step->term->carried >> input & 1) != 0;
}

// Finds the levels; false when there are too many.
static bool levels_find(levels_t *levels) {
  const berth_fusion_t *fusion = levels->fusion;
  if (fusion->step_count > MOST_STEPS) return false;
  levels->count = 1;
  levels->of[fusion->step_count - 1] = 0;
  for (int s = fusion->step_count - 1; s >= 0; --s) {
    const berth_fused_t *step = &fusion->steps[s];
    for (int i = 0; i < step->input_count; ++i) {
      if (step->inputs[i] >= 0) continue;
      int level = levels->of[s] + (is_carried(step, i) ? 0 : 1);
      if (level >= MOST_LEVELS) return false;
      levels->of[~step->inputs[i]] = (uint8_t)level;
      if (level >= levels->count) levels->count = level + 1;
    }
  }
  return true;
}

// Returns the Pad that |level| is, or NULL.
static const berth_fused_t *pad_of(const levels_t *levels, int level) {
  const berth_fused_t *found = NULL;
  for (int s = 0; s < levels->fusion->step_count; ++s) {
    if (levels->of[s] != level) continue;
    if (found != NULL) return NULL;
    found = &levels->fusion->steps[s];
  }
  const berth_cpu_term_t *term =
      found != NULL ? (const berth_cpu_term_t *)found->term : NULL;
  return term != NULL && term->pads != NULL ? found : NULL;
}

// Returns the argument that stands for what |level| makes: what a Pad reads, or
// the output, which nobody looks at.
static int32_t argument_for(const levels_t *levels, int level) {
  const berth_fused_t *pad = pad_of(levels, level);
  bool is_read = pad != NULL && pad->inputs[0] >= 0;
  return is_read ? pad->inputs[0] : levels->fusion->input_count;
}

// Describes the steps of |level| as a fusion of their own; false when memory is
// short.
static bool level_describe(levels_t *levels, int level, berth_arena_t *arena,
                           berth_fusion_t *out) {
  const berth_fusion_t *fusion = levels->fusion;
  berth_fused_t *steps =
      berth_arena_calloc(arena, (size_t)fusion->step_count, sizeof(*steps));
  if (steps == NULL) return false;
  *out = (berth_fusion_t){.steps = steps,
                          .input_count = fusion->input_count,
                          .output_count = fusion->output_count};
  for (int s = 0; s < fusion->step_count; ++s) {
    if (levels->of[s] != level) continue;
    const berth_fused_t *step = &fusion->steps[s];
    int32_t *inputs = berth_arena_memdup(
        arena, step->inputs, (size_t)step->input_count * sizeof(*inputs));
    if (inputs == NULL) return false;
    for (int i = 0; i < step->input_count; ++i) {
      if (inputs[i] >= 0) continue;
      inputs[i] = is_carried(step, i) ? ~levels->index[~inputs[i]]
                                      : argument_for(levels, level + 1);
    }
    levels->index[s] = out->step_count;
    steps[out->step_count] = *step;
    steps[out->step_count++].inputs = inputs;
  }
  return true;
}

// True when |chain| makes its output without anything that is left to finish.
static bool can_feed(const berth_chain_plan_t *chain) {
  return chain->head != NULL && chain->head->open != NULL &&
         chain->link_count == 0 && chain->fed_by == NULL;
}

// Returns the step on the first level that takes a part of what feeds it, or -1.
static int window_of(const levels_t *levels) {
  const berth_fusion_t *fusion = levels->fusion;
  for (int s = 0; s < fusion->step_count; ++s) {
    const berth_cpu_term_t *term =
        (const berth_cpu_term_t *)fusion->steps[s].term;
    if (levels->of[s] == 0 && term->window != NULL) return s;
  }
  return -1;
}

// Plans the chain behind the part that step |s| takes of the product before it.
static berth_code_t cut_make(levels_t *levels, int s, berth_prepare_t *prepare,
                             berth_error_t *err) {
  const berth_fused_t *step = &levels->fusion->steps[s];
  const berth_fused_t *maker = &levels->fusion->steps[0];
  const berth_cpu_term_t *product = (const berth_cpu_term_t *)maker->term;
  if (step->inputs[0] != ~0 || levels->count != 2 || product->cut == NULL) {
    return BERTH_UNIMPLEMENTED;
  }
  for (int other = 1; other < levels->fusion->step_count; ++other) {
    if (levels->of[other] != 0) return BERTH_UNIMPLEMENTED;
  }
  berth_fusion_t own;
  if (!level_describe(levels, 0, prepare->op.arena, &own)) {
    return berth_error_no_memory(err, "a plan");
  }
  berth_fused_t *cut = (berth_fused_t *)(uintptr_t)&own.steps[levels->index[s]];
  *cut = *maker;
  BERTH_TRY(product->cut(maker->plan, prepare,
                         ((const berth_cpu_term_t *)step->term)->window, cut,
                         err));
  return berth_chain_make(&own, &(berth_fed_by_t){NULL, NULL}, prepare, err);
}

// Has the chain that |prepare| holds, of terms of elements, end with |step|.
static berth_code_t end_set(const berth_fused_t *step,
                            berth_prepare_t *prepare) {
  berth_chain_plan_t *plan = (berth_chain_plan_t *)prepare->plan;
  const berth_cpu_term_t *term = (const berth_cpu_term_t *)step->term;
  int64_t space = term->end_space(step->plan, plan->row);
  if (space == 0 || plan->head != NULL) return BERTH_UNIMPLEMENTED;
  plan->end = term;
  plan->end_plan = step->plan;
  plan->stream = -1;
  plan->registers_bytes = (size_t)plan->slots.size;
  plan->slots = berth_slots_for(INT32_MAX, plan->slots.size + space);
  plan->end_at = plan->slots_at + (size_t)berth_slots_bytes(&plan->slots);
  prepare->op.may_overwrite = 0;
  prepare->scratch_size = plan->end_at + step->scratch_size;
  prepare->work += step->work;
  return BERTH_OK;
}

// Plans a chain whose end is the last step.
static berth_code_t end_make(levels_t *levels, berth_prepare_t *prepare,
                             berth_error_t *err) {
  int last = levels->fusion->step_count - 1;
  const berth_fused_t *step = &levels->fusion->steps[last];
  // What it takes is made last: that alone is put where it is told.
  if (levels->count != 2 || step->inputs[0] != ~(last - 1)) {
    return BERTH_UNIMPLEMENTED;
  }
  for (int s = 0; s < last; ++s) {
    if (levels->of[s] != 1) return BERTH_UNIMPLEMENTED;
  }
  berth_fusion_t own;
  if (!level_describe(levels, 1, prepare->op.arena, &own)) {
    return berth_error_no_memory(err, "a plan");
  }
  BERTH_TRY(
      berth_chain_make(&own, &(berth_fed_by_t){NULL, NULL}, prepare, err));
  return end_set(step, prepare);
}

berth_code_t berth_cpu_fuse(const berth_fusion_t *fusion,
                            berth_prepare_t *prepare, berth_error_t *err) {
  berth_fusion_t ordered;
  if (fusion->output_count > 1) {
    BERTH_TRY(berth_chain_order(fusion, prepare->op.arena, &ordered, err));
    fusion = &ordered;
  }
  levels_t levels = {.fusion = fusion};
  berth_fed_by_t by = {NULL, NULL};
  if (!levels_find(&levels)) return BERTH_UNIMPLEMENTED;
  int window = window_of(&levels);
  if (window >= 0) return cut_make(&levels, window, prepare, err);
  if (fusion->steps[fusion->step_count - 1].term->ends) {
    return end_make(&levels, prepare, err);
  }
  for (int level = levels.count - 1; level >= 0; --level) {
    const berth_fused_t *pad = level > 0 ? pad_of(&levels, level) : NULL;
    if (pad != NULL && by.pads != NULL) return BERTH_UNIMPLEMENTED;
    if (pad != NULL) {
      by.pads = ((const berth_cpu_term_t *)pad->term)->pads;
      continue;
    }
    berth_fusion_t own;
    if (!level_describe(&levels, level, prepare->op.arena, &own)) {
      return berth_error_no_memory(err, "a plan");
    }
    BERTH_TRY(berth_chain_make(&own, &by, prepare, err));
    by = (berth_fed_by_t){.chain = prepare->plan};
    if (level > 0 && !can_feed(by.chain)) return BERTH_UNIMPLEMENTED;
  }
  return BERTH_OK;
}
