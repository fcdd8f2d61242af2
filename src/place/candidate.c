// candidate.c - Step 3: where a set of nodes can be.
//
//   3a  all devices that match the set's request and have a type it supports;
//   3b  none, and placement is soft: the request without type and id, unless a
//       kept device or a resource fixed them;
//   3c  still none: without those of resources too, with a warning;
//   3d  still none: an error.
//
// Job, replica and task are never given up. Lists are sorted by the kernel's
// priority, then by type, local devices first, then by name as plain text:
// GPU:10 comes before GPU:2. Equal constraints share one list.
#include <string.h>

#include "base/alloc.h"
#include "place/message_internal.h"
#include "place/place_internal.h"

// Appends the devices that match |name| to |out|, which has room for all.
static int find_matching(const berth_placer_t *placer,
                         const berth_device_name_t *name, int32_t types,
                         int16_t *out) {
  const berth_place_options_t *options = placer->options;
  int count = 0;
  for (int i = 0; i < options->device_count; ++i) {
    int16_t device = placer->ranked[i];
    if (berth_place_types_has(&placer->types, types,
                              placer->device_types[device]) &&
        berth_device_name_matches(name, &options->devices[device].parsed)) {
      out[count++] = device;
    }
  }
  return count;
}

static int priority_of(const berth_placer_t *placer, int32_t types,
                       int device) {
  const berth_type_list_t *list = &placer->types.lists[types];
  for (int i = 0; i < list->count; ++i) {
    if (list->types[i] == placer->device_types[device]) {
      return list->priorities[i];
    }
  }
  return 0;
}

// Moves devices with better kernels to the front, and the default device before
// them all; keeps the order otherwise.
static void sort_candidates(const berth_placer_t *placer, int32_t types,
                            int16_t *devices, int count) {
  for (int i = 1; i < count; ++i) {
    int16_t device = devices[i];
    bool is_default = device == placer->options->default_device;
    int priority = priority_of(placer, types, device);
    int at = i;
    for (; at > 0; --at) {
      int before = devices[at - 1];
      if (before == placer->options->default_device) break;
      if (!is_default && priority <= priority_of(placer, types, before)) break;
      devices[at] = devices[at - 1];
    }
    devices[at] = device;
  }
}

// Gives up the type and id of |name| unless |fixed| or |also_fixed| has them.
static void soften(berth_device_name_t *name, const berth_device_name_t *fixed,
                   const berth_device_name_t *also_fixed) {
  if (!fixed->has_type && !also_fixed->has_type) name->has_type = false;
  if (!fixed->has_id && !also_fixed->has_id) name->has_id = false;
}

// Runs steps 3a to 3c; returns how many devices were found.
static int search(const berth_placer_t *placer, const berth_place_key_t *key,
                  int16_t *out, berth_place_fit_t *out_fit) {
  const berth_place_names_t *names = &placer->names;
  berth_device_name_t nothing = {0};
  berth_device_name_t name = *berth_place_names_get(names, key->requested);
  const berth_device_name_t *assigned =
      berth_place_names_get(names, key->assigned);

  *out_fit = BERTH_FIT_ASKED;
  int count = find_matching(placer, &name, key->types, out);
  if (count > 0 || !placer->options->allow_soft_placement) return count;

  *out_fit = BERTH_FIT_SOFT;
  soften(&name, assigned, berth_place_names_get(names, key->resource));
  count = find_matching(placer, &name, key->types, out);
  if (count > 0) return count;

  *out_fit = BERTH_FIT_RESOURCE;
  soften(&name, assigned, &nothing);
  return find_matching(placer, &name, key->types, out);
}

