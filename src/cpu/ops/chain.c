// chain.c - Element-wise steps that are done as one.
#include "cpu/ops/chain.h"

#include <string.h>

#include "base/assert.h"
#include "base/parallel.h"
#include "op/value.h"

enum {
  BLOCK_BYTES = 8192,      // Of a register, where rows are not longer.
  MOST_REGISTERS = 8,      // More do not stay in the first cache.
  PIECE_NS = 20000,        // Less is not worth a thread.
  FROM_OUTPUT = INT32_MIN  // Where the head has put it.
};

// Where an input of a link comes from.
typedef struct source {
  int32_t from;   // An argument, ~r for register r, or FROM_OUTPUT.
  uint8_t reach;  // berth_reach_t.
  uint8_t size;   // Bytes of an element.
} source_t;

// One term of a chain.
typedef struct link {
  berth_term_fn apply;
  const void *plan;
  source_t in[BERTH_TERM_INPUTS];
  int32_t input_count;
  int32_t to;  // A register; -1: the output.
} link_t;

// A row that is repeated in the scratch space.
typedef struct tile {
  int32_t arg;
  size_t at, size;
} tile_t;

typedef struct plan {
  link_t *links;
  int link_count;
  int64_t count, block, row;
  int32_t out_size;
  int32_t output;  // Which argument it is.
  int64_t grain;   // Blocks of a piece.
  size_t register_size;
  berth_slots_t slots;  // Of registers.
  size_t slots_at;      // In the scratch space.
  tile_t *tiles;
  int tile_count;
  // The head, or NULL; its arguments.
  const berth_cpu_term_t *head;
  const void *head_plan;
  const int32_t *head_inputs;
  int32_t head_input_count;
} plan_t;

struct berth_chain {
  const plan_t *plan;
  void *const *args;
  char *scratch;            // NULL: none.
  const char *const *rows;  // By argument: the row, repeated; or NULL.
};

// ---- Running ----

// Returns where |source| is for the block that begins at element |begin|.
static const char *source_at(const berth_chain_t *chain, const source_t *source,
                             int64_t begin, char *registers, char *out) {
  if (source->from == FROM_OUTPUT) return out;
  if (source->from < 0) {
    return registers + (size_t)~source->from * chain->plan->register_size;
  }
  const char *data = chain->args[source->from];
  switch (source->reach) {
    case BERTH_REACH_ALL:
      return data + begin * source->size;
    case BERTH_REACH_ROW:
      return chain->rows[source->from];
    default:
      return data;
  }
}

static void block_run(const berth_chain_t *chain, int64_t begin, int64_t count,
                      char *registers) {
  const plan_t *plan = chain->plan;
  char *out = (char *)chain->args[plan->output] + begin * plan->out_size;
  for (int l = 0; l < plan->link_count; ++l) {
    const link_t *link = &plan->links[l];
    const char *in[BERTH_TERM_INPUTS];
    for (int i = 0; i < link->input_count; ++i) {
      in[i] = source_at(chain, &link->in[i], begin, registers, out);
    }
    char *to =
        link->to < 0 ? out : registers + (size_t)link->to * plan->register_size;
    link->apply(link->plan, in, to, count);
  }
}

// Does elements [begin, end), blocks that begin with a row.
static void blocks_run(const berth_chain_t *chain, int64_t begin, int64_t end) {
  const plan_t *plan = chain->plan;
  char *registers = NULL;
  atomic_flag *slot = NULL;
  if (plan->slots.count > 0) {
    slot = berth_slots_take(&plan->slots, chain->scratch + plan->slots_at,
                            &registers);
  }
  for (int64_t at = begin; at < end; at += plan->block) {
    int64_t left = end - at;
    block_run(chain, at, left < plan->block ? left : plan->block, registers);
  }
  if (slot != NULL) berth_slots_give(slot);
}

void berth_chain_finish(const berth_chain_t *chain, int64_t begin,
                        int64_t count) {
  blocks_run(chain, begin, begin + count);
}

static void piece_run(void *arg, int64_t begin, int64_t end) {
  const berth_chain_t *chain = arg;
  const plan_t *plan = chain->plan;
  int64_t last = end * plan->block;
  blocks_run(chain, begin * plan->block,
             last < plan->count ? last : plan->count);
}

