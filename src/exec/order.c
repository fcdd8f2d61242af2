// order.c - The order of nodes in a program with conditionals and loops.
//
// 1. Every node gets the loop it lies in, from what it waits for: an Enter
//    leads into a loop, an Exit out of it.
// 2. Nodes are taken when all they wait for has been taken; a loop is taken
//    when all its Enters could be. Once begun it is finished first: among what
//    is ready, deeper goes first, and what waits for an Exit is ready only when
//    the whole loop is done.
#include "exec/order.h"

#include "base/alloc.h"
#include "base/hash.h"

// A node that is ready, or a loop (~loop).
typedef struct ready {
  int32_t depth;
  int32_t id;  // Of the node, or of the loop's first Enter.
  int32_t item;
} ready_t;

typedef struct sorter {
  berth_order_t *order;
  const berth_graph_t *graph;
  const berth_prune_t *prune;
  berth_map_t names;  // "parent/name" -> loop.
  size_t loop_capacity;
  int32_t *pending;     // By node: what it waits for.
  int64_t *first_user;  // By node, and one more: into |users|.
  int32_t *users;
  ready_t *heap;
  int32_t ready_count;
  int32_t needed;   // Nodes.
  int32_t taken;    // Nodes.
  int32_t current;  // Loop.
} sorter_t;

// ---- Kinds ----

static const struct {
  const char *op;
  uint8_t kind;
} flow_ops[] = {
    {"Switch", BERTH_FLOW_SWITCH},      {"RefSwitch", BERTH_FLOW_SWITCH},
    {"Merge", BERTH_FLOW_MERGE},        {"RefMerge", BERTH_FLOW_MERGE},
    {"Enter", BERTH_FLOW_ENTER},        {"RefEnter", BERTH_FLOW_ENTER},
    {"Exit", BERTH_FLOW_EXIT},          {"RefExit", BERTH_FLOW_EXIT},
    {"NextIteration", BERTH_FLOW_NEXT}, {"RefNextIteration", BERTH_FLOW_NEXT},
    {"LoopCond", BERTH_FLOW_LOOP_COND}, {"ControlTrigger", BERTH_FLOW_TRIGGER},
};

static uint8_t kind_of(const berth_node_t *node) {
  const char *op = node->op->name;
  if (strchr("SRMENLC", op[0]) == NULL) return BERTH_FLOW_RUN;
  for (int i = 0; i < BERTH_COUNT_OF(flow_ops); ++i) {
    if (strcmp(op, flow_ops[i].op) == 0) return flow_ops[i].kind;
  }
  return BERTH_FLOW_RUN;
}

// True when something is needed whose value may not be there.
static bool has_flow(const berth_graph_t *graph, const berth_prune_t *prune) {
  for (int id = 0; id < prune->node_count; ++id) {
    if (prune->needed[id] &&
        kind_of(berth_graph_get(graph, id)) != BERTH_FLOW_RUN) {
      return true;
    }
  }
  return false;
}

bool berth_order_is_back(const berth_order_t *order, const berth_prune_t *prune,
                         const berth_node_t *node, int index) {
  berth_out_t input = node->inputs[index];
  return order->kinds[node->id] == BERTH_FLOW_MERGE &&
         order->kinds[input.node] == BERTH_FLOW_NEXT &&
         berth_prune_feed_of(prune, input) < 0;
}

// Returns the node at the other end of edge |index| into |node|, data before
// control; -1 where there is nothing to wait for.
static int32_t source(const sorter_t *s, const berth_node_t *node, int index) {
  if (index >= node->input_count) {
    int32_t before = node->controls[index - node->input_count];
    return s->prune->needed[before] ? before : -1;
  }
  bool waits = berth_prune_feed_of(s->prune, node->inputs[index]) < 0 &&
               !berth_order_is_back(s->order, s->prune, node, index);
  return waits ? node->inputs[index].node : -1;
}

static int edge_count(const berth_node_t *node) {
  return node->input_count + node->control_count;
}

