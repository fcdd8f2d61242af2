// context.c - Which branch or loop each node is in.
#include "grad/context.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"

bool berth_is_loop_switch(const berth_graph_t *graph,
                          const berth_node_t *node) {
  if (node->op->flow != BERTH_FLOW_SWITCH || node->input_count < 2) {
    return false;
  }
  const berth_node_t *pred = berth_graph_get(graph, node->inputs[1].node);
  return pred->op->flow == BERTH_FLOW_LOOP_COND;
}

bool berth_is_loop_merge(const berth_graph_t *graph, const berth_node_t *node) {
  if (node->op->flow != BERTH_FLOW_MERGE) return false;
  for (int32_t i = 0; i < node->input_count; ++i) {
    berth_flow_kind_t kind =
        (berth_flow_kind_t)berth_graph_get(graph, node->inputs[i].node)
            ->op->flow;
    if (kind == BERTH_FLOW_ENTER || kind == BERTH_FLOW_NEXT) return true;
  }
  return false;
}

int32_t berth_context_loop(const berth_contexts_t *contexts, int32_t context) {
  while (context > 0 && !contexts->rows[context].is_loop) {
    context = contexts->rows[context].parent;
  }
  return context;
}

// Returns what |out| is a copy of.
static berth_out_t behind(const berth_graph_t *graph, berth_out_t out) {
  const berth_node_t *node = berth_graph_get(graph, out.node);
  while (strcmp(node->op->name, "Identity") == 0) {
    out = node->inputs[0];
    node = berth_graph_get(graph, out.node);
  }
  return out;
}

// Adds a row; -1 when there is no memory.
static int32_t row_add(berth_contexts_t *c, berth_context_row_t row) {
  if (c->count == c->capacity) {
    int32_t capacity = c->capacity == 0 ? 16 : 2 * c->capacity;
    berth_context_row_t *rows =
        berth_realloc(c->rows, (size_t)capacity, sizeof(*rows));
    if (rows == NULL) return -1;
    c->rows = rows;
    c->capacity = capacity;
  }
  row.depth = row.parent < 0 ? 0 : c->rows[row.parent].depth + 1;
  c->rows[c->count] = row;
  return c->count++;
}

static int32_t branch_find(const berth_contexts_t *c, int32_t parent,
                           berth_out_t pred, int branch) {
  for (int32_t i = c->count - 1; i > 0; --i) {
    const berth_context_row_t *row = &c->rows[i];
    if (!row->is_loop && row->parent == parent && row->branch == branch &&
        row->pred.node == pred.node && row->pred.index == pred.index) {
      return i;
    }
  }
  return -1;
}

static int32_t loop_find(const berth_contexts_t *c, const char *frame) {
  for (int32_t i = c->count - 1; i > 0; --i) {
    if (c->rows[i].is_loop && strcmp(c->rows[i].frame, frame) == 0) return i;
  }
  return -1;
}

int32_t berth_context_of(const berth_contexts_t *c, berth_out_t out) {
  const berth_node_t *node = berth_graph_get(c->graph, out.node);
  int32_t at = c->by_node[out.node];
  if (node->op->flow == BERTH_FLOW_EXIT) return at > 0 ? c->rows[at].parent : 0;
  if (node->op->flow != BERTH_FLOW_SWITCH ||
      berth_is_loop_switch(c->graph, node)) {
    return at;
  }
  int32_t found =
      branch_find(c, at, behind(c->graph, node->inputs[1]), out.index);
  return found < 0 ? at : found;
}

// Returns the innermost of where the inputs of |node| are, or of where what it
// waits for is.
static int32_t innermost(const berth_contexts_t *c, const berth_node_t *node) {
  int32_t found = 0;
  for (int32_t i = 0; i < node->input_count; ++i) {
    if (node->inputs[i].node >= node->id) continue;
    int32_t at = berth_context_of(c, node->inputs[i]);
    if (c->rows[at].depth > c->rows[found].depth) found = at;
  }
  for (int32_t i = 0; node->input_count == 0 && i < node->control_count; ++i) {
    int32_t at = berth_context_of(c, (berth_out_t){node->controls[i], 0});
    if (c->rows[at].depth > c->rows[found].depth) found = at;
  }
  return found;
}

// Notes the branches that a Switch leads into.
static bool add_branches(berth_contexts_t *c, const berth_node_t *node,
                         int32_t at) {
  berth_out_t pred = behind(c->graph, node->inputs[1]);
  c->has_flow = true;
  for (int i = 0; i < 2; ++i) {
    if (branch_find(c, at, pred, i) >= 0) continue;
    if (row_add(c, (berth_context_row_t){
                       .parent = at, .pred = pred, .branch = i}) < 0) {
      return false;
    }
  }
  return true;
}

// Returns the loop that an Enter leads into; -1: no memory.
static int32_t enter(berth_contexts_t *c, const berth_node_t *node,
                     int32_t at) {
  const char *frame = berth_node_attr_string(node, "frame_name", "");
  int32_t loop = loop_find(c, frame);
  c->has_flow = true;
  if (loop < 0) {
    loop = row_add(
        c, (berth_context_row_t){
               .parent = at,
               .is_loop = true,
               .frame = frame,
               .parallel = berth_node_attr_int(node, "parallel_iterations", 10),
               .loop_cond = -1,
               .first_from = node->inputs[0]});
  } else if (c->rows[at].depth > c->rows[c->rows[loop].parent].depth) {
    // Constants may come from further out than what the loop is about.
    c->rows[loop].parent = at;
    c->rows[loop].depth = c->rows[at].depth + 1;
    c->rows[loop].first_from = node->inputs[0];
  }
  return loop;
}

static bool look(berth_contexts_t *c, int32_t id) {
  const berth_node_t *node = berth_graph_get(c->graph, id);
  int32_t at = innermost(c, node);
  switch (node->op->flow) {
    case BERTH_FLOW_SWITCH:
      if (!berth_is_loop_switch(c->graph, node) && !add_branches(c, node, at)) {
        return false;
      }
      break;
    case BERTH_FLOW_ENTER:
      at = enter(c, node, at);
      if (at < 0) return false;
      break;
    case BERTH_FLOW_MERGE:
      if (at > 0 && !c->rows[at].is_loop) at = c->rows[at].parent;
      break;
    case BERTH_FLOW_LOOP_COND:
      if (at > 0 && c->rows[at].is_loop) c->rows[at].loop_cond = id;
      break;
    default:
      break;
  }
  c->by_node[id] = at;
  return true;
}

berth_code_t berth_contexts_init(berth_contexts_t *contexts,
                                 const berth_graph_t *graph, int32_t node_count,
                                 berth_error_t *err) {
  *contexts = (berth_contexts_t){.graph = graph, .node_count = node_count};
  contexts->by_node =
      berth_calloc((size_t)node_count + 1, sizeof(*contexts->by_node));
  bool ok = contexts->by_node != NULL &&
            row_add(contexts, (berth_context_row_t){.parent = -1}) == 0;
  for (int32_t id = 0; ok && id < node_count; ++id) ok = look(contexts, id);
  if (ok) return BERTH_OK;
  berth_contexts_deinit(contexts);
  return berth_error_no_memory(err, "gradients");
}

void berth_contexts_deinit(berth_contexts_t *contexts) {
  berth_free(contexts->by_node);
  berth_free(contexts->rows);
  *contexts = (berth_contexts_t){0};
}
