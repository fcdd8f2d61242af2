// segment.c - Cutting a program where a step may have to wait.
#include "exec/segment.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/assert.h"
#include "exec/sets.h"

static int compare_pairs(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return x < y ? -1 : x > y;
}

// A growing list of (from, to) pairs.
typedef struct pairs {
  int64_t *items;
  size_t count, capacity;
} pairs_t;

static bool pair_add(pairs_t *pairs, int32_t from, int32_t to) {
  int64_t *items =
      berth_grow(pairs->items, pairs->count, &pairs->capacity, sizeof(*items));
  if (items == NULL) return false;
  pairs->items = items;
  pairs->items[pairs->count++] = (int64_t)from << 32 | to;
  return true;
}

// Sorts the pairs and drops repeated ones.
static void pairs_unique(pairs_t *pairs) {
  if (pairs->count == 0) return;
  qsort(pairs->items, pairs->count, sizeof(*pairs->items), compare_pairs);
  size_t kept = 1;
  for (size_t i = 1; i < pairs->count; ++i) {
    if (pairs->items[i] != pairs->items[kept - 1]) {
      pairs->items[kept++] = pairs->items[i];
    }
  }
  pairs->count = kept;
}

typedef struct cutter {
  berth_program_t *program;
  berth_sets_t sets;   // Of blockers.
  int32_t *slot_set;   // By slot.
  int32_t *step_set;   // By step.
  int32_t *node_step;  // By node id: step, or -1. For control edges.
  int node_count;
  // Steps that wait for others because of nodes between that have no step.
  pairs_t waits;  // (who waits, for whom), sorted.
} cutter_t;

// ---- Blockers ----

static bool blocks(const berth_step_t *step) {
  return (step->traits & BERTH_OP_BLOCKS) != 0;
}

// Lists the feeds of a partial run and the blocking steps.
static berth_code_t blockers_list(berth_program_t *p, berth_error_t *err) {
  int feeds = p->signature.is_partial ? p->signature.feed_count : 0;
  int count = feeds;
  for (int s = 0; s < p->step_count; ++s) count += blocks(&p->steps[s]);
  if (count > INT16_MAX) {
    return berth_error_set(err, BERTH_UNIMPLEMENTED,
                           "a run with %d blocking ops; at most %d are "
                           "supported",
                           count, INT16_MAX);
  }
  p->blockers =
      berth_arena_calloc(&p->arena, (size_t)count + 1, sizeof(*p->blockers));
  if (p->blockers == NULL) return berth_error_no_memory(err, "a program");
  for (int i = 0; i < feeds; ++i) {
    p->blockers[i] = (berth_blocker_t){.step = -1, .feed = i};
  }
  p->blocker_count = feeds;
  for (int s = 0; s < p->step_count; ++s) {
    if (!blocks(&p->steps[s])) continue;
    p->steps[s].blocker = (int16_t)p->blocker_count;
    p->blockers[p->blocker_count++] = (berth_blocker_t){.step = s, .feed = -1};
  }
  return BERTH_OK;
}

// ---- Nodes without a step ----

// What a constant waits for, whoever reads it waits for, though the constant
// itself is there before anything runs: of
//
//   Dequeue ─ ─> Const ──> AssignAdd
//
// TensorFlow's Python leaves out the control edge that the constant stands for.
typedef struct passer {
  cutter_t *cutter;
  const berth_graph_t *graph;
  bool *leads;     // By node id: it has no step, and leads to one.
  int32_t *seen;   // By node id: the last step that came by.
  int32_t *stack;  // Nodes that are to be looked at.
  int32_t depth;
} passer_t;

static bool leads(const passer_t *p, int32_t node) {
  return p->cutter->node_step[node] >= 0 || p->leads[node];
}

// Marks the nodes without a step that lead to one, unless they are fed; false
// when there are none.
static bool leads_find(passer_t *p) {
  const berth_signature_t *signature = &p->cutter->program->signature;
  bool any = false;
  for (int i = 0; i < signature->feed_count; ++i) {
    p->seen[signature->feeds[i].node] = INT32_MAX;
  }
  for (int id = 0; id < p->cutter->node_count; ++id) {
    const berth_node_t *node = berth_graph_get(p->graph, id);
    if (p->cutter->node_step[id] >= 0 || p->seen[id] == INT32_MAX) continue;
    bool found = false;
    for (int i = 0; !found && i < node->input_count; ++i) {
      found = leads(p, node->inputs[i].node);
    }
    for (int i = 0; !found && i < node->control_count; ++i) {
      found = leads(p, node->controls[i]);
    }
    p->leads[id] = found;
    any = any || found;
  }
  return any;
}

