// device_scope.c - The devices that nodes being built ask for.
//
// Scopes are applied from the innermost outwards, and what is there already
// wins: "/gpu:1" inside "/job:a" is /job:a/device:GPU:1. A function does not
// merge; its result replaces what inner scopes said, and strings outside of it
// merge into that. A wall ends the walk.
#include <string.h>

#include "base/alloc.h"
#include "graph/scope_internal.h"

static berth_code_t push(berth_graph_t *graph, device_scope_t scope,
                         berth_error_t *err) {
  struct berth_scopes *scopes = graph->scopes;
  device_scope_t *devices =
      berth_grow(scopes->devices, scopes->device_count,
                 &scopes->device_capacity, sizeof(*devices));
  if (devices == NULL) return berth_error_no_memory(err, "a device scope");
  scopes->devices = devices;
  devices[scopes->device_count++] = scope;
  scopes->device = NULL;
  return BERTH_OK;
}

// Reads |device| into |scope|. Its words point into an interned copy, which
// lives as long as the graph.
static berth_code_t read_scope(berth_graph_t *graph, const char *device,
                               device_scope_t *scope, berth_error_t *err) {
  if (device == NULL) {
    scope->kind = DEVICE_WALL;
    return BERTH_OK;
  }
  const char *text = berth_graph_intern(graph, device, strlen(device));
  if (text == NULL) return berth_error_no_memory(err, "a device scope");
  BERTH_TRY(berth_device_name_parse_spec(text, &scope->spec, err));
  scope->kind =
      berth_device_name_is_empty(&scope->spec) ? DEVICE_EMPTY : DEVICE_SPEC;
  return BERTH_OK;
}

void berth_device_push(berth_graph_t *graph, const char *device) {
  if (graph == NULL) return;
  berth_error_t err = BERTH_ERROR_INIT;
  berth_graph_lock(graph);
  // A scope that cannot be read nests all the same, and asks for nothing.
  device_scope_t scope = {.kind = DEVICE_EMPTY};
  berth_code_t code = read_scope(graph, device, &scope, &err);
  if (code != BERTH_OK) {
    scope.kind = DEVICE_EMPTY;
    berth_graph_keep_error(graph, &err);
  }
  code = push(graph, scope, &err);
  if (code != BERTH_OK) berth_graph_keep_error(graph, &err);
  berth_graph_unlock(graph);
}

void berth_device_push_function(berth_graph_t *graph, berth_device_fn fn,
                                void *arg) {
  if (graph == NULL) return;
  berth_error_t err = BERTH_ERROR_INIT;
  device_scope_t scope = {.kind = DEVICE_FUNCTION, .fn = fn, .arg = arg};
  berth_graph_lock(graph);
  if (fn == NULL) {
    scope.kind = DEVICE_EMPTY;
    berth_error_missing(&err, "fn");
    berth_graph_keep_error(graph, &err);
  }
  if (push(graph, scope, &err) != BERTH_OK) {
    berth_graph_keep_error(graph, &err);
  }
  berth_graph_unlock(graph);
}

void berth_device_pop(berth_graph_t *graph) {
  if (graph == NULL) return;
  berth_graph_lock(graph);
  if (graph->scopes->device_count > 0) --graph->scopes->device_count;
  graph->scopes->device = NULL;
  berth_graph_unlock(graph);
}

// Merges |scope| under what |*device| says already.
static berth_code_t merge(berth_graph_t *graph, const device_scope_t *scope,
                          const char **device, berth_error_t *err) {
  berth_device_name_t merged = scope->spec;
  if ((*device)[0] != '\0') {
    berth_device_name_t inner;
    BERTH_TRY(berth_device_name_parse_spec(*device, &inner, err));
    berth_device_name_override(&merged, &inner);
  }
  berth_str_t str = {0};
  berth_device_name_print(&merged, &str);
  *device = berth_str_ok(&str)
                ? berth_graph_intern(graph, berth_str_get(&str), str.size)
                : NULL;
  berth_str_clear(&str);
  return *device != NULL ? BERTH_OK : berth_error_no_memory(err, "a device");
}

// Asks a device function. Not under the lock: it may look at the graph.
static berth_code_t ask(berth_graph_t *graph, const device_scope_t *scope,
                        const char *op, const char *name, const char **device,
                        berth_error_t *err) {
  berth_graph_unlock(graph);
  const char *answer = scope->fn(graph, op, name, scope->arg);
  berth_graph_lock(graph);
  if (answer == NULL) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "The device function of node '%s' returned nothing",
                           name);
  }
  *device = berth_graph_intern(graph, answer, strlen(answer));
  return *device != NULL ? BERTH_OK : berth_error_no_memory(err, "a device");
}

// Applies |count| scopes, the innermost last.
static berth_code_t apply(berth_graph_t *graph, const device_scope_t *scopes,
                          size_t count, const char *op, const char *name,
                          const char **out_device, berth_error_t *err) {
  const char *device = "";
  for (size_t i = count; i > 0 && scopes[i - 1].kind != DEVICE_WALL; --i) {
    const device_scope_t *scope = &scopes[i - 1];
    if (scope->kind == DEVICE_SPEC) {
      BERTH_TRY(merge(graph, scope, &device, err));
    } else if (scope->kind == DEVICE_FUNCTION) {
      BERTH_TRY(ask(graph, scope, op, name, &device, err));
    }
  }
  *out_device = device;
  return BERTH_OK;
}

static bool has_function(const struct berth_scopes *scopes) {
  for (size_t i = scopes->device_count; i > 0; --i) {
    if (scopes->devices[i - 1].kind == DEVICE_WALL) return false;
    if (scopes->devices[i - 1].kind == DEVICE_FUNCTION) return true;
  }
  return false;
}

// Applies scopes with functions among them. Others may push and pop while one
// of those runs, so that works on a copy.
static berth_code_t apply_copy(berth_graph_t *graph, const char *op,
                               const char *name, const char **out_device,
                               berth_error_t *err) {
  const struct berth_scopes *scopes = graph->scopes;
  size_t count = scopes->device_count;
  device_scope_t *copy = berth_calloc(count, sizeof(*copy));
  if (copy == NULL) return berth_error_no_memory(err, "device scopes");
  memcpy(copy, scopes->devices, count * sizeof(*copy));
  berth_code_t code = apply(graph, copy, count, op, name, out_device, err);
  berth_free(copy);
  return code;
}

berth_code_t berth_scopes_device(berth_graph_t *graph, const char *op,
                                 const char *name, const char **out_device,
                                 berth_error_t *err) {
  struct berth_scopes *scopes = graph->scopes;
  if (scopes->device == NULL) {
    if (has_function(scopes)) {
      return apply_copy(graph, op, name, out_device, err);
    }
    BERTH_TRY(apply(graph, scopes->devices, scopes->device_count, op, name,
                    &scopes->device, err));
  }
  *out_device = scopes->device;
  return BERTH_OK;
}
