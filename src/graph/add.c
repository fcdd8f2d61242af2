// add.c - Adding nodes to a graph.
//
// A node is checked as a draft on the stack (graph/draft.h) and copied into the
// arena once nothing can go wrong but memory. What memory a failed call has
// taken from the arena by then stays unused until the graph goes.
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "graph/draft.h"
#include "graph/function.h"
#include "graph/graph.h"
#include "graph/op_table.h"
#include "graph/shape_fn.h"

// ---- Chunks ----

// Replaces the table of chunks by a larger one. Readers without the lock may
// still look at the old one, so that is kept.
static bool grow_table(berth_graph_t *graph) {
  void **old_tables = berth_grow(graph->old_tables, graph->old_table_count,
                                 &graph->old_table_capacity, sizeof(void *));
  if (old_tables == NULL) return false;
  graph->old_tables = old_tables;
  size_t capacity = graph->chunk_capacity > 0 ? graph->chunk_capacity * 2 : 16;
  berth_node_t **table = berth_calloc(capacity, sizeof(*table));
  if (table == NULL) return false;
  if (graph->chunk_count > 0) {
    memcpy(table, graph->chunks, graph->chunk_count * sizeof(*table));
    old_tables[graph->old_table_count++] = graph->chunks;
  }
  graph->chunk_capacity = capacity;
  __atomic_store_n(&graph->chunks, table, __ATOMIC_RELEASE);
  return true;
}

// Makes sure that there is a place for node |id|.
static bool reserve_node(berth_graph_t *graph, int32_t id) {
  if ((size_t)id / BERTH_NODE_CHUNK < graph->chunk_count) return true;
  if (graph->chunk_count == graph->chunk_capacity && !grow_table(graph)) {
    return false;
  }
  berth_node_t *chunk = berth_alloc(BERTH_NODE_CHUNK * sizeof(berth_node_t));
  if (chunk == NULL) return false;
  graph->chunks[graph->chunk_count++] = chunk;
  return true;
}

// ---- Checking ----

static berth_code_t unknown_op(const char *op, berth_error_t *err) {
  char host[256] = "";
  if (gethostname(host, sizeof(host) - 1) != 0) host[0] = '\0';
  return berth_error_set(
      err, BERTH_NOT_FOUND,
      "Op type not registered '%s' in binary running on %s. Make sure the Op "
      "and Kernel are registered in the binary running in this process. Note "
      "that if you are loading a saved graph which used ops from tf.contrib "
      "(e.g. `tf.contrib.resampler`), accessing should be done before "
      "importing the graph, as contrib ops are lazily registered when the "
      "module is first accessed.",
      op, host);
}

// Checks that the inputs exist: what comes from outside may name anything.
static berth_code_t check_edges(const berth_graph_t *graph,
                                const berth_node_spec_t *spec,
                                berth_error_t *err) {
  int32_t count = berth_graph_node_count(graph);
  for (int32_t i = 0; i < spec->input_count; ++i) {
    berth_out_t in = spec->inputs[i];
    if (in.node < 0 || in.node >= count) {
      return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                             "Node '%s': input %d is not of this graph",
                             spec->name, i);
    }
    const berth_node_t *from = berth_graph_get(graph, in.node);
    if (in.index < 0 || in.index >= from->output_count) {
      return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                             "Node '%s': Connecting to invalid output %d of "
                             "source node %s which has %d outputs.",
                             spec->name, in.index, from->name,
                             from->output_count);
    }
  }
  for (int32_t i = 0; i < spec->control_count; ++i) {
    if (spec->controls[i] < 0 || spec->controls[i] >= count) {
      return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                             "Node '%s': control input %d is not of this graph",
                             spec->name, i);
    }
  }
  return BERTH_OK;
}

static berth_code_t check_op(const berth_graph_t *graph,
                             const berth_node_spec_t *spec,
                             const berth_op_schema_t **out_schema,
                             berth_error_t *err) {
  const berth_op_schema_t *schema = berth_graph_find_op(graph, spec->op);
  if (schema == NULL) return unknown_op(spec->op, err);
  if (schema->attr_count > BERTH_MAX_SCHEMA_ATTRS) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Op '%s' has more than %d attributes", spec->op,
                           BERTH_MAX_SCHEMA_ATTRS);
  }
  if (schema->removed_in > 0 && graph->producer >= schema->removed_in) {
    return berth_error_set(err, BERTH_UNIMPLEMENTED,
                           "Op %s is not available in GraphDef version %d. It "
                           "has been removed in version %d. %s.",
                           spec->op, graph->producer, schema->removed_in,
                           schema->removed_text);
  }
  *out_schema = schema;
  return BERTH_OK;
}

