// cut.c - Cutting a program with conditionals and loops into blocks.
//
// 1. A *unit* is a step, or a loop with all that is in it. Edges lead between
//    units of one loop: an edge into or out of a loop is one of its unit.
// 2. The units of each loop are put in an order in which steps that may share a
//    block come together: as long as one with the guard of the last is ready,
//    it is next; then everything that is in no block; then another guard.
// 3. What came together is a block. Steps in it keep the order they had, but
//    reads of variables that nothing in it writes before come first.
// 4. Reads of references that would leave their block are kept out, and the
//    cutting begins anew.
#include "exec/cut.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "exec/builder.h"
#include "exec/deref.h"
#include "exec/flow.h"
#include "exec/guard.h"
#include "exec/share.h"

// So often the cutting begins anew, before no reference is read in a block.
enum { MOST_PASSES = 4 };

// So many guards are looked at for the one that is next.
enum { FEW = 64 };

enum { NONE = -1 };

typedef struct edge {
  int32_t from, to;  // Units.
} edge_t;

// What touches state in one loop, in order.
typedef struct chain {
  int32_t writer;  // The last unit that writes; NONE: none does.
  int32_t reader;  // The last that reads after it; linked.
} chain_t;

typedef struct cutter {
  berth_program_t *program;
  const berth_flow_t *flow;
  int step_count, slot_count, unit_count;
  bool *may_share;        // By slot.
  bool *is_kept_out;      // By step: of no block.
  bool *is_seen_through;  // By step: a gate that only steps of blocks use.
  berth_guards_t guards;
  int32_t *loop_of;    // By unit: the loop it is a unit of.
  int32_t *depth;      // By loop.
  chain_t *chains;     // By loop + 1.
  int32_t *next_read;  // By unit: another reader of its chain.
  edge_t *edges;
  size_t edge_count, edge_capacity;
  int32_t *first_edge;  // By unit + 1: into |after|.
  int32_t *after;       // Units.
  int32_t *pending;     // By unit: edges into it that are still to come.
  int32_t *next;        // By unit: in a list of ready ones, or in order.
  int32_t *first;       // By loop + 1: its first unit in order.
  int32_t *last;
  int32_t *ready_first, *ready_last;  // By guard.
  int32_t *block_of;                  // By step.
  int block_count;
  int32_t *items;
  int item_count;
  bool failed;
} cutter_t;

static int32_t loop_unit(const cutter_t *c, int32_t loop) {
  return c->step_count + loop;
}

static uint8_t kind_of(const cutter_t *c, int s) {
  return c->flow->steps[s].kind;
}

static const int32_t *inputs_of(const cutter_t *c, int s) {
  return c->program->args + c->program->steps[s].first_arg;
}

// ---- Units and edges ----

// Finds the loop that each unit belongs to.
static void units_find(cutter_t *c) {
  int32_t loop = BERTH_NO_LOOP;
  size_t mark = 0;
  for (int s = 0; s <= c->step_count; ++s) {
    for (; mark < c->flow->mark_count && c->flow->marks[mark].step == s;
         ++mark) {
      const berth_flow_mark_t *m = &c->flow->marks[mark];
      if (m->is_end) {
        loop = c->loop_of[loop_unit(c, m->loop)];
        continue;
      }
      c->loop_of[loop_unit(c, m->loop)] = loop;
      c->depth[m->loop] = loop == BERTH_NO_LOOP ? 1 : c->depth[loop] + 1;
      loop = m->loop;
    }
    if (s < c->step_count) c->loop_of[s] = loop;
  }
}

static int32_t depth_of(const cutter_t *c, int32_t unit) {
  int32_t loop = c->loop_of[unit];
  return loop == BERTH_NO_LOOP ? 0 : c->depth[loop];
}

// Adds an edge from |from| to |to|, or between the units of one loop that they
// are in.
static void edge_add(cutter_t *c, int32_t from, int32_t to) {
  while (c->loop_of[from] != c->loop_of[to]) {
    int32_t *deeper = depth_of(c, from) > depth_of(c, to) ? &from : &to;
    *deeper = loop_unit(c, c->loop_of[*deeper]);
  }
  if (from == to) return;
  edge_t *edges =
      berth_grow(c->edges, c->edge_count, &c->edge_capacity, sizeof(*edges));
  if (edges == NULL) {
    c->failed = true;
    return;
  }
  c->edges = edges;
  edges[c->edge_count++] = (edge_t){from, to};
}

