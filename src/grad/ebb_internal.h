// ebb_internal.h - What ebb.c, ebb_loop.c and the rules share.
#ifndef BERTH_GRAD_EBB_INTERNAL_H_
#define BERTH_GRAD_EBB_INTERNAL_H_

#include "grad/ebb.h"

// A list of nodes.
typedef struct berth_ebb_nodes {
  int32_t *items;
  int32_t count, capacity;
} berth_ebb_nodes_t;

// A Merge of slopes, of which the second input is to come.
typedef struct berth_ebb_turn {
  int32_t node;         // The Switch of the forward loop.
  berth_out_t merge;    // Of slopes.
  berth_out_t outside;  // What its first input brought in.
  bool is_closed;
} berth_ebb_turn_t;

// A loop that is gone back through, by context of the forward loop.
typedef struct berth_ebb_loop {
  bool is_begun;
  int32_t pending_exits;
  const char *frame;  // Of the backward loop.
  berth_out_t total;  // How many turns there were, where it is run.
  berth_out_t f_merge, f_switch, b_merge, b_switch;
  berth_out_t pivot;  // Whether the backward loop goes on.
  berth_out_t index;  // The number of its turn.
  berth_ebb_nodes_t pushes, guarded_pushes, pops;
  berth_ebb_nodes_t before;  // What the backward loop waits for.
  int32_t done;              // The node that is there when it has ended.
  berth_ebb_turn_t *turns;
  int32_t turn_count, turn_capacity;
} berth_ebb_loop_t;

// What stands for a value in a backward loop, or in a forward one.
typedef struct berth_ebb_entry {
  berth_out_t value;
  int32_t where;  // Of a loop: 2 * context + (1: backward).
  berth_out_t found;
} berth_ebb_entry_t;

struct berth_ebb {
  berth_contexts_t contexts;
  int32_t base;             // The context in which slopes are asked for.
  berth_ebb_loop_t *loops;  // By context.
  int32_t here;             // I1; FORWARD: in a forward loop.
  int32_t *homes;           // By node made since: the backward loop, or
                            // FORWARD - context.
  int32_t home_count, home_capacity;
  berth_ebb_entry_t *entries;  // Open addressing; found.node -1: free.
  size_t entry_count, entry_capacity;
};

enum { BERTH_EBB_FORWARD = -1 };

// Return a list with |node| in it as well; false: no memory.
bool berth_ebb_add(berth_ebb_nodes_t *nodes, int32_t node);

// Returns what |value| is in the backward loop |loop|.
berth_out_t berth_ebb_bring(berth_grad_t *g, berth_out_t value, int32_t loop);

// Begins the backward loop of |loop|.
void berth_ebb_begin(berth_grad_t *g, int32_t loop);

// Makes an Enter into |frame|.
berth_out_t berth_ebb_enter_into(berth_grad_t *g, const char *name,
                                 berth_out_t value, const char *frame,
                                 int64_t parallel, bool is_constant);

// Makes a NextIteration of |value| and closes the loop of |merge| with it; it
// waits for |control|, if that is a node.
void berth_ebb_close(berth_grad_t *g, berth_out_t merge, berth_out_t value,
                     int32_t control);

// Remembers that |node| is in the backward loop |home|.
bool berth_ebb_home(berth_ebb_t *ebb, int32_t node, int32_t home);

// Returns zeros of |type| with the sizes of |value|, or, if it is a handle, of
// what it stands for, in the backward loop in which nodes are made.
berth_out_t berth_ebb_fill(berth_grad_t *g, berth_out_t value,
                           berth_dtype_t type);

// Look up and remember what stands for a value somewhere.
berth_out_t berth_ebb_find(const berth_ebb_t *ebb, berth_out_t value,
                           int32_t where);
void berth_ebb_keep(berth_grad_t *g, berth_out_t value, int32_t where,
                    berth_out_t found);

#endif  // BERTH_GRAD_EBB_INTERNAL_H_
