// flow_part.c - Programs with conditionals and loops that are fed in pieces.
//
// Each step has the set of feeds that it depends on, directly or not; those of
// a loop, and of the loops in it, have all that any of them has: a loop is run
// at once. Whenever feeds have come, what has all of its feeds and was not run
// yet is run, in the order of the program: what a step reads comes before it,
// and depends on no more than it does.
//
// Such a program is not cut into blocks: a block would wait for the feeds of
// all its steps.
#include "exec/flow_part.h"

#include "base/alloc.h"
#include "exec/run_internal.h"
#include "exec/sets.h"

struct berth_flow_part {
  berth_runner_t *runner;  // Borrowed.
  berth_sets_t sets;       // Of feeds.
  int32_t *slot_set;       // By slot.
  int32_t *step_set;       // By step.
  bool *is_fed;            // By feed.
  bool *is_done;           // By step.
  bool has_begun;
};

// ---- What depends on what ----

// Returns the set of step |s|, from its inputs and what it waits for; -1 when
// memory is short. What comes round a loop is not known yet.
static int32_t step_set(berth_flow_part_t *part, int s) {
  const berth_program_t *p = part->runner->program;
  const berth_step_t *step = &p->steps[s];
  const berth_flow_step_t *info = &p->flow->steps[s];
  int32_t set = 0;
  for (int i = 0; set >= 0 && i < step->input_count; ++i) {
    int32_t slot = p->args[step->first_arg + i];
    set = berth_sets_union(&part->sets, set, part->slot_set[slot]);
  }
  for (int32_t i = 0; set >= 0 && i < info->control_count; ++i) {
    int32_t before = p->flow->controls[info->first_control + i];
    set = berth_sets_union(&part->sets, set, part->step_set[before]);
  }
  return set;
}

// Says that the steps [begin, end), and what they make, depend on |set|.
static void set_give(berth_flow_part_t *part, int begin, int end, int32_t set) {
  const berth_program_t *p = part->runner->program;
  for (int s = begin; s < end; ++s) {
    const berth_step_t *step = &p->steps[s];
    part->step_set[s] = set;
    for (int i = 0; i < step->output_count; ++i) {
      part->slot_set[p->args[step->first_arg + step->input_count + i]] = set;
    }
  }
}

// Works out the sets of the steps [begin, end), of a loop or of none.
static bool sets_compute(berth_flow_part_t *part, int begin, int end,
                         bool is_loop) {
  int32_t all = 0;
  for (int s = begin; s < end; ++s) {
    int32_t set = step_set(part, s);
    all = set < 0 ? -1 : berth_sets_union(&part->sets, all, set);
    if (all < 0) return false;
    set_give(part, s, s + 1, set);
  }
  if (is_loop) set_give(part, begin, end, all);
  return true;
}

static bool feed_sets(berth_flow_part_t *part) {
  const berth_program_t *p = part->runner->program;
  for (int i = 0; i < p->signature.feed_count; ++i) {
    int32_t own[1] = {i};
    int32_t set = berth_sets_get(&part->sets, own, 1);
    if (set < 0) return false;
    part->slot_set[p->feed_slots[i]] = set;
  }
  return true;
}

// Returns the mark at which the loop ends that begins at |mark|.
static int32_t loop_end(const berth_flow_t *flow, int32_t mark) {
  return flow->loops[flow->marks[mark].loop].end;
}

static bool all_sets(berth_flow_part_t *part) {
  const berth_program_t *p = part->runner->program;
  const berth_flow_t *flow = p->flow;
  int begin = 0;
  bool ok = feed_sets(part);
  for (int32_t m = 0; ok && m < (int32_t)flow->mark_count; ++m) {
    int32_t end = loop_end(flow, m);
    int from = flow->marks[m].step, to = flow->marks[end].step;
    ok = sets_compute(part, begin, from, false) &&
         sets_compute(part, from, to, true);
    begin = to;
    m = end;
  }
  return ok && sets_compute(part, begin, p->step_count, false);
}

// ---- Running ----

static bool is_ready(const berth_flow_part_t *part, int s) {
  const berth_few_t *set = &part->sets.all[part->step_set[s]];
  if (part->is_done[s]) return false;
  for (int32_t i = 0; i < set->count; ++i) {
    if (!part->is_fed[set->items[i]]) return false;
  }
  return true;
}

