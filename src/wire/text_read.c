// text_read.c - Reads messages in protobuf's text format.
//
// One loop over the tokens, with a stack of the messages that are open:
//
//   field  :=  name ":" scalar  |  name ":" "[" scalar "," ... "]"
//           |  name [":"] open  |  name [":"] "[" open "," ... "]"
//   open   :=  "{" field* "}"   |  "<" field* ">"
//
// A list of messages stays open in its parent's frame while its elements are
// read, one after the other, as frames above it.
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "wire/message.h"
#include "wire/scan.h"
#include "wire/text.h"
#include "wire/text_lex.h"

typedef const ProtobufCFieldDescriptor field_t;

enum { MAX_FIELDS = 128, MIN_ELEMENTS = 4 };

typedef struct frame {
  ProtobufCMessage *message;
  char close;     // "}" or ">"; NUL for the outermost.
  field_t *list;  // The list of messages that is open here, or NULL.
  uint64_t seen[MAX_FIELDS / 64];  // Bit per field that has occurred.
} frame_t;

typedef struct reader {
  berth_lexer_t lexer;
  berth_arena_t *arena;
  berth_str_t scratch;  // A string being put together.
  int depth;            // Of the top frame.
  frame_t frames[BERTH_WIRE_MAX_DEPTH + 1];
} reader_t;

// Returns the message's name as TensorFlow has it.
static const char *type_name(const ProtobufCMessageDescriptor *type) {
  return type->name + strlen(type->package_name) + 1;
}

static void *member(ProtobufCMessage *message, unsigned offset) {
  return (char *)message + offset;
}

// ---- Scalars ----

static bool is_unsigned(ProtobufCType type) {
  return type == PROTOBUF_C_TYPE_UINT32 || type == PROTOBUF_C_TYPE_FIXED32 ||
         type == PROTOBUF_C_TYPE_UINT64 || type == PROTOBUF_C_TYPE_FIXED64;
}

static berth_code_t int_read(reader_t *reader, field_t *field, bool is_negative,
                             void *slot, berth_error_t *err) {
  bool is_wide = berth_message_element_size(field->type) == sizeof(int64_t);
  int64_t min = is_wide ? INT64_MIN : INT32_MIN;
  uint64_t max = is_wide ? INT64_MAX : INT32_MAX;
  if (is_unsigned(field->type)) {
    min = 0;
    max = is_wide ? UINT64_MAX : UINT32_MAX;
  }
  uint64_t bits = 0;
  BERTH_TRY(berth_lexer_int(&reader->lexer, is_negative, min, max, &bits, err));
  if (is_wide) {
    *(uint64_t *)slot = bits;
  } else {
    *(uint32_t *)slot = (uint32_t)bits;
  }
  return BERTH_OK;
}

static berth_code_t enum_read(reader_t *reader, field_t *field,
                              bool is_negative, void *slot,
                              berth_error_t *err) {
  berth_lexer_t *lexer = &reader->lexer;
  if (lexer->kind != BERTH_TOKEN_WORD || is_negative) {
    return int_read(reader, field, is_negative, slot, err);
  }
  const ProtobufCEnumDescriptor *type = field->descriptor;
  char name[64] = {0};
  if (lexer->size < sizeof name) memcpy(name, lexer->text, lexer->size);
  const ProtobufCEnumValue *value =
      protobuf_c_enum_descriptor_get_value_by_name(type, name);
  if (value == NULL) {
    return berth_lexer_fail(lexer, err,
                            "Enum type \"tensorflow.%s\" has no value named "
                            "%s.",
                            type->name + strlen(type->package_name) + 1, name);
  }
  *(int32_t *)slot = value->value;
  return BERTH_OK;
}

static berth_code_t bool_read(reader_t *reader, void *slot,
                              berth_error_t *err) {
  static const struct {
    const char *text;
    bool value;
  } words[] = {{"true", true},   {"True", true},   {"t", true},  {"1", true},
               {"false", false}, {"False", false}, {"f", false}, {"0", false}};
  const berth_lexer_t *lexer = &reader->lexer;
  for (size_t i = 0; i < sizeof words / sizeof words[0]; ++i) {
    if (lexer->size == strlen(words[i].text) &&
        memcmp(lexer->text, words[i].text, lexer->size) == 0) {
      *(protobuf_c_boolean *)slot = words[i].value;
      return BERTH_OK;
    }
  }
  return berth_lexer_fail(lexer, err, "Expected \"true\" or \"false\".");
}

