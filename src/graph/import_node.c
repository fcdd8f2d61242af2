// import_node.c - Adds the nodes of a GraphDef to a graph.
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "graph/import_internal.h"
#include "graph/wire_attr.h"
#include "tensor/shape.h"

typedef berth_importer_t importer_t;
typedef berth_import_node_t node_t;
typedef berth_import_edge_t edge_t;

static const char colocation_prefix[] = "loc:@";

// ---- Inputs of a node ----

static int compare_ids(const void *a, const void *b) {
  int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
  return (x > y) - (x < y);
}

// Makes every id occur once and returns how many are left.
static int32_t ids_unify(int32_t *ids, int32_t count) {
  if (count < 2) return count;
  qsort(ids, (size_t)count, sizeof *ids, compare_ids);
  int32_t left = 1;
  for (int32_t i = 1; i < count; ++i) {
    if (ids[i] != ids[left - 1]) ids[left++] = ids[i];
  }
  return left;
}

// True when |node| waits for another node of the GraphDef, and with it for
// what all of them wait for. Loops do not count: their first round does not.
static bool inherits_controls(const importer_t *importer, const node_t *node) {
  for (size_t i = 0; i < node->def->n_input; ++i) {
    const edge_t *edge = &importer->edges[(size_t)node->first_edge + i];
    if (!edge->is_mapped && !importer->nodes[edge->source].is_next_iteration) {
      return true;
    }
  }
  return false;
}

static int32_t edge_id(const importer_t *importer, const edge_t *edge) {
  return edge->is_mapped ? edge->source : importer->nodes[edge->source].id;
}

// Checks that the output that |edge| leaves exists. Back edges are checked when
// their source is there.
static berth_code_t check_output(const importer_t *importer, const edge_t *edge,
                                 berth_error_t *err) {
  const berth_node_t *source =
      berth_graph_get(importer->graph, edge_id(importer, edge));
  if (edge->index < source->output_count) return BERTH_OK;
  const char *name =
      edge->is_mapped ? source->name : importer->nodes[edge->source].def->name;
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "Node '%s': Connecting to invalid output %d of source "
                         "node %s which has %d outputs.",
                         importer->nodes[edge->user].def->name,
                         (int)edge->index, name, (int)source->output_count);
}

static bool is_added(const importer_t *importer, int32_t id) {
  return id < berth_graph_node_count(importer->graph);
}

// Fills |inputs| and |controls| from the edges of |node|. The source of a back
// edge is not there yet: its place is taken by another input of the Merge,
// until loops_close().
static berth_code_t edges_list(const importer_t *importer, const node_t *node,
                               berth_node_spec_t *spec, berth_out_t *inputs,
                               int32_t *controls, berth_error_t *err) {
  berth_out_t stand_in = {BERTH_NO_NODE, 0};
  for (size_t i = 0; i < node->def->n_input; ++i) {
    const edge_t *edge = &importer->edges[(size_t)node->first_edge + i];
    int32_t id = edge_id(importer, edge);
    if (edge->index == BERTH_IMPORT_CONTROL) {
      controls[spec->control_count++] = id;
    } else if (is_added(importer, id)) {
      BERTH_TRY(check_output(importer, edge, err));
      stand_in = (berth_out_t){id, edge->index};
      inputs[spec->input_count++] = stand_in;
    } else {
      inputs[spec->input_count++] = (berth_out_t){BERTH_NO_NODE, 0};
    }
  }
  for (int32_t i = 0; i < spec->input_count; ++i) {
    if (inputs[i].node == BERTH_NO_NODE) inputs[i] = stand_in;
  }
  return BERTH_OK;
}

// Fills the inputs of |spec|.
static berth_code_t inputs_make(importer_t *importer, const node_t *node,
                                berth_node_spec_t *spec, berth_error_t *err) {
  const berth_import_t *options = importer->options;
  size_t most = node->def->n_input + (size_t)options->control_count;
  if (most == 0) return BERTH_OK;
  berth_out_t *inputs =
      berth_arena_alloc(&importer->scratch, most * sizeof *inputs);
  int32_t *controls =
      berth_arena_alloc(&importer->scratch, most * sizeof *controls);
  if (inputs == NULL || controls == NULL) {
    return berth_error_no_memory(err, "an import");
  }
  BERTH_TRY(edges_list(importer, node, spec, inputs, controls, err));
  if (!inherits_controls(importer, node)) {
    for (int i = 0; i < options->control_count; ++i) {
      controls[spec->control_count++] = options->controls[i];
    }
  }
  spec->control_count = ids_unify(controls, spec->control_count);
  spec->inputs = inputs;
  spec->controls = controls;
  return BERTH_OK;
}

