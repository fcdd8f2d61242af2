// ebb.c - Values in backward loops: entered, popped, or made there.
#include "grad/ebb.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "grad/ebb_internal.h"
#include "graph/builder.h"

// ---- Lists and entries ----

bool berth_ebb_add(berth_ebb_nodes_t *nodes, int32_t node) {
  if (nodes->count == nodes->capacity) {
    int32_t capacity = nodes->capacity == 0 ? 8 : 2 * nodes->capacity;
    int32_t *items =
        berth_realloc(nodes->items, (size_t)capacity, sizeof(*items));
    if (items == NULL) return false;
    nodes->items = items;
    nodes->capacity = capacity;
  }
  nodes->items[nodes->count++] = node;
  return true;
}

static size_t slot_of(const berth_ebb_t *ebb, berth_out_t value,
                      int32_t where) {
  size_t mask = ebb->entry_capacity - 1;
  uint64_t key = (uint64_t)(uint32_t)value.node * 31 +
                 (uint64_t)(uint32_t)value.index * 7 + (uint32_t)where;
  size_t slot = (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 24) & mask;
  for (;; slot = (slot + 1) & mask) {
    const berth_ebb_entry_t *e = &ebb->entries[slot];
    bool is_it = e->value.node == value.node && e->value.index == value.index &&
                 e->where == where;
    if (!berth_out_is(e->found) || is_it) return slot;
  }
}

berth_out_t berth_ebb_find(const berth_ebb_t *ebb, berth_out_t value,
                           int32_t where) {
  if (ebb->entry_capacity == 0) return BERTH_NO_OUT;
  return ebb->entries[slot_of(ebb, value, where)].found;
}

static bool entries_grow(berth_ebb_t *ebb) {
  if (2 * ebb->entry_count < ebb->entry_capacity) return true;
  size_t old = ebb->entry_capacity;
  berth_ebb_entry_t *entries = ebb->entries;
  size_t capacity = old == 0 ? 64 : 2 * old;
  berth_ebb_entry_t *wider = berth_calloc(capacity, sizeof(*wider));
  if (wider == NULL) return false;
  for (size_t i = 0; i < capacity; ++i) wider[i].found = BERTH_NO_OUT;
  ebb->entries = wider;
  ebb->entry_capacity = capacity;
  for (size_t i = 0; i < old; ++i) {
    if (!berth_out_is(entries[i].found)) continue;
    wider[slot_of(ebb, entries[i].value, entries[i].where)] = entries[i];
  }
  berth_free(entries);
  return true;
}

static void no_memory(berth_grad_t *g) {
  berth_grad_fail(g, BERTH_RESOURCE_EXHAUSTED, "no memory for gradients");
}

void berth_ebb_keep(berth_grad_t *g, berth_out_t value, int32_t where,
                    berth_out_t found) {
  berth_ebb_t *ebb = g->ebb;
  if (g->code != BERTH_OK) return;
  if (!entries_grow(ebb)) {
    no_memory(g);
    return;
  }
  ebb->entries[slot_of(ebb, value, where)] =
      (berth_ebb_entry_t){value, where, found};
  ++ebb->entry_count;
}

bool berth_ebb_home(berth_ebb_t *ebb, int32_t node, int32_t home) {
  int32_t at = node - ebb->contexts.node_count;
  if (at >= ebb->home_capacity) {
    int32_t capacity = 2 * at + 64;
    int32_t *homes =
        berth_realloc(ebb->homes, (size_t)capacity, sizeof(*homes));
    if (homes == NULL) return false;
    ebb->homes = homes;
    ebb->home_capacity = capacity;
  }
  while (ebb->home_count <= at) ebb->homes[ebb->home_count++] = 0;
  ebb->homes[at] = home;
  return true;
}

// ---- Where values are ----

static bool is_new(const berth_ebb_t *ebb, berth_out_t value) {
  return value.node >= ebb->contexts.node_count;
}

