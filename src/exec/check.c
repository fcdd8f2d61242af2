// check.c - Whether a program is what it must be.
#include "exec/check.h"

#include "base/alloc.h"
#include "exec/copy.h"
#include "exec/flow.h"

static bool is_step(const berth_program_t *p, int32_t step) {
  return step >= 0 && step < p->step_count;
}

static bool is_slot(const berth_program_t *p, int32_t slot) {
  return slot >= 0 && slot < p->slot_count;
}

static bool is_merge(const berth_program_t *p, int s) {
  return p->flow != NULL && p->flow->steps[s].kind == BERTH_FLOW_MERGE;
}

// ---- Steps and slots ----

// I1: what a step reads was made before it, but for what comes round a loop.
static const char *args_check(const berth_program_t *p, int s) {
  const berth_step_t *step = &p->steps[s];
  int count = step->input_count + step->output_count;
  BERTH_CHECK_THAT(step->first_arg >= 0 && step->input_count >= 0 &&
                       step->output_count >= 0 &&
                       step->first_arg + count < p->arg_count,
                   "the arguments of a step are out of range");
  const int32_t *slots = p->args + step->first_arg;
  BERTH_CHECK_THAT(slots[count] == -1, "a step has no place for scratch");
  for (int i = 0; i < count; ++i) {
    BERTH_CHECK_THAT(is_slot(p, slots[i]), "an argument is no slot");
  }
  for (int i = 0; i < step->input_count; ++i) {
    BERTH_CHECK_THAT(p->slots[slots[i]].producer < s || is_merge(p, s),
                     "a value is read before it is made");
  }
  for (int i = step->input_count; i < count; ++i) {
    BERTH_CHECK_THAT(p->slots[slots[i]].producer == s,
                     "an output has another producer");
  }
  return NULL;
}

// A step that only hands on what it gets, wherever that is.
static bool hands_on(const berth_program_t *p, int s) {
  const berth_step_t *step = &p->steps[s];
  if (step->reads || (step->traits & BERTH_OP_SHAPES) != 0) return true;
  return p->flow != NULL && (p->flow->steps[s].kind == BERTH_FLOW_RETVAL ||
                             p->flow->steps[s].kind == BERTH_FLOW_BLOCK);
}

static const char *copy_check(const berth_program_t *p,
                              const berth_step_t *step) {
  BERTH_CHECK_THAT(step->input_count == 1 && step->output_count == 1,
                   "a copy has other than two arguments");
  const berth_slot_t *from = &p->slots[p->args[step->first_arg]];
  const berth_slot_t *to = &p->slots[p->args[step->first_arg + 1]];
  BERTH_CHECK_THAT(from->space != to->space, "a copy stays in one space");
  BERTH_CHECK_THAT(from->dtype == to->dtype, "a copy changes the type");
  BERTH_CHECK_THAT(from->is_copied, "a copy reads what is not marked");
  return NULL;
}

static const char *spaces_check(const berth_program_t *p, int s) {
  const berth_step_t *step = &p->steps[s];
  BERTH_CHECK_THAT(step->device >= 0 && step->device < p->host->device_count,
                   "a step has no device");
  if (berth_is_copy(step)) return copy_check(p, step);
  if (hands_on(p, s)) return NULL;
  const int32_t *slots = p->args + step->first_arg;
  int own = berth_step_space(step);
  for (int i = 0; i < step->input_count; ++i) {
    int space = p->slots[slots[i]].space;
    BERTH_CHECK_THAT(space == own || space == BERTH_HOST_SPACE,
                     "an input is in another space than its step");
  }
  for (int i = 0; i < step->output_count; ++i) {
    bool on_host = step->host_outputs != NULL && step->host_outputs[i];
    BERTH_CHECK_THAT(p->slots[slots[step->input_count + i]].space ==
                         (on_host ? BERTH_HOST_SPACE : own),
                     "an output is in another space than its step");
  }
  return NULL;
}

