// sorted_write.c - Writing sorted tables.
#include <string.h>

#include "base/crc.h"
#include "io/sorted.h"
#include "io/varint.h"

enum {
  BLOCK = 256 << 10,  // A block of so many bytes is full.
  WHOLE_EVERY = 16,   // Entries between two whole keys.
  FOOTER = 40,        // Without the magic number.
};
static const uint64_t magic = UINT64_C(0xdb4775248b80fb57);

// ---- Blocks ----

static void put_entry(berth_str_t *block, size_t shared, const char *key,
                      size_t key_size, const void *value, size_t value_size) {
  berth_varint_put(block, shared);
  berth_varint_put(block, key_size - shared);
  berth_varint_put(block, value_size);
  berth_str_put(block, key + shared, key_size - shared);
  berth_str_put(block, value, value_size);
}

// Ends |block|, writes it and empties it; stores where it lies.
static void write_block(berth_sorted_writer_t *writer, berth_str_t *block,
                        berth_str_t *starts, uint64_t out_place[2]) {
  berth_str_t *out = &writer->out;
  if (starts->size == 0) berth_fixed32_put(starts, 0);
  uint32_t count = (uint32_t)(starts->size / 4);
  berth_str_put(block, berth_str_get(starts), starts->size);
  berth_fixed32_put(block, count);
  berth_str_putc(block, 0);  // Not made smaller.
  uint32_t crc = berth_crc(0, berth_str_get(block), block->size);
  out_place[0] = out->size;
  out_place[1] = block->size - 1;
  berth_str_put(out, berth_str_get(block), block->size);
  berth_fixed32_put(out, berth_crc_mask(crc));
  out->failed = out->failed || block->failed || starts->failed;
  block->size = starts->size = 0;
}

static void put_place(berth_str_t *str, const uint64_t place[2]) {
  berth_varint_put(str, place[0]);
  berth_varint_put(str, place[1]);
}

// ---- The index ----

// Shortens |key| to the shortest that is not less and still less than |next|;
// without |next| just the shortest that is not less.
static void shorten_key(berth_str_t *key, const char *next, size_t next_size) {
  unsigned char *at = (unsigned char *)key->text;
  size_t i = 0, size = key->size;
  if (next != NULL) {
    size_t least = size < next_size ? size : next_size;
    while (i < least && at[i] == (unsigned char)next[i]) ++i;
    if (i >= least || at[i] == 0xff ||
        at[i] + 1 >= (int)(unsigned char)next[i]) {
      return;
    }
  } else {
    while (i < size && at[i] == 0xff) ++i;
    if (i >= size) return;
  }
  ++at[i];
  key->size = i + 1;
}

// Tells the index of the last block, before |next| (NULL: there is none).
static void add_to_index(berth_sorted_writer_t *writer, const char *next,
                         size_t next_size) {
  berth_str_t place = {0};
  if (!writer->is_pending) return;
  if (berth_str_ok(&writer->last_key)) {
    shorten_key(&writer->last_key, next, next_size);
  }
  put_place(&place, writer->pending);
  berth_fixed32_put(&writer->index_starts, (uint32_t)writer->index.size);
  put_entry(&writer->index, 0, berth_str_get(&writer->last_key),
            writer->last_key.size, berth_str_get(&place), place.size);
  writer->out.failed = writer->out.failed || place.failed ||
                       writer->index.failed || writer->last_key.failed;
  writer->is_pending = false;
  berth_str_clear(&place);
}

static void flush(berth_sorted_writer_t *writer) {
  if (writer->block.size == 0) return;
  write_block(writer, &writer->block, &writer->starts, writer->pending);
  writer->is_pending = true;
  writer->since_start = 0;
}

// ---- Tables ----

static size_t shared_size(const berth_str_t *last, const char *key,
                          size_t key_size) {
  size_t shared = 0;
  const char *text = berth_str_get(last);
  while (shared < key_size && shared < last->size &&
         text[shared] == key[shared]) {
    ++shared;
  }
  return shared;
}

void berth_sorted_add(berth_sorted_writer_t *writer, const void *key,
                      size_t key_size, const void *value, size_t value_size) {
  add_to_index(writer, key, key_size);
  size_t shared = 0;
  bool is_whole = writer->block.size == 0 || writer->since_start == WHOLE_EVERY;
  if (is_whole) {
    berth_fixed32_put(&writer->starts, (uint32_t)writer->block.size);
    writer->since_start = 0;
  } else {
    shared = shared_size(&writer->last_key, key, key_size);
  }
  put_entry(&writer->block, shared, key, key_size, value, value_size);
  ++writer->since_start;
  writer->last_key.size = 0;
  berth_str_put(&writer->last_key, key, key_size);
  if (writer->block.size + writer->starts.size + 4 >= BLOCK) flush(writer);
}

berth_code_t berth_sorted_finish(berth_sorted_writer_t *writer,
                                 berth_error_t *err) {
  berth_str_t *out = &writer->out;
  berth_str_t empty = {0}, footer = {0};
  uint64_t place[2];
  flush(writer);
  write_block(writer, &empty, &writer->starts, place);
  put_place(&footer, place);
  add_to_index(writer, NULL, 0);
  write_block(writer, &writer->index, &writer->index_starts, place);
  put_place(&footer, place);
  while (footer.size < FOOTER && !footer.failed) berth_str_putc(&footer, 0);
  berth_fixed64_put(&footer, magic);
  berth_str_put(out, berth_str_get(&footer), footer.size);
  out->failed = out->failed || footer.failed;
  berth_str_clear(&empty);
  berth_str_clear(&footer);
  return berth_str_ok(out) ? BERTH_OK : berth_error_no_memory(err, "a table");
}

void berth_sorted_writer_clear(berth_sorted_writer_t *writer) {
  berth_str_clear(&writer->out);
  berth_str_clear(&writer->block);
  berth_str_clear(&writer->starts);
  berth_str_clear(&writer->index);
  berth_str_clear(&writer->index_starts);
  berth_str_clear(&writer->last_key);
}