static int32_t home_of(const berth_ebb_t *ebb, int32_t node) {
  int32_t at = node - ebb->contexts.node_count;
  return at < ebb->home_count ? ebb->homes[at] : 0;
}

// Returns the context of a value of the forward graph, or of what was added to
// that.
static int32_t context_of(const berth_ebb_t *ebb, berth_out_t value) {
  if (is_new(ebb, value)) {
    return BERTH_EBB_FORWARD - home_of(ebb, value.node);
  }
  return berth_context_of(&ebb->contexts, value);
}

// True when |context| is around where slopes are asked for.
static bool is_straight(const berth_ebb_t *ebb, int32_t context) {
  for (int32_t at = ebb->base; at >= 0; at = ebb->contexts.rows[at].parent) {
    if (at == context) return true;
  }
  return false;
}

// Returns the loop around |context|, itself included, that is gone back through.
static int32_t loop_of(const berth_ebb_t *ebb, int32_t context) {
  int32_t loop = berth_context_loop(&ebb->contexts, context);
  return is_straight(ebb, loop) ? 0 : loop;
}

int32_t berth_ebb_loop(const berth_ebb_t *ebb, const berth_node_t *node) {
  return loop_of(ebb, ebb->contexts.by_node[node->id]);
}

int32_t berth_ebb_outer(const berth_ebb_t *ebb, int32_t loop) {
  if (loop <= 0) return 0;
  return loop_of(ebb, ebb->contexts.rows[loop].parent);
}

bool berth_ebb_is_around(const berth_ebb_t *ebb, int32_t loop, int32_t inside) {
  while (inside > 0 && inside != loop) inside = berth_ebb_outer(ebb, inside);
  return inside == loop;
}

int32_t *berth_ebb_pending(berth_ebb_t *ebb, int32_t loop) {
  return &ebb->loops[loop].pending_exits;
}

// ---- Entering ----

berth_out_t berth_ebb_enter_into(berth_grad_t *g, const char *name,
                                 berth_out_t value, const char *frame,
                                 int64_t parallel, bool is_constant) {
  berth_grad_begin(g, "Enter", name);
  if (g->code == BERTH_OK) {
    berth_op_attr_string(g->op, "frame_name", frame, strlen(frame));
    berth_op_attr_bool(g->op, "is_constant", is_constant);
    berth_op_attr_int(g->op, "parallel_iterations", parallel);
  }
  int32_t here = g->ebb->here;
  g->ebb->here = BERTH_EBB_FORWARD;
  berth_out_t made = berth_grad_make(g, &value, 1);
  g->ebb->here = here;
  return made;
}

// Brings |value|, from the backward loop |from|, into |loop|, inside of it.
static berth_out_t enter_chain(berth_grad_t *g, berth_out_t value, int32_t from,
                               int32_t loop) {
  berth_ebb_t *ebb = g->ebb;
  if (loop == from || g->code != BERTH_OK) return value;
  if (loop == 0) {
    berth_grad_fail(g, BERTH_INTERNAL, "a slope is used outside of its loop");
    return BERTH_NO_OUT;
  }
  berth_out_t found = berth_ebb_find(ebb, value, 2 * loop + 1);
  if (berth_out_is(found)) return found;
  berth_out_t outside = enter_chain(g, value, from, berth_ebb_outer(ebb, loop));
  berth_out_t made =
      berth_ebb_enter_into(g, NULL, outside, ebb->loops[loop].frame,
                           ebb->contexts.rows[loop].parallel, true);
  if (g->code != BERTH_OK) return BERTH_NO_OUT;
  if (!berth_ebb_home(ebb, made.node, loop)) no_memory(g);
  berth_ebb_keep(g, value, 2 * loop + 1, made);
  return made;
}

