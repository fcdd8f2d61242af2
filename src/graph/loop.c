// loop.c - Closing loops: what a NextIteration hands back to a Merge.
//
// A node is added after its inputs, but the second input of a loop's Merge is
// made by nodes that use the Merge. So the Merge is added with its first input
// in both places, and the loop is closed when its end is there.
#include <string.h>

#include "graph/consumers.h"
#include "graph/graph.h"
#include "tensor/dtype.h"
#include "tensor/shape.h"

berth_code_t berth_merge_set_input(const berth_graph_t *graph,
                                   const berth_node_t *merge, int32_t index,
                                   berth_out_t back, berth_error_t *err) {
  const berth_node_t *source = berth_graph_get(graph, back.node);
  if (back.index < 0 || back.index >= source->output_count) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Output %d of node %s does not exist. Node only has "
                           "%d outputs.",
                           (int)back.index, source->name,
                           (int)source->output_count);
  }
  berth_dtype_t type = source->output_types[back.index];
  berth_dtype_t expected = berth_node_attr_type(merge, "T", BERTH_INVALID);
  if (berth_dtype_base(type) != expected) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Input %d of node %s was passed %s from %s:%d "
                           "incompatible with expected %s.",
                           (int)index, merge->name, berth_dtype_name(type),
                           source->name, (int)back.index,
                           berth_dtype_name(expected));
  }
  // Nobody runs a loop that is not closed, so nobody has looked at this input.
  ((berth_out_t *)(uintptr_t)merge->inputs)[index] = back;
  return BERTH_OK;
}

// ---- Closing a loop that is being built ----

static bool is_op(const berth_node_t *node, const char *op, const char *ref) {
  return strcmp(node->op->name, op) == 0 || strcmp(node->op->name, ref) == 0;
}

static bool is_same(berth_out_t a, berth_out_t b) {
  return a.node == b.node && a.index == b.index;
}

static berth_code_t check_ends(const berth_graph_t *graph,
                               berth_node_id_t merge, berth_out_t back,
                               berth_error_t *err) {
  int32_t count = berth_graph_node_count(graph);
  if (merge < 0 || merge >= count || back.node < 0 || back.node >= count) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "A loop between nodes %d and %d cannot be closed: "
                           "the graph has %d nodes",
                           (int)merge, (int)back.node, (int)count);
  }
  const berth_node_t *head = berth_graph_get(graph, merge);
  const berth_node_t *tail = berth_graph_get(graph, back.node);
  if (!is_op(head, "Merge", "RefMerge") ||
      !is_op(tail, "NextIteration", "RefNextIteration")) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "A loop is closed from a NextIteration to a Merge, "
                           "not from %s (%s) to %s (%s)",
                           tail->name, tail->op->name, head->name,
                           head->op->name);
  }
  if (head->input_count != 2 || !is_same(head->inputs[0], head->inputs[1])) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "The loop of %s is closed already, or was not made "
                           "with one input twice",
                           head->name);
  }
  return BERTH_OK;
}

// Stores what |own| and |other| agree on. What is new lies in |graph|.
static berth_code_t shape_common(berth_graph_t *graph, berth_dims_t own,
                                 berth_dims_t other, berth_dims_t *out_common,
                                 berth_error_t *err) {
  *out_common = other.rank == own.rank ? own : (berth_dims_t){-1, NULL};
  if (out_common->rank <= 0 || berth_dims_equal(own, other)) return BERTH_OK;
  int64_t *dims = berth_arena_memdup(&graph->arena, own.dims,
                                     (size_t)own.rank * sizeof *dims);
  if (dims == NULL) return berth_error_no_memory(err, "a shape");
  for (int32_t i = 0; i < own.rank; ++i) {
    if (dims[i] != other.dims[i]) dims[i] = -1;
  }
  out_common->dims = dims;
  return BERTH_OK;
}

static berth_code_t close_locked(berth_graph_t *graph, berth_node_id_t merge,
                                 berth_out_t back, berth_error_t *err) {
  BERTH_TRY(check_ends(graph, merge, back, err));
  berth_node_t *node = berth_graph_get(graph, merge);
  berth_dims_t shape;
  BERTH_TRY(shape_common(graph, node->output_shapes[0],
                         berth_graph_get(graph, back.node)->output_shapes[0],
                         &shape, err));
  BERTH_TRY(berth_merge_set_input(graph, node, 1, back, err));
  node->output_shapes[0] = shape;
  // The index may still say that the first input is used twice.
  berth_consumers_destroy(graph->consumers);
  graph->consumers = NULL;
  return BERTH_OK;
}

berth_code_t berth_graph_close_loop(berth_graph_t *graph, berth_node_id_t merge,
                                    berth_out_t back, berth_error_t *err) {
  BERTH_GIVEN(graph, err);
  berth_graph_lock(graph);
  berth_code_t code = close_locked(graph, merge, back, err);
  berth_graph_unlock(graph);
  return code;
}
