// legacy_write.c - Writing checkpoints of the old format.
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "io/file.h"
#include "io/checkpoint/checkpoint.h"
#include "tensor/string.h"
#include "wire/message.h"

typedef Berth__Wire__TensorProto proto_t;
typedef Berth__Wire__SavedSliceMeta meta_t;

// A table under construction: its list of tensors, and the slices by key.
typedef struct writing {
  berth_arena_t arena;
  Berth__Wire__SavedTensorSliceMeta *list;
  struct keyed *slices;
  berth_error_t *err;
} writing_t;

typedef struct keyed {
  char *key;
  size_t key_size;
  const berth_saved_t *saved;
  berth_extents_t slice;
} keyed_t;

static berth_code_t fail_memory(const writing_t *writing) {
  return berth_error_no_memory(writing->err, "a checkpoint");
}

static void *new_message(writing_t *writing,
                         const ProtobufCMessageDescriptor *type) {
  return berth_message_new(type, &writing->arena);
}

// ---- Elements ----

// Lists |count| elements of |size| bytes as 32-bit numbers, in the arena.
static int32_t *widen(writing_t *writing, const berth_tensor_t *tensor) {
  int32_t *wide = berth_arena_calloc(&writing->arena, (size_t)tensor->count + 1,
                                     sizeof(*wide));
  for (int64_t i = 0; wide != NULL && i < tensor->count; ++i) {
    switch (tensor->dtype) {
      case BERTH_INT8:
      case BERTH_QINT8:
        wide[i] = ((const int8_t *)tensor->data)[i];
        break;
      case BERTH_UINT8:
      case BERTH_QUINT8:
      case BERTH_BOOL:
        wide[i] = ((const uint8_t *)tensor->data)[i];
        break;
      case BERTH_INT16:
        wide[i] = ((const int16_t *)tensor->data)[i];
        break;
      case BERTH_UINT16:
      case BERTH_HALF:
        wide[i] = ((const uint16_t *)tensor->data)[i];
        break;
      default:
        wide[i] = ((const int32_t *)tensor->data)[i];
    }
  }
  return wide;
}

static bool set_strings(writing_t *writing, const berth_tensor_t *tensor,
                        proto_t *proto) {
  const berth_string_t *strings = tensor->data;
  ProtobufCBinaryData *texts = berth_arena_calloc(
      &writing->arena, (size_t)tensor->count + 1, sizeof(*texts));
  if (texts == NULL) return false;
  for (int64_t i = 0; i < tensor->count; ++i) {
    texts[i].data =
        (uint8_t *)(uintptr_t)berth_string_get(&strings[i], &texts[i].len);
  }
  proto->n_string_val = (size_t)tensor->count;
  proto->string_val = texts;
  return true;
}

// Fills |proto| in; false when memory is short. Elements are borrowed.
static bool set_values(writing_t *writing, const berth_tensor_t *tensor,
                       proto_t *proto) {
  size_t count = (size_t)tensor->count;
  switch (tensor->dtype) {
    case BERTH_FLOAT:
      proto->n_float_val = count;
      proto->float_val = tensor->data;
      return true;
    case BERTH_DOUBLE:
      proto->n_double_val = count;
      proto->double_val = tensor->data;
      return true;
    case BERTH_INT64:
      proto->n_int64_val = count;
      proto->int64_val = tensor->data;
      return true;
    case BERTH_COMPLEX64:
      proto->n_scomplex_val = 2 * count;
      proto->scomplex_val = tensor->data;
      return true;
    case BERTH_COMPLEX128:
      proto->n_dcomplex_val = 2 * count;
      proto->dcomplex_val = tensor->data;
      return true;
    case BERTH_STRING:
      return set_strings(writing, tensor, proto);
    case BERTH_BOOL:
      proto->n_bool_val = count;
      proto->bool_val = widen(writing, tensor);
      return proto->bool_val != NULL;
    case BERTH_HALF:
      proto->n_half_val = count;
      proto->half_val = widen(writing, tensor);
      return proto->half_val != NULL;
    default:
      proto->n_int_val = count;
      proto->int_val = widen(writing, tensor);
      return proto->int_val != NULL;
  }
}