// Brings the stack |handle| into the forward loop |loop|.
static berth_out_t enter_forward(berth_grad_t *g, berth_out_t handle,
                                 int32_t loop) {
  berth_ebb_t *ebb = g->ebb;
  if (loop == 0 || g->code != BERTH_OK) return handle;
  berth_out_t found = berth_ebb_find(ebb, handle, 2 * loop);
  if (berth_out_is(found)) return found;
  berth_out_t outside = enter_forward(g, handle, berth_ebb_outer(ebb, loop));
  const berth_context_row_t *row = &ebb->contexts.rows[loop];
  berth_out_t made =
      berth_ebb_enter_into(g, NULL, outside, row->frame, row->parallel, true);
  berth_ebb_keep(g, handle, 2 * loop, made);
  return made;
}

// ---- Stacks ----

// Makes a stack, outside of all loops.
static berth_out_t stack(berth_grad_t *g, berth_out_t value) {
  int32_t here = g->ebb->here;
  g->ebb->here = BERTH_EBB_FORWARD;
  berth_out_t size = berth_grad_int(g, "Const", BERTH_INT32, -1);
  berth_dtype_t type = berth_grad_dtype(g, value);
  berth_grad_begin(g, "StackV2", "f_acc");
  if (g->code == BERTH_OK) berth_op_attr_type(g->op, "elem_type", type);
  berth_out_t made = berth_grad_make(g, &size, 1);
  if (g->code == BERTH_OK && !berth_ebb_home(g->ebb, made.node, 0)) {
    no_memory(g);
  }
  g->ebb->here = here;
  return made;
}

// Pushes |value| in every turn of the forward loop |loop|.
static void push(berth_grad_t *g, berth_out_t handle, berth_out_t value,
                 int32_t loop, bool is_guarded) {
  berth_ebb_t *ebb = g->ebb;
  berth_ebb_loop_t *state = &ebb->loops[loop];
  berth_out_t inside = enter_forward(g, handle, loop);
  int32_t here = ebb->here;
  ebb->here = BERTH_EBB_FORWARD;
  berth_grad_begin(g, "StackPushV2", NULL);
  if (g->code == BERTH_OK) berth_op_control(g->op, state->f_switch.node);
  berth_out_t made = berth_grad_make(g, (berth_out_t[]){inside, value}, 2);
  ebb->here = here;
  if (g->code == BERTH_OK &&
      !berth_ebb_add(is_guarded ? &state->guarded_pushes : &state->pushes,
                     made.node)) {
    no_memory(g);
  }
}

// Pops it in every turn of the backward loop; in |branch| (0: none) only where
// that was taken.
static berth_out_t pop(berth_grad_t *g, berth_out_t handle, berth_out_t value,
                       int32_t loop, int32_t branch) {
  berth_ebb_t *ebb = g->ebb;
  int32_t here = ebb->here;
  ebb->here = loop;
  if (branch > 0) {
    const berth_context_row_t *row = &ebb->contexts.rows[branch];
    int index = row->branch;
    handle =
        berth_grad_op(g, "Switch", NULL, (berth_out_t[]){handle, row->pred}, 2);
    handle = berth_out_at(handle, index);
  }
  berth_dtype_t type = berth_grad_dtype(g, value);
  berth_dims_t dims = berth_grad_shape(g, value);
  berth_grad_begin(g, "StackPopV2", NULL);
  if (g->code == BERTH_OK) berth_op_attr_type(g->op, "elem_type", type);
  berth_out_t made = berth_grad_make(g, &handle, 1);
  ebb->here = here;
  if (g->code != BERTH_OK) return BERTH_NO_OUT;
  g->code = berth_out_set_shape(g->graph, made, dims, g->err);
  if (!berth_ebb_add(&ebb->loops[loop].pops, made.node)) no_memory(g);
  return made;
}

