// tensor_proto_encode.c - Tensors into TensorProto messages.
#include <string.h>

#include "graph/tensor_proto.h"
#include "graph/wire_attr.h"
#include "tensor/compact.h"
#include "tensor/string.h"
#include "wire/message.h"

typedef Berth__Wire__TensorProto proto_t;

// True for the types whose elements TensorFlow writes as raw bytes.
static bool has_raw_content(berth_dtype_t dtype) {
  return berth_dtype_is_plain(dtype) && dtype != BERTH_BOOL &&
         dtype != BERTH_UINT16 && dtype != BERTH_COMPLEX64 &&
         dtype != BERTH_COMPLEX128 &&
         (dtype < BERTH_INT4 || dtype > BERTH_UINT2);
}

// True when the elements are written as raw bytes: several of them, unless the
// tensor was made of fewer values than it has elements, or of such a list.
static bool is_raw(const berth_tensor_t *tensor) {
  return tensor->listed == 0 && tensor->count > 1 &&
         has_raw_content(tensor->dtype);
}

// Widens |count| elements of |tensor| to the 32-bit numbers of a list, with
// their sign where the type has one.
static int32_t *integers_make(const berth_tensor_t *tensor, size_t count,
                              berth_arena_t *arena) {
  int32_t *list = berth_arena_calloc(arena, count, sizeof *list);
  if (list == NULL) return NULL;
  size_t size = berth_dtype_size(tensor->dtype);
  bool is_signed =
      tensor->dtype == BERTH_INT8 || tensor->dtype == BERTH_QINT8 ||
      tensor->dtype == BERTH_INT4 || tensor->dtype == BERTH_INT2 ||
      tensor->dtype == BERTH_INT16 || tensor->dtype == BERTH_QINT16;
  const char *data = berth_tensor_elements(tensor);
  for (size_t i = 0; i < count; ++i) {
    memcpy(&list[i], data + i * size, size);
    if (is_signed && size == 1) list[i] = (int8_t)list[i];
    if (is_signed && size == 2) list[i] = (int16_t)list[i];
  }
  return list;
}

// True for the types whose elements are listed as bytes.
static bool is_tiny_float(berth_dtype_t dtype) {
  return (dtype >= BERTH_FLOAT8_E5M2 && dtype <= BERTH_FLOAT8_E5M2FNUZ) ||
         dtype == BERTH_FLOAT4_E2M1FN;
}

// Lists |count| elements that need no conversion: the message borrows them.
// False when the type is not one of those.
static bool borrow_list(const berth_tensor_t *tensor, size_t count,
                        proto_t *proto) {
  void *data = berth_tensor_elements(tensor);
  switch (tensor->dtype) {
    case BERTH_FLOAT:
      proto->float_val = data;
      proto->n_float_val = count;
      return true;
    case BERTH_DOUBLE:
      proto->double_val = data;
      proto->n_double_val = count;
      return true;
    case BERTH_INT32:
    case BERTH_QINT32:
      proto->int_val = data;
      proto->n_int_val = count;
      return true;
    case BERTH_INT64:
      proto->int64_val = data;
      proto->n_int64_val = count;
      return true;
    case BERTH_UINT32:
      proto->uint32_val = data;
      proto->n_uint32_val = count;
      return true;
    case BERTH_UINT64:
      proto->uint64_val = data;
      proto->n_uint64_val = count;
      return true;
    case BERTH_COMPLEX64:
      proto->scomplex_val = data;
      proto->n_scomplex_val = 2 * count;
      return true;
    case BERTH_COMPLEX128:
      proto->dcomplex_val = data;
      proto->n_dcomplex_val = 2 * count;
      return true;
    default:
      if (!is_tiny_float(tensor->dtype)) return false;
      proto->float8_val = (ProtobufCBinaryData){count, data};
      return true;
  }
}

static bool strings_list(const berth_tensor_t *tensor, size_t count,
                         berth_arena_t *arena, proto_t *proto) {
  proto->string_val =
      berth_arena_calloc(arena, count, sizeof *proto->string_val);
  if (proto->string_val == NULL) return false;
  proto->n_string_val = count;
  const berth_string_t *strings = berth_tensor_elements(tensor);
  for (size_t i = 0; i < count; ++i) {
    size_t size = 0;
    const char *text = berth_string_get(&strings[i], &size);
    proto->string_val[i] =
        (ProtobufCBinaryData){size, (uint8_t *)(uintptr_t)text};
  }
  return true;
}

// Lists |count| elements in the field of the type; false when memory is short.
static bool elements_list(const berth_tensor_t *tensor, size_t count,
                          berth_arena_t *arena, proto_t *proto) {
  if (tensor->dtype == BERTH_STRING) {
    return strings_list(tensor, count, arena, proto);
  }
  if (borrow_list(tensor, count, proto)) return true;
  int32_t *list = integers_make(tensor, count, arena);
  if (list == NULL) return false;
  if (tensor->dtype == BERTH_BOOL) {
    proto->bool_val = list;
    proto->n_bool_val = count;
  } else if (tensor->dtype == BERTH_HALF || tensor->dtype == BERTH_BFLOAT16) {
    proto->half_val = list;
    proto->n_half_val = count;
  } else {
    proto->int_val = list;
    proto->n_int_val = count;
  }
  return true;
}

berth_code_t berth_tensor_to_message(const berth_tensor_t *tensor,
                                     berth_arena_t *arena,
                                     proto_t **out_message,
                                     berth_error_t *err) {
  if (tensor->device != NULL) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "A tensor in the memory of %s cannot be written; "
                           "copy it to the host first",
                           berth_tensor_device(tensor));
  }
  proto_t *proto =
      berth_message_new(&berth__wire__tensor_proto__descriptor, arena);
  if (proto == NULL) return berth_error_no_memory(err, "a TensorProto");
  proto->dtype = (Berth__Wire__DataType)tensor->dtype;
  proto->tensor_shape = berth_shape_to_wire(berth_tensor_dims(tensor), arena);
  bool is_ok = proto->tensor_shape != NULL;
  int64_t listed = tensor->listed > 0 ? tensor->listed : tensor->count;
  if (is_ok && is_raw(tensor)) {
    proto->tensor_content = (ProtobufCBinaryData){tensor->size, tensor->data};
  } else if (is_ok && listed > 0 &&
             (berth_dtype_is_plain(tensor->dtype) ||
              tensor->dtype == BERTH_STRING)) {
    // Handles mean nothing in another process; only their shape is written.
    is_ok = elements_list(tensor, (size_t)listed, arena, proto);
  }
  if (!is_ok) return berth_error_no_memory(err, "a TensorProto");
  *out_message = proto;
  return BERTH_OK;
}

berth_code_t berth_tensor_to_proto(const berth_tensor_t *tensor,
                                   void **out_bytes, size_t *out_size,
                                   berth_error_t *err) {
  BERTH_GIVEN(tensor, err);
  BERTH_GIVEN(out_bytes, err);
  BERTH_GIVEN(out_size, err);
  berth_arena_t arena = {0};
  proto_t *message = NULL;
  berth_tensor_t *host = NULL;
  BERTH_TRY(berth_tensor_to_host(tensor, &host, err));
  berth_code_t code = berth_tensor_to_message(host, &arena, &message, err);
  if (code == BERTH_OK) {
    code = berth_message_pack(&message->base, out_bytes, out_size, err);
  }
  berth_arena_clear(&arena);
  berth_tensor_release(host);
  return code;
}
