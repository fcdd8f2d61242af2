// consumers.h - Who uses what a node gives.
//
//   first[n] .. first[n+1]   the edges that leave node n, in |edges|
//
// Built when first asked for, over the nodes there are then; nodes added later
// are looked through one by one until they are many enough for building anew.
// So neither building a graph nor asking about it costs more than a little per
// node.
//
// Threads: the graph's lock guards it.
#ifndef BERTH_GRAPH_CONSUMERS_H_
#define BERTH_GRAPH_CONSUMERS_H_

struct berth_consumers;

// Frees the index. NULL is fine.
void berth_consumers_destroy(struct berth_consumers *consumers);

#endif  // BERTH_GRAPH_CONSUMERS_H_
