// value.c - Writing what schemas refer to: defaults, sets of texts, orders.
//
// Those that say the same are written once: every pointer costs the loader a
// relocation. A piece is built as text first and looked up among those already
// written.
#include <stdarg.h>
#include <string.h>

#include "model.h"

enum { PIECE_ROOM = 16 << 10, MAX_PIECES = 8192, POOL_ROOM = 8 << 20 };

typedef struct piece {
  char text[PIECE_ROOM];
  size_t size;
} piece_t;

static char pool[POOL_ROOM];  // Texts of all pieces written.
static size_t pool_used;
static struct {
  const char *text;
  int id;
} written[MAX_PIECES];
static int written_count;

static void put(piece_t *piece, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void put(piece_t *piece, const char *format, ...) {
  va_list args;
  va_start(args, format);
  size_t room = PIECE_ROOM - piece->size;
  int size = vsnprintf(piece->text + piece->size, room, format, args);
  va_end(args);
  if (size > 0) piece->size += (size_t)size < room ? (size_t)size : room - 1;
}

// Appends |text| as a C literal.
static void put_literal(piece_t *piece, const char *text) {
  put(piece, "\"");
  for (; *text != '\0'; ++text) {
    if (*text == '\n') {
      put(piece, "\\n");
    } else if (*text == '\t') {
      put(piece, "\\t");
    } else {
      put(piece, *text == '"' || *text == '\\' ? "\\%c" : "%c", *text);
    }
  }
  put(piece, "\"");
}

// Writes `static const <type> <prefix>_<id><suffix> = <piece>;` unless an equal
// one is there, and returns its id.
static int write_piece(FILE *file, const char *type, const char *prefix,
                       const char *suffix, const piece_t *piece) {
  for (int i = 0; i < written_count; ++i) {
    const char *text = written[i].text;
    if (strcmp(text, prefix) == 0 &&
        strcmp(text + strlen(prefix) + 1, piece->text) == 0) {
      return written[i].id;
    }
  }
  int id = written_count;
  fprintf(file, "static const %s %s_%d%s = %s;\n", type, prefix, id, suffix,
          piece->text);
  size_t prefix_size = strlen(prefix) + 1;
  if (written_count == MAX_PIECES ||
      pool_used + prefix_size + piece->size + 1 > POOL_ROOM) {
    return id;  // Too many to remember: a duplicate at worst.
  }
  char *copy = &pool[pool_used];
  memcpy(copy, prefix, prefix_size);
  memcpy(copy + prefix_size, piece->text, piece->size + 1);
  pool_used += prefix_size + piece->size + 1;
  written[written_count].text = copy;
  written[written_count++].id = id;
  return id;
}

uint64_t opgen_type_bits(const set_t *set) {
  uint64_t bits = 0;
  for (int i = 0; i < set->count; ++i) bits |= (uint64_t)1 << set->types[i];
  return bits;
}

int opgen_write_texts(FILE *file, const set_t *set) {
  static piece_t piece;
  piece.size = 0;
  put(&piece, "{");
  for (int i = 0; i < set->count; ++i) {
    put_literal(&piece, set->texts[i]);
    put(&piece, ", ");
  }
  put(&piece, "NULL}");
  return write_piece(file, "char *const", "texts", "[]", &piece);
}

int opgen_write_order(FILE *file, const set_t *set) {
  static piece_t piece;
  piece.size = 0;
  put(&piece, "{");
  for (int i = 0; i < set->count; ++i) put(&piece, "%d,", set->types[i]);
  put(&piece, "}");
  return write_piece(file, "uint8_t", "order", "[]", &piece);
}

// ---- Values ----

static const char *const kind_enums[KIND_COUNT] = {
    "STRING", "INT", "FLOAT", "BOOL", "TYPE", "SHAPE", "TENSOR", "FUNC"};

static int type_number(const char *name) {
  for (int i = 0; i < BERTH_DTYPE_COUNT; ++i) {
    if (opgen_type_names[i] != NULL && strcmp(opgen_type_names[i], name) == 0) {
      return i;
    }
  }
  return 0;
}

// How the members of a value's union, and arrays of them, are called.
static const struct {
  const char *type, *member, *array;
} value_words[KIND_COUNT] = {{"berth_attr_text_t", "s", "strings"},
                             {"int64_t", "i", "ints"},
                             {"float", "f", "floats"},
                             {"bool", "b", "bools"},
                             {"berth_dtype_t", "type", "types"},
                             {"berth_dims_t", "shape", "shapes"},
                             {"berth_table_tensor_t", "tensor", "tensors"},
                             {"berth_attr_func_t", "func", "funcs"}};

// Writes a tensor; returns its number.
static int write_tensor(FILE *file, const value_t *value) {
  static int count;
  const char *type = value->type == BERTH_UINT8 ? "uint8_t" : "int32_t";
  fprintf(file, "static const %s elements_%d[] = {", type, count);
  for (int i = 0; i < value->item_count; ++i) {
    fprintf(file, "%s,", value->items[i]);
  }
  fprintf(file, "};\nBERTH_TABLE_TENSOR(%d, %d, %d, %d)\n", count, value->type,
          value->is_scalar ? 0 : 1, value->item_count);
  return count++;
}

// Appends one value as an initialiser.
static void put_value(FILE *file, piece_t *piece, kind_t kind,
                      const value_t *value) {
  static piece_t dims;
  switch (kind) {
    case KIND_STRING:
      put(piece, "{");
      put_literal(piece, value->text);
      put(piece, ", %zu}", strlen(value->text));
      break;
    case KIND_FLOAT:
      if (strstr(value->text, "inf") != NULL) {
        put(piece, "%sINFINITY", value->text[0] == '-' ? "-" : "");
      } else {
        put(piece, "%sf", value->text);
      }
      break;
    case KIND_TYPE:
      put(piece, "(berth_dtype_t)%d", type_number(value->text));
      break;
    case KIND_SHAPE:
      if (value->text != NULL || value->item_count == 0) {
        put(piece, "{%d, NULL}", value->text != NULL ? -1 : 0);
        break;
      }
      dims.size = 0;
      put(&dims, "{");
      for (int i = 0; i < value->item_count; ++i) {
        put(&dims, "%s,", value->items[i]);
      }
      put(&dims, "}");
      put(piece, "{%d, ints_%d}", value->item_count,
          write_piece(file, "int64_t", "ints", "[]", &dims));
      break;
    case KIND_TENSOR:
      put(piece, "&tensor_%d", write_tensor(file, value));
      break;
    default:
      put(piece, "%s", value->text);
      break;
  }
}

// Writes the elements of a list; returns its number.
static int write_list(FILE *file, const attr_t *attr) {
  static piece_t piece;
  piece.size = 0;
  put(&piece, "{");
  for (int i = 0; i < attr->default_count; ++i) {
    put_value(file, &piece, attr->kind, &attr->defaults[i]);
    put(&piece, ",");
  }
  put(&piece, "}");
  return write_piece(file, value_words[attr->kind].type,
                     value_words[attr->kind].array, "[]", &piece);
}

int opgen_write_value(FILE *file, const attr_t *attr) {
  static piece_t piece;
  piece.size = 0;
  const char *kind = kind_enums[attr->kind];
  const char *member = value_words[attr->kind].member;
  if (attr->is_list && attr->default_count > 0) {
    int list = write_list(file, attr);
    put(&piece, "{BERTH_ATTR_LIST + BERTH_ATTR_%s, %d, {.%s_list = %s_%d}}",
        kind, attr->default_count, member, value_words[attr->kind].array, list);
  } else if (attr->is_list) {
    put(&piece, "{BERTH_ATTR_LIST + BERTH_ATTR_%s, 0, {.i = 0}}", kind);
  } else {
    put(&piece, "{BERTH_ATTR_%s, 0, {.%s = ", kind, member);
    put_value(file, &piece, attr->kind, attr->defaults);
    put(&piece, "}}");
  }
  return write_piece(file, "berth_attr_value_t", "value", "", &piece);
}
