// graph.h - Graphs from the inside.
//
//   graph ─┬─ nodes, in chunks: their addresses never change
//          ├─ arena: names, edges, attributes, shapes
//          ├─ names: name -> node id, and the names taken in lower case
//          ├─ stacks: name, device, colocation and control scopes
//          └─ functions
//
// A graph only grows, and a node never changes once added, but for the shapes
// of its outputs (set_shape refines them). A node's inputs come before it: ids
// are a topological order, except for the back edges of Merge nodes, which
// are set afterwards (I2, graph/loop.c).
//
//   I1  Inputs of node n have ids below n, unless n is a Merge.
//   I2  Merge inputs may come from any node.
//   I3  A failed call leaves the graph as it was.
//
// Threads: berth_graph_lock() serialises building; reading nodes below a count
// obtained from berth_graph_node_count() needs no lock.
//
// The public half is berth/graph.h.
#ifndef BERTH_GRAPH_GRAPH_H_
#define BERTH_GRAPH_GRAPH_H_

#include <stdatomic.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/thread.h"
#include "berth/graph.h"
#include "graph/attr.h"
#include "graph/schema.h"

// A node: what it is and what it gets. Everything it points to is the graph's,
// or its op's, and lives as long.
typedef struct berth_node {
  int32_t id;           // Its place; -1 in nodes that are no graph's.
  int32_t input_count;  // Data inputs, one per value.
  int32_t control_count;
  int32_t output_count;
  int32_t attr_count;
  bool is_metadata;  // Shape, Size or Rank.
  const berth_op_schema_t *op;
  const char *name;           // Unique in the graph.
  const char *device;         // As asked for, interned; "" when nothing was.
  const berth_out_t *inputs;  // I1, I2.
  const int32_t *controls;    // Node ids.
  const berth_attr_t *attrs;  // As given; defaults are the schema's.
  const berth_dtype_t *output_types;  // References include BERTH_REF.
  berth_dims_t *output_shapes;        // Guarded by the graph's lock.
} berth_node_t;

// The attributes of a node that cannot be run: why, and the code that a run
// fails with.
#define BERTH_WHY_NOT "_why_not"
#define BERTH_WHY_NOT_CODE "_why_not_code"

// The attribute of a node that was put in the place of a call: what its function
// calls it. Failures name it so.
#define BERTH_ORIGIN "_origin"

enum { BERTH_NODE_CHUNK = 1024, BERTH_GRAPH_RECENT_KNOWN = 32 };

struct berth_graph {
  berth_mutex_t lock;  // Guards everything below but |refs|.
  atomic_int refs;
  atomic_int node_count;
  berth_node_t **chunks;  // Of BERTH_NODE_CHUNK nodes each.
  size_t chunk_count, chunk_capacity;
  // Chunk tables that were outgrown; freed with the graph, because readers
  // without the lock may still look at them.
  void **old_tables;
  size_t old_table_count, old_table_capacity;
  berth_arena_t arena;
  berth_map_t names;     // Node name -> id; -1 for one taken away again.
  int32_t named;         // Nodes below this are in |names|.
  berth_map_t interned;  // Texts of which there is one copy.
  // By place in the table of ops, a recent node: the next one of that op shares
  // its attributes and types when they are equal. Ops that are only known share
  // BERTH_GRAPH_RECENT_KNOWN places at the end.
  int32_t *recent;
  // Nodes whose attributes hold tensors, to be released with the graph.
  int32_t *holders;
  size_t holder_count, holder_capacity;
  struct berth_consumers *consumers;   // graph/consumers.c; NULL: none yet.
  struct berth_scopes *scopes;         // graph/scope.c.
  struct berth_functions *functions;   // graph/function.c; NULL: none.
  struct berth_unfolding *unfoldings;  // graph/unfolding.c; by first node.
  size_t unfolding_count, unfolding_capacity;
  const struct berth_shaping *shaping;  // lower/shapes.c; NULL: of its own.
  berth_error_t error;                  // The first error of building; sticky.
  int32_t producer;                     // GraphDef versions.
  int32_t min_consumer;
  uint64_t expanded;  // Bytes that imported constants will take when used.
};

// Returns node |id|, which must be below the node count. Its address stays as
// long as the graph. No lock.
static inline berth_node_t *berth_graph_get(const berth_graph_t *graph,
                                            int32_t id) {
  berth_node_t **chunks = __atomic_load_n(
      &((berth_graph_t *)(uintptr_t)graph)->chunks, __ATOMIC_ACQUIRE);
  return &chunks[id / BERTH_NODE_CHUNK][id % BERTH_NODE_CHUNK];
}

// Returns the type of data input |index| of |node|, as its producer says: with
// BERTH_REF where that gives a reference.
berth_dtype_t berth_node_input_type(const berth_graph_t *graph,
                                    const berth_node_t *node, int index);

// Returns the value of attribute |name|: the node's own, else the schema's
// default, else NULL. Borrowed.
const berth_attr_value_t *berth_node_attr(const berth_node_t *node,
                                          const char *name);

