// walk.c - Going back through a graph.
#include "grad/walk.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"
#include "grad/ebb.h"
#include "graph/unfolding.h"
#include "lower/lower.h"

enum {
  IS_REACHED = 1,  // It depends on an x.
  IS_BETWEEN = 2,  // And a y depends on it.
  IS_STOP = 4,     // Nothing before it is asked for.
  IS_SOURCE = 8,   // It has an x.
  IS_FILLED =
      16,        // A stack, on which something is pushed that depends on an x.
  HAS_EXIT = 32  // A Switch of a loop that something leaves through.
};

enum { SEVERAL = -2 };  // In place of a node.

// A slope by an output, on its way into a sum.
typedef struct part {
  berth_slope_t slope;
  struct part *next;
} part_t;

typedef struct parts {
  part_t *first, *last;
  int count;
} parts_t;

typedef struct walk {
  const berth_walk_wish_t *wish;
  const berth_gradients_t *how;
  berth_graph_t *graph;
  int32_t count;     // Nodes that there are.
  uint8_t *marks;    // By node.
  int32_t *pending;  // By node: uses whose slopes are to come.
  parts_t **parts;   // By node between: by output.
  int32_t *queue;    // Nodes whose turn it is.
  int32_t queued, done;
  // By node that is unfolded: what its outputs are; NULL: no node is.
  const berth_out_t **unfolded;
  // By node that pops: what it pops was pushed by; by node that pushes: what
  // pops it. NULL: nothing is popped.
  berth_out_t *piles;
  bool *is_left;  // By context: a loop that slopes come into.
  berth_arena_t arena;
  berth_grad_t grad;
} walk_t;

bool berth_grad_is_smooth(berth_dtype_t type) {
  if (type >= BERTH_REF) type = (berth_dtype_t)(type - BERTH_REF);
  switch (type) {
    case BERTH_HALF:
    case BERTH_FLOAT:
    case BERTH_DOUBLE:
    case BERTH_BFLOAT16:
    case BERTH_COMPLEX64:
    case BERTH_COMPLEX128:
    case BERTH_RESOURCE:
    case BERTH_VARIANT:
      return true;
    default:
      return false;
  }
}

static const berth_node_t *node_at(const walk_t *w, int32_t id) {
  return berth_graph_get(w->graph, id);
}

static bool is_op(const berth_node_t *node, const char *op) {
  return strcmp(node->op->name, op) == 0;
}

// True for the one node that pops, or pushes, what another one pushes, or pops.
static bool has_pile(const walk_t *w, int32_t id) {
  int32_t other = w->piles == NULL ? BERTH_NO_NODE : w->piles[id].node;
  return other >= 0 && w->piles[other].node == id;
}

static bool pops_pile(const walk_t *w, const berth_node_t *node) {
  return has_pile(w, node->id) && is_op(node, "StackPopV2");
}

static bool pushes_pile(const walk_t *w, const berth_node_t *node) {
  return has_pile(w, node->id) && is_op(node, "StackPushV2");
}

// What slopes are handed on to: the inputs of a node, or what it is unfolded to.
typedef struct sources {
  const berth_out_t *outs;
  int32_t count;
} sources_t;

static bool is_unfolded(const walk_t *w, const berth_node_t *node) {
  return w->unfolded != NULL && w->unfolded[node->id] != NULL;
}

static sources_t sources_of(const walk_t *w, const berth_node_t *node) {
  if (is_unfolded(w, node)) {
    return (sources_t){w->unfolded[node->id], node->output_count};
  }
  if (pops_pile(w, node)) return (sources_t){&w->piles[node->id], 1};
  return (sources_t){node->inputs, node->input_count};
}

static bool is_smooth(const walk_t *w, berth_out_t out) {
  return berth_grad_is_smooth(node_at(w, out.node)->output_types[out.index]);
}

// ---- Which nodes ----

// Returns the stack that |node| pushes on, or pops from.
static int32_t stack_of(const walk_t *w, const berth_node_t *node) {
  do {
    node = node_at(w, node->inputs[0].node);
  } while (node->input_count > 0 && !is_op(node, "StackV2"));
  return node->id;
}

static bool is_reached_by_input(const walk_t *w, const berth_node_t *node) {
  if (is_op(node, "StackPopV2") &&
      (w->marks[stack_of(w, node)] & IS_FILLED) != 0) {
    return true;
  }
  sources_t sources = sources_of(w, node);
  for (int32_t i = 0; i < sources.count; ++i) {
    berth_out_t in = sources.outs[i];
    if (in.node < w->count && (w->marks[in.node] & IS_REACHED) != 0 &&
        is_smooth(w, in)) {
      return true;
    }
  }
  return false;
}