// ---- Loops ----

// Returns the loop in which what |node| gives is used.
static int32_t loop_after(const berth_order_t *order, int32_t node) {
  int32_t loop = order->loop_of[node];
  return order->kinds[node] == BERTH_FLOW_EXIT ? order->loops[loop].parent
                                               : loop;
}

static int32_t depth_of(const berth_order_t *order, int32_t loop) {
  return loop != BERTH_NO_LOOP ? order->loops[loop].depth : 0;
}

static const char *name_of(const berth_order_t *order, int32_t loop) {
  return loop != BERTH_NO_LOOP ? order->loops[loop].name : "";
}

// Says that |node| uses |a| and |b|, which are of different loops. The deeper
// one is named first.
static berth_code_t frames_differ(const sorter_t *s, const berth_node_t *node,
                                  int32_t a, int32_t b, berth_error_t *err) {
  const berth_order_t *order = s->order;
  int32_t in_a = loop_after(order, a), in_b = loop_after(order, b);
  int32_t deep_a = depth_of(order, in_a), deep_b = depth_of(order, in_b);
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
static berth_code_t inputs_loop(const sorter_t *s, const berth_node_t *node,
                                int32_t *out_loop, berth_error_t *err) {
  int32_t first = -1;
  *out_loop = BERTH_NO_LOOP;
  for (int i = 0; i < edge_count(node); ++i) {
    int32_t from = source(s, node, i);
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
static berth_code_t loop_get(sorter_t *s, int32_t parent, const char *name,
                             int32_t *out_loop, berth_error_t *err) {
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
                           .depth = depth_of(order, parent) + 1,
                           .first_enter = -1,
                           .first_exit = -1};
  *out_loop = order->loop_count++;
  return BERTH_OK;
}

// Stores the loop that |node| lies in.
static berth_code_t loop_find(sorter_t *s, const berth_node_t *node,
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
static berth_code_t back_check(const sorter_t *s, const berth_node_t *merge,
                               berth_error_t *err) {
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

// Finds the loops of all nodes and links their ends. I1 of graphs: what a node
// waits for has a lower id.
static berth_code_t loops_find(sorter_t *s, berth_error_t *err) {
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

// ---- Edges ----

// Notes one edge more that |node| waits for.
static void pending_add(sorter_t *s, int32_t node) {
  if (s->order->kinds[node] == BERTH_FLOW_ENTER) {
    ++s->order->loops[s->order->loop_of[node]].pending;
  } else {
    ++s->pending[node];
  }
}

// Stores which node goes first, and which waits for it, because of edge |index|
// into |node|; false where there is no edge. A Merge goes before what comes
// round to it, so that it finds what the iteration before has left.
static bool edge_get(const sorter_t *s, const berth_node_t *node, int index,
                     int32_t *out_first, int32_t *out_user) {
  if (index < node->input_count &&
      berth_order_is_back(s->order, s->prune, node, index)) {
    *out_first = node->id;
    *out_user = node->inputs[index].node;
    return true;
  }
  *out_first = source(s, node, index);
  *out_user = node->id;
  return *out_first >= 0;
}

// Counts what every node waits for, and who waits for it.
static void users_count(sorter_t *s) {
  int32_t first = -1, user = -1;
  for (int id = 0; id < s->prune->node_count; ++id) {
    if (!s->prune->needed[id]) continue;
    const berth_node_t *node = berth_graph_get(s->graph, id);
    for (int i = 0; i < edge_count(node); ++i) {
      if (!edge_get(s, node, i, &first, &user)) continue;
      ++s->first_user[first];
      pending_add(s, user);
    }
  }
}

// Lists the users of every node: counts them, sums up to where each node's end,
// and fills in from there down to where they begin.
static berth_code_t users_list(sorter_t *s, berth_error_t *err) {
  int count = s->prune->node_count;
  users_count(s);
  for (int id = 1; id <= count; ++id)
    s->first_user[id] += s->first_user[id - 1];
  size_t total = (size_t)s->first_user[count];
  s->users =
      berth_arena_alloc(&s->order->arena, (total + 1) * sizeof(*s->users));
  if (s->users == NULL) return berth_error_no_memory(err, "a program");
  int32_t first = -1, user = -1;
  for (int id = 0; id < count; ++id) {
    if (!s->prune->needed[id]) continue;
    const berth_node_t *node = berth_graph_get(s->graph, id);
    for (int i = 0; i < edge_count(node); ++i) {
      if (!edge_get(s, node, i, &first, &user)) continue;
      s->users[--s->first_user[first]] = user;
    }
  }
  return BERTH_OK;
}

// ---- What is ready ----

static bool goes_before(const ready_t *a, const ready_t *b) {
  return a->depth != b->depth ? a->depth > b->depth : a->id < b->id;
}

static void ready_push(sorter_t *s, ready_t item) {
  int32_t at = s->ready_count++;
  while (at > 0 && goes_before(&item, &s->heap[(at - 1) / 2])) {
    s->heap[at] = s->heap[(at - 1) / 2];
    at = (at - 1) / 2;
  }
  s->heap[at] = item;
}

static ready_t ready_pop(sorter_t *s) {
  ready_t top = s->heap[0], item = s->heap[--s->ready_count];
  int32_t at = 0;
  for (;;) {
    int32_t child = 2 * at + 1;
    if (child >= s->ready_count) break;
    if (child + 1 < s->ready_count &&
        goes_before(&s->heap[child + 1], &s->heap[child])) {
      ++child;
    }
    if (!goes_before(&s->heap[child], &item)) break;
    s->heap[at] = s->heap[child];
    at = child;
  }
  s->heap[at] = item;
  return top;
}

static void node_push(sorter_t *s, int32_t node) {
  int32_t depth = depth_of(s->order, s->order->loop_of[node]);
  ready_push(s, (ready_t){depth, node, node});
}

static void loop_push(sorter_t *s, int32_t loop) {
  const berth_order_loop_t *l = &s->order->loops[loop];
  ready_push(s, (ready_t){l->depth - 1, l->first_enter, ~loop});
}

// Tells the users of |node| that it has been taken.
static void users_release(sorter_t *s, int32_t node) {
  for (int64_t i = s->first_user[node]; i < s->first_user[node + 1]; ++i) {
    int32_t user = s->users[i];
    int32_t loop = s->order->loop_of[user];
    if (s->order->kinds[user] != BERTH_FLOW_ENTER) {
      if (--s->pending[user] == 0) node_push(s, user);
    } else if (--s->order->loops[loop].pending == 0) {
      loop_push(s, loop);
    }
  }
}

// ---- Taking ----

static void item_add(sorter_t *s, int32_t item) {
  s->order->items[s->order->count++] = item;
}

// Appends a node, without telling its users.
static void node_take(sorter_t *s, int32_t node) {
  int32_t loop = s->order->loop_of[node];
  item_add(s, node);
  ++s->taken;
  if (loop != BERTH_NO_LOOP) --s->order->loops[loop].expected;
}

static void loop_begin(sorter_t *s, int32_t loop) {
  const berth_order_t *order = s->order;
  int32_t first = order->loops[loop].first_enter;
  for (int32_t e = first; e >= 0; e = order->next[e]) node_take(s, e);
  item_add(s, berth_order_mark(loop, false));
  s->current = loop;
  for (int32_t e = first; e >= 0; e = order->next[e]) users_release(s, e);
}

static berth_code_t loop_end(sorter_t *s, berth_error_t *err) {
  const berth_order_loop_t *loop = &s->order->loops[s->current];
  if (loop->expected > 0) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Frame '%s' is no loop: %d of its nodes wait for "
                           "something that waits for the frame",
                           loop->name, (int)loop->expected);
  }
  item_add(s, berth_order_mark(s->current, true));
  s->current = loop->parent;
  for (int32_t e = loop->first_exit; e >= 0; e = s->order->next[e]) {
    users_release(s, e);
  }
  return BERTH_OK;
}

// Takes everything in order.
static berth_code_t nodes_take(sorter_t *s, berth_error_t *err) {
  const berth_order_t *order = s->order;
  while (s->ready_count > 0 || s->current != BERTH_NO_LOOP) {
    if (s->current != BERTH_NO_LOOP &&
        (s->ready_count == 0 ||
         s->heap[0].depth < order->loops[s->current].depth)) {
      BERTH_TRY(loop_end(s, err));
      continue;
    }
    int32_t item = ready_pop(s).item;
    if (item < 0) {
      loop_begin(s, ~item);
    } else {
      node_take(s, item);
      if (order->kinds[item] != BERTH_FLOW_EXIT) users_release(s, item);
    }
  }
  if (s->taken == s->needed) return BERTH_OK;
  return berth_error_set(err, BERTH_INVALID_ARGUMENT, "%d nodes in a cycle",
                         (int)(s->needed - s->taken));
}

// Pushes what waits for nothing.
static void ready_init(sorter_t *s) {
  for (int id = 0; id < s->prune->node_count; ++id) {
    if (!s->prune->needed[id]) continue;
    if (s->pending[id] == 0 && s->order->kinds[id] != BERTH_FLOW_ENTER) {
      node_push(s, id);
    }
  }
  for (int32_t i = 0; i < s->order->loop_count; ++i) {
    if (s->order->loops[i].pending == 0) loop_push(s, i);
  }
}

// ---- The whole ----

static berth_code_t arrays_alloc(sorter_t *s, berth_error_t *err) {
  berth_order_t *order = s->order;
  berth_arena_t *arena = &order->arena;
  size_t count = (size_t)s->prune->node_count + 1;
  order->kinds = berth_arena_calloc(arena, count, sizeof(*order->kinds));
  order->loop_of = berth_arena_calloc(arena, count, sizeof(*order->loop_of));
  order->next = berth_arena_calloc(arena, count, sizeof(*order->next));
  s->pending = berth_arena_calloc(arena, count, sizeof(*s->pending));
  s->first_user = berth_arena_calloc(arena, count, sizeof(*s->first_user));
  if (order->kinds == NULL || order->loop_of == NULL || order->next == NULL ||
      s->pending == NULL || s->first_user == NULL) {
    return berth_error_no_memory(err, "a program");
  }
  for (int id = 0; id < s->prune->node_count; ++id) {
    order->kinds[id] = kind_of(berth_graph_get(s->graph, id));
    s->needed += s->prune->needed[id];
  }
  return BERTH_OK;
}

static berth_code_t sort(sorter_t *s, berth_error_t *err) {
  berth_order_t *order = s->order;
  BERTH_TRY(arrays_alloc(s, err));
  BERTH_TRY(loops_find(s, err));
  BERTH_TRY(users_list(s, err));
  size_t most = (size_t)s->needed + (size_t)order->loop_count * 2 + 1;
  order->items = berth_arena_alloc(&order->arena, most * sizeof(int32_t));
  s->heap = berth_arena_alloc(&order->arena, most * sizeof(*s->heap));
  if (order->items == NULL || s->heap == NULL) {
    return berth_error_no_memory(err, "a program");
  }
  ready_init(s);
  return nodes_take(s, err);
}

berth_code_t berth_order_init(berth_order_t *order, const berth_graph_t *graph,
                              const berth_prune_t *prune, berth_error_t *err) {
  *order = (berth_order_t){0};
  if (!has_flow(graph, prune)) return BERTH_OK;
  sorter_t s = {
      .order = order, .graph = graph, .prune = prune, .current = BERTH_NO_LOOP};
  berth_code_t code = sort(&s, err);
  berth_map_clear(&s.names);
  return code;
}

void berth_order_deinit(berth_order_t *order) {
  berth_free(order->loops);
  berth_arena_clear(&order->arena);
  *order = (berth_order_t){0};
}
