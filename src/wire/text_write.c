// text_write.c - Writes messages in protobuf's text format.
#include <inttypes.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "wire/message.h"
#include "wire/scan.h"
#include "wire/text.h"

typedef const ProtobufCFieldDescriptor field_t;

// A message being written: the next thing to print is element |element| of
// field |field|.
typedef struct frame {
  const ProtobufCMessage *message;
  unsigned field;
  size_t element;
} frame_t;

typedef struct writer {
  berth_str_t *str;
  int depth;  // Of the top frame.
  frame_t frames[BERTH_WIRE_MAX_DEPTH + 1];
} writer_t;

static void put_indent(const writer_t *writer) {
  for (int i = 0; i < writer->depth; ++i) berth_str_puts(writer->str, "  ");
}

// ---- Scalars ----

// Finds the fewest digits from |precision| on that read back as |value|.
static void shortest(char *text, size_t size, double value, int precision,
                     bool is_f32) {
  for (; precision <= 17; ++precision) {
    snprintf(text, size, "%.*e", precision - 1, value);
    double back = strtod(text, NULL);
    if (is_f32 ? (float)back == (float)value : back == value) return;
  }
}

// Writes the digits |d.ddd| with exponent |exponent| as Python's repr() does:
// without an exponent from 1e-4 up to 1e16.
static void put_digits(berth_str_t *str, const char *digits, int count,
                       int exponent) {
  if (exponent < -4 || exponent >= 16) {
    berth_str_putc(str, digits[0]);
    if (count > 1) berth_str_printf(str, ".%.*s", count - 1, digits + 1);
    berth_str_printf(str, "e%c%02d", exponent < 0 ? '-' : '+', abs(exponent));
    return;
  }
  if (exponent < 0) {
    berth_str_puts(str, "0.");
    for (int i = -1; i > exponent; --i) berth_str_putc(str, '0');
    berth_str_put(str, digits, (size_t)count);
    return;
  }
  for (int i = 0; i <= exponent; ++i) {
    berth_str_putc(str, i < count ? digits[i] : '0');
  }
  berth_str_putc(str, '.');
  if (count <= exponent + 1) {
    berth_str_putc(str, '0');
  } else {
    berth_str_put(str, digits + exponent + 1, (size_t)(count - exponent - 1));
  }
}

void berth_text_put_float(berth_str_t *str, double value, bool is_f32) {
  if (isnan(value)) {
    berth_str_puts(str, "nan");
    return;
  }
  if (signbit(value)) berth_str_putc(str, '-');
  if (isinf(value)) {
    berth_str_puts(str, "inf");
    return;
  }
  char text[32];
  // Python rounds a float to six digits first and goes up from there.
  shortest(text, sizeof text, fabs(value), is_f32 ? 6 : 1, is_f32);
  char *e = strchr(text, 'e');
  int exponent = (int)strtol(e + 1, NULL, 10);
  char digits[20];
  int count = 0;
  for (const char *c = text; c < e; ++c) {
    if (*c != '.') digits[count++] = *c;
  }
  while (count > 1 && digits[count - 1] == '0') --count;
  put_digits(str, digits, count, exponent);
}

// Writes |text| in quotes. Text that is UTF-8 stays as it is; bytes above 126
// are written in octal.
static void put_string(berth_str_t *str, const char *text, size_t size,
                       bool is_bytes) {
  static const char special[] = "\n\r\t\"'\\";
  static const char letters[] = "nrt\"'\\";
  berth_str_putc(str, '"');
  for (size_t i = 0; i < size; ++i) {
    unsigned char c = (unsigned char)text[i];
    const char *found = c != 0 ? strchr(special, c) : NULL;
    if (found != NULL) {
      berth_str_putc(str, '\\');
      berth_str_putc(str, letters[found - special]);
    } else if (c < 32 || c == 127 || (is_bytes && c > 127)) {
      char octal[5] = {'\\', (char)('0' + (c >> 6)), (char)('0' + (c >> 3 & 7)),
                       (char)('0' + (c & 7)), 0};
      berth_str_put(str, octal, 4);
    } else {
      berth_str_putc(str, (char)c);
    }
  }
  berth_str_putc(str, '"');
}

static void put_enum(berth_str_t *str, field_t *field, int32_t value) {
  const ProtobufCEnumValue *known =
      protobuf_c_enum_descriptor_get_value(field->descriptor, value);
  if (known != NULL) {
    berth_str_puts(str, known->name);
  } else {
    berth_str_printf(str, "%" PRId32, value);
  }
}

