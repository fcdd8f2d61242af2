// guard.c - What decides whether a step of a program with conditionals is dead.
#include "exec/guard.h"

#include "base/alloc.h"
#include "exec/copy.h"

// So often the finding begins anew, before no loop is taken for even.
enum { MOST_PASSES = 4 };

typedef struct loop_info {
  bool is_even;     // All values are there in every iteration, as it seems.
  int32_t entered;  // The guard that its Enters share, if it is even.
  int32_t around;   // The loop it lies in.
} loop_info_t;

typedef struct finder {
  const berth_program_t *program;
  const berth_flow_t *flow;
  const bool *may_share;
  berth_guards_t *guards;
  int32_t *slot_guard;  // By slot.
  int32_t *same;        // By slot: one of the same value, of a predicate.
  loop_info_t *loops;
  int32_t loop;     // Where the finding is.
  bool is_refuted;  // Some loop is not even after all.
  bool failed;      // Memory was short.
} finder_t;

static int32_t checked(finder_t *f, int32_t guard) {
  if (guard < 0) f->failed = true;
  return guard < 0 ? 0 : guard;
}

static int32_t join(finder_t *f, int32_t a, int32_t b) {
  return checked(f, berth_sets_union(&f->guards->sets, a, b));
}

static int32_t single(finder_t *f, int32_t item) {
  return checked(f, berth_sets_get(&f->guards->sets, &item, 1));
}

// The guard that is step |s| itself.
static int32_t own(finder_t *f, int s) {
  return single(f, 2 * f->program->slot_count + s);
}

static const int32_t *inputs_of(const finder_t *f, int s) {
  return f->program->args + f->program->steps[s].first_arg;
}

static const int32_t *outputs_of(const finder_t *f, int s) {
  return inputs_of(f, s) + f->program->steps[s].input_count;
}

// What step |s| needs of what it waits for.
static int32_t controls_guard(finder_t *f, int s) {
  const berth_flow_step_t *info = &f->flow->steps[s];
  int32_t guard = 0;
  for (int32_t i = 0; i < info->control_count; ++i) {
    int32_t before = f->flow->controls[info->first_control + i];
    guard = join(f, guard, f->guards->of_step[before]);
  }
  return guard;
}

// What step |s| needs of everything it has.
static int32_t needs_guard(finder_t *f, int s) {
  const int32_t *inputs = inputs_of(f, s);
  int32_t guard = controls_guard(f, s);
  for (int i = 0; i < f->program->steps[s].input_count; ++i) {
    guard = join(f, guard, f->slot_guard[inputs[i]]);
  }
  return guard;
}

static void outputs_set(finder_t *f, int s, int32_t guard) {
  const int32_t *outputs = outputs_of(f, s);
  for (int i = 0; i < f->program->steps[s].output_count; ++i) {
    f->slot_guard[outputs[i]] = guard;
  }
}

// ---- Kinds of steps ----

static void switch_find(finder_t *f, int s) {
  const int32_t *outputs = outputs_of(f, s);
  int32_t guard = needs_guard(f, s), way = f->same[inputs_of(f, s)[1]];
  f->guards->of_step[s] = guard;
  for (int i = 0; i < f->program->steps[s].output_count && i < 2; ++i) {
    f->slot_guard[outputs[i]] = join(f, guard, single(f, 2 * way + i));
  }
}

// True when |a| and |b| are the same but for one thing, which is the one way
// out of a predicate in |a| and the other in |b|; |*out_rest| is the rest.
static bool are_ways(finder_t *f, int32_t a, int32_t b, int32_t *out_rest) {
  berth_few_t x = f->guards->sets.all[a], y = f->guards->sets.all[b];
  int32_t at = -1;
  if (x.count != y.count) return false;
  for (int32_t i = 0; i < x.count; ++i) {
    if (x.items[i] == y.items[i]) continue;
    bool is_way = x.items[i] < 2 * f->program->slot_count &&
                  (x.items[i] ^ y.items[i]) == 1;
    if (!is_way || at >= 0) return false;
    at = i;
  }
  if (at < 0) return false;
  int32_t *rest = berth_alloc((size_t)x.count * sizeof(*rest));
  f->failed = f->failed || rest == NULL;
  for (int32_t i = 0, to = 0; rest != NULL && i < x.count; ++i) {
    if (i != at) rest[to++] = x.items[i];
  }
  *out_rest =
      rest == NULL
          ? 0
          : checked(f, berth_sets_get(&f->guards->sets, rest, x.count - 1));
  berth_free(rest);
  return true;
}

