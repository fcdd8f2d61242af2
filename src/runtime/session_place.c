// session_place.c - Where the nodes of a session's graph go.
#include "base/alloc.h"
#include "device/registry.h"
#include "runtime/end_name.h"
#include "runtime/session_internal.h"

void berth_session_place_options(const berth_session_t *session,
                                 berth_place_options_t *options) {
  *options = (berth_place_options_t){
      .devices = session->devices.place,
      .device_count = session->devices.count,
      .allow_soft_placement = session->config.allow_soft_placement,
      .strict = session->config.strict_placement,
      .log = session->config.log_device_placement,
      .style = session->style,
      .default_device = session->preferred_device,
      .node_count = berth_graph_node_count(session->graph),
  };
}

// Returns what node |id| of the given graph is in the one that is run.
static int32_t node_of(const berth_session_t *session, int32_t id) {
  berth_lowering_t *lowering = session->lowering;
  return lowering != NULL ? berth_lowering_node(lowering, id) : id;
}

// Makes the list of nodes whose device is settled: those that were pinned, and
// stateful ones, whose state is where they were.
static int16_t *list_assigned(const berth_session_t *session, int count) {
  const berth_placement_t *old = &session->placement;
  int16_t *assigned = berth_alloc(((size_t)count + 1) * sizeof(*assigned));
  if (assigned == NULL) return NULL;
  memset(assigned, 0xff, (size_t)count * sizeof(*assigned));  // -1
  for (int i = 0; i < session->pin_count; ++i) {
    int32_t node = node_of(session, i);
    if (node < count) assigned[node] = session->pins[i];
  }
  for (int i = 0; i < old->node_count && i < count; ++i) {
    if (berth_graph_get(session->graph, i)->op->is_stateful) {
      assigned[i] = old->device[i];
    }
  }
  return assigned;
}

// Places nodes of the graph as |options| say, which are the session's.
static berth_code_t place_nodes(berth_session_t *session,
                                berth_place_options_t options,
                                berth_error_t *err) {
  int placed = session->placement.node_count, pinned = session->pin_count;
  int count = placed > pinned ? placed : pinned;
  if (session->lowering != NULL) count = berth_graph_node_count(session->graph);
  int16_t *assigned = list_assigned(session, count);
  if (assigned == NULL) return berth_error_no_memory(err, "a placement");
  options.assigned = assigned;
  options.assigned_count = count;
  berth_placement_t placement;
  berth_code_t code = berth_place(session->graph, &options, &placement, err);
  berth_free(assigned);
  if (code != BERTH_OK) return code;
  berth_placement_deinit(&session->placement);
  session->placement = placement;
  return BERTH_OK;
}

berth_code_t berth_session_lower(berth_session_t *session, berth_error_t *err) {
  berth_lowering_t *lowering = session->lowering;
  if (lowering != NULL) return berth_lowering_follow(lowering, err);
  // Ids are equal in both graphs up to the first node that is lowered: what was
  // made before stays right.
  int seen = atomic_load(&session->placed_count);
  if (!berth_lower_is_needed(session->given, seen)) return BERTH_OK;
  lowering = berth_lowering_create(session->given);
  if (lowering == NULL) return berth_error_no_memory(err, "a graph to run");
  berth_code_t code = berth_lowering_follow(lowering, err);
  if (code != BERTH_OK) {
    berth_lowering_destroy(lowering);
    return code;
  }
  session->graph = berth_lowering_graph(lowering);
  session->host.graph = session->graph;
  atomic_store(&session->lowering, lowering);
  return BERTH_OK;
}

berth_code_t berth_session_place(berth_session_t *session, berth_error_t *err) {
  int count = berth_graph_node_count(session->given);
  if (count == atomic_load(&session->placed_count)) return BERTH_OK;
  BERTH_TRY(berth_session_lower(session, err));
  if (session->config.place_pruned_graph) return BERTH_OK;
  berth_place_options_t options;
  berth_session_place_options(session, &options);
  BERTH_TRY(place_nodes(session, options, err));
  bool is_lowered = session->lowering != NULL;
  atomic_store(&session->placed_count,
               is_lowered ? count : session->placement.node_count);
  return BERTH_OK;
}

berth_code_t berth_session_place_pruned(berth_session_t *session,
                                        const berth_signature_t *signature,
                                        berth_error_t *err) {
  berth_arena_t arena = {0};
  berth_prune_t prune = {0};
  berth_place_options_t options;
  berth_session_place_options(session, &options);
  berth_code_t code =
      berth_prune_init(&prune, session->graph, signature,
                       berth_graph_node_count(session->graph), false, err);
  if (code != BERTH_OK) goto done;
  options.only = prune.needed;
  code = berth_end_names_list(session->graph, &prune, &arena, &options.ends,
                              &options.end_count, err);
  if (code != BERTH_OK) goto done;
  code = place_nodes(session, options, err);
done:
  berth_prune_deinit(&prune);
  berth_arena_clear(&arena);
  return code;
}

// ---- Wishes about devices ----

// Stores the index of the device called |name|.
static berth_code_t find_device(const berth_session_t *session,
                                const char *name, int *out_index,
                                berth_error_t *err) {
  berth_device_t *found = NULL;
  BERTH_TRY(berth_registry_get(&session->devices.registry, name, &found, err));
  const char *full = berth_device_full_name(found);
  for (int i = 0; i < session->devices.count; ++i) {
    if (strcmp(session->devices.exec[i].name, full) == 0) *out_index = i;
  }
  return BERTH_OK;
}

berth_code_t berth_session_prefer_device(berth_session_t *session,
                                         const char *device,
                                         berth_error_t *err) {
  BERTH_GIVEN(session, err);
  BERTH_GIVEN(device, err);
  int index = -1;
  BERTH_TRY(find_device(session, device, &index, err));
  berth_mutex_lock(&session->lock);
  session->preferred_device = index;
  berth_mutex_unlock(&session->lock);
  return BERTH_OK;
}

// Makes room for the pins of |count| nodes. The lock is held.
static bool pins_reserve(berth_session_t *session, int count) {
  if (count <= session->pin_count) return true;
  int16_t *pins =
      berth_realloc(session->pins, (size_t)count, sizeof(*session->pins));
  if (pins == NULL) return false;
  size_t added = (size_t)(count - session->pin_count) * sizeof(*pins);
  memset(pins + session->pin_count, 0xff, added);  // -1
  session->pins = pins;
  session->pin_count = count;
  return true;
}

berth_code_t berth_session_pin(berth_session_t *session, berth_node_id_t node,
                               const char *device, berth_error_t *err) {
  BERTH_GIVEN(session, err);
  BERTH_GIVEN(device, err);
  int index = -1, count = berth_graph_node_count(session->given);
  BERTH_TRY(find_device(session, device, &index, err));
  if (node < 0 || node >= count) {
    return berth_error_set(err, BERTH_NOT_FOUND, "there is no node %d", node);
  }
  berth_mutex_lock(&session->lock);
  bool has_room = pins_reserve(session, count);
  if (has_room) session->pins[node] = (int16_t)index;
  berth_mutex_unlock(&session->lock);
  return has_room ? BERTH_OK : berth_error_no_memory(err, "a placement");
}
