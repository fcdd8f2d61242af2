// scope.c - Names, colocation and control inputs of nodes being built.
#include "graph/scope.h"

#include <ctype.h>
#include <string.h>

#include "base/alloc.h"
#include "graph/scope_internal.h"

// ---- Life ----

struct berth_scopes *berth_scopes_create(void) {
  return berth_calloc(1, sizeof(struct berth_scopes));
}

static void control_scope_deinit(control_scope_t *scope) {
  berth_free(scope->nodes);
  berth_free(scope->seen);
}

void berth_scopes_destroy(struct berth_scopes *scopes) {
  if (scopes == NULL) return;
  for (size_t i = 0; i < scopes->control_count; ++i) {
    control_scope_deinit(&scopes->controls[i]);
  }
  berth_map_clear(&scopes->taken);
  berth_free(scopes->prefixes);
  berth_free(scopes->devices);
  berth_free(scopes->colocated);
  berth_free(scopes->controls);
  berth_free(scopes);
}

void berth_scopes_truncate(struct berth_scopes *scopes, int32_t node_count) {
  if (scopes->indexed > node_count) scopes->indexed = node_count;
}

void berth_graph_keep_error(berth_graph_t *graph, berth_error_t *err) {
  if (graph->error.code == BERTH_OK) berth_error_move(&graph->error, err);
  berth_error_clear(err);
}

// Keeps the error of a call that returns nothing, and unlocks.
static void finish_call(berth_graph_t *graph, berth_code_t code,
                        berth_error_t *err) {
  if (code != BERTH_OK) berth_graph_keep_error(graph, err);
  berth_graph_unlock(graph);
}

// ---- Names ----

// A name under construction: as given, and in lower case.
enum { NAME_ROOM = 512, DIGITS_ROOM = 16 };
typedef struct name_draft {
  char *text;
  char *key;
  size_t size;
  char text_room[NAME_ROOM];
  char key_room[NAME_ROOM];
} name_draft_t;

static void lower_case(char *key, const char *text, size_t size) {
  for (size_t i = 0; i < size; ++i) {
    char c = text[i];
    key[i] = c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
  }
}

// Joins prefix and name. Long ones lie in the graph's arena.
static bool draft_name(berth_graph_t *graph, const char *prefix,
                       const char *name, name_draft_t *draft) {
  size_t prefix_size = strlen(prefix), name_size = strlen(name);
  size_t size = prefix_size + (prefix_size > 0) + name_size;
  draft->text = draft->text_room;
  draft->key = draft->key_room;
  if (size + DIGITS_ROOM > NAME_ROOM) {
    draft->text = berth_arena_alloc(&graph->arena, size + DIGITS_ROOM);
    draft->key = berth_arena_alloc(&graph->arena, size + DIGITS_ROOM);
    if (draft->text == NULL || draft->key == NULL) return false;
  }
  memcpy(draft->text, prefix, prefix_size);
  if (prefix_size > 0) draft->text[prefix_size] = '/';
  memcpy(draft->text + size - name_size, name, name_size);
  draft->text[size] = '\0';
  draft->size = size;
  lower_case(draft->key, draft->text, size);
  return true;
}

// Marks the names of nodes that came without asking: imported ones.
static bool index_nodes(berth_graph_t *graph) {
  struct berth_scopes *scopes = graph->scopes;
  int32_t count = berth_graph_node_count(graph);
  for (; scopes->indexed < count; ++scopes->indexed) {
    name_draft_t draft;
    const char *name = berth_graph_get(graph, scopes->indexed)->name;
    if (!draft_name(graph, "", name, &draft)) return false;
    if (berth_map_find(&scopes->taken, draft.key, draft.size) != NULL) continue;
    // A name that is lower case already is its own key.
    const char *key = name;
    if (memcmp(name, draft.key, draft.size) != 0) {
      key = berth_arena_strndup(&graph->arena, draft.key, draft.size);
    }
    if (key == NULL || !berth_map_set(&scopes->taken, key, draft.size, 1)) {
      return false;
    }
  }
  return true;
}

