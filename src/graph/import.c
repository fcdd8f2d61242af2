// import.c - Reads GraphDefs into graphs.
//
// All or nothing: what a failed import has added is taken away again. The steps
// before anything is added are in import_order.c, adding in import_node.c.
#include <string.h>

#include "graph/function.h"
#include "graph/import_internal.h"
#include "wire/message.h"
#include "wire/text.h"

typedef berth_importer_t importer_t;

enum { CURRENT_VERSION = 2474, MIN_PRODUCER = 0 };
#define TENSORFLOW_VERSION "2.21.0"

// ---- Options ----

static berth_code_t check_versions(const Berth__Wire__VersionDef *versions,
                                   berth_error_t *err) {
  if (versions == NULL) return BERTH_OK;
  if (versions->producer < MIN_PRODUCER) {
    return berth_error_set(
        err, BERTH_INVALID_ARGUMENT,
        "GraphDef producer version %d below min producer %d supported by "
        "TensorFlow " TENSORFLOW_VERSION ".  Please regenerate your graph.",
        (int)versions->producer, MIN_PRODUCER);
  }
  if (versions->min_consumer > CURRENT_VERSION) {
    return berth_error_set(
        err, BERTH_INVALID_ARGUMENT,
        "GraphDef min consumer version %d above current version %d for "
        "TensorFlow " TENSORFLOW_VERSION ".  Please upgrade TensorFlow.",
        (int)versions->min_consumer, CURRENT_VERSION);
  }
  for (size_t i = 0; i < versions->n_bad_consumers; ++i) {
    if (versions->bad_consumers[i] != CURRENT_VERSION) continue;
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "GraphDef disallows consumer version %d.  Please "
                           "upgrade TensorFlow: this version is likely buggy.",
                           CURRENT_VERSION);
  }
  return BERTH_OK;
}

// Checks where input |index| of the options is to come from.
static berth_code_t check_mapping(const importer_t *importer, int index,
                                  berth_error_t *err) {
  const char *text = importer->options->input_names[index];
  berth_out_t out = importer->options->input_outs[index];
  if (out.node < 0 || out.node >= importer->base) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "node %d in input_map does not exist in graph "
                           "(input_map entry: %s)",
                           (int)out.node, text);
  }
  const berth_node_t *node = berth_graph_get(importer->graph, out.node);
  bool is_control = out.index == BERTH_IMPORT_CONTROL;
  if (is_control != (text[0] == '^')) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "input_map entry %s->%s:%d between control edge and "
                           "non-control edge",
                           text, node->name, (int)out.index);
  }
  if (!is_control && (out.index < 0 || out.index >= node->output_count)) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "input_map entry %s: node '%s' has no output %d",
                           text, node->name, (int)out.index);
  }
  return BERTH_OK;
}

// Indexes the options' inputs by the name of the node they replace.
static berth_code_t mappings_index(importer_t *importer, berth_error_t *err) {
  int count = importer->options->input_count;
  if (count <= 0) return BERTH_OK;
  importer->next_mapping = berth_arena_alloc(
      &importer->arena, (size_t)count * sizeof *importer->next_mapping);
  if (importer->next_mapping == NULL) {
    return berth_error_no_memory(err, "an import");
  }
  for (int i = 0; i < count; ++i) {
    BERTH_TRY(check_mapping(importer, i, err));
    berth_tensor_name_t name =
        berth_tensor_name_parse(importer->options->input_names[i]);
    const int64_t *other =
        berth_map_find(&importer->mappings, name.node, name.size);
    importer->next_mapping[i] = other != NULL ? (int32_t)*other : -1;
    if (!berth_map_set(&importer->mappings, name.node, name.size, i)) {
      return berth_error_no_memory(err, "an import");
    }
  }
  return BERTH_OK;
}

static berth_code_t check_controls(const importer_t *importer,
                                   berth_error_t *err) {
  for (int i = 0; i < importer->options->control_count; ++i) {
    berth_node_id_t id = importer->options->controls[i];
    if (id >= 0 && id < importer->base) continue;
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "node %d in control_dependencies does not exist in "
                           "graph",
                           (int)id);
  }
  return BERTH_OK;
}

// ---- Results ----