// Adds edges from what step |gate| waits for to |to|: it may be left out.
static void gate_edges(cutter_t *c, int32_t gate, int32_t to) {
  const berth_flow_step_t *info = &c->flow->steps[gate];
  for (int32_t i = 0; i < info->control_count; ++i) {
    edge_add(c, c->flow->controls[info->first_control + i], to);
  }
}

// True when |a| and |b| are two ends of one collective.
static bool meet(const berth_step_t *a, const berth_step_t *b) {
  return a->node->op == b->node->op &&
         strcmp(berth_node_attr_string(a->node, "shared_name", ""),
                berth_node_attr_string(b->node, "shared_name", "")) == 0;
}

// Step |s| reads what |producer| makes: it comes after all that |producer| waits
// for. Those before it come first anyway, since they touch state.
static void meeting_edges(cutter_t *c, int32_t producer, int s) {
  const berth_step_t *steps = c->program->steps;
  if (BERTH_LIKELY((steps[producer].traits & BERTH_OP_MEETS) == 0)) return;
  for (int32_t m = producer + 1; m < s; ++m) {
    if ((steps[m].traits & BERTH_OP_MEETS) != 0 &&
        meet(&steps[producer], &steps[m])) {
      edge_add(c, m, s);
    }
  }
}

static void step_edges(cutter_t *c, int s) {
  const berth_step_t *step = &c->program->steps[s];
  const berth_flow_step_t *info = &c->flow->steps[s];
  const int32_t *inputs = inputs_of(c, s);
  for (int i = 0; i < step->input_count; ++i) {
    int32_t producer = c->program->slots[inputs[i]].producer;
    // What comes round a loop comes from behind.
    if (producer < 0 || producer > s) continue;
    edge_add(c, producer, s);
    meeting_edges(c, producer, s);
    if (kind_of(c, producer) == BERTH_FLOW_GATE) gate_edges(c, producer, s);
  }
  for (int32_t i = 0; i < info->control_count; ++i) {
    edge_add(c, c->flow->controls[info->first_control + i], s);
  }
  if (info->kind == BERTH_FLOW_ENTER && info->loop != BERTH_NO_LOOP) {
    edge_add(c, s, loop_unit(c, info->loop));
  }
}

// ---- State ----

static bool has_kernel(const cutter_t *c, int s) {
  return kind_of(c, s) == BERTH_FLOW_RUN || kind_of(c, s) == BERTH_FLOW_TRIGGER;
}

static bool writes(const cutter_t *c, int s) {
  const berth_step_t *step = &c->program->steps[s];
  return has_kernel(c, s) && !step->reads && !berth_step_is_pure(step);
}

static bool reads(const cutter_t *c, int s) {
  const berth_step_t *step = &c->program->steps[s];
  if (!has_kernel(c, s)) return false;
  for (int i = 0; i < step->input_count; ++i) {
    if (c->may_share[inputs_of(c, s)[i]]) return true;
  }
  return step->reads;
}

// Notes that |unit| writes: after everything that has touched state before.
static void chain_write(cutter_t *c, chain_t *chain, int32_t unit) {
  if (chain->writer >= 0) edge_add(c, chain->writer, unit);
  for (int32_t r = chain->reader, next; r >= 0; r = next) {
    next = c->next_read[r];
    c->next_read[r] = NONE;
    edge_add(c, r, unit);
  }
  *chain = (chain_t){unit, NONE};
}

static void chain_read(cutter_t *c, chain_t *chain, int32_t unit) {
  if (chain->writer >= 0) edge_add(c, chain->writer, unit);
  if (chain->reader == unit) return;
  c->next_read[unit] = chain->reader;
  chain->reader = unit;
}

// Adds edges that keep what touches state in the order it has, in the loop of
// each step and in all loops around it.
static void state_edges(cutter_t *c, int s) {
  bool is_write = writes(c, s);
  if (!is_write && !reads(c, s)) return;
  for (int32_t unit = s;; unit = loop_unit(c, c->loop_of[unit])) {
    chain_t *chain = &c->chains[c->loop_of[unit] + 1];
    if (is_write) {
      chain_write(c, chain, unit);
    } else {
      chain_read(c, chain, unit);
    }
    if (c->loop_of[unit] == BERTH_NO_LOOP) return;
  }
}