// True when |node| is a Merge that a loop comes back to.
static bool has_loop(const importer_t *importer, const node_t *node) {
  for (size_t i = 0; node->is_merge && i < node->def->n_input; ++i) {
    const edge_t *edge = &importer->edges[(size_t)node->first_edge + i];
    if (edge_id(importer, edge) > node->id) return true;
  }
  return false;
}

// ---- Attributes of a node ----

typedef const Berth__Wire__NodeDef__AttrEntry *entry_t;

static int compare_entries(const void *a, const void *b) {
  return strcmp((*(const entry_t *)a)->key, (*(const entry_t *)b)->key);
}

// Returns the entries of |def| in the order of their names, which the graph
// keeps; NULL when memory is short.
static const entry_t *entries_sort(importer_t *importer,
                                   const Berth__Wire__NodeDef *def) {
  enum { FEW = 12 };
  size_t count = def->n_attr;
  entry_t *entries =
      berth_arena_alloc(&importer->scratch, count * sizeof *entries);
  if (entries == NULL) return NULL;
  if (count > FEW) {
    memcpy(entries, def->attr, count * sizeof *entries);
    qsort(entries, count, sizeof *entries, compare_entries);
    return entries;
  }
  for (size_t i = 0; i < count; ++i) {
    size_t at = i;
    for (; at > 0 && strcmp(entries[at - 1]->key, def->attr[i]->key) > 0;
         --at) {
      entries[at] = entries[at - 1];
    }
    entries[at] = def->attr[i];
  }
  return entries;
}

// Replaces `loc:@name` by the name that node has in the graph.
static berth_code_t group_rename(importer_t *importer, const node_t *node,
                                 berth_attr_text_t *group, berth_error_t *err) {
  size_t skip = sizeof colocation_prefix - 1;
  if (!berth_has_prefix(group->text, colocation_prefix)) return BERTH_OK;
  const char *name = group->text + skip;
  int32_t position = berth_import_find(importer, name, group->size - skip);
  if (position < 0) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Node '%s' expects to be colocated with unknown "
                           "node '%s'",
                           node->def->name, name);
  }
  const char *renamed = importer->nodes[position].name;
  size_t size = skip + strlen(renamed);
  char *text = berth_arena_alloc(&importer->scratch, size + 1);
  if (text == NULL) return berth_error_no_memory(err, "an import");
  snprintf(text, size + 1, "%s%s", colocation_prefix, renamed);
  *group = (berth_attr_text_t){text, size};
  return BERTH_OK;
}

static berth_code_t groups_rename(importer_t *importer, const node_t *node,
                                  berth_attr_t *attr, berth_error_t *err) {
  if (strcmp(attr->name, "_class") != 0 ||
      (int)attr->value.kind != BERTH_ATTR_LIST + BERTH_ATTR_STRING) {
    return BERTH_OK;
  }
  // The list was made for this import and nobody else has it yet.
  berth_attr_text_t *groups =
      (berth_attr_text_t *)(uintptr_t)attr->value.s_list;
  for (int32_t i = 0; i < attr->value.count; ++i) {
    BERTH_TRY(group_rename(importer, node, &groups[i], err));
  }
  return BERTH_OK;
}

static berth_code_t attr_make(importer_t *importer, const node_t *node,
                              entry_t entry, berth_attr_t *attr,
                              berth_error_t *err) {
  *attr = (berth_attr_t){.name = entry->key};
  if (entry->value == NULL) return BERTH_OK;
  berth_code_t code =
      berth_attr_from_wire(entry->value, &importer->scratch,
                           &importer->expansion, &attr->value, err);
  if (code != BERTH_OK) {
    (void)berth_error_append(err,
                             "\n\t for attr '%s'\n\t; NodeDef: {{node %s}}",
                             entry->key, node->name);
    return code;
  }
  return groups_rename(importer, node, attr, err);
}