// True when input |slot| of the Merge |s| comes into or round an even loop, as
// all of them do there.
static bool is_carried(const finder_t *f, int s, int32_t slot) {
  int32_t producer = f->program->slots[slot].producer;
  if (f->loop == BERTH_NO_LOOP || !f->loops[f->loop].is_even || producer < 0) {
    return false;
  }
  const berth_flow_step_t *from = &f->flow->steps[producer];
  if (producer > s) return true;
  return from->kind == BERTH_FLOW_ENTER && from->loop == f->loop;
}

static int32_t merge_guard(finder_t *f, int s) {
  const int32_t *inputs = inputs_of(f, s);
  int count = f->program->steps[s].input_count;
  int32_t guard = 0;
  bool are_carried = true, has_back = false;
  for (int i = 0; i < count; ++i) {
    are_carried = are_carried && is_carried(f, s, inputs[i]);
    has_back = has_back || f->program->slots[inputs[i]].producer > s;
  }
  if (are_carried && has_back) return 0;
  if (count == 2 && !has_back &&
      are_ways(f, f->slot_guard[inputs[0]], f->slot_guard[inputs[1]], &guard)) {
    return guard;
  }
  return own(f, s);
}

// True when step |s| hands on the very value of its input.
static bool hands_on(const finder_t *f, int s) {
  const berth_step_t *step = &f->program->steps[s];
  if (step->input_count != 1 || step->output_count != 1) return false;
  uint8_t kind = f->flow->steps[s].kind;
  bool passes = kind == BERTH_FLOW_RUN &&
                ((step->traits & BERTH_OP_PASSES) != 0 || berth_is_copy(step));
  return (passes || kind == BERTH_FLOW_LOOP_COND) &&
         !f->may_share[inputs_of(f, s)[0]];
}

static void step_find(finder_t *f, int s) {
  int32_t guard = 0;
  switch ((berth_flow_kind_t)f->flow->steps[s].kind) {
    case BERTH_FLOW_SWITCH:
      switch_find(f, s);
      return;
    case BERTH_FLOW_MERGE:
      guard = merge_guard(f, s);
      break;
    case BERTH_FLOW_ENTER:
      // What its loop makes of it is found where that begins.
      f->guards->of_step[s] = needs_guard(f, s);
      return;
    case BERTH_FLOW_RETVAL:
      guard = own(f, s);
      break;
    case BERTH_FLOW_TRIGGER:  // It runs behind dead steps as well.
      break;
    case BERTH_FLOW_BLOCK:  // There are none yet.
    case BERTH_FLOW_EXIT:   // More is found where its loop ends.
    case BERTH_FLOW_NEXT:
    case BERTH_FLOW_GATE:
    case BERTH_FLOW_LOOP_COND:
    case BERTH_FLOW_RUN:
      guard = needs_guard(f, s);
      break;
  }
  f->guards->of_step[s] = guard;
  outputs_set(f, s, guard);
  if (hands_on(f, s)) {
    f->same[outputs_of(f, s)[0]] = f->same[inputs_of(f, s)[0]];
  }
}

// ---- Loops ----

// Begins a loop. It is even only if all that enters it enters together. What
// enters for the first iteration alone is there in that.
static void loop_begin(finder_t *f, int32_t loop) {
  loop_info_t *info = &f->loops[loop];
  bool is_first = true;
  for (int32_t s = f->flow->loops[loop].first; s >= 0;
       s = f->flow->steps[s].next) {
    if (f->flow->steps[s].kind != BERTH_FLOW_ENTER) continue;
    if (is_first) info->entered = f->guards->of_step[s];
    is_first = false;
    info->is_even = info->is_even && info->entered == f->guards->of_step[s];
  }
  for (int32_t s = f->flow->loops[loop].first; s >= 0;
       s = f->flow->steps[s].next) {
    const berth_flow_step_t *step = &f->flow->steps[s];
    if (step->kind != BERTH_FLOW_ENTER) continue;
    bool is_there = info->is_even && step->is_constant;
    outputs_set(f, s, is_there ? 0 : own(f, s));
  }
  info->around = f->loop;
  f->loop = loop;
}

