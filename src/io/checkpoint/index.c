// index.c - The index of a checkpoint under construction, and putting it in place.
#include "io/checkpoint/index.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/fault.h"
#include "io/checkpoint/checkpoint.h"
#include "io/file.h"
#include "io/sorted.h"
#include "wire/message.h"

// Counts of files that an interrupted commit may have named.
enum { LEFTOVERS = 4 };

// ---- The table ----

static int compare_entries(const void *a, const void *b) {
  const berth_index_entry_t *x = a, *y = b;
  return berth_key_compare(x->key, x->key_size, y->key, y->key_size);
}

static berth_code_t add_message(berth_sorted_writer_t *table, const char *key,
                                size_t key_size,
                                const ProtobufCMessage *message,
                                berth_error_t *err) {
  void *bytes = NULL;
  size_t size = 0;
  BERTH_TRY(berth_message_pack(message, &bytes, &size, err));
  berth_sorted_add(table, key, key_size, bytes, size);
  berth_free(bytes);
  return BERTH_OK;
}

static berth_code_t add_header(berth_sorted_writer_t *table, int shards,
                               berth_error_t *err) {
  Berth__Wire__BundleHeaderProto header =
      BERTH__WIRE__BUNDLE_HEADER_PROTO__INIT;
  Berth__Wire__VersionDef version = BERTH__WIRE__VERSION_DEF__INIT;
  version.producer = 1;
  header.num_shards = shards;
  header.version = &version;
  return add_message(table, "", 0, &header.base, err);
}

// Checks the order of entries, which must differ.
static berth_code_t check_keys(const berth_index_t *index, berth_error_t *err) {
  for (int i = 1; i < index->count; ++i) {
    if (compare_entries(&index->entries[i - 1], &index->entries[i]) != 0) {
      continue;
    }
    return berth_error_set(
        err, BERTH_INVALID_ARGUMENT, "Adding duplicate key: %.*s",
        (int)index->entries[i].key_size, index->entries[i].key);
  }
  return BERTH_OK;
}

static berth_code_t fill_table(const berth_index_t *index, int shards,
                               berth_sorted_writer_t *table,
                               berth_error_t *err) {
  BERTH_TRY(add_header(table, shards, err));
  for (int i = 0; i < index->count; ++i) {
    const berth_index_entry_t *entry = &index->entries[i];
    BERTH_TRY(add_message(table, entry->key, entry->key_size,
                          &entry->message->base, err));
  }
  return berth_sorted_finish(table, err);
}

// Writes an index that says that there are |shards| files.
static berth_code_t write_index(const berth_index_t *index, int shards,
                                berth_error_t *err) {
  char path[PATH_MAX];
  berth_sorted_writer_t table = {0};
  (void)snprintf(path, sizeof(path), "%s.index", index->prefix);
  berth_code_t code = fill_table(index, shards, &table, err);
  if (code == BERTH_OK) {
    code = berth_file_hand_over(path, berth_str_get(&table.out), table.out.size,
                                err);
  }
  berth_sorted_writer_clear(&table);
  return code;
}

// ---- Names ----

static const char *data_path(const berth_index_t *index, int shard, int shards,
                             char path[PATH_MAX]) {
  (void)snprintf(path, PATH_MAX, "%s.data-%05d-of-%05d", index->prefix, shard,
                 shards);
  return path;
}

static bool exists(const char *path) {
  struct stat status;
  return lstat(path, &status) == 0;
}

static void remove_files(const berth_index_t *index, int shards) {
  char path[PATH_MAX];
  for (int i = 0; i < index->file_count; ++i) {
    (void)unlink(data_path(index, i, shards, path));
  }
}

// Returns a count of files more than there are, so that no data file of that
// count exists.
static int free_count(const berth_index_t *index) {
  char path[PATH_MAX];
  for (int shards = index->file_count + 1;; ++shards) {
    bool is_free = true;
    for (int i = 0; is_free && i < index->file_count; ++i) {
      is_free = !exists(data_path(index, i, shards, path));
    }
    if (is_free) return shards;
  }
}

// Gives the files their own names.
static berth_code_t rename_files(const berth_index_t *index,
                                 berth_error_t *err) {
  char path[PATH_MAX];
  for (int i = 0; i < index->file_count; ++i) {
    bool is_faulty = berth_fault("checkpoint");
    (void)data_path(index, i, index->file_count, path);
    if (is_faulty || rename(index->files[i], path) != 0) {
      return berth_checkpoint_fail(err, path, is_faulty ? EIO : errno);
    }
  }
  return BERTH_OK;
}

// Gives them names of |shards| files besides; false where that cannot be.
static bool link_files(const berth_index_t *index, int shards) {
  char path[PATH_MAX];
  for (int i = 0; i < index->file_count; ++i) {
    if (link(index->files[i], data_path(index, i, shards, path)) != 0) {
      remove_files(index, shards);
      return false;
    }
  }
  return true;
}

// ---- Putting in place ----

// Where no checkpoint is to be lost, or there are no links.
static berth_code_t commit_new(const berth_index_t *index, berth_error_t *err) {
  BERTH_TRY(rename_files(index, err));
  return write_index(index, index->file_count, err);
}

// In place of another one: under other names first.
static berth_code_t commit_over(const berth_index_t *index,
                                berth_error_t *err) {
  int shards = free_count(index);
  if (!link_files(index, shards)) return commit_new(index, err);
  berth_code_t code = write_index(index, shards, err);
  if (code != BERTH_OK) {
    remove_files(index, shards);
    return code;
  }
  BERTH_TRY(rename_files(index, err));
  BERTH_TRY(write_index(index, index->file_count, err));
  for (int i = 1; i <= LEFTOVERS; ++i) {
    remove_files(index, index->file_count + i);
  }
  remove_files(index, shards);
  return BERTH_OK;
}

berth_code_t berth_index_commit(berth_index_t *index, berth_error_t *err) {
  char path[PATH_MAX];
  if (strlen(index->prefix) + sizeof(".data-00000-of-00000") + 32 > PATH_MAX) {
    return berth_checkpoint_fail(err, index->prefix, ENAMETOOLONG);
  }
  if (index->count > 0) {
    qsort(index->entries, (size_t)index->count, sizeof(*index->entries),
          compare_entries);
  }
  BERTH_TRY(check_keys(index, err));
  (void)snprintf(path, sizeof(path), "%s.index", index->prefix);
  return exists(path) ? commit_over(index, err) : commit_new(index, err);
}
