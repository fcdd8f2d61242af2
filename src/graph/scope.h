// scope.h - What the nodes being built have in common: names, devices,
// colocation, control inputs.
//
//   scopes ─┬─ names     taken ones without regard to case, and the prefix
//           ├─ devices   strings, functions, and walls that hide what is
//           outside ├─ colocate  nodes to be placed with; each is a wall for
//           devices └─ controls  groups of nodes to wait for
//
// The public half is the section "Scopes" of berth/graph.h. Everything here
// follows TensorFlow's Python, where these live.
//
// Threads: the graph's lock guards everything and must be held.
#ifndef BERTH_GRAPH_SCOPE_H_
#define BERTH_GRAPH_SCOPE_H_

#include "graph/graph.h"

struct berth_scopes;

// Makes empty scopes, or NULL.
struct berth_scopes *berth_scopes_create(void);
void berth_scopes_destroy(struct berth_scopes *scopes);

// Forgets that nodes from |node_count| on were seen.
void berth_scopes_truncate(struct berth_scopes *scopes, int32_t node_count);

// Takes the name a node called |name| gets, the scope's prefix included, and
// stores it; it lies in the graph's arena.
BERTH_NODISCARD berth_code_t berth_scopes_take_name(berth_graph_t *graph,
                                                    const char *name,
                                                    const char **out_name,
                                                    berth_error_t *err);

// Returns the names of the scopes that there are, without a slash at the end; ""
// for none. Lives as long as the graph.
const char *berth_scopes_prefix(const berth_graph_t *graph);

// Stores the device that the scopes ask for, "" for none, interned. Gives the
// lock up while it calls a device function.
BERTH_NODISCARD berth_code_t berth_scopes_device(berth_graph_t *graph,
                                                 const char *op,
                                                 const char *name,
                                                 const char **out_device,
                                                 berth_error_t *err);

// Returns the nodes to be placed with, innermost first.
const int32_t *berth_scopes_colocation(const berth_graph_t *graph,
                                       int *out_count);

// Calls |add| for each node that one with |inputs| must wait for. A group is
// left out when an input was itself built under it, and so waits already.
void berth_scopes_controls(const berth_graph_t *graph,
                           const berth_out_t *inputs, int32_t input_count,
                           void (*add)(void *arg, int32_t node), void *arg);

// Takes note that node |id| was built under the present scopes.
void berth_scopes_note(berth_graph_t *graph, int32_t id);

// Keeps |err| as the graph's first error of building, unless it has one, and
// empties it.
void berth_graph_keep_error(berth_graph_t *graph, berth_error_t *err);

#endif  // BERTH_GRAPH_SCOPE_H_