void berth_chain_finish_all(const berth_chain_t *chain) {
  const plan_t *plan = chain->plan;
  if (plan->count <= plan->block) {
    blocks_run(chain, 0, plan->count);
    return;
  }
  berth_parallel_for((plan->count + plan->block - 1) / plan->block, plan->grain,
                     piece_run, (void *)(uintptr_t)chain);
}

// Repeats the rows; stores where they are.
static void rows_fill(const berth_chain_t *chain, const char **rows) {
  const plan_t *plan = chain->plan;
  for (int t = 0; t < plan->tile_count; ++t) {
    const tile_t *tile = &plan->tiles[t];
    const char *row = chain->args[tile->arg];
    rows[tile->arg] = row;
    if (plan->block == plan->row) continue;
    char *to = chain->scratch + tile->at;
    int64_t most = plan->count < plan->block ? plan->count : plan->block;
    size_t size = tile->size * (size_t)plan->row;
    for (int64_t i = 0; i < most / plan->row; ++i) {
      memcpy(to + (size_t)i * size, row, size);
    }
    rows[tile->arg] = to;
  }
}

enum { MOST_ARGS = 34 };

static berth_code_t run_chain(const void *arg, void *const *args,
                              berth_call_t *call) {
  const plan_t *plan = arg;
  const char *rows[MOST_ARGS];
  berth_chain_t chain = {plan, args, args[plan->output + 1], rows};
  rows_fill(&chain, rows);
  berth_slots_clear(&plan->slots, chain.scratch + plan->slots_at);
  if (plan->head != NULL) {
    void *own[MOST_ARGS];
    for (int32_t i = 0; i < plan->head_input_count; ++i) {
      own[i] = args[plan->head_inputs[i]];
    }
    own[plan->head_input_count] = args[plan->output];
    own[plan->head_input_count + 1] = chain.scratch;
    return plan->head->run(plan->head_plan, own, &chain, call);
  }
  berth_chain_finish_all(&chain);
  return BERTH_OK;
}

// ---- Planning ----

// What is known while a chain is made.
typedef struct maker {
  const berth_fusion_t *fusion;
  plan_t *plan;
  int head;           // Which step it is; -1: there is none.
  int32_t *where;     // By step: its register, or FROM_OUTPUT.
  int32_t *last_use;  // By step: the last one that reads it.
  uint32_t taken;     // Registers that hold something.
  int registers;      // How many there are.
} maker_t;

static const berth_cpu_term_t *term_of(const maker_t *m, int step) {
  return (const berth_cpu_term_t *)m->fusion->steps[step].term;
}

static void uses_find(maker_t *m) {
  for (int s = 0; s < m->fusion->step_count; ++s) {
    const berth_fused_t *step = &m->fusion->steps[s];
    for (int i = 0; i < step->input_count; ++i) {
      if (step->inputs[i] < 0) m->last_use[~step->inputs[i]] = s;
    }
  }
}

// Frees the registers that step |s| is the last to read, those of results of
// |size| bytes an element, or of all others.
static void registers_free(maker_t *m, int s, int size, bool is_same) {
  const berth_fused_t *step = &m->fusion->steps[s];
  for (int i = 0; i < step->input_count; ++i) {
    if (step->inputs[i] >= 0) continue;
    int made_by = ~step->inputs[i];
    bool fits = (term_of(m, made_by)->out_size == size) == is_same;
    if (m->last_use[made_by] == s && m->where[made_by] >= 0 && fits) {
      m->taken &= ~(UINT32_C(1) << m->where[made_by]);
    }
  }
}

// Gives the result of step |s| a register; false when there are too many. One
// of the same size may take the place of what it is made of.
static bool register_take(maker_t *m, int s) {
  int size = term_of(m, s)->out_size;
  registers_free(m, s, size, true);
  int r = 0;
  while ((m->taken >> r & 1) != 0) ++r;
  if (r >= MOST_REGISTERS) return false;
  m->taken |= UINT32_C(1) << r;
  m->where[s] = r;
  if (r >= m->registers) m->registers = r + 1;
  registers_free(m, s, size, false);
  return true;
}

