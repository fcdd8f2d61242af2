// sorted_read.c - Reading sorted tables.
#include <string.h>

#include "base/alloc.h"
#include "base/crc.h"
#include "io/snappy.h"
#include "io/sorted.h"
#include "io/varint.h"

enum {
  FOOTER = 48,
  TRAILER = 5,  // Behind each block: how it was made smaller, a checksum.
  // Keys share their beginnings, so that a small file could ask for much
  // memory: all keys together have at most so many times its bytes.
  MOST_GROWTH = 64,
};
static const uint64_t magic = UINT64_C(0xdb4775248b80fb57);

typedef struct reader {
  const unsigned char *bytes;
  size_t size;
  berth_arena_t *arena;
  size_t capacity;  // Of |entries|, which are on the heap while they grow.
  size_t key_bytes;
  berth_sorted_t table;
  berth_error_t *err;
} reader_t;

static berth_code_t fail(const reader_t *reader, const char *text) {
  return berth_error_set_text(reader->err, BERTH_DATA_LOSS, text);
}

static berth_code_t fail_memory(const reader_t *reader) {
  return berth_error_no_memory(reader->err, "a table");
}

// ---- Blocks ----

static berth_code_t unpack_block(const reader_t *reader,
                                 const unsigned char *at, size_t size,
                                 berth_varints_t *out_block) {
  size_t plain_size = 0;
  if (!berth_snappy_size(at, size, &plain_size)) {
    return fail(reader, "corrupted compressed block contents");
  }
  unsigned char *plain = berth_arena_alloc(reader->arena, plain_size + 1);
  if (plain == NULL) return fail_memory(reader);
  if (!berth_snappy_decode(at, size, plain, plain_size)) {
    return fail(reader, "corrupted compressed block contents");
  }
  *out_block = (berth_varints_t){plain, plain + plain_size};
  return BERTH_OK;
}

// Finds the block that |handle| says and checks it.
static berth_code_t read_block(const reader_t *reader, berth_varints_t *handle,
                               berth_varints_t *out_block) {
  uint64_t offset = 0, size = 0;
  if (!berth_varint_read(handle, &offset) ||
      !berth_varint_read(handle, &size)) {
    return fail(reader, "bad block handle");
  }
  if (reader->size < TRAILER || size > reader->size - TRAILER ||
      offset > reader->size - TRAILER - size) {
    return berth_error_set(reader->err, BERTH_OUT_OF_RANGE,
                           "Read less bytes than requested");
  }
  const unsigned char *at = reader->bytes + offset;
  uint32_t stored = berth_crc_unmask(berth_fixed32_get(at + size + 1));
  if (berth_crc(0, at, (size_t)size + 1) != stored) {
    return fail(reader, "block checksum mismatch");
  }
  if (at[size] == 1) return unpack_block(reader, at, (size_t)size, out_block);
  if (at[size] != 0) return fail(reader, "bad block type");
  *out_block = (berth_varints_t){at, at + size};
  return BERTH_OK;
}

// Takes the list of whole keys off the end of a block.
static berth_code_t take_starts(const reader_t *reader,
                                berth_varints_t *block) {
  size_t size = (size_t)(block->end - block->at);
  if (size < 4) return fail(reader, "bad block contents");
  uint64_t count = berth_fixed32_get(block->end - 4);
  if (count > (size - 4) / 4) return fail(reader, "bad block contents");
  block->end -= 4 * (count + 1);
  return BERTH_OK;
}

// ---- Entries ----

// Reads an entry behind |last|; its key is the whole one.
static berth_code_t read_entry(reader_t *reader, berth_varints_t *block,
                               const berth_sorted_entry_t *last,
                               berth_sorted_entry_t *out_entry) {
  uint64_t shared = 0, own = 0, value = 0;
  if (!berth_varint_read(block, &shared) || !berth_varint_read(block, &own) ||
      !berth_varint_read(block, &value) || shared > last->key_size ||
      own > (size_t)(block->end - block->at) ||
      value > (size_t)(block->end - block->at) - own) {
    return fail(reader, "bad entry in block");
  }
  const char *key = (const char *)block->at;
  if (shared > 0) {
    reader->key_bytes += (size_t)(shared + own);
    if (reader->key_bytes / MOST_GROWTH > reader->size) {
      return fail(reader, "bad entry in block");
    }
    char *whole = berth_arena_alloc(reader->arena, (size_t)(shared + own));
    if (whole == NULL) return fail_memory(reader);
    memcpy(whole, last->key, (size_t)shared);
    memcpy(whole + shared, key, (size_t)own);
    key = whole;
  }
  *out_entry = (berth_sorted_entry_t){key, (size_t)(shared + own),
                                      block->at + own, (size_t)value};
  block->at += own + value;
  return BERTH_OK;
}

