// import_order.c - Names, edges and order of the nodes of a GraphDef.
#include <limits.h>
#include <string.h>

#include "graph/import_internal.h"

// ---- Names ----

static bool is_alphanumeric(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         (c >= '0' && c <= '9');
}

// [A-Za-z0-9.][A-Za-z0-9_.\-/]*, or several such with ">" between them.
static bool is_valid_name(const char *name) {
  bool is_first = true;
  for (; *name != '\0'; ++name) {
    char c = *name;
    bool may_start = is_alphanumeric(c) || c == '.';
    if (is_first ? !may_start
                 : !may_start && c != '_' && c != '-' && c != '/' && c != '>') {
      return false;
    }
    is_first = c == '>';
  }
  return !is_first;
}

// True for the names of feeds and fetches in the graphs of devices, and of the
// nodes that hand them over: they begin with an underscore.
static bool is_end_of_run(const char *name) {
  return berth_has_prefix(name, "_arg_") || berth_has_prefix(name, "_retval_");
}

berth_tensor_name_t berth_tensor_name_parse(const char *text) {
  size_t size = strlen(text);
  if (text[0] == '^') {
    return (berth_tensor_name_t){text + 1, size - 1, BERTH_IMPORT_CONTROL};
  }
  size_t digits = size;
  while (digits > 0 && text[digits - 1] >= '0' && text[digits - 1] <= '9') {
    --digits;
  }
  if (digits < 2 || digits == size || text[digits - 1] != ':') {
    return (berth_tensor_name_t){text, size, 0};
  }
  int64_t index = 0;
  for (size_t i = digits; i < size && index <= INT32_MAX; ++i) {
    index = index * 10 + (text[i] - '0');
  }
  return (berth_tensor_name_t){text, digits - 1,
                               index > INT32_MAX ? INT32_MAX : (int32_t)index};
}

int32_t berth_import_find(const berth_importer_t *importer, const char *name,
                          size_t size) {
  const int64_t *found = berth_map_find(&importer->positions, name, size);
  return found != NULL ? (int32_t)*found : -1;
}

// Data inputs come first, then control inputs.
static berth_code_t check_input_order(const Berth__Wire__NodeDef *def,
                                      berth_error_t *err) {
  bool has_control = false;
  for (size_t i = 0; i < def->n_input; ++i) {
    bool is_control = def->input[i][0] == '^';
    has_control |= is_control;
    if (is_control == has_control) continue;
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Node '%s': Control dependencies must come after "
                           "regular dependencies",
                           def->name);
  }
  return BERTH_OK;
}

static berth_code_t node_index(berth_importer_t *importer, int32_t position,
                               berth_error_t *err) {
  const Berth__Wire__NodeDef *def = importer->def->node[position];
  const char *name = def->name;
  // The graphs that a run shows for its devices have names of their own.
  if (is_end_of_run(name)) ++name;
  if (!is_valid_name(name)) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Node '%s': Node name contains invalid characters",
                           def->name);
  }
  size_t size = strlen(def->name);
  size_t before = importer->positions.count;
  if (!berth_map_set(&importer->positions, def->name, size, position)) {
    return berth_error_no_memory(err, "an import");
  }
  if (importer->positions.count == before) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Node '%s' is not unique", def->name);
  }
  if (def->op[0] == '\0') {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Node '%s' does not specify an operation",
                           def->name);
  }
  importer->nodes[position] = (berth_import_node_t){
      .def = def,
      .name = def->name,
      .first_use = -1,
      .is_merge =
          strcmp(def->op, "Merge") == 0 || strcmp(def->op, "RefMerge") == 0,
      .is_next_iteration = strcmp(def->op, "NextIteration") == 0 ||
                           strcmp(def->op, "RefNextIteration") == 0};
  return check_input_order(def, err);
}

