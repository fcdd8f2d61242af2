// import_bytes.c - GraphDefs from bytes, with long contents where they lie.
//
// Unpacking a message copies it. Most bytes of a large graph are contents of
// constants, which are copied once more into tensors. So a thin GraphDef is
// written first, without them, and is what is unpacked; its constants then
// point into the bytes that were given.
//
//   GraphDef.node[i] -> attr[k] -> value -> tensor -> tensor_content
//
// A message whose parts come in pieces, as they may though nobody writes them
// so, is unpacked as it is.
#include <string.h>

#include "base/str.h"
#include "graph/import_internal.h"
#include "wire/message.h"
#include "wire/scan.h"

enum {
  LEAST_CONTENT = 4096,  // Shorter ones are copied.
  LENGTH_BYTES = 5,      // Of a length that is written before it is known.
  LEVELS = 5,
  NODE = 0,  // Levels whose parts are lists;
  ATTR = 1,  // further in a part is there once.
  LAST = LEVELS - 1,
  VARINT = 0,  // Types of fields.
  EIGHT = 1,
  BYTES = 2,
  FOUR = 5,
};

// The fields that lead to a content.
static const uint64_t path[LEVELS] = {1, 5, 2, 8, 4};

typedef struct content {
  size_t places[2];  // Of the node, and of its attribute.
  const uint8_t *data;
  size_t size;
} content_t;

typedef struct thin {
  berth_str_t bytes;
  berth_arena_t *arena;
  content_t *contents;
  size_t count, room;
  size_t places[2];  // Of the next node and attribute.
} thin_t;

// A field of a message: its head, then |size| bytes.
typedef struct field {
  uint64_t number, type;
  const uint8_t *begin, *data;
  size_t size;
} field_t;

static bool varint_read(const uint8_t **at, const uint8_t *end,
                        uint64_t *out_value) {
  uint64_t value = 0;
  for (int shift = 0; shift < 64 && *at < end; shift += 7) {
    uint8_t byte = *(*at)++;
    value |= (uint64_t)(byte & 0x7f) << shift;
    *out_value = value;
    if (byte < 0x80) return true;
  }
  return false;
}

// Reads the field at |*at|; false for what this file does not know.
static bool field_read(const uint8_t **at, const uint8_t *end, field_t *out) {
  uint64_t head = 0, size = 0;
  out->begin = *at;
  if (!varint_read(at, end, &head)) return false;
  out->number = head >> 3;
  out->type = head & 7;
  out->data = *at;
  if (out->type == VARINT) {
    if (!varint_read(at, end, &size)) return false;
    size = 0;
  } else if (out->type == BYTES) {
    if (!varint_read(at, end, &size)) return false;
    out->data = *at;
  } else {
    size = out->type == EIGHT ? 8 : 4;
    if (out->type != EIGHT && out->type != FOUR) return false;
  }
  if (size > (uint64_t)(end - *at)) return false;
  *at += size;
  out->size = (size_t)size;
  return true;
}

static void bytes_put(thin_t *thin, const uint8_t *begin, const uint8_t *end) {
  berth_str_put(&thin->bytes, (const char *)begin, (size_t)(end - begin));
}

static bool content_add(thin_t *thin, const field_t *field) {
  if (thin->count == thin->room) {
    size_t room = 2 * thin->room + 16;
    content_t *more = berth_arena_alloc(thin->arena, room * sizeof(*more));
    if (more == NULL) return false;
    if (thin->count > 0) {
      memcpy(more, thin->contents, thin->count * sizeof(*more));
    }
    thin->contents = more;
    thin->room = room;
  }
  // Both are counted before what is in them is looked at.
  thin->contents[thin->count++] =
      (content_t){{thin->places[NODE] - 1, thin->places[ATTR] - 1},
                  field->data,
                  field->size};
  return true;
}

// Writes |size| where LENGTH_BYTES were left for it, |at| bytes from the start.
static void length_set(thin_t *thin, size_t at, size_t size) {
  if (!berth_str_ok(&thin->bytes)) return;
  uint8_t *to = (uint8_t *)thin->bytes.text + at;
  for (int i = 0; i < LENGTH_BYTES; ++i, size >>= 7) {
    to[i] = (uint8_t)((size & 0x7f) | (i < LENGTH_BYTES - 1 ? 0x80 : 0));
  }
}

static bool message_thin(thin_t *thin, const field_t *message, int level);

// Writes a field that leads to contents, or to none.
static bool field_thin(thin_t *thin, const field_t *field, int level) {
  static const uint8_t later[LENGTH_BYTES];
  if (level <= ATTR) ++thin->places[level];
  if (level == NODE) thin->places[ATTR] = 0;
  if (level == LAST && field->size >= LEAST_CONTENT) {
    return content_add(thin, field);
  }
  if (level == LAST) {
    bytes_put(thin, field->begin, field->data + field->size);
    return true;
  }
  berth_str_putc(&thin->bytes, (char)(path[level] << 3 | BYTES));
  size_t at = thin->bytes.size;
  bytes_put(thin, later, later + LENGTH_BYTES);
  if (!message_thin(thin, field, level + 1)) return false;
  length_set(thin, at, thin->bytes.size - at - LENGTH_BYTES);
  return true;
}

// Writes |message| without long contents. As deep as |path| is long.
static bool message_thin(thin_t *thin, const field_t *message, int level) {
  const uint8_t *at = message->data, *end = at + message->size;
  int seen = 0;
  while (at < end) {
    field_t field;
    if (!field_read(&at, end, &field)) return false;
    if (field.number != path[level] || field.type != BYTES) {
      bytes_put(thin, field.begin, at);
    } else if ((level > ATTR && ++seen > 1) ||
               !field_thin(thin, &field, level)) {
      return false;
    }
  }
  return true;
}

// Has the constants of |def| point to their contents.
static void contents_set(const thin_t *thin, Berth__Wire__GraphDef *def) {
  for (size_t i = 0; i < thin->count; ++i) {
    const content_t *content = &thin->contents[i];
    Berth__Wire__AttrValue *value =
        def->node[content->places[NODE]]->attr[content->places[ATTR]]->value;
    // A value of another kind may have come behind it.
    if (value->value_case != BERTH__WIRE__ATTR_VALUE__VALUE_TENSOR) continue;
    value->tensor->tensor_content = (ProtobufCBinaryData){
        content->size, (uint8_t *)(uintptr_t)content->data};
  }
}

berth_code_t berth_import_unpack(const void *bytes, size_t size,
                                 berth_arena_t *arena,
                                 Berth__Wire__GraphDef **out_def,
                                 bool *out_borrows, berth_error_t *err) {
  const ProtobufCMessageDescriptor *type = &berth__wire__graph_def__descriptor;
  ProtobufCMessage *message = NULL;
  // What is left out has to be well-formed too.
  BERTH_TRY(berth_wire_scan(type, bytes, size, err));
  thin_t thin = {.arena = arena};
  field_t whole = {.data = bytes, .size = size};
  bool is_thin = size >= LEAST_CONTENT && message_thin(&thin, &whole, NODE) &&
                 thin.count > 0 && berth_str_ok(&thin.bytes);
  if (is_thin) {
    bytes = thin.bytes.text;
    size = thin.bytes.size;
  }
  berth_code_t code =
      berth_message_unpack(type, bytes, size, arena, &message, err);
  berth_str_clear(&thin.bytes);
  BERTH_TRY(code);
  *out_def = (Berth__Wire__GraphDef *)message;
  *out_borrows = is_thin;
  if (is_thin) contents_set(&thin, *out_def);
  return BERTH_OK;
}
