// container.c - The resources of a session, by name.
//
// A chained hash table, as wide as there are resources: they come and go, so
// the growing map of base does not serve.
#include "state/container.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/thread.h"
#include "state/routine.h"

enum { FIRST_WIDTH = 64 };

typedef struct entry entry_t;
struct entry {
  entry_t *next;
  uint64_t hash;
  berth_resource_t *resource;  // One reference.
  const char *key;             // Inside |texts|, as is |name|.
  const char *name;
  char texts[];
};

struct berth_container {
  berth_mutex_t lock;  // Guards the buckets.
  entry_t **buckets;
  size_t width;  // How many there are; a power of two.
  size_t count;  // Of entries.
  atomic_bool is_marked;
  berth_routine_fn make_routine;  // NULL: nobody makes any.
  void *routine_arg;
};

berth_code_t berth_container_create(berth_container_t **out_container,
                                    berth_error_t *err) {
  berth_container_t *container = berth_calloc(1, sizeof(*container));
  if (container == NULL) return berth_error_no_memory(err, "resources");
  container->buckets = berth_calloc(FIRST_WIDTH, sizeof(entry_t *));
  if (container->buckets == NULL) {
    berth_free(container);
    return berth_error_no_memory(err, "resources");
  }
  container->width = FIRST_WIDTH;
  berth_mutex_init(&container->lock);
  *out_container = container;
  return BERTH_OK;
}

void berth_container_destroy(berth_container_t *container) {
  if (container == NULL) return;
  berth_container_clear(container, NULL);
  berth_mutex_deinit(&container->lock);
  berth_free(container->buckets);
  berth_free(container);
}

void berth_container_mark(berth_container_t *container) {
  atomic_store_explicit(&container->is_marked, true, memory_order_relaxed);
}

bool berth_container_is_marked(const berth_container_t *container) {
  return atomic_load_explicit(&container->is_marked, memory_order_relaxed);
}

static void entry_destroy(entry_t *entry) {
  berth_resource_release(entry->resource);
  berth_free(entry);
}

// Returns the link that leads to the entry, or to NULL at the end of its list.
static entry_t **find_link(berth_container_t *container, const char *name,
                           berth_resource_kind_t kind, const char *key) {
  uint64_t hash = berth_hash(key, strlen(key), 0);
  entry_t **link = &container->buckets[hash & (container->width - 1)];
  while (*link != NULL) {
    const entry_t *entry = *link;
    if (entry->hash == hash && entry->resource->kind == (int)kind &&
        strcmp(entry->key, key) == 0 && strcmp(entry->name, name) == 0) {
      break;
    }
    link = &(*link)->next;
  }
  return link;
}

// Doubles the width. Without memory for that, lists are longer.
static void widen(berth_container_t *container) {
  size_t width = container->width * 2;
  entry_t **buckets = berth_calloc(width, sizeof(entry_t *));
  if (buckets == NULL) return;
  for (size_t i = 0; i < container->width; ++i) {
    entry_t *entry = container->buckets[i];
    while (entry != NULL) {
      entry_t *next = entry->next;
      entry_t **head = &buckets[entry->hash & (width - 1)];
      entry->next = *head;
      *head = entry;
      entry = next;
    }
  }
  berth_free(container->buckets);
  container->buckets = buckets;
  container->width = width;
}

static entry_t *entry_create(const char *name, const char *key) {
  size_t name_size = strlen(name) + 1, key_size = strlen(key) + 1;
  entry_t *entry = berth_calloc(1, sizeof(*entry) + name_size + key_size);
  if (entry == NULL) return NULL;
  entry->hash = berth_hash(key, key_size - 1, 0);
  memcpy(entry->texts, name, name_size);
  memcpy(entry->texts + name_size, key, key_size);
  entry->name = entry->texts;
  entry->key = entry->texts + name_size;
  return entry;
}

berth_code_t berth_container_find_or_create(
    berth_container_t *container, const char *name, berth_resource_kind_t kind,
    const char *key, berth_resource_fn create, void *arg,
    berth_resource_t **out_resource, berth_error_t *err) {
  berth_code_t code = BERTH_OK;
  berth_mutex_lock(&container->lock);
  if (container->count >= container->width) widen(container);
  entry_t **link = find_link(container, name, kind, key);
  if (*link == NULL) {
    entry_t *entry = entry_create(name, key);
    code = entry != NULL ? create(arg, &entry->resource, err)
                         : berth_error_no_memory(err, "a resource");
    if (code == BERTH_OK) {
      *link = entry;
      ++container->count;
    } else {
      berth_free(entry);
    }
  }
  if (code == BERTH_OK) {
    *out_resource = berth_resource_retain((*link)->resource);
  }
  berth_mutex_unlock(&container->lock);
  return code;
}

berth_resource_t *berth_container_find(berth_container_t *container,
                                       const char *name,
                                       berth_resource_kind_t kind,
                                       const char *key) {
  berth_mutex_lock(&container->lock);
  entry_t *entry = *find_link(container, name, kind, key);
  berth_resource_t *resource =
      entry != NULL ? berth_resource_retain(entry->resource) : NULL;
  berth_mutex_unlock(&container->lock);
  return resource;
}

bool berth_container_remove(berth_container_t *container, const char *name,
                            berth_resource_kind_t kind, const char *key) {
  berth_mutex_lock(&container->lock);
  entry_t **link = find_link(container, name, kind, key);
  entry_t *entry = *link;
  if (entry != NULL) {
    *link = entry->next;
    --container->count;
  }
  berth_mutex_unlock(&container->lock);
  if (entry != NULL) entry_destroy(entry);
  return entry != NULL;
}

void berth_container_clear(berth_container_t *container, const char *name) {
  entry_t *cleared = NULL;
  berth_mutex_lock(&container->lock);
  for (size_t i = 0; i < container->width; ++i) {
    entry_t **link = &container->buckets[i];
    while (*link != NULL) {
      entry_t *entry = *link;
      if (name != NULL && strcmp(entry->name, name) != 0) {
        link = &entry->next;
        continue;
      }
      *link = entry->next;
      --container->count;
      entry->next = cleared;
      cleared = entry;
    }
  }
  berth_mutex_unlock(&container->lock);
  while (cleared != NULL) {
    entry_t *next = cleared->next;
    entry_destroy(cleared);
    cleared = next;
  }
}

// ---- Routines ----

void berth_container_set_routines(berth_container_t *container,
                                  berth_routine_fn make, void *arg) {
  container->make_routine = make;
  container->routine_arg = arg;
}

berth_code_t berth_routine_make(berth_container_t *container, const char *name,
                                berth_routine_t **out_routine,
                                berth_error_t *err) {
  if (container == NULL || container->make_routine == NULL) {
    return berth_error_set(err, BERTH_UNIMPLEMENTED,
                           "the function %s cannot be called here", name);
  }
  return container->make_routine(container->routine_arg, name, out_routine,
                                 err);
}
