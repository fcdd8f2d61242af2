// gradients.c - berth_gradients(): slopes that are nodes of a graph.
#include <string.h>

#include "base/error.h"
#include "grad/graph_place.h"
#include "grad/rule_table.h"
#include "grad/walk.h"

static const berth_grad_row_t *find_row(const char *op) {
  int low = 0, high = berth_grad_row_count;
  while (low < high) {
    int middle = low + (high - low) / 2;
    int order = strcmp(op, berth_grad_rows[middle].op);
    if (order == 0) return &berth_grad_rows[middle];
    if (order < 0) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return NULL;
}

berth_grad_fn_t *berth_grad_rule(const char *op, bool *out_is_none) {
  const berth_grad_row_t *row = find_row(op);
  *out_is_none = row != NULL && row->rule == NULL;
  return row == NULL ? NULL : row->rule;
}

int berth_op_gradient(const char *op) {
  const berth_grad_row_t *row = op == NULL ? NULL : find_row(op);
  if (row == NULL) return 0;
  return row->rule == NULL ? -1 : 1;
}

static berth_code_t check(const berth_graph_t *graph, const berth_out_t *outs,
                          int count, berth_error_t *err) {
  for (int i = 0; i < count; ++i) {
    if (outs[i].index < 0 ||
        outs[i].index >= berth_node_output_count(graph, outs[i].node)) {
      return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                             "gradients: %d:%d is no output of the graph",
                             outs[i].node, outs[i].index);
    }
  }
  return BERTH_OK;
}

berth_code_t berth_gradients(berth_graph_t *graph, const berth_out_t *ys,
                             int y_count, const berth_out_t *xs, int x_count,
                             const berth_gradients_t *how,
                             berth_slope_t *out_slopes, berth_error_t *err) {
  static const berth_gradients_t defaults;
  BERTH_GIVEN(graph, err);
  BERTH_GIVEN_LIST(ys, y_count, err);
  BERTH_GIVEN_LIST(xs, x_count, err);
  BERTH_GIVEN_LIST(out_slopes, x_count, err);
  if (how == NULL) how = &defaults;
  BERTH_TRY(berth_graph_error(graph, err));
  BERTH_TRY(check(graph, ys, y_count, err));
  BERTH_TRY(check(graph, xs, x_count, err));
  BERTH_TRY(check(graph, how->stops, how->stop_count, err));
  berth_graph_place_t place;
  berth_graph_place_init(&place, graph, how->emitter);
  berth_walk_wish_t wish = {.graph = graph,
                            .to = &place.fns,
                            .ys = ys,
                            .y_count = y_count,
                            .xs = xs,
                            .x_count = x_count,
                            .how = how};
  const berth_emitter_t *emit = &place.fns.emit;
  const char *name = how->name == NULL ? "gradients" : how->name;
  BERTH_TRY(emit->push(emit->arg, name, BERTH_NO_NODE, false, err));
  berth_code_t code = berth_walk(&wish, out_slopes, err);
  emit->pop(emit->arg);
  return code;
}
