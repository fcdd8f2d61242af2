// finish.c - Turning an op under construction into a node.
//
// What the scopes of the graph say is applied here, in TensorFlow's order:
// name, control inputs, device, colocation.
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "graph/builder_internal.h"
#include "graph/scope.h"

// ---- Names ----

// Stores the name of the node and whether it lies in the graph's arena. A name
// that ends in a slash is that of a scope and is used without it.
static berth_code_t settle_name(berth_op_t *op, berth_node_spec_t *spec,
                                berth_error_t *err) {
  const char *name = op->name != NULL ? op->name : op->type;
  size_t size = strlen(name);
  spec->name = name;
  if (op->is_exact) return BERTH_OK;
  if (size > 0 && name[size - 1] == '/') {
    spec->name = berth_op_keep(op, name, size - 1);
    return spec->name != NULL ? BERTH_OK : berth_error_no_memory(err, "a name");
  }
  spec->is_name_kept = true;
  return berth_scopes_take_name(op->graph, name, &spec->name, err);
}

// ---- Control inputs ----

static void add_control(void *arg, int32_t node) {
  berth_op_t *op = arg;
  const int32_t *controls = op->controls.items;
  for (int32_t i = 0; i < op->controls.count; ++i) {
    if (controls[i] == node) return;
  }
  berth_op_control(op, node);
}

// ---- Colocation ----

// Names of colocation groups, "loc:@x", sorted and each once.
typedef struct groups {
  berth_attr_text_t *texts;
  size_t count, capacity;
  bool is_short;  // Of memory.
} groups_t;

static int compare_texts(const void *a, const void *b) {
  return strcmp(((const berth_attr_text_t *)a)->text,
                ((const berth_attr_text_t *)b)->text);
}

static void add_group(groups_t *groups, const char *text, size_t size) {
  berth_attr_text_t *texts = berth_grow(groups->texts, groups->count,
                                        &groups->capacity, sizeof(*texts));
  if (texts == NULL) {
    groups->is_short = true;
    return;
  }
  groups->texts = texts;
  texts[groups->count++] = (berth_attr_text_t){text, size};
}

// Adds the groups that |value|, a _class attribute, lists. Returns their
// number.
static int add_class(groups_t *groups, const berth_attr_value_t *value) {
  int count = 0;
  if (value == NULL ||
      (int)value->kind != BERTH_ATTR_LIST + BERTH_ATTR_STRING) {
    return 0;
  }
  for (int32_t i = 0; i < value->count; ++i) {
    const berth_attr_text_t *text = &value->s_list[i];
    if (strncmp(text->text, "loc:@", 5) != 0) continue;
    add_group(groups, text->text, text->size);
    ++count;
  }
  return count;
}

// Adds the groups |node| is in, or the one it makes.
static void add_node_groups(berth_op_t *op, groups_t *groups, int32_t id) {
  const berth_node_t *node = berth_graph_get(op->graph, id);
  if (add_class(groups, berth_node_attr(node, "_class")) > 0) return;
  size_t size = strlen(node->name) + 5;
  char *text = berth_arena_alloc(&op->arena, size + 1);
  if (text == NULL) {
    groups->is_short = true;
    return;
  }
  memcpy(text, "loc:@", 5);
  memcpy(text + 5, node->name, size - 4);
  add_group(groups, text, size);
}

static void make_unique(groups_t *groups) {
  qsort(groups->texts, groups->count, sizeof(*groups->texts), compare_texts);
  size_t kept = 1;
  for (size_t i = 1; i < groups->count; ++i) {
    if (compare_texts(&groups->texts[kept - 1], &groups->texts[i]) != 0) {
      groups->texts[kept++] = groups->texts[i];
    }
  }
  groups->count = kept;
}

// Sets the attribute _class to |groups|.
static void set_class(berth_op_t *op, groups_t *groups) {
  static const size_t most = INT32_MAX;
  const char **texts =
      berth_arena_calloc(&op->arena, groups->count, sizeof(*texts));
  size_t *sizes = berth_arena_calloc(&op->arena, groups->count, sizeof(*sizes));
  if (texts == NULL || sizes == NULL || groups->count > most) {
    groups->is_short = true;
    return;
  }
  for (size_t i = 0; i < groups->count; ++i) {
    texts[i] = groups->texts[i].text;
    sizes[i] = groups->texts[i].size;
  }
  berth_op_attr_strings(op, "_class", texts, sizes, (int)groups->count);
}

static const berth_attr_value_t *find_class(const berth_op_t *op) {
  const berth_attr_t *attrs = op->attrs.items;
  for (int32_t i = 0; i < op->attrs.count; ++i) {
    if (strcmp(attrs[i].name, "_class") == 0) return &attrs[i].value;
  }
  return NULL;
}

