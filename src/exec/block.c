// block.c - Making the blocks of a program, and the program around them.
//
// The steps of a block move into a program of their own. Values that enter it
// are fed to that, values that leave it are fetched; what is settled is settled
// in both. The program around is written anew: its steps, and the slots that
// these still have. A last block without steps has those that were settled.
#include "base/alloc.h"
#include "exec/builder.h"
#include "exec/check.h"
#include "exec/copy.h"
#include "exec/cut.h"
#include "exec/flow.h"
#include "exec/pseudo.h"
#include "exec/steady.h"

enum { NONE = -1 };

typedef struct maker {
  berth_program_t *program;  // As it was, until all is made.
  const berth_cuts_t *cuts;
  berth_tensor_t **known;  // By slot: what it holds if it is not dead, or NULL.
  bool *leaves;            // By slot: it is made in a block and used elsewhere.
  int32_t *step_now;       // By step as it was: what it is part of now.
  int32_t *slot_now;       // By slot as it was, or NONE.
  int32_t *inner;          // By slot as it was: the one of a block ...
  int32_t *inner_of;       // ... and of which.
  int32_t *seen;           // By step that is: the last one that waits for it.
  // The program as it will be.
  berth_step_t *steps;
  int step_count;
  size_t step_capacity;
  int32_t *args;
  int arg_count;
  size_t arg_capacity;
  berth_slot_t *slots;
  berth_tensor_t **settled;  // References that are the program's.
  int slot_count;
  size_t slot_capacity, settled_capacity;
  berth_flow_t *flow;
  int depth;  // Of loops, as it goes.
} maker_t;

// A block under construction.
typedef struct part {
  berth_program_t *program;
  int32_t index;
  const int32_t *steps;  // As they were.
  int count;
  // Slots as they were. Behind the feeds are those whose values are known: they
  // only tell whether the block is dead.
  int32_t *feeds, *watched, *fetches;
  int feed_count, watched_count, fetch_count;
} part_t;

static berth_code_t no_memory(berth_error_t *err) {
  return berth_error_no_memory(err, "a program");
}

static const int32_t *slots_of(const berth_program_t *p, int s) {
  return p->args + p->steps[s].first_arg;
}

// ---- What stays outside ----

// Returns the slot that |old| is in the program as it will be.
static berth_code_t slot_get(maker_t *m, int32_t old, int32_t *out_slot,
                             berth_error_t *err) {
  if (m->slot_now[old] < 0) {
    size_t count = (size_t)m->slot_count;
    void *slots =
        berth_grow(m->slots, count, &m->slot_capacity, sizeof(*m->slots));
    if (slots != NULL) m->slots = slots;
    void *settled = berth_grow(m->settled, count, &m->settled_capacity,
                               sizeof(*m->settled));
    if (settled != NULL) m->settled = settled;
    if (slots == NULL || settled == NULL) return no_memory(err);
    m->slots[count] = m->program->slots[old];
    m->slots[count].producer = NONE;
    m->slots[count].is_copied = false;
    m->settled[count] = m->program->settled[old];
    m->slot_now[old] = m->slot_count++;
  }
  *out_slot = m->slot_now[old];
  return BERTH_OK;
}

static berth_code_t arg_add(maker_t *m, int32_t slot, berth_error_t *err) {
  int32_t *args = berth_grow(m->args, (size_t)m->arg_count, &m->arg_capacity,
                             sizeof(*args));
  if (args == NULL) return no_memory(err);
  m->args = args;
  args[m->arg_count++] = slot;
  return BERTH_OK;
}

// Adds |count| slots as they were to the arguments.
static berth_code_t args_add(maker_t *m, const int32_t *old, int count,
                             berth_error_t *err) {
  for (int i = 0; i < count; ++i) {
    int32_t slot = NONE;
    BERTH_TRY(slot_get(m, old[i], &slot, err));
    BERTH_TRY(arg_add(m, slot, err));
  }
  return BERTH_OK;
}

