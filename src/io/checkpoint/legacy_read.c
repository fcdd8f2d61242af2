// legacy_read.c - Checkpoints of the old format.
//
// The entry without a key lists the tensors of a file and their slices; each
// slice is an entry of its own, a message with its elements.
#include <glob.h>
#include <string.h>

#include "base/alloc.h"
#include "io/checkpoint/checkpoint.h"
#include "tensor/string.h"
#include "wire/message.h"

typedef struct opening {
  berth_checkpoint_t *checkpoint;
  const char *path;
  berth_sorted_t table;
  berth_error_t *err;
} opening_t;

static berth_code_t fail_memory(const opening_t *opening) {
  return berth_error_no_memory(opening->err, "a checkpoint");
}

// ---- Lists of tensors ----

static berth_code_t find_part(opening_t *opening, const berth_stored_t *stored,
                              const Berth__Wire__TensorSliceProto *message,
                              berth_stored_part_t *part) {
  berth_str_t key = {0};
  BERTH_TRY(berth_extents_from_message(message, stored->dims.rank,
                                       &opening->checkpoint->arena,
                                       &part->slice, opening->err));
  berth_extents_key(stored->name, stored->name_size, &part->slice, &key);
  if (!berth_str_ok(&key)) {
    berth_str_clear(&key);
    return fail_memory(opening);
  }
  const berth_sorted_entry_t *entry =
      berth_sorted_find(&opening->table, berth_str_get(&key), key.size);
  berth_str_clear(&key);
  part->is_missing = entry == NULL;
  if (entry == NULL) return BERTH_OK;
  part->value = entry->value;
  part->value_size = entry->value_size;
  return BERTH_OK;
}

// Adds the slices of |meta| to those that |stored| has from other files.
static berth_code_t add_parts(opening_t *opening, berth_stored_t *stored,
                              const Berth__Wire__SavedSliceMeta *meta) {
  size_t old = (size_t)stored->part_count;
  berth_stored_part_t *parts = berth_arena_calloc(
      &opening->checkpoint->arena, old + meta->n_slice + 1, sizeof(*parts));
  if (parts == NULL) return fail_memory(opening);
  if (old > 0) memcpy(parts, stored->parts, old * sizeof(*parts));
  stored->is_sliced = true;
  for (size_t i = 0; i < meta->n_slice; ++i) {
    BERTH_TRY(find_part(opening, stored, meta->slice[i], &parts[old + i]));
  }
  stored->parts = parts;
  stored->part_count = (int)(old + meta->n_slice);
  return BERTH_OK;
}

static berth_code_t check_same(opening_t *opening, const berth_stored_t *stored,
                               const Berth__Wire__SavedSliceMeta *meta) {
  char old[BERTH_DIMS_TEXT], new[BERTH_DIMS_TEXT];
  berth_dims_t dims;
  BERTH_TRY(berth_checkpoint_dims(opening->checkpoint, meta->shape, &dims,
                                  opening->err));
  if (!berth_dims_equal(dims, stored->dims)) {
    return berth_error_set(opening->err, BERTH_INTERNAL,
                           "Incompatible tensor shapes detected for tensor %s: "
                           "existing = %s, new = %s",
                           meta->name, berth_dims_text(stored->dims, old),
                           berth_dims_text(dims, new));
  }
  if ((int)meta->type == (int)stored->dtype) return BERTH_OK;
  return berth_error_set(
      opening->err, BERTH_INTERNAL,
      "Incompatible tensor types detected for tensor %s: existing = %s, new = "
      "%s",
      meta->name, berth_dtype_name(stored->dtype),
      berth_dtype_name((berth_dtype_t)meta->type));
}

