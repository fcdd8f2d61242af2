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
// ends it.
#include "exec/fuse.h"

#include "base/alloc.h"
#include "base/assert.h"
#include "kernel/fuse.h"

enum {
  MOST_STEPS = 64,    // Of a group, and their weights.
  MOST_INPUTS = 255,  // Likewise, whatever terms say.
  MOST_OUTPUTS = 6,
};

// A group on its way, by the step that runs for it.
typedef struct draft {
  int32_t first;  // Of its steps; they are linked by |next|, in running order.
  int32_t count;
  int32_t name_count;  // Those that only give another name.
  int32_t weight;
  int32_t outputs;
  int64_t row;
  bool begins;     // Its first step is none of elements.
  bool many;       // It may have several outputs.
  int32_t feeder;  // The draft that feeds that step, by its runner; or -1.
  bool is_done;
} draft_t;

typedef struct finder {
  berth_layout_t *layout;
  const berth_program_t *program;
  berth_planned_t *plans;
  int32_t *owner;    // By argument: its step.
  int32_t *runner;   // By step: of the draft it is in, or -1: in none.
  int32_t *next;     // By step: in its draft.
  draft_t *drafts;   // By runner.
  int32_t *segment;  // By step.
  int32_t group_count;
} finder_t;

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
  return f->plans[s].term != NULL && f->layout->hot[s].how == BERTH_HOT_PLAIN &&
         has_one_result(f, step);
}

static int32_t result_of(const finder_t *f, int32_t s) {
  const berth_step_t *step = &f->program->steps[s];
  return f->program->args[step->first_arg + step->input_count];
}

// True when step |s| takes its input |index| from another term.
static bool is_carried(const finder_t *f, int32_t s, int32_t index) {
  const berth_term_t *term = f->plans[s].term;
  return term != NULL && index < 32 && (term->carried >> index & 1) != 0;
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

// True when step |s| gives a value another name before step |reader|, where that
// runs.
static bool is_renamed(const finder_t *f, int32_t s, int32_t reader) {
  const berth_step_t *x = &f->program->steps[s];
  const berth_step_t *y = &f->program->steps[reader];
  return is_alias(f, s) && s < reader && f->segment[s] == f->segment[reader] &&
         x->device == y->device && x->on_host == y->on_host;
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

// True when the value of |root| needs no place if nobody else reads it.
static bool can_be_passed(const finder_t *f, int32_t root) {
  const berth_spot_t *spots = f->layout->spots;
  bool is_kept = false;
  for (int32_t slot = root; slot >= 0; slot = spots[slot].next_alias) {
    is_kept |= spots[slot].is_kept;
  }
  return !is_kept && is_plain(f, root);
}

// Returns how many outputs the drafts of |maker| and |runner| have together; 0
// when others read what they make too early, or they are too many.
static int32_t outputs_together(const finder_t *f, int32_t maker,
                                int32_t runner) {
  bool many = f->drafts[maker].many && f->drafts[runner].many;
  int32_t count = 1;
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
      if (escapes && (!many || count > MOST_OUTPUTS)) return 0;
    }
  }
  return count;
}

static bool share_place(const finder_t *f, int32_t a, int32_t b) {
  const berth_step_t *x = &f->program->steps[a], *y = &f->program->steps[b];
  return f->segment[a] == f->segment[b] && x->device == y->device &&
         x->on_host == y->on_host &&
         f->plans[a].term->fuse == f->plans[b].term->fuse;
}