// Appends |step|, with |inputs| and |outputs| as they were.
static berth_code_t step_add(maker_t *m, berth_step_t step,
                             const int32_t *inputs, const int32_t *outputs,
                             berth_error_t *err) {
  berth_step_t *steps = berth_grow(m->steps, (size_t)m->step_count,
                                   &m->step_capacity, sizeof(*steps));
  if (steps == NULL) return no_memory(err);
  m->steps = steps;
  step.first_arg = m->arg_count;
  BERTH_TRY(args_add(m, inputs, step.input_count, err));
  BERTH_TRY(args_add(m, outputs, step.output_count, err));
  BERTH_TRY(arg_add(m, NONE, err));
  for (int i = 0; i < step.output_count; ++i) {
    m->slots[m->slot_now[outputs[i]]].producer = m->step_count;
  }
  if (berth_is_copy(&step)) m->slots[m->slot_now[inputs[0]]].is_copied = true;
  m->steps[m->step_count++] = step;
  return BERTH_OK;
}

// ---- What they wait for ----

// Notes that the last step waits for step |before| as it was.
static berth_code_t control_add(maker_t *m, int32_t before,
                                berth_error_t *err) {
  berth_flow_t *flow = m->flow;
  int32_t own = (int32_t)flow->step_count - 1, now = m->step_now[before];
  if (now < 0 || now == own || m->seen[now] == own) return BERTH_OK;
  m->seen[now] = own;
  int32_t *controls = berth_grow(flow->controls, flow->control_count,
                                 &flow->control_capacity, sizeof(*controls));
  if (controls == NULL) return no_memory(err);
  flow->controls = controls;
  controls[flow->control_count++] = now;
  ++flow->steps[own].control_count;
  return BERTH_OK;
}

// Notes that it waits for all that step |s| as it was does.
static berth_code_t controls_add(maker_t *m, int32_t s, berth_error_t *err) {
  const berth_flow_t *old = m->program->flow;
  const berth_flow_step_t *info = &old->steps[s];
  for (int32_t i = 0; i < info->control_count; ++i) {
    BERTH_TRY(control_add(m, old->controls[info->first_control + i], err));
  }
  return BERTH_OK;
}

// Notes what the settled inputs of step |s| as it was wait for.
static berth_code_t gates_add(maker_t *m, int32_t s, berth_error_t *err) {
  const berth_program_t *p = m->program;
  const int32_t *slots = slots_of(p, s);
  for (int i = 0; i < p->steps[s].input_count; ++i) {
    int32_t gate = p->slots[slots[i]].producer;
    if (gate < 0 || p->flow->steps[gate].kind != BERTH_FLOW_GATE) continue;
    BERTH_TRY(m->cuts->is_seen_through[gate] ? controls_add(m, gate, err)
                                             : control_add(m, gate, err));
  }
  return BERTH_OK;
}

// Notes how the next step, which was |info|, flows.
static berth_code_t flow_add(maker_t *m, berth_flow_step_t info,
                             berth_error_t *err) {
  berth_flow_t *flow = m->flow;
  berth_flow_step_t *steps = berth_grow(flow->steps, flow->step_count,
                                        &flow->step_capacity, sizeof(*steps));
  if (steps == NULL) return no_memory(err);
  flow->steps = steps;
  info.first_control = (int32_t)flow->control_count;
  info.control_count = 0;
  info.next = NONE;
  if (info.loop != BERTH_NO_LOOP) {
    info.next = flow->loops[info.loop].first;
    flow->loops[info.loop].first = (int32_t)flow->step_count;
  }
  steps[flow->step_count++] = info;
  return BERTH_OK;
}

// ---- Blocks ----

static const berth_op_schema_t block_schema = {
    .name = "_Block", .is_stateful = true, .traits = BERTH_OP_IMPURE};

// Never called: the walk runs the block.
static const berth_kernel_t block_kernel = {.op = "_Block"};

// Gives the block a slot for |old|, which is settled, fed, or its own.
static int32_t inner_slot(maker_t *m, part_t *part, int32_t old) {
  berth_program_t *n = part->program;
  if (m->inner_of[old] == part->index) return m->inner[old];
  int32_t slot = n->slot_count++;
  const berth_slot_t *from = &m->program->slots[old];
  n->slots[slot] = (berth_slot_t){.dtype = from->dtype,
                                  .producer = NONE,
                                  .space = from->space,
                                  .is_borrowed = from->is_borrowed};
  bool is_own =
      from->producer >= 0 && m->cuts->block_of[from->producer] == part->index;
  if (m->program->settled[old] != NULL) {
    n->settled[slot] = berth_tensor_retain(m->program->settled[old]);
  } else if (m->known[old] != NULL && !is_own) {
    n->settled[slot] = berth_tensor_retain(m->known[old]);
    part->watched[part->watched_count++] = old;
  } else if (!is_own) {
    part->feeds[part->feed_count++] = old;
  } else if (m->leaves[old]) {
    part->fetches[part->fetch_count++] = old;
    n->slots[slot].is_kept = true;
  }
  m->inner_of[old] = part->index;
  m->inner[old] = slot;
  return slot;
}

