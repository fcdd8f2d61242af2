// bundle_write.c - Writing checkpoints.
//
// Elements go from the memory of their tensors to the file; the checksum of each
// piece is taken just before, so that it is read from memory once.
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/crc.h"
#include "io/checkpoint/checkpoint.h"
#include "io/checkpoint/index.h"
#include "io/file.h"
#include "io/varint.h"
#include "tensor/string.h"
#include "wire/message.h"

enum { PIECE = 1 << 20 };

typedef Berth__Wire__BundleEntryProto entry_t;

// A checkpoint under construction.
typedef struct writing {
  berth_arena_t arena;
  const berth_saved_t *saved;
  int count;
  entry_t **entries;  // Of each tensor that is saved; where it lies.
  berth_index_t index;
  berth_error_t *err;
} writing_t;

static berth_code_t fail_memory(const writing_t *writing) {
  return berth_error_no_memory(writing->err, "a checkpoint");
}

// ---- Elements ----

static berth_code_t put_numbers(berth_file_t *file,
                                const berth_tensor_t *tensor, uint32_t *out_crc,
                                berth_error_t *err) {
  uint32_t crc = 0;
  for (size_t at = 0; at < tensor->size; at += PIECE) {
    const char *bytes = (const char *)tensor->data + at;
    size_t left = tensor->size - at;
    size_t size = left < PIECE ? left : PIECE;
    crc = berth_crc(crc, bytes, size);
    BERTH_TRY(berth_file_put(file, bytes, size, err));
  }
  *out_crc = crc;
  return BERTH_OK;
}

// Appends the lengths of all strings and a checksum of those; |*out_crc| is the
// one of the tensor so far.
static void put_lengths(const berth_tensor_t *tensor, berth_str_t *str,
                        uint32_t *out_crc) {
  const berth_string_t *strings = tensor->data;
  uint32_t crc = 0;
  for (int64_t i = 0; i < tensor->count; ++i) {
    size_t size = 0;
    (void)berth_string_get(&strings[i], &size);
    uint64_t wide = size;
    uint32_t narrow = (uint32_t)size;
    berth_varint_put(str, wide);
    crc = wide > UINT32_MAX ? berth_crc(crc, &wide, sizeof(wide))
                            : berth_crc(crc, &narrow, sizeof(narrow));
  }
  uint32_t masked = berth_crc_mask(crc);
  berth_fixed32_put(str, masked);
  *out_crc = berth_crc(crc, &masked, sizeof(masked));
}

static berth_code_t put_strings(berth_file_t *file,
                                const berth_tensor_t *tensor, int64_t *out_size,
                                uint32_t *out_crc, berth_error_t *err) {
  const berth_string_t *strings = tensor->data;
  berth_str_t lengths = {0};
  put_lengths(tensor, &lengths, out_crc);
  berth_code_t code =
      berth_str_ok(&lengths)
          ? berth_file_put(file, berth_str_get(&lengths), lengths.size, err)
          : berth_error_no_memory(err, "a checkpoint");
  *out_size = (int64_t)lengths.size;
  berth_str_clear(&lengths);
  for (int64_t i = 0; code == BERTH_OK && i < tensor->count; ++i) {
    size_t size = 0;
    const char *text = berth_string_get(&strings[i], &size);
    *out_crc = berth_crc(*out_crc, text, size);
    *out_size += (int64_t)size;
    code = berth_file_put(file, text, size, err);
  }
  return code;
}

static berth_code_t put_all(berth_file_t *file, const void *contents,
                            berth_error_t *err) {
  const writing_t *writing = contents;
  int64_t offset = 0;
  for (int i = 0; i < writing->count; ++i) {
    const berth_tensor_t *tensor = writing->saved[i].tensor;
    entry_t *entry = writing->entries[i];
    uint32_t crc = 0;
    int64_t size = (int64_t)tensor->size;
    if (tensor->dtype == BERTH_STRING) {
      BERTH_TRY(put_strings(file, tensor, &size, &crc, err));
    } else {
      BERTH_TRY(put_numbers(file, tensor, &crc, err));
    }
    entry->offset = offset;
    entry->size = size;
    entry->crc32c = berth_crc_mask(crc);
    offset += size;
  }
  return BERTH_OK;
}

// ---- Entries ----

static Berth__Wire__TensorShapeProto *shape_message(writing_t *writing,
                                                    berth_dims_t dims) {
  berth_arena_t *arena = &writing->arena;
  Berth__Wire__TensorShapeProto *shape =
      berth_message_new(&berth__wire__tensor_shape_proto__descriptor, arena);
  Berth__Wire__TensorShapeProto__Dim **list =
      berth_arena_calloc(arena, (size_t)dims.rank + 1, sizeof(*list));
  if (shape == NULL || list == NULL) return NULL;
  for (int32_t i = 0; i < dims.rank; ++i) {
    list[i] = berth_message_new(
        &berth__wire__tensor_shape_proto__dim__descriptor, arena);
    if (list[i] == NULL) return NULL;
    list[i]->size = dims.dims[i];
  }
  shape->n_dim = (size_t)dims.rank;
  shape->dim = list;
  return shape;
}

