// eager_key.c - What makes two eager calls the same kind.
#include <string.h>

#include "base/hash.h"
#include "runtime/eager_internal.h"
#include "tensor/compact.h"

// So much of a tensor is hashed; all of it is compared.
enum { TENSOR_BYTES = 256 };

// ---- Hashing ----

static uint64_t hash_dims(berth_dims_t dims, uint64_t hash) {
  hash = hash * 31 + (uint64_t)(uint32_t)dims.rank;
  if (dims.rank <= 0) return hash;
  return berth_hash(dims.dims, (size_t)dims.rank * sizeof(int64_t), hash);
}

// Hashes the first |size| bytes that a compact tensor would have: it equals one
// that has them.
static uint64_t hash_compact(const berth_tensor_t *tensor, size_t size,
                             uint64_t hash) {
  char first[TENSOR_BYTES];
  size_t element = berth_dtype_size(tensor->dtype);
  const char *elements = berth_tensor_elements(tensor);
  for (size_t i = 0; i < size / element; ++i) {
    size_t place = (size_t)berth_tensor_place(tensor, (int64_t)i);
    memcpy(first + i * element, elements + place * element, element);
  }
  return berth_hash(first, size, hash);
}

static uint64_t hash_tensor(const berth_tensor_t *tensor, uint64_t hash) {
  if (tensor == NULL) return hash;
  hash = hash_dims(berth_tensor_dims(tensor), hash + (uint64_t)tensor->dtype);
  if (tensor->device != NULL || !berth_dtype_is_plain(tensor->dtype)) {
    return hash;
  }
  size_t size = tensor->size < TENSOR_BYTES ? tensor->size : TENSOR_BYTES;
  if (berth_tensor_is_compact(tensor)) return hash_compact(tensor, size, hash);
  return size == 0 ? hash : berth_hash(tensor->data, size, hash);
}

// Hashes |count| elements of |size| bytes.
static uint64_t hash_array(const void *data, int32_t count, size_t size,
                           uint64_t hash) {
  return count == 0 ? hash : berth_hash(data, (size_t)count * size, hash);
}

static uint64_t hash_list(const berth_attr_value_t *value, uint64_t hash) {
  int32_t count = value->count;
  switch ((int)value->kind - BERTH_ATTR_LIST) {
    case BERTH_ATTR_STRING:
      for (int32_t i = 0; i < count; ++i) {
        hash = berth_hash(value->s_list[i].text, value->s_list[i].size, hash);
      }
      return hash;
    case BERTH_ATTR_INT:
      return hash_array(value->i_list, count, sizeof(int64_t), hash);
    case BERTH_ATTR_FLOAT:
      return hash_array(value->f_list, count, sizeof(float), hash);
    case BERTH_ATTR_TYPE:
      return hash_array(value->type_list, count, sizeof(berth_dtype_t), hash);
    case BERTH_ATTR_SHAPE:
      for (int32_t i = 0; i < count; ++i) {
        hash = hash_dims(value->shape_list[i], hash);
      }
      return hash;
    case BERTH_ATTR_TENSOR:
      for (int32_t i = 0; i < count; ++i) {
        hash = hash_tensor(value->tensor_list[i], hash);
      }
      return hash;
    default:
      return hash;
  }
}

// Values that are equal have one hash; few others share it.
static uint64_t hash_value(const berth_attr_value_t *value, uint64_t hash) {
  switch (value->kind) {
    case BERTH_ATTR_STRING:
    case BERTH_ATTR_PLACEHOLDER:
      return berth_hash(value->s.text, value->s.size, hash);
    case BERTH_ATTR_INT:
      return hash * 31 + (uint64_t)value->i;
    case BERTH_ATTR_FLOAT:
      return berth_hash(&value->f, sizeof(value->f), hash);
    case BERTH_ATTR_BOOL:
      return hash * 31 + value->b;
    case BERTH_ATTR_TYPE:
      return hash * 31 + (uint64_t)value->type;
    case BERTH_ATTR_SHAPE:
      return hash_dims(value->shape, hash);
    case BERTH_ATTR_TENSOR:
      return hash_tensor(value->tensor, hash);
    case BERTH_ATTR_FUNC:
      return berth_hash(value->func->name, strlen(value->func->name), hash);
    default:
      return hash_list(value, hash);
  }
}