// Fills the attributes of |spec|, sorted by name; of equal names the last one
// counts. |*out_shapes| is the `_output_shapes` among them, or NULL: it says
// what is known of the outputs and is not kept.
static berth_code_t attrs_make(importer_t *importer, const node_t *node,
                               berth_node_spec_t *spec, entry_t *out_shapes,
                               berth_error_t *err) {
  size_t count = node->def->n_attr;
  if (count == 0) return BERTH_OK;
  const entry_t *entries = entries_sort(importer, node->def);
  berth_attr_t *attrs =
      berth_arena_alloc(&importer->scratch, count * sizeof *attrs);
  if (entries == NULL || attrs == NULL) {
    return berth_error_no_memory(err, "an import");
  }
  spec->attrs = attrs;
  for (size_t i = 0; i < count; ++i) {
    if (i + 1 < count && strcmp(entries[i]->key, entries[i + 1]->key) == 0) {
      continue;
    }
    if (strcmp(entries[i]->key, "_output_shapes") == 0) {
      *out_shapes = entries[i];
      continue;
    }
    BERTH_TRY(
        attr_make(importer, node, entries[i], &attrs[spec->attr_count], err));
    ++spec->attr_count;
  }
  return BERTH_OK;
}

static void attrs_drop(const berth_node_spec_t *spec) {
  for (int32_t i = 0; i < spec->attr_count; ++i) {
    berth_attr_drop_tensors(&spec->attrs[i].value);
  }
}

// ---- Shapes of a node ----

// Says how two shapes contradict each other.
static berth_code_t shapes_differ(const berth_node_t *node, int32_t output,
                                  berth_dims_t known, berth_dims_t said,
                                  berth_error_t *err) {
  (void)berth_error_set(
      err, BERTH_INVALID_ARGUMENT,
      "Node '%s' has an _output_shapes attribute inconsistent "
      "with the GraphDef for output #%d: ",
      node->name, (int)output);
  if (known.rank != said.rank) {
    (void)berth_error_append(err,
                             "Shapes must be equal rank, but are %d and %d",
                             (int)known.rank, (int)said.rank);
    return BERTH_INVALID_ARGUMENT;
  }
  int32_t i = 0;
  while (known.dims[i] < 0 || said.dims[i] < 0 ||
         known.dims[i] == said.dims[i]) {
    ++i;
  }
  char a[BERTH_DIMS_TEXT], b[BERTH_DIMS_TEXT];
  (void)berth_error_append(
      err,
      "Dimension %d in both shapes must be equal, but are %lld and %lld. "
      "Shapes are %s and %s.",
      (int)i, (long long)known.dims[i], (long long)said.dims[i],
      berth_dims_text(known, a), berth_dims_text(said, b));
  return BERTH_INVALID_ARGUMENT;
}

static berth_code_t shape_refine(importer_t *importer, berth_node_t *node,
                                 int32_t output, berth_dims_t said,
                                 berth_error_t *err) {
  berth_shape_t merged;
  berth_dims_t known = node->output_shapes[output];
  if (!berth_dims_merge(known, said, &merged)) {
    return shapes_differ(node, output, known, said, err);
  }
  if (merged.rank < 0) return BERTH_OK;
  size_t size = (size_t)merged.rank * sizeof merged.dims[0];
  const int64_t *dims =
      berth_arena_memdup(&importer->graph->arena, merged.dims, size);
  if (dims == NULL) return berth_error_no_memory(err, "a shape");
  node->output_shapes[output] = (berth_dims_t){merged.rank, dims};
  return BERTH_OK;
}

// Adds what the attribute `_output_shapes` says about a new node.
static berth_code_t shapes_apply(importer_t *importer, berth_node_t *node,
                                 entry_t entry, berth_error_t *err) {
  const Berth__Wire__AttrValue *value = entry->value;
  if (value == NULL ||
      value->value_case != BERTH__WIRE__ATTR_VALUE__VALUE_LIST) {
    return BERTH_OK;
  }
  const Berth__Wire__AttrValue__ListValue *list = value->list;
  if (list->n_shape < (size_t)node->output_count) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Node '%s' has %d outputs but the _output_shapes "
                           "attribute specifies shapes for %zu outputs",
                           node->name, (int)node->output_count, list->n_shape);
  }
  for (int32_t i = 0; i < node->output_count; ++i) {
    berth_dims_t said = {-1, NULL};
    berth_code_t code =
        berth_shape_from_wire(list->shape[i], &importer->scratch, &said, err);
    if (code != BERTH_OK) {
      (void)berth_error_prepend(err,
                                "Node '%s has an invalid _output_shapes "
                                "attribute (shape #%d error:'",
                                node->name, (int)i);
      (void)berth_error_append(err, "')");
      return code;
    }
    BERTH_TRY(shape_refine(importer, node, i, said, err));
  }
  return BERTH_OK;
}