// Step |s| comes by |id|: it waits for that, or is to look behind it.
static bool pass(passer_t *p, int32_t s, int32_t id, bool is_direct) {
  cutter_t *c = p->cutter;
  int32_t before = c->node_step[id];
  // What was put first, as reads are, does not wait for what stands behind it.
  if (before >= 0) {
    return is_direct || before >= s || pair_add(&c->waits, s, before);
  }
  if (!p->leads[id] || p->seen[id] == s) return true;
  p->seen[id] = s;
  p->stack[p->depth++] = id;
  return true;
}

// Does so for all that |node| reads and waits for.
static bool pass_all(passer_t *p, int32_t s, const berth_node_t *node,
                     bool is_direct) {
  for (int i = 0; node->id >= 0 && i < node->input_count; ++i) {
    if (!pass(p, s, node->inputs[i].node, is_direct)) return false;
  }
  for (int i = 0; i < node->control_count; ++i) {
    if (!pass(p, s, node->controls[i], is_direct)) return false;
  }
  return true;
}

// Finds the step of each node.
static void nodes_number(cutter_t *c) {
  size_t nodes = (size_t)c->node_count + 1;
  memset(c->node_step, 0xff, nodes * sizeof(*c->node_step));
  for (int s = 0; s < c->program->step_count; ++s) {
    int32_t id = c->program->steps[s].node->id;
    if (id >= 0) c->node_step[id] = s;
  }
}

// Finds |c->waits|.
static bool waits_find(cutter_t *c) {
  const berth_program_t *program = c->program;
  size_t nodes = (size_t)c->node_count + 1;
  passer_t p = {.cutter = c,
                .graph = program->host->graph,
                .leads = berth_calloc(nodes, sizeof(*p.leads)),
                .seen = berth_alloc(nodes * sizeof(*p.seen)),
                .stack = berth_alloc(nodes * sizeof(*p.stack))};
  bool ok = p.leads != NULL && p.seen != NULL && p.stack != NULL;
  for (size_t i = 0; ok && i < nodes; ++i) p.seen[i] = -1;
  bool any = ok && leads_find(&p);
  for (int s = 0; ok && any && s < program->step_count; ++s) {
    ok = pass_all(&p, s, program->steps[s].node, true);
    while (ok && p.depth > 0) {
      int32_t id = p.stack[--p.depth];
      ok = pass_all(&p, s, berth_graph_get(p.graph, id), false);
    }
  }
  pairs_unique(&c->waits);
  berth_free(p.leads);
  berth_free(p.seen);
  berth_free(p.stack);
  return ok;
}

