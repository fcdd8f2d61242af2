// function.c - The functions of a graph.
#include "graph/function.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "graph/op_def.h"
#include "graph/shape_fn.h"
#include "wire/message.h"

typedef Berth__Wire__FunctionDef function_def_t;
typedef Berth__Wire__FunctionDefLibrary library_t;

struct berth_functions {
  berth_arena_t arena;
  berth_function_t **items;
  size_t count, capacity;
  berth_map_t index;  // Name -> item.
};

// Consumers older than this know no functions.
enum { FUNCTIONS_MIN_CONSUMER = 12 };

// ---- Order of maps ----

// What every entry of a map with texts as keys begins with.
typedef struct keyed {
  ProtobufCMessage base;
  char *key;
} keyed_t;

static int compare_keys(const void *a, const void *b) {
  return strcmp((*(keyed_t *const *)a)->key, (*(keyed_t *const *)b)->key);
}

static void sort_entries(void *entries, size_t count) {
  if (count > 1) qsort(entries, count, sizeof(void *), compare_keys);
}

// Puts the entries of maps in order, so that equal functions have equal bytes.
static void def_sort(function_def_t *def) {
  sort_entries(def->attr, def->n_attr);
  sort_entries(def->ret, def->n_ret);
  sort_entries(def->control_ret, def->n_control_ret);
  for (size_t i = 0; i < def->n_node_def; ++i) {
    sort_entries(def->node_def[i]->attr, def->node_def[i]->n_attr);
  }
}

// Copies |def| into |arena| with its maps in order.
static berth_code_t def_copy(const function_def_t *def, berth_arena_t *arena,
                             function_def_t **out_def, berth_error_t *err) {
  ProtobufCMessage *copy = NULL;
  BERTH_TRY(berth_message_copy(&def->base, arena, &copy, err));
  *out_def = (function_def_t *)copy;
  def_sort(*out_def);
  return BERTH_OK;
}

// Stores whether both definitions say the same.
static berth_code_t def_equal(const function_def_t *ordered,
                              const function_def_t *other, bool *out_equal,
                              berth_error_t *err) {
  berth_arena_t arena = {0};
  function_def_t *copy = NULL;
  void *bytes[2] = {NULL, NULL};
  size_t sizes[2] = {0, 0};
  berth_code_t code = def_copy(other, &arena, &copy, err);
  if (code != BERTH_OK) goto done;
  code = berth_message_pack(&ordered->base, &bytes[0], &sizes[0], err);
  if (code != BERTH_OK) goto done;
  code = berth_message_pack(&copy->base, &bytes[1], &sizes[1], err);
  if (code != BERTH_OK) goto done;
  *out_equal =
      sizes[0] == sizes[1] && memcmp(bytes[0], bytes[1], sizes[0]) == 0;
done:
  berth_free(bytes[0]);
  berth_free(bytes[1]);
  berth_arena_clear(&arena);
  return code;
}

// ---- The library ----

const berth_function_t *berth_functions_find(const berth_graph_t *graph,
                                             const char *name) {
  const struct berth_functions *functions = graph->functions;
  if (functions == NULL) return NULL;
  const int64_t *found = berth_map_find(&functions->index, name, strlen(name));
  return found != NULL ? functions->items[*found] : NULL;
}

const berth_op_schema_t *berth_graph_find_op(const berth_graph_t *graph,
                                             const char *name) {
  const berth_op_schema_t *schema = berth_schema_find(name);
  if (schema != NULL) return schema;
  const berth_function_t *function = berth_functions_find(graph, name);
  return function != NULL ? &function->schema : NULL;
}

int berth_functions_count(const berth_graph_t *graph) {
  return graph->functions != NULL ? (int)graph->functions->count : 0;
}

const berth_function_t *berth_functions_at(const berth_graph_t *graph,
                                           int index) {
  return graph->functions->items[index];
}

