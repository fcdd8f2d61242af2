// sorted.h - Sorted tables of keys and values, the format of LevelDB.
//
//   block, block, …   entries in the order of keys; each key without the bytes it
//                     has in common with the one before
//   meta index        empty here
//   index             a key not less than a block's last one, and where it lies
//   footer            where both indices lie, a magic number
//
// Behind each block stand a byte that says how it was made smaller (0: not, 1:
// Snappy) and a checksum. Writing makes what TensorFlow writes, byte for byte.
//
// Threads: a table is immutable once read; the caller serialises a writer.
#ifndef BERTH_IO_SORTED_H_
#define BERTH_IO_SORTED_H_

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/str.h"

typedef struct berth_sorted_entry {
  const char *key;
  size_t key_size;
  const void *value;
  size_t value_size;
} berth_sorted_entry_t;

// A table that was read: its entries, in the order of keys.
typedef struct berth_sorted {
  berth_sorted_entry_t *entries;  // In the arena of the reader.
  size_t count;
  bool is_in_block;  // After a failure: a block of entries is what is damaged.
} berth_sorted_t;

// Reads the |size| bytes of a table, which come from anywhere. Entries lie in
// |arena| or refer to |bytes|, which must stay. In TensorFlow's words,
// BERTH_DATA_LOSS for what is damaged or no table, BERTH_OUT_OF_RANGE for one
// that speaks of places beyond its end.
BERTH_NODISCARD berth_code_t berth_sorted_read(const void *bytes, size_t size,
                                               berth_arena_t *arena,
                                               berth_sorted_t *out_table,
                                               berth_error_t *err);

// Returns the entry of |key|, or NULL. Borrowed.
const berth_sorted_entry_t *berth_sorted_find(const berth_sorted_t *table,
                                              const void *key, size_t size);

// Orders two keys: negative, 0 or positive, as memcmp() does.
int berth_key_compare(const void *a, size_t a_size, const void *b,
                      size_t b_size);

// A table under construction. Zeroed is empty and valid. Lack of memory is
// remembered in |out|.
typedef struct berth_sorted_writer {
  berth_str_t out;     // What the file will hold.
  berth_str_t block;   // Entries of the block that is being filled,
  berth_str_t starts;  // and where those with whole keys begin.
  berth_str_t index;
  berth_str_t index_starts;
  berth_str_t last_key;
  uint32_t since_start;  // Entries since the last whole key.
  uint64_t pending[2];   // Where the last block lies, which the index lacks;
  bool is_pending;       // if there is one.
} berth_sorted_writer_t;

// Appends an entry; keys come in rising order.
void berth_sorted_add(berth_sorted_writer_t *writer, const void *key,
                      size_t key_size, const void *value, size_t value_size);

// Ends the table: |writer->out| is the file then. Fails with
// BERTH_RESOURCE_EXHAUSTED.
BERTH_NODISCARD berth_code_t berth_sorted_finish(berth_sorted_writer_t *writer,
                                                 berth_error_t *err);

// Frees everything.
void berth_sorted_writer_clear(berth_sorted_writer_t *writer);

#endif  // BERTH_IO_SORTED_H_