// Reads adjacent strings as one. Leaves the last of them as the token.
static berth_code_t strings_join(reader_t *reader, berth_error_t *err) {
  berth_lexer_t *lexer = &reader->lexer;
  if (lexer->kind != BERTH_TOKEN_STRING) {
    return berth_lexer_fail(lexer, err, "Expected string.");
  }
  reader->scratch.size = 0;  // Keeps its memory for the next text.
  BERTH_TRY(berth_lexer_unescape(lexer, &reader->scratch, err));
  for (;;) {
    berth_lexer_t ahead = *lexer;
    BERTH_TRY(berth_lexer_advance(&ahead, err));
    if (ahead.kind != BERTH_TOKEN_STRING) return BERTH_OK;
    *lexer = ahead;
    BERTH_TRY(berth_lexer_unescape(lexer, &reader->scratch, err));
  }
}

static berth_code_t string_read(reader_t *reader, field_t *field, void *slot,
                                berth_error_t *err) {
  BERTH_TRY(strings_join(reader, err));
  const char *text = berth_str_get(&reader->scratch);
  size_t size = reader->scratch.size;
  if (!berth_str_ok(&reader->scratch)) {
    return berth_error_no_memory(err, "a text");
  }
  if (field->type == PROTOBUF_C_TYPE_STRING && size > 0 &&
      memchr(text, 0, size) != NULL) {
    return berth_lexer_fail(&reader->lexer, err, "A text holds a NUL byte.");
  }
  char *copy = berth_arena_strndup(reader->arena, text, size);
  if (copy == NULL) return berth_error_no_memory(err, "a text");
  if (field->type == PROTOBUF_C_TYPE_STRING) {
    *(char **)slot = copy;
  } else {
    *(ProtobufCBinaryData *)slot = (ProtobufCBinaryData){size, (uint8_t *)copy};
  }
  return BERTH_OK;
}

static berth_code_t float_read(reader_t *reader, field_t *field,
                               bool is_negative, void *slot,
                               berth_error_t *err) {
  double value = 0;
  BERTH_TRY(berth_lexer_float(&reader->lexer, is_negative, &value, err));
  if (field->type == PROTOBUF_C_TYPE_FLOAT) {
    *(float *)slot = (float)value;
  } else {
    *(double *)slot = value;
  }
  return BERTH_OK;
}

// Reads one scalar into |slot| and goes past it.
static berth_code_t scalar_read(reader_t *reader, field_t *field, void *slot,
                                berth_error_t *err) {
  bool is_negative = berth_lexer_is(&reader->lexer, '-');
  if (is_negative) BERTH_TRY(berth_lexer_advance(&reader->lexer, err));
  switch (field->type) {
    case PROTOBUF_C_TYPE_STRING:
    case PROTOBUF_C_TYPE_BYTES:
      BERTH_TRY(string_read(reader, field, slot, err));
      break;
    case PROTOBUF_C_TYPE_FLOAT:
    case PROTOBUF_C_TYPE_DOUBLE:
      BERTH_TRY(float_read(reader, field, is_negative, slot, err));
      break;
    case PROTOBUF_C_TYPE_BOOL:
      BERTH_TRY(bool_read(reader, slot, err));
      break;
    case PROTOBUF_C_TYPE_ENUM:
      BERTH_TRY(enum_read(reader, field, is_negative, slot, err));
      break;
    default:
      BERTH_TRY(int_read(reader, field, is_negative, slot, err));
  }
  return berth_lexer_advance(&reader->lexer, err);
}

// ---- Members ----

// Makes room for one element more of a repeated field and returns it. The
// capacity is the next power of two, so that it need not be stored.
static void *element_add(reader_t *reader, field_t *field) {
  ProtobufCMessage *message = reader->frames[reader->depth].message;
  size_t *count = member(message, field->quantifier_offset);
  char **array = member(message, field->offset);
  size_t size = berth_message_element_size(field->type);
  bool is_full =
      *count == 0 || (*count >= MIN_ELEMENTS && (*count & (*count - 1)) == 0);
  if (is_full) {
    size_t capacity = *count == 0 ? MIN_ELEMENTS : *count * 2;
    char *moved = berth_arena_calloc(reader->arena, capacity, size);
    if (moved == NULL) return NULL;
    if (*count > 0) memcpy(moved, *array, *count * size);
    *array = moved;
  }
  return *array + (*count)++ * size;
}