static const char *slots_check(const berth_program_t *p) {
  for (int i = 0; i < p->slot_count; ++i) {
    const berth_slot_t *slot = &p->slots[i];
    BERTH_CHECK_THAT(slot->producer == -1 || is_step(p, slot->producer),
                     "the producer of a slot is no step");
    BERTH_CHECK_THAT(slot->space >= 0 && slot->space <= p->host->device_count,
                     "a slot is in no space");
    BERTH_CHECK_THAT(
        p->settled[i] == NULL || slot->producer == -1 || p->flow != NULL,
        "a settled value is made by a step");
    BERTH_CHECK_THAT(
        p->settled[i] == NULL || p->settled[i]->dtype == slot->dtype,
        "a settled value has another type");
  }
  return NULL;
}

// |seen| and |reads|, by slot, are zero.
static const char *uses_walk(const berth_program_t *p, int32_t *seen,
                             int32_t *reads) {
  for (int s = 0; s < p->step_count; ++s) {
    const berth_step_t *step = &p->steps[s];
    for (int i = 0; i < step->input_count + step->output_count; ++i) {
      int32_t at = step->first_arg + i, slot = p->args[at];
      int32_t use = p->slots[slot].first_use + seen[slot]++;
      BERTH_CHECK_THAT(seen[slot] <= p->slots[slot].use_count,
                       "a slot has more uses than it knows");
      BERTH_CHECK_THAT(use >= 0 && use < p->arg_count && p->uses[use] == at,
                       "a use leads to another argument");
      if (i >= step->input_count) continue;
      ++reads[slot];
      BERTH_CHECK_THAT(!berth_step_keeps(step, i) || p->slots[slot].is_kept,
                       "a slot that a kernel keeps is not marked");
    }
  }
  for (int i = 0; i < p->slot_count; ++i) {
    BERTH_CHECK_THAT(seen[i] == p->slots[i].use_count,
                     "a slot has fewer uses than it knows");
    BERTH_CHECK_THAT(reads[i] == p->slots[i].consumer_count,
                     "a slot has another number of readers");
  }
  return NULL;
}

static const char *uses_check(const berth_program_t *p) {
  size_t count = (size_t)p->slot_count;
  int32_t *seen = berth_calloc(2 * count + 1, sizeof(*seen));
  if (seen == NULL) return NULL;
  const char *wrong = uses_walk(p, seen, seen + count);
  berth_free(seen);
  return wrong;
}

// What is fed and fetched. I4: a fetch is kept, so that it gets a tensor.
static const char *ends_check(const berth_program_t *p) {
  const berth_signature_t *signature = &p->signature;
  for (int i = 0; i < signature->feed_count; ++i) {
    BERTH_CHECK_THAT(is_slot(p, p->feed_slots[i]), "a feed has no slot");
    const berth_slot_t *slot = &p->slots[p->feed_slots[i]];
    BERTH_CHECK_THAT(slot->producer == -1, "a feed is made by a step");
    BERTH_CHECK_THAT(slot->space == (signature->feed_spaces != NULL
                                         ? signature->feed_spaces[i]
                                         : BERTH_HOST_SPACE),
                     "a feed is in another space");
  }
  for (int i = 0; i < signature->fetch_count; ++i) {
    BERTH_CHECK_THAT(is_slot(p, p->fetch_slots[i]), "a fetch has no slot");
    const berth_slot_t *slot = &p->slots[p->fetch_slots[i]];
    BERTH_CHECK_THAT(slot->is_kept, "a fetch is not kept");
    BERTH_CHECK_THAT(signature->is_call || slot->space == BERTH_HOST_SPACE,
                     "a fetch is not on the host");
  }
  return NULL;
}

// ---- Segments ----