// Moves step |s| into the block.
static void inner_step(maker_t *m, part_t *part, int32_t s) {
  berth_program_t *n = part->program;
  const int32_t *old = slots_of(m->program, s);
  berth_step_t *step = &n->steps[n->step_count];
  *step = m->program->steps[s];
  step->first_arg = n->arg_count;
  for (int i = 0; i < step->input_count + step->output_count; ++i) {
    int32_t slot = inner_slot(m, part, old[i]);
    if (i >= step->input_count) n->slots[slot].producer = n->step_count;
    n->args[n->arg_count++] = slot;
  }
  n->args[n->arg_count++] = NONE;
  if (berth_is_copy(step)) n->slots[n->args[step->first_arg]].is_copied = true;
  n->uses_devices = n->uses_devices || !step->on_host;
  ++n->step_count;
}

// Writes down what is fed and fetched.
static bool ends_store(maker_t *m, part_t *part) {
  berth_program_t *n = part->program;
  size_t feeds = (size_t)part->feed_count + 1;
  size_t fetches = (size_t)part->fetch_count + 1;
  int16_t *spaces = berth_arena_calloc(&n->arena, feeds, sizeof(*spaces));
  n->feed_slots = berth_arena_calloc(&n->arena, feeds, sizeof(int32_t));
  n->fetch_slots = berth_arena_calloc(&n->arena, fetches, sizeof(int32_t));
  if (spaces == NULL || n->feed_slots == NULL || n->fetch_slots == NULL) {
    return false;
  }
  for (int i = 0; i < part->feed_count; ++i) {
    n->feed_slots[i] = m->inner[part->feeds[i]];
    spaces[i] = n->slots[n->feed_slots[i]].space;
  }
  for (int i = 0; i < part->fetch_count; ++i) {
    n->fetch_slots[i] = m->inner[part->fetches[i]];
  }
  n->signature = (berth_signature_t){.feed_count = part->feed_count,
                                     .fetch_count = part->fetch_count,
                                     .is_call = true,
                                     .feed_spaces = spaces};
  return true;
}

// Makes the program of |part|, which has room for all that its steps have.
static berth_code_t part_fill(maker_t *m, part_t *part, berth_error_t *err) {
  berth_program_t *n = part->program, *p = m->program;
  size_t args = 0, steps = (size_t)part->count;
  for (int i = 0; i < part->count; ++i) {
    const berth_step_t *step = &p->steps[part->steps[i]];
    args += (size_t)(step->input_count + step->output_count) + 1;
  }
  n->steps = berth_calloc(steps + 1, sizeof(*n->steps));
  n->args = berth_calloc(args + 1, sizeof(*n->args));
  n->slots = berth_calloc(args + 1, sizeof(*n->slots));
  n->settled = berth_calloc(args + 1, sizeof(*n->settled));
  part->feeds = berth_alloc((args + 1) * sizeof(*part->feeds));
  part->watched = berth_alloc((args + 1) * sizeof(*part->watched));
  part->fetches = berth_alloc((args + 1) * sizeof(*part->fetches));
  if (n->steps == NULL || n->args == NULL || n->slots == NULL ||
      n->settled == NULL || part->feeds == NULL || part->watched == NULL ||
      part->fetches == NULL) {
    return no_memory(err);
  }
  for (int i = 0; i < part->count; ++i) inner_step(m, part, part->steps[i]);
  memcpy(part->feeds + part->feed_count, part->watched,
         (size_t)part->watched_count * sizeof(*part->feeds));
  n->used = p->used;
  n->used_count = p->used_count;
  if (!ends_store(m, part)) return no_memory(err);
  n->repeats = m->depth > 0;
  if (n->uses_devices && n->repeats) BERTH_TRY(berth_steady_add(n, err));
  BERTH_TRY(berth_program_finish(n, err));
  BERTH_ASSERT_SOUND(berth_program_check(n));
  return BERTH_OK;
}