// Checks that |field| may be set now, and notes that it is.
static berth_code_t singular_claim(reader_t *reader, field_t *field,
                                   berth_error_t *err) {
  frame_t *frame = &reader->frames[reader->depth];
  const ProtobufCMessageDescriptor *type = frame->message->descriptor;
  size_t index = (size_t)(field - type->fields);
  uint64_t bit = UINT64_C(1) << (index % 64);
  uint64_t *seen = &frame->seen[index / 64 % (MAX_FIELDS / 64)];
  if ((*seen & bit) != 0) {
    return berth_lexer_fail(&reader->lexer, err,
                            "Message type \"tensorflow.%s\" should not have "
                            "multiple \"%s\" fields.",
                            type_name(type), field->name);
  }
  *seen |= bit;
  if ((field->flags & PROTOBUF_C_FIELD_FLAG_ONEOF) == 0) return BERTH_OK;
  uint32_t *chosen = member(frame->message, field->quantifier_offset);
  if (*chosen != 0) {
    return berth_lexer_fail(
        &reader->lexer, err,
        "Field \"%s\" is specified along with field \"%s\", another member of "
        "the same oneof for message type \"tensorflow.%s\".",
        field->name,
        protobuf_c_message_descriptor_get_field(type, *chosen)->name,
        type_name(type));
  }
  *chosen = field->id;
  return BERTH_OK;
}

// Returns where the next value of |field| goes.
static berth_code_t slot_get(reader_t *reader, field_t *field, void **out_slot,
                             berth_error_t *err) {
  if (field->label == PROTOBUF_C_LABEL_REPEATED) {
    *out_slot = element_add(reader, field);
    if (*out_slot != NULL) return BERTH_OK;
    return berth_error_no_memory(err, field->name);
  }
  BERTH_TRY(singular_claim(reader, field, err));
  *out_slot = member(reader->frames[reader->depth].message, field->offset);
  return BERTH_OK;
}

static berth_code_t expect(reader_t *reader, char c, berth_error_t *err) {
  if (!berth_lexer_is(&reader->lexer, c)) {
    return berth_lexer_fail(&reader->lexer, err, "Expected \"%c\".", c);
  }
  return berth_lexer_advance(&reader->lexer, err);
}

// Opens the message at the token as a value of |field|.
static berth_code_t message_open(reader_t *reader, field_t *field,
                                 berth_error_t *err) {
  bool is_angle = berth_lexer_is(&reader->lexer, '<');
  if (!is_angle && !berth_lexer_is(&reader->lexer, '{')) {
    return berth_lexer_fail(&reader->lexer, err, "Expected \"{\".");
  }
  if (reader->depth == BERTH_WIRE_MAX_DEPTH) {
    return berth_lexer_fail(&reader->lexer, err,
                            "Messages are nested more than %d levels deep.",
                            BERTH_WIRE_MAX_DEPTH);
  }
  void *slot = NULL;
  BERTH_TRY(slot_get(reader, field, &slot, err));
  ProtobufCMessage *message =
      berth_message_new(field->descriptor, reader->arena);
  if (message == NULL) return berth_error_no_memory(err, field->name);
  *(ProtobufCMessage **)slot = message;
  reader->frames[++reader->depth] =
      (frame_t){.message = message, .close = is_angle ? '>' : '}'};
  return berth_lexer_advance(&reader->lexer, err);
}

// Reads `a, b, c]` after the opening bracket.
static berth_code_t scalars_read(reader_t *reader, field_t *field,
                                 berth_error_t *err) {
  if (berth_lexer_is(&reader->lexer, ']')) return expect(reader, ']', err);
  for (;;) {
    void *slot = NULL;
    BERTH_TRY(slot_get(reader, field, &slot, err));
    BERTH_TRY(scalar_read(reader, field, slot, err));
    if (!berth_lexer_is(&reader->lexer, ',')) break;
    BERTH_TRY(expect(reader, ',', err));
  }
  return expect(reader, ']', err);
}

// Steps over the optional separator after a field.
static berth_code_t separator_skip(reader_t *reader, berth_error_t *err) {
  if (berth_lexer_is(&reader->lexer, ',') ||
      berth_lexer_is(&reader->lexer, ';')) {
    return berth_lexer_advance(&reader->lexer, err);
  }
  return BERTH_OK;
}