// True when the ascending |list| has |value|.
static bool has(const int32_t *list, int32_t count, int32_t value) {
  int32_t low = 0, high = count;
  while (low < high) {
    int32_t middle = (low + high) / 2;
    if (list[middle] < value) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low < count && list[low] == value;
}

// Adds what |list| says to the |waits| of segments. I1: edges lead from |from|
// to later segments only, so that there are no cycles.
static const char *list_check(const berth_program_t *p, const int32_t *list,
                              int32_t count, int32_t from, int32_t *waits) {
  for (int32_t i = 0; i < count; ++i) {
    BERTH_CHECK_THAT(list[i] > from && list[i] < p->segment_count,
                     "a segment is waited for by an earlier one");
    BERTH_CHECK_THAT(i == 0 || list[i - 1] < list[i],
                     "a list of segments does not ascend");
    if (waits != NULL) ++waits[list[i]];
  }
  return NULL;
}

static const char *waits_check(const berth_program_t *p) {
  int32_t *waits = berth_calloc((size_t)p->segment_count + 1, sizeof(*waits));
  const char *wrong = NULL;
  for (int t = 0; wrong == NULL && t < p->segment_count; ++t) {
    const berth_segment_t *segment = &p->segments[t];
    wrong = list_check(p, segment->next, segment->next_count, t, waits);
  }
  for (int b = 0; wrong == NULL && b < p->blocker_count; ++b) {
    const berth_blocker_t *blocker = &p->blockers[b];
    wrong = list_check(p, blocker->next, blocker->next_count, -1, waits);
  }
  for (int t = 0; wrong == NULL && waits != NULL && t < p->segment_count; ++t) {
    if (waits[t] == p->segments[t].wait_count) continue;
    wrong = "a segment waits for another number of things";
  }
  berth_free(waits);
  return wrong;
}

static const char *blockers_check(const berth_program_t *p) {
  for (int s = 0; s < p->step_count; ++s) {
    int b = p->steps[s].blocker;
    BERTH_CHECK_THAT(b >= -1 && b < p->blocker_count,
                     "a step has no such blocker");
    BERTH_CHECK_THAT(b < 0 || p->blockers[b].step == s,
                     "a blocker is another step");
    bool blocks = (p->steps[s].traits & BERTH_OP_BLOCKS) != 0;
    BERTH_CHECK_THAT(p->flow != NULL || blocks == (b >= 0),
                     "a step that blocks is no blocker");
  }
  for (int b = 0; b < p->blocker_count; ++b) {
    const berth_blocker_t *blocker = &p->blockers[b];
    BERTH_CHECK_THAT((blocker->step >= 0) == (blocker->feed < 0),
                     "a blocker is both a step and a feed, or neither");
    BERTH_CHECK_THAT(
        blocker->step < 0 ||
            (is_step(p, blocker->step) && p->steps[blocker->step].blocker == b),
        "the step of a blocker has another");
    BERTH_CHECK_THAT(blocker->feed < p->signature.feed_count,
                     "a blocker is no feed");
  }
  return NULL;
}

// Checks that segment |t| waits for step |before|, of this or another one (I1).
static const char *step_edge_check(const berth_program_t *p, int32_t before,
                                   int t) {
  int b = p->steps[before].blocker;
  BERTH_CHECK_THAT(
      b < 0 || has(p->blockers[b].next, p->blockers[b].next_count, t),
      "a segment does not wait for a blocking step");
  if (before >= p->segments[t].begin) return NULL;
  int from = 0;
  while (p->segments[from].end <= before) ++from;
  BERTH_CHECK_THAT(has(p->segments[from].next, p->segments[from].next_count, t),
                   "a segment does not wait for what it needs");
  return NULL;
}

// Checks that segment |t| waits for |slot|.
static const char *value_edge_check(const berth_program_t *p, int32_t slot,
                                    int t) {
  int32_t producer = p->slots[slot].producer;
  if (producer >= 0) return step_edge_check(p, producer, t);
  for (int i = 0; p->signature.is_partial && i < p->signature.feed_count; ++i) {
    const berth_blocker_t *blocker = &p->blockers[i];
    BERTH_CHECK_THAT(
        p->feed_slots[i] != slot || has(blocker->next, blocker->next_count, t),
        "a segment does not wait for what it is fed");
  }
  return NULL;
}

// |step_of|, by node, is its step, or -1.
static const char *edges_walk(const berth_program_t *p,
                              const int32_t *step_of) {
  for (int t = 0; t < p->segment_count; ++t) {
    for (int s = p->segments[t].begin; s < p->segments[t].end; ++s) {
      const berth_step_t *step = &p->steps[s];
      for (int i = 0; i < step->input_count; ++i) {
        BERTH_CHECK_TRY(value_edge_check(p, p->args[step->first_arg + i], t));
      }
      for (int i = 0; i < step->node->control_count; ++i) {
        int32_t before = step_of[step->node->controls[i]];
        if (before < 0) continue;
        // Reads of variables come first in a block: before what changes nothing.
        bool is_first = step->reads && berth_step_is_pure(&p->steps[before]);
        BERTH_CHECK_THAT(before < s || is_first,
                         "a step stands before what it waits for");
        BERTH_CHECK_TRY(step_edge_check(p, before, t));
      }
    }
  }
  return NULL;
}

// Looking for edges takes time with the product of these.
enum { MOST_EDGE_WORK = 1 << 22 };

static const char *edges_check(const berth_program_t *p) {
  int64_t others = p->segment_count + p->blocker_count;
  if (p->flow != NULL || others * p->arg_count > MOST_EDGE_WORK) return NULL;
  size_t nodes = (size_t)berth_graph_node_count(p->host->graph);
  int32_t *step_of = berth_alloc((nodes + 1) * sizeof(*step_of));
  if (step_of == NULL) return NULL;
  memset(step_of, 0xff, (nodes + 1) * sizeof(*step_of));
  for (int s = 0; s < p->step_count; ++s) {
    if (p->steps[s].node->id >= 0) step_of[p->steps[s].node->id] = s;
  }
  const char *wrong = edges_walk(p, step_of);
  berth_free(step_of);
  return wrong;
}

// I1: segments are contiguous, and every step is in one.
static const char *segments_check(const berth_program_t *p) {
  int32_t next = 0;
  for (int t = 0; t < p->segment_count; ++t) {
    const berth_segment_t *segment = &p->segments[t];
    BERTH_CHECK_THAT(segment->begin == next && segment->end >= next &&
                         segment->end <= p->step_count,
                     "segments are not contiguous");
    next = segment->end;
    for (int s = segment->begin; s < segment->end; ++s) {
      bool ends =
          s + 1 == segment->end || !berth_step_updates(&p->steps[s + 1]);
      BERTH_CHECK_THAT(p->steps[s].ends_commit == ends,
                       "a commit ends elsewhere");
    }
  }
  BERTH_CHECK_THAT(next == p->step_count, "a step is in no segment");
  return NULL;
}

// ---- Conditionals and loops ----

static const char *flow_check(const berth_program_t *p) {
  const berth_flow_t *flow = p->flow;
  if (flow == NULL) return NULL;
  BERTH_CHECK_THAT(flow->step_count == (size_t)p->step_count,
                   "a step has nothing known of its values");
  BERTH_CHECK_THAT(flow->mark_count == 2 * (size_t)flow->loop_count,
                   "a loop has other than two marks");
  for (int i = 0; i < flow->loop_count; ++i) {
    const berth_flow_loop_t *loop = &flow->loops[i];
    const berth_flow_mark_t *begin = &flow->marks[loop->begin];
    const berth_flow_mark_t *end = &flow->marks[loop->end];
    BERTH_CHECK_THAT(begin->loop == i && !begin->is_end && end->loop == i &&
                         end->is_end && begin->step <= end->step,
                     "the marks of a loop are not its own");
  }
  for (size_t m = 1; m < flow->mark_count; ++m) {
    BERTH_CHECK_THAT(flow->marks[m - 1].step <= flow->marks[m].step,
                     "marks do not ascend");
  }
  for (size_t c = 0; c < flow->control_count; ++c) {
    BERTH_CHECK_THAT(is_step(p, flow->controls[c]), "a control is no step");
  }
  return NULL;
}

// ---- The whole ----

const char *berth_program_check(const berth_program_t *p) {
  BERTH_CHECK_TRY(flow_check(p));
  BERTH_CHECK_TRY(slots_check(p));
  for (int s = 0; s < p->step_count; ++s) {
    BERTH_CHECK_TRY(args_check(p, s));
    BERTH_CHECK_TRY(spaces_check(p, s));
  }
  BERTH_CHECK_TRY(uses_check(p));
  BERTH_CHECK_TRY(ends_check(p));
  BERTH_CHECK_TRY(segments_check(p));
  BERTH_CHECK_TRY(blockers_check(p));
  BERTH_CHECK_TRY(waits_check(p));
  return edges_check(p);
}
