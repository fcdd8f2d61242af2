// fuse_internal.h - What finding groups (fuse.c) and what they see of values in
// parts (view.c) share.
#ifndef BERTH_EXEC_FUSE_INTERNAL_H_
#define BERTH_EXEC_FUSE_INTERNAL_H_

#include "exec/fuse.h"
#include "kernel/fuse.h"

enum {
  BERTH_GROUP_STEPS = 64,    // Of a group at most, and their weights.
  BERTH_GROUP_INPUTS = 255,  // Likewise, whatever terms say.
  BERTH_GROUP_OUTPUTS = 16,
};

// A group that is planned, and not yet part of the layout.
typedef struct berth_group_plan {
  berth_group_t *group;
  berth_prepare_t prepare;
} berth_group_plan_t;

// A group on its way, by the step that runs for it.
typedef struct berth_group_draft {
  int32_t first;  // Of its steps; they are linked by |next|, in running order.
  int32_t count;
  int32_t name_count;  // Those that only give another name.
  int32_t weight;
  int32_t outputs;
  int64_t row;
  bool begins;     // Its first step is none of elements.
  bool finishes;   // That one does some of what follows by itself.
  bool many;       // It may have several outputs.
  int32_t feeder;  // The draft that feeds that step, by its runner; or -1.
  bool feeds;      // It is a feeder.
  bool sees;       // It reads parts where they lie.
  bool is_spread;  // Who reads parts of its result computes them.
  bool is_done;
  const berth_group_plan_t *plan;  // Of one that sees, or NULL.
} berth_group_draft_t;

typedef struct berth_group_finder {
  berth_layout_t *layout;
  const berth_program_t *program;
  berth_planned_t *plans;
  int32_t *owner;   // By argument: its step.
  int32_t *runner;  // By step: of the draft it is in, or -1: in none.
  int32_t *next;    // By step: in its draft.
  berth_group_draft_t *drafts;  // By runner.
  int32_t *segment;             // By step.
  bool *is_view;                // By step: its outputs are read in its input.
  int32_t group_count;
} berth_group_finder_t;

static inline int32_t berth_finder_result(const berth_group_finder_t *f,
                                          int32_t s) {
  const berth_step_t *step = &f->program->steps[s];
  return f->program->args[step->first_arg + step->input_count];
}

// True when step |s| takes its input |index| from another term.
static inline bool berth_finder_is_carried(const berth_group_finder_t *f,
                                           int32_t s, int32_t index) {
  const berth_term_t *term = f->plans[s].term;
  return term != NULL && index < 32 && (term->carried >> index & 1) != 0;
}

// True when all that step |s| does is to give a value another name, where step
// |near| runs.
bool berth_finder_renames(const berth_group_finder_t *f, int32_t s,
                          int32_t near);

// True when the value of |root| needs no place if nobody else reads it.
bool berth_finder_can_pass(const berth_group_finder_t *f, int32_t root);

// True when steps |a| and |b| may be part of one fusion, where they stand.
bool berth_finder_share_place(const berth_group_finder_t *f, int32_t a,
                              int32_t b);

// ---- view.c ----

// Finds the steps that cut values into parts which drafts alone read, element by
// element (|is_view|), and what follows: which drafts see them, which are spread.
void berth_views_find(berth_group_finder_t *f);

// Lets the steps that the draft of |runner| sees through run by themselves.
// Afterwards what follows is to be found anew, by the second.
void berth_views_give_up(berth_group_finder_t *f, int32_t runner);
void berth_views_settle(berth_group_finder_t *f);

// True when the draft of |runner|, which is planned, still has all that it does.
bool berth_views_hold(const berth_group_finder_t *f, int32_t runner);

// True when step |s| is done by whoever reads what it leads to.
bool berth_view_is_shared(const berth_group_finder_t *f, int32_t s);

// Calls |add| with each such step whose work the draft of |runner| does, with
// some of them again.
void berth_views_walk(const berth_group_finder_t *f, int32_t runner,
                      void (*add)(void *data, int32_t s), void *data);

// True when the draft of |runner| reads output |index| of step |s|, a view.
bool berth_view_is_read(const berth_group_finder_t *f, int32_t s, int index,
                        int32_t runner);

#endif  // BERTH_EXEC_FUSE_INTERNAL_H_