static berth_code_t add_tensor(opening_t *opening,
                               const Berth__Wire__SavedSliceMeta *meta) {
  berth_checkpoint_t *checkpoint = opening->checkpoint;
  size_t size = strlen(meta->name);
  const int64_t *index = berth_map_find(&checkpoint->names, meta->name, size);
  if (index != NULL) {
    berth_stored_t *stored = &checkpoint->tensors[*index];
    BERTH_TRY(check_same(opening, stored, meta));
    return add_parts(opening, stored, meta);
  }
  berth_stored_t stored = {.name = meta->name,
                           .name_size = size,
                           .dtype = (berth_dtype_t)meta->type};
  if (!berth_dtype_is_valid((int)meta->type) ||
      berth_dtype_is_ref(stored.dtype)) {
    return berth_error_set(opening->err, BERTH_DATA_LOSS,
                           "%s has %s of type %d, which is none", opening->path,
                           meta->name, (int)meta->type);
  }
  BERTH_TRY(berth_checkpoint_dims(checkpoint, meta->shape, &stored.dims,
                                  opening->err));
  BERTH_TRY(add_parts(opening, &stored, meta));
  return berth_checkpoint_add(checkpoint, &stored, opening->err);
}

// ---- Files ----

static berth_code_t read_list(opening_t *opening) {
  ProtobufCMessage *message = NULL;
  const berth_sorted_entry_t *entry = berth_sorted_find(&opening->table, "", 0);
  berth_code_t code = BERTH_DATA_LOSS;
  if (entry != NULL) {
    code = berth_message_unpack(
        &berth__wire__saved_tensor_slices__descriptor, entry->value,
        entry->value_size, &opening->checkpoint->arena, &message, opening->err);
  }
  if (code == BERTH_RESOURCE_EXHAUSTED) return code;
  if (code != BERTH_OK) {
    return berth_error_set(
        opening->err, BERTH_INTERNAL,
        entry != NULL ? "Failed to parse meta data for the tensor slices in %s"
                      : "Failed to find the saved tensor slices at the "
                        "beginning of the checkpoint file: %s",
        opening->path);
  }
  const Berth__Wire__SavedTensorSliceMeta *meta =
      ((const Berth__Wire__SavedTensorSlices *)message)->meta;
  for (size_t i = 0; meta != NULL && i < meta->n_tensor; ++i) {
    BERTH_TRY(add_tensor(opening, meta->tensor[i]));
  }
  return BERTH_OK;
}

static berth_code_t read_file(berth_checkpoint_t *checkpoint, const char *path,
                              berth_error_t *err) {
  opening_t opening = {.checkpoint = checkpoint, .path = path, .err = err};
  const char *bytes = NULL;
  size_t size = 0;
  BERTH_TRY(berth_checkpoint_load(checkpoint, path, &bytes, &size, err));
  berth_code_t code =
      berth_sorted_read(bytes, size, &checkpoint->arena, &opening.table, err);
  if (code != BERTH_OK && code != BERTH_RESOURCE_EXHAUSTED && err != NULL) {
    berth_error_prepend(err, "Unable to open table file %s: %s: ", path,
                        berth_code_name(code));
    berth_error_append(err,
                       ": perhaps your file is in a different file format and "
                       "you need to use a different restore operator?");
  }
  BERTH_TRY(code);
  return read_list(&opening);
}

static berth_code_t read_files(berth_checkpoint_t *checkpoint,
                               const glob_t *found, berth_error_t *err) {
  for (size_t i = 0; i < found->gl_pathc; ++i) {
    BERTH_TRY(read_file(checkpoint, found->gl_pathv[i], err));
  }
  return BERTH_OK;
}

berth_code_t berth_legacy_open(berth_checkpoint_t *checkpoint,
                               berth_error_t *err) {
  glob_t found = {0};
  int result = glob(checkpoint->prefix, 0, NULL, &found);
  berth_code_t code = BERTH_OK;
  if (result == 0) {
    code = read_files(checkpoint, &found, err);
  } else if (result == GLOB_NOSPACE) {
    code = berth_error_no_memory(err, "paths");
  } else {
    code = berth_error_set(err, BERTH_NOT_FOUND,
                           "Unsuccessful TensorSliceReader constructor: Failed "
                           "to find any matching files for %s",
                           checkpoint->prefix);
  }
  globfree(&found);
  return code;
}

