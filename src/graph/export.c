// export.c - Writes nodes and graphs as TensorFlow's messages.
#include "graph/export.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "graph/function.h"
#include "graph/unfolding.h"
#include "graph/wire_attr.h"
#include "wire/message.h"
#include "wire/text.h"

typedef Berth__Wire__NodeDef node_def_t;
typedef Berth__Wire__NodeDef__AttrEntry attr_entry_t;
typedef Berth__Wire__GraphDef graph_def_t;

// Messages have no constant members; nothing writes through these.
static char *text_lend(const char *text) { return (char *)(uintptr_t)text; }

// ---- Nodes ----

// Returns `name`, `name:index`, or for index -1 `^name`; NULL when memory is
// short.
static char *input_text(const char *name, int32_t index, berth_arena_t *arena) {
  if (index == 0) return text_lend(name);
  size_t size = strlen(name) + 16;
  char *text = berth_arena_alloc(arena, size);
  if (text == NULL) return NULL;
  if (index < 0) {
    snprintf(text, size, "^%s", name);
  } else {
    snprintf(text, size, "%s:%d", name, (int)index);
  }
  return text;
}

static int compare_texts(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

static berth_code_t inputs_to_wire(const berth_graph_t *graph,
                                   const berth_node_t *node,
                                   berth_arena_t *arena, node_def_t *def,
                                   berth_error_t *err) {
  size_t inputs = (size_t)node->input_count;
  size_t controls = (size_t)node->control_count;
  if (inputs + controls == 0) return BERTH_OK;
  def->input = berth_arena_calloc(arena, inputs + controls, sizeof(char *));
  if (def->input == NULL) return berth_error_no_memory(err, "a NodeDef");
  def->n_input = inputs + controls;
  for (size_t i = 0; i < inputs + controls; ++i) {
    bool is_control = i >= inputs;
    int32_t id = is_control ? node->controls[i - inputs] : node->inputs[i].node;
    int32_t index = is_control ? -1 : node->inputs[i].index;
    def->input[i] = input_text(berth_graph_get(graph, id)->name, index, arena);
    if (def->input[i] == NULL) return berth_error_no_memory(err, "a NodeDef");
  }
  if (controls > 1) {
    qsort(def->input + inputs, controls, sizeof(char *), compare_texts);
  }
  return BERTH_OK;
}

static int compare_entries(const void *a, const void *b) {
  return strcmp((*(attr_entry_t *const *)a)->key,
                (*(attr_entry_t *const *)b)->key);
}

static berth_code_t attr_add(const char *name, const berth_attr_value_t *value,
                             berth_arena_t *arena, node_def_t *def,
                             berth_error_t *err) {
  attr_entry_t *entry =
      berth_message_new(&berth__wire__node_def__attr_entry__descriptor, arena);
  if (entry == NULL) return berth_error_no_memory(err, "a NodeDef");
  entry->key = text_lend(name);
  BERTH_TRY(berth_attr_to_wire(value, arena, &entry->value, err));
  def->attr[def->n_attr++] = entry;
  return BERTH_OK;
}

static bool has_own_attr(const berth_node_t *node, const char *name) {
  for (int i = 0; i < node->attr_count; ++i) {
    if (strcmp(node->attrs[i].name, name) == 0) return true;
  }
  return false;
}

static berth_code_t attrs_to_wire(const berth_node_t *node,
                                  berth_arena_t *arena, node_def_t *def,
                                  berth_error_t *err) {
  size_t most = (size_t)node->attr_count + (size_t)node->op->attr_count;
  if (most == 0) return BERTH_OK;
  def->attr = berth_arena_calloc(arena, most, sizeof *def->attr);
  if (def->attr == NULL) return berth_error_no_memory(err, "a NodeDef");
  for (int i = 0; i < node->attr_count; ++i) {
    BERTH_TRY(
        attr_add(node->attrs[i].name, &node->attrs[i].value, arena, def, err));
  }
  for (int i = 0; i < node->op->attr_count; ++i) {
    const berth_attr_schema_t *attr = &node->op->attrs[i];
    if (attr->default_value == NULL || has_own_attr(node, attr->name)) continue;
    BERTH_TRY(attr_add(attr->name, attr->default_value, arena, def, err));
  }
  if (def->n_attr > 1) {
    qsort(def->attr, def->n_attr, sizeof *def->attr, compare_entries);
  }
  return BERTH_OK;
}

berth_code_t berth_node_to_wire(const berth_graph_t *graph,
                                const berth_node_t *node, berth_arena_t *arena,
                                node_def_t **out_def, berth_error_t *err) {
  node_def_t *def =
      berth_message_new(&berth__wire__node_def__descriptor, arena);
  if (def == NULL) return berth_error_no_memory(err, "a NodeDef");
  def->name = text_lend(node->name);
  def->op = text_lend(node->op->name);
  def->device = text_lend(node->device);
  BERTH_TRY(inputs_to_wire(graph, node, arena, def, err));
  BERTH_TRY(attrs_to_wire(node, arena, def, err));
  *out_def = def;
  return BERTH_OK;
}

// Checks an id from outside.
static berth_code_t node_check(const berth_graph_t *graph, berth_node_id_t node,
                               berth_error_t *err) {
  if (node >= 0 && node < berth_graph_node_count(graph)) return BERTH_OK;
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "The graph has no node %d", (int)node);
}

