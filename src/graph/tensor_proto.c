// tensor_proto.c - Tensors out of TensorProto messages.
#include "graph/tensor_proto.h"

#include <string.h>

#include "base/alloc.h"
#include "base/env.h"
#include "graph/wire_attr.h"
#include "tensor/compact.h"
#include "tensor/shape.h"
#include "tensor/string.h"
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

// Fills |tensor| from the raw bytes of |proto|, as many as it takes.
static void content_read(const proto_t *proto, berth_tensor_t *tensor) {
  const ProtobufCBinaryData *content = &proto->tensor_content;
  memcpy(tensor->data, content->data, content->len);
  if (tensor->dtype == BERTH_BOOL) {
    // Any other byte would be no bool of C's.
    uint8_t *bytes = tensor->data;
    for (size_t i = 0; i < content->len; ++i) bytes[i] = bytes[i] != 0;
  }
}

static void numbers_read(const proto_t *proto, berth_tensor_t *tensor) {
  if (tensor->count == 0) return;
  if (proto->tensor_content.len > 0) {
    content_read(proto, tensor);
    return;
  }
  values_t values = values_of(proto, tensor->dtype);
  size_t there = (size_t)berth_tensor_distinct(tensor);
  size_t listed = values.count < there ? values.count : there;
  size_t size = berth_dtype_size(tensor->dtype);
  char *elements = berth_tensor_elements(tensor);
  values_copy(&values, listed, elements, size);
  // No value at all stands for one zero.
  berth_tensor_set_listed(tensor, listed > 0 ? (int64_t)listed : 1);
  (void)berth_elements_repeat(tensor->dtype, elements, (int64_t)listed,
                              (int64_t)there);  // Numbers need no memory.
}

static berth_code_t strings_missing(int64_t count, berth_error_t *err) {
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "Cannot parse tensor from proto: tensor_content does "
                         "not hold %lld strings",
                         (long long)count);
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
  return strings_missing(tensor->count, err);
}

static berth_code_t strings_read(const proto_t *proto, berth_tensor_t *tensor,
                                 berth_error_t *err) {
  if (tensor->count == 0) return BERTH_OK;
  if (proto->tensor_content.len > 0) {
    return string_content_read(proto, tensor, err);
  }
  size_t listed = proto->n_string_val;
  berth_tensor_set_listed(tensor, listed > 0 ? (int64_t)listed : 1);
  int64_t there = berth_tensor_distinct(tensor);
  berth_string_t *strings = berth_tensor_elements(tensor);
  for (int64_t i = 0; listed > 0 && i < there; ++i) {
    size_t from = (size_t)i < listed ? (size_t)i : listed - 1;
    const ProtobufCBinaryData *text = &proto->string_val[from];
    if (!berth_string_set(&strings[i], (const char *)text->data, text->len)) {
      return berth_error_no_memory(err, "a string");
    }
  }
  return BERTH_OK;
}

// ---- Constants of fewer values than elements ----

enum { MIB_SHIFT = 20 };

// Reads a limit in MiB from the environment; |fallback| bytes otherwise.
static uint64_t limit_read(const char *name, uint64_t fallback) {
  int64_t wanted = berth_env_int(name, -1);
  if (wanted < 0) return fallback;
  return wanted > INT64_MAX >> MIB_SHIFT ? UINT64_MAX
                                         : (uint64_t)wanted << MIB_SHIFT;
}

void berth_expansion_init(berth_expansion_t *expansion) {
  *expansion = (berth_expansion_t){
      .constant_limit =
          limit_read("BERTH_CONSTANT_LIMIT_MB", BERTH_CONSTANT_LIMIT),
      .total_limit = limit_read("BERTH_IMPORT_LIMIT_MB", BERTH_IMPORT_LIMIT)};
}

// Counts what the elements of |tensor| will take beyond those listed.
static berth_code_t expansion_count(berth_expansion_t *expansion,
                                    const berth_tensor_t *tensor,
                                    berth_error_t *err) {
  uint64_t size = berth_tensor_expanded_size(tensor);
  char text[BERTH_DIMS_TEXT];
  berth_tensor_dims_text(tensor, text);
  if (size > expansion->constant_limit) {
    return berth_error_set(
        err, BERTH_RESOURCE_EXHAUSTED,
        "Cannot parse tensor from proto: %d listed value(s) for shape %s of "
        "type %s would expand to %llu bytes; a constant may expand to %llu "
        "(raise max_constant_bytes or BERTH_CONSTANT_LIMIT_MB, or use Fill)",
        (int)tensor->listed, text, berth_dtype_name(tensor->dtype),
        (unsigned long long)size,
        (unsigned long long)expansion->constant_limit);
  }
  if (size > expansion->total_limit - expansion->total) {
    return berth_error_set(
        err, BERTH_RESOURCE_EXHAUSTED,
        "Cannot parse tensor from proto: %d listed value(s) for shape %s of "
        "type %s would expand to %llu bytes; the constants of a graph may "
        "expand to %llu, and others have %llu of them (raise "
        "max_expanded_bytes or BERTH_IMPORT_LIMIT_MB, or use Fill)",
        (int)tensor->listed, text, berth_dtype_name(tensor->dtype),
        (unsigned long long)size, (unsigned long long)expansion->total_limit,
        (unsigned long long)expansion->total);
  }
  expansion->total += size;
  return BERTH_OK;
}