// Marks what depends on an x. Inputs come before their nodes but where a loop
// closes: then once more.
static void mark_reached(const walk_t *w) {
  int32_t least = w->count;
  for (int i = 0; i < w->wish->x_count; ++i) {
    int32_t node = w->wish->xs[i].node;
    w->marks[node] |= IS_REACHED | IS_SOURCE;
    if (node < least) least = node;
  }
  bool is_changed = true;
  while (is_changed) {
    is_changed = false;
    for (int32_t id = least; id < w->count; ++id) {
      if ((w->marks[id] & IS_REACHED) != 0 || id < w->how->first) continue;
      const berth_node_t *node = node_at(w, id);
      if (!is_reached_by_input(w, node)) continue;
      w->marks[id] |= IS_REACHED;
      if (is_op(node, "StackPushV2")) w->marks[stack_of(w, node)] |= IS_FILLED;
      // Only who closes a loop is seen by one that came before, and what a node
      // is unfolded to.
      is_changed |= node->op->flow == BERTH_FLOW_NEXT || w->unfolded != NULL;
    }
    least = 0;  // A loop may begin before what is made in it.
  }
}

// Marks what is reached and needed for a y, and counts uses.
static void mark_between(walk_t *w) {
  int32_t top = 0;
  for (int i = 0; i < w->wish->y_count; ++i) {
    int32_t id = w->wish->ys[i].node;
    if ((w->marks[id] & IS_REACHED) == 0 || (w->marks[id] & IS_BETWEEN) != 0) {
      continue;
    }
    w->marks[id] |= IS_BETWEEN;
    w->queue[top++] = id;
  }
  while (top > 0) {
    sources_t sources = sources_of(w, node_at(w, w->queue[--top]));
    for (int32_t i = 0; i < sources.count; ++i) {
      int32_t id = sources.outs[i].node;
      if (id >= w->count || (w->marks[id] & IS_REACHED) == 0) continue;
      ++w->pending[id];
      if ((w->marks[id] & IS_BETWEEN) != 0) continue;
      w->marks[id] |= IS_BETWEEN;
      w->queue[top++] = id;
    }
  }
}

static bool is_exit(const berth_node_t *node) {
  return node->op->flow == BERTH_FLOW_EXIT;
}

// Returns the loop that |node| leaves, if that is gone back through; else 0.
static int32_t loop_left(const walk_t *w, const berth_node_t *node) {
  if (w->grad.ebb == NULL || !is_exit(node)) return 0;
  return berth_ebb_loop(w->grad.ebb, node);
}

// Returns the loop in which |node| pushes what is popped elsewhere; else 0.
static int32_t loop_piled(const walk_t *w, const berth_node_t *node) {
  if (w->grad.ebb == NULL || !pushes_pile(w, node)) return 0;
  return berth_ebb_loop(w->grad.ebb, node);
}

// Returns the loop around |loop| in which slopes have to wait for those of what
// the push |node| leaves, after |loop|; 0: the first that has not.
static int32_t waits_too(const walk_t *w, const berth_node_t *node,
                         int32_t loop) {
  int32_t outer = berth_ebb_outer(w->grad.ebb, loop);
  const berth_node_t *popper = node_at(w, w->piles[node->id].node);
  return berth_ebb_is_around(w->grad.ebb, outer,
                             berth_ebb_loop(w->grad.ebb, popper))
             ? 0
             : outer;
}

// Marks loops that slopes come into by what is pushed there, and counts that.
static void mark_piles(walk_t *w) {
  for (int32_t id = 0; w->piles != NULL && id < w->count; ++id) {
    const berth_node_t *node = node_at(w, id);
    if ((w->marks[id] & IS_BETWEEN) == 0) continue;
    for (int32_t loop = loop_piled(w, node); loop > 0;
         loop = waits_too(w, node, loop)) {
      w->is_left[loop] = true;
      ++*berth_ebb_pending(w->grad.ebb, loop);
    }
  }
}

// Marks all Exits of loops of which one is marked, and counts those that a loop
// waits for.
static void mark_exits(walk_t *w) {
  berth_ebb_t *ebb = w->grad.ebb;
  if (ebb == NULL) return;
  mark_piles(w);
  for (int32_t id = 0; id < w->count; ++id) {
    int32_t loop = loop_left(w, node_at(w, id));
    if (loop == 0) continue;
    if ((w->marks[id] & IS_BETWEEN) != 0) w->is_left[loop] = true;
    w->marks[node_at(w, id)->inputs[0].node] |= HAS_EXIT;
  }
  for (int32_t id = 0; id < w->count; ++id) {
    const berth_node_t *node = node_at(w, id);
    int32_t loop = loop_left(w, node);
    if (loop == 0 || !w->is_left[loop]) continue;
    if (w->pending[id] > 0) ++*berth_ebb_pending(ebb, loop);
    if ((w->marks[id] & IS_BETWEEN) != 0) continue;
    w->marks[id] |= IS_BETWEEN;
    int32_t from = node->inputs[0].node;
    if ((w->marks[from] & IS_BETWEEN) != 0) ++w->pending[from];
  }
}