static berth_code_t check_name(berth_graph_t *graph,
                               const berth_node_spec_t *spec,
                               berth_error_t *err) {
  BERTH_TRY(berth_validate_name(spec->name, err));
  // One that the scopes made is new: they know every node's name.
  if (spec->is_name_kept ||
      berth_graph_lookup(graph, spec->name, strlen(spec->name)) < 0) {
    return BERTH_OK;
  }
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "Duplicate node name in graph: '%s'", spec->name);
}

// Fills |draft| and checks it in the order of TensorFlow.
static berth_code_t check_draft(berth_draft_t *draft, berth_error_t *err) {
  const berth_node_spec_t *spec = draft->spec;
  berth_node_t *node = &draft->node;
  BERTH_TRY(check_name(draft->graph, spec, err));
  BERTH_TRY(check_op(draft->graph, spec, &node->op, err));
  BERTH_TRY(check_edges(draft->graph, spec, err));
  node->id = berth_graph_node_count(draft->graph);
  node->name = spec->name;
  node->device = "";
  node->inputs = spec->inputs;
  node->input_count = spec->input_count;
  node->controls = spec->controls;
  node->control_count = spec->control_count;
  BERTH_TRY(berth_draft_place_attrs(draft, err));
  if (spec->is_strict) {
    BERTH_TRY(berth_validate_attrs(draft, err));
    BERTH_TRY(berth_check_inputs(draft, err));
  } else {
    BERTH_TRY(berth_bind_inputs(draft, err));
    BERTH_TRY(berth_validate_attrs(draft, err));
  }
  return berth_draft_outputs(draft, err);
}

// ---- Adding ----

// True when a value may be shared by two nodes: it holds no tensor that each
// would have to release.
static bool is_sharable(const berth_attr_value_t *value) {
  int kind = (int)value->kind % BERTH_ATTR_LIST;
  return kind != BERTH_ATTR_TENSOR && kind != BERTH_ATTR_FUNC;
}

static bool are_attrs_equal(const berth_node_t *a, const berth_node_t *b) {
  if (a->attr_count != b->attr_count) return false;
  for (int32_t i = 0; i < a->attr_count; ++i) {
    const berth_attr_t *x = &a->attrs[i], *y = &b->attrs[i];
    if ((x->name != y->name && strcmp(x->name, y->name) != 0) ||
        !is_sharable(&x->value) || x->value.kind != y->value.kind ||
        !berth_attr_equal(&x->value, &y->value)) {
      return false;
    }
  }
  return true;
}

// Returns where a recent node of the same op is noted, or NULL for a function.
// Ops that are only known share a few places.
static int32_t *recent_of(berth_graph_t *graph, const berth_op_schema_t *op) {
  if (op->is_function) return NULL;
  int number = berth_schema_number(op), table = berth_op_table_count;
  if (number >= table) number = table + number % BERTH_GRAPH_RECENT_KNOWN;
  return &graph->recent[number];
}

// Shares attributes and types with a recent node of the same op. Most nodes of
// a graph are like one before, and this halves the memory they take.
static void share_with_recent(berth_graph_t *graph, berth_node_t *node,
                              bool *out_attrs, bool *out_types) {
  const int32_t *recent = recent_of(graph, node->op);
  *out_attrs = *out_types = false;
  if (recent == NULL || *recent >= node->id) return;
  const berth_node_t *other = berth_graph_get(graph, *recent);
  if (other->op != node->op) return;
  if (are_attrs_equal(other, node)) {
    node->attrs = other->attrs;
    *out_attrs = true;
  }
  if (other->output_count == node->output_count &&
      memcmp(other->output_types, node->output_types,
             (size_t)node->output_count * sizeof(berth_dtype_t)) == 0) {
    node->output_types = other->output_types;
    *out_types = true;
  }
}

// Copies the attributes into the arena. |*out_holds| says whether tensors were
// retained; on failure none is.
static bool copy_attrs(berth_graph_t *graph, berth_node_t *node,
                       bool *out_holds) {
  berth_attr_t *attrs = berth_arena_calloc(
      &graph->arena, (size_t)node->attr_count, sizeof(*attrs));
  if (attrs == NULL) return false;
  int32_t done = 0;
  for (; done < node->attr_count; ++done) {
    const berth_attr_t *attr = &node->attrs[done];
    attrs[done].name = attr->name;
    if (berth_schema_attr_index(node->op, attr->name) < 0 ||
        node->op->is_function) {
      attrs[done].name =
          berth_graph_intern(graph, attr->name, strlen(attr->name));
    }
    if (attrs[done].name == NULL ||
        berth_attr_copy(&attr->value, &graph->arena, &attrs[done].value,
                        NULL) != BERTH_OK) {
      break;
    }
    *out_holds |= !is_sharable(&attr->value);
  }
  if (done < node->attr_count) {
    for (int32_t i = 0; i < done; ++i) {
      berth_attr_drop_tensors(&attrs[i].value);
    }
    return false;
  }
  node->attrs = attrs;
  return true;
}

