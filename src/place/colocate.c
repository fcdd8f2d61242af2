// colocate.c - Step 2: merging the sets of nodes that must be together.
//
//   2a  along every edge into a reference or resource input, unless the op only
//       hands resources on; and along variants between datasets;
//   2b  by groups: `loc:@X` in the attribute _class, and X itself;
//   2c  nodes that take a variant whose elements live on the host stay on CPUs;
//   2d  XLA's device types are left to those who ask for them.
//
// Requests that contradict each other over an edge of 2a are settled in favour
// of the source; in a group of 2b with soft placement the node stays apart.
#include <string.h>

#include "base/alloc.h"
#include "place/message_internal.h"
#include "place/place_internal.h"

static const char GROUP_PREFIX[] = "loc:@";

// ---- Merging two sets ----

static berth_code_t merge_names(berth_placer_t *placer, berth_place_set_t *into,
                                const berth_place_set_t *from,
                                berth_error_t *err) {
  berth_place_names_t *names = &placer->names;
  int32_t assigned = 0, resource = 0, requested = 0;
  berth_merge_mode_t mode = placer->options->allow_soft_placement
                                ? BERTH_MERGE_SOFT
                                : BERTH_MERGE_STRICT;
  BERTH_TRY(berth_place_names_merge(names, into->assigned, from->assigned,
                                    BERTH_MERGE_STRICT, &assigned, err));
  BERTH_TRY(berth_place_names_merge(names, into->resource, from->resource,
                                    BERTH_MERGE_STRICT, &resource, err));
  BERTH_TRY(berth_place_names_merge(names, into->requested, from->requested,
                                    mode, &requested, err));
  BERTH_TRY(berth_place_names_override(names, requested, assigned, &requested,
                                       err));  // I1
  BERTH_TRY(
      berth_place_names_override(names, requested, resource, &requested, err));
  into->assigned = assigned;
  into->resource = resource;
  into->requested = requested;
  return BERTH_OK;
}

// Keeps the witness with the stronger claim: a kept device or a resource's
// before a plain request.
static void merge_witnesses(berth_place_set_t *into,
                            const berth_place_set_t *from,
                            bool into_is_strong) {
  if (into->asker < 0 || (from->asker >= 0 && !into_is_strong &&
                          (from->resource != 0 || from->assigned != 0))) {
    into->asker = from->asker;
  }
  if (into->limiter < 0) into->limiter = from->limiter;
}

berth_code_t berth_place_merge(berth_placer_t *placer, int32_t x, int32_t y,
                               berth_error_t *err) {
  int32_t x_root = berth_placer_root(placer, x);
  int32_t y_root = berth_placer_root(placer, y);
  if (x_root == y_root) return BERTH_OK;
  bool y_wins = placer->sets[x_root].rank < placer->sets[y_root].rank;
  berth_place_set_t *into = &placer->sets[y_wins ? y_root : x_root];
  berth_place_set_t *from = &placer->sets[y_wins ? x_root : y_root];
  bool is_strong = into->resource != 0 || into->assigned != 0;

  berth_code_t code = merge_names(placer, into, from, err);
  if (code == BERTH_INVALID_ARGUMENT) {
    berth_place_error_merge(placer, x, y, err);
  }
  if (code != BERTH_OK) return code;
  int32_t types = 0;
  BERTH_TRY(berth_place_types_merge(&placer->types, into->types, from->types,
                                    &types, err));
  if (types == BERTH_TYPES_NONE) {
    return berth_place_error_no_type(placer, x, x_root, y, y_root, err);
  }
  into->types = types;
  merge_witnesses(into, from, is_strong);
  into->is_shared = true;
  if (into->rank == from->rank) ++into->rank;
  from->parent = into->parent;
  return BERTH_OK;
}

// ---- 2a: edges ----

static bool are_compatible(const berth_placer_t *placer, int32_t a, int32_t b) {
  return a == b || berth_device_name_is_compatible(
                       berth_place_names_get(&placer->names, a),
                       berth_place_names_get(&placer->names, b));
}