// True when output |index| of |step| says where something is, a list or a
// variable: the host makes it when the step is queued.
static bool is_handle(const berth_step_t *step, int index) {
  berth_dtype_t dtype = step->node->output_types[index];
  return !berth_is_copy(step) &&
         (dtype == BERTH_VARIANT || dtype == BERTH_RESOURCE);
}

// True when a device copies from memory of the host, or to memory of it that goes
// outside: nobody may touch either before that is done, and the next run of the
// block, or whoever gets what leaves it, would. Kernels read memory of the host
// when they are queued.
static bool is_waited_for(const berth_program_t *n) {
  for (int s = 0; s < n->step_count; ++s) {
    const berth_step_t *step = &n->steps[s];
    const int32_t *slots = n->args + step->first_arg;
    if (step->on_host) continue;
    if (berth_is_copy(step) && n->slots[slots[0]].space == BERTH_HOST_SPACE &&
        n->settled[slots[0]] == NULL) {
      return true;
    }
    for (int i = 0; i < step->output_count; ++i) {
      const berth_slot_t *slot = &n->slots[slots[step->input_count + i]];
      if (slot->space == BERTH_HOST_SPACE && slot->is_kept &&
          !is_handle(step, i)) {
        return true;
      }
    }
  }
  return false;
}

// Adds the step that stands for |part|.
static berth_code_t part_add(maker_t *m, const part_t *part,
                             berth_error_t *err) {
  const char *label = m->program->steps[part->steps[0]].node->name;
  berth_node_t *node = berth_pseudo_node(&m->program->arena, sizeof(*node),
                                         &block_schema, label, BERTH_FLOAT);
  if (node == NULL) return no_memory(err);
  berth_step_t step = {.node = node,
                       .input_count = part->feed_count + part->watched_count,
                       .output_count = part->fetch_count,
                       .blocker = NONE,
                       .on_host = true};
  berth_step_set_kernel(&step, &block_kernel);
  berth_flow_step_t info = {
      .kind = BERTH_FLOW_BLOCK, .loop = BERTH_NO_LOOP, .block = part->index};
  BERTH_TRY(step_add(m, step, part->feeds, part->fetches, err));
  BERTH_TRY(flow_add(m, info, err));
  for (int i = 0; i < part->count; ++i) {
    m->step_now[part->steps[i]] = m->step_count - 1;
  }
  for (int i = 0; i < part->count; ++i) {
    BERTH_TRY(controls_add(m, part->steps[i], err));
    BERTH_TRY(gates_add(m, part->steps[i], err));
  }
  return BERTH_OK;
}

// Makes the block of the |count| steps |steps|.
static berth_code_t block_make(maker_t *m, const int32_t *steps, int count,
                               berth_error_t *err) {
  part_t part = {
      .index = m->cuts->block_of[steps[0]], .steps = steps, .count = count};
  part.program = berth_program_new(m->program->host);
  if (part.program == NULL) return no_memory(err);
  m->flow->blocks[part.index].program = part.program;
  berth_code_t code = part_fill(m, &part, err);
  if (code == BERTH_OK) {
    m->flow->blocks[part.index].is_waited_for = is_waited_for(part.program);
    code = part_add(m, &part, err);
  }
  berth_free(part.feeds);
  berth_free(part.watched);
  berth_free(part.fetches);
  return code;
}

// ---- The program around ----

// True when step |s| hands on its first input, if anything.
static bool hands_on(const berth_program_t *p, int s) {
  const berth_flow_step_t *info = &p->flow->steps[s];
  const berth_step_t *step = &p->steps[s];
  if (info->kind == BERTH_FLOW_ENTER) return info->is_constant;
  if (info->kind == BERTH_FLOW_SWITCH) return true;
  return info->kind == BERTH_FLOW_RUN && step->input_count == 1 &&
         step->output_count == 1 && (step->traits & BERTH_OP_PASSES) != 0;
}