// ---- Elements ----

typedef Berth__Wire__TensorProto proto_t;

// Where a message lists the elements of a type.
typedef struct values {
  const void *data;
  size_t count;  // Of elements: pairs, for complex numbers.
  size_t size;   // Of one in the list.
} values_t;

static values_t values_of(const proto_t *proto, berth_dtype_t dtype) {
  switch (dtype) {
    case BERTH_FLOAT:
      return (values_t){proto->float_val, proto->n_float_val, 4};
    case BERTH_DOUBLE:
      return (values_t){proto->double_val, proto->n_double_val, 8};
    case BERTH_INT64:
      return (values_t){proto->int64_val, proto->n_int64_val, 8};
    case BERTH_COMPLEX64:
      return (values_t){proto->scomplex_val, proto->n_scomplex_val / 2, 8};
    case BERTH_COMPLEX128:
      return (values_t){proto->dcomplex_val, proto->n_dcomplex_val / 2, 16};
    case BERTH_BOOL:
      return (values_t){proto->bool_val, proto->n_bool_val, 4};
    case BERTH_HALF:
      return (values_t){proto->half_val, proto->n_half_val, 4};
    default:  // All whole numbers of up to 32 bits.
      return (values_t){proto->int_val, proto->n_int_val, 4};
  }
}

static bool copy_strings(const proto_t *proto, berth_tensor_t *tensor) {
  berth_string_t *strings = tensor->data;
  for (int64_t i = 0; i < tensor->count; ++i) {
    const ProtobufCBinaryData *text = &proto->string_val[i];
    if (!berth_string_set(&strings[i], (const char *)text->data, text->len)) {
      return false;
    }
  }
  return true;
}

// Copies numbers; lists hold small ones in 32 bits, the low bytes first.
static void copy_numbers(const values_t *values, berth_tensor_t *tensor) {
  size_t size = berth_dtype_size(tensor->dtype);
  const char *from = values->data;
  char *to = tensor->data;
  for (int64_t i = 0; i < tensor->count; ++i) {
    memcpy(to + (size_t)i * size, from + (size_t)i * values->size, size);
  }
}

static berth_code_t copy_values(const berth_stored_t *stored,
                                const proto_t *proto, berth_tensor_t *tensor,
                                berth_error_t *err) {
  bool is_string = tensor->dtype == BERTH_STRING;
  values_t values = values_of(proto, tensor->dtype);
  size_t listed = is_string ? proto->n_string_val : values.count;
  if (listed != (size_t)tensor->count) {
    return berth_error_set(err, BERTH_DATA_LOSS,
                           "%zu elements of %s are stored, and not %lld",
                           listed, stored->name, (long long)tensor->count);
  }
  if (is_string) {
    return copy_strings(proto, tensor) ? BERTH_OK
                                       : berth_error_no_memory(err, "strings");
  }
  copy_numbers(&values, tensor);
  return BERTH_OK;
}

berth_code_t berth_legacy_read(const berth_stored_t *stored,
                               const berth_stored_part_t *part,
                               berth_tensor_t *tensor, berth_error_t *err) {
  berth_arena_t arena = {0};
  ProtobufCMessage *message = NULL;
  berth_code_t code = BERTH_DATA_LOSS;
  if (part->is_missing) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Error copying slice data");
  }
  code = berth_message_unpack(&berth__wire__saved_tensor_slices__descriptor,
                              part->value, part->value_size, &arena, &message,
                              err);
  if (code == BERTH_OK) {
    const Berth__Wire__SavedSlice *data =
        ((const Berth__Wire__SavedTensorSlices *)message)->data;
    const proto_t *proto = data != NULL ? data->data : NULL;
    code = proto != NULL
               ? copy_values(stored, proto, tensor, err)
               : berth_error_set(err, BERTH_DATA_LOSS,
                                 "no elements of %s are stored", stored->name);
  }
  berth_arena_clear(&arena);
  return code;
}