// Makes the link of step |s|; false when that cannot be.
static bool link_make(maker_t *m, int s) {
  const berth_fused_t *step = &m->fusion->steps[s];
  const berth_cpu_term_t *term = term_of(m, s);
  link_t *link = &m->plan->links[m->plan->link_count++];
  bool is_last = s == m->fusion->step_count - 1;
  *link = (link_t){.apply = is_last && term->apply_last != NULL && m->head < 0
                                ? term->apply_last
                                : term->apply,
                   .plan = step->plan,
                   .to = -1};
  for (int i = 0; i < step->input_count && i < BERTH_TERM_INPUTS; ++i) {
    int32_t from = step->inputs[i];
    if (from < 0) {
      int32_t at = m->where[~from];
      from = at == FROM_OUTPUT ? FROM_OUTPUT : ~at;
    }
    link->in[link->input_count++] =
        (source_t){from, term->reach[i], term->sizes[i]};
  }
  if (is_last) return true;
  if (!register_take(m, s)) return false;
  link->to = m->where[s];
  return true;
}

// Chooses how many elements a block has: whole rows.
static void block_choose(maker_t *m) {
  plan_t *plan = m->plan;
  int widest = 1;
  for (int s = 0; s < m->fusion->step_count; ++s) {
    const berth_cpu_term_t *term = term_of(m, s);
    if (term->term.row > 0) plan->row = term->term.row;
    if (term->out_size > widest) widest = term->out_size;
  }
  plan->block = BLOCK_BYTES / widest;
  if (plan->row > plan->block) {
    plan->block = plan->row;
  } else if (plan->row > 0) {
    plan->block = plan->block / plan->row * plan->row;
  }
  plan->register_size = ((size_t)plan->block * (size_t)widest + 63) / 64 * 64;
}

static bool has_tile(const plan_t *plan, int32_t arg) {
  for (int t = 0; t < plan->tile_count; ++t) {
    if (plan->tiles[t].arg == arg) return true;
  }
  return false;
}

// Lays out the scratch space: that of the head, rows, registers.
static void scratch_plan(maker_t *m, berth_prepare_t *prepare) {
  plan_t *plan = m->plan;
  size_t at = 0;
  if (plan->head != NULL) {
    at = (m->fusion->steps[m->head].scratch_size + 63) / 64 * 64;
  }
  int64_t most = plan->count < plan->block ? plan->count : plan->block;
  for (int l = 0; l < plan->link_count; ++l) {
    for (int i = 0; i < plan->links[l].input_count; ++i) {
      const source_t *source = &plan->links[l].in[i];
      if (source->reach != BERTH_REACH_ROW || has_tile(plan, source->from)) {
        continue;
      }
      plan->tiles[plan->tile_count++] =
          (tile_t){source->from, at, source->size};
      if (plan->block > plan->row) {
        at += ((size_t)most * source->size + 63) / 64 * 64;
      }
    }
  }
  int64_t pieces = (plan->count + plan->block - 1) / plan->block;
  // What a head does is cut in another way.
  if (plan->head != NULL) pieces = INT32_MAX;
  plan->slots_at = at;
  plan->slots = berth_slots_for(
      pieces, (int64_t)((size_t)m->registers * plan->register_size));
  if (m->registers == 0) plan->slots.count = 0;
  prepare->scratch_size = at + (size_t)berth_slots_bytes(&plan->slots);
}

// Says which inputs the output may take over: those that are read element by
// element, before it is written.
static uint32_t overwritable(const plan_t *plan) {
  uint32_t may = 0;
  for (int l = 0; plan->head == NULL && l < plan->link_count; ++l) {
    for (int i = 0; i < plan->links[l].input_count; ++i) {
      const source_t *source = &plan->links[l].in[i];
      if (source->from < 0 || source->from >= 32) continue;
      if (source->reach == BERTH_REACH_ALL && source->size == plan->out_size) {
        may |= UINT32_C(1) << source->from;
      }
    }
  }
  // One that is also read in another way is not.
  for (int l = 0; l < plan->link_count; ++l) {
    for (int i = 0; i < plan->links[l].input_count; ++i) {
      const source_t *source = &plan->links[l].in[i];
      if (source->from < 0 || source->from >= 32) continue;
      if (source->reach != BERTH_REACH_ALL) {
        may &= ~(UINT32_C(1) << source->from);
      }
    }
  }
  return may;
}

