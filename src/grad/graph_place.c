// graph_place.c - Slopes that are nodes of a graph.
#include "grad/graph_place.h"

#include "base/error.h"
#include "graph/scope.h"
#include "graph/shape_value.h"
#include "tensor/compact.h"

// ---- By the graph's own scopes ----

static berth_op_t *begin(void *arg, const char *op, const char *name) {
  berth_graph_t *graph = ((berth_graph_place_t *)arg)->graph;
  if (name != BERTH_SCOPE_NAME) return berth_op_begin(graph, op, name);
  berth_graph_lock(graph);
  const char *prefix = berth_scopes_prefix(graph);
  berth_graph_unlock(graph);
  return berth_op_begin_exact(graph, op, prefix);
}

static berth_code_t finish(void *arg, berth_op_t *op, const berth_out_t *inputs,
                           const int *counts, int count,
                           berth_node_id_t *out_node, berth_error_t *err) {
  (void)arg;
  for (int i = 0, at = 0; i < count; ++i) {
    if (counts[i] < 0) {
      berth_op_input(op, inputs[at++]);
    } else {
      berth_op_input_list(op, inputs + at, counts[i]);
      at += counts[i];
    }
  }
  return berth_op_try_finish(op, out_node, err);
}

static berth_code_t push(void *arg, const char *name, berth_node_id_t node,
                         bool is_free, berth_error_t *err) {
  berth_graph_place_t *place = arg;
  if (place->depth == BERTH_GRAD_DEPTH) {
    return berth_error_set(err, BERTH_INTERNAL, "too many scopes of slopes");
  }
  int at = place->depth++;
  place->scopes[at].is_named = name != NULL;
  place->scopes[at].is_colocated = node != BERTH_NO_NODE;
  place->scopes[at].is_free = is_free;
  if (name != NULL) berth_scope_push(place->graph, name);
  if (is_free) berth_device_push(place->graph, NULL);
  if (node != BERTH_NO_NODE) berth_colocate_push(place->graph, node);
  return BERTH_OK;
}

static void pop(void *arg) {
  berth_graph_place_t *place = arg;
  if (place->depth == 0) return;
  int at = --place->depth;
  if (place->scopes[at].is_colocated) berth_colocate_pop(place->graph);
  if (place->scopes[at].is_free) berth_device_pop(place->graph);
  if (place->scopes[at].is_named) berth_scope_pop(place->graph);
}

// ---- By a binding ----

static berth_op_t *bound_begin(void *arg, const char *op, const char *name) {
  const berth_emitter_t *binding = ((berth_graph_place_t *)arg)->binding;
  return binding->begin(binding->arg, op, name == BERTH_SCOPE_NAME ? "" : name);
}

static berth_code_t bound_finish(void *arg, berth_op_t *op,
                                 const berth_out_t *inputs, const int *counts,
                                 int count, berth_node_id_t *out_node,
                                 berth_error_t *err) {
  const berth_emitter_t *binding = ((berth_graph_place_t *)arg)->binding;
  return binding->finish(binding->arg, op, inputs, counts, count, out_node,
                         err);
}

static berth_code_t bound_push(void *arg, const char *name,
                               berth_node_id_t node, bool is_free,
                               berth_error_t *err) {
  const berth_emitter_t *binding = ((berth_graph_place_t *)arg)->binding;
  return binding->push(binding->arg, name, node, is_free, err);
}

static void bound_pop(void *arg) {
  const berth_emitter_t *binding = ((berth_graph_place_t *)arg)->binding;
  binding->pop(binding->arg);
}

static berth_code_t bound_differentiate(void *arg, berth_node_id_t node,
                                        const berth_slope_t *dy,
                                        berth_slope_t *dx, bool *out_done,
                                        berth_error_t *err) {
  const berth_emitter_t *binding = ((berth_graph_place_t *)arg)->binding;
  return binding->differentiate(binding->arg, node, dy, dx, out_done, err);
}

// ---- What is known ----

static berth_dtype_t dtype(void *arg, berth_out_t value) {
  return berth_out_dtype(((berth_graph_place_t *)arg)->graph, value);
}

static berth_dims_t shape(void *arg, berth_out_t value, berth_arena_t *arena) {
  berth_graph_t *graph = ((berth_graph_place_t *)arg)->graph;
  berth_dims_t dims = {-1, NULL};
  berth_graph_lock(graph);
  berth_dims_t known =
      berth_graph_get(graph, value.node)->output_shapes[value.index];
  if (known.rank == 0) dims.rank = 0;
  if (known.rank > 0) {
    dims.dims = berth_arena_memdup(arena, known.dims,
                                   (size_t)known.rank * sizeof(int64_t));
    if (dims.dims != NULL) dims.rank = known.rank;
  }
  berth_graph_unlock(graph);
  return dims;
}

static const berth_tensor_t *constant(void *arg, berth_out_t value) {
  berth_graph_t *graph = ((berth_graph_place_t *)arg)->graph;
  berth_graph_lock(graph);
  const berth_tensor_t *tensor = berth_value_of(graph, value);
  berth_graph_unlock(graph);
  return tensor == NULL || berth_tensor_is_compact(tensor) ? NULL : tensor;
}

void berth_graph_place_init(berth_graph_place_t *place, berth_graph_t *graph,
                            const berth_emitter_t *binding) {
  bool is_bound = binding != NULL && binding->begin != NULL;
  bool has_scopes = binding != NULL && binding->push != NULL;
  *place = (berth_graph_place_t){
      .fns = {.emit = {.arg = place,
                       .begin = is_bound ? bound_begin : begin,
                       .finish = is_bound ? bound_finish : finish,
                       .push = has_scopes ? bound_push : push,
                       .pop = has_scopes ? bound_pop : pop},
              .dtype = dtype,
              .shape = shape,
              .constant = constant},
      .graph = graph,
      .binding = binding};
  if (binding != NULL && binding->differentiate != NULL) {
    place->fns.emit.differentiate = bound_differentiate;
  }
}
