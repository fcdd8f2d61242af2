// fuse.c - Finding steps of a layout that are done as one.
//
// One walk over the steps. A step that can be fused begins as a group of its
// own; then the groups that make its inputs join it, as long as nobody outside
// reads what they make before it runs. Who reads it afterwards reads another
// output of the group, where its terms allow several. What a group reads was
// there before its first step: it can run where its last one stands. Steps that
// only give a value another name or shape are seen through: they are in the group
// of those on both of their sides. A group that feeds the first step of another stays by itself until the
// groups are made; then they are tried as one. So does one that feeds a step that
// ends it. What groups read in parts of larger values is found at last (view.c).
#include "exec/fuse_internal.h"

#include "base/alloc.h"
#include "base/assert.h"

enum {
  MOST_STEPS = BERTH_GROUP_STEPS,
  MOST_INPUTS = BERTH_GROUP_INPUTS,
  MOST_OUTPUTS = BERTH_GROUP_OUTPUTS,
};

typedef berth_group_draft_t draft_t;
typedef berth_group_finder_t finder_t;

// ---- Drafts ----

// True when nobody sees the outputs of |step| but the first.
static bool has_one_result(const finder_t *f, const berth_step_t *step) {
  const int32_t *outputs =
      f->program->args + step->first_arg + step->input_count;
  for (int i = 1; i < step->output_count; ++i) {
    const berth_slot_t *slot = &f->program->slots[outputs[i]];
    if (slot->consumer_count > 0 || slot->is_kept) return false;
  }
  return step->output_count > 0;
}

static bool can_be_fused(const finder_t *f, int32_t s) {
  const berth_step_t *step = &f->program->steps[s];
  const berth_term_t *term = f->plans[s].term;
  return term != NULL && term->views == NULL &&
         f->layout->hot[s].how == BERTH_HOT_PLAIN && has_one_result(f, step);
}

static int32_t result_of(const finder_t *f, int32_t s) {
  return berth_finder_result(f, s);
}

static bool is_carried(const finder_t *f, int32_t s, int32_t index) {
  return berth_finder_is_carried(f, s, index);
}

// True when all that step |s| does is to give its first input another name; the
// others are known.
static bool is_alias(const finder_t *f, int32_t s) {
  const berth_step_t *step = &f->program->steps[s];
  const int32_t *slots = f->program->args + step->first_arg;
  const berth_spot_t *spots = f->layout->spots;
  if (f->layout->hot[s].how != BERTH_HOT_SKIP || step->input_count < 1 ||
      step->output_count != 1) {
    return false;
  }
  for (int i = 1; i < step->input_count; ++i) {
    if (spots[slots[i]].storage != BERTH_STORE_SETTLED) return false;
  }
  int32_t root = spots[slots[0]].root, named = slots[step->input_count];
  return spots[named].root == root && named != root;
}

bool berth_finder_renames(const finder_t *f, int32_t s, int32_t near) {
  const berth_step_t *x = &f->program->steps[s];
  const berth_step_t *y = &f->program->steps[near];
  return is_alias(f, s) && f->segment[s] == f->segment[near] &&
         x->device == y->device && x->on_host == y->on_host;
}

// The same before step |reader|.
static bool is_renamed(const finder_t *f, int32_t s, int32_t reader) {
  return s < reader && berth_finder_renames(f, s, reader);
}

// True when steps of the drafts of |maker| and |runner| alone read |slot| up to
// |runner|, element by element, or give it another name there; |*out_escapes|
// is set where others do later.
static bool is_name_read_by(const finder_t *f, int32_t slot, int32_t maker,
                            int32_t runner, bool *out_escapes) {
  const berth_program_t *p = f->program;
  const berth_slot_t *info = &p->slots[slot];
  for (int32_t u = 0; u < info->use_count; ++u) {
    int32_t at = p->uses[info->first_use + u];
    int32_t s = f->owner[at];
    if (s == info->producer) continue;
    if (is_renamed(f, s, runner)) continue;
    if (f->runner[s] == runner || f->runner[s] == maker) {
      if (!is_carried(f, s, at - p->steps[s].first_arg)) return false;
    } else if (s > runner) {
      *out_escapes = true;
    } else {
      return false;
    }
  }
  return true;
}

