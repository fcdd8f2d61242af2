// export.h - Nodes and graphs as messages.
//
// The public half is the section "GraphDefs" of berth/graph.h.
// Threads: caller serialises the arena.
#ifndef BERTH_GRAPH_EXPORT_H_
#define BERTH_GRAPH_EXPORT_H_

#include "base/arena.h"
#include "base/error.h"
#include "graph/graph.h"
#include "wire/graph.pb-c.h"

// Makes a NodeDef of |node| in |arena|, borrowing from the graph: data inputs
// in order, then control inputs by name; attributes by name, defaults included.
BERTH_NODISCARD berth_code_t berth_node_to_wire(const berth_graph_t *graph,
                                                const berth_node_t *node,
                                                berth_arena_t *arena,
                                                Berth__Wire__NodeDef **out_def,
                                                berth_error_t *err);

#endif  // BERTH_GRAPH_EXPORT_H_