// Adds an entry under |key|; NULL when memory is short.
static entry_t *add_entry(writing_t *writing, const char *key, size_t key_size,
                          berth_dtype_t dtype, berth_dims_t dims) {
  entry_t *message = berth_message_new(
      &berth__wire__bundle_entry_proto__descriptor, &writing->arena);
  if (message == NULL) return NULL;
  message->dtype = (Berth__Wire__DataType)dtype;
  message->shape = shape_message(writing, dims);
  if (message->shape == NULL) return NULL;
  writing->index.entries[writing->index.count++] =
      (berth_index_entry_t){key, key_size, message};
  return message;
}

// Returns the entry of the tensor that |saved| is a slice of, made if need be.
static berth_code_t find_whole(writing_t *writing, const berth_saved_t *saved,
                               entry_t **out_entry) {
  berth_dims_t dims = berth_shape_dims(&saved->spec->shape);
  for (int i = 0; i < writing->index.count; ++i) {
    const berth_index_entry_t *other = &writing->index.entries[i];
    if (berth_key_compare(other->key, other->key_size, saved->name,
                          saved->name_size) != 0) {
      continue;
    }
    bool is_same = other->message->n_slices > 0 &&
                   (int)other->message->dtype == (int)saved->tensor->dtype &&
                   other->message->shape->n_dim == (size_t)dims.rank;
    for (int32_t d = 0; is_same && d < dims.rank; ++d) {
      is_same = other->message->shape->dim[d]->size == dims.dims[d];
    }
    *out_entry = other->message;
    if (is_same) return BERTH_OK;
    return berth_error_set(writing->err, BERTH_INVALID_ARGUMENT,
                           "slices of %.*s are of different tensors",
                           (int)saved->name_size, saved->name);
  }
  *out_entry = add_entry(writing, saved->name, saved->name_size,
                         saved->tensor->dtype, dims);
  return *out_entry != NULL ? BERTH_OK : fail_memory(writing);
}

static berth_code_t add_slice(writing_t *writing, int i) {
  const berth_saved_t *saved = &writing->saved[i];
  const berth_extents_t *slice = &saved->spec->slice;
  entry_t *whole = NULL;
  berth_str_t key = {0};
  BERTH_TRY(find_whole(writing, saved, &whole));
  Berth__Wire__TensorSliceProto **slices =
      berth_arena_calloc(&writing->arena, whole->n_slices + 1, sizeof(*slices));
  if (slices == NULL) return fail_memory(writing);
  if (whole->n_slices > 0) {
    memcpy(slices, whole->slices, whole->n_slices * sizeof(*slices));
  }
  slices[whole->n_slices] = berth_extents_to_message(slice, &writing->arena);
  if (slices[whole->n_slices] == NULL) return fail_memory(writing);
  whole->slices = slices;
  ++whole->n_slices;
  berth_extents_key(saved->name, saved->name_size, slice, &key);
  char *kept =
      berth_str_ok(&key)
          ? berth_arena_memdup(&writing->arena, berth_str_get(&key), key.size)
          : NULL;
  size_t size = key.size;
  berth_str_clear(&key);
  if (kept == NULL) return fail_memory(writing);
  writing->entries[i] = add_entry(writing, kept, size, saved->tensor->dtype,
                                  berth_tensor_dims(saved->tensor));
  return writing->entries[i] != NULL ? BERTH_OK : fail_memory(writing);
}

// True when |spec| is all of its tensor.
static bool is_whole(const berth_extents_spec_t *spec) {
  return berth_dims_equal(berth_shape_dims(&spec->shape),
                          berth_shape_dims(&spec->part));
}

static berth_code_t add_saved(writing_t *writing, int i) {
  const berth_saved_t *saved = &writing->saved[i];
  const berth_tensor_t *tensor = saved->tensor;
  if (!berth_dtype_is_plain(tensor->dtype) && tensor->dtype != BERTH_STRING) {
    return berth_error_set(writing->err, BERTH_UNIMPLEMENTED,
                           "%.*s is of type %s, which Berth does not save",
                           (int)saved->name_size, saved->name,
                           berth_dtype_name(tensor->dtype));
  }
  if (saved->name_size == 0) {
    return berth_error_set(writing->err, BERTH_INVALID_ARGUMENT,
                           "a tensor cannot be saved without a name");
  }
  if (saved->spec != NULL && !is_whole(saved->spec)) {
    return add_slice(writing, i);
  }
  writing->entries[i] = add_entry(writing, saved->name, saved->name_size,
                                  tensor->dtype, berth_tensor_dims(tensor));
  return writing->entries[i] != NULL ? BERTH_OK : fail_memory(writing);
}

