// view.c - Parts of values that groups read where they lie.
//
//   product ──> BiasAdd ──> Split ─┬─> Sigmoid ──> Mul ──> …      one draft
//                                  └─> Tanh ──────> …         perhaps another
//
// A step that only cuts a value into parts (a term with views) does nothing where
// drafts alone read them, element by element: each reads its part in the whole.
// If nobody reads the whole but such steps, and no element of it is in two parts,
// then the draft that makes it is *spread*: each reader computes what it needs of
// it, and nothing is computed twice. What begins that draft, a product, runs by
// itself.
//
// So these steps are shared: several groups do part of their work. They have no
// place for what they make, and belong to the last of the groups, up to which all
// lives that they read.
//
// Views of views are none: a draft that sees is never spread. Large values are not
// kept for small parts of them, nor two for what would be one.
#include "exec/fuse_internal.h"

enum {
  MOST_READS = 64,        // Of a part of what is spread.
  SMALL_BYTES = 1 << 20,  // So much may stay for however little is read of it.
  LEAST_PART = 4,         // Of what is larger so much is read: a quarter.
};

static const berth_term_t *view_of(const berth_group_finder_t *f, int32_t s) {
  const berth_term_t *term = f->plans[s].term;
  return term != NULL && term->views != NULL ? term : NULL;
}

static int32_t output_of(const berth_group_finder_t *f, int32_t s, int index) {
  const berth_step_t *step = &f->program->steps[s];
  return f->program->args[step->first_arg + step->input_count + index];
}

// Returns the step whose result step |s|, a view, cuts: that of a draft, by its
// runner; or -1.
static int32_t whole_of(const berth_group_finder_t *f, int32_t s) {
  const berth_step_t *step = &f->program->steps[s];
  int32_t slot = f->program->args[step->first_arg + f->plans[s].term->viewed];
  int32_t root = f->layout->spots[slot].root;
  int32_t maker = f->program->slots[root].producer;
  bool is_draft = maker >= 0 && f->runner[maker] == maker &&
                  berth_finder_result(f, maker) == root;
  return is_draft ? maker : -1;
}

static bool is_small(const berth_group_finder_t *f, int32_t slot) {
  return berth_layout_bytes(f->layout, slot) <= SMALL_BYTES;
}

// ---- Readers ----

// What reads a value under any of its names, but for steps near |near| that only
// give it another one.
typedef struct readers {
  const berth_group_finder_t *f;
  int32_t near;
  int32_t slot;  // -1: at the end.
  int32_t use;
} readers_t;

static readers_t readers_of(const berth_group_finder_t *f, int32_t near,
                            int32_t root) {
  return (readers_t){.f = f, .near = near, .slot = root};
}

// Stores the next one, and which of its inputs it is; false: there is none.
static bool reader_next(readers_t *r, int32_t *out_step, int32_t *out_input) {
  const berth_program_t *p = r->f->program;
  for (; r->slot >= 0; r->use = 0) {
    const berth_slot_t *info = &p->slots[r->slot];
    while (r->use < info->use_count) {
      int32_t at = p->uses[info->first_use + r->use++], s = r->f->owner[at];
      if (s == info->producer || berth_finder_renames(r->f, s, r->near)) {
        continue;
      }
      *out_step = s;
      *out_input = at - p->steps[s].first_arg;
      return true;
    }
    r->slot = r->f->layout->spots[r->slot].next_alias;
  }
  return false;
}

// True when input |index| of step |s| can be a part that step |view| cuts.
static bool can_see(const berth_group_finder_t *f, int32_t s, int32_t index,
                    int32_t view) {
  int32_t runner = f->runner[s];
  if (runner < 0 || !berth_finder_is_carried(f, s, index)) return false;
  const berth_group_draft_t *draft = &f->drafts[runner];
  return !f->plans[s].term->ends && !draft->finishes && draft->feeder < 0 &&
         !draft->feeds && berth_finder_share_place(f, view, runner);
}

// True when all who read the outputs of step |s| can read them where they lie, and
// the whole may stay for them.
static bool is_seen_through(const berth_group_finder_t *f, int32_t s) {
  const berth_step_t *step = &f->program->steps[s];
  const berth_term_t *view = view_of(f, s);
  if (view == NULL || f->layout->hot[s].how != BERTH_HOT_PLAIN) return false;
  int64_t seen = 0;
  for (int i = 0; i < step->output_count; ++i) {
    int32_t reader, index, root = output_of(f, s, i);
    bool is_read = false;
    if (!berth_finder_can_pass(f, root)) return false;
    readers_t readers = readers_of(f, s, root);
    while (reader_next(&readers, &reader, &index)) {
      if (!can_see(f, reader, index, s)) return false;
      is_read = true;
    }
    if (is_read) seen += view->views[i].count;
  }
  int32_t whole = f->program->args[step->first_arg + view->viewed];
  int64_t count = f->layout->spots[whole].count;
  return seen > 0 && (is_small(f, whole) || seen >= count / LEAST_PART);
}

