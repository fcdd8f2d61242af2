// import_internal.h - What an import knows while it runs.
//
// An import goes through its steps in this order; each needs those before it:
//
//   names     the nodes of the GraphDef by name; are the names valid?
//   edges     every input by position in the GraphDef, or by id in the graph
//   order     inputs before users; which id each node will get
//   renames   the names the nodes get in the graph
//   adding    functions, then nodes, one by one
//
// A node that comes after its inputs keeps its place among them: the order is
// that of the file wherever that is possible.
//
// Everything lies in the importer's arena and goes with it. Threads: the
// graph's lock is held all the time.
#ifndef BERTH_GRAPH_IMPORT_INTERNAL_H_
#define BERTH_GRAPH_IMPORT_INTERNAL_H_

#include "base/arena.h"
#include "base/error.h"
#include "base/hash.h"
#include "graph/graph.h"
#include "graph/tensor_proto.h"
#include "wire/graph.pb-c.h"

enum { BERTH_IMPORT_CONTROL = -1 };  // The index of a control edge.

typedef struct berth_import_edge {
  int32_t source;    // Position in the GraphDef, or id when |is_mapped|.
  int32_t index;     // Of the output, or BERTH_IMPORT_CONTROL.
  int32_t user;      // Position of the node it goes into.
  int32_t next_use;  // The next edge that leaves the same source; -1: none.
  bool is_mapped;    // The options say where it comes from.
} berth_import_edge_t;

typedef struct berth_import_node {
  const Berth__Wire__NodeDef *def;
  const char *name;    // In the graph.
  int32_t first_edge;  // Into berth_importer.edges; as many as |def| has.
  int32_t first_use;   // Into the same; -1: none.
  int32_t pending;     // Inputs that are still to come.
  int32_t id;          // In the graph, once the order is known.
  bool is_merge, is_next_iteration;
} berth_import_node_t;

typedef struct berth_importer {
  berth_graph_t *graph;
  const berth_import_t *options;
  const Berth__Wire__GraphDef *def;
  bool borrows;  // Contents of constants are the caller's.
  berth_arena_t arena;
  berth_arena_t scratch;  // Emptied after every node.
  berth_import_node_t *nodes;
  berth_import_edge_t *edges;
  int32_t *order;  // Positions, in the order of adding.
  int32_t node_count;
  berth_map_t positions;  // Name in the GraphDef -> position.
  berth_map_t mappings;   // Name in the options' inputs -> first of them.
  int32_t *next_mapping;  // The next one of the same name; -1: none.
  berth_map_t prefixes;   // "a" and "a/b" for every node "a/b/c" of the graph.
  const char *prefix;     // "" or "name/".
  berth_expansion_t expansion;  // Of this import and those before it.
  int64_t many_outputs;         // Of nodes that have many.
  int32_t base;                 // Nodes of the graph before.
  int function_base;
} berth_importer_t;

// A text "name", "name:index" or "^name" taken apart.
typedef struct berth_tensor_name {
  const char *node;
  size_t size;    // Of |node|, which does not end there.
  int32_t index;  // BERTH_IMPORT_CONTROL for "^name".
} berth_tensor_name_t;

// Takes |text| apart as TensorFlow does; anything is a name of something.
berth_tensor_name_t berth_tensor_name_parse(const char *text);

// Reads a GraphDef from untrusted bytes into |arena|. Where |*out_borrows| is set
// to true, long contents of constants lie in |bytes|, which have to stay and are
// the caller's. Fails as berth_message_unpack() does.
BERTH_NODISCARD berth_code_t berth_import_unpack(
    const void *bytes, size_t size, berth_arena_t *arena,
    Berth__Wire__GraphDef **out_def, bool *out_borrows, berth_error_t *err);

// Indexes the nodes by name. BERTH_INVALID_ARGUMENT for a name that is invalid
// or not unique, for a node without op, and for data inputs after control
// inputs.
BERTH_NODISCARD berth_code_t berth_import_index(berth_importer_t *importer,
                                                berth_error_t *err);

// Finds out where every input comes from. BERTH_INVALID_ARGUMENT when that is
// nowhere.
BERTH_NODISCARD berth_code_t berth_import_connect(berth_importer_t *importer,
                                                  berth_error_t *err);

// Puts the nodes in order and gives them their ids. BERTH_INVALID_ARGUMENT when
// there is a cycle that is not a loop through Merge and NextIteration.
BERTH_NODISCARD berth_code_t berth_import_order(berth_importer_t *importer,
                                                berth_error_t *err);

// Gives every node the name it gets in the graph. BERTH_INVALID_ARGUMENT when
// that is taken, or the prefix makes invalid names.
BERTH_NODISCARD berth_code_t berth_import_rename(berth_importer_t *importer,
                                                 berth_error_t *err);

// Adds the nodes in their order and closes the loops among them. Leaves a part
// of them in the graph on failure.
BERTH_NODISCARD berth_code_t berth_import_add_nodes(berth_importer_t *importer,
                                                    berth_error_t *err);

// Returns where the options map output |index| of |node|, or -1: an index into
// the options' inputs.
int32_t berth_import_find_mapping(const berth_importer_t *importer,
                                  const berth_tensor_name_t *name);

// Returns the position of the node called |name|, or -1.
int32_t berth_import_find(const berth_importer_t *importer, const char *name,
                          size_t size);

#endif  // BERTH_GRAPH_IMPORT_INTERNAL_H_
