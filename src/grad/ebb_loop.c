// ebb_loop.c - The counters of loops, forward and backward.
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "grad/ebb_internal.h"

// Makes a node in a loop of the forward graph.
static berth_out_t forward(berth_grad_t *g, const char *op, const char *name,
                           const berth_out_t *inputs, int count) {
  int32_t here = g->ebb->here;
  g->ebb->here = BERTH_EBB_FORWARD;
  berth_out_t made = berth_grad_op(g, op, name, inputs, count);
  g->ebb->here = here;
  return made;
}

// Makes a Merge that is closed later.
static berth_out_t open_merge(berth_grad_t *g, const char *name,
                              berth_out_t value) {
  berth_grad_begin(g, "Merge", name);
  return berth_grad_make_lists(g, (berth_out_t[]){value, value}, (int[]){2}, 1);
}

static void set_home(berth_grad_t *g, berth_out_t value, int32_t home) {
  if (g->code == BERTH_OK && !berth_ebb_home(g->ebb, value.node, home)) {
    berth_grad_fail(g, BERTH_RESOURCE_EXHAUSTED, "no memory for gradients");
  }
}

// Makes a whole number that is there whenever |with| is.
static berth_out_t number_with(berth_grad_t *g, const char *name, int32_t value,
                               int32_t with) {
  berth_tensor_t *tensor = NULL;
  if (g->code != BERTH_OK) return BERTH_NO_OUT;
  g->code = berth_tensor_create(BERTH_INT32, (berth_dims_t){0, NULL}, &tensor,
                                g->err);
  if (g->code != BERTH_OK) return BERTH_NO_OUT;
  *(int32_t *)berth_tensor_data(tensor) = value;
  berth_grad_begin(g, "Const", name);
  if (g->code == BERTH_OK) {
    berth_op_attr_tensor(g->op, "value", tensor);
    berth_op_attr_type(g->op, "dtype", BERTH_INT32);
    if (with >= 0) berth_op_control(g->op, with);
  }
  berth_out_t made = berth_grad_make(g, NULL, 0);
  berth_tensor_release(tensor);
  return made;
}

// Makes the counter of the turns of |loop|, but for what goes round.
static void begin_forward(berth_grad_t *g, int32_t loop) {
  berth_ebb_t *ebb = g->ebb;
  const berth_context_row_t row = ebb->contexts.rows[loop];
  berth_ebb_loop_t *state = &ebb->loops[loop];
  int32_t here = ebb->here;
  ebb->here = BERTH_EBB_FORWARD;
  int32_t with = -1;
  if (row.parent > 0) {
    // A Switch is there for both branches, what comes out of it is not.
    with = berth_grad_op(g, "Identity", NULL, &row.first_from, 1).node;
  }
  berth_out_t zero = number_with(g, "f_count", 0, with);
  berth_out_t inside =
      berth_ebb_enter_into(g, "f_count", zero, row.frame, row.parallel, false);
  state->f_merge = open_merge(g, NULL, inside);
  state->f_switch =
      forward(g, "Switch", NULL,
              (berth_out_t[]){state->f_merge, {row.loop_cond, 0}}, 2);
  state->total = forward(g, "Exit", "f_count", &state->f_switch, 1);
  set_home(g, state->total, BERTH_EBB_FORWARD - row.parent);
  ebb->here = here;
}

// Names the frame of the backward loop after a node that is made for it.
static const char *frame_name(berth_grad_t *g, berth_out_t made) {
  if (g->code != BERTH_OK) return "";
  const char *node = berth_graph_get(g->graph, made.node)->name;
  size_t size = strlen(node);
  char *name = berth_arena_calloc(g->arena, size + sizeof("/while_context"), 1);
  if (name == NULL) {
    berth_grad_fail(g, BERTH_RESOURCE_EXHAUSTED, "no memory for gradients");
    return "";
  }
  memcpy(name, node, size);
  memcpy(name + size, "/while_context", sizeof("/while_context"));
  return name;
}

