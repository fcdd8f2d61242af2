// grad.h - Gradients of graphs.
//
//   berth_out_t xs[] = {weights, bias};
//   berth_slope_t slopes[2];
//   code = berth_gradients(g, &loss, 1, xs, 2, NULL, slopes, &err);
//
// Adds the nodes that compute the slopes of the sum of |ys| by |xs|, under the
// names that TensorFlow gives them (gradients/MatMul_grad/MatMul_1). Which ops
// can be differentiated docs/ops.md says; every one of them has one rule, used
// for graphs and for tapes (tape.h) alike.
//
// Threads: those of the graph; a call adds its nodes one by one.
#ifndef BERTH_GRAD_H_
#define BERTH_GRAD_H_

#include "berth/graph.h"

#ifdef __cplusplus
extern "C" {
#endif

// A slope: nothing (no node), a value, or where |indices| is a node rows of one:
// |values[i]| belongs to row |indices[i]| of a value of shape |dense_shape|, and
// rows that are not named are zero. Plain data.
typedef struct berth_slope {
  berth_out_t values;
  berth_out_t indices;      // Node BERTH_NO_NODE: |values| is all of it.
  berth_out_t dense_shape;  // May be no node where nobody knows.
} berth_slope_t;

// How new nodes are made, for bindings that keep names, scopes and handles of
// their own. What is NULL is done as the graph does it.
typedef struct berth_emitter {
  void *arg;  // Handed to every function.
  // Begins a node: as berth_op_begin(), which gets scopes and a name; "" is the
  // name of the scope that was pushed last.
  berth_op_t *(*begin)(void *arg, const char *op, const char *name);
  // Finishes it with its inputs: argument i takes |counts[i]| of them, as a list,
  // or one where that is -1. Frees |op| in any case.
  berth_code_t (*finish)(void *arg, berth_op_t *op, const berth_out_t *inputs,
                         const int *counts, int count,
                         berth_node_id_t *out_node, berth_error_t *err);
  // Begins a scope of names (NULL: the same), whose nodes are placed with |node|
  // (BERTH_NO_NODE: as they would be), or, |is_free|, with nobody.
  berth_code_t (*push)(void *arg, const char *name, berth_node_id_t node,
                       bool is_free, berth_error_t *err);
  void (*pop)(void *arg);
  // Differentiates a node of an op that has no rule, or one with an attribute
  // _gradient_op_type. Sets |*out_done| when it has, and |dx|, one per input.
  berth_code_t (*differentiate)(void *arg, berth_node_id_t node,
                                const berth_slope_t *dy, berth_slope_t *dx,
                                bool *out_done, berth_error_t *err);
} berth_emitter_t;

// What differs from the default of berth_gradients(). Zeroed is the default.
typedef struct berth_gradients {
  const char *name;          // Of the scope; NULL: "gradients".
  const berth_slope_t *dys;  // Slopes by each y; NULL, or no node in one: 1.
  const berth_out_t *stops;  // What is taken as constant.
  int stop_count;
  bool is_gated;      // No slope of a node is used before all are there.
  bool is_colocated;  // Slopes are computed where their nodes are.
  bool is_free;       // Sums are not tied to the place of a summand.
  // Only nodes from this one on are differentiated; others are constant.
  berth_node_id_t first;
  const berth_emitter_t *emitter;  // NULL: the graph's own scopes and names.
} berth_gradients_t;

// Stores the slopes of the sum of |ys| by each of |xs|: no node where there is
// no way from one to the other.
//
//   BERTH_NOT_FOUND         an op on the way has no gradient (TensorFlow's
//                           LookupError)
//   BERTH_INVALID_ARGUMENT  an output that is none, types that have no slope
//   BERTH_UNIMPLEMENTED     what TensorFlow can and Berth cannot
//
// Nodes that were added before a failure stay.
BERTH_API BERTH_NODISCARD berth_code_t berth_gradients(
    berth_graph_t *graph, const berth_out_t *ys, int y_count,
    const berth_out_t *xs, int x_count, const berth_gradients_t *how,
    berth_slope_t *out_slopes, berth_error_t *err);

// Tells whether slopes go through ops called |op|: 1 when there is a rule, 0
// when there is none, -1 when its outputs do not depend on its inputs smoothly
// (comparisons, shapes), so that nothing is to be gone through.
BERTH_API int berth_op_gradient(const char *op);

#ifdef __cplusplus
}
#endif
#endif  // BERTH_GRAD_H_
