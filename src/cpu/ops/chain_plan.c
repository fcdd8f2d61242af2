// chain_plan.c - Planning element-wise steps that are done as one.
//
// Steps become links in their order. Those that are functions of floats, each
// of the result of the one before and of nothing that is made later, go into
// one link. Constant rows right behind a head that multiply its output become
// part of its factors, and what is added an addition.
#include <math.h>
#include <string.h>

#include "cpu/isa.h"
#include "cpu/ops/chain_internal.h"
#include "op/value.h"

enum {
  BLOCK_BYTES = 8192,   // Of a register, where rows are not longer.
  MOST_REGISTERS = 8,   // More do not stay in the first cache.
  MANY_REGISTERS = 16,  // Where there are several outputs.
  PIECE_NS = 20000,     // Less is not worth a thread.
  FEW = 64,             // Fewer elements are done faster step by step.
};

// What is known while a chain is made.
typedef struct maker {
  const berth_fusion_t *fusion;
  berth_prepare_t *prepare;
  berth_chain_plan_t *plan;
  int head;             // Which step it is; -1: there is none.
  size_t head_scratch;  // Its scratch space.
  int shift;            // The step that is an addition now, or -1.
  const float *shifts;  // What it adds: rows.
  bool *is_folded;      // By step: it is part of the head.
  int32_t *where;       // By step: its register, or BERTH_FROM_OUTPUT.
  int32_t *last_use;    // By step: the last one that reads it.
  int32_t *uses;        // By step: how often it is read.
  uint32_t taken;       // Registers that hold something.
  int registers;        // How many there are.
  // The link that is being made holds steps [open, last], and more may come;
  // -1: there is none.
  int open, last;
} maker_t;

static const berth_cpu_term_t *term_of(const maker_t *m, int step) {
  return (const berth_cpu_term_t *)m->fusion->steps[step].term;
}

static void uses_find(maker_t *m) {
  for (int s = 0; s < m->fusion->step_count; ++s) {
    const berth_fused_t *step = &m->fusion->steps[s];
    for (int i = 0; i < step->input_count; ++i) {
      if (step->inputs[i] >= 0) continue;
      m->last_use[~step->inputs[i]] = s;
      ++m->uses[~step->inputs[i]];
    }
  }
}

// ---- Registers ----

// Frees the registers of results that are read for the last time by steps
// [first, last]: those of |size| bytes an element, or of all others.
static void registers_free(maker_t *m, int first, int last, int size,
                           bool is_same) {
  for (int made_by = 0; made_by < first; ++made_by) {
    bool fits = (term_of(m, made_by)->out_size == size) == is_same;
    if (m->last_use[made_by] >= first && m->last_use[made_by] <= last &&
        m->where[made_by] >= 0 && fits) {
      m->taken &= ~(UINT32_C(1) << m->where[made_by]);
      m->where[made_by] = -1;
    }
  }
}

// Returns a register that is free, or -1.
static int register_find(maker_t *m) {
  int r = 0;
  while ((m->taken >> r & 1) != 0) ++r;
  if (r >= (m->fusion->output_count > 1 ? MANY_REGISTERS : MOST_REGISTERS)) {
    return -1;
  }
  m->taken |= UINT32_C(1) << r;
  if (r >= m->registers) m->registers = r + 1;
  return r;
}

static berth_link_source_t source_of(const maker_t *m, int s, int i);

// Has the link that is being made use the loop of its step, where it has but
// one: that is faster than a list of functions.
static void link_simplify(const maker_t *m) {
  berth_link_t *link = &m->plan->links[m->plan->link_count - 1];
  const berth_fused_t *step = &m->fusion->steps[m->open];
  if (m->head >= 0 || link->strand_count != 1 || link->apply == NULL) return;
  link->strands = NULL;
  link->strand_count = link->input_count = 0;
  for (int i = 0; i < step->input_count && i < BERTH_TERM_INPUTS; ++i) {
    link->in[link->input_count++] = source_of(m, m->open, i);
  }
}

