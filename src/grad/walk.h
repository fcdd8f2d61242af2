// walk.h - Going back through a graph, from what is known to what is asked for.
//
//   xs ──> … ──> node ──> … ──> ys
//                 slope <── … <── dys
//
// A node's turn comes when the slopes by all of its outputs are there. They are
// summed, its rule says what the slopes by its inputs are, and the nodes before
// it come nearer to their turn. Only nodes on a way from an x to a y are gone
// through.
//
// Threads: a walk belongs to one thread; the graph may grow meanwhile.
#ifndef BERTH_GRAD_WALK_H_
#define BERTH_GRAD_WALK_H_

#include "grad/rule.h"

// What a walk is asked.
typedef struct berth_walk_wish {
  berth_graph_t *graph;
  const berth_place_fns_t *to;
  const berth_out_t *ys;
  int y_count;
  const berth_out_t *xs;
  int x_count;
  const berth_gradients_t *how;
} berth_walk_wish_t;

// Stores a slope for each x.
BERTH_NODISCARD berth_code_t berth_walk(const berth_walk_wish_t *wish,
                                        berth_slope_t *out_slopes,
                                        berth_error_t *err);

// Sums |count| slopes, at least one, as TensorFlow does: values by AddN, rows by
// putting them one after the other.
berth_slope_t berth_grad_sum(berth_grad_t *g, const berth_slope_t *slopes,
                             int count, bool is_free);

// Makes slopes that are used only when all of them are there.
void berth_grad_gate(berth_grad_t *g, berth_slope_t *slopes, int count);

// True for types that have slopes.
bool berth_grad_is_smooth(berth_dtype_t type);

#endif  // BERTH_GRAD_WALK_H_
