// message.h - Messages of protobuf, written field by field.
//
// A field is a key, its number and kind, and a value. Numbers that are zero are
// left out, as protobuf does. Pure functions; thread-safe.
#ifndef BERTH_IO_MESSAGE_H_
#define BERTH_IO_MESSAGE_H_

#include "io/varint.h"

// Kinds of fields.
enum {
  BERTH_FIELD_NUMBER = 0,
  BERTH_FIELD_DOUBLE = 1,
  BERTH_FIELD_BYTES = 2,
  BERTH_FIELD_FLOAT = 5
};

static inline void berth_field_key(berth_str_t *to, int field, int kind) {
  berth_varint_put(to, (uint64_t)(field << 3 | kind));
}

static inline void berth_field_bytes(berth_str_t *to, int field,
                                     const void *bytes, size_t size) {
  berth_field_key(to, field, BERTH_FIELD_BYTES);
  berth_varint_put(to, size);
  berth_str_put(to, bytes, size);
}

// Writes a text, or nothing where it is empty.
static inline void berth_field_text(berth_str_t *to, int field,
                                    const char *text, size_t size) {
  if (size > 0) berth_field_bytes(to, field, text, size);
}

static inline void berth_field_number(berth_str_t *to, int field,
                                      int64_t value) {
  if (value == 0) return;
  berth_field_key(to, field, BERTH_FIELD_NUMBER);
  berth_varint_put(to, (uint64_t)value);
}

static inline void berth_field_double(berth_str_t *to, int field,
                                      double value) {
  if (value == 0) return;
  berth_field_key(to, field, BERTH_FIELD_DOUBLE);
  berth_str_put(to, (const char *)&value, sizeof(value));
}

// Writes a float, also zero: for fields of which one must be there.
static inline void berth_field_float(berth_str_t *to, int field, float value) {
  berth_field_key(to, field, BERTH_FIELD_FLOAT);
  berth_str_put(to, (const char *)&value, sizeof(value));
}

// Writes a message, and empties it.
static inline void berth_field_message(berth_str_t *to, int field,
                                       berth_str_t *inner) {
  if (!berth_str_ok(inner)) to->failed = true;
  berth_field_bytes(to, field, berth_str_get(inner), inner->size);
  berth_str_clear(inner);
}

// Passes one field of |at|; false where the bytes are no field.
bool berth_field_skip(berth_varints_t *at);

// True when the bytes from |at| to |end| are whole fields.
bool berth_fields_are_whole(const void *bytes, size_t size);

#endif  // BERTH_IO_MESSAGE_H_