// Writes the scalar at |slot|.
static void put_scalar(berth_str_t *str, field_t *field, const void *slot) {
  switch (field->type) {
    case PROTOBUF_C_TYPE_INT64:
    case PROTOBUF_C_TYPE_SINT64:
    case PROTOBUF_C_TYPE_SFIXED64:
      berth_str_printf(str, "%" PRId64, *(const int64_t *)slot);
      break;
    case PROTOBUF_C_TYPE_UINT64:
    case PROTOBUF_C_TYPE_FIXED64:
      berth_str_printf(str, "%" PRIu64, *(const uint64_t *)slot);
      break;
    case PROTOBUF_C_TYPE_UINT32:
    case PROTOBUF_C_TYPE_FIXED32:
      berth_str_printf(str, "%" PRIu32, *(const uint32_t *)slot);
      break;
    case PROTOBUF_C_TYPE_FLOAT:
      berth_text_put_float(str, (double)*(const float *)slot, true);
      break;
    case PROTOBUF_C_TYPE_DOUBLE:
      berth_text_put_float(str, *(const double *)slot, false);
      break;
    case PROTOBUF_C_TYPE_BOOL:
      berth_str_puts(str, *(const protobuf_c_boolean *)slot ? "true" : "false");
      break;
    case PROTOBUF_C_TYPE_ENUM:
      put_enum(str, field, *(const int32_t *)slot);
      break;
    case PROTOBUF_C_TYPE_STRING: {
      const char *text = *(char *const *)slot;
      put_string(str, text, strlen(text), false);
      break;
    }
    case PROTOBUF_C_TYPE_BYTES: {
      const ProtobufCBinaryData *bytes = slot;
      put_string(str, (const char *)bytes->data, bytes->len, true);
      break;
    }
    default:
      berth_str_printf(str, "%" PRId32, *(const int32_t *)slot);
  }
}

// ---- Members ----

// True when the singular |field| at |slot| has a value worth writing: proto3
// writes no zeros and no empty texts.
static bool singular_is_set(field_t *field, const void *slot) {
  switch (field->type) {
    case PROTOBUF_C_TYPE_MESSAGE:
      return *(void *const *)slot != NULL;
    case PROTOBUF_C_TYPE_STRING: {
      const char *text = *(char *const *)slot;
      return text != NULL && text[0] != '\0';
    }
    case PROTOBUF_C_TYPE_BYTES:
      return ((const ProtobufCBinaryData *)slot)->len > 0;
    default: {
      static const char zero[8] = {0};
      return memcmp(slot, zero, berth_message_element_size(field->type)) != 0;
    }
  }
}

// Returns how many values |field| of |message| has.
static size_t value_count(const ProtobufCMessage *message, field_t *field) {
  const char *base = (const char *)message;
  if (field->label == PROTOBUF_C_LABEL_REPEATED) {
    return *(const size_t *)(base + field->quantifier_offset);
  }
  if ((field->flags & PROTOBUF_C_FIELD_FLAG_ONEOF) != 0) {
    return *(const uint32_t *)(base + field->quantifier_offset) == field->id;
  }
  return singular_is_set(field, base + field->offset);
}

static const void *value_at(const ProtobufCMessage *message, field_t *field,
                            size_t element) {
  const char *slot = (const char *)message + field->offset;
  if (field->label != PROTOBUF_C_LABEL_REPEATED) return slot;
  return *(char *const *)slot +
         element * berth_message_element_size(field->type);
}

// Writes one value; a message is opened and goes on as a frame of its own.
static berth_code_t value_write(writer_t *writer, field_t *field,
                                const void *slot, berth_error_t *err) {
  put_indent(writer);
  berth_str_puts(writer->str, field->name);
  if (field->type != PROTOBUF_C_TYPE_MESSAGE) {
    berth_str_puts(writer->str, ": ");
    put_scalar(writer->str, field, slot);
    berth_str_putc(writer->str, '\n');
    return BERTH_OK;
  }
  if (writer->depth == BERTH_WIRE_MAX_DEPTH) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "%s is nested more than %d levels deep", field->name,
                           BERTH_WIRE_MAX_DEPTH);
  }
  berth_str_puts(writer->str, " {\n");
  writer->frames[++writer->depth] =
      (frame_t){.message = *(ProtobufCMessage *const *)slot};
  return BERTH_OK;
}

// Closes the top message.
static void message_close(writer_t *writer) {
  --writer->depth;
  put_indent(writer);
  berth_str_puts(writer->str, "}\n");
}

berth_code_t berth_message_to_text(const ProtobufCMessage *message,
                                   berth_str_t *str, berth_error_t *err) {
  writer_t writer = {.str = str};
  writer.frames[0] = (frame_t){.message = message};
  for (;;) {
    frame_t *frame = &writer.frames[writer.depth];
    const ProtobufCMessageDescriptor *type = frame->message->descriptor;
    if (frame->field == type->n_fields) {
      if (writer.depth == 0) break;
      message_close(&writer);
      continue;
    }
    field_t *field = &type->fields[frame->field];
    if (frame->element == value_count(frame->message, field)) {
      ++frame->field;
      frame->element = 0;
      continue;
    }
    const void *slot = value_at(frame->message, field, frame->element++);
    BERTH_TRY(value_write(&writer, field, slot, err));
  }
  return berth_str_ok(str) ? BERTH_OK : berth_error_no_memory(err, "a text");
}