// The same for all names of |root|. Others may read it by that name alone.
static bool is_read_by(const finder_t *f, int32_t root, int32_t maker,
                       int32_t runner, bool *out_escapes) {
  const berth_spot_t *spots = f->layout->spots;
  for (int32_t slot = root; slot >= 0; slot = spots[slot].next_alias) {
    if (!is_name_read_by(f, slot, maker, runner, out_escapes)) return false;
    *out_escapes |= spots[slot].is_kept;
  }
  return !*out_escapes || spots[root].next_alias < 0;
}

// True when |root| is a value by itself, whose place is not chosen yet.
static bool is_plain(const finder_t *f, int32_t root) {
  const berth_spot_t *spot = &f->layout->spots[root];
  return spot->root == root && spot->storage == BERTH_STORE_NONE;
}

bool berth_finder_can_pass(const finder_t *f, int32_t root) {
  const berth_spot_t *spots = f->layout->spots;
  bool is_kept = false;
  for (int32_t slot = root; slot >= 0; slot = spots[slot].next_alias) {
    is_kept |= spots[slot].is_kept;
  }
  return !is_kept && is_plain(f, root);
}

static int32_t most_outputs(const finder_t *f, int32_t s) {
  int32_t most = f->plans[s].term->most_outputs;
  if (most == 0) return BERTH_FUSED_OUTPUTS;
  return most < MOST_OUTPUTS ? most : MOST_OUTPUTS;
}

// Returns how many outputs the drafts of |maker| and |runner| have together; 0
// when others read what they make too early, or they are too many.
static int32_t outputs_together(const finder_t *f, int32_t maker,
                                int32_t runner) {
  bool many = f->drafts[maker].many && f->drafts[runner].many;
  int32_t most = most_outputs(f, runner), count = 1;
  for (int half = 0; half < 2; ++half) {
    int32_t s = f->drafts[half == 0 ? maker : runner].first;
    for (; s >= 0; s = f->next[s]) {
      int32_t slot = result_of(f, s);
      bool escapes = false;
      if (s == runner || f->plans[s].term == NULL) continue;
      if (!is_plain(f, slot) || !is_read_by(f, slot, maker, runner, &escapes)) {
        return 0;
      }
      count += escapes;
      if (escapes && (!many || count > most)) return 0;
    }
  }
  return count;
}

bool berth_finder_share_place(const finder_t *f, int32_t a, int32_t b) {
  const berth_step_t *x = &f->program->steps[a], *y = &f->program->steps[b];
  return f->segment[a] == f->segment[b] && x->device == y->device &&
         x->on_host == y->on_host &&
         f->plans[a].term->fuse == f->plans[b].term->fuse;
}

static bool are_near(const finder_t *f, int32_t a, int32_t b) {
  return berth_finder_share_place(f, a, b) &&
         f->plans[a].term->count == f->plans[b].term->count;
}

// Returns how many inputs the draft of |runner| has from outside, at most: those
// that are read twice are counted twice.
static int inputs_of(const finder_t *f, int32_t runner) {
  int count = 0;
  int terms = f->drafts[runner].count - f->drafts[runner].name_count;
  for (int32_t s = f->drafts[runner].first; s >= 0; s = f->next[s]) {
    if (f->plans[s].term != NULL) count += f->program->steps[s].input_count;
  }
  return count - (terms - f->drafts[runner].outputs);
}

static int most_inputs(const finder_t *f, int32_t s) {
  int most = f->plans[s].term->most_inputs;
  return most > 0 ? most : BERTH_FUSED_INPUTS;
}

// True when the draft of |maker| can join that of |runner|, as far as others that
// read what it makes allow.
static bool can_join(const finder_t *f, int32_t maker, int32_t runner) {
  const draft_t *from = &f->drafts[maker], *to = &f->drafts[runner];
  bool rows_fit = from->row == 0 || to->row == 0 || from->row == to->row;
  return rows_fit && !(from->begins && to->begins) &&
         !f->plans[maker].term->ends &&
         from->weight + to->weight <= MOST_STEPS &&
         are_near(f, maker, runner) &&
         inputs_of(f, maker) + inputs_of(f, runner) + f->drafts[maker].outputs +
                 f->drafts[runner].outputs - 2 <=
             most_inputs(f, runner);
}