static bool maker_init(maker_t *m, berth_prepare_t *prepare) {
  const berth_fusion_t *fusion = m->fusion;
  size_t count = (size_t)fusion->step_count;
  berth_arena_t *arena = prepare->op.arena;
  plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return false;
  m->plan = plan;
  plan->links = berth_arena_calloc(arena, count, sizeof(*plan->links));
  plan->tiles = berth_arena_calloc(arena, (size_t)fusion->input_count + 1,
                                   sizeof(*plan->tiles));
  m->where = berth_arena_calloc(arena, count, sizeof(*m->where));
  m->last_use = berth_arena_calloc(arena, count, sizeof(*m->last_use));
  return plan->links != NULL && plan->tiles != NULL && m->where != NULL &&
         m->last_use != NULL;
}

// Finds the head. It needs nothing of the others, and is done before them.
static bool head_set(maker_t *m, berth_prepare_t *prepare) {
  plan_t *plan = m->plan;
  m->head = m->fusion->step_count - 1;
  while (m->head >= 0 && !m->fusion->steps[m->head].term->begins) --m->head;
  if (m->head < 0) return true;
  const berth_fused_t *step = &m->fusion->steps[m->head];
  m->where[m->head] = FROM_OUTPUT;
  plan->head = term_of(m, m->head);
  plan->head_plan = step->plan;
  plan->head_input_count = step->input_count;
  plan->head_inputs =
      berth_arena_memdup(prepare->op.arena, step->inputs,
                         (size_t)step->input_count * sizeof(int32_t));
  return plan->head_inputs != NULL;
}

berth_code_t berth_cpu_fuse(const berth_fusion_t *fusion,
                            berth_prepare_t *prepare, berth_error_t *err) {
  maker_t m = {.fusion = fusion};
  if (fusion->input_count + 2 > MOST_ARGS) return BERTH_UNIMPLEMENTED;
  if (!maker_init(&m, prepare) || !head_set(&m, prepare)) {
    return berth_error_no_memory(err, "a plan");
  }
  plan_t *plan = m.plan;
  plan->count = fusion->steps[0].term->count;
  plan->output = fusion->input_count;
  plan->out_size = term_of(&m, fusion->step_count - 1)->out_size;
  // A head writes its elements where the last ones go.
  if (plan->head != NULL && plan->head->out_size != plan->out_size) {
    return BERTH_UNIMPLEMENTED;
  }
  block_choose(&m);
  uses_find(&m);
  for (int s = 0; s < fusion->step_count; ++s) {
    if (s != m.head && !link_make(&m, s)) return BERTH_UNIMPLEMENTED;
  }
  scratch_plan(&m, prepare);
  for (int s = 0; s < fusion->step_count; ++s) {
    prepare->work += fusion->steps[s].work;
  }
  int64_t blocks = (plan->count + plan->block - 1) / plan->block;
  int64_t each = prepare->work / (blocks > 0 ? blocks : 1) + 1;
  plan->grain = PIECE_NS / each + 1;
  prepare->op.may_overwrite = overwritable(plan);
  prepare->run = run_chain;
  return BERTH_OK;
}

void berth_cpu_head(berth_prepare_t *prepare, int64_t row, size_t size,
                    berth_code_t (*run)(const void *plan, void *const *args,
                                        const berth_chain_t *chain,
                                        berth_call_t *call)) {
  berth_cpu_term_t *term =
      berth_arena_calloc(prepare->op.arena, 1, sizeof(*term));
  if (term == NULL) return;
  term->term = (berth_term_t){
      .fuse = berth_cpu_fuse,
      .count = berth_dims_count(berth_case_output_dims(&prepare->op, 0)),
      .row = row,
      .begins = true};
  term->out_size = (uint8_t)size;
  term->run = run;
  prepare->term = &term->term;
}
