// prune.c - Which nodes a run needs.
#include "exec/prune.h"

#include "base/alloc.h"

// Nodes still to be looked at.
typedef struct stack {
  int32_t *nodes;
  size_t count, capacity;
} stack_t;

// Marks |node| as needed, |for_order| alone or for its outputs as well.
static berth_code_t push(stack_t *stack, berth_prune_t *prune, int32_t node,
                         bool for_order, berth_error_t *err) {
  if (prune->needed[node] && (for_order || !prune->for_order[node])) {
    return BERTH_OK;
  }
  int32_t *nodes =
      berth_grow(stack->nodes, stack->count, &stack->capacity, sizeof(*nodes));
  if (nodes == NULL) return berth_error_no_memory(err, "pruning");
  stack->nodes = nodes;
  stack->nodes[stack->count++] = node;
  prune->needed[node] = 1;
  prune->for_order[node] = for_order;
  return BERTH_OK;
}

// Appends the name TensorFlow gives |out|: "x:0".
static void print_out(const berth_graph_t *graph, berth_out_t out,
                      berth_str_t *str) {
  berth_str_printf(str, "%s:%d", berth_graph_get(graph, out.node)->name,
                   out.index);
}

// Fails with |format| applied to the name of |out|.
static berth_code_t out_error(const berth_graph_t *graph, berth_out_t out,
                              const char *before, const char *after,
                              berth_error_t *err) {
  berth_str_t name = {0};
  print_out(graph, out, &name);
  berth_code_t code = berth_error_set(err, BERTH_INVALID_ARGUMENT, "%s%s%s",
                                      before, berth_str_get(&name), after);
  berth_str_clear(&name);
  return code;
}

// Checks that |out| exists.
static berth_code_t out_check(const berth_graph_t *graph, berth_out_t out,
                              int node_count, const char *what,
                              berth_error_t *err) {
  if (out.node < 0 || out.node >= node_count) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "%s node %d is not in the graph", what, out.node);
  }
  const berth_node_t *node = berth_graph_get(graph, out.node);
  if (out.index < 0 || out.index >= node->output_count) {
    return berth_error_set(err, BERTH_OUT_OF_RANGE,
                           "Node '%s' (type: '%s', num of outputs: %d) does "
                           "not have output %d",
                           node->name, node->op->name, node->output_count,
                           out.index);
  }
  return BERTH_OK;
}

static berth_code_t feeds_init(berth_prune_t *prune, const berth_graph_t *graph,
                               berth_error_t *err) {
  const berth_signature_t *signature = prune->signature;
  for (int i = 0; i < signature->feed_count; ++i) {
    berth_out_t out = signature->feeds[i];
    BERTH_TRY(out_check(graph, out, prune->node_count, "Fed", err));
    if (berth_prune_feed_of(prune, out) >= 0) {
      return out_error(graph, out, "Endpoint \"", "\" fed more than once.",
                       err);
    }
    prune->next_feed[i] = prune->feed_of[out.node];
    prune->feed_of[out.node] = i;
  }
  return BERTH_OK;
}

static berth_code_t roots_push(berth_prune_t *prune, const berth_graph_t *graph,
                               stack_t *stack, berth_error_t *err) {
  const berth_signature_t *signature = prune->signature;
  for (int i = 0; i < signature->fetch_count; ++i) {
    berth_out_t out = signature->fetches[i];
    BERTH_TRY(out_check(graph, out, prune->node_count, "Fetched", err));
    if (berth_prune_feed_of(prune, out) >= 0) {
      return out_error(graph, out, "", " is both fed and fetched.", err);
    }
    BERTH_TRY(push(stack, prune, out.node, false, err));
  }
  for (int i = 0; i < signature->target_count; ++i) {
    int32_t node = signature->targets[i];
    if (node < 0 || node >= prune->node_count) {
      return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                             "Target node %d is not in the graph", node);
    }
    BERTH_TRY(push(stack, prune, node, false, err));
  }
  return BERTH_OK;
}

// A fed placeholder need not run for those that wait for it.
static bool is_fed_placeholder(const berth_prune_t *prune,
                               const berth_node_t *node) {
  return prune->feed_of[node->id] >= 0 && node->input_count == 0 &&
         (node->op->traits & BERTH_OP_FED) != 0;
}