void berth_functions_truncate(berth_graph_t *graph, int count) {
  struct berth_functions *functions = graph->functions;
  if (functions == NULL || functions->count == (size_t)count) return;
  while (functions->count > (size_t)count) {
    berth_op_schema_drop_tensors(&functions->items[--functions->count]->schema);
  }
  // Maps only grow, so the rest goes into the old table once more: there is
  // room for it, and setting cannot fail.
  if (functions->index.capacity > 0) {
    memset(functions->index.entries, 0,
           functions->index.capacity * sizeof *functions->index.entries);
  }
  functions->index.count = 0;
  for (size_t i = 0; i < functions->count; ++i) {
    const char *name = functions->items[i]->name;
    (void)berth_map_set(&functions->index, name, strlen(name), (int64_t)i);
  }
}

void berth_functions_destroy(struct berth_functions *functions) {
  if (functions == NULL) return;
  for (size_t i = 0; i < functions->count; ++i) {
    berth_op_schema_drop_tensors(&functions->items[i]->schema);
  }
  berth_map_clear(&functions->index);
  berth_arena_clear(&functions->arena);
  berth_free(functions->items);
  berth_free(functions);
}

// Makes a function of |def| in the library's arena.
static berth_code_t function_make(struct berth_functions *functions,
                                  const function_def_t *def,
                                  berth_function_t **out_function,
                                  berth_error_t *err) {
  berth_function_t *function =
      berth_arena_calloc(&functions->arena, 1, sizeof *function);
  if (function == NULL) return berth_error_no_memory(err, "a function");
  function_def_t *copy = NULL;
  BERTH_TRY(def_copy(def, &functions->arena, &copy, err));
  BERTH_TRY(berth_op_schema_from_wire(copy->signature, &functions->arena,
                                      &function->schema, err));
  function->schema.is_function = true;
  function->schema.infer = berth_infer_call;
  function->name = copy->signature->name;
  function->def = copy;
  *out_function = function;
  return BERTH_OK;
}

// Adds a function whose name is free.
static berth_code_t function_add(berth_graph_t *graph,
                                 const function_def_t *def,
                                 berth_error_t *err) {
  if (graph->functions == NULL) {
    graph->functions = berth_calloc(1, sizeof *graph->functions);
    if (graph->functions == NULL) {
      return berth_error_no_memory(err, "a function");
    }
  }
  struct berth_functions *functions = graph->functions;
  void *items = berth_grow(functions->items, functions->count,
                           &functions->capacity, sizeof *functions->items);
  if (items == NULL) return berth_error_no_memory(err, "a function");
  functions->items = items;
  berth_arena_mark_t mark = berth_arena_mark(&functions->arena);
  berth_function_t *function = NULL;
  berth_code_t code = function_make(functions, def, &function, err);
  if (code == BERTH_OK &&
      !berth_map_set(&functions->index, function->name, strlen(function->name),
                     (int64_t)functions->count)) {
    berth_op_schema_drop_tensors(&function->schema);
    code = berth_error_no_memory(err, "a function");
  }
  if (code != BERTH_OK) {
    berth_arena_rewind(&functions->arena, mark);
    return code;
  }
  functions->items[functions->count++] = function;
  if (graph->min_consumer < FUNCTIONS_MIN_CONSUMER) {
    graph->min_consumer = FUNCTIONS_MIN_CONSUMER;
  }
  return BERTH_OK;
}

berth_code_t berth_functions_add(berth_graph_t *graph,
                                 const function_def_t *def,
                                 berth_error_t *err) {
  const char *name = def->signature != NULL ? def->signature->name : "";
  if (name[0] == '\0') {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Cannot add a function without a name.");
  }
  if (berth_schema_find(name) != NULL) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Cannot add function '%s' because an op with the "
                           "same name already exists.",
                           name);
  }
  const berth_function_t *present = berth_functions_find(graph, name);
  if (present == NULL) return function_add(graph, def, err);
  bool is_equal = false;
  BERTH_TRY(def_equal(present->def, def, &is_equal, err));
  if (is_equal) return BERTH_OK;
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "Cannot add function '%s' because a different "
                         "function with the same name already exists.",
                         name);
}