static berth_code_t add_entry(reader_t *reader, berth_sorted_entry_t entry) {
  berth_sorted_t *table = &reader->table;
  if (table->count == reader->capacity) {
    void *grown = berth_grow(table->entries, table->count, &reader->capacity,
                             sizeof(entry));
    if (grown == NULL) return fail_memory(reader);
    table->entries = grown;
  }
  if (table->count > 0) {
    const berth_sorted_entry_t *last = &table->entries[table->count - 1];
    if (berth_key_compare(last->key, last->key_size, entry.key,
                          entry.key_size) >= 0) {
      return fail(reader, "bad entry in block");
    }
  }
  table->entries[table->count++] = entry;
  return BERTH_OK;
}

// Reads the entries of the block that |handle| says.
static berth_code_t read_entries(reader_t *reader, berth_varints_t handle) {
  berth_varints_t block;
  berth_sorted_entry_t entry = {"", 0, "", 0};
  BERTH_TRY(read_block(reader, &handle, &block));
  BERTH_TRY(take_starts(reader, &block));
  while (block.at < block.end) {
    BERTH_TRY(read_entry(reader, &block, &entry, &entry));
    BERTH_TRY(add_entry(reader, entry));
  }
  return BERTH_OK;
}

// ---- Tables ----

static berth_code_t read_blocks(reader_t *reader) {
  berth_varints_t footer = {reader->bytes + reader->size - FOOTER,
                            reader->bytes + reader->size};
  uint64_t skipped = 0;
  berth_varints_t index;
  berth_sorted_entry_t entry = {"", 0, "", 0};
  if (!berth_varint_read(&footer, &skipped) ||
      !berth_varint_read(&footer, &skipped)) {
    return fail(reader, "bad block handle");
  }
  BERTH_TRY(read_block(reader, &footer, &index));
  BERTH_TRY(take_starts(reader, &index));
  while (index.at < index.end) {
    BERTH_TRY(read_entry(reader, &index, &entry, &entry));
    const unsigned char *handle = entry.value;
    reader->table.is_in_block = true;
    BERTH_TRY(read_entries(
        reader, (berth_varints_t){handle, handle + entry.value_size}));
    reader->table.is_in_block = false;
  }
  return BERTH_OK;
}

static berth_code_t read_table(reader_t *reader) {
  if (reader->size < FOOTER) {
    return fail(reader, "file is too short to be an sstable");
  }
  if (berth_fixed64_get(reader->bytes + reader->size - 8) != magic) {
    return fail(reader, "not an sstable (bad magic number)");
  }
  BERTH_TRY(read_blocks(reader));
  // A table without entries has an array of none.
  size_t bytes = reader->table.count * sizeof(berth_sorted_entry_t);
  void *kept = berth_arena_alloc(reader->arena, bytes + 1);
  if (kept == NULL) return fail_memory(reader);
  if (bytes > 0) memcpy(kept, reader->table.entries, bytes);
  berth_free(reader->table.entries);
  reader->table.entries = kept;
  return BERTH_OK;
}

berth_code_t berth_sorted_read(const void *bytes, size_t size,
                               berth_arena_t *arena, berth_sorted_t *out_table,
                               berth_error_t *err) {
  reader_t reader = {.bytes = bytes, .size = size, .arena = arena, .err = err};
  berth_code_t code = read_table(&reader);
  if (code != BERTH_OK) {
    berth_free(reader.table.entries);
    out_table->is_in_block = reader.table.is_in_block;
    return code;
  }
  *out_table = reader.table;
  return BERTH_OK;
}

int berth_key_compare(const void *a, size_t a_size, const void *b,
                      size_t b_size) {
  size_t size = a_size < b_size ? a_size : b_size;
  int order = size > 0 ? memcmp(a, b, size) : 0;
  if (order != 0 || a_size == b_size) return order;
  return a_size < b_size ? -1 : 1;
}

const berth_sorted_entry_t *berth_sorted_find(const berth_sorted_t *table,
                                              const void *key, size_t size) {
  size_t low = 0, high = table->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    const berth_sorted_entry_t *entry = &table->entries[middle];
    int order = berth_key_compare(entry->key, entry->key_size, key, size);
    if (order == 0) return entry;
    if (order < 0) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return NULL;
}