// Marks nodes before which nothing is asked for.
static void mark_stops(const walk_t *w) {
  for (int i = 0; i < w->wish->x_count; ++i) {
    const berth_node_t *node = node_at(w, w->wish->xs[i].node);
    sources_t sources = sources_of(w, node);
    bool is_stop = true;
    for (int32_t j = 0; j < sources.count; ++j) {
      int32_t id = sources.outs[j].node;
      if (id < w->count && w->pending[id] > 0) is_stop = false;
    }
    if (is_stop) w->marks[node->id] |= IS_STOP;
  }
  for (int i = 0; i < w->how->stop_count; ++i) {
    w->marks[w->how->stops[i].node] |= IS_STOP;
  }
}

// ---- Slopes on their way ----

static berth_code_t no_memory(berth_error_t *err) {
  return berth_error_no_memory(err, "gradients");
}

// Adds |slope| to those by |out|.
static berth_code_t put(walk_t *w, berth_out_t out, berth_slope_t slope,
                        berth_error_t *err) {
  const berth_node_t *node = node_at(w, out.node);
  parts_t *parts = w->parts[out.node];
  if (parts == NULL) {
    parts = berth_arena_calloc(&w->arena, (size_t)node->output_count,
                               sizeof(*parts));
    if (parts == NULL) return no_memory(err);
    w->parts[out.node] = parts;
  }
  part_t *part = berth_arena_alloc(&w->arena, sizeof(*part));
  if (part == NULL) return no_memory(err);
  *part = (part_t){.slope = slope};
  parts_t *at = &parts[out.index];
  if (at->last != NULL) {
    at->last->next = part;
  } else {
    at->first = part;
  }
  at->last = part;
  ++at->count;
  return BERTH_OK;
}

// Sums what there is for output |index|: one part is left.
static berth_slope_t settle(walk_t *w, int32_t id, int index) {
  parts_t *parts = w->parts[id];
  if (parts == NULL || parts[index].count == 0) return BERTH_NO_SLOPE;
  parts_t *at = &parts[index];
  if (at->count > 1) {
    berth_slope_t *slopes =
        berth_arena_calloc(&w->arena, (size_t)at->count, sizeof(*slopes));
    if (slopes == NULL) {
      berth_grad_fail(&w->grad, BERTH_RESOURCE_EXHAUSTED,
                      "no memory for gradients");
      return BERTH_NO_SLOPE;
    }
    int count = 0;
    for (part_t *part = at->first; part != NULL; part = part->next) {
      slopes[count++] = part->slope;
    }
    at->first->slope = berth_grad_sum(&w->grad, slopes, count, w->how->is_free);
    at->first->next = NULL;
    at->last = at->first;
    at->count = 1;
  }
  return at->first->slope;
}

// ---- Scopes ----

static berth_code_t push(const walk_t *w, const char *name, int32_t node,
                         bool is_free, berth_error_t *err) {
  const berth_emitter_t *emit = &w->wish->to->emit;
  if (emit->push == NULL) return BERTH_OK;
  return emit->push(emit->arg, name, node, is_free, err);
}

static void pop(const walk_t *w) {
  const berth_emitter_t *emit = &w->wish->to->emit;
  if (emit->pop != NULL) emit->pop(emit->arg);
}

// ---- One node ----

static berth_code_t no_rule(const berth_node_t *node, berth_error_t *err) {
  return berth_error_set(
      err, BERTH_NOT_FOUND,
      "No gradient defined for operation'%s' (op type: %s). In general every "
      "operation must have an associated `@tf.RegisterGradient` for correct "
      "autodiff, which this op is lacking. If you want to pretend this "
      "operation is a constant in your program, you may insert "
      "`tf.stop_gradient`. This can be useful to silence the error in cases "
      "where you know gradients are not needed, e.g. the forward pass of "
      "tf.custom_gradient. Please see more details in "
      "https://www.tensorflow.org/api_docs/python/tf/custom_gradient.",
      node->name, node->op->name);
}

// Makes zeros where there is no slope by an output and others have one, and
// says where.
static void fill_zeros(walk_t *w, const berth_node_t *node,
                       berth_slope_t *slopes, bool *out_filled) {
  if (node->op->flow == BERTH_FLOW_SWITCH) return;  // Its rule knows better.
  for (int i = 0; i < node->output_count; ++i) {
    berth_dtype_t type = node->output_types[i];
    if (berth_out_is(slopes[i].values) || !berth_grad_is_smooth(type) ||
        type == BERTH_RESOURCE || type == BERTH_VARIANT) {
      continue;
    }
    out_filled[i] = true;
    slopes[i].values = berth_ebb_zeros(&w->grad, berth_grad_out(&w->grad, i));
  }
}