// Puts the steps that give |root| other names into the draft of |runner|.
static void names_join(finder_t *f, int32_t root, int32_t runner) {
  const berth_spot_t *spots = f->layout->spots;
  for (int32_t slot = spots[root].next_alias; slot >= 0;
       slot = spots[slot].next_alias) {
    int32_t s = f->program->slots[slot].producer;
    int32_t *at = &f->drafts[runner].first;
    while (*at < s) at = &f->next[*at];
    f->next[s] = *at;
    *at = s;
    f->runner[s] = runner;
    ++f->drafts[runner].count;
    ++f->drafts[runner].name_count;
  }
}

// Puts the steps of the draft of |maker| among those of |runner|.
static void join(finder_t *f, int32_t maker, int32_t runner) {
  draft_t *from = &f->drafts[maker], *to = &f->drafts[runner];
  int32_t a = from->first, b = to->first, last = -1, first = -1;
  while (a >= 0 || b >= 0) {
    int32_t *least = b < 0 || (a >= 0 && a < b) ? &a : &b;
    int32_t s = *least;
    *least = f->next[s];
    f->next[s] = -1;
    f->runner[s] = runner;
    if (last >= 0) {
      f->next[last] = s;
    } else {
      first = s;
    }
    last = s;
  }
  BERTH_ASSERT(last == runner);
  to->first = first;
  to->count += from->count;
  to->name_count += from->name_count;
  to->weight += from->weight;
  if (to->row == 0) to->row = from->row;
  if (from->begins) to->feeder = from->feeder;
  to->begins |= from->begins;
  to->finishes |= from->finishes;
  to->many &= from->many;
}

// Lets a group that makes an input of the draft of |runner| join it; false when
// none can.
static bool join_one(finder_t *f, int32_t runner) {
  const berth_program_t *p = f->program;
  for (int32_t s = f->drafts[runner].first; s >= 0; s = f->next[s]) {
    const berth_step_t *step = &p->steps[s];
    for (int i = 0; i < step->input_count; ++i) {
      if (!is_carried(f, s, i)) continue;
      int32_t root = f->layout->spots[p->args[step->first_arg + i]].root;
      int32_t made_by = p->slots[root].producer;
      int32_t maker = made_by >= 0 ? f->runner[made_by] : -1;
      if (maker < 0 || maker == runner || result_of(f, made_by) != root ||
          !can_join(f, maker, runner)) {
        continue;
      }
      int32_t outputs = outputs_together(f, maker, runner);
      if (outputs == 0) continue;
      join(f, maker, runner);
      names_join(f, result_of(f, maker), runner);
      f->drafts[runner].outputs = outputs;
      return true;
    }
  }
  return false;
}

// True when only argument |arg|, of step |s|, reads |root|, under any name.
static bool is_read_once(const finder_t *f, int32_t root, int32_t arg,
                         int32_t s) {
  const berth_program_t *p = f->program;
  for (int32_t slot = root; slot >= 0;
       slot = f->layout->spots[slot].next_alias) {
    const berth_slot_t *info = &p->slots[slot];
    for (int32_t u = 0; u < info->use_count; ++u) {
      int32_t at = p->uses[info->first_use + u], user = f->owner[at];
      if (user != info->producer && at != arg && !is_renamed(f, user, s)) {
        return false;
      }
    }
  }
  return true;
}

// True when what the draft of |maker| makes for others, but for its result, is
// read behind step |s| alone.
static bool is_read_behind(const finder_t *f, int32_t maker, int32_t s) {
  for (int32_t m = f->drafts[maker].first; m >= 0; m = f->next[m]) {
    bool escapes = false;
    if (m == maker || f->plans[m].term == NULL) continue;
    if (!is_read_by(f, result_of(f, m), maker, s, &escapes)) return false;
  }
  return true;
}

// True when the draft of |maker| is of the kind that feeds step |s|.
static bool is_feeder(const finder_t *f, int32_t maker, int32_t s) {
  if (!f->plans[s].term->ends) return f->drafts[maker].begins;
  return !f->drafts[maker].begins && is_read_behind(f, maker, s);
}