// Writes _|number| at |text| and returns how many characters that took.
static size_t put_number(char text[DIGITS_ROOM], int64_t number) {
  char digits[DIGITS_ROOM];
  size_t count = 0, size = 0;
  do {
    digits[count++] = (char)('0' + number % 10);
    number /= 10;
  } while (number > 0 && count < DIGITS_ROOM - 2);
  text[size++] = '_';
  while (count > 0) text[size++] = digits[--count];
  text[size] = '\0';
  return size;
}

// Appends _1, _2 and so on until nobody has the name. |count| is how often the
// plain one was asked for.
static void make_unique(struct berth_scopes *scopes, int64_t count,
                        name_draft_t *draft) {
  size_t base = draft->size;
  do {
    draft->size = base + put_number(draft->key + base, count++);
  } while (berth_map_find(&scopes->taken, draft->key, draft->size) != NULL);
  memcpy(draft->text + base, draft->key + base, draft->size - base + 1);
}

// Puts the name into the arena and marks it as taken; NULL for no memory.
static const char *take(berth_graph_t *graph, const name_draft_t *draft) {
  char *text = berth_arena_strndup(&graph->arena, draft->text, draft->size);
  char *key = text;
  if (text != NULL && memcmp(draft->text, draft->key, draft->size) != 0) {
    key = berth_arena_strndup(&graph->arena, draft->key, draft->size);
  }
  if (key == NULL ||
      !berth_map_set(&graph->scopes->taken, key, draft->size, 1)) {
    return NULL;
  }
  return text;
}

static const char *current_prefix(const struct berth_scopes *scopes) {
  return scopes->prefix_count > 0 ? scopes->prefixes[scopes->prefix_count - 1]
                                  : "";
}

const char *berth_scopes_prefix(const berth_graph_t *graph) {
  return current_prefix(graph->scopes);
}

// Fills |draft| with the unique form of |name|. With |is_taken| a name that had
// to be changed counts as asked for once more.
static bool find_unique(berth_graph_t *graph, const char *name, bool is_taken,
                        name_draft_t *draft) {
  struct berth_scopes *scopes = graph->scopes;
  if (!index_nodes(graph) ||
      !draft_name(graph, current_prefix(scopes), name, draft)) {
    return false;
  }
  int64_t *asked = berth_map_find(&scopes->taken, draft->key, draft->size);
  if (asked == NULL) return true;
  int64_t count = *asked;
  if (is_taken) *asked = count + 1;
  make_unique(scopes, count, draft);
  return true;
}

berth_code_t berth_scopes_take_name(berth_graph_t *graph, const char *name,
                                    const char **out_name, berth_error_t *err) {
  name_draft_t draft;
  const char *taken = NULL;
  if (find_unique(graph, name, true, &draft)) taken = take(graph, &draft);
  if (taken == NULL) return berth_error_no_memory(err, "a name");
  *out_name = taken;
  return BERTH_OK;
}

berth_code_t berth_graph_unique_name(berth_graph_t *graph, const char *name,
                                     bool is_taken, char **out_name,
                                     berth_error_t *err) {
  BERTH_GIVEN(graph, err);
  BERTH_GIVEN(name, err);
  BERTH_GIVEN(out_name, err);
  name_draft_t draft;
  berth_graph_lock(graph);
  bool is_made = find_unique(graph, name, is_taken, &draft);
  char *copy = is_made ? berth_strndup(draft.text, draft.size) : NULL;
  if (copy != NULL && is_taken && take(graph, &draft) == NULL) {
    berth_free(copy);
    copy = NULL;
  }
  berth_graph_unlock(graph);
  if (copy == NULL) return berth_error_no_memory(err, "a name");
  *out_name = copy;
  return BERTH_OK;
}

// ---- Name scopes ----

// Checks the name of a scope; a root one must begin like a node's.
static berth_code_t check_scope_name(const struct berth_scopes *scopes,
                                     const char *name, berth_error_t *err) {
  bool is_root = current_prefix(scopes)[0] == '\0';
  bool is_valid = !is_root || isalnum((unsigned char)name[0]) || name[0] == '.';
  for (const char *at = name; is_valid && *at != '\0'; ++at) {
    is_valid = isalnum((unsigned char)*at) || strchr("_./\\>-", *at) != NULL;
  }
  if (is_valid) return BERTH_OK;
  return berth_error_set(
      err, BERTH_INVALID_ARGUMENT,
      "'%s' is not a valid %sscope name. A %sscope name has to match the "
      "following pattern: ^%s[A-Za-z0-9_.\\\\/>-]*$",
      name, is_root ? "root " : "", is_root ? "root " : "",
      is_root ? "[A-Za-z0-9.]" : "");
}