// What a program's own function makes would have to be made in the loop.
static berth_code_t no_own_rule_inside(const berth_node_t *node,
                                       berth_error_t *err) {
  if (berth_grad_rule(node->op->name, &(bool){false}) == NULL &&
      berth_node_attr(node, "_gradient_op_type") == NULL) {
    return no_rule(node, err);
  }
  return berth_error_set(
      err, BERTH_UNIMPLEMENTED,
      "A gradient of the program's own (%s, op type: %s) cannot be used inside "
      "of a while loop that is differentiated from outside. Compute the "
      "gradient in the loop's body, or unroll the loop.",
      node->name, node->op->name);
}

// Hands the slopes by what a loop that goes back pops on to where it was pushed.
static berth_code_t differentiate_pop(walk_t *w, const berth_node_t *node,
                                      berth_error_t *err) {
  if (!pops_pile(w, node)) {
    return berth_error_set(err, BERTH_UNIMPLEMENTED,
                           "%s pops from a stack that is not pushed on by one "
                           "loop and popped from by another one: it cannot be "
                           "differentiated",
                           node->name);
  }
  berth_out_t pushed = w->piles[node->id];
  berth_out_t pile = berth_ebb_pile(&w->grad, node_at(w, pushed.node));
  if (w->grad.code != BERTH_OK) return w->grad.code;
  return put(w, pushed, (berth_slope_t){pile, BERTH_NO_OUT, BERTH_NO_OUT}, err);
}

// Runs the rule of |node|, or the binding's.
static berth_code_t differentiate(walk_t *w, const berth_node_t *node,
                                  berth_error_t *err) {
  const berth_emitter_t *emit = &w->wish->to->emit;
  bool is_none = false, is_done = false;
  if (is_op(node, "StackPopV2")) return differentiate_pop(w, node, err);
  if (pushes_pile(w, node)) {
    berth_ebb_unpile(&w->grad);
    return w->grad.code;
  }
  berth_grad_fn_t *rule = berth_grad_rule(node->op->name, &is_none);
  bool is_other = berth_node_attr(node, "_gradient_op_type") != NULL;
  if ((rule == NULL || is_other) && emit->differentiate != NULL) {
    if (w->grad.ebb != NULL && berth_ebb_loop(w->grad.ebb, node) > 0) {
      return is_none && !is_other ? BERTH_OK : no_own_rule_inside(node, err);
    }
    BERTH_TRY(emit->differentiate(emit->arg, node->id, w->grad.slopes,
                                  w->grad.given, &is_done, err));
  }
  if (is_done || is_none) return BERTH_OK;
  if (rule == NULL || is_other) return no_rule(node, err);
  rule(&w->grad);
  if (w->grad.op != NULL) berth_op_abandon(w->grad.op);
  w->grad.op = NULL;
  return w->grad.code;
}

// Tells a slope the shape of what it is by, which it must have.
static berth_code_t set_shape(walk_t *w, const berth_node_t *node, int index,
                              berth_out_t value, berth_error_t *err) {
  berth_out_t in = node->inputs[index];
  berth_dtype_t type = berth_grad_dtype(&w->grad, in);
  if (w->wish->to->is_eager || type == BERTH_RESOURCE ||
      type == BERTH_VARIANT) {
    return BERTH_OK;
  }
  berth_dims_t wanted = berth_grad_shape(&w->grad, in);
  if (wanted.rank < 0) return BERTH_OK;
  berth_dims_t found = berth_grad_shape(&w->grad, value);
  if (berth_out_set_shape(w->graph, value, wanted, NULL) == BERTH_OK) {
    return BERTH_OK;
  }
  char one[BERTH_DIMS_TEXT], other[BERTH_DIMS_TEXT];
  return berth_error_set(
      err, BERTH_INVALID_ARGUMENT,
      "Incompatible shapes between op input and calculated input gradient. "
      "Forward operation: %s. Input index: %d. Original input shape: %s. "
      "Calculated input gradient shape: %s",
      node->name, index, berth_dims_text(wanted, one),
      berth_dims_text(found, other));
}

// Hands the slopes by inputs to those who made them.
static berth_code_t hand_on(walk_t *w, const berth_node_t *node,
                            const berth_slope_t *given, berth_error_t *err) {
  for (int i = 0; i < node->input_count; ++i) {
    berth_out_t in = node->inputs[i];
    if (!berth_out_is(given[i].values) || in.node >= w->count) continue;
    if (!berth_out_is(given[i].indices)) {
      BERTH_TRY(set_shape(w, node, i, given[i].values, err));
    }
    if ((w->marks[in.node] & IS_BETWEEN) == 0) continue;
    BERTH_TRY(put(w, in, given[i], err));
  }
  return BERTH_OK;
}