berth_code_t berth_import_index(berth_importer_t *importer,
                                berth_error_t *err) {
  size_t count = importer->def->n_node;
  if (count > (size_t)(INT32_MAX - importer->base)) {
    return berth_error_set(err, BERTH_RESOURCE_EXHAUSTED,
                           "A graph has at most 2^31 nodes");
  }
  importer->node_count = (int32_t)count;
  importer->nodes =
      berth_arena_calloc(&importer->arena, count, sizeof *importer->nodes);
  if (importer->nodes == NULL ||
      !berth_map_reserve(&importer->positions, count)) {
    return berth_error_no_memory(err, "an import");
  }
  for (int32_t i = 0; i < importer->node_count; ++i) {
    BERTH_TRY(node_index(importer, i, err));
  }
  return BERTH_OK;
}

// ---- Edges ----

int32_t berth_import_find_mapping(const berth_importer_t *importer,
                                  const berth_tensor_name_t *name) {
  if (importer->mappings.count == 0) return -1;
  const int64_t *first =
      berth_map_find(&importer->mappings, name->node, name->size);
  for (int32_t i = first != NULL ? (int32_t)*first : -1; i >= 0;
       i = importer->next_mapping[i]) {
    const char *text = importer->options->input_names[i];
    if (berth_tensor_name_parse(text).index == name->index) return i;
  }
  return -1;
}

// Returns the position of the node that |name| means, for an input of the node
// at |position|. Most nodes use the one before them, which saves a search.
static int32_t source_find(const berth_importer_t *importer, int32_t position,
                           const berth_tensor_name_t *name) {
  if (position > 0) {
    const char *before = importer->nodes[position - 1].name;
    if (strncmp(before, name->node, name->size) == 0 &&
        before[name->size] == '\0') {
      return position - 1;
    }
  }
  return berth_import_find(importer, name->node, name->size);
}

// Fills |edge| with where input |text| of |node| comes from.
static berth_code_t edge_make(berth_importer_t *importer, int32_t position,
                              const char *text, int32_t edge_index,
                              berth_error_t *err) {
  berth_import_edge_t *edge = &importer->edges[edge_index];
  berth_tensor_name_t name = berth_tensor_name_parse(text);
  *edge = (berth_import_edge_t){
      .index = name.index, .user = position, .next_use = -1};
  int32_t mapping = berth_import_find_mapping(importer, &name);
  if (mapping >= 0) {
    berth_out_t out = importer->options->input_outs[mapping];
    edge->source = out.node;
    edge->index = out.index;
    edge->is_mapped = true;
    return BERTH_OK;
  }
  edge->source = source_find(importer, position, &name);
  if (edge->source < 0) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Node '%s': Unknown input node '%s'",
                           importer->nodes[position].name, text);
  }
  berth_import_node_t *source = &importer->nodes[edge->source];
  edge->next_use = source->first_use;
  source->first_use = edge_index;
  return BERTH_OK;
}

// True when |edge| closes a loop: the Merge it goes into does not wait for it.
static bool is_back_edge(const berth_importer_t *importer,
                         const berth_import_edge_t *edge) {
  return !edge->is_mapped && edge->index != BERTH_IMPORT_CONTROL &&
         importer->nodes[edge->user].is_merge &&
         importer->nodes[edge->source].is_next_iteration;
}

// Counts what |node| has to wait for. A Merge whose inputs all close loops
// waits for ever: nothing ever comes into such a loop.
static int32_t pending_count(const berth_importer_t *importer,
                             const berth_import_node_t *node) {
  int32_t pending = 0, back_edges = 0, data = 0;
  for (size_t i = 0; i < node->def->n_input; ++i) {
    const berth_import_edge_t *edge =
        &importer->edges[(size_t)node->first_edge + i];
    bool is_back = is_back_edge(importer, edge);
    back_edges += is_back;
    data += edge->index != BERTH_IMPORT_CONTROL;
    pending += !edge->is_mapped && !is_back;
  }
  return back_edges > 0 && back_edges == data ? INT32_MAX : pending;
}