// Returns the draft that can feed step |s|, by its runner, or -1.
static int32_t feeder_of(const finder_t *f, int32_t s) {
  const berth_program_t *p = f->program;
  const berth_step_t *step = &p->steps[s];
  for (int i = 0; i < step->input_count && i < 32; ++i) {
    if ((f->plans[s].term->fed >> i & 1) == 0) continue;
    const berth_spot_t *spots = f->layout->spots;
    int32_t slot = p->args[step->first_arg + i], root = spots[slot].root;
    int32_t maker = p->slots[root].producer;
    if (maker >= 0 && f->runner[maker] == maker && is_feeder(f, maker, s) &&
        result_of(f, maker) == root && berth_finder_can_pass(f, root) &&
        berth_dims_equal(spots[slot].dims, spots[root].dims) &&
        berth_finder_share_place(f, maker, s) &&
        is_read_once(f, root, step->first_arg + i, s)) {
      return maker;
    }
  }
  return -1;
}

static void step_see(finder_t *f, int32_t s) {
  if (!can_be_fused(f, s)) return;
  const berth_term_t *term = f->plans[s].term;
  int32_t feeder = feeder_of(f, s);
  if (term->needs_feed && feeder < 0) return;
  f->runner[s] = s;
  f->drafts[s] = (draft_t){.first = s,
                           .count = 1,
                           .weight = term->weight > 0 ? term->weight : 1,
                           .outputs = 1,
                           .row = term->row,
                           .begins = term->begins,
                           .finishes = term->finishes,
                           .many = term->many && !term->begins,
                           .feeder = feeder};
  while (join_one(f, s)) {
  }
}

// ---- Groups ----

// A group that is being made.
typedef struct maker {
  berth_group_t *group;
  berth_fused_t *steps;
  int32_t *inputs;    // Of all steps, as berth_fused_t has them.
  int32_t *position;  // By step of the program: in the group; -1: it is not.
  int32_t *list;      // Of steps of the program, those of the group.
  int32_t count;
} maker_t;

// Returns which argument of |group| holds |slot|; adds it.
static int32_t argument_of(berth_group_t *group, int32_t slot) {
  for (int32_t i = 0; i < group->input_count; ++i) {
    if (group->slots[i] == slot) return i;
  }
  group->slots[group->input_count] = slot;
  return group->input_count++;
}

// Returns where the value of |slot| comes from, as inputs of fused steps say it.
static int32_t source_of(const finder_t *f, const maker_t *m, int32_t slot) {
  const berth_program_t *p = f->program;
  int32_t root = f->layout->spots[slot].root, made_by = p->slots[root].producer;
  if (made_by < 0 || m->position[made_by] < 0) {
    return argument_of(m->group, slot);
  }
  int32_t index = m->position[made_by];
  const berth_step_t *maker = &p->steps[made_by];
  const int32_t *outputs = p->args + maker->first_arg + maker->input_count;
  // Of a view each output that is read is a step.
  const berth_view_t *view = f->plans[made_by].term->views;
  for (; view != NULL && *outputs != root; ++outputs) ++view;
  while (m->steps[index].view != view) ++index;
  return ~index;
}

// Describes step |s| of the program as the next one of |count| of a group.
static berth_fused_t *describe(const finder_t *f, maker_t *m, int32_t *count,
                               int32_t s, int32_t **inputs) {
  berth_fused_t *fused = &m->steps[(*count)++];
  *fused = (berth_fused_t){.term = f->plans[s].term,
                           .run = f->layout->hot[s].run,
                           .plan = f->layout->hot[s].plan,
                           .scratch_size = f->plans[s].scratch_size,
                           .work = f->plans[s].work,
                           .inputs = *inputs,
                           .result = -1};
  return fused;
}

// Adds step |s| of the program, a term of elements.
static void term_describe(const finder_t *f, maker_t *m, int32_t *count,
                          int32_t s, int32_t **inputs) {
  const berth_step_t *step = &f->program->steps[s];
  berth_fused_t *fused = describe(f, m, count, s, inputs);
  fused->input_count = step->input_count;
  for (int i = 0; i < step->input_count; ++i) {
    *(*inputs)++ = source_of(f, m, f->program->args[step->first_arg + i]);
  }
}

