// routine.c - Functions of graphs, ready to be called by kernels.
#include "runtime/routine.h"

#include "base/alloc.h"
#include "graph/function.h"
#include "runtime/eager_internal.h"
#include "runtime/session_internal.h"

// ---- Libraries of a context ----

struct berth_context_library {
  berth_context_library_t *next;
  char *name;  // Of the function.
  berth_graph_t *graph;
  bool is_inner;  // A routine's own, for what it calls.
};

static void library_destroy(berth_context_library_t *library) {
  if (library == NULL) return;
  berth_graph_release(library->graph);
  berth_free(library->name);
  berth_free(library);
}

static berth_code_t library_add(berth_context_t *context, const char *name,
                                berth_graph_t *graph, bool is_inner,
                                berth_error_t *err) {
  berth_context_library_t *library = berth_calloc(1, sizeof(*library));
  if (library != NULL) library->name = berth_strdup(name);
  if (library == NULL || library->name == NULL) {
    library_destroy(library);
    return berth_error_no_memory(err, "a function");
  }
  library->graph = berth_graph_retain(graph);
  library->is_inner = is_inner;
  berth_mutex_lock(&context->library_lock);
  library->next = context->libraries;
  context->libraries = library;
  berth_mutex_unlock(&context->library_lock);
  return BERTH_OK;
}

berth_code_t berth_context_add_function(berth_context_t *context,
                                        const char *name, berth_graph_t *graph,
                                        berth_error_t *err) {
  BERTH_GIVEN(context, err);
  BERTH_GIVEN(name, err);
  BERTH_GIVEN(graph, err);
  return library_add(context, name, graph, false, err);
}

static berth_context_library_t **find_library(berth_context_t *context,
                                              const char *name) {
  berth_context_library_t **at = &context->libraries;
  while (*at != NULL && strcmp((*at)->name, name) != 0) at = &(*at)->next;
  return at;
}

void berth_context_remove_function(berth_context_t *context, const char *name) {
  if (context == NULL || name == NULL) return;
  berth_mutex_lock(&context->library_lock);
  berth_context_library_t **at = find_library(context, name);
  while (*at != NULL && ((*at)->is_inner || strcmp((*at)->name, name) != 0)) {
    at = &(*at)->next;
  }
  berth_context_library_t *library = *at;
  if (library != NULL) *at = library->next;
  berth_mutex_unlock(&context->library_lock);
  library_destroy(library);
  berth_eager_entries_forget_calls(context);
}

// Adds the functions of |graph| for those that one of them calls, or takes them
// away again.
static berth_code_t add_all(berth_context_t *context, berth_graph_t *graph,
                            berth_error_t *err) {
  int count = berth_graph_function_count(graph);
  for (int i = 0; count > 1 && i < count; ++i) {
    BERTH_TRY(library_add(context, berth_graph_function_name(graph, i), graph,
                          true, err));
  }
  return BERTH_OK;
}

static void remove_all(berth_context_t *context, const berth_graph_t *graph) {
  int count = berth_graph_function_count(graph);
  for (int i = 0; count > 1 && i < count; ++i) {
    const char *name = berth_graph_function_name(graph, i);
    berth_mutex_lock(&context->library_lock);
    berth_context_library_t **at = &context->libraries;
    while (*at != NULL &&
           ((*at)->graph != graph || strcmp((*at)->name, name) != 0)) {
      at = &(*at)->next;
    }
    berth_context_library_t *library = *at;
    if (library != NULL) *at = library->next;
    berth_mutex_unlock(&context->library_lock);
    library_destroy(library);
  }
}

void berth_context_clear_functions(berth_context_t *context) {
  while (context->libraries != NULL) {
    berth_context_library_t *library = context->libraries;
    context->libraries = library->next;
    library_destroy(library);
  }
}

// ---- Routines ----

// The node that calls the function.
#define CALL_NAME "call"

typedef struct routine {
  berth_routine_t base;  // First.
  berth_context_t *context;
  berth_graph_t *graph;  // A call of the function.
  berth_node_id_t call;
  berth_session_t *session;
  berth_callable_t *callable;
  berth_out_t *feeds;
} routine_t;

static void routine_destroy(berth_resource_t *resource) {
  routine_t *routine = (routine_t *)resource;
  berth_callable_destroy(routine->callable);
  berth_session_destroy(routine->session);
  if (routine->graph != NULL) remove_all(routine->context, routine->graph);
  berth_graph_release(routine->graph);
  berth_context_release(routine->context);
  berth_free(routine->feeds);
  berth_free(routine);
}