uint64_t berth_eager_request_hash(const berth_eager_request_t *request) {
  uint64_t hash =
      berth_hash(request->op, strlen(request->op), request->types_hash);
  if (request->device[0] != '\0') {
    hash = berth_hash(request->device, strlen(request->device), hash);
  }
  for (int i = 0; i < request->attr_count; ++i) {
    const berth_attr_t *attr = &request->attrs[i];
    hash = berth_hash(attr->name, strlen(attr->name), hash);
    hash = hash_value(&attr->value, hash);
  }
  return hash;
}

// ---- Comparing ----

// Most calls ask for no device, and an op is told by its first letter mostly.
static bool is_same(const char *a, const char *b) {
  return a[0] == b[0] && (a[0] == '\0' || strcmp(a, b) == 0);
}

bool berth_eager_key_fits(const berth_eager_key_t *key,
                          const berth_eager_request_t *request) {
  if (key->input_count != request->input_count ||
      key->attr_count != request->attr_count ||
      !is_same(key->op, request->op) ||
      !is_same(key->device, request->device)) {
    return false;
  }
  for (int i = 0; i < key->input_count; ++i) {
    if (key->types[i] != request->inputs[i]->dtype) return false;
  }
  for (int i = 0; i < key->attr_count; ++i) {
    if (strcmp(key->attrs[i].name, request->attrs[i].name) != 0 ||
        !berth_attr_equal(&key->attrs[i].value, &request->attrs[i].value)) {
      return false;
    }
  }
  return true;
}

// ---- Copying ----

// Copies the attributes; |key->attr_count| says how many there are so far.
static berth_code_t copy_attrs(const berth_eager_request_t *request,
                               berth_arena_t *arena, berth_eager_key_t *key,
                               berth_error_t *err) {
  berth_attr_t *attrs = berth_arena_calloc(
      arena, (size_t)request->attr_count + 1, sizeof(*attrs));
  if (attrs == NULL) return berth_error_no_memory(err, "an eager call");
  key->attrs = attrs;
  for (int i = 0; i < request->attr_count; ++i) {
    const berth_attr_t *attr = &request->attrs[i];
    attrs[i].name = berth_arena_strndup(arena, attr->name, strlen(attr->name));
    if (attrs[i].name == NULL) return berth_error_no_memory(err, "a call");
    BERTH_TRY(berth_attr_copy(&attr->value, arena, &attrs[i].value, err));
    ++key->attr_count;
  }
  return BERTH_OK;
}

berth_code_t berth_eager_key_copy(const berth_eager_request_t *request,
                                  berth_arena_t *arena,
                                  berth_eager_key_t *out_key,
                                  berth_error_t *err) {
  size_t count = (size_t)request->input_count;
  out_key->op = berth_arena_strndup(arena, request->op, strlen(request->op));
  out_key->device =
      berth_arena_strndup(arena, request->device, strlen(request->device));
  out_key->types =
      berth_arena_calloc(arena, count + 1, sizeof(*out_key->types));
  if (out_key->op == NULL || out_key->device == NULL ||
      out_key->types == NULL) {
    return berth_error_no_memory(err, "an eager call");
  }
  for (size_t i = 0; i < count; ++i) {
    out_key->types[i] = request->inputs[i]->dtype;
  }
  out_key->input_count = request->input_count;
  return copy_attrs(request, arena, out_key, err);
}

void berth_eager_key_clear(berth_eager_key_t *key) {
  for (int i = 0; i < key->attr_count; ++i) {
    berth_attr_drop_tensors(&key->attrs[i].value);
  }
  key->attr_count = 0;
}