berth_code_t berth_import_connect(berth_importer_t *importer,
                                  berth_error_t *err) {
  size_t total = 0;
  for (int32_t i = 0; i < importer->node_count; ++i) {
    total += importer->nodes[i].def->n_input;
  }
  if (total > INT32_MAX) {
    return berth_error_set(err, BERTH_RESOURCE_EXHAUSTED,
                           "A GraphDef has at most 2^31 inputs");
  }
  importer->edges =
      berth_arena_alloc(&importer->arena, total * sizeof *importer->edges);
  if (importer->edges == NULL) return berth_error_no_memory(err, "an import");
  int32_t next = 0;
  for (int32_t i = 0; i < importer->node_count; ++i) {
    berth_import_node_t *node = &importer->nodes[i];
    node->first_edge = next;
    for (size_t k = 0; k < node->def->n_input; ++k) {
      BERTH_TRY(edge_make(importer, i, node->def->input[k], next++, err));
    }
  }
  for (int32_t i = 0; i < importer->node_count; ++i) {
    importer->nodes[i].pending = pending_count(importer, &importer->nodes[i]);
  }
  return BERTH_OK;
}

// ---- Order ----

// The nodes that are ready, the first of the file on top: a binary heap.
typedef struct heap {
  int32_t *items;
  int32_t count;
} heap_t;

static void heap_push(heap_t *heap, int32_t item) {
  int32_t at = heap->count++;
  while (at > 0) {
    int32_t parent = (at - 1) / 2;
    if (heap->items[parent] <= item) break;
    heap->items[at] = heap->items[parent];
    at = parent;
  }
  heap->items[at] = item;
}

static int32_t heap_pop(heap_t *heap) {
  int32_t top = heap->items[0];
  int32_t item = heap->items[--heap->count];
  int32_t at = 0;
  for (;;) {
    int32_t child = 2 * at + 1;
    if (child >= heap->count) break;
    if (child + 1 < heap->count &&
        heap->items[child + 1] < heap->items[child]) {
      ++child;
    }
    if (heap->items[child] >= item) break;
    heap->items[at] = heap->items[child];
    at = child;
  }
  heap->items[at] = item;
  return top;
}

// Tells the users of a node that it is there.
static void node_done(berth_importer_t *importer, int32_t position,
                      heap_t *ready) {
  for (int32_t i = importer->nodes[position].first_use; i >= 0;
       i = importer->edges[i].next_use) {
    const berth_import_edge_t *edge = &importer->edges[i];
    if (is_back_edge(importer, edge)) continue;
    if (--importer->nodes[edge->user].pending == 0) {
      heap_push(ready, edge->user);
    }
  }
}

berth_code_t berth_import_order(berth_importer_t *importer,
                                berth_error_t *err) {
  size_t count = (size_t)importer->node_count;
  heap_t ready = {
      berth_arena_alloc(&importer->arena, count * sizeof *ready.items), 0};
  importer->order =
      berth_arena_alloc(&importer->arena, count * sizeof *importer->order);
  if (ready.items == NULL || importer->order == NULL) {
    return berth_error_no_memory(err, "an import");
  }
  for (int32_t i = 0; i < importer->node_count; ++i) {
    if (importer->nodes[i].pending == 0) heap_push(&ready, i);
  }
  int32_t done = 0;
  while (ready.count > 0) {
    int32_t position = heap_pop(&ready);
    importer->nodes[position].id = importer->base + done;
    importer->order[done++] = position;
    node_done(importer, position, &ready);
  }
  if (done == importer->node_count) return BERTH_OK;
  return berth_error_set(err, BERTH_INVALID_ARGUMENT, "%d nodes in a cycle",
                         (int)(importer->node_count - done));
}

// ---- Renames ----

// Notes every prefix of the names in the graph: a node cannot be called as a
// scope is.
static bool prefixes_collect(berth_importer_t *importer) {
  for (int32_t id = 0; id < importer->base; ++id) {
    const char *name = berth_graph_get(importer->graph, id)->name;
    for (const char *slash = strchr(name, '/'); slash != NULL;
         slash = strchr(slash + 1, '/')) {
      size_t size = (size_t)(slash - name);
      if (!berth_map_set(&importer->prefixes, name, size, 0)) return false;
    }
  }
  return true;
}