static berth_code_t return_find(const importer_t *importer, const char *text,
                                berth_out_t *out, berth_error_t *err) {
  berth_tensor_name_t name = berth_tensor_name_parse(text);
  int32_t mapping = berth_import_find_mapping(importer, &name);
  if (mapping >= 0) {
    *out = importer->options->input_outs[mapping];
    return BERTH_OK;
  }
  int32_t position = berth_import_find(importer, name.node, name.size);
  if (position < 0) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Requested return tensor '%.*s:%d' not found in "
                           "graph def",
                           (int)name.size, name.node, (int)name.index);
  }
  int32_t id = importer->nodes[position].id;
  int32_t outputs = berth_graph_get(importer->graph, id)->output_count;
  if (name.index >= outputs) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Invalid return output %d of node '%.*s', which has "
                           "%d output(s)",
                           (int)name.index, (int)name.size, name.node,
                           (int)outputs);
  }
  *out = (berth_out_t){id, name.index};
  return BERTH_OK;
}

static berth_code_t return_node_find(const importer_t *importer,
                                     const char *name, berth_node_id_t *out,
                                     berth_error_t *err) {
  int32_t position = berth_import_find(importer, name, strlen(name));
  if (position < 0) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Requested return node '%s' not found in graph def",
                           name);
  }
  *out = importer->nodes[position].id;
  return BERTH_OK;
}

// Finds everything first and hands out then: on failure nothing is touched.
static berth_code_t returns_fill(importer_t *importer, berth_error_t *err) {
  const berth_import_t *options = importer->options;
  size_t out_count = (size_t)options->return_count;
  size_t node_count = (size_t)options->return_node_count;
  berth_out_t *outs =
      berth_arena_calloc(&importer->arena, out_count, sizeof *outs);
  berth_node_id_t *nodes =
      berth_arena_calloc(&importer->arena, node_count, sizeof *nodes);
  if (outs == NULL || nodes == NULL) {
    return berth_error_no_memory(err, "an import");
  }
  for (size_t i = 0; i < out_count; ++i) {
    BERTH_TRY(return_find(importer, options->return_names[i], &outs[i], err));
  }
  for (size_t i = 0; i < node_count; ++i) {
    BERTH_TRY(return_node_find(importer, options->return_node_names[i],
                               &nodes[i], err));
  }
  if (out_count > 0) {
    memcpy(options->return_outs, outs, out_count * sizeof *outs);
  }
  if (node_count > 0) {
    memcpy(options->return_nodes, nodes, node_count * sizeof *nodes);
  }
  return BERTH_OK;
}

// A graph is as old as its oldest part and asks for what its newest part does.
static void versions_merge(importer_t *importer) {
  const Berth__Wire__VersionDef *versions = importer->def->versions;
  int32_t producer = versions != NULL ? versions->producer : 0;
  int32_t min_consumer = versions != NULL ? versions->min_consumer : 0;
  berth_graph_t *graph = importer->graph;
  if (producer < graph->producer) graph->producer = producer;
  if (min_consumer > graph->min_consumer) graph->min_consumer = min_consumer;
}

// ---- The whole ----

// Adds functions and nodes; leaves a half-made graph on failure.
static berth_code_t contents_add(importer_t *importer, berth_error_t *err) {
  if (importer->def->library != NULL) {
    BERTH_TRY(berth_functions_add_library(importer->graph,
                                          importer->def->library, err));
  }
  BERTH_TRY(berth_import_add_nodes(importer, err));
  return returns_fill(importer, err);
}

// What constants may expand to: as the options say, the environment, or the
// defaults. What the graph has counts, even when it is more.
static void expansion_start(importer_t *importer) {
  berth_expansion_t *expansion = &importer->expansion;
  berth_expansion_init(expansion);
  const berth_import_t *options = importer->options;
  if (options->max_constant_bytes > 0) {
    expansion->constant_limit = (uint64_t)options->max_constant_bytes;
  }
  if (options->max_expanded_bytes > 0) {
    expansion->total_limit = (uint64_t)options->max_expanded_bytes;
  }
  expansion->total = importer->graph->expanded;
  if (expansion->total > expansion->total_limit) {
    expansion->total_limit = expansion->total;
  }
}

