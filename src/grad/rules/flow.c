// flow.c - Branches and loops: Switch, Merge, Enter, Exit.
#include <string.h>

#include "base/alloc.h"
#include "grad/ebb_internal.h"
#include "grad/rules/words.inc"

// ---- Branches ----

// Returns zeros for the side |side| of a Switch that nothing comes back from,
// there only when that side was taken.
static value_t other_side(berth_grad_t *g, int side, berth_dtype_t type) {
  value_t data = g->node->inputs[0], pred = g->node->inputs[1];
  if (g->ebb->here > 0) {
    value_t zeros = berth_ebb_fill(g, data, type);
    return berth_out_at(OP(g, "Switch", NULL, zeros, pred), side);
  }
  value_t there = berth_out_at(OP(g, "Switch", NULL, data, pred), side);
  value_t pivot = identity(g, there);
  bool is_handle = berth_grad_dtype(g, data) == BERTH_RESOURCE;
  value_t sizes = OP(g, is_handle ? "VariableShape" : "Shape", NULL, there);
  berth_grad_push(g, "zeros");
  value_t zero = berth_grad_number(g, "Const", type, 0);
  berth_grad_begin(g, "Fill", BERTH_SCOPE_NAME);
  if (g->code == BERTH_OK) berth_op_control(g->op, pivot.node);
  value_t made = MAKE(g, sizes, zero);
  berth_grad_pop(g);
  return made;
}

static void switch_branch(berth_grad_t *g) {
  value_t sides[2];
  for (int i = 0; i < 2; ++i) sides[i] = dy(g, i);
  if (!berth_out_is(sides[0]) && !berth_out_is(sides[1])) return;
  for (int i = 0; i < 2; ++i) {
    if (berth_out_is(sides[i])) continue;
    if (berth_grad_dtype(g, g->node->inputs[0]) == BERTH_VARIANT) {
      value_t there = berth_out_at(
          OP(g, "Switch", NULL, g->node->inputs[0], g->node->inputs[1]), i);
      sides[i] = OP(g, "ZerosLike", "zeros_like", there);
    } else {
      sides[i] = other_side(g, i, berth_grad_dtype(g, sides[1 - i]));
    }
  }
  berth_grad_begin(g, "Merge", "cond_grad");
  give(g, 0, berth_grad_make_lists(g, sides, (int[]){2}, 1));
}

// Returns |slope| as it is in the branch |context|, inside of |outside|.
static value_t into_branch(berth_grad_t *g, value_t slope, int32_t context,
                           int32_t outside) {
  const berth_contexts_t *contexts = &g->ebb->contexts;
  if (context <= 0 || context == outside || contexts->rows[context].is_loop) {
    return slope;
  }
  berth_context_row_t row = contexts->rows[context];
  slope = into_branch(g, slope, row.parent, outside);
  value_t made = OP(g, "Switch", "cond_grad", slope, row.pred);
  return berth_out_at(made, row.branch);
}

static void merge_branches(berth_grad_t *g) {
  const berth_contexts_t *contexts = &g->ebb->contexts;
  value_t d = dy(g, 0);
  int32_t outside = contexts->by_node[g->node->id];
  int32_t last = -1;
  value_t made = NONE;
  for (int i = 0; i < g->node->input_count; ++i) {
    int32_t at = berth_context_of(contexts, g->node->inputs[i]);
    berth_context_row_t row = contexts->rows[at];
    bool is_other = last > 0 && row.parent == contexts->rows[last].parent &&
                    row.pred.node == contexts->rows[last].pred.node &&
                    row.pred.index == contexts->rows[last].pred.index;
    // Both sides come from one Switch.
    made = is_other ? berth_out_at(made, row.branch)
                    : into_branch(g, d, at, outside);
    give(g, i, made);
    last = at > 0 && !row.is_loop ? at : -1;
  }
}

// ---- Loops ----

static berth_ebb_turn_t *turn_find(berth_ebb_loop_t *loop, int32_t node) {
  for (int32_t i = 0; i < loop->turn_count; ++i) {
    if (loop->turns[i].node == node) return &loop->turns[i];
  }
  return NULL;
}

static void turn_add(berth_grad_t *g, berth_ebb_loop_t *loop,
                     berth_ebb_turn_t turn) {
  if (loop->turn_count == loop->turn_capacity) {
    int32_t capacity = 2 * loop->turn_capacity + 8;
    berth_ebb_turn_t *turns =
        berth_realloc(loop->turns, (size_t)capacity, sizeof(*turns));
    if (turns == NULL) {
      berth_grad_fail(g, BERTH_RESOURCE_EXHAUSTED, "no memory for gradients");
      return;
    }
    loop->turns = turns;
    loop->turn_capacity = capacity;
  }
  loop->turns[loop->turn_count++] = turn;
}

// A Switch of a loop is come to twice: from the Exit, and from the body.
static void switch_loop(berth_grad_t *g, int32_t at) {
  berth_ebb_loop_t *loop = &g->ebb->loops[at];
  berth_ebb_turn_t *turn = turn_find(loop, g->node->id);
  if (turn != NULL) {
    value_t d = dy(g, 1);
    if (!berth_out_is(d) || turn->is_closed) return;
    turn->is_closed = true;
    berth_ebb_close(g, turn->merge, d, -1);
    return;
  }
  value_t d = dy(g, 0);
  if (!berth_out_is(d)) return;
  berth_grad_begin(g, "Merge", "b_switch");
  value_t merge = berth_grad_make_lists(g, (value_t[]){d, d}, (int[]){2}, 1);
  if (g->code != BERTH_OK) return;
  turn_add(g, loop,
           (berth_ebb_turn_t){
               .node = g->node->id,
               .merge = merge,
               .outside = berth_graph_get(g->graph, d.node)->inputs[0]});
  give(g, 0, merge);
}

