// flow_pass.c - Rows of steps that only hand values on.
//
// A turn of a loop is mostly such steps: Merge, LoopCond, Switch, NextIteration,
// Exit. Where they wait for nothing but their inputs and the value goes from one
// slot to the next, they are done here, row by row; flow_run.c does the rest of
// them, and says what they mean.
//
// Of what is dead no reads are counted: it has no tensor that would be let go.
#include "exec/flow_walk.h"

// berth_walk_pass_t.how.
enum { NOT_HERE, PASS, PASS_NEXT, PASS_EXIT, PASS_MERGE, PASS_SWITCH };

// Hands the value of |from|, which is live, on to |to|, as step |s| does, and notes
// that it was read. False where it does not go with its last reader, or |to| has
// one.
static inline bool value_pass(berth_flow_walk_t *w, int s, int32_t from,
                              int32_t to) {
  berth_walk_slot_t *source = &w->slots[from], *target = &w->slots[to];
  berth_tensor_t *tensor = w->tensors[from];
  if (!source->is_passing || tensor == NULL || w->tensors[to] != NULL) {
    return false;
  }
  bool is_last = --w->reads_left[from] <= 0;
  if (BERTH_LIKELY(is_last)) {
    w->tensors[from] = NULL;
  } else {
    berth_tensor_retain(tensor);
  }
  w->tensors[to] = tensor;
  w->data[to] = tensor->data;
  w->reads_left[to] = target->reads;
  target->is_dead = false;
  target->is_own = source->is_own;
  w->is_step_dead[s] = false;
  return true;
}

static inline bool pass(berth_flow_walk_t *w, const berth_walk_pass_t *p,
                        int s) {
  if (!w->slots[p->from[0]].is_dead) {
    return value_pass(w, s, p->from[0], p->to[0]);
  }
  berth_walk_kill_step(w, s);
  return true;
}

static inline bool next_pass(berth_flow_walk_t *w, const berth_walk_pass_t *p,
                             int s) {
  if (!pass(w, p, s)) return false;
  if (!w->is_step_dead[s]) w->loops[p->loop].has_next = true;
  return true;
}

// What has left a loop stays when an Exit is dead.
static inline bool exit_pass(berth_flow_walk_t *w, const berth_walk_pass_t *p,
                             int s) {
  return w->slots[p->from[0]].is_dead ||
         value_pass(w, s, p->from[0], p->to[0]);
}

// Where one of two is live.
static inline bool merge_pass(berth_flow_walk_t *w, const berth_walk_pass_t *p,
                              int s) {
  int taken = w->slots[p->from[0]].is_dead ? 1 : 0;
  return !w->slots[p->from[taken]].is_dead &&
         w->slots[p->from[1 - taken]].is_dead &&
         value_pass(w, s, p->from[taken], p->to[0]);
}

static inline bool switch_pass(berth_flow_walk_t *w, const berth_walk_pass_t *p,
                               int s) {
  int32_t from = p->from[0], way = p->from[1];
  const berth_tensor_t *tensor = w->tensors[way];
  if (w->slots[from].is_dead || w->slots[way].is_dead || tensor == NULL ||
      tensor->rank != 0) {
    return false;
  }
  int taken = *(const bool *)tensor->data ? 1 : 0;
  if (!value_pass(w, s, from, p->to[taken])) return false;
  berth_walk_kill(w, p->to[1 - taken]);
  berth_walk_read(w, way);
  return true;
}

// Does step |s|, and says whether it could.
static inline bool step_pass(berth_flow_walk_t *w, int s) {
  const berth_walk_pass_t *p = &w->passes[s];
  switch (p->how) {
    case PASS:
      return pass(w, p, s);
    case PASS_NEXT:
      return next_pass(w, p, s);
    case PASS_EXIT:
      return exit_pass(w, p, s);
    case PASS_MERGE:
      return merge_pass(w, p, s);
    case PASS_SWITCH:
      return switch_pass(w, p, s);
    default:
      return false;
  }
}

int berth_walk_pass(berth_flow_walk_t *w, int s, int end) {
  while (s < end && step_pass(w, s)) ++s;
  return s;
}

// Returns how |step| is done here.
static uint8_t how_of(const berth_walk_step_t *step, int32_t loop) {
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
  p->loop = w->flow->steps[s].loop;
  p->how = how_of(step, p->loop);
  if (p->how == NOT_HERE) return;
  for (int i = 0; i < step->input_count; ++i) p->from[i] = step->inputs[i];
  for (int i = 0; i < step->output_count; ++i) p->to[i] = step->outputs[i];
}