// Makes |value|, of the forward loop |loop|, be there in its backward loop.
static berth_out_t remember(berth_grad_t *g, berth_out_t value, int32_t context,
                            int32_t loop) {
  berth_ebb_t *ebb = g->ebb;
  berth_out_t found = berth_ebb_find(ebb, value, 2 * loop + 1);
  if (berth_out_is(found)) return found;
  int32_t branch = context == loop ? 0 : context;
  berth_out_t handle = stack(g, value);
  push(g, handle, value, loop, branch > 0);
  found = pop(g, handle, value, loop, branch);
  berth_ebb_keep(g, value, 2 * loop + 1, found);
  return found;
}

// ---- What is popped, gone back through ----

// Returns the outermost of the loops around |loop| that are not around |other|.
static int32_t apart(const berth_ebb_t *ebb, int32_t loop, int32_t other) {
  int32_t found = 0;
  while (!berth_ebb_is_around(ebb, loop, other)) {
    found = loop;
    loop = berth_ebb_outer(ebb, loop);
  }
  return found;
}

berth_out_t berth_ebb_pile(berth_grad_t *g, const berth_node_t *pusher) {
  berth_ebb_t *ebb = g->ebb;
  int32_t from = ebb == NULL ? 0 : berth_ebb_loop(ebb, g->node);
  int32_t to = ebb == NULL ? 0 : berth_ebb_loop(ebb, pusher);
  int32_t first = from > 0 ? apart(ebb, from, to) : 0;
  int32_t second = to > 0 ? apart(ebb, to, from) : 0;
  if (first == 0 || second == 0 || ebb->loops[second].is_begun) {
    berth_grad_fail(g, BERTH_UNIMPLEMENTED,
                    "%s pops what %s does not push in a loop before: it cannot "
                    "be differentiated",
                    g->node->name, pusher->name);
    return BERTH_NO_OUT;
  }
  berth_out_t slope = berth_grad_dy(g, 0);
  berth_out_t handle = stack(g, slope);
  berth_out_t pushed =
      berth_grad_op(g, "StackPushV2", NULL, (berth_out_t[]){handle, slope}, 2);
  if (g->code != BERTH_OK) return BERTH_NO_OUT;
  if (!berth_ebb_add(&ebb->loops[from].pops, pushed.node) ||
      !berth_ebb_add(&ebb->loops[second].before, ebb->loops[first].done)) {
    no_memory(g);
  }
  return handle;
}

void berth_ebb_unpile(berth_grad_t *g) {
  berth_ebb_t *ebb = g->ebb;
  int32_t loop = berth_ebb_loop(ebb, g->node);
  int32_t context = ebb->contexts.by_node[g->node->id];
  berth_out_t slope = pop(g, g->slopes[0].values, g->node->inputs[1], loop,
                          context == loop ? 0 : context);
  berth_grad_give(g, 1, slope);
}

// ---- Bringing ----

// Returns the Enter of a constant of a loop that |value| is; else NULL.
static const berth_node_t *constant_enter(const berth_grad_t *g,
                                          berth_out_t value) {
  const berth_node_t *node = berth_graph_get(g->graph, value.node);
  while (strcmp(node->op->name, "Identity") == 0 ||
         (node->op->flow == BERTH_FLOW_SWITCH &&
          !berth_is_loop_switch(g->graph, node))) {
    node = berth_graph_get(g->graph, node->inputs[0].node);
  }
  return node->op->flow == BERTH_FLOW_ENTER &&
                 berth_node_attr_bool(node, "is_constant", false)
             ? node
             : NULL;
}

// Makes the constant |node| once more.
static berth_out_t copy_constant(berth_grad_t *g, const berth_node_t *node) {
  berth_grad_begin(g, "Const", NULL);
  if (g->code == BERTH_OK) {
    berth_op_attr_value(g->op, "value", berth_node_attr(node, "value"));
    berth_op_attr_value(g->op, "dtype", berth_node_attr(node, "dtype"));
  }
  return berth_grad_make(g, NULL, 0);
}