// Adds a step for each part of view |s| that the group reads.
static void view_describe(const finder_t *f, maker_t *m, int32_t *count,
                          int32_t s, int32_t runner, int32_t **inputs) {
  const berth_step_t *step = &f->program->steps[s];
  const berth_term_t *term = f->plans[s].term;
  int32_t from =
      source_of(f, m, f->program->args[step->first_arg + term->viewed]);
  for (int i = 0; i < step->output_count; ++i) {
    if (!berth_view_is_read(f, s, i, runner)) continue;
    berth_fused_t *fused = describe(f, m, count, s, inputs);
    fused->input_count = 1;
    fused->view = &term->views[i];
    // Who copies parts one by one does no more than who copies all.
    fused->work /= step->output_count;
    *(*inputs)++ = from;
  }
}

// True when somebody but the steps of the group sees |slot|.
static bool is_seen(const finder_t *f, const maker_t *m, int32_t slot) {
  const berth_program_t *p = f->program;
  const berth_slot_t *info = &p->slots[slot];
  for (int32_t u = 0; u < info->use_count; ++u) {
    if (m->position[f->owner[p->uses[info->first_use + u]]] < 0) return true;
  }
  return f->layout->spots[slot].is_kept;
}

// Finds the outputs of |group|, whose steps are described.
static void outputs_find(const finder_t *f, maker_t *m, berth_group_t *group) {
  int32_t *outputs = group->slots + group->input_count;
  int32_t runner = berth_group_runner(group);
  outputs[group->output_count++] = result_of(f, runner);
  for (int32_t i = 0; i < group->step_count; ++i) {
    int32_t s = group->steps[i];
    if (f->plans[s].term == NULL || berth_view_is_shared(f, s)) continue;
    berth_fused_t *step = &m->steps[m->position[s]];
    if (s == runner) {
      step->result = group->input_count;
    } else if (is_seen(f, m, result_of(f, s))) {
      step->result = group->input_count + group->output_count;
      outputs[group->output_count++] = result_of(f, s);
    }
  }
  outputs[group->output_count] = -1;
}

// True when |slot| is an output of |group|.
static bool is_output(const berth_group_t *group, int32_t slot) {
  for (int32_t i = 0; i < group->output_count; ++i) {
    if (group->slots[group->input_count + i] == slot) return true;
  }
  return false;
}

// Notes that |group| does step |s|, one of its own, or one that it shares with
// others: the last of these has it.
static void step_store(finder_t *f, berth_group_t *group, int32_t s) {
  berth_layout_t *layout = f->layout;
  const berth_step_t *step = &f->program->steps[s];
  const int32_t *outputs =
      f->program->args + step->first_arg + step->input_count;
  int32_t runner = berth_group_runner(group);
  const berth_group_t *other = layout->groups[s];
  if (other == NULL || berth_group_runner(other) < runner) {
    layout->groups[s] = group;
  }
  for (int k = 0; k < step->output_count; ++k) {
    if (is_output(group, outputs[k])) continue;
    layout->spots[outputs[k]].storage = BERTH_STORE_FUSED;
  }
  if (s == runner) return;
  layout->hot[s].how = BERTH_HOT_SKIP;
  layout->hot[s].after = 0;
}

// Makes room for |count| more arguments.
static void arguments_add(berth_layout_t *layout, berth_group_t *group) {
  group->first_arg = layout->program->arg_count + layout->more_arg_count;
  layout->more_arg_count += group->input_count + group->output_count + 1;
}

// Notes what is fused in the layout.
static void group_store(finder_t *f, const berth_group_plan_t *plan) {
  berth_layout_t *layout = f->layout;
  berth_group_t *group = plan->group;
  const berth_prepare_t *prepare = &plan->prepare;
  int32_t runner = berth_group_runner(group);
  arguments_add(layout, group);
  for (int32_t i = 0; i < group->step_count; ++i) {
    step_store(f, group, group->steps[i]);
  }
  berth_hot_step_t *hot = &layout->hot[runner];
  hot->run = prepare->run;
  hot->plan = prepare->plan;
  hot->first_arg = group->first_arg;
  berth_hot_step_look(hot, &f->program->steps[runner], prepare->work);
  ++f->group_count;
}

// Forgets the plans of the steps of |plan|, which is stored, as no other group is
// planned of them any more.
static void plans_replace(finder_t *f, const berth_group_plan_t *plan) {
  const berth_group_t *group = plan->group;
  const berth_prepare_t *prepare = &plan->prepare;
  for (int32_t i = 0; i < group->step_count; ++i) {
    f->plans[group->steps[i]] = (berth_planned_t){0};
  }
  f->plans[berth_group_runner(group)] =
      (berth_planned_t){.may_overwrite = prepare->op.may_overwrite,
                        .scratch_size = prepare->scratch_size,
                        .work = prepare->work};
}