static void merge_loop(berth_grad_t *g, int32_t at) {
  value_t made = OP(g, "Switch", NULL, dy(g, 0), g->ebb->loops[at].pivot);
  for (int i = 0; i < g->node->input_count; ++i) {
    const berth_node_t *from =
        berth_graph_get(g->graph, g->node->inputs[i].node);
    give(g, i, berth_out_at(made, from->op->flow == BERTH_FLOW_NEXT));
  }
}

// Sums the slope of a constant of a loop over all turns.
static value_t sum_turns(berth_grad_t *g, value_t d, int32_t at) {
  berth_ebb_t *ebb = g->ebb;
  berth_ebb_loop_t *loop = &ebb->loops[at];
  int64_t parallel = ebb->contexts.rows[at].parallel;
  ebb->here = berth_ebb_outer(ebb, at);
  value_t start = berth_grad_dtype(g, d) == BERTH_VARIANT
                      ? berth_ebb_zeros(g, g->node->inputs[0])
                      : NONE;
  if (!berth_out_is(start)) {
    berth_dims_t dims = berth_grad_shape(g, d);
    bool is_known = dims.rank >= 0;
    for (int i = 0; i < dims.rank; ++i) is_known &= dims.dims[i] >= 0;
    start = berth_ebb_fill(g, is_known ? d : g->node->inputs[0],
                           berth_grad_dtype(g, d));
  }
  value_t inside =
      berth_ebb_enter_into(g, "b_acc", start, loop->frame, parallel, false);
  if (g->code != BERTH_OK || !berth_ebb_home(ebb, inside.node, at)) {
    return NONE;
  }
  ebb->here = at;
  berth_grad_begin(g, "Merge", "b_acc");
  value_t merge =
      berth_grad_make_lists(g, (value_t[]){inside, inside}, (int[]){2}, 1);
  value_t sides = OP(g, "Switch", NULL, merge, loop->pivot);
  value_t sum;
  if (berth_grad_dtype(g, d) == BERTH_VARIANT) {
    berth_grad_begin(g, "AddN", "Add");
    value_t both[] = {berth_out_at(sides, 1), d};
    sum = berth_grad_make_lists(g, both, (int[]){2}, 1);
  } else {
    sum = OP(g, "AddV2", "Add", berth_out_at(sides, 1), d);
  }
  berth_ebb_close(g, merge, sum, -1);
  return OP(g, "Exit", "b_acc", sides);
}

static void refuse_start(berth_grad_t *g) {
  berth_grad_fail(
      g, BERTH_INVALID_ARGUMENT,
      "Cannot compute gradient inside while loop with respect to op '%s'. We "
      "do not support taking the gradient wrt or through the initial value of "
      "a loop variable. Gradients can be computed through loop invariants or "
      "wrt the input parameters to the loop body.",
      berth_graph_get(g->graph, g->node->inputs[0].node)->name);
}

// ---- The rules ----

static bool has_flow(berth_grad_t *g) {
  if (g->ebb != NULL) return true;
  berth_grad_fail(g, BERTH_UNIMPLEMENTED, "%s is differentiated in graphs only",
                  g->node->op->name);
  return false;
}

BERTH_GRAD(switch) {
  if (!has_flow(g)) return;
  if (!berth_is_loop_switch(g->graph, g->node)) {
    switch_branch(g);
    return;
  }
  int32_t loop = berth_ebb_loop(g->ebb, g->node);
  if (loop > 0) {
    switch_loop(g, loop);
  } else {
    refuse_start(g);
  }
}

BERTH_GRAD(merge) {
  if (!has_flow(g)) return;
  if (!berth_is_loop_merge(g->graph, g->node)) {
    merge_branches(g);
    return;
  }
  int32_t loop = berth_ebb_loop(g->ebb, g->node);
  if (loop > 0) {
    merge_loop(g, loop);
  } else {
    refuse_start(g);
  }
}

BERTH_GRAD(enter) {
  if (!has_flow(g)) return;
  berth_ebb_t *ebb = g->ebb;
  int32_t loop = berth_ebb_loop(ebb, g->node);
  if (loop == 0) {  // Slopes are asked for inside.
    g->given[0] = g->slopes[0];
    return;
  }
  value_t d = dy(g, 0);
  value_t made = berth_node_attr_bool(g->node, "is_constant", false)
                     ? sum_turns(g, d, loop)
                     : OP(g, "Exit", NULL, d);
  if (g->code != BERTH_OK) return;
  if (!berth_ebb_home(ebb, made.node, berth_ebb_outer(ebb, loop))) {
    berth_grad_fail(g, BERTH_RESOURCE_EXHAUSTED, "no memory for gradients");
  }
  give(g, 0, made);
}

BERTH_GRAD(exit) {
  if (!has_flow(g)) return;
  berth_ebb_t *ebb = g->ebb;
  int32_t loop = berth_ebb_loop(ebb, g->node);
  if (loop == 0) {
    g->given[0] = g->slopes[0];
    return;
  }
  ebb->here = berth_ebb_outer(ebb, loop);
  value_t d = dy(g, 0);
  value_t made = berth_ebb_enter_into(g, "b_exit", d, ebb->loops[loop].frame,
                                      ebb->contexts.rows[loop].parallel, false);
  ebb->here = loop;
  if (g->code != BERTH_OK) return;
  if (!berth_ebb_home(ebb, made.node, loop)) {
    berth_grad_fail(g, BERTH_RESOURCE_EXHAUSTED, "no memory for gradients");
  }
  give(g, 0, made);
}
