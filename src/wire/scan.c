// scan.c - Checks untrusted bytes before protobuf-c reads them.
#include "wire/scan.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

// protobuf-c joins a singular message that occurs again with the one before by
// copying its lists. Concatenated files make a few such, an attacker millions.
enum { MAX_MERGES = 16 };

enum { MAX_TAG_BYTES = 5, MAX_VARINT_BYTES = 10 };

enum { WIRE_VARINT = 0, WIRE_64 = 1, WIRE_BYTES = 2, WIRE_32 = 5 };

typedef struct frame {
  const ProtobufCMessageDescriptor *type;
  const uint8_t *end;
  uint64_t seen;  // Bit per field: singular messages that have occurred.
} frame_t;

typedef struct scan {
  const uint8_t *begin;
  const uint8_t *next;
  int depth;  // Of the top frame.
  int merge_count;
  frame_t frames[BERTH_WIRE_MAX_DEPTH + 1];
} scan_t;

static long long offset_of(const scan_t *scan, const uint8_t *at) {
  return (long long)(at - scan->begin);
}

// Reads a varint of at most |max_bytes|; 0 bytes read means malformed.
static int varint_read(const uint8_t *at, const uint8_t *end, int max_bytes,
                       uint64_t *out_value) {
  uint64_t value = 0;
  for (int i = 0; i < max_bytes && at + i < end; ++i) {
    value |= (uint64_t)(at[i] & 0x7f) << (7 * i);
    if (at[i] < 0x80) {
      *out_value = value;
      return i + 1;
    }
  }
  return 0;
}

// Returns the wire type a lone value of |type| has.
static int wire_type_of(ProtobufCType type) {
  switch (type) {
    case PROTOBUF_C_TYPE_SFIXED32:
    case PROTOBUF_C_TYPE_FIXED32:
    case PROTOBUF_C_TYPE_FLOAT:
      return WIRE_32;
    case PROTOBUF_C_TYPE_SFIXED64:
    case PROTOBUF_C_TYPE_FIXED64:
    case PROTOBUF_C_TYPE_DOUBLE:
      return WIRE_64;
    case PROTOBUF_C_TYPE_STRING:
    case PROTOBUF_C_TYPE_BYTES:
    case PROTOBUF_C_TYPE_MESSAGE:
      return WIRE_BYTES;
    default:
      return WIRE_VARINT;
  }
}

// Describes a failure at |at| in the field |field| (NULL: unknown, or none).
static berth_code_t fail(const scan_t *scan, berth_code_t code,
                         const ProtobufCFieldDescriptor *field,
                         const uint8_t *at, const char *what,
                         berth_error_t *err) {
  const char *message = scan->frames[scan->depth].type->short_name;
  return berth_error_set(
      err, code, "Invalid %s: %s%s%s at byte %lld: %s",
      scan->frames[0].type->short_name, message, field != NULL ? "." : "",
      field != NULL ? field->name : "", offset_of(scan, at), what);
}

// Reads a tag and stores number and wire type.
static berth_code_t tag_read(scan_t *scan, uint32_t *out_number, int *out_wire,
                             berth_error_t *err) {
  const uint8_t *end = scan->frames[scan->depth].end;
  uint64_t tag = 0;
  int used = varint_read(scan->next, end, MAX_TAG_BYTES, &tag);
  if (used == 0) {
    bool is_short = end - scan->next < MAX_TAG_BYTES;
    return fail(scan, is_short ? BERTH_DATA_LOSS : BERTH_INVALID_ARGUMENT, NULL,
                scan->next, is_short ? "a tag ends early" : "a tag is too long",
                err);
  }
  if (tag >> 3 == 0 || tag > UINT32_MAX) {
    return fail(scan, BERTH_INVALID_ARGUMENT, NULL, scan->next,
                "no field can have this number", err);
  }
  scan->next += used;
  *out_number = (uint32_t)(tag >> 3);
  *out_wire = (int)(tag & 7);
  return BERTH_OK;
}

// Checks the elements of a packed field.
static berth_code_t packed_check(const scan_t *scan,
                                 const ProtobufCFieldDescriptor *field,
                                 const uint8_t *at, const uint8_t *end,
                                 berth_error_t *err) {
  int wire = wire_type_of(field->type);
  if (wire != WIRE_VARINT) {
    ptrdiff_t size = wire == WIRE_32 ? 4 : 8;
    if ((end - at) % size == 0) return BERTH_OK;
    return fail(scan, BERTH_DATA_LOSS, field, at,
                "the packed values do not fill their bytes", err);
  }
  while (at < end) {
    uint64_t ignored = 0;
    int used = varint_read(at, end, MAX_VARINT_BYTES, &ignored);
    if (used == 0) {
      return fail(scan, BERTH_DATA_LOSS, field, at,
                  "a packed number does not end", err);
    }
    at += used;
  }
  return BERTH_OK;
}