static bool is_taken(const berth_importer_t *importer, const char *name) {
  size_t size = strlen(name);
  return berth_graph_lookup(importer->graph, name, size) != BERTH_NO_NODE ||
         berth_map_find(&importer->prefixes, name, size) != NULL;
}

// Returns |name| with the first number behind it that makes it free in the
// graph and in the GraphDef; NULL when memory is short.
static const char *unique_name(berth_importer_t *importer, const char *name,
                               size_t prefix_size) {
  size_t capacity = strlen(name) + 16;
  char *text = berth_arena_alloc(&importer->arena, capacity);
  if (text == NULL) return NULL;
  for (int number = 1;; ++number) {
    int size = snprintf(text, capacity, "%s_%d", name, number);
    const char *bare = text + prefix_size;
    if (!is_taken(importer, text) &&
        berth_import_find(importer, bare, (size_t)size - prefix_size) < 0) {
      return text;
    }
  }
}

// Settles the prefix, with a slash at its end.
static berth_code_t prefix_make(berth_importer_t *importer,
                                berth_error_t *err) {
  const char *wanted = importer->options->prefix;
  importer->prefix = "";
  size_t size = wanted != NULL ? strlen(wanted) : 0;
  if (size > 0 && wanted[size - 1] == '/') --size;
  if (size == 0) return BERTH_OK;
  const char *bare = berth_arena_strndup(&importer->arena, wanted, size);
  if (bare == NULL) return berth_error_no_memory(err, "an import");
  if (!is_valid_name(bare)) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Imported node name prefix '%s/' would lead to "
                           "invalid node names",
                           bare);
  }
  if (importer->options->uniquify_prefix && is_taken(importer, bare)) {
    bare = unique_name(importer, bare, 0);
  }
  char *prefix = bare != NULL ? berth_arena_strndup(&importer->arena, bare,
                                                    strlen(bare) + 1)
                              : NULL;
  if (prefix == NULL) return berth_error_no_memory(err, "an import");
  prefix[strlen(bare)] = '/';
  importer->prefix = prefix;
  return BERTH_OK;
}

// Returns |name| behind the prefix; NULL when memory is short.
static const char *prefixed_name(berth_importer_t *importer, const char *name,
                                 size_t prefix_size) {
  if (prefix_size == 0) return name;
  size_t size = strlen(name);
  char *text = berth_arena_alloc(&importer->arena, prefix_size + size + 1);
  if (text == NULL) return NULL;
  memcpy(text, importer->prefix, prefix_size);
  memcpy(text + prefix_size, name, size + 1);
  return text;
}

static berth_code_t node_rename(berth_importer_t *importer,
                                berth_import_node_t *node, size_t prefix_size,
                                berth_error_t *err) {
  node->name = prefixed_name(importer, node->def->name, prefix_size);
  if (node->name == NULL) return berth_error_no_memory(err, "an import");
  if (!is_taken(importer, node->name)) return BERTH_OK;
  if (importer->options->uniquify_names) {
    node->name = unique_name(importer, node->name, prefix_size);
    if (node->name != NULL) return BERTH_OK;
    return berth_error_no_memory(err, "an import");
  }
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "Node name '%s' already exists in the Graph",
                         node->name);
}

berth_code_t berth_import_rename(berth_importer_t *importer,
                                 berth_error_t *err) {
  if (!prefixes_collect(importer)) {
    return berth_error_no_memory(err, "an import");
  }
  BERTH_TRY(prefix_make(importer, err));
  size_t prefix_size = strlen(importer->prefix);
  if (importer->base == 0 && prefix_size == 0) return BERTH_OK;
  for (int32_t i = 0; i < importer->node_count; ++i) {
    BERTH_TRY(node_rename(importer, &importer->nodes[i], prefix_size, err));
  }
  return BERTH_OK;
}
