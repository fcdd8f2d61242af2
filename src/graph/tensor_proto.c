// tensor_proto.c - Tensors out of TensorProto messages.
#include "graph/tensor_proto.h"

#include <string.h>

#include "base/alloc.h"
#include "graph/wire_attr.h"
#include "tensor/shape.h"
#include "tensor/tensor.h"
#include "wire/message.h"

typedef Berth__Wire__TensorProto proto_t;

// Where the elements of a type are listed in a message.
typedef struct values {
  const void *data;
  size_t count;  // Of elements: pairs, for complex numbers.
  size_t size;   // Of one element in the list.
} values_t;

static values_t values_of(const proto_t *proto, berth_dtype_t dtype) {
  switch (dtype) {
    case BERTH_FLOAT:
      return (values_t){proto->float_val, proto->n_float_val, 4};
    case BERTH_DOUBLE:
      return (values_t){proto->double_val, proto->n_double_val, 8};
    case BERTH_INT64:
      return (values_t){proto->int64_val, proto->n_int64_val, 8};
    case BERTH_UINT32:
      return (values_t){proto->uint32_val, proto->n_uint32_val, 4};
    case BERTH_UINT64:
      return (values_t){proto->uint64_val, proto->n_uint64_val, 8};
    case BERTH_COMPLEX64:
      return (values_t){proto->scomplex_val, proto->n_scomplex_val / 2, 8};
    case BERTH_COMPLEX128:
      return (values_t){proto->dcomplex_val, proto->n_dcomplex_val / 2, 16};
    case BERTH_BOOL:
      return (values_t){proto->bool_val, proto->n_bool_val, 4};
    case BERTH_HALF:
    case BERTH_BFLOAT16:
      return (values_t){proto->half_val, proto->n_half_val, 4};
    case BERTH_FLOAT8_E5M2:
    case BERTH_FLOAT8_E4M3FN:
    case BERTH_FLOAT8_E4M3FNUZ:
    case BERTH_FLOAT8_E4M3B11FNUZ:
    case BERTH_FLOAT8_E5M2FNUZ:
    case BERTH_FLOAT4_E2M1FN:
      return (values_t){proto->float8_val.data, proto->float8_val.len, 1};
    default:  // All whole numbers of up to 32 bits.
      return (values_t){proto->int_val, proto->n_int_val, 4};
  }
}

// Copies |count| listed values into elements of |size| bytes. Lists hold small
// numbers as 32-bit ones, whose low bytes come first.
static void values_copy(const values_t *values, size_t count, char *to,
                        size_t size) {
  if (values->size == size) {
    if (count > 0) memcpy(to, values->data, count * size);
    return;
  }
  const char *from = values->data;
  for (size_t i = 0; i < count; ++i) {
    memcpy(to + i * size, from + i * values->size, size);
  }
}

// Repeats the element before |done| up to |count|, doubling what is copied.
static void elements_repeat(char *data, size_t size, size_t done,
                            size_t count) {
  if (done == 0) {
    memset(data, 0, count * size);
    return;
  }
  char *first = data + (done - 1) * size;
  size_t filled = 1, wanted = count - done + 1;
  while (filled < wanted) {
    size_t step = filled < wanted - filled ? filled : wanted - filled;
    memcpy(first + filled * size, first, step * size);
    filled += step;
  }
}

// Fills |tensor| from the raw bytes of |proto|.
static berth_code_t content_read(const proto_t *proto, berth_tensor_t *tensor,
                                 berth_error_t *err) {
  const ProtobufCBinaryData *content = &proto->tensor_content;
  if (content->len != tensor->size) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Cannot parse tensor from proto: tensor_content has "
                           "%zu bytes, but %lld elements of %s take %zu",
                           content->len, (long long)tensor->count,
                           berth_dtype_name(tensor->dtype), tensor->size);
  }
  memcpy(tensor->data, content->data, content->len);
  if (tensor->dtype == BERTH_BOOL) {
    // Any other byte would be no bool of C's.
    uint8_t *bytes = tensor->data;
    for (size_t i = 0; i < content->len; ++i) bytes[i] = bytes[i] != 0;
  }
  return BERTH_OK;
}

static berth_code_t numbers_read(const proto_t *proto, berth_tensor_t *tensor,
                                 berth_error_t *err) {
  if (tensor->count == 0) return BERTH_OK;
  if (proto->tensor_content.len > 0) return content_read(proto, tensor, err);
  values_t values = values_of(proto, tensor->dtype);
  size_t count = (size_t)tensor->count;
  size_t listed = values.count < count ? values.count : count;
  size_t size = tensor->size / count;
  values_copy(&values, listed, tensor->data, size);
  // No value at all stands for one zero.
  berth_tensor_set_listed(tensor, listed > 0 ? (int64_t)listed : 1);
  elements_repeat(tensor->data, size, listed, count);
  return BERTH_OK;
}