// Returns |value| when |nodes| have run.
static berth_out_t after(berth_grad_t *g, berth_out_t value,
                         const berth_ebb_nodes_t *nodes) {
  if (nodes->count == 0) return value;
  berth_grad_begin(g, "Identity", NULL);
  for (int32_t i = 0; g->code == BERTH_OK && i < nodes->count; ++i) {
    berth_op_control(g->op, nodes->items[i]);
  }
  return berth_grad_make(g, &value, 1);
}

// Makes the counter of the backward loop, but for what goes round.
static void begin_backward(berth_grad_t *g, int32_t loop, int32_t outer) {
  berth_ebb_t *ebb = g->ebb;
  berth_ebb_loop_t *state = &ebb->loops[loop];
  int64_t parallel = ebb->contexts.rows[loop].parallel;
  ebb->here = outer;
  berth_out_t count =
      outer > 0 ? berth_ebb_bring(g, state->total, outer) : state->total;
  berth_out_t one = number_with(g, "b_count", 1, -1);
  state->frame = frame_name(g, one);
  berth_out_t inside =
      berth_ebb_enter_into(g, "b_count", after(g, count, &state->before),
                           state->frame, parallel, false);
  set_home(g, inside, loop);
  ebb->here = loop;
  state->b_merge = open_merge(g, NULL, inside);
  berth_out_t goes_on = berth_grad_op(g, "GreaterEqual", NULL,
                                      (berth_out_t[]){state->b_merge, one}, 2);
  state->pivot = berth_grad_op(g, "LoopCond", "b_count", &goes_on, 1);
  state->b_switch = berth_grad_op(
      g, "Switch", NULL, (berth_out_t[]){state->b_merge, state->pivot}, 2);
  state->index =
      berth_grad_op(g, "Sub", NULL,
                    (berth_out_t[]){berth_out_at(state->b_switch, 1), one}, 2);
  berth_out_t done = berth_grad_op(g, "Exit", "b_count", &state->b_switch, 1);
  set_home(g, done, outer);
  state->done = done.node;
  // The pops of one run of an inner loop come before those of the next.
  if (outer > 0 && g->code == BERTH_OK &&
      !berth_ebb_add(&ebb->loops[outer].pops, done.node)) {
    berth_grad_fail(g, BERTH_RESOURCE_EXHAUSTED, "no memory for gradients");
  }
}

void berth_ebb_begin(berth_grad_t *g, int32_t loop) {
  berth_ebb_t *ebb = g->ebb;
  berth_ebb_loop_t *state = &ebb->loops[loop];
  if (state->is_begun || g->code != BERTH_OK) return;
  state->is_begun = true;
  if (ebb->contexts.rows[loop].loop_cond < 0) {
    berth_grad_fail(g, BERTH_INVALID_ARGUMENT,
                    "The loop %s has no LoopCond: it cannot be differentiated",
                    ebb->contexts.rows[loop].frame);
    return;
  }
  int32_t outer = berth_ebb_outer(ebb, loop);
  if (outer > 0) berth_ebb_begin(g, outer);
  begin_forward(g, loop);
  begin_backward(g, loop, outer);
}

void berth_ebb_go(berth_grad_t *g, int32_t loop) {
  if (g->ebb == NULL) return;
  if (loop > 0) berth_ebb_begin(g, loop);
  g->ebb->here = loop;
}

// ---- What is made last ----

void berth_ebb_close(berth_grad_t *g, berth_out_t merge, berth_out_t value,
                     int32_t control) {
  berth_grad_begin(g, "NextIteration", NULL);
  if (g->code == BERTH_OK && control >= 0) berth_op_control(g->op, control);
  berth_out_t next = berth_grad_make(g, &value, 1);
  if (g->code != BERTH_OK) return;
  g->code = berth_graph_close_loop(g->graph, merge.node, next, g->err);
}