berth_code_t berth_functions_add_library(berth_graph_t *graph,
                                         const library_t *library,
                                         berth_error_t *err) {
  int before = berth_functions_count(graph);
  int32_t min_consumer = graph->min_consumer;
  for (size_t i = 0; i < library->n_function; ++i) {
    berth_code_t code = berth_functions_add(graph, library->function[i], err);
    if (code == BERTH_OK) continue;
    berth_functions_truncate(graph, before);
    graph->min_consumer = min_consumer;
    return code;
  }
  return BERTH_OK;
}

berth_code_t berth_functions_to_wire(const berth_graph_t *graph,
                                     berth_arena_t *arena,
                                     library_t **out_library,
                                     berth_error_t *err) {
  const struct berth_functions *functions = graph->functions;
  *out_library = NULL;
  if (functions == NULL || functions->count == 0) return BERTH_OK;
  library_t *library =
      berth_message_new(&berth__wire__function_def_library__descriptor, arena);
  function_def_t **defs =
      berth_arena_calloc(arena, functions->count, sizeof *defs);
  if (library == NULL || defs == NULL) {
    return berth_error_no_memory(err, "a FunctionDefLibrary");
  }
  for (size_t i = 0; i < functions->count; ++i) {
    defs[i] = (function_def_t *)(uintptr_t)functions->items[i]->def;
  }
  library->function = defs;
  library->n_function = functions->count;
  *out_library = library;
  return BERTH_OK;
}

// ---- Public ----

// The graph is constant to its readers, but for its lock.
static berth_graph_t *lockable(const berth_graph_t *graph) {
  return (berth_graph_t *)(uintptr_t)graph;
}

berth_code_t berth_graph_add_functions(berth_graph_t *graph, const void *bytes,
                                       size_t size, berth_error_t *err) {
  BERTH_GIVEN(graph, err);
  BERTH_GIVEN_LIST(bytes, size, err);
  berth_arena_t arena = {0};
  ProtobufCMessage *message = NULL;
  berth_code_t code =
      berth_message_unpack(&berth__wire__function_def_library__descriptor,
                           bytes, size, &arena, &message, err);
  if (code == BERTH_OK) {
    berth_graph_lock(graph);
    code = berth_functions_add_library(graph, (const library_t *)message, err);
    berth_graph_unlock(graph);
  }
  berth_arena_clear(&arena);
  return code;
}

int berth_graph_function_count(const berth_graph_t *graph) {
  if (graph == NULL) return 0;
  berth_graph_lock(lockable(graph));
  int count = berth_functions_count(graph);
  berth_graph_unlock(lockable(graph));
  return count;
}

const char *berth_graph_function_name(const berth_graph_t *graph, int index) {
  if (graph == NULL) return NULL;
  berth_graph_lock(lockable(graph));
  bool is_there = index >= 0 && index < berth_functions_count(graph);
  const char *name = is_there ? berth_functions_at(graph, index)->name : NULL;
  berth_graph_unlock(lockable(graph));
  return name;
}

berth_code_t berth_graph_function_export(const berth_graph_t *graph,
                                         const char *name, void **out_bytes,
                                         size_t *out_size, berth_error_t *err) {
  BERTH_GIVEN(graph, err);
  BERTH_GIVEN(name, err);
  BERTH_GIVEN(out_bytes, err);
  BERTH_GIVEN(out_size, err);
  berth_graph_lock(lockable(graph));
  const berth_function_t *function = berth_functions_find(graph, name);
  berth_graph_unlock(lockable(graph));
  if (function == NULL) {
    return berth_error_set(err, BERTH_NOT_FOUND,
                           "The graph has no function '%s'", name);
  }
  return berth_message_pack(&function->def->base, out_bytes, out_size, err);
}
