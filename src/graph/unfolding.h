// unfolding.h - Nodes that stand for what a call, an If, a Case or a While does.
//
//   x ── call ── y            x ─┬─ call ── y
//                      ->        └─ mul ── add     the unfolding: add:0 is call:0
//
// Slopes go back through functions by it: what a function does is written into
// the graph of its call once more, and slopes are computed from values there.
// A session runs a call and its unfolding once: both become the same nodes of
// the graph that it runs (src/lower).
//
// Threads: the graph's lock guards everything.
#ifndef BERTH_GRAPH_UNFOLDING_H_
#define BERTH_GRAPH_UNFOLDING_H_

#include "graph/graph.h"

typedef struct berth_unfolding {
  int32_t node;             // That is unfolded.
  int32_t first, count;     // The nodes that it is unfolded to.
  const berth_out_t *outs;  // By output of |node|; in the graph's arena.
} berth_unfolding_t;

// Notes |unfolding|, whose nodes are the last ones of |graph|; copies |outs|.
// False when memory is short.
bool berth_unfolding_add(berth_graph_t *graph,
                         const berth_unfolding_t *unfolding);

// Return the unfolding of node |id|, and the one that it is a node of; NULL:
// there is none. Borrowed until the next is added.
const berth_unfolding_t *berth_unfolding_find(const berth_graph_t *graph,
                                              int32_t id);
const berth_unfolding_t *berth_unfolding_around(const berth_graph_t *graph,
                                                int32_t id);

#endif  // BERTH_GRAPH_UNFOLDING_H_