// The same by kind, with a fallback when it is missing or of another kind.
// Texts are borrowed, and NUL-terminated, though they may hold others before
// that.
int64_t berth_node_attr_int(const berth_node_t *node, const char *name,
                            int64_t fallback);
float berth_node_attr_float(const berth_node_t *node, const char *name,
                            float fallback);
bool berth_node_attr_bool(const berth_node_t *node, const char *name,
                          bool fallback);
berth_dtype_t berth_node_attr_type(const berth_node_t *node, const char *name,
                                   berth_dtype_t fallback);
const char *berth_node_attr_string(const berth_node_t *node, const char *name,
                                   const char *fallback);

// Stores the value of a Const, all of its elements in host memory; another
// reference where they are there already. BERTH_INVALID_ARGUMENT when it has
// none, or one of another type than the node promises, as a GraphDef may.
// BERTH_RESOURCE_EXHAUSTED when there is no room for it; the text names the
// node. Each call expands a compact value anew: keep what it gives.
BERTH_NODISCARD berth_code_t berth_node_constant(const berth_node_t *node,
                                                 berth_tensor_t **out_tensor,
                                                 berth_error_t *err);

// Store which values |arg|, an index into the schema's inputs or outputs,
// covers.
void berth_node_input_range(const berth_node_t *node, int arg, int *out_first,
                            int *out_count);
void berth_node_output_range(const berth_node_t *node, int arg, int *out_first,
                             int *out_count);

// Appends `{{node n}} = Op[T=DT_FLOAT, ...](a, b:1, ^c)`, as TensorFlow does.
void berth_node_print(const berth_graph_t *graph, const berth_node_t *node,
                      berth_str_t *str);

// Everything that makes a node, checked and added by berth_graph_add(). All is
// borrowed for the call; may come from outside, and name anything.
typedef struct berth_node_spec {
  const char *op;      // Of an op, or a function of the graph.
  const char *name;    // Already unique; scopes do not apply.
  const char *device;  // "" or NULL: none.
  const berth_out_t *inputs;
  int32_t input_count;
  const int32_t *controls;
  int32_t control_count;
  const berth_attr_t *attrs;
  int32_t attr_count;
  // How many values each input argument takes, for ops with counted or listed
  // arguments whose attribute is not given (it is then inferred). NULL: derive
  // from the attributes.
  const int32_t *arg_counts;
  int32_t arg_count;        // Length of |arg_counts|; 0: one per argument.
  const bool *arg_is_list;  // Which were given as lists. NULL: those that must.
  // Every attribute without a default must be given, and messages are those of
  // reading a GraphDef. Otherwise attributes that follow from the inputs may be
  // left out, and messages are those of building a node.
  bool is_strict;
  // |name| lies in the graph's arena and need not be copied; the scopes made
  // it, so that nobody else has it.
  bool is_name_kept;
  bool is_shapeless;  // Shapes of outputs are not asked for, nor checked.
} berth_node_spec_t;

// Adds a node: checks it against its schema, infers missing attributes from the
// inputs, infers shapes. Copies all it needs. The lock must be held. Fails with
// the texts of TensorFlow and changes nothing then (I3):
//
//   BERTH_INVALID_ARGUMENT    name, inputs, attributes or shapes are wrong
//   BERTH_NOT_FOUND           there is no such op
//   BERTH_UNIMPLEMENTED       the op is gone in the graph's version
//   BERTH_RESOURCE_EXHAUSTED  no memory, or more outputs than a node may have
BERTH_NODISCARD berth_code_t berth_graph_add(berth_graph_t *graph,
                                             const berth_node_spec_t *spec,
                                             int32_t *out_id,
                                             berth_error_t *err);

// Makes |back| input |index| of |merge|, which had a stand-in there. The lock
// must be held. BERTH_INVALID_ARGUMENT for an output that does not exist or is
// of another type.
BERTH_NODISCARD berth_code_t berth_merge_set_input(const berth_graph_t *graph,
                                                   const berth_node_t *merge,
                                                   int32_t index,
                                                   berth_out_t back,
                                                   berth_error_t *err);

// Takes the nodes from |node_count| on away again, as if they had never been
// added. For importers that add many nodes or none: nobody else has seen them.
// The lock must be held.
void berth_graph_truncate(berth_graph_t *graph, int32_t node_count);

// Returns the node called |name|, of |size| characters, or -1. Names of nodes
// that were built are put into the map when somebody first looks for one: most
// never are. The lock must be held.
int32_t berth_graph_lookup(berth_graph_t *graph, const char *name, size_t size);

// Returns one copy of |text| for equal texts, or NULL when memory is short. It
// lives as long as the graph, and ends in a NUL. The lock must be held.
const char *berth_graph_intern(berth_graph_t *graph, const char *text,
                               size_t size);

// Held while the graph changes; readers of nodes need none. Not recursive; no
// function of the program is called with it held.
void berth_graph_lock(berth_graph_t *graph);
void berth_graph_unlock(berth_graph_t *graph);

#endif  // BERTH_GRAPH_GRAPH_H_