// Goes one level down into the message of |size| bytes at the cursor.
static berth_code_t message_enter(scan_t *scan,
                                  const ProtobufCFieldDescriptor *field,
                                  size_t size, berth_error_t *err) {
  frame_t *frame = &scan->frames[scan->depth];
  if (field->label != PROTOBUF_C_LABEL_REPEATED) {
    size_t index = (size_t)(field - frame->type->fields) % 64;
    uint64_t bit = UINT64_C(1) << index;
    if ((frame->seen & bit) != 0 && ++scan->merge_count > MAX_MERGES) {
      return fail(scan, BERTH_INVALID_ARGUMENT, field, scan->next,
                  "a field that is there once comes again and again", err);
    }
    frame->seen |= bit;
  }
  if (scan->depth == BERTH_WIRE_MAX_DEPTH) {
    return fail(scan, BERTH_INVALID_ARGUMENT, field, scan->next,
                "messages are nested more than 100 levels deep", err);
  }
  scan->frames[++scan->depth] =
      (frame_t){field->descriptor, scan->next + size, 0};
  return BERTH_OK;
}

// Checks |size| bytes at the cursor as the contents of |field|.
static berth_code_t contents_check(scan_t *scan,
                                   const ProtobufCFieldDescriptor *field,
                                   size_t size, berth_error_t *err) {
  if (field != NULL && field->type == PROTOBUF_C_TYPE_MESSAGE) {
    return message_enter(scan, field, size, err);
  }
  if (field != NULL && field->type == PROTOBUF_C_TYPE_STRING && size > 0 &&
      memchr(scan->next, 0, size) != NULL) {
    return fail(scan, BERTH_INVALID_ARGUMENT, field, scan->next,
                "a text holds a NUL byte", err);
  }
  if (field != NULL && wire_type_of(field->type) != WIRE_BYTES) {
    BERTH_TRY(packed_check(scan, field, scan->next, scan->next + size, err));
  }
  scan->next += size;
  return BERTH_OK;
}

// Reads the length at the cursor and what it covers.
static berth_code_t bytes_check(scan_t *scan,
                                const ProtobufCFieldDescriptor *field,
                                berth_error_t *err) {
  const uint8_t *end = scan->frames[scan->depth].end;
  uint64_t size = 0;
  int used = varint_read(scan->next, end, MAX_TAG_BYTES, &size);
  if (used == 0) {
    return fail(scan, BERTH_DATA_LOSS, field, scan->next,
                "a length does not end", err);
  }
  if (size > (uint64_t)(end - scan->next - used)) {
    return fail(scan, BERTH_DATA_LOSS, field, scan->next,
                "a length goes beyond the end of its message", err);
  }
  scan->next += used;
  return contents_check(scan, field, (size_t)size, err);
}

// Steps over a number of |wire| type.
static berth_code_t number_check(scan_t *scan,
                                 const ProtobufCFieldDescriptor *field,
                                 int wire, berth_error_t *err) {
  const uint8_t *end = scan->frames[scan->depth].end;
  uint64_t ignored = 0;
  int used = wire == WIRE_32 ? 4
             : wire == WIRE_64
                 ? 8
                 : varint_read(scan->next, end, MAX_VARINT_BYTES, &ignored);
  if (used == 0 || end - scan->next < used) {
    return fail(scan, BERTH_DATA_LOSS, field, scan->next,
                "a number does not end", err);
  }
  scan->next += used;
  return BERTH_OK;
}

// Checks one field at the cursor.
static berth_code_t field_check(scan_t *scan, berth_error_t *err) {
  const uint8_t *at = scan->next;
  uint32_t number = 0;
  int wire = 0;
  BERTH_TRY(tag_read(scan, &number, &wire, err));
  const ProtobufCFieldDescriptor *field =
      protobuf_c_message_descriptor_get_field(scan->frames[scan->depth].type,
                                              number);
  if (wire != WIRE_VARINT && wire != WIRE_64 && wire != WIRE_BYTES &&
      wire != WIRE_32) {
    return fail(scan, BERTH_INVALID_ARGUMENT, field, at,
                "groups and unknown wire types are not read", err);
  }
  if (field != NULL && wire != wire_type_of(field->type) &&
      !(wire == WIRE_BYTES && field->label == PROTOBUF_C_LABEL_REPEATED)) {
    return fail(scan, BERTH_INVALID_ARGUMENT, field, at,
                "the field has another type", err);
  }
  return wire == WIRE_BYTES ? bytes_check(scan, field, err)
                            : number_check(scan, field, wire, err);
}

berth_code_t berth_wire_scan(const ProtobufCMessageDescriptor *type,
                             const void *bytes, size_t size,
                             berth_error_t *err) {
  if (size > INT32_MAX) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Invalid %s: %zu bytes; a message has at most 2 GiB",
                           type->short_name, size);
  }
  scan_t scan;
  // Only the frames in use are ever looked at.
  scan.begin = scan.next = size > 0 ? bytes : (const void *)"";
  scan.depth = 0;
  scan.merge_count = 0;
  scan.frames[0] = (frame_t){type, scan.begin + size, 0};
  for (;;) {
    while (scan.next == scan.frames[scan.depth].end) {
      if (scan.depth == 0) return BERTH_OK;
      --scan.depth;
    }
    BERTH_TRY(field_check(&scan, err));
  }
}