static bool are_near(const finder_t *f, int32_t a, int32_t b) {
  return share_place(f, a, b) &&
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
        result_of(f, maker) == root && can_be_passed(f, root) &&
        berth_dims_equal(spots[slot].dims, spots[root].dims) &&
        share_place(f, maker, s) &&
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
  f->drafts[s] = (draft_t){
      .first = s,
      .count = 1,
      .weight = term->weight > 0 ? term->weight : 1,
      .outputs = 1,
      .row = term->row,
      .begins = term->begins,
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
} maker_t;

// Returns which argument of |group| holds |slot|; adds it.
static int32_t argument_of(berth_group_t *group, int32_t slot) {
  for (int32_t i = 0; i < group->input_count; ++i) {
    if (group->slots[i] == slot) return i;
  }
  group->slots[group->input_count] = slot;
  return group->input_count++;
}

// Describes step |s| of the program as step |index| of a group.
static void describe(const finder_t *f, maker_t *m, int32_t index, int32_t s,
                     int32_t **inputs) {
  const berth_program_t *p = f->program;
  const berth_step_t *step = &p->steps[s];
  berth_fused_t *fused = &m->steps[index];
  *fused = (berth_fused_t){.term = f->plans[s].term,
                           .run = f->layout->hot[s].run,
                           .plan = f->layout->hot[s].plan,
                           .scratch_size = f->plans[s].scratch_size,
                           .work = f->plans[s].work,
                           .input_count = step->input_count,
                           .inputs = *inputs,
                           .result = -1};
  for (int i = 0; i < step->input_count; ++i) {
    int32_t slot = p->args[step->first_arg + i];
    int32_t made_by = p->slots[f->layout->spots[slot].root].producer;
    bool is_own = made_by >= 0 && m->position[made_by] >= 0;
    (*inputs)[i] = is_own ? ~m->position[made_by] : argument_of(m->group, slot);
  }
  m->position[s] = index;
  *inputs += step->input_count;
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
  int32_t runner = berth_group_runner(group), term = 0;
  outputs[group->output_count++] = result_of(f, runner);
  for (int32_t i = 0; i < group->step_count; ++i) {
    int32_t s = group->steps[i];
    if (f->plans[s].term == NULL) continue;
    berth_fused_t *step = &m->steps[term++];
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

// Notes what is fused in the layout: |prepare| runs for all.
static void group_store(finder_t *f, berth_group_t *group,
                        const berth_prepare_t *prepare) {
  berth_layout_t *layout = f->layout;
  int32_t runner = berth_group_runner(group);
  for (int32_t i = 0; i < group->step_count; ++i) {
    int32_t s = group->steps[i];
    const berth_step_t *step = &f->program->steps[s];
    const int32_t *outputs =
        f->program->args + step->first_arg + step->input_count;
    layout->groups[s] = group;
    for (int k = 0; k < step->output_count; ++k) {
      if (is_output(group, outputs[k])) continue;
      layout->spots[outputs[k]].storage = BERTH_STORE_FUSED;
    }
    if (s == runner) continue;
    layout->hot[s].how = BERTH_HOT_SKIP;
    layout->hot[s].after = 0;
    f->plans[s] = (berth_planned_t){0};
  }
  berth_hot_step_t *hot = &layout->hot[runner];
  hot->run = prepare->run;
  hot->plan = prepare->plan;
  hot->first_arg = group->first_arg;
  berth_hot_step_look(hot, &f->program->steps[runner], prepare->work);
  f->plans[runner] =
      (berth_planned_t){.may_overwrite = prepare->op.may_overwrite,
                        .scratch_size = prepare->scratch_size,
                        .work = prepare->work};
}

// Makes room for |count| more arguments.
static void arguments_add(berth_layout_t *layout, berth_group_t *group) {
  group->first_arg = layout->program->arg_count + layout->more_arg_count;
  layout->more_arg_count += group->input_count + group->output_count + 1;
}

// Puts |s| among |count| steps in running order, of which there is one more then.
static void step_put(int32_t *steps, int32_t *count, int32_t s) {
  int32_t at = (*count)++;
  for (; at > 0 && steps[at - 1] > s; --at) steps[at] = steps[at - 1];
  steps[at] = s;
}

// Stores the steps of the draft of |runner|, and of so many that feed it, and
// those that give what these make other names, in running order; returns how many
// there are.
static int32_t steps_collect(const finder_t *f, int32_t runner, int feeders,
                             int32_t *steps) {
  const berth_spot_t *spots = f->layout->spots;
  int32_t count = 0;
  for (int32_t d = runner; feeders >= 0; d = f->drafts[d].feeder, --feeders) {
    for (int32_t s = f->drafts[d].first; s >= 0; s = f->next[s]) {
      step_put(steps, &count, s);
    }
    int32_t name = d != runner ? spots[result_of(f, d)].next_alias : -1;
    for (; name >= 0; name = spots[name].next_alias) {
      step_put(steps, &count, f->program->slots[name].producer);
    }
  }
  return count;
}

// Plans |group|, whose steps are known; BERTH_UNIMPLEMENTED when they had better
// stay apart.
static berth_code_t group_plan(finder_t *f, maker_t *m, berth_group_t *group,
                               berth_error_t *err) {
  berth_layout_t *layout = f->layout;
  int32_t runner = berth_group_runner(group), *inputs = m->inputs;
  int32_t count = 0;
  for (int32_t i = 0; i < group->step_count; ++i) {
    int32_t s = group->steps[i];
    m->position[s] = 0;
    if (f->plans[s].term != NULL) describe(f, m, count++, s, &inputs);
  }
  outputs_find(f, m, group);
  for (int32_t i = 0; i < group->step_count; ++i) {
    m->position[group->steps[i]] = -1;
  }
  berth_fusion_t fusion = {m->steps, count, group->input_count,
                           group->output_count};
  berth_prepare_t prepare = {
      .op = {.arena = &layout->arena, .alias = -1},
      .repeats = f->program->repeats,
      .device = berth_step_device(f->program->host->devices,
                                  &f->program->steps[runner])};
  BERTH_TRY(f->plans[runner].term->fuse(&fusion, &prepare, err));
  arguments_add(layout, group);
  group_store(f, group, &prepare);
  ++f->group_count;
  return BERTH_OK;
}

// Returns how many other names what the draft of |d| makes for |runner| has.
static size_t names_of(const finder_t *f, int32_t d, int32_t runner) {
  const berth_spot_t *spots = f->layout->spots;
  size_t count = 0;
  int32_t name = d != runner ? spots[result_of(f, d)].next_alias : -1;
  for (; name >= 0; name = spots[name].next_alias) ++count;
  return count;
}

// Makes a group of the draft of |runner| and of so many that feed it.
// BERTH_UNIMPLEMENTED when they had better stay apart.
static berth_code_t group_make(finder_t *f, int32_t runner, int feeders,
                               maker_t *m, berth_error_t *err) {
  berth_layout_t *layout = f->layout;
  size_t count = 0, terms = 0, inputs = 2;
  int32_t d = runner;
  for (int i = 0; i <= feeders; ++i, d = f->drafts[d].feeder) {
    count += (size_t)f->drafts[d].count + names_of(f, d, runner);
    terms += (size_t)(f->drafts[d].count - f->drafts[d].name_count);
    inputs += (size_t)(inputs_of(f, d) + f->drafts[d].outputs - 1);
  }
  if (terms < 2 || terms > MOST_STEPS ||
      inputs > (size_t)most_inputs(f, runner) + 2) {
    return BERTH_UNIMPLEMENTED;
  }
  int32_t *steps = berth_arena_alloc(&layout->arena, count * sizeof(*steps));
  berth_group_t *group = berth_arena_calloc(&layout->arena, 1, sizeof(*group));
  int32_t *slots = berth_arena_alloc(&layout->arena, inputs * sizeof(*slots));
  if (steps == NULL || group == NULL || slots == NULL) {
    return berth_error_no_memory(err, "a layout");
  }
  *group =
      (berth_group_t){.steps = steps,
                      .step_count = steps_collect(f, runner, feeders, steps),
                      .slots = slots};
  m->group = group;
  return group_plan(f, m, group, err);
}

// Makes a group of the draft of |runner| with as many of those that feed it as
// can be, or with none; unless its steps had better stay apart.
static berth_code_t draft_make(finder_t *f, int32_t runner, maker_t *m,
                               berth_error_t *err) {
  int feeders = 0;
  int32_t d = runner;
  while ((d = f->drafts[d].feeder) >= 0) ++feeders;
  for (; feeders >= 0; --feeders) {
    berth_code_t code = group_make(f, runner, feeders, m, err);
    if (code == BERTH_UNIMPLEMENTED) {
      berth_error_clear(err);
      continue;
    }
    for (d = runner; feeders >= 0; --feeders, d = f->drafts[d].feeder) {
      f->drafts[d].is_done = true;
    }
    return code;
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
      .position = berth_alloc((size_t)steps * sizeof(*m.position))};
  f->layout->groups = berth_arena_calloc(&f->layout->arena, (size_t)steps,
                                         sizeof(*f->layout->groups));
  berth_code_t code = BERTH_OK;
  if (m.steps == NULL || m.inputs == NULL || m.position == NULL ||
      f->layout->groups == NULL) {
    code = berth_error_no_memory(err, "a layout");
  }
  for (int32_t s = 0; code == BERTH_OK && s < steps; ++s) m.position[s] = -1;
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
  if (f->owner == NULL || f->runner == NULL || f->next == NULL ||
      f->segment == NULL || f->drafts == NULL) {
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
  if (code == BERTH_OK) code = groups_make(&f, err);
  berth_free(f.owner);
  berth_free(f.runner);
  berth_free(f.next);
  berth_free(f.segment);
  berth_free(f.drafts);
  return code;
}