// Stores the prefix that a scope called |name| has: the root's for none, that
// very one for "name/", else a new one.
static berth_code_t find_prefix(berth_graph_t *graph, const char *name,
                                const char **out_prefix, berth_error_t *err) {
  size_t size = name != NULL ? strlen(name) : 0;
  if (size == 0) {
    *out_prefix = "";
    return BERTH_OK;
  }
  BERTH_TRY(check_scope_name(graph->scopes, name, err));
  if (name[size - 1] != '/') {
    return berth_scopes_take_name(graph, name, out_prefix, err);
  }
  *out_prefix = berth_graph_intern(graph, name, size - 1);
  return *out_prefix != NULL ? BERTH_OK : berth_error_no_memory(err, "a scope");
}

static berth_code_t push_prefix(berth_graph_t *graph, const char *name,
                                berth_error_t *err) {
  struct berth_scopes *scopes = graph->scopes;
  const char **prefixes =
      berth_grow(scopes->prefixes, scopes->prefix_count,
                 &scopes->prefix_capacity, sizeof(*prefixes));
  if (prefixes == NULL) return berth_error_no_memory(err, "a scope");
  scopes->prefixes = prefixes;
  // A scope that fails still nests, so that its pop finds what it pushed.
  prefixes[scopes->prefix_count] = current_prefix(scopes);
  berth_code_t code =
      find_prefix(graph, name, &prefixes[scopes->prefix_count], err);
  ++scopes->prefix_count;
  return code;
}

void berth_scope_push(berth_graph_t *graph, const char *name) {
  if (graph == NULL) return;
  berth_error_t err = BERTH_ERROR_INIT;
  berth_graph_lock(graph);
  finish_call(graph, push_prefix(graph, name, &err), &err);
}

void berth_scope_pop(berth_graph_t *graph) {
  if (graph == NULL) return;
  berth_graph_lock(graph);
  if (graph->scopes->prefix_count > 0) --graph->scopes->prefix_count;
  berth_graph_unlock(graph);
}

// ---- Colocation ----

// Puts |node| in front, and a wall before the devices outside.
static berth_code_t push_colocation(berth_graph_t *graph, int32_t node,
                                    berth_error_t *err) {
  struct berth_scopes *scopes = graph->scopes;
  int32_t *nodes = berth_grow(scopes->colocated, scopes->colocated_count,
                              &scopes->colocated_capacity, sizeof(int32_t));
  if (nodes == NULL) return berth_error_no_memory(err, "a scope");
  scopes->colocated = nodes;
  device_scope_t *devices =
      berth_grow(scopes->devices, scopes->device_count,
                 &scopes->device_capacity, sizeof(*devices));
  if (devices == NULL) return berth_error_no_memory(err, "a scope");
  scopes->devices = devices;
  memmove(nodes + 1, nodes, scopes->colocated_count * sizeof(int32_t));
  nodes[0] = node;
  ++scopes->colocated_count;
  devices[scopes->device_count++] = (device_scope_t){.kind = DEVICE_WALL};
  scopes->device = NULL;
  return BERTH_OK;
}

void berth_colocate_push(berth_graph_t *graph, berth_node_id_t node) {
  if (graph == NULL) return;
  berth_error_t err = BERTH_ERROR_INIT;
  berth_graph_lock(graph);
  finish_call(graph, push_colocation(graph, node, &err), &err);
}

void berth_colocate_pop(berth_graph_t *graph) {
  if (graph == NULL) return;
  berth_graph_lock(graph);
  struct berth_scopes *scopes = graph->scopes;
  if (scopes->colocated_count > 0) {
    --scopes->colocated_count;
    memmove(scopes->colocated, scopes->colocated + 1,
            scopes->colocated_count * sizeof(int32_t));
    if (scopes->device_count > 0) --scopes->device_count;
    scopes->device = NULL;
  }
  berth_graph_unlock(graph);
}

