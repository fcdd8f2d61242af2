// checkpoint.c - Opening checkpoints, and looking things up in them.
#include "io/checkpoint/checkpoint.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"

berth_code_t berth_checkpoint_fail(berth_error_t *err, const char *path,
                                   int number) {
  berth_code_t code = BERTH_UNKNOWN;
  if (number == ENOENT) code = BERTH_NOT_FOUND;
  if (number == EACCES || number == EPERM) code = BERTH_PERMISSION_DENIED;
  if (number == EISDIR || number == ENOTDIR) code = BERTH_FAILED_PRECONDITION;
  if (number == ENOSPC || number == EMFILE || number == ENOMEM) {
    code = BERTH_RESOURCE_EXHAUSTED;
  }
  return berth_error_set(err, code, "%s; %s", path, strerror(number));
}

// ---- Files ----

// Reads all |size| bytes of |fd|; 0 or an errno.
static int read_all(int fd, char *bytes, size_t size, size_t *out_size) {
  size_t done = 0;
  while (done < size) {
    ssize_t got = read(fd, bytes + done, size - done);
    if (got < 0 && errno != EINTR) return errno;
    if (got == 0) break;
    if (got > 0) done += (size_t)got;
  }
  *out_size = done;
  return 0;
}

static berth_code_t load(int fd, const char *path, char **out_bytes,
                         size_t *out_size, berth_error_t *err) {
  struct stat status;
  if (fstat(fd, &status) != 0) return berth_checkpoint_fail(err, path, errno);
  if (S_ISDIR(status.st_mode)) return berth_checkpoint_fail(err, path, EISDIR);
  char *bytes = berth_alloc((size_t)status.st_size + 1);
  if (bytes == NULL) return berth_error_no_memory(err, "a checkpoint's table");
  int number = read_all(fd, bytes, (size_t)status.st_size, out_size);
  if (number != 0) {
    berth_free(bytes);
    return berth_checkpoint_fail(err, path, number);
  }
  *out_bytes = bytes;
  return BERTH_OK;
}

berth_code_t berth_checkpoint_load(berth_checkpoint_t *checkpoint,
                                   const char *path, const char **out_bytes,
                                   size_t *out_size, berth_error_t *err) {
  char *bytes = NULL;
  char **grown = berth_realloc(
      checkpoint->contents, (size_t)checkpoint->file_count + 1, sizeof(*grown));
  if (grown == NULL) return berth_error_no_memory(err, "a checkpoint");
  checkpoint->contents = grown;
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return berth_checkpoint_fail(err, path, errno);
  berth_code_t code = load(fd, path, &bytes, out_size, err);
  (void)close(fd);
  if (code != BERTH_OK) return code;
  checkpoint->contents[checkpoint->file_count++] = bytes;
  *out_bytes = bytes;
  return BERTH_OK;
}

// ---- What is stored ----

berth_code_t berth_checkpoint_add(berth_checkpoint_t *checkpoint,
                                  const berth_stored_t *stored,
                                  berth_error_t *err) {
  if (checkpoint->count == checkpoint->capacity) {
    size_t capacity = (size_t)checkpoint->capacity;
    void *grown = berth_grow(checkpoint->tensors, (size_t)checkpoint->count,
                             &capacity, sizeof(*stored));
    if (grown == NULL) return berth_error_no_memory(err, "a checkpoint");
    checkpoint->tensors = grown;
    checkpoint->capacity = (int64_t)capacity;
  }
  if (!berth_map_set(&checkpoint->names, stored->name, stored->name_size,
                     checkpoint->count)) {
    return berth_error_no_memory(err, "a checkpoint");
  }
  checkpoint->tensors[checkpoint->count++] = *stored;
  return BERTH_OK;
}

berth_code_t berth_checkpoint_dims(berth_checkpoint_t *checkpoint,
                                   const Berth__Wire__TensorShapeProto *shape,
                                   berth_dims_t *out_dims, berth_error_t *err) {
  size_t rank = shape != NULL ? shape->n_dim : 0;
  int64_t count = 0;
  int64_t *dims =
      berth_arena_calloc(&checkpoint->arena, rank + 1, sizeof(int64_t));
  if (dims == NULL) return berth_error_no_memory(err, "a checkpoint");
  for (size_t i = 0; i < rank; ++i) dims[i] = shape->dim[i]->size;
  *out_dims = (berth_dims_t){rank <= BERTH_MAX_RANK ? (int32_t)rank : -1, dims};
  if (berth_dims_check(*out_dims, &count, err) == BERTH_OK) return BERTH_OK;
  return berth_error_set(err, BERTH_DATA_LOSS,
                         "a shape that no tensor has is stored");
}

const berth_stored_t *berth_stored_find(const berth_checkpoint_t *checkpoint,
                                        const char *name, size_t size) {
  const int64_t *index = berth_map_find(&checkpoint->names, name, size);
  return index != NULL ? &checkpoint->tensors[*index] : NULL;
}

static int compare_stored(const void *a, const void *b) {
  const berth_stored_t *x = a, *y = b;
  return berth_key_compare(x->name, x->name_size, y->name, y->name_size);
}

