// context.h - Which branch or loop each node of a graph is in.
//
//   0 outside ─┬─ branch (pred, 1) ── loop "while_context"
//              └─ branch (pred, 0)
//
// TensorFlow's graphs do not say it; it follows from what nodes are made of. An
// Enter leads into the loop of its frame, an Exit out of it; an output of a
// Switch is in a branch, what a Merge gives is out of it again. Everything else
// is where its inputs are, and what has none where the nodes are that it waits
// for.
//
// Threads: immutable after create.
#ifndef BERTH_GRAD_CONTEXT_H_
#define BERTH_GRAD_CONTEXT_H_

#include "base/arena.h"
#include "graph/graph.h"

// A branch, a loop, or, the first of all, the outside.
typedef struct berth_context_row {
  int32_t parent;  // -1: the outside has none.
  int32_t depth;
  bool is_loop;
  berth_out_t pred;   // Of a branch: what decides, behind Identities.
  int branch;         // Of a branch: 0 or 1.
  const char *frame;  // Of a loop.
  int64_t parallel;
  int32_t loop_cond;       // Of a loop: the node; -1: none was seen.
  berth_out_t first_from;  // Of a loop: what it starts from, deepest inside.
} berth_context_row_t;

typedef struct berth_contexts {
  const berth_graph_t *graph;
  int32_t node_count;  // Of nodes that were looked at.
  int32_t *by_node;    // The context of a node, for a Switch that around it.
  berth_context_row_t *rows;
  int32_t count, capacity;
  bool has_flow;  // There is a branch or a loop.
} berth_contexts_t;

// Looks at the first |node_count| nodes of |graph|, which is borrowed.
BERTH_NODISCARD berth_code_t berth_contexts_init(berth_contexts_t *contexts,
                                                 const berth_graph_t *graph,
                                                 int32_t node_count,
                                                 berth_error_t *err);
void berth_contexts_deinit(berth_contexts_t *contexts);

// Returns where |out| is, an output of a node that was looked at.
int32_t berth_context_of(const berth_contexts_t *contexts, berth_out_t out);

// Returns the innermost loop around |context|, itself included; 0: none.
int32_t berth_context_loop(const berth_contexts_t *contexts, int32_t context);

// Tells whether |node| is a Switch of a loop, which decides whether it goes on.
bool berth_is_loop_switch(const berth_graph_t *graph, const berth_node_t *node);

// Tells whether |node| is a Merge at which a loop starts.
bool berth_is_loop_merge(const berth_graph_t *graph, const berth_node_t *node);

#endif  // BERTH_GRAD_CONTEXT_H_
