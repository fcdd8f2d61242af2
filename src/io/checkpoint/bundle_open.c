// bundle_open.c - The index of a checkpoint: what it holds, and where.
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "io/checkpoint/checkpoint.h"
#include "wire/message.h"

enum { MOST_SHARDS = 1 << 20 };

typedef struct opening {
  berth_checkpoint_t *checkpoint;
  char path[PATH_MAX];
  berth_sorted_t table;
  berth_error_t *err;
} opening_t;

// Says that the file is damaged, |how|; what |err| says already, if anything,
// is the reason.
static berth_code_t fail_corrupt(opening_t *opening, berth_code_t code,
                                 const char *how) {
  berth_error_t reason = BERTH_ERROR_INIT;
  const char *text = "";
  if (opening->err != NULL && opening->err->code != BERTH_OK) {
    (void)berth_error_move(&reason, opening->err);
    text = berth_error_message(&reason);
  }
  code = berth_error_set(
      opening->err, code,
      "Unable to read file (%s). Perhaps the file is corrupt or was produced "
      "by "
      "a newer version of TensorFlow with format changes (%s)%s%s",
      opening->path, how, text[0] != '\0' ? ": " : "", text);
  berth_error_clear(&reason);
  return code;
}

static berth_code_t unpack(opening_t *opening,
                           const ProtobufCMessageDescriptor *type,
                           const berth_sorted_entry_t *entry,
                           ProtobufCMessage **out_message) {
  berth_code_t code = berth_message_unpack(
      type, entry->value, entry->value_size, &opening->checkpoint->arena,
      out_message, opening->err);
  if (code == BERTH_OK || code == BERTH_RESOURCE_EXHAUSTED) return code;
  berth_str_t name = {0};
  berth_str_put(&name, entry->key, entry->key_size);
  code = berth_error_set(opening->err, BERTH_DATA_LOSS,
                         "Bundle entry proto not parsable for key: %s",
                         berth_str_get(&name));
  berth_str_clear(&name);
  return code;
}

// ---- Header ----

static berth_code_t read_header(opening_t *opening) {
  ProtobufCMessage *message = NULL;
  berth_checkpoint_t *checkpoint = opening->checkpoint;
  const berth_sorted_t *table = &opening->table;
  if (table->count == 0 || table->entries[0].key_size != 0) {
    return fail_corrupt(opening, BERTH_INTERNAL,
                        "failed to seek to header entry");
  }
  berth_code_t code =
      unpack(opening, &berth__wire__bundle_header_proto__descriptor,
             &table->entries[0], &message);
  if (code == BERTH_DATA_LOSS) {
    berth_error_clear(opening->err);
    return fail_corrupt(opening, BERTH_DATA_LOSS, "unable to parse header");
  }
  BERTH_TRY(code);
  const Berth__Wire__BundleHeaderProto *header =
      (const Berth__Wire__BundleHeaderProto *)message;
  if (header->num_shards < 0 || header->num_shards > MOST_SHARDS) {
    return fail_corrupt(opening, BERTH_DATA_LOSS, "unable to parse header");
  }
  if (header->endianness !=
      BERTH__WIRE__BUNDLE_HEADER_PROTO__ENDIANNESS__LITTLE) {
    return berth_error_set(
        opening->err, BERTH_UNIMPLEMENTED,
        "%s was written on a machine of the other byte order", opening->path);
  }
  checkpoint->shard_count = header->num_shards;
  return BERTH_OK;
}

// ---- Entries ----

static void set_place(berth_stored_part_t *part,
                      const Berth__Wire__BundleEntryProto *entry) {
  part->shard = entry->shard_id;
  part->offset = entry->offset;
  part->size = entry->size;
  part->crc = entry->crc32c;
}

// Finds where slice |part| of |stored| lies; it may be missing.
static berth_code_t find_slice(opening_t *opening, const berth_stored_t *stored,
                               berth_stored_part_t *part) {
  berth_str_t key = {0};
  ProtobufCMessage *message = NULL;
  berth_extents_key(stored->name, stored->name_size, &part->slice, &key);
  if (!berth_str_ok(&key)) {
    berth_str_clear(&key);
    return berth_error_no_memory(opening->err, "a checkpoint");
  }
  const berth_sorted_entry_t *entry =
      berth_sorted_find(&opening->table, berth_str_get(&key), key.size);
  berth_str_clear(&key);
  part->is_missing = entry == NULL;
  if (entry == NULL) return BERTH_OK;
  BERTH_TRY(unpack(opening, &berth__wire__bundle_entry_proto__descriptor, entry,
                   &message));
  set_place(part, (const Berth__Wire__BundleEntryProto *)message);
  return BERTH_OK;
}