static berth_code_t add_all(writing_t *writing) {
  size_t count = (size_t)writing->count;
  writing->entries =
      berth_arena_calloc(&writing->arena, count + 1, sizeof(*writing->entries));
  writing->index.entries = berth_arena_calloc(&writing->arena, 2 * count + 1,
                                              sizeof(*writing->index.entries));
  if (writing->entries == NULL || writing->index.entries == NULL) {
    return fail_memory(writing);
  }
  for (int i = 0; i < writing->count; ++i) {
    BERTH_TRY(add_saved(writing, i));
  }
  return BERTH_OK;
}

// ---- Files ----

// Makes the folder of |prefix| if only it is missing.
static berth_code_t make_folder(const char *prefix, berth_error_t *err) {
  char folder[PATH_MAX];
  const char *slash = strrchr(prefix, '/');
  if (slash == NULL || slash == prefix) return BERTH_OK;
  (void)snprintf(folder, sizeof(folder), "%.*s", (int)(slash - prefix), prefix);
  if (mkdir(folder, 0777) == 0 || errno == EEXIST) return BERTH_OK;
  // A folder that is there and may not be made says so in other words.
  int number = errno;
  struct stat status;
  if (stat(folder, &status) == 0 && S_ISDIR(status.st_mode)) return BERTH_OK;
  return berth_checkpoint_fail(err, folder, number);
}

static uint64_t bytes_of(const writing_t *writing) {
  uint64_t size = 0;
  for (int i = 0; i < writing->count; ++i)
    size += writing->saved[i].tensor->size;
  return size;
}

static berth_code_t write_data(writing_t *writing, const char *path) {
  uint64_t size = bytes_of(writing);
  berth_code_t code =
      berth_file_save(path, size, put_all, writing, false, writing->err);
  if (code == BERTH_OK || writing->err == NULL) return code;
  return berth_error_prepend(writing->err,
                             "Cannot write '%s.data-00000-of-00001' (%llu "
                             "bytes): ",
                             writing->index.prefix, (unsigned long long)size);
}

static berth_code_t write_checkpoint(writing_t *writing) {
  char path[PATH_MAX];
  char *files[] = {path};
  const char *prefix = writing->index.prefix;
  BERTH_TRY(make_folder(prefix, writing->err));
  BERTH_TRY(add_all(writing));
  int size = snprintf(path, sizeof(path),
                      "%s.data-00000-of-00001.tempstate%llu", prefix,
                      (unsigned long long)berth_now_ns() * 1024 +
                          (unsigned long long)getpid() % 1024);
  if (size < 0 || (size_t)size >= sizeof(path)) {
    return berth_checkpoint_fail(writing->err, prefix, ENAMETOOLONG);
  }
  BERTH_TRY(write_data(writing, path));
  writing->index.files = files;
  writing->index.file_count = 1;
  berth_code_t code = berth_index_commit(&writing->index, writing->err);
  if (code != BERTH_OK) (void)unlink(path);
  return code;
}

berth_code_t berth_bundle_write(const char *prefix, const berth_saved_t *saved,
                                int count, berth_error_t *err) {
  writing_t writing = {
      .saved = saved, .count = count, .index.prefix = prefix, .err = err};
  berth_code_t code = write_checkpoint(&writing);
  berth_arena_clear(&writing.arena);
  return code;
}

// ---- The public half ----

static berth_code_t write_public(const char *prefix, const char *const *names,
                                 const berth_tensor_t *const *tensors,
                                 berth_tensor_t **hosts, berth_saved_t *saved,
                                 int count, berth_error_t *err) {
  for (int i = 0; i < count; ++i) {
    BERTH_GIVEN(names[i], err);
    BERTH_GIVEN(tensors[i], err);
    BERTH_TRY(berth_tensor_to_host(tensors[i], &hosts[i], err));
    saved[i] = (berth_saved_t){names[i], strlen(names[i]), hosts[i], NULL};
  }
  return berth_bundle_write(prefix, saved, count, err);
}

berth_code_t berth_checkpoint_write(const char *prefix,
                                    const char *const *names,
                                    const berth_tensor_t *const *tensors,
                                    int count, berth_error_t *err) {
  BERTH_GIVEN(prefix, err);
  BERTH_GIVEN_LIST(names, count, err);
  BERTH_GIVEN_LIST(tensors, count, err);
  size_t room = (size_t)count + 1;
  berth_tensor_t **hosts = berth_calloc(room, sizeof(*hosts));
  berth_saved_t *saved = berth_calloc(room, sizeof(*saved));
  berth_code_t code =
      hosts != NULL && saved != NULL
          ? write_public(prefix, names, tensors, hosts, saved, count, err)
          : berth_error_no_memory(err, "a checkpoint");
  for (int i = 0; hosts != NULL && i < count; ++i) {
    berth_tensor_release(hosts[i]);
  }
  berth_free(saved);
  berth_free(hosts);
  return code;
}