// Makes |node|'s set take the request of |source|'s when they contradict.
static berth_code_t settle_edge(berth_placer_t *placer, int32_t source,
                                int32_t node, berth_error_t *err) {
  const berth_place_set_t *from =
      &placer->sets[berth_placer_root(placer, source)];
  berth_place_set_t *to = &placer->sets[berth_placer_root(placer, node)];
  if (!are_compatible(placer, from->assigned, to->assigned)) {
    return berth_place_error_edge(placer, source, node, "assigned",
                                  from->assigned, to->assigned, err);
  }
  if (!are_compatible(placer, from->resource, to->resource)) {
    return berth_place_error_edge(placer, source, node, "resource",
                                  from->resource, to->resource, err);
  }
  if (are_compatible(placer, from->requested, to->requested)) return BERTH_OK;
  berth_place_log_ignored_request(placer, source, node, from->requested,
                                  to->requested);
  int32_t requested = from->requested;
  BERTH_TRY(berth_place_names_override(&placer->names, requested, to->assigned,
                                       &requested, err));
  BERTH_TRY(berth_place_names_override(&placer->names, requested, to->resource,
                                       &requested, err));
  to->requested = requested;
  to->asker = from->asker;
  return BERTH_OK;
}

static berth_code_t join_edge(berth_placer_t *placer, int32_t source,
                              int32_t node, berth_error_t *err) {
  BERTH_TRY(settle_edge(placer, source, node, err));
  berth_code_t code = berth_place_merge(placer, source, node, err);
  if (code == BERTH_INVALID_ARGUMENT) {
    berth_place_error_joined(placer, err);
    berth_place_error_attach(placer, node, err);
  }
  if (code != BERTH_OK) return code;
  if (placer->partner[node] < 0) placer->partner[node] = source;
  return BERTH_OK;
}

// True when value |index| of |node|'s inputs belongs to a reference argument.
static bool is_ref_input(const berth_node_t *node, int index) {
  for (int arg = 0; arg < node->op->input_count; ++arg) {
    int first = 0, count = 0;
    if (!node->op->inputs[arg].is_ref) continue;
    berth_node_input_range(node, arg, &first, &count);
    if (index >= first && index < first + count) return true;
  }
  return false;
}

// True when the edge into input |index| keeps both its ends together.
static bool ties(const berth_placer_t *placer, const berth_node_t *node,
                 int index) {
  const berth_place_op_t *op = berth_placer_op(placer, node->id);
  berth_dtype_t type = berth_node_input_type(placer->graph, node, index);
  if (type == BERTH_VARIANT && op->is_dataset) {
    return berth_placer_op(placer, node->inputs[index].node)->is_dataset;
  }
  if (op->is_exempt) return false;
  return type == BERTH_RESOURCE || (op->takes_ref && is_ref_input(node, index));
}

static berth_code_t join_inputs(berth_placer_t *placer, int32_t id,
                                berth_error_t *err) {
  const berth_node_t *node = berth_graph_get(placer->graph, id);
  for (int i = 0; i < node->input_count; ++i) {
    int32_t source = node->inputs[i].node;
    if (!berth_placer_has(placer, source) || !ties(placer, node, i)) continue;
    BERTH_TRY(join_edge(placer, source, id, err));
  }
  return BERTH_OK;
}

static berth_code_t join_edges(berth_placer_t *placer, berth_error_t *err) {
  for (int32_t id = 0; id < placer->node_count; ++id) {
    if (!berth_placer_has(placer, id)) continue;
    const berth_place_op_t *op = berth_placer_op(placer, id);
    if (op->takes_ref || op->takes_resource || op->takes_variant) {
      BERTH_TRY(join_inputs(placer, id, err));
    }
  }
  return BERTH_OK;
}

// ---- 2b: groups ----

// Returns the value of _class when it is a list of texts, else NULL.
static const berth_attr_value_t *class_attr(const berth_placer_t *placer,
                                            int32_t id) {
  if (!placer->sets[id].has_private) return NULL;
  const berth_node_t *node = berth_graph_get(placer->graph, id);
  for (int i = 0; i < node->attr_count; ++i) {
    const berth_attr_t *attr = &node->attrs[i];
    if (strcmp(attr->name, "_class") == 0 &&
        (int)attr->value.kind ==
            (int)BERTH_ATTR_LIST + (int)BERTH_ATTR_STRING) {
      return &attr->value;
    }
  }
  return NULL;
}