static berth_code_t read_slices(opening_t *opening, berth_stored_t *stored,
                                const Berth__Wire__BundleEntryProto *entry) {
  berth_arena_t *arena = &opening->checkpoint->arena;
  for (int i = 0; i < stored->part_count; ++i) {
    berth_stored_part_t *part = &stored->parts[i];
    BERTH_TRY(berth_extents_from_message(entry->slices[i], stored->dims.rank,
                                         arena, &part->slice, opening->err));
    BERTH_TRY(find_slice(opening, stored, part));
  }
  return BERTH_OK;
}

static berth_code_t read_parts(opening_t *opening, berth_stored_t *stored,
                               const Berth__Wire__BundleEntryProto *entry) {
  berth_arena_t *arena = &opening->checkpoint->arena;
  stored->is_sliced = entry->n_slices > 0;
  stored->part_count = stored->is_sliced ? (int)entry->n_slices : 1;
  stored->parts = berth_arena_calloc(arena, (size_t)stored->part_count,
                                     sizeof(*stored->parts));
  if (stored->parts == NULL) {
    return berth_error_no_memory(opening->err, "a checkpoint");
  }
  if (stored->is_sliced) return read_slices(opening, stored, entry);
  set_place(stored->parts, entry);
  return berth_extents_make(arena, stored->dims.rank, &stored->parts->slice)
             ? BERTH_OK
             : berth_error_no_memory(opening->err, "a checkpoint");
}

static berth_code_t read_entry(opening_t *opening,
                               const berth_sorted_entry_t *at) {
  berth_checkpoint_t *checkpoint = opening->checkpoint;
  ProtobufCMessage *message = NULL;
  BERTH_TRY(unpack(opening, &berth__wire__bundle_entry_proto__descriptor, at,
                   &message));
  const Berth__Wire__BundleEntryProto *entry =
      (const Berth__Wire__BundleEntryProto *)message;
  berth_stored_t stored = {
      .name = berth_arena_strndup(&checkpoint->arena, at->key, at->key_size),
      .name_size = at->key_size,
      .dtype = (berth_dtype_t)entry->dtype};
  if (stored.name == NULL) {
    return berth_error_no_memory(opening->err, "a checkpoint");
  }
  if (!berth_dtype_is_valid((int)entry->dtype) ||
      berth_dtype_is_ref(stored.dtype)) {
    return berth_error_set(opening->err, BERTH_DATA_LOSS,
                           "%s has %s of type %d, which is none", opening->path,
                           stored.name, (int)entry->dtype);
  }
  BERTH_TRY(berth_checkpoint_dims(checkpoint, entry->shape, &stored.dims,
                                  opening->err));
  BERTH_TRY(read_parts(opening, &stored, entry));
  return berth_checkpoint_add(checkpoint, &stored, opening->err);
}

// ---- Opening ----

static berth_code_t read_index(opening_t *opening) {
  berth_checkpoint_t *checkpoint = opening->checkpoint;
  const char *bytes = NULL;
  size_t size = 0;
  BERTH_TRY(berth_checkpoint_load(checkpoint, opening->path, &bytes, &size,
                                  opening->err));
  berth_code_t code = berth_sorted_read(bytes, size, &checkpoint->arena,
                                        &opening->table, opening->err);
  if (code != BERTH_OK && opening->table.is_in_block) {
    return fail_corrupt(opening, code, "failed to seek to header entry");
  }
  BERTH_TRY(code);
  BERTH_TRY(read_header(opening));
  for (size_t i = 1; i < opening->table.count; ++i) {
    const berth_sorted_entry_t *entry = &opening->table.entries[i];
    // Keys of slices begin with a zero; who has them finds them.
    if (entry->key[0] != '\0') BERTH_TRY(read_entry(opening, entry));
  }
  return BERTH_OK;
}

berth_code_t berth_bundle_open(berth_checkpoint_t *checkpoint,
                               berth_error_t *err) {
  opening_t opening = {.checkpoint = checkpoint, .err = err};
  (void)snprintf(opening.path, sizeof(opening.path), "%s.index",
                 checkpoint->prefix);
  BERTH_TRY(read_index(&opening));
  size_t count = (size_t)checkpoint->shard_count;
  checkpoint->shards = berth_calloc(count + 1, sizeof(int));
  if (checkpoint->shards == NULL) {
    return berth_error_no_memory(err, "a checkpoint");
  }
  for (size_t i = 0; i < count; ++i) checkpoint->shards[i] = -1;
  return BERTH_OK;
}