berth_code_t berth_node_export(const berth_graph_t *graph, berth_node_id_t node,
                               void **out_bytes, size_t *out_size,
                               berth_error_t *err) {
  BERTH_GIVEN(graph, err);
  BERTH_GIVEN(out_bytes, err);
  BERTH_GIVEN(out_size, err);
  BERTH_TRY(node_check(graph, node, err));
  berth_arena_t arena = {0};
  node_def_t *def = NULL;
  berth_code_t code = berth_node_to_wire(graph, berth_graph_get(graph, node),
                                         &arena, &def, err);
  if (code == BERTH_OK) {
    code = berth_message_pack(&def->base, out_bytes, out_size, err);
  }
  berth_arena_clear(&arena);
  return code;
}

berth_code_t berth_node_attr_proto(const berth_graph_t *graph,
                                   berth_node_id_t node, const char *name,
                                   void **out_bytes, size_t *out_size,
                                   berth_error_t *err) {
  BERTH_GIVEN(graph, err);
  BERTH_GIVEN(name, err);
  BERTH_GIVEN(out_bytes, err);
  BERTH_GIVEN(out_size, err);
  BERTH_TRY(node_check(graph, node, err));
  const berth_node_t *found = berth_graph_get(graph, node);
  const berth_attr_value_t *value = berth_node_attr(found, name);
  if (value == NULL) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Operation '%s' has no attr named '%s'.",
                           found->name, name);
  }
  berth_arena_t arena = {0};
  Berth__Wire__AttrValue *message = NULL;
  berth_code_t code = berth_attr_to_wire(value, &arena, &message, err);
  if (code == BERTH_OK) {
    code = berth_message_pack(&message->base, out_bytes, out_size, err);
  }
  berth_arena_clear(&arena);
  return code;
}

// ---- Graphs ----

// Makes |def|, of the node that |unfolding| unfolds, hand out what that gives:
// others are to run it once, too.
static berth_code_t unfolded_to_wire(const berth_graph_t *graph,
                                     const berth_unfolding_t *unfolding,
                                     berth_arena_t *arena, node_def_t *def,
                                     berth_error_t *err) {
  const berth_node_t *node = berth_graph_get(graph, unfolding->node);
  const berth_attr_value_t types = {.kind = BERTH_ATTR_LIST + BERTH_ATTR_TYPE,
                                    .count = node->output_count,
                                    .type_list = node->output_types};
  size_t count = (size_t)node->output_count;
  def->op = text_lend("IdentityN");
  def->n_attr = 0;
  def->attr = berth_arena_calloc(arena, 1, sizeof *def->attr);
  def->input = berth_arena_calloc(arena, count, sizeof(char *));
  if (def->attr == NULL || def->input == NULL) {
    return berth_error_no_memory(err, "a NodeDef");
  }
  def->n_input = count;
  for (size_t i = 0; i < count; ++i) {
    berth_out_t out = unfolding->outs[i];
    const char *name = berth_graph_get(graph, out.node)->name;
    def->input[i] = input_text(name, out.index, arena);
    if (def->input[i] == NULL) return berth_error_no_memory(err, "a NodeDef");
  }
  return attr_add("T", &types, arena, def, err);
}