// Reads what follows the name of a message field.
static berth_code_t message_field(reader_t *reader, field_t *field,
                                  berth_error_t *err) {
  if (berth_lexer_is(&reader->lexer, ':')) {
    BERTH_TRY(berth_lexer_advance(&reader->lexer, err));
  }
  if (field->label != PROTOBUF_C_LABEL_REPEATED ||
      !berth_lexer_is(&reader->lexer, '[')) {
    return message_open(reader, field, err);
  }
  BERTH_TRY(berth_lexer_advance(&reader->lexer, err));
  if (berth_lexer_is(&reader->lexer, ']')) return expect(reader, ']', err);
  reader->frames[reader->depth].list = field;
  return message_open(reader, field, err);
}

// Reads what follows the name of a scalar field.
static berth_code_t scalar_field(reader_t *reader, field_t *field,
                                 berth_error_t *err) {
  BERTH_TRY(expect(reader, ':', err));
  if (field->label == PROTOBUF_C_LABEL_REPEATED &&
      berth_lexer_is(&reader->lexer, '[')) {
    BERTH_TRY(berth_lexer_advance(&reader->lexer, err));
    BERTH_TRY(scalars_read(reader, field, err));
  } else {
    void *slot = NULL;
    BERTH_TRY(slot_get(reader, field, &slot, err));
    BERTH_TRY(scalar_read(reader, field, slot, err));
  }
  return separator_skip(reader, err);
}

// Reads the field whose name is the token.
static berth_code_t field_read(reader_t *reader, berth_error_t *err) {
  berth_lexer_t *lexer = &reader->lexer;
  const ProtobufCMessageDescriptor *type =
      reader->frames[reader->depth].message->descriptor;
  if (lexer->kind != BERTH_TOKEN_WORD) {
    return berth_lexer_fail(lexer, err,
                            "Expected identifier or number, got %.*s.",
                            lexer->size > 0 ? 1 : 0, lexer->text);
  }
  char name[64] = {0};
  size_t size = lexer->size < sizeof name ? lexer->size : sizeof name - 1;
  memcpy(name, lexer->text, size);
  field_t *field =
      size == lexer->size
          ? protobuf_c_message_descriptor_get_field_by_name(type, name)
          : NULL;
  if (field == NULL) {
    return berth_lexer_fail(
        lexer, err, "Message type \"tensorflow.%s\" has no field named \"%s\".",
        type_name(type), name);
  }
  BERTH_TRY(berth_lexer_advance(lexer, err));
  return field->type == PROTOBUF_C_TYPE_MESSAGE
             ? message_field(reader, field, err)
             : scalar_field(reader, field, err);
}

// Closes the top message.
static berth_code_t message_close(reader_t *reader, berth_error_t *err) {
  --reader->depth;
  BERTH_TRY(berth_lexer_advance(&reader->lexer, err));
  if (reader->frames[reader->depth].list != NULL) return BERTH_OK;
  return separator_skip(reader, err);
}

// Goes on with the list that is open in the top message.
static berth_code_t list_continue(reader_t *reader, berth_error_t *err) {
  frame_t *frame = &reader->frames[reader->depth];
  if (berth_lexer_is(&reader->lexer, ',')) {
    BERTH_TRY(berth_lexer_advance(&reader->lexer, err));
    return message_open(reader, frame->list, err);
  }
  frame->list = NULL;
  BERTH_TRY(expect(reader, ']', err));
  return separator_skip(reader, err);
}

static berth_code_t message_read(reader_t *reader, berth_error_t *err) {
  for (;;) {
    const frame_t *frame = &reader->frames[reader->depth];
    if (frame->list != NULL) {
      BERTH_TRY(list_continue(reader, err));
    } else if (reader->depth > 0 &&
               berth_lexer_is(&reader->lexer, frame->close)) {
      BERTH_TRY(message_close(reader, err));
    } else if (reader->lexer.kind == BERTH_TOKEN_END) {
      if (reader->depth == 0) return BERTH_OK;
      return expect(reader, frame->close, err);
    } else {
      BERTH_TRY(field_read(reader, err));
    }
  }
}

berth_code_t berth_message_from_text(const ProtobufCMessageDescriptor *type,
                                     const char *text, size_t size,
                                     berth_arena_t *arena,
                                     ProtobufCMessage **out_message,
                                     berth_error_t *err) {
  ProtobufCMessage *message = berth_message_new(type, arena);
  if (message == NULL) return berth_error_no_memory(err, type->short_name);
  reader_t reader = {.arena = arena};
  reader.frames[0] = (frame_t){.message = message};
  berth_code_t code = berth_lexer_init(&reader.lexer, text, size, err);
  if (code == BERTH_OK) code = message_read(&reader, err);
  berth_str_clear(&reader.scratch);
  if (code == BERTH_OK) *out_message = message;
  return code;
}
