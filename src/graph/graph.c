// graph.c - Graphs: their life, their names, and taking nodes back.
//
// graph/add.c adds nodes, graph/node.c looks at them.
#include "graph/graph.h"

#include <string.h>

#include "base/alloc.h"
#include "base/assert.h"
#include "graph/consumers.h"
#include "graph/function.h"
#include "graph/op_table.h"
#include "graph/scope.h"

enum { PRODUCER = 2474 };  // The GraphDef version of TensorFlow 2.21.

// ---- Life ----

static int recent_count(void) {
  return berth_op_table_count + BERTH_GRAPH_RECENT_KNOWN;
}

berth_graph_t *berth_graph_create(void) {
  berth_graph_t *graph = berth_calloc(1, sizeof(*graph));
  if (graph == NULL) return NULL;
  berth_mutex_init(&graph->lock);
  atomic_init(&graph->refs, 1);
  graph->producer = PRODUCER;
  graph->recent = berth_calloc((size_t)recent_count(), sizeof(int32_t));
  graph->scopes = berth_scopes_create();
  if (graph->recent == NULL || graph->scopes == NULL) {
    berth_graph_release(graph);
    return NULL;
  }
  return graph;
}

berth_graph_t *berth_graph_retain(berth_graph_t *graph) {
  if (graph != NULL) {
    atomic_fetch_add_explicit(&graph->refs, 1, memory_order_relaxed);
  }
  return graph;
}

// Releases the tensors that attributes of nodes from |first| on hold.
static void drop_tensors(berth_graph_t *graph, int32_t first) {
  while (graph->holder_count > 0 &&
         graph->holders[graph->holder_count - 1] >= first) {
    const berth_node_t *node =
        berth_graph_get(graph, graph->holders[--graph->holder_count]);
    for (int32_t i = 0; i < node->attr_count; ++i) {
      berth_attr_drop_tensors(&node->attrs[i].value);
    }
  }
}

void berth_graph_release(berth_graph_t *graph) {
  if (graph == NULL ||
      atomic_fetch_sub_explicit(&graph->refs, 1, memory_order_acq_rel) != 1) {
    return;
  }
  drop_tensors(graph, 0);
  berth_free(graph->unfoldings);
  berth_functions_destroy(graph->functions);
  berth_scopes_destroy(graph->scopes);
  berth_consumers_destroy(graph->consumers);
  for (size_t i = 0; i < graph->chunk_count; ++i) berth_free(graph->chunks[i]);
  for (size_t i = 0; i < graph->old_table_count; ++i) {
    berth_free(graph->old_tables[i]);
  }
  berth_free(graph->old_tables);
  berth_free(graph->chunks);
  berth_free(graph->recent);
  berth_free(graph->holders);
  berth_map_clear(&graph->names);
  berth_map_clear(&graph->interned);
  berth_arena_clear(&graph->arena);
  berth_error_clear(&graph->error);
  berth_mutex_deinit(&graph->lock);
  berth_free(graph);
}

void berth_graph_lock(berth_graph_t *graph) { berth_mutex_lock(&graph->lock); }

void berth_graph_unlock(berth_graph_t *graph) {
  berth_mutex_unlock(&graph->lock);
}

berth_code_t berth_graph_error(const berth_graph_t *graph, berth_error_t *err) {
  if (graph == NULL) return berth_error_no_memory(err, "a graph");
  berth_graph_t *g = (berth_graph_t *)(uintptr_t)graph;
  berth_graph_lock(g);
  berth_code_t code = g->error.code;
  if (code != BERTH_OK) {
    berth_error_set_text(err, code, berth_error_message(&g->error));
  }
  berth_graph_unlock(g);
  return code;
}

const char *berth_graph_intern(berth_graph_t *graph, const char *text,
                               size_t size) {
  if (size == 0) return "";
  int64_t *old = berth_map_find(&graph->interned, text, size);
  if (old != NULL) return (const char *)(uintptr_t)*old;
  char *copy = berth_arena_strndup(&graph->arena, text, size);
  if (copy == NULL ||
      !berth_map_set(&graph->interned, copy, size, (int64_t)(uintptr_t)copy)) {
    return NULL;
  }
  return copy;
}

// ---- Names ----

// Puts the names of all nodes into the map. Stops where memory is short.
static bool index_names(berth_graph_t *graph) {
  int32_t count = berth_graph_node_count(graph);
  if (graph->named == count) return true;
  if (!berth_map_reserve(&graph->names, (size_t)count)) return false;
  for (; graph->named < count; ++graph->named) {
    const char *name = berth_graph_get(graph, graph->named)->name;
    if (!berth_map_set(&graph->names, name, strlen(name), graph->named)) {
      return false;
    }
  }
  return true;
}

// Looks through nodes that could not be indexed.
static int32_t search_rest(const berth_graph_t *graph, const char *name,
                           size_t size) {
  for (int32_t id = graph->named; id < berth_graph_node_count(graph); ++id) {
    const char *own = berth_graph_get(graph, id)->name;
    if (strncmp(own, name, size) == 0 && own[size] == '\0') return id;
  }
  return BERTH_NO_NODE;
}

int32_t berth_graph_lookup(berth_graph_t *graph, const char *name,
                           size_t size) {
  bool is_indexed = index_names(graph);
  int64_t *id = berth_map_find(&graph->names, name, size);
  if (id != NULL && *id >= 0) return (int32_t)*id;
  return is_indexed ? BERTH_NO_NODE : search_rest(graph, name, size);
}

// ---- Taking back ----

void berth_graph_truncate(berth_graph_t *graph, int32_t node_count) {
  drop_tensors(graph, node_count);
  for (int32_t id = node_count; id < graph->named; ++id) {
    const char *name = berth_graph_get(graph, id)->name;
    int64_t *value = berth_map_find(&graph->names, name, strlen(name));
    BERTH_ASSERT(value != NULL);
    *value = BERTH_NO_NODE;
  }
  if (graph->named > node_count) graph->named = node_count;
  for (int i = 0; i < recent_count(); ++i) {
    if (graph->recent[i] >= node_count) graph->recent[i] = 0;
  }
  berth_scopes_truncate(graph->scopes, node_count);
  berth_consumers_destroy(graph->consumers);
  graph->consumers = NULL;
  atomic_store_explicit(&graph->node_count, node_count, memory_order_release);
}
