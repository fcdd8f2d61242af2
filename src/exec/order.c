// order.c - The order of nodes in a program with conditionals and loops.
//
// Nodes are taken when all they wait for has been taken; a loop is taken when
// all its Enters could be. Once begun it is finished first: among what is
// ready, deeper goes first, and what waits for an Exit is ready only when the
// whole loop is done.
#include "exec/order.h"

#include "base/alloc.h"
#include "exec/order_internal.h"

// ---- Edges ----

// Notes one edge more that |node| waits for.
static void pending_add(berth_sorter_t *s, int32_t node) {
  if (s->order->kinds[node] == BERTH_FLOW_ENTER) {
    ++s->order->loops[s->order->loop_of[node]].pending;
  } else {
    ++s->pending[node];
  }
}

// Stores which node goes first, and which waits for it, because of edge |index|
// into |node|; false where there is no edge. A Merge goes before what comes
// round to it, so that it finds what the iteration before has left.
static bool edge_get(const berth_sorter_t *s, const berth_node_t *node,
                     int index, int32_t *out_first, int32_t *out_user) {
  if (index < node->input_count &&
      berth_order_is_back(s->order, s->prune, node, index)) {
    *out_first = node->id;
    *out_user = node->inputs[index].node;
    return true;
  }
  *out_first = berth_order_source(s, node, index);
  *out_user = node->id;
  return *out_first >= 0;
}

// Counts what every node waits for, and who waits for it.
static void users_count(berth_sorter_t *s) {
  int32_t first = -1, user = -1;
  for (int id = 0; id < s->prune->node_count; ++id) {
    if (!s->prune->needed[id]) continue;
    const berth_node_t *node = berth_graph_get(s->graph, id);
    for (int i = 0; i < berth_order_edge_count(node); ++i) {
      if (!edge_get(s, node, i, &first, &user)) continue;
      ++s->first_user[first];
      pending_add(s, user);
    }
  }
}

// Lists the users of every node: counts them, sums up to where each node's end,
// and fills in from there down to where they begin.
static berth_code_t users_list(berth_sorter_t *s, berth_error_t *err) {
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
    for (int i = 0; i < berth_order_edge_count(node); ++i) {
      if (!edge_get(s, node, i, &first, &user)) continue;
      s->users[--s->first_user[first]] = user;
    }
  }
  return BERTH_OK;
}

// ---- What is ready ----

static bool goes_before(const berth_ready_t *a, const berth_ready_t *b) {
  return a->depth != b->depth ? a->depth > b->depth : a->id < b->id;
}

static void ready_push(berth_sorter_t *s, berth_ready_t item) {
  int32_t at = s->ready_count++;
  while (at > 0 && goes_before(&item, &s->heap[(at - 1) / 2])) {
    s->heap[at] = s->heap[(at - 1) / 2];
    at = (at - 1) / 2;
  }
  s->heap[at] = item;
}

static berth_ready_t ready_pop(berth_sorter_t *s) {
  berth_ready_t top = s->heap[0], item = s->heap[--s->ready_count];
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

static void node_push(berth_sorter_t *s, int32_t node) {
  int32_t depth = berth_order_depth(s->order, s->order->loop_of[node]);
  ready_push(s, (berth_ready_t){depth, node, node});
}

static void loop_push(berth_sorter_t *s, int32_t loop) {
  const berth_order_loop_t *l = &s->order->loops[loop];
  ready_push(s, (berth_ready_t){l->depth - 1, l->first_enter, ~loop});
}

// Tells the users of |node| that it has been taken.
static void users_release(berth_sorter_t *s, int32_t node) {
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

static void item_add(berth_sorter_t *s, int32_t item) {
  s->order->items[s->order->count++] = item;
}

// Appends a node, without telling its users.
static void node_take(berth_sorter_t *s, int32_t node) {
  int32_t loop = s->order->loop_of[node];
  item_add(s, node);
  ++s->taken;
  if (loop != BERTH_NO_LOOP) --s->order->loops[loop].expected;
}

static void loop_begin(berth_sorter_t *s, int32_t loop) {
  const berth_order_t *order = s->order;
  int32_t first = order->loops[loop].first_enter;
  for (int32_t e = first; e >= 0; e = order->next[e]) node_take(s, e);
  item_add(s, berth_order_mark(loop, false));
  s->current = loop;
  for (int32_t e = first; e >= 0; e = order->next[e]) users_release(s, e);
}

static berth_code_t loop_end(berth_sorter_t *s, berth_error_t *err) {
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
static berth_code_t nodes_take(berth_sorter_t *s, berth_error_t *err) {
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
static void ready_init(berth_sorter_t *s) {
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

// True when something is needed whose value may not be there.
static bool has_flow(const berth_graph_t *graph, const berth_prune_t *prune) {
  for (int id = 0; id < prune->node_count; ++id) {
    if (prune->needed[id] &&
        berth_graph_get(graph, id)->op->flow != BERTH_FLOW_RUN) {
      return true;
    }
  }
  return false;
}

static berth_code_t arrays_alloc(berth_sorter_t *s, berth_error_t *err) {
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
    order->kinds[id] = berth_graph_get(s->graph, id)->op->flow;
    s->needed += s->prune->needed[id];
  }
  return BERTH_OK;
}

static berth_code_t sort(berth_sorter_t *s, berth_error_t *err) {
  berth_order_t *order = s->order;
  BERTH_TRY(arrays_alloc(s, err));
  BERTH_TRY(berth_order_find_loops(s, err));
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
  berth_sorter_t s = {
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