static berth_code_t check_type(const berth_tensor_t *tensor,
                               berth_error_t *err) {
  const berth_dtype_set_t written =
      BERTH_DTYPE_BIT(BERTH_FLOAT) | BERTH_DTYPE_BIT(BERTH_DOUBLE) |
      BERTH_DTYPE_BIT(BERTH_INT8) | BERTH_DTYPE_BIT(BERTH_INT16) |
      BERTH_DTYPE_BIT(BERTH_INT32) | BERTH_DTYPE_BIT(BERTH_INT64) |
      BERTH_DTYPE_BIT(BERTH_UINT8) | BERTH_DTYPE_BIT(BERTH_UINT16) |
      BERTH_DTYPE_BIT(BERTH_BOOL) | BERTH_DTYPE_BIT(BERTH_COMPLEX64) |
      BERTH_DTYPE_BIT(BERTH_COMPLEX128) | BERTH_DTYPE_BIT(BERTH_HALF) |
      BERTH_DTYPE_BIT(BERTH_QINT8) | BERTH_DTYPE_BIT(BERTH_QUINT8) |
      BERTH_DTYPE_BIT(BERTH_QINT32) | BERTH_DTYPE_BIT(BERTH_STRING);
  if ((written >> tensor->dtype & 1) != 0) return BERTH_OK;
  if (tensor->dtype == BERTH_UINT32 || tensor->dtype == BERTH_UINT64) {
    return berth_error_set(
        err, BERTH_INVALID_ARGUMENT,
        "Tensor slice serialization not implemented for dtype %d",
        (int)tensor->dtype);
  }
  return berth_error_set(err, BERTH_UNIMPLEMENTED,
                         "Saving data type %s not yet supported",
                         berth_dtype_name(tensor->dtype));
}

// ---- The list of tensors ----

static berth_dims_t whole_shape(const berth_saved_t *saved) {
  return saved->spec != NULL ? berth_shape_dims(&saved->spec->shape)
                             : berth_tensor_dims(saved->tensor);
}

static Berth__Wire__TensorShapeProto *shape_message(writing_t *writing,
                                                    berth_dims_t dims) {
  Berth__Wire__TensorShapeProto *shape =
      new_message(writing, &berth__wire__tensor_shape_proto__descriptor);
  Berth__Wire__TensorShapeProto__Dim **list =
      berth_arena_calloc(&writing->arena, (size_t)dims.rank + 1, sizeof(*list));
  if (shape == NULL || list == NULL) return NULL;
  for (int32_t i = 0; i < dims.rank; ++i) {
    list[i] =
        new_message(writing, &berth__wire__tensor_shape_proto__dim__descriptor);
    if (list[i] == NULL) return NULL;
    list[i]->size = dims.dims[i];
  }
  shape->n_dim = (size_t)dims.rank;
  shape->dim = list;
  return shape;
}

// Finds the line of |saved| in the list, or adds one; NULL when memory is short.
static meta_t *line_of(writing_t *writing, const berth_saved_t *saved) {
  Berth__Wire__SavedTensorSliceMeta *list = writing->list;
  char *name =
      berth_arena_strndup(&writing->arena, saved->name, saved->name_size);
  for (size_t i = 0; name != NULL && i < list->n_tensor; ++i) {
    if (strcmp(list->tensor[i]->name, name) == 0) return list->tensor[i];
  }
  meta_t *line =
      new_message(writing, &berth__wire__saved_slice_meta__descriptor);
  if (line == NULL || name == NULL) return NULL;
  line->name = name;
  line->type = (Berth__Wire__DataType)saved->tensor->dtype;
  line->shape = shape_message(writing, whole_shape(saved));
  list->tensor[list->n_tensor++] = line;
  return line->shape != NULL ? line : NULL;
}

// Adds tensor |index| to the list, unless the very slice is there.
static berth_code_t add_slice(writing_t *writing, const berth_saved_t *saved,
                              int *count) {
  keyed_t *keyed = &writing->slices[*count];
  berth_str_t key = {0};
  BERTH_TRY(check_type(saved->tensor, writing->err));
  meta_t *line = line_of(writing, saved);
  if (line == NULL) return fail_memory(writing);
  keyed->saved = saved;
  if (saved->spec != NULL) {
    keyed->slice = saved->spec->slice;
  } else if (!berth_extents_make(&writing->arena, saved->tensor->rank,
                                 &keyed->slice)) {
    return fail_memory(writing);
  }
  berth_extents_key(saved->name, saved->name_size, &keyed->slice, &key);
  keyed->key =
      berth_arena_memdup(&writing->arena, berth_str_get(&key), key.size);
  keyed->key_size = key.size;
  bool is_made = berth_str_ok(&key) && keyed->key != NULL;
  berth_str_clear(&key);
  if (!is_made) return fail_memory(writing);
  for (int i = 0; i < *count; ++i) {
    const keyed_t *other = &writing->slices[i];
    if (berth_key_compare(other->key, other->key_size, keyed->key,
                          keyed->key_size) == 0) {
      return BERTH_OK;
    }
  }
  Berth__Wire__TensorSliceProto **slices =
      berth_arena_calloc(&writing->arena, line->n_slice + 1, sizeof(*slices));
  if (slices == NULL) return fail_memory(writing);
  if (line->n_slice > 0) {
    memcpy(slices, line->slice, line->n_slice * sizeof(*slices));
  }
  slices[line->n_slice] =
      berth_extents_to_message(&keyed->slice, &writing->arena);
  if (slices[line->n_slice] == NULL) return fail_memory(writing);
  line->slice = slices;
  ++line->n_slice;
  ++*count;
  return BERTH_OK;
}

