// flow_pass.c - Rows of steps that only hand values on.
//
// A turn of a loop is mostly such steps: Merge, LoopCond, Switch, NextIteration,
// Exit. Where they wait for nothing but their inputs and the value goes from one
// slot to the next, they are done here, row by row, with the lean blocks between
// them; flow_run.c does the rest of them, and says what they mean.
//
// Of what is dead no reads are counted: it has no tensor that would be let go.
#include "exec/flow_walk.h"

// berth_walk_pass_t.how.
enum {
  NOT_HERE,
  PASS,
  PASS_NEXT,
  PASS_EXIT,
  PASS_MERGE,
  PASS_SWITCH,
  PASS_BLOCK,
};

// Hands the value of |from|, which is live and goes with its last reader, on to
// |to|, as step |s| does, and notes that it was read. False where |to| has one.
static inline bool value_pass(berth_flow_walk_t *w, int s,
                              const berth_walk_slot_t *from,
                              berth_walk_slot_t *to, bool is_alone) {
  berth_tensor_t *tensor = *from->tensor;
  if (tensor == NULL || *to->tensor != NULL) return false;
  if (BERTH_LIKELY(is_alone || --*from->reads_left <= 0)) {
    *from->tensor = NULL;
  } else {
    berth_tensor_retain(tensor);
  }
  *to->tensor = tensor;
  *to->data = tensor->data;
  *to->reads_left = to->reads;
  to->is_dead = false;
  to->home = from->home;
  w->is_step_dead[s] = false;
  return true;
}

static inline bool pass(berth_flow_walk_t *w, const berth_walk_pass_t *p,
                        int s) {
  if (!p->from[0]->is_dead) {
    return value_pass(w, s, p->from[0], p->to[0], p->is_alone);
  }
  berth_walk_kill_step(w, s);
  return true;
}

static inline bool next_pass(berth_flow_walk_t *w, const berth_walk_pass_t *p,
                             int s) {
  if (p->from[0]->is_dead) {
    berth_walk_kill_step(w, s);
    return true;
  }
  if (!value_pass(w, s, p->from[0], p->to[0], p->is_alone)) return false;
  w->loops[p->of].has_next = true;
  return true;
}

// What has left a loop stays when an Exit is dead.
static inline bool exit_pass(berth_flow_walk_t *w, const berth_walk_pass_t *p,
                             int s) {
  return p->from[0]->is_dead ||
         value_pass(w, s, p->from[0], p->to[0], p->is_alone);
}

// Where one of two is live.
static inline bool merge_pass(berth_flow_walk_t *w, const berth_walk_pass_t *p,
                              int s) {
  if (p->from[0]->is_dead == p->from[1]->is_dead) return false;
  const berth_walk_slot_t *taken = p->from[p->from[0]->is_dead ? 1 : 0];
  return value_pass(w, s, taken, p->to[0], p->is_alone);
}

static inline bool switch_pass(berth_flow_walk_t *w, const berth_walk_pass_t *p,
                               int s) {
  const berth_walk_slot_t *way = p->from[1];
  const berth_tensor_t *tensor = *way->tensor;
  if (p->from[0]->is_dead || way->is_dead || tensor == NULL ||
      tensor->rank != 0) {
    return false;
  }
  int taken = *(const bool *)tensor->data ? 1 : 0;
  if (!value_pass(w, s, p->from[0], p->to[taken], p->is_alone)) return false;
  // Nothing but this step makes the other one: it is not settled.
  berth_walk_slot_t *other = p->to[1 - taken];
  other->is_dead = true;
  if (BERTH_UNLIKELY(*other->tensor != NULL)) {
    berth_tensor_release(*other->tensor);
    *other->tensor = NULL;
  }
  berth_walk_read(w, way);
  return true;
}

// Runs step |s|, a block, if it is lean, and says whether it was.
static inline berth_code_t block_pass(berth_flow_walk_t *w,
                                      const berth_walk_pass_t *p, int s,
                                      bool *out_done, berth_error_t *err) {
  if (w->kept[p->of] == NULL) return BERTH_OK;
  --w->until_look;
  return berth_walk_lean(w, s, p->of, out_done, err);
}

BERTH_UNGUARDED
berth_code_t berth_walk_pass(berth_flow_walk_t *w, int *first, int end,
                             berth_error_t *err) {
  bool is_done = true;
  berth_code_t code = BERTH_OK;
  int s = *first;
  for (; s < end; ++s) {
    const berth_walk_pass_t *p = &w->passes[s];
    switch (p->how) {
      case PASS:
        is_done = pass(w, p, s);
        break;
      case PASS_NEXT:
        is_done = next_pass(w, p, s);
        break;
      case PASS_EXIT:
        is_done = exit_pass(w, p, s);
        break;
      case PASS_MERGE:
        is_done = merge_pass(w, p, s);
        break;
      case PASS_SWITCH:
        is_done = switch_pass(w, p, s);
        break;
      case PASS_BLOCK:
        is_done = false;
        if (w->until_look > 0) code = block_pass(w, p, s, &is_done, err);
        break;
      default:
        is_done = false;
    }
    if (!is_done) break;
  }
  *first = s;
  return code;
}

// Returns how |step| is done here, if its values go with their last readers.
static uint8_t how_of(const berth_walk_step_t *step, int32_t loop) {
  if (step->kind == BERTH_FLOW_BLOCK) return PASS_BLOCK;
  if (step->control_count > 0) return NOT_HERE;
  switch ((berth_flow_kind_t)step->kind) {
    case BERTH_FLOW_ENTER:
    case BERTH_FLOW_LOOP_COND:
      return PASS;
    case BERTH_FLOW_NEXT:
      return loop != BERTH_NO_LOOP ? PASS_NEXT : NOT_HERE;
    case BERTH_FLOW_EXIT:
      return PASS_EXIT;
    case BERTH_FLOW_SWITCH:
      return PASS_SWITCH;
    case BERTH_FLOW_MERGE:
      return step->input_count == 2 && !step->tells_which ? PASS_MERGE
                                                          : NOT_HERE;
    default:
      return NOT_HERE;
  }
}

void berth_walk_pass_find(berth_flow_walk_t *w, int s) {
  const berth_walk_step_t *step = &w->steps[s];
  berth_walk_pass_t *p = &w->passes[s];
  p->of = w->flow->steps[s].loop;
  p->how = how_of(step, p->of);
  if (p->how == PASS_BLOCK) p->of = w->flow->steps[s].block;
  if (p->how == NOT_HERE || p->how == PASS_BLOCK) return;
  int values = p->how == PASS_MERGE ? 2 : 1;
  p->is_alone = true;
  for (int i = 0; i < values; ++i) {
    const berth_walk_slot_t *slot = &w->slots[step->inputs[i]];
    if (!slot->is_passing) p->how = NOT_HERE;
    if (slot->reads != 1) p->is_alone = false;
  }
  for (int i = 0; i < step->input_count; ++i) {
    p->from[i] = &w->slots[step->inputs[i]];
  }
  for (int i = 0; i < step->output_count; ++i) {
    p->to[i] = &w->slots[step->outputs[i]];
    if (w->program->settled[step->outputs[i]] != NULL) p->how = NOT_HERE;
  }
}