static void edges_find(cutter_t *c) {
  for (int i = 0; i <= c->flow->loop_count; ++i) {
    c->chains[i] = (chain_t){NONE, NONE};
  }
  for (int s = 0; s < c->step_count; ++s) {
    step_edges(c, s);
    state_edges(c, s);
  }
}

// Sorts the edges by where they begin.
static bool edges_sort(cutter_t *c) {
  c->after = berth_alloc((c->edge_count + 1) * sizeof(*c->after));
  if (c->after == NULL) return false;
  for (size_t e = 0; e < c->edge_count; ++e) {
    ++c->first_edge[c->edges[e].from + 2];
  }
  for (int u = 0; u < c->unit_count; ++u) {
    c->first_edge[u + 2] += c->first_edge[u + 1];
  }
  for (size_t e = 0; e < c->edge_count; ++e) {
    c->after[c->first_edge[c->edges[e].from + 1]++] = c->edges[e].to;
  }
  return true;
}

// ---- Order ----

// True when a step like |s| may be part of a block.
static bool fits_block(const cutter_t *c, int s) {
  const berth_step_t *step = &c->program->steps[s];
  const berth_node_t *node = step->node;
  if (kind_of(c, s) != BERTH_FLOW_RUN || c->is_kept_out[s] ||
      (step->traits & BERTH_OP_BLOCKS) != 0) {
    return false;
  }
  for (int i = 0; node->id >= 0 && i < node->input_count; ++i) {
    if (berth_builder_wants_ref(node, i)) return false;
  }
  for (int i = 0; i < node->output_count; ++i) {
    if (berth_dtype_is_ref(node->output_types[i])) return false;
  }
  return true;
}

// The guard by which |unit| shares a block; NONE: it is part of none.
static int32_t guard_of(const cutter_t *c, int32_t unit) {
  bool fits = unit < c->step_count && fits_block(c, unit);
  return fits ? c->guards.of_step[unit] : NONE;
}

// The units of one loop that are ready: by guard, and what is in no block.
typedef struct ready {
  int32_t
      *guards;  // Those that have some, from |begin| to |end|, as they came.
  int32_t begin, end;
  int32_t current;      // The guard that is being emptied.
  int32_t first, last;  // What is in no block.
} ready_t;

static void release(cutter_t *c, ready_t *ready, int32_t unit);

// Puts |unit| among what is ready. A gate that blocks look through stands in no
// one's way: what waits for it does not wait.
static void ready_add(cutter_t *c, ready_t *ready, int32_t unit) {
  if (unit < c->step_count && c->is_seen_through[unit]) {
    release(c, ready, unit);
    return;
  }
  int32_t guard = guard_of(c, unit);
  int32_t *first = guard >= 0 ? &c->ready_first[guard] : &ready->first;
  int32_t *last = guard >= 0 ? &c->ready_last[guard] : &ready->last;
  c->next[unit] = NONE;
  if (*first >= 0) {
    c->next[*last] = unit;
  } else {
    *first = unit;
    if (guard >= 0 && guard != ready->current) {
      ready->guards[ready->end++] = guard;
    }
  }
  *last = unit;
}

// Readies what waited for |unit| alone.
static void release(cutter_t *c, ready_t *ready, int32_t unit) {
  for (int32_t e = c->first_edge[unit]; e < c->first_edge[unit + 1]; ++e) {
    if (--c->pending[c->after[e]] == 0) ready_add(c, ready, c->after[e]);
  }
}

static int32_t ready_take(cutter_t *c, int32_t *first) {
  int32_t unit = *first;
  *first = c->next[unit];
  return unit;
}

// Appends |unit| to what its loop has in order, and readies what waited for it
// alone.
static void emit(cutter_t *c, ready_t *ready, int32_t unit) {
  int32_t loop = c->loop_of[unit] + 1;
  if (c->first[loop] < 0) {
    c->first[loop] = unit;
  } else {
    c->next[c->last[loop]] = unit;
  }
  c->last[loop] = unit;
  c->next[unit] = NONE;
  release(c, ready, unit);
}

// Takes the next guard out of |ready|: of the first few the one that needs least,
// since what needs more may come to wait for what needs less.
static int32_t guards_take(const cutter_t *c, ready_t *ready) {
  const berth_few_t *sets = c->guards.sets.all;
  int32_t least = ready->begin;
  for (int32_t i = least; i < ready->end && i < ready->begin + FEW; ++i) {
    if (sets[ready->guards[i]].count < sets[ready->guards[least]].count) {
      least = i;
    }
  }
  int32_t guard = ready->guards[least];
  for (; least > ready->begin; --least) {
    ready->guards[least] = ready->guards[least - 1];
  }
  ++ready->begin;
  return guard;
}

