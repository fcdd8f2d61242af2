// graph_place.h - Slopes that are nodes of a graph.
//
// Threads: belongs to whoever differentiates.
#ifndef BERTH_GRAD_GRAPH_PLACE_H_
#define BERTH_GRAD_GRAPH_PLACE_H_

#include "grad/rule.h"

enum { BERTH_GRAD_DEPTH = 64 };  // Scopes in each other.

// Where nodes are made: a graph, by its own scopes or by a binding's.
typedef struct berth_graph_place {
  berth_place_fns_t fns;
  berth_graph_t *graph;
  const berth_emitter_t *binding;  // NULL: none.
  // What each push has to take away again.
  struct {
    bool is_named, is_colocated, is_free;
  } scopes[BERTH_GRAD_DEPTH];
  int depth;
} berth_graph_place_t;

// Fills |place|, which must stay where it is. |binding| may be NULL, and so may
// its functions.
void berth_graph_place_init(berth_graph_place_t *place, berth_graph_t *graph,
                            const berth_emitter_t *binding);

#endif  // BERTH_GRAD_GRAPH_PLACE_H_