// Finds values that are known before anything runs: what is settled, and what
// hands that on. A variable's handle stays known in branches and loops, so that
// its shape does.
static void known_find(maker_t *m) {
  const berth_program_t *p = m->program;
  for (int i = 0; i < p->slot_count; ++i) m->known[i] = p->settled[i];
  for (int s = 0; s < p->step_count; ++s) {
    const berth_step_t *step = &p->steps[s];
    const int32_t *slots = slots_of(p, s);
    if (step->input_count == 0 || m->known[slots[0]] == NULL ||
        !hands_on(p, s)) {
      continue;
    }
    for (int i = 0; i < step->output_count; ++i) {
      int32_t output = slots[step->input_count + i];
      if (p->slots[output].space != p->slots[slots[0]].space) continue;
      m->known[output] = m->known[slots[0]];
    }
  }
}

// Finds what leaves its block.
static void leaves_find(maker_t *m) {
  const berth_program_t *p = m->program;
  const int32_t *block_of = m->cuts->block_of;
  for (int s = 0; s < p->step_count; ++s) {
    const int32_t *slots = slots_of(p, s);
    for (int i = 0; i < p->steps[s].input_count; ++i) {
      int32_t producer = p->slots[slots[i]].producer;
      if (producer >= 0 && block_of[producer] != block_of[s]) {
        m->leaves[slots[i]] = true;
      }
    }
  }
  for (int i = 0; i < p->signature.fetch_count; ++i) {
    m->leaves[p->fetch_slots[i]] = true;
  }
}

static berth_code_t mark_add(maker_t *m, int32_t item, berth_error_t *err) {
  berth_flow_t *flow = m->flow;
  int32_t loop = berth_order_mark_loop(item);
  bool is_end = berth_order_mark_is_end(item);
  m->depth += is_end ? -1 : 1;
  berth_flow_mark_t *marks = berth_grow(flow->marks, flow->mark_count,
                                        &flow->mark_capacity, sizeof(*marks));
  if (marks == NULL) return no_memory(err);
  flow->marks = marks;
  int32_t *at = is_end ? &flow->loops[loop].end : &flow->loops[loop].begin;
  *at = (int32_t)flow->mark_count;
  marks[flow->mark_count++] = (berth_flow_mark_t){m->step_count, loop, is_end};
  return BERTH_OK;
}

// Keeps step |s| where it is.
static berth_code_t step_keep(maker_t *m, int32_t s, berth_error_t *err) {
  const berth_program_t *p = m->program;
  const int32_t *slots = slots_of(p, s);
  BERTH_TRY(
      step_add(m, p->steps[s], slots, slots + p->steps[s].input_count, err));
  BERTH_TRY(flow_add(m, p->flow->steps[s], err));
  m->step_now[s] = m->step_count - 1;
  return controls_add(m, s, err);
}

static berth_code_t items_add(maker_t *m, berth_error_t *err) {
  const berth_cuts_t *cuts = m->cuts;
  for (int i = 0, end; i < cuts->count; i = end) {
    int32_t item = cuts->items[i];
    int32_t block = item >= 0 ? cuts->block_of[item] : NONE;
    end = i + 1;
    while (block >= 0 && end < cuts->count && cuts->items[end] >= 0 &&
           cuts->block_of[cuts->items[end]] == block) {
      ++end;
    }
    BERTH_TRY(item < 0     ? mark_add(m, item, err)
              : block >= 0 ? block_make(m, cuts->items + i, end - i, err)
                           : step_keep(m, item, err));
  }
  return BERTH_OK;
}

// Gives feeds and fetches that no step uses their slots.
static berth_code_t ends_add(maker_t *m, berth_error_t *err) {
  const berth_program_t *p = m->program;
  int32_t slot = NONE;
  for (int i = 0; i < p->signature.feed_count; ++i) {
    BERTH_TRY(slot_get(m, p->feed_slots[i], &slot, err));
  }
  for (int i = 0; i < p->signature.fetch_count; ++i) {
    BERTH_TRY(slot_get(m, p->fetch_slots[i], &slot, err));
  }
  return BERTH_OK;
}