// Runs those of the steps [begin, end) that are ready, rows of them at once.
static berth_code_t straight_run(berth_flow_part_t *part, int begin, int end,
                                 berth_error_t *err) {
  for (int s = begin; s < end; ++s) {
    int first = s;
    while (s < end && is_ready(part, s)) part->is_done[s++] = true;
    if (s > first) {
      BERTH_TRY(berth_flow_stretch(part->runner, first, s, err));
    }
  }
  return BERTH_OK;
}

// Runs the loop [begin, end), which begins at |mark|, if it is ready.
static berth_code_t loop_run(berth_flow_part_t *part, int32_t mark, int begin,
                             int end, berth_error_t *err) {
  if (begin == end || !is_ready(part, begin)) return BERTH_OK;
  for (int s = begin; s < end; ++s) part->is_done[s] = true;
  return berth_flow_loop(part->runner, mark, err);
}

static berth_code_t ready_run(berth_flow_part_t *part, berth_error_t *err) {
  const berth_program_t *p = part->runner->program;
  const berth_flow_t *flow = p->flow;
  int begin = 0;
  for (int32_t m = 0; m < (int32_t)flow->mark_count; ++m) {
    int32_t end = loop_end(flow, m);
    int from = flow->marks[m].step, to = flow->marks[end].step;
    BERTH_TRY(straight_run(part, begin, from, err));
    BERTH_TRY(loop_run(part, m, from, to, err));
    begin = to;
    m = end;
  }
  return straight_run(part, begin, p->step_count, err);
}

berth_code_t berth_flow_part_run(berth_flow_part_t *part, berth_error_t *err) {
  if (!part->has_begun) BERTH_TRY(berth_flow_begin(part->runner, err));
  part->has_begun = true;
  BERTH_TRY(ready_run(part, err));
  return berth_flow_sync(part->runner, err);
}

void berth_flow_part_feed(berth_flow_part_t *part, int feed) {
  part->is_fed[feed] = true;
}

bool berth_flow_part_is_over(const berth_flow_part_t *part) {
  for (int s = 0; s < part->runner->program->step_count; ++s) {
    if (!part->is_done[s]) return false;
  }
  return true;
}

// ---- Fetches ----

berth_code_t berth_flow_part_check(const berth_flow_part_t *part, int fetch,
                                   berth_error_t *err) {
  const berth_program_t *p = part->runner->program;
  int32_t slot = p->fetch_slots[fetch], producer = p->slots[slot].producer;
  if (producer >= 0 && p->settled[slot] == NULL && !part->is_done[producer]) {
    return berth_error_set(err, BERTH_UNIMPLEMENTED,
                           "What is fetched comes out of a loop that waits for "
                           "something that was not fed yet; feed that as well");
  }
  if (!berth_flow_is_dead(part->runner, slot)) return BERTH_OK;
  berth_out_t out = p->signature.fetches[fetch];
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "The tensor returned for %s:%d was not valid.",
                         berth_node_name(p->host->graph, out.node), out.index);
}

// ---- Life ----

berth_flow_part_t *berth_flow_part_create(berth_runner_t *runner) {
  const berth_program_t *p = runner->program;
  berth_flow_part_t *part = berth_calloc(1, sizeof(*part));
  if (part == NULL) return NULL;
  part->runner = runner;
  part->slot_set =
      berth_calloc((size_t)p->slot_count + 1, sizeof(*part->slot_set));
  part->step_set =
      berth_calloc((size_t)p->step_count + 1, sizeof(*part->step_set));
  part->is_fed =
      berth_calloc((size_t)p->signature.feed_count + 1, sizeof(*part->is_fed));
  part->is_done =
      berth_calloc((size_t)p->step_count + 1, sizeof(*part->is_done));
  if (!berth_sets_init(&part->sets) || part->slot_set == NULL ||
      part->step_set == NULL || part->is_fed == NULL || part->is_done == NULL ||
      !all_sets(part)) {
    berth_flow_part_destroy(part);
    return NULL;
  }
  return part;
}

void berth_flow_part_end(berth_flow_part_t *part, berth_code_t code) {
  if (part == NULL || !part->has_begun) return;
  berth_flow_end(part->runner, code);
  part->has_begun = false;
}

void berth_flow_part_destroy(berth_flow_part_t *part) {
  if (part == NULL) return;
  berth_sets_deinit(&part->sets);
  berth_free(part->slot_set);
  berth_free(part->step_set);
  berth_free(part->is_fed);
  berth_free(part->is_done);
  berth_free(part);
}