// Up to this many bytes a constant of few values is expanded at once: about
// what its node takes besides.
enum { EXPANDED_AT_ONCE = 512 };

// Returns how many elements |proto| lists for |count| of |dtype| that are not
// all there; 0 when they are, or are few.
static int32_t compact_listed(const proto_t *proto, berth_dtype_t dtype,
                              int64_t count) {
  size_t listed = dtype == BERTH_STRING     ? proto->n_string_val
                  : dtype == BERTH_RESOURCE ? 1
                                            : values_of(proto, dtype).count;
  if (listed == 0) listed = 1;  // No value at all stands for one zero.
  bool is_small = count <= EXPANDED_AT_ONCE / (int64_t)berth_dtype_size(dtype);
  if (is_small || proto->tensor_content.len > 0 || listed >= (uint64_t)count ||
      listed > INT32_MAX) {
    return 0;
  }
  return (int32_t)listed;
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

// Refuses raw bytes of the wrong size before memory is taken for the right
// one. Strings need a byte each for their lengths.
static berth_code_t content_check(const proto_t *proto, berth_dtype_t dtype,
                                  int64_t count, berth_error_t *err) {
  size_t there = proto->tensor_content.len;
  if (there == 0 || count == 0 || dtype == BERTH_RESOURCE) return BERTH_OK;
  if (dtype == BERTH_STRING) {
    return (uint64_t)count <= there ? BERTH_OK : strings_missing(count, err);
  }
  uint64_t wanted = (uint64_t)count * berth_dtype_size(dtype);
  if (there == wanted) return BERTH_OK;
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "Cannot parse tensor from proto: tensor_content has "
                         "%zu bytes, but %lld elements of %s take %llu",
                         there, (long long)count, berth_dtype_name(dtype),
                         (unsigned long long)wanted);
}

// Makes the tensor that |proto| is to fill, compact where it lists few values.
static berth_code_t tensor_make(const proto_t *proto, berth_dims_t shape,
                                berth_tensor_t **out_tensor,
                                berth_error_t *err) {
  berth_dtype_t dtype = (berth_dtype_t)proto->dtype;
  int64_t count = 0;
  BERTH_TRY(berth_tensor_check(dtype, shape, &count, err));
  BERTH_TRY(content_check(proto, dtype, count, err));
  int32_t listed = compact_listed(proto, dtype, count);
  if (listed > 0) {
    return berth_tensor_make_compact(dtype, shape, count, listed, out_tensor,
                                     err);
  }
  return berth_tensor_make(NULL, dtype, shape.rank, shape.dims, count,
                           out_tensor, err);
}

static berth_code_t tensor_read(const proto_t *proto, berth_arena_t *arena,
                                berth_expansion_t *expansion,
                                berth_tensor_t **out_tensor,
                                berth_error_t *err) {
  BERTH_TRY(dtype_check(proto, err));
  berth_dtype_t dtype = (berth_dtype_t)proto->dtype;
  berth_dims_t shape = {0, NULL};
  BERTH_TRY(shape_read(proto, arena, &shape, err));
  berth_tensor_t *tensor = NULL;
  BERTH_TRY(tensor_make(proto, shape, &tensor, err));
  berth_code_t code = BERTH_OK;
  if (dtype == BERTH_STRING) {
    code = strings_read(proto, tensor, err);
  } else if (dtype != BERTH_RESOURCE) {  // A handle to nothing stays one.
    numbers_read(proto, tensor);
  } else {
    berth_tensor_set_listed(tensor, berth_tensor_is_compact(tensor));
  }
  if (code == BERTH_OK && expansion != NULL &&
      berth_tensor_is_compact(tensor)) {
    code = expansion_count(expansion, tensor, err);
  }
  if (code == BERTH_OK) {
    *out_tensor = tensor;
  } else {
    berth_tensor_release(tensor);
  }
  return code;
}

berth_code_t berth_tensor_from_message(const proto_t *message,
                                       berth_expansion_t *expansion,
                                       berth_tensor_t **out_tensor,
                                       berth_error_t *err) {
  berth_arena_t arena = {0};
  berth_code_t code = tensor_read(message, &arena, expansion, out_tensor, err);
  berth_arena_clear(&arena);
  return code;
}

berth_code_t berth_tensor_from_proto(const void *bytes, size_t size,
                                     berth_tensor_t **out_tensor,
                                     berth_error_t *err) {
  BERTH_GIVEN_LIST(bytes, size, err);
  BERTH_GIVEN(out_tensor, err);
  berth_arena_t arena = {0};
  ProtobufCMessage *message = NULL;
  berth_tensor_t *read = NULL;
  berth_code_t code =
      berth_message_unpack(&berth__wire__tensor_proto__descriptor, bytes, size,
                           &arena, &message, err);
  if (code == BERTH_OK) {
    code = tensor_read((const proto_t *)message, &arena, NULL, &read, err);
  }
  if (code == BERTH_OK) code = berth_tensor_expand(read, out_tensor, err);
  berth_tensor_release(read);
  berth_arena_clear(&arena);
  return code;
}