// Orders what |ready| leads to: the units of one loop.
static void ready_order(cutter_t *c, ready_t *ready) {
  for (;;) {
    while (ready->first >= 0) emit(c, ready, ready_take(c, &ready->first));
    if (ready->begin == ready->end) return;
    ready->current = guards_take(c, ready);
    int32_t *first = &c->ready_first[ready->current];
    while (*first >= 0) {
      int32_t unit = ready_take(c, first);
      c->block_of[unit] = c->block_count;
      emit(c, ready, unit);
    }
    ++c->block_count;
    ready->current = NONE;
  }
}

// Finds the gates that only steps of blocks use.
static void gates_see_through(cutter_t *c) {
  const berth_program_t *p = c->program;
  for (int s = 0; s < c->step_count; ++s) {
    c->is_seen_through[s] = kind_of(c, s) == BERTH_FLOW_GATE;
  }
  for (int s = 0; s < c->step_count; ++s) {
    bool fits = fits_block(c, s);
    for (int i = 0; !fits && i < p->steps[s].input_count; ++i) {
      int32_t producer = p->slots[inputs_of(c, s)[i]].producer;
      if (producer >= 0) c->is_seen_through[producer] = false;
    }
  }
  for (size_t i = 0; i < c->flow->control_count; ++i) {
    c->is_seen_through[c->flow->controls[i]] = false;
  }
  for (int i = 0; i < p->signature.fetch_count; ++i) {
    int32_t producer = p->slots[p->fetch_slots[i]].producer;
    if (producer >= 0) c->is_seen_through[producer] = false;
  }
}

static void order_reset(cutter_t *c) {
  gates_see_through(c);
  for (size_t g = 0; g < c->guards.sets.count; ++g) c->ready_first[g] = NONE;
  for (int i = 0; i <= c->flow->loop_count; ++i) c->first[i] = NONE;
  for (int s = 0; s < c->step_count; ++s) c->block_of[s] = NONE;
  for (int u = 0; u < c->unit_count; ++u) c->pending[u] = 0;
  for (size_t e = 0; e < c->edge_count; ++e) ++c->pending[c->edges[e].to];
  c->block_count = 0;
}

// Orders the units of each loop. Edges stay in one, so that loops are ordered
// one after the other; |unit_after| is of the same one.
static void order(cutter_t *c, int32_t *room, const int32_t *first_unit,
                  const int32_t *unit_after) {
  order_reset(c);
  for (int i = 0; i <= c->flow->loop_count; ++i) {
    ready_t ready = {
        .guards = room, .current = NONE, .first = NONE, .last = NONE};
    for (int32_t u = first_unit[i]; u >= 0; u = unit_after[u]) {
      if (c->pending[u] == 0) ready_add(c, &ready, u);
    }
    ready_order(c, &ready);
  }
}

// ---- References ----

static bool is_fetched(const berth_program_t *p, int32_t slot) {
  for (int i = 0; i < p->signature.fetch_count; ++i) {
    if (p->fetch_slots[i] == slot) return true;
  }
  return false;
}

// Keeps reads of references out of blocks that they, or what hands them on,
// would leave; true when there are new ones. |read_of| is room, by slot: the
// read in its block that it comes from.
static bool leaks_find(cutter_t *c, int32_t *read_of) {
  const berth_program_t *p = c->program;
  bool any = false;
  for (int32_t i = 0; i < p->slot_count; ++i) read_of[i] = NONE;
  for (int s = 0; s < c->step_count; ++s) {
    const berth_step_t *step = &p->steps[s];
    const int32_t *slots = inputs_of(c, s);
    int32_t read = NONE;
    for (int i = 0; i < step->input_count; ++i) {
      int32_t from = read_of[slots[i]];
      if (from < 0) continue;
      bool stays = c->block_of[s] == c->block_of[from];
      if (stays) read = from;
      any = any || !stays;
      c->is_kept_out[from] = c->is_kept_out[from] || !stays;
    }
    if (c->block_of[s] >= 0 && step->kernel == &berth_deref_kernel) read = s;
    bool hands_on = read == s || (read >= 0 && berth_share_passes(step));
    for (int i = 0; hands_on && i < step->output_count; ++i) {
      read_of[slots[step->input_count + i]] = read;
    }
  }
  for (int32_t i = 0; i < p->slot_count; ++i) {
    if (read_of[i] < 0 || c->is_kept_out[read_of[i]] || !is_fetched(p, i)) {
      continue;
    }
    c->is_kept_out[read_of[i]] = any = true;
  }
  return any;
}