const int32_t *berth_scopes_colocation(const berth_graph_t *graph,
                                       int *out_count) {
  *out_count = (int)graph->scopes->colocated_count;
  return graph->scopes->colocated;
}

// ---- Control inputs ----

static berth_code_t push_controls(berth_graph_t *graph, const int32_t *nodes,
                                  int count, berth_error_t *err) {
  struct berth_scopes *scopes = graph->scopes;
  control_scope_t *controls =
      berth_grow(scopes->controls, scopes->control_count,
                 &scopes->control_capacity, sizeof(*controls));
  if (controls == NULL) return berth_error_no_memory(err, "a scope");
  scopes->controls = controls;
  control_scope_t scope = {.is_wall = nodes == NULL};
  if (count > 0 && nodes != NULL) {
    scope.nodes = berth_calloc((size_t)count, sizeof(int32_t));
    if (scope.nodes == NULL) return berth_error_no_memory(err, "a scope");
    memcpy(scope.nodes, nodes, (size_t)count * sizeof(int32_t));
    scope.node_count = count;
  }
  controls[scopes->control_count++] = scope;
  bool is_bad = nodes != NULL && count < 0;
  return is_bad ? berth_error_missing(err, "nodes") : BERTH_OK;
}

void berth_control_push(berth_graph_t *graph, const berth_node_id_t *nodes,
                        int count) {
  if (graph == NULL) return;
  berth_error_t err = BERTH_ERROR_INIT;
  berth_graph_lock(graph);
  finish_call(graph, push_controls(graph, nodes, count, &err), &err);
}

void berth_control_pop(berth_graph_t *graph) {
  if (graph == NULL) return;
  berth_graph_lock(graph);
  struct berth_scopes *scopes = graph->scopes;
  if (scopes->control_count > 0) {
    control_scope_deinit(&scopes->controls[--scopes->control_count]);
  }
  berth_graph_unlock(graph);
}

// Returns the outermost group that counts: the one after the last wall.
static size_t first_control(const struct berth_scopes *scopes) {
  size_t first = scopes->control_count;
  while (first > 0 && !scopes->controls[first - 1].is_wall) --first;
  return first;
}

static bool has_seen(const control_scope_t *scope, int32_t id) {
  size_t low = 0, high = scope->seen_count;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (id >= scope->seen[middle].last) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low < scope->seen_count && id >= scope->seen[low].first;
}

static bool is_input(const berth_out_t *inputs, int32_t count, int32_t node) {
  for (int32_t i = 0; i < count; ++i) {
    if (inputs[i].node == node) return true;
  }
  return false;
}

void berth_scopes_controls(const berth_graph_t *graph,
                           const berth_out_t *inputs, int32_t input_count,
                           void (*add)(void *arg, int32_t node), void *arg) {
  const struct berth_scopes *scopes = graph->scopes;
  for (size_t g = first_control(scopes); g < scopes->control_count; ++g) {
    const control_scope_t *scope = &scopes->controls[g];
    bool is_dominated = false;
    for (int32_t i = 0; i < input_count && !is_dominated; ++i) {
      is_dominated = has_seen(scope, inputs[i].node);
    }
    for (int32_t i = 0; i < scope->node_count && !is_dominated; ++i) {
      if (!is_input(inputs, input_count, scope->nodes[i])) {
        add(arg, scope->nodes[i]);
      }
    }
  }
}

void berth_scopes_note(berth_graph_t *graph, int32_t id) {
  struct berth_scopes *scopes = graph->scopes;
  if (scopes->indexed == id) ++scopes->indexed;
  for (size_t g = first_control(scopes); g < scopes->control_count; ++g) {
    control_scope_t *scope = &scopes->controls[g];
    if (scope->seen_count > 0 &&
        scope->seen[scope->seen_count - 1].last == id) {
      ++scope->seen[scope->seen_count - 1].last;
      continue;
    }
    id_range_t *seen = berth_grow(scope->seen, scope->seen_count,
                                  &scope->seen_capacity, sizeof(*seen));
    // Without memory a later node waits for what it need not: still right.
    if (seen == NULL) continue;
    scope->seen = seen;
    seen[scope->seen_count++] = (id_range_t){id, id + 1};
  }
}