static void put_value(walk_t *w, berth_out_t out, berth_out_t value) {
  if (w->grad.code != BERTH_OK) return;
  berth_slope_t slope = {value, BERTH_NO_OUT, BERTH_NO_OUT};
  w->grad.code = put(w, out, slope, w->grad.err);
}

// Takes the turn of what goes round in |loop| and never leaves it: as if it did,
// and nothing used it.
static void leave_unseen(walk_t *w, int32_t loop) {
  for (int32_t id = 0; id < w->count; ++id) {
    const berth_node_t *node = node_at(w, id);
    berth_out_t out = {id, 0};
    if ((w->marks[id] & IS_BETWEEN) == 0 || (w->marks[id] & HAS_EXIT) != 0 ||
        !berth_is_loop_switch(w->graph, node) || !is_smooth(w, out) ||
        berth_ebb_loop(w->grad.ebb, node) != loop) {
      continue;
    }
    put_value(w, out, berth_ebb_unseen(&w->grad, out, loop));
    w->queue[w->queued++] = id;
  }
}

// True when |node| brings slopes into |loop|.
static bool leads_into(const walk_t *w, const berth_node_t *node,
                       int32_t loop) {
  int32_t piled = loop_piled(w, node);
  return loop_left(w, node) == loop ||
         (piled > 0 && berth_ebb_is_around(w->grad.ebb, loop, piled));
}

// Takes the turn of all Exits of |loop|, and of what is pushed there, when
// slopes have come to one of them.
static void leave(walk_t *w, int32_t loop) {
  bool has_slopes = false;
  for (int32_t id = 0; id < w->count; ++id) {
    has_slopes |= w->parts[id] != NULL && leads_into(w, node_at(w, id), loop);
  }
  for (int32_t id = 0; id < w->count; ++id) {
    const berth_node_t *node = node_at(w, id);
    if (loop_piled(w, node) == loop && (w->marks[id] & IS_BETWEEN) != 0) {
      w->queue[w->queued++] = id;
    }
    if (loop_left(w, node) != loop) continue;
    w->queue[w->queued++] = id;
    if (!has_slopes || w->parts[id] != NULL ||
        !is_smooth(w, (berth_out_t){id, 0})) {
      continue;
    }
    berth_ebb_go(&w->grad, berth_ebb_outer(w->grad.ebb, loop));
    put_value(w, (berth_out_t){id, 0},
              berth_ebb_zeros(&w->grad, (berth_out_t){id, 0}));
  }
  if (has_slopes) leave_unseen(w, loop);
}

// Notes that slopes have come to all that pops what |node| pushes.
static void settle_pile(walk_t *w, const berth_node_t *node) {
  int32_t inner = loop_piled(w, node), last = 0;
  // Loops around others come first.
  while (last != inner) {
    int32_t loop = inner;
    for (int32_t outer = loop; outer > 0 && outer != last;
         outer = waits_too(w, node, outer)) {
      loop = outer;
    }
    if (--*berth_ebb_pending(w->grad.ebb, loop) == 0) leave(w, loop);
    last = loop;
  }
}

// Lets who made the inputs of |node| know that one use is done.
static void release(walk_t *w, const berth_node_t *node) {
  sources_t sources = sources_of(w, node);
  for (int i = 0; i < sources.count; ++i) {
    int32_t id = sources.outs[i].node;
    if (id >= w->count || (w->marks[id] & IS_BETWEEN) == 0) continue;
    bool is_ready = --w->pending[id] == 0;
    const berth_node_t *from = node_at(w, id);
    int32_t loop = is_ready ? loop_left(w, from) : 0;
    if (loop > 0) {
      if (--*berth_ebb_pending(w->grad.ebb, loop) == 0) leave(w, loop);
    } else if (is_ready && loop_piled(w, from) > 0) {
      settle_pile(w, from);
    } else if (is_ready || (is_exit(node) && w->grad.ebb != NULL &&
                            berth_is_loop_switch(w->graph, from))) {
      w->queue[w->queued++] = id;  // A Switch of a loop comes twice.
    }
  }
}

// Makes slopes by what is outside of the branch that |node| is in be there
// whether that is taken or not.
static berth_code_t leave_branches(walk_t *w, const berth_node_t *node,
                                   berth_slope_t *given) {
  for (int i = 0; w->grad.ebb != NULL && i < node->input_count; ++i) {
    int32_t in = node->inputs[i].node;
    bool is_asked = in < w->count && (w->marks[in] & IS_BETWEEN) != 0;
    if (!is_asked || !berth_out_is(given[i].values)) continue;
    berth_ebb_leave_branches(&w->grad, i, &given[i]);
  }
  return w->grad.code;
}