static berth_out_t bring_forward(berth_grad_t *g, berth_out_t value,
                                 int32_t loop) {
  berth_ebb_t *ebb = g->ebb;
  berth_out_t at = value;
  for (;;) {
    int32_t context = context_of(ebb, at);
    int32_t from = loop_of(ebb, context);
    if (from == 0) return enter_chain(g, at, 0, loop);
    const berth_node_t *node = constant_enter(g, at);
    if (node != NULL) {
      at = node->inputs[0];
      continue;
    }
    node = berth_graph_get(g->graph, at.node);
    if (strcmp(node->op->name, "Const") == 0) return copy_constant(g, node);
    return enter_chain(g, remember(g, at, context, from), from, loop);
  }
}

berth_out_t berth_ebb_bring(berth_grad_t *g, berth_out_t value, int32_t loop) {
  berth_ebb_t *ebb = g->ebb;
  if (loop <= 0 || g->code != BERTH_OK || !berth_out_is(value)) return value;
  if (is_new(ebb, value) && home_of(ebb, value.node) >= 0) {
    return enter_chain(g, value, home_of(ebb, value.node), loop);
  }
  berth_out_t found = berth_ebb_find(ebb, value, 2 * loop + 1);
  if (berth_out_is(found)) return found;
  found = bring_forward(g, value, loop);
  if (!berth_out_is(berth_ebb_find(ebb, value, 2 * loop + 1))) {
    berth_ebb_keep(g, value, 2 * loop + 1, found);
  }
  return found;
}

// ---- Emission ----

// Brings what |op| takes into the loop, under its name.
static berth_code_t bring_all(berth_grad_t *g, const berth_op_t *op,
                              berth_out_t *inputs, int count) {
  const berth_emitter_t *emit = &g->to->emit;
  berth_node_spec_t spec;
  BERTH_TRY(berth_op_describe(op, &spec, g->err));
  char name[512];
  size_t size = spec.name == NULL ? 0 : strlen(spec.name);
  bool is_named = size > 0 && size + 2 < sizeof(name) && emit->push != NULL;
  if (is_named) {
    memcpy(name, spec.name, size);
    memcpy(name + size, "/", 2);
    BERTH_TRY(emit->push(emit->arg, name, BERTH_NO_NODE, false, g->err));
  }
  for (int i = 0; i < count; ++i) {
    inputs[i] = berth_ebb_bring(g, inputs[i], g->ebb->here);
  }
  if (is_named) emit->pop(emit->arg);
  return g->code;
}

// True when nothing tells the turns of |op| apart: it waits for nothing, and
// none of |inputs| changes.
static bool is_free(const berth_grad_t *g, const berth_op_t *op,
                    const berth_out_t *inputs, int count) {
  berth_node_spec_t spec;
  if (berth_op_describe(op, &spec, NULL) != BERTH_OK) return false;
  if (spec.control_count > 0) return false;
  for (int i = 0; i < count; ++i) {
    const berth_node_t *node = berth_graph_get(g->graph, inputs[i].node);
    if (node->op->flow != BERTH_FLOW_ENTER ||
        !berth_node_attr_bool(node, "is_constant", false)) {
      return false;
    }
  }
  return true;
}

static berth_code_t make_inside(berth_grad_t *g, berth_op_t *op,
                                const berth_out_t *inputs, const int *counts,
                                int count, berth_node_id_t *out_node) {
  berth_ebb_t *ebb = g->ebb;
  int total = 0;
  for (int i = 0; i < count; ++i) total += counts[i] < 0 ? 1 : counts[i];
  berth_out_t *brought =
      berth_arena_calloc(g->arena, (size_t)total + 1, sizeof(*brought));
  if (brought == NULL) {
    berth_op_abandon(op);
    return berth_error_no_memory(g->err, "gradients");
  }
  for (int i = 0; i < total; ++i) brought[i] = inputs[i];
  berth_code_t code = bring_all(g, op, brought, total);
  if (code != BERTH_OK) {
    berth_op_abandon(op);
    return code;
  }
  berth_out_t index = ebb->loops[ebb->here].index;
  if (berth_out_is(index) && is_free(g, op, brought, total)) {
    berth_op_control(op, index.node);
  }
  BERTH_TRY(g->to->emit.finish(g->to->emit.arg, op, brought, counts, count,
                               out_node, g->err));
  if (!berth_ebb_home(ebb, *out_node, ebb->here)) {
    return berth_error_no_memory(g->err, "gradients");
  }
  return BERTH_OK;
}