// Ends the link that is being made: its result gets a register. False when
// there are too many. One of the same size may take the place of what it is made
// of.
static bool link_close(maker_t *m) {
  if (m->open < 0) return true;
  link_simplify(m);
  berth_link_t *link = &m->plan->links[m->plan->link_count - 1];
  int size = term_of(m, m->last)->out_size;
  link->arg = m->fusion->steps[m->last].result;
  link->size = size;
  link->is_unread = m->uses[m->last] == 0;
  registers_free(m, m->open, m->last, size, true);
  if (link->arg >= 0) {
    registers_free(m, m->open, m->last, size, false);
    m->open = -1;
    return true;
  }
  link->to = register_find(m);
  m->where[m->last] = link->to;
  registers_free(m, m->open, m->last, size, false);
  m->open = -1;
  return link->to >= 0;
}

// ---- Links ----

// Says where input |i| of step |s| is.
static berth_link_source_t source_of(const maker_t *m, int s, int i) {
  const berth_cpu_term_t *term = term_of(m, s);
  int32_t from = m->fusion->steps[s].inputs[i];
  bool is_own = from < 0;
  if (is_own && m->where[~from] != BERTH_FROM_OUTPUT &&
      m->fusion->steps[~from].result >= 0) {
    from = m->fusion->steps[~from].result;
  } else if (is_own) {
    int32_t at = m->where[~from];
    from = at == BERTH_FROM_OUTPUT ? BERTH_FROM_OUTPUT : ~at;
  }
  return (berth_link_source_t){
      .from = from, .reach = term->reach[i], .size = term->sizes[i]};
}

// How a step is a function of floats.
typedef struct function {
  int x;  // Which input is the element.
  berth_strand_link_t strand;
} function_t;

// Says how step |s| is a function of floats whose element is input |x|; false
// when it is none.
static bool function_of(const maker_t *m, int s, int x, function_t *out) {
  const berth_cpu_term_t *term = term_of(m, s);
  berth_strand_code_t code = BERTH_STRAND_NONE;
  *out = (function_t){.x = x};
  if (s == m->shift) {
    out->strand = (berth_strand_link_t){
        BERTH_STRAND_ADD, {.reach = BERTH_REACH_ROW, .fixed = m->shifts}};
    return term->reach[x] == BERTH_REACH_ALL;
  }
  bool is_single = term->second == term->first;
  if (x == term->first) {
    code = term->of_first;
  } else if (x == term->second) {
    code = term->of_second;
  }
  if (code == BERTH_STRAND_NONE || term->reach[x] != BERTH_REACH_ALL) {
    return false;
  }
  if (is_single) {
    out->strand = (berth_strand_link_t){code, {.fixed = term->parameter}};
    return true;
  }
  int y = x == term->first ? term->second : term->first;
  out->strand = (berth_strand_link_t){code, source_of(m, s, y)};
  // The codes of a single number follow those of many.
  if (term->reach[y] == BERTH_REACH_ONE) {
    out->strand.code = (berth_strand_code_t)(code + 1);
  }
  return true;
}

// True when step |s| goes on with what the link that is being made makes.
static bool follows(const maker_t *m, int s, function_t *out) {
  const berth_fused_t *step = &m->fusion->steps[s];
  if (m->open < 0 || m->uses[m->last] != 1 ||
      m->fusion->steps[m->last].result >= 0 ||
      m->plan->links[m->plan->link_count - 1].strands == NULL ||
      m->plan->links[m->plan->link_count - 1].strand_count ==
          BERTH_CHAIN_STRANDS) {
    return false;
  }
  for (int i = 0; i < step->input_count && i < 2; ++i) {
    if (step->inputs[i] == ~m->last) return function_of(m, s, i, out);
  }
  return false;
}