static void keep_all_out(cutter_t *c) {
  for (int s = 0; s < c->step_count; ++s) {
    if (c->program->steps[s].kernel == &berth_deref_kernel) {
      c->is_kept_out[s] = true;
    }
  }
}

// ---- The whole ----

static int compare(const void *a, const void *b) {
  int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
  return (x > y) - (x < y);
}

// True when step |s| hands out what a variable holds, whose handle comes from
// outside of its block.
static bool is_plain_read(const cutter_t *c, int32_t s) {
  const berth_step_t *step = &c->program->steps[s];
  if (!step->reads) return false;
  for (int i = 0; i < step->input_count; ++i) {
    int32_t maker = c->program->slots[inputs_of(c, s)[i]].producer;
    if (maker >= 0 && c->block_of[maker] == c->block_of[s]) return false;
  }
  return true;
}

// Puts reads of variables that nothing before them in their block writes first
// of its |count| steps: they would cut what devices record apart.
static void reads_first(const cutter_t *c, int32_t *steps, int count) {
  int first = 0;
  for (int i = 0; i < count && !writes(c, steps[i]); ++i) {
    int32_t s = steps[i];
    if (!is_plain_read(c, s)) continue;
    memmove(steps + first + 1, steps + first,
            (size_t)(i - first) * sizeof(*steps));
    steps[first++] = s;
  }
}

// Puts the steps of each block into the order they had, but for reads.
static void blocks_sort(cutter_t *c) {
  for (int i = 0, end; i < c->item_count; i = end) {
    int32_t block = c->items[i] >= 0 ? c->block_of[c->items[i]] : NONE;
    end = i + 1;
    while (block >= 0 && end < c->item_count && c->items[end] >= 0 &&
           c->block_of[c->items[end]] == block) {
      ++end;
    }
    qsort(c->items + i, (size_t)(end - i), sizeof(*c->items), compare);
    if (block >= 0) reads_first(c, c->items + i, end - i);
  }
}

// Writes down the order of all loops, one in the other.
static void items_list(cutter_t *c) {
  int32_t loop = BERTH_NO_LOOP, unit = c->first[0];
  c->item_count = 0;
  for (;;) {
    if (unit < 0) {
      if (loop == BERTH_NO_LOOP) break;
      c->items[c->item_count++] = berth_order_mark(loop, true);
      unit = c->next[loop_unit(c, loop)];
      loop = c->loop_of[loop_unit(c, loop)];
    } else if (unit >= c->step_count) {
      loop = unit - c->step_count;
      c->items[c->item_count++] = berth_order_mark(loop, false);
      unit = c->first[loop + 1];
    } else {
      c->items[c->item_count++] = unit;
      unit = c->next[unit];
    }
  }
  blocks_sort(c);
}

// Lists the units of each loop.
static void lists_fill(const cutter_t *c, int32_t *first_unit,
                       int32_t *unit_after) {
  for (int i = 0; i <= c->flow->loop_count; ++i) first_unit[i] = NONE;
  for (int32_t u = c->unit_count - 1; u >= 0; --u) {
    unit_after[u] = first_unit[c->loop_of[u] + 1];
    first_unit[c->loop_of[u] + 1] = u;
  }
}

// Orders until no read of a reference leaves its block.
static berth_code_t order_all(cutter_t *c, berth_error_t *err) {
  size_t units = (size_t)c->unit_count + 1;
  int32_t *unit_after = berth_alloc(units * sizeof(*unit_after));
  int32_t *room = berth_alloc(units * sizeof(*room));
  int32_t *first_unit =
      berth_alloc(((size_t)c->flow->loop_count + 1) * sizeof(*first_unit));
  int32_t *read_of =
      berth_alloc(((size_t)c->program->slot_count + 1) * sizeof(*read_of));
  bool ok = unit_after != NULL && room != NULL && first_unit != NULL &&
            read_of != NULL;
  if (ok) lists_fill(c, first_unit, unit_after);
  for (int pass = 0; ok; ++pass) {
    order(c, room, first_unit, unit_after);
    if (!leaks_find(c, read_of)) break;
    if (pass + 2 >= MOST_PASSES) keep_all_out(c);
  }
  berth_free(unit_after);
  berth_free(room);
  berth_free(first_unit);
  berth_free(read_of);
  return ok ? BERTH_OK : berth_error_no_memory(err, "a program");
}