// Brings what a call left on a device to the host.
static berth_code_t bring(berth_tensor_t **outputs, int count,
                          berth_error_t *err) {
  for (int i = 0; i < count; ++i) {
    if (outputs[i]->device == NULL) continue;
    berth_tensor_t *moved = NULL;
    BERTH_TRY(berth_tensor_to_host(outputs[i], &moved, err));
    berth_tensor_release(outputs[i]);
    outputs[i] = moved;
  }
  return BERTH_OK;
}

// Calls nodes in a failure as the function has them: they were put in the place
// of the one call.
static void blame_function(berth_error_t *err) {
  static const char front[] = "{{node " CALL_NAME "/";
  if (err == NULL) return;
  char *text = err->long_text != NULL ? err->long_text : err->text;
  size_t keep = strlen("{{node "), drop = strlen(CALL_NAME "/");
  for (char *at = strstr(text, front); at != NULL; at = strstr(at, front)) {
    at += keep;
    memmove(at, at + drop, strlen(at + drop) + 1);
  }
}

static berth_code_t routine_call(berth_routine_t *base,
                                 berth_tensor_t *const *inputs,
                                 berth_tensor_t **outputs,
                                 const berth_run_control_t *control,
                                 berth_error_t *err) {
  routine_t *routine = (routine_t *)base;
  (void)control;
  berth_code_t code =
      berth_callable_run(routine->callable, inputs, outputs, err);
  if (code != BERTH_OK) {
    blame_function(err);
    return code;
  }
  code = bring(outputs, base->output_count, err);
  for (int i = 0; code != BERTH_OK && i < base->output_count; ++i) {
    berth_tensor_release(outputs[i]);
  }
  return code;
}

// ---- Making ----

// Copies the functions of |from| to |to|.
static berth_code_t copy_functions(const berth_graph_t *from, berth_graph_t *to,
                                   berth_error_t *err) {
  berth_arena_t arena = {0};
  Berth__Wire__FunctionDefLibrary *library = NULL;
  berth_graph_lock((berth_graph_t *)(uintptr_t)from);
  berth_code_t code = berth_functions_to_wire(from, &arena, &library, err);
  if (code == BERTH_OK && library != NULL) {
    berth_graph_lock(to);
    code = berth_functions_add_library(to, library, err);
    berth_graph_unlock(to);
  }
  berth_graph_unlock((berth_graph_t *)(uintptr_t)from);
  berth_arena_clear(&arena);
  return code;
}

static const berth_op_schema_t *find_schema(berth_graph_t *graph,
                                            const char *name) {
  berth_graph_lock(graph);
  const berth_function_t *function = berth_functions_find(graph, name);
  berth_graph_unlock(graph);
  return function != NULL ? &function->schema : NULL;
}

// Builds the call of the function |name|, and placeholders for what it takes.
static berth_code_t build_call(routine_t *routine, const char *name,
                               berth_error_t *err) {
  berth_graph_t *graph = routine->graph;
  const berth_op_schema_t *schema = find_schema(graph, name);
  if (schema == NULL) {
    return berth_error_set(err, BERTH_NOT_FOUND, "Function %s is not defined.",
                           name);
  }
  routine->base.input_count = schema->input_count;
  routine->feeds =
      berth_calloc((size_t)schema->input_count + 1, sizeof(*routine->feeds));
  if (routine->feeds == NULL) return berth_error_no_memory(err, "a function");
  for (int i = 0; i < schema->input_count; ++i) {
    berth_op_t *arg = berth_op_begin(graph, "Placeholder", "arg");
    berth_op_attr_type(arg, "dtype", schema->inputs[i].type);
    routine->feeds[i] = (berth_out_t){berth_op_finish(arg), 0};
  }
  berth_op_t *call = berth_op_begin(graph, name, CALL_NAME);
  for (int i = 0; i < schema->input_count; ++i) {
    berth_op_input(call, routine->feeds[i]);
  }
  routine->call = berth_op_finish(call);
  BERTH_TRY(berth_graph_error(graph, err));
  routine->base.output_count =
      berth_graph_get(graph, routine->call)->output_count;
  return BERTH_OK;
}

// True when something in the functions of |graph| has a sequence of its own.
static bool has_state(berth_graph_t *graph) {
  bool found = false;
  berth_graph_lock(graph);
  for (int f = 0; !found && f < berth_functions_count(graph); ++f) {
    const Berth__Wire__FunctionDef *def = berth_functions_at(graph, f)->def;
    for (size_t n = 0; !found && n < def->n_node_def; ++n) {
      const berth_op_schema_t *op = berth_schema_find(def->node_def[n]->op);
      found = op != NULL && (op->owns == BERTH_OWNS_GENERATOR ||
                             op->owns == BERTH_OWNS_COUNTER);
    }
  }
  berth_graph_unlock(graph);
  return found;
}

