// order_internal.h - An order in the making, shared by the files that make it.
//
//   order_loops.c  what kind each node is of, and which loop it lies in
//   order.c        taking the nodes, and the loops, one by one
#ifndef BERTH_EXEC_ORDER_INTERNAL_H_
#define BERTH_EXEC_ORDER_INTERNAL_H_

#include "base/hash.h"
#include "exec/order.h"

// A node that is ready, or a loop (~loop).
typedef struct berth_ready {
  int32_t depth;
  int32_t id;  // Of the node, or of the loop's first Enter.
  int32_t item;
} berth_ready_t;

typedef struct berth_sorter {
  berth_order_t *order;
  const berth_graph_t *graph;
  const berth_prune_t *prune;
  berth_map_t names;  // "parent/name" -> loop.
  size_t loop_capacity;
  int32_t *pending;     // By node: what it waits for.
  int64_t *first_user;  // By node, and one more: into |users|.
  int32_t *users;
  berth_ready_t *heap;
  int32_t ready_count;
  int32_t needed;   // Nodes.
  int32_t taken;    // Nodes.
  int32_t current;  // Loop.
} berth_sorter_t;

static inline int berth_order_edge_count(const berth_node_t *node) {
  return node->input_count + node->control_count;
}

// Returns the node at the other end of edge |index| into |node|, data before
// control; -1 where there is nothing to wait for.
int32_t berth_order_source(const berth_sorter_t *s, const berth_node_t *node,
                           int index);

// Returns how deep |loop| lies; 0 for BERTH_NO_LOOP.
static inline int32_t berth_order_depth(const berth_order_t *order,
                                        int32_t loop) {
  return loop != BERTH_NO_LOOP ? order->loops[loop].depth : 0;
}

// Finds the loops of all nodes and links their ends. Kinds are known.
BERTH_NODISCARD berth_code_t berth_order_find_loops(berth_sorter_t *s,
                                                    berth_error_t *err);

#endif  // BERTH_EXEC_ORDER_INTERNAL_H_
