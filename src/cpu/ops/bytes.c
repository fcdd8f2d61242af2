// bytes.c - Kernels between tensors and bytes: DecodeRaw, DecodePaddedRaw,
// SerializeTensor, ParseTensor.
#include "cpu/ops/bytes.h"

#include <string.h>

#include "berth/tensor.h"
#include "cpu/kernels.h"
#include "cpu/loops/poll.h"
#include "op/text.h"
#include "tensor/string.h"

// ---- DecodeRaw ----

typedef struct raw {
  berth_dtype_t dtype;
  size_t size;  // Of an element.
  size_t part;  // Of what is turned around: half a complex number.
  bool is_little;
} raw_t;

// Stores how many bytes each text has.
static berth_code_t check_sizes(const raw_t *raw, const berth_tensor_t *texts,
                                size_t *out_size, berth_error_t *err) {
  const berth_string_t *in = texts->data;
  *out_size = 0;
  for (int64_t i = 0; i < texts->count; ++i) {
    size_t size = 0;
    (void)berth_string_get(&in[i], &size);
    if (i == 0) *out_size = size;
    if (size != *out_size) {
      return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                             "DecodeRaw requires input strings to all be the "
                             "same size, but element %lld has size %zu != %zu",
                             (long long)i, *out_size, size);
    }
  }
  if (*out_size % raw->size == 0) return BERTH_OK;
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "Input to DecodeRaw has length %zu that is not a "
                         "multiple of %zu, the size of %s",
                         *out_size, raw->size, berth_dtype_name(raw->dtype));
}

// Copies bytes, each number turned around.
static void copy_turned(char *to, const char *from, size_t size, size_t part) {
  for (size_t i = 0; i < size; i += part) {
    for (size_t k = 0; k < part; ++k) to[i + k] = from[i + part - 1 - k];
  }
}

static void copy_texts(const raw_t *raw, const berth_tensor_t *texts,
                       berth_tensor_t *out) {
  const berth_string_t *in = texts->data;
  char *to = out->data;
  for (int64_t i = 0; i < texts->count; ++i) {
    size_t size = 0;
    const char *text = berth_string_get(&in[i], &size);
    if (raw->is_little || raw->part == 1) {
      memcpy(to, text, size);
    } else {
      copy_turned(to, text, size, raw->part);
    }
    to += size;
  }
}

static berth_code_t run_decode(const void *plan, void *const *args,
                               berth_call_t *call) {
  (void)args;
  const raw_t *raw = plan;
  const berth_tensor_t *texts = call->inputs[0];
  int64_t dims[BERTH_MAX_RANK];
  size_t size = 0;
  BERTH_TRY(check_sizes(raw, texts, &size, call->err));
  for (int32_t i = 0; i < texts->rank; ++i) dims[i] = texts->dims[i];
  dims[texts->rank] = (int64_t)(size / raw->size);
  BERTH_TRY(berth_tensor_make(call->allocator, raw->dtype, texts->rank + 1,
                              dims, texts->count * dims[texts->rank],
                              &call->outputs[0], call->err));
  copy_texts(raw, texts, call->outputs[0]);
  return BERTH_OK;
}

static berth_code_t prepare_decode(berth_prepare_t *prepare,
                                   berth_error_t *err) {
  raw_t *raw = berth_prepare_plan(prepare, sizeof(*raw));
  const berth_node_t *node = prepare->op.node;
  if (raw == NULL) return berth_error_no_memory(err, "a plan");
  BERTH_TRY(berth_op_decode_raw(&prepare->op, err));
  raw->dtype = node->output_types[0];
  raw->size = berth_dtype_size(raw->dtype);
  raw->part = berth_type_in(raw->dtype, BERTH_TYPES_COMPLEX) ? raw->size / 2
                                                             : raw->size;
  raw->is_little = berth_node_attr_bool(node, "little_endian", true);
  prepare->run = run_decode;
  prepare->work = prepare->op.inputs[0].count * 100;
  return BERTH_OK;
}

// ---- DecodePaddedRaw ----