static berth_code_t unfoldings_to_wire(const berth_graph_t *graph,
                                       berth_arena_t *arena, graph_def_t *def,
                                       berth_error_t *err) {
  for (size_t i = 0; i < graph->unfolding_count; ++i) {
    const berth_unfolding_t *unfolding = &graph->unfoldings[i];
    bool is_whole = unfolding->first + unfolding->count <= (int32_t)def->n_node;
    if (!is_whole) continue;
    BERTH_TRY(unfolded_to_wire(graph, unfolding, arena,
                               def->node[unfolding->node], err));
  }
  return BERTH_OK;
}

static berth_code_t nodes_to_wire(const berth_graph_t *graph,
                                  berth_arena_t *arena, graph_def_t *def,
                                  berth_error_t *err) {
  size_t count = (size_t)berth_graph_node_count(graph);
  def->node = berth_arena_calloc(arena, count, sizeof *def->node);
  if (def->node == NULL) return berth_error_no_memory(err, "a GraphDef");
  for (size_t i = 0; i < count; ++i) {
    const berth_node_t *node = berth_graph_get(graph, (int32_t)i);
    BERTH_TRY(berth_node_to_wire(graph, node, arena, &def->node[i], err));
  }
  def->n_node = count;
  return BERTH_OK;
}

// Makes a GraphDef in |arena|. Node by node without the lock: what is there
// does not change. Versions and functions are read under it.
static berth_code_t graph_to_wire(const berth_graph_t *graph,
                                  berth_arena_t *arena, graph_def_t **out_def,
                                  berth_error_t *err) {
  graph_def_t *def =
      berth_message_new(&berth__wire__graph_def__descriptor, arena);
  if (def == NULL) return berth_error_no_memory(err, "a GraphDef");
  BERTH_TRY(nodes_to_wire(graph, arena, def, err));
  def->versions =
      berth_message_new(&berth__wire__version_def__descriptor, arena);
  if (def->versions == NULL) return berth_error_no_memory(err, "a GraphDef");
  berth_graph_t *lockable = (berth_graph_t *)(uintptr_t)graph;
  berth_graph_lock(lockable);
  def->versions->producer = graph->producer;
  def->versions->min_consumer = graph->min_consumer;
  berth_code_t code = berth_functions_to_wire(graph, arena, &def->library, err);
  if (code == BERTH_OK) code = unfoldings_to_wire(graph, arena, def, err);
  berth_graph_unlock(lockable);
  if (code == BERTH_OK) *out_def = def;
  return code;
}

berth_code_t berth_graph_export(const berth_graph_t *graph, void **out_bytes,
                                size_t *out_size, berth_error_t *err) {
  BERTH_GIVEN(graph, err);
  BERTH_GIVEN(out_bytes, err);
  BERTH_GIVEN(out_size, err);
  berth_arena_t arena = {0};
  graph_def_t *def = NULL;
  berth_code_t code = graph_to_wire(graph, &arena, &def, err);
  if (code == BERTH_OK) {
    code = berth_message_pack(&def->base, out_bytes, out_size, err);
  }
  berth_arena_clear(&arena);
  return code;
}

berth_code_t berth_graph_export_text(const berth_graph_t *graph,
                                     char **out_text, berth_error_t *err) {
  BERTH_GIVEN(graph, err);
  BERTH_GIVEN(out_text, err);
  berth_arena_t arena = {0};
  berth_str_t str = {0};
  graph_def_t *def = NULL;
  berth_code_t code = graph_to_wire(graph, &arena, &def, err);
  if (code == BERTH_OK) code = berth_message_to_text(&def->base, &str, err);
  if (code == BERTH_OK) {
    char *text = berth_str_take(&str);
    if (text != NULL) {
      *out_text = text;
    } else {
      code = berth_error_no_memory(err, "a text");
    }
  }
  berth_str_clear(&str);
  berth_arena_clear(&arena);
  return code;
}