// Checks that what the options count is there.
static berth_code_t check_lists(const berth_import_t *options,
                                berth_error_t *err) {
  BERTH_GIVEN_LIST(options->input_names, options->input_count, err);
  BERTH_GIVEN_LIST(options->input_outs, options->input_count, err);
  BERTH_GIVEN_LIST(options->controls, options->control_count, err);
  BERTH_GIVEN_LIST(options->return_names, options->return_count, err);
  BERTH_GIVEN_LIST(options->return_outs, options->return_count, err);
  BERTH_GIVEN_LIST(options->return_node_names, options->return_node_count, err);
  BERTH_GIVEN_LIST(options->return_nodes, options->return_node_count, err);
  for (int i = 0; i < options->input_count; ++i) {
    BERTH_GIVEN(options->input_names[i], err);
  }
  for (int i = 0; i < options->return_count; ++i) {
    BERTH_GIVEN(options->return_names[i], err);
  }
  for (int i = 0; i < options->return_node_count; ++i) {
    BERTH_GIVEN(options->return_node_names[i], err);
  }
  return BERTH_OK;
}

static berth_code_t import_run(importer_t *importer, berth_error_t *err) {
  BERTH_TRY(check_lists(importer->options, err));
  expansion_start(importer);
  BERTH_TRY(check_versions(importer->def->versions, err));
  BERTH_TRY(mappings_index(importer, err));
  BERTH_TRY(check_controls(importer, err));
  BERTH_TRY(berth_import_index(importer, err));
  BERTH_TRY(berth_import_connect(importer, err));
  BERTH_TRY(berth_import_order(importer, err));
  BERTH_TRY(berth_import_rename(importer, err));
  berth_graph_t *graph = importer->graph;
  int32_t producer = graph->producer, min_consumer = graph->min_consumer;
  // First, because the version decides which ops there still are.
  versions_merge(importer);
  berth_code_t code = contents_add(importer, err);
  if (code == BERTH_OK) {
    graph->expanded = importer->expansion.total;
  } else {
    berth_graph_truncate(graph, importer->base);
    berth_functions_truncate(graph, importer->function_base);
    graph->producer = producer;
    graph->min_consumer = min_consumer;
  }
  return code;
}

static berth_code_t import_def(berth_graph_t *graph,
                               const Berth__Wire__GraphDef *def, bool borrows,
                               const berth_import_t *options,
                               berth_error_t *err) {
  static const berth_import_t defaults = {0};
  berth_graph_lock(graph);
  importer_t importer = {.graph = graph,
                         .options = options != NULL ? options : &defaults,
                         .def = def,
                         .borrows = borrows,
                         .base = berth_graph_node_count(graph),
                         .function_base = berth_functions_count(graph)};
  berth_code_t code = import_run(&importer, err);
  berth_graph_unlock(graph);
  berth_map_clear(&importer.positions);
  berth_map_clear(&importer.mappings);
  berth_map_clear(&importer.prefixes);
  berth_arena_clear(&importer.scratch);
  berth_arena_clear(&importer.arena);
  return code;
}

berth_code_t berth_graph_import(berth_graph_t *graph, const void *bytes,
                                size_t size, const berth_import_t *import,
                                berth_error_t *err) {
  BERTH_GIVEN(graph, err);
  BERTH_GIVEN_LIST(bytes, size, err);
  berth_arena_t arena = {0};
  Berth__Wire__GraphDef *def = NULL;
  bool borrows = false;
  berth_code_t code =
      berth_import_unpack(bytes, size, &arena, &def, &borrows, err);
  if (code == BERTH_OK) code = import_def(graph, def, borrows, import, err);
  berth_arena_clear(&arena);
  return code;
}

berth_code_t berth_graph_import_text(berth_graph_t *graph, const char *text,
                                     size_t size, const berth_import_t *import,
                                     berth_error_t *err) {
  BERTH_GIVEN(graph, err);
  BERTH_GIVEN_LIST(text, size, err);
  berth_arena_t arena = {0};
  ProtobufCMessage *message = NULL;
  berth_code_t code = berth_message_from_text(
      &berth__wire__graph_def__descriptor, text, size, &arena, &message, err);
  if (code == BERTH_OK) {
    code = import_def(graph, (const Berth__Wire__GraphDef *)message, false,
                      import, err);
  }
  berth_arena_clear(&arena);
  return code;
}