// Puts the tensors in the order of their names; an old format has another.
static void sort_tensors(berth_checkpoint_t *checkpoint) {
  if (checkpoint->count == 0) return;
  qsort(checkpoint->tensors, (size_t)checkpoint->count,
        sizeof(*checkpoint->tensors), compare_stored);
  for (int64_t i = 0; i < checkpoint->count; ++i) {
    const berth_stored_t *stored = &checkpoint->tensors[i];
    *berth_map_find(&checkpoint->names, stored->name, stored->name_size) = i;
  }
}

// ---- Opening ----

static berth_code_t open_either(berth_checkpoint_t *checkpoint,
                                bool is_old_only, berth_error_t *err) {
  char path[PATH_MAX];
  int size = snprintf(path, sizeof(path), "%s.index", checkpoint->prefix);
  if (size < 0 || (size_t)size >= sizeof(path)) {
    return berth_checkpoint_fail(err, checkpoint->prefix, ENAMETOOLONG);
  }
  struct stat status;
  checkpoint->is_old = is_old_only || stat(path, &status) != 0;
  if (!checkpoint->is_old) return berth_bundle_open(checkpoint, err);
  BERTH_TRY(berth_legacy_open(checkpoint, err));
  sort_tensors(checkpoint);
  return BERTH_OK;
}

static berth_code_t open_as(const char *prefix, bool is_old_only,
                            berth_checkpoint_t **out_checkpoint,
                            berth_error_t *err) {
  berth_checkpoint_t *checkpoint = berth_calloc(1, sizeof(*checkpoint));
  if (checkpoint == NULL) return berth_error_no_memory(err, "a checkpoint");
  berth_mutex_init(&checkpoint->lock);
  checkpoint->prefix = berth_strdup(prefix);
  berth_code_t code = checkpoint->prefix != NULL
                          ? open_either(checkpoint, is_old_only, err)
                          : berth_error_no_memory(err, "a checkpoint");
  if (code != BERTH_OK) {
    berth_checkpoint_close(checkpoint);
    return code;
  }
  *out_checkpoint = checkpoint;
  return BERTH_OK;
}

berth_code_t berth_checkpoint_open_old(const char *pattern,
                                       berth_checkpoint_t **out_checkpoint,
                                       berth_error_t *err) {
  return open_as(pattern, true, out_checkpoint, err);
}

berth_code_t berth_checkpoint_open(const char *prefix,
                                   berth_checkpoint_t **out_checkpoint,
                                   berth_error_t *err) {
  BERTH_GIVEN(prefix, err);
  BERTH_GIVEN(out_checkpoint, err);
  return open_as(prefix, false, out_checkpoint, err);
}

void berth_checkpoint_close(berth_checkpoint_t *checkpoint) {
  if (checkpoint == NULL) return;
  for (int32_t i = 0; checkpoint->shards != NULL && i < checkpoint->shard_count;
       ++i) {
    if (checkpoint->shards[i] >= 0) (void)close(checkpoint->shards[i]);
  }
  for (int i = 0; i < checkpoint->file_count; ++i) {
    berth_free(checkpoint->contents[i]);
  }
  berth_free(checkpoint->contents);
  berth_free(checkpoint->shards);
  berth_free(checkpoint->tensors);
  berth_free(checkpoint->prefix);
  berth_map_clear(&checkpoint->names);
  berth_arena_clear(&checkpoint->arena);
  berth_mutex_deinit(&checkpoint->lock);
  berth_free(checkpoint);
}

// ---- Asking ----

static const berth_stored_t *stored_at(const berth_checkpoint_t *checkpoint,
                                       int64_t index) {
  bool is_there = checkpoint != NULL && index >= 0 && index < checkpoint->count;
  return is_there ? &checkpoint->tensors[index] : NULL;
}

int64_t berth_checkpoint_count(const berth_checkpoint_t *checkpoint) {
  return checkpoint != NULL ? checkpoint->count : 0;
}

int64_t berth_checkpoint_find(const berth_checkpoint_t *checkpoint,
                              const char *name) {
  if (checkpoint == NULL || name == NULL) return -1;
  const int64_t *index = berth_map_find(&checkpoint->names, name, strlen(name));
  return index != NULL ? *index : -1;
}

const char *berth_checkpoint_name(const berth_checkpoint_t *checkpoint,
                                  int64_t index) {
  const berth_stored_t *stored = stored_at(checkpoint, index);
  return stored != NULL ? stored->name : NULL;
}

berth_dtype_t berth_checkpoint_dtype(const berth_checkpoint_t *checkpoint,
                                     int64_t index) {
  const berth_stored_t *stored = stored_at(checkpoint, index);
  return stored != NULL ? stored->dtype : BERTH_INVALID;
}

berth_dims_t berth_checkpoint_shape(const berth_checkpoint_t *checkpoint,
                                    int64_t index) {
  const berth_stored_t *stored = stored_at(checkpoint, index);
  return stored != NULL ? stored->dims : (berth_dims_t){-1, NULL};
}

berth_code_t berth_checkpoint_read(berth_checkpoint_t *checkpoint,
                                   int64_t index, berth_tensor_t **out_tensor,
                                   berth_error_t *err) {
  BERTH_GIVEN(checkpoint, err);
  BERTH_GIVEN(out_tensor, err);
  const berth_stored_t *stored = stored_at(checkpoint, index);
  if (stored == NULL) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "the checkpoint has no tensor %lld",
                           (long long)index);
  }
  return berth_stored_read(checkpoint, stored, NULL, NULL, out_tensor, err);
}
