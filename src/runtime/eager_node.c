// eager_node.c - The node of a kind of eager call.
//
// The graph that a node is checked in only grows, and its memory goes with it
// alone. So nodes are copied out and taken back, and a graph that has used much
// memory is replaced.
#include <string.h>

#include "graph/builder.h"
#include "runtime/eager_internal.h"

enum { SCRATCH_BYTES = 256 * 1024 };

// ---- The graph ----

// Makes sure that there is a graph, of no more than so many bytes.
static berth_code_t scratch_renew(berth_eager_scratch_t *scratch,
                                  berth_error_t *err) {
  if (scratch->graph != NULL &&
      scratch->graph->arena.total_bytes <= SCRATCH_BYTES) {
    return BERTH_OK;
  }
  berth_graph_t *graph = berth_graph_create();
  if (graph == NULL) return berth_error_no_memory(err, "an eager call");
  berth_graph_release(scratch->graph);
  scratch->graph = graph;
  for (int i = 0; i < BERTH_DTYPE_COUNT; ++i) scratch->inputs[i] = -1;
  return BERTH_OK;
}

// Stores the placeholder that stands for inputs of |dtype|.
static berth_code_t scratch_input(berth_eager_scratch_t *scratch,
                                  berth_dtype_t dtype, berth_out_t *out_input,
                                  berth_error_t *err) {
  int32_t *known = &scratch->inputs[dtype];
  if (*known < 0) {
    berth_attr_t attr = {"dtype", {.kind = BERTH_ATTR_TYPE, .type = dtype}};
    berth_node_spec_t spec = {.op = "Placeholder",
                              .name = "input",
                              .attrs = &attr,
                              .attr_count = 1,
                              .is_name_kept = true};
    BERTH_TRY(berth_graph_add(scratch->graph, &spec, known, err));
  }
  *out_input = (berth_out_t){*known, 0};
  return BERTH_OK;
}

// ---- Adding ----

// Says how many inputs each argument takes: one, but for the only argument of
// many, which takes the rest. With two such arguments the attributes must tell:
// |*out_counts| stays NULL.
static berth_code_t count_args(const berth_eager_request_t *request,
                               berth_arena_t *arena, int32_t **out_counts,
                               berth_error_t *err) {
  const berth_op_schema_t *schema = berth_schema_find(request->op);
  if (schema == NULL) return BERTH_OK;  // berth_graph_add() says so.
  int32_t *counts = berth_arena_calloc(arena, (size_t)schema->input_count + 1,
                                       sizeof(*counts));
  if (counts == NULL) return berth_error_no_memory(err, "an eager call");
  int many = -1;
  for (int i = 0; i < schema->input_count; ++i) {
    const berth_arg_schema_t *arg = &schema->inputs[i];
    counts[i] = 1;
    if (arg->number_attr < 0 && arg->list_attr < 0) continue;
    if (many >= 0) return BERTH_OK;
    many = i;
  }
  if (many >= 0) counts[many] = request->input_count - schema->input_count + 1;
  if (many < 0 || counts[many] < 0) return BERTH_OK;
  *out_counts = counts;
  return BERTH_OK;
}

// Adds the node to the graph. The graph's lock is held.
static berth_code_t node_add(berth_eager_scratch_t *scratch,
                             const berth_eager_request_t *request,
                             berth_arena_t *arena, int32_t *out_node,
                             berth_error_t *err) {
  berth_out_t *inputs = berth_arena_calloc(
      arena, (size_t)request->input_count + 1, sizeof(*inputs));
  if (inputs == NULL) return berth_error_no_memory(err, "an eager call");
  for (int i = 0; i < request->input_count; ++i) {
    BERTH_TRY(
        scratch_input(scratch, request->inputs[i]->dtype, &inputs[i], err));
  }
  int32_t *counts = NULL;
  BERTH_TRY(count_args(request, arena, &counts, err));
  berth_node_spec_t spec = {.op = request->op,
                            // Ops of the runtime's own begin with an
                            // underscore; names of nodes must not.
                            .name = request->op + strspn(request->op, "_"),
                            .inputs = inputs,
                            .input_count = request->input_count,
                            .attrs = request->attrs,
                            .attr_count = request->attr_count,
                            .arg_counts = counts,
                            .is_name_kept = true,
                            // As in TensorFlow kernels alone check shapes.
                            .is_shapeless = true};
  return berth_graph_add(scratch->graph, &spec, out_node, err);
}

