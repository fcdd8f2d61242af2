// node.c - Looking at nodes.
#include <string.h>

#include "graph/graph.h"
#include "graph/schema.h"
#include "graph/shape_fn.h"
#include "tensor/compact.h"
#include "tensor/dtype.h"
#include "tensor/shape.h"

int berth_graph_node_count(const berth_graph_t *graph) {
  if (graph == NULL) return 0;
  return atomic_load_explicit(&graph->node_count, memory_order_acquire);
}

// Returns node |id|, or NULL when the graph has none of that number.
static berth_node_t *node_find(const berth_graph_t *graph, int32_t id) {
  bool is_there = id >= 0 && id < berth_graph_node_count(graph);
  return is_there ? berth_graph_get(graph, id) : NULL;
}

// The same for the node of an output that exists.
static berth_node_t *out_find(const berth_graph_t *graph, berth_out_t out) {
  berth_node_t *node = node_find(graph, out.node);
  bool is_there =
      node != NULL && out.index >= 0 && out.index < node->output_count;
  return is_there ? node : NULL;
}

static berth_code_t no_node(const berth_graph_t *graph, int32_t id,
                            berth_error_t *err) {
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "Node %d does not exist: the graph has %d", (int)id,
                         berth_graph_node_count(graph));
}

const char *berth_node_name(const berth_graph_t *graph, berth_node_id_t node) {
  const berth_node_t *found = node_find(graph, node);
  return found != NULL ? found->name : NULL;
}

const char *berth_node_op(const berth_graph_t *graph, berth_node_id_t node) {
  const berth_node_t *found = node_find(graph, node);
  return found != NULL ? found->op->name : NULL;
}

const char *berth_node_device(const berth_graph_t *graph,
                              berth_node_id_t node) {
  const berth_node_t *found = node_find(graph, node);
  return found != NULL ? found->device : NULL;
}

int berth_node_input_count(const berth_graph_t *graph, berth_node_id_t node) {
  const berth_node_t *found = node_find(graph, node);
  return found != NULL ? found->input_count : 0;
}

berth_out_t berth_node_input(const berth_graph_t *graph, berth_node_id_t node,
                             int index) {
  const berth_node_t *found = node_find(graph, node);
  bool is_there = found != NULL && index >= 0 && index < found->input_count;
  return is_there ? found->inputs[index] : (berth_out_t){BERTH_NO_NODE, 0};
}

int berth_node_control_count(const berth_graph_t *graph, berth_node_id_t node) {
  const berth_node_t *found = node_find(graph, node);
  return found != NULL ? found->control_count : 0;
}

berth_node_id_t berth_node_control(const berth_graph_t *graph,
                                   berth_node_id_t node, int index) {
  const berth_node_t *found = node_find(graph, node);
  bool is_there = found != NULL && index >= 0 && index < found->control_count;
  return is_there ? found->controls[index] : BERTH_NO_NODE;
}

int berth_node_output_count(const berth_graph_t *graph, berth_node_id_t node) {
  const berth_node_t *found = node_find(graph, node);
  return found != NULL ? found->output_count : 0;
}

berth_dtype_t berth_out_dtype(const berth_graph_t *graph, berth_out_t out) {
  const berth_node_t *node = out_find(graph, out);
  return node != NULL ? node->output_types[out.index] : BERTH_INVALID;
}

berth_dtype_t berth_node_input_type(const berth_graph_t *graph,
                                    const berth_node_t *node, int index) {
  berth_out_t in = node->inputs[index];
  return berth_graph_get(graph, in.node)->output_types[in.index];
}

// ---- Finding ----

berth_node_id_t berth_graph_find(const berth_graph_t *graph, const char *name) {
  if (graph == NULL || name == NULL) return BERTH_NO_NODE;
  berth_graph_t *g = (berth_graph_t *)(uintptr_t)graph;
  berth_graph_lock(g);
  berth_node_id_t node = berth_graph_lookup(g, name, strlen(name));
  berth_graph_unlock(g);
  return node;
}