// Begins a link with step |s|; false when memory is short.
static bool link_open(maker_t *m, int s) {
  const berth_fused_t *step = &m->fusion->steps[s];
  const berth_cpu_term_t *term = term_of(m, s);
  berth_link_t *link = &m->plan->links[m->plan->link_count++];
  function_t function;
  m->open = s;
  *link = (berth_link_t){
      .apply = term->apply, .plan = step->plan, .to = -1, .arg = -1};
  // What the head has made comes first: a head can do only what is done to that.
  bool is_turned = step->input_count > 1 && m->head >= 0 &&
                   step->inputs[1] == ~m->head && step->inputs[0] >= 0;
  bool is_strand = function_of(m, s, is_turned, &function);
  if (!is_strand && step->input_count > 1) {
    is_strand = function_of(m, s, !is_turned, &function);
  }
  if (is_strand) {
    link->strands = berth_arena_alloc(
        m->prepare->op.arena, BERTH_CHAIN_STRANDS * sizeof(*link->strands));
    if (link->strands == NULL) return false;
    link->in[link->input_count++] = source_of(m, s, function.x);
    link->strands[link->strand_count++] = function.strand;
    return true;
  }
  for (int i = 0; i < step->input_count && i < BERTH_TERM_INPUTS; ++i) {
    link->in[link->input_count++] = source_of(m, s, i);
  }
  return true;
}

// Makes the links; BERTH_UNIMPLEMENTED when there are not enough registers.
static berth_code_t links_make(maker_t *m, berth_error_t *err) {
  m->open = -1;
  for (int s = 0; s < m->fusion->step_count; ++s) {
    function_t function;
    if (s == m->head || m->is_folded[s]) continue;
    if (follows(m, s, &function)) {
      berth_link_t *link = &m->plan->links[m->plan->link_count - 1];
      link->strands[link->strand_count++] = function.strand;
    } else {
      if (!link_close(m)) return BERTH_UNIMPLEMENTED;
      if (!link_open(m, s)) return berth_error_no_memory(err, "a plan");
    }
    m->last = s;
  }
  if (m->open >= 0) {
    link_simplify(m);
    berth_link_t *link = &m->plan->links[m->plan->link_count - 1];
    link->size = term_of(m, m->last)->out_size;
    link->is_unread = true;
  }
  return BERTH_OK;
}

// ---- Blocks, rows ----