// ---- Adding ----

// Counts the outputs of nodes that have many of them: `num_split: 1000000` is
// short to write, and each takes a type and a shape.
static berth_code_t outputs_count(importer_t *importer,
                                  const berth_node_t *node,
                                  berth_error_t *err) {
  enum { MANY = 64, MOST = 1 << 22 };
  if (node->output_count <= MANY) return BERTH_OK;
  importer->many_outputs += node->output_count;
  if (importer->many_outputs <= MOST) return BERTH_OK;
  return berth_error_set(err, BERTH_RESOURCE_EXHAUSTED,
                         "Node '%s' has %d outputs; nodes with more than %d "
                         "may have %d in one GraphDef together (import it in "
                         "parts)",
                         node->name, (int)node->output_count, MANY, MOST);
}

static berth_code_t node_add(importer_t *importer, int32_t position,
                             berth_error_t *err) {
  const node_t *node = &importer->nodes[position];
  const char *device = node->def->device;
  if (device[0] == '\0') device = importer->options->default_device;
  // The name is known to be free, so that the graph need not look for it.
  const char *name = berth_arena_strndup(&importer->graph->arena, node->name,
                                         strlen(node->name));
  if (name == NULL) return berth_error_no_memory(err, "an import");
  berth_node_spec_t spec = {.op = node->def->op,
                            .name = name,
                            .device = device,
                            .is_strict = true,
                            .is_name_kept = true};
  entry_t shapes = NULL;
  int32_t id = BERTH_NO_NODE;
  berth_code_t code = inputs_make(importer, node, &spec, err);
  if (code == BERTH_OK) {
    code = attrs_make(importer, node, &spec, &shapes, err);
  }
  if (code == BERTH_OK)
    code = berth_graph_add(importer->graph, &spec, &id, err);
  attrs_drop(&spec);
  if (code != BERTH_OK) return code;
  berth_node_t *added = berth_graph_get(importer->graph, id);
  BERTH_TRY(outputs_count(importer, added, err));
  if (has_loop(importer, node)) {
    // Nothing is known of what comes round.
    added->output_shapes[0] = (berth_dims_t){-1, NULL};
  }
  return shapes != NULL ? shapes_apply(importer, added, shapes, err) : BERTH_OK;
}

// Replaces the stand-ins of Merge nodes by what comes round their loops.
static berth_code_t loops_close(importer_t *importer, berth_error_t *err) {
  for (int32_t i = 0; i < importer->node_count; ++i) {
    const node_t *node = &importer->nodes[i];
    if (!node->is_merge) continue;
    const berth_node_t *merge = berth_graph_get(importer->graph, node->id);
    for (int32_t k = 0; k < merge->input_count; ++k) {
      const edge_t *edge = &importer->edges[node->first_edge + k];
      if (edge->is_mapped || importer->nodes[edge->source].id < node->id) {
        continue;
      }
      BERTH_TRY(berth_merge_set_input(
          importer->graph, merge, k,
          (berth_out_t){edge_id(importer, edge), edge->index}, err));
    }
  }
  return BERTH_OK;
}

// Lets go of the contents of constants, which are in the graph now: they would
// be there twice until all is imported.
static void contents_forget(const node_t *node) {
  for (size_t i = 0; i < node->def->n_attr; ++i) {
    const Berth__Wire__AttrValue *value = node->def->attr[i]->value;
    if (value == NULL ||
        value->value_case != BERTH__WIRE__ATTR_VALUE__VALUE_TENSOR) {
      continue;
    }
    const ProtobufCBinaryData *content = &value->tensor->tensor_content;
    berth_alloc_forget(content->data, content->len);
  }
}

berth_code_t berth_import_add_nodes(importer_t *importer, berth_error_t *err) {
  for (int32_t i = 0; i < importer->node_count; ++i) {
    berth_arena_mark_t mark = berth_arena_mark(&importer->scratch);
    BERTH_TRY(node_add(importer, importer->order[i], err));
    if (!importer->borrows) {
      contents_forget(&importer->nodes[importer->order[i]]);
    }
    // The first chunk stays, so that not every node makes a new one.
    if (mark.chunk != NULL) berth_arena_rewind(&importer->scratch, mark);
  }
  return loops_close(importer, err);
}
