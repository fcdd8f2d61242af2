// lower.h - The graph that a session runs: without calls, If, Case and While.
//
// Threads: follow is called with the session's lock held; the others may look
// at what was followed at any time.
#ifndef BERTH_LOWER_LOWER_H_
#define BERTH_LOWER_LOWER_H_

#include "graph/graph.h"

typedef struct berth_lowering berth_lowering_t;

// True when a node of |graph| from |first| on calls a function or is run by
// functions.
bool berth_lower_is_needed(const berth_graph_t *graph, int first);

// Begins to follow |graph| (retained): nothing is copied yet. NULL when memory
// is short.
berth_lowering_t *berth_lowering_create(berth_graph_t *graph);
// NULL is fine.
void berth_lowering_destroy(berth_lowering_t *lowering);

// Copies or lowers what was added to the graph since. A node that cannot be
// lowered (a function that is not there, arguments that it does not take, one
// that calls itself) is copied with the reason, BERTH_WHY_NOT: a run that needs
// it is told. Fails, and leaves all as it was, when memory is short, and with
// BERTH_INVALID_ARGUMENT when nodes and functions make no sense together.
BERTH_NODISCARD berth_code_t berth_lowering_follow(berth_lowering_t *lowering,
                                                   berth_error_t *err);

// The graph that it makes. Borrowed.
berth_graph_t *berth_lowering_graph(const berth_lowering_t *lowering);

// Returns what |out| of the followed graph is in the other, and which node
// there is done when |node| is. What does not exist is nothing there, either.
berth_out_t berth_lowering_out(berth_lowering_t *lowering, berth_out_t out);
int32_t berth_lowering_node(berth_lowering_t *lowering, int32_t node);

#endif  // BERTH_LOWER_LOWER_H_