// Reads raw strings: all lengths as varints, then all bytes.
static berth_code_t string_content_read(const proto_t *proto,
                                        berth_tensor_t *tensor,
                                        berth_error_t *err) {
  const uint8_t *length = proto->tensor_content.data;
  const uint8_t *end = length + proto->tensor_content.len, *text = length;
  int64_t ends = 0;
  while (text < end && ends < tensor->count) ends += *text++ < 0x80;
  for (int64_t i = 0; i < ends && ends == tensor->count; ++i) {
    uint64_t size = 0;
    int shift = 0;
    do {
      size |= shift < 63 ? (uint64_t)(*length & 0x7f) << shift : 0;
      shift += 7;
    } while (*length++ >= 0x80);
    if (size > (uint64_t)(end - text)) break;
    BERTH_TRY(berth_tensor_set_string(tensor, i, (const char *)text,
                                      (size_t)size, err));
    text += size;
    if (i == tensor->count - 1 && text == end) return BERTH_OK;
  }
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "Cannot parse tensor from proto: tensor_content does "
                         "not hold %lld strings",
                         (long long)tensor->count);
}

static berth_code_t strings_read(const proto_t *proto, berth_tensor_t *tensor,
                                 berth_error_t *err) {
  if (tensor->count == 0) return BERTH_OK;
  if (proto->tensor_content.len > 0) {
    return string_content_read(proto, tensor, err);
  }
  size_t listed = proto->n_string_val;
  berth_tensor_set_listed(tensor, listed > 0 ? (int64_t)listed : 1);
  for (int64_t i = 0; listed > 0 && i < tensor->count; ++i) {
    size_t from = (size_t)i < listed ? (size_t)i : listed - 1;
    const ProtobufCBinaryData *text = &proto->string_val[from];
    BERTH_TRY(berth_tensor_set_string(tensor, i, (const char *)text->data,
                                      text->len, err));
  }
  return BERTH_OK;
}

// Checks the shape of |proto| and stores it.
static berth_code_t shape_read(const proto_t *proto, berth_arena_t *arena,
                               berth_dims_t *out_shape, berth_error_t *err) {
  berth_dims_t shape = {0, NULL};
  char text[BERTH_DIMS_TEXT];
  if (proto->tensor_shape != NULL) {
    BERTH_TRY(berth_shape_from_wire(proto->tensor_shape, arena, &shape, err));
  }
  if (!berth_dims_is_full(shape)) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Shape %s is not fully defined",
                           berth_dims_text(shape, text));
  }
  *out_shape = shape;
  return BERTH_OK;
}

static berth_code_t dtype_check(const proto_t *proto, berth_error_t *err) {
  int dtype = (int)proto->dtype;
  if (!berth_dtype_is_valid(dtype) || dtype > BERTH_REF) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Cannot parse tensor from proto: %d is no data type "
                           "of a tensor",
                           dtype);
  }
  if (dtype == BERTH_VARIANT) {
    return berth_error_set(err, BERTH_UNIMPLEMENTED,
                           "Cannot parse tensor from proto: variants cannot be "
                           "constants");
  }
  return BERTH_OK;
}

static berth_code_t tensor_read(const proto_t *proto, berth_arena_t *arena,
                                berth_tensor_t **out_tensor,
                                berth_error_t *err) {
  BERTH_TRY(dtype_check(proto, err));
  berth_dtype_t dtype = (berth_dtype_t)proto->dtype;
  berth_dims_t shape = {0, NULL};
  BERTH_TRY(shape_read(proto, arena, &shape, err));
  berth_tensor_t *tensor = NULL;
  BERTH_TRY(berth_tensor_create(dtype, shape, &tensor, err));
  berth_code_t code = BERTH_OK;
  if (dtype == BERTH_STRING) {
    code = strings_read(proto, tensor, err);
  } else if (dtype != BERTH_RESOURCE) {  // A handle to nothing stays one.
    code = numbers_read(proto, tensor, err);
  }
  if (code == BERTH_OK) {
    *out_tensor = tensor;
  } else {
    berth_tensor_release(tensor);
  }
  return code;
}

berth_code_t berth_tensor_from_message(const proto_t *message,
                                       berth_tensor_t **out_tensor,
                                       berth_error_t *err) {
  berth_arena_t arena = {0};
  berth_code_t code = tensor_read(message, &arena, out_tensor, err);
  berth_arena_clear(&arena);
  return code;
}

berth_code_t berth_tensor_from_proto(const void *bytes, size_t size,
                                     berth_tensor_t **out_tensor,
                                     berth_error_t *err) {
  berth_arena_t arena = {0};
  ProtobufCMessage *message = NULL;
  berth_code_t code =
      berth_message_unpack(&berth__wire__tensor_proto__descriptor, bytes, size,
                           &arena, &message, err);
  if (code == BERTH_OK) {
    code = tensor_read((const proto_t *)message, &arena, out_tensor, err);
  }
  berth_arena_clear(&arena);
  return code;
}