// Makes a node that waits for |nodes|, whether they have run or not; -1: none.
static int32_t trigger(berth_grad_t *g, const char *name,
                       const berth_ebb_nodes_t *nodes) {
  if (nodes->count == 0 || g->code != BERTH_OK) return -1;
  berth_grad_begin(g, "ControlTrigger", name);
  for (int32_t i = 0; i < nodes->count; ++i) {
    berth_op_control(g->op, nodes->items[i]);
  }
  int32_t here = g->ebb->here;
  g->ebb->here = BERTH_EBB_FORWARD;
  int32_t made = berth_grad_make(g, NULL, 0).node;
  g->ebb->here = here;
  return made;
}

static bool is_fixed(const berth_grad_t *g, berth_out_t value) {
  berth_dims_t dims = berth_grad_shape(g, value);
  bool is_known = dims.rank >= 0;
  for (int i = 0; i < dims.rank; ++i) is_known &= dims.dims[i] >= 0;
  return is_known;
}

// Returns zeros for a turn before the last, in the backward loop |loop|. What
// goes round may have another shape in each turn.
static berth_out_t turn_zeros(berth_grad_t *g, const berth_ebb_turn_t *turn,
                              int32_t loop) {
  berth_out_t value = {turn->node, 1};
  berth_dtype_t type = berth_grad_dtype(g, turn->outside);
  g->ebb->here = loop;
  if (type != BERTH_VARIANT && !is_fixed(g, value)) {
    return berth_ebb_fill(g, value, type);
  }
  g->ebb->here = berth_ebb_outer(g->ebb, loop);
  berth_out_t zeros =
      berth_grad_op(g, "ZerosLike", "zeros_like", &turn->outside, 1);
  g->ebb->here = loop;
  return zeros;
}

// Makes slopes of turns before the last zero where none leads there.
static void finish_turns(berth_grad_t *g, int32_t loop) {
  berth_ebb_t *ebb = g->ebb;
  for (int32_t i = 0; i < ebb->loops[loop].turn_count; ++i) {
    berth_ebb_turn_t turn = ebb->loops[loop].turns[i];
    if (turn.is_closed) continue;
    berth_out_t zeros = turn_zeros(g, &turn, loop);
    ebb->here = loop;
    berth_ebb_close(g, turn.merge, zeros, -1);
  }
}

static void finish_forward(berth_grad_t *g, const berth_ebb_loop_t *state) {
  g->ebb->here = BERTH_EBB_FORWARD;
  int32_t sync = trigger(g, "f_sync", &state->guarded_pushes);
  berth_out_t one = number_with(g, "Add/y", 1, state->f_switch.node);
  berth_grad_begin(g, "AddV2", "Add");
  for (int32_t i = 0; g->code == BERTH_OK && i < state->pushes.count; ++i) {
    berth_op_control(g->op, state->pushes.items[i]);
  }
  if (g->code == BERTH_OK && sync >= 0) berth_op_control(g->op, sync);
  berth_out_t more = berth_grad_make(
      g, (berth_out_t[]){berth_out_at(state->f_switch, 1), one}, 2);
  berth_ebb_close(g, state->f_merge, more, -1);
}

void berth_ebb_finish(berth_grad_t *g) {
  berth_ebb_t *ebb = g->ebb;
  if (ebb == NULL) return;
  for (int32_t i = ebb->contexts.count - 1; i > 0; --i) {
    if (ebb->loops[i].is_begun) finish_turns(g, i);
  }
  for (int32_t i = ebb->contexts.count - 1; i > 0; --i) {
    const berth_ebb_loop_t *state = &ebb->loops[i];
    if (!state->is_begun || g->code != BERTH_OK) continue;
    finish_forward(g, state);
    ebb->here = i;
    int32_t sync = trigger(g, "b_sync", &state->pops);
    berth_ebb_close(g, state->b_merge, state->index, sync);
  }
  ebb->here = 0;
}