// Copies |count| elements of |size| bytes into the arena; false for no memory.
#define COPY_ARRAY(graph, field, count)                    \
  ((count) == 0 ||                                         \
   ((field) = berth_arena_memdup(&(graph)->arena, (field), \
                                 (size_t)(count) * sizeof(*(field)))) != NULL)

// Copies the shapes. Dimensions that an input has too are shared with it.
static bool copy_shapes(berth_graph_t *graph, berth_node_t *node) {
  if (!COPY_ARRAY(graph, node->output_shapes, node->output_count)) return false;
  for (int32_t i = 0; i < node->output_count; ++i) {
    berth_dims_t *shape = &node->output_shapes[i];
    if (shape->rank <= 0) {
      shape->dims = NULL;
      continue;
    }
    bool is_shared = false;
    for (int32_t j = 0; j < node->input_count && !is_shared && j < 4; ++j) {
      berth_out_t in = node->inputs[j];
      berth_dims_t other =
          berth_graph_get(graph, in.node)->output_shapes[in.index];
      is_shared = berth_dims_equal(other, *shape);
      if (is_shared) shape->dims = other.dims;
    }
    if (!is_shared && !COPY_ARRAY(graph, shape->dims, shape->rank))
      return false;
  }
  return true;
}

// Copies everything |node| points to into the arena, attributes excepted.
static bool copy_parts(berth_graph_t *graph, const berth_node_spec_t *spec,
                       berth_node_t *node, bool has_types) {
  if (!spec->is_name_kept) {
    node->name =
        berth_arena_strndup(&graph->arena, spec->name, strlen(spec->name));
  }
  if (spec->device != NULL && spec->device[0] != '\0') {
    node->device =
        berth_graph_intern(graph, spec->device, strlen(spec->device));
  }
  return node->name != NULL && node->device != NULL &&
         COPY_ARRAY(graph, node->inputs, node->input_count) &&
         COPY_ARRAY(graph, node->controls, node->control_count) &&
         (has_types ||
          COPY_ARRAY(graph, node->output_types, node->output_count)) &&
         copy_shapes(graph, node);
}

// Takes note of a node whose attributes hold tensors.
static bool reserve_holder(berth_graph_t *graph) {
  int32_t *holders = berth_grow(graph->holders, graph->holder_count,
                                &graph->holder_capacity, sizeof(int32_t));
  if (holders == NULL) return false;
  graph->holders = holders;
  return true;
}

// True for ops that look at the shape of one input: not ShapeN, as TensorFlow
// has it.
static bool is_metadata_op(const berth_op_schema_t *op) {
  return (op->traits & BERTH_OP_SHAPES) != 0 && op->inputs[0].number_attr < 0;
}

// Moves a checked draft into the graph.
static berth_code_t commit(berth_draft_t *draft, int32_t *out_id,
                           berth_error_t *err) {
  berth_graph_t *graph = draft->graph;
  berth_node_t node = draft->node;
  bool has_attrs, has_types, holds = false;
  if (!reserve_node(graph, node.id) || !reserve_holder(graph)) {
    return berth_error_no_memory(err, "a node");
  }
  share_with_recent(graph, &node, &has_attrs, &has_types);
  if (!copy_parts(graph, draft->spec, &node, has_types) ||
      (!has_attrs && !copy_attrs(graph, &node, &holds))) {
    return berth_error_no_memory(err, "a node");
  }
  if (holds) graph->holders[graph->holder_count++] = node.id;
  node.is_metadata = is_metadata_op(node.op);
  *berth_graph_get(graph, node.id) = node;
  int32_t *recent = recent_of(graph, node.op);
  if (recent != NULL) *recent = node.id;
  atomic_store_explicit(&graph->node_count, node.id + 1, memory_order_release);
  *out_id = node.id;
  return BERTH_OK;
}

berth_code_t berth_graph_add(berth_graph_t *graph,
                             const berth_node_spec_t *spec, int32_t *out_id,
                             berth_error_t *err) {
  berth_draft_t draft;
  draft.graph = graph;
  draft.spec = spec;
  draft.node = (berth_node_t){0};
  draft.scratch = (berth_arena_t){0};
  berth_shape_context_t context;
  berth_code_t code = check_draft(&draft, err);
  if (code == BERTH_OK && !spec->is_shapeless) {
    code = berth_shape_infer(&draft, &context, err);
  }
  if (code == BERTH_OK) code = commit(&draft, out_id, err);
  berth_arena_clear(&draft.scratch);
  return code;
}