// Splits "name:index" at the last colon; an absent index is 0. False when what
// follows the colon is no index.
static bool split_out(const char *text, size_t *out_name_size,
                      int64_t *out_index) {
  const char *colon = strrchr(text, ':');
  *out_name_size = colon != NULL ? (size_t)(colon - text) : strlen(text);
  *out_index = 0;
  return colon == NULL ||
         (berth_parse_int64(colon + 1, out_index) && *out_index >= 0);
}

berth_code_t berth_graph_find_out(const berth_graph_t *graph, const char *text,
                                  berth_out_t *out, berth_error_t *err) {
  BERTH_GIVEN(graph, err);
  BERTH_GIVEN(text, err);
  BERTH_GIVEN(out, err);
  size_t size = 0;
  int64_t index = 0;
  if (!split_out(text, &size, &index)) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "'%s' is not of the form <node>:<output>", text);
  }
  berth_graph_t *g = (berth_graph_t *)(uintptr_t)graph;
  berth_graph_lock(g);
  int32_t id = berth_graph_lookup(g, text, size);
  berth_graph_unlock(g);
  if (id < 0) {
    return berth_error_set(err, BERTH_NOT_FOUND,
                           "There is no node called '%.*s'", (int)size, text);
  }
  const berth_node_t *node = berth_graph_get(graph, id);
  if (index >= node->output_count) {
    return berth_error_set(
        err, BERTH_INVALID_ARGUMENT,
        "Node '%s' (type: '%s', num of outputs: %d) does not "
        "have output %lld",
        node->name, node->op->name, node->output_count, (long long)index);
  }
  *out = (berth_out_t){node->id, (int32_t)index};
  return BERTH_OK;
}

// ---- Attributes ----

const berth_attr_value_t *berth_node_attr(const berth_node_t *node,
                                          const char *name) {
  for (int32_t i = 0; i < node->attr_count; ++i) {
    if (strcmp(node->attrs[i].name, name) == 0) return &node->attrs[i].value;
  }
  int index = berth_schema_attr_index(node->op, name);
  return index >= 0 ? node->op->attrs[index].default_value : NULL;
}

// Returns the value of |name| if it is of |kind|, else NULL.
static const berth_attr_value_t *attr_of_kind(const berth_node_t *node,
                                              const char *name,
                                              berth_attr_kind_t kind) {
  const berth_attr_value_t *value = berth_node_attr(node, name);
  return value != NULL && value->kind == kind ? value : NULL;
}

int64_t berth_node_attr_int(const berth_node_t *node, const char *name,
                            int64_t fallback) {
  const berth_attr_value_t *value = attr_of_kind(node, name, BERTH_ATTR_INT);
  return value != NULL ? value->i : fallback;
}

float berth_node_attr_float(const berth_node_t *node, const char *name,
                            float fallback) {
  const berth_attr_value_t *value = attr_of_kind(node, name, BERTH_ATTR_FLOAT);
  return value != NULL ? value->f : fallback;
}

bool berth_node_attr_bool(const berth_node_t *node, const char *name,
                          bool fallback) {
  const berth_attr_value_t *value = attr_of_kind(node, name, BERTH_ATTR_BOOL);
  return value != NULL ? value->b : fallback;
}

berth_dtype_t berth_node_attr_type(const berth_node_t *node, const char *name,
                                   berth_dtype_t fallback) {
  const berth_attr_value_t *value = attr_of_kind(node, name, BERTH_ATTR_TYPE);
  return value != NULL ? value->type : fallback;
}

const char *berth_node_attr_string(const berth_node_t *node, const char *name,
                                   const char *fallback) {
  const berth_attr_value_t *value = attr_of_kind(node, name, BERTH_ATTR_STRING);
  return value != NULL ? value->s.text : fallback;
}