bool berth_view_is_read(const berth_group_finder_t *f, int32_t s, int index,
                        int32_t runner) {
  int32_t reader, input;
  readers_t readers = readers_of(f, s, output_of(f, s, index));
  while (reader_next(&readers, &reader, &input)) {
    if (f->runner[reader] == runner) return true;
  }
  return false;
}

// ---- What is spread ----

// What readers of a draft's result would compute of it.
typedef struct share {
  int64_t elements;
  int64_t weight;
} share_t;

// Adds what reads output |index| of step |s|; false where that is much.
static bool share_add(const berth_group_finder_t *f, int32_t s, int index,
                      int32_t weight, share_t *share) {
  int32_t runners[MOST_READS], reader, input;
  int count = 0;
  readers_t readers = readers_of(f, s, output_of(f, s, index));
  while (reader_next(&readers, &reader, &input)) {
    int known = 0;
    while (known < count && runners[known] != f->runner[reader]) ++known;
    if (known < count) continue;
    if (count == MOST_READS) return false;
    runners[count++] = f->runner[reader];
    share->elements += f->plans[s].term->views[index].count;
    share->weight += weight;
  }
  return true;
}

// Returns how many values as large as its result the draft of |runner| reads.
static int32_t wholes_of(const berth_group_finder_t *f, int32_t runner) {
  const berth_program_t *p = f->program;
  int32_t wholes = 0;
  for (int32_t s = f->drafts[runner].first; s >= 0; s = f->next[s]) {
    const berth_term_t *term = f->plans[s].term;
    if (term == NULL || term->begins) continue;
    for (int i = 0; i < p->steps[s].input_count; ++i) {
      int32_t slot = p->args[p->steps[s].first_arg + i];
      int32_t root = f->layout->spots[slot].root;
      int32_t maker = p->slots[root].producer;
      bool is_own = maker >= 0 && f->runner[maker] == runner &&
                    f->plans[maker].term != NULL &&
                    !f->plans[maker].term->begins;
      wholes += !is_own && berth_finder_is_carried(f, s, i);
    }
  }
  return wholes;
}

static bool is_whole_draft(const berth_group_finder_t *f, int32_t runner) {
  const berth_group_draft_t *draft = &f->drafts[runner];
  int32_t least = draft->begins ? 2 : 1;
  return draft->outputs == 1 && draft->feeder < 0 && !draft->feeds &&
         !draft->finishes && !draft->sees && !f->plans[runner].term->ends &&
         draft->count - draft->name_count >= least;
}

// True when the draft of |runner| can be computed by those who read parts of its
// result, each element once.
static bool can_be_spread(const berth_group_finder_t *f, int32_t runner) {
  int32_t root = berth_finder_result(f, runner), reader, index;
  share_t share = {0};
  if (!is_whole_draft(f, runner) || !berth_finder_can_pass(f, root) ||
      (!is_small(f, root) && wholes_of(f, runner) > 1)) {
    return false;
  }
  readers_t readers = readers_of(f, runner, root);
  while (reader_next(&readers, &reader, &index)) {
    if (!f->is_view[reader] || index != f->plans[reader].term->viewed ||
        !berth_finder_share_place(f, reader, runner)) {
      return false;
    }
    int outputs = f->program->steps[reader].output_count;
    for (int i = 0; i < outputs; ++i) {
      if (!share_add(f, reader, i, f->drafts[runner].weight, &share)) {
        return false;
      }
    }
  }
  return share.elements <= f->plans[runner].term->count &&
         share.weight <= BERTH_GROUP_STEPS / 2;
}

// ---- Finding ----

void berth_views_settle(berth_group_finder_t *f) {
  int32_t steps = f->program->step_count, reader, index;
  for (int32_t s = 0; s < steps; ++s) {
    f->drafts[s].sees = f->drafts[s].is_spread = false;
  }
  for (int32_t s = 0; s < steps; ++s) {
    int outputs = f->is_view[s] ? f->program->steps[s].output_count : 0;
    for (int i = 0; i < outputs; ++i) {
      readers_t readers = readers_of(f, s, output_of(f, s, i));
      while (reader_next(&readers, &reader, &index)) {
        f->drafts[f->runner[reader]].sees = true;
      }
    }
  }
  for (int32_t s = 0; s < steps; ++s) {
    int32_t whole = f->is_view[s] ? whole_of(f, s) : -1;
    if (whole >= 0) f->drafts[whole].is_spread = can_be_spread(f, whole);
  }
}