// Each text fills |length| bytes: what is longer is cut, zeros follow what is
// shorter.
static berth_code_t run_padded(const void *plan, void *const *args,
                               berth_call_t *call) {
  (void)args;
  const raw_t *raw = plan;
  const berth_tensor_t *texts = call->inputs[0];
  const berth_string_t *in = texts->data;
  int64_t dims[BERTH_MAX_RANK], length = 0;
  if (call->inputs[1]->rank != 0) {
    char text[BERTH_DIMS_TEXT];
    return berth_error_set(
        call->err, BERTH_INVALID_ARGUMENT, "k must be scalar, got shape %s",
        berth_tensor_dims_text(call->inputs[1], text));
  }
  BERTH_TRY(berth_op_padded_length(call->inputs[1]->data, raw->size, &length,
                                   call->err));
  for (int32_t i = 0; i < texts->rank; ++i) dims[i] = texts->dims[i];
  dims[texts->rank] = length / (int64_t)raw->size;
  BERTH_TRY(berth_tensor_make(call->allocator, raw->dtype, texts->rank + 1,
                              dims, texts->count * dims[texts->rank],
                              &call->outputs[0], call->err));
  char *to = call->outputs[0]->data, number[16];
  for (int64_t i = 0; i < texts->count; ++i, to += length) {
    size_t size = 0, most = (size_t)length;
    const char *text = berth_string_get(&in[i], &size);
    size = size < most ? size : most;
    memcpy(to, text, size);
    memset(to + size, 0, most - size);
    for (size_t k = 0; !raw->is_little && k < most; k += raw->size) {
      memcpy(number, to + k, raw->size);
      copy_turned(to + k, number, raw->size, raw->size);
    }
  }
  return BERTH_OK;
}

static berth_code_t prepare_padded(berth_prepare_t *prepare,
                                   berth_error_t *err) {
  BERTH_TRY(prepare_decode(prepare, err));
  prepare->run = run_padded;
  return BERTH_OK;
}

// ---- SerializeTensor ----

static void put_number(berth_str_t *str, uint64_t value) {
  for (; value >= 128; value >>= 7) berth_str_putc(str, (char)(value | 128));
  berth_str_putc(str, (char)value);
}

// Appends field |number| of a message, which holds bytes.
static void put_bytes(berth_str_t *str, unsigned number, const char *bytes,
                      size_t size) {
  put_number(str, number << 3 | 2);
  put_number(str, size);
  berth_str_put(str, bytes, size);
}

static void put_shape(berth_str_t *str, const berth_tensor_t *tensor) {
  berth_str_t shape = {0}, dim = {0};
  for (int32_t i = 0; i < tensor->rank; ++i) {
    dim.size = 0;
    if (tensor->dims[i] > 0) {
      put_number(&dim, 1 << 3);
      put_number(&dim, (uint64_t)tensor->dims[i]);
    }
    put_bytes(&shape, 2, berth_str_get(&dim), dim.size);
  }
  put_bytes(str, 2, berth_str_get(&shape), shape.size);
  str->failed = str->failed || !berth_str_ok(&shape) || !berth_str_ok(&dim);
  berth_str_clear(&shape);
  berth_str_clear(&dim);
}

// Appends strings as they lie: the lengths of all, then their bytes.
static void put_content(berth_str_t *str, const berth_tensor_t *tensor) {
  const berth_string_t *texts = tensor->data;
  berth_str_t bytes = {0};
  size_t size = 0;
  for (int64_t i = 0; i < tensor->count; ++i) {
    (void)berth_string_get(&texts[i], &size);
    put_number(&bytes, size);
  }
  for (int64_t i = 0; i < tensor->count; ++i) {
    const char *text = berth_string_get(&texts[i], &size);
    berth_str_put(&bytes, text, size);
  }
  put_bytes(str, 4, berth_str_get(&bytes), bytes.size);
  str->failed = str->failed || !berth_str_ok(&bytes);
  berth_str_clear(&bytes);
}

void berth_cpu_put_tensor(berth_str_t *str, const berth_tensor_t *tensor,
                          bool is_content) {
  put_number(str, 1 << 3);
  put_number(str, (uint64_t)tensor->dtype);
  put_shape(str, tensor);
  if (tensor->count == 0) return;
  if (tensor->dtype != BERTH_STRING) {
    put_bytes(str, 4, tensor->data, tensor->size);
    return;
  }
  if (is_content) {
    put_content(str, tensor);
    return;
  }
  for (int64_t i = 0; i < tensor->count; ++i) {
    size_t size = 0;
    const char *text =
        berth_string_get((const berth_string_t *)tensor->data + i, &size);
    put_bytes(str, 8, text, size);
  }
}