// ---- Copying ----

static void *copy_array(const void *array, int32_t count, size_t size,
                        berth_arena_t *arena) {
  return berth_arena_memdup(arena, array, (size_t)count * size);
}

static bool copy_shapes(berth_node_t *node, berth_arena_t *arena) {
  node->output_shapes = copy_array(node->output_shapes, node->output_count,
                                   sizeof(berth_dims_t), arena);
  if (node->output_shapes == NULL) return false;
  for (int32_t i = 0; i < node->output_count; ++i) {
    berth_dims_t *shape = &node->output_shapes[i];
    if (shape->rank <= 0) continue;
    shape->dims = copy_array(shape->dims, shape->rank, sizeof(int64_t), arena);
    if (shape->dims == NULL) return false;
  }
  return true;
}

// Copies the attributes; |node->attr_count| says how many there are so far.
static bool copy_attrs(berth_node_t *node, berth_arena_t *arena) {
  int32_t count = node->attr_count;
  const berth_attr_t *from = node->attrs;
  berth_attr_t *to = berth_arena_calloc(arena, (size_t)count + 1, sizeof(*to));
  node->attrs = to;
  node->attr_count = 0;
  for (int32_t i = 0; to != NULL && i < count; ++i) {
    to[i].name = berth_arena_strndup(arena, from[i].name, strlen(from[i].name));
    if (to[i].name == NULL || berth_attr_copy(&from[i].value, arena,
                                              &to[i].value, NULL) != BERTH_OK) {
      return false;
    }
    ++node->attr_count;
  }
  return to != NULL;
}

// Returns a copy of |node| in |arena|, or NULL.
static berth_node_t *node_copy(const berth_node_t *node, berth_arena_t *arena) {
  berth_node_t *copy = berth_arena_memdup(arena, node, sizeof(*node));
  if (copy == NULL) return NULL;
  copy->name = berth_arena_strndup(arena, node->name, strlen(node->name));
  copy->inputs =
      copy_array(node->inputs, node->input_count, sizeof(berth_out_t), arena);
  copy->output_types = copy_array(node->output_types, node->output_count,
                                  sizeof(berth_dtype_t), arena);
  if (copy->name == NULL || copy->inputs == NULL ||
      copy->output_types == NULL || !copy_shapes(copy, arena)) {
    return NULL;
  }
  if (copy_attrs(copy, arena)) return copy;
  berth_eager_node_clear(copy);
  return NULL;
}

void berth_eager_node_clear(const berth_node_t *node) {
  for (int32_t i = 0; i < node->attr_count; ++i) {
    berth_attr_drop_tensors(&node->attrs[i].value);
  }
}

berth_code_t berth_eager_node_make(berth_eager_scratch_t *scratch,
                                   const berth_eager_request_t *request,
                                   berth_arena_t *arena,
                                   berth_node_t **out_node,
                                   berth_error_t *err) {
  BERTH_TRY(scratch_renew(scratch, err));
  int32_t id = -1;
  berth_graph_lock(scratch->graph);
  berth_code_t code = node_add(scratch, request, arena, &id, err);
  if (code == BERTH_OK) {
    *out_node = node_copy(berth_graph_get(scratch->graph, id), arena);
    if (*out_node == NULL) code = berth_error_no_memory(err, "an eager call");
    berth_graph_truncate(scratch->graph, id);
  }
  berth_graph_unlock(scratch->graph);
  return code;
}