berth_code_t berth_node_constant(const berth_node_t *node,
                                 berth_tensor_t **out_tensor,
                                 berth_error_t *err) {
  const berth_attr_value_t *value =
      attr_of_kind(node, "value", BERTH_ATTR_TENSOR);
  if (value == NULL || value->tensor == NULL) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "the constant '%s' has no value", node->name);
  }
  berth_dtype_t promised = node->output_types[0];
  if (value->tensor->dtype != promised) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Type mismatch between value (%s) and dtype (%s)",
                           berth_dtype_name(value->tensor->dtype),
                           berth_dtype_name(promised));
  }
  berth_code_t code = berth_tensor_expand(value->tensor, out_tensor, err);
  if (code != BERTH_OK) {
    (void)berth_error_append(err, "\n\t for the value of the constant '%s'",
                             node->name);
  }
  return code;
}

// ---- Arguments ----

static int arg_size(const berth_node_t *node, const berth_arg_schema_t *arg) {
  int index = arg->number_attr >= 0 ? arg->number_attr : arg->list_attr;
  if (index < 0) return 1;
  const berth_attr_value_t *value =
      berth_node_attr(node, node->op->attrs[index].name);
  if (value == NULL) return 0;
  return arg->number_attr >= 0 ? (int)value->i : value->count;
}

// Stores which values argument |index| of |args| covers.
static void arg_range(const berth_node_t *node, const berth_arg_schema_t *args,
                      int index, int *out_first, int *out_count) {
  *out_first = 0;
  for (int i = 0; i < index; ++i) *out_first += arg_size(node, &args[i]);
  *out_count = arg_size(node, &args[index]);
}

void berth_node_input_range(const berth_node_t *node, int arg, int *out_first,
                            int *out_count) {
  arg_range(node, node->op->inputs, arg, out_first, out_count);
}

void berth_node_output_range(const berth_node_t *node, int arg, int *out_first,
                             int *out_count) {
  arg_range(node, node->op->outputs, arg, out_first, out_count);
}

berth_code_t berth_node_arg_range(const berth_graph_t *graph,
                                  berth_node_id_t node, const char *arg,
                                  bool is_output, int *out_first,
                                  int *out_count, berth_error_t *err) {
  BERTH_GIVEN(graph, err);
  BERTH_GIVEN(arg, err);
  BERTH_GIVEN(out_first, err);
  BERTH_GIVEN(out_count, err);
  const berth_node_t *n = node_find(graph, node);
  if (n == NULL) return no_node(graph, node, err);
  int count = is_output ? n->op->output_count : n->op->input_count;
  const berth_arg_schema_t *args = is_output ? n->op->outputs : n->op->inputs;
  for (int i = 0; i < count; ++i) {
    if (strcmp(args[i].name, arg) != 0) continue;
    arg_range(n, args, i, out_first, out_count);
    return BERTH_OK;
  }
  return berth_error_set(err, BERTH_INVALID_ARGUMENT, "%s arg '%s' not found",
                         is_output ? "Output" : "Input", arg);
}

// ---- Shapes ----

void berth_out_shape(const berth_graph_t *graph, berth_out_t out,
                     berth_shape_t *shape) {
  if (shape == NULL) return;
  const berth_node_t *node = out_find(graph, out);
  if (node == NULL) {
    berth_shape_set(shape, BERTH_UNKNOWN_RANK);
    return;
  }
  berth_graph_t *g = (berth_graph_t *)(uintptr_t)graph;
  berth_graph_lock(g);
  berth_shape_set(shape, node->output_shapes[out.index]);
  berth_graph_unlock(g);
}

static berth_code_t set_shape(berth_graph_t *graph, berth_out_t out,
                              berth_dims_t shape, berth_error_t *err) {
  berth_dims_t *own =
      &berth_graph_get(graph, out.node)->output_shapes[out.index];
  berth_shape_t merged;
  BERTH_TRY(berth_shape_check_equal(*own, shape, err));
  (void)berth_dims_merge(*own, shape, &merged);
  berth_dims_t dims = berth_shape_dims(&merged);
  if (berth_dims_equal(dims, *own)) return BERTH_OK;
  if (merged.rank > 0) {
    dims.dims = berth_arena_memdup(&graph->arena, merged.dims,
                                   (size_t)merged.rank * sizeof(int64_t));
    if (dims.dims == NULL) return berth_error_no_memory(err, "a shape");
  }
  *own = dims;
  return BERTH_OK;
}