static bool arrays_alloc(cutter_t *c) {
  size_t units = (size_t)c->unit_count + 3, steps = (size_t)c->step_count + 1;
  size_t loops = (size_t)c->flow->loop_count + 1;
  size_t slots = (size_t)c->program->slot_count + 1;
  c->may_share = berth_calloc(slots, sizeof(*c->may_share));
  c->is_kept_out = berth_calloc(steps, sizeof(*c->is_kept_out));
  c->is_seen_through = berth_calloc(steps, sizeof(*c->is_seen_through));
  c->loop_of = berth_calloc(units, sizeof(*c->loop_of));
  c->depth = berth_calloc(loops, sizeof(*c->depth));
  c->chains = berth_calloc(loops, sizeof(*c->chains));
  c->next_read = berth_calloc(units, sizeof(*c->next_read));
  c->first_edge = berth_calloc(units, sizeof(*c->first_edge));
  c->pending = berth_calloc(units, sizeof(*c->pending));
  c->next = berth_calloc(units, sizeof(*c->next));
  c->first = berth_calloc(loops, sizeof(*c->first));
  c->last = berth_calloc(loops, sizeof(*c->last));
  c->block_of = berth_calloc(units, sizeof(*c->block_of));
  c->items = berth_calloc(steps + 2 * loops, sizeof(*c->items));
  return c->may_share != NULL && c->is_kept_out != NULL &&
         c->is_seen_through != NULL && c->loop_of != NULL && c->depth != NULL &&
         c->chains != NULL && c->next_read != NULL && c->first_edge != NULL &&
         c->pending != NULL && c->next != NULL && c->first != NULL &&
         c->last != NULL && c->block_of != NULL && c->items != NULL;
}

static void arrays_free(cutter_t *c) {
  void *all[] = {
      c->may_share, c->is_kept_out, c->is_seen_through, c->loop_of, c->depth,
      c->chains,    c->next_read,   c->first_edge,      c->pending, c->next,
      c->first,     c->last,        c->block_of,        c->items,   c->edges,
      c->after,     c->ready_first, c->ready_last};
  for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); ++i) berth_free(all[i]);
  berth_guards_deinit(&c->guards);
}

// Finds out what can be a block.
static berth_code_t cuts_find(cutter_t *c, berth_error_t *err) {
  if (!arrays_alloc(c)) return berth_error_no_memory(err, "a program");
  berth_shares_find(c->program, c->may_share);
  if (!berth_guards_init(&c->guards, c->program, c->may_share)) {
    return berth_error_no_memory(err, "a program");
  }
  size_t guards = c->guards.sets.count + 1;
  c->ready_first = berth_alloc(guards * sizeof(*c->ready_first));
  c->ready_last = berth_alloc(guards * sizeof(*c->ready_last));
  units_find(c);
  edges_find(c);
  if (c->failed || c->ready_first == NULL || c->ready_last == NULL ||
      !edges_sort(c)) {
    return berth_error_no_memory(err, "a program");
  }
  BERTH_TRY(order_all(c, err));
  items_list(c);
  return BERTH_OK;
}

// True when some value may share the memory of a variable.
static bool has_shares(const cutter_t *c) {
  bool any = false;
  for (int i = 0; i < c->slot_count; ++i) any = any || c->may_share[i];
  return any;
}

berth_code_t berth_program_cut(berth_program_t *program, berth_error_t *err) {
  cutter_t c = {.program = program,
                .flow = program->flow,
                .step_count = program->step_count,
                .slot_count = program->slot_count,
                .unit_count = program->step_count + program->flow->loop_count};
  berth_code_t code = cuts_find(&c, err);
  if (code == BERTH_OK) {
    berth_cuts_t cuts = {c.items, c.item_count, c.block_of, c.block_count,
                         c.is_seen_through};
    code = berth_blocks_make(program, &cuts, err);
    if (code == BERTH_OK) program->flow->has_shares = has_shares(&c);
  }
  arrays_free(&c);
  return code;
}