// Returns where the waits of step |s| begin.
static size_t waits_begin(const cutter_t *c, int32_t s) {
  size_t low = 0, high = c->waits.count;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (c->waits.items[middle] >> 32 < s) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

// Stores the step that wait |*at| of step |s| is for, and moves on; false when
// there are no more.
static bool waits_next(const cutter_t *c, int32_t s, size_t *at,
                       int32_t *out_before) {
  if (*at >= c->waits.count || c->waits.items[*at] >> 32 != s) return false;
  *out_before = (int32_t)(c->waits.items[(*at)++] & 0xffffffff);
  return true;
}

// ---- Sets of steps ----

// What waits for step |s| waits for this set: its own, and itself if it blocks.
static int32_t set_after(cutter_t *c, int s) {
  int blocker = c->program->steps[s].blocker;
  if (blocker < 0) return c->step_set[s];
  int32_t own[1] = {blocker};
  int32_t single = berth_sets_get(&c->sets, own, 1);
  return berth_sets_union(&c->sets, c->step_set[s], single);
}

// Computes the set of step |s| from its inputs and control inputs.
static int32_t step_set(cutter_t *c, int s) {
  const berth_program_t *p = c->program;
  const berth_step_t *step = &p->steps[s];
  int32_t set = 0;
  for (int i = 0; set >= 0 && i < step->input_count; ++i) {
    set = berth_sets_union(&c->sets, set,
                           c->slot_set[p->args[step->first_arg + i]]);
  }
  for (int i = 0; set >= 0 && i < step->node->control_count; ++i) {
    int32_t before = c->node_step[step->node->controls[i]];
    if (before < 0) continue;
    set = berth_sets_union(&c->sets, set, set_after(c, before));
  }
  size_t at = waits_begin(c, s);
  for (int32_t before; set >= 0 && waits_next(c, s, &at, &before);) {
    set = berth_sets_union(&c->sets, set, set_after(c, before));
  }
  return set;
}

// Gives the feeds of a partial run sets of their own.
static bool feed_sets(cutter_t *c) {
  const berth_program_t *p = c->program;
  for (int i = 0; p->signature.is_partial && i < p->signature.feed_count; ++i) {
    int32_t own[1] = {i};
    int32_t set = berth_sets_get(&c->sets, own, 1);
    if (set < 0) return false;
    c->slot_set[p->feed_slots[i]] = set;
  }
  return true;
}

static bool sets_compute(cutter_t *c) {
  const berth_program_t *p = c->program;
  if (!feed_sets(c)) return false;
  for (int s = 0; s < p->step_count; ++s) {
    const berth_step_t *step = &p->steps[s];
    c->step_set[s] = step_set(c, s);
    if (c->step_set[s] < 0) return false;
    int32_t after = set_after(c, s);
    if (after < 0) return false;
    for (int i = 0; i < step->output_count; ++i) {
      c->slot_set[p->args[step->first_arg + step->input_count + i]] = after;
    }
  }
  return true;
}

// ---- Segments ----

// Numbers the sets that steps have, smaller ones first, and equally large ones
// in the order of their first step. A step needs only what waits for part of
// its own set, so inputs come first (I1).
static bool segments_number(cutter_t *c, int32_t *segment_of_set) {
  berth_program_t *p = c->program;
  int64_t *order = berth_alloc((c->sets.count + 1) * sizeof(*order));
  int32_t *first = berth_alloc((c->sets.count + 1) * sizeof(*first));
  bool ok = order != NULL && first != NULL;
  memset(segment_of_set, 0xff, c->sets.count * sizeof(*segment_of_set));
  p->segment_count = 0;
  for (int s = 0; ok && s < p->step_count; ++s) {
    int32_t set = c->step_set[s];
    if (segment_of_set[set] >= 0) continue;
    segment_of_set[set] = p->segment_count;
    first[p->segment_count] = set;
    order[p->segment_count] =
        (int64_t)c->sets.all[set].count << 32 | p->segment_count;
    ++p->segment_count;
  }
  if (ok) {
    qsort(order, (size_t)p->segment_count, sizeof(*order), compare_pairs);
    for (int i = 0; i < p->segment_count; ++i) {
      segment_of_set[first[order[i] & 0xffffffff]] = i;
    }
  }
  berth_free(order);
  berth_free(first);
  return ok;
}

// Puts steps of one set next to each other, and fixes what refers to steps by
// number.
static bool steps_sort(cutter_t *c, int32_t *segment_of_set) {
  berth_program_t *p = c->program;
  size_t count = (size_t)p->step_count;
  if (!segments_number(c, segment_of_set)) return false;
  berth_step_t *sorted = berth_alloc((count + 1) * sizeof(*sorted));
  if (sorted == NULL) return false;
  for (size_t s = 0; s < count; ++s) {
    ++p->segments[segment_of_set[c->step_set[s]]].end;  // Its size, for now.
  }
  int32_t next = 0;
  for (int i = 0; i < p->segment_count; ++i) {
    p->segments[i].begin = next;
    next += p->segments[i].end;
    p->segments[i].end = p->segments[i].begin;
  }
  for (size_t s = 0; s < count; ++s) {
    berth_segment_t *segment = &p->segments[segment_of_set[c->step_set[s]]];
    int32_t at = segment->end++;
    sorted[at] = p->steps[s];
    if (sorted[at].blocker >= 0) p->blockers[sorted[at].blocker].step = at;
    for (int i = 0; i < sorted[at].output_count; ++i) {
      int32_t arg = sorted[at].first_arg + sorted[at].input_count + i;
      p->slots[p->args[arg]].producer = at;
    }
  }
  memcpy(p->steps, sorted, count * sizeof(*sorted));
  berth_free(sorted);
  return true;
}

// Returns the segment that holds step |s|.
static int32_t segment_find(const berth_program_t *p, int32_t s) {
  int32_t low = 0, high = p->segment_count - 1;
  while (low < high) {
    int32_t middle = (low + high + 1) / 2;
    if (p->segments[middle].begin <= s) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
}

// Adds the segments that |step| of segment |to| needs.
static bool step_edges(const cutter_t *c, const int32_t *segment_of_set,
                       const berth_step_t *step, int32_t to, pairs_t *pairs) {
  const berth_program_t *p = c->program;
  for (int i = 0; i < step->input_count; ++i) {
    int32_t before = p->slots[p->args[step->first_arg + i]].producer;
    int32_t from = before >= 0 ? segment_find(p, before) : to;
    BERTH_ASSERT(from <= to);
    if (from != to && !pair_add(pairs, from, to)) return false;
  }
  for (int i = 0; i < step->node->control_count; ++i) {
    int32_t before = c->node_step[step->node->controls[i]];
    int32_t from = before >= 0 ? segment_of_set[c->step_set[before]] : to;
    BERTH_ASSERT(from <= to);
    if (from != to && !pair_add(pairs, from, to)) return false;
  }
  int32_t was = step->node->id >= 0 ? c->node_step[step->node->id] : -1;
  size_t at = waits_begin(c, was);
  for (int32_t before; was >= 0 && waits_next(c, was, &at, &before);) {
    int32_t from = segment_of_set[c->step_set[before]];
    BERTH_ASSERT(from <= to);
    if (from != to && !pair_add(pairs, from, to)) return false;
  }
  return true;
}

// Collects which segment needs which, by data and by control.
static bool segment_edges(const cutter_t *c, const int32_t *segment_of_set,
                          pairs_t *pairs) {
  const berth_program_t *p = c->program;
  for (int32_t t = 0; t < p->segment_count; ++t) {
    for (int s = p->segments[t].begin; s < p->segments[t].end; ++s) {
      if (!step_edges(c, segment_of_set, &p->steps[s], t, pairs)) return false;
    }
  }
  pairs_unique(pairs);
  return true;
}

// Stores |pairs| as the lists of what comes after segments, or after blockers.
static bool lists_store(berth_program_t *p, const pairs_t *pairs,
                        bool of_blockers) {
  int32_t *all =
      berth_arena_alloc(&p->arena, (pairs->count + 1) * sizeof(*all));
  if (all == NULL) return false;
  for (size_t i = 0; i < pairs->count; ++i) {
    int32_t from = (int32_t)(pairs->items[i] >> 32);
    all[i] = (int32_t)(pairs->items[i] & 0xffffffff);
    ++p->segments[all[i]].wait_count;
    const int32_t **next =
        of_blockers ? &p->blockers[from].next : &p->segments[from].next;
    int32_t *count = of_blockers ? &p->blockers[from].next_count
                                 : &p->segments[from].next_count;
    if (*count == 0) *next = &all[i];
    ++*count;
  }
  return true;
}

// Collects which segments wait for which blockers.
static bool blocker_edges(const cutter_t *c, const int32_t *segment_of_set,
                          pairs_t *pairs) {
  for (size_t set = 0; set < c->sets.count; ++set) {
    if (segment_of_set[set] < 0) continue;
    for (int32_t i = 0; i < c->sets.all[set].count; ++i) {
      if (!pair_add(pairs, c->sets.all[set].items[i], segment_of_set[set])) {
        return false;
      }
    }
  }
  pairs_unique(pairs);
  return true;
}

// Sorts the steps into segments and links those. Sets are known.
static bool cut(cutter_t *c) {
  berth_program_t *p = c->program;
  int32_t *segment_of_set =
      berth_alloc((c->sets.count + 1) * sizeof(*segment_of_set));
  p->segments =
      berth_arena_calloc(&p->arena, c->sets.count + 1, sizeof(*p->segments));
  pairs_t after_segment = {0}, after_blocker = {0};
  bool ok = segment_of_set != NULL && p->segments != NULL &&
            steps_sort(c, segment_of_set) &&
            segment_edges(c, segment_of_set, &after_segment) &&
            blocker_edges(c, segment_of_set, &after_blocker) &&
            lists_store(p, &after_segment, false) &&
            lists_store(p, &after_blocker, true);
  berth_free(after_segment.items);
  berth_free(after_blocker.items);
  berth_free(segment_of_set);
  return ok;
}

// One segment with all steps.
static berth_code_t single_segment(berth_program_t *p, berth_error_t *err) {
  p->segments = berth_arena_calloc(&p->arena, 1, sizeof(*p->segments));
  if (p->segments == NULL) return berth_error_no_memory(err, "a program");
  p->segments[0].end = p->step_count;
  p->segment_count = 1;
  return BERTH_OK;
}

berth_code_t berth_segments_build(berth_program_t *program,
                                  berth_error_t *err) {
  // Where there are loops, a step that waits is waited for in place.
  if (program->flow != NULL) return single_segment(program, err);
  BERTH_TRY(blockers_list(program, err));
  if (program->blocker_count == 0) return single_segment(program, err);
  int nodes = berth_graph_node_count(program->host->graph);
  cutter_t c = {.program = program, .node_count = nodes};
  size_t slots = (size_t)program->slot_count + 1;
  c.slot_set = berth_calloc(slots, sizeof(*c.slot_set));
  c.step_set =
      berth_calloc((size_t)program->step_count + 1, sizeof(*c.step_set));
  c.node_step = berth_alloc(((size_t)nodes + 1) * sizeof(*c.node_step));
  bool ok = berth_sets_init(&c.sets) && c.slot_set != NULL &&
            c.step_set != NULL && c.node_step != NULL;
  if (ok) {
    nodes_number(&c);
    ok = waits_find(&c) && sets_compute(&c) && cut(&c);
  }
  berth_free(c.waits.items);
  berth_free(c.slot_set);
  berth_free(c.step_set);
  berth_free(c.node_step);
  berth_sets_deinit(&c.sets);
  return ok ? BERTH_OK : berth_error_no_memory(err, "segments");
}