static bool is_node(const berth_graph_t *graph, int32_t id) {
  return id >= 0 && id < berth_graph_node_count(graph);
}

// Joins the groups of everything the node is to be placed with. The innermost
// of the scopes' nodes that has a device gives it to this one.
static berth_code_t settle_colocation(berth_op_t *op, const char **device,
                                      berth_error_t *err) {
  int scoped = 0;
  const int32_t *nodes = berth_scopes_colocation(op->graph, &scoped);
  const int32_t *own = op->colocated.items;
  if (scoped + op->colocated.count == 0) return BERTH_OK;
  groups_t groups = {0};
  (void)add_class(&groups, find_class(op));
  bool has_device = op->device != NULL, is_valid = true;
  for (int i = 0; i < scoped + op->colocated.count && is_valid; ++i) {
    int32_t id = i < scoped ? nodes[i] : own[i - scoped];
    is_valid = is_node(op->graph, id);
    if (!is_valid) break;
    add_node_groups(op, &groups, id);
    const char *theirs = berth_graph_get(op->graph, id)->device;
    if (i < scoped && !has_device && theirs[0] != '\0') {
      *device = theirs;
      has_device = true;
    }
  }
  if (is_valid && groups.count > 0) {
    make_unique(&groups);
    set_class(op, &groups);
  }
  berth_free(groups.texts);
  if (!is_valid) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Node '%s' is to be colocated with a node that is "
                           "not of this graph",
                           op->name != NULL ? op->name : op->type);
  }
  return groups.is_short ? berth_error_no_memory(err, "_class") : BERTH_OK;
}

// ---- Finishing ----

// Adds the node. The lock is held.
static berth_code_t commit_locked(berth_op_t *op, berth_node_id_t *out_node,
                                  berth_error_t *err) {
  berth_graph_t *graph = op->graph;
  if (graph->error.code != BERTH_OK) {
    return berth_error_set_text(err, graph->error.code,
                                berth_error_message(&graph->error));
  }
  berth_node_spec_t spec;
  const char *device = "";
  berth_scopes_controls(graph, op->inputs.items, op->inputs.count, add_control,
                        op);
  BERTH_TRY(berth_op_describe(op, &spec, err));
  BERTH_TRY(settle_name(op, &spec, err));
  if (op->device != NULL) {
    device = op->device;
  } else {
    BERTH_TRY(berth_scopes_device(graph, op->type, spec.name, &device, err));
  }
  BERTH_TRY(settle_colocation(op, &device, err));
  spec.attrs = op->attrs.items;
  spec.attr_count = op->attrs.count;
  spec.device = device;
  BERTH_TRY(berth_graph_add(graph, &spec, out_node, err));
  berth_scopes_note(graph, *out_node);
  return BERTH_OK;
}

berth_code_t berth_op_commit(berth_op_t *op, berth_node_id_t *out_node,
                             berth_error_t *err) {
  if (op->graph == NULL) {
    return berth_error_set(err, BERTH_FAILED_PRECONDITION,
                           "Op '%s' was begun without a graph", op->type);
  }
  berth_graph_lock(op->graph);
  berth_code_t code = commit_locked(op, out_node, err);
  berth_graph_unlock(op->graph);
  return code;
}

berth_node_id_t berth_op_commit_or_keep(berth_op_t *op) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_node_id_t node = BERTH_NO_NODE;
  if (berth_op_commit(op, &node, &err) != BERTH_OK && op->graph != NULL) {
    node = BERTH_NO_NODE;
    berth_graph_lock(op->graph);
    berth_graph_keep_error(op->graph, &err);
    berth_graph_unlock(op->graph);
  }
  berth_error_clear(&err);
  return node;
}

// Keeps in its graph that there was no memory for an op.
static void keep_lost(const berth_op_t *op) {
  berth_graph_t *graph = berth_op_lost_graph(op);
  if (graph == NULL) return;
  berth_error_t err = BERTH_ERROR_INIT;
  berth_error_no_memory(&err, "an op");
  berth_graph_lock(graph);
  berth_graph_keep_error(graph, &err);
  berth_graph_unlock(graph);
  berth_error_clear(&err);
}

berth_node_id_t berth_op_finish(berth_op_t *op) {
  if (berth_op_is_lost(op)) {
    keep_lost(op);
    return BERTH_NO_NODE;
  }
  berth_node_id_t node = berth_op_commit_or_keep(op);
  berth_op_abandon(op);
  return node;
}

berth_code_t berth_op_try_finish(berth_op_t *op, berth_node_id_t *out_node,
                                 berth_error_t *err) {
  if (berth_op_is_lost(op)) return berth_error_no_memory(err, "an op");
  berth_code_t code = out_node != NULL ? berth_op_commit(op, out_node, err)
                                       : berth_error_missing(err, "out_node");
  berth_op_abandon(op);
  return code;
}
