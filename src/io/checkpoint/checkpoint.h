// checkpoint.h - Checkpoints from the inside: what is stored, and where.
//
//   new format   PREFIX.index                 a table: a header, then an entry for
//                                             each tensor and each slice
//                PREFIX.data-00000-of-00001   their elements
//   old format   one or more files, each a table with an entry that lists its
//                tensors, and one for each slice, elements and all
//
// A tensor has parts: one that is all of it, or slices that were saved apart.
// The public half is berth/checkpoint.h.
//
// Threads: immutable once open; descriptors of data files are opened under a
// lock. Different threads may read at once.
#ifndef BERTH_IO_CHECKPOINT_CHECKPOINT_H_
#define BERTH_IO_CHECKPOINT_CHECKPOINT_H_

#include "base/arena.h"
#include "base/hash.h"
#include "base/thread.h"
#include "berth/checkpoint.h"
#include "io/checkpoint/slice.h"
#include "io/sorted.h"
#include "tensor/tensor.h"

// One part of a tensor, as a file has it.
typedef struct berth_stored_part {
  berth_extents_t slice;
  // The new format: where the elements lie.
  int32_t shard;
  int64_t offset;
  int64_t size;
  uint32_t crc;
  // The old one: the message that holds them. NULL: the table lacks the part,
  // or it is a new one.
  const void *value;
  size_t value_size;
  bool is_missing;
} berth_stored_part_t;

typedef struct berth_stored {
  const char *name;
  size_t name_size;
  berth_dtype_t dtype;
  berth_dims_t dims;
  bool is_sliced;
  int part_count;
  berth_stored_part_t *parts;
} berth_stored_t;

struct berth_checkpoint {
  berth_arena_t arena;  // All that is not said to be elsewhere.
  char *prefix;         // Or pattern of files.
  bool is_old;
  int file_count;  // Whose bytes |contents| has, on the heap.
  char **contents;
  int64_t count;
  berth_stored_t *tensors;  // In the order of names, on the heap.
  int64_t capacity;
  berth_map_t names;
  int32_t shard_count;
  berth_mutex_t lock;  // Guards what |shards| holds.
  int *shards;         // Descriptors; -1: not opened yet.
};

// Reads slice |slice| (NULL: all) of |stored| into a new tensor of host memory,
// made by |allocator| (NULL: the host's). Fails with BERTH_INVALID_ARGUMENT
// where parts are missing, BERTH_DATA_LOSS, BERTH_OUT_OF_RANGE for files that
// are cut off, BERTH_NOT_FOUND for one that is gone; and
// BERTH_RESOURCE_EXHAUSTED.
BERTH_NODISCARD berth_code_t berth_stored_read(berth_checkpoint_t *checkpoint,
                                               const berth_stored_t *stored,
                                               const berth_extents_t *slice,
                                               berth_allocator_t *allocator,
                                               berth_tensor_t **out_tensor,
                                               berth_error_t *err);

// Returns the tensor called |name|, or NULL. Borrowed.
const berth_stored_t *berth_stored_find(const berth_checkpoint_t *checkpoint,
                                        const char *name, size_t size);

// ---- Of the two formats ----

// Opens files of the old format that match |pattern|. Fails as
// berth_checkpoint_open() does.
BERTH_NODISCARD berth_code_t berth_checkpoint_open_old(
    const char *pattern, berth_checkpoint_t **out_checkpoint,
    berth_error_t *err);

// Read the lists of tensors; fill |checkpoint| in.
BERTH_NODISCARD berth_code_t berth_bundle_open(berth_checkpoint_t *checkpoint,
                                               berth_error_t *err);
BERTH_NODISCARD berth_code_t berth_legacy_open(berth_checkpoint_t *checkpoint,
                                               berth_error_t *err);

// Read the elements of |part| into |tensor|, which has its shape and type.
BERTH_NODISCARD berth_code_t berth_bundle_read(berth_checkpoint_t *checkpoint,
                                               const berth_stored_t *stored,
                                               const berth_stored_part_t *part,
                                               berth_tensor_t *tensor,
                                               berth_error_t *err);
BERTH_NODISCARD berth_code_t berth_legacy_read(const berth_stored_t *stored,
                                               const berth_stored_part_t *part,
                                               berth_tensor_t *tensor,
                                               berth_error_t *err);

// Checks that a file holds what |part| of |count| elements says it does, before
// memory is asked for. Fails as berth_stored_read().
BERTH_NODISCARD berth_code_t berth_bundle_check(berth_checkpoint_t *checkpoint,
                                                const berth_stored_t *stored,
                                                const berth_stored_part_t *part,
                                                int64_t count,
                                                berth_error_t *err);

// Adds the file at |path| to |contents|; its bytes are borrowed from there.
BERTH_NODISCARD berth_code_t berth_checkpoint_load(
    berth_checkpoint_t *checkpoint, const char *path, const char **out_bytes,
    size_t *out_size, berth_error_t *err);

// Adds |stored| to the tensors. Fails with BERTH_RESOURCE_EXHAUSTED.
BERTH_NODISCARD berth_code_t
berth_checkpoint_add(berth_checkpoint_t *checkpoint,
                     const berth_stored_t *stored, berth_error_t *err);

// Makes the shape of a message, in the arena. BERTH_DATA_LOSS for one that no
// tensor has.
BERTH_NODISCARD berth_code_t berth_checkpoint_dims(
    berth_checkpoint_t *checkpoint, const Berth__Wire__TensorShapeProto *shape,
    berth_dims_t *out_dims, berth_error_t *err);

// Describes the failure |number| (an errno) of |path| in TensorFlow's words.
berth_code_t berth_checkpoint_fail(berth_error_t *err, const char *path,
                                   int number);

// ---- Writing ----

// A tensor to be written, or a slice of one.
typedef struct berth_saved {
  const char *name;
  size_t name_size;
  const berth_tensor_t *tensor;      // In host memory.
  const berth_extents_spec_t *spec;  // NULL: all of it.
} berth_saved_t;

// Writes |count| tensors as the checkpoint |prefix|, in the order given. The
// folder is made if only it is missing. A failure, or the end of the process,
// leaves the checkpoint that was there before, whole; or the new one.
//
// Fails with BERTH_INVALID_ARGUMENT for names that are there twice, with
// BERTH_UNIMPLEMENTED for resources and variants, and as berth_file_write().
BERTH_NODISCARD berth_code_t berth_bundle_write(const char *prefix,
                                                const berth_saved_t *saved,
                                                int count, berth_error_t *err);

// The same as a file of the old format.
BERTH_NODISCARD berth_code_t berth_legacy_write(const char *path,
                                                const berth_saved_t *saved,
                                                int count, berth_error_t *err);

// Makes one checkpoint of those at |prefixes|, whose data files become its own.
// Fails as TensorFlow's op does.
BERTH_NODISCARD berth_code_t berth_bundle_merge(const char *const *prefixes,
                                                int count, const char *target,
                                                bool allows_missing,
                                                berth_error_t *err);

#endif  // BERTH_IO_CHECKPOINT_CHECKPOINT_H_