static berth_code_t remember(berth_placer_t *placer,
                             const berth_place_key_t *key,
                             const berth_candidates_t *list, int32_t *out_id,
                             berth_error_t *err) {
  berth_candidates_t *lists =
      berth_grow(placer->candidates, placer->candidate_count,
                 &placer->candidate_capacity, sizeof(*lists));
  if (lists == NULL) return berth_error_no_memory(err, "candidate devices");
  placer->candidates = lists;
  const char *copy = berth_arena_memdup(&placer->arena, key, sizeof(*key));
  if (copy == NULL || !berth_map_set(&placer->by_constraint, copy, sizeof(*key),
                                     (int64_t)placer->candidate_count)) {
    return berth_error_no_memory(err, "candidate devices");
  }
  lists[placer->candidate_count] = *list;
  *out_id = (int32_t)placer->candidate_count++;
  return BERTH_OK;
}

static berth_code_t find_list(berth_placer_t *placer,
                              const berth_place_key_t *key, int32_t *out_id,
                              berth_error_t *err) {
  int64_t *known =
      berth_map_find(&placer->by_constraint, (const char *)key, sizeof(*key));
  if (known != NULL) {
    *out_id = (int32_t)*known;
    return BERTH_OK;
  }
  size_t room = (size_t)placer->options->device_count * sizeof(int16_t);
  int16_t *devices = berth_arena_alloc(&placer->arena, room);
  if (devices == NULL) return berth_error_no_memory(err, "candidate devices");
  berth_candidates_t list = {.devices = devices};
  list.count = search(placer, key, devices, &list.fit);
  sort_candidates(placer, key->types, devices, list.count);
  return remember(placer, key, &list, out_id, err);
}

// As find_list(), for keys that came lately without hashing them whole.
static berth_code_t find_recent(berth_placer_t *placer,
                                const berth_place_key_t *key, int32_t *out_id,
                                berth_error_t *err) {
  uint32_t mixed = (uint32_t)key->requested * 31 + (uint32_t)key->types * 7 +
                   (uint32_t)key->resource + (uint32_t)key->assigned;
  size_t slot = mixed % BERTH_PLACE_CACHE;
  if (placer->recent[slot].id == 0 ||
      memcmp(&placer->recent[slot].key, key, sizeof(*key)) != 0) {
    int32_t id = 0;
    BERTH_TRY(find_list(placer, key, &id, err));
    placer->recent[slot].key = *key;
    placer->recent[slot].id = id + 1;
  }
  *out_id = placer->recent[slot].id - 1;
  return BERTH_OK;
}

berth_code_t berth_place_candidates(berth_placer_t *placer, int32_t node,
                                    berth_candidates_t *out,
                                    berth_error_t *err) {
  int32_t root = berth_placer_root(placer, node);
  berth_place_set_t *set = &placer->sets[root];
  bool is_new = set->candidates < 0;
  if (is_new) {
    berth_place_key_t key = {set->requested, set->resource, set->assigned,
                             set->types};
    BERTH_TRY(find_recent(placer, &key, &set->candidates, err));
  }
  *out = placer->candidates[set->candidates];
  if (out->count == 0) return berth_place_error_no_candidate(placer, node, err);
  if (is_new && out->fit == BERTH_FIT_RESOURCE) {
    berth_place_log_moved(placer, root, out);
  }
  return BERTH_OK;
}

// Returns the device whose name has number |name|, or -1.
static int find_named(const berth_placer_t *placer, int32_t name) {
  for (int i = 0; i < placer->options->device_count; ++i) {
    if (placer->device_names[i] == name) return i;
  }
  return -1;
}

berth_code_t berth_place_fix(berth_placer_t *placer, int32_t node, int device,
                             berth_error_t *err) {
  berth_place_set_t *set = &placer->sets[berth_placer_root(placer, node)];
  if (set->device == device) return BERTH_OK;
  int32_t name = placer->device_names[device];
  if (set->assigned != BERTH_NO_NAME && set->assigned != name) {
    return berth_place_error_mismatch(placer, node, device,
                                      find_named(placer, set->assigned), err);
  }
  set->assigned = set->resource = set->requested = name;  // I3
  set->device = (int16_t)device;
  set->candidates = -1;
  if (placer->mentioned[device] == 0) {
    placer->mentioned[device] = (int16_t)++placer->mentioned_count;
  }
  return BERTH_OK;
}