static berth_code_t visit_rule(walk_t *w, const berth_node_t *node,
                               berth_slope_t *slopes, berth_error_t *err) {
  size_t inputs = (size_t)node->input_count;
  berth_slope_t *given =
      berth_arena_calloc(&w->arena, inputs + 1, sizeof(*given));
  bool *unasked = berth_arena_calloc(&w->arena, inputs + 1, sizeof(*unasked));
  berth_str_t name = {0};
  berth_str_printf(&name, "%s_grad", node->name);
  if (given == NULL || unasked == NULL || !berth_str_ok(&name)) {
    berth_str_clear(&name);
    return no_memory(err);
  }
  for (size_t i = 0; i < inputs; ++i) {
    given[i] = BERTH_NO_SLOPE;
    int32_t id = node->inputs[i].node;
    unasked[i] = id >= w->count || (w->marks[id] & IS_BETWEEN) == 0;
  }
  w->grad.node = node;
  w->grad.slopes = slopes;
  w->grad.given = given;
  w->grad.is_unasked = w->wish->to->is_eager ? unasked : NULL;
  berth_code_t code = push(w, berth_str_get(&name), BERTH_NO_NODE, false, err);
  berth_str_clear(&name);
  if (code != BERTH_OK) return code;
  code = push(w, NULL, w->how->is_colocated ? node->id : BERTH_NO_NODE, false,
              err);
  if (code == BERTH_OK) {
    code = differentiate(w, node, err);
    if (code == BERTH_OK) code = leave_branches(w, node, given);
    pop(w);
  }
  if (code == BERTH_OK && w->how->is_gated) {
    berth_grad_gate(&w->grad, given, node->input_count);
    code = w->grad.code;
  }
  pop(w);
  return code != BERTH_OK ? code : hand_on(w, node, given, err);
}

// Hands the slopes by the outputs of a node on to what it is unfolded to.
static berth_code_t visit_unfolded(walk_t *w, const berth_node_t *node,
                                   const berth_slope_t *slopes,
                                   berth_error_t *err) {
  sources_t sources = sources_of(w, node);
  for (int32_t i = 0; i < sources.count; ++i) {
    bool is_asked = (w->marks[sources.outs[i].node] & IS_BETWEEN) != 0;
    if (!is_asked || !berth_out_is(slopes[i].values)) continue;
    BERTH_TRY(put(w, sources.outs[i], slopes[i], err));
  }
  return BERTH_OK;
}

// Takes the turn of one node.
static berth_code_t visit(walk_t *w, const berth_node_t *node,
                          berth_error_t *err) {
  berth_slope_t *slopes = berth_arena_calloc(
      &w->arena, (size_t)node->output_count + 1, sizeof(*slopes));
  bool *filled = berth_arena_calloc(&w->arena, (size_t)node->output_count + 1,
                                    sizeof(*filled));
  if (slopes == NULL || filled == NULL) return no_memory(err);
  bool has_slopes = false;
  w->grad.node = node;
  int32_t loop = w->grad.ebb == NULL ? 0 : berth_ebb_loop(w->grad.ebb, node);
  berth_ebb_go(&w->grad,
               is_exit(node) ? berth_ebb_outer(w->grad.ebb, loop) : loop);
  for (int i = 0; i < node->output_count; ++i) {
    slopes[i] = settle(w, node->id, i);
    has_slopes |= berth_out_is(slopes[i].values);
  }
  if (w->grad.code != BERTH_OK) return w->grad.code;
  bool goes_on = has_slopes && (w->marks[node->id] & IS_STOP) == 0;
  if (goes_on && is_unfolded(w, node)) {
    BERTH_TRY(visit_unfolded(w, node, slopes, err));
  } else if (goes_on) {
    berth_ebb_go(&w->grad, loop);
    fill_zeros(w, node, slopes, filled);
    w->grad.is_filled = filled;
    BERTH_TRY(visit_rule(w, node, slopes, err));
  }
  berth_ebb_go(&w->grad, 0);
  release(w, node);
  return w->grad.code;
}

// ---- The walk ----

// Returns the slope of |y| by itself: ones.
static berth_slope_t ones(walk_t *w, int index) {
  berth_grad_t *g = &w->grad;
  berth_out_t y = w->wish->ys[index];
  berth_dtype_t type = berth_grad_dtype(g, y);
  if (g->to->is_eager) {
    return (berth_slope_t){berth_grad_op(g, "OnesLike", NULL, &y, 1),
                           BERTH_NO_OUT, BERTH_NO_OUT};
  }
  char name[32];
  snprintf(name, sizeof(name), "grad_ys_%d", index);
  berth_dims_t dims = berth_grad_shape(g, y);
  bool is_known = dims.rank >= 0;
  for (int i = 0; i < dims.rank; ++i) is_known &= dims.dims[i] >= 0;
  berth_out_t sizes =
      is_known ? berth_grad_ints(g, "Shape", BERTH_INT32, dims.dims, dims.rank)
               : berth_grad_op(g, "Shape", NULL, &y, 1);
  berth_grad_push(g, name);
  berth_out_t one = berth_grad_number(g, "Const", type, 1);
  berth_out_t filled = berth_grad_op(g, "Fill", BERTH_SCOPE_NAME,
                                     (berth_out_t[]){sizes, one}, 2);
  berth_grad_pop(g);
  return (berth_slope_t){filled, BERTH_NO_OUT, BERTH_NO_OUT};
}