// Puts |s| among the steps of the group, in running order, unless it is there.
static void step_put(maker_t *m, int32_t s) {
  int32_t at = m->count;
  while (at > 0 && m->list[at - 1] > s) --at;
  if (at > 0 && m->list[at - 1] == s) return;
  for (int32_t i = m->count++; i > at; --i) m->list[i] = m->list[i - 1];
  m->list[at] = s;
}

static void step_add(void *data, int32_t s) { step_put(data, s); }

// Lists the steps of the draft of |runner|, and of so many that feed it, those
// that give what these make other names, and those that it does for what it sees.
static void steps_collect(const finder_t *f, int32_t runner, int feeders,
                          maker_t *m) {
  const berth_spot_t *spots = f->layout->spots;
  m->count = 0;
  for (int32_t d = runner; feeders >= 0; d = f->drafts[d].feeder, --feeders) {
    for (int32_t s = f->drafts[d].first; s >= 0; s = f->next[s]) step_put(m, s);
    int32_t name = d != runner ? spots[result_of(f, d)].next_alias : -1;
    for (; name >= 0; name = spots[name].next_alias) {
      step_put(m, f->program->slots[name].producer);
    }
  }
  if (f->drafts[runner].sees) berth_views_walk(f, runner, step_add, m);
}

// Plans |group|, whose steps are known; BERTH_UNIMPLEMENTED when they had better
// stay apart.
static berth_code_t group_plan(finder_t *f, maker_t *m, berth_group_t *group,
                               berth_prepare_t *prepare, berth_error_t *err) {
  berth_layout_t *layout = f->layout;
  int32_t runner = berth_group_runner(group), *inputs = m->inputs;
  int32_t count = 0;
  for (int32_t i = 0; i < group->step_count; ++i) {
    int32_t s = group->steps[i], first = count;
    m->position[s] = 0;
    if (f->plans[s].term == NULL) continue;
    if (f->is_view[s]) {
      view_describe(f, m, &count, s, runner, &inputs);
    } else {
      term_describe(f, m, &count, s, &inputs);
    }
    m->position[s] = first;
  }
  outputs_find(f, m, group);
  for (int32_t i = 0; i < group->step_count; ++i) {
    m->position[group->steps[i]] = -1;
  }
  berth_fusion_t fusion = {m->steps, count, group->input_count,
                           group->output_count};
  *prepare = (berth_prepare_t){
      .op = {.arena = &layout->arena, .alias = -1},
      .repeats = f->program->repeats,
      .device = berth_step_device(f->program->host->devices,
                                  &f->program->steps[runner])};
  return f->plans[runner].term->fuse(&fusion, prepare, err);
}

// Makes a group of the draft of |runner| and of so many that feed it, and plans
// it. BERTH_UNIMPLEMENTED when they had better stay apart.
static berth_code_t group_make(finder_t *f, int32_t runner, int feeders,
                               maker_t *m, berth_group_plan_t *plan,
                               berth_error_t *err) {
  berth_layout_t *layout = f->layout;
  size_t terms = 0, inputs = 0, arguments = 0;
  int32_t d = runner;
  for (int i = 0; i <= feeders; ++i, d = f->drafts[d].feeder) {
    arguments += (size_t)(inputs_of(f, d) + f->drafts[d].outputs - 1);
  }
  steps_collect(f, runner, feeders, m);
  for (int32_t i = 0; i < m->count; ++i) {
    const berth_step_t *step = &f->program->steps[m->list[i]];
    if (f->plans[m->list[i]].term == NULL) continue;
    bool is_view = f->is_view[m->list[i]];
    terms += is_view ? (size_t)step->output_count : 1;
    inputs += (size_t)(is_view ? step->output_count : step->input_count);
  }
  if (terms < 2 || terms > MOST_STEPS || inputs > MOST_STEPS + MOST_INPUTS ||
      arguments > (size_t)most_inputs(f, runner)) {
    return BERTH_UNIMPLEMENTED;
  }
  int32_t *steps = berth_arena_memdup(&layout->arena, m->list,
                                      (size_t)m->count * sizeof(*steps));
  berth_group_t *group = berth_arena_calloc(&layout->arena, 1, sizeof(*group));
  int32_t *slots = berth_arena_alloc(
      &layout->arena, (inputs + MOST_OUTPUTS + 1) * sizeof(*slots));
  if (steps == NULL || group == NULL || slots == NULL) {
    return berth_error_no_memory(err, "a layout");
  }
  *group =
      (berth_group_t){.steps = steps, .step_count = m->count, .slots = slots};
  m->group = plan->group = group;
  return group_plan(f, m, group, &plan->prepare, err);
}