// ---- The table ----

static berth_code_t add_message(writing_t *writing, const keyed_t *keyed,
                                const Berth__Wire__SavedTensorSlices *message,
                                berth_sorted_writer_t *table) {
  void *bytes = NULL;
  size_t size = 0;
  BERTH_TRY(berth_message_pack(&message->base, &bytes, &size, writing->err));
  berth_sorted_add(table, keyed != NULL ? keyed->key : "",
                   keyed != NULL ? keyed->key_size : 0, bytes, size);
  berth_free(bytes);
  return BERTH_OK;
}

static berth_code_t add_data(writing_t *writing, const keyed_t *keyed,
                             berth_sorted_writer_t *table) {
  Berth__Wire__SavedTensorSlices all = BERTH__WIRE__SAVED_TENSOR_SLICES__INIT;
  Berth__Wire__SavedSlice data = BERTH__WIRE__SAVED_SLICE__INIT;
  proto_t proto = BERTH__WIRE__TENSOR_PROTO__INIT;
  data.name = berth_arena_strndup(&writing->arena, keyed->saved->name,
                                  keyed->saved->name_size);
  data.slice = berth_extents_to_message(&keyed->slice, &writing->arena);
  data.data = &proto;
  all.data = &data;
  if (data.name == NULL || data.slice == NULL ||
      !set_values(writing, keyed->saved->tensor, &proto)) {
    return fail_memory(writing);
  }
  return add_message(writing, keyed, &all, table);
}

static int compare_keys(const void *a, const void *b) {
  const keyed_t *x = a, *y = b;
  return berth_key_compare(x->key, x->key_size, y->key, y->key_size);
}

static berth_code_t fill_table(writing_t *writing, const berth_saved_t *saved,
                               int count, berth_sorted_writer_t *table) {
  Berth__Wire__SavedTensorSlices all = BERTH__WIRE__SAVED_TENSOR_SLICES__INIT;
  Berth__Wire__VersionDef versions = BERTH__WIRE__VERSION_DEF__INIT;
  int kept = 0;
  versions.producer = 1;
  writing->list =
      new_message(writing, &berth__wire__saved_tensor_slice_meta__descriptor);
  writing->slices =
      berth_arena_calloc(&writing->arena, (size_t)count + 1, sizeof(keyed_t));
  if (writing->list == NULL || writing->slices == NULL) {
    return fail_memory(writing);
  }
  writing->list->versions = &versions;
  writing->list->tensor =
      berth_arena_calloc(&writing->arena, (size_t)count + 1, sizeof(meta_t *));
  if (writing->list->tensor == NULL) return fail_memory(writing);
  for (int i = 0; i < count; ++i) {
    BERTH_TRY(add_slice(writing, &saved[i], &kept));
  }
  all.meta = writing->list;
  BERTH_TRY(add_message(writing, NULL, &all, table));
  qsort(writing->slices, (size_t)kept, sizeof(keyed_t), compare_keys);
  for (int i = 0; i < kept; ++i) {
    BERTH_TRY(add_data(writing, &writing->slices[i], table));
  }
  return berth_sorted_finish(table, writing->err);
}

berth_code_t berth_legacy_write(const char *path, const berth_saved_t *saved,
                                int count, berth_error_t *err) {
  writing_t writing = {.err = err};
  berth_sorted_writer_t table = {0};
  berth_code_t code = fill_table(&writing, saved, count, &table);
  if (code == BERTH_OK) {
    code = berth_file_hand_over(path, berth_str_get(&table.out), table.out.size,
                                err);
  }
  berth_sorted_writer_clear(&table);
  berth_arena_clear(&writing.arena);
  return code;
}