// Returns |value|, part of the slope by a y, under a name of the walk's.
static berth_out_t own_name(walk_t *w, int index, const char *part,
                            berth_out_t value) {
  if (w->grad.to->is_eager || !berth_out_is(value)) return value;
  char name[48];
  snprintf(name, sizeof(name), "grad_ys_%d%s", index, part);
  return berth_grad_op(&w->grad, "Identity", name, &value, 1);
}

// Returns the slope by a y that the walk begins with.
static berth_slope_t first_slope(walk_t *w, int index) {
  const berth_slope_t *dys = w->how->dys;
  if (dys == NULL || !berth_out_is(dys[index].values)) return ones(w, index);
  berth_slope_t slope = dys[index];
  bool is_rows = berth_out_is(slope.indices);
  slope.indices = own_name(w, index, "_indices", slope.indices);
  slope.values = own_name(w, index, is_rows ? "_values" : "", slope.values);
  slope.dense_shape = own_name(w, index, "_shape", slope.dense_shape);
  return slope;
}

// Takes the turn of Exits of loops that nothing has to come to first.
static void leave_at_once(walk_t *w) {
  for (int32_t id = 0; w->grad.ebb != NULL && id < w->count; ++id) {
    int32_t loop = loop_left(w, node_at(w, id));
    if (loop == 0 || !w->is_left[loop]) continue;
    if (*berth_ebb_pending(w->grad.ebb, loop) > 0) continue;
    w->is_left[loop] = false;
    leave(w, loop);
  }
}

static berth_code_t begin(walk_t *w, berth_error_t *err) {
  for (int i = 0; i < w->wish->y_count; ++i) {
    berth_out_t y = w->wish->ys[i];
    berth_node_id_t beside = w->how->is_colocated ? y.node : BERTH_NO_NODE;
    BERTH_TRY(push(w, NULL, beside, false, err));
    berth_slope_t slope = first_slope(w, i);
    pop(w);
    if (w->grad.code != BERTH_OK) return w->grad.code;
    BERTH_TRY(put(w, y, slope, err));
  }
  for (int i = 0; i < w->wish->y_count; ++i) {
    int32_t id = w->wish->ys[i].node;
    bool is_twice = false;
    for (int j = 0; j < i; ++j) is_twice |= w->wish->ys[j].node == id;
    if ((w->marks[id] & IS_BETWEEN) != 0 && w->pending[id] == 0 && !is_twice &&
        loop_left(w, node_at(w, id)) == 0) {
      w->queue[w->queued++] = id;
    }
  }
  leave_at_once(w);
  return w->grad.code;
}

static berth_code_t walk(walk_t *w, berth_slope_t *out_slopes,
                         berth_error_t *err) {
  BERTH_TRY(begin(w, err));
  while (w->done < w->queued) {
    BERTH_TRY(visit(w, node_at(w, w->queue[w->done++]), err));
  }
  berth_ebb_finish(&w->grad);
  if (w->grad.code != BERTH_OK) return w->grad.code;
  for (int i = 0; i < w->wish->x_count; ++i) {
    berth_out_t x = w->wish->xs[i];
    bool is_between = (w->marks[x.node] & IS_BETWEEN) != 0;
    out_slopes[i] = is_between ? settle(w, x.node, x.index) : BERTH_NO_SLOPE;
    if (w->grad.code != BERTH_OK) return w->grad.code;
  }
  return BERTH_OK;
}

// Finds out which nodes are gone through.
static berth_code_t mark(walk_t *w, berth_error_t *err) {
  if (!w->wish->to->is_eager && w->wish->y_count > 0) {
    BERTH_TRY(berth_ebb_create(&w->grad, w->count, w->wish->ys[0], &w->grad.ebb,
                               err));
  }
  if (w->grad.ebb != NULL) {
    w->is_left = berth_arena_calloc(&w->arena, (size_t)w->count + 1, 1);
    if (w->is_left == NULL) return no_memory(err);
    mark_exits(w);
  }
  mark_stops(w);
  return BERTH_OK;
}

// ---- What it works with ----

static void arrays_free(walk_t *w) {
  berth_free(w->marks);
  berth_free(w->pending);
  berth_free(w->parts);
  berth_free(w->queue);
  berth_free(w->unfolded);
  berth_free(w->piles);
}