// Stores the group that entry |index| of a _class names; false for other text.
static bool class_group(const berth_attr_value_t *value, int index,
                        berth_attr_text_t *out_group) {
  berth_attr_text_t text = value->s_list[index];
  size_t prefix = sizeof(GROUP_PREFIX) - 1;
  if (text.size < prefix || memcmp(text.text, GROUP_PREFIX, prefix) != 0) {
    return false;
  }
  *out_group = (berth_attr_text_t){text.text + prefix, text.size - prefix};
  return true;
}

// Collects the groups that are mentioned, so that the names of nodes nobody
// refers to need no entry.
static berth_code_t collect_groups(berth_placer_t *placer, berth_map_t *groups,
                                   berth_error_t *err) {
  for (int32_t id = 0; id < placer->node_count; ++id) {
    if (!berth_placer_has(placer, id)) continue;
    const berth_attr_value_t *value = class_attr(placer, id);
    for (int i = 0; value != NULL && i < value->count; ++i) {
      berth_attr_text_t group;
      if (class_group(value, i, &group) &&
          !berth_map_set(groups, group.text, group.size, -1)) {
        return berth_error_no_memory(err, "colocation groups");
      }
    }
  }
  return BERTH_OK;
}

// Joins |id| to |group|, whose first node is its root.
static berth_code_t join_group(berth_placer_t *placer, berth_map_t *groups,
                               int32_t id, berth_attr_text_t group,
                               berth_error_t *err) {
  int64_t *first = berth_map_find(groups, group.text, group.size);
  if (first == NULL || *first == id) return BERTH_OK;
  if (*first < 0) {
    *first = id;
    return BERTH_OK;
  }
  berth_error_t why = BERTH_ERROR_INIT;
  berth_code_t code = berth_place_merge(placer, id, (int32_t)*first, &why);
  if (code == BERTH_OK) {
    if (placer->partner[id] < 0) placer->partner[id] = (int32_t)*first;
    return BERTH_OK;
  }
  if (code != BERTH_INVALID_ARGUMENT) return berth_error_move(err, &why);
  berth_place_error_attach(placer, id, &why);
  if (!placer->options->allow_soft_placement)
    return berth_error_move(err, &why);
  berth_place_log_ignored_group(placer, id, group.text, group.size, &why);
  berth_error_clear(&why);
  return BERTH_OK;
}

static berth_code_t join_node_groups(berth_placer_t *placer,
                                     berth_map_t *groups, int32_t id,
                                     berth_error_t *err) {
  const berth_node_t *node = berth_graph_get(placer->graph, id);
  const berth_attr_value_t *value = class_attr(placer, id);
  for (int i = 0; value != NULL && i < value->count; ++i) {
    berth_attr_text_t group;
    if (!class_group(value, i, &group)) continue;
    BERTH_TRY(join_group(placer, groups, id, group, err));
  }
  berth_attr_text_t own = {node->name, strlen(node->name)};
  return join_group(placer, groups, id, own, err);
}

static berth_code_t join_groups(berth_placer_t *placer, berth_error_t *err) {
  berth_map_t groups = {0};
  berth_code_t code = collect_groups(placer, &groups, err);
  if (groups.count == 0) goto done;
  for (int32_t id = 0; code == BERTH_OK && id < placer->node_count; ++id) {
    if (!berth_placer_has(placer, id)) continue;
    code = join_node_groups(placer, &groups, id, err);
  }
done:
  berth_map_clear(&groups);
  return code;
}

// ---- 2c: variants of the host ----

enum { ELEMENTS_UNKNOWN = 0, ELEMENTS_HOST, ELEMENTS_DEVICE };

static bool is_accelerator(const berth_place_types_t *types, int type) {
  return type != types->cpu;
}