// Plans the call.
static berth_code_t open_session(routine_t *routine, berth_error_t *err) {
  enum { ON_STACK = 64 };
  berth_out_t few[ON_STACK];
  int count = routine->base.output_count;
  BERTH_TRY(berth_context_session(routine->context, routine->graph,
                                  &routine->session, err));
  // As in TensorFlow, cards are left to what the program does with elements.
  BERTH_TRY(berth_session_prefer_device(routine->session, "CPU:0", err));
  // Nobody logs where the functions of datasets run.
  routine->session->config.log_device_placement = false;
  berth_out_t *fetches =
      count > ON_STACK ? berth_alloc((size_t)count * sizeof(*fetches)) : few;
  if (fetches == NULL) return berth_error_no_memory(err, "a function");
  for (int i = 0; i < count; ++i) {
    fetches[i] = (berth_out_t){routine->call, i};
  }
  berth_code_t code = berth_callable_create(
      routine->session, routine->feeds, routine->base.input_count, fetches,
      count, &routine->call, 1, &routine->callable, err);
  if (fetches != few) berth_free(fetches);
  return code;
}

static berth_code_t routine_copy(berth_routine_t *base,
                                 berth_routine_t **out_copy,
                                 berth_error_t *err);

static routine_t *routine_alloc(berth_context_t *context) {
  routine_t *routine = berth_calloc(1, sizeof(*routine));
  if (routine == NULL) return NULL;
  atomic_init(&routine->base.resource.refs, 1);
  routine->base.resource.kind = BERTH_RESOURCE_ROUTINE;
  routine->base.resource.destroy = routine_destroy;
  routine->base.call = routine_call;
  routine->base.copy = routine_copy;
  routine->context = berth_context_retain(context);
  return routine;
}

static berth_code_t finish(routine_t *routine, berth_code_t code,
                           berth_routine_t **out_routine, berth_error_t *err) {
  if (code == BERTH_OK) code = add_all(routine->context, routine->graph, err);
  if (code == BERTH_OK) code = open_session(routine, err);
  if (code == BERTH_OK) {
    *out_routine = &routine->base;
  } else {
    routine_destroy(&routine->base.resource);
  }
  return code;
}

berth_code_t berth_routine_create(berth_context_t *context,
                                  const berth_graph_t *graph, const char *name,
                                  berth_routine_t **out_routine,
                                  berth_error_t *err) {
  routine_t *routine = routine_alloc(context);
  if (routine == NULL) return berth_error_no_memory(err, "a function");
  routine->graph = berth_graph_create();
  berth_code_t code = routine->graph == NULL
                          ? berth_error_no_memory(err, "a function")
                          : copy_functions(graph, routine->graph, err);
  if (code == BERTH_OK) code = build_call(routine, name, err);
  if (code == BERTH_OK) routine->base.has_state = has_state(routine->graph);
  return finish(routine, code, out_routine, err);
}

static berth_code_t routine_copy(berth_routine_t *base,
                                 berth_routine_t **out_copy,
                                 berth_error_t *err) {
  const routine_t *from = (routine_t *)base;
  size_t count = (size_t)base->input_count + 1;
  routine_t *routine = routine_alloc(from->context);
  if (routine == NULL) return berth_error_no_memory(err, "a function");
  routine->graph = berth_graph_retain(from->graph);
  routine->call = from->call;
  routine->base.input_count = base->input_count;
  routine->base.output_count = base->output_count;
  routine->base.has_state = base->has_state;
  routine->feeds = berth_calloc(count, sizeof(*routine->feeds));
  if (routine->feeds == NULL) {
    return finish(routine, berth_error_no_memory(err, "a function"), out_copy,
                  err);
  }
  memcpy(routine->feeds, from->feeds, count * sizeof(*routine->feeds));
  return finish(routine, BERTH_OK, out_copy, err);
}

berth_code_t berth_context_routine(void *arg, const char *name,
                                   berth_routine_t **out_routine,
                                   berth_error_t *err) {
  berth_context_t *context = arg;
  berth_mutex_lock(&context->library_lock);
  berth_context_library_t *library = *find_library(context, name);
  berth_graph_t *graph =
      library != NULL ? berth_graph_retain(library->graph) : NULL;
  berth_mutex_unlock(&context->library_lock);
  if (graph == NULL) {
    return berth_error_set(err, BERTH_NOT_FOUND, "Function %s is not defined.",
                           name);
  }
  berth_code_t code =
      berth_routine_create(context, graph, name, out_routine, err);
  berth_graph_release(graph);
  return code;
}