// True when |node| reads what may be dead: who waits for it would not notice.
static bool reads_flow(const berth_graph_t *graph, const berth_node_t *node) {
  for (int i = 0; i < node->input_count; ++i) {
    const berth_node_t *made = berth_graph_get(graph, node->inputs[i].node);
    if (made->op->flow != BERTH_FLOW_RUN) return true;
  }
  return false;
}

// True for what does nothing but make outputs, whatever its inputs hold.
static bool is_quiet(const berth_graph_t *graph, const berth_node_t *node) {
  const berth_op_schema_t *op = node->op;
  enum {
    LOUD = BERTH_OP_IMPURE | BERTH_OP_BLOCKS | BERTH_OP_UPDATES | BERTH_OP_FED |
           BERTH_OP_CHECKS
  };
  return !op->is_stateful && op->flow == BERTH_FLOW_RUN &&
         op->owns == BERTH_OWNS_NOTHING && (op->traits & LOUD) == 0 &&
         node->output_count > 0 && !reads_flow(graph, node);
}

// Pushes |before|, for which |node| waits: by reading it, or not.
static berth_code_t before_push(berth_prune_t *prune,
                                const berth_graph_t *graph, stack_t *stack,
                                int32_t before, bool is_read,
                                berth_error_t *err) {
  bool for_order = !is_read && prune->skips &&
                   is_quiet(graph, berth_graph_get(graph, before));
  return push(stack, prune, before, for_order, err);
}

// Pushes what |node| needs.
static berth_code_t node_visit(berth_prune_t *prune, const berth_graph_t *graph,
                               stack_t *stack, const berth_node_t *node,
                               berth_error_t *err) {
  bool is_read = !prune->for_order[node->id];
  for (int i = 0; i < node->input_count; ++i) {
    if (berth_prune_feed_of(prune, node->inputs[i]) >= 0) continue;
    BERTH_TRY(
        before_push(prune, graph, stack, node->inputs[i].node, is_read, err));
  }
  for (int i = 0; i < node->control_count; ++i) {
    const berth_node_t *before = berth_graph_get(graph, node->controls[i]);
    if (is_fed_placeholder(prune, before)) continue;
    BERTH_TRY(before_push(prune, graph, stack, before->id, false, err));
  }
  return BERTH_OK;
}

berth_code_t berth_prune_init(berth_prune_t *prune, const berth_graph_t *graph,
                              const berth_signature_t *signature,
                              int node_count, bool skips, berth_error_t *err) {
  size_t count = (size_t)node_count + 1;
  *prune = (berth_prune_t){
      .signature = signature, .node_count = node_count, .skips = skips};
  prune->needed = berth_calloc(count, 1);
  prune->for_order = berth_calloc(count, 1);
  prune->feed_of = berth_alloc(count * sizeof(*prune->feed_of));
  prune->next_feed = berth_alloc(((size_t)signature->feed_count + 1) *
                                 sizeof(*prune->next_feed));
  if (prune->needed == NULL || prune->for_order == NULL ||
      prune->feed_of == NULL || prune->next_feed == NULL) {
    return berth_error_no_memory(err, "pruning");
  }
  memset(prune->feed_of, 0xff, count * sizeof(*prune->feed_of));
  if (signature->fetch_count == 0 && signature->target_count == 0) {
    return berth_error_set(
        err, BERTH_INVALID_ARGUMENT,
        "Must specify at least one target to fetch or execute.");
  }
  BERTH_TRY(feeds_init(prune, graph, err));
  stack_t stack = {0};
  berth_code_t code = roots_push(prune, graph, &stack, err);
  while (code == BERTH_OK && stack.count > 0) {
    const berth_node_t *node =
        berth_graph_get(graph, stack.nodes[--stack.count]);
    code = node_visit(prune, graph, &stack, node, err);
  }
  berth_free(stack.nodes);
  return code;
}

void berth_prune_deinit(berth_prune_t *prune) {
  berth_free(prune->needed);
  berth_free(prune->for_order);
  berth_free(prune->feed_of);
  berth_free(prune->next_feed);
  *prune = (berth_prune_t){0};
}
