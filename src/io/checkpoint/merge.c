// merge.c - One checkpoint of several, whose data files become its own.
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "io/checkpoint/checkpoint.h"
#include "io/checkpoint/index.h"
#include "wire/message.h"

typedef Berth__Wire__BundleEntryProto entry_t;

typedef struct merging {
  berth_checkpoint_t files;  // Bytes of the indices, and the arena for all.
  berth_index_t index;
  size_t capacity;
  size_t file_capacity;
  berth_map_t keys;  // To entries.
  berth_error_t *err;
} merging_t;

static berth_code_t fail_memory(const merging_t *merging) {
  return berth_error_no_memory(merging->err, "a checkpoint");
}

// ---- Entries ----

// Adds the slices of |entry| to those that |old| has from other checkpoints.
static berth_code_t join_slices(merging_t *merging, entry_t *old,
                                const entry_t *entry) {
  size_t count = old->n_slices + entry->n_slices;
  Berth__Wire__TensorSliceProto **slices =
      berth_arena_calloc(&merging->files.arena, count + 1, sizeof(*slices));
  if (slices == NULL) return fail_memory(merging);
  memcpy(slices, old->slices, old->n_slices * sizeof(*slices));
  memcpy(slices + old->n_slices, entry->slices,
         entry->n_slices * sizeof(*slices));
  old->slices = slices;
  old->n_slices = count;
  return BERTH_OK;
}

static berth_code_t add_entry(merging_t *merging, const char *prefix,
                              const berth_sorted_entry_t *at, entry_t *entry) {
  berth_index_t *index = &merging->index;
  const int64_t *old = berth_map_find(&merging->keys, at->key, at->key_size);
  if (old != NULL) {
    entry_t *other = index->entries[*old].message;
    if (other->n_slices > 0 && entry->n_slices > 0) {
      return join_slices(merging, other, entry);
    }
    return berth_error_set(merging->err, BERTH_INVALID_ARGUMENT,
                           "Duplicate tensor keyed by %.*s encountered, when "
                           "merging prefix: %s",
                           (int)at->key_size, at->key, prefix);
  }
  if ((size_t)index->count == merging->capacity) {
    void *grown = berth_grow(index->entries, (size_t)index->count,
                             &merging->capacity, sizeof(*index->entries));
    if (grown == NULL) return fail_memory(merging);
    index->entries = grown;
  }
  if (!berth_map_set(&merging->keys, at->key, at->key_size, index->count)) {
    return fail_memory(merging);
  }
  index->entries[index->count++] =
      (berth_index_entry_t){at->key, at->key_size, entry};
  return BERTH_OK;
}

static berth_code_t add_entries(merging_t *merging, const char *prefix,
                                const berth_sorted_t *table, int first) {
  for (size_t i = 1; i < table->count; ++i) {
    ProtobufCMessage *message = NULL;
    const berth_sorted_entry_t *at = &table->entries[i];
    BERTH_TRY(berth_message_unpack(
        &berth__wire__bundle_entry_proto__descriptor, at->value, at->value_size,
        &merging->files.arena, &message, merging->err));
    entry_t *entry = (entry_t *)message;
    if (entry->n_slices == 0) entry->shard_id += first;
    BERTH_TRY(add_entry(merging, prefix, at, entry));
  }
  return BERTH_OK;
}

// ---- Checkpoints ----

static berth_code_t add_file(merging_t *merging, const char *prefix, int shard,
                             int shards) {
  char path[PATH_MAX];
  berth_index_t *index = &merging->index;
  (void)snprintf(path, sizeof(path), "%s.data-%05d-of-%05d", prefix, shard,
                 shards);
  if ((size_t)index->file_count == merging->file_capacity) {
    void *grown = berth_grow(index->files, (size_t)index->file_count,
                             &merging->file_capacity, sizeof(*index->files));
    if (grown == NULL) return fail_memory(merging);
    index->files = grown;
  }
  char *kept = berth_arena_strndup(&merging->files.arena, path, strlen(path));
  if (kept == NULL) return fail_memory(merging);
  index->files[index->file_count++] = kept;
  return BERTH_OK;
}

static berth_code_t add_checkpoint(merging_t *merging, const char *prefix,
                                   const char *path) {
  const char *bytes = NULL;
  size_t size = 0;
  berth_sorted_t table = {0};
  ProtobufCMessage *message = NULL;
  int first = merging->index.file_count;
  BERTH_TRY(berth_checkpoint_load(&merging->files, path, &bytes, &size,
                                  merging->err));
  BERTH_TRY(berth_sorted_read(bytes, size, &merging->files.arena, &table,
                              merging->err));
  if (table.count == 0 || table.entries[0].key_size != 0) {
    return berth_error_set(merging->err, BERTH_DATA_LOSS, "%s has no header",
                           path);
  }
  BERTH_TRY(
      berth_message_unpack(&berth__wire__bundle_header_proto__descriptor,
                           table.entries[0].value, table.entries[0].value_size,
                           &merging->files.arena, &message, merging->err));
  int shards = ((const Berth__Wire__BundleHeaderProto *)message)->num_shards;
  for (int i = 0; i < shards && i < (1 << 20); ++i) {
    BERTH_TRY(add_file(merging, prefix, i, shards));
  }
  return add_entries(merging, prefix, &table, first);
}

static berth_code_t add_all(merging_t *merging, const char *const *prefixes,
                            int count, bool allows_missing) {
  char path[PATH_MAX];
  struct stat status;
  int found = 0;
  for (int i = 0; i < count; ++i) {
    (void)snprintf(path, sizeof(path), "%s.index", prefixes[i]);
    if (stat(path, &status) == 0) {
      ++found;
      BERTH_TRY(add_checkpoint(merging, prefixes[i], path));
    } else if (!allows_missing) {
      return berth_error_set(merging->err, BERTH_INVALID_ARGUMENT,
                             "allow_missing_files was set to false and %s did "
                             "not exist.NOT_FOUND: %s not found",
                             prefixes[i], prefixes[i]);
    }
  }
  if (found > 0) return BERTH_OK;
  return berth_error_set(merging->err, BERTH_INVALID_ARGUMENT,
                         "At least one prefix checkpoint file must exist, but "
                         "none existed.");
}

static void remove_indices(const char *const *prefixes, int count) {
  char path[PATH_MAX];
  for (int i = 0; i < count; ++i) {
    (void)snprintf(path, sizeof(path), "%s.index", prefixes[i]);
    (void)unlink(path);
  }
}

static void make_folder(const char *prefix) {
  char folder[PATH_MAX];
  const char *slash = strrchr(prefix, '/');
  if (slash == NULL || slash == prefix) return;
  (void)snprintf(folder, sizeof(folder), "%.*s", (int)(slash - prefix), prefix);
  (void)mkdir(folder, 0777);
}

static void clear(merging_t *merging) {
  for (int i = 0; i < merging->files.file_count; ++i) {
    berth_free(merging->files.contents[i]);
  }
  berth_free(merging->files.contents);
  berth_free(merging->index.entries);
  berth_free(merging->index.files);
  berth_map_clear(&merging->keys);
  berth_arena_clear(&merging->files.arena);
}

berth_code_t berth_bundle_merge(const char *const *prefixes, int count,
                                const char *target, bool allows_missing,
                                berth_error_t *err) {
  merging_t merging = {.index.prefix = target, .err = err};
  make_folder(target);
  berth_code_t code = add_all(&merging, prefixes, count, allows_missing);
  if (code == BERTH_OK) code = berth_index_commit(&merging.index, err);
  if (code == BERTH_OK) remove_indices(prefixes, count);
  clear(&merging);
  return code;
}