void berth_views_find(berth_group_finder_t *f) {
  bool any = false;
  for (int32_t s = 0; s < f->program->step_count; ++s) {
    int32_t feeder = f->runner[s] == s ? f->drafts[s].feeder : -1;
    if (feeder >= 0) f->drafts[feeder].feeds = true;
  }
  for (int32_t s = 0; s < f->program->step_count; ++s) {
    f->is_view[s] = is_seen_through(f, s);
    any |= f->is_view[s];
  }
  if (any) berth_views_settle(f);
}

// ---- What drafts see ----

// Returns the view that makes input |index| of step |s|, or -1.
static int32_t view_at(const berth_group_finder_t *f, int32_t s, int index) {
  const berth_step_t *step = &f->program->steps[s];
  if (!berth_finder_is_carried(f, s, index)) return -1;
  int32_t slot = f->program->args[step->first_arg + index];
  int32_t maker = f->program->slots[f->layout->spots[slot].root].producer;
  return maker >= 0 && f->is_view[maker] ? maker : -1;
}

void berth_views_give_up(berth_group_finder_t *f, int32_t runner) {
  for (int32_t s = f->drafts[runner].first; s >= 0; s = f->next[s]) {
    for (int i = 0; i < f->program->steps[s].input_count; ++i) {
      int32_t view = view_at(f, s, i);
      if (view >= 0) f->is_view[view] = false;
    }
  }
}

// True when step |s|, of a draft that is spread, is computed by others: it is not
// what the draft begins with, nor another name of that.
static bool is_spread(const berth_group_finder_t *f, int32_t s) {
  const berth_term_t *term = f->plans[s].term;
  if (term != NULL) return !term->begins;
  int32_t slot = berth_finder_result(f, s);
  int32_t maker = f->program->slots[f->layout->spots[slot].root].producer;
  return !f->plans[maker].term->begins;
}

bool berth_view_is_shared(const berth_group_finder_t *f, int32_t s) {
  if (f->is_view[s]) return true;
  int32_t runner = f->runner[s];
  if (runner >= 0) return f->drafts[runner].is_spread && is_spread(f, s);
  if (f->program->steps[s].output_count != 1) return false;
  // Another name of what such a step makes.
  int32_t slot = berth_finder_result(f, s), root = f->layout->spots[slot].root;
  int32_t maker = f->program->slots[root].producer;
  if (root == slot || maker < 0) return false;
  if (f->is_view[maker]) return true;
  return f->runner[maker] == maker && f->drafts[maker].is_spread;
}

bool berth_views_hold(const berth_group_finder_t *f, int32_t runner) {
  const berth_group_t *group = f->drafts[runner].plan->group;
  for (int32_t i = 0; i < group->step_count; ++i) {
    int32_t s = group->steps[i];
    if (f->runner[s] != runner && !berth_view_is_shared(f, s)) return false;
  }
  return true;
}

// Adds the steps before |runner| that give |root| other names.
static void names_walk(const berth_group_finder_t *f, int32_t root,
                       int32_t runner, void (*add)(void *data, int32_t s),
                       void *data) {
  const berth_spot_t *spots = f->layout->spots;
  for (int32_t name = spots[root].next_alias; name >= 0;
       name = spots[name].next_alias) {
    int32_t s = f->program->slots[name].producer;
    if (s < runner) add(data, s);
  }
}

void berth_views_walk(const berth_group_finder_t *f, int32_t runner,
                      void (*add)(void *data, int32_t s), void *data) {
  const berth_program_t *p = f->program;
  for (int32_t s = f->drafts[runner].first; s >= 0; s = f->next[s]) {
    for (int i = 0; i < p->steps[s].input_count; ++i) {
      int32_t view = view_at(f, s, i);
      if (view < 0) continue;
      add(data, view);
      int32_t slot = p->args[p->steps[s].first_arg + i];
      names_walk(f, f->layout->spots[slot].root, runner, add, data);
      int32_t whole = whole_of(f, view);
      if (whole < 0 || !f->drafts[whole].is_spread) continue;
      for (int32_t t = f->drafts[whole].first; t >= 0; t = f->next[t]) {
        if (is_spread(f, t)) add(data, t);
      }
      names_walk(f, berth_finder_result(f, whole), runner, add, data);
    }
  }
}