// Makes a group of the draft of |runner| with as many of those that feed it as
// can be, or with none; unless its steps had better stay apart.
static berth_code_t draft_make(finder_t *f, int32_t runner, maker_t *m,
                               berth_error_t *err) {
  int feeders = 0;
  int32_t d = runner;
  while ((d = f->drafts[d].feeder) >= 0) ++feeders;
  for (; feeders >= 0; --feeders) {
    berth_group_plan_t plan;
    berth_code_t code = group_make(f, runner, feeders, m, &plan, err);
    if (code == BERTH_UNIMPLEMENTED) {
      berth_error_clear(err);
      continue;
    }
    if (code == BERTH_OK) {
      group_store(f, &plan);
      plans_replace(f, &plan);
    }
    for (d = runner; feeders >= 0; --feeders, d = f->drafts[d].feeder) {
      f->drafts[d].is_done = true;
    }
    return code;
  }
  return BERTH_OK;
}

// ---- Drafts that see ----

// Plans the drafts that see and have no plan, or makes them give up what they see;
// says in |*out_given_up| that some did.
static berth_code_t seeing_plan(finder_t *f, maker_t *m, bool *out_given_up,
                                berth_error_t *err) {
  *out_given_up = false;
  for (int32_t s = f->program->step_count - 1; s >= 0; --s) {
    if (!f->drafts[s].sees || f->drafts[s].plan != NULL) continue;
    berth_group_plan_t made;
    berth_code_t code = group_make(f, s, 0, m, &made, err);
    if (code == BERTH_UNIMPLEMENTED) {
      berth_error_clear(err);
      berth_views_give_up(f, s);
      *out_given_up = true;
      continue;
    }
    BERTH_TRY(code);
    f->drafts[s].plan =
        berth_arena_memdup(&f->layout->arena, &made, sizeof(made));
    if (f->drafts[s].plan == NULL)
      return berth_error_no_memory(err, "a layout");
  }
  return BERTH_OK;
}

// Makes groups of the drafts that see. What one of them cannot see in parts is not
// seen so by the others either.
static berth_code_t seeing_make(finder_t *f, maker_t *m, berth_error_t *err) {
  int32_t steps = f->program->step_count;
  for (bool again = true; again;) {
    BERTH_TRY(seeing_plan(f, m, &again, err));
    if (!again) break;
    berth_views_settle(f);
    for (int32_t s = 0; s < steps; ++s) {
      if (f->drafts[s].plan != NULL && !berth_views_hold(f, s)) {
        f->drafts[s].plan = NULL;
      }
    }
  }
  for (int32_t s = 0; s < steps; ++s) {
    if (f->drafts[s].plan == NULL) continue;
    group_store(f, f->drafts[s].plan);
    f->drafts[s].is_done = true;
  }
  for (int32_t s = 0; s < steps; ++s) {
    if (f->drafts[s].plan != NULL) plans_replace(f, f->drafts[s].plan);
    f->drafts[s].is_done |= f->drafts[s].is_spread;
  }
  return BERTH_OK;
}

// Links the arguments of groups to their slots: who binds a slot finds them.
static berth_code_t arguments_link(finder_t *f, berth_error_t *err) {
  berth_layout_t *layout = f->layout;
  layout->next_more = berth_arena_alloc(
      &layout->arena, (size_t)layout->more_arg_count * sizeof(int32_t));
  if (layout->next_more == NULL) return berth_error_no_memory(err, "a layout");
  for (int32_t s = 0; s < f->program->step_count; ++s) {
    const berth_group_t *group = layout->groups[s];
    if (group == NULL || berth_group_runner(group) != s) continue;
    for (int32_t i = 0; i < group->input_count + group->output_count; ++i) {
      int32_t arg = group->first_arg - f->program->arg_count + i;
      berth_spot_t *spot = &layout->spots[group->slots[i]];
      layout->next_more[arg] = spot->first_more;
      spot->first_more = arg;
    }
  }
  return BERTH_OK;
}