// Tells where the elements of |node|'s variants live: as its element_dtype
// says, else as its first variant input says. |known| holds the answers of the
// nodes before it.
static uint8_t element_home(const berth_placer_t *placer,
                            const berth_node_t *node, const uint8_t *known) {
  if (berth_placer_op(placer, node->id)->is_dataset) return ELEMENTS_HOST;
  berth_dtype_t type =
      berth_node_attr_type(node, "element_dtype", BERTH_INVALID);
  if (type != BERTH_INVALID) {
    bool is_host = type == BERTH_STRING || type == BERTH_RESOURCE;
    return is_host ? ELEMENTS_HOST : ELEMENTS_DEVICE;
  }
  for (int i = 0; i < node->input_count; ++i) {
    int32_t source = node->inputs[i].node;
    if (berth_placer_has(placer, source) && source < node->id &&
        known[source] != ELEMENTS_UNKNOWN) {
      return known[source];
    }
  }
  return ELEMENTS_UNKNOWN;
}

static bool has_variant_input(const berth_placer_t *placer,
                              const berth_node_t *node) {
  for (int i = 0; i < node->input_count; ++i) {
    if (berth_node_input_type(placer->graph, node, i) == BERTH_VARIANT) {
      return true;
    }
  }
  return false;
}

static berth_code_t limit_to_cpu(berth_placer_t *placer, int32_t id,
                                 berth_error_t *err) {
  berth_place_set_t *set = &placer->sets[berth_placer_root(placer, id)];
  int32_t types = 0;
  BERTH_TRY(berth_place_types_drop(&placer->types, set->types, is_accelerator,
                                   &types, err));
  // A set without a CPU kernel keeps what it has, as in TensorFlow.
  if (types == BERTH_TYPES_NONE || types == set->types) return BERTH_OK;
  set->types = types;
  set->limiter = id;
  return BERTH_OK;
}

static bool makes_variant(const berth_node_t *node) {
  return node->output_count > 0 && node->output_types[0] == BERTH_VARIANT;
}

static berth_code_t limit_host_variants(berth_placer_t *placer,
                                        berth_error_t *err) {
  if (placer->types.count < 2) return BERTH_OK;
  berth_code_t code = BERTH_OK;
  uint8_t *known = NULL;
  for (int32_t id = 0; code == BERTH_OK && id < placer->node_count; ++id) {
    if (!berth_placer_has(placer, id)) continue;
    const berth_node_t *node = berth_graph_get(placer->graph, id);
    bool takes = berth_placer_op(placer, id)->takes_variant &&
                 has_variant_input(placer, node);
    if (!takes && !makes_variant(node)) continue;
    if (known == NULL) known = berth_calloc((size_t)placer->node_count, 1);
    if (known == NULL) return berth_error_no_memory(err, "placement");
    known[id] = element_home(placer, node, known);
    if (takes && known[id] == ELEMENTS_HOST) {
      code = limit_to_cpu(placer, id, err);
    }
  }
  berth_free(known);
  return code;
}

// ---- 2d: XLA ----

static bool is_xla_type(const berth_place_types_t *types, int type) {
  return types->is_xla[type];
}

static bool names_xla(const berth_placer_t *placer, int32_t name) {
  const berth_device_name_t *parsed =
      berth_place_names_get(&placer->names, name);
  if (!parsed->has_type) return false;
  int type = berth_place_types_find(&placer->types, parsed->type);
  return type >= 0 && placer->types.is_xla[type];
}

static berth_code_t drop_xla(berth_placer_t *placer, berth_error_t *err) {
  if (!placer->types.has_xla) return BERTH_OK;
  for (int32_t id = 0; id < placer->node_count; ++id) {
    if (!berth_placer_has(placer, id)) continue;
    berth_place_set_t *set = &placer->sets[berth_placer_root(placer, id)];
    if (names_xla(placer, set->requested) || names_xla(placer, set->assigned) ||
        names_xla(placer, set->resource)) {
      continue;
    }
    int32_t types = 0;
    BERTH_TRY(berth_place_types_drop(&placer->types, set->types, is_xla_type,
                                     &types, err));
    if (types != BERTH_TYPES_NONE) set->types = types;
  }
  return BERTH_OK;
}

berth_code_t berth_place_colocate(berth_placer_t *placer, berth_error_t *err) {
  BERTH_TRY(join_edges(placer, err));
  BERTH_TRY(join_groups(placer, err));
  BERTH_TRY(limit_host_variants(placer, err));
  return drop_xla(placer, err);
}