static berth_code_t run_serialize(const void *plan, void *const *args,
                                  berth_call_t *call) {
  (void)plan;
  (void)args;
  berth_str_t str = {0};
  berth_tensor_t *out = NULL;
  BERTH_TRY(berth_tensor_make(call->allocator, BERTH_STRING, 0, NULL, 1, &out,
                              call->err));
  // The way TensorFlow's op does.
  berth_cpu_put_tensor(&str, call->inputs[0], false);
  bool ok = berth_str_ok(&str) &&
            berth_string_set(out->data, berth_str_get(&str), str.size);
  berth_str_clear(&str);
  if (ok) {
    call->outputs[0] = out;
    return BERTH_OK;
  }
  berth_tensor_release(out);
  return berth_error_no_memory(call->err, "a message");
}

static berth_code_t prepare_serialize(berth_prepare_t *prepare,
                                      berth_error_t *err) {
  BERTH_TRY(berth_op_serialize_tensor(&prepare->op, err));
  prepare->run = run_serialize;
  prepare->work = prepare->op.inputs[0].count;
  return BERTH_OK;
}

// ---- ParseTensor ----

// Appends |size| bytes in letters, as messages about them do.
static void put_letters(berth_str_t *str, const unsigned char *bytes,
                        size_t size) {
  static const char letters[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (size_t i = 0; i < size; i += 3) {
    uint32_t bits = (uint32_t)bytes[i] << 16;
    if (i + 1 < size) bits |= (uint32_t)bytes[i + 1] << 8;
    if (i + 2 < size) bits |= bytes[i + 2];
    for (size_t k = 0; k < 4; ++k) {
      berth_str_putc(str,
                     i + k <= size ? letters[bits >> (18 - 6 * k) & 63] : '=');
    }
  }
}

static berth_code_t fail_parse(const char *bytes, size_t size,
                               berth_error_t *err) {
  berth_str_t str = {0};
  put_letters(&str, (const unsigned char *)bytes, size);
  (void)berth_error_set(err, BERTH_INVALID_ARGUMENT,
                        "Could not parse `serialized` as TensorProto, base64: "
                        "%s",
                        berth_str_get(&str));
  berth_str_clear(&str);
  return BERTH_INVALID_ARGUMENT;
}

static berth_code_t run_parse(const void *plan, void *const *args,
                              berth_call_t *call) {
  (void)plan;
  (void)args;
  size_t size = 0;
  const char *bytes = berth_string_get(call->inputs[0]->data, &size);
  berth_dtype_t wanted = call->node->output_types[0];
  berth_tensor_t *tensor = NULL;
  berth_code_t code = berth_tensor_from_proto(bytes, size, &tensor, call->err);
  if (code == BERTH_DATA_LOSS ||
      (code == BERTH_INVALID_ARGUMENT && tensor == NULL && size > 0)) {
    if (call->err != NULL) berth_error_clear(call->err);
    return fail_parse(bytes, size, call->err);
  }
  if (code != BERTH_OK) return code;
  if (tensor->dtype == wanted) {
    call->outputs[0] = tensor;
    return BERTH_OK;
  }
  code = berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                         "Type mismatch between parsed tensor (%s) and dtype "
                         "(%s)",
                         berth_dtype_name(tensor->dtype),
                         berth_dtype_name(wanted));
  berth_tensor_release(tensor);
  return code;
}

static berth_code_t prepare_parse(berth_prepare_t *prepare,
                                  berth_error_t *err) {
  BERTH_TRY(berth_op_parse_tensor(&prepare->op, err));
  prepare->run = run_parse;
  prepare->work = 1000;
  return BERTH_OK;
}

#define RAW (BERTH_TYPES_BASIC & ~(BERTH_TYPE(UINT32) | BERTH_TYPE(UINT64)))

#define PADDED                                                   \
  (BERTH_TYPES_INDEX | BERTH_TYPE(FLOAT) | BERTH_TYPE(DOUBLE) |  \
   BERTH_TYPE(BFLOAT16) | BERTH_TYPE(INT8) | BERTH_TYPE(INT16) | \
   BERTH_TYPE(UINT8) | BERTH_TYPE(UINT16))

const berth_kernel_t berth_cpu_bytes_kernels[] = {
    {.op = "DecodePaddedRaw",
     .types = {{"out_type", PADDED}},
     .prepare = prepare_padded},
    {.op = "DecodeRaw",
     .types = {{"out_type", RAW}},
     .prepare = prepare_decode},
    {.op = "ParseTensor", .prepare = prepare_parse},
    {.op = "SerializeTensor",
     .types = {{"T", BERTH_TYPES_BASIC | BERTH_TYPE(STRING)}},
     .prepare = prepare_serialize},
    {.op = NULL},
};