static berth_code_t groups_make(finder_t *f, berth_error_t *err) {
  int steps = f->program->step_count;
  maker_t m = {
      .steps = berth_alloc(MOST_STEPS * sizeof(*m.steps)),
      .inputs = berth_alloc((MOST_STEPS + MOST_INPUTS + 1) * sizeof(*m.inputs)),
      .position = berth_alloc((size_t)steps * sizeof(*m.position)),
      .list = berth_alloc((size_t)steps * sizeof(*m.list))};
  f->layout->groups = berth_arena_calloc(&f->layout->arena, (size_t)steps,
                                         sizeof(*f->layout->groups));
  berth_code_t code = BERTH_OK;
  if (m.steps == NULL || m.inputs == NULL || m.position == NULL ||
      m.list == NULL || f->layout->groups == NULL) {
    code = berth_error_no_memory(err, "a layout");
  }
  for (int32_t s = 0; code == BERTH_OK && s < steps; ++s) m.position[s] = -1;
  if (code == BERTH_OK) code = seeing_make(f, &m, err);
  // What is fed comes before what feeds it.
  for (int32_t s = steps - 1; code == BERTH_OK && s >= 0; --s) {
    if (f->runner[s] == s && !f->drafts[s].is_done) {
      code = draft_make(f, s, &m, err);
    }
  }
  if (code == BERTH_OK && f->group_count > 0) code = arguments_link(f, err);
  if (f->group_count == 0) f->layout->groups = NULL;
  berth_free(m.steps);
  berth_free(m.inputs);
  berth_free(m.position);
  berth_free(m.list);
  return code;
}

// ---- The whole ----

static berth_code_t finder_init(finder_t *f, berth_error_t *err) {
  const berth_program_t *p = f->program;
  size_t steps = (size_t)p->step_count + 1;
  f->owner = berth_alloc(((size_t)p->arg_count + 1) * sizeof(*f->owner));
  f->runner = berth_alloc(steps * sizeof(*f->runner));
  f->next = berth_alloc(steps * sizeof(*f->next));
  f->segment = berth_alloc(steps * sizeof(*f->segment));
  f->drafts = berth_calloc(steps, sizeof(*f->drafts));
  f->is_view = berth_calloc(steps, sizeof(*f->is_view));
  if (f->owner == NULL || f->runner == NULL || f->next == NULL ||
      f->segment == NULL || f->drafts == NULL || f->is_view == NULL) {
    return berth_error_no_memory(err, "a layout");
  }
  for (int t = 0; t < p->segment_count; ++t) {
    for (int s = p->segments[t].begin; s < p->segments[t].end; ++s) {
      f->segment[s] = t;
    }
  }
  for (int s = 0; s < p->step_count; ++s) {
    const berth_step_t *step = &p->steps[s];
    f->runner[s] = f->next[s] = -1;
    for (int i = 0; i <= step->input_count + step->output_count; ++i) {
      f->owner[step->first_arg + i] = s;
    }
  }
  return BERTH_OK;
}

// True when two steps or more can be fused; in most layouts of few steps none
// can.
static bool is_promising(const berth_layout_t *layout,
                         const berth_planned_t *plans) {
  int count = 0;
  for (int s = 0; s < layout->program->step_count && count < 2; ++s) {
    count += plans[s].term != NULL;
  }
  return count >= 2;
}

berth_code_t berth_groups_find(berth_layout_t *layout, berth_planned_t *plans,
                               berth_error_t *err) {
  if (!layout->program->host->fuses || !is_promising(layout, plans)) {
    return BERTH_OK;
  }
  finder_t f = {.layout = layout, .program = layout->program, .plans = plans};
  berth_code_t code = finder_init(&f, err);
  for (int32_t s = 0; code == BERTH_OK && s < f.program->step_count; ++s) {
    step_see(&f, s);
  }
  if (code == BERTH_OK) {
    berth_views_find(&f);
    code = groups_make(&f, err);
  }
  berth_free(f.owner);
  berth_free(f.runner);
  berth_free(f.next);
  berth_free(f.segment);
  berth_free(f.drafts);
  berth_free(f.is_view);
  return code;
}