// Chooses how many elements a block has: whole rows.
static void block_choose(maker_t *m) {
  berth_chain_plan_t *plan = m->plan;
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

// Elements of a block, or all.
static int64_t most_of(const berth_chain_plan_t *plan) {
  return plan->count < plan->block ? plan->count : plan->block;
}

static void tile_add(berth_chain_plan_t *plan,
                     const berth_link_source_t *source, size_t *at) {
  if (source->fixed != NULL || source->reach != BERTH_REACH_ROW) return;
  for (int t = 0; t < plan->tile_count; ++t) {
    if (plan->tiles[t].arg == source->from) return;
  }
  plan->tiles[plan->tile_count++] =
      (berth_tile_t){source->from, *at, source->size};
  if (plan->block > plan->row) {
    *at += ((size_t)most_of(plan) * source->size + 63) / 64 * 64;
  }
}

// Calls |see| for every source of the links.
static void sources_see(berth_chain_plan_t *plan,
                        void (*see)(berth_chain_plan_t *plan,
                                    const berth_link_source_t *source,
                                    size_t *arg),
                        size_t *arg) {
  for (int l = 0; l < plan->link_count; ++l) {
    const berth_link_t *link = &plan->links[l];
    for (int i = 0; i < link->input_count; ++i) see(plan, &link->in[i], arg);
    for (int i = 0; i < link->strand_count; ++i) {
      see(plan, &link->strands[i].y, arg);
    }
  }
}

// Lays out the scratch space: that of the head, rows, registers.
static void scratch_plan(maker_t *m) {
  berth_chain_plan_t *plan = m->plan;
  size_t at = 0;
  if (plan->head != NULL) at = (m->head_scratch + 63) / 64 * 64;
  sources_see(plan, tile_add, &at);
  int64_t pieces = (plan->count + plan->block - 1) / plan->block;
  // What a head does is cut in another way.
  if (plan->head != NULL) pieces = INT32_MAX;
  plan->slots_at = at;
  plan->slots = berth_slots_for(
      pieces, (int64_t)((size_t)m->registers * plan->register_size));
  if (m->registers == 0) plan->slots.count = 0;
  m->prepare->scratch_size = at + (size_t)berth_slots_bytes(&plan->slots);
}

// ---- Outputs ----

// Collects arguments that are read element by element and are as wide as the
// output, and in |arg| those that are read in another way.
static void overwrite_see(berth_chain_plan_t *plan,
                          const berth_link_source_t *source, size_t *arg) {
  if (source->fixed != NULL || source->from < 0 || source->from >= 32) return;
  uint32_t bit = UINT32_C(1) << source->from;
  if (source->reach == BERTH_REACH_ALL && source->size == plan->out_size) {
    plan->streams_unless |= bit;
  } else {
    *arg |= bit;
  }
}

static bool is_head_input(const berth_chain_plan_t *plan, int32_t arg) {
  for (int32_t i = 0; i < plan->head_input_count; ++i) {
    if (plan->head_inputs[i] == arg) return true;
  }
  return plan->row_added.reach != BERTH_REACH_NONE &&
         plan->row_added.from == arg;
}

// Says which inputs the output may take over: what is read element by element
// is read before it is written, but for a head.
static void output_plan(maker_t *m) {
  berth_chain_plan_t *plan = m->plan;
  size_t others = 0;
  sources_see(plan, overwrite_see, &others);
  plan->stream = -1;
  if (plan->head != NULL) {
    const berth_link_source_t *other = &plan->other_added;
    bool is_own = plan->has_ending && plan->head->ends_in_place &&
                  other->reach == BERTH_REACH_ALL && other->fixed == NULL &&
                  other->from < 32 && !is_head_input(plan, other->from);
    if (is_own) m->prepare->op.may_overwrite = UINT32_C(1) << other->from;
    return;
  }
  m->prepare->op.may_overwrite = plan->streams_unless & ~(uint32_t)others;
  if (plan->count * plan->out_size > berth_cpu_cache_size() / 2) {
    plan->stream = register_find(m);
  }
}

// ---- The head ----

// Finds the head. It needs nothing of the others, and is done before them.
static bool head_set(maker_t *m) {
  berth_chain_plan_t *plan = m->plan;
  m->head = m->fusion->step_count - 1;
  while (m->head >= 0 && !m->fusion->steps[m->head].term->begins) --m->head;
  if (m->head < 0) return true;
  const berth_fused_t *step = &m->fusion->steps[m->head];
  m->where[m->head] = BERTH_FROM_OUTPUT;
  plan->head = term_of(m, m->head);
  plan->head_plan = step->plan;
  m->head_scratch = step->scratch_size;
  plan->head_input_count = step->input_count;
  plan->head_inputs =
      berth_arena_memdup(m->prepare->op.arena, step->inputs,
                         (size_t)step->input_count * sizeof(int32_t));
  return plan->head_inputs != NULL;
}

// What constant rows behind the head make of its output: x * factor + shift.
typedef struct affine {
  int64_t n;
  float *factor, *shift;
} affine_t;

// Goes on with what |term| does to column |i|.
static void affine_apply(const affine_t *to, const berth_cpu_term_t *term,
                         int64_t i) {
  const float *a = term->rows + i;
  switch (term->rows_kind) {
    case BERTH_ROWS_ADD:
      to->shift[i] += *a;
      break;
    case BERTH_ROWS_SUB:
      to->shift[i] -= *a;
      break;
    case BERTH_ROWS_MUL:
      to->shift[i] *= *a;
      to->factor[i] *= *a;
      break;
    default:
      to->shift[i] = (to->shift[i] - *a) * a[to->n] + a[2 * to->n];
      to->factor[i] *= a[to->n];
      break;
  }
}

// True when all factors and shifts are numbers: others have to meet the sums.
static bool is_finite(const affine_t *affine) {
  for (int64_t i = 0; i < affine->n; ++i) {
    if (!isfinite(affine->factor[i]) || !isfinite(affine->shift[i])) {
      return false;
    }
  }
  return true;
}

// Returns the last of the steps behind the head that are constant rows, each of
// which alone reads what the one before makes; -1 where none multiplies: sums
// keep their bits.
static int last_row(const maker_t *m) {
  int last = -1, s = m->head;
  bool multiplies = false;
  while (m->uses[s] == 1) {
    s = m->last_use[s];
    berth_rows_kind_t kind = term_of(m, s)->rows_kind;
    if (kind == BERTH_ROWS_NONE) break;
    multiplies |= kind == BERTH_ROWS_MUL || kind == BERTH_ROWS_NORM;
    last = s;
  }
  return multiplies ? last : -1;
}

// Collects what the steps behind the head do, up to |last|; false when some
// number is none.
static bool affine_make(const maker_t *m, int last, const affine_t *out) {
  for (int64_t i = 0; i < out->n; ++i) {
    out->factor[i] = 1;
    out->shift[i] = 0;
    int s = m->head;
    while (s != last) {
      s = m->last_use[s];
      affine_apply(out, term_of(m, s), i);
    }
  }
  return is_finite(out);
}

// Makes factors behind the head part of it, and what is added one addition; false
// when memory is short.
static bool rows_fold(maker_t *m) {
  berth_chain_plan_t *plan = m->plan;
  m->shift = -1;
  if (m->head < 0 || plan->head->scale == NULL || plan->row == 0) return true;
  int last = last_row(m);
  if (last < 0) return true;
  int64_t n = plan->row, most = most_of(plan);
  float *room = berth_arena_alloc(m->prepare->op.arena,
                                  (size_t)(2 * n + most) * sizeof(*room));
  if (room == NULL) return false;
  affine_t affine = {n, room, room + n};
  if (!affine_make(m, last, &affine)) return true;
  plan->head_plan =
      plan->head->scale(plan->head_plan, m->prepare, affine.factor);
  if (plan->head_plan == NULL) return false;
  for (int s = m->last_use[m->head]; s != last; s = m->last_use[s]) {
    m->is_folded[s] = true;
    m->where[s] = BERTH_FROM_OUTPUT;
  }
  float *shifts = room + 2 * n;
  for (int64_t i = 0; i < most; ++i) shifts[i] = affine.shift[i % n];
  m->shift = last;
  m->shifts = shifts;
  return true;
}

// ---- Endings ----

// Takes an addition at |*at| of |link| that reads as |reach| says, if there is
// one; stores what is added.
static void addition_take(const berth_link_t *link, berth_reach_t reach,
                          int *at, berth_link_source_t *out) {
  if (*at == link->strand_count) return;
  const berth_strand_link_t *strand = &link->strands[*at];
  if (strand->code != BERTH_STRAND_ADD || strand->y.reach != reach ||
      (strand->y.fixed == NULL && strand->y.from < 0)) {
    return;
  }
  *out = strand->y;
  ++*at;
}

static berth_clamp_t clamp_take(const berth_link_t *link, int *at) {
  if (*at == link->strand_count) return BERTH_CLAMP_NONE;
  berth_strand_code_t code = link->strands[*at].code;
  bool is_relu = code == BERTH_STRAND_RELU, is_six = code == BERTH_STRAND_RELU6;
  *at += is_relu || is_six;
  return is_six    ? BERTH_CLAMP_RELU6
         : is_relu ? BERTH_CLAMP_RELU
                   : BERTH_CLAMP_NONE;
}

// Leaves it to the head to do the only link, where that is an ending.
static void ending_find(berth_chain_plan_t *plan) {
  if (plan->head == NULL || !plan->head->ends || plan->link_count != 1) return;
  const berth_link_t *link = &plan->links[0];
  if (link->strands == NULL || link->in[0].from != BERTH_FROM_OUTPUT) return;
  int at = 0;
  addition_take(link, BERTH_REACH_ROW, &at, &plan->row_added);
  addition_take(link, BERTH_REACH_ALL, &at, &plan->other_added);
  plan->clamp = clamp_take(link, &at);
  if (at < link->strand_count) return;
  plan->has_ending = true;
  plan->link_count = 0;
}

// ---- Feeding ----

// Has the head skip a step and be fed.
static berth_code_t head_feed(maker_t *m, const berth_fed_by_t *by,
                              berth_error_t *err) {
  berth_chain_plan_t *plan = m->plan;
  berth_code_t code = BERTH_OK;
  if (by->pads == NULL && by->chain == NULL) return BERTH_OK;
  if (plan->head == NULL || (by->pads != NULL && plan->head->pad == NULL) ||
      (by->chain != NULL && plan->head->feed == NULL)) {
    return BERTH_UNIMPLEMENTED;
  }
  if (by->pads != NULL) {
    code = plan->head->pad(plan->head_plan, m->prepare, by->pads,
                           &plan->head_plan);
  }
  if (code == BERTH_OK && by->chain != NULL) {
    berth_fed_t fed = {.space = by->chain->head->space,
                       .scratch_size = m->head_scratch};
    code =
        plan->head->feed(plan->head_plan, m->prepare, &fed, &plan->head_plan);
    m->head_scratch = fed.scratch_size;
    plan->fed_by = by->chain;
  }
  return code == BERTH_RESOURCE_EXHAUSTED ? berth_error_no_memory(err, "a plan")
                                          : code;
}

// ---- The whole ----

static bool maker_init(maker_t *m) {
  const berth_fusion_t *fusion = m->fusion;
  size_t count = (size_t)fusion->step_count;
  berth_arena_t *arena = m->prepare->op.arena;
  berth_chain_plan_t *plan = berth_prepare_plan(m->prepare, sizeof(*plan));
  if (plan == NULL) return false;
  m->plan = plan;
  plan->links = berth_arena_calloc(arena, count, sizeof(*plan->links));
  plan->tiles = berth_arena_calloc(arena, (size_t)fusion->input_count + 1,
                                   sizeof(*plan->tiles));
  int32_t *each = berth_arena_calloc(arena, 3 * count, sizeof(*each));
  m->is_folded = berth_arena_calloc(arena, count, sizeof(*m->is_folded));
  if (plan->links == NULL || plan->tiles == NULL || each == NULL ||
      m->is_folded == NULL) {
    return false;
  }
  m->where = each;
  m->last_use = each + count;
  m->uses = each + 2 * count;
  for (size_t i = 0; i < count; ++i) m->where[i] = -1;
  plan->strand = BERTH_ISA_PICK(berth_cpu_strand_loops)->f32;
  plan->count = fusion->steps[0].term->count;
  plan->output = fusion->input_count;
  plan->scratch = fusion->input_count + fusion->output_count;
  plan->out_size = term_of(m, fusion->step_count - 1)->out_size;
  return head_set(m);
}

berth_code_t berth_chain_make(const berth_fusion_t *fusion,
                              const berth_fed_by_t *by,
                              berth_prepare_t *prepare, berth_error_t *err) {
  maker_t m = {.fusion = fusion, .prepare = prepare};
  if (fusion->input_count + fusion->output_count + 1 > BERTH_CHAIN_ARGS ||
      fusion->steps[0].term->count < FEW) {
    return BERTH_UNIMPLEMENTED;
  }
  if (!maker_init(&m)) return berth_error_no_memory(err, "a plan");
  berth_chain_plan_t *plan = m.plan;
  // A head writes its elements where the last ones go.
  if (plan->head != NULL && plan->head->out_size != plan->out_size) {
    return BERTH_UNIMPLEMENTED;
  }
  block_choose(&m);
  uses_find(&m);
  if (!rows_fold(&m)) return berth_error_no_memory(err, "a plan");
  BERTH_TRY(head_feed(&m, by, err));
  BERTH_TRY(links_make(&m, err));
  ending_find(plan);
  output_plan(&m);
  scratch_plan(&m);
  for (int s = 0; s < fusion->step_count; ++s) {
    prepare->work += fusion->steps[s].work;
  }
  int64_t blocks = (plan->count + plan->block - 1) / plan->block;
  int64_t each = prepare->work / (blocks > 0 ? blocks : 1) + 1;
  plan->grain = PIECE_NS / each + 1;
  prepare->run = berth_chain_run;
  return BERTH_OK;
}

berth_code_t berth_cpu_head(berth_prepare_t *prepare, int64_t row, size_t size,
                            berth_cpu_term_t **out_term, berth_error_t *err) {
  berth_cpu_term_t *term =
      berth_arena_calloc(prepare->op.arena, 1, sizeof(*term));
  if (term == NULL) return berth_error_no_memory(err, "a plan");
  term->term = (berth_term_t){
      .fuse = berth_cpu_fuse,
      .count = berth_dims_count(berth_case_output_dims(&prepare->op, 0)),
      .row = row,
      .begins = true};
  term->out_size = (uint8_t)size;
  prepare->term = &term->term;
  *out_term = term;
  return BERTH_OK;
}
