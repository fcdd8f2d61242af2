// order_loops.c - Which loop a node lies in.
//
// That of what it waits for: an Enter leads into a loop, an Exit out of it.
#include "base/alloc.h"
#include "exec/order_internal.h"

bool berth_order_is_back(const berth_order_t *order, const berth_prune_t *prune,
                         const berth_node_t *node, int index) {
  berth_out_t input = node->inputs[index];
  return order->kinds[node->id] == BERTH_FLOW_MERGE &&
         order->kinds[input.node] == BERTH_FLOW_NEXT &&
         berth_prune_feed_of(prune, input) < 0;
}

int32_t berth_order_source(const berth_sorter_t *s, const berth_node_t *node,
                           int index) {
  if (index >= node->input_count) {
    int32_t before = node->controls[index - node->input_count];
    return s->prune->needed[before] ? before : -1;
  }
  bool waits = berth_prune_feed_of(s->prune, node->inputs[index]) < 0 &&
               !berth_order_is_back(s->order, s->prune, node, index);
  return waits ? node->inputs[index].node : -1;
}

// ---- Loops ----

// Returns the loop in which what |node| gives is used.
static int32_t loop_after(const berth_order_t *order, int32_t node) {
  int32_t loop = order->loop_of[node];
  return order->kinds[node] == BERTH_FLOW_EXIT ? order->loops[loop].parent
                                               : loop;
}

static const char *name_of(const berth_order_t *order, int32_t loop) {
  return loop != BERTH_NO_LOOP ? order->loops[loop].name : "";
}

// Says that |node| uses |a| and |b|, which are of different loops. The deeper
// one is named first.
static berth_code_t frames_differ(const berth_sorter_t *s,
                                  const berth_node_t *node, int32_t a,
                                  int32_t b, berth_error_t *err) {
  const berth_order_t *order = s->order;
  int32_t in_a = loop_after(order, a), in_b = loop_after(order, b);
  int32_t deep_a = berth_order_depth(order, in_a),
          deep_b = berth_order_depth(order, in_b);
  bool is_a_first = deep_a != deep_b ? deep_a > deep_b : a > b;
  return berth_error_set(
      err, BERTH_INVALID_ARGUMENT,
      "{{node %s}} has inputs from different frames. The input {{node %s}} is "
      "in frame '%s'. The input {{node %s}} is in frame '%s'.",
      node->name, berth_graph_get(s->graph, is_a_first ? a : b)->name,
      name_of(order, is_a_first ? in_a : in_b),
      berth_graph_get(s->graph, is_a_first ? b : a)->name,
      name_of(order, is_a_first ? in_b : in_a));
}

// Finds the loop that all inputs of |node| are in.
static berth_code_t inputs_loop(const berth_sorter_t *s,
                                const berth_node_t *node, int32_t *out_loop,
                                berth_error_t *err) {
  int32_t first = -1;
  *out_loop = BERTH_NO_LOOP;
  for (int i = 0; i < berth_order_edge_count(node); ++i) {
    int32_t from = berth_order_source(s, node, i);
    if (from < 0) continue;
    int32_t loop = loop_after(s->order, from);
    if (first >= 0 && loop != *out_loop) {
      return frames_differ(s, node, from, first, err);
    }
    if (first < 0) first = from;
    *out_loop = loop;
  }
  return BERTH_OK;
}

// Finds or makes the loop called |name| in |parent|.
static berth_code_t loop_get(berth_sorter_t *s, int32_t parent,
                             const char *name, int32_t *out_loop,
                             berth_error_t *err) {
  berth_order_t *order = s->order;
  size_t size = strlen(name) + sizeof parent;
  char *key = berth_arena_alloc(&order->arena, size);
  if (key == NULL) return berth_error_no_memory(err, "a program");
  memcpy(key, &parent, sizeof parent);
  memcpy(key + sizeof parent, name, size - sizeof parent);
  const int64_t *found = berth_map_find(&s->names, key, size);
  if (found != NULL) {
    *out_loop = (int32_t)*found;
    return BERTH_OK;
  }
  berth_order_loop_t *loops =
      berth_grow(order->loops, (size_t)order->loop_count, &s->loop_capacity,
                 sizeof(*loops));
  if (loops == NULL ||
      !berth_map_set(&s->names, key, size, order->loop_count)) {
    if (loops != NULL) order->loops = loops;
    return berth_error_no_memory(err, "a program");
  }
  order->loops = loops;
  loops[order->loop_count] =
      (berth_order_loop_t){.name = name,
                           .parent = parent,
                           .depth = berth_order_depth(order, parent) + 1,
                           .first_enter = -1,
                           .first_exit = -1};
  *out_loop = order->loop_count++;
  return BERTH_OK;
}

// Stores the loop that |node| lies in.
static berth_code_t loop_find(berth_sorter_t *s, const berth_node_t *node,
                              berth_error_t *err) {
  berth_order_t *order = s->order;
  int32_t loop = BERTH_NO_LOOP;
  BERTH_TRY(inputs_loop(s, node, &loop, err));
  uint8_t kind = order->kinds[node->id];
  if (kind == BERTH_FLOW_ENTER) {
    const char *name = berth_node_attr_string(node, "frame_name", "");
    if (name[0] == '\0') {
      return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                             "The Enter {{node %s}} must have a frame name.",
                             node->name);
    }
    BERTH_TRY(loop_get(s, loop, name, &loop, err));
  } else if (kind == BERTH_FLOW_EXIT && loop == BERTH_NO_LOOP) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Invalid Exit op: Cannot find a corresponding Enter "
                           "op.");
  }
  order->loop_of[node->id] = loop;
  if (loop != BERTH_NO_LOOP) ++order->loops[loop].expected;
  return BERTH_OK;
}

// Checks that what comes round to |merge| comes from the same loop.
static berth_code_t back_check(const berth_sorter_t *s,
                               const berth_node_t *merge, berth_error_t *err) {
  for (int i = 0; i < merge->input_count; ++i) {
    int32_t from = merge->inputs[i].node;
    if (!berth_order_is_back(s->order, s->prune, merge, i) ||
        s->order->loop_of[from] == s->order->loop_of[merge->id]) {
      continue;
    }
    return frames_differ(s, merge, from, merge->id, err);
  }
  return BERTH_OK;
}

// I1 of graphs: what a node waits for has a lower id.
berth_code_t berth_order_find_loops(berth_sorter_t *s, berth_error_t *err) {
  berth_order_t *order = s->order;
  for (int id = 0; id < s->prune->node_count; ++id) {
    if (!s->prune->needed[id]) continue;
    BERTH_TRY(loop_find(s, berth_graph_get(s->graph, id), err));
  }
  for (int id = s->prune->node_count - 1; id >= 0; --id) {
    if (!s->prune->needed[id]) continue;
    uint8_t kind = order->kinds[id];
    if (kind == BERTH_FLOW_MERGE) {
      BERTH_TRY(back_check(s, berth_graph_get(s->graph, id), err));
    }
    if (kind != BERTH_FLOW_ENTER && kind != BERTH_FLOW_EXIT) continue;
    berth_order_loop_t *loop = &order->loops[order->loop_of[id]];
    int32_t *first =
        kind == BERTH_FLOW_ENTER ? &loop->first_enter : &loop->first_exit;
    order->next[id] = *first;
    *first = id;
  }
  return BERTH_OK;
}
