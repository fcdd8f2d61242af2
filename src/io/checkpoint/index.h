// index.h - The index of a checkpoint under construction, and putting it in place.
//
// A checkpoint is several files, and no two of them can be replaced at once. So
// that whoever looks finds the old one or the new one, a checkpoint that takes
// the place of another is put in place in two steps:
//
//   1. its data files get names that nobody has (…-of-00002 where there is one
//      file), and an index that speaks of those takes the place of the old one
//   2. they get their own names, too, and an index that speaks of those follows;
//      then the first names go
//
// The names are links to the same files: nothing is written twice but the index.
//
// Threads: the caller serialises. Two who write one checkpoint at once may leave
// it damaged, as they may with TensorFlow.
#ifndef BERTH_IO_CHECKPOINT_INDEX_H_
#define BERTH_IO_CHECKPOINT_INDEX_H_

#include "base/arena.h"
#include "base/error.h"
#include "wire/checkpoint.pb-c.h"

// An entry of the index.
typedef struct berth_index_entry {
  const char *key;
  size_t key_size;
  Berth__Wire__BundleEntryProto *message;
} berth_index_entry_t;

// All that a checkpoint consists of.
typedef struct berth_index {
  const char *prefix;
  berth_index_entry_t *entries;  // In any order.
  int count;
  char **files;  // Where the data files are, beside their places.
  int file_count;
} berth_index_t;

// Puts a checkpoint in place: the files of |index| have other names then. On
// failure they may have, too. BERTH_INVALID_ARGUMENT for keys that are there twice; fails
// as berth_file_write().
BERTH_NODISCARD berth_code_t berth_index_commit(berth_index_t *index,
                                                berth_error_t *err);

#endif  // BERTH_IO_CHECKPOINT_INDEX_H_
