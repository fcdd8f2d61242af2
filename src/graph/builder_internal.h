// builder_internal.h - An op under construction, for builder.c, finish.c and
// build.c.
#ifndef BERTH_GRAPH_BUILDER_INTERNAL_H_
#define BERTH_GRAPH_BUILDER_INTERNAL_H_

#include <stdint.h>

#include "graph/builder.h"

enum {
  BERTH_OP_ROOM = 8,    // Members of each list without an allocation.
  BERTH_OP_TEXT = 160,  // Characters of names without one.
};

typedef struct berth_op_list {
  void *items;  // NULL: none yet.
  int32_t count, capacity;
} berth_op_list_t;

struct berth_op {
  berth_graph_t *graph;  // Borrowed; NULL: stands alone.
  const char *type;
  const char *name;    // NULL: the op's own.
  const char *device;  // NULL: what the scopes say.
  bool is_exact;       // The name is used as given.
  bool is_borrowing;   // The values of attributes belong to the caller.
  berth_code_t code;   // The first failure.
  const char *message;
  berth_op_list_t inputs;      // berth_out_t
  berth_op_list_t arg_counts;  // int32_t, one per argument given
  berth_op_list_t arg_flags;   // bool: given as a list
  berth_op_list_t controls;    // int32_t
  berth_op_list_t colocated;   // int32_t
  berth_op_list_t attrs;       // berth_attr_t
  berth_arena_t arena;         // What does not fit below.
  int32_t text_used;
  // Nothing from here on is cleared at the beginning.
  berth_out_t own_inputs[BERTH_OP_ROOM];
  int32_t own_arg_counts[BERTH_OP_ROOM];
  bool own_arg_flags[BERTH_OP_ROOM];
  int32_t own_controls[BERTH_OP_ROOM];
  int32_t own_colocated[BERTH_OP_ROOM];
  berth_attr_t own_attrs[BERTH_OP_ROOM];
  char text[BERTH_OP_TEXT];
};

// What berth_op_begin() returns when there is no memory for an op: the address
// of its graph, marked, so that finishing can tell who has to know.
static inline berth_op_t *berth_op_lost(berth_graph_t *graph) {
  return (berth_op_t *)((uintptr_t)graph | 1);
}
static inline bool berth_op_is_lost(const berth_op_t *op) {
  return op == NULL || ((uintptr_t)op & 1) != 0;
}
static inline berth_graph_t *berth_op_lost_graph(const berth_op_t *op) {
  return (berth_graph_t *)((uintptr_t)op & ~(uintptr_t)1);
}

// Begins an op in the caller's storage. |type| and |name| are borrowed.
void berth_op_init(berth_op_t *op, berth_graph_t *graph, const char *type,
                   const char *name);

// Frees what |op| owns.
void berth_op_deinit(berth_op_t *op);

// Copies a text into |op|; NULL for no memory.
const char *berth_op_keep(berth_op_t *op, const char *text, size_t size);

// Adds an attribute as it is, without a copy.
void berth_op_put_attr(berth_op_t *op, const char *name,
                       const berth_attr_value_t *value);

// Adds the node that |op| describes. |op| stays the caller's.
BERTH_NODISCARD berth_code_t berth_op_commit(berth_op_t *op,
                                             berth_node_id_t *out_node,
                                             berth_error_t *err);

// The same, keeping an error in the graph. BERTH_NO_NODE then.
berth_node_id_t berth_op_commit_or_keep(berth_op_t *op);

#endif  // BERTH_GRAPH_BUILDER_INTERNAL_H_