// Notes what nodes are unfolded to.
static bool unfolded_fill(walk_t *w) {
  berth_graph_lock(w->graph);
  size_t count = w->graph->unfolding_count;
  if (count > 0) {
    w->unfolded = berth_calloc((size_t)w->count + 1, sizeof(*w->unfolded));
  }
  for (size_t i = 0; w->unfolded != NULL && i < count; ++i) {
    const berth_unfolding_t *unfolding = &w->graph->unfoldings[i];
    w->unfolded[unfolding->node] = unfolding->outs;
  }
  berth_graph_unlock(w->graph);
  return count == 0 || w->unfolded != NULL;
}

// Notes that |id| pushes on a stack, or pops from it; more than one do not
// count.
static void pile_note(berth_out_t *at, int32_t id) {
  at->node = at->node == BERTH_NO_NODE ? id : SEVERAL;
}

// Joins what pushes on a stack with what pops from it, where these are two.
static void piles_join(walk_t *w) {
  for (int32_t id = 0; id < w->count; ++id) {
    if (is_op(node_at(w, id), "StackPushV2")) {
      pile_note(&w->piles[stack_of(w, node_at(w, id))], id);
    }
  }
  for (int32_t id = 0; id < w->count; ++id) {
    if (!is_op(node_at(w, id), "StackPopV2")) continue;
    int32_t push = w->piles[stack_of(w, node_at(w, id))].node;
    if (push < 0) continue;
    pile_note(&w->piles[push], id);
    w->piles[id].node = push;
  }
}

// Notes what is popped, and from where.
static bool piles_fill(walk_t *w) {
  bool has_pops = false;
  for (int32_t id = 0; id < w->count && !has_pops; ++id) {
    has_pops = is_op(node_at(w, id), "StackPopV2");
  }
  w->piles = NULL;
  if (!has_pops) return true;
  w->piles = berth_calloc((size_t)w->count + 1, sizeof(*w->piles));
  if (w->piles == NULL) return false;
  for (int32_t id = 0; id < w->count; ++id) w->piles[id] = BERTH_NO_OUT;
  piles_join(w);
  return true;
}

static berth_code_t arrays_make(walk_t *w, berth_error_t *err) {
  w->count = berth_graph_node_count(w->graph);
  size_t n = (size_t)w->count;
  w->unfolded = NULL;
  w->marks = berth_calloc(n + 1, sizeof(*w->marks));
  w->pending = berth_calloc(n + 1, sizeof(*w->pending));
  w->parts = berth_calloc(n + 1, sizeof(*w->parts));
  // A Switch of a loop has two turns.
  w->queue = berth_calloc(2 * n + 1, sizeof(*w->queue));
  bool is_made = w->marks != NULL && w->pending != NULL && w->parts != NULL &&
                 w->queue != NULL && unfolded_fill(w) && piles_fill(w);
  return is_made ? BERTH_OK : no_memory(err);
}

// True when a program says itself what the gradient of |node| is.
static bool has_own_rule(const berth_node_t *node) {
  return berth_node_attr(node, "_gradient_op_type") != NULL;
}

// Unfolds the nodes between that functions run, and says whether there were any
// that were not.
static berth_code_t unfold(walk_t *w, bool *out_is_changed,
                           berth_error_t *err) {
  *out_is_changed = false;
  if (w->wish->to->is_eager || w->graph->functions == NULL) return BERTH_OK;
  for (int32_t id = 0; id < w->count; ++id) {
    const berth_node_t *node = node_at(w, id);
    if ((w->marks[id] & IS_BETWEEN) == 0 || is_unfolded(w, node) ||
        has_own_rule(node)) {
      continue;
    }
    BERTH_TRY(berth_lower_unfold(w->graph, id, err));
  }
  *out_is_changed = berth_graph_node_count(w->graph) > w->count;
  return BERTH_OK;
}

// Marks the nodes between, with what functions do.
static berth_code_t prepare(walk_t *w, berth_error_t *err) {
  bool is_changed = true;
  while (is_changed) {
    arrays_free(w);
    BERTH_TRY(arrays_make(w, err));
    mark_reached(w);
    mark_between(w);
    BERTH_TRY(unfold(w, &is_changed, err));
  }
  return BERTH_OK;
}

berth_code_t berth_walk(const berth_walk_wish_t *wish,
                        berth_slope_t *out_slopes, berth_error_t *err) {
  walk_t w = {.wish = wish, .how = wish->how, .graph = wish->graph};
  w.grad = (berth_grad_t){
      .to = wish->to, .graph = wish->graph, .arena = &w.arena, .err = err};
  berth_code_t code = prepare(&w, err);
  if (code == BERTH_OK) code = mark(&w, err);
  if (code == BERTH_OK) code = walk(&w, out_slopes, err);
  berth_ebb_destroy(w.grad.ebb);
  arrays_free(&w);
  berth_arena_clear(&w.arena);
  return code;
}