// Moves what was settled into a program that nobody runs: only traces look at
// it.
static berth_code_t settled_move(maker_t *m, berth_error_t *err) {
  berth_program_t *p = m->program, *n = berth_program_new(p->host);
  if (n == NULL) return no_memory(err);
  m->flow->blocks[m->flow->block_count - 1].program = n;
  size_t slots = (size_t)p->slot_count + 1;
  n->slots = berth_calloc(slots, sizeof(*n->slots));
  n->settled = berth_calloc(slots, sizeof(*n->settled));
  n->args = berth_calloc((size_t)p->arg_count + 1, sizeof(*n->args));
  if (n->slots == NULL || n->settled == NULL || n->args == NULL) {
    return no_memory(err);
  }
  part_t part = {.program = n, .index = m->flow->block_count - 1};
  for (int s = 0; s < p->settled_step_count; ++s) {
    berth_step_t *step = &p->settled_steps[s];
    const int32_t *old = p->args + step->first_arg;
    step->first_arg = n->arg_count;
    for (int i = 0; i < step->input_count + step->output_count; ++i) {
      n->args[n->arg_count++] = inner_slot(m, &part, old[i]);
    }
  }
  n->settled_steps = p->settled_steps;
  n->settled_step_count = p->settled_step_count;
  p->settled_steps = NULL;
  p->settled_step_count = 0;
  return BERTH_OK;
}

// Puts all that was made in the place of what was. Cannot fail.
static void replace(maker_t *m) {
  berth_program_t *p = m->program;
  for (int i = 0; i < p->signature.feed_count; ++i) {
    p->feed_slots[i] = m->slot_now[p->feed_slots[i]];
  }
  for (int i = 0; i < p->signature.fetch_count; ++i) {
    p->fetch_slots[i] = m->slot_now[p->fetch_slots[i]];
  }
  for (int i = 0; i < p->slot_count; ++i) {
    if (m->slot_now[i] < 0) berth_tensor_release(p->settled[i]);
  }
  berth_free(p->steps);
  berth_free(p->args);
  berth_free(p->slots);
  berth_free(p->settled);
  berth_flow_destroy(p->flow);
  p->steps = m->steps;
  p->step_count = m->step_count;
  p->args = m->args;
  p->arg_count = m->arg_count;
  p->slots = m->slots;
  p->settled = m->settled;
  p->slot_count = m->slot_count;
  p->flow = m->flow;
}

static bool maker_init(maker_t *m) {
  const berth_program_t *p = m->program;
  size_t steps = (size_t)p->step_count + 1, slots = (size_t)p->slot_count + 1;
  m->known = berth_calloc(slots, sizeof(*m->known));
  m->leaves = berth_calloc(slots, sizeof(*m->leaves));
  m->step_now = berth_alloc(steps * sizeof(*m->step_now));
  m->slot_now = berth_alloc(slots * sizeof(*m->slot_now));
  m->inner = berth_alloc(slots * sizeof(*m->inner));
  m->inner_of = berth_alloc(slots * sizeof(*m->inner_of));
  m->seen = berth_alloc(steps * sizeof(*m->seen));
  m->flow = berth_flow_new(p->flow->loop_count, m->cuts->block_count + 1);
  if (m->known == NULL || m->leaves == NULL || m->step_now == NULL ||
      m->slot_now == NULL || m->inner == NULL || m->inner_of == NULL ||
      m->seen == NULL || m->flow == NULL) {
    return false;
  }
  memset(m->step_now, 0xff, steps * sizeof(*m->step_now));
  memset(m->slot_now, 0xff, slots * sizeof(*m->slot_now));
  memset(m->inner_of, 0xff, slots * sizeof(*m->inner_of));
  memset(m->seen, 0xff, steps * sizeof(*m->seen));
  return true;
}

berth_code_t berth_blocks_make(berth_program_t *program,
                               const berth_cuts_t *cuts, berth_error_t *err) {
  maker_t m = {.program = program, .cuts = cuts};
  berth_code_t code = maker_init(&m) ? BERTH_OK : no_memory(err);
  if (code == BERTH_OK) {
    known_find(&m);
    leaves_find(&m);
    code = items_add(&m, err);
  }
  if (code == BERTH_OK) code = ends_add(&m, err);
  if (code == BERTH_OK) code = settled_move(&m, err);
  if (code == BERTH_OK) {
    replace(&m);
  } else {
    berth_flow_destroy(m.flow);
    berth_free(m.steps);
    berth_free(m.args);
    berth_free(m.slots);
    berth_free(m.settled);
  }
  berth_free(m.known);
  berth_free(m.leaves);
  berth_free(m.step_now);
  berth_free(m.slot_now);
  berth_free(m.inner);
  berth_free(m.inner_of);
  berth_free(m.seen);
  return code;
}
