// order.h - The order of nodes in a program with conditionals and loops.
//
// A loop is what lies between its Enter and its Exit nodes. It is told apart by
// the name of its frame and by the loop it lies in. In the order each loop is
// one stretch, and one inside another a stretch of that:
//
//   x  Enter Enter  [ Merge Less LoopCond Switch Add NextIteration Exit ]  y
//      └ bring values in, once          └ repeated                      ┘
//
// The edge from NextIteration back to Merge counts the other way round: the
// Merge goes first. Ties are settled by node id, so that one graph always has
// one order.
#ifndef BERTH_EXEC_ORDER_H_
#define BERTH_EXEC_ORDER_H_

#include "exec/prune.h"

#define BERTH_NO_LOOP (-1)

// A loop as the graph has it.
typedef struct berth_order_loop {
  const char *name;     // Of its frame.
  int32_t parent;       // The loop it lies in, or BERTH_NO_LOOP.
  int32_t depth;        // 1 for those that lie in none.
  int32_t first_enter;  // Nodes, linked by |next|.
  int32_t first_exit;
  int32_t pending;   // Edges into its Enters that are still to come.
  int32_t expected;  // Nodes in it that are still to come.
} berth_order_loop_t;

// Everything but |loops| lies in |arena|.
typedef struct berth_order {
  berth_arena_t arena;
  // Node ids; below 0: berth_order_mark(). NULL: the graph has nothing of the
  // kind, and ids are the order.
  int32_t *items;
  int count;
  uint8_t *kinds;    // By node: berth_flow_kind_t.
  int32_t *loop_of;  // By node.
  int32_t *next;     // By Enter or Exit: the next one of its loop, or -1.
  berth_order_loop_t *loops;
  int loop_count;
} berth_order_t;

// The item where |loop| begins to repeat, or ends; and back.
static inline int32_t berth_order_mark(int32_t loop, bool is_end) {
  return ~(loop * 2 + is_end);
}
static inline int32_t berth_order_mark_loop(int32_t item) { return ~item / 2; }
static inline bool berth_order_mark_is_end(int32_t item) {
  return ~item % 2 != 0;
}

// Orders what |prune| needs. Fails with BERTH_INVALID_ARGUMENT and TensorFlow's
// texts for loops that are none. Whatever the outcome, berth_order_deinit()
// frees.
BERTH_NODISCARD berth_code_t berth_order_init(berth_order_t *order,
                                              const berth_graph_t *graph,
                                              const berth_prune_t *prune,
                                              berth_error_t *err);
void berth_order_deinit(berth_order_t *order);

// True when input |index| of |node| comes round a loop.
bool berth_order_is_back(const berth_order_t *order, const berth_prune_t *prune,
                         const berth_node_t *node, int index);

#endif  // BERTH_EXEC_ORDER_H_