berth_code_t berth_out_set_shape(berth_graph_t *graph, berth_out_t out,
                                 berth_dims_t shape, berth_error_t *err) {
  BERTH_GIVEN(graph, err);
  if (shape.rank > BERTH_MAX_RANK) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Shape has %d dimensions; at most %d are possible",
                           shape.rank, BERTH_MAX_RANK);
  }
  if (out_find(graph, out) == NULL) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Output %d of node %d does not exist",
                           (int)out.index, (int)out.node);
  }
  BERTH_GIVEN_LIST(shape.dims, shape.rank > 0 ? shape.rank : 0, err);
  for (int32_t i = 0; i < shape.rank; ++i) {
    if (shape.dims[i] >= -1) continue;
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Dimension %lld must be >= 0, or -1 for unknown",
                           (long long)shape.dims[i]);
  }
  berth_graph_lock(graph);
  berth_code_t code = set_shape(graph, out, shape, err);
  berth_graph_unlock(graph);
  return code;
}

berth_code_t berth_node_set_device(berth_graph_t *graph, berth_node_id_t node,
                                   const char *device, berth_error_t *err) {
  BERTH_GIVEN(graph, err);
  BERTH_GIVEN(device, err);
  if (node_find(graph, node) == NULL) return no_node(graph, node, err);
  berth_graph_lock(graph);
  const char *text = berth_graph_intern(graph, device, strlen(device));
  if (text != NULL) berth_graph_get(graph, node)->device = text;
  berth_graph_unlock(graph);
  return text != NULL ? BERTH_OK : berth_error_no_memory(err, "a device");
}

// ---- Printing ----

// Prints the attributes by name, defaults included.
static void print_attrs(const berth_node_t *node, berth_str_t *str) {
  const char *separator = "[";
  for (const char *last = "";;) {
    const char *next = NULL;
    for (int32_t i = 0; i < node->attr_count + node->op->attr_count; ++i) {
      const char *name = i < node->attr_count
                             ? node->attrs[i].name
                             : node->op->attrs[i - node->attr_count].name;
      if (strcmp(name, last) > 0 && (next == NULL || strcmp(name, next) < 0)) {
        next = name;
      }
    }
    if (next == NULL) break;
    last = next;
    const berth_attr_value_t *value = berth_node_attr(node, next);
    if (value == NULL) continue;
    berth_str_printf(str, "%s%s=", separator, next);
    berth_attr_print(value, str);
    separator = ", ";
  }
  if (node->device[0] != '\0') {
    berth_str_printf(str, "%s_device=\"%s\"", separator, node->device);
    separator = ", ";
  }
  berth_str_puts(str, separator[0] == '[' ? "[]" : "]");
}

void berth_node_print(const berth_graph_t *graph, const berth_node_t *node,
                      berth_str_t *str) {
  berth_str_printf(str, "{{node %s}} = %s", node->name, node->op->name);
  print_attrs(node, str);
  berth_str_putc(str, '(');
  for (int32_t i = 0; i < node->input_count; ++i) {
    berth_out_t in = node->inputs[i];
    berth_str_printf(str, "%s%s", i > 0 ? ", " : "",
                     berth_graph_get(graph, in.node)->name);
    if (in.index > 0) berth_str_printf(str, ":%d", in.index);
  }
  for (int32_t i = 0; i < node->control_count; ++i) {
    berth_str_printf(str, "%s^%s", i + node->input_count > 0 ? ", " : "",
                     berth_graph_get(graph, node->controls[i])->name);
  }
  berth_str_putc(str, ')');
}
