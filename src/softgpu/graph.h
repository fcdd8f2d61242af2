// graph.h - Captured work, and running it again.
//
// A graph is the list of what was captured, in that order, which is one of the
// orders its events allow. An instantiated graph holds a *program*: an
// immutable, counted copy, so that an update takes effect with the next launch
// and never in the middle of one. Launching is one piece of work that runs the
// whole list on the launching stream's thread.
//
// Threads: caller serialises, as the driver demands; programs are shared with
// streams.
#ifndef BERTH_SOFTGPU_GRAPH_H_
#define BERTH_SOFTGPU_GRAPH_H_

#include <stdbool.h>
#include <stddef.h>

#include "softgpu/work.h"

// Returns an empty graph, or NULL.
CUgraph berth_soft_graph_create(void);
void berth_soft_graph_destroy(CUgraph graph);

// Appends a copy of the work; false when there is no memory.
bool berth_soft_graph_add(CUgraph graph, const berth_soft_work_kind_t *kind,
                          const void *payload, size_t size);

// Stores a borrowed array of one, the work added last, which names it; none where
// there is none. Good until the next one is added.
size_t berth_soft_graph_last(CUgraph graph, const CUgraphNode **out);

#endif  // BERTH_SOFTGPU_GRAPH_H_