berth_code_t berth_ebb_make(berth_grad_t *g, berth_op_t *op,
                            const berth_out_t *inputs, const int *counts,
                            int count, berth_node_id_t *out_node) {
  if (g->ebb->here > 0) {
    return make_inside(g, op, inputs, counts, count, out_node);
  }
  return g->to->emit.finish(g->to->emit.arg, op, inputs, counts, count,
                            out_node, g->err);
}

// ---- Zeros ----

// Returns the sizes of |value|, which a forward loop computes.
static berth_out_t forward_sizes(berth_grad_t *g, berth_out_t value) {
  berth_ebb_t *ebb = g->ebb;
  int32_t here = ebb->here;
  ebb->here = BERTH_EBB_FORWARD;
  bool is_handle = berth_grad_dtype(g, value) == BERTH_RESOURCE;
  berth_out_t made =
      berth_grad_op(g, is_handle ? "VariableShape" : "Shape", NULL, &value, 1);
  ebb->here = here;
  if (g->code == BERTH_OK &&
      !berth_ebb_home(ebb, made.node,
                      BERTH_EBB_FORWARD - context_of(ebb, value))) {
    no_memory(g);
  }
  return made;
}

berth_out_t berth_ebb_fill(berth_grad_t *g, berth_out_t value,
                           berth_dtype_t type) {
  berth_dims_t dims = berth_grad_shape(g, value);
  bool is_handle = berth_grad_dtype(g, value) == BERTH_RESOURCE;
  bool is_known = dims.rank >= 0 && !is_handle;
  for (int i = 0; i < dims.rank; ++i) is_known &= dims.dims[i] >= 0;
  berth_out_t sizes = is_known
                          ? berth_grad_ints(g, "zeros/shape_as_tensor",
                                            BERTH_INT32, dims.dims, dims.rank)
                          : forward_sizes(g, value);
  berth_grad_push(g, "zeros");
  berth_out_t zero = berth_grad_number(g, "Const", type, 0);
  berth_out_t made = berth_grad_op(g, "Fill", BERTH_SCOPE_NAME,
                                   (berth_out_t[]){sizes, zero}, 2);
  berth_grad_pop(g);
  return made;
}

berth_out_t berth_ebb_zeros(berth_grad_t *g, berth_out_t value) {
  berth_dtype_t type = berth_grad_dtype(g, value);
  if (g->ebb == NULL || g->ebb->here <= 0 || type == BERTH_VARIANT) {
    return berth_grad_op(g, "ZerosLike", "zeros_like", &value, 1);
  }
  return berth_ebb_fill(g, value, type);
}

// True when |context| is in |outside|, with branches alone between them.
static bool is_branch_of(const berth_ebb_t *ebb, int32_t context,
                         int32_t outside) {
  const berth_context_row_t *rows = ebb->contexts.rows;
  while (context > 0 && context != outside && !rows[context].is_loop) {
    context = rows[context].parent;
  }
  return context == outside;
}

