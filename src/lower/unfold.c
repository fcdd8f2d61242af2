// unfold.c - What a call does, in the graph of the call itself.
#include "base/alloc.h"
#include "graph/unfolding.h"
#include "lower/lower_internal.h"

typedef struct unfolder {
  berth_lowering_t lowering;  // From the graph to itself.
  const berth_node_t *node;
  berth_node_spec_t spec;
  int32_t first;  // The first node that was made.
} unfolder_t;

static berth_code_t no_memory(berth_error_t *err) {
  return berth_error_no_memory(err, "an unfolding");
}

// True when the functions that the node names are there.
static bool has_functions(const unfolder_t *u) {
  for (int32_t i = 0; i < u->node->attr_count; ++i) {
    const berth_attr_value_t *value = &u->node->attrs[i].value;
    bool is_list = (int)value->kind == BERTH_ATTR_LIST + BERTH_ATTR_FUNC;
    int32_t count = is_list ? value->count : value->kind == BERTH_ATTR_FUNC;
    const berth_attr_func_t *functions =
        is_list ? value->func_list : value->func;
    for (int32_t k = 0; k < count; ++k) {
      if (berth_functions_find(u->lowering.from, functions[k].name) == NULL) {
        return false;
      }
    }
  }
  return true;
}

// Checks that |lowered| gives what the node does.
static berth_code_t results_check(const unfolder_t *u,
                                  const berth_lowered_t *lowered,
                                  berth_error_t *err) {
  bool is_right = lowered->out_count == u->node->output_count;
  for (int32_t i = 0; is_right && i < lowered->out_count; ++i) {
    is_right = berth_lower_type(&u->lowering, lowered->outs[i]) ==
               u->node->output_types[i];
  }
  if (is_right) return BERTH_OK;
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "Node %s (%s) has other results than its function",
                         u->node->name, u->node->op->name);
}

static berth_code_t unfold(unfolder_t *u, berth_error_t *err) {
  berth_lowering_t *l = &u->lowering;
  if (berth_unfolding_around(l->to, u->node->id) != NULL) {
    return berth_error_set(err, BERTH_UNIMPLEMENTED,
                           "No gradient goes through %s (%s): its function "
                           "calls itself",
                           u->node->name, u->node->op->name);
  }
  int32_t begin = -1;
  berth_lowered_t lowered;
  BERTH_TRY(berth_lower_flow(l, &u->spec, -1, &begin, &lowered, err));
  BERTH_TRY(results_check(u, &lowered, err));
  berth_unfolding_t made = {.node = u->node->id,
                            .first = u->first,
                            .count = berth_graph_node_count(l->to) - u->first,
                            .outs = lowered.outs};
  return berth_unfolding_add(l->to, &made) ? BERTH_OK : no_memory(err);
}

berth_code_t berth_lower_unfold(berth_graph_t *graph, int32_t id,
                                berth_error_t *err) {
  const berth_node_t *node = berth_graph_get(graph, id);
  unfolder_t u = {
      .lowering = {.from = graph, .to = graph, .is_unfolding = true},
      .node = node,
      .spec = {.op = node->op->name,
               .name = node->name,
               .device = node->device,
               .inputs = node->inputs,
               .input_count = node->input_count,
               .controls = node->controls,
               .control_count = node->control_count,
               .attrs = node->attrs,
               .attr_count = node->attr_count},
      .first = berth_graph_node_count(graph)};
  if (!berth_lower_is_flow(graph, id)) return BERTH_OK;
  berth_graph_lock(graph);
  berth_code_t code = BERTH_OK;
  if (has_functions(&u) && berth_unfolding_find(graph, id) == NULL) {
    code = unfold(&u, err);
    if (code != BERTH_OK) berth_graph_truncate(graph, u.first);
  }
  berth_graph_unlock(graph);
  berth_lower_callees_drop(&u.lowering, 0);
  berth_free(u.lowering.callees);
  berth_arena_clear(&u.lowering.arena);
  return code;
}
