// sparse_map.c - Sparse tensors that wait under numbers.
//
// Entries lie in the order of their numbers; one that is taken leaves a hole,
// and holes are closed when the array is full.
#include "state/sparse_map.h"

#include "base/alloc.h"
#include "base/thread.h"

typedef struct entry {
  int64_t number;
  berth_sparse_parts_t parts;  // Of a hole, NULL.
} entry_t;

struct berth_sparse_map {
  berth_resource_t resource;  // First.
  berth_mutex_t lock;         // Guards what follows.
  entry_t *entries;
  size_t count, capacity;  // Holes among them.
  int64_t next;            // Number.
};

static void map_destroy(berth_resource_t *resource) {
  berth_sparse_map_t *map = (berth_sparse_map_t *)resource;
  for (size_t i = 0; i < map->count; ++i) {
    for (int k = 0; k < 3; ++k) {
      berth_tensor_release(map->entries[i].parts.tensors[k]);
    }
  }
  berth_free(map->entries);
  berth_mutex_deinit(&map->lock);
  berth_free(map);
}

static berth_code_t map_create(void *arg, berth_resource_t **out_resource,
                               berth_error_t *err) {
  (void)arg;
  berth_sparse_map_t *map = berth_calloc(1, sizeof(*map));
  if (map == NULL) return berth_error_no_memory(err, "a map");
  atomic_init(&map->resource.refs, 1);
  map->resource.kind = BERTH_RESOURCE_SPARSE_MAP;
  map->resource.destroy = map_destroy;
  berth_mutex_init(&map->lock);
  *out_resource = &map->resource;
  return BERTH_OK;
}

berth_code_t berth_sparse_map_get(berth_container_t *container,
                                  const char *container_name, const char *key,
                                  berth_sparse_map_t **out_map,
                                  berth_error_t *err) {
  berth_resource_t *resource = NULL;
  BERTH_TRY(berth_container_find_or_create(container, container_name,
                                           BERTH_RESOURCE_SPARSE_MAP, key,
                                           map_create, NULL, &resource, err));
  *out_map = (berth_sparse_map_t *)resource;
  return BERTH_OK;
}

// Makes room for one more entry; false when memory is short.
static bool map_reserve(berth_sparse_map_t *map) {
  if (map->count < map->capacity) return true;
  size_t kept = 0;
  for (size_t i = 0; i < map->count; ++i) {
    if (map->entries[i].parts.tensors[0] != NULL) {
      map->entries[kept++] = map->entries[i];
    }
  }
  map->count = kept;
  if (kept < map->capacity / 2) return true;
  size_t capacity = map->capacity * 2 + 8;
  entry_t *grown = berth_realloc(map->entries, capacity, sizeof(*grown));
  if (grown == NULL) return map->count < map->capacity;
  map->entries = grown;
  map->capacity = capacity;
  return true;
}

berth_code_t berth_sparse_map_add(berth_sparse_map_t *map,
                                  const berth_sparse_parts_t *parts,
                                  int64_t *out_number, berth_error_t *err) {
  berth_mutex_lock(&map->lock);
  bool has_room = map_reserve(map);
  if (has_room) {
    entry_t *entry = &map->entries[map->count++];
    entry->number = *out_number = map->next++;
    for (int k = 0; k < 3; ++k) {
      entry->parts.tensors[k] = berth_tensor_retain(parts->tensors[k]);
    }
  }
  berth_mutex_unlock(&map->lock);
  return has_room ? BERTH_OK : berth_error_no_memory(err, "a sparse tensor");
}

// Returns the entry of |number|, or NULL.
static entry_t *map_find(berth_sparse_map_t *map, int64_t number) {
  size_t low = 0, high = map->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (map->entries[middle].number < number) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  if (low == map->count || map->entries[low].number != number) return NULL;
  return map->entries[low].parts.tensors[0] != NULL ? &map->entries[low] : NULL;
}

bool berth_sparse_map_take(berth_sparse_map_t *map, int64_t number,
                           berth_sparse_parts_t *out_parts) {
  berth_mutex_lock(&map->lock);
  entry_t *entry = map_find(map, number);
  if (entry != NULL) {
    *out_parts = entry->parts;
    entry->parts = (berth_sparse_parts_t){{NULL}};
  }
  berth_mutex_unlock(&map->lock);
  return entry != NULL;
}