void berth_ebb_leave_branches(berth_grad_t *g, int index,
                              berth_slope_t *slope) {
  const berth_contexts_t *contexts = &g->ebb->contexts;
  berth_out_t in = g->node->inputs[index];
  int32_t context = contexts->by_node[g->node->id];
  int32_t outside = berth_context_of(contexts, in);
  if (context == outside || !is_branch_of(g->ebb, context, outside)) return;
  berth_out_t value = berth_grad_spread(g, *slope, NULL);
  berth_dtype_t type = berth_grad_dtype(g, value);
  for (; context != outside; context = contexts->rows[context].parent) {
    berth_context_row_t row = contexts->rows[context];
    berth_out_t zeros = g->ebb->here > 0 && type != BERTH_VARIANT
                            ? berth_ebb_fill(g, in, type)
                            : berth_ebb_zeros(g, in);
    berth_out_t sides = berth_grad_op(g, "Switch", "cond_grad",
                                      (berth_out_t[]){zeros, row.pred}, 2);
    berth_grad_begin(g, "Merge", "cond_grad");
    value = berth_grad_make_lists(
        g, (berth_out_t[]){value, berth_out_at(sides, 1 - row.branch)},
        (int[]){2}, 1);
  }
  *slope = (berth_slope_t){value, BERTH_NO_OUT, BERTH_NO_OUT};
}

berth_out_t berth_ebb_unseen(berth_grad_t *g, berth_out_t out, int32_t loop) {
  berth_ebb_t *ebb = g->ebb;
  berth_context_row_t row = ebb->contexts.rows[loop];
  berth_ebb_go(g, BERTH_EBB_FORWARD);
  berth_out_t last = berth_grad_op(g, "Exit", NULL, &out, 1);
  if (g->code == BERTH_OK &&
      !berth_ebb_home(ebb, last.node, BERTH_EBB_FORWARD - row.parent)) {
    no_memory(g);
  }
  berth_ebb_go(g, berth_ebb_outer(ebb, loop));
  berth_out_t zeros = berth_ebb_zeros(g, last);
  berth_ebb_go(g, loop);
  berth_out_t made = berth_ebb_enter_into(
      g, "b_exit", zeros, ebb->loops[loop].frame, row.parallel, false);
  if (g->code == BERTH_OK && !berth_ebb_home(ebb, made.node, loop)) {
    no_memory(g);
  }
  berth_ebb_go(g, 0);
  return made;
}

// ---- The whole ----

berth_code_t berth_ebb_create(berth_grad_t *g, int32_t node_count,
                              berth_out_t within, berth_ebb_t **out_ebb,
                              berth_error_t *err) {
  *out_ebb = NULL;
  berth_contexts_t contexts;
  BERTH_TRY(berth_contexts_init(&contexts, g->graph, node_count, err));
  if (!contexts.has_flow) {
    berth_contexts_deinit(&contexts);
    return BERTH_OK;
  }
  berth_ebb_t *ebb = berth_calloc(1, sizeof(*ebb));
  if (ebb != NULL) {
    ebb->contexts = contexts;
    ebb->loops = berth_calloc((size_t)contexts.count, sizeof(*ebb->loops));
  }
  if (ebb == NULL || ebb->loops == NULL) {
    berth_free(ebb);
    berth_contexts_deinit(&contexts);
    return berth_error_no_memory(err, "gradients");
  }
  if (berth_out_is(within)) ebb->base = berth_context_of(&contexts, within);
  for (int32_t i = 0; i < contexts.count; ++i) {
    ebb->loops[i].total = ebb->loops[i].index = BERTH_NO_OUT;
  }
  *out_ebb = ebb;
  return BERTH_OK;
}

void berth_ebb_destroy(berth_ebb_t *ebb) {
  if (ebb == NULL) return;
  for (int32_t i = 0; i < ebb->contexts.count; ++i) {
    berth_free(ebb->loops[i].pushes.items);
    berth_free(ebb->loops[i].guarded_pushes.items);
    berth_free(ebb->loops[i].pops.items);
    berth_free(ebb->loops[i].before.items);
    berth_free(ebb->loops[i].turns);
  }
  berth_free(ebb->loops);
  berth_free(ebb->homes);
  berth_free(ebb->entries);
  berth_contexts_deinit(&ebb->contexts);
  berth_free(ebb);
}