// Returns the guard that all NextIterations of |loop| share; -1: they do not,
// or there is none.
static int32_t next_guard(const finder_t *f, int32_t loop) {
  int32_t guard = -1;
  for (int32_t s = f->flow->loops[loop].first; s >= 0;
       s = f->flow->steps[s].next) {
    if (f->flow->steps[s].kind != BERTH_FLOW_NEXT) continue;
    if (guard >= 0 && f->guards->of_step[s] != guard) return -1;
    guard = f->guards->of_step[s];
  }
  return guard;
}

static void loop_end(finder_t *f, int32_t loop) {
  loop_info_t *info = &f->loops[loop];
  int32_t round = info->is_even ? next_guard(f, loop) : -1;
  if (info->is_even && round < 0) {
    info->is_even = false;
    f->is_refuted = true;
  }
  for (int32_t s = f->flow->loops[loop].first; s >= 0;
       s = f->flow->steps[s].next) {
    if (f->flow->steps[s].kind != BERTH_FLOW_EXIT) continue;
    int32_t rest = -1;
    bool ends = info->is_even &&
                are_ways(f, f->guards->of_step[s], round, &rest) && rest == 0;
    f->guards->of_step[s] = ends ? info->entered : own(f, s);
    outputs_set(f, s, f->guards->of_step[s]);
  }
  f->loop = info->around;
}

// ---- The whole ----

// Finds all guards, of loops that are even as |f| says.
static void pass(finder_t *f) {
  const berth_program_t *p = f->program;
  f->loop = BERTH_NO_LOOP;
  f->is_refuted = false;
  for (int32_t i = 0; i < p->slot_count; ++i) {
    f->slot_guard[i] = 0;
    f->same[i] = i;
  }
  size_t mark = 0;
  for (int s = 0; s <= p->step_count && !f->failed; ++s) {
    for (; mark < f->flow->mark_count && f->flow->marks[mark].step == s;
         ++mark) {
      const berth_flow_mark_t *m = &f->flow->marks[mark];
      if (m->is_end) {
        loop_end(f, m->loop);
      } else {
        loop_begin(f, m->loop);
      }
    }
    if (s < p->step_count) step_find(f, s);
  }
}

static void find(finder_t *f) {
  for (int i = 0; i < f->flow->loop_count; ++i) f->loops[i].is_even = true;
  for (int passes = 0; !f->failed; ++passes) {
    pass(f);
    if (!f->is_refuted) return;
    for (int i = 0; passes + 2 >= MOST_PASSES && i < f->flow->loop_count; ++i) {
      f->loops[i].is_even = false;
    }
  }
}

bool berth_guards_init(berth_guards_t *guards, const berth_program_t *program,
                       const bool *may_share) {
  finder_t f = {.program = program,
                .flow = program->flow,
                .may_share = may_share,
                .guards = guards};
  size_t slots = (size_t)program->slot_count + 1;
  size_t steps = (size_t)program->step_count + 1;
  bool ok = berth_sets_init(&guards->sets);
  guards->of_step = berth_calloc(steps, sizeof(*guards->of_step));
  f.slot_guard = berth_alloc(slots * sizeof(*f.slot_guard));
  f.same = berth_alloc(slots * sizeof(*f.same));
  f.loops = berth_calloc((size_t)f.flow->loop_count + 1, sizeof(*f.loops));
  ok = ok && guards->of_step != NULL && f.slot_guard != NULL &&
       f.same != NULL && f.loops != NULL;
  if (ok) find(&f);
  berth_free(f.slot_guard);
  berth_free(f.same);
  berth_free(f.loops);
  return ok && !f.failed;
}

void berth_guards_deinit(berth_guards_t *guards) {
  berth_sets_deinit(&guards->sets);
  berth_free(guards->of_step);
  guards->of_step = NULL;
}
